"""The probability that the recommended candidate shows the groups.

A logistic function of five readings, with coefficients that are not negative. `benchmarks/choose_settings.py` fits
them and writes them to `stacking.json`; docs/studies/choosing_settings.md says how good the model is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from adjudge.array_types import Floats, Ints

__all__ = ["FEWEST", "SAME", "Support", "evidence", "support"]


#: With fewer candidates, their agreement says little, and no probability is stated.
FEWEST = 5
#: Least adjusted Rand index of equivalent candidates.
SAME = 0.95


@dataclass(frozen=True)
class Support:
    """The fitted model.

    Attributes
    ----------
    criteria : tuple of str
        The criteria whose votes count; if one is missing, no probability is stated.
    coefficients : mapping of str to float
        Intercept, and one coefficient for each reading.
    least : float
        Least probability for a candidate to be recommended.
    """

    criteria: tuple[str, ...]
    coefficients: Mapping[str, float]
    least: float

    def probability(self, readings: Sequence[float]) -> float:
        """Return the probability, given the readings of :func:`evidence`."""
        intercept, *slopes = self.coefficients.values()
        total = intercept + math.fsum(s * r for s, r in zip(slopes, readings, strict=True))
        return 1.0 / (1.0 + math.exp(-total))


@cache
def support() -> Support:
    """Return the fitted model."""
    text = (files("adjudge.choosing") / "stacking.json").read_text(encoding="utf-8")
    found = json.loads(text)["settings"]
    return Support(tuple(found["criteria"]), found["coefficients"], found["least"])


def outside_largest(codes: Ints) -> float:
    """Return the share of clustered points that are not in the largest cluster; noise has negative codes."""
    sizes = np.bincount(codes[codes >= 0])
    return 1.0 - float(sizes.max() / sizes.sum()) if sizes.size else 0.0


def evidence(
    best: int, votes: Sequence[int], agreement: Floats, *, silhouette: float, dbcv: float, outside: float
) -> tuple[float, ...]:
    """Return the readings that support a candidate.

    Parameters
    ----------
    best : int
        Position of the candidate.
    votes : sequence of int
        Positions of the candidates that the criteria vote for.
    agreement : ndarray of shape (m, m)
        Adjusted Rand indices of all candidates.
    silhouette : float
        Mean silhouette of its points.
    dbcv : float
        Its DBCV; undefined counts as 0.
    outside : float
        Share of its points outside the largest cluster; above one half it makes no difference. One large cluster
        beside a few distant points looks compact and well separated, but hardly ever shows the groups.

    Returns
    -------
    tuple of float
        Mean agreement with the other candidates, share of votes for it or an equivalent one, and the other readings.
    """
    others = np.delete(agreement[best], best)
    same = [agreement[best, i] >= SAME for i in votes]
    density = 0.0 if math.isnan(dbcv) else dbcv
    return float(others.mean()), float(np.mean(same)) if same else 0.0, silhouette, density, min(outside, 0.5)
