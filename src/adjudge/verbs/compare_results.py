"""Earlier results: two of `evaluate` that are compared with each other, and one that is the old model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option, in_words
from adjudge.given.labels import Column, Labels, code_labels
from adjudge.presentation.numbers import count, listed
from adjudge.results import Comparison, Evaluation, Evaluations
from adjudge.results.gate import OLD, Gate
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.statistics.forecasts import Forecasts, as_given

__all__ = [
    "EarlierModel",
    "check_same_rows",
    "is_result",
    "known_labels",
    "models_of_results",
    "options_of",
    "read_result",
    "results_given",
    "with_what_changed",
]

#: Names of the two results as models.
FIRST, SECOND = "first", "second"
# Options of forecasts, and whether these are probabilities.
_FORECASTS = {"probabilities": True, "scores": False}
_WEIGHTS = ("counts", "sample_weight", "weights")


def results_given(first: Any, second: Any) -> tuple[Evaluation, Evaluation] | None:
    """Return both arguments if they are results of `evaluate`, else None."""
    if isinstance(first, Evaluation) and isinstance(second, Evaluation):
        return first, second
    return None


def models_of_results(first: Evaluation, second: Evaluation) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return the truth, the labels of both results, and the options of `compare` for their instances.

    Raises
    ------
    InputError
        If a result does not know its instances, or if the two are about different instances.
    """
    if any("judge" in own.settings for own in (first, second)):
        raise InputError(
            "the scores of a result were corrected by a judge's labels, which it lacks: compare the labels beside ",
            Option("judge"),
        )
    known = [own.known_instances() for own in (first, second)]
    one, other = known
    if one.kind != other.kind or not all(isinstance(own.truth, Labels) for own in known):
        raise InputError(
            f"the first result is of {one.kind}, the second of {other.kind}: both must be of one kind"
        )
    truths = [_column(own.truth) for own in known]
    if truths[0].size != truths[1].size or not np.array_equal(one.positions, other.positions):
        raise InputError(
            f"the first result has {count(truths[0].size, 'instance')}, the second {truths[1].size:,}: both must be of "
            "the same instances"
        )
    differ = int(np.count_nonzero(truths[0] != truths[1]))
    if differ:
        raise InputError(
            f"the truth of {count(differ, 'instance')} differs between the results: both must be of the same instances"
        )
    both = {FIRST: one, SECOND: other}
    models = {name: _column(next(iter(own.labels.values()))) for name, own in both.items()}
    forecasts = {name: own for name, rows in both.items() for own in rows.forecasts.values()}
    options = _options_of_both(one, other)
    # Where one result has scores alone, they cannot be compared with the probabilities of the other.
    having = [
        name
        for name, are in _FORECASTS.items()
        if any(own.are_probabilities is are for own in forecasts.values())
    ]
    for option in having[:1]:
        are = _FORECASTS[option]
        options[option] = {
            name: as_given(own) for name, own in forecasts.items() if own.are_probabilities is are
        }
    return truths[0], models, options


def _options_of_both(one: Instances, other: Instances) -> dict[str, Any]:
    """Return the options of the first result, and those that only the second one has."""
    options, others = options_of(one), options_of(other)
    if any(name in options for name in _WEIGHTS) and any(name in others for name in _WEIGHTS):
        _check_alike("weights", one.weights, other.weights)
        others = {name: own for name, own in others.items() if name not in _WEIGHTS}
    for name in ("units", "runs"):
        if name in options and name in others:
            _check_alike(name, options[name], others[name])
    return {**others, **options}


def _check_alike(what: str, one: Any, other: Any) -> None:
    if one.dtype != other.dtype or not np.array_equal(one, other):
        raise InputError(
            f"the {what} of the results differ: evaluate both with the same, or compare the labels"
        )


def options_of(instances: Instances) -> dict[str, Any]:
    """Return the options of `compare` for the instances of a result."""
    options: dict[str, Any] = {"kind": instances.kind}
    if instances.units is not None:
        options["units"] = instances.units.codes
    if instances.runs is not None:
        options["runs"] = instances.runs.codes
    if instances.weights is not None and instances.weights.dtype.kind != "f":
        options["counts"] = instances.weights
    elif instances.weights is not None:
        options |= {"sample_weight": instances.weights, "weights": "importance"}
    for own in instances.forecasts.values():
        if own.positive is not None and (
            own.k > 2 or own.positive != 1
        ):  # the second of two is positive by itself
            options["positive"] = own.classes[own.positive]
    return options


def with_what_changed(comparison: Comparison, first: Evaluation, second: Evaluation) -> Comparison:
    """Report differences in the settings and the versions of the two results."""
    notices = [
        Notice(code, f"the results were made with other {code.partition('-')[0]}: {said}")
        for code, said in (
            ("settings-differ", _changed(first.settings, second.settings, repr)),
            ("versions-differ", _changed(first.versions, second.versions, str)),
        )
        if said
    ]
    return replace(comparison, warnings=(*comparison.warnings, *notices))


def _changed(one: Mapping[str, Any], other: Mapping[str, Any], shown: Callable[[Any], str]) -> str:
    """Return the differences between two mappings, for the names that both have."""
    names = [name for name in one if name in other and one[name] != other[name]]
    return listed([f"{name} was {shown(one[name])} and is {shown(other[name])}" for name in names])


def _column(labels: Any) -> Any:
    return np.asarray(labels.given(), object)


def is_result(given: Any) -> bool:
    """Whether the argument is a result, or the path of a saved one."""
    if isinstance(given, (Evaluation, Evaluations, Comparison, Gate)):
        return True
    return isinstance(given, (str, PathLike)) and fspath(given).lower().endswith(".adjudge")


def read_result(given: Any, called: str) -> tuple[Any, str]:
    """Return a result that was given or saved, and what messages call it."""
    from adjudge.saved.archive import load

    if isinstance(given, (str, PathLike)):
        return load(fspath(given)), repr(fspath(given))
    return given, called


def known_labels(result: Evaluation | Comparison, called: str) -> tuple[Any, dict[str, Any]]:
    """Return the truth and each model's labels, row by row; raise if the result does not know them."""
    try:
        rows = result.known_instances()
    except InputError as error:
        raise InputError(f"{called}: ", *error.parts) from None
    labels = {name: own.given() for name, own in rows.labels.items() if isinstance(own, Labels)}
    if len(labels) < len(rows.labels) or not isinstance(rows.truth, Labels):
        raise InputError(f"{called} has several labels of one instance, which are not compared row by row")
    if rows.kept is not None:
        raise InputError(f"{called} left out rows, so that its rows are not those of the new model")
    return np.asarray(rows.truth.given(), object), labels


def check_same_rows(labels_true: Any, truth: Any, called: str) -> None:
    """Raise unless the rows have the same truth as those of an earlier result."""
    new = np.asarray(code_labels(Column.of(labels_true, "labels_true").values, "labels_true").given(), object)
    if len(new) != len(truth):
        raise InputError(
            f"{called} has {count(len(truth), 'row')}, the new model has {len(new):,}: they must be of "
            "the same instances, in the same order; of tables ",
            Option("key"),
            " finds them",
        )
    differ = np.flatnonzero(new != truth)
    if differ.size:
        i = int(differ[0])
        raise InputError(
            f"the truth of {count(differ.size, 'row')} is not that of {called}, such as that of row {i}, "
            f"{in_words(new[i])} and {in_words(truth[i])}: both must be of the same instances, in the same order"
        )


@dataclass(frozen=True)
class EarlierModel:
    """The truth and what a model says, from a result about one model, or from a gate (its new model).

    Attributes
    ----------
    called : str
    truth, labels : ndarray of shape (n,)
    options : dict
        Those of `compare` for its instances: the kind, weights, units and runs, and the positive class.
    forecasts : Forecasts or None
    """

    called: str
    truth: Any
    labels: Any
    options: dict[str, Any]
    forecasts: Forecasts | None

    @classmethod
    def of(cls, given: Any, key: Any) -> EarlierModel:
        """Read a result, or the file in which it was saved.

        Parameters
        ----------
        given : Evaluation, Gate or path
        key : str or None
            What a table would have found the rows by.

        Raises
        ------
        InputError
            If the result has no instances, has several models, or left out rows.
        """
        if key is not None:
            raise InputError(
                "a saved result has no keys, and is compared row by row in its order: leave out ",
                Option("key"),
                ", or give the old model's table",
            )
        result, called = read_result(given, "the old result")
        if isinstance(result, (Comparison, Evaluations)):
            raise InputError(
                f"{called} is about several models: save an evaluation of the one to compare with"
            )
        judged = result.comparison if isinstance(result, Gate) else result
        if not isinstance(judged, (Evaluation, Comparison)):
            raise InputError(f"{called} is no result about labels: save one of evaluate, or of a gate")
        truth, by_model = known_labels(judged, called)
        name = judged.models[1] if isinstance(judged, Comparison) else next(iter(by_model))
        rows = judged.known_instances()
        return cls(called, truth, by_model[name], options_of(rows), rows.forecasts.get(name))

    def beside(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the result knows of its rows, and the gate was not given: weights, units, runs, the kind."""
        weighs = any(asked.get(name) is not None for name in _WEIGHTS)
        return {
            name: own
            for name, own in self.options.items()
            if asked.get(name) is None and not (weighs and name in _WEIGHTS)
        }

    def with_forecasts(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Add the old model's probabilities, or scores, to those of the new one, which are of the same kind."""
        own = self.forecasts
        if own is None:
            return dict(options)
        given = [name for name in _FORECASTS if options.get(name) is not None]
        (option,) = [name for name, are in _FORECASTS.items() if own.are_probabilities is are]
        if given and option not in given:
            return dict(options)
        known = options.get(option)
        if known is not None and not isinstance(known, Mapping):
            raise InputError(
                Option(option), ' is a mapping of "new" to its values: the result has those of the old model'
            )
        return {**options, option: {OLD: as_given(own), **(known or {})}}

    def check_same_rows(self, labels_true: Any) -> None:
        """Raise unless the new model's rows have the same truth."""
        check_same_rows(labels_true, self.truth, self.called)

    def paired_by_order(self, carried: Collection[str]) -> Notice:
        """Say what is known of rows that are compared with those of a result, and which options are the result's."""
        n = count(len(self.truth), "row")
        own = [f"the {name}" for name in ("weights", "counts", "units", "runs") if name in carried]
        what = (
            f"the old model's labels{f', {listed(own)} of the rows,' if own else ''} are those of {self.called}, "
            f"row by row in its order: all {n} have its truth, which rows in another order may have, too"
        )
        remedy = ("give the old model's table and ", Option("key"), " to find them by name")
        return Notice("paired-by-order", what, remedy, "info")
