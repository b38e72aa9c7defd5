"""The names of ``sklearn.metrics.cluster``."""

from adjudge.metrics.partitions import *  # noqa: F403
from adjudge.metrics.partitions import __all__ as _of_partitions
from adjudge.metrics.points import *  # noqa: F403
from adjudge.metrics.points import __all__ as _of_points

__all__ = [*_of_partitions, *_of_points]
