"""Gagolewski, external cluster validity measures: the worked example and a figure like Figure 10."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.catalog import find_index
from adjudge.indices.matching import normalized_confusion_matrix, normalizing_permutation
from adjudge.presentation.tables import Table
from adjudge_papers.facts import load_facts
from adjudge_papers.figures import grid, scatter
from adjudge_papers.reproduction import Reproduction
from adjudge_papers.verdicts import DIFFERS, EXACT, Cell, Finding, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["reproduce"]

MEASURES = {
    "PA": "pivoted_accuracy",
    "NA": "normalized_accuracy",
    "AAA": "adjusted_asymmetric_accuracy",
    "PS": "pair_sets_index",
    "SPS": "simplified_pair_sets_index",
    "R": "rand",
    "AR": "adjusted_rand",
    "FM": "fowlkes_mallows",
    "AFM": "adjusted_fowlkes_mallows",
    "MI": "mutual_information",
    "NMI": "nmi",
    "AMI": "ami",
}
GENIECLUST = {
    "NA": "npa",
    "AAA": "nca",
    "PS": "psi",
    "SPS": "spsi",
    "R": "r",
    "AR": "ar",
    "FM": "fm",
    "AFM": "afm",
    "MI": "mi",
    "NMI": "nmi",
    "AMI": "ami",
}

Labels = NDArray[np.int64]


def reproduce(random_state: int = 0) -> Reproduction:
    """Recompute the page's example matrix, and cluster a benchmark set and measure the partitions.

    Parameters
    ----------
    random_state : int, default 0
        Seed of the clustering algorithms.
    """
    facts = load_facts("gagolewski")
    example = facts["example"]
    points, truth = np.array(example["points"]), np.array(example["labels"])
    partitions = _cluster(points, len(np.unique(truth)), random_state)
    measured = {name: _measure(truth, found) for name, found in partitions.items()}
    rows = tuple((name, *(values[m] for m in MEASURES)) for name, values in measured.items())
    confusion = np.array(facts["confusion"])
    return Reproduction(
        name="gagolewski",
        title="External validity measures: the worked example and a benchmark set",
        source=facts["source"],
        cells=tuple(_worked_example(facts["printed"], confusion)),
        findings=(_pair_names(confusion), _lowest_values()),
        tables={
            "worked_example_measures": _worked_measures(confusion),
            "benchmark_measures": Table(
                ("algorithm", *MEASURES), rows, f"Measures on {example['name']} against its reference"
            ),
        },
        figures={"figure_10_partitions": _figure(points, truth, partitions, measured)},
        notes=(
            "Figure 10 shows wut/x2, whose files name no licence. Our figure shows the first two of three coordinates "
            f"of another set of the same collection. {example['source']}",
            "The numbers in Figure 10 are part of an image, and we have only the text.",
        ),
        settings={"random_state": random_state, "algorithms": ", ".join(partitions)},
    )


def _worked_example(printed: Mapping[str, Any], confusion: Labels) -> list[Cell]:
    normalised = confusion / confusion.sum(1, keepdims=True)
    order = normalizing_permutation(confusion, criterion="adjusted_asymmetric_accuracy") + 1
    reordered = normalized_confusion_matrix(confusion, criterion="adjusted_asymmetric_accuracy")
    cells = []
    for title, text, ours in (
        ("Matrix with rows normalised", printed["normalised"], normalised),
        ("Matrix with columns reordered", printed["reordered"], reordered),
    ):
        for i, row in enumerate(text):
            for j, value in enumerate(row):
                found = float(ours[i, j])
                verdict = judge(value.removesuffix("."), found, 2)
                cells.append(Cell(title, f"row {i + 1}", f"column {j + 1}", value, found, verdict))
    for j, (value, found) in enumerate(zip(printed["permutation"], order.tolist(), strict=True)):
        verdict = EXACT if int(value) == found else DIFFERS
        cells.append(
            Cell("Normalising permutation", "order", f"position {j + 1}", value, float(found), verdict)
        )
    return cells


def _measure(truth: Any, found: Any = None) -> dict[str, float]:
    return {short: find_index(name)(truth, found) for short, name in MEASURES.items()}


def _worked_measures(confusion: Labels) -> Table:
    """Tabulate our measures of the example matrix, beside those of genieclust if it is installed."""
    ours = _measure(confusion)
    theirs = _genieclust(confusion)
    rows = tuple((short, name, ours[short], theirs.get(short)) for short, name in MEASURES.items())
    return Table(
        ("measure", "index", "adjudge", "genieclust"), rows, "Measures of the worked confusion matrix"
    )


def _genieclust(confusion: Labels) -> dict[str, float]:
    if find_spec("genieclust") is None:
        return {}
    from genieclust import compare_partitions

    found = compare_partitions.compare_partitions(confusion)
    return {short: float(found[name]) for short, name in GENIECLUST.items()}


def _pair_names(confusion: Labels) -> Finding:
    """Check which discordant count the page's formulas for NY and YN each give."""
    from adjudge.statistics.contingency import reduce_labels
    from adjudge.statistics.pair_counts import PairCounts

    counts = reduce_labels(confusion).statistic(PairCounts)
    joined_true = sum(int(n) * (int(n) - 1) // 2 for n in confusion.sum(1))
    formula = joined_true - counts.yy
    return Finding(
        "NY, the pairs that are apart in y and joined in y-hat, is sum C(c_i., 2) - YY",
        formula == counts.ny,
        f"for the example that sum is {formula}, which is the number of pairs joined in y and apart in y-hat "
        f"({counts.yn}); those apart in y and joined in y-hat are {counts.ny}: the two formulas are swapped",
    )


def _lowest_values() -> Finding:
    """Check the page's expected Rand index of random partitions of many points."""
    k, n = 4, 100_000
    rng = np.random.default_rng(0)
    rand = find_index("rand")(rng.integers(k, size=n), rng.integers(k, size=n))
    claimed = 1 - 2 * (k - 1) / k**2
    return Finding(
        "For many points, Rand of random k-partitions is expected to be 1 - 2 (k - 1) / k^2",
        abs(rand - claimed) < 1e-3,
        f"k = {k}, n = {n:,}: {rand:.4f}, the formula gives {claimed:.4f}",
    )


def _cluster(X: NDArray[np.float64], k: int, random_state: int) -> dict[str, Labels]:
    from sklearn.cluster import AgglomerativeClustering, Birch, KMeans, SpectralClustering
    from sklearn.mixture import GaussianMixture

    estimators: dict[str, Any] = {
        "K-means": KMeans(k, n_init=10, random_state=random_state),
        "Gaussian mixture": GaussianMixture(k, n_init=10, random_state=random_state),
        "Spectral": SpectralClustering(k, gamma=5, random_state=random_state),
        "Birch": Birch(threshold=0.05, n_clusters=k),
        "Ward": AgglomerativeClustering(k, linkage="ward"),
        "Average linkage": AgglomerativeClustering(k, linkage="average"),
        "Single linkage": AgglomerativeClustering(k, linkage="single"),
    }
    if find_spec("genieclust") is not None:
        from genieclust import Genie

        estimators = {"Genie": Genie(n_clusters=k), **estimators}
    return {name: np.asarray(e.fit_predict(X), np.int64) for name, e in estimators.items()}


def _figure(
    points: NDArray[np.float64],
    truth: Labels,
    partitions: Mapping[str, Labels],
    measured: Mapping[str, Mapping[str, float]],
) -> Callable[[], Figure]:
    def draw() -> Figure:
        columns = 3
        figure, axes = grid(-(-(len(partitions) + 1) // columns), columns, 3.4, 4.0)
        panels = axes.ravel()
        for ax, (name, found) in zip(panels, {"Reference": truth, **partitions}.items(), strict=False):
            ordered = normalized_confusion_matrix(truth, found)
            scatter(ax, points, _named_by_match(truth, found))
            ax.set_title(name, fontsize=9)
            text = "\n".join("  ".join(f"{c:4d}" for c in row) for row in ordered)
            if name in measured:
                scores = [
                    f"{short} {measured[name][short]:.2f}" for short in ("AR", "FM", "NMI", "PS", "NA", "AAA")
                ]
                text += "\n" + "  ".join(scores[:3]) + "\n" + "  ".join(scores[3:])
            ax.set_xlabel(text, fontsize=7, family="monospace")
        for ax in panels[len(partitions) + 1 :]:
            ax.set_visible(False)
        return figure

    return draw


def _named_by_match(truth: Labels, found: Labels) -> Labels:
    """Give clusters the numbers of their matched true clusters, so that colours correspond."""
    _, codes = np.unique(found, return_inverse=True)
    place = np.argsort(normalizing_permutation(truth, found))
    named: Labels = place[codes]
    return named
