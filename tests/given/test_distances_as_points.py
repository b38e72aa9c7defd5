"""A matrix of distances that is passed as points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

import adjudge
from adjudge.given.points import look_like_distances

LABELS = np.arange(40) % 2
D = squareform(pdist(np.random.default_rng(0).normal(size=(40, 2)) + 3 * LABELS[:, None]))
CODE = "distances-as-points"


def changed(value: float, *places: tuple[int, int]) -> Any:
    X = D.copy()
    for place in places:
        X[place] = value
    return X


@pytest.mark.parametrize(
    ("X", "found"),
    [
        (D, True),
        (D.astype(np.float32), True),
        ((D > 1).astype(int), True),
        (np.tile(np.arange(600.0), (600, 1)), False),
        (abs(np.subtract.outer(np.arange(600.0), np.arange(600.0))), True),
        (D[:, :-1], False),
        (D[:2, :2], False),
        (np.zeros((5, 5)), False),
        (changed(1.0, (7, 7)), False),
        (changed(9.0, (30, 3)), False),
        (changed(-1.0, (30, 3), (3, 30)), False),
        (changed(0.0, (30, 3)), False),
        (D.tolist(), False),
    ],
)
def test_what_looks_like_distances(X: Any, found: bool) -> None:
    assert look_like_distances(X) is found


@pytest.mark.parametrize("X", [D, pd.DataFrame(D)])
def test_verbs_say_that_rows_count_as_points(X: Any) -> None:
    asked = {"labels": LABELS, "indices": "silhouette"}
    found = [
        adjudge.evaluate(X=X, **asked),
        adjudge.evaluate(X=X, **asked | {"labels": np.where(LABELS, LABELS, -1), "noise": "drop"}),
        adjudge.choose_k(X, "ward", k=range(2, 4), indices="silhouette"),
        adjudge.choose(X, {"a": LABELS, "b": LABELS[::-1]}, indices="silhouette", by="silhouette"),
    ]
    assert all([n.code for n in own.warnings].count(CODE) == 1 for own in found)
    assert 'pass metric="precomputed"' in str(found[0].warnings[0]).replace("'", '"')
    for rows, metric in ((X, "precomputed"), (np.asarray(X) + 1, "euclidean")):
        own = adjudge.evaluate(X=rows, metric=metric, **asked)
        assert CODE not in [n.code for n in own.warnings]


@pytest.mark.parametrize("index", [adjudge.silhouette, adjudge.calinski_harabasz])
def test_indices_warn(index: Any) -> None:
    with pytest.warns(UserWarning, match="like a matrix of distances, but its rows count as points"):
        index(D, LABELS)
    index(D + 1, LABELS)
    adjudge.dunn(D, LABELS, metric="precomputed")


def test_the_shell_says_so(tmp_path: Path, shell: Any) -> None:
    path = tmp_path / "distances.csv"
    pd.DataFrame(D).add_prefix("to ").assign(group=LABELS).to_csv(path, index=False)
    command = ["evaluate", str(path), "--labels", "group", "--indices", "silhouette"]
    assert "if they are distances, pass --metric precomputed" in shell(*command).err
    assert "distances" not in shell(*command, "--metric", "precomputed").err
