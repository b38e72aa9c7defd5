"""False claims and power of tests of all pairs of models; fills the tables of docs/studies/pairs_of_models.md.

    python studies/pairs_of_models.py [--replicates 140] [--out CSV] [--only PART]

Conover and Iman's test, alone and after a significant Friedman test, beside Nemenyi's and others. Scores are normal,
with an effect of the data set. A claim about two models with the same mean is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

from adjudge.given.score_table import ScoreTable
from adjudge.inference.data_sets.rank_comparison import PairwiseTests, pairwise_tests
from adjudge.inference.data_sets.ranks import friedman
from adjudge.statistics.rankings import Rankings
from cells import LEVEL, RESULTS, Cell, Found, Generator, Setting, arguments, grouped, run
from tables import fill, table

#: The tests, by name: test, correction, and whether Friedman's test comes first.
TESTS = {
    "Conover, no correction": ("conover", "none", False),
    "Conover, Holm": ("conover", "holm", False),
    "Friedman, then Conover, Holm": ("conover", "holm", True),
    "Nemenyi": ("ranks", "nemenyi", False),
    "ranks, Holm": ("ranks", "holm", False),
    "Wilcoxon, Holm": ("wilcoxon", "holm", False),
}
#: Means of the models, in standard deviations of a score on a data set.
MODELS: dict[str, dict[str, list[float]]] = {
    "all alike": {"4 models": [0.0] * 4, "10 models": [0.0] * 10},
    "some alike": {
        "2 of 4, the others 2 and 4 above": [0.0, 0.0, 2.0, 4.0],
        "5 of 10, the others 1 above": [0.0] * 5 + [1.0] * 5,
        "2 of 10, the others 1 to 8 above": [0.0, 0.0, *map(float, range(1, 9))],
    },
}
UNEQUAL = {
    "4 models, 0.5 apart": [0.0, 0.5, 1.0, 1.5],
    "10 models, one 1 above": [0.0] * 9 + [1.0],
}
DATA_SETS = (5, 10, 20, 40)


def tested(means: Sequence[float], equal: bool, n: int, rng: Generator) -> dict[str, Found]:
    """Return the smallest p-value among equal models; or that of two models that differ, drawn at random."""
    scores = rng.normal(size=(n, 1)) + rng.normal(size=(n, len(means))) + means
    names = [f"m{i}" for i in range(len(means))]
    scored = ScoreTable.of([f"d{i}" for i in range(n)], names, scores, "higher")
    asked = [
        (f"m{i}", f"m{j}") for i, j in combinations(range(len(means)), 2) if (means[i] == means[j]) == equal
    ]
    if not equal:
        asked = [asked[rng.integers(len(asked))]]
    alike = friedman(Rankings.of(scored)).p_value > LEVEL
    return {
        name: 1.0 if first and alike else least(pairwise_tests(scored, test, correction=correction), asked)
        for name, (test, correction, first) in TESTS.items()
    }


def least(pairs: PairwiseTests, asked: Sequence[tuple[str, str]]) -> float:
    """Return the smallest adjusted p-value of some pairs."""
    return min(pairs[pair] for pair in asked)


def settings() -> Iterator[Setting]:
    """Yield settings by number of data sets."""
    for part, laws in MODELS.items():
        for law, means in laws.items():
            for n in DATA_SETS:
                yield Setting(part, law, n, partial(tested, means, True, n), 1 + (len(means) > 4))
    for law, means in UNEQUAL.items():
        for n in DATA_SETS:
            yield Setting("power", law, n, partial(tested, means, False, n), 1 + (len(means) > 4))


def rates(cells: Sequence[Cell]) -> str:
    """Return a table of the shares of samples with a claim, by number of data sets."""
    rows = [
        [
            law,
            *(" / ".join(f"{cell.rate:.2f}" for cell in own) for _, own in grouped(of_law, lambda c: c.name)),
        ]
        for law, of_law in grouped(cells, lambda cell: cell.law)
    ]
    return table(rows, ("", *TESTS))


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 140).parse_args())
    parts = {
        "false claims": rates([cell for cell in found if cell.part != "power"]),
        "power": rates([cell for cell in found if cell.part == "power"]),
    }
    fill(RESULTS / "pairs_of_models.md", parts)
