"""Evidence against a recommended candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np

from adjudge.choosing.candidates import Candidate
from adjudge.choosing.ranking import Ranking, front_of
from adjudge.choosing.refitting import Held
from adjudge.choosing.sampling import LOW_COVERAGE
from adjudge.inference.clusters.halves import ENOUGH, UNSEEN
from adjudge.presentation.numbers import out_of, percent_text
from adjudge.results.notice import Notice

__all__ = ["cautions_about", "unseen_in_halves"]

_SOME_NOISE = 0.8
# Jaccard similarity of a cluster and its counterpart below which the cluster dissolves (Hennig 2007).
_DISSOLVES = 0.5
_UNSTABLE = 0.75
_WEAK = 1 / 3
# Below this probability, an answer is more often wrong than right.
_HALF = 0.5


def cautions_about(
    best: str | None,
    candidates: Sequence[Candidate],
    ranking: Ranking,
    counted: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    resampled: Mapping[str, Held],
    probability: float | None,
) -> tuple[Notice, ...]:
    """Return notices of the evidence against the best candidate."""
    found = []
    empty = [c.name for c in candidates if c.n_clusters == 0]
    if empty:
        found.append(
            Notice(
                "only-noise",
                f"{out_of(len(empty), len(candidates), 'candidate')} {'consists' if len(empty) == 1 else 'consist'} "
                f"only of noise: {_few(empty)}",
                f"{'its' if len(empty) == 1 else 'their'} settings require more density than the data have",
                "info",
            )
        )
    if best is None:
        return tuple(found)
    chosen = next(c for c in candidates if c.name == best)
    if probability is not None and probability < _HALF:
        found.append(
            Notice(
                "improbable",
                f"the probability that {best} shows the groups is only {percent_text(probability)}",
                "look at the other candidates on the front, and for other evidence",
            )
        )
    alike = [c for c in candidates if c is not chosen and _are_alike(c, chosen)]
    found += _about_clusters(chosen, alike)
    found += _about_noise(chosen, candidates, ranking)
    found += _about_range(chosen, candidates, alike)
    found += _about_votes(best, counted, groups)
    found += _about_stability(best, resampled)
    return tuple(found)


def unseen_in_halves(agreement: float | None) -> tuple[Notice, ...]:
    """Say what halves that agree on no clusters do not speak against."""
    if agreement is None or agreement >= ENOUGH:
        return ()
    remedy = "this is no evidence against candidates with such clusters"
    return (Notice("bent-clusters-unseen", UNSEEN, remedy, "info"),)


def _few(names: Sequence[str]) -> str:
    return "; ".join(names[:2]) + (f"; and {len(names) - 2} more" if len(names) > 2 else "")


def _about_noise(chosen: Candidate, candidates: Sequence[Candidate], ranking: Ranking) -> list[Notice]:
    found = []
    if chosen.coverage < _SOME_NOISE:
        low = chosen.coverage < LOW_COVERAGE
        found.append(
            Notice(
                "low-coverage" if low else "some-noise",
                f"{chosen.name} leaves out {percent_text(1 - chosen.coverage)} of the points as noise, "
                "and its quality is that of the others",
                "compare the candidates on the front of coverage and quality",
                "warning" if low else "info",
            )
        )
    coverage = {c.name: c.coverage for c in candidates}
    front = front_of(coverage, ranking.score)
    wider = [name for name in front if coverage[name] > chosen.coverage]
    if chosen.name not in front:
        found.append(
            Notice(
                "dominated",
                f"others have at least the same coverage and quality as {chosen.name}: {_few(front)}",
                "choose one on the front",
            )
        )
    elif wider:
        found.append(
            Notice(
                "trade-off",
                f"{percent_text(max(coverage[name] for name in wider))} of the points are covered, at a lower "
                f"{ranking.name}, by {_few(wider)}",
                "decide how many points may be left out",
                "info",
            )
        )
    return found


def _are_alike(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates are the same clusters."""
    if one.structure is not None or other.structure is not None or one.n_clusters != other.n_clusters:
        return False
    pairs = np.unique(one.codes * (other.codes.max(initial=0) + 2) + other.codes)
    same_noise = np.array_equal(one.codes < 0, other.codes < 0)
    return bool(same_noise and pairs.size == one.n_clusters + bool((one.codes < 0).any()))


def _about_clusters(chosen: Candidate, alike: Sequence[Candidate]) -> list[Notice]:
    """Say if the clusters are single points, or those of other candidates as well."""
    found = []
    covered = int((chosen.codes >= 0).sum())
    if chosen.structure is None and 1 < covered == chosen.n_clusters:
        found.append(
            Notice(
                "all-singletons",
                f"each of the {covered} clusters of {chosen.name} is a single point, so nothing was grouped",
                "try settings that join more points",
            )
        )
    if alike:
        others = "another candidate has" if len(alike) == 1 else f"{len(alike)} other candidates have"
        found.append(
            Notice(
                "identical-candidates",
                f"{others} the same clusters as {chosen.name}: {_few([c.name for c in alike])}",
                "any of them will do",
                "info",
            )
        )
    return found


def _about_range(
    chosen: Candidate, candidates: Sequence[Candidate], alike: Sequence[Candidate]
) -> list[Notice]:
    """Warn of a setting at an end of its range, unless one that is not gives the same clusters."""
    found = []
    for name, value in chosen.parameters.items():
        if not _is_number(value):
            continue
        tried = sorted(
            {c.parameters[name] for c in candidates if _is_number(c.parameters.get(name))}, key=float
        )
        if any(c.parameters.get(name) in tried[1:-1] for c in alike):
            continue
        # Nothing is compared below two clusters.
        fewest = value == tried[0] and value == chosen.n_clusters == 2
        if len(tried) >= 3 and value in (tried[0], tried[-1]) and not fewest:
            end = "smallest" if value == tried[0] else "largest"
            found.append(
                Notice(
                    "range-edge",
                    f"{name}={value} is the {end} value that was tried",
                    f"try {'smaller' if end == 'smallest' else 'larger'} ones",
                )
            )
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _about_votes(best: str, counted: Mapping[str, float], groups: Sequence[Sequence[str]]) -> list[Notice]:
    """Add up the votes of equivalent candidates, and say if they do not clearly favour the best."""
    total = math.fsum(counted.values())
    if total == 0:
        return []
    of_group = {tuple(g): math.fsum(counted.get(name, 0.0) for name in g) for g in groups}
    own = next(group for group in of_group if best in group)
    leading = max(of_group, key=lambda group: of_group[group])
    if of_group[own] / total >= _WEAK and leading == own:
        return []
    if leading == own:
        return [
            Notice(
                "weak-plurality",
                f"the criteria are divided: {percent_text(of_group[own] / total)} of the votes are for {best} "
                "and similar candidates",
                "look at several candidates",
                "info",
            )
        ]
    return [
        Notice(
            "votes-disagree",
            f"more criteria ({of_group[leading]:.1f} votes against {of_group[own]:.1f}) prefer {_few(leading)}",
            "look at both",
        )
    ]


def _about_stability(best: str, resampled: Mapping[str, Held]) -> list[Notice]:
    if best not in resampled:
        return []
    held = resampled[best]
    lost = int((held.of_clusters < _DISSOLVES).sum())
    if lost:
        return [
            Notice(
                "clusters-dissolve",
                f"{lost} of the {held.of_clusters.size} clusters of {best} dissolve in resampled points (Jaccard "
                f"similarity under {_DISSOLVES})",
                "do not interpret single clusters",
            )
        ]
    if held.measures["jaccard"] < _UNSTABLE:
        return [
            Notice(
                "unstable",
                f"the clusters of {best} change with the sample (Jaccard similarity {held.measures['jaccard']:.2f})",
                "compare the stability of the candidates",
                "info",
            )
        ]
    return []
