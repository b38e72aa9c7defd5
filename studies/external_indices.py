"""What external indices reward: chance, the instances they need, what errors cost, and which of them are alike.

Partitions are generated under two laws, from one seed: one to choose indices by, and one to see whether the choice
holds. Seven clusterers on the bundled data sets show whether indices that are alike there are alike on real partitions,
too; a folder keeps them, with a report, and an interrupted study goes on from there. Writes the tables, the pictures
and the page docs/studies/external_indices.md:

    python studies/external_indices.py [--seed 1] [--draws 200] [--pairs 500] [--work external_indices]
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram, fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from sklearn.cluster import AgglomerativeClustering, Birch, KMeans
from sklearn.mixture import GaussianMixture

import adjudge
from adjudge import benchmark
from adjudge.displays import ContingencyDisplay
from adjudge.presentation.palette import EMPHASIS, INK
from tables import fill, percent, save, table

DOCS = Path(__file__).parents[1] / "docs" / "studies"
PAGE = DOCS / "external_indices.md"
Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Generator = np.random.Generator


@dataclass(frozen=True)
class Law:
    """How partitions are drawn."""

    #: Sizes of the classes for the drift by chance, and numbers of random clusters.
    sizes: tuple[int, ...]
    clusters: tuple[int, ...]
    #: Sizes of the classes in which two models are told apart.
    apart: tuple[int, ...]
    #: Instances, classes and evenness of the truths whose predictions are changed.
    n: int
    k: int
    evenness: float


LAWS = {
    "chosen": Law((80,) * 5, (2, 5, 10, 20, 50), (240, 80, 40, 24, 16), 400, 6, 2.0),
    "held out": Law(
        (200, 150, 100, 60, 40, 25, 15, 10), (2, 4, 8, 16, 40), (150, 150, 100, 60, 60, 40, 40), 600, 10, 1.0
    ),
}
# The standardised mutual information takes seconds for each table, and orders partitions nearly as `ami` does.
RECORDS = [r for r in adjudge.list_indices("external") if r.better and r.name != "smi"]
NAMES = [r.name for r in RECORDS]
# Orders that correlate above this are one group.
ALIKE = 0.97
# Standard errors that a difference must have to be found in 80 % of samples at level 0.05.
_BOTH = 1.96 + 0.84
#: Popular indices whose opposite answers are drawn.
OPPOSED = (
    ("adjusted_rand", "ami"), ("adjusted_rand", "adjusted_asymmetric_accuracy"), ("ami", "pivoted_accuracy"),
    ("rand", "adjusted_rand"),
)  # fmt: skip
Example = tuple[Ints, dict[str, Ints]]
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


def tree_of(values: Floats, columns: Sequence[int]) -> Floats:
    """Join indices that order pairs alike: average linkage of Spearman's correlation."""
    values = values[:, columns]
    ranks = np.array([rankdata(np.nan_to_num(own, nan=np.nanmin(own))) for own in values.T])
    apart = np.clip(1 - np.corrcoef(ranks), 0, 2)
    np.fill_diagonal(apart, 0)
    return linkage(squareform(apart, checks=False), "average")


def draw_tree(values: Floats) -> None:
    """Draw the tree of the indices that the page shows."""
    figure = Figure(figsize=(6.4, 5.0), layout="constrained")
    ax = figure.subplots()
    tree = tree_of(values, [NAMES.index(name) for name in SHOWN])
    dendrogram(
        tree, labels=list(SHOWN), orientation="right", ax=ax, color_threshold=0, above_threshold_color=INK
    )
    ax.axvline(1 - ALIKE, color=EMPHASIS, linewidth=0.8, linestyle="--")
    ax.set_xscale("symlog", linthresh=0.1)
    ax.set_xlim(2, 0)
    ax.set_xticks([0, 0.03, 0.1, 0.5, 1], ["1", "0.97", "0.9", "0.5", "0"])
    ax.set_xlabel("mean Spearman correlation")
    ax.tick_params(axis="y", labelsize=8, length=0)
    ax.spines[["top", "left", "right"]].set_visible(False)
    save(figure, "tree_of_external_indices.svg")


def drift(rng: Generator, draws: int, law: Law = LAWS["chosen"]) -> Floats:
    """Return how far the number of random clusters moves an index, in shares of the way from chance to the truth."""
    truth = np.repeat(np.arange(len(law.sizes)), law.sizes)
    means = [
        np.mean([scores(truth, rng.integers(0, k, truth.size)) for _ in range(draws)], axis=0)
        for k in law.clusters
    ]
    best = scores(truth, truth)
    return (np.max(means, axis=0) - np.min(means, axis=0)) / np.abs(best - means[1])


def drift_otherwise(rng: Generator, draws: int, law: Law) -> dict[str, Floats]:
    """Return how far an index moves among predictions of equal quality, and among random ones of other evenness.

    Of equal quality: 30 % of the instances go to random clusters, of as many as there are classes or of more.
    """
    truth = np.repeat(np.arange(len(law.sizes)), law.sizes)
    n, k = truth.size, len(law.sizes)
    made: dict[str, list[Callable[[], Ints]]] = {
        "equal quality": [partial(moved, rng, truth, 0.3, k * times) for times in (1, 2, 4, 10)],
        "evenness": [partial(partition, rng, n, 10, evenness) for evenness in (0.5, 2.0, 50.0)],
    }
    way = np.abs(
        scores(truth, truth) - np.mean([scores(truth, rng.integers(0, k, n)) for _ in range(draws)], axis=0)
    )
    found = {}
    for name, kinds in made.items():
        means = [np.mean([scores(truth, draw()) for _ in range(draws)], axis=0) for draw in kinds]
        found[name] = (np.max(means, axis=0) - np.min(means, axis=0)) / way
    return found


def needed(rng: Generator, draws: int, law: Law) -> Floats:
    """Return the instances that tell models with 15 % and 20 % misplaced apart in 80 % of samples, at level 0.05."""
    truth = np.repeat(np.arange(len(law.apart)), law.apart)
    off = np.array(
        [scores(truth, moved(rng, truth, 0.15)) - scores(truth, moved(rng, truth, 0.2)) for _ in range(draws)]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return truth.size * (_BOTH * off.std(axis=0, ddof=1) / off.mean(axis=0)) ** 2


def needed_by_influence(rng: Generator, law: Law) -> Floats:
    """Return the same as one large sample predicts it, from the interval that influence gives the difference."""
    truth = np.repeat(np.arange(len(law.apart)), 250 * np.array(law.apart))
    models = {"better": moved(rng, truth, 0.15), "worse": moved(rng, truth, 0.2)}
    found = adjudge.compare(truth, models, indices=NAMES, kind="clustering", confidence=0.95)
    differences = found["better", "worse"].differences
    needs = np.full(len(NAMES), math.nan)
    for i, own in enumerate(differences[name] for name in NAMES):
        if own.low is not None and own.high is not None:
            error = (own.high - own.low) / (2 * 1.96)
            needs[i] = truth.size * (_BOTH * error / (own.first - own.second)) ** 2
    return needs


def reactions(rng: Generator, draws: int, law: Law) -> dict[str, Floats]:
    """Return what each change of a prediction costs, in shares of the way from chance to the truth."""
    found: dict[str, list[Floats]] = {name: [] for name in CHANGES}
    for _ in range(draws):
        truth = np.unique(partition(rng, law.n, law.k, law.evenness), return_inverse=True)[1]
        pred = np.unique(moved(rng, truth, 0.1), return_inverse=True)[1]
        before, best = scores(truth, pred), scores(truth, truth)
        by_chance = np.mean([scores(truth, rng.permutation(truth)) for _ in range(3)], axis=0)
        for name, change in CHANGES.items():
            found[name].append((before - scores(truth, change(rng, pred))) / (best - by_chance))
    return {name: np.mean(own, axis=0) for name, own in found.items()}


def opposite(rng: Generator, draws: int) -> tuple[Floats, dict[tuple[str, str], Example]]:
    """Return how often indices order two predictions against the adjusted Rand index, and the plainest examples."""
    place, against = NAMES.index("adjusted_rand"), []
    plainest: dict[tuple[str, str], tuple[float, Example]] = {}
    for _ in range(draws):
        truth, one = random_pair(rng)
        two = split(rng, moved(rng, truth, float(rng.random() * 0.9)))
        values = scores(truth, one), scores(truth, two)
        off = values[0] - values[1]
        against.append(np.sign(off) * np.sign(off[place]) < 0)
        for pair in OPPOSED:
            first, second = (off[NAMES.index(name)] for name in pair)
            apart = min(abs(first), abs(second)) if first * second < 0 and truth.max() < 8 else 0.0
            if apart > plainest.get(pair, (0.0,))[0]:
                plainest[pair] = apart, (truth, {"one": one, "two": two})
    return np.mean(against, axis=0), {pair: example for pair, (_, example) in plainest.items()}


def draw_opposed(examples: Mapping[tuple[str, str], Example]) -> str:
    """Draw each example, and return the captions in Markdown."""
    parts = []
    for pair, (truth, preds) in examples.items():
        both = {
            name: adjudge.evaluate(truth, own, indices=pair, kind="clustering") for name, own in preds.items()
        }
        a, b = ("one", "two") if both["one"][pair[0]] > both["two"][pair[0]] else ("two", "one")
        names = ["preferred by " + pair[0], "truth", "preferred by " + pair[1]]
        file = f"opposed_{'_'.join(pair)}.svg"
        display = ContingencyDisplay.from_predictions(preds[a], {"truth": truth, "b": preds[b]}, names=names)
        save(display.plot(figsize=(6.4, 3.0)).figure_, file)
        said = [f"{name} {both[a][name]:.2f} against {both[b][name]:.2f}" for name in pair]
        parts.append(f"![{said[0]}, {said[1]}](images/{file})\n\n*Left against right: {said[0]}, {said[1]}.*")
    return "\n\n".join(parts)


def on_suite(work: Path) -> tuple[Floats, int]:
    """Return all indices of seven clusterings of each bundled data set, as ranks within it, and how many there are."""
    made = {
        "k-means": KMeans(n_init=3),
        "Gaussian mixture": GaussianMixture(),
        "Birch": Birch(),
        **{name: AgglomerativeClustering(linkage=name) for name in ("ward", "average", "complete", "single")},
    }
    found = benchmark.run(made, "bundled", work=work, score="adjusted_rand", progress=False)
    adjudge.report(benchmark=found, output=work / "report.html")
    suite, ranks = benchmark.suite(), []
    labels: dict[str, list[Ints]] = {}
    for file in sorted(work.glob("*.json")):
        facts = json.loads(file.read_text("utf-8"))
        rows = pq.read_table(file.with_suffix(".parquet")).to_pandas().sort_values("row")
        labels.setdefault(facts["task"].split()[0], []).append(rows["label"].to_numpy())
    for name, preds in labels.items():
        known = suite[name].y != suite[name].noise if suite[name].noise is not None else slice(None)
        values = np.array([scores(suite[name].y[known], own[known]) for own in preds])
        ranks.append(rankdata(np.nan_to_num(values, nan=-math.inf), axis=0) - (len(preds) + 1) / 2)
    return np.vstack(ranks), sum(map(len, labels.values()))


def alike_there(ranks: Floats, own: dict[str, int]) -> tuple[float, float]:
    """Return the mean correlation on the suite of indices of one group, and of any two."""
    spread = ranks.std(axis=0) > 0
    found = np.corrcoef(ranks[:, spread].T)
    group = np.array([own[name] for name in NAMES])[spread]
    pairs = np.triu(np.ones(found.shape, bool), 1)
    same = (group[:, None] == group) & pairs
    return float(found[same].mean()), float(found[pairs].mean())


def counted(value: float) -> str:
    """Write a number of instances."""
    return f"{value:,.0f}" if math.isfinite(value) else "-"


def write_page(facts: dict[str, dict[str, Any]], parts: dict[str, str], options: argparse.Namespace) -> None:
    """Fill the page: the groups, one row for each index that people cite, and other parts."""
    by_group: dict[int, list[str]] = {}
    for name in NAMES:
        by_group.setdefault(facts[name]["group"], []).append(name)
    together = sorted((own for own in by_group.values() if len(own) > 1), key=len, reverse=True)
    rows = [
        [
            f"[{name}](../indices/{name}.md)",
            percent(facts[name]["drift"]),
            *(counted(facts[name][way]) for way in ("needed", "needed by influence")),
            *(percent(facts[name][change]) for change in CHANGES),
            *(percent(facts[name][fact]) for fact in ("opposite", "equal quality", "evenness")),
        ]
        for name in SHOWN
    ]
    header = [
        "index",
        "drift by chance",
        "instances needed",
        "by influence",
        *CHANGES,
        "against ARI",
        "equal quality",
        "evenness",
    ]
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
            **parts,
        },
    )


def main() -> None:
    """Run the study, and write its table and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--work", type=Path, default=Path("external_indices"))
    options = parser.parse_args()
    facts: dict[str, dict[str, dict[str, Any]]] = {}
    for (half, law), seeds in zip(LAWS.items(), np.random.SeedSequence(options.seed).spawn(2), strict=True):
        streams = [np.random.default_rng(own) for own in seeds.spawn(7)]
        values = np.array([scores(*random_pair(streams[0])) for _ in range(options.pairs)])
        against, examples = opposite(streams[4], options.pairs)
        own = {
            "group": fcluster(tree_of(values, range(len(NAMES))), 1 - ALIKE, "distance"),
            "drift": drift(streams[1], options.draws // 4, law),
            "needed": needed(streams[2], 10 * options.draws, law),
            "needed by influence": needed_by_influence(streams[5], law),
            "opposite": against,
            **reactions(streams[3], options.draws, law),
            **drift_otherwise(streams[6], options.draws // 4, law),
        }
        facts[half] = {
            name: {fact: found[i].item() for fact, found in own.items()} for i, name in enumerate(NAMES)
        }
        if half == "chosen":
            drawn = draw_opposed(examples)
            draw_tree(values)
        print(half, flush=True)
    with (DOCS / "external_indices.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["half", "index", *own])
        for half, found in facts.items():
            writer.writerows([half, name, *(f"{v:.6g}" for v in found[name].values())] for name in NAMES)
    ranks, count = on_suite(options.work)
    same, any_two = alike_there(ranks, {name: facts["chosen"][name]["group"] for name in NAMES})
    said = (
        f"On {count} clusterings of the bundled data sets, two indices of one line order the clusterings of a data set "
        f"with a mean correlation of {same:.2f}; any two indices, with {any_two:.2f}."
    )
    write_page(facts["chosen"], {"suite": said, "opposed": drawn}, options)


if __name__ == "__main__":
    main()
