"""Lazy tables with a column of data sets: their engine counts all labels in one GROUP BY."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjudge.benchmarking.collected_scores import Gathered
from adjudge.benchmarking.counted_pairs import Cells, LabelColumns, instances_where_right, pairs_where_right
from adjudge.benchmarking.label_scores import Scoring, scored
from adjudge.engines.frames.counting import FrameTable, aggregated, stacked
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError, Option
from adjudge.given.score_frame import has_no_name
from adjudge.tables.names import column_names

__all__ = ["gather_counted"]

# Most combinations of data set, model, truth and label that are brought into memory.
_MOST_CELLS = 50_000_000

_MODEL, _LABEL, _COUNT = "__adjudge_model__", "__adjudge_label__", "__adjudge_count__"


@engine_failures()
def gather_counted(
    data: Any,
    scoring_of: Callable[[list[tuple[list[Any], list[list[Any]]]]], Scoring],
    *,
    dataset: str,
    truth: str,
    models: Sequence[str] | None,
    head_to_head: bool = False,
    truth_noise: Any = None,
    confidence: float | None = None,
    **options: Any,
) -> Gathered:
    """Judge models whose labels are columns of a table, on the data sets that another column names.

    `scoring_of` tells how they are scored from the true labels and those of each model that occur in each data set.
    The model columns are stacked, and the rows are counted by data set, model, true label and label: one pass over the
    table, whatever its size. The matrices of pairs of models take one more pass for all classifiers together, or one
    for each pair of clusterings.
    """
    if head_to_head and options.get("noise", "cluster") != "cluster":
        raise InputError(
            Option("head_to_head", True),
            " of a table counts noise as a cluster: leave ",
            Option("noise"),
            " out, or give labels in memory",
        )
    notes = []
    table = data if isinstance(data, FrameTable) else FrameTable.of(data)
    models = models if models is None else column_names("models", models)
    if models is None:
        others = [name for name in table.names if name not in (dataset, truth)]
        models = [name for name in others if not has_no_name(name)]
        if len(models) < len(others):
            notes.append("columns without a name are left out: name those that are models")
    columns = _columns(table, dataset, truth, models, truth_noise)
    cells = _by_dataset(_count(columns), columns)
    scoring = scoring_of([_occurring(by_model) for by_model in cells.values()])
    scoring.check_reads_labels()
    gathered = Gathered(scoring.name, scoring.better, scoring.kind, notes=notes)
    for name, by_model in cells.items():
        for model, (true, label, counts) in by_model.items():
            given = {**options, "counts": counts}
            gathered.add(name, model, scored(true, label, model, scoring, confidence, given))
            gathered.sizes[name] = int(counts.sum())
    if head_to_head:
        gathered.agreements = (
            instances_where_right(columns, gathered.sizes)
            if scoring.kind == "classification"
            else pairs_where_right(columns, cells)
        )
    return gathered


def _columns(
    table: FrameTable, dataset: str, truth: str, models: Sequence[str], truth_noise: Any
) -> LabelColumns:
    own_dataset, own_truth = table.own([dataset, truth])
    chosen = list(models)
    if len(chosen) < 2:
        raise InputError(
            f"there are {len(chosen)} columns with models' labels: a benchmark compares two or more"
        )
    own = table.own(chosen)
    schema = table.frame.lazy().select(*own).collect_schema()
    kinds = {schema[name] for name in own}
    if len(kinds) > 1 and not all(kind.is_integer() for kind in kinds):
        raise InputError("the models' labels are of different types: cast their columns to one type")
    named = dict(zip(map(str, chosen), own, strict=True))
    return LabelColumns(table, own_dataset, own_truth, named, truth_noise)


def _count(columns: LabelColumns) -> Any:
    """Return a narwhals frame with data set, model, truth, label and count."""
    import narwhals as nw

    own, beside = list(columns.models.values()), [columns.dataset, columns.truth]
    rows = stacked(columns.rows().select(*beside, *own), own, beside, _MODEL, _LABEL)
    counts = {_COUNT: ("len", columns.dataset)}
    grouped = aggregated(rows, [*beside, _MODEL, _LABEL], counts).head(_MOST_CELLS + 1).collect()
    if len(grouped) > _MOST_CELLS:
        raise InputError(
            f"the labels have more than {_MOST_CELLS:,} combinations: judge fewer models or data sets at once"
        )
    parts = {
        "dataset": columns.dataset,
        "model": _MODEL,
        "truth": columns.truth,
        "label": _LABEL,
        "n": _COUNT,
    }
    return grouped.select(**{part: nw.col(column) for part, column in parts.items()})


def _by_dataset(frame: Any, columns: LabelColumns) -> dict[str, dict[str, Cells]]:
    """Split the counted cells by data set and model."""
    for column in ("dataset", "truth", "label"):
        absent = int(frame.filter(frame[column].is_null())["n"].sum() or 0)
        if absent:
            raise InputError(
                f"the column of the {column}s has {absent} gaps: fill them in, or leave such rows out"
            )
    frame = frame.sort("dataset", "model", "truth", "label")
    keys, models = frame["dataset"].to_numpy(), frame["model"].to_numpy()
    truth, label, n = (
        frame["truth"].to_numpy(),
        frame["label"].to_numpy(),
        frame["n"].to_numpy().astype(np.int64),
    )
    changes = np.flatnonzero((keys[1:] != keys[:-1]) | (models[1:] != models[:-1])) + 1
    starts, ends = [0, *changes.tolist()], [*changes.tolist(), len(keys)]
    found: dict[str, dict[str, Cells]] = {}
    names = {own: name for name, own in columns.models.items()}
    for start, end in zip(starts, ends, strict=True):
        part = slice(start, end)
        found.setdefault(str(keys[start]), {})[names[str(models[start])]] = truth[part], label[part], n[part]
    return {name: {m: by_model[m] for m in columns.models} for name, by_model in found.items()}


def _occurring(by_model: dict[str, Cells]) -> tuple[list[Any], list[list[Any]]]:
    """Return the labels that occur in the truth, and in each model's column."""
    cells = list(by_model.values())
    return np.unique(cells[0][0]).tolist(), [np.unique(label).tolist() for _, label, _ in cells]
