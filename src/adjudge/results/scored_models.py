"""Models with a score on each of many data sets: their ranks, and the tests of their differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import combinations
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from adjudge.array_types import Floats
from adjudge.given.options import check_choice
from adjudge.given.score_table import ScoreTable
from adjudge.inference.common.significance import TestResult
from adjudge.inference.data_sets.rank_comparison import pairwise_tests
from adjudge.inference.data_sets.ranks import OVERALL, kendall_w, nemenyi_difference
from adjudge.inference.data_sets.two_models import PairedEffects, paired_effects
from adjudge.presentation.equal_by_content import ByValue
from adjudge.statistics.rankings import Rankings

P = ParamSpec("P")
R = TypeVar("R")

# With more data sets than this, none decides a comparison alone, and searching takes long.
_MOST_LEFT_OUT = 200


def _of_own_scores(
    test: Callable[Concatenate[ScoreTable, P], R],
) -> Callable[Concatenate[ScoredModels, P], R]:
    """Turn a test of a table into a method with the same parameters that reads the table of the models."""

    @wraps(test, assigned=("__doc__",))
    def method(self: ScoredModels, /, *args: P.args, **options: P.kwargs) -> R:
        return test(self.table, *args, **options)

    return method


@dataclass(frozen=True, eq=False, repr=False)
class ScoredModels(ByValue):
    """Models over data sets: what their scores alone say."""

    table: ScoreTable
    score: str

    # What was measured

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return self.table.models

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, in the order given."""
        return self.table.datasets

    @property
    def better(self) -> str:
        """Which scores are better, "higher" or "lower"."""
        return self.table.better

    @property
    def n_complete(self) -> int:
        """Number of data sets where every model has a score, which ranks are computed on."""
        return int(self.table.complete.sum())

    @cached_property
    def scores(self) -> dict[str, dict[str, float]]:
        """Scores by data set and model: ``scores["iris"]["k-means"]``."""
        return self._by_dataset(self.table.values)

    @cached_property
    def ranks(self) -> dict[str, dict[str, float]]:
        """Ranks by data set and model, 1 is best; nan on data sets where some model has no score."""
        ranks = np.full(self.table.values.shape, math.nan)
        ranks[self.table.complete] = self.rankings.ranks
        return self._by_dataset(ranks)

    def _by_dataset(self, values: Floats) -> dict[str, dict[str, float]]:
        return {
            name: dict(zip(self.models, map(float, row), strict=True))
            for name, row in zip(self.datasets, values, strict=True)
        }

    @cached_property
    def rankings(self) -> Rankings:
        """The input of the rank tests."""
        return Rankings.of(self.table)

    @property
    def average_ranks(self) -> dict[str, float]:
        """Average rank by model, 1 is best."""
        return dict(zip(self.models, map(float, self.rankings.average), strict=True))

    @property
    def mean_scores(self) -> dict[str, float]:
        """Mean score by model over the data sets where every model has a score."""
        kept = self.table.values[self.table.complete]
        means = kept.mean(axis=0) if len(kept) else np.full(len(self.models), math.nan)
        return dict(zip(self.models, map(float, means), strict=True))

    @property
    def best_on(self) -> dict[str, int]:
        """On how many data sets each model ranks first, ties included."""
        ranks = self.rankings.ranks
        found = (ranks == ranks.min(axis=1, keepdims=True, initial=math.inf)).sum(axis=0)
        return dict(zip(self.models, map(int, found), strict=True))

    @property
    def order(self) -> list[str]:
        """Models from the best average rank to the worst."""
        ranks = self.average_ranks
        return sorted(self.models, key=lambda model: (math.isnan(ranks[model]), ranks[model]))

    # Tests

    @cached_property
    def friedman(self) -> TestResult:
        """Friedman's test that all models rank alike, ties corrected."""
        return OVERALL["friedman"](self.rankings)

    @property
    def iman_davenport(self) -> TestResult:
        """Iman and Davenport's version, closer to its nominal level for few data sets."""
        return self.overall("iman-davenport")

    def overall(self, test: str = "friedman") -> TestResult:
        """Test that all models are alike: "friedman", "iman-davenport", "quade" or "aligned-ranks"."""
        check_choice("test", test, tuple(OVERALL))
        return OVERALL[test](self.rankings)

    @property
    def concordance(self) -> float:
        """Kendall's W, the effect size of Friedman's test: 0 to 1."""
        return kendall_w(self.rankings)

    @cached_property
    def critical_difference(self) -> float:
        """By how much average ranks must differ at the 5 % level (Nemenyi)."""
        return self.nemenyi_difference(0.05)

    def nemenyi_difference(self, alpha: float) -> float:
        """Return by how much average ranks must differ at a level."""
        if not self.n_complete:
            return math.nan
        return nemenyi_difference(self.n_complete, len(self.models), alpha)

    pairwise = _of_own_scores(pairwise_tests)

    def effects(self, confidence: float = 0.95) -> dict[tuple[str, str], PairedEffects]:
        """Return how much better the first of two models is, in the order of their average ranks."""
        return {
            pair: paired_effects(self.table.differences(*pair), confidence)
            for pair in combinations(self.order, 2)
        }

    def decisive(self, alpha: float = 0.05, **options: Any) -> dict[tuple[str, str], list[str]]:
        """Return the pairs whose significance rests on one data set, with the data sets whose removal ends it.

        Parameters
        ----------
        alpha : float
        **options
            As for :meth:`pairwise`.
        """
        if len(self.datasets) > _MOST_LEFT_OUT:
            return {}
        whole = {pair for pair, p in self.pairwise(**options).items() if p <= alpha}
        found: dict[tuple[str, str], list[str]] = {}
        for i, name in enumerate(self.datasets):
            rest = self.table.rows(np.delete(np.arange(len(self.datasets)), i))
            for pair, p in pairwise_tests(rest, **options).items():
                if (pair in whole) and not p <= alpha:
                    found.setdefault(pair, []).append(name)
        return found
