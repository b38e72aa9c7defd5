"""Maker of the statistics of distances: the passes that they need, and what each gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.counted_ranges import Counted, of_histogram
from adjudge.engines.pairs.distances import Distances
from adjudge.engines.pairs.extreme_sums import tail_sums
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.kept_distances import KeptDistances
from adjudge.engines.pairs.nearest import is_faster, nearest_and_farthest
from adjudge.engines.pairs.order_statistics import Budget, Computed, Held, Source, gather
from adjudge.engines.pairs.ranks import RankCounts, counted, ranks_from_histogram, resolve
from adjudge.engines.pairs.squared_sums import MADE as SQUARED_SUMS
from adjudge.engines.pairs.squared_sums import declare_squared_sums, is_cheaper, make_squared_sums
from adjudge.engines.pairs.sweep import PairPass, run_pairs
from adjudge.engines.passes import Job, Pass, pass_for_moments
from adjudge.engines.protocols import Work
from adjudge.given.point_options import BINS
from adjudge.parallel import n_cores
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    DistanceTies,
    PairRanks,
    TailSums,
    gathered,
)

__all__ = ["declare", "make"]

# Bytes filled by a thread's task.
_TASK_MEMORY = 1 << 24
# Measured: with fewer, too many pairs are the closest or farthest of two clusters within their block.
_POINTS_A_CLUSTER = 32
_RANKS = frozenset({"ranks", "ties"})
# Distances held in any case, and the number of variables up to which more are recomputed in every pass, not held.
_FEW_DISTANCES = 1 << 22
_FEW_VARIABLES = 64


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
    # Tiles, order, and what the running tasks fill.
    memory = job.n * (job.row_bytes + 8 + 16 * ("sums of points" in wants)) + n_cores() * _TASK_MEMORY
    if not wants & (_RANKS | {"tails"}):
        yield Pass(swept, "pairs", job.n_pairs, memory=memory)
    elif _is_held(wants, job):
        held = memory + 8 * job.n_pairs + 8 * min(job.n_pairs, Budget(job.options.memory_limit).beside)
        if job.keeps_distances:
            yield Pass((*swept, "sorted"), "pairs", job.n_pairs, memory=held)
        else:
            if _is_swept(wants):
                yield Pass(swept or ("sums",), "pairs", job.n_pairs, memory=memory)
            yield Pass(("sorted",), "pairs", job.n_pairs, memory=held)
    else:
        yield from _declare_counted(wants, swept, job, memory + job.options.memory_limit)


def _declare_counted(wants: frozenset[str], swept: tuple[str, ...], job: Job, memory: int) -> Iterator[Pass]:
    """Yield the passes for distances that are not held but counted in bins."""
    resolved = _is_resolved(wants, job)
    if job.has_centroids:
        # Gives a bound on the distances.
        yield pass_for_moments(job)
        yield Pass((*(swept or ("sums",)), "binned"), "pairs", job.n_pairs, memory=memory)
        if _counts_apart(wants, job):
            yield Pass(("sums", "binned"), "pairs", job.n_pairs)
    else:
        # The largest distance is known only after a pass.
        yield Pass(_words(wants | {"extremes"}), "pairs", job.n_pairs, memory=memory)
        yield Pass(("sums", "binned"), "pairs", job.n_pairs)
    if "tails" in wants and 0 < job.k - 1 < job.n - 1 and not _is_summed_in_order(wants, job):
        yield Pass(("tails",), "pairs", job.n_pairs)
    if resolved:
        slices = -(-job.n_pairs // _batch(job))
        yield Pass(("binned", "sorted"), "pairs", job.n_pairs, foretold=True)
        yield Pass(("sums", "binned"), "pairs", job.n_pairs, times=slices - 1, foretold=True)


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


def _fit(job: Job) -> bool:
    """Return whether all distances may be held."""
    return job.n_pairs <= Budget(job.options.memory_limit).sorted


def _is_held(wants: frozenset[str], job: Job) -> bool:
    """Return whether all distances are held while they are sorted."""
    are_cheap = job.has_centroids and job.p <= _FEW_VARIABLES and job.n_pairs > _FEW_DISTANCES
    return bool(wants & _RANKS) and _fit(job) and not are_cheap


def _is_resolved(wants: frozenset[str], job: Job) -> bool:
    """Return whether ranks are exact."""
    return bool(wants & _RANKS) and (job.options.exact or _fit(job))


def _is_summed_in_order(wants: frozenset[str], job: Job) -> bool:
    """Return whether the tails are summed as ranks are resolved; too many distances are summed by task instead."""
    return "tails" in wants and bool(wants & _RANKS) and _fit(job)


def _counts_apart(wants: frozenset[str], job: Job) -> bool:
    """Return whether counting for a later collection takes a separate pass, because counts must match exactly."""
    return job.counts_apart and ("tails" in wants or _is_resolved(wants, job))


def _batch(job: Job) -> int:
    """Return how many distances are sorted at a time."""
    budget = Budget(job.options.memory_limit)
    return budget.beside if _fit(job) else budget.sorted


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
        return found | _Reduction(types, work).statistics() if types else found


class _Reduction:
    """The passes over all distances, one by one."""

    def __init__(self, types: set[type], work: Work) -> None:
        self._types, self._work, self._crew = types, work, work.crew
        self._wants = gathered(types)
        self._swept = {t for t in types if not gathered([t]) & (_RANKS | {"tails"})}
        self._budget = Budget(work.options.memory_limit)
        self._within: float | None = None

    def statistics(self) -> dict[type, Any]:
        wants, work = self._wants, self._work
        if _is_multiplied(wants, work.job):
            with one_blas_thread():
                return run_pairs(work.engine.multiplying(work), self._swept, self._crew).statistics(
                    work.codes
                )
        if not wants & (_RANKS | {"tails"}):
            return self._read_off(run_pairs(work.unranked, self._swept, self._crew))
        return self._by_holding() if _is_held(wants, work.job) else self._by_counting()

    def _by_holding(self) -> dict[type, Any]:
        """Hold all distances: kept during the sweep, or collected by a separate pass."""
        work = self._work
        distances = work.distances
        state = None
        if work.engine.keeps_distances and work.sweeping is distances:
            kept = KeptDistances(distances)
            state = self._sweep(kept, self._swept)
            held = Held(kept.within, kept.between, self._crew)
        else:
            if _is_swept(self._wants):
                state = self._sweep(work.sweeping, self._swept)
            held = gather(distances, self._crew, self._budget)
        return self._found(state, *self._resolved(held, counted(held)))

    def _by_counting(self) -> dict[type, Any]:
        """Count all distances in bins; further passes collect the bins at the tails, or all bins."""
        work, distances = self._work, self._work.distances
        sweeping = work.sweeping
        bins = BINS if _fit(work.job) else work.options.bins
        if work.has_centroids:
            histogram = Histogram.up_to(work.central.reach, bins)
            if _counts_apart(self._wants, work.job):
                state = self._sweep(sweeping, self._swept)
                run_pairs(distances, set(), self._crew, histogram)
            else:
                state = self._sweep(sweeping, self._swept, histogram)
        else:
            state = self._sweep(sweeping, self._swept | {Diameters, CompleteLinkage})
            histogram = Histogram.up_to(state.farthest(), bins)
            run_pairs(distances, set(), self._crew, histogram)
        counts, tails = None, None
        if _is_resolved(self._wants, work.job):
            source = Computed(distances, self._crew, self._budget)
            counts, tails = self._resolved(source, of_histogram(histogram))
        elif self._wants & _RANKS:
            counts = ranks_from_histogram(distances, histogram)
        if self._within is not None and tails is None:
            tails = tail_sums(distances, histogram, self._within, self._crew, self._budget)
        return self._found(state, counts, tails)

    def _resolved(self, source: Source, ranges: Counted) -> tuple[RankCounts, TailSums | None]:
        job, layout = self._work.job, self._work.layout
        return resolve(
            source,
            ranges,
            (layout.n_within, layout.n_between),
            self._crew,
            _batch(job),
            want_ties="ties" in self._wants,
            within_sum=self._within if _is_summed_in_order(self._wants, job) else None,
        )

    def _sweep(self, distances: Distances, types: set[type], histogram: Histogram | None = None) -> PairPass:
        tails = "tails" in self._wants
        state = run_pairs(distances, types, self._crew, histogram, sums=tails)
        self._within = state.total_within() if tails else None
        return state

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
            work.own_sums, work.closest = state.own_sums(), state.closest()
        return state.statistics(work.codes)
