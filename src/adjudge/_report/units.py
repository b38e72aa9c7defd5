"""The section on rows that belong together: the units, and those that tell the best two models apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._report.breakdown import per_instance
from adjudge._report.material import Material
from adjudge.given.labels import code_labels
from adjudge.presentation.plain import plain_json
from adjudge.results import Comparison
from adjudge.statistics.agreement import CELLS

# Most units that are listed.
_LISTED = 10


def belonging(comparison: Comparison, units: Any, material: Material | None) -> dict[str, Any] | None:
    """Return the numbers of rows and units, and the units in which the best two models differ most.

    None if no units were given.
    """
    if comparison.units is None:
        return None
    known = {
        "n": comparison.units.n,
        "n_units": comparison.units.n_units,
        "effective": plain_json(comparison.units.effective),
    }
    rival = comparison.verdict.rival
    if rival is None or comparison.kind != "classification" or material is None or units is None:
        return {**known, "rows": []}
    codes, names = code_labels(units, "units").take(material.positions).dense()
    weights = per_instance(comparison[comparison.verdict.leader, rival], material)
    counts = {cell: np.bincount(codes, weights[cell], len(names)).astype(np.int64) for cell in CELLS}
    apart = np.abs(counts["right_wrong"] - counts["wrong_right"])
    order = [c for c in np.argsort(-apart, kind="stable")[:_LISTED].tolist() if apart[c]]
    sizes = np.bincount(codes, minlength=len(names))
    rows = [
        {"name": str(names[c]), "n": int(sizes[c]), "counts": {cell: int(counts[cell][c]) for cell in CELLS}}
        for c in order
    ]
    return {
        **known,
        "largest": int(sizes.max()),
        "rows": rows,
        "first": comparison.verdict.leader,
        "second": rival,
    }
