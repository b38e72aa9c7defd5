"""Deviations of forecasts from outcomes: by bins of forecasts, smoothed, and Murphy's parts of the Brier score."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError
from adjudge.given.options import check_choice, check_count
from adjudge.kernels.elementary import exponentials
from adjudge.kernels.scores import bin_scores
from adjudge.parallel import in_threads, n_cores, spans
from adjudge.statistics.binned_scores import BINS, MergedInBins
from adjudge.statistics.ranked_scores import RankedScores, ScoredOutcomes

Bins = Literal["width", "mass"]
# Instances that are summed into separate bins before these are added up.
_STRETCH = 1 << 16
# Steps of the grid for one bandwidth of the kernel, and most steps: values are accurate to five digits or more.
_FINE, _MOST_STEPS = 128, 1 << 20


@dataclass(frozen=True, eq=False)
class ReliabilityBins:
    """Forecasts in bins; empty bins are left out.

    Attributes
    ----------
    low, high : ndarray of float64 of shape (b,)
        Ends of the bins; for bins of equal mass, their smallest and largest forecast.
    counts : ndarray of float64 of shape (b,)
        Instances in each bin, or their weight.
    forecast, observed : ndarray of float64 of shape (b,)
        Mean forecast in the bin; share of its instances with the outcome.
    """

    low: Floats
    high: Floats
    counts: Floats
    forecast: Floats
    observed: Floats

    @property
    def gaps(self) -> Floats:
        """Absolute difference between forecast and observation."""
        return np.abs(self.forecast - self.observed)

    @property
    def shares(self) -> Floats:
        """Share of the instances in each bin."""
        return np.asarray(self.counts / self.counts.sum())


def reliability_bins(
    scores: RankedScores | ScoredOutcomes, n_bins: int = 10, bins: Bins = "width"
) -> ReliabilityBins:
    """Group forecasts into bins.

    Parameters
    ----------
    scores : RankedScores or ScoredOutcomes
        Probabilities; bins of equal width do not need them sorted.
    n_bins : int
    bins : {"width", "mass"}
        Bins of equal width on [0, 1], or with equally many instances, as nearly as possible if equal forecasts share a
        bin; with few distinct forecasts there are fewer bins. Edges of bins of equal width are the rounded quotients
        i / n_bins; a forecast on an edge belongs to the bin below.
    """
    check_count("n_bins", n_bins)
    check_choice("bins", bins, ("width", "mass"))
    values = scores.values if isinstance(scores, ScoredOutcomes) else scores.scores
    if values.size and not 0 <= values.min() <= values.max() <= 1:
        raise InputError("bins need probabilities, but some scores lie outside [0, 1]")
    if isinstance(scores, MergedInBins) and (bins == "mass" or BINS % n_bins):
        raise InputError(
            f"the engine of the table counted scores in {BINS:,} bins, which do not make up these: collect the table "
            "first"
        )
    if isinstance(scores, ScoredOutcomes):
        if bins == "width" and scores.weights is None:
            return _of_width_unsorted(scores, n_bins)
        scores = scores.ranked
    return _of_mass(scores, n_bins) if bins == "mass" else _of_width(scores, n_bins)


def _of_width_unsorted(scores: ScoredOutcomes, n_bins: int) -> ReliabilityBins:
    edges = np.arange(n_bins + 1) / n_bins
    values, hits = np.ascontiguousarray(scores.values), np.ascontiguousarray(scores.hits)
    n = values.size
    # The same blocks for any number of threads, so that sums are rounded in the same way.
    blocks = spans(n, max(1, n // _STRETCH))
    sums = np.zeros((len(blocks), 3, n_bins))

    def fill(part: slice) -> None:
        for number in range(len(blocks))[part]:
            block = blocks[number]
            bin_scores(values[block], hits[block], edges, True, sums[number])

    in_threads(fill, spans(len(blocks), max(1, min(n_cores(), len(blocks)))))
    counts, forecast, observed = sums.sum(axis=0)
    return _filled(edges, counts, forecast, observed)


def _of_width(scores: RankedScores, n_bins: int) -> ReliabilityBins:
    edges = np.arange(n_bins + 1) / n_bins
    places = np.minimum(np.searchsorted(edges[1:], scores.scores), n_bins - 1)
    return _filled(edges, *_summed(scores.scores, scores.counts, scores.positives, places, n_bins))


def _filled(edges: Floats, counts: Floats, forecast: Floats, observed: Floats) -> ReliabilityBins:
    """Drop empty bins, and turn sums into means."""
    kept = counts > 0
    low, high, n = edges[:-1][kept], edges[1:][kept], counts[kept]
    return ReliabilityBins(low, high, n, forecast[kept] / n, observed[kept] / n)


def _of_mass(scores: RankedScores, n_bins: int) -> ReliabilityBins:
    """Cut the instances, sorted by forecast, into bins with numbers as equal as ties allow.

    Equal forecasts stay together, in the bin of the middle one. Distributed over bins, they would make bins that do not
    differ but each have a variance of their own.
    """
    total = float(scores.n)
    if scores.counts.dtype.kind == "f":
        ends = total * np.arange(1, n_bins + 1) / n_bins
    else:
        whole, more = divmod(int(total), n_bins)
        ends = np.cumsum([whole + (i < more) for i in range(n_bins)]).astype(np.float64)
    middle = np.cumsum(scores.counts).astype(np.float64) - scores.counts / 2
    places = np.minimum(np.searchsorted(ends, middle), n_bins - 1)
    counts, forecast, observed = _summed(scores.scores, scores.counts, scores.positives, places, n_bins)
    filled = counts > 0
    low, high = np.full(n_bins, math.inf), np.full(n_bins, -math.inf)
    np.minimum.at(low, places, scores.scores)
    np.maximum.at(high, places, scores.scores)
    return ReliabilityBins(
        low[filled],
        high[filled],
        counts[filled],
        forecast[filled] / counts[filled],
        observed[filled] / counts[filled],
    )


def _summed(
    forecasts: Floats, counts: NDArray[Any], true: NDArray[Any], places: Ints, n_bins: int
) -> tuple[Floats, Floats, Floats]:
    """Sum counts, forecasts and outcomes, bin by bin."""
    weights = [np.asarray(each, np.float64) for each in (counts, counts * forecasts, true)]
    found = [np.asarray(np.bincount(places, each, n_bins), np.float64) for each in weights]
    return found[0], found[1], found[2]


class BrierParts(NamedTuple):
    """Murphy's parts of the Brier score, beside the uncertainty of the outcomes, by distinct forecasts.

    Attributes
    ----------
    reliability : float
        Mean squared difference between forecast and observed share: 0 if calibrated.
    resolution : float
        Mean squared difference between the observed shares and that of all instances.
    """

    reliability: float
    resolution: float


def brier_parts(scores: RankedScores) -> BrierParts:
    """Decompose the Brier score of the positive class; `scores` are probabilities."""
    n = float(scores.n)
    counts = scores.counts.astype(np.float64)
    observed = scores.positives / counts
    return BrierParts(
        reliability=float(counts @ (scores.scores - observed) ** 2) / n,
        resolution=float(counts @ (observed - scores.n_positive / n) ** 2) / n,
    )


def smooth_calibration(scores: RankedScores, added: float = 0.0) -> float:
    """Return the bandwidth at which the smoothed deviation of forecasts from outcomes has the same size.

    Gaussian smoothing with reflection at 0 and 1 is heat flow on [0, 1], which damps each cosine by itself. Here it
    flows between the nodes of a grid, and a deviation is shared between the two nearest: 128 steps or more to a
    bandwidth, and at most 2^20 in all.

    Parameters
    ----------
    scores : RankedScores
        Probabilities.
    added : float
        Is added to the size at every bandwidth.
    """
    from scipy.optimize import brentq

    deviations = (scores.counts * scores.scores - scores.positives) / float(scores.n)
    most = float(np.abs(deviations).sum()) + added
    if most == 0:
        return 0.0
    steps = 1 << 10
    while True:
        smoothed = _smoothed(scores.scores, deviations, steps)
        # The deviation falls as the bandwidth grows, and it is at most `most`, up to rounding.
        above = most * (1 + 1e-9) + 1e-12
        found = float(brentq(lambda width, of=smoothed: of(width) + added - width, 0.0, above, xtol=1e-15))
        wanted = math.ceil(_FINE / max(found, 1e-9))
        enough = min(_MOST_STEPS, 1 << (wanted - 1).bit_length())
        if steps >= enough:
            return min(found, most)
        steps = enough


def _smoothed(places: Floats, deviations: Floats, steps: int) -> Callable[[float], float]:
    """Return the mean absolute deviation as a function of the bandwidth."""
    at = places * steps
    left = np.minimum(at.astype(np.int64), steps - 1)
    nodes = np.asarray(np.bincount(left, deviations * (left + 1 - at), steps + 1), np.float64)
    nodes += np.bincount(left + 1, deviations * (at - left), steps + 1)
    heights = heights_of(nodes)
    return lambda width: float(size_of(heights(width)))


def heights_of(nodes: Floats) -> Callable[[float], Floats]:
    """Return the smoothed density as a function of the bandwidth, given what lies at the nodes of a grid on [0, 1].

    Parameters
    ----------
    nodes : ndarray of float64 of shape (..., steps + 1)
    """
    from scipy.fft import dct

    steps = nodes.shape[-1] - 1
    inner = nodes.copy()
    inner[..., 1:-1] /= 2
    cosines = dct(inner, type=1)
    # A random walk between neighbouring nodes never makes the deviation larger, however narrow the kernel.
    rates = steps**2 * (1 - np.cos(math.pi / steps * np.arange(steps + 1)))

    def heights(width: float) -> Floats:
        return np.asarray(dct(cosines * exponentials(-rates * width**2), type=1))

    return heights


def size_of(heights: Floats) -> Floats:
    """Return the integral of the absolute density on [0, 1]."""
    sizes = np.abs(heights)
    return np.asarray((sizes.sum(axis=-1) - (sizes[..., 0] + sizes[..., -1]) / 2) / (sizes.shape[-1] - 1))
