"""Displays of density and of clusters that fall apart: what is drawn where."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import OPTICS, KMeans
from sklearn.datasets import make_blobs

import adjudge
from adjudge.displays import ClusterTreeDisplay, DbcvDisplay, ReachabilityDisplay
from adjudge.engines.optics import reachability_order
from adjudge.presentation.layers import crossings, laid_out, orders
from adjudge.presentation.palette import EMPHASIS
from adjudge.statistics.cluster_tree import ClusterTree


@pytest.fixture(scope="module")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(150, centers=4, cluster_std=0.7, random_state=3)


class TestOrderOfReachability:
    @pytest.mark.full
    @pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
    @pytest.mark.parametrize("min_samples", [2, 5])
    def test_is_that_of_scikit_learn(self, blobs: Any, metric: str, min_samples: int) -> None:
        X = blobs[0]
        # Other names of the same distances: by these names scikit-learn rounds them differently.
        theirs = OPTICS(min_samples=min_samples, metric="minkowski", p=2 if metric == "euclidean" else 1).fit(
            X
        )
        ours = reachability_order(X, min_samples=min_samples, metric=metric)
        assert ours.order.tolist() == theirs.ordering_.tolist()
        np.testing.assert_allclose(ours.reachability, theirs.reachability_, rtol=1e-12)
        np.testing.assert_allclose(ours.core, theirs.core_distances_, rtol=1e-12)

    def test_of_given_distances(self, blobs: Any) -> None:
        X = blobs[0]
        D = np.linalg.norm(X[:, None] - X[None], axis=2)
        ours = reachability_order(D, metric="precomputed")
        assert ours.order.tolist() == reachability_order(X).order.tolist()

    def test_more_neighbours_than_points(self) -> None:
        with pytest.raises(adjudge.InputError, match="min_samples=4 is more than the 3 points"):
            reachability_order([[0.0], [1.0], [2.0]], min_samples=4)


class TestReachabilityPlot:
    def test_each_column_is_a_point(self, blobs: Any) -> None:
        X, truth = blobs
        display = ReachabilityDisplay.from_predictions(X, truth, min_samples=4).plot()
        order = reachability_order(X, min_samples=4).order
        assert display.codes.tolist() == truth[order].tolist()
        assert len(display.ax_.collections) == 4
        # A cluster's area is the sum of its finite values; the first point reaches to the top.
        top = display.ax_.get_ylim()[1]
        heights = np.where(np.isfinite(display.reachability), display.reachability, top)
        for code, collection in enumerate(display.ax_.collections):
            area = 0.0
            for path in collection.get_paths():
                x, y = path.vertices.T
                area += abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
            assert area == pytest.approx(heights[display.codes == code].sum(), rel=1e-9)

    def test_of_a_fitted_optics(self, blobs: Any) -> None:
        model = OPTICS(min_samples=5).fit(blobs[0])
        display = ReachabilityDisplay.from_estimator(model, blobs[0])
        np.testing.assert_array_equal(display.reachability, model.reachability_[model.ordering_])
        noise = int((model.labels_ == -1).sum())
        assert int((display.codes == -1).sum()) == noise
        texts = [t.get_text() for t in display.plot().ax_.get_legend().get_texts()]
        assert f"noise: {noise}" in texts

    def test_many_points_share_columns(self) -> None:
        values = np.arange(10_000.0)
        display = ReachabilityDisplay(values).plot()
        (collection,) = display.ax_.collections
        vertices = sum(len(path.vertices) for path in collection.get_paths())
        assert vertices < 13_000
        assert max(path.vertices[:, 1].max() for path in collection.get_paths()) == 9999

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda: ReachabilityDisplay([]), "one value a point is needed"),
            (lambda: ReachabilityDisplay([1.0], [0, 1]), "codes has shape"),
            (lambda: ReachabilityDisplay([1.0], [3], ["a"]), "names has 1 entries for 4 clusters"),
            (
                lambda: ReachabilityDisplay.from_predictions([[0.0]] * 9, [0, 1]),
                "labels has 2 entries, X has 9 rows",
            ),
        ],
    )
    def test_what_cannot_be_drawn(self, make: Any, words: str) -> None:
        with pytest.raises(adjudge.AdjudgeError, match=words):
            make()


class TestDbcv:
    def test_values_are_those_of_the_index(self, blobs: Any) -> None:
        X, truth = blobs
        noisy = np.where(np.arange(150) % 7 == 0, -1, truth)
        display = DbcvDisplay.from_predictions(X, noisy).plot()
        value = adjudge.evaluate(X=X, labels=noisy, noise="drop", indices=["dbcv"])["dbcv"]
        name, shown = display._over_all()
        assert (name, shown) == ("DBCV", pytest.approx(value, rel=1e-12))
        assert display.left_out == int((noisy == -1).sum())
        dashed = [line for line in display.ax_.lines if line.get_linestyle() == "--"]
        assert dashed[0].get_xdata() == pytest.approx([value, value])
        beside = [t.get_text() for t in display.ax_.texts]
        smallest = [display.values[display.codes == code].min() for code in range(4)]
        for code, low in enumerate(smallest):
            size = int((display.codes == code).sum())
            assert any(text.endswith(f"({size})") and f"{low:.2f}".lstrip("-") in text for text in beside)

    def test_noise_may_be_a_cluster(self, blobs: Any) -> None:
        noisy = np.where(np.arange(150) % 7 == 0, -1, blobs[1])
        display = DbcvDisplay.from_predictions(blobs[0], noisy, noise="cluster")
        assert (display.left_out, len(display.names), display.values.size) == (0, 5, 150)

    def test_lengths(self) -> None:
        with pytest.raises(adjudge.InputError, match="values has shape"):
            DbcvDisplay([0.1], [0, 1])


def crossed(flow: np.ndarray) -> int:
    """Pairs of edges that cross, one by one."""
    edges = np.argwhere(flow > 0).tolist()
    return sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(edges, 2))


class TestLayout:
    def test_crossings_by_hand(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(30):
            flow = (rng.random(rng.integers(1, 6, 2)) < 0.5) * rng.random()
            assert crossings(flow) == crossed(flow)

    def test_a_hierarchy_does_not_cross_itself(self) -> None:
        rng = np.random.default_rng(1)
        fine = rng.permutation(np.arange(240) % 12)
        shuffled = [rng.permutation(k) for k in (12, 6, 3)]
        labels = {str(k): own[fine // (12 // k)] for k, own in zip((3, 6, 12), shuffled[::-1], strict=True)}
        tree = ClusterTree.of(labels)
        ranks = [np.argsort(np.argsort(layer.places)) for layer in tree.layers]
        for i, (above, below) in enumerate(pairwise(ranks)):
            flow = np.zeros((above.size, below.size))
            for edge in tree.edges:
                if edge.layer == i:
                    flow[above[edge.above], below[edge.below]] = edge.points
            assert crossed(flow) == 0

    @pytest.mark.full
    def test_orders_are_near_the_best(self) -> None:
        rng = np.random.default_rng(2)
        ours = best = 0
        for _ in range(20):
            flow = (rng.random((4, 5)) < 0.45).astype(float)
            above, below = orders([flow])
            ours += crossings(flow[np.ix_(above, below)])
            best += min(
                crossings(flow[np.ix_(rows, columns)])
                for rows in permutations(range(4))
                for columns in permutations(range(5))
            )
        assert best <= ours <= 1.35 * best

    def test_nodes_do_not_overlap(self) -> None:
        rng = np.random.default_rng(3)
        flows = [rng.random((3, 8)), rng.random((8, 5))]
        widths = [rng.random(k) + 0.1 for k in (3, 8, 5)]
        total = max(own.sum() for own in widths)
        for places, own in zip(laid_out(flows, widths), widths, strict=True):
            order = np.argsort(places)
            ends = places[order][:, None] + own[order][:, None] / total * np.array([-0.5, 0.5])
            assert (ends[1:, 0] >= ends[:-1, 1] - 1e-12).all()
            assert ends.min() >= -1e-12
            assert ends.max() <= 1 + 1e-12


class TestClusterTree:
    def test_edges_count_shared_points(self) -> None:
        rng = np.random.default_rng(4)
        upper, lower = rng.integers(0, 3, 90), rng.integers(0, 5, 90)
        tree = ClusterTree.of({"upper": upper, "lower": lower}, least_share=0.0)
        for edge in tree.edges:
            both = int(((upper == edge.above) & (lower == edge.below)).sum())
            assert edge.points == both
            assert edge.share_below == pytest.approx(both / (lower == edge.below).sum())
            assert edge.share_above == pytest.approx(both / (upper == edge.above).sum())
        assert sum(edge.points for edge in tree.edges) == 90

    def test_noise_is_at_the_right_end(self) -> None:
        tree = ClusterTree.of({"a": ["x", "noise", "y", "y"], "b": [0, 0, 1, 1]}, noise_label="noise")
        first, second = tree.layers
        assert (first.clusters, first.noise) == (["x", "y", "noise"], True)
        assert first.sizes.tolist() == [1, 2, 1]
        assert first.places.argmax() == 2
        assert not second.noise
        assert second.places.max() < first.places[2]

    def test_circles_and_lines(self) -> None:
        labels = {"one": [0] * 8, "two": [0] * 6 + [1] * 2, "noisy": [0, 0, 0, 2, 2, 2, 1, -1]}
        display = ClusterTreeDisplay(labels, "two").plot()
        lines, *circles = display.ax_.collections
        assert len(lines.get_segments()) == len(display.tree.edges) == 6
        areas = [c.get_sizes() for c in circles]
        assert areas[1][0] / areas[1][1] == pytest.approx(3.0)
        assert areas[0][0] == pytest.approx(areas[1].sum())
        assert [t.get_text() for t in display.ax_.get_yticklabels()] == list(labels)
        assert display.ax_.get_yticklabels()[1].get_color() == EMPHASIS
        hollow = circles[2].get_facecolors()[-1]
        assert hollow.tolist() == [1, 1, 1, 1]
        assert circles[2].get_edgecolors()[-1].tolist() != circles[2].get_edgecolors()[0].tolist()

    def test_faint_lines_are_left_out(self) -> None:
        labels = {"one": [0] * 19 + [1], "two": [0] * 20}
        assert len(ClusterTree.of(labels).edges) == 1
        assert len(ClusterTree.of(labels, least_share=0.05).edges) == 2

    def test_of_a_choice(self, blobs: Any) -> None:
        X, truth = blobs
        noisy = np.where(np.arange(150) % 3 == 0, -1, truth)
        candidates = {"halves": truth // 2, "right": truth, "again": (truth + 1) % 4, "noisy": noisy}
        choice = adjudge.choose(X, candidates, random_state=0)
        tree = ClusterTreeDisplay.from_result(choice).tree
        names = [layer.name for layer in tree.layers]
        assert names[0] == "halves"
        assert len({"right", "again"} & set(names)) == 1
        assert [layer.noise for layer in tree.layers].count(True) == 1
        assert ClusterTreeDisplay.from_result(choice, most=2).tree.layers[-1].clusters

    def test_of_numbers_of_clusters(self, blobs: Any) -> None:
        choice = adjudge.choose_k(blobs[0], k=range(2, 5), random_state=0, n_init=2)
        display = ClusterTreeDisplay.from_result(choice)
        assert [layer.name for layer in display.tree.layers] == ["K = 2", "K = 3", "K = 4"]
        assert display.best == f"K = {choice.k}"

    def test_of_a_grid_and_of_a_frame(self, blobs: Any) -> None:
        pandas = pytest.importorskip("pandas")
        model = KMeans(n_init=2, random_state=0)
        display = ClusterTreeDisplay.from_estimator(model, blobs[0], grid={"n_clusters": [2, 3]})
        assert [layer.name for layer in display.tree.layers] == ["n_clusters=2", "n_clusters=3"]
        frame = pandas.DataFrame({"res_1": [0, 0, 1], "res_2": [0, 1, 2]})
        assert [layer.name for layer in ClusterTreeDisplay.from_predictions(frame).tree.layers] == [
            "res_1",
            "res_2",
        ]

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda: ClusterTreeDisplay({"a": [0, 1]}), "at least two clusterings"),
            (lambda: ClusterTreeDisplay({"a": [0, 1], "b": [0]}), "same length"),
            (lambda: ClusterTreeDisplay([[0, 1]]), "labels is a list: a mapping is needed"),
            (lambda: ClusterTreeDisplay({"a": [0], "b": [0]}, least_share=2), "a share between 0 and 1"),
            (lambda: ClusterTreeDisplay.from_result(3), r"give what choose\(\) or choose_k\(\) returns"),
        ],
    )
    def test_what_cannot_be_drawn(self, make: Any, words: str) -> None:
        with pytest.raises(adjudge.AdjudgeError, match=words):
            make()
