"""Confidence intervals of the agreement of several raters: the units are a sample, the raters are fixed.

The standard error is that of the linearised index, unit by unit (Gwet 2021). For Krippendorff's alpha of few units it
is the jackknife's, because the linearised one is too small. The limits are those of log(1 - value), so that values
cannot exceed 1, with Student's quantile.

If units belong together, as images of one patient do, what each patient has of the linearised index is its sum over the
units, and the jackknife leaves out a patient at a time.

References
----------
Gwet (2021), Large-sample variance of Fleiss generalized kappa. Educational and Psychological Measurement 81, 781-790.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from adjudge.array_types import Floats
from adjudge.given.options import check_confidence
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, why_few_units
from adjudge.inference.refusals import reason_of
from adjudge.inference.sampling_design import Drawn, freedom_of, variance_of
from adjudge.presentation.numbers import percent_text
from adjudge.statistics.ratings import RatingCounts, disagreement

_METHOD = "linearised"
#: Up to this many units, Krippendorff's alpha is recomputed without each of them, or each that they belong to; then of
#: this many units at most.
_JACKKNIFED, _MOST_JACKKNIFED = 200, 20_000
#: Indices whose correction for chance, if any, does not depend on rare categories.
_STEADY = ("raters_agreement", "raters_ac1")
# If one category has more than the first share of the ratings, at least the second number of units need another one.
_PREVAILS, _FEW = 0.8, 30


def rater_intervals(
    records: Iterable[Index], counts: RatingCounts, confidence: float = 0.95, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Return the interval of each index of agreement.

    Parameters
    ----------
    records : iterable of Index
        Of kind "raters".
    counts : RatingCounts
    confidence : float
    drawn : Drawn, optional
        What each unit belongs to, with a line for each; default: they are independent.
    """
    check_confidence(confidence)
    return {record.name: _interval(record, counts, confidence, drawn) for record in records}


def _interval(record: Index, counts: RatingCounts, confidence: float, drawn: Drawn | None) -> Interval:
    from scipy.stats import t

    value, _ = record.assess(counts)
    units = int(counts.several.sum())
    if math.isnan(value) or units < 2:
        return Interval.undefined(
            confidence, _METHOD, None if math.isnan(value) else reason_of("one rated unit")
        )
    method = _METHOD
    influence, own = _influence(record, counts, drawn)
    if (few := why_few_units(own)) is not None:
        return Interval.undefined(confidence, method, few)
    many = units if own is None else own.n_units
    if "level" in record.parameters and many <= _JACKKNIFED and units <= _MOST_JACKKNIFED:
        method, error = "jackknife", _without_each(counts, record, own)
    else:
        error = math.sqrt(variance_of(influence, own))
    if error == 0 or value >= 1:
        return Interval.undefined(confidence, method, reason_of("raters agree"))
    if math.isnan(error):
        return Interval.undefined(confidence, method, reason_of("one category"))
    if record.name not in _STEADY and _one_prevails(counts):
        rare = reason_of("rare categories", share=percent_text(_PREVAILS), fewest=_FEW)
        return Interval.undefined(confidence, _METHOD, rare)
    freedom = freedom_of(influence, own)
    quantile = float(t.ppf((1 + confidence) / 2, units - 1 if freedom is None else freedom))
    factor = math.exp(quantile * error / (1 - value))
    least = float(record.range[0])
    if counts.several.all():
        least = max(least, -1.0)
    low = max(least, 1 - (1 - value) * factor)
    return Interval(low, 1 - (1 - value) / factor, confidence, method)


def _one_prevails(counts: RatingCounts) -> bool:
    """Whether one category has nearly all ratings, so that chance agreement depends on a few units."""
    commonest = int(np.argmax(counts.shares))
    others = np.unique(counts.unit[counts.category != commonest]).size
    return bool(counts.shares[commonest] > _PREVAILS and others < _FEW)


def _without_each(counts: RatingCounts, record: Index, drawn: Drawn | None) -> float:
    """Return the jackknife standard error of an index over units; nan if one of its values is undefined."""
    paired = counts.paired
    each = np.arange(paired.n) if drawn is None else drawn.unit
    values = np.array([record.assess(paired.take(each != one))[0] for one in np.unique(each)])
    n = values.size
    return math.sqrt((n - 1) / n * float(((values - values.mean()) ** 2).sum()))


def standard_error(record: Index, counts: RatingCounts, drawn: Drawn | None = None) -> float:
    """Estimate the standard error of an index over samples of units, or of what units belong to."""
    return math.sqrt(variance_of(*_influence(record, counts, drawn)))


def _influence(record: Index, counts: RatingCounts, drawn: Drawn | None) -> tuple[Influence, Drawn | None]:
    """Return the influence of each unit on an index, and what those units belong to that it reads."""
    slopes = _slopes(record, counts)
    influence = Influence.centred(record.assess(counts)[0], slopes * slopes.size)
    if drawn is None or slopes.size == drawn.unit.size:
        return influence, drawn
    named, unit = np.unique(drawn.unit[counts.several], return_inverse=True)
    return influence, Drawn(unit.ravel(), named.size)


def _slopes(record: Index, counts: RatingCounts) -> Floats:
    """Return the derivative of an index in the weight of each unit."""
    if "level" in record.parameters:
        return disagreement(counts, record.parameters["level"]).slopes
    agreements = np.where(counts.several, counts.agreements - counts.agreement, 0.0)
    of_agreement = agreements / counts.several.sum()
    if record.name == "raters_agreement":
        return np.asarray(of_agreement)
    shares, ratings = counts.shares, counts.ratings[counts.unit]
    by_chance, per_share = {
        "fleiss_kappa": lambda: (float(shares @ shares), 2 * shares),
        "raters_ac1": lambda: (
            float(shares @ (1 - shares)) / (counts.k - 1),
            (1 - 2 * shares) / (counts.k - 1),
        ),
    }[record.name]()
    moved = counts.by_unit(counts.count / ratings * per_share[counts.category]) - float(shares @ per_share)
    value = (counts.agreement - by_chance) / (1 - by_chance)
    return np.asarray((of_agreement - (1 - value) * moved / counts.n) / (1 - by_chance))
