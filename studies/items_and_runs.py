"""Coverage of scores of items that were each judged in several runs, and the level of the tests of differences.

    python studies/items_and_runs.py [--replicates 300] [--out CSV]

The rules were set on normal and gamma items with normal runs. Here runs are alike, differ with heavy tails, or one in
three is off; items are skewed, hard or easy, or nearly all right; and items lack half of the runs at random. Both
models of a difference are equally good, and have their own runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

import adjudge
from cells import Found, Generator, Setting, arguments, p_of, run

ITEMS, RUNS = (15, 40, 200), (2, 5, 20)
OF_VALUES, OF_ANSWERS, OF_LABELS = ("mean",), ("mean", "pass_hat", "pass_at"), ("accuracy", "macro_f1")
LAWS = (
    "runs alike",
    "heavy-tailed runs",
    "one run in three is off",
    "right or wrong, runs alike",
    "right or wrong, runs differ",
    "nearly all right",
    "items lack half of the runs",
)
#: Items and runs from which the true values are computed.
MANY = 4_000, 400


def drawn(law: str, n: int, m: int, rng: Generator) -> tuple[Any, Any]:
    """Draw the numbers of two equally good models, of shape (n, m)."""
    items = rng.exponential(1, n)[:, None]
    runs = {
        "heavy-tailed runs": lambda: 0.2 * rng.standard_t(3, m),
        "one run in three is off": lambda: 0.5 * (rng.random(m) < 1 / 3),
        "right or wrong, runs differ": lambda: rng.normal(0, 0.4, m),
    }.get(law, lambda: np.zeros(m))
    noise = [0.3 * items * rng.standard_normal((n, m)) for _ in range(2)]
    if not law.startswith(("right", "nearly")):
        return tuple(items + runs() + own for own in noise)
    skill = 1.5 * rng.standard_normal(n)[:, None] + (4.0 if law == "nearly all right" else 0.5)
    return tuple((rng.random((n, m)) < expit(skill + runs())) * 1.0 for _ in range(2))


def rows(law: str, n: int, m: int, rng: Generator) -> dict[str, Any]:
    """Return the item and the run of each row, and the rows that are there."""
    there = np.ones((n, m), bool)
    if law == "items lack half of the runs":
        there = rng.random((n, m)) < 0.5
        there[np.arange(n), rng.integers(0, m, n)] = True
    item, run_of = np.nonzero(there)
    return {"there": there, "units": item, "runs": run_of}


def sample(law: str, n: int, m: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge a sample: one model, and the difference of two."""
    design = rows(law, n, m, rng)
    there = design.pop("there")
    one, other = (own[there] for own in drawn(law, n, m, rng))
    names = [name for name in truths if name not in OF_LABELS]
    asked: dict[str, Any] = {"confidence": 0.95, **design}
    scores = dict(adjudge.evaluate(values=one, indices=names, **asked).scores)
    pairs = adjudge.compare(values={"one": one, "other": other}, better="higher", indices=names, **asked)
    differences = dict(pairs["one", "other"].differences)
    if "accuracy" in truths:
        truth = design["units"] % 2
        said = {"one": one, "other": other}
        labels = {name: np.where(own == 1, truth, 1 - truth).astype(int) for name, own in said.items()}
        asked |= {"kind": "classification", "indices": OF_LABELS}
        scores |= adjudge.evaluate(truth, labels["one"], **asked).scores
        differences |= adjudge.compare(truth, labels, **asked)["one", "other"].differences
    found: dict[str, Found] = {name: (scores[name], true) for name, true in truths.items()}
    found |= {f"difference: {name}": (differences[name], 0.0) for name in truths}
    return found | {f"told apart: {name}": p_of(differences[name]) for name in truths}


def settings() -> Iterator[Setting]:
    """Yield each law with each number of items and runs."""
    for law in LAWS:
        x, _ = drawn(law, *MANY, np.random.default_rng(99))
        truths = {"mean": float(x.mean())}
        if np.isin(x, (0, 1)).all():
            right, m = x.sum(axis=1), x.shape[1]
            truths["pass_hat"] = float((right * (right - 1)).mean()) / (m * (m - 1))
            truths["pass_at"] = 2 * truths["mean"] - truths["pass_hat"]
            truths |= {"accuracy": truths["mean"], "macro_f1": truths["mean"]}
        for m in RUNS:
            for n in ITEMS:
                yield Setting(f"Items in {m} runs", law, n, partial(sample, law, n, m, truths))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
