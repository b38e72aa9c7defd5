"""Weights of instances: repetition, sampling weights, other programs' values, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError
from cases import each
from conftest import case_name, raises_line, read_reference, reference_cases

CASES = reference_cases("weighted")
NAMES = {
    "rand": "rand",
    "pair_precision": "pair_precision",
    "pair_recall": "pair_recall",
    "jaccard": "jaccard",
    "fowlkes_mallows": "fowlkes_mallows",
    "adjusted_rand": "adjusted_rand",
}
OF_INFORMATION = {
    "mutual_information": "mutual_information",
    "homogeneity": "homogeneity",
    "completeness": "completeness",
    "v_measure": "v_measure",
    "nmi_arithmetic": "nmi",
    "nmi_geometric": "nmi_geometric",
    "nmi_min": "nmi_min",
    "nmi_max": "nmi_max",
    "variation_of_information": "variation_of_information",
}
NO_MEAN = "the mean of the mutual information under chance is not defined for sampling weights"


def labels(rng: np.random.Generator, n: int = 300) -> tuple[Any, Any]:
    truth = rng.integers(0, 4, n)
    return truth, np.where(rng.random(n) < 0.7, truth, rng.integers(0, 5, n))


def check(found: float, expected: Any) -> None:
    if isinstance(expected, str) or expected is None or math.isnan(expected):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_sampling_weights_give_the_reference_values(path: Any) -> None:
    case = read_reference(path)
    result = adjudge.evaluate(
        case["true"], case["pred"], sample_weight=case["weights"], weights="importance", indices="all"
    )
    expected = case["reference"]
    for theirs, ours in NAMES.items():
        check(result[ours], expected["items_as_units (W^2 - sum w^2)/2"][theirs])
    for theirs, ours in OF_INFORMATION.items():
        if result.reasons.get(ours, "").startswith("0/0"):
            # The reference follows scikit-learn's convention where it has one: 1 for what is undefined.
            assert expected["information"][theirs] in (1.0, "NaN")
        else:
            check(result[ours], expected["information"][theirs])
    check(result["purity"], expected["purity"])
    check(result["bcubed_precision"], expected["b3"]["precision"])
    check(result["bcubed_recall"], expected["b3"]["recall"])
    check(result["pivoted_accuracy"], expected["matched_share"])


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_whole_weights_give_what_repetition_gives(path: Any) -> None:
    case = read_reference(path)
    given = {"sample_weight": case["weights"], "weights": "frequency"}
    if any(w != int(w) for w in case["weights"]):
        with pytest.raises(InputError, match="not a number of instances: give whole numbers"):
            adjudge.evaluate(case["true"], case["pred"], **given)
        return
    expected = case["reference"]["weights_as_repetition W(W-1)/2"]
    for theirs, ours in NAMES.items():
        check(adjudge.evaluate(case["true"], case["pred"], indices="all", **given)[ours], expected[theirs])


def test_repetition_holds_for_everything(rng: np.random.Generator) -> None:
    truth, prediction = labels(rng)
    weights = rng.integers(0, 5, truth.size)
    weighted = adjudge.evaluate(
        truth,
        prediction,
        sample_weight=weights.astype(float),
        weights="frequency",
        confidence=0.9,
        indices=["ari", "ami", "aaa"],
    )
    repeated = adjudge.evaluate(
        np.repeat(truth, weights),
        np.repeat(prediction, weights),
        confidence=0.9,
        indices=["ari", "ami", "aaa"],
    )
    assert weighted.values == repeated.values
    assert weighted.intervals == repeated.intervals


#: They count instances, links or whole clusters, which sampling weights do not give.
COUNTED = ("muc", "lea", "exact_cluster", "merge_distance", "mari", "rmi", "smi")


@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_weights_of_one_change_nothing(rng: np.random.Generator, kind: Any) -> None:
    truth, prediction = labels(rng)
    prediction = np.minimum(prediction, 3)
    plain = adjudge.evaluate(truth, prediction, kind=kind, indices="all")
    ones = adjudge.evaluate(
        truth, prediction, kind=kind, sample_weight=np.ones(300), weights="importance", indices="all"
    )
    assert list(ones) == list(plain)
    for name, value in plain.values.items():
        if ones.reasons.get(name) == NO_MEAN:
            assert name.startswith("ami")
        elif name.removesuffix("_f").removesuffix("_precision").removesuffix("_recall") in COUNTED:
            assert np.isnan(ones[name])
            assert "sampling weights" in ones.reasons[name]
        else:
            assert ones[name] == pytest.approx(value, rel=1e-13, abs=1e-13, nan_ok=True)


def test_the_scale_of_sampling_weights_does_not_matter(rng: np.random.Generator) -> None:
    truth, prediction = labels(rng)
    weights = rng.exponential(size=truth.size)
    given = {"weights": "importance", "indices": "all"}
    one = adjudge.evaluate(truth, prediction, sample_weight=weights, **given)
    other = adjudge.evaluate(truth, prediction, sample_weight=weights * 1e-3, **given)
    # These are no ratios: they grow with what is counted.
    scaled = {"phi_crit"}
    for name in one:
        if name not in scaled and one.score(name).index.range[1] <= 1:
            assert other[name] == pytest.approx(one[name], rel=1e-9, abs=1e-12, nan_ok=True), name


def test_records_take_weights() -> None:
    truth, prediction, weights = [0, 0, 1, 1], [0, 1, 1, 1], [2, 1, 1, 1]
    repeated = adjudge.rand([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    assert adjudge.rand(truth, prediction, sample_weight=weights, weights="frequency") == repeated
    # Pairs and their weights: (0,1) 2 and (0,2), (0,3) 2 each; (1,2), (1,3), (2,3) 1 each: 9 in all, agreeing 5.
    assert adjudge.rand(truth, prediction, sample_weight=weights, weights="importance") == pytest.approx(
        5 / 9
    )
    assert adjudge.accuracy(truth, prediction, sample_weight=weights) == pytest.approx(4 / 5)
    assert math.isnan(adjudge.ami(truth, prediction, sample_weight=weights, weights="importance"))


def test_what_is_refused() -> None:
    truth, prediction = [0, 0, 1], [0, 1, 1]
    with raises_line(
        InputError,
        "sample_weight= can mean two things: pass weights='frequency' if each row stands for that number of instances, "
        "or weights='importance' for sampling weights",
    ):
        adjudge.evaluate(truth, prediction, sample_weight=[1, 2, 3])
    with raises_line(InputError, "weights= says what weights mean: give sample_weight="):
        adjudge.evaluate(truth, prediction, weights="importance")
    with raises_line(InputError, "counts= and sample_weight= were given: give one of them"):
        adjudge.evaluate(truth, prediction, counts=[1, 1, 1], sample_weight=[1, 1, 1], weights="frequency")
    with raises_line(
        InputError,
        "adjust= would be wrong for sampling weights, which no random table has: leave it out, or pass "
        "weights='frequency'",
    ):
        adjudge.evaluate(truth, prediction, sample_weight=[1, 2, 3], weights="importance", adjust=True)


def test_several_truths() -> None:
    fine, coarse = [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]
    result = adjudge.evaluate(
        {"fine": fine, "coarse": coarse}, [5, 5, 5, 5, 6, 6], indices=["ari", "homogeneity", "vi"]
    )
    assert result["ari"] == 1.0
    assert result.score("ari").truth == "coarse"
    assert result.score("vi").truth == "coarse"
    assert result.settings["truths"] == ["fine", "coarse"]
    assert "against coarse" in repr(result)
    with raises_line(InputError, "labels_true is empty: give at least one truth"):
        adjudge.evaluate({}, [0, 1])


def test_points_are_judged_once_for_all_truths(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge.engines.sources import MemoryPoints

    passes = []
    reduce = MemoryPoints.reduce
    monkeypatch.setattr(MemoryPoints, "reduce", lambda *given: (passes.append(given), reduce(*given))[1])
    X = np.random.default_rng(0).normal(size=(6, 2))
    truths = {"fine": [0, 0, 1, 1, 2, 2], "coarse": [0, 0, 0, 0, 1, 1]}
    found = [5, 5, 5, 6, 6, 6]
    for indices in (["silhouette", "ari", "dunn", "vi"], "all", "default", ["dunn"]):
        passes.clear()
        several = adjudge.evaluate(truths, found, X=X, indices=indices)
        assert len(passes) == 1
        alone = {name: adjudge.evaluate(truth, found, X=X, indices=indices) for name, truth in truths.items()}
        assert list(several) == list(alone["fine"])
        for name, score in several.scores.items():
            own = alone[score.truth or "fine"]
            assert score.value == pytest.approx(own[name], nan_ok=True, abs=0)
            assert (score.truth is None) == (score.index.kind == "internal")
        assert several.settings == {**alone["fine"].settings, "truths": ["fine", "coarse"]}
        assert several.details.keys() == alone["fine"].details.keys()
        assert indices == ["dunn"] or several.n_clusters == alone["fine"].n_clusters
    classified = adjudge.evaluate(
        truths, [0, 0, 1, 1, 2, 1], X=X, kind="classification", indices=["accuracy", "dunn"]
    )
    assert classified.score("accuracy").truth == "fine"
    assert list(classified) == ["accuracy", "dunn"]


def test_noise_of_the_truth_alone() -> None:
    truth, prediction = [0, 0, 1, 1, -1, -1], [0, 0, 1, -1, -1, 1]
    alone = adjudge.evaluate(truth, prediction, noise={"labels_true": "drop"}, indices="all")
    left = adjudge.evaluate(truth[:4], prediction[:4], indices="all")
    assert alone.values == pytest.approx(left.values, nan_ok=True)
    assert alone.n == 4
    with pytest.raises(InputError, match="noise names 'truth', which is not a label vector"):
        adjudge.evaluate(truth, prediction, noise={"truth": "drop"})


@each(
    "verb, drawn", [(verb, drawn) for verb in ("evaluate", "compare", "gate") for drawn in ("rows", "units")]
)
def test_probabilities_of_a_row_that_stands_for_several_are_those_of_several_rows(
    verb: str, drawn: str
) -> None:
    """Intervals, tests and bins as well: they were refused, or those of rows with sampling weights."""
    rng, n = np.random.default_rng(5), 90
    truth, times = rng.integers(0, 3, n), rng.integers(0, 4, n)
    old, new = (0.6 * rng.dirichlet(np.ones(3), n) + 0.4 * np.eye(3)[truth] for _ in range(2))
    units = rng.integers(0, 30, n) if drawn == "units" else None
    every = np.repeat(np.arange(n), times)

    def asked(rows: Any, **weights: Any) -> Any:
        beside = weights if units is None else {**weights, "units": units[rows]}
        y, models = truth[rows], {"old": old[rows], "new": new[rows]}
        if verb == "evaluate":
            found = adjudge.evaluate(y, probabilities=models["new"], confidence=0.9, **beside)
            return found.scores, found.intervals, found.to_dict()["by_class"]
        if verb == "gate":
            named = [own.argmax(axis=1) for own in models.values()]
            gate = adjudge.gate(y, *named, probabilities=models, indices=["accuracy", "log_loss"], **beside)
            return gate.to_dict()["checks"]
        compared = adjudge.compare(y, probabilities=models, confidence=0.9, **beside)
        return compared["new", "old"].differences

    weighted = asked(np.arange(n), sample_weight=times, weights="frequency")
    assert repr(weighted) == repr(asked(every))


def test_rows_with_probabilities_stand_for_a_bounded_number_of_instances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adjudge.kinds.sample.MOST_REPEATED", 6)
    with pytest.raises(
        adjudge.InputError, match="sample_weight stands for 7 instances, and probabilities are read"
    ):
        adjudge.evaluate([0, 1], probabilities=[0.2, 0.7], sample_weight=[3, 4], weights="frequency")


def test_intervals_ask_what_weights_mean() -> None:
    labels, weights = [0, 1, 1, 0, 1, 1], [1.5, 2.0, 1.0, 3.0, 0.5, 2.5]
    asked = (
        "there are no intervals, because weights may be numbers of instances, or sampling weights: "
        "weights='frequency' or weights='importance' says which"
    )
    given = {"kind": "classification", "indices": "accuracy", "sample_weight": weights}

    def told(**options: Any) -> list[str]:
        found = adjudge.evaluate(labels, [0, 1, 0, 0, 1, 1], **given, **options)
        return [notice.text for notice in found.warnings if notice.code == "meaning-of-weights"]

    assert told(confidence=0.95) == [asked]
    assert told() == told(confidence=0.95, weights="importance") == []
    assert told(confidence=0.95, units=list("aabbcc")) == []


def test_a_header_says_what_weighs(tmp_path: Path) -> None:
    labels, said = [0, 1, 1, 0], [0, 1, 0, 0]
    given = {"kind": "classification", "indices": "accuracy"}
    for weights, weighs in (
        ([1.5, 2.5, 1, 3], "8"),
        ([0.5, 1, 1, 0.25], "2.75"),
        ([4e6, 4e6, 1e6, 1e6], "10,000,000"),
    ):
        found = adjudge.evaluate(labels, said, sample_weight=weights, weights="importance", **given)
        assert str(found).startswith(f"Evaluation of 4 rows that weigh {weighs} (")
        found.save(tmp_path / "e.adjudge")
        assert str(adjudge.load(tmp_path / "e.adjudge")) == str(found)
    counted = adjudge.evaluate(labels, said, sample_weight=[1, 2, 1, 3], weights="frequency", **given)
    assert str(counted).startswith("Evaluation of 7 instances (")


def test_sums_of_weights_in_one_column_are_written_alike() -> None:
    labels, said, weights = [0, 1, 1, 0], [0, 1, 0, 0], [4e6 / 3, 2e5 / 3, 1e5 / 3, 0.25]
    found = adjudge.evaluate(labels, said, sample_weight=weights, weights="importance", kind="classification")
    cells = [line.split() for line in str(found).splitlines()]
    assert [row[:3] for row in cells if row[:1] == ["0"]] == [
        ["0", "1,333,334", "1,366,667"],
        ["0", "1,333,334", "0"],
    ]
    assert found.class_table().rows[0][1] == pytest.approx(4e6 / 3 + 0.25)
    both = adjudge.compare(
        labels, {"a": said, "b": labels}, sample_weight=weights, weights="importance", kind="classification"
    )
    assert str(both["a", "b"]).splitlines()[:5] == [
        "a (primary) against b: instances that weigh 1,433,334",
        "           b right  b wrong        sum",
        "a right  1,400,000        0  1,400,000",
        "a wrong     33,333        0     33,333",
        "sum      1,433,334        0  1,433,334",
    ]
    assert any(
        line.split()[:6] == ["a", "b", "1,400,000", "0", "33,333", "0"] for line in str(both).splitlines()
    )
    small = adjudge.evaluate(
        labels, said, sample_weight=[1.5, 2, 1, 3], weights="importance", kind="classification"
    )
    assert "4.5000" in small.class_table().text()
