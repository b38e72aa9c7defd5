"""Columns brought to one scale, beside scikit-learn's transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.preprocessing import RobustScaler, StandardScaler

import adjudge
from adjudge.errors import InputError, InputTypeError
from adjudge.given.points import as_points
from adjudge.given.scaling import apart_in_scale, as_scaling, scaled, skewed_columns
from conftest import raises_line


@pytest.fixture(name="X")
def points_of_several_kinds(rng: np.random.Generator) -> Any:
    columns = [
        rng.normal(500, 90, 200),
        rng.exponential(size=200) ** 4,
        rng.poisson(0.4, 200),
        np.full(200, 3.0),
    ]
    return np.column_stack([*columns, -(rng.exponential(size=200) ** 3)])


def test_scales_are_scikit_learns(X: Any) -> None:
    np.testing.assert_allclose(scaled(X), StandardScaler().fit_transform(X), rtol=1e-12, atol=1e-12)
    robust = scaled(X, "robust")
    np.testing.assert_allclose(
        robust[:, [0, 1, 4]], RobustScaler().fit_transform(X)[:, [0, 1, 4]], rtol=1e-12
    )
    assert (robust[:, 3] == 0).all()


def test_a_column_that_is_mostly_one_value_is_not_blown_up() -> None:
    """It has no interquartile range: scikit-learn leaves it in its own unit."""
    column = np.zeros((20, 1))
    column[0] = 1000.0
    assert abs(scaled(column, "robust")).max() < 5


def test_logarithms_of_skewed_columns_alone(X: Any) -> None:
    found = scaled(X, "log")
    assert np.corrcoef(found[:, 1], np.log(X[:, 1]))[0, 1] == pytest.approx(1)
    assert np.corrcoef(found[:, 0], X[:, 0])[0, 1] == pytest.approx(1)
    # Negative values have none.
    assert np.corrcoef(found[:, 4], X[:, 4])[0, 1] == pytest.approx(1)
    counts = np.array([[0.0], [0.0], [1.0], [2.0], [50.0]])
    assert np.corrcoef(scaled(counts, "log")[:, 0], np.log1p(counts)[:, 0])[0, 1] == pytest.approx(1)
    np.testing.assert_allclose(found[:, :3].std(axis=0), 1)


def test_what_is_told_of_columns() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"spend": rng.normal(0, 300, 100), "visits": rng.normal(0, 2, 100), "same": 1.0})
    apart = apart_in_scale(as_points(frame))
    assert apart is not None
    assert (apart[0], apart[2]) == ("spend", "visits")
    assert apart_in_scale(as_points(frame / [300, 2, 1])) is None
    assert apart_in_scale(as_points(frame.to_numpy())) is None
    assert apart_in_scale(as_points(frame[["spend", "same"]])) is None
    far = frame.assign(far=rng.exponential(size=100) ** 5, below=-(rng.exponential(size=100) ** 5))
    assert skewed_columns(as_points(far)) == ["far"]
    assert skewed_columns(as_points(far.to_numpy())) == []


def test_verbs_say_so_of_data_frames() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 20)
    frame = pd.DataFrame(
        {
            "customer_id": rng.permutation(60) // 2,
            "spend": 400 * labels + rng.normal(size=60),
            "x": rng.normal(size=60),
        }
    )
    codes = {"identifiers-as-coordinates", "scales-far-apart"}
    results = [
        adjudge.evaluate(X=frame, labels=labels, indices="silhouette"),
        adjudge.choose_k(frame, "ward", k=[2, 3]),
        adjudge.choose(frame, {"a": labels, "b": labels % 2}),
    ]
    for result in results:
        assert codes <= {notice.code for notice in result.warnings}
        named = [notice.text for notice in result.warnings if notice.code in codes]
        assert any("'customer_id' looks like an identifier" in text for text in named)
        assert any("'spend'" in text and "StandardScaler" in text for text in named)
    of_array = adjudge.evaluate(X=frame.to_numpy(), labels=labels, indices="silhouette")
    assert of_array.warnings == ()


def test_the_option() -> None:
    assert [as_scaling(value) for value in (None, False, True, "robust")] == [
        None,
        None,
        "standard",
        "robust",
    ]
    with pytest.raises(
        InputError, match="standardize='minmax' is not known: choose one of standard, robust, log"
    ):
        as_scaling("minmax")
    with pytest.raises(InputTypeError, match="give True or one of"):
        as_scaling(3)


@pytest.mark.parametrize("how", ["standard", "robust", "log"])
def test_weights_set_the_scale(X: Any, how: Any) -> None:
    weights = np.arange(200) % 5
    rows = np.repeat(np.arange(200), weights)
    assert np.unique(rows).size == 160
    found = scaled(X, how, weights)
    np.testing.assert_allclose(found[rows], scaled(X[rows], how), rtol=1e-12, atol=1e-12)
    # Equal sampling weights are none, and those of 0 are not there.
    sampled = scaled(X, how, 0.25 * (weights > 0))[weights > 0]
    np.testing.assert_allclose(sampled, scaled(X[weights > 0], how), rtol=1e-12, atol=1e-12)


def test_quartiles_of_sampling_weights() -> None:
    """The places of the values are 0, 1/6, 1/2 and 1: the weight below among that of the others."""
    column, weights = np.array([[40.0], [10.0], [20.0], [30.0]]), np.array([2.0, 1.0, 1.0, 3.0])
    place = {10.0: 0.0, 20.0: 1 / 6, 30.0: 2 / 4, 40.0: 1.0}
    quartiles = np.interp([0.25, 0.5, 0.75], [*place.values()], [*place])
    wanted = (column - quartiles[1]) / (quartiles[2] - quartiles[0])
    np.testing.assert_allclose(scaled(column, "robust", weights), wanted, rtol=1e-12)
    assert scaled(np.array([[5.0]]), "robust", np.array([0.5])).tolist() == [[0.0]]


@pytest.mark.parametrize("how", ["standard", "robust", "log"])
def test_points_of_a_table_are_scaled_as_if_repeated(X: Any, how: Any, tmp_path: Any) -> None:
    names = [*"abc"]
    frame = pd.DataFrame(X[:, :3], columns=names).assign(label=np.arange(200) % 3, w=np.arange(200) % 4)
    asked: dict[str, Any] = {"labels": "label", "features": names, "standardize": how}
    asked["indices"] = ["silhouette", "calinski_harabasz"]
    repeated = adjudge.evaluate(frame.loc[np.repeat(frame.index, frame.w)], **asked)
    asked |= {"sample_weight": "w", "weights": "frequency"}
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    for given in (frame, tmp_path / "t.csv", tmp_path / "t.parquet"):
        found = adjudge.evaluate(given, **asked)
        for name in asked["indices"]:
            assert found[name] == pytest.approx(repeated[name], rel=1e-9)


def test_what_is_told_of_columns_leaves_out_weights_of_0() -> None:
    frame = pd.DataFrame({"x": [0, 1, 4, 5, 900], "y": [0, 1, 9, 11, 3]})
    labels, codes = [0, 0, 1, 1, 1], []
    for last in (0, 1):
        weights = [1, 1, 1, 1, last]
        found = adjudge.evaluate(
            X=frame, labels=labels, sample_weight=weights, weights="frequency", indices="silhouette"
        )
        codes.append({notice.code for notice in found.warnings})
    assert "scales-far-apart" not in codes[0]
    assert "scales-far-apart" in codes[1]
    assert apart_in_scale(as_points(frame), np.array([1, 1, 1, 1, 0])) is None


@pytest.mark.parametrize("how", [True, "robust", "log"])
def test_points_that_are_given_are_scaled_as_columns_of_a_table(X: Any, how: Any, tmp_path: Any) -> None:
    names, labels, other = [*"abc"], np.arange(200) % 3, np.arange(200) % 2
    frame = pd.DataFrame(X[:, :3], columns=names)
    asked: dict[str, Any] = {"indices": ["silhouette", "dunn"], "standardize": how}
    table = frame.assign(label=labels, other=other, w=np.arange(200) % 4)
    wanted = adjudge.evaluate(table, labels="label", features=names, **asked)
    assert wanted["silhouette"] != adjudge.silhouette(X[:, :3], labels)
    np.save(tmp_path / "x.npy", X[:, :3])
    several = adjudge.evaluate(X=frame, labels={"a": labels}, **asked)["a"]
    for points in (X[:, :3], frame, tmp_path / "x.npy", frame.assign(id=np.arange(200) + 700)):
        for found in (adjudge.evaluate(X=points, labels=labels, **asked), several):
            assert dict(found.values) == dict(wanted.values)
    weights: dict[str, Any] = {"sample_weight": table["w"], "weights": "frequency"}
    found = adjudge.evaluate(X=frame, labels=labels, **weights, **asked)
    weights["sample_weight"] = "w"
    assert found.values == adjudge.evaluate(table, labels="label", features=names, **weights, **asked).values
    # Batches stand beside the points of clusters.
    mixed = adjudge.evaluate(X=frame, labels=labels, batch=other, standardize=how)
    in_table = adjudge.evaluate(table, labels="label", batch="other", features=names, standardize=how)
    assert mixed.values == in_table.values
    assert (
        mixed.values
        == adjudge.evaluate(X=scaled(X[:, :3], as_scaling(how)), labels=labels, batch=other).values
    )


def test_what_cannot_be_scaled(X: Any) -> None:
    labels = np.arange(200) % 3
    with raises_line(InputError, "standardize= needs dense points: pass X.toarray()"):
        adjudge.evaluate(X=csr_matrix(X), labels=labels, standardize=True)
    with raises_line(InputError, "standardize= scales coordinates, and these are distances: leave it out"):
        adjudge.evaluate(X=np.zeros((200, 200)), labels=labels, standardize=True, metric="precomputed")
    with raises_line(InputError, "standardize= scales points: give them as X="):
        adjudge.evaluate(labels, labels, standardize=True)
    with raises_line(InputError, "standardize= scales points: name columns with features="):
        adjudge.evaluate(pd.DataFrame({"t": labels}), truth="t", pred="t", standardize=True)
