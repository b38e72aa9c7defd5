"""From the influence of instances on a value to its interval and p-value: one rule for all values and differences.

A value is the sum of its rises less that of its falls: each instance, or unit with all of its rows, is an event that
moves the value by its influence. Both sums have the limits of sums of counts of events
(:mod:`adjudge.inference.common.event_sums`), and these are put together (MOVER). An instance of a kind that was not
seen is an event, too: limits allow for what one more would do. The p-value of a null value is 1 minus the largest
confidence whose interval leaves it out, so that interval and test never contradict each other.

With units, an event is what the value loses without one of them. Limits are stretched from the normal distribution to
Student's t for the number of instances, or of the units that move the value, less 1; of those that have a class on
which the value rests, if they are few. With weights, the largest event is a row of the usual weight. Where units cross
runs, the limits for units are put together with Student's for what varies between runs. A share of independent
instances has Wilson's interval, which is shorter.

References
----------
Zou & Donner (2008), Statistics in Medicine 27, 1693-1702 (method of variance estimates recovery, MOVER).
MacKinnon, Nielsen & Webb (2023), Journal of Applied Econometrics 38, 671-694 (delete-one variance of clusters, CV3).
Carter, Schnepel & Steigerwald (2017), Review of Economics and Statistics 99, 698-709 (effective number of clusters).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from adjudge.array_types import Bools, Floats, Limits
from adjudge.inference.common.event_sums import EventSums, reach_of, roots
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.influence import Influence, within
from adjudge.inference.refusals import FEWEST_UNITS, NO_ESTIMATE, WITHOUT_ONE, reason_of
from adjudge.inference.sampling_design import Drawn, freedom_of, variance_of
from adjudge.presentation.numbers import count
from adjudge.saved.savable import Savable

K = TypeVar("K")

#: What an interval of the general rule is called.
METHOD = "mid-p gamma"

# An interval names its estimate if that is more than this many standard errors away from the index.
_TO_NAME = 0.25
# Of rises and falls.
_SIGNS = np.array([[1.0], [-1.0]])
# Relative difference of numbers that are equal but for rounding, and for the step of a derivative.
_ALIKE = 1e-6
# Quantiles of the normal distribution between which a p-value is sought, 1 to 1e-15, and how closely.
_LEAST_QUANTILE, _MOST_QUANTILE, _DIGITS = 1e-6, 8.0, 1e-9


@dataclass(frozen=True)
class Interval(Savable):
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Limits of the interval; nan if there is none.
    confidence : float
    method : str
    reason : str or None
        Why the interval is one-sided, undefined, or from another method.
    estimate : float or None
        Estimate for the population at the centre of the interval, if it differs from the index itself: in small
        samples, some indices are too large on average.
    one_sided : bool
        Whether the estimate is the best or worst possible value, so that one end is just that value; the other end is
        then a bound that holds with a confidence of (1 + confidence) / 2.
    """

    low: float
    high: float
    confidence: float
    method: str
    reason: str | None = None
    estimate: float | None = None
    one_sided: bool = False

    @classmethod
    def undefined(cls, confidence: float, method: str, reason: str | None) -> Interval:
        """Create an interval without limits that says why there are none."""
        return cls(math.nan, math.nan, confidence, method, reason)

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def why_few_units(drawn: Drawn | None) -> str | None:
    """Say that units are too few to estimate their variance; None if there are enough, or no units."""
    if drawn is None or drawn.effective >= FEWEST_UNITS:
        return None
    return reason_of(
        "few units", rows=count(drawn.n, "row"), units=count(drawn.n_drawn, "unit"), effective=drawn.effective
    )


def why_not(influence: Influence, drawn: Drawn | None) -> str | None:
    """Say why a value has no interval; None if it has one."""
    if not math.isfinite(influence.value):
        return NO_ESTIMATE
    if not influence.known:
        return WITHOUT_ONE
    if (reason := why_few_units(drawn)) is not None:
        return reason
    if drawn is not None and drawn.rests_on_one(influence):
        return reason_of("one unit of a class")
    return reason_of("one instance") if (influence.n if drawn is None else drawn.n_drawn) < 2 else None


class Wanted(NamedTuple):
    """What an interval is made from.

    Attributes
    ----------
    influence : Influence
        On a value, or on a difference of two.
    limits : (float, float)
        Smallest and largest possible value.
    drawn : Drawn or None
        How rows were sampled; None if independently.
    observed : float or None
        The value in the sample, if `influence` is that of an estimate for the population.
    is_ratio : bool
        Whether the value is a ratio, so that the interval is that of its logarithm.
    """

    influence: Influence
    limits: Limits
    drawn: Drawn | None = None
    observed: float | None = None
    is_ratio: bool = False

    def of_logarithm(self) -> Wanted:
        """Return what the interval of the logarithm is made from."""
        own = self.influence
        if not 0 < own.value < math.inf:
            return self._replace(influence=replace(own, value=math.nan), is_ratio=False)
        left = own.value - own.fall
        on_log = replace(
            own,
            value=math.log(own.value),
            psi=own.psi / own.value,
            rise=math.log1p(own.rise / own.value),
            fall=math.log(own.value / left) if left > 0 else math.nan,
            rounding=own.rounding / own.value,
        )
        return Wanted(on_log, (-math.inf, math.inf), self.drawn)


class _Events(NamedTuple):
    """Several values, each as its rises less its falls.

    Attributes
    ----------
    values : ndarray of shape (m,)
    rises, falls : EventSums
    freedom : ndarray of shape (m,)
        Degrees of freedom of Student's t, to which limits are stretched.
    runs, freedom_of_runs : ndarray of shape (m,)
        Variance between runs, and its degrees of freedom.
    """

    values: Floats
    rises: EventSums
    falls: EventSums
    freedom: Floats
    runs: Floats
    freedom_of_runs: Floats

    @classmethod
    def of(cls, all_drawn: Iterable[tuple[Influence, Drawn | None]]) -> _Events:
        rows = []
        for influence, drawn in all_drawn:
            if drawn is None:
                # Each instance is a unit of its own.
                worth = influence.n
                steps = influence.psi / math.sqrt(max(worth * (worth - 1), 1.0))
                times = np.ones(steps.size) if influence.counts is None else influence.counts
            else:
                steps = _steps_of_units(influence, drawn)
                worth = drawn.effective_for(influence)
                times = drawn.times
            if not (there := times > 0).all():
                steps = np.where(there, steps, 0.0)
            row = [influence.value, max(worth - 1, 1.0), 0.0, 1.0]
            if drawn is not None and drawn.run is not None:
                row[2:] = drawn.between_runs(influence.psi), max(drawn.n_runs - 1.0, 1.0)
            own = np.maximum(_SIGNS * steps, 0.0)
            largest = own.max(axis=1, initial=0.0)
            if drawn is not None and influence.classes is not None and drawn.weighs_rows:
                # Rows that moved the value may weigh little by chance: another one has a usual weight.
                usual = drawn.usual_weight(influence.classes) * influence.psi / drawn.total
                largest = np.maximum(largest, (_SIGNS * usual).max(axis=1, initial=0.0))
            sums = zip((own @ times).tolist(), (own**2 @ times).tolist(), largest.tolist(), strict=True)
            for (total, squares, most), unseen in zip(sums, (influence.rise, influence.fall), strict=True):
                row += [total, squares, most if math.isnan(unseen) else max(most, unseen)]
            rows.append(row)
        columns = np.array(rows, np.float64).reshape(-1, 10).T
        return cls(columns[0], EventSums(*columns[4:7]), EventSums(*columns[7:]), *columns[1:4])

    @property
    def vary(self) -> Bools:
        """Whether any instance changes the value."""
        return np.asarray(self.rises.squares + self.falls.squares + self.runs > 0)

    @property
    def may_vary(self) -> Bools:
        """Whether an instance changes the value, or one that was not seen would."""
        return np.asarray(self.rises.largest + self.falls.largest + self.runs > 0)

    def take(self, some: Any) -> _Events:
        rises, falls = (EventSums(*(part[some] for part in own)) for own in (self.rises, self.falls))
        others = (own[some] for own in (self.freedom, self.runs, self.freedom_of_runs))
        return _Events(self.values[some], rises, falls, *others)

    def ends(self, quantile: float) -> tuple[Floats, Floats]:
        """Return the limits that are as many standard errors away, for a normal value."""
        both = _Events(
            np.concatenate([self.values, self.values]),
            EventSums(*map(np.concatenate, zip(self.rises, self.falls, strict=True))),
            EventSums(*map(np.concatenate, zip(self.falls, self.rises, strict=True))),
            *(np.concatenate([own, own]) for own in (self.freedom, self.runs, self.freedom_of_runs)),
        )
        below, above = both.reach(np.full(both.values.size, quantile)).reshape(2, -1)
        return self.values - below, self.values + above

    def reach(self, quantiles: Floats) -> Floats:
        """Return how far the lower limits are: the rises may be fewer, and the falls more."""
        from scipy.special import ndtr, stdtrit

        tails, m = ndtr(-quantiles), self.values.size
        sums = EventSums(*map(np.concatenate, zip(self.rises, self.falls, strict=True)))
        reach = reach_of(sums, np.concatenate([tails, tails]), np.arange(2 * m) >= m)
        reach = np.hypot(reach[:m], reach[m:])
        reach *= -stdtrit(self.freedom, tails) / quantiles
        if self.runs.any():
            reach = np.hypot(reach, -stdtrit(self.freedom_of_runs, tails) * np.sqrt(self.runs))
        return np.asarray(reach)


def _steps_of_units(influence: Influence, drawn: Drawn) -> Floats:
    """Return what the value loses without each unit; the sum of the squares is its variance."""
    if (n := drawn.n_drawn) < 2:
        return np.zeros(drawn.n_units)
    others = drawn.total - drawn.sizes
    return drawn.sums(influence.psi) / others * math.sqrt((n - 1) / n)


def interval_of(
    influence: Influence,
    limits: Limits,
    confidence: float,
    drawn: Drawn | None = None,
    *,
    observed: float | None = None,
) -> Interval:
    """Return the interval of a value, or of a difference of two, given its influence values.

    Parameters
    ----------
    influence, limits, drawn, observed
        See :class:`Wanted`.
    confidence : float

    Examples
    --------
    For a share, it is Wilson's interval:

    >>> import numpy as np
    >>> from adjudge.inference.influence import Influence
    >>> from adjudge.inference.interval import interval_of
    >>> found = interval_of(Influence.centred(0.9, np.array([1, 0]), np.array([90, 10])), (0, 1), 0.95)
    >>> round(found.low, 3), round(found.high, 3)
    (0.826, 0.945)
    """
    return intervals_of([Wanted(influence, limits, drawn, observed)], confidence)[0]


def intervals_of(wanted: Sequence[Wanted], confidence: float) -> list[Interval]:
    """Return several intervals, which takes little longer than one."""
    made = _on_one_scale([own.of_logarithm() if own.is_ratio else own for own in wanted], confidence)
    return [
        replace(found, low=math.exp(found.low), high=math.exp(found.high)) if own.is_ratio else found
        for own, found in zip(wanted, made, strict=True)
    ]


def _on_one_scale(wanted: Sequence[Wanted], confidence: float) -> list[Interval]:
    found: dict[int, Interval] = {}
    general, quantile = [], normal_quantile(confidence)
    events = _Events.of((own.influence, own.drawn) for own in wanted)
    for i, (own, varies) in enumerate(zip(wanted, events.vary.tolist(), strict=True)):
        if (reason := why_not(own.influence, own.drawn)) is not None:
            found[i] = Interval.undefined(confidence, METHOD, reason)
        elif not varies:
            found[i] = _of_one_that_never_varies(own, confidence)
        elif (share := share_of(own)) is not None:
            found[i] = _named(own, *_of_share(share, own.limits, quantile), confidence, "wilson")
        else:
            general.append(i)
    if general:
        chosen = events if len(general) == len(wanted) else events.take(general)
        values = np.array([within(wanted[i].influence.value, wanted[i].limits) for i in general])
        both = chosen._replace(values=values).ends(quantile)
        for i, low, high in zip(general, *(ends.tolist() for ends in both), strict=True):
            least, most = wanted[i].limits
            found[i] = _named(wanted[i], max(low, least), min(high, most), confidence, METHOD)
    return [found[i] for i in range(len(wanted))]


def intervals_by_name(found: Mapping[K, Wanted | Interval], confidence: float) -> dict[K, Interval]:
    """Return intervals by name, in the same order; some are known, such as those that are refused."""
    wanted = {name: own for name, own in found.items() if isinstance(own, Wanted)}
    made = dict(zip(wanted, intervals_of(list(wanted.values()), confidence), strict=True))
    return {name: made[name] if isinstance(own, Wanted) else own for name, own in found.items()}


def _named(own: Wanted, low: float, high: float, confidence: float, method: str) -> Interval:
    """Return an interval that names its estimate if it is far from the value, and else holds the value."""
    value = within(own.influence.value, own.limits)
    one_sided = value in own.limits
    observed = own.influence.value if own.observed is None else own.observed
    off = abs(value - observed)
    if off > 0 and off > _TO_NAME * math.sqrt(variance_of(own.influence, own.drawn)):
        size = "small" if value > observed else "large"
        reason = f"around the estimate for the population: with so few instances the value is too {size} on average"
        return Interval(low, high, confidence, method, reason, value, one_sided)
    # Rounding must not exclude the observed value from its own interval.
    ends = min(low, observed), max(high, observed)
    return Interval(*ends, confidence, method, one_sided=one_sided)


def _of_one_that_never_varies(own: Wanted, confidence: float) -> Interval:
    """Return the interval of a value that no instance changes: it allows for the next one, of another kind."""
    influence, limits = own.influence, own.limits
    value, width = within(influence.value, limits), limits[1] - limits[0]
    bounded, quantile = math.isfinite(width), normal_quantile(confidence)
    reached = [0.0 if math.isnan(unseen) else unseen for unseen in (influence.rise, influence.fall)]
    if not any(reached):
        if not bounded:
            return Interval.undefined(confidence, METHOD, reason_of("nothing changes"))
        # The next one may do anything.
        reached = [width / ((influence.n if own.drawn is None else own.drawn.n_drawn) + 1)] * 2
    reached = [min(one, abs(end - value)) for one, end in zip(reached, limits[::-1], strict=True)]
    observed = value if own.observed is None else own.observed
    one_sided = bounded and value in limits
    supposed = "one-sided, and the other end supposes" if one_sided else "the ends suppose"
    reason = f"no instance changes the estimate: {supposed} that the next one would"
    next_one = own._replace(influence=replace(influence, value=value, rise=reached[0], fall=reached[1]))
    if (share := share_of(next_one)) is not None:
        low, high = _of_share(share, limits, quantile)
        ends = min(low, observed), max(high, observed)
        return Interval(*ends, confidence, "wilson", reason, one_sided=one_sided)
    (low,), (high,) = _Events.of([(next_one.influence, own.drawn)]).ends(quantile)
    low, high = (
        min(max(float(low), limits[0]), observed),
        max(min(float(high), limits[1]), observed),
    )
    return Interval(low, high, confidence, METHOD, reason, one_sided=one_sided)


def _of_share(share: tuple[float, float], limits: Limits, quantile: float) -> Limits:
    """Return Wilson's limits on the scale of a value."""
    low, high = wilson(*share, quantile)
    return limits[0] + (limits[1] - limits[0]) * low, limits[0] + (limits[1] - limits[0]) * high


def share_of(own: Wanted) -> tuple[float, float] | None:
    """Return a value as a share, and among how many instances it is one; None if it is something else.

    The instances among which it is a share have two influence values, in proportion to the share and its rest. At 0 or
    1 the next instance says how many there are.
    """
    influence, width = own.influence, own.limits[1] - own.limits[0]
    if own.drawn is not None or not math.isfinite(width):
        return None
    psi = influence.psi
    counts = np.ones(psi.size) if influence.counts is None else influence.counts
    psi, counts = psi[counts > 0], counts[counts > 0]
    most, least, share = float(psi.max()), float(psi.min()), (influence.value - own.limits[0]) / width
    if not most > 0 > least:
        event = influence.fall if influence.value == own.limits[1] else influence.rise
        at_limit = influence.value in own.limits and 0 < event < width
        return (share, width / event - 1) if at_limit else None
    if abs(share + least / (most - least)) > _ALIKE:
        return None
    close = _ALIKE * (most - least)
    others = np.abs(psi) <= close
    if not (others | (most - psi <= close) | (psi - least <= close)).all():
        return None
    size = float(counts[~others].sum())
    return (share, size) if abs(size * (most - least) / (influence.n * width) - 1) <= _ALIKE else None


def interval_of_share(hits: int, n: int, confidence: float) -> Interval:
    """Return Wilson's interval of a share of independent instances.

    Parameters
    ----------
    hits, n : int
        Number of hits, and of instances.
    confidence : float

    Examples
    --------
    >>> from adjudge.inference.interval import interval_of_share
    >>> low, high = interval_of_share(49, 50, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.895, 0.9965)
    """
    if n == 0:
        return Interval(0.0, 1.0, confidence, "wilson", "no instance is informative: every value is possible")
    return Interval(*wilson(hits / n, n, normal_quantile(confidence)), confidence, "wilson")


def p_value_of(wanted: Wanted, null: float = 0.0) -> float:
    """Return the two-sided p-value of a null value; see :func:`p_values_of`."""
    return float(p_values_of([wanted], null)[0])


def p_values_of(wanted: Sequence[Wanted], null: float = 0.0) -> Floats:
    """Return two-sided p-values of a null value: 1 minus the largest confidence whose interval leaves it out.

    With units that are too few for an interval, it is that of Student's t for what each unit changes, which keeps its
    level. It is nan if nothing varies.

    Parameters
    ----------
    wanted : sequence of Wanted
    null : float
    """
    from scipy.special import ndtr, stdtr

    events = _Events.of((own.influence, own.drawn) for own in wanted)
    off = events.values - null
    found = np.where(off == 0, 1.0, math.nan)
    general = []
    for i, (own, varies, may_vary) in enumerate(
        zip(wanted, events.vary.tolist(), events.may_vary.tolist(), strict=True)
    ):
        drawn = own.drawn
        alone = drawn is not None and (drawn.n_drawn < 2 or drawn.rests_on_one(own.influence))
        if not own.influence.known or not may_vary or alone:
            found[i] = math.nan
        elif why_few_units(own.drawn) is not None:
            error = math.sqrt(float(events.rises.squares[i] + events.falls.squares[i] + events.runs[i]))
            freedom = freedom_of(own.influence, own.drawn)
            found[i] = 2 * stdtr(freedom, -abs(off[i]) / error) if varies else math.nan
        elif off[i] != 0:
            share = share_of(own)
            if share is None:
                general.append(i)
            else:
                width = own.limits[1] - own.limits[0]
                supposed = (null - own.limits[0]) / width
                error = math.sqrt(supposed * (1 - supposed) / share[1])
                found[i] = 2 * ndtr(-abs(share[0] - supposed) / error) if error > 0 else 0.0
    if general:
        # The upper end of a value below the null value is the lower end of its negative.
        chosen, below = events.take(general), off[general] < 0
        rises, falls = (
            EventSums(*(np.where(below, b, a) for a, b in zip(one, other, strict=True)))
            for one, other in ((chosen.rises, chosen.falls), (chosen.falls, chosen.rises))
        )
        quantiles = _quantiles_at_null(chosen._replace(values=np.abs(off[general]), rises=rises, falls=falls))
        found[general] = 2 * ndtr(-quantiles)
    return found


def _quantiles_at_null(events: _Events) -> Floats:
    """Return the quantile at which the lower end of each value, all above 0, is 0."""

    def left(own: _Events, quantiles: Floats) -> Floats:
        return np.asarray(1 - own.reach(quantiles) / own.values)

    # A normal value would be as many standard errors away: mostly it is not far from that.
    near = events.values / np.sqrt(
        np.maximum(events.rises.squares + events.falls.squares + events.runs, events.values**2 / 64)
    )
    low, high = np.minimum(near / 2, _MOST_QUANTILE), np.minimum(2 * near, _MOST_QUANTILE)
    nearest, farthest = left(events, low), left(events, high)
    if (nearest <= 0).any():
        low = np.where(nearest <= 0, _LEAST_QUANTILE, low)
        nearest = left(events, low)
    if (farthest >= 0).any():
        high = np.where(farthest >= 0, _MOST_QUANTILE, high)
        farthest = left(events, high)
    found = np.where(farthest >= 0, _MOST_QUANTILE, 0.0)
    between = (nearest > 0) & (farthest < 0)
    if between.any():
        ends = nearest[between], farthest[between]
        inside = partial(left, events.take(between))
        found[between] = roots(inside, low[between], high[between], _DIGITS, ends)
    return found
