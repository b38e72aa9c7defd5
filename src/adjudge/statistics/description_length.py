"""Bits that it takes to transmit a partition, alone or when another one is known (Dirichlet-multinomial encoding).

The concentration of the Dirichlet prior is part of the message: the one that makes it shortest.

References
----------
Jerdee, Kirkley & Newman (2024), Mutual information and the encoding of contingency tables, Physical Review E 110,
064306.
"""

from __future__ import annotations

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.kernels.elementary import exponentials, logarithm
from adjudge.statistics.joint import JointCounts

# Logarithms of the concentrations that are tried first; the best is then refined.
_N_TRIED = 97
_ENDS = 12.0


def information_saved(table: JointCounts) -> float:
    """Return by how many bits the prediction shortens the message of the truth."""
    counts = table.cells()[2]
    alone = _bits(table.row_sums, np.array([table.n]), table.shape[0])
    return alone - _bits(counts, table.col_sums, table.shape[0])


def information_within(table: JointCounts) -> float:
    """Return by how many bits the truth shortens its own message: the most that a prediction could save."""
    sizes, k = table.row_sums, table.shape[0]
    return _bits(sizes, np.array([table.n]), k) - _bits(sizes, sizes, k)


def _bits(counts: Ints, totals: Ints, k: int) -> float:
    """Return the length of the message in which each group in turn draws its instances from k classes.

    Parameters
    ----------
    counts : ndarray
        Non-empty cells.
    totals : ndarray
        Sizes of the groups.
    k : int
        Number of classes.
    """
    from scipy.optimize import minimize_scalar

    if k == 1:
        return 0.0
    cells, of_cells = (x.astype(np.float64) for x in np.unique(counts, return_counts=True))
    groups, of_groups = (x.astype(np.float64) for x in np.unique(totals, return_counts=True))

    def length(logs: Floats) -> Floats:
        a = exponentials(logs)[..., None]
        # A product of vectors would add in an order that depends on the processor.
        by_group, by_cell = _rising(k * a, groups) * of_groups, _rising(a, cells) * of_cells
        return np.asarray(by_group.sum(axis=-1) - by_cell.sum(axis=-1))

    # Wider for large tables, in which the shortest message may be at an end.
    low = min(-_ENDS, logarithm(1e-4 / k))
    high = max(_ENDS, logarithm(16.0 * float(groups.max()) ** 2))
    tried = np.linspace(low, high, _N_TRIED)
    best = int(np.argmin(length(tried)))
    near = tried[max(best - 1, 0)], tried[min(best + 1, _N_TRIED - 1)]
    found = minimize_scalar(
        lambda x: float(length(np.array(x))), bounds=near, method="bounded", options={"xatol": 1e-9}
    )
    return min(float(found.fun), float(length(tried[best]))) / logarithm(2)


def _rising(a: Floats, x: Floats) -> Floats:
    """Return log(a (a + 1) ... (a + x - 1)), without cancellation for large a."""
    from scipy.special import betaln, gammaln

    return np.asarray(gammaln(x) - betaln(a, x))
