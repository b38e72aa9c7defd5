"""What NumPy does on its own, so that a first call on few labels does not wait until compiled loops are imported.

The size of the input alone decides which code runs: a call takes as long after a thousand others as after one. The
exception is a loop over pairs of short vectors, which is worth a start once it has taken as long as one.
"""

from __future__ import annotations

from itertools import count

__all__ = ["few_to_count", "few_to_look_up", "worth_a_start"]

# NumPy counts a label in 3 ns and a compiled loop in 2, but one call of such a loop takes longer.
FEW_TO_COUNT = 100_000
# Text, and numbers far apart, are looked up in 60 ns a label where hashing takes 10.
FEW_TO_LOOK_UP = 10_000


def few_to_count(n: int) -> bool:
    """Whether NumPy counts n labels."""
    return n < FEW_TO_COUNT


def few_to_look_up(n: int) -> bool:
    """Whether NumPy and Python number n labels that are not small whole numbers."""
    return n < FEW_TO_LOOK_UP


# Compiled loops take a quarter of a second to start, and then a third of NumPy's time. These calls without them take
# as long as their start: nobody waits more than twice as long as was needed.
CALLS_OF_A_START = 20_000
_calls = count()


def worth_a_start() -> bool:
    """Whether pairs of short label vectors have been counted so often that compiled loops are worth their start."""
    return next(_calls) >= CALLS_OF_A_START
