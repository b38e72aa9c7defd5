"""What NumPy does on its own, so that a first call on few labels does not wait until compiled loops are imported.

The size of the input alone decides which code runs: a call takes as long after a thousand others as after one. The
exception is a loop over pairs of short vectors: it is worth a start once it has taken as long as one, and what other
calls have started is used.
"""

from __future__ import annotations

from sys import modules

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


# Compiled loops take a quarter of a second to start, and then a third of NumPy's time. NumPy takes as long for these
# labels, where a call takes the time of FEW_IN_A_CALL more: nobody waits more than twice as long as was needed.
LABELS_OF_A_START = 200_000_000
FEW_IN_A_CALL = 10_000
_counted = 0


def worth_a_start(n: int) -> bool:
    """Whether compiled loops have been started, or NumPy has counted as many labels as take the time of their start.

    Parameters
    ----------
    n : int
        Labels of each of the two short vectors that are to be counted now.
    """
    global _counted
    _counted += n + FEW_IN_A_CALL
    return _counted > LABELS_OF_A_START or getattr(modules.get("adjudge.kernels"), "started", False)
