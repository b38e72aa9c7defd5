"""evaluate and compare carry intervals, tests and corrections; the numbers are those of adjudge.inference."""

from __future__ import annotations

import json

import numpy as np
import pytest

import adjudge
from adjudge.inference.chance.correction import adjusted_for_chance, expected_by_chance
from adjudge.inference.classes.accuracy_tests import mcnemar_test
from adjudge.inference.classes.outcome_intervals import classification_intervals
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.confidence import confidence_interval
from adjudge.inference.differences.clustering_differences import equal_goodness_test
from adjudge.inference.partitions.intervals import clustering_intervals
from adjudge.inference.points.internal_intervals import internal_intervals

N = 90
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 3, N)
MODELS = {
    name: np.where(RNG.random(N) < share, RNG.integers(0, 3, N), TRUTH)
    for name, share in (("good", 0.2), ("fair", 0.4), ("poor", 0.8))
}


def test_evaluate_gives_intervals_and_corrected_values() -> None:
    names = ["rand", "adjusted_rand", "nmi", "pair_precision"]
    result = adjudge.evaluate(
        TRUTH, MODELS["fair"], indices=names, confidence=0.9, adjust=True, n_tables=500, random_state=0
    )
    for name in names:
        assert result.intervals[name] == tuple(
            confidence_interval(name, TRUTH, MODELS["fair"], confidence=0.9)
        )
    assert result.expected["rand"] == expected_by_chance("rand", TRUTH, MODELS["fair"])
    assert result.adjusted["rand"] == pytest.approx(adjusted_for_chance("rand", TRUTH, MODELS["fair"]))
    assert result.adjusted["rand"] == pytest.approx(result["adjusted_rand"])
    assert all(0 < result.p_values[name] <= 1 for name in names)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["intervals"]["rand"]
    table = result.table()
    assert table.columns == (
        "index",
        "value",
        "estimate",
        "low",
        "high",
        "by chance",
        "adjusted",
        "p",
        "better",
        "range",
        "note",
    )


def test_evaluate_without_asking_stays_as_it_was() -> None:
    result = adjudge.evaluate(TRUTH, MODELS["fair"], indices="rand")
    assert not result.intervals
    assert not result.adjusted
    assert result.table().columns == ("index", "value", "better", "range", "note")


def test_classifiers_have_intervals_but_no_correction() -> None:
    result = adjudge.evaluate(TRUTH, MODELS["fair"], kind="classification", confidence=0.95, indices="all")
    # Of three classes, none is named.
    assert result.values.keys() - result.intervals.keys() == {"selection_rate", "prevalence"}
    for name, (low, high) in result.intervals.items():
        assert low < result[name] <= high
        assert high > low
    with pytest.raises(adjudge.InputError, match="adjust= corrects indices of clusterings for chance"):
        adjudge.evaluate(TRUTH, MODELS["fair"], kind="classification", adjust=True)


def test_correction_needs_the_truth() -> None:
    with pytest.raises(adjudge.InputError, match="adjust= corrects indices that compare with the truth"):
        adjudge.evaluate(X=np.arange(9.0)[:, None], labels=[0, 1, 2] * 3, adjust=True)


def test_internal_criteria_have_intervals_where_no_pass_over_pairs_is_needed() -> None:
    X = RNG.normal(size=(N, 2)) + 2.5 * TRUTH[:, None]
    names = ["calinski_harabasz", "silhouette", "silhouette_macro", "davies_bouldin", "dunn"]
    result = adjudge.evaluate(X=X, labels=TRUTH, indices=names, confidence=0.95, random_state=1)
    assert set(result.intervals) == set(names) - {"dunn"}
    for name, (low, high) in result.intervals.items():
        assert low < result[name] < high
    assert result.interval_reasons["dunn"].startswith("no interval is given")
    again = adjudge.evaluate(X=X, labels=TRUTH, indices=names, confidence=0.95, random_state=1)
    assert again.intervals == result.intervals


@pytest.mark.full
def test_the_bootstrap_of_moments_covers_the_mean_of_new_samples() -> None:
    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        labels = rng.integers(0, 3, 120)
        return rng.normal(size=(120, 2)) + 3.0 * labels[:, None], labels

    rng = np.random.default_rng(8)
    target = np.mean([adjudge.calinski_harabasz(*draw(rng)) for _ in range(400)])
    hits = 0
    for _ in range(60):
        low, high = internal_intervals(*draw(rng), ["calinski_harabasz"], n_resamples=100, random_state=rng)[
            "calinski_harabasz"
        ]
        hits += low <= target <= high
    # 95 % nominal: 50 of 60 or fewer has a probability under 0.001, 100 resamples widen little.
    assert hits > 50


def test_compare_clusterings_with_intervals_tests_and_corrected_scores() -> None:
    result = adjudge.compare(
        TRUTH, MODELS, kind="clustering", indices=["rand", "ari"], confidence=0.95, adjust=True
    )
    raw = {}
    for pair in result:
        wanted = clustering_intervals(TRUTH, MODELS[pair.primary], MODELS[pair.alternative])
        for name, interval in wanted.items():
            assert pair.intervals[name] == pytest.approx(tuple(interval), rel=1e-9), name
        test = equal_goodness_test(TRUTH, MODELS[pair.primary], MODELS[pair.alternative])
        assert pair.test["p_value"] == pytest.approx(test.p_value)
        raw[frozenset((pair.primary, pair.alternative))] = test.p_value
    corrected = dict(zip(raw, adjust_p_values(list(raw.values())), strict=True))
    for pair in result:
        assert pair.test["adjusted_p_value"] == pytest.approx(
            corrected[frozenset((pair.primary, pair.alternative))]
        )
    for model in MODELS:
        assert result.adjusted_scores[model]["rand"] == pytest.approx(result.scores[model]["adjusted_rand"])
        assert result.score_intervals[model]["rand"] == tuple(
            confidence_interval("rand", TRUTH, MODELS[model])
        )
    # What is corrected by itself is not shown twice.
    assert [c for c in result.scores_table().columns if "adjusted)" in c] == ["rand (adjusted)"]
    assert len(result.tests_table().rows) == 3
    assert "Equally good?" in repr(result)
    assert "after Holm's correction" in repr(result["good", "poor"])
    json.dumps(result.to_dict(), allow_nan=False)


def test_compare_classifiers_with_intervals_and_mcnemar() -> None:
    result = adjudge.compare(TRUTH, MODELS, kind="classification", confidence=0.8)
    pair = result["good", "fair"]
    wanted = classification_intervals(pair.agreement, confidence=0.8)
    assert pair.intervals == {name: (i.low, i.high) for name, i in wanted.items()}
    assert pair.test["p_value"] == mcnemar_test(pair.agreement).p_value
    assert result["fair", "good"].test["p_value"] == pair.test["p_value"]
    with pytest.raises(adjudge.InputError, match="adjust= corrects indices of clusterings"):
        adjudge.compare(TRUTH, MODELS, kind="classification", adjust=True)


def test_counts_weigh_in_inference_as_repeated_rows_do() -> None:
    counts = RNG.integers(0, 4, N)
    repeated = {name: np.repeat(labels, counts) for name, labels in MODELS.items()}
    one = adjudge.compare(TRUTH, MODELS, kind="clustering", counts=counts, confidence=0.95)
    other = adjudge.compare(np.repeat(TRUTH, counts), repeated, kind="clustering", confidence=0.95)
    for pair in one:
        same = other[pair.primary, pair.alternative]
        assert pair.intervals == same.intervals
        assert pair.test == same.test


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.inference.differences.head_to_head.MOST_CELLS", 5)
    with pytest.raises(adjudge.InputError, match="confidence= would take long"):
        adjudge.compare(TRUTH, MODELS, kind="clustering", confidence=0.95)


def test_metrics_other_than_euclidean_leave_out_what_needs_centroids() -> None:
    X = RNG.normal(size=(N, 2))
    everything = adjudge.evaluate(X=X, labels=TRUTH, metric="cityblock", indices="all")
    assert "silhouette" in everything
    assert "calinski_harabasz" not in everything
    with pytest.raises(adjudge.InputError, match="centroids"):
        adjudge.evaluate(X=X, labels=TRUTH, metric="cityblock", indices="calinski_harabasz")


def test_values_as_clustercrit_gives_them() -> None:
    X = RNG.normal(size=(N, 2))
    ours = adjudge.evaluate(X=X, labels=TRUTH, indices=["gdi12", "silhouette"])
    theirs = adjudge.evaluate(X=X, labels=TRUTH, indices=["gdi12", "silhouette"], compat="clusterCrit")
    # Its second diameter is half the mean distance.
    assert theirs["gdi12"] == pytest.approx(2 * ours["gdi12"])
    with pytest.raises(adjudge.InputError, match="compat='R' is not known"):
        adjudge.evaluate(X=X, labels=TRUTH, compat="R")  # type: ignore[arg-type]


def test_a_comparison_says_what_an_interval_is_around() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(60), 150)
    model = np.where(rng.random(9000) < 0.1, rng.integers(0, 60, 9000), truth)
    compared = adjudge.compare(
        truth, {"a": model}, kind="clustering", indices=["nmi", "rand"], confidence=0.95
    )
    said = "an interval beside an estimate is around the estimate: with so few instances the value itself is biased"
    nmi = compared.judged["a"]["nmi"]
    assert nmi.interval is not None
    assert nmi.value not in nmi.interval
    assert said in repr(compared)
    assert said in compared._repr_html_()
    only = adjudge.compare(truth, {"a": model}, kind="clustering", indices=["rand"], confidence=0.95)
    assert said not in repr(only)
