"""What external indices reward: chance, the instances they need, what errors cost, and which of them are alike.

All partitions are generated, from one seed. Writes the tables and the page docs/studies/external_indices.md:

    python studies/external_indices.py [--seed 1] [--draws 200] [--pairs 500]
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

import adjudge
from tables import fill, percent, table

DOCS = Path(__file__).parents[1] / "docs" / "studies"
PAGE = DOCS / "external_indices.md"
Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Generator = np.random.Generator

# The standardised mutual information takes seconds for each table, and orders partitions nearly as `ami` does.
RECORDS = [r for r in adjudge.list_indices("external") if r.better and r.name != "smi"]
NAMES = [r.name for r in RECORDS]
# Orders that correlate above this are one group.
ALIKE = 0.97
SHOWN = (
    "adjusted_rand", "rand", "jaccard", "fowlkes_mallows", "pair_f", "ami", "nmi", "v_measure",
    "variation_of_information", "homogeneity", "completeness", "purity", "inverse_purity", "bcubed_f",
    "pivoted_accuracy", "adjusted_asymmetric_accuracy", "pair_sets_index", "van_dongen", "element_centric",
    "lea_f", "muc_f", "ceaf_e", "exact_cluster_f", "rmi",
)  # fmt: skip


def scores(truth: Ints, pred: Ints) -> Floats:
    """Return all indices, turned so that higher is better."""
    found = adjudge.evaluate(truth, pred, indices=NAMES, kind="clustering")
    return np.array([found[r.name] * (1 if r.better == "higher" else -1) for r in RECORDS])


def partition(rng: Generator, n: int, k: int, evenness: float) -> Ints:
    """Return labels of k clusters; a larger evenness makes their sizes more alike."""
    return rng.choice(k, n, p=rng.dirichlet([evenness] * k))


def moved(rng: Generator, labels: Ints, share: float, k: int | None = None) -> Ints:
    """Move a share of the instances to random clusters."""
    k = int(labels.max()) + 1 if k is None else k
    return np.where(rng.random(labels.size) < share, rng.integers(0, k, labels.size), labels)


def split(rng: Generator, labels: Ints) -> Ints:
    """Split the largest cluster at random."""
    largest = np.bincount(labels).argmax()
    return np.where((labels == largest) & (rng.random(labels.size) < 0.5), labels.max() + 1, labels)


def merged(rng: Generator, labels: Ints) -> Ints:
    """Merge the two largest clusters."""
    first, *others = np.argsort(-np.bincount(labels))
    return np.where(labels == others[0], first, labels) if others else labels


def alone(rng: Generator, labels: Ints) -> Ints:
    """Make each of a tenth of the instances a cluster of its own."""
    chosen = rng.random(labels.size) < 0.1
    return np.where(chosen, labels.max() + 1 + np.arange(labels.size), labels)


def into_largest(rng: Generator, labels: Ints) -> Ints:
    """Move a tenth of the instances into the largest cluster."""
    return np.where(rng.random(labels.size) < 0.1, np.bincount(labels).argmax(), labels)


def without_smallest(rng: Generator, labels: Ints) -> Ints:
    """Merge the smallest cluster into the largest."""
    sizes = np.bincount(labels)
    return np.where(labels == sizes.argmin(), sizes.argmax(), labels)


def as_many(rng: Generator, labels: Ints) -> Ints:
    """Move as many instances, out of the largest cluster into the second."""
    sizes = np.bincount(labels)
    largest, second = np.argsort(-sizes)[:2]
    chosen = rng.permutation(np.flatnonzero(labels == largest))[: sizes.min()]
    return np.where(np.isin(np.arange(labels.size), chosen), second, labels)


CHANGES: dict[str, Callable[[Generator, Ints], Ints]] = {
    "split": split,
    "merge": merged,
    "move": lambda rng, labels: moved(rng, labels, 0.1),
    "alone": alone,
    "into largest": into_largest,
    "lose the smallest": without_smallest,
    "move as many": as_many,
}


def random_pair(rng: Generator) -> tuple[Ints, Ints]:
    """Return a truth and a prediction of any quality."""
    truth = partition(rng, 400, int(rng.choice([2, 3, 5, 8, 12, 20])), float(rng.choice([0.7, 2, 50])))
    truth = np.unique(truth, return_inverse=True)[1]
    pred = moved(rng, truth, float(rng.random() * 0.9), int(truth.max()) + 1 + int(rng.integers(0, 4)))
    for _ in range(int(rng.integers(0, 4))):
        pred = (split, merged)[int(rng.integers(0, 2))](rng, np.unique(pred, return_inverse=True)[1])
    return truth, pred


def groups(values: Floats) -> dict[str, int]:
    """Group the indices by how they order the pairs: Spearman's correlation, average linkage."""
    ranks = np.array([rankdata(np.nan_to_num(own, nan=np.nanmin(own))) for own in values.T])
    apart = np.clip(1 - np.corrcoef(ranks), 0, 2)
    np.fill_diagonal(apart, 0)
    tree = linkage(squareform(apart, checks=False), "average")
    return dict(zip(NAMES, fcluster(tree, 1 - ALIKE, "distance").tolist(), strict=True))


def drift(rng: Generator, draws: int) -> Floats:
    """Return how far the number of random clusters moves an index, in shares of the way from chance to the truth."""
    truth = np.repeat(np.arange(5), 80)
    means = [
        np.mean([scores(truth, rng.integers(0, k, 400)) for _ in range(draws)], axis=0)
        for k in (2, 5, 10, 20, 50)
    ]
    best = scores(truth, truth)
    return (np.max(means, axis=0) - np.min(means, axis=0)) / np.abs(best - means[1])


def needed(rng: Generator, draws: int) -> Floats:
    """Return the instances that tell models with 15 % and 20 % misplaced apart in 80 % of samples, at level 0.05."""
    truth = np.repeat(np.arange(5), [240, 80, 40, 24, 16])
    off = np.array(
        [scores(truth, moved(rng, truth, 0.15)) - scores(truth, moved(rng, truth, 0.2)) for _ in range(draws)]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return 400 * ((1.96 + 0.84) * off.std(axis=0, ddof=1) / off.mean(axis=0)) ** 2


def reactions(rng: Generator, draws: int) -> dict[str, Floats]:
    """Return what each change of a prediction costs, in shares of the way from chance to the truth."""
    found: dict[str, list[Floats]] = {name: [] for name in CHANGES}
    for _ in range(draws):
        truth = np.unique(partition(rng, 400, 6, 2.0), return_inverse=True)[1]
        pred = np.unique(moved(rng, truth, 0.1), return_inverse=True)[1]
        before, best = scores(truth, pred), scores(truth, truth)
        by_chance = np.mean([scores(truth, rng.permutation(truth)) for _ in range(3)], axis=0)
        for name, change in CHANGES.items():
            found[name].append((before - scores(truth, change(rng, pred))) / (best - by_chance))
    return {name: np.mean(own, axis=0) for name, own in found.items()}


def opposite(rng: Generator, draws: int) -> Floats:
    """Return how often an index orders two predictions of one truth against the adjusted Rand index."""
    place, against = NAMES.index("adjusted_rand"), []
    for _ in range(draws):
        truth, one = random_pair(rng)
        off = scores(truth, one) - scores(truth, split(rng, moved(rng, truth, float(rng.random() * 0.9))))
        against.append(np.sign(off) * np.sign(off[place]) < 0)
    return np.mean(against, axis=0)


def write_page(facts: dict[str, dict[str, Any]], options: argparse.Namespace) -> None:
    """Fill the page: the groups, and one row for each index that people cite."""
    by_group: dict[int, list[str]] = {}
    for name in NAMES:
        by_group.setdefault(facts[name]["group"], []).append(name)
    together = sorted((own for own in by_group.values() if len(own) > 1), key=len, reverse=True)
    rows = [
        [
            f"[{name}](../indices/{name}.md)",
            percent(facts[name]["drift"]),
            "-" if not math.isfinite(facts[name]["needed"]) else f"{facts[name]['needed']:,.0f}",
            *(percent(facts[name][change]) for change in CHANGES),
            percent(facts[name]["opposite"]),
        ]
        for name in SHOWN
    ]
    header = ["index", "drift by chance", "instances needed", *CHANGES, "against ARI"]
    asked = f"--seed {options.seed} --draws {options.draws} --pairs {options.pairs}"
    command = f"python studies/external_indices.py {asked}"
    alone = sum(len(own) == 1 for own in by_group.values())
    listed = "\n".join(f"- {', '.join(own)}" for own in together)
    fill(
        PAGE,
        {
            "rows": table(rows, header),
            "groups": f"{listed}\n- {alone} others stand alone.",
            "command": f"```sh\n{command}\n```",
        },
    )


def main() -> None:
    """Run the study, and write its table and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=500)
    options = parser.parse_args()
    streams = np.random.default_rng(options.seed).spawn(5)
    values = np.array([scores(*random_pair(streams[0])) for _ in range(options.pairs)])
    own = {"group": groups(values), "drift": drift(streams[1], options.draws // 4)}
    own |= {"needed": needed(streams[2], options.draws), "opposite": opposite(streams[4], options.pairs)}
    own |= reactions(streams[3], options.draws)
    facts = {
        name: {
            fact: found[name] if isinstance(found, dict) else float(found[i]) for fact, found in own.items()
        }
        for i, name in enumerate(NAMES)
    }
    with (DOCS / "external_indices.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["index", *own])
        writer.writerows([name, *(f"{v:.6g}" for v in facts[name].values())] for name in NAMES)
    write_page(facts, options)


if __name__ == "__main__":
    main()
