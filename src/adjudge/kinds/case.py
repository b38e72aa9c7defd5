"""A case: what is known of one model, the sample that it is of, and all statistics made of both.

Each kind of what is judged is a class of cases. It says how its cases are read and scored, what compares them in pairs,
and how some of the rows are taken; the verbs know nothing else of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from adjudge.given.label_options import LabelOptions
from adjudge.given.weights import Weighting
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.menu import compared_indices
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Ints, Sample
from adjudge.results.class_notices import LABELS_ALONE
from adjudge.results.differences import ClassDifference
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.patterns import Patterns
from adjudge.results.score import Score
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.making import Made

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.differences.head_to_head import PairInference

__all__ = ["Case", "Pair", "Pairs", "alone"]

Pair = tuple[str, str]


class Case(Made):
    """One model, with its statistics by type.

    Parameters
    ----------
    sample : Sample
    at_hand : mapping of type to object
        Statistics, and what they are made from.

    Attributes
    ----------
    kind : str
        What results and options call it.
    indices : tuple of str
        Kinds of the indices that score it against the truth.
    """

    kind: ClassVar[str]
    indices: ClassVar[tuple[Kind, ...]]

    def __init__(self, sample: Sample, at_hand: Mapping[type, Any]) -> None:
        super().__init__(at_hand)
        self.sample = sample

    def known(self, kind: type) -> Any:
        """Return a statistic that was given or made already; None if it was not."""
        return self._found.get(kind)

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        return list(self)

    @property
    def n(self) -> Any:
        """Number of instances, or their weight."""
        return self.sample.total

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals and corrections on request."""
        raise NotImplementedError

    def scores_beside(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute the scores that other models have, too; those that lack an input are undefined."""
        return self.scores(records, request)

    def take(self, positions: Ints) -> Self:
        """Return the case of some of the rows."""
        raise NotImplementedError

    def fixed(self) -> Self:
        """Fix what must be the same for all parts, such as the classes."""
        return self

    @classmethod
    def read(
        cls,
        labels_true: Any,
        named: Mapping[str, Any],
        options: ClassifierOptions,
        weighting: Weighting,
        treatment: LabelOptions,
    ) -> dict[str, Self]:
        """Check and encode what several models said of the same rows.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        named : mapping of str to array-like of shape (n,)
            The labels of each model, or None if it has none.
        options : ClassifierOptions
            Groups; and for classifiers probabilities, or scores, by the names of the models.
        weighting : Weighting
        treatment : LabelOptions
        """
        raise NotImplementedError

    @classmethod
    def menu(cls, request: EvaluationRequest, inputs: Sequence[type]) -> list[Index]:
        """Return the requested scores; `inputs` is what is known of a model."""
        return compared_indices(request, cls.indices[0], inputs)

    @classmethod
    def pairs(cls, cases: Mapping[str, Any]) -> Pairs:
        """Return what compares models of this kind with each other."""
        raise NotImplementedError

    @classmethod
    def settings(cls, request: EvaluationRequest) -> dict[str, Any]:
        """Return the options that a comparison shows."""
        return {**request.labels.settings(), "confidence": request.confidence, "adjust": request.adjust}

    @classmethod
    def about(
        cls, cases: Mapping[str, Any], judged: Mapping[str, Mapping[str, Score]], request: EvaluationRequest
    ) -> tuple[Notice, ...]:
        """Say what a reader should know of models that are compared."""
        return ()


def alone(records: Sequence[Index], found: Mapping[str, Score]) -> dict[str, Score]:
    """Add, as undefined, the scores that a model cannot have because only its labels were given."""
    return {own.name: found.get(own.name, Score(own, math.nan, LABELS_ALONE)) for own in records}


class Pairs:
    """All pairs of models: what is counted or inferred once is shared by all of them.

    Attributes
    ----------
    rows : Instances or None
        None if only counts are known.
    patterns : callable or None
        Says which models are right on the same instances.
    forecasts : mapping of str to Forecasts
        Those of the models that gave any.
    """

    rows: Instances | None = None
    forecasts: Mapping[str, Forecasts] = MappingProxyType({})
    patterns: Callable[[], Patterns] | None = None

    def __init__(self, models: Sequence[str]) -> None:
        self.models = tuple(models)

    def agreement(self, p: str, q: str) -> Agreement:
        """Count the Prayatul matrix of p against q."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Pair]:
        return ((p, q) for p in self.models for q in self.models if p != q)

    @cached_property
    def agreements(self) -> dict[Pair, Agreement]:
        """The Prayatul matrices of all ordered pairs."""
        return {pair: self.agreement(*pair) for pair in self}

    def wrong_alike(self, p: str, q: str) -> float | None:
        """Return how often both are wrong and say the same; None if there is only one way to be wrong."""
        return None

    def inference(self, confidence: float) -> Mapping[Pair, PairInference]:
        """Return intervals of the measures and a test for all ordered pairs."""
        return {}

    def differences(
        self, records: Sequence[Index], confidence: float
    ) -> Mapping[Pair, Mapping[str, Difference]]:
        """Infer the score differences of each pair of models, in the order of the models."""
        return {}

    @property
    def recalls(self) -> Callable[[float | None, str, str], list[ClassDifference]] | None:
        """Compares two models' recall of each class, with intervals of a confidence; None if there are no classes."""
        return None
