"""What rows of probabilities may add up to: 1, within the precision of the numbers.

The numbers themselves show how precise they are, whatever type holds them: a float64 column that was float32 before
has only float32 values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: How far from 1 the sum of a row of probabilities may be.
TOLERANCE = 1e-6
#: Probabilities with more decimals were not rounded for printing.
MOST_DECIMALS = 6
#: How far rounding in single precision may put a probability beyond 0 or 1.
BEYOND = 8 * float(np.finfo(np.float32).eps)
#: What percentages add up to.
PERCENT = 100.0
#: What errors say about percentages, and about rows that do not add up to 1.
PERCENTAGES = ": these look like percentages, so divide all of them by 100"
SUMS_REMEDY = ": divide each row by its sum, or keep more digits"

# With one decimal, rounding and slips cannot be told apart.
_FEWEST_DECIMALS = 2
# Sums in half precision are within this of 1, however many classes there are.
_MOST_OF_HALF = 0.01
# Significant digits of a float32 that is printed in full.
_DIGITS_OF_SINGLE = 9
#: The error that decimal arithmetic leaves in float64.
DUST = 1e-12
_SAMPLE = 1000


@dataclass(frozen=True)
class Rounded:
    """Rows that were divided by their sums, because their probabilities have few decimals.

    Attributes
    ----------
    n : int or None
        How many; None if the engine of a table has not counted them.
    decimals : int
        Decimals of all probabilities.
    """

    n: int | None
    decimals: int


def allowed_by_epsilon(n_columns: int, epsilon: float) -> float:
    """Return how far from 1 the sum of a row may be, given the relative precision of its numbers."""
    rounding = n_columns * epsilon
    return max(TOLERANCE, rounding if epsilon <= np.finfo(np.float32).eps else min(rounding, _MOST_OF_HALF))


def allowed_by_decimals(n_columns: int, decimals: int) -> float:
    """Return how far from 1 the sum of a row may be if each number is off by up to half a unit of its last decimal."""
    return n_columns * 0.5 * 10.0 ** -max(decimals, _FEWEST_DECIMALS) + DUST


def are_percentages(least: float, greatest: float) -> bool:
    """Whether rows with sums between these add up to 100."""
    return least >= PERCENT - 1 and greatest <= PERCENT + 1


def epsilon_of(values: NDArray[Any]) -> float:
    """Return the spacing at 1 of the coarsest type that can hold all these numbers, all between 0 and 1."""
    single = values.astype(np.float32)
    if (single == values).all():
        if not np.count_nonzero(single.view(np.uint32) & 0xFFFF):  # bfloat16 is the upper half of float32
            return 2.0**-7
        with np.errstate(under="ignore"):
            in_half = (single.astype(np.float16) == single).all()
        return float(np.finfo(np.float16 if in_half else np.float32).eps)
    of_single = _has_digits(values[:_SAMPLE]) and _has_digits(values)
    return float(np.finfo(np.float32 if of_single else np.float64).eps)


def _has_digits(values: NDArray[Any]) -> bool:
    """Whether all numbers have no more significant digits than float32 is printed with."""
    seen = values[values > DUST].astype(np.float64)
    scale = 10.0 ** (_DIGITS_OF_SINGLE - 1 - np.floor(np.log10(seen)))
    return bool((np.rint(seen * scale) / scale == seen).all())


def decimals_of(values: NDArray[Any]) -> int | None:
    """Return how many decimals are enough for all numbers, all between 0 and 1; None if they need more than six."""
    dust = max(DUST, float(np.finfo(values.dtype).eps))
    for decimals in range(1, MOST_DECIMALS + 1):
        if all(
            np.abs(np.round(part, decimals) - part).max(initial=0) <= dust
            for part in (values[:_SAMPLE], values)
        ):
            return decimals
    return None
