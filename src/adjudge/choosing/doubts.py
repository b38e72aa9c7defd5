"""What speaks against there being clusters at all, in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from adjudge.choosing.judging import Judgement
from adjudge.indices.rules import vote_of_gap
from adjudge.statistics.sweep import Stability

__all__ = ["doubts_about"]

# Below this a partition is no more compact than that of a Gaussian or of evenly spread points is by chance.
_STRUCTURE_SCORE = 2.0
_EVENLY_SPREAD = 0.05
_STRONG = 0.8


def doubts_about(judged: Judgement, stable: Stability | None, structure: Mapping[str, float]) -> list[str]:
    """Return in words what the values of the criteria, the resampling and the null comparison say against clusters."""
    doubts = []
    # The published rule stops at 1 before it has seen several clusters in a row of which two are no better than one.
    if (
        "gap" in judged.values
        and vote_of_gap(judged.values["gap"], judged.critical["gap"], "globalSEmax") == 1
    ):
        doubts.append("there may be no clusters: the gap statistic prefers one")
    score = min(structure.get("beats_gaussian", np.inf), structure.get("beats_uniform", np.inf))
    if score < _STRUCTURE_SCORE:
        like = "one Gaussian" if score == structure["beats_gaussian"] else "evenly spread points"
        doubts.append(
            f"there may be no clusters: k-means parts these points hardly better than {like} of the same spread "
            f"({score:.1f} standard deviations)"
        )
    if structure["hopkins_p_value"] > _EVENLY_SPREAD:
        doubts.append(
            f"there may be no clusters: the points are spread evenly (Hopkins statistic {structure['hopkins']:.2f})"
        )
    if stable is not None and max(stable.strength.values()) < _STRONG:
        best = max(stable.strength, key=lambda k: stable.strength[k])
        doubts.append(
            f"there may be no clusters that hold: the prediction strength is under {_STRONG} for every K, "
            f"{stable.strength[best]:.2f} at best (K = {best})"
        )
    return doubts
