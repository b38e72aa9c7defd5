"""Demographic parity and equalized odds between groups: the definitions, fairlearn's values, intervals, displays."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.differences.groups import limits_of_largest
from conftest import as_number, case_name, raises_line, read_reference, reference_cases

NAMES = (
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equalized_odds_difference",
    "equalized_odds_ratio",
)
RATES = ("selection_rate", "recall", "false_positive_rate")


def judged(truth: Any, said: Any, groups: Any, **options: Any) -> Any:
    return adjudge.evaluate(
        truth,
        said,
        groups=groups,
        kind="classification",
        indices=["accuracy", *RATES],
        classes=[0, 1],
        **options,
    )


def drawn(seed: int, n: int = 120, names: str = "abc") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    groups = rng.choice(list(names), n)
    truth = rng.integers(0, 2, n)
    said = (rng.random(n) < 0.2 + 0.2 * (groups == "a") + 0.4 * truth).astype(int)
    return truth, said, groups


def twin(truth: Any, said: Any, groups: Any, weights: Any) -> dict[str, float]:
    """The definitions, instance by instance."""
    rows = list(zip(truth, said, groups, weights, strict=True))

    def share(group: Any, among: Any) -> float:
        known = [(p, w) for t, p, g, w in rows if g == group and t in among]
        return sum(w for p, w in known if p == 1) / sum(w for _, w in known)

    ends = []
    for among in ((0, 1), (1,), (0,)):
        shares = [share(group, among) for group in set(groups)]
        ends.append((min(shares), max(shares)))
    gaps, ratios = [b - a for a, b in ends], [a / b for a, b in ends]
    return dict(zip(NAMES, (gaps[0], ratios[0], max(gaps[1:]), min(ratios[1:])), strict=True))


@pytest.mark.parametrize("path", reference_cases("classifiers/disparities"), ids=case_name)
def test_disparities_are_those_of_fairlearn(path: Path) -> None:
    case = read_reference(path)
    theirs = case["fairlearn 0.15.0"]
    found = judged(
        case["labels_true"], case["labels_pred"], case["groups"], sample_weight=case["sample_weight"]
    )
    assert tuple(own.name for own in found.disparities) == NAMES
    for rate, values in theirs["by_group"].items():
        for group, wanted in values.items():
            own = found.by_group[group][rate]
            if math.isnan(own):
                assert (group, rate) == ("a", "recall")
                assert "no_positives" in path.name
            else:
                assert own == pytest.approx(wanted)
    for own in found.disparities:
        wanted = as_number(theirs[own.name])
        if "no_positives" in path.name and own.name.startswith("equalized"):
            assert math.isnan(own.value)
            assert own.reason == "a: 0/0: class 1 does not occur in the truth"
        else:
            assert own.value == pytest.approx(wanted, nan_ok=True)
            assert math.isnan(wanted) is (own.reason is not None)


@pytest.mark.parametrize("weighted", [False, True])
def test_disparities_by_their_definition(weighted: bool) -> None:
    for seed in range(5):
        truth, said, groups = drawn(seed)
        weights = np.random.default_rng(seed).uniform(0.5, 2, truth.size) if weighted else np.ones(truth.size)
        found = judged(truth, said, groups, sample_weight=weights if weighted else None)
        wanted = twin(truth.tolist(), said.tolist(), groups.tolist(), weights.tolist())
        assert {own.name: own.value for own in found.disparities} == pytest.approx(wanted)
        for own in found.disparities:
            high, low = (found.by_group[group][own.rate] for group in (own.highest, own.lowest))
            assert own.value == pytest.approx(high - low if own.name.endswith("difference") else low / high)


@pytest.mark.parametrize("names", ["ab", "abcd"])
def test_intervals_follow_from_those_of_all_pairs_at_a_corrected_level(names: str) -> None:
    truth, said, groups = drawn(9, 200, names)
    found = judged(truth, said, groups, confidence=0.9)
    pairs = list(itertools.combinations(names, 2))
    for own, among in ((found.disparities[0], ((0, 1),)), (found.disparities[2], ((1,), (0,)))):
        z = normal_quantile(1 - 0.1 / (len(pairs) * len(among)))
        lows, highs = [0.0], []
        for kept, (one, other) in itertools.product(among, pairs):
            parts = [said[(groups == g) & np.isin(truth, kept)] for g in (one, other)]
            (p, (a, b)), (q, (c, d)) = ((x.mean(), wilson(x.mean(), x.size, z)) for x in parts)
            low, high = p - q - math.hypot(p - a, d - q), p - q + math.hypot(b - p, q - c)
            lows += [low, -high]
            highs += [high, -low]
        assert own.interval == pytest.approx((max(lows), max(highs)))
        assert own.low <= own.value <= own.high
    for own in (found.disparities[1], found.disparities[3]):
        assert own.interval is None
        assert own.interval_reason == "no interval of a ratio of extremes: see that of the difference"
    assert limits_of_largest([(-0.2, 0.1)]) == (0.0, 0.2)


def test_intervals_of_units_and_weights() -> None:
    truth, said, groups = drawn(3, 300)
    units = np.arange(300) // 5
    found = judged(truth, said, groups, units=units, confidence=0.95)
    plain = judged(truth, said, groups, confidence=0.95)
    assert found.disparities[0].value == plain.disparities[0].value
    assert found.disparities[0].interval != plain.disparities[0].interval
    assert found.disparities[2].low <= found.disparities[2].value <= found.disparities[2].high
    weighed = judged(truth, said, groups, sample_weight=np.full(300, 0.5), confidence=0.95)
    assert (
        weighed.disparities[0].interval_reason == "a and b: weights do not say how many instances there are"
    )
    many = judged(truth, said, np.arange(300) % 21, confidence=0.95)
    assert many.disparities[0].interval_reason == "no interval: there are more than 20 groups"
    assert judged(truth, said, groups).disparities[0].interval_reason is None


def test_disparities_need_a_positive_class_and_two_groups() -> None:
    alone = judged([0, 1], [0, 1], ["a", "a"])
    three = adjudge.evaluate([0, 1, 2], [0, 1, 2], groups=list("aba"), kind="classification")
    for found in (alone, three):
        assert found.disparities == ()
        assert found.to_dict()["group_disparities"] == []
        with pytest.raises(InputError, match="name it as positive="):
            found.disparities_table()
    named = adjudge.evaluate(
        [0, 1, 2, 1], [0, 1, 1, 1], groups=list("abab"), kind="classification", positive=1
    )
    assert named.disparities[0].value == 0.5
    assert named.disparities_table().title == "Between groups, predicted as 1"


def test_disparities_are_shown_saved_and_plain(tmp_path: Path) -> None:
    truth, said, groups = drawn(4)
    found = judged(truth, said, groups, confidence=0.95)
    for shown in (repr(found), found._repr_html_()):
        assert "demographic_parity_difference" in shown
        assert "hold at least at their level" in shown
    told = json.loads(json.dumps(found.to_dict()))["group_disparities"]
    assert [row["name"] for row in told] == list(NAMES)
    assert told[0]["interval"] == [found.disparities[0].low, found.disparities[0].high]
    found.save(tmp_path / "judged.json")
    assert adjudge.load(tmp_path / "judged.json").disparities == found.disparities
    same = judged([0, 1, 0, 1], [1, 1, 1, 1], list("aabb"))
    assert [(own.value, own.highest, own.lowest) for own in same.disparities[::2]] == [(0.0, None, None)] * 2


def test_the_few_scores_that_are_asked_for_are_all_shown_by_group() -> None:
    truth, said = ["a", "b", "b", "a"] * 5, ["a", "b", "a", "a"] * 5
    asked = ["recall", "selection_rate", "precision"]
    found = adjudge.evaluate(
        truth, said, kind="classification", positive="b", groups=["x", "y"] * 10, indices=asked
    )
    assert "group   n  recall of b  selection_rate of b  precision of b" in str(found)


def test_a_rate_that_few_units_decide_has_no_interval() -> None:
    """Each group has 25 units, but only six of those of one group have rows of the class: recall rests on these."""
    rng = np.random.default_rng(0)
    units = np.arange(400) // 8
    groups = np.where(units < 25, "a", "b")
    truth = (rng.random(400) < 0.5) & ((units < 6) | (units >= 25))
    said = np.where(rng.random(400) < 0.8, truth, ~truth)
    found = {own.name: own for own in judged(truth, said, groups, units=units, confidence=0.95).disparities}
    assert found["demographic_parity_difference"].interval is not None
    refused = found["equalized_odds_difference"]
    assert refused.interval is None
    assert "6 units" in refused.interval_reason
    assert not math.isnan(refused.value)


def test_the_first_score_that_was_asked_for_is_compared_with_the_rest() -> None:
    truth, said, groups = drawn(4)
    asked = {"groups": groups, "kind": "classification", "positive": 1, "confidence": 0.95}
    for names in (["recall"], ["recall", "accuracy"]):
        shown = str(adjudge.evaluate(truth, said, indices=names, **asked))
        assert "Each group against the rest: recall" in shown
        assert "Each group against the rest: accuracy" not in shown


def test_what_is_asked_of_groups_in_other_words_is_pointed_to() -> None:
    for name in ("demographic_parity", "equalized_odds_ratio"):
        with raises_line(
            InputError,
            f"no index is called {name!r}: it compares groups: evaluate by group, and name the positive class",
        ):
            adjudge.find_index(name)
    truth, said, groups = drawn(4)
    with raises_line(
        InputError, "groups= is a list of columns: pass a mapping of names to them, or a data frame"
    ):
        judged(truth, said, [pd.Series(groups), pd.Series(groups)])
