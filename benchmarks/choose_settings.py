"""Which criterion finds the best settings: grids over unlike families of data, all criteria beside the truth.

``python benchmarks/choose_settings.py collect 12 values.pickle 300`` draws twelve sets of each family, with seeds from
300 on. ``... show values.pickle`` prints, for some ways to rank, the adjusted Rand index of what is chosen as a share
of the best in the grid. docs/guide/which_settings.md has the figures of seeds 300 to 311.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, special_ortho_group
from sklearn import datasets
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.neighbors import NearestNeighbors

import adjudge
from adjudge.choosing.assessing import assess, criteria_for
from adjudge.choosing.candidates import Candidate, coded_with_noise
from adjudge.given.point_options import PointOptions

Data = tuple[np.ndarray, np.ndarray]
Rng = np.random.Generator


def sizes(rng: Rng, low: int = 200) -> int:
    return int(rng.integers(low, 501))


def gauss(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 9)), int(rng.choice([2, 3, 5, 10])), sizes(rng)
    centres = rng.normal(size=(k, p)) * rng.uniform(3, 7) / np.sqrt(2 * p) * 1.5
    y, s = rng.integers(k, size=n), rng.uniform(0.6, 1.4, k)
    return centres[y] + s[y][:, None] * rng.normal(size=(n, p)) / np.sqrt(p) * 1.4, y


def heavy(rng: Rng) -> Data:
    X, y = gauss(rng)
    centres = np.array(
        [X[y == j].mean(axis=0) if (y == j).any() else X[0] * 0 for j in range(int(y.max()) + 1)]
    )
    return centres[y] * 1.2 + rng.standard_t(3, size=X.shape) * 0.35, y


def skew(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 7)), int(rng.choice([2, 3, 5])), sizes(rng)
    y = rng.integers(k, size=n)
    return rng.normal(size=(k, p))[y] * 3.2 + rng.gamma(1.5, 0.5, size=(n, p)), y


def moons(rng: Rng) -> Data:
    n, k = sizes(rng), int(rng.integers(2, 5))
    y, t = rng.integers(k, size=n), rng.uniform(0, np.pi, n)
    a = np.where(y % 2 == 0, np.cos(t), 1 - np.cos(t)) + 2.6 * (y // 2)
    b = np.where(y % 2 == 0, np.sin(t), 0.5 - np.sin(t))
    return np.c_[a, b] + rng.normal(scale=rng.uniform(0.03, 0.11), size=(n, 2)), y


def rings(rng: Rng) -> Data:
    n, k = sizes(rng, 250), int(rng.integers(2, 4))
    y, t = rng.integers(k, size=n), rng.uniform(0, 2 * np.pi, n)
    r = 1 + y * 1.2 + rng.normal(scale=rng.uniform(0.05, 0.15), size=n)
    return np.c_[r * np.cos(t), r * np.sin(t)], y


def spirals(rng: Rng) -> Data:
    n, k = sizes(rng, 250), int(rng.integers(2, 4))
    y, t = rng.integers(k, size=n), rng.uniform(0.6, 3, n)
    a = t * 2.2 + y * 2 * np.pi / k
    return np.c_[t * np.cos(a), t * np.sin(a)] + rng.normal(scale=rng.uniform(0.03, 0.08), size=(n, 2)), y


def noisy(rng: Rng) -> Data:
    X, y = gauss(rng) if rng.random() < 0.5 else moons(rng)
    X = X - X.min(axis=0)
    m = int(len(X) * rng.uniform(0.1, 0.4))
    far = rng.uniform(-0.1, 1.1, size=(m, X.shape[1])) * X.max(axis=0)
    return np.r_[X, far], np.r_[y, np.full(m, -1)]


def unequal(rng: Rng) -> Data:
    k, p = int(rng.integers(3, 9)), int(rng.choice([2, 3, 5]))
    counts = np.maximum(8, (rng.dirichlet(np.full(k, 0.7)) * sizes(rng, 300)).astype(int))
    y = np.repeat(np.arange(k), counts)
    centres, s = rng.normal(size=(k, p)) * 4.5, rng.uniform(0.3, 1.6, k)
    return centres[y] + s[y][:, None] * rng.normal(size=(len(y), p)), y


def nested(rng: Rng) -> Data:
    centres = []
    for _ in range(int(rng.integers(2, 4))):
        base = rng.normal(size=2) * 9
        centres += [base + rng.normal(size=2) * 2.4 for _ in range(int(rng.integers(2, 4)))]
    n = sizes(rng, 250)
    y = rng.integers(len(centres), size=n)
    return np.array(centres)[y] + rng.normal(size=(n, 2)) * 0.5, y


def elongated(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 6)), int(rng.choice([2, 3])), sizes(rng)
    y, centres = rng.integers(k, size=n), rng.normal(size=(k, p)) * 4
    turns = [
        special_ortho_group.rvs(p, random_state=rng) @ np.diag(rng.uniform(0.15, 1.8, p)) for _ in range(k)
    ]
    return np.array([centres[j] + turns[j] @ rng.normal(size=p) for j in y]), y


def balls(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 8)), int(rng.choice([2, 3, 4])), sizes(rng)
    y, centres = rng.integers(k, size=n), [rng.normal(size=p) * 2]
    while len(centres) < k:
        new = rng.normal(size=p) * 3
        if min(np.linalg.norm(new - old) for old in centres) > 2.2:
            centres.append(new)
    inside = rng.normal(size=(n, p))
    inside /= np.linalg.norm(inside, axis=1)[:, None]
    return np.array(centres)[y] + inside * rng.random(n)[:, None] ** (1 / p), y


def real(rng: Rng) -> Data:
    which = int(rng.integers(4))
    load = (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits)[which]
    X, y = load(return_X_y=True)
    rows = rng.choice(len(X), min(len(X), 400), replace=False)
    if which < 3:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    else:
        rows = rows[np.isin(y[rows], rng.choice(10, int(rng.integers(3, 9)), replace=False))]
        u, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        X = (u * s)[:, :12]
    rows = rng.permutation(rows)[: int(len(rows) * 0.8)]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


FAMILIES: dict[str, Callable[[Rng], Data]] = {
    f.__name__: f
    for f in (gauss, heavy, skew, moons, rings, spirals, noisy, unequal, nested, elongated, balls, real)
}
KS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15)
DENSITY = ("dbscan", "hdbscan")


def grids(X: np.ndarray, seed: int) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    reach = np.sort(NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X)[0][:, 5])
    shares = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    radii = [*np.quantile(reach, shares), reach[-1], reach[-1] * 1.5]
    yield "dbscan", {f"{e:.6g}": DBSCAN(eps=e, min_samples=5).fit_predict(X) for e in radii}
    least = (3, 5, 8, 10, 15, 20, 30, 50, 80)
    yield "hdbscan", {f"{m}": HDBSCAN(min_cluster_size=m, copy=True).fit_predict(X) for m in least}
    yield "kmeans", {f"{k}": KMeans(k, n_init=3, random_state=seed).fit_predict(X) for k in KS}
    for linkage in ("average", "single", "ward"):
        yield linkage, {f"{k}": AgglomerativeClustering(k, linkage=linkage).fit_predict(X) for k in KS}


def collect(repeats: int, path: Path, first: int) -> None:
    rows: list[dict[str, Any]] = []
    for seed in range(first, first + repeats):
        for number, (family, make) in enumerate(FAMILIES.items()):
            X, truth = make(np.random.default_rng([seed, number]))
            X = np.ascontiguousarray(X, float)
            records = criteria_for("all", X, "euclidean")
            for grid, labels in grids(X, seed):
                candidates = [Candidate(n, coded_with_noise(v, len(X), n, -1), v) for n, v in labels.items()]
                found = assess(X, candidates, records, PointOptions(n_jobs=1), "drop")
                rows.append(
                    {
                        "seed": seed,
                        "family": family,
                        "grid": grid,
                        "values": {n: list(v.values()) for n, v in found.values.items()},
                        "ari": [adjudge.adjusted_rand(truth, c.codes) for c in candidates],
                        "coverage": [c.coverage for c in candidates],
                        "clusters": [c.n_clusters for c in candidates],
                    }
                )
        path.write_bytes(pickle.dumps(rows))


def score(row: dict[str, Any], way: str) -> np.ndarray:
    """Score of each candidate: a criterion, its product with the coverage, or the consensus."""
    coverage = np.array(row["coverage"])
    if way == "consensus":
        near = ranks(score(row, "cvnn")) * coverage
        return near if coverage.min() == 1 else near + ranks(score(row, "gdi22") * coverage)
    name = way.removesuffix(" x coverage")
    record = adjudge.find_index(name)
    values = np.array(row["values"][record.name]) * (1 if record.better == "higher" else -1)
    if way == name:
        return values
    return ranks(values) * coverage if record.better == "lower" else values * coverage


def ranks(values: np.ndarray) -> np.ndarray:
    return np.asarray(rankdata(np.where(np.isnan(values), -np.inf, values)) - 1) / max(1, values.size - 1)


WAYS = (
    "consensus", "gdi23 x coverage", "cvnn x coverage", "silhouette x coverage", "dbcv", "dbcv x coverage",
    "calinski_harabasz", "silhouette",
)  # fmt: skip


def show(path: Path) -> None:
    rows = [row for row in pickle.loads(path.read_bytes()) if max(row["ari"]) >= 0.3]
    print(f"{len(rows)} grids of {len({(r['seed'], r['family']) for r in rows})} data sets")
    for way in WAYS:
        shares: dict[bool, dict[str, list[float]]] = {True: defaultdict(list), False: defaultdict(list)}
        for row in rows:
            found = score(row, way)
            known = np.where(np.isnan(found) | (np.array(row["clusters"]) < 2), -np.inf, found)
            best = max(range(len(known)), key=lambda i: (known[i], row["coverage"][i]))
            shares[row["grid"] in DENSITY][row["family"]].append(max(0, row["ari"][best]) / max(row["ari"]))
        means = {d: {f: np.mean(v) for f, v in own.items()} for d, own in shares.items()}
        cells = [f"{np.mean(list(m.values())):.2f} (worst {min(m.values()):.2f})" for m in means.values()]
        print(f"{way:24s} density {cells[0]}   sweeps {cells[1]}")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1] == "collect":
        collect(int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0)
    else:
        show(Path(sys.argv[2]))
