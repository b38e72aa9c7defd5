"""Level and power of `gate`: for equally good models, for models worse by exactly the margin, and as planned.

    python studies/gate.py [--replicates 1000] [--out CSV] [--only PART]

Rows are independent, or belong to units within which correctness is correlated. A rate is the share of the samples
with that verdict: "passes" for models at the margin should be at most 0.05, and so should "fails" for equal models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run

Array = np.ndarray[Any, np.dtype[Any]]
#: Share of rows on which only the old model is right (or only the new one), if both are equally good.
ALONE = 0.05
RIGHT = 0.85
SHARES = (0.7, 0.3)
#: The probability that models give their answers; and how much more a wrong answer costs in log loss.
SURE = 0.8
COST = float(np.log(SURE / (1 - SURE)))
#: Numbers of units, the largest number of rows in one, and the correlation within it.
DESIGNS = {
    "independent rows": ((100, 400, 2000), 1, 0.0),
    "1 to 20 rows, correlation 0.1": ((15, 30, 60, 200), 20, 0.1),
    "1 to 20 rows, correlation 0.5": ((15, 30, 60, 200), 20, 0.5),
}
MARGINS: dict[str, float | str] = {"accuracy": 0.03, "balanced_accuracy": 0.03, "log_loss": 0.03 * COST}


def drawn(rng: Generator, g: int, most: int, alike: float, worse: float) -> dict[str, Any]:
    """Draw rows of units: both models are right, one, or none, with the probabilities of the unit."""
    sizes = rng.integers(1, most + 1, g)
    units = np.repeat(np.arange(g), sizes)
    shares = np.array([RIGHT, ALONE + worse / 2, ALONE - worse / 2, 1 - RIGHT - 2 * ALONE])
    if alike:
        of_unit = rng.dirichlet(shares * (1 / alike - 1), g)[units]
        cells = (rng.random(units.size)[:, None] > np.cumsum(of_unit, axis=1)[:, :3]).sum(axis=1)
    else:
        cells = rng.choice(4, units.size, p=shares)
    truth = (rng.random(units.size) < SHARES[1]).astype(int)
    right = np.isin(cells, [0, 1]), np.isin(cells, [0, 2])
    said = [np.where(own, truth, 1 - truth) for own in right]
    return {
        "labels_true": truth,
        "old": said[0],
        "new": said[1],
        "probabilities": {
            name: np.where(own == 1, SURE, 1 - SURE) for name, own in zip(("old", "new"), said, strict=True)
        },
        "units": units if most > 1 else None,
        "kind": "classification",
    }


def share(happens: bool) -> float:
    """Return a p-value that counts an event as a rejection."""
    return 0.0 if happens else 1.0


def each_check(g: int, most: int, alike: float, worse: float, rng: Generator) -> Mapping[str, Found]:
    found = adjudge.gate(**drawn(rng, g, most, alike, worse), margin=MARGINS)
    said = {}
    for check in found.tested:
        undecided = check.change is None
        said[f"{check.name} passes"] = float("nan") if undecided else share(check.status == "pass")
        said[f"{check.name} fails"] = float("nan") if undecided else share(check.status == "fail")
    return said | {
        "all three pass": share(found.passed),
        "one of three fails": share(found.verdict == "fail"),
    }


def in_groups(g: int, worse_in: float, worse: float, rng: Generator) -> Mapping[str, Found]:
    """Judge four groups; the new model is worse in the first."""
    parts = [drawn(rng, g, 1, 0.0, worse_in if i == 0 else worse) for i in range(4)]
    whole = {name: np.concatenate([own[name] for own in parts]) for name in ("labels_true", "old", "new")}
    found = adjudge.gate(
        **whole,
        groups=np.repeat(["a", "b", "c", "d"], g),
        kind="classification",
        margin={"accuracy": 0.03, "balanced_accuracy": 0.03},
    )
    return {"all ten pass": share(found.passed), "one of ten fails": share(found.verdict == "fail")}


def planned(disagreement: float, margin: float, rows: int, icc: float, rng: Generator) -> Mapping[str, Found]:
    """Draw as many units as a plan asks for, and count passes."""
    plan = adjudge.plan_gate(margin=margin, disagreement=disagreement, rows_per_unit=rows, icc=icc)
    g = plan.units_needed or 0
    units = np.repeat(np.arange(g), rows)
    # The rows of a unit share their net gain.
    half = disagreement / 2
    shares = np.array([half, half, 1 - disagreement])
    of_unit = (
        rng.dirichlet(shares * (1 / icc - 1), g)[units] if icc else np.broadcast_to(shares, (g * rows, 3))
    )
    cells = (rng.random(units.size)[:, None] > np.cumsum(of_unit, axis=1)[:, :2]).sum(axis=1)
    old, new = np.where(cells == 1, 1, 0), np.where(cells == 0, 1, 0)
    truth = np.zeros(units.size, int)
    found = adjudge.gate(
        truth, old, new, kind="classification", margin={"accuracy": margin}, units=units if rows > 1 else None
    )
    return {"passes (0.80 planned)": share(found.passed)}


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for law, (sizes, most, alike) in DESIGNS.items():
        for g in sizes:
            yield Setting("At the margin", law, g, partial(each_check, g, most, alike, 0.03))
            yield Setting("Equally good", law, g, partial(each_check, g, most, alike, 0.0))
    for g in (200, 1000):
        yield Setting(
            "At the margin", "four groups, one at the margin", g, partial(in_groups, g, 0.03, 0.0), 2
        )
        yield Setting("Equally good", "four groups", g, partial(in_groups, g, 0.0, 0.0), 2)
    for disagreement, margin, rows, icc in ((0.1, 0.03, 1, 0.0), (0.3, 0.04, 1, 0.0), (0.1, 0.03, 8, 0.2)):
        law = f"{disagreement:.0%} differ, margin {margin}, {rows} rows a unit, correlation {icc}"
        yield Setting("Planned", law, rows, partial(planned, disagreement, margin, rows, icc), 2)


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 1000).parse_args())
