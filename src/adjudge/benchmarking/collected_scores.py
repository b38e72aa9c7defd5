"""Scores on many data sets, before they are ranked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from adjudge.given.score_table import ScoreTable
from adjudge.presentation.numbers import count
from adjudge.results.bayesian import Folds
from adjudge.results.benchmark import Benchmark
from adjudge.statistics.agreement import Agreement

__all__ = ["Gathered", "Scored"]


class Scored(NamedTuple):
    """A model's score on a data set: its value, why it is undefined, its interval, and what is to be said of it."""

    value: float
    reason: str | None = None
    interval: tuple[float, float] | None = None
    said: str = ""


@dataclass
class Gathered:
    """Scores by data set and model, with all else that is known of them; grows data set by data set."""

    score: str
    better: str
    kind: str | None = None
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    intervals: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    folds: dict[str, dict[str, Any]] = field(default_factory=dict)
    test_shares: dict[str, float] = field(default_factory=dict)
    agreements: dict[str, dict[tuple[str, str], Agreement]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    costs: dict[str, dict[tuple[str, str], float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, dataset: str, model: str, scored: Scored) -> None:
        """Add a model's score."""
        self.scores.setdefault(dataset, {})[model] = scored.value
        if scored.reason is not None:
            self.reasons[dataset, model] = scored.reason
        if scored.interval is not None:
            self.intervals.setdefault(dataset, {})[model] = scored.interval

    def add_folds(self, dataset: str, model: str, values: Any, test_share: float | None = None) -> None:
        """Add a model's scores by fold; their mean is its score."""
        numbers = np.asarray(values, np.float64)
        self.folds.setdefault(dataset, {})[model] = numbers.ravel()
        self.scores.setdefault(dataset, {})[model] = float(numbers.mean())
        # Rows are runs and columns are folds; a single row of numbers is one run.
        self.test_shares.setdefault(dataset, test_share or 1 / max(numbers.shape[-1], 2))

    @property
    def models(self) -> list[str]:
        """All models that have a score somewhere, in order of appearance."""
        return list(dict.fromkeys(model for row in self.scores.values() for model in row))

    def benchmark(
        self,
        *,
        missing_score: float | None = None,
        models: Iterable[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        backend: str | None = None,
    ) -> Benchmark:
        """Create the result."""
        names = self.models if models is None else list(models)
        rows = [[row.get(model, math.nan) for model in names] for row in self.scores.values()]
        values = np.array(rows, np.float64).reshape(len(self.scores), len(names))
        absent = np.isnan(values)
        notes = list(self.notes)
        if absent.any():
            notes.append(self._about_gaps(absent, names, missing_score))
            if missing_score is not None:
                values = np.where(absent, missing_score, values)
        for i, j in np.argwhere(absent):
            key = list(self.scores)[i], names[j]
            self.reasons.setdefault(key, "no score was given")
        return Benchmark(
            table=ScoreTable.of(list(self.scores), names, values, self.better),
            score=self.score,
            kind=self.kind,
            reasons=self.reasons,
            intervals=self.intervals,
            folds=Folds(self.folds, self.test_shares) if self.folds else None,
            agreements=self.agreements,
            sizes=self.sizes,
            costs=self.costs,
            notes=tuple(notes),
            settings=dict(settings or {}),
            backend=backend,
        )

    def _about_gaps(self, absent: Any, names: list[str], missing_score: float | None) -> str:
        worst = names[int(absent.sum(axis=0).argmax())]
        rows, cells = int(absent.any(axis=1).sum()), int(absent.sum())
        text = f"{count(cells, 'score')} missing on {rows} of {len(self.scores)} data sets, most of them of {worst!r}"
        if missing_score is not None:
            return f"{text}: they count as {missing_score:g}"
        return (
            f"{text}: ranks and the tests by ranks leave these data sets out; the signed-rank, sign and Bayesian tests "
            "read every data set on which both models have a score (the option missing_score fills in missing scores)"
        )
