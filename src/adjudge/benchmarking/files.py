"""Files with a table of scores, or of labels on several data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.files.parquet_parts import has_parts
from adjudge.files.table_file import TableFile
from adjudge.given.labels import Labels, code_labels
from adjudge.given.score_frame import ScoreColumn, ScoreFrame
from adjudge.tables.files import FileTable

__all__ = ["LabelsInFile", "is_a_table", "labels_in_file", "rows_of_datasets", "scores_in_file"]


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
class LabelsInFile:
    """Labels of models on several data sets.

    Attributes
    ----------
    columns : dict of str to Labels
        The truth and the models, all numbers or all text.
    by_dataset : dict of str to (Labels, dict of str to Labels)
        The true labels and those of each model.
    """

    columns: dict[str, Labels]
    by_dataset: dict[str, tuple[Labels, dict[str, Labels]]]


def labels_in_file(table: FileTable, dataset: str, truth: str, models: Sequence[str]) -> LabelsInFile:
    """Read the true labels and those of each model by data set."""
    read = {**table.labels([truth, *models])[0], **table.labels([dataset])[0]}
    coded = {name: code_labels(values, f"column {name!r}") for name, values in read.items()}
    rows = rows_of_datasets(dataset, coded.pop(dataset))
    found = {
        name: (coded[truth].take(own), {model: coded[model].take(own) for model in models})
        for name, own in rows.items()
    }
    return LabelsInFile(coded, found)


def rows_of_datasets(dataset: str, names: Labels) -> dict[str, NDArray[np.int64]]:
    """Return the rows of each of the data sets that a column names."""
    if names.missing is not None:
        raise InputError(
            f"column {dataset!r} has a missing name in row {int(np.argmax(names.missing)) + 1}: name all data sets, "
            "or leave such rows out"
        )
    codes, called = names.dense()
    return {str(called[code]): np.flatnonzero(codes == code) for code in dict.fromkeys(codes.tolist())}


def _listed(values: Any) -> list[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)
