"""Rows of two tables that have the same key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import InputError, InputTypeError, Option, in_words
from adjudge.given.label_values import has_hash
from adjudge.presentation.numbers import count
from adjudge.presentation.tables import encodable, installed_backend

_TEXT = ("String", "Object", "Categorical", "Enum")


@dataclass(frozen=True)
class MatchedRows:
    """Positions of the rows with the same key in two tables.

    Attributes
    ----------
    first, second : ndarray of int64 of shape (n,)
        Positions, in the order of the first table.
    only_first, only_second : int
        How many keys the other table lacks.
    """

    first: Ints
    second: Ints
    only_first: int
    only_second: int


def match_rows(
    key: str, first: Any, second: Any, called: tuple[str, str], *, drop: bool = False
) -> MatchedRows:
    """Find the rows with the same key in two tables, whose order does not matter.

    Parameters
    ----------
    key : str
        What the key is called.
    first, second : array-like of shape (n,), (m,)
        The keys.
    called : (str, str)
        What the tables are called in messages.
    drop : bool
        Whether rows without a partner are left out; otherwise they are an error.

    Raises
    ------
    InputError
        If a key is missing or repeated, or has another type or no partner in the other table.

    Examples
    --------
    >>> from adjudge.given.matched_rows import match_rows
    >>> found = match_rows("id", [3, 1, 2], [1, 2, 3], ("old", "new"))
    >>> found.first.tolist(), found.second.tolist()
    ([0, 1, 2], [2, 0, 1])
    """
    frames = [_keys(key, own, name) for own, name in zip((first, second), called, strict=True)]
    kinds = [_kind(frame["key"].dtype) for frame in frames]
    if kinds[0] != kinds[1]:
        raise _other_type(key, kinds, called)
    one, other = frames
    alone = [own.join(beside, on="key", how="anti")["key"] for own, beside in ((one, other), (other, one))]
    only = [len(own) for own in alone]
    if any(only) and not drop:
        has, lacks = (0, 1) if only[0] else (1, 0)
        raise no_partner(only[has], called[has], called[lacks], alone[has].to_list()[0])
    joined = one.join(other.rename({"row": "partner"}), on="key", how="inner")
    rows = joined["row"].to_numpy().astype(np.int64)
    partners = joined["partner"].to_numpy().astype(np.int64)
    if not rows.size:
        raise no_common_key(key, called)
    order = np.argsort(rows, kind="stable")
    return MatchedRows(rows[order], partners[order], *only)


def check_keys(key: str, frames: Sequence[Any], called: Sequence[str]) -> list[int]:
    """Raise if a key is missing or repeated in a lazy frame, or has another type in the other one.

    Parameters
    ----------
    key : str
        What the key is called.
    frames : sequence of narwhals LazyFrame
        The keys, in a column ``key``.
    called : sequence of str
        What the tables are called in messages.

    Returns
    -------
    list of int
        The number of keys in each frame.
    """
    import narwhals as nw

    n_keys = []
    for frame, name in zip(frames, called, strict=True):
        own = frame.select(
            n=nw.len(), absent=nw.col("key").is_null().cast(nw.Int64).sum(), distinct=nw.col("key").n_unique()
        ).collect()
        n, absent, distinct = (int(own[part].to_list()[0] or 0) for part in ("n", "absent", "distinct"))
        if absent:
            raise _missing(key, absent, name)
        if distinct < n:
            times = frame.group_by("key").agg(n=nw.len()).filter(nw.col("n") > 1).head(1).collect()
            raise _repeated(key, name, times["key"].to_list()[0], times["n"].to_list()[0])
        n_keys.append(n)
    kinds = [_kind(frame.collect_schema()["key"]) for frame in frames]
    if kinds[0] != kinds[1]:
        raise _other_type(key, kinds, called)
    return n_keys


def no_common_key(key: str, called: Sequence[str]) -> InputError:
    """Return the error for tables that share no key."""
    return InputError(f"{called[0]} and {called[1]} have no value of key {key!r} in common")


def no_partner(n: int, has: str, lacks: str, example: Any) -> InputError:
    """Return the error for keys of one table that are not in the other."""
    return InputError(
        f"{count(n, 'key')} of {has} {'is' if n == 1 else 'are'} not in {lacks}, such as {in_words(example)}: "
        "add the rows, or leave such rows out with ",
        Option("missing", "drop"),
    )


def _other_type(key: str, kinds: Sequence[str], called: Sequence[str]) -> InputError:
    return InputError(
        f"key {key!r} is {kinds[0]} in {called[0]} and {kinds[1]} in {called[1]}: give both the same type"
    )


def _missing(key: str, n: int, called: str) -> InputError:
    return InputError(f"key {key!r} is missing in {count(n, 'row')} of {called}: give every row a key")


def _repeated(key: str, called: str, value: Any, times: int) -> InputError:
    return InputError(f"key {key!r} is repeated in {called}: {in_words(value)} occurs {times} times")


def _keys(key: str, values: Any, called: str) -> Any:
    """Return a frame of the keys and their positions; each key occurs once."""
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series) or series.implementation.value != installed_backend():
        values = series.to_numpy() if isinstance(series, nw.Series) else np.asanyarray(values)
        # Text and missing values, of whatever type.
        if values.dtype.kind not in "iuf" or np.ma.is_masked(values):
            values = [encodable(own) if isinstance(own, str) else own for own in values.tolist()]
        series = nw.new_series("key", values, backend=installed_backend())
    if series.dtype.is_nested() or (series.dtype == nw.Object and not all(map(has_hash, series.to_list()))):
        raise InputTypeError(f"key {key!r} of {called} has lists or the like: text or numbers are needed")
    absent = series.is_null() | (series.is_nan() if series.dtype.is_float() else series.is_null())
    if absent.any():
        raise _missing(key, int(absent.sum()), called)
    frame = series.alias("key").to_frame().with_row_index("row")
    twice = frame.filter(nw.col("key").is_duplicated())
    if len(twice):
        value = twice["key"].to_list()[0]
        raise _repeated(key, called, value, int((twice["key"] == value).sum()))
    return frame


def _kind(dtype: Any) -> str:
    """Name the type of a key in plain words."""
    if dtype.is_integer():
        return "whole numbers"
    return "numbers" if dtype.is_numeric() else "text" if str(dtype) in _TEXT else str(dtype)
