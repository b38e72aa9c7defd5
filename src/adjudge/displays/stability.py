"""How much partitions change when the data do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from adjudge.array_types import Floats
from adjudge.displays._colors import faint, hue, ink, mix, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import legend_above, quiet, title_axes
from adjudge.displays._given import as_array, as_curve, as_mapping, as_number, check_made
from adjudge.displays._makers import Maker, among_settings
from adjudge.errors import InputError, Option
from adjudge.presentation.palette import QUANTITY

if TYPE_CHECKING:
    from adjudge.results import KChoice

# Name, attribute, and colour and dashes of each curve.
_CURVES = (
    ("prediction strength", "strength", 5, "-"),
    ("instability (low is good)", "instability", 4, (0, (4, 1.5))),
    ("PAC (low is good)", "ambiguity", 6, (0, (1.2, 1.2))),
)


class StabilityDisplay(Display):
    """What resampling says about each number of clusters.

    A dot is a cluster: its mean Jaccard similarity with the most similar cluster of a bootstrap sample. Curves are
    prediction strength (high for a good K), instability and the proportion of ambiguous clustering (low for a good K).
    Bars show the share of the bootstrap samples in which each K was recommended. The recommended K has a grey band.

    Parameters
    ----------
    jaccard : mapping of int to array-like of shape (K,), optional
    strength, instability, ambiguity, confidence : mapping of int to float, optional
        Values by K.
    k : int, optional
        The recommended K.
    """

    def __init__(
        self,
        jaccard: Mapping[int, Any] | None = None,
        *,
        strength: Mapping[int, float] | None = None,
        instability: Mapping[int, float] | None = None,
        ambiguity: Mapping[int, float] | None = None,
        confidence: Mapping[int, float] | None = None,
        k: int | None = None,
    ) -> None:
        self.jaccard: dict[int, Floats] = {
            int(as_number("K", k)): as_array(f"jaccard[{k!r}]", values).ravel()
            for k, values in as_mapping("jaccard", jaccard or {}).items()
        }
        self.strength = as_curve("strength", strength or {})
        self.instability = as_curve("instability", instability or {})
        self.ambiguity = as_curve("ambiguity", ambiguity or {})
        self.confidence = as_curve("confidence", confidence or {})
        self.k = k
        found = {*self.jaccard, *self.strength, *self.instability, *self.ambiguity, *self.confidence}
        self.ks = sorted(found)
        if not self.ks:
            raise InputError(
                "there is nothing to draw: choose_k needs ",
                Option("stability", True),
                ", or ",
                Option("n_resamples", 50),
                ", to resample",
            )

    @classmethod
    def from_result(cls, result: KChoice, *, estimator: str | None = None) -> Self:
        """Read what :func:`~adjudge.choose_k` found by resampling.

        Parameters
        ----------
        result : KChoice
            Made with ``stability=True``, ``n_resamples=50`` or both.
        estimator : str, optional
            With several estimators, the one to draw; default: the recommended one.
        """
        from adjudge.results import KChoice

        check_made("result", result, KChoice, "choose_k()")
        if estimator is not None:
            result = result[estimator]
        stable = result.stability
        curves = {} if stable is None else {name: getattr(stable, name) for _, name, _, _ in _CURVES}
        jaccard = None if stable is None else stable.jaccard
        return cls(jaccard, **curves, confidence=result.confidence, k=result.k)

    from_estimator = Maker(
        "choose_k", "Choose the number of clusters, resampling the points.", among_settings, stability=True
    )

    def _draw(self, ax: Any, size: float) -> None:
        """Draw all results that are available."""
        quiet(ax, size)
        handles: list[Any] = []
        labels: list[str] = []
        if self.k in self.ks:
            ax.axvspan(self.k - 0.46, self.k + 0.46, color=faint(), alpha=0.45, linewidth=0, zorder=0)
        if self.confidence:
            ks = sorted(self.confidence)
            handles.append(
                ax.bar(ks, [self.confidence[k] for k in ks], width=0.7, color=mix(ink(), 0.27), zorder=1)
            )
            labels.append("samples won by K")
        for name, attribute, number, dashes in _CURVES:
            values = getattr(self, attribute)
            if values:
                ks = sorted(values)
                (line,) = ax.plot(
                    ks,
                    [values[k] for k in ks],
                    color=hue(number),
                    linestyle=dashes,
                    linewidth=0.17 * size,
                )
                handles.append(line)
                labels.append(name)
        if self.jaccard:
            at = np.concatenate([np.full(values.size, k) for k, values in self.jaccard.items()])
            dots = ax.scatter(
                at,
                np.concatenate(list(self.jaccard.values())),
                s=0.16 * size**2,
                color=on_page(QUANTITY),
                alpha=0.75,
                linewidths=0,
                zorder=3,
            )
            handles.insert(0, dots)
            labels.insert(0, "Jaccard of a cluster")
        lift = 3 + (size if self._count_undefined(ax, size) else 0)
        legend_above(ax, handles, labels, 0.92 * size, lift=lift, ncols=2)
        title = "Stability by number of clusters"
        title_axes(ax, title if self.k is None else f"{title}: K = {self.k} is recommended", size)
        ax.set_ylim(-0.02, 1.02)
        ax.set_xticks(self.ks if len(self.ks) <= 16 else self.ks[:: -(-len(self.ks) // 12)])
        ax.set_xlim(self.ks[0] - 0.6, self.ks[-1] + 0.6)
        ax.set_xlabel("number of clusters K", fontsize=size, color=ink())

    def _count_undefined(self, ax: Any, size: float) -> int:
        """Write above each K how many of its values are undefined and have no mark; return their total."""
        total = 0
        for k in self.ks:
            values = [getattr(self, attribute).get(k, 0.0) for _, attribute, _, _ in _CURVES]
            missing = int(np.isnan(values).sum() + np.isnan(self.jaccard.get(k, np.empty(0))).sum())
            total += missing
            if missing:
                style = {"ha": "center", "va": "bottom", "fontsize": 0.75 * size, "color": muted()}
                ax.text(k, 1.0, f"{missing} undef.", transform=ax.get_xaxis_transform(), **style)
        return total
