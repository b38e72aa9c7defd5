"""Units crossed with runs: intervals over both, what scores vary with, and what k runs reach."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import sem, t

import adjudge
from adjudge.cli import main
from adjudge.errors import InputError
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted, interval_of, p_value_of
from adjudge.inference.sampling_design import Drawn, variance_of
from adjudge.statistics.right_counts import RightCounts

OF_VALUES: dict[str, Any] = {"indices": "mean", "confidence": 0.95}


def table(seed: int, n: int = 80, m: int = 4, of_runs: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.gamma(1, 1, n)[:, None] + rng.normal(0, of_runs, m) + rng.normal(0, 0.5, (n, m))


def crossed(x: np.ndarray) -> dict[str, Any]:
    n, m = x.shape
    return {"units": np.repeat(np.arange(n), m), "runs": np.tile(np.arange(m), n)}


def judged(x: np.ndarray, **more: Any) -> Any:
    return adjudge.evaluate(values=x.ravel(), **crossed(x), **{**OF_VALUES, **more})


def components(x: np.ndarray) -> tuple[float, float, float]:
    """Return the variance of a mean by items, runs and the rest, by the mean squares of a table with two ways."""
    n, m = x.shape
    items, runs = x.mean(axis=1) - x.mean(), x.mean(axis=0) - x.mean()
    rest = x - x.mean() - items[:, None] - runs
    of_rest = (rest**2).sum() / ((n - 1) * (m - 1))
    of_items = max(((items**2).sum() * m / (n - 1) - of_rest) / m, 0)
    of_runs = max(((runs**2).sum() * n / (m - 1) - of_rest) / n, 0)
    return of_items / n, of_runs / m, of_rest / (n * m)


@pytest.mark.parametrize("of_runs", [0.0, 0.4])
def test_what_a_mean_varies_with_is_that_of_the_mean_squares(of_runs: float) -> None:
    x = table(0, of_runs=of_runs)
    items, runs, rest = components(x)
    found = judged(x).details["runs"]
    own = found["scores"]["mean"]
    assert found["n_runs"] == 4
    assert (own["of_units"], own["of_runs"], own["of_rest"]) == pytest.approx((items, runs, rest))
    now, more = items + runs + rest, items / 2 + runs + rest / 2
    assert own["with_twice_the_units"] == pytest.approx(math.sqrt(more / now))
    assert own["with_twice_the_runs"] == pytest.approx(math.sqrt((items + runs / 2 + rest / 2) / now))


def test_limits_for_units_are_put_together_with_those_for_runs() -> None:
    """The square of each distance is that for units and that of Student's t for runs (MOVER)."""
    x = table(1, of_runs=0.4)
    alone = adjudge.evaluate(values=x.ravel(), units=crossed(x)["units"], **OF_VALUES).scores["mean"]
    both = judged(x).scores["mean"]
    aside = t.isf(0.025, 3) * math.sqrt(components(x)[1])
    assert both.value == alone.value
    assert both.value - both.low == pytest.approx(math.hypot(alone.value - alone.low, aside))
    assert both.high - both.value == pytest.approx(math.hypot(alone.high - alone.value, aside))


def test_the_p_value_is_that_of_the_interval_which_ends_at_0() -> None:
    x = table(2, of_runs=0.3) - 0.9
    psi = Influence.centred(float(x.mean()), x.ravel())
    own = crossed(x)
    drawn = Drawn(own["units"], 80, run=own["runs"])
    p = p_value_of(Wanted(psi, (-math.inf, math.inf), drawn))
    ends = interval_of(psi, (-math.inf, math.inf), 1 - p, drawn)
    assert 0.001 < p < 0.999
    assert min(abs(ends.low), abs(ends.high)) < 1e-6
    assert variance_of(psi, drawn) == pytest.approx(sum(components(x)))


def test_rows_may_come_in_any_order_and_lack_some_runs() -> None:
    x, rng = table(3, of_runs=0.5), np.random.default_rng(3)
    own, order = crossed(x), rng.permutation(x.size)
    shuffled = adjudge.evaluate(
        values=x.ravel()[order], units=own["units"][order], runs=own["runs"][order].astype(str), **OF_VALUES
    )
    assert shuffled.scores["mean"].interval == pytest.approx(judged(x).scores["mean"].interval)
    kept = order[: x.size // 2]
    half = adjudge.evaluate(
        values=x.ravel()[kept], units=own["units"][kept], runs=own["runs"][kept], **OF_VALUES
    )
    ignored = adjudge.evaluate(values=x.ravel()[kept], units=own["units"][kept], **OF_VALUES)
    assert half.scores["mean"].high > ignored.scores["mean"].high


def test_a_run_for_each_row_says_nothing_of_runs() -> None:
    x = table(4)
    own = adjudge.evaluate(values=x.ravel(), units=crossed(x)["units"], runs=np.arange(x.size), **OF_VALUES)
    alone = adjudge.evaluate(values=x.ravel(), units=crossed(x)["units"], **OF_VALUES)
    assert own.scores["mean"].interval == pytest.approx(alone.scores["mean"].interval)


@pytest.mark.parametrize(
    "indices", [["accuracy", "macro_f1", "cohen_kappa"], ["roc_auc", "log_loss", "brier_score"]]
)
def test_scores_of_classifiers_vary_with_runs(indices: list[str]) -> None:
    """Where one run in four is bad, all intervals are wider than those over units alone."""
    rng = np.random.default_rng(5)
    n, m = 150, 4
    truth = np.repeat(rng.integers(0, 2, n), m)
    off = np.tile([0.0, 0.0, 0.0, 1.5], n)
    p = 1 / (1 + np.exp(-(rng.normal(size=n * m) + (1.5 - off) * (2 * truth - 1))))
    own = crossed(np.zeros((n, m)))
    asked: dict[str, Any] = {
        "probabilities": p,
        "indices": indices,
        "confidence": 0.95,
        "kind": "classification",
    }
    both = adjudge.evaluate(truth, units=own["units"], runs=own["runs"], **asked)
    alone = adjudge.evaluate(truth, units=own["units"], **asked)
    for name in indices:
        low, high = both.scores[name].interval
        ends = alone.scores[name].interval
        assert high - low > 2 * (ends[1] - ends[0]), name
        assert both.details["runs"]["scores"][name]["of_runs"] > 0
    assert "runs help more" in repr(both)


def test_what_k_runs_reach_is_counted_over_all_choices_of_k() -> None:
    right = np.random.default_rng(6).random((30, 5)) < np.linspace(0, 1, 30)[:, None]
    for k in range(1, 6):
        ways = list(itertools.combinations(range(5), k))
        any_right = np.mean([[own[list(way)].any() for way in ways] for own in right])
        all_right = np.mean([[own[list(way)].all() for way in ways] for own in right])
        found = judged(right * 1.0, indices=[f"pass@k(k={k})", f"pass^k(k={k})"])
        assert [*found.values.values()] == pytest.approx([any_right, all_right])
        low, high = found.scores[f"pass_hat(k={k})"].interval
        assert low < all_right < high
    units = crossed(right)["units"]
    assert adjudge.pass_hat(right.ravel() * 1, units, k=2) == pytest.approx(
        np.mean([np.mean([a and b for a, b in itertools.combinations(own, 2)]) for own in right])
    )


def test_k_is_written_as_the_field_does(tmp_path: Any, capsys: Any) -> None:
    assert [adjudge.find_index(own).name for own in ("pass@3", "Pass^10")] == [
        "pass_at(k=3)",
        "pass_hat(k=10)",
    ]
    right = (np.random.default_rng(6).random((30, 5)) < 0.6) * 1.0
    short = judged(right, indices=["pass@3", "pass^3"])
    assert short.values == judged(right, indices=["pass_at(k=3)", "pass_hat(k=3)"]).values
    pd.DataFrame({"right": right.ravel(), **crossed(right)}).to_csv(tmp_path / "t.csv", index=False)
    asked = ["--values", "right", "--units", "units", "--runs", "runs", "--indices", "mean,pass@3"]
    assert main(["evaluate", str(tmp_path / "t.csv"), *asked]) == 0
    assert "pass_at(k=3)" in capsys.readouterr().out
    both = {"old": right.ravel(), "new": right[::-1].ravel()}
    gate = adjudge.gate(
        values=both, better="higher", margin={"pass@3": 0.1}, indices="pass@3", **crossed(right)
    )
    assert gate.tested[0].name == "pass_at(k=3)"
    with pytest.raises(adjudge.UnknownIndexError, match="no index is called 'pass@x': did you mean pass_at"):
        adjudge.find_index("pass@x")


def test_a_run_of_any_and_all_is_the_mean() -> None:
    """With k = 1 both are the mean, and so are their intervals."""
    right = (np.random.default_rng(7).random((60, 4)) < 0.7) * np.array([1.0, 1, 1, 0.0])
    found = judged(right, indices=["mean", "pass_at(k=1)", "pass_hat(k=1)"]).scores
    ends = [own.interval for own in found.values()]
    assert ends[0] == pytest.approx(ends[1])
    assert ends[0] == pytest.approx(ends[2])


def test_runs_move_what_k_runs_reach_as_leaving_out_a_run_does() -> None:
    """The variance between runs is that of the jackknife over runs, less what rows would vary alone."""
    right = (np.random.default_rng(8).random((200, 5)) < np.array([0.9, 0.9, 0.8, 0.4, 0.9])) * 1.0
    n, m = right.shape
    without = np.stack(
        [
            np.prod([(np.delete(right, run, 1).sum(axis=1) - i) / (m - 1 - i) for i in range(2)], axis=0)
            for run in range(m)
        ]
    )
    together = (m - 1) / m * np.square(without.mean(axis=1) - without.mean()).sum()
    apart = (m - 1) / m * np.square(without - without.mean(axis=0)).sum() / n**2
    found = judged(right, indices="pass_hat").details["runs"]["scores"]["pass_hat"]
    assert found["of_runs"] == pytest.approx((together - apart) * n / (n - 1))


def test_differences_are_paired_by_unit_and_hold_over_runs() -> None:
    x = table(9, 60, 5)
    newer = x + 0.2 + np.random.default_rng(9).normal(0, 0.3, x.shape)
    asked: dict[str, Any] = {"better": "higher", **crossed(x)}
    pair = adjudge.compare(values={"old": x.ravel(), "new": newer.ravel()}, **asked, **OF_VALUES)[
        "old", "new"
    ]
    own = pair.differences["mean"]
    assert own.value == pytest.approx((x - newer).mean())
    assert own.low < own.value < own.high < 0
    shaken = newer + np.array([-1, 1, -1, 1, 0]) * 0.6
    wide = adjudge.compare(values={"old": x.ravel(), "new": shaken.ravel()}, **asked, **OF_VALUES)
    assert wide["old", "new"].differences["mean"].p_value > 0.05 > own.p_value
    assert "difference of mean: " in repr(wide)
    assert "runs help more" in repr(wide)


def test_a_gate_does_not_pass_what_one_run_shows() -> None:
    x = table(10, 200, 4)
    better = x + 0.2 + np.array([0.5, -0.5, 0.4, -0.4]) + np.random.default_rng(10).normal(0, 0.2, x.shape)
    asked: dict[str, Any] = {
        "better": "higher",
        "margin": 0.1,
        "values": {"old": x.ravel(), "new": better.ravel()},
    }
    own = crossed(x)
    assert adjudge.gate(units=own["units"], **asked).verdict == "pass"
    found = adjudge.gate(**own, **asked)
    assert found.verdict == "undecided"
    assert found.units_needed is None  # more units do not help
    right = {name: (value > 1) * 1 for name, value in asked.pop("values").items()}
    checked = adjudge.gate(values=right, indices=["mean", "pass^k(k=3)"], **own, **asked)
    assert [check.title for check in checked.tested] == ["Mean", "pass^k (k=3)"]


def test_columns_of_a_table_in_python_and_the_shell(tmp_path: Any, capsys: Any) -> None:
    x = table(11, 30, 3, 0.3)
    own = crossed(x)
    frame = pd.DataFrame({"score": x.ravel(), "item": own["units"], "seed": own["runs"]})
    path = tmp_path / "runs.csv"
    frame.to_csv(path, index=False)
    named: dict[str, Any] = {"values": "score", "units": "item", "runs": "seed", **OF_VALUES}
    whole = judged(x).scores["mean"].interval
    for source in (frame, path):
        found = adjudge.evaluate(source, **named)
        assert found.scores["mean"].interval == pytest.approx(whole)
        assert found.settings["runs"] == "seed"
        assert found.to_dict()["n_runs"] == 3
    words = [
        "evaluate", str(path), "--values", "score", "--units", "item", "--runs", "seed", "--indices", "mean",
        "--confidence", "0.95",
    ]  # fmt: skip
    assert main(words) == 0
    assert "90 rows of 30 units in 3 runs" in capsys.readouterr().out
    lazy = pl.from_pandas(frame.assign(y=1, z=1)).lazy()
    with pytest.raises(InputError, match="runs= needs the instances: collect the table first"):
        adjudge.evaluate(lazy, truth="y", pred="z", units="item",
                         runs="seed", kind="classification")  # fmt: skip


def test_what_was_judged_in_runs_is_compared_in_runs(tmp_path: Any) -> None:
    rng = np.random.default_rng(12)
    truth = np.repeat(rng.integers(0, 2, 80), 4)
    own = crossed(np.zeros((80, 4)))
    said = [np.where(rng.random(320) < share, truth, 1 - truth) for share in (0.8, 0.9)]
    asked: dict[str, Any] = {"kind": "classification", "confidence": 0.95}
    results = [adjudge.evaluate(truth, labels, **own, **asked) for labels in said]
    results[0].save(tmp_path / "old.adjudge", instances=True)
    found = adjudge.compare(adjudge.load(tmp_path / "old.adjudge"), results[1], confidence=0.95)
    direct = adjudge.compare(truth, {"first": said[0], "second": said[1]}, **own, **asked)
    ends = [next(iter(one.pairs.values())).differences["accuracy"].interval for one in (found, direct)]
    assert ends[0] == pytest.approx(ends[1])


def test_right_and_wrong_answers_have_the_limits_of_a_share() -> None:
    perfect = judged(np.ones((50, 5)))
    assert 0.9 < perfect.scores["mean"].low < 1 == perfect.scores["mean"].high
    nearly = judged(np.where(np.arange(250).reshape(50, 5) == 3, 0.0, 1.0)).scores["mean"]
    assert 0.9 < nearly.low < nearly.value < nearly.high <= 1


@pytest.mark.parametrize("in_runs", [False, True])
@pytest.mark.parametrize("hard", [3, 30])
def test_right_answers_in_units_vary_as_accuracy_does(hard: float, in_runs: bool) -> None:
    """What was not seen may add as much, whoever counts the right answers."""
    rng = np.random.default_rng(3)
    skill = rng.beta(hard, 1, (40, 1))
    design = crossed(skill * np.ones((40, 20)))
    asked: dict[str, Any] = design if in_runs else {"units": design["units"]}
    right = {name: (rng.random((40, 20)) < skill).ravel() * 1.0 for name in "ab"}
    truth = design["units"] % 2
    labels = {name: np.where(own == 1, truth, 1 - truth) for name, own in right.items()}
    mean = adjudge.evaluate(values=right["a"], **asked, **OF_VALUES).scores["mean"]
    of_labels: dict[str, Any] = {"kind": "classification", "indices": "accuracy", "confidence": 0.95, **asked}
    accuracy = adjudge.evaluate(truth, labels["a"], **of_labels).scores["accuracy"]
    assert mean.interval == pytest.approx(accuracy.interval)
    own = adjudge.compare(values=right, better="higher", **asked, **OF_VALUES)["a", "b"].differences["mean"]
    other = adjudge.compare(truth, labels, **of_labels)["a", "b"].differences["accuracy"]
    assert own.high - own.low == pytest.approx(other.high - other.low, rel=0.15)


def test_few_wrong_answers_do_not_show_that_no_unit_fails() -> None:
    """A unit that fails in all runs may come, though what was seen moves pass@k by less than a hundredth of one."""
    right = np.ones((20, 20))
    right[:2, :2] = 0
    found = judged(right, indices=["mean", "pass@2", "pass^2"]).scores
    low, high = found["pass_at(k=2)"].interval
    assert 1 - high < 0.001
    assert 1 - low > 1 / 20 > 1 - found["mean"].interval[0]
    low, high = judged(1 - right, indices="pass^2").scores["pass_hat(k=2)"].interval
    assert low < 0.001
    assert high > 1 / 20


def test_what_one_run_or_few_tell_is_said() -> None:
    assert "with one run, how runs vary is not known" in repr(judged(table(13, m=1)))
    assert "4 runs hardly tell how runs vary" in repr(judged(table(13)))
    assert "hardly tell" not in repr(judged(table(13, m=5)))
    # Items that were shared out among runs, and an item for each run.
    x, units = table(13).ravel(), np.arange(320)
    for own, runs in (
        (units, units % 4),
        (units // 2, units // 80),
        (units, units),
        (units // 2, units // 2),
    ):
        asked = {"units": own, "runs": runs, **OF_VALUES}
        found = adjudge.evaluate(values=x, **asked)
        (notice,) = found.warnings
        assert str(notice).startswith(
            "warning: no unit was judged in two runs, so that how runs vary is not known"
        )
        assert str(notice).endswith("judge units in several runs, or leave out runs=")
        assert found.details["runs"]["scores"] == {}
        alone = adjudge.evaluate(values=x, units=own, **OF_VALUES)
        assert found.scores["mean"].interval == pytest.approx(alone.scores["mean"].interval)
        both = adjudge.compare(values={"a": x, "b": x**2}, better="lower", **asked)
        assert "no unit was judged in two runs" in repr(both)
    # Answers that are drawn anew have runs of their own.
    assert "units help more" in repr(adjudge.evaluate(values=x, units=units // 4, runs=units, **OF_VALUES))
    assert "units help more" in repr(judged(table(13)))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"values": [1, 2], "runs": [1, 1]}, "runs= says in which run an item was judged: name the items with units="),
        ({"values": [1, 2], "units": [1, 2], "runs": [1, None]}, "runs has a missing value at position 1"),
        ({"values": [1, 2], "units": [1, 2], "runs": [1]}, "same length"),
        ({"values": [1, 0], "indices": "pass_hat"}, "needs units with several answers: give units="),
        ({"labels_true": [1, 2], "labels_pred": [1, 2], "units": [1, 2], "runs": [1, 2], "kind": "clustering"},
         "runs= is for classifiers and numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        adjudge.evaluate(**asked)


def test_what_k_runs_reach_needs_right_answers_and_enough_runs() -> None:
    assert (
        "numbers other than 0 (wrong) and 1 (right)"
        in judged(table(14), indices="pass_hat").reasons["pass_hat"]
    )
    assert (
        "k = 5, and all 20 units have fewer runs: the fewest is 4"
        in judged(np.ones((20, 4)), indices="pass_hat(k=5)").reasons["pass_hat(k=5)"]
    )


def test_answers_that_are_drawn_anew_need_no_runs() -> None:
    """What k answers reach varies with the units alone then, as Student's t of their shares has it."""
    right = (table(21) > 0).astype(int)
    asked: dict[str, Any] = {"indices": ["pass_hat"], "confidence": 0.95}
    units = np.repeat(np.arange(right.shape[0]), right.shape[1])
    found = adjudge.evaluate(values=right.ravel(), units=units, **asked)
    shares = RightCounts(right.sum(axis=1), np.full(units[-1] + 1, right.shape[1])).all_right(2)
    wanted = t(shares.size - 1, shares.mean(), sem(shares)).interval(0.95)
    assert found["pass_hat"] == pytest.approx(shares.mean())
    assert found.intervals["pass_hat"] == pytest.approx(wanted, abs=0.01)
    assert found["pass_hat"] == judged(right, indices="pass_hat")["pass_hat"]


def test_history_and_shares_of_broken_rows_are_refused(tmp_path: Any) -> None:
    x = table(15)
    asked: dict[str, Any] = {
        "better": "higher",
        "margin": 0.1,
        "values": {"old": x.ravel(), "new": table(16).ravel()},
    }
    with pytest.raises(InputError, match="history= does not work with runs="):
        adjudge.gate(**asked, **crossed(x), history=tmp_path / "a.adjudge")
    with pytest.raises(InputError, match="is a share, whose limits are not known over runs"):
        adjudge.gate(**asked, **crossed(x), max_broken=0.2)


def test_it_holds_over_new_items_in_new_runs() -> None:
    """No difference is seen where there is none, and means hold what was drawn, with runs that differ."""
    rng, seen, held = np.random.default_rng(12), 0, 0
    for _ in range(60):
        skill = rng.normal(1, 1, 60)[:, None]
        one, other = (skill + rng.normal(0, 0.3, 5) + rng.normal(0, 0.5, (60, 5)) for _ in range(2))
        found = adjudge.compare(values={"a": one.ravel(), "b": other.ravel()}, better="higher", **crossed(one),
                                **OF_VALUES)  # fmt: skip
        seen += found["a", "b"].differences["mean"].p_value < 0.05
        low, high = found.judged["a"]["mean"].interval
        held += low <= 1 <= high
    assert seen <= 8
    assert held >= 52


def test_a_run_that_is_there_twice_is_no_further_run() -> None:
    unit, run = (own.ravel() for own in np.indices((30, 4)))
    right = np.random.default_rng(0).integers(0, 2, 120)
    twice = {"values": np.r_[right, right], "units": np.r_[unit, unit], "runs": np.r_[run, run]}
    with pytest.raises(InputError, match="120 rows repeat a unit's run"):
        adjudge.evaluate(**twice, indices="pass@k(k=3)")
    assert adjudge.evaluate(**twice, indices="mean")["mean"] == right.mean()


def test_a_gate_of_costs_says_what_reads_them() -> None:
    truth = np.tile([0, 1], 40)
    with pytest.raises(InputError, match="costs= are of expected_cost, which is not checked"):
        adjudge.gate(truth, old=truth, new=truth, costs=np.ones(80), kind="classification")


def of_two_runs(right: np.ndarray) -> float:
    return 1 - (~right).mean() * ((~right).sum() - 1) / (right.size - 1)


def test_a_unit_with_many_runs_counts_once_in_what_k_runs_reach() -> None:
    rng = np.random.default_rng(16)
    answers = [rng.random(n) < rng.beta(2, 2) for n in [4] * 30 + [600]]
    reached = np.array([of_two_runs(own) for own in answers])
    units, runs = (
        np.concatenate(own)
        for own in (
            [np.full(own.size, i) for i, own in enumerate(answers)],
            [np.arange(own.size) for own in answers],
        )
    )
    asked: dict[str, Any] = {"units": units, "runs": runs, "indices": ["mean", "pass_at"], "confidence": 0.95}
    right = np.concatenate(answers) * 1
    found = adjudge.evaluate(values=right, **asked)
    assert found.details["runs"]["scores"]["pass_at"]["of_runs"] == 0
    value = float(reached.mean())
    of_units = Influence.centred(value, reached, rise=(1 - value) / 31, fall=value / 31)
    wanted = interval_of(of_units, (0.0, 1.0), 0.95, Drawn(np.arange(31), 31))
    assert [*found.scores["pass_at"].interval] == pytest.approx([*wanted])
    assert "no interval: 720 rows of 31 units vary as 1.4" in repr(found)
    better = np.where(rng.random(right.size) < 0.5, 1, right)
    asked |= {"better": "higher", "confidence": 0.9}
    pair = adjudge.compare(values={"old": right, "new": better}, **asked)["new", "old"].differences
    assert pair["mean"].interval is None
    assert pair["pass_at"].low > 0
    del asked["confidence"]
    gate = adjudge.gate(values={"old": right, "new": better}, margin=0.01, **asked)
    assert [check.status for check in gate.tested] == ["undecided", "pass"]
    assert gate.tested[1].change.low == pytest.approx(pair["pass_at"].low)
    # By their number, these are few units, and by their rows still fewer.
    few = {name: asked[name][72:] for name in ("units", "runs")}
    found = adjudge.evaluate(values=right[72:], **few, indices="pass_at", confidence=0.95)
    assert [own.code for own in found.warnings] == ["few-units", "runs"]
