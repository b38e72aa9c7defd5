"""Tables of labels or of scores over many data sets, from a file to what `adjudge.benchmark` judges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import adjudge
from adjudge.cli.options import Engine
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.files.table_file import TableFile
    from adjudge.results.benchmark import Benchmark

__all__ = ["TableColumns", "benchmark_of_labels", "benchmark_of_scores"]


@dataclass(frozen=True)
class TableColumns:
    """What the columns of a table are, if given.

    Attributes
    ----------
    dataset : str or None
        The data sets' names.
    truth : str or None
        The true labels, if a row is an instance.
    models : list of str or None
        Labels or scores; None for all other columns.
    model : str or None
        The models' names, if a row is a score.
    fold : str or None
    """

    dataset: str | None
    truth: str | None
    models: list[str] | None
    model: str | None
    fold: str | None


def benchmark_of_labels(source: Path, columns: TableColumns, options: Mapping[str, Any]) -> Benchmark:
    """Judge the labels of a file, counted by DuckDB if the file is large or Parquet."""
    from adjudge.cli.streaming import is_streamed, opened_frame
    from adjudge.files.kinds import open_table

    dataset, truth = columns.dataset, str(columns.truth)
    if dataset is None:
        raise InputError("the data sets are missing: name their column with --dataset")
    table = open_table(source)
    names = _known(table, [dataset, truth], columns.models)
    if is_streamed(table, Engine.auto, remedy="save it as Parquet"):
        with opened_frame(table, [dataset, truth, *names]) as frame:
            return adjudge.benchmark(frame, dataset=dataset, truth=truth, models=names, **options)
    labels = {
        column.name: _listed(column.labels()) for column in table.label_columns([dataset, truth, *names])
    }
    rows: dict[str, list[int]] = {}
    for i, name in enumerate(labels[dataset]):
        rows.setdefault(str(name), []).append(i)
    given = {
        name: ([labels[truth][i] for i in own], {m: [labels[m][i] for i in own] for m in names})
        for name, own in rows.items()
    }
    return adjudge.benchmark(given, **options)


def _known(table: TableFile, named: Sequence[str], models: list[str] | None) -> list[str]:
    """Return the models' columns, all others by default."""
    for name in [*named, *(models or [])]:
        if name not in table.columns:
            raise InputError(
                f"{str(table.path)!r} has no column {name!r}: it has {', '.join(map(repr, table.columns))}"
            )
    return models or [name for name in table.columns if name not in named]


def _listed(values: Any) -> list[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def benchmark_of_scores(source: Path, columns: TableColumns, options: Mapping[str, Any]) -> Benchmark:
    """Read a table of scores, long if the models' names are a column."""
    from adjudge.files.kinds import open_table

    table = open_table(source)
    judging = {key: options[key] for key in ("better", "missing_score")}
    if columns.model is not None:
        return _of_long(table, columns, options["score"], judging)
    numeric, dataset = table.numeric_columns(), columns.dataset
    if dataset is None:
        texts = [name for name in table.columns if name not in numeric]
        dataset = texts[0] if texts else None
    chosen = _known(table, [] if dataset is None else [dataset], columns.models)
    values = [_floats(table, name) for name in chosen]
    names = range(1, len(values[0]) + 1) if dataset is None else _texts(table, dataset)
    scores: dict[str, dict[str, float]] = {}
    for name, row in zip(names, zip(*values, strict=True), strict=True):
        if str(name) in scores:
            raise InputError(
                f"{source} has two rows of the data set {str(name)!r}: --model and --score read long tables"
            )
        scores[str(name)] = dict(zip(chosen, row, strict=True))
    return adjudge.benchmark(scores, score=options["score"] or "score", **judging)


def _of_long(
    table: TableFile, columns: TableColumns, score: str | None, judging: dict[str, Any]
) -> Benchmark:
    dataset, model, fold = columns.dataset, columns.model, columns.fold
    if dataset is None or model is None or score is None:
        raise InputError("a long table of scores needs --dataset, --model and --score")
    named = [dataset, model, score, *([fold] if fold is not None else [])]
    _known(table, named, None)
    datasets, models, values = _texts(table, dataset), _texts(table, model), _floats(table, score)
    folds = _texts(table, fold) if fold is not None else [""] * len(values)
    cells: dict[str, dict[str, dict[str, float]]] = {}
    for d, m, value, f in zip(datasets, models, values, folds, strict=True):
        own = cells.setdefault(d, {}).setdefault(m, {})
        if f in own:
            remedy = "" if fold is not None else ": name the column of the folds with --fold"
            raise InputError(f"{m!r} has two scores on {d!r}{remedy}")
        own[f] = value
    scores: dict[str, dict[str, Any]] = {}
    for d, by_model in cells.items():
        known = list(dict.fromkeys(f for own in by_model.values() for f in own))
        for m, own in by_model.items():
            row = [own.get(f, math.nan) for f in known]
            scores.setdefault(d, {})[m] = row if fold is not None else row[0]
    return adjudge.benchmark(scores, score=score, **judging)


def _texts(table: TableFile, name: str) -> list[str]:
    return [str(value) for value in _listed(table.label_columns([name])[0].as_text())]


def _floats(table: TableFile, name: str) -> list[float]:
    """Read a column of numbers with gaps."""
    from adjudge.errors import UnusableColumnError

    try:
        return [float(value) for value in table.points([name])[:, 0]]
    except UnusableColumnError:
        raise
    except InputError:
        values = _listed(table.label_columns([name])[0].labels())
    found = []
    for row, value in enumerate(values):
        try:
            found.append(math.nan if value in (None, "") else float(value))
        except (TypeError, ValueError):
            raise InputError(
                f"column {name!r} holds {value!r} in row {row + 1}: scores are numbers"
            ) from None
    return found
