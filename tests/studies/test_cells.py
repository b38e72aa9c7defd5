"""What all studies share counts right: a mistake here would change every figure, and nobody would see it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
WHERE = "a part", "a law", 30, "rand"
REFUSED = SimpleNamespace(low=None, high=None, value=0.5)
UNDEFINED = SimpleNamespace(low=math.nan, high=math.nan, value=0.5)


@pytest.fixture
def studies(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import modules of the studies by name, and forget them."""
    monkeypatch.syspath_prepend(str(STUDIES))
    before = set(sys.modules)
    yield import_module
    for name in set(sys.modules) - before:
        if str(STUDIES) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


def interval(low: float, high: float, value: float = 0.5, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(low=low, high=high, value=value, **more)


def measured(cells: Any, found: list[Any]) -> Any:
    """One cell of samples that give these, one after the other."""
    samples = iter(found)
    setting = cells.Setting(*WHERE[:3], lambda rng: {} if (own := next(samples)) is None else {"rand": own})
    (cell,) = cells.measure(setting, len(found))
    return cell


def test_intervals_are_counted_that_hold_the_true_value(studies: Any) -> None:
    found = [interval(0.4, 0.6), interval(0.4, 0.5), interval(0.51, 0.6), REFUSED, UNDEFINED, None]
    cell = measured(studies("cells"), [own and (own, 0.5) for own in found])
    assert (cell.drawn, cell.given, cell.held) == (6, 3, 2)
    assert cell.coverage == pytest.approx(2 / 3)
    assert cell.refused == 0.5


def test_rounding_does_not_decide_at_an_end(studies: Any) -> None:
    ends = [interval(0.4, 0.5 - 1e-12, 0.45), interval(0.5 + 1e-12, 0.6, 0.55), interval(0.4, 0.4999, 0.45)]
    assert measured(studies("cells"), [(own, 0.5) for own in ends]).held == 2


@pytest.mark.parametrize(("two_sided", "judged"), [(2, True), (1, False)])
def test_half_of_the_samples_need_an_interval_with_two_sides(
    studies: Any, two_sided: int, judged: bool
) -> None:
    one_sided = interval(0.9, 1.0, 1.0)
    around_another = interval(0.9, 1.0, 1.0, estimate=0.95)  # which makes it two-sided
    found = [around_another] * two_sided + [one_sided] * (3 - two_sided) + [REFUSED]
    cell = measured(studies("cells"), [(own, 0.95) for own in found])
    assert (cell.given, cell.one_sided, cell.held) == (3, 3 - two_sided, 3)
    assert cell.judged is judged


def test_a_sample_without_a_p_value_is_not_rejected(studies: Any) -> None:
    cell = measured(studies("cells"), [0.01, 0.05, 0.06, math.nan])
    assert (cell.drawn, cell.given, cell.rejected, cell.rate) == (4, 3, 2, 0.5)
    assert not cell.judged


def test_a_file_keeps_every_cell(studies: Any, tmp_path: Path) -> None:
    cells = studies("cells")
    found = [
        cells.Cell(*WHERE, 300, 290, 3, 275, 1.04),
        cells.Cell(*WHERE, 300, 290, 3, 275, math.inf),
        cells.Cell(*WHERE, 300, 290, rejected=15),
    ]
    cells.write(found, tmp_path / "cells.csv")
    assert cells.read(tmp_path / "cells.csv") == found


def test_coverages_at_the_ends_of_the_band(studies: Any) -> None:
    cells = studies("cells")
    held = {276: True, 275: False, 294: True, 295: False}  # of 300: 0.92 and 0.98
    assert {k: cells.Cell(*WHERE, 300, 300, 0, k, 1.0).within for k in held} == held
    assert [cells.Cell(*WHERE, 300, 300, 0, k, 1.0).may_be_within for k in (267, 266)] == [True, False]


@pytest.mark.full
def test_the_page_shows_what_the_files_say(studies: Any) -> None:
    page = studies("page")
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text) == text
