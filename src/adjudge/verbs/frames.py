"""The verbs on tables: `compare_table` and `evaluate_table`, on any data frame, lazily."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from adjudge.deprecation import former_options
from adjudge.engines.frames.counting import FrameTable, count_cells, joined_pairs, kept_rows, rows_where_right
from adjudge.engines.frames.failures import engine_failures
from adjudge.engines.frames.forecasts import with_likeliest_labels
from adjudge.engines.frames.moments import FRAME_STATISTICS
from adjudge.engines.sources import FramePoints
from adjudge.errors import Argument, InputError, Option, TooManyCombinationsError
from adjudge.given.label_options import MISSING, LabelOptions
from adjudge.given.labels import Column
from adjudge.given.options import check_choice, given_names
from adjudge.given.point_options import PointOptions
from adjudge.given.weights import Weighting
from adjudge.indices.catalog import names_no_indices, select_indices
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index, InternalIndex
from adjudge.presentation.tables import backend_of
from adjudge.results import Comparison, Evaluation
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.contingency import reduce_labels, weighed_labels
from adjudge.statistics.pair_counts import PairCounts
from adjudge.verbs.compare import agreement_of_pairs, compare, head_to_heads
from adjudge.verbs.evaluate import check_options, evaluate, evaluate_given
from adjudge.verbs.request import EvaluationRequest
from adjudge.verbs.table_classifiers import (
    ClassifierColumns,
    columns_of_groups,
    evaluate_summed,
    needs_all_scores,
)
from adjudge.verbs.table_models import ModelForecasts, SplitIndices, with_scores_of_sums

__all__ = ["compare_apart", "compare_table", "evaluate_lazily", "evaluate_table", "moments_suffice"]

# The form in which a lazy table's rows are returned, by the package that the table is from.
_COLLECTED = {
    "dask": "pandas",
    "dask_expr": "pandas",
    "pyspark": "pandas",
    "sqlframe": "pandas",
    "duckdb": "pyarrow",
    "_duckdb": "pyarrow",
    "ibis": "pyarrow",
}


@former_options(scores="indices", unless=names_no_indices)
@engine_failures()
def compare_table(
    table: Any,
    truth: str,
    models: Sequence[str] | None = None,
    *,
    kind: Literal["clustering", "classification"],
    sample_weight: str | None = None,
    probabilities: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: str | Sequence[str] | None = None,
    missing: str = "raise",
    **options: Any,
) -> Comparison:
    """Compare models whose labels are columns of a table.

    The table's engine counts the combinations of labels in one GROUP BY; no labels are collected from a
    lazy frame.

    Parameters
    ----------
    table : data frame of any library that narwhals supports, eager or lazy
        pandas, Polars, PyArrow, DuckDB, PySpark, Dask, Ibis ...
    truth : str
        Column with the true labels.
    models : sequence of str, optional
        Columns with the models' labels; default: all others.
    kind, **options
        As for :func:`compare`.
    sample_weight : str, optional
        Column with the weight of each row; `weights` says what they mean.
    probabilities : mapping of str to (str, mapping of classes to str, or sequence of str), optional
        For classifiers: the columns with each model's probabilities, as for :func:`evaluate_table`. Without `models`,
        the likeliest classes are the labels. From a lazy table, differences have values with bounds, and no tests.
    scores : the same, optional
        Instead of probabilities, columns with decision values; they need `models`.
    classes : sequence, optional
        All classes; a sequence of columns is in their order.
    positive : object, optional
        The positive class; default: the second of two.
    groups : str or sequence of str, optional
        Columns that make groups: classifiers are compared within each as well, from the same GROUP BY.
    missing : {"raise", "drop"}, default "raise"

    Returns
    -------
    Comparison
        ``comparison["p", "q"].instances(cell)`` are positions or pair counts for an eager table, as from
        :func:`compare`. For a lazy one it is a lazy frame of the same engine: the rows of the cell
        (classification), or all rows that were compared, with a column ``pairs`` (clustering).

    Raises
    ------
    InputError
        If a column does not exist, or labels are missing or cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> from adjudge import compare_table
    >>> frame = pd.DataFrame({"label": [0, 0, 1], "a": [0, 0, 1], "b": [0, 1, 1]})
    >>> compare_table(frame, truth="label", kind="classification")["a", "b"].right_wrong
    1
    """
    check_choice("missing", missing, MISSING)
    opened = FrameTable.of(table)
    grouping = columns_of_groups(groups)
    opened.own([truth, *grouping])
    named = None if models is None else given_names("models", models)
    forecasts = ModelForecasts.of(probabilities, scores, classes, named, kind)
    for name in forecasts.named:
        opened.own([name])
    chosen = named
    if chosen is None and not forecasts.columns:
        chosen = [name for name in opened.names if name not in (truth, sample_weight, *grouping)]
    if chosen is not None and not chosen:
        raise InputError("models is empty: at least one column with a model's labels is needed")
    opened.own([truth, *(chosen or ())])
    options |= {
        name: value for name, value in (("classes", classes), ("positive", positive)) if value is not None
    }
    if not opened.is_lazy:
        columns = {name: _column(opened.frame, name) for name in [truth, *(chosen or ())]}
        comparison = compare(
            columns[truth],
            None if chosen is None else {m: columns[m] for m in chosen},
            kind=kind,
            sample_weight=_weight_of_rows(opened, sample_weight),
            groups={name: _column(opened.frame, name) for name in grouping} or None,
            missing=missing,
            **forecasts.options(opened.frame),
            **options,
        )
        return dataclasses.replace(comparison, backend=_backend(table))
    treatment = LabelOptions(missing, options.get("noise", "cluster"), options.get("noise_label", -1))
    treatment.check_kind(kind)
    if treatment.noise == "singletons":
        raise InputError(
            Option("noise", "singletons"),
            " needs the instances, but the engine returns only counts: collect the table first",
        )
    if chosen is None:
        chosen = list(forecasts.columns)
        opened = with_likeliest_labels(opened, truth, forecasts.columns, missing)
    asked = None
    if forecasts.columns:
        if sample_weight is not None:
            raise needs_all_scores("sample_weight", forecasts.option)
        asked = SplitIndices.of(options.get("indices", "default"))
        options["indices"] = asked.of_labels
    comparison = _compare_counted(opened, truth, chosen, kind, missing, sample_weight, options, grouping)
    kept = kept_rows(opened, [truth, *chosen, *grouping], treatment)
    if asked is not None:
        given = {"positive": positive, "grouping": grouping, "confidence": options.get("confidence")}
        comparison = with_scores_of_sums(comparison, kept, truth, forecasts, asked, given)
    instances: Callable[..., Any] = partial(
        rows_where_right if kind == "classification" else joined_pairs, kept, truth
    )
    if kind == "clustering" and sample_weight is not None:
        instances = _no_weighted_pairs
    pairs = {
        names: dataclasses.replace(pair, _instances=instances) for names, pair in comparison.pairs.items()
    }
    settings = {**comparison.settings, "missing": missing}
    by_group = {group: _without_instances(own) for group, own in comparison.by_group.items()}
    return dataclasses.replace(
        comparison, pairs=pairs, settings=settings, by_group=by_group, backend=_backend(table)
    )


def _without_instances(comparison: Comparison) -> Comparison:
    """Forget the positions: they are those of counted combinations, and not of rows."""
    pairs = {names: dataclasses.replace(pair, _instances=None) for names, pair in comparison.pairs.items()}
    return dataclasses.replace(comparison, pairs=pairs)


def _no_weighted_pairs(*_: Any) -> NoReturn:
    raise InputError(
        "weights of the pairs of each row are not computed in the engine: collect the table first"
    )


def _compare_counted(
    table: FrameTable,
    truth: str,
    models: list[str],
    kind: Any,
    missing: str,
    weight: str | None,
    options: dict[str, Any],
    grouping: Sequence[str] = (),
) -> Comparison:
    """Compare models whose combinations of labels the engine counts, all at once if that is possible."""
    try:
        cells = count_cells(table, [truth, *models, *grouping], missing=missing, weight=weight)
    except TooManyCombinationsError:
        noise, confidence = options.get("noise", "cluster"), options.get("confidence")
        if kind != "clustering" or noise != "cluster" or confidence is not None or weight is not None:
            raise
    else:
        labels = cells.labels
        groups = {name: labels[name] for name in grouping} or None
        given = {**cells.weighing, **options}
        return compare(labels[truth], {m: labels[m] for m in models}, kind=kind, groups=groups, **given)
    if missing == "drop":  # an instance that is left out for one model is left out for all
        table = kept_rows(table, [truth, *models], LabelOptions(missing))

    def counted(one: str, other: str) -> LabelVectors:
        cells = count_cells(table, [one, other], missing=missing)
        return cells.labels[one], cells.labels[other], cells.counts

    return compare_apart(
        {model: counted(truth, model) for model in models},
        {(p, q): counted(p, q) for p, q in combinations(models, 2)},
        **options,
    )


#: Labels of two vectors, and how many rows have each combination of the two.
LabelVectors = tuple[Any, Any, NDArray[np.int64]]


def compare_apart(
    of_truth: Mapping[str, LabelVectors], between: Mapping[tuple[str, str], LabelVectors], **options: Any
) -> Comparison:
    """Compare clusterings from counts of two columns at a time: no table is larger than that of two clusterings.

    Parameters
    ----------
    of_truth : mapping of str to (labels, labels, counts)
        The truth and each model.
    between : mapping of (str, str) to (labels, labels, counts)
        Each pair of models, in one order.
    **options
        As for :func:`compare`; intervals need all columns at once.
    """
    alone = [
        compare(truth, {model: labels}, kind="clustering", counts=counts, **options)
        for model, (truth, labels, counts) in of_truth.items()
    ]
    first, models = alone[0], list(of_truth)
    source = _TwoAtATime(
        {model: reduce_labels(*v[:2], counts=v[2]).pairs for model, v in of_truth.items()},
        {pair: reduce_labels(*v[:2], counts=v[2]).pairs for pair, v in between.items()},
    )
    return dataclasses.replace(
        first,
        models=tuple(models),
        judged={m: one.judged[m] for m, one in zip(models, alone, strict=True)},
        pairs=head_to_heads(models, "clustering", source),
    )


@dataclasses.dataclass(frozen=True)
class _TwoAtATime:
    """Pairs of instances by what the truth and a model join, and by what each pair of models joins."""

    with_truth: Mapping[str, PairCounts]
    between: Mapping[tuple[str, str], PairCounts]
    instances: None = None

    def agreement(self, p: str, q: str) -> Agreement:
        return agreement_of_pairs(self.with_truth, self.between, p, q)

    def wrong_alike(self, p: str, q: str) -> None:
        return None

    def inference(self, agreements: Mapping[tuple[str, str], Agreement], confidence: float) -> NoReturn:
        raise InputError(Option("confidence"), " needs the combinations of all labels")


@former_options(sample="sample_size", n_threads="n_jobs")
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
    probabilities : str, mapping of classes to str, or sequence of str, optional
        For classifiers: the column with the probability of the second of two classes, or one for each class.
        Without `pred`, the likeliest class is the label.
    scores : the same, optional
        Instead of probabilities, columns with scores that only rank the rows.
    classes : sequence, optional
        All classes; a sequence of columns is in their order.
    positive : object, optional
        The positive class; default: the second of two.
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
    >>> frame = pd.DataFrame({"label": ["no", "yes", "no", "yes"], "p": [0.1, 0.8, 0.4, 0.3]})
    >>> judged = evaluate_table(frame, truth="label", probabilities="p", kind="classification")
    >>> judged["roc_auc"], round(judged["brier_score"], 3)
    (0.75, 0.175)
    """
    check_choice("missing", missing, MISSING)
    opened = FrameTable.of(table)
    classifier = ClassifierColumns.of(
        probabilities, scores, classes, positive, groups, options.get("kind", "clustering")
    )
    for name in classifier.named:
        opened.own([name])
    pred, labels = pred or labels, labels or pred
    if features is not None:
        features = given_names("features", features)
    named = [name for name in (truth, pred, labels) if name is not None]
    for name in named:
        opened.own([name])
    if features is not None and labels is None:
        raise InputError(
            Argument("labels"), " is missing: features need the column with the clusters to be judged"
        )
    if truth is not None and pred is None and classifier.forecasts is None:
        raise InputError("pred is missing: the truth needs the column with the labels to be judged")
    if not opened.is_lazy:
        opened.own(features or [])
        frame = opened.frame
        evaluation = evaluate(
            None if truth is None else _column(frame, truth),
            None if truth is None or pred is None else _column(frame, pred),
            X=None if features is None else frame.select(*features).to_native(),
            labels=None if labels is None or features is None else _column(frame, labels),
            indices=indices,
            sample_weight=_weight_of_rows(opened, sample_weight),
            weights=weights,
            missing=missing,
            **classifier.options(frame, {name: _column(frame, name) for name in classifier.grouping}),
            **options,
        )
        return dataclasses.replace(evaluation, backend=_backend(table))
    if sample_weight is not None and features is not None:
        raise InputError(Option("sample_weight"), " with features needs the points: collect the table first")
    request = _lazy_request(options, missing, indices, features is not None)
    weighed = None if sample_weight is None else (sample_weight, weights)
    if classifier.are_given:
        if truth is None:
            raise InputError("truth is missing: name the column with the true classes")
        if features is not None:
            raise InputError(
                Argument("features"),
                " of a lazy table are judged in a call of their own, without options of classifiers",
            )
        judged = evaluate_summed(opened, truth, pred, classifier, request, weighed)
        return dataclasses.replace(judged, backend=_backend(table))
    evaluation = evaluate_lazily(table, truth, labels, features, request, pred=pred, weighed=weighed)
    return dataclasses.replace(evaluation, backend=_backend(table))


@engine_failures()
def evaluate_lazily(
    table: Any,
    truth: str | None,
    labels: str | None,
    features: Sequence[str] | None,
    request: EvaluationRequest,
    *,
    pred: str | None = None,
    weighed: tuple[str, str | None] | None = None,
) -> Evaluation:
    """Judge columns of a lazy table by the counts and moments that its engine returns.

    Parameters
    ----------
    table : data frame or relation
    truth, labels : str, optional
    features : sequence of str, optional
    request : EvaluationRequest
        Must not need the instances.
    pred : str, optional
        Default: `labels`.
    weighed : (str, str or None), optional
        Column with the weights of the rows, and what they mean.
    """
    opened, pred, missing = FrameTable.of(table), pred or labels, request.labels.missing_of("labels_true")
    if truth is None and request.adjust:
        raise InputError(Option("adjust"), " corrects indices that compare with the truth: truth is missing")
    if truth is None and features is None:
        raise InputError("nothing to judge: give truth and pred, or labels and features, or all of them")
    counted = None
    if truth is not None:
        assert pred is not None
        weight, meaning = weighed or (None, None)
        cells = count_cells(opened, [truth, pred], missing=missing, weight=weight)
        weighting = Weighting(**cells.weighing, weights=meaning)
        vectors = cells.labels[truth], cells.labels[pred]
        counted = weighed_labels(*vectors, weighting, request.kind, request.labels)
    source = None
    if features is not None:
        assert labels is not None
        source = FramePoints(opened, labels, features, request.labels)
    called = {
        "labels_true": f"column {truth!r}",
        "labels_pred": f"column {pred!r}",
        "labels": f"column {labels!r}",
    }
    return evaluate_given(request, counted, source, called=called)


def _lazy_request(
    options: dict[str, Any], missing: str, indices: Any, has_features: bool
) -> EvaluationRequest:
    """Check a request to a lazy table: it must not need the instances."""
    check_options(options)
    given = dict(options)
    treatment = LabelOptions(missing, given.pop("noise", "cluster"), given.pop("noise_label", -1))
    if treatment.noise == "singletons":
        raise InputError(
            Option("noise", "singletons"),
            " needs the instances, but the engine returns only counts: collect the table first",
        )
    points = {name: given.pop(name) for name in PointOptions.names() if name in given}
    for name, value in (*points.items(), *((name, given.get(name)) for name in _NEED_POINTS)):
        if has_features and value not in (None, False, "euclidean"):
            raise InputError(Option(name), " with features needs the points: collect the table first")
    return EvaluationRequest(indices=indices, labels=treatment, **given)


_NEED_POINTS = ("sample_size", "compat", "confidence")


def moments_suffice(indices: Any, has_truth: bool) -> bool:
    """Whether an engine's moments (and counts, with a truth) give all these indices of points."""
    kinds: tuple[Kind, ...] = ("external", "internal") if has_truth else ("internal",)
    return all(
        FRAME_STATISTICS.issuperset(record.requires)
        for record in select_indices(indices, kinds)
        if isinstance(record, InternalIndex)
    )


def _weight_of_rows(table: FrameTable, name: str | None) -> Any:
    """Read the column of weights of an eager table."""
    return None if name is None else table.frame[table.own([name])[0]].to_numpy()


def _column(frame: Any, name: str) -> Column:
    return Column(f"column {name!r}", frame[name].to_native())


def _backend(table: Any) -> str | None:
    return backend_of(table) or _COLLECTED.get(type(table).__module__.partition(".")[0])
