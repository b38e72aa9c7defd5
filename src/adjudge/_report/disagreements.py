"""The instances on which only one of the best two models is right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge._report.instances import Instances
from adjudge._report.section import Material
from adjudge.errors import InputError
from adjudge.presentation.plain import plain_json
from adjudge.results import Comparison

__all__ = [
    "disagreements",
]

# Instances listed on the page itself, for each of the two models.
_LISTED = 24
# Columns of the data shown beside an instance.
_FEATURES = 4


def disagreements(comparison: Comparison, material: Material, p: str, q: str) -> dict[str, Any]:
    """List the instances on which only one of the best two models is right."""
    pair = comparison[p, q]
    instances, pictures = material.instances, material.pictures
    truth = instances.truth
    if truth is None:
        raise InputError("disagreements need the truth")
    names, values = _shown_columns(material)
    place = np.full(instances.n_given, -1, np.int64)
    place[instances.positions] = np.arange(instances.positions.size)

    def row(i: int, counts: NDArray[np.int64] | None) -> dict[str, Any]:
        k = int(place[i])
        facts: dict[str, Any] = {
            "position": i,
            "truth": truth.names[truth.codes[k]],
            "primary": _name_at(instances, p, k),
            "alternative": _name_at(instances, q, k),
        }
        if counts is not None:
            facts["pairs"] = int(counts[i])
        if pictures is not None:
            facts["image"] = pictures.uri(i)
        if material.text is not None:
            facts["text"] = material.text[i]
        if names:
            facts["features"] = [plain_json(float(v)) for v in values[i]]
        return facts

    groups = []
    for cell, winner in (("right_wrong", p), ("wrong_right", q)):
        positions, counts = _of_cell(comparison.kind, pair.instances(cell))
        rows = [row(i, counts) for i in positions[:_LISTED].tolist()]
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


def _shown_columns(material: Material) -> tuple[list[str], NDArray[np.float64]]:
    """Return names and values of the columns shown beside an instance: none beside a picture."""
    if material.columns is None or material.pictures is not None:
        return [], np.empty((material.instances.n_given, 0))
    names, values = material.columns.numeric(complete=False)
    return names[:_FEATURES], values[:, :_FEATURES]


def _name_at(instances: Instances, model: str, k: int) -> str:
    coded = instances.models[model]
    return coded.names[int(coded.codes[k])]


def _of_cell(kind: str, found: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return the positions of a cell's instances, and for clusterings their pair counts, the largest first."""
    if kind == "classification":
        return found, None
    order = np.argsort(-found, kind="stable")
    return order[: int(np.count_nonzero(found))], found
