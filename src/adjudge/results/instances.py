"""The instances behind a result: the truth, and what each model said about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputError
from adjudge.given.label_sets import LabelSets
from adjudge.given.label_vectors import Labels
from adjudge.given.number_vectors import NumberVector
from adjudge.given.units import Units
from adjudge.inference.sampling_design import Drawn
from adjudge.results.patterns import Patterns
from adjudge.saved.omitted import LeftOut
from adjudge.statistics.agreement import (
    CELLS,
    OF_NUMBERS,
    SPLIT_CELLS,
    Outcomes,
    pairs_per_instance,
    right_or_wrong,
    same_labels,
)
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.label_sets import shared_keys
from adjudge.statistics.patterns import OutcomePatterns, pattern_codes


@dataclass(frozen=True, eq=False, repr=False)
class Instances:
    """What is known about each instance, in the order of the input: a column for the truth and for each model.

    A result that was saved with ``instances=True`` still has them after loading.

    Attributes
    ----------
    kind : {"clustering", "classification", "multilabel", "regression", "values"}
    truth : Labels, LabelSets if instances have several labels, NumberVector of true numbers, or None
        ``truth.given()`` is the label of each instance.
    labels : dict of str to Labels, LabelSets or NumberVector
        By model; "labels_pred" if only one was judged.
    n_given : int
        Number of instances in the input.
    kept : ndarray of int64 or None
        Input positions of the remaining instances; None if all remain.
    forecasts : dict of str to Forecasts
        Probabilities, or scores, by model, if they were given.
    weights : ndarray or None
        How many instances each row stands for (integers), or its weight (floats).
    units, runs : Units or None
    drawn : Drawn or None
        How the rows with a positive weight were sampled; None if each by itself, or if that is not known.
    groups : Labels or None
    better : {"higher", "lower"} or None
        Which end of numbers is better, if they are not predictions.

    Examples
    --------
    >>> from adjudge import compare
    >>> models = {"old": ["a", "b", "b", "b"], "new": ["a", "a", "b", "b"]}
    >>> rows = compare(["a", "a", "b", "b"], models).known_instances()
    >>> rows.positions.tolist(), rows.labels["old"].given().tolist()
    ([0, 1, 2, 3], ['a', 'b', 'b', 'b'])
    """

    kind: str
    truth: Labels | LabelSets | NumberVector | None
    labels: dict[str, Labels | LabelSets | NumberVector]
    n_given: int
    kept: Ints | None = None
    forecasts: dict[str, Forecasts] = field(default_factory=dict)
    weights: NDArray[Any] | None = None
    units: Units | None = None
    runs: Units | None = None
    drawn: Drawn | None = None
    groups: Labels | None = None
    better: str | None = None

    def __post_init__(self) -> None:
        for own in (*self.labels.values(), *self.forecasts.values()):
            if (len(own) if isinstance(own, Labels) else own.n) != self.n:
                raise InputError("a model has labels or forecasts of other instances than the truth")

    @property
    def n(self) -> int:
        """Number of remaining instances."""
        any_of = next(iter(self.labels.values())) if self.truth is None else self.truth
        return len(any_of) if isinstance(any_of, Labels) else any_of.n

    @property
    def positions(self) -> Ints:
        """Input positions of the remaining instances, counted from 0."""
        return np.arange(self.n) if self.kept is None else self.kept

    def __repr__(self) -> str:
        return f"<{self.n:,} instances of {', '.join(self.labels)}>"

    @cached_property
    def right(self) -> dict[str, NDArray[np.bool_]]:
        """Where each classifier is right."""
        truth, named = self._single()
        return {name: right_or_wrong(truth, own, name) for name, own in named.items()}

    def _single(self) -> tuple[Labels, dict[str, Labels]]:
        """Return the labels of instances that have one each."""
        assert isinstance(self.truth, Labels)
        return self.truth, {name: own for name, own in self.labels.items() if isinstance(own, Labels)}

    def outcomes(self, p: str, q: str) -> Outcomes:
        """Return where two classifiers are right; of two models' numbers, where each is at least as good."""
        if self.kind in OF_NUMBERS:
            one, other = self.losses[p], self.losses[q]
            return Outcomes(one <= other, other <= one, self.weights)
        return Outcomes(self.right[p], self.right[q], self.weights)

    @cached_property
    def losses(self) -> dict[str, NDArray[np.float64]]:
        """How bad the numbers of each model are: the sizes of errors, or the numbers themselves, or their negatives."""
        found = {}
        for name, own in self.labels.items():
            assert isinstance(own, NumberVector)
            if isinstance(self.truth, NumberVector):
                found[name] = np.abs(own.values - self.truth.values)
            else:
                found[name] = -own.values if self.better == "higher" else own.values
        return found

    def patterns(self) -> Patterns:
        """Say which classifiers are right on the same instances."""
        codes = pattern_codes(list(self.right.values()))
        found = OutcomePatterns.of(codes, len(self.right), self.weights)
        return Patterns(tuple(self.right), found, codes, self.kept)

    def wrong_alike(self, p: str, q: str) -> NDArray[np.bool_]:
        """Return where two classifiers are wrong and say the same."""
        _, named = self._single()
        return same_labels(named[p], named[q]) & ~self.right[p]

    def of_cell(self, p: str, q: str, cell: str) -> NDArray[Any]:
        """Return what `HeadToHead.instances` does: positions, pairs of each instance, or pairs with a label."""
        if self.kind == "classification" or self.kind in OF_NUMBERS:
            return self._right_in(p, q, cell)
        return self._pairs_in(p, q, cell) if self.kind == "clustering" else self._labels_in(p, q, cell)

    def _right_in(self, p: str, q: str, cell: str) -> Ints:
        if cell in SPLIT_CELLS:
            alike = self.wrong_alike(p, q)
            neither = ~(self.right[p] | self.right[q])
            positions = np.flatnonzero(alike if cell == "both_wrong_same" else neither & ~alike)
        else:
            positions = self.outcomes(p, q).positions(cell)
        return positions if self.kept is None else self.kept[positions]

    @cached_property
    def _counted(self) -> dict[tuple[str, str], dict[str, NDArray[Any]]]:
        """All four cells of the last pair, because they are requested in succession."""
        return {}

    def _pairs_in(self, p: str, q: str, cell: str) -> NDArray[Any]:
        if (p, q) not in self._counted:
            truth, named = self._single()
            self._counted.clear()
            self._counted[p, q] = pairs_per_instance(truth, named[p], named[q], weights=self.weights)
        counts = self._counted[p, q][cell]
        if self.kept is None:
            return counts
        scattered = np.zeros(self.n_given, counts.dtype)
        scattered[self.kept] = counts
        return scattered

    @cached_property
    def wrong(self) -> dict[str, Ints]:
        """Pairs of an instance and a label on which each model is wrong, if instances have several labels."""
        truth, named = self._sets()
        return {name: np.setxor1d(truth.keys, own.keys, assume_unique=True) for name, own in named.items()}

    def _sets(self) -> tuple[LabelSets, dict[str, LabelSets]]:
        assert isinstance(self.truth, LabelSets)
        return self.truth, {name: own for name, own in self.labels.items() if isinstance(own, LabelSets)}

    def _labels_in(self, p: str, q: str, cell: str) -> Ints:
        """Return instance and position of the label of each pair in a cell, shape (m, 2)."""
        truth, _ = self._sets()
        wrong_p, wrong_q = self.wrong[p], self.wrong[q]
        width = len(truth.labels)
        if cell == CELLS[0]:
            every = np.arange(truth.n * width)
            keys = np.setdiff1d(every, np.union1d(wrong_p, wrong_q), assume_unique=True)
        elif cell == CELLS[3]:
            keys = shared_keys(wrong_p, wrong_q)
        else:
            sides = (wrong_q, wrong_p) if cell == CELLS[1] else (wrong_p, wrong_q)
            keys = np.setdiff1d(*sides, assume_unique=True)
        rows, columns = np.divmod(keys, width)
        return np.column_stack([truth.given_rows(rows), columns]).astype(np.int64)


def drawn_in(result: Any) -> Drawn | None:
    """Return how the instances behind an evaluation or a comparison were sampled, if they are known."""
    instances: Instances | LeftOut | None = result._instances
    return instances.drawn if isinstance(instances, Instances) else None
