"""How long a clusterer takes to fit: timed on few points, and extrapolated as a power of their number."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.choosing.estimators import as_clusterer, seeded
from adjudge.errors import InputError, Option

__all__ = ["fit_seconds", "timed_points"]


# Least number of points of the smaller timed fit, in all and for each cluster; and the ratio of the larger to it.
_FEW, _EACH, _TIMES = 500, 20, 4
# No clusterer's time is expected to grow faster than the cube of the number of points.
_STEEPEST = 3.0


def timed_points(n: int, k: int) -> tuple[int, int]:
    """Return the numbers of points of the two timed fits."""
    few = min(n, max(_FEW, _EACH * k))
    return few, min(n, _TIMES * few)


def fit_seconds(estimator: Any, n: int, p: int, k: int) -> float:
    """Predict the seconds of one fit to n points from two fits to fewer points.

    Parameters
    ----------
    estimator : str, estimator or callable
        As for `choose_k`, or as a candidate of `choose`.
    n, p, k : int
        Numbers of points, variables and clusters.
    """
    rng = np.random.default_rng(0)
    few, many = timed_points(n, k)
    centres = rng.normal(size=(k, p)) * 4
    X = centres[rng.integers(0, k, many)] + rng.normal(size=(many, p))
    # The first fit imports what the clusterer needs.
    _seconds(estimator, X[:few], k)
    short, long = _seconds(estimator, X[:few], k), _seconds(estimator, X, k)
    if many == n:
        return long
    power = min(max(math.log(long / short, many / few), 0.0), _STEEPEST)
    return float(long * (n / many) ** power)


def _seconds(estimator: Any, X: Floats, k: int) -> float:
    begun = time.perf_counter()
    if isinstance(estimator, str):
        as_clusterer(estimator, None).fit(X, [k], np.random.SeedSequence(0))
    elif hasattr(estimator, "fit_predict"):
        model = seeded(estimator, 0)
        counted = [name for name in ("n_clusters", "n_components") if name in model.get_params()]
        try:
            model.set_params(**dict.fromkeys(counted, k)).fit_predict(X)
        except (ValueError, ArithmeticError, TypeError) as error:
            raise InputError(
                Option("estimator", type(estimator).__name__), f" fails for {len(X)} points: {error}"
            ) from error
    else:
        raise InputError(
            Option("estimator", estimator), ": give a name that choose_k() knows, or a scikit-learn estimator"
        )
    return time.perf_counter() - begun
