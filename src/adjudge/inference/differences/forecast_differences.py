"""Differences between two classifiers in scores of their probabilities or rankings, over the same instances.

The influence of an instance on a difference is that on the first score minus that on the second: what makes the
instance hard for both cancels out. Areas under a single ROC curve have DeLong's test, which has the same influence.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.common.significance import Difference, differences_by_name
from adjudge.inference.forecasts.auc import compare_areas, placements
from adjudge.inference.forecasts.forecast_influence import ScoredForecasts, limits_of
from adjudge.inference.interval import METHOD, Interval, Wanted
from adjudge.inference.sampling_design import Drawn, either_way
from adjudge.statistics.forecasts import Forecasts

_SAME = "the expected scores of both models are the same"


def differences_of_forecasts(
    records: Sequence[ForecastIndex],
    first: Forecasts,
    second: Forecasts,
    confidence: float,
    drawn: Drawn | None = None,
    scored: ScoredForecasts | None = None,
) -> dict[str, Difference]:
    """Return the intervals of differences, and the tests of whether they are 0.

    Parameters
    ----------
    records : sequence of ForecastIndex
    first, second : Forecasts
        Forecasts for the same instances, in the same order.
    confidence : float
    drawn : Drawn, optional
        How the instances were sampled; default: independently.
    scored : ScoredForecasts, optional
        Models scored for other pairs, so that they are not scored again.
    """
    independent = first.weights is None and drawn is None
    scored = scored or ScoredForecasts(drawn)
    areas = scored.ranks(first).slopes.one_areas(records) if independent else {}
    others = [record for record in records if record.name not in areas]
    models = [scored.scored(others, own) for own in (first, second)]
    found: dict[str, Wanted | Difference] = {}
    for name, area in areas.items():
        both = compare_areas(*(placements(own, area.code) for own in (first, second)), confidence=confidence)
        found[name] = Difference(area.rescaled(both.interval, difference=True), both.test)
    for record in others:
        one, other = (own[record.name] for own in models)
        if one.influence is None or other.influence is None:
            found[record.name] = Difference(
                Interval.undefined(confidence, METHOD, one.reason or other.reason)
            )
            continue
        found[record.name] = Wanted(either_way(one.less(other), drawn), limits_of(record, first.k), drawn)
    return differences_by_name(found, confidence, _SAME)
