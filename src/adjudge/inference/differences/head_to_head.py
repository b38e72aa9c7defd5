"""How sure a head-to-head of two models is: intervals of its measures, and a test corrected for all pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index
from adjudge.inference.classes.right_or_wrong import mcnemar_test
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.samples import Sample
from adjudge.inference.common.test_results import TestResult
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.equal_goodness import equal_goodness_of
from adjudge.inference.partitions.intervals import classification_intervals, clustering_intervals_of
from adjudge.statistics.agreement import Agreement

__all__ = ["MOST_CELLS", "PairInference", "assess_classifiers", "assess_clusterings", "takes_long"]

# Cells of the truth and two clusterings up to which each may be left out once for every interval.
MOST_CELLS = 500_000


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
    agreements: Mapping[tuple[str, str], Agreement], confidence: float
) -> dict[tuple[str, str], PairInference]:
    """Score intervals, and McNemar's test (mid-p), of every ordered pair."""
    return _assess(
        agreements,
        lambda pair: classification_intervals(agreements[pair], confidence=confidence),
        lambda pair: mcnemar_test(agreements[pair]),
        "McNemar's test",
    )


def assess_clusterings(
    samples: Mapping[tuple[str, str], Sample], confidence: float
) -> dict[tuple[str, str], PairInference]:
    """Intervals, and a test of equal Rand indices, of every ordered pair; instances are the sample, not pairs.

    The interval of comparative deviation leaves 0 out if the test finds a difference: both are of one statistic.
    """
    rand = find_index("rand", "external")
    return _assess(
        samples,
        lambda pair: clustering_intervals_of(samples[pair], confidence=confidence),
        lambda pair: equal_goodness_of(samples[pair], rand),
        "Test of equal Rand indices",
    )


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
