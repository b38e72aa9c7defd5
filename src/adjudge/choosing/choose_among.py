"""From candidates to a `Choice`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.choosing.agreement import agreements
from adjudge.choosing.by_point import values_of_points
from adjudge.choosing.candidate_probability import FEWEST, evidence, outside_largest, support
from adjudge.choosing.candidate_scores import Assessment, assess, criteria_for
from adjudge.choosing.candidate_warnings import cautions_about, unseen_in_halves
from adjudge.choosing.candidates import Candidate, as_candidates
from adjudge.choosing.options import ChoosingOptions
from adjudge.choosing.ranking import COMMITTEE, CONSENSUS, MEAN_RANK, Ranking, front_of, ranked
from adjudge.choosing.refitting import Held, held
from adjudge.choosing.sampling import points_to_read
from adjudge.choosing.votes import family_of, tally_votes, vote_among
from adjudge.choosing.work_folder import WorkFolder
from adjudge.engines.running.checkpoint import Arrays
from adjudge.given.label_options import LabelOptions
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import is_all, is_default
from adjudge.indices.internal_record import with_neighbours
from adjudge.indices.record import Index
from adjudge.inference.clusters.halves import agreement_in_words, agreement_of_halves
from adjudge.presentation.numbers import count, percent_text, share_text
from adjudge.progress import reporting
from adjudge.results.candidates import Choice
from adjudge.results.label_notices import no_noise_found
from adjudge.results.notice import Notice

__all__ = ["ChoiceOptions", "Trial", "choose_among", "conclude"]


@dataclass(frozen=True, kw_only=True)
class ChoiceOptions(ChoosingOptions):
    """The options; see :func:`adjudge.choose`."""

    by: str | None
    points: PointOptions
    noise: str
    noise_label: Any
    agreement: str
    equivalent: float

    def settings(self, by: str, instances: str) -> dict[str, Any]:
        """Return the settings for the result."""
        return {
            "by": self.by or by,
            **({} if instances == "points" else {"instances": instances}),
            "metric": str(self.points.metric),
            "noise": self.noise,
            "noise_label": self.noise_label,
            "agreement": self.agreement,
            "equivalent": self.equivalent,
            "sample_size": self.sample_size,
            "stability": self.stability,
            "entropy": self.seed.entropy,
        }


@dataclass(frozen=True, eq=False)
class Trial:
    """Candidates, and how they were judged.

    Attributes
    ----------
    n : int
    instances : str
        What the instances are called: "points" or "vertices".
    candidates : list of Candidate
    records : list of Index
        All criteria that were computed.
    voters : list of Index
        Those that vote.
    by : str
        The criterion that ranks, or "mean_rank" or "consensus".
    assessed : Assessment
    resampled : mapping of str to Held
    notices : tuple of Notice
    halves_agree : float or None
        How much better two halves of the points agree on clusters than halves of points without clusters.
    """

    n: int
    candidates: list[Candidate]
    records: list[Index]
    voters: list[Index]
    by: str
    assessed: Assessment
    instances: str = "points"
    resampled: Mapping[str, Held] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    halves_agree: float | None = None


def choose_among(X: Any, given: Any, grid: Any, options: ChoiceOptions) -> Choice:
    """Fit, judge, compare and rank candidates by the points."""
    seeds = options.streams("fit", "stability", "sample")
    seed = int(seeds["fit"].generate_state(1)[0] >> 1)
    folder = WorkFolder.at(options.work, X, seed=seed, metric=options.points.metric)
    with reporting(options.progress, "clusterings") as told:
        candidates = as_candidates(
            X, given, grid, noise_label=options.noise_label, seed=seed, folder=folder, progress=told
        )
    records, voters, by = _records(X, options)
    codes = {c.name: c.codes for c in candidates}
    places, notices = points_to_read(codes, options.sample_size, seeds["sample"], many=True)
    with reporting(options.progress, "criteria") as told:
        assessed = assess(
            X, candidates, records, replace(options.points, progress=told), options.noise, folder, places
        )
    resampled = _resampled(X, candidates, seeds["stability"], options, folder)
    halves = None
    if options.points.metric == "euclidean" and not hasattr(X, "indptr"):
        points = np.ascontiguousarray(X, np.float64)
        halves = agreement_of_halves(points, {c.n_clusters for c in candidates} - {0, 1}, options.progress)
    return conclude(
        Trial(
            X.shape[0],
            candidates,
            records,
            voters,
            by,
            assessed,
            resampled=resampled,
            notices=(*notices, *unseen_in_halves(halves)),
            halves_agree=halves,
        ),
        options,
    )


def conclude(trial: Trial, options: ChoiceOptions) -> Choice:
    """Compare the candidates with each other, count votes, rank, and look for evidence against the best."""
    candidates, assessed, resampled = trial.candidates, trial.assessed, trial.resampled
    coverage = {c.name: c.coverage for c in candidates}
    votes: dict[str, str | None] = {r.name: None for r in trial.records}
    votes |= {r.name: vote_among(r, assessed.values[r.name], coverage) for r in trial.voters}
    counted = tally_votes(votes, trial.voters)
    codes = [c.codes for c in candidates]
    same = agreements(codes, options.agreement, options.equivalent)
    rand = same if options.agreement == "ari" else agreements(codes, "ari", 1.0)
    among = trial.voters if trial.by == MEAN_RANK else trial.records
    ranking = ranked(candidates, among, assessed, trial.by, rand.matrix.mean(axis=1).tolist())
    leading = ranking.order[0] if math.isfinite(ranking.quality[ranking.order[0]]) else None
    names = [c.name for c in candidates]
    probability = _probability(
        leading, candidates, assessed, votes, [r.name for r in trial.voters], rand.matrix, trial.by, options
    )
    best = leading if probability is None or probability >= support().least else None
    chosen = candidates[names.index(ranking.order[0])]
    groups = tuple(tuple(names[i] for i in group) for group in same.groups)
    n_noise = sum(int(np.count_nonzero(own < 0)) for own in codes)
    treatment = LabelOptions(noise=options.noise, noise_label=options.noise_label)
    # Noise is left out by default: only a label that was named is expected.
    unseen = () if treatment.names_usual_noise else no_noise_found(n_noise, treatment)
    cautions = cautions_about(best, candidates, ranking, counted, groups, resampled, probability)
    reason = _reason(best, trial, ranking, votes, groups, probability)
    if trial.halves_agree is not None:
        reason = f"{agreement_in_words(trial.halves_agree)}; {reason}"
    return Choice(
        best=best,
        reason=reason,
        warnings=(*trial.notices, *unseen, *cautions),
        probability=probability,
        ranking=ranking.order,
        quality=ranking.quality,
        quality_name=ranking.name,
        front=front_of(coverage, ranking.score),
        n=trial.n,
        n_clusters={c.name: c.n_clusters for c in candidates},
        coverage=coverage,
        values=assessed.values,
        reasons=assessed.reasons,
        votes=votes,
        tally={name: counted[name] for name in names if name in counted},
        families={r.name: family_of(r) for r in trial.records},
        agreement=same.matrix,
        order=tuple(names[i] for i in same.order),
        groups=groups,
        central=names[same.central],
        stability={name: dict(h.measures) for name, h in resampled.items()},
        stability_of_clusters={name: h.of_clusters for name, h in resampled.items()},
        labels={c.name: c.labels for c in candidates},
        estimators={c.name: c.estimator for c in candidates if c.estimator is not None},
        parameters={c.name: dict(c.parameters) for c in candidates if c.parameters},
        point_values=values_of_points(chosen, assessed, options.noise) if best else {},
        settings=options.settings(trial.by, trial.instances),
        halves_agree=trial.halves_agree,
        backend=options.backend,
    )


def _probability(
    leading: str | None,
    candidates: Sequence[Candidate],
    assessed: Assessment,
    votes: Mapping[str, str | None],
    voters: Iterable[str],
    agreement: Floats,
    by: str,
    options: ChoiceOptions,
) -> float | None:
    """Return the probability that the best candidate by consensus shows the groups; None if this was not studied."""
    model = support()
    names = [c.name for c in candidates]
    studied = by == CONSENSUS and options.noise == "drop" and len(names) >= FEWEST
    if leading is None or not studied or not set(model.criteria) <= {*voters}:
        return None
    cast = [names.index(own) for name in model.criteria if (own := votes[name]) is not None]
    best = names.index(leading)
    silhouette, dbcv = (assessed.values[name][leading] for name in ("silhouette", "dbcv"))
    outside = outside_largest(candidates[best].codes)
    return model.probability(
        evidence(best, cast, agreement, silhouette=silhouette, dbcv=dbcv, outside=outside)
    )


def _records(X: Any, options: ChoiceOptions) -> tuple[list[Index], list[Index], str]:
    """Return the criteria, including those that rank; those that vote; and the name of what ranks.

    If criteria are named, these alone vote, and the one that ranks if it is named, too.
    """
    asked = criteria_for(options.indices, X, options.points.metric)
    records = with_neighbours(asked, options.points.n_neighbors)
    if options.by == MEAN_RANK:
        return records, records, MEAN_RANK
    if options.by in (None, CONSENSUS):
        committee = criteria_for(COMMITTEE, X, options.points.metric)
        every = [*records, *(r for r in committee if r not in records)]
        are_named = not (is_all(options.indices) or is_default(options.indices))
        return every, records if are_named else every, CONSENSUS
    (ranking,) = criteria_for([options.by], X, options.points.metric)
    every = records if ranking in records else [*records, ranking]
    return every, every, ranking.name


def _resampled(
    X: Any,
    candidates: Sequence[Candidate],
    seed: np.random.SeedSequence,
    options: ChoiceOptions,
    folder: WorkFolder,
) -> dict[str, Held]:
    """Resample the candidates that can be refitted and have clusters."""
    if not options.stability:
        return {}
    found: dict[str, Held] = {}
    for candidate, own in zip(candidates, seed.spawn(len(candidates)), strict=True):
        if candidate.refit is None or candidate.n_clusters == 0:
            continue

        def resample(candidate: Candidate = candidate, own: np.random.SeedSequence = own) -> Arrays:
            return held(
                X,
                candidate,
                n_samples=options.stability,
                noise_label=options.noise_label,
                precomputed=options.points.metric == "precomputed",
                seed=own,
                repeats=options.repeats,
            ).export()

        told = f"{candidate.description} {options.stability} {options.noise_label!r} {own.spawn_key}"
        found[candidate.name] = Held.of(folder.recall(f"stability of {candidate.name}", told, resample))
    return found


def _reason(
    best: str | None,
    trial: Trial,
    ranking: Ranking,
    votes: Mapping[str, str | None],
    groups: Sequence[Sequence[str]],
    probability: float | None,
) -> str:
    candidates = trial.candidates
    if best is None and probability is not None:
        return (
            f"{ranking.order[0]} has the best {ranking.name}, but shows groups with a probability of only "
            f"{share_text(probability, 1.0)}: candidates disagree, criteria do not support "
            "one of them, or nearly all points lie in one cluster"
        )
    if best is None:
        if not any(c.n_clusters > 1 for c in candidates):
            return "none of the candidates has two clusters, so there is nothing to compare"
        return f"{ranking.name} is undefined for all of the candidates"
    chosen = next(c for c in candidates if c.name == best)
    clusters = (
        f"{count(chosen.n_clusters, 'cluster')} of {percent_text(chosen.coverage)} of the {trial.instances}"
    )
    if len(candidates) == 1:
        return f"{best} is the only candidate, so it was not compared with another: {clusters}"
    own = next(group for group in groups if best in group)
    alike = f"; {len(own) - 1} more say{'s' * (len(own) == 2)} the same" if len(own) > 1 else ""
    sure = "" if probability is None else percent_text(probability)
    stated = f"; it shows the groups with a probability of {sure}" if sure else ""
    return (
        f"{best} has the best {ranking.name} ({ranking.quality[best]:.3f}), with {clusters}{alike}; "
        f"{_preferring(best, votes)}{stated}"
    )


def _preferring(best: str, votes: Mapping[str, str | None]) -> str:
    cast = sum(v is not None for v in votes.values())
    prefer = sum(vote == best for vote in votes.values())
    if not cast:
        return "no criterion votes"
    if cast == 1:
        return f"the only criterion that votes prefers {'it' if prefer else 'another'}"
    return f"{prefer} of the {cast} criteria that vote {'prefers' if prefer == 1 else 'prefer'} it"
