"""The certainty of a head-to-head of two models: intervals of its measures, and a test corrected for all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index, list_indices
from adjudge.inference.classes.accuracy_tests import mcnemar_test
from adjudge.inference.classes.outcome_intervals import intervals_of_pairs
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.common.significance import TestResult
from adjudge.inference.differences.clustering_differences import equal_goodness_of
from adjudge.inference.differences.label_differences import compare_accuracies
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.intervals import clustering_intervals_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.agreement import Agreement

# Most cells of the truth and two clusterings for which each cell may be left out once for every interval.
MOST_CELLS = 500_000
_SAME_ACCURACY = "both classifiers have the same accuracy"
_AS_OFTEN = "each model is better on as many rows as the other"


def independent(pair: tuple[str, str]) -> None:
    """Say that rows were sampled independently."""


@dataclass(frozen=True)
class PairInference:
    """The intervals and the test of one ordered pair of models.

    Attributes
    ----------
    intervals : dict of str to Interval
        By measure.
    test : TestResult
        Test that both models are equally good.
    adjusted_p_value : float
        With Holm's correction for all pairs of models.
    name : str
        Name of the test.
    """

    intervals: dict[str, Interval]
    test: TestResult
    adjusted_p_value: float
    name: str

    @property
    def tested(self) -> dict[str, Any]:
        """The test in the form in which :class:`adjudge.results.HeadToHead` stores it."""
        return {
            "name": self.name,
            "method": self.test.method,
            "hypothesis": self.test.hypothesis,
            "p_value": self.test.p_value,
            "adjusted_p_value": self.adjusted_p_value,
            "reason": self.test.reason,
        }


def assess_classifiers(
    agreements: Mapping[tuple[str, str], Agreement],
    confidence: float,
    drawn: Callable[[tuple[str, str]], Drawn | None] = independent,
) -> dict[tuple[str, str], PairInference]:
    """Return intervals and a test of equal accuracies for every ordered pair: McNemar's (mid-p) for independent rows.

    Parameters
    ----------
    agreements : mapping of (str, str) to Agreement
    confidence : float
    drawn : callable
        Returns how rows were sampled, given a pair; entries are the cells of its matrix.
    """

    def test(pair: tuple[str, str]) -> TestResult:
        own = drawn(pair)
        if own is None:
            return mcnemar_test(agreements[pair])
        found = compare_accuracies(agreements[pair], confidence, own)
        return found.test or TestResult(math.nan, math.nan, "t", _SAME_ACCURACY, found.interval.reason)

    all_drawn = [*map(drawn, agreements)]
    clustered = any(own is not None for own in all_drawn)
    intervals = intervals_of_pairs([*agreements.values()], confidence, all_drawn)
    name = "Test of equal accuracies" if clustered else "McNemar's test"
    return _assess(dict(zip(agreements, intervals, strict=True)), test, name)


def assess_signs(
    agreements: Mapping[tuple[str, str], Agreement],
    confidence: float,
    drawn: Callable[[tuple[str, str]], Drawn | None] = independent,
) -> dict[tuple[str, str], PairInference]:
    """Return the same for models with a number for each row: a test of whether each is better as often as the other.

    Parameters
    ----------
    agreements : mapping of (str, str) to Agreement
        Of a model that is right where it is at least as good as the other.
    confidence : float
    drawn : callable
    """
    found = assess_classifiers(agreements, confidence, drawn)
    return {
        pair: replace(own, name="Sign test", test=replace(own.test, hypothesis=_AS_OFTEN))
        for pair, own in found.items()
    }


def assess_clusterings(
    samples: Mapping[tuple[str, str], CrossTabulation],
    confidence: float,
    drawn: Callable[[tuple[str, str]], Drawn | None] = independent,
) -> dict[tuple[str, str], PairInference]:
    """Return intervals and a test of equal Rand indices for every ordered pair; instances are the sample, not pairs.

    Without units, the interval of comparative deviation excludes 0 if the test finds a difference: both use the same
    statistic. With units, the test is that of the difference of the Rand indices, and the interval also allows for a
    unit of a kind that was not seen.

    Parameters
    ----------
    samples : mapping of (str, str) to CrossTabulation
    confidence : float
    drawn : callable
        Returns how rows were sampled, given a pair; entries are the cells of its sample.
    """
    rand = find_index("rand", "external")
    return _assess(
        {
            pair: clustering_intervals_of(sample, confidence=confidence, drawn=drawn(pair))
            for pair, sample in samples.items()
        },
        lambda pair: equal_goodness_of(rand, samples[pair], drawn(pair)),
        "Test of equal Rand indices",
    )


def not_inferred(
    pairs: Iterable[tuple[str, str]], confidence: float, reason: str
) -> dict[tuple[str, str], PairInference]:
    """Return, for every ordered pair, undefined intervals and an undefined test with the reason."""
    none = Interval.undefined(confidence, "none", reason)
    intervals = {record.name: none for record in list_indices("comparative")}
    test = TestResult(math.nan, math.nan, "none", "both models are equally good", reason)
    return {pair: PairInference(intervals, test, math.nan, "none") for pair in pairs}


def takes_long(truth: Labels, clusterings: Sequence[Labels]) -> bool:
    """Whether all pairs of clusterings together may have more than :data:`MOST_CELLS` cells."""
    n, classes = len(truth), _n_groups(truth)
    sizes = [_n_groups(labels) for labels in clusterings]
    return sum(min(n, classes * a * b) for a, b in combinations(sizes, 2)) > MOST_CELLS


def _n_groups(labels: Labels) -> int:
    return len(labels.dense()[1])


def _assess(
    intervals: Mapping[tuple[str, str], dict[str, Interval]],
    test: Callable[[tuple[str, str]], TestResult],
    name: str,
) -> dict[tuple[str, str], PairInference]:
    # Both orders of a pair share one test.
    unordered = list(dict.fromkeys(map(_sorted, intervals)))
    tests = {pair: test(pair) for pair in unordered}
    adjusted = dict(zip(unordered, adjust_p_values([t.p_value for t in tests.values()]), strict=True))
    return {
        pair: PairInference(own, tests[_sorted(pair)], adjusted[_sorted(pair)], name)
        for pair, own in intervals.items()
    }


def _sorted(pair: tuple[str, str]) -> tuple[str, str]:
    p, q = pair
    return (p, q) if p <= q else (q, p)
