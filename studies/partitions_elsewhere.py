"""Coverage of intervals for partitions, under laws that the authors of the intervals had not seen.

    python studies/partitions_elsewhere.py [--replicates 300] [--out CSV]

Long tails, blocks, merged and split clusters, one cluster of 90 %, errors that all go to one cluster or around a ring.
This is the benchmark for any change to an interval: 92 % of the judged cells lie in 0.92-0.98, at most ten below 0.90,
and none below 0.85.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run
from laws import POPULATION, Floats, by_rows, labels_of, measures_of_clusterings

INDICES = [
    "rand", "adjusted_rand", "jaccard", "fowlkes_mallows", "pair_precision", "pair_phi", "russell_rao",
    "peirce", "goodman_kruskal", "nmi", "ami", "mutual_information", "variation_of_information", "v_measure",
    "homogeneity", "entropy_true", "joint_entropy", "bcubed_f", "element_centric", "purity", "larsen_aone",
    "adjusted_asymmetric_accuracy",
]  # fmt: skip
#: The correction for chance vanishes with many instances.
LIMITS = {"ami": "nmi"}


def onto(found: list[int], k: int, right: float) -> Floats:
    """Send each true cluster to a predicted one, except for errors, which go anywhere."""
    where = np.zeros((len(found), k))
    where[np.arange(len(found)), found] = 1.0
    return np.asarray(right * where + (1 - right) / k)


def laws() -> dict[str, tuple[Floats, tuple[int, ...]]]:
    """Return the laws, and the numbers of instances that are drawn from each."""
    rng = np.random.default_rng(11)
    zipf = 1 / np.arange(1, 21) ** 1.3
    zipf /= zipf.sum()
    block = np.kron(np.eye(3), np.ones((4, 4))) - np.eye(12)
    split = np.zeros((4, 10))
    split[0, :3], split[1, 3:5], split[2, 5:8], split[3, 8:] = (
        [0.6, 0.3, 0.1], [0.7, 0.3], [0.4, 0.4, 0.2], [0.9, 0.1]
    )  # fmt: skip
    ring = np.array([0.99, 0.95, 0.9, 0.8, 0.7, 0.6])
    small = np.eye(5) * 0.9
    small[:, 0] += 0.1
    small[0] = [0.96, 0.01, 0.01, 0.01, 0.01]
    sink = 0.88 * np.eye(7)
    sink[:, 6] += 0.12
    table = rng.dirichlet(np.full(144, 0.1)).reshape(12, 12) + 1.5 * np.diag(rng.dirichlet(np.ones(12)))
    few, many = (100, 300, 1000), (300, 1000, 3000)
    return {
        "20 clusters, Zipf's law": (by_rows(zipf, 0.8 * np.eye(20) + 0.2 * zipf), many),
        "12 clusters, errors within blocks of four": (
            by_rows(np.linspace(1, 3, 12), 0.75 * np.eye(12) + 0.25 * block / 3), many),
        "8 clusters merged into 6": (
            by_rows([5, 2, 4, 4, 3, 3, 2, 1], onto([0, 0, 1, 1, 2, 3, 4, 5], 6, 0.97)), few),
        "4 clusters split into 10": (by_rows([4, 3, 2, 1], 0.98 * split + 0.002), few),
        "3 clusters against 9": (by_rows([5, 3, 2], rng.dirichlet(np.full(9, 0.5), 3)), (60, *few)),
        "12 by 12, a random table": (table / table.sum(), many),
        "35 clusters, log-normal sizes": (
            by_rows(np.exp(rng.normal(size=35)), 0.85 * np.eye(35) + 0.15 / 35), many),
        "one cluster of 90 %": (by_rows([0.9, 0.04, 0.03, 0.02, 0.01], small), (*few, 3000)),
        "2 clusters against 5": (
            by_rows([0.35, 0.65], [[0.5, 0.3, 0.1, 0.05, 0.05], [0.05, 0.05, 0.2, 0.5, 0.2]]), (30, 60, *few)),
        "12 by 7, nearly independent": (rng.dirichlet(np.ones(84)).reshape(12, 7), many),
        "4 by 6, independent": (np.outer([8, 4, 2, 1], [6, 5, 4, 3, 2, 1]) / 315.0, few),
        "6 clusters, errors round a ring": (
            by_rows(np.ones(6), np.diag(ring) + np.roll(np.diag(1 - ring), 1, axis=1)), (*few, 3000)),
        "2 clusters, one of 3 %": (by_rows([0.97, 0.03], [[0.98, 0.02], [0.3, 0.7]]), (300, 1000)),
        "10 clusters against 2": (by_rows(1 / np.arange(1, 11) ** 0.7, onto([0] * 6 + [1] * 4, 2, 0.93)), few),
        "16 clusters within 4": (by_rows(np.linspace(1, 2, 16), onto([*np.repeat(range(4), 4)], 4, 0.99)), many),
        "7 clusters, errors to one": (by_rows([3, 3, 2, 2, 1, 1, 1], sink), (100, 300)),
        "4 by 3, nearly all in one": (
            by_rows([4, 3, 2, 1], [[1, 0, 0], [1, 0, 0], [0.97, 0.02, 0.01], [0.9, 0.05, 0.05]]), (60, 300, 1000)),
    }  # fmt: skip


def models() -> dict[str, tuple[list[float], list[float], list[float], tuple[int, ...]]]:
    """Return the sizes of the true clusters, how often two models are right in each, and numbers of instances."""
    return {
        "one cluster of 90 %": ([0.9, 0.05, 0.03, 0.02], *2 * ([0.97, 0.7, 0.97, 0.7],), (40, 60, 100, 300)),
        "6 clusters, Zipf's law": ([1 / k for k in range(1, 7)], [0.9] * 6, [0.8] * 6, (60, 300, 1000)),
        "right in large clusters, in small ones": (
            [0.4, 0.3, 0.2, 0.1], [0.98, 0.9, 0.7, 0.5], [0.8, 0.85, 0.9, 0.95], (60, 300, 1000)),
        "2 clusters, one of 10 %": ([0.9, 0.1], [0.95, 0.8], [0.9, 0.9], (60, 300)),
        "5 clusters, nearly perfect": ([0.2] * 5, [0.995] * 5, [0.98] * 5, (100, 300, 1000)),
    }  # fmt: skip


def of_partitions(law: Floats, n: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge a table of counts."""
    table = rng.multinomial(n, law.ravel()).reshape(law.shape)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    scores = adjudge.evaluate(table, indices=INDICES, confidence=0.95).scores
    return {name: (scores[name], truths[LIMITS.get(name, name)]) for name in INDICES}


def of_two(law: Floats, n: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge the Prayatul measures of two clusterings."""
    g, p, q = labels_of(law, n, rng)
    options: dict[str, Any] = {"kind": "clustering", "confidence": 0.95, "indices": ["rand"]}
    found = adjudge.compare(g, {"p": p, "q": q}, **options)["p", "q"].measured
    return {name: (found[name], truth) for name, truth in truths.items()}


def settings() -> Iterator[Setting]:
    """Yield partitions, then Prayatul measures."""
    names = [name for name in INDICES if name not in LIMITS]
    for name, (law, numbers) in laws().items():
        population = adjudge.evaluate(np.rint(law * POPULATION).astype(np.int64), indices=names)
        truths = {index: population[index] for index in names}
        for n in numbers:
            yield Setting("External indices", name, n, partial(of_partitions, law, n, truths))
    for name, (sizes, *right, numbers) in models().items():
        k, shares = len(sizes), np.array(sizes) / np.sum(sizes)
        first, second = (np.diag(own) + np.outer(1 - np.array(own), np.full(k, 1 / k)) for own in right)
        law = shares[:, None, None] * first[:, :, None] * second[:, None, :]
        truths = measures_of_clusterings(law)
        for n in numbers:
            yield Setting("Prayatul measures", name, n, partial(of_two, law, n, truths))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
