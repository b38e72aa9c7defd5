"""How often `weak_slices` names a slice where there is none, and how often it finds one that there is.

    python studies/weak_slices.py [--replicates 300] [--out CSV]

Tables have numbers, skewed numbers, texts of few and of many values, and gaps. Without a slice, errors may still depend
on the row: on a number that is in no column, or on the unit.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import adjudge

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "studies" / "weak_slices.csv"
Generator = np.random.Generator


def table(n: int, rng: Generator) -> pd.DataFrame:
    """Draw columns that have nothing to do with errors."""
    age, plan = rng.integers(18, 90, n).astype(float), rng.choice(list("abc"), n, p=[0.7, 0.2, 0.1])
    age[rng.random(n) < 0.05] = np.nan
    return pd.DataFrame(
        {
            "age": age,
            "plan": plan,
            "spend": rng.lognormal(0, 1, n).round(2),
            "visits": rng.poisson(2, n),
            "city": rng.choice([f"city {i}" for i in range(30)], n),
        }
    )


def settings() -> Iterator[tuple[str, int, Any]]:
    """Yield laws: how errors come about, given the table."""

    def constant(frame: pd.DataFrame, rng: Generator) -> Any:
        return np.full(len(frame), 0.1), None

    def rare(frame: pd.DataFrame, rng: Generator) -> Any:
        return np.full(len(frame), 0.01), None

    def hidden(frame: pd.DataFrame, rng: Generator) -> Any:
        return rng.beta(0.5, 2, len(frame)), None

    def of_units(frame: pd.DataFrame, rng: Generator) -> Any:
        unit = np.arange(len(frame)) // 5
        return rng.beta(0.5, 2, len(frame))[unit], unit

    def young(frame: pd.DataFrame, rng: Generator) -> Any:
        return np.where((frame["age"] < 30) & (frame["plan"] == "a"), 0.25, 0.1), None

    def city(frame: pd.DataFrame, rng: Generator) -> Any:
        return np.where(frame["city"].isin(["city 3"]), 0.3, 0.1), None

    for law in (constant, rare, hidden, of_units, young, city):
        for n in (1_000, 5_000, 20_000):
            yield law.__name__, n, law


def main() -> None:
    """Draw samples of each law, and write how often a slice is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--out", default=RESULTS)
    asked = parser.parse_args()
    rows = []
    for name, n, law in settings():
        named = pairs = 0
        for seed in range(asked.replicates):
            rng = np.random.default_rng([seed, n])
            frame = table(n, rng)
            chance, unit = law(frame, rng)
            if name == "of_units":  # columns of a unit are alike
                frame = frame.iloc[unit].reset_index(drop=True)
            truth = rng.integers(0, 2, n)
            said = np.where(rng.random(n) < chance, 1 - truth, truth)
            found = adjudge.weak_slices(truth, said, frame, units=unit, random_state=seed)
            named += bool(found.slices)
            two = adjudge.weak_slices(
                truth,
                {"old": np.where(rng.random(n) < 0.1, 1 - truth, truth), "new": said},
                frame,
                units=unit,
            )
            pairs += bool(two.slices)
        rows.append((name, n, asked.replicates, named, pairs))
        sys.stderr.write(f"{rows[-1]}\n")
    with open(asked.out, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("law", "n", "drawn", "named", "named of two models"), *rows])


if __name__ == "__main__":
    main()
