"""Tables of scores: data sets by models, or one row per data set, model and fold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge.benchmarking.collected_scores import Gathered
from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.options import as_numbers
from adjudge.given.score_frame import ScoreFrame, names_of

__all__ = ["different_names", "gather_array", "gather_long", "gather_mapping", "gather_wide"]


def gather_mapping(scores: Mapping[Any, Any], gathered: Gathered) -> Gathered:
    """Read scores by data set and model, possibly by fold, or a list of scores by model."""
    if all(isinstance(row, Mapping) for row in scores.values()):
        for name, row in zip(different_names(scores, "data sets"), scores.values(), strict=True):
            for model, value in zip(different_names(row, "models"), row.values(), strict=True):
                _take(gathered, name, model, value)
        return gathered
    columns = {
        model: as_numbers(f"scores of {model!r}", values)
        for model, values in zip(different_names(scores, "models"), scores.values(), strict=True)
    }
    lengths = {values.size for values in columns.values()}
    if len(lengths) != 1:
        raise InputError(
            f"the models have scores on {sorted(lengths)} data sets: lists of one length are needed"
        )
    for i in range(lengths.pop()):
        gathered.scores[str(i + 1)] = {model: float(values[i]) for model, values in columns.items()}
    return gathered


def different_names(names: Iterable[Any], what: str) -> list[str]:
    """Return names as text; raise if one is missing or two have the same text."""
    found = names_of(names, what, f"the list of {what}")
    if len(set(found)) < len(found):
        raise InputError(f"two {what} are called {max(found, key=found.count)!r}: rename one")
    return found


def _take(gathered: Gathered, dataset: str, model: str, value: Any) -> None:
    """Add a score, or the scores of folds."""
    if value is None:
        value = math.nan
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"the score of {model!r} on {dataset!r} is {a_type(value)}: a number is needed, or those of "
            "its folds"
        ) from None
    if numbers.ndim == 0:
        gathered.scores.setdefault(dataset, {})[model] = float(numbers)
    else:
        gathered.add_folds(dataset, model, numbers)


def gather_array(
    values: Any, models: Sequence[Any] | None, datasets: Sequence[Any] | None, gathered: Gathered
) -> Gathered:
    """Read a matrix, data sets by models."""
    try:
        matrix = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            "the table of scores contains something other than numbers, or is ragged"
        ) from None
    if matrix.ndim != 2:
        raise InputError(f"the table of scores has shape {matrix.shape}: data sets by models are needed")
    names = different_names(range(1, matrix.shape[1] + 1) if models is None else models, "models")
    rows = names_of(range(1, matrix.shape[0] + 1) if datasets is None else datasets, "data sets", "the table")
    if (len(rows), len(names)) != matrix.shape or len(set(rows)) < len(rows):
        raise InputError(
            f"the table of scores has shape {matrix.shape}: {len(set(rows))} different names of data sets and "
            f"{len(names)} of models were given"
        )
    for name, row in zip(rows, matrix.tolist(), strict=True):
        gathered.scores[name] = dict(zip(names, row, strict=True))
    return gathered


def gather_wide(
    frame: Any, dataset: str | None, models: Sequence[str] | None, gathered: Gathered
) -> Gathered:
    """Read a table with one row per data set and one column per model; a column or the pandas index names the rows."""
    table = ScoreFrame.of(frame)
    rows, chosen, matrix = table.wide(dataset, models)
    gathered.notes += table.notices
    return gather_array(matrix, chosen, rows, gathered)


def gather_long(
    frame: Any,
    dataset: str,
    model: str,
    value: str,
    fold: str | None,
    test_share: float | None,
    gathered: Gathered,
) -> Gathered:
    """Read a table with one row per data set and model, or one row per data set, fold and model."""
    table = ScoreFrame.of(frame)
    found: dict[tuple[str, str], dict[Any, float]] = {}
    for d, m, f, v in table.long(dataset, model, value, fold):
        cell = found.setdefault((d, m), {})
        if f in cell:
            twice = f"{m!r} has two scores on {d!r}"
            if fold is None:
                raise InputError(f"{twice}: name the column of the folds with ", Option("fold"))
            raise InputError(f"{twice} in fold {f!r}")
        cell[f] = v
    gathered.notes += table.notices
    if fold is None:
        for (d, m), cell in found.items():
            gathered.scores.setdefault(d, {})[m] = cell[None]
        return gathered
    known = {
        d: list(dict.fromkeys(f for (e, _), cell in found.items() if e == d for f in cell)) for d, _ in found
    }
    for (d, m), cell in found.items():
        values = [cell.get(f, math.nan) for f in known[d]]
        gathered.add_folds(d, m, values, test_share)
        if any(math.isnan(v) for v in values):
            gathered.reasons[d, m] = (
                f"{sum(math.isnan(v) for v in values)} of {len(values)} folds have no score"
            )
    return gathered
