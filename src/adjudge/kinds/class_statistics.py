"""Classifiers known by one statistic of all instances: a confusion matrix, or sums of losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.engines.sources import PointSource
from adjudge.errors import Argument, InputError, Option
from adjudge.indices.record import Index
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.menu import selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, whole
from adjudge.results.score import Score
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.making import lacking_of

__all__ = ["ConfusionCase", "LossesCase"]


class _StatisticCase(ClassifierCase):
    """A classifier that is known by statistics of all instances together."""

    reads: ClassVar[frozenset[str]] = ClassifierCase.reads - {
        *("X", MODEL, "labels", "counts", "sample_weight", "weights", "units"),
        *("probabilities", "scores", "groups"),
    }
    may_have_points: ClassVar[bool] = False

    @classmethod
    def refusal(cls, role: str) -> InputError:
        """Return the error for an option that is not read."""
        if role in ClassifierCase.reads:
            named = Argument(role) if role in (MODEL, "X", "labels") else Option(role)
            return InputError(f"a classifier is judged from {cls.words[0]} alone: leave out ", named)
        return super().refusal(role)

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Take the statistics."""
        if request.kind not in (None, cls.kind):
            raise InputError(
                f"a classifier is judged from {cls.words[0]}: leave out ", Option("kind", request.kind)
            )
        positive = given.options.positive
        return cls(ALONE, cls._statistics(given.truth, given.options.classes, positive), positive=positive)

    @classmethod
    def _statistics(cls, given: Any, classes: Sequence[Any] | None, positive: Any) -> dict[type, Any]:
        raise NotImplementedError

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant, all of which can be computed from the sums."""
        _, by_name = selected(request.indices, self.indices, self.inputs)
        for record in by_name:
            if lacking_of(record.requires, self.inputs):
                raise InputError(
                    f"{record.name} cannot be computed from {self.words[0]}: give the truth and what was predicted of "
                    "each instance"
                )
        return super().menu(request, points)

    def described(self, request: EvaluationRequest, scores: Mapping[str, Score]) -> dict[str, Any]:
        """Return the settings of an evaluation."""
        return super().described(replace(request, kind=self.kind), scores)


class ConfusionCase(_StatisticCase):
    """A confusion matrix."""

    places: ClassVar[tuple[type, ...]] = (Confusion,)
    words: ClassVar[tuple[Any, ...]] = ("a confusion matrix",)

    @classmethod
    def _statistics(cls, given: Confusion, classes: Sequence[Any] | None, positive: Any) -> dict[type, Any]:
        matrix = given if classes is None else given.in_order(classes)
        counts = matrix.by_class(positive=positive)
        return {type(counts): counts, Confusion: matrix}

    @property
    def n_shown(self) -> int | float:
        """The number of instances, or their weight."""
        return whole(self[Confusion].n)


class LossesCase(_StatisticCase):
    """Sums of the losses of probabilities."""

    places: ClassVar[tuple[type, ...]] = (ProbabilityLosses,)
    words: ClassVar[tuple[Any, ...]] = ("sums of losses",)

    @classmethod
    def _statistics(
        cls, given: ProbabilityLosses, classes: Sequence[Any] | None, positive: Any
    ) -> dict[type, Any]:
        if classes is not None:
            raise InputError(f"the classes are those of {cls.words[0]}: leave out ", Option("classes"))
        return {ProbabilityLosses: given}

    @property
    def n_shown(self) -> int | float:
        """The number of instances, or their weight."""
        return whole(self[ProbabilityLosses].total)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of classes of the truth."""
        return {"labels_true": int(np.count_nonzero(self[ProbabilityLosses].sizes))}
