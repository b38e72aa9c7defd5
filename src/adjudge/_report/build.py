"""Results reduced to the one dictionary that the page is rendered from: plain JSON, nothing computed later."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import adjudge
from adjudge._report.among_candidates import among_candidates
from adjudge._report.are_there_clusters import are_there_clusters
from adjudge._report.breakdown import by_class, clusters, criteria
from adjudge._report.choice import choices
from adjudge._report.classifiers import classifiers, differences, groups, groups_verdict
from adjudge._report.data_verdict import about_number, about_scales, data_ranking, data_verdict
from adjudge._report.features import Features, PlaneMap, given_map, principal_map, read_features
from adjudge._report.images import Pictures, PixelPictures, read_pictures
from adjudge._report.instances import Instances
from adjudge._report.label_sets import ShownSets, by_label, set_disagreements
from adjudge._report.matched import matched_clusters
from adjudge._report.over_datasets import over_datasets
from adjudge._report.payload import instances_payload
from adjudge._report.records import facts
from adjudge._report.verdict import ranking, verdict
from adjudge._report.wording import listed
from adjudge.errors import InputError
from adjudge.given.options import given_names
from adjudge.indices.catalog import find_index, list_indices
from adjudge.presentation.palette import OUTCOME_COLORS
from adjudge.results import Comparison, Evaluation
from adjudge.results.plain import plain_json

if TYPE_CHECKING:
    from adjudge.inference.cluster_tests import ClustersTest
    from adjudge.results import Choice, KChoice
    from adjudge.results.benchmark import Benchmark
    from adjudge.results.by_class import ClassifierEvaluation

__all__ = ["AS_GIVEN", "Section", "report_page"]

# Where internal criteria measure distances, unless a section says otherwise.
AS_GIVEN = "the columns as given"
# Instances listed on the page itself, for each of the two models.
_LISTED = 24

_OUTCOMES = {
    "both_right": ("BR", "Both right"),
    "right_wrong": ("RW", "Only the primary right"),
    "wrong_right": ("WR", "Only the alternative right"),
    "both_wrong": ("BW", "Both wrong"),
}


#: Sections of whole results, by what their dictionaries say they are.
_OF_RESULTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "benchmark": over_datasets,
    "choice": among_candidates,
    "clusters_test": are_there_clusters,
}


@dataclass(frozen=True, eq=False)
class Section:
    """One comparison on the page, or clusterings judged from the data alone, with what is known of the instances.

    Attributes
    ----------
    title : str
    comparison : Comparison or None
        None if there is no truth.
    labels_true, models
        The labels that the comparison was made from; without them, no instances are shown.
    X : array-like of shape (n, p) or data frame, optional
        The instances' features.
    feature_names : sequence of str, optional
    features : sequence of str, optional
        The columns that measure distances; default all numeric ones.
    embedding : array-like of shape (n, 2), optional
        Places on the map; default the principal components of `X`.
    images : array-like of shape (n, height, width) or (n, height, width, channels), or sequence of paths, optional
    text : sequence of str, optional
        One text an instance.
    internal : mapping of str to Evaluation, optional
        Internal criteria of each clustering.
    sets : ShownSets, optional
        The labels that the comparison was made from, if an instance may have several.
    evaluations : mapping of str to ClassifierEvaluation, optional
        Each classifier by class, and its probabilities if there are any.
    k_choice : KChoice, optional
        What :func:`adjudge.choose_k` says about the number of clusters.
    result : Benchmark, Choice or ClustersTest, optional
        A result with a separate section, which reads only the title and the note.
    space : str
        Where the internal criteria measure distances.
    treatment : mapping
        `missing`, `noise` and `noise_label`, if there is no comparison that says them.
    note : str
        A sentence on where the data and the models come from.
    """

    title: str
    comparison: Comparison | None = None
    labels_true: Any = None
    models: Mapping[str, Any] | None = None
    X: Any = None
    feature_names: Sequence[str] | None = None
    features: Sequence[str] | None = None
    embedding: Any = None
    images: Any = None
    text: Sequence[str] | None = None
    internal: Mapping[str, Evaluation] | None = None
    sets: ShownSets | None = None
    evaluations: Mapping[str, ClassifierEvaluation] | None = None
    k_choice: KChoice | None = None
    result: Benchmark | Choice | ClustersTest | None = None
    space: str = AS_GIVEN
    treatment: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


def report_page(title: str, sections: Sequence[Section]) -> dict[str, Any]:
    """Reduce comparisons and their instances to one JSON-able dictionary.

    Parameters
    ----------
    title : str
    sections : sequence of Section

    Returns
    -------
    dict
        What :func:`adjudge._report.render.write_report` takes.
    """
    if not sections:
        raise InputError("sections is empty: a report needs at least one")
    names: set[str] = set()
    built = [_section(section, _identifier(section.title, names)) for section in sections]
    return {
        "title": title,
        "outcomes": [
            {"name": name, "short": short, "title": text, "color": OUTCOME_COLORS[name]}
            for name, (short, text) in _OUTCOMES.items()
        ],
        "measures": [facts(record) for record in list_indices("comparative")],
        "sections": built,
        "versions": _versions(),
    }


def _identifier(title: str, taken: set[str]) -> str:
    """Return an id for the page's anchors: letters, digits and hyphens, different for each section."""
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
    name, i = stem, 2
    while name in taken:
        name, i = f"{stem}-{i}", i + 1
    taken.add(name)
    return name


def _versions() -> dict[str, str]:
    found = {"adjudge": adjudge.__version__, "Python": platform.python_version()}
    for package in ("numpy", "scipy", "numba", "scikit-learn"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True, eq=False)
class _Material:
    """What a section says about its instances, checked."""

    instances: Instances
    features: Features | None
    plane: PlaneMap | None
    pictures: Pictures | None
    text: list[str] | None

    # A column for each pixel would bury the table, and says little beside the picture.
    pixels: bool

    @property
    def columns(self) -> Features | None:
        """The columns that are worth showing."""
        return None if self.pixels else self.features


def _material(section: Section) -> _Material | None:
    if section.models is None:
        return None
    if section.comparison is None:
        instances = Instances.without_truth(section.models, section.treatment)
    elif section.labels_true is None:
        return None
    else:
        instances = Instances.from_labels(section.comparison, section.labels_true, section.models)
    n = instances.n_given
    features = (
        None if section.X is None else read_features(section.X, section.feature_names, n, section.features)
    )
    text = None if section.text is None else [str(t) for t in given_names("text", section.text)]
    if text is not None and len(text) != n:
        raise InputError(f"text has {len(text)} entries, but there are {n} instances")
    pictures = None if section.images is None else read_pictures(section.images, n)
    pixels = (
        features is not None
        and isinstance(pictures, PixelPictures)
        and len(features.columns) == math.prod(np.shape(section.images)[1:])
    )
    plane = None
    if section.embedding is not None:
        plane = given_map(section.embedding, n)
    elif features is not None:
        plane = principal_map(features, scaled=not pixels)
    return _Material(instances, features, plane, pictures, text, pixels)


def _section(section: Section, name: str) -> dict[str, Any]:
    if section.result is not None:
        found = section.result.to_dict()
        results = {"title": section.title, found["kind"]: found}
        named = {"id": name, "title": section.title, "note": section.note, "results": results}
        return named | _OF_RESULTS[found["kind"]](section.result)
    material = _material(section)
    built: dict[str, Any] = {
        "layout": "section.html.j2",
        "id": name,
        "title": section.title,
        "note": section.note,
        "settings": dict(section.treatment if section.comparison is None else section.comparison.settings),
        "results": _results(section),
    }
    scattered = {} if material is None else _scattered(material.instances, built["settings"])
    if section.comparison is not None:
        built |= _compared(section, section.comparison, material, scattered)
    elif material is not None:
        built |= _judged(section, material, scattered)
    else:
        raise InputError(f"the section {section.title!r} has neither a comparison nor models")
    order = built["ranking"]["order"]
    built["classifiers"] = []
    if section.evaluations is not None:
        built["classifiers"] = classifiers(section.evaluations, order, built["confidence"])
    built["sets"] = _sets(section, built["best"])
    built["criteria"] = None if section.internal is None else criteria(order, section.internal, scattered)
    built["space"] = section.space
    # One model with the truth: no rival to be held against.
    built["solo"] = material is not None and section.comparison is not None and built["best"] is None
    built["k_choices"] = [] if section.k_choice is None else choices(section.k_choice)
    built["instances"] = built["clusters"] = built["matched"] = None
    if material is None:
        return built
    if section.internal and section.space == AS_GIVEN and material.features is not None:
        built["verdict"] += about_scales(material.features)
    instances = material.instances
    built["instances"] = instances_payload(
        instances, material.columns, material.plane, material.pictures, material.text
    )
    if built["kind"] == "clustering":
        matched = [matched_clusters(model, instances, built["confidence"]) for model in order]
        built["matched"] = [found for found in matched if found is not None]
        internal = section.internal or {}
        built["clusters"] = [
            {
                "model": model,
                **clusters(
                    instances.models[model],
                    instances.truth,
                    material.columns,
                    instances.positions,
                    internal.get(model),
                    *_noise_of(model, instances, built["settings"]),
                ),
            }
            for model in order
        ]
    return built


def _sets(section: Section, best: Sequence[str] | None) -> dict[str, Any] | None:
    """Return where the best two models differ, label by label, if an instance may have several."""
    if section.sets is None or section.comparison is None or best is None:
        return None
    pair = section.comparison[best[0], best[1]]
    return {
        "by_label": by_label(pair, section.sets),
        "disagreements": set_disagreements(pair, section.sets),
    }


def _scattered(instances: Instances, settings: Mapping[str, Any]) -> dict[str, int]:
    """Which models' noise makes up clusters of one instance, and how many."""
    if settings.get("noise") != "singletons":
        return {}
    return {model: n for model, n in instances.noise.items() if n}


def _noise_of(model: str, instances: Instances, settings: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the name of the cluster that a model's noise makes up, or how many clusters of one instance."""
    n = instances.noise.get(model, 0)
    treated = settings.get("noise", "cluster")
    if treated == "cluster" and n:
        return str(settings.get("noise_label", -1)), 0
    return None, n if treated == "singletons" else 0


def _compared(
    section: Section, comparison: Comparison, material: _Material | None, scattered: Mapping[str, int]
) -> dict[str, Any]:
    """Return what a comparison says."""
    score, order = ranking(comparison)
    best = order[:2] if len(order) > 1 else None
    said = verdict(comparison, material.instances if material else None) + groups_verdict(comparison, best)
    if section.k_choice is not None:
        said += about_number(section.k_choice, tone="fact")
    return {
        "kind": comparison.kind,
        "n": comparison.n,
        "unit": comparison.unit,
        "models": list(comparison.models),
        "ranking": {"score": score, "order": order},
        "best": best,
        "verdict": said,
        "scores": _scores(comparison, order, scattered),
        "pairs": _pairs(comparison, order),
        "confidence": comparison.settings.get("confidence"),
        "differences": differences(comparison, order),
        "groups": groups(comparison, order),
        "disagreements": _disagreements(comparison, material, *best) if material and best else None,
        "by_class": by_class(comparison[best[0], best[1]], material.instances) if material and best else None,
    }


def _judged(section: Section, material: _Material, scattered: Mapping[str, int]) -> dict[str, Any]:
    """Return what the data alone say; of models with clusters of one instance each they say little."""
    instances = material.instances
    internal = {m: judged for m, judged in (section.internal or {}).items() if m not in scattered}
    criterion, order = data_ranking(list(instances.models), internal)
    noise = section.treatment.get("noise", "cluster")
    return {
        "kind": "clustering",
        "n": int(instances.positions.size),
        "unit": "instances",
        "models": list(instances.models),
        "ranking": {"score": criterion, "order": order},
        "best": None,
        "verdict": data_verdict(instances, noise, internal, section.k_choice),
        "scores": None,
        "pairs": [],
        "confidence": None,
        "differences": [],
        "groups": None,
        "disagreements": None,
        "by_class": None,
    }


def _results(section: Section) -> dict[str, Any]:
    """Return everything as the results' own to_dict() says it: what can be downloaded."""
    internal = section.internal or {}
    return {
        "title": section.title,
        "comparison": None if section.comparison is None else section.comparison.to_dict(),
        "internal": {model: evaluation.to_dict() for model, evaluation in internal.items()},
        "evaluations": {m: evaluation.to_dict() for m, evaluation in (section.evaluations or {}).items()},
        "k_choice": None if section.k_choice is None else section.k_choice.to_dict(),
    }


# Scores that clusters of one instance reach by themselves.
_FREE = ("homogeneity", "purity", "precision", "bcubed_precision")


def _scores(comparison: Comparison, order: list[str], scattered: Mapping[str, int]) -> dict[str, Any]:
    records = [find_index(name) for name in next(iter(comparison.scores.values()))]

    def _is_earned(model: str, score: str) -> bool:
        return model not in scattered or score not in _FREE

    best = {}
    for record in records:
        values = [comparison.scores[m][record.name] for m in order if _is_earned(m, record.name)]
        finite = [v for v in values if np.isfinite(v)]
        if record.better and finite:
            best[record.name] = max(finite) if record.better == "higher" else min(finite)
    rows = []
    for model in order:
        cells = []
        for record in records:
            value = comparison.scores[model][record.name]
            cells.append(
                {
                    "value": plain_json(value),
                    "reason": comparison.score_reasons.get(model, {}).get(record.name),
                    "best": value == best.get(record.name) and _is_earned(model, record.name),
                    "share": _share_of_range(value, record.range),
                    "interval": _plain(comparison.score_intervals.get(model, {}).get(record.name)),
                    "adjusted": _adjusted(comparison, model, record.name),
                }
            )
        rows.append({"model": model, "cells": cells})
    adjusted = any(comparison.is_corrected(record.name) for record in records)
    return {
        "records": [facts(record) for record in records],
        "rows": rows,
        "has_adjusted": adjusted,
        "unmarked": listed([m for m in order if m in scattered]),
        "free": listed([record.title for record in records if record.name in _FREE]),
    }


def _plain(interval: tuple[float, float] | None) -> list[Any] | None:
    return None if interval is None else [plain_json(bound) for bound in interval]


def _adjusted(comparison: Comparison, model: str, score: str) -> Any:
    """Return a score corrected for chance, unless it is so by itself."""
    if not comparison.is_corrected(score):
        return None
    return plain_json(comparison.adjusted_scores[model][score])


def _share_of_range(value: float, bounds: tuple[float, float]) -> float | None:
    """Where a value lies between its smallest and largest possible one; a value below 0 shows as 0."""
    low, high = max(bounds[0], 0.0), bounds[1]
    if not np.isfinite([value, low, high]).all() or high <= low:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _pairs(comparison: Comparison, order: list[str]) -> list[dict[str, Any]]:
    return [
        {
            **comparison[p, q].to_dict(),
            "total": comparison[p, q].agreement.total,
            "n_tests": math.comb(len(order), 2),
        }
        for p, q in permutations(order, 2)
    ]


def _disagreements(comparison: Comparison, material: _Material, p: str, q: str) -> dict[str, Any]:
    """List the instances on which the best two models differ: each alone right."""
    pair = comparison[p, q]
    instances, pictures = material.instances, material.pictures
    truth = instances.truth
    if truth is None:
        raise InputError("disagreements need the truth")
    place = np.full(instances.n_given, -1, np.int64)
    place[instances.positions] = np.arange(instances.positions.size)
    names: list[str] = []
    if material.columns is not None and pictures is None:
        names, values = material.columns.numeric(complete=False)
        names, values = names[:_FEATURES], values[:, :_FEATURES]
    groups = []
    for cell, winner in (("right_wrong", p), ("wrong_right", q)):
        positions, counts = _of_cell(comparison.kind, pair.instances(cell))
        rows = []
        for i in positions[:_LISTED].tolist():
            k = int(place[i])
            row: dict[str, Any] = {
                "position": i,
                "truth": truth.names[truth.codes[k]],
                "primary": _name_at(instances, p, k),
                "alternative": _name_at(instances, q, k),
            }
            if counts is not None:
                row["pairs"] = int(counts[i])
            if pictures is not None:
                row["image"] = pictures.uri(i)
            if material.text is not None:
                row["text"] = material.text[i]
            if names:
                row["features"] = [plain_json(float(v)) for v in values[i]]
            rows.append(row)
        groups.append({"cell": cell, "model": winner, "rows": rows, "total": int(positions.size)})
    return {
        "primary": p,
        "alternative": q,
        "groups": groups,
        "features": names,
        "has_images": pictures is not None,
        "has_text": material.text is not None,
        "pairs_per_instance": comparison.n - 1,
    }


# Columns of the data shown beside an instance.
_FEATURES = 4


def _name_at(instances: Instances, model: str, k: int) -> str:
    coded = instances.models[model]
    return coded.names[int(coded.codes[k])]


def _of_cell(kind: str, found: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Positions of a cell's instances, and for clusterings their pair counts, the largest first."""
    if kind == "classification":
        return found, None
    order = np.argsort(-found, kind="stable")
    return order[: int(np.count_nonzero(found))], found
