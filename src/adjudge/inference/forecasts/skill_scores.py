"""Scores that compare a mean loss with that of forecasting the classes' shares: what each instance adds to them.

The shares are of the same sample as the losses. Resampling within each class would hold them fixed, and its intervals
would be too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import brier_of_each, log_loss_of_each

__all__ = ["SKILLS", "Skill", "why_no_baseline"]

Floats = NDArray[np.float64]

# Instances outside of the largest class with which the loss of forecasting the shares is known.
_FEWEST = 5


def _entropy(shares: Floats, codes: NDArray[np.int64]) -> tuple[float, Floats]:
    """Entropy of the shares, and how fast it grows with the weight of each instance."""
    known = shares[shares > 0]
    entropy = -float(known @ np.log(known))
    return entropy, -np.log(shares[codes]) - entropy


def _uncertainty(shares: Floats, codes: NDArray[np.int64]) -> tuple[float, Floats]:
    """Brier score of forecasting the shares (of two classes of the second), and how fast it grows."""
    alike = float(shares @ shares)
    times = 0.5 if shares.size == 2 else 1.0
    return times * (1 - alike), -2 * times * (shares[codes] - alike)


#: By the name of the score: the loss of each instance, and what its mean is compared with.
SKILLS: dict[str, tuple[Callable[[ProbabilityForecasts], Floats], Callable[..., tuple[float, Floats]]]] = {
    "d2_log_loss": (log_loss_of_each, _entropy),
    "brier_skill_score": (brier_of_each, _uncertainty),
}


@dataclass(frozen=True, eq=False)
class Skill:
    """A linearised skill score: what an instance adds to it is linear in its loss, and depends on its class.

    Attributes
    ----------
    baseline : float
        Loss of forecasting the classes' shares.
    offsets : ndarray of shape (C,)
        What an instance of each class would add if it had no loss.
    loss : callable
        The loss of each instance.
    """

    baseline: float
    offsets: Floats
    loss: Callable[[ProbabilityForecasts], Floats]

    @classmethod
    def of(cls, name: str, forecasts: ProbabilityForecasts) -> Skill:
        """Linearise a score; the baseline is 0 if the truth has one class."""
        loss, compared = SKILLS[name]
        shares = np.bincount(forecasts.codes, minlength=forecasts.k) / forecasts.n
        with np.errstate(divide="ignore", invalid="ignore"):
            baseline, growth = compared(shares, np.arange(forecasts.k))
            # Half an instance of a class of which none was drawn.
            growth = np.where(np.isfinite(growth), growth, math.log(2 * forecasts.n) - baseline)
            ratio = float(loss(forecasts).mean()) / baseline if baseline > 0 else math.nan
            return cls(baseline, 1 + ratio * growth / baseline, loss)

    def of_each(self, forecasts: ProbabilityForecasts) -> Floats:
        """Values whose mean is the score, and whose spread that of the linearised score; nan without a baseline."""
        if not self.baseline > 0:
            return np.full(forecasts.n, np.nan)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.offsets[forecasts.codes] - self.loss(forecasts) / self.baseline)

    def of_losses(self, losses: Floats) -> Floats:
        """Do it for losses, of shape (n, C), that an instance would have in each class."""
        return np.asarray(self.offsets - losses / self.baseline)


def why_no_baseline(forecasts: ProbabilityForecasts) -> str | None:
    """Say that the loss of forecasting shares, and so a skill, is hardly known; None if it is, or there is no skill."""
    others = forecasts.n - int(np.bincount(forecasts.codes).max())
    if not 0 < others < _FEWEST:
        return None
    return (
        f"no interval: only {others} {'instance is' if others == 1 else 'instances are'} not of the largest class, and "
        "hardly tell the loss of forecasting shares"
    )
