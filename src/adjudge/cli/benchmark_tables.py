"""Tables of labels or scores over many data sets, read from a file for `adjudge.benchmark`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import adjudge
from adjudge.benchmarking.files import by_dataset, scores_in_file
from adjudge.cli.columns import Source
from adjudge.cli.label_table import LabelTable
from adjudge.errors import InputError
from adjudge.given.label_options import LabelOptions
from adjudge.given.score_frame import has_no_name

if TYPE_CHECKING:
    from adjudge.results.benchmark import Benchmark

__all__ = ["TableColumns", "benchmark_of_labels", "benchmark_of_scores"]


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table, by what they hold; None if not given.

    Attributes
    ----------
    dataset : str or None
        The names of the data sets.
    truth : str or None
        The true labels, if each row is an instance.
    models : list of str or None
        The models' labels or scores; None for all other columns.
    model : str or None
        The names of the models, if each row is a score.
    fold : str or None
    """

    dataset: str | None
    truth: str | None
    models: list[str] | None
    model: str | None
    fold: str | None


def benchmark_of_labels(source: Source, columns: TableColumns, options: Mapping[str, Any]) -> Benchmark:
    """Judge the labels in a file; DuckDB counts them if the file is large or Parquet."""
    if columns.dataset is None:
        raise InputError("the data sets are missing: name their column with --dataset")
    dataset, truth = source.column(columns.dataset), source.column(str(columns.truth))
    chosen = source.matching(columns.models)
    models = chosen or source.others([dataset, truth], "--models")
    if options["missing"] == "raise" and source.streams([dataset, truth, *models], LabelOptions()):
        source.read_apart(None, [truth, *models])  # reports labels that may stand for missing ones
        with source.frame([dataset, truth, *models]) as frame:
            return adjudge.benchmark(frame, dataset=dataset, truth=truth, models=models, **options)
    table = source.read(truth, models, in_memory=True, grouping=[dataset])
    return adjudge.benchmark(_by_dataset(table, dataset, models), **options)


def _by_dataset(table: LabelTable, dataset: str, models: Sequence[str]) -> dict[str, Any]:
    """Split the true labels and those of each model by data set."""
    own = table.labels
    return by_dataset(dataset, own[dataset], own[str(table.truth)], {name: own[name] for name in models})


def benchmark_of_scores(source: Source, columns: TableColumns, options: Mapping[str, Any]) -> Benchmark:
    """Judge a table of scores, which is long if one column holds the models' names."""

    def found(name: str | None) -> str | None:
        return None if name is None else source.column(name)

    dataset, model, fold, score = (
        found(columns.dataset),
        found(columns.model),
        found(columns.fold),
        options["score"],
    )
    models = source.matching(columns.models) or None
    if model is not None:
        if dataset is None or score is None:
            raise InputError("a long table of scores needs --dataset, --model and --score")
        score = source.column(score)
        wanted = [dataset, model, score, *([] if fold is None else [fold])]
    elif models is not None:
        wanted = [*([] if dataset is None else [dataset]), *models]
    else:
        wanted = [name if has_no_name(name) else source.column(name) for name in source.table.columns]
    judging = {key: options[key] for key in ("better", "missing_score")}
    given = {"dataset": dataset, "models": models, "model": model, "fold": fold, "score": score}
    return adjudge.benchmark(scores_in_file(source.table, wanted, source.decimal), **given, **judging)
