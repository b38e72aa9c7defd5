"""The instances on which only one of the best two models is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._report.material import Coded, Material
from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError
from adjudge.presentation.plain import plain_json
from adjudge.results import Comparison
from adjudge.results.head_to_head import HeadToHead

# Instances listed on the page itself, for each of the two models.
_LISTED = 24
# Columns of the data shown beside an instance.
_FEATURES = 4


def disagreements(comparison: Comparison, material: Material, p: str, q: str) -> dict[str, Any]:
    """List the instances on which only one of the best two models is right."""
    if material.truth is None:
        raise InputError("disagreements need the truth")
    place = np.full(material.n_given, -1, np.int64)
    place[material.positions] = np.arange(material.positions.size)
    models = material.models[p], material.models[q]
    found = listed_instances(comparison[p, q], place, material.truth, models, material)
    return found | {"pairs_per_instance": comparison.n - 1}


def listed_instances(
    pair: HeadToHead,
    place: Ints,
    truth: Coded,
    models: tuple[Coded, Coded],
    material: Material | None,
) -> dict[str, Any]:
    """List the instances on which only one of two models is right.

    Parameters
    ----------
    pair : HeadToHead
    place : ndarray of shape (n,)
        For each instance of the input its entry in `truth` and `models`.
    truth : Coded
    models : tuple of Coded
        The labels by the primary and by the alternative.
    material : Material or None
        Pictures, texts and columns to show beside the labels.
    """
    names, values = ([], None) if material is None else _shown_columns(material)
    pictures = None if material is None else material.pictures
    text = None if material is None else material.text

    def row(i: int, counts: Ints | None) -> dict[str, Any]:
        k = int(place[i])
        facts: dict[str, Any] = {
            "position": i,
            "truth": truth.names[truth.codes[k]],
            "primary": models[0].names[models[0].codes[k]],
            "alternative": models[1].names[models[1].codes[k]],
        }
        if counts is not None:
            facts["pairs"] = int(counts[i])
        if pictures is not None:
            facts["image"] = pictures.uri(i)
        if text is not None:
            facts["text"] = text[i]
        if values is not None and names:
            facts["features"] = [plain_json(float(v)) for v in values[i]]
        return facts

    groups = []
    for cell, winner in (("right_wrong", pair.primary), ("wrong_right", pair.alternative)):
        positions, counts = _of_cell(pair.kind, pair.instances(cell))
        rows = [row(i, counts) for i in positions[:_LISTED].tolist()]
        title = f"Only {winner} is right" + (" on many of their pairs" if counts is not None else "")
        groups.append({"cell": cell, "title": title, "rows": rows, "total": int(positions.size)})
    return {
        "primary": pair.primary,
        "alternative": pair.alternative,
        "groups": groups,
        "features": names,
        "has_images": pictures is not None,
        "has_text": text is not None,
        "pairs_per_instance": truth.codes.size - 1,
    }


def _shown_columns(material: Material) -> tuple[list[str], Floats]:
    """Return names and values of the columns shown beside an instance: none beside a picture."""
    if material.columns is None or material.pictures is not None:
        return [], np.empty((material.n_given, 0))
    names, values = material.columns.numeric(complete=False)
    return names[:_FEATURES], values[:, :_FEATURES]


def _of_cell(kind: str, found: Ints) -> tuple[Ints, Ints | None]:
    """Return the positions of a cell's instances, and for clusterings their pair counts, the largest first."""
    if kind == "classification":
        return found, None
    order = np.argsort(-found, kind="stable")
    return order[: int(np.count_nonzero(found))], found
