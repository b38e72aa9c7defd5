"""Which internal criterion finds the best of many clusterings, by the shape of the clusters.

Twelve families of data; k-means, Ward, Gaussian mixtures, spectral clustering and HDBSCAN give the candidates. Six
families are for choosing a criterion, and six to see whether the choice holds. Writes the tables and fills the page
docs/studies/internal_criteria.md. What is done is kept in a file, from which an interrupted study goes on:

    python studies/internal_criteria.py [--seed 1] [--repetitions 8] [--work internal_criteria.jsonl]
"""

from __future__ import annotations

import argparse
import csv
import json
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
from tables import fill, percent, table

PAGE = Path(__file__).parents[1] / "docs" / "studies" / "internal_criteria.md"
Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Generator = np.random.Generator
Data = tuple[Floats, Ints]

N = 240
#: Criteria that rank any two partitions; those that look for a bend need a sweep over numbers of clusters.
RECORDS = [r for r in adjudge.list_indices("internal") if r.best_k in ("max", "min")]
NAMES = [r.name for r in RECORDS]
#: What the page shows; the table has all.
SHOWN = (
    "silhouette", "simplified_silhouette", "calinski_harabasz", "davies_bouldin", "dunn", "gdi22", "gdi23", "gdi53",
    "c_index", "gamma", "tau", "point_biserial", "pbm", "ray_turi", "s_dbw", "sd_validity", "wb_index", "xie_beni",
    "mcclain_rao", "dbcv", "connectivity", "aucc", "wemmert_gancarski", "separation_index", "disco", "gdi12",
)  # fmt: skip
#: For this one, noise is what DBSCAN leaves over; for the others, it is in no cluster.
JUDGES_NOISE = ("disco",)
OTHERS = ("consensus of choose", "any candidate")
#: The criteria that voted for a number of clusters before there was a verdict; the smaller number wins a tie.
SEVEN = (
    "calinski_harabasz", "wemmert_gancarski", "gdi23", "ccc", "gdi13", "hartigan_drop", "log_det_ratio",
)  # fmt: skip
VOTERS = (
    *dict.fromkeys([*SEVEN, "krzanowski_lai", "cvnn", "silhouette", "davies_bouldin", "dunn", "ray_turi"]),
)
#: A partition is right from this adjusted Rand index on.
RIGHT = 0.8


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


def regrets(points: Floats, truth: Ints, seed: int, names: list[str]) -> dict[str, float]:
    """Return how much worse than the best candidate the choice of each criterion is, by the adjusted Rand index."""
    records = [r for r in RECORDS if r.name in names]
    reached, values, kept = [], [], {}
    for labels in candidates(points, seed):
        if np.unique(labels[labels >= 0]).size < 2:
            continue
        found: dict[str, float] = {}
        for noise in ("drop", "cluster"):
            asked = [r.name for r in records if (noise == "cluster") == (r.name in JUDGES_NOISE)]
            if asked:
                found |= adjudge.evaluate(X=points, labels=labels, indices=asked, noise=noise).values
        values.append([found[r.name] * (1 if r.better == "higher" else -1) for r in records])
        kept[str(len(reached))] = labels
        reached.append(adjudge.adjusted_rand(truth, labels))
    best, table_of = max(reached), np.nan_to_num(np.array(values), nan=-math.inf)
    lost = {r.name: best - reached[int(np.argmax(table_of[:, i]))] for i, r in enumerate(records)}
    consensus = adjudge.choose(points, kept, random_state=0, progress=False).ranking[0]
    return lost | {
        "consensus of choose": best - reached[int(consensus)],
        "any candidate": best - float(np.mean(reached)),
    }


def votes(points: Floats, truth: Ints, seed: int) -> list[dict[str, bool]]:
    """Return for k-means and for Ward which votes find a right number of clusters, if one is there to be found."""
    found = []
    for model in (KMeans(n_init=5, random_state=seed), AgglomerativeClustering()):
        choice = adjudge.choose_k(points, model, k=range(2, 11), indices=VOTERS, progress=False)
        reached = {k: adjudge.adjusted_rand(truth, labels) for k, labels in choice.labels.items()}
        accepted = {k for k, own in reached.items() if own >= max(RIGHT, max(reached.values()) - 0.02)}
        if not accepted:
            continue
        seven = [choice.votes[name] for name in SEVEN]
        most = max((k for k in seven if k), key=lambda k: (seven.count(k), -k), default=None)
        own = {"verdict": choice.likeliest, "seven votes": most, **choice.votes}
        found.append({name: k in accepted for name, k in own.items()})
    return found


def one(family: str, stream: Generator, known: dict[str, Any]) -> dict[str, Any]:
    """Return what one data set says of the criteria; what is known of it is not computed again."""
    points, truth = FAMILIES[family](stream)
    points, seed = StandardScaler().fit_transform(points), int(stream.integers(1 << 30))
    lost = known.get("lost", {})
    if missing := [name for name in NAMES if name not in lost]:
        lost = lost | regrets(points, truth, seed, missing)
    return {"lost": lost, "votes": known["votes"] if "votes" in known else votes(points, truth, seed)}


def study(seed: int, repetitions: int, work: Path) -> dict[str, list[dict[str, Any]]]:
    """Return what each data set of each family says; all that is done is kept in a file."""
    lines = work.read_text("utf-8").splitlines() if work.exists() else []
    done = {key: found for line in lines for key, found in json.loads(line).items()}
    results: dict[str, list[dict[str, Any]]] = {family: [] for family in FAMILIES}
    streams = np.random.default_rng(seed).spawn(len(FAMILIES))
    for family, stream in zip(FAMILIES, streams, strict=True):
        for i, own in enumerate(stream.spawn(repetitions)):
            key = f"{seed} {family} {i}"
            known = done.get(key, {})
            found = one(family, own, known)
            if found != known:
                with work.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({key: found}) + "\n")
            results[family].append(found)
        print(family, flush=True)
    return results


def halves(facts: dict[str, dict[str, float]], name: str) -> tuple[float, float]:
    """Return the mean over the families for choosing, and over those that were held out."""
    known = np.mean([facts[name][own] for own in KNOWN])
    return float(known), float(np.mean([v for own, v in facts[name].items() if own not in KNOWN]))


def hits(results: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """Return for each vote the share of right numbers of clusters, in both halves of the families."""
    groups = {True: [], False: []}
    for family, found in results.items():
        groups[family in KNOWN] += [own for each in found for own in each["votes"]]
    rows = []
    for name in groups[True][0]:
        shares = [np.mean([own[name] for own in groups[half]]) for half in (True, False)]
        rows.append((shares[1], [name, *(percent(float(share)) for share in shares)]))
    counted = ["numbers to be found", *(str(len(groups[half])) for half in (True, False))]
    return [row for _, row in sorted(rows, key=lambda own: -own[0])] + [counted]


def write_page(
    facts: dict[str, dict[str, float]], results: dict[str, list[dict[str, Any]]], options: argparse.Namespace
) -> None:
    """Fill the tables of the page: what loses least on the first six families comes first."""
    order = sorted((*SHOWN, *OTHERS), key=lambda name: halves(facts, name)[0])
    rows = [
        [
            f"[{name}](../indices/{name}.md)" if name in NAMES else name,
            *(f"{mean:.2f}" for mean in halves(facts, name)),
            *(f"{facts[name][own]:.2f}" for own in FAMILIES),
        ]
        for name in order
    ]
    command = f"python studies/internal_criteria.py --seed {options.seed} --repetitions {options.repetitions}"
    header = ["criterion", "mean of the first six", "mean of the others", *FAMILIES]
    parts = {
        "rows": table(rows, header),
        "votes": table(hits(results), ["vote", "first six families", "the others"]),
        "command": f"```sh\n{command}\n```",
    }
    fill(PAGE, parts)


def main() -> None:
    """Run the study, and write its tables and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=8)
    parser.add_argument("--work", type=Path, default=Path("internal_criteria.jsonl"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = study(options.seed, options.repetitions, options.work)
    facts = {
        name: {
            family: float(np.mean([own["lost"][name] for own in found])) for family, found in results.items()
        }
        for name in (*NAMES, *OTHERS)
    }
    with PAGE.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["criterion", *FAMILIES])
        writer.writerows([name, *(f"{v:.6g}" for v in own.values())] for name, own in facts.items())
    write_page(facts, results, options)


if __name__ == "__main__":
    main()
