"""Rows in units: coverage and size of tests if several rows come from the same patient, document or customer.

    python studies/units.py [--replicates 300] [--out CSV] [--only PART] [--without-units]

Two models judge the rows of G units. With `units=`, units are the sampled entities; `--without-units` shows what
happens to intervals and tests that treat the rows as independent. There are two kinds of law:

- a random intercept per unit on the probit scale, so that correctness has a correlation of 0 to 0.9 within units of 1
  to 40 rows; once with the same class for all rows of a unit;
- three laws that played no part in choosing the methods: a ward with a quarter of all rows, patients who are hard to
  judge and come more often, and documents in which errors come in one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

import adjudge
from cells import RESULTS, Found, Generator, Setting, arguments, p_of, run

Array = np.ndarray[Any, np.dtype[Any]]
UNITS = (15, 30, 60)
#: Shares of the classes.
SHARES = np.array([0.6, 0.3, 0.1])
#: The correlation of normal variables that gives events of probability 0.8 the correlation in the key.
LATENT = {0.0: 0.0, 0.1: 0.2, 0.3: 0.5, 0.9: 0.99}
OF_CLASSES = ["accuracy", "macro_f1", "cohen_kappa"]
SCORES = [*OF_CLASSES, "adjusted_rand", "roc_auc"]
#: For two models, how often each is right in each class, and how far apart its scores of two classes are.
EQUAL: Any = ((0.8, 0.8, 0.8), 1.2), ((0.8, 0.8, 0.8), 1.2)
UNEQUAL: Any = ((0.8, 0.8, 0.8), 1.0), ((0.85, 0.85, 0.85), 1.25)
UNEVEN: Any = ((0.85, 0.8, 0.7), 1.2), ((0.85, 0.8, 0.7), 1.2)


@dataclass(frozen=True)
class Rows:
    """Drawn rows: units, true classes and two models' predictions; a binary class, and two models' scores for it."""

    units: Array
    true: Array
    said: tuple[Array, Array]
    positive: Array
    scores: tuple[Array, Array]


Law = Callable[[Generator, int, Any], Rows]


def log_normal_sizes(rng: Generator, g: int) -> Array:
    """Draw sizes of 1 to 40 rows per unit."""
    return np.clip(np.rint(np.exp(rng.normal(1.9, 1.1, g))), 1, 40).astype(int)


def mixed(share: float, of_unit: Array, of_row: Array) -> Array:
    """Combine a normal variable of the unit and one of the row."""
    return np.asarray(np.sqrt(share) * of_unit + np.sqrt(1 - share) * of_row)


def other_than(rng: Generator, true: Array) -> Array:
    return np.asarray((true + 1 + (rng.random(true.size) < 0.5)) % 3)


def random_intercept(rho: float, by_unit: bool, rng: Generator, g: int, models: Any) -> Rows:
    """Draw correctness from a normal variable with a share per unit; the second model shares half of it."""
    units = np.repeat(np.arange(g), log_normal_sizes(rng, g))
    n = units.size

    def normal(share: float) -> Array:
        return mixed(share, rng.normal(size=g)[units], rng.normal(size=n))

    true = rng.choice(3, g, p=SHARES)[units] if by_unit else rng.choice(3, n, p=SHARES)
    positive = (rng.random(g) < 0.4)[units] if by_unit else rng.random(n) < 0.4
    first, own = normal(LATENT[rho]), normal(LATENT[rho])
    both = first, mixed(0.5, first, own)
    said = [
        np.where(ndtr(x) < np.asarray(right)[true], true, other_than(rng, true))
        for x, (right, _) in zip(both, models, strict=True)
    ]
    shift, beside = normal(rho), normal(rho)
    apart = [own for _, own in models]
    scores = apart[0] * positive + shift, apart[1] * positive + mixed(0.5, shift, beside)
    return Rows(units, true, (said[0], said[1]), positive.astype(int), scores)


def judged_by_chance(
    rng: Generator, units: Array, chances: tuple[Array, Array], offsets: Array, models: Any
) -> Rows:
    """Draw correctness with given chances per row; the scores of a unit share an offset."""
    n = units.size
    true = rng.choice(3, n, p=SHARES)
    said = [np.where(rng.random(n) < own, true, other_than(rng, true)) for own in chances]
    positive = rng.random(n) < 0.4
    scores = [own * positive + offsets[units] + rng.normal(size=n) for _, own in models]
    return Rows(units, true, (said[0], said[1]), positive.astype(int), (scores[0], scores[1]))


def one_large_ward(rng: Generator, g: int, models: Any) -> Rows:
    """Draw one unit with a quarter of all rows, and others with up to a dozen; models are right on 60 to 95 %."""
    small = rng.integers(1, 13, g - 1)
    units = np.repeat(np.arange(g), [small.sum() // 3 + 1, *small])
    easy = rng.beta(6, 1.5, g)  # 0.8 on average
    gain = models[1][0][0] - models[0][0][0]
    chances = easy[units], (easy + gain * (1 - easy) / 0.2)[units]
    return judged_by_chance(rng, units, chances, 0.7 * rng.normal(size=g), models)


def hard_patients(rng: Generator, g: int, models: Any) -> Rows:
    """Draw patients, a quarter of whom are hard to judge and come about three times as often."""
    hard = rng.random(g) < 0.25
    units = np.repeat(np.arange(g), 1 + rng.poisson(np.where(hard, 14, 4)))
    gain = 5 * (models[1][0][0] - models[0][0][0])
    chances = [expit(np.where(hard, -0.2, 2.5) + own + 0.4 * rng.normal(size=g))[units] for own in (0, gain)]
    return judged_by_chance(rng, units, (chances[0], chances[1]), np.where(hard, 0.8, -0.2), models)


def runs_of_errors(rng: Generator, g: int, models: Any) -> Rows:
    """Draw documents of 5 to 40 sentences; in each, a model's errors are one run, and a few sentences elsewhere."""
    sizes = rng.integers(5, 41, g)
    units = np.repeat(np.arange(g), sizes)
    place = np.arange(units.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chances = []
    for right, _ in models:
        start = rng.random(g) * sizes
        length = rng.geometric(0.1, g) * (rng.random(g) < 2.5 * (1 - right[0]))
        inside = (place >= start[units]) & (place < (start + length)[units])
        chances.append(np.where(inside, 0.0, 0.95))
    return judged_by_chance(rng, units, (chances[0], chances[1]), 0.5 * rng.normal(size=g), models)


def laws() -> dict[str, Law]:
    """Return all laws by name."""
    found: dict[str, Law] = {f"correlation {rho:g}": partial(random_intercept, rho, False) for rho in LATENT}
    found["correlation 0.3, one class a unit"] = partial(random_intercept, 0.3, True)
    found["a ward with a quarter of the rows"] = one_large_ward
    found["hard patients come more often"] = hard_patients
    found["errors in runs"] = runs_of_errors
    return found


@cache
def truths(name: str, unequal: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Return the scores of both models, from very many samples of 60 units."""
    rng, law = np.random.default_rng(5), laws()[name]
    drawn = [law(rng, 60, UNEQUAL if unequal else UNEVEN) for _ in range(3000)]

    def scores(i: int) -> dict[str, float]:
        true, said = (np.concatenate(own) for own in ([x.true for x in drawn], [x.said[i] for x in drawn]))
        y, s = (np.concatenate(own) for own in ([x.positive for x in drawn], [x.scores[i] for x in drawn]))
        judged = (
            adjudge.evaluate(true, said, kind="classification", indices=OF_CLASSES),
            adjudge.evaluate(true, said, kind="clustering", indices=["adjusted_rand"]),
            adjudge.evaluate(y, kind="classification", scores=s, indices=["roc_auc"]),
        )
        return {index: own[index] for own in judged for index in own.scores}

    return scores(0), scores(1)


def singles(name: str, with_units: bool, g: int, rng: Generator) -> dict[str, Found]:
    """Judge the scores of the first model."""
    rows = laws()[name](rng, g, UNEVEN)
    if not all_there(rows):
        return {}
    options: dict[str, Any] = {"confidence": 0.95} | ({"units": rows.units} if with_units else {})
    said, ranked = rows.said[0], {"scores": rows.scores[0], "indices": ["roc_auc"]}
    judged = [
        adjudge.evaluate(rows.true, said, kind="classification", indices=OF_CLASSES, **options),
        adjudge.evaluate(rows.true, said, kind="clustering", indices=["adjusted_rand"], **options),
        adjudge.evaluate(rows.positive, kind="classification", **ranked, **options),
    ]
    scores = {index: score for own in judged for index, score in own.scores.items()}
    return {index: (scores[index], truths(name, False)[0][index]) for index in SCORES}


def differences(name: str, unequal: bool, with_units: bool, g: int, rng: Generator) -> dict[str, Found]:
    """Judge the differences of both models; if they are equal, also record whether they are told apart."""
    rows = laws()[name](rng, g, UNEQUAL if unequal else EQUAL)
    if not all_there(rows):
        return {}
    options: dict[str, Any] = {"kind": "classification", "confidence": 0.95}
    options |= {"units": rows.units} if with_units else {}
    p, q = rows.said
    classes = adjudge.compare(rows.true, {"p": p, "q": q}, indices=OF_CLASSES, **options)
    scores = dict(zip("pq", rows.scores, strict=True))
    labels = {own: (x > 0.6).astype(int) for own, x in scores.items()}
    ranked = adjudge.compare(rows.positive, labels, scores=scores, indices=["roc_auc"], **options)
    found = {**classes["p", "q"].differences, **ranked["p", "q"].differences}
    truth = dict.fromkeys((*OF_CLASSES, "roc_auc"), 0.0)
    if unequal:
        first, second = truths(name, True)
        truth = {index: first[index] - second[index] for index in truth}
    asked: dict[str, Found] = {index: (found.get(index), own) for index, own in truth.items()}
    if not unequal:
        asked |= {f"told apart: {index}": p_of(found.get(index)) for index in truth}
    return asked


def all_there(rows: Rows) -> bool:
    """Whether every class occurs."""
    return np.unique(rows.true).size == 3 and np.unique(rows.positive).size == 2


def settings(with_units: bool) -> Iterator[Setting]:
    """Yield settings for single scores, and for differences of equal and of unequal models."""
    for name in laws():
        for g in UNITS:
            yield Setting("Single scores", name, g, partial(singles, name, with_units, g))
            yield Setting("Equal models", name, g, partial(differences, name, False, with_units, g))
            yield Setting("Unequal models", name, g, partial(differences, name, True, with_units, g))


if __name__ == "__main__":
    parser = arguments(__doc__, 300)
    parser.add_argument("--without-units", action="store_true", help="treat rows as independent")
    options = parser.parse_args()
    if options.without_units and options.out is None:
        options.out = RESULTS / "units_ignored.csv"
    run(settings(not options.without_units), options)
