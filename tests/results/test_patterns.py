"""Patterns of several models, and what is shown of very many classes: nothing is computed that nobody reads."""

from __future__ import annotations

import itertools
import pickle
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import compare, evaluate
from adjudge.errors import InputError, UnknownIndexError
from adjudge.results import by_class
from adjudge.results.patterns import Patterns
from adjudge.statistics.patterns import OutcomePatterns, pattern_codes
from cases import each

TABLE = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 2), min_size=m + 1, max_size=m + 1), min_size=1, max_size=15)
)


def counted(rows: list[list[int]], names: list[str]) -> Counter[frozenset[str]]:
    return Counter(
        frozenset(name for name, label in zip(names, row[1:], strict=True) if label == row[0]) for row in rows
    )


@given(TABLE)
def test_every_set_of_models_is_counted(rows: list[list[int]]) -> None:
    columns = np.array(rows).T
    names = [f"m{i}" for i in range(len(columns) - 1)]
    right = [column == columns[0] for column in columns[1:]]
    codes = pattern_codes(right)
    found = Patterns(tuple(names), OutcomePatterns.of(codes, len(names)), codes)
    wanted = counted(rows, names)
    for size in range(len(names) + 1):
        for chosen in itertools.combinations(names, size):
            assert found[chosen] == wanted[frozenset(chosen)]
            assert found.instances(chosen).size == wanted[frozenset(chosen)]
    assert dict(found) == dict(wanted)
    assert found.by_number_right.tolist() == [
        sum(count for chosen, count in wanted.items() if len(chosen) == size)
        for size in range(len(names) + 1)
    ]
    table = found.table(absent=True)
    assert len(table.rows) == 2 ** len(names)
    assert sum(row[-2] for row in table.rows) == len(rows)


@given(TABLE, st.integers(1, 14))
def test_patterns_of_parts_add_up(rows: list[list[int]], cut: int) -> None:
    def of(part: list[list[int]], m: int) -> OutcomePatterns:
        columns = np.array(part).T
        return OutcomePatterns.of(pattern_codes([column == columns[0] for column in columns[1:]]), m)

    if cut < len(rows):
        m = len(rows[0]) - 1
        whole, parts = of(rows, m), of(rows[:cut], m) + of(rows[cut:], m)
        assert parts.codes.tolist() == whole.codes.tolist()
        assert parts.counts.tolist() == whole.counts.tolist()


def test_many_models_and_repeated_rows() -> None:
    rng = np.random.default_rng(0)
    right = [rng.random(50) < 0.7 for _ in range(30)]
    weights = rng.integers(1, 4, 50)
    codes = pattern_codes(right)
    by_row = OutcomePatterns.of(codes, 30, weights)
    repeated = OutcomePatterns.of(np.repeat(codes, weights), 30)
    assert by_row.codes.tolist() == repeated.codes.tolist()
    assert by_row.counts.tolist() == repeated.counts.tolist()
    few = OutcomePatterns.of(codes & 7, 3, weights)
    assert few.counts.tolist() == OutcomePatterns.of(np.repeat(codes & 7, weights), 3).counts.tolist()
    with pytest.raises(InputError, match="up to 62 models, but there are 63"):
        pattern_codes([right[0]] * 63)


def test_of_a_comparison() -> None:
    truth = ["x", "x", None, "y", "y"]
    models = {"a": list("xxxyx"), "b": list("xyxyx"), "c": list("yyyyx")}
    comparison = compare(truth, models, kind="classification", missing="drop")
    patterns = comparison.patterns
    assert patterns.nobody().tolist() == [4]  # a position in the input, where the third is missing
    assert patterns.only("a").tolist() == [1]
    assert patterns.instances({"a", "b", "c"}).tolist() == [3]
    assert patterns[{"a", "b"}] == 1
    assert patterns.n == 4
    assert patterns.to_dict()["patterns"][0]["count"] == 1
    assert patterns.to_frame("pandas").shape == (4, 6)
    again = pickle.loads(pickle.dumps(comparison)).patterns
    assert dict(again) == dict(patterns)
    with pytest.raises(UnknownIndexError, match="'d' is not a model: choose one of a, b, c"):
        patterns[{"d"}]
    with pytest.raises(InputError, match="patterns are of classifiers"):
        compare(truth, models, kind="clustering", missing="drop").patterns  # noqa: B018


def test_rows_may_count_several_instances() -> None:
    comparison = compare([0, 0, 1], {"a": [0, 1, 1], "b": [0, 0, 0]}, kind="classification", counts=[5, 2, 1])
    assert comparison.patterns[{"a", "b"}] == 5
    assert comparison.patterns[{"b"}] == 2


class TestByCluster:
    truth, said = "aaabbbbcc", (1, 1, 2, 2, 2, 2, 1, 9, 8)

    def test_partners_are_the_predictions(self) -> None:
        found = evaluate(list(self.truth), self.said, indices="rand").by_cluster()
        assert {label: row.partner for label, row in found.items()} == {"a": 1, "b": 2, "c": 8}
        assert found.left_over == (9,)
        # The same as those of a classifier that gives each partner the name of its cluster.
        renamed = [{1: "a", 2: "b", 8: "c"}.get(label, "left over") for label in self.said]
        wanted = evaluate(list(self.truth), renamed, kind="classification", indices="all").by_class  # type: ignore[attr-defined]
        for label, row in found.items():
            assert dict(row) == dict(wanted[label])
            assert (row.support, row.predicted) == (wanted[label].support, wanted[label].predicted)

    def test_table_names_partners_and_what_is_left_over(self) -> None:
        result = evaluate(list(self.truth), self.said, indices="rand", confidence=0.9)
        table = result.cluster_table("recall")
        assert table.columns[:4] == ("cluster", "matched with", "support", "predicted")
        # Wilson's limits of 2 of 3 at 90 %.
        assert table.rows[0][4:7] == pytest.approx((2 / 3, 0.25353, 0.92173), abs=1e-5)
        assert table.title == "By true cluster (unmatched predicted clusters: 9)"
        assert pickle.loads(pickle.dumps(result)).cluster_table("recall") == table

    def test_true_clusters_may_be_left_over(self) -> None:
        found = evaluate([0, 0, 1, 2], [5, 5, 5, 6], indices="rand").by_cluster("pair_sets_index")
        assert found[1].partner is None
        assert found[1]["recall"] == 0
        assert found[1].score("precision").reason == "0/0: class 1 is never predicted"
        with pytest.raises(UnknownIndexError, match="7 is not a true cluster: choose one of 0, 1, 2"):
            found[7]

    def test_two_partitions_are_needed(self) -> None:
        points = np.arange(12.0).reshape(6, 2)
        with pytest.raises(InputError, match="give labels_true and labels_pred"):
            evaluate(X=points, labels=[0, 0, 0, 1, 1, 1], indices="dunn").by_cluster()


@pytest.mark.parametrize("shown", [repr, lambda found: found._repr_html_()], ids=["text", "notebook"])
def test_classes_are_listed_unless_they_are_many(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, shown: Any
) -> None:
    truth = np.repeat(np.arange(30), 4)
    found = adjudge.evaluate(truth, rng.permutation(truth), kind="classification")
    whole = shown(found)
    assert "By class" in whole
    assert "class_table()" not in whole
    monkeypatch.setattr(by_class, "_MOST_LISTED", 29)
    again = adjudge.evaluate(truth, rng.permutation(truth), kind="classification")
    cut = shown(again)
    assert "By class" not in cut
    assert "30 classes: class_table() has a row for each" in cut
    assert "Most confused" in cut
    # Scores by class were not even made.
    assert "_rows" not in vars(again.by_class)
    assert len(again.class_table().rows) == 30
    assert len(again.tables()) == len(found.tables())


def units_and_models(n: int, k: int) -> tuple[Any, dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    truth = np.append(np.arange(k), rng.integers(0, k, n - k))
    models = {
        name: np.where(rng.random(n) < s, truth, rng.integers(0, k, n))
        for name, s in (("a", 0.7), ("b", 0.75))
    }
    return truth, models, rng.integers(0, n // 8, n)


@each("verb", ["evaluate", "compare", "gate"])
def test_reading_a_result_computes_nothing(verb: str) -> None:
    truth, models, units = units_and_models(12_000, 5)
    options: dict[str, Any] = {"kind": "classification", "units": units}
    if verb == "evaluate":
        found: Any = adjudge.evaluate(truth, models["a"], confidence=0.95, **options)
    elif verb == "compare":
        found = adjudge.compare(truth, models, confidence=0.95, **options)
    else:
        found = adjudge.gate(truth, old=models["a"], new=models["b"], **options)
    called: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        path = frame.f_code.co_filename.replace("\\", "/")
        if event == "call" and "/adjudge/inference/" in path and frame.f_code.co_name != "<module>":
            called.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        str(found), found._repr_html_(), found.to_dict()
    finally:
        sys.setprofile(None)
    assert not {"interval_of", "difference_of_influences", "newcombe_paired", "interval_of_share"} & set(
        called
    )


def test_many_classes_with_equal_counts_are_inferred_once() -> None:
    truth, models, units = units_and_models(9_000, 3_000)
    found = adjudge.evaluate(truth, models["a"], kind="classification", confidence=0.95)
    some = [found.by_class[label] for label in (0, 1, 7)]
    for own in some:
        binary = adjudge.evaluate(
            truth == own.label,
            models["a"] == own.label,
            kind="classification",
            confidence=0.95,
        ).by_class[True]
        for name in ("recall", "f1", "matthews_correlation"):
            known = own.score(name)
            if known.low is not None:
                assert (known.low, known.high) == pytest.approx(
                    (binary.score(name).low, binary.score(name).high)
                )
    # Each class would need the sums of all units.
    of_units = adjudge.evaluate(truth, models["a"], kind="classification", confidence=0.95, units=units)
    assert "each of more than 2,000 classes" in str(of_units.by_class[0].score("recall").interval_reason)
    compared = adjudge.compare(truth, models, kind="classification", confidence=0.95, units=units)
    assert compared["a", "b"].recalls[0].score.p_value is None
    assert len(str(compared)) < 20_000


def test_recalls_the_other_way_round_are_the_same() -> None:
    truth, models, units = units_and_models(2_000, 5)
    for options in ({}, {"units": units}):
        pair = adjudge.compare(truth, models, kind="classification", confidence=0.95, **options)
        for own, other in zip(pair["a", "b"].recalls, pair["b", "a"].recalls, strict=True):
            assert (own.label, own.n, own.broken, own.fixed) == (
                other.label,
                other.n,
                other.fixed,
                other.broken,
            )
            assert (own.score.low, own.score.high) == (-other.score.high, -other.score.low)
            assert own.score.adjusted_p_value == other.score.adjusted_p_value
