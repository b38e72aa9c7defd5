"""What a gate says in sentences: the verdict, why, and what broke."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.presentation.columns import shown_line
from adjudge.presentation.numbers import count, listed, percent_text, plural
from adjudge.presentation.tables import Table
from adjudge.results.comparison import Comparison
from adjudge.results.differences import words_of_group
from adjudge.results.gate_check import Check, Status, with_sign
from adjudge.results.gate_history import GateHistory
from adjudge.results.head_to_head import HeadToHead
from adjudge.results.weak_slices import WeakSlices
from adjudge.statistics.agreement import OF_NUMBERS, WeightedAgreement

# Most checks that a sentence names.
_NAMED = 3
# What can be right or wrong, if not a row.
_UNITS = {"clustering": "pair of instances", "multilabel": "pair of a row and a label"}
_ANSWER = {
    "pass": "may replace the old one",
    "fail": "may not replace the old one",
    "undecided": "may or may not replace the old one: these data do not tell",
}


def old_and_new(comparison: Comparison) -> HeadToHead:
    """Return the old model against the new one."""
    old, new = comparison.models
    return comparison[old, new]


def broken_by_class(comparison: Comparison, most: int) -> Table:
    """Return how many instances broke in each class, or in each class of each group, the clearest losses first."""
    found = [
        (words_of_group(group) if group is not None else "", str(row.label), row.n, row.broken, row.fixed)
        for group, own in (comparison.by_group or {None: comparison}).items()
        for row in old_and_new(own).recalls
        if row.broken
    ]
    found.sort(key=lambda row: ((row[4] - row[3]) / math.sqrt(row[3] + row[4]), -row[3]))
    grouped = bool(comparison.by_group)
    heads = ("group", "class", "n", "broken", "fixed")
    rows = found[:most] if grouped else [row[1:] for row in found[:most]]
    return Table(heads if grouped else heads[1:], tuple(rows), "Where rows broke").weighing(*heads[2:])


@dataclass(frozen=True)
class GateWords:
    """The sentences of a gate, whose attributes these are."""

    verdict: Status
    tested: Sequence[Check]
    comparison: Comparison
    confidence: float
    history: GateHistory | None
    weak_slices: WeakSlices | None

    @property
    def unit_word(self) -> str:
        """What numbers of units count."""
        return "row" if self.comparison.units is None else "unit"

    def sentences(self) -> list[str]:
        """State the verdict, the reason, and what broke."""
        said = [f"{self.verdict.upper()}: the new model {_ANSWER[self.verdict]}."]
        whys = self._why(), self._unlike_all_looks(), self._flips(), self._in_slices()
        said += [text for text in whys if text]
        return [shown_line(text) for text in said]

    def _why(self) -> str:
        level = f"{100 * self.confidence:g} % confidence"
        level += "" if self.history is None else ", at all looks together"
        if self.verdict == "pass":
            many = len(self.tested)
            return (
                f"All {many} checks pass, each at {level}." if many > 1 else f"The check passes at {level}."
            )
        chosen = [check for check in self.tested if check.status == self.verdict]
        if self.verdict == "fail":
            chosen.sort(key=lambda check: -check.excess)
            return f"{listed([check.failed for check in chosen], _NAMED)}."
        text = f"{listed([check.undecided for check in chosen], _NAMED)}."
        return text + self._enough(chosen)

    def _unlike_all_looks(self) -> str:
        """Say which checks went beyond the margin in this look, although they do not fail at all looks together."""
        if self.history is None or len(self.history.looks) < 2:
            return ""
        worse = []
        for check in self.tested:
            if check.pooled is None or check.status == "fail":
                continue
            low, _ = check.bounds
            if check.gain < low:
                n = self.history.n_last_beyond(check.words, low)
                last = f", beyond it in each of the last {n} looks" if n > 1 else ""
                text = f"{check.title} changed by {with_sign(check.difference)} ({check.bound_words}{last})"
                worse.append(text)
        return f"But in this look alone {listed(worse, _NAMED)}." if worse else ""

    def _enough(self, undecided: Sequence[Check]) -> str:
        """Say how many units would decide the check that lacks the most, for its number of units."""
        text = ""
        if known := [check for check in undecided if check.units_needed is not None]:
            most = max(known, key=lambda check: (check.units_needed or 0) / self._n_drawn(check.group))
            group = None if self.history is not None else most.group
            unit = "row" if self.history is not None else self.unit_word
            if unit == "row" and self.comparison.effective is not None:
                unit = "effective row"
            have = count(round(self._n_drawn(most.group)), unit)
            have += "" if group is None else f" in {words_of_group(group)}"
            have += "" if self.history is None else " in all looks"
            beside = ""
            if "judge" in self.comparison.settings:
                have += " that people labelled"
                beside = " by people, and the judge's in proportion,"
            enough = f"about {_rounded(most.units_needed or 0)}{beside} would be enough"
            enough += " there" if group is not None else ""
            enough += f" for {most.title}" if group is None and len(known) < len(undecided) else ""
            text = f" There are {have}; {enough} if the models are equally good."
            if not beside and (most.units_needed or 0) <= self._n_drawn(most.group):
                text = f" There are {have}, which would be enough if the models were equally good."
        if any(own.claim == "superior" and own.units_needed is None and own.change for own in undecided):
            equal = "If they are" if text else "If the models are equally good"
            text += f" {equal}, no number of {plural(self.unit_word)} shows that the new one is better."
        return text

    def _n_drawn(self, group: Any) -> Any:
        """Return the number of units, or rows, in a group, or of all; with a history, of rows in all looks."""
        if self.history is not None:
            return sum(own.n for own in self.history.counted.values())
        own = self.comparison if group is None else self.comparison.by_group[group]
        return own.n_effective if own.units is None else own.units.n_units

    def _flips(self) -> str:
        pair, unit = old_and_new(self.comparison), _UNITS.get(self.comparison.kind, "row")
        broken, fixed = (_counted(n, unit, pair) for n in (pair.right_wrong, pair.wrong_right))
        if self.comparison.kind in OF_NUMBERS:
            return f"{broken} {_are(pair.right_wrong)} worse now, {fixed} better."
        if _is_weighted(pair):
            text = f"By weight, {broken} were right and are wrong now, {fixed} were wrong and are right"
        else:
            text = f"{broken} that {_were(pair.right_wrong)} right {_are(pair.right_wrong)} wrong now, "
            text += f"{fixed} that {_were(pair.wrong_right)} wrong {_are(pair.wrong_right)} right"
        table = broken_by_class(self.comparison, 1)
        if table.rows and (len(self.comparison.by_group) > 1 or len(pair.recalls) > 1):
            *where, n, lost, won = table.rows[0]
            if lost > won:
                place = f"class {where[-1]}" + (f" in {where[0]}" if len(where) > 1 else "")
                if _is_weighted(pair):
                    text += f"; {place} lost most: {percent_text(lost / n)} of it broke, "
                    text += f"{percent_text(won / n)} was put right"
                else:
                    text += f"; {place} lost most: {_amount(lost)} of its {_amount(n)} broke, "
                    text += f"{_amount(won)} {_were(won)} put right"
        return f"{text}."

    def _in_slices(self) -> str:
        """Name the slices in which the new model is worse by more than elsewhere, if they were looked for."""
        if self.weak_slices is None:
            return ""
        if not self.weak_slices.n_looked_at:
            return "The columns give no slices of enough rows to look at."
        if not self.weak_slices.slices:
            return "In no slice of the rows is it seen to be worse by more than elsewhere."
        named = [one_slice.words for one_slice in self.weak_slices.slices]
        more = f"; and in {len(named) - _NAMED} more slices" if len(named) > _NAMED else ""
        return f"It is worse by more than elsewhere where {'; where '.join(named[:_NAMED])}{more}."


def _is_weighted(pair: HeadToHead) -> bool:
    """Whether rows count by sampling weights, of which the sums depend on their scale."""
    return isinstance(pair.agreement, WeightedAgreement)


def _counted(n: Any, what: str, pair: HeadToHead) -> str:
    """Count rows or pairs; say the share of those with sampling weights."""
    if _is_weighted(pair):
        return f"{percent_text(n / pair.agreement.total)} of the {plural(what)}"
    return f"{_amount(n)} {what if n == 1 else plural(what)}"


def _amount(n: Any) -> str:
    return f"{n:,.0f}"


def _were(n: Any) -> str:
    return "was" if n == 1 else "were"


def _are(n: Any) -> str:
    return "is" if n == 1 else "are"


def _rounded(n: int) -> str:
    """Round a number up to two significant digits."""
    scale = 10 ** max(0, len(str(n)) - 2)
    return f"{math.ceil(n / scale) * scale:,}"
