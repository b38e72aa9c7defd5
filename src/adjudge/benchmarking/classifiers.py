"""Models of a benchmark that are classifiers with probabilities, or scores that rank, beside labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.given.labels import Labels, code_labels
from adjudge.given.option_groups import Classifier
from adjudge.given.probabilities import ScoreMatrix, as_class_scores
from adjudge.kinds.model_forecasts import likeliest_labels

__all__ = ["array_of_labels", "has_forecasts", "labels_of", "taken"]


def has_forecasts(given: Any) -> bool:
    """Whether a model gives probabilities, or scores, beside its labels."""
    return isinstance(given, Classifier) and (given.probabilities is not None or given.scores is not None)


def labels_of(truth: Any, given: Any, options: Mapping[str, Any]) -> Any:
    """Return a model's labels; those of a classifier without labels are its likeliest classes."""
    if not isinstance(given, Classifier):
        return given
    if given.labels is not None:
        return given.labels
    if given.probabilities is None:
        raise InputError("a Classifier has neither labels nor probabilities: give one of them")
    positive = options.get("positive") if given.positive is None else given.positive
    gaps = options.get("missing") == "drop"
    return likeliest_labels(truth, {"": given.probabilities}, given.classes, positive, gaps=gaps)[""]


def array_of_labels(truth: Any, given: Any, options: Mapping[str, Any]) -> Any:
    """Return a model's labels as the score function of a user takes them."""
    found = labels_of(truth, given, options)
    return found.given() if isinstance(given, Classifier) and isinstance(found, Labels) else found


def taken(truth: Any, given: Any, kept: NDArray[np.bool_], name: str) -> Any:
    """Return what a model, or the truth, says about some instances.

    Parameters
    ----------
    truth : array-like of shape (n,)
    given : array-like of shape (n,), Labels, Classifier or None
    kept : ndarray of bool of shape (n,)
    name : str
        What errors call it.
    """
    if isinstance(given, Classifier):
        coded = _coded(truth, given)
        return replace(given, **{option: taken(truth, own, kept, name) for option, own in coded.items()})
    if given is None:
        return None
    if len(given) != len(kept):
        raise InputError(f"{name} has {len(given)} entries, the truth has {len(kept)}")
    if isinstance(given, (Labels, ScoreMatrix)):
        return given.take(np.flatnonzero(kept))
    return np.asarray(given)[kept]


def _coded(truth: Any, given: Classifier) -> dict[str, Any]:
    """Read what a classifier says about each instance."""
    found: dict[str, Any] = {}
    if given.labels is not None:
        found["labels"] = code_labels(given.labels, "labels_pred")
    for option in ("probabilities", "scores"):
        own = getattr(given, option)
        if own is not None:
            are_shares = option == "probabilities"
            found[option] = as_class_scores(
                own, probabilities=are_shares, classes=given.classes, truth=truth, gaps=True
            )
    return found
