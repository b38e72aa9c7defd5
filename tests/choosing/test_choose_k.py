"""The verb choose_k: criteria over a sweep by their definitions, the estimators, the verdict, and what comes back."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.mixture import GaussianMixture

import adjudge
import naive_choose_k as naive
from adjudge import KChoice, best_partition, choose_k, find_index
from adjudge.choosing.estimators import KMeans, Tree
from adjudge.choosing.stacking import Saying, oriented, stack_of, standing_out
from adjudge.choosing.sweep_scores import Judgement
from adjudge.choosing.verdict import decide
from adjudge.choosing.votes import tally_votes, vote
from adjudge.engines import labellings
from adjudge.engines.labellings import sweep_of_labels
from adjudge.engines.points import reduce_coded_points
from adjudge.errors import InputError, InputTypeError, UnknownIndexError
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import list_indices
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums

SEED = np.random.SeedSequence(7)


def blobs(rng, k=3, n=40, p=2, apart=6.0):
    centres = apart * np.eye(max(k, p))[:k, :p] if k <= p else apart * np.arange(k)[:, None] * np.ones(p)
    return np.concatenate([rng.normal(c, 0.5, size=(n, p)) for c in centres])


@pytest.fixture
def points(rng):
    return blobs(rng)


@pytest.fixture(scope="module")
def levels():
    """Rough points, and a hierarchy over them."""
    X = np.random.default_rng(3).normal(size=(40, 3)) * [3.0, 1.0, 1.0]
    fits = Tree("ward").fit(X, range(1, 9), SEED)
    return X, {k: fit.codes for k, fit in fits.items()}


# Criteria of a sweep

TWINS = {
    "krzanowski_lai": naive.krzanowski_lai,
    "hartigan": naive.hartigan,
    "hartigan_drop": naive.hartigan,
    "trcovw": naive.trcovw,
    "friedman": naive.friedman,
    "scott": naive.scott,
    "beale": naive.beale,
    "frey": naive.frey,
}


@pytest.mark.parametrize("name", TWINS)
def test_criteria_by_their_definitions(levels, name):
    X, labels = levels
    found = find_index(name)(
        X, labels if name == "krzanowski_lai" else {k: c for k, c in labels.items() if k > 1}
    )
    assert len(found) >= 5
    for k, value in found.items():
        assert value == pytest.approx(TWINS[name](X, labels, k), rel=1e-9), k


def test_krzanowski_lai_takes_the_size_of_a_ratio_of_either_sign(levels):
    X, labels = levels
    X = X * [1.0, 0.01, 0.01]
    signed = []
    for k in range(2, 8):
        before, here, after = (
            q ** (2 / 3) * np.trace(naive.scatter(X, labels[q])) for q in (k - 1, k, k + 1)
        )
        signed.append((before - here) / (here - after))
    assert min(signed) < 0
    found = find_index("kl")(X, labels)
    assert [found[k] for k in range(2, 8)] == pytest.approx(np.abs(signed))


def test_tests_of_splits_by_their_definitions(levels):
    X, labels = levels
    sweep = sweep_of_labels(X, {k: c for k, c in labels.items() if k > 1}, find_index("duda").reads, (1,))
    duda, pt2 = (find_index(name).over(sweep) for name in ("duda", "pseudo_t2"))
    for k in range(2, 8):
        n, whole, parts = naive.split(X, labels, k)
        critical = naive.critical_ratio(n, 3)
        assert duda[k].value == pytest.approx(parts / whole)
        assert duda[k].critical == pytest.approx(critical)
        assert pt2[k].value == pytest.approx((whole - parts) / (parts / (n - 2)))
        if critical > 0:
            assert (duda[k].value >= critical) == (pt2[k].value <= pt2[k].critical)


def test_criteria_of_one_partition_by_their_definitions(levels):
    X, labels = levels
    for k in range(2, 8):
        assert adjudge.ccc(X, labels[k]) == pytest.approx(naive.ccc(X, labels, k), rel=1e-9)
        assert adjudge.hubert_statistic(X, labels[k]) == pytest.approx(naive.hubert_statistic(X, labels[k]))
        assert adjudge.d_index(X, labels[k]) == pytest.approx(naive.d_index(X, labels[k]))
    assert np.isnan(adjudge.ccc(X, np.zeros(len(X))))
    assert np.isnan(adjudge.ccc(X, np.arange(len(X))))


def test_undefined_values_have_reasons():
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    choice = choose_k(X, {2: [0] * 8 + [1] * 4, 3: np.repeat([0, 1, 2], 4)}, [2, 3], indices="all")
    assert choice.values["calinski_harabasz"][3] == np.inf
    assert "dispersion" in choice.reasons["calinski_harabasz"][3]
    for name, values in choice.values.items():
        for k, value in values.items():
            assert np.isfinite(value) or choice.reasons[name][k], (name, k)


# Rules


def test_frey_votes_for_the_last_level_before_the_fall():
    frey = find_index("frey")
    ones = dict.fromkeys(range(2, 6), 1.0)
    assert vote(frey, {2: 3.0, 3: 1.5, 4: 0.2, 5: 7.0}, ones) == 3
    assert vote(frey, {2: 0.5, 3: 2.0}, ones) is None
    assert vote(frey, {2: 5.0, 3: 2.0}, ones) is None


def test_votes_of_partitions_are_best_partitions(points):
    choice = choose_k(points, k=range(2, 8), random_state=0, indices="all")
    for record in list_indices("internal"):
        if record.best_k is None:  # it says nothing of good and bad
            assert record.name not in choice.values
            continue
        values = choice.values[record.name]
        vote = choice.votes[record.name]
        if not all(map(math.isfinite, values.values())):  # of a degenerate partition, which has no vote
            assert vote is None or math.isfinite(values[vote])
            continue
        position = best_partition(list(values.values()), record)
        assert vote == (None if position is None else list(values)[position])


def test_sd_weighs_its_parts_by_the_largest_k(levels):
    X, labels = levels
    choice = choose_k(X, {k: labels[k] for k in range(2, 7)}, range(2, 7), indices="sd_validity")
    alpha = adjudge.sd_dis(X, labels[6])
    assert choice.values["sd_validity"] == {
        k: adjudge.sd_validity(X, labels[k], alpha=alpha) for k in range(2, 7)
    }


# Several labellings at once


@pytest.mark.parametrize("rounded", [False, True])
def test_labellings_are_reduced_like_one(rng, rounded):
    X = rng.normal(size=(150, 3))
    X = np.round(X) if rounded else X
    labels = {k: fit.codes for k, fit in KMeans(2).fit(X, range(2, 6), SEED).items()}
    wanted = {t for r in list_indices("internal") for t in r.requires}
    together = labellings.reduce_labellings(X, labels, wanted)
    for k, codes in labels.items():
        alone = reduce_coded_points(X, codes, wanted)
        assert set(together[k]) == wanted
        for record in list_indices("internal"):
            value, other = (
                record.assess(*(found[t] for t in record.requires))[0] for found in (together[k], alone)
            )
            assert value == pytest.approx(other, rel=1e-12, nan_ok=True), record.name


def test_labellings_of_many_distances_are_counted_in_bins(rng, monkeypatch):
    X = rng.normal(size=(300, 2))
    labels = {k: fit.codes for k, fit in KMeans(2).fit(X, range(2, 6), SEED).items()}
    wanted = {PairRanks, DistanceTies, TailSums}
    exact = labellings.reduce_labellings(X, labels, wanted)
    monkeypatch.setattr(labellings, "_MOST_IN_ORDER", 1)
    counted = labellings.reduce_labellings(X, labels, wanted)
    again = labellings.reduce_labellings(X, labels, wanted, options=PointOptions(n_jobs=1))
    for k in labels:
        found, true = counted[k][PairRanks], exact[k][PairRanks]
        assert vars(found) == vars(again[k][PairRanks])
        assert found.unknown > 0
        assert found.s_minus <= true.s_minus <= found.s_minus + found.unknown
        assert find_index("gamma").of(found) == pytest.approx(find_index("gamma").of(true), abs=1e-5)
        assert find_index("c_index").of(counted[k][TailSums]) == pytest.approx(
            find_index("c_index").of(exact[k][TailSums]), rel=1e-5
        )
        assert counted[k][TailSums].smallest <= exact[k][TailSums].within


# Estimators


def test_kmeans_is_as_good_as_scikit_learns(rng):
    X = rng.normal(size=(200, 4)) + 1e8
    fits = KMeans(10).fit(X, [2, 5, 9], SEED)
    for k, fit in fits.items():
        theirs = SklearnKMeans(k, n_init=10, random_state=0).fit(X - 1e8)
        assert fit.k == k
        assert fit.estimator.inertia_ <= theirs.inertia_ * 1.02
        assert adjudge.trace_w(X, fit.codes) == pytest.approx(fit.estimator.inertia_, rel=1e-6)
        assert np.array_equal(fit.estimator.predict(X), fit.codes)


def test_kmeans_does_not_depend_on_threads_or_on_the_other_k(rng):
    X = rng.normal(size=(3000, 2))
    wide = KMeans(3).fit(X, range(2, 7), SEED)
    narrow = KMeans(3, n_threads=1).fit(X, [4], SEED)
    assert np.array_equal(wide[4].codes, narrow[4].codes)


def test_kmeans_fills_empty_clusters():
    X = np.repeat([[0.0], [1.0], [50.0]], [30, 1, 1], axis=0)
    assert KMeans(5).fit(X, [3], SEED)[3].k == 3
    with pytest.raises(
        InputError, match=r"X has 3 distinct points, too few for 4 clusters .*: give smaller ones to k="
    ):
        KMeans(5).fit(X, [4], SEED)


@pytest.mark.parametrize("name", ["ward", "average", "complete", "single"])
def test_trees_are_cut_like_scikit_learns(rng, name):
    X = rng.normal(size=(60, 3))
    for k, fit in Tree(name).fit(X, [2, 5, 9], SEED).items():
        theirs = AgglomerativeClustering(k, linkage=name).fit_predict(X)
        assert adjudge.adjusted_rand(fit.codes, theirs) == 1.0


def test_trees_of_too_many_points_say_what_to_do():
    with pytest.raises(
        InputError, match=r"needs the distances of all 30,000 points, 3.4 GiB: sample the points, or pass"
    ):
        choose_k(np.arange(30_000.0)[:, None], "average", [2, 3])


@pytest.mark.full(keep=4)
@pytest.mark.parametrize(
    "estimator",
    [
        "kmeans",
        "ward",
        "single",
        "gaussian_mixture",
        SklearnKMeans(n_init=2),
        AgglomerativeClustering(),
        GaussianMixture(),
        lambda X, k: AgglomerativeClustering(k).fit_predict(X),
    ],
    ids=lambda e: e if isinstance(e, str) else type(e).__name__,
)
def test_every_kind_of_estimator_finds_three_blobs(points, estimator):
    choice = choose_k(points, estimator, range(2, 6), random_state=1, indices="all")
    assert choice.k == 3
    assert choice.votes["silhouette"] == 3
    assert set(choice.labels) == {2, 3, 4, 5}
    assert adjudge.adjusted_rand(choice.labels[3], np.repeat([0, 1, 2], 40)) == 1.0
    assert set(choice.values["krzanowski_lai"]) == {2, 3, 4, 5}
    assert choice.values["silhouette"][4] == adjudge.silhouette(points, choice.labels[4])
    assert not choice.warnings
    if hasattr(choice.estimators.get(3), "predict"):
        assert np.array_equal(choice.estimators[3].predict(points), choice.labels[3])


def test_ready_labels(points):
    labels = {
        k: np.array(list("abcdef"))[fit.codes]
        for k, fit in Tree("ward").fit(points, range(2, 6), SEED).items()
    }
    choice = choose_k(points, labels, range(2, 6), indices="all")
    tree = choose_k(points, "ward", range(2, 6), indices="all")
    assert choice.k == tree.k == 3
    assert choice.estimator == "labels"
    assert choice.labels[2] is not None
    assert not choice.estimators
    # They are levels of a hierarchy, so that its criteria vote, but the neighbour K + 1 of the last is not there.
    assert set(choice.values["duda"]) == {2, 3, 4}
    assert choice.values["duda"][3] == tree.values["duda"][3]
    assert set(choice.values["krzanowski_lai"]) == {3, 4}
    with pytest.raises(InputError, match="labels\\[4\\] has 2 clusters"):
        choose_k(points, {4: np.arange(120) % 2}, [4])
    with pytest.raises(InputError, match="there are no labels for K = 2"):
        choose_k(points, {3: np.arange(120) % 3}, [2])
    with pytest.raises(InputError, match="not ready labels"):
        choose_k(points, labels, range(2, 6), stability=2)


def test_hierarchical_criteria_vote_only_for_hierarchies(points):
    assert "duda" not in choose_k(points, k=[2, 3, 4], random_state=0, indices="all").votes
    assert choose_k(points, "ward", [2, 3, 4], indices="all").votes["duda"] == 3
    with pytest.raises(InputError, match="duda needs a hierarchy: use estimator='ward'"):
        choose_k(points, k=[2, 3], indices="duda")


def test_mixtures_have_information_criteria(points):
    choice = choose_k(points, "gaussian_mixture", range(2, 5), random_state=0, indices="all")
    for k, model in choice.estimators.items():
        assert choice.values["bic"][k] == pytest.approx(model.bic(points))
        assert choice.values["aic"][k] == pytest.approx(model.aic(points))
        posterior = model.predict_proba(points).max(axis=1)
        assert choice.values["icl"][k] == pytest.approx(model.bic(points) - 2 * np.log(posterior).sum())
    assert choice.votes["bic"] == choice.votes["icl"] == 3
    with pytest.raises(InputError, match="bic needs the likelihood of a mixture"):
        choose_k(points, k=[2, 3], indices=["bic"])


def test_several_estimators(points):
    choice = choose_k(points, ["kmeans", "ward", "ward"], range(2, 5), random_state=0, indices="all")
    assert list(choice) == ["kmeans", "ward", "ward_2"]
    assert len(choice) == 3
    assert choice["ward"].estimator == "ward"
    assert choice.k == choice[choice.estimator].k
    assert choice.votes == choice[choice.estimator].votes
    rows = choice.table().records()
    assert {row["estimator"] for row in rows} == {"kmeans", "ward", "ward_2"}
    named = choose_k(
        points, {"mine": "kmeans", "trees": Tree("ward").name}, [2, 3, 4], random_state=0, indices="all"
    )
    assert set(named) == {"mine", "trees"}
    with pytest.raises(InputError, match="no estimator is called 'dbscan'"):
        choice["dbscan"]


def test_functions_are_not_asked_for_one_cluster(points):
    asked = []

    def halves(X, k):
        asked.append(k)
        return KMeans(1).fit(X, [k], SEED)[k].codes

    choose_k(points, halves, [2, 3], indices="all")
    assert sorted(asked) == [2, 3, 4]


def test_an_estimator_that_finds_fewer_clusters_is_told_of(points):
    choice = choose_k(points, lambda X, k: np.arange(len(X)) % min(k, 3), [2, 3, 4], indices="all")
    assert "found 3 clusters instead of 4" in choice.warnings[0].message


# Verdict


def test_tally_by_families_and_raw(points):
    by_family = choose_k(points, k=range(2, 6), random_state=0, indices="all")
    raw = choose_k(points, k=range(2, 6), random_state=0, tally="raw", indices="all")
    votes = [v for v in by_family.votes.values() if v is not None]
    assert raw.tally == {k: votes.count(k) for k in sorted(set(votes))}
    families = {by_family.families[name] for name, v in by_family.votes.items() if v is not None}
    assert sum(by_family.tally.values()) == pytest.approx(len(families))
    assert by_family.k == raw.k


def test_without_the_criteria_of_the_verdict_most_votes_decide_and_the_smaller_k_wins_ties():
    records = [find_index(name) for name in ("silhouette", "dunn", "pbm", "ccc")]
    values = {r.name: {} for r in records}

    def decided(*votes):
        return decide(
            Judgement(values=values, votes=dict(zip(values, votes, strict=True))), records, range(2, 6)
        )

    most = decided(2, 4, 4, 3)
    assert (most.k, most.supporters, most.shares) == (4, ("dunn", "pbm"), None)
    assert decided(4, 3, 4, 3).k == 3
    assert decided(4, None, None, 9).voters == ("silhouette",)
    assert decided(9, None, None, None) is None


def test_probabilities_are_the_softmax_of_what_the_criteria_say(points):
    choice = choose_k(points, k=range(2, 8), random_state=0)
    stack = stack_of("numbers")
    total = np.zeros(6)
    for term in stack.terms:
        values = np.array(list(choice.values[term.criterion].values()))
        if term.reading == "vote":
            total += term.weight * (np.arange(2, 8) == choice.votes[term.criterion])
        else:
            values = np.log(values) if term.reading == "log shortfall" else values
            total += term.weight * np.maximum((values - values.max()) / values.std(), -4)
    shares = np.exp(total) / np.exp(total).sum()
    found = np.array(list(choice.probability.values()))
    assert found / found.sum() == pytest.approx(shares)
    advantage = min(choice.structure["beats_gaussian"], choice.structure["beats_uniform"])
    some = stack.any_right
    logit = (
        some["intercept"]
        + some["log_odds"] * np.log(shares.max() / (1 - shares.max()))
        + some["log_advantage"] * np.log1p(advantage * np.sqrt(400 / 120))
        + some["halves"] * choice.there_are
    )
    assert found.sum() == pytest.approx(1 / (1 + np.exp(-logit)))
    assert choice.k == 3
    assert choice.to_dict()["probability"]["3"] == choice.probability[3]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 10), min_size=3, max_size=9), st.integers(0, 8), st.floats(0, 5))
def test_a_better_value_never_makes_the_best_candidate_less_probable(values, which, more):
    stack = stack_of("numbers")
    best = int(np.argmax(values))

    def probability(own):
        said = {name: Saying(np.array(own), int(np.argmax(own))) for name in stack.criteria}
        return stack.probabilities(said, len(own))[best]

    better = list(values)
    better[best] += more
    assert probability(better) >= probability(values) - 1e-9


def test_undefined_values_move_nothing_and_infinite_ones_are_the_ends():
    assert oriented([1.0, np.nan, 3.0, np.inf], "higher").tolist() == [1.0, 2.0, 3.0, 3.0]
    assert oriented([1.0, -np.inf, 3.0], "lower").tolist() == [-1.0, -1.0, -3.0]
    assert oriented([np.nan, np.inf], "higher") is None


def test_a_criterion_that_is_undefined_for_all_numbers_moves_none(rng):
    """No neighbour of any point lies in another cluster."""
    apart = np.concatenate([rng.normal(m, 0.1, size=(40, 2)) for m in (0, 50, 100)])
    ks = (2, 3)
    choice = choose_k(apart, k=ks, random_state=0)
    assert choice.votes["cvnn"] is None
    assert set(choice.reasons["cvnn"]) == set(ks)
    assert "cvnn" not in choice.voters
    stack = stack_of("numbers")
    straight = {
        name: oriented(list(choice.values[name].values()), find_index(name).better) for name in stack.criteria
    }
    said = {
        name: Saying(values, ks.index(choice.votes[name]) if choice.votes[name] else None)
        for name, values in straight.items()
        if values is not None
    }
    found = np.array(list(choice.probability.values()))
    assert found / found.sum() == pytest.approx(stack.probabilities(said, len(ks)))
    assert choice.k == 3


def test_clusters_of_clusters_have_several_answers(rng):
    centres = [(a + dx, b + dy) for a, b in ((0, 0), (30, 5), (5, 30)) for dx, dy in ((0, 0), (4, 0), (0, 4))]
    X = np.concatenate([rng.normal(c, 0.4, size=(30, 2)) for c in centres])
    choice = choose_k(X, k=range(2, 14), random_state=0)
    assert choice.answers == (3, 9)
    assert "several-answers" in {w.code for w in choice.warnings}
    assert "K = 9 stands out" in repr(choice)


def test_standing_out_is_a_matter_of_the_neighbours():
    assert standing_out([0.1, 0.7, 0.09, 0.01, 0.08, 0.01], 4) == [1, 4]
    assert standing_out([0.1, 0.7, 0.09, 0.01, 0.08, 0.03], 4) == [1]
    assert standing_out([0.4, 0.6], 1) == [1]


def test_no_number_is_recommended_without_evidence(rng):
    choice = choose_k(rng.normal(size=(400, 3)), k=range(2, 9), random_state=0)
    assert choice.k is None
    assert choice.answers == ()
    assert sum(choice.probability.values()) < stack_of("numbers").least
    assert choice.reason.startswith("two halves of the points agree on no clusters: ")
    assert "hardly-clustered" in {w.code for w in choice.warnings}


def test_a_family_has_one_vote():
    records = [find_index(name) for name in ("dunn", "gdi12", "gdi13", "silhouette")]
    votes = {"dunn": 2, "gdi12": 2, "gdi13": 3, "silhouette": 3}
    assert tally_votes(votes, records, True) == {2: pytest.approx(2 / 3), 3: pytest.approx(4 / 3)}
    assert tally_votes(votes, records, False) == {2: 2, 3: 2}


def test_one_index_decides_alone(points):
    choice = choose_k(points, k=range(2, 6), indices="silhouette", random_state=0)
    assert list(choice.votes) == ["silhouette"]
    assert (choice.k, choice.supporters) == (3, ("silhouette",))


def test_no_structure_is_told(rng):
    for X in (
        rng.normal(size=(300, 2)),
        rng.uniform(size=(300, 2)),
        rng.normal(size=(300, 5)) * [5, 1, 1, 1, 1],
    ):
        assert any(
            "evidence against clusters" in w.message
            for w in choose_k(X, k=range(2, 6), random_state=0, indices="all").warnings
        )


def test_confidence_is_the_share_of_bootstrap_samples(points):
    choice = choose_k(points, k=range(2, 6), n_resamples=8, random_state=0, indices="all")
    assert choice.confidence == {2: 0.0, 3: 1.0, 4: 0.0, 5: 0.0}
    assert choose_k(points, k=range(2, 6), random_state=0, indices="all").confidence is None
    near = choose_k(
        np.random.default_rng(0).normal(size=(60, 2)),
        k=range(2, 6),
        n_resamples=12,
        random_state=0,
        indices="all",
    )
    assert sum(near.confidence.values()) == pytest.approx(1)
    assert max(near.confidence.values()) < 1


def test_the_same_seed_gives_the_same_result(rng):
    X = rng.normal(size=(80, 3))
    options = {
        "k": range(2, 5),
        "indices": ["all", "gap"],
        "n_references": 5,
        "stability": 3,
        "n_resamples": 3,
    }
    first, second = (choose_k(X, random_state=5, n_jobs=jobs, **options) for jobs in (None, 1))
    assert first.to_dict() == second.to_dict()
    assert choose_k(X, random_state=6, **options).to_dict() != first.to_dict()
    for state in (np.random.default_rng(0), np.random.RandomState(0), None):
        assert set(choose_k(X, k=[2, 3], random_state=state, indices="all").probability) == {2, 3}


# Results


def test_results_print_and_become_json_and_frames(points):
    pd = pytest.importorskip("pandas")
    choice = choose_k(
        pd.DataFrame(points), k=range(2, 5), random_state=0, stability=2, n_resamples=2, indices="all"
    )
    assert isinstance(choice, KChoice)
    text = json.dumps(choice.to_dict(), allow_nan=False)
    read = json.loads(text)
    assert read["k"] == 3
    assert read["votes"]["silhouette"] == 3
    assert "labels" not in read
    frame = choice.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["criterion", "family", "vote", "2", "3", "4"]
    shown = repr(choice)
    assert shown.startswith(
        "kmeans on 120 points: There are clusters: 3, with a probability of >99 %.\nTwo halves of the points agree on "
    )
    assert "and then K = 3 is right with >99 %" in shown
    line = next(line for line in shown.splitlines() if line.startswith("silhouette "))
    assert line.split()[1] == "3"
    assert line.split()[3].endswith("*")
    assert "<strong>" in choice._repr_html_()
    assert choice.values_of("asw") == choice.values["silhouette"]
    with pytest.raises(UnknownIndexError):
        choice.values_of("gap")
    assert choice["kmeans"] is choice


@pytest.mark.parametrize("n", [3, 5, 9, 11, 12])
def test_numbers_of_clusters_that_few_points_allow(n: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, 2))
    for estimator in ("kmeans", "ward"):
        assert sorted(choose_k(X, estimator, random_state=0).labels) == list(range(2, min(n, 11)))


def test_ready_partitions_say_which_numbers_are_compared() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9], [0, 9], [1, 9], [0, 8.0]])
    labels = {1: [0] * 9, 2: [0] * 3 + [1] * 6, 3: [0] * 3 + [1] * 3 + [2] * 3}
    assert sorted(choose_k(X, labels).labels) == [2, 3]
    many = np.random.default_rng(0).normal(size=(40, 2))
    given = {k: np.arange(40) % k for k in (4, 12, 20)}
    assert sorted(choose_k(many, given).labels) == [4, 12, 20]
    several = choose_k(many, {"mine": given, "ward": "ward"})
    assert sorted(several["mine"].labels) == [4, 12, 20]
    with pytest.raises(InputError, match="k=9 is out of range: 9 points allow 1 to 8 clusters"):
        choose_k(X, {9: range(9)})
    with pytest.raises(InputError, match="no partition has two clusters"):
        choose_k(X, {1: [0] * 9})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": []}, "k is empty"),
        ({"k": [0, 1, 2]}, "k=0 is out of range"),
        ({"k": [1]}, "k=1 is compared with nothing: give larger numbers, too"),
        ({"k": [120]}, "k=120 is out of range: 120 points allow 1 to 119 clusters"),
        ({"k": [2.5]}, "k holds 2.5"),
        (
            {"estimator": "kmean"},
            "estimator='kmean' is not known: did you mean 'kmeans'? There are 'kmeans', 'ward'",
        ),
        ({"estimator": 3}, "estimator has an int where a clusterer is needed"),
        ({"estimator": []}, "estimator is empty"),
        ({"indices": "jaccard"}, "jaccard is of kind 'external': it does not choose"),
        ({"indices": "prediction_strength"}, "prediction_strength needs resampling: use stability="),
        ({"indices": []}, "indices is empty"),
        ({"random_state": -1}, "random_state=-1: a whole number of at least 0"),
        ({"random_state": "x"}, "random_state='x': a whole number of at least 0"),
        ({"stability": -2}, "stability=-2 must be"),
        ({"tally": "votes"}, "tally='votes' is not known"),
        ({"reference": "box", "indices": "gap"}, "reference='box' is not known"),
    ],
    ids=lambda a: str(a)[:40],
)
def test_bad_arguments_get_one_line(points, arguments, message):
    with pytest.raises((InputError, InputTypeError)) as error:
        choose_k(points, **arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("n", "there"), [(1, "there is 1 point"), (2, "there are 2 points")])
def test_too_few_points_to_compare_numbers_of_clusters(n, there):
    with pytest.raises(InputError, match=f"^{there}: at least 3 are needed to compare K$"):
        choose_k(np.arange(2.0 * n).reshape(n, 2))


def test_sparse_points_are_refused(points):
    from scipy.sparse import csr_matrix

    with pytest.raises(InputError, match="X is sparse"):
        choose_k(csr_matrix(points))


def test_an_estimator_without_k_is_refused(points):
    from sklearn.cluster import DBSCAN

    with pytest.raises(InputError, match="DBSCAN has neither n_clusters nor n_components"):
        choose_k(points, DBSCAN())


def test_the_criteria_read_a_sample_of_many_points(rng, monkeypatch):
    monkeypatch.setattr("adjudge.choosing.sampling.USUAL_SAMPLE", 90)
    X = np.concatenate([rng.normal(m, 0.3, size=(50, 2)) for m in (0, 4, 8)])
    sampled = choose_k(X, k=range(2, 6), random_state=0)
    notice = next(own for own in sampled.warnings if own.code == "criteria-of-a-sample")
    assert notice.message == "the criteria are estimated from 90 of the 150 points"
    assert "sample_size=150" in notice.text
    assert (sampled.k, sampled.n, sampled.labels[3].size) == (3, 150, 150)
    # Asked for, the same sample is nothing to remark on; all points are read if as many are asked for.
    asked = choose_k(X, k=range(2, 6), sample_size=90, random_state=0)
    assert asked.values == sampled.values
    whole = choose_k(X, k=range(2, 6), sample_size=150, random_state=0)
    assert whole.values != sampled.values
    assert not {"criteria-of-a-sample"} & {own.code for own in (*asked.warnings, *whole.warnings)}
