"""In which order candidates are recommended, and which of them no other exceeds in coverage and quality."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.choosing.assessing import Assessment
from adjudge.choosing.candidates import Candidate
from adjudge.indices.record import Index

__all__ = ["MEAN_RANK", "Ranking", "front_of", "mean_ranks", "ranked"]


#: Ranks by all criteria together.
MEAN_RANK = "mean_rank"


@dataclass(frozen=True)
class Ranking:
    """The candidates, the best first.

    Attributes
    ----------
    order : tuple of str
    quality : dict of str to float
        What they are ordered by; nan last.
    score : dict of str to float
        The same, a higher value being better.
    name : str
        What that is.
    """

    order: tuple[str, ...]
    quality: dict[str, float]
    score: dict[str, float]
    name: str


def ranked(
    candidates: Sequence[Candidate], records: Sequence[Index], assessed: Assessment, by: str
) -> Ranking:
    """Order candidates by a criterion, or by their mean rank over all criteria.

    Parameters
    ----------
    by : str
        Name of a criterion, or "mean_rank".
    """
    if by == MEAN_RANK:
        quality = mean_ranks(assessed.values, records)
        for candidate in candidates:
            if candidate.n_clusters < 2:
                quality[candidate.name] = math.nan
        return _ordered(candidates, quality, quality, "mean rank")
    record = next(r for r in records if r.name == by)
    quality = dict(assessed.values[record.name])
    sign = 1.0 if record.better == "higher" else -1.0
    return _ordered(candidates, quality, {name: sign * v for name, v in quality.items()}, record.title)


def _ordered(
    candidates: Sequence[Candidate], quality: dict[str, float], score: Mapping[str, float], name: str
) -> Ranking:
    place = {c.name: i for i, c in enumerate(candidates)}
    coverage = {c.name: c.coverage for c in candidates}

    def key(own: str) -> tuple[bool, float, float, int]:
        value = score[own]
        known = not math.isnan(value)
        return (not known, -value if known else 0.0, -coverage[own], place[own])

    return Ranking(tuple(sorted(place, key=key)), quality, dict(score), name)


def mean_ranks(values: Mapping[str, Mapping[str, float]], records: Sequence[Index]) -> dict[str, float]:
    """Mean over the criteria of the share of other candidates that a candidate is at least as good as."""
    from scipy.stats import rankdata

    names = list(next(iter(values.values())))
    scores = []
    for record in records:
        found = np.array([values[record.name][name] for name in names])
        if np.isnan(found).all() or len(names) == 1:
            continue
        signed = found if record.better == "higher" else -found
        # What is undefined is worse than any value.
        scores.append((rankdata(np.where(np.isnan(signed), -np.inf, signed)) - 1) / (len(names) - 1))
    mean = np.mean(scores, axis=0) if scores else np.full(len(names), math.nan)
    return dict(zip(names, mean.tolist(), strict=True))


def front_of(coverage: Mapping[str, float], quality: Mapping[str, float]) -> tuple[str, ...]:
    """Names that no other exceeds in one of both without falling behind in the other, by falling coverage."""
    known = {name: q for name, q in quality.items() if not math.isnan(q)}
    front = [
        name
        for name, q in known.items()
        if not any(
            (coverage[o] >= coverage[name] and p > q) or (coverage[o] > coverage[name] and p >= q)
            for o, p in known.items()
        )
    ]
    return tuple(sorted(front, key=lambda name: -coverage[name]))
