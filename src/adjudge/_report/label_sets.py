"""Several labels per instance on the page: the outcomes of two models by label, and instances on which they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.given.label_sets import LabelSets
from adjudge.results import HeadToHead
from adjudge.statistics.agreement import CELLS

#: Most labels that are listed (the most frequent), and most instances for each model.
MOST_LISTED, MOST_INSTANCES = 200, 12


@dataclass(frozen=True, eq=False)
class ShownSets:
    """The labels of each instance, as they were given.

    Attributes
    ----------
    truth : LabelSets
    models : mapping of str to LabelSets
    """

    truth: LabelSets
    models: Mapping[str, LabelSets]


def by_label(pair: HeadToHead, shown: ShownSets) -> list[dict[str, Any]]:
    """Count the four outcomes of two models for each label, over all instances."""
    width = len(shown.truth.labels)
    counts = {cell: np.bincount(pair.instances(cell)[:, 1], minlength=width) for cell in CELLS}
    sizes = np.bincount(shown.truth.columns, minlength=width)
    largest = np.argsort(-sizes, kind="stable")[:MOST_LISTED]
    return [
        {
            "name": str(shown.truth.labels[i]),
            "size": int(sizes[i]),
            "counts": {cell: int(found[i]) for cell, found in counts.items()},
        }
        for i in np.sort(largest).tolist()
    ]


def set_disagreements(pair: HeadToHead, shown: ShownSets) -> list[dict[str, Any]]:
    """List the instances with the most labels on which only one of two models is right."""
    vectors = {"truth": shown.truth, "primary": shown.models[pair.primary]}
    vectors["alternative"] = shown.models[pair.alternative]
    groups = []
    for cell, model in (("right_wrong", pair.primary), ("wrong_right", pair.alternative)):
        rows, counts = np.unique(pair.instances(cell)[:, 0], return_counts=True)
        order = np.argsort(-counts, kind="stable")[:MOST_INSTANCES]
        listed = [
            {
                "position": int(rows[i]),
                "labels": int(counts[i]),
                **{name: _labels_of(vector, int(rows[i])) for name, vector in vectors.items()},
            }
            for i in order.tolist()
        ]
        groups.append({"cell": cell, "model": model, "rows": listed, "total": int(rows.size)})
    return groups


def _labels_of(sets: LabelSets, row: int) -> str:
    first, end = np.searchsorted(sets.keys, [row * len(sets.labels), (row + 1) * len(sets.labels)])
    columns = (sets.keys[first:end] % len(sets.labels)).tolist()
    return ", ".join(str(sets.labels[column]) for column in columns) or "none"
