"""Biswas, Prayatul matrix for clustering: Tables I to III, Figures 2 and 3."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.papers.facts import load_facts
from adjudge.papers.figures import grid, matrices_figure, scatter
from adjudge.papers.prayatul import SYMBOLS, class_scores, measure_cells, rightness_from_alpha_phi, xi_gap
from adjudge.papers.reproduction import Reproduction
from adjudge.papers.verdicts import DIFFERS, MISPRINT, NOT_PRINTED, Cell, Finding, judge
from adjudge.results import Comparison
from adjudge.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ALGORITHMS", "reproduce"]

DATA = {"NC": "Noisy Circles", "NM": "Noisy Moons", "NS": "Aniso"}
N_CLUSTERS = {"NC": 2, "NM": 2, "NS": 3}
EPS = {"NC": 0.3, "NM": 0.3, "NS": 0.15}
ALGORITHMS = ("BIRCH", "DBSCAN", "KMeans", "Spectral")
ROUNDING = 0.00005  # half a unit of the printed fourth decimal
TABLES = ("Table I", "Table II", "Table III")

Labels = dict[str, NDArray[np.int64]]


def reproduce(labels: Literal["recorded", "fresh"] = "recorded", random_state: int = 0) -> Reproduction:
    """Compare the four algorithms on the three data sets.

    Parameters
    ----------
    labels : {"recorded", "fresh"}, default "recorded"
        The partitions behind the printed tables, or those that the installed scikit-learn gives.
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
    raise InputError(f"labels={labels!r} is not known: choose 'recorded' or 'fresh'")


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
    from adjudge._compare import compare

    models = {name: found for name, found in partitions.items() if name != "G"}
    scores = ("nmi", "adjusted_rand", "ami", "rand")
    return compare(partitions["G"], models, kind="clustering", scores=scores)


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
        findings=(*_contradictions(facts["table1"], compared, partitions), *_conclusions(compared, "KMeans")),
        tables={"prayatul_matrices": _counts_table(compared)},
        figures=_figures(points, partitions, compared, ALGORITHMS),
        notes=(
            f"The paper's KMeans is scikit-learn's MiniBatchKMeans: {facts['settings']['KMeans']}. "
            "Later versions give other partitions, which is why the labels are recorded.",
            "Table III is an image in the paper and its digits are not in the text at hand: our values stand alone.",
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
        findings += _conclusions(compared, stand_in)
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
            "Fresh partitions: the cells need not agree; what the paper concludes from them is checked above, "
            "once with MiniBatchKMeans, which the paper ran, and once with KMeans, which it names.",
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
        # The graph of neighbours of two separate rings falls apart, which is what the method finds here.
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
    """Call a sigma_c a misprint where its own reverse contradicts it; the reverse says what was meant."""
    if cell.verdict != DIFFERS or cell.column != "sigma_c":
        return cell
    data, _, pair = cell.row.partition(": ")
    primary, _, alternative = pair.partition(" vs ")
    reverse = printed[data][alternative][primary]["sigma_c"]
    meant = reverse.removeprefix("-") if reverse.startswith("-") else f"-{reverse}"
    if judge(meant, cell.ours, 4) == DIFFERS:
        return cell
    note = f"sigma_c(P, Q) = -sigma_c(Q, P), and the reverse cell prints {reverse}: it must be {meant}"
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
                value = _score(comparison, algorithm, index)
                cells.append(Cell("Table III", f"{data}: {algorithm}", column, "", value, NOT_PRINTED))
    return cells


def _score(comparison: Comparison, algorithm: str, index: str) -> float:
    from adjudge.indices.catalog import find_index

    return comparison.scores[algorithm][find_index(index).name]


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


def _conclusions(compared: Mapping[str, Comparison], kmeans: str) -> list[Finding]:
    """Check what the paper concludes from its tables on a set of partitions."""
    ns = compared["NS"]

    def sigma(comparison: Comparison, primary: str, alternative: str) -> float:
        return comparison[primary, alternative].measures["comparative_deviation"]

    perfect = {
        f"{data} {a}": _score(compared[data], a, "rand")
        for data in ("NC", "NM")
        for a in ("DBSCAN", "Spectral")
    }
    worse = {
        f"{data} {a}/{b}": sigma(compared[data], a, b)
        for data in DATA
        for a in ("BIRCH", kmeans)
        for b in ("DBSCAN", "Spectral")
    }
    duel = {data: sigma(compared[data], "BIRCH", kmeans) for data in DATA}
    return [
        Finding(
            "DBSCAN and Spectral find the true clusters of Noisy Circles and Noisy Moons",
            set(perfect.values()) == {1.0},
            f"Rand: {_list(perfect)}",
        ),
        Finding(
            f"Where they disagree with DBSCAN or Spectral, BIRCH and {kmeans} are wrong more often",
            all(value < 0 for value in worse.values()),
            f"sigma_c: {_list(worse)}",
        ),
        Finding(
            f"BIRCH is ahead of {kmeans} on Noisy Circles and Noisy Moons",
            duel["NC"] > 0 and duel["NM"] > 0,
            f"sigma_c: {_list({d: duel[d] for d in ('NC', 'NM')})}",
        ),
        Finding(
            f"{kmeans} is ahead of BIRCH on Aniso (comparative deviation)",
            duel["NS"] < 0,
            f"sigma_c(BIRCH, {kmeans}) = {duel['NS']:.4f}",
        ),
        Finding(
            "DBSCAN is ahead of Spectral on Aniso",
            sigma(ns, "DBSCAN", "Spectral") > 0,
            f"sigma_c(DBSCAN, Spectral) = {sigma(ns, 'DBSCAN', 'Spectral'):.4f}",
        ),
    ]


def _contradictions(
    printed: Mapping[str, Any], compared: Mapping[str, Comparison], partitions: Mapping[str, Labels]
) -> list[Finding]:
    """Check the paper's tables against the identities that bind them, and its text against its tables."""
    opposite = [
        f"{data} {p}/{q} {row['sigma_c']} and {printed[data][q][p]['sigma_c']}"
        for data, primaries in printed.items()
        for p, alternatives in primaries.items()
        for q, row in alternatives.items()
        if p < q and abs(float(row["sigma_c"]) + float(printed[data][q][p]["sigma_c"])) > 2 * ROUNDING
    ]
    gaps = [
        abs(xi_gap(row))
        for primaries in printed.values()
        for rows in primaries.values()
        for row in rows.values()
    ]
    spreads = {}
    for data, primaries in printed.items():
        for p, rows in primaries.items():
            shares = [rightness_from_alpha_phi(float(r["alpha"]), float(r["phi_e"])) for r in rows.values()]
            spreads[f"{data} {p}"] = max(shares) - min(shares)
    widest = max(spreads, key=lambda key: spreads[key])
    ahead = {
        f"{data} {symbol}": (
            printed[data]["KMeans"]["BIRCH"][symbol],
            printed[data]["BIRCH"]["KMeans"][symbol],
        )
        for data in ("NC", "NM")
        for symbol in SYMBOLS
    }
    ari = {
        data: tuple(_score(compared[data], a, "adjusted_rand") for a in ("KMeans", "BIRCH")) for data in DATA
    }
    nmi = {data: tuple(_score(compared[data], a, "nmi") for a in ("KMeans", "BIRCH")) for data in DATA}
    ami = {data: tuple(_score(compared[data], a, "ami") for a in ("KMeans", "BIRCH")) for data in DATA}
    duels = {data: compared[data]["BIRCH", "KMeans"] for data in DATA}
    disagreements = {data: compared[data]["DBSCAN", "Spectral"] for data in ("NC", "NM")}
    never = [f"{data}: RW + WR = {d.right_wrong + d.wrong_right}" for data, d in disagreements.items()]
    half = {a: _matched_share(partitions["NC"]["G"], partitions["NC"][a]) for a in ("BIRCH", "KMeans")}
    dbscan = class_scores(partitions["NS"]["G"], partitions["NS"]["DBSCAN"])
    return [
        Finding(
            "sigma_c(P, Q) = -sigma_c(Q, P) in every pair of printed cells",
            not opposite,
            "; ".join(opposite) or "all 18 pairs",
        ),
        Finding(
            "xi_e = 2 xi_c - 1 in every printed row, to the rounding",
            max(gaps) <= 3 * ROUNDING + 1e-12,
            f"largest gap {max(gaps):.4f} in {len(gaps)} rows",
        ),
        Finding(
            "alpha + phi = 3 A - 1 gives each algorithm one share A of right pairs, whatever it is compared with",
            max(spreads.values()) < 2 * ROUNDING,
            f"widest spread {spreads[widest]:.5f} ({widest})",
        ),
        Finding(
            "Text: KMeans is better than BIRCH on NC and NM by xi_c, xi_e, NMI, ARI and AMI",
            all(float(k) > float(b) for key, (k, b) in ahead.items() if "xi" in key),
            "printed KMeans/BIRCH: "
            + ", ".join(f"{key} {k}/{b}" for key, (k, b) in ahead.items() if "xi" in key)
            + "; ARI "
            + ", ".join(f"{d} {ari[d][0]:.4f}/{ari[d][1]:.4f}" for d in ("NC", "NM")),
        ),
        Finding(
            "Text: KMeans is better than BIRCH on Aniso, by every score",
            all(scores["NS"][0] > scores["NS"][1] for scores in (ari, nmi, ami)),
            f"KMeans/BIRCH: ARI {ari['NS'][0]:.4f}/{ari['NS'][1]:.4f}, NMI {nmi['NS'][0]:.4f}/{nmi['NS'][1]:.4f}, "
            f"AMI {ami['NS'][0]:.4f}/{ami['NS'][1]:.4f}",
        ),
        Finding(
            "Text: RW exceeds WR for BIRCH against KMeans, by little",
            all(0 < d.right_wrong - d.wrong_right < 0.1 * d.right_wrong for d in duels.values()),
            ", ".join(f"{data} {d.right_wrong:,}/{d.wrong_right:,}" for data, d in duels.items()),
        ),
        Finding(
            "sigma_c = 0 for DBSCAN against Spectral on NC and NM says that neither is ahead",
            all(d.right_wrong + d.wrong_right > 0 for d in disagreements.values()),
            f"{', '.join(never)}: 0/0, undefined; the program adds 0.0001 to the denominator",
        ),
        Finding(
            "Text: the polarization of about 0.5 on NC is the share of instances that are clustered correctly",
            all(
                abs(float(printed["NC"][a]["DBSCAN"]["alpha"]) - share) < ROUNDING
                for a, share in half.items()
            ),
            "alpha counts pairs of instances; share of instances after the best matching and alpha against DBSCAN: "
            + ", ".join(f"{a} {s:.4f} and {printed['NC'][a]['DBSCAN']['alpha']}" for a, s in half.items()),
        ),
        Finding(
            "Theorem 5: BW enters xi_c and xi_e; no measure of P rises when only Q improves",
            _alpha(5, 2, 2, 1) <= _alpha(5, 2, 1, 2),
            "neither xi_c nor xi_e contains BW; moving pairs from BW to WR (only Q improves) raises "
            f"alpha from {_alpha(5, 2, 1, 2):.2f} to {_alpha(5, 2, 2, 1):.2f} at (BR, RW, WR, BW) = (5, 2, 1, 2)",
        ),
        Finding(
            "Theorem 6: sigma_c changes little when one pair is added",
            abs(_sigma(1, 0) - _sigma(0, 1)) < 0.1,
            f"the first pair on which two models disagree makes it {_sigma(1, 0):g} or {_sigma(0, 1):g}",
        ),
        Finding(
            "Table II, Aniso, DBSCAN: precision and recall are means over the same labels",
            math.isclose(dbscan["Pre"], 0.2, abs_tol=5e-5) and math.isclose(dbscan["Rec"], dbscan["Pre"]),
            f"precision {dbscan['Pre']:.4f} is a mean over 5 labels (noise among them), recall {dbscan['Rec']:.4f} "
            "over the 3 true classes",
        ),
    ]


def _matched_share(truth: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    from adjudge.indices.catalog import find_index

    return find_index("pivoted_accuracy")(truth, found)


def _alpha(br: int, rw: int, wr: int, bw: int) -> float:
    return (br + rw - bw) / (br + rw + wr + bw)


def _sigma(rw: int, wr: int) -> float:
    return (rw - wr) / (rw + wr)


def _list(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in values.items())
