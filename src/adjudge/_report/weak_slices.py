"""Where the best model is worse than elsewhere: slices of the instances by the columns beside them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from adjudge._report.material import Material
from adjudge.choosing.weak_slices import fewest_of, find_weak_slices
from adjudge.given.options import random_generator
from adjudge.presentation.plain import plain_json
from adjudge.results import Comparison
from adjudge.results.weak_slices import WeakSlices
from adjudge.usual_seed import USUAL_SEED

# Columns by which slices are looked for: more of them take long, and find more by chance.
_MOST_COLUMNS = 64


def weak_slices(
    comparison: Comparison, material: Material, order: Sequence[str]
) -> list[dict[str, Any]] | None:
    """Look for slices in which the best classifier is wrong more often, alone and beside the second.

    None if there are no columns to look at, or too few instances.
    """
    if comparison.kind != "classification" or material.columns is None:
        return None
    rows = comparison.known_instances()
    n_units = rows.n if rows.units is None else rows.units.n_units
    if rows.weights is not None or n_units // 2 < 2 * fewest_of(n_units):
        return None
    columns = dict(islice(material.columns.columns.items(), _MOST_COLUMNS))
    asked = [(order[0], [order[0]])]
    if len(order) > 1:
        best, second = order[:2]
        asked.append((f"{best} beside {second}", [second, best]))
    confidence = comparison.settings.get("confidence") or 0.95
    return [
        _shown(
            called,
            find_weak_slices(rows, models, columns, random_generator(USUAL_SEED), confidence=confidence),
        )
        for called, models in asked
    ]


def _shown(called: str, found: WeakSlices) -> dict[str, Any]:
    head, how = found.said()[0].split("\n")
    return {
        "called": called,
        "head": head,
        "how": how.strip("()"),
        "loss": found.loss,
        "rows": [
            {
                **plain_json(vars(own)),
                "difference": own.difference,
                "interval": plain_json([own.low, own.high]),
            }
            for own in found.slices
        ],
    }
