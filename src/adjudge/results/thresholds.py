"""The best threshold of a classifier's scores, by a measure or by what mistakes cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice
from adjudge.indices.class_measures import MEASURES
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.plain import plain_json
from adjudge.results.curves import ThresholdCurve

#: Measures for which higher is better.
_BY = tuple(name for name in MEASURES if not name.endswith(("_rate", "prevalence")) and "ratio" not in name)
#: Other names of measures.
_NAMES = {"youden": "informedness", "j": "informedness"}
# Values that differ by no more than floating-point error are equal.
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class BestThreshold(ByValue):
    """The thresholds at which a measure is best, or mistakes cost least.

    A threshold looks better than it is on the data that chose it: judge it on instances without part in the choice.

    Attributes
    ----------
    by : str
        The measure, or "cost".
    value : float
        The best value; for costs, the mean over all instances. nan if it is undefined.
    thresholds : ndarray of float64
        All thresholds that reach it, the highest first; instances with at least that score are assigned to the class.
        Infinity stands for no instance at all.
    counts : dict of str to number
        `tp`, `fp`, `fn` and `tn` at the first of them.
    reason : str or None
        Why there is none.
    """

    by: str
    value: float
    thresholds: Floats
    counts: dict[str, int | float]
    reason: str | None = None

    @property
    def threshold(self) -> float:
        """The highest of the best thresholds; nan if there is none."""
        return float(self.thresholds[0]) if self.thresholds.size else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        names = ("by", "value", "threshold", "thresholds", "counts", "reason")
        return {name: plain_json(getattr(self, name)) for name in names}


def best_threshold(curve: ThresholdCurve, by: str = "f1", *, costs: Any = None) -> BestThreshold:
    """Find the thresholds at which a measure is best, or mistakes cost least.

    Parameters
    ----------
    curve : ThresholdCurve
    by : str, default "f1"
        A measure by class, such as "f1" or "informedness" (Youden's index, "youden").
    costs : (float, float), optional
        Costs of a false positive and of a false negative, in place of a measure; or ``[[0, fp], [fn, 0]]``.

    Returns
    -------
    BestThreshold

    References
    ----------
    Youden (1950); Elkan (2001), The foundations of cost-sensitive learning.

    Examples
    --------
    >>> from adjudge.results import ThresholdCurve
    >>> from adjudge.results.thresholds import best_threshold
    >>> curve = ThresholdCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> best_threshold(curve).threshold, best_threshold(curve, costs=(5, 1)).threshold
    (0.35, 0.8)
    """
    if costs is None:
        name = _NAMES.get(by, by)
        check_choice("by", name, _BY)
        values = curve.measure(name)
        if not curve.ranked.n_positive or np.isnan(values).all():
            reason = "the truth has no instance of the class, or no other"
            return BestThreshold(name, math.nan, np.empty(0), {}, reason)
        return _where_largest(curve, name, values, 1)
    of_fp, of_fn = _two_costs(costs)
    paid = of_fp * curve.counts.fp + of_fn * curve.counts.fn
    return _where_largest(curve, "cost", paid / curve.ranked.n, -1)


def _two_costs(costs: Any) -> tuple[float, float]:
    """Return the costs of a false positive and of a false negative, also from a matrix without other costs."""
    try:
        given = np.asarray(costs, np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    found = given[[0, 1], [1, 0]] if given.shape == (2, 2) and not given.diagonal().any() else given
    if found.shape != (2,) or not (np.isfinite(found) & (found >= 0)).all() or not found.any():
        what = "two numbers of at least 0, of a false positive and a false negative"
        if isinstance(costs, (list, tuple)):
            raise InputError(Option("costs", costs), f": give {what}")
        raise InputError(Option("costs"), f" are {what}")
    return float(found[0]), float(found[1])


def _where_largest(curve: ThresholdCurve, by: str, values: Floats, sign: int) -> BestThreshold:
    signed = sign * values
    best = float(np.nanmax(signed))
    at = np.flatnonzero(signed >= best - _EQUAL * max(1.0, abs(best)))
    counts = {name: getattr(curve.counts, name)[at[0]].item() for name in ("tp", "fp", "fn", "tn")}
    return BestThreshold(by, sign * best, curve.thresholds[at], counts)
