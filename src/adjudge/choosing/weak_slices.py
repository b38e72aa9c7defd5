"""Slices of rows in which a model is worse than elsewhere: looked for in one half of them, tested on the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.choosing.slice_columns import Columns, coded_columns, of_rows, repeated_columns
from adjudge.choosing.slices import worst_slices
from adjudge.errors import InputError, Option
from adjudge.given.labels import Labels
from adjudge.given.units import Units
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.significance import Difference
from adjudge.inference.differences.slices import difference_from_rest
from adjudge.inference.sampling_design import Drawn
from adjudge.presentation.numbers import count, listed
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.point_notices import why_left_out
from adjudge.results.weak_slices import WeakSlice, WeakSlices
from adjudge.statistics.agreement import OF_NUMBERS

__all__ = ["MOST_TESTED", "fewest_of", "find_weak_slices"]

#: Most slices that are tested, unless said otherwise.
MOST_TESTED = 10
# Rows in which slices are looked for: more of them find nothing else, and take long.
_MOST_SEARCHED = 200_000
# Fewest units of a slice in each half, and the inverse of their smallest share of all units.
_FEWEST, _SHARE = 20, 200


def fewest_of(n_units: int) -> int:
    """Return how many units a slice needs in each half, by the number of all units."""
    return max(_FEWEST, -(-n_units // _SHARE))


def find_weak_slices(
    rows: Instances,
    models: Sequence[str],
    columns: Mapping[Any, Any],
    rng: np.random.Generator,
    *,
    are_named: bool = False,
    labels_from: Iterable[Any] = (),
    smallest: int | None = None,
    most: int = MOST_TESTED,
    confidence: float = 0.95,
) -> WeakSlices:
    """Find slices in which a model is worse than elsewhere, or by more worse than the one before it.

    Parameters
    ----------
    rows : Instances
        What models say of each row, of which each counts once.
    models : sequence of str
        One of them, or two, the old one first.
    columns : mapping of object to ndarray of float64, or list of str
        Columns of the table from which the rows are: numbers, nan if missing, or texts, empty if missing.
    rng : Generator
        How rows are halved.
    are_named : bool
        Whether the caller named the columns; otherwise those that repeat labels or units, or that models say, are left
        out.
    labels_from : iterable
        The columns from which the models' labels are.
    smallest, most, confidence
        As for :func:`adjudge.weak_slices`.
    """
    losses, limits, words = _losses(rows, models)
    lengths = {len(own) for own in columns.values()}
    if lengths != {rows.n_given}:
        raise InputError(f"the table has {min(lengths)} rows, and there are {rows.n_given} labels")
    shown = coded_columns(columns)
    if rows.kept is not None:
        shown = of_rows(shown, rows.kept)
    copies = [] if are_named else [*repeated_columns(shown, rows, labels_from)]
    repeated = {name for own in copies for name in own.names}
    shown = {name: own for name, own in shown.items() if str(name) not in repeated}
    n = losses.size
    units = rows.units or Units(np.arange(n), n)
    fewest = fewest_of(units.n_units) if smallest is None else smallest
    if units.n_units // 2 < 2 * fewest:
        what = count(units.n_units, "row" if rows.units is None else "unit")
        raise InputError(
            f"half of {what} has no two slices of {fewest}: judge more rows, or lower ", Option("smallest")
        )
    order = rng.permutation(units.n_units)
    n_searched = min(units.n_units // 2, max(1, _MOST_SEARCHED * units.n_units // n))
    searched = np.flatnonzero(_among(units, order[:n_searched]))
    rest = np.flatnonzero(_among(units, order[units.n_units // 2 :]))
    # Units are counted when a slice is tested.
    fewest_rows = math.ceil(fewest * n / units.n_units * n_searched / (units.n_units // 2))
    chosen, n_looked_at, silent = worst_slices(of_rows(shown, searched), losses[searched], fewest_rows, most)
    unit = units.take(rest)
    drawn = None if rows.units is None else Drawn(unit.codes, unit.n_units)
    tested = []
    for own in chosen:
        holds = own.holds(shown)
        inside = holds[rest]
        if min(np.count_nonzero(np.bincount(unit.codes[part])) for part in (inside, ~inside)) < fewest:
            continue
        within, without, found = difference_from_rest(losses[rest], inside, limits, confidence, drawn)
        p = _p_of_constants(losses[rest], inside, unit) if found.test is None else found.test.p_value
        tested.append((own.words, rows.positions[holds], inside, within, without, found, p))
    said = (
        Notice(
            "repeated-columns",
            f"{why_left_out(own)}, so {'it gives' if len(own.names) == 1 else 'they give'} no slices",
            severity="info",
        )
        for own in copies
    )
    notices = (*said, *_without_slices(silent), *_gaps(shown))
    return _corrected(tested, words, n, n_looked_at, confidence, tuple(shown), notices)


def _losses(rows: Instances, models: Sequence[str]) -> tuple[Floats, tuple[float, float], str]:
    """Return the loss of each row, or by how much that of the second model is higher, its limits, and its name."""
    if rows.weights is not None:
        raise InputError("slices are of rows that count once each: leave weights and counts out")
    if rows.kind in OF_NUMBERS:
        least, most, words = -math.inf, math.inf, "mean" if rows.truth is None else "mean absolute error"
        least = least if rows.truth is None else 0.0
        each = rows.losses
    elif rows.kind == "classification":
        least, most, words = 0.0, 1.0, "share wrong"
        each = {name: (~own).astype(np.float64) for name, own in rows.right.items()}
    else:
        raise InputError(
            "slices are of rows that are right, wrong or off by a number: give classes or numbers"
        )
    if rows.better == "higher":
        words = f"{words}, negative"
    if len(models) == 1:
        return each[models[0]], (least, most), words
    old, new = models
    return each[new] - each[old], (least - most, most - least), f"{words}, {new} less {old}"


def _among(units: Units, some: Ints) -> Bools:
    """Return the rows of some units."""
    chosen = np.zeros(units.n_units, np.bool_)
    chosen[some] = True
    return chosen[units.codes]


def _without_slices(columns: Sequence[Any]) -> tuple[Notice, ...]:
    """Say which columns give no slices of enough rows, as identifiers do."""
    if not columns:
        return ()
    give = "gives" if len(columns) == 1 else "give"
    said = f"{listed([str(own) for own in columns], 4)} {give} no slices: too few rows share a value"
    how = "give long texts as fewer categories"
    return (Notice("columns-without-slices", said, how, "info"),)


def _gaps(columns: Columns) -> tuple[Notice, ...]:
    """Say which columns have no value in some rows."""
    absent = {}
    for name, own in columns.items():
        gaps = own.where("") if isinstance(own, Labels) else np.isnan(own)
        absent[name] = 0 if gaps is None else int(gaps.sum())
    said = listed([f"{name} has no value in {count(n, 'row')}" for name, n in absent.items() if n])
    how = "such rows are a slice of their own if they are enough, and in no other slice of that column"
    return (Notice("gaps-in-columns", said, how, "info"),) if said else ()


def _p_of_constants(losses: Floats, inside: Bools, unit: Units) -> float:
    """Return the p-value where all rows inside are alike, and all outside: no variance tells that, but all orders do.

    Of all ways to choose as many units, those that lie wholly inside are one. nan if rows differ among themselves.
    """
    one, other = losses[inside], losses[~inside]
    if (one != one[0]).any() or (other != other[0]).any() or one[0] == other[0]:
        return math.nan
    within = np.bincount(unit.codes, inside, unit.n_units)
    sizes = np.bincount(unit.codes, minlength=unit.n_units)
    k, n = int((within == sizes).sum()), int(((within == sizes) | (within == 0)).sum())
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return min(1.0, 2 * math.exp(-ways))


def _corrected(
    tested: Sequence[tuple[str, Ints, Bools, float, float, Difference, float]],
    words: str,
    n: int,
    n_looked_at: int,
    confidence: float,
    columns: tuple[Any, ...],
    warnings: tuple[Notice, ...],
) -> WeakSlices:
    """Correct the tests of all slices, and sort these by their certainty."""
    p_values = [own[-1] for own in tested]
    found = []
    for own, p, adjusted in zip(tested, p_values, adjust_p_values(p_values), strict=True):
        name, positions, inside, within, without, difference, _ = own
        low, high = difference.interval
        made = WeakSlice(
            name,
            int(positions.size),
            int(inside.sum()),
            within,
            without,
            None if math.isnan(low) else low,
            None if math.isnan(high) else high,
            None if math.isnan(p) else p,
            None if math.isnan(adjusted) else adjusted,
            difference.interval.reason if math.isnan(low) else None,
        )
        found.append((made, positions))
    found.sort(
        key=lambda own: (own[0].difference <= 0, math.inf if own[0].p_value is None else own[0].p_value)
    )
    return WeakSlices(
        tuple(own for own, _ in found),
        words,
        n,
        n_looked_at,
        confidence,
        columns,
        warnings,
        _rows=tuple(rows for _, rows in found),
    )
