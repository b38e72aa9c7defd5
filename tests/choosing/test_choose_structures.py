"""choose: communities of a graph, soft clusterings, and the cuts of a tree."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.sparse import csr_matrix
from scipy.stats import rankdata

import adjudge
from adjudge import Graph, InputError, Linkage, Memberships, choose
from adjudge.errors import AdjudgeError
from adjudge.given.input_kinds import Coordinates, Partition
from adjudge.given.memberships import SoftClusters
from adjudge.indices.structure_record import StructureIndex
from adjudge.statistics.making import lacking_of
from conftest import raises_line

BLOCKS = np.repeat([0, 1, 2, 3], 12)


def blocks(seed: int = 0) -> Graph:
    """Four dense blocks that few edges connect."""
    rng = np.random.default_rng(seed)
    likely = np.where(BLOCKS[:, None] == BLOCKS, 0.6, 0.05)
    edges = np.argwhere(np.triu(rng.random(likely.shape) < likely, 1))
    return Graph(edges, BLOCKS.size)


def candidates() -> dict[str, Any]:
    return {
        "blocks": np.array(list("abcd"))[BLOCKS],
        "halves": BLOCKS // 2,
        "pairs": np.arange(BLOCKS.size) // 2,
        "one": np.zeros(BLOCKS.size, int),
        "random": np.random.default_rng(1).permutation(BLOCKS),
    }


def soft(k: int, spread: float = 1.0) -> tuple[np.ndarray, Memberships]:
    """Three groups on a line, and memberships in k clusters by the distance from as many centres."""
    X = np.random.default_rng(2).normal(np.repeat([0.0, 5, 10], 20), 0.5)[:, None]
    weights = np.exp(-((X - np.linspace(0, 10, k)) ** 2) / spread)
    return X, Memberships(weights / weights.sum(axis=1, keepdims=True))


def test_communities_are_judged_by_the_indices_of_the_graph() -> None:
    graph, labels = blocks(), candidates()
    choice = choose(graph=graph, candidates=labels, indices="all")
    for name, values in choice.values.items():
        for candidate, value in values.items():
            wanted = getattr(adjudge, name)(graph=graph, labels=labels[candidate])
            assert value == pytest.approx(wanted, nan_ok=True), (name, candidate)
    assert choice.best == "blocks"
    assert choice.quality_name == "Modularity"
    assert choice.n_clusters == {"blocks": 4, "halves": 2, "pairs": 24, "one": 1, "random": 4}
    assert "5 candidates on 48 vertices" in repr(choice)
    assert choice.reasons["conductance"] == {
        "one": "0/0: no community has edges both in it and outside of it"
    }
    # What is best for one community, or for many small ones, has no vote.
    assert max(choice.values["graph_coverage"], key=choice.values["graph_coverage"].__getitem__) == "one"
    assert max(choice.values["internal_density"].values()) == choice.values["internal_density"]["blocks"]
    voters = {name for name, vote in choice.votes.items() if vote}
    assert voters == {"modularity", "surprise", "significance"}
    said = {notice.code: notice.message for notice in choice.warnings}
    assert "graph_coverage" in said["no-vote"]
    assert not any(name in said["no-vote"] for name in voters)
    assert set(said) == {"no-vote"}
    assert choice.tally == {"blocks": 3.0}
    assert choice.values_of("newman_girvan") == choice.values["modularity"]


def test_ranks_come_from_the_voters_alone() -> None:
    choice = choose(graph=blocks(), candidates=candidates(), indices="all", by="mean_rank")
    voters = [choice.values[name] for name in ("modularity", "surprise", "significance")]
    several = [name for name in choice.names if name != "one"]
    for name in several:
        ranks = [rankdata(list(own.values()))[list(own).index(name)] - 1 for own in voters]
        assert choice.quality[name] == pytest.approx(np.mean(ranks) / (len(choice) - 1))
    drifting = choose(graph=blocks(), candidates=candidates(), by="graph_coverage")
    assert drifting.best == "one"


def test_where_communities_come_from() -> None:
    graph, labels = blocks(), candidates()
    wanted = choose(graph=graph, candidates=labels).values
    frame = pd.DataFrame(labels)
    assert choose(graph=graph, candidates=frame).values == wanted
    assert choose(frame.assign(age=1.0), list(labels), graph=graph).values == wanted
    edges = np.asarray(graph.edges)
    matrix = csr_matrix((np.ones(2 * len(edges)), np.vstack([edges, edges[:, ::-1]]).T), shape=(48, 48))
    cells = SimpleNamespace(obs=frame.add_prefix("leiden_"), obsm={}, obsp={"connectivities": matrix})
    found = choose(cells, "leiden_*", graph="connectivities")
    assert {name: list(own.values()) for name, own in found.values.items()} == {
        name: pytest.approx(list(own.values()), nan_ok=True) for name, own in wanted.items()
    }


def test_noise_among_vertices() -> None:
    noisy = np.where(np.arange(48) % 9 == 0, -1, BLOCKS)
    labels = {"noisy": noisy, "blocks": BLOCKS}
    with raises_line(
        InputError,
        "candidate 'noisy' has noise, which a graph still holds: pass noise='singletons' or noise='cluster'",
    ):
        choose(graph=blocks(), candidates=labels)
    alone = np.where(noisy < 0, 100 + np.arange(48), noisy)
    for noise, same in (("cluster", noisy), ("singletons", alone)):
        choice = choose(graph=blocks(), candidates=labels, noise=noise)
        assert choice.values["modularity"]["noisy"] == adjudge.modularity(graph=blocks(), labels=same)
        assert choice.coverage["noisy"] == pytest.approx(42 / 48)


def test_soft_clusterings() -> None:
    X = soft(3)[0]
    models = {f"{k} components": soft(k)[1] for k in (2, 3, 4, 6)}
    choice = choose(X, models)
    for name, values in choice.values.items():
        beside = {"X": X} if name == "fuzzy_silhouette" else {}
        for model, value in values.items():
            assert value == getattr(adjudge, name)(models[model], **beside)
    assert choice.best == "3 components"
    assert choice.quality_name == "Fuzzy silhouette"
    assert choice.n_clusters == {"2 components": 2, "3 components": 3, "4 components": 4, "6 components": 6}
    assert np.array_equal(choice.labels["3 components"], models["3 components"].values.argmax(axis=1))
    assert {name for name, vote in choice.votes.items() if vote} == {
        "fuzzy_silhouette",
        "modified_partition_coefficient",
    }
    without = choose(candidates=models, indices="all")
    assert without.quality_name == "Modified partition coefficient"
    assert "fuzzy_silhouette" not in without.values
    # The columns of the same memberships may be in any order.
    turned = {name: Memberships(own.values[:, ::-1]) for name, own in models.items()}
    assert choose(X, turned).values["fuzzy_silhouette"] == pytest.approx(choice.values["fuzzy_silhouette"])


@pytest.mark.parametrize("method", ["ward", "single", "centroid"])
def test_cuts_undo_the_last_merges(method: str) -> None:
    X = np.random.default_rng(3).integers(0, 6, (40, 2)).astype(float)
    ks = [1, 2, 3, 7, 20, 39, 40]
    tree = linkage(X, method)
    for (k, labels), own in zip(Linkage(tree).cuts(ks[::-1]), ks, strict=True):
        assert k == own
        assert sorted(set(labels.tolist())) == list(range(k))
        assert adjudge.adjusted_rand(labels, merged(tree, 40 - k)) == 1.0
    if method == "centroid":
        return
    # SciPy undoes merges of equal or falling heights in another order.
    tree = linkage(X + np.random.default_rng(5).normal(0, 0.1, X.shape), method)
    for k, labels in Linkage(tree).cuts(range(1, 41)):
        assert adjudge.adjusted_rand(labels, cut_tree(tree, k)[:, 0]) == 1.0


def merged(tree: np.ndarray, steps: int) -> list[int]:
    """The clusters after some merges."""
    clusters = {i: [i] for i in range(len(tree) + 1)}
    for i, (one, other, *_) in enumerate(tree[:steps]):
        clusters[len(tree) + 1 + i] = clusters.pop(int(one)) + clusters.pop(int(other))
    found = {point: name for name, points in clusters.items() for point in points}
    return [found[i] for i in range(len(tree) + 1)]


def test_cuts_of_a_tree_are_candidates() -> None:
    X = np.random.default_rng(4).normal(np.repeat([[0, 0], [4, 0], [0, 4]], 20, axis=0), 0.4)
    tree = linkage(X, "average")
    few = ["silhouette", "calinski_harabasz"]
    choice = choose(X, linkage=tree, indices=few)
    assert choice.best == "k=3"
    assert choice.names == tuple(f"k={k}" for k in range(2, 11))
    cuts = {f"k={k}": column for k, column in zip(range(2, 11), cut_tree(tree, range(2, 11)).T, strict=True)}
    ready = choose(X, cuts, indices=few)
    assert choice.values == {n: pytest.approx(v, nan_ok=True) for n, v in ready.values.items()}
    assert choice.ranking == ready.ranking
    assert choice.probability == pytest.approx(ready.probability)
    # A tree may also be judged by a graph.
    near = np.argwhere(np.triu(np.linalg.norm(X[:, None] - X, axis=2) < 1, 1))
    by_graph = choose(graph=Graph(near, 60), linkage=tree, k=[2, 3, 4])
    assert by_graph.best == "k=3"
    edge = choose(X, linkage=tree, k=[3, 4, 5], indices=few)
    assert "range-edge" in {notice.code for notice in edge.warnings}


def test_every_index_of_one_clustering_says_whether_it_votes() -> None:
    beside = (Partition, SoftClusters, Coordinates)
    records = [own for own in adjudge.list_indices() if isinstance(own, StructureIndex)]
    of_one = [
        own
        for own in records
        if own.better
        and {one.option for one in lacking_of(own.requires, beside)} <= {"graph"}
        and any(lacking_of(own.requires, ()).count(one) for one in (Partition, SoftClusters))
    ]
    assert len(of_one) == 14
    for record in records:
        assert bool(record.votes) + bool(record.drift) == (record in of_one), record.name


def test_a_choice_is_saved(tmp_path: Any) -> None:
    choice = choose(graph=blocks(), candidates=candidates())
    choice.save(tmp_path / "choice.adjudge")
    again = adjudge.load(tmp_path / "choice.adjudge")
    assert again == choice
    assert again.instances == "vertices"


def test_what_cannot_be_chosen_from() -> None:
    graph, labels, X = blocks(), candidates(), np.zeros((48, 2))
    tree, U = linkage(np.arange(48.0)[:, None]), Memberships(np.full((48, 2), 0.5))
    structures = "a graph, a tree, batches, overlapping or soft clusters: leave it out"
    for words, call in [
        ("choose() has no candidates: give labels or estimators by name, or a tree of clusters as linkage=",
         {"graph": graph}),
        ("choose() has nothing to judge the candidates from: give X= or graph=", {"linkage": tree}),
        ("choose() has nothing to judge the candidates from: give X= or graph=", {"candidates": labels}),
        ("k= chooses cuts of a tree: give it as linkage=, or use choose_k()", {"X": X, "candidates": labels, "k": [2]}),
        ("candidates are the cuts of linkage=: leave out other ones, or the tree",
         {"X": X, "candidates": labels, "linkage": tree}),
        ("k=49 is out of range: 48 points allow 2 to 47 clusters", {"X": X, "linkage": tree, "k": [49]}),
        (f"stability= does not work with {structures}", {"graph": graph, "candidates": labels, "stability": 3}),
        (f"metric= does not work with {structures}", {"graph": graph, "candidates": labels, "metric": "cosine"}),
        (f"n_neighbors= does not work with {structures}", {"graph": graph, "candidates": labels, "n_neighbors": 3}),
        ("none of the indices reads points beside the other inputs: leave out X=",
         {"X": X, "graph": graph, "candidates": labels}),
        ("none of the indices reads a graph beside the other inputs: leave out graph=",
         {"graph": graph, "candidates": {"a": U}}),
        ("by='consensus' is for candidates that points judge: name a criterion, or by='mean_rank'",
         {"graph": graph, "candidates": labels, "by": "consensus"}),
        ("candidate 'b' is of another kind than the first one: give all as one kind",
         {"graph": graph, "candidates": {"a": U, "b": BLOCKS}}),
        ("a Cover is no candidate: give labels, or adjudge.Memberships",
         {"candidates": {"a": adjudge.Cover([{0, 1}], n=2)}}),
        ("'a' is a function, which needs points to be fitted: give its labels",
         {"graph": graph, "candidates": {"a": lambda X: X}}),
        ("candidates is empty: give labels or soft clusterings by name", {"graph": graph, "candidates": {}}),
    ]:  # fmt: skip
        with pytest.raises(AdjudgeError) as caught:
            choose(**call)
        assert str(caught.value) == words
    for call, words in [
        ({"graph": graph, "candidates": {"a": BLOCKS[:40]}}, "has 40 entries"),
        ({"candidates": {"a": U, "b": soft(2)[1]}}, "60 entries"),
        ({"graph": graph, "candidates": labels, "by": "silhouette"}, "silhouette"),
        ({"graph": graph, "candidates": labels, "indices": "fuzzy_silhouette"}, "fuzzy_silhouette"),
    ]:
        with pytest.raises(AdjudgeError, match=words):
            choose(**call)


def test_labels_in_another_order_than_the_vertices() -> None:
    names = ["a", "b", "c", "d"]
    graph = Graph([["a", "b"], ["b", "c"], ["c", "d"]], vertices=names)
    turned = pd.DataFrame({"one": [0, 0, 1, 1]}, index=names[::-1])
    with pytest.raises(InputError, match="not in the order of the vertices"):
        choose(graph=graph, candidates=turned)
    with pytest.raises(InputError, match="not in the order of the vertices"):
        choose(graph=graph, candidates={"one": turned["one"]})
