"""Models over many data sets: scores, ranks, and wins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np

from adjudge.displays._colors import faint, ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    balance_map,
    quiet,
    ramp,
    title_axes,
)
from adjudge.displays._given import as_array, check_made
from adjudge.displays._heat_map import HeatMap
from adjudge.displays._text import shorten_all
from adjudge.errors import Argument, InputError
from adjudge.given.options import given_names
from adjudge.presentation.numbers import capitalised, value_text
from adjudge.presentation.palette import EMPHASIS, QUANTITY
from adjudge.results.benchmark import Benchmark

_MADE_BY = "benchmark()"


class DatasetMapDisplay(Display):
    """A heat map with one row per data set: scores by model, or the comparative deviation sigma_c by pair of models.

    The best score of a row is bold. Hatched cells have no value.

    Parameters
    ----------
    datasets, columns : sequence of str
    values : array-like of shape (n_datasets, n_columns)
    better : {"higher", "lower"}, or None
        None for deviations, whose scale goes from -1 to 1.
    score : str, default "score"
        What the values are.
    """

    def __init__(
        self,
        datasets: Sequence[str],
        columns: Sequence[str],
        values: Any,
        *,
        better: str | None = "higher",
        score: str = "score",
    ) -> None:
        self.datasets, self.columns = given_names("datasets", datasets), given_names("columns", columns)
        self.values = as_array("values", values)
        if self.values.shape != (len(self.datasets), len(self.columns)):
            raise InputError(
                f"values has shape {self.values.shape}: ({len(self.datasets)}, {len(self.columns)}) is needed"
            )
        self.better = better
        self.score = str(score)

    @classmethod
    def from_result(cls, result: Benchmark) -> Self:
        """Read the scores, with the models from the best average rank to the worst.

        Parameters
        ----------
        result : Benchmark
        """
        check_made("result", result, Benchmark, _MADE_BY)
        columns = [result.table.column(model) for model in result.order]
        return cls(
            result.datasets,
            result.order,
            result.table.values[:, columns],
            better=result.better,
            score=result.score,
        )

    @classmethod
    def from_deviations(cls, result: Benchmark) -> Self:
        """Read sigma_c by data set and pair of models: above 0 if the first is right more often.

        Parameters
        ----------
        result : Benchmark
            Made from labels.
        """
        check_made("result", result, Benchmark, _MADE_BY)
        pairs = list(combinations(result.order, 2))
        across = [result.across(*pair).deviations for pair in pairs]
        values = [[found.get(name, math.nan) for found in across] for name in result.datasets]
        return cls(
            result.datasets,
            [f"{p} - {q}" for p, q in pairs],
            values,
            better=None,
            score="comparative deviation",
        )

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the map."""
        if self.better is None:
            cmap, limits = balance_map(), (-1.0, 1.0)
        else:
            known = self.values[~np.isnan(self.values)]
            limits = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
            cmap = ramp(QUANTITY) if self.better == "higher" else ramp(QUANTITY).reversed()
        best = self._best()
        HeatMap(
            self.values,
            rows=self.datasets,
            columns=self.columns,
            title=f"{capitalised(self.score)} by data set and {'model' if self.better else 'pair of models'}",
            cmap=cmap,
            limits=limits,
            writers=[lambda i, j: None if np.isnan(own := self.values[i, j]) else value_text(float(own), 2)],
            scale=self.score,
            room=22.0,
            bold=lambda i, j: bool(best[i, j]),
        ).draw(ax, size)

    def _best(self) -> np.ndarray[Any, Any]:
        """Return where each row has its best score."""
        if self.better is None:
            return np.zeros(self.values.shape, bool)
        goodness = self.values if self.better == "higher" else -self.values
        top = np.where(np.isnan(goodness), -np.inf, goodness).max(axis=1, keepdims=True, initial=-np.inf)
        return np.asarray(goodness == top)


class RankDistributionDisplay(Display):
    """On how many data sets each model has each rank, with a mark at its average rank.

    Parameters
    ----------
    ranks : array-like of shape (n_datasets, n_models)
    models : sequence of str
    """

    def __init__(self, ranks: Any, models: Sequence[str]) -> None:
        self.models = given_names("models", models)
        self.ranks = as_array("ranks", ranks)
        if self.ranks.ndim != 2 or self.ranks.shape[1] != len(self.models) or not len(self.ranks):
            raise InputError(
                f"ranks has shape {self.ranks.shape}: data sets by {len(self.models)} models are needed"
            )

    @classmethod
    def from_result(cls, result: Benchmark) -> Self:
        """Read the ranks on the data sets where every model has a score.

        Parameters
        ----------
        result : Benchmark
        """
        check_made("result", result, Benchmark, _MADE_BY)
        columns = [result.table.column(model) for model in result.order]
        return cls(result.rankings.ranks[:, columns], result.order)

    def _draw(self, ax: Any, size: float) -> None:
        """Draw a row of circles per model: their areas are numbers of data sets."""
        k, n = len(self.models), len(self.ranks)
        ax.set_xlim(0.4, k + 0.6)
        ax.set_ylim(k - 0.4, -0.6)
        for row in range(k):
            ax.axhline(row, color=faint(), linewidth=0.5, zorder=0)
            places, counts = np.unique(self.ranks[:, row], return_counts=True)
            ax.scatter(
                places,
                [row] * len(places),
                s=260 * counts / n,
                color=on_page(QUANTITY),
                alpha=0.75,
                linewidth=0,
            )
            average = float(self.ranks[:, row].mean())
            ax.plot([average, average], [row - 0.38, row + 0.38], color=on_page(EMPHASIS), linewidth=1.4)
        quiet(ax, size, keep=("bottom",))
        ax.set_xticks(range(1, k + 1, max(1, k // 12)))
        ax.set_yticks(range(k))
        names = shorten_all(self.models, 22)
        ax.set_yticklabels(names, fontsize=size, parse_math=False)
        ax.tick_params(axis="y", length=0)
        title_axes(ax, f"Ranks of {k} models on {n} data sets", size)
        ax.set_xlabel("rank (line: average)", fontsize=size, color=ink())


class WinTieLossDisplay(Display):
    """On how many data sets the row's model beats, ties with, and loses to the column's model.

    Parameters
    ----------
    models : sequence of str
    wins : array-like of int of shape (m, m)
        Number of data sets on which the row's model scores better than the column's.
    ties : array-like of int of shape (m, m)
    """

    def __init__(self, models: Sequence[str], wins: Any, ties: Any) -> None:
        self.models = given_names("models", models)
        m = len(self.models)
        self.wins, self.ties = as_array("wins", wins), as_array("ties", ties)
        for name, values in (("wins", self.wins), ("ties", self.ties)):
            if values.shape != (m, m):
                raise InputError(Argument(name), f" has shape {values.shape}: {m} models need ({m}, {m})")

    @classmethod
    def from_result(cls, result: Benchmark) -> Self:
        """Count wins and ties on the data sets where both models have a score.

        Parameters
        ----------
        result : Benchmark
        """
        check_made("result", result, Benchmark, _MADE_BY)
        m = len(result.order)
        wins, ties = np.zeros((m, m)), np.zeros((m, m))
        for i, j in combinations(range(m), 2):
            differences = result.table.differences(result.order[i], result.order[j])
            wins[i, j], wins[j, i] = (differences > 0).sum(), (differences < 0).sum()
            ties[i, j] = ties[j, i] = (differences == 0).sum()
        return cls(result.order, wins, ties)

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the matrix: the more a row's model wins, the stronger the colour."""
        m = len(self.models)
        losses = self.wins.T
        total = self.wins + self.ties + losses
        with np.errstate(invalid="ignore"):
            balance = np.where(total > 0, (self.wins - losses) / total, np.nan)
        np.fill_diagonal(balance, np.nan)

        def counts(i: int, j: int) -> str | None:
            return None if i == j else f"{self.wins[i, j]:.0f}/{self.ties[i, j]:.0f}/{losses[i, j]:.0f}"

        def won(i: int, j: int) -> str | None:
            return None if i == j else f"{self.wins[i, j]:.0f}"

        written = HeatMap(
            balance,
            rows=self.models,
            columns=self.models,
            title=f"Wins, ties and losses of {m} models",
            cmap=balance_map(),
            limits=(-1.0, 1.0),
            writers=[counts, won],
            room=24.0,
        ).draw(ax, size)
        if written == 0:
            ax.set_xlabel("wins / ties / losses of the row", fontsize=size, color=muted())
        elif written == 1:
            ax.set_xlabel("wins of the row", fontsize=size, color=muted())
