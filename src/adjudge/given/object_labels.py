"""Labels that are Python objects, or codes with a list of categories, numbered by the objects' own equality."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, Position, in_words
from adjudge.given.label_vectors import Labels
from adjudge.given.ordered_labels import sorted_labels

__all__ = ["bind", "code_objects", "is_missing"]


def code_objects(values: Iterable[Any], name: str) -> Labels:
    """Code Python objects with a dictionary, that is, by their own equality."""
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    sized = values if isinstance(values, Sequence) else list(values)
    try:
        codes = np.fromiter(map(numbers.__getitem__, sized), np.int64, len(sized))
    except TypeError:
        where = next(i for i, v in enumerate(sized) if not _hashable(v))
        raise InputError(
            Argument(name),
            f" has a {type(sized[where]).__name__} ",
            Position(where),
            ": labels must be one-dimensional, and each label a number, text or another hashable value",
        ) from None
    return bind(codes, list(numbers), name)


def bind(codes: NDArray[np.int64], categories: list[Any], name: str) -> Labels:
    """Bind codes to their categories: -1, and categories that are None or NaN, stand for missing labels."""
    categories = [*map(_plain, categories)]
    _check_objects(categories, codes, name)
    lost = np.array([*map(is_missing, categories), True])
    if not lost[:-1].any() and (codes.dtype.kind == "u" or codes.size == 0 or codes.min() >= 0):
        return sorted_labels(codes, categories)
    missing = lost[codes]
    left = [category for category, gone in zip(categories, lost, strict=False) if not gone]
    if len(left) < len(categories):
        codes = (np.cumsum(~lost) - 1)[codes]
    if missing.any():
        codes = np.where(missing, 0, codes)
        return replace(sorted_labels(codes, left or [None]), missing=missing)
    return sorted_labels(codes, left)


def _check_objects(keys: Sequence[Any], codes: NDArray[np.int64], name: str) -> None:
    for number, key in enumerate(keys):
        if isinstance(key, (float, np.floating)) and not is_missing(key) and not float(key).is_integer():
            where = int(np.argmax(codes == number))
            what = "infinite" if math.isinf(key) else "not a whole number"
            raise InputError(
                Argument(name),
                f" has {float(key)!r} ",
                Position(where),
                f", which is {what}: labels name groups; round scores or probabilities to classes first",
            )
    _check_one_name_for_a_label(keys, codes, name)


def _check_one_name_for_a_label(keys: Sequence[Any], codes: NDArray[np.int64], name: str) -> None:
    """Refuse a number next to the same number as text: usually one label that was read in two ways."""
    texts = {key for key in keys if isinstance(key, str)}
    if not 0 < len(texts) < len(keys):
        return
    for number, key in enumerate(keys):
        if not isinstance(key, str) and (text := _as_text(key)) in texts:
            raise InputError(
                Argument(name),
                f" has the number {text} ",
                Position(int(np.argmax(codes == number))),
                f" and the text {in_words(text)} ",
                Position(int(np.argmax(codes == keys.index(text)))),
                ": make all labels numbers, or all text",
            )


def _as_text(key: Any) -> str | None:
    """Write a whole number as text; None for anything else."""
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, float, np.number, Decimal)):
        return None
    if is_missing(key) or isinstance(key, np.complexfloating) or key != int(key):
        return None
    return str(int(key))


def _plain(label: Any) -> Any:
    """Return a scalar of NumPy as Python's, so that messages and results show the label alone."""
    is_a_time = isinstance(label, (np.datetime64, np.timedelta64))
    return label.item() if isinstance(label, np.generic) and not is_a_time else label


def is_missing(value: Any) -> bool:
    """Whether a Python object stands for a missing value."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))
    )


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
