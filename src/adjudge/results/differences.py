"""Differences of scores: between two models over the same instances, and between groups of instances."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adjudge.errors import joined
from adjudge.indices.record import Index
from adjudge.presentation.numbers import shown_p
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.results.score import Estimate

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference

#: Corrections for the tests of groups, and the heading of their p-values.
GROUP_CORRECTIONS = {"holm": "p (Holm)", "fdr": "p (FDR)"}


@dataclass(frozen=True, slots=True)
class ScoreDifference(Estimate):
    """A score of one model minus that of another, over the same instances.

    Attributes
    ----------
    index : Index
    first, second : float
        The scores.
    low, high : float or None
        Confidence interval of the difference, if requested and possible.
    p_value : float or None
        P-value of the test that the scores are equal in the population; None if there is no such test.
    adjusted_p_value : float or None
        P-value after Holm's correction for all tests that are shown together: all scores of two models, or of all
        pairs of several models. A primary score is corrected for the pairs alone. Tests of groups may have that of
        Benjamini and Hochberg.
    method : str or None
        The methods of the interval and of the test.
    reason : str or None
        Why one of them is missing, or how it differs from the usual one.
    average : str or None
        "macro" if the scores are means over the classes and the name of the index does not say so.
    of_class : object
        The class that the scores are for, if a reader needs to be told.
    freedom : float or None
        Degrees of freedom of Student's t, if the interval is based on it.
    """

    index: Index
    first: float
    second: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    method: str | None = None
    reason: str | None = None
    average: str | None = None
    of_class: Any = None
    freedom: float | None = None

    @property
    def value(self) -> float:
        """First minus second; nan if either is undefined, or both are the same infinity."""
        return math.nan if math.isinf(self.first) and self.first == self.second else self.first - self.second

    @property
    def gain(self) -> float:
        """The difference, positive if the first model is better; nan for an index without a direction."""
        sign = {"higher": 1.0, "lower": -1.0}.get(self.index.better or "", math.nan)
        return sign * self.value

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        numbers = ("value", "interval", "p_value", "adjusted_p_value", "method", "reason", "of_class")
        return {name: plain_json(getattr(self, name)) for name in numbers}


def difference_of(
    index: Index, first: float, second: float, inferred: Difference, of_class: Any = None
) -> ScoreDifference:
    """Combine two scores with what was inferred about their difference; `of_class` is the class that they are for."""
    interval, test = inferred.interval, inferred.test
    known = not math.isnan(interval.low)
    reasons = (interval.reason, None if test is None else test.reason)
    return ScoreDifference(
        index,
        first,
        second,
        low=interval.low if known else None,
        high=interval.high if known else None,
        p_value=None if test is None or math.isnan(test.p_value) else test.p_value,
        method="; ".join(dict.fromkeys([interval.method, *([] if test is None else [test.method])])),
        reason="; ".join(dict.fromkeys(reason for reason in reasons if reason)) or None,
        of_class=of_class,
        freedom=inferred.freedom,
    )


def by_index(difference: ScoreDifference) -> str:
    """Return the family of a test if those of each index are one, because they are shown separately."""
    return difference.index.name


def corrected(
    differences: Sequence[ScoreDifference],
    family: Callable[[ScoreDifference], Any] | None = None,
    correction: str = "holm",
) -> list[ScoreDifference]:
    """Correct p-values for multiple tests, in the same order; differences without a test are left as they are.

    Parameters
    ----------
    differences : sequence of ScoreDifference
    family : callable, optional
        Returns the family of each test, which is corrected apart; default: all are one.
    correction : {"holm", "fdr"}
    """
    from adjudge.inference.common.adjustments import adjust_p_values

    found = list(differences)
    families: dict[Any, list[tuple[int, float]]] = {}
    for i, own in enumerate(found):
        if own.p_value is not None:
            families.setdefault(None if family is None else family(own), []).append((i, own.p_value))
    for tests in families.values():
        places, p_values = zip(*tests, strict=True)
        for i, p_value in zip(places, adjust_p_values(p_values, correction), strict=True):
            found[i] = replace(found[i], adjusted_p_value=p_value)
    return found


@dataclass(frozen=True, slots=True)
class ClassDifference:
    """The recall of one class by two models: the share of its instances that each of them finds.

    Attributes
    ----------
    label : object
    n : int or float
        Instances of the class, or their weight.
    score : ScoreDifference
        Its `adjusted_p_value` corrects for all classes.
    broken, fixed : int or float
        Instances of the class, or their weight, on which only the first model is right, and only the second.
    """

    label: Any
    n: Any
    score: ScoreDifference
    broken: Any = 0
    fixed: Any = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "class": plain_json(self.label),
            "n": plain_json(self.n),
            "first": plain_json(self.score.first),
            "second": plain_json(self.score.second),
            **self.score.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class GroupContrast:
    """A classifier's score in one group against that in another, or in all others.

    Attributes
    ----------
    group : object
        A tuple if several columns define the groups.
    n : int or float
        Instances of the group, or their weight.
    against : object
        The other group; None for all others together.
    score : ScoreDifference
        Its `adjusted_p_value` corrects for all such comparisons of this index.
    """

    group: Any
    n: Any
    against: Any
    score: ScoreDifference

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "group": plain_json(self.group),
            "n": plain_json(self.n),
            "against": plain_json(self.against),
            "index": self.score.index.name,
            **self.score.to_dict(),
        }


def contrasts_table(rows: Iterable[GroupContrast], title: str, correction: str = "holm") -> Table:
    """One row per group, or per pair of groups that are compared; `correction` is that of their p-values."""
    rows = list(rows)
    heads = ("here", "elsewhere")
    columns: dict[str, Callable[[GroupContrast], Any]] = {
        "group": lambda row: words_of_group(row.group),
        "n": lambda row: row.n,
    }
    if any(row.against is not None for row in rows):
        columns["and"] = lambda row: words_of_group(row.against)
        del columns["n"]
        heads = ("first", "second")
    columns |= _compared(heads, correction)
    return Table.of(rows, columns, title).weighing("n")


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """The difference of two models' scores over the instances of one group.

    Attributes
    ----------
    primary, alternative : str
    group : object
        A tuple if several columns define the groups.
    n : int or float
        Instances of the group.
    score : ScoreDifference
        Its `adjusted_p_value` corrects for all groups and pairs of models.
    overall : float
        How much better the primary model is over all instances (the sign is that of :attr:`ScoreDifference.gain`).
    """

    primary: str
    alternative: str
    group: Any
    n: float
    score: ScoreDifference
    overall: float

    @property
    def is_reversed(self) -> bool:
        """Whether one model is better over all instances, and the other one in this group."""
        return self.score.gain * self.overall < 0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "primary": self.primary,
            "alternative": self.alternative,
            "group": plain_json(self.group),
            "n": plain_json(self.n),
            "index": self.score.index.name,
            "is_reversed": self.is_reversed,
            **self.score.to_dict(),
        }


def words_of_group(group: Any) -> str:
    """Name a group; for several columns by their values, separated by commas. A blank name is quoted, to be seen."""
    words = map(str, group if isinstance(group, tuple) else (group,))
    return ", ".join(word if word.strip() else repr(word) for word in words)


def differences_table(rows: Iterable[tuple[str, str, ScoreDifference]], title: str) -> Table:
    """One row per pair of models and index."""
    columns: dict[str, Callable[[tuple[str, str, ScoreDifference]], Any]] = {
        "models": lambda row: f"{row[0]} - {row[1]}",
        "index": lambda row: row[2].heading,
        **_inferred(lambda row: row[2]),
    }
    return Table.of(rows, columns, title, optional=[_TESTED])


def recalls_table(rows: Iterable[tuple[str, str, ClassDifference]], title: str) -> Table:
    """One row per pair of models and class."""
    columns: dict[str, Callable[[tuple[str, str, ClassDifference]], Any]] = {
        "models": lambda row: f"{row[0]} - {row[1]}",
        "class": lambda row: row[2].label,
        "n": lambda row: row[2].n,
        "first": lambda row: row[2].score.first,
        "second": lambda row: row[2].score.second,
        **_inferred(lambda row: row[2].score),
    }
    return Table.of(rows, columns, title, optional=[_TESTED]).weighing("n")


def group_differences_table(
    rows: Iterable[GroupDifference],
    title: str,
    of_class: tuple[Any, Sequence[Any]] | None = None,
    correction: str = "holm",
) -> Table:
    """One row per pair of models and group.

    Parameters
    ----------
    rows : iterable of GroupDifference
    title : str
    of_class : (label, sizes) or None
        For a score of one class, the class, and how many instances of each row's group are of it: the score rests on
        them.
    correction : {"holm", "fdr"}
        That of the p-values.
    """
    columns: dict[str, Callable[[GroupDifference], Any]] = {
        "models": lambda row: f"{row.primary} - {row.alternative}",
        "group": lambda row: words_of_group(row.group),
        "n": lambda row: row.n,
    }
    if of_class is not None:
        sizes = iter(of_class[1])
        columns[f"truly {of_class[0]}"] = lambda row: next(sizes)
    columns |= _compared(("first", "second"), correction)

    def note(row: GroupDifference) -> str:
        return joined(
            part for part in ("not so over all" if row.is_reversed else "", row.score.reason) if part
        )

    optional = [(*_TESTED[:3], GROUP_CORRECTIONS[correction])]
    return Table.of(rows, {**columns, "note": note}, title, optional=optional).weighing("n")


_TESTED = ("low", "high", "p", GROUP_CORRECTIONS["holm"])


def _compared(heads: tuple[str, str], correction: str) -> dict[str, Callable[[Any], Any]]:
    """Return the columns of two scores in rows that have a `score`."""
    return {
        heads[0]: lambda row: row.score.first,
        heads[1]: lambda row: row.score.second,
        **_inferred(lambda row: row.score, correction),
    }


def _inferred(
    score: Callable[[Any], ScoreDifference], correction: str = "holm"
) -> dict[str, Callable[[Any], Any]]:
    """Return the columns of a difference, of its interval and of its test."""
    return {
        "difference": lambda row: score(row).value,
        "low": lambda row: score(row).low,
        "high": lambda row: score(row).high,
        "p": lambda row: shown_p(score(row).p_value),
        GROUP_CORRECTIONS[correction]: lambda row: shown_p(score(row).adjusted_p_value),
        "note": lambda row: score(row).reason or "",
    }
