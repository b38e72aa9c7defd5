"""Indices of soft clusterings against reference values, and against their definitions."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge import Memberships, evaluate
from adjudge.given.structures import read_structures
from adjudge.inference.influence import Influence
from adjudge.statistics import memberships
from adjudge.statistics.making import Made
from cases import each

FILES = sorted((Path(__file__).parents[1] / "reference" / "memberships").glob("*.json"))
RNG = np.random.default_rng(12)
OF_JOINED = {
    "rand": "fuzzy_rand_campello",
    "adjusted_rand": "fuzzy_adjusted_rand",
    "jaccard": "fuzzy_jaccard",
    "fowlkes_mallows": "fuzzy_fowlkes_mallows",
}


@each("file", FILES)
def test_reference_values(file: Path) -> None:
    case = json.loads(file.read_text("utf-8"))
    first, second, values = Memberships(case["U"]), Memberships(case["V"]), case["reference"]
    of_one = {
        "partition_coefficient": values["partition_coefficient"],
        "modified_partition_coefficient": values["modified_partition_coefficient"],
        "partition_entropy": values["partition_entropy"],
        "normalized_partition_entropy": values["partition_entropy_over_log_k"],
    }
    found = evaluate(first, second, indices=[*of_one, "fuzzy_rand"])
    for name, value in {**of_one, "fuzzy_rand": values["fuzzy_rand_hullermeier"]}.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-12), name
    for t_norm in ("min", "product"):
        for key, name in OF_JOINED.items():
            own = getattr(adjudge, name)(first, second, t_norm=t_norm)
            assert own == pytest.approx(values[f"campello_{t_norm}"][key], rel=1e-9), (t_norm, name)


def soft(n: int, k: int) -> np.ndarray:
    return RNG.dirichlet([0.4] * k, n)


def test_pairs_by_definition() -> None:
    u, v = soft(14, 3), soft(14, 4)
    alike = [
        abs((1 - np.abs(u[i] - u[j]).sum() / 2) - (1 - np.abs(v[i] - v[j]).sum() / 2))
        for i, j in combinations(range(14), 2)
    ]
    assert adjudge.fuzzy_rand(Memberships(u), Memberships(v)) == pytest.approx(1 - np.mean(alike))
    for name, t in (("min", min), ("product", lambda x, y: x * y)):
        sums = np.zeros(4)
        for i, j in combinations(range(14), 2):
            same, apart = [], []
            for w in (u, v):
                ks = range(w.shape[1])
                same.append(max(t(w[i, k], w[j, k]) for k in ks))
                apart.append(max(t(w[i, k], w[j, m]) for k in ks for m in ks if k != m))
            sums += [t(same[0], same[1]), t(same[0], apart[1]), t(apart[0], same[1]), t(apart[0], apart[1])]
        a, b, c, d = sums
        found = adjudge.fuzzy_rand_campello(Memberships(u), Memberships(v), t_norm=name)
        assert found == pytest.approx((a + d) / sums.sum())
        assert adjudge.fuzzy_jaccard(Memberships(u), Memberships(v), t_norm=name) == pytest.approx(
            a / (a + b + c)
        )


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    u, v, points = Memberships(soft(50, 3)), Memberships(soft(50, 2)), RNG.normal(size=(50, 2))
    whole = evaluate(u, v, X=points, indices="all")
    monkeypatch.setattr(memberships, "_BLOCK", 200)
    monkeypatch.setattr(memberships, "_IN_CACHE", 200)
    in_blocks = evaluate(u, v, X=points, indices="all")
    for name in whole.scores:
        assert in_blocks[name] == pytest.approx(whole[name], rel=1e-12), name


def test_of_partitions_they_are_the_indices_of_partitions() -> None:
    t, p = RNG.integers(0, 3, 40), RNG.integers(0, 4, 40)
    u, v = Memberships(np.eye(3)[t]), Memberships(np.eye(4)[p])
    for name in ("fuzzy_rand", "fuzzy_rand_campello"):
        assert getattr(adjudge, name)(u, v) == pytest.approx(adjudge.rand(t, p))
    assert adjudge.fuzzy_adjusted_rand(u, v) == pytest.approx(adjudge.adjusted_rand(t, p))
    assert adjudge.fuzzy_jaccard(u, v) == pytest.approx(adjudge.jaccard(t, p))
    assert adjudge.fuzzy_fowlkes_mallows(u, v) == pytest.approx(adjudge.fowlkes_mallows(t, p))
    assert adjudge.fuzzy_rand(u, p) == adjudge.fuzzy_rand(u, v)
    points = RNG.normal(size=(40, 2)) + 3 * t[:, None]
    assert adjudge.fuzzy_silhouette(u, X=points) == pytest.approx(adjudge.silhouette(points, t))


def test_order_of_instances_and_clusters_changes_nothing() -> None:
    u, v = soft(40, 3), soft(40, 3)
    expected = evaluate(Memberships(u), Memberships(v), indices="all")
    rows, columns = RNG.permutation(40), RNG.permutation(3)
    found = evaluate(Memberships(u[rows]), Memberships(v[rows][:, columns]), indices="all")
    for name in expected.scores:
        assert found[name] == pytest.approx(expected[name]), name
    assert adjudge.fuzzy_rand(Memberships(u), Memberships(u[:, columns])) == pytest.approx(1)


def test_the_silhouette_by_hand() -> None:
    points = np.array([[0.0], [1.0], [4.0], [5.0], [9.0]])
    u = np.array([[0.9, 0.1, 0], [0.8, 0.2, 0], [0.1, 0.9, 0], [0.3, 0.7, 0], [0, 0.4, 0.6]])
    widths = np.array([1 - 1 / 4.5, 1 - 1 / 3.5, 1 - 1 / 3.5, 1 - 1 / 4, 0.0])
    for alpha in (1.0, 2.0):
        weights = np.array([0.8, 0.6, 0.8, 0.4, 0.2]) ** alpha
        found = adjudge.fuzzy_silhouette(Memberships(u), X=points, alpha=alpha)
        assert found == pytest.approx(weights @ widths / weights.sum())
    assert math.isnan(adjudge.fuzzy_silhouette(Memberships([[1.0], [1.0]]), X=[[0.0], [1.0]]))


def test_influence_is_what_leaving_one_out_does() -> None:
    u, v, rows = soft(80, 3), soft(80, 3), np.arange(80)
    for record in adjudge.list_indices("soft"):
        if isinstance(record.influence, str):  # the reason why there is none
            continue
        given = [u, v] if record.symmetric else [u]
        value, *without = (
            record(*(Memberships(own[kept]) for own in given)) for kept in [rows, *(rows != i for i in rows)]
        )
        read = read_structures(*map(Memberships, given)).things
        psi = Influence.centred(value, record.influence(Made(read)[record.requires[0]])).psi
        left_out = Influence.of_left_out(value, np.array(without), np.ones(80)).psi
        assert psi == pytest.approx(left_out, abs=0.05 * np.ptp(left_out)), record.name


def test_the_interval_of_the_fuzzy_rand_index_holds_its_level() -> None:
    u = soft(3000, 3)
    v = np.where(RNG.random((3000, 1)) < 0.3, soft(3000, 3), u)
    from scipy.spatial.distance import pdist

    whole = 1 - np.abs(pdist(u, "cityblock") - pdist(v, "cityblock")).mean() / 2
    hits, widths, values = 0, [], []
    for _ in range(100):
        rows = RNG.choice(3000, 120, replace=False)
        score = evaluate(
            Memberships(u[rows]), Memberships(v[rows]), indices="fuzzy_rand", confidence=0.95
        ).score("fuzzy_rand")
        assert score.low is not None
        assert score.high is not None
        hits += score.low <= whole <= score.high
        widths.append(score.high - score.low)
        values.append(score.value)
    assert np.mean(widths) == pytest.approx(2 * 1.96 * np.std(values), rel=0.2)
    assert hits >= 88


def test_chance_leaves_out_what_the_exchange_does_not_change() -> None:
    found = evaluate(
        Memberships(soft(60, 3)), Memberships(soft(60, 3)), indices="all", adjust=True, n_tables=50
    )
    assert found.score("fuzzy_rand").expected is not None
    assert found.score("partition_coefficient").expected is None
