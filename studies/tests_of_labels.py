"""Size and power of tests of labels: McNemar, Cochran, groups, chance, the dip, and corrections for several tests.

    python studies/tests_of_labels.py [--replicates 1000] [--out CSV] [--only PART]

Tests of equal goodness are in partitions_grid.py, and tests of differences of scores in classifiers.py and units.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

import adjudge
from cells import Found, Generator, Setting, arguments, run
from laws import Floats, hub, labels_of, shares_of, spread

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
OF_GROUPS = ("accuracy", "macro_f1", "balanced_accuracy")
CHANCE = ("adjusted_rand", "nmi", "jaccard")
CORRECTIONS = ("holm", "bonferroni", "holm-sidak", "hochberg", "hommel", "finner", "li")


def mcnemar(n: int, first: float, second: float, rng: Generator) -> dict[str, Found]:
    """Test two classifiers, each of which alone is right on some instances."""
    rest = (1 - first - second) / 2
    agreement = adjudge.statistics.Agreement(*rng.multinomial(n, [rest, first, second, rest]).tolist())
    return {method: adjudge.inference.mcnemar_test(agreement, method=method).p_value for method in METHODS}


def cochran(n: int, shares: Sequence[float], alike: float, rng: Generator) -> dict[str, Found]:
    """Test classifiers that are all right or all wrong on a share of the instances."""
    right = rng.random((n, len(shares))) < np.array(shares)
    same = rng.random(n) < alike
    right[same] = rng.random((int(same.sum()), 1)) < 0.5
    return {"Cochran's Q": adjudge.inference.cochran_q_test(right).p_value}


def groups(shares: Floats, said: Sequence[Floats], sizes: Sequence[int], rng: Generator) -> dict[str, Found]:
    """Test one classifier on two groups of instances."""
    drawn = [labels_of(shares[:, None] * own, n, rng) for own, n in zip(said, sizes, strict=True)]
    truth, found = (np.concatenate(own) for own in zip(*drawn, strict=True))
    options: dict[str, Any] = {"kind": "classification", "indices": [*OF_GROUPS], "confidence": 0.95}
    judged = adjudge.evaluate(truth, found, groups=np.repeat(["a", "b"], sizes), **options)
    scores = {row.score.index.name: row.score.p_value for row in judged.differences if row.group == "a"}
    return {name: math.nan if scores.get(name) is None else scores[name] for name in OF_GROUPS}


def by_chance(k: int, kind: str, common: float, n: int, rng: Generator) -> dict[str, Found]:
    """Test two partitions that are independent, or agree on a share of the instances."""
    truth, said = (rng.choice(k, n, p=shares_of(k, kind)) for _ in range(2))
    same = rng.random(n) < common
    said[same] = truth[same]
    options: dict[str, Any] = {"n_tables": 499, "random_state": rng, "n_jobs": 1, "progress": False}
    return {
        name: adjudge.inference.null_distribution(name, truth, said, **options).p_value() for name in CHANCE
    }


VALUES: dict[str, Callable[[Generator, int], Any]] = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "Student's t, 2 degrees of freedom": lambda rng, n: rng.standard_t(2, size=n),
    "uniform, rounded to tenths": lambda rng, n: np.round(rng.random(n), 1),
    "normal, rounded to halves": lambda rng, n: np.round(2 * rng.normal(size=n)) / 2,
    "two normal, 3.5 apart": lambda rng, n: rng.normal(size=n) + 3.5 * (rng.random(n) < 0.5),
}


def dip(kind: str, n: int, rng: Generator) -> dict[str, Found]:
    return {"dip": adjudge.inference.dip_test(VALUES[kind](rng, n)).p_value}


def family(kind: str, false: int, m: int, rng: Generator) -> dict[str, Found]:
    """Return the smallest adjusted p-value among the true null hypotheses."""
    z = rng.normal(size=m)
    if kind == "alike":
        z = math.sqrt(0.7) * rng.normal() + math.sqrt(0.3) * z
    elif kind == "opposed":
        z[1::2] = -z[: m // 2 * 2 : 2][: z[1::2].size]
    z[:false] += 3.5
    return {
        name: min(adjudge.inference.adjust_p_values(2 * ndtr(-np.abs(z)), name)[false:])
        for name in CORRECTIONS
    }


def settings() -> Iterator[Setting]:
    """Yield settings for the size and power of each test."""
    for n, share in itertools.product((10, 20, 50, 200), (0.02, 0.1, 0.3, 0.6)):
        yield Setting(
            "McNemar", f"one alone right on {share:.0%}", n, partial(mcnemar, n, share / 2, share / 2)
        )
    for n, first, second in ((20, 0.5, 0.1), (50, 0.2, 0.06), (200, 0.06, 0.02)):
        law = f"alone right on {first:.0%} and {second:.0%}"
        yield Setting("Power: McNemar", law, n, partial(mcnemar, n, first, second))
    for n, k, share, alike in (
        (10, 3, 0.7, 0),
        (20, 60, 0.7, 0),
        (30, 10, 0.97, 0),
        (30, 5, 0.7, 0.8),
        (100, 3, 0.99, 0),
    ):
        law = f"{k} models, {share:.0%} right, {alike:.0%} alike for all"
        yield Setting("Several classifiers", law, n, partial(cochran, n, [share] * k, alike))
    better = partial(cochran, 30, [0.9] * 3 + [0.65], 0.0)
    yield Setting("Power: several classifiers", "4 models, 90 % right and one 65 %", 30, better)
    rare, twenty = np.array([0.9, 0.1]), shares_of(20, "equal")
    laws = {
        "10 % positive, 90 % right": (rare, spread(2, 0.9)),
        "10 % positive, of which half are found": (rare, np.array([[0.97, 0.03], [0.5, 0.5]])),
        "five classes, errors to the first": (shares_of(5, "geometric"), hub(5, 0.8)),
        "ten classes, 60 % right": (shares_of(10, "geometric"), spread(10, 0.6)),
        "20 even classes, 95 % right": (twenty, spread(20, 0.95)),
    }
    for (name, (shares, said)), sizes in itertools.product(laws.items(), ((20, 60), (50, 400))):
        law = f"{name}, {sizes[0]} and {sizes[1]}"
        yield Setting("Groups of instances", law, sum(sizes), partial(groups, shares, (said, said), sizes), 2)
    law_ = partial(groups, shares_of(5, "geometric"), (spread(5, 0.6), hub(5, 0.8)), (50, 200))
    yield Setting("Power: groups of instances", "five classes, 60 % and 80 % right", 250, law_, 2)
    for k, kind, n in (
        (2, "equal", 12),
        (2, "geometric", 40),
        (4, "geometric", 30),
        (10, "equal", 60),
        (60, "equal", 200),
    ):
        yield Setting("Chance", f"{k} clusters, {kind} sizes", n, partial(by_chance, k, kind, 0.0, n), 2)
    yield Setting(
        "Power: chance", "10 clusters, 30 % in common", 60, partial(by_chance, 10, "equal", 0.3, 60), 2
    )
    for kind, n in itertools.product(VALUES, (10, 66, 800)):
        yield Setting("Power: dip" if kind.startswith("two") else "Dip", kind, n, partial(dip, kind, n))
    for m, kind in itertools.product((4, 20, 60), ("independent", "alike", "opposed")):
        for false in dict.fromkeys((0, 2, m // 2)):
            yield Setting("Corrections", f"{kind}, {false} of {m} false", m, partial(family, kind, false, m))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 1000).parse_args())
