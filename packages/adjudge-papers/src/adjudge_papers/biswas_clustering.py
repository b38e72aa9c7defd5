"""Biswas, Prayatul matrix for clustering: Tables I to III, Figures 2 and 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.presentation.tables import Table
from adjudge.results import Comparison
from adjudge_papers.biswas_clustering_findings import conclusions, contradictions
from adjudge_papers.facts import load_facts
from adjudge_papers.figures import grid, matrices_figure, scatter
from adjudge_papers.prayatul import class_scores, measure_cells
from adjudge_papers.reproduction import Reproduction
from adjudge_papers.verdicts import DIFFERS, MISPRINT, NOT_PRINTED, Cell, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ALGORITHMS", "reproduce"]

DATA = {"NC": "Noisy Circles", "NM": "Noisy Moons", "NS": "Aniso"}
N_CLUSTERS = {"NC": 2, "NM": 2, "NS": 3}
EPS = {"NC": 0.3, "NM": 0.3, "NS": 0.15}
ALGORITHMS = ("BIRCH", "DBSCAN", "KMeans", "Spectral")
TABLES = ("Table I", "Table II", "Table III")

Labels = dict[str, NDArray[np.int64]]


def reproduce(labels: Literal["recorded", "fresh"] = "recorded", random_state: int = 0) -> Reproduction:
    """Compare the four algorithms on the three data sets.

    Parameters
    ----------
    labels : {"recorded", "fresh"}, default "recorded"
        The partitions behind the printed tables, or those found by the installed scikit-learn.
    random_state : int, default 0
        Seed of the fresh partitions.
    """
    facts = load_facts("biswas_clustering")
    points, truth = make_data()
    if labels == "recorded":
        partitions = {data: _read_labels(rows) for data, rows in facts["labels"].items()}
        return _recorded(facts, points, partitions)
    if labels == "fresh":
        return _fresh(facts, points, truth, random_state)
    raise InputError(Option("labels", labels), " is not known: choose 'recorded' or 'fresh'")


def make_data() -> tuple[dict[str, NDArray[np.float64]], Labels]:
    """Draw the three data sets as the scikit-learn example does after ``np.random.seed(0)``."""
    from sklearn.datasets import make_blobs, make_circles, make_moons
    from sklearn.preprocessing import StandardScaler

    rng = np.random.RandomState(0)
    circles = make_circles(n_samples=1500, factor=0.5, noise=0.05, random_state=rng)
    moons = make_moons(n_samples=1500, noise=0.05, random_state=rng)
    blobs, blob_labels = make_blobs(n_samples=1500, random_state=170)
    aniso = blobs @ np.array([[0.6, -0.6], [-0.4, 0.8]]), blob_labels
    drawn = {"NC": circles, "NM": moons, "NS": aniso}
    points = {data: StandardScaler().fit_transform(X) for data, (X, _) in drawn.items()}
    return points, {data: np.asarray(y, np.int64) for data, (_, y) in drawn.items()}


def _read_labels(rows: Mapping[str, str]) -> Labels:
    codes = {letter: code for code, letter in enumerate("_abcdefgh", start=-1)}
    return {name: np.array([codes[c] for c in row], np.int64) for name, row in rows.items()}


def _compare(partitions: Labels) -> Comparison:
    from adjudge.verbs.compare import compare

    models = {name: found for name, found in partitions.items() if name != "G"}
    scores = ("nmi", "adjusted_rand", "ami", "rand")
    return compare(partitions["G"], models, kind="clustering", indices=scores)


def _recorded(
    facts: Mapping[str, Any], points: Mapping[str, NDArray[np.float64]], partitions: Mapping[str, Labels]
) -> Reproduction:
    compared = {data: _compare(found) for data, found in partitions.items()}
    cells = _table1(facts["table1"], compared, {a: a for a in ALGORITHMS}, "Table I")
    cells = [_mark_misprint(cell, facts["table1"]) for cell in cells]
    cells += _table2(facts["table2"], partitions, {a: a for a in ALGORITHMS}, "Table II")
    cells += _table3(compared, ALGORITHMS)
    return Reproduction(
        name="biswas-clustering",
        title="Prayatul matrix for clustering: the printed tables from the recorded partitions",
        source=facts["source"],
        cells=tuple(cells),
        findings=(*contradictions(facts["table1"], compared, partitions), *conclusions(compared, "KMeans")),
        tables={"prayatul_matrices": _counts_table(compared)},
        figures=_figures(points, partitions, compared, ALGORITHMS),
        notes=(
            f"The paper's KMeans is scikit-learn's MiniBatchKMeans: {facts['settings']['KMeans']}. "
            "Later versions find other partitions, so the labels were recorded.",
            "Table III is an image in the paper, and we have only its text: our values stand without printed ones.",
        ),
        settings=facts["settings"],
    )


def _fresh(
    facts: Mapping[str, Any], points: Mapping[str, NDArray[np.float64]], truth: Labels, random_state: int
) -> Reproduction:
    import sklearn

    partitions = {
        data: {"G": truth[data], **_cluster(X, N_CLUSTERS[data], EPS[data], random_state)}
        for data, X in points.items()
    }
    compared = {data: _compare(found) for data, found in partitions.items()}
    cells, findings = [], []
    for stand_in in ("MiniBatchKMeans", "KMeans"):
        names = {a: stand_in if a == "KMeans" else a for a in ALGORITHMS}
        cells += _table1(facts["table1"], compared, names, f"Table I with {stand_in}")
        cells += _table2(facts["table2"], partitions, names, f"Table II with {stand_in}")
        findings += conclusions(compared, stand_in)
    shown = ("BIRCH", "DBSCAN", "KMeans", "MiniBatchKMeans", "Spectral")
    cells += _table3(compared, shown)
    return Reproduction(
        name="biswas-clustering",
        title=f"Prayatul matrix for clustering: the experiment with scikit-learn {sklearn.__version__}",
        source=facts["source"],
        cells=tuple(cells),
        findings=tuple(findings),
        tables={"prayatul_matrices": _counts_table(compared)},
        figures=_figures(points, partitions, compared, shown),
        notes=(
            "The partitions are fresh, so the cells need not agree. The paper's conclusions are checked twice: with "
            "MiniBatchKMeans, which its program runs, and with KMeans, which its text names.",
        ),
        settings={"random_state": random_state, "scikit-learn": sklearn.__version__, "DBSCAN eps": EPS},
    )


def _cluster(X: NDArray[np.float64], k: int, eps: float, random_state: int) -> Labels:
    import warnings

    from sklearn.cluster import DBSCAN, Birch, KMeans, MiniBatchKMeans, SpectralClustering

    estimators = {
        "BIRCH": Birch(n_clusters=k),
        "DBSCAN": DBSCAN(eps=eps),
        "KMeans": KMeans(k, n_init=10, random_state=random_state),
        "MiniBatchKMeans": MiniBatchKMeans(k, n_init=3, random_state=random_state),
        "Spectral": SpectralClustering(
            k, eigen_solver="arpack", affinity="nearest_neighbors", random_state=random_state
        ),
    }
    with warnings.catch_warnings():
        # Two separate rings share no neighbours, which is what the method should find.
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        return {name: np.asarray(e.fit_predict(X), np.int64) for name, e in estimators.items()}


def _table1(
    printed: Mapping[str, Any], compared: Mapping[str, Comparison], names: Mapping[str, str], table: str
) -> list[Cell]:
    cells = []
    for data, primaries in printed.items():
        for primary, alternatives in primaries.items():
            for alternative, row in alternatives.items():
                pair = compared[data][names[primary], names[alternative]]
                cells += measure_cells(table, f"{data}: {pair.primary} vs {pair.alternative}", row, pair, 4)
    return cells


def _mark_misprint(cell: Cell, printed: Mapping[str, Any]) -> Cell:
    """Mark a sigma_c as a misprint if the reverse comparison contradicts it and shows what was meant."""
    if cell.verdict != DIFFERS or cell.column != "sigma_c":
        return cell
    data, _, pair = cell.row.partition(": ")
    primary, _, alternative = pair.partition(" vs ")
    reverse = printed[data][alternative][primary]["sigma_c"]
    meant = reverse.removeprefix("-") if reverse.startswith("-") else f"-{reverse}"
    if judge(meant, cell.ours, 4) == DIFFERS:
        return cell
    note = f"sigma_c(P, Q) = -sigma_c(Q, P), and the reverse cell prints {reverse}: this one must be {meant}"
    return Cell(cell.table, cell.row, cell.column, cell.printed, cell.ours, MISPRINT, note)


def _table2(
    printed: Mapping[str, Any], partitions: Mapping[str, Labels], names: Mapping[str, str], table: str
) -> list[Cell]:
    cells = []
    for data, algorithms in printed.items():
        for algorithm, row in algorithms.items():
            scores = class_scores(partitions[data]["G"], partitions[data][names[algorithm]])
            for measure, text in row.items():
                verdict = judge(text, scores[measure], 4)
                cells.append(
                    Cell(table, f"{data}: {names[algorithm]}", measure, text, scores[measure], verdict)
                )
    return cells


def _table3(compared: Mapping[str, Comparison], algorithms: tuple[str, ...]) -> list[Cell]:
    columns = {"NMI": "nmi", "ARI": "adjusted_rand", "AMI": "ami"}
    cells = []
    for data, comparison in compared.items():
        for algorithm in algorithms:
            for column, index in columns.items():
                value = comparison.scores[algorithm][index]
                cells.append(Cell("Table III", f"{data}: {algorithm}", column, "", value, NOT_PRINTED))
    return cells


def _counts_table(compared: Mapping[str, Comparison]) -> Table:
    rows = [
        (data, p.primary, p.alternative, p.both_right, p.right_wrong, p.wrong_right, p.both_wrong)
        for data, comparison in compared.items()
        for p in comparison
    ]
    return Table(("data", "primary", "alternative", "BR", "RW", "WR", "BW"), tuple(rows), "Prayatul matrices")


def _figures(
    points: Mapping[str, NDArray[np.float64]],
    partitions: Mapping[str, Labels],
    compared: Mapping[str, Comparison],
    algorithms: tuple[str, ...],
) -> dict[str, Callable[[], Figure]]:
    def partitions_figure() -> Figure:
        shown = ("G", *algorithms)
        figure, axes = grid(len(points), len(shown), 2.0, 1.9)
        for row, (data, X) in zip(axes, points.items(), strict=True):
            for ax, name in zip(row, shown, strict=True):
                scatter(ax, X, partitions[data][name])
                ax.set_title("truth" if name == "G" else name, fontsize=8)
            row[0].set_ylabel(DATA[data], fontsize=8)
        return figure

    others = [a for a in algorithms if a != "BIRCH"]
    matrices = {data: [c["BIRCH", other] for other in others] for data, c in compared.items()}
    return {"figure_2_partitions": partitions_figure, "figure_3_prayatul_matrices": matrices_figure(matrices)}
