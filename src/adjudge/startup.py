"""When to import what is slow to import: as soon as the work that it would have saved adds up to its start."""

from __future__ import annotations

import sys

__all__ = ["KERNELS", "OPTIMIZE", "SlowStart"]


class SlowStart:
    """A module that makes work faster, and takes long to be imported.

    Who has little work does not wait for it; who has much waits at most twice as long as with hindsight.

    Parameters
    ----------
    module : str
    seconds : float
        What it takes until its first result.
    least : float
        Work of so few seconds is not worth a call even once it is imported.
    """

    def __init__(self, module: str, seconds: float, least: float = 0.0) -> None:
        self.module = module
        self.seconds = seconds
        self.least = least
        self._spent = 0.0

    @property
    def is_imported(self) -> bool:
        """Whether the module need not be waited for any more."""
        return self.module in sys.modules

    def pays(self, seconds: float) -> bool:
        """Whether to use the module for work that takes about so many seconds without it."""
        if seconds <= self.least:
            return False
        if self.is_imported:
            return True
        self._spent += seconds
        return self._spent > self.seconds


KERNELS = SlowStart("adjudge.kernels", 0.4, least=2e-5)
OPTIMIZE = SlowStart("scipy.optimize", 0.2)
