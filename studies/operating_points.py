"""Coverage of intervals for rates where another is held, answers only where a model is sure, and ratios of rates.

    python studies/operating_points.py [--replicates 300] [--out CSV]

The laws differ from those on which the rules of refusal were set: skewed and mixed scores, few positives, scores in
steps of a hundredth, rows in units, importance weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run

PARTS = {
    "Rates where another is held": (
        "sensitivity_at_specificity",
        "specificity_at_sensitivity",
        "precision_at_recall",
        "net_benefit",
        "ranked_probability_score",
    ),
    "Answers only where sure": (
        "risk_at_coverage",
        "risk_coverage_area",
        "generalized_risk_coverage_area",
    ),
    "Ratios of rates": (
        "positive_likelihood_ratio",
        "negative_likelihood_ratio",
        "diagnostic_odds_ratio",
    ),
}
NUMBERS = (100, 400, 2000)
#: Rows from which the true values are computed.
MANY = 2_000_000


def scores(law: str, n: int, rng: Generator) -> dict[str, Any]:
    """Draw outcomes and probabilities, perhaps with units or weights."""
    shares = {"Laplace scores, 15 %": 0.15, "beta scores, 25 %": 0.25, "two kinds of positives": 0.4}
    truth = (rng.random(n) < shares.get(law, 0.3)).astype(int)
    found: dict[str, Any] = {}
    if law == "beta scores, 25 %":
        logit = 4 * np.where(truth == 1, rng.beta(4, 2, n), rng.beta(2, 4, n)) - 2
    elif law == "two kinds of positives":
        logit = np.where(truth == 1, np.where(rng.random(n) < 0.7, 2.0, -1.0), 0) + 0.8 * rng.normal(size=n)
    elif law == "Laplace scores, 15 %":
        logit = 2 * truth + rng.laplace(size=n)
    elif law == "gamma scores":
        logit = np.where(truth == 1, rng.gamma(3, 1, n), rng.gamma(1, 1, n))
    elif law == "Student's t, 2 degrees":
        logit = 1.5 * truth + rng.standard_t(2, n)
    elif law == "units of five rows":
        unit = np.arange(n) // 5
        truth = (rng.random(n) < np.where(rng.random(n // 5 + 1) < 0.5, 0.15, 0.45)[unit]).astype(int)
        logit = 1.5 * truth + rng.normal(size=n) + 0.7 * rng.normal(size=n // 5 + 1)[unit]
        found["units"] = unit
    elif law == "importance weights":
        logit = 1.5 * truth + rng.normal(size=n)
        found |= {"sample_weight": rng.gamma(2, 0.5, n) * (1 + truth), "weights": "importance"}
    else:
        logit = 1.5 * truth + rng.normal(size=n)
    p = 1 / (1 + np.exp(0.8 - logit))
    found["probabilities"] = np.round(p, 2) if law == "steps of a hundredth" else p
    return {"labels_true": truth, **found}


LAWS = ["beta scores, 25 %", "two kinds of positives", "Laplace scores, 15 %", "gamma scores",
        "Student's t, 2 degrees", "steps of a hundredth", "units of five rows", "importance weights"]  # fmt: skip


def sample(law: str, n: int, truths: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Judge a sample."""
    given = scores(law, n, rng)
    found = adjudge.evaluate(**given, kind="classification", indices=list(truths), confidence=0.95).scores
    return {name: (found[name], truth) for name, truth in truths.items()}


def settings() -> Iterator[Setting]:
    """Yield each law with each number of rows."""
    for law in LAWS:
        given = scores(law, MANY, np.random.default_rng(99))
        weight = given.get("sample_weight")
        for part, names in PARTS.items():
            weighing: dict[str, Any] = {} if weight is None else {"sample_weight": weight}
            said = given["probabilities"]
            if part == "Ratios of rates":
                said = (said > 0.5).astype(int)
                weighing |= {} if weight is None else {"weights": "importance"}
            truths = {
                name: adjudge.find_index(name)(given["labels_true"], said, **weighing) for name in names
            }
            for n in NUMBERS:
                yield Setting(part, law, n, partial(sample, law, n, truths))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 300).parse_args())
