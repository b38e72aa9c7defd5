"""Numbers: one for each row, of which either end is better, or predictions of a true one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.engines.sources import PointSource
from adjudge.errors import Call, InputError, Option
from adjudge.given.input_kinds import Predictions, Runs, Targets, Values
from adjudge.given.number_vectors import NumberVector, align_numbers
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.case import Case, Pair, Pairs
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Sample, whole
from adjudge.kinds.scores import check_design, scores_of, with_inferred
from adjudge.kinds.which_kind import no_values
from adjudge.presentation.numbers import count
from adjudge.results.instances import Instances
from adjudge.results.score import Score
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.statistics.right_counts import RightCounts

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.differences.head_to_head import PairInference
    from adjudge.inference.numbers.number_influence import ScoredNumbers

__all__ = ["RegressionCase", "ValueCase"]

_READ = ("missing", "counts", "sample_weight", "weights", "units", "runs")

_WHY: Mapping[str, tuple[Any, ...]] = {
    "groups": (" of numbers are for models that are compared: use ", Call("compare"))
}


class _NumberCase(Case):
    """The numbers of one model.

    Parameters
    ----------
    sample : Sample
    numbers : NumberVector
    truth : NumberVector, optional
    better : {"higher", "lower"}, optional
        Which end of the numbers is better, if they are not predictions.
    """

    #: Each model's numbers stay as they are given.
    fills_columns: ClassVar[bool] = True

    def __init__(
        self,
        sample: Sample,
        numbers: NumberVector,
        truth: NumberVector | None = None,
        better: str | None = None,
    ) -> None:
        self.better = better
        self.numbers, self.truth = numbers.weighing(sample.weights), truth and truth.weighing(sample.weights)
        given: dict[type, Any] = {Values: self.numbers}
        if sample.units is not None:
            given[Runs] = sample.units
        if self.truth is not None:
            given = {Targets: self.truth, Predictions: self.numbers}
        self._kinds = tuple(given)
        super().__init__(sample, given)

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        return list(self._kinds)

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Check the numbers of several models; rows that lack one are left out of all."""
        for name, model in given.models.items():
            if model is None:
                raise InputError(f"{name} has no numbers: give one for each row")
        named = dict(given.models) if given.truth is None else {"labels_true": given.truth, **given.models}
        read, aligned = align_numbers(named, given.treatment, given.weighting, given.groups)
        sample = Sample.of(aligned, given.weighting, "classification")
        truth = read.pop("labels_true", None)
        return {name: cls(sample, own, truth, given.better) for name, own in read.items()}

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Check the numbers of one model."""
        if given.pred is None:
            raise cls._incomplete()
        return cls.read(given.by_name)[MODEL]

    @classmethod
    def _incomplete(cls) -> InputError:
        raise NotImplementedError

    def take(self, positions: Ints, sample: Sample) -> Self:
        """Return the case of some of the rows, which are the rows of a sample."""
        truth = None if self.truth is None else self.truth.take(positions)
        return type(self)(sample, self.numbers.take(positions), truth, self.better)

    @cached_property
    def scored(self) -> ScoredNumbers:
        """The influence of rows on scores."""
        from adjudge.inference.numbers.number_influence import ScoredNumbers

        return ScoredNumbers(self.truth, self.numbers, self.sample.drawn)

    def influence(self, record: Index) -> Influence:
        """Return the influence of each row on a score."""
        return self.scored.influence(record)

    def drawn(self, record: Index) -> Drawn:
        """Return how the rows were drawn that a score is of."""
        return self.scored.drawn(record) or super().drawn(record)

    def _check_runs(self, records: Sequence[Index]) -> None:
        """Raise if a score counts the runs of a unit, and one of them is there twice."""
        units, runs = self.sample.units, self.sample.runs
        if units is None or runs is None or not any(RightCounts in own.requires for own in records):
            return
        repeated = units.codes.size - np.unique(units.codes * runs.n_units + runs.codes).size
        if repeated:
            raise InputError(
                f"pass@k and pass^k count each run of a unit once, and {count(repeated, 'row')} repeat "
                "a unit's run: leave repeats out, and give each model a column"
            )

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals on request."""
        if self.sample.is_weighted:
            check_design(request, is_known=self.sample.is_known)
        self._check_runs(records)
        scores, confidence = scores_of(records, self), request.confidence
        if confidence is None:
            return scores
        from adjudge.inference.numbers.number_influence import intervals_of_numbers

        found = intervals_of_numbers(records, self.scored, confidence)
        return with_inferred(scores, found, confidence)

    @property
    def n(self) -> int | float:
        """Number of instances, or their weight."""
        return whole(self.sample.total)

    @property
    def rows(self) -> Instances:
        """What a result keeps of each row."""
        return self.rows_of({MODEL: self})

    def rows_of(self, cases: Mapping[str, _NumberCase]) -> Instances:
        """Return what a result keeps of each row of several models."""
        numbers = {name: case.numbers for name, case in cases.items()}
        return replace(self.sample.instances(self.kind, self.truth, numbers), better=self.better)

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return the rows."""
        return {"_instances": self.rows}

    @classmethod
    def pairs(cls, cases: Mapping[str, _NumberCase]) -> _NumberPairs:
        """Compare models by the rows on which each is better."""
        return _NumberPairs(cases)

    @classmethod
    def settings(cls, request: EvaluationRequest) -> dict[str, Any]:
        """Return the options that a comparison shows."""
        own = {} if request.better is None else {"better": request.better}
        return {"missing": request.labels.missing, **own, "confidence": request.confidence}


class ValueCase(_NumberCase):
    """A number for each row."""

    kind: ClassVar[str] = "values"
    indices: ClassVar[tuple[Kind, ...]] = ("values",)
    reads: ClassVar[frozenset[str]] = frozenset((*_READ, MODEL, "better"))
    words: ClassVar[tuple[Any, ...]] = (Option("values"),)
    why: ClassVar[Mapping[str, tuple[Any, ...]]] = _WHY
    gated: ClassVar[tuple[str, ...]] = ("mean",)
    judges_alone: ClassVar[bool] = True

    @classmethod
    def _incomplete(cls) -> InputError:
        return no_values()

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant, which are better at the end that was said."""
        found = super().menu(request, points, together=together)
        return [
            record
            if record.better is not None or request.better is None
            else replace(record, better=request.better)
            for record in found
        ]


class RegressionCase(_NumberCase):
    """A predicted number for each row, and the true one."""

    kind: ClassVar[str] = "regression"
    indices: ClassVar[tuple[Kind, ...]] = ("regression",)
    reads: ClassVar[frozenset[str]] = frozenset((*_READ, "labels_true", MODEL))
    words: ClassVar[tuple[Any, ...]] = (Option("kind", "regression"),)
    why: ClassVar[Mapping[str, tuple[Any, ...]]] = _WHY
    gated: ClassVar[tuple[str, ...]] = ("mean_absolute_error",)

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Check the predictions of several models; rows that lack one are left out of all."""
        if given.truth is None:
            raise cls._incomplete()
        return super().read(given)

    @classmethod
    def _incomplete(cls) -> InputError:
        return InputError(
            "numbers are predicted of true ones: give ", Option("labels_true"), " and ", Option("labels_pred")
        )


class _NumberPairs(Pairs):
    """On which rows each model is at least as good as the other."""

    measures = ("comparative_deviation",)

    def __init__(self, cases: Mapping[str, _NumberCase]) -> None:
        super().__init__(list(cases))
        self._cases = cases
        first = next(iter(cases.values()))
        self._sample, self._rows = first.sample, first.rows_of(cases)
        self.rows = self._rows

    def agreement(self, p: str, q: str) -> Agreement:
        """Count the rows on which only p is better, only q, and neither."""
        return self._rows.outcomes(p, q).agreement

    def _drawn(self, pair: Pair) -> Drawn | None:
        return self._sample.numbered(self._rows.outcomes(*pair).cells, len(CELLS))

    def inference(self, confidence: float) -> Mapping[Pair, PairInference]:
        """Return intervals of the measures, and the sign test, for all ordered pairs."""
        from adjudge.inference.differences.head_to_head import assess_signs

        return assess_signs(self.agreements, confidence, self._drawn)

    def differences(
        self, records: Sequence[Index], confidence: float
    ) -> Mapping[Pair, Mapping[str, Difference]]:
        """Infer the score differences of each pair of models, in the order of the models."""
        from adjudge.inference.numbers.number_influence import differences_of_numbers

        return {
            (p, q): differences_of_numbers(records, one.scored, other.scored, confidence)
            for (p, one), (q, other) in combinations(self._cases.items(), 2)
        }
