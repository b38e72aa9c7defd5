"""Annotated matrices, as those of anndata: labels, points and graphs by name."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy import sparse

from adjudge import InputError, InputTypeError, choose, choose_k, compare, evaluate, gate, report
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
    found = evaluate(CELLS, labels="leiden", features="X_umap", indices=["silhouette", "dunn"])
    assert (found.values, found.settings["features"]) == (points.values, ["X_umap"])
    of_ranges = {"metric": "gower", "indices": "silhouette"}
    found = evaluate(CELLS, labels="leiden", features="X_umap", **of_ranges)
    assert found.values == evaluate(X=X[:, :2], labels=LABELS, **of_ranges).values
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
    with raises_line(
        InputError, "the table has no column 'leidn': did you mean 'leiden'? It has 'leiden', 'type', 'n'"
    ):
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
    with raises_line(
        InputError,
        "candidates names 'leyden', but X has no such column: did you mean 'leiden' or 'leiden_2'?",
    ):
        choose(cells, ["leyden"])


def test_coordinates_are_named_alike_in_all_verbs() -> None:
    flat, both = X[:, :2], {"leiden": OBS["leiden"], "type": OBS["type"]}
    wanted = choose(flat, both, indices="silhouette").values
    assert choose(CELLS, ["leiden", "ty*"], features="X_umap", indices="silhouette").values == wanted
    assert choose_k(CELLS, k=[2, 3], features="X_umap").values == choose_k(flat, k=[2, 3]).values
    assert choose_k(CELLS, k=[2, 3]).values == choose_k(X, k=[2, 3]).values
    alone = SimpleNamespace(obs=OBS, obsm={"X_umap": flat}, obsp={})
    for call in (
        lambda: choose(alone, ["leiden"]),
        lambda: choose_k(alone),
        lambda: evaluate(alone, labels="n"),
    ):
        with raises_line(InputError, "obsm has no 'X_pca': name one of 'X_umap' as features="):
            call()
    with raises_line(InputError, "features= names 2 entries of obsm: name one"):
        evaluate(CELLS, labels="leiden", features=["X_pca", "X_umap"])
    for given in (
        {"labels": "leiden"},
        {"truth": "type", "pred": "leiden"},
        {"labels": "leiden", "batch": "type"},
    ):
        for points in (X, "X_umap"):
            with raises_line(
                InputError, "X= are points beside a table: name an entry of obsm with features="
            ):
                evaluate(CELLS, X=points, **given)
    with raises_line(
        InputTypeError,
        "X is a SimpleNamespace, not an array: pass an entry of its obsm, such as X.obsm['X_pca']",
    ):
        evaluate(X=CELLS, labels=LABELS)


def test_results_say_what_was_judged_if_it_was_not_named() -> None:
    said = "note: judged from obsm['X_pca']: features= names another entry"
    beside_batches = evaluate(CELLS, labels="leiden", batch="type")
    for found in (choose(CELLS, ["leiden", "type"]), choose_k(CELLS, k=[2, 3]), beside_batches):
        assert said in map(str, found.warnings)
    graph = evaluate(CELLS, labels="leiden")
    assert "note: judged from obsp['connectivities']: graph= or features= names another entry" in map(
        str, graph.warnings
    )
    named = evaluate(CELLS, labels="leiden", features="X_pca"), choose(CELLS, ["leiden"], features="X_pca")
    for found in named:
        assert "judged from" not in str(found.warnings)


def test_a_graph_is_named_by_the_key_that_scanpy_added() -> None:
    added = {"nn_distances": NEAR, "nn_connectivities": GRAPH}
    cells = SimpleNamespace(obs=OBS, obsm={}, obsp=added)
    wanted = evaluate(graph=GRAPH, labels=LABELS).values
    assert evaluate(cells, labels="leiden", graph="nn").values == wanted
    assert choose(cells, ["leiden", "type"], graph="nn").best == "leiden"
    with raises_line(InputError, "obsp has no 'mm': name one of 'nn_connectivities'"):
        evaluate(cells, labels="leiden", graph="mm")
    for call in (
        lambda: evaluate(cells, labels="leiden", graph="nn", directed=True),
        lambda: choose(cells, ["leiden"], graph="nn", directed=True),
    ):
        with raises_line(
            InputError, "directed= is of a table of edges: leave it out, and give the Graph that is meant"
        ):
            call()


def test_columns_are_read_as_those_of_a_data_frame(tmp_path: Path) -> None:
    cells = SimpleNamespace(obs=OBS.assign(leiden_2=OBS["type"]), obsm={"X_pca": X}, obsp={})
    for verb, given in [
        (
            evaluate,
            {"truth": "type", "pred": "leiden", "kind": "clustering", "confidence": 0.9, "units": "n"},
        ),
        (evaluate, {"truth": "type", "pred": "leiden_2", "groups": "leiden", "units": "n"}),
        (compare, {"truth": "type", "models": ["leiden", "leiden_2"], "kind": "clustering"}),
        (gate, {"truth": "type", "old": "leiden", "new": "leiden_2", "kind": "clustering"}),
    ]:
        assert str(verb(cells, **given)) == str(verb(cells.obs, **given))
    page = report(
        cells, models=["leiden", "leiden_2"], truth="type", kind="clustering", output=tmp_path / "page.html"
    )
    assert "leiden_2" in Path(page).read_text()
    with raises_line(
        InputError,
        "features= names no columns of obs, which a page shows: give labels from obs, and an entry of obsm as X=",
    ):
        report(cells, models=["leiden"], truth="type", features="X_pca", output=tmp_path / "page.html")
    lacking = SimpleNamespace(
        obs=OBS.assign(leiden=OBS["leiden"].where(LABELS > 0)), obsm={"X_pca": X}, obsp={}
    )
    with raises_line(
        InputError,
        "column 'leiden' has a missing label at position 0 (20 in all): fill it in, or pass missing='drop' to leave "
        "such instances out",
    ):
        evaluate(lacking, labels="leiden")


def test_rows_without_a_label_are_left_out_of_all_parts() -> None:
    gaps = OBS["leiden"].where(OBS["n"] > 3)
    cells = SimpleNamespace(obs=OBS.assign(leiden=gaps), obsm={"X_pca": X}, obsp={"connectivities": GRAPH})
    wanted = evaluate(graph=GRAPH[8:, 8:], labels=LABELS[8:]).values
    graph = evaluate(cells, labels="leiden", missing="drop")
    several = evaluate(cells, labels=["type", "leiden"], graph="connectivities", missing="drop")
    assert graph.values == several["leiden"].values == wanted
    assert (graph.n, several["leiden"].n, several["type"].n) == (52, 52, 60)
    batches = evaluate(X=X[8:], labels=LABELS[8:], batch=OBS["type"][8:]).values
    assert evaluate(cells, labels="leiden", batch="type", missing="drop").values == batches


def test_several_columns_of_labels_by_name_or_pattern() -> None:
    cells = SimpleNamespace(obs=OBS.assign(leiden_2=OBS["type"]), obsm={"X_pca": X}, obsp={})
    wanted = {
        name: evaluate(X=X, labels=cells.obs[name], indices="ch").values for name in ("leiden", "leiden_2")
    }
    frame = cells.obs.assign(x=X[:, 0], y=X[:, 1], z=X[:, 2])
    for labels in ("leiden*", ["leiden", "leiden_2"], ["leid*"]):
        for table, features in ((cells, None), (cells, "X_pca"), (frame, ["x", "y", "z"])):
            found = evaluate(table, labels=labels, features=features, indices="ch")
            assert {name: own.values for name, own in found.evaluations.items()} == wanted
    # Text that names no column is the labels themselves.
    truth = pd.DataFrame({"truth": OBS["type"]})
    assert (
        evaluate(truth, OBS["leiden"], X=X, labels=list(OBS["type"]), indices="ch").values
        == wanted["leiden_2"]
    )
