"""Where the models are right and wrong: by true class, and what each cluster consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._report.features import Features
from adjudge._report.material import Coded, Material
from adjudge._report.records import facts
from adjudge._report.wording import decimals_of, listed
from adjudge.array_types import Bools, Floats, Ints
from adjudge.choosing.profiles import described
from adjudge.errors import InputError
from adjudge.indices.catalog import find_index
from adjudge.presentation.plain import plain_json
from adjudge.results import Evaluation, HeadToHead
from adjudge.results.profiles import ClusterProfile
from adjudge.statistics.agreement import CELLS

# Most columns of the data for which centroids are shown.
_CENTROID_COLUMNS = 16
# Most columns that are described in words.
_DESCRIBED_COLUMNS = 64
# Instances of a cluster that are named as typical, and as borderline.
_NAMED = 3
# Most points of the outline of a cluster.
_OUTLINE = 80


def per_instance(pair: HeadToHead, material: Material) -> dict[str, Ints]:
    """Return the weight of each instance in each cell: 0 or 1 for classifiers, its number of pairs for clusterings."""
    found = {}
    for cell in CELLS:
        values = pair.instances(cell)
        if pair.kind == "classification":
            marked = np.zeros(material.n_given, np.int64)
            marked[values] = 1
            found[cell] = marked[material.positions]
        else:
            found[cell] = values[material.positions]
    return found


def by_class(pair: HeadToHead, material: Material) -> list[dict[str, Any]]:
    """Count the four outcomes within each true class (clusterings: over the pairs of its instances)."""
    truth = material.truth
    if truth is None:
        raise InputError("outcomes by class need the truth")
    weights = per_instance(pair, material)
    sums = {cell: np.bincount(truth.codes, w, len(truth.names)) for cell, w in weights.items()}
    return [
        {
            "name": name,
            "size": int(truth.sizes[c]),
            "counts": {cell: int(sums[cell][c]) for cell in CELLS},
        }
        for c, name in enumerate(truth.names)
    ]


def clusters(
    coded: Coded,
    truth: Coded | None,
    features: Features | None,
    kept: Ints,
    internal: Evaluation | None = None,
    noise: str | None = None,
    n_singletons: int = 0,
) -> dict[str, Any]:
    """Return size, most common class, silhouette and centroid (in units of the data) of each cluster of one model.

    `noise` is the name of the cluster that noise forms, if any. If noise forms clusters of one instance each, these are
    the last `n_singletons`, and only counted.
    """
    names: list[str] = []
    means = np.empty((len(coded.names), 0))
    if features is not None:
        names, values = features.numeric(complete=False)
        names, values = names[:_CENTROID_COLUMNS], values[kept][:, :_CENTROID_COLUMNS]
        means = np.column_stack(
            [np.empty((len(coded.names), 0)), *[_group_means(coded, values[:, j]) for j in range(len(names))]]
        )
    widths = _silhouette_widths(coded, internal)
    profiles = _profiles(coded, features, kept)
    rows = []
    for c in np.argsort(-coded.sizes[: len(coded.names) - n_singletons], kind="stable").tolist():
        rows.append(
            {
                "name": coded.names[c],
                "noise": coded.names[c] == noise,
                "size": int(coded.sizes[c]),
                "profile": profiles[c][0].words if profiles else None,
                "typical": kept[profiles[c][1]].tolist() if profiles else None,
                "borderline": None if widths is None else _borderline(widths, coded.codes == c, kept),
                **_classes_within(truth, coded.codes == c),
                "silhouette": None if widths is None else _silhouette(widths[coded.codes == c]),
                "centroid": [plain_json(float(m)) for m in means[c]],
            }
        )
    decimals = [decimals_of(means[: len(coded.names) - n_singletons, j]) for j in range(len(names))]
    lowest = None if widths is None else round(min(-0.1, float(widths.min())), 2)
    n_noise = n_singletons + sum(row["size"] for row in rows if row["noise"])
    return {
        "columns": names,
        "decimals": decimals,
        "rows": rows,
        "lowest_silhouette": lowest,
        "n_noise": n_noise,
    }


def _borderline(widths: Floats, members: Bools, kept: Ints) -> list[dict[str, Any]]:
    """Return the members with the smallest silhouettes, the smallest first."""
    own = np.flatnonzero(members)
    least = own[np.argsort(widths[own], kind="stable")[:_NAMED]]
    return [{"position": int(kept[i]), "width": plain_json(float(widths[i]))} for i in least]


def _profiles(coded: Coded, features: Features | None, kept: Ints) -> dict[int, tuple[ClusterProfile, Ints]]:
    """Describe each cluster by the columns in which it stands out; none if there are no columns, or very many."""
    names, values = ([], np.empty((0, 0))) if features is None else features.numeric(complete=False)
    if not 0 < len(names) <= _DESCRIBED_COLUMNS or len(coded.names) < 2:
        return {}
    found = described(values[kept], names, coded.codes, range(len(coded.names)), _NAMED)
    return {own.label: (own, typical) for own, typical in found}


def _classes_within(truth: Coded | None, members: Bools) -> dict[str, Any]:
    """Return the true class that is most common in a cluster, if there is a truth."""
    if truth is None:
        return {}
    within = np.bincount(truth.codes[members], minlength=len(truth.names))
    commonest = int(within.argmax())
    return {
        "commonest": truth.names[commonest],
        "commonest_count": int(within[commonest]),
        "classes": int(np.count_nonzero(within)),
    }


def _silhouette_widths(coded: Coded, internal: Evaluation | None) -> Floats | None:
    widths = None if internal is None else internal.details.get("silhouette_widths")
    # If noise was treated differently, the widths belong to other instances.
    if widths is None or len(widths) != coded.codes.size:
        return None
    return np.asarray(widths, np.float64)


def _silhouette(widths: Floats) -> dict[str, Any]:
    return {"mean": plain_json(float(widths.mean())), "outline": outline(widths)}


def outline(values: Floats) -> str:
    """Return the sorted values of a cluster's points (-1 to 1) as corners of a polygon in a box of 100 by 40."""
    ordered = np.sort(values)[::-1]
    if ordered.size > _OUTLINE:
        ordered = ordered[np.linspace(0, ordered.size - 1, _OUTLINE).round().astype(np.int64)]
    steps = np.linspace(0, 100, ordered.size + 1)
    corners = [f"{x:.1f},{-20 * w:.1f}" for i, w in enumerate(ordered) for x in steps[i : i + 2]]
    return " ".join(["0,0", *corners, "100,0"])


def _group_means(coded: Coded, values: Floats) -> Floats:
    """Return the mean of the values present in each cluster; nan if there are none."""
    present = np.isfinite(values)
    counts = np.bincount(coded.codes[present], minlength=len(coded.names))
    sums = np.bincount(coded.codes[present], weights=values[present], minlength=len(coded.names))
    means = np.full(len(coded.names), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def criteria(
    order: Sequence[str], internal: Mapping[str, Evaluation], scattered: Mapping[str, int]
) -> dict[str, Any]:
    """List the internal criteria of each model, with their direction and range.

    Clusters of one instance each suit many criteria: `scattered` models, whose noise forms such ones, are not marked.
    """
    models = [m for m in order if m in internal]
    names = list(dict.fromkeys(name for m in models for name in internal[m].values))
    rows = []
    for name in names:
        record = find_index(name, "internal")
        values = {m: internal[m].values.get(name, float("nan")) for m in models}
        finite = [v for m, v in values.items() if np.isfinite(v) and m not in scattered]
        best = None
        if record.better and finite:
            best = max(finite) if record.better == "higher" else min(finite)
        rows.append(
            {
                **facts(record),
                "cells": [
                    {
                        "value": plain_json(values[m]),
                        "best": values[m] == best and m not in scattered,
                        "reason": internal[m].reasons.get(name),
                    }
                    for m in models
                ],
            }
        )
    return {"models": models, "rows": rows, "unmarked": listed([m for m in models if m in scattered])}
