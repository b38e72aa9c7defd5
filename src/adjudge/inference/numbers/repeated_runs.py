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
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import Argument, InputError, Option, in_words
from adjudge.given.alignment import check_same_order
from adjudge.given.number_vectors import read_numbers
from adjudge.given.options import check_confidence
from adjudge.given.units import labels_beside
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.presentation.numbers import count, percent_text
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable

# Where runs differ much, intervals of 95 % covered in 90 % with two runs, in 92 % with five, and in 96 % with ten.
_FEW = 5
# Shares of an error that are said to be alike.
_ALIKE = 0.005
_ONE_RUN = "with one run, how runs vary is not known, and the interval is for this run"


@dataclass(frozen=True)
class RunScores(Savable):
    """The mean of one model over items and runs, and where its variance comes from.

    Attributes
    ----------
    model : str
    mean, low, high : float
        Over the items and runs of which these are samples.
    of_items, of_runs, of_rest : float
        Variance components: how much numbers vary between items, between runs, and beyond both; nan if one run does not
        tell.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        found: dict[str, Any] = plain_json(asdict(self))
        return {"kind": "repeated_runs", **found}

    def said(self) -> list[str]:
        """Say what would make each mean more certain."""
        lines = []
        for own in self.models:
            if math.isnan(own.with_more_runs):
                same = self.n_runs > 1 or math.isnan(own.with_more_items)
                lines.append(f"{own.model}: {'all numbers are the same' if same else _ONE_RUN}")
                continue
            ahead = own.with_more_runs - own.with_more_items
            more = (
                "both help alike" if abs(ahead) < _ALIKE else f"{'items' if ahead > 0 else 'runs'} help more"
            )
            lines.append(
                f"{own.model}: twice as many items would leave {percent_text(own.with_more_items)} of the error, twice "
                f"as many runs {percent_text(own.with_more_runs)}: {more}"
            )
        few = ""
        if 1 < self.n_runs < _FEW:
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
    check_same_order({"values": given, "items": items, "runs": runs})
    _check_same_items(given)
    tables = {str(name): _table(own, items, runs, name) for name, own in given.items()}
    shapes = {own.shape for own in tables.values()}
    if len({n_items for n_items, _ in shapes}) > 1:
        raise InputError(
            Argument("values"), " have different numbers of items: all models need the same items"
        )
    n_items, n_runs = next(iter(shapes))
    if n_items < 2 or n_runs < 1:
        are = "is" if n_items == 1 else "are"
        said = f"there {are} {count(n_items, 'item')} in {count(n_runs, 'run')}"
        raise InputError(f"{said}: two items are needed to tell how items vary")
    models = tuple(_scores(name, own, confidence) for name, own in tables.items())
    pairs = tuple(
        _difference(first, second, tables[first], tables[second], confidence)
        for first, second in combinations(tables, 2)
    )
    return RepeatedRuns(n_items, n_runs, models, pairs, confidence)


def _check_same_items(given: Mapping[Any, Any]) -> None:
    """Raise if the rows of two tables have names, of which one lacks some."""
    named = {
        name: set(own.index)
        for name, own in given.items()
        if hasattr(own, "columns") and hasattr(own, "index")
    }
    for one, other in combinations(named, 2):
        if alone := sorted(map(str, named[one] ^ named[other])):
            raise InputError(
                Argument(f"values[{one!r}]"),
                " and ",
                Argument(f"values[{other!r}]"),
                f" do not have the same items: {alone[0]!r} is in one of them; reset the index to compare by position",
            )


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
    """Add what the runs of one model, or of two, vary to an interval over items (MOVER)."""
    for own in squares:
        n, m = own.shape
        low, high = _aside(value, ends, max(own.runs - own.rest, 0.0) / (n * m), m, limits)
        ends = replace(ends, low=low, high=high)
    return ends.low, ends.high


def _aside(
    value: float, ends: Interval, variance: float, n_runs: int, limits: tuple[float, float]
) -> tuple[float, float]:
    """Add what some runs vary to an interval."""
    from scipy.stats import t

    aside = float(t.isf((1 - ends.confidence) / 2, n_runs - 1)) * math.sqrt(variance) if variance > 0 else 0.0
    low, high = value - math.hypot(value - ends.low, aside), value + math.hypot(ends.high - value, aside)
    return max(low, limits[0]), min(high, limits[1])


def _scores(name: str, table: Floats, confidence: float) -> RunScores:
    squares, mean, (n, m) = _Squares.of(table), float(table.mean()), table.shape
    right = bool(np.isin(table, (0.0, 1.0)).all())
    limits = (0.0, 1.0) if right else (-math.inf, math.inf)
    ends = _of_items(table.mean(axis=1), limits, confidence)
    low, high = _widened(mean, ends, [squares], limits)
    of_items, of_runs, of_rest = squares.components.tolist() if m > 1 else (squares.items, math.nan, math.nan)
    now = squares.error(n, m)
    of_k = [_of_k(table, k, confidence) for k in range(2, m + 1)] if right else []
    if right:
        mean_of_one = mean, Interval(low, high, confidence, ends.method)
        of_k.insert(0, (mean_of_one, mean_of_one))
    return RunScores(
        model=name,
        mean=mean,
        low=low,
        high=high,
        of_items=of_items,
        of_runs=of_runs,
        of_rest=of_rest,
        with_more_items=squares.error(2 * n, m) / now if now > 0 else math.nan,
        with_more_runs=squares.error(n, 2 * m) / now if now > 0 and m > 1 else math.nan,
        pass_at=tuple(own for own, _ in of_k),
        pass_hat=tuple(own for _, own in of_k),
    )


def _of_k(table: Floats, k: int, confidence: float) -> tuple[Any, Any]:
    """Return how likely any of k runs of an item is right, and all are, each with its interval."""
    found = []
    for of_counts in (_any_right, _all_right):
        by_item = of_counts(table.sum(axis=1), table.shape[1], k)
        ends = _of_items(by_item, (0.0, 1.0), confidence)
        value, more = float(by_item.mean()), _between_runs(table, of_counts, k)
        low, high = _aside(value, ends, more, table.shape[1], (0.0, 1.0))
        found.append((value, replace(ends, low=low, high=high)))
    return found[0], found[1]


def _all_right(right: Floats, m: int, k: int) -> Floats:
    """Return the share of the choices of k runs that are all right, of m runs."""
    return np.array([math.comb(int(own), k) for own in right]) / math.comb(m, k)


def _any_right(right: Floats, m: int, k: int) -> Floats:
    """Return the share of the choices of k runs of which any is right."""
    return np.asarray(1 - _all_right(m - right, m, k))


def _between_runs(table: Floats, of_counts: Callable[[Floats, int, int], Floats], k: int) -> float:
    """Return the variance that runs have in common over the items, by leaving out one run at a time.

    If all runs are chosen, none can be left out: it is then that of one run fewer.
    """
    m = table.shape[1]
    k, right = min(k, m - 1), table.sum(axis=1)
    without = np.stack([of_counts(right - table[:, run], m - 1, k) for run in range(m)])
    together = (m - 1) / m * float(np.square(without.mean(axis=1) - without.mean()).sum())
    apart = (m - 1) / m * float(np.square(without - without.mean(axis=0)).sum()) / len(right) ** 2
    return max(float(together - apart), 0.0)


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
