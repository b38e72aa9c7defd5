"""How often do tests over data sets find a difference, where there is none and where there is one.

python benchmarks/rank_tests.py [--replicates 2000] writes docs/benchmarks/rank_tests.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np

from adjudge.given.score_table import ScoreTable
from adjudge.inference.data_sets.hierarchical import hierarchical_posterior
from adjudge.inference.data_sets.paired import sign_test, signed_rank_test
from adjudge.inference.data_sets.posterior import (
    corrected_t_test,
    correlated_t_posterior,
    sign_posterior,
    signed_rank_posterior,
)
from adjudge.inference.data_sets.rank_comparison import pairwise_tests
from adjudge.inference.data_sets.ranks import OVERALL
from adjudge.statistics.rankings import Rankings
from harness import DOCS

LEVEL = 0.05
# What the tables say, in sentences: written after the run of 1,000 replicates; look at them again after another one.
READING = """\
# Tests over data sets: level and power

How often does each test of `adjudge.benchmark` claim a difference at the 5 % level? Most tests claim one between equal
models in about 5 % of the cases or fewer. Li's correction, the naive t of folds, and the Bayesian tests without a rope
claim one more often.

## Where tests claim too much, or find too little

- **Li's correction** against a control exceeds the level if all models are equal (up to 0.084 here). Finner's does if
  some models differ ([sizes of tests](test_sizes.md)). Prefer Hommel's or Holm's.
- **The Bayesian tests** do not hold a level. Without a rope they claim a difference at a probability of 0.95 on either
  side, so they tell equal models apart about one time in ten. With a rope they seldom claim a side that is not there,
  but need many data sets before they claim equivalence.
- **Tests of pairs by average ranks** are conservative if other pairs differ, because they use the spread of the ranks
  under equality. The signed-rank tests are closer to the level there, and find more if differences are normal.
- **Unequal spread between data sets** makes signed ranks weak: ranks find twice as much.
"""
METHOD = """\

## How it was measured

`python benchmarks/rank_tests.py --replicates {replicates}` took {minutes:.0f} minutes. Scores are drawn for N data sets
and k models: normal; Student with 2 degrees of freedom (heavy tails); exponential (skewed); rounded (many ties); normal
with a spread that differs a hundredfold between data sets. A rate of 0.05 is measured to within {of_all:.3f} by the
tests of all models, {of_pairs:.3f} by those of all pairs, and {of_two:.3f} by those of two models.
"""
ROPE = 0.2


def drawn(kind: str, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Scores of equal models: data sets (axis -2) by models (axis -1), in standard deviations of the noise."""
    if kind == "normal":
        return rng.normal(size=shape)
    if kind == "heavy tails":
        return rng.standard_t(2, size=shape)
    if kind == "skewed":
        return rng.exponential(size=shape) - 1
    if kind == "many ties":
        return np.round(rng.normal(size=shape))
    # Data sets on which scores spread a hundred times as much as on others.
    return rng.normal(size=shape) * 10 ** rng.uniform(-1, 1, (*shape[:-1], 1))


KINDS = ("normal", "heavy tails", "skewed", "many ties", "unequal spread")


def rates(found: Callable[[np.ndarray], list[bool]], draws: np.ndarray) -> list[float]:
    return np.mean([found(draw) for draw in draws], axis=0).tolist()


def by_overall_tests(draw: np.ndarray) -> list[bool]:
    rankings = Rankings.of_goodness(draw)
    return [test(rankings).p_value <= LEVEL for test in OVERALL.values()]


PAIRS = (
    ("ranks", "nemenyi"),
    ("ranks", "holm"),
    ("ranks", "shaffer"),
    ("ranks", "bergmann-hommel"),
    ("wilcoxon", "holm"),
    ("wilcoxon", "shaffer"),
    ("sign", "holm"),
)
CONTROL = ("holm", "hochberg", "hommel", "finner", "li")


def table_of(draw: np.ndarray) -> ScoreTable:
    return ScoreTable.of(range(draw.shape[0]), range(draw.shape[1]), draw, "higher")


def false_pairs(shifts: np.ndarray, of_control: bool) -> Callable[[np.ndarray], list[bool]]:
    """Whether any pair of equal models is called different."""
    equal = {(str(i), str(j)) for i, j in combinations(range(len(shifts)), 2) if shifts[i] == shifts[j]}

    def wrong(draw: np.ndarray) -> list[bool]:
        table = table_of(draw + shifts)
        tests = (
            [pairwise_tests(table, correction=c, control="0") for c in CONTROL]
            if of_control
            else [pairwise_tests(table, test=t, correction=c) for t, c in PAIRS]
        )
        return [any(tuple(sorted(pair)) in equal for pair in test.different(LEVEL)) for test in tests]

    return wrong


def found_pairs(shifts: np.ndarray) -> Callable[[np.ndarray], list[float]]:
    """Share of the pairs of different models that are found."""
    different = [(str(i), str(j)) for i, j in combinations(range(len(shifts)), 2) if shifts[i] != shifts[j]]

    def power(draw: np.ndarray) -> list[float]:
        table = table_of(draw + shifts)
        tests = [pairwise_tests(table, test=t, correction=c) for t, c in PAIRS]
        return [float(np.mean([test[pair] <= LEVEL for pair in different])) for test in tests]

    return power


def by_two_model_tests(draw: np.ndarray) -> list[bool]:
    return [
        signed_rank_test(draw).p_value <= LEVEL,
        signed_rank_test(draw, zeros="drop").p_value <= LEVEL,
        sign_test(draw).p_value <= LEVEL,
        _claims(signed_rank_posterior(draw, n_draws=1000, random_state=0)),
        _claims(sign_posterior(draw, n_draws=1000, random_state=0)),
    ]


def _claims(posterior) -> bool:
    """Whether a difference is claimed with probability 0.95, of either side."""
    return max(posterior.first, posterior.second) > 0.95


def by_bayes(draw: np.ndarray) -> list[float]:
    """First better, equivalent, second better, none - each claimed with probability 0.95."""
    found = []
    for posterior in (signed_rank_posterior, sign_posterior):
        p = posterior(draw, rope=ROPE, n_draws=1000, random_state=0)
        found += [p.first > 0.95, p.rope > 0.95, p.second > 0.95]
    return found


def folds(rng: np.random.Generator, datasets: int, shift: float, spread: float) -> np.ndarray:
    """Differences of 10 folds: correlated by 1/10, as their training sets overlap."""
    deltas = shift + spread * rng.standard_t(5, size=(datasets, 1))
    common = np.sqrt(0.1) * rng.normal(size=(datasets, 1))
    return deltas + common + np.sqrt(0.9) * rng.normal(size=(datasets, 10))


def by_hierarchy(draw: np.ndarray) -> list[bool]:
    p = hierarchical_posterior(draw, rope=ROPE, n_draws=4000, random_state=0)
    return [p.first > 0.95, p.rope > 0.95, p.second > 0.95]


def by_folds(draw: np.ndarray) -> list[bool]:
    naive = draw.mean() / draw.std(ddof=1) * np.sqrt(draw.size)
    p = correlated_t_posterior(draw, test_share=0.1)
    return [
        corrected_t_test(draw, test_share=0.1).p_value <= LEVEL,
        max(p.first, p.second) > 1 - LEVEL / 2,
        abs(naive) > 2.262,
    ]


class Page:
    """Markdown tables, one after the other."""

    def __init__(self, replicates: int) -> None:
        self.lines: list[str] = []
        self.replicates = replicates

    def table(
        self, title: str, columns: list[str], rows: list[tuple[str, list[float]]], words: str = ""
    ) -> None:
        """Add a table."""
        self.lines += [f"\n## {title}\n"]
        if words:
            self.lines += [f"{words}\n"]
        self.lines += ["| " + " | ".join(["case", *columns]) + " |", "|---" + "|---:" * len(columns) + "|"]
        self.lines += [
            f"| {name} | " + " | ".join(f"{v:.3f}" for v in values) + " |" for name, values in rows
        ]
        print(title, flush=True)


def sizes(page: Page, rng: np.random.Generator) -> None:
    rows = [
        (f"{kind}, N = {n}, k = {k}", rates(by_overall_tests, drawn(kind, rng, (page.replicates, n, k))))
        for kind in KINDS
        for n, k in ((5, 3), (10, 2), (10, 5), (30, 10))
    ]
    page.table("All models alike: how often a difference is claimed", list(OVERALL), rows)
    few = page.replicates // 2
    rows = []
    for kind in KINDS:
        for n, shifts in ((15, [0, 0, 0, 0]), (15, [0, 0, 2, 2]), (30, [0, 0, 0, 1, 1, 3])):
            wrong = false_pairs(np.array(shifts, float), of_control=False)
            case = f"{kind}, N = {n}, shifts {shifts}"
            rows.append((case, rates(wrong, drawn(kind, rng, (few, n, len(shifts))))))
    words = "Models with the same shift are equal; a claim about one such pair is false."
    page.table("All pairs: how often any false claim is made", [f"{t}, {c}" for t, c in PAIRS], rows, words)
    rows = []
    for kind in KINDS:
        for n, shifts in ((15, [0, 0, 0, 0, 0]), (30, [0, 0, 0, 2, 2])):
            wrong = false_pairs(np.array(shifts, float), of_control=True)
            case = f"{kind}, N = {n}, shifts {shifts}"
            rows.append((case, rates(wrong, drawn(kind, rng, (few, n, len(shifts))))))
    page.table("Against the first model: how often any false claim is made", list(CONTROL), rows)


def two_models(page: Page, rng: np.random.Generator) -> None:
    columns = ["signed-rank", "signed-rank, zeros dropped", "sign", "Bayesian signed-rank", "Bayesian sign"]
    titles = {0.0: "how often a difference is claimed", 0.5: "power at a shift of half a standard deviation"}
    for shift, title in titles.items():
        rows = []
        for kind in KINDS:
            for n in (8, 15, 40):
                both = drawn(kind, rng, (page.replicates // 4, n, 2))
                rows.append(
                    (f"{kind}, N = {n}", rates(by_two_model_tests, both[..., 0] - both[..., 1] + shift))
                )
        words = "The Bayesian tests have no rope, and claim a difference if either side has a probability above 0.95."
        page.table(f"Two models: {title}", columns, rows, words)


def powers(page: Page, rng: np.random.Generator) -> None:
    rows = []
    for kind in KINDS:
        for n, shifts in ((15, [0, 0.5, 1, 1.5]), (30, [0, 0, 0, 0, 1])):
            power = found_pairs(np.array(shifts, float))
            case = f"{kind}, N = {n}, shifts {shifts}"
            rows.append((case, rates(power, drawn(kind, rng, (page.replicates // 4, n, len(shifts))))))
    page.table("All pairs: share of the differences that are found", [f"{t}, {c}" for t, c in PAIRS], rows)
    rows = []
    for kind in KINDS:
        for n in (8, 15, 30):
            draws = drawn(kind, rng, (page.replicates // 2, n, 4)) + np.array([0, 0.3, 0.6, 0.9])
            rows.append((f"{kind}, N = {n}", rates(by_overall_tests, draws)))
    page.table("Four models with shifts 0, 0.3, 0.6, 0.9: power of the tests of all", list(OVERALL), rows)


def bayes(page: Page, rng: np.random.Generator) -> None:
    columns = [
        f"{test}: {claim}" for test in ("signed-rank", "sign") for claim in ("first", "equivalent", "second")
    ]
    rows = []
    for shift in (0.0, 0.2, 0.5, 1.0):
        for n in (15, 40):
            draws = rng.normal(shift, 0.4, (page.replicates // 4, n))
            rows.append((f"mean {shift}, spread 0.4, N = {n}", rates(by_bayes, draws)))
    words = f"Normal differences; the rope is {ROPE}; a claim needs a probability above 0.95."
    page.table("Bayesian tests with a region of practical equivalence", columns, rows, words)
    rows = []
    for shift, spread in ((0.0, 0.05), (0.0, 0.5), (0.2, 0.3), (0.6, 0.3)):
        draws = [folds(rng, 15, shift, spread) for _ in range(page.replicates // 20)]
        rows.append((f"mean {shift}, spread {spread}", rates(by_hierarchy, draws)))
    page.table(
        "The hierarchical test of 15 data sets by 10 folds", ["first", "equivalent", "second"], rows, words
    )
    draws = [folds(rng, 1, 0.0, 0.0)[0] for _ in range(page.replicates)]
    words = "Ten folds whose differences have a correlation of 1/10. The naive t is shown for contrast."
    names = ["corrected t", "correlated t (0.975 on a side)", "naive t"]
    page.table(
        "One data set: how often equal models differ", names, [("10 folds", rates(by_folds, draws))], words
    )


def written(page: Page, minutes: float) -> None:
    of_all, of_pairs, of_two = (1.96 * (0.0475 / (page.replicates // part)) ** 0.5 for part in (1, 2, 4))
    method = METHOD.format(
        replicates=page.replicates, minutes=minutes, of_all=of_all, of_pairs=of_pairs, of_two=of_two
    )
    (DOCS / "rank_tests.md").write_text(
        "\n".join([READING.rstrip("\n"), *page.lines, method]), encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicates", type=int, default=2000)
    started = time.perf_counter()
    page, rng = Page(parser.parse_args().replicates), np.random.default_rng(20)
    for part in (two_models, bayes, sizes, powers):
        part(page, rng)
        written(
            page, (time.perf_counter() - started) / 60
        )  # after each, so that a run that is stopped left something


if __name__ == "__main__":
    main()
