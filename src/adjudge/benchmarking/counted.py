"""Lazy tables with a column of data sets: all labels counted by their engine in one GROUP BY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge.benchmarking.gathered import Gathered
from adjudge.benchmarking.judged import Scoring
from adjudge.engines.frames.counting import FrameTable, aggregated
from adjudge.errors import InputError

__all__ = ["gather_counted"]

# More combinations of data set, model, truth and label are not brought to memory.
_MOST_CELLS = 50_000_000

_MODEL, _LABEL, _COUNT = "__adjudge_model__", "__adjudge_label__", "__adjudge_count__"


def gather_counted(
    data: Any,
    scoring: Scoring,
    *,
    dataset: str,
    truth: str,
    models: Sequence[str] | None,
    truth_noise: Any = None,
    confidence: float | None = None,
    **options: Any,
) -> Gathered:
    """Judge models whose labels are columns of a table, by the data sets that another column names.

    The columns of the models are put below each other, and the rows of each data set, model, true label and label are
    counted: one pass over the table, whatever its size.
    """
    if scoring.function is not None:
        raise InputError(
            "a score function needs labels in memory: give a mapping of data sets, or the name of an index"
        )
    cells = _count(data, dataset, truth, models)
    gathered = Gathered(scoring.name, scoring.better, scoring.kind)
    for name, (by_model, present) in _by_dataset(cells).items():
        gathered.scores[name] = {}
        for model, (true, label, counts) in by_model.items():
            _judge_counted(
                gathered, name, model, true, label, counts, scoring, truth_noise, confidence, options
            )
        gathered.sizes[name] = present
    return gathered


def _count(data: Any, dataset: str, truth: str, models: Sequence[str] | None) -> tuple[Any, dict[str, str]]:
    """Return a narwhals frame of data set, model, truth, label and count, and what the models are called."""
    import narwhals as nw

    table = FrameTable.of(data)
    own_dataset, own_truth = table.own([dataset, truth])
    chosen = (
        [name for name in table.names if name not in (dataset, truth)] if models is None else list(models)
    )
    if len(chosen) < 2:
        raise InputError(
            f"there are {len(chosen)} columns with models' labels: a benchmark compares two or more"
        )
    own = table.own(chosen)
    frame = table.frame.lazy().select(own_dataset, own_truth, *own)
    schema = frame.collect_schema()
    kinds = {schema[name] for name in own}
    if len(kinds) > 1 and not all(kind.is_integer() for kind in kinds):
        raise InputError("the models' labels are of different types: cast their columns to one type")
    grouped = _grouped(frame, own_dataset, own_truth, own).head(_MOST_CELLS + 1).collect()
    if len(grouped) > _MOST_CELLS:
        raise InputError(
            f"the labels have more than {_MOST_CELLS:,} combinations: judge fewer models or data sets at once"
        )
    parts = {"dataset": own_dataset, "model": _MODEL, "truth": own_truth, "label": _LABEL, "n": _COUNT}
    cells = grouped.select(**{part: nw.col(column) for part, column in parts.items()})
    return cells, dict(zip(own, chosen, strict=True))


def _grouped(frame: Any, dataset: str, truth: str, models: Sequence[str]) -> Any:
    """Put the models' columns below each other, and count."""
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_duckdb():
        # DuckDB leaves gaps out unless told otherwise; a relation knows only its own connection.
        long = f"given UNPIVOT INCLUDE NULLS ({_LABEL} FOR {_MODEL} IN ({', '.join(models)}))"
        keys = f"{dataset}, {_MODEL}, {truth}, {_LABEL}"
        query = f"SELECT {keys}, count(*) AS {_COUNT} FROM {long} GROUP BY ALL"
        return nw.from_native(frame.to_native().query("given", query))
    long = frame.unpivot(models, index=[dataset, truth], variable_name=_MODEL, value_name=_LABEL)
    return aggregated(long, [dataset, _MODEL, truth, _LABEL], {_COUNT: ("len", dataset)})


def _by_dataset(cells: tuple[Any, dict[str, str]]) -> dict[str, tuple[dict[str, tuple[Any, Any, Any]], int]]:
    """Part the counted cells by data set and model."""
    frame, names = cells
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
    found: dict[str, tuple[dict[str, tuple[Any, Any, Any]], int]] = {}
    for start, end in zip(starts, ends, strict=True):
        part = slice(start, end)
        by_model, _ = found.get(str(keys[start]), ({}, 0))
        by_model[names[str(models[start])]] = (truth[part], label[part], n[part])
        found[str(keys[start])] = by_model, int(n[part].sum())
    order = list(names.values())
    return {
        name: ({m: by_model[m] for m in order if m in by_model}, size)
        for name, (by_model, size) in found.items()
    }


def _judge_counted(
    gathered: Gathered,
    name: str,
    model: str,
    true: Any,
    label: Any,
    counts: Any,
    scoring: Scoring,
    truth_noise: Any,
    confidence: float | None,
    options: dict[str, Any],
) -> None:
    from adjudge.verbs.evaluate import evaluate

    if truth_noise is not None:
        kept = true != truth_noise
        true, label, counts = true[kept], label[kept], counts[kept]
    found = evaluate(
        true,
        label,
        counts=counts,
        indices=[scoring.name],
        kind=scoring.kind,
        confidence=confidence,
        **options,
    )
    gathered.scores[name][model] = float(found[scoring.name])
    if scoring.name in found.reasons:
        gathered.reasons[name, model] = found.reasons[scoring.name]
    if confidence is not None and scoring.name in found.intervals:
        low, high = found.intervals[scoring.name]
        gathered.intervals.setdefault(name, {})[model] = (float(low), float(high))
