"""Units that were drawn, and the rows of each: visits of a patient, sentences of a document, orders of a customer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.labels import Labels

__all__ = ["Units"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Units:
    """Which unit each row belongs to.

    Attributes
    ----------
    codes : ndarray of int64 of shape (n,)
        0, ..., n_units - 1; each occurs.
    n_units : int
    """

    codes: Ints
    n_units: int

    @classmethod
    def of(cls, labels: Labels) -> Units:
        """Give numbers to the units that occur.

        Parameters
        ----------
        labels : Labels
            The names of the units, row by row; none is missing.
        """
        codes, names = labels.dense()
        return cls(codes, len(names))

    def take(self, positions: NDArray[Any]) -> Units:
        """Return the units of some rows (or of those under a mask)."""
        codes = self.codes[positions]
        occurring = np.bincount(codes, minlength=self.n_units) > 0
        if occurring.all():
            return Units(codes, self.n_units)
        return Units((np.cumsum(occurring) - 1)[codes], int(np.count_nonzero(occurring)))
