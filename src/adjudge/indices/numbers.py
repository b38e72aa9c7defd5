"""Scores of numbers: what rows are like on average, and how far predicted numbers are off."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.number_vectors import NumberVector, align_numbers
from adjudge.given.options import check_count
from adjudge.given.units import Units
from adjudge.given.weights import Weighting
from adjudge.indices.record import Index, Noted, maker_of, quotient
from adjudge.presentation.numbers import out_of
from adjudge.statistics.number_sums import AbsoluteErrors, ErrorSums, Moments, SortedNumbers
from adjudge.statistics.right_counts import RightCounts

__all__ = [
    "RegressionIndex",
    "RunIndex",
    "ValueIndex",
    "mean",
    "mean_absolute_error",
    "median",
    "median_absolute_error",
    "pass_at",
    "pass_hat",
    "quantile",
    "quantile_loss",
    "r2",
    "root_mean_squared_error",
]

_inf = math.inf


def _aligned(sample_weight: Any, missing: str, **named: Any) -> list[NumberVector]:
    weighting = Weighting(sample_weight=sample_weight)
    read, aligned = align_numbers(named, LabelOptions(missing), weighting, {})
    weights = weighting.of(aligned.rows, "classification")
    return [own.weighing(weights) for own in read.values()]


class ValueIndex(Index):
    """A summary of one number for each row."""

    kind = "values"

    def __call__(
        self, values: Any, *, sample_weight: Any = None, missing: str = "raise", **parameters: Any
    ) -> float:
        """Compute the summary of numbers."""
        (numbers,) = _aligned(sample_weight, missing, values=values)
        return self.assess(*(kind.make(numbers) for kind in self.requires), **parameters)[0]  # type: ignore[attr-defined]

    def _input_lines(self) -> list[str]:
        return [
            "values : array-like of shape (n,)",
            "    A number for each row.",
            "sample_weight : array-like of shape (n,), optional",
            'missing : {"raise", "drop"}, default "raise"',
        ]


class RunIndex(Index):
    """What several runs of each unit reach, of right (1) and wrong (0) answers."""

    kind = "values"

    def __call__(self, values: Any, units: Any, *, missing: str = "raise", **parameters: Any) -> float:
        """Compute what several runs of each unit reach."""
        read, aligned = align_numbers({"values": values}, LabelOptions(missing), Weighting(units=units), {})
        of_units, _ = Units.beside(aligned)
        assert of_units is not None
        return self.assess(RightCounts.make(read["values"], of_units), **parameters)[0]

    def _input_lines(self) -> list[str]:
        return [
            "values : array-like of shape (n,)",
            "    1 for a right answer, 0 for a wrong one.",
            "units : array-like of shape (n,)",
            "    What each answer is to, such as a question.",
            'missing : {"raise", "drop"}, default "raise"',
        ]


class RegressionIndex(Index):
    """A measure of how far predicted numbers are from the true ones."""

    kind = "regression"

    def __call__(
        self,
        labels_true: Any,
        labels_pred: Any,
        *,
        sample_weight: Any = None,
        missing: str = "raise",
        **parameters: Any,
    ) -> float:
        """Compute the measure from true and predicted numbers."""
        both = _aligned(sample_weight, missing, labels_true=labels_true, labels_pred=labels_pred)
        return self.assess(*(kind.make(*both) for kind in self.requires), **parameters)[0]  # type: ignore[attr-defined]

    def _input_lines(self) -> list[str]:
        return [
            "labels_true, labels_pred : array-like of shape (n,)",
            "    The true and the predicted number of each row.",
            "sample_weight : array-like of shape (n,), optional",
            'missing : {"raise", "drop"}, default "raise"',
        ]


def _of_values(*, title: str, formula: str, **facts: Any) -> Callable[[Callable[..., Any]], ValueIndex]:
    return maker_of(
        ValueIndex,
        title=title,
        formula=formula,
        better=None,
        range=(-_inf, _inf),
        best=None,
        identical_is_best=False,
        note="Say with `better` which end is better.",
        **facts,
    )


def _of_errors(*, title: str, **facts: Any) -> Callable[[Callable[..., Any]], RegressionIndex]:
    usual: dict[str, Any] = {
        "better": "lower",
        "range": (0, _inf),
        "best": 0.0,
        "symmetric": True,
    }
    return maker_of(RegressionIndex, title=title, **{**usual, **facts})


@_of_values(
    title="Mean",
    reference="fisher1922",
    formula=r"\frac1n \sum_i x_i",
    default="What a row costs, or gains, on average: sums follow from it.",
)
def mean(numbers: Moments) -> float | Noted:
    """Mean of the numbers.

    >>> mean([1, 2, 6])
    3.0
    """
    return numbers.mean


@_of_values(
    title="Median",
    reference="hyndman1996",
    formula=r"x_{(n/2)}",
    symbols={"x_{(n/2)}": "the middle number in ascending order; of two, their mean"},
    default="The typical row, whatever the extreme ones are.",
)
def median(numbers: SortedNumbers) -> float | Noted:
    """Middle number: as many rows are below it as above it.

    >>> median([1, 2, 60]), median([1, 2, 4, 60])
    (2.0, 3.0)
    """
    return numbers.quantile(0.5)


def _level(at: Any) -> float:
    """Check the level of a quantile."""
    if isinstance(at, bool) or not isinstance(at, (int, float)) or not 0 < at < 1:
        raise InputError(Option("at", at), " is not between 0 and 1: 0.95 is the value that 5 % exceed")
    return float(at)


@_of_values(
    title="Quantile",
    reference="hyndman1996",
    formula=r"\min \{x : F(x) \ge \tau\}",
    symbols={
        "F": "share of the rows up to a number",
        r"\tau": "`at`; 0.9 by default",
        "x": "a number; the middle of two, if exactly this share is below",
    },
)
def quantile(numbers: SortedNumbers, *, at: float = 0.9) -> float | Noted:
    """Number that a share of the rows does not exceed, such as the 95th percentile of latencies.

    >>> quantile(range(1, 101), at=0.95)
    95.5
    """
    return numbers.quantile(_level(at))


def _of_runs(*, title: str, **facts: Any) -> Callable[[Callable[..., Any]], RunIndex]:
    return maker_of(
        RunIndex,
        title=title,
        better="higher",
        range=(0, 1),
        best=1.0,
        identical_is_best=False,
        undefined="if numbers are not all 0 or 1, or if a unit has fewer than `k` runs.",
        **facts,
    )


def _reached(answers: RightCounts, k: Any, by_unit: Callable[[int], Any]) -> float | Noted:
    check_count("k", k)
    if answers.unusable:
        return Noted(math.nan, f"there are {answers.unusable}")
    if n_few := int(np.count_nonzero(answers.runs < k)):
        few = f"{out_of(n_few, answers.runs.size, 'unit')} {'has' if n_few == 1 else 'have'} fewer runs"
        return Noted(math.nan, f"k = {k}, and {few}: the fewest is {answers.runs.min()}")
    return float(by_unit(k).mean())


@_of_runs(
    title="pass@k",
    reference="chen2021",
    formula=r"1 - \frac1n \sum_i \prod_{j=0}^{k-1} \frac{m_i - c_i - j}{m_i - j}",
    symbols={
        "m_i": "runs of a unit",
        "c_i": "its right answers",
        "k": "2 by default",
        "n": "number of units",
        "j": "number of runs before",
    },
    aliases=("pass@k",),
)
def pass_at(answers: RightCounts, *, k: int = 2) -> float | Noted:
    """Probability that any of k runs of a unit is right.

    Examples
    --------
    >>> from adjudge import pass_at
    >>> pass_at([1, 0, 0, 0], ["a", "a", "a", "a"], k=2)
    0.5
    """
    return _reached(answers, k, answers.any_right)


@_of_runs(
    title="pass^k",
    reference="yao2024",
    formula=r"\frac1n \sum_i \prod_{j=0}^{k-1} \frac{c_i - j}{m_i - j}",
    symbols={
        "m_i": "runs of a unit",
        "c_i": "its right answers",
        "k": "2 by default",
        "n": "number of units",
        "j": "number of runs before",
    },
    aliases=("pass^k",),
)
def pass_hat(answers: RightCounts, *, k: int = 2) -> float | Noted:
    """Probability that all of k runs of a unit are right: how reliable answers are.

    Examples
    --------
    >>> from adjudge import pass_hat
    >>> pass_hat([1, 1, 0, 1, 1, 1], ["a", "a", "a", "b", "b", "b"], k=2)
    0.6666666666666666
    """
    return _reached(answers, k, answers.all_right)


@_of_errors(
    title="Mean absolute error",
    reference="willmott2005",
    formula=r"\frac1n \sum_i |y_i - x_i|",
    peers={"scikit-learn": "mean_absolute_error"},
    aliases=("mae",),
    default="In the units of the target; each error counts by its size.",
)
def mean_absolute_error(errors: ErrorSums) -> float | Noted:
    """Mean size of the errors.

    >>> mean_absolute_error([3, 5, 2], [2, 5, 4])
    1.0
    """
    return (errors.below + errors.above) / errors.n


@_of_errors(
    title="Root mean squared error",
    reference="willmott2005",
    formula=r"\sqrt{\frac1n \sum_i (y_i - x_i)^2}",
    peers={"scikit-learn": "root_mean_squared_error"},
    aliases=("rmse",),
    default="In the units of the target; large errors count for more.",
)
def root_mean_squared_error(errors: ErrorSums) -> float | Noted:
    """Root of the mean squared error.

    >>> root_mean_squared_error([3, 5, 2, 1], [3, 5, 2, 5])
    2.0
    """
    return math.sqrt(errors.squares / errors.n)


@_of_errors(
    title="R squared",
    reference="kvalseth1985",
    better="higher",
    range=(-_inf, 1),
    best=1.0,
    symmetric=False,
    formula=r"1 - \frac{\sum_i (y_i - x_i)^2}{\sum_i (y_i - \bar y)^2}",
    symbols={r"\bar y": "mean of the true numbers"},
    undefined="if all true numbers are equal.",
    identical_is_defined=False,
    peers={"scikit-learn": "r2_score"},
    aliases=("r_squared", "coefficient_of_determination"),
    default="Without units: 0 is as good as the mean of the true numbers.",
)
def r2(errors: ErrorSums) -> float | Noted:
    """Share of the variance of the true numbers that predictions explain; below 0 if their mean predicts better.

    >>> r2([1, 2, 3], [1, 2, 4])
    0.5
    """
    if errors.truth.squares == 0:
        return Noted(math.nan, "0/0: all true numbers are equal")
    unexplained = quotient(errors.squares, errors.truth.squares, "all true numbers are equal")
    assert isinstance(unexplained, float)
    return 1 - unexplained


@_of_errors(
    title="Median absolute error",
    reference="hyndman2006",
    formula=r"\operatorname{median}_i\, |y_i - x_i|",
    peers={"scikit-learn": "median_absolute_error"},
    default="The typical error, whatever the extreme ones are.",
)
def median_absolute_error(errors: AbsoluteErrors) -> float | Noted:
    """Median size of the errors.

    >>> median_absolute_error([3, 5, 2], [2, 5, 40])
    1.0
    """
    return errors.ordered.quantile(0.5)


@_of_errors(
    title="Quantile loss",
    reference="koenker1978",
    symmetric=False,
    formula=r"\frac1n \sum_i \max(\tau (y_i - x_i), (\tau - 1)(y_i - x_i))",
    symbols={r"\tau": "`at`: the level of the quantile that is predicted; 0.5 by default"},
    peers={"scikit-learn": "mean_pinball_loss(alpha=at)"},
    aliases=("pinball_loss",),
    note="Of forecasts of a quantile. At 0.5 it is half of the mean absolute error.",
)
def quantile_loss(errors: ErrorSums, *, at: float = 0.5) -> float | Noted:
    """Mean loss of predicted quantiles: it is least for the true ones.

    >>> quantile_loss([10, 10], [8, 12], at=0.9)
    1.0
    """
    level = _level(at)
    return (level * errors.below + (1 - level) * errors.above) / errors.n
