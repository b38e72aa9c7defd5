"""Judgement of models that have a number for each row on many data sets: `compare` on each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from adjudge.array_types import Ints
from adjudge.benchmarking.collected_scores import Gathered, Scored
from adjudge.benchmarking.files import at_rows, rows_of_datasets
from adjudge.benchmarking.label_scores import Scoring
from adjudge.errors import AdjudgeError, InputError, InputTypeError, Option
from adjudge.given.labels import code_labels
from adjudge.presentation.numbers import count
from adjudge.statistics.agreement import WITHOUT_TRUTH
from adjudge.tables.columns import column_beside, needs_instances, number_columns
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame
from adjudge.verbs.compare import compare

__all__ = ["gather_columns", "gather_numbers"]

#: True numbers, if any, and those of each model; by data set.
Datasets = Mapping[str, tuple[Any, Mapping[str, Any]]]


def gather_numbers(
    datasets: Datasets,
    scoring: Scoring,
    *,
    confidence: float | None = None,
    head_to_head: bool = True,
    units: Mapping[str, Any] | None = None,
    rows: Mapping[str, Ints] | None = None,
    missing: str = "raise",
) -> Gathered:
    """Judge the numbers of every data set, on the rows that all its models have.

    Parameters
    ----------
    datasets : mapping of str to (array-like of shape (n,) or None, mapping of str to array-like of shape (n,))
    scoring : Scoring
    confidence : float, optional
    head_to_head : bool
        Whether to count on which rows each model of a pair is better.
    units : mapping of str to array-like, optional
        The unit that each row belongs to, by data set.
    rows : mapping of str to ndarray of int64, optional
        The rows of each data set in the table that has all, for messages.
    missing : {"raise", "drop"}
    """
    if scoring.function is not None:
        raise InputError("numbers are scored by an index: name one in ", Option("score"))
    gathered = Gathered(scoring.name, scoring.better, scoring.kind)
    n_left_out = 0
    for name, (truth, models) in datasets.items():
        if not isinstance(models, Mapping) or len(models) < 2:
            raise InputTypeError(
                f"data set {name!r}: a mapping of two or more models to their numbers is needed"
            )
        given: dict[str, Any] = {"labels_true": truth, "models": models}
        if scoring.kind in WITHOUT_TRUTH:
            given = {"values": models, "better": scoring.better}
        try:
            found = compare(
                **given,
                kind=scoring.kind,
                indices=[scoring.name],
                confidence=confidence,
                units=(units or {}).get(name),
                missing=missing,
            )
        except AdjudgeError as error:
            raise at_rows(error, (rows or {}).get(name), f"data set {name!r}: ") from None
        for model, judged in found.judged.items():
            score = judged[scoring.name]
            gathered.add(name, str(model), Scored(score.value, score.reason, score.interval))
        if head_to_head:
            pairs = combinations(found.models, 2)
            gathered.agreements[name] = {(str(p), str(q)): found[p, q].agreement for p, q in pairs}
        gathered.sizes[name] = int(found.n)
        n_left_out += len(next(iter(models.values()))) - int(found.n)
    if n_left_out:
        gathered.notes.append(
            f"{count(n_left_out, 'row')} without a number of some model left out of all models"
        )
    return gathered


def gather_columns(
    table: Engine | FileTable | Frame,
    scoring: Scoring,
    dataset: Any,
    truth: Any,
    models: Sequence[Any],
    units: Any,
    **options: Any,
) -> Gathered:
    """Judge the numbers in columns of a table, by the data set that another column names; see `gather_numbers`."""
    if isinstance(table, Engine):
        raise needs_instances(scoring.kind)
    wanted = models if truth is None else [truth, *models]
    numbers = {name: own.values for name, own in number_columns(table, wanted).items()}
    names = code_labels(table.labels([dataset])[0][dataset], f"column {dataset!r}")
    rows = rows_of_datasets(dataset, names)
    read = {
        name: (
            None if truth is None else numbers[truth][own],
            {str(model): numbers[model][own] for model in models},
        )
        for name, own in rows.items()
    }
    in_units = None
    if units is not None:
        coded = code_labels(column_beside(table, units), str(units))
        in_units = {name: coded.take(own) for name, own in rows.items()}
    return gather_numbers(read, scoring, units=in_units, rows=rows, **options)
