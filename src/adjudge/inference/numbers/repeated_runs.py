"""Items that were each run several times: how certain a mean is, what it varies with, and how reliable a model is.

Each item (a question, a data set) crosses each run (a seed, an epoch, a repeated answer). A number varies with the
item, with the run, and beyond both. The mean squares of a table with two ways say how much each does, and a mean over
new items in new runs varies with all three.

References
----------
Searle, Casella & McCulloch (1992), Variance components, sections 4.7 and 4.8.
Zou & Donner (2008), Statistics in Medicine 27, 1693-1702 (method of variance estimates recovery, MOVER).
Chen et al. (2021), Evaluating large language models trained on code, arXiv 2107.03374 (pass@k without bias).
Yao, Shinn, Razavi & Narasimhan (2024), tau-bench, arXiv 2406.12045 (pass^k).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, Option, in_words
from adjudge.given.number_vectors import read_numbers
from adjudge.given.options import check_confidence
from adjudge.given.units import labels_beside
from adjudge.inference.arrays import Floats
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.presentation.numbers import count, percent_text
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable

__all__ = ["RepeatedRuns", "RunDifference", "RunScores", "repeated_runs"]


# Where runs differ much, intervals of 95 % covered in 90 % with two runs, in 92 % with five, and in 96 % with ten.
_FEW = 5


@dataclass(frozen=True)
class RunScores(Savable):
    """The mean of one model over items and runs, and where its variance comes from.

    Attributes
    ----------
    model : str
    mean, low, high : float
        Over the items and runs of which these are samples.
    of_items, of_runs, of_rest : float
        Variance components: how much numbers vary between items, between runs, and beyond both.
    with_more_items, with_more_runs : float
        Standard error with twice as many items, or runs, relative to that of now.
    pass_at, pass_hat : tuple of (float, Interval)
        For right and wrong answers, and k = 1, 2, ...: how likely any of k runs is right (pass@k), and all are
        (pass^k).
    """

    model: str
    mean: float
    low: float
    high: float
    of_items: float
    of_runs: float
    of_rest: float
    with_more_items: float
    with_more_runs: float
    pass_at: tuple[tuple[float, Interval], ...] = ()
    pass_hat: tuple[tuple[float, Interval], ...] = ()


@dataclass(frozen=True)
class RunDifference(Savable):
    """The difference of the means of two models on the same items.

    Attributes
    ----------
    first, second : str
    value, low, high : float
        The first model's mean less the second's.
    p_value : float
        Of no difference.
    """

    first: str
    second: str
    value: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, repr=False)
class RepeatedRuns(Result, Savable):
    """Means over items and runs, how certain they are, and what would make them more certain.

    Attributes
    ----------
    n_items, n_runs : int
    models : tuple of RunScores
    differences : tuple of RunDifference
        Of each pair of models.
    confidence : float
    """

    n_items: int
    n_runs: int
    models: tuple[RunScores, ...]
    differences: tuple[RunDifference, ...] = field(default=())
    confidence: float = 0.95

    def __getitem__(self, model: str) -> RunScores:
        for own in self.models:
            if own.model == model:
                return own
        known = ", ".join(repr(own.model) for own in self.models)
        raise InputError(f"no model is called {model!r}: choose one of {known}")

    def said(self) -> list[str]:
        """Say what would make each mean more certain."""
        lines = []
        for own in self.models:
            if math.isnan(own.with_more_items):
                lines.append(f"{own.model}: all numbers are the same")
                continue
            more = "items" if own.with_more_items <= own.with_more_runs else "runs"
            lines.append(
                f"{own.model}: twice as many items would leave {percent_text(own.with_more_items)} of the error, twice "
                f"as many runs {percent_text(own.with_more_runs)}: {more} help more"
            )
        few = ""
        if self.n_runs < _FEW:
            few = f": fewer than {_FEW} runs hardly tell how runs vary, and intervals may be too narrow"
        return [f"{count(self.n_items, 'item')} in {count(self.n_runs, 'run')}{few}", "\n".join(lines)]

    def table(self) -> Table:
        """One row per model: its mean, and the standard deviation by items, by runs, and beyond both."""
        rows = tuple(
            (
                own.model,
                own.mean,
                own.low,
                own.high,
                *(math.sqrt(v) for v in (own.of_items, own.of_runs, own.of_rest)),
            )
            for own in self.models
        )
        return Table(("model", "mean", "low", "high", "sd of items", "sd of runs", "sd of the rest"), rows)

    def difference_table(self) -> Table:
        """One row per pair of models."""
        rows = tuple(
            (own.first, own.second, own.value, own.low, own.high, own.p_value) for own in self.differences
        )
        return Table(("model", "against", "difference", "low", "high", "p"), rows, "Differences")

    def pass_table(self) -> Table:
        """One row per model and k: how likely any of k runs is right, and all are."""
        rows = tuple(
            (own.model, k + 1, *(part for value, ends in both for part in (value, ends.low, ends.high)))
            for own in self.models
            for k, both in enumerate(zip(own.pass_at, own.pass_hat, strict=True))
        )
        columns = ("model", "k", "pass@k", "low", "high", "pass^k", "low ", "high ")
        return Table(columns, rows, "Any of k runs right, and all of them")

    def tables(self) -> list[Table]:
        """Return the means, their differences, and what k runs reach."""
        found = [self.table()]
        if self.differences:
            found.append(self.difference_table())
        return [*found, self.pass_table()] if self.models[0].pass_at else found


def repeated_runs(
    values: Any, items: Any = None, runs: Any = None, *, confidence: float = 0.95
) -> RepeatedRuns:
    """Judge one model, or several, by items that were each run several times.

    Parameters
    ----------
    values : array-like of shape (n,) or (n_items, n_runs), or mapping of model names to such
        A number for each item in each run, such as whether the answer was right. All models share items; their runs are
        their own.
    items, runs : array-like of shape (n,), optional
        The item and the run of each number. Default: `values` are tables, with a row for each item.
    confidence : float, default 0.95

    Returns
    -------
    RepeatedRuns
        ``found["gpt"].mean``; intervals are for new items in new runs. With one run, its variance is not known, and the
        intervals are for this run.

    Raises
    ------
    InputError
        If an item lacks a run, or has it twice.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference import repeated_runs
    >>> rng = np.random.default_rng(0)
    >>> skill = rng.beta(2, 1, 200)  # of questions, some of which are easy
    >>> found = repeated_runs(rng.random((200, 4)) < skill[:, None])
    >>> one = found.models[0]
    >>> round(one.mean, 2), round(one.low, 2), round(one.high, 2), round(one.pass_hat[3][0], 2)
    (0.63, 0.59, 0.68, 0.26)
    """
    check_confidence(confidence)
    given = values if isinstance(values, Mapping) else {"values": values}
    if not given:
        raise InputError(Argument("values"), " is empty: give numbers by model")
    tables = {str(name): _table(own, items, runs, name) for name, own in given.items()}
    shapes = {own.shape for own in tables.values()}
    if len({n_items for n_items, _ in shapes}) > 1:
        raise InputError(
            Argument("values"), " have different numbers of items: all models need the same items"
        )
    n_items, n_runs = next(iter(shapes))
    if n_items < 2:
        raise InputError("there is 1 item: how items vary is not known")
    models = tuple(_scores(name, own, confidence) for name, own in tables.items())
    pairs = tuple(
        _difference(first, second, tables[first], tables[second], confidence)
        for first, second in combinations(tables, 2)
    )
    return RepeatedRuns(n_items, n_runs, models, pairs, confidence)


def _table(values: Any, items: Any, runs: Any, name: object) -> Floats:
    """Return the numbers with a row for each item and a column for each run."""
    called = "values" if name == "values" else f"values[{name!r}]"
    if items is None and runs is None:
        try:
            found = np.asarray(values, np.float64)
        except (TypeError, ValueError):
            raise InputError(Argument(called), " holds something other than numbers") from None
        if found.ndim != 2:
            raise InputError(
                Argument(called),
                ": give a table of items and runs, or name them with ",
                Option("items"),
                " and ",
                Option("runs"),
            )
        if not np.isfinite(found).all():
            raise InputError(Argument(called), " has gaps: each item needs a number in each run")
        return found
    if items is None or runs is None:
        known, lacks = ("runs", "items") if items is None else ("items", "runs")
        raise InputError(Option(known), " is given without ", Option(lacks))
    numbers = read_numbers(values, called)
    of_items, of_runs = (
        labels_beside(own, option, numbers.size, called) for own, option in ((items, "items"), (runs, "runs"))
    )
    (rows, names), (columns, run_names) = of_items.dense(), of_runs.dense()
    seen = np.zeros((len(names), len(run_names)), np.int64)
    np.add.at(seen, (rows, columns), np.isfinite(numbers))
    wrong = np.argwhere(seen != 1)
    if wrong.size:
        item, run = wrong[0]
        what = "no number" if seen[item, run] == 0 else f"{seen[item, run]} numbers"
        raise InputError(
            Argument(called),
            f" has {what} for item {in_words(names[item])} in run {in_words(run_names[run])}: ",
            "give each item one in each run",
        )
    table = np.empty(seen.shape)
    table[rows, columns] = numbers
    return table


@dataclass(frozen=True)
class _Squares:
    """The mean squares of a table with two ways, and their degrees of freedom."""

    items: float
    runs: float
    rest: float
    shape: tuple[int, int]

    @classmethod
    def of(cls, table: Floats) -> _Squares:
        n, m = table.shape
        by_item, by_run, mean = table.mean(axis=1), table.mean(axis=0), table.mean()
        rest = table - by_item[:, None] - by_run + mean
        return cls(
            m * float(((by_item - mean) ** 2).sum()) / (n - 1),
            n * float(((by_run - mean) ** 2).sum()) / (m - 1) if m > 1 else 0.0,
            float((rest**2).sum()) / ((n - 1) * (m - 1)) if m > 1 else 0.0,
            (n, m),
        )

    @property
    def components(self) -> Floats:
        """Variance between items, between runs, and beyond both."""
        n, m = self.shape
        return np.array(
            [max((self.items - self.rest) / m, 0.0), max((self.runs - self.rest) / n, 0.0), self.rest]
        )

    def error(self, items: float, runs: float) -> float:
        """Return the standard error of a mean over this many items and runs."""
        of_items, of_runs, rest = self.components.tolist()
        return math.sqrt(of_items / items + of_runs / runs + rest / (items * runs))


def _of_items(by_item: Floats, limits: tuple[float, float], confidence: float) -> Interval:
    """Return the interval of a mean over items; an item that was not seen may have either limit."""
    value = float(by_item.mean())
    influence = Influence.centred(value, by_item)
    if math.isfinite(limits[1] - limits[0]):
        rise, fall = ((limits[1] - value) / by_item.size, (value - limits[0]) / by_item.size)
        influence = replace(influence, rise=rise, fall=fall)
    return interval_of(influence, limits, confidence)


def _widened(
    value: float, ends: Interval, squares: Sequence[_Squares], limits: tuple[float, float]
) -> tuple[float, float]:
    """Add what runs vary to an interval over items (MOVER)."""
    from scipy.stats import t

    aside = 0.0
    for own in squares:
        n, m = own.shape
        if (more := own.runs - own.rest) > 0:
            aside = math.hypot(
                aside, float(t.isf((1 - ends.confidence) / 2, m - 1)) * math.sqrt(more / (n * m))
            )
    low, high = value - math.hypot(value - ends.low, aside), value + math.hypot(ends.high - value, aside)
    return max(low, limits[0]), min(high, limits[1])


def _scores(name: str, table: Floats, confidence: float) -> RunScores:
    squares, mean, (n, m) = _Squares.of(table), float(table.mean()), table.shape
    right = bool(np.isin(table, (0.0, 1.0)).all())
    limits = (0.0, 1.0) if right else (-math.inf, math.inf)
    ends = _of_items(table.mean(axis=1), limits, confidence)
    low, high = _widened(mean, ends, [squares], limits)
    of_items, of_runs, of_rest = squares.components.tolist()
    now = squares.error(n, m)
    of_k = [_of_k(table.sum(axis=1), m, k, confidence) for k in range(1, m + 1)] if right else []
    return RunScores(
        model=name,
        mean=mean,
        low=low,
        high=high,
        of_items=of_items,
        of_runs=of_runs,
        of_rest=of_rest,
        with_more_items=squares.error(2 * n, m) / now if now > 0 else math.nan,
        with_more_runs=squares.error(n, 2 * m) / now if now > 0 else math.nan,
        pass_at=tuple(own for own, _ in of_k),
        pass_hat=tuple(own for _, own in of_k),
    )


def _of_k(right: Floats, m: int, k: int, confidence: float) -> tuple[Any, Any]:
    """Return how likely any of k runs of an item is right, and all are, each with its interval over items."""
    ways = math.comb(m, k)
    any_right = np.array([1 - math.comb(m - int(own), k) / ways for own in right])
    all_right = np.array([math.comb(int(own), k) / ways for own in right])

    def mean(of_items: Floats) -> tuple[float, Interval]:
        return float(of_items.mean()), _of_items(of_items, (0.0, 1.0), confidence)

    return mean(any_right), mean(all_right)


def _difference(first: str, second: str, one: Floats, other: Floats, confidence: float) -> RunDifference:
    """Compare the means of two models: items are paired, and each has its own runs."""
    apart = one.mean(axis=1) - other.mean(axis=1)
    both, value = [_Squares.of(one), _Squares.of(other)], float(apart.mean())
    right = bool(np.isin(one, (0.0, 1.0)).all() and np.isin(other, (0.0, 1.0)).all())
    limits = (-1.0, 1.0) if right else (-math.inf, math.inf)

    def at(level: float) -> tuple[float, float]:
        return _widened(value, _of_items(apart, limits, level), both, limits)

    low, high = at(confidence)
    return RunDifference(first, second, value, low, high, _p_value(value, at))


def _p_value(value: float, at: Callable[[float], tuple[float, float]]) -> float:
    """Return 1 less the largest confidence whose interval leaves out 0; nan if nothing varies."""
    from scipy.optimize import brentq

    def beyond(level: float) -> float:
        low, high = at(level)
        return low if value > 0 else -high

    if value == 0 or math.isnan(beyond(0.5)):
        return 1.0 if value == 0 else math.nan
    least, most = 1e-6, 1 - 1e-12
    if beyond(most) > 0:
        return 1 - most
    return 1.0 if beyond(least) <= 0 else 1 - float(brentq(beyond, least, most, xtol=1e-10))
