"""From points and a clusterer to a `KChoice`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from adjudge.array_types import Codes, Floats
from adjudge.choosing.calibration import calibrate
from adjudge.choosing.criteria import OF_FURTHER_FITS, Hierarchy, criteria_of, neighbours_of
from adjudge.choosing.estimators import Clusterer, Fit, is_mixture, mixture_fits, n_distinct
from adjudge.choosing.gap import gap_reference
from adjudge.choosing.k_warnings import doubts_about
from adjudge.choosing.options import ChoosingOptions
from adjudge.choosing.sampling import codes_at, compared_points, points_to_read
from adjudge.choosing.stability import Resampler
from adjudge.choosing.structure import MOST_POINTS, hopkins, null_comparison
from adjudge.choosing.sweep_scores import Judgement, judge
from adjudge.choosing.verdict import decide, deciding, reason_of, stated
from adjudge.choosing.votes import family_of, tally_votes
from adjudge.choosing.work_folder import WorkFolder
from adjudge.errors import InputError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.indices.record import Index
from adjudge.indices.selection_record import SelectionIndex
from adjudge.inference.clusters.halves import agreement_of_halves
from adjudge.progress import reporting
from adjudge.results import KChoice
from adjudge.results.notice import Notice
from adjudge.statistics.sweep import GapReference, MixtureFits, Stability

__all__ = ["Options", "recommend", "recommend_one"]


# Steps that draw random numbers, each from its own stream.
_STREAMS = ("fit", "gap", "stability", "structure", "confidence", "calibration", "sample")


@dataclass(frozen=True, kw_only=True)
class Options(ChoosingOptions):
    """The options; see :func:`adjudge.choose_k`."""

    ks: tuple[int, ...]
    labels: LabelOptions
    n_init: int | None
    by_family: bool
    n_resamples: int
    calibration: int
    n_references: int
    reference: Literal["pca", "uniform"]

    def settings(self) -> dict[str, Any]:
        """Return the settings for the result."""
        return {
            "k": list(self.ks),
            "noise": self.labels.noise,
            "noise_label": str(self.labels.noise_label),
            "sample_size": self.sample_size,
            "n_init": self.n_init,
            "tally": "families" if self.by_family else "raw",
            "stability": self.stability,
            "n_resamples": self.n_resamples,
            "calibration": self.calibration,
            "n_references": self.n_references,
            "reference": self.reference,
            "entropy": self.seed.entropy,
        }


def _is_hierarchy(clusterer: Clusterer, fits: Mapping[int, Fit]) -> bool:
    """Whether each partition refines the one before, as even ready labels may."""
    if clusterer.hierarchical or clusterer.refits:
        return clusterer.hierarchical
    ordered = [fits[k].codes for k in sorted(fits)]
    pairs = pairwise(ordered)
    return len(ordered) > 1 and all(
        np.unique(fine * (int(coarse.max()) + 1) + coarse).size == int(fine.max()) + 1
        for coarse, fine in pairs
    )


def recommend_one(X: Floats, name: str, clusterer: Clusterer, options: Options) -> KChoice:
    """Fit, judge, decide, and look for evidence against the decision."""
    n = X.shape[0]
    seeds = options.streams(*_STREAMS)
    fits, ks = _fitted(X, clusterer, seeds["fit"], options)
    compared = compared_points(X, fits, options.labels)
    X, fits = compared.points, compared.fits
    own, several = {k: fits[k] for k in ks}, tuple(k for k in ks if k > 1)
    notices = (*compared.notices, *_check_numbers(name, clusterer, own, noisy=bool(compared.notices)))
    refits = [name for name in ("stability", "n_resamples") if getattr(options, name)]
    if refits and X.shape[0] < n:
        raise _noise_of_refits(Option(refits[0]))
    others = _of_further_fits(X, clusterer, own, seeds["stability"], options)
    hierarchy = {Hierarchy} if _is_hierarchy(clusterer, fits) else set()
    records = criteria_of(options.indices, {*others, *hierarchy})
    if any(r.requires == (GapReference,) for r in records):
        if X.shape[0] < n:
            raise _noise_of_refits("the gap statistic")
        others[GapReference] = _gap(X, clusterer, ks, seeds["gap"], options)
    read, codes, notice = _read_points(X, {k: fit.codes for k, fit in fits.items()}, seeds["sample"], options)
    folder = WorkFolder.at(options.work, read)
    with reporting(options.progress, "criteria") as told:
        judged = judge(read, codes, several, records, others, progress=told, folder=folder)
    if 1 in ks:
        judged.add_one_cluster()
    decided = decide(judged, records, ks)
    structure = _structure(X, decided.k if decided else None, several, seeds["structure"], options)
    said = stated(decided, structure, min(X.shape[0], MOST_POINTS))
    choice = KChoice(
        k=said.k,
        reason=reason_of(decided, said, judged, ks, structure),
        warnings=(),
        estimator=name,
        n=X.shape[0],
        ks=ks,
        values=judged.values,
        votes=judged.votes,
        tally=tally_votes(judged.votes, records, options.by_family),
        critical=judged.critical,
        reasons=judged.reasons,
        families={r.name: family_of(r) for r in records},
        supporters=decided.supporters if decided else (),
        voters=decided.voters if decided else (),
        labels={k: fits[k].labels for k in ks},
        estimators={k: fits[k].estimator for k in ks if fits[k].estimator is not None},
        structure=structure,
        probability=said.probability,
        answers=said.answers,
        stability=others.get(Stability),
        confidence=_confidence(X, clusterer, several, records, seeds["confidence"], options),
        calibrated=_calibrated(read, several, judged, records, seeds["calibration"], options),
        settings=options.settings(),
        backend=options.backend,
    )
    doubts = doubts_about(choice, n_distinct(X, ks[-1] + 2))
    return dataclasses.replace(choice, warnings=(*notices, *judged.notices, *notice, *doubts))


def _fitted(
    X: Floats, clusterer: Clusterer, seed: np.random.SeedSequence, options: Options
) -> tuple[dict[int, Fit], tuple[int, ...]]:
    """Fit each requested K, and neighbours that criteria read; return the fits and the requested K among them."""
    # Whether there are further statistics, and whether the partitions are a hierarchy, is not known yet.
    candidates = criteria_of(options.indices, {*OF_FURTHER_FITS, Hierarchy})
    several = tuple(k for k in options.ks if k > 1)
    wanted = sorted({*options.ks, *neighbours_of(candidates, several, X.shape[0])})
    with reporting(options.progress, "clusterings") as told:
        fits = clusterer.fit(X, wanted, seed, told)
    ks = tuple(k for k in options.ks if k in fits)
    if not ks:
        raise InputError(
            "there are no labels for ",
            f"K = {', '.join(map(str, options.ks))}",
            ": choose K for which labels were given",
        )
    return fits, ks


def _check_numbers(name: str, clusterer: Clusterer, fits: Mapping[int, Fit], *, noisy: bool) -> list[Notice]:
    """Warn if an estimator found another number of clusters; raise if ready labels contradict their keys."""
    other = {k: fit.k for k, fit in fits.items() if fit.k != k}
    if other and not clusterer.refits:
        k, found = next(iter(other.items()))
        remedy = (" without noise, which ", Option("noise", "drop"), " leaves out") if noisy else ()
        raise InputError(f"labels[{k}] has {found} clusters: its key must be its number of clusters", *remedy)
    return [
        Notice("other-number", f"{name} found {found} clusters instead of {k}") for k, found in other.items()
    ]


def _noise_of_refits(what: object) -> InputError:
    """Return the error for options that refit the estimator: noise in the refits is not left out."""
    return InputError(
        Option("noise", "drop"),
        " leaves out points of the partitions that are compared, and not of those of other points: leave out ",
        what,
    )


def _of_further_fits(
    X: Floats, clusterer: Clusterer, fits: Mapping[int, Fit], seed: np.random.SeedSequence, options: Options
) -> dict[type, Any]:
    """Return the statistics beyond the partitions: likelihoods of mixtures, and stability if requested."""
    found: dict[type, Any] = {}
    if all(is_mixture(fit) for fit in fits.values()):
        found[MixtureFits] = mixture_fits(X, fits)
    if options.stability:
        _check_refits(clusterer, "stability")
        light = clusterer.repeatable()
        resampler = Resampler(X, light, options.stability, options.repeats)
        found[Stability] = resampler.stability(fits, seed)
    return found


def _read_points(
    X: Floats, codes: dict[int, Codes], seed: np.random.SeedSequence, options: Options
) -> tuple[Floats, dict[int, Codes], tuple[Notice, ...]]:
    """Return the points from which criteria are computed, and say if only a sample is read unasked."""
    chosen, notices = points_to_read(codes, options.sample_size, seed)
    read = X if chosen is None else X[chosen]
    return read, {k: codes_at(own, chosen) for k, own in codes.items()}, notices


def _gap(
    X: Floats, clusterer: Clusterer, ks: tuple[int, ...], seed: np.random.SeedSequence, options: Options
) -> GapReference:
    _check_refits(clusterer, "gap")
    return gap_reference(
        X,
        clusterer,
        ks,
        n_references=options.n_references,
        reference=options.reference,
        seed=seed,
        repeats=options.repeats,
    )


def _calibrated(
    X: Floats,
    ks: tuple[int, ...],
    judged: Judgement,
    records: list[Index],
    seed: np.random.SeedSequence,
    options: Options,
) -> dict[str, dict[int, float]] | None:
    if not options.calibration:
        return None
    return calibrate(
        X,
        ks,
        judged.values,
        records,
        n_partitions=options.calibration,
        seed=seed,
        repeats=options.repeats,
    )


def _check_refits(clusterer: Clusterer, what: str) -> None:
    if not clusterer.refits:
        raise InputError(f"{what} needs an estimator that can cluster new points, not ready labels")


def _structure(
    X: Floats, k: int | None, ks: tuple[int, ...], seed: np.random.SeedSequence, options: Options
) -> dict[str, float]:
    even, null = seed.spawn(2)
    statistic, p_value = hopkins(X, even)
    found = {"hopkins": statistic, "hopkins_p_value": p_value}
    compared = None if k is None or k == 1 else null_comparison(X, k, null, options.repeats)
    if compared is not None:
        found |= {"beats_gaussian": compared.gaussian, "beats_uniform": compared.uniform}
    halves = agreement_of_halves(X, ks, options.progress)
    return found if halves is None else found | {"halves_agree": halves}


def _confidence(
    X: Floats,
    clusterer: Clusterer,
    ks: tuple[int, ...],
    records: list[Index],
    seed: np.random.SeedSequence,
    options: Options,
) -> dict[int, float] | None:
    """Return how often each K wins among bootstrap samples."""
    if not options.n_resamples:
        return None
    _check_refits(clusterer, "n_resamples")
    light = clusterer.repeatable()
    cheap = [r for r in records if not isinstance(r, SelectionIndex) or r.requires[0] not in OF_FURTHER_FITS]
    voters = deciding(cheap)
    wanted = sorted({*ks, *neighbours_of(voters, ks, X.shape[0])})

    def one(seed: np.random.SeedSequence) -> int | None:
        rng = np.random.default_rng(seed)
        sample = np.ascontiguousarray(X[np.sort(rng.integers(X.shape[0], size=X.shape[0]))])
        codes = {k: fit.codes for k, fit in light.fit(sample, wanted, seed).items()}
        read, codes, _ = _read_points(sample, codes, seed, options)
        judged = judge(read, codes, ks, voters, {}, n_threads=1)
        decided = decide(judged, voters, ks)
        return decided.k if decided else None

    winners = options.repeats.run(one, seed.spawn(options.n_resamples), "bootstrap samples")
    return {k: winners.count(k) / len(winners) for k in ks}


def recommend(choices: dict[str, KChoice]) -> KChoice:
    """Recommend the most probable result, or that with the most votes; on ties, with the widest silhouettes."""

    def agreement(choice: KChoice) -> tuple[float, float]:
        if choice.k is None:
            return (-1.0, 0.0)
        silhouettes = choice.values.get("silhouette", {})
        votes = len(choice.supporters) / len(choice.voters)
        probable = votes if choice.probability is None else choice.probability[choice.k]
        return probable, silhouettes.get(choice.k, 0.0)

    best = max(choices.values(), key=agreement)
    return dataclasses.replace(best, choices=choices)
