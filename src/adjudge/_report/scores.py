"""The table of the models' scores against the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from adjudge._report.records import facts
from adjudge._report.wording import listed
from adjudge.presentation.plain import plain_json
from adjudge.results import Comparison

# Scores that clusters of one instance attain trivially.
_FREE = ("homogeneity", "purity", "precision", "bcubed_precision")


def scores_table(comparison: Comparison, order: list[str], scattered: Mapping[str, int]) -> dict[str, Any]:
    """Return the scores of the models in this order, the best of each marked.

    Models whose noise forms clusters of one instance (`scattered`) are not marked for scores that such clusters attain
    trivially.
    """
    judged = comparison.judged
    records = [own.index for own in judged[order[0]].values()]
    corrected = {record.name for record in records if comparison.is_corrected(record.name)}

    def is_earned(model: str, score: str) -> bool:
        return model not in scattered or score not in _FREE

    best = {}
    for record in records:
        values = [judged[m][record.name].value for m in order if is_earned(m, record.name)]
        finite = [v for v in values if math.isfinite(v)]
        if record.better and finite:
            best[record.name] = max(finite) if record.better == "higher" else min(finite)

    def cell(model: str, name: str) -> dict[str, Any]:
        own = judged[model][name]
        return {
            "value": plain_json(own.value),
            "reason": own.reason,
            "best": own.value == best.get(name) and is_earned(model, name),
            "share": _share_of_range(own.value, own.range),
            "interval": plain_json(own.interval),
            "adjusted": plain_json(own.adjusted) if name in corrected else None,
        }

    return {
        "records": [facts(record) | {"title": comparison.title_of(record.name)} for record in records],
        "rows": [{"model": m, "cells": [cell(m, record.name) for record in records]} for m in order],
        "has_adjusted": bool(corrected),
        "unmarked": listed([m for m in order if m in scattered]),
        "free": listed([record.title for record in records if record.name in _FREE]),
    }


def _share_of_range(value: float, bounds: tuple[float, float]) -> float | None:
    """Return where a value lies between its smallest and largest possible ones; a value below 0 shows as 0."""
    low, high = max(bounds[0], 0.0), bounds[1]
    if not all(map(math.isfinite, (value, low, high))) or high <= low:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))
