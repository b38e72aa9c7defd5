"""Coverage of intervals for classifiers: scores of labels, probabilities and decision values, means, differences.

    python studies/classifiers.py [--replicates 300] [--out CSV] [--only PART]

Everything is computed by `evaluate` and `compare`. The study also counts how often tests distinguish equally good
models.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtr

import adjudge
from cells import Found, Generator, Setting, arguments, p_of, run
from laws import POPULATION, Floats, labels_of

Judged = dict[str, Found]
Array = np.ndarray[Any, np.dtype[Any]]
SIZES = (30, 50, 200, 1000, 3000)
FEWER_SIZES = (30, 200, 1000)
JUDGE: dict[str, Any] = {"kind": "classification", "confidence": 0.95}


def beside(found: Mapping[str, Any], truths: Mapping[str, float]) -> Judged:
    """Pair the results with their true values."""
    return {name: (found.get(name), truth) for name, truth in truths.items()}


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for part in (of_labels, of_areas, of_probabilities, of_agreement, of_differences, of_groups, of_several,
                 of_several_differences, of_thresholds, of_rankings, of_raters):  # fmt: skip
        yield from part()


# Scores of labels

BY_CLASS = ("precision", "recall", "specificity", "f1", "matthews_correlation", "informedness")
AS_A_WHOLE = ("accuracy", "macro_f1", "balanced_accuracy", "cohen_kappa", "matthews_correlation", "g_mean")
#: Shares of the classes, how often each class is recognized, and whether mistakes are uneven.
CLASSIFIERS: dict[str, tuple[Any, Any, bool]] = {
    "two classes, 0.8 right": ((0.5, 0.5), 0.8, False),
    "rare class (5 %), 0.9 right": ((0.05, 0.95), 0.9, False),
    "rare class (2 %), 0.6 to 0.95 right": ((0.02, 0.98), (0.6, 0.95), False),
    "rare class (1 %), 0.8 to 0.999 right": ((0.01, 0.99), (0.8, 0.999), False),
    "near-perfect, 0.99 right": ((0.5, 0.5), 0.99, False),
    "two classes, 0.999 right": ((0.3, 0.7), 0.999, False),
    "three classes, one rare (3 %), 0.5 right": ((0.03, 0.37, 0.6), 0.5, True),
    "five classes, 0.7 right": ((0.4, 0.25, 0.2, 0.1, 0.05), 0.7, False),
    "ten classes, 0.9 right, uneven mistakes": (np.arange(1, 11) / 55, 0.9, True),
    "sixty classes, 0.8 right, uneven mistakes": (np.arange(1, 61) / 1830, 0.8, True),
}


def law_of(shares: Any, right: Any, uneven: bool) -> Floats:
    """Return the joint law of truth and prediction; uneven mistakes go to few classes."""
    k = len(shares)
    mistakes = np.random.default_rng(7).dirichlet(np.full(k, 0.4), k) if uneven else np.ones((k, k))
    np.fill_diagonal(mistakes, 0.0)
    table = mistakes / mistakes.sum(axis=1, keepdims=True) * (1 - np.broadcast_to(right, k))[:, None]
    np.fill_diagonal(table, right)
    return np.asarray(table * np.array(shares)[:, None])


def scores_of_table(table: Array, **options: Any) -> dict[str, Any]:
    """Return the overall scores, and those of the first class."""
    judged = adjudge.evaluate(table, kind="classification", indices=[*AS_A_WHOLE, "recall"], **options)
    found: dict[str, Any] = {name: judged.score(name) for name in AS_A_WHOLE}
    if not table.sum(axis=1).all():  # means over the classes that occur are not means over all classes
        found |= dict.fromkeys(("macro_f1", "balanced_accuracy", "g_mean"))
    if table[0].any():  # classes are those of the truth
        found |= {f"class 0: {name}": judged.by_class[0].score(name) for name in BY_CLASS}
    return found


def of_labels() -> Iterator[Setting]:
    for name, what in CLASSIFIERS.items():
        law = law_of(*what)
        population = scores_of_table(np.rint(law * POPULATION).astype(np.int64))
        truths = {own: score.value for own, score in population.items()}

        def sample(law: Floats, n: int, truths: dict[str, float], rng: Generator) -> Judged:
            table = rng.multinomial(n, law.ravel()).reshape(law.shape)
            return beside(scores_of_table(table, confidence=0.95), truths)

        for n in SIZES:
            if n >= len(law):
                fewer = 3 if len(law) > 10 else 1
                yield Setting("Scores of labels", name, n, partial(sample, law, n, truths), fewer)


# Scores of probabilities and decision values, and their differences


def of_areas() -> Iterator[Setting]:
    def sample(apart: float, m: int, n: int, rng: Generator) -> Judged:
        area = float(ndtr(apart / math.sqrt(2)))
        codes, shared = np.repeat([1, 0], [m, n - m]), rng.normal(size=n)
        scores = {
            name: 0.7 * shared + math.sqrt(0.51) * rng.normal(size=n) + apart * codes for name in ("p", "q")
        }
        labels = {name: (own > apart / 2).astype(int) for name, own in scores.items()}
        one = adjudge.evaluate(codes, scores=scores["p"], indices=["roc_auc"], **JUDGE)
        both = adjudge.compare(codes, labels, scores=scores, indices=["roc_auc"], **JUDGE)
        difference = both["p", "q"].differences["roc_auc"]
        return {
            "roc_auc": (one.score("roc_auc"), area),
            "difference": (difference, 0.0),
            "told apart": p_of(difference),
        }

    for apart, share in ((1.0, 0.5), (1.0, 0.1), (1.5, 0.02), (2.0, 0.5), (3.5, 0.5), (3.5, 0.1)):
        for n in FEWER_SIZES:
            m = max(2, round(n * share))
            yield Setting(
                "Areas", f"{ndtr(apart / 2**0.5):.3f}, {share:.0%} positive", n, partial(sample, apart, m, n)
            )


#: Share of the positive class, and how far its scores lie from those of the negative class, for two models.
FORECASTERS = {
    "balanced": (0.5, 1.5, 1.2),
    "rare class (10 %)": (0.1, 1.5, 1.2),
    "rare class (3 %)": (0.03, 2.0, 1.0),
    "near-perfect": (0.5, 4.0, 3.5),
    "the same model twice": (0.5, 1.5, 1.5),
    "the same near-perfect model twice": (0.4, 3.5, 3.5),
}
OF_CODES = ("accuracy", "macro_f1", "matthews_correlation", "balanced_accuracy")
OF_PROBABILITIES = ("roc_auc", "log_loss", "brier_score", "d2_log_loss")
PRECISION = ("average_precision",)
OF_GROUPS = ("accuracy", "macro_f1", "roc_auc", "log_loss", "brier_score")


def two_models(rng: Generator, n: int, share: float, *apart: float) -> tuple[Array, list[Array]]:
    """Draw the truth, and the probabilities of two calibrated models with correlated errors."""
    codes = (rng.random(n) < share).astype(np.int64)
    codes[:2] = 0, 1  # both classes must occur
    shared = rng.normal(size=n)
    found = []
    for own in apart:
        x = 0.6 * shared + 0.8 * rng.normal(size=n) + own * (codes - 0.5)
        found.append(1 / (1 + np.exp(-own * x - math.log(share / (1 - share)))))
    return codes, found


@cache
def true_values(model: str) -> list[dict[str, float]]:
    """Return the scores of both models for a million instances."""
    codes, both = two_models(np.random.default_rng(3), 1_000_000, *FORECASTERS[model])
    names = [*OF_CODES, *OF_PROBABILITIES, *PRECISION]
    said = [
        adjudge.evaluate(codes, (p >= 0.5).astype(int), probabilities=p, kind="classification", indices=names)
        for p in both
    ]
    return [{name: one[name] for name in names} for one in said]


def of_probabilities() -> Iterator[Setting]:
    def sample(names: Sequence[str], model: str, n: int, rng: Generator) -> Judged:
        codes, (p, _) = two_models(rng, n, *FORECASTERS[model])
        found = adjudge.evaluate(codes, probabilities=p, indices=[*names], **JUDGE)
        return beside(found.scores, {name: true_values(model)[0][name] for name in names})

    for model in list(FORECASTERS)[:4]:
        for n in FEWER_SIZES:
            yield Setting("Scores of probabilities", model, n, partial(sample, OF_PROBABILITIES, model, n))
        for n in FEWER_SIZES:
            yield Setting("Scores of probabilities", model, n, partial(sample, PRECISION, model, n), 3)


def of_differences() -> Iterator[Setting]:
    def sample(names: Sequence[str], model: str, n: int, rng: Generator) -> Judged:
        codes, both = two_models(rng, n, *FORECASTERS[model])
        said = dict(zip("pq", both, strict=True))
        labels = {name: (own >= 0.5).astype(int) for name, own in said.items()}
        compared = adjudge.compare(codes, labels, probabilities=said, indices=[*names], **JUDGE)["p", "q"]
        first, second = true_values(model)
        # For the same model twice, the true difference is exactly 0.
        same = "twice" in model
        found = beside(
            compared.differences, {name: 0.0 if same else first[name] - second[name] for name in names}
        )
        if same:
            found |= {f"told apart: {name}": p_of(compared.differences.get(name)) for name in names}
        return found

    for model in FORECASTERS:
        for n in SIZES:
            yield Setting("Differences", model, n, partial(sample, [*OF_CODES, *OF_PROBABILITIES], model, n))
        for n in (50, 200, 1000):
            yield Setting("Differences", model, n, partial(sample, PRECISION, model, n), 3)


def of_groups() -> Iterator[Setting]:
    def sample(model: str, n: int, rng: Generator) -> Judged:
        share, one, other = FORECASTERS[model]
        here, (p, _) = two_models(rng, n, share, one, one)
        there, (q, _) = two_models(rng, 3 * n, share, other, other)
        codes, both = np.r_[here, there], np.r_[p, q]
        groups = np.repeat(["here", "there"], [n, 3 * n])
        labels = (both >= 0.5).astype(int)
        judged = adjudge.evaluate(
            codes, labels, probabilities=both, indices=[*OF_GROUPS], groups=groups, **JUDGE
        )
        found = {row.score.index.name: row.score for row in judged.differences if row.group == "here"}
        first, second = true_values(model)
        return beside(found, {name: first[name] - second[name] for name in OF_GROUPS})

    for model in list(FORECASTERS)[:4]:
        for n in (30, 100, 500):
            yield Setting("A group and the rest", model, n, partial(sample, model, n))


# What two classifiers get right together


def of_agreement() -> Iterator[Setting]:
    names = [
        "q_statistic", "correctness_correlation", "correctness_kappa", "disagreement", "double_fault",
        "complementarity", "negative_flip_rate", "positive_flip_rate", "new_error_share",
    ]  # fmt: skip

    def sample(law: Floats, n: int, truths: dict[str, float], rng: Generator) -> Judged:
        truth, p, q = labels_of(law, n, rng)
        both = adjudge.compare(truth, {"p": p, "q": q}, indices=["accuracy"], **JUDGE)["p", "q"]
        ends = both.diversity_intervals()
        given = {
            own: SimpleNamespace(low=low, high=high, value=both.diversity[own].value)
            for own, (low, high) in ends.items()
        }
        return beside(given, truths)

    for shares in ((0.70, 0.12, 0.08, 0.10), (0.92, 0.04, 0.02, 0.02), (0.45, 0.25, 0.05, 0.25)):
        population = adjudge.statistics.Agreement(*(round(share * POPULATION) for share in shares))
        truths = {name: float(adjudge.find_index(name, "diversity").of(population)) for name in names}
        for n in FEWER_SIZES:
            law = np.array(shares).reshape(1, 2, 2)  # the truth is 0, and 1 is wrong
            yield Setting("Agreement of two classifiers", str(shares), n, partial(sample, law, n, truths))


# Means over several classes

#: Shares of the classes, how much higher the scores of the true class are, the noise, and the decimals kept.
SEVERAL: dict[str, tuple[Any, float, str, int]] = {
    "three classes, one rare (4 %), heavy tails": ((0.04, 0.36, 0.6), 1.2, "t", 9),
    "five classes, near 1": ((0.05, 0.1, 0.2, 0.25, 0.4), 5.0, "normal", 9),
    "five classes, nothing found": ((0.1, 0.15, 0.2, 0.25, 0.3), 0.0, "normal", 9),
    "ten classes, geometric shares": (0.75 ** np.arange(10), 0.8, "exponential", 9),
    "twenty classes, rounded scores": (np.ones(20), 1.0, "normal", 0),
}
OF_SEVERAL = ("roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted")
OF_SEVERAL += ("macro_average_precision", "weighted_average_precision")


def several(
    name: str, n: int, rng: Generator, shared: float = 0.0, less: float = 1.0
) -> tuple[Array, list[Array]]:
    """Draw classes, and their scores by two models, of which the second is weaker if `less` is below 1."""
    shares, above, noise, decimals = SEVERAL[name]
    k = len(shares)
    codes = rng.choice(k, n, p=np.array(shares) / sum(shares))
    draw = {"t": partial(rng.standard_t, 2), "normal": rng.normal, "exponential": rng.exponential}[noise]
    common, *own = (draw(size=(n, k)) for _ in range(3))
    made = [shared * common + math.sqrt(1 - shared**2) * alone for alone in own]
    wanted = np.eye(k)[codes]
    return codes, [
        np.round(x + a * wanted, decimals) for x, a in zip(made, (above, less * above), strict=True)
    ]


@cache
def truths_of_several(name: str, shared: float, less: float) -> list[dict[str, float]]:
    codes, both = several(name, 400_000, np.random.default_rng(6), shared, less)
    found = [adjudge.evaluate(codes, scores=x, kind="classification", indices=[*OF_SEVERAL]) for x in both]
    return [{own: one[own] for own in OF_SEVERAL} for one in found]


def of_several() -> Iterator[Setting]:
    def sample(name: str, n: int, rng: Generator) -> Judged:
        codes, (scores, _) = several(name, n, rng)
        if np.unique(codes).size < scores.shape[1]:  # their means are undefined
            return {}
        found = adjudge.evaluate(codes, scores=scores, indices=[*OF_SEVERAL], **JUDGE)
        return beside(found.scores, truths_of_several(name, 0.0, 1.0)[0])

    for name in SEVERAL:
        for n in (100, 400, 25_000):
            yield Setting("Means over classes", name, n, partial(sample, name, n), 3)


def of_several_differences() -> Iterator[Setting]:
    def sample(name: str, n: int, shared: float, less: float, rng: Generator) -> Judged:
        codes, both = several(name, n, rng, shared, less)
        if np.unique(codes).size < both[0].shape[1]:
            return {}
        labels = {own: x.argmax(axis=1) for own, x in zip("pq", both, strict=True)}
        scores = dict(zip("pq", both, strict=True))
        found = adjudge.compare(codes, labels, scores=scores, indices=[*OF_SEVERAL], **JUDGE)["p", "q"]
        first, second = truths_of_several(name, shared, less)
        truths = {own: 0.0 if less == 1 else first[own] - second[own] for own in OF_SEVERAL}
        return beside(found.differences, truths)

    for name in SEVERAL:
        for shared, less in ((0.6, 1.0), (0.0, 0.7)):
            law = f"{name}, {'' if shared else 'un'}correlated and {'un' if less < 1 else ''}equal"
            for n in (200, 1000):
                draw = partial(sample, name, n, shared, less)
                yield Setting("Differences of means over classes", law, n, draw, 3)


# Scores at thresholds, with very many instances

NOISES: dict[str, Any] = {
    "normal": stats.norm(),
    "heavy tails": stats.t(2),
    "exponential": stats.expon(),
    "uniform": stats.uniform(),
    "logistic": stats.logistic(),
}
#: Share of the positive class, how much higher its scores are, and their law.
OF_ONE = {
    "30 %, 2 higher, normal": (0.3, 2.0, "normal"),
    "5 %, 1.5 higher, normal": (0.05, 1.5, "normal"),
    "half, 5 higher, normal": (0.5, 5.0, "normal"),
    "half, 0.1 higher, normal": (0.5, 0.1, "normal"),
    "10 %, 1 higher, heavy tails": (0.1, 1.0, "heavy tails"),
    "20 %, 1 higher, exponential": (0.2, 1.0, "exponential"),
    "1 %, 0.5 higher, exponential": (0.01, 0.5, "exponential"),
    "half, 0.5 higher, uniform": (0.5, 0.5, "uniform"),
    "0.3 %, 3 higher, logistic": (0.003, 3.0, "logistic"),
}
AT_THRESHOLDS = ("ks_statistic", "maximum_f1", "partial_auc", "mcclish_auc")
#: Largest false positive rate of a partial area, by default.
PART = 0.1


def truths_of_thresholds(share: float, higher: float, law: str) -> dict[str, float]:
    """Return the scores of the population, from the distribution functions at very many thresholds."""
    noise = NOISES[law]
    levels = np.concatenate([np.logspace(-12, -3, 100_000), np.linspace(1e-3, 1 - 1e-9, 1_000_000)])
    at = noise.isf(levels)
    thresholds = np.sort(np.concatenate([at, at + higher]))[::-1]
    false, true = noise.sf(thresholds), noise.sf(thresholds - higher)
    told = share * true + (1 - share) * false
    part = np.linspace(0, PART, 1_000_001)[1:]
    area = PART * float(np.mean(noise.sf(noise.isf(part - PART / 2e6) - higher)))
    least = PART**2 / 2
    mcclish = (1 + (area - least) / (PART - least)) / 2
    best = float((true - false).max()), float((2 * share * true / (told + share)).max())
    return dict(zip(AT_THRESHOLDS, (*best, area, mcclish), strict=True))


def of_thresholds() -> Iterator[Setting]:
    def sample(law: str, n: int, truths: dict[str, float], rng: Generator) -> Judged:
        share, higher, noise = OF_ONE[law]
        positive = rng.random(n) < share
        scores = NOISES[noise].rvs(size=n, random_state=rng) + higher * positive
        found = adjudge.evaluate(positive.astype(int), scores=scores, indices=[*AT_THRESHOLDS], **JUDGE)
        return beside(found.scores, truths)

    for law, what in OF_ONE.items():
        yield Setting(
            "Scores of thresholds", law, 34_000, partial(sample, law, 34_000, truths_of_thresholds(*what)), 3
        )


# Several labels per instance, several raters

#: Shares of the labels, how much higher their scores are, the law, and how strongly labels occur together.
LABELS: dict[str, tuple[Any, float, str, float]] = {
    "4 labels, hardly found": ((0.5, 0.3, 0.1, 0.05), 1.0, "normal", 0.0),
    "4 labels, near 1": ((0.4, 0.3, 0.2, 0.1), 4.0, "normal", 0.0),
    "20 rare labels, heavy tails": ((0.06,) * 20, 2.0, "heavy tails", 0.0),
    "6 labels that come together": ((0.3,) * 6, 1.2, "normal", 1.5),
    "3 labels, mostly none, exponential": ((0.08, 0.05, 0.03), 2.0, "exponential", 0.0),
    "40 labels, near 1": (0.3 / np.arange(1, 41) ** 0.5, 5.0, "normal", 0.5),
}
OF_RANKINGS = ["label_ranking_average_precision", "coverage_error", "label_ranking_loss", "one_error"]


def rankings(law: str, n: int, rng: Generator, **options: Any) -> Mapping[str, Any]:
    """Draw instances with several labels, and judge scores for the labels."""
    shares, higher, noise, together = LABELS[law]
    odds = np.log(shares) - np.log1p(-np.asarray(shares)) + together * rng.normal(size=(n, 1))
    truth = rng.random((n, len(shares))) < 1 / (1 + np.exp(-odds))
    scores = NOISES[noise].rvs(size=truth.shape, random_state=rng) + higher * truth
    said = (scores > 1).astype(int)
    options = {"kind": "multilabel", "indices": OF_RANKINGS, **options}
    return adjudge.evaluate(truth.astype(int), said, scores=scores, **options).scores


def of_rankings() -> Iterator[Setting]:
    for law in LABELS:
        rng = np.random.default_rng(8)
        drawn = [rankings(law, 200_000, rng) for _ in range(2)]
        truths = {name: float(np.mean([one[name].value for one in drawn])) for name in OF_RANKINGS}

        def sample(law: str, n: int, truths: dict[str, float], rng: Generator) -> Judged:
            return beside(rankings(law, n, rng, confidence=0.95), truths)

        for n in (30, 100, 400):
            yield Setting("Rankings of several labels", law, n, partial(sample, law, n, truths))


#: Cut points of a normal variable for four categories, the raters' error, and the number of raters.
RATED = {
    "even categories, 3 raters": ((-0.8, 0.0, 0.8), 0.6, 3),
    "even categories, 2 raters": ((-0.8, 0.0, 0.8), 0.4, 2),
    "one category prevails, 3 raters": ((0.3, 0.9, 1.5), 0.6, 3),
    "one category prevails, 2 raters": ((0.5, 1.0, 2.0), 0.4, 2),
}


def raters(name: str, n: int, rng: Generator, **options: Any) -> Mapping[str, Any]:
    """Judge ratings by raters who see the same variable, each with an independent error."""
    cuts, error, k = RATED[name]
    seen = rng.normal(size=(n, 1)) + error * rng.normal(size=(n, k))
    return adjudge.evaluate(
        np.searchsorted(cuts, seen), kind="raters", indices="all", classes=range(4), **options
    ).scores


def of_raters() -> Iterator[Setting]:
    for name in RATED:
        population = raters(name, 300_000, np.random.default_rng(4))
        truths = {own: score.value for own, score in population.items() if own != "raters_agreement"}

        def sample(name: str, n: int, truths: dict[str, float], rng: Generator) -> Judged:
            return beside(raters(name, n, rng, confidence=0.95), truths)

        for n in (15, 30, 60):
            yield Setting("Several raters", name, n, partial(sample, name, n, truths))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
