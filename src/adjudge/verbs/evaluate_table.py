"""How `evaluate` judges columns of a table: lazy frames by counts and moments, all other tables in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from adjudge.engines.frames.counting import FrameTable
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import Argument, InputError, Option
from adjudge.given.annotated import annotated_inputs, is_annotated
from adjudge.given.label_options import MISSING, LabelOptions
from adjudge.given.option_groups import OF_CLASSIFIERS, with_classifier, with_points
from adjudge.given.options import check_choice
from adjudge.given.structures import OF_COLUMNS, STRUCTURES
from adjudge.given.weights import Weighting
from adjudge.kinds.registry import check_roles
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.which_kind import with_kind
from adjudge.progress import busy
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.tables.columns import (
    backend_of_table,
    called_columns,
    check_columns,
    check_weights_suffice,
    column_beside,
    counts_of_rows,
    needs_instances,
    numbers_of,
    rows_that_belong_together,
)
from adjudge.tables.frames import Engine
from adjudge.tables.names import column_name, column_names, named_column, names_in_file
from adjudge.tables.source import ReadableTable, is_a_file, open_given
from adjudge.verbs.evaluate_lazily import evaluate_lazily, lazy_request
from adjudge.verbs.table_classifiers import ClassifierColumns, evaluate_summed

__all__ = ["evaluate_table", "names_columns"]


def names_columns(labels_true: Any, labels_pred: Any, columns: Iterable[Any], labels: Any) -> bool:
    """Whether `labels_true` is a table: other arguments name its columns, or it is the path of a file."""
    if any(name is not None for name in columns) or isinstance(labels, str):
        return True
    if labels is not None and is_annotated(labels_true):
        return True
    return is_a_file(labels_true, labels_pred)


#: Kinds of labels of which an instance may have several.
OF_SETS = ("multilabel", "overlapping")


@dataclass(frozen=True)
class JudgedColumns:
    """The columns named in a call.

    Attributes
    ----------
    truth : str or None
    pred : sequence of str
        Columns of predicted labels; empty if labels are derived from probabilities, or given as `labels` alone.
    several : bool
        Whether the columns of predicted labels are given in a list, so that each has a result of its own.
    labels : str or None
        Column with the clusters to judge from the features; None for the predicted labels.
    features : list of str or None
    units, sample_weight, counts : str or None
    classifier : ClassifierColumns
    """

    truth: str | None
    pred: tuple[str, ...]
    several: bool
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
        named = {"labels_true": self.truth, "labels_pred": pred, "labels": self.labels, "units": self.units}
        return named | ({str(name): name for name in self.pred} if self.several else {})


@engine_failures()
def evaluate_table(
    judge: Callable[..., Any],
    labels_true: Any = None,
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
    missing: str | Mapping[str, str] = "raise",
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
    if is_annotated(labels_true):
        named = {"truth": truth, "pred": labels_pred if pred is None else pred, "labels": labels}
        named |= {"features": features, "sample_weight": sample_weight, "counts": counts, "groups": groups}
        named |= {"units": units, "missing": missing, **options}
        return cast("Evaluation | Evaluations", judge(**annotated_inputs(labels_true, named)))
    X, options = with_points(options.pop("X", None), options.pop("compute", None), options)
    if labels_pred is not None and pred is not None:
        raise InputError(Argument("labels_pred"), " and ", Option("pred"), " were given: give one of them")
    pred, options = with_classifier(labels_pred if pred is None else pred, options)
    if labels_true is None:
        raise InputError(
            "other arguments name columns, but there is no table: pass it as ", Argument("labels_true")
        )
    if X is not None:
        raise InputError(
            Option("X"),
            " are points beside a table: name the columns of coordinates with ",
            Option("features"),
        )
    own = partial(names_in_file, labels_true)
    of_classifier = {name: options.pop(name, None) for name in OF_CLASSIFIERS}
    classifier = ClassifierColumns.of(**of_classifier, groups=groups, kind=options.get("kind"))
    predicted = [] if pred is None else own(column_names("pred", pred))
    structure = next((name for name in STRUCTURES if options.get(name) is not None), None)
    beside = truth is not None or structure is not None
    if not predicted and beside and labels is not None and classifier.forecasts is None:
        predicted = [labels]
    columns = JudgedColumns(
        truth=own(column_name("truth", truth)),
        pred=tuple(predicted),
        several=not (pred is None or isinstance(pred, (str, int, np.integer))),
        labels=own(column_name("labels", labels)),
        features=None if features is None else own(column_names("features", features)),
        units=own(column_name("units", units)),
        sample_weight=own(column_name("sample_weight", sample_weight)),
        counts=own(column_name("counts", counts)),
        classifier=classifier,
    )
    table = open_given(labels_true)
    check_columns(table, (), columns.used)
    _check_named(columns, structure)
    if structure is not None and isinstance(table, Engine):
        raise InputError(Option(structure), " needs the instances: collect the table first")
    if options.get("kind") is None and truth is not None and table.holds_lists(truth):
        options["kind"] = "multilabel"
    said = rows_that_belong_together(table, units, options.get("confidence"), columns.used)
    with called_columns(columns.naming):
        if isinstance(table, Engine):
            with busy(options.get("progress"), "rows of the table"):
                found = _in_engine(table.frame, columns, missing, options)
        else:
            found = _in_memory(judge, table, columns, missing, options)
    if not isinstance(found, Evaluations):
        return _of_table(found, labels_true, said)
    return Evaluations(
        {name: _of_table(one, labels_true, said) for name, one in found.evaluations.items()},
        backend_of_table(labels_true),
    )


def _check_named(columns: JudgedColumns, structure: str | None) -> None:
    if columns.features is not None and columns.labels is None and not columns.pred:
        raise InputError(
            Argument("labels"), " is missing: features need the column with the clusters to be judged"
        )
    if columns.features == []:
        raise InputError(Argument("features"), " is empty: name at least one column of coordinates")
    if columns.truth is None and columns.features is None and structure is None:
        raise InputError("nothing to judge: give truth and pred, or labels and features, or all of them")
    if columns.features is None and columns.labels not in (None, *columns.pred):
        raise InputError(
            Argument("labels"),
            " are judged from points: name these with ",
            Option("features"),
            ", or leave them out",
        )
    if columns.truth is not None and not (columns.pred or structure or columns.classifier.forecasts):
        raise InputError("pred is missing: the truth needs the column with the labels to be judged")
    if columns.truth is None and columns.classifier.are_given:
        raise InputError("classifiers are judged against the truth: name its column with ", Option("truth"))
    if columns.several and columns.classifier.forecasts is not None:
        raise InputError(
            Option(columns.classifier.forecasts.option),
            " are of one classifier: name one column as ",
            Option("pred"),
        )


def _of_table(evaluation: Evaluation, table: Any, said: tuple[Any, ...]) -> Evaluation:
    return replace(evaluation, backend=backend_of_table(table), warnings=evaluation.warnings + said)


def _in_memory(
    judge: Callable[..., Any],
    table: ReadableTable,
    columns: JudgedColumns,
    missing: str | Mapping[str, str],
    options: dict[str, Any],
) -> Evaluation | Evaluations:
    """Read the columns and judge them as arrays."""
    read, _ = table.labels(columns.of_labels, nested=options.get("kind") in OF_SETS)
    labels = {name: named_column(name, values) for name, values in read.items()}
    true = None if columns.truth is None else labels[columns.truth]
    predicted: Any = {str(name): labels[name] for name in columns.pred}
    if not columns.several:
        predicted = labels[columns.pred[0]] if columns.pred else None
    own, classifier = columns.labels, columns.classifier
    for name in OF_COLUMNS:
        if isinstance(options.get(name), (str, int)):
            options = {**options, name: column_beside(table, options[name])}
    # Rows of weight 0 may have gaps, too; others are found when they are judged.
    gaps = LabelOptions(missing).drops_missing or (
        columns.sample_weight is not None or columns.counts is not None
    )
    found: Evaluation | Evaluations = judge(
        true,
        predicted,
        X=None if columns.features is None else table.points(columns.features, gaps=gaps),
        labels=None if own is None or columns.features is None or own in columns.pred else labels[own],
        sample_weight=numbers_of(table, columns.sample_weight),
        counts=numbers_of(table, columns.counts),
        units=None if columns.units is None else column_beside(table, columns.units),
        missing=missing,
        **classifier.options(
            table.numbers,
            {name: column_beside(table, name) for name in classifier.grouping},
            true,
            gaps=gaps,
        ),
        **options,
    )
    return found


def _in_engine(
    table: FrameTable, columns: JudgedColumns, missing: Any, options: dict[str, Any]
) -> Evaluation | Evaluations:
    """Judge columns of a lazy frame from the counts and sums that its engine computes."""
    check_choice("missing", missing, MISSING)
    if options.get("kind") in OF_SETS:
        raise needs_instances(options["kind"])
    if columns.counts is not None:
        raise counts_of_rows()
    if "sampled" in options:
        raise InputError(Option("sampled"), " needs every record: collect the table first")
    if columns.sample_weight is not None and columns.features is not None:
        raise InputError(Option("sample_weight"), " with features needs the points: collect the table first")
    meaning, indices = options.pop("weights", None), options.pop("indices", "default")
    if columns.sample_weight is None:
        Weighting(None, None, meaning)  # says that weights are missing
    check_weights_suffice(meaning, options.get("confidence"), columns.units)
    request: EvaluationRequest = lazy_request(options, missing, indices, columns.features is not None)
    request.check_groups(columns.classifier.grouping or None)
    weighed = None if columns.sample_weight is None else (columns.sample_weight, meaning)
    if not columns.several:
        return _one_in_engine(table, columns, request, weighed)

    def each(asked: EvaluationRequest) -> dict[str, Evaluation]:
        own = {str(name): replace(columns, pred=(name,)) for name in columns.pred}
        return {name: _one_in_engine(table, one, asked, weighed) for name, one in own.items()}

    found = each(request)
    if len({one.settings["of"] for one in found.values()}) > 1:
        # All columns are judged as the same kind, so that their scores stand side by side.
        found = each(replace(request, kind="clustering"))
    return Evaluations(found)


def _one_in_engine(
    table: FrameTable,
    columns: JudgedColumns,
    request: EvaluationRequest,
    weighed: tuple[str, str | None] | None,
) -> Evaluation:
    pred = columns.pred[0] if columns.pred else None
    if columns.classifier.are_given:
        request, _ = with_kind(request, (), of_classifiers=True)
        check_roles(request.kind, request.roles)
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
