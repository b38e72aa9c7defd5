"""Columns with the likeliest class of each row, as expressions that the engine of a table evaluates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.engines.frames.counting import FrameTable, count_cells
from adjudge.given.alignment import align_labels
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.positive import scored_class
from adjudge.given.row_sums import BEYOND
from adjudge.statistics.forecasts import classes_of_columns

__all__ = ["with_likeliest_labels"]


def with_likeliest_labels(
    tables: Sequence[FrameTable],
    truth: Any,
    named: Mapping[Any, ForecastColumns],
    positive: Any = None,
    missing: str = "raise",
    weight: Any = None,
) -> tuple[list[FrameTable], dict[Any, Any]]:
    """Add a column for each model, named after it, with the likeliest class of each row; also return their names.

    Parameters
    ----------
    tables : sequence of FrameTable
        The same rows, of which the first has the columns that are read here, and the last all.
    truth : str
        Its labels are the classes, unless these are given.
    named : mapping of str to ForecastColumns
        Probabilities by model.
    positive : object, optional
    missing : {"raise", "drop"}
    weight : str, optional
        Column with the weight of each row; those of weight 0 may lack a label.
    """
    table, taken = tables[0], {*tables[-1].own_names}
    counted = count_cells(table, [truth], missing=missing, weight=weight)
    codes = align_labels({"labels_true": counted.labels[truth]})
    _, occurring = codes.labels[0].dense()
    made, called, own_names = {}, {}, {}
    for i, (model, forecasts) in enumerate(named.items()):
        called[model] = model
        while called[model] in taken:
            called[model] += "_"
        forecasts = forecasts.as_in(codes.labels[0])
        classes = classes_of_columns(occurring, forecasts.classes, forecasts.n_classes, forecasts.option)
        columns = [_probability(name) for name in table.own(forecasts.columns)]
        if len(columns) == 1 and scored_class(classes, positive, forecasts.column).place == 0:
            classes = classes[::-1]
        made[f"__adjudge_said{i}__"] = _said(columns, classes)
        own_names[called[model]] = f"__adjudge_said{i}__"
        taken.add(called[model])
    return [FrameTable(own.frame.with_columns(**made), own.own_names | own_names) for own in tables], called


def _probability(column: str) -> Any:
    """Return a column of probabilities, of which rounding may have put some beyond 0 or 1 by a few last digits."""
    import narwhals as nw

    x = nw.col(column).cast(nw.Float64)
    found = nw.when((x < 0.0) & (x >= -BEYOND)).then(nw.lit(0.0)).otherwise(x)
    return nw.when((x > 1.0) & (x <= 1.0 + BEYOND)).then(nw.lit(1.0)).otherwise(found)


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
