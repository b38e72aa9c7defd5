"""How scores rank the labels of each instance, the instances of each label, and all pairs of the two."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.input_kinds import LabelForecasts, TrueSets
from adjudge.given.label_scores import LabelScores
from adjudge.given.label_sets import LabelSets
from adjudge.kernels.label_ranks import rank_labels
from adjudge.parallel import in_threads, spans
from adjudge.statistics.forecasts import DecisionForecasts
from adjudge.statistics.ranked_scores import RankAreas, areas_of_column


@dataclass(frozen=True, eq=False)
class LabelRankings:
    """Ranks of each instance's true labels among all labels. Rankings of disjoint instances add up with ``+``.

    Attributes
    ----------
    n_labels : int
    precisions : ndarray of float64 of shape (n,)
        Mean, over the true labels, of the share of true ones among labels that score at least as high; nan if none.
    coverages : ndarray of float64 of shape (n,)
        Number of labels that score at least as high as the lowest true one; 0 if there is no true one.
    lost, tied : ndarray of float64 of shape (n,)
        Share of pairs of a true and another label in which the other scores higher, and in which both score the same;
        nan without such pairs.
    top_errors : ndarray of float64 of shape (n,)
        Share of the highest-scoring labels that are not true.
    weights : ndarray of shape (n,), or None
    """

    made_from: ClassVar[tuple[type, ...]] = (TrueSets, LabelForecasts)

    n_labels: int
    precisions: Floats
    coverages: Floats
    lost: Floats
    tied: Floats
    top_errors: Floats
    weights: NDArray[Any] | None = None

    @classmethod
    def make(cls, true: LabelSets, scores: LabelScores) -> LabelRankings:
        """Compare the score of each true label with those of all labels of its instance."""
        found = np.empty((true.n, 5))
        starts, columns = true.starts, true.columns

        def fill(part: slice) -> None:
            # Starts are relative to the first key of all rows.
            rank_labels(scores.values[part], starts[part.start : part.stop + 1], columns, found[part])

        in_threads(fill, spans(true.n))
        precisions, coverages, lost, tied, errors = np.ascontiguousarray(found.T)
        return cls(len(true.labels), precisions, coverages, lost, tied, errors, true.weights)

    def __add__(self, other: LabelRankings) -> LabelRankings:
        if not isinstance(other, LabelRankings):
            return NotImplemented
        if self.n_labels != other.n_labels:
            raise InputError(
                "sets of different labels cannot be added: make both with the same ", Option("classes")
            )
        whole = self.weights is None and other.weights is None

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in (self, other)])

        return LabelRankings(
            self.n_labels,
            joined("precisions"),
            joined("coverages"),
            joined("lost"),
            joined("tied"),
            joined("top_errors"),
            None if whole else joined("known_weights"),
        )

    @property
    def known_weights(self) -> NDArray[Any]:
        """Weights of the instances, 1 each if none were given."""
        return np.ones(self.coverages.size, np.int64) if self.weights is None else self.weights


class LabelAreas(RankAreas):
    """For each label, how its scores rank the instances that have it above the others."""

    made_from: ClassVar[tuple[type, ...]] = (TrueSets, LabelForecasts)

    @classmethod
    def make(cls, true: LabelSets, scores: LabelScores) -> LabelAreas:
        """Sort the scores of each label in turn."""
        width = len(true.labels)
        found = np.empty((width, 2))
        for column, own in enumerate(forecasts_of_labels(true, scores)):
            found[column] = areas_of_column(own.values, own.codes, 1, own.weights)
        sizes = np.bincount(true.columns, None if true.weights is None else true.weights[true.rows], width)
        return cls(true.labels, None, sizes, found[:, 0], found[:, 1])


@dataclass(frozen=True, slots=True)
class PooledAreas:
    """One ranking of all pairs of an instance and a label.

    Attributes
    ----------
    area, average_precision : float
        nan if no pair is true; the area also if all pairs are.
    """

    made_from: ClassVar[tuple[type, ...]] = (TrueSets, LabelForecasts)

    area: float = math.nan
    average_precision: float = math.nan

    @classmethod
    def make(cls, true: LabelSets, scores: LabelScores) -> PooledAreas:
        """Sort the scores of all pairs."""
        codes = np.zeros(true.n * len(true.labels), np.int64)
        codes[true.keys] = 1
        weights = None if true.weights is None else np.repeat(_floats(true.weights), len(true.labels))
        return cls(*areas_of_column(scores.values.ravel(), codes, 1, weights))


def forecasts_of_labels(true: LabelSets, scores: LabelScores) -> Iterator[DecisionForecasts]:
    """Yield the scores of each label as those of a binary classifier of instances without and with it."""
    weights = None if true.weights is None else _floats(true.weights)
    for column, holders in enumerate(true.by_label()):
        codes = np.zeros(true.n, np.int64)
        codes[holders] = 1
        values = np.ascontiguousarray(scores.values[:, column])
        yield DecisionForecasts([False, True], codes, values, weights, positive=1)


def _floats(weights: NDArray[Any]) -> Floats:
    return weights.astype(np.float64)
