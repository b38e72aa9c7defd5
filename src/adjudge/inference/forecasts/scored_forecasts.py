"""Several models' forecasts of the same instances: the scores of each, what moves them, and their resamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.common.remembered import Remembered
from adjudge.inference.forecasts.area_influence import Moved
from adjudge.inference.forecasts.forecast_intervals import (
    assessed,
    can_resample,
    moved_scores,
    resampled_positions,
    why_no_overlap,
)
from adjudge.inference.forecasts.threshold_influence import PositiveClass, why_no_threshold
from adjudge.statistics.forecasts import Forecasts

__all__ = ["MovedScore", "ScoredForecasts"]

Floats = NDArray[np.float64]
Records = Sequence[ForecastIndex]


class MovedScore(NamedTuple):
    """A score, and what instances do to it."""

    value: float
    moved: Moved


class ScoredForecasts:
    """The models that have been scored: one that is compared with many is scored, and resampled, once.

    Parameters
    ----------
    random_state : int, Generator, SeedSequence or None
        Of the resamples; None for the same ones every time.
    """

    def __init__(self, random_state: Any = None) -> None:
        self._random_state = random_state
        self._known = Remembered()

    def why_not(self, record: ForecastIndex, forecasts: Forecasts) -> str | None:
        """Say why nothing is known of the error of a score; None if something is."""

        def reason() -> str | None:
            if (why := why_no_overlap(record, forecasts)) is not None or can_resample(forecasts):
                return why
            return why_no_threshold(record, PositiveClass(forecasts))

        found: str | None = self._known.once(("reason", forecasts, record.name), reason)
        return found

    def moved(self, records: Records, forecasts: Forecasts) -> dict[str, MovedScore]:
        """Score a model, and tell what instances do to each score.

        Parameters
        ----------
        records : sequence of ForecastIndex
            Of which the influence of instances is known.
        forecasts : Forecasts
        """

        def scored() -> dict[str, MovedScore]:
            moved = moved_scores(records, forecasts, PositiveClass(forecasts))
            values = assessed(records, forecasts)
            return {r.name: MovedScore(v, moved[r.name]) for r, v in zip(records, values, strict=True)}

        found: dict[str, MovedScore] = self._known.once(("moved", forecasts, *_names(records)), scored)
        return found

    def drawn(self, records: Records, forecasts: Forecasts) -> dict[str, Floats]:
        """Score a model as it is, then over each resample; by name, without records of which nothing is known.

        Parameters
        ----------
        records : sequence of ForecastIndex
        forecasts : Forecasts
            Of the same instances as those of the other models, in the same order.
        """

        def scored() -> dict[str, Floats]:
            own = [record for record in records if self.why_not(record, forecasts) is None]
            again = (forecasts.take(positions) for positions in self._drawn(forecasts))
            values = np.array([assessed(own, given) for given in (forecasts, *again)])
            return dict(zip(_names(own), values.T, strict=True))

        found: dict[str, Floats] = self._known.once(("drawn", forecasts, *_names(records)), scored)
        return found

    def _drawn(self, forecasts: Forecasts) -> list[NDArray[np.int64]]:
        """Return the same resamples for all models."""
        found: list[NDArray[np.int64]] = self._known.once(
            ("positions",), lambda: list(resampled_positions(forecasts, self._random_state))
        )
        return found


def _names(records: Records) -> list[str]:
    return [record.name for record in records]
