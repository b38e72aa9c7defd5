"""Whether labels look like classes or like clusters: one rule for every front end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from adjudge.given.booleans import alike, are_boolean

__all__ = ["kind_of_labels"]


def kind_of_labels(
    true: Sequence[Any], predicted: Iterable[Sequence[Any]]
) -> Literal["clustering", "classification"] | None:
    """Tell classes from clusters by their names.

    Text and booleans are classes if truth and prediction have the same names, or all names of one occur in the other.
    Labels with no name in common are clusters. All others may be either: the numbers 0 and 1 name both.

    Parameters
    ----------
    true : sequence
        The labels that occur in the truth.
    predicted : iterable of sequence
        The labels of each model.

    Examples
    --------
    >>> kind_of_labels(["no", "yes"], [["no", "yes"], ["no"]])
    'classification'
    >>> kind_of_labels(["no", "yes"], [[0, 1, 2]]), kind_of_labels([0, 1], [[0, 1]])
    ('clustering', None)
    >>> kind_of_labels([False, True], [[0, 1], ["false", "true"]])
    'classification'
    """
    sides = [true, *predicted]
    names, *models = map(set, alike(*sides))
    if all(names.isdisjoint(labels) for labels in models):
        return "clustering"
    are_alike = all(labels <= names or names <= labels for labels in models)
    are_words = all(map(_is_text, [names, *models])) and _has_words(names)
    return "classification" if are_alike and (are_words or any(map(are_boolean, sides))) else None


def _is_text(labels: Iterable[Any]) -> bool:
    return all(isinstance(label, str) for label in labels)


def _has_words(labels: Iterable[Any]) -> bool:
    """Whether some text is not a number."""
    return any(not label.lstrip("+-").isdecimal() for label in labels)
