"""Forecasts in a table, aggregated by the table's own engine: in one GROUP BY if one column is enough, else in two.

The engine returns counts by true class, group and bin of the scores, the extremes of each bin, and sums of losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.coded_forecasts import Asked, Coded, SummedTable
from adjudge.engines.frames.counting import (
    COUNT,
    FrameTable,
    aggregated,
    collected,
    complete_rows,
    count_cells,
    kept_rows,
    stacked,
)
from adjudge.engines.frames.row_sums import check_no_percentages, divided_rows, rounding_of_rows
from adjudge.engines.frames.score_expressions import (
    bin_of_probability,
    bin_of_score,
    is_no_score,
    of_probability,
    one_if,
    probability,
    sums_of_probability,
)
from adjudge.errors import InputError
from adjudge.given.alignment import align_labels
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.label_options import LabelOptions
from adjudge.given.positive import scored_class
from adjudge.statistics.forecasts import classes_of_columns
from adjudge.statistics.score_sums import LossSums, ScoreCells, ScoreSums

__all__ = ["SummedTable", "sum_forecasts", "with_likeliest_labels"]

Aggregates = dict[str, tuple[str, str]]


def sum_forecasts(
    table: FrameTable,
    truth: Any,
    forecasts: ForecastColumns,
    *,
    pred: Any = None,
    grouping: Sequence[Any] = (),
    positive: Any = None,
    missing: str = "raise",
) -> SummedTable:
    """Aggregate a classifier's probabilities, or its ranking scores.

    Parameters
    ----------
    table : FrameTable
    truth : str
    forecasts : ForecastColumns
    pred : str, optional
        Column with the predicted labels; default: the likeliest classes.
    grouping : sequence of str
        Columns that define groups.
    positive : object, optional
        The positive class; default: the second of two.
    missing : {"raise", "drop"}
        Whether rows with a missing label are an error or left out.
    """
    asked = Asked(table, truth, pred, tuple(grouping), forecasts, positive, missing)
    asked = replace(asked, table=_named_apart(table, [*asked.keys, *forecasts.columns]))
    _check_columns(asked)
    if missing == "drop":  # a row that lacks a label, or a score, is left out of all queries
        columns = [*asked.keys, *forecasts.columns]
        asked = replace(asked, table=kept_rows(asked.table, columns, LabelOptions(missing)))
    if not forecasts.are_probabilities:
        return _ranking(asked)
    return _of_one_column(asked) if len(forecasts.columns) == 1 else _of_several(asked)


def with_likeliest_labels(
    table: FrameTable,
    truth: Any,
    named: Mapping[Any, ForecastColumns],
    positive: Any = None,
    missing: str = "raise",
) -> FrameTable:
    """Add a column for each model, named after it, with the likeliest class of each row.

    Parameters
    ----------
    table : FrameTable
    truth : str
        Its labels are the classes, unless these are given.
    named : mapping of str to ForecastColumns
        Probabilities by model.
    positive : object, optional
    missing : {"raise", "drop"}
    """
    codes = align_labels({"labels_true": count_cells(table, [truth], missing=missing).labels[truth]})
    _, occurring = codes.labels[0].dense()
    made, own_names = {}, dict(table.own_names)
    for i, (model, forecasts) in enumerate(named.items()):
        if model in own_names:
            raise InputError(f"the table has a column {model!r}: give the model another name")
        classes = classes_of_columns(occurring, forecasts.classes, forecasts.n_classes, forecasts.option)
        columns = [probability(name) for name in table.own(forecasts.columns)]
        if len(columns) == 1 and scored_class(classes, positive, forecasts.column).place == 0:
            classes = classes[::-1]
        made[f"__adjudge_said{i}__"] = _said(columns, classes)
        own_names[model] = f"__adjudge_said{i}__"
    return FrameTable(table.frame.with_columns(**made), own_names)


def _said(columns: Sequence[Any], values: Sequence[Any]) -> Any:
    """Return the value of the likeliest class, the first among ties; for one column, the last from 0.5 upwards."""
    import narwhals as nw

    if len(columns) == 1:
        return nw.when(columns[0] >= 0.5).then(nw.lit(values[1])).otherwise(nw.lit(values[0]))
    top = nw.max_horizontal(*columns)
    said: Any = nw.lit(values[-1])
    for column, value in zip(columns[-2::-1], values[-2::-1], strict=True):
        said = nw.when(column >= top).then(nw.lit(value)).otherwise(said)
    return said


def _named_apart(table: FrameTable, columns: Sequence[Any]) -> FrameTable:
    """Keep some columns, under names that no expression uses."""
    import narwhals as nw

    columns = list(dict.fromkeys(columns))
    own = {f"column{i}": name for i, name in enumerate(table.own(columns))}
    frame = table.frame.lazy().select(**{new: nw.col(name) for new, name in own.items()})
    return FrameTable(frame, dict(zip(columns, own, strict=True)))


def _check_columns(asked: Asked) -> None:
    schema = asked.table.frame.collect_schema()
    columns = [*asked.keys, *asked.forecasts.columns]
    for name, own in zip(columns, asked.table.own(columns), strict=True):
        if name in asked.forecasts.columns:
            asked.forecasts.check_type(name, schema[own])


def _grouped(
    asked: Asked, rows: Any, keys: Sequence[Any], more: Sequence[str], aggregates: Aggregates
) -> Any:
    """Group rows by columns of labels and some others; return the groups without missing labels."""
    own = asked.table.own(keys)
    counted = {COUNT: ("len", own[0]), **aggregates}
    found = collected(aggregated(rows, [*own, *more], counted), keys)
    return complete_rows(found, asked.table, keys, asked.missing)


def _of_one_column(asked: Asked) -> SummedTable:
    """Aggregate the probabilities of one of two classes, and so those of the other, in one GROUP BY."""
    import narwhals as nw

    (own,) = asked.table.own(asked.forecasts.columns)
    rows = asked.table.frame.with_columns(__adjudge_p__=probability(own))
    p = nw.col("__adjudge_p__")
    made = {**of_probability(p), **of_probability(1.0 - p, "_other"), "said": one_if(p >= 0.5)}
    rows = rows.select(*asked.table.own(asked.keys), **made)
    keys = ["bin", "bin_other", "said"]
    aggregates = {**sums_of_probability(), **sums_of_probability("_other")}
    found = _grouped(asked, rows, asked.keys, keys, aggregates)
    _check_probabilities(asked, found)
    coded = Coded.of(asked, found)
    counts, is_own = (found[name].to_numpy().astype(np.int64) for name in (COUNT, "said"))
    own_class = coded.column_class
    said = np.where(is_own == 1, own_class, 1 - own_class)

    def cells(code: int, end: str) -> ScoreCells:
        names = ("bin", "least", "greatest", "x")
        bins, least, greatest, total = (_floats(found, f"{name}{end}") for name in names)
        column = np.full(counts.size, code)
        return ScoreCells(coded.truth, column, coded.groups, bins, counts, least, greatest, total)

    def by_truth(own: str, other: str) -> NDArray[np.float64]:
        return np.where(coded.truth == own_class, _floats(found, own), _floats(found, other))

    of_own, of_other = cells(own_class, ""), cells(1 - own_class, "_other")
    impossible = by_truth("zero", "zero_other").astype(np.int64)
    losses = LossSums(
        coded.truth, coded.groups, by_truth("log", "log_other"), by_truth("off", "square"), impossible
    )
    top = _joined(of_own.take(is_own == 1), of_other.take(is_own == 0))
    sums = ScoreSums(coded.classes, coded.positive, _joined(of_own, of_other), losses, top)
    return coded.summed(sums, said, counts)


def _of_several(asked: Asked) -> SummedTable:
    """Group all columns, stacked, and the rows by their likeliest class."""
    by_row = _likeliest(asked)
    sums = float(by_row["least_total"].min()), float(by_row["greatest_total"].max())
    check_no_percentages(*sums)
    coded = Coded.of(asked, by_row)
    counts = by_row[COUNT].to_numpy().astype(np.int64)
    said = by_row["said"].to_numpy().astype(np.int64)
    bins, least, greatest, total = (_floats(by_row, name) for name in ("bin", "least", "greatest", "x"))
    top = ScoreCells(coded.truth, said, coded.groups, bins, counts, least, greatest, total)
    cells, found = _of_each_column(asked, coded)
    if int(cells.counts.sum()) != int(counts.sum()) * len(coded.classes):
        raise InputError("the table's rows changed between two readings: write them to a file first")
    columns = asked.table.own(asked.forecasts.columns)
    rounded = rounding_of_rows(asked.table, asked.table.own(asked.keys)[0], columns, *sums)
    if rounded is not None:
        divided = _of_several(replace(asked, table=divided_rows(asked.table, columns)))
        return replace(divided, rounded=rounded)
    hit = cells.truth == cells.column
    # With two classes, the Brier score uses only the second.
    summed = np.full(hit.size, True) if len(coded.classes) > 2 else cells.column == 1
    losses = LossSums(
        cells.truth,
        cells.groups,
        np.where(hit, _floats(found, "log"), 0.0),
        np.where(summed, np.where(hit, _floats(found, "off"), _floats(found, "square")), 0.0),
        np.where(hit, found["zero"].to_numpy(), 0).astype(np.int64),
    )
    return coded.summed(ScoreSums(coded.classes, coded.positive, cells, losses, top), said, counts)


def _floats(found: Any, name: str) -> NDArray[np.float64]:
    return np.asarray(found[name].to_numpy(), np.float64)


def _likeliest(asked: Asked) -> Any:
    """Group the rows by their labels, the likeliest class, and the bin of its probability."""
    import narwhals as nw

    own = asked.table.own(asked.forecasts.columns)
    rows = asked.table.frame
    rows = rows.with_columns(**{f"__adjudge_p{i}__": probability(name) for i, name in enumerate(own)})
    columns = [f"__adjudge_p{i}__" for i in range(len(own))]
    rows = rows.with_columns(
        __adjudge_top__=nw.max_horizontal(*columns), __adjudge_total__=nw.sum_horizontal(*columns)
    )
    top, total = nw.col("__adjudge_top__"), nw.col("__adjudge_total__")
    said = _said([nw.col(name) for name in columns], range(len(columns)))
    rows = rows.select(
        *asked.table.own(asked.keys), said=said, x=top, total=total, bin=bin_of_probability(top)
    )
    sums: Aggregates = {
        "x": ("sum", "x"),
        "least": ("min", "x"),
        "greatest": ("max", "x"),
        "least_total": ("min", "total"),
        "greatest_total": ("max", "total"),
    }
    return _grouped(asked, rows, asked.keys, ["said", "bin"], sums)


def _of_each_column(asked: Asked, coded: Coded) -> tuple[ScoreCells, Any]:
    """Group all columns, stacked, by labels, column and bin; also return the sums."""
    import narwhals as nw

    keys = [asked.truth, *asked.grouping]
    rows = _below_each_other(asked, keys)
    x = nw.col("__adjudge_x__")
    made = of_probability(x)
    aggregates = sums_of_probability()
    rows = rows.select(*asked.table.own(keys), "__adjudge_column__", **made)
    found = _grouped(asked, rows, keys, ["__adjudge_column__", "bin"], aggregates)
    _check_probabilities(asked, found)
    return _cells(asked, coded, found), found


def _ranking(asked: Asked) -> SummedTable:
    """Find the range of the scores in one GROUP BY, and group all columns, stacked, in another."""
    import narwhals as nw

    keys = [asked.truth, *asked.grouping]
    rows = _below_each_other(asked, keys)
    x = nw.col("__adjudge_x__")
    own = asked.table.own(keys)
    ends = _grouped(
        asked,
        rows.select(*own, x=x, bad=is_no_score(x)),
        keys,
        [],
        {"least": ("min", "x"), "greatest": ("max", "x"), "bad": ("sum", "bad")},
    )
    if (n := int(ends["bad"].sum())) > 0:
        named = ", ".join(map(repr, asked.forecasts.columns[:4]))
        raise InputError(f"scores in {named} are missing or infinite {n:,} times: leave such rows out")
    low, high = float(ends["least"].min()), float(ends["greatest"].max())
    rows = rows.select(*own, "__adjudge_column__", x=x, bin=bin_of_score(x, low, high))
    sums: Aggregates = {"x": ("sum", "x"), "least": ("min", "x"), "greatest": ("max", "x")}
    found = _grouped(asked, rows, keys, ["__adjudge_column__", "bin"], sums)
    if asked.pred is None:
        coded = Coded.of(asked, found)
        sums_found = ScoreSums(coded.classes, coded.positive, _cells(asked, coded, found))
        return coded.summed(sums_found, None, found[COUNT].to_numpy().astype(np.int64))
    cells = count_cells(asked.table, asked.keys, missing=asked.missing)
    coded = Coded.of_labels(asked, cells.labels)
    return coded.summed(
        ScoreSums(coded.classes, coded.positive, _cells(asked, coded, found)), None, cells.counts
    )


def _below_each_other(asked: Asked, keys: Sequence[Any]) -> Any:
    """Stack the columns of scores, each row with its labels and the name of its column."""
    own = asked.table.own(asked.forecasts.columns)
    labels = asked.table.own(keys)
    number = probability if asked.forecasts.are_probabilities else _number
    rows = asked.table.frame.select(*labels, **{name: number(name) for name in own})
    return stacked(rows, own, labels, "__adjudge_column__", "__adjudge_x__")


def _number(column: str) -> Any:
    import narwhals as nw

    return nw.col(column).cast(nw.Float64)


def _cells(asked: Asked, coded: Coded, found: Any) -> ScoreCells:
    """Turn groups of entries into cells, with the classes and groups coded as in other queries."""
    place = {own: i for i, own in enumerate(asked.table.own(asked.forecasts.columns))}
    if len(place) == 1:
        place = dict.fromkeys(place, coded.column_class)
    column = np.array([place[name] for name in found["__adjudge_column__"].to_list()], np.int64)
    truth, groups = coded.codes_of(asked, found)
    bins, least, greatest, total = (
        found[name].to_numpy().astype(np.float64) for name in ("bin", "least", "greatest", "x")
    )
    counts = found[COUNT].to_numpy().astype(np.int64)
    return ScoreCells(truth, column, groups, bins, counts, least, greatest, total)


def _joined(one: ScoreCells, other: ScoreCells) -> ScoreCells:
    parts = zip(vars(one).values(), vars(other).values(), strict=True)
    return ScoreCells(*(np.concatenate(both) for both in parts))


def _check_probabilities(asked: Asked, found: Any) -> None:
    """Raise if entries are missing or are not probabilities."""
    bad = found["bad"].to_numpy()
    if not bad.any():
        return
    columns = asked.forecasts.columns
    column, of_column = columns[0], np.full(bad.size, True)
    if len(columns) > 1:
        names = found["__adjudge_column__"].to_list()
        first = names[int(np.argmax(bad > 0))]
        column = columns[asked.table.own(columns).index(first)]
        of_column = np.array([name == first for name in names])
    n = int(bad[of_column].sum())
    raise InputError(
        f"column {column!r} has {n:,} entries that are missing or not between 0 and 1: probabilities are needed"
    )
