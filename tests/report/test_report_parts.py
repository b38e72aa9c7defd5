"""The parts of the report: columns, maps, payloads, breakdowns, intervals, and the choice of K."""

import base64
import html
import json
import math
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import InputError, choose_k, compare, evaluate, report
from adjudge._report.breakdown import by_class, clusters, criteria
from adjudge._report.build import report_page
from adjudge._report.criteria import internal_criteria
from adjudge._report.features import given_map, principal_map, read_features
from adjudge._report.k_choice import choice, choices
from adjudge._report.material import material_of
from adjudge._report.payload import instances_payload, packed
from adjudge._report.render import render_report
from adjudge._report.section import Section
from adjudge._report.wording import (
    count,
    decimals_of,
    estimator_title,
    fixed,
    letter,
    listed,
    number,
    percent,
    short,
)
from adjudge.errors import InputTypeError
from adjudge.inference.classes.accuracy_tests import mcnemar_test
from adjudge.inference.classes.outcome_intervals import classification_intervals
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.partitions.intervals import clustering_intervals
from adjudge.presentation.numbers import percent_text

CELLS = ("both_right", "right_wrong", "wrong_right", "both_wrong")


def unpack(given):
    return np.frombuffer(base64.b64decode(given["data"]), np.dtype(given["type"]).newbyteorder("<"))


def trial(n=60, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    models = {
        name: np.where(rng.random(n) < share, truth, rng.integers(0, 3, n))
        for name, share in (("one", 0.5), ("two", 0.8), ("three", 0.7))
    }
    return truth, models, rng.normal(size=(n, 3)) * [1, 10, 100] + truth[:, None] * [2, 20, 0]


def instances_of(kind="classification", **options):
    truth, models, _ = trial()
    comparison = compare(truth, models, kind=kind, **options)
    return comparison, shown(comparison, truth, models)


def shown(comparison, truth, models, **beside):
    """Return what a section shows of its instances."""
    return material_of(Section("T", comparison, truth, models, **beside))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([0, 255]), "uint8"),
        (np.array([0, 256]), "uint16"),
        (np.array([-1, 5]), "int32"),
        (np.array([0, 2**31]), "uint32"),
        (np.array([0, 2**40]), "float64"),
        (np.array([1.0, 3.0]), "uint8"),
        (np.array([2.0**40, 1.0]), "float64"),
        (np.array([0.5, np.nan]), "float32"),
        (np.array([True, False]), "uint8"),
        (np.array([], np.int64), "uint8"),
    ],
)
def test_numbers_are_packed_in_the_smallest_type(values, dtype):
    given = packed(values)
    assert given["type"] == dtype
    np.testing.assert_array_equal(unpack(given), values)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_features_of_a_frame_may_have_gaps_and_text(library):
    frame = library({"a": [1.0, None, 3.0], "b": [1, 2, 4], "c": ["x", None, "z"], "d": [True, False, True]})
    found = read_features(frame, None, 3)
    assert list(found.columns) == ["a", "b", "c", "d"]
    assert found.columns["c"] == ["x", "", "z"]
    names, values = found.numeric()
    assert names == ["b", "d"]
    np.testing.assert_array_equal(values, [[1, 1], [2, 0], [4, 1]])
    assert found.numeric(complete=False)[0] == ["a", "b", "d"]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.zeros((2, 2, 2)), InputError, "X has shape"),
        (np.array([["a"], ["b"]]), InputTypeError, "give numbers, or a data frame"),
        (np.zeros((0, 2)), InputError, "X has shape"),
    ],
)
def test_features_that_are_none_are_named(X, error, message):
    with pytest.raises(error, match=message):
        read_features(X, None, 2)


def test_sparse_features_are_refused_with_a_way_out():
    from scipy.sparse import csr_matrix

    with pytest.raises(InputTypeError, match="embedding="):
        read_features(csr_matrix((2, 2)), None, 2)


def test_the_map_shows_the_principal_components():
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import StandardScaler

    _, _, X = trial()
    found = principal_map(read_features(X, None, 60), scaling="standard")
    pca = PCA(2).fit(StandardScaler().fit_transform(X))
    places = pca.transform(StandardScaler().fit_transform(X))
    np.testing.assert_allclose(np.abs([found.x, found.y]), np.abs(places.T), rtol=1e-8, atol=1e-10)
    assert f"{100 * pca.explained_variance_ratio_[0]:.0f} %" in found.x_title
    plain = principal_map(read_features(X, None, 60), scaling=None)
    np.testing.assert_allclose(np.abs(plain.x), np.abs(PCA(2).fit_transform(X)[:, 0]), rtol=1e-8)


def test_the_map_of_many_variables_is_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2100)) + 5 * rng.normal(size=(30, 1)) * rng.normal(size=2100)
    found = principal_map(read_features(X, None, 30), scaling=None)
    centred = X - X.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(found.x), np.abs(left[:, 0] * size[0]), rtol=1e-6)


def test_without_two_varying_columns_there_is_no_map():
    assert principal_map(read_features(np.ones((5, 3)), None, 5), scaling="standard") is None
    assert principal_map(read_features(np.arange(5), None, 5), scaling="standard") is None


def test_places_are_checked():
    with pytest.raises(InputError, match="embedding has shape"):
        given_map(np.zeros((3, 3)), 3)
    with pytest.raises(InputError, match="not finite"):
        given_map(np.full((3, 2), np.inf), 3)


def test_the_payload_holds_the_instances_that_were_compared():
    truth, models, X = trial()
    truth = [None if i in (0, 7) else int(t) for i, t in enumerate(truth)]
    comparison = compare(truth, models, kind="classification", missing="drop")
    plane = principal_map(read_features(X, ["a", "b", "c"], 60), "standard")
    text = [f"text {i}" for i in range(60)]
    material = shown(comparison, truth, models, X=X, feature_names=["a", "b", "c"], text=text)
    given = instances_payload(material)
    kept = [i for i in range(60) if truth[i] is not None]
    assert given["n"] == 58
    assert unpack(given["positions"]).tolist() == kept
    assert [given["truth"]["names"][c] for c in unpack(given["truth"]["codes"])] == [
        str(truth[i]) for i in kept
    ]
    for name, labels in models.items():
        coded = given["models"][name]
        assert [coded["names"][c] for c in unpack(coded["codes"])] == [str(labels[i]) for i in kept]
        assert unpack(given["right"][name]).tolist() == [int(labels[i] == truth[i]) for i in kept]
    assert given["columns"][0]["text"] == [text[i] for i in kept]
    np.testing.assert_allclose(unpack(given["columns"][2]["numbers"]), X[kept, 1], rtol=1e-6)
    np.testing.assert_allclose(unpack(given["map"]["x"]), plane.x[kept], rtol=1e-6)


def test_clusters_stand_beside_their_classes():
    truth = ["a", "a", "b", "b", "c", "c", "c"]
    clusters = [7, 7, 2, 2, 5, 5, 1]
    models = {"p": clusters, "q": truth}
    material = shown(compare(truth, models, kind="clustering"), truth, models)
    given = instances_payload(material)["models"]["p"]
    assert [given["names"][code] for code in given["order"]] == ["7", "2", "5", "1"]


def test_a_table_of_very_many_columns_is_cut_and_says_so():
    truth, models, _ = trial()
    given = instances_payload(
        shown(compare(truth, models, kind="classification"), truth, models, X=np.eye(60))
    )
    assert len(given["columns"]) == 40
    assert given["columns_left_out"] == 20


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_classes_share_out_the_matrix(kind):
    comparison, instances = instances_of(kind)
    pair = comparison["one", "two"]
    rows = by_class(pair, instances)
    weight = 1 if kind == "classification" else 2
    for cell in CELLS:
        assert sum(row["counts"][cell] for row in rows) == weight * getattr(pair, cell)
    truth, models, _ = trial()
    assert [row["size"] for row in rows] == np.bincount(truth).tolist()
    if kind == "classification":
        both = (models["one"] == truth) & (models["two"] == truth)
        assert [row["counts"]["both_right"] for row in rows] == [
            int(both[truth == c].sum()) for c in range(3)
        ]


def test_clusters_have_their_sizes_means_and_silhouettes():
    truth, models, X = trial()
    X = pd.DataFrame(X, columns=["a", "b", "c"])
    X.loc[4, "b"] = np.nan
    _, instances = instances_of("clustering")
    labels = models["one"]
    internal = evaluate(X=X[["a", "c"]], labels=labels, indices=["silhouette"])
    found = clusters(
        instances.models["one"], instances.truth, read_features(X, None, 60), instances.positions, internal
    )
    assert [row["size"] for row in found["rows"]] == sorted(np.bincount(labels).tolist(), reverse=True)
    for row in found["rows"]:
        own = labels == int(row["name"])
        np.testing.assert_allclose(row["centroid"], X[own].mean().to_numpy(), rtol=1e-12)
        assert row["commonest_count"] == np.bincount(truth[own]).max()
        widths = internal.details["silhouette_widths"][own]
        assert row["silhouette"]["mean"] == pytest.approx(widths.mean())
    mean = sum(row["size"] * row["silhouette"]["mean"] for row in found["rows"]) / 60
    assert mean == pytest.approx(internal["silhouette"])


def test_criteria_mark_the_best_in_their_direction():
    _, models, X = trial()
    internal = {
        name: evaluate(X=X, labels=labels, indices=["silhouette", "davies_bouldin"])
        for name, labels in models.items()
    }
    for row in criteria(list(models), internal, {})["rows"]:
        values = [cell["value"] for cell in row["cells"]]
        best = max(values) if row["better"] == "higher" else min(values)
        assert [cell["best"] for cell in row["cells"]] == [value == best for value in values]


def test_intervals_and_tests_are_those_of_the_inference():
    truth, models, _ = trial()
    for kind in ("classification", "clustering"):
        comparison = compare(truth, models, kind=kind, confidence=0.9)
        page = report_page("T", [Section("S", comparison, labels_true=truth, models=models)])
        for pair in page["sections"][0]["pairs"]:
            p, q = pair["primary"], pair["alternative"]
            if kind == "classification":
                wanted = classification_intervals(comparison[p, q].agreement, confidence=0.9)
            else:
                wanted = clustering_intervals(truth, models[p], models[q], confidence=0.9)
            for name, interval in wanted.items():
                assert pair["intervals"][name] == pytest.approx([interval.low, interval.high], rel=1e-9)
            assert pair["intervals"]["polarization"][0] <= pair["measures"]["polarization"]
    comparison = compare(truth, models, kind="classification", confidence=0.95)
    page = report_page("T", [Section("S", comparison, labels_true=truth, models=models)])
    pairs = {(x["primary"], x["alternative"]): x["test"] for x in page["sections"][0]["pairs"]}
    names = [("one", "two"), ("one", "three"), ("two", "three")]
    alone = [mcnemar_test(comparison[pair].agreement).p_value for pair in names]
    assert [pairs[pair]["p_value"] for pair in names] == alone
    assert [pairs[pair]["adjusted_p_value"] for pair in names] == adjust_p_values(alone)
    assert pairs["two", "one"] == pairs["one", "two"]


def test_intervals_that_would_take_long_are_left_out_and_that_is_said(tmp_path):
    n = 200_001
    truth = np.arange(n) % 100
    models = {"a": np.arange(n) % 101, "b": np.arange(n) % 102, "c": np.arange(n) % 103}
    made = report(truth, models, kind="clustering", adjust=False, output=tmp_path / "r.html")
    built = made.page["sections"][0]
    assert all(pair["test"] == {} and pair["intervals"] == {} for pair in built["pairs"])
    assert any("intervals and tests would take long" in sentence["text"] for sentence in built["verdict"])


def test_the_verdict_says_how_sure_it_is():
    truth = np.arange(200) % 4
    good, bad = truth.copy(), truth.copy()
    bad[:60] = (truth[:60] + 1) % 4
    near = truth.copy()
    near[100:102] = 9

    def said(models):
        comparison = compare(truth, models, kind="classification", confidence=0.95)
        page = report_page("T", [Section("S", comparison, labels_true=truth, models=models)])
        return " ".join(sentence["text"] for sentence in page["sections"][0]["verdict"])

    assert "good is better than bad by Accuracy (+0.300: 1.000 against 0.700, p < 0.0001)" in said(
        {"good": good, "bad": bad}
    )
    close = said({"good": good, "near": near})
    assert "No difference between good and near is seen by any of" in close
    assert "Only 2 instances separate good and near" in close
    assert "labelled wrong by every model" not in close
    assert "2 instances are labelled wrong by every model" in said({"near": near, "same": near})


@pytest.mark.parametrize(
    ("noise", "words", "k"),
    [
        ("cluster", "count as one cluster", 2),
        ("singletons", "each count as a cluster", 2),
        ("drop", "left out", 2),
    ],
)
def test_noise_is_spoken_of(noise, words, k):
    truth = np.repeat([0, 1, 2], 10)
    model = np.repeat([0, 1, 1], 10)
    model[[3, 15]] = -1
    models = {"density": model, "exact": truth}
    comparison = compare(truth, models, kind="clustering", noise=noise)
    section = Section("S", comparison, labels_true=truth, models=models)
    text = " ".join(s["text"] for s in report_page("T", [section])["sections"][0]["verdict"])
    assert words in text
    assert "2 by density" in text
    assert f"The truth has 3 classes, but there are {k} clusters by density." in text


@pytest.mark.full
def test_noise_as_clusters_of_one_instance_is_not_marked():
    truth = np.repeat([0, 1, 2], 10)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2)) + truth[:, None]
    noisy = truth.copy()
    noisy[::2] = -1
    models = {"noisy": noisy, "coarse": truth // 2, "fine": np.arange(30) // 3 * (truth + 1)}
    homogeneous = compare(truth, models, kind="clustering", noise="singletons").scores["noisy"]["homogeneity"]
    assert homogeneous == 1
    marked = {}
    for noise in ("singletons", "cluster"):
        internal = internal_criteria(X, models, noise=noise)
        comparison = compare(truth, models, kind="clustering", noise=noise)
        section = Section("S", comparison, labels_true=truth, models=models, X=X, internal=internal)
        page = report_page("T", [section])
        built = page["sections"][0]
        place = built["criteria"]["models"].index("noisy")
        best = [row["cells"][place]["best"] for row in built["criteria"]["rows"]]
        (row,) = [row for row in built["scores"]["rows"] if row["model"] == "noisy"]
        names = [record["name"] for record in built["scores"]["records"]]
        best.append(row["cells"][names.index("homogeneity")]["best"])
        marked[noise] = best
        said = "clusters of one instance favour many criteria; noisy is not marked." in render_report(page)
        assert said == (noise == "singletons")
        assert all(sum(cell["best"] for cell in row["cells"]) >= 1 for row in built["criteria"]["rows"])
        alone = Section("S", models=models, X=X, internal=internal, treatment={"noise": noise})
        built = report_page("T", [alone])["sections"][0]
        assert (built["ranking"]["order"][-1] == "noisy") or noise == "cluster"
        told = [
            row["text"]
            for row in built["verdict"]
            if row["text"].startswith("The criteria do not rank noisy:")
        ]
        assert len(told) == (noise == "singletons")
    assert not any(marked["singletons"])


def test_criteria_judge_all_models_on_the_same_instances_where_noise_is_dropped():
    truth = np.repeat([0, 1, 2], 10)
    X = np.random.default_rng(3).normal(size=(30, 2)) + truth[:, None]
    noisy = truth.copy()
    noisy[[1, 15]] = -1
    found = internal_criteria(X, {"noisy": noisy, "whole": truth}, noise="drop")
    assert {evaluation.n for evaluation in found.values()} == {28}
    kept = noisy != -1
    assert (
        found["whole"].values == evaluate(X=X[kept], labels=truth[kept], indices=list(found["whole"])).values
    )


def test_means_of_a_column_have_the_same_decimals():
    assert decimals_of([1234.5, 2.0]) == 0
    assert decimals_of([0.01234, 0.5]) == 4
    assert decimals_of([12.3, math.nan]) == 2
    assert decimals_of([1e9]) is decimals_of([1e-9]) is None
    assert [fixed(v, 2) for v in (1.0, -2.345, "nan")] == ["1.00", "−2.35", "–"]
    assert fixed(1e-9, None) == "1e−09"


def test_unbalanced_classes_are_spoken_of():
    truth = np.array([0] * 50 + [1] * 4)
    models = {"a": truth, "b": np.zeros(54, int)}
    comparison = compare(truth, models, kind="classification")
    page = report_page("T", [Section("S", comparison, labels_true=truth, models=models)])
    assert any("unbalanced: 0 has 50" in s["text"] for s in page["sections"][0]["verdict"])


def test_the_choice_of_k_is_told():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 9])
    found = choose_k(X, k=range(2, 6), random_state=0, indices=["silhouette", "davies_bouldin", "ball_hall"])
    told = choice(found)
    assert told["k"] == found.k == 2
    for row in told["criteria"]:
        assert row["values"] == [found.values[row["name"]].get(k, "nan") for k in told["ks"]]
        assert row["vote"] == found.votes[row["name"]]
    assert {row["k"]: row["votes"] for row in told["tally"] if row["votes"]} == {
        k: votes for k, votes in found.tally.items() if votes
    }
    truth = np.repeat([0, 1], 30)
    models = {"two": found.labels[2], "three": found.labels[3]}
    comparison = compare(truth, models, kind="clustering")
    section = Section("S", comparison, labels_true=truth, models=models, X=X, k_choice=found)
    text = render_report(report_page("T", [section]))
    assert "How many clusters" in text
    assert "(recommended)" in text


@pytest.mark.full
def test_the_verb_judges_clusterings_from_the_data(tmp_path):
    truth, models, X = trial()
    made = report(truth, models, kind="clustering", X=X, output=tmp_path / "r.html", noise="singletons")
    given = made.page["sections"][0]["criteria"]
    assert given["models"] == made.page["sections"][0]["ranking"]["order"]
    wanted = {name: evaluate(X=X, labels=labels, indices="silhouette") for name, labels in models.items()}
    silhouette = next(row for row in given["rows"] if row["name"] == "silhouette")
    assert [cell["value"] for cell in silhouette["cells"]] == [
        wanted[m]["silhouette"] for m in given["models"]
    ]
    plain = report(truth, models, kind="clustering", X=X, indices=None, output=tmp_path / "r.html")
    assert plain.page["sections"][0]["criteria"] is None
    chosen = report(truth, models, kind="clustering", X=X, indices=["dunn"], output=tmp_path / "r.html")
    assert [row["name"] for row in chosen.page["sections"][0]["criteria"]["rows"]] == ["dunn"]


def test_columns_are_shown_beside_pictures_unless_they_are_the_pixels():
    truth, models, X = trial()
    comparison = compare(truth, models, kind="classification")
    images = np.random.default_rng(0).random((60, 2, 2))

    def columns(X):
        section = Section("S", comparison, labels_true=truth, models=models, X=X, images=images)
        return [c["name"] for c in report_page("T", [section])["sections"][0]["instances"]["columns"]]

    assert columns(X) == ["x0", "x1", "x2"]
    assert columns(images.reshape(60, 4)) == []


def test_pictures_may_be_files(tmp_path):
    from adjudge._report.images import png_uri, read_pictures

    uri = png_uri(np.zeros((2, 3, 1), np.uint8))
    content = base64.b64decode(uri.partition(",")[2])
    (tmp_path / "a.png").write_bytes(content)
    found = read_pictures([tmp_path / "a.png", str(tmp_path / "a.png"), content, None, ""], 5)
    assert found.uris == [uri, uri, uri, None, None]
    assert found.payload(np.array([3, 0])) == {"files": [None, uri]}
    jpeg = read_pictures([b"\xff\xd8\xff\xe0rest"], 1)
    assert jpeg.uri(0).startswith("data:image/jpeg;base64,")


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (["gone.png", None], r"images at position 0: cannot read 'gone.png': No such file"),
        ([None, b"<svg onload=alert(1)>"], r"images at position 1: .* is not a PNG, JPEG, GIF or WebP file"),
        ([b"RIFF1234WAVE", None], "is not a PNG"),
        (["a.png"], "images has 1 entries, but there are 2 instances"),
        ([b"\x89PNG\r\n\x1a\n" + bytes(41_000_000), None], "more than 40 MB: make thumbnails"),
    ],
)
def test_files_that_are_no_pictures_are_named(images, message):
    from adjudge._report.images import read_pictures

    with pytest.raises(InputError, match=message):
        read_pictures(images, 2)


def test_words_and_numbers():
    assert number("nan") == "undefined"
    assert number(-0.5) == "−0.5000"
    assert number(1234567) == "1,234,567"
    assert short("nan") == "–"
    assert short("inf") == "∞"
    assert short(0.1 + 0.2) == "0.3"
    assert short(-1247.31, 4) == "−1247"
    assert short(-1247.31, 4, separate=True) == "−1,247"
    assert percent(1, 3) == "33.3 %"
    assert percent(1, 2) == "50 %"
    assert percent(1, 10**6) == "<0.1 %"
    assert percent(10**6 - 1, 10**6) == ">99.9 %"
    assert percent(0, 0) == "–"
    assert count(1, "instance") == "1 instance"
    assert count(1797, "instance") == "1,797 instances"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef"), limit=2) == "a, b and 4 more"


def blobs(n=60, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    return truth, rng.normal(size=(n, 2)) + 8 * truth[:, None]


def said(made, tone=None):
    sentences = made.page["sections"][0]["verdict"]
    return " ".join(s["text"] for s in sentences if tone in (None, s["tone"]))


@pytest.mark.full
def test_without_a_truth_clusterings_are_judged_from_the_data(tmp_path):
    truth, X = blobs()
    noisy = np.where(np.arange(60) < 5, -1, truth // 2)
    models = {"coarse": noisy, "exact": truth}
    made = report(models=models, X=X, output=tmp_path / "r.html")
    section = made.page["sections"][0]
    wanted = {name: evaluate(X=X, labels=labels, indices="silhouette") for name, labels in models.items()}
    assert section["ranking"] == {"score": "silhouette", "order": ["exact", "coarse"]}
    assert f"exact is best by Silhouette: {wanted['exact']['silhouette']:.4f}" in said(made, "main")
    assert "2 by coarse and 3 by exact" in said(made) or "3 by exact and 2 by coarse" in said(made)
    without = "A choice leaves them out, and may prefer another clustering."
    assert f"count as one cluster: 5 by coarse. {without}" in said(made, "caveat")
    alone = report(models={"coarse": noisy}, X=X, output=tmp_path / "s.html")
    assert without not in said(alone)
    assert "not whether they are the groups" in said(made, "caveat")
    coarse = section["clusters"][1]
    assert [(row["name"], row["size"]) for row in coarse["rows"] if row["noise"]] == [("-1", 5)]
    text = render_report(made.page)
    assert "2 clusters of coarse, and 5 instances of noise" in text
    apart = report(models=models, X=X, noise="singletons", output=tmp_path / "r.html")
    rows = next(c for c in apart.page["sections"][0]["clusters"] if c["model"] == "coarse")
    assert sorted((row["name"], row["size"]) for row in rows["rows"]) == [("0", 36), ("1", 19)]
    assert "2 clusters of coarse, and 5 instances of noise" in render_report(apart.page)
    assert "Prayatul matrix:" not in text
    assert "true class" not in text.partition("<script")[0].partition('id="method"')[0]


def test_without_models_the_recommended_partition_is_shown(tmp_path):
    _, X = blobs()
    found = choose_k(X, k=range(2, 6), random_state=0, indices=["silhouette", "calinski_harabasz"])
    made = report(X=X, k_choice=found, output=tmp_path / "r.html")
    assert made.page["sections"][0]["models"] == ["kmeans, K = 3"]
    assert "There are clusters; the criteria recommend 3 clusters" in said(made, "main")
    assert [row["size"] for row in made.page["sections"][0]["clusters"][0]["rows"]] == [20, 20, 20]


@pytest.mark.full
def test_criteria_that_disagree_and_columns_that_drown_are_spoken_of(tmp_path):
    truth, X = blobs()
    X = np.column_stack([X, 1e6 * np.random.default_rng(1).normal(size=60)])
    models = {"one": truth, "two": X[:, 2] > 0}
    wild = report(models=models, X=X, feature_names=["a", "b", "loud"], output=tmp_path / "r.html")
    assert "The column loud has" in said(wild, "caveat")
    calm = report(models=models, X=X, standardize=True, output=tmp_path / "r.html")
    assert "times the spread of" not in said(calm)
    named = report(
        models=models,
        X=X,
        feature_names=["a", "b", "loud"],
        features=["a", "b"],
        output=tmp_path / "r.html",
    )
    assert "times the spread of" not in said(named)
    assert [c["name"] for c in named.page["sections"][0]["instances"]["columns"]] == ["a", "b", "loud"]
    assert named.page["sections"][0]["clusters"][0]["columns"] == ["a", "b"]
    alone = evaluate(X=X[:, :2], labels=truth, indices="dunn")["dunn"]
    row = next(r for r in named.page["sections"][0]["criteria"]["rows"] if r["name"] == "dunn")
    assert row["cells"][named.page["sections"][0]["criteria"]["models"].index("one")]["value"] == alone


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X": np.eye(4)}, "models is missing"),
        ({"models": {"a": [0, 0, 1, 1]}}, "neither labels_true nor X"),
        ({"models": {"a": [0, 0, 1, 1]}, "kind": "classification", "X": np.eye(4)}, "against the truth"),
        (
            {"labels_true": [0, 0, 1, 1], "models": {"a": [0, 0, 1, 1]}},
            "may be classes or numbers of clusters",
        ),
        ({"models": {"a": [0, 0, 1, 1]}, "X": np.eye(4), "adjust": True}, "adjust= needs the truth"),
        (
            {"models": {"a": [0, 0, 1, 1]}, "X": np.eye(4), "features": ["q"]},
            "not a column of X: its columns are x0, x1",
        ),
        (
            {"models": {"a": [0, 1]}, "X": pd.DataFrame({"t": ["u", "v"]}), "features": ["t"]},
            "'t', which holds text",
        ),
        (
            {"models": {"a": [0, 1]}, "X": pd.DataFrame({"t": [1.0, None]}), "features": ["t"]},
            "X has a gap in row 1, column 't'",
        ),
    ],
)
def test_reports_that_cannot_be_made_say_why(tmp_path, given, message):
    with pytest.raises(InputError, match=message):
        report(**given, output=tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


@pytest.mark.full
def test_scores_have_their_intervals_and_corrections(tmp_path):
    truth, models, _ = trial()
    made = report(truth, models, kind="clustering", confidence=0.9, output=tmp_path / "r.html")
    section = made.page["sections"][0]
    wanted = compare(truth, models, kind="clustering", confidence=0.9, adjust=True, random_state=0)
    names = [record["name"] for record in section["scores"]["records"]]
    for row in section["scores"]["rows"]:
        for name, cell in zip(names, row["cells"], strict=True):
            ends = wanted.score_intervals[row["model"]].get(name)
            assert cell["interval"] == (None if ends is None else list(ends))
            if name == "adjusted_rand":
                assert cell["adjusted"] is None
            elif name == "jaccard":
                assert cell["adjusted"] == wanted.adjusted_scores[row["model"]][name]
    text = render_report(made.page)
    assert "90&nbsp;% confidence interval" in text
    assert "corrected " in text


def test_several_estimators_are_told_one_after_another():
    _, X = blobs()
    found = choose_k(X, ["kmeans", "ward"], k=range(2, 5), random_state=0, indices=["silhouette"])
    told = choices(found)
    names = [found.estimator, next(n for n in ("kmeans", "ward") if n != found.estimator)]
    assert [one["estimator"] for one in told] == [estimator_title(name) for name in names]


def test_the_reason_names_criteria_as_the_curves_do():
    _, X = blobs()
    found = choose_k(X, k=range(2, 5), random_state=0)
    told = choice(pickle.loads(pickle.dumps(found)))
    assert found.supporters
    assert json.loads(json.dumps(found.to_dict()))["reason"] == found.reason
    assert ", ".join(found.supporters) in found.reason
    titles = {row["name"]: row["title"] for row in told["criteria"]}
    assert f"({', '.join(titles[name] for name in found.supporters)})" in told["reason"]
    assert told["estimator"] == "k-means"


def test_stability_marks_the_best_in_its_direction():
    _, X = blobs()
    found = choose_k(X, k=range(2, 5), random_state=0, indices=["silhouette"], stability=4)
    rows = choice(found)["stability"]
    assert {row["better"] for row in rows} == {"higher", "lower"}
    least = next(row for row in rows if "Jaccard" in row["title"])
    assert least["values"] == [float(np.min(found.stability.jaccard[k])) for k in (2, 3, 4)]
    for row in rows:
        best = max(row["values"]) if row["better"] == "higher" else min(row["values"])
        assert row["best"] == [value == best for value in row["values"]]


@pytest.mark.full
def test_scores_of_classifiers_that_disagree_are_spoken_of(tmp_path):
    truth = np.array([0] * 90 + [1] * 10)
    common = np.zeros(100, int)  # right on every common instance, on no rare one
    rare = np.where(np.arange(100) < 15, 1, truth)
    models = {"common": common, "rare": rare}
    scores = compare(truth, models, kind="classification").scores
    assert scores["common"]["accuracy"] > scores["rare"]["accuracy"]
    assert scores["common"]["balanced_accuracy"] < scores["rare"]["balanced_accuracy"]
    made = report(truth, models, kind="classification", output=tmp_path / "a.html")
    text = said(made, "main")
    assert text.startswith("rare and common trade: rare by Balanced accuracy (+0.417")
    assert "common finds more of class “0”" in text
    one = report(truth, {"rare": rare}, kind="classification", output=tmp_path / "b.html")
    assert "trade" not in said(one)
    agreed = report(truth, {"rare": rare, "right": truth}, kind="classification", output=tmp_path / "c.html")
    assert said(agreed, "main").startswith(
        "right is better than rare by Accuracy (+0.150: 1.000 against 0.850"
    )


def test_groups_beyond_the_alphabet_have_letters_of_their_own():
    letters = [letter(i) for i in range(60)]
    assert letters[:2] == ["a", "b"]
    assert letters[25:28] == ["z", "a2", "b2"]
    assert len(set(letters)) == 60


def test_the_tally_has_the_same_digits_in_text_notebook_and_page():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, size=(40, 2)) for m in (0, 3, 5)])
    found = choose_k(X, k=range(2, 6), n_resamples=7, random_state=0, progress=False)
    labels = found.labels[2]
    compared = compare(labels, {"two": labels}, kind="clustering")
    section = Section("S", compared, labels, {"two": labels}, X=X, k_choice=found)
    page = render_report(report_page("T", [section]))
    for text in (page, found._repr_html_(), str(found), found.tally_table().markdown()):
        plain = html.unescape(re.sub(r"<[^>]*>", " ", text)).replace("\N{NO-BREAK SPACE}", " ")
        words = re.findall(r"[<>]?[\d.]+(?: %)?", plain)
        assert all(f"{votes:.2f}" in words for votes in found.tally.values())
        assert all(percent_text(p) in words for p in found.probability.values())
        assert all(percent_text(p) in words for p in found.confidence.values())
    assert all(f",{p!r}," in found.tally_table().csv() for p in found.probability.values())
