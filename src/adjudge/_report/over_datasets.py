"""A benchmark's section of the page: ranks, which models differ, scores by data set, and what may be written."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._report.wording import caveat, count, decimals_of, fact, letter, listed, main
from adjudge.errors import InputError
from adjudge.indices.catalog import find_index
from adjudge.inference.common.adjustments import default_correction
from adjudge.inference.data_sets.rank_comparison import alike_groups
from adjudge.presentation.numbers import capitalised
from adjudge.presentation.plain import plain_json
from adjudge.statistics.agreement import BETTER_CELLS, CELLS, OF_NUMBERS

if TYPE_CHECKING:
    from adjudge.results.benchmark import Benchmark

#: Level of the tests on the page.
ALPHA = 0.05
# Most models whose pairs are laid out by data set.
_MOST_MODELS_BY_PAIR = 8


def over_datasets(result: Benchmark) -> dict[str, Any]:
    """Reduce a benchmark to what its section shows, as plain JSON."""
    compared = {
        name: result.settings[name] for name in ("test", "correction", "control") if name in result.settings
    }
    correction = compared.get("correction") or default_correction(len(result.models), compared.get("control"))
    may, may_not = result.sentences(ALPHA, **compared)
    groups = _groups(result, correction)
    return {
        "layout": "over_datasets.html.j2",
        "kind": "benchmark",
        "score": _title(result.score),
        "better": result.better,
        "n_complete": result.n_complete,
        "correction": correction.capitalize(),
        "verdict": _verdict(result, groups, may),
        "may_not": may_not,
        "models": _models(result, groups),
        "overall": _overall(result),
        "pairs_of_models": _pairs(result, correction),
        "by_dataset": _by_dataset(result),
        "decimals": decimals_of(result.table.values[np.isfinite(result.table.values)].tolist(), 3),
        "deviations": _deviations(result),
        "outcomes": _outcomes_of_numbers() if result.kind in OF_NUMBERS else None,
        "missing": [{"dataset": d, "model": m, "reason": why} for (d, m), why in result.reasons.items()],
        "costs": plain_json(result.table_of_costs().records()) if result.costs else [],
        "power": plain_json(result.power().records()),
        "settings": {name: value for name, value in result.settings.items() if value is not None},
        # What the other kinds of section show.
        "scores": None,
        "criteria": None,
    }


def _verdict(result: Benchmark, groups: list[list[str]], may: list[str]) -> list[dict[str, str]]:
    said = [main(_headline(result, groups))]
    said += [fact(text) for text in may]
    return said + [caveat(f"{capitalised(note)}.") for note in result.notes]


def _headline(result: Benchmark, groups: list[list[str]]) -> str:
    over = count(result.n_complete, "data set")
    if result.n_complete < 2 or result.friedman.reason:
        return "These data do not show a difference between the models."
    best = result.order[0]
    if groups == [result.order]:
        return f"No model is shown to be better: the ranks over {over} do not differ significantly."
    rivals = sorted({m for group in groups if best in group for m in group} - {best}, key=result.order.index)
    if not rivals:
        return f"{best} ranks best over {over}, significantly better than every other model."
    return f"{best} ranks best over {over}, but not significantly better than {listed(rivals)}."


def _models(result: Benchmark, groups: list[list[str]]) -> list[dict[str, Any]]:
    """Describe each model, the best average rank first, with a letter for each group that it belongs to."""
    if not result.n_complete:
        return [{"model": model, "rank": None, "mean": None, "best_on": 0} for model in result.order]
    ranks = result.rankings.ranks
    means, best, k = result.mean_scores, result.best_on, len(result.models)
    found = []
    for model in result.order:
        own = ranks[:, result.table.column(model)].tolist()
        found.append(
            {
                "model": model,
                "rank": result.average_ranks[model],
                "place": _place(result.average_ranks[model], k),
                "spread": [
                    {
                        "rank": rank,
                        "n": own.count(rank),
                        "place": _place(rank, k),
                        # Of a circle whose area is the share of the data sets with this rank.
                        "radius": round(9 * math.sqrt(own.count(rank) / len(own)), 2),
                    }
                    for rank in sorted(set(own))
                ],
                "letters": [letter(i) for i, group in enumerate(groups) if model in group],
                "mean": plain_json(means[model]),
                "best_on": best[model],
            }
        )
    return found


def _title(score: str) -> str:
    """Return what the score is called on the page: an index by its title, anything else by its name."""
    try:
        return find_index(score).title
    except InputError:
        return score


def _groups(result: Benchmark, correction: str) -> list[list[str]]:
    """Group models that do not differ; all of them if the overall test finds nothing."""
    if not result.n_complete or not result.friedman.p_value <= ALPHA:
        return [result.order]
    p_values = result.pairwise(correction=correction)
    grouped = alike_groups(result.order, {frozenset(pair) for pair, p in p_values.items() if not p <= ALPHA})
    alone = [[model] for model in result.order if not any(model in group for group in grouped)]
    position = {model: i for i, model in enumerate(result.order)}
    return sorted([*grouped, *alone], key=lambda group: [position[model] for model in group])


def _place(rank: float, k: int) -> float:
    """Return where a rank lies between the first (0) and the last (100)."""
    return round(100 * (rank - 1) / max(k - 1, 1), 2)


def _overall(result: Benchmark) -> list[dict[str, Any]]:
    if result.n_complete < 2:
        return []
    return [{"note": "", **row} for row in plain_json(result.table_of_tests().records())]


def _pairs(result: Benchmark, correction: str) -> list[dict[str, Any]]:
    """Describe each pair of models, the better rank first: who wins how often, by how much, and the tests."""
    if result.n_complete < 2:
        return []
    by_ranks = result.pairwise(correction=correction)
    by_differences = result.pairwise("wilcoxon", correction="holm")
    return [
        {
            "first": first,
            "second": second,
            "wins": effects.wins,
            "ties": effects.ties,
            "losses": effects.losses,
            "median": plain_json(effects.median),
            "interval": plain_json([effects.low, effects.high]),
            "p_ranks": plain_json(by_ranks[first, second]),
            "p_signed_ranks": plain_json(by_differences[first, second]),
            "differ": bool(by_ranks[first, second] <= ALPHA),
        }
        for (first, second), effects in result.effects().items()
    ]


def _by_dataset(result: Benchmark) -> list[dict[str, Any]]:
    """Return the scores, with the models in the order of their ranks, shaded from the worst of all to the best."""
    known = [value for row in result.scores.values() for value in row.values() if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    sign = 1 if result.better == "higher" else -1
    rows = []
    for name, scores in result.scores.items():
        best = max((sign * v for v in scores.values() if not math.isnan(v)), default=math.nan)
        cells = []
        for model in result.order:
            value = scores[model]
            share = (value - low) / (high - low) if high > low and math.isfinite(value) else 0.0
            cells.append(
                {
                    "value": plain_json(value),
                    "heat": round(share if sign > 0 else 1 - share, 3) if math.isfinite(value) else None,
                    "best": sign * value == best,
                    "interval": plain_json(result.intervals.get(name, {}).get(model)),
                    "reason": result.reasons.get((name, model)),
                }
            )
        rows.append({"dataset": name, "size": result.sizes.get(name), "cells": cells})
    return rows


def _outcomes_of_numbers() -> list[dict[str, str]]:
    """Return what can be said of two numbers for a row, where labels are right or wrong."""
    return [
        {"name": cell, "short": name, "title": f"rows on which the first model is {name}"}
        for cell, name in BETTER_CELLS.items()
    ]


def _deviations(result: Benchmark) -> list[dict[str, Any]]:
    """Return the Prayatul matrix by data set for each pair of the best models, the best two first."""
    if not any(result.agreements.values()):
        return []
    found = []
    for pair in combinations(result.order[:_MOST_MODELS_BY_PAIR], 2):
        across = result.across(*pair)
        counts = {**across.by_dataset, "all data sets": across.pooled}
        deviations = {**across.deviations, "all data sets": across.pooled_deviation}
        found.append(
            {
                "primary": pair[0],
                "alternative": pair[1],
                "headline": across.headline,
                "rows": [
                    {
                        "dataset": name,
                        "counts": {cell: getattr(agreement, cell) for cell in CELLS},
                        "deviation": plain_json(deviations[name]),
                    }
                    for name, agreement in counts.items()
                ],
            }
        )
    return found
