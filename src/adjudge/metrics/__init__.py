"""scikit-learn's names, signatures, defaults, errors and warnings, computed by adjudge.

``from adjudge import metrics`` in place of ``from sklearn import metrics`` gives the same numbers, faster. Functions of
``sklearn.metrics`` that adjudge does not compute are scikit-learn's own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge.metrics import areas, averages, class_report, classes, cluster, curves, losses, top_k
from adjudge.metrics.areas import *  # noqa: F403
from adjudge.metrics.averages import *  # noqa: F403
from adjudge.metrics.class_report import *  # noqa: F403
from adjudge.metrics.classes import *  # noqa: F403
from adjudge.metrics.cluster import *  # noqa: F403
from adjudge.metrics.curves import *  # noqa: F403
from adjudge.metrics.losses import *  # noqa: F403
from adjudge.metrics.others import names_with_theirs, theirs
from adjudge.metrics.top_k import *  # noqa: F403

__all__ = [
    *cluster.__all__,
    *classes.__all__,
    *averages.__all__,
    *class_report.__all__,
    *curves.__all__,
    *areas.__all__,
    *top_k.__all__,
    *losses.__all__,
]


#: Names that scikit-learn does not have, by their modules.
OURS = {
    "IndexScorer": "adjudge.verbs.scoring",
    "patch_sklearn": "adjudge.metrics.patching",
    "patched_sklearn": "adjudge.metrics.patching",
    "unpatch_sklearn": "adjudge.metrics.patching",
}


if TYPE_CHECKING:
    from adjudge.metrics.patching import patch_sklearn as patch_sklearn
    from adjudge.metrics.patching import patched_sklearn as patched_sklearn
    from adjudge.metrics.patching import unpatch_sklearn as unpatch_sklearn
    from adjudge.verbs.scoring import IndexScorer as IndexScorer


def __getattr__(name: str) -> Any:
    if name in OURS:
        return getattr(import_module(OURS[name]), name)
    return theirs(name, "sklearn.metrics")


def __dir__() -> list[str]:
    return names_with_theirs([*globals(), *OURS], "sklearn.metrics")
