"""The names of ``sklearn.metrics.cluster``."""

from __future__ import annotations

from typing import Any

from adjudge.metrics.others import names_with_theirs, theirs
from adjudge.metrics.partitions import *  # noqa: F403
from adjudge.metrics.partitions import __all__ as _of_partitions
from adjudge.metrics.points import *  # noqa: F403
from adjudge.metrics.points import __all__ as _of_points

__all__ = [*_of_partitions, *_of_points]


def __getattr__(name: str) -> Any:
    return theirs(name, "sklearn.metrics.cluster")


def __dir__() -> list[str]:
    return names_with_theirs(globals(), "sklearn.metrics.cluster")
