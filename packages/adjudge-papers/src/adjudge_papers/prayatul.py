"""Shared by the three Prayatul experiments: the papers' symbols and the identities they satisfy."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from adjudge.results import HeadToHead
from adjudge_papers.verdicts import DIFFERS, EXACT, Cell, judge

__all__ = ["SYMBOLS", "class_scores", "measure_cells", "rightness_from_alpha_phi", "xi_gap"]

SYMBOLS = {
    "sigma_c": "comparative_deviation",
    "alpha": "polarization",
    "xi_c": "comparative_rightness",
    "xi_e": "effective_rightness",
    "phi_e": "effective_superiority",
}


def measure_cells(
    table: str, row: str, printed: Mapping[str, str], pair: HeadToHead, decimals: int, note: str = ""
) -> list[Cell]:
    """Put the five measures of a pair beside the printed ones."""
    cells = []
    for symbol, name in SYMBOLS.items():
        ours = pair.measures[name]
        if (
            symbol == "sigma_c"
            and pair.right_wrong + pair.wrong_right == 0
            and Fraction(printed[symbol]) == 0
        ):
            why = (
                "0/0: the two never disagree; the paper's program adds 0.0001 to the denominator and prints 0"
            )
            cells.append(Cell(table, row, symbol, printed[symbol], 0.0, EXACT, why))
            continue
        verdict = judge(printed[symbol], ours, decimals)
        cells.append(
            Cell(table, row, symbol, printed[symbol], ours, verdict, note if verdict == DIFFERS else "")
        )
    return cells


def rightness_from_alpha_phi(alpha: float, phi: float) -> float:
    """Return the share A that the primary has right, from alpha + phi = 3 A - 1."""
    return (alpha + phi + 1) / 3


def xi_gap(printed: Mapping[str, str]) -> float:
    """Return by how much a printed row violates xi_e = 2 xi_c - 1."""
    return float(Fraction(printed["xi_e"]) - 2 * Fraction(printed["xi_c"]) + 1)


def class_scores(truth: NDArray[np.int64], found: NDArray[np.int64]) -> dict[str, float]:
    """Return accuracy, precision and recall with cluster numbers treated as classes, as in the papers.

    With two classes, precision and recall are those of class 1. Otherwise they are means over the labels on either
    side for which they are defined.
    """
    labels = np.union1d(truth, found)
    matrix = np.array([[np.sum((truth == t) & (found == f)) for f in labels] for t in labels], float)
    right = np.diag(matrix)
    with np.errstate(invalid="ignore"):
        precision, recall = right / matrix.sum(0), right / matrix.sum(1)
    if len(labels) == 2:
        return {"Acc": float(right.sum() / len(truth)), "Pre": float(precision[1]), "Rec": float(recall[1])}
    return {
        "Acc": float(right.sum() / len(truth)),
        "Pre": float(np.nanmean(precision)),
        "Rec": float(np.nanmean(recall)),
    }
