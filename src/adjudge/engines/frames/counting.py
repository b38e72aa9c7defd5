"""The engine for tables: a data frame's own GROUP BY reduces labels to cells; only the counts come back.

Works on whatever narwhals supports, eager or lazy: pandas, Polars, PyArrow, DuckDB, PySpark, Ibis ...; and on Dask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.dask_rows import DaskRows
from adjudge.engines.frames.partitions import Partitions
from adjudge.engines.frames.ray_rows import RayRows
from adjudge.errors import InputError, InputTypeError, TooManyCombinationsError, a_type
from adjudge.given.alignment import Rows
from adjudge.given.data_frames import from_dask, from_ray, open_data_frame
from adjudge.given.label_options import LabelOptions, rows_without_label
from adjudge.given.label_values import numbers_of_arrow
from adjudge.given.labels import Column
from adjudge.given.units import UnitsAlike
from adjudge.given.weights import Weighting, WeightSums
from adjudge.parallel import interruptible
from adjudge.unknown_names import close_names

__all__ = [
    "COUNT",
    "FrameTable",
    "LabelCells",
    "aggregated",
    "collected",
    "complete_rows",
    "count_cells",
    "is_text",
    "kept_rows",
    "loaded",
    "number_of_rows",
    "numbers_of",
    "rows_that_weigh",
]

# More distinct combinations of labels than this are not loaded into memory.
LARGEST_RESULT = 20_000_000

#: The column with the number of rows of each combination of labels.
COUNT = "__adjudge_count__"
# Aggregates of the weights: the method and the column of each.
_OF_WEIGHTS = {
    "__adjudge_weight__": ("sum", "__adjudge_w__"),
    "__adjudge_squares__": ("sum", "__adjudge_ww__"),
    "__adjudge_least__": ("min", "__adjudge_w__"),
    "__adjudge_most__": ("max", "__adjudge_w__"),
    "__adjudge_fraction__": ("max", "__adjudge_part__"),
    "__adjudge_absent__": ("sum", "__adjudge_null__"),
}
# How many rows of a combination have the weight 0: they are as if they were not there.
_WITHOUT_WEIGHT = {"__adjudge_zeros__": ("sum", "__adjudge_zero__")}


@dataclass(frozen=True)
class LabelCells:
    """Distinct combinations of labels, and how many rows have each.

    Attributes
    ----------
    labels : dict of str to series
        One label per combination, by column.
    counts : ndarray of int64
        Without the rows of weight 0.
    n_given : int
        Rows of the table, also those that lack a label.
    weights : WeightSums or None
        Weights of the rows of each combination, unless all are 1.
    weight_given : float or None
        The weight of all rows of the table, if they have weights.
    alike : dict of str to ndarray of int64
        How many units the one of each combination stands for, by the column of units, if several may be alike.
    """

    labels: dict[str, Any]
    counts: NDArray[np.int64]
    n_given: int
    weights: WeightSums | None = None
    weight_given: float | None = None
    alike: Mapping[Any, NDArray[np.int64]] = field(default_factory=dict)

    @property
    def weighing(self) -> dict[str, Any]:
        """The weight of each combination, as options of the verbs."""
        return {"counts": self.counts} if self.weights is None else {"sample_weight": self.weights}

    def given(self, meaning: Any) -> int:
        """Return how many instances the table has, also those that lack a label; `meaning` is that of weights."""
        if self.weight_given is not None and meaning == "frequency":
            return int(self.weight_given)
        return self.n_given

    def judged(self, meaning: Any, kept: NDArray[np.int64] | None = None) -> int:
        """Return how many instances the combinations stand for, or those that are `kept`."""
        weighs = self.weights is not None and meaning == "frequency"
        own = self.weights.sums if weighs and self.weights is not None else self.counts
        return int((own if kept is None else own[kept]).sum())

    def repeated(self) -> LabelCells:
        """Return the same with weights as numbers of instances, each of which is a row."""
        if self.weights is None:
            return self
        counts = Weighting(sample_weight=self.weights, weights="frequency").of(Rows(self.counts.size))
        return replace(self, counts=np.asarray(counts), weights=None)

    def column(self, name: Any) -> Column | None:
        """Return a column under the name to be used in errors; None without a name."""
        if name is None:
            return None
        named = f"column {name!r}", self.labels[name], str(name)
        return UnitsAlike(*named, self.alike[name]) if name in self.alike else Column(*named)


def _way_to_a_frame(native: Any) -> str:
    """Say how to turn something else that holds a table into a data frame."""
    if hasattr(native, "execute"):
        return "pass what a query returns, as pandas.read_sql(query, connection) or DuckDB's connection.sql(query)"
    return "pandas.DataFrame makes one of a dict of columns, of a list of rows and of an array"


@dataclass(frozen=True)
class FrameTable:
    """A data frame whose columns are renamed so that its engine cannot misread their names.

    DuckDB and Spark take ``sepal.length`` for a part of a table, or of a column, ``sepal``.

    Attributes
    ----------
    frame : narwhals DataFrame or LazyFrame, or Partitions
    own_names : dict
        The name of each column in `frame`, by its name in the given data frame.
    """

    frame: Any
    own_names: dict[Any, Any]

    @classmethod
    def of(cls, native: Any) -> FrameTable:
        """Wrap a data frame of any library; lazy frames stay lazy."""
        import narwhals as nw

        in_dask = from_dask(native)
        if in_dask is not None and in_dask.ndim == 2:
            in_dask, own_names = _named_by_text(in_dask, _names_apart(in_dask))
            return cls(DaskRows(in_dask), own_names)
        if (in_ray := from_ray(native)) is not None:
            rows = RayRows.of(in_ray)
            return cls(rows, {name: name for name in rows.empty.column_names})
        try:
            frame = open_data_frame(native, "table")
        except TypeError:
            raise InputTypeError(
                f"table is {a_type(native)}, where a data frame is needed: {_way_to_a_frame(native)}"
            ) from None
        engine = frame.implementation
        if not (engine.is_duckdb() or engine.is_spark_like()):
            rows, own_names = _named_by_text(frame.to_native(), frame.collect_schema().names())
            return cls(nw.from_native(rows), own_names)
        rows = frame.to_native()
        own_names = {name: f"c{i}" for i, name in enumerate(_names_apart(rows))}
        if engine.is_spark_like():
            return cls(nw.from_native(rows.toDF(*own_names.values())), own_names)
        return cls(frame.rename(own_names), own_names)

    @property
    def names(self) -> list[Any]:
        """The given names of the columns."""
        return list(self.own_names)

    @property
    def is_lazy(self) -> bool:
        """Whether rows stay in the engine."""
        import narwhals as nw

        return isinstance(self.frame, (nw.LazyFrame, Partitions))

    def own(self, names: Sequence[Any]) -> list[Any]:
        """Return the names of columns in `frame`; raise if one does not exist or is named twice."""
        known = {str(name): name for name in reversed(self.names)}
        names = [name if name in self.own_names else known.get(str(name), name) for name in names]
        for i, name in enumerate(names):
            if not isinstance(name, (str, int)):
                raise InputTypeError(f"name columns by strings: {name!r} is {a_type(name)}")
            if name not in self.own_names:
                close = close_names(str(name), map(str, self.names), 1)
                hint = f"did you mean {close[0]!r}? " if close else ""
                raise InputError(
                    f"the table has no column {name!r}: {hint}"
                    f"{'It' if hint else 'it'} has {', '.join(map(repr, self.names)) or 'no columns'}"
                )
            if name in names[:i]:
                raise InputError(f"column {name!r} is named twice")
        return [self.own_names[name] for name in names]

    def series(self, name: Any) -> Any:
        """Return a column of an in-memory table."""
        (own,) = self.own([name])
        return self.frame[own]

    def holds_lists(self, name: Any) -> bool:
        """Return whether the cells of a column hold several labels each."""
        import narwhals as nw

        dtype = self.frame.collect_schema()[self.own_names[name]]
        if self.is_lazy or dtype != nw.Object:
            return isinstance(dtype, (nw.List, nw.Array))
        some = (own for own in self.series(name).head(1000).to_list() if own is not None)
        return isinstance(next(some, None), (list, set, np.ndarray))

    def some_columns(self, names: Iterable[Any]) -> FrameTable:
        """Return the table with these columns alone, which is all that is read of partitions."""
        kept = dict.fromkeys(own for name in names for own in self.own([name]))
        own_names = {name: own for name, own in self.own_names.items() if own in kept}
        return FrameTable(self.frame.select(*kept), own_names)

    def with_rows(self, frame: Any) -> FrameTable:
        """Return a table with the same columns but other rows."""
        return FrameTable(frame, self.own_names)

    def given_back(self, frame: Any) -> Any:
        """Return the rows of `frame` as a frame of its own library, under the given column names."""
        given = {own: name for name, own in self.own_names.items() if own != name}
        if all(isinstance(name, str) for name in given.values()):
            return (frame.rename(given) if given else frame).to_native()
        return frame.to_native().rename(columns=given)


def _named_by_text(rows: Any, names: Sequence[Any]) -> tuple[Any, dict[Any, Any]]:
    """Rename all columns to strings if pandas or Dask has numbers as names, which no expression can find."""
    if all(isinstance(name, str) for name in names):
        return rows, {name: name for name in names}
    own_names = {name: f"c{i}" for i, name in enumerate(names)}
    return rows.rename(columns=own_names), own_names


def _names_apart(rows: Any) -> list[Any]:
    names = list(rows.columns)
    if len(set(names)) < len(names):
        raise InputError("table has columns of the same name: rename all but one")
    return names


def aggregated(rows: Any, keys: Sequence[str], aggregates: Mapping[str, tuple[str, str]]) -> Any:
    """Group the rows of a lazy frame, including those with a null key.

    Parameters
    ----------
    rows : narwhals LazyFrame or Partitions
    keys : sequence of str
    aggregates : mapping of str to (str, str)
        A method (``len``, ``sum``, ``min``, ``max`` or ``mean``) and its column, by the name of the result.
    """
    import narwhals as nw

    if isinstance(rows, Partitions):
        return rows.aggregate(keys, aggregates)
    made = {
        name: nw.len() if how == "len" else getattr(nw.col(column), how)()
        for name, (how, column) in aggregates.items()
    }
    return rows.group_by(list(keys)).agg(**made)


def _count_combinations(table: FrameTable, columns: Sequence[Any], weight: Any = None) -> Any:
    """Count the rows of each combination of values, including nulls, in one GROUP BY.

    Returns
    -------
    narwhals DataFrame
        The columns under their names in the frame, then the counts, then the aggregates of the weights.
    """
    own = table.own(columns)
    selected = table.frame.lazy().select(*own, **({} if weight is None else _weights(table, weight)))
    aggregates = {COUNT: ("len", own[0])} | ({} if weight is None else {**_OF_WEIGHTS, **_WITHOUT_WEIGHT})
    return collected(aggregated(selected, own, aggregates), columns).select(*own, *aggregates)


def loaded(rows: Any) -> Any:
    """Load the rows of a lazy frame into memory; Ctrl-C stops a query of DuckDB, too."""
    if isinstance(rows, Partitions) or not rows.implementation.is_duckdb():
        return rows.collect()
    import duckdb

    # A relation of the user's own connection has it, under a private name and in some versions.
    own: Any = getattr(rows.to_native(), "_con", None)
    connection = own if hasattr(own, "interrupt") else duckdb.default_connection()
    return interruptible(rows.collect, connection.interrupt)


def numbers_of(series: Any) -> NDArray[Any]:
    """Return a column of numbers as an array. PyArrow's own way imports pandas, which outweighs a large file's rows."""
    native, dtype = series.to_native(), series.dtype
    if not hasattr(native, "chunks") or native.null_count or not (dtype.is_float() or dtype.is_integer()):
        return np.asarray(series.to_numpy())
    return numbers_of_arrow(native)


def number_of_rows(table: FrameTable) -> int:
    """Count the rows of a lazy table."""
    import narwhals as nw

    if isinstance(table.frame, Partitions):
        return table.frame.n_rows()
    return int(loaded(table.frame.select(nw.len())).item())


def collected(grouped: Any, columns: Sequence[Any]) -> Any:
    """Load the groups of a lazy frame into memory, or raise if there are too many."""
    found = loaded(grouped.head(LARGEST_RESULT + 1))
    if len(found) > LARGEST_RESULT:
        raise TooManyCombinationsError(
            f"the columns {', '.join(map(repr, columns))} have more than {LARGEST_RESULT:,} combinations of "
            "labels: compare fewer models at a time"
        )
    return found


def too_many_in_units(units: Any) -> TooManyCombinationsError:
    """Return the error for a column of units with too many combinations of labels."""
    return TooManyCombinationsError(
        f"the units in {units!r} have more than {LARGEST_RESULT:,} combinations of labels: judge a sample of the "
        "units, or fewer groups"
    )


def _weights(table: FrameTable, weight: Any) -> dict[str, Any]:
    """Return the expressions that the aggregates of the weights read."""
    import narwhals as nw

    (own,) = table.own([weight])
    dtype = table.frame.collect_schema()[own]
    if not (dtype.is_numeric() or dtype == nw.Boolean):
        raise InputTypeError(f"{weight} has type {dtype}: weights are numbers")
    w = nw.col(own).cast(nw.Float64)
    return {
        "__adjudge_w__": w,
        "__adjudge_ww__": w * w,
        "__adjudge_part__": nw.when(w % 1.0 != 0.0).then(w),
        # As floats, because the sums of integers of DuckDB are Python's decimals.
        "__adjudge_null__": w.is_null().cast(nw.Float64),
        "__adjudge_zero__": nw.when(w == 0.0).then(nw.lit(1.0)).otherwise(nw.lit(0.0)),
    }


def rows_that_weigh(table: FrameTable, weight: Any) -> FrameTable:
    """Leave out the rows of weight 0, which are as if they were not there; a missing weight is an error elsewhere."""
    import narwhals as nw

    (own,) = table.own([weight])
    w = nw.col(own).cast(nw.Float64)
    return table.with_rows(table.frame.filter((w != 0.0) | w.is_null()))


def _summed_weights(grouped: Any, weight: Any) -> WeightSums:
    sums, squares, least, most, fraction, absent = (
        numbers_of(grouped[name]).astype(np.float64) for name in _OF_WEIGHTS
    )
    if np.any(absent > 0) or not np.isfinite(sums).all():
        raise InputError(f"{weight} has missing or infinite weights: fill them in, or leave out such rows")
    some = fraction[np.isfinite(fraction)]
    return WeightSums.checked(
        sums,
        squares,
        extremes=(float(least.min()), float(most.max())),
        fraction=float(some[0]) if some.size else None,
        name=str(weight),
    )


def count_cells(
    table: FrameTable, columns: Sequence[Any], *, missing: str = "raise", weight: Any = None
) -> LabelCells:
    """Count the rows of each combination of labels, in one GROUP BY.

    Parameters
    ----------
    table : FrameTable
    columns : sequence of str
    missing : {"raise", "drop"}
        Rows with a null (or NaN) in one of the columns are an error, or left out.
    weight : str, optional
        Column with the weight of each row; weights and their squares are summed for each combination.
    """
    columns = list(dict.fromkeys(columns))
    if weight in columns:
        raise InputError(f"{weight} has labels: name another column with the weights")
    every = _count_combinations(table, columns, weight)
    weight_given = None
    if weight is not None and len(every):
        weight_given = float(_summed_weights(every, weight).sums.sum())
        every = _without_weightless(every)
    n_given = int(every[COUNT].sum()) if len(every) else 0
    grouped = complete_rows(every, table, columns, missing)
    counts = numbers_of(grouped[COUNT]).astype(np.int64)
    labels = {name: grouped[own].to_native() for name, own in zip(columns, table.own(columns), strict=True)}
    weights = None if weight is None else _summed_weights(grouped, weight)
    return LabelCells(labels, counts, n_given, weights, weight_given)


def _without_weightless(grouped: Any) -> Any:
    """Leave out the rows of weight 0, and the combinations that no other rows have."""
    import narwhals as nw

    (zeros,) = _WITHOUT_WEIGHT
    weighing = nw.col(COUNT) - nw.col(zeros).cast(nw.Int64)
    return grouped.with_columns(weighing.alias(COUNT)).filter(nw.col(COUNT) > 0)


def complete_rows(grouped: Any, table: FrameTable, columns: Sequence[Any], missing: str) -> Any:
    """Drop combinations with a missing label, or raise an error for them.

    Parameters
    ----------
    grouped : narwhals DataFrame
        Combinations of labels, and their counts in the column `COUNT`.
    table : FrameTable
    columns : sequence of str
        Given names of the columns of labels.
    missing : {"raise", "drop"}
    """
    counts = numbers_of(grouped[COUNT]).astype(np.int64)
    kept = np.ones(counts.size, dtype=bool)
    for name, own in zip(columns, table.own(columns), strict=True):
        absent = grouped[own].is_null()
        if grouped[own].dtype.is_float():
            absent = absent | grouped[own].is_nan().fill_null(True)
        if not absent.any():
            continue
        if missing == "raise":
            raise rows_without_label(name, int(counts[absent.to_numpy()].sum()))
        if absent.all():
            raise InputError(f"column {name!r} has no label in any row: give its labels, or leave it out")
        kept &= ~absent.to_numpy()
    if not kept.any():
        raise InputError("the table has no row with all its labels: at least one is needed")
    return grouped if kept.all() else grouped.filter(kept.tolist())


def kept_rows(table: FrameTable, columns: Sequence[Any], treatment: LabelOptions) -> FrameTable:
    """Drop rows that lack a label, or whose label means noise, as the options say."""
    import narwhals as nw

    schema = table.frame.collect_schema()
    conditions = []
    for name, own in zip(columns, table.own(columns), strict=True):
        absent = nw.col(own).is_null()
        if schema[own].is_float():
            absent = absent | nw.col(own).is_nan()
        if treatment.missing_of(name) == "drop":
            conditions.append(~absent)
        if treatment.noise_of(name) == "drop":
            conditions += [absent | ~noisy for noisy in _is_noise(own, schema[own], treatment.noise_label)]
    return table.with_rows(table.frame.filter(*conditions)) if conditions else table


def _is_noise(column: str, dtype: Any, noise_label: Any) -> list[Any]:
    """Return the condition, or none if no label of this type can mean noise: engines compare types differently."""
    import narwhals as nw

    if is_text(dtype):
        return [nw.col(column).cast(nw.String) == str(noise_label)]
    return [] if isinstance(noise_label, str) or not dtype.is_numeric() else [nw.col(column) == noise_label]


def is_text(dtype: Any) -> bool:
    """Whether a column holds text."""
    import narwhals as nw

    return dtype in (nw.String, nw.Categorical, nw.Enum)
