"""Ranks of models within data sets, for the rank tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge.array_types import Floats
from adjudge.given.score_table import ScoreTable, settled


@dataclass(frozen=True, eq=False)
class Rankings:
    """Ranks of k models on each of N data sets with scores for all; 1 is best, and ties share their mean rank.

    Attributes
    ----------
    ranks : ndarray of shape (N, k)
    goodness : ndarray of shape (N, k)
        Scores, higher is better.
    """

    made_from: ClassVar[tuple[type, ...]] = (ScoreTable,)

    ranks: Floats
    goodness: Floats

    @classmethod
    def of(cls, table: ScoreTable) -> Rankings:
        """Rank the models on the data sets with a score for every model."""
        return cls.of_goodness(table.goodness[table.complete])

    @classmethod
    def of_goodness(cls, goodness: Any) -> Rankings:
        """Rank by scores, of which higher ones are better."""
        from scipy.stats import rankdata

        values = settled(np.asarray(goodness, np.float64))
        ranks = rankdata(-values, axis=1) if values.size else np.empty(values.shape)
        return cls(np.asarray(ranks, np.float64), values)

    @property
    def n_datasets(self) -> int:
        """N."""
        return int(self.ranks.shape[0])

    @property
    def n_models(self) -> int:
        """Number k of models."""
        return int(self.ranks.shape[1])

    @property
    def average(self) -> Floats:
        """Average rank of each model."""
        if not self.n_datasets:
            return np.full(self.n_models, np.nan)
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def untied(self) -> float:
        """Share of the ranks' variance that remains under ties: 1 without ties, 0 if all models tie everywhere."""
        n, k = self.ranks.shape
        most = n * k * (k * k - 1) / 12
        return float(((self.ranks - (k + 1) / 2) ** 2).sum()) / most if most else 0.0

    @property
    def ranges(self) -> Floats:
        """Best minus worst score of each data set."""
        return settled(self.goodness.max(axis=1) - self.goodness.min(axis=1))
