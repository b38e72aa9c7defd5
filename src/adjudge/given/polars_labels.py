"""Labels in Polars columns."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from adjudge.given.array_labels import code_array, most_codes
from adjudge.given.arrow_labels import code_strings, not_text
from adjudge.given.distinct_values import distinct_entries
from adjudge.given.label_vectors import Labels
from adjudge.given.object_labels import bind, code_objects
from adjudge.given.ordered_labels import ranks_of, sorted_labels, sorted_order

__all__ = ["code_polars"]


def code_polars(series: Any, name: str) -> Labels | None:
    """Code a Polars series; return None for anything else."""
    import polars as pl

    if not isinstance(series, pl.Series):
        return None
    coded = _code_series(series, name)
    return (
        replace(coded, order=series.dtype.categories.to_list())
        if isinstance(series.dtype, pl.Enum)
        else coded
    )


def _code_series(series: Any, name: str) -> Labels:
    import polars as pl

    if series.dtype == pl.Binary:
        try:
            series = series.cast(pl.String)
        except pl.exceptions.PolarsError:
            raise not_text(series.to_list(), name) from None
    if str(series.dtype) in ("Int128", "UInt128"):  # which NumPy lacks
        return code_objects(series.to_list(), name)
    missing = series.is_null().to_numpy() if series.null_count() else None
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        if missing is None:
            return code_array(series.to_numpy(), name)
        if missing.all():
            return Labels(np.zeros(len(series), np.int64), 0, 1, (0,), missing)
        coded = code_array(series.fill_null(series.drop_nulls()[0]).to_numpy(), name)
        return replace(coded, missing=missing if coded.missing is None else missing | coded.missing)
    if series.dtype == pl.String and find_spec("pyarrow"):
        newest = pl.CompatLevel.newest()
        coded_strings = code_strings([chunk.to_arrow(compat_level=newest) for chunk in series.get_chunks()])
        if coded_strings is not None:
            return coded_strings
    if series.dtype in (pl.String, pl.Categorical, pl.Enum) and missing is None and len(series):
        if series.dtype == pl.String:
            series = series.cast(pl.Enum(series.unique().sort()))
        return _code_polars_categories(series)
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = series.cast(pl.String)
        known = text.drop_nulls().unique(maintain_order=True)
        codes = text.cast(pl.Enum(known)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return bind(codes, known.to_list(), name)
    return code_objects(series.to_list(), name)


def _code_polars_categories(series: Any) -> Labels:
    """Code categories, none of which is missing, by Polars' own codes."""
    import polars as pl

    numbers = series.to_physical().to_numpy()
    if isinstance(series.dtype, pl.Enum) and len(series.dtype.categories) <= most_codes(numbers.size):
        return sorted_labels(numbers, series.dtype.categories.to_list())

    found = distinct_entries(numbers)
    occurring = series.unique()
    name_of = dict(zip(occurring.to_physical().to_list(), occurring.cast(pl.String).to_list(), strict=True))
    names = [name_of[number] for number in found.values.tolist()]
    order = sorted_order(names)
    return Labels(found.ranked(ranks_of(order)), 0, len(order), [names[i] for i in order])
