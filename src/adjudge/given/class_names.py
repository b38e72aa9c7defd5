"""What names of labels say: whether they are classes, those of the truth, or True and False however written.

Others differ only by what is easily overlooked: case, blanks, composed accents, signs that look alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from adjudge.errors import Argument, InputError, Option, in_words
from adjudge.given.written import is_number

#: What labels differ by that are nearly the same.
OVERLOOKED = "case, blanks or signs that look alike"

# Signs without width, and those that look like a hyphen.
_NOTHING = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_WORDS = {"true": True, "false": False}
# No longer text is a word, or a number, that means True or False.
_LONGEST = 12


def are_boolean(labels: Sequence[Any]) -> bool:
    """Whether all labels are True and False, or the words for them."""
    return len(labels) > 0 and not isinstance(labels, range) and all(map(_is_boolean, labels))


def alike(*sides: Sequence[Any]) -> tuple[Sequence[Any], ...]:
    """Give True and False one name in all label vectors, if those of one vector are boolean.

    Parameters
    ----------
    *sides : sequence
        The labels that occur in each vector.

    Returns
    -------
    tuple of sequence
        The same labels, in the same order; the vectors themselves if none of them is boolean.

    Examples
    --------
    >>> alike(["FALSE", "TRUE"], ["0", "1", "unsure"], [True])
    ([False, True], [False, True, 'unsure'], [True])
    >>> alike(["no", "yes"], [0, 1])
    (['no', 'yes'], [0, 1])
    """
    if not any(map(are_boolean, sides)):
        return sides
    return tuple([_meaning(label) for label in side] for side in sides)


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


def check_classes(
    true_labels: Sequence[Any], predicted: Sequence[Any], *, prediction: str = "labels_pred"
) -> None:
    """Raise if a classifier cannot be right because it predicts none of the true labels.

    If there is only one true or predicted class, as in a small fold, every instance may well be wrong; then only
    labels of another type are an error.
    """
    names, said = alike(true_labels, predicted)
    if not set(names).isdisjoint(said):
        return
    if min(len(true_labels), len(predicted)) > 1 or _families(true_labels).isdisjoint(_families(predicted)):
        raise InputError(
            Argument(prediction),
            f" has labels such as {in_words(predicted[0])}, but none of the labels of ",
            Argument("labels_true"),
            f", such as {in_words(true_labels[0])}: pass ",
            Option("kind", "clustering"),
            ", or use the same labels in both",
        )


def _is_boolean(label: Any) -> bool:
    return isinstance(label, (bool, np.bool_)) or (isinstance(label, str) and _word(label) in _WORDS)


def _word(text: str) -> str:
    return text.strip().casefold() if len(text) <= _LONGEST else text


def _meaning(label: Any) -> Any:
    """Return True or False for what means it, and anything else as it is."""
    if isinstance(label, str):
        word = _word(label)
        number = float(word) if len(word) <= _LONGEST and is_number(word) else None
        return _WORDS.get(word, bool(number) if number in (0, 1) else label)
    is_a_number = isinstance(label, (bool, np.bool_, int, float, np.number, Decimal))
    return bool(label) if is_a_number and label in (0, 1) else label


def _is_text(labels: Iterable[Any]) -> bool:
    return all(isinstance(label, str) for label in labels)


def _has_words(labels: Iterable[Any]) -> bool:
    """Whether some text is not a number."""
    return any(not label.lstrip("+-").isdecimal() for label in labels)


def _families(labels: Sequence[Any]) -> set[str]:
    """Name the types of labels; types whose values can be equal (1, True and 1.0; any text) are one family."""
    families = {"number": (int, float, np.number, np.bool_), "text": (str,), "bytes": (bytes,)}
    kinds = set(map(type, labels))
    return {next((f for f, types in families.items() if issubclass(k, types)), k.__name__) for k in kinds}


def overlooked(label: Any) -> Any:
    """Return a text without what is easily overlooked; any other label as it is.

    Examples
    --------
    >>> overlooked("\ufeffChurn\u00a0") == overlooked("churn")
    True
    """
    if not isinstance(label, str):
        return label
    if label.isascii():
        return " ".join(label.split()).casefold()
    plain = _DASHES.sub("-", _NOTHING.sub("", unicodedata.normalize("NFKC", label)))
    return unicodedata.normalize("NFKC", " ".join(plain.split()).casefold())


def nearly_the_same(labels: Iterable[Any]) -> list[list[Any]]:
    """Return the labels that are nearly the same, each with those that it resembles.

    Examples
    --------
    >>> nearly_the_same(["churn", "stay", "Churn", "stay ", "other"])
    [['churn', 'Churn'], ['stay', 'stay ']]
    """
    alike: dict[str, list[Any]] = {}
    for label in dict.fromkeys(labels):
        if isinstance(label, str):
            alike.setdefault(overlooked(label), []).append(label)
    return [own for own in alike.values() if len(own) > 1]


def shown_apart(labels: Iterable[str]) -> list[str]:
    """Write labels so that one sees how they differ: with the codes of signs, if these look the same."""
    texts = list(labels)
    looks = {unicodedata.normalize("NFC", _DASHES.sub("-", text)) for text in texts}
    return [*map(repr if len(looks) == len(texts) else ascii, texts)]
