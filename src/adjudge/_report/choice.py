"""How many clusters: each criterion's curve and vote, and the tally."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.indices.catalog import find_index
from adjudge.results import plain_json

if TYPE_CHECKING:
    from adjudge.choice_results import KChoice

__all__ = ["choice"]


def choice(found: KChoice) -> dict[str, Any]:
    """Reduce the choice of the number of clusters to plain JSON."""
    ks = sorted({k for values in found.values.values() for k in values})
    return {
        "k": found.k,
        "reason": found.reason,
        "warnings": list(found.warnings),
        "estimator": found.estimator,
        "ks": ks,
        "criteria": [_criterion(name, found, ks) for name in found.values],
        "tally": _tally(found),
        "stability": _stability(found, ks),
    }


def _criterion(name: str, found: KChoice, ks: list[int]) -> dict[str, Any]:
    record = find_index(name)
    values = [found.values[name].get(k, float("nan")) for k in ks]
    reasons = found.reasons.get(name, {})
    points = _curve(values)
    vote = found.votes[name]
    return {
        "name": name,
        "title": record.title,
        "summary": record.summary,
        "family": found.families[name],
        "counted": name in found.voters,
        "vote": vote,
        "values": plain_json(values),
        "reasons": [reasons.get(k) for k in ks],
        "curve": " ".join(f"{x:.1f},{y:.1f}" for x, y in points if not np.isnan(y)),
        "mark": plain_json(list(points[ks.index(vote)])) if vote in ks else None,
    }


def _curve(values: list[float]) -> list[tuple[float, float]]:
    """Place the values in a box 100 wide and 30 high, the largest on top."""
    finite = [v for v in values if np.isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    height = (high - low) or 1.0
    step = 100 / max(len(values) - 1, 1)
    return [
        (i * step, 30 - 30 * (v - low) / height if np.isfinite(v) else float("nan"))
        for i, v in enumerate(values)
    ]


def _tally(found: KChoice) -> list[dict[str, Any]]:
    most = max(found.tally.values(), default=0) or 1
    return [
        {
            "k": k,
            "votes": float(found.tally.get(k, 0)),
            "share": found.tally.get(k, 0) / most,
            "wins": None if found.confidence is None else float(found.confidence.get(k, 0.0)),
        }
        for k in sorted({*found.ks, *found.tally})
    ]


def _stability(found: KChoice, ks: list[int]) -> list[dict[str, Any]]:
    stable = found.stability
    if stable is None:
        return []
    rows = {
        "Prediction strength (higher is better)": stable.strength,
        "Smallest cluster's bootstrap Jaccard (higher is better)": {
            k: float(np.min(v)) for k, v in stable.jaccard.items()
        },
        "Instability (lower is better)": stable.instability,
        "Ambiguously clustered pairs (lower is better)": stable.ambiguity,
    }
    return [
        {"title": title, "values": [plain_json(values.get(k, float("nan"))) for k in ks]}
        for title, values in rows.items()
        if values
    ]
