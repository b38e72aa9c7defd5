"""Several labels per instance, or none: each pair of an instance and a label is right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.engines.sources import PointSource
from adjudge.errors import InputError, Option, in_words
from adjudge.given.input_kinds import LabelForecasts, PredictedSets, TrueSets
from adjudge.given.label_scores import LabelScores, read_label_scores
from adjudge.given.label_sets import LabelSets, read_label_sets, weighed_sets
from adjudge.indices.catalog import find_index, is_default
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.by_class import intervals_by_class, measured_by_class, ranked_by_class
from adjudge.kinds.case import Case, Pair, Pairs, Shown, alone
from adjudge.kinds.class_notices import DERIVED_LABELS, about_derived_labels
from adjudge.kinds.given import Given
from adjudge.kinds.menu import selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Sample, whole
from adjudge.kinds.scores import check_design, scores_of, with_inferred
from adjudge.results import Evaluation
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import about_near_names, about_those_with_labels_alone
from adjudge.results.class_scores import ByClass, ClassScores, OneClass
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.agreement import Agreement, WeightedAgreement
from adjudge.statistics.label_rankings import LabelAreas, forecasts_of_labels
from adjudge.statistics.label_sets import SetCounts, shared_keys
from adjudge.statistics.making import lacking_of

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference

__all__ = ["LabelSetCase"]

_SEVERAL = "several labels per instance"
_DERIVED_LABELS = replace(DERIVED_LABELS, message="labels with a probability of at least 0.5 are predicted")


class LabelSetCase(Case):
    """One classifier that gives an instance several labels or none.

    Parameters
    ----------
    sample : Sample
    truth : LabelSets
    prediction : LabelSets or None
    scores : LabelScores or None
    derived : bool
        Whether the predicted labels are those with a probability of at least one half.
    """

    kind: ClassVar[str] = "multilabel"
    indices: ClassVar[tuple[Kind, ...]] = ("multilabel", "classification")
    reads: ClassVar[frozenset[str]] = Case.reads - {"X", "missing"} | {"classes", "probabilities", "scores"}
    words: ClassVar[tuple[Any, ...]] = (_SEVERAL,)
    fills_columns: ClassVar[bool] = True
    gated: ClassVar[tuple[str, ...]] = ("subset_accuracy", "micro_f1")
    result: ClassVar[type[Evaluation]] = ClassifierEvaluation

    def __init__(
        self,
        sample: Sample,
        truth: LabelSets,
        prediction: LabelSets | None,
        scores: LabelScores | None,
        *,
        derived: bool = False,
    ) -> None:
        given: dict[type, Any] = {TrueSets: truth, PredictedSets: prediction, LabelForecasts: scores}
        self._given: list[type] = [thing for thing, own in given.items() if own is not None]
        super().__init__(sample, {thing: given[thing] for thing in self._given})
        self.truth, self.prediction, self.ranked, self.derived = truth, prediction, scores, derived

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Check and encode the labels and scores of several classifiers, of which none is missing."""
        options, weighting, said = given.options, given.weighting, given.said
        probable = options.probabilities is not None
        if not said and not probable:
            raise _needs_the_truth()
        ranked = (options.probabilities if probable else options.scores) or {}
        asked: dict[str, Any] = {"probabilities": probable, "labels": options.classes}
        read = {n: read_label_scores(own, absent=weighting.absent, **asked) for n, own in ranked.items()}
        # Named columns of a data frame define the labels.
        labels = options.classes or next((own.labels for own in read.values() if own.labels), None)
        sets = read_label_sets(given.judged, labels)
        scores = {name: own.of(sets["labels_true"]) for name, own in read.items()}
        likely = {name: score.likely() for name, score in scores.items()} if probable and not said else {}
        weighed = weighed_sets({**sets, **likely}, weighting)
        truth = weighed.pop("labels_true")
        sample = Sample.of_sets(sets["labels_true"].n, weighting, given.groups)
        return {
            name: cls(
                sample,
                truth,
                weighed.get(name),
                scores[name].kept_in(truth) if name in scores else None,
                derived=name in likely,
            )
            for name in given.models
        }

    @classmethod
    def of_counts(cls, given: Given) -> Self:
        """Raise: without rows, nothing says which labels an instance has together."""
        raise _needs_the_truth()

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the requested indices, all of which take several labels per instance."""
        inputs = self.inputs
        by_keyword, named = selected(request.indices, self.indices, inputs)
        if is_default(request.indices) and PredictedSets in inputs:
            by_keyword.append(find_index("micro_f1"))  # with one label per instance, it equals the accuracy
        for record in named:
            if lacking_of(record.requires, (TrueSets, PredictedSets, LabelForecasts)):
                raise InputError(f"{record.name} is not a score of {_SEVERAL}")
            if missing := lacking_of(record.requires, inputs):
                raise InputError(f"{record.name} needs {missing[0].words}: give ", Option(missing[0].option))
        # No label is the positive one, so a score by label is replaced by its macro average.
        averaged = {record.variant_of for record in by_keyword}
        return list(
            dict.fromkeys([*(record for record in by_keyword if record.name not in averaged), *named])
        )

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        return self._given

    @property
    def n(self) -> int | float:
        """Number of instances, or their weight."""
        return whole(self.truth.total)

    def take(self, positions: Ints, sample: Sample) -> Self:
        """Return the case of some of the rows, which are the rows of a sample."""
        said, ranked = self.prediction, self.ranked
        return type(self)(
            sample,
            self.truth.take(positions),
            None if said is None else said.take(positions),
            None if ranked is None else ranked.take(positions),
            derived=self.derived,
        )

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals on request."""
        if self.sample.is_weighted:
            check_design(request, is_known=self.sample.is_known)
        scores, confidence = scores_of(records, self), request.confidence
        if confidence is None:
            return scores
        from adjudge.inference.classes.label_set_intervals import label_set_intervals

        found = label_set_intervals(records, self, confidence, self.sample.drawn)
        return with_inferred(scores, found, confidence)

    def scores_beside(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute the scores that other models have, too; those that lack an input are undefined."""
        return alone(records, self.scores(self.possible(records), request))

    def possible(self, records: Sequence[Index]) -> list[Index]:
        """Return the indices that can be computed of a model, which may have labels alone."""
        return [record for record in records if not lacking_of(record.requires, self)]

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of labels."""
        return {"labels": len(self.truth.labels)}

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say what a reader of the scores should know."""
        near = about_near_names(self.truth.labels)
        derived = (_DERIVED_LABELS,) if self.derived else ()
        return derived + self.notices("the prediction") + near + self.sample.notices(shown.request.confidence)

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return the scores by label, and the rows."""
        by_class = ByClass(partial(self.by_label, request.confidence))
        n, rows = int(self.truth.total), None
        if self.prediction is not None:
            rows = self.sample.instances(self.kind, self.truth, {"labels_pred": self.prediction})
        return {
            "by_class": by_class if request.confidence is None else by_class.made(n),
            "_instances": rows,
        }

    def by_label(self, confidence: float | None) -> list[ClassScores]:
        """Score each label."""
        drawn, labels = self.sample.drawn, self.truth.labels
        measured: dict[str, list[OneClass]] = {}
        predicted: list[Any] = [None] * len(labels)
        if self.prediction is not None:
            counts: SetCounts = self[SetCounts]
            outcomes = None if drawn is None else _outcomes(drawn, self.truth, self.prediction)
            measured |= measured_by_class(counts, confidence, outcomes)
            predicted = counts.predicted.tolist()
        weights = None if self.truth.weights is None else self.truth.weights[self.truth.rows]
        support = np.bincount(self.truth.columns, weights, len(labels))
        if self.ranked is not None:
            of_each = ((own, 1) for own in forecasts_of_labels(self.truth, self.ranked))
            of_areas = None if confidence is None else intervals_by_class(of_each, confidence, drawn)
            measured |= ranked_by_class(self[LabelAreas], of_areas)
        return [
            ClassScores(label, whole(size), said, {name: own[i] for name, own in measured.items()})
            for i, (label, size, said) in enumerate(zip(labels, support.tolist(), predicted, strict=True))
        ]

    def notices(self, who: str) -> tuple[Notice, ...]:
        """Return notices about the labels of a classifier; `who` is its name in them."""
        found = []
        if self.prediction is not None:
            true, predicted = np.unique(self.truth.columns), np.unique(self.prediction.columns)
            if true.size and predicted.size and not np.intersect1d(true, predicted).size:
                labels = self.truth.labels
                message = (
                    f"no label of {who}, such as {in_words(labels[predicted[0]])}, is in the truth, which has "
                    f"labels such as {in_words(labels[true[0]])}"
                )
                found.append(Notice("no-label-in-common", message, "use the same labels in both"))
        return tuple(found)

    @classmethod
    def settings(cls, request: EvaluationRequest) -> dict[str, Any]:
        """Return the options that a comparison shows: no label is missing or noise."""
        return {"confidence": request.confidence}

    @classmethod
    def about(
        cls,
        cases: Mapping[str, LabelSetCase],
        judged: Mapping[str, Mapping[str, Score]],
        request: EvaluationRequest,
    ) -> tuple[Notice, ...]:
        """Say what a reader should know of models that are compared."""
        each = tuple(own for name, case in cases.items() for own in case.notices(f"model {name!r}"))
        labels = next(iter(cases.values())).truth.labels
        derived = about_derived_labels(cases, [n for n, own in cases.items() if own.derived], _DERIVED_LABELS)
        return derived + about_those_with_labels_alone(judged) + each + about_near_names(labels)

    @classmethod
    def pairs(cls, cases: Mapping[str, LabelSetCase]) -> _SetPairs:
        """Compare models by the pairs of an instance and a label."""
        return _SetPairs(cases)


def _needs_the_truth() -> InputError:
    ways = Option("labels_true"), " and ", Option("labels_pred"), ", or ", Option("probabilities")
    return InputError(f"{_SEVERAL} are judged against the truth: give ", *ways)


def _outcomes(drawn: Drawn, truth: LabelSets, prediction: LabelSets) -> Callable[[int], Drawn]:
    """Return a function that gives each label's rows by outcome: true or false positive, true or false negative."""
    true, said = truth.by_label(), prediction.by_label()

    def of_label(code: int) -> Drawn:
        is_true, is_said = (np.isin(np.arange(truth.n), own[code]) for own in (true, said))
        return Drawn(drawn.unit, drawn.n_units, 2 * ~is_said + ~is_true, drawn.counts, run=drawn.run)

    return of_label


class _SetPairs(Pairs):
    """The pairs of an instance and a label on which each model is wrong; no other pairs are stored."""

    def __init__(self, cases: Mapping[str, LabelSetCase]) -> None:
        super().__init__(list(cases))
        first = next(iter(cases.values()))
        self._cases, self._truth = cases, first.truth
        labels = {name: case.prediction for name, case in cases.items()}
        self.rows = first.sample.instances("multilabel", first.truth, labels)
        self._wrong = self.rows.wrong

    def agreement(self, p: str, q: str) -> Agreement:
        """Count, or weigh, the Prayatul matrix of p against q."""
        wrong_p, wrong_q = self._weight(self._wrong[p]), self._weight(self._wrong[q])
        both = self._weight(shared_keys(self._wrong[p], self._wrong[q]))
        total = self._truth.total * len(self._truth.labels)
        made = Agreement if isinstance(total, int) else WeightedAgreement
        return made(total - wrong_p - wrong_q + both, wrong_q - both, wrong_p - both, both)

    def _weight(self, keys: NDArray[np.int64]) -> Any:
        weights = self._truth.weights
        return keys.size if weights is None else weights[keys // len(self._truth.labels)].sum().item()

    def differences(
        self, records: Sequence[Index], confidence: float
    ) -> Mapping[Pair, Mapping[str, Difference]]:
        """Infer the score differences of each pair of models, treating the instances as a sample."""
        from adjudge.inference.classes.label_set_intervals import label_set_differences

        drawn = self._drawn
        return {
            (p, q): label_set_differences(
                other.possible(one.possible(records)), one, other, confidence, drawn
            )
            for (p, one), (q, other) in combinations(self._cases.items(), 2)
        }

    @cached_property
    def _drawn(self) -> Drawn | None:
        return next(iter(self._cases.values())).sample.drawn
