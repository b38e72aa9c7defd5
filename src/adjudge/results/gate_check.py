"""One condition of a gate, whether it is met, and how sentences say it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from adjudge.indices.record import Index
from adjudge.inference.differences.betting import BetChange
from adjudge.inference.differences.margins import Change
from adjudge.inference.differences.repeated_looks import RepeatedChange
from adjudge.presentation.numbers import p_text, percent_text, show_number, with_minus
from adjudge.presentation.plain import plain_json
from adjudge.results.differences import words_of_group

Status = Literal["pass", "fail", "undecided"]


@dataclass(frozen=True)
class Check:
    """One condition of a gate, and whether it is met.

    Attributes
    ----------
    claim : {"not worse", "superior", "equivalent", "broken"}
        What has to be shown: that the new model is worse by less than the margin, is better, or is neither better nor
        worse by the margin; or that few instances broke.
    name : str
        The index, with the class if it is for one: "accuracy", "recall[churn]"; or "broken".
    status : {"pass", "fail", "undecided"}
    old, new : float
        The scores; for "broken", nan and the number or share of the instances that broke.
    margin : float
        How much worse is still good enough, in units of the index; for "broken", the most that may break.
    change : Change or None
        How much better the new model is, with its interval; None if it has none.
    group : object
        The group of instances; None for all.
    index : Index or None
    p_value : float or None
        One-sided p-value of the claim.
    p_fail : float or None
        P-value of the opposite, a change beyond the margin, after Holm's correction for all checks.
    units_needed : int or None
        How many units (or rows) would show the claim with a probability of 80 %, if the models are equally good; None
        if that is not known, or no number would.
    reason : str or None
        Why nothing is decided.
    """

    claim: str
    name: str
    status: Status
    old: float
    new: float
    margin: float
    change: Change | None = None
    group: Any = None
    index: Index | None = None
    p_value: float | None = None
    p_fail: float | None = None
    units_needed: int | None = None
    reason: str | None = None

    @property
    def title(self) -> str:
        """What is checked: "recall[churn] in FR"."""
        of_class = "[" in self.name.partition("(")[0]
        named = self.name if self.index is None or of_class else self.index.title
        return named if self.group is None else f"{named} in {words_of_group(self.group)}"

    @property
    def words(self) -> str:
        """What is claimed, of what: "not worse: recall[churn] in FR"; by these words a history knows a check."""
        return f"{self.claim}: {self.title}"

    @property
    def difference(self) -> float:
        """New minus old."""
        return self.new - self.old

    @property
    def gain(self) -> float:
        """How much better the new model is in these rows, without those of other looks."""
        return self._signed(self.difference)

    @property
    def pooled(self) -> float | None:
        """New minus old in the rows of all looks together; None without a history."""
        of_looks = isinstance(self.change, (RepeatedChange, BetChange))
        return self._signed(self.change.value) if self.change is not None and of_looks else None

    def _signed(self, gain: float) -> float:
        """Return a difference, new minus old, of how much better the new model is."""
        return -gain if self.index is not None and self.index.better == "lower" else gain

    @property
    def worst(self) -> float:
        """The end of the interval of the difference (new minus old) where the new model is worse; nan if unknown.

        For "equivalent", the end that is farther from 0.
        """
        if self.claim == "broken":
            return math.nan if self.change is None else -self.change.low
        if self.change is None:
            return math.nan
        end = self.change.low
        if self.claim == "equivalent" and abs(self.change.high) > abs(end):
            end = self.change.high
        return self._signed(end)

    def row(self, *, of_looks: bool = False) -> tuple[Any, ...]:
        """Return the cells of its row in a table; `of_looks` adds the change at all looks together."""
        differs = self.claim != "broken"
        return (
            self.title,
            self.claim,
            self.old if differs else None,
            self.new if differs or self.change is not None else int(self.new),
            self.difference if differs else None,
            *([self.pooled if differs else None] if of_looks else []),
            None if math.isnan(self.worst) else self.worst,
            None if self.claim == "superior" else self.margin if differs or self.change else int(self.margin),
            self.status.upper() if self.status == "fail" else self.status,
            self.reason or "",
        )

    @property
    def excess(self) -> float:
        """How far the change is beyond the margin, in margins; the largest is named first."""
        if self.change is None:
            return math.inf
        away = abs(self.change.value) if self.claim == "equivalent" else -self.change.value
        return (away - self.margin) / (self.margin or 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        interval = None if self.change is None else [self.change.low, self.change.high]
        return {
            "claim": self.claim,
            "name": self.name,
            "group": plain_json(self.group),
            "status": self.status,
            "old": plain_json(self.old),
            "new": plain_json(self.new),
            "margin": plain_json(self.margin),
            "gain": None if self.change is None else plain_json(self.change.value),
            "gain_interval": plain_json(interval),
            "p_value": plain_json(self.p_value),
            "p_fail": plain_json(self.p_fail),
            "units_needed": self.units_needed,
            "reason": self.reason,
        }

    @property
    def failed(self) -> str:
        """Say by how much it fails."""
        if self.claim == "broken":
            amount = percent_text if self.change is not None else _number_of_rows
            return f"{amount(self.new)} of the rows{self._where} broke, where {amount(self.margin)} may"
        p = f", {p_text(self.p_fail)}" if self.p_fail is not None else ""
        return f"{self.title} went from {_number(self.old)} to {_number(self.new)} ({self.bound_words}{p})"

    @property
    def undecided(self) -> str:
        """Say what may have happened, or why that is not known."""
        if self.change is None:
            return f"{self.title} is not decided ({self.reason})"
        if self.claim == "broken":
            share, limit = percent_text(self.worst), percent_text(self.margin)
            share = f"{100 * self.worst:.3g} %" if share == limit else share
            return f"up to {share} of the rows{self._where} may have broken, and the limit is {limit}"
        return f"{self.title} may have changed by {with_sign(self.worst)} ({self.bound_words})"

    @property
    def bound_words(self) -> str:
        """What the change is compared with."""
        if self.claim == "superior":
            return "it should be better"
        return f"the margin is {_number(self.margin)}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The changes that it has to stay between, of how much better the new model is."""
        low = 0.0 if self.claim == "superior" else -self.margin
        return low, self.margin if self.claim == "equivalent" else math.inf

    @property
    def _where(self) -> str:
        """The class and the group of instances that broke."""
        of_class = self.name.removeprefix("broken")
        place = f" of {of_class[1:-1]}" if of_class else ""
        return place + ("" if self.group is None else f" in {words_of_group(self.group)}")


def _number_of_rows(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"a weight of {value:,.6g}"


def _number(value: float) -> str:
    return with_minus(show_number(float(value), 3))


def with_sign(value: float) -> str:
    """Write a change."""
    return f"{'+' if value > 0 else ''}{_number(value)}"
