"""Candidates in the columns of the points' frame, and candidates with gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adjudge import choose
from adjudge.errors import InputError

WARD, OTHER = [0] * 30 + [1] * 30, [0, 1] * 30


@pytest.fixture(name="frame")
def points_and_labels(rng: np.random.Generator) -> pd.DataFrame:
    X = np.r_[rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 6]
    return pd.DataFrame(X, columns=["u", "v"]).assign(ward=WARD, other=OTHER)


@pytest.mark.parametrize("container", [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f)])
def test_columns_of_the_frame(container: Any, frame: pd.DataFrame) -> None:
    wanted = choose(frame[["u", "v"]], frame[["ward", "other"]])
    found = choose(container(frame), ["ward", "other"])
    assert found.best == wanted.best == "ward"
    assert found.values == wanted.values
    assert choose(container(frame), ["[wo]*r*"]).values == wanted.values
    alone = choose(container(frame[["u", "v", "ward"]]), "ward")
    assert list(alone.labels) == ["ward"]


def test_columns_named_by_numbers(frame: pd.DataFrame) -> None:
    numbered = frame.set_axis([5, 6, 7, 8], axis=1)
    assert choose(numbered, [7, 8]).best == "7"


def test_a_name_that_is_no_column(frame: pd.DataFrame) -> None:
    with pytest.raises(
        InputError, match="candidates names 'wad', but X has no such column: did you mean 'ward'"
    ):
        choose(frame, ["wad", "other"])
    with pytest.raises(InputError, match="candidates names all columns of X"):
        choose(frame, ["u", "v", "ward", "other"])


@pytest.mark.parametrize("container", [dict, pd.DataFrame, pl.DataFrame])
def test_points_without_a_label_are_left_out(container: Any, frame: pd.DataFrame) -> None:
    X = frame[["u", "v"]].to_numpy()
    gaps = {"ward": [None, *WARD[1:]], "other": [*OTHER[:-1], None]}
    with pytest.raises(InputError, match="candidate 'ward' has a missing label at position 0"):
        choose(X, container(gaps))
    found = choose(X, container(gaps), missing="drop")
    wanted = choose(X[1:-1], {"ward": WARD[1:-1], "other": OTHER[1:-1]})
    assert found.values == wanted.values
    assert found.n == 58
    assert [notice.text for notice in found.warnings if notice.code == "points-left-out"] == [
        "2 points without a label in some candidate left out"
    ]
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    by_distance = choose(D, container(gaps), missing="drop", metric="precomputed", indices="silhouette")
    assert by_distance.values["silhouette"]["ward"] == pytest.approx(
        choose(X[1:-1], {"ward": WARD[1:-1]}, indices="silhouette").values["silhouette"]["ward"]
    )


def test_nothing_is_left_out_without_gaps(frame: pd.DataFrame) -> None:
    found = choose(frame, ["ward", "other"], missing="drop")
    assert found.n == 60
    assert not [notice for notice in found.warnings if notice.code == "points-left-out"]
    with pytest.raises(InputError, match="no point has a label in every candidate"):
        choose(frame[["u", "v"]], {"a": [None] * 60}, missing="drop")


def test_other_columns_of_labels_are_left_out_and_named() -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    frame = pd.DataFrame(rng.normal(4 * codes[:, None], 1, (40, 2)), columns=["x", "y"])
    frame["noisy"], frame["res_1"], frame["res_2"] = codes - (np.arange(40) < 3), codes, np.arange(40) % 3
    asked = {"indices": ["silhouette", "dunn"], "by": "silhouette"}
    found = choose(frame, ["res_1"], **asked)
    expected = choose(frame[["x", "y"]], {"res_1": codes}, **asked)
    assert found.values == expected.values
    said = [str(notice) for notice in found.warnings if notice.code == "labels-as-coordinates"]
    assert len(said) == 1
    assert "'noisy' and 'res_2' look like labels, so they are left out" in said[0]
    assert not any(notice.code == "labels-as-coordinates" for notice in expected.warnings)
    by_name = choose(frame[["x", "y", "noisy"]], {"res_1": codes}, **asked)
    assert by_name.values == expected.values
    assert any("'noisy' looks like labels, so it is left out" in str(n) for n in by_name.warnings)
    of_array = choose(frame[["x", "y", "noisy"]].to_numpy(), {"res_1": codes}, **asked)
    assert of_array.values != expected.values
