"""The distribution of an index under a null model."""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice
from adjudge.indices.record import Better, Index
from adjudge.inference.chance.targets import Target
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import UpperBound, bounded, show_number
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table

Alternative = Literal["greater", "less", "two-sided"]

ALTERNATIVES = ("greater", "less", "two-sided")
# Largest relative difference of equal values that were computed in different ways.
_ROUNDING = 1e-14
_METHOD_WORDS = {"exact": "all of them", "pearson3": "none: Pearson III law"}


@dataclass(frozen=True, eq=False)
class NullDistribution(ByValue):
    """Values of an index under a null model, and the observed value.

    Attributes
    ----------
    index : str
        Name of the index.
    null : str
        The null model.
    observed : float
        Value for the given partitions.
    mean, std : float
        Mean and standard deviation under the null model; nan if the index is undefined for some tables.
    best : float or None
        Value that counts as perfect agreement.
    method : {"exact", "simulate", "pearson3"}
        Where the distribution comes from.
    mean_method : {"exact", "simulate", "pearson3"}
        Where the mean comes from: it may be exact even if the distribution is simulated.
    error : float
        Standard error of the mean: 0 if it is exact, nan if unknown (Pearson III).
    n_tables : int or None
        Number of simulated tables.
    reason : str or None
        Why the mean is undefined.
    values : ndarray of float64
        Values that occur, ascending.
    probabilities : ndarray of float64
        Probability of each value.
    """

    index: str
    null: str
    observed: float
    mean: float
    std: float
    best: float | None
    better: Better | None
    method: str
    mean_method: str
    error: float
    n_tables: int | None
    reason: str | None
    values: Floats
    probabilities: Floats

    @property
    def adjusted(self) -> float:
        """(observed - mean) / (best - mean): 0 for chance, 1 for perfect agreement."""
        # If all values equal the observed one, their mean differs from it by rounding.
        is_fixed = bool((np.abs(self.values - self.observed) <= self._rounding).all())
        return adjusted(self.index, self.observed, self.observed if is_fixed else self.mean, self.best)

    @property
    def _rounding(self) -> float:
        """Largest difference by rounding between values of equal tables."""
        return 1e-12 * max(abs(self.observed), float(np.abs(self.values).max()), abs(self.best or 0.0))

    @property
    def z_score(self) -> float:
        """Number of standard deviations of the observed value above the mean; nan if there is no spread."""
        return (self.observed - self.mean) / self.std if self.std > 0 else math.nan

    @property
    def p_floor(self) -> float:
        """Smallest one-sided p-value that the number of simulated tables can give; 0 without simulation."""
        return 1 / (self.n_tables + 1) if self.n_tables else 0.0

    def p_value(self, alternative: Alternative | None = None) -> float:
        """Return the probability, under the null model, of a value at least as extreme as the observed one.

        Parameters
        ----------
        alternative : {"greater", "less", "two-sided"}, optional
            Which values are extreme; by default the better ones ("greater" for a custom function).
            Two-sided is twice the smaller of the other two, at most 1.

        Returns
        -------
        float
            Ties count as extreme. Simulated tables include the observed one, so the p-value is never 0: if no table
            reached the observed value, it is `p_floor`, an upper bound.
        """
        if alternative is None:
            alternative = "less" if self.better == "lower" else "greater"
        check_choice("alternative", alternative, ALTERNATIVES)
        if math.isnan(self.observed) or math.isnan(self.mean):
            return math.nan
        slack = self._rounding
        above = float(self.probabilities[self.values >= self.observed - slack].sum())
        below = float(self.probabilities[self.values <= self.observed + slack].sum())
        if self.method == "simulate":
            m = typing.cast("int", self.n_tables)
            above, below = ((round(p * m) + 1) / (m + 1) for p in (above, below))
        tails = {"greater": above, "less": below, "two-sided": 2 * min(above, below)}
        return min(1.0, tails[alternative])

    def quantile(self, q: float) -> float:
        """Return the smallest value that is not exceeded with a probability of at least `q`."""
        if not isinstance(q, Real) or not 0 <= float(q) <= 1:
            raise InputError(Option("q", q), ": a probability between 0 and 1 is needed")
        if math.isnan(self.mean):
            return math.nan
        position = int(np.searchsorted(np.cumsum(self.probabilities), q - 1e-12))
        return float(self.values[min(position, self.values.size - 1)])

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain JSON."""
        found: dict[str, Any] = plain_json(
            {
                "kind": "null_distribution",
                **{own.name: getattr(self, own.name) for own in fields(self)},
                "z_score": self.z_score,
                "p_value": self.p_value(),
            }
        )
        return found

    def __repr__(self) -> str:
        p = self._shown_p()
        return (
            f"NullDistribution({self.index}: observed {self.observed:.6g}, mean {self.mean:.6g}, "
            f"std {self.std:.3g}, p {show_number(p) if isinstance(p, UpperBound) else f'{p:.3g}'}; "
            f"{self.null}, {self.method})"
        )

    def _shown_p(self) -> float:
        return bounded(self.p_value(), self.p_floor)

    def table(self) -> Table:
        """Return one row: the observed value beside the distribution by chance."""
        columns = ("index", "observed", "by chance", "std", "z", "p", "null model", "tables")
        adjusted = () if self.best is None else (self.adjusted,)
        tables = f"{self.n_tables:,}, simulated" if self.method == "simulate" else _METHOD_WORDS[self.method]
        row = (
            self.index,
            self.observed,
            self.mean,
            self.std,
            self.z_score,
            *adjusted,
            self._shown_p(),
            self.null,
            tables,
        )
        return Table((*columns[:5], *(("adjusted",) if adjusted else ()), *columns[5:]), (row,))

    def _repr_html_(self) -> str:
        from adjudge.presentation import notebook

        note = [] if self.reason is None else [notebook.sentence(self.reason)]
        return notebook.fragment(notebook.table(self.table()), *note)


def adjusted(name: str, observed: float, mean: float, best: float | None) -> float:
    """Rescale a value so that the mean becomes 0 and the best value becomes 1."""
    if best is None:
        raise InputError(
            f"{name} has no finite best value, which the adjustment needs: give ", Option("best")
        )
    # If chance always reaches the best value, the quotient would be made of rounding errors.
    if abs(best - mean) <= _ROUNDING * max(abs(best), abs(mean)):
        return math.nan
    if abs(observed - mean) <= _ROUNDING * max(abs(observed), abs(mean)):
        return 0.0
    return (observed - mean) / (best - mean)


def summarise(
    target: Target,
    values: Floats,
    probabilities: Floats,
    *,
    method: str,
    n_tables: int | None,
    exact_mean: float | None,
    exact_std: float | None = None,
) -> NullDistribution:
    """Sort values, merge equal ones, and compute the moments that are not known exactly."""
    reason = None
    undefined = float(probabilities[np.isnan(values)].sum())
    if undefined > 0:
        reason = f"{target.name} is undefined for a share of {undefined:.3g} of the tables"
        mean = std = math.nan
    elif np.isinf(values[probabilities > 0]).any():
        reason = f"{target.name} is infinite for some tables"
        mean = std = math.nan
    else:
        mean = float(probabilities @ values)
        std = math.sqrt(max(0.0, float(probabilities @ (values - mean) ** 2)))
    if n_tables is not None and n_tables > 1:
        std *= math.sqrt(n_tables / (n_tables - 1))
    mean_method = method
    error = {"exact": 0.0, "pearson3": math.nan}.get(method, std / math.sqrt(n_tables or 1))
    if reason is None and exact_mean is not None:
        mean, mean_method, error = exact_mean, "exact", 0.0
    if reason is None and exact_std is not None:
        std = exact_std
    merged, inverse = np.unique(values, return_inverse=True)
    return NullDistribution(
        index=target.name,
        null="",
        observed=target.observed,
        mean=mean,
        std=std,
        best=None,
        better=target.better,
        method=method,
        mean_method=mean_method,
        error=error,
        n_tables=n_tables,
        reason=reason,
        values=merged,
        probabilities=np.bincount(inverse, weights=probabilities).astype(np.float64),
    )


def summarise_drawn(target: Target, values: list[float], exact_mean: float | None) -> NullDistribution:
    """Summarise the values of simulated tables, which are equally likely."""
    n_tables = len(values)
    return summarise(
        target,
        np.array(values),
        np.full(n_tables, 1.0 / n_tables),
        method="simulate",
        n_tables=n_tables,
        exact_mean=exact_mean,
    )


def summarise_values(record: Index, observed: float, values: list[float]) -> NullDistribution:
    """Summarise simulated values of any index, which are equally likely."""
    best = record.best if record.best is not None and math.isfinite(record.best) else None
    target = Target(record.name, type(None), record.function, observed, best, record.better, record)
    return replace(summarise_drawn(target, values, None), null="exchanged_instances", best=best)
