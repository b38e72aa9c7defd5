"""The input of a benchmark, in any of its forms, read as scores of models on data sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from adjudge.benchmarking.collected_scores import Gathered
from adjudge.benchmarking.counted_labels import gather_counted
from adjudge.benchmarking.directions import said_direction
from adjudge.benchmarking.files import is_a_table, labels_in_table, scores_in_file
from adjudge.benchmarking.label_scores import Kind, Scoring, accepted, gather_labels
from adjudge.benchmarking.number_scores import gather_columns, gather_numbers
from adjudge.benchmarking.tables import (
    different_names,
    gather_array,
    gather_long,
    gather_mapping,
    gather_wide,
)
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError, Option, Worded
from adjudge.files.parquet_parts import ParquetParts
from adjudge.files.reading import reading
from adjudge.given.identifiers import identifies_rows
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.option_groups import Classifier
from adjudge.given.points import ColumnsLeftOut
from adjudge.given.score_frame import has_no_name
from adjudge.given.score_table import is_data_frame
from adjudge.indices.record import Index
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.which_kind import with_kind
from adjudge.results.label_notices import about_words
from adjudge.results.notice import Notice
from adjudge.results.point_notices import why_left_out
from adjudge.statistics.agreement import OF_NUMBERS, WITHOUT_TRUTH
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.labels import IF_MISSING
from adjudge.tables.names import column_names, columns_with_names
from adjudge.tables.source import open_given

__all__ = ["GivenResults"]

_TREATMENT = ("missing", "noise", "noise_label")
# What an engine that only counts does with missing labels and noise.
_USUAL = ("raise", "cluster")
# Rows that tell whether a column identifies rows.
_LOOKED_AT = 1000


@dataclass(frozen=True)
class GivenResults:
    """Labels or scores, and the options for reading them; see :func:`adjudge.benchmark` for each.

    Attributes
    ----------
    data : mapping, data frame, matrix, or path of a table or folder
    score, kind, better
        How labels are scored, or the name of the given scores.
    truth, models, dataset, model, fold : str or sequence of str, optional
        Columns of a data frame.
    test_share : float, optional
    head_to_head : bool, optional
    judging : mapping
        Options for labels, and the confidence level of the scores' intervals.
    units : str, or mapping of str to array-like, optional
        The column of the unit that each instance belongs to; of labels in memory, the units by data set.
    rows : mapping of str to ndarray of int64, optional
        The rows of each data set in the table that has all.
    """

    data: Any
    score: Any
    kind: Kind | None
    better: str | None
    truth: str | None
    models: Sequence[str] | None
    dataset: str | None
    model: str | None
    fold: str | None
    test_share: float | None
    head_to_head: bool | None
    judging: Mapping[str, Any]
    units: str | Mapping[str, Any] | None = None
    rows: Mapping[str, Any] | None = None

    def gathered(self) -> Gathered:
        """Score the labels or numbers, or take the given scores."""
        self._check_units()
        if (of_numbers := self._scoring_of_numbers()) is not None:
            return self._of_numbers(of_numbers)
        if isinstance(self.data, (str, Path)):
            if is_a_table(self.data):
                return self._of_file(FileTable(self.data))
            return _of_folder(self.data, self._scoring(), self.head_to_head is not False, self.judging)
        if isinstance(self.data, Mapping):
            return self._of_mapping()
        if self.truth is not None:
            with engine_failures():
                return self._of_label_columns(open_given(self.data), self.truth)
        if self.model is not None:
            return self._of_long_table(self.model)
        if is_data_frame(self.data):
            return gather_wide(self.data, self.dataset, self.models, self._given_scores())
        return gather_array(self.data, self.models, None, self._given_scores())

    def _scoring_of_numbers(self) -> Scoring | None:
        """Return how numbers of rows are scored, if the kind says that there are some, or the score beside a truth."""
        if self.kind in OF_NUMBERS:
            return self._scoring()
        beside_truth = self.truth is not None or self._are_datasets
        if self.kind is None and self.score is not None and beside_truth:
            scoring = self._scoring()
            return scoring if scoring.reads_numbers else None
        return None

    @property
    def _are_datasets(self) -> bool:
        """Whether the data are a mapping of data sets to truth and models."""
        given = self.data
        return isinstance(given, Mapping) and all(
            isinstance(one, tuple) and len(one) == 2 for one in given.values()
        )

    def _of_numbers(self, scoring: Scoring) -> Gathered:
        """Score the numbers of rows, in memory or in columns of a table."""
        judging = {name: own for name, own in self.judging.items() if own is not None}
        kept = {name: judging.pop(name) for name in ("confidence", "missing") if name in judging}
        if judging:
            raise InputError(Option(next(iter(judging))), " is for labels: leave it out")
        of_pairs = self.head_to_head is not False
        alone = scoring.kind in WITHOUT_TRUTH
        if isinstance(self.data, Mapping):
            if not alone and not self._are_datasets:
                raise InputError(
                    "numbers are predicted of true ones: give (truth, mapping of models) by data set"
                )
            given: Any = {name: (None, own) for name, own in self.data.items()} if alone else self.data
            named = dict(zip(different_names(given, "data sets"), given.values(), strict=True))
            units: Any = self.units
            return gather_numbers(named, scoring, head_to_head=of_pairs, units=units, **kept)
        if isinstance(self.data, (str, Path)) and not is_a_table(self.data):
            raise InputError("a folder of labels has no numbers: give a table, or a mapping of data sets")
        if self.dataset is None:
            raise _without_dataset()
        table = FileTable(self.data) if isinstance(self.data, (str, Path)) else open_given(self.data)
        dataset, truth, units = self._roles_in(table)
        models, said = self._models_in(table, (dataset, truth, units))
        gathered = gather_columns(
            table, scoring, dataset, truth, models, units, head_to_head=of_pairs, **kept
        )
        gathered.notes[:0] = [Worded(*notice.parts) for notice in said]
        return gathered

    def _of_file(self, table: FileTable) -> Gathered:
        """Read the labels, or the scores, in a file; DuckDB counts the labels of a large one."""
        if self.truth is None:
            if self.judging.get("missing", "raise") != "raise":
                raise InputError(
                    Option("missing"),
                    " is for labels: name the column of the truth with ",
                    Option("truth"),
                    ", or leave it out",
                )
            return self._of_scores(table).gathered()
        return self._of_label_columns(table, self.truth)

    def _of_label_columns(self, table: Engine | FileTable | Frame, truth: Any) -> Gathered:
        """Score the labels in columns of a table, of which an engine counts those of all but small files."""
        if self.dataset is None:
            raise _without_dataset(table)
        dataset, truth, units = self._roles_in(table)
        models, said = self._models_in(table, (dataset, truth, units))
        treated = [name for name in _TREATMENT if self.judging.get(name) not in (None, *_USUAL)]
        may_count = self.head_to_head is None and not treated
        if units is not None and isinstance(table, Engine):
            raise InputError(
                Option("units"), " are of rows, but the engine returns only counts: collect the table first"
            )
        read = [dataset, truth, *models] if units is None else [dataset, truth, units, *models]
        hindrance = None if units is None else (Option("units"), " need the rows in memory")
        reads_rows = isinstance(table, FileTable) and not (may_count and table.is_streamed(read, hindrance))
        if not isinstance(table, Engine) and (reads_rows or units is not None):
            drops = self.judging.get("missing") == "drop"
            labels = labels_in_table(table, dataset, truth, models, units, drops_missing=drops)
            if table.from_file:
                said += about_words(labels.columns, IF_MISSING)
            of_labels = replace(
                self,
                data=labels.by_dataset,
                rows=labels.rows,
                units=labels.units,
                dataset=None,
                truth=None,
                models=None,
            )
            gathered = of_labels.gathered()
        else:
            if self.score is not None and self._scoring().function is not None:
                raise InputError(
                    "a score function needs labels in memory: give a mapping of data sets, or the name of an index"
                )
            gathered = gather_counted(
                Engine(table.frame) if isinstance(table, Frame) else table,
                self._scoring_of,
                dataset=dataset,
                truth=truth,
                models=models,
                head_to_head=bool(self.head_to_head),
                **self.judging,
            )
        gathered.notes[:0] = [Worded(*notice.parts) for notice in said]
        return gathered

    def _roles_in(self, table: Engine | FileTable | Frame) -> list[Any]:
        """Find the columns of the data sets, the truth and the units; None for those that there are not."""
        return [None if name is None else table.own(name) for name in (self.dataset, self.truth, self.units)]

    def _models_in(
        self, table: Engine | FileTable | Frame, others: Sequence[Any]
    ) -> tuple[list[Any], tuple[Notice, ...]]:
        """Find the models' columns: by name or pattern, or all but `others` and identifiers."""
        if self.models is not None:
            return table.matching(column_names("models", self.models), others), ()
        names, said = columns_with_names(table, Option("models"))
        names = [name for name in names if name not in others]
        found = tuple(own for own in names if identifies_rows(own, partial(table.some, own, _LOOKED_AT)))
        if found:
            are = "it is no model" if len(found) == 1 else "they are no models"
            why = f"{why_left_out(ColumnsLeftOut(tuple(map(str, found)), 'identifiers'))}, so {are}"
            said += (
                Notice("identifiers-as-models", why, (Option("models"), " can name what is meant"), "info"),
            )
        return [name for name in names if name not in found], said

    def _of_scores(self, table: FileTable) -> GivenResults:
        """Read the columns of scores that are named, or all, as they are in the file."""

        def found(name: str | None) -> str | None:
            return None if name is None else table.own(name)

        named = replace(self, dataset=found(self.dataset), model=found(self.model), fold=found(self.fold))
        if self.model is not None:
            if self.dataset is None or not isinstance(self.score, str):
                raise _without_columns()
            named = replace(named, score=table.own(self.score))
            wanted = [named.dataset, named.model, named.score, named.fold]
        elif self.models is not None:
            models = table.matching(column_names("models", self.models))
            named = replace(named, models=models)
            wanted = [named.dataset, *models]
        else:
            wanted = [name if has_no_name(name) else table.own(name) for name in table.names]
        names = [name for name in wanted if name is not None]
        return replace(named, data=scores_in_file(table.table, names, reading().decimal))

    def _check_units(self) -> None:
        """Raise if units are given for anything but labels in memory."""
        if self.units is None:
            return
        if isinstance(self.data, Mapping):
            is_fit = isinstance(self.units, Mapping) and (self._are_datasets or self.kind in WITHOUT_TRUTH)
            how = "give them as a mapping of data sets, with the labels or numbers of these"
        else:
            is_folder = isinstance(self.data, (str, Path)) and not is_a_table(self.data)
            has_rows = self.truth is not None or self.kind in WITHOUT_TRUTH
            is_fit = isinstance(self.units, (str, int)) and has_rows and not is_folder
            how = "name their column in a table of labels or numbers, one row per instance"
        if not is_fit:
            raise InputError(Option("units"), f" are those of instances: {how}")

    def _scoring(self) -> Scoring:
        return Scoring.of(self.score, self.kind, self.better)

    def _scoring_of(
        self, labels: Iterable[tuple[Sequence[Any], Sequence[Sequence[Any]]]], *, of_classifiers: bool = False
    ) -> Scoring:
        """Return the score of these labels, true and predicted, which tell their kind if no option does."""
        if self.score is not None or self.kind is not None:
            return self._scoring()
        treatment = {name: own for name, own in self.judging.items() if name in _TREATMENT}
        asked = EvaluationRequest(labels=LabelOptions(**treatment))
        of_classifiers = of_classifiers or self.judging.get("positive") is not None
        decided, _ = with_kind(asked, labels, of_classifiers=of_classifiers, must_be_known=True)
        found: Any = decided.kind
        return Scoring.of(None, found, self.better)

    def _given_scores(self) -> Gathered:
        if isinstance(self.score, Index):
            name, known = self.score.name, self.score.better
        else:
            name, known = (self.score if isinstance(self.score, str) else "score"), None
        return Gathered(name, said_direction(name, self.better or known))

    def _of_mapping(self) -> Gathered:
        if not self.data:
            raise InputError("data is empty: at least two data sets are needed")
        if not self._are_datasets:
            return gather_mapping(self.data, self._given_scores())
        named = dict(zip(different_names(self.data, "data sets"), self.data.values(), strict=True))
        counts_pairs = self.head_to_head is not False
        scoring = self._scoring_of(_occurring(named), of_classifiers=_any_classifier(named))
        beside: dict[str, Any] = {"units": self.units, "rows": self.rows}
        return gather_labels(named, scoring, head_to_head=counts_pairs, **beside, **self.judging)

    def _of_long_table(self, model: str) -> Gathered:
        if self.dataset is None or not isinstance(self.score, str):
            raise _without_columns()
        return gather_long(
            self.data, self.dataset, model, self.score, self.fold, self.test_share, self._given_scores()
        )


def _without_dataset(table: Any = None) -> InputError:
    message: tuple[Any, ...] = ("the data sets are missing: name their column with ", Option("dataset"))
    if isinstance(table, FileTable) and isinstance(table.table, ParquetParts):
        message += (
            "; files of a folder are read as one table, so write into each a column with its data set",
        )
    return InputError(*message)


def _without_columns() -> InputError:
    columns = (Option("dataset"), ", ", Option("model"), " and ", Option("score"))
    return InputError("a long table of scores needs the names of its columns: ", *columns)


def _any_classifier(datasets: Mapping[str, tuple[Any, Any]]) -> bool:
    """Whether a model gives more than its labels."""
    return any(
        isinstance(own, Classifier)
        for _, models in datasets.values()
        if isinstance(models, Mapping)
        for own in models.values()
    )


def _occurring(
    datasets: Mapping[str, tuple[Any, Mapping[str, Any]]],
) -> Iterator[tuple[list[Any], list[list[Any]]]]:
    """Yield the labels that occur: of each accepted truth, and of the models."""
    for given, predictions in datasets.values():
        models = predictions.items() if isinstance(predictions, Mapping) else ()
        labels = [(name, own.labels if isinstance(own, Classifier) else own) for name, own in models]
        said = [Column.of(own, str(name)).values.occurring() for name, own in labels if own is not None]
        for truth in accepted(given):
            yield Column.of(truth, "labels_true").values.occurring(), said


def _of_folder(
    folder: str | Path, scoring: Scoring, head_to_head: bool, judging: Mapping[str, Any]
) -> Gathered:
    from adjudge.benchmarking.folder import read_predictions

    datasets, noise = read_predictions(folder)
    options = {**judging, "truth_noise": noise if judging["truth_noise"] is None else judging["truth_noise"]}
    return gather_labels(datasets, scoring, head_to_head=head_to_head, **options)
