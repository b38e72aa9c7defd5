"""Coverage of scores that a judge's labels make more certain, and their width beside that by people alone.

    python studies/judged_labels.py [--replicates 300] [--out CSV]

Judges are good, middling, no better than chance, and biased: one that says what the model says, one that calls too many
positive. People label 2 to 30 % of the rows, at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run

NAMES = ("accuracy", "recall", "f1", "cohen_kappa", "roc_auc", "brier_score")
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


def settings() -> Iterator[Setting]:
    """Yield each judge with each number of rows."""
    truth, p, said, _ = drawn("good", MANY, np.random.default_rng(99))
    scores = adjudge.evaluate(truth, said, probabilities=p, kind="classification", indices=NAMES)
    truths = {name: scores[name] for name in NAMES}
    for judge in JUDGES:
        for n, n_all in ROWS:
            yield Setting(
                f"People and a judge, {n_all} rows", judge, n, partial(sample, judge, n, n_all, truths)
            )


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
