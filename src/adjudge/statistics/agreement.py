"""The Prayatul matrix: where two models are right and wrong against the truth, in O(n) and with exact counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import Argument, InputError
from adjudge.given.alignment import align_labels, of_other_length
from adjudge.given.arrays import to_numpy
from adjudge.given.class_names import alike, check_classes
from adjudge.given.input_kinds import Alternative, Primary, Truth, Weights
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.options import check_choice
from adjudge.statistics.contingency import joint_table
from adjudge.statistics.counting import cell_sizes, cell_weights
from adjudge.statistics.pair_counts import PairCounts

#: Cells of the matrix, with their symbols in the papers.
CELL_SYMBOLS = {"both_right": "BR", "right_wrong": "RW", "wrong_right": "WR", "both_wrong": "BW"}
CELLS = tuple(CELL_SYMBOLS)
#: For classifiers that are both wrong: with the same label, or with different ones.
SPLIT_CELLS = ("both_wrong_same", "both_wrong_different")
#: Kinds of models, and what their matrices count.
UNITS = {
    "clustering": "pairs of instances",
    "classification": "instances",
    "multilabel": "pairs of an instance and a label",
    "regression": "rows",
    "values": "rows",
}
#: Kinds of models that have a number for each row: right is the one that is at least as good as the other.
OF_NUMBERS = ("regression", "values")
#: Kinds of models that are judged without a truth.
WITHOUT_TRUTH = ("values",)
#: What the cells of such a matrix are called; none is empty by definition.
BETTER_CELLS = {"right_wrong": "better", "both_right": "equal", "wrong_right": "worse"}
#: Kinds of models that give each instance one label.
KINDS = ("clustering", "classification")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The Prayatul matrix of a primary model P and an alternative Q: exact counts.

    It counts instances for classification, and pairs of instances for clustering. Counts of classifiers on disjoint
    instances add up with ``+``. Those of clusterings do not: pairs across the two parts would be missing.

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
    >>> from adjudge.statistics import Agreement
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
            Whether to count pairs of instances, or instances.
        **options
            `missing`, `noise` and `noise_label`, as for :func:`~adjudge.compare`.

        Examples
        --------
        >>> from adjudge.statistics import Agreement
        >>> Agreement.from_labels([0, 0, 1], [5, 5, 5], [1, 2, 3], kind="clustering")
        Agreement(both_right=0, right_wrong=1, wrong_right=2, both_wrong=0)
        """
        check_choice("kind", kind, KINDS)
        treatment = LabelOptions(**options)
        treatment.check_kind(kind)
        vectors = {"labels_true": labels_true, "primary": primary, "alternative": alternative}
        g, p, q = align_labels(vectors, treatment).labels
        if kind == "clustering":
            tables = joint_table((g, p)), joint_table((g, q)), joint_table((p, q))
            return JoinedPairs.of(*(table.pairs for table in tables)).agreement
        return Outcomes(right_or_wrong(g, p, "primary"), right_or_wrong(g, q, "alternative")).agreement

    @classmethod
    def from_outcomes(cls, primary_right: Any, alternative_right: Any) -> Agreement:
        """Count from two boolean vectors that say where each model is right."""
        p, q = _boolean(primary_right, "primary_right"), _boolean(alternative_right, "alternative_right")
        if p.size != q.size:
            raise of_other_length("alternative_right", q.size, "primary_right", p.size)
        return Outcomes(p, q).agreement

    @property
    def total(self) -> int:
        """Number of instances, or of pairs."""
        return self.both_right + self.right_wrong + self.wrong_right + self.both_wrong

    @property
    def disagreements(self) -> int:
        """Number where exactly one of the models is right, RW + WR."""
        return self.right_wrong + self.wrong_right

    def __add__(self, other: Agreement) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(*(getattr(self, cell) + getattr(other, cell) for cell in CELLS))

    def swap(self) -> Agreement:
        """Return the matrix with the models' roles exchanged."""
        return type(self)(self.both_right, self.wrong_right, self.right_wrong, self.both_wrong)


class WeightedAgreement(Agreement):
    """The Prayatul matrix under sampling weights: the weight of the instances, or of the pairs, in each cell.

    The weight of a pair of instances is the product of their weights. Scaling all weights does not change the measures.

    Examples
    --------
    >>> from adjudge.statistics.agreement import WeightedAgreement
    >>> WeightedAgreement(2.5, 0.5, 0.0, 1.0).disagreements
    0.5
    """

    __slots__ = ()
    made_from: ClassVar[tuple[type, ...]] = (Truth, Primary, Alternative, Weights)

    both_right: float  # type: ignore[assignment]
    right_wrong: float  # type: ignore[assignment]
    wrong_right: float  # type: ignore[assignment]
    both_wrong: float  # type: ignore[assignment]

    def __post_init__(self) -> None:
        # An empty cell may come out as a rounding error below 0.
        for name in CELLS:
            object.__setattr__(self, name, max(0.0, float(getattr(self, name))))


@dataclass(frozen=True)
class Outcomes:
    """Where each of two models is right, row by row.

    Attributes
    ----------
    primary_right, alternative_right : ndarray of bool of shape (n,)
    weights : ndarray of int64 or float64 of shape (n,), optional
        How many instances each row stands for; floats are sampling weights.
    """

    primary_right: Bools
    alternative_right: Bools
    weights: Ints | Floats | None = None

    @property
    def agreement(self) -> Agreement:
        """The Prayatul matrix."""
        p, q, weights = self.primary_right, self.alternative_right, self.weights
        if is_sampled(weights):
            # Not as differences, which rounding may keep from being 0.
            return WeightedAgreement(*(weight_of(cell, weights) for cell in (p & q, p > q, p < q, ~(p | q))))
        of_p, of_q, both = (weight_of(rows, weights) for rows in (p, q, p & q))
        n = p.size if weights is None else int(weights.sum())
        return Agreement(both, of_p - both, of_q - both, n - of_p - of_q + both)

    @property
    def cells(self) -> Ints:
        """Index in :data:`CELLS` of the cell that each row is in."""
        return np.asarray(2 * ~self.primary_right + ~self.alternative_right, np.int64)

    def positions(self, cell: str) -> Ints:
        """Return the positions of the instances in one cell of the matrix."""
        check_choice("cell", cell, CELLS)
        p = self.primary_right if cell in ("both_right", "right_wrong") else ~self.primary_right
        q = self.alternative_right if cell in ("both_right", "wrong_right") else ~self.alternative_right
        return np.flatnonzero(p & q)


def is_sampled(weights: NDArray[Any] | None) -> bool:
    """Tell sampling weights from counts of instances."""
    return weights is not None and weights.dtype.kind == "f"


def weight_of(rows: Bools, weights: NDArray[Any] | None) -> Any:
    """Return how many instances some rows stand for, or their weight."""
    return int(np.count_nonzero(rows)) if weights is None else weights[rows].sum().item()


@dataclass(frozen=True)
class JoinedPairs:
    """Pairs that share a cluster: in each partition, and in two partitions at once.

    For three partitions G, P and Q, these sums give the clustering Prayatul matrix; the sum over the three-way table
    cancels. They are counts or, under sampling weights, floats.
    """

    total: int
    g: int
    p: int
    q: int
    gp: int
    gq: int
    pq: int

    @classmethod
    def of(cls, gp: PairCounts, gq: PairCounts, pq: PairCounts) -> JoinedPairs:
        """Read the sums from the pair counts of each two of the partitions."""
        # Summed from the same cells as `pq`: for two models that agree, floats differ by exactly 0.
        return cls(gp.total, gp.joined_true, pq.joined_true, pq.joined_pred, gp.yy, gq.yy, pq.yy)

    @classmethod
    def of_sums(cls, gp: PairCounts, gq: PairCounts, pq: int) -> JoinedPairs:
        """Read the sums if only the number of pairs that both models join is known for P and Q."""
        return cls(gp.total, gp.joined_true, gp.joined_pred, gq.joined_pred, gp.yy, gq.yy, pq)

    @property
    def agreement(self) -> Agreement:
        """The Prayatul matrix over all pairs."""
        kind = WeightedAgreement if isinstance(self.total, float) else Agreement
        # Floats lose digits in differences of large sums: only the first cell subtracts from the total.
        return kind(
            self.total - self.g - self.p - self.q + self.gp + self.gq + self.pq,
            (self.q - self.pq) + (self.gp - self.gq),
            (self.p - self.pq) + (self.gq - self.gp),
            (self.g - self.gp) + (self.pq - self.gq),
        )


def pairs_per_instance(
    g: Labels, p: Labels, q: Labels, *, weights: Ints | Floats | None = None
) -> dict[str, NDArray[Any]]:
    """Count how many of each instance's n - 1 pairs fall in each cell of the clustering matrix, in O(n).

    Under sampling weights, sum the weights of its partners in these pairs instead.
    """
    sampled = is_sampled(weights)
    own: Any = weights if sampled else 1
    others = (len(g) if weights is None else weights.sum().item()) - own
    sizes: Any = cell_weights if sampled else cell_sizes
    of_g, of_p, of_q = (sizes(x, x, weights=weights) for x in (g, p, q))
    of_gp, of_gq, of_pq = (sizes(*xy, weights=weights) for xy in ((g, p), (g, q), (p, q)))
    found = {
        "both_right": others - of_g - of_p - of_q + of_gp + of_gq + of_pq,
        "right_wrong": (of_q - of_pq) + (of_gp - of_gq),
        "wrong_right": (of_p - of_pq) + (of_gq - of_gp),
        "both_wrong": (of_g - of_gp) + (of_pq - of_gq),
    }
    return {cell: np.maximum(pairs, 0.0) if sampled else pairs for cell, pairs in found.items()}


def right_or_wrong(truth: Labels, prediction: Labels, name: str = "labels_pred") -> Bools:
    """Return where a classifier's label equals the true one.

    Labels are compared by their original values, not by their codes; a prediction that can never be right is an error.
    """
    if isinstance(truth.categories, range) and isinstance(prediction.categories, range):
        right = np.asarray(truth.codes == prediction.codes)
        if right.any():
            return right
    check_classes(truth.dense()[1], prediction.dense()[1], prediction=name)
    return same_labels(truth, prediction)


def same_labels(one: Labels, other: Labels) -> Bools:
    """Return where two label vectors have the same label, regardless of the codes."""
    if isinstance(one.categories, range) and isinstance(other.categories, range):
        return np.asarray(one.codes == other.codes)
    codes, labels = one.dense()
    other_codes, other_labels = other.dense()
    names, other_names = alike(labels, other_labels)
    numbers: dict[Any, int] = {}
    to_number = np.array([numbers.setdefault(label, len(numbers)) for label in names], np.int64)
    of_other = np.array([numbers.get(label, -1) for label in other_names], np.int64)
    if len(numbers) == len(names):
        return np.asarray(of_other[other_codes] == codes)
    return np.asarray(of_other[other_codes] == to_number[codes])


def _boolean(values: Any, name: str) -> Bools:
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
