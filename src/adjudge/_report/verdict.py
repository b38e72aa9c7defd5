"""What the results say, in plain sentences, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from adjudge._report.material import Coded, Material
from adjudge._report.wording import caveat, count, fact, listed, main
from adjudge.indices.catalog import find_index
from adjudge.inference.differences.head_to_head import takes_long
from adjudge.presentation.numbers import capitalised
from adjudge.results import Comparison
from adjudge.results.notice import Notice
from adjudge.results.verdict import unbalanced


def verdict(comparison: Comparison, material: Material | None) -> list[dict[str, str]]:
    """Return the sentences of a comparison, each a dictionary with its `text` and its `tone`: "main", "fact", "caveat".

    What only the instances show is added to its cautions.
    """
    found = comparison.verdict
    said = [main(found.sentences[0]), *map(fact, found.sentences[1:])]
    said += [_of_notice(notice) for notice in found.cautions]
    # The page words notices about noise in its own way.
    said += [
        _of_notice(notice)
        for notice in comparison.warnings
        if notice.code not in ("noise-is-a-cluster", "no-noise-found")
    ]
    said += _untested(material) if comparison.settings.get("confidence") is None else []
    if material is not None and material.truth is not None:
        said += _about_labels(comparison, material, material.truth)
    return said


def subject(comparison: Comparison, material: Material | None) -> str:
    """Say what was compared."""
    what = "clustering" if comparison.kind == "clustering" else "classifier"
    of = "of" if comparison.kind == "clustering" else "on"
    text = f"{count(len(comparison.models), what)} {of} {comparison.sample}"
    if material is not None and material.truth is not None:
        text += f", judged against {count(len(material.truth.names), 'true class')}"
    if material is not None:
        left_out = material.n_given - material.positions.size
    elif isinstance(comparison.n, float):  # a sum of weights
        rows = comparison.known_instances()
        left_out = rows.n_given - rows.n
    else:
        left_out = comparison.settings.get("n_given", comparison.n) - comparison.n
    if left_out:
        why = "without a label or as noise" if comparison.kind == "clustering" else "without a label"
        text += f" ({count(left_out, 'instance')} left out, {why})"
    return text


def about_agreement(
    order: Sequence[str], values: Mapping[str, Mapping[str, float]], noun: str
) -> list[dict[str, str]]:
    """Say which indices favour which model.

    Parameters
    ----------
    order : sequence of str
        The models, the top-ranked one first: of several with the best value, the first of them wins.
    values : mapping of str to mapping of str to float
        By index and model; indices without a direction say nothing.
    noun : str
        What the indices are called.
    """
    wins: dict[str, list[str]] = {}
    for name, own in values.items():
        record = find_index(name)
        known = {model: own[model] for model in order if model in own and not math.isnan(own[model])}
        if record.better and known:
            best = (max if record.better == "higher" else min)(known.values())
            wins.setdefault(next(m for m in known if known[m] == best), []).append(record.title)
    total = sum(map(len, wins.values()))
    if len(wins) < 2:
        return [fact(f"{order[0]} is best by all {total} {noun}.")] if total > 1 else []
    others = [f"{model} by {listed(titles)}" for model, titles in wins.items() if model != order[0]]
    mine = len(wins.get(order[0], []))
    return [caveat(f"The {noun} disagree: {order[0]} is best by {mine} of {total}, {listed(others)}.")]


def _untested(material: Material | None) -> list[dict[str, str]]:
    if material is None or material.labels_true is None or material.right:
        return []
    if not takes_long(material.labels_true, list(material.labels.values())):
        return []
    return [
        caveat("With this many clusters and models, intervals and tests would take long and are left out.")
    ]


def _of_notice(notice: Notice) -> dict[str, str]:
    """Return a caution or a note, without remedies that name options of functions."""
    remedy = f": {notice.remedy}" if isinstance(notice.remedy, str) and notice.remedy else ""
    text = f"{capitalised(notice.message)}{remedy}."
    return fact(text) if notice.severity == "info" else caveat(text)


def _about_labels(comparison: Comparison, material: Material, truth: Coded) -> list[dict[str, str]]:
    if comparison.kind == "classification":
        never = material.never_right()
        if not never.size or len(comparison.models) < 2:
            return []
        case = "a hard case, or an error" if never.size == 1 else "hard cases, or errors"
        some = count(int(never.size), "instance is", "instances are")
        return [caveat(f"{some} labelled wrong by every model: {case} in the truth.")]
    said = [
        _of_notice(notice) for notice in unbalanced(dict(zip(truth.names, truth.sizes.tolist(), strict=True)))
    ]
    k_true = len(truth.names)
    noise = comparison.settings.get("noise", "cluster")
    numbers = numbers_of_clusters(material, noise)
    others = [f"{count(k, 'cluster')} by {name}" for name, k in numbers.items() if k != k_true]
    if others:
        said.append(caveat(f"The truth has {count(k_true, 'class')}, but there are {listed(others)}."))
    return said + about_noise(material, noise)


def numbers_of_clusters(material: Material, noise: str) -> dict[str, int]:
    """Count the clusters of each model, without its noise."""
    found = {}
    for name, coded in material.models.items():
        noisy = material.noise.get(name, 0)
        found[name] = len(coded.names) - {"cluster": min(noisy, 1), "singletons": noisy, "drop": 0}[noise]
    return found


def about_noise(material: Material, noise: str) -> list[dict[str, str]]:
    """Say how noise was treated, if there is any."""
    if not material.noise:
        return []
    treated = {
        "cluster": "count as one cluster",
        "singletons": "each count as a cluster",
        "drop": "are left out, for all models",
    }[noise]
    named = listed([f"{n:,} by {name}" for name, n in material.noise.items()])
    text = f"Instances labelled as noise {treated}: {named}."
    if noise == "cluster" and material.truth is None and len(material.labels) > 1:
        text += " A choice leaves them out, and may prefer another clustering."
    return [caveat(text)]
