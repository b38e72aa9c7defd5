"""How much partitions change when the data do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.displays._drawing import COLUMN, Display, quiet, text_size
from adjudge.errors import InputError
from adjudge.palette import EMPHASIS, INK, MUTED, QUANTITY, RULE

__all__ = ["StabilityDisplay"]

# Up to this many replicates each is drawn as a dot.
_DOTS = 60


class StabilityDisplay(Display):
    """Agreement between partitions of resampled data, for each number of clusters.

    The thin line spans the middle 90 % of the replicates, the thick one the middle half, the white dot is the
    median. Few replicates are also drawn one by one. Where some are undefined, their number stands above.

    Parameters
    ----------
    agreement : mapping of int to array-like of shape (B,)
        For each K the agreement in each replicate; nan where undefined.
    measure : str
        What agreement is measured by.
    k : int, optional
        The recommended K.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    def __init__(
        self, agreement: Mapping[int, Any], *, measure: str = "agreement", k: int | None = None
    ) -> None:
        self.agreement: dict[int, NDArray[np.float64]] = {
            int(k): np.asarray(values, np.float64).ravel() for k, values in sorted(agreement.items())
        }
        if not self.agreement:
            raise InputError("agreement is empty: replicates for at least one K are needed")
        self.measure = measure
        self.k = k

    @classmethod
    def from_values(cls, agreement: Mapping[int, Any], **options: Any) -> Self:
        """Take replicates by K; the same as the constructor."""
        return cls(agreement, **options)

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> Self:
        """Draw the replicates of each K.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        ax = self._start(ax, figsize or (COLUMN, 0.62 * COLUMN))
        size = text_size(ax)
        quiet(ax, size)
        ks = list(self.agreement)
        if self.k in ks:
            ax.axvspan(self.k - 0.42, self.k + 0.42, color=RULE, alpha=0.55, linewidth=0, zorder=0)
        for k, values in self.agreement.items():
            known = values[~np.isnan(values)]
            color = EMPHASIS if k == self.k else QUANTITY
            missing = values.size - known.size
            if missing:
                ax.text(
                    k,
                    1.0,
                    f"{missing} undef.",
                    transform=ax.get_xaxis_transform(),
                    ha="center",
                    va="bottom",
                    fontsize=0.8 * size,
                    color=MUTED,
                )
            if known.size == 0:
                continue
            if known.size <= _DOTS:
                # Side by side in a fixed pattern: the same picture every time.
                offset = 0.14 + 0.22 * ((np.arange(known.size) * 0.618034) % 1)
                ax.plot(
                    k + offset, known, ".", color=color, markersize=0.28 * size, alpha=0.5, markeredgewidth=0
                )
            low, q1, middle, q3, high = np.quantile(known, [0.05, 0.25, 0.5, 0.75, 0.95])
            ax.vlines(k, low, high, color=color, linewidth=0.13 * size)
            ax.vlines(k, q1, q3, color=color, linewidth=0.45 * size)
            ax.plot(
                k,
                middle,
                "o",
                color="white",
                markeredgecolor=color,
                markersize=0.5 * size,
                markeredgewidth=0.8,
                zorder=4,
            )
        ax.set_xticks(ks if len(ks) <= 16 else ks[:: -(-len(ks) // 12)])
        ax.set_xlim(ks[0] - 0.6, ks[-1] + 0.6)
        ax.set_xlabel("number of clusters K", fontsize=size, color=INK)
        ax.set_ylabel(self.measure, fontsize=size, color=INK, parse_math=False)
        return self
