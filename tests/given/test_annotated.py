"""Annotated matrices, as those of anndata: labels, points and graphs by name."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy import sparse

from adjudge import InputError, choose, evaluate
from conftest import raises_line

RNG = np.random.default_rng(4)
LABELS = np.repeat([0, 1, 2], 20)
X = RNG.normal(size=(60, 3)) + 3 * LABELS[:, None]
NEAR = sparse.csr_matrix(np.linalg.norm(X[:, None] - X, axis=2) < 2)
GRAPH = sparse.csr_matrix(sparse.triu(NEAR, 1).astype(np.float32) * 0.5)
GRAPH = GRAPH + GRAPH.T
OBS = pd.DataFrame(
    {"leiden": pd.Categorical(LABELS.astype(str)), "type": RNG.choice(["a", "b"], 60), "n": np.arange(60) // 2},
    index=[f"cell{i}" for i in range(60)],
)  # fmt: skip
CELLS = SimpleNamespace(obs=OBS, obsm={"X_pca": X, "X_umap": X[:, :2]}, obsp={"connectivities": GRAPH})


def test_names_stand_for_what_they_name() -> None:
    graph = evaluate(graph=GRAPH, labels=LABELS)
    assert evaluate(CELLS, labels="leiden").values == graph.values
    assert evaluate(CELLS, labels="leiden", graph="connectivities").values == graph.values
    points = evaluate(X=X[:, :2], labels=LABELS, indices=["silhouette", "dunn"])
    assert evaluate(CELLS, labels="leiden", features="X_umap", indices=["silhouette", "dunn"]) == points
    without = SimpleNamespace(obs=OBS, obsm=CELLS.obsm, obsp={})
    found = evaluate(without, labels="leiden", indices="silhouette")
    assert found.values == evaluate(X=X, labels=LABELS, indices="silhouette").values
    outer = evaluate(OBS["type"], OBS["leiden"], units=OBS["n"], confidence=0.9)
    assert (
        evaluate(CELLS, truth="type", pred="leiden", units="n", confidence=0.9).intervals == outer.intervals
    )
    both = evaluate(CELLS, truth="type", labels="leiden")
    assert both.values == outer.values | graph.values
    mixed = evaluate(X=X, labels=LABELS, batch=OBS["type"].to_numpy())
    assert evaluate(CELLS, labels="leiden", batch="type").values == mixed.values
    several = evaluate(CELLS, pred=["leiden", "type"], graph="connectivities")
    assert several["leiden", "modularity"] == graph["modularity"]


def test_names_that_are_not_there() -> None:
    with raises_line(InputError, "obs has no 'leidn': name one of 'leiden'"):
        evaluate(CELLS, labels="leidn")
    with raises_line(InputError, "obsp has no 'distances': name one of 'connectivities'"):
        evaluate(CELLS, labels="leiden", graph="distances")
    with raises_line(InputError, "obsm has no 'X_pc': name one of 'X_pca', 'X_umap'"):
        evaluate(CELLS, labels="leiden", features="X_pc")
    empty = SimpleNamespace(obs=OBS, obsm={}, obsp={})
    with raises_line(InputError, "obsm has no 'X_pca': compute one first"):
        evaluate(empty, labels="leiden")


def test_candidates_are_columns_by_name_or_pattern() -> None:
    coarse = (LABELS > 0).astype(str)
    cells = SimpleNamespace(obs=OBS.assign(leiden_2=coarse), obsm=CELLS.obsm, obsp={})
    found = choose(cells, "leiden*", indices="silhouette")
    assert (
        found.values == choose(X, {"leiden": OBS["leiden"], "leiden_2": coarse}, indices="silhouette").values
    )
    assert list(choose(cells, ["leiden_2", "leiden"]).n_clusters) == ["leiden_2", "leiden"]
    with raises_line(InputError, "obs has no 'leyden': name one of 'leiden', 'leiden_2'"):
        choose(cells, ["leyden"])
