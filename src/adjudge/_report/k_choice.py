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


def choices(k_choice: KChoice) -> list[dict[str, Any]]:
    """Reduce the choice of the number of clusters to plain JSON, estimator by estimator, the recommended one first."""
    others = [own for name, own in k_choice.choices.items() if name != k_choice.estimator]
    return [choice(one) for one in (k_choice, *others)]


def about_number(k_choice: KChoice, tone: str) -> list[dict[str, str]]:
    """State the conclusion about the number of clusters, one reason, and what sets the clusters apart.

    Arguments against it appear where the criteria are shown.
    """
    words = k_choice.words
    said = [{"tone": tone, "text": words.headline}, fact(_because(k_choice))]
    if words.convincing and k_choice.profiles:
        clusters = [
            f"{own.label} ({count(own.n, 'instance')}): {own.words}" for own in k_choice.profiles[:_DESCRIBED]
        ]
        rest = len(k_choice.profiles) - _DESCRIBED
        more = f"; and {rest} more" if rest > 0 else ""
        said.append(fact(f"By size: {'; '.join(clusters)}{more}."))
    return said


def _because(k_choice: KChoice) -> str:
    """Return the reason, naming the supporters by their titles, as the curves do."""
    return NumberWords.of(k_choice.k, k_choice.probability, _reason(k_choice), k_choice.there_are).because


def number_of_clusters(k_choice: KChoice) -> dict[str, Any]:
    """Reduce a choice to a section of its own, which shows the criteria and no instances."""
    return {
        "layout": "number_of_clusters.html.j2",
        "kind": "k_choice",
        "subject": f"{count(k_choice.n, 'instance')}, clustered by {estimator_title(k_choice.estimator)} into "
        f"{listed(list(map(str, k_choice.ks)))} clusters",
        "verdict": about_number(k_choice, tone="main"),
        "k_choices": choices(k_choice),
        "settings": {
            name: value for name, value in plain_json(k_choice.settings).items() if value is not None
        },
        "scores": None,
        "criteria": None,
    }


def choice(k_choice: KChoice) -> dict[str, Any]:
    """Reduce one estimator's choice to plain JSON."""
    ks = sorted({k for values in k_choice.values.values() for k in values})
    criteria = [_criterion(name, k_choice, ks) for name in k_choice.values]
    return {
        "k": k_choice.k,
        "headline": k_choice.words.headline,
        "reason": _reason(k_choice),
        "profiles": [
            {"label": str(profile.label), "n": profile.n, "words": profile.words, "typical": profile.typical}
            for profile in k_choice.profiles
        ],
        "convincing": k_choice.words.convincing,
        "likeliest": k_choice.likeliest,
        "warnings": [notice.text for notice in k_choice.warnings],
        "estimator": estimator_title(k_choice.estimator),
        "ks": ks,
        "criteria": sorted(criteria, key=lambda row: not row["counted"]),
        "tally": _tally(k_choice),
        "stability": _stability(k_choice, ks),
    }


def _reason(k_choice: KChoice) -> str:
    """Name the supporters by their titles, as the curves below do."""
    parts = getattr(k_choice.reason, "parts", (k_choice.reason,))
    return "".join(
        find_index(part.name).title if isinstance(part, IndexName) else str(part) for part in parts
    )


def _criterion(name: str, k_choice: KChoice, ks: list[int]) -> dict[str, Any]:
    record = find_index(name)
    values = [k_choice.values[name].get(k, float("nan")) for k in ks]
    reasons = k_choice.reasons.get(name, {})
    vote = k_choice.votes[name]
    points = [
        {"k": k, "x": round(x, 1), "y": round(y, 1), "value": plain_json(value), "vote": k == vote}
        for k, value, (x, y) in zip(ks, values, _curve(values), strict=True)
        if np.isfinite(value)
    ]
    return {
        "name": name,
        "title": record.title,
        "summary": record.summary,
        "family": k_choice.families[name],
        "counted": name in k_choice.voters,
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


def _tally(k_choice: KChoice) -> list[dict[str, Any]]:
    most = max(k_choice.tally.values(), default=0) or 1
    return [
        {
            "k": k,
            "votes": Votes(k_choice.tally.get(k, 0)),
            "share": k_choice.tally.get(k, 0) / most,
            "verdict": sum(k_choice.votes[name] == k for name in k_choice.voters),
            "probability": None if k_choice.probability is None else _share(k_choice.probability.get(k)),
            "wins": None if k_choice.confidence is None else _share(k_choice.confidence.get(k, 0.0)),
        }
        for k in sorted({*k_choice.ks, *k_choice.tally})
    ]


def _share(value: float | None) -> Share | None:
    return None if value is None else Share(value)


def _stability(k_choice: KChoice, ks: list[int]) -> list[dict[str, Any]]:
    stable = k_choice.stability
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
