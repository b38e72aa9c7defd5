"""How `evaluate` judges a classifier within groups: each by itself, against all others, and in pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.inference.common.test_results import Difference, TestResult
from adjudge.inference.drawn import Drawn
from adjudge.inference.influence import Influence
from adjudge.inference.interval import interval_of_difference, p_value_of
from adjudge.results.by_class import ClassifierEvaluation, GroupScores
from adjudge.results.differences import GroupContrast, ScoreDifference, difference_of, holm_corrected
from adjudge.results.score import Score
from adjudge.statistics.agreement import right_or_wrong
from adjudge.statistics.classes import ClassCounts
from adjudge.verbs.classifiers import CodedClassifier, scores_of_classifier
from adjudge.verbs.drawing import Drawing

__all__ = ["Grouped", "GroupedInstances", "with_groups"]

#: Why only accuracies are compared then.
_UNITS_IN_BOTH = (
    "no difference: rows of one unit may be in both groups, and only accuracies are compared by units"
)
#: Up to this number of groups, all pairs are compared.
MOST_PAIRED = 20


@dataclass(frozen=True, eq=False)
class _Part:
    """Some of the instances: their scores, and their counts by class if these are not weighted."""

    n: Any
    scores: dict[str, Score]
    counts: ClassCounts | None


@dataclass(frozen=True, eq=False)
class DrawnShares:
    """Instances that are right and wrong in two groups, whose rows belong to units.

    Attributes
    ----------
    counts : ndarray of float64 of shape (4,)
        Right and wrong in the one, right and wrong in the other.
    drawn : Drawn
        These are its entries.
    """

    counts: NDArray[np.float64]
    drawn: Drawn

    @classmethod
    def of(cls, entries: NDArray[np.int64], drawing: Drawing) -> DrawnShares | None:
        """Count them; None if one of the groups has no instance."""
        counts = np.bincount(entries, drawing.weights, 4).astype(np.float64)
        return cls(counts, drawing.numbered(entries, 4)) if counts[:2].any() and counts[2:].any() else None

    @property
    def values(self) -> tuple[float, float]:
        """Shares of the instances that are right."""
        right, wrong = self.counts[::2], self.counts[1::2]
        here, there = (right / (right + wrong)).tolist()
        return here, there

    def difference(self, confidence: float) -> Difference:
        """Return the interval of their difference, and the test that there is none."""
        here, there = self.values
        sizes = self.counts[:2].sum(), self.counts[2:].sum()
        psi = [(1 - here) / sizes[0], -here / sizes[0], -(1 - there) / sizes[1], there / sizes[1]]
        own = Influence.centred(here - there, float(self.counts.sum()) * np.array(psi), self.counts)
        interval = interval_of_difference(own, (0.0, 1.0), confidence, self.drawn)
        p_value = p_value_of(own, self.drawn)
        hypothesis = "both groups have the same accuracy"
        test = None if math.isnan(p_value) else TestResult(own.value, p_value, "t", hypothesis)
        return Difference(interval, test)


class Grouped(Protocol):
    """Instances in groups."""

    @property
    def labels(self) -> Sequence[Any]:
        """The groups."""
        ...

    def part(self, code: int, *, outside: bool) -> tuple[Any, Mapping[type, Any]] | None:
        """Return the number of instances of a group, or of all others, and their statistics; None for no instance."""
        ...

    def shares_of_units(self, code: int, other: int | None) -> DrawnShares | None:
        """Say how many are right in a group and in another one, or in all others; None if rows are independent."""
        ...


@dataclass(frozen=True, eq=False)
class GroupedInstances:
    """A classifier's answers, and the group of each.

    Attributes
    ----------
    coded : CodedClassifier
    groups : Labels
    """

    coded: CodedClassifier
    groups: Labels

    @property
    def labels(self) -> Sequence[Any]:
        """The groups."""
        return self._groups[1]

    def part(self, code: int, *, outside: bool) -> tuple[Any, Mapping[type, Any]] | None:
        """Return the number of instances of a group, or of all others, and their statistics; None for no instance."""
        codes, _ = self._groups
        own = self._fixed.take(np.flatnonzero((codes == code) != outside))
        return (own.n, own.statistics()) if own.n else None

    def shares_of_units(self, code: int, other: int | None) -> DrawnShares | None:
        """Say how many are right in a group and in another one, or in all others; None if rows are independent."""
        coded = self.coded
        if coded.drawing is None or coded.drawing.rows.alone or coded.prediction is None:
            return None
        codes, _ = self._groups
        rows = np.flatnonzero((codes == code) | (codes == other) | (other is None))
        entries = 2 * (codes[rows] != code) + ~self._right[rows]
        drawing = coded.drawing.take(rows)
        return DrawnShares.of(entries, drawing)

    @cached_property
    def _right(self) -> NDArray[np.bool_]:
        assert self.coded.prediction is not None
        return right_or_wrong(self.coded.truth, self.coded.prediction)

    @cached_property
    def _groups(self) -> tuple[NDArray[np.int64], list[Any]]:
        return self.groups.dense()

    @cached_property
    def _fixed(self) -> CodedClassifier:
        return self.coded.with_classes()


def with_groups(
    evaluation: ClassifierEvaluation, grouped: Grouped, confidence: float | None
) -> ClassifierEvaluation:
    """Add the scores of each group, and how they differ from those of all others and of each other.

    Without `confidence`, the shares of instances that are right are compared, at 95 %.

    Parameters
    ----------
    evaluation : ClassifierEvaluation
        Of all instances.
    grouped : Grouped
    confidence : float or None
    """
    records = [s.index for s in evaluation.scores.values() if not isinstance(s.index, InternalIndex)]
    labels = grouped.labels

    def part(code: int, wanted: list[Index], *, outside: bool = False) -> _Part | None:
        own = grouped.part(code, outside=outside)
        if own is None:
            return None
        n, statistics = own
        scores = scores_of_classifier(wanted, statistics, confidence)
        counts = statistics.get(ClassCounts)
        return _Part(n, scores, None if counts is None or counts.is_weighted else counts)

    places = {label: code for code, label in enumerate(labels)}
    of_group = {label: part(code, records) for label, code in places.items()}
    parts = {label: own for label, own in of_group.items() if own is not None}
    compared = records if confidence is not None else []
    rests = {label: part(code, compared, outside=True) for code, label in enumerate(labels) if label in parts}
    level = 0.95 if confidence is None else confidence
    to_rest = [
        row
        for label, own in parts.items()
        if (rest := rests[label]) is not None
        for row in _contrasts(
            label, None, own, rest, compared, level, grouped.shares_of_units(places[label], None)
        )
    ]
    between = [
        row
        for one, other in combinations(parts if len(parts) <= MOST_PAIRED else (), 2)
        for row in _contrasts(
            one,
            other,
            parts[one],
            parts[other],
            compared,
            level,
            grouped.shares_of_units(places[one], places[other]),
        )
    ]
    return replace(
        evaluation,
        by_group={label: GroupScores(label, own.n, own.scores) for label, own in parts.items()},
        differences=_corrected(to_rest),
        pair_differences=_corrected(between),
    )


def _contrasts(
    group: Any,
    against: Any,
    own: _Part,
    other: _Part,
    records: list[Index],
    confidence: float,
    shares: DrawnShares | None,
) -> Iterator[GroupContrast]:
    """Compare the scores of two parts: accuracy by its counts, others by their intervals.

    If rows were drawn in units, which may have rows in both parts, accuracy is compared by their sums.
    """
    from adjudge.inference.classes.recall_means import why_not_compared
    from adjudge.inference.differences.groups import compare_independent, compare_shares

    counts = None if own.counts is None or other.counts is None else (own.counts, other.counts)
    accuracy = find_index("accuracy", "classification")
    if shares is not None:
        yield GroupContrast(
            group, own.n, against, difference_of(accuracy, *shares.values, shares.difference(confidence))
        )
    elif counts is not None:
        here, there = ((int(part.right.sum()), int(part.n)) for part in counts)
        found = compare_shares(here, there, confidence)
        yield GroupContrast(
            group, own.n, against, difference_of(accuracy, here[0] / here[1], there[0] / there[1], found)
        )
    for record in records:
        if record.name == "accuracy":
            continue
        one, rest = own.scores[record.name], other.scores[record.name]
        refusal = None if counts is None else why_not_compared(record, *counts)
        reason = refusal or one.note or rest.note or None
        if shares is not None:
            reason = _UNITS_IN_BOTH
        plain = ScoreDifference(record, one.value, rest.value, reason=reason, of_class=one.of_class)
        if (
            shares is not None
            or refusal is not None
            or one.interval is None
            or rest.interval is None
            or math.isnan(plain.value)
        ):
            yield GroupContrast(group, own.n, against, plain)
            continue
        found = compare_independent(one.value, one.interval, rest.value, rest.interval, confidence)
        score = replace(difference_of(record, one.value, rest.value, found), of_class=one.of_class)
        yield GroupContrast(group, own.n, against, score)


def _corrected(rows: list[GroupContrast]) -> tuple[GroupContrast, ...]:
    """Apply Holm's correction to the tests of each index."""
    scores = holm_corrected([row.score for row in rows], by_index=True)
    return tuple(replace(row, score=score) for row, score in zip(rows, scores, strict=True))
