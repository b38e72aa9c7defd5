"""Scores that compare a mean loss with that of forecasting the classes' shares: what each instance adds to them.

The shares are of the same sample as the losses. Resampling within each class would hold them fixed, and its intervals
would be too narrow.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import brier_of_each, log_loss_of_each

__all__ = ["SKILLS", "skill_of_each"]

Floats = NDArray[np.float64]


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


def skill_of_each(name: str, forecasts: ProbabilityForecasts) -> Floats:
    """Values whose mean is the score, and whose spread that of the linearised score; nan if the truth has one class."""
    of_each, compared = SKILLS[name]
    losses = of_each(forecasts)
    shares = np.bincount(forecasts.codes, minlength=forecasts.k) / forecasts.n
    baseline, growth = compared(shares, forecasts.codes)
    if not baseline > 0:
        return np.full(forecasts.n, np.nan)
    ratio = float(losses.mean()) / baseline
    with np.errstate(invalid="ignore"):
        return np.asarray(1 - losses / baseline + ratio * growth / baseline)
