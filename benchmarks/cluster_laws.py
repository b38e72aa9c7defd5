"""Laws for the verdict of `choose_k`, written before its test for clusters: 29 without clusters, ten with them.

Nothing was fitted to them. Those with clusters are unlike the batteries of `cluster_families`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cluster_families import Data, PointSet, Rng, sizes

__all__ = ["WITH", "WITHOUT", "laws"]


def _n(rng: Rng) -> int:
    return sizes(rng, 150)


def _p(rng: Rng) -> int:
    return int(rng.choice([2, 3, 5, 10]))


# Without clusters


def gaussian(rng: Rng) -> np.ndarray:
    p = _p(rng)
    return rng.normal(size=(_n(rng), p)) @ rng.normal(size=(p, p))


def fifty_columns(rng: Rng) -> np.ndarray:
    return rng.normal(size=(_n(rng), 50))


def few_factors(rng: Rng) -> np.ndarray:
    n = _n(rng)
    return rng.normal(size=(n, 2)) @ rng.normal(size=(2, 30)) + 0.4 * rng.normal(size=(n, 30))


def box(rng: Rng) -> np.ndarray:
    p = _p(rng)
    return rng.uniform(size=(_n(rng), p)) * rng.uniform(0.3, 3, p)


def ball(rng: Rng) -> np.ndarray:
    X = rng.normal(size=(_n(rng), _p(rng)))
    return X / np.linalg.norm(X, axis=1)[:, None] * rng.random(len(X))[:, None] ** (1 / X.shape[1])


def shell(rng: Rng) -> np.ndarray:
    X = rng.normal(size=(_n(rng), 3))
    return X / np.linalg.norm(X, axis=1)[:, None] + 0.05 * rng.normal(size=X.shape)


def ring(rng: Rng) -> np.ndarray:
    t = rng.uniform(0, 2 * np.pi, _n(rng))
    return np.c_[np.cos(t), np.sin(t)] + 0.08 * rng.normal(size=(t.size, 2))


def arc(rng: Rng) -> np.ndarray:
    t = rng.uniform(0, np.pi * rng.uniform(0.5, 1.3), _n(rng))
    return np.c_[np.cos(t), np.sin(t)] + 0.06 * rng.normal(size=(t.size, 2))


def spiral(rng: Rng) -> np.ndarray:
    t = rng.uniform(1, 9, _n(rng))
    return np.c_[t * np.cos(t), t * np.sin(t)] + 0.3 * rng.normal(size=(t.size, 2))


def helix(rng: Rng) -> np.ndarray:
    t = rng.uniform(0, 4 * np.pi, _n(rng))
    return np.c_[np.cos(t), np.sin(t), t / 4] + 0.06 * rng.normal(size=(t.size, 3))


def rolled(rng: Rng) -> np.ndarray:
    t, h = rng.uniform(1.5 * np.pi, 4.5 * np.pi, _n(rng)), rng.random
    return np.c_[t * np.cos(t), 20 * h(t.size), t * np.sin(t)] + 0.3 * rng.normal(size=(t.size, 3))


def torus(rng: Rng) -> np.ndarray:
    a, b = rng.uniform(0, 2 * np.pi, (2, _n(rng)))
    return np.c_[(2 + 0.7 * np.cos(b)) * np.cos(a), (2 + 0.7 * np.cos(b)) * np.sin(a), 0.7 * np.sin(b)]


def frame(rng: Rng) -> np.ndarray:
    t, side = rng.random(_n(rng)), rng.integers(4, size=400)
    side = side[: t.size] if t.size <= side.size else rng.integers(4, size=t.size)
    X = np.choose(side, (t, np.ones_like(t), t, np.zeros_like(t)))
    Y = np.choose(side, (np.zeros_like(t), t, np.ones_like(t), t))
    return np.c_[X, Y] + 0.04 * rng.normal(size=(t.size, 2))


def triangle(rng: Rng) -> np.ndarray:
    return rng.dirichlet([1, 1, 1], size=_n(rng))[:, :2] @ np.array([[1, 0], [0.5, 0.87]])


def simplex(rng: Rng) -> np.ndarray:
    return rng.dirichlet(np.full(int(rng.integers(3, 9)), rng.uniform(1, 2.5)), size=_n(rng))


def cone(rng: Rng) -> np.ndarray:
    h, t = rng.random(_n(rng)) ** (1 / 3), rng.uniform(0, 2 * np.pi, 600)
    r = h * np.sqrt(rng.random(h.size))
    return np.c_[r * np.cos(t[: h.size]), r * np.sin(t[: h.size]), 2 * h]


def slope(rng: Rng) -> np.ndarray:
    return rng.beta(2, 5, size=(_n(rng), _p(rng)))


def banana(rng: Rng) -> np.ndarray:
    X = rng.normal(size=(_n(rng), 2)) * (2, 0.7)
    X[:, 1] += 0.4 * X[:, 0] ** 2
    return X


def funnel(rng: Rng) -> np.ndarray:
    v = rng.normal(size=_n(rng))
    return np.c_[1.5 * v, np.exp(0.6 * v)[:, None] * rng.normal(size=(v.size, 2))]


def heavy_tails(rng: Rng) -> np.ndarray:
    X = rng.normal(size=(_n(rng), _p(rng)))
    return X / np.sqrt(rng.chisquare(3, size=(len(X), 1)) / 3)


def laplace(rng: Rng) -> np.ndarray:
    return rng.laplace(size=(_n(rng), _p(rng)))


def exponential(rng: Rng) -> np.ndarray:
    return rng.exponential(size=(_n(rng), _p(rng)))


def log_normal(rng: Rng) -> np.ndarray:
    return np.exp(0.8 * rng.normal(size=(_n(rng), _p(rng))))


def contaminated(rng: Rng) -> np.ndarray:
    X = rng.normal(size=(_n(rng), _p(rng)))
    X[: len(X) // 10] *= 5
    return rng.permutation(X)


def counts_of_one_kind(rng: Rng) -> np.ndarray:
    n, p = _n(rng), 20
    rates = rng.gamma(2, 3, p) * rng.gamma(4, 0.25, (n, 1)) * rng.gamma(3, 1 / 3, (n, p))
    return np.log1p(rng.poisson(rates))


def one_topic(rng: Rng) -> np.ndarray:
    profile = rng.dirichlet(np.full(60, 0.7))
    lengths = rng.integers(30, 150, size=_n(rng))
    found = np.array([rng.multinomial(m, profile) for m in lengths])
    X = np.sqrt(found / lengths[:, None])
    u, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return (u * s)[:, :10]


def answers_of_one_class(rng: Rng) -> np.ndarray:
    n, items = _n(rng), int(rng.integers(6, 15))
    latent = rng.normal(size=(n, 1)) * rng.uniform(0.5, 1.2, items) + rng.normal(size=(n, items))
    return np.clip(np.rint(latent * 0.9 + 3), 1, 5)


def smooth_curves(rng: Rng) -> np.ndarray:
    t = np.linspace(0, 1, 40)
    waves = np.array([np.sin(np.pi * j * t) / j for j in range(1, 8)])
    return rng.normal(size=(_n(rng), 7)) @ waves + 0.1 * rng.normal(size=(1, 40))


def one_community(rng: Rng) -> np.ndarray:
    n = _n(rng)
    joined = np.triu(rng.random((n, n)) < 0.1, 1)
    values, vectors = np.linalg.eigh((joined | joined.T).astype(float))
    return vectors[:, -5:] * np.sqrt(np.abs(values[-5:]))


WITHOUT: tuple[Callable[[Rng], np.ndarray], ...] = (
    gaussian, fifty_columns, few_factors, box, ball, shell, ring, arc, spiral, helix, rolled, torus, frame, triangle,
    simplex, cone, slope, banana, funnel, heavy_tails, laplace, exponential, log_normal, contaminated,
    counts_of_one_kind, one_topic, answers_of_one_class, smooth_curves, one_community,
)  # fmt: skip


# With clusters


def _codes(rng: Rng, k: int, n: int, least: float) -> np.ndarray:
    """Draw clusters of unequal sizes, the smallest with a share of at least `least`."""
    share = np.maximum(rng.dirichlet(np.full(k, 2.0)), least)
    return rng.permutation(np.r_[np.arange(k).repeat(6), rng.choice(k, n - 6 * k, p=share / share.sum())])


def unequal_sizes(rng: Rng) -> Data:
    k, p = int(rng.integers(2, 7)), int(rng.choice([3, 10]))
    y = _codes(rng, k, sizes(rng, 300), 0.03)
    return rng.normal(size=(k, p))[y] * rng.uniform(3, 5) + rng.normal(size=(y.size, p)), y


def bent_space(rng: Rng) -> Data:
    """Draw clusters in three dimensions, and bend these into fifty."""
    k = int(rng.integers(2, 8))
    y = _codes(rng, k, sizes(rng, 250), 0.08)
    Z = rng.normal(size=(k, 3))[y] * 2 + 0.35 * rng.normal(size=(y.size, 3))
    bent = np.tanh(Z @ rng.normal(size=(3, 40)) * 0.5) @ rng.normal(size=(40, 50))
    return bent + 0.5 * rng.normal(size=bent.shape), y


def cells(rng: Rng) -> Data:
    """Draw log counts of genes in cell types, in principal components."""
    k, p = int(rng.integers(2, 8)), 100
    y = _codes(rng, k, sizes(rng, 250), 0.06)
    rates = rng.gamma(1.5, 2, p) * np.exp(rng.normal(size=(k, p)) * (rng.random((k, p)) < 0.25) * 1.3)
    depth = rng.gamma(6, 1 / 6, (y.size, 1))
    X = np.log1p(rng.poisson(rates[y] * depth * rng.gamma(3, 1 / 3, (y.size, p))) / depth)
    u, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return (u * s)[:, :15], y


def spectra(rng: Rng) -> Data:
    k, at = int(rng.integers(2, 8)), np.linspace(0, 1, 80)
    y = _codes(rng, k, sizes(rng), 0.08)
    peaks = np.exp(-(((at - rng.uniform(0.05, 0.95, (12, 1))) / 0.03) ** 2))
    shape = rng.gamma(1, 1, (k, 12)) @ peaks
    X = shape[y] * rng.gamma(30, 1 / 30, (y.size, 1)) + 0.25 * rng.normal(size=(y.size, 80))
    return X + rng.normal(size=(y.size, 1)) * 0.3 * at, y


def answers_of_classes(rng: Rng) -> Data:
    k, items = int(rng.integers(2, 6)), int(rng.integers(10, 21))
    y = _codes(rng, k, sizes(rng, 250), 0.1)
    latent = rng.normal(size=(k, items))[y] * 1.2 + rng.normal(size=(y.size, 1)) * 0.3
    return np.clip(np.rint(latent + 0.7 * rng.normal(size=latent.shape) + 3), 1, 5), y


def hot_spots(rng: Rng) -> Data:
    k = int(rng.integers(3, 10))
    y = _codes(rng, k, sizes(rng, 300), 0.05)
    where = rng.uniform(0, 10, (k, 2))
    X = where[y] + rng.uniform(0.15, 0.5, k)[y][:, None] * rng.normal(size=(y.size, 2))
    noise = rng.uniform(0, 10, (int(y.size * rng.uniform(0.05, 0.2)), 2))
    return np.r_[X, noise], np.r_[y, np.full(len(noise), -1)]


def communities(rng: Rng) -> Data:
    k = int(rng.integers(2, 7))
    y = _codes(rng, k, sizes(rng), 0.1)
    inside = y[:, None] == y
    joined = np.triu(rng.random(inside.shape) < np.where(inside, rng.uniform(0.25, 0.4), 0.05), 1)
    values, vectors = np.linalg.eigh((joined | joined.T).astype(float))
    return vectors[:, -(k + 2) :] * np.sqrt(np.abs(values[-(k + 2) :])), y


def skewed_copula(rng: Rng) -> Data:
    k, p = int(rng.integers(2, 7)), 6
    y = _codes(rng, k, sizes(rng), 0.08)
    Z = rng.normal(size=(y.size, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)))
    return rng.normal(size=(k, p))[y] * 3 + np.exp(0.5 * Z), y


def bricks(rng: Rng) -> Data:
    """Draw uniform boxes side by side, with gaps."""
    k, gap = int(rng.integers(2, 8)), rng.uniform(0.25, 0.6)
    y = _codes(rng, k, sizes(rng), 0.08)
    side = 1 + (k > 4)
    corner = np.array([(j // side, j % side) for j in range(k)]) * (1 + gap)
    return corner[y] + rng.random((y.size, 2)) * (1, rng.uniform(0.6, 1)), y


def strings(rng: Rng) -> Data:
    """Draw parallel, elongated clusters."""
    k = int(rng.integers(2, 6))
    y = _codes(rng, k, sizes(rng), 0.1)
    return np.c_[y * rng.uniform(2.5, 4), np.zeros(y.size)] + rng.normal(size=(y.size, 2)) * (0.4, 1.6), y


WITH: tuple[Callable[[Rng], Data], ...] = (
    unequal_sizes, bent_space, cells, spectra, answers_of_classes, hot_spots, communities, skewed_copula, bricks,
    strings,
)  # fmt: skip


def laws(repeats: int, first: int = 0) -> Iterator[PointSet]:
    """Yield sets of each law in turn."""
    for turn in range(first, first + repeats):
        for place, without in enumerate(WITHOUT):
            X = without(np.random.default_rng([turn, place, 1]))
            yield PointSet(f"{without.__name__}_{turn}", without.__name__, "no clusters", X, ())
        for place, known in enumerate(WITH):
            X, y = known(np.random.default_rng([turn, place, 2]))
            yield PointSet(f"{known.__name__}_{turn}", known.__name__, known.__name__, X, (y,))
