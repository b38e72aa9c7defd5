"""What a study of coverage is made of: rows, each with a law that replicates are drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: What one replicate finds, by column: whether the interval holds the truth (or the test rejects); None without one.
Found = dict[str, "bool | None"]


@dataclass(frozen=True)
class Row:
    """One law and size: a row of a study's table, and what draws a replicate of it."""

    study: str
    labels: tuple[str, str]
    draw: Callable[[np.random.Generator], Found]


def holds(interval, truth):
    """Whether an interval holds the truth, but for rounding; None if it is undefined."""
    return None if math.isnan(interval.low) else bool(interval.low - 1e-12 <= truth <= interval.high + 1e-12)
