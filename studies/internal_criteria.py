"""Which internal criterion finds the best of many clusterings, by the shape of the clusters.

Twelve families of data; k-means, Ward, Gaussian mixtures, spectral clustering and HDBSCAN give the candidates. Six
families are for choosing a criterion, and six to see whether the choice holds. Writes the table and fills the page
docs/studies/internal_criteria.md:

    python studies/internal_criteria.py [--seed 1] [--repetitions 8]
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import adjudge
from tables import fill, table

PAGE = Path(__file__).parents[1] / "docs" / "studies" / "internal_criteria.md"
Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Generator = np.random.Generator
Data = tuple[Floats, Ints]

N = 240
NAMES = (
    "silhouette", "simplified_silhouette", "calinski_harabasz", "davies_bouldin", "dunn", "gdi22", "gdi53",
    "c_index", "gamma", "tau", "point_biserial", "pbm", "ray_turi", "s_dbw", "sd_validity", "wb_index", "xie_beni",
    "mcclain_rao", "dbcv", "connectivity", "aucc",
)  # fmt: skip
RECORDS = [adjudge.find_index(name, "internal") for name in NAMES]


def normal(rng: Generator, sizes: list[int], spreads: list[float], distance: float, p: int = 2) -> Data:
    """Return round clusters whose centres lie at random, at least so far apart."""
    centres: list[Floats] = []
    while len(centres) < len(sizes):
        centre = rng.normal(size=p) * distance
        if all(np.linalg.norm(centre - own) > distance for own in centres):
            centres.append(centre)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return np.array(centres)[labels] + np.array(spreads)[labels, None] * rng.normal(
        size=(labels.size, p)
    ), labels


def evenly(k: int) -> list[int]:
    """Return the sizes of k even clusters."""
    return [N // k] * k


def stretched(rng: Generator) -> Data:
    """Return long clusters in parallel."""
    points, labels = normal(rng, evenly(3), [1.0] * 3, 5)
    return points * [0.35, 1.0] + np.column_stack([np.zeros(N), 3 * rng.normal(size=N)]), labels


def heavy(rng: Generator) -> Data:
    """Return clusters with the tails of Student's t with 3 degrees of freedom."""
    points, labels = normal(rng, evenly(4), [0.0] * 4, 8)
    return points + rng.standard_t(3, size=points.shape), labels


def arcs(rng: Generator) -> Data:
    """Return two half circles that reach into each other."""
    angle, labels = rng.random(N) * np.pi, np.repeat([0, 1], N // 2)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    points[labels == 1] = [1, 0.4] - points[labels == 1]
    return points + 0.08 * rng.normal(size=(N, 2)), labels


def rings(rng: Generator) -> Data:
    """Return a ring around a ball."""
    angle, labels = rng.random(N) * 2 * np.pi, np.repeat([0, 1], [N // 3, 2 * N // 3])
    radius = np.where(labels == 0, 0.5 * np.sqrt(rng.random(N)), 2 + 0.15 * rng.normal(size=N))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), labels


def spirals(rng: Generator) -> Data:
    """Return two arms of a spiral."""
    turn, labels = 1 + 4 * np.sqrt(rng.random(N)), np.repeat([0, 1], N // 2)
    angle = turn * 1.4 + np.pi * labels
    return np.column_stack([turn * np.cos(angle), turn * np.sin(angle)]) + 0.12 * rng.normal(
        size=(N, 2)
    ), labels


def squares(rng: Generator) -> Data:
    """Return even squares with gaps between them."""
    labels = np.repeat(np.arange(4), N // 4)
    return np.column_stack([labels % 2, labels // 2]) * 1.3 + rng.random((N, 2)), labels


def noisy(rng: Generator) -> Data:
    """Return round clusters in a tenth of scattered points, which are a class of their own."""
    points, labels = normal(rng, evenly(4), [0.7] * 4, 5)
    labels = labels.copy()
    scattered = rng.permutation(N)[: N // 10]
    low, high = points.min(axis=0), points.max(axis=0)
    points[scattered], labels[scattered] = low + rng.random((scattered.size, 2)) * (high - low), 4
    return points, labels


def many_columns(rng: Generator) -> Data:
    """Return round clusters in five columns, beside fifteen of noise."""
    points, labels = normal(rng, evenly(4), [1.0] * 4, 4, 5)
    return np.column_stack([points, rng.normal(size=(N, 15))]), labels


def skewed(rng: Generator) -> Data:
    """Return clusters with a long tail to one side."""
    points, labels = normal(rng, evenly(3), [0.0] * 3, 6)
    return points + rng.gamma(1.0, 1.2, size=points.shape), labels


#: The first six are for choosing, the others to see whether the choice holds.
FAMILIES: dict[str, Callable[[Generator], Data]] = {
    "round": lambda rng: normal(rng, evenly(4), [1.0] * 4, 4),
    "of uneven sizes": lambda rng: normal(rng, [150, 60, 20, 10], [1.0] * 4, 5),
    "stretched": stretched,
    "two arcs": arcs,
    "among noise": noisy,
    "in many columns": many_columns,
    "of uneven spread": lambda rng: normal(rng, evenly(3), [0.4, 1.0, 2.0], 6),
    "many": lambda rng: normal(rng, evenly(8), [0.7] * 8, 5),
    "heavy-tailed": heavy,
    "ring and ball": rings,
    "spirals": spirals,
    "squares": squares,
}
KNOWN = list(FAMILIES)[:6]


def candidates(points: Floats, seed: int) -> Iterator[Ints]:
    """Yield the labels of each clusterer, for two to eight clusters; HDBSCAN finds their number."""
    for k in range(2, 9):
        yield KMeans(k, n_init=5, random_state=seed).fit_predict(points)
        yield AgglomerativeClustering(k).fit_predict(points)
        yield AgglomerativeClustering(k, linkage="single").fit_predict(points)
        yield GaussianMixture(k, n_init=2, random_state=seed).fit_predict(points)
        yield SpectralClustering(k, affinity="nearest_neighbors", random_state=seed).fit_predict(points)
    for size in (5, 10, 20):
        yield HDBSCAN(min_cluster_size=size, copy=True).fit_predict(points)


def regrets(family: str, rng: Generator) -> dict[str, float]:
    """Return how much worse than the best candidate the choice of each criterion is, by the adjusted Rand index."""
    points, truth = FAMILIES[family](rng)
    points = StandardScaler().fit_transform(points)
    reached, values, kept = [], [], {}
    for labels in candidates(points, int(rng.integers(1 << 30))):
        if np.unique(labels[labels >= 0]).size < 2:
            continue
        found = adjudge.evaluate(X=points, labels=labels, indices=NAMES, noise="drop")
        values.append([found[r.name] * (1 if r.better == "higher" else -1) for r in RECORDS])
        kept[str(len(reached))] = labels
        reached.append(adjudge.adjusted_rand(truth, labels))
    best, table_of = max(reached), np.nan_to_num(np.array(values), nan=-math.inf)
    lost = {name: best - reached[int(np.argmax(table_of[:, i]))] for i, name in enumerate(NAMES)}
    consensus = adjudge.choose(points, kept, random_state=0, progress=False).ranking[0]
    return lost | {
        "consensus of choose": best - reached[int(consensus)],
        "any candidate": best - float(np.mean(reached)),
    }


def write_page(facts: dict[str, dict[str, float]], options: argparse.Namespace) -> None:
    """Fill the table of the page: the criteria that lose least on the first six families come first."""
    groups = {"known": KNOWN, "new": [own for own in FAMILIES if own not in KNOWN]}
    means = {
        name: {group: np.mean([facts[name][own] for own in of]) for group, of in groups.items()}
        for name in facts
    }
    order = sorted(facts, key=lambda name: means[name]["known"])
    rows = [
        [
            f"[{name}](../indices/{name}.md)" if name in NAMES else name,
            *(f"{means[name][group]:.2f}" for group in groups),
            *(f"{facts[name][own]:.2f}" for own in FAMILIES),
        ]
        for name in order
    ]
    command = f"python studies/internal_criteria.py --seed {options.seed} --repetitions {options.repetitions}"
    header = ["criterion", "mean of the first six", "mean of the others", *FAMILIES]
    fill(PAGE, {"rows": table(rows, header), "command": f"```sh\n{command}\n```"})


def main() -> None:
    """Run the study, and write its table and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=8)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    facts: dict[str, dict[str, float]] = {
        name: {} for name in (*NAMES, "consensus of choose", "any candidate")
    }
    for family, stream in zip(
        FAMILIES, np.random.default_rng(options.seed).spawn(len(FAMILIES)), strict=True
    ):
        found = [regrets(family, own) for own in stream.spawn(options.repetitions)]
        for name in facts:
            facts[name][family] = float(np.mean([own[name] for own in found]))
        print(family, flush=True)
    with PAGE.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["criterion", *FAMILIES])
        writer.writerows([name, *(f"{v:.6g}" for v in own.values())] for name, own in facts.items())
    write_page(facts, options)


if __name__ == "__main__":
    main()
