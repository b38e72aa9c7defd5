"""The ranking of candidates, and the front of coverage and quality."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.choosing.candidate_probability import outside_largest
from adjudge.choosing.candidate_scores import Assessment
from adjudge.choosing.candidates import Candidate
from adjudge.indices.record import Index

__all__ = ["COMMITTEE", "CONSENSUS", "MEAN_RANK", "Ranking", "front_of", "mean_ranks", "ranked"]


#: Ranking by all criteria together.
MEAN_RANK = "mean_rank"
#: A few criteria, the agreement with other candidates, and coverage, weighted equally: the recommendation of `choose`.
CONSENSUS = "consensus"
#: The criteria of the consensus, chosen by the study in docs/studies/choosing_settings.md.
COMMITTEE: tuple[str, ...] = ("cvnn", "gdi22", "dbcv")


@dataclass(frozen=True)
class Ranking:
    """The candidates, best first.

    Attributes
    ----------
    order : tuple of str
    quality : dict of str to float
        The values that order them; nan last.
    score : dict of str to float
        The same values, turned so that higher is better.
    name : str
        Name of the quality.
    """

    order: tuple[str, ...]
    quality: dict[str, float]
    score: dict[str, float]
    name: str


def ranked(
    candidates: Sequence[Candidate],
    records: Sequence[Index],
    assessed: Assessment,
    by: str,
    agreement: Sequence[float],
) -> Ranking:
    """Order candidates by a criterion, the consensus, or the mean rank over all criteria.

    Parameters
    ----------
    by : str
        Name of a criterion, "consensus" or "mean_rank".
    agreement : sequence of float
        Mean adjusted Rand index of each candidate with all candidates; only the consensus uses it.
    """
    if by == CONSENSUS:
        quality = _where_compared(candidates, _consensus(candidates, assessed, agreement))
        return _ordered(candidates, quality, quality, "consensus")
    if by == MEAN_RANK:
        quality = _where_compared(candidates, mean_ranks(assessed.values, records))
        return _ordered(candidates, quality, quality, "mean rank")
    record = next(r for r in records if r.name == by)
    quality = dict(assessed.values[record.name])
    sign = 1.0 if record.better == "higher" else -1.0
    return _ordered(candidates, quality, {name: sign * v for name, v in quality.items()}, record.title)


def _where_compared(candidates: Sequence[Candidate], quality: dict[str, float]) -> dict[str, float]:
    """Replace the quality of candidates with fewer than two clusters by nan."""
    return {c.name: quality[c.name] if c.n_clusters > 1 else math.nan for c in candidates}


def _ordered(
    candidates: Sequence[Candidate], quality: dict[str, float], score: Mapping[str, float], name: str
) -> Ranking:
    place = {c.name: i for i, c in enumerate(candidates)}
    coverage = {c.name: c.coverage for c in candidates}

    def key(own: str) -> tuple[bool, float, float, int]:
        value = score[own]
        known = value < math.inf  # infinitely good is degenerate
        return (not known, -value if known else 0.0, -coverage[own], place[own])

    return Ranking(tuple(sorted(place, key=key)), quality, dict(score), name)


def mean_ranks(values: Mapping[str, Mapping[str, float]], records: Sequence[Index]) -> dict[str, float]:
    """Average over the criteria the share of other candidates that a candidate equals or beats."""
    scores = []
    for record in records:
        sign = 1.0 if record.better == "higher" else -1.0
        found = {name: sign * value for name, value in values[record.name].items()}
        if not all(map(math.isnan, found.values())):
            scores.append(_ranks(found))
    names = list(next(iter(values.values()), {}))
    return {
        name: sum(score[name] for score in scores) / len(scores) if scores else math.nan for name in names
    }


def _ranks(score: Mapping[str, float]) -> dict[str, float]:
    """Return the share of the other candidates that each beats, with ties counting half; a sole candidate has 1.

    An undefined value is worse than any other, and so is one that is infinitely good, of a degenerate partition.
    """
    from scipy.stats import rankdata

    if len(score) == 1:
        return dict.fromkeys(score, 1.0)
    values = np.array(list(score.values()), dtype=np.float64)
    ranks = (rankdata(np.where(values < np.inf, values, -np.inf)) - 1) / (len(score) - 1)
    return dict(zip(score, ranks.tolist(), strict=True))


def _consensus(
    candidates: Sequence[Candidate], assessed: Assessment, agreement: Sequence[float]
) -> dict[str, float]:
    """Return the mean of the agreement and four more terms; settings that are far off agree with no other.

    The four are: the rank by CVNN times the coverage; the rank by coverage times GDI22; the coverage if any candidate
    has noise, else the rank by DBCV; and twice the share outside the largest cluster, at most 1. Leaving points out
    makes the rest look better, so coverage counts both before and after ranking; so does one large cluster beside a
    few distant points, which the last term penalises.
    """
    coverage = {c.name: c.coverage for c in candidates}
    near = _ranks({name: -value for name, value in assessed.values["cvnn"].items()})
    apart = _ranks({name: coverage[name] * v for name, v in assessed.values["gdi22"].items()})
    noisy = min(coverage.values()) < 1.0
    parts = [
        {name: coverage[name] * rank for name, rank in near.items()},
        dict(zip(coverage, agreement, strict=True)),
        apart,
        coverage if noisy else _ranks(assessed.values["dbcv"]),
        {c.name: min(1.0, 2 * outside_largest(c.codes)) for c in candidates},
    ]
    return {name: math.fsum(part[name] for part in parts) / len(parts) for name in coverage}


def front_of(coverage: Mapping[str, float], quality: Mapping[str, float]) -> tuple[str, ...]:
    """Return the names that no other dominates in coverage and quality, by decreasing coverage."""
    known = {name: q for name, q in quality.items() if q < math.inf}
    front = [
        name
        for name, q in known.items()
        if not any(
            (coverage[o] >= coverage[name] and p > q) or (coverage[o] > coverage[name] and p >= q)
            for o, p in known.items()
        )
    ]
    return tuple(sorted(front, key=lambda name: -coverage[name]))
