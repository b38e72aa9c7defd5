"""Reduce several partitions of the same points to statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.threads import reduce_coded_points

__all__ = ["reduce_labellings"]


def reduce_labellings(
    X: Any,
    labellings: Mapping[int, NDArray[np.int64]],
    wanted: Iterable[type],
    *,
    n_threads: int | None = None,
) -> dict[int, dict[type, Any]]:
    """Reduce each partition of the points to the statistics that are wanted."""
    types = set(wanted)
    return {k: reduce_coded_points(X, codes, types, n_threads=n_threads) for k, codes in labellings.items()}
