"""Clusterings on the page: how well each true cluster is found by the predicted one matched with it."""

from __future__ import annotations

from typing import Any

from adjudge._report.classifiers import TITLES, cell_of
from adjudge._report.material import Material
from adjudge.given.kept_rows import Rows
from adjudge.kinds.by_class import scores_by_cluster
from adjudge.kinds.sample import Sample
from adjudge.presentation.plain import plain_json
from adjudge.statistics.contingency import Contingency

__all__ = ["matched_clusters"]

_SHOWN = ("precision", "recall", "f1", "jaccard")
#: Most true clusters that are listed (the largest), and most unmatched predicted ones that are named.
MOST_LISTED, MOST_LEFT = 200, 12


def matched_clusters(model: str, material: Material, confidence: float | None) -> dict[str, Any] | None:
    """Return the true clusters, each with its partner and its scores; None without a truth."""
    if material.labels_true is None:
        return None
    table = Contingency.make(material.labels_true, material.labels[model])
    sample = Sample(Rows(len(material.labels_true)), units=material.units)
    cells = sample.cells((material.labels_true, material.labels[model]))
    by_cluster = scores_by_cluster(table, confidence, cells, "pivoted_accuracy")
    rows = list(by_cluster.values())
    largest = sorted(range(len(rows)), key=lambda i: -rows[i].support)[:MOST_LISTED]
    left = by_cluster.left_over or ()
    return {
        "model": model,
        "measures": [TITLES[name] for name in _SHOWN],
        "n_clusters": len(rows),
        "left_over": [str(label) for label in left[:MOST_LEFT]],
        "n_left_over": len(left),
        "rows": [
            {
                "name": str(rows[i].label),
                "partner": None if rows[i].partner is None else str(rows[i].partner),
                "support": plain_json(rows[i].support),
                "predicted": plain_json(rows[i].predicted),
                "cells": [cell_of(rows[i].score(name)) for name in _SHOWN],
            }
            for i in sorted(largest)
        ],
    }
