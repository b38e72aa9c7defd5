"""The verb `evaluate_table` judges columns of any data frame; of a lazy one, by counts and moments."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from adjudge.engines.frames.counting import FrameTable
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import Argument, InputError, Option
from adjudge.given.label_options import MISSING
from adjudge.given.options import check_choice, given_names
from adjudge.indices.record import Index
from adjudge.results import Evaluation
from adjudge.results.notice import Notice
from adjudge.unknown_names import checked_call
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.evaluate_lazily import evaluate_lazily, lazy_request
from adjudge.verbs.kinds import with_kind
from adjudge.verbs.table_classifiers import ClassifierColumns, evaluate_summed
from adjudge.verbs.table_columns import (
    backend_of_table,
    called_columns,
    column,
    needs_instances,
    rows_that_belong_together,
    weight_of_rows,
)

__all__ = [
    "evaluate_table",
]


@checked_call
@engine_failures()
def evaluate_table(
    table: Any,
    truth: str | None = None,
    pred: str | None = None,
    *,
    labels: str | None = None,
    features: Sequence[str] | None = None,
    indices: str | Index | Iterable[str | Index] = "default",
    sample_weight: str | None = None,
    weights: Literal["frequency", "importance"] | None = None,
    units: str | None = None,
    probabilities: str | Mapping[Any, str] | Sequence[str] | None = None,
    scores: str | Mapping[Any, str] | Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: str | Sequence[str] | None = None,
    missing: str = "raise",
    **options: Any,
) -> Evaluation:
    """Judge the labels in one column of a table: against those in another, from numeric columns, or both.

    From a lazy table only counts and moments come back: the engine does one GROUP BY for the labels and two for the
    points. Indices that need distances between points cannot be computed this way. Of a classifier's scores, sums and
    histograms of 50,400 bins come back: log loss, the Brier score and calibration errors by bins of equal width are
    exact; measures of ranking have a bound of their error (``score("roc_auc").error_bound``), and no intervals.

    Parameters
    ----------
    table : data frame of any library that narwhals supports, eager or lazy
    truth, pred : str, optional
        Columns with the true and the predicted labels.
    labels : str, optional
        Column with the clusters to judge from the features; default `pred`.
    features : sequence of str, optional
        Numeric columns, for internal indices.
    indices : "default", "all", a name or record, or several, default "default"
        "default" and "all" mean those that the inputs and the engine allow.
    sample_weight : str, optional
        Column with the weight of each row.
    weights : {"frequency", "importance"}, optional
        What the weights mean, as for :func:`evaluate`.
    units : str, optional
        Column with the unit that each row belongs to: a patient of visits, a document of sentences. Intervals then take
        the units as the sample. A lazy table is counted by unit as well, in the same GROUP BY.
    probabilities : str, mapping of classes to str, or sequence of str, optional
        For classifiers: one column for each class, or a column of the class that its name ends in (``p_CLASS``), or
        else of `positive`. Without `pred`, the likeliest class is the label.
    scores : the same, optional
        Instead of probabilities, columns with scores that only rank the rows.
    classes : sequence, optional
        All classes; a sequence of columns is in their order.
    positive : object, optional
        The positive class; default: 1 of 0 and 1, True of False and True, or else the second of two, with a notice.
    groups : str or sequence of str, optional
        Columns that make groups, within which a classifier is judged as well.
    missing : {"raise", "drop"}, default "raise"
    **options
        As for :func:`evaluate`.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If a column does not exist, values are missing, or the engine cannot compute an index.

    Examples
    --------
    >>> import pandas as pd
    >>> from adjudge import evaluate_table
    >>> frame = pd.DataFrame({"label": [0, 0, 1, 1], "cluster": [5, 5, 7, 9], "x": [0.0, 1.0, 4.0, 5.0]})
    >>> evaluate_table(frame, truth="label", pred="cluster", indices="rand")["rand"]
    0.8333333333333334
    >>> evaluate_table(frame, labels="label", features=["x"], indices="trace_w")["trace_w"]
    1.0
    >>> frame = pd.DataFrame({"label": ["no", "yes", "no", "yes"], "p_yes": [0.1, 0.8, 0.4, 0.3]})
    >>> judged = evaluate_table(frame, truth="label", probabilities="p_yes")
    >>> judged["roc_auc"], round(judged["brier_score"], 3)
    (0.75, 0.175)
    """
    check_choice("missing", missing, MISSING)
    opened = FrameTable.of(table)
    classifier = ClassifierColumns.of(probabilities, scores, classes, positive, groups, options.get("kind"))
    for name in classifier.named:
        opened.own([name])
    pred, labels = pred or labels, labels or pred
    if features is not None:
        features = given_names("features", features)
    named = [name for name in (truth, pred, labels, units) if name is not None]
    for name in named:
        opened.own([name])
    if features is not None and labels is None:
        raise InputError(
            Argument("labels"), " is missing: features need the column with the clusters to be judged"
        )
    if truth is not None and pred is None and classifier.forecasts is None:
        raise InputError("pred is missing: the truth needs the column with the labels to be judged")
    if options.get("kind") is None and truth is not None and opened.holds_lists(truth):
        options["kind"] = "multilabel"
    naming = called_columns({"labels_true": truth, "labels_pred": pred, "labels": labels, "units": units})
    used = [*named, *(features or ()), sample_weight, *classifier.named]
    said = rows_that_belong_together(opened, units, options.get("confidence"), used)
    if not opened.is_lazy:
        of_features = opened.own(features or [])
        with naming:
            evaluation = evaluate(
                None if truth is None else column(opened, truth),
                None if truth is None or pred is None else column(opened, pred),
                X=None if features is None else opened.given_back(opened.frame.select(*of_features)),
                labels=None if labels is None or features is None else column(opened, labels),
                indices=indices,
                sample_weight=weight_of_rows(opened, sample_weight),
                weights=weights,
                units=None if units is None else column(opened, units),
                missing=missing,
                **classifier.options(
                    opened,
                    {name: column(opened, name) for name in classifier.grouping},
                    None if truth is None else column(opened, truth),
                ),
                **options,
            )
        return _of_table(evaluation, table, said)
    if options.get("kind") == "multilabel":
        raise needs_instances("multilabel")
    if sample_weight is not None and features is not None:
        raise InputError(Option("sample_weight"), " with features needs the points: collect the table first")
    request = lazy_request(options, missing, indices, features is not None)
    weighed = None if sample_weight is None else (sample_weight, weights)
    if classifier.are_given:
        if truth is None:
            raise InputError("truth is missing: name the column with the true classes")
        request, _ = with_kind(request, (), of_classifiers=True)
        if features is not None:
            raise InputError(
                Argument("features"),
                " of a lazy table are judged in a call of their own, without options of classifiers",
            )
        with naming:
            judged = evaluate_summed(opened, truth, pred, classifier, request, weighed, units)
        return _of_table(judged, table, said)
    with naming:
        evaluation = evaluate_lazily(
            table, truth, labels, features, request, pred=pred, weighed=weighed, units=units
        )
    return _of_table(evaluation, table, said)


def _of_table(evaluation: Evaluation, table: Any, said: tuple[Notice, ...]) -> Evaluation:
    return dataclasses.replace(
        evaluation, backend=backend_of_table(table), warnings=evaluation.warnings + said
    )
