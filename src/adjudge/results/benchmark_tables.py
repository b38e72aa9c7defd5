"""Tables of a benchmark: models, scores, tests, effects, costs, and what its number of data sets can show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjudge.inference.data_sets.rank_power import (
    datasets_needed,
    detectable,
    rank_test_power,
    smallest_p_value,
)
from adjudge.inference.data_sets.ranks import OVERALL
from adjudge.presentation.numbers import count, percent_text, show_number
from adjudge.presentation.tables import Table
from adjudge.results.scored_models import ScoredModels

Costs = Mapping[str, Mapping[tuple[str, str], float]]


def models(known: ScoredModels) -> Table:
    """One row per model, the best average rank first."""
    ranks, means, best = known.average_ranks, known.mean_scores, known.best_on
    rows = []
    for model in known.order:
        i = known.table.column(model)
        missing = int(np.isnan(known.table.values[:, i]).sum())
        rows.append((model, ranks[model], means[model], best[model], missing))
    columns = ("model", "average rank", f"mean {known.score}", "best on", "no score on")
    kept = columns if any(row[-1] for row in rows) else columns[:-1]
    title = f"Models over {count(known.n_complete, 'data set')} ({known.score}: {known.better} is better)"
    return Table(kept, tuple(row[: len(kept)] for row in rows), title)


def scores(known: ScoredModels, ranks: bool) -> Table:
    """One row per data set, then average ranks."""
    rows: list[tuple[Any, ...]] = []
    for name in known.datasets:
        cells: list[Any] = [name]
        for model in known.models:
            value: Any = known.scores[name][model]
            if ranks and not math.isnan(known.ranks[name][model]):
                value = f"{show_number(value, 3)} ({known.ranks[name][model]:g})"
            cells.append(None if isinstance(value, float) and math.isnan(value) else value)
        rows.append(tuple(cells))
    rows.append(("average rank", *(known.average_ranks[model] for model in known.models)))
    return Table(("data set", *known.models), tuple(rows), f"{known.score} ({known.better} is better)")


def intervals(
    known: ScoredModels, found: Mapping[str, Mapping[str, tuple[float, float]]], confidence: float | None
) -> Table:
    """One row per data set and model: the score and its interval."""
    rows = [
        (name, model, known.scores[name][model], *found.get(name, {}).get(model, (math.nan, math.nan)))
        for name in known.datasets
        for model in known.models
    ]
    share = "" if confidence is None else f" ({percent_text(confidence)})"
    title = f"{known.score} with intervals{share}"
    return Table(("data set", "model", known.score, "low", "high"), tuple(rows), title)


def effects(known: ScoredModels, confidence: float) -> Table:
    """One row per pair: wins, and how large the difference is."""
    rows = tuple(
        (*pair, e.wins, e.ties, e.losses, e.mean, e.median, e.low, e.high, e.rank_biserial)
        for pair, e in known.effects(confidence).items()
    )
    columns = (
        "first",
        "second",
        "wins",
        "ties",
        "losses",
        "mean difference",
        "median",
        "low",
        "high",
        "rank-biserial",
    )
    return Table(
        columns,
        rows,
        f"How much better the first is (interval of the median: {percent_text(confidence)})",
    )


def tests(known: ScoredModels) -> Table:
    """One row per test of the hypothesis that all models are alike."""
    rows = []
    for name in OVERALL:
        found = known.overall(name)
        rows.append((name, found.statistic, found.p_value, found.reason or ""))
    columns = ("test", "statistic", "p", "note")
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]  # type: ignore[assignment, misc]
    return Table(columns, tuple(rows), "All models alike?")


def costs(models: Sequence[str], measured: Costs) -> Table:
    """One row per model: time and memory over all data sets."""
    rows = []
    for model in models:
        seconds, memory = (
            [value for (_, m), value in measured.get(what, {}).items() if m == model]
            for what in ("seconds", "megabytes")
        )
        rows.append(
            (model, math.fsum(seconds), max(seconds, default=math.nan), max(memory, default=math.nan))
        )
    return Table(("model", "seconds in all", "slowest", "most MB"), tuple(rows), "Cost")


def power(known: ScoredModels, power: float, alpha: float, test: str) -> Table:
    """Return what this number of data sets can show."""
    n, k = known.n_complete, len(known.models)
    pairs = math.comb(k, 2)
    options: dict[str, Any] = {"power": power, "alpha": alpha, "test": test}
    rows: list[tuple[str, Any]] = [
        ("data sets", n),
        ("comparisons of two models", pairs),
        ("smallest p-value that can be", smallest_p_value(n, pairs)),
        ("wins that are found, all pairs", detectable(n, n_comparisons=pairs, **options)),
        ("wins that are found, one comparison", detectable(n, **options)),
    ]
    for share in (0.9, 0.8, 0.7, 0.6):
        needed = datasets_needed(share, n_comparisons=pairs, **options)
        rows.append((f"data sets needed for a model that wins {percent_text(share)}", needed))
    for concordance in (0.1, 0.3):
        found = rank_test_power(n, k, concordance, alpha) if n > 1 else math.nan
        rows.append((f"power of Friedman's test at a concordance of {concordance}", found))
    return Table(
        ("quantity", "value"),
        tuple(rows),
        f"What {n} data sets can show ({test}, power {percent_text(power)})",
    )
