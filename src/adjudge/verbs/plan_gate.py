"""How many units a gate needs, planned before there are any data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.options import check_count
from adjudge.inference.differences.margins import power_of_margin, units_for_margin
from adjudge.inference.refusals import FEWEST_UNITS
from adjudge.presentation.numbers import count, percent_text
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable
from adjudge.unknown_names import checked_call

__all__ = ["GatePlan", "plan_gate"]


@dataclass(frozen=True, repr=False)
class GatePlan(Result, Savable):
    """How likely a gate is to show that a new model is not worse, and how many units it needs.

    Attributes
    ----------
    margin : float
    n_units : int or None
        Number of units that will be available.
    power : float or None
        Probability that `n_units` units show it; None if `n_units` is not given.
    units_needed : int or None
        Units that show it with the requested probability; None if no number does.
    rows_needed : int or None
        Rows in these units.
    disagreement : float
        Share of the rows on which exactly one model is right.
    settings : dict
        The options of the call.
    """

    margin: float
    n_units: int | None
    power: float | None
    units_needed: int | None
    rows_needed: int | None
    disagreement: float
    settings: dict[str, Any]

    @property
    def sentence(self) -> str:
        """The plan in one sentence."""
        shown = f"would show that it is {self._claim} with a probability of {percent_text(self.settings['power'])}"
        if self.units_needed is None:
            text = f"No number of units shows that it is {self._claim}: it is supposed to be worse"
        elif self.rows_needed == self.units_needed:
            text = f"{count(self.units_needed, 'row')} {shown}"
        else:
            units, rows = count(self.units_needed, "unit"), count(self.rows_needed or 0, "row")
            text = f"{units} ({rows}) {shown}"
        if self.power is not None and self.n_units is not None:
            text += f"; {count(self.n_units, 'unit')} do so with a probability of {percent_text(self.power)}"
        return f"{text}."

    @property
    def _claim(self) -> str:
        return "better" if self.margin == 0 else f"not worse by {percent_text(self.margin)}"

    def table(self) -> Table:
        """Power by the number of units."""
        around = self.n_units or self.units_needed
        if around is None:
            return Table(("units", "power"), ())
        numbers = [max(FEWEST_UNITS, round(around * share)) for share in (0.25, 0.5, 0.75, 1, 1.5, 2, 4)]
        rows = [
            (n, _power(n, **self.settings, disagreement=self.disagreement)) for n in dict.fromkeys(numbers)
        ]
        return Table(("units", "power"), tuple(rows), "How likely a gate shows it")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        names = ("margin", "n_units", "power", "units_needed", "rows_needed", "disagreement", "settings")
        return {"kind": "gate plan", **{name: plain_json(getattr(self, name)) for name in names}}

    def said(self) -> list[str]:
        """Return the plan in one sentence."""
        return [self.sentence]


@checked_call
def plan_gate(
    *,
    margin: float = 0.01,
    n_units: int | None = None,
    rows_per_unit: float = 1.0,
    accuracy: float | None = None,
    disagreement: float | None = None,
    icc: float = 0.0,
    gain: float = 0.0,
    confidence: float = 0.95,
    power: float = 0.8,
) -> GatePlan:
    """Plan a gate: how many units it takes to show that the accuracy is not worse by the margin.

    The variance of the difference of two accuracies on the same rows grows with the share of rows on which the models
    disagree. Rows of one unit are correlated: a unit of m rows counts as m / (1 + (m - 1) icc) independent rows.

    Parameters
    ----------
    margin : float, default 0.01
        How much worse the new model may be; with 0, it has to be better, as `superior=` of a gate asks.
    n_units : int, optional
        How many units (or rows, if there are no units) will be available.
    rows_per_unit : float, default 1
    accuracy : float, optional
        Accuracy of the old model.
    disagreement : float, optional
        Share of the rows on which exactly one model is right. Default: 2 a (1 - a) for accuracy a, which holds for
        models with independent errors; versions of one model disagree much less.
    icc : float, default 0
        Intraclass correlation: the correlation of the outcomes of two rows in the same unit.
    gain : float, default 0
        How much better the new model is assumed to be.
    confidence, power : float
        One-sided confidence of the interval's end, and the probability of a pass.

    Returns
    -------
    GatePlan

    Raises
    ------
    InputError
        If a number is out of range, or neither `accuracy` nor `disagreement` is given.

    References
    ----------
    Julious (2004), Sample sizes for clinical trials with normal data; Kish (1965), Survey Sampling (design effect).

    Examples
    --------
    >>> from adjudge import plan_gate
    >>> plan = plan_gate(margin=0.02, disagreement=0.06, n_units=300, rows_per_unit=5, icc=0.3)
    >>> plan.units_needed, plan.rows_needed, round(plan.power, 2)
    (410, 2050, 0.69)
    """
    for name, number in (("margin", margin), ("rows_per_unit", rows_per_unit), ("icc", icc), ("gain", gain)):
        _check_number(name, number)
    for name, value in (("accuracy", accuracy), ("disagreement", disagreement)):
        if value is not None and not (isinstance(value, Real) and 0 < value < 1):
            raise InputError(Option(name, value), " is not between 0 and 1")
    if not 0 <= margin < 1:
        raise InputError(Option("margin", margin), " is not between 0 and 1")
    if margin == 0 and gain == 0:
        raise InputError(
            Option("margin", 0),
            " asks that the new model be better: say by how much it is, as ",
            Option("gain"),
        )
    for name, value, least in (("confidence", confidence, 0.5), ("power", power, 0.0)):
        if not isinstance(value, Real) or not least < value < 1:
            raise InputError(Option(name, value), f" is not between {least:g} and 1")
    if not 0 <= icc <= 1:
        raise InputError(Option("icc", icc), " is not between 0 and 1")
    if not rows_per_unit >= 1:
        raise InputError(Option("rows_per_unit", rows_per_unit), " is below 1: every unit has a row")
    if n_units is not None:
        check_count("n_units", n_units)
        _check_number("n_units", n_units)
    if disagreement is None:
        if accuracy is None:
            raise InputError("the difference varies with the disagreement: pass ", Option("disagreement"), " or ",
                             Option("accuracy"))  # fmt: skip
        disagreement = 2 * accuracy * (1 - accuracy)
    if accuracy is not None and disagreement > 2 * min(accuracy, 1 - accuracy):
        raise InputError(
            Option("disagreement", disagreement), f" cannot be: of models with an accuracy of {accuracy:g} it is at "
            f"most {2 * min(accuracy, 1 - accuracy):g}"
        )  # fmt: skip
    if abs(gain) > disagreement:
        raise InputError(Option("gain", gain), f" cannot be more than the disagreement of {disagreement:g}")
    settings = {"margin": margin, "rows_per_unit": rows_per_unit, "icc": icc, "gain": gain,
                "confidence": confidence, "power": power}  # fmt: skip
    needed = units_for_margin(
        _error(1, disagreement, rows_per_unit, icc, gain), 1, margin + gain, confidence, power
    )
    needed = None if needed is None else max(needed, FEWEST_UNITS)
    return GatePlan(
        margin,
        n_units,
        None if n_units is None else _power(n_units, **settings, disagreement=disagreement),
        needed,
        None if needed is None else math.ceil(needed * rows_per_unit),
        disagreement,
        settings,
    )


def _check_number(name: str, value: Any) -> None:
    try:
        is_known = isinstance(value, Real) and math.isfinite(value)
    except OverflowError:
        is_known = False
    if not is_known:
        raise InputError(Option(name, value), " is not a finite number")


def _error(n_units: float, disagreement: float, rows_per_unit: float, icc: float, gain: float) -> float:
    """Return the standard error of a difference of accuracies."""
    of_row = disagreement - gain**2
    return math.sqrt(of_row * (1 + (rows_per_unit - 1) * icc) / (rows_per_unit * n_units))


def _power(
    n_units: int,
    *,
    margin: float,
    rows_per_unit: float,
    icc: float,
    gain: float,
    confidence: float,
    disagreement: float,
    power: float,
) -> float:
    if n_units < FEWEST_UNITS:
        return 0.0
    error = _error(n_units, disagreement, rows_per_unit, icc, gain)
    return power_of_margin(error, n_units - 1, margin + gain, confidence)
