"""What NumPy does on its own, so that a first call on few labels does not wait until compiled loops are imported.

The size of the input alone decides which code runs: a call takes as long after a thousand others as after one.
"""

from __future__ import annotations

__all__ = ["few_to_count", "few_to_look_up"]

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
