"""Coverage of scores, and of differences of two models, that a judge's labels make more certain; and their width.

    python studies/judged_labels.py [--replicates 300] [--out CSV]

Judges are good, middling, no better than chance, and biased: one that says what the model says, one that calls too many
positive. People label 2 to 30 % of the rows, at random. Of differences, both models are equally good, a judge may
say what the first one says, and rows may come in units of four, of three classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm

import adjudge
from cells import Found, Generator, Setting, arguments, p_of, run

NAMES = ("accuracy", "recall", "f1", "cohen_kappa", "roc_auc", "brier_score")
OF_PAIRS = ("accuracy", "macro_f1", "cohen_kappa")
JUDGES = ("good", "middling", "chance", "says what the model says", "too many positive")
#: Rows that people labelled, of all.
ROWS = ((60, 3000), (200, 3000), (900, 3000), (400, 1000))
MANY = 1_000_000


def drawn(judge: str, n: int, rng: Generator) -> tuple[Any, Any, Any, Any]:
    """Draw the truth, the probabilities and labels of a model, and the labels of a judge."""
    truth = (rng.random(n) < 0.25).astype(int)
    hard = rng.random(n) < 0.2
    p = np.clip(0.3 + 0.4 * truth * ~hard + 0.2 * rng.normal(size=n), 0.01, 0.99)
    said = (p > 0.5).astype(int)
    right = {"good": 0.95, "middling": 0.8, "chance": 0.5}.get(judge, 0.9)
    labels = np.where(rng.random(n) < np.where(hard, right - 0.2 * (right > 0.5), right), truth, 1 - truth)
    if judge == "says what the model says":
        labels = np.where(rng.random(n) < 0.7, said, labels)
    elif judge == "too many positive":
        labels = np.where(rng.random(n) < 0.3, 1, labels)
    return truth, p, said, labels


def sample(judge: str, n: int, n_all: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge a sample."""
    truth, p, said, labels = drawn(judge, n_all, rng)
    known = truth.astype(float)
    known[n:] = np.nan
    asked: dict[str, Any] = {"kind": "classification", "indices": NAMES, "confidence": 0.95}
    found = adjudge.evaluate(known, said, probabilities=p, judge=labels, **asked).scores
    alone = adjudge.evaluate(truth[:n], said[:n], probabilities=p[:n], **asked).scores
    return {name: (found[name], true) for name, true in truths.items()} | {
        f"people alone: {name}": (alone[name], true) for name, true in truths.items()
    }


def pair(judge: str, n: int, n_all: int, in_units: bool, rng: Generator) -> dict[str, Found]:
    """Judge the difference of two models that are equally good, by people with the judge and by people alone."""
    unit = np.arange(n_all) // (4 if in_units else 1)
    of_unit = rng.normal(size=n_all)[unit]
    truth = rng.integers(0, 3, n_all) if in_units else (rng.random(n_all) < 0.25).astype(int)
    k = int(truth.max()) + 1

    def answers(right: float, hard: Any) -> Any:
        wrong = (truth + rng.integers(1, k, n_all)) % k
        return np.where(rng.normal(size=n_all) + 0.7 * hard < norm.ppf(right), truth, wrong)

    one, other = answers(0.85, of_unit), answers(0.85, of_unit)
    labels = answers({"good": 0.95, "middling": 0.8, "chance": 1 / k}.get(judge, 0.9), of_unit)
    if judge == "says what the model says":
        labels = np.where(rng.random(n_all) < 0.7, one, labels)
    elif judge == "too many positive":
        labels = np.where(rng.random(n_all) < 0.3, 1, labels)
    known = truth.astype(float)
    known[n:] = np.nan
    asked: dict[str, Any] = {"indices": OF_PAIRS, "confidence": 0.95}
    units = {"units": unit} if in_units else {}
    models = {"one": one, "other": other}
    found = adjudge.compare(known, models, judge=labels, **asked, **units)["one", "other"].differences
    few = {name: own[:n] for name, own in {**models, **units}.items()}
    asked |= {"units": few.pop("units")} if in_units else {}
    alone = adjudge.compare(truth[:n], few, kind="classification", **asked)["one", "other"].differences
    outcome: dict[str, Found] = {f"difference: {name}": (found[name], 0.0) for name in OF_PAIRS}
    outcome |= {f"people alone, difference: {name}": (alone[name], 0.0) for name in OF_PAIRS}
    return outcome | {f"told apart: {name}": p_of(found[name]) for name in OF_PAIRS}


def settings() -> Iterator[Setting]:
    """Yield each judge with each number of rows."""
    truth, p, said, _ = drawn("good", MANY, np.random.default_rng(99))
    scores = adjudge.evaluate(truth, said, probabilities=p, kind="classification", indices=NAMES)
    truths = {name: scores[name] for name in NAMES}
    for judge in JUDGES:
        for n, n_all in ROWS:
            part = f"People and a judge, {n_all} rows"
            yield Setting(part, judge, n, partial(sample, judge, n, n_all, truths))
            for in_units in (False, True):
                law = f"two models, {judge}{', three classes in units' if in_units else ''}"
                yield Setting(part, law, n, partial(pair, judge, n, n_all, in_units))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
