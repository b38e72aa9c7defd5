"""What each instance does to a mean of shares: BCubed, or element-centric similarity.

The share of an instance is that of the *other* instances of its cluster that it is joined with in the other partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.inference.common.score_intervals import UNSEEN_EVENTS, ScoreBasis, slopes_of
from adjudge.inference.common.two_by_two import Reading, TablesOfFour, TestOfFour
from adjudge.inference.partitions.filled_cells import FilledCells, Float64s
from adjudge.inference.refusals import RefusedError, round_up
from adjudge.statistics.contingency import Contingency

__all__ = ["SHARES", "shares_score"]

# Instances a cluster, on average, from which on what is known of the larger of two clusters is enough.
_FEWEST_OF_LARGER = 8
# Largest part of the instances that may be alone in their clusters.
_MOST_ALONE = 0.35
# Standard deviations that the index may change by if those that are alone are unlike all others.
_MOST_ASSUMED = 0.8
# sqrt(2) times half the mean of a half-normal variable: the weight by likelihood takes the factor away on average.
_LARGER_OF_TWO = 1 / math.sqrt(math.pi)
# What an instance that strays changes in a mean of shares, in shares of the instances, beside clusters that are merged.
_OF_A_STRAY = 2.0
# A smaller variance is a remainder of rounding.
_ROUNDING = 1e-22

# Sizes of a cluster of each cell, from those of its row and its column.
Size = Callable[[Float64s, Float64s], Float64s]


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


def shares_score(
    name: str, table: Contingency, value: float, limits: tuple[float, float], parameters: dict[str, Any]
) -> ScoreBasis:
    """Return what the interval of a mean of shares is made of: BCubed, or element-centric similarity.

    Raises
    ------
    RefusedError
    """
    cells = FilledCells.of(table)
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
    if np.isnan(without).all() or alone > _MOST_ALONE * n:
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
    if variance > 0 and cells.n.size in table.shape and not table.identical:
        # Clusters that lie within those of the other partition: that an instance strays is always possible.
        variance += UNSEEN_EVENTS * (_OF_A_STRAY / n) ** 2
    # An instance that strays lacks in its own cluster, and is foreign to another's.
    event = 4 / n if variance == 0 else math.nan
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


def _least_share(name: str, cells: FilledCells, parameters: dict[str, Any]) -> float:
    """Smallest value in populations with these clusters: that of even cells (Cauchy's inequality)."""
    if SHARES[name] == (np.maximum,):
        return 0.0
    of_size: dict[Size, float] = {_size_of_col: 1 / cells.shape[0], _size_of_row: 1 / cells.shape[1]}
    least = [np.array(of_size[size]) for size in SHARES[name]]
    return float(least[0] if len(least) == 1 else _f(least[0], least[1], float(parameters.get("beta", 1.0))))


def _mean_share(name: str, cells: FilledCells, parameters: dict[str, Any]) -> tuple[float, Float64s]:
    """Mean share, and the mean without an instance of each cell."""
    parts = [_others(cells, size) for size in SHARES[name]]
    better, without = parts[0]
    if len(parts) == 2:
        beta = float(parameters.get("beta", 1.0))
        better = float(_f(np.array(better), np.array(parts[1][0]), beta))
        without = _f(without, parts[1][1], beta)
    return better, without


def _of_two_instances(name: str, cells: FilledCells, parameters: dict[str, Any]) -> float:
    """Variance of a mean of shares if all pairs of instances were independent of each other."""
    parts, means = [], []
    for size in SHARES[name]:
        s = size(cells.a, cells.b)
        others = np.maximum(s - 1, 1)
        # The larger of two clusters is another in each cell.
        own = np.arange(s.size)
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


def _of_left_out(cells: FilledCells, without: Float64s) -> tuple[Float64s, float]:
    """Values without an instance of each cell, centred, and the jackknife variance."""
    n = cells.total
    seen = ~np.isnan(without)
    centred = np.where(seen, without - float(cells.n[seen] @ without[seen]) / float(cells.n[seen].sum()), 0.0)
    return centred, (n - 1) / n * float(cells.n @ centred**2)


def _bend(cells: FilledCells) -> tuple[float, float]:
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


def _others(c: FilledCells, size: Size) -> tuple[float, Float64s]:
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
    by_row = np.stack([np.bincount(c.rows, part) for part in of_row - whole])
    by_col = np.stack([np.bincount(c.cols, part) for part in of_col - whole])
    without = total + by_row[:, c.rows] + by_col[:, c.cols]
    without += sums(c.n - 1, a - 1, b - 1) - of_row - of_col + whole
    with np.errstate(invalid="ignore"):
        return float(total[0, 0] / total[1, 0]), without[0] / without[1]
