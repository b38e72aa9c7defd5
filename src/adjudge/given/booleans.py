"""True and False are the same labels however they are written: by Python, by programs that write files, as 1 and 0."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from adjudge.given.written_numbers import is_number

__all__ = ["alike", "are_boolean"]

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
