"""Coverage of scores where classes have other shares than in the sample (`prevalence=`).

    python studies/other_shares.py [--replicates 300] [--out CSV]

The rule was set on two classes drawn apart, 300 : 300 to 50 : 500. Here classes are rarer or more frequent, their
sizes are drawn or fixed, there are four of them, forecasts have heavy tails, a model is nearly perfect, and rows come
in units of unequal size, of one class each or of several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run

NUMBERS = (60, 200, 1000)
OF_TWO = (
    "accuracy", "precision", "f1", "cohen_kappa", "matthews_correlation", "average_precision", "log_loss",
    "brier_score",
)  # fmt: skip
OF_FOUR = ("accuracy", "balanced_accuracy", "macro_f1", "cohen_kappa", "log_loss")
LAWS = (
    "rare, sizes fixed",
    "frequent, sizes drawn",
    "heavy tails",
    "nearly perfect",
    "units of one class",
    "units of several classes",
    "four classes",
)
#: Rows from which the true values are computed.
MANY = 1_000_000


def shares(law: str) -> tuple[list[float], list[float]]:
    """Return the shares of the classes in a sample, and where the model will be used."""
    if law == "four classes":
        return [0.4, 0.3, 0.2, 0.1], [0.1, 0.1, 0.2, 0.6]
    used = {"rare, sizes fixed": 0.02, "nearly perfect": 0.05, "frequent, sizes drawn": 0.7}.get(law, 0.1)
    here = 0.2 if law == "frequent, sizes drawn" else 0.5
    return [1 - here, here], [1 - used, used]


def drawn(law: str, n: int, here: list[float], rng: Generator) -> tuple[Any, Any, dict[str, Any]]:
    """Draw the truth, the probabilities of the classes, and the units."""
    k, unit, design = len(here), np.arange(n), {}
    if law.startswith("units"):
        unit = np.repeat(np.arange(n), rng.geometric(0.25, n))[:n]
        design = {"units": unit}
    truth = rng.choice(k, n, p=here)
    if law == "units of one class":
        truth = truth[unit]
    elif "fixed" in law or "perfect" in law:
        truth = rng.permutation(np.repeat(np.arange(k), np.round(np.array(here) * n).astype(int))[:n])
    noise = rng.standard_t(2, (n, k)) if law == "heavy tails" else rng.normal(size=(n, k))
    if law.startswith("units"):
        noise = 0.7 * noise + 0.7 * rng.normal(size=(n, k))[unit]
    far = 5.0 if law == "nearly perfect" else 1.8
    signal = far * (np.arange(k) == truth[:, None]) + noise
    p = np.exp(signal - signal.max(axis=1, keepdims=True))
    return truth, p / p.sum(axis=1, keepdims=True), design


def judged(law: str, truth: Any, p: Any, names: Any, **more: Any) -> Any:
    """Judge forecasts; of two classes by those of the second."""
    return adjudge.evaluate(
        truth,
        probabilities=p if p.shape[1] > 2 else p[:, 1],
        kind="classification",
        indices=names,
        positive=None if p.shape[1] > 2 else 1,
        **more,
    )


def sample(law: str, n: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge a sample at the other shares."""
    here, there = shares(law)
    truth, p, design = drawn(law, n, here, rng)
    if np.unique(truth).size < len(here):
        return dict.fromkeys(truths, None)
    used = dict(enumerate(there))
    found = judged(law, truth, p, [*truths], confidence=0.95, prevalence=used, **design).scores
    return {name: (found[name], true) for name, true in truths.items()}


def settings() -> Iterator[Setting]:
    """Yield each law with each number of rows."""
    for law in LAWS:
        names = OF_FOUR if law == "four classes" else OF_TWO
        truth, p, _ = drawn(law, MANY, shares(law)[1], np.random.default_rng(99))
        scores = judged(law, truth, p, names)
        truths = {name: scores[name] for name in names}
        for n in NUMBERS:
            yield Setting("Other shares of classes", law, n, partial(sample, law, n, truths))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
