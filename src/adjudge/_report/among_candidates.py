"""A choice's section of the page: the candidates, coverage against quality, and which of them are equivalent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._report.breakdown import outline
from adjudge._report.wording import caveat, count, decimals_of, fact, letter, listed, main
from adjudge.array_types import Floats
from adjudge.given.alignment import align_labels
from adjudge.indices.catalog import find_index
from adjudge.presentation.numbers import capitalised, percent_text
from adjudge.presentation.plain import plain_json
from adjudge.statistics.cluster_tree import ClusterTree

if TYPE_CHECKING:
    from adjudge.results import Choice

# The box of the front, in units of the drawing.
_WIDTH, _HEIGHT = 600.0, 260.0
# Larger maps of agreement cannot be read.
_MOST_ON_MAP = 40
# Width of the drawn tree, height of a clustering in it, and most clusters of one that can be told apart.
_TREE_WIDTH, _ROW = 600.0, 64.0
_MOST_IN_ROW = 80
# Most clusters whose points are drawn.
_MOST_PROFILES = 100


def among_candidates(result: Choice) -> dict[str, Any]:
    """Reduce a choice to what its section shows, as plain JSON."""
    return {
        "layout": "among_candidates.html.j2",
        "kind": "choice",
        "n": result.n,
        "instances": result.instances,
        "best": result.best,
        "quality_name": result.quality_name,
        "verdict": _verdict(result),
        "candidates": _candidates(result),
        "decimals": decimals_of([v for v in result.quality.values() if math.isfinite(v)], 3),
        "plot": _plot(result),
        "same": [list(group) for group in result.groups if len(group) > 1],
        "central": result.central,
        "tree": _tree(result),
        "agreement": _agreement(result),
        "criteria": None,
        "criteria_by_candidate": _criteria(result),
        "stability_of_best": _stability(result),
        "by_point": _by_point(result),
        "has_stability": bool(result.stability),
        "settings": {name: value for name, value in result.settings.items() if value is not None},
        "scores": None,
    }


def _verdict(result: Choice) -> list[dict[str, str]]:
    if result.best is None:
        found = "Nothing speaks for any of the candidates."
    else:
        clusters = count(result.n_clusters[result.best], "cluster")
        covered = f"{percent_text(result.coverage[result.best])} of the {result.instances}"
        found = f"{result.best} is recommended: {clusters}, which cover {covered}."
    said = [main(found), fact(f"{result.reason}.")]
    rivals = [name for name in result.front if name != result.best]
    if rivals and result.best is not None:
        text = f"No other candidate exceeds {listed(rivals, 4)} in both coverage and quality either."
        said.append(fact(text))
    return said + [
        (fact if notice.severity == "info" else caveat)(_sentence(notice.text)) for notice in result.warnings
    ]


def _sentence(text: str) -> str:
    return f"{capitalised(text)}{'' if text.endswith('.') else '.'}"


def _candidates(result: Choice) -> list[dict[str, Any]]:
    """Describe each candidate, the best first; equivalent ones share a letter."""
    several = [group for group in result.groups if len(group) > 1]
    letters = {name: letter(i) for i, group in enumerate(several) for name in group}
    return [
        {
            "name": name,
            "best": name == result.best,
            "front": name in result.front,
            "clusters": result.n_clusters[name],
            "coverage": result.coverage[name],
            "quality": plain_json(result.shown_quality(name)),
            "votes": result.tally.get(name, 0.0),
            "same": letters.get(name, ""),
            "stability": plain_json(result.stability.get(name, {}).get("jaccard", math.nan)),
        }
        for name in result.ranking
    ]


def _plot(result: Choice) -> dict[str, Any] | None:
    """Lay out coverage (from left to right) against quality (upwards), and the line of the front.

    None if all candidates cover the same.
    """
    known = {name: value for name, value in result.quality.items() if math.isfinite(value)}
    covered = {result.coverage[name] for name in known}
    if len(covered) < 2:
        return None
    low, high, least = min(known.values()), max(known.values()), min(covered)

    def place(value: float, start: float, end: float) -> float:
        return 0.5 if end <= start else (value - start) / (end - start)

    points: list[dict[str, Any]] = [
        {
            "name": name,
            "x": round(_WIDTH * place(result.coverage[name], least, 1.0), 1),
            "y": round(_HEIGHT * (1 - place(value, low, high)), 1),
            "coverage": result.coverage[name],
            "quality": value,
            "best": name == result.best,
            "front": name in result.front,
        }
        for name, value in known.items()
    ]
    front = sorted((p["x"], p["y"]) for p in points if p["front"])
    return {
        "points": sorted(points, key=lambda p: (bool(p["best"]), bool(p["front"]))),
        "line": " ".join(f"{x},{y}" for x, y in front),
        "coverage": [least, 1.0],
        "quality": [low, high],
    }


def _tree(result: Choice) -> dict[str, Any] | None:
    """Lay out how clusters split from candidate to candidate."""
    shown = result.distinct()
    if len(shown) < 2 or max(result.n_clusters[name] for name in shown) > _MOST_IN_ROW:
        return None
    tree = ClusterTree.of(shown, noise_label=result.settings.get("noise_label", -1))
    largest = 0.75 * min(_ROW, _TREE_WIDTH / tree.most_room)

    def across(layer: int, cluster: int) -> float:
        return round(_TREE_WIDTH * float(tree.layers[layer].places[cluster]), 1)

    rows = []
    for i, layer in enumerate(tree.layers):
        last = layer.sizes.size - 1
        circles = [
            {
                "cluster": str(name),
                "x": across(i, j),
                "r": round(max(1.0, largest * math.sqrt(size / tree.n) / 2), 1),
                "size": size,
                "noise": layer.noise and j == last,
            }
            for j, (name, size) in enumerate(zip(layer.clusters, layer.sizes.tolist(), strict=True))
        ]
        best = layer.name == result.best
        rows.append({"name": layer.name, "best": best, "y": round((i + 0.5) * _ROW, 1), "circles": circles})
    lines = [
        {
            "x": [across(edge.layer, edge.above), across(edge.layer + 1, edge.below)],
            "y": [round((edge.layer + 0.5) * _ROW, 1), round((edge.layer + 1.5) * _ROW, 1)],
            "width": round(max(0.5, 0.45 * largest * edge.points / tree.n), 1),
            "share": round(edge.share_below, 3),
        }
        for edge in sorted(tree.edges, key=lambda edge: edge.share_below)
    ]
    return {
        "rows": rows,
        "lines": lines,
        "width": _TREE_WIDTH,
        "height": _ROW * len(rows),
        "row": _ROW,
        "least_share": tree.least_share,
        "has_noise": any(layer.noise for layer in tree.layers),
    }


def _agreement(result: Choice) -> dict[str, Any] | None:
    if not 2 <= len(result) <= _MOST_ON_MAP:
        return None
    place = {name: i for i, name in enumerate(result.names)}
    rows = [
        {"name": a, "values": [plain_json(float(result.agreement[place[a], place[b]])) for b in result.order]}
        for a in result.order
    ]
    return {"order": list(result.order), "rows": rows}


def _criteria(result: Choice) -> list[dict[str, Any]]:
    found = []
    for name, values in result.values.items():
        record = find_index(name)
        found.append(
            {
                "title": record.title,
                "summary": record.summary,
                "better": record.better or "",
                "vote": result.votes.get(name),
                "values": [plain_json(values.get(candidate, math.nan)) for candidate in result.ranking],
                "reasons": [result.reasons.get(name, {}).get(candidate) for candidate in result.ranking],
            }
        )
    return found


def _by_point(result: Choice) -> dict[str, Any] | None:
    """Sum up and outline the point values in each cluster of the recommended candidate, the largest cluster first."""
    if result.best is None or not result.point_values:
        return None
    labels = align_labels({"labels": result.labels[result.best]}).labels[0]
    codes, names = labels.dense()
    sizes = np.bincount(codes, minlength=len(names))
    noise = labels.where(result.settings["noise_label"]) if result.settings["noise"] == "drop" else None
    if noise is not None and noise.any():
        sizes[codes[noise][0]] = 0
    order = [int(c) for c in np.argsort(-sizes, kind="stable") if sizes[c]]
    sums = {"silhouette": np.mean, "dbcv": np.min}
    return {
        "criteria": [name for name in sums if name in result.point_values],
        "n_clusters": len(order),
        "low": {name: round(min(-0.1, float(np.nanmin(v))), 2) for name, v in result.point_values.items()},
        "rows": [
            {
                "cluster": str(names[c]),
                "size": int(sizes[c]),
                "values": {
                    name: _profile(values[codes == c], sums[name])
                    for name, values in result.point_values.items()
                },
            }
            for c in order[:_MOST_PROFILES]
        ],
    }


def _profile(values: Floats, sum_up: Any) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    value = float(sum_up(known)) if known.size else math.nan
    return {"value": plain_json(value), "outline": outline(known) if known.size else ""}


def _stability(result: Choice) -> list[dict[str, Any]]:
    """Return how well each cluster of the recommended candidate is recovered in resamples."""
    if result.best is None or result.best not in result.stability_of_clusters:
        return []
    return [
        {"cluster": i, "jaccard": plain_json(float(value))}
        for i, value in enumerate(result.stability_of_clusters[result.best])
    ]
