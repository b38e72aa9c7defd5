"""Checks of options that many functions share: whole numbers, confidence levels, sources of randomness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import Argument, InputError, InputTypeError, Option
from adjudge.given.arrays import to_numpy

# Resamples if an option is just True.
_USUAL_RESAMPLES = 50
# Largest weight whose square, and whose products with counts, are finite.
_LARGEST_WEIGHT = 1e100


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        options = ", ".join(repr(c) for c in choices)
        raise InputError(Option(name, value), f" is not known: choose one of {options}")


def check_confidence(confidence: Any) -> None:
    """Raise unless `confidence` is a confidence level."""
    if isinstance(confidence, Real) and 0 < float(confidence) < 1:
        return
    percent = _percent(confidence)
    remedy = (
        "a number between 0 and 1 is needed, such as 0.95"
        if percent is None
        else f"write {percent:g} % as {percent / 100:g}"
    )
    raise InputError(Option("confidence", confidence), f": {remedy}")


def _percent(confidence: Any) -> float | None:
    """Return the percentage that a level was meant as, if it can only be one."""
    try:
        found = float(str(confidence).strip().removesuffix("%"))
    except ValueError:
        return None
    return found if 50 <= found < 100 else None


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Raise unless `value` is a whole number, and not less than `least`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise InputError(Option(name, value), f": a whole number of at least {least} is needed")


def check_flag(name: str, value: Any) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(Option(name, value), ": True or False is needed")


def check_weight(name: str, value: Any, *, may_be_zero: bool = False) -> None:
    """Raise unless `value` can weigh one measure against another."""
    enough = isinstance(value, Real) and (float(value) > 0 or (may_be_zero and float(value) == 0))
    if not enough or math.isinf(value):
        least = "of at least 0" if may_be_zero else "above 0"
        raise InputError(Option(name, value), f": a finite number {least} is needed")
    if value > 0 and not 1 / _LARGEST_WEIGHT <= value <= _LARGEST_WEIGHT:
        raise InputError(
            Option(name, value),
            f" is out of range: give a number from {1 / _LARGEST_WEIGHT:g} to {_LARGEST_WEIGHT:g}",
        )


def is_between(value: Any, low: float, high: float) -> bool:
    """Whether a value is a number from one end to the other."""
    return isinstance(value, Real) and not isinstance(value, bool) and low <= float(value) <= high


def given_names(name: str, values: Any) -> list[Any]:
    """Return several names as a list; a single text is not a sequence of names."""
    try:
        if not isinstance(values, (str, bytes)):
            return list(values)
    except TypeError:
        pass
    raise InputTypeError(Option(name, values), ": a sequence of names is needed")


def check_jobs(n_jobs: Any) -> None:
    """Raise unless `n_jobs` is a number of threads or workers, -1 for one per core, or None."""
    if n_jobs is None:
        return
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool) or (n_jobs < 1 and n_jobs != -1):
        raise InputError(
            Option("n_jobs", n_jobs), ": a whole number of threads or workers is needed, or -1 for all cores"
        )


def as_numbers(name: str, values: Any) -> Floats:
    """Convert a sequence of numbers to a one-dimensional array."""
    try:
        numbers = to_numpy(values, name)
        if numbers.dtype.kind == "c":
            raise TypeError
        numbers = numbers.astype(np.float64)
    except InputTypeError:
        raise
    except (TypeError, ValueError, ArithmeticError):
        raise InputTypeError(Argument(name), " contains something other than numbers") from None
    if numbers.ndim != 1:
        raise InputError(Argument(name), f" has shape {numbers.shape}: a sequence of numbers is needed")
    return numbers


def check_random_state(random_state: Any) -> None:
    """Raise unless `random_state` is a source of randomness, even if nothing is drawn."""
    is_seed = random_state is None or (type(random_state) is int and random_state >= 0)
    if not is_seed:  # a generator is not made for each call that draws nothing
        random_generator(random_state)


def random_generator(random_state: Any) -> np.random.Generator:
    """Make the generator that `random_state` stands for."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputTypeError(
            Option("random_state", random_state),
            ": a whole number of at least 0, a Generator or None is needed",
        ) from None


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """Make the seed that `random_state` stands for, from which the parts of a long computation get theirs."""
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(1 << 31)))
    drawn = random_generator(random_state)
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return np.random.SeedSequence(None if random_state is None else int(random_state))
    return np.random.SeedSequence(int(drawn.integers(1 << 62)))


def resamples(option: str, given: bool | int | None) -> int:
    """Return how many resamples an option asks for: none, the usual number for True, or the number itself."""
    if given is None or given is False:
        return 0
    if given is True:
        return _USUAL_RESAMPLES
    if not isinstance(given, (int, np.integer)) or given < 0:
        raise InputError(Option(option, given), " must be True, False, or a number of samples")
    return int(given)
