"""Whether intervals hold on laws unlike those of the other studies; fills a table of docs/how_far_to_trust.md.

    python studies/other_laws.py [--replicates 150] [--out CSV] [--only PART]

Classes of Zipf's sizes that are mistaken for larger ones, a class that is never said, chance; forecasts with scores of
Student's t, few steps, overconfidence, three classes; clusters that are chained, scattered, or nearly independent of
the truth. Weights are log-normal and go with the mistakes; units have sizes by a geometric law, and rates that are
mostly near 0 or 1. The true values are those of a sample of a million rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

import adjudge
from cells import RESULTS, Cell, Found, Generator, Setting, arguments, by_family, run
from tables import fill

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]
#: Rows, or units, of each design.
SIZES = {"rows": (150, 600), "weights": (150, 600), "units": (25, 80)}
MANY = 1_000_000

OF_CLASSES = (
    "accuracy", "balanced_accuracy", "cohen_kappa", "matthews_correlation", "quadratic_weighted_kappa", "gwet_ac1",
    "macro_precision", "macro_recall", "macro_f1", "weighted_f1", "macro_jaccard", "g_mean",
)  # fmt: skip
OF_TWO = (
    "log_loss", "brier_score", "brier_skill_score", "d2_log_loss", "roc_auc", "average_precision", "ks_statistic",
    "youden_index", "maximum_f1",
)  # fmt: skip
OF_THREE = (
    "log_loss", "brier_score", "brier_skill_score", "d2_log_loss", "roc_auc_ovr", "roc_auc_ovo",
    "macro_average_precision", "top_k_accuracy",
)  # fmt: skip
OF_PAIRS = (
    "rand",
    "adjusted_rand",
    "pair_f",
    "jaccard",
    "fowlkes_mallows",
    "pair_precision",
    "pair_recall",
    "peirce",
)
OF_MATCHES = (
    "purity",
    "bcubed_f",
    "bcubed_recall",
    "pivoted_accuracy",
    "classification_error",
    "larsen_aone",
)
OF_ENTROPIES = ("nmi", "ami", "homogeneity", "completeness", "v_measure", "variation_of_information")


class Law(NamedTuple):
    """How rows are drawn, given how hard each is (0 to 1, a half on average), and what is judged."""

    draw: Callable[[np.ndarray, Generator], tuple[np.ndarray, np.ndarray]]
    names: tuple[str, ...]
    kind: str


def mistaken_for_larger(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw six classes of Zipf's sizes; a mistake names a larger class."""
    sizes = 1 / np.arange(1, 7)
    truth = rng.choice(6, hard.size, p=sizes / sizes.sum())
    wrong = rng.random(hard.size) < hard * (0.2 + 0.12 * truth)
    return truth, np.where(wrong, (truth * rng.random(hard.size)).astype(int), truth)


def one_never_said(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw four classes, of which the last is always taken for the third."""
    truth = rng.choice(4, hard.size, p=[0.45, 0.3, 0.15, 0.1])
    said = np.where(rng.random(hard.size) < 0.5 * hard, rng.integers(0, 3, hard.size), truth)
    return truth, np.minimum(said, 2)


def by_chance(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw three classes, and guesses with other shares."""
    truth = rng.choice(3, hard.size, p=[0.7, 0.2, 0.1])
    return truth, np.where(hard < 0.3, rng.choice(3, hard.size, p=[0.3, 0.4, 0.3]), 0)


def _logistic(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))))


def far_scores(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores of Student's t with 3 degrees of freedom, a seventh of them of the positive class."""
    truth = (rng.random(hard.size) < 0.14).astype(int)
    return truth, _logistic(1.8 * (1.5 - hard) * truth - 1.5 + 0.8 * rng.standard_t(3, hard.size))


def in_steps(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores in five steps, of an overconfident model."""
    truth = (rng.random(hard.size) < 0.4).astype(int)
    step = np.clip(np.round(2 + (2 * truth - 1) * (1.6 - 2 * hard) + rng.standard_normal(hard.size)), 0, 4)
    return truth, np.array([0.02, 0.15, 0.5, 0.85, 0.98])[step.astype(int)]


def skewed_scores(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores of gamma laws that hardly overlap at their upper end."""
    truth = (rng.random(hard.size) < 0.25).astype(int)
    score = rng.gamma(np.where(truth, 3.0, 0.7), 1.0) * (1.3 - 0.6 * hard)
    return truth, np.asarray(score / (1 + score))


def three_classes(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw three classes, the last of them rare, and forecasts of a model that is too sure."""
    truth = rng.choice(3, hard.size, p=[0.55, 0.38, 0.07])
    logits = 1.4 * rng.standard_normal((hard.size, 3)) + np.array([0.4, 0.2, -1.0])
    logits[np.arange(hard.size), truth] += 3.0 * (1 - hard)
    shares = np.exp(1.5 * logits - (1.5 * logits).max(axis=1, keepdims=True))
    return truth, shares / shares.sum(axis=1, keepdims=True)


def chained(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw ten clusters of which each leaks into the next."""
    truth = rng.integers(0, 10, hard.size)
    return truth, (truth + (rng.random(hard.size) < 0.6 * hard)) % 10


def scattered(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw three clusters, a fifth of whose rows are in one of twenty small clusters."""
    truth = rng.choice(3, hard.size, p=[0.6, 0.3, 0.1])
    return truth, np.where(rng.random(hard.size) < 0.4 * hard, rng.integers(3, 23, hard.size), truth)


def nearly_independent(hard: np.ndarray, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw five clusters of which one row in six tells something."""
    truth = rng.choice(5, hard.size, p=[0.4, 0.25, 0.15, 0.12, 0.08])
    return truth, np.where(rng.random(hard.size) < 0.33 * hard, truth, rng.integers(0, 4, hard.size))


CLUSTERS = OF_PAIRS + OF_MATCHES + OF_ENTROPIES
LAWS = {
    "classes mistaken for larger ones": Law(mistaken_for_larger, OF_CLASSES, "classes"),
    "a class that is never said": Law(one_never_said, OF_CLASSES, "classes"),
    "classes by chance": Law(by_chance, OF_CLASSES, "classes"),
    "forecasts, far scores": Law(far_scores, OF_TWO, "forecasts"),
    "forecasts in steps": Law(in_steps, OF_TWO, "forecasts"),
    "forecasts, skewed scores": Law(skewed_scores, OF_TWO, "forecasts"),
    "forecasts of three classes": Law(three_classes, OF_THREE, "forecasts"),
    "clusters in a chain": Law(chained, CLUSTERS, "clusters"),
    "scattered clusters": Law(scattered, CLUSTERS, "clusters"),
    "nearly independent clusters": Law(nearly_independent, CLUSTERS, "clusters"),
}


def sampled(law: Law, design: str, n: int, rng: Generator) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Draw rows by a design."""
    if design == "units":
        unit = np.repeat(np.arange(n), rng.geometric(0.15, n))
        return *law.draw(rng.beta(0.4, 0.4, n)[unit], rng), {"units": unit}
    hard = rng.beta(0.8, 0.8, n)
    if design == "rows":
        return *law.draw(hard, rng), {}
    # Hard rows are drawn three times as often as they occur.
    kept = hard[rng.choice(n, n, p=(1 + 2 * hard) / (1 + 2 * hard).sum())]
    weights = rng.lognormal(0.0, 0.5, n) / (1 + 2 * kept)
    return *law.draw(kept, rng), {"sample_weight": weights, "weights": "importance"}


def scores_of(law: Law, truth: np.ndarray, said: np.ndarray, more: Mapping[str, Any]) -> Mapping[str, Any]:
    """Judge a sample."""
    names = list(law.names)
    if law.kind == "forecasts":
        return adjudge.evaluate(truth, probabilities=said, indices=names, **more).scores
    kind = "clustering" if law.kind == "clusters" else "classification"
    return adjudge.evaluate(truth, said, kind=kind, indices=names, **more).scores


@cache
def true_values(law: Law, design: str) -> dict[str, float]:
    """Return the values in a sample that is too large for chance or bias to matter."""
    truth, said, more = sampled(
        law, design, MANY // (7 if design == "units" else 1), np.random.default_rng(1)
    )
    found = scores_of(law, truth, said, {name: own for name, own in more.items() if name != "units"})
    return {name: found[name].value for name in law.names}


def judged(law: Law, design: str, n: int, rng: Generator) -> Mapping[str, Found]:
    """Compute the intervals of a sample."""
    truth, said, more = sampled(law, design, n, rng)
    wanted, scores = true_values(law, design), scores_of(law, truth, said, {**more, "confidence": 0.95})
    return {name: (scores[name], wanted[name]) for name in law.names}


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for design, sizes in SIZES.items():
        for name, law in LAWS.items():
            for n in sizes:
                yield Setting(f"{law.kind}, {design}", name, n, partial(judged, law, design, n))


def families(cell: Cell) -> str:
    """Return the family of scores that a cell is of."""
    family, design = cell.part.split(", ")
    if family == "clusters":
        family = (
            "entropies"
            if cell.name in OF_ENTROPIES
            else "pairs"
            if cell.name in OF_PAIRS
            else "matches, BCubed"
        )
    elif family == "forecasts":
        losses = ("log_loss", "brier_score", "brier_skill_score", "d2_log_loss", "top_k_accuracy")
        ranked = ("ks_statistic", "youden_index", "maximum_f1")
        family = "losses" if cell.name in losses else "best thresholds" if cell.name in ranked else "rankings"
    return f"{family}, {design}"


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 150).parse_args())
    fill(RESULTS.parent / "how_far_to_trust.md", {"other laws": by_family(found, families)})
