"""How `evaluate` judges columns of a table: lazy frames by counts and moments, all other tables in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from adjudge.engines.frames.counting import FrameTable
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import Argument, InputError, Option
from adjudge.given.label_options import MISSING
from adjudge.given.option_groups import with_points
from adjudge.given.options import check_choice, given_names
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.verbs.evaluate_lazily import evaluate_lazily, lazy_request
from adjudge.verbs.kind_of_labels import with_kind
from adjudge.verbs.readable_tables import ReadableTable, is_a_file, open_given
from adjudge.verbs.request import EvaluationRequest
from adjudge.verbs.table_classifiers import ClassifierColumns, evaluate_summed
from adjudge.verbs.table_columns import (
    backend_of_table,
    called_columns,
    check_columns,
    column_beside,
    counts_of_rows,
    named_column,
    needs_instances,
    numbers_of,
    rows_that_belong_together,
)

__all__ = ["evaluate_table", "names_columns"]


def names_columns(labels_true: Any, labels_pred: Any, columns: Iterable[Any], labels: Any) -> bool:
    """Whether `labels_true` is a table: other arguments name its columns, or it is the path of a file."""
    if any(name is not None for name in columns) or isinstance(labels, str):
        return True
    return is_a_file(labels_true, labels_pred)


@dataclass(frozen=True)
class JudgedColumns:
    """The columns named in a call.

    Attributes
    ----------
    truth : str or None
    pred : sequence of str
        One or several columns of predicted labels; empty if labels are derived from probabilities.
    labels : str or None
        Column with the clusters to judge from the features.
    features : list of str or None
    units, sample_weight, counts : str or None
    classifier : ClassifierColumns
    """

    truth: str | None
    pred: tuple[str, ...]
    labels: str | None
    features: list[str] | None
    units: str | None
    sample_weight: str | None
    counts: str | None
    classifier: ClassifierColumns

    @property
    def of_labels(self) -> list[str]:
        """The label columns, without repetitions."""
        given = (self.truth, *self.pred, None if self.features is None else self.labels)
        return list(dict.fromkeys(name for name in given if name is not None))

    @property
    def used(self) -> list[Any]:
        """All columns that the call uses."""
        beside = (self.labels, self.units, self.sample_weight, self.counts)
        others = (name for name in beside if name is not None)
        return [*self.of_labels, *others, *(self.features or ()), *self.classifier.named]

    @property
    def naming(self) -> dict[str, str | None]:
        """Names of the arguments in errors."""
        pred = self.pred[0] if len(self.pred) == 1 else None
        return {"labels_true": self.truth, "labels_pred": pred, "labels": self.labels, "units": self.units}


@engine_failures()
def evaluate_table(
    judge: Callable[..., Any],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: str | None = None,
    features: Sequence[str] | None = None,
    units: str | None = None,
    sample_weight: str | None = None,
    counts: str | None = None,
    groups: str | Sequence[str] | None = None,
    missing: str = "raise",
    **options: Any,
) -> Evaluation | Evaluations:
    """Judge columns of a table.

    Parameters
    ----------
    judge : callable
        :func:`adjudge.evaluate`, for columns in memory.
    labels_true : data frame, lazy frame or path
        The table.
    labels_pred : str or sequence of str, optional
        The same as `pred`.
    truth, pred, labels, features, units, sample_weight, counts, groups, missing
        As for :func:`adjudge.evaluate`.
    **options
        Further options of :func:`adjudge.evaluate`.
    """
    check_choice("missing", missing, MISSING)
    X, options = with_points(options.pop("X", None), options.pop("compute", None), options)
    if X is not None:
        raise InputError(
            Option("X"),
            " are points beside a table: name the columns of coordinates with ",
            Option("features"),
        )
    of_classifier = {
        name: options.pop(name, None) for name in ("probabilities", "scores", "classes", "positive")
    }
    columns = JudgedColumns(
        truth=truth,
        pred=_several(labels_pred if pred is None else pred, labels),
        labels=labels,
        features=None if features is None else given_names("features", features),
        units=units,
        sample_weight=sample_weight,
        counts=counts,
        classifier=ClassifierColumns.of(**of_classifier, groups=groups, kind=options.get("kind")),
    )
    table = open_given(labels_true)
    check_columns(table, (), columns.used)
    if columns.labels is None and len(columns.pred) == 1:
        columns = replace(columns, labels=columns.pred[0])
    _check_named(columns)
    if options.get("kind") is None and truth is not None and table.holds_lists(truth):
        options["kind"] = "multilabel"
    said = rows_that_belong_together(table, units, options.get("confidence"), columns.used)
    judge_one: Callable[..., Evaluation] = (
        partial(_in_engine, table) if isinstance(table, FrameTable) else partial(_in_memory, judge, table)
    )
    with called_columns(columns.naming):
        if len(columns.pred) > 1:
            found = _each(judge_one, columns, missing, options)
            return replace(
                found, evaluations={n: _of_table(e, labels_true, said) for n, e in found.evaluations.items()}
            )
        return _of_table(judge_one(columns, missing, options), labels_true, said)


def _several(pred: Any, labels: str | None) -> tuple[Any, ...]:
    """Return the columns of predicted labels; `labels` if there are no others."""
    if pred is None:
        pred = labels
    if pred is None:
        return ()
    return (pred,) if isinstance(pred, (str, int)) else tuple(given_names("pred", pred))


def _check_named(columns: JudgedColumns) -> None:
    if columns.features is not None and columns.labels is None and not columns.pred:
        raise InputError(
            Argument("labels"), " is missing: features need the column with the clusters to be judged"
        )
    if columns.truth is None and columns.features is None:
        raise InputError("nothing to judge: give truth and pred, or labels and features, or all of them")
    if columns.truth is not None and not columns.pred and columns.classifier.forecasts is None:
        raise InputError("pred is missing: the truth needs the column with the labels to be judged")
    if len(columns.pred) > 1 and columns.classifier.forecasts is not None:
        raise InputError(
            Option(columns.classifier.forecasts.option),
            " are of one classifier: name one column as ",
            Option("pred"),
        )


def _of_table(evaluation: Evaluation, table: Any, said: tuple[Any, ...]) -> Evaluation:
    return replace(evaluation, backend=backend_of_table(table), warnings=evaluation.warnings + said)


def _each(
    judged: Callable[..., Evaluation], columns: JudgedColumns, missing: str, options: Mapping[str, Any]
) -> Evaluations:
    """Judge several columns of predicted labels, all as the same kind."""

    def each(asked: Mapping[str, Any]) -> dict[str, Evaluation]:
        own = {name: replace(columns, pred=(name,), labels=columns.labels or name) for name in columns.pred}
        return {name: judged(one, missing, dict(asked)) for name, one in own.items()}

    found = each(options)
    if len({one.settings["of"] for one in found.values()}) > 1:
        found = each({**options, "kind": "clustering"})
    return Evaluations(found, next(iter(found.values())).backend)


def _in_memory(
    judge: Callable[..., Any],
    table: ReadableTable,
    columns: JudgedColumns,
    missing: str,
    options: dict[str, Any],
) -> Evaluation:
    """Read the columns and judge them as arrays."""
    read, _ = table.labels(columns.of_labels, nested=options.get("kind") == "multilabel")
    labels = {name: named_column(name, values) for name, values in read.items()}
    true = None if columns.truth is None else labels[columns.truth]
    classifier = columns.classifier
    pred = None if columns.truth is None or not columns.pred else labels[columns.pred[0]]
    found: Evaluation = judge(
        true,
        pred,
        X=None if columns.features is None else table.points(columns.features),
        labels=None if columns.labels is None or columns.features is None else labels[columns.labels],
        sample_weight=numbers_of(table, columns.sample_weight),
        counts=numbers_of(table, columns.counts),
        units=None if columns.units is None else column_beside(table, columns.units),
        missing=missing,
        **classifier.options(
            table.numbers, {name: column_beside(table, name) for name in classifier.grouping}, true
        ),
        **options,
    )
    return found


def _in_engine(
    table: FrameTable, columns: JudgedColumns, missing: str, options: dict[str, Any]
) -> Evaluation:
    """Judge columns of a lazy frame from the counts and sums that its engine computes."""
    if options.get("kind") == "multilabel":
        raise needs_instances("multilabel")
    if columns.counts is not None:
        raise counts_of_rows()
    if columns.sample_weight is not None and columns.features is not None:
        raise InputError(Option("sample_weight"), " with features needs the points: collect the table first")
    meaning, indices = options.pop("weights", None), options.pop("indices", "default")
    request: EvaluationRequest = lazy_request(options, missing, indices, columns.features is not None)
    weighed = None if columns.sample_weight is None else (columns.sample_weight, meaning)
    pred = columns.pred[0] if columns.pred else None
    if columns.classifier.are_given:
        if columns.truth is None:
            raise InputError("truth is missing: name the column with the true classes")
        request, _ = with_kind(request, (), of_classifiers=True)
        if columns.features is not None:
            raise InputError(
                Argument("features"),
                " of a lazy table are judged in a call of their own, without options of classifiers",
            )
        return evaluate_summed(
            table, columns.truth, pred, columns.classifier, request, weighed, columns.units
        )
    return evaluate_lazily(
        table,
        columns.truth,
        columns.labels,
        columns.features,
        request,
        pred=pred,
        weighed=weighed,
        units=columns.units,
    )
