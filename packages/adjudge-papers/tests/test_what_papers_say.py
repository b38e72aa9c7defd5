"""What printed tables and proofs imply, as docs/papers.md has it: computed from the printed values alone."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import adjudge

PRINTED = json.loads(files("adjudge_papers").joinpath("data", "biswas_deep.json").read_text(encoding="utf-8"))
PAGE = (Path(__file__).parents[3] / "docs" / "papers.md").read_text(encoding="utf-8")
EMNIST = next(name for name in PRINTED["table3"] if name.lower() == "emnist")


def emnist() -> dict[str, tuple[dict[str, float], float, float]]:
    """Printed measures against each alternative, and the accuracies of the primary and the alternative."""
    accuracy = {network: float(scores["Acc"]) for network, scores in PRINTED["table4"][EMNIST].items()}
    primary = next(network for network in accuracy if network.startswith("ResNet"))
    return {
        network: (
            {name: float(x) for name, x in cells.items()},
            accuracy[primary],
            accuracy[alike(network, accuracy)],
        )
        for network, cells in PRINTED["table3"][EMNIST].items()
    }


def alike(network: str, names: dict[str, float]) -> str:
    return next(name for name in names if name[:6] == network[:6])


def test_the_matrix_of_emnist_counts_every_instance() -> None:
    shares = [3 * own / (1 + cells["alpha"] + cells["phi_e"]) for cells, own, _ in emnist().values()]
    assert [f"{share:.4f}" for share in shares] == ["1.0000", "1.0000", "1.0001"]
    assert "1.0000, 1.0000 and 1.0001" in PAGE


def test_with_it_the_other_cells_of_emnist_follow() -> None:
    implied = []
    for cells, own, other in emnist().values():
        wrong_right = own - cells["phi_e"]
        right_wrong = own - (other - wrong_right)
        implied.append((right_wrong - wrong_right) / (right_wrong + wrong_right))
        both_wrong = own - cells["alpha"]
        assert both_wrong > 0.09
    printed = [cells["sigma_c"] for cells, _, _ in emnist().values()]
    assert implied == pytest.approx(printed, abs=1.5e-3)
    for value in implied:
        assert f"−{abs(value):.3f}" in PAGE


def test_unequal_factors_change_the_measures() -> None:
    """The proof of scale invariance takes ln(a - b) for ln a - ln b."""
    sigma = adjudge.comparative_deviation
    as_printed = sigma.of(adjudge.statistics.Agreement(0, 4, 2, 0))
    assert sigma.of(adjudge.statistics.Agreement(0, 12, 6, 0)) == as_printed
    doubled = sigma.of(adjudge.statistics.Agreement(0, 8, 2, 0))
    tripled = sigma.of(adjudge.statistics.Agreement(0, 12, 2, 0))
    # f(c x, y) = C(c) f(x, y) would give one factor whatever the matrix is.
    other = (
        sigma.of(adjudge.statistics.Agreement(0, 2, 4, 0)),
        sigma.of(adjudge.statistics.Agreement(0, 4, 4, 0)),
    )
    assert doubled / as_printed != pytest.approx(other[1] / other[0])
    assert math.isfinite(tripled)


@pytest.mark.parametrize(
    ("index", "function", "coefficients"),
    [
        ("J", lambda c: c / (2 - c), ("0.0188", "0.2985", "0.6548")),
        ("SS2", lambda c: c / (4 - 3 * c), ("0.0534", "−0.2797", "1.1077")),
        ("GL", lambda r: 2 * r / (1 + r), ("0.0279", "1.6081", "−0.6548")),
    ],
)
def test_the_approximations_are_least_squares_quadratics(index, function, coefficients) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x = (nodes + 1) / 2
    powers, root = np.vander(x, 3, increasing=True), np.sqrt(weights)
    fit, *_ = np.linalg.lstsq(powers * root[:, None], function(x) * root, rcond=None)
    assert tuple(f"{c:.4f}".replace("-", "−") for c in fit) == coefficients
    assert all(c in PAGE for c in coefficients), index
