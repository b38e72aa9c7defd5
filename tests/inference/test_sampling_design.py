"""How rows were drawn, beside the same units written out and counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.inference.influence import Influence
from adjudge.inference.sampling_design import Drawn, variance_of


def test_units_that_are_alike_are_as_good_as_each_by_itself() -> None:
    """One unit that stands for several has their number in every sum."""
    unit, entry = np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 0, 2])
    counts, alike = np.array([3, 1, 2, 1, 4, 1]), np.array([5, 1, 3])
    together = Drawn(unit, 3, entry, counts, alike=alike)
    apart = together.apart
    by_hand = [
        (line_entry, n)
        for number, times in enumerate(alike)
        for _ in range(times)
        for line_unit, line_entry, n in zip(unit, entry, counts, strict=True)
        if line_unit == number
    ]
    assert [*zip(apart.entry.tolist(), apart.counts.tolist(), strict=True)] == by_hand
    assert apart.unit.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8]
    psi = np.array([0.4, -1.3, 0.7])
    influence = Influence(0.0, psi, np.bincount(apart.entry, apart.counts))
    for name in ("n_drawn", "n", "total", "effective", "share_of_one"):
        assert getattr(together, name) == pytest.approx(getattr(apart, name)), name
    # By hand: the entries that each unit has, times how many units there are of it.
    assert together.share_of_one == pytest.approx(together.total / (5 * 2 + 1 + 3 * 2))
    assert together.share_below(2) == pytest.approx((together.total - 3) / (5 * 2 + 1 + 3))
    assert variance_of(influence, together) == pytest.approx(variance_of(influence, apart))
    assert together.effective_for(psi) == pytest.approx(apart.effective_for(psi))


def test_units_that_do_not_move_a_value_have_no_freedom() -> None:
    drawn = Drawn(np.arange(6), 6, np.array([0, 0, 1, 1, 1, 2]), np.array([2, 4, 1, 1, 1, 5]))
    # The units of the middle entry do not move it: sizes 2, 4 and 5 are left.
    assert drawn.effective_for(np.array([1.0, 0.0, -1.0])) == pytest.approx(11**2 / (4 + 16 + 25))
    assert drawn.effective_for(np.zeros(3)) == drawn.effective == pytest.approx(14**2 / (4 + 16 + 3 + 25))
