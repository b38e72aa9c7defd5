"""Counts by class: how often each is true, predicted, and correctly predicted. Scores by class need nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, in_words
from adjudge.given.class_names import alike, check_classes
from adjudge.given.positive import is_conventional, named_few_classes, positive_position
from adjudge.presentation.numbers import count
from adjudge.statistics.joint import JointCounts

Counts = NDArray[Any]

# Products of two counts fit an int64 up to this many instances.
_PRODUCTS_FIT = 2**31
# Fewer numbers are added one by one in no time.
_MANY = 256
# Whole floats below it add up exactly.
_EXACT = float(1 << 53)


def united_classes(true_labels: Sequence[Any], predicted: Sequence[Any]) -> list[Any]:
    """Return every label that is true or predicted, in sorted order (by type, then text, if they are mixed)."""
    classes = list(dict.fromkeys([*true_labels, *predicted]))
    try:
        classes.sort()
    except TypeError:
        classes.sort(key=lambda label: (type(label).__name__, str(label)))
    return classes


def classes_of_truth(true_labels: Sequence[Any], answers: Sequence[Any], positive: Any = None) -> list[Any]:
    """Return the classes, in sorted order: the true labels, whatever a model answers.

    An answer is a class as well if it was named as the positive one, or if it completes a usual pair such as 0 and 1.

    Parameters
    ----------
    true_labels, answers : sequence
        Labels that occur, in the truth and among the predictions.
    positive : object, optional

    Examples
    --------
    >>> classes_of_truth(["b", "a"], ["a", "unsure"]), classes_of_truth([1], [0, 1])
    (['a', 'b'], [0, 1])
    """
    known: dict[Any, Any] = {}
    for label, meant in zip(true_labels, *alike(true_labels), strict=True):
        known.setdefault(meant, label)
    classes = list(known.values())
    if positive is not None and positive not in classes and positive in answers:
        classes.append(positive)
    elif len(classes) == 1:
        pair = united_classes(classes, answers)
        if is_conventional(pair):
            return pair
    return united_classes(classes, ())


def class_positions(labels: Sequence[Any], classes: Sequence[Any], sizes: Counts, name: str) -> Ints:
    """Return the position of each label among the classes; a label that is not among them is an error."""
    found, outside = answer_positions(labels, classes)
    if outside:
        i = int(np.argmax(found))
        raise InputError(
            Argument(name),
            f" has {in_words(labels[i])} {count(int(sizes[i]), 'time')}, which is not among the classes ",
            f"{named_few_classes(classes)}: ",
            Option("classes"),
            " or the columns of a data frame name all of them",
        )
    return found


def answer_positions(
    labels: Sequence[Any], classes: Sequence[Any], outside: Iterable[Any] = ()
) -> tuple[Ints, list[Any]]:
    """Return the position of each answer among the classes and the answers that name none of them, which come last.

    Parameters
    ----------
    labels : sequence
    classes : sequence
    outside : iterable
        Answers that are known to name no class.

    Examples
    --------
    >>> answer_positions(["a", "b", "unsure"], ["b", "a"])
    (array([1, 0, 2]), ['unsure'])
    """
    place: dict[Any, int] = {}
    for i, label in enumerate(classes):
        if place.setdefault(label, i) != i:
            raise InputError(f"classes names {in_words(label)} twice")
    own = labels
    if not all(map(place.__contains__, labels)):
        own, known = alike(labels, classes)
        place = {label: i for i, label in reversed([*enumerate(known)])}
    others: list[Any] = []

    def position(label: Any, given: Any) -> int:
        at = place.get(label)
        if at is None:
            at = place[label] = len(classes) + len(others)
            others.append(given)
        return at

    for label in outside:
        position(label, label)
    found = np.fromiter(map(position, own, labels), np.int64, len(labels))
    return found, others


def rounded_once(values: NDArray[Any]) -> Any:
    """Return a sum of floats, rounded once; what is whole among many of them adds up exactly by itself.

    Those of several populations, along the last axis, are added up in each.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.statistics.classes import rounded_once
    >>> rounded_once(np.full(10, 0.1))
    1.0
    """
    if values.ndim > 1:
        return values.sum(axis=0)
    if values.size >= _MANY:
        whole = np.floor(values)
        broken = values != whole
        if not np.isfinite(whole).all():
            return float(values.sum())
        if 4 * np.count_nonzero(broken) < values.size and np.abs(whole).sum() < _EXACT:
            rest = (values[broken] - whole[broken]).tolist()
            return math.fsum([float(whole.sum()), *rest])
    return math.fsum(values.tolist())


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

    def summed(self, outside: int | float = 0) -> OneVersusRest:
        """Return the sums over the classes; answers that name no class add to the false positives."""
        tp, fp, fn, tn = (
            np.asarray([sum(part if part.ndim > 1 else part.tolist())]) for part in self._parts()
        )
        return OneVersusRest(tp, fp + outside, fn, tn)

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
        In the given order; by default, every true label, sorted; of instances with several labels, also those that
        are only predicted.
    true, predicted, right : ndarray of int64 (of float64, if instances are weighted) of shape (K,)
    n : int or float
        Instances (or their weight), including those of classes left out by :meth:`take`.
    positive : int or None
        Index of the positive class; None if there is none.
    outside : dict of object to int or float
        How often each answer occurs that names no class: it is wrong, and part of `n` and of the true class only.
    """

    classes: Sequence[Any]
    true: Counts
    predicted: Counts
    right: Counts
    n: int | float
    positive: int | None = None
    outside: Mapping[Any, Any] = field(default_factory=dict)

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
                f"{in_words(unknown[0])} is not a class: choose one of {', '.join(map(in_words, self.classes))}"
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
            outside={},
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
            outside={
                label: self.outside.get(label, 0) + other.outside.get(label, 0)
                for label in united_classes(list(self.outside), list(other.outside))
            },
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
            The classes in the desired order, among them all true labels; default: the true labels, sorted.
        positive : optional
            The positive class; default: the second of two.
        """
        if classes is None:
            check_classes(table.row_labels, table.col_labels)
            classes = classes_of_truth(table.row_labels, table.col_labels, positive)
        try:
            classes = list(classes)
        except TypeError:
            raise InputTypeError(Option("classes", classes), ": a sequence of classes is needed") from None
        k = len(classes)
        to_row = class_positions(table.row_labels, classes, table.row_sums, "labels_true")
        to_col, answers = answer_positions(table.col_labels, classes)
        true, right = (np.zeros(k, table.row_sums.dtype) for _ in range(2))
        predicted = np.zeros(k + len(answers), table.col_sums.dtype)
        if all(np.bincount(places).max(initial=0) <= 1 for places in (to_row, to_col)):
            true[to_row], predicted[to_col] = table.row_sums, table.col_sums
            # Column of each class that is predicted; -1 for the others.
            column = np.full(predicted.size, -1, np.int64)
            column[to_col] = np.arange(to_col.size)
            rows = np.flatnonzero(column[to_row] >= 0)
            right[to_row[rows]] = table.at(rows, column[to_row[rows]])
        else:  # True and False are written in several ways
            np.add.at(true, to_row, table.row_sums)
            np.add.at(predicted, to_col, table.col_sums)
            rows, cols, counts = table.cells()
            same = to_row[rows] == to_col[cols]
            np.add.at(right, to_row[rows[same]], counts[same])
        return cls(
            classes,
            true,
            predicted[:k],
            right,
            table.n,
            positive_position(classes, positive),
            dict(zip(answers, predicted[k:].tolist(), strict=True)),
        )
