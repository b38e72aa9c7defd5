"""The conditions of a gate: what a new model has to show, and by which margin."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal

from adjudge.errors import Argument, InputError, Option
from adjudge.given.options import check_choice, check_count
from adjudge.indices.catalog import find_index
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.differences.margins import two_sided
from adjudge.kinds.registry import KINDS
from adjudge.kinds.request import ENDS
from adjudge.kinds.which_kind import index_called
from adjudge.presentation.numbers import range_text
from adjudge.statistics.agreement import OF_NUMBERS

__all__ = ["CLAIMS", "Conditions", "Wanted", "class_of", "names_a_class"]

#: The claims about indices, by the option that asks for them.
CLAIMS = {"indices": "not worse", "superior": "superior", "equivalent": "equivalent"}
_DEFAULT_MARGIN = 0.01
_RECALL = re.compile(r"recall\[(.*)\]", re.DOTALL)


@dataclass(frozen=True)
class Margin:
    """How much worse a model may be: in units of the index, or as a share of the old model's value."""

    amount: float
    is_share: bool = False

    @classmethod
    def of(cls, given: Any) -> Margin:
        """Read a number, or text such as "2%"."""
        text = given.strip() if isinstance(given, str) else None
        try:
            value = given if text is None else float(text.removesuffix("%"))
        except ValueError:
            how = " is neither a number nor a percentage such as '2%'"
            raise InputError(Option("margin", given), how) from None
        if not _is_finite(value) or value < 0:
            how = " is not a number from 0 up, or a percentage such as '2%'"
            raise InputError(Option("margin", given), how)
        is_share = text is not None and text.endswith("%")
        return cls(float(value) / 100 if is_share else float(value), is_share)

    def in_units(self, old: float) -> float:
        """Return the margin in units of the index, for the old model's value."""
        return self.amount * abs(old) if self.is_share else self.amount

    def lets_all_pass(self, index: Index) -> bool:
        """Whether no value of an index is worse than another by more than the margin."""
        low, high = index.range
        if self.is_share:
            return index.better == "higher" and low >= 0 and self.amount >= 1
        return self.amount >= high - low


@dataclass(frozen=True)
class Wanted:
    """A requested check: of an index, or of the recall of a class."""

    claim: str
    index: Index
    margin: Margin
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
        for given in _values_of(self.margin) if self._has_margin else ():
            Margin.of(given)
        for limit in () if self.max_broken is None else _values_of(self.max_broken):
            is_known = _is_finite(limit) and limit >= 0
            if not is_known or not (isinstance(limit, Integral) or limit < 1):
                how = " is neither a whole number of instances nor a share below 1 of them"
                raise InputError(Option("max_broken", limit), how)
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
        return None if has_units else _DEFAULT_MARGIN

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
        margins: dict[str, Any] = {}
        for name, given in self.margin.items() if isinstance(self.margin, Mapping) else ():
            if (called := _name_of(name, of)) in margins:
                raise InputError(Argument("margin"), f" has {called} twice, by two of its names")
            margins[called] = given
        claimed = zip(CLAIMS.values(), (names or (), self.superior, self.equivalent), strict=True)
        found = [self._wanted(claim, name, of, margins) for claim, named in claimed for name in named]
        if unused := set(margins) - {own.name for own in found}:
            what = f" has {min(unused)!r}, which is not checked: name it in "
            raise InputError(Option("margin"), what, Option("indices"))
        if not found and not (self.max_broken or self.max_broken == 0):
            raise InputError("nothing is checked: name what must not become worse in ", Option("indices"))
        return list(dict.fromkeys(found))

    def _wanted(
        self, claim: str, name: str | Index, of: Sequence[Kind], margins: Mapping[str, Any]
    ) -> Wanted:
        label = class_of(name)
        record = name if isinstance(name, Index) else _found("recall" if label is not None else name, of)
        if record.better is None and self.better is not None:
            record = replace(record, better=self.better)
        if record.better not in ("higher", "lower"):
            raise InputError(f"{record.name} is neither better high nor low: a gate cannot check it")
        own = Wanted(claim, record, Margin(0.0), label)
        if claim == CLAIMS["superior"]:
            return own
        by_name = isinstance(self.margin, Mapping)
        if by_name and own.name not in margins:
            raise InputError(Argument("margin"), f" has nothing for {own.name}: add it")
        given = margins[own.name] if by_name else self.margin_of(record.kind, record.name)
        if given is None:
            raise InputError(
                Option("margin"),
                f" is missing: say how much worse the {record.title.lower()} may be, such as '2%' of the old one, or "
                "in units of the numbers",
            )
        margin = Margin.of(given)
        if margin.lets_all_pass(record):
            which = (Argument("margin"), f" of {given}") if by_name else (Option("margin", given),)
            what = f" is as wide as the range of {own.name}, {range_text(*record.range)}, so that no model can fail: "
            as_share = f"write {margin.amount:g} % as {margin.amount / 100:g}"
            raise InputError(*which, what, "take a smaller one" if margin.is_share else as_share)
        return replace(own, margin=margin)


def class_of(name: str | Index) -> str | None:
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
    if class_of(name) is not None:
        return str(name).strip()
    return name.name if isinstance(name, Index) else _found(name, of).name


def _found(name: str, of: Sequence[Kind]) -> Index:
    """Find an index in the first kind that has it."""
    *others, last = of
    for kind in others:
        if (found := index_called(name, kind)) is not None:
            return found
    return find_index(name, last)


def _values_of(given: Any) -> list[Any]:
    """Return what is given for each name, or for all."""
    return list(given.values()) if isinstance(given, Mapping) else [given]


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
