"""The Prayatul matrix: where two models are right and wrong against the truth, counted exactly in O(n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError
from adjudge.given.alignment import align_labels
from adjudge.given.arrays import to_numpy
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.labels import Labels, check_classes
from adjudge.given.options import check_choice
from adjudge.given.things import Alternative, Primary, Truth
from adjudge.statistics.contingency import count_labels
from adjudge.statistics.counting import cell_sizes
from adjudge.statistics.pair_counts import sum_of_pairs

__all__ = [
    "CELLS",
    "CELL_SYMBOLS",
    "SPLIT_CELLS",
    "UNITS",
    "Agreement",
    "JoinedPairs",
    "Outcomes",
    "right_or_wrong",
    "same_labels",
]

#: Cells of the matrix, and their symbols in the papers.
CELL_SYMBOLS = {"both_right": "BR", "right_wrong": "RW", "wrong_right": "WR", "both_wrong": "BW"}
CELLS = tuple(CELL_SYMBOLS)
#: Classifiers, if both are wrong: with the same label, or with different ones.
SPLIT_CELLS = ("both_wrong_same", "both_wrong_different")
#: Kinds of models, and what their matrices count.
UNITS = {"clustering": "pairs of instances", "classification": "instances"}
KINDS = tuple(UNITS)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The Prayatul matrix of a primary model P and an alternative Q: exact counts.

    What is counted are instances for classification, pairs of instances for clustering.

    Attributes
    ----------
    both_right : int
        BR.
    right_wrong : int
        RW: P right, Q wrong.
    wrong_right : int
        WR: P wrong, Q right.
    both_wrong : int
        BW.

    Examples
    --------
    >>> from adjudge import Agreement
    >>> Agreement.from_outcomes([True, True, False, False], [True, False, True, False])
    Agreement(both_right=1, right_wrong=1, wrong_right=1, both_wrong=1)
    """

    made_from: ClassVar[tuple[type, ...]] = (Truth, Primary, Alternative)

    both_right: int
    right_wrong: int
    wrong_right: int
    both_wrong: int

    def __post_init__(self) -> None:
        for name in CELLS:
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 0:
                raise InputError(f"Agreement.{name} is {value!r}: it is a count, a whole number >= 0")
            object.__setattr__(self, name, int(value))

    @classmethod
    def from_labels(
        cls,
        labels_true: Any,
        primary: Any,
        alternative: Any,
        *,
        kind: Literal["clustering", "classification"],
        **options: Unpack[LabelKeywords],
    ) -> Agreement:
        """Count from the truth and the labels by two models, in O(n).

        Parameters
        ----------
        labels_true, primary, alternative : array-like of shape (n,)
        kind : {"clustering", "classification"}
            Whether pairs of instances or instances are counted.
        **options
            `missing`, `noise` and `noise_label`, as for :func:`adjudge.compare`.

        Examples
        --------
        >>> from adjudge import Agreement
        >>> Agreement.from_labels([0, 0, 1], [5, 5, 5], [1, 2, 3], kind="clustering")
        Agreement(both_right=0, right_wrong=1, wrong_right=2, both_wrong=0)
        """
        check_choice("kind", kind, KINDS)
        treatment = LabelOptions(**options)
        treatment.check_kind(kind)
        vectors = {"labels_true": labels_true, "primary": primary, "alternative": alternative}
        g, p, q = align_labels(vectors, treatment).labels
        if kind == "clustering":
            return JoinedPairs.from_labels(g, p, q).agreement
        return Outcomes(right_or_wrong(g, p, "primary"), right_or_wrong(g, q, "alternative")).agreement

    @classmethod
    def from_outcomes(cls, primary_right: Any, alternative_right: Any) -> Agreement:
        """Count from two boolean vectors that say where each model is right."""
        p, q = _boolean(primary_right, "primary_right"), _boolean(alternative_right, "alternative_right")
        if p.size != q.size:
            raise InputError(
                f"alternative_right has {q.size} entries, primary_right has {p.size}: they must have the same length"
            )
        return Outcomes(p, q).agreement

    @property
    def total(self) -> int:
        """Number of instances, or of pairs."""
        return self.both_right + self.right_wrong + self.wrong_right + self.both_wrong

    @property
    def disagreements(self) -> int:
        """Where exactly one of the models is right, RW + WR."""
        return self.right_wrong + self.wrong_right

    def swap(self) -> Agreement:
        """Return the matrix with the models' roles exchanged."""
        return Agreement(self.both_right, self.wrong_right, self.right_wrong, self.both_wrong)


@dataclass(frozen=True)
class Outcomes:
    """If each of two models is right, instance by instance (or row by row, if `weights` count instances)."""

    primary_right: NDArray[np.bool_]
    alternative_right: NDArray[np.bool_]
    weights: NDArray[np.int64] | None = None

    @property
    def agreement(self) -> Agreement:
        """The Prayatul matrix."""
        p = self._count(self.primary_right)
        q = self._count(self.alternative_right)
        both = self._count(self.primary_right & self.alternative_right)
        n = int(self.primary_right.size) if self.weights is None else int(self.weights.sum())
        return Agreement(both, p - both, q - both, n - p - q + both)

    def _count(self, right: NDArray[np.bool_]) -> int:
        return int(np.count_nonzero(right) if self.weights is None else self.weights[right].sum())

    def positions(self, cell: str) -> NDArray[np.int64]:
        """Positions of the instances in one cell of the matrix."""
        check_choice("cell", cell, CELLS)
        p = self.primary_right if cell in ("both_right", "right_wrong") else ~self.primary_right
        q = self.alternative_right if cell in ("both_right", "wrong_right") else ~self.alternative_right
        return np.flatnonzero(p & q)


@dataclass(frozen=True)
class JoinedPairs:
    """Pairs that share a cluster: in each partition, and in two partitions at once.

    With the three partitions G, P and Q these six sums give the clustering Prayatul matrix; the sum over the
    three-way table cancels.
    """

    n: int
    g: int
    p: int
    q: int
    gp: int
    gq: int
    pq: int

    @property
    def agreement(self) -> Agreement:
        """The Prayatul matrix over the n (n - 1) / 2 pairs."""
        total = self.n * (self.n - 1) // 2
        primary = total - self.g - self.p + 2 * self.gp
        alternative = total - self.g - self.q + 2 * self.gq
        both = total - self.g - self.p - self.q + self.gp + self.gq + self.pq
        return Agreement(both, primary - both, alternative - both, total - primary - alternative + both)

    @classmethod
    def from_labels(cls, g: Labels, p: Labels, q: Labels) -> JoinedPairs:
        """Count three two-way tables."""
        gp, gq, pq = count_labels(g, p), count_labels(g, q), count_labels(p, q)
        n = gp.n
        return cls(
            n=n,
            g=sum_of_pairs(gp.row_sums, n),
            p=sum_of_pairs(gp.col_sums, n),
            q=sum_of_pairs(gq.col_sums, n),
            gp=gp.pairs.yy,
            gq=gq.pairs.yy,
            pq=pq.pairs.yy,
        )


def pairs_per_instance(
    g: Labels, p: Labels, q: Labels, *, weights: NDArray[np.int64] | None = None
) -> dict[str, NDArray[np.int64]]:
    """For each instance, how many of its n - 1 pairs fall in each cell of the clustering matrix, in O(n)."""
    n = len(g) if weights is None else int(weights.sum())
    of_g, of_p, of_q = (cell_sizes(x, x, weights=weights) for x in (g, p, q))
    # Agreement of each two partitions on the pairs of instance i.
    primary = (n - 1) - of_g - of_p + 2 * cell_sizes(g, p, weights=weights)
    alternative = (n - 1) - of_g - of_q + 2 * cell_sizes(g, q, weights=weights)
    models = (n - 1) - of_p - of_q + 2 * cell_sizes(p, q, weights=weights)
    both = (primary + alternative + models - (n - 1)) // 2
    return {
        "both_right": both,
        "right_wrong": primary - both,
        "wrong_right": alternative - both,
        "both_wrong": (n - 1) - primary - alternative + both,
    }


def right_or_wrong(truth: Labels, prediction: Labels, name: str = "labels_pred") -> NDArray[np.bool_]:
    """If a classifier's label equals the true one.

    Labels are compared by what they were, not by their codes; a prediction that could never be right is an error.
    """
    if isinstance(truth.categories, range) and isinstance(prediction.categories, range):
        right = np.asarray(truth.codes == prediction.codes)
        if right.any():
            return right
    check_classes(truth.dense()[1], prediction.dense()[1], prediction=name)
    return same_labels(truth, prediction)


def same_labels(one: Labels, other: Labels) -> NDArray[np.bool_]:
    """If two label vectors have the same label, whatever its codes are."""
    if isinstance(one.categories, range) and isinstance(other.categories, range):
        return np.asarray(one.codes == other.codes)
    codes, labels = one.dense()
    other_codes, other_labels = other.dense()
    numbers = {label: i for i, label in enumerate(labels)}
    to_one = np.array([numbers.get(label, -1) for label in other_labels], np.int64)
    return np.asarray(to_one[other_codes] == codes)


def _boolean(values: Any, name: str) -> NDArray[np.bool_]:
    array = to_numpy(values, name)
    if array.ndim != 1 or array.size == 0:
        raise InputError(
            Argument(name), f" has shape {array.shape}: a non-empty vector of booleans is needed"
        )
    if array.dtype.kind != "b":
        raise InputError(
            Argument(name),
            f" has dtype {array.dtype}: it says true or false for each instance, as ",
            Argument("labels_pred"),
            " == ",
            Argument("labels_true"),
        )
    return array
