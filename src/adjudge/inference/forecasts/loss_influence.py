"""The influence of each instance on mean losses, and on skill scores against forecasting the class shares.

The shares come from the same sample as the losses, so a skill score is linearised in both: what an instance adds is
linear in its loss, and depends on its class.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.inference.arrays import Floats
from adjudge.inference.forecasts.rank_influence import Moved, weights_of
from adjudge.inference.refusals import FEWEST_OF_CLASS, refuse
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import brier_of_each, log_loss_of_each

__all__ = ["LOSSES", "Added", "moved_loss"]


def _entropy(shares: Floats) -> tuple[float, Floats]:
    """Return the entropy of the shares, and its derivative in the weight of each class."""
    with np.errstate(invalid="ignore"):
        information = -logarithms(shares)
        entropy = float(np.nansum(shares * information))
    return entropy, information - entropy


def _uncertainty(shares: Floats) -> tuple[float, Floats]:
    """Return the Brier score of forecasting the shares (with two classes, of the second), and its derivative."""
    alike, times = float(shares @ shares), 0.5 if shares.size == 2 else 1.0
    return times * (1 - alike), -2 * times * (shares - alike)


#: By name of the score: the loss of each instance, and the baseline of its mean.
LOSSES: dict[
    str, tuple[Callable[[ProbabilityForecasts], Floats], Callable[[Floats], tuple[float, Floats]] | None]
] = {
    "log_loss": (log_loss_of_each, None),
    "brier_score": (brier_of_each, None),
    "d2_log_loss": (log_loss_of_each, _entropy),
    "brier_skill_score": (brier_of_each, _uncertainty),
}


@dataclass(frozen=True, eq=False)
class Added:
    """The contributions of instances to a mean loss, or to a linearised skill score.

    Attributes
    ----------
    of_each : ndarray of shape (n,)
    offsets : ndarray of shape (C,)
        Contribution of an instance of each class with zero loss.
    times : float
        Contribution of a unit of loss.
    """

    of_each: Floats
    offsets: Floats
    times: float

    @classmethod
    def of(cls, name: str, forecasts: ProbabilityForecasts) -> Added:
        """Linearise a score.

        Raises
        ------
        RefusedError
            If the loss of an instance is infinite, or the loss of forecasting the shares is too uncertain.
        """
        loss, compared = LOSSES[name]
        losses = loss(forecasts)
        if not np.isfinite(losses).all():
            refuse("infinite loss")
        if compared is None:
            return cls(losses, np.zeros(forecasts.k), 1.0)
        others = forecasts.n - int(np.bincount(forecasts.codes).max())
        if others < FEWEST_OF_CLASS:
            refuse("no baseline", others=others, are="instance is" if others == 1 else "instances are")
        baseline, growth = compared(forecasts.sizes / forecasts.sizes.sum())
        # As with half an instance of a class that was not drawn.
        growth = np.where(np.isfinite(growth), growth, math.log(2 * forecasts.n) - baseline)
        ratio = float(np.average(losses, weights=forecasts.weights)) / baseline
        offsets = 1 + ratio * growth / baseline
        return cls(offsets[forecasts.codes] - losses / baseline, offsets, -1 / baseline)


def moved_loss(name: str, forecasts: ProbabilityForecasts) -> Moved:
    """Return the influence of instances on a mean loss, or on a skill score."""
    added, weights = Added.of(name, forecasts).of_each, weights_of(forecasts)
    mean = float(weights @ added / weights.sum())
    return Moved(mean, added - mean)
