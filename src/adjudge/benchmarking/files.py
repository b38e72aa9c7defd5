"""Files with a table of scores, or of labels on several data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import AdjudgeError, InputError, Position
from adjudge.files.parquet_parts import has_parts
from adjudge.files.table_file import TableFile
from adjudge.given.label_vectors import sorted_order
from adjudge.given.labels import Labels, code_labels
from adjudge.given.score_frame import ScoreColumn, ScoreFrame
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Frame

__all__ = ["LabelsInTable", "at_rows", "is_a_table", "labels_in_table", "rows_of_datasets", "scores_in_file"]


def is_a_table(path: str | Path) -> bool:
    """Whether a path is that of a table: a file, a pattern, or a folder of Parquet files."""
    return not Path(path).is_dir() or has_parts(Path(path))


def scores_in_file(table: TableFile, names: Sequence[str], decimal: str = ".") -> ScoreFrame:
    """Read columns as they are in the file: text keeps its decimal sign."""
    from adjudge.files.text import DelimitedTable, TextColumn

    if not names:
        raise InputError(f"the files in {str(table.path)!r} have no column in common: name one of them")
    decimal = decimal if isinstance(table, DelimitedTable) else "."
    columns = table.label_columns(names)
    values = [column.values if isinstance(column, TextColumn) else column.labels() for column in columns]
    parts = zip(names, values, strict=True)
    return ScoreFrame(tuple(ScoreColumn(name, _listed(own), decimal) for name, own in parts))


@dataclass(frozen=True)
class LabelsInTable:
    """Labels of models on several data sets.

    Attributes
    ----------
    columns : dict of str to Labels
        The truth and the models, all numbers or all text.
    by_dataset : dict of str to (Labels, dict of str to Labels or None)
        The true labels and those of each model; None if it has none, and rows without a label are left out.
    rows : dict of str to ndarray of int64
        The rows of each data set.
    units : dict of str to Labels, or None
    """

    columns: dict[str, Labels]
    by_dataset: dict[str, tuple[Labels, dict[str, Labels | None]]]
    rows: dict[str, NDArray[np.int64]]
    units: dict[str, Labels] | None


def labels_in_table(
    table: FileTable | Frame,
    dataset: Any,
    truth: Any,
    models: Sequence[Any],
    units: Any = None,
    *,
    drops_missing: bool = False,
) -> LabelsInTable:
    """Read the true labels and those of each model by data set."""
    beside = [own for own in (dataset, units) if own is not None]
    read = table.labels([truth, *models])[0]
    coded = {name: code_labels(values, f"column {name!r}") for name, values in read.items()}
    others = {name: code_labels(table.labels([name])[0][name], f"column {name!r}") for name in beside}
    rows = rows_of_datasets(dataset, others[dataset])
    for model in models:
        if (missing := coded[model].missing) is not None and missing.all():
            raise InputError(f"column {model!r} has no label in any row: give its labels, or leave it out")

    def of_model(model: Any, own: NDArray[np.int64]) -> Labels | None:
        labels = coded[model].take(own)
        has_none = drops_missing and labels.missing is not None and labels.missing.all()
        return None if has_none else labels

    found = {
        name: (coded[truth].take(own), {model: of_model(model, own) for model in models})
        for name, own in rows.items()
    }
    in_units = None if units is None else {name: others[units].take(own) for name, own in rows.items()}
    return LabelsInTable(coded, found, rows, in_units)


def at_rows(error: AdjudgeError, rows: NDArray[np.int64] | None, *before: str) -> AdjudgeError:
    """Let a message about some rows of a table count those of the whole table."""
    parts = (
        Position(int(rows[part.index])) if isinstance(part, Position) and rows is not None else part
        for part in error.parts
    )
    return error.worded(*before, *parts)


def rows_of_datasets(dataset: str, names: Labels) -> dict[str, NDArray[np.int64]]:
    """Return the rows of each of the data sets that a column names, in the order of their names."""
    if names.missing is not None:
        raise InputError(
            f"column {dataset!r} has a missing name in row {int(np.argmax(names.missing)) + 1}: name all data sets, "
            "or leave such rows out"
        )
    codes, called = names.dense()
    return {str(called[code]): np.flatnonzero(codes == code) for code in sorted_order(called)}


def _listed(values: Any) -> list[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)
