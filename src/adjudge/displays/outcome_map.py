"""Where in the data two models are right and wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.displays._colors import ink, muted
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    axes_size,
    balance_map,
    fit_name,
    fit_names,
    legend_above,
    put_text,
    quiet,
    ramp,
    text_width,
    title_pair,
)
from adjudge.displays._given import as_array, as_mapping
from adjudge.displays._makers import Call, Maker, two_estimators, two_models
from adjudge.displays.prayatul import head_to_head_of
from adjudge.errors import Argument, InputError
from adjudge.given.options import check_choice
from adjudge.given.points import as_points
from adjudge.presentation.numbers import count_text
from adjudge.presentation.palette import OUTCOME_COLORS, OUTCOME_MARKERS
from adjudge.results import Comparison, HeadToHead
from adjudge.results.gate import Gate
from adjudge.statistics.agreement import CELLS

# The outcome that most points have is drawn first and faintly, so that the others show.
_ORDER = ("both_right", "both_wrong", "wrong_right", "right_wrong")
# More points than this are drawn as pixels, even in a vector file.
_MANY = 5_000
# Smallest area of a mark, in square points: smaller ones cannot be seen.
_LEAST_DOT = 1.5


def _models_at(
    labels_true: Any,
    primary: Any,
    alternative: Any,
    X: Any,
    *,
    names: tuple[str, str] = ("primary", "alternative"),
) -> Call:
    """Name two models of instances whose places are known."""
    return two_models(labels_true, primary, alternative, names=names)[0], {"X": X}


def _estimators_at(
    primary: Any, alternative: Any, X: Any, y: Any, *, names: tuple[str, str] | None = None
) -> Call:
    """Take what two fitted estimators say of data, which are the places, too."""
    return two_estimators(primary, alternative, X, y, names=names)[0], {"X": X}


class OutcomeMapDisplay(Display):
    """Instances in two dimensions, coloured by their outcome.

    Classification: each instance has one of the four outcomes. Clustering: an instance is in n - 1 pairs, each with
    an outcome. Nearly all of these are "both right" for nearly every instance (two instances of
    different classes in different clusters), so the most common outcome would give one colour for all. The colour
    is therefore the balance (RW - WR) / (n - 1): blue where the primary model is right on more pairs, orange where
    the alternative is, pale if neither is ahead, whether they agree or have equally many errors.
    ``plot(show="right_wrong")`` draws the share of one outcome.

    Parameters
    ----------
    points : array-like of shape (n, 2)
        Where to draw each instance.
    cells : mapping of str to array-like of shape (n,)
        For each of the outcomes "both_right", "right_wrong", "wrong_right" and "both_wrong": whether the instance has
        it (classification), or the number of the instance's pairs that have it (clustering). Instances with
        none were left out of the comparison and are not drawn.
    kind : {"clustering", "classification"}
    primary, alternative : str
    axis_names : tuple of str
    """

    def __init__(
        self,
        points: Any,
        cells: Mapping[str, Any],
        *,
        kind: Literal["clustering", "classification"],
        primary: str = "primary",
        alternative: str = "alternative",
        axis_names: tuple[str, str] = ("", ""),
    ) -> None:
        self.points = as_array("points", points)
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise InputError(f"points has shape {self.points.shape}: a map needs two coordinates per point")
        given = as_mapping("cells", cells)
        for name in CELLS:
            if name not in given:
                raise InputError(f"cells lacks {name!r}: there are {', '.join(CELLS)}")
        self.cells = {name: np.asarray(given[name]) for name in CELLS}
        for name, values in self.cells.items():
            if values.shape != (len(self.points),):
                raise InputError(
                    f"cells[{name!r}] has shape {values.shape}: there are {len(self.points)} points"
                )
        self.kind = kind
        self.primary = primary
        self.alternative = alternative
        self.axis_names = axis_names

    @classmethod
    def from_result(
        cls,
        result: HeadToHead | Comparison | Gate,
        X: Any,
        *,
        primary: str | None = None,
        alternative: str | None = None,
        embedding: Any = "pca",
    ) -> Self:
        """Map the outcomes of a head-to-head, or of a comparison and two of its models.

        Parameters
        ----------
        result : HeadToHead, Comparison or Gate
        X : array-like of shape (n, p)
            The instances, all that were given to :func:`~adjudge.compare`. If p is 2 they are drawn as they are.
        primary, alternative : str, optional
            Needed for a comparison of more than two models.
        embedding : "pca", object with fit_transform, callable, or array-like of shape (n, 2)
            How to reduce X to two dimensions. PCA does not scale the variables: scale them if their units differ.
        """
        pair = head_to_head_of(result, primary, alternative)
        points, axis_names = _plane(X, embedding)
        n = len(points)
        cells: dict[str, NDArray[Any]] = {}
        for name in CELLS:
            found = pair.instances(name)
            if pair.kind == "classification":
                if found.size and int(found.max()) >= n:
                    raise InputError(
                        Argument("X"), f" has {n} rows, the comparison has an instance at {found.max()}"
                    )
                cells[name] = np.bincount(found, minlength=n).astype(bool)
            elif found.size != n:
                raise InputError(Argument("X"), f" has {n} rows, the comparison has {found.size} instances")
            else:
                cells[name] = found
        kind: Any = pair.kind
        return cls(
            points,
            cells,
            kind=kind,
            primary=pair.primary,
            alternative=pair.alternative,
            axis_names=axis_names,
        )

    from_predictions = Maker("compare", "Compare two models' labels and map the outcomes.", _models_at)
    from_estimator = Maker("compare", "Compare two fitted estimators and map the outcomes.", _estimators_at)

    def _draw(self, ax: Any, size: float, *, show: str | None = None) -> None:
        """Draw the map.

        Parameters
        ----------
        show : {"outcome", "balance", "both_right", "right_wrong", "wrong_right", "both_wrong"}, optional
            Default: "outcome" for classification, else "balance". The name of an outcome draws its share
            (clustering), or that outcome in front of all others (classification).
        """
        classes = self.kind == "classification"
        choices = ("outcome", *CELLS) if classes else ("balance", *CELLS)
        show = show or choices[0]
        check_choice("show", show, choices)
        quiet(ax, size)
        ax.set_xticks([])
        ax.set_yticks([])
        for axis, name in zip("xy", self.axis_names, strict=True):
            getattr(ax, f"set_{axis}label")(
                fit_name(name, axes_size(ax)[0], size), fontsize=size, color=muted(), parse_math=False
            )
        if classes:
            self._draw_outcomes(ax, show, size)
        else:
            self._draw_shares(ax, show, size)
        title_pair(ax, "Outcomes of", (self.primary, self.alternative), "and", size)

    @property
    def _drawn(self) -> Bools:
        return np.asarray(sum(values.astype(np.int64) for values in self.cells.values())) > 0

    def _dot(self, ax: Any, size: float) -> float:
        """Return the area of a marker in square points."""
        width, height = axes_size(ax)
        return float(np.clip(0.3 * width * height / max(len(self.points), 1), _LEAST_DOT, 0.4 * size**2))

    def _draw_outcomes(self, ax: Any, show: str, size: float) -> None:
        dot, many = self._dot(ax, size), len(self.points) > _MANY
        handles: dict[str, Any] = {}
        order = [*(name for name in _ORDER if name != show), *([show] if show in CELLS else [])]
        for z, name in enumerate(order):
            where = self.points[self.cells[name].astype(bool)]
            faint = name != show and (name == "both_right" or show != "outcome")
            handles[name] = ax.scatter(
                where[:, 0],
                where[:, 1],
                s=0.7 * dot if faint else 1.5 * dot,
                marker=OUTCOME_MARKERS[name],
                color=OUTCOME_COLORS[name],
                alpha=0.4 if faint else 0.9,
                linewidths=0,
                zorder=2 + z,
                rasterized=many,
            )
        counts = {name: count_text(int(self.cells[name].sum()), 7) for name in CELLS}
        # What the marks, the gaps and the rest of the two labels leave of the width.
        taken = sum(text_width(f"only  ({counts[name]})", size) for name in ("right_wrong", "wrong_right"))
        room = axes_size(ax)[0] - taken - 5.6 * size
        names = self.primary, self.alternative
        both_fit = sum(text_width(str(name), size) for name in names) <= room
        primary, alternative = fit_names(names, room if both_fit else room / 2, size)
        titles = {
            "both_right": "both right",
            "right_wrong": f"only {primary}",
            "wrong_right": f"only {alternative}",
            "both_wrong": "both wrong",
        }
        labels = [f"{titles[name]} ({counts[name]})" for name in CELLS]
        legend = legend_above(ax, [handles[name] for name in CELLS], labels, size, ncols=2)
        for handle in legend.legend_handles:
            handle.set_sizes([4 * size])
            handle.set_alpha(1)

    def _draw_shares(self, ax: Any, show: str, size: float) -> None:
        drawn = self._drawn
        cells = {name: values[drawn].astype(np.float64) for name, values in self.cells.items()}
        pairs = np.asarray(sum(cells.values()))
        if show == "balance":
            shares = (cells["right_wrong"] - cells["wrong_right"]) / pairs
            limit = float(np.abs(shares).max(initial=0)) or 1.0
            low, cmap = -limit, balance_map()
            title = "net share of a point's pairs"
        else:
            shares = cells[show] / pairs
            limit = float(shares.max(initial=0)) or 1.0
            low, cmap = 0.0, ramp(OUTCOME_COLORS[show])
            title = (
                f"share of pairs: {show.replace('_', ', ') if show[:4] != 'both' else show.replace('_', ' ')}"
            )
        # What stands out most is drawn last.
        order = np.argsort(np.abs(shares), kind="stable")
        points = self.points[drawn][order]
        marks = ax.scatter(
            points[:, 0],
            points[:, 1],
            c=shares[order],
            cmap=cmap,
            vmin=low,
            vmax=limit,
            s=1.4 * self._dot(ax, size),
            linewidths=0.25,
            edgecolors=muted(),
            rasterized=len(points) > _MANY,
        )
        bar = ax.figure.colorbar(marks, ax=ax, location="bottom", shrink=0.98, aspect=38, pad=0.05)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=0.9 * size, length=2, width=0.6, color=muted(), pad=1)
        bar.ax.xaxis.set_major_formatter(
            lambda value, _: f"{abs(value):.0%}" if limit >= 0.05 else f"{abs(value):.1%}"
        )
        bar.ax.locator_params(nbins=5)
        bar.set_label(title, fontsize=size, color=ink())
        if show == "balance":
            self._name_ends(ax, bar, size)

    def _name_ends(self, ax: Any, bar: Any, size: float) -> None:
        """Write at the ends of the bar which model alone is right there."""
        # Other axes of the user's figure may yet take some of the room. Bold letters are a tenth wider.
        room = (0.47 if self._own else 0.33) * axes_size(ax)[0] / 1.1
        around = text_width("only  right", size)
        before, after = ("only ", " right") if room > 2 * around else ("", "")
        names = (self.primary, self.alternative)
        primary, alternative = fit_names(names, room - (around if before else 0), size)
        ends = (0.0, "left", alternative, "wrong_right"), (1.0, "right", primary, "right_wrong")
        for x, side, name, cell in ends:
            put_text(
                bar.ax,
                x,
                1.4,
                before + name + after,
                transform=bar.ax.transAxes,
                ha=side,
                fontsize=size,
                color=OUTCOME_COLORS[cell],
                fontweight="bold",
            )


def _plane(X: Any, embedding: Any) -> tuple[Floats, tuple[str, str]]:
    """Reduce points to two dimensions, and name these."""
    checked = as_points(X)
    n, p = checked.shape
    if isinstance(embedding, str):
        check_choice("embedding", embedding, ("pca",))
        if p <= 2:
            names = checked.columns or [f"variable {i}" for i in range(p)]
            flat = np.column_stack([_dense(checked.values), np.zeros((n, 2 - p))])
            return flat, (names[0], names[1] if p == 2 else "")
        from sklearn.decomposition import PCA

        sparse = hasattr(checked.values, "tocsr")
        pca = PCA(n_components=min(2, n), random_state=0, svd_solver="arpack" if sparse else "auto")
        placed = pca.fit_transform(checked.values)
        if placed.shape[1] < 2:
            placed = np.column_stack([placed, np.zeros(n)])
        shares = [*pca.explained_variance_ratio_.tolist(), 0.0]
        return placed, (f"component 1 ({shares[0]:.0%} of variance)", f"component 2 ({shares[1]:.0%})")
    if hasattr(embedding, "fit_transform"):
        placed = embedding.fit_transform(checked.values)
        title = type(embedding).__name__
    elif callable(embedding):
        placed = embedding(checked.values)
        title = getattr(embedding, "__name__", "embedding")
    else:
        placed, title = embedding, "embedding"
    placed = as_points(placed, "embedding").values
    if placed.shape != (n, 2):
        raise InputError(
            f"the embedding has shape {placed.shape}: ",
            Argument("X"),
            f" has {n} rows, so ({n}, 2) is needed",
        )
    return _dense(placed), (f"{title} 1", f"{title} 2")


def _dense(values: Any) -> Floats:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, np.float64)
