"""Results for other programs: plain JSON, finite numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np


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


# A parameter that is a matrix: (costs=[[0, 1], [20, 0]]).
_MATRIX = re.compile(r"\(\w+=\[\[[^\]]*\](?:, \[[^\]]*\])*\]\)")


def finite(metrics: Mapping[str, float]) -> dict[str, float]:
    """Keep what experiment trackers accept: finite values, under names of letters, digits and ``_-./ :``.

    Other signs in the names of models, classes and groups become ``_``. Names that become equal are numbered.

    Examples
    --------
    >>> finite({"m@1/f1[<50K]": 0.5, "m(1/f1[>50K]": 0.25, "loss": math.inf})
    {'m_1/f1__50K_': 0.5, 'm_1/f1__50K_ 2': 0.25}
    """
    found: dict[str, float] = {}
    for name, value in metrics.items():
        if math.isfinite(value):
            plain = own = _tracked(name)
            number = 1
            while own in found:
                number += 1
                own = f"{plain} {number}"
            found[own] = float(value)
    return found


def _tracked(name: str) -> str:
    """Return a name that trackers take, which see paths in names: no part is empty or refers to another folder."""
    name = _MATRIX.sub(lambda found: "_" + "_".join(re.findall(r"[\w.\-]+", found[0])), name)
    parts = re.sub(r"[^\w./\- :]", "_", name).split("/")
    return "/".join(part if part.strip(" .") else part.replace(".", "_") or "_" for part in parts)
