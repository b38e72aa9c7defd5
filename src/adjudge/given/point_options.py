"""Options for computing from points: one frozen set, checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from adjudge.atomic import check_writable
from adjudge.errors import InputError, Option
from adjudge.given.arrays import MEMORY_LIMIT
from adjudge.given.metrics import Metric, as_metric
from adjudge.given.options import check_choice, check_count, check_flag, check_jobs, check_weight
from adjudge.progress import Progress, check_progress

Tree = Literal["densest_first", "ordered", "prim", "index"]
Engine = Literal["memory", "torch"]
Precision = Literal["float64", "float32"]
BINS = 1 << 16
MOST_BINS = 1 << 20
N_NEIGHBORS = 90
# Options that no statistic depends on, and the metric, which is said apart.
_WITHOUT_EFFECT = ("metric", "n_jobs", "progress", "checkpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class PointOptions:
    """Options for everything that is computed from points or distances.

    Attributes
    ----------
    metric : str or callable, default "euclidean"
        A name from SciPy or scikit-learn, "precomputed", "gower" for columns of any kind, or a function of two points.
        Stored under the one name used here for a distance.
    memory_limit : int, default 2**30
        Bytes for ranks of distances, in addition to the points. Points that are not in memory go to a
        temporary file if they are larger than that.
    exact : bool, default False
        Raise an error instead of estimating ranks from a histogram if the distances exceed the memory limit.
    bins : int, default 2**16
        Bins of the histogram that estimates ranks if the distances exceed the memory limit, up to 2**20. More bins
        bound the error more closely.
    n_jobs : int, optional
        Number of threads; by default, and for -1, one per core. Results do not depend on it.
    progress : callable, optional
        Called as ``progress(done, total)``, in units of the points and pairs of points that the passes read.
    checkpoint : str or Path, optional
        A file for the partial result of the passes over all distances, saved every minute. After an interruption of
        any kind, the same call resumes there and gives identical results. The file is deleted at the end.
    engine : {"memory", "torch"}, default "memory"
        What computes moments and the pass over all Euclidean distances: compiled loops in threads (or on the workers
        of :func:`joblib.parallel_config`), or PyTorch. Compiled loops always count ranks.
    precision : {"float64", "float32"}, default "float64"
        Precision of matrix products, which give sums of Euclidean distances in many dimensions (silhouettes and mean
        distances), and of cosine and correlation distances if clusters are very small. "float32" takes half the time
        and memory; the relative error of a distance is then below (p + 4) 3e-6, typically 1e-6. Everything else is
        computed in double precision.
    device : str, default "cpu"
        For PyTorch: "cpu", or "cuda" for a GPU.
    n_neighbors : int, optional
        Number of nearest neighbours, for all indices that use neighbours and do not say a number in their names.
        Default: that of each index.
    dimension : float, optional
        Exponent of the core distances of DBCV. Default: the number of variables, which is unknown for
        precomputed distances.
    tree : {"densest_first", "ordered", "prim", "index"}, default "densest_first"
        The minimum spanning tree for DBCV: built as the authors' program does, with the densest points first; the one
        whose edges come first by reachability, distance and positions; the one that the authors' program builds from
        the points in their order; or that of hdbscan. The last two depend on the order of the points.
    min_points : int, default 5
        Points within the core distance of DISCO, including the point itself.

    Raises
    ------
    InputError, InputTypeError
        If an option has an invalid value, or a device is given without PyTorch.

    Examples
    --------
    >>> from adjudge.given.point_options import PointOptions
    >>> PointOptions(metric="manhattan").metric
    'cityblock'
    """

    metric: Metric = "euclidean"
    memory_limit: int = MEMORY_LIMIT
    exact: bool = False
    bins: int = BINS
    n_jobs: int | None = None
    progress: Progress | None = None
    checkpoint: str | Path | None = None
    engine: Engine = "memory"
    device: str = "cpu"
    precision: Precision = "float64"
    n_neighbors: int | None = None
    dimension: float | None = None
    tree: Tree = "densest_first"
    min_points: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", as_metric(self.metric))
        check_count("memory_limit", self.memory_limit)
        check_flag("exact", self.exact)
        check_count("bins", self.bins, BINS)
        if self.bins > MOST_BINS:
            raise InputError(Option("bins", self.bins), f": at most {MOST_BINS} are counted")
        check_jobs(self.n_jobs)
        check_progress(self.progress)
        if self.checkpoint is not None:
            check_writable(self.checkpoint)
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors)
        if self.dimension is not None:
            check_weight("dimension", self.dimension)
        check_choice("tree", self.tree, get_args(Tree))
        check_count("min_points", self.min_points)
        check_choice("engine", self.engine, get_args(Engine))
        check_choice("precision", self.precision, get_args(Precision))
        if self.engine != "torch" and self.device != "cpu":
            raise InputError(
                Option("device", self.device),
                " needs ",
                Option("engine", "torch"),
                ": ",
                Option("engine", self.engine),
                " computes on the CPU",
            )

    @classmethod
    def of(cls, **given: Any) -> PointOptions:
        """Check options; if the only one is a metric's name, check each name just once."""
        if given.keys() == {"metric"} and isinstance(given["metric"], str):
            return _of_metric(given["metric"])
        return cls(**given)

    @classmethod
    @cache
    def names(cls) -> tuple[str, ...]:
        """Names of all options."""
        return tuple(field.name for field in fields(cls))

    @property
    def neighbours_to_find(self) -> int:
        """Number of nearest neighbours to find: by default, as many as any index uses."""
        return N_NEIGHBORS if self.n_neighbors is None else self.n_neighbors

    def for_neighbours(self, read: int | None) -> PointOptions:
        """Find as many neighbours as are read; None if that is unknown."""
        return self if read is None else replace(self, n_neighbors=read)

    def facts(self) -> dict[str, Any]:
        """Return the options that results depend on, besides the points and the metric."""
        return {name: getattr(self, name) for name in self.names() if name not in _WITHOUT_EFFECT}


@lru_cache(maxsize=64)
def _of_metric(metric: str) -> PointOptions:
    return PointOptions(metric=metric)
