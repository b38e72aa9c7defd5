"""How `evaluate` judges several partitions or classifiers separately in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import Argument, Call, InputError, Option, in_words
from adjudge.given.alignment import check_same_order
from adjudge.given.data_frames import n_columns, named_models
from adjudge.given.labels import Column
from adjudge.given.option_groups import Classifier
from adjudge.given.weights import Weighting
from adjudge.kinds.classifier_options import ClassifierOptions, check_options
from adjudge.kinds.request import EvaluationRequest
from adjudge.presentation.tables import backend_of
from adjudge.results.evaluations import Evaluations
from adjudge.results.notice import Notice
from adjudge.verbs.evaluate_arrays import evaluate_arrays
from adjudge.verbs.kind_of_labels import with_kind

__all__ = ["are_several", "evaluate_each"]


_OF_DIFFERENT_INSTANCES = Notice(
    "different-instances",
    "the labels are judged on different instances, because each leaves out its own",
    (Call("compare"), " leaves out the same instances for all"),
)


def are_several(labels_pred: Any, labels: Any, kind: str | None) -> bool:
    """Whether several label vectors are given, by name or as the columns of a data frame."""
    if isinstance(labels_pred, Mapping) or isinstance(labels, Mapping):
        return True
    if type(labels_pred) is np.ndarray:
        return False
    return kind != "multilabel" and n_columns(labels_pred) > 1


def evaluate_each(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    X: Any,
    labels: Any,
    weighting: Weighting,
    classifier: ClassifierOptions,
) -> Evaluations:
    """Judge each of several label vectors; the arguments are those of :func:`adjudge.evaluate`.

    A shared truth is read once. All are judged as the same kind, so that their scores are comparable.

    Parameters
    ----------
    request : EvaluationRequest
    labels_true : array-like or mapping of str to array-like
        One truth for all, or one for each name in `labels_pred`; lengths may then differ.
    labels_pred, labels : mapping of str to array-like or Classifier
        Labels to judge; `labels` are judged from the points alone.
    X : array-like or None
    weighting : Weighting
    classifier : ClassifierOptions
        Shared options.
    """
    argument = "labels" if isinstance(labels, Mapping) else "labels_pred"
    other = "labels_pred" if argument == "labels" else "labels"
    if (labels_pred if argument == "labels" else labels) is not None:
        raise InputError(Argument(argument), " holds several label vectors: leave out ", Argument(other))
    if classifier.has_forecasts:
        option = "scores" if classifier.probabilities is None else "probabilities"
        raise InputError(Option(option), " are of one classifier: give each a Classifier, with its own")
    if X is None and argument == "labels":
        raise InputError(Argument("labels"), " are judged from points: ", Argument("X"), " is missing")
    predictions = named_models(labels_pred if argument == "labels_pred" else labels, argument)
    truths = _truth_of_each(labels_true, predictions)
    # Label sets are encoded together with the truth.
    read = _as_given if request.kind == "multilabel" else Column.of
    shared = (
        None if labels_true is None or isinstance(labels_true, Mapping) else read(labels_true, "labels_true")
    )
    given, options = {}, {}
    for name, own in predictions.items():
        said, options[name] = _of_classifier(own, classifier, name)
        check_options(options[name], request.kind)
        if said is None and X is not None:
            raise InputError(f"{name} has no labels, which points need: give them as well")
        check_same_order({"labels_true": truths[name], name: said})
        truth = (
            truths[name] if truths[name] is None or shared is not None else read(truths[name], "labels_true")
        )
        given[name] = truth if shared is None else shared, None if said is None else read(said, name)
    request, notices = _with_one_kind(request, given, options)
    judged = {}
    for name, (truth, own) in given.items():
        found = evaluate_arrays(request, truth, own, X, None, weighting, options[name])
        judged[name] = replace(found, warnings=notices + found.warnings)
    if len({one.n for one in judged.values()}) > 1 and not isinstance(labels_true, Mapping):
        judged = {
            name: replace(one, warnings=(*one.warnings, _OF_DIFFERENT_INSTANCES))
            for name, one in judged.items()
        }
    return Evaluations(judged, backend_of(labels_true, *truths.values(), *predictions.values()))


def _as_given(labels: Any, name: str) -> Any:
    return labels


def _of_classifier(given: Any, shared: ClassifierOptions, name: str) -> tuple[Any, ClassifierOptions]:
    """Return the labels and the options of one entry."""
    if not isinstance(given, Classifier):
        return given, shared
    own = given.given()
    if not own.keys() & {"labels", "probabilities", "scores"}:
        raise InputError(f"{name} is a Classifier without labels, probabilities or scores: give some of them")
    if twice := next((option for option in own if option in shared.named()), None):
        raise InputError(Option(twice), " was given twice: in Classifier, and as a keyword")
    return own.pop("labels", None), replace(shared, **own)


def _with_one_kind(
    request: EvaluationRequest, given: Mapping[str, tuple[Any, Any]], options: Mapping[str, ClassifierOptions]
) -> tuple[EvaluationRequest, tuple[Any, ...]]:
    """Decide the one kind that all are judged as."""
    if request.kind is not None:
        return request, ()
    if any(own.named() for own in options.values()):
        return with_kind(request, (), of_classifiers=True)
    compared = (pair for pair in given.values() if pair[0] is not None)
    names = [[one.values.occurring(numbers_as_well=False) for one in pair] for pair in compared]
    return with_kind(request, [(true, [own]) for true, own in names])


def _truth_of_each(labels_true: Any, predictions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the truth of each entry."""
    if not isinstance(labels_true, Mapping):
        return dict.fromkeys(predictions, labels_true)
    truths = {str(name): labels for name, labels in labels_true.items()}
    for one, other, names in (
        ("labels_pred", "labels_true", predictions.keys() - truths.keys()),
        ("labels_true", "labels_pred", truths.keys() - predictions.keys()),
    ):
        if names:
            raise InputError(
                Argument(one),
                f" has {in_words(min(names))}, but ",
                Argument(other),
                " has no labels of that name",
            )
    return truths
