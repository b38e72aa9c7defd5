"""Confidence intervals of external indices and of the Prayatul measures, treating the instances as a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Limits
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.options import check_choice, check_confidence, check_count, check_random_state
from adjudge.indices.catalog import find_index, list_indices
from adjudge.indices.record import Index
from adjudge.inference.chance.targets import Target
from adjudge.inference.common.proportions import normal_quantile
from adjudge.inference.common.samples import CrossTabulation, three_way, without_one
from adjudge.inference.influence import Influence, rounding_of
from adjudge.inference.interval import METHOD, Interval, Wanted, intervals_by_name, why_few_units
from adjudge.inference.linear import CellSums, Steps, scored, scored_by
from adjudge.inference.partitions.bootstrap import Resampled, bootstrap_intervals
from adjudge.inference.partitions.entropy_sums import EntropySums, wanted_of_entropies
from adjudge.inference.partitions.overlap_influence import OVERLAPS, Overlap, overlap_asked
from adjudge.inference.partitions.pair_sums import PairSums
from adjudge.inference.partitions.share_influence import SHARES, share_asked, weighted_shares
from adjudge.inference.refusals import MOST_LEFT_OUT, NO_ESTIMATE, RefusedError, reason_of, refuse, round_up
from adjudge.inference.sampling_design import Drawn, variance_of
from adjudge.statistics.agreement import JoinedPairs
from adjudge.statistics.contingency import Contingency, reduce_labels
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.making import Made
from adjudge.statistics.pair_counts import PairCounts
from adjudge.statistics.weighted import WeightedContingency
from adjudge.usual_seed import USUAL_SEED

METHODS = ("score", "jackknife", "percentile", "bca")
# Least average number of instances per cluster for intervals of ratios of pair counts to hold their level.
_FEWEST_A_CLUSTER = 4


def check_request(confidence: float, method: str, n_resamples: int, random_state: Any = USUAL_SEED) -> None:
    """Raise unless such intervals can be computed."""
    check_choice("method", method, METHODS)
    check_confidence(confidence)
    check_count("n_resamples", n_resamples)
    check_random_state(random_state)


def external_intervals(
    indices: Sequence[str | Index | Callable[..., Any]],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = USUAL_SEED,
    drawn: Drawn | None = None,
    **parameters: Any,
) -> dict[str, Interval]:
    """Compute confidence intervals of several external indices from the same resamples.

    Parameters
    ----------
    indices : sequence of str, Index or callable
        As for :func:`~adjudge.inference.null_distribution`; scores of classifiers too.
    labels_true, labels_pred : array-like of shape (n,)
        The labels; or, without `labels_pred`, a contingency table.
    confidence, method, n_resamples, random_state
        See :func:`adjudge.inference.confidence_intervals`.
    drawn : Drawn, optional
        How rows were sampled; its entries are the non-empty cells of the table, in row order.
    **parameters
        Keyword parameters of the indices.

    Returns
    -------
    dict of str to Interval
        By name of the index.

    Examples
    --------
    >>> from adjudge.inference.partitions.intervals import external_intervals
    >>> found = external_intervals(["rand", "purity"], [[30, 5], [4, 61]])
    >>> {name: (round(low, 2), round(high, 2)) for name, (low, high) in found.items()}
    {'rand': (0.72, 0.91), 'purity': (0.84, 0.95)}
    """
    check_request(confidence, method, n_resamples, random_state)
    table = reduce_labels(labels_true, labels_pred)
    targets = Target.of_several(indices, table, parameters)
    sample = CrossTabulation.of_table(table)
    if method in ("percentile", "bca") and sample.n > 1:
        rows, cols = sample.codes

        def of_pairs(target: Target) -> Callable[[int, tuple[int, ...]], float]:
            return lambda n, sums: target(PairCounts.from_joined(sums[2], sums[0], sums[1], _pairs(n)))

        resampled = [
            Resampled(
                target.observed,
                of_sums=of_pairs(target) if target.kind is PairCounts else None,
                of_counts=_of_cells(target, table, rows, cols),
            )
            for target in targets
        ]
        others = TableIntervals(table, sample, parameters, "score", confidence, drawn)
        influences = [others.influence(target) for target in targets]
        found = bootstrap_intervals(
            resampled, sample, confidence, method, n_resamples, random_state, influences
        )
        made = {
            target.name: others.asked(target)
            if own is None or _no_interval(target.record, resampled=True)
            else own
            for target, own in zip(targets, found, strict=True)
        }
        return intervals_by_name(made, confidence)
    intervals = TableIntervals(table, sample, parameters, method, confidence, drawn)
    return intervals_by_name({target.name: intervals.asked(target) for target in targets}, confidence)


def _of_cells(
    target: Target, table: Contingency, rows: NDArray[np.int64], cols: NDArray[np.int64]
) -> Callable[[NDArray[np.int64]], float]:
    """Return the index as a function of the counts of some cells."""
    from scipy.sparse import coo_array

    def evaluate(counts: NDArray[np.int64]) -> float:
        cells = coo_array((counts, (rows, cols)), shape=table.shape)
        return target.of_table(Contingency.from_matrix(cells, table.row_labels, table.col_labels))

    return evaluate


class TableIntervals:
    """Intervals of a table's indices, by the statistic that each reads."""

    def __init__(
        self,
        table: Contingency,
        sample: CrossTabulation,
        parameters: dict[str, Any],
        method: str = "score",
        confidence: float = 0.95,
        drawn: Drawn | None = None,
    ) -> None:
        self._table, self._sample, self._parameters = table, sample, parameters
        self._method, self._confidence, self._drawn = method, confidence, drawn
        self._pairs, self._entropies = PairSums(sample), EntropySums(table, drawn and drawn.apart)
        self._steps = Steps(self._pairs, 1.0 if drawn is None else drawn.share_of_one)

    def asked(self, target: Target) -> Wanted | Interval:
        """Return what the interval of an index is made from, or the interval itself if it is of another kind."""
        record = target.record
        limits = _limits(record)
        if math.isnan(target.observed):
            return _undefined(limits, self._confidence, self._method)
        try:
            if self._table.n < 3:
                refuse("one instance" if self._table.n < 2 else "few instances")
            if self._method == "jackknife":
                if rule := _no_interval(record, resampled=True):
                    refuse(rule)
                return _normal(self._left_out(target, limits), self._confidence)
            return self._wanted(target, limits)
        except RefusedError as refusal:
            return Interval.undefined(self._confidence, self._method, str(refusal))

    def influence(self, target: Target) -> Influence | None:
        """Return the influence of instances on an index; None if it is refused."""
        try:
            return self.wanted(target).influence
        except RefusedError:
            return None

    def wanted(self, target: Target) -> Wanted:
        """Return what the interval of an index is made from.

        Raises
        ------
        RefusedError
        """
        return self._wanted(target, _limits(target.record))

    def _wanted(self, target: Target, limits: Limits) -> Wanted:
        record, value, table = target.record, target.observed, self._table
        if target.kind is PairCounts:
            largest = max(table.shape)
            if table.n < _FEWEST_A_CLUSTER * largest and not table.identical:
                refuse("too few pairs", n=table.n, k=largest, enough=round_up(_FEWEST_A_CLUSTER * largest))
            found = self._of_pairs(target, limits)
            if min(table.shape) == 1 < largest and found is not None and not found.psi.any():
                refuse("one cluster")
            return self._left_out(target, limits) if found is None else Wanted(found, limits, self._drawn)
        if record is None:
            return self._left_out(target, limits)
        if target.kind is PartitionEntropies:
            return wanted_of_entropies(self._entropies, target, limits, value, table.identical)
        parameters = {**record.fixed, **self._parameters}
        if record.name in SHARES:
            return share_asked(record.name, table, value, limits, parameters)._replace(drawn=self._drawn)
        if rule := _no_interval(record):
            refuse(rule)
        overlap = OVERLAPS.get(record.name)
        if overlap is None:
            return self._left_out(target, limits)
        return overlap_asked(overlap, table, value, limits, parameters)._replace(drawn=self._drawn)

    def _of_pairs(self, target: Target, limits: Limits) -> Influence | None:
        try:
            own = scored_by(lambda made: target(made[PairCounts]), self._steps, limits)
        except (TypeError, ValueError):
            if target.record is not None:
                raise
            # A custom function may need integers.
            return None
        found = own.influence(self._pairs.cells, np.asarray(self._sample.counts, np.float64))
        return replace(found, value=target.observed) if own.known else None

    def _left_out(self, target: Target, limits: Limits) -> Wanted:
        """Leave out an instance of each cell in turn."""
        counts = self._sample.counts
        if counts.size > MOST_LEFT_OUT:
            refuse("many cells")
        of_cells = _of_cells(target, self._table, *self._sample.codes)
        without = np.array([of_cells(left) for left in without_one(counts)])
        noise = rounding_of(target.observed) * self._sample.n
        found = Influence.of_left_out(target.observed, without, counts, rounding=noise)
        return Wanted(found, limits, self._drawn)


def weighted_intervals(
    records: Sequence[Index], table: WeightedContingency, confidence: float, drawn: Drawn
) -> dict[str, Interval]:
    """Return the interval of each index of instances with sampling weights.

    Parameters
    ----------
    records : sequence of Index
    table : WeightedContingency
    confidence : float
    drawn : Drawn
        How rows were sampled; its entries are the table's cells, in row order.
    """
    entropies, made = EntropySums(table, drawn and drawn.apart), Made({WeightedContingency: table})
    scores = {own.name: own.assess(*(made[kind] for kind in own.requires))[0] for own in records}
    cells = CellSums(np.stack([table.rows, table.cols]), table.weights, partial(_with_weights, table))
    steps = Steps(cells, drawn.share_of_one)
    found: dict[str, Wanted | Interval] = {}
    for record in records:
        limits = _limits(record)
        try:
            if rule := _no_interval(record):
                refuse(rule)
            if record.requires == (PartitionEntropies,):
                target = Target.of_statistic(record, made[PartitionEntropies])
                found[record.name] = wanted_of_entropies(entropies, target, limits, target.observed)
                continue
            if record.name in SHARES:
                value, beta = scores[record.name], float(record.fixed.get("beta", 1.0))
                shares = weighted_shares(record.name, table, drawn, value, limits, beta)
                if shares is not None:
                    found[record.name] = shares
                    continue
            if table.weights.size > MOST_LEFT_OUT:
                refuse("many cells")
            if record.name in OVERLAPS:
                _refuse_overlap(
                    OVERLAPS[record.name], table, scores[record.name], limits, record.fixed, drawn
                )
        except RefusedError as refusal:
            found[record.name] = Interval.undefined(confidence, METHOD, str(refusal))
            continue
        influence = scored(record, steps).influence(cells.cells, cells.counts)
        found[record.name] = Wanted(replace(influence, classes=cells.cells[0]), limits, drawn)
    return intervals_by_name(found, confidence)


def _refuse_overlap(
    overlap: Overlap,
    table: WeightedContingency,
    value: float,
    limits: Limits,
    parameters: Mapping[str, Any],
    drawn: Drawn,
) -> None:
    """Raise if an index of overlaps would have no interval with as many rows as the weights are worth."""
    worth = drawn.effective / table.total
    effective = replace(table, weights=worth * table.weights, squares=worth**2 * table.squares)
    overlap_asked(overlap, effective, value, limits, dict(parameters))


def _with_weights(table: WeightedContingency, weights: Floats) -> Made:
    """Return the statistics of a table whose cells have these weights, of as many rows."""
    squares = table.squares * (weights / table.weights)
    return Made({WeightedContingency: replace(table, weights=weights, squares=squares)})


def _no_interval(record: Index | None, *, resampled: bool = False) -> str:
    """Return the rule by which an index has no interval, whatever the table; a bend spoils slopes, not resamples."""
    rule = "" if record is None else record.no_interval
    return "" if resampled and rule == "bend" else rule


def _limits(record: Index | None) -> tuple[float, float]:
    return (-math.inf, math.inf) if record is None else (float(record.range[0]), float(record.range[1]))


def _undefined(limits: tuple[float, float], confidence: float, method: str) -> Interval:
    """Return the whole range as an interval if it is finite; otherwise, an undefined interval."""
    if all(map(math.isfinite, limits)):
        return Interval(*limits, confidence, method, f"{NO_ESTIMATE}: every value is possible")
    return Interval.undefined(confidence, method, NO_ESTIMATE)


def _normal(wanted: Wanted, confidence: float) -> Wanted | Interval:
    """Return the normal interval with the jackknife's standard error; without one, what the general one needs."""
    own, (low, high) = wanted.influence, wanted.limits
    if not own.known or not own.psi.any() or why_few_units(wanted.drawn) is not None:
        return wanted
    half = normal_quantile(confidence) * math.sqrt(variance_of(own, wanted.drawn))
    return Interval(max(low, own.value - half), min(high, own.value + half), confidence, "jackknife")


def clustering_intervals(
    labels_true: Any,
    primary: Any,
    alternative: Any,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = USUAL_SEED,
    **options: Unpack[LabelKeywords],
) -> dict[str, Interval]:
    """Compute confidence intervals of the Prayatul measures of two clusterings, treating instances as a sample.

    Parameters
    ----------
    labels_true, primary, alternative : array-like of shape (n,)
    confidence, method, n_resamples, random_state
        See :func:`adjudge.inference.confidence_intervals`.
    **options
        `missing`, `noise` and `noise_label`, as for :func:`~adjudge.compare`.

    Returns
    -------
    dict of str to Interval
        By measure.

    Examples
    --------
    >>> from adjudge.inference.partitions.intervals import clustering_intervals
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    >>> p, q = [0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 2], [0, 0, 1, 1, 1, 1, 1, 0, 2, 2, 0, 2]
    >>> low, high = clustering_intervals(truth, p, q)["effective_superiority"]
    >>> round(low, 2) < 0.73 < round(high, 2)
    True
    """
    vectors = {"labels_true": labels_true, "primary": primary, "alternative": alternative}
    aligned = align_labels(vectors, LabelOptions(**options))
    return clustering_intervals_of(
        three_way(*aligned.labels),
        confidence=confidence,
        method=method,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def clustering_intervals_of(
    sample: CrossTabulation,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = USUAL_SEED,
    drawn: Drawn | None = None,
) -> dict[str, Interval]:
    """Apply :func:`clustering_intervals` to the counted cells of the three partitions (:func:`three_way`).

    The entries of `drawn` are these cells.
    """
    check_request(confidence, method, n_resamples, random_state)
    measures = _Measures(sample, confidence, method, drawn)
    records = list_indices("comparative")
    if method not in ("percentile", "bca") or sample.n < 2:
        made = {record.name: measures.asked(record) for record in records}
        return intervals_by_name(made, confidence)

    def evaluate(record: Index) -> Callable[[int, tuple[int, ...]], float]:
        return lambda n, sums: record.assess(JoinedPairs(_pairs(n), *sums).agreement)[0]

    resampled = [Resampled(measures.value(record), evaluate(record), None) for record in records]
    influences = [measures.influence(record) for record in records]
    found = bootstrap_intervals(resampled, sample, confidence, method, n_resamples, random_state, influences)
    made = {
        record.name: measures.asked(record) if own is None else own
        for record, own in zip(records, found, strict=True)
    }
    return intervals_by_name(made, confidence)


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


class _Measures:
    """The Prayatul measures of two clusterings."""

    def __init__(self, sample: CrossTabulation, confidence: float, method: str, drawn: Drawn | None) -> None:
        self._sample, self._confidence, self._method, self._drawn = sample, confidence, method, drawn
        self._agreement = JoinedPairs(_pairs(sample.n), *sample.pair_sums).agreement
        self._pairs = PairSums(sample)
        self._steps = Steps(self._pairs, 1.0 if drawn is None else drawn.share_of_one)

    def value(self, record: Index) -> float:
        return record.assess(self._agreement)[0]

    def influence(self, record: Index) -> Influence | None:
        own = scored(record, self._steps)
        found = own.influence(self._pairs.cells, np.asarray(self._sample.counts, np.float64))
        return replace(found, value=self.value(record)) if own.known else None

    def asked(self, record: Index) -> Wanted | Interval:
        value, limits = self.value(record), _limits(record)
        if math.isnan(value):
            return _undefined(limits, self._confidence, self._method)
        if self._sample.n > 2 and self._method == "jackknife":
            left_out = Influence.of_left_out(value, self._without(record), self._sample.counts)
            return _normal(Wanted(left_out, limits, self._drawn), self._confidence)
        found = self.influence(record) if self._sample.n > 2 else None
        if found is None:
            n = self._sample.n
            reason = reason_of("one instance" if n < 2 else "few instances" if n < 3 else "no slope")
            return Interval.undefined(self._confidence, self._method, reason)
        return Wanted(found, limits, self._drawn)

    def _without(self, record: Index) -> NDArray[np.float64]:
        """Return the values of a measure without an instance of each cell."""
        fewer = (self._sample.partners()[:-1] - 1).T.astype(np.int64).tolist()
        total, sums = _pairs(self._sample.n - 1), self._sample.pair_sums
        left = ([own - less for own, less in zip(sums, cell, strict=True)] for cell in fewer)
        return np.array([record.assess(JoinedPairs(total, *own).agreement)[0] for own in left])


def deviation_of(sample: CrossTabulation) -> Wanted | None:
    """Return what the test that comparative deviation is 0 is made from; None if the models never disagree."""
    record = find_index("comparative_deviation", "comparative")
    measures = _Measures(sample, 0.95, "score", None)
    found = None if math.isnan(measures.value(record)) else measures.influence(record)
    return None if found is None else Wanted(found, _limits(record))
