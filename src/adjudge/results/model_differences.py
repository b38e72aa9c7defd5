"""Which of several models differ, by which scores, in which classes: the basis of a verdict's words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from adjudge.errors import InputError
from adjudge.indices.catalog import find_index
from adjudge.results.differences import ClassDifference, GroupDifference, ScoreDifference
from adjudge.results.head_to_head import HeadToHead
from adjudge.results.score import OfScores, Score
from adjudge.statistics.agreement import UNITS, WITHOUT_TRUTH

#: Confidence level for p-values if none was given.
USUAL_LEVEL = 0.95


class ModelsCompared:
    """Models with their scores, and each pair of them: what a verdict reads of a :class:`~adjudge.Comparison`."""

    kind: str
    models: tuple[str, ...]
    n: float
    effective: float | None
    judged: dict[str, dict[str, Score]]
    pairs: dict[tuple[str, str], HeadToHead]
    settings: dict[str, Any]
    group_differences: tuple[GroupDifference, ...]

    scores = OfScores[dict[str, dict[str, float]]](
        "value", "The scores of each model against the truth.", "judged"
    )
    score_reasons = OfScores[dict[str, dict[str, str]]]("reason", "Why scores are nan.", "judged")

    @property
    def unit(self) -> str:
        """What the matrices count."""
        return UNITS[self.kind]

    @property
    def against(self) -> str:
        """What the models are judged against, in words."""
        return "" if self.kind in WITHOUT_TRUTH else " against the truth"

    def heading_of(self, score: str) -> str:
        """Return the name of a score, and which average it is if the name does not say."""
        return next((own[score].heading for own in self.judged.values() if score in own), score)

    def title_of(self, score: str) -> str:
        """Return what the literature calls a score, and which average it is if that does not say."""
        return next((own[score].title for own in self.judged.values() if score in own), score)

    def __getitem__(self, pair: tuple[str, str]) -> HeadToHead:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError("give two names: comparison['primary', 'alternative']")
        for name in pair:
            if name not in self.models:
                raise InputError(
                    f"no model is called {name!r}: choose one of {', '.join(map(repr, self.models))}"
                )
        if pair[0] == pair[1]:
            raise InputError(f"{pair[0]!r} is not compared with itself: name two models")
        return self.pairs[pair[0], pair[1]]


def difference_of_scores(
    comparison: ModelsCompared, primary: str, alternative: str, score: str
) -> ScoreDifference:
    """Return the difference of two models' scores, with its interval and test if there are any."""
    known = comparison[primary, alternative].differences.get(score)
    if known is not None:
        return known
    own, other = (comparison.judged[model][score] for model in (primary, alternative))
    return ScoreDifference(own.index, own.value, other.value, average=own.average)


def ranking(comparison: ModelsCompared) -> tuple[str, list[str]]:
    """Return the first score that has a direction, and the models by its values, the best first."""
    better = {name: own.index.better for name, own in next(iter(comparison.judged.values())).items()}
    # A primary score comes first.
    score = next((name for name, end in better.items() if end), next(iter(better)))
    sign = -1 if better[score] == "lower" else 1

    def key(model: str) -> tuple[bool, float]:
        value = comparison.scores[model][score]
        return math.isnan(value), 0.0 if math.isnan(value) else -sign * value

    return score, sorted(comparison.models, key=key)


@dataclass(frozen=True)
class WhatDiffers:
    """What differs between several models, by all scores `but` one."""

    comparison: ModelsCompared
    first: str
    order: Sequence[str]
    but: str | None = None

    @property
    def primary(self) -> str | None:
        """The score that was chosen beforehand to decide, if any."""
        found: str | None = self.comparison.settings.get("primary")
        return found

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return 1 - (self.comparison.settings.get("confidence") or USUAL_LEVEL)

    @cached_property
    def standing(self) -> list[str]:
        """The models by how many they are better than, minus how many are better than them; then by the first score."""
        points = dict.fromkeys(self.order, 0)
        for p, q in combinations(self.order, 2):
            wins, losses = self.decided(p, q)
            points[p] += bool(wins) - bool(losses)
            points[q] -= bool(wins) - bool(losses)
        return sorted(self.order, key=lambda model: (self.lacks_primary(model), -points[model]))

    def lacks_primary(self, model: str) -> bool:
        """Whether the primary score of a model is undefined."""
        judged = self.comparison.judged[model]
        return self.primary is not None and math.isnan(judged[self.primary].value)

    @property
    def leader(self) -> str:
        """The model with the best standing."""
        return self.standing[0]

    @property
    def rival(self) -> str:
        """The model with the next best standing."""
        return self.standing[1]

    @cached_property
    def lead(self) -> str:
        """The primary score, or that which differs and favours the leader, or else one that differs, or the first."""
        if self.primary is not None:
            return self.primary
        wins, losses = self.seen(self.leader, self.rival)
        return next((own.index.name for own in (*wins, *losses)), self.first)

    def differences(self, p: str, q: str) -> list[ScoreDifference]:
        """Return the differences of the scores that have a direction, in their order."""
        return [own for own in self._all(p, q) if own.index.name != self.but]

    def of_primary(self, p: str, q: str) -> ScoreDifference | None:
        """Return the difference of the primary score, if there is one and it is defined."""
        return next((own for own in self._all(p, q) if own.index.name == self.primary), None)

    def _all(self, p: str, q: str) -> list[ScoreDifference]:
        pair = self.comparison[p, q]
        known = {
            name: difference_of_scores(self.comparison, p, q, name) for name in self.comparison.judged[p]
        }
        tested = any(own.adjusted_p_value is not None for own in known.values())
        if self.comparison.kind == "clustering" and pair.test and not tested:
            # Where no score that was asked for has a test, that of equal Rand indices still says something. Beside
            # others it would be one test more that nothing corrects for.
            total = pair.agreement.total or math.nan
            known = {
                "rand": ScoreDifference(
                    find_index("rand"),
                    (pair.both_right + pair.right_wrong) / total,
                    (pair.both_right + pair.wrong_right) / total,
                    p_value=_known(pair.test["p_value"]),
                    adjusted_p_value=_known(pair.test["adjusted_p_value"]),
                )
            } | {name: own for name, own in known.items() if name != "rand"}
        return [own for own in known.values() if own.index.better and not math.isnan(own.value)]

    def seen(self, p: str, q: str) -> tuple[list[ScoreDifference], list[ScoreDifference]]:
        """Return the scores by which tests find the first model better, and those by which the second."""
        return self._sides(self.differences(p, q))

    def decided(self, p: str, q: str) -> tuple[list[ScoreDifference], list[ScoreDifference]]:
        """Return the same of the primary score alone, if there is one."""
        if self.primary is None:
            return self.seen(p, q)
        own = self.of_primary(p, q)
        return self._sides([] if own is None else [own])

    def _sides(self, rows: Sequence[ScoreDifference]) -> tuple[list[ScoreDifference], list[ScoreDifference]]:
        found = [row for row in rows if row.value and self.is_seen(row)]
        return [own for own in found if own.gain > 0], [own for own in found if own.gain < 0]

    def is_seen(self, difference: ScoreDifference) -> bool:
        """Whether its test detects a difference."""
        return difference.adjusted_p_value is not None and difference.adjusted_p_value <= self.alpha

    def finds_more(self, p: str, q: str) -> list[ClassDifference]:
        """Return the classes of which a model finds more than another."""
        rows = self.comparison[p, q].recalls
        return [row for row in rows if row.score.value > 0 and self.is_seen(row.score)]


def _known(p_value: float) -> float | None:
    return None if math.isnan(p_value) else p_value
