"""Pairs of classifiers: where one is right and the other wrong, instance by instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from adjudge.given.labels import Labels
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.answers import Answers
from adjudge.kinds.case import Pair, Pairs
from adjudge.kinds.class_recalls import compare_recalls
from adjudge.kinds.row_costs import COST_BY_ROW, difference_of_costs
from adjudge.kinds.sample import Sample
from adjudge.results.differences import ClassDifference
from adjudge.statistics.agreement import CELLS, Agreement, weight_of
from adjudge.statistics.classes import classes_of_truth
from adjudge.statistics.row_costs import RowCosts

if TYPE_CHECKING:
    from adjudge.inference.classes.label_sums import ScoredModels
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.differences.head_to_head import PairInference

__all__ = ["ClassPairs"]


class ClassPairs(Pairs):
    """Where each classifier is right, stored as one bit vector per model."""

    def __init__(self, answers: Mapping[str, Answers], sample: Sample) -> None:
        super().__init__(list(answers))
        self._answers, self._sample = answers, sample
        self._truth = next(iter(answers.values())).truth
        said = {name: _prediction(answer) for name, answer in self._answers.items()}
        self.forecasts = {
            n: answer.forecasts for n, answer in self._answers.items() if answer.forecasts is not None
        }
        self.rows = self._rows = self._sample.instances("classification", self._truth, said, self.forecasts)
        self.patterns = self._rows.patterns
        # A model that can never be right is an error, reported at once.
        self._right = self._rows.right

    def agreement(self, p: str, q: str) -> Agreement:
        """Count the Prayatul matrix of p against q."""
        return self._rows.outcomes(p, q).agreement

    def wrong_alike(self, p: str, q: str) -> float:
        """Count, or weigh, the instances on which both make the same wrong prediction."""
        found: float = weight_of(self._rows.wrong_alike(p, q), self._rows.weights)
        return found

    def _classes(self, pair: Pair) -> Sequence[Any] | None:
        """Return the classes of the model that states any."""
        stated = [self._answers[name].classes for name in pair]
        return stated[1] if stated[0] is None else stated[0]

    def _costs(self, name: str) -> RowCosts:
        amounts = self._answers[name].costs
        assert amounts is not None
        return RowCosts.of(amounts, self._right[name], self._sample.weights)

    def _drawn(self, pair: Pair) -> Drawn | None:
        """Return how rows were drawn, over the cells of a pair's Prayatul matrix."""
        return self._sample.numbered(self._rows.outcomes(*pair).cells, len(CELLS))

    def inference(self, confidence: float) -> Mapping[Pair, PairInference]:
        """Return intervals of the measures and a test for all ordered pairs."""
        from adjudge.inference.differences.head_to_head import assess_classifiers

        return assess_classifiers(self.agreements, confidence, self._drawn)

    @property
    def recalls(self) -> Callable[[float | None, str, str], list[ClassDifference]]:
        """Compares two models' recall of each class."""
        return self._recalls

    def _recalls(self, confidence: float | None, p: str, q: str) -> list[ClassDifference]:
        found = compare_recalls(self._truth, self._rows.outcomes(p, q), confidence, self._sample)
        classes = self._classes((p, q))
        # What an engine counts is sorted, whatever order of the classes is stated.
        place = {label: i for i, label in enumerate(classes or ())}
        return sorted(found, key=lambda own: place.get(own.label, len(place)))

    def differences(
        self, records: Sequence[Index], confidence: float
    ) -> Mapping[Pair, Mapping[str, Difference]]:
        """Infer the score differences of each pair of models, in the order of the models."""
        # A model that is compared with many is scored only once.
        of_labels = self._sample.scored_models
        ranked = [record for record in records if isinstance(record, ForecastIndex)]
        of_forecasts = self._of_forecasts(ranked, confidence) if ranked else {}
        return {
            pair: self._of_labels(records, pair, confidence, of_labels) | of_forecasts.get(pair, {})
            for pair in combinations(self.models, 2)
        }

    def _of_forecasts(
        self, records: Sequence[ForecastIndex], confidence: float
    ) -> Mapping[Pair, dict[str, Difference]]:
        """Infer the differences of scores of each two models that have forecasts."""
        from adjudge.inference.differences.forecast_differences import differences_of_forecasts
        from adjudge.inference.forecasts.forecast_influence import ScoredForecasts

        drawn = self._sample.drawn
        known = ScoredForecasts(drawn)
        return {
            (p, q): differences_of_forecasts(
                records, self.forecasts[p], self.forecasts[q], confidence, drawn, known
            )
            for p, q in combinations(self.forecasts, 2)
        }

    def _of_labels(
        self, records: Sequence[Index], pair: Pair, confidence: float, known: ScoredModels
    ) -> dict[str, Difference]:
        from adjudge.inference.differences.label_differences import PairedLabels, differences_of_labels

        first, second = (self._answers[name] for name in pair)
        of_labels = [
            record
            for record in records
            if not isinstance(record, ForecastIndex) and record is not COST_BY_ROW
        ]
        truth, one, other = first.truth, _prediction(first), _prediction(second)
        classes = self._classes(pair)
        if classes is None:
            occurring = [own.dense()[1] for own in (truth, one, other)]
            answers = [label for own in occurring[1:] for label in own]
            classes = classes_of_truth(occurring[0], answers, first.positive)
        orders = first.orders, second.orders
        labels = PairedLabels(truth, one, other, self._sample.weights, classes, first.positive, orders)
        cells, agreement = self._sample.cells((truth, one, other)), self.agreements[pair]
        found = differences_of_labels(of_labels, labels, agreement, confidence, known, drawn=cells)
        if COST_BY_ROW in records:
            one_costs, other_costs = (self._costs(name) for name in pair)
            found[COST_BY_ROW.name] = difference_of_costs(one_costs, other_costs, self._sample, confidence)
        return found


def _prediction(answers: Answers) -> Labels:
    assert answers.prediction is not None
    return answers.prediction
