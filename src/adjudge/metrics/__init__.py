"""scikit-learn's names, signatures, defaults, errors and warnings, computed by adjudge.

``from adjudge import metrics`` in place of ``from sklearn import metrics`` gives the same numbers, faster. Functions of
``sklearn.metrics`` that adjudge does not compute are scikit-learn's own.
"""

from __future__ import annotations

from typing import Any

from adjudge.metrics.cluster import *  # noqa: F403
from adjudge.metrics.cluster import __all__ as _of_clusterings

__all__ = [*_of_clusterings]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'adjudge.metrics' has no attribute {name!r}")
    from sklearn import metrics

    return getattr(metrics, name)
