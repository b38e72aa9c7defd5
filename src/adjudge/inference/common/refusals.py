"""Refusing an interval: why, and how many instances would help."""

from __future__ import annotations

import math

__all__ = [
    "NO_ESTIMATE",
    "WEIGHTED",
    "WITHOUT_ONE",
    "RefusedError",
    "round_up",
]

#: Why an undefined value has no interval.
NO_ESTIMATE = "the estimate is undefined"
#: Why scores of weighted instances have none.
WEIGHTED = "weights do not say how many instances there are"
#: Why leaving out instances may tell no error.
WITHOUT_ONE = "the index is undefined without one of the instances"


class RefusedError(Exception):
    """No interval would hold its level; the argument says why, and what would help."""


def round_up(instances: float) -> str:
    """Write a number of instances with two digits."""
    whole = math.ceil(instances)
    scale = 10 ** max(0, len(str(whole)) - 2)
    return f"{math.ceil(whole / scale) * scale:,}"
