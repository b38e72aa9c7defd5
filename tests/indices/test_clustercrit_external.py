"""External indices against clusterCrit: the vignette's formulas, and the R program rebuilt without overflow."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

import adjudge
from adjudge import find_index
from adjudge.statistics import Contingency
from conftest import as_number, case_name, read_reference, reference_cases

CASES = {case_name(path): path for path in reference_cases("clustercrit_external")}


@cache
def loaded(case: str) -> tuple[dict[str, Any], Contingency]:
    data = read_reference(CASES[case])
    return data, Contingency.from_labels(data["part1"], data["part2"])


def our_name(name: str) -> str:
    """clusterCrit's names find our records, but for its phi, which is no correlation."""
    return "phi_crit" if name == "phi" else name


@pytest.mark.parametrize("case", CASES)
def test_concordance_is_exact(case: str) -> None:
    data, table = loaded(case)
    assert adjudge.indices.concordance(table) == data["concordance_exact"]
    assert adjudge.indices.concordance(data["part1"], data["part2"]) == data["concordance_exact"]
    assert all(type(count) is int for row in adjudge.indices.concordance(table) for count in row)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("block", ["vignette", "values_fixed"])
def test_values(block: str, case: str) -> None:
    data, table = loaded(case)
    assert len(data["vignette"]) == 14
    for name, value in data[block].items():
        record = find_index(our_name(name), "external")
        ours, reason = record.assess(*record.read(table))
        expected = as_number(value)
        if math.isnan(expected):
            assert math.isnan(ours), name
            assert reason is not None
            assert reason.startswith("0/0: ")
        else:
            assert math.isclose(ours, expected, rel_tol=1e-12), f"{name}: {ours!r}, expected {expected!r}"


def test_precision_and_recall_take_the_first_partition_as_the_reference() -> None:
    data, _ = loaded("hand_n4")
    # The truth joins 3 pairs, the prediction 1, and both join that one.
    assert adjudge.pair_precision(data["part1"], data["part2"]) == 1
    assert adjudge.pair_recall(data["part1"], data["part2"]) == pytest.approx(1 / 3, rel=1e-15)


def test_phi_is_the_correlation_not_clustercrits() -> None:
    data, table = loaded("identical_iris")
    assert find_index("Phi") is find_index("pair_phi")
    assert adjudge.pair_phi(table) == 1
    assert adjudge.phi_crit(table) == pytest.approx(1 / (table.pairs.yy * table.pairs.nn), rel=1e-15)
    assert adjudge.phi_crit(table) == pytest.approx(data["vignette"]["phi"], rel=1e-12)
