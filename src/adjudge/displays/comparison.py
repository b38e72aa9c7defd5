"""One measure over all ordered pairs of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from adjudge.array_types import Floats
from adjudge.displays._colors import muted
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    balance_map,
    ramp,
)
from adjudge.displays._given import as_array, check_made, of_gate
from adjudge.displays._heat_map import HeatMap
from adjudge.displays._makers import Maker, estimators_and_truth
from adjudge.errors import InputError
from adjudge.given.options import given_names
from adjudge.indices.catalog import find_index
from adjudge.presentation.numbers import value_text
from adjudge.presentation.palette import OUTCOME_COLORS
from adjudge.results import Comparison
from adjudge.results.gate import Gate


class ComparisonDisplay(Display):
    """A measure of every ordered pair of models as a heat map, with intervals if they are known.

    Rows are primary models, columns alternatives. Cells too small for an interval have only the value, and still
    smaller ones only their colour. Hatched cells are undefined. For the comparative deviation, whose 0 says that
    neither model is ahead, values are bold if the interval excludes 0.

    Parameters
    ----------
    models : sequence of str
    values : array-like of shape (m, m)
        Measure of the row's model against the column's; the diagonal is ignored.
    measure : str
        Name of the measure.
    intervals : array-like of shape (m, m, 2), optional
        Low and high ends; nan if there are none.
    """

    def __init__(
        self,
        models: Sequence[str],
        values: Any,
        *,
        measure: str = "comparative_deviation",
        intervals: Any = None,
    ) -> None:
        self.models = tuple(given_names("models", models))
        m = len(self.models)
        self.values = as_array("values", values)
        self.measure = find_index(measure, "comparative").name
        if self.values.shape != (m, m):
            raise InputError(f"values has shape {self.values.shape}: {m} models need ({m}, {m})")
        self.intervals: Floats = np.full((m, m, 2), np.nan)
        if intervals is not None:
            self.intervals = as_array("intervals", intervals)
        if self.intervals.shape != (m, m, 2):
            raise InputError(f"intervals has shape {self.intervals.shape}: {m} models need ({m}, {m}, 2)")
        np.fill_diagonal(self.values, np.nan)

    @classmethod
    def from_result(cls, result: Comparison | Gate, *, measure: str = "comparative_deviation") -> Self:
        """Read a measure, and its intervals if there are any, from a comparison.

        Parameters
        ----------
        result : Comparison or Gate
        measure : str
            One of the five measures, by name or symbol ("sigma_c", "alpha" ...).
        """
        compared: Comparison = of_gate(result)
        check_made("result", compared, Comparison, "compare()")
        name = find_index(measure, "comparative").name
        m = len(compared.models)
        values = np.full((m, m), np.nan)
        intervals = np.full((m, m, 2), np.nan)
        for i, p in enumerate(compared.models):
            for j, q in enumerate(compared.models):
                if i != j:
                    pair = compared[p, q]
                    values[i, j] = pair.measures[name]
                    intervals[i, j] = pair.intervals.get(name, (math.nan, math.nan))
        return cls(compared.models, values, measure=name, intervals=intervals)

    from_predictions = Maker("compare", "Compare the models' labels.")
    from_estimator = Maker("compare", "Compare fitted estimators.", estimators_and_truth)

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the heat map."""
        m = len(self.models)
        record = find_index(self.measure, "comparative")
        has_intervals = not np.isnan(self.intervals).all()
        # Room for the notes is made before the cells are measured.
        ax.set_xlabel("alternative" + "\n " * has_intervals, fontsize=size, color=muted())
        ax.set_ylabel("primary", fontsize=size, color=muted())

        def value(i: int, j: int) -> str | None:
            return None if i == j else value_text(self.values[i, j])

        def with_interval(i: int, j: int) -> str | None:
            bounds = self.intervals[i, j]
            if i == j or np.isnan(bounds).any():
                return value(i, j)
            return f"{value(i, j)}\n[{value_text(bounds[0])}, {value_text(bounds[1])}]"

        def decided(i: int, j: int) -> bool:
            bounds = self.intervals[i, j]
            return self.measure == "comparative_deviation" and bool(bounds[0] > 0 or bounds[1] < 0)

        written = HeatMap(
            self.values,
            rows=self.models,
            columns=self.models,
            title=f"{record.title} of {m} models",
            cmap=balance_map() if record.range[0] < 0 else ramp(OUTCOME_COLORS["right_wrong"]),
            limits=record.range,
            writers=[with_interval, value] if has_intervals else [value],
            scale=_with_symbol(record.title, record.formula),
            n_shown=5,
            bold=decided,
        ).draw(ax, size)
        for patch in list(ax.patches):
            x, y = patch.get_xy()
            if x == y:  # a model against itself is not undefined: there is nothing to compare
                patch.remove()
        notes = []
        if written is not None and any(decided(i, j) for i in range(m) for j in range(m)):
            notes.append("bold: the interval excludes 0")
        if has_intervals and written != 0:
            notes.append("intervals show in a larger figure")
        if notes:
            ax.set_xlabel("alternative\n" + "; ".join(notes))


def _with_symbol(title: str, formula: str) -> str:
    symbol = formula.partition("=")[0].strip()
    return f"{title} ${symbol}$" if symbol else title
