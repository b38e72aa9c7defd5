"""A table of scores, data sets by models: what a benchmark is given, or reduces its predictions to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.errors import InputError
from adjudge.given.options import check_choice

#: Which scores are better.
BETTER = ("higher", "lower")

# Significant digits to trust in sums and differences of scores.
_DIGITS = 12


def settled(values: Floats) -> Floats:
    """Round off floating-point error: 0.3 - 0.2 then equals 0.2 - 0.1, as it does in decimals."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest == 0 or not math.isfinite(largest):
        return values
    decimals = _DIGITS - 1 - math.floor(math.log10(largest))
    return np.round(values, decimals) if decimals < 300 else values


def is_data_frame(given: Any) -> bool:
    """Whether columns can be accessed by name."""
    return hasattr(given, "columns") or hasattr(given, "column_names")


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One score per data set and model; nan if a model has none.

    Attributes
    ----------
    datasets, models : tuple of str
    values : ndarray of shape (n_datasets, n_models)
    better : {"higher", "lower"}
    """

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    values: Floats
    better: str = "higher"

    @classmethod
    def of(cls, datasets: Sequence[Any], models: Sequence[Any], values: Any, better: str) -> ScoreTable:
        """Check names and numbers.

        Raises
        ------
        InputError
            For fewer than two models, names that occur twice, infinite scores and tables of another shape.
        """
        check_choice("better", better, BETTER)
        rows, columns = tuple(map(str, datasets)), tuple(map(str, models))
        for what, names in (("data sets", rows), ("models", columns)):
            twice = (
                {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
            )
            if twice:
                raise InputError(f"two {what} are called {sorted(twice)[0]!r}: rename one")
        if len(columns) < 2:
            raise InputError(f"there is {len(columns)} model: a benchmark compares two or more")
        try:
            numbers = np.array(values, np.float64)
        except (TypeError, ValueError):
            raise InputError("scores contain something other than numbers, or are ragged") from None
        if numbers.shape != (len(rows), len(columns)):
            raise InputError(
                f"scores have shape {numbers.shape}: {len(rows)} data sets by {len(columns)} models are needed"
            )
        if np.isinf(numbers).any():
            i, j = np.argwhere(np.isinf(numbers))[0]
            raise InputError(
                f"the score of {columns[j]!r} on {rows[i]!r} is infinite: leave it out (nan), or give a finite one"
            )
        return cls(rows, columns, numbers, better)

    @property
    def sign(self) -> int:
        """1 if higher is better, else -1."""
        return 1 if self.better == "higher" else -1

    @property
    def goodness(self) -> Floats:
        """Scores signed so that higher is better, without floating-point error."""
        return settled(self.sign * self.values)

    @property
    def complete(self) -> Bools:
        """Which data sets have a score from every model."""
        return np.asarray(~np.isnan(self.values).any(axis=1))

    def column(self, model: str) -> int:
        """Position of a model."""
        if model not in self.models:
            raise InputError(
                f"there is no model {model!r}: choose one of {', '.join(map(repr, self.models))}"
            )
        return self.models.index(model)

    def differences(self, first: str, second: str) -> Floats:
        """Return how much better the first model is, on the data sets where both have scores."""
        found = self.goodness[:, self.column(first)] - self.goodness[:, self.column(second)]
        return settled(found[~np.isnan(found)])

    def rows(self, kept: NDArray[Any]) -> ScoreTable:
        """Return the table of some of the data sets, by position or by a mask."""
        positions = np.flatnonzero(kept) if kept.dtype == bool else kept
        names = tuple(self.datasets[i] for i in positions)
        return ScoreTable(names, self.models, self.values[positions], self.better)
