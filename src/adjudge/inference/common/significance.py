"""The outcome of a test, and tests derived from an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.array_types import Limits
from adjudge.inference.common.proportions import mid_p_of_signs, normal_quantile
from adjudge.inference.interval import METHOD, Interval, Wanted, intervals_of, p_values_of, why_not
from adjudge.inference.refusals import NO_VARIANCE, reason_of
from adjudge.inference.sampling_design import freedom_of, variance_of
from adjudge.presentation import notebook
from adjudge.presentation.numbers import bounded, p_text
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable

# Normal p-values up to the first are compared with those for few instances. These are mentioned if they reach the
# second, and if the normal one is at most the third times as large.
_OF_INTEREST, _OF_NOTE, _SMALLER = 0.1, 0.001, 0.8


@dataclass(frozen=True)
class TestResult(Savable):
    """The outcome of a test.

    Attributes
    ----------
    statistic : float
    p_value : float
        Two-sided.
    method : str
    hypothesis : str
        The hypothesis that is tested.
    reason : str or None
        Why the test is uninformative, or its p-value conservative, if so.
    p_floor : float
        Smallest p-value that the number of draws can give; a p-value that is not above it is an upper bound. 0 if
        nothing is drawn.
    """

    # Otherwise pytest would collect the class because of its name.
    __test__ = False

    statistic: float
    p_value: float
    method: str
    hypothesis: str
    reason: str | None = None
    p_floor: float = 0.0

    def table(self) -> Table:
        """Return one row; a p-value at its floor is shown as an upper bound."""
        p = bounded(self.p_value, self.p_floor)
        columns = ("hypothesis", "method", "statistic", "p", "note")
        return Table(columns, ((self.hypothesis, self.method, self.statistic, p, self.reason or ""),))

    def _repr_html_(self) -> str:
        return notebook.fragment(notebook.table(self.table()))


@dataclass(frozen=True)
class Difference:
    """The interval of a difference of two scores, and the test of whether it is 0.

    Attributes
    ----------
    interval : Interval
    test : TestResult or None
    freedom : float or None
        Degrees of freedom of Student's t, to which the interval is stretched; None for independent rows.
    """

    interval: Interval
    test: TestResult | None = None
    freedom: float | None = None


def agreeing(value: float, interval: Interval, test: TestResult) -> Difference:
    """Reconcile the interval of a difference with a test of another kind, so that they do not contradict each other.

    If only one of them shows a difference, the end of the interval that faces 0 moves to where an interval with the
    p-value of the test would end: it excludes 0 if the p-value is below 1 - `confidence`, and includes it otherwise.

    Parameters
    ----------
    value : float
        The difference.
    interval : Interval
    test : TestResult

    References
    ----------
    Altman & Bland (2011), How to obtain the confidence interval from a P value.

    Examples
    --------
    >>> from adjudge.inference.interval import Interval
    >>> from adjudge.inference.common.significance import TestResult, agreeing
    >>> test = TestResult(1.86, 0.0625, "mid-p", "both are the same")
    >>> round(agreeing(1.0, Interval(0.31, 1.0, 0.95, "newcombe"), test).interval.low, 3)
    -0.052
    """
    from scipy.special import ndtri

    says_so = interval.low > 0 or interval.high < 0
    found = test.p_value < 1 - interval.confidence
    if value == 0 or math.isnan(test.p_value) or math.isnan(interval.low) or says_so == found:
        return Difference(interval, test)
    z = -float(ndtri(test.p_value / 2))
    # Without any evidence, the end is as far beyond 0 as the difference is on its own side.
    beyond = max(1 - normal_quantile(interval.confidence) / z, -1.0) if z > 0 else -1.0
    end = value * beyond
    moved = replace(interval, low=end) if value > 0 else replace(interval, high=end)
    return Difference(moved, test)


def note_of_few(
    p_value: float, for_few: Callable[[], float], how: str, why: str = "z is not normal for so few instances"
) -> str | None:
    """Mention the p-value of a test that holds its level, if the usual p-value is much smaller.

    Parameters
    ----------
    p_value : float
        The usual p-value, for example from the normal distribution.
    for_few : callable
        Returns the p-value for few instances; called only if it may matter.
    how : str
        How that p-value is computed.
    why : str
        Why the usual p-value is too small.
    """
    if p_value > _OF_INTEREST:
        return None
    found = for_few()
    if found < _OF_NOTE or p_value > _SMALLER * found:
        return None
    return f"{why}: {p_text(found)} {how}"


def interval_test(value: float, interval: Interval, hypothesis: str) -> TestResult:
    """Test whether a value is 0 by its confidence interval: at confidence 1 - p, the interval would end at 0.

    The standard error is derived from the side of the interval that faces 0, assuming a normal distribution; so the
    p-value is below 1 - `confidence` if and only if the interval excludes 0.

    References
    ----------
    Altman & Bland (2011), How to obtain the P value from a confidence interval.

    Examples
    --------
    >>> from adjudge.inference.interval import Interval
    >>> from adjudge.inference.common.significance import interval_test
    >>> round(interval_test(0.1, Interval(0.0, 0.2, 0.95, "score"), "both are the same").p_value, 4)
    0.05
    """
    from scipy.special import ndtr

    side = value - interval.low if value > 0 else interval.high - value
    if not side > 0:
        return TestResult(math.nan, math.nan, "from the interval", hypothesis, "the interval has no width")
    z = value / side * normal_quantile(interval.confidence)
    p_value = 2 * float(ndtr(-abs(z)))
    if interval.low <= 0 <= interval.high:
        # An interval that ends at 0 includes it, despite rounding.
        p_value = max(p_value, 1 - interval.confidence)
    return TestResult(z, p_value, "from the interval", hypothesis)


def differences_of_influences(
    wanted: Sequence[Wanted], confidence: float, hypothesis: str
) -> list[Difference]:
    """Return the interval of each difference, and the test of whether it is 0, which never contradict each other.

    If there are too few units for an interval, the test is that of Student's t for what each unit changes.

    Parameters
    ----------
    wanted : sequence of Wanted
        The influence on a difference; its limits are those of each of the two values.
    confidence : float
    hypothesis : str
        The hypothesis that is tested.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.common.significance import differences_of_influences
    >>> from adjudge.inference.influence import Influence
    >>> from adjudge.inference.interval import Wanted
    >>> moved = Influence.centred(0.1, np.array([1, -1, 0]), np.array([15, 5, 80]))
    >>> (found,) = differences_of_influences([Wanted(moved, (0, 1))], 0.95, "both models are equally good")
    >>> round(found.interval.low, 3), round(found.interval.high, 3), round(found.test.p_value, 3)
    (0.012, 0.195, 0.027)
    """
    own = [one._replace(limits=_of_difference(one.limits), is_ratio=False) for one in wanted]
    p_values = p_values_of(own)
    found = []
    for one, interval, p_value in zip(wanted, intervals_of(own, confidence), p_values.tolist(), strict=True):
        if one.is_ratio:
            found.append(Difference(Interval.undefined(confidence, METHOD, reason_of("ratio"))))
            continue
        variance = variance_of(one.influence, one.drawn)
        if math.isnan(p_value) or not variance > 0:
            reason = why_not(one.influence, one.drawn) or NO_VARIANCE
            found.append(Difference(Interval.undefined(confidence, METHOD, reason)))
            continue
        if (changed := _changed_answers(one)) is not None:
            # The exact form of the difference of two paired shares: McNemar's test.
            p_value = mid_p_of_signs(*changed)
            own_test = TestResult(float(min(changed)), p_value, "mid-p", hypothesis)
            found.append(agreeing(one.influence.value, interval, own_test))
            continue
        statistic = one.influence.value / math.sqrt(variance)
        own_test = TestResult(statistic, p_value, METHOD, hypothesis)
        found.append(Difference(interval, own_test, freedom_of(one.influence, one.drawn)))
    return found


def _changed_answers(wanted: Wanted) -> tuple[int, int] | None:
    """Return how many instances only the first model has right, and only the second, if that is the difference.

    Of shares among the same m of n independent instances, an instance has the influence n / m times its change, 1, 0 or
    -1, less the difference; or 0, if it is not among them.
    """
    influence = wanted.influence
    if wanted.drawn is not None:
        return None
    value, psi = influence.value, influence.psi
    counts = np.ones(psi.size) if influence.counts is None else influence.counts
    most, least = float(psi.max()), float(psi.min())
    if not most > 0 > least or abs(value) >= 1:
        return None
    # The farther of both ends is that of a change.
    unit = max(most / (1 - value), -least / (1 + value))
    close = 1e-5 * unit
    gained, lost = np.abs(psi - unit * (1 - value)) <= close, np.abs(psi + unit * (1 + value)) <= close
    others = (np.abs(psi + unit * value) <= close) | (np.abs(psi) <= close)
    if not (gained | lost | others).all():
        return None
    b, c = (float(counts[own].sum()) for own in (gained, lost))
    same = abs((b - c) * unit / influence.n - value) <= 1e-6
    return (round(b), round(c)) if same and b == round(b) and c == round(c) else None


def differences_by_name(
    found: Mapping[str, Wanted | Difference], confidence: float, hypothesis: str
) -> dict[str, Difference]:
    """Return differences by name, in the same order; some are known, such as those that are refused."""
    wanted = {name: own for name, own in found.items() if isinstance(own, Wanted)}
    inferred = differences_of_influences(list(wanted.values()), confidence, hypothesis)
    made = dict(zip(wanted, inferred, strict=True))
    return {name: made[name] if isinstance(own, Wanted) else own for name, own in found.items()}


def difference_of_influences(wanted: Wanted, confidence: float, hypothesis: str) -> Difference:
    """Return one of :func:`differences_of_influences`."""
    return differences_of_influences([wanted], confidence, hypothesis)[0]


def difference_up_to(wanted: Wanted, bound: float, confidence: float, hypothesis: str) -> Difference:
    """Return the interval and the test of a difference that is known up to a bound; 0 if it is exact.

    The interval has the ends of those of the smallest and the largest difference that there may be, and the test is
    that of the one nearest to 0.
    """
    influence = wanted.influence
    size, width = abs(influence.value), wanted.limits[1] - wanted.limits[0]
    ends = [max(size - bound, 0.0), size + bound] if bound > 0 else [size]
    at = [replace(influence, value=math.copysign(end, influence.value)) for end in ends]
    near, *far = (
        difference_of_influences(wanted._replace(influence=own), confidence, hypothesis) for own in at
    )
    if not far or math.isnan(near.interval.low):
        return near
    low, high = sorted([near.interval, far[0].interval], key=lambda own: own.low)
    return replace(near, interval=replace(low, low=max(low.low, -width), high=min(high.high, width)))


def _of_difference(limits: Limits) -> Limits:
    width = limits[1] - limits[0]
    return -width, width
