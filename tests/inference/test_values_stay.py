"""Intervals, tests and null distributions stay as they were when studies and references confirmed them.

The study takes hours and looks at shares; here each number is compared with one that is stored. If a number is
meant to change, `python tests/inference/test_values_stay.py --store` stores the new ones: read the difference, and
repeat the study.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.given.score_table import ScoreTable
from adjudge.inference.chance.correction import null_distributions
from adjudge.inference.classes.accuracy_tests import cochran_q_test, mcnemar_test
from adjudge.inference.classes.class_intervals import intervals_of_labels, intervals_of_measures
from adjudge.inference.classes.outcome_intervals import diversity_intervals
from adjudge.inference.common.adjustments import CORRECTIONS, adjust_p_values, adjust_pairs
from adjudge.inference.confidence import comparison_intervals, confidence_interval, confidence_intervals
from adjudge.inference.data_sets import posterior, rank_power, ranks
from adjudge.inference.data_sets.hierarchical import hierarchical_posterior
from adjudge.inference.data_sets.rank_comparison import PAIR_TESTS, pairwise_tests
from adjudge.inference.data_sets.two_models import paired_effects, sign_test, signed_rank_test
from adjudge.inference.differences import groups
from adjudge.inference.differences.clustering_differences import equal_goodness_test
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.inference.points.internal_intervals import internal_intervals
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import read_forecasts
from adjudge.statistics.rankings import Rankings

STORED = Path(__file__).parents[1] / "reference" / "inference.json.gz"


def noisy(n: int, k: int, wrong: float, seed: int, k_found: int | None = None) -> tuple[Any, Any]:
    """Labels of k clusters of unequal sizes, of which some are mistaken."""
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, k + 1)
    truth = np.sort(rng.choice(k, n, p=shares / shares.sum()))
    found = np.where(rng.random(n) < wrong, rng.integers(0, k_found or k, n), truth)
    return truth, found


def table_of(truth: Any, found: Any) -> list[list[int]]:
    counted = np.zeros((truth.max() + 1, found.max() + 1), np.int64)
    np.add.at(counted, (truth, found), 1)
    return counted.tolist()


TABLES = {
    "two": [[30, 5], [4, 61]],
    "three": table_of(*noisy(180, 3, 0.2, 1)),
    "uneven": [[180, 12, 8], [9, 45, 6], [2, 1, 9]],
    "six": table_of(*noisy(400, 6, 0.15, 2)),
    "more clusters": table_of(*noisy(240, 3, 0.4, 3, 5)),
    "many clusters": table_of(*noisy(300, 12, 0.1, 4)),
    "one misplaced": [[40, 0, 0], [0, 35, 1], [0, 0, 30]],
    "identical": [[20, 0], [0, 25]],
    "independent": [[25, 25], [25, 25]],
    "nearly independent": [[27, 24], [23, 26]],
    "one cluster": [[20, 30]],
    "few": [[2, 1], [0, 2]],
    "three instances": [[1, 0], [0, 2]],
    "one instance": [[1]],
    "large": table_of(*noisy(6000, 4, 0.02, 5)),
    "nested": [[30, 30, 0], [0, 0, 50]],
    "nested, one astray": [[30, 30, 1], [0, 0, 50]],
    "fewer clusters": table_of(*noisy(240, 5, 0.3, 16, 2)),
    "two near chance": [[6, 5], [4, 7]],
    "two, one astray": [[12, 0], [1, 9]],
    "two, unequal": [[3, 9], [40, 11]],
    "sparse": table_of(*noisy(40, 9, 0.5, 17, 7)),
    "strays": [[60, 1, 0, 0], [0, 40, 0, 1], [1, 0, 25, 0], [0, 0, 0, 3]],
    "singletons": [[1, 0, 0, 12, 0], [0, 1, 0, 0, 14], [0, 0, 1, 3, 9]],
}
EXTERNAL = [record.name for record in adjudge.list_indices("external")]
INTERNAL = [record.name for record in adjudge.list_indices("internal")]
SCORES = np.random.default_rng(6).normal([0.8, 0.79, 0.75, 0.7], 0.03, size=(14, 4)).round(3)
SCORE_TABLE = ScoreTable.of([f"d{i}" for i in range(14)], list("abcd"), SCORES, "higher")
DIFFERENCES = SCORES[:, 0] - SCORES[:, 1]
P_VALUES = [0.001, 0.3, 0.012, 0.04, 0.02, 0.6]


def blobs(n: int, k: int, spread: float, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % k
    return rng.normal(size=(n, 2)) * spread + 5 * rng.normal(size=(k, 2))[codes], codes


def classes(k: int, seed: int) -> dict[str, Any]:
    truth, found = noisy(150, k, 0.25, seed)
    confusion = Confusion(list(range(k)), np.array(table_of(truth, found)))
    counts = confusion.by_class()
    records = [
        record
        for record in adjudge.list_indices("classification")
        if type(record).__name__ == "ClassificationIndex"
    ]
    of_labels = intervals_of_labels(records, confusion, counts, 0.95)
    by_class = intervals_of_measures(counts, ("precision", "recall", "f1", "jaccard"), 0.9)
    return {"scores": of_labels, "by class": by_class}


def forecasts(k: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(k), rng.integers(0, k, 120)]
    p = rng.dirichlet(np.ones(k), codes.size) * 0.7 + 0.3 * np.eye(k)[codes]
    read = read_forecasts(codes, p[:, 1] if k == 2 else p)
    records = [
        record
        for record in adjudge.list_indices("classification")
        if type(record).__name__ == "ForecastIndex"
    ]
    return intervals_of_forecasts(records, read, 0.95)


def models(kind: Any, n: int = 150, k: int = 3, **options: Any) -> dict[str, Any]:
    truth, one = noisy(n, k, 0.2, 7)
    _, other = noisy(n, k, 0.3, 8)
    return comparison_intervals(truth, one, other, kind=kind, random_state=0, **options)


def with_parameters(table: str) -> dict[str, Any]:
    """Indices that have parameters, with values of these that are not the usual ones."""
    others = {"beta": 2.0, "normalized": True, "average": "max", "alpha": 0.3, "p": 3.0}
    return {
        f"{record.name}, {name}": confidence_interval(record.name, TABLES[table], **{name: others[name]})
        for record in adjudge.list_indices("external")
        for name in record.parameters
        if name in others
    }


def judged(confidence: float = 0.95) -> dict[str, Any]:
    rng = np.random.default_rng(15)
    units = rng.integers(0, 3, 40)
    ratings = [[int(u) if rng.random() < 0.8 else int(rng.integers(0, 3)) for _ in range(3)] for u in units]
    found = adjudge.evaluate(ratings, kind="raters", confidence=confidence)
    return {name: score.interval for name, score in found.scores.items()}


def two_classifiers() -> dict[str, Any]:
    truth, one = noisy(120, 3, 0.2, 9)
    _, other = noisy(120, 3, 0.3, 10)
    found = adjudge.compare(truth, {"one": one, "other": other}, kind="classification", confidence=0.95)
    return {
        f"{name} of {' and '.join(pair)}": [own.low, own.high, own.p_value, own.method, own.reason]
        for pair, compared in found.pairs.items()
        for name, own in compared.differences.items()
    }


def rank_tests() -> dict[str, Any]:
    rankings = Rankings.of(SCORE_TABLE)
    tests = (ranks.friedman, ranks.iman_davenport, ranks.quade, ranks.aligned_ranks)
    return {
        **{test.__name__: test(rankings) for test in tests},
        "w": ranks.kendall_w(rankings),
    }


def critical_differences() -> list[float]:
    return [ranks.nemenyi_difference(14, 4)]


def power() -> dict[str, Any]:
    return {
        "power": [rank_power.pair_power(14, p, test=t) for p in (0.6, 0.8) for t in ("wilcoxon", "sign")],
        "needed": [rank_power.datasets_needed(0.8, test=t) for t in ("wilcoxon", "sign")],
        "detectable": [
            rank_power.detectable(14, test=t, n_comparisons=c) for t in ("wilcoxon", "sign") for c in (1, 3)
        ],
        "of ranks": rank_power.rank_test_power(14, 4, 0.2),
    }


def pairs_of_models() -> dict[str, Any]:
    holm = {test: pairwise_tests(SCORE_TABLE, test=test, correction="holm") for test in PAIR_TESTS}
    found = {
        **holm,
        "nemenyi": pairwise_tests(SCORE_TABLE, correction="nemenyi"),
        "control": pairwise_tests(SCORE_TABLE, control="b"),
        "split": pairwise_tests(SCORE_TABLE, test="sign", zeros="split", correction="holm"),
    }
    return {
        name: [list(own.statistics.values()), list(own.raw.values()), list(own.adjusted.values())]
        for name, own in found.items()
    }


def posteriors() -> dict[str, Any]:
    folds = DIFFERENCES[:10].reshape(2, 5)
    made = {
        "signed-rank": posterior.signed_rank_posterior(DIFFERENCES, rope=0.01, n_draws=300, random_state=0),
        "without rope": posterior.signed_rank_posterior(DIFFERENCES, n_draws=300, random_state=0),
        "sign": posterior.sign_posterior(DIFFERENCES, rope=0.01, n_draws=300, random_state=0),
        "sign without rope": posterior.sign_posterior(DIFFERENCES, n_draws=300, random_state=0),
        "correlated-t": posterior.correlated_t_posterior(DIFFERENCES, rope=0.01),
        "hierarchical": hierarchical_posterior(folds, rope=0.01, n_draws=400, random_state=0),
    }
    return {name: {k: v for k, v in plain(own).items() if k != "draws"} for name, own in made.items()}


def of_two_models() -> dict[str, Any]:
    rng = np.random.default_rng(11)
    right, left = rng.random(80) < 0.8, rng.random(80) < 0.6
    rng.exponential(size=80)  # the stored values were made after draws for tests that are no more
    return {
        **{m: mcnemar_test(right, left, method=m) for m in ("exact", "mid-p", "asymptotic", "corrected")},
        "cochran": cochran_q_test(np.column_stack([right, left, rng.random(80) < 0.7])),
        "signed-rank": [signed_rank_test(DIFFERENCES, zeros=z) for z in ("pratt", "drop", "split")],
        "sign": [sign_test(DIFFERENCES, zeros=z) for z in ("drop", "split")],
        "effects": paired_effects(DIFFERENCES),
        "diversity": diversity_intervals(Agreement(38, 9, 5, 8), confidence=0.9),
        "newcombe": groups.newcombe(20, 50, 33, 60),
        "adjusted": {
            n: adjust_p_values(P_VALUES, n) for n in CORRECTIONS if n != "fdr"
        },  # which has a naive twin
        "adjusted pairs": {name: adjust_pairs(P_VALUES, 4, name) for name in ("shaffer", "bergmann-hommel")},
    }


def chance(
    table: str, names: Sequence[str] = ("rand", "purity", "jaccard", "bcubed_f"), **options: Any
) -> dict[str, Any]:
    found = null_distributions(names, TABLES[table], n_tables=300, random_state=0, **options)
    return {
        name: [own.mean, own.std, own.adjusted, own.z_score, own.quantile(0.3)]
        + [own.p_value(side) for side in ("greater", "less", "two-sided")]
        for name, own in found.items()
    }


def goodness() -> dict[str, Any]:
    truth, one = noisy(150, 3, 0.2, 7)
    _, other = noisy(150, 3, 0.3, 8)
    return {
        f"{index} {method}": equal_goodness_test(
            truth, one, other, index=index, method=method, n_resamples=100, random_state=0
        )
        for index in ("rand", "adjusted_rand", "jaccard", "pair_precision", "fowlkes_mallows")
        for method in ("jackknife", "bootstrap")
    }


CASES: dict[str, Callable[[], Any]] = {
    **{f"external, {name}": partial(confidence_intervals, EXTERNAL, table) for name, table in TABLES.items()},
    **{
        f"external by {method}, {name}": partial(
            confidence_intervals, EXTERNAL, TABLES[name], method=method, n_resamples=60, random_state=0
        )
        for method in ("jackknife", "percentile", "bca")
        for name in ("two", "uneven", "few", "one instance")
    },
    **{
        f"internal, {name}": partial(internal_intervals, *data, INTERNAL, n_resamples=50, random_state=0)
        for name, data in {
            "apart": blobs(60, 3, 0.6, 12),
            "overlapping": blobs(90, 3, 3.0, 13),
            "few": blobs(9, 3, 1.0, 14),
        }.items()
    },
    **{f"{k} classes": partial(classes, k, k) for k in (2, 3, 5)},
    **{f"forecasts of {k} classes": partial(forecasts, k, k) for k in (2, 3)},
    "two clusterings": partial(models, "clustering"),
    "two clusterings by the jackknife": partial(models, "clustering", method="jackknife"),
    "two clusterings by the bootstrap": partial(models, "clustering", method="bca", n_resamples=60),
    "two clusterings of two clusters": partial(models, "clustering", 60, 2),
    "two clusterings of few points": partial(models, "clustering", 14, 2),
    "two clusterings of many points": partial(models, "clustering", 900, 6),
    "two classifications": partial(models, "classification"),
    "two classifications of few instances": partial(models, "classification", 9),
    **{
        f"parameters, {name}": partial(with_parameters, name) for name in ("three", "uneven", "few", "sparse")
    },
    "equal goodness": goodness,
    "raters": judged,
    "differences of scores": two_classifiers,
    "rank tests": rank_tests,
    "critical differences": critical_differences,
    "power": power,
    "pairs of models": pairs_of_models,
    "posteriors": posteriors,
    "tests of two models": of_two_models,
    **{
        f"chance, {null}, {method}": partial(chance, "three", null=null, method=method)
        for null, method in [
            ("fixed_margins", "simulate"),
            ("num", "simulate"),
            ("all", "simulate"),
            ("num1", "simulate"),
            ("all1", "simulate"),
        ]
    },
    "chance, few instances": partial(chance, "few"),
    "chance, exactly": partial(chance, "few", method="exact"),
    **{
        f"chance, by three moments{of}": partial(chance, table, ["rand", "jaccard"], method="pearson3")
        for of, table in {"": "three", ", large": "large", ", two": "two", ", sparse": "sparse"}.items()
    },
}


def plain(value: Any) -> Any:
    """Numbers and text only; an infinite number as text, which JSON can hold."""
    if isinstance(value, (bool, str, int, type(None))):
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else repr(float(value))
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(own) for name, own in value.items()}
    if isinstance(value, (Sequence, np.ndarray)):
        return [plain(own) for own in value]
    return plain(value.item())


def width(stored: dict[str, Any]) -> float:
    """Width of a stored interval; 0 if it is none, or has no finite ends."""
    ends = [stored.get(name) for name in ("low", "high")]
    if not all(isinstance(end, float) and math.isfinite(end) for end in ends):
        return 0.0
    return float(ends[1] - ends[0])


def check(found: Any, stored: Any, place: str, slack: float = 1e-9) -> None:
    """Compare numbers up to what other processors and libraries change, and all else exactly.

    Ends of an interval may move by 1e-3 of its width: slopes from differences carry other roundings there, and a
    processor with other vector instructions was seen to move one by 3e-4.
    """
    if isinstance(stored, dict):
        assert found.keys() == stored.keys(), place
        slack = 1e-3 * width(stored)
        for name, own in stored.items():
            check(found[name], own, f"{place}, {name}", slack)
    elif isinstance(stored, list):
        assert len(found) == len(stored), place
        for i, own in enumerate(stored):
            check(found[i], own, f"{place}, {i}")
    elif isinstance(stored, float):
        assert found == pytest.approx(stored, rel=1e-6, abs=max(slack, 1e-9)), place
    else:
        assert found == stored, place


@pytest.fixture(scope="module")
def stored() -> Any:
    return json.loads(gzip.decompress(STORED.read_bytes()))


@pytest.mark.full(keep=14)
@pytest.mark.parametrize("case", CASES)
def test_values_are_those_that_were_confirmed(case: str, stored: Any) -> None:
    check(plain(CASES[case]()), stored[case], case)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--sotre"]])
def test_nothing_is_stored_unless_it_is_asked_for(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(globals(), "CASES", {"a case": lambda: pytest.fail("computed")})
    before = STORED.read_bytes()
    with pytest.raises(SystemExit):
        main(arguments)
    assert "--store" in "".join(capsys.readouterr())
    assert STORED.read_bytes() == before


def main(arguments: Sequence[str] | None = None) -> None:
    """Store the numbers as they are now, if that is asked for."""
    parser = argparse.ArgumentParser(description="Numbers of intervals, tests and null distributions.")
    parser.add_argument(
        "--store", action="store_true", required=True, help=f"replace {STORED.name} by new ones"
    )
    parser.parse_args(arguments)
    values = {case: plain(call()) for case, call in CASES.items()}
    STORED.write_bytes(gzip.compress(json.dumps(values).encode(), mtime=0))
    sys.stdout.write(f"{STORED}: {STORED.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
