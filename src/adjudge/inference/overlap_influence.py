"""What each instance does to an index that adds up overlaps of clusters: all of them, or those of a matching.

Such an index is a function of sums, over some cells of the table, of a term in the cell's count and the sizes of its
two clusters. An instance changes the terms of its cell, its row and its column: the influence function of all instances
is one look at the cells. Which cells a matching takes is decided by the sample too, and flatters it: halves of the
sample, each judged by the matching of the other, tell by how much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.refusals import RefusedError, round_up
from adjudge.inference.score_intervals import UNSEEN_EVENTS, ScoreBasis, slope_of_a_mean, slopes_of
from adjudge.inference.two_by_two import Reading, TablesOfFour, TestOfFour
from adjudge.statistics.assignment import optimal_assignment
from adjudge.statistics.contingency import Contingency

__all__ = ["OVERLAPS", "REFUSED", "SHARES", "Overlap", "overlap_score", "shares_score"]

Float64s = NDArray[np.float64]
Int64s = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Instances of the smallest cluster from which on its share of the index is known well enough, rare errors included.
_FEWEST = 10
# Instances a cluster, on average, from which on what is known of the larger of two clusters is enough.
_FEWEST_OF_LARGER = 8
# Largest part of the instances that may be alone in their clusters.
_MOST_ALONE = 0.35
# Standard deviations that the index may change by if those that are alone are unlike all others.
_MOST_ASSUMED = 0.8
# sqrt(2) times half the mean of a half-normal variable: the weight by likelihood takes the factor away on average.
_LARGER_OF_TWO = 1 / math.sqrt(math.pi)
# Halvings of the sample, and the largest flattery of a whole sample in standard deviations.
_HALVINGS = 6
_MOST_FLATTERED = 0.2
# What an instance that strays changes in a mean of shares, in shares of the instances, beside clusters that are merged.
_OF_A_STRAY = 2.0
# A smaller variance is a remainder of rounding.
_ROUNDING = 1e-22
# What a whole sample is flattered by, as a part of what a half loses by the other half's matching.
_OF_A_HALF = 1 / 3


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells of a table that are not empty, with the sizes of their clusters."""

    rows: Int64s
    cols: Int64s
    n: Float64s
    shape: tuple[int, int]

    @property
    def a(self) -> Float64s:
        return self.row_sums[self.rows]

    @property
    def b(self) -> Float64s:
        return self.col_sums[self.cols]

    @property
    def row_sums(self) -> Float64s:
        return np.asarray(np.bincount(self.rows, self.n, minlength=self.shape[0]), np.float64)

    @property
    def col_sums(self) -> Float64s:
        return np.asarray(np.bincount(self.cols, self.n, minlength=self.shape[1]), np.float64)

    @property
    def total(self) -> float:
        return float(self.n.sum())


Size = Callable[[Float64s, Float64s], Float64s]
# A term: its value, and its derivatives in the count, the row's size and the column's.
Term = Callable[[_Cells], tuple[Float64s, Float64s, Float64s, Float64s]]
Selection = Callable[[_Cells], Bools]


def _count(c: _Cells) -> tuple[Float64s, Float64s, Float64s, Float64s]:
    zero = np.zeros(c.n.size)
    return c.n, np.ones(c.n.size), zero, zero


def _share_of_row(c: _Cells) -> tuple[Float64s, Float64s, Float64s, Float64s]:
    a = c.a
    return c.n / a, 1 / a, -c.n / a**2, np.zeros(c.n.size)


def _f_of_both(c: _Cells) -> tuple[Float64s, Float64s, Float64s, Float64s]:
    both = c.a + c.b
    return 2 * c.n / both, 2 / both, -2 * c.n / both**2, -2 * c.n / both**2


def _largest_in(groups: Int64s, values: Float64s) -> Bools:
    """Mark one largest value of each group."""
    order = np.lexsort((values, groups))
    last = np.r_[groups[order][1:] != groups[order][:-1], True]
    found = np.zeros(values.size, bool)
    found[order[last]] = True
    return found


def _largest_in_cols(c: _Cells) -> Bools:
    return _largest_in(c.cols, c.n)


def _largest_in_rows(c: _Cells) -> Bools:
    return _largest_in(c.rows, c.n)


def _best_f_in_rows(c: _Cells) -> Bools:
    return _largest_in(c.rows, _f_of_both(c)[0])


def _matched_by(term: Term) -> Selection:
    def select(c: _Cells) -> Bools:
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
    of: Callable[[list[float], _Cells, dict[str, Any]], float]
    of_means: bool = False
    top: Callable[[float], float] | None = None


def _adjusted(sums: list[float], cells: _Cells, parameters: dict[str, Any]) -> float:
    k = max(cells.shape)
    return (sums[0] - 1) / (k - 1) if k > 1 else math.nan


def _others(c: _Cells, size: Size) -> tuple[float, Float64s]:
    """Mean share of the *other* instances of a cluster, over the instances whose cluster has others.

    An instance is not evidence about the rest of its cluster: with it, small clusters seem purer than they are.
    Returned are the mean, and the mean without an instance of each cell.
    """

    def sums(n: Float64s, a: Float64s, b: Float64s) -> Float64s:
        others = np.maximum(size(a, b) - 1, 0)
        there = others > 0
        shares = np.divide(n * (n - 1), others, out=np.zeros(n.size), where=there)
        return np.stack([shares, n * there])

    a, b = c.a, c.b
    whole = sums(c.n, a, b)
    of_row, of_col = sums(c.n, a - 1, b), sums(c.n, a, b - 1)
    total = whole.sum(axis=1, keepdims=True)
    # Without an instance, the terms of its row and of its column change; those of its cell, once more.
    by_row = np.stack([np.bincount(c.rows, part, minlength=c.shape[0]) for part in of_row - whole])
    by_col = np.stack([np.bincount(c.cols, part, minlength=c.shape[1]) for part in of_col - whole])
    without = total + by_row[:, c.rows] + by_col[:, c.cols]
    without += sums(c.n - 1, a - 1, b - 1) - of_row - of_col + whole
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(total[0, 0] / total[1, 0]) if total[1, 0] else math.nan, without[0] / without[1]


def _moves(sums: list[float], cells: _Cells, parameters: dict[str, Any]) -> float:
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


def shares_score(
    name: str, table: Contingency, value: float, limits: tuple[float, float], parameters: dict[str, Any]
) -> ScoreBasis:
    """Return what the interval of a mean of shares is made of: BCubed, or element-centric similarity.

    Raises
    ------
    RefusedError
    """
    rows, cols, counts = table.cells()
    cells = _Cells(rows, cols, counts.astype(np.float64), table.shape)
    n = cells.total
    of_larger = SHARES[name] == (np.maximum,)
    if of_larger and n < _FEWEST_OF_LARGER * max(table.shape) and not table.identical:
        raise RefusedError(
            f"no interval: {table.n} instances in {max(table.shape)} clusters do not tell which of two clusters is the "
            f"larger one; about {round_up(_FEWEST_OF_LARGER * max(table.shape))} instances would be enough"
        )
    better, without = _mean_share(name, cells, parameters)
    bent, unsure = _bend(cells) if of_larger else (0.0, 0.0)
    better += bent
    alone = max(float(cells.n[size(cells.a, cells.b) <= 1].sum()) for size in SHARES[name])
    if math.isnan(better) or np.isnan(without).all() or alone > _MOST_ALONE * n:
        raise RefusedError(
            "no interval: too many instances are alone in their clusters, which says nothing about "
            "the rest of those clusters; "
            f"about {round_up(4 * n)} instances would be enough"
        )
    centred, jackknife = _of_left_out(cells, without)
    # The jackknife counts twice what two instances have in common (Efron & Stein 1981).
    of_two = _of_two_instances(name, cells, parameters)
    variance = max(jackknife - of_two, of_two)
    if alone / n * max(better, 1 - better) > _MOST_ASSUMED * math.sqrt(variance) and not table.identical:
        raise RefusedError(
            f"no interval: {alone:.0f} instances are alone in their clusters, and what is not known about them matters "
            f"more than chance; about {round_up(2 * n)} instances would be enough"
        )

    def at(z: float) -> tuple[float, float]:
        tilt = 1 - np.clip(z * (n - 1) * centred / (n * math.sqrt(jackknife)), -3.0, 3.0)
        moved = replace(
            cells, n=cells.n * np.maximum(tilt, 0.0) * (n / float(cells.n @ np.maximum(tilt, 0.0)))
        )
        there, fewer = _mean_share(name, moved, parameters)
        return there + bent, _of_left_out(moved, fewer)[1] - (jackknife - variance)

    # Of even cells no instance differs from another: there is no law to tilt to.
    slopes = (
        slopes_of(better, variance, at) if min(jackknife, variance) >= _ROUNDING else (math.nan, math.nan)
    )
    variance = 0.0 if variance < _ROUNDING else variance + unsure
    if variance > 0 and rows.size in table.shape and not table.identical:
        # Clusters that lie within those of the other partition: that an instance strays is always possible.
        variance += UNSEEN_EVENTS * (_OF_A_STRAY * (limits[1] - limits[0]) / n) ** 2
    # An instance that strays lacks in its own cluster, and is foreign to another's.
    event = 4 * (limits[1] - limits[0]) / n if variance == 0 else math.nan
    least = max(limits[0], _least_share(name, cells, parameters))
    better = value if table.identical else min(max(better, least), limits[1])
    # The larger of two sizes has a bend, which laws reached by slopes do not see.
    tables = None if of_larger else TablesOfFour.of_table(table)
    test = None if tables is None else _test_of_four(name, tables, parameters)
    return ScoreBasis(better, limits, variance, event, slopes, inverted=test)


def _test_of_four(name: str, tables: TablesOfFour, parameters: dict[str, Any]) -> TestOfFour:
    """Return the test of a mean of shares from all tables of two clusters by two."""

    def of_tables(counts: Float64s) -> Float64s:
        a, b, c, d = counts.T
        rows, cols = np.array([a + b, a + b, c + d, c + d]), np.array([a + c, b + d, a + c, b + d])
        parts = []
        for size in SHARES[name]:
            sizes = size(rows, cols)
            shares = np.divide(counts.T**2, sizes, out=np.zeros_like(sizes), where=sizes > 0)
            parts.append(shares.sum(axis=0) / counts.sum(axis=1))
        return parts[0] if len(parts) == 1 else _f(parts[0], parts[1], float(parameters.get("beta", 1.0)))

    return TestOfFour(tables, Reading.of_shares(of_tables))


def _least_share(name: str, cells: _Cells, parameters: dict[str, Any]) -> float:
    """Smallest value in populations with these clusters: that of even cells (Cauchy's inequality)."""
    if SHARES[name] == (np.maximum,):
        return 0.0
    of_size: dict[Size, float] = {_size_of_col: 1 / cells.shape[0], _size_of_row: 1 / cells.shape[1]}
    least = [np.array(of_size[size]) for size in SHARES[name]]
    return float(least[0] if len(least) == 1 else _f(least[0], least[1], float(parameters.get("beta", 1.0))))


def _mean_share(name: str, cells: _Cells, parameters: dict[str, Any]) -> tuple[float, Float64s]:
    """Mean share, and the mean without an instance of each cell."""
    parts = [_others(cells, size) for size in SHARES[name]]
    better, without = parts[0]
    if len(parts) == 2:
        beta = float(parameters.get("beta", 1.0))
        better = float(_f(np.array(better), np.array(parts[1][0]), beta))
        without = _f(without, parts[1][1], beta)
    return better, without


def _of_two_instances(name: str, cells: _Cells, parameters: dict[str, Any]) -> float:
    """Variance of a mean of shares if all pairs of instances were independent of each other."""
    parts, means = [], []
    for size in SHARES[name]:
        s = size(cells.a, cells.b)
        others = np.maximum(s - 1, 1)
        # The larger of two clusters is another in each cell.
        own = np.arange(s.size, dtype=np.int64)
        groups = cells.rows if size is _size_of_row else cells.cols if size is _size_of_col else own
        alike = np.bincount(groups, cells.n * (cells.n - 1) / (s * others))[groups]
        terms = 2 * cells.n * (cells.n - 1) / (cells.total * others) ** 2 * (1 - alike)
        parts.append(float(terms.sum()))
        means.append(_others(cells, size)[0])
    if len(parts) == 1:
        return parts[0]
    beta = float(parameters.get("beta", 1.0)) ** 2
    precision, recall = means
    below = (beta * precision + recall) ** 2
    if not below > 0:
        return 0.0
    of_precision, of_recall = (1 + beta) * recall**2 / below, (1 + beta) * beta * precision**2 / below
    return of_precision**2 * parts[0] + of_recall**2 * parts[1]


def _of_left_out(cells: _Cells, without: Float64s) -> tuple[Float64s, float]:
    """Values without an instance of each cell, centred, and the jackknife variance."""
    n = cells.total
    seen = ~np.isnan(without)
    centred = np.where(seen, without - float(cells.n[seen] @ without[seen]) / float(cells.n[seen].sum()), 0.0)
    return centred, (n - 1) / n * float(cells.n @ centred**2)


def _bend(cells: _Cells) -> tuple[float, float]:
    """By how much the larger of two cluster sizes is too large, if they may be equal in the population.

    Also what that adds to the variance: it is not known of each two clusters, nor of all of them, how equal they are.
    """
    a, b = cells.a, cells.b
    larger = np.maximum(a, b)
    spread = np.sqrt(np.maximum(a + b - 2 * cells.n, 0))
    apart = np.divide(a - b, spread, out=np.zeros(a.size), where=spread > 0)
    # The mean of the larger of two equal means, 0.4 of their difference's deviation, and how likely they are equal.
    excess = _LARGER_OF_TWO * spread * np.exp(-(apart**2) / 2)
    terms = cells.n**2 / larger**2 * excess / cells.total
    return float(terms.sum()), float(terms @ terms) / 4 + float(terms.sum()) ** 2 / 16


def _f(precision: Float64s, recall: Float64s, beta: float) -> Float64s:
    below = np.asarray(beta**2 * precision + recall)
    return np.divide((1 + beta**2) * precision * recall, below, out=np.zeros_like(below), where=below != 0)


def _size_of_row(a: Float64s, b: Float64s) -> Float64s:
    return a


def _size_of_col(a: Float64s, b: Float64s) -> Float64s:
    return b


#: By name of the index: sizes of the clusters whose shares are averaged.
SHARES: dict[str, tuple[Size, ...]] = {
    "bcubed_precision": (_size_of_col,),
    "bcubed_recall": (_size_of_row,),
    "bcubed_f": (_size_of_col, _size_of_row),
    "element_centric": (np.maximum,),
}


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
    rows, cols, counts = table.cells()
    cells = _Cells(rows, cols, counts.astype(np.float64), table.shape)
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


def _index(overlap: Overlap, cells: _Cells, masks: list[Bools], parameters: dict[str, Any]) -> float:
    sums = [float(term(cells)[0][mask].sum()) for (term, _), mask in zip(overlap.sums, masks, strict=True)]
    return overlap.of(sums, cells, parameters)


def _influence(
    overlap: Overlap, cells: _Cells, masks: list[Bools], parameters: dict[str, Any]
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


def _event(cells: _Cells, of_rows: Float64s, of_cols: Float64s) -> float:
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


def _flattery(overlap: Overlap, cells: _Cells, parameters: dict[str, Any]) -> float:
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

    cells: _Cells
    places: Int64s
    masks: list[Bools]

    @classmethod
    def of(cls, overlap: Overlap, whole: _Cells, counts: Int64s) -> _Half | None:
        places = np.flatnonzero(counts)
        if not places.size:
            return None
        cells = _Cells(whole.rows[places], whole.cols[places], counts[places].astype(np.float64), whole.shape)
        masks = []
        for _, selection in overlap.sums:
            mask = np.zeros(counts.size, bool)
            mask[places] = selection(cells)
            masks.append(mask)
        return cls(cells, places, masks)
