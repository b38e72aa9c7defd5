"""Amorim and Cardoso, paired indices adjusted for chance by simulation: Tables 2 to 7."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.presentation.numbers import share_text
from adjudge.presentation.tables import Table
from adjudge.statistics.contingency import reduce_labels
from adjudge_papers.facts import load_facts
from adjudge_papers.figures import grid
from adjudge_papers.reproduction import Reproduction
from adjudge_papers.verdicts import AGREE, MISPRINT, NOT_REPRODUCIBLE, WITHIN_ERROR, Cell, Finding, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["INDICES", "draw_mixture", "quick_cluster", "reproduce"]

INDICES = {
    "R": "rand",
    "RR": "russell_rao",
    "GL": "gower_legendre",
    "J": "jaccard",
    "C": "pair_f",
    "GK": "goodman_kruskal",
    "SoS": "sokal_sneath3",
    "SS2": "sokal_sneath1",
    "FM": "fowlkes_mallows",
}
SEPARATIONS = {"poor": "poorly", "mod": "moderately", "well": "well"}
BALANCES = {"bal": "balanced", "unb": "unbalanced"}
TABLES = {"EM": ("Table 4", "Table 6"), "KM": ("Table 5", "Table 7")}
N_POINTS = 800
N_PRINTED = 30  # number of data sets behind each printed mean
FAR = 3.0  # number of standard errors beyond which two means count as different

_RMIXMOD = "because Rmixmod's settings are not given and the data are not published"
_SPSS = "because SPSS picks the initial centres by the order of the data, which are not published"
WHY_NOT = {"Table 4": _RMIXMOD, "Table 6": _RMIXMOD, "Table 5": _SPSS, "Table 7": _SPSS}

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def reproduce(
    datasets: int = 30,
    n_tables: int = 17_000,
    method: str = "simulate",
    starts: int = 20,
    random_state: int = 0,
) -> Reproduction:
    """Draw the data sets, cluster them, and correct nine indices for chance.

    Parameters
    ----------
    datasets : int, default 30
        Number of data sets per scenario.
    n_tables : int, default 17,000
        Number of simulated tables for each expected value.
    method : {"simulate", "pearson3", "auto"}, default "simulate"
        As for :func:`adjudge.inference.null_distribution`.
    starts : int, default 20
        Number of random starts of EM; the best is kept.
    random_state : int, default 0
    """
    if datasets < 3:
        raise InputError(
            Option("datasets", datasets), ": give at least 3, since means and their errors are compared"
        )
    facts = load_facts("amorim_cardoso")
    measured = _run(facts["scenarios"], datasets, n_tables, method, starts, random_state)
    cells = [cell for algorithm in TABLES for cell in _cells(algorithm, facts, measured)]
    far = [cell for cell in cells if cell.verdict == NOT_REPRODUCIBLE]
    return Reproduction(
        name="amorim-cardoso",
        title="Paired indices adjusted for chance by simulated tables",
        source=facts["source"],
        cells=tuple(cells),
        findings=(*_overlaps(facts["scenarios"], random_state), *_claims(facts, measured)),
        tables={"distance_from_print": _distances(cells)},
        figures={"observed_and_adjusted": _figure(facts, measured)},
        notes=(
            f"Printed means are over {N_PRINTED} unpublished data sets, ours over {datasets} others, so a cell can "
            "agree only within the sampling error in its note. All nine indices and both kinds of values of a scenario "
            "come from the same tables, so there are 12 comparisons, not one per cell.",
            "The paper ran EM in Rmixmod and k-means in SPSS, and gives neither the settings nor the data. "
            f"EM here: {facts['settings']['EM']}. K-means here: {facts['settings']['KM']}.",
            f"The column of approximations follows a fitted formula: {facts['approximation']}.",
            f"{len(far)} cells lie more than {FAR:g} standard errors away.",
        ),
        settings={
            "datasets": datasets,
            "n_tables": n_tables,
            "method": method,
            "starts": starts,
            "random_state": random_state,
            "points": N_POINTS,
        },
    )


def _run(
    scenarios: Mapping[str, Any], datasets: int, n_tables: int, method: str, starts: int, random_state: int
) -> dict[tuple[str, str, str], Floats]:
    """Return observed and expected values by algorithm and scenario, as arrays of shape (data sets, indices, 2)."""
    from threadpoolctl import threadpool_limits

    shape = (datasets, len(INDICES), 2)
    measured = {(a, b, s): np.empty(shape) for a in TABLES for b in BALANCES for s in SEPARATIONS}
    seeds = np.random.SeedSequence(random_state)
    # Matrices of 800 rows are too small for threads to pay off.
    with threadpool_limits(limits=1):
        for balance, separation in product(BALANCES, SEPARATIONS):
            weights, shape_of = scenarios[balance]["weights"], _shape(scenarios[balance][separation])
            for i, seed in enumerate(seeds.spawn(datasets)):
                rng = np.random.default_rng(seed)
                X, truth = draw_mixture(weights, **shape_of, n=N_POINTS, rng=rng)
                for algorithm, labels in _cluster(X, starts, rng).items():
                    found = _measure(truth, labels, n_tables, method, rng)
                    measured[algorithm, balance, separation][i] = found
    return measured


def draw_mixture(
    weights: Any, means: Any, variances: Any, *, n: int, rng: np.random.Generator
) -> tuple[Floats, Labels]:
    """Draw points from a mixture of normal distributions with independent coordinates, group by group."""
    sizes = rng.multinomial(n, weights)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    noise = rng.standard_normal((n, len(means[0])))
    return np.asarray(means)[labels] + noise * np.sqrt(np.asarray(variances))[labels], labels


def quick_cluster(X: Floats, k: int, max_iter: int = 10) -> Labels:
    """Run k-means as the documentation of SPSS QUICK CLUSTER describes it.

    The first `k` points are the initial centres. A later point replaces one of them if its nearest centre is farther
    away than the two closest centres are from each other, or if its second nearest centre is farther away than its
    nearest centre is from any other centre.
    """
    centres = X[:k].copy()
    for point in X[k:]:
        gaps = _distances_between(centres, centres)
        np.fill_diagonal(gaps, np.inf)
        to_point = _distances_between(point[None], centres)[0]
        first, second = np.unravel_index(gaps.argmin(), gaps.shape)
        if to_point.min() > gaps.min():
            centres[first if to_point[first] < to_point[second] else second] = point
            continue
        nearest, next_nearest = np.argsort(to_point, kind="stable")[:2]
        if to_point[next_nearest] > gaps[nearest].min():
            centres[nearest] = point
    labels: Labels = _distances_between(X, centres).argmin(1)
    for _ in range(max_iter):
        centres = np.array([X[labels == c].mean(0) if np.any(labels == c) else centres[c] for c in range(k)])
        moved = _distances_between(X, centres).argmin(1)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def _distances_between(a: Floats, b: Floats) -> Floats:
    found: Floats = np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(-1))
    return found


def _shape(scenario: Mapping[str, Any]) -> dict[str, Any]:
    return {"means": scenario["means"], "variances": scenario["variances"]}


def _cluster(X: Floats, starts: int, rng: np.random.Generator) -> dict[str, Labels]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    mixture = GaussianMixture(
        3,
        covariance_type="diag",
        init_params="random_from_data",
        n_init=starts,
        tol=1e-6,
        max_iter=2000,
        random_state=int(rng.integers(2**31)),
    )
    with warnings.catch_warnings():
        # Only the best start is kept, so it does not matter if others do not converge.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = mixture.fit_predict(X)
    return {"EM": np.asarray(found, np.int64), "KM": quick_cluster(X, 3)}


def _measure(truth: Labels, found: Labels, n_tables: int, method: str, rng: np.random.Generator) -> Floats:
    """Return the observed and the expected value of each index."""
    from adjudge.inference.chance.correction import null_distributions

    table = reduce_labels(truth, found)
    nulls = null_distributions(
        list(INDICES.values()), table, n_tables=n_tables, method=method, random_state=rng, best=1.0
    )
    return np.array([[nulls[name].observed, nulls[name].mean] for name in INDICES.values()])


def _adjusted(measured: Floats) -> Floats:
    observed, expected = measured[..., 0], measured[..., 1]
    values: Floats = (observed - expected) / (1 - expected)
    return values


def _cells(
    algorithm: str, facts: Mapping[str, Any], measured: Mapping[tuple[str, str, str], Floats]
) -> list[Cell]:
    expected_table, adjusted_table = TABLES[algorithm]
    cells = []
    for balance in BALANCES:
        key = f"{algorithm} {balance}"
        for i, index in enumerate(INDICES):
            for s, separation in enumerate(SEPARATIONS):
                values = measured[algorithm, balance, separation]
                row = f"{BALANCES[balance]}, {SEPARATIONS[separation]} separated: {index}"
                cells.append(
                    _compare(
                        expected_table, row, "sim", facts["expected"][key][index][s], values[:, i, 1], _mean
                    )
                )
                if index in facts["approximated"][key]:
                    printed = facts["approximated"][key][index][s]
                    cells.append(
                        _compare(expected_table, row, "approx", printed, _approximated(index, values), _mean)
                    )
                printed_row = facts["observed_adjusted"][key][index][4 * s : 4 * s + 4]
                adjusted = _adjusted(values)[:, i]
                for column, printed, found, statistic in zip(
                    ("obsM", "obs cv", "adjM", "adj cv"),
                    printed_row,
                    (values[:, i, 0], values[:, i, 0], adjusted, adjusted),
                    (_mean, _variation, _mean, _variation),
                    strict=True,
                ):
                    cells.append(_compare(adjusted_table, row, column, printed, found, statistic))
    return [_mark_misprint(cell, cells) for cell in cells]


def _approximated(index: str, values: Floats) -> Floats:
    """Approximate expected values by the quadratic that fits the printed column; see the JSON file of facts."""
    names = list(INDICES)
    rand, czekanowski = values[:, names.index("R"), 1], values[:, names.index("C"), 1]
    quadratics = {
        "J": (0.6548, 0.2985, 0.0188, czekanowski),
        "SS2": (1.1078, -0.2798, 0.0534, czekanowski),
        "GL": (-0.6548, 1.6081, 0.0279, rand),
    }
    second, first, constant, x = quadratics[index]
    found: Floats = second * x**2 + first * x + constant
    return found


def _mean(values: Floats) -> float:
    return float(np.mean(values))


def _variation(values: Floats) -> float:
    mean = abs(float(np.mean(values)))
    return float(np.std(values, ddof=1)) / mean if mean else math.nan


def _compare(
    table: str, row: str, column: str, printed: str, values: Floats, statistic: Callable[[Floats], float]
) -> Cell:
    """Compare a printed mean or coefficient of variation with ours, with the standard error of the difference."""
    n = len(values)
    ours = statistic(values)
    left_out = np.array([statistic(np.delete(values, i)) for i in range(n)])
    variance = (n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2))
    rounding = 0.001**2 / 12
    error = math.sqrt(variance * (1 + n / N_PRINTED) + rounding)
    distance = (float(printed) - ours) / error
    verdict = judge(printed, ours, 3)
    if verdict not in AGREE:
        verdict = WITHIN_ERROR if abs(distance) <= FAR else NOT_REPRODUCIBLE
    why = f"; {WHY_NOT[table]}" if verdict == NOT_REPRODUCIBLE else ""
    return Cell(table, row, column, printed, ours, verdict, f"error {error:.4f}, z = {distance:+.2f}{why}")


def _mark_misprint(cell: Cell, cells: list[Cell]) -> Cell:
    """Mark the cv of adjusted FM as a misprint if it is far above that of adjusted C, which it equals elsewhere."""
    index = cell.row.rpartition(": ")[2]
    if index != "FM" or cell.column != "adj cv":
        return cell
    beside = cell.row.replace(": FM", ": C")
    twin = next(c.printed for c in cells if (c.table, c.row, c.column) == (cell.table, beside, cell.column))
    if float(cell.printed) < 5 * float(twin):
        return cell
    note = f"adjusted FM has the mean and cv of adjusted C in every other scenario, here {twin}: a digit was dropped"
    return Cell(cell.table, cell.row, cell.column, cell.printed, cell.ours, MISPRINT, note)


def _overlaps(scenarios: Mapping[str, Any], random_state: int) -> list[Finding]:
    """Check the printed overlaps of Tables 2 and 3 against each other and against the printed parameters."""
    findings = []
    for table, balance in (("Table 2", "bal"), ("Table 3", "unb")):
        for separation, how in SEPARATIONS.items():
            scenario = scenarios[balance][separation]
            mean, largest = (float(v) for v in scenario["overlap"])
            rng = np.random.default_rng(random_state)
            found = pair_overlaps(scenarios[balance]["weights"], **_shape(scenario), rng=rng)
            possible = largest <= 3 * mean + 0.002
            findings.append(
                Finding(
                    f"{table}, {how} separated: the printed overlaps follow from the printed parameters",
                    possible and abs(mean - sum(found) / 3) < 0.005 and abs(largest - max(found)) < 0.005,
                    f"printed mean {mean} and maximum {largest}; the parameters give {sum(found) / 3:.4f} and "
                    f"{max(found):.4f} (simulated)"
                    + ("" if possible else f"; a mean over three pairs is at least {largest / 3:.3f}"),
                )
            )
    return findings


def pair_overlaps(
    weights: Any, means: Any, variances: Any, *, rng: np.random.Generator, draws: int = 200_000
) -> list[float]:
    """Sum the two misclassification probabilities of each pair of groups, by simulation."""
    groups = [
        (math.log(w), np.asarray(m), np.asarray(v)) for w, m, v in zip(weights, means, variances, strict=True)
    ]

    def density(X: Floats, group: tuple[float, Floats, Floats]) -> Floats:
        log_weight, mean, variance = group
        found: Floats = log_weight - 0.5 * (((X - mean) ** 2 / variance) + np.log(variance)).sum(1)
        return found

    def wrong(own: tuple[float, Floats, Floats], other: tuple[float, Floats, Floats]) -> float:
        X = own[1] + rng.standard_normal((draws, len(own[1]))) * np.sqrt(own[2])
        return float(np.mean(density(X, own) < density(X, other)))

    return [wrong(a, b) + wrong(b, a) for a, b in combinations(groups, 2)]


def _claims(facts: Mapping[str, Any], measured: Mapping[tuple[str, str, str], Floats]) -> list[Finding]:
    names = list(INDICES)
    everything = np.concatenate(list(measured.values()))
    adjusted = _adjusted(everything)
    rand, czekanowski, fm = (adjusted[:, names.index(name)] for name in ("R", "C", "FM"))
    gk = everything[:, names.index("GK"), 1]
    gaps = {
        index: max(
            abs(float(a) - float(b)) / float(a)
            for key in facts["expected"]
            for a, b in zip(facts["expected"][key][index], facts["approximated"][key][index], strict=True)
        )
        for index in ("GL", "J", "SS2")
    }
    losses = {index: float(np.mean(everything[:, i, 0] - adjusted[:, i])) for i, index in enumerate(names)}
    return [
        Finding(
            "Adjusted R and adjusted C are equal",
            bool(np.max(np.abs(rand - czekanowski)) < 1e-3),
            f"largest difference over {len(rand)} tables {np.max(np.abs(rand - czekanowski)):.2e} ",
        ),
        Finding(
            "Adjusted FM is close to adjusted R",
            bool(np.quantile(np.abs(rand - fm), 0.95) < 0.02),
            f"95 % of the differences are below {np.quantile(np.abs(rand - fm), 0.95):.4f}",
        ),
        Finding(
            "The expected GK is 0.000",
            bool(np.max(np.abs(gk)) < 0.002),
            f"largest |mean| {np.max(np.abs(gk)):.5f}",
        ),
        Finding(
            "Adjustment lowers GL most",
            max(losses, key=lambda name: losses[name]) == "GL",
            ", ".join(f"{name} {loss:.3f}" for name, loss in losses.items()),
        ),
        Finding(
            "The approximated expectations are similar to the simulated ones",
            max(gaps.values()) < 0.05,
            "largest relative difference in print: "
            + ", ".join(f"{i} {share_text(g, 1)}" for i, g in gaps.items()),
        ),
    ]


def _distances(cells: list[Cell]) -> Table:
    """Tabulate, for each printed table, how far our cells lie from the printed ones."""
    rows = []
    for table in dict.fromkeys(cell.table for cell in cells):
        z = [
            abs(float(c.note.rpartition("z = ")[2].partition(";")[0]))
            for c in cells
            if c.table == table and "z = " in c.note
        ]
        rows.append((table, len(z), *(sum(1 for v in z if v <= limit) for limit in (1, 2, 3)), max(z)))
    columns = ("table", "cells", "|z| <= 1", "|z| <= 2", "|z| <= 3", "largest |z|")
    return Table(columns, tuple(rows), "Distance from the printed value in standard errors")


def _figure(
    facts: Mapping[str, Any], measured: Mapping[tuple[str, str, str], Floats]
) -> Callable[[], Figure]:
    def draw() -> Figure:
        figure, axes = grid(len(TABLES), len(BALANCES), 4.0, 3.2)
        for row, algorithm in zip(axes, TABLES, strict=True):
            for ax, balance in zip(row, BALANCES, strict=True):
                printed = facts["observed_adjusted"][f"{algorithm} {balance}"]
                for column, separation in enumerate(SEPARATIONS):
                    values = measured[algorithm, balance, separation]
                    for offset, ours, what, color in (
                        (0, values[..., 0], "observed", "#225ddc"),
                        (2, _adjusted(values), "adjusted", "#e27116"),
                    ):
                        paper = [float(printed[index][4 * column + offset]) for index in INDICES]
                        label = what if column == 0 else None
                        ax.scatter(paper, ours.mean(0), s=12, color=color, label=label)
                ax.plot([0, 1], [0, 1], color="#565d6d", linewidth=0.8)
                ax.set(title=f"{algorithm}, {BALANCES[balance]}", xlabel="printed mean", ylabel="our mean")
        axes[0, 0].legend()
        return figure

    return draw
