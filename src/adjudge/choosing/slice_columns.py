"""The columns that define slices: numbers, dates, texts, each with one name for True and False; no copies of labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from adjudge.given.written import dates_of, is_number
from adjudge.results.instances import Instances

__all__ = ["Columns", "coded_columns", "of_rows", "repeated_columns"]

#: Columns of numbers, nan if missing, of dates as datetime64, or of texts, empty if missing.
Columns = Mapping[Any, Floats | NDArray[np.datetime64] | Labels]

# What tells columns of one name apart: the "stay" of "v2_stay", the 2 of "p2".
_LAST_WORD, _FIRST_WORD = re.compile(r"[\W_]+[^\W_]+$|\d+$"), re.compile(r"^[^\W_]+[\W_]+")
# By how much each of some shares may be off.
_ROUNDED = 0.005


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
    dates = dates_of(known)
    if dates is None:
        return labels
    return np.array([dates.get(own, np.datetime64("NaT", "us")) for own in column], "datetime64[us]")


def of_rows(columns: Columns, places: Ints) -> Columns:
    """Return some rows of all columns."""
    return {
        name: own.take(places) if isinstance(own, Labels) else own[places] for name, own in columns.items()
    }


def repeated_columns(
    columns: Columns, rows: Instances, named: Iterable[Any] = ()
) -> Iterator[ColumnsLeftOut]:
    """Find the columns that repeat what rows are judged by: the truth, what any model says, or the units.

    Probabilities are known by the names of their columns, of a model or of a class, or add up to 1 with others of one
    name; classes in a column after which probabilities are named are labels of a model. Whole numbers under such names
    may be segments, and stay.

    Parameters
    ----------
    columns : mapping of object to ndarray of float64 or datetime64, or Labels
    rows : Instances
    named : iterable
        The columns from which the models' labels are.
    """
    vectors: dict[str, Any] = {} if rows.truth is None else {"labels_true": _as_column(rows.truth)}
    classes = [*map(str, rows.truth.present)] if isinstance(rows.truth, Labels) else []
    vectors |= {name: _as_column(own) for name, own in rows.labels.items()}
    roles: dict[Any, str] = {}
    for name, own in columns.items():
        role = next((role for role, vector in vectors.items() if _are_equal(own, vector)), None)
        if role is None and rows.units is not None and _names_units(own, rows.units):
            role = "units"
        if role is not None:
            roles[name] = role
            yield ColumnsLeftOut((str(name),), "copy", role)
    rest = {name: own for name, own in columns.items() if name not in roles}
    shares: dict[Any, Any] = {name: own for name, own in rest.items() if _are_shares(own)}
    # Numbers at the end of a name say too little.
    ends = {name: _without(name, [own for own in classes if not is_number(own)]) for name in shares}
    stems = {name: _without(name, classes) for name in shares}
    labels = [name for name, own in rest.items() if str(name) in stems.values() and _has_only(own, classes)]
    models = [
        *rows.labels,
        *named,
        *(name for name, role in roles.items() if role not in ("labels_true", "units")),
        *labels,
    ]
    output = {
        name
        for name, own in shares.items()
        if ends[name] is not None or looks_like_models_output(name, own[~np.isnan(own)], models)
    }
    output |= _adding_up({name: own for name, own in shares.items() if name not in output}, stems)
    for found, why in ((labels, "labels"), ([name for name in shares if name in output], "output")):
        if found:
            yield ColumnsLeftOut(tuple(map(str, found)), why)


def _are_shares(column: Any) -> bool:
    """Whether numbers are fractions between 0 and 1, gaps aside."""
    if not isinstance(column, np.ndarray) or column.dtype.kind != "f":
        return False
    known = column[~np.isnan(column)]
    return bool((known % 1 > 0).any() and known.min() >= 0 and known.max() <= 1)


def _without(name: Any, classes: Sequence[str]) -> str | None:
    """Return the name of a column without a class at its start or end, which may be all of it; None if it has none."""
    for own in classes:
        end = re.escape(own)
        found = re.fullmatch(rf"(.*?)(?:[\W_]+|^){end}|{end}[\W_]+(.*)", str(name), re.IGNORECASE)
        if found is not None:
            return found[1] or found[2] or ""
    return None


def _has_only(column: Any, classes: Sequence[str]) -> bool:
    if not isinstance(column, Labels):
        return column.dtype.kind == "f" and {f"{own:g}" for own in column[~np.isnan(column)]} <= {*classes}
    return {own for own in column.present if own} <= {*classes}


def _adding_up(shares: Mapping[Any, Floats], stems: Mapping[Any, str | None]) -> set[Any]:
    """Return the columns of which those that are named alike, but for the last or the first word, add up to 1."""
    alike: dict[tuple[str, str], list[Any]] = {}
    for name in shares:
        stem = stems[name]
        first = _LAST_WORD.sub("", str(name)) if stem is None else stem
        alike.setdefault(("first", first), []).append(name)
        alike.setdefault(("last", _FIRST_WORD.sub("", str(name))), []).append(name)
    found: set[Any] = set()
    for names in alike.values():
        total = np.sum([shares[name] for name in names], axis=0)
        # Each may be rounded to two decimals.
        if len(names) > 1 and (np.abs(total[~np.isnan(total)] - 1) <= _ROUNDED * len(names)).all():
            found.update(names)
    return found


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
