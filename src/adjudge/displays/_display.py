"""The base of the displays: `plot` on a figure without pyplot, and a picture for notebooks."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any, Self

from adjudge.displays._drawing import text_size
from adjudge.errors import InputError, InputTypeError, MissingExtraError, Option, a_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Longest side in inches: matplotlib draws no picture of 2^16 dots or more.
_LARGEST = 300
# What `plot` sets.
_DRAWN = {"figure_", "ax_", "axes_"}
_ATTRIBUTES = """\
Attributes
----------
figure_ : matplotlib Figure
ax_ : matplotlib Axes"""


class Display:
    """Base of the displays; a notebook shows the picture.

    A display says how it is drawn, on axes and in a size of text:

    ``_draw(ax, size, *, ...)``
        The options after the star are those of its `plot`.
    """

    figure_: Figure
    ax_: Axes
    _own = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = _with_attributes(cls.__doc__ or "")
        if "_draw" in vars(cls):
            cls.plot = _plot_by(cls._draw)  # type: ignore[method-assign]

    def __getattr__(self, name: str) -> Any:
        if name in _DRAWN:
            raise AttributeError(f"{type(self).__name__} has no {name} until plot() draws it")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None, **style: Any) -> Self:
        """Draw on axes, or on a new figure that pyplot does not know.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure. Several panels are put in their place.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches; default: the size that matplotlib is set to.
        """
        for name in style.keys() - signature(self._draw).parameters.keys():
            raise TypeError(f"{type(self).__name__}.plot() got an unexpected keyword argument {name!r}")
        ax = self._start(ax, figsize)
        self._draw(ax, text_size(ax), **style)
        self.ax_ = ax
        # A subfigure belongs to the figure at the root.
        self.figure_ = ax.figure.figure
        return self

    def _draw(self, ax: Any, size: float) -> None:
        """Draw."""
        raise NotImplementedError

    def _start(self, ax: Any, figsize: tuple[float, float] | None) -> Any:
        """Return the given axes, or new ones."""
        try:
            from matplotlib import rcParams
            from matplotlib.axes import Axes
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtraError("matplotlib", "plot", type(self).__name__) from None
        if ax is not None and not isinstance(ax, Axes):
            raise InputTypeError(f"ax is {a_type(ax)}: matplotlib Axes are needed, or None")
        self._own = ax is None
        if ax is not None:
            return ax
        if figsize is None:
            figsize = tuple(rcParams["figure.figsize"])
        _check_size(figsize)
        return Figure(figsize=figsize, layout="constrained").add_subplot()

    def _repr_png_(self) -> bytes | None:
        """Return a picture for a notebook; None if the figure is the user's, which the notebook shows anyway."""
        if not hasattr(self, "figure_"):
            self.plot()
        if not self._own:
            return None
        out = io.BytesIO()
        self.figure_.savefig(out, format="png")
        return out.getvalue()


def _check_size(figsize: Any) -> None:
    try:
        width, height = (float(side) for side in figsize)
    except (TypeError, ValueError):
        width = height = 0.0
    if not (0 < width <= _LARGEST and 0 < height <= _LARGEST):
        raise InputError(
            Option("figsize", figsize), f": a width and a height in inches, up to {_LARGEST}, are needed"
        )


def _with_attributes(doc: str) -> str:
    """Add to the documentation of a display the attributes that all have."""
    doc = cleandoc(doc)
    heading, rule = _ATTRIBUTES.splitlines()[:2]
    if _ATTRIBUTES in doc:
        return doc
    if f"{heading}\n{rule}" in doc:
        return doc.replace(f"{heading}\n{rule}", _ATTRIBUTES)
    before, references, after = doc.partition("References\n------")
    return f"{before.rstrip()}\n\n{_ATTRIBUTES}\n\n{references}{after}".rstrip()


def _plot_by(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return `plot` with the options of a display, in its signature and in its documentation."""
    plot: Callable[..., Any] = Display.plot

    @wraps(plot)
    def plot_of_class(self: Any, ax: Any = None, **options: Any) -> Any:
        return plot(self, ax, **options)

    owner, axes, figsize, _ = signature(plot).parameters.values()
    style = [
        option for option in signature(draw).parameters.values() if option.kind is Parameter.KEYWORD_ONLY
    ]
    plot_of_class.__signature__ = signature(plot).replace(parameters=[owner, axes, *style, figsize])  # type: ignore[attr-defined]
    said, _, options = cleandoc(draw.__doc__ or "").partition("\n\nParameters\n----------\n")
    shared = cleandoc(plot.__doc__ or "").partition("----------\n")[2].partition("figsize :")
    parts = ["Parameters", "----------", shared[0].rstrip(), options, "".join(shared[1:])]
    plot_of_class.__doc__ = "\n".join([said, "", *filter(None, parts)])
    return plot_of_class
