"""Confidence intervals of internal criteria, by the jackknife: from the values without some of the points.

Points are not resampled: a bootstrap sample holds some points twice, which makes clusters seem denser than they are.
For criteria that read moments and distances to centroids, groups of points are left out in turn, at O(N p) each. For
the silhouettes, each point is, with one more pass over the distances
(:mod:`adjudge.inference.points.silhouette_influence`). For all other criteria, each left-out point would need a pass
over N (N - 1) / 2 distances, so none have intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.points import reduce_coded_points
from adjudge.errors import InputError
from adjudge.given.alignment import align_labels, of_other_length
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.metrics import as_metric
from adjudge.given.options import check_confidence, check_count, given_names, random_generator
from adjudge.given.point_options import PointOptions
from adjudge.given.points import as_points
from adjudge.indices.catalog import find_index
from adjudge.indices.internal_record import InternalIndex
from adjudge.inference.common.proportions import normal_quantile
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.points.silhouette_influence import LeftOut, without_points
from adjudge.inference.refusals import FEWEST_OF_CLASS, reason_of, round_up
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.moments import made_by_centroids
from adjudge.statistics.pair_distances import ClusterSizes, Silhouettes
from adjudge.usual_seed import USUAL_SEED

# Changes above this part of the value are growth with the number of points, not bias, if it is unknown whether an index
# grows.
_GROWS = 0.3
# Least number of points of the smallest cluster for an index in which all clusters count equally.
_FEWEST_OF_MEANS = 8


def internal_intervals(
    X: Any,
    labels: Any,
    indices: Sequence[str | InternalIndex],
    *,
    confidence: float = 0.95,
    n_resamples: int = 200,
    random_state: Any = USUAL_SEED,
    metric: Any = "euclidean",
    widths: Silhouettes | None = None,
    n_jobs: int | None = None,
    **options: Unpack[LabelKeywords],
) -> dict[str, Interval]:
    """Compute confidence intervals of internal criteria; the points with their clusters are the sample.

    Parameters
    ----------
    X : array-like of shape (n, p)
    labels : array-like of shape (n,)
        The clusters are treated as fixed: the uncertainty of finding them in these points is not included.
    indices : sequence of str or Index
    confidence : float
    n_resamples : int
        Most groups of points to leave out in turn, for criteria that read moments; single points if there are fewer.
    random_state : int, Generator, SeedSequence or None, default 0
        Decides which points are left out, if not all are.
    metric : str or callable
        As for :func:`~adjudge.evaluate`: the distances that silhouettes are of.
    widths : Silhouettes, optional
        Silhouettes, if they are already known.
    n_jobs : int, optional
        Threads for distances; -1 and the default mean one per core.
    **options
        `missing`, `noise` and `noise_label`, as for :func:`~adjudge.evaluate`.

    Returns
    -------
    dict of str to Interval
        By index; nan with a reason if there is no interval.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.points.internal_intervals import internal_intervals
    >>> X = np.r_[np.linspace(0, 1, 20), np.linspace(3, 4, 20)][:, None]
    >>> found = internal_intervals(X, [0] * 20 + [1] * 20, ["silhouette", "dunn"], random_state=0)
    >>> low, high = found["silhouette"]
    >>> round(low, 2), round(high, 2)
    (0.85, 0.9)
    >>> found["dunn"].reason
    'no interval is given: each point left out would need a new pass over all pairs of points'
    """
    check_confidence(confidence)
    check_count("n_resamples", n_resamples, 2)
    generator = random_generator(random_state)
    records = [
        i if isinstance(i, InternalIndex) else find_index(i, "internal")
        for i in given_names("indices", indices)
    ]
    points = as_points(X).values
    aligned = align_labels({"labels": labels}, LabelOptions(**options))
    if aligned.n_given != points.shape[0]:
        raise of_other_length("labels", aligned.n_given, "X", points.shape[0])
    if aligned.kept is not None:
        kept = aligned.kept
        points = points[np.ix_(kept, kept)] if as_metric(metric) == "precomputed" else points[kept]
    codes = aligned.labels[0].dense()[0]
    found: dict[str, Interval] = {}
    means = [record for record in records if record.requires == (Silhouettes,)]
    drawn = [record for record in records if made_by_centroids(record.requires) == {*record.requires}]
    if means:
        if widths is None:
            of_points = PointOptions(metric=metric, n_jobs=n_jobs)
            widths = reduce_coded_points(points, codes, {Silhouettes}, of_points)[Silhouettes]
        found |= _of_widths(
            widths,
            means,
            lambda: without_points(points, widths.codes, widths.sizes, as_metric(metric), generator, n_jobs),
            confidence,
        )
    if drawn and hasattr(points, "indptr"):
        raise InputError(
            f"{drawn[0].name} needs centroids of dense points, and X is sparse: pass X.toarray()"
        )
    found |= {record.name: _none(record.no_interval, confidence) for record in drawn if record.no_interval}
    drawn = [record for record in drawn if not record.no_interval]
    if drawn:
        found |= _of_moments(points, codes, drawn, confidence, n_resamples, generator)
    found |= {
        record.name: _none("sizes alone", confidence)
        for record in records
        if record.requires == (ClusterSizes,)
    }
    return {
        record.name: found.get(record.name, _none("pass over all pairs", confidence)) for record in records
    }


def _refusal(reason: str, confidence: float) -> Interval:
    return Interval.undefined(confidence, "jackknife", reason)


def _none(rule: str, confidence: float) -> Interval:
    """Return an undefined interval with the reason of a rule."""
    return _refusal(reason_of(rule), confidence)


def _of_widths(
    widths: Silhouettes, records: Sequence[Any], leave_out: Callable[[], LeftOut | None], confidence: float
) -> dict[str, Interval]:
    """Return jackknife intervals of the mean of the points' widths, and of the mean of the clusters' means."""
    values = {record.name: record.assess(widths)[0] for record in records}
    refused = {name: _no_interval_of(name, value, widths.sizes) for name, value in values.items()}
    found = {name: _refusal(reason, confidence) for name, reason in refused.items() if reason is not None}
    if len(found) == len(values):
        return found
    left_out = leave_out()
    for name in values.keys() - found.keys():
        if left_out is None:
            found[name] = _none("many sums", confidence)
            continue
        without = _without(left_out, widths, name)
        influence = Influence.of_left_out(values[name], without, left_out.weights)
        found[name] = _score_interval(influence, (-1.0, 1.0), confidence)
    return found


def _score_interval(
    influence: Influence, limits: tuple[float, float], confidence: float, observed: float | None = None
) -> Interval:
    return replace(interval_of(influence, limits, confidence, observed=observed), method="jackknife")


def _no_interval_of(name: str, value: float, sizes: NDArray[np.int64]) -> str | None:
    n, smallest = int(sizes.sum()), int(sizes.min())
    if math.isnan(value):
        return reason_of("no silhouette")
    if name == "silhouette_macro" and smallest < _FEWEST_OF_MEANS:
        return _too_small(smallest, n, _FEWEST_OF_MEANS)
    # The nearest clusters must be known: the mean distance to a cluster of few points is too uncertain.
    return _too_small(smallest, n, FEWEST_OF_CLASS) if smallest < FEWEST_OF_CLASS else None


def _too_small(smallest: int, n: int, fewest: int) -> str:
    return reason_of("few points", size=smallest, n=n, fewest=fewest, enough=round_up(n * fewest / smallest))


def _without(left_out: LeftOut, widths: Silhouettes, name: str) -> NDArray[np.float64]:
    """Return the values of the index without each of the left-out points."""
    if name == "silhouette":
        return np.asarray(left_out.sums.sum(axis=1) / (widths.codes.size - 1))
    rest = np.tile(widths.sizes, (left_out.points.size, 1))
    rest[np.arange(left_out.points.size), widths.codes[left_out.points]] -= 1
    return np.asarray((left_out.sums / rest).mean(axis=1))


def _of_moments(
    points: NDArray[Any],
    codes: NDArray[np.int64],
    records: Sequence[Any],
    confidence: float,
    n_groups: int,
    generator: np.random.Generator,
) -> dict[str, Interval]:
    """Return jackknife intervals from leaving out groups of points in turn."""
    n = codes.size
    sizes = np.bincount(codes)
    wanted = {t for record in records for t in record.requires}
    whole = reduce_coded_points(points, codes, wanted, PointOptions(n_jobs=1))
    values = {r.name: r.assess(*(whole[t] for t in r.requires))[0] for r in records}
    smallest = int(sizes.min())
    if smallest < FEWEST_OF_CLASS:
        return dict.fromkeys(values, _refusal(_too_small(smallest, n, FEWEST_OF_CLASS), confidence))
    found: dict[str, Interval] = {}
    divided = [record.name for record in records if record.reads_extreme == "nearest"]
    apart = _nearest_apart(points, codes) if divided else math.inf
    if apart < (least := normal_quantile(confidence)):
        reason = reason_of(
            "centroids too near", ratio=apart, enough=round_up(n * (least / max(apart, 1.0)) ** 2)
        )
        found = dict.fromkeys(divided, _refusal(reason, confidence))
    records = [record for record in records if record.name not in found]
    wanted = {t for record in records for t in record.requires}
    without: dict[str, list[float]] = {record.name: [] for record in records}
    for group in _groups(n, n_groups, generator) if records else ():
        kept = np.ones(n, bool)
        kept[group] = False
        statistics = reduce_coded_points(points[kept], codes[kept], wanted, PointOptions(n_jobs=1))
        for record in records:
            without[record.name].append(record.assess(*(statistics[t] for t in record.requires))[0])
    return found | {
        record.name: _by_groups(record, values[record.name], np.array(without[record.name]), confidence)
        for record in records
    }


def _nearest_apart(points: NDArray[Any], codes: NDArray[np.int64]) -> float:
    """Return the smallest distance of two centroids, relative to its standard error if they were the same."""
    sizes = np.bincount(codes)
    clusters = [np.asarray(points[codes == cluster], np.float64) for cluster in range(sizes.size)]
    centroids = np.array([own.mean(axis=0) for own in clusters])
    squares = [np.square(own - centre).sum() for own, centre in zip(clusters, centroids, strict=True)]
    variances = np.array(squares) / (sizes * (sizes - 1.0))
    least = math.inf
    for i in range(sizes.size - 1):
        away = np.square(centroids[i + 1 :] - centroids[i]).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            least = min(least, float(np.nanmin(away / (variances[i + 1 :] + variances[i]), initial=math.inf)))
    return math.sqrt(least)


def _groups(n: int, most: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Deal points into groups of equal size, so that values that grow with the number of points remain comparable.

    The points left over, fewer than a group, are in none. If they were many, their properties would look like a bias.
    """
    size = math.ceil(n / most)
    return generator.permutation(n)[: n - n % size].reshape(-1, size)


def _by_groups(record: Any, value: float, without: NDArray[np.float64], confidence: float) -> Interval:
    """Return an interval with the jackknife's standard error, of the logarithm if only positive values occur."""
    if not (math.isfinite(value) and np.isfinite(without).all()):
        return _none("undefined without", confidence)
    low, high = map(float, record.range)
    positive = low >= 0 and not math.isfinite(high) and value > 0 and bool((without > 0).all())
    if positive:
        # A value may change by a factor with each group, as a determinant does: its logarithm has the right error, and
        # its square does not overflow.
        value, without = math.log(value), logarithms(without)
    influence = Influence.of_left_out(value, without, np.ones(without.size))
    if not influence.events > 0:
        return _none("no point changes it", confidence)
    bias = _bias(value, without, _most_bias(record, 1.0 if positive else abs(value)))
    bounded = math.isfinite(low) and math.isfinite(high)
    limits = (low, high) if bounded else (-math.inf, math.inf)
    found = _score_interval(replace(influence, value=value - bias), limits, confidence, value)
    if record.reads_extreme:
        # The bias is itself uncertain: the interval covers those of both values.
        raw = _score_interval(influence, limits, confidence)
        found = replace(raw, low=min(raw.low, found.low), high=max(raw.high, found.high))
    back = _exponential if positive else float
    estimate = None if found.estimate is None else min(max(back(found.estimate), low), high)
    return replace(found, low=max(low, back(found.low)), high=min(high, back(found.high)), estimate=estimate)


def _exponential(logarithm: float) -> float:
    """Return the exponential of a logarithm, limited to the largest float."""
    return math.exp(min(logarithm, 709.0))


def _most_bias(record: Any, size: float) -> float:
    """Return how large a change may be to count as bias and not growth; `size` is the size of the value.

    Of an index that settles at a limit, any change without some of the points is bias: sixty points of five clusters in
    ten dimensions make det_ratio twice as large as many points. Some of the change of an index that grows may be bias,
    which only a model of the growth could tell: its interval is for its mean value with as many points.
    """
    return {"settles": math.inf, "grows": 0.0}.get(record.with_n, _GROWS * size)


def _bias(value: float, without: NDArray[np.float64], most: float) -> float:
    """Return the jackknife's estimate of the bias; 0 if it is at least `most`, so that it may be growth."""
    bias = (without.size - 1) * (float(without.mean()) - value)
    return bias if abs(bias) < most else 0.0
