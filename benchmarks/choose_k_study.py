"""How well the verdict of `choose_k` finds the number of clusters, and how its weights are fitted.

    python benchmarks/choose_k_study.py collect OUT.jsonl [--repeats 45] [--first 0]   values and votes, resumable
    python benchmarks/choose_k_study.py fit OUT.jsonl                                  choosing/stacking.json
    python benchmarks/choose_k_study.py report OUT.jsonl                        the tables of docs/studies/choose_k.md
    python benchmarks/choose_k_study.py try NEW.jsonl [--repeats 8] [--first 1000]     values and votes for new sets
    python benchmarks/choose_k_study.py tried NEW.jsonl                                the tables for these sets

Every figure in the report is for a battery of data that the weights were not fitted to. Nothing was fitted to the new
sets: the laws of `cluster_laws`, and three families. CLUSTERING_SETS names the folder of the benchmark suite
(doi:10.5281/zenodo.7088171); without it, only the other batteries are used.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402 (set threads first)
from scipy.optimize import minimize  # noqa: E402

from adjudge.choosing.stacking import (  # noqa: E402
    READINGS,
    Saying,
    log_advantage,
    log_odds,
    oriented,
    stack_of,
    standing_out,
)
from adjudge.choosing.structure import MOST_POINTS  # noqa: E402
from adjudge.choosing.verdict import (  # noqa: E402
    Stated,
    Verdict,
    stated,
)
from adjudge.indices.catalog import select_indices  # noqa: E402
from adjudge.indices.record import Index  # noqa: E402
from adjudge.inference.clusters.halves import ENOUGH  # noqa: E402
from adjudge.results import KChoice  # noqa: E402
from adjudge.results.k_statement import likeliest  # noqa: E402
from cluster_families import (  # noqa: E402
    NEW,
    PointSet,
    hundred,
    new_sets,
    point_sets,
)
from cluster_laws import laws  # noqa: E402

Row = dict[str, Any]

#: What the verdict reads. The first four were chosen without the suite and the battery of many clusters.
TERMS = (
    ("gdi23", "log shortfall"), ("krzanowski_lai", "shortfall"), ("wemmert_gancarski", "shortfall"),
    ("log_det_ratio", "vote"), ("cvnn", "vote"),
)  # fmt: skip
#: Penalties on the squared weights, and on the squared slopes of the probability that any number is right.
RIDGE, RIDGE_ANY = 0.003, 0.001
MANY = "many clusters"
(HUNDRED,) = (battery for battery, makes in NEW.items() if hundred in makes)
#: One vote per criterion; the smaller number wins ties.
PLURALITY = "seven votes"
COMMITTEE = (
    "calinski_harabasz", "wemmert_gancarski", "gdi23", "ccc", "gdi13", "hartigan_drop", "log_det_ratio",
)  # fmt: skip
#: What is computed: the criteria of the verdict, those of the seven votes, and three more.
CRITERIA = tuple(
    dict.fromkeys(
        (*(criterion for criterion, _ in TERMS), *COMMITTEE, "silhouette", "davies_bouldin", "ray_turi")
    )
)
#: Every how many turns the battery of 61 to 100 clusters is drawn.
HUNDRED_EVERY = 4
#: With more columns than this, mixtures have more parameters than points.
MOST_COLUMNS = 10
#: Least agreement with the reference for a partition to show the clusters, and how far the best may exceed it.
FAIR, CLOSE = 0.8, 0.02
#: Numbers whose probability exceeds their neighbours' by this factor are answers, too.
FACTOR = 8
#: If the probability that any number is right is below this, none is recommended.
LEAST = 0.05
SOURCE = Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs" / "studies" / "choose_k.md"
PICTURE = SOURCE / "docs" / "images" / "choose-k-reliability.svg"
MODEL = SOURCE / "src" / "adjudge" / "choosing" / "stacking.json"
BEGIN, END = "<!-- study begins -->", "<!-- study ends -->"
BEGIN_TRIED, END_TRIED = "<!-- tried begins -->", "<!-- tried ends -->"


# Collecting


def estimators(data: PointSet) -> Iterator[str]:
    yield from ("kmeans", "ward", "average")
    if data.X.shape[1] <= MOST_COLUMNS and data.battery not in (MANY, HUNDRED):
        yield "gaussian_mixture"


def largest(data: PointSet) -> int:
    """Return the end of the range of K: random, so that the range does not give away the right number."""
    top = max((np.unique(r[r >= 0]).size for r in data.references), default=2)
    rng = np.random.default_rng([len(data.X), *map(ord, data.name)])
    return int(rng.integers(max(10, top + 2), max(14, int(2 * top)) + 1))


def to_be_tried(repeats: int, first: int) -> Iterator[PointSet]:
    """Yield sets of each law and of each new battery, fewer of the one that takes long."""
    for turn in range(first, first + repeats):
        yield from laws(1, turn)
        yield from (d for d in new_sets(1, turn) if d.battery != HUNDRED or turn % HUNDRED_EVERY == 0)


def collect(out: Path, sets: Iterator[PointSet], measure: Callable[[PointSet, str], Row]) -> None:
    """Append a line for each pair of set and estimator that has none yet."""
    done = {(r["set"], r["estimator"]) for r in _lines(out)} if out.exists() else set()
    for data in sets:
        for estimator in estimators(data):
            if (data.name, estimator) not in done:
                start = time.perf_counter()
                row = measure(data, estimator)
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(data.name, estimator, row["right"], f"{time.perf_counter() - start:.1f}s", flush=True)


def measured(data: PointSet, estimator: str) -> Row:
    """Return what choose_k says about a set, and the truth."""
    from adjudge import choose_k

    choice = choose_k(
        data.X,
        estimator,
        range(2, largest(data) + 1),
        indices=[*CRITERIA, *(["bic"] if estimator == "gaussian_mixture" else [])],
        n_init=3 if data.battery in (MANY, HUNDRED) else None,
        random_state=0,
        n_jobs=1,
        progress=False,
    )
    return row_of(data, choice)


def row_of(data: PointSet, choice: KChoice) -> Row:
    """Record what was found, and what is right."""
    from adjudge import adjusted_rand

    found = choice.to_dict()
    return {
        **{name: getattr(data, name) for name in ("family", "battery")},
        **{
            name: found[name]
            for name in ("estimator", "k", "ks", "n", "values", "votes", "critical", "structure")
        },
        "set": data.name,
        "p": data.X.shape[1],
        "right": [int(np.unique(r[r >= 0]).size) for r in data.references],
        "agreement": [
            {k: adjusted_rand(r[r >= 0], codes[r >= 0]) for k, codes in choice.labels.items()}
            for r in data.references
        ],
    }


def _lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


# What counts as right


def rows_of(path: Path) -> list[Row]:
    """Read the collected rows, and add the right numbers to each: none if no partition shows the clusters."""
    rows = list(_lines(path))
    for row in rows:
        row["accepted"] = set()
        for right, agreement in zip(row["right"], row["agreement"], strict=True):
            own = agreement.get(str(right), 0.0)
            if own >= FAIR and own >= max(agreement.values()) - CLOSE:
                row["accepted"].add(right)
    return rows


def vote(row: Row, criterion: str) -> int | None:
    """Return the K that a criterion, or the plurality of the seven, votes for."""
    if criterion == PLURALITY:
        votes = [row["votes"][name] for name in COMMITTEE]
        return max((k for k in votes if k in row["ks"]), key=lambda k: (votes.count(k), -k), default=None)
    found: int | None = row["votes"][criterion]
    return found


def has(row: Row, criterion: str) -> bool:
    return criterion == PLURALITY or criterion in row["votes"]


# The model


def said(row: Row, criterion: str) -> Saying | None:
    """Return what a criterion says about the candidates of a row."""
    found = row["values"][criterion]
    values = [math.nan if (v := found.get(str(k))) is None else float(v) for k in row["ks"]]
    straight = oriented(values, record_of(criterion).better)
    own = row["votes"][criterion]
    return None if straight is None else Saying(straight, row["ks"].index(own) if own in row["ks"] else None)


@cache
def record_of(criterion: str) -> Index:
    (record,) = select_indices([criterion], ("internal", "selection"))
    return record


class Design:
    """The readings of all terms for each candidate of each row, and which candidates are right."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        self.start = np.r_[0, np.cumsum([len(r["ks"]) for r in rows])]
        self.row = np.repeat(np.arange(len(rows)), np.diff(self.start))
        self.readings = np.concatenate([_readings(r) for r in rows])
        self.right = np.concatenate([[k in r["accepted"] for k in r["ks"]] for r in rows]).astype(float)
        self.battery = np.array([r["battery"] for r in rows])
        self.share = _shares(rows)

    def probabilities(self, weights: np.ndarray) -> np.ndarray:
        """Return the softmax within each row."""
        total = self.readings @ weights
        odds = np.exp(total - np.maximum.reduceat(total, self.start[:-1])[self.row])
        return np.asarray(odds / np.add.reduceat(odds, self.start[:-1])[self.row])

    def of(self, row: int, values: np.ndarray) -> np.ndarray:
        """Return the values that belong to one row."""
        return values[self.start[row] : self.start[row + 1]]


def _readings(row: Row) -> np.ndarray:
    found = np.zeros((len(row["ks"]), len(TERMS)))
    for j, (criterion, reading) in enumerate(TERMS):
        own = said(row, criterion)
        if own is not None:
            found[:, j] = READINGS[reading](own)
    return found


def _shares(rows: Sequence[Row]) -> np.ndarray:
    """Return the weights of the rows: all batteries count the same, as do all sets within a battery."""
    pairs: dict[str, int] = defaultdict(int)
    sets: dict[str, set[str]] = defaultdict(set)
    for r in rows:
        pairs[r["set"]] += 1
        sets[r["battery"]].add(r["set"])
    return np.array([1 / pairs[r["set"]] / len(sets[r["battery"]]) for r in rows])


def fitted(design: Design, chosen: np.ndarray) -> np.ndarray:
    """Return the nonnegative weights that maximize the probability of the right numbers in some rows."""
    share = np.where(chosen, design.share, 0.0)
    share = share / share.sum()

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        p = design.probabilities(weights)
        right = np.add.reduceat(p * design.right, design.start[:-1])
        given_right = p * design.right / np.maximum(right, 1e-300)[design.row]
        slope = -(design.readings * (share[design.row] * (given_right - p))[:, None]).sum(axis=0)
        penalty = RIDGE * float((weights**2).sum())
        return -float((share * np.log(np.maximum(right, 1e-12))).sum()) + penalty, slope + 2 * RIDGE * weights

    first = np.full(len(TERMS), 0.1)
    return np.asarray(minimize(loss, first, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(TERMS)).x)


def tempered(design: Design, chosen: np.ndarray, weights: dict[str, np.ndarray]) -> float:
    """Return the factor for the weights that makes the right numbers of left-out batteries most probable.

    `weights` holds, for each battery, the weights fitted to the others.
    """

    def loss(factor: float) -> float:
        total = 0.0
        for b, own_weights in weights.items():
            p = design.probabilities(factor * own_weights)
            right = np.add.reduceat(p * design.right, design.start[:-1])
            own = chosen & (design.battery == b)
            total -= float((design.share[own] * np.log(np.maximum(right[own], 1e-12))).sum())
        return total

    return float(min(np.geomspace(0.4, 3.0, 60), key=loss))


def evidence(design: Design, p: np.ndarray) -> np.ndarray:
    """Return the evidence that any number is right.

    It is 1, the log odds of the most probable one, the advantage over null data, and the agreement of halves.
    """
    found = np.ones((len(design.rows), 4))
    for i, row in enumerate(design.rows):
        structure = row["structure"]
        names = [n for n in ("beats_gaussian", "beats_uniform") if structure.get(n) is not None]
        advantage = min((float(structure[n]) for n in names), default=100.0)
        odds = log_odds(float(design.of(i, p).max()))
        agree = structure["halves_agree"] >= ENOUGH
        found[i, 1:] = odds, log_advantage(advantage, row["n"]), agree
    return found


def logistic(found: np.ndarray, right: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the coefficients of the probability that any number is right."""
    share = share / share.sum()

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        total = found @ beta
        p = 1 / (1 + np.exp(-total))
        value = float((share * (np.logaddexp(0, total) - right * total)).sum())
        slopes = np.r_[0, beta[1:]]
        slope = found.T @ (share * (p - right)) + 2 * RIDGE_ANY * slopes
        return value + RIDGE_ANY * float((slopes**2).sum()), slope

    bounds = [(None, None), *[(0, None)] * (found.shape[1] - 1)]
    return np.asarray(minimize(loss, np.zeros(found.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x)


class LeftOut:
    """Probabilities for every row, from a model that was not fitted to its battery.

    Attributes
    ----------
    design : Design
        The design of all rows.
    shares : ndarray
        For each candidate, the probability that it is right if any is.
    some : ndarray of shape (rows,)
        The probability that any candidate is right.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.design = design = Design(rows)
        self.shares, self.some = np.zeros(design.right.size), np.zeros(len(rows))
        for battery in dict.fromkeys(design.battery):
            model = Model.of(design, design.battery != battery)
            own = design.battery == battery
            shares = design.probabilities(model.weights)
            self.shares[own[design.row]] = shares[own[design.row]]
            self.some[own] = (1 / (1 + np.exp(-evidence(design, shares) @ model.any_right)))[own]

    def k(self, row: int) -> int:
        """Return the most probable number."""
        return int(self.design.rows[row]["ks"][int(self.design.of(row, self.shares).argmax())])


@dataclass(frozen=True)
class Model:
    """Tempered weights of the terms, and coefficients of the probability that any number is right."""

    weights: np.ndarray
    any_right: np.ndarray

    @classmethod
    def of(cls, design: Design, chosen: np.ndarray) -> Model:
        """Fit a model to some rows; calibration uses batteries that the weights were not fitted to."""
        right = np.array([bool(r["accepted"]) for r in design.rows])
        fair = chosen & right
        batteries = list(dict.fromkeys(design.battery[chosen]))
        weights = {b: fitted(design, fair & (design.battery != b)) for b in batteries}
        factor = tempered(design, fair, weights)
        shares = np.zeros(design.right.size)
        for b, own in weights.items():
            inside = (design.battery == b)[design.row]
            shares[inside] = design.probabilities(factor * own)[inside]
        found = evidence(design, shares)
        some = logistic(found[chosen], right[chosen].astype(float), design.share[chosen])
        return cls(factor * fitted(design, fair), some)


def fit(path: Path) -> None:
    """Write the coefficients fitted to all batteries."""
    design = Design(rows_of(path))
    model = Model.of(design, np.ones(len(design.rows), bool))
    sets, fair = len({r["set"] for r in design.rows}), sum(bool(r["accepted"]) for r in design.rows)
    intercept, odds, advantage, halves = (round(float(c), 3) for c in model.any_right)
    terms = [
        {"criterion": criterion, "reading": reading, "weight": round(float(w), 3)}
        for (criterion, reading), w in zip(TERMS, model.weights, strict=True)
    ]
    made_by = (
        f"benchmarks/choose_k_study.py fit: {sets} sets of {len(set(design.battery))} batteries, {len(design.rows)} "
        f"pairs of set and estimator, {fair} of them fair; ridge {RIDGE}"
    )
    coefficients = {"intercept": intercept, "log_odds": odds, "log_advantage": advantage, "halves": halves}
    numbers = {
        "made_by": made_by,
        "terms": terms,
        "any_right": coefficients,
        "factor": FACTOR,
        "least": LEAST,
    }
    models = json.loads(MODEL.read_text(encoding="utf-8")) | {"numbers": numbers}
    MODEL.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


# The report


def wilson(share: float, count: int) -> tuple[float, float]:
    z2 = 1.96**2
    centre = (share + z2 / 2 / count) / (1 + z2 / count)
    half = 1.96 * math.sqrt(share * (1 - share) / count + z2 / 4 / count**2) / (1 + z2 / count)
    return centre - half, centre + half


def by_set(rows: Sequence[Row], found: Callable[[int], bool | None]) -> list[float]:
    """Return the share of each set's pairs for which `found` is true; None leaves a pair out."""
    shares: dict[str, list[bool]] = defaultdict(list)
    for i, row in enumerate(rows):
        held = found(i)
        if held is not None:
            shares[row["set"]].append(held)
    return [sum(v) / len(v) for v in shares.values()]


def cell(shares: Sequence[float], interval: bool = False) -> str:
    if not shares:
        return ""
    mean = sum(shares) / len(shares)
    low, high = wilson(mean, len(shares))
    return f"{100 * mean:.0f}" + (f" [{100 * low:.0f}, {100 * high:.0f}]" if interval else "")


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *["---:"] * (len(columns) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (columns, marks, *rows))


def hits_table(fair: Sequence[Row], most_probable: Sequence[int]) -> str:
    """Return one row per criterion: the share of fair pairs whose number it finds, by battery."""
    batteries = list(dict.fromkeys(r["battery"] for r in fair))
    names = [*CRITERIA, PLURALITY, "bic"]

    def shares(battery: str, name: str) -> list[float]:
        def found(i: int) -> bool | None:
            if fair[i]["battery"] != battery:
                return None
            if name == "verdict":
                return most_probable[i] in fair[i]["accepted"]
            return vote(fair[i], name) in fair[i]["accepted"] if has(fair[i], name) else None

        return by_set(fair, found)

    def mean(name: str) -> float:
        known = [sum(s) / len(s) for b in batteries if (s := shares(b, name))]
        return sum(known) / len(known)

    ranked = sorted(names, key=lambda name: -mean(name))[:7]
    rows = [
        [
            f"**{name}**" if name == "verdict" else name,
            f"{100 * mean(name):.0f}",
            *(cell(shares(b, name), name == "verdict") for b in batteries),
        ]
        for name in ("verdict", *ranked)
    ]
    best = [max((cell(shares(b, n)) or "0" for n in names if n != PLURALITY), key=int) for b in batteries]
    sets = [str(len(shares(b, "verdict"))) for b in batteries]
    rows += [["best single one of that battery", "", *best], ["sets", "", *sets]]
    return table(["criterion", "mean of batteries", *batteries], rows)


def calibration(
    stated: np.ndarray, right: np.ndarray, share: np.ndarray
) -> tuple[float, list[tuple[float, float, int]]]:
    """Return the calibration error over ten bins; for each bin, mean probability, share that is right, and pairs."""
    share = share / share.sum()
    error, bins = 0.0, []
    place = np.minimum((stated * 10).astype(int), 9)
    for b in range(10):
        own = place == b
        if own.any():
            weight = share[own] / share[own].sum()
            said, held = float(weight @ stated[own]), float(weight @ right[own])
            error += float(share[own].sum()) * abs(said - held)
            bins.append((said, held, int(own.sum())))
    return error, bins


def draw(curves: dict[str, list[tuple[float, float, int]]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for label, bins in curves.items():
        said, held, counts = zip(*bins, strict=True)
        axes.plot(said, held, linewidth=1)
        axes.scatter(said, held, s=[8 + c / 4 for c in counts], label=label)
    axes.set(xlabel="stated probability", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1))
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None})


def report(path: Path) -> str:
    """Return the tables as Markdown, and draw the reliability diagram."""
    rows = rows_of(path)
    left = LeftOut(rows)
    numbers = [left.k(i) for i in range(len(rows))]
    accepted = np.array([bool(r["accepted"]) for r in rows])
    hit = np.array([k in r["accepted"] for k, r in zip(numbers, rows, strict=True)], float)
    top = np.array([left.design.of(i, left.shares).max() for i in range(len(rows))])
    fair = [r for r in rows if r["accepted"]]
    share = left.design.share
    given_fair, fair_bins = calibration(top[accepted], hit[accepted], _shares(fair))
    stated = top * left.some
    overall, bins = calibration(stated, hit, share)
    by_pair, _ = calibration(stated, hit, np.ones(len(rows)))
    any_right, _ = calibration(left.some, accepted.astype(float), share)
    draw({"recommended K, all pairs": bins, "recommended K, fair pairs, if one is right": fair_bins})
    fair_numbers = [k for k, r in zip(numbers, rows, strict=True) if r["accepted"]]
    sets, without = (
        len({r["set"] for r in rows if r["right"]}),
        len({r["set"] for r in rows if not r["right"]}),
    )
    found = by_set(fair, lambda i: fair_numbers[i] in fair[i]["accepted"])
    reliability = table(
        ["stated probability", *(f"{said:.2f}" for said, _, _ in bins)],
        [
            ["share that is right", *(f"{held:.2f}" for _, held, _ in bins)],
            ["pairs", *(str(count) for *_, count in bins)],
        ],
    )
    return "\n\n".join(
        [
            f"{sets} sets with clusters, {without} without; {len(rows)} pairs of a set and an estimator, {len(fair)} "
            f"of them fair. The verdict finds {cell(found, True)} % over all sets with a fair pair.",
            "### Left-out batteries: numbers of clusters found",
            hits_table(fair, fair_numbers),
            "### Left-out batteries: are the probabilities right?",
            reliability,
            f"The expected calibration error of the stated probability is {overall:.3f} if batteries count alike, "
            f"and {by_pair:.3f} if pairs do. That of the probability given that one is right is {given_fair:.3f} on "
            f"fair pairs, and that of the probability that any is right {any_right:.3f}.",
            stated_by_battery(rows, stated, hit),
            "![Reliability of the stated probabilities](../images/choose-k-reliability.svg)",
            "### Abstention, and several answers",
            abstention(rows, left),
            answers(fair, [left.design.of(i, left.shares) for i in np.flatnonzero(accepted)]),
        ]
    )


def stated_by_battery(rows: Sequence[Row], stated: np.ndarray, hit: np.ndarray) -> str:
    """Return the mean stated probability and the share that is right, by battery."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        places[row["battery"]].append(i)
    return table(
        ["mean over the pairs of a battery", *places],
        [
            [words, *(f"{found[own].mean():.2f}" for own in places.values())]
            for words, found in (("stated probability", stated), ("share that is right", hit))
        ],
    )


def abstention(rows: Sequence[Row], left: LeftOut) -> str:
    kinds: dict[str, Callable[[Row], bool]] = {
        "no clusters": lambda r: not r["right"],
        "clusters that no partition shows": lambda r: bool(r["right"]) and not r["accepted"],
        "fair": lambda r: bool(r["accepted"]),
    }
    body = []
    for words, wanted in kinds.items():
        own = [i for i, r in enumerate(rows) if wanted(r)]
        quiet = [left.some[i] < LEAST or rows[i]["structure"]["halves_agree"] < ENOUGH for i in own]
        body.append(
            [
                words,
                str(len(own)),
                f"{100 * float(np.mean(quiet)):.0f}",
                f"{float(left.some[own].mean()):.2f}",
            ]
        )
    return table(
        ["pairs", "how many", "% without a recommendation", "mean probability that one is right"], body
    )


def answers(fair: Sequence[Row], shares: Sequence[np.ndarray]) -> str:
    named = [{r["ks"][j] for j in standing_out(p, FACTOR)} for r, p in zip(fair, shares, strict=True)]
    nested = [r["accepted"] <= own for r, own in zip(fair, named, strict=True) if len(r["accepted"]) > 1]
    some = [bool(r["accepted"] & own) for r, own in zip(fair, named, strict=True)]
    single = [len(own) for r, own in zip(fair, named, strict=True) if len(r["accepted"]) == 1]
    return (
        f"If two numbers are right ({len(nested)} pairs, clusters of clusters), the answers name both in "
        f"{100 * float(np.mean(nested)):.0f} %. If one is, they name more than one in "
        f"{100 * float(np.mean([s > 1 for s in single])):.0f} %. "
        f"A right number is among the answers in {100 * float(np.mean(some)):.0f} % of the fair pairs."
    )


def concluded(row: Row) -> Stated:
    """Return what choose_k says with the weights that are now in force, from the values of a row."""
    stack = stack_of("numbers")
    shares = stack.probabilities({name: said(row, name) for name in stack.criteria}, len(row["ks"]))
    by_number = dict(zip(row["ks"], shares.tolist(), strict=True))
    best = max(by_number, key=lambda k: (round(by_number[k], 9), -k))
    structure = {name: value for name, value in row["structure"].items() if value is not None}
    return stated(Verdict(best, (), (), by_number), structure, min(row["n"], MOST_POINTS))


def report_tried(path: Path) -> str:
    """Return the tables for laws and families to which nothing was fitted, as Markdown."""
    rows = rows_of(path)
    conclusions = [concluded(row) for row in rows]
    likely = [likeliest(own.k, own.probability) for own in conclusions]
    said_of = np.array([own.probability[k] for own, k in zip(conclusions, likely, strict=True)])
    hit = np.array([k in r["accepted"] for r, k in zip(rows, likely, strict=True)], float)
    quiet = [own.k is None for own in conclusions]
    fair = [i for i, r in enumerate(rows) if r["accepted"]]
    batteries = list(dict.fromkeys(rows[i]["battery"] for i in fair))

    def share(name: str, battery: str) -> list[float]:
        own = [i for i in fair if rows[i]["battery"] == battery]
        picks = [likely[i] if name == "verdict" else vote(rows[i], name) for i in own]
        return by_set([rows[i] for i in own], lambda j: picks[j] in rows[own[j]]["accepted"])

    def mean(name: str) -> float:
        return float(np.mean([np.mean(share(name, b)) for b in batteries]))

    names = ["verdict", *sorted([*CRITERIA, PLURALITY], key=lambda name: -mean(name))[:6]]
    body = [[name, f"{100 * mean(name):.0f}", *(cell(share(name, b)) for b in batteries)] for name in names]
    body.append(["sets", "", *(str(len(share("verdict", b))) for b in batteries)])
    by_battery, _ = calibration(said_of, hit, _shares(rows))
    by_pair, _ = calibration(said_of, hit, np.ones(len(rows)))
    without = [i for i, r in enumerate(rows) if not r["right"]]
    loud: dict[str, list[bool]] = defaultdict(list)
    for i in without:
        loud[rows[i]["family"]].append(not quiet[i])
    often = [
        f"{family.replace('_', ' ')} {100 * np.mean(own):.0f} %" for family, own in loud.items() if any(own)
    ]
    return "\n\n".join(
        [
            f"{len({r['set'] for r in rows})} sets, {len(rows)} pairs of a set and an estimator; {len(fair)} pairs are "
            f"fair, {len(without)} are of points without clusters ({len(loud)} kinds).",
            table(["criterion", "mean of families", *(b.replace("_", " ") for b in batteries)], body),
            f"No number is recommended in {100 * np.mean([quiet[i] for i in without]):.1f} % of the pairs without "
            f"clusters, and in {100 * np.mean([quiet[i] for i in fair]):.1f} % of the fair ones. One is recommended "
            f"of: {', '.join(often)}.",
            f"The expected calibration error of the stated probability is {by_pair:.3f} if pairs count alike, and "
            f"{by_battery:.3f} if families do.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("collect", "fit", "report", "try", "tried"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--repeats", type=int, help="of each battery, or of each new one; default 45, or 8")
    parser.add_argument("--first", type=int, help="first seed; default 0, or 1000")
    given = parser.parse_args()
    if given.what in ("collect", "try"):
        warnings.filterwarnings("ignore")
        fresh = given.what == "try"
        draw, repeats, first = (to_be_tried, 8, 1000) if fresh else (point_sets, 45, 0)
        sets = draw(
            repeats if given.repeats is None else given.repeats,
            first if given.first is None else given.first,
        )
        collect(given.file, sets, measured)
    elif given.what == "fit":
        fit(given.file)
    elif given.what == "report":
        write(BEGIN, END, report(given.file))
    else:
        write(BEGIN_TRIED, END_TRIED, report_tried(given.file))


def write(begin: str, end: str, text: str) -> None:
    """Put a part of the page between its marks."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    _, _, tail = rest.partition(end)
    PAGE.write_text(f"{head}{begin}\n\n{text}\n\n{end}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
