"""What is known about one index for one partition: its value and everything said about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Never, TypeVar, overload

from adjudge.errors import joined
from adjudge.given.positive import shown_class
from adjudge.indices.record import Index
from adjudge.presentation.numbers import error_at_most, listed, percent_text

T = TypeVar("T")


class Estimate:
    """What a score and a difference of two scores have in common: an index, the class or average, an interval."""

    __slots__ = ()

    index: Index
    average: str | None
    of_class: Any
    low: float | None
    high: float | None

    @property
    def heading(self) -> str:
        """The name of the index, with the class or average of the value if the name does not say."""
        return qualified(self.index.name, self.average, self.of_class)

    @property
    def title(self) -> str:
        """The name in the literature, with the class or average of the value if the name does not say."""
        return qualified(self.index.title, self.average, self.of_class)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval (low, high), None if there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Score(Estimate):
    """The score of a partition or a classifier by one index.

    Attributes
    ----------
    index : Index
        The index that was computed.
    value : float
        nan if it is undefined.
    reason : str or None
        Why the value is nan or infinite.
    error_bound : float or None
        Bound on the error of a value that was not computed exactly.
    low, high : float or None
        Confidence interval, if requested and possible.
    interval_method : str or None
        How the interval is computed: score, wilson, tables, jackknife ...
    interval_reason : str or None
        Why the interval is one-sided or missing.
    estimate : float or None
        Estimate for the population that the interval lies around, if it differs from the value: in small samples some
        indices are too large or too small on average.
    expected, adjusted, p_value : float or None
        Mean under chance, the value corrected for it, and the probability of a value at least as good, if `adjust` was
        requested.
    p_floor : float or None
        Smallest p-value that the simulated tables can give, 0 if nothing was simulated. A p-value that is not above
        it is an upper bound.
    chance_method : str or None
        Whether the null distribution is exact, simulated or approximated.
    truth : str or None
        The accepted truth that the value is for, if there are several.
    average : str or None
        "macro" if the index is for one class, no class is positive, and the value is the mean over the classes.
    of_class : object
        The class that the value is for, if a reader needs to be told: None if it is for none, or labels are 0 and 1.
    own_range : tuple of float or None
        Smallest and largest possible value for these classes, if they are not those of the index.
    """

    index: Index
    value: float
    reason: str | None = None
    error_bound: float | None = None
    low: float | None = None
    high: float | None = None
    interval_method: str | None = None
    interval_reason: str | None = None
    estimate: float | None = None
    expected: float | None = None
    adjusted: float | None = None
    p_value: float | None = None
    p_floor: float | None = None
    chance_method: str | None = None
    truth: str | None = None
    average: str | None = None
    of_class: Any = None
    own_range: tuple[float, float] | None = None

    @classmethod
    def of(cls, index: Index, *statistics: Any) -> Score:
        """Compute an index from its statistics."""
        value, reason = index.assess(*statistics)
        if reason is None and math.isnan(value):
            reason = "undefined"
        average, of_class = _average(index, statistics), _class_of(index, statistics)
        own = index.range_of_two
        if own is not None and not any(len(getattr(one, "sizes", ())) == 2 for one in statistics):
            own = None
        return cls(index, value, reason, average=average, of_class=of_class, own_range=own)

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest possible value."""
        return self.index.range if self.own_range is None else self.own_range

    @property
    def name(self) -> str:
        """Canonical name of the index."""
        return self.index.name

    @property
    def note(self) -> str:
        """Everything that has to be said about the numbers, in words."""
        bound = error_at_most(self.error_bound)
        truth = f"against {self.truth}" if self.truth else None
        average = f"{self.average}: the mean over the classes" if self.average else None
        return joined(part for part in (average, self.reason, bound, self.interval_reason, truth) if part)


def qualified(name: str, average: str | None, of_class: Any) -> str:
    """Return the name of a score with its class, or its average over the classes."""
    if of_class is not None:
        return f"{name} of {of_class}"
    return f"{name} ({average})" if average else name


def _class_of(index: Index, statistics: tuple[Any, ...]) -> Any:
    """Return the class that an index is for, if a reader needs to be told."""
    first = statistics[0]
    if "average" not in index.parameters:
        return getattr(first, "of_class", None)
    if index.parameters["average"] not in (None, "binary"):
        return None
    return shown_class(first.classes, first.positive)


def _average(index: Index, statistics: tuple[Any, ...]) -> str | None:
    """Return "macro" if an index for one class is averaged, because none of several classes is positive."""
    if "average" not in index.parameters or index.parameters["average"] is not None:
        return None
    classes = statistics[0]
    return "macro" if classes.positive is None and len(classes.classes) > 1 else None


def interval_words(scores: Iterable[Score], confidence: float) -> str:
    """State the level of the intervals, and how they are computed; empty if there are none."""
    by_method: dict[str, list[str]] = {}
    for score in scores:
        if score.interval and score.interval_method:
            by_method.setdefault(score.interval_method, []).append(score.name)
    if not by_method:
        return ""
    usual = max(by_method, key=lambda method: len(by_method[method]))
    others = [f"{method} for {listed(names)}" for method, names in by_method.items() if method != usual]
    return f"{percent_text(confidence)} intervals by {usual}" + (f" ({'; '.join(others)})" if others else "")


def each(scores: Mapping[str, Score], name: str) -> dict[str, Any]:
    """Return one attribute of every score that has it, by index."""
    return {index: value for index, score in scores.items() if (value := getattr(score, name)) is not None}


class OfScores(Generic[T]):
    """A property of a result: one attribute of every score that has it, by index; of several models by model first.

    Parameters
    ----------
    attribute : str
    doc : str
    scores : str
        The attribute of the result that holds the scores.
    if_any : bool
        Whether the property is empty if no model has the attribute, instead of empty for each.
    """

    def __init__(self, attribute: str, doc: str, scores: str = "scores", *, if_any: bool = False) -> None:
        self.attribute, self.__doc__, self.scores, self.if_any = attribute, doc, scores, if_any

    @overload
    def __get__(self, result: None, owner: type) -> OfScores[T]: ...
    @overload
    def __get__(self, result: object, owner: type) -> T: ...
    def __get__(self, result: Any, owner: type) -> Any:
        if result is None:
            return self
        scores = getattr(result, self.scores)
        if self.scores != "judged":
            return each(scores, self.attribute)
        found = {model: each(score, self.attribute) for model, score in scores.items()}
        return found if any(found.values()) or not self.if_any else {}

    def __set__(self, result: object, value: Never) -> None:
        raise AttributeError("a result does not change: its scores cannot be set")


def score_columns(
    head: str, find: Callable[[Any], Any], low: str, high: str
) -> tuple[dict[str, Callable[[Any], Any]], tuple[str, str]]:
    """Return the columns of a score that is found in a row, and those of its interval, which vanish if there is none.

    Parameters
    ----------
    head, low, high : str
        Headings of the value, and of the ends of its interval.
    find : callable
        Returns what has a value, `low` and `high`; None if there is no score.
    """

    def read(what: str) -> Callable[[Any], Any]:
        return lambda row: getattr(find(row), what, None)

    return {head: read("value"), low: read("low"), high: read("high")}, (low, high)
