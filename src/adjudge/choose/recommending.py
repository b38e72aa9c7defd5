"""From points and a clusterer to a `KChoice`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.choose import verdict
from adjudge.choose.calibration import calibrate
from adjudge.choose.estimators import Clusterer, Fit
from adjudge.choose.gap import gap_reference
from adjudge.choose.judging import Judgement, judge
from adjudge.choose.mixtures import is_mixture, mixture_fits
from adjudge.choose.resampling import Progress, Repeats, repeatable
from adjudge.choose.rules import vote_of_gap
from adjudge.choose.stability import stability_of
from adjudge.choose.structure import hopkins, null_comparison
from adjudge.errors import InputError, InputTypeError
from adjudge.indices.catalog import select_indices
from adjudge.indices.record import Index
from adjudge.indices.selection import SelectionIndex
from adjudge.results import KChoice
from adjudge.statistics.sweep import GapReference, MixtureFits, Stability

__all__ = ["Options", "recommend", "recommend_one"]

Floats = NDArray[np.float64]

# Below this a partition is no more compact than that of a Gaussian or of evenly spread points is by chance.
_STRUCTURE_SCORE = 2.0
_EVENLY_SPREAD = 0.05
_STRONG = 0.8


_STREAMS = ("fit", "gap", "stability", "structure", "confidence", "calibration")


@dataclass(frozen=True)
class Options:
    """What was asked for; see :func:`adjudge.choose_k`."""

    ks: tuple[int, ...]
    indices: Any
    n_init: int | None
    seed: np.random.SeedSequence
    by_family: bool
    stability: int
    confidence: int
    calibration: int
    n_references: int
    reference: Literal["pca", "uniform"]
    n_jobs: int | None
    progress: Progress | None
    backend: str | None

    @property
    def repeats(self) -> Repeats:
        """How repeated fits are run."""
        return Repeats(self.n_jobs, self.progress)

    def settings(self) -> dict[str, Any]:
        """For the result."""
        return {
            "k": list(self.ks),
            "n_init": self.n_init,
            "tally": "families" if self.by_family else "raw",
            "stability": self.stability,
            "confidence": self.confidence,
            "calibration": self.calibration,
            "n_references": self.n_references,
            "reference": self.reference,
            "entropy": self.seed.entropy,
        }


def _chosen(options: Options, available: set[type]) -> list[Index]:
    """Return the records asked for; all means those that the clusterer allows and that need no further fits."""
    asked = options.indices
    if not isinstance(asked, (str, Index, Iterable)):
        raise InputTypeError(f"indices is a {type(asked).__name__}: give names, records, or 'all'")
    items = [asked] if isinstance(asked, (str, Index)) else list(asked)
    named = [i for i in items if not (isinstance(i, str) and i.strip().lower() == "all")]
    chosen: dict[str, Index] = {}
    if len(named) < len(items):
        for record in select_indices("all", ("internal", "selection")):
            if _possible(record, available):
                chosen[record.name] = record
    if named or not items:
        for record in select_indices(named, ("internal", "selection")):
            if record.kind not in ("internal", "selection"):
                raise InputError(
                    f"{record.name} is an {record.kind} index: it does not choose a number of clusters"
                )
            if record.requires != (GapReference,) and not _possible(record, available):
                raise InputError(f"{record.name} {_needed(record)}")
            chosen[record.name] = record
    return list(chosen.values())


def _possible(record: Index, available: set[type]) -> bool:
    if not isinstance(record, SelectionIndex):
        return record.best_k is not None
    if record.hierarchical and _Hierarchy not in available:
        return False
    return record.requires[0] not in (GapReference, MixtureFits, Stability) or record.requires[0] in available


class _Hierarchy:
    """Stands for partitions that are levels of a hierarchy."""


def _needed(record: Index) -> str:
    if not isinstance(record, SelectionIndex):
        return "has no rule for choosing a number of clusters"
    if record.hierarchical:
        return "needs a hierarchy: use estimator='ward', 'average', 'complete' or 'single'"
    if record.requires == (MixtureFits,):
        return "needs the likelihood of a mixture: use estimator='gaussian_mixture'"
    return "needs resampling: pass stability=True"


def _neighbours(records: Iterable[Index], ks: tuple[int, ...], n: int) -> set[int]:
    steps = {s for r in records if isinstance(r, SelectionIndex) for s in r.neighbours}
    return {k + s for k in ks for s in steps if 1 <= k + s < n}


def _is_hierarchy(clusterer: Clusterer, fits: Mapping[int, Fit]) -> bool:
    """Whether each partition refines the one before; ready labels may, too."""
    if clusterer.hierarchical or clusterer.refits:
        return clusterer.hierarchical
    ordered = [fits[k].codes for k in sorted(fits)]
    pairs = pairwise(ordered)
    return len(ordered) > 1 and all(
        np.unique(fine * (int(coarse.max()) + 1) + coarse).size == int(fine.max()) + 1
        for coarse, fine in pairs
    )


def recommend_one(X: Floats, name: str, clusterer: Clusterer, options: Options) -> KChoice:
    """Fit, judge, decide, and look for what speaks against it."""
    n = X.shape[0]
    seeds = dict(zip(_STREAMS, _spawned(options.seed, len(_STREAMS)), strict=True))
    candidates = select_indices("all", ("internal", "selection"))
    fits = clusterer.fit(X, sorted({*options.ks, *_neighbours(candidates, options.ks, n)}), seeds["fit"])
    ks = tuple(k for k in options.ks if k in fits)
    if not ks:
        raise InputError(
            f"there are no labels for k={', '.join(map(str, options.ks))}: ask for the K that labels were given for"
        )
    warnings = [f"{name} found {fits[k].k} clusters where {k} were asked for" for k in ks if fits[k].k != k]
    others: dict[type, Any] = {}
    available: set[type] = set()
    if _is_hierarchy(clusterer, fits):
        available.add(_Hierarchy)
    own = {k: fits[k] for k in ks}
    if all(is_mixture(fit) for fit in own.values()):
        others[MixtureFits] = mixture_fits(X, own)
    if options.stability:
        _check_refits(clusterer, "stability")
        others[Stability] = stability_of(
            X, clusterer, own, n_samples=options.stability, seed=seeds["stability"], repeats=options.repeats
        )
    available |= set(others)
    records = _chosen(options, available)
    if any(r.requires == (GapReference,) for r in records):
        _check_refits(clusterer, "gap")
        others[GapReference] = gap_reference(
            X,
            clusterer,
            ks,
            n_references=options.n_references,
            reference=options.reference,
            seed=seeds["gap"],
            repeats=options.repeats,
        )
    judged = judge(X, {k: fit.codes for k, fit in fits.items()}, ks, records, others)
    decided = verdict.decide(judged.votes, records, ks)
    k = decided.k if decided else None
    structure = _structure(X, k, seeds["structure"], options)
    warnings += _doubts(judged, others.get(Stability), structure)
    return KChoice(
        k=k,
        reason=_reason(decided, judged, records, ks),
        warnings=tuple(warnings),
        estimator=name,
        n=n,
        ks=ks,
        values=judged.values,
        votes=judged.votes,
        tally=verdict.tally_votes(judged.votes, records, options.by_family),
        critical=judged.critical,
        reasons=judged.reasons,
        families={r.name: verdict.family_of(r) for r in records},
        supporters=decided.supporters if decided else (),
        voters=decided.voters if decided else (),
        labels={k: fits[k].labels for k in ks},
        estimators={k: fits[k].estimator for k in ks if fits[k].estimator is not None},
        structure=structure,
        stability=others.get(Stability),
        confidence=_confidence(X, clusterer, ks, records, seeds["confidence"], options),
        calibrated=calibrate(
            X,
            ks,
            judged.values,
            records,
            n_partitions=options.calibration,
            seed=seeds["calibration"],
            repeats=options.repeats,
        )
        if options.calibration
        else None,
        settings=options.settings(),
        backend=options.backend,
    )


def _spawned(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Children of a seed; the same ones each time, unlike `spawn`."""
    fresh = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    return fresh.spawn(count)


def _check_refits(clusterer: Clusterer, what: str) -> None:
    if not clusterer.refits:
        raise InputError(f"{what} needs an estimator that can cluster other points: ready labels cannot")


def _structure(X: Floats, k: int | None, seed: np.random.SeedSequence, options: Options) -> dict[str, float]:
    even, null = seed.spawn(2)
    statistic, p_value = hopkins(X, even)
    found = {"hopkins": statistic, "hopkins_p_value": p_value}
    compared = null_comparison(X, k, null, Repeats(options.n_jobs)) if k is not None else None
    if compared is not None:
        found |= {"beats_gaussian": compared.gaussian, "beats_uniform": compared.uniform}
    return found


def _doubts(judged: Judgement, stable: Stability | None, structure: Mapping[str, float]) -> list[str]:
    doubts = []
    # The published rule stops at 1 before it has seen several clusters in a row of which two are no better than one.
    if (
        "gap" in judged.values
        and vote_of_gap(judged.values["gap"], judged.critical["gap"], "globalSEmax") == 1
    ):
        doubts.append("there may be no clusters: the gap statistic prefers one")
    score = min(structure.get("beats_gaussian", np.inf), structure.get("beats_uniform", np.inf))
    if score < _STRUCTURE_SCORE:
        like = "one Gaussian" if score == structure["beats_gaussian"] else "evenly spread points"
        doubts.append(
            f"there may be no clusters: k-means parts these points hardly better than {like} of the same spread "
            f"({score:.1f} standard deviations)"
        )
    if structure["hopkins_p_value"] > _EVENLY_SPREAD:
        doubts.append(
            f"there may be no clusters: the points are spread evenly (Hopkins statistic {structure['hopkins']:.2f})"
        )
    if stable is not None and max(stable.strength.values()) < _STRONG:
        best = max(stable.strength, key=lambda k: stable.strength[k])
        doubts.append(
            f"there may be no clusters that hold: the prediction strength is under {_STRONG} for every K, "
            f"{stable.strength[best]:.2f} at best (K = {best})"
        )
    return doubts


def _reason(
    decided: verdict.Verdict | None, judged: Judgement, records: list[Index], ks: tuple[int, ...]
) -> str:
    if decided is None:
        return f"no criterion could choose among K = {', '.join(map(str, ks))}"
    names = ", ".join(decided.supporters[:5]) + (" ..." if len(decided.supporters) > 5 else "")
    all_votes = [v for v in judged.votes.values() if v is not None]
    return (
        f"K = {decided.k}, for which {len(decided.supporters)} of the {len(decided.voters)} criteria of the verdict "
        f"vote ({names}), and {sum(v == decided.k for v in all_votes)} of all {len(all_votes)} that vote"
    )


def _confidence(
    X: Floats,
    clusterer: Clusterer,
    ks: tuple[int, ...],
    records: list[Index],
    seed: np.random.SeedSequence,
    options: Options,
) -> dict[int, float] | None:
    """Return how often each K wins among bootstrap samples."""
    if not options.confidence:
        return None
    _check_refits(clusterer, "confidence")
    light = repeatable(clusterer)
    cheap = [
        r
        for r in records
        if not isinstance(r, SelectionIndex) or r.requires[0] not in (GapReference, MixtureFits, Stability)
    ]
    deciding = verdict.deciding(cheap)
    wanted = sorted({*ks, *_neighbours(deciding, ks, X.shape[0])})

    def one(own: np.random.SeedSequence) -> int | None:
        rng = np.random.default_rng(own)
        sample = np.ascontiguousarray(X[np.sort(rng.integers(X.shape[0], size=X.shape[0]))])
        fits = light.fit(sample, wanted, own)
        votes = judge(sample, {k: f.codes for k, f in fits.items()}, ks, deciding, {}, n_threads=1).votes
        decided = verdict.decide(votes, deciding, ks)
        return decided.k if decided else None

    winners = options.repeats.run(one, seed.spawn(options.confidence), "bootstrap samples")
    return {k: winners.count(k) / len(winners) for k in ks}


def recommend(choices: dict[str, KChoice]) -> KChoice:
    """Recommend the result on which the criteria of the verdict agree most (then the one of the widest silhouettes)."""

    def agreement(choice: KChoice) -> tuple[float, float]:
        if choice.k is None:
            return (-1.0, 0.0)
        silhouettes = choice.values.get("silhouette", {})
        return len(choice.supporters) / len(choice.voters), silhouettes.get(choice.k, 0.0)

    best = max(choices.values(), key=agreement)
    return dataclasses.replace(best, choices=choices)
