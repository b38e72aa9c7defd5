"""Plans of gates: their formulas written out, and what is refused."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import nct, t

from adjudge import InputError, gate, plan_gate
from adjudge.errors import InputTypeError
from conftest import raises_line


def power(
    n: int, margin: float, d: float, m: float = 1, icc: float = 0, gain: float = 0, c: float = 0.95
) -> float:
    error = math.sqrt((d - gain**2) * (1 + (m - 1) * icc) / (m * n))
    return float(nct.sf(t.ppf(c, n - 1), n - 1, (margin + gain) / error))


@pytest.mark.parametrize(
    "given",
    [
        {"margin": 0.02, "d": 0.06},
        {"margin": 0.02, "d": 0.06, "m": 5, "icc": 0.3},
        {"margin": 0.01, "d": 0.1, "gain": 0.01},
        {"margin": 0.03, "d": 0.2, "gain": -0.01, "c": 0.9},
        {"margin": 0.05, "d": 0.3, "m": 2.5, "icc": 1},
    ],
)
def test_the_power_and_the_number_of_units_are_those_of_the_noncentral_t(given: dict[str, float]) -> None:
    named = {
        "margin": "margin",
        "d": "disagreement",
        "m": "rows_per_unit",
        "icc": "icc",
        "gain": "gain",
        "c": "confidence",
    }
    options: dict[str, Any] = {named[name]: value for name, value in given.items()}
    plan = plan_gate(n_units=250, **options)
    assert plan.power == pytest.approx(power(250, **given))
    assert plan.units_needed is not None
    assert power(plan.units_needed, **given) == pytest.approx(0.8, abs=0.005)
    assert plan.rows_needed == math.ceil(plan.units_needed * given.get("m", 1))
    more = plan_gate(power=0.95, **options)
    assert power(more.units_needed or 0, **given) == pytest.approx(0.95, abs=0.005)
    assert (plan.margin, plan.disagreement) == (given["margin"], given["d"])


def test_independent_errors_are_supposed_if_only_an_accuracy_is_known() -> None:
    assert plan_gate(accuracy=0.9).disagreement == pytest.approx(0.18)
    assert plan_gate(accuracy=0.9, disagreement=0.05).disagreement == 0.05
    assert plan_gate(accuracy=0.9).units_needed > plan_gate(accuracy=0.9, disagreement=0.05).units_needed


def test_rows_that_are_alike_in_a_unit_say_nothing_new() -> None:
    alone = plan_gate(disagreement=0.1).units_needed
    assert plan_gate(disagreement=0.1, rows_per_unit=10, icc=1).units_needed == alone
    apart = plan_gate(disagreement=0.1, rows_per_unit=10)
    assert apart.units_needed == pytest.approx(alone / 10, rel=0.02)


def test_a_model_that_is_worse_by_the_margin_is_never_shown_to_be_good() -> None:
    plan = plan_gate(margin=0.02, disagreement=0.1, gain=-0.02, n_units=500)
    assert plan.units_needed is None
    assert plan.rows_needed is None
    assert plan.power == pytest.approx(0.05)
    assert plan.sentence.startswith("No number of units shows that it is not worse by 2 %: ")
    assert plan_gate(margin=0.02, disagreement=0.1, gain=-0.05, n_units=500).power < 0.05


def test_how_many_rows_show_that_a_model_is_better() -> None:
    """By the usual formula for a one-sided test of a difference of two shares of the same rows."""
    plan = plan_gate(margin=0, disagreement=0.1, gain=0.02)
    z = NormalDist().inv_cdf(0.95) + NormalDist().inv_cdf(0.8)
    assert plan.units_needed == pytest.approx(z**2 * (0.1 - 0.02**2) / 0.02**2, abs=3)
    assert plan.sentence.endswith("rows would show that it is better with a probability of 80 %.")
    with raises_line(
        InputError, "margin=0 asks that the new model be better: say by how much it is, as gain="
    ):
        plan_gate(margin=0, disagreement=0.1)


def test_ten_units_are_the_fewest() -> None:
    plan = plan_gate(margin=0.5, disagreement=0.01, n_units=9)
    assert plan.power == 0
    assert plan.units_needed == 10


def test_a_gate_with_as_many_rows_passes() -> None:
    plan = plan_gate(margin=0.03, disagreement=0.06, power=0.5)
    n = plan.units_needed or 0
    truth = np.resize([0, 1], n)
    old, new = truth.copy(), truth.copy()
    flips = round(0.03 * n)
    old[:flips], new[-flips:] = 1 - old[:flips], 1 - new[-flips:]
    found = gate(truth, old, new, kind="classification", indices=["accuracy"], margin=0.03)
    # At a power of a half, the middle case is at the limit.
    assert found.tested[0].change.low == pytest.approx(-0.03, abs=0.002)


def test_what_a_plan_says() -> None:
    plan = plan_gate(margin=0.02, disagreement=0.06, n_units=300, rows_per_unit=5, icc=0.3)
    assert plan.sentence == (
        "410 units (2,050 rows) would show that it is not worse by 2 % with a probability of 80 %; 300 units do so "
        "with a probability of 69 %."
    )
    one = plan_gate(disagreement=0.06)
    assert one.sentence == "3,712 rows would show that it is not worse by 1 % with a probability of 80 %."
    table = plan.table()
    assert table.columns == ("units", "power")
    assert [row[0] for row in table.rows] == [75, 150, 225, 300, 450, 600, 1200]
    assert table.rows[3][1] == plan.power
    powers = [row[1] for row in table.rows]
    assert powers == sorted(powers)
    assert plan.sentence in repr(plan)
    assert "410 units" in plan._repr_html_()
    stored = plan.to_dict()
    assert stored["kind"] == "gate plan"
    assert stored["units_needed"] == 410
    assert stored["settings"]["icc"] == 0.3
    assert not plan_gate(disagreement=0.1, gain=-0.05).table().rows


@pytest.mark.parametrize(
    "name",
    ["margin", "n_units", "rows_per_unit", "accuracy", "disagreement", "icc", "gain", "confidence", "power"],
)
@pytest.mark.parametrize("bad", ["x", math.nan, math.inf, -1, -math.inf, 10**400, [0.1], 1 + 1j])
def test_a_number_out_of_its_range_is_named(name: str, bad: Any) -> None:
    with pytest.raises(InputError, match=f"^{name}="):
        plan_gate(**{"disagreement": 0.1, name: bad})


def test_what_cannot_be_is_refused() -> None:
    with raises_line(
        InputError, "the difference varies with the disagreement: pass disagreement= or accuracy="
    ):
        plan_gate()
    with raises_line(
        InputError, "disagreement=0.3 cannot be: of models with an accuracy of 0.9 it is at most 0.2"
    ):
        plan_gate(accuracy=0.9, disagreement=0.3)
    with raises_line(InputError, "gain=0.2 cannot be more than the disagreement of 0.1"):
        plan_gate(disagreement=0.1, gain=0.2)
    with raises_line(InputError, "confidence=0.5 is not between 0.5 and 1"):
        plan_gate(disagreement=0.1, confidence=0.5)
    with raises_line(InputError, "rows_per_unit=0.5 is below 1: every unit has a row"):
        plan_gate(disagreement=0.1, rows_per_unit=0.5)


def test_a_plan_by_recall_is_told_how() -> None:
    message = (
        "plan_gate() has no option recall=: of a class plan by its instances: its recall is their accuracy="
    )
    with raises_line(InputTypeError, message):
        plan_gate(recall=0.8)  # type: ignore[call-arg]
