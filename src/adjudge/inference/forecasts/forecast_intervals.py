"""Confidence intervals of scores of probabilities and of decision values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.given.options import random_generator
from adjudge.indices.forecast_record import ForecastIndex, statistic_of
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.drawn import Drawn
from adjudge.inference.forecasts.area_influence import (
    RANK_MEANS,
    Moved,
    Spread,
    between_classes,
    moved_means,
    spread,
)
from adjudge.inference.forecasts.auc import auc_interval, placements
from adjudge.inference.forecasts.mean_losses import MEAN_LOSSES, MeanLoss
from adjudge.inference.forecasts.threshold_influence import (
    THRESHOLD_SCORES,
    PositiveClass,
    limits_of,
    why_no_threshold,
)
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import WEIGHTED
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.ranked_scores import PairAreas, PositiveScores, RankAreas

__all__ = [
    "area_interval",
    "assessed",
    "can_resample",
    "has_influence",
    "intervals_of_forecasts",
    "moved_scores",
    "on_log_odds",
    "percentiles",
    "resampled_positions",
    "why_no_overlap",
    "why_not_resampled",
    "why_too_many",
]

Floats = NDArray[np.float64]

#: Scores of probabilities are bootstrapped as long as resampling them all reads no more entries than this.
MOST_ENTRIES = 20_000_000
N_RESAMPLES = 300
TOO_MANY_ROWS = "there are too many instances for resampling: take a sample of them"
#: Instances of a class that do not rank before all others, below which a ranking is nearly perfect.
_FEW_OVERLAPPING = 5
_NEARLY_PERFECT = (
    f"fewer than {_FEW_OVERLAPPING} instances of the class score no higher than one of another class: "
    "resamples would hardly vary"
)
_ONE_OF_A_CLASS = (
    "every resample has the one instance of a class that there is: take a sample with more of them"
)
#: Instances of each class from which on influence values have a standard error that holds.
_ENOUGH_OF_A_CLASS = 20
_FEW_OF_A_CLASS = (
    f"a class has fewer than {_ENOUGH_OF_A_CLASS} instances, and there are too many in all for resampling: "
    "take a sample with more of that class"
)
# What is left of a score at least if its excess is taken off.
_LEAST_LEFT = 0.1
_AT_A_LIMIT = "no instance changes the score"
_UPWARDS = "resamples are worse calibrated than the instances: no interval would keep its level"


def intervals_of_forecasts(
    records: Iterable[ForecastIndex],
    forecasts: Forecasts,
    confidence: float,
    *,
    resample: bool = True,
    random_state: Any = None,
    drawn: Drawn | None = None,
) -> dict[str, Interval]:
    """Intervals of scores of probabilities: of areas, of mean losses, else bootstrapped.

    Of too many instances for resampling, means over classes of areas and of average precisions, partial areas and the
    best that any threshold reaches have the interval that the influence of each instance gives.

    Parameters
    ----------
    records : iterable of ForecastIndex
    forecasts : Forecasts
    confidence : float
    resample : bool
        Whether scores whose interval needs resamples have one.
    random_state : int, Generator, SeedSequence or None
        Of the resamples; None for the same ones every time.
    """
    records = list(records)
    if forecasts.weights is not None:
        none = Interval.undefined(confidence, "percentile", WEIGHTED)
        return {record.name: none for record in records}
    found: dict[str, Interval] = {}
    others = []
    for record in records:
        if record.name in MEAN_LOSSES:
            assert isinstance(forecasts, ProbabilityForecasts)
            found[record.name] = MeanLoss(record.name, forecasts).interval(confidence)
        elif record.name in ("roc_auc", "gini") and forecasts.positive is not None:
            own = auc_interval(placements(forecasts), confidence=confidence)
            times, less = (2.0, 1.0) if record.name == "gini" else (1.0, 0.0)
            ends = times * own.low - less, times * own.high - less
            found[record.name] = Interval(*ends, confidence, own.method, own.reason)
        elif record.name == "top_k_accuracy" and forecasts.k > 2:  # of two classes the first two are all
            right = round(assessed([record], forecasts)[0] * forecasts.n)
            found[record.name] = interval_of_share(right, forecasts.n, confidence)
        elif (reason := why_not_resampled(record)) is not None or (
            reason := why_no_overlap(record, forecasts)
        ) is not None:
            found[record.name] = Interval.undefined(confidence, "percentile", reason)
        else:
            others.append(record)
    if not can_resample(forecasts):
        found |= _by_influence(
            [record for record in others if has_influence(record, forecasts)], forecasts, confidence
        )
        others = [record for record in others if record.name not in found]
    if not resample:
        none = Interval.undefined(confidence, "percentile", TOO_MANY_ROWS)
        return found | {record.name: none for record in others}
    return found | _bootstrapped(others, forecasts, confidence, random_state)


def has_influence(record: ForecastIndex, forecasts: Forecasts) -> bool:
    """Whether what instances do to a score tells its error: of what thresholds make, only of very many instances."""
    if record.name in THRESHOLD_SCORES:
        return forecasts.positive is not None and not can_resample(forecasts)
    return record.name in RANK_MEANS


def _by_influence(
    records: Sequence[ForecastIndex], forecasts: Forecasts, confidence: float
) -> dict[str, Interval]:
    """Make intervals by Student's t on the scale of log odds, without resamples."""
    sizes = np.bincount(forecasts.codes)
    if (sizes[sizes > 0] < _ENOUGH_OF_A_CLASS).any():
        none = Interval.undefined(confidence, "logit-t", _FEW_OF_A_CLASS)
        return {record.name: none for record in records}
    positive = PositiveClass(forecasts)
    unclear = {record.name: why_no_threshold(record, positive) for record in records}
    records = [record for record in records if unclear[record.name] is None]
    found = {
        name: Interval.undefined(confidence, "logit-t", reason) for name, reason in unclear.items() if reason
    }
    moved = moved_scores(records, forecasts, positive)
    for record, value in zip(records, assessed(records, forecasts), strict=True):
        error, freedom = spread(moved[record.name].influence, forecasts.codes)
        # Few instances in the wrong order make the error of a value next to 1, however many there are in all.
        least, most = limits_of(record)
        seen = (min(value - least, most - value) / error) ** 2 if error > 0 else 0.0
        own = Spread(error, max(1.0, min(freedom, seen)))
        excess, spare = moved[record.name].excess, moved[record.name].spare
        ends = _log_odds_ends(value, (excess, excess - spare), own, confidence, (least, most))
        found[record.name] = (
            Interval.undefined(confidence, "logit-t", _AT_A_LIMIT)
            if ends is None
            else Interval(*ends, confidence, "logit-t")
        )
    return found


def area_interval(
    forecasts: Forecasts, code: int, confidence: float, drawn: Drawn | None = None
) -> Interval | None:
    """Interval of the area under the ROC curve of one class."""
    if drawn is not None and not drawn.alone:
        return None
    return auc_interval(placements(forecasts, code), confidence=confidence)


def moved_scores(
    records: Sequence[ForecastIndex], forecasts: Forecasts, positive: PositiveClass
) -> dict[str, Moved]:
    """Tell what instances do to each score, those that are the same but for their unit once."""
    moved = moved_means([record.name for record in records if record.name in RANK_MEANS], forecasts)
    best = [record for record in records if record.name in THRESHOLD_SCORES]
    return moved | {record.name: THRESHOLD_SCORES[record.name].moved(record, positive) for record in best}


def _bootstrapped(
    records: list[ForecastIndex], forecasts: Forecasts, confidence: float, random_state: Any
) -> dict[str, Interval]:
    """Draw instances again within each class, so that none is lost; on the scale of log odds."""
    if not records:
        return {}
    if (reason := why_too_many(forecasts)) is not None:
        none = Interval.undefined(confidence, "percentile", reason)
        return {record.name: none for record in records}
    sizes = np.bincount(forecasts.codes, minlength=forecasts.k)
    if forecasts.positive is not None:
        n_positive = int(sizes[forecasts.positive])
        sizes = np.array([n_positive, forecasts.n - n_positive])
    if (sizes == 1).any():
        none = Interval.undefined(confidence, "logit-bootstrap", _ONE_OF_A_CLASS)
        return {record.name: none for record in records}
    again = resampled_positions(forecasts, random_state)
    drawn = [assessed(records, forecasts.take(positions)) for positions in again]
    observed = assessed(records, forecasts)
    found = {}
    for record, value, values in zip(records, observed, np.transpose(drawn), strict=True):
        aside = _aside(record, forecasts)
        own = on_log_odds(value, values, sizes[sizes > 0], confidence, limits_of(record), aside)
        found[record.name] = percentiles(values, confidence) if own is None else own
    return found


def why_not_resampled(record: ForecastIndex) -> str | None:
    """Say why resamples tell nothing of a score; None if they do."""
    calibration = record.name.endswith("calibration_error")
    return _UPWARDS if calibration or record.name in ("brier_reliability", "brier_resolution") else None


def why_no_overlap(record: ForecastIndex, forecasts: Forecasts) -> str | None:
    """Say that resamples of nearly perfect rankings would hardly vary; None if they do."""
    if not any(issubclass(kind, (RankAreas, PairAreas, PositiveScores)) for kind in record.requires):
        return None
    codes = range(forecasts.k) if forecasts.positive is None else (forecasts.positive,)
    overlapping = 0
    for code in codes:
        inside = forecasts.codes == code
        if inside.all() or not inside.any():
            continue
        column = forecasts.column(code)
        overlapping += int(np.count_nonzero(column[inside] <= column[~inside].max()))
        if overlapping >= _FEW_OVERLAPPING:
            return None
    return _NEARLY_PERFECT


def why_too_many(forecasts: Forecasts) -> str | None:
    """Say that resampling would take long; None if it does not."""
    return None if can_resample(forecasts) else TOO_MANY_ROWS


def can_resample(forecasts: Forecasts, times: int = 1) -> bool:
    """Whether resampling forecasts, several times over, takes seconds and not minutes."""
    return times * forecasts.n * forecasts.k * N_RESAMPLES <= MOST_ENTRIES


def resampled_positions(forecasts: Forecasts, random_state: Any = None) -> Iterator[NDArray[np.int64]]:
    """Draw instances again within each class, so that none is lost; the same ones every time if there is no seed."""
    generator = random_generator(0 if random_state is None else random_state)
    groups = [np.flatnonzero(forecasts.codes == code) for code in range(forecasts.k)]
    for _ in range(N_RESAMPLES):
        yield np.concatenate([generator.choice(g, g.size) for g in groups if g.size])


def assessed(records: Sequence[ForecastIndex], forecasts: Forecasts) -> list[float]:
    """Compute scores from the same forecasts, each statistic made once."""
    made: dict[Any, Any] = {}
    found = []
    for record in records:
        for kind in record.requires:
            if kind not in made:
                made[kind] = statistic_of(kind, forecasts, record.name)
        found.append(record.assess(*(made[kind] for kind in record.requires))[0])
    return found


class Aside(NamedTuple):
    """What resamples within classes do not tell of a score.

    Attributes
    ----------
    excess : float
        By how much it is larger in a sample than among all instances.
    between : float
        Variance that comes from how many instances of each class are drawn.
    """

    excess: float = 0.0
    between: float = 0.0


def _aside(record: ForecastIndex, forecasts: Forecasts) -> Aside:
    mean = RANK_MEANS.get(record.name)
    if mean is None or mean.of != "precision":
        return Aside()
    moved = mean.moved(forecasts)
    return Aside(moved.excess, between_classes(moved.influence, forecasts.codes))


def on_log_odds(
    value: float,
    values: Floats,
    sizes: NDArray[np.int64],
    confidence: float,
    limits: tuple[float, float],
    aside: Aside = Aside(),  # noqa: B008
) -> Interval | None:
    """Make the interval of a score by Student's t on the scale of log odds, with the deviation of the resamples.

    Percentiles are too close with few instances of a class: those of average precision held in 0.77 to 0.89 of the
    samples of seven laws with 6 to 150 positives, of areas of three classes in 0.82; this in 0.85 to 0.98. Of two
    classes the degrees of freedom, and what the resamples lack in variance, are those of the smaller one; of more
    they are those of a mean over the classes (Satterthwaite).

    Parameters
    ----------
    value : float
    values : ndarray of shape (resamples,)
    sizes : ndarray of int64
        Instances of each class, two at least.
    confidence : float
    limits : (float, float)
        Smallest and largest value that the score can have.
    aside : Aside
        The middle is less by the excess; the value stays inside.

    Returns
    -------
    Interval or None
        None if the score is at a limit, or resamples do not vary or are undefined for the most part.
    """
    known = values[np.isfinite(values)]
    if known.size < values.size / 2 or not np.ptp(known) > 0:
        return None
    freedom, lacking = _freedom(sizes.astype(np.float64))
    error = math.sqrt(lacking * float(known.var(ddof=1)) + aside.between)
    ends = _log_odds_ends(value, (aside.excess, aside.excess), Spread(error, freedom), confidence, limits)
    if ends is None:
        return None
    reason = None if known.size == values.size else "resamples for which it is undefined are left out"
    return Interval(*ends, confidence, "logit-bootstrap", reason)


def _log_odds_ends(
    value: float,
    excesses: tuple[float, float],
    error: Spread,
    confidence: float,
    limits: tuple[float, float],
) -> tuple[float, float] | None:
    """Find the ends by Student's t on the scale of log odds, each of a value that is less by its own excess.

    None of a value at a limit, or without an error.
    """
    from scipy.stats import t as student

    width = limits[1] - limits[0]
    observed = (value - limits[0]) / width
    if not 0 < observed < 1 or not error.error > 0:
        return None
    quantile = float(student.ppf((1 + confidence) / 2, error.freedom))

    def end(excess: float, errors: float) -> float:
        share = max(observed - excess / width, _LEAST_LEFT * observed)
        odds = math.log(share / (1 - share)) + errors * error.error / width / (share * (1 - share))
        return limits[0] + width / (1 + math.exp(-max(odds, -700.0)))

    return min(end(excesses[0], -quantile), value), max(end(excesses[1], quantile), value)


def _freedom(sizes: Floats) -> tuple[float, float]:
    """Degrees of freedom of a variance by resampling, and by how much it is too small."""
    if sizes.size == 2:
        fewest = float(sizes.min())
        return fewest - 1, fewest / (fewest - 1)
    parts = 1 / sizes
    seen = (sizes - 1) / sizes**2
    freedom = float(parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum())
    return freedom, float(parts.sum() / seen.sum())


def percentiles(values: Floats, confidence: float) -> Interval:
    """Interval between the percentiles of a score over resamples."""
    known = values[np.isfinite(values)]
    if known.size < values.size / 2:
        return Interval.undefined(confidence, "percentile", "undefined for most resamples")
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    reason = None if known.size == values.size else "resamples for which it is undefined are left out"
    return Interval(float(low), float(high), confidence, "percentile", reason)
