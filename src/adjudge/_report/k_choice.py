"""How many clusters: each criterion's curve and vote, and the tally."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._report.wording import count, estimator_title, fact, listed
from adjudge.errors import IndexName
from adjudge.indices.catalog import find_index
from adjudge.presentation.numbers import Share, Votes
from adjudge.presentation.plain import plain_json
from adjudge.results.k_statement import NumberWords

if TYPE_CHECKING:
    from adjudge.results import KChoice

# Most clusters that are described in the verdict.
_DESCRIBED = 6
# The box in which a curve is drawn.
_WIDTH, _HEIGHT = 100.0, 30.0


def choices(found: KChoice) -> list[dict[str, Any]]:
    """Reduce the choice of the number of clusters to plain JSON, estimator by estimator, the recommended one first."""
    others = [own for name, own in found.choices.items() if name != found.estimator]
    return [choice(one) for one in (found, *others)]


def about_number(found: KChoice, tone: str) -> list[dict[str, str]]:
    """State the conclusion about the number of clusters, one reason, and what sets the clusters apart.

    Arguments against it appear where the criteria are shown.
    """
    words = found.words
    said = [{"tone": tone, "text": words.headline}, fact(_because(found))]
    if words.convincing and found.profiles:
        clusters = [
            f"{own.label} ({count(own.n, 'instance')}): {own.words}" for own in found.profiles[:_DESCRIBED]
        ]
        rest = len(found.profiles) - _DESCRIBED
        more = f"; and {rest} more" if rest > 0 else ""
        said.append(fact(f"By size: {'; '.join(clusters)}{more}."))
    return said


def _because(found: KChoice) -> str:
    """Return the reason, naming the supporters by their titles, as the curves do."""
    return NumberWords.of(found.k, found.probability, _reason(found), found.there_are).because


def number_of_clusters(found: KChoice) -> dict[str, Any]:
    """Reduce a choice to a section of its own, which shows the criteria and no instances."""
    return {
        "layout": "number_of_clusters.html.j2",
        "kind": "k_choice",
        "subject": f"{count(found.n, 'instance')}, clustered by {estimator_title(found.estimator)} into "
        f"{listed(list(map(str, found.ks)))} clusters",
        "verdict": about_number(found, tone="main"),
        "k_choices": choices(found),
        "settings": {name: value for name, value in plain_json(found.settings).items() if value is not None},
        "scores": None,
        "criteria": None,
    }


def choice(found: KChoice) -> dict[str, Any]:
    """Reduce one estimator's choice to plain JSON."""
    ks = sorted({k for values in found.values.values() for k in values})
    criteria = [_criterion(name, found, ks) for name in found.values]
    return {
        "k": found.k,
        "headline": found.words.headline,
        "reason": _reason(found),
        "profiles": [
            {"label": str(profile.label), "n": profile.n, "words": profile.words, "typical": profile.typical}
            for profile in found.profiles
        ],
        "convincing": found.words.convincing,
        "likeliest": found.likeliest,
        "warnings": [notice.text for notice in found.warnings],
        "estimator": estimator_title(found.estimator),
        "ks": ks,
        "criteria": sorted(criteria, key=lambda row: not row["counted"]),
        "tally": _tally(found),
        "stability": _stability(found, ks),
    }


def _reason(found: KChoice) -> str:
    """Name the supporters by their titles, as the curves below do."""
    parts = getattr(found.reason, "parts", (found.reason,))
    return "".join(
        find_index(part.name).title if isinstance(part, IndexName) else str(part) for part in parts
    )


def _criterion(name: str, found: KChoice, ks: list[int]) -> dict[str, Any]:
    record = find_index(name)
    values = [found.values[name].get(k, float("nan")) for k in ks]
    reasons = found.reasons.get(name, {})
    vote = found.votes[name]
    points = [
        {"k": k, "x": round(x, 1), "y": round(y, 1), "value": plain_json(value), "vote": k == vote}
        for k, value, (x, y) in zip(ks, values, _curve(values), strict=True)
        if np.isfinite(value)
    ]
    return {
        "name": name,
        "title": record.title,
        "summary": record.summary,
        "family": found.families[name],
        "counted": name in found.voters,
        "vote": vote,
        "values": plain_json(values),
        "reasons": [reasons.get(k) for k in ks],
        "points": points,
        "curve": " ".join(f"{p['x']},{p['y']}" for p in points),
    }


def _curve(values: list[float]) -> list[tuple[float, float]]:
    """Place the values in a box, the largest on top."""
    finite = [v for v in values if np.isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    height = (high - low) or 1.0
    step = _WIDTH / max(len(values) - 1, 1)
    return [
        (i * step, _HEIGHT * (1 - (v - low) / height) if np.isfinite(v) else float("nan"))
        for i, v in enumerate(values)
    ]


def _tally(found: KChoice) -> list[dict[str, Any]]:
    most = max(found.tally.values(), default=0) or 1
    return [
        {
            "k": k,
            "votes": Votes(found.tally.get(k, 0)),
            "share": found.tally.get(k, 0) / most,
            "verdict": sum(found.votes[name] == k for name in found.voters),
            "probability": None if found.probability is None else _share(found.probability.get(k)),
            "wins": None if found.confidence is None else _share(found.confidence.get(k, 0.0)),
        }
        for k in sorted({*found.ks, *found.tally})
    ]


def _share(value: float | None) -> Share | None:
    return None if value is None else Share(value)


def _stability(found: KChoice, ks: list[int]) -> list[dict[str, Any]]:
    stable = found.stability
    if stable is None:
        return []
    smallest = {k: float(np.min(v)) for k, v in stable.jaccard.items()}
    rows = [
        (
            "Prediction strength",
            "How well the clusters of one half of the instances predict which instances of the "
            "other half belong together.",
            "higher",
            stable.strength,
        ),
        (
            "Least stable cluster's bootstrap Jaccard",
            "How much of the least stable cluster is found again in samples drawn with replacement.",
            "higher",
            smallest,
        ),
        (
            "Instability",
            "Share of the pairs of instances on which the clusterings of two samples disagree.",
            "lower",
            stable.instability,
        ),
        (
            "Ambiguously clustered pairs",
            "Share of the pairs of instances that some samples join and others separate.",
            "lower",
            stable.ambiguity,
        ),
    ]
    return [_measure_of_stability(*row, ks) for row in rows if row[3]]


def _measure_of_stability(title: str, summary: str, better: str, found: Any, ks: list[int]) -> dict[str, Any]:
    values = [found.get(k, float("nan")) for k in ks]
    finite = [v for v in values if np.isfinite(v)]
    best = (max(finite) if better == "higher" else min(finite)) if finite else None
    return {
        "title": title,
        "summary": summary,
        "better": better,
        "values": plain_json(values),
        "best": [v == best for v in values],
    }
