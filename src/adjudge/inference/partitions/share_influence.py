"""The influence of each instance on a mean of shares: BCubed, LEA, or element-centric similarity.

The share of an instance is that of the *other* instances of its cluster with which the other partition joins it:
counting the instance itself would make small clusters seem purer than they are. LEA is this mean, but for instances
alone in their clusters, which it judges as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints, Limits
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted
from adjudge.inference.partitions.overlap_influence import FilledCells, excess_of_larger
from adjudge.inference.refusals import MOST_FLATTERED, refuse, round_up
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.weighted import WeightedContingency

# Largest share of the instances that may be alone in their clusters: what these would share is unknown.
_MOST_ALONE = 0.35
# Weight of others, relative to that of a cluster, that is only rounding.
_ALONE = 1e-9

# Returns the size of a cluster of each cell, given the sizes of its row and column.
Size = Callable[[Floats, Floats], Floats]


def _size_of_row(a: Floats, b: Floats) -> Floats:
    return a


def _size_of_col(a: Floats, b: Floats) -> Floats:
    return b


#: Sizes of the clusters whose shares are averaged, by name of the index.
SHARES: dict[str, tuple[Size, ...]] = {
    "bcubed_precision": (_size_of_col,),
    "bcubed_recall": (_size_of_row,),
    "bcubed_f": (_size_of_col, _size_of_row),
    "element_centric": (np.maximum,),
}
SHARES |= {name.replace("bcubed", "lea"): SHARES[name] for name in tuple(SHARES) if "bcubed" in name}


def share_asked(
    name: str, table: JointCounts, value: float, limits: tuple[float, float], parameters: dict[str, Any]
) -> Wanted:
    """Return the ingredients of the interval of a mean of shares.

    Raises
    ------
    RefusedError
    """
    cells = FilledCells.of(table)
    n, sizes = cells.total, SHARES[name]
    alone = max(float(cells.n[size(cells.a, cells.b) <= 1].sum()) for size in sizes)
    parts = [_others(cells, size, judges_alone="lea" in name) for size in sizes]
    better, without = _f_of_parts(parts, float(parameters.get("beta", 1.0)))
    if alone > _MOST_ALONE * n or np.isnan(without).any():
        refuse("alone", alone=round(alone), enough=round_up(4 * n))
    # A misplaced instance is missing in its own cluster, and foreign in another.
    event = 4 / n
    found = Influence.of_left_out(
        value if table.identical else better, without, cells.n, rise=event, fall=event
    )
    if sizes == (np.maximum,) and not table.identical:
        bent = float((cells.n**2 / np.maximum(cells.a, cells.b) ** 2) @ _excess(cells)) / n
        if bent**2 * n * (n - 1) > MOST_FLATTERED**2 * found.moment(2):
            refuse("sizes tie")
    return Wanted(found, limits)


def _excess(cells: FilledCells) -> Floats:
    """Return by how much the larger of two cluster sizes is too large on average."""
    a, b = cells.a, cells.b
    return excess_of_larger(np.abs(a - b), np.maximum(a + b - 2 * cells.n, 0.0))


def _f_of_parts(parts: list[tuple[float, Floats]], beta: float) -> tuple[float, Floats]:
    """Return the mean share, or the F-measure of two, and its values without an instance of each cell."""
    if len(parts) == 1:
        return parts[0]
    (precision, fewer_precise), (recall, fewer_recalled) = parts
    return float(_f(np.array(precision), np.array(recall), beta)), _f(fewer_precise, fewer_recalled, beta)


def _f(precision: Floats, recall: Floats, beta: float) -> Floats:
    below = np.asarray(beta**2 * precision + recall)
    return np.divide((1 + beta**2) * precision * recall, below, out=np.zeros_like(below), where=below != 0)


def _others(c: FilledCells, size: Size, *, judges_alone: bool = False) -> tuple[float, Floats]:
    """Return the mean share of the *other* instances of a cluster, over the instances whose cluster has others.

    An instance without others is left out, or judged by whether it is alone in both partitions. The second value is
    that mean without an instance of each cell.
    """

    def sums(n: Floats, a: Floats, b: Floats) -> Floats:
        others = np.maximum(size(a, b) - 1, 0)
        there = others > 0
        alone = judges_alone & (a == 1) & (b == 1)
        shares = np.divide(n * (n - 1), others, out=np.where(alone, n, 0.0), where=there)
        return np.stack([shares, n if judges_alone else n * there])

    a, b = c.a, c.b
    whole = sums(c.n, a, b)
    of_row, of_col = sums(c.n, a - 1, b), sums(c.n, a, b - 1)
    total = whole.sum(axis=1, keepdims=True)
    # Without an instance, the terms of its row and column change, and those of its cell twice.
    by_row = np.stack([np.bincount(c.rows, part) for part in of_row - whole])
    by_col = np.stack([np.bincount(c.cols, part) for part in of_col - whole])
    without = total + by_row[:, c.rows] + by_col[:, c.cols]
    without += sums(c.n - 1, a - 1, b - 1) - of_row - of_col + whole
    with np.errstate(invalid="ignore"):
        return float(total[0, 0] / total[1, 0]), without[0] / without[1]


def weighted_shares(
    name: str, table: WeightedContingency, drawn: Drawn, value: float, limits: Limits, beta: float = 1.0
) -> Wanted | None:
    """Return what the interval of BCubed's measures of weighted rows is made from; None for another index.

    Of the weight of a cluster, the share is that of the *other* rows, or units.

    Parameters
    ----------
    name : str
    table : WeightedContingency
    drawn : Drawn
        Its entries are the cells of the table.
    value : float
        The index.
    limits : (float, float)
    beta : float
    """
    if "bcubed" not in name:
        return None
    sides: dict[Size, tuple[Ints, Floats]] = {
        _size_of_row: (table.rows, table.row_sums),
        _size_of_col: (table.cols, table.col_sums),
    }
    parts = [_weighted_part(table, drawn, *sides[size]) for size in SHARES[name]]
    if len(parts) == 1:
        ((estimate, psi),) = parts
    else:
        (precision, of_precise), (recall, of_recalled) = parts
        estimate = float(_f(np.array(precision), np.array(recall), beta))
        both = (beta**2 * precision + recall) ** 2 / (1 + beta**2)
        psi = (recall**2 * of_precise + beta**2 * precision**2 * of_recalled) / both
    return Wanted(Influence.centred(estimate, psi, table.weights), limits, drawn, value)


def _weighted_part(
    table: WeightedContingency, drawn: Drawn, codes: Ints, sizes: Floats
) -> tuple[float, Floats]:
    """Return the mean share of the other rows of a cluster, and the influence of each cell on it."""
    cells = np.arange(table.weights.size)
    joined = table.weights**2 - drawn.squares(cells, cells.size)
    pairs = sizes**2 - drawn.squares(codes, sizes.size)
    # A row, or unit, without others says nothing.
    known = pairs > _ALONE * sizes**2
    share, factor = (
        np.divide(own, pairs, out=np.zeros(sizes.size), where=known)
        for own in (np.bincount(codes, joined, sizes.size), sizes)
    )
    judged = float(sizes[known].sum())
    value = float(sizes[known] @ share[known]) / judged
    moved = share[codes] + 2 * factor[codes] * (table.weights - share[codes] * sizes[codes]) - value
    return value, np.where(known[codes], moved, 0.0) * (table.total / judged)
