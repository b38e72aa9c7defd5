"""What scores of classifiers reward: by prevalence, by faults, by the number of classes; and the instances they need.

A classifier sees a normal signal whose mean is higher for the positive class, and gives the true probability of that
class. Costs are measured under two laws: one to choose scores by, and one to see whether the choice holds. Writes the
table and fills the page docs/studies/classifier_scores.md:

    python studies/classifier_scores.py [--seed 1] [--draws 200]
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit

import adjudge
from tables import fill, percent, table

DOCS = Path(__file__).parents[1] / "docs" / "studies"
PAGE = DOCS / "classifier_scores.md"
Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Generator = np.random.Generator

RECORDS = [r for r in adjudge.list_indices("classification") if r.better]
NAMES = [r.name for r in RECORDS]
#: What the page shows; the table has all.
SHOWN = (
    "accuracy", "balanced_accuracy", "f1", "macro_f1", "matthews_correlation", "cohen_kappa", "informedness",
    "precision", "recall", "roc_auc", "average_precision", "log_loss", "d2_log_loss", "brier_score",
    "brier_skill_score", "expected_calibration_error",
)  # fmt: skip
PREVALENCES = (0.5, 0.2, 0.05, 0.01)
# How far the signal tells the classes apart, in standard deviations.
SIGNAL = 1.5
#: Prevalence and signal under which faults are put in.
LAWS = {"chosen": (0.2, SIGNAL), "held out": (0.4, 0.8)}
#: Scores that need no positive class, for more and more classes.
OF_MANY = (
    "accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation", "cohen_kappa", "log_loss", "d2_log_loss",
    "brier_score", "top_label_calibration_error",
)  # fmt: skip
MANY = (2, 5, 20, 100)


def draw(rng: Generator, n: int, prevalence: float, apart: float = SIGNAL) -> tuple[Ints, Floats]:
    """Return the classes, and the probabilities of a classifier that sees the signal."""
    truth = (rng.permutation(n) < prevalence * n).astype(np.int64)
    return truth, calibrated(apart * truth + rng.normal(size=n), prevalence, 0.0, rng, apart)


def calibrated(
    signal: Floats, prevalence: float, noise: float, rng: Generator, apart: float = SIGNAL
) -> Floats:
    """Return the probability of the positive class given the signal and noise of this size."""
    seen = signal + noise * rng.normal(size=signal.size)
    variance = 1 + noise**2
    return np.asarray(expit(logit(prevalence) + (apart * seen - apart**2 / 2) / variance))


def scores(truth: Ints, likely: Floats, threshold: float = 0.5) -> Floats:
    """Return all scores, turned so that higher is better."""
    found = adjudge.evaluate(
        truth, (likely >= threshold).astype(np.int64), probabilities=likely, positive=1, indices=NAMES
    )
    return np.array([found[r.name] * (1 if r.better == "higher" else -1) for r in RECORDS])


def spoilt(rng: Generator) -> dict[str, Callable[[Floats], tuple[Floats, float]]]:
    """Return what may be wrong with a classifier: probabilities and threshold from good probabilities."""
    return {
        "ranks worse": lambda p: (expit(logit(p) + 0.7 * rng.normal(size=p.size)), 0.5),
        "overconfident": lambda p: (expit(2 * logit(p)), 0.5),
        "too high": lambda p: (expit(logit(p) + 1), 0.5),
        "threshold 0.2": lambda p: (p, 0.2),
        "always the prevalence": lambda p: (np.full(p.size, p.mean()), 0.5),
    }


def by_prevalence(rng: Generator) -> dict[str, Floats]:
    """Return the scores of one classifier where the positive class is more or less frequent."""
    return {f"at {prevalence:g}": scores(*draw(rng, 100_000, prevalence)) for prevalence in PREVALENCES}


def costs(rng: Generator, draws: int, law: tuple[float, float]) -> dict[str, Floats]:
    """Return what each fault costs, in standard errors of 1,000 instances."""
    found: dict[str, list[Floats]] = {name: [] for name in spoilt(rng)}
    for _ in range(draws):
        truth, likely = draw(rng, 1000, *law)
        before = scores(truth, likely)
        for name, change in spoilt(rng).items():
            found[name].append(before - scores(truth, *change(likely)))
    spread = np.std([scores(*draw(rng, 1000, *law)) for _ in range(draws)], axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: np.mean(own, axis=0) / spread for name, own in found.items()}


def opposite(rng: Generator, draws: int) -> Floats:
    """Return how often a score orders two classifiers with random faults against the logarithmic loss."""
    against, place = [], NAMES.index("log_loss")
    for _ in range(draws):
        truth, likely = draw(rng, 5000, float(rng.choice([0.5, 0.2, 0.05])))
        first, second = (
            scores(
                truth,
                expit(rng.uniform(0.5, 2) * logit(likely) + rng.normal(0, 1, likely.size) + rng.normal()),
            )
            for _ in range(2)
        )
        off = first - second
        against.append(np.sign(off) * np.sign(off[place]) < 0)
    return np.mean(against, axis=0)


def by_classes(rng: Generator) -> list[list[str]]:
    """Return the scores of a classifier that is right in 70 % of the cases, for more and more even classes."""
    values = []
    for k in MANY:
        truth = rng.integers(0, k, 20_000)
        pred = np.where(rng.random(truth.size) < 0.7, truth, (truth + rng.integers(1, k, truth.size)) % k)
        likely = np.full((truth.size, k), 0.3 / (k - 1))
        likely[np.arange(truth.size), pred] = 0.7
        found = adjudge.evaluate(truth, pred, probabilities=likely, indices=OF_MANY, kind="classification")
        values.append([f"{found[name]:.3f}" for name in OF_MANY])
    return [
        [f"[{name}](../indices/{name}.md)", *own]
        for name, own in zip(OF_MANY, zip(*values, strict=True), strict=True)
    ]


def needed(rng: Generator, draws: int, prevalence: float) -> Floats:
    """Return the instances that tell a classifier from one with half a unit of noise more, in 80 % of samples."""
    off = []
    for _ in range(draws):
        truth = (rng.permutation(1000) < prevalence * 1000).astype(np.int64)
        signal = SIGNAL * truth + rng.normal(size=1000)
        off.append(
            scores(truth, calibrated(signal, prevalence, 0.0, rng))
            - scores(truth, calibrated(signal, prevalence, 0.5, rng))
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.nanstd(off, axis=0, ddof=1) / np.nanmean(off, axis=0)
    return np.asarray(1000 * ((1.96 + 0.84) * ratio) ** 2)


def write_page(facts: dict[str, Floats], many: list[list[str]], options: argparse.Namespace) -> None:
    """Fill the tables of the page."""
    shown = [(NAMES.index(name), f"[{name}](../indices/{name}.md)") for name in SHOWN]
    at = [f"at {prevalence:g}" for prevalence in PREVALENCES]
    faults = list(spoilt(np.random.default_rng()))
    values = [[name, *(f"{abs(facts[own][i]):.3f}" for own in at)] for i, name in shown]
    lost = [
        [name, *(_figure(facts[own][i]) for own in faults), percent(facts["opposite"][i])]
        for i, name in shown
    ]
    sizes = [
        [name, *(_count(facts[own][i]) for own in ("needed at 0.2", "needed at 0.05"))] for i, name in shown
    ]
    fill(
        PAGE,
        {
            "values": table(values, ["score", *(f"prevalence {own[3:]}" for own in at)]),
            "faults": table(lost, ["score", *faults, "against log loss"]),
            "classes": table(many, ["score", *(f"{k} classes" for k in MANY)]),
            "sizes": table(sizes, ["score", "prevalence 0.2", "prevalence 0.05"]),
            "command": f"```sh\npython studies/classifier_scores.py --seed {options.seed} --draws {options.draws}\n```",
        },
    )


def _figure(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.1f}"


def _count(instances: float) -> str:
    return f"{instances:,.0f}" if instances < 1e6 else "more than a million"


def main() -> None:
    """Run the study, and write its table and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    streams = np.random.default_rng(options.seed).spawn(7)
    facts = by_prevalence(streams[0]) | costs(streams[1], options.draws, LAWS["chosen"])
    facts |= {"needed at 0.2": needed(streams[2], options.draws, 0.2)}
    facts |= {"needed at 0.05": needed(streams[3], options.draws, 0.05)}
    facts |= {"opposite": opposite(streams[4], options.draws)}
    held_out = costs(streams[5], options.draws, LAWS["held out"])
    facts |= {f"{name}, held out": own for name, own in held_out.items()}
    with PAGE.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["score", *facts])
        writer.writerows([name, *(f"{own[i]:.6g}" for own in facts.values())] for i, name in enumerate(NAMES))
    write_page(facts, by_classes(streams[6]), options)


if __name__ == "__main__":
    main()
