"""Items crossed with runs: means, variance components, differences, and what k runs reach."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.inference import repeated_runs


def table(seed: int, n: int = 80, m: int = 4, of_runs: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.gamma(1, 1, n)[:, None] + rng.normal(0, of_runs, m) + rng.normal(0, 0.5, (n, m))


def test_components_by_definition() -> None:
    """Each effect is what is left of the means; the sums of squares add up."""
    x = table(0, of_runs=0.4)
    n, m = x.shape
    items, runs = x.mean(axis=1) - x.mean(), x.mean(axis=0) - x.mean()
    rest = x - x.mean() - items[:, None] - runs
    of_rest = (rest**2).sum() / ((n - 1) * (m - 1))
    found = repeated_runs(x).models[0]
    assert found.mean == pytest.approx(x.mean())
    assert found.of_rest == pytest.approx(of_rest)
    assert found.of_items == pytest.approx(((items**2).sum() * m / (n - 1) - of_rest) / m)
    assert found.of_runs == pytest.approx(((runs**2).sum() * n / (m - 1) - of_rest) / n)
    now = found.of_items / n + found.of_runs / m + of_rest / (n * m)
    more = found.of_items / (2 * n) + found.of_runs / m + of_rest / (2 * n * m)
    assert found.with_more_items == pytest.approx(math.sqrt(more / now))
    assert found.with_more_runs < found.with_more_items  # the runs differ much


def test_components_are_those_that_numbers_were_drawn_with() -> None:
    found = [repeated_runs(table(seed, 200, 10, 0.3)).models[0] for seed in range(40)]
    assert np.mean([own.of_items for own in found]) == pytest.approx(1, rel=0.1)
    assert np.mean([own.of_runs for own in found]) == pytest.approx(0.09, rel=0.2)
    assert np.mean([own.of_rest for own in found]) == pytest.approx(0.25, rel=0.05)
    assert np.mean([own.low <= 1 <= own.high for own in found]) > 0.87


def test_runs_that_differ_widen_the_interval() -> None:
    alike, apart = table(3, of_runs=0.0), table(3, of_runs=0.0)
    apart += np.array([-1, 1, -1, 1]) * 0.5
    ends = [repeated_runs(own).models[0] for own in (alike, apart)]
    assert ends[0].high - ends[0].low < 0.6 < ends[1].high - ends[1].low
    assert ends[1].of_runs == pytest.approx(1 / 3, rel=0.2)


def test_what_k_runs_reach_is_counted_over_all_choices_of_k() -> None:
    right = np.random.default_rng(4).random((30, 5)) < np.linspace(0, 1, 30)[:, None]
    found = repeated_runs(right).models[0]
    for k in range(1, 6):
        ways = list(itertools.combinations(range(5), k))
        any_right = np.mean([[own[list(way)].any() for way in ways] for own in right])
        all_right = np.mean([[own[list(way)].all() for way in ways] for own in right])
        assert found.pass_at[k - 1][0] == pytest.approx(any_right)
        assert found.pass_hat[k - 1][0] == pytest.approx(all_right)
        low, high = found.pass_hat[k - 1][1]
        assert low < all_right < high
    assert not repeated_runs(table(0)).models[0].pass_at


def test_rows_are_read_by_item_and_run_in_any_order() -> None:
    x, rng = table(5, 20, 3), np.random.default_rng(5)
    order = rng.permutation(60)
    items, runs = np.repeat(np.arange(20), 3)[order], np.tile(["a", "b", "c"], 20)[order]
    long = repeated_runs({"one": x.ravel()[order], "two": x.ravel()[order] + 1}, items, runs)
    wide = repeated_runs({"one": x, "two": x + 1})
    assert long.to_frame().equals(wide.to_frame())
    assert long["two"].mean == pytest.approx(x.mean() + 1)


def test_models_share_items_and_not_runs() -> None:
    x = table(6, 60, 4)
    newer = x[:, ::-1] + 0.2 + 0.1 * (np.arange(60)[:, None] % 2 - 0.5)
    found = repeated_runs({"old": x, "new": newer, "worse": x - 1})
    (first, _, third) = found.differences
    assert (first.first, first.second) == ("old", "new")
    assert first.value == pytest.approx(-0.2)
    assert first.low < first.value < first.high < 0
    assert first.p_value < 0.05
    assert [own.second for own in found.differences] == ["new", "worse", "worse"]
    assert third.value == pytest.approx(1.2)
    same = repeated_runs({"old": x, "new": x[:, ::-1] + 0.2}).differences[0]
    assert math.isnan(same.p_value)  # every item has gained as much
    # The p-value is that of the interval that ends at 0.
    at = repeated_runs({"old": x, "worse": x - 0.05 - 0.1 * (table(7, 60, 4) - 1)}, confidence=0.9)
    p = at.differences[0].p_value
    ends = repeated_runs(
        {"old": x, "worse": x - 0.05 - 0.1 * (table(7, 60, 4) - 1)}, confidence=1 - p
    ).differences[0]
    assert min(abs(ends.low), abs(ends.high)) < 1e-6


def test_it_holds_its_level() -> None:
    """No difference is seen where there is none, with runs that differ, too."""
    rng, seen = np.random.default_rng(8), 0
    for _ in range(60):
        skill = rng.normal(0, 1, 60)[:, None]
        one, other = (skill + rng.normal(0, 0.3, 5) + rng.normal(0, 0.5, (60, 5)) for _ in range(2))
        seen += repeated_runs({"one": one, "other": other}).differences[0].p_value < 0.05
    assert seen <= 8


def test_what_is_said(tmp_path) -> None:
    found = repeated_runs({"old": table(0, of_runs=1.0), "new": table(1)})
    assert "80 items in 4 runs: fewer than 5 runs hardly tell how runs vary" in repr(found)
    assert "old: twice as many items would leave" in repr(found)
    assert "runs help more" in repr(found).splitlines()[2]
    assert "items help more" in repr(found).splitlines()[3]
    found.save(tmp_path / "runs.adjudge")
    assert adjudge.load(tmp_path / "runs.adjudge") == found
    perfect = repeated_runs(np.ones((50, 5)))
    assert "all numbers are the same" in repr(perfect)
    assert 0.9 < perfect.models[0].low < 1 == perfect.models[0].high
    one_run = repeated_runs(table(2, m=1)).models[0]
    assert math.isnan(one_run.of_runs)
    assert math.isnan(one_run.with_more_runs)
    assert "with one run, how runs vary is not known" in repr(repeated_runs(table(2, m=1)))
    assert found.to_dict()["models"][0]["model"] == "old"
    with pytest.raises(InputError, match="no model is called 'x': choose one of 'old', 'new'"):
        found["x"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"values": [1, 2], "items": [1, 1], "runs": [1, 1]}, "has 2 numbers for item 1 in run 1"),
        ({"values": [1, 2, 3], "items": [1, 1, 2], "runs": [1, 2, 1]}, "has no number for item 2 in run 2"),
        ({"values": [1.0, np.nan], "items": [1, 2], "runs": [1, 1]}, "has no number for item 2 in run 1"),
        ({"values": [1, 2]}, "give a table of items and runs"),
        ({"values": [[1, np.nan], [2, 3]]}, "has gaps"),
        ({"values": [["a", "b"]]}, "something other than numbers"),
        ({"values": [1, 2], "items": [1, 2]}, "items.* is given without runs"),
        ({"values": [[1, 2]]}, "there is 1 item"),
        ({"values": {"a": [[1, 2], [3, 4]], "b": [[1, 2]]}}, "different numbers of items"),
        ({"values": {}}, "is empty"),
        ({"values": np.zeros((0, 5))}, "there are 0 items in 5 runs"),
        ({"values": [1, 2], "items": ["a", None], "runs": [1, 1]}, "give every row an item"),
    ],
)
def test_what_cannot_be_read_is_said(given, said: str) -> None:
    with pytest.raises(InputError, match=said):
        repeated_runs(**given)


def test_items_in_another_order_or_others_are_refused() -> None:
    one = pd.DataFrame(table(9, 20, 3), index=[f"q{i}" for i in range(20)])
    with pytest.raises(InputError, match="same index in different orders"):
        repeated_runs({"one": one, "other": one.sample(frac=1, random_state=0)})
    with pytest.raises(InputError, match="do not have the same items: 'other'"):
        repeated_runs({"one": one, "other": one.rename(index={"q0": "other"})})


def test_any_and_all_of_k_vary_with_runs_too() -> None:
    """Runs have an effect on all items, which the interval over items alone does not hold."""
    rng, held = np.random.default_rng(10), {1: 0, 2: 0, 4: 0}
    skill, effect = rng.normal(0, 1.5, 4000), rng.normal(0, 0.4, 2000)
    share = np.array([(1 / (1 + np.exp(-(one + effect)))).mean() for one in skill])
    for _ in range(60):
        z = rng.choice(skill, 300)[:, None] + rng.normal(0, 0.4, 4)
        found = repeated_runs(rng.random((300, 4)) < 1 / (1 + np.exp(-z))).models[0]
        assert found.pass_at[0] == found.pass_hat[0]
        assert (found.pass_at[0][1].low, found.pass_at[0][1].high) == (found.low, found.high)
        for k in held:
            held[k] += found.pass_hat[k - 1][1].low <= (share**k).mean() <= found.pass_hat[k - 1][1].high
    assert min(held.values()) >= 49, held
