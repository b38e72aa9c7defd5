"""The conditions of a gate: which are requested, and which of them a comparison of the old and the new model meets.

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
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal

from adjudge.errors import Argument, InputError, Option, in_words
from adjudge.given.options import check_choice, check_count
from adjudge.indices.catalog import find_index
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.proportions import clopper_pearson_of
from adjudge.inference.differences.betting import FlipCounts
from adjudge.inference.differences.margins import Change, two_sided, units_for_margin
from adjudge.inference.refusals import FEW_UNITS, FEWEST_UNITS, NO_VARIANCE
from adjudge.kinds.registry import KINDS
from adjudge.kinds.request import ENDS
from adjudge.kinds.which_kind import index_called
from adjudge.presentation.numbers import count, range_text
from adjudge.results.comparison import Comparison
from adjudge.results.differences import ScoreDifference, words_of_group
from adjudge.results.gate import Gate
from adjudge.results.gate_check import Check, Status
from adjudge.results.head_to_head import HeadToHead
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import OF_NUMBERS

__all__ = [
    "DEFAULT_MARGIN",
    "Conditions",
    "Wanted",
    "decided_gate",
    "flips_of",
    "judged_gate",
    "names_a_class",
]

DEFAULT_MARGIN = 0.01
_RECALL = re.compile(r"recall\[(.*)\]", re.DOTALL)
#: Power at which the number of units that would be enough is computed.
POWER = 0.8
# Most groups that a notice names.
_NAMED = 20
_NOT_KNOWN = "no interval of the difference is known"
_MEASURED = (
    f"with {FEWEST_UNITS} to {FEW_UNITS} units a model that is worse by the margin passes in 6 to 12 % of the samples, "
    "where 5 % are promised"
)


@dataclass(frozen=True)
class Wanted:
    """A requested check: of an index, or of the recall of a class."""

    claim: str
    index: Index
    margin: Any
    of_class: str | None = None

    @property
    def name(self) -> str:
        """Name of the check."""
        return self.index.name if self.of_class is None else f"recall[{self.of_class}]"


@dataclass(frozen=True)
class Conditions:
    """The conditions that a new model has to meet.

    Attributes
    ----------
    indices : sequence of str or Index, optional
    margin : float, str or mapping
    superior, equivalent : sequence of str or Index
    max_broken : int, float or mapping, optional
    confidence : float
    smallest_group : int
    assumed : float
    better : {"higher", "lower"} or None
        Which end of numbers is better.
    """

    indices: Sequence[str | Index] | None = None
    margin: Any = "default"
    superior: Sequence[str | Index] = ()
    equivalent: Sequence[str | Index] = ()
    max_broken: Any = None
    confidence: float = 0.95
    smallest_group: int = 0
    assumed: float = 0.0
    better: Literal["higher", "lower"] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.confidence, Real) or not 0.5 < self.confidence < 1:
            raise InputError(
                Option("confidence", self.confidence), " is not between 0.5 and 1: 0.95 is usual"
            )
        if self.better is not None:
            check_choice("better", self.better, ENDS)
        margins = self.margin.values() if isinstance(self.margin, Mapping) else [self.margin]
        for given in margins if self._has_margin else ():
            _checked_margin(given)
        if isinstance(self.max_broken, Mapping):
            for limit in self.max_broken.values():
                _checked_limit(limit)
        elif self.max_broken is not None:
            _checked_limit(self.max_broken)
        check_count("smallest_group", self.smallest_group, 0)
        if not _is_finite(self.assumed):
            raise InputError(Option("assumed_gain", self.assumed), " is not a number")

    @property
    def of_interval(self) -> float:
        """The two-sided confidence of the intervals whose ends are compared with the margins."""
        return round(two_sided(self.confidence), 12)

    @property
    def named(self) -> list[str | Index]:
        """All indices that were named."""
        margins = list(self.margin) if isinstance(self.margin, Mapping) else []
        return [*(margins if self.indices is None else self.indices), *self.superior, *self.equivalent]

    def margin_of(self, kind: str, name: str = "") -> Any:
        """Return the margin, or the usual one; of numbers and costs, whose unit nobody knows, there is none."""
        if self._has_margin:
            return self.margin
        has_units = kind in OF_NUMBERS or name.startswith("expected_cost")
        return None if has_units else DEFAULT_MARGIN

    @property
    def _has_margin(self) -> bool:
        return not (isinstance(self.margin, str) and self.margin == "default")

    def wanted(self, kind: str, has_probabilities: bool) -> list[Wanted]:
        """Find the indices, and the margin of each."""
        own = KINDS[kind]
        of = own.indices[::-1]
        names = self.indices
        if names is None and isinstance(self.margin, Mapping):
            apart = {_name_of(name, of) for name in (*self.equivalent, *self.superior)}
            names = [name for name in self.margin if _name_of(name, of) not in apart]
        if names is None and not (self.superior or self.equivalent):
            names = [*own.gated, *(("log_loss",) if has_probabilities else ())]
        margins = self._margins(of)
        found = [self._wanted("not worse", name, of, margins) for name in names or ()]
        found += [self._wanted("superior", name, of, margins) for name in self.superior]
        found += [self._wanted("equivalent", name, of, margins) for name in self.equivalent]
        if unused := set(margins) - {own.name for own in found}:
            raise InputError(
                Option("margin"),
                f" has {min(unused)!r}, which is not checked: name it in ",
                Option("indices"),
            )
        if not found and not (self.max_broken or self.max_broken == 0):
            raise InputError("nothing is checked: name what must not become worse in ", Option("indices"))
        return list(dict.fromkeys(found))

    def _margins(self, of: Sequence[Kind]) -> dict[str, Any]:
        if not isinstance(self.margin, Mapping):
            return {}
        found: dict[str, Any] = {}
        for name, own in self.margin.items():
            if _name_of(name, of) in found:
                raise InputError(Argument("margin"), f" has {_name_of(name, of)} twice, by two of its names")
            found[_name_of(name, of)] = own
        return found

    def _wanted(
        self, claim: str, name: str | Index, of: Sequence[Kind], margins: Mapping[str, Any]
    ) -> Wanted:
        label = _class_of(name)
        record = name if isinstance(name, Index) else _found("recall" if label is not None else name, of)
        if record.better is None and self.better is not None:
            record = replace(record, better=self.better)
        if record.better not in ("higher", "lower"):
            raise InputError(f"{record.name} is neither better high nor low: a gate cannot check it")
        own = Wanted(claim, record, 0.0, label)
        if claim == "superior":
            return own
        if isinstance(self.margin, Mapping):
            if own.name not in margins:
                raise InputError(Argument("margin"), f" has nothing for {own.name}: add it")
            given = margins[own.name]
        elif (given := self.margin_of(record.kind, record.name)) is None:
            raise InputError(
                Option("margin"),
                f" is missing: say how much worse the {record.title.lower()} may be, such as '2%' of the old one, or "
                "in units of the numbers",
            )
        if _lets_all_pass(given, record):
            named = (
                (Argument("margin"), f" of {given}")
                if isinstance(self.margin, Mapping)
                else (Option("margin", given),)
            )
            value = float(str(given).strip().removesuffix("%"))
            remedy = (
                f"write {value:g} % as {value / 100:g}" if "%" not in str(given) else "take a smaller one"
            )
            raise InputError(
                *named,
                f" is as wide as the range of {own.name}, {range_text(*record.range)}, so that no model can fail: ",
                remedy,
            )
        return replace(own, margin=given)


def _class_of(name: str | Index) -> str | None:
    """Return the class in a name such as "recall[CLASS]"; None for other names."""
    found = _RECALL.fullmatch(name.strip()) if isinstance(name, str) else None
    if found is None and isinstance(name, str) and names_a_class(name):
        raise InputError(
            f"{name!r} is not known: of a single class only its recall is checked, as 'recall[CLASS]'"
        )
    return None if found is None else found[1]


def names_a_class(name: str) -> bool:
    """Whether a name is that of a class as well: NAME[CLASS], but not NAME(parameter=[...])."""
    return "[" in name.partition("(")[0]


def _name_of(name: str | Index, of: Sequence[Kind]) -> str:
    if _class_of(name) is not None:
        return str(name).strip()
    return name.name if isinstance(name, Index) else _found(name, of).name


def _found(name: str, of: Sequence[Kind]) -> Index:
    """Find an index in the first kind that has it."""
    *others, last = of
    for kind in others:
        if (found := index_called(name, kind)) is not None:
            return found
    return find_index(name, last)


def _checked_margin(given: Any) -> None:
    value = given
    if isinstance(given, str):
        try:
            value = float(given.strip().removesuffix("%"))
        except ValueError:
            raise InputError(
                Option("margin", given), " is neither a number nor a percentage such as '2%'"
            ) from None
    if not _is_finite(value) or value < 0:
        raise InputError(Option("margin", given), " is not a number from 0 up, or a percentage such as '2%'")


def _lets_all_pass(margin: Any, index: Index) -> bool:
    """Whether no value of an index is worse than another by more than a margin."""
    low, high = index.range
    if isinstance(margin, str) and margin.strip().endswith("%"):
        return index.better == "higher" and low >= 0 and _in_units(margin, 1.0) >= 1
    return _in_units(margin, 0.0) >= high - low


def _checked_limit(given: Any) -> None:
    is_known = _is_finite(given) and given >= 0
    if not is_known or not (isinstance(given, Integral) or given < 1):
        raise InputError(
            Option("max_broken", given), " is neither a whole number of instances nor a share below 1 of them"
        )


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _in_units(margin: Any, old: float) -> float:
    """Return a margin in units of the index; percentages refer to the old model's value."""
    if isinstance(margin, str):
        share = float(margin.strip().removesuffix("%"))
        return share / 100 * abs(old) if margin.strip().endswith("%") else share
    return float(margin)


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
    found: list[Check] = []
    small: list[str] = []
    fewest: dict[str, float] = {}
    few = False
    for group, own in [(None, comparison), *comparison.by_group.items()]:
        if group is not None and _n_drawn(own) < conditions.smallest_group:
            small.append(words_of_group(group))
            continue
        numbers = [_effective(own, one.index) for one in wanted] or [_effective(own)]
        if group is not None and max(numbers) < FEWEST_UNITS:
            fewest[words_of_group(group)] = _n_drawn(own)
        few |= any(FEWEST_UNITS <= number < FEW_UNITS for number in numbers)
        made = (_check(one, own, group, conditions) for one in wanted)
        found += [check for check in made if check is not None]
        found += _broken(own, group, conditions)
    found, verdict = _with_verdict(found, conditions.confidence)
    said = list(comparison.warnings) + list(more.pop("warnings", ()))
    said = [notice for notice in said if notice.code != "few-units"]
    if few:
        said.append(Notice("few-units-for-a-margin", _MEASURED, "judge more units"))
    drawn = "instances" if comparison.units is None else "units"
    if small:
        which = f"{count(len(small), 'group')} {_has(small)} fewer than {conditions.smallest_group} {drawn}"
        said.append(Notice("small-groups", which, f"not checked apart: {_named(small)}", "info"))
    if fewest:
        counted = drawn if comparison.units is None else "effective units"
        which = f"{_named([*fewest])} {_has(fewest)} fewer than {FEWEST_UNITS} {counted}"
        least = Option("smallest_group", math.floor(max(fewest.values())) + 1)
        remedy = ("leave out such groups with ", least, f", or judge more of their {drawn}")
        said.append(Notice("undecidable-groups", f"{which}, so that nothing is decided there", remedy))
    return Gate(verdict, tuple(found), comparison, conditions.confidence, warnings=tuple(said), **more)


def flips_of(check: Check, comparison: Comparison) -> FlipCounts | None:
    """Count the rows that broke and that are fixed, if a check's change is that of their shares and rows are alone."""
    own = comparison if check.group is None else comparison.by_group[check.group]
    if comparison.unit != "instances" or comparison.units is not None:
        return None
    pair, found = _pair(own), None
    if check.name == "accuracy":
        found = pair.right_wrong, pair.wrong_right, own.n
    elif (label := _class_of(check.name)) is not None:
        rows = next((row for row in pair.recalls if str(row.label) == label), None)
        found = None if rows is None else (rows.broken, rows.fixed, rows.n)
    if found is None or not all(isinstance(one, Integral) for one in found):
        return None
    broken, fixed, n = map(int, found)
    change = check.change
    is_theirs = (
        change is not None and n > 0 and math.isclose(change.value, (fixed - broken) / n, abs_tol=1e-9)
    )
    return FlipCounts(broken, fixed, n) if is_theirs else None


def decided_gate(gate: Gate, checks: Sequence[Check]) -> Gate:
    """Return a gate whose checks have other intervals, decided anew."""
    found, verdict = _with_verdict(checks, gate.confidence)
    return replace(gate, verdict=verdict, tested=tuple(found))


def _with_verdict(checks: Sequence[Check], confidence: float) -> tuple[list[Check], Status]:
    """Decide each check, and all of them."""
    found = _decided(checks, 1 - confidence)
    statuses = {check.status for check in found}
    return found, "fail" if "fail" in statuses else "undecided" if "undecided" in statuses else "pass"


def _effective(comparison: Comparison, index: Index | None = None) -> float:
    """Return the effective number of instances, or of units of equal size, for a score."""
    units = comparison.units
    if units is None:
        return comparison.n_effective
    return units.n_units if index is not None and index.counts_units else units.effective


def _has(names: Collection[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _named(groups: Sequence[str]) -> str:
    """Name groups, whose names may hold commas."""
    return "; ".join(groups[:_NAMED]) + (f"; and {len(groups) - _NAMED:,} more" if groups[_NAMED:] else "")


def _n_drawn(comparison: Comparison) -> float:
    """Return the number of instances, or of units, that were drawn."""
    return comparison.n_effective if comparison.units is None else comparison.units.n_units


def _check(wanted: Wanted, comparison: Comparison, group: Any, conditions: Conditions) -> Check | None:
    """Compare the new model with the old one by an index; None for a class missing from a group."""
    own = _difference(wanted, comparison)
    if own is None:
        if group is None:
            raise InputError(
                f"{wanted.name}: no instance is of class {wanted.of_class!r}; choose from "
                f"{', '.join(str(row.label) for row in _pair(comparison).recalls)}"
            )
        return None
    margin = _in_units(wanted.margin, own.first)
    check = Check(
        wanted.claim, wanted.name, "undecided", own.first, own.second, margin, group=group, index=wanted.index
    )
    effective = _effective(comparison, wanted.index)
    if effective < FEWEST_UNITS:
        what = "rows" if comparison.units is None else "effective units"
        return replace(check, reason=f"fewer than {FEWEST_UNITS} {what} do not tell how a score varies")
    if math.isnan(own.value):
        return replace(check, reason=own.reason or "the difference is undefined")
    if own.interval is None:
        same = own.value == 0 and not _pair(comparison).agreement.disagreements
        if own.reason == NO_VARIANCE or (same and not isinstance(own.index, ForecastIndex)):
            return _without_variance(check, own, comparison, effective, conditions.confidence)
        return replace(check, reason=own.reason or _NOT_KNOWN)
    sign = -1.0 if own.index.better == "lower" else 1.0
    # Differences are old minus new.
    ends = sorted(-sign * end for end in own.interval)
    change = Change(-sign * own.value, ends[0], ends[1], conditions.confidence, own.freedom)
    needed = None
    # More units do not tell how runs vary.
    in_runs = comparison.units is not None and comparison.units.n_runs is not None
    if not in_runs and (wanted.claim != "superior" or conditions.assumed > 0):
        away = (
            margin - abs(conditions.assumed) if wanted.claim == "equivalent" else margin + conditions.assumed
        )
        n_drawn = _n_drawn(comparison)
        needed = units_for_margin(
            change.error, n_drawn, away, conditions.confidence, POWER, both=wanted.claim == "equivalent"
        )
    return replace(check, change=change, units_needed=_at_least(needed, comparison), reason=own.reason)


def _at_least(needed: int | None, comparison: Comparison) -> int | None:
    """Ask for no fewer units than tell how units vary."""
    return needed if needed is None or comparison.units is None else max(needed, FEWEST_UNITS)


def _pair(comparison: Comparison) -> HeadToHead:
    """Return the comparison of the old model against the new one."""
    old, new = comparison.models
    return comparison[old, new]


def _difference(wanted: Wanted, comparison: Comparison) -> ScoreDifference | None:
    """Return the old model's score minus the new one's; None if no instance is of the class."""
    pair = _pair(comparison)
    if wanted.of_class is None:
        return pair.differences[wanted.index.name]
    return next((own.score for own in pair.recalls if str(own.label) == wanted.of_class), None)


def _without_variance(
    check: Check, own: ScoreDifference, comparison: Comparison, n: float, confidence: float
) -> Check:
    """Judge a change without variance: even if no instance changes the score, the share that would is bounded.

    If none of n instances does, the bound is 1 - alpha^(1/n). For scores by class, n is scaled down to the size of the
    rarest class; for clusterings, the effect is doubled, because an instance is in two of n pairs.
    """
    low, high = map(float, own.index.range)
    sizes = [row.n for row in _pair(comparison).recalls]
    # Without a finite range, one instance is assumed to change the score by up to its own value.
    times = high - low if math.isfinite(high - low) else max(abs(own.first), abs(own.second))
    if times == 0:
        return replace(check, reason=own.reason or _NOT_KNOWN)
    if sizes and own.index.name != "accuracy" and not isinstance(own.index, ForecastIndex):
        n *= min(sizes) / sum(sizes)
    times *= 2 if KINDS[comparison.kind].names_are_arbitrary else 1
    limit = min(times, times * (1 - (1 - confidence) ** (1 / max(n, 1.0))))
    gain = own.value if own.index.better == "lower" else -own.value
    change = Change(gain, gain - limit, gain + limit, confidence)
    margin = (check.margin + gain) / times
    enough = None
    if 0 < margin < 1:
        enough = math.ceil(math.log(1 - confidence) / math.log1p(-margin) * _effective_share(n, comparison))
    reason = "no row changes the difference: the ends suppose that the next one would"
    return replace(check, change=change, reason=reason, units_needed=_at_least(enough, comparison))


def _effective_share(n: float, comparison: Comparison) -> float:
    """Return the number of instances, or units, per effective one."""
    return _n_drawn(comparison) / max(n, 1.0)


def _broken(comparison: Comparison, group: Any, conditions: Conditions) -> Iterator[Check]:
    """Check the number of instances that broke, overall or for some classes."""
    limits = conditions.max_broken
    if limits is None:
        return
    if comparison.unit not in ("instances", "rows"):
        raise InputError(
            Option("max_broken"),
            f" counts instances, but here {comparison.unit} are right or wrong: leave it out",
        )
    if not isinstance(limits, Mapping):
        pair = _pair(comparison)
        yield _flips("broken", pair.right_wrong, comparison.n, limits, comparison, group, conditions)
        return
    rows = {str(own.label): own for own in _pair(comparison).recalls}
    for label, limit in limits.items():
        if str(label) not in rows:
            if group is None:
                raise InputError(
                    Option("max_broken"),
                    f" has {in_words(label)}, which is not among the classes: {', '.join(rows)}",
                )
            continue
        own = rows[str(label)]
        yield _flips(f"broken[{label}]", own.broken, own.n, limit, comparison, group, conditions)


def _flips(
    name: str, broken: Any, n: Any, limit: Any, comparison: Comparison, group: Any, conditions: Conditions
) -> Check:
    if isinstance(limit, Integral):
        status: Status = "pass" if broken <= limit else "fail"
        return Check("broken", name, status, math.nan, broken, float(limit), group=group)
    if comparison.units is not None and comparison.units.n_runs is not None:
        raise InputError(
            Option("max_broken", limit),
            " is a share, whose limits are not known over runs: give a whole number",
        )
    share = broken / n
    # Rows of a unit may break together, so the effective number of units counts.
    worth = n * _effective(comparison) / comparison.n
    low, high = clopper_pearson_of(share, worth, conditions.of_interval)
    change = Change(-share, -high, -low, conditions.confidence)
    needed = units_for_margin(change.error, worth, limit - share, conditions.confidence, POWER)
    return Check("broken", name, "undecided", math.nan, share, limit, change, group, units_needed=needed)


def _decided(checks: Sequence[Check], alpha: float) -> list[Check]:
    """Decide what passes at the full level, and what fails after Holm's correction."""
    found = [_with_p_values(check) for check in checks]
    places = [i for i, check in enumerate(found) if check.p_fail is not None and not math.isnan(check.p_fail)]
    for i, p in zip(places, adjust_p_values([found[i].p_fail or 0.0 for i in places]), strict=True):
        found[i] = replace(found[i], p_fail=p)
    return [_with_status(check, alpha) for check in found]


def _bounds(check: Check) -> tuple[float, float]:
    """Return the lower and the upper limit of the gain."""
    if check.claim == "superior":
        return 0.0, math.inf
    return -check.margin, check.margin if check.claim == "equivalent" else math.inf


def _with_p_values(check: Check) -> Check:
    if check.change is None:
        return check
    low, high = _bounds(check)
    own = [check.change.p_above(low)]
    against = [check.change.p_below(low)]
    if high < math.inf:
        own.append(check.change.p_below(high))
        against.append(check.change.p_above(high))
    return replace(check, p_value=max(own), p_fail=min(1.0, len(against) * min(against)))


def _with_status(check: Check, alpha: float) -> Check:
    if check.change is None:
        return check
    low, high = _bounds(check)
    status: Status = "undecided"
    if check.change.low > low and check.change.high < high:
        status = "pass"
    elif check.p_fail is not None and check.p_fail < alpha:
        status = "fail"
    return replace(check, status=status)
