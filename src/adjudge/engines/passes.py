"""Passes over points and over pairs of points, declared before anything runs: progress and the cost model read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from adjudge.given.point_options import PointOptions

__all__ = ["Job", "Pass", "pass_for_moments", "reads_of"]


@dataclass(frozen=True, slots=True)
class Job:
    """The properties of the input that passes depend on, known before any point is read.

    Attributes
    ----------
    n, p, k : int
        Points, variables, clusters.
    options : PointOptions
    has_centroids : bool
        Whether the points are dense and the metric is Euclidean.
    has_image : bool
        Whether distances are Euclidean ones between dense points in some space, or their squares.
    counts_apart : bool
        Whether the compiled loops must count the bins of distances that they bring into order.
    multiplies : bool
        Whether products of matrices give sums of distances, if nothing else is requested of the distances.
    squared : bool
        Whether sums of distances follow from centroids: distances are squared Euclidean, of dense or sparse rows.
    prunes : bool
        Whether trees may take the place of a pass.
    nnz : int or None
        Entries of sparse points; None for dense ones.
    """

    n: int
    p: int
    k: int
    options: PointOptions
    has_centroids: bool = True
    has_image: bool = True
    counts_apart: bool = False
    multiplies: bool = False
    squared: bool = False
    prunes: bool = True
    nnz: int | None = None

    @property
    def n_pairs(self) -> int:
        """Pairs of points."""
        return self.n * (self.n - 1) // 2

    @property
    def entries(self) -> int:
        """Stored values of a point, on average."""
        return self.p if self.nnz is None else -(-self.nnz // self.n)

    @property
    def row_bytes(self) -> int:
        """Bytes of a copy of a point; dense ones are padded to an even number of variables."""
        return 8 * (self.p + self.p % 2) if self.nnz is None else 12 * self.entries


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass, or several of one kind.

    Attributes
    ----------
    does : tuple of str
        The kinds of work done with each item read; each has a measured rate.
    over : {"points", "pairs"}
    reads : int
        Points (times centroids, if each is compared with all), or pairs of points, in each pass.
    times : int
        How many passes there are.
    memory : int
        Bytes beyond the points.
    """

    does: tuple[str, ...]
    over: Literal["points", "pairs"]
    reads: int
    times: int = 1
    memory: int = 0


def pass_for_moments(job: Job) -> Pass:
    """Return the passes for centroids and the deviations from them: several makers need them."""
    return Pass(("moments",), "points", job.n, times=2, memory=2 * job.k * job.row_bytes)


def reads_of(passes: Iterable[Pass]) -> int:
    """Return how many items are read."""
    return sum(p.reads * p.times for p in passes)
