"""Several labels an instance: golden values, definitions instance by instance, scikit-learn, and every way in."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import adjudge
from adjudge import compare, evaluate
from adjudge.errors import InputError, InputTypeError
from adjudge.given.label_sets import read_label_sets
from adjudge.statistics.label_sets import SetCounts, SetSizes
from conftest import raises_line

GOLDEN = sorted((Path(__file__).parents[1] / "reference/classifiers/multilabel").glob("*.json"))
SETS = st.lists(
    st.tuples(st.frozensets(st.sampled_from("abcd")), st.frozensets(st.sampled_from("abcd"))),
    min_size=1,
    max_size=8,
)
LABELS = list("abcd")


def mean(values: list[Fraction | None]) -> float:
    known = [value for value in values if value is not None]
    return float(sum(known, Fraction(0)) / len(known)) if known else math.nan


def share(top: int, bottom: int) -> Fraction | None:
    return Fraction(top, bottom) if bottom else None


@given(SETS)
def test_every_score_is_what_its_definition_says(cases: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    true, said = ([set(own) for own in side] for side in zip(*cases, strict=True))
    judged = evaluate(true, said, kind="multilabel", classes=LABELS, indices="all")
    pairs = list(zip(true, said, strict=True))
    wanted = {
        "hamming_loss": float(Fraction(sum(len(t ^ p) for t, p in pairs), len(pairs) * 4)),
        "subset_accuracy": float(Fraction(sum(t == p for t, p in pairs), len(pairs))),
        "samples_precision": mean([share(len(t & p), len(p)) for t, p in pairs]),
        "samples_recall": mean([share(len(t & p), len(t)) for t, p in pairs]),
        "samples_f1": mean([share(2 * len(t & p), len(t) + len(p)) for t, p in pairs]),
        "samples_jaccard": mean([share(len(t & p), len(t | p)) for t, p in pairs]),
        "micro_precision": mean([share(sum(len(t & p) for t, p in pairs), sum(len(p) for _, p in pairs))]),
        "micro_recall": mean([share(sum(len(t & p) for t, p in pairs), sum(len(t) for t, _ in pairs))]),
    }
    for name, value in wanted.items():
        assert judged[name] == pytest.approx(value, rel=1e-14, nan_ok=True), name
        assert math.isnan(value) == (name in judged.reasons)
    for label in LABELS:
        row = judged.by_class[label]  # type: ignore[attr-defined]
        both = sum(label in t and label in p for t, p in pairs)
        assert row.support == sum(label in t for t, _ in pairs)
        assert row.predicted == sum(label in p for _, p in pairs)
        assert row["recall"] == pytest.approx(mean([share(both, row.support)]), nan_ok=True)
        neither = sum(label not in t and label not in p for t, p in pairs)
        absent = sum(label not in t for t, _ in pairs)
        assert row["specificity"] == pytest.approx(mean([share(neither, absent)]), nan_ok=True)


@given(SETS, st.integers(1, 7))
def test_statistics_of_parts_add_up(cases: list[tuple[frozenset[str], frozenset[str]]], cut: int) -> None:
    def made(part: list[Any]) -> tuple[SetCounts, SetSizes]:
        true, said = ([set(own) for own in side] for side in zip(*part, strict=True))
        sets = read_label_sets({"true": true, "said": said}, LABELS)
        return SetCounts.make(*sets.values()), SetSizes.make(*sets.values())

    if cut < len(cases):
        whole, first, second = made(cases), made(cases[:cut]), made(cases[cut:])
        counts, sizes = first[0] + second[0], first[1] + second[1]
        assert type(counts) is SetCounts
        for name in ("true", "predicted", "right", "n"):
            assert np.array_equal(getattr(counts, name), getattr(whole[0], name))
        for name in ("both", "true", "predicted", "counts"):
            assert np.array_equal(getattr(sizes, name), getattr(whole[1], name))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_values_are_the_golden_ones(path: Path) -> None:
    case = json.loads(path.read_text())
    if case["sample_weight"]:
        pytest.skip("instances have no weights here")
    exact = case["exact"]
    true, said = np.array(case["Y_true"]), np.array(case["Y_pred"])
    judged = evaluate(true, said, kind="multilabel", indices="all")

    def close(found: float, wanted: Any) -> None:
        assert found == pytest.approx(float(str(wanted).lower()), rel=1e-12, abs=1e-14, nan_ok=True)

    close(judged["hamming_loss"], exact["hamming_loss"])
    close(judged["subset_accuracy"], exact["subset_accuracy"])
    for measure in ("precision", "recall", "f1", "jaccard"):
        index = adjudge.find_index(f"samples_{measure}")
        close(judged[f"samples_{measure}"], exact["samples"][f"{measure}_defined_only"])
        for stand_in in (0, 1):
            found = index(true, said, undefined=stand_in)
            close(found, exact["samples"][f"{measure}_undefined_as_{stand_in}"])
        close(judged[f"micro_{measure}"], exact["micro"][measure])
        by_label = exact["per_label"][measure]
        for label, wanted in enumerate(by_label):
            close(judged.by_class[label][measure], wanted)  # type: ignore[attr-defined]
        if "NaN" not in by_label:
            close(judged[f"macro_{measure}"], exact["macro"][f"{measure}_defined_only"])
            close(judged[f"weighted_{measure}"], exact["weighted"][f"{measure}_undefined_as_0"])


@pytest.mark.parametrize("seed", range(10))
def test_scores_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true = (rng.random((40, 6)) < 0.4).astype(int)
    said = np.where(rng.random((40, 6)) < 0.25, 1 - true, true)
    judged = evaluate(true, said, kind="multilabel", indices="all")
    assert judged["hamming_loss"] == pytest.approx(metrics.hamming_loss(true, said))
    assert judged["subset_accuracy"] == pytest.approx(metrics.accuracy_score(true, said))
    for average in ("micro", "macro", "weighted", "samples"):
        theirs = metrics.f1_score(true, said, average=average, zero_division=np.nan)
        assert judged[f"{average}_f1"] == pytest.approx(theirs), average


def test_every_way_to_give_labels() -> None:
    true, said = [{"a", "b"}, {"b"}, set()], [{"a"}, {"b"}, {"a"}]
    wanted = str(evaluate(true, said, kind="multilabel").values)
    matrix, other = np.array([[1, 1], [0, 1], [0, 0]]), np.array([[1, 0], [0, 1], [1, 0]])
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    polars = pytest.importorskip("polars")
    ways = [
        ([list(own) for own in true], [tuple(own) for own in said], None),
        (matrix, other.astype(bool), None),
        (sparse.csr_matrix(matrix), sparse.coo_array(other), None),
        (pandas.DataFrame(matrix, columns=["a", "b"]), said, None),
        (
            polars.DataFrame({"b": matrix[:, 1], "a": matrix[:, 0]}),
            pandas.DataFrame(other, columns=["a", "b"]),
            None,
        ),
        (matrix, said, ["a", "b"]),
    ]
    for one, another, classes in ways:
        assert str(evaluate(one, another, kind="multilabel", classes=classes).values) == wanted
    ordered = evaluate(true, said, kind="multilabel", classes=["b", "c", "a"])
    assert list(ordered.by_class) == ["b", "c", "a"]  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(ordered)).by_class["b"]["recall"] == 0.5
    assert "labels: 3 classes" in repr(ordered)
    shown = {"macro_f1", "micro_f1", "hamming_loss", "subset_accuracy", "samples_f1"}
    assert set(evaluate(true, said, kind="multilabel").values) == shown


def test_intervals_are_over_instances() -> None:
    rng = np.random.default_rng(0)
    true = rng.random((3000, 5)) < 0.4

    def draw(n: int) -> tuple[Any, Any]:
        rows = rng.integers(0, 3000, n)
        hard = rng.random((n, 1)) < 0.3  # instances with many mistakes: their labels depend on each other
        flipped = rng.random((n, 5)) < np.where(hard, 0.5, 0.05)
        return true[rows], true[rows] ^ flipped

    names = ["subset_accuracy", "hamming_loss", "samples_f1", "micro_f1", "micro_recall"]
    everything = evaluate(*draw(60_000), kind="multilabel", indices=names)
    hits = dict.fromkeys(names, 0)
    for _ in range(120):
        found = evaluate(*draw(80), kind="multilabel", indices=names, confidence=0.9)
        for name in names:
            low, high = found.intervals[name]
            hits[name] += low <= everything[name] <= high
    assert all(98 <= count <= 118 for count in hits.values()), hits
    macro = evaluate(*draw(80), kind="multilabel", indices="macro_f1", confidence=0.9)
    assert "depend on each other" in macro.interval_reasons["macro_f1"]


class TestCompare:
    truth = (frozenset("ab"), frozenset("b"), frozenset("c"))
    one = (frozenset("a"), frozenset("b"), frozenset("ac"))
    two = (frozenset("ab"), frozenset("a"), frozenset())

    def test_pairs_of_instance_and_label_are_counted(self) -> None:
        found = compare(list(self.truth), {"one": list(self.one), "two": list(self.two)}, kind="multilabel")
        pair = found["one", "two"]
        cells: dict[tuple[bool, bool], list[list[int]]] = {}
        for i, (t, p, q) in enumerate(zip(self.truth, self.one, self.two, strict=True)):
            for j, label in enumerate("abc"):
                right = (label in t) == (label in p), (label in t) == (label in q)
                cells.setdefault(right, []).append([i, j])
        for cell, right in (
            ("both_right", (True, True)),
            ("right_wrong", (True, False)),
            ("wrong_right", (False, True)),
            ("both_wrong", (False, False)),
        ):
            wanted = cells.get(right, [])
            assert getattr(pair, cell) == len(wanted)
            assert pair.instances(cell).tolist() == wanted
        assert pair.agreement.total == 9
        assert found.scores["one"]["hamming_loss"] == pytest.approx(2 / 9)
        assert "pairs of an instance and a label" in repr(found)
        assert found["two", "one"].right_wrong == pair.wrong_right
        assert pickle.loads(pickle.dumps(found))["one", "two"].both_right == pair.both_right

    def test_what_is_not_there_is_said(self) -> None:
        models = {"one": list(self.one), "two": list(self.two)}
        with pytest.raises(InputError, match="depend on each other: leave it out"):
            compare(list(self.truth), models, kind="multilabel", confidence=0.95)
        with pytest.raises(InputError, match="counts= is no option for several labels"):
            compare(list(self.truth), models, kind="multilabel", counts=[1, 1, 1])
        with pytest.raises(InputError, match="patterns are of classifiers"):
            compare(list(self.truth), models, kind="multilabel").patterns  # noqa: B018


@pytest.mark.parametrize(
    ("true", "said", "options", "message"),
    [
        (
            [{"a"}],
            [{"a"}, {"b"}],
            {},
            "labels_pred has 2 entries, labels_true has 1: they must have the same length",
        ),
        (
            ["a"],
            [{"a"}],
            {},
            "labels_true has 'a' at position 0: give a list or a set with the labels of each instance",
        ),
        (
            [[1, 0], [0, 1]],
            [{1}, {0}],
            {},
            "labels_true may be an indicator matrix or lists of the labels 0 and 1: pass a NumPy array, or sets",
        ),
        (
            np.array([[0, 2]]),
            np.array([[0, 1]]),
            {},
            "labels_true holds 2: an indicator matrix holds 0 and 1",
        ),
        (
            [{"a"}],
            [{"b"}],
            {"classes": ["a"]},
            "labels_pred has 'b', which is not among the classes: name all labels with classes=",
        ),
        (np.eye(2), np.eye(2), {"classes": ["a"]}, "classes names 1 labels, labels_true has 2 columns"),
        ([{"a"}], [{"a"}], {"classes": ["a", "a"]}, "classes names 'a' twice"),
        ([{"a"}], [{"a"}], {"indices": "accuracy"}, "accuracy is no score of several labels an instance"),
        (
            [{"a"}],
            [{"a"}],
            {"counts": [1]},
            "counts= is no option for several labels an instance: leave it out",
        ),
        ([set()], [set()], {}, "no instance has a label: name the labels with classes="),
        (
            [{"a"}],
            [{"a"}],
            {"noise": "drop"},
            "noise= is an option for clusterings: classes are never noise",
        ),
    ],
)
def test_what_is_wrong_is_named(true: Any, said: Any, options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        evaluate(true, said, kind="multilabel", **options)


def test_other_inputs_are_refused() -> None:
    with pytest.raises(InputTypeError, match="labels_true is a str"):
        evaluate("ab", [{"a"}], kind="multilabel")
    with pytest.raises(InputTypeError, match="an indicator matrix holds 0 and 1"):
        evaluate(np.array([["a", "b"]]), [{"a"}], kind="multilabel")
    with pytest.raises(InputError, match="pass kind='multilabel'"):
        evaluate([0, 1], [0, 1], indices="subset_accuracy")
    with pytest.raises(InputError, match="give labels_true= and labels_pred="):
        evaluate([{"a"}], kind="multilabel")
