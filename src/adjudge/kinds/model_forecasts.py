"""Probabilities, or decision values, of several classifiers by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option, a_type
from adjudge.given.data_frames import columns_by_name
from adjudge.given.labels import Labels
from adjudge.given.probabilities import as_class_scores
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts

__all__ = ["by_model", "check_are_models", "forecasts_of_models", "likeliest_labels"]


def likeliest_labels(
    labels_true: Any,
    probabilities: Mapping[str, Any],
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    *,
    gaps: bool = False,
) -> dict[str, Labels]:
    """Return the likeliest class of each instance by each model; ties go to the first class.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        Defines the classes of the columns if nothing else does.
    probabilities : mapping of str to array-like
    classes : sequence, optional
    positive : object, optional
        The class of a single column, unless its name gives another.
    gaps : bool
        Whether instances may lack probabilities, and so a label.
    """
    found = {}
    for name, given in probabilities.items():
        scores = as_class_scores(given, probabilities=True, classes=classes, truth=labels_true, gaps=gaps)
        known = read_forecasts(labels_true, scores, positive=positive, missing="drop")
        values, nowhere = scores.values, np.zeros(len(scores), np.int64)
        if known.scored is not None:
            values = ProbabilityForecasts.of_second(values, known.scored)
        codes = ProbabilityForecasts(known.classes, nowhere, values).best
        found[str(name)] = Labels(codes, 0, known.k, known.classes, scores.missing)
    return found


def by_model(given: Any, option: str) -> Mapping[str, Any]:
    """Return the probabilities, or scores, of each model; a column of a data frame holds one class of two."""
    found = given if isinstance(given, Mapping) else columns_by_name(given, option)
    if found is None:
        raise InputError(
            Option(option), f" is {a_type(given)}: give a mapping from names of models to {option}"
        )
    return found


def forecasts_of_models(
    named: Mapping[str, Any], options: ClassifierOptions
) -> tuple[ClassifierOptions, list[str]]:
    """Check that each model has labels, probabilities or scores; return these by name, and the names of the models."""
    option = "probabilities" if options.probabilities is not None else "scores"
    given = getattr(options, option)
    if given is None:
        return options, list(named)
    found = {str(name): own for name, own in by_model(given, option).items()}
    by_name: dict[str, Any] = {option: found}
    if not found:
        raise InputError(Option(option), " is empty: at least one model is needed")
    if not named:
        if option == "scores":
            raise InputError(
                Option("scores"),
                " only rank the instances: give the models' labels as well, as ",
                Option("models"),
            )
        return replace(options, **by_name), list(found)
    check_are_models(option, found, named)
    for name, labels in named.items():
        if labels is None and (name not in found or option == "scores"):
            raise InputError(f"model {name!r} has neither labels nor probabilities: give one of them")
    return replace(options, **by_name), list(named)


def check_are_models(option: str, given: Iterable[str], models: Collection[str]) -> None:
    """Raise for probabilities, or scores, of a name that is no model; a model may lack them and have labels alone."""
    for name in given:
        if name not in models:
            raise InputError(
                f"{option} has {name!r}, which is not a model: choose from {', '.join(map(repr, models))}"
            )
