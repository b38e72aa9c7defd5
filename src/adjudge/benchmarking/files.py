"""Files with a table of scores, or of labels on several data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.errors import InputError
from adjudge.files.parquet_parts import has_parts
from adjudge.files.table_file import TableFile
from adjudge.given.labels import Labels, code_labels
from adjudge.given.score_frame import ScoreColumn, ScoreFrame, has_no_name
from adjudge.tables.files import FileTable
from adjudge.tables.names import column_names

__all__ = ["by_dataset", "is_a_table", "labels_in_file", "scores_in_file"]


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


def labels_in_file(
    table: FileTable, dataset: str, truth: str, models: Sequence[str] | None
) -> dict[str, tuple[Labels, dict[str, Labels]]]:
    """Read the true labels and those of each model by data set; all other columns are models unless these are named."""
    dataset, truth = table.own(dataset), table.own(truth)
    if models is None:
        models = [name for name in table.names if name not in (dataset, truth) and not has_no_name(name)]
    models = [table.own(name) for name in column_names("models", models)]
    read = {**table.labels([truth, *models], nested=False)[0], **table.labels([dataset], nested=False)[0]}
    coded = {name: code_labels(values, f"column {name!r}") for name, values in read.items()}
    return by_dataset(dataset, coded[dataset], coded[truth], {name: coded[name] for name in models})


def by_dataset(
    dataset: str, names: Labels, truth: Labels, models: Mapping[str, Labels]
) -> dict[str, tuple[Labels, dict[str, Labels]]]:
    """Split the true labels and those of each model by the data sets that a column names."""
    if names.missing is not None:
        raise InputError(
            f"column {dataset!r} has a missing name in row {int(np.argmax(names.missing)) + 1}: name all data sets, "
            "or leave such rows out"
        )
    codes, called = names.dense()
    found = {}
    for code in dict.fromkeys(codes.tolist()):
        own = np.flatnonzero(codes == code)
        found[str(called[code])] = truth.take(own), {m: labels.take(own) for m, labels in models.items()}
    return found


def _listed(values: Any) -> list[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)
