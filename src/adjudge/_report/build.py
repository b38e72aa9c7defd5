"""Results reduced to the one dictionary that the page is rendered from: plain JSON, nothing computed later."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import adjudge
from adjudge._report.breakdown import by_class, clusters, criteria
from adjudge._report.choice import choice
from adjudge._report.features import Features, PlaneMap, given_map, principal_map, read_features
from adjudge._report.images import Pictures, PixelPictures, read_pictures
from adjudge._report.instances import Instances
from adjudge._report.payload import instances_payload
from adjudge._report.records import facts
from adjudge._report.significance import Significance, significance
from adjudge._report.verdict import ranking, verdict
from adjudge.errors import InputError
from adjudge.indices.catalog import find_index, list_indices
from adjudge.palette import OUTCOME_COLORS
from adjudge.results import Comparison, Evaluation, plain_json

if TYPE_CHECKING:
    from adjudge.choice_results import KChoice

__all__ = ["Section", "report_page"]

# Instances listed on the page itself, for each of the two models.
_LISTED = 24

_OUTCOMES = {
    "both_right": ("BR", "Both right"),
    "right_wrong": ("RW", "Only the primary right"),
    "wrong_right": ("WR", "Only the alternative right"),
    "both_wrong": ("BW", "Both wrong"),
}


@dataclass(frozen=True, eq=False)
class Section:
    """One comparison on the page, with what is known about its instances.

    Attributes
    ----------
    title : str
    comparison : Comparison
    labels_true, models
        The labels that the comparison was made from; without them, no instances are shown.
    X : array-like of shape (n, p) or data frame, optional
        The instances' features.
    feature_names : sequence of str, optional
    embedding : array-like of shape (n, 2), optional
        Places on the map; default the principal components of `X`.
    images : array-like of shape (n, height, width) or (n, height, width, channels), or sequence of paths, optional
    text : sequence of str, optional
        One text an instance.
    internal : mapping of str to Evaluation, optional
        Internal criteria of each clustering.
    k_choice : KChoice, optional
        What :func:`adjudge.choose_k` says about the number of clusters.
    confidence : float
        Of the intervals.
    note : str
        A sentence on where the data and the models come from.
    """

    title: str
    comparison: Comparison
    labels_true: Any = None
    models: Mapping[str, Any] | None = None
    X: Any = None
    feature_names: Sequence[str] | None = None
    embedding: Any = None
    images: Any = None
    text: Sequence[str] | None = None
    internal: Mapping[str, Evaluation] | None = None
    k_choice: KChoice | None = None
    confidence: float = 0.95
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
    if section.labels_true is None or section.models is None:
        return None
    instances = Instances.from_labels(section.comparison, section.labels_true, section.models)
    n = instances.n_given
    features = None if section.X is None else read_features(section.X, section.feature_names, n)
    text = None if section.text is None else [str(t) for t in section.text]
    if text is not None and len(text) != n:
        raise InputError(f"text has {len(text)} entries, there are {n} instances")
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
    comparison = section.comparison
    material = _material(section)
    instances = material.instances if material else None
    score, order = ranking(comparison)
    best = order[:2] if len(order) > 1 else None
    sure = None
    if instances is not None and best:
        sure = significance(comparison, instances, section.confidence)
    built = {
        "id": name,
        "title": section.title,
        "note": section.note,
        "kind": comparison.kind,
        "n": comparison.n,
        "unit": comparison.unit,
        "models": list(comparison.models),
        "ranking": {"score": score, "order": order},
        "best": best,
        "verdict": verdict(comparison, instances, sure),
        "scores": _scores(comparison, order),
        "pairs": _pairs(comparison, order, sure),
        "confidence": section.confidence,
        "disagreements": None,
        "by_class": None,
        "instances": None,
        "clusters": None,
        "criteria": None if section.internal is None else criteria(comparison, section.internal),
        "k_choice": None if section.k_choice is None else choice(section.k_choice),
        "results": _results(section),
    }
    if material is None:
        return built
    built["instances"] = instances_payload(
        material.instances, material.columns, material.plane, material.pictures, material.text
    )
    if best:
        built["disagreements"] = _disagreements(comparison, material, *best)
        built["by_class"] = by_class(comparison[best[0], best[1]], material.instances)
    if comparison.kind == "clustering":
        built["clusters"] = [
            {
                "model": model,
                **clusters(
                    material.instances.models[model],
                    material.instances.truth,
                    material.columns,
                    material.instances.positions,
                    (section.internal or {}).get(model),
                ),
            }
            for model in order
        ]
    return built


def _results(section: Section) -> dict[str, Any]:
    """Return everything as the results' own to_dict() says it: what can be downloaded."""
    internal = section.internal or {}
    return {
        "title": section.title,
        "comparison": section.comparison.to_dict(),
        "internal": {model: evaluation.to_dict() for model, evaluation in internal.items()},
        "k_choice": None if section.k_choice is None else section.k_choice.to_dict(),
    }


def _scores(comparison: Comparison, order: list[str]) -> dict[str, Any]:
    records = [find_index(name) for name in next(iter(comparison.scores.values()))]
    best = {}
    for record in records:
        values = [comparison.scores[m][record.name] for m in order]
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
                    "best": value == best.get(record.name),
                    "share": _share_of_range(value, record.range),
                }
            )
        rows.append({"model": model, "cells": cells})
    return {"records": [facts(record) for record in records], "rows": rows}


def _share_of_range(value: float, bounds: tuple[float, float]) -> float | None:
    """Where a value lies between its smallest and largest possible one; a value below 0 shows as 0."""
    low, high = max(bounds[0], 0.0), bounds[1]
    if not np.isfinite([value, low, high]).all() or high <= low:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _pairs(comparison: Comparison, order: list[str], sure: Significance | None) -> list[dict[str, Any]]:
    found = []
    for p in order:
        for q in order:
            if p == q:
                continue
            pair = comparison[p, q]
            more = sure.of(p, q) if sure else {"interval_notes": {}, "test": None}
            found.append({**pair.to_dict(), "total": pair.agreement.total, **more})
    return found


def _disagreements(comparison: Comparison, material: _Material, p: str, q: str) -> dict[str, Any]:
    """List the instances on which the best two models differ: each alone right."""
    pair = comparison[p, q]
    instances, pictures = material.instances, material.pictures
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
                "truth": instances.truth.names[instances.truth.codes[k]],
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
