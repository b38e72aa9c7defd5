"""The Prayatul matrix as a picture."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

from adjudge.displays._colors import ground, ink, mix, muted, text_on
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    cell_size,
    fit_names,
    put_text,
    text_width,
    title_pair,
)
from adjudge.displays._given import check_made, of_gate
from adjudge.displays._makers import Maker, two_estimators, two_models
from adjudge.errors import Call, InputError, Option, a_type
from adjudge.presentation.numbers import count_text, share_text
from adjudge.presentation.palette import GROUND, OUTCOME_COLORS
from adjudge.results import Comparison, HeadToHead
from adjudge.results.gate import Gate
from adjudge.statistics.agreement import CELL_SYMBOLS, OF_NUMBERS, UNITS, Agreement

# Where the columns (and rows) begin: two cells, and the narrower margin of totals.
_EDGES = (0.0, 1.0, 2.0, 2.78)
_MIDDLES = tuple((low + high) / 2 for low, high in pairwise(_EDGES))


class PrayatulMatrixDisplay(Display):
    """The Prayatul matrix with its margins: where two models are right and wrong.

    Rows are the primary model, columns the alternative, as in the papers. Each cell has its count, its share of all,
    and the colour of its outcome, the stronger the larger the share.

    Parameters
    ----------
    agreement : Agreement
        The four counts.
    primary, alternative : str
        Names of the models.
    unit : str
        What is counted.
    """

    def __init__(
        self,
        agreement: Agreement,
        *,
        primary: str = "primary",
        alternative: str = "alternative",
        unit: str = "instances",
    ) -> None:
        check_made("agreement", agreement, Agreement, "Agreement.from_labels()")
        self.agreement = agreement
        self.primary = primary
        self.alternative = alternative
        self.unit = unit

    @classmethod
    def from_result(
        cls,
        result: HeadToHead | Comparison | Gate,
        *,
        primary: str | None = None,
        alternative: str | None = None,
    ) -> Self:
        """Read the matrix of a head-to-head, or of a comparison and two of its models.

        Parameters
        ----------
        result : HeadToHead, Comparison or Gate
        primary, alternative : str, optional
            Needed for a comparison of more than two models.
        """
        pair = head_to_head_of(result, primary, alternative)
        unit = UNITS[pair.kind] + (
            "; right is at least as good as the other" if pair.kind in OF_NUMBERS else ""
        )
        return cls(pair.agreement, primary=pair.primary, alternative=pair.alternative, unit=unit)

    from_predictions = Maker("compare", "Count the matrix from labels.", two_models)
    from_estimator = Maker("compare", "Count the matrix of two fitted estimators.", two_estimators)

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the matrix."""
        title_pair(ax, "Prayatul matrix of", self._names, "and", size)
        self._name_axes(ax, size)
        a = self.agreement
        for row, column, name, count in (
            (0, 0, "both_right", a.both_right),
            (0, 1, "right_wrong", a.right_wrong),
            (1, 0, "wrong_right", a.wrong_right),
            (1, 1, "both_wrong", a.both_wrong),
            (0, 2, "", a.both_right + a.right_wrong),
            (1, 2, "", a.wrong_right + a.both_wrong),
            (2, 0, "", a.both_right + a.wrong_right),
            (2, 1, "", a.right_wrong + a.both_wrong),
            (2, 2, "", a.total),
        ):
            self._draw_cell(ax, row, column, name, count, size)
        ax.text(
            _EDGES[-1],
            _EDGES[-1] + 0.04,
            f"counted: {self.unit}",
            fontsize=0.85 * size,
            color=muted(),
            ha="right",
            va="top",
        )

    @property
    def _names(self) -> tuple[str, str]:
        """Both names: shortened together, they stay different."""
        return self.primary, self.alternative

    def _name_axes(self, ax: Any, size: float) -> None:
        ax.set_xlim(0, _EDGES[-1])
        ax.set_ylim(_EDGES[-1], 0)
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.set_xticks(_MIDDLES, ["right", "wrong", "total"], fontsize=size)
        ax.set_yticks(_MIDDLES, ["right", "wrong", "total"], fontsize=size, rotation=90, va="center")
        ax.tick_params(length=0, pad=2, labelcolor=ink())
        ax.set_xlabel(self.alternative, fontsize=size, fontweight="bold", color=ink(), parse_math=False)
        ax.set_ylabel(self.primary, fontsize=size, fontweight="bold", color=ink(), parse_math=False)
        for spine in ax.spines.values():
            spine.set_visible(False)
        width, height = cell_size(ax)
        primary, alternative = fit_names(self._names, 1.9 * min(width, height), size)
        ax.xaxis.label.set_text(f"alternative: {alternative}")
        ax.yaxis.label.set_text(f"primary: {primary}")

    def _draw_cell(self, ax: Any, row: int, column: int, name: str, count: int, size: float) -> None:
        """Draw a cell, or a sum, which has no name."""
        from matplotlib.patches import Rectangle

        total = self.agreement.total
        width, height = cell_size(ax)
        left, top = _EDGES[column], _EDGES[row]
        wide, high = _EDGES[column + 1] - left, _EDGES[row + 1] - top
        share = count / total if total else 0.0
        fill = mix(OUTCOME_COLORS[name], 0.14 + 0.86 * share) if name else mix(GROUND, 1)
        ax.add_patch(Rectangle((left, top), wide, high, facecolor=fill, edgecolor=ground(), linewidth=1.5))
        text, color = count_text(count), text_on(fill)
        # Other axes of the user's figure may yet take some of the room.
        room = (0.9 if self._own else 0.72) * width * wide
        if text_width(text, 10, "bold") * size / 10 > room:
            text = count_text(count, 7)
        largest = min(1.45 * size, 0.3 * height)
        fitting = min(largest * (1 if name else 0.8), room / (text_width(text, 10, "bold") / 10))
        x, y = _MIDDLES[column], _MIDDLES[row]
        line = 0.62 * (fitting + size) / height
        put_text(ax, x, y, text, fontsize=fitting, fontweight="bold", color=color, ha="center", va="center")
        style = {"fontsize": min(0.88 * size, 0.2 * height), "color": color, "ha": "center", "va": "center"}
        put_text(ax, x, y + line, share_text(count, total), **style)
        if name:
            put_text(ax, x, y - line, self._cell_name(name, room, 0.88 * size), **style)

    def _cell_name(self, cell: str, room: float, size: float) -> str:
        """Name a cell with the papers' abbreviation, BR, RW, WR or BW, and its meaning if that fits."""
        short = CELL_SYMBOLS[cell]
        if cell.startswith("both"):
            full = f"{short}: {cell.replace('_', ' ')}"
        else:
            stem = f"{short}: only "
            left = room - text_width(stem, size)
            full = stem + fit_names(self._names, left, size)[cell == "wrong_right"]
        return full if text_width(full, size) <= room else short


def head_to_head_of(result: Any, primary: str | None, alternative: str | None) -> HeadToHead:
    """Return the head-to-head itself, or that of two models of a comparison."""
    result = of_gate(result)
    if isinstance(result, HeadToHead):
        return result
    if not isinstance(result, Comparison):
        raise InputError(
            f"result is {a_type(result)}: give what ", Call("compare"), " returns, or a pair of it"
        )
    if primary is None and alternative is None and len(result.models) == 2:
        primary, alternative = result.models
    if primary is None or alternative is None:
        names = ", ".join(map(repr, result.models))
        raise InputError(
            f"the comparison has the models {names}: name ", Option("primary"), " and ", Option("alternative")
        )
    return result[primary, alternative]
