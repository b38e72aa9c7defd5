"""How probable it is that the recommended candidate shows the groups.

A logistic function of five readings, whose coefficients are not negative. `benchmarks/choose_settings.py` fits them
and writes them to `stacking.json`; docs/studies/choosing_settings.md says how good that is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST", "SAME", "Support", "evidence", "support"]

Floats = NDArray[np.float64]

#: With fewer candidates their agreement says little, and no probability is stated.
FEWEST = 5
#: Adjusted Rand index from which on two candidates say the same.
SAME = 0.95


@dataclass(frozen=True)
class Support:
    """The fitted model.

    Attributes
    ----------
    criteria : tuple of str
        Those whose votes count; without one of them no probability is stated.
    coefficients : mapping of str to float
        Intercept, and one coefficient for each reading.
    least : float
        With a smaller probability no candidate is recommended.
    """

    criteria: tuple[str, ...]
    coefficients: Mapping[str, float]
    least: float

    def probability(self, readings: Sequence[float]) -> float:
        """Probability from what :func:`evidence` returns."""
        intercept, *slopes = self.coefficients.values()
        total = intercept + math.fsum(s * r for s, r in zip(slopes, readings, strict=True))
        return 1.0 / (1.0 + math.exp(-total))


@cache
def support() -> Support:
    """Return the model."""
    text = (files("adjudge.choosing") / "stacking.json").read_text(encoding="utf-8")
    found = json.loads(text)["settings"]
    return Support(tuple(found["criteria"]), found["coefficients"], found["least"])


def outside_largest(codes: NDArray[np.int64]) -> float:
    """Share of the points of all clusters that are not in the largest; noise has negative codes."""
    sizes = np.bincount(codes[codes >= 0])
    return 1.0 - float(sizes.max() / sizes.sum()) if sizes.size else 0.0


def evidence(
    best: int, votes: Sequence[int], agreement: Floats, *, silhouette: float, dbcv: float, outside: float
) -> tuple[float, ...]:
    """Return what supports a candidate.

    Parameters
    ----------
    best : int
        Its position.
    votes : sequence of int
        Positions of the candidates that the criteria vote for.
    agreement : ndarray of shape (m, m)
        Adjusted Rand indices of all candidates.
    silhouette : float
        Mean silhouette of its points.
    dbcv : float
        Its DBCV; undefined counts as 0.
    outside : float
        Share of its points outside the largest cluster; from one half on it makes no difference. One large cluster
        beside a few far points looks compact and well separated, and hardly ever shows the groups.

    Returns
    -------
    tuple of float
        Mean agreement with the other candidates, share of the votes for it or one that says the same, and the others.
    """
    others = np.delete(agreement[best], best)
    same = [agreement[best, i] >= SAME for i in votes]
    density = 0.0 if math.isnan(dbcv) else dbcv
    return float(others.mean()), float(np.mean(same)) if same else 0.0, silhouette, density, min(outside, 0.5)
