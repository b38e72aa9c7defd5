"""The mean of a loss in a slice of rows less that in all others: its interval and test."""

from __future__ import annotations

import numpy as np

from adjudge.array_types import Bools, Floats, Limits
from adjudge.inference.common.significance import Difference, difference_of_influences
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted
from adjudge.inference.sampling_design import Drawn

_SAME = "the expected loss is the same in the slice and outside"


def difference_from_rest(
    losses: Floats, inside: Bools, limits: Limits, confidence: float, drawn: Drawn | None = None
) -> tuple[float, float, Difference]:
    """Return the mean loss inside and outside of a slice, and the difference with its interval and test.

    Parameters
    ----------
    losses : ndarray of float64 of shape (n,)
    inside : ndarray of bool of shape (n,)
        Neither all nor none.
    limits : (float, float)
        Smallest and largest possible loss.
    confidence : float
    drawn : Drawn, optional
        How the rows were sampled; default: independently.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.differences.slices import difference_from_rest
    >>> losses = np.repeat([1.0, 0.0, 1.0, 0.0], [15, 35, 20, 130])
    >>> within, without, found = difference_from_rest(losses, np.arange(200) < 50, (0, 1), 0.95)
    >>> round(within, 2), round(without, 2), round(found.interval.low, 2), round(found.interval.high, 2)
    (0.3, 0.13, 0.03, 0.32)
    """
    n, size = losses.size, int(inside.sum())
    within, without = float(losses[inside].mean()), float(losses[~inside].mean())
    psi = np.where(inside, (losses - within) * (n / size), -(losses - without) * (n / (n - size)))
    # One more row inside, that was not seen, may be as good or as bad as any.
    least, most = float(losses.min()), float(losses.max())
    moved = Influence(
        within - without, psi, rise=(most - within) / (size + 1), fall=(within - least) / (size + 1)
    )
    return within, without, difference_of_influences(Wanted(moved, limits, drawn), confidence, _SAME)
