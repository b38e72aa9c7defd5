"""Rows of an old and a new model for tests of gates: the same each time, with or without a planted regression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

CLASSES = np.array(["stay", "churn", "move"])
COUNTRIES = np.array(["DE", "FR", "IT"])


def gate_rows(n: int = 1200, *, planted: bool = False, seed: int = 1) -> pd.DataFrame:
    """Rows whose old model is right about nine of ten; a planted regression is of churn in FR alone."""
    rng = np.random.default_rng(seed)
    truth = CLASSES[rng.integers(0, 3, n)]
    country = COUNTRIES[rng.integers(0, 3, n)]
    old = np.where(rng.random(n) < 0.9, truth, CLASSES[rng.integers(0, 3, n)])
    new = np.where(rng.random(n) < 0.02, truth, np.where(rng.random(n) < 0.01, "move", old))
    breaks = (truth == "churn") & (country == "FR") & (rng.random(n) < 0.4)
    if planted:
        new = np.where(breaks, "stay", new)
    return pd.DataFrame(
        {
            "id": np.arange(n) + 1000,
            "truth": truth,
            "v1": old,
            "v2": new,
            "country": country,
            "device": rng.choice(["a", "b"], n),
            "ward": rng.integers(0, n // 5, n),
        }
    )


def gate_probabilities(frame: pd.DataFrame, column: str, seed: int = 5) -> np.ndarray:
    """Probabilities of the classes in alphabetical order whose likeliest is the label of a column."""
    rng = np.random.default_rng(seed)
    found = rng.dirichlet([1.0, 1.0, 1.0], len(frame)) * 0.4
    found[np.arange(len(frame)), np.searchsorted(np.sort(CLASSES), frame[column])] += 0.6
    return found


def known(found: Any) -> list[tuple[Any, ...]]:
    """What a gate found, to be compared with another gate."""
    rows = []
    for check in found.tested:
        change = None if check.change is None else (check.change.low, check.change.high, check.p_fail)
        rows.append((check.claim, check.name, check.group, check.status, check.old, check.new, change))
    return rows
