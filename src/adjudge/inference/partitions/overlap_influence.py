"""The influence of each instance on an index that adds up overlaps of clusters: all of them, or those of a matching.

Such an index is a function of sums, over some cells of the table, of a term in the cell's count and the sizes of its
two clusters. An instance changes the terms of its cell, its row and its column, so all influence values take one pass
over the cells. The sample also decides which cells a matching takes, which makes it too optimistic: by how far the mean
of the larger of two overlaps exceeds the larger mean (Clark 1961). If that matters, there is no interval.

References
----------
Clark (1961), The greatest of a finite set of random variables, Operations Research 9, 145-162.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted
from adjudge.inference.refusals import MOST_FLATTERED, refuse, round_up
from adjudge.kernels.elementary import exponentials
from adjudge.statistics.assignment import optimal_assignment
from adjudge.statistics.joint import JointCounts


@dataclass(frozen=True, eq=False)
class FilledCells:
    """The non-empty cells of a table, with the sizes of their clusters."""

    rows: Ints
    cols: Ints
    n: Floats
    shape: tuple[int, int]

    @classmethod
    def of(cls, table: JointCounts) -> Self:
        """Read the cells of a table."""
        rows, cols, counts = table.cells()
        return cls(rows, cols, counts.astype(np.float64), table.shape)

    @property
    def a(self) -> Floats:
        """Size of the row of each cell."""
        return self.row_sums[self.rows]

    @property
    def b(self) -> Floats:
        """Size of the column of each cell."""
        return self.col_sums[self.cols]

    @property
    def row_sums(self) -> Floats:
        """Size of each row."""
        return np.asarray(np.bincount(self.rows, self.n, minlength=self.shape[0]), np.float64)

    @property
    def col_sums(self) -> Floats:
        """Size of each column."""
        return np.asarray(np.bincount(self.cols, self.n, minlength=self.shape[1]), np.float64)

    @property
    def total(self) -> float:
        """Number of instances."""
        return float(self.n.sum())


# Least size of the smallest cluster for its share of the index to be known well enough, including rare errors.
_FEWEST = 10
# Step of the derivatives in sums of counts, relative to their size.
_STEP = 1e-6

# A term: its value, and its derivatives in the count, the size of the row, and that of the column.
Term = Callable[[FilledCells], tuple[Floats, Floats, Floats, Floats]]
# The cells that are added up, and by how much choosing them makes the sum too large.
Selection = Callable[[FilledCells], tuple[Bools, float]]


def _count(c: FilledCells) -> tuple[Floats, Floats, Floats, Floats]:
    zero = np.zeros(c.n.size)
    return c.n, np.ones(c.n.size), zero, zero


def _share_of_row(c: FilledCells) -> tuple[Floats, Floats, Floats, Floats]:
    a = c.a
    return c.n / a, 1 / a, -c.n / a**2, np.zeros(c.n.size)


def _f_of_both(c: FilledCells) -> tuple[Floats, Floats, Floats, Floats]:
    both = c.a + c.b
    return 2 * c.n / both, 2 / both, -2 * c.n / both**2, -2 * c.n / both**2


def excess_of_larger(apart: Floats, variance: Floats) -> Floats:
    """Return how far the mean of the larger of two normal variables exceeds the larger mean (Clark 1961).

    Parameters
    ----------
    apart : ndarray
        Distance of their means.
    variance : ndarray
        Variance of their difference.
    """
    from scipy.special import ndtr

    deviation = np.sqrt(variance)
    far = np.divide(apart, deviation, out=np.zeros(apart.shape), where=deviation > 0)
    density = exponentials(-(far**2) / 2) / math.sqrt(2 * math.pi)
    return np.asarray(deviation * (density - far * ndtr(-far)))


def _largest_in(groups: Ints, c: FilledCells, term: Term) -> tuple[Bools, float]:
    """Mark the largest term of each group, and return by how much choosing it makes the sum too large."""
    values, in_count, *_ = term(c)
    # Of equal terms, take the one with more instances, so that names of clusters decide nothing.
    order = np.lexsort((c.n, values, groups))
    last = np.flatnonzero(np.r_[groups[order][1:] != groups[order][:-1], True])
    best = order[np.repeat(last, np.diff(last, prepend=-1))]
    found = np.zeros(values.size, bool)
    found[order[last]] = True
    variance = in_count**2 * c.n
    others = order[best != order]
    chosen = best[best != order]
    excess = excess_of_larger(values[chosen] - values[others], variance[chosen] + variance[others])
    return found, float(excess.sum())


def _by_cols(term: Term) -> Selection:
    return lambda c: _largest_in(c.cols, c, term)


def _by_rows(term: Term) -> Selection:
    return lambda c: _largest_in(c.rows, c, term)


def _matched_by(term: Term) -> Selection:
    """Mark the cells of the best matching; the alternatives swap the columns of two rows."""

    def select(c: FilledCells) -> tuple[Bools, float]:
        values, in_count, *_ = term(c)
        partners = optimal_assignment(c.rows, c.cols, values, c.shape)
        found = np.asarray(partners[c.rows] == c.cols)
        r, k = c.shape
        # The matched cell of each row and column, in order; one more position for those without a match.
        at_row, at_col = np.full(r + 1, values.size), np.full(k + 1, values.size)
        at_row[c.rows[found]] = at_col[c.cols[found]] = np.flatnonzero(found)
        rows_of = np.full(k + 1, r)
        matched = np.flatnonzero(partners >= 0)
        rows_of[partners[matched]] = matched
        off = np.flatnonzero(~found)
        other = rows_of[c.cols[off]]
        own_col = np.where(partners[c.rows[off]] >= 0, partners[c.rows[off]], k)
        keys = c.rows * (k + 1) + c.cols
        wanted = other * (k + 1) + own_col
        place = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        back = np.where(keys[place] == wanted, place, values.size)
        four = np.stack([at_row[c.rows[off]], at_col[c.cols[off]], off, back])
        value, variance = np.r_[values, 0.0][four], np.r_[in_count**2 * c.n, 0.0][four]
        apart = np.maximum(value[0] + value[1] - value[2] - value[3], 0.0)
        if (apart <= _STEP**2 * value[2]).any():
            return found, math.inf
        excess = excess_of_larger(apart, variance.sum(axis=0))
        # If each row could take the other's column, the swap is counted twice.
        return found, float((excess / np.where(back < values.size, 2.0, 1.0)).sum())

    return select


@dataclass(frozen=True)
class Overlap:
    """An index of overlaps between matched clusters, or between each cluster and the one that fits it best.

    Attributes
    ----------
    sums : tuple of (Term, Selection)
        The terms that are added up, and over which cells.
    of : callable
        Returns the index, given the sums, the cells and its parameters.
    of_means : bool
        Whether small clusters count as much as large ones.
    top : callable, optional
        Returns the largest value, given the number of instances, if the record has none.
    """

    sums: tuple[tuple[Term, Selection], ...]
    of: Callable[[list[float], FilledCells, dict[str, Any]], float]
    of_means: bool = False
    top: Callable[[float], float] | None = None


def _adjusted(sums: list[float], cells: FilledCells, parameters: dict[str, Any]) -> float:
    k = max(cells.shape)
    return (sums[0] - 1) / (k - 1) if k > 1 else math.nan


def _moves(sums: list[float], cells: FilledCells, parameters: dict[str, Any]) -> float:
    moves = 2 * cells.total - sums[0] - sums[1]
    return moves / (2 * cells.total) if parameters.get("normalized", False) else moves


_IN_MATCHING = ((_count, _matched_by(_count)),)
#: Overlaps, by name of the index.
OVERLAPS: dict[str, Overlap] = {
    "pivoted_accuracy": Overlap(_IN_MATCHING, lambda s, c, p: s[0] / c.total),
    "classification_error": Overlap(_IN_MATCHING, lambda s, c, p: 1 - s[0] / c.total),
    "normalized_accuracy": Overlap(
        _IN_MATCHING,
        lambda s, c, p: (
            (max(c.shape) * s[0] / c.total - 1) / (max(c.shape) - 1) if max(c.shape) > 1 else math.nan
        ),
    ),
    "adjusted_asymmetric_accuracy": Overlap(
        ((_share_of_row, _matched_by(_share_of_row)),), _adjusted, of_means=True
    ),
    "purity": Overlap(((_count, _by_cols(_count)),), lambda s, c, p: s[0] / c.total),
    "inverse_purity": Overlap(((_count, _by_rows(_count)),), lambda s, c, p: s[0] / c.total),
    "van_dongen": Overlap(
        ((_count, _by_rows(_count)), (_count, _by_cols(_count))), _moves, top=lambda n: 2.0 * n
    ),
    "larsen_aone": Overlap(
        ((_f_of_both, _by_rows(_f_of_both)),), lambda s, c, p: s[0] / c.shape[0], of_means=True
    ),
}
OVERLAPS |= {
    "ceaf_m": OVERLAPS["pivoted_accuracy"],
    "split_join": OVERLAPS["van_dongen"],
    **{
        name: Overlap(((_f_of_both, _matched_by(_f_of_both)),), of, of_means=True)
        for name, of in (
            ("ceaf_e", lambda s, c, p: 2 * s[0] / sum(c.shape)),
            ("ceaf_e_precision", lambda s, c, p: s[0] / c.shape[1]),
            ("ceaf_e_recall", lambda s, c, p: s[0] / c.shape[0]),
        )
    },
}


def overlap_asked(
    overlap: Overlap,
    table: JointCounts,
    value: float,
    limits: tuple[float, float],
    parameters: dict[str, Any],
) -> Wanted:
    """Return the ingredients of the interval of an index of overlaps.

    Raises
    ------
    RefusedError
    """
    cells = FilledCells.of(table)
    if overlap.top is not None:
        limits = (limits[0], 1.0 if parameters.get("normalized", False) else overlap.top(table.n))
    chosen = [selection(cells) for _, selection in overlap.sums]
    found, slopes = _influence(overlap, value, cells, [mask for mask, _ in chosen], parameters)
    if table.identical:
        return Wanted(found, limits)
    if overlap.of_means:
        smallest = float(min(cells.row_sums.min(), cells.col_sums.min()))
        if smallest < _FEWEST:
            enough = round_up(max(1.5, _FEWEST / smallest) * cells.total)
            refuse("small cluster", fewest=_FEWEST, enough=enough)
    flattered = sum(abs(slope) * excess for slope, (_, excess) in zip(slopes, chosen, strict=True))
    most = MOST_FLATTERED * math.sqrt(found.moment(2)) / cells.total
    if flattered > most:
        far = (flattered / most) ** 2 if most > 0 and math.isfinite(flattered) else 2.0
        refuse("match not clear", enough=round_up(cells.total * max(2.0, far)))
    return Wanted(found, limits)


def _influence(
    overlap: Overlap, value: float, cells: FilledCells, masks: list[Bools], parameters: dict[str, Any]
) -> tuple[Influence, list[float]]:
    """Return the influence of an instance of each cell, and the slope of the index in each sum."""
    r, c = cells.shape
    sums, parts = [], []
    for (term, _), mask in zip(overlap.sums, masks, strict=True):
        terms, in_count, in_row, in_col = (part * mask for part in term(cells))
        sums.append(float(terms.sum()))
        of_rows = np.bincount(cells.rows, in_row, minlength=r)[cells.rows]
        of_cols = np.bincount(cells.cols, in_col, minlength=c)[cells.cols]
        parts.append(in_count + of_rows + of_cols)
    slopes = []
    for i, own in enumerate(sums):
        step = _STEP * max(1.0, abs(own))
        moved = [[s + sign * step * (j == i) for j, s in enumerate(sums)] for sign in (1, -1)]
        slopes.append(
            (overlap.of(moved[0], cells, parameters) - overlap.of(moved[1], cells, parameters)) / (2 * step)
        )
    psi = sum((s * part for s, part in zip(slopes, parts, strict=True)), np.zeros(cells.n.size))
    return Influence.centred(value, cells.total * psi, cells.n), slopes
