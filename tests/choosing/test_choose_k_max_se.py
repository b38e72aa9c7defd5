"""The five rules that read the number of clusters off gap statistics, against R's cluster::maxSE."""

from __future__ import annotations

import pytest

from adjudge.indices.rules import GAP_RULES, vote_of_gap
from conftest import REFERENCE, read_reference

CASES = read_reference(REFERENCE / "cluster" / "max_se.json")["cases"]


@pytest.mark.parametrize("rule", GAP_RULES)
def test_rules_choose_as_cluster_does(rule: str) -> None:
    for case in CASES:
        gaps = dict(enumerate(case["gap"], start=1))
        errors = dict(enumerate(case["se"], start=1))
        assert vote_of_gap(gaps, errors, rule) == case["k"][rule], case


def test_cases_tell_the_rules_apart() -> None:
    chosen = {rule: [case["k"][rule] for case in CASES] for rule in GAP_RULES}
    assert len({tuple(k) for k in chosen.values()}) == len(GAP_RULES)
