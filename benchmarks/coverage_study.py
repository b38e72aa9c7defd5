"""How often do nominal 95 % intervals hold the true value, and how often do tests at 5 % reject what is true?

python benchmarks/coverage_study.py [--replicates 300] [--parts external,models,classifiers,points,tests]
                                    [--output docs/benchmarks] [--quick]

The grid was not used to make the intervals: those were tuned on other accuracies, sizes and numbers of clusters. For
each cell of it, samples are drawn from a known law, and each interval is asked whether it holds the index of that law.
A refused interval counts as refused; a cell where more than nine of ten samples are refused is not judged.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

from adjudge.indices.catalog import find_index, list_indices
from adjudge.inference.intervals import (
    classification_intervals,
    clustering_intervals_of,
    external_intervals,
)
from adjudge.inference.samples import Sample
from adjudge.inference.significance import equal_goodness_of, mcnemar_test
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.contingency import Contingency

MEASURES = [record.name for record in list_indices("comparative")]
# Functions of one of those which are left in, and of the same coverage.
SAME_AS = {
    "rand": ("rogers_tanimoto", "gower_legendre", "hamann", "mirkin"),
    "jaccard": ("f_measure", "f_alpha", "sokal_sneath1"),
    "kulczynski": ("mcconnaughey",),
    "pivoted_accuracy": ("classification_error", "normalized_accuracy"),
    "nmi": ("v_measure", "ami"),
    "nmi_joint": ("normalized_variation_of_information", "ami_joint"),
    "nmi_max": ("normalized_information_distance", "ami_max"),
    "nmi_min": ("ami_min",),
    "nmi_geometric": ("ami_geometric",),
}
LEFT_OUT = {name for names in SAME_AS.values() for name in names}
# Indices that are read most: all replicates; of the others a third.
HEADLINE = {
    "rand",
    "adjusted_rand",
    "jaccard",
    "fowlkes_mallows",
    "mutual_information",
    "nmi",
    "variation_of_information",
    "bcubed_f",
    "element_centric",
}
# No value of the population: it grows with the number of instances.
NO_POPULATION = {"mcnemar", "phi_crit"}
POPULATION = 10**9


def sizes_of(k, kind):
    shares = np.ones(k) if kind == "equal" else 0.75 ** np.arange(k)
    return shares / shares.sum()


def spread(k, accuracy):
    law = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(law, accuracy)
    return law


def merged(law):
    """Each two neighbouring predicted clusters as one."""
    k = law.shape[-1]
    into = np.arange(k) // 2
    found = np.zeros((*law.shape[:-1], into.max() + 1))
    np.add.at(found, (..., into), law)
    return found


def split(law):
    """Each predicted cluster as two halves."""
    return np.repeat(law / 2, 2, axis=-1)


def one_never(law):
    """The last cluster is never predicted: its instances go to the first."""
    found = law.copy()
    found[..., 0] += found[..., -1]
    return found[..., :-1]


SHAPES = {"as many": lambda law: law, "half as many": merged, "twice as many": split, "one never": one_never}


def external_laws(quick):
    ks = (2, 60) if quick else (2, 5, 12, 60)
    accuracies = (0.5, 0.995) if quick else (0.5, 0.8, 0.95, 0.995)
    for k, kind, accuracy in itertools.product(ks, ("equal", "geometric"), accuracies):
        yield f"K={k} {kind} {accuracy}", sizes_of(k, kind)[:, None] * spread(k, accuracy)
    for k, shape in itertools.product((4, 12), list(SHAPES)[1:]):
        law = sizes_of(k, "geometric")[:, None] * spread(k, 0.85)
        yield f"K={k} geometric 0.85 {shape}", SHAPES[shape](law)
    for k in (2, 12):
        yield f"K={k} identical", np.diag(sizes_of(k, "geometric"))


def model_laws(quick):
    """Truth, P and Q."""

    def law(k, kind, primary, alternative, copied=0.0):
        shares = sizes_of(k, kind)
        p, q = spread(k, primary), spread(k, alternative)
        joint = (1 - copied) * np.einsum("g,gp,gq->gpq", shares, p, q)
        return joint + copied * np.einsum("g,gp,pq->gpq", shares, p, np.eye(k))

    pairs = ((0.5, 0.45), (0.8, 0.7), (0.95, 0.9), (0.995, 0.98))
    for k, kind, (p, q) in itertools.product((2, 12) if quick else (2, 4, 12), ("equal", "geometric"), pairs):
        yield f"K={k} {kind} {p} and {q}", law(k, kind, p, q)
    yield "K=4 equal 0.9 and 0.9, 0.8 copied", law(4, "equal", 0.9, 0.9, 0.8)
    three = law(3, "geometric", 0.8, 0.75)
    yield "truth 3, P 6, Q 2", merged(split(np.swapaxes(three, 1, 2)).swapaxes(1, 2))
    yield "K=4 equal 0.85, Q never one", one_never(law(4, "equal", 0.85, 0.85))
    yield "K=4 equal identical models", law(4, "equal", 0.8, 0.8, 1.0)


def same_goodness_laws():
    """Truth, P and Q that are equally good."""
    for k, kind, accuracy in itertools.product(
        (2, 3, 5, 12), ("equal", "geometric"), (0.45, 0.6, 0.8, 0.95, 0.99)
    ):
        shares, p = sizes_of(k, kind), spread(k, accuracy)
        yield f"K={k} {kind} {accuracy}", np.einsum("g,gp,gq->gpq", shares, p, p)


class Cell:
    """What the intervals of one law and one number of instances did."""

    def __init__(self, names):
        self.held, self.width, self.values, self.refused = ({name: [] for name in names} for _ in range(4))

    def add(self, intervals, truth, values):
        for name, interval in intervals.items():
            self.values[name].append(values[name] if interval.estimate is None else interval.estimate)
            self.refused[name].append(math.isnan(interval.low))
            if not math.isnan(interval.low):
                # Rounding must not decide where an end is the truth.
                slack = 1e-9 * max(1.0, abs(truth[name]))
                self.held[name].append(interval.low - slack <= truth[name] <= interval.high + slack)
                self.width[name].append(interval.high - interval.low)

    def rows(self, part, law, n):
        for name, held in self.held.items():
            refused = float(np.mean(self.refused[name])) if self.refused[name] else 1.0
            if math.isnan(np.sum(self.values[name])) or not self.refused[name]:
                continue
            oracle = 2 * 1.959964 * float(np.std(self.values[name]))
            judged = refused <= 0.8
            yield {
                "part": part,
                "law": law,
                "n": n,
                "name": name,
                "replicates": len(held),
                "refused": refused,
                "coverage": float(np.mean(held)) if judged else None,
                "width": float(np.mean(self.width[name])) / oracle if judged and oracle > 1e-12 else None,
            }


def external(generator, replicates, quick):
    names = [
        record.name
        for record in list_indices("external")
        if record.name not in LEFT_OUT and record.name not in NO_POPULATION
    ]
    for law_name, law in external_laws(quick):
        population = Contingency.from_matrix(np.round(law * POPULATION).astype(np.int64))
        truth = {name: find_index(name)(population) for name in names}
        for n in (30, 300) if quick else (30, 100, 300, 1000, 3000):
            cell = Cell(names)
            for i, counts in enumerate(generator.multinomial(n, law.ravel(), replicates)):
                table = Contingency.from_matrix(counts.reshape(law.shape))
                wanted = names if i < replicates // 3 else [name for name in names if name in HEADLINE]
                # van Dongen counts instances.
                there = truth | {"van_dongen": truth["van_dongen"] * n / POPULATION}
                found = external_intervals(wanted, table)
                cell.add(found, there, {name: find_index(name)(table) for name in wanted})
            yield from cell.rows("external", law_name, n)


def sample_of(counts):
    g, p, q = np.nonzero(counts)
    return Sample(counts[g, p, q], Sample.groupings_of(g, p, q))


def agreement_of(sample):
    return JoinedPairs(sample.n, *sample.pair_sums).agreement


def models(generator, replicates, quick):
    for law_name, law in model_laws(quick):
        population = agreement_of(sample_of(np.round(law * POPULATION).astype(np.int64)))
        truth = {m: find_index(m, "comparative").of(population) for m in MEASURES}
        for n in (30, 300) if quick else (30, 100, 300, 1000, 3000):
            cell = Cell(MEASURES)
            for counts in generator.multinomial(n, law.ravel(), replicates):
                sample = sample_of(counts.reshape(law.shape))
                agreement = agreement_of(sample)
                values = {m: find_index(m, "comparative").of(agreement) for m in MEASURES}
                if not any(math.isnan(v) for v in values.values()):
                    cell.add(clustering_intervals_of(sample), truth, values)
            yield from cell.rows("models", law_name, n)


def classifiers(generator, replicates, quick):
    shares = {
        "typical": (0.70, 0.12, 0.08, 0.10),
        "good": (0.93, 0.035, 0.02, 0.015),
        "poor": (0.3, 0.25, 0.2, 0.25),
        "rare disagreement": (0.965, 0.01, 0.005, 0.02),
        "very rare": (0.99, 0.004, 0.002, 0.004),
    }
    for law_name, law in shares.items():
        population = Agreement(*(round(p * POPULATION) for p in law))
        truth = {m: find_index(m, "comparative").of(population) for m in MEASURES}
        for n in (30, 300) if quick else (30, 100, 300, 1000, 3000):
            cell = Cell(MEASURES)
            for counts in generator.multinomial(n, law, replicates).tolist():
                agreement = Agreement(*counts)
                values = {m: find_index(m, "comparative").of(agreement) for m in MEASURES}
                if not any(math.isnan(v) for v in values.values()):
                    cell.add(classification_intervals(agreement), truth, values)
            yield from cell.rows("classifiers", law_name, n)


PARTS = {"external": external, "models": models, "classifiers": classifiers}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rows = []
    for part in options.parts.split(","):
        start = time.perf_counter()
        rows += PARTS[part](np.random.default_rng(2026), options.replicates, options.quick)
        print(part, f"{time.perf_counter() - start:.0f} s")
    if options.output:
        (options.output / "coverage.json").write_text(json.dumps(rows))
    by_name = defaultdict(list)
    for row in rows:
        by_name[row["part"], row["name"]].append(row)
    for key, own in by_name.items():
        judged = np.array([r["coverage"] for r in own if r["coverage"] is not None])
        widths = [r["width"] for r in own if r["width"] is not None and r["n"] >= 300]
        print(
            f"{key[0]:12} {key[1]:40} cells {len(judged):3}/{len(own):3}"
            f" inside {np.mean((judged >= 0.92) & (judged <= 0.98)):.3f} below {np.mean(judged < 0.92):.3f}"
            f" <.90 {np.mean(judged < 0.9):.3f} above {np.mean(judged > 0.98):.3f} least {judged.min():.3f}"
            f" width {np.median(widths):.3f} {np.quantile(widths, 0.9):.3f}"
        )


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
