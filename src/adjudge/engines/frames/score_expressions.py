"""Expressions that the engine of a table evaluates for each row before it aggregates scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.given.row_sums import BEYOND
from adjudge.statistics.binned_scores import BINS

__all__ = [
    "bin_of_probability",
    "bin_of_score",
    "is_no_score",
    "of_probability",
    "one_if",
    "probability",
    "sums_of_probability",
]

_LARGEST = float(np.finfo(np.float64).max)


def probability(column: str) -> Any:
    """Return a column of probabilities, of which rounding may have put some beyond 0 or 1 by a few last digits."""
    import narwhals as nw

    x = nw.col(column).cast(nw.Float64)
    found = nw.when((x < 0.0) & (x >= -BEYOND)).then(nw.lit(0.0)).otherwise(x)
    return nw.when((x > 1.0) & (x <= 1.0 + BEYOND)).then(nw.lit(1.0)).otherwise(found)


def bin_of_probability(x: Any) -> Any:
    """Return the bin (i / BINS, (i + 1) / BINS] of a probability, 0 in the first, as for any coarser bins."""
    import narwhals as nw

    scaled = x * float(BINS)
    below = scaled - scaled % 1.0
    found = (
        nw.when(x <= below / float(BINS))
        .then(below - 1.0)
        .otherwise(nw.when(x <= (below + 1.0) / float(BINS)).then(below).otherwise(below + 1.0))
    )
    return nw.when(found < 0.0).then(nw.lit(0.0)).otherwise(found)


def bin_of_score(x: Any, low: float, high: float) -> Any:
    """Return the bin of a score between two ends; it never falls as the score rises."""
    import narwhals as nw

    width = high / BINS - low / BINS
    if not width > 0:
        return x * 0.0
    scaled = (x - low) / width if np.isfinite(high - low) else x / width - low / width
    below = scaled - scaled % 1.0
    return nw.when(below > float(BINS)).then(nw.lit(float(BINS))).otherwise(below)


def _loss(x: Any) -> Any:
    """Return the negative logarithm of a probability; 0 instead of infinity, which is counted separately."""
    import narwhals as nw

    return nw.lit(0.0) - nw.when(x > 0.0).then(x).otherwise(nw.lit(1.0)).log()


def one_if(condition: Any) -> Any:
    """Return 1 if the condition holds; 0 if it does not, or is unknown."""
    import narwhals as nw

    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def of_probability(x: Any, end: str = "") -> dict[str, Any]:
    """Return the expressions that the sums of a probability read, by name."""
    return {
        f"x{end}": x,
        f"bin{end}": bin_of_probability(x),
        f"log{end}": _loss(x),
        f"zero{end}": one_if(x <= 0.0),
        f"square{end}": x * x,
        f"off{end}": (1.0 - x) * (1.0 - x),
        f"bad{end}": 1 - one_if((x >= 0.0) & (x <= 1.0)),
    }


def sums_of_probability(end: str = "") -> dict[str, tuple[str, str]]:
    """Return the sums of these expressions, and the extremes, as aggregates."""
    sums = {f"{name}{end}": ("sum", f"{name}{end}") for name in ("x", "log", "zero", "square", "off", "bad")}
    return {**sums, f"least{end}": ("min", f"x{end}"), f"greatest{end}": ("max", f"x{end}")}


def is_no_score(x: Any) -> Any:
    """Return 1 for a missing or infinite score, else 0."""
    return 1 - one_if((x >= -_LARGEST) & (x <= _LARGEST))
