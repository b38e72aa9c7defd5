"""A band that contains the whole decision curve of the population: net benefit at many probabilities together.

Net benefit is a mean of what acting on each instance gains. Gaussian multipliers of what the instances add show how far
all means stray at once, in standard errors of each; the limits at each probability are those of the general rule for
that many standard errors, so that they allow for a right or wrong alarm where none was seen.

References
----------
Giné & Zinn (1984), Some limit theorems for empirical processes, Annals of Probability 12, 929-989.
Chernozhukov, Chetverikov & Kato (2013), Gaussian approximations and multiplier bootstrap for maxima of sums of
high-dimensional random vectors, Annals of Statistics 41, 2786-2819.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.array_types import Floats
from adjudge.given.options import random_generator
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted, intervals_of

# Draws of the multipliers: the quantile is certain to two digits.
_DRAWS = 2_000


def net_benefit_band(
    scores: Floats, positives: Floats, negatives: Floats, at: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """Return the lower and upper limits of the net benefit at each probability, which hold together.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Distinct probabilities, ascending.
    positives, negatives : ndarray of shape (m,)
        Instances of the class, and others, that have each.
    at : ndarray of shape (k,)
        Probabilities from which one would act, below 1.
    confidence : float
    """
    from scipy.special import ndtr

    order = np.argsort(at)
    grid, n = at[order], float(positives.sum() + negatives.sum())
    odds = grid / (1 - grid)
    # Instances between two probabilities of the grid are alike.
    places = np.searchsorted(grid, scores, side="right")
    counts = np.stack([np.bincount(places, own, grid.size + 1) for own in (positives, negatives)])
    acted = counts[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    benefit = (acted[0] - odds * acted[1]) / n
    error = np.sqrt(np.maximum((acted[0] + odds**2 * acted[1]) / n - benefit**2, 0.0) / n)
    rng = random_generator(0)
    noise = rng.standard_normal((_DRAWS, *counts.shape)) * np.sqrt(counts)
    swung = noise[:, :, ::-1].cumsum(axis=2)[:, :, ::-1][:, :, 1:]
    moved = (swung[:, 0] - odds * swung[:, 1] - benefit * noise.sum(axis=(1, 2))[:, None]) / n
    far = np.abs(np.divide(moved, error, out=np.zeros(moved.shape), where=error > 0)).max(axis=1)
    of_each = 1 - 2 * float(ndtr(-np.quantile(far, confidence)))
    wanted = []
    for value, cost, (true, false) in zip(benefit.tolist(), odds.tolist(), acted.T, strict=True):
        gains, cells = np.array([1.0, -cost, 0.0]), np.array([true, false, n - true - false])
        own = Influence.centred(value, gains, cells, rise=1 / n, fall=cost / n)
        wanted.append(Wanted(own, (-math.inf, 1.0)))
    ends = np.array([tuple(own) for own in intervals_of(wanted, of_each)])
    low, high = np.empty(at.size), np.empty(at.size)
    low[order], high[order] = ends.T
    return low, high
