"""A probability, or a score that ranks, for each label of each instance: checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import of_other_length
from adjudge.given.class_order import check_one_order
from adjudge.given.label_sets import LabelSets
from adjudge.given.probabilities import check_none_missing, check_shares, score_array, without_dust

# A label is predicted from this probability on.
_LIKELY = 0.5


@dataclass(frozen=True, eq=False)
class LabelScores:
    """A score for each label of each instance; rows need not add up to 1.

    Attributes
    ----------
    values : ndarray of float64 or float32 of shape (n, L)
    labels : sequence of length L, or None
        Labels of the columns, if the input names them.
    are_probabilities : bool
        Whether they are probabilities, not scores that only rank.
    """

    values: NDArray[Any]
    labels: Sequence[Any] | None
    are_probabilities: bool

    @property
    def name(self) -> str:
        """The option that they were given as."""
        return "probabilities" if self.are_probabilities else "scores"

    def of(self, sets: LabelSets) -> LabelScores:
        """Order the columns as the labels of the true sets; raise if the shapes do not fit."""
        n, width = self.values.shape
        if n != sets.n:
            raise of_other_length(self.name, n, "labels_true", sets.n)
        if width != len(sets.labels):
            raise InputError(
                f"{self.name} has {width} columns, but there are {len(sets.labels)} labels: name all with ",
                Option("classes"),
            )
        if self.labels is None:
            check_one_order(sets.labels, self.name)
        if self.labels is None or list(self.labels) == list(sets.labels):
            return replace(self, labels=sets.labels)
        places = {label: i for i, label in enumerate(self.labels)}
        if unknown := [label for label in sets.labels if label not in places]:
            raise InputError(
                f"{self.name} has no column {unknown[0]!r}: name all labels with ", Option("classes")
            )
        order = [places[label] for label in sets.labels]
        return LabelScores(np.ascontiguousarray(self.values[:, order]), sets.labels, self.are_probabilities)

    def kept_in(self, sets: LabelSets) -> LabelScores:
        """Return the scores of the instances that remain in the true sets."""
        return self if sets.kept is None else self.take(sets.kept)

    def take(self, positions: Ints) -> LabelScores:
        """Return the scores of some instances."""
        return replace(self, values=self.values[positions])

    def likely(self) -> LabelSets:
        """Predict the labels with a probability of at least one half."""
        assert self.labels is not None
        n, width = self.values.shape
        return LabelSets(np.flatnonzero(self.values >= _LIKELY), n, list(self.labels or range(width)))


def read_label_scores(
    given: Any,
    *,
    probabilities: bool,
    labels: Sequence[Any] | None = None,
    absent: Bools | None = None,
) -> LabelScores:
    """Check scores of labels.

    Parameters
    ----------
    given : array-like of shape (n, L), data frame with a column for each label, or list of arrays of shape (n, 2)
        The last is what `predict_proba` of scikit-learn's forests and chains returns: for each label, the
        probabilities that an instance lacks it and that it has it.
    probabilities : bool
        Whether entries lie in [0, 1].
    labels : sequence, optional
        Labels of the columns; default: the names of a data frame's columns.
    absent : ndarray of bool of shape (n,), optional
        Instances that are left out, which may lack scores.
    """
    if isinstance(given, LabelScores):
        return given
    name = "probabilities" if probabilities else "scores"
    if isinstance(given, (list, tuple)) and given and all(_is_pair_of_columns(own) for own in given):
        given = np.column_stack([own[:, 1] for own in given])
    values, named = score_array(given, name)
    if values.ndim != 2:
        raise InputError(
            Argument(name), f" has shape {values.shape}: (n, L), a column for each label, is needed"
        )
    if values.shape[0] == 0:
        raise InputError(Argument(name), " is empty: at least one instance is needed")
    if absent is not None and absent.size == values.shape[0]:
        values = np.where(np.isnan(values) & absent[:, None], values.dtype.type(0), values)
    if probabilities:
        values = without_dust(values)
        check_shares(values)
    else:
        check_none_missing(values)
    # The columns of a frame keep their names; other columns are in the order of the labels.
    return LabelScores(values, named if named is not None else labels, probabilities)


def _is_pair_of_columns(given: Any) -> bool:
    return isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == 2
