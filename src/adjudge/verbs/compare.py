"""The verb `compare` tells which model is right where another is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, permutations
from typing import TYPE_CHECKING, Any, Literal, Protocol

from adjudge.errors import Argument, InputError, InputTypeError, a_type
from adjudge.given.alignment import AlignedLabels, align_labels, check_same_order
from adjudge.given.data_frames import columns_by_name
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import check_choice
from adjudge.given.things import Prediction, Truth
from adjudge.given.units import Units
from adjudge.given.weights import Weighting
from adjudge.indices.catalog import list_indices
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.presentation.tables import backend_of
from adjudge.results import Comparison, HeadToHead
from adjudge.results.instances import Instances
from adjudge.results.label_notices import label_notices, nothing_dropped
from adjudge.results.score import Score
from adjudge.statistics.agreement import (
    UNITS,
    Agreement,
)
from adjudge.statistics.contingency import joint_table
from adjudge.unknown_names import checked_call
from adjudge.verbs.classifiers import ClassifierOptions, check_options
from adjudge.verbs.classifiers_compared import (
    ClassificationSource,
    CodedModels,
    code_models,
    compare_groups,
    with_inferred_differences,
)
from adjudge.verbs.clusterings_compared import ClusteringSource
from adjudge.verbs.compare_results import models_of_results, results_given, with_what_changed
from adjudge.verbs.drawing import Drawing, DrawnLabels, notices_of_units
from adjudge.verbs.judging import check_all_there, check_design, judged_table, selected, with_intervals
from adjudge.verbs.kinds import coded_with_kind
from adjudge.verbs.label_sets import judge_models
from adjudge.verbs.model_differences import with_differences
from adjudge.verbs.request import EvaluationRequest

if TYPE_CHECKING:
    from adjudge.inference.differences.head_to_head import PairInference

__all__ = ["compare", "head_to_heads"]


@checked_call
def compare(
    labels_true: Any,
    models: Mapping[str, Any] | Any = None,
    *,
    kind: Literal["clustering", "classification", "multilabel"] | None = None,
    indices: str | Index | Iterable[str | Index] = "default",
    counts: Any = None,
    sample_weight: Any = None,
    weights: Literal["frequency", "importance"] | None = None,
    units: Any = None,
    probabilities: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: Any = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] | None = None,
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int | None = None,
    random_state: Any = None,
) -> Comparison:
    """Compare models with each other, instance by instance or pair by pair, against the truth.

    Parameters
    ----------
    labels_true : array-like of shape (n,), or Evaluation
        The truth. Or a result of :func:`evaluate`, which is compared with a second one about the same instances.
    models : mapping of str to array-like of shape (n,), or data frame, or Evaluation, optional
        Labels by each model; the columns of a data frame are models. For classifiers, `probabilities` can replace them.
    kind : {"clustering", "classification", "multilabel"}, optional
        Clustering counts pairs of instances (is the pair joined, or separate, as in the truth?), classification counts
        instances (is the label the true one?), and "multilabel", for instances with several labels or none, counts
        pairs of an instance and a label (is the label predicted, or not, as in the truth?). Default: "classification"
        if an option of classifiers is given, or if labels are text and all have the names of the truth; "clustering" if
        the models have none of these labels; else it has to be given.
    indices : "default", "all", a name or record, or several, default "default"
        Scores of each model against the truth.
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    sample_weight : array-like of float of shape (n,), optional
        Weights of the instances.
    weights : {"frequency", "importance"}, optional
        What `sample_weight` means; required for clusterings. With "frequency" a row stands for a whole
        number of instances. With "importance" the weights are sampling weights of any scale; the matrices then hold
        the weight of the instances, or of the pairs of instances, each the product of two weights.
    units : array-like of shape (n,), optional
        What was drawn, if that is not each row for itself: rows with the same value (visits of a patient, sentences of
        a document) are alike. Intervals and tests then take the units as the sample; no value changes.
    probabilities : mapping of str to array-like of shape (n, C) or (n,), or data frame, optional
        For classifiers: each model's predicted probabilities, as for :func:`evaluate`. Without `models`, the likeliest
        class of each instance is its label.
    scores : mapping of str to array-like of shape (n, C) or (n,), or data frame, optional
        For classifiers, instead of probabilities: each model's decision values, which only rank the instances. They
        need `models` as well.
    classes : sequence, optional
        All classes, in the order of the columns of `probabilities`.
    positive : optional
        The positive class; default: 1 of 0 and 1, True of False and True, or else the second of two, with a notice.
    groups : array-like of shape (n,), mapping of names to such, or data frame, optional
        Also compare classifiers within each group of instances; several columns are crossed.
    missing : {"raise", "drop"} or mapping, default "raise"
        Whether instances with a missing label are an error or left out for all models.
    noise : {"cluster", "singletons", "drop"} or mapping, optional
        Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out
        for all models. A mapping decides for each label vector, by "labels_true" and the names of the models.
        Default: an ordinary cluster.
    noise_label : default -1
    confidence : float, optional
        Add confidence intervals of this level for measures, scores and their differences, and a test of each pair of
        models with Holm's correction; the instances are treated as a sample. For classifiers, differences of
        areas under the ROC curve, log losses and Brier scores are tested, too.
    adjust : bool, default False
        Add scores of clusterings corrected for chance (fixed cluster sizes).
    n_tables, random_state
        For scores whose null distribution is simulated; see :func:`null_distribution`.

    Returns
    -------
    Comparison
        ``comparison["p", "q"]`` has the Prayatul matrix of p against q, the five measures and the instances.
        For classifiers, ``comparison["p", "q"].differences["log_loss"]`` is a difference of scores,
        and ``comparison.by_group[value]`` is the comparison within a group.

    Raises
    ------
    InputError
        If labels cannot be used, or there is no model.

    References
    ----------
    Biswas (2022), Prayatul matrix (classification); Biswas (2023), Prayatul matrix for clustering. DeLong, DeLong &
    Clarke-Pearson (1988) for areas under ROC curves.

    Examples
    --------
    >>> from adjudge import compare
    >>> truth = ["cat", "cat", "dog", "dog"]
    >>> models = {"one": ["cat", "cat", "dog", "cat"], "two": ["cat", "dog", "cat", "dog"]}
    >>> pair = compare(truth, models, kind="classification")["one", "two"]
    >>> pair.both_right, pair.right_wrong, pair.wrong_right, pair.both_wrong
    (1, 2, 1, 0)
    >>> pair.instances("right_wrong")
    array([1, 2])
    >>> round(pair.measures["comparative_deviation"], 4)
    0.3333
    """
    if (results := results_given(labels_true, models)) is not None:
        truth, said_by, known = models_of_results(*results)
        asked: dict[str, Any] = {"indices": indices, "confidence": confidence, "groups": groups, **known}
        return with_what_changed(compare(truth, said_by, **asked), *results)
    if kind is not None:
        check_choice("kind", kind, tuple(UNITS))
    request = EvaluationRequest(
        indices=indices,
        kind=kind,
        labels=LabelOptions(missing, noise, noise_label),
        confidence=confidence,
        adjust=adjust,
        n_tables=n_tables,
        random_state=random_state,
    )
    options = ClassifierOptions(probabilities, scores, classes, positive, groups)
    check_options(options, kind)
    named = {} if models is None and options.has_forecasts else named_models(models)
    backend = backend_of(models, labels_true, *named.values())
    weighting = Weighting(counts, sample_weight, weights, units)
    beside = {**weighting.rows, **options.rows()}
    check_same_order({"labels_true": labels_true, **named, **beside})
    request, labels_true, named, said = coded_with_kind(
        request, labels_true, named, of_classifiers=bool(options.named()), must_be_known=True
    )
    if request.kind == "multilabel":
        found, source = judge_models(request, labels_true, named, options, weighting)
        found = replace(found, pairs=head_to_heads(list(found.models), "multilabel", source), backend=backend)
        records = [score.index for score in next(iter(found.judged.values())).values()]
        return with_differences(found, source.differences(records, request.confidence))
    if request.kind == "classification":
        coded, aligned = code_models(labels_true, named, options, weighting, request)
        found = _compare_classifiers(request, coded)
    else:
        found, aligned = _compare_clusterings(request, labels_true, named, weighting)
    n_given = aligned.n_given if weighting.n_given is None else weighting.n_given
    return replace(
        found,
        settings={**found.settings, **weighting.settings(), "n_given": n_given},
        warnings=said + found.warnings + nothing_dropped(aligned.n_noise, request.labels),
        backend=backend,
    )


def _compare_clusterings(
    request: EvaluationRequest, labels_true: Any, named: Mapping[str, Any], weighting: Weighting
) -> tuple[Comparison, AlignedLabels]:
    aligned = align_labels({"labels_true": labels_true, **named}, request.labels, weighting.beside)
    truth, predictions = aligned.labels[0], dict(zip(named, aligned.labels[1:], strict=True))
    weights, squares = weighting.of(aligned.rows), weighting.squares_of(aligned.rows)
    tables = {name: joint_table((truth, labels), weights, squares) for name, labels in predictions.items()}
    drawing = Drawing.of(weighting, Units.beside(aligned), weights)
    drawn = {name: DrawnLabels.of(drawing, (truth, labels)) for name, labels in predictions.items()}
    chosen = _chosen(request, [Truth, Prediction])
    rows = Instances(
        kind="clustering",
        truth=truth,
        labels=dict(predictions),
        n_given=aligned.n_given,
        kept=aligned.kept,
        weights=weights,
        units=None if drawing is None else drawing.named_units,
    )
    source = ClusteringSource(truth, predictions, rows, tables, squares, drawing)
    first = next(iter(tables.values()))
    comparison = Comparison(
        kind="clustering",
        models=tuple(named),
        n=first.n,
        judged={name: judged_table(chosen, table, request, drawn[name]) for name, table in tables.items()},
        pairs=head_to_heads(list(named), "clustering", source, request.confidence),
        settings=_settings(request, chosen),
        warnings=label_notices(
            {name: (table.col_labels, table.col_sums) for name, table in tables.items()}
            | {"labels_true": (first.row_labels, first.row_sums)},
            request.labels,
            "clustering",
        )
        + notices_of_units(drawing, request.confidence),
        units=None if drawing is None else drawing.units_drawn,
        _instances=rows,
    )
    return with_differences(comparison, source.differences(chosen, request.confidence)), aligned


def _compare_classifiers(request: EvaluationRequest, coded: CodedModels) -> Comparison:
    chosen = _chosen(request, coded.at_hand)

    check_design(coded.weights, request, coded.drawing is not None)

    def compared(part: CodedModels) -> Comparison:
        names, source = list(part.models), ClassificationSource(part)
        comparison = Comparison(
            kind="classification",
            models=tuple(names),
            n=part.n,
            judged=part.judged(chosen, request.confidence),
            pairs=head_to_heads(names, "classification", source, request.confidence),
            settings=_settings(request, chosen),
            units=None if part.drawing is None else part.drawing.units_drawn,
            _patterns=source.patterns,
            _instances=source.rows,
        )
        return with_inferred_differences(comparison, part, source, request.confidence)

    whole = compared(coded)
    called = {name: name if len(coded.models) > 1 else "" for name in coded.models}
    notices = (own.notices(whole.judged[name], called[name]) for name, own in coded.models.items())
    said = tuple(dict.fromkeys(chain.from_iterable(notices)))
    whole = replace(whole, warnings=said + notices_of_units(coded.drawing, request.confidence))
    return whole if coded.groups is None else compare_groups(whole, coded, compared)


def _settings(request: EvaluationRequest, chosen: Sequence[Index]) -> dict[str, Any]:
    return {
        "of": request.kind,
        "scores": [record.name for record in chosen],
        **request.labels.settings(),
        "confidence": request.confidence,
        "adjust": request.adjust,
    }


def named_models(models: Any, argument: str = "models") -> dict[str, Any]:
    """Return labels by the names of their models; messages call them all by the name of the argument."""
    if isinstance(models, Mapping):
        named = {str(name): labels for name, labels in models.items()}
        if len(named) < len(models):
            raise InputError("two models have the same name")
    else:
        columns = columns_by_name(models, argument)
        if columns is None:
            raise InputTypeError(
                Argument(argument),
                f" is {a_type(models)}: give a mapping of names to labels, or a data frame",
            )
        named = columns
    if not named:
        raise InputError(Argument(argument), " is empty: at least one model is needed")
    if "labels_true" in named:
        raise InputError("no model may be called 'labels_true'")
    return named


def _chosen(request: EvaluationRequest, at_hand: Sequence[type]) -> list[Index]:
    """Return the requested scores, all of which can be computed from the inputs."""
    wanted: Kind = "external" if request.kind == "clustering" else "classification"
    by_keyword, by_name = selected(request.indices, (wanted,), at_hand)
    for record in by_name:
        if record.kind != wanted:
            raise InputError(
                f"{record.name} is of kind {record.kind!r}: scores of a {request.kind} are {wanted} indices"
            )
    check_all_there(by_name, at_hand, None)
    return list(dict.fromkeys([*by_keyword, *by_name]))


class _PairSource(Protocol):
    """Where the numbers of a pair of models come from."""

    def agreement(self, p: str, q: str) -> Agreement: ...

    def inference(
        self, agreements: Mapping[tuple[str, str], Agreement], confidence: float
    ) -> dict[tuple[str, str], PairInference]: ...

    def wrong_alike(self, p: str, q: str) -> float | None: ...

    @property
    def instances(self) -> Callable[[str, str, str], Any] | None: ...


def head_to_heads(
    models: list[str], kind: str, source: _PairSource, confidence: float | None = None
) -> dict[tuple[str, str], HeadToHead]:
    """Compare all ordered pairs of models."""
    agreements = {(p, q): source.agreement(p, q) for p, q in permutations(models, 2)}
    inference = {} if confidence is None else source.inference(agreements, confidence)
    records = list_indices("comparative")
    found = {}
    for (p, q), agreement in agreements.items():
        measured = {record.name: Score.of(record, agreement) for record in records}
        test: dict[str, Any] = {}
        if (inferred := inference.get((p, q))) is not None:
            measured = with_intervals(measured, inferred.intervals)
            test = inferred.tested
        same = source.wrong_alike(p, q)
        found[p, q] = HeadToHead(
            p, q, kind, agreement, measured, test, _instances=source.instances, both_wrong_same=same
        )
    return found
