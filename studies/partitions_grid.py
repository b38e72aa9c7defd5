"""Coverage for every external index and Prayatul measure, and size of the test of equal goodness, on a grid of laws.

    python studies/partitions_grid.py [--replicates 300] [--out CSV] [--only PART]

The grid has true partitions with 2 to 20 clusters and predictions that are right on 40 to 98 % of the instances, other
numbers of clusters, noise, independent and identical partitions, and errors that go to few clusters.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run
from laws import (
    POPULATION,
    Floats,
    equally_good,
    hub,
    labels_of,
    measures_of,
    measures_of_clusterings,
    merged,
    neighbours,
    of_models,
    one_never,
    shares_of,
    split,
    spread,
)

# Functions of another index, with the same coverage; and indices without a population value.
LEFT_OUT = [
    "rogers_tanimoto", "gower_legendre", "hamann", "mirkin", "pair_f", "f_alpha", "sokal_sneath1",
    "mcconnaughey", "classification_error", "normalized_accuracy", "v_measure", "ami", "ami_joint",
    "normalized_variation_of_information", "ami_max", "normalized_information_distance", "ami_min",
    "ami_geometric", "pair_mcnemar", "phi_crit",
]  # fmt: skip
INDICES = [one.name for one in adjudge.list_indices("external") if one.name not in LEFT_OUT]
#: Shares of instances on which both classifiers are right, only the first, only the second, or neither.
CLASSIFIERS = {
    "typical": (0.66, 0.14, 0.09, 0.11),
    "good": (0.90, 0.045, 0.025, 0.03),
    "poor": (0.25, 0.25, 0.2, 0.3),
    "disagreement 2 %": (0.95, 0.012, 0.008, 0.03),
    "disagreement 0.5 %": (0.985, 0.003, 0.002, 0.01),
    "many wrong": (0.1, 0.1, 0.05, 0.75),
}
TESTED = ("rand", "jaccard", "adjusted_rand", "fowlkes_mallows")


def external_laws() -> Iterator[tuple[str, Floats]]:
    """Yield joint laws of truth and prediction."""
    for k, right in itertools.product((2, 7, 20), (0.7, 0.9, 0.98)):
        yield f"K = {k}, geometric, {right} right", shares_of(k, "geometric")[:, None] * spread(k, right)
    for k in (2, 7, 20):
        yield f"K = {k}, equal, 0.9 right", shares_of(k, "equal")[:, None] * spread(k, 0.9)
    four = shares_of(4, "geometric")[:, None] * spread(4, 0.88)
    yield from (("half as many clusters", merged(four)), ("twice as many clusters", split(four)))
    yield "one never predicted", one_never(four)
    yield "a third noise", 2 / 3 * shares_of(5, "equal")[:, None] * spread(5, 0.9) + 1 / 75
    yield "K = 2, independent", np.outer([0.4, 0.6], [0.3, 0.7])
    yield "K = 9, identical", np.diag(shares_of(9, "geometric"))
    yield "errors to neighbours", neighbours(6, 0.8) / 6
    yield "errors to one cluster", shares_of(6, "geometric")[:, None] * hub(6, 0.8)
    yield "one of 70 %", np.r_[0.7, np.full(5, 0.06)][:, None] * spread(6, 0.9)
    yield "any table, 5 x 8", np.random.default_rng(8).dirichlet(np.full(40, 0.3)).reshape(5, 8)


def model_laws() -> Iterator[tuple[str, Floats]]:
    """Yield joint laws of truth and two clusterings."""
    for k, (p, q) in itertools.product((2, 5, 10), ((0.55, 0.4), (0.75, 0.7), (0.93, 0.85), (0.99, 0.975))):
        yield f"K = {k}, {p} and {q} right", of_models(shares_of(k, "geometric"), spread(k, p), spread(k, q))
    even, three = shares_of(4, "equal"), shares_of(3, "geometric")
    yield "K = 4, 0.9 and 0.9, 0.8 copied", of_models(even, *2 * (spread(4, 0.9),), copied=0.8)
    yield "K = 4, identical models", of_models(even, *2 * (spread(4, 0.8),), copied=1.0)
    yield "truth 3, P 6, Q 2", of_models(three, split(spread(3, 0.8)), merged(spread(3, 0.75)))
    yield "K = 4, Q never one", of_models(even, spread(4, 0.85), one_never(spread(4, 0.85)))


def of_partitions(law: Floats, n: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge a table of counts."""
    table = rng.multinomial(n, law.ravel()).reshape(law.shape)
    scores = adjudge.evaluate(table, indices=INDICES, confidence=0.95).scores
    return {name: (scores[name], truth) for name, truth in truths.items()}


def of_two(kind: str, law: Floats, n: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge the Prayatul measures of two models."""
    g, p, q = labels_of(law, n, rng)
    index = "rand" if kind == "clustering" else "accuracy"
    found = adjudge.compare(g, {"p": p, "q": q}, kind=kind, confidence=0.95, indices=[index])[
        "p", "q"
    ].measured
    return {name: (found[name], truth) for name, truth in truths.items()}


def of_tests(law: Floats, n: int, rng: Generator) -> dict[str, Found]:
    """Return the p-values for two clusterings."""
    drawn = labels_of(law, n, rng)
    return {name: adjudge.inference.equal_goodness_test(*drawn, index=name).p_value for name in TESTED}


def settings() -> Iterator[Setting]:
    """Yield intervals, then tests."""
    for name, law in external_laws():
        population = adjudge.evaluate(np.rint(law * POPULATION).astype(np.int64), indices=INDICES)
        for n in (100, 1000):
            truths = {index: population[index] for index in INDICES}
            truths["van_dongen"] *= n / POPULATION  # it counts instances
            yield Setting("External indices", name, n, partial(of_partitions, law, n, truths))
    for name, law in model_laws():
        truths = measures_of_clusterings(law)
        for n in (100, 1000):
            yield Setting(
                "Prayatul measures, clusterings", name, n, partial(of_two, "clustering", law, n, truths)
            )
    for name, shares in CLASSIFIERS.items():
        right = np.array([[True, True, False, False], [True, False, True, False]])
        truths = measures_of(np.array(shares), [*right])
        law = np.array(shares).reshape(1, 2, 2)  # the truth is 0, and 1 is wrong
        for n in (30, 100, 1000):
            yield Setting(
                "Prayatul measures, classifiers", name, n, partial(of_two, "classification", law, n, truths)
            )
    for name, law in equally_good():
        for n in (30, 100, 400):
            yield Setting("Equal goodness", name, n, partial(of_tests, law, n))
    for k, (p, q) in itertools.product((2, 5), ((0.7, 0.6), (0.85, 0.75), (0.97, 0.9))):
        law = of_models(shares_of(k, "equal"), spread(k, p), spread(k, q))
        yield Setting(
            "Power: equal goodness", f"K = {k}, {p} and {q} right", 100, partial(of_tests, law, 100)
        )


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
