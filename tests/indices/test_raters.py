"""Agreement of several raters against its definitions in exact fractions, golden values, and other programs' errors."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge import evaluate, find_index
from adjudge.errors import InputError, UnknownIndexError
from adjudge.given.ratings import read_ratings
from adjudge.inference.classes.rater_intervals import rater_intervals, standard_error
from adjudge.statistics.ratings import RatingCounts
from conftest import raises_line

GOLDEN = sorted((Path(__file__).parents[1] / "reference/classifiers/raters").glob("*.json"))
NAMES = {
    "raters_agreement": ("identity", "observed_agreement"),
    "fleiss_kappa": ("identity", "fleiss_kappa"),
    "raters_ac1": ("identity", "gwet_ac"),
    "krippendorff_alpha": ("krippendorff_alpha", "nominal"),
    "krippendorff_alpha_ordinal": ("krippendorff_alpha", "ordinal"),
    "krippendorff_alpha_interval": ("krippendorff_alpha", "interval"),
}
TABLES = st.integers(2, 4).flatmap(
    lambda r: st.lists(
        st.lists(st.sampled_from([None, 1, 2, 3, 7]), min_size=r, max_size=r), min_size=1, max_size=7
    )
)


# --- twins: by definition, in fractions ----------------------------------------------------------------------------


def rated(table: list[list[Any]]) -> list[list[Any]]:
    units = [[rating for rating in unit if rating is not None] for unit in table]
    return [unit for unit in units if unit]


def naive_agreement(table: list[list[Any]]) -> Fraction | None:
    shares = [
        Fraction(sum(a == b for a, b in itertools.permutations(unit, 2)), len(unit) * (len(unit) - 1))
        for unit in rated(table)
        if len(unit) > 1
    ]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def naive_shares(table: list[list[Any]]) -> dict[Any, Fraction]:
    units = rated(table)
    categories = {rating for unit in units for rating in unit}
    return {c: sum(Fraction(unit.count(c), len(unit)) for unit in units) / len(units) for c in categories}


def naive_alpha(table: list[list[Any]], level: str) -> float:
    """From the coincidence matrix, entry by entry."""
    coincidences: Counter[tuple[Any, Any]] = Counter()
    for unit in rated(table):
        for a, b in itertools.permutations(unit, 2):
            coincidences[a, b] += Fraction(1, len(unit) - 1)  # type: ignore[assignment]
    categories = sorted({a for a, _ in coincidences})
    sizes = {a: sum(coincidences[a, b] for b in categories) for a in categories}
    n = sum(sizes.values())

    def distance(a: Any, b: Any) -> Fraction:
        if level == "nominal":
            return Fraction(a != b)
        if level == "interval":
            return Fraction((a - b) ** 2)
        low, high = sorted((a, b))
        between = sum(sizes[g] for g in categories if low <= g <= high)
        return Fraction(between - Fraction(sizes[a] + sizes[b], 2)) ** 2

    observed = sum(count * distance(a, b) for (a, b), count in coincidences.items())
    expected = sum(sizes[a] * sizes[b] * distance(a, b) for a in categories for b in categories)
    return float(1 - (n - 1) * Fraction(observed) / Fraction(expected)) if expected else math.nan


@given(TABLES)
def test_every_index_is_what_its_definition_says(table: list[list[Any]]) -> None:
    if not rated(table):
        with pytest.raises(InputError, match="holds no rating"):
            read_ratings(table)
        return
    agreement, shares = naive_agreement(table), naive_shares(table)
    wanted: dict[str, float] = dict.fromkeys(NAMES, math.nan)
    if agreement is not None:
        wanted["raters_agreement"] = float(agreement)
        by_chance = sum(share**2 for share in shares.values())
        if by_chance != 1:
            wanted["fleiss_kappa"] = float((agreement - by_chance) / (1 - by_chance))
        k = len(shares)
        if k > 1:
            guessed = sum(share * (1 - share) for share in shares.values()) / (k - 1)
            wanted["raters_ac1"] = float((agreement - guessed) / (1 - guessed))
        for level in ("nominal", "ordinal", "interval"):
            name = "krippendorff_alpha" + ("" if level == "nominal" else f"_{level}")
            wanted[name] = naive_alpha(table, level)
    for name, value in wanted.items():
        assert find_index(name)(table) == pytest.approx(value, rel=1e-11, abs=1e-12, nan_ok=True), name


@given(TABLES, st.integers(1, 6))
def test_ratings_of_parts_add_up(table: list[list[Any]], cut: int) -> None:
    if cut < len(table) and rated(table):

        def counted(part: list[list[Any]]) -> RatingCounts:
            codes = read_ratings([*part, [1, 2, 3, 7][: len(part[0])]], [1, 2, 3, 7])
            return RatingCounts.make(type(codes)(codes.codes[:-1], codes.categories))

        whole, parts = counted(table), counted(table[:cut]) + counted(table[cut:])
        for name in ("n", "unit", "category", "count"):
            assert np.array_equal(getattr(whole, name), getattr(parts, name))
        with pytest.raises(InputError, match="different categories"):
            whole + RatingCounts.make(read_ratings([[1, 2]]))


@pytest.mark.full
@settings(max_examples=40)
@given(TABLES)
def test_slopes_are_how_fast_an_index_grows(table: list[list[Any]]) -> None:
    """The error of the linearised index is that of numerical slopes: repeat all units often, and one once more."""
    if sum(len(unit) > 1 for unit in rated(table)) < 2:
        return
    copies = 30  # of few ratings the -1 in alpha's N - 1 shows
    counts = RatingCounts.make(read_ratings(table * copies))
    units = rated(table)
    width = max(map(len, units))
    filled = [unit + [None] * (width - len(unit)) for unit in units]
    often = 4000
    for name in NAMES:
        index = find_index(name)
        value = index(table)
        if math.isnan(value) or value > 0.999:
            continue
        base = index.assess(_repeated(filled, [often] * len(filled)))[0]
        slopes = []
        for i in range(len(filled)):
            times = [often + 40 * (i == j) for j in range(len(filled))]
            slopes.append((index.assess(_repeated(filled, times))[0] - base) / 40 * often)
        n = len(slopes) * copies
        spread = np.array(slopes) - np.mean(slopes)
        wanted = math.sqrt(n / (n - 1) * float(spread @ spread) / copies)
        assert standard_error(index, counts) == pytest.approx(wanted, rel=0.04, abs=0.002), name


def _repeated(table: list[list[Any]], times: list[int]) -> RatingCounts:
    found = None
    for unit, often in zip(table, times, strict=True):
        known = sorted({rating for row in table for rating in row if rating is not None})
        one = read_ratings([unit, unit], known)
        codes = np.repeat(one.codes[:1], often, axis=0)
        own = RatingCounts.make(type(one)(codes, one.categories))
        found = own if found is None else found + own
    assert found is not None
    return found


# --- golden values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", NAMES)
def test_values_are_the_golden_ones(path: Path, name: str) -> None:
    case = json.loads(path.read_text())
    block, key = NAMES[name]
    wanted = case["exact"].get(block, {}).get(key)
    if wanted is None:
        pytest.skip("the golden file has no value")
    found = find_index(name)(case["ratings"], categories=case["categories"])
    assert found == pytest.approx(float(str(wanted).lower()), rel=1e-11, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_errors_are_those_of_irrcac(path: Path) -> None:
    """Where every unit has as many ratings: elsewhere it takes the number of units with several for given."""
    case = json.loads(path.read_text())
    theirs = case.get("irrCAC 0.4.4", {})
    if any(None in unit for unit in case["ratings"]):
        pytest.skip("units have different numbers of ratings")
    counts = RatingCounts.make(read_ratings(case["ratings"], case["categories"]))
    for name, key in (("fleiss_kappa", "fleiss_identity"), ("raters_ac1", "gwet_identity")):
        if isinstance(theirs.get(key), dict) and not math.isnan(find_index(name).of(counts)):
            assert standard_error(find_index(name), counts) == pytest.approx(theirs[key]["se"], abs=1e-5)


# --- the verb ------------------------------------------------------------------------------------------------------

RATINGS = [["a", "a", "b"], ["b", "b", "b"], ["a", "a", None], ["b", "a", "b"], ["a", "a", "a"]]


def test_every_way_to_give_ratings() -> None:
    wanted = evaluate(RATINGS, kind="raters").values
    columns = list(zip(*RATINGS, strict=True))
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    named = {f"rater {i}": list(column) for i, column in enumerate(columns)}
    for given_ in (named, pandas.DataFrame(named), polars.DataFrame(named), np.array(RATINGS, object)):
        found = evaluate(given_, kind="raters").values
        assert str(found) == str(wanted)
    numbers = np.array([[0.0, 0, 1], [1, 1, 1], [0, 0, np.nan], [1, 0, 1], [0, 0, 0]])
    assert evaluate(numbers, kind="raters")["fleiss_kappa"] == wanted["fleiss_kappa"]


def test_reasons_and_intervals() -> None:
    judged = evaluate(RATINGS, kind="raters", confidence=0.9)
    assert judged.reasons == {
        "krippendorff_alpha_interval": "categories are not numbers: the interval between them is not known"
    }
    for name, (low, high) in judged.intervals.items():
        assert -1 <= low < judged[name] < high <= 1
    assert "Evaluation of 5 instances (ratings: 2 classes)" in repr(judged)
    wide = evaluate(RATINGS, kind="raters", confidence=0.99).intervals
    assert all(wide[name][0] <= judged.intervals[name][0] for name in wide)


def test_where_no_interval_holds() -> None:
    alike = evaluate([["a", "a"], ["b", "b"], ["a", "a"]], kind="raters", confidence=0.95)
    assert alike["fleiss_kappa"] == 1
    assert "do not tell how much they vary" in alike.interval_reasons["fleiss_kappa"]
    rare = evaluate([["a", "a"]] * 40 + [["a", "b"]] * 2, kind="raters", confidence=0.95)
    assert "fewer than 30 units have another one" in rare.interval_reasons["krippendorff_alpha"]
    assert "raters_ac1" in rare.intervals
    one = evaluate([["a", "b"], ["a", None]], kind="raters", confidence=0.95)
    assert one.interval_reasons["raters_agreement"] == "one unit does not tell how much units vary"


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3))
def test_intervals_cover(seed: int) -> None:
    """Three raters of 60 units: more of the intervals hold the value of all units than chance would leave out."""
    rng = np.random.default_rng(seed)
    records = [find_index(name) for name in NAMES]

    def draw(n: int) -> RatingCounts:
        truth = rng.integers(0, 3, n)
        said = np.where(rng.random((n, 3)) < 0.6, truth[:, None], rng.integers(0, 3, (n, 3)))
        said[rng.random((n, 3)) < 0.1] = -1
        units = read_ratings([[0, 1], [2, 0]])
        return RatingCounts.make(type(units)(said, [0, 1, 2]))

    everything = draw(100_000)
    true = {record.name: record.of(everything) for record in records}
    hits = Counter[str]()
    for _ in range(150):
        for name, own in rater_intervals(records, draw(60)).items():
            hits[name] += own.low <= true[name] <= own.high
    assert all(hits[name] >= 132 for name in NAMES), hits


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([["a"], ["b"]], {}, "ratings has 1 column: at least two raters are needed"),
        ([["a", "b"], ["b"]], {}, "ratings is empty or ragged: each row has an entry for each rater"),
        (np.zeros(3), {}, "ratings has shape (3,): a row for each unit, (n, R), is needed"),
        (
            {"x": [1, 2], "y": [1]},
            {},
            "ratings has columns of different lengths (x 2, y 1): each has an entry for each unit",
        ),
        ([[None, None]], {}, "ratings holds no rating: every entry is missing"),
        ([["a", "b"]], {"classes": ["a", "a", "b"]}, "classes names 'a' twice"),
        (
            [["a", "c"]],
            {"classes": ["a", "b"]},
            "ratings has 'c', which is not among the categories: classes= names all of them",
        ),
        (
            [["a", "b"]],
            {"indices": "accuracy"},
            "accuracy is not about several raters: use evaluate() with a truth",
        ),
    ],
)
def test_what_is_wrong_is_named(ratings: Any, options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        evaluate(ratings, kind="raters", **options)


def test_other_verbs_say_where_to_go() -> None:
    with raises_line(InputError, "fleiss_kappa is about several raters: pass kind='raters'"):
        adjudge.evaluate([0, 1], [0, 1], indices="fleiss_kappa")
    with pytest.raises(UnknownIndexError):
        evaluate(RATINGS, kind="raters", indices="no such thing")


@pytest.mark.parametrize(
    ("ratings", "name", "method", "reason"),
    [
        ([["a", "a"], ["b", "b"], ["a", "a"]], "fleiss_kappa", "linearised", "all ratings of every unit are alike"),
        ([["a", "a"], ["b", "b"], ["a", "a"]], "krippendorff_alpha", "jackknife", "all ratings of every unit"),
        ([["a", "b"], ["a", "a"], ["a", "a"]], "krippendorff_alpha", "jackknife", "without one of the units"),
        ([["a", "b"], ["a", None]], "raters_agreement", "linearised", "one unit does not tell"),
        ([["a", "a"]] * 40 + [["a", "b"]] * 2, "fleiss_kappa", "linearised", "one category has more than 80 %"),
    ],
)  # fmt: skip
def test_what_a_refused_interval_says(ratings: list[list[Any]], name: str, method: str, reason: str) -> None:
    found = rater_intervals([find_index(name)], RatingCounts.make(read_ratings(ratings)), 0.8)[name]
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert (found.confidence, found.method) == (0.8, method)
    assert found.reason is not None
    assert found.reason.startswith(reason)
