"""A choice among clusterings: coverage against quality, and the agreement of the candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from adjudge.displays._colors import faint, ground, ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    axes_size,
    fit_name,
    fit_names,
    put_text,
    quiet,
    ramp,
    title_axes,
)
from adjudge.displays._given import as_mapping, check_made
from adjudge.displays._heat_map import squares
from adjudge.displays._makers import Maker, among_settings
from adjudge.errors import Argument, InputError, InputTypeError
from adjudge.given.options import given_names
from adjudge.presentation.palette import EMPHASIS, QUANTITY
from adjudge.presentation.spacing import spread_apart

if TYPE_CHECKING:
    from adjudge.results import Choice

_NAMED = 12


def _numbers(name: str, given: Any) -> dict[str, float]:
    try:
        return {str(key): float(value) for key, value in as_mapping(name, given).items()}
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(Argument(name), " contains something other than numbers") from None


class ChoiceDisplay(Display):
    """Coverage against quality of all candidates; those that no other exceeds in both are joined by a line.

    The filled dot is the recommended candidate; the names are those of the front. Candidates with undefined quality
    are counted in a corner.

    Parameters
    ----------
    coverage, quality : mapping of str to float
    front : sequence of str
    best : str or None
    quality_name : str, default "quality"
    """

    def __init__(
        self,
        coverage: Mapping[str, float],
        quality: Mapping[str, float],
        front: Sequence[str] = (),
        best: str | None = None,
        *,
        quality_name: str = "quality",
    ) -> None:
        self.coverage, self.quality = _numbers("coverage", coverage), _numbers("quality", quality)
        if not self.coverage or set(self.coverage) != set(self.quality):
            raise InputError("coverage and quality must have the same candidates, at least one")
        self.front = tuple(map(str, given_names("front", front)))
        self.best, self.quality_name = best, str(quality_name)

    @classmethod
    def from_result(cls, result: Choice) -> Self:
        """Read what :func:`~adjudge.choose` returned.

        Parameters
        ----------
        result : Choice
        """
        from adjudge.results import Choice

        check_made("result", result, Choice, "choose()")
        return cls(
            result.coverage, result.quality, result.front, result.best, quality_name=result.quality_name
        )

    from_estimator = Maker(
        "choose", "Choose among settings of an estimator, and draw the choice.", among_settings
    )

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the candidates."""
        quiet(ax, size)
        drawn = [name for name, q in self.quality.items() if math.isfinite(q)]
        x, y = [100 * self.coverage[n] for n in drawn], [self.quality[n] for n in drawn]
        ax.scatter(
            x, y, s=1.6 * size, facecolors="none", edgecolors=muted(), linewidths=0.08 * size, zorder=2
        )
        front = [name for name in self.front if name in drawn]
        ax.plot(
            [100 * self.coverage[n] for n in front],
            [self.quality[n] for n in front],
            color=faint(),
            linewidth=0.17 * size,
            zorder=1,
        )
        if self.best in drawn:
            ax.scatter(
                [100 * self.coverage[self.best]],
                [self.quality[self.best]],
                s=4 * size,
                color=on_page(EMPHASIS),
                zorder=3,
            )
        ax.set_xlabel("coverage: points that are not noise (%)", fontsize=size, color=ink())
        ax.set_ylabel(self.quality_name, fontsize=size, color=ink(), parse_math=False)
        ax.set_xlim(-2, 102)
        ax.margins(y=0.08)
        title_axes(ax, f"Coverage and quality of {len(self.quality)} candidates", size)
        self._name(ax, front[:_NAMED], size)
        lost = len(self.quality) - len(drawn)
        if lost:
            style = {"ha": "left", "va": "bottom", "fontsize": 0.85 * size, "color": muted()}
            ax.text(0.01, 1.0, f"{lost} undefined", transform=ax.transAxes, **style)

    def _name(self, ax: Any, names: Sequence[str], size: float) -> None:
        """Write the names of the front to the left of their dots, without overlap."""
        if not names:
            return
        # Candidates at the same place share a name.
        here: dict[tuple[float, float], list[str]] = {}
        for name in names:
            here.setdefault((self.quality[name], self.coverage[name]), []).append(name)
        low, high = ax.get_ylim()
        gap = 1.15 * size / axes_size(ax)[1] * (high - low)
        ordered = sorted(here.items())
        places = spread_apart([quality for (quality, _), _ in ordered], gap, low + gap / 2, high - gap / 2)
        for ((_, coverage), own), place in zip(ordered, places, strict=True):
            name = self.best if self.best in own else own[0]
            more = f" +{len(own) - 1}" if len(own) > 1 else ""
            width = max(0.2, coverage - 0.06) * axes_size(ax)[0]
            put_text(
                ax,
                100 * coverage - 2.5,
                float(place),
                fit_name(name, width, 0.85 * size) + more,
                ha="right",
                va="center",
                fontsize=0.85 * size,
                color=on_page(EMPHASIS) if name == self.best else ink(),
            )


class AgreementMapDisplay(Display):
    """Agreement of all candidates with each other: similar ones are next to each other, equivalent groups are framed.

    Parameters
    ----------
    matrix : array-like of shape (m, m)
    names : sequence of str
        Names of its rows and columns.
    order : sequence of str, optional
        Order in which they are drawn; default as given.
    groups : sequence of sequence of str, optional
        Groups of equivalent candidates.
    best : str or None
        The candidate to emphasise.
    measure : str, default "ARI"
    """

    def __init__(
        self,
        matrix: Any,
        names: Sequence[str],
        order: Sequence[str] | None = None,
        groups: Sequence[Sequence[str]] = (),
        best: str | None = None,
        *,
        measure: str = "ARI",
    ) -> None:
        try:
            self.matrix = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputTypeError("matrix contains something other than numbers") from None
        self.names = [str(name) for name in given_names("names", names)]
        if self.matrix.shape != (len(self.names), len(self.names)) or not self.names:
            raise InputError(
                f"matrix has shape {self.matrix.shape}: it needs a row and a column for each name"
            )
        self.order = self.names if order is None else [str(name) for name in given_names("order", order)]
        if sorted(self.order) != sorted(self.names):
            raise InputError("order must contain each name once")
        self.groups = [[str(name) for name in given_names("a group", group)] for group in groups]
        if not {name for group in self.groups for name in group} <= set(self.names):
            raise InputError("groups contains names that are not candidates")
        self.best, self.measure = best, str(measure)

    @classmethod
    def from_result(cls, result: Choice) -> Self:
        """Read what :func:`~adjudge.choose` returned.

        Parameters
        ----------
        result : Choice
        """
        from adjudge.results import Choice

        check_made("result", result, Choice, "choose()")
        measure = str(result.settings.get("agreement", "ari")).upper()
        return cls(result.agreement, result.names, result.order, result.groups, result.best, measure=measure)

    from_estimator = Maker(
        "choose", "Choose among settings of an estimator, and draw the choice.", among_settings
    )

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the map."""
        from matplotlib.patches import Rectangle

        m = len(self.order)
        places = [self.names.index(name) for name in self.order]
        values = self.matrix[np.ix_(places, places)]
        is_distance = self.measure == "VI"
        high = float(np.nanmax(values)) if is_distance else 1.0
        colors = ramp(QUANTITY, ground())
        mesh, _ = squares(ax, values, colors.reversed() if is_distance else colors, 0.0, high or 1.0)
        quiet(ax, size, keep=())
        step = max(1, math.ceil(m * 1.1 * size / axes_size(ax)[1]))
        shown = fit_names(self.order, 0.6 * axes_size(ax)[0], 0.85 * size)
        ax.set_yticks([i + 0.5 for i in range(0, m, step)])
        ax.set_yticklabels(shown[::step], fontsize=0.85 * size, parse_math=False)
        for label, name in zip(ax.get_yticklabels(), self.order[::step], strict=True):
            label.set_color(on_page(EMPHASIS) if name == self.best else ink())
        ax.set_xticks([])
        title_axes(ax, f"Agreement of {m} candidates", size)
        for group in self.groups:
            at = sorted(self.order.index(name) for name in group)
            if len(at) > 1 and at[-1] - at[0] + 1 == len(at):
                ax.add_patch(
                    Rectangle(
                        (at[0], at[0]),
                        len(at),
                        len(at),
                        fill=False,
                        edgecolor=on_page(EMPHASIS),
                        linewidth=0.17 * size,
                    )
                )
        bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.045, pad=0.02)
        bar.ax.tick_params(labelsize=0.85 * size, colors=muted())
        bar.outline.set_visible(False)
        bar.set_label(self.measure, fontsize=0.85 * size, color=ink())
