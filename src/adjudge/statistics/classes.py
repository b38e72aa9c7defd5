"""Counts by class: how often each is true, predicted, and correctly predicted. Scores by class need nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, InputTypeError, Option
from adjudge.given.labels import check_classes
from adjudge.given.positive import named_few_classes, positive_position
from adjudge.presentation.numbers import count
from adjudge.statistics.joint import JointCounts

__all__ = [
    "ClassCounts",
    "LabelCounts",
    "OneVersusRest",
    "class_positions",
    "united_classes",
]

Counts = NDArray[Any]

# Products of two counts fit an int64 up to this many instances.
_PRODUCTS_FIT = 2**31


def united_classes(true_labels: Sequence[Any], predicted: Sequence[Any]) -> list[Any]:
    """Return every label that is true or predicted, in sorted order (by type, then text, if they are mixed)."""
    classes = list(dict.fromkeys([*true_labels, *predicted]))
    try:
        classes.sort()
    except TypeError:
        classes.sort(key=lambda label: (type(label).__name__, str(label)))
    return classes


def class_positions(
    labels: Sequence[Any], classes: Sequence[Any], sizes: Counts, name: str
) -> NDArray[np.int64]:
    """Return the position of each label among the classes; a label that is not among them is an error."""
    place = {label: i for i, label in enumerate(classes)}
    if len(place) < len(classes):
        twice = next(label for i, label in enumerate(classes) if place[label] != i)
        raise InputError(f"classes names {twice!r} twice")
    found = np.empty(len(labels), np.int64)
    for i, label in enumerate(labels):
        at = place.get(label)
        if at is None:
            raise InputError(
                Argument(name),
                f" has {label!r} {count(int(sizes[i]), 'time')}, which is not among the classes ",
                f"{named_few_classes(classes)}: ",
                Option("classes"),
                " or the columns of a data frame name all of them",
            )
        found[i] = at
    return found


@dataclass(frozen=True, slots=True)
class OneVersusRest:
    """Right and wrong answers to "is it of this class?", for one class or several.

    Attributes
    ----------
    tp, fp, fn, tn : ndarray of shape (K,)
        True and false positives, false and true negatives.
    """

    tp: Counts
    fp: Counts
    fn: Counts
    tn: Counts

    def summed(self) -> OneVersusRest:
        """Return the sums over the classes."""
        return OneVersusRest(*(np.asarray([sum(part.tolist())]) for part in self._parts()))

    def take(self, positions: Any) -> OneVersusRest:
        """Return some of the classes."""
        return OneVersusRest(*(part[positions] for part in self._parts()))

    def _parts(self) -> tuple[Counts, Counts, Counts, Counts]:
        return self.tp, self.fp, self.fn, self.tn


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts:
    """How often each label is true, predicted, and correctly predicted, for instances with one label or several.

    Counts of the same labels on different instances add up with ``+``.

    Attributes
    ----------
    classes : sequence of length K
        In the given order; by default, every label that is true or predicted, sorted.
    true, predicted, right : ndarray of int64 (of float64, if instances are weighted) of shape (K,)
    n : int or float
        Instances (or their weight), including those of classes left out by :meth:`take`.
    positive : int or None
        Index of the positive class; None if there is none.
    """

    classes: Sequence[Any]
    true: Counts
    predicted: Counts
    right: Counts
    n: int | float
    positive: int | None = None

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.true.dtype.kind == "f"

    @property
    def one_versus_rest(self) -> OneVersusRest:
        """Each class against all others together, in integers of any size."""
        true, predicted, right = self.true, self.predicted, self.right
        n: Any = self.n
        if not self.is_weighted and self.n >= _PRODUCTS_FIT:
            true, predicted, right = (counts.astype(object) for counts in (true, predicted, right))
        negative = n - true - predicted + right
        if self.is_weighted:
            # The sums add weights in different orders: a small remainder is rounding, not an instance.
            negative = np.where(negative < 1e-12 * n, 0.0, negative)
        return OneVersusRest(right, predicted - right, true - right, negative)

    def take(self, classes: Sequence[Any]) -> Self:
        """Return the counts of some of the classes, in the order given; `n` still counts the instances of all."""
        place = {label: i for i, label in enumerate(self.classes)}
        unknown = [label for label in classes if label not in place]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is not a class: choose one of {', '.join(map(repr, self.classes))}"
            )
        at = np.array([place[label] for label in classes], np.int64)
        kept = {int(i): place for place, i in enumerate(at)}
        positive = None if self.positive is None else kept.get(self.positive)
        return replace(
            self,
            classes=list(classes),
            true=self.true[at],
            predicted=self.predicted[at],
            right=self.right[at],
            positive=positive,
        )

    def __add__(self, other: LabelCounts) -> Self:
        if not isinstance(other, LabelCounts):
            return NotImplemented
        if list(self.classes) != list(other.classes) or self.positive != other.positive:
            raise InputError(
                "counts of different classes cannot be added: make both with the same ", Option("classes")
            )
        return replace(
            self,
            true=self.true + other.true,
            predicted=self.predicted + other.predicted,
            right=self.right + other.right,
            n=self.n + other.n,
        )


class ClassCounts(LabelCounts):
    """Counts by class for instances with one true label and one predicted label each.

    Examples
    --------
    >>> from adjudge.statistics import Contingency
    >>> from adjudge.statistics.classes import ClassCounts
    >>> counts = ClassCounts.make(Contingency.from_labels(["a", "a", "b"], ["a", "b", "b"]))
    >>> counts.classes, counts.true, counts.predicted, counts.right
    (['a', 'b'], array([2, 1]), array([1, 2]), array([1, 1]))
    """

    __slots__ = ()

    made_from: ClassVar[tuple[type, ...]] = (JointCounts,)

    @classmethod
    def make(
        cls,
        table: JointCounts,
        *,
        classes: Sequence[Any] | None = None,
        positive: Any = None,
    ) -> ClassCounts:
        """Read the counts, or the weights, off a contingency table, dense or sparse.

        Parameters
        ----------
        table : Contingency or WeightedContingency
        classes : sequence, optional
            All labels that occur, in the desired order, and any that might; default: those that occur, sorted.
        positive : optional
            The positive class; default: the second of two.
        """
        if classes is None:
            check_classes(table.row_labels, table.col_labels)
            classes = united_classes(table.row_labels, table.col_labels)
        try:
            classes = list(classes)
        except TypeError:
            raise InputTypeError(Option("classes", classes), ": a sequence of classes is needed") from None
        to_row = class_positions(table.row_labels, classes, table.row_sums, "labels_true")
        to_col = class_positions(table.col_labels, classes, table.col_sums, "labels_pred")
        true, predicted, right = (np.zeros(len(classes), table.row_sums.dtype) for _ in range(3))
        true[to_row] = table.row_sums
        predicted[to_col] = table.col_sums
        # Column of each class that is predicted; -1 for the others.
        column = np.full(len(classes), -1, np.int64)
        column[to_col] = np.arange(to_col.size)
        rows = np.flatnonzero(column[to_row] >= 0)
        right[to_row[rows]] = table.at(rows, column[to_row[rows]])
        return cls(classes, true, predicted, right, table.n, positive_position(classes, positive))
