"""The influence of each instance on scores of probabilities or decision values, or why it is not available."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.indices.forecast_record import ForecastIndex, statistic_of
from adjudge.inference.forecasts.abstention_influence import OF_ABSTENTION
from adjudge.inference.forecasts.loss_sums import LossSums, influence_of_losses
from adjudge.inference.forecasts.rank_influence import Moved, Ranks, moved_area, moved_pairs, weights_of
from adjudge.inference.forecasts.recalibration_influence import OF_RECALIBRATION
from adjudge.inference.forecasts.threshold_influence import (
    BEST_THRESHOLDS,
    HELD_RATES,
    PARTIAL_AREAS,
    largest_rate,
    moved_benefit,
    moved_partial_area,
    moved_rate,
)
from adjudge.inference.influence import Influence
from adjudge.inference.linear import Steps, scored
from adjudge.inference.refusals import (
    FEWEST_OF_CLASS,
    NO_ESTIMATE,
    WEIGHTED,
    RefusedError,
    reason_of,
    refuse,
    refuse_few_of_class,
)
from adjudge.inference.sampling_design import Drawn
from adjudge.kernels.scores import rank_of_truth
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.ordered_forecasts import OrderedLosses, ranked_of_each
from adjudge.statistics.ranked_scores import (
    PairAreas,
    PositiveProbabilities,
    PositiveScores,
    RankAreas,
    TruthRanks,
)

Records = Sequence[ForecastIndex]

# Most entries read to leave out each instance of a score without a closed form: seconds, not minutes.
_MOST_ENTRIES = 20_000_000


@dataclass(frozen=True, eq=False)
class ScoredForecast:
    """A score, and the influence of instances on it, or why that does not give its error.

    Attributes
    ----------
    value : float
    influence : Influence or None
    reason : str or None
    """

    value: float
    influence: Influence | None
    reason: str | None = None

    def known(self) -> Influence:
        """Return the influence.

        Raises
        ------
        RefusedError
            If it does not give the error.
        """
        if self.influence is None:
            raise RefusedError(self.reason)
        return self.influence

    def less(self, other: ScoredForecast) -> Influence:
        """Return the influence of instances on the difference of both scores."""
        assert self.influence is not None
        assert other.influence is not None
        # The bias of both scores in a sample mostly cancels out; and no instance is likely to be the worst one by one
        # model and the best one by the other.
        found = self.influence - other.influence
        return replace(found, value=self.value - other.value, rise=math.nan, fall=math.nan)


class ScoredForecasts:
    """The models scored so far: one that is compared with many is scored only once.

    Parameters
    ----------
    drawn : Drawn, optional
        How the instances were sampled; default: independently.
    """

    def __init__(self, drawn: Drawn | None = None) -> None:
        self.drawn = drawn
        self._known: dict[tuple[Forecasts, tuple[str, ...]], dict[str, ScoredForecast]] = {}
        self._ranks: dict[Forecasts, Ranks] = {}

    def ranks(self, forecasts: Forecasts) -> Ranks:
        """Return the ranks of a model's instances."""
        return self._ranks.setdefault(forecasts, Ranks(forecasts))

    def scored(self, records: Records, forecasts: Forecasts) -> dict[str, ScoredForecast]:
        """Return the scores of a model, and the influence of instances on each."""
        key = forecasts, tuple(record.name for record in records)
        if key not in self._known:
            self._known[key] = self._score(records, forecasts)
        return self._known[key]

    def _score(self, records: Records, forecasts: Forecasts) -> dict[str, ScoredForecast]:
        found: dict[str, ScoredForecast] = {}
        ranks = self.ranks(forecasts)
        losses = None
        if isinstance(forecasts, ProbabilityForecasts):
            losses = Steps(LossSums(forecasts), self._one)
        made: dict[Any, Any] = {}
        for record, value in zip(records, assessed(records, forecasts, made), strict=True):
            try:
                check_value(value)
                check_weights(forecasts, self.drawn)
                if record.requires == (ProbabilityLosses,):
                    assert losses is not None
                    own = influence_of_losses(scored(record, losses), self._of_classes(forecasts))
                    found[record.name] = ScoredForecast(value, own)
                    continue
                if record.name in OF_RECALIBRATION:
                    moved = OF_RECALIBRATION[record.name](*(made[kind] for kind in record.requires))
                else:
                    moved = self._moved(record, forecasts, value, ranks)
            except RefusedError as refusal:
                found[record.name] = ScoredForecast(value, None, str(refusal))
                continue
            found[record.name] = ScoredForecast(value, influence_of(moved._replace(value=value), forecasts))
        return found

    @property
    def _one(self) -> float:
        return 1.0 if self.drawn is None else self.drawn.share_of_one

    def _of_classes(self, forecasts: Forecasts) -> Floats | None:
        """Return what an instance of each class weighs, if the shares of the classes are known."""
        if self.drawn is None or self.drawn.strata is None:
            return None
        weights, rows = (
            np.bincount(forecasts.codes, own, forecasts.k) for own in (weights_of(forecasts), None)
        )
        return np.asarray(weights / np.maximum(rows, 1))

    def _moved(self, record: ForecastIndex, forecasts: Forecasts, value: float, ranks: Ranks) -> Moved:
        name = record.variant_of or record.name
        check_calibration(name)
        if record.requires == (RankAreas,):
            return ranks.moved(record, value, self._one, self._of_classes(forecasts))
        if record.requires == (PairAreas,):
            return moved_pairs(record, forecasts, self._one)
        if record.requires == (PositiveScores,):
            _check_ranking(forecasts)
        if name in PARTIAL_AREAS:
            return _with_unseen(record, forecasts, moved_partial_area(record, forecasts), self._one)
        if record.no_interval:
            refuse(record.no_interval)
        if name in OF_ABSTENTION and isinstance(forecasts, ProbabilityForecasts):
            return OF_ABSTENTION[name](forecasts, record)
        if name in HELD_RATES:
            return moved_rate(record, forecasts, *HELD_RATES[name])
        if record.requires == (PositiveProbabilities,) and name == "net_benefit":
            return moved_benefit(record, forecasts)
        if record.requires == (OrderedLosses,) and isinstance(forecasts, ProbabilityForecasts):
            return Moved(0.0, ranked_of_each(forecasts))
        if name in BEST_THRESHOLDS:
            return BEST_THRESHOLDS[name].moved(forecasts, self.drawn)
        if record.requires == (TruthRanks,):
            return _moved_hits(record, forecasts)
        return Moved(value, _left_out(record, forecasts, value))


def check_value(value: float) -> None:
    """Raise if a score is undefined or infinite."""
    if not math.isfinite(value):
        raise RefusedError(NO_ESTIMATE if math.isnan(value) else reason_of("infinite loss"))


def check_calibration(name: str) -> None:
    """Raise if a score is too large in a sample, as calibration errors are."""
    if name.endswith("calibration_error") or name in ("brier_reliability", "brier_resolution"):
        refuse("calibration")


def check_weights(forecasts: Forecasts, drawn: Drawn | None) -> None:
    """Raise if instances are weighted, unless they are known to be sampled with these weights."""
    if forecasts.weights is not None and (drawn is None or drawn.counts is None):
        raise RefusedError(WEIGHTED)


def influence_of(moved: Moved, forecasts: Forecasts) -> Influence:
    """Return the influence of instances whose weights say how they were sampled."""
    centred = Influence.centred(
        moved.value - moved.excess, moved.psi, forecasts.weights, rise=moved.rise, fall=moved.fall
    )
    # A weight says how an instance was sampled; it does not change the number of instances.
    return replace(centred, counts=None, classes=forecasts.codes, rests_on_classes=True)


def influence_on_area(forecasts: Forecasts, code: int, drawn: Drawn | None = None) -> Influence:
    """Return the influence of instances on the area under the ROC curve of one class against the rest.

    Raises
    ------
    RefusedError
    """
    check_weights(forecasts, drawn)
    size = int((forecasts.codes == code).sum())
    if size in (0, forecasts.n):
        raise RefusedError(NO_ESTIMATE)
    return influence_of(moved_area(forecasts, code), forecasts)


def _with_unseen(record: ForecastIndex, forecasts: Forecasts, moved: Moved, one: float) -> Moved:
    """Allow for one more instance of the positive class that ranks first or last."""
    scores = PositiveScores.make(forecasts)
    # Levels below and above all others.
    levels = np.r_[-math.inf, scores.scores, math.inf]
    positives, negatives = (np.pad(own.astype(np.float64), 1) for own in (scores.positives, scores.negatives))
    gains = [0.0]
    for place in (0, -1):
        more = positives.copy()
        more[place] += one
        gains.append(record.assess(PositiveScores(levels, more, negatives))[0] - moved.value)
    return moved._replace(rise=max(gains), fall=-min(gains))


def _moved_hits(record: ForecastIndex, forecasts: Forecasts) -> Moved:
    """Return the influence of instances on a score that depends on the rank of the true class."""
    ranks = np.stack(rank_of_truth(forecasts.matrix, forecasts.codes))
    kinds, which = np.unique(ranks, axis=1, return_inverse=True)
    one = np.ones(1, np.int64)
    hits = np.array([record.assess(TruthRanks(kind[:1], kind[1:], one, forecasts.k))[0] for kind in kinds.T])
    return Moved(0.0, hits[which.ravel()])


def _check_ranking(forecasts: Forecasts) -> None:
    """Raise if a ranking is nearly perfect, or if a class has few instances."""
    sizes = np.bincount(forecasts.codes, minlength=forecasts.k)
    if forecasts.positive is not None:
        sizes = np.array([sizes[forecasts.positive], forecasts.n - sizes[forecasts.positive]])
    refuse_few_of_class(sizes.tolist(), forecasts.n)
    overlapping = 0
    for code in range(forecasts.k) if forecasts.positive is None else (forecasts.positive,):
        inside = forecasts.codes == code
        if inside.any() and not inside.all():
            column = forecasts.column(code)
            overlapping += int(np.count_nonzero(column[inside] <= column[~inside].max()))
    if overlapping < FEWEST_OF_CLASS:
        refuse("nearly perfect")


def _left_out(record: ForecastIndex, forecasts: Forecasts, value: float) -> Floats:
    """Return influence values from leaving out each instance in turn."""
    n = forecasts.n
    if n < 2:
        refuse("one instance")
    if n * n * forecasts.k > _MOST_ENTRIES:
        refuse("no closed form", n=f"{n:,}")
    everyone = np.arange(n)
    without = [assessed([record], forecasts.take(everyone != i))[0] for i in range(n)]
    weights = weights_of(forecasts)
    return np.asarray((value - np.array(without)) * (weights.sum() - weights) / weights)


def assessed(records: Records, forecasts: Forecasts, made: dict[Any, Any] | None = None) -> list[float]:
    """Compute scores from the same forecasts, with each statistic computed once; they are put into `made`."""
    made, found = {} if made is None else made, []
    for record in records:
        for kind in record.requires:
            if kind not in made:
                made[kind] = statistic_of(kind, forecasts, record.name)
        found.append(record.assess(*(made[kind] for kind in record.requires))[0])
    return found


def limits_of(record: ForecastIndex, n_classes: int) -> tuple[float, float]:
    """Return the smallest and largest possible value of a score; partial areas have a smaller range than areas."""
    name = record.variant_of or record.name
    if name in PARTIAL_AREAS:
        rate = largest_rate(record)
        return ((1 - rate) / (2 - rate), 1.0) if PARTIAL_AREAS[name] else (0.0, rate)
    of_two = record.range_of_two if n_classes == 2 else None
    least, most = map(float, of_two or record.range)
    return least, most
