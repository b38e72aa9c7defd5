"""How sure a head-to-head of two models is: intervals of its measures, and a test corrected for all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index, list_indices
from adjudge.inference.classes.outcome_intervals import classification_intervals
from adjudge.inference.classes.right_or_wrong import mcnemar_test
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.samples import Sample
from adjudge.inference.common.test_results import TestResult
from adjudge.inference.differences.label_differences import compare_accuracies
from adjudge.inference.drawn import Drawn
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.equal_goodness import equal_goodness_of
from adjudge.inference.partitions.intervals import clustering_intervals_of
from adjudge.statistics.agreement import Agreement

__all__ = [
    "MOST_CELLS",
    "PairInference",
    "assess_classifiers",
    "assess_clusterings",
    "not_inferred",
    "takes_long",
]

# Cells of the truth and two clusterings up to which each may be left out once for every interval.
MOST_CELLS = 500_000
_SAME_ACCURACY = "both classifiers have the same accuracy"


def independent(pair: tuple[str, str]) -> None:
    """Say that each row was drawn for itself."""


@dataclass(frozen=True)
class PairInference:
    """What the data say of one ordered pair beyond the observed counts.

    Attributes
    ----------
    intervals : dict of str to Interval
        By measure.
    test : TestResult
        That both models are equally good.
    adjusted_p_value : float
        Holm's correction for all pairs of models.
    name : str
        Of the test.
    """

    intervals: dict[str, Interval]
    test: TestResult
    adjusted_p_value: float
    name: str

    @property
    def tested(self) -> dict[str, Any]:
        """The test, as :class:`adjudge.results.HeadToHead` holds it."""
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
    """Intervals, and a test of equal accuracies, of every ordered pair: McNemar's (mid-p) if rows are independent.

    Parameters
    ----------
    agreements : mapping of (str, str) to Agreement
    confidence : float
    drawn : callable
        Says of a pair how rows were drawn; entries are the cells of its matrix.
    """

    def test(pair: tuple[str, str]) -> TestResult:
        own = drawn(pair)
        if own is None:
            return mcnemar_test(agreements[pair])
        found = compare_accuracies(agreements[pair], confidence, own)
        return found.test or TestResult(math.nan, math.nan, "t", _SAME_ACCURACY, found.interval.reason)

    clustered = any(own is not None for own in map(drawn, agreements))
    return _assess(
        agreements,
        lambda pair: classification_intervals(agreements[pair], confidence=confidence, drawn=drawn(pair)),
        test,
        "Test of equal accuracies" if clustered else "McNemar's test",
    )


def assess_clusterings(
    samples: Mapping[tuple[str, str], Sample],
    confidence: float,
    drawn: Callable[[tuple[str, str]], Drawn | None] = independent,
) -> dict[tuple[str, str], PairInference]:
    """Intervals, and a test of equal Rand indices, of every ordered pair; instances are the sample, not pairs.

    The interval of comparative deviation leaves 0 out if the test finds a difference: both are of one statistic.

    Parameters
    ----------
    samples : mapping of (str, str) to Sample
    confidence : float
    drawn : callable
        Says of a pair how rows were drawn; entries are the cells of its sample.
    """
    rand = find_index("rand", "external")
    return _assess(
        samples,
        lambda pair: clustering_intervals_of(samples[pair], confidence=confidence, drawn=drawn(pair)),
        lambda pair: equal_goodness_of(samples[pair], rand, drawn(pair)),
        "Test of equal Rand indices",
    )


def not_inferred(
    pairs: Iterable[tuple[str, str]], confidence: float, reason: str
) -> dict[tuple[str, str], PairInference]:
    """Say of every ordered pair why there are neither intervals nor a test."""
    none = Interval.undefined(confidence, "none", reason)
    intervals = {record.name: none for record in list_indices("comparative")}
    test = TestResult(math.nan, math.nan, "none", "both models are equally good", reason)
    return {pair: PairInference(intervals, test, math.nan, "none") for pair in pairs}


def takes_long(truth: Labels, clusterings: Sequence[Labels]) -> bool:
    """Whether the cells of all pairs of clusterings may be more than :data:`MOST_CELLS` together."""
    n, classes = len(truth), _n_groups(truth)
    sizes = [_n_groups(labels) for labels in clusterings]
    return sum(min(n, classes * a * b) for a, b in combinations(sizes, 2)) > MOST_CELLS


def _n_groups(labels: Labels) -> int:
    return len(labels.dense()[1])


def _assess(
    pairs: Mapping[tuple[str, str], Any],
    intervals: Callable[[tuple[str, str]], dict[str, Interval]],
    test: Callable[[tuple[str, str]], TestResult],
    name: str,
) -> dict[tuple[str, str], PairInference]:
    # Both orders of a pair are one test.
    unordered = list(dict.fromkeys(map(_sorted, pairs)))
    tests = {pair: test(pair) for pair in unordered}
    adjusted = dict(zip(unordered, adjust_p_values([t.p_value for t in tests.values()]), strict=True))
    found = {}
    for pair in pairs:
        key = _sorted(pair)
        found[pair] = PairInference(intervals(pair), tests[key], adjusted[key], name)
    return found


def _sorted(pair: tuple[str, str]) -> tuple[str, str]:
    p, q = pair
    return (p, q) if p <= q else (q, p)
