"""How sure the head-to-heads are: intervals of the measures, and a test of each pair of models."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from adjudge._report.instances import Instances
from adjudge.inference.intervals import Interval, classification_intervals, clustering_intervals
from adjudge.inference.tests import TestResult, equal_goodness_test, holm, mcnemar_test
from adjudge.results import Comparison, plain_json

__all__ = ["Significance", "significance"]

# Cells of the truth and two clusterings, over all pairs of models, up to which the wait is bearable: each is left out
# once for every interval.
_MOST_CELLS = 500_000

_TESTS = {"classification": "McNemar's test", "clustering": "Test of equal Rand indices"}


@dataclass(frozen=True)
class Significance:
    """What the data say beyond the observed counts.

    Attributes
    ----------
    confidence : float
    intervals : dict of (str, str) to dict of str to Interval
        Of each ordered pair, by measure.
    tests : dict of frozenset to TestResult
        Of each pair of models.
    adjusted : dict of frozenset to float
        Its p-value after Holm's correction for all pairs.
    """

    kind: str
    confidence: float
    intervals: dict[tuple[str, str], dict[str, Interval]]
    tests: dict[frozenset[str], TestResult]
    adjusted: dict[frozenset[str], float]

    def of(self, p: str, q: str) -> dict[str, Any]:
        """Plain JSON of one ordered pair."""
        intervals = self.intervals[p, q]
        test = self.tests[frozenset((p, q))]
        return {
            "intervals": {name: plain_json([i.low, i.high]) for name, i in intervals.items()},
            "interval_notes": {name: i.reason for name, i in intervals.items() if i.reason},
            "test": {
                "title": _TESTS[self.kind],
                "method": test.method,
                "hypothesis": test.hypothesis,
                "reason": test.reason,
                "p_value": plain_json(test.p_value),
                "adjusted": plain_json(self.adjusted[frozenset((p, q))]),
                "pairs": len(self.tests),
            },
        }


def significance(comparison: Comparison, instances: Instances, confidence: float) -> Significance | None:
    """Assess every pair of models, the instances being a sample; None where that would take too long."""
    if comparison.kind == "clustering" and _cells(instances) > _MOST_CELLS:
        return None
    intervals: dict[tuple[str, str], dict[str, Interval]] = {}
    tests: dict[frozenset[str], TestResult] = {}
    for p, q in combinations(comparison.models, 2):
        if comparison.kind == "classification":
            tests[frozenset((p, q))] = mcnemar_test(comparison[p, q].agreement)
            for pair in ((p, q), (q, p)):
                intervals[pair] = classification_intervals(comparison[pair].agreement, confidence=confidence)
            continue
        truth, labels = instances.labels_true, instances.labels
        tests[frozenset((p, q))] = equal_goodness_test(truth, labels[p], labels[q], index="rand")
        for pair in ((p, q), (q, p)):
            intervals[pair] = clustering_intervals(
                truth, labels[pair[0]], labels[pair[1]], confidence=confidence
            )
    adjusted = dict(zip(tests, holm([test.p_value for test in tests.values()]), strict=True))
    return Significance(comparison.kind, confidence, intervals, tests, adjusted)


def _cells(instances: Instances) -> int:
    """Return the most cells that the truth and two models can have, over all pairs of models."""
    n, classes = instances.positions.size, len(instances.truth.names)
    sizes = [len(coded.names) for coded in instances.models.values()]
    return sum(min(n, classes * a * b) for a, b in combinations(sizes, 2))
