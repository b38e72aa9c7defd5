"""Confidence intervals of external indices and of the Prayatul measures, the instances being a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.indices.catalog import find_index, list_indices
from adjudge.indices.record import Index
from adjudge.inference.chance.targets import Target
from adjudge.inference.common.interval_methods import Estimate, check_request, interval_of_score, intervals_of
from adjudge.inference.common.proportions import near_mid_p
from adjudge.inference.common.samples import Sample, three_way
from adjudge.inference.common.score_intervals import ScoreBasis
from adjudge.inference.common.two_by_two import TestOfFour
from adjudge.inference.drawn import Drawn
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.entropy_influence import Entropies
from adjudge.inference.partitions.overlap_influence import OVERLAPS, REFUSED, overlap_score
from adjudge.inference.partitions.pair_influence import (
    FEWEST_A_CLUSTER,
    OfPairs,
    of_agreement,
    of_pair_counts,
)
from adjudge.inference.partitions.share_influence import SHARES, shares_score
from adjudge.inference.refusals import RefusedError, round_up
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.contingency import Contingency, reduce_labels
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.pair_counts import PairCounts

__all__ = [
    "classification_intervals",
    "clustering_intervals",
    "clustering_intervals_of",
    "equality_score",
    "external_intervals",
]


def external_intervals(
    indices: Sequence[str | Index | Callable[..., Any]],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = None,
    drawn: Drawn | None = None,
    **parameters: Any,
) -> dict[str, Interval]:
    """Confidence intervals of several external indices from the same resamples.

    Parameters
    ----------
    indices : sequence of str, Index or callable
        As for :func:`null_distribution`; scores of classifiers too.
    labels_true, labels_pred : array-like of shape (n,)
        The labels; or, without `labels_pred`, a contingency table.
    confidence, method, n_resamples, random_state
        See :func:`adjudge.confidence_intervals`.
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
    rows, cols, counts = table.cells()
    sample = Sample(
        counts, [(rows, table.shape[0]), (cols, table.shape[1]), (np.arange(counts.size), counts.size)]
    )

    def of_pairs(target: Target) -> Callable[[int, tuple[int, ...]], float]:
        def evaluate(n: int, sums: tuple[int, ...]) -> float:
            in_true, in_pred, both = sums
            return target(PairCounts.from_joined(both, in_true, in_pred, n * (n - 1) // 2))

        return evaluate

    def of_tables(target: Target) -> Callable[[NDArray[np.int64]], float]:
        def evaluate(resampled: NDArray[np.int64]) -> float:
            dense = np.zeros(table.shape, np.int64)
            dense[rows, cols] = resampled
            return target.of_table(Contingency.from_matrix(dense, table.row_labels, table.col_labels))

        return evaluate

    scores = _ScoreMaker(table, sample, parameters)
    estimates = [
        Estimate(
            observed=target.observed,
            range=target.record.range if target.record is not None else (-math.inf, math.inf),
            of_sums=of_pairs(target) if target.kind is PairCounts else None,
            of_counts=of_tables(target),
            score=scores.of(target),
        )
        for target in targets
    ]
    found = intervals_of(estimates, sample, confidence, method, n_resamples, random_state)
    return {target.name: interval for target, interval in zip(targets, found, strict=True)}


class _ScoreMaker:
    """What score-type intervals of a table's indices are made of, by what the index reads."""

    def __init__(self, table: Contingency, sample: Sample, parameters: dict[str, Any]) -> None:
        self._table = table
        self._parameters = parameters
        self._pairs = of_pair_counts(sample)

    @cached_property
    def _entropies(self) -> Entropies:
        return Entropies.of(self._table)

    def of(self, target: Target) -> Callable[[], ScoreBasis | None] | None:
        """Return the way to an index's score; None if only leaving out instances tells of it."""
        record = target.record
        limits = (-math.inf, math.inf) if record is None else (float(record.range[0]), float(record.range[1]))
        if target.kind is PairCounts:
            if record is None:
                return lambda: self._of_function(target, limits)
            return lambda: self._of_pairs(target, limits)
        if record is None:
            return None
        if target.kind is PartitionEntropies:
            return lambda: self._entropies.score(record.name, target, limits, target.observed, record.best)
        parameters = {**record.fixed, **self._parameters}
        if record.name in SHARES:
            return lambda: shares_score(record.name, self._table, target.observed, limits, parameters)
        if record.name in REFUSED:
            return lambda: _refuse(REFUSED[record.name])
        overlap = OVERLAPS.get(record.name)
        if overlap is None:
            return None
        return lambda: overlap_score(overlap, self._table, target.observed, limits, parameters)

    def _of_pairs(self, target: Target, limits: tuple[float, float]) -> ScoreBasis | None:
        n, largest = self._table.n, max(self._table.shape)
        if n < FEWEST_A_CLUSTER * largest and not self._table.identical:
            raise RefusedError(
                f"no interval: {n} instances in {largest} clusters make too few pairs; about "
                f"{round_up(FEWEST_A_CLUSTER * largest)} instances would be enough"
            )
        ways = _LINEAR.get(target.name)
        if ways is None or abs(target.observed) == 1:
            return self._pairs.score(target.observed, target, limits)
        to, back = ways
        score = self._pairs.score(to(target.observed), lambda pairs: to(target(pairs)), limits)
        return None if score is None else replace(score, back=back)

    def _of_function(self, target: Target, limits: tuple[float, float]) -> ScoreBasis | None:
        """Do it for a function of one's own, which may need whole numbers."""
        try:
            return self._pairs.score(target.observed, target, limits)
        except (TypeError, ValueError):
            return None


def _refuse(reason: str) -> NoReturn:
    raise RefusedError(reason)


def _yule_y(gamma: float) -> float:
    """Return (sqrt(odds) - 1) / (sqrt(odds) + 1) of gamma = (odds - 1) / (odds + 1), Yule's Y of his Q (1912)."""
    high, low = math.sqrt(max(1 + gamma, 0.0)), math.sqrt(max(1 - gamma, 0.0))
    return (high - low) / (high + low)


# Indices that differ from their best value by the square of the share of misplaced instances; to a function that is
# linear in them, and back.
_LINEAR: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "goodman_kruskal": (_yule_y, lambda y: 2 * y / (1 + y * y)),
}


def clustering_intervals(
    labels_true: Any,
    primary: Any,
    alternative: Any,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = None,
    **options: Unpack[LabelKeywords],
) -> dict[str, Interval]:
    """Confidence intervals of the Prayatul measures of two clusterings, the instances being a sample.

    Parameters
    ----------
    labels_true, primary, alternative : array-like of shape (n,)
    confidence, method, n_resamples, random_state
        See :func:`adjudge.confidence_intervals`.
    **options
        `missing`, `noise` and `noise_label`, as for :func:`adjudge.compare`.

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
    sample: Sample,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = None,
    drawn: Drawn | None = None,
) -> dict[str, Interval]:
    """Do what :func:`clustering_intervals` does for the counted cells of the three partitions (:func:`three_way`)."""
    check_request(confidence, method, n_resamples, random_state)
    observed = JoinedPairs(_pairs(sample.n), *sample.pair_sums).agreement
    pairs = of_agreement(sample)

    def evaluate(record: Index) -> Callable[[int, tuple[int, ...]], float]:
        return lambda n, sums: record.assess(JoinedPairs(_pairs(n), *sums).agreement)[0]

    records = list_indices("comparative")
    values = {record.name: record.assess(observed)[0] for record in records}
    estimates = [
        Estimate(
            observed=values[record.name],
            range=record.range,
            of_sums=evaluate(record),
            of_counts=None,
            score=_way_to(record, pairs, values[record.name]),
        )
        for record in records
    ]
    found = intervals_of(estimates, sample, confidence, method, n_resamples, random_state)
    return {record.name: interval for record, interval in zip(records, found, strict=True)}


def equality_score(sample: Sample) -> ScoreBasis | None:
    """Return what the interval of comparative deviation is made of, and so the test that it is 0.

    None if the models never disagree.
    """
    observed = JoinedPairs(_pairs(sample.n), *sample.pair_sums).agreement
    if observed.disagreements == 0:
        return None
    record = find_index("comparative_deviation", "comparative")
    return _way_to(record, of_agreement(sample), record.assess(observed)[0])()


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _way_to(record: Index, pairs: OfPairs, value: float) -> Callable[[], ScoreBasis | None]:
    limits = (float(record.range[0]), float(record.range[1]))

    def score() -> ScoreBasis | None:
        found = pairs.score(value, lambda agreement: record.assess(agreement)[0], limits)
        if found is not None and isinstance(found.inverted, TestOfFour):
            # Of two clusters the deviation is a product: of what the models have in common, and of what they differ in.
            start = found.inverted.tables.with_less_of_a_product
            product = record.name == "comparative_deviation"
            return replace(found, inverted=replace(found.inverted, start=start)) if product else found
        if found is None or record.name not in _OF_DISAGREEMENTS:
            return found
        event = (
            _event_of_a_disagreement(pairs) * (limits[1] - limits[0]) * _OF_DISAGREEMENTS[record.name](pairs)
        )
        if record.name != "comparative_deviation" and math.isfinite(found.event):
            # Disagreements of small clusters do not tell what one of a large cluster would change.
            event = max(event, found.event)
        return found if math.isnan(event) else replace(found, event=event)

    return score


def _share_of_seen(pairs: OfPairs) -> float:
    both_right, right_wrong, wrong_right, _ = map(float, pairs.observed[1])
    return float(right_wrong + wrong_right) / (both_right + right_wrong + wrong_right)


# Measures that leave pairs out, and the share of disagreements among the pairs that they look at.
_OF_DISAGREEMENTS: dict[str, Callable[[OfPairs], float]] = {
    "comparative_deviation": lambda pairs: 1.0,
    "comparative_rightness": _share_of_seen,
    "effective_rightness": _share_of_seen,
}


def _event_of_a_disagreement(pairs: OfPairs) -> float:
    """Share that one misplaced instance has in all disagreements.

    Few misplaced instances make many disagreeing pairs. Of d disagreements of an instance, (sum d^2)^2 / sum d^4 counts
    the instances that make them, and hardly those which are the others of their pairs.
    """
    changes, _ = pairs.observed
    own = changes[1] + changes[2]
    squares = float(pairs.sample.counts @ own**2)
    return float(pairs.sample.counts @ own**4) / squares**2 if squares > 0 else math.nan


def classification_intervals(
    agreement: Agreement, *, confidence: float = 0.95, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Confidence intervals of the Prayatul measures of two classifiers.

    Comparative deviation and the rightnesses are proportions, or twice one, less 1: their intervals are the exact ones
    with half the weight on what was observed (mid-P), shorter if few events are expected
    (:func:`~adjudge.inference.common.proportions.near_mid_p`). Comparative deviation leaves 0 out if
    :func:`mcnemar_test` finds a difference. Polarization and effective superiority are sums of proportions, with score
    intervals.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float

    Returns
    -------
    dict of str to Interval
        By measure.

    Examples
    --------
    >>> from adjudge import Agreement
    >>> from adjudge.inference.partitions.intervals import classification_intervals
    >>> low, high = classification_intervals(Agreement(28, 5, 3, 4))["comparative_deviation"]
    >>> round(low, 3), round(high, 3)
    (-0.444, 0.739)
    """
    check_request(confidence, "score", 1)
    br, rw, wr, bw = agreement.both_right, agreement.right_wrong, agreement.wrong_right, agreement.both_wrong

    def proportion(k: int, n: int, scale: tuple[float, float], reason: str) -> Interval:
        low, high = scale
        if n == 0:
            return Interval(low, high, confidence, "mid-p", reason)
        share_low, share_high = near_mid_p(k / n, n, confidence)
        width = high - low
        ends = low + width * share_low, low + width * share_high
        return Interval(*ends, confidence, "mid-p", one_sided=k in (0, n))

    def score(weights: tuple[int, int, int, int]) -> Interval:
        n = agreement.total
        if n == 0:
            return Interval(-1.0, 1.0, confidence, "score", "there is no instance: every value is possible")
        shares = np.array([br, rw, wr, bw]) / n
        mean = float(shares @ weights)
        variance = max(0.0, float(shares @ np.square(weights)) - mean**2) / n
        # The first instance on which the primary is wrong and the alternative right takes all that one can.
        event = math.nan if variance > 0 else 2 / n
        return interval_of_score(ScoreBasis(mean, (-1.0, 1.0), variance, event), mean, confidence)

    never = "neither model is right anywhere: every value is possible"
    return {
        "comparative_deviation": proportion(
            rw, rw + wr, (-1.0, 1.0), "the models never disagree (RW + WR = 0): every value is possible"
        ),
        "polarization": score((1, 1, 0, -1)),
        "comparative_rightness": proportion(br + rw, br + rw + wr, (0.0, 1.0), never),
        "effective_rightness": proportion(br + rw, br + rw + wr, (-1.0, 1.0), never),
        "effective_superiority": score((1, 1, -1, 0)),
    }
