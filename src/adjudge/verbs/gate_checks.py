"""The checks of a gate: which conditions a comparison of the old and the new model meets.

All checks have to pass, so each can be made at the full level without raising the chance of passing a model that is too
bad (an intersection-union test). A single failed check stops the model, so failures are corrected for the number of
checks by Holm's method.

References
----------
Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24, 295-300.
Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 65-70.
Hanley & Lippman-Hand (1983), If nothing goes wrong, is everything all right? JAMA 249, 1743-1745.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

from adjudge.errors import InputError, Option, in_words
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.proportions import clopper_pearson_of
from adjudge.inference.differences.betting import FlipCounts
from adjudge.inference.differences.margins import Change, units_for_margin
from adjudge.inference.refusals import FEW_UNITS, FEWEST_UNITS, NO_VARIANCE
from adjudge.kinds.registry import KINDS
from adjudge.presentation.numbers import count
from adjudge.results.comparison import Comparison
from adjudge.results.differences import ScoreDifference, words_of_group
from adjudge.results.gate import Gate
from adjudge.results.gate_check import Check, Status
from adjudge.results.gate_words import old_and_new
from adjudge.results.head_to_head import HeadToHead
from adjudge.results.notice import Notice
from adjudge.verbs.gate_conditions import Conditions, Wanted, class_of

__all__ = ["decided_gate", "flips_of", "judged_gate"]

#: Power at which the number of units that would be enough is computed.
POWER = 0.8
# Most groups that a notice names.
_NAMED = 20
_NOT_KNOWN = "no interval of the difference is known"
_MEASURED = (
    f"with {FEWEST_UNITS} to {FEW_UNITS} units a model that is worse by the margin passes in 6 to 12 % of the samples, "
    "where 5 % are promised"
)


def judged_gate(
    comparison: Comparison, conditions: Conditions, wanted: Sequence[Wanted], **more: Any
) -> Gate:
    """Decide which conditions a comparison of two models meets.

    Parameters
    ----------
    comparison : Comparison
        Comparison of the old and the new model, in this order, with intervals at the confidence of the conditions.
    conditions : Conditions
    wanted : sequence of Wanted
    **more
        Further fields of the :class:`Gate`.
    """
    groups = [(None, comparison), *comparison.by_group.items()]
    parts = [_Part(conditions, own, group) for group, own in groups]
    small = [own for own in parts if own.group is not None and own.n_drawn < conditions.smallest_group]
    parts = [own for own in parts if own not in small]
    found = [check for own in parts for check in (*own.checks(wanted), *own.broken())]
    found, verdict = _with_verdict(found, conditions.confidence)
    said = [*comparison.warnings, *more.pop("warnings", ())]
    said = [notice for notice in said if notice.code != "few-units"]
    said += _about_sizes(parts, small, wanted, conditions)
    return Gate(verdict, tuple(found), comparison, conditions.confidence, warnings=tuple(said), **more)


def _about_sizes(
    parts: Sequence[_Part], small: Sequence[_Part], wanted: Sequence[Wanted], conditions: Conditions
) -> Iterator[Notice]:
    """Say where units are few, and which groups are not checked, or are not decided."""
    sizes = {own: [own.effective(one.index) for one in wanted] or [own.effective()] for own in parts}
    few = [own for own in parts if any(FEWEST_UNITS <= size < FEW_UNITS for size in sizes[own])]
    if few:
        where = "" if few[0].group is None else f"in {_named(few)}: "
        yield Notice("few-units-for-a-margin", where + _MEASURED, "judge more units")
    has_units = parts[0].comparison.units is not None
    drawn = "units" if has_units else "instances"
    if small:
        which = f"{count(len(small), 'group')} {_has(small)} fewer than {conditions.smallest_group} {drawn}"
        yield Notice("small-groups", which, f"not checked apart: {_named(small)}", "info")
    fewest = [own for own, of_part in sizes.items() if own.group is not None and max(of_part) < FEWEST_UNITS]
    if fewest:
        counted = "effective units" if has_units else drawn
        which = f"{_named(fewest)} {_has(fewest)} fewer than {FEWEST_UNITS} {counted}"
        least = Option("smallest_group", math.floor(max(own.n_drawn for own in fewest)) + 1)
        remedy = ("leave out such groups with ", least, f", or judge more of their {drawn}")
        yield Notice("undecidable-groups", f"{which}, so that nothing is decided there", remedy)


def _has(parts: Collection[_Part]) -> str:
    return "has" if len(parts) == 1 else "have"


def _named(parts: Sequence[_Part]) -> str:
    """Name groups, whose names may hold commas."""
    names = [words_of_group(own.group) for own in parts[:_NAMED]]
    return "; ".join(names) + (f"; and {len(parts) - _NAMED:,} more" if parts[_NAMED:] else "")


@dataclass(frozen=True, eq=False)
class _Part:
    """All rows, or those of one group, in which each condition is checked.

    Attributes
    ----------
    conditions : Conditions
    comparison : Comparison
    group : object
        None for all rows.
    """

    conditions: Conditions
    comparison: Comparison
    group: Any

    @cached_property
    def pair(self) -> HeadToHead:
        """The old model against the new one."""
        return old_and_new(self.comparison)

    @property
    def n_drawn(self) -> float:
        """Number of instances, or of units, that were drawn."""
        units = self.comparison.units
        return self.comparison.n_effective if units is None else units.n_units

    def effective(self, index: Index | None = None) -> float:
        """Return the effective number of instances, or of units of equal size, for a score."""
        units = self.comparison.units
        if units is None or (index is not None and index.counts_units):
            return self.n_drawn
        return units.effective

    @property
    def has_runs(self) -> bool:
        """Whether every unit was judged in several runs."""
        return self.comparison.units is not None and self.comparison.units.n_runs is not None

    def checks(self, wanted: Sequence[Wanted]) -> Iterator[Check]:
        """Check what is wanted, but for a class that is missing from a group."""
        for one in wanted:
            if (own := self._difference(one)) is not None:
                yield self._check(one, own)
            elif self.group is None:
                classes = ", ".join(str(row.label) for row in self.pair.recalls)
                if not classes:
                    raise InputError(f"{one.name} is checked only if each row has one class: leave it out")
                raise InputError(
                    f"{one.name}: no instance is of class {one.of_class!r}; choose from {classes}"
                )

    def _difference(self, wanted: Wanted) -> ScoreDifference | None:
        """Return the old model's score minus the new one's; None if no instance is of the class."""
        if wanted.of_class is None:
            return self.pair.differences[wanted.index.name]
        return next((own.score for own in self.pair.recalls if str(own.label) == wanted.of_class), None)

    def _check(self, wanted: Wanted, own: ScoreDifference) -> Check:
        """Compare the new model with the old one by an index."""
        confidence, assumed = self.conditions.confidence, self.conditions.assumed
        margin = wanted.margin.in_units(own.first)
        scores = own.first, own.second, margin
        check = Check(wanted.claim, wanted.name, "undecided", *scores, None, self.group, wanted.index)
        effective = self.effective(wanted.index)
        if effective < FEWEST_UNITS:
            what = "rows" if self.comparison.units is None else "effective units"
            return replace(check, reason=f"fewer than {FEWEST_UNITS} {what} do not tell how a score varies")
        if math.isnan(own.value):
            return replace(check, reason=own.reason or "the difference is undefined")
        # Differences are old minus new.
        sign = 1.0 if own.index.better == "lower" else -1.0
        if own.interval is None:
            same = own.value == 0 and not self.pair.agreement.disagreements
            if own.reason == NO_VARIANCE or (same and not isinstance(own.index, ForecastIndex)):
                return self._without_variance(check, own, sign * own.value, effective)
            return replace(check, reason=own.reason or _NOT_KNOWN)
        low, high = sorted(sign * end for end in own.interval)
        change = Change(sign * own.value, low, high, confidence, own.freedom)
        needed, both = None, wanted.claim == "equivalent"
        # More units do not tell how runs vary.
        if not self.has_runs and (wanted.claim != "superior" or assumed > 0):
            away = margin - abs(assumed) if both else margin + assumed
            needed = units_for_margin(change.error, self.n_drawn, away, confidence, POWER, both=both)
        return replace(check, change=change, units_needed=self._at_least(needed), reason=own.reason)

    def _at_least(self, needed: int | None) -> int | None:
        """Ask for no fewer units than tell how units vary."""
        return needed if needed is None or self.comparison.units is None else max(needed, FEWEST_UNITS)

    def _without_variance(self, check: Check, own: ScoreDifference, gain: float, n: float) -> Check:
        """Judge a change without variance: even if no instance changes the score, the share that would is bounded.

        If none of n instances does, the bound is 1 - alpha^(1/n). For scores by class, n is scaled down to the size of
        the rarest class; for clusterings, the effect is doubled, because an instance is in two of n pairs.
        """
        confidence = self.conditions.confidence
        low, high = map(float, own.index.range)
        sizes = [row.n for row in self.pair.recalls]
        # Without a finite range, one instance is assumed to change the score by up to its own value.
        times = high - low if math.isfinite(high - low) else max(abs(own.first), abs(own.second))
        if times == 0:
            return replace(check, reason=own.reason or _NOT_KNOWN)
        if sizes and own.index.name != "accuracy" and not isinstance(own.index, ForecastIndex):
            n *= min(sizes) / sum(sizes)
        n = max(n, 1.0)
        times *= 2 if KINDS[self.comparison.kind].names_are_arbitrary else 1
        limit = min(times, times * (1 - (1 - confidence) ** (1 / n)))
        change = Change(gain, gain - limit, gain + limit, confidence)
        margin, enough = (check.margin + gain) / times, None
        if 0 < margin < 1:
            enough = math.ceil(math.log(1 - confidence) / math.log1p(-margin) * self.n_drawn / n)
        reason = "no row changes the difference: the ends suppose that the next one would"
        return replace(check, change=change, reason=reason, units_needed=self._at_least(enough))

    def broken(self) -> Iterator[Check]:
        """Check the number of instances that broke, overall or for some classes."""
        limits, comparison = self.conditions.max_broken, self.comparison
        if limits is None:
            return
        if comparison.unit not in ("instances", "rows"):
            how = f" counts instances, but here {comparison.unit} are right or wrong: leave it out"
            raise InputError(Option("max_broken"), how)
        if not isinstance(limits, Mapping):
            yield self._flips("broken", self.pair.right_wrong, comparison.n, limits)
            return
        rows = {str(own.label): own for own in self.pair.recalls}
        for label, limit in limits.items():
            if (own := rows.get(str(label))) is not None:
                yield self._flips(f"broken[{label}]", own.broken, own.n, limit)
            elif self.group is None:
                how = f" has {in_words(label)}, which is not among the classes: {', '.join(rows)}"
                raise InputError(Option("max_broken"), how)

    def _flips(self, name: str, broken: Any, n: Any, limit: Any) -> Check:
        if isinstance(limit, Integral):
            status: Status = "pass" if broken <= limit else "fail"
            return Check("broken", name, status, math.nan, broken, float(limit), group=self.group)
        if self.has_runs:
            how = " is a share, whose limits are not known over runs: give a whole number"
            raise InputError(Option("max_broken", limit), how)
        share, confidence = broken / n, self.conditions.confidence
        # Rows of a unit may break together, so the effective number of units counts.
        worth = n * self.effective() / self.comparison.n
        low, high = clopper_pearson_of(share, worth, self.conditions.of_interval)
        change = Change(-share, -high, -low, confidence)
        needed = units_for_margin(change.error, worth, limit - share, confidence, POWER)
        found = Check("broken", name, "undecided", math.nan, share, limit, change, self.group)
        return replace(found, units_needed=needed)


def flips_of(check: Check, comparison: Comparison) -> FlipCounts | None:
    """Count the rows that broke and that are fixed, if a check's change is that of their shares and rows are alone."""
    own = comparison if check.group is None else comparison.by_group[check.group]
    if comparison.unit != "instances" or comparison.units is not None:
        return None
    pair, found = old_and_new(own), None
    if check.name == "accuracy":
        found = pair.right_wrong, pair.wrong_right, own.n
    elif (label := class_of(check.name)) is not None:
        rows = next((row for row in pair.recalls if str(row.label) == label), None)
        found = None if rows is None else (rows.broken, rows.fixed, rows.n)
    if found is None or not all(isinstance(one, Integral) for one in found):
        return None
    broken, fixed, n = map(int, found)
    if check.change is None or not n:
        return None
    is_theirs = math.isclose(check.change.value, (fixed - broken) / n, abs_tol=1e-9)
    return FlipCounts(broken, fixed, n) if is_theirs else None


def decided_gate(gate: Gate, checks: Sequence[Check]) -> Gate:
    """Return a gate whose checks have other intervals, decided anew."""
    found, verdict = _with_verdict(checks, gate.confidence)
    return replace(gate, verdict=verdict, tested=tuple(found))


def _with_verdict(checks: Sequence[Check], confidence: float) -> tuple[list[Check], Status]:
    """Decide what passes at the full level, what fails after Holm's correction, and all of them together."""
    found = [_with_p_values(check) for check in checks]
    places = [i for i, check in enumerate(found) if check.p_fail is not None and not math.isnan(check.p_fail)]
    for i, p in zip(places, adjust_p_values([found[i].p_fail or 0.0 for i in places]), strict=True):
        found[i] = replace(found[i], p_fail=p)
    found = [replace(check, status=_status(check, 1 - confidence)) for check in found]
    statuses = {check.status for check in found}
    return found, "fail" if "fail" in statuses else "undecided" if "undecided" in statuses else "pass"


def _with_p_values(check: Check) -> Check:
    if check.change is None:
        return check
    low, high = check.bounds
    own, against = [check.change.p_above(low)], [check.change.p_below(low)]
    if high < math.inf:
        own.append(check.change.p_below(high))
        against.append(check.change.p_above(high))
    return replace(check, p_value=max(own), p_fail=min(1.0, len(against) * min(against)))


def _status(check: Check, alpha: float) -> Status:
    if check.change is None:
        return check.status
    low, high = check.bounds
    if check.change.low > low and check.change.high < high:
        return "pass"
    return "fail" if check.p_fail is not None and check.p_fail < alpha else "undecided"
