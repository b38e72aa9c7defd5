"""Units of a lazy table, by two levels of GROUP BY: only those that differ come back, with how many are alike.

The combinations of labels are numbered. A GROUP BY of the units counts each unit's rows of each combination; a second
one counts the units that have the same counts, which are packed into few numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import (
    COUNT,
    FrameTable,
    LabelCells,
    aggregated,
    collected,
    count_cells,
    kept_rows,
    number_of_rows,
    numbers_of,
)
from adjudge.errors import InputError
from adjudge.given.label_options import LabelOptions, rows_without_label

__all__ = ["count_units"]

# Bits of a sum that several counts share: such whole numbers are exact in floating point.
_BITS = 48
# Bits of a count: how many rows a unit may have of a combination. More are tried if some unit has more rows.
_WIDTHS = (8, 16, _BITS)
# Most sums of a unit, and most combinations that these hold.
_MOST_SUMS, _MOST_CELLS = 32, 192
_CELL = "__adjudge_cell__"


def count_units(
    table: FrameTable, columns: Sequence[Any], unit: Any, *, missing: str = "raise"
) -> LabelCells | None:
    """Count the rows of each combination of labels in each unit; those that have the same are one.

    Parameters
    ----------
    table : FrameTable
    columns : sequence of str
        Labels and groups.
    unit : str
    missing : {"raise", "drop"}

    Returns
    -------
    LabelCells or None
        Its column of units has numbers, and `alike` how many units each stands for. None if combinations are too many,
        or of types that engines compare in their own ways.
    """
    import narwhals as nw

    columns, schema = list(dict.fromkeys(columns)), table.frame.collect_schema()
    own, (own_unit,) = table.own(columns), table.own([unit])
    if unit in columns or not all(schema[name].is_integer() or schema[name] == nw.String for name in own):
        return None
    cells = count_cells(table, columns, missing=missing)
    labels = [nw.from_native(cells.labels[name], series_only=True) for name in columns]
    listed = [each.to_list() for each in labels]
    names = [sorted(set(each)) for each in listed]
    size = int(np.prod([len(each) for each in names]))
    if size > _MOST_CELLS:
        return None
    if missing == "drop":
        table = kept_rows(table, [*columns, unit], LabelOptions(missing))
    else:
        _check_units(table, unit, own_unit, schema[own_unit])
    rows = table.frame.lazy().select(own_unit, **{_CELL: _numbered(own, names)})
    n_rows = number_of_rows(table) if missing == "drop" else int(cells.counts.sum())
    named = [*columns, unit]
    tried = (_alike(rows, own_unit, size, n_rows, width, named) for width in _WIDTHS)
    if (found := next(filter(None, tried), None)) is None:
        return None
    counts, alike = found
    place = np.full(size, -1)
    place[_keys(listed, names)] = np.arange(len(listed[0]))
    units, keys = np.nonzero(counts)
    held = counts[units, keys]
    taken = {name: each[place[keys]].to_native() for name, each in zip(columns, labels, strict=True)}
    if (place[keys] < 0).any():
        raise InputError("the table's rows changed between two readings: write them to a file first")
    return LabelCells({**taken, unit: units}, held * alike[units], cells.n_given, alike={unit: alike[units]})


def _check_units(table: FrameTable, unit: Any, own: str, dtype: Any) -> None:
    """Raise if rows belong to no unit."""
    import narwhals as nw

    absent = nw.col(own).is_null() | nw.col(own).is_nan() if dtype.is_float() else nw.col(own).is_null()
    if n := number_of_rows(table.with_rows(table.frame.filter(absent))):
        raise rows_without_label(unit, n)


def _numbered(columns: Sequence[str], names: Sequence[Sequence[Any]]) -> Any:
    """Return the number of each row's combination, as an expression."""
    import narwhals as nw

    found: Any = nw.lit(0)
    for column, known in zip(columns, names, strict=True):
        code: Any = nw.lit(-(1 << 30))  # of no label that was counted: far below all numbers
        for i, name in enumerate(known):
            code = nw.when(nw.col(column) == nw.lit(name)).then(nw.lit(i)).otherwise(code)
        found = found * len(known) + code
    return found


def _keys(labels: Sequence[Sequence[Any]], names: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    """Return the numbers of combinations."""
    found = np.zeros(len(labels[0]), np.int64)
    for own, known in zip(labels, names, strict=True):
        place = {name: i for i, name in enumerate(known)}
        found = found * len(known) + np.array([place[label] for label in own], np.int64)
    return found


def _alike(
    rows: Any, unit: str, size: int, n_rows: int, width: int, named: Sequence[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the counts of units that differ, and how many have them; None if a count takes more bits than `width`."""
    import narwhals as nw

    in_one = _BITS // width
    n_sums = -(-size // in_one)
    if n_sums > _MOST_SUMS:
        return None
    cell, share = nw.col(_CELL), nw.lit(1.0)
    for i in range(1, min(in_one, size)):
        share = nw.when(cell % in_one == i).then(nw.lit(float(1 << (width * i)))).otherwise(share)
    sums = [f"__adjudge_sum{j}__" for j in range(n_sums)]
    packed = {
        own: nw.when((cell >= j * in_one) & (cell < (j + 1) * in_one)).then(share).otherwise(nw.lit(0.0))
        for j, own in enumerate(sums)
    }
    of_units = aggregated(rows.select(unit, **packed), [unit], {own: ("sum", own) for own in sums})
    found = collected(aggregated(of_units, sums, {COUNT: ("len", sums[0])}), named)
    counts, alike = (
        np.zeros((len(found), n_sums * in_one), np.int64),
        numbers_of(found[COUNT]).astype(np.int64),
    )
    for j, own in enumerate(sums):
        bits = numbers_of(found[own]).astype(np.int64)
        for i in range(in_one):
            counts[:, j * in_one + i] = bits >> (width * i) & ((1 << width) - 1)
    if int(alike @ counts.sum(axis=1)) != n_rows:  # some count took more bits
        return None
    # In one order, whatever that of the engine is.
    order = np.lexsort(counts.T)
    return counts[order, :size], alike[order]
