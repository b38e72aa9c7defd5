"""Maker of the statistics of distances: the passes that they need, and what each gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.block_distances import BlockDistances, remembered
from adjudge.engines.pairs.distances import DistanceSource, Sweepable
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.nearest import is_faster, nearest_and_farthest
from adjudge.engines.pairs.pair_pass import PairPass, run_pairs
from adjudge.engines.pairs.ranks import RankCounts, ranks_from_histogram, ranks_in_order, ranks_of_several
from adjudge.engines.pairs.squared_sums import MADE as SQUARED_SUMS
from adjudge.engines.pairs.squared_sums import declare_squared_sums, is_cheaper, make_squared_sums
from adjudge.engines.pairs.tail_sums import tail_sums
from adjudge.engines.passes import Job, Pass, pass_for_moments
from adjudge.engines.protocols import Work
from adjudge.errors import InputError, Option
from adjudge.given.point_options import BINS
from adjudge.parallel import n_cores
from adjudge.statistics.pair_distances import (
    MATRIX_CLUSTERS,
    CompleteLinkage,
    Diameters,
    DistanceTies,
    PairRanks,
    PairSums,
    Silhouettes,
    TailSums,
    gathered,
)

__all__ = ["declare", "make", "rank_several"]

Ints = NDArray[np.int64]

# Bytes filled by a thread's meeting.
_TASK_MEMORY = 1 << 24
# Measured: with fewer, too many pairs are the closest or farthest of two clusters within their block.
_POINTS_A_CLUSTER = 32
# Points that are alone in their clusters are met as one cluster if they are more than this fraction of all.
_MANY_SINGLE = 1 / 32
_RANKS = frozenset({"ranks", "ties"})
# Distances that are sorted without counting them in bins first, which would take longer than it saves.
_FEW_DISTANCES = 1 << 20
# Distances for each bin of many, unless the number of bins is given.
_IN_BIN = 1 << 10
# Distances that are held in order at once if they take no longer to compute than to sort: a quarter of a gigabyte.
_HELD, _FEW_DIMENSIONS = 1 << 25, 16
# Distances that may be brought into order even if hardly any memory is allowed.
_LEAST_IN_ORDER = 1 << 10


def declare(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make the statistics; see `Maker`."""
    wants = gathered(types)
    if job.prunes and is_faster(types, job.n, job.p):
        yield Pass(("trees",), "points", job.n, memory=job.n * 8 * (job.p + 1))
        return
    if _sums_apart(types, job):
        yield from declare_squared_sums(types & SQUARED_SUMS, job)
        types = types - SQUARED_SUMS
        if not types:
            return
        wants = gathered(types)
    swept = ("products",) if _is_multiplied(wants, job) else _words(wants)
    # Tiles, order, and what the running meetings fill.
    memory = job.n * (job.row_bytes + 8 + 16 * ("sums of points" in wants)) + n_cores() * _TASK_MEMORY
    if not wants & (_RANKS | {"tails"}):
        yield Pass(swept, "pairs", job.n_pairs, memory=memory)
    else:
        yield from _declare_ranked(wants, swept, job, memory)


def _declare_ranked(wants: frozenset[str], swept: tuple[str, ...], job: Job, memory: int) -> Iterator[Pass]:
    """Yield the passes for distances that are brought into order, or counted in bins."""
    check_exact(wants, job)
    ordered = _are_ordered(wants, job)
    memory += 8 * min(job.n_pairs, _most_held(job)) if ordered else job.options.memory_limit
    swept = swept or ("sums",)
    if ordered and _are_few(job):
        if _is_swept(wants):
            yield Pass(swept, "pairs", job.n_pairs)
        yield Pass(("sorted",), "pairs", job.n_pairs, memory=memory)
        return
    if job.has_centroids and not _counts_apart(wants, job):
        # Centroids give a bound on the distances.
        yield pass_for_moments(job)
        yield Pass((*swept, "binned"), "pairs", job.n_pairs, memory=memory)
    else:
        if job.has_centroids:
            yield pass_for_moments(job)
        else:  # the largest distance is known only after a pass
            swept = _words(wants | {"extremes"})
        yield Pass(swept, "pairs", job.n_pairs, memory=memory)
        yield Pass(("sums", "binned"), "pairs", job.n_pairs)
    if ordered:
        yield Pass(("sorted",), "pairs", job.n_pairs)
    elif "tails" in wants and 0 < job.k - 1 < job.n - 1:
        yield Pass(("tails",), "pairs", job.n_pairs)


def _words(wants: frozenset[str]) -> tuple[str, ...]:
    """Return what a sweep does, named like its rate."""
    if "minima of points" in wants:
        return ("hausdorff",)
    if "sums" in wants:
        return ("sums and extremes",) if "extremes" in wants else ("sums",)
    return ("extremes",) if "extremes" in wants else ()


def _is_multiplied(wants: frozenset[str], job: Job) -> bool:
    """Return whether matrix products give, or find, everything that is requested."""
    if "extremes" in wants and job.n < _POINTS_A_CLUSTER * job.k:
        return False
    return job.multiplies and wants <= {"sums", "sums of pairs", "sums of points", "extremes"}


def _sums_apart(types: set[type], job: Job) -> bool:
    """Return whether sums come from centroids; if all distances are ranked, their sums cost nothing extra."""
    return bool(types & SQUARED_SUMS) and is_cheaper(job) and not gathered(types) & (_RANKS | {"tails"})


def _is_swept(wants: frozenset[str]) -> bool:
    """Return whether a pass is needed besides one that collects distances."""
    return bool(wants & {"sums", "extremes", "tails"})


def _most_in_order(job: Job) -> int:
    """Return how many distances may be brought into order in memory."""
    return max(job.options.memory_limit * 3 // 4 // 8, _LEAST_IN_ORDER)


def _most_held(job: Job) -> int:
    """Return how many distances are in order at once; those that are soon computed again take several passes."""
    return _HELD if job.has_centroids and job.p <= _FEW_DIMENSIONS else job.n_pairs


def _are_ordered(wants: frozenset[str], job: Job) -> bool:
    """Return whether all distances are brought into order, which gives their ranks and the sums of the tails."""
    return bool(wants & _RANKS) and job.n_pairs <= _most_in_order(job)


def _are_few(job: Job) -> bool:
    return job.n_pairs <= _FEW_DISTANCES


def _counts_apart(wants: frozenset[str], job: Job) -> bool:
    """Return whether counting takes a separate pass, because counts must match what is brought into order exactly."""
    return job.counts_apart and _are_ordered(wants, job)


def check_exact(wants: frozenset[str], job: Job) -> None:
    """Raise if ranks have to be exact, and the distances do not fit in memory."""
    if job.options.exact and wants & _RANKS and not _are_ordered(wants, job):
        raise InputError(
            Option("exact", True),
            f" needs room for {job.n_pairs:,} distances: give ",
            Option("memory_limit", -(-job.n_pairs * 8 * 4 // 3)),
            ", or leave it out for an estimate with a bound",
        )


def make(types: set[type], work: Work) -> dict[type, Any]:
    """Make the statistics; see `Maker`."""
    job = work.job
    if job.prunes and is_faster(types, job.n, job.p):
        found = nearest_and_farthest(work.X, work.codes, work.sizes, types, work.crew)
        work.crew.advance(job.n)
        return found
    found = {}
    with work.engine.at_work():
        if _sums_apart(types, job):
            with one_blas_thread():
                found = make_squared_sums(types & SQUARED_SUMS, work)
            types = types - SQUARED_SUMS
        if types == {Silhouettes} and _are_many_single(work):
            return found | _with_one_cluster_of_single_points(work)
        return found | _Reduction(types, work).statistics() if types else found


def rank_several(codes: Ints, within_sums: Sequence[float], work: Work) -> list[dict[type, Any]]:
    """Make what ranks of distances give for several partitions of points that are one cluster of the work.

    See `ranks_of_several`.
    """
    with work.engine.at_work():
        reduction = _Reduction({PairRanks, DistanceTies}, work)
        distances, histogram, _ = reduction.binned()
        found = ranks_of_several(
            distances, histogram, work.crew, np.take(codes, work.strips.order, axis=1), within_sums
        )
    return [{PairRanks: counts.ranks, DistanceTies: counts.ties, TailSums: tails} for counts, tails in found]


def _are_many_single(work: Work) -> bool:
    """Return whether points that are alone in their clusters are many, and so are clusters."""
    n_single = np.count_nonzero(work.sizes == 1)
    return work.sizes.size > MATRIX_CLUSTERS and bool(n_single > _MANY_SINGLE * work.codes.size)


def _with_one_cluster_of_single_points(work: Work) -> dict[type, Any]:
    """Make silhouettes; points that are alone have a width of 0, and are together one cluster to meet."""
    is_single = work.sizes == 1
    if is_single.all():
        work.crew.advance(work.job.n_pairs)
        return {Silhouettes: Silhouettes(work.sizes, work.codes, np.zeros(work.codes.size))}
    number = np.where(is_single, 0, np.cumsum(~is_single))
    codes = number[work.codes]
    together = replace(work, codes=codes, sizes=np.bincount(codes))
    state = run_pairs(together.unranked, {Silhouettes}, codes, work.crew, single=0)
    assert state.widths is not None
    if work.sweeping is work.distances:
        work.own_sums = np.where(codes == 0, 0.0, state.widths.own_sums)
    return {Silhouettes: Silhouettes(work.sizes, work.codes, state.widths.values)}


class _Reduction:
    """The passes over all distances, one by one."""

    def __init__(self, types: set[type], work: Work) -> None:
        self._types, self._work, self._crew = types, work, work.crew
        self._wants = gathered(types)
        self._swept = {t for t in types if not gathered([t]) & (_RANKS | {"tails"})}
        self._within: float | None = None

    def statistics(self) -> dict[type, Any]:
        wants, work = self._wants, self._work
        if _is_multiplied(wants, work.job):
            with one_blas_thread():
                return self._run(work.engine.multiplying(work), self._swept).statistics()
        if not wants & (_RANKS | {"tails"}):
            return self._read_off(self._run(work.unranked, self._swept))
        check_exact(wants, work.job)
        if not _are_ordered(wants, work.job):
            distances, sweeping = self._distances()
            return self._from_histogram(distances, *self._counted(sweeping, distances, work.options.bins))
        distances, histogram, state = self.binned()
        found = ranks_in_order(
            distances,
            histogram,
            self._crew,
            want_ties="ties" in wants,
            within_sum=self._within,
            most=_most_held(work.job),
        )
        return self._found(state, *found)

    def binned(self) -> tuple[DistanceSource, Histogram, PairPass | None]:
        """Return all distances, their numbers in bins by which they are to be sorted, and what a sweep found."""
        job, strips, (distances, sweeping) = self._work.job, self._work.strips, self._distances()
        if _are_few(job):
            state = self._sweep(sweeping, self._swept) if _is_swept(self._wants) else None
            return distances, Histogram.of_one_bin(strips.n_within, strips.n_between), state
        state, histogram = self._counted(sweeping, distances, min(BINS, job.n_pairs // _IN_BIN))
        return distances, histogram, state

    def _distances(self) -> tuple[DistanceSource, DistanceSource]:
        """Return all distances, and how a pass sweeps over them.

        If computing them takes long, and they fit beside those in order, they are kept.
        """
        found, job, work = self._work.distances, self._work.job, self._work
        fit = 2 * job.n_pairs <= _most_in_order(job)
        if isinstance(found, BlockDistances) and fit and self._crew.workers is None:
            found = remembered(found)
        return found, found if work.sweeping is work.distances else work.sweeping

    def _counted(
        self, sweeping: DistanceSource, distances: DistanceSource, bins: int
    ) -> tuple[PairPass | None, Histogram]:
        """Sweep over the distances, and count them in bins."""
        work = self._work
        if not work.has_centroids:
            state = self._sweep(sweeping, self._swept | {Diameters, CompleteLinkage})
            assert state.farthest is not None
            histogram = Histogram.up_to(state.farthest.farthest, bins)
        else:
            histogram = Histogram.up_to(work.central.reach, bins)
            if not _counts_apart(self._wants, work.job):
                return self._sweep(sweeping, self._swept, histogram), histogram
            state = self._sweep(sweeping, self._swept)
        self._run(distances, set(), histogram)
        return state, histogram

    def _from_histogram(
        self, distances: DistanceSource, state: PairPass | None, histogram: Histogram
    ) -> dict[type, Any]:
        counts, tails = None, None
        if self._wants & _RANKS:
            counts = ranks_from_histogram(distances, histogram)
        if self._within is not None:
            tails = tail_sums(distances, histogram, self._within, self._crew)
        return self._found(state, counts, tails)

    def _sweep(
        self, distances: DistanceSource, types: set[type], histogram: Histogram | None = None
    ) -> PairPass:
        tails = "tails" in self._wants
        state = self._run(distances, types | {PairSums} if tails else types, histogram)
        self._within = float(state.sums.within.sum()) if tails and state.sums is not None else None
        return state

    def _run(self, distances: Sweepable, types: set[type], histogram: Histogram | None = None) -> PairPass:
        return run_pairs(distances, types, self._work.codes, self._crew, histogram)

    def _found(
        self, state: PairPass | None, counts: RankCounts | None, tails: TailSums | None
    ) -> dict[type, Any]:
        made = {} if state is None else self._read_off(state)
        if counts is not None:
            made |= {PairRanks: counts.ranks, DistanceTies: counts.ties}
        if tails is not None:
            made[TailSums] = tails
        return {t: made[t] for t in self._types}

    def _read_off(self, state: PairPass) -> dict[type, Any]:
        work = self._work
        if work.sweeping is work.distances:
            work.own_sums = None if state.widths is None else state.widths.own_sums
            work.closest = None if state.reach is None else state.reach.closest
        return state.statistics()
