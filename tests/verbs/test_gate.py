"""The verb `gate` on label vectors: each claim beside a comparison, Holm and Clopper-Pearson written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import beta

import adjudge
from adjudge import InputError, compare, gate
from adjudge.errors import InputTypeError
from cases import each
from conftest import raises_line
from gates import gate_probabilities, gate_rows, known

PLAIN, PLANTED = gate_rows(), gate_rows(planted=True)


def judged(frame: pd.DataFrame = PLAIN, **options: Any) -> Any:
    return gate(frame["truth"], frame["v1"], frame["v2"], **{"margin": 0.03, **options})


def gains(check: Any, both: Any) -> tuple[float, float, float]:
    """How much better the new model is, and the ends of the interval, by the comparison behind a gate."""
    own = both["old", "new"].differences[check.name]
    sign = 1 if own.index.better == "higher" else -1
    low, high = sorted(-sign * end for end in own.interval)
    return -sign * own.value, low, high


# Not worse


@pytest.mark.full(keep=7)
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("margin", [0.0, 0.005, 0.01, 0.02, 0.05])
def test_a_check_passes_above_the_margin_and_fails_below_it(margin: float, confidence: float) -> None:
    indices = ["accuracy", "balanced_accuracy", "f1", "false_negative_rate"]
    for frame in (PLAIN, PLANTED):
        found = judged(frame, indices=indices, margin=margin, confidence=confidence)
        both = compare(
            frame["truth"],
            {"old": frame["v1"], "new": frame["v2"]},
            kind="classification",
            indices=indices,
            confidence=2 * confidence - 1,
        )
        assert len(found.tested) == 4
        for check in found.tested:
            value, low, high = gains(check, both)
            assert check.change is not None
            assert (check.change.value, check.change.low, check.change.high) == pytest.approx(
                (value, low, high)
            )
            assert (check.status == "pass") == (low > -margin)
            assert check.p_value is not None
            assert (check.p_value < 1 - confidence) == (check.status == "pass")
            if check.status == "fail":
                assert high < -margin
            assert check.old - check.new == pytest.approx(both["old", "new"].differences[check.name].value)


def test_a_loss_that_grows_is_worse() -> None:
    better = judged(gate_rows(planted=True), indices=["false_negative_rate"])
    assert better.verdict == "fail"
    swapped = gate(
        PLANTED["truth"], PLANTED["v2"], PLANTED["v1"], indices=["false_negative_rate"], margin=0.03
    )
    assert swapped.verdict == "pass"
    assert swapped.tested[0].difference < 0
    # At worst it is how much the loss may have grown.
    assert better.tested[0].worst > better.tested[0].difference > 0


def naive_holm(p_values: list[float]) -> list[float]:
    order = np.argsort(p_values, kind="stable")
    adjusted, largest = [0.0] * len(p_values), 0.0
    for step, place in enumerate(order):
        largest = max(largest, (len(p_values) - step) * p_values[place])
        adjusted[place] = min(1.0, largest)
    return adjusted


def test_failing_is_corrected_by_holm_for_all_checks_and_passing_is_not() -> None:
    found = judged(PLANTED, indices=["accuracy", "recall[churn]"], groups=PLANTED["country"], max_broken=0.04)
    checks = found.tested
    assert len(checks) == 3 * 4
    raw = [check.change.p_below(-check.margin) for check in checks]
    assert [check.p_fail for check in checks] == pytest.approx(naive_holm(raw))
    for check in checks:
        assert check.p_value == pytest.approx(check.change.p_above(-check.margin))
        assert (check.status == "fail") == (check.p_fail < 0.05)
        assert (check.status == "pass") == (check.change.low > -check.margin)


def test_what_fails_alone_may_not_fail_among_many() -> None:
    def loss(n_broken: int, groups: Any = None) -> Any:
        truth = np.array([0, 1] * 200)
        new = truth.copy()
        new[: 2 * n_broken : 2] = 1
        return gate(
            truth, truth, new, groups=groups, kind="classification", indices=["accuracy"], margin=0.01
        )

    alone = loss(11)
    assert (alone.verdict, len(alone.tested)) == ("fail", 1)
    # The same rows in eight groups, each of them with and without a broken row.
    among = loss(11, np.arange(400) % 8)
    assert among.tested[0].p_fail > alone.tested[0].p_fail
    assert among.tested[0].change == alone.tested[0].change
    assert among.tested[0].status == "undecided"


def test_one_failure_fails_and_one_open_check_leaves_it_open() -> None:
    found = judged(PLANTED, groups=PLANTED["country"])
    assert {check.status for check in found.tested} >= {"pass", "fail"}
    assert found.verdict == "fail"
    assert not found.passed
    open_one = judged(margin={"accuracy": 0.03, "balanced_accuracy": 0.007})
    assert [check.status for check in open_one.tested] == ["pass", "undecided"]
    assert open_one.verdict == "undecided"
    assert judged().passed


# Margins


def test_a_percentage_is_of_the_old_models_value() -> None:
    found = judged(margin="2%", indices=["accuracy", "false_negative_rate"])
    for check in found.tested:
        assert check.margin == pytest.approx(0.02 * check.old)
    assert judged(margin=" 0.02 ").tested[0].margin == 0.02
    assert found.settings["margin"] == "2%"


def test_each_index_has_its_own_margin() -> None:
    found = judged(margin={"accuracy": 0.03, "recall[churn]": "5%", "f1": 0})
    assert [check.name for check in found.tested] == ["accuracy", "recall[churn]", "f1"]
    assert [check.margin for check in found.tested] == pytest.approx([0.03, 0.05 * found.tested[1].old, 0])
    both = judged(margin={"accuracy": 0.03, "f1": 0.02}, superior=["f1"])
    assert [(check.claim, check.name) for check in both.tested] == [
        ("not worse", "accuracy"),
        ("superior", "f1"),
    ]


def test_the_margin_of_a_group_is_that_of_all() -> None:
    found = judged(PLANTED, groups=PLANTED["country"], margin="4%", indices=["accuracy"])
    assert [check.group for check in found.tested] == [None, "DE", "FR", "IT"]
    for check in found.tested:
        assert check.margin == pytest.approx(0.04 * check.old)
        assert (check.status == "pass") == (check.change.low > -check.margin)


@pytest.mark.parametrize(
    "margin", [-0.01, math.nan, math.inf, "x", "%", "-1%", None, True, [0.1], 10**400, "inf"]
)
def test_a_margin_is_a_number_from_0_up(margin: Any) -> None:
    with pytest.raises(InputError, match=r"^margin="):
        judged(margin=margin)
    with pytest.raises(InputError, match=r"^margin="):
        judged(margin={"accuracy": margin})


OF_ALL = "is as wide as the range of accuracy, [0, 1], so that no model can fail"
TOO_WIDE = [
    (2, f"margin=2 {OF_ALL}: write 2 % as 0.02"),
    ("1", f"margin='1' {OF_ALL}: write 1 % as 0.01"),
    ("150 %", f"margin='150 %' {OF_ALL}: take a smaller one"),
    ({"balanced_accuracy": 0.5, "accuracy": 1.5}, f"margin of 1.5 {OF_ALL}: write 1.5 % as 0.015"),
]


@each("margin, message", TOO_WIDE)
def test_a_margin_that_lets_every_model_pass_is_refused(margin: Any, message: str) -> None:
    with raises_line(InputError, message):
        judged(margin=margin)


@each("margin", [0.99, "99%", {"mcc": 1.9}])
def test_a_margin_may_be_nearly_as_wide_as_the_range(margin: Any) -> None:
    truth = np.repeat([0, 1], 500)
    assert gate(truth, truth, 1 - truth, kind="classification", margin=margin).verdict == "fail"


@pytest.mark.parametrize("margin", [np.float32(0.03), np.float64(0.03), np.int64(0), 0, "3%"])
def test_a_margin_may_be_any_number(margin: Any) -> None:
    assert len(judged(margin=margin).tested) == 2


# Superior, equivalent


def test_a_superior_model_is_better() -> None:
    truth = np.tile([0, 1], 200)
    old, new = truth.copy(), truth.copy()
    old[:40] = 1 - old[:40]
    given: dict[str, Any] = {"kind": "classification", "superior": ["accuracy"]}
    found = gate(truth, old, new, **given)
    assert [(check.claim, check.status) for check in found.tested] == [("superior", "pass")]
    # Whatever the margin: it is not that of this claim.
    worse = gate(truth, new, old, margin=0.5, **given)
    assert (worse.verdict, worse.tested[0].margin) == ("fail", 0.0)
    same = gate(truth, old, old, margin=0.5, **given)
    assert (same.verdict, same.tested[0].units_needed) == ("undecided", None)
    assert gate(truth, old, old, assumed_gain=0.1, **given).verdict == "undecided"


def test_an_equivalent_model_changes_in_neither_direction() -> None:
    truth = np.tile([0, 1], 200)
    old = truth.copy()
    old[:40] = 1 - old[:40]
    better = gate(truth, old, truth, kind="classification", equivalent=["accuracy"], margin=0.02)
    assert better.verdict == "fail"
    assert gate(truth, old, truth, kind="classification", indices=["accuracy"], margin=0.02).verdict == "pass"
    assert (
        gate(truth, truth, old, kind="classification", equivalent=["accuracy"], margin=0.02).verdict == "fail"
    )
    check = judged(indices=["accuracy"], equivalent=["f1"], margin=0.03).tested[1]
    assert (check.claim, check.status) == ("equivalent", "pass")
    change = check.change
    assert check.p_value == pytest.approx(max(change.p_above(-0.03), change.p_below(0.03)))
    # Either side may fail, so that the smaller p-value counts twice.
    strict = better.tested[0]
    p = 2 * min(strict.change.p_below(-0.02), strict.change.p_above(0.02))
    assert 0 < p < 0.05
    assert strict.p_fail == pytest.approx(p)


def test_the_worst_of_an_equivalent_model_is_its_farther_end() -> None:
    truth = np.tile([0, 1], 200)
    old = truth.copy()
    old[:12] = 1 - old[:12]
    check = gate(truth, old, truth, kind="classification", equivalent=["accuracy"], margin=0.04).tested[0]
    assert check.status == "undecided"
    assert check.worst == pytest.approx(check.change.high)
    assert check.worst > 0.04


# Broken rows


@pytest.mark.parametrize("limit", [0.01, 0.02, 0.06])
def test_a_rate_of_broken_rows_has_clopper_and_pearsons_limit(limit: float) -> None:
    found = judged(PLANTED, max_broken=limit, indices=["accuracy"])
    check = found.tested[1]
    broken, n = int(((PLANTED.v1 == PLANTED.truth) & (PLANTED.v2 != PLANTED.truth)).sum()), len(PLANTED)
    upper = beta.ppf(0.95, broken + 1, n - broken)
    assert (check.claim, check.name, check.new) == ("broken", "broken", broken / n)
    assert check.worst == pytest.approx(upper)
    assert (check.status == "pass") == (upper < limit)
    assert (check.status == "fail") == (check.p_fail < 0.05)


def test_a_number_of_broken_rows_is_counted() -> None:
    broken = int(((PLAIN.v1 == PLAIN.truth) & (PLAIN.v2 != PLAIN.truth)).sum())
    assert broken == judged().n_broken > 0
    for limit, status in ((broken, "pass"), (broken - 1, "fail"), (np.int64(broken), "pass"), (0, "fail")):
        check = judged(max_broken=limit).tested[-1]
        assert (check.status, check.new, check.margin) == (status, broken, limit)
        assert check.change is None
    assert judged(max_broken=broken - 1).verdict == "fail"


def test_classes_have_limits_of_their_own() -> None:
    found = judged(PLANTED, indices=["accuracy"], max_broken={"churn": 5, "stay": 0.05})
    churn, stay = found.tested[1:]
    truth = PLANTED["truth"]
    lost = {
        name: ((PLANTED.v1 == truth) & (PLANTED.v2 != truth) & (truth == name)).sum()
        for name in ("churn", "stay")
    }
    assert (churn.name, churn.new, churn.status) == ("broken[churn]", lost["churn"], "fail")
    n = int((truth == "stay").sum())
    assert (stay.name, stay.new) == ("broken[stay]", pytest.approx(lost["stay"] / n))
    assert stay.worst == pytest.approx(beta.ppf(0.95, lost["stay"] + 1, n - lost["stay"]))
    with raises_line(InputError, "max_broken= has 'gone', which is not among the classes: churn, move, stay"):
        judged(max_broken={"gone": 5})
    codes = np.unique(PLANTED["truth"], return_inverse=True)[1]
    by_number = gate(codes, codes, codes, kind="classification", max_broken={0: 0, "1": 0})
    assert [check.name for check in by_number.tested[2:]] == ["broken[0]", "broken[1]"]


@pytest.mark.parametrize("limit", [-1, 1.0, 1.5, math.nan, "5", True, [5], {"churn": None}, 10**400])
def test_a_limit_is_a_number_or_a_share(limit: Any) -> None:
    with pytest.raises(
        InputError, match="is neither a whole number of instances nor a share below 1 of them"
    ):
        judged(max_broken=limit)


def test_units_make_a_rate_less_sure() -> None:
    one = judged(PLANTED, max_broken=0.06).tested[-1]
    other = judged(PLANTED, max_broken=0.06, units=PLANTED["ward"]).tested[-1]
    sizes = PLANTED["ward"].value_counts().to_numpy()
    effective = sizes.sum() ** 2 / float(sizes @ sizes)
    x = one.new * effective
    assert other.worst == pytest.approx(beta.ppf(0.95, x + 1, effective - x))
    assert other.worst > one.worst


# Groups


def test_a_planted_regression_is_named_with_its_class_and_country() -> None:
    given: dict[str, Any] = {"indices": ["accuracy", "recall[churn]"], "margin": 0.08}
    found = judged(PLANTED, groups={"country": PLANTED["country"]}, **given)
    assert found.verdict == "fail"
    assert found.sentences()[1].startswith("recall[churn] in FR went from ")
    assert "class churn in FR lost most: " in found.sentences()[2]
    assert found.broken_table().rows[0][:2] == ("FR", "churn")
    failed = {(check.name, check.group) for check in found.tested if check.status == "fail"}
    assert ("recall[churn]", "FR") in failed
    assert not failed & {(name, group) for name in ("accuracy", "recall[churn]") for group in ("DE", "IT")}
    # The same rows without it pass.
    assert judged(PLAIN, groups=PLAIN["country"], **given).verdict == "pass"


@pytest.mark.parametrize(
    "given",
    [
        lambda f: {"country": f["country"], "device": f["device"]},
        lambda f: f[["country", "device"]],
        lambda f: pl.DataFrame(f[["country", "device"]].to_dict("list")),
        lambda f: f[["device", "country"]][["country", "device"]].astype("category"),
    ],
)
def test_groups_are_crossed(given: Any) -> None:
    found = judged(PLANTED, groups=given(PLANTED), indices=["accuracy"])
    groups = [check.group for check in found.tested[1:]]
    assert groups == [(c, d) for c in ("DE", "FR", "IT") for d in "ab"]
    own = PLANTED[(PLANTED.country == "FR") & (PLANTED.device == "b")]
    alone = judged(own, indices=["accuracy"]).tested[0]
    check = found.tested[groups.index(("FR", "b")) + 1]
    assert check.change == alone.change
    assert check.title == "Accuracy in FR, b"


def test_a_group_without_a_name_is_seen() -> None:
    found = judged(PLAIN, groups=PLAIN["country"].replace("DE", ""), indices=["accuracy"])
    assert [check.title for check in found.tested] == [
        "Accuracy",
        "Accuracy in ''",
        "Accuracy in FR",
        "Accuracy in IT",
    ]


def test_units_may_lie_in_several_groups() -> None:
    found = judged(PLANTED, groups=PLANTED["country"], units=PLANTED["ward"], indices=["accuracy"])
    for check in found.tested[1:]:
        own = PLANTED[PLANTED.country == check.group]
        alone = judged(own, units=own["ward"], indices=["accuracy"]).tested[0]
        assert check.change == alone.change


def test_small_groups_are_not_checked_apart_and_spoken_of() -> None:
    sizes = PLAIN["country"].value_counts()
    least = int(sizes.max())
    found = judged(groups=PLAIN["country"], smallest_group=least, indices=["accuracy"])
    assert [check.group for check in found.tested] == [None, sizes.idxmax()]
    note = next(own for own in found.warnings if own.code == "small-groups")
    names = "; ".join(sorted(set(sizes.index) - {sizes.idxmax()}))
    assert str(note) == f"note: 2 groups have fewer than {least} instances: not checked apart: {names}"
    assert len(judged(groups=PLAIN["country"], smallest_group=int(sizes.min())).tested) == 8
    for bad in (-1, "x", 1.5, None):
        with pytest.raises(InputError, match="smallest_group="):
            judged(smallest_group=bad)


def test_the_size_of_a_group_is_counted_in_units_however_uneven_they_are() -> None:
    # In each group 20 units; in "b" one of them has most of the rows, so that it counts as hardly two.
    units = np.concatenate([np.arange(600) % 20, np.maximum(np.arange(600) - 580, 0) + 100])
    groups = {"of": np.repeat(["a", "b"], 600), "too": np.repeat(["x", "y"], 600)}
    for least, checked in ((20, [None, ("a", "x"), ("b", "y")]), (21, [None])):
        found = judged(units=units, groups=groups, smallest_group=least, indices=["accuracy"])
        assert [check.group for check in found.tested] == checked
    note = next(own for own in found.warnings if own.code == "small-groups")
    assert str(note) == "note: 2 groups have fewer than 21 units: not checked apart: a, x; b, y"
    many = judged(groups=np.arange(1200) // 30, smallest_group=31, indices=["accuracy"]).warnings
    assert any(str(own).endswith("18; 19; and 20 more") for own in many)


def test_a_class_that_a_group_lacks_is_checked_in_the_others() -> None:
    own = PLAIN[~((PLAIN.country == "IT") & (PLAIN.truth == "churn"))]
    found = judged(own, groups=own["country"], indices=["recall[churn]"], max_broken={"churn": 9})
    groups = [(check.name, check.group) for check in found.tested]
    assert ("recall[churn]", "DE") in groups
    assert ("broken[churn]", "DE") in groups
    assert ("recall[churn]", "IT") not in groups
    assert ("broken[churn]", "IT") not in groups


# Units


def test_a_unit_a_row_is_no_unit() -> None:
    one, other = judged(PLANTED), judged(PLANTED, units=np.random.default_rng(0).permutation(len(PLANTED)))
    assert known(one) == known(other)
    assert (one.unit_word, other.unit_word) == ("row", "unit")


def test_units_make_a_change_less_sure() -> None:
    units = np.arange(len(PLAIN)) // 24
    one, other = judged(), judged(units=units)
    assert other.tested[0].new == one.tested[0].new
    assert other.tested[0].change.freedom <= 49
    twice = pd.concat([PLAIN, PLAIN], ignore_index=True)
    again = judged(twice, units=np.tile(np.arange(len(PLAIN)), 2), indices=["balanced_accuracy"]).tested[0]
    plain = judged(indices=["balanced_accuracy"]).tested[0]
    assert again.change.error == pytest.approx(plain.change.error, rel=0.05)


@pytest.mark.parametrize("of", ["rows", "units"])
def test_fewer_than_ten_decide_nothing_and_thirty_are_enough(of: str) -> None:
    def few(n: int) -> Any:
        frame = gate_rows(n if of == "rows" else 10 * n, seed=3)
        frame["v1"] = frame["truth"]
        frame.loc[: len(frame) // 2, "v2"] = frame["truth"].map(
            {"stay": "move", "move": "churn", "churn": "stay"}
        )
        return judged(frame, units=None if of == "rows" else np.arange(len(frame)) % n)

    found = few(9)
    assert {check.status for check in found.tested} == {"undecided"}
    assert {check.reason.split(" ", 3)[2] for check in found.tested} == {"10"}
    word = "rows" if of == "rows" else "effective units"
    assert found.tested[0].reason == f"fewer than 10 {word} do not tell how a score varies"
    codes = [[own.code for own in few(n).warnings] for n in (9, 10, 29, 30)]
    assert ["few-units-for-a-margin" in own for own in codes] == [False, True, True, False]


def test_few_rows_of_one_group_are_spoken_of_whatever_the_others_have() -> None:
    groups = np.repeat(["large", "small", "tiny"], [len(PLAIN) - 25, 20, 5])
    found = judged(groups=groups)
    (said,) = (own.message for own in found.warnings if own.code == "few-units-for-a-margin")
    assert said.startswith("in small: with 10 to 30 units")
    left = judged(groups=groups, smallest_group=30)
    assert "few-units-for-a-margin" not in [own.code for own in left.warnings]


def test_forty_rows_are_undecided_and_it_says_how_many_are_needed() -> None:
    truth = np.tile([0, 1], 20)
    old, new = truth.copy(), truth.copy()
    old[[3, 7]] = 1 - old[[3, 7]]
    new[[5, 9]] = 1 - new[[5, 9]]
    found = gate(truth, old, new, kind="classification", margin=0.02)
    assert found.verdict == "undecided"
    assert found.units_needed is not None
    assert 1000 < found.units_needed < 3000
    assert "There are 40 rows; about " in found.sentences()[1]
    assert found.sentences()[1].endswith(" would be enough if the models are equally good.")
    assert max(check.units_needed for check in found.tested) == found.units_needed
    # The same data so often as that pass.
    times = math.ceil(found.units_needed / 40)
    again = gate(
        np.tile(truth, times), np.tile(old, times), np.tile(new, times), kind="classification", margin=0.02
    )
    assert again.verdict == "pass"
    hopeful = gate(truth, old, new, kind="classification", margin=0.02, assumed_gain=0.02)
    assert hopeful.units_needed < found.units_needed / 3


def test_a_gain_that_is_no_number_is_refused() -> None:
    for bad in ("x", None, math.nan, math.inf):
        with pytest.raises(InputError, match="assumed_gain="):
            judged(assumed_gain=bad)


def test_models_that_never_differ_have_a_limit_all_the_same() -> None:
    truth = np.tile([0, 1], 100)
    for n, verdict in ((200, "undecided"), (2000, "pass")):
        own = np.resize(truth, n)
        found = gate(own, own, own, kind="classification", indices=["f1"])
        check = found.tested[0]
        # An instance of the smaller class, which has half of them, counts as much as all of it.
        assert check.change.low == -check.change.high == pytest.approx(-(1 - 0.05 ** (2 / n)))
        assert found.verdict == verdict
        assert check.units_needed == 597
        assert "no row changes the difference" in check.reason


def test_a_model_that_says_one_class_alone_fails() -> None:
    truth = np.tile([0, 1], 100)
    found = gate(truth, truth, np.zeros(200, int), kind="classification", indices=["balanced_accuracy"])
    assert found.verdict == "fail"
    assert found.tested[0].change.value == pytest.approx(-0.5)


@pytest.mark.parametrize("n", [200, 5000])
def test_the_same_model_twice_passes_with_many_rows(n: int) -> None:
    truth = np.arange(n) % 2
    p = np.where(truth == 1, 0.8, 0.3)
    found = gate(truth, np.c_[1 - p, p], np.c_[1 - p, p])
    assert [check.name for check in found.tested] == ["accuracy", "balanced_accuracy", "log_loss"]
    assert found.passed == (n == 5000)
    clusterings = gate(truth, truth, truth, kind="clustering")
    assert clusterings.passed == (n == 5000)


# What is compared


def test_the_order_of_rows_changes_nothing() -> None:
    order = np.random.default_rng(2).permutation(len(PLANTED))
    other = PLANTED.iloc[order]
    given: dict[str, Any] = {"max_broken": 0.1, "indices": ["accuracy", "f1", "recall[churn]"]}
    one = judged(PLANTED, groups=PLANTED["country"], units=PLANTED["ward"], **given)
    two = judged(other, groups=other["country"], units=other["ward"], **given)
    assert [row[:4] for row in known(one)] == [row[:4] for row in known(two)]
    for first, second in zip(one.tested, two.tested, strict=True):
        assert (first.change.low, first.change.high) == pytest.approx((second.change.low, second.change.high))
    assert one.sentences() == two.sentences()
    assert set(one.broken["row"]) == set(order[two.broken["row"]])


def test_swapped_models_gain_what_the_others_lost() -> None:
    one, other = judged(PLANTED), gate(PLANTED["truth"], PLANTED["v2"], PLANTED["v1"], margin=0.03)
    assert (one.n_broken, one.n_fixed) == (other.n_fixed, other.n_broken)
    for first, second in zip(one.tested, other.tested, strict=True):
        assert (first.old, first.new) == (second.new, second.old)
        assert (first.change.low, first.change.high) == pytest.approx(
            (-second.change.high, -second.change.low)
        )
    assert (one.verdict, other.verdict) == ("fail", "pass")


CONTAINERS: dict[str, Any] = {
    "list": lambda s: s.tolist(),
    "tuple": lambda s: tuple(s),
    "iterator": lambda s: iter(s.tolist()),
    "numpy": lambda s: s.to_numpy(),
    "pandas": lambda s: s,
    "categorical": lambda s: s.astype("category"),
    "other index": lambda s: s.set_axis(s.index[::-1] * 3),
    "polars": lambda s: pl.Series(s.tolist()),
    "pyarrow": lambda s: pa.array(s.tolist()),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_labels_of_any_kind(container: str) -> None:
    make = CONTAINERS[container]
    found = gate(*(make(PLANTED[name]) for name in ("truth", "v1", "v2")), margin=0.03)
    assert known(found) == known(judged(PLANTED))
    if container != "iterator":
        expected = PLANTED.reset_index()[(PLANTED.v1 == PLANTED.truth) & (PLANTED.v2 != PLANTED.truth)]
        rows = found.rows_of("right_wrong")
        assert rows.columns == ("row", "truth", "old", "new")
        assert list(rows.rows) == [
            tuple(row) for row in expected[["index", "truth", "v1", "v2"]].to_numpy().tolist()
        ]


def test_rows_that_broke_and_that_were_put_right() -> None:
    found = judged(PLANTED, groups={"country": PLANTED["country"]}, units=PLANTED["ward"])
    right_before, right_now = PLANTED.v1 == PLANTED.truth, PLANTED.v2 == PLANTED.truth
    for rows, where in ((found.broken, right_before & ~right_now), (found.fixed, ~right_before & right_now)):
        assert list(rows.columns) == ["row", "truth", "old", "new", "unit", "country"]
        assert rows["row"].tolist() == np.flatnonzero(where).tolist()
        for name, column in (
            ("truth", "truth"),
            ("old", "v1"),
            ("new", "v2"),
            ("unit", "ward"),
            ("country",) * 2,
        ):
            assert rows[name].tolist() == PLANTED.loc[where, column].tolist()
    assert len(found.broken) == found.n_broken
    assert isinstance(gate(pl.Series(["a", "b"] * 20), ["a"] * 40, ["b"] * 40).broken, pl.DataFrame)


def test_missing_labels_are_left_out_for_both_models() -> None:
    holes = PLANTED.astype(object)
    holes.loc[[1, 5], "truth"] = None
    holes.loc[[7, 8, 9], "v2"] = None
    kept = PLANTED.drop(index=[1, 5, 7, 8, 9])
    with pytest.raises(InputError, match="missing label at position 1"):
        judged(holes)
    found = judged(holes, missing="drop")
    assert known(found) == known(judged(kept))
    # Positions are those of the rows as given.
    where = (kept.v1 == kept.truth) & (kept.v2 != kept.truth)
    assert found.broken["row"].tolist() == kept.index[where].tolist()


def test_frequencies_count_rows_as_often_as_they_stand() -> None:
    times = np.random.default_rng(4).integers(1, 4, len(PLANTED))
    many = PLANTED.loc[PLANTED.index.repeat(times)]
    for given in ({"sample_weight": times, "weights": "frequency"}, {"counts": times}):
        found = judged(PLANTED, max_broken=0.05, **given)
        assert known(found) == known(judged(many, max_broken=0.05))


def test_sampling_weights_weigh_and_decide_less() -> None:
    weights = np.random.default_rng(4).exponential(size=len(PLANTED))
    found = judged(PLANTED, sample_weight=weights, weights="importance", max_broken=0.1)
    right = (PLANTED.v2 == PLANTED.truth).to_numpy()
    assert found.tested[0].new == pytest.approx(np.average(right, weights=weights))
    for scale in (0.5, 7, 1e9):
        scaled = judged(PLANTED, sample_weight=scale * weights, weights="importance", max_broken=0.1)
        for one, other in zip(found.tested, scaled.tested, strict=True):
            assert (one.change.low, one.change.high) == pytest.approx((other.change.low, other.change.high))
            assert one.units_needed == pytest.approx(other.units_needed, abs=1)
    # As many instances of one weight would vary as much.
    n, share = weights.sum() ** 2 / float(weights @ weights), found.tested[2].new
    assert found.tested[2].worst == pytest.approx(beta.ppf(0.95, share * n + 1, n - share * n))
    plain = judged(PLANTED).tested[0].change
    assert found.tested[0].change.error > 1.1 * plain.error


# Probabilities and decision values


def test_probabilities_in_the_place_of_labels() -> None:
    old, new = (gate_probabilities(PLANTED, name, seed) for seed, name in enumerate(("v1", "v2")))
    found = gate(PLANTED["truth"], old, new, margin=0.03)
    assert [check.name for check in found.tested] == ["accuracy", "balanced_accuracy", "log_loss"]
    assert known(found)[:2] == known(judged(PLANTED))
    codes = np.unique(PLANTED["truth"], return_inverse=True)[1]
    losses = [-np.log(own[np.arange(len(codes)), codes]) for own in (old, new)]
    check = found.tested[2]
    assert (check.old, check.new) == pytest.approx(tuple(loss.mean() for loss in losses))
    gain = losses[0] - losses[1]
    assert check.change.value == pytest.approx(gain.mean())
    assert check.change.error == pytest.approx(gain.std(ddof=1) / math.sqrt(len(gain)), rel=0.1)
    assert check.worst == pytest.approx(-check.change.low)
    assert found.broken.columns.tolist() == ["row", "truth"]
    for given in (
        {"old": old.tolist(), "new": new.tolist()},
        {"probabilities": {"old": old, "new": new}},
        {"probabilities": {"new": new, "old": old}},
        {"old": PLANTED["v1"], "new": PLANTED["v2"], "probabilities": {"old": old, "new": new}},
    ):
        assert known(gate(PLANTED["truth"], **given, margin=0.03)) == known(found)


def test_probabilities_of_one_column_and_decision_values() -> None:
    truth = (PLANTED["truth"] == "churn").astype(int).to_numpy()
    p = [gate_probabilities(PLANTED, name)[:, 0] for name in ("v1", "v2")]
    found = gate(truth, probabilities={"old": p[0], "new": p[1]}, indices=["brier", "roc_auc"], margin=0.01)
    losses = [(own - truth) ** 2 for own in p]
    check = found.tested[0]
    assert check.new - check.old == pytest.approx(float((losses[1] - losses[0]).mean()))
    assert check.status == "fail"
    labels = [(own > 0.5).astype(int) for own in p]
    scored = gate(
        truth, *labels, scores={"old": np.log(p[0]), "new": np.log(p[1])}, indices=["roc_auc"], margin=0.01
    )
    assert scored.tested[0].old == pytest.approx(found.tested[1].old)
    assert scored.tested[0].change.low == pytest.approx(found.tested[1].change.low)


def test_what_is_missing_or_given_twice() -> None:
    p = gate_probabilities(PLAIN, "v1")
    truth, old = PLAIN["truth"], PLAIN["v1"]
    with raises_line(InputError, "new is missing: give the labels, or the probabilities, of both models"):
        gate(truth, old)
    with raises_line(InputError, "old is missing: give the labels, or the probabilities, of both models"):
        gate(truth, new=old)
    with pytest.raises(InputError, match="new has a column for each class, and the other model has labels"):
        gate(truth, old, p)
    with pytest.raises(InputError, match="old and new are probabilities: leave out"):
        gate(truth, p, p, probabilities={"old": p, "new": p})
    for name in ("probabilities", "scores"):
        with raises_line(InputError, f'{name}= is a mapping of "old" and "new" to their values'):
            gate(truth, old, old, **{name: {"one": p}})
    with raises_line(InputError, "new is missing: give the labels, or the probabilities, of both models"):
        gate(truth, probabilities={"old": p})
    with raises_line(InputError, "prediction= is of two tables: pass key= as well"):
        gate(truth, old, old, prediction="v1")


# Clusterings


CLUSTERS = PLANTED.replace({"stay": 1, "churn": 2, "move": 3})


def test_clusterings_are_compared_by_pairs() -> None:
    given = [CLUSTERS[name] for name in ("truth", "v1", "v2")]
    found = gate(*given, kind="clustering", margin=0.02)
    assert [check.name for check in found.tested] == ["adjusted_rand", "ami"]
    both = compare(given[0], {"old": given[1], "new": given[2]}, kind="clustering", confidence=0.9,
                   indices=["adjusted_rand", "ami"])  # fmt: skip
    for check in found.tested:
        value, low, high = gains(check, both)
        assert (check.change.value, check.change.low, check.change.high) == pytest.approx((value, low, high))
    assert found.verdict == "fail"
    assert found.n_broken == both["old", "new"].right_wrong
    rows = found.broken
    assert list(rows.columns) == ["row", "pairs", "truth", "old", "new"]
    assert rows["pairs"].sum() == 2 * found.n_broken
    assert rows["pairs"].is_monotonic_decreasing
    assert "pairs of instances that were right are wrong now" in found.sentences()[2]
    assert gate(*given, kind="clustering", margin=0.02, units=CLUSTERS["ward"]).tested[0].change is not None


def test_what_the_labels_are_is_found_and_said() -> None:
    words = [own.code for own in judged().warnings]
    assert "judged-as-classes" not in words
    numbers = gate(*(CLUSTERS[name] for name in ("truth", "v1", "v2")))
    assert [own.code for own in numbers.warnings] == ["judged-as-classes"]
    with raises_line(
        InputError,
        "the models have labels such as 1, but none of the truth, such as 'churn': give them the names of the truth "
        "if they are classes, or pass kind='clustering'",
    ):
        gate(PLAIN["truth"], CLUSTERS["v1"], CLUSTERS["v2"])
    assert (
        gate(*(CLUSTERS[n] for n in ("truth", "v1", "v2")), indices=["ami"]).comparison.kind == "clustering"
    )
    for wrong in ("raters", "x", 5):
        with pytest.raises(InputError, match="is not known: choose one of 'clustering', 'classification'"):
            judged(kind=wrong)


def test_what_clusterings_do_not_have() -> None:
    given = [CLUSTERS[name] for name in ("truth", "v1", "v2")]
    with pytest.raises(
        InputError, match="max_broken= counts instances, but here pairs of instances are right or wrong"
    ):
        gate(*given, kind="clustering", max_broken=5)


# What is asked for


def test_a_gate_that_checks_nothing_is_refused() -> None:
    message = "nothing is checked: name what must not become worse in indices="
    for given in ({"indices": []}, {"margin": {}}, {"indices": (), "max_broken": {}}):
        with raises_line(InputError, message):
            judged(**given)
    assert [check.claim for check in judged(indices=[], max_broken=0).tested] == ["broken"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"indices": ["no_such"]}, "no_such"),
        ({"indices": ["precision[churn]"]}, "of a single class only its recall is checked, as 'recall\\[CLASS\\]'"),
        ({"indices": ["recall[stay]"], "kind": "clustering"}, "only if each row has one class: leave it out"),
        ({"indices": ["recall[gone]"]}, "no instance is of class 'gone'; choose from churn, move, stay"),
        ({"indices": ["accuracy"], "margin": {"f1": 0.1}}, "margin has nothing for accuracy: add it"),
        ({"indices": ["accuracy"], "margin": {"accuracy": 0.1, "f1": 0.1}}, "'f1', which is not checked"),
        ({"confidence": 0.5}, "confidence=0.5 is not between 0.5 and 1"),
        ({"confidence": 95}, "confidence=95 is not between 0.5 and 1"),
        ({"confidence": "x"}, "confidence='x' is not between 0.5 and 1"),
        ({"indices": 5}, "indices=5: a sequence of names is needed"),
        ({"indices": [5]}, "name an index by a str"),
        ({"equivalent": [["accuracy"]], "margin": {"accuracy": 0.1}}, "name an index by a str"),
        ({"units": [1, 2]}, "units"),
        ({"groups": [1, 2]}, "groups"),
    ],
)  # fmt: skip
def test_wrong_settings_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(adjudge.errors.AdjudgeError, match=message):
        judged(**given)


def test_an_option_that_nothing_has_is_named() -> None:
    with pytest.raises(InputTypeError, match="has no option nosuch="):
        judged(nosuch=1)


def test_an_index_that_is_named_twice_is_checked_once() -> None:
    record = adjudge.find_index("accuracy", "classification")
    assert len(judged(indices=["accuracy", record, "accuracy"]).tested) == 1
    assert [check.name for check in judged(indices="accuracy").tested] == ["accuracy"]
    assert [check.name for check in judged(indices=record, superior="f1").tested] == ["accuracy", "f1"]


def test_the_confidence_is_that_of_one_end() -> None:
    for confidence in (0.9, 0.95, 0.99):
        found = judged(confidence=confidence)
        assert found.confidence == confidence
        assert found.comparison.settings["confidence"] == pytest.approx(2 * confidence - 1)
        assert found.settings["confidence"] == confidence


def test_passing_is_at_the_full_level_however_many_checks_there_are() -> None:
    given: dict[str, Any] = {"groups": PLAIN["country"], "indices": ["accuracy", "f1"]}
    for check in judged(**given).tested:
        again = judged(margin=1.0001 * -check.change.low, **given)
        same = next(own for own in again.tested if (own.name, own.group) == (check.name, check.group))
        assert same.status == "pass"
        assert 0.045 < same.p_value < 0.05


# Several labels an instance


def test_several_labels_an_instance() -> None:
    """Scores are means over instances."""
    rng = np.random.default_rng(4)
    truth = rng.random((400, 3)) < 0.3
    old, new = truth ^ (rng.random((400, 3)) < 0.1), truth ^ (rng.random((400, 3)) < 0.05)
    given = [own.astype(int) for own in (truth, old, new)]
    found = gate(*given, kind="multilabel", indices=["subset_accuracy", "hamming_loss"])
    exact, hamming = found.tested
    right = [(truth == said).all(axis=1).astype(float) for said in (old, new)]
    wrong = [(truth != said).mean(axis=1) for said in (old, new)]
    for check, gains in ((exact, right[1] - right[0]), (hamming, wrong[0] - wrong[1])):
        assert check.change is not None
        assert check.change.value == pytest.approx(gains.mean())
        assert (check.change.low + check.change.high) / 2 == pytest.approx(gains.mean(), rel=1e-2)
        error = gains.std(ddof=1) / 20
        quantile = (check.change.high - check.change.low) / (2 * error)
        assert 1.645 < quantile < 1.75
    broken = found.rows_of("right_wrong")
    assert broken.columns == ("row", "label")
    assert len(broken.rows) == found.n_broken == int(((truth == old) & (truth != new)).sum())
    assert "pairs of a row and a label that were right are wrong now" in found.sentences()[-1]
    assert {own.name for own in gate(*given, kind="multilabel").tested} == {"subset_accuracy", "micro_f1"}
    units = gate(*given, kind="multilabel", units=np.arange(400) // 8)
    assert units.comparison.n_units == 50
    with pytest.raises(InputError, match="counts instances, but here pairs of an instance and a label are"):
        gate(*given, kind="multilabel", max_broken=3)


def test_the_error_of_clustered_rows_is_that_of_evaluation_harnesses() -> None:
    """Miller (2024), Adding error bars to evals, eq. 4, but for the factor G / (G - 1) of few clusters."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 12, 60)
    units = np.repeat(np.arange(60), sizes)
    truth = rng.integers(0, 2, units.size)
    of_unit = rng.random(60)[units]
    old = np.where(rng.random(units.size) < 0.85, truth, 1 - truth)
    new = np.where((of_unit < 0.2) & (rng.random(units.size) < 0.6), 1 - truth, old)
    found = gate(truth, old, new, kind="classification", units=units, indices=["accuracy"])
    gains = (new == truth).astype(float) - (old == truth)
    off = gains - gains.mean()
    squared = sum(off[units == unit].sum() ** 2 for unit in range(60)) / units.size**2
    change = found.tested[0].change
    assert change is not None
    assert change.value == pytest.approx(gains.mean())
    # What the score loses without a unit is more than its part, the more so for a large one.
    plain = (squared * 60 / 59) ** 0.5
    assert plain < change.error < 1.15 * plain


def test_only_brackets_outside_of_parameters_name_a_class() -> None:
    truth, old, new = (
        np.where(PLAIN[name] == PLAIN["truth"].iloc[0], 1, 0) for name in ("truth", "v1", "v2")
    )
    costs = "expected_cost(costs=[[0,1],[20,0]])"
    for asked in ({"margin": {costs: 0.9}}, {"indices": costs, "margin": 0.9}, {"superior": [costs]}):
        (check,) = gate(truth, old, new, **asked).tested
        assert check.title == "Expected cost (costs=[[0, 1], [20, 0]])"
    assert gate(truth, old, new, indices=["recall[1]", "f1( beta=2 )"]).tested[1].name == "f1(beta=2)"
    with pytest.raises(InputError, match="of a single class only its recall is checked"):
        gate(truth, old, new, indices="precision[1]")
