"""Confidence intervals of external indices and of the Prayatul measures, the instances being a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.indices.catalog import list_indices
from adjudge.indices.record import Index
from adjudge.inference.interval_methods import (
    Estimate,
    Interval,
    check_request,
    intervals_of,
    normal_quantile,
    score_interval,
    wilson,
)
from adjudge.inference.samples import Sample, three_way
from adjudge.inference.targets import Target
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.contingency import Contingency, reduce_labels
from adjudge.statistics.pair_counts import PairCounts

__all__ = [
    "classification_intervals",
    "clustering_intervals",
    "clustering_intervals_of",
    "external_interval",
    "external_intervals",
]


def external_interval(
    index: str | Index | Callable[..., Any],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = None,
    **parameters: Any,
) -> Interval:
    """Confidence interval of an external index, the instances being a sample.

    Parameters
    ----------
    index : str, Index or callable
        As for :func:`adjudge.null_distribution`.
    labels_true, labels_pred : array-like of shape (n,)
        The partitions; or, with `labels_pred` left out, a contingency table.
    confidence : float
    method : {"score", "jackknife", "percentile", "bca"}
        Score-type on the index's range (needs a finite range, else it is the jackknife); normal with the
        jackknife's standard error; or the percentile or BCa bootstrap of the table's cells.
    n_resamples : int
        Bootstrap only.
    random_state : int, Generator, SeedSequence or None
    **parameters
        Keyword parameters of the index.

    Returns
    -------
    Interval

    Examples
    --------
    >>> from adjudge.inference.intervals import external_interval
    >>> low, high = external_interval("rand", [[30, 5], [4, 61]])
    >>> round(low, 3), round(high, 3)
    (0.721, 0.908)
    """
    (result,) = external_intervals(
        [index],
        labels_true,
        labels_pred,
        confidence=confidence,
        method=method,
        n_resamples=n_resamples,
        random_state=random_state,
        **parameters,
    ).values()
    return result


def external_intervals(
    indices: Sequence[str | Index | Callable[..., Any]],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int = 2000,
    random_state: Any = None,
    **parameters: Any,
) -> dict[str, Interval]:
    """Confidence intervals of several external indices from the same resamples.

    Parameters
    ----------
    indices : sequence of str, Index or callable
        As for :func:`null_distribution`; scores of classifiers too.
    labels_true, labels_pred : array-like of shape (n,)
        The labels; or, with `labels_pred` left out, a contingency table.
    confidence, method, n_resamples, random_state
        See :func:`external_interval`.
    **parameters
        Keyword parameters of the indices.

    Returns
    -------
    dict of str to Interval
        By name of the index.

    Examples
    --------
    >>> from adjudge import external_intervals
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

    estimates = [
        Estimate(
            observed=target.observed,
            range=target.record.range if target.record is not None else (-math.inf, math.inf),
            of_sums=of_pairs(target) if target.kind is PairCounts else None,
            of_counts=of_tables(target),
        )
        for target in targets
    ]
    found = intervals_of(estimates, sample, confidence, method, n_resamples, random_state)
    return {target.name: interval for target, interval in zip(targets, found, strict=True)}


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
        See :func:`external_interval`.
    **options
        `missing`, `noise` and `noise_label`, as for :func:`adjudge.compare`.

    Returns
    -------
    dict of str to Interval
        By measure.

    Notes
    -----
    Few misplaced instances make many disagreeing pairs, and an estimated standard error that is too small. The
    score-type intervals of the measures that leave pairs out therefore count no more disagreements than half of
    what Kish's effective number of their instances says.

    Examples
    --------
    >>> from adjudge import clustering_intervals
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
) -> dict[str, Interval]:
    """Do what :func:`clustering_intervals` does for the counted cells of the three partitions (:func:`three_way`)."""
    check_request(confidence, method, n_resamples, random_state)
    observed = JoinedPairs(sample.n, *sample.pair_sums).agreement
    worth = _worth_of_disagreements(sample, observed)

    def evaluate(record: Index) -> Callable[[int, tuple[int, ...]], float]:
        return lambda n, sums: record.assess(JoinedPairs(n, *sums).agreement)[0]

    records = list_indices("comparative")
    estimates = [
        Estimate(
            observed=record.assess(observed)[0],
            range=record.range,
            of_sums=evaluate(record),
            of_counts=None,
            most_worth=worth.get(record.name),
        )
        for record in records
    ]
    found = intervals_of(estimates, sample, confidence, method, n_resamples, random_state)
    return {record.name: interval for record, interval in zip(records, found, strict=True)}


def classification_intervals(agreement: Agreement, *, confidence: float = 0.95) -> dict[str, Interval]:
    """Confidence intervals of the Prayatul measures of two classifiers.

    Wilson's score intervals: comparative deviation and the rightnesses are proportions (or twice one, less 1);
    polarization and effective superiority are sums of proportions, whose standard error says how many instances a
    proportion of that precision would need.

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
    >>> from adjudge.inference.intervals import classification_intervals
    >>> low, high = classification_intervals(Agreement(28, 5, 3, 4))["comparative_deviation"]
    >>> round(low, 3), round(high, 3)
    (-0.389, 0.726)
    """
    check_request(confidence, "score", 1)
    z = normal_quantile(confidence)
    br, rw, wr, bw = agreement.both_right, agreement.right_wrong, agreement.wrong_right, agreement.both_wrong

    def proportion(k: int, n: int, scale: tuple[float, float], reason: str) -> Interval:
        low, high = scale
        if n == 0:
            return Interval(low, high, confidence, "score", reason)
        share_low, share_high = wilson(k / n, n, z)
        width = high - low
        return Interval(low + width * share_low, low + width * share_high, confidence, "score")

    def score(weights: tuple[int, int, int, int]) -> Interval:
        if agreement.total == 0:
            return Interval(-1.0, 1.0, confidence, "score", "there is no instance: every value is possible")
        shares = np.array([br, rw, wr, bw]) / agreement.total
        mean = float(shares @ weights)
        error = math.sqrt(max(0.0, float(shares @ np.square(weights)) - mean**2) / agreement.total)
        return score_interval(mean, (-1.0, 1.0), error, agreement.total, confidence)

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


def _worth_of_disagreements(sample: Sample, observed: Agreement) -> dict[str, float]:
    """Most instances that the measures which leave pairs out may count for."""
    disagreeing = observed.disagreements
    if disagreeing == 0:
        return {}
    rest = [JoinedPairs(sample.n - 1, *sums).agreement for sums in sample.without_one()]
    own = np.array([float(disagreeing - r.disagreements) for r in rest])
    # An instance is in `own` of the disagreeing pairs: half of Kish's effective number, (sum d)^2 / sum d^2.
    effective = 2.0 * disagreeing**2 / float((sample.counts * own**2).sum())
    seen = observed.both_right + disagreeing
    return {
        "comparative_deviation": effective,
        "comparative_rightness": effective * seen / disagreeing,
        "effective_rightness": effective * seen / disagreeing,
    }
