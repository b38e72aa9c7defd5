"""An observed value against chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from adjudge.array_types import Floats
from adjudge.displays._colors import ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import above, legend_above, put_text, quiet, title_axes
from adjudge.displays._given import as_array, as_number, check_made
from adjudge.displays._makers import Maker
from adjudge.errors import Argument, InputError
from adjudge.indices.catalog import find_index
from adjudge.presentation.numbers import UpperBound, bounded, p_text, value_text
from adjudge.presentation.palette import EMPHASIS, QUANTITY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from adjudge.inference.chance.null_distribution import NullDistribution

# Up to this many possible values, each has its own line; more are binned.
_FEW = 60
_BINS = 48
# An observed value this many widths of the distribution away from it would squeeze it into a few pixels.
_FAR = 3.0


class NullDistributionDisplay(Display):
    """Distribution of an index under chance, its mean, and the observed value.

    If few values are possible, each is drawn; otherwise there is a histogram. Heights are probabilities. An arrow
    points to an observed value so far away that the distribution would be squeezed.

    Parameters
    ----------
    observed : float
    values : array-like of shape (m,)
        Possible values under chance.
    probabilities : array-like of shape (m,), optional
        The probability of each; default: all equal.
    mean : float, optional
        Expected value; default: the mean of the values.
    p_value : float, optional
        Probability of a value as extreme as the one observed; nan, the default, if not known.
    title : str
        Name of the index.
    source : str
        Where the distribution comes from.
    """

    def __init__(
        self,
        observed: float,
        values: Any,
        probabilities: Any = None,
        *,
        mean: float | None = None,
        p_value: float = math.nan,
        title: str = "index",
        source: str = "",
    ) -> None:
        self.observed = as_number("observed", observed)
        self.values = as_array("values", values)
        if self.values.ndim != 1 or self.values.size == 0:
            raise InputError(f"values has shape {self.values.shape}: a non-empty vector is needed")
        if probabilities is None:
            probabilities = np.full(self.values.size, 1 / self.values.size)
        self.probabilities = as_array("probabilities", probabilities)
        if self.probabilities.shape != self.values.shape:
            raise InputError(
                Argument("probabilities"),
                f" has shape {self.probabilities.shape}, values has {self.values.shape}",
            )
        self.mean = float(self.values @ self.probabilities) if mean is None else as_number("mean", mean)
        self.p_value = p_value if isinstance(p_value, UpperBound) else as_number("p_value", p_value)
        self.title = title
        self.source = source

    @classmethod
    def from_result(cls, result: NullDistribution, *, alternative: Any = None) -> Self:
        """Read a null distribution.

        Parameters
        ----------
        result : NullDistribution
        alternative : {"greater", "less", "two-sided"}, optional
            For the p-value, as for :meth:`~adjudge.inference.NullDistribution.p_value`.
        """
        from adjudge.inference.chance.null_distribution import NullDistribution

        check_made("result", result, NullDistribution, "null_distribution()")
        source = {
            "exact": "exact",
            "simulate": f"{result.n_tables:,} random tables" if result.n_tables else "random tables",
            "pearson3": "Pearson III approximation",
        }[result.method]
        try:
            title = find_index(result.index).title
        except KeyError:
            title = result.index
        return cls(
            result.observed,
            result.values,
            result.probabilities,
            mean=result.mean,
            p_value=bounded(result.p_value(alternative), result.p_floor * (1 + (alternative == "two-sided"))),
            title=title,
            source=source,
        )

    from_predictions = Maker(
        "inference.null_distribution", "Compute the null distribution of an index for two partitions."
    )

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the distribution and the observed value."""
        quiet(ax, size)
        finite = np.isfinite(self.values)
        values, weights = self.values[finite], self.probabilities[finite]
        occurring, inverse = np.unique(values, return_inverse=True)
        if occurring.size == 0:
            put_text(ax, 0.5, 0.5, "undefined by chance", transform=ax.transAxes, ha="center", fontsize=size)
        elif occurring.size <= _FEW:
            sums = np.bincount(inverse, weights)
            lines = ax.vlines(occurring, 0, sums, color=on_page(QUANTITY), linewidth=0.23 * size)
            lines.set_capstyle("butt")
            top = float(sums.max())
        else:
            heights, edges = np.histogram(values, bins=_BINS, weights=weights)
            ax.stairs(heights, edges, fill=True, color=on_page(QUANTITY), alpha=0.85)
            top = float(heights.max())
        if occurring.size:
            ax.set_ylim(0, 1.12 * top)
        handles, labels = [], []
        if math.isfinite(self.mean):
            handles.append(ax.axvline(self.mean, color=ink(), linewidth=0.9, linestyle=(0, (4, 2))))
            labels.append(f"mean by chance {value_text(self.mean, 3)}")
        if math.isfinite(self.observed):
            handles.append(self._mark_observed(ax, occurring, size))
            labels.append(f"observed {value_text(self.observed, 3)}")
        legend_above(ax, handles, labels, size, lift=5 + 1.2 * size, ncols=2)
        notes = [p_text(self.p_value), *([self.source] if self.source else [])]
        if not math.isfinite(self.observed):
            notes.insert(0, f"observed value: {value_text(self.observed)}")
        if not finite.all():
            share = 1 - float(weights.sum())
            notes.append(f"{share:.1%} not finite")
        ax.text(
            0,
            above(ax, 3),
            "; ".join(notes),
            transform=ax.transAxes,
            fontsize=size,
            color=muted(),
            va="bottom",
        )
        title_axes(ax, f"Null distribution of {self.title}" if self.title else "Null distribution", size)
        ax.set_xlabel(self.title, fontsize=size, color=ink(), parse_math=False)
        ax.set_ylabel("probability", fontsize=size, color=muted())
        ax.margins(x=0.04)
        ax.locator_params(nbins=6)

    def _mark_observed(self, ax: Axes, occurring: Floats, size: float) -> Any:
        """Mark the observed value by a line, or by an arrow if it is far away; return the handle of the mark."""
        from matplotlib.lines import Line2D

        span = float(np.ptp(occurring)) if occurring.size else 0.0
        beyond = 0.0 if span == 0 else max(occurring[0] - self.observed, self.observed - occurring[-1])
        if beyond <= _FAR * span:
            return ax.axvline(self.observed, color=on_page(EMPHASIS), linewidth=0.23 * size, zorder=0.9)
        is_above = self.observed > occurring[-1]
        room = 0.25 * span
        ax.set_xlim(occurring[0] - (0 if is_above else room), occurring[-1] + (room if is_above else 0))
        ax.annotate(
            "",
            (1.0 if is_above else 0.0, 0.5),
            (0.84 if is_above else 0.16, 0.5),
            xycoords="axes fraction",
            textcoords="axes fraction",
            arrowprops={
                "arrowstyle": "-|>",
                "color": on_page(EMPHASIS),
                "linewidth": 0.23 * size,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        return Line2D(
            [],
            [],
            color=on_page(EMPHASIS),
            linewidth=0.23 * size,
            marker=">" if is_above else "<",
            markersize=0.5 * size,
        )
