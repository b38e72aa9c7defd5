"""One measure over all ordered pairs of models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.displays._colors import ink, muted
from adjudge.displays._drawing import (
    Display,
    axes_size,
    balance_map,
    fit_ticks,
    heat_map,
    name_ticks,
    ramp,
    text_size,
    title_axes,
    write_cells,
)
from adjudge.displays._estimators import labels_by
from adjudge.displays._given import as_array, as_mapping, check_made, of_gate
from adjudge.errors import InputError
from adjudge.given.options import given_names
from adjudge.indices.catalog import find_index
from adjudge.presentation.numbers import value_text
from adjudge.presentation.palette import OUTCOME_COLORS
from adjudge.results import Comparison
from adjudge.results.gate import Gate

__all__ = ["ComparisonDisplay"]


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

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
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
        self.intervals: NDArray[np.float64] = np.full((m, m, 2), np.nan)
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

    @classmethod
    def from_predictions(
        cls,
        labels_true: Any,
        models: Mapping[str, Any] | Any,
        *,
        kind: Literal["clustering", "classification"],
        measure: str = "comparative_deviation",
        **options: Any,
    ) -> Self:
        """Compare the models' labels.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        models : mapping of str to array-like of shape (n,), or data frame
        kind : {"clustering", "classification"}
        measure : str
        **options
            As for :func:`~adjudge.compare`.
        """
        from adjudge.verbs.compare import compare

        return cls.from_result(compare(labels_true, models, kind=kind, **options), measure=measure)

    @classmethod
    def from_estimator(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        kind: Literal["clustering", "classification"],
        measure: str = "comparative_deviation",
        **options: Any,
    ) -> Self:
        """Compare fitted estimators.

        Parameters
        ----------
        estimators : mapping of str to fitted estimator
        X : array-like of shape (n, p)
        y : array-like of shape (n,)
            The truth.
        kind : {"clustering", "classification"}
        measure : str
        **options
            As for :func:`~adjudge.compare`.
        """
        models = {
            name: labels_by(estimator, X) for name, estimator in as_mapping("estimators", estimators).items()
        }
        return cls.from_predictions(y, models, kind=kind, measure=measure, **options)

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        m = len(self.models)
        ax = self._start(ax, figsize)
        size = text_size(ax)
        record = find_index(self.measure, "comparative")
        low, high = record.range
        cmap = balance_map() if low < 0 else ramp(OUTCOME_COLORS["right_wrong"])
        mesh, colors = heat_map(ax, self.values, cmap, low, high)
        for patch in list(ax.patches):
            x, y = patch.get_xy()
            if x == y:  # a model against itself is not undefined: there is nothing to compare
                patch.remove()
        has_intervals = not np.isnan(self.intervals).all()
        # Room for the notes is made before the cells are measured.
        ax.set_xlabel("alternative" + "\n " * has_intervals, fontsize=size, color=muted())
        ax.set_ylabel("primary", fontsize=size, color=muted())
        ticks = [i + 0.5 for i in range(m)]
        room = 0.75 * axes_size(ax)[0] / m
        name_ticks(ax, "x", ticks, self.models, size, room)
        name_ticks(ax, "y", ticks, self.models, size, room)
        title_axes(ax, f"{record.title} of {m} models", size)
        ax.tick_params(length=0, pad=2, labelcolor=ink())
        for spine in ax.spines.values():
            spine.set_visible(False)
        bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.9, pad=0.02, aspect=24)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=0.9 * size, length=2, width=0.6, color=muted(), pad=1.5)
        bar.ax.locator_params(nbins=5)
        bar.set_label(_with_symbol(record.title, record.formula), fontsize=size, color=ink())

        fit_ticks(ax, size)

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

        levels = [with_interval, value] if has_intervals else [value]
        written = write_cells(ax, (m, m), levels, colors, size, bold=decided)
        notes = []
        if written is not None and any(decided(i, j) for i in range(m) for j in range(m)):
            notes.append("bold: the interval excludes 0")
        if has_intervals and written != 0:
            notes.append("intervals show in a larger figure")
        if notes:
            ax.set_xlabel("alternative\n" + "; ".join(notes))
        return self


def _with_symbol(title: str, formula: str) -> str:
    symbol = formula.partition("=")[0].strip()
    return f"{title} ${symbol}$" if symbol else title
