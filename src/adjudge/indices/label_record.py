"""The records of indices of two label vectors: a clustering or a classifier against the truth."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Self

from adjudge.errors import InputError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import check_choice
from adjudge.given.positive import one_positive
from adjudge.given.weights import Weighting
from adjudge.indices.record import Better, Index, Noted, best_value, maker_of
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import reduce_labels, weighed_labels
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.pair_counts import PairCounts, pairs_at_once

#: The note of records of classes in an order.
ORDERED = (
    "The distance of two classes is that of their positions in the order of `classes`, or of the type of the columns "
    "(an ordered categorical, an Enum); numbers, also as text, are sorted."
)
# Statistics that are counted from two short vectors in one call.
_PAIRS = (PairCounts,)


class LabelIndex(Index):
    """An index of two label vectors: the common part of external and classification indices."""

    def __call__(
        self,
        labels_true: Any,
        labels_pred: Any = None,
        *,
        counts: Any = None,
        sample_weight: Any = None,
        weights: str | None = None,
        missing: str = "raise",
        noise: str = "cluster",
        noise_label: Any = -1,
        classes: Sequence[Any] | None = None,
        positive: Any = None,
        pos_label: Any = None,
        **parameters: Any,
    ) -> float:
        """Compute the index from two label vectors, or from a contingency table instead of the first."""
        if (
            counts is sample_weight is weights is classes is positive is pos_label is None
            and self.requires == _PAIRS
            and (missing == "raise" and noise == "cluster")
        ):
            pairs = pairs_at_once(labels_true, labels_pred)
            if pairs is not None:
                return self.assess(pairs, **parameters)[0]
        positive = self._checked_positive(one_positive(positive, pos_label), parameters)
        if classes is not None and self.kind != "classification":
            raise InputError(f"{self.name} compares clusters, not classes: leave ", Option("classes"), " out")
        options = LabelOptions(missing, noise, noise_label)
        options.check_kind(self.kind)
        if sample_weight is not None or weights is not None:
            weighting = Weighting(counts, sample_weight, weights)
            kind = "classification" if self.kind == "classification" else "clustering"
            weighed = weighed_labels(labels_true, labels_pred, weighting, kind, options)
            return self.assess(*self.read(weighed, positive, classes), **parameters)[0]
        table = reduce_labels(
            labels_true, labels_pred, counts=counts, missing=missing, noise=noise, noise_label=noise_label
        )
        return self.assess(*self.read(table, positive, classes), **parameters)[0]

    def read(
        self, table: JointCounts, positive: Any = None, classes: Sequence[Any] | None = None
    ) -> tuple[Any, ...]:
        """Return the statistics in `requires`, made from a joint table of two partitions.

        For classes, the positive one may be given, and all of them in order.
        """
        if positive is None and classes is None:
            return tuple(table.statistic(t) for t in self.requires)
        options = {"classes": classes, "positive": positive}
        return tuple(
            ClassCounts.make(table, **options)
            if issubclass(ClassCounts, t)
            else Confusion.make(table, classes=classes)
            if issubclass(Confusion, t)
            else table.statistic(t)
            for t in self.requires
        )

    @property
    def is_of_one_class(self) -> bool:
        """Whether the value is for the positive class, if there is one and no average is requested."""
        return self.kind == "classification" and self.parameters.get("average", "") is None

    def _checked_positive(self, positive: Any, parameters: Mapping[str, Any]) -> Any:
        if positive is None or (self.is_of_one_class and parameters.get("average") in (None, "binary")):
            return positive
        raise InputError(f"{self.name} is of no single class: leave ", Option("positive", positive), " out")

    def _signature(self) -> inspect.Signature:
        signature = super()._signature()
        other = set() if self.is_of_one_class else {"positive", "pos_label"}
        if self.kind != "classification":
            other.add("classes")
        known = signature.parameters.values()
        return signature.replace(parameters=[p for p in known if p.name not in other])

    def _input_lines(self) -> list[str]:
        of_classes = [
            "classes : sequence, optional",
            "    All classes in their order; default: those of the truth, sorted.",
        ]
        of_class = [
            "positive : optional",
            "    The positive class; default: the second of two.",
            "pos_label : optional",
            "    The same, as scikit-learn calls it.",
        ]
        return [
            "labels_true : array-like of shape (n,), or Contingency, or matrix of shape (R, C)",
            "    Reference labels; or, without `labels_pred`, a contingency table of counts.",
            "labels_pred : array-like of shape (n,), optional",
            "    Labels to judge.",
            "counts : array-like of int of shape (n,), optional",
            "    How many instances each row stands for.",
            "sample_weight : array-like of float of shape (n,), optional",
            "    Weights of the instances.",
            'weights : {"frequency", "importance"}, optional',
            "    Their meaning: the number of instances that a row stands for, or sampling weights of any scale.",
            'missing : {"raise", "drop"}, default "raise"',
            "    What to do with instances that have no label.",
            'noise : {"cluster", "singletons", "drop"}, default "cluster"',
            "    Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out.",
            "noise_label : default -1",
            "    The label of noise.",
            *(of_classes if self.kind == "classification" else ()),
            *(of_class if self.is_of_one_class else ()),
        ]


class ExternalIndex(LabelIndex):
    """An index that compares a partition with the truth, regardless of the names of clusters."""

    kind = "external"

    def _asked(self) -> str:
        if self.better is None:
            return "description"
        if self.better == "lower":
            return "distance"
        return "agreement" if self.symmetric else "purity"


#: What answers that name no class of the truth are: wrong ones, or none.
OUTSIDE = ("wrong", "abstain")


class ClassificationIndex(LabelIndex):
    """A measure of a classifier: labels are right if they equal the true ones.

    In brackets after its name it takes ``outside="abstain"``: it is then that of the instances for which a class is
    predicted, and other answers are none.
    """

    kind = "classification"

    @property
    def parameters_of_names(self) -> tuple[str, ...]:
        """Parameters that its name may have in brackets, besides those of the formula."""
        whole = self.ratio_of or self.over_constants or self.reads_outside
        return () if whole or "outside" in self.fixed else ("outside",)

    def variant(self, name: str, *, title: str, fixed: Mapping[str, Any], **changes: Any) -> Self:
        """Return the same index with some parameters fixed, under another name."""
        if "outside" not in fixed:
            return super().variant(name, title=title, fixed=fixed, **changes)
        check_choice("outside", fixed["outside"], OUTSIDE)
        if fixed["outside"] == "wrong":
            changes["function"] = _taking_outside(self.function)
        else:
            summary = self.summary
            changes |= {
                "function": _where_answered(self.function, self.requires),
                "requires": (ClassCounts, Confusion),
                "meaning": f"Where a class is predicted: {summary[:1].lower()}{summary[1:]}",
                "undefined": "; ".join(
                    filter(None, (self.undefined.rstrip("."), "if no class is predicted."))
                ),
                "symmetric": False,
                "elementwise": False,
                "mean_of": self.mean_of if "classes" in self.mean_of else "",
            }
        return super().variant(name, title=title, fixed=fixed, **changes)

    def _lines_on(self, parameter: str) -> list[str]:
        if parameter != "outside":
            return super()._lines_on(parameter)
        return [
            f"outside : default {self.fixed['outside']!r}",
            '    Answers that name no class are "wrong", or the model is judged where it answers, "abstain".',
        ]

    def _asked(self) -> str:
        return "labels"


def _taking_outside(formula: Callable[..., float | Noted]) -> Callable[..., float | Noted]:
    @wraps(formula)
    def found(*statistics: Any, outside: str, **parameters: Any) -> float | Noted:
        return formula(*statistics, **parameters)

    return found


def _where_answered(
    formula: Callable[..., float | Noted], requires: tuple[type, ...]
) -> Callable[..., float | Noted]:
    """Return a formula of the instances for which a class is predicted."""

    @wraps(formula)
    def found(counts: ClassCounts, confusion: Confusion, *, outside: str, **parameters: Any) -> float | Noted:
        answered = confusion.where_answered()
        if not answered.n > 0:
            return Noted(math.nan, "no class is predicted")
        positive = None if counts.positive is None else counts.classes[counts.positive]
        by_class = answered.by_class(positive=positive)
        value = formula(*(answered if kind is Confusion else by_class for kind in requires), **parameters)
        if isinstance(value, Noted):
            return Noted(value.value, f"{value.reason}, where a class is predicted")
        return value

    return found


def external(
    *, title: str, better: Better | None, range: tuple[float, float], reference: str, **facts: Any
) -> Callable[[Callable[..., float | Noted]], ExternalIndex]:
    """Make the record of an external index from its formula.

    Parameters
    ----------
    title : str
        Name as written in the literature.
    better : {"higher", "lower"} or None
        Direction of a better value.
    range : tuple of float
        Smallest and largest possible value.
    reference : str
        Key into the package's references, or the reference itself.
    **facts
        Other facts of the record; see :class:`adjudge.indices.Index`.

    Returns
    -------
    callable
        A decorator of the formula: a pure function of statistics, which the annotations of its parameters name.

    Examples
    --------
    >>> from adjudge.indices import external
    >>> from adjudge.statistics import PairCounts
    >>> @external(title="Agreeing pairs", better="higher", range=(0, 1), reference="my own")
    ... def agreeing(pairs: PairCounts) -> float:
    ...     "Share of the pairs on which two partitions agree."
    ...     return pairs.agreeing / pairs.total
    >>> agreeing([0, 0, 1], [0, 0, 1])
    1.0
    """
    best = facts.get("best", best_value(better, range))
    facts = {"best": best, "identical_is_best": best is not None, **facts}
    return maker_of(ExternalIndex, title=title, better=better, range=range, reference=reference, **facts)


def classification(
    *, title: str, range: tuple[float, float], reference: str, better: Better | None = "higher", **facts: Any
) -> Callable[[Callable[..., float | Noted]], ClassificationIndex]:
    """Make the record of a classification measure from its formula."""
    facts = {"best": best_value(better, range), **facts}
    return maker_of(
        ClassificationIndex, title=title, better=better, range=range, reference=reference, **facts
    )
