"""The section on whether there are clusters: the data's index among those of data without clusters, and valleys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from adjudge._report.wording import count, decimals_of, fact, main
from adjudge.indices.catalog import find_index
from adjudge.presentation.numbers import bounded

if TYPE_CHECKING:
    from adjudge.inference.clusters.cluster_tests import ClustersTest

_WIDTH = 600.0
_TITLES = {
    "gaussian": "Gaussian",
    "copula": "One peak in each variable",
    "elliptical": "Elliptical: a ball, a shell, heavy tails",
    "uniform": "Evenly spread",
}


def are_there_clusters(result: ClustersTest) -> dict[str, Any]:
    """Reduce a test to what its section shows, as plain JSON."""
    record = find_index(result.index, "internal")
    return {
        "layout": "are_there_clusters.html.j2",
        "kind": "clusters_test",
        "n": result.n,
        "best": result.best,
        "index": record.title,
        "better": record.better,
        "value": result.value,
        "n_samples": result.n_samples,
        "level": result.level,
        "verdict": _verdict(result),
        "nulls": _nulls(result),
        "decimals": decimals_of([result.value], 3),
        "valley": result.valley_p_value,
        "valleys": _valleys(result),
        "criteria": None,
        "scores": None,
        "settings": {"index": result.index, "n_samples": result.n_samples},
    }


def _verdict(result: ClustersTest) -> list[dict[str, str]]:
    found = f"{result.best} finds {count(result.n_clusters, 'cluster')} in {count(result.n, 'point')}."
    return [main(result.verdict), fact(found)]


def _valleys(result: ClustersTest) -> list[dict[str, Any]]:
    """List the valleys; none counts as seen if data without clusters have valleys as deep."""
    valleys = result.valleys or []
    any_seen = result.valley_p_value is not None and result.valley_p_value <= result.level
    return [
        {"cluster": a, "neighbour": b, "p_value": p, "seen": any_seen and p <= result.level / len(valleys)}
        for a, b, p in valleys
    ]


def _nulls(result: ClustersTest) -> list[dict[str, Any]]:
    """Place the index of each data set without clusters, and that of the data, on one line."""
    known = [v for values in result.null_values.values() for v in values.tolist() if not math.isnan(v)]
    low, high = min([*known, result.value]), max([*known, result.value])

    def place(value: float) -> float:
        return float(round(_WIDTH * (value - low) / (high - low or 1.0), 1))

    return [
        {
            "name": _TITLES[null],
            "places": sorted(place(v) for v in values.tolist() if not math.isnan(v)),
            "value_at": place(result.value),
            "without_clusters": int(sum(math.isnan(v) for v in values.tolist())),
            "p_value": bounded(result.p_values[null], 1 / (result.n_samples + 1)),
        }
        for null, values in result.null_values.items()
    ]
