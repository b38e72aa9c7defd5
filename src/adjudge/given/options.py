"""Checks of options that many functions share: whole numbers, levels of confidence, sources of randomness."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError
from adjudge.given.arrays import to_numpy

__all__ = [
    "as_numbers",
    "check_choice",
    "check_confidence",
    "check_count",
    "check_flag",
    "check_known",
    "check_random_state",
    "check_weight",
    "given_names",
    "random_generator",
]

# Weights whose squares, and products with counts, are numbers.
_LARGEST_WEIGHT = 1e100


# Keywords of scikit-learn, and what they are called here.
_CALLED_HERE = {
    "y_true": "labels_true",
    "y_pred": "labels_pred",
    "y_score": "scores",
    "y_prob": "probabilities",
    "y_proba": "probabilities",
}


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        options = ", ".join(repr(c) for c in choices)
        raise InputError(f"{name}={value!r} is not known: choose one of {options}")


def check_confidence(confidence: Any) -> None:
    """Raise unless `confidence` is the level of an interval."""
    if not isinstance(confidence, Real) or not 0 < float(confidence) < 1:
        raise InputError(f"confidence={confidence!r}: a number between 0 and 1 is needed, such as 0.95")


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Raise unless `value` is a whole number, and not less than `least`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise InputError(f"{name}={value!r}: a whole number of at least {least} is needed")


def check_flag(name: str, value: Any) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(f"{name}={value!r}: True or False is needed")


def check_weight(name: str, value: Any, *, may_be_zero: bool = False) -> None:
    """Raise unless `value` can weigh one measure against another."""
    enough = isinstance(value, Real) and (float(value) > 0 or (may_be_zero and float(value) == 0))
    if not enough or math.isinf(value):
        least = "of at least 0" if may_be_zero else "above 0"
        raise InputError(f"{name}={value!r}: a finite number {least} is needed")
    if value > 0 and not 1 / _LARGEST_WEIGHT <= value <= _LARGEST_WEIGHT:
        raise InputError(
            f"{name}={value!r} is out of range: give a number from {1 / _LARGEST_WEIGHT:g} to {_LARGEST_WEIGHT:g}"
        )


def given_names(name: str, values: Any) -> list[Any]:
    """Bring what names several things to a list; one text is no sequence of names."""
    try:
        if not isinstance(values, (str, bytes)):
            return list(values)
    except TypeError:
        pass
    raise InputTypeError(f"{name}={values!r}: a sequence of names is needed")


def check_known(given: Iterable[str], known: Sequence[str], owner: str) -> None:
    """Raise for an option that there is not, and name the one that may be meant."""
    for name in given:
        if name not in known:
            here = _CALLED_HERE.get(name)
            if here in known:
                raise InputTypeError(f"{owner} has no option {name}=: it is called {here}= here")
            from difflib import get_close_matches

            close = [f"{other}=" for other in get_close_matches(name, known, n=2)]
            hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
            raise InputTypeError(f"{owner} has no option {name}=: {hint}")


def as_numbers(name: str, values: Any) -> NDArray[np.float64]:
    """Bring a sequence of numbers to an array of one dimension."""
    try:
        numbers = to_numpy(values, name)
        if numbers.dtype.kind == "c":
            raise TypeError
        numbers = numbers.astype(np.float64)
    except InputTypeError:
        raise
    except (TypeError, ValueError, ArithmeticError):
        raise InputTypeError(f"{name} holds something else than numbers") from None
    if numbers.ndim != 1:
        raise InputError(f"{name} has shape {numbers.shape}: a sequence of numbers is needed")
    return numbers


def check_random_state(random_state: Any) -> None:
    """Raise for what is no source of randomness, also where nothing comes to be drawn."""
    if random_state is not None:
        random_generator(random_state)


def random_generator(random_state: Any) -> np.random.Generator:
    """Make the generator that `random_state` stands for."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"random_state={random_state!r}: a whole number of at least 0, a Generator or None is needed"
        ) from None
