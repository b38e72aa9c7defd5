"""Coverage of intervals of numbers, one for each row, and of predicted numbers; level of the tests of differences.

    python studies/numbers_of_rows.py [--replicates 300] [--out CSV]

The laws differ from those on which the rules were set (normal, lognormal, exponential, uniform, Student's t with 3
degrees, independent rows): shares with many zeros and ones, whole milliseconds, a few very slow rows, two kinds of
rows, rows in units, importance weights. Both models of a difference have the same law, and are correlated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run

NUMBERS = (25, 100, 400, 2000)
OF_VALUES = ("mean", "median", "quantile")
OF_ERRORS = ("mean_absolute_error", "root_mean_squared_error", "r2", "median_absolute_error", "quantile_loss")
LAWS = (
    "shares with zeros and ones",
    "whole milliseconds",
    "one in fifty is slow",
    "two kinds of rows",
    "units of five rows",
    "unequal units",
    "importance weights",
)
#: Rows from which the true values are computed.
MANY = 1_000_000


def drawn(law: str, n: int, rng: Generator) -> tuple[dict[str, Any], list[Any], Any]:
    """Draw the numbers of two models of the same law, and a positive number of each row; also units or weights."""
    shared, apart = rng.normal(size=n), rng.normal(size=(2, n))
    found: dict[str, Any] = {}
    if law == "units of five rows":
        unit = np.arange(n) // 5
        shared += rng.normal(size=n // 5 + 1)[unit]
        found["units"] = unit
    elif law == "unequal units":
        sizes = rng.geometric(0.2, n)
        unit = np.repeat(np.arange(n), sizes)[:n]
        shared += rng.gamma(1, 1, n)[unit]
        found["units"] = unit
    both = [0.7 * shared + 0.7 * own for own in apart]
    if law == "shares with zeros and ones":
        both = [np.clip(0.5 + own, 0, 1) for own in both]
    elif law == "whole milliseconds":
        both = [np.round(40 * np.exp(0.4 * own)) for own in both]
    elif law == "one in fifty is slow":
        slow = rng.random(n) < 0.02
        both = [np.exp(0.2 * own) + 20 * slow * rng.random(n) for own in both]
    elif law == "two kinds of rows":
        kind = rng.random(n) < 0.3
        both = [own + 4 * kind for own in both]
    elif law == "importance weights":
        weight = rng.gamma(2, 0.5, n)
        found |= {"sample_weight": weight * np.exp(0.3 * shared), "weights": "importance"}
    return found, both, rng.gamma(2, 1, n)


def sample(law: str, n: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge a sample: one model, and the difference of two."""
    design, (one, other), size = drawn(law, n, rng)
    asked: dict[str, Any] = {"confidence": 0.95, **design}
    scores = adjudge.evaluate(values=one, indices=OF_VALUES, **asked).scores
    truth = size + one
    scores |= adjudge.evaluate(truth, size, kind="regression", indices=OF_ERRORS, **asked).scores
    found: dict[str, Found] = {name: (scores[name], true) for name, true in truths.items()}
    both = adjudge.compare(values={"one": one, "other": other}, better="lower", indices=OF_VALUES, **asked)
    models = {"one": truth - one, "other": truth - other}
    errors = adjudge.compare(truth, models, kind="regression", indices=OF_ERRORS, **asked)
    for pair in (both["one", "other"], errors["one", "other"]):
        found |= {f"told apart: {name}": own.p_value for name, own in pair.differences.items()}
    return found


def settings() -> Iterator[Setting]:
    """Yield each law with each number of rows."""
    for law in LAWS:
        design, (one, _), size = drawn(law, MANY, np.random.default_rng(99))
        weight = design.get("sample_weight")
        truths = {name: adjudge.find_index(name)(one, sample_weight=weight) for name in OF_VALUES}
        for name in OF_ERRORS:
            truths[name] = adjudge.find_index(name)(size + one, size, sample_weight=weight)
        for n in NUMBERS:
            yield Setting("Numbers", law, n, partial(sample, law, n, truths))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
