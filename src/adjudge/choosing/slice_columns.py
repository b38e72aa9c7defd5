"""The columns that define slices: numbers, dates, texts, each with one name for True and False; no copies of labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.given.class_names import are_boolean
from adjudge.given.identifiers import looks_like_models_output
from adjudge.given.labels import Labels, code_labels
from adjudge.given.number_vectors import NumberVector
from adjudge.given.points import ColumnsLeftOut
from adjudge.given.units import Units
from adjudge.results.instances import Instances

__all__ = ["Columns", "coded_columns", "of_rows", "repeated_columns"]

#: Columns of numbers, nan if missing, of dates as datetime64, or of texts, empty if missing.
Columns = Mapping[Any, Floats | NDArray[np.datetime64] | Labels]

# A date, or a date and a time of day; the time zone is not read, so that times are those of its clocks.
_DATE = re.compile(r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)(?:Z|[+-]\d\d:?\d\d)?")


def coded_columns(columns: Mapping[Any, Any]) -> Columns:
    """Code columns of numbers and of texts.

    Examples
    --------
    >>> from adjudge.choosing.slice_columns import coded_columns
    >>> found = coded_columns({"member": ["true", "False"], "since": ["2026-03-01", "2025-12-24 18:00:00"]})
    >>> found["member"].present, str(found["since"][0])
    (['False', 'True'], '2026-03-01T00:00:00.000000')
    """
    return {name: _coded(own, name) for name, own in columns.items()}


def _coded(column: Any, name: Any) -> Any:
    if isinstance(column, np.ndarray):
        return column
    labels = code_labels(column, f"column {name!r}")
    known = [own for own in labels.present if own]
    if are_boolean(known):
        return code_labels([own.strip().capitalize() for own in column], f"column {name!r}")
    dates = _dates(known)
    if dates is None:
        return labels
    return np.array([dates.get(own, np.datetime64("NaT", "us")) for own in column], "datetime64[us]")


def _dates(known: Sequence[str]) -> dict[str, np.datetime64] | None:
    """Read texts that are dates, as ISO 8601 writes them; None if one is not."""
    found: dict[str, np.datetime64] = {}
    for own in known:
        matched = _DATE.fullmatch(own.strip())
        if matched is None:
            return None
        try:
            found[own] = np.datetime64(matched[1], "us")
        except ValueError:  # no day of the calendar
            return None
    return found or None


def of_rows(columns: Columns, places: Ints) -> Columns:
    """Return some rows of all columns."""
    return {
        name: own.take(places) if isinstance(own, Labels) else own[places] for name, own in columns.items()
    }


def repeated_columns(columns: Columns, rows: Instances, models: Sequence[str]) -> Iterator[ColumnsLeftOut]:
    """Find the columns that repeat what rows are judged by: the truth, what a model says, or the units.

    Probabilities are known by the names of their columns; whole numbers under such names may be segments, and stay.
    """
    vectors: dict[str, Any] = {} if rows.truth is None else {"labels_true": _as_column(rows.truth)}
    vectors |= {name: _as_column(rows.labels[name]) for name in models}
    for name, own in columns.items():
        role = next((role for role, vector in vectors.items() if _are_equal(own, vector)), None)
        if role is None and rows.units is not None and _names_units(own, rows.units):
            role = "units"
        if role is not None:
            yield ColumnsLeftOut((str(name),), "copy", role)
        elif _has_fractions(own) and looks_like_models_output(name, own, models):
            yield ColumnsLeftOut((str(name),), "output")


def _has_fractions(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind == "f" and bool((column % 1 > 0).any())


def _as_column(vector: Any) -> Any:
    """Return labels as a column of a table has them."""
    if isinstance(vector, NumberVector):
        return vector.values
    codes, known = vector.dense()
    if all(isinstance(own, (int, float, np.number)) and not isinstance(own, bool) for own in known):
        return np.array(known, np.float64)[codes]
    return _coded(np.array([*map(str, known)], object)[codes].tolist(), "labels")


def _are_equal(one: Any, other: Any) -> bool:
    if isinstance(one, Labels) and isinstance(other, Labels):
        return {*one.present} == {*other.present} and bool((one.given() == other.given()).all())
    return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)


def _names_units(column: Any, units: Units) -> bool:
    """Whether each unit has one value, which no other unit has."""
    values = column.dense()[0] if isinstance(column, Labels) else np.unique(column, return_inverse=True)[1]
    pairs = np.unique(np.stack([values, units.codes]), axis=1).shape[1]
    return bool(pairs == units.n_units == np.unique(values).size)
