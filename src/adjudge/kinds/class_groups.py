"""How `evaluate` judges a classifier by group: each group alone, against all others, and in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import Option
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.disparities import disparities
from adjudge.kinds.drawn_groups import DrawnPart
from adjudge.kinds.group_parts import MOST_PAIRED, Part, contrasts_of
from adjudge.kinds.request import EvaluationRequest
from adjudge.results.by_class import ClassifierEvaluation, GroupScores
from adjudge.results.class_notices import about_groups
from adjudge.results.differences import (
    GroupContrast,
    by_index,
    corrected,
)
from adjudge.results.notice import Notice

__all__ = ["GroupedClassifier"]


_NOT_COMPARED = Notice(
    "groups-not-compared",
    "groups are not compared: their differences need the weight of each row, and the engine returns only sums",
    ("read the rows into memory, or name their units with ", Option("units")),
    "info",
)


@dataclass(frozen=True, eq=False)
class GroupedInstances:
    """A classifier's predictions, whose sample has groups."""

    case: ClassifierCase

    @property
    def labels(self) -> Sequence[Any]:
        """The groups."""
        return list(self.case.sample.by_group)

    def part(self, label: Any, *, outside: bool) -> tuple[Any, ClassifierCase] | None:
        """Return the number of the instances in a group, or outside it, and their case; None if there are none."""
        rows = self._rows(label, outside)
        own = self._fixed.take(rows, self.case.sample.take(rows))
        return (own.n, own) if own.n else None

    def drawn(self, label: Any, *, outside: bool) -> DrawnPart | None:
        """Return the influence of the instances in a group, or outside it; None if they were drawn independently."""
        if self.case.sample.drawn is None:
            return None
        return DrawnPart.of(self._fixed, self._rows(label, outside))

    def _rows(self, label: Any, outside: bool) -> Ints:
        rows = self.case.sample.by_group[label]
        return self.case.sample.outside(rows) if outside else rows

    @cached_property
    def _fixed(self) -> ClassifierCase:
        return self.case.fixed()


class GroupedClassifier(ClassifierCase):
    """A classifier that `evaluate` judges within groups as well."""

    def influence(self, record: Index) -> Influence:
        """Return the influence of each row on a score."""
        part = DrawnPart.of(self, np.arange(self.sample.n_rows))
        assert part is not None
        return part.influence(record)

    def with_groups(self, found: ClassifierEvaluation, request: EvaluationRequest) -> ClassifierEvaluation:
        """Add to an evaluation the scores of each group, and how they differ."""
        if self.sample.groups is None:
            return found
        if self.sample.lacks_weights and len(self.sample.by_group) > 1:
            found = replace(found, warnings=(*found.warnings, _NOT_COMPARED))
        return _with_groups(found, GroupedInstances(self), request.confidence, request.groups_correction)


def _with_groups(
    evaluation: ClassifierEvaluation,
    grouped: GroupedInstances,
    confidence: float | None,
    correction: str = "holm",
) -> ClassifierEvaluation:
    """Add the scores of each group, and their differences from all other instances and between pairs of groups.

    Without `confidence`, only accuracies are compared, at the 95 % level.

    Parameters
    ----------
    evaluation : ClassifierEvaluation
        Evaluation of all instances.
    grouped : GroupedInstances
    confidence : float or None
    correction : {"holm", "fdr"}
        That of the tests of each index.
    """
    records = [s.index for s in evaluation.scores.values() if not isinstance(s.index, InternalIndex)]
    labels = grouped.labels

    def part(label: Any, wanted: list[Index], *, outside: bool = False) -> Part | None:
        own = grouped.part(label, outside=outside)
        if own is None:
            return None
        n, case = own
        scores, counts = case.scored(wanted, confidence), case.counts
        drawn = grouped.drawn(label, outside=outside)
        kept = None if outside or counts is None else case.of_labels()
        return Part(n, kept, scores, None if counts is None or counts.is_weighted else counts, drawn)

    of_group = {label: part(label, records) for label in labels}
    parts = {label: own for label, own in of_group.items() if own is not None}
    compared = records if confidence is not None else []
    rests = {label: part(label, compared, outside=True) for label in parts}
    level = 0.95 if confidence is None else confidence
    to_rest = [
        row
        for label, own in parts.items()
        if (rest := rests[label]) is not None
        for row in contrasts_of(label, None, own, rest, compared, level)
    ]
    between = [
        row
        for one, other in combinations(parts if len(parts) <= MOST_PAIRED else (), 2)
        for row in contrasts_of(one, other, parts[one], parts[other], compared, level)
    ]
    return replace(
        evaluation,
        warnings=evaluation.warnings + about_groups(labels),
        by_group={label: GroupScores(label, own.n, own.scores) for label, own in parts.items()},
        differences=_corrected(to_rest, correction),
        pair_differences=_corrected(between, correction),
        disparities=tuple(disparities(parts, confidence)),
    )


def _corrected(rows: list[GroupContrast], correction: str) -> tuple[GroupContrast, ...]:
    """Correct the tests of each index for the number of groups, or of pairs of groups."""
    scores = corrected([row.score for row in rows], by_index, correction)
    both = zip(rows, scores, strict=True)
    return tuple(GroupContrast(row.group, row.n, row.against, score) for row, score in both)
