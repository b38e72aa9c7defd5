"""How often nominal 95 % intervals of a classifier's scores hold the true value, and how often tests reject a truth.

python benchmarks/classifier_coverage.py [--replicates 2000] [--tables DIRECTORY] [--only TABLE]

Tables are stored in the directory as they are finished, and not made again: a run can be broken off, and tables can be
made by several processes side by side. The page is written when all are there.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from adjudge import evaluate
from adjudge.given.labels import Labels
from adjudge.given.ratings import RatedUnits
from adjudge.indices.catalog import find_index, list_indices
from adjudge.inference.auc import auc_interval, compare_areas, placements
from adjudge.inference.class_intervals import intervals_by_class, intervals_of_labels
from adjudge.inference.cross_validation import five_by_two_f_test, five_by_two_t_test
from adjudge.inference.diversity_intervals import diversity_intervals
from adjudge.inference.groups import newcombe, pooled_z
from adjudge.inference.paired_differences import (
    PairedLabels,
    differences_of_forecasts,
    differences_of_labels,
)
from adjudge.inference.paired_losses import compare_losses
from adjudge.inference.rater_intervals import rater_intervals
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import DecisionForecasts, ProbabilityForecasts
from adjudge.statistics.ratings import RatingCounts
from harness import markdown, write_page

BY_CLASS = ("precision", "recall", "specificity", "f1", "jaccard", "matthews_correlation")
AS_A_WHOLE = ("accuracy", "macro_f1", "balanced_accuracy", "cohen_kappa", "matthews_correlation", "g_mean")
#: Shares of the classes, and how often a class is told.
CLASSIFIERS = {
    "two classes, 0.8 right": ((0.5, 0.5), 0.8),
    "rare class (5 %), 0.9 right": ((0.05, 0.95), 0.9),
    "near-perfect, 0.99 right": ((0.5, 0.5), 0.99),
    "five classes, 0.7 right": ((0.4, 0.25, 0.2, 0.1, 0.05), 0.7),
    "rare class (1 %), 0.97 right": ((0.01, 0.99), 0.97),
    "ten classes, shares 1/k, 0.9 right": (tuple(0.3414171521 / k for k in range(1, 11)), 0.9),
    "sixty even classes, 0.6 right": ((1 / 60,) * 60, 0.6),
}
#: Classes up to which the scores of the first of them are judged, too.
FEW_CLASSES = 10
SIZES = (50, 200, 1000)
POPULATION = 10**12
EXCEPTIONS = (
    "Intervals with few mistakes are wide (0.97 to 1), as are differences of accuracies of 50 instances of which few "
    "are wrong. The 5x2cv tests reject too seldom if the folds are independent. Calibration errors have no interval, "
    "because resamples are worse calibrated than the instances; neither have rankings of which fewer than five "
    "instances of a class are out of order, because resamples hardly vary."
)
#: Coverage below which a cell is named.
LOW = 0.9


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
                for m in BY_CLASS if k <= FEW_CLASSES else ():
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
            held = {"score": [], "logit-delong": [], "delong": []}
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
            "score (default)",
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


#: Shares of the positive class, and how far its scores lie from the others', for two models.
FORECASTERS = {
    "balanced": (0.5, 1.5, 1.2),
    "rare class (10 %)": (0.1, 1.5, 1.2),
    "near-perfect": (0.5, 4.0, 3.5),
    "the same model twice": (0.5, 1.5, 1.5),
}
DIFFERENCES = (
    "accuracy",
    "macro_f1",
    "matthews_correlation",
    "roc_auc",
    "log_loss",
    "brier_score",
    "d2_log_loss",
)
RESAMPLED = ("average_precision",)


def two_models(rng, n, share, *separations):
    """Truth and the probabilities by two models whose errors are correlated; each is calibrated."""
    codes = (rng.random(n) < share).astype(np.int64)
    if 0 < n < 10_000:
        # Both classes occur.
        codes[0], codes[1] = 0, 1
    shared = rng.normal(size=n)
    found = []
    for separation in separations:
        x = 0.6 * shared + 0.8 * rng.normal(size=n) + separation * (codes - 0.5)
        logit = separation * x + math.log(share / (1 - share))
        found.append(1 / (1 + np.exp(-logit)))
    return codes, found


def as_forecasts(codes, p):
    return ProbabilityForecasts([0, 1], codes, p, None, 1)


def scores_and_differences(codes, both, names, confidence):
    """Return the differences of scores of labels and of probabilities, each with its interval."""
    of_labels = [find_index(m, "classification") for m in names if m in DIFFERENCES[:3]]
    of_forecasts = [find_index(m, "classification") for m in names if m not in DIFFERENCES[:3]]
    truth, one, other = (
        Labels(c, 0, 2, [0, 1]) for c in (codes, *((p >= 0.5).astype(np.int64) for p in both))
    )
    right = [(labels.codes == codes) for labels in (one, other)]
    found = differences_of_labels(
        of_labels,
        PairedLabels(truth, one, other, None, [0, 1], 1),
        Agreement.from_outcomes(*right),
        confidence,
    )
    first, second = (as_forecasts(codes, p) for p in both)
    return found | differences_of_forecasts(of_forecasts, first, second, confidence)


def true_values(rng, names, share, *separations):
    codes, both = two_models(rng, 1_000_000, share, *separations)
    found = []
    for p in both:
        judged = evaluate(
            codes, (p >= 0.5).astype(int), probabilities=p, kind="classification", indices=list(names)
        )
        found.append(np.array([judged[m] for m in names]))
    return found


def of_differences(rng, replicates, names):
    rows = []
    for name, (share, *separations) in FORECASTERS.items():
        first, second = true_values(rng, names, share, *separations)
        for n in SIZES:
            held = {m: [] for m in names}
            rejected = {m: [] for m in names}
            for _ in range(replicates):
                found = scores_and_differences(*two_models(rng, n, share, *separations), names, 0.95)
                for m, truth in zip(names, first - second, strict=True):
                    interval, test = found[m].interval, found[m].test
                    if not math.isnan(interval.low):
                        held[m].append(interval.low <= truth <= interval.high)
                        rejected[m].append(test is not None and test.p_value < 0.05)
            cells = [f"{np.mean(h):.3f}" if h else "-" for h in held.values()]
            if name == "the same model twice":
                cells = [f"{c} ({np.mean(rejected[m]):.3f})" for m, c in zip(names, cells, strict=True)]
            rows.append([name, str(n), *cells])
    return markdown(["models", "n", *(m.replace("_", " ") for m in names)], rows)


def of_groups(rng, replicates):
    """Coverage of the difference between a group and the rest, which is three times as large."""
    names = ("accuracy", "macro_f1", "roc_auc", "log_loss", "brier_score")
    rows = []
    for name, (share, one, other) in list(FORECASTERS.items())[:3]:
        values = true_values(rng, names, share, one, other)
        for n in (30, 100, 500):
            held = {m: [] for m in names}
            for _ in range(replicates):
                here, (p, _) = two_models(rng, n, share, one, one)
                there, (q, _) = two_models(rng, 3 * n, share, other, other)
                codes, both = np.r_[here, there], np.r_[p, q]
                judged = evaluate(
                    codes,
                    (both >= 0.5).astype(int),
                    probabilities=both,
                    kind="classification",
                    indices=list(names),
                    groups=np.repeat(["here", "there"], [n, 3 * n]),
                    confidence=0.95,
                )
                for row in judged.differences:
                    if row.group == "here" and row.score.interval is not None:
                        m = row.score.index.name
                        truth = values[0][names.index(m)] - values[1][names.index(m)]
                        held[m].append(row.score.low <= truth <= row.score.high)
            rows.append(
                [name, f"{n} and {3 * n}", *(f"{np.mean(h):.3f}" if h else "-" for h in held.values())]
            )
    return markdown(["models", "n", *(m.replace("_", " ") for m in names)], rows)


#: Cuts of a normal variable into four categories, the raters' error, and their number.
RATED = {
    "even categories, 3 raters": ((-0.8, 0.0, 0.8), 0.6, 3),
    "even categories, 2 raters": ((-0.8, 0.0, 0.8), 0.4, 2),
    "one category prevails, 3 raters": ((0.3, 0.9, 1.5), 0.6, 3),
    "one category prevails, 2 raters": ((0.5, 1.0, 2.0), 0.4, 2),
}


def rated(rng, n, cuts, error, raters):
    """Count ratings of units by raters who see the same variable, each with an error."""
    seen = rng.normal(size=n)[:, None] + error * rng.normal(size=(n, raters))
    return RatingCounts.make(RatedUnits(np.searchsorted(cuts, seen).astype(np.int64), [0, 1, 2, 3]))


def of_raters(rng, replicates):
    records = [record for record in list_indices("raters") if record.name != "raters_agreement"]
    rows = []
    for name, given in RATED.items():
        population = rated(rng, 300_000, *given)
        truth = {record.name: record.of(population) for record in records}
        for n in (15, 30, 60):
            held = {record.name: [] for record in records}
            for _ in range(replicates):
                for index, own in rater_intervals(records, rated(rng, n, *given)).items():
                    if not math.isnan(own.low):
                        held[index].append(own.low <= truth[index] <= own.high)
            rows.append([name, str(n), *(f"{np.mean(h):.3f}" for h in held.values())])
    return markdown(["ratings", "units", *(m.replace("_", " ") for m in held)], rows)


def low_cells(table, columns=None):
    """Name the cells of a table of coverages that are below 0.90, row by row."""
    heads, _, *rows = ([cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines())
    found = []
    for row in rows:
        cells = {
            head: float(cell.split()[0])
            for head, cell in zip(heads[2:], row[2:], strict=True)
            if cell != "-" and (columns is None or head in columns)
        }
        low = [f"{head} {share:.3f}" for head, share in cells.items() if share < LOW]
        if low:
            found.append(f"- {', '.join(row[:2])}: {', '.join(low)}")
    return found


def parts(replicates):
    """Return what makes each table, and the words above it."""
    quarter, fewer = max(1, replicates // 4), max(1, replicates // 20)
    return {
        "Scores of labels": (lambda rng: of_labels(rng, quarter), ""),
        "Areas under ROC curves": (lambda rng: of_areas(rng, replicates), ""),
        "Two classifiers": (lambda rng: of_pairs(rng, replicates), ""),
        "Differences of two classifiers": (
            lambda rng: of_differences(rng, quarter, DIFFERENCES),
            f"{quarter:,} replicates; in brackets the share that the test at 0.05 rejects, if both models are equally "
            "good.",
        ),
        "Differences by resampling": (
            lambda rng: of_differences(rng, fewer, RESAMPLED),
            f"Percentiles of 300 resamples, {fewer:,} replicates.",
        ),
        "A group and the rest": (
            lambda rng: of_groups(rng, quarter),
            f"{quarter:,} replicates, of a group and a rest of three times its size.",
        ),
        "Several raters": (lambda rng: of_raters(rng, quarter), f"{quarter:,} replicates, four categories."),
        "Tests": (lambda rng: of_tests(rng, replicates), ""),
    }


def page(tables, words, replicates):
    """Put the tables together, and name their low cells."""
    # Other methods and a test stand beside the default of areas.
    of_default = {"Areas under ROC curves": ["score (default)"]}
    low = [
        line
        for name, table in tables.items()
        if name != "Tests" and (own := low_cells(table, of_default.get(name)))
        for line in (f"\n{name}:\n", *own)
    ]
    found = [
        "Share of the replicates whose nominal 95 % interval holds the true value, and share of true hypotheses that a "
        f"test at 0.05 rejects; {replicates:,} replicates each, of scores of labels a quarter. Replicates for "
        "which a score is undefined are left out.",
        EXCEPTIONS,
        f"## Cells below {LOW:.2f}",
        "\n".join(low).strip() or "None.",
    ]
    for name, table in tables.items():
        found += [f"## {name}", *filter(None, [words[name]]), table]
    return "\n\n".join(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--tables", type=Path, default=None)
    parser.add_argument("--only", action="append")
    given = parser.parse_args()
    made = parts(given.replicates)
    folder = given.tables or Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    for seed, (name, (table, _)) in enumerate(made.items()):
        stored = folder / f"{name}.md"
        if not stored.exists() and (given.only is None or name in given.only):
            stored.write_text(table(np.random.default_rng([20, seed])))
    if all((folder / f"{name}.md").exists() for name in made):
        tables = {name: (folder / f"{name}.md").read_text() for name in made}
        words = {name: text for name, (_, text) in made.items()}
        write_page(
            "classifier_coverage",
            "Coverage of intervals of classifiers",
            page(tables, words, given.replicates),
        )


if __name__ == "__main__":
    main()
