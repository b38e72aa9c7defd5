"""Confidence intervals of external indices and of the Prayatul measures.

Instances are drawn from a population; pairs of instances are not independent of each other and are never resampled.
Everything is done on the cells of the contingency table, so that nothing costs more as the number of instances grows.

The default, "score", takes the jackknife's standard error and solves Wilson's quadratic for a proportion of that
standard error on the index's own range: short of its ends, where an index cannot go, such intervals are not
symmetric and hold their level with few instances. An index at an end of its range, whose standard error is 0, gets
an interval on one side, as a proportion of 0 or 1 does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.catalog import list_indices
from adjudge.indices.record import Index
from adjudge.inference.targets import Target
from adjudge.inputs.labels import Labels, align_labels, check_choice
from adjudge.inputs.options import check_confidence, check_count, random_generator
from adjudge.statistics.agreement import Agreement, PairSums
from adjudge.statistics.contingency import Contingency, PairCounts, reduce_labels

__all__ = [
    "Interval",
    "Sample",
    "classification_intervals",
    "clustering_intervals",
    "clustering_intervals_of",
    "external_interval",
    "external_intervals",
    "three_way",
]

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]

METHODS = ("score", "jackknife", "percentile", "bca")

# Counts resampled at a time (32 MB of them).
_COUNTS_AT_ONCE = 1 << 22
# Below this n every pair sum fits 63 bits.
_PAIRS_FIT = 3_000_000_000
# Where a quadratic statistic is degenerate its standard error falls faster than 1/sqrt(n): it is not believed to be
# worth more than so many times the instances there are.
_MOST_WORTH = 16.0


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Its ends; nan where none can be given.
    confidence : float
    method : str
    reason : str or None
        Why it is one-sided, replaced by another method's, or undefined.
    """

    low: float
    high: float
    confidence: float
    method: str
    reason: str | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


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
    _check(confidence, method, n_resamples)
    table = reduce_labels(labels_true, labels_pred)
    targets = [Target.of(index, table, parameters) for index in indices]
    rows, cols, counts = table.cells()
    sample = Sample(
        counts, [(rows, table.shape[0]), (cols, table.shape[1]), (np.arange(counts.size), counts.size)]
    )

    def of_pairs(target: Target) -> Callable[[int, tuple[int, ...]], float]:
        def evaluate(n: int, sums: tuple[int, ...]) -> float:
            in_true, in_pred, both = sums
            total = n * (n - 1) // 2
            return target(PairCounts(both, in_true - both, in_pred - both, total - in_true - in_pred + both))

        return evaluate

    def of_tables(target: Target) -> Callable[[Int64s], float]:
        def evaluate(resampled: Int64s) -> float:
            dense = np.zeros(table.shape, np.int64)
            dense[rows, cols] = resampled
            return target.of_table(Contingency.from_matrix(dense, table.row_labels, table.col_labels))

        return evaluate

    statistics = [
        _Statistic(
            observed=target.observed,
            range=target.record.range if target.record is not None else (-math.inf, math.inf),
            of_sums=of_pairs(target) if target.kind is PairCounts else None,
            of_counts=of_tables(target),
        )
        for target in targets
    ]
    found = _intervals(statistics, sample, confidence, method, n_resamples, random_state)
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
    missing: str = "raise",
    noise: str = "cluster",
    noise_label: Any = -1,
) -> dict[str, Interval]:
    """Confidence intervals of the Prayatul measures of two clusterings, the instances being a sample.

    Parameters
    ----------
    labels_true, primary, alternative : array-like of shape (n,)
    confidence, method, n_resamples, random_state
        See :func:`external_interval`.
    missing, noise, noise_label
        See :meth:`adjudge.Contingency.from_labels`.

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
    aligned = align_labels(
        {"labels_true": labels_true, "primary": primary, "alternative": alternative},
        missing=missing,
        noise=noise,
        noise_label=noise_label,
    )
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
    _check(confidence, method, n_resamples)
    observed = PairSums(sample.n, *sample.pair_sums).agreement
    worth = _worth_of_disagreements(sample, observed)

    def evaluate(record: Index) -> Callable[[int, tuple[int, ...]], float]:
        return lambda n, sums: record.assess(PairSums(n, *sums).agreement)[0]

    records = list_indices("comparative")
    statistics = [
        _Statistic(
            observed=record.assess(observed)[0],
            range=record.range,
            of_sums=evaluate(record),
            of_counts=None,
            most_worth=worth.get(record.name),
        )
        for record in records
    ]
    found = _intervals(statistics, sample, confidence, method, n_resamples, random_state)
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
    _check(confidence, "score", 1)
    z = _normal_quantile(confidence)
    br, rw, wr, bw = agreement.both_right, agreement.right_wrong, agreement.wrong_right, agreement.both_wrong

    def proportion(k: int, n: int, scale: tuple[float, float], reason: str) -> Interval:
        low, high = scale
        if n == 0:
            return Interval(low, high, confidence, "score", reason)
        share_low, share_high = _wilson(k / n, n, z)
        width = high - low
        return Interval(low + width * share_low, low + width * share_high, confidence, "score")

    def score(weights: tuple[int, int, int, int]) -> Interval:
        if agreement.total == 0:
            return Interval(-1.0, 1.0, confidence, "score", "there is no instance: every value is possible")
        shares = np.array([br, rw, wr, bw]) / agreement.total
        mean = float(shares @ weights)
        error = math.sqrt(max(0.0, float(shares @ np.square(weights)) - mean**2) / agreement.total)
        return _score(mean, (-1.0, 1.0), error, agreement.total, confidence)

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


def _check(confidence: float, method: str, n_resamples: int) -> None:
    check_choice("method", method, METHODS)
    check_confidence(confidence)
    check_count("n_resamples", n_resamples)


def _normal_quantile(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Score interval of a proportion."""
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(max(0.0, share * (1 - share)) / n + z * z / (4 * n * n))
    # At 0 and 1 the ends are exact but for rounding.
    return (0.0 if share <= 0 else centre - half), (1.0 if share >= 1 else centre + half)


class Sample:
    """Instances by cell, and the partitions that group the cells.

    Parameters
    ----------
    counts : ndarray of int64
        Instances in each cell.
    groupings : list of (ndarray, int)
        For each partition, the cluster of each cell, and the number of clusters.
    """

    def __init__(self, counts: Int64s, groupings: list[tuple[NDArray[Any], int]]) -> None:
        self.counts = counts
        self.n = int(counts.sum())
        self._groupings = [(np.asarray(codes), size) for codes, size in groupings]

    @staticmethod
    def groupings_of(g: Int64s, p: Int64s, q: Int64s) -> list[tuple[NDArray[Any], int]]:
        """Group the cells of three partitions by g, p, q, gp, gq and pq."""
        joint = (g, p, q, *(a * (int(b.max()) + 1) + b for a, b in ((g, p), (g, q), (p, q))))
        groupings: list[tuple[NDArray[Any], int]] = []
        for codes in joint:
            occurring, numbers = np.unique(codes, return_inverse=True)
            groupings.append((numbers, occurring.size))
        return groupings

    def _group(self, counts: NDArray[Any], codes: NDArray[Any], size: int) -> NDArray[Any]:
        """Cluster sizes from cell counts, the cells along the last axis."""
        if size == codes.size:
            return counts[..., np.argsort(codes)]
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(size))
        return np.add.reduceat(counts[..., order], starts, axis=-1)

    @cached_property
    def _sizes(self) -> list[Int64s]:
        return [self._group(self.counts, codes, size) for codes, size in self._groupings]

    @cached_property
    def pair_sums(self) -> tuple[int, ...]:
        """Pairs joined in each partition."""
        return tuple(_pairs(sizes, self.n) for sizes in self._sizes)

    def without_one(self) -> list[tuple[int, ...]]:
        """Pairs joined in each partition if an instance of this cell were left out, for each cell."""
        fewer = [sizes[codes] - 1 for sizes, (codes, _) in zip(self._sizes, self._groupings, strict=True)]
        return [
            tuple(total - less for total, less in zip(self.pair_sums, cell, strict=True))
            for cell in zip(*(f.tolist() for f in fewer), strict=True)
        ]

    def resamples(self, n_resamples: int, generator: np.random.Generator) -> Iterator[Int64s]:
        """Draw as many instances again, with replacement: counts of shape (some, n_cells)."""
        shares = self.counts / self.n
        at_once = max(1, _COUNTS_AT_ONCE // self.counts.size)
        for start in range(0, n_resamples, at_once):
            yield generator.multinomial(self.n, shares, size=min(at_once, n_resamples - start))

    def jackknife_error(self, without_one: Float64s) -> float:
        """Return the standard error, from the values without an instance of each cell."""
        centred = without_one - float(self.counts @ without_one) / self.n
        return math.sqrt((self.n - 1) / self.n * float(self.counts @ centred**2))

    def resampled_sums(self, counts: Int64s) -> list[tuple[int, ...]]:
        """Pairs joined in each partition, resample by resample."""
        n = int(counts[0].sum())
        columns = []
        for codes, size in self._groupings:
            sizes = self._group(counts, codes, size)
            if n < _PAIRS_FIT:
                columns.append(((np.einsum("ij,ij->i", sizes, sizes) - n) // 2).tolist())
            else:
                columns.append([_pairs(row, n) for row in sizes])
        return list(zip(*columns, strict=True))


def _pairs(sizes: Int64s, n: int) -> int:
    if n < _PAIRS_FIT:
        return (int(sizes @ sizes) - n) // 2
    return sum(k * (k - 1) // 2 for k in sizes.tolist())


def three_way(g: Labels, p: Labels, q: Labels, *, weights: NDArray[np.int64] | None = None) -> Sample:
    """Count the cells of three partitions, each row standing for `weights` instances (default 1)."""
    codes = [labels.dense()[0] for labels in (g, p, q)]
    sizes = [int(c.max()) + 1 for c in codes]
    joint = (codes[0] * sizes[1] + codes[1]) * sizes[2] + codes[2]
    if math.prod(sizes) <= max(1 << 20, 2 * joint.size):
        every = (
            np.bincount(joint, minlength=math.prod(sizes))
            if weights is None
            else _summed(joint, weights, sizes)
        )
        cells = np.flatnonzero(every)
        counts = every[cells]
    elif weights is None:
        cells, counts = np.unique(joint, return_counts=True)
    else:
        cells, where = np.unique(joint, return_inverse=True)
        counts = np.zeros(cells.size, np.int64)
        np.add.at(counts, where, weights)
        cells, counts = cells[counts > 0], counts[counts > 0]
    of_q = cells % sizes[2]
    of_p = cells // sizes[2] % sizes[1]
    of_g = cells // (sizes[2] * sizes[1])
    return Sample(counts.astype(np.int64), Sample.groupings_of(of_g, of_p, of_q))


def _summed(joint: Int64s, weights: Int64s, sizes: list[int]) -> Int64s:
    every = np.zeros(math.prod(sizes), np.int64)
    np.add.at(every, joint, weights)
    return every


def _worth_of_disagreements(sample: Sample, observed: Agreement) -> dict[str, float]:
    """Most instances that the measures which leave pairs out may count for."""
    disagreeing = observed.disagreements
    if disagreeing == 0:
        return {}
    rest = [PairSums(sample.n - 1, *sums).agreement for sums in sample.without_one()]
    own = np.array([float(disagreeing - r.disagreements) for r in rest])
    # An instance is in `own` of the disagreeing pairs: half of Kish's effective number, (sum d)^2 / sum d^2.
    effective = 2.0 * disagreeing**2 / float((sample.counts * own**2).sum())
    seen = observed.both_right + disagreeing
    return {
        "comparative_deviation": effective,
        "comparative_rightness": effective * seen / disagreeing,
        "effective_rightness": effective * seen / disagreeing,
    }


@dataclass(frozen=True)
class _Statistic:
    """An estimate, and how it is made: from the number of instances and the pair sums, or from the cell counts."""

    observed: float
    range: tuple[float, float]
    of_sums: Callable[[int, tuple[int, ...]], float] | None
    of_counts: Callable[[Int64s], float] | None
    most_worth: float | None = None

    def without_one(self, sample: Sample) -> Float64s:
        """Leave-one-out values, one for each cell."""
        if self.of_sums is not None:
            return np.array([self.of_sums(sample.n - 1, sums) for sums in sample.without_one()])
        assert self.of_counts is not None
        values = np.empty(sample.counts.size)
        counts = sample.counts.copy()
        for cell in range(counts.size):
            counts[cell] -= 1
            values[cell] = self.of_counts(counts)
            counts[cell] += 1
        return values


def _intervals(
    statistics: Sequence[_Statistic],
    sample: Sample,
    confidence: float,
    method: str,
    n_resamples: int,
    random_state: Any,
) -> list[Interval]:
    if sample.n < 2:
        return [Interval(math.nan, math.nan, confidence, method, "there is one instance") for _ in statistics]
    if method in ("score", "jackknife"):
        return [_by_jackknife(s, sample, confidence, method) for s in statistics]
    drawn: list[list[float]] = [[] for _ in statistics]
    for counts in sample.resamples(n_resamples, random_generator(random_state)):
        sums = sample.resampled_sums(counts) if any(s.of_sums for s in statistics) else []
        for statistic, values in zip(statistics, drawn, strict=True):
            if statistic.of_sums is not None:
                values.extend(statistic.of_sums(sample.n, each) for each in sums)
            elif statistic.of_counts is not None:
                values.extend(statistic.of_counts(each) for each in counts)
    return [
        _by_bootstrap(s, np.array(values), sample, confidence, method)
        for s, values in zip(statistics, drawn, strict=True)
    ]


def _undefined(statistic: _Statistic, confidence: float, method: str) -> Interval | None:
    """Interval where the estimate itself is undefined: all that the range allows, if that is finite."""
    if not math.isnan(statistic.observed):
        return None
    low, high = map(float, statistic.range)
    if math.isfinite(low) and math.isfinite(high):
        return Interval(low, high, confidence, method, "the estimate is undefined: every value is possible")
    return Interval(math.nan, math.nan, confidence, method, "the estimate is undefined")


def _by_jackknife(statistic: _Statistic, sample: Sample, confidence: float, method: str) -> Interval:
    undefined = _undefined(statistic, confidence, method)
    if undefined is not None:
        return undefined
    error = sample.jackknife_error(statistic.without_one(sample))
    low, high = map(float, statistic.range)
    finite = math.isfinite(low) and math.isfinite(high)
    if finite and (method == "score" or error == 0):
        return _score(statistic.observed, (low, high), error, sample.n, confidence, statistic.most_worth)
    if math.isnan(error) or error == 0:
        reason = (
            "leaving out any instance changes nothing, and the index has no finite range"
            if error == 0
            else "the index is undefined without one of the instances"
        )
        return Interval(math.nan, math.nan, confidence, method, reason)
    half = _normal_quantile(confidence) * error
    return Interval(
        max(low, statistic.observed - half),
        min(high, statistic.observed + half),
        confidence,
        "jackknife",
        None if method == "jackknife" else "the index has no finite range",
    )


def _score(
    estimate: float,
    limits: tuple[float, float],
    error: float,
    n: int,
    confidence: float,
    most_worth: float | None = None,
) -> Interval:
    """Wilson's interval for the share of its range that an estimate reaches, as precise as its standard error says."""
    low, high = limits
    width = high - low
    share = min(1.0, max(0.0, (estimate - low) / width))
    variance = (error / width) ** 2
    reason = None
    if math.isnan(error):
        reason = "undefined without one of the instances: as imprecise as a proportion of few instances"
        worth = 1.0 if most_worth is None else most_worth
    elif variance > 0 and 0 < share < 1:
        worth = min(share * (1 - share) / variance, _MOST_WORTH * n)
    else:
        reason = "no instance changes the estimate: one-sided, as of a proportion of as many instances"
        worth = float(n)
    if most_worth is not None:
        worth = min(worth, most_worth)
    share_low, share_high = _wilson(share, worth, _normal_quantile(confidence))
    return Interval(low + width * share_low, low + width * share_high, confidence, "score", reason)


def _by_bootstrap(
    statistic: _Statistic, values: Float64s, sample: Sample, confidence: float, method: str
) -> Interval:
    undefined = _undefined(statistic, confidence, method)
    if undefined is not None:
        return undefined
    defined = np.sort(values[~np.isnan(values)])
    reason = None
    if defined.size < values.size:
        reason = (
            f"{values.size - defined.size} of {values.size} resamples, where the index is undefined, left out"
        )
    if defined.size == 0 or defined[0] == defined[-1]:
        other = _by_jackknife(statistic, sample, confidence, "score")
        reason = "all resamples give the same value" + (f"; {other.reason}" if other.reason else "")
        return Interval(other.low, other.high, confidence, other.method, reason)
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "bca":
        adjusted = _bca_levels(statistic, defined, sample, tails)
        if adjusted is None:
            reason = (
                "the estimate lies outside all resamples, or has no acceleration: percentiles as they are"
            )
        else:
            tails = adjusted
    low, high = (float(v) for v in np.quantile(defined, tails))
    return Interval(low, high, confidence, method, reason)


def _bca_levels(statistic: _Statistic, values: Float64s, sample: Sample, tails: Float64s) -> Float64s | None:
    """Levels at which the resamples' distribution is read, corrected for bias and for skewness."""
    from scipy.special import ndtr, ndtri

    below = float((values < statistic.observed).mean() + (values == statistic.observed).mean() / 2)
    without_one = statistic.without_one(sample)
    centred = float(sample.counts @ without_one) / sample.n - without_one
    spread = float(sample.counts @ centred**2)
    if not 0 < below < 1 or not spread > 0:
        return None
    bias = float(ndtri(below))
    acceleration = float(sample.counts @ centred**3) / (6 * spread**1.5)
    shifted = bias + ndtri(tails)
    return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)))
