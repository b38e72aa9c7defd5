"""Comparing two results of `evaluate` about the same instances: what changed from the first to the second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import InputError
from adjudge.given.labels import Labels
from adjudge.presentation.numbers import count, listed
from adjudge.results import Comparison, Evaluation
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice

__all__ = ["models_of_results", "options_of", "results_given", "with_what_changed"]

#: Names of the two results as models.
FIRST, SECOND = "first", "second"


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
    models = {name: _column(next(iter(own.labels.values()))) for name, own in ((FIRST, one), (SECOND, other))}
    return truths[0], models, options_of(one)


def options_of(instances: Instances) -> dict[str, Any]:
    """Return the options of `compare` for the instances of a result."""
    options: dict[str, Any] = {"kind": instances.kind}
    if instances.units is not None:
        options["units"] = instances.units.codes
    if instances.weights is not None and instances.weights.dtype.kind != "f":
        options["counts"] = instances.weights
    elif instances.weights is not None:
        options |= {"sample_weight": instances.weights, "weights": "importance"}
    return options


def with_what_changed(found: Comparison, first: Evaluation, second: Evaluation) -> Comparison:
    """Report differences in the settings and the versions of the two results."""
    notices = [
        Notice(code, f"the results were made with other {code.partition('-')[0]}: {said}")
        for code, said in (
            ("settings-differ", _changed(first.settings, second.settings, repr)),
            ("versions-differ", _changed(first.versions, second.versions, str)),
        )
        if said
    ]
    return replace(found, warnings=(*found.warnings, *notices))


def _changed(one: Mapping[str, Any], other: Mapping[str, Any], shown: Callable[[Any], str]) -> str:
    """Return the differences between two mappings, for the names that both have."""
    names = [name for name in one if name in other and one[name] != other[name]]
    return listed([f"{name} was {shown(one[name])} and is {shown(other[name])}" for name in names])


def _column(labels: Any) -> Any:
    return np.asarray(labels.given(), object)
