"""The table of the models' scores against the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge._report.records import facts
from adjudge._report.wording import listed
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.presentation.plain import plain_json
from adjudge.results import Comparison

__all__ = [
    "scores_table",
]

# Scores that clusters of one instance attain trivially.
_FREE = ("homogeneity", "purity", "precision", "bcubed_precision")


def scores_table(comparison: Comparison, order: list[str], scattered: Mapping[str, int]) -> dict[str, Any]:
    """Return the scores of the models in this order, the best of each marked.

    Models whose noise forms clusters of one instance (`scattered`) are not marked for scores that such clusters attain
    trivially.
    """
    records = [find_index(name) for name in next(iter(comparison.scores.values()))]

    def is_earned(model: str, score: str) -> bool:
        return model not in scattered or score not in _FREE

    best = {}
    for record in records:
        values = [comparison.scores[m][record.name] for m in order if is_earned(m, record.name)]
        finite = [v for v in values if np.isfinite(v)]
        if record.better and finite:
            best[record.name] = max(finite) if record.better == "higher" else min(finite)

    def cell(model: str, record: Index) -> dict[str, Any]:
        value = comparison.scores[model][record.name]
        return {
            "value": plain_json(value),
            "reason": comparison.score_reasons.get(model, {}).get(record.name),
            "best": value == best.get(record.name) and is_earned(model, record.name),
            "share": _share_of_range(value, comparison.judged[model][record.name].range),
            "interval": _plain(comparison.score_intervals.get(model, {}).get(record.name)),
            "adjusted": _adjusted(comparison, model, record.name),
        }

    adjusted = any(comparison.is_corrected(record.name) for record in records)
    return {
        "records": [facts(record) | {"title": comparison.title_of(record.name)} for record in records],
        "rows": [{"model": m, "cells": [cell(m, record) for record in records]} for m in order],
        "has_adjusted": adjusted,
        "unmarked": listed([m for m in order if m in scattered]),
        "free": listed([record.title for record in records if record.name in _FREE]),
    }


def _plain(interval: tuple[float, float] | None) -> list[Any] | None:
    return None if interval is None else [plain_json(bound) for bound in interval]


def _adjusted(comparison: Comparison, model: str, score: str) -> Any:
    """Return a score corrected for chance, unless it is already corrected by definition."""
    if not comparison.is_corrected(score):
        return None
    return plain_json(comparison.adjusted_scores[model][score])


def _share_of_range(value: float, bounds: tuple[float, float]) -> float | None:
    """Return where a value lies between its smallest and largest possible ones; a value below 0 shows as 0."""
    low, high = max(bounds[0], 0.0), bounds[1]
    if not np.isfinite([value, low, high]).all() or high <= low:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))
