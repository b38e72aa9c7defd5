"""Results reduced to the one dictionary that the page is rendered from: plain JSON, nothing computed later."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import permutations
from typing import Any

from adjudge._report.breakdown import by_class, clusters, criteria
from adjudge._report.changes import changes, changes_in_words
from adjudge._report.classifiers import (
    classifiers,
    differences,
    groups,
    matched_clusters,
    overlaid,
    overlaid_reliability,
    recalls,
)
from adjudge._report.data_verdict import (
    about_left_out,
    about_scales,
    data_ranking,
    data_subject,
    data_verdict,
)
from adjudge._report.disagreements import disagreements
from adjudge._report.k_choice import about_number, choices
from adjudge._report.label_sets import by_label, set_disagreements
from adjudge._report.material import Material, material_of
from adjudge._report.pages import section_of
from adjudge._report.payload import instances_payload
from adjudge._report.records import facts
from adjudge._report.scores import scores_table
from adjudge._report.section import AS_GIVEN, Section
from adjudge._report.summary import headline, picture, placed
from adjudge._report.units import belonging
from adjudge._report.verdict import subject, verdict
from adjudge._report.weak_slices import weak_slices
from adjudge.errors import InputError
from adjudge.indices.catalog import list_indices
from adjudge.presentation.palette import OUTCOME_COLORS
from adjudge.results import Comparison, Evaluation
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.model_differences import ranking
from adjudge.version import __version__

_OUTCOMES = {
    "both_right": ("BR", "Both right"),
    "right_wrong": ("RW", "Only the primary right"),
    "wrong_right": ("WR", "Only the alternative right"),
    "both_wrong": ("BW", "Both wrong"),
}


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
    found = {"adjudge": __version__, "Python": platform.python_version()}
    for package in ("numpy", "scipy", "scikit-learn"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _section(section: Section, name: str) -> dict[str, Any]:
    if section.result is not None:
        found = section.result.to_dict()
        results = {"title": section.title, found["kind"]: found}
        named = {"id": name, "title": section.title, "note": section.note, "results": results}
        built = named | section_of(section.result)
        confidence = built.get("confidence")
        return _with_changes(built, section, None, confidence)
    return _labels_section(section, name)


def _labels_section(section: Section, name: str) -> dict[str, Any]:
    """Build a section on labels: what a comparison or the data alone say, and the instances behind it."""
    material = material_of(section)
    built: dict[str, Any] = {
        "layout": "section.html.j2",
        "id": name,
        "title": section.title,
        "note": section.note,
        "settings": dict(section.treatment if section.comparison is None else section.comparison.settings),
        "results": _results(section),
    }
    scattered = {} if material is None else _scattered(material, built["settings"])
    if section.comparison is not None:
        built |= _compared(section, section.comparison, material, scattered)
    elif material is not None:
        built |= _judged(section, material, scattered)
    else:
        raise InputError(f"the section {section.title!r} has neither a comparison nor models")
    order = built["ranking"]["order"]
    built["classifiers"] = classifiers(_evaluations(section), order, built["confidence"])
    built["roc"] = overlaid(built["classifiers"])
    built["reliability"] = overlaid_reliability(built["classifiers"])
    built["sets"] = _sets(section, built["best"])
    built["criteria"] = None if section.internal is None else criteria(order, section.internal, scattered)
    built["space"] = section.space
    # One model with the truth: no rival to compare it with.
    built["solo"] = material is not None and section.comparison is not None and built["best"] is None
    built["k_choices"] = [] if section.k_choice is None else choices(section.k_choice)
    built["instances"] = built["clusters"] = built["matched"] = None
    if material is not None:
        _add_instances(built, section, material)
    return _with_changes(built, section, material, built["confidence"])


def _with_changes(
    built: dict[str, Any], section: Section, material: Material | None, confidence: float | None
) -> dict[str, Any]:
    """Add what changed since an earlier result, if one was given."""
    found = section.changes
    built["changes"] = None if found is None else changes(found, material, confidence)
    built["verdict"] += [] if found is None else changes_in_words(found)
    return built


def _add_instances(built: dict[str, Any], section: Section, material: Material) -> None:
    """Add the instances and, for clusterings, the clusters to what has been built of a section."""
    if section.internal and section.space == AS_GIVEN and material.features is not None:
        built["verdict"] += about_scales(material.features)
    if section.internal and material.features is not None:
        built["verdict"] += about_left_out(material.features, section.internal)
    order = built["ranking"]["order"]
    built["instances"] = instances_payload(material)
    if built["kind"] != "clustering":
        return
    judged = {} if section.comparison is None else section.comparison.evaluations.evaluations
    built["matched"] = [matched_clusters(model, judged[model]) for model in order if model in judged]
    internal = section.internal or {}
    built["clusters"] = [
        {
            "model": model,
            **clusters(
                material.models[model],
                material.truth,
                material.columns,
                material.positions,
                internal.get(model),
                *_noise_of(model, material, built["settings"]),
            ),
        }
        for model in order
    ]


def _sets(section: Section, best: Sequence[str] | None) -> dict[str, Any] | None:
    """Return where the best two models differ, label by label, if an instance may have several."""
    if section.sets is None or section.comparison is None or best is None:
        return None
    pair = section.comparison[best[0], best[1]]
    return {
        "by_label": by_label(pair, section.sets),
        "disagreements": set_disagreements(pair, section.sets),
    }


def _scattered(material: Material, settings: Mapping[str, Any]) -> dict[str, int]:
    """Return the models whose noise forms clusters of one instance, and how many."""
    if settings.get("noise") != "singletons":
        return {}
    return {model: n for model, n in material.noise.items() if n}


def _noise_of(model: str, material: Material, settings: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the name of the cluster that a model's noise forms, or its number of clusters of one instance."""
    n = material.noise.get(model, 0)
    treated = settings.get("noise", "cluster")
    if treated == "cluster" and n:
        return str(settings.get("noise_label", -1)), 0
    return None, n if treated == "singletons" else 0


def _compared(
    section: Section, comparison: Comparison, material: Material | None, scattered: Mapping[str, int]
) -> dict[str, Any]:
    """Return what a comparison says."""
    score, order = ranking(comparison)
    best = None if comparison.verdict.rival is None else [comparison.verdict.leader, comparison.verdict.rival]
    said = verdict(comparison, material)
    if section.k_choice is not None:
        said += about_number(section.k_choice, tone="fact")
    return {
        "kind": comparison.kind,
        "n": comparison.n,
        "unit": comparison.unit,
        "are_weighted": material is not None and "weights" in comparison.settings,
        "models": list(comparison.models),
        "ranking": {"score": score, "order": order},
        "best": best,
        "subject": subject(comparison, material),
        "headline": headline(comparison),
        "picture": picture(comparison, order),
        "verdict": said,
        "scores": scores_table(comparison, order, scattered),
        "pairs": _pairs(comparison, order),
        "confidence": comparison.settings.get("confidence"),
        "primary": _primary(comparison),
        "differences": differences(comparison, order),
        "recalls": recalls(comparison, best),
        "units": belonging(comparison, section.units, material),
        "groups": groups(comparison, order),
        "weak_slices": weak_slices(comparison, material, order) if material else None,
        "disagreements": disagreements(comparison, material, *best) if material and best else None,
        "by_class": by_class(comparison[best[0], best[1]], material) if material and best else None,
    }


def _primary(comparison: Comparison) -> str | None:
    """Return the title of the primary score, if one was named."""
    name = comparison.settings.get("primary")
    return None if name is None else comparison.title_of(name)


def _judged(section: Section, material: Material, scattered: Mapping[str, int]) -> dict[str, Any]:
    """Return what the data alone say; about models with clusters of one instance each they say little."""
    internal = {m: judged for m, judged in (section.internal or {}).items() if m not in scattered}
    criterion, order = data_ranking(list(material.models), internal)
    noise = section.treatment.get("noise", "cluster")
    return {
        "kind": "clustering",
        "n": int(material.positions.size),
        "unit": "instances",
        "are_weighted": False,
        "models": list(material.models),
        "ranking": {"score": criterion, "order": order},
        "best": None,
        "subject": data_subject(material),
        "placed": _placed(criterion, order, internal),
        "verdict": data_verdict(material, noise, internal, section.k_choice),
        "scores": None,
        "pairs": [],
        "confidence": None,
        "primary": None,
        "differences": [],
        "recalls": None,
        "units": None,
        "groups": None,
        "weak_slices": None,
        "disagreements": None,
        "by_class": None,
    }


def _placed(
    criterion: str | None, order: Sequence[str], internal: Mapping[str, Evaluation]
) -> dict[str, Any] | None:
    """Draw the criterion that ranks the models, of each of them."""
    scores = [
        (m, internal[m].scores[criterion]) for m in order if m in internal and criterion in internal[m].scores
    ]
    return placed(scores, scores[0][1].title, None) if scores else None


def _results(section: Section) -> dict[str, Any]:
    """Return everything that can be downloaded: the to_dict() of each result."""
    internal = section.internal or {}
    return {
        "title": section.title,
        "comparison": None if section.comparison is None else section.comparison.to_dict(),
        "internal": {model: evaluation.to_dict() for model, evaluation in internal.items()},
        "evaluations": {model: evaluation.to_dict() for model, evaluation in _evaluations(section).items()},
        "k_choice": None if section.k_choice is None else section.k_choice.to_dict(),
    }


def _evaluations(section: Section) -> dict[str, ClassifierEvaluation]:
    """Return what is known of each classifier by class; of clusterings nothing."""
    every = {} if section.comparison is None else section.comparison.evaluations.evaluations
    return {model: own for model, own in every.items() if isinstance(own, ClassifierEvaluation)}


def _pairs(comparison: Comparison, order: list[str]) -> list[dict[str, Any]]:
    return [
        {
            **comparison[p, q].to_dict(),
            "total": comparison[p, q].agreement.total,
            "n_tests": math.comb(len(order), 2),
        }
        for p, q in permutations(order, 2)
    ]
