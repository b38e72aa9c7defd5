"""The numbers that statistics hold, so that tests can ask for the same digits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np


def numbers_of(statistic: Any) -> dict[str, Any]:
    """Return the fields of a statistic; what it makes of them when asked follows from them."""
    return {field.name: getattr(statistic, field.name) for field in fields(statistic)}


def digits(found: Mapping[type, Any]) -> dict[str, Any]:
    """Return all numbers of all statistics, as bytes or Python numbers."""
    return {
        f"{t.__name__}.{name}": value.tobytes() if isinstance(value, np.ndarray) else value
        for t, statistic in found.items()
        for name, value in numbers_of(statistic).items()
    }
