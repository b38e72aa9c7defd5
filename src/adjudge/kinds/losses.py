"""How bad a model is row by row, or how much worse than another one, whatever its kind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.options import check_choice
from adjudge.kinds.given import Given
from adjudge.kinds.registry import KINDS
from adjudge.kinds.sample import Sample
from adjudge.statistics.agreement import OF_NUMBERS

__all__ = ["losses_of"]


def losses_of(kind: str | None, given: Given) -> tuple[Sample, NDArray[np.float64], tuple[float, float], str]:
    """Return the loss of each row, or by how much that of the second model is higher.

    Parameters
    ----------
    kind : {"classification", "regression"} or None
        Default: "classification".
    given : Given
        The truth, and one model or two.

    Returns
    -------
    Sample
    ndarray of float64 of shape (n,)
    (float, float)
        The smallest and the largest possible loss.
    str
        What its mean is, in words.
    """
    if kind is not None:
        check_choice("kind", kind, ("classification", "regression"))
    cases = KINDS[kind or "classification"].read(given)
    first: Any = next(iter(cases.values()))
    rows = first.pairs(cases).rows
    if kind in OF_NUMBERS:
        each, most, words = rows.losses, math.inf, "mean absolute error"
    else:
        each, most, words = (
            {name: (~own).astype(np.float64) for name, own in rows.right.items()},
            1.0,
            "share wrong",
        )
    if len(cases) == 1:
        return first.sample, each[next(iter(cases))], (0.0, most), words
    old, new = cases
    return first.sample, each[new] - each[old], (-most, most), f"{words}, {new} less {old}"
