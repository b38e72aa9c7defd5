"""Laws of scores that are read at thresholds, in very many instances, and of several labels for each instance."""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np
from scipy import stats

from adjudge import evaluate
from adjudge.indices.catalog import find_index
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.statistics.forecasts import DecisionForecasts
from classifier_coverage_rows import Found, Row, holds

#: Laws of the scores of the negative class; those of the positive class lie higher.
NOISES = {
    "normal": stats.norm(),
    "heavy tails": stats.t(2),
    "exponential": stats.expon(),
    "uniform": stats.uniform(),
    "logistic": stats.logistic(),
}
#: Share of the positive class, how much higher its scores lie, and their law.
OF_ONE = {
    "half, 1 higher, normal": (0.5, 1.0, "normal"),
    "30 %, 2 higher, normal": (0.3, 2.0, "normal"),
    "5 %, 1.5 higher, normal": (0.05, 1.5, "normal"),
    "1 %, 3 higher, normal": (0.01, 3.0, "normal"),
    "half, 5 higher, normal": (0.5, 5.0, "normal"),
    "half, 0.3 higher, normal": (0.5, 0.3, "normal"),
    "half, 0.1 higher, normal": (0.5, 0.1, "normal"),
    "10 %, 1 higher, heavy tails": (0.1, 1.0, "heavy tails"),
    "2 %, 4 higher, heavy tails": (0.02, 4.0, "heavy tails"),
    "3 %, 0.3 higher, heavy tails": (0.03, 0.3, "heavy tails"),
    "20 %, 1 higher, exponential": (0.2, 1.0, "exponential"),
    "1 %, 0.5 higher, exponential": (0.01, 0.5, "exponential"),
    "half, 0.5 higher, uniform": (0.5, 0.5, "uniform"),
    "10 %, 0.2 higher, uniform": (0.1, 0.2, "uniform"),
    "0.3 %, 3 higher, logistic": (0.003, 3.0, "logistic"),
}
#: Share, how much higher the scores of either model lie, their law, and the part of the error in common.
OF_TWO = {
    "30 %, 1.5 and 1.5 higher, normal": (0.3, (1.5, 1.5), "normal", 0.6),
    "30 %, 2 and 1 higher, normal": (0.3, (2.0, 1.0), "normal", 0.6),
    "5 %, 4 and 3 higher, normal": (0.05, (4.0, 3.0), "normal", 0.3),
    "40 %, 1 and 1 higher, normal": (0.4, (1.0, 1.0), "normal", 0.9),
    "half, 0.5 and 0.5 higher, normal": (0.5, (0.5, 0.5), "normal", 0.0),
}
SCORES = ("ks_statistic", "maximum_f1", "partial_auc", "mcclish_auc")
#: Largest share of false positives of a partial area, by default.
PART = 0.1
N_OF_MANY = 34_000


def records(names):
    return [find_index(name, "classification") for name in names]


@cache
def truths(share, higher, law):
    """Scores of the population, from the distribution functions at very many thresholds."""
    noise = NOISES[law]
    levels = np.concatenate([np.logspace(-12, -3, 100_000), np.linspace(1e-3, 1 - 1e-9, 1_000_000)])
    at = noise.isf(levels)
    thresholds = np.sort(np.concatenate([at, at + higher]))[::-1]
    false, true = noise.sf(thresholds), noise.sf(thresholds - higher)
    told = share * true + (1 - share) * false
    part = np.linspace(0, PART, 1_000_001)[1:]
    area = PART * float(np.mean(noise.sf(noise.isf(part - PART / 2e6) - higher)))
    least = PART**2 / 2
    return {
        "ks_statistic": float((true - false).max()),
        "maximum_f1": float((2 * share * true / (told + share)).max()),
        "partial_auc": area,
        "mcclish_auc": (1 + (area - least) / (PART - least)) / 2,
    }


def scored(positive, scores):
    return DecisionForecasts([0, 1], positive.astype(np.int64), scores, None, 1)


def one_of_many(law, n, rng):
    share, higher, noise = OF_ONE[law]
    positive = rng.random(n) < share
    scores = NOISES[noise].rvs(size=n, random_state=rng) + higher * positive
    found = intervals_of_forecasts(records(SCORES), scored(positive, scores), 0.95)
    return {name: holds(found[name], truth) for name, truth in truths(*OF_ONE[law]).items()}


def one_difference(law, n, rng):
    share, higher, _, shared = OF_TWO[law]
    positive = rng.random(n) < share
    common, *own = rng.normal(size=(3, n))
    both = [
        scored(positive, shared * common + math.sqrt(1 - shared**2) * alone + more * positive)
        for alone, more in zip(own, higher, strict=True)
    ]
    given = differences_of_forecasts(records(SCORES), *both, 0.95)
    first, second = (truths(share, more, "normal") for more in higher)
    return {name: holds(given[name].interval, first[name] - second[name]) for name in SCORES}


def of_thresholds():
    for law in OF_ONE:
        yield Row("Scores of thresholds", (law, str(N_OF_MANY)), partial(one_of_many, law, N_OF_MANY))


def of_threshold_differences():
    for law in OF_TWO:
        yield Row(
            "Differences of scores of thresholds",
            (law, str(N_OF_MANY)),
            partial(one_difference, law, N_OF_MANY),
        )


#: Shares of the labels, how much higher their scores lie, the law, and how much labels come together.
LABELS = {
    "4 labels, hardly found": ((0.5, 0.3, 0.1, 0.05), 1.0, "normal", 0.0),
    "4 labels, near 1": ((0.4, 0.3, 0.2, 0.1), 4.0, "normal", 0.0),
    "20 rare labels, heavy tails": ((0.06,) * 20, 2.0, "heavy tails", 0.0),
    "6 labels that come together": ((0.3,) * 6, 1.2, "normal", 1.5),
    "3 labels, mostly none, exponential": ((0.08, 0.05, 0.03), 2.0, "exponential", 0.0),
    "40 labels, near 1": (tuple(0.3 / np.arange(1, 41) ** 0.5), 5.0, "normal", 0.5),
}
OF_RANKINGS = ("label_ranking_average_precision", "coverage_error", "label_ranking_loss", "one_error")


def judged_labels(law, n, rng, **options):
    """Draw instances with several labels and judge scores of the labels."""
    shares, higher, noise, together = LABELS[law]
    odds = np.log(shares) - np.log1p(-np.asarray(shares)) + together * rng.normal(size=(n, 1))
    truth = rng.random((n, len(shares))) < 1 / (1 + np.exp(-odds))
    scores = NOISES[noise].rvs(size=truth.shape, random_state=rng) + higher * truth
    return evaluate(
        truth.astype(int),
        (scores > 1).astype(int),
        scores=scores,
        kind="multilabel",
        indices=list(OF_RANKINGS),
        **options,
    )


@cache
def truths_of_rankings(law):
    rng = np.random.default_rng(8)
    drawn = [judged_labels(law, 200_000, rng) for _ in range(4)]
    return {name: float(np.mean([one[name] for one in drawn])) for name in OF_RANKINGS}


def one_of_rankings(law, n, rng):
    given = judged_labels(law, n, rng, confidence=0.95)
    found: Found = {}
    for name, truth in truths_of_rankings(law).items():
        interval = given.scores[name].interval
        found[name] = None if interval is None else interval[0] - 1e-12 <= truth <= interval[1] + 1e-12
    return found


def of_rankings():
    for law in LABELS:
        for n in (30, 100, 400):
            yield Row("Rankings of several labels", (law, str(n)), partial(one_of_rankings, law, n))
