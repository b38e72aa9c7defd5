"""How often do nominal 95 % intervals hold the true value? Prints tables in Markdown.

python benchmarks/coverage_study.py [--replicates 1000] [--resamples 400]
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np

from adjudge.indices.catalog import find_index, list_indices
from adjudge.inference.interval_methods import METHODS
from adjudge.inference.intervals import (
    classification_intervals,
    clustering_intervals_of,
    external_intervals,
)
from adjudge.inference.samples import Sample
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.contingency import Contingency

MEASURES = [record.name for record in list_indices("comparative")]
EXTERNAL = ["rand", "adjusted_rand", "jaccard", "fowlkes_mallows", "nmi", "pivoted_accuracy"]
SIZES = (40, 100, 1000)
# The population stands for itself as a sample of so many instances.
POPULATION = 10**9


def noisy_copies(shares, primary, alternative, copied=0.0):
    """Joint law of truth, P and Q: each keeps the truth with its accuracy; P copies Q with a probability."""
    k = len(shares)
    law = np.zeros((k, k, k))

    def spread(accuracy, g):
        row = np.full(k, (1 - accuracy) / (k - 1))
        row[g] = accuracy
        return row

    for g, share in enumerate(shares):
        independent = np.outer(spread(primary, g), spread(alternative, g))
        law[g] = share * ((1 - copied) * independent + copied * np.diag(spread(alternative, g)))
    return law


CLASSIFICATION = {
    "typical": (0.70, 0.12, 0.08, 0.10),
    "good": (0.92, 0.04, 0.02, 0.02),
    "rare disagreement": (0.965, 0.01, 0.005, 0.02),
    "WR = 0 (degenerate)": (0.90, 0.05, 0.0, 0.05),
}
CLUSTERING = {
    "K=3 unbalanced, .8 and .7": noisy_copies([0.5, 0.3, 0.2], 0.8, 0.7),
    "K=3, .95 and .9, correlated": noisy_copies([0.5, 0.3, 0.2], 0.95, 0.9, 0.5),
    "K=4 balanced, .85 and .8": noisy_copies([0.25] * 4, 0.85, 0.8),
    "K=2 balanced, .55 and .5 (nearly degenerate)": noisy_copies([0.5, 0.5], 0.55, 0.5),
    "Q perfect (RW = BW = 0, degenerate)": noisy_copies([0.5, 0.3, 0.2], 0.8, 1.0),
}


def print_table(title, names, rows):
    print(f"\n### {title}\n")
    print("| scenario | N | method | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 3) + "|")
    for scenario, n, method, covered in rows:
        print(f"| {scenario} | {n} | {method} | " + " | ".join(f"{c:.3f}" for c in covered) + " |")


def share_covered(intervals, truth, names):
    """Whether each interval holds the truth; rounding must not decide where an end is the truth."""
    return [intervals[m].low - 1e-9 <= truth[m] <= intervals[m].high + 1e-9 for m in names]


def classification(generator, replicates):
    rows = []
    for (scenario, law), n in itertools.product(CLASSIFICATION.items(), SIZES):
        population = Agreement(*(round(p * POPULATION) for p in law))
        truth = {m: find_index(m, "comparative").of(population) for m in MEASURES}
        hits = [
            share_covered(classification_intervals(Agreement(*counts)), truth, MEASURES)
            for counts in generator.multinomial(n, law, replicates).tolist()
        ]
        rows.append((scenario, n, "score", np.mean(hits, axis=0)))
    print_table("Prayatul measures of two classifiers", MEASURES, rows)


def sample_of(counts):
    g, p, q = np.nonzero(counts)
    return Sample(counts[g, p, q], Sample.groupings_of(g, p, q))


def clustering(generator, replicates, resamples):
    rows = []
    for (scenario, law), n, method in itertools.product(CLUSTERING.items(), SIZES, METHODS):
        population = sample_of(np.round(law * POPULATION).astype(np.int64))
        agreement = JoinedPairs(population.n, *population.pair_sums).agreement
        truth = {m: find_index(m, "comparative").of(agreement) for m in MEASURES}
        hits = []
        for counts in generator.multinomial(n, law.ravel(), replicates):
            intervals = clustering_intervals_of(
                sample_of(counts.reshape(law.shape)),
                method=method,
                n_resamples=resamples,
                random_state=generator,
            )
            hits.append(share_covered(intervals, truth, MEASURES))
        rows.append((scenario, n, method, np.mean(hits, axis=0)))
    print_table("Prayatul measures of two clusterings", MEASURES, rows)


def external(generator, replicates, resamples):
    rows = []
    for (scenario, law), n, method in itertools.product(CLUSTERING.items(), SIZES, METHODS):
        if "degenerate" in scenario:
            continue
        table = law.sum(axis=2)
        population = Contingency.from_matrix(np.round(table * POPULATION).astype(np.int64))
        truth = {m: find_index(m)(population) for m in EXTERNAL}
        # Bootstrapping indices of whole tables takes long: a quarter of the replicates will do.
        runs = replicates if method in ("score", "jackknife") else replicates // 4
        hits = []
        for counts in generator.multinomial(n, table.ravel(), runs):
            intervals = external_intervals(
                EXTERNAL,
                Contingency.from_matrix(counts.reshape(table.shape)),
                method=method,
                n_resamples=resamples,
                random_state=generator,
            )
            hits.append(share_covered(intervals, truth, EXTERNAL))
        rows.append((scenario + " (P)", n, method, np.mean(hits, axis=0)))
    print_table("External indices of P against the truth", EXTERNAL, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=400)
    options = parser.parse_args()
    generator = np.random.default_rng(0)
    classification(generator, options.replicates)
    clustering(generator, options.replicates, options.resamples)
    external(generator, options.replicates, options.resamples)
    error = 1.96 * np.sqrt(0.95 * 0.05 / options.replicates)
    print(f"\n{options.replicates} samples each: a coverage of 0.95 is measured to within {error:.3f}.")


if __name__ == "__main__":
    main()
