"""Columns brought to one scale, beside scikit-learn's transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import RobustScaler, StandardScaler

import adjudge
from adjudge.errors import InputError, InputTypeError
from adjudge.given.points import as_points
from adjudge.given.scaling import apart_in_scale, as_scaling, scaled, skewed_columns


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
