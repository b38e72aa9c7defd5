"""What the data alone say about clusterings, in plain sentences, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge._report.features import Features
from adjudge._report.k_choice import about_number
from adjudge._report.material import Material
from adjudge._report.verdict import about_agreement, about_noise, numbers_of_clusters
from adjudge._report.wording import caveat, count, fact, listed, main, number
from adjudge.indices.catalog import find_index
from adjudge.results import Evaluation
from adjudge.results.point_notices import why_left_out

if TYPE_CHECKING:
    from adjudge.results import KChoice

# Kaufman & Rousseeuw (1990) see no substantial structure below this mean silhouette.
_NO_STRUCTURE = 0.25
# Beyond this ratio of spreads, distances hardly depend on the narrower column.
_DROWNED = 100.0


def data_ranking(models: Sequence[str], internal: Mapping[str, Evaluation]) -> tuple[str | None, list[str]]:
    """Return the first criterion that is defined and has a direction, and the models by it, the best first."""
    for name in dict.fromkeys(name for evaluation in internal.values() for name in evaluation.values):
        values = _values(name, models, internal)
        if values:
            return name, sorted(models, key=lambda m: _worst_last(name, values.get(m)))
    return None, list(models)


def data_subject(material: Material) -> str:
    """Say what was judged."""
    n = material.positions.size
    text = (
        f"{count(len(material.models), 'clustering')} of {count(n, 'instance')}, judged from the data alone"
    )
    if material.n_given > n:
        text += f" ({count(material.n_given - n, 'instance')} left out, without a label or as noise)"
    return text


def data_verdict(
    material: Material, noise: str, internal: Mapping[str, Evaluation], chosen: KChoice | None
) -> list[dict[str, str]]:
    """Return sentences, each a dictionary with its `text` and its `tone`: "main", "fact" or "caveat"."""
    models = list(material.models)
    criterion, order = data_ranking(models, internal)
    said: list[dict[str, str]] = []
    if chosen is not None:
        said += about_number(chosen, tone="main")
    if criterion is not None and (chosen is None or len(models) > 1):
        said.append(_winner(criterion, order, internal))
        if len(order) > 1:
            names = dict.fromkeys(name for evaluation in internal.values() for name in evaluation.values)
            said += about_agreement(
                order, {name: _values(name, order, internal) for name in names}, "criteria"
            )
    numbers = numbers_of_clusters(material, noise)
    if chosen is None or len(models) > 1:
        said.append(fact("Clusters: " + listed([f"{k:,} by {name}" for name, k in numbers.items()]) + "."))
    said += _about_silhouettes(models, internal)
    said += about_noise(material, noise)
    scattered = [model for model, n in material.noise.items() if n] if noise == "singletons" else []
    if scattered:
        why = "a cluster of one instance is perfectly compact"
        said.append(caveat(f"The criteria do not rank {listed(scattered)}: {why}."))
    said.append(
        caveat(
            "Internal criteria say how compact and well separated clusters are, "
            "not whether they are the groups that you are looking for."
        )
    )
    return said


def about_scales(features: Features) -> list[dict[str, str]]:
    """Warn if one column dominates every distance."""
    names, values = features.numeric()
    spread = dict(zip(names, values.std(axis=0).tolist(), strict=True))
    varying = {name: s for name, s in spread.items() if s > 0}
    if len(varying) < 2:
        return []
    widest, narrowest = max(varying, key=varying.__getitem__), min(varying, key=varying.__getitem__)
    if varying[widest] < _DROWNED * varying[narrowest]:
        return []
    times = f"{varying[widest] / varying[narrowest]:,.0f}"
    return [
        caveat(
            f"The column {widest} has {times} times the spread of {narrowest} and dominates the internal criteria: "
            "standardise the columns if their units differ."
        )
    ]


def about_left_out(features: Features, internal: Mapping[str, Evaluation]) -> list[dict[str, str]]:
    """Say which columns of numbers are only shown, and how many points have gaps."""
    said = [fact(f"{why_left_out(own)}: not a coordinate, only shown.") for own in features.left_out]
    notices = next(iter(internal.values())).warnings
    return said + [fact(f"{notice.message}.") for notice in notices if notice.code == "points-left-out"]


def _values(name: str, models: Sequence[str], internal: Mapping[str, Evaluation]) -> dict[str, float]:
    """Return the defined values of a criterion that has a direction."""
    if not find_index(name, "internal").better:
        return {}
    found = {m: internal[m].values.get(name, math.nan) for m in models if m in internal}
    return {m: value for m, value in found.items() if not math.isnan(value)}


def _worst_last(name: str, value: float | None) -> tuple[bool, float]:
    sign = 1 if find_index(name, "internal").better == "lower" else -1
    return value is None, 0.0 if value is None else sign * value


def _winner(name: str, order: Sequence[str], internal: Mapping[str, Evaluation]) -> dict[str, str]:
    values = _values(name, order, internal)
    title = find_index(name, "internal").title
    leaders = [m for m in order if values.get(m) == values[order[0]]]
    best = number(values[order[0]])
    if len(order) == 1:
        return main(f"{order[0]} has a {title} of {best}.")
    if len(leaders) > 1:
        return main(f"{listed(leaders)} share the best {title}, {best}.")
    text = f"{order[0]} is best by {title}: {best}"
    if order[1] in values:
        text += f", ahead of {order[1]} with {number(values[order[1]])}"
    return main(text + ".")


def _about_silhouettes(models: Sequence[str], internal: Mapping[str, Evaluation]) -> list[dict[str, str]]:
    values = _values("silhouette", models, internal)
    if not values or max(values.values()) >= _NO_STRUCTURE:
        return []
    return [
        caveat(
            f"No clustering has a silhouette above {_NO_STRUCTURE}: the clusters overlap, "
            "or have shapes that this criterion does not detect."
        )
    ]
