"""What each instance does to an index that adds up overlaps of clusters: all of them, or those of a matching.

Such an index is a function of sums, over some cells of the table, of a term in the cell's count and the sizes of its
two clusters. An instance changes the terms of its cell, its row and its column: the influence function of all instances
is one look at the cells. Which cells a matching takes is decided by the sample too, and flatters it: halves of the
sample, each judged by the matching of the other, tell by how much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.common.score_intervals import ScoreBasis, slope_of_a_mean
from adjudge.inference.partitions.filled_cells import FilledCells, Float64s, Int64s
from adjudge.inference.refusals import RefusedError, round_up
from adjudge.statistics.assignment import optimal_assignment
from adjudge.statistics.contingency import Contingency

__all__ = ["OVERLAPS", "REFUSED", "Overlap", "overlap_score"]

Bools = NDArray[np.bool_]

# Instances of the smallest cluster from which on its share of the index is known well enough, rare errors included.
_FEWEST = 10
# Halvings of the sample, and the largest flattery of a whole sample in standard deviations.
_HALVINGS = 6
_MOST_FLATTERED = 0.2
# What a whole sample is flattered by, as a part of what a half loses by the other half's matching.
_OF_A_HALF = 1 / 3

# A term: its value, and its derivatives in the count, the row's size and the column's.
Term = Callable[[FilledCells], tuple[Float64s, Float64s, Float64s, Float64s]]
Selection = Callable[[FilledCells], Bools]


def _count(c: FilledCells) -> tuple[Float64s, Float64s, Float64s, Float64s]:
    zero = np.zeros(c.n.size)
    return c.n, np.ones(c.n.size), zero, zero


def _share_of_row(c: FilledCells) -> tuple[Float64s, Float64s, Float64s, Float64s]:
    a = c.a
    return c.n / a, 1 / a, -c.n / a**2, np.zeros(c.n.size)


def _f_of_both(c: FilledCells) -> tuple[Float64s, Float64s, Float64s, Float64s]:
    both = c.a + c.b
    return 2 * c.n / both, 2 / both, -2 * c.n / both**2, -2 * c.n / both**2


def _largest_in(groups: Int64s, values: Float64s) -> Bools:
    """Mark one largest value of each group."""
    order = np.lexsort((values, groups))
    last = np.r_[groups[order][1:] != groups[order][:-1], True]
    found = np.zeros(values.size, bool)
    found[order[last]] = True
    return found


def _largest_in_cols(c: FilledCells) -> Bools:
    return _largest_in(c.cols, c.n)


def _largest_in_rows(c: FilledCells) -> Bools:
    return _largest_in(c.rows, c.n)


def _best_f_in_rows(c: FilledCells) -> Bools:
    return _largest_in(c.rows, _f_of_both(c)[0])


def _matched_by(term: Term) -> Selection:
    def select(c: FilledCells) -> Bools:
        return np.asarray(optimal_assignment(c.rows, c.cols, term(c)[0], c.shape)[c.rows] == c.cols)

    return select


@dataclass(frozen=True)
class Overlap:
    """An index of overlaps between the clusters of a matching, or each cluster and the one that fits it best.

    Attributes
    ----------
    sums : tuple of (Term, Selection)
        What is added up, over which cells.
    of : callable
        The index from the sums, the cells and its parameters.
    of_means : bool
        Whether small clusters count as much as large ones.
    top : callable, optional
        Largest value, from the number of instances, if the record has none.
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
#: By name of the index.
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
    "purity": Overlap(((_count, _largest_in_cols),), lambda s, c, p: s[0] / c.total),
    "inverse_purity": Overlap(((_count, _largest_in_rows),), lambda s, c, p: s[0] / c.total),
    "van_dongen": Overlap(
        ((_count, _largest_in_rows), (_count, _largest_in_cols)), _moves, top=lambda n: 2.0 * n
    ),
    "larsen_aone": Overlap(
        ((_f_of_both, _best_f_in_rows),), lambda s, c, p: s[0] / c.shape[0], of_means=True
    ),
}
# In simulations two of five cells of the grid were covered too seldom.
_BEND = (
    "no interval is given: the larger of two cluster sizes has a bend where they are equal, as the sizes of "
    "matched clusters nearly are"
)
#: Why an index of overlaps has no interval, by its name.
REFUSED = {"pair_sets_index": _BEND, "simplified_pair_sets_index": _BEND}


def overlap_score(
    overlap: Overlap,
    table: Contingency,
    value: float,
    limits: tuple[float, float],
    parameters: dict[str, Any],
) -> ScoreBasis:
    """Return what the interval of an index of overlaps is made of.

    Raises
    ------
    RefusedError
    """
    cells = FilledCells.of(table)
    if overlap.top is not None:
        limits = (limits[0], 1.0 if parameters.get("normalized", False) else overlap.top(table.n))
    masks = [selection(cells) for _, selection in overlap.sums]
    influence, event = _influence(overlap, cells, masks, parameters)
    n = cells.total
    variance = n / (n - 1) * float(cells.n @ influence**2)
    if variance < 1e-22 * max(1.0, value * value):
        variance = 0.0
    if not table.identical:
        flattered = _flattery(overlap, cells, parameters) * _OF_A_HALF
        most = _MOST_FLATTERED * math.sqrt(variance)
        if flattered > most:
            enough = n * max(2.0, (flattered / most) ** 2) if most > 0 else 2 * n
            raise RefusedError(
                "no interval: it is too uncertain which clusters match, and the best match in a sample is too "
                f"optimistic; about {round_up(enough)} instances would be enough"
            )
    if overlap.of_means:
        smallest = float(min(cells.row_sums.min(), cells.col_sums.min()))
        if smallest < _FEWEST:
            raise RefusedError(
                f"no interval: every cluster has the same weight, and one has fewer than {_FEWEST} instances; about "
                f"{round_up(max(1.5, _FEWEST / smallest) * n)} instances would be enough"
            )
    if variance == 0:
        return ScoreBasis(value, limits, variance, event)
    # A mean over clusters is that of few instances in the small ones: if these have few errors, it varies too little.
    # A share of all instances has a score interval, which knows that.
    slope = slope_of_a_mean(influence, cells.n) if overlap.of_means else math.nan
    return ScoreBasis(value, limits, variance, slopes=(slope, slope))


def _index(overlap: Overlap, cells: FilledCells, masks: list[Bools], parameters: dict[str, Any]) -> float:
    sums = [float(term(cells)[0][mask].sum()) for (term, _), mask in zip(overlap.sums, masks, strict=True)]
    return overlap.of(sums, cells, parameters)


def _influence(
    overlap: Overlap, cells: FilledCells, masks: list[Bools], parameters: dict[str, Any]
) -> tuple[Float64s, float]:
    """Influence of an instance of each cell, and what the first instance of an empty cell does."""
    r, c = cells.shape
    sums, per_row, per_col, per_cell = [], [], [], []
    for (term, _), mask in zip(overlap.sums, masks, strict=True):
        value, in_count, in_row, in_col = (part * mask for part in term(cells))
        sums.append(float(value.sum()))
        per_cell.append(in_count)
        per_row.append(np.bincount(cells.rows, in_row, minlength=r))
        per_col.append(np.bincount(cells.cols, in_col, minlength=c))
    slopes = []
    for i, own in enumerate(sums):
        step = 1e-6 * max(1.0, abs(own))
        moved = [[s + sign * step * (j == i) for j, s in enumerate(sums)] for sign in (1, -1)]
        slopes.append(
            (overlap.of(moved[0], cells, parameters) - overlap.of(moved[1], cells, parameters)) / (2 * step)
        )
    of_rows = sum((s * part for s, part in zip(slopes, per_row, strict=True)), np.zeros(r))
    of_cols = sum((s * part for s, part in zip(slopes, per_col, strict=True)), np.zeros(c))
    of_cells = sum((s * part for s, part in zip(slopes, per_cell, strict=True)), np.zeros(cells.n.size))
    influence = of_cells + of_rows[cells.rows] + of_cols[cells.cols]
    n = cells.total
    mean = float(cells.n @ influence) / n
    influence = influence - mean
    return influence, _event(cells, np.asarray(of_rows) - mean, np.asarray(of_cols))


def _event(cells: FilledCells, of_rows: Float64s, of_cols: Float64s) -> float:
    """Square over size of what an instance in an empty cell does, labels drawn apart from each other."""
    n = cells.total
    a, b = cells.row_sums / n, cells.col_sums / n
    both = a[cells.rows] * b[cells.cols]
    there = of_rows[cells.rows] + of_cols[cells.cols]
    first = float(a @ of_rows + b @ of_cols) - float(both @ there)
    second = float(a @ of_rows**2 + b @ of_cols**2 + 2 * (a @ of_rows) * (b @ of_cols)) - float(
        both @ there**2
    )
    return second / abs(first) if abs(first) > 1e-300 else math.nan


def _flattery(overlap: Overlap, cells: FilledCells, parameters: dict[str, Any]) -> float:
    """By how much a half of the sample is judged better by its own choice of cells than by the other half's."""
    # It decides whether there is an interval, which must not depend on a seed.
    generator = np.random.default_rng(0)
    lost = []
    counts = cells.n.astype(np.int64)
    for _ in range(_HALVINGS):
        first = generator.binomial(counts, 0.5)
        halves = [_Half.of(overlap, cells, half) for half in (first, counts - first)]
        for judged, other in (halves, halves[::-1]):
            if judged is None or other is None:
                continue
            own = [mask[judged.places] for mask in judged.masks]
            others = [mask[judged.places] for mask in other.masks]
            lost.append(
                _index(overlap, judged.cells, own, parameters)
                - _index(overlap, judged.cells, others, parameters)
            )
    return abs(float(np.mean(lost))) if lost else math.inf


@dataclass(frozen=True, eq=False)
class _Half:
    """Half of a sample: its cells, if they are among all cells, and which of all cells its matching takes."""

    cells: FilledCells
    places: Int64s
    masks: list[Bools]

    @classmethod
    def of(cls, overlap: Overlap, whole: FilledCells, counts: Int64s) -> _Half | None:
        places = np.flatnonzero(counts)
        if not places.size:
            return None
        cells = FilledCells(
            whole.rows[places], whole.cols[places], counts[places].astype(np.float64), whole.shape
        )
        masks = []
        for _, selection in overlap.sums:
            mask = np.zeros(counts.size, bool)
            mask[places] = selection(cells)
            masks.append(mask)
        return cls(cells, places, masks)
