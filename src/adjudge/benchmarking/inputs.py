"""The input of a benchmark, in any of its forms, read as scores of models on data sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from adjudge.benchmarking.collected_scores import Gathered
from adjudge.benchmarking.directions import said_direction
from adjudge.benchmarking.files import is_a_table, labels_in_file, scores_in_file
from adjudge.benchmarking.label_scores import Scoring, accepted, gather_labels
from adjudge.benchmarking.lazy_counts import gather_counted
from adjudge.benchmarking.tables import (
    different_names,
    gather_array,
    gather_long,
    gather_mapping,
    gather_wide,
)
from adjudge.errors import InputError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.option_groups import Classifier
from adjudge.given.score_table import is_data_frame
from adjudge.indices.record import Index
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.which_kind import with_kind
from adjudge.tables.files import FileTable

__all__ = ["GivenResults"]

_TREATMENT = ("missing", "noise", "noise_label")


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
    units : mapping of str to array-like, optional
        The unit that each instance belongs to, by data set.
    """

    data: Any
    score: Any
    kind: Literal["clustering", "classification"] | None
    better: str | None
    truth: str | None
    models: Sequence[str] | None
    dataset: str | None
    model: str | None
    fold: str | None
    test_share: float | None
    head_to_head: bool | None
    judging: Mapping[str, Any]
    units: Mapping[str, Any] | None = None

    def gathered(self) -> Gathered:
        """Score the labels, or take the given scores."""
        self._check_units()
        if isinstance(self.data, (str, Path)):
            if is_a_table(self.data):
                return self._in_memory(FileTable(self.data)).gathered()
            return _of_folder(self.data, self._scoring(), self.head_to_head is not False, self.judging)
        if isinstance(self.data, Mapping):
            return self._of_mapping()
        if self.truth is not None:
            return self._of_label_columns(self.truth)
        if self.model is not None:
            return self._of_long_table(self.model)
        if is_data_frame(self.data):
            return gather_wide(self.data, self.dataset, self.models, self._given_scores())
        return gather_array(self.data, self.models, None, self._given_scores())

    def _in_memory(self, table: FileTable) -> GivenResults:
        """Read the labels, or the scores, in a file."""
        if self.truth is None:
            return replace(self, data=scores_in_file(table.table, table.names))
        if self.dataset is None:
            raise _without_dataset()
        data = labels_in_file(table, self.dataset, self.truth, self.models)
        return replace(self, data=data, dataset=None, truth=None, models=None)

    def _check_units(self) -> None:
        """Raise if units are given for anything but labels in memory."""
        if self.units is None:
            return
        labels = isinstance(self.data, Mapping) and all(isinstance(one, tuple) for one in self.data.values())
        if not labels or not isinstance(self.units, Mapping):
            raise InputError(
                Option("units"),
                " are those of labels in memory: give data as a mapping of data sets to truth and models, and "
                "units as a mapping of the same data sets",
            )

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
        return Scoring.of(None, decided.kind, self.better)

    def _given_scores(self) -> Gathered:
        if isinstance(self.score, Index):
            name, known = self.score.name, self.score.better
        else:
            name, known = (self.score if isinstance(self.score, str) else "score"), None
        return Gathered(name, said_direction(name, self.better or known))

    def _of_mapping(self) -> Gathered:
        if not self.data:
            raise InputError("data is empty: at least two data sets are needed")
        if not all(isinstance(value, tuple) and len(value) == 2 for value in self.data.values()):
            return gather_mapping(self.data, self._given_scores())
        named = dict(zip(different_names(self.data, "data sets"), self.data.values(), strict=True))
        counts_pairs = self.head_to_head is not False
        scoring = self._scoring_of(_occurring(named), of_classifiers=_any_classifier(named))
        return gather_labels(named, scoring, head_to_head=counts_pairs, units=self.units, **self.judging)

    def _of_label_columns(self, truth: str) -> Gathered:
        if self.dataset is None:
            raise _without_dataset()
        if self.score is not None and self._scoring().function is not None:
            raise InputError(
                "a score function needs labels in memory: give a mapping of data sets, or the name of an index"
            )
        return gather_counted(
            self.data,
            self._scoring_of,
            dataset=self.dataset,
            truth=truth,
            models=self.models,
            head_to_head=bool(self.head_to_head),
            **self.judging,
        )

    def _of_long_table(self, model: str) -> Gathered:
        if self.dataset is None or not isinstance(self.score, str):
            raise InputError(
                "a long table needs the names of its columns: ",
                Option("dataset"),
                ", ",
                Option("model"),
                " and ",
                Option("score"),
            )
        return gather_long(
            self.data, self.dataset, model, self.score, self.fold, self.test_share, self._given_scores()
        )


def _without_dataset() -> InputError:
    return InputError("dataset is missing: name the column with the data set of each row")


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
