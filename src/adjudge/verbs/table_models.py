"""Comparing classifiers in a lazy table by their probabilities or decision values, from sums."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any

from adjudge.engines.frames.counting import FrameTable
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.kinds.class_notices import DERIVED_LABELS
from adjudge.kinds.request import EvaluationRequest
from adjudge.results import Comparison
from adjudge.results.class_notices import LABELS_ALONE, about_those_with_labels_alone
from adjudge.results.differences import GroupDifference, ScoreDifference
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.tables.forecasts import ClassifierColumns, ModelForecasts
from adjudge.verbs.table_classifiers import evaluate_summed

__all__ = ["SplitIndices", "with_scores_of_sums"]

Scores = dict[str, Score]

_UNTESTED = "tests and intervals need the scores of all instances: collect the table first"


@dataclass(frozen=True)
class SplitIndices:
    """The requested indices, split into those of labels and those of forecasts.

    Attributes
    ----------
    of_labels, of_forecasts : list
        Keywords and records.
    keeps_labels : bool
        Whether scores of labels were requested.
    primary : Index or None
        The score that is shown first.
    """

    of_labels: list[Any]
    of_forecasts: list[Any]
    keeps_labels: bool
    primary: Index | None = None

    @classmethod
    def of(cls, indices: Any, primary: Any = None) -> SplitIndices:
        """Split requested indices; keywords mean both kinds."""
        keywords, named = split_keywords(indices)
        records = select_indices(named, ("classification",)) if named else []
        of_labels = [*keywords, *(r for r in records if not isinstance(r, ForecastIndex))]
        of_forecasts = [*keywords, *(r for r in records if isinstance(r, ForecastIndex))]
        found = cls(of_labels or ["accuracy"], of_forecasts, bool(of_labels))
        if primary is None:
            return found
        return replace(found, primary=next(iter(select_indices(primary, ("classification",)))))

    @property
    def primary_of_labels(self) -> Index | None:
        """The primary score, if the comparison of labels has to show it."""
        of_forecasts = isinstance(self.primary, ForecastIndex) and bool(self.of_forecasts)
        return self.primary if self.keeps_labels and not of_forecasts else None


def with_scores_of_sums(
    comparison: Comparison,
    table: FrameTable,
    truth: Any,
    forecasts: ModelForecasts,
    asked: SplitIndices,
    options: Mapping[str, Any],
) -> Comparison:
    """Add the scores of each model's forecasts, overall and by group, and their differences.

    Parameters
    ----------
    comparison : Comparison
        Comparison of the labels.
    table : FrameTable
        The rows that were compared.
    truth : str
    forecasts : ModelForecasts
    asked : SplitIndices
    options : mapping
        `positive`, `grouping` and `confidence`.
    """
    if not asked.of_forecasts:
        return comparison
    request = EvaluationRequest(
        indices=asked.of_forecasts,
        kind="classification",
        confidence=options["confidence"],
        primary=asked.primary,
    )
    whole: dict[str, Scores] = {}
    notices: list[Notice] = []
    by_group: dict[Any, dict[str, Scores]] = {group: {} for group in comparison.by_group}
    for model, own in forecasts.columns.items():
        columns = ClassifierColumns(own, tuple(options["grouping"]), own.classes, options["positive"])
        judged = evaluate_summed(table, truth, None, columns, request, model=model)
        notices += (own for own in judged.warnings if own is not DERIVED_LABELS)
        whole[model] = _of_forecasts(judged.scores)
        for group, scores in judged.by_group.items():
            by_group[group][model] = _of_forecasts(scores.scores)
    records = [own.index for own in next(iter(whole.values())).values()]
    lacking = [model for model in comparison.models if model not in whole]
    alone = {record.name: Score(record, math.nan, LABELS_ALONE) for record in records}
    for scores_of_models in (whole, *by_group.values()):
        scores_of_models.update(dict.fromkeys(lacking, alone))
    of_labels = [own.index for own in next(iter(comparison.judged.values())).values()]
    shown = [*(of_labels if asked.keeps_labels else ()), *records]
    ordered = request.primary_first(shown, ("classification",))
    order = [record.name for record in ordered]
    settings = {"scores": order, **request.settings_of_tests(ordered)}
    found = _joined(comparison, whole, settings)
    labels_alone = about_those_with_labels_alone(found.judged)
    found = replace(found, warnings=tuple(dict.fromkeys([*comparison.warnings, *labels_alone, *notices])))
    if not by_group:
        return found
    groups = {g: _joined(own, by_group[g], settings) for g, own in comparison.by_group.items()}
    rows = [row for row in comparison.group_differences if asked.keeps_labels]
    rows += [
        GroupDifference(p, q, group, own.n, own[p, q].differences[name], found[p, q].differences[name].gain)
        for p, q in combinations(found.models, 2)
        for group, own in groups.items()
        for name in next(iter(whole.values()))
    ]
    return replace(found, by_group=groups, group_differences=tuple(rows))


def _of_forecasts(scores: Mapping[str, Score]) -> Scores:
    return {name: own for name, own in scores.items() if isinstance(own.index, ForecastIndex)}


def _joined(comparison: Comparison, scores: Mapping[str, Scores], settings: Mapping[str, Any]) -> Comparison:
    """Add scores to those of the labels, and score differences to each pair of models; keep those in the settings."""
    order: list[str] = settings["scores"]
    known = {model: own | scores[model] for model, own in comparison.judged.items()}
    judged = {model: {name: own[name] for name in order} for model, own in known.items()}
    pairs = {}
    for p, q in permutations(comparison.models, 2):
        pair = comparison.pairs[p, q]
        more = {name: _difference(own, scores[q][name]) for name, own in scores[p].items()}
        differences = {**pair.differences, **more}
        pairs[p, q] = replace(pair, differences={name: differences[name] for name in order})
    return replace(comparison, judged=judged, pairs=pairs, settings={**comparison.settings, **settings})


def _difference(first: Score, second: Score) -> ScoreDifference:
    if LABELS_ALONE in (first.reason, second.reason):
        return ScoreDifference(first.index, first.value, second.value, reason=LABELS_ALONE)
    bound = (first.error_bound or 0.0) + (second.error_bound or 0.0)
    reasons = (first.reason or second.reason, f"error at most {bound:.2g}" if bound else None, _UNTESTED)
    said = "; ".join(reason for reason in reasons if reason)
    about: dict[str, Any] = {"average": first.average, "of_class": first.of_class}
    return ScoreDifference(first.index, first.value, second.value, reason=said, **about)
