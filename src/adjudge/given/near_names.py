"""Labels that differ only by what is easily overlooked: case, blanks, composed accents, signs that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

#: What such labels differ by.
OVERLOOKED = "case, blanks or signs that look alike"

# Signs without width, and those that look like a hyphen.
_NOTHING = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")


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
