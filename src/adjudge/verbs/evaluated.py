"""What `evaluate` says: what was given becomes cases of a kind, which are scored; several models or truths in turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import Argument, Call, InputError, Option, in_words
from adjudge.given.alignment import check_same_order
from adjudge.given.data_frames import n_columns, named_models
from adjudge.given.labels import Column, Labels
from adjudge.given.option_groups import Classifier
from adjudge.indices.internal_record import InternalIndex
from adjudge.kinds.case import Case
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.registry import KINDS, kind_at_sight, read_cases
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.which_kind import coded_with_kind, with_kind
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.label_notices import ROWS_LEFT_OUT
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.tables.treatment import treatment_of
from adjudge.verbs.judged import judged

__all__ = ["evaluated", "evaluated_alike", "evaluated_given", "left_out_of", "of_the_same"]

_OF_DIFFERENT_INSTANCES = Notice(
    "different-instances",
    "the labels are judged on different instances, because each leaves out its own",
    (Call("compare"), " leaves out the same instances for all"),
)


def evaluated(request: EvaluationRequest, given: Given, kind: type[Case] | None) -> Evaluation:
    """Judge one model.

    Parameters
    ----------
    request : EvaluationRequest
    given : Given
    kind : type of Case or None
        What was given, if that is seen without a look at the labels (:func:`~adjudge.kinds.registry.kind_at_sight`).
    """
    if kind is None and isinstance(given.truth, Mapping):
        return _against_the_best(request, given)
    check_same_order(given.rows)
    backend = backend_of(given.truth, given.pred, given.labels, given.X)
    said: tuple[Notice, ...] = ()
    roles = given.roles
    if kind is None:
        request, given, said = coded_with_kind(request, given)
        kind = KINDS[str(request.kind)]
        request.labels.check_names(("labels_true", MODEL, "labels"))
        if given.X is not None and given.pred is not None and kind.may_have_points:
            # Coded once, for the points as well.
            given = replace(given, models={MODEL: Column.of(given.pred, MODEL)})
    kind.check([*roles, *request.roles])
    cases = read_cases(kind, request, given)
    of_points = given.pred if given.labels is None else given.labels
    vectors = {"labels_true": given.truth, MODEL: given.pred, "labels": of_points}
    called = {name: own.name for name, own in vectors.items() if isinstance(own, Column)}
    found: Evaluation = judged(cases, request, backend=backend, called=called)
    if not cases[0].names_are_arbitrary:
        return replace(found, warnings=said + found.warnings) if said else found
    for case in cases:
        said += case.left_out(request)
    return replace(found, warnings=found.warnings + said) if said else found


def _against_the_best(request: EvaluationRequest, given: Given) -> Evaluation:
    """Judge a partition against several truths: each index has the best score, and says against which truth.

    The first one is best in ties. Indices that read no truth are computed once.
    """
    if not given.truth:
        raise InputError(Argument("labels_true"), " is empty: give at least one truth")
    request, given, said = coded_with_kind(request, given)
    (first, truth), *others = ((str(name), own) for name, own in given.truth.items())
    whole = evaluated(request, replace(given, truth=truth), None)
    records = [score.index for score in whole.scores.values()]
    found = {first: whole.scores}
    if of_truth := [record for record in records if not isinstance(record, InternalIndex)]:
        asked, rest = replace(request, indices=of_truth), replace(given, X=None)
        found |= {name: evaluated(asked, replace(rest, truth=own), None).scores for name, own in others}
    scores = {
        index.name: _best({name: own[index.name] for name, own in found.items() if index.name in own})
        for index in records
    }
    settings = {**whole.settings, "truths": [str(name) for name in given.truth]}
    return replace(whole, scores=scores, settings=settings, warnings=said + whole.warnings)


def _best(scores: Mapping[str, Score]) -> Score:
    """Choose the best of an index's scores; an index that does not use a truth has only one."""
    index = next(iter(scores.values())).index
    if isinstance(index, InternalIndex):
        return next(iter(scores.values()))
    defined = {name: score for name, score in scores.items() if not math.isnan(score.value)} or dict(scores)
    sign = -1 if index.better == "lower" else 1
    name = max(defined, key=lambda truth: sign * defined[truth].value if len(defined) > 1 else 0.0)
    return replace(defined[name], truth=name)


def evaluated_given(
    request: EvaluationRequest, given: Given, of_points: Sequence[str]
) -> Evaluation | Evaluations:
    """Judge what was given of one model or several; `of_points` names the options for points that were given."""
    decided = kind_at_sight(request, given)
    if decided is None:
        _check_given(given, request, of_points)
    judge = evaluated_each if _are_several(request, given, decided) else evaluated
    return judge(request, given, decided)


def _check_given(given: Given, request: EvaluationRequest, of_points: Sequence[str]) -> None:
    """Raise if an argument is missing; `of_points` names the options for points that were given."""
    labels_true, labels_pred, X, labels = given.vectors.values()
    if request.kind is not None and request.kind in KINDS and KINDS[request.kind].judges_alone:
        return
    if labels_true is None and X is None:
        raise InputError(
            "nothing to judge: give ",
            Argument("labels_true"),
            " and ",
            Argument("labels_pred"),
            ", or ",
            Argument("X"),
            " and ",
            Argument("labels"),
            ", or all of them",
        )
    if X is None and labels is not None and labels_pred is not None:
        raise InputError(Argument("labels"), " are judged from points: ", Argument("X"), " is missing")
    if X is None and labels is not None:
        raise InputError(
            Argument("labels"),
            " are judged from points: pass these as ",
            Option("X"),
            ", or labels beside a truth as ",
            Option("labels_pred"),
        )
    if X is not None and labels is None and labels_pred is None:
        raise InputError(Argument("labels"), " are missing: give the labels of the points")
    if X is None and of_points:
        raise InputError(Option(of_points[0]), " is an option for points: ", Argument("X"), " is missing")
    if labels_true is not None:
        return
    missing = Argument("labels_true"), " is missing"
    if request.adjust:
        raise InputError(Option("adjust"), " corrects indices that compare with the truth: ", *missing)
    if named := given.options.named():
        raise InputError(Option(named[0]), " is an option for classifiers: ", *missing)


def _are_several(request: EvaluationRequest, given: Given, kind: type[Case] | None) -> bool:
    """Whether several label vectors are to be judged, by name or as the columns of a data frame."""
    by_name = isinstance(given.pred, Mapping) or isinstance(given.labels, Mapping)
    if kind is not None:
        return kind.may_be_by_name and (by_name or isinstance(given.truth, Mapping))
    if by_name or type(given.pred) is np.ndarray:
        return by_name
    return n_columns(given.pred) > 1 and not _fill_columns(request)


def evaluated_each(request: EvaluationRequest, given: Given, kind: type[Case] | None) -> Evaluations:
    """Judge each of several label vectors, all as the same kind, so that their scores are comparable.

    Parameters
    ----------
    request : EvaluationRequest
    given : Given
        Its labels are several by name, perhaps each an :class:`adjudge.Classifier`. The truth is one for all, or one
        for each name; lengths may then differ.
    kind : type of Case or None
        See :func:`evaluated`.
    """
    if kind is not None:
        return _each_of_kind(kind, request, given)
    argument = "labels" if isinstance(given.labels, Mapping) else MODEL
    other = MODEL if argument == "labels" else "labels"
    if given.vectors[other] is not None:
        raise InputError(Argument(argument), " holds several label vectors: leave out ", Argument(other))
    if given.options.has_forecasts:
        option = "scores" if given.options.probabilities is None else "probabilities"
        raise InputError(Option(option), " are of one classifier: give each a Classifier, with its own")
    predictions = named_models(given.vectors[argument], argument)
    truths = _truth_of_each(given.truth, predictions)
    apart = not _fill_columns(request)
    coded = {id(own): own for own in truths.values()}  # a shared truth is coded once
    if apart:
        coded = {key: own if own is None else Column.of(own, "labels_true") for key, own in coded.items()}
    treatments = dict.fromkeys(predictions, given.treatment)
    if given.treatment.are_by_vector:
        treatments = treatment_of(given.treatment, "labels_true", {name: name for name in predictions})
    each = {}
    for name, said in predictions.items():
        said, options = _of_classifier(said, given.options, name)
        if request.kind is not None:
            KINDS[request.kind].check(options.named())
        if said is None and given.X is not None:
            raise InputError(f"{name} has no labels, which points need: give them as well")
        own = replace(given, truth=truths[name], labels=None, options=options)
        check_same_order(replace(own, models={MODEL: Column(name, said)}).rows)
        said = Column.of(said, name) if apart and said is not None else said
        each[name] = replace(
            own, truth=coded[id(truths[name])], models={MODEL: said}, treatment=treatments[name]
        )
    found = evaluated_alike(request, each)
    if not isinstance(given.truth, Mapping):
        found = of_the_same(found)
    return Evaluations(found, backend_of(given.truth, *truths.values(), *predictions.values()))


def of_the_same(
    found: dict[str, Evaluation], notice: Notice = _OF_DIFFERENT_INSTANCES
) -> dict[str, Evaluation]:
    """Say of evaluations of the same instances if some left out others, and which left out how many."""
    if len({one.n for one in found.values()}) <= 1:
        return found
    return {
        name: replace(one, warnings=(*left_out_of(name, one.warnings), notice)) for name, one in found.items()
    }


def left_out_of(name: str, notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Say of which labels rows are left out."""
    return tuple(
        replace(own, message=f"of {name!r}, {own.message}") if own.code == ROWS_LEFT_OUT else own
        for own in notices
    )


def evaluated_alike(request: EvaluationRequest, each: Mapping[str, Given]) -> dict[str, Evaluation]:
    """Judge several models, all as the same kind, so that their scores are comparable.

    Parameters
    ----------
    request : EvaluationRequest
    each : mapping of str to Given
        Each with its own treatment of missing labels and noise.
    """
    kind = kind_at_sight(request, next(iter(each.values())))
    notices: tuple[Notice, ...] = ()
    if kind is None:
        request, notices = _with_one_kind(request, each)
    found = {}
    for name, own in each.items():
        asked = request if own.treatment is request.labels else replace(request, labels=own.treatment)
        one = evaluated(asked, own, kind)
        found[name] = replace(one, warnings=notices + one.warnings)
    return found


def _fill_columns(request: EvaluationRequest) -> bool:
    """Whether one label vector may have several columns, which are coded together with the truth."""
    return request.kind is not None and KINDS[request.kind].fills_columns


def _each_of_kind(kind: type[Case], request: EvaluationRequest, given: Given) -> Evaluations:
    """Judge several that are not label vectors, or stand beside one; only one argument may hold several."""
    several, *others = (
        own for own in (MODEL, "labels", "labels_true") if isinstance(given.vectors[own], Mapping)
    )
    if others or (several == "labels_true" and given.pred is not None):
        raise InputError(
            Argument([several, *others][-1]),
            " is a mapping: beside a graph, a tree, batches or clusters, give one, not several",
        )
    found = {
        name: evaluated(request, given.with_vector(several, own), kind)
        for name, own in named_models(given.vectors[several], several).items()
    }
    if given.has_structures:
        found = of_the_same(found, replace(_OF_DIFFERENT_INSTANCES, remedy=""))
    return Evaluations(found, backend_of(given.truth, given.pred, given.labels, given.X))


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
    request: EvaluationRequest, each: Mapping[str, Given]
) -> tuple[EvaluationRequest, tuple[Notice, ...]]:
    """Decide the one kind that all are judged as."""
    if request.kind is not None:
        return request, ()
    if any(own.options.named() for own in each.values()):
        return with_kind(request, (), of_classifiers=True)
    names = [
        [one.occurring(numbers_as_well=False) for one in _judged_pair(own)]
        for own in each.values()
        if own.truth is not None
    ]
    return with_kind(request, [(true, [own]) for true, own in names])


def _judged_pair(own: Given) -> list[Labels]:
    """Return the truth and the labels of a model in the rows that have both, if others are left out."""
    pair: list[Labels] = [own.truth.values, own.pred.values]
    absent = [one.missing for one in pair if one.missing is not None]
    if not absent or not own.treatment.drops_missing:
        return pair
    kept = np.flatnonzero(~np.logical_or.reduce(absent))
    return [one.take(kept) for one in pair]


def _truth_of_each(labels_true: Any, predictions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the truth of each entry."""
    if not isinstance(labels_true, Mapping):
        return dict.fromkeys(predictions, labels_true)
    truths = {str(name): labels for name, labels in labels_true.items()}
    for one, other, names in (
        (MODEL, "labels_true", predictions.keys() - truths.keys()),
        ("labels_true", MODEL, truths.keys() - predictions.keys()),
    ):
        if names:
            raise InputError(
                Argument(one),
                f" has {in_words(min(names))}, but ",
                Argument(other),
                " has no labels of that name",
            )
    return truths
