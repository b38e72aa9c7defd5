"""Values of the criteria for single points under a candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.choosing.candidate_scores import Assessment
from adjudge.choosing.candidates import Candidate
from adjudge.statistics.pair_distances import Silhouettes
from adjudge.statistics.reachability import DensityTrees

__all__ = ["values_of_points"]


_BY_CRITERION: Mapping[str, tuple[type, Callable[[Any], Floats]]] = {
    "silhouette": (Silhouettes, lambda found: found.values),
    "dbcv": (DensityTrees, lambda found: found.of_points),
}


def values_of_points(candidate: Candidate, assessed: Assessment, noise: str) -> dict[str, Floats]:
    """Return the values of each point by criterion, where statistics are available; nan for points not read.

    There are none if each noise point is a cluster: values of single-point clusters say nothing.

    Parameters
    ----------
    candidate : Candidate
    assessed : Assessment
        With the statistics of the points that were judged.
    noise : {"drop", "singletons", "cluster"}
    """
    statistics = assessed.statistics[candidate.name]
    if statistics is None or noise == "singletons":
        return {}
    kept = np.zeros(candidate.codes.size, np.bool_)
    kept[slice(None) if assessed.places is None else assessed.places] = True
    if noise == "drop":
        kept &= candidate.codes >= 0
    found = {}
    for criterion, (type_, read) in _BY_CRITERION.items():
        if type_ in statistics:
            values = np.full(kept.size, np.nan)
            values[kept] = read(statistics[type_])
            if not np.isnan(values).all():
                found[criterion] = values
    return found
