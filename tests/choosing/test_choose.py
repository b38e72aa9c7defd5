"""choose: candidates that differ by anything, noise beside quality, agreement, stability, cautions."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import adjudge
from adjudge import choose, choose_k
from adjudge.choosing.candidate_probability import outside_largest, support
from adjudge.choosing.choose_among import _preferring
from adjudge.choosing.resampling import jaccard_of_clusters, least_joined
from adjudge.given.labels import Column
from adjudge.inference.clusters.halves import agreement_in_words
from adjudge.presentation.numbers import percent_text

FEW = ["dbcv", "silhouette", "connectivity"]


def blobs(n: int = 40, spread: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal((m, m % 2), spread, size=(n, 2)) for m in (0, 3, 6)])
    return X, np.repeat([0, 1, 2], n)


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return blobs()


def ready(truth: np.ndarray) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    noisy = truth.copy()
    noisy[rng.choice(truth.size, 30, replace=False)] = -1
    return {
        "truth": truth,
        "renamed": np.array(["c", "a", "b"])[truth],
        "merged": np.minimum(truth, 1),
        "random": rng.permutation(truth),
        "noisy": noisy,
        "one": np.zeros(truth.size, int),
        "nothing": np.full(truth.size, -1),
    }


def test_ready_labels(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    choice = choose(X, ready(truth), indices=FEW)
    assert choice.best == "truth"
    assert choice.n_clusters == {
        "truth": 3, "renamed": 3, "merged": 2, "random": 3, "noisy": 3, "one": 1, "nothing": 0,
    }  # fmt: skip
    assert choice.coverage["noisy"] == 0.75
    assert choice.coverage["nothing"] == 0.0
    assert choice.ranking[-2:] == ("one", "nothing")
    assert choice.reasons["silhouette"] == {
        "one": "there is only one cluster",
        "nothing": "all points are noise",
    }
    # The same partition under other names is the same candidate.
    assert choice["truth"] == choice["renamed"]
    assert ("truth", "renamed") in choice.groups
    assert choice.agreement[choice.names.index("truth"), choice.names.index("random")] == pytest.approx(
        adjudge.adjusted_rand(truth, ready(truth)["random"])
    )
    assert sorted(choice.order) == sorted(choice.names)
    assert "only-noise" in {w.code for w in choice.warnings}


def test_values_are_those_of_the_indices(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    labels = ready(truth)["noisy"]
    clustered = labels >= 0
    for noise in ("drop", "singletons", "cluster"):
        choice = choose(X, {"noisy": labels, "random": ready(truth)["random"]}, indices="all", noise=noise)
        for name in (
            "silhouette",
            "dbcv",
            "calinski_harabasz",
            "gamma",
            "connectivity",
            "simplified_silhouette",
        ):
            wanted = getattr(adjudge, name)(X, labels, noise=noise)
            assert choice.values[name]["noisy"] == pytest.approx(wanted, rel=1e-12), name
    # DISCO judges noise that is left out elsewhere.
    for indices in ("disco", ["disco", "silhouette"]):
        judged = choose(X, {"noisy": labels}, indices=indices).values["disco"]["noisy"]
        assert judged == pytest.approx(adjudge.disco(X, labels), rel=1e-12)
    in_cluster = choose(X, {"noisy": labels}, indices="disco", noise="cluster").values["disco"]["noisy"]
    assert in_cluster == pytest.approx(adjudge.disco(X, labels, noise="cluster"), rel=1e-12)
    # Noise that is left out counts in DBCV.
    whole = adjudge.dbcv(X[clustered], labels[clustered])
    dropped = choose(X, {"noisy": labels}, indices="dbcv").values["dbcv"]["noisy"]
    assert dropped == pytest.approx(0.75 * whole)


def test_estimators_pipelines_and_functions(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    candidates = {
        "kmeans": KMeans(3, n_init=2),
        "scaled": make_pipeline(StandardScaler(), KMeans(3, n_init=2)),
        "half": lambda X: (X[:, 0] > 1.5).astype(int),
    }
    choice = choose(X, candidates, indices=FEW, random_state=0)
    assert choice.best in ("kmeans", "scaled")
    assert set(choice.estimators) == {"kmeans", "scaled"}
    assert adjudge.adjusted_rand(truth, choice.labels["scaled"]) > 0.9
    again = choose(X, candidates, indices=FEW, random_state=0)
    assert again.to_dict() == choice.to_dict()
    listed = choose(X, [KMeans(2, n_init=2), KMeans(3, n_init=2), AgglomerativeClustering(4)], indices=FEW)
    assert listed.names == ("KMeans", "KMeans_2", "AgglomerativeClustering")
    assert listed.best == "KMeans_2"


def test_the_same_clusters_by_other_settings(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points

    class Steps(KMeans):
        """The same three clusters for each size but the last."""

        def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
            self.labels_ = truth if self.max_iter < 40 else np.minimum(truth, 1)
            return self

    for tried, warned in (([5, 10, 20, 40], False), ([5, 40, 50], True)):
        choice = choose(X, Steps(), grid={"max_iter": tried}, indices=FEW)
        found = {w.code: w for w in choice.warnings}
        assert choice.best == "max_iter=5"
        assert ("range-edge" in found) == warned
        assert ("identical-candidates" in found) != warned
    renamed = choose(X, ready(truth), indices=FEW)
    assert renamed.best == "truth"
    (said,) = (w for w in renamed.warnings if w.code == "identical-candidates")
    assert said.message == "another candidate has the same clusters as truth: renamed"
    lone = choose(
        X, {"single": np.arange(truth.size), "one": np.zeros(truth.size, int)}, indices=FEW, by="mean_rank"
    )
    assert lone.best == "single"
    assert "all-singletons" in {w.code for w in lone.warnings}
    assert "all-singletons" not in {w.code for w in renamed.warnings}


def test_an_infinite_value_of_a_degenerate_partition_does_not_win() -> None:
    X, truth = blobs()
    few = truth.copy()
    few[0] = 3  # a cluster of one point, whose scatter matrix is singular
    for by in ("scott_symons", "mean_rank"):
        choice = choose(X, {"few": few, "truth": truth}, indices=["scott_symons"], by=by)
        assert choice.values["scott_symons"]["few"] == -math.inf
        assert choice.best == "truth"
        assert choice.votes["scott_symons"] is None  # one candidate is left, so nothing is compared
    three = {"few": few, "truth": truth, "merged": np.minimum(truth, 1)}
    voted = choose(X, three, indices=["scott_symons"], by="scott_symons")
    assert voted.votes["scott_symons"] == voted.best == "truth"
    swept = adjudge.choose_k(
        X, {2: np.minimum(truth, 1), 3: truth, 4: few}, indices=["scott_symons", "silhouette"]
    )
    assert swept.values["scott_symons"][4] == -math.inf
    assert swept.votes["scott_symons"] == 3


def test_a_grid(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    choice = choose(X, DBSCAN(), grid={"eps": [0.01, 0.4, 0.6, 0.8, 5.0]}, indices=FEW)
    assert choice.best is not None
    assert choice.parameters["eps=0.4"] == {"eps": 0.4}
    assert choice.n_clusters["eps=0.01"] == 0
    assert choice.n_clusters["eps=5.0"] == 1
    assert adjudge.adjusted_rand(truth, choice.labels[choice.best]) == pytest.approx(1, abs=0.05)
    edge = choose(X, DBSCAN(), grid={"eps": [0.4, 0.6, 0.8]}, indices=FEW)
    # The middle gives the same clusters as an end, so the end decides nothing.
    middle = adjudge.adjusted_rand(edge.labels[edge.best], edge.labels["eps=0.6"]) == 1
    at_an_end = edge.best in ("eps=0.4", "eps=0.8") and not middle
    assert ("range-edge" in {w.code for w in edge.warnings}) == at_an_end
    several = choose(
        X, KMeans(n_init=1, random_state=0), grid=[{"n_clusters": [2, 3]}, {"n_clusters": [9]}], indices=FEW
    )
    assert several.names == ("n_clusters=2", "n_clusters=3", "n_clusters=9")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_labels(points: tuple[np.ndarray, np.ndarray], library: str) -> None:
    X, truth = points
    columns = {"res_1": truth, "res_2": np.minimum(truth, 1)}
    frame: Any = pd.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)
    choice = choose(X, frame, indices=FEW)
    assert choice.names == ("res_1", "res_2")
    assert choice.best == "res_1"


def test_distances_and_sparse_points(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    candidates = ready(truth)
    plain = choose(X, candidates, indices=FEW)
    sparse = choose(scipy.sparse.csr_array(X), candidates, indices=FEW)
    given = choose(cdist(X, X), candidates, indices=FEW, metric="precomputed", dimension=2)
    for other in (sparse, given):
        for name in FEW:
            assert other.values[name] == pytest.approx(plain.values[name], rel=1e-9, nan_ok=True)
    block = choose(X, candidates, indices=FEW, metric="cityblock")
    assert block.values["silhouette"]["truth"] == pytest.approx(
        adjudge.silhouette(X, truth, metric="cityblock"), rel=1e-12
    )
    everything = choose(
        cdist(X, X),
        {"a": truth, "b": candidates["merged"]},
        metric="precomputed",
        by="silhouette",
        indices="all",
    )
    assert "calinski_harabasz" not in everything.values
    fitted = choose(
        cdist(X, X), DBSCAN(metric="precomputed"), grid={"eps": [0.5, 0.6]}, metric="precomputed", dimension=2,
        indices=FEW, stability=2, random_state=0,
    )  # fmt: skip
    assert set(fitted.stability["eps=0.5"]) == {"jaccard", "least_jaccard", "left_out"}


def test_the_front_has_what_no_other_exceeds(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    choice = choose(X, ready(truth), indices=FEW, by="silhouette")
    for name in choice.names:
        q, c = choice.quality[name], choice.coverage[name]
        exceeded = any(
            choice.quality[o] >= q
            and choice.coverage[o] >= c
            and (choice.quality[o] > q or choice.coverage[o] > c)
            for o in choice.names
        )
        assert (name in choice.front) == (not math.isnan(q) and not exceeded)


def test_a_quality_of_few_points_is_not_shown_alone() -> None:
    X, truth = blobs(spread=1.2, seed=3)
    middle = np.concatenate([X[truth == k].mean(axis=0)[None] for k in range(3)])
    near = cdist(X, middle)[np.arange(len(X)), truth] < 0.6
    choice = choose(X, {"all": truth, "cores": np.where(near, truth, -1)}, indices=FEW, by="silhouette")
    assert choice.best == "cores"
    assert choice.coverage["cores"] < 0.5
    codes = {w.code: w for w in choice.warnings}
    assert codes["low-coverage"].severity == "warning"
    assert "leaves out" in codes["low-coverage"].message
    assert "trade-off" in codes
    assert choice.front == ("all", "cores")
    assert re.search(r"cores\s+3\s+\d+ %", repr(choice))


def test_lower_values_can_rank(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    choice = choose(X, ready(truth), indices=FEW, by="davies_bouldin")
    assert choice.best == "noisy" or choice.best == "truth"
    known = [choice.quality[n] for n in choice.ranking if not math.isnan(choice.quality[n])]
    assert known == sorted(known)
    assert "davies_bouldin" in choice.values
    ranks = choose(X, ready(truth), by="mean_rank", indices="all")
    assert ranks.best in ("truth", "renamed", "noisy")
    assert ranks.quality_name == "mean rank"


def test_the_consensus_by_definition(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    candidates = ready(truth)
    choice = choose(X, candidates, indices="silhouette")
    compared = choose(X, candidates, indices=["cvnn", "gdi22"], by="gdi22").values

    def rank(own: str, values: dict[str, float]) -> float:
        known = {n: -math.inf if math.isnan(v) else v for n, v in values.items()}
        below = sum(v < known[own] for v in known.values())
        tied = sum(v == known[own] for v in known.values())
        return (below + (tied - 1) / 2) / (len(known) - 1)

    def outside(own: str) -> float:
        sizes = pd.Series(candidates[own])[lambda labels: labels != -1].value_counts()
        return min(1.0, 2 - 2 * sizes.max() / sizes.sum())

    near = {n: -v for n, v in compared["cvnn"].items()}
    apart = {n: choice.coverage[n] * v for n, v in compared["gdi22"].items()}
    agreement = dict(zip(choice.names, choice.agreement.mean(axis=1), strict=True))
    for name in candidates:
        if choice.n_clusters[name] < 2:
            assert math.isnan(choice.quality[name])
            continue
        parts = (
            choice.coverage[name] * rank(name, near),
            rank(name, apart),
            agreement[name],
            choice.coverage[name],
            outside(name),
        )
        assert choice.quality[name] == pytest.approx(sum(parts) / 5)
    # Without noise DBCV takes the place of the coverage.
    whole = {n: v for n, v in candidates.items() if choice.coverage[n] == 1}
    plain = choose(X, whole, indices="cvnn")
    near = {n: -v for n, v in plain.values["cvnn"].items()}
    own = dict(zip(plain.names, plain.agreement.mean(axis=1), strict=True))
    for name in ("truth", "merged", "random"):
        ranks = [rank(name, values) for values in (near, plain.values["gdi22"], plain.values["dbcv"])]
        assert plain.quality[name] == pytest.approx((sum(ranks) + own[name] + outside(name)) / 5)
    assert choice.best in ("truth", "renamed")
    # The consensus reads the adjusted Rand index, whatever else measures the agreement.
    assert choose(X, candidates, indices="silhouette", agreement="vi").quality == pytest.approx(
        choice.quality, nan_ok=True
    )


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ({"a": None}, "no criterion votes"),
        ({"a": "x", "b": None}, "the only criterion that votes prefers it"),
        ({"a": "y"}, "the only criterion that votes prefers another"),
        ({"a": "x", "b": "y"}, "1 of the 2 criteria that vote prefers it"),
        ({"a": "x", "b": "x", "c": "y"}, "2 of the 3 criteria that vote prefer it"),
    ],
)
def test_the_votes_in_a_sentence(votes: dict[str, str | None], said: str) -> None:
    assert _preferring("x", votes) == said


def test_nothing_to_choose(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    choice = choose(X, {"one": np.zeros(len(X), int), "noise": np.full(len(X), -1)}, indices=FEW)
    assert choice.best is None
    assert choice.reason.endswith("; none of the candidates has two clusters, so there is nothing to compare")
    assert choice.front == ()
    assert choice.flat() == {}
    alone = choose(X, {"only": truth}, indices=FEW)
    assert alone.best == "only"
    assert alone.reason == (
        f"{agreement_in_words(alone.halves_agree)}; only is the only candidate, so it was not compared with another: 3 "
        "clusters of 100 % of the points"
    )
    assert alone.there_are
    assert alone.to_dict()["halves_agree"] == choose_k(X, k=(2, 3), random_state=0).structure["halves_agree"]
    far = choose(X, {"only": truth}, indices=FEW, metric="manhattan")
    assert (far.halves_agree, far.there_are) == (None, None)
    assert alone.order == ("only",)
    assert all(v is None for v in alone.votes.values())


@pytest.mark.parametrize("measure", ["ari", "ami", "vi"])
def test_agreement_is_that_of_each_pair(points: tuple[np.ndarray, np.ndarray], measure: str) -> None:
    X, truth = points
    candidates = ready(truth)
    choice = choose(X, candidates, indices="silhouette", by="silhouette", agreement=measure)
    index = {"ari": adjudge.adjusted_rand, "ami": adjudge.ami, "vi": adjudge.variation_of_information}[
        measure
    ]
    for i, a in enumerate(choice.names):
        for j, b in enumerate(choice.names):
            wanted = index(candidates[a], candidates[b])
            if not math.isnan(wanted):
                assert choice.agreement[i, j] == pytest.approx(wanted, abs=1e-12)
    assert "renamed" in next(g for g in choice.groups if "truth" in g)


def test_stability(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    choice = choose(
        X,
        {"good": KMeans(3, n_init=2), "many": KMeans(9, n_init=1), "ready": truth},
        indices=FEW, stability=6, random_state=0,
    )  # fmt: skip
    assert set(choice.stability) == {"good", "many"}
    for measure in ("jaccard", "least_jaccard", "left_out", "shaken", "prediction_strength"):
        assert choice.stability["good"][measure] > 0.95
        assert choice.stability["many"][measure] < choice.stability["good"][measure]
    assert choice.stability_of_clusters["many"].size == 9
    forced = choose(X, {"many": KMeans(9, n_init=1)}, indices=FEW, stability=6, random_state=0)
    assert {"clusters-dissolve", "unstable"} & {w.code for w in forced.warnings}


def test_jaccard_of_clusters_by_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(-1, 3, 30), rng.integers(-1, 4, 30)
        b = np.unique(b, return_inverse=True)[1] - (1 if (b < 0).any() else 0)
        found = jaccard_of_clusters(a, b, 3)
        for c in range(3):
            if not (a == c).any():
                assert math.isnan(found[c])
                continue
            wanted = max(
                ((a == c) & (b == d)).sum() / ((a == c) | (b == d)).sum() for d in range(b.max() + 1)
            )
            assert found[c] == pytest.approx(wanted)


def test_least_share_of_joined_pairs_by_definition() -> None:
    codes, predicted = np.array([0, 0, 0, 1, 1, -1]), np.array([5, 5, 2, 1, 1, 3])
    # Of the three pairs of the first cluster one is joined; both points of the second are.
    assert least_joined(codes, predicted) == pytest.approx(1 / 3)


def test_results_are_written(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    choice = choose(pd.DataFrame(X, columns=["a", "b"]), ready(truth), indices=FEW, stability=2)
    plain = json.loads(json.dumps(choice.to_dict()))
    assert plain["kind"] == "choice"
    assert plain["best"] == "truth"
    assert plain["values"]["silhouette"]["one"] == "nan"
    frame = choice.to_frame()
    assert list(frame["candidate"]) == list(choice.ranking)
    assert {"coverage", "clusters", "dbcv", "front"} <= set(frame.columns)
    assert choice.flat()["coverage"] == 1.0
    assert choice.values_of("sil") == choice.values["silhouette"]
    html = choice._repr_html_()
    assert "truth" in html
    assert "recommended" in html
    assert choice.agreement_table().columns[0] == "candidate"


@pytest.mark.parametrize(
    ("candidates", "options", "words"),
    [
        ({}, {}, "candidates is empty"),
        ("kmeans", {}, "candidates is a str"),
        ({"a": [0, 1]}, {}, r"candidate 'a' has 2 entries, X has 120 rows"),
        ({"a": KMeans}, {}, "candidates has the class KMeans: give an instance of it"),
        ([1, 2], {}, "candidates holds an int: name labels in a dictionary"),
        ({"a": KMeans(500)}, {}, "'a' fails: "),
        (KMeans(), {"grid": {"k": [1, 2]}}, "grid has 'k', which is not a parameter of KMeans: it has "),
        ({"a": [0] * 120}, {"grid": {"k": [1]}}, "grid= varies one estimator: candidates is a dict"),
        (
            {"a": [0] * 120},
            {"indices": "hartigan"},
            "hartigan does not rank candidates: it is of kind selection, for sweeps",
        ),
        ({"a": [0] * 120}, {"indices": "ball_hall"}, "ball_hall does not rank candidates"),
        ({"a": [0] * 120}, {"noise": "keep"}, "noise='keep' is not known"),
        ({"a": [0] * 120}, {"agreement": "nmi"}, "agreement='nmi' is not known"),
        ({"a": [0] * 120}, {"stability": -1}, "stability=-1"),
        ({"a": [0] * 120}, {"metrik": "x"}, r"choose\(\) has no option metrik=: did you mean metric="),
    ],
)
def test_bad_inputs(
    points: tuple[np.ndarray, np.ndarray], candidates: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(adjudge.AdjudgeError, match=words) as raised:
        choose(points[0], candidates, **options)
    assert "\n" not in str(raised.value)


def test_labels_of_a_column_stay_labels() -> None:
    """The command line passes columns that were coded; `Choice.labels` had arrays without a shape for them."""
    X = np.random.default_rng(0).normal(size=(6, 2))
    column = Column.of(["a", "b", "a", "-1", "b", "a"], "res_1")
    found = adjudge.choose(X, {"res_1": column, "res_2": [0, 1, 0, 1, 1, 0]}, noise_label="-1")
    assert found.labels["res_1"].tolist() == ["a", "b", "a", "-1", "b", "a"]
    assert found.settings["noise_label"] == "-1"


def test_only_noise_is_not_one_cluster_and_a_cluster_is_not_noise():
    X = np.arange(8.0)[:, None]
    halves = np.repeat([0, 1], 4)
    candidates = {
        "only noise": np.full(8, -1),
        "one cluster": np.zeros(8, int),
        "two": halves,
        "one and noise": halves - 1,
        "two again": 1 - halves,
    }
    groups = choose(X, candidates, indices=["silhouette"]).groups
    assert sorted(groups, key=len)[-1] == ("two", "two again")
    assert len(groups) == 4


def many_ways(X: np.ndarray) -> dict[str, np.ndarray]:
    return {f"k={k}": KMeans(k, n_init=2, random_state=0).fit_predict(X) for k in range(2, 8)}


def test_the_probability_reads_agreement_votes_silhouette_dbcv_and_the_largest_cluster() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.5, size=(40, 2)) for m in (0, 5, 10)])
    choice = adjudge.choose(X, many_ways(X))
    model = support()
    assert set(model.criteria) <= set(choice.values)
    row = [adjudge.adjusted_rand(choice.labels["k=3"], labels) for labels in choice.labels.values()]
    votes = [choice.votes[name] for name in model.criteria]
    share = np.mean([row[choice.names.index(own)] >= 0.95 for own in votes if own is not None])
    own = [choice.values[name]["k=3"] for name in ("silhouette", "dbcv")]
    # Two thirds of the points lie outside the largest cluster, which count as one half.
    readings = [(sum(row) - 1) / 5, share, *own, 0.5]
    names = ("agreement", "votes", "silhouette", "dbcv", "outside_largest")
    assert tuple(model.coefficients) == ("intercept", *names)
    slopes = [model.coefficients[name] for name in names]
    logit = model.coefficients["intercept"] + np.dot(slopes, readings)
    assert min(slopes) > 0
    assert choice.best == "k=3"
    assert choice.probability == pytest.approx(1 / (1 + np.exp(-logit)))
    assert choice.to_dict()["probability"] == choice.probability > 0.5
    assert f"with a probability of {percent_text(choice.probability)}" in choice.reason
    assert "improbable" not in {w.code for w in choice.warnings}


def test_a_large_cluster_beside_a_few_far_points_is_less_probable() -> None:
    rng = np.random.default_rng(0)

    def chosen(far: int) -> Any:
        X = np.concatenate([rng.normal(size=(204 - far, 2)), rng.normal(9, 1, size=(far, 2))])
        ways = {
            f"cut at {c}": AgglomerativeClustering(c, linkage="single").fit_predict(X) for c in range(2, 9)
        }
        return adjudge.choose(X, ways)

    few, half = chosen(4), chosen(102)
    assert few.ranking[0] == half.ranking[0] == "cut at 2"
    assert few.values["silhouette"]["cut at 2"] > 0.8
    assert few.probability < 0.87 < 0.95 < half.probability
    assert outside_largest(np.array([0, 0, 0, 1, 2, -1, -1])) == pytest.approx(2 / 5)
    assert outside_largest(np.array([-1, -1])) == 0.0


def test_none_is_recommended_if_candidates_disagree_and_nothing_supports_one() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    guesses = {f"guess {i}": rng.integers(2 + i % 4, size=120) for i in range(8)}
    choice = adjudge.choose(X, guesses)
    assert choice.probability is not None
    assert choice.probability < support().least
    assert choice.best is None
    assert choice.point_values == {}
    assert f"{choice.ranking[0]} has the best consensus, but shows groups with a probability of only" in repr(
        choice
    )
    # No clusters at all; and three that overlap.
    assert adjudge.choose(X, many_ways(X)).best is None
    near = np.concatenate([rng.normal(m, 1, size=(40, 2)) for m in (0, 2.2, 4.4)])
    doubtful = adjudge.choose(near, many_ways(near))
    assert doubtful.best == "k=3"
    assert support().least <= doubtful.probability < 0.5
    assert "improbable" in {w.code for w in doubtful.warnings}


@pytest.mark.parametrize(
    "options", [{"by": "dbcv"}, {"by": "mean_rank"}, {"noise": "cluster"}, {"indices": "silhouette"}], ids=str
)
def test_no_probability_is_stated_of_choices_that_were_not_studied(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.5, size=(20, 2)) for m in (0, 5, 10)])
    assert adjudge.choose(X, many_ways(X), **options).probability is None
    few = dict(list(many_ways(X).items())[:4])
    assert adjudge.choose(X, few).probability is None


def test_halves_that_see_no_bent_clusters_are_no_evidence_against_them() -> None:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 150)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.03, size=(150, 2))
    rings = choose(np.concatenate([ring, 2.5 * ring]), DBSCAN(), grid={"eps": [0.3, 0.5, 0.9]})
    apart = choose(np.concatenate([ring, ring + 9]), DBSCAN(), grid={"eps": [0.3, 0.5, 0.9]})
    assert (rings.n_clusters[rings.best], rings.there_are, apart.there_are) == (2, False, True)
    said = {notice.code: notice for notice in rings.warnings}
    assert said["bent-clusters-unseen"].remedy == "this is no evidence against candidates with such clusters"
    assert "bent-clusters-unseen" not in {notice.code for notice in apart.warnings}


def test_two_clusters_are_not_the_edge_of_a_range() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, size=(40, 2)) for m in (0, 6)])
    grid = {"n_clusters": [2, 3, 4]}
    found = choose(X, KMeans(n_init=1), grid=grid, random_state=0)
    assert found.best == "n_clusters=2"
    assert "range-edge" not in {notice.code for notice in found.warnings}


def test_the_criteria_read_a_sample_of_many_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.choosing.sampling.USUAL_SAMPLE", 90)
    X, truth = blobs()
    candidates = ready(truth)
    sampled = choose(X, candidates)
    (notice,) = (own for own in sampled.warnings if own.code == "criteria-of-a-sample")
    assert notice.message == "the criteria are estimated from 90 of the 120 points"
    assert "sample_size=120" in notice.text
    # Coverage, agreement and labels are those of all points; values are those of the points that were read.
    whole = choose(X, candidates, sample_size=120)
    assert sampled.coverage == whole.coverage
    assert (sampled.agreement == whole.agreement).all()
    assert (sampled.n, sampled.best, whole.best) == (120, "truth", "truth")
    values = sampled.point_values["silhouette"]
    read = ~np.isnan(values)
    assert (values.size, int(read.sum())) == (120, 90)
    for name in ("truth", "merged"):
        found = adjudge.evaluate(X=X[read], labels=candidates[name][read], indices=["silhouette", "dbcv"])
        assert sampled.values["silhouette"][name] == pytest.approx(found["silhouette"], abs=1e-12)
        assert sampled.values["dbcv"][name] == pytest.approx(found["dbcv"], abs=1e-12)
    display = adjudge.displays.SilhouetteDisplay.from_result(sampled)
    assert display.codes.size == 90
    # Asked for, a sample is nothing to remark on.
    asked = choose(X, candidates, sample_size=90)
    assert asked.values == sampled.values
    assert asked.settings["sample_size"] == 90
    assert not {"criteria-of-a-sample"} & {own.code for own in (*asked.warnings, *whole.warnings)}
    of_distances = choose(cdist(X, X), candidates, metric="precomputed", indices=FEW)
    assert of_distances.values["silhouette"]["truth"] == pytest.approx(sampled.values["silhouette"]["truth"])
    assert whole.values["silhouette"] != sampled.values["silhouette"]


def test_a_sample_of_very_many_clusters_stays_a_sample() -> None:
    X, truth = blobs(n=200)
    many = np.arange(600) // 2
    found = choose(X, {"truth": truth, "pairs": many, "singles": np.arange(600)}, sample_size=60, indices=FEW)
    assert found.n_clusters == {"truth": 3, "pairs": 300, "singles": 600}
    assert 60 <= (~np.isnan(found.point_values["silhouette"])).sum() <= 75
    assert found.best == "truth"


def test_sample_sizes_that_cannot_be_used(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    with pytest.raises(adjudge.InputError, match="sample_size=3: a number of points, at least 10"):
        choose(X, ready(truth), sample_size=3)
    with pytest.raises(adjudge.InputError, match="sample_size"):
        choose(candidates={"a": truth}, graph=np.array([[0, 1], [1, 2]]), sample_size=50)


def test_only_the_criteria_that_were_named_vote(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, truth = points
    candidates = ready(truth)
    named = choose(X, candidates, indices="silhouette")
    assert {name for name, vote in named.votes.items() if vote is not None} == {"silhouette"}
    assert sum(named.tally.values()) == 1
    assert "the only criterion that votes prefers" in named.reason
    # The consensus reads its criteria all the same, and the usual ones vote as before.
    assert {"cvnn", "gdi22", "dbcv"} <= {*named.values}
    usual = choose(X, candidates)
    assert named.quality == pytest.approx(usual.quality, nan_ok=True)
    assert {"cvnn", "gdi22", "dbcv"} <= {name for name, vote in usual.votes.items() if vote is not None}
    both = choose(X, candidates, indices="silhouette", by="dunn")
    assert {name for name, vote in both.votes.items() if vote is not None} == {"silhouette", "dunn"}
