"""How often nominal 95 % intervals of a classifier's scores hold the true value, and how often tests reject a truth.

python benchmarks/classifier_coverage.py --store counts.jsonl [--replicates 1000] [--minutes 60] [--study Areas]
python benchmarks/classifier_coverage.py --store counts.jsonl --page

Each chunk of replicates has a seed of its own and is added to the store, so that a run goes on where the last one
ended, and several processes can share the work (each with a store of its own; --page reads them all).
"""

from __future__ import annotations

import argparse
import json
import math
import time
import zlib
from collections.abc import Iterator
from functools import cache, partial
from glob import glob
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from adjudge import evaluate
from adjudge.given.labels import Labels
from adjudge.given.ratings import RatedUnits
from adjudge.indices.catalog import find_index, list_indices
from adjudge.indices.class_measures import value_by_class
from adjudge.inference.classes.class_intervals import intervals_by_class, intervals_of_labels
from adjudge.inference.classes.diversity_intervals import diversity_intervals
from adjudge.inference.classes.rater_intervals import rater_intervals
from adjudge.inference.data_sets.cross_validation import five_by_two_f_test, five_by_two_t_test
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.differences.groups import newcombe, pooled_z
from adjudge.inference.differences.label_differences import PairedLabels, differences_of_labels
from adjudge.inference.forecasts.auc import auc_interval, compare_areas, placements
from adjudge.inference.forecasts.forecast_intervals import assessed, intervals_of_forecasts
from adjudge.inference.forecasts.paired_losses import compare_losses
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import DecisionForecasts, ProbabilityForecasts
from adjudge.statistics.ratings import RatingCounts
from classifier_coverage_rows import Found, Row, holds
from classifier_coverage_thresholds import of_rankings, of_threshold_differences, of_thresholds
from harness import DOCS, machine, markdown

BY_CLASS = ("precision", "recall", "specificity", "f1", "matthews_correlation", "informedness")
AS_A_WHOLE = ("accuracy", "macro_f1", "balanced_accuracy", "cohen_kappa", "matthews_correlation", "g_mean")
#: Shares of the classes, how often a class is told, and whether mistakes are uneven.
CLASSIFIERS = {
    "two classes, 0.8 right": ((0.5, 0.5), 0.8, False),
    "rare class (5 %), 0.9 right": ((0.05, 0.95), 0.9, False),
    "rare class (2 %), 0.6 to 0.95 right": ((0.02, 0.98), (0.6, 0.95), False),
    "rare class (1 %), 0.8 to 0.999 right": ((0.01, 0.99), (0.8, 0.999), False),
    "near-perfect, 0.99 right": ((0.5, 0.5), 0.99, False),
    "two classes, 0.999 right": ((0.3, 0.7), 0.999, False),
    "three classes, one rare (3 %), 0.5 right": ((0.03, 0.37, 0.6), 0.5, True),
    "five classes, 0.7 right": ((0.4, 0.25, 0.2, 0.1, 0.05), 0.7, False),
    "ten classes, 0.9 right, uneven mistakes": (tuple(np.arange(1, 11) / 55), 0.9, True),
    "sixty classes, 0.8 right, uneven mistakes": (tuple(np.arange(1, 61) / 1830), 0.8, True),
}
SIZES = (30, 50, 200, 1000, 3000)
FEWER_SIZES = (30, 200, 1000)
POPULATION = 10**12
#: Coverage below which a cell is named, and above which.
LOW, HIGH = 0.9, 0.99
#: Intervals of a cell with which it is shown: in others the score is mostly undefined, or its interval refused.
FEWEST = 20
#: Standard errors by which a cell is surely below.
SURELY = 2.6


def law(shares, right, uneven):
    """Joint law of truth and prediction; uneven mistakes fall on few classes."""
    k = len(shares)
    right = np.broadcast_to(right, k)
    mistakes = np.random.default_rng(7).dirichlet(np.full(k, 0.4), k) if uneven else np.ones((k, k))
    np.fill_diagonal(mistakes, 0.0)
    table = mistakes / mistakes.sum(axis=1, keepdims=True) * (1 - right)[:, None]
    np.fill_diagonal(table, right)
    return table * np.array(shares)[:, None]


def confusion(cells):
    return Confusion(list(range(len(cells))), np.asarray(cells, np.int64))


def against_rest(cells):
    """Return the table of the first class against the others."""
    return confusion(
        [[cells[0, 0], cells[0, 1:].sum()], [cells[1:, 0].sum(), cells[1:, 1:].sum()]]
    ).by_class()


@cache
def truths_of_labels(name):
    cells = np.rint(law(*CLASSIFIERS[name]) * POPULATION).astype(np.int64)
    counts, rest = confusion(cells).by_class(), against_rest(cells)
    whole = {m: find_index(m, "classification").of(counts) for m in AS_A_WHOLE}
    return whole, {m: value_by_class(m, rest)[0] for m in BY_CLASS}


def one_of_labels(name, n, rng):
    table = law(*CLASSIFIERS[name])
    whole, first = truths_of_labels(name)
    drawn = confusion(rng.multinomial(n, table.ravel()).reshape(table.shape))
    records = [find_index(m, "classification") for m in AS_A_WHOLE]
    found = intervals_of_labels(records, drawn, drawn.by_class(), 0.95)
    own = against_rest(drawn.matrix)
    return {m: holds(found[m], whole[m]) for m in AS_A_WHOLE} | {
        f"class 0: {m}": holds(intervals_by_class(own, m, 0.95)[0], first[m]) for m in BY_CLASS
    }


def of_labels():
    for name, (shares, *_) in CLASSIFIERS.items():
        for n in SIZES:
            if n >= len(shares):
                yield Row("Scores of labels", (name, str(n)), partial(one_of_labels, name, n))


def forecasts(scores, codes):
    return DecisionForecasts([0, 1], codes, scores, None, 1)


def one_of_areas(separation, m, n, rng):
    area = float(ndtr(separation / math.sqrt(2)))
    codes = np.r_[np.ones(m, np.int64), np.zeros(n - m, np.int64)]
    shared = rng.normal(size=n)
    one, other = (0.7 * shared + math.sqrt(0.51) * rng.normal(size=n) + separation * codes for _ in range(2))
    placed, beside = placements(forecasts(one, codes)), placements(forecasts(other, codes))
    found = {
        f"{method}{' (default)' * (method == 'score')}": holds(auc_interval(placed, method=method), area)
        for method in ("score", "logit-delong", "delong")
    }
    compared = compare_areas(placed, beside)
    p = compared.test.p_value
    return found | {
        "paired difference": holds(compared.interval, 0.0),
        "size of the paired test at 0.05": None if math.isnan(p) else p < 0.05,
    }


def of_areas():
    for separation, share in ((1.0, 0.5), (1.0, 0.1), (1.5, 0.02), (2.0, 0.5), (3.5, 0.5), (3.5, 0.1)):
        area = f"{ndtr(separation / math.sqrt(2)):.3f}"
        for n in SIZES:
            m = max(2, round(n * share))
            yield Row(
                "Areas under ROC curves", (area, f"{m} of {n}"), partial(one_of_areas, separation, m, n)
            )


PAIRS = ("q_statistic", "correctness_correlation", "correctness_kappa", "disagreement", "double_fault")
PAIRS += ("complementarity", "negative_flip_rate", "positive_flip_rate", "new_error_share")


def one_of_pairs(shares, n, rng):
    population = Agreement(*(int(s * POPULATION) for s in shares))
    found = diversity_intervals(Agreement(*rng.multinomial(n, shares).tolist()))
    return {m: holds(found[m], find_index(m, "diversity").of(population)) for m in PAIRS}


def of_pairs():
    for shares in ((0.70, 0.12, 0.08, 0.10), (0.92, 0.04, 0.02, 0.02), (0.45, 0.25, 0.05, 0.25)):
        for n in SIZES:
            yield Row("Two classifiers", (str(shares), str(n)), partial(one_of_pairs, shares, n))


def one_of_tests(n, rng):
    one, other = rng.gamma(0.5, size=(2, n))
    x, y = rng.binomial(n, 0.9), rng.binomial(3 * n, 0.9)
    low, high = newcombe(x, n, y, 3 * n)
    first, second = rng.normal(size=(2, 5, 2))
    return {
        "paired t of skewed losses": compare_losses(one, other).test.p_value < 0.05,
        "group against the rest (pooled z)": pooled_z(x, n, y, 3 * n)[1] < 0.05,
        "coverage of Newcombe's interval": low <= 0 <= high,
        "5x2cv t, independent folds": five_by_two_t_test(first, second).p_value < 0.05,
        "5x2cv F, independent folds": five_by_two_f_test(first, second).p_value < 0.05,
    }


def of_tests():
    for n in (30, 200):
        yield Row("Tests", ("true hypotheses", str(n)), partial(one_of_tests, n))


#: Shares of the positive class, and how far its scores lie from the others', for two models.
FORECASTERS = {
    "balanced": (0.5, 1.5, 1.2),
    "rare class (10 %)": (0.1, 1.5, 1.2),
    "rare class (3 %)": (0.03, 2.0, 1.0),
    "near-perfect": (0.5, 4.0, 3.5),
    "the same model twice": (0.5, 1.5, 1.5),
    "the same near-perfect model twice": (0.4, 3.5, 3.5),
}
OF_LABELS = ("accuracy", "macro_f1", "matthews_correlation", "balanced_accuracy")
OF_PROBABILITIES = ("roc_auc", "log_loss", "brier_score", "d2_log_loss")
DIFFERENCES = (*OF_LABELS, *OF_PROBABILITIES)
PRECISION = ("average_precision",)
OF_GROUPS = ("accuracy", "macro_f1", "roc_auc", "log_loss", "brier_score")


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


def differences(codes, both, names):
    """Return the differences of scores of labels and of probabilities, each with its interval."""
    of_labels = [find_index(m, "classification") for m in names if m in OF_LABELS]
    of_forecasts = [find_index(m, "classification") for m in names if m not in OF_LABELS]
    told = [(p >= 0.5).astype(np.int64) for p in both]
    truth, one, other = (Labels(c, 0, 2, [0, 1]) for c in (codes, *told))
    found = differences_of_labels(
        of_labels,
        PairedLabels(truth, one, other, None, [0, 1], 1),
        Agreement.from_outcomes(*(labels == codes for labels in told)),
        0.95,
    )
    first, second = (as_forecasts(codes, p) for p in both)
    return found | differences_of_forecasts(of_forecasts, first, second, 0.95)


@cache
def true_values(names, model):
    """Values of both models for a million instances."""
    codes, both = two_models(np.random.default_rng(3), 1_000_000, *FORECASTERS[model])
    found = []
    for p in both:
        judged = evaluate(
            codes, (p >= 0.5).astype(int), probabilities=p, kind="classification", indices=list(names)
        )
        found.append(np.array([judged[m] for m in names]))
    return found


def one_difference(names, model, n, rng):
    # Of the same model twice the truth is 0 itself.
    same = "twice" in model
    truths = np.zeros(len(names)) if same else np.subtract(*true_values(names, model))
    given = differences(*two_models(rng, n, *FORECASTERS[model]), names)
    found: Found = {}
    for m, truth in zip(names, truths, strict=True):
        found[m] = holds(given[m].interval, truth)
        if same:
            test = given[m].test
            known = test is not None and not math.isnan(test.p_value)
            found[f"size: {m}"] = test.p_value < 0.05 if known else None
    return found


def of_differences():
    for model in FORECASTERS:
        for n in SIZES:
            study = "Differences of two classifiers"
            if "twice" in model:
                study = "Differences of equally good classifiers"
            yield Row(study, (model, str(n)), partial(one_difference, DIFFERENCES, model, n))


def of_precisions():
    for model in FORECASTERS:
        for n in SIZES:
            study = "Differences of average precision"
            if "twice" in model:
                study = "Differences of average precision, equally good"
            yield Row(study, (model, str(n)), partial(one_difference, PRECISION, model, n))


def one_of_probabilities(names, model, n, rng):
    codes, (p, _) = two_models(rng, n, *FORECASTERS[model])
    records = [find_index(m, "classification") for m in names]
    found = intervals_of_forecasts(records, as_forecasts(codes, p), 0.95)
    return {m: holds(found[m], truth) for m, truth in zip(names, true_values(names, model)[0], strict=True)}


def of_probabilities():
    for model in list(FORECASTERS)[:4]:
        for n in SIZES:
            yield Row(
                "Scores of probabilities",
                (model, str(n)),
                partial(one_of_probabilities, OF_PROBABILITIES, model, n),
            )
        for n in FEWER_SIZES:
            draw = partial(one_of_probabilities, PRECISION, model, n)
            yield Row("Scores of probabilities by resampling", (model, str(n)), draw)


#: Shares of the classes, how far the scores of the own class lie above, the scores' noise, and decimals they keep.
SEVERAL = {
    "three classes, one rare (4 %), heavy tails": ((0.04, 0.36, 0.6), 1.2, "t", None),
    "five classes, near 1": ((0.05, 0.1, 0.2, 0.25, 0.4), 5.0, "normal", None),
    "five classes, nothing found": ((0.1, 0.15, 0.2, 0.25, 0.3), 0.0, "normal", None),
    "ten classes, geometric shares": (tuple(0.75 ** np.arange(10)), 0.8, "exponential", None),
    "twenty classes, rounded scores": ((1.0,) * 20, 1.0, "normal", 0),
}
OF_SEVERAL = ("roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted")
OF_SEVERAL += ("macro_average_precision", "weighted_average_precision")


def of_several_classes(name, n, rng):
    """Draw classes and their scores."""
    shares, above, noise, decimals = SEVERAL[name]
    codes = rng.choice(len(shares), n, p=np.array(shares) / sum(shares))
    return scored(codes, noises(rng, noise, n, len(shares)), above, decimals)


def noises(rng, noise, n, k):
    draw = {
        "t": partial(rng.standard_t, 2),
        "normal": rng.standard_normal,
        "exponential": rng.standard_exponential,
    }
    return draw[noise](size=(n, k))


def scored(codes, noise, above, decimals):
    k = noise.shape[1]
    scores = noise + above * np.eye(k)[codes]
    return DecisionForecasts(
        list(range(k)), codes, scores if decimals is None else np.round(scores, decimals)
    )


def two_of_several_classes(name, n, rng, shared, less):
    """Draw classes and their scores by two models, the second of which finds less."""
    shares, above, noise, decimals = SEVERAL[name]
    codes = rng.choice(len(shares), n, p=np.array(shares) / sum(shares))
    common, *own = (noises(rng, noise, n, len(shares)) for _ in range(3))
    made = [shared * common + math.sqrt(1 - shared**2) * alone for alone in own]
    return [scored(codes, x, a, decimals) for x, a in zip(made, (above, less * above), strict=True)]


@cache
def true_differences(name, shared, less):
    records = [find_index(m, "classification") for m in OF_SEVERAL]
    rng = np.random.default_rng(7)
    drawn = [two_of_several_classes(name, 100_000, rng, shared, less) for _ in range(8)]
    return np.mean([np.subtract(*(assessed(records, one) for one in both)) for both in drawn], axis=0)


def one_difference_of_several(name, n, shared, less, rng):
    records = [find_index(m, "classification") for m in OF_SEVERAL]
    first, second = two_of_several_classes(name, n, rng, shared, less)
    truths = np.zeros(len(records)) if less == 1 else true_differences(name, shared, less)
    found: Found = {}
    given = {} if (first.sizes == 0).any() else differences_of_forecasts(records, first, second, 0.95)
    for m, truth in zip(OF_SEVERAL, truths, strict=True):
        found[m] = holds(given[m].interval, truth) if m in given else None
    return found


def of_several_differences():
    for name in SEVERAL:
        for shared, less in ((0.6, 1.0), (0.6, 0.7), (0.0, 0.7)):
            law = f"{name}, {'' if shared else 'un'}correlated and {'un' if less < 1 else ''}equal"
            for n in (60, 200, 1000, 3000):
                draw = partial(one_difference_of_several, name, n, shared, less)
                yield Row("Differences over several classes", (law, str(n)), draw)


@cache
def truths_of_several(name):
    records = [find_index(m, "classification") for m in OF_SEVERAL]
    rng = np.random.default_rng(6)
    drawn = [assessed(records, of_several_classes(name, 200_000, rng)) for _ in range(8)]
    return np.mean(drawn, axis=0)


def one_of_several(name, n, rng):
    records = [find_index(m, "classification") for m in OF_SEVERAL]
    given = of_several_classes(name, n, rng)
    if (given.sizes == 0).any():  # whose means are undefined
        return dict.fromkeys(OF_SEVERAL)
    found = intervals_of_forecasts(records, given, 0.95)
    return {m: holds(found[m], truth) for m, truth in zip(OF_SEVERAL, truths_of_several(name), strict=True)}


def of_several():
    for name in SEVERAL:
        for n in (100, 400, 25_000):
            yield Row("Several classes", (name, str(n)), partial(one_of_several, name, n))


def one_of_groups(model, n, rng):
    share, one, other = FORECASTERS[model]
    truths = np.subtract(*true_values(OF_GROUPS, model))
    here, (p, _) = two_models(rng, n, share, one, one)
    there, (q, _) = two_models(rng, 3 * n, share, other, other)
    codes, both = np.r_[here, there], np.r_[p, q]
    judged = evaluate(
        codes,
        (both >= 0.5).astype(int),
        probabilities=both,
        kind="classification",
        indices=list(OF_GROUPS),
        groups=np.repeat(["here", "there"], [n, 3 * n]),
        confidence=0.95,
    )
    found: Found = dict.fromkeys(OF_GROUPS)
    for row in judged.differences:
        if row.group == "here" and row.score.interval is not None:
            name = row.score.index.name
            found[name] = row.score.low <= truths[OF_GROUPS.index(name)] <= row.score.high
    return found


def of_groups():
    for model in list(FORECASTERS)[:4]:
        for n in (30, 100, 500):
            yield Row("A group and the rest", (model, f"{n} and {3 * n}"), partial(one_of_groups, model, n))


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


def rater_records():
    return [record for record in list_indices("raters") if record.name != "raters_agreement"]


@cache
def truths_of_raters(name):
    population = rated(np.random.default_rng(4), 300_000, *RATED[name])
    return {record.name: record.of(population) for record in rater_records()}


def one_of_raters(name, n, rng):
    found = rater_intervals(rater_records(), rated(rng, n, *RATED[name]))
    return {m: holds(found[m], truth) for m, truth in truths_of_raters(name).items()}


def of_raters():
    for name in RATED:
        for n in (15, 30, 60):
            yield Row("Several raters", (name, str(n)), partial(one_of_raters, name, n))


STUDIES = (of_labels, of_probabilities, of_areas, of_pairs, of_differences, of_precisions, of_groups)
STUDIES += (of_several, of_several_differences, of_thresholds, of_threshold_differences, of_rankings)
STUDIES += (of_raters, of_tests)
#: Replicates at a time.
CHUNK = 25
HEADS = {
    "Scores of labels": "classifier",
    "Areas under ROC curves": "area",
    "Two classifiers": "BR, RW, WR, BW",
    "Several classes": "classes",
    "Scores of thresholds": "positive class",
    "Differences of scores of thresholds": "positive class",
    "Rankings of several labels": "labels",
    "Several raters": "ratings",
    "Tests": "",
}
WORDS = {
    "Scores of labels": "Scores by class are those of the first class against the rest. Jaccard's interval is that of "
    "F1 in another form.",
    "Differences of equally good classifiers": "After the coverage of the true difference, 0, is the share that the "
    "test at 0.05 rejects.",
    "Differences over several classes": "The errors of the two models have 0.36 of their variance in common, or "
    "nothing. If the models are unequal, the scores of the second lie 0.7 times as far apart. For equal models the "
    "size of the test is 1 less the coverage.",
    "A group and the rest": "The rest is three times as large.",
    "Several classes": "Areas and average precision, and their means over classes or pairs of classes. With 100 and "
    "400 instances the intervals are by resampling, with 25,000 by the influence of each instance.",
    "Scores of thresholds": "Intervals by the influence of each instance. Partial areas go up to a share of false "
    "positives of 0.1. True values come from the distribution functions.",
    "Differences of scores of thresholds": "Intervals by the influence of each instance on both models.",
    "Several raters": "Four categories.",
    "Tests": "Shares of true hypotheses that a test at 0.05 rejects.",
}


def rows() -> Iterator[Row]:
    for study in STUDIES:
        yield from study()


def stored(pattern: str) -> list[dict]:
    """Read the chunks of all stores."""
    paths = [Path(found) for found in sorted(glob(pattern))]
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def counted(row: Row, chunk: int) -> dict[str, list[int]]:
    """Count by column how many intervals hold, and how many there are."""
    rng = np.random.default_rng([zlib.crc32(repr((row.study, *row.labels)).encode()), chunk])
    found: dict[str, list[int]] = {}
    for _ in range(CHUNK):
        for column, held in row.draw(rng).items():
            count = found.setdefault(column, [0, 0])
            if held is not None:
                count[0] += bool(held)
                count[1] += 1
    return found


def run(given):
    """Add chunks to the store, round by round, so that all rows have as many if the time is over."""
    path = Path(given.store)
    done = {(c["study"], *c["labels"], c["chunk"]) for c in stored(given.store)}
    mine = [row for row in rows() if given.study in row.study][given.part :: given.of]
    stop = time.monotonic() + 60 * given.minutes
    spent = dict.fromkeys(((*row.labels, row.study) for row in mine), 0.0)
    for chunk in range(math.ceil(given.replicates / CHUNK)):
        for row in mine:
            if time.monotonic() > stop:
                return
            key = (row.study, *row.labels, chunk)
            # Slow rows have fewer replicates.
            if key in done or spent[*row.labels, row.study] > given.seconds:
                continue
            start = time.process_time()
            counts = counted(row, chunk)
            spent[*row.labels, row.study] += time.process_time() - start
            line = {"study": row.study, "labels": row.labels, "chunk": chunk, "counts": counts}
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")


def gathered(chunks):
    """Sum the chunks: by study, by row, by column how many intervals hold, and how many there are."""
    found: dict[str, dict[tuple[str, ...], dict[str, list[int]]]] = {}
    for chunk in chunks:
        row = found.setdefault(chunk["study"], {}).setdefault(tuple(chunk["labels"]), {"replicates": [0, 0]})
        row["replicates"][1] += CHUNK
        for column, (held, known) in chunk["counts"].items():
            own = row.setdefault(column, [0, 0])
            own[0] += held
            own[1] += known
    return found


def is_coverage(study, column):
    """Whether a column counts intervals of defaults that hold: no test, and no other method."""
    if study == "Areas under ROC curves":
        return column in ("score (default)", "paired difference")
    return not column.startswith(("size", "replicates")) and (
        study != "Tests" or column.startswith("coverage")
    )


def extremes(found, outside):
    """Name the cells outside the limits, row by row, each with the number of its replicates."""
    lines = []
    for study, table in found.items():
        named = []
        for labels, row in table.items():
            cells = [
                f"{column.replace('_', ' ')} {held / known:.3f}{mark}"
                for column, (held, known) in row.items()
                if known >= FEWEST and is_coverage(study, column)
                if (mark := outside(held / known, known)) is not None
            ]
            if cells:
                named.append(f"- {', '.join(labels)} ({row['replicates'][1]}): {', '.join(cells)}")
        if named:
            lines += [f"\n{study}:\n", *named]
    return "\n".join(lines).strip() or "None."


def too_low(share, known):
    if share >= LOW:
        return None
    return "!" if LOW - share > SURELY * math.sqrt(LOW * (1 - LOW) / known) else ""


def too_high(share, known):
    return "" if share > HIGH else None


def shown(study, table):
    columns = list(dict.fromkeys(column for row in table.values() for column in row))
    lines = []
    for labels, row in table.items():
        known = [row.get(column, [0, 0]) for column in columns[1:]]
        cells = [f"{held / there:.3f}" if there >= FEWEST else "-" for held, there in known]
        lines.append([*labels, str(row["replicates"][1]), *cells])
    heads = [HEADS.get(study, "models"), "n", *(column.replace("_", " ") for column in columns)]
    return markdown(heads, lines)


def page(given):
    counted = gathered(stored(given.store))
    found: dict[str, dict[tuple[str, ...], dict[str, list[int]]]] = {}
    for row in rows():
        if row.labels in counted.get(row.study, {}):
            found.setdefault(row.study, {})[row.labels] = counted[row.study][row.labels]
    judged = [
        (held / known, known)
        for study, table in found.items()
        for row in table.values()
        for column, (held, known) in row.items()
        if known >= FEWEST and is_coverage(study, column)
    ]
    marks = [mark for cell in judged if (mark := too_low(*cell)) is not None]
    parts = [
        OPENING.format(
            cells=len(judged),
            low=len(marks),
            surely=marks.count("!"),
            high=sum(too_high(*cell) is not None for cell in judged),
        ),
        FALL_SHORT,
        f"## Cells below {LOW:.2f}",
        f"Replicates in brackets; an exclamation mark if the cell is surely below ({SURELY} standard errors).",
        extremes(found, too_low),
        f"## Cells above {HIGH}",
        extremes(found, too_high),
    ]
    for study, table in found.items():
        parts += [f"## {study}", *([WORDS[study]] if study in WORDS else []), shown(study, table)]
    parts.append(METHOD.format(surely=SURELY, low=LOW, machine=machine()))
    body = "\n\n".join(part.strip() for part in parts)
    (DOCS / "classifier_coverage.md").write_text(
        f"# Coverage of intervals of classifiers\n\n{body}\n", "utf-8"
    )


OPENING = """\
Samples were drawn from known distributions to see how often nominal 95 % intervals of classifiers' scores cover the
true value. Of {cells:,} cells (a score, under one law, with one number of instances) {low} have a coverage below 0.90,
{surely} of them by more than chance; {high} are above 0.99. Intervals fall short where few instances carry most of the
error: rare classes, nearly perfect models, losses with heavy tails.
"""

FALL_SHORT = """\
## Where intervals fall short

- **Log loss of overconfident models whose log odds have heavy tails.** Coverage was 0.82 under one law with 200
  instances, and 0.897 or more under twelve others. The sample does not show it: coverage is the same whether few
  instances make up most of the sum or many do.
- **Differences of areas over several classes and of average precision**, by the influence of each instance. Coverage
  was 0.88 to 1 under 30 laws (2 to 60 classes, 60 to 3,000 instances); percentiles had 0.80 to 0.98 on the same
  samples. With three instances of one of three classes it was 0.89 to 0.98. With two it was 0.82 to 0.98, so with fewer
  than five classes there is no interval then. For unequal models with areas next to 1 it was 0.85 to 0.96; samples with
  fewer than five instances in the wrong order have no interval.
- **Macro average precision of five classes with areas next to 1**, the rarest with 20 of 400 instances: 0.86 to 0.88.
  The few instances in the wrong order say little about its error.
- **The Kolmogorov-Smirnov statistic where a density leaps.** If the scores of a rare class (1 %) have a density that
  leaps from nothing to its largest value, the best threshold lies at the leap, and coverage is 0.88 with 34,000
  instances. Otherwise the coverage of this statistic, of partial areas and of the best F1 is 0.91 to 0.98 with 34,000
  instances. A third of the samples whose scores hardly tell the class have no interval.
- **Areas and average precision of very many instances** had a coverage of 0.89 to 0.99 under twelve laws (100 to 400
  samples each), also with 20 to 30 instances of a class. With fewer than 20 they have no interval.
- **Label ranking average precision and ranking loss** of 40 labels that are nearly always ranked right: 0.85 to 0.97,
  because few instances make up all that is missing to the best value.
- **Differences of scores of two classes of which the rare one (5 %) is found in half of its instances.** With 150
  instances the test that follows from the interval rejects 8 to 12 % of equal models, so coverage is about 0.90.

There is no interval for calibration errors, because resamples are worse calibrated than the instances. There is none
for rankings in which fewer than five instances of a class are out of order, because resamples hardly vary. Nor is there
one for scores with weights, because weights do not say how many instances there are.

Some intervals are wide: those with few mistakes (0.97 to 1), and differences with few instances of a class or of nearly
perfect models. For two equally good models with areas next to 1 they are two to five times as long as they need to be,
but the test is DeLong's and does not suffer. If all errors go to one of eight classes, macro precision and markedness
are six and four times as wide as they need to be with 300 instances, 1.5 and 1.2 times with 2,000. The 5x2cv tests
reject too seldom if the folds are independent.
"""

METHOD = """\
## How it was measured

Each number is the share of replicates whose nominal 95 % interval covers the true value. Each row says how many
replicates there are: the share has a standard error of 0.022 with 100 of them, 0.010 with 500. Replicates in which the
score is undefined or its interval is refused are left out. A cell has a dash if fewer than 20 are left.

Cells that lie {surely} standard errors below {low:.2f} are marked. Some may be marked by chance, and cells that are not
marked need not be sound, because those of one row are from the same samples. The laws with 1 to 3 % of a class, with 3,
10 or 60 classes and with 0.999 right, and samples of 30 and 3,000 instances, were added after most intervals had been
made.

Measured on: {machine}. `python benchmarks/classifier_coverage.py` measures it again.

## What was changed

These intervals were changed after a look at cells with a low coverage. Each change was tried on other laws, too. In
brackets: the coverage before.

- Log loss, Brier score and D2 of nearly perfect models (0.58 to 0.78 by Student's t).
- Balanced accuracy with a class that is mostly absent (0.32 to 0.68). There is no interval without an instance of a
  known class.
- Average precision (0.86 to 0.90 by percentiles), and that of classes that are hardly found (0.58 with 300 instances of
  ten classes): an instance now counts at its own score.
- Differences of areas with few instances of a class, or if one of them is near 1 (0.63 to 0.90 by DeLong's interval).
- Differences of F1, recall and similar scores with two to six instances of a class, or if the models differ on few
  (0.46 to 0.86 by a standard error).
- Differences of mean losses with few large ones (0.77 to 0.91 by the paired t).
- Macro averages with a class of few instances (0.79 to 0.88).
- Shares with one to three mistakes (0.84 by Wilson's interval with 0.18 expected).
- Areas of pairs of classes that are nearly always found (0.52). There is no interval with fewer than five instances in
  the wrong order.
- The upper end of the Kolmogorov-Smirnov statistic now allows for a leap of the density (0.82 under the law above, on
  which this was found).
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True, help="file of counts; for --page also a pattern of several")
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time of a row at most")
    parser.add_argument("--study", default="", help="only studies whose name contains this")
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--of", type=int, default=1)
    parser.add_argument("--page", action="store_true", help="write the page from the store")
    given = parser.parse_args()
    page(given) if given.page else run(given)


if __name__ == "__main__":
    main()
