"""Size and power of the tests of `adjudge.benchmark`: how often they claim a difference between models.

    python studies/tests_over_data_sets.py [--replicates 1000] [--out CSV] [--only PART]

Scores of models on data sets are drawn: normal, with heavy tails, skewed, with many ties, and with a spread that varies
a hundredfold between data sets. A claim about two models with the same shift is false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

import adjudge
from cells import LEVEL, Found, Generator, Setting, arguments, run

Scores = np.ndarray[Any, np.dtype[np.float64]]
KINDS: dict[str, Callable[[Generator, tuple[int, int]], Scores]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy tails": lambda rng, shape: rng.standard_t(2, size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape),
    "many ties": lambda rng, shape: np.round(rng.normal(size=shape)),
    "unequal spread": lambda rng, shape: rng.normal(size=shape) * 10 ** rng.uniform(-1, 1, (shape[0], 1)),
}
OVERALL = ("friedman", "iman-davenport", "quade", "aligned-ranks")
PAIRS = (("ranks", "nemenyi"), ("ranks", "holm"), ("ranks", "shaffer"), ("ranks", "bergmann-hommel"))
PAIRS += (("wilcoxon", "holm"), ("wilcoxon", "shaffer"), ("sign", "holm"))
CONTROL = ("holm", "hochberg", "hommel", "finner", "li")
#: Largest difference that counts as none, and the probability that a claim needs.
ROPE, SURE = 0.2, 0.95


def drawn(kind: str, shifts: Sequence[float], n: int, rng: Generator) -> Any:
    """Draw a benchmark of models on n data sets."""
    scores = KINDS[kind](rng, (n, len(shifts))) + np.array(shifts)
    names = [f"m{i}" for i in range(len(shifts))]
    return adjudge.benchmark({f"d{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(scores.tolist())},
                             better="higher")  # fmt: skip


def overall(kind: str, shifts: Sequence[float], n: int, rng: Generator) -> dict[str, Found]:
    found = drawn(kind, shifts, n, rng)
    return {test: found.overall(test).p_value for test in OVERALL}


def least(adjusted: Any, pairs: Sequence[tuple[str, str]]) -> float:
    """Return the smallest p-value of some pairs."""
    return min(p for pair, p in adjusted.items() if tuple(sorted(pair)) in pairs)


def all_pairs(kind: str, shifts: Sequence[float], equal: bool, n: int, rng: Generator) -> dict[str, Found]:
    """Return the smallest p-value among pairs of equal models, or of unequal ones."""
    found = drawn(kind, shifts, n, rng)
    asked = [
        (f"m{i}", f"m{j}")
        for i, j in combinations(range(len(shifts)), 2)
        if (shifts[i] == shifts[j]) == equal
    ]
    return {
        f"{test}, {correction}": least(found.pairwise(test=test, correction=correction).adjusted, asked)
        for test, correction in PAIRS
    }


def against_the_first(kind: str, shifts: Sequence[float], n: int, rng: Generator) -> dict[str, Found]:
    """Return the smallest p-value among models that are as good as the first."""
    found = drawn(kind, shifts, n, rng)
    asked = [("m0", f"m{i}") for i in range(1, len(shifts)) if shifts[i] == shifts[0]]
    return {own: least(found.pairwise(correction=own, control="m0").adjusted, asked) for own in CONTROL}


def two_models(kind: str, shift: float, n: int, rng: Generator) -> dict[str, Found]:
    """Return the p-values for two models, and the claims of the Bayesian tests for either side."""
    found = drawn(kind, (0.0, shift), n, rng)
    p_values: dict[str, Found] = {
        "signed-rank": found.pairwise(test="wilcoxon").adjusted["m0", "m1"],
        "signed-rank, zeros dropped": found.pairwise(test="wilcoxon", zeros="drop").adjusted["m0", "m1"],
        "sign": found.pairwise(test="sign").adjusted["m0", "m1"],
    }
    for test in ("signed-rank", "sign"):
        said = next(iter(found.bayesian(test=test, n_draws=1000).values()))
        p_values[f"Bayesian {test}"] = claimed(max(said.first, said.second))
    return p_values


def claimed(probability: float) -> float:
    """Return a p-value that counts a claim as a rejection."""
    return LEVEL if probability > SURE else 1.0


def with_a_rope(shift: float, n: int, rng: Generator) -> dict[str, Found]:
    """Return the claims of Bayesian tests if small differences count as none."""
    deltas = rng.normal(shift, 0.4, n).tolist()
    found = adjudge.benchmark(
        {f"d{i}": {"a": delta, "b": 0.0} for i, delta in enumerate(deltas)}, better="higher"
    )
    p_values: dict[str, Found] = {}
    for test in ("signed-rank", "sign"):
        (pair, said), *_ = found.bayesian(rope=ROPE, test=test, n_draws=1000).items()
        sides = (said.first, said.second) if pair[0] == "a" else (said.second, said.first)
        for claim, probability in zip(
            ("first", "equivalent", "second"), (sides[0], said.rope, sides[1]), strict=True
        ):
            p_values[f"{test}: {claim}"] = claimed(probability)
    return p_values


def settings() -> Iterator[Setting]:
    """Yield settings for size and power."""
    for kind in KINDS:
        for n, k in ((5, 3), (10, 2), (10, 5), (30, 10)):
            yield Setting("All models alike", f"{kind}, {k} models", n, partial(overall, kind, [0.0] * k, n))
        for n, shifts in ((15, [0.0] * 4), (15, [0.0, 0.0, 2.0, 2.0]), (30, [0.0, 0.0, 0.0, 1.0, 1.0, 3.0])):
            law = f"{kind}, shifts {shifts}"
            yield Setting("All pairs, false claims", law, n, partial(all_pairs, kind, shifts, True, n), 2)
        for n, shifts in ((15, [0.0] * 5), (30, [0.0, 0.0, 0.0, 2.0, 2.0])):
            law = f"{kind}, shifts {shifts}"
            yield Setting(
                "Against the first, false claims", law, n, partial(against_the_first, kind, shifts, n), 2
            )
        for n in (8, 15, 40):
            yield Setting("Two models alike", kind, n, partial(two_models, kind, 0.0, n), 2)
        yield Setting("Power: four models", kind, 15, partial(overall, kind, [0.0, 0.3, 0.6, 0.9], 15), 2)
        yield Setting("Power: two models, 0.5 apart", kind, 15, partial(two_models, kind, 0.5, 15), 2)
        shifts = [0.0, 0.0, 0.0, 0.0, 1.0]
        yield Setting("Power: pairs, any found", kind, 30, partial(all_pairs, kind, shifts, False, 30), 4)
    for shift in (0.0, 0.2, 0.5, 1.0):
        for n in (15, 40):
            law = f"mean {shift}, spread 0.4, rope {ROPE}"
            yield Setting("Claims of Bayesian tests", law, n, partial(with_a_rope, shift, n), 2)


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 1000).parse_args())
