"""How often nominal 95 % intervals of a classifier's scores hold the true value, and how often tests reject a truth.

python benchmarks/classifier_coverage.py [--replicates 2000]
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.special import ndtr

from adjudge.indices.catalog import find_index
from adjudge.inference.auc import auc_interval, compare_areas, placements
from adjudge.inference.class_intervals import intervals_by_class, intervals_of_labels
from adjudge.inference.cross_validation import five_by_two_f_test, five_by_two_t_test
from adjudge.inference.diversity_intervals import diversity_intervals
from adjudge.inference.groups import newcombe, pooled_z
from adjudge.inference.paired_losses import compare_losses
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import DecisionForecasts
from harness import markdown, write_page

BY_CLASS = ("precision", "recall", "specificity", "f1", "jaccard", "matthews_correlation")
AS_A_WHOLE = ("accuracy", "macro_f1", "balanced_accuracy", "cohen_kappa", "matthews_correlation", "g_mean")
#: Shares of the classes, and how often a class is told.
CLASSIFIERS = {
    "two classes, 0.8 right": ((0.5, 0.5), 0.8),
    "rare class (5 %), 0.9 right": ((0.05, 0.95), 0.9),
    "near-perfect, 0.99 right": ((0.5, 0.5), 0.99),
    "five classes, 0.7 right": ((0.4, 0.25, 0.2, 0.1, 0.05), 0.7),
}
SIZES = (50, 200, 1000)
POPULATION = 10**12
EXCEPTIONS = (
    "Exceptions: F1, its mean over classes and kappa where a class has fewer than about five instances (down to "
    "0.85); areas above 0.99 (down to 0.90, and the paired test then rejects too seldom); Q and kappa of correctness "
    "where fewer than about five instances are wrong in both models (down to 0.67). The 5x2cv tests reject too seldom "
    "if the folds are independent. Calibration errors have no interval: resamples are worse calibrated than the "
    "instances."
)


def law(shares, right):
    """Joint law of truth and prediction."""
    k = len(shares)
    table = np.full((k, k), (1 - right) / (k - 1)) * np.array(shares)[:, None]
    np.fill_diagonal(table, np.array(shares) * right)
    return table


def of_labels(rng, replicates):
    rows = []
    for name, (shares, right) in CLASSIFIERS.items():
        table = law(shares, right)
        k = len(shares)
        population = Confusion(list(range(k)), np.rint(table * POPULATION).astype(np.int64))
        records = [find_index(index, "classification") for index in AS_A_WHOLE]
        truth = {r.name: r.of(population.by_class()) for r in records}
        from adjudge.indices.class_measures import value_by_class

        first = {m: value_by_class(m, population.by_class())[0] for m in BY_CLASS}
        for n in SIZES:
            held = {m: [] for m in (*AS_A_WHOLE, *(f"class 0: {m}" for m in BY_CLASS))}
            for _ in range(replicates):
                drawn = Confusion(list(range(k)), rng.multinomial(n, table.ravel()).reshape(k, k))
                counts = drawn.by_class()
                for index, interval in intervals_of_labels(records, drawn, counts, 0.95).items():
                    if not math.isnan(interval.low):
                        held[index].append(interval.low <= truth[index] <= interval.high)
                for m in BY_CLASS:
                    own = intervals_by_class(counts, m, 0.95)[0]
                    if not math.isnan(own.low):
                        held[f"class 0: {m}"].append(own.low <= first[m] <= own.high)
            rows.append([name, str(n), *(f"{np.mean(h):.3f}" if h else "-" for h in held.values())])
    return markdown(["classifier", "n", *(m.replace("_", " ") for m in held)], rows)


def forecasts(scores, codes):
    return DecisionForecasts([0, 1], codes, scores, None, 1)


def of_areas(rng, replicates):
    rows = []
    for separation, share in ((1.0, 0.5), (1.0, 0.1), (2.0, 0.5), (3.5, 0.5), (3.5, 0.1)):
        area = float(ndtr(separation / math.sqrt(2)))
        for n in SIZES:
            m = max(2, round(n * share))
            codes = np.r_[np.ones(m, np.int64), np.zeros(n - m, np.int64)]
            held = {"logit-t": [], "logit-delong": [], "delong": []}
            rejected = []
            for _ in range(replicates):
                shared = rng.normal(size=n)
                one, other = (
                    0.7 * shared + 0.714 * rng.normal(size=n) + separation * codes for _ in range(2)
                )
                placed, beside = placements(forecasts(one, codes)), placements(forecasts(other, codes))
                for method, found in held.items():
                    interval = auc_interval(placed, method=method)
                    found.append(interval.low <= area <= interval.high)
                p = compare_areas(placed, beside).test.p_value
                rejected.append(p < 0.05)
            rows.append(
                [
                    f"{area:.3f}",
                    f"{m} of {n}",
                    *(f"{np.mean(h):.3f}" for h in held.values()),
                    f"{np.mean(rejected):.3f}",
                ]
            )
    return markdown(
        [
            "area",
            "positives",
            "logit-t (default)",
            "logit-DeLong",
            "DeLong",
            "size of the paired test at 0.05",
        ],
        rows,
    )


def of_pairs(rng, replicates):
    records = ["q_statistic", "correctness_correlation", "correctness_kappa", "disagreement", "double_fault"]
    records += ["complementarity", "negative_flip_rate", "positive_flip_rate", "new_error_share"]
    rows = []
    for shares in ((0.70, 0.12, 0.08, 0.10), (0.92, 0.04, 0.02, 0.02)):
        population = Agreement(*(int(s * POPULATION) for s in shares))
        truth = {name: find_index(name, "diversity").of(population) for name in records}
        for n in SIZES:
            held = {name: [] for name in records}
            for _ in range(replicates):
                found = diversity_intervals(Agreement(*rng.multinomial(n, shares).tolist()))
                for name in records:
                    if not math.isnan(found[name].low):
                        held[name].append(found[name].low <= truth[name] <= found[name].high)
            rows.append([str(shares), str(n), *(f"{np.mean(h):.3f}" for h in held.values())])
    return markdown(["BR, RW, WR, BW", "n", *(name.replace("_", " ") for name in records)], rows)


def of_tests(rng, replicates):
    rows = []
    for n in (30, 200):
        t, z, held = [], [], []
        for _ in range(replicates):
            one, other = rng.gamma(0.5, size=(2, n))
            t.append(compare_losses(one, other).test.p_value < 0.05)
            x, y = rng.binomial(n, 0.9), rng.binomial(3 * n, 0.9)
            z.append(pooled_z(x, n, y, 3 * n)[1] < 0.05)
            low, high = newcombe(x, n, y, 3 * n)
            held.append(low <= 0 <= high)
        rows.append([str(n), f"{np.mean(t):.3f}", f"{np.mean(z):.3f}", f"{np.mean(held):.3f}"])
    first = markdown(
        [
            "n",
            "paired t of skewed losses",
            "group against the rest (pooled z)",
            "coverage of Newcombe's interval",
        ],
        rows,
    )
    t, f = [], []
    for _ in range(replicates):
        one, other = rng.normal(size=(2, 5, 2))
        t.append(five_by_two_t_test(one, other).p_value < 0.05)
        f.append(five_by_two_f_test(one, other).p_value < 0.05)
    second = markdown(["5x2cv t", "5x2cv F"], [[f"{np.mean(t):.3f}", f"{np.mean(f):.3f}"]])
    return f"{first}\n\nOf independent normal scores in each fold:\n\n{second}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    given = parser.parse_args()
    rng = np.random.default_rng(20)
    parts = [
        "Share of the replicates whose nominal 95 % interval holds the true value, and share of true hypotheses that a "
        f"test at 0.05 rejects; {given.replicates:,} replicates each, of scores of labels a quarter. Replicates for "
        "which a score is undefined are left out.",
        EXCEPTIONS,
        "## Scores of labels",
        of_labels(rng, max(1, given.replicates // 4)),
        "## Areas under ROC curves",
        of_areas(rng, given.replicates),
        "## Two classifiers",
        of_pairs(rng, given.replicates),
        "## Tests",
        of_tests(rng, given.replicates),
    ]
    write_page("classifier_coverage", "Coverage of intervals of classifiers", "\n\n".join(parts))


if __name__ == "__main__":
    main()
