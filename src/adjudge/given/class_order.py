"""The order of classes, by which a near miss is a smaller mistake: stated, or that of numbers; never the alphabet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, UndefinedStatisticError, in_words
from adjudge.given.written import parsed

#: Why a score is undefined without an order of the labels, by what they are called.
NO_ORDER = {what: f"the order of the {what} is not known" for what in ("classes", "categories")}


@dataclass(frozen=True)
class StatedOrder:
    """An order of labels that an option or the type of a column states.

    Attributes
    ----------
    name : str
        The argument, or the column, that states it.
    labels : tuple
        All labels, from the first to the last.
    """

    name: str
    labels: tuple[Any, ...]

    def words(self) -> tuple[Any, ...]:
        """Say what it states."""
        shown = [repr(label) for label in self.labels[:5]] + (["..."] if len(self.labels) > 5 else [])
        return Argument(self.name), f" has the order {' < '.join(shown)}"


def stated_orders(named: Iterable[tuple[str, Sequence[Any] | None]]) -> tuple[StatedOrder, ...]:
    """Return each order that is stated once, with the first name that states it."""
    found: list[StatedOrder] = []
    for name, given in named:
        labels = None if given is None else _listed(name, given)
        if labels is not None and all(own.labels != labels for own in found):
            found.append(StatedOrder(name, labels))
    return tuple(found)


def _listed(name: str, labels: Sequence[Any]) -> tuple[Any, ...]:
    try:
        return tuple(labels)
    except TypeError:
        raise InputTypeError(Option(name, labels), ": a sequence of classes is needed") from None


def joined_orders(one: Sequence[StatedOrder], other: Sequence[StatedOrder]) -> tuple[StatedOrder, ...]:
    """Return the orders of two tables, each once."""
    return stated_orders((own.name, own.labels) for own in (*one, *other))


def places_in_order(labels: Sequence[Any], stated: Sequence[StatedOrder], what: str = "classes") -> Ints:
    """Return the place of each label in the order.

    Parameters
    ----------
    labels : sequence of length K
    stated : sequence of StatedOrder
        If there are several, they must fit into one. Without any, numbers, numerals and dates have their own order.
    what : {"classes", "categories"}
        What messages call the labels.

    Returns
    -------
    ndarray of int64 of shape (K,)
        Labels that do not occur have places of their own in a stated order.

    Raises
    ------
    InputError
        If stated orders contradict each other.
    UndefinedStatisticError
        If the order is not known.
    """
    if stated:
        places = {label: place for place, label in enumerate(joined_order(stated))}
        unknown = next((label for label in labels if label not in places), None)
        if unknown is not None:
            raise UndefinedStatisticError(f"{in_words(unknown)} has no place in the order of the {what}")
        return np.array([places[label] for label in labels], np.int64)
    keys = _numbers(labels)
    if keys is None:
        raise UndefinedStatisticError(NO_ORDER[what])
    order = sorted(range(len(keys)), key=keys.__getitem__)
    found = np.empty(len(keys), np.int64)
    found[order] = np.arange(len(keys))
    return found


def check_one_order(labels: Sequence[Any], option: str) -> None:
    """Raise if columns without names may be in either of two orders: that of numbers, or that of the text of numbers.

    Parameters
    ----------
    labels : sequence
        The labels that the columns are for, sorted.
    option : str
        What has the columns.
    """
    if not any(isinstance(label, (str, bytes)) for label in labels):
        return
    keys = _numbers(labels) or ()
    for i, (one, other) in enumerate(pairwise(keys)):
        if other < one:
            raise InputError(
                Argument(option),
                f" has columns without names, and the classes are text, which sorts {labels[i]!r} before "
                f"{labels[i + 1]!r}, and numbers, which do not: name them in the order of the columns with ",
                Option("classes"),
            )


def _numbers(labels: Sequence[Any]) -> list[Any] | None:
    """Return what sorts the labels, if it is more than their text; None if nothing does, or if two are equal."""
    if isinstance(labels, range):
        return list(labels)
    texts = [isinstance(label, (str, bytes)) for label in labels]
    if any(texts):
        keys: list[Any] = [_number_of(label) for label in labels] if all(texts) else [None]
        return None if None in keys or len(set(keys)) < len(keys) else keys
    if any(isinstance(label, (tuple, frozenset)) for label in labels):
        return None
    try:
        sorted(labels)
    except (TypeError, ArithmeticError):
        return None
    return list(labels)


def _number_of(text: str | bytes) -> float | None:
    number = parsed(text.decode("latin-1") if isinstance(text, bytes) else text)
    return number if number is not None and math.isfinite(number) else None


def joined_order(stated: Sequence[StatedOrder]) -> list[Any]:
    """Return the one order that all stated ones are parts of."""
    if len(stated) == 1:
        return list(stated[0].labels)
    left = [list(one.labels) for one in stated]
    found: list[Any] = []
    while any(left):
        firsts = list(dict.fromkeys(own[0] for own in left if own))
        free = [label for label in firsts if not any(label in own[1:] for own in left)]
        if len(free) != 1:
            raise _contradiction(stated)
        found.append(free[0])
        left = [own[1:] if own[:1] == free else own for own in left]
    return found


def _contradiction(stated: Sequence[StatedOrder]) -> InputError:
    """Name two orders that do not fit into one; if each two do, the first two."""
    one, other = stated[:2]
    for i, first in enumerate(stated):
        for second in stated[:i]:
            common = set(first.labels) & set(second.labels)
            if [x for x in first.labels if x in common] != [x for x in second.labels if x in common]:
                one, other = second, first
    return InputError(
        *one.words(), ", and ", *other.words(), ": name all classes in one order with ", Option("classes")
    )
