"""Results for other programs: plain JSON, finite numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["finite", "plain_json"]


def plain_json(value: Any) -> Any:
    """Convert a value to plain JSON: numbers that JSON lacks become the strings "nan", "inf", "-inf"."""
    if type(value) is float:  # most values are, and results of many classes have a million
        return value if math.isfinite(value) else str(value)
    if value is None or type(value) in (str, int, bool):
        return value
    if isinstance(value, Mapping):
        return {str(k): plain_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain_json(value.tolist())
    if isinstance(value, np.generic):
        return plain_json(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def finite(metrics: Mapping[str, float]) -> dict[str, float]:
    """Keep the values that experiment trackers accept; undefined and infinite ones are left out."""
    return {name: float(value) for name, value in metrics.items() if math.isfinite(value)}
