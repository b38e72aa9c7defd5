"""Two halves of the points agree on clusters, and not on what has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjudge import choose_k
from adjudge.inference.clusters.halves import ENOUGH, agreement_in_words, agreement_of_halves


def apart(k: int, n: int, p: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 0] += 9 * (np.arange(n) % k)
    return X


def ball(rng: np.random.Generator) -> Any:
    X = rng.normal(size=(150, 3))
    return X / np.linalg.norm(X, axis=1)[:, None] * rng.random((150, 1)) ** (1 / 3)


def ring(rng: np.random.Generator) -> Any:
    t = rng.uniform(0, 2 * np.pi, 200)
    return np.c_[np.cos(t), np.sin(t)] + 0.1 * rng.normal(size=(200, 2))


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.normal(size=(150, 4)) @ rng.normal(size=(4, 4)),
        lambda rng: rng.uniform(size=(150, 2)),
        lambda rng: rng.standard_t(3, size=(150, 3)),
        lambda rng: rng.exponential(size=(150, 2)),
        lambda rng: rng.dirichlet([2, 2, 2, 2], size=150),
        lambda rng: rng.normal(size=(60, 90)),
        ball,
        ring,
    ],
    ids=["Gaussian", "box", "heavy", "skewed", "simplex", "wide", "ball", "ring"],
)
def test_halves_of_points_without_clusters_do_not_agree(draw: Callable[[np.random.Generator], Any]) -> None:
    found = agreement_of_halves(draw(np.random.default_rng(3)), progress=False)
    assert found is not None
    assert found < ENOUGH


@pytest.mark.parametrize(
    ("k", "n", "p"), [(2, 30, 1), (3, 40, 2), (2, 100, 2), (3, 300, 5), (8, 200, 2), (2, 60, 90)]
)
def test_halves_of_clusters_agree(k: int, n: int, p: int) -> None:
    found = agreement_of_halves(apart(k, n, p), progress=False)
    assert found is not None
    assert found >= ENOUGH


def test_many_clusters_are_found_if_their_number_is_asked_for() -> None:
    rng = np.random.default_rng(0)
    X = rng.permutation(30)[np.arange(300) % 30][:, None] * [1.0, 7.0] % 31 + 0.05 * rng.normal(size=(300, 2))
    few, many = (agreement_of_halves(X, ks, progress=False) for ks in ((), (30,)))
    assert few is not None
    assert many is not None
    assert few < ENOUGH < many


def test_the_conclusion_depends_on_the_points_alone() -> None:
    X = apart(3, 120, 3)
    found = agreement_of_halves(X, progress=False)
    order = np.random.default_rng(1).permutation(120)
    assert agreement_of_halves(X[order], progress=False) == pytest.approx(found, abs=1e-12)
    assert agreement_of_halves(8 * X + 3, progress=False) == pytest.approx(found, abs=1e-12)
    seeds = [choose_k(X, k=range(2, 6), random_state=seed, progress=False) for seed in (0, 1)]
    assert [own.structure["halves_agree"] for own in seeds] == [found, found]


def test_too_few_points_and_equal_ones_are_not_tested() -> None:
    assert agreement_of_halves(apart(2, 29, 2), progress=False) is None
    assert agreement_of_halves(np.ones((40, 2)), progress=False) is None
    assert choose_k(apart(2, 29, 2), k=(2, 3), random_state=0).there_are is None


def test_a_sample_of_many_points_is_split() -> None:
    many = apart(4, 3000, 2)
    found = agreement_of_halves(many, progress=False)
    assert found is not None
    assert found >= ENOUGH


def test_progress_is_reported() -> None:
    told: list[tuple[Any, ...]] = []
    agreement_of_halves(apart(2, 30, 2), progress=lambda *own: told.append(own))
    assert told[0] == ("halves", 1, 50)
    assert told[-1] == ("halves", 50, 50)


def test_the_words_name_the_limit() -> None:
    assert agreement_in_words(ENOUGH).startswith("two halves of the points agree on clusters, by 0.32 more")
    assert "no clusters: less than without" in agreement_in_words(-0.1)


@pytest.mark.parametrize("indices", ["default", "silhouette"])
def test_no_number_is_recommended_without_agreement(indices: str) -> None:
    noise = np.random.default_rng(0).normal(size=(120, 2))
    found = choose_k(noise, k=range(2, 5), indices=indices, random_state=0)
    assert (found.there_are, found.k, found.answers) == (False, None, ())
    assert found.warnings[0].code == "bent-clusters-unseen"
    assert found.words.headline.startswith("No clusters on which two halves of the points agree")


def test_many_clusters_are_looked_for_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(620, 2))
    # Of 150 clusters in each half, there are too many cells to count pairs without a table.
    found = agreement_of_halves(X, [150], progress=False)
    assert found is not None
    monkeypatch.setattr("adjudge.inference.clusters.halves.pairs_at_once", lambda *_: None)
    assert agreement_of_halves(X, [150], progress=False) == found
