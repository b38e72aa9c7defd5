"""Colours of texts, lines and marks under matplotlib's settings: a dark style, or a cycle of colours of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.presentation.palette import CLUSTER_COLORS, INK, cluster_color

# Below this luminance, dark marks do not stand out from a page: it is that of middle grey.
_DARK = 0.18


def ground() -> str:
    """Return the colour behind marks: of axes, or of the figure where axes are transparent."""
    from matplotlib import rcParams
    from matplotlib.colors import to_hex, to_rgba

    for own in (rcParams["axes.facecolor"], rcParams["figure.facecolor"]):
        color = to_rgba(own)
        if color[3] > 0:
            return to_hex(color)
    return "#ffffff"


def ink() -> str:
    """Return the colour of texts."""
    from matplotlib import rcParams
    from matplotlib.colors import to_hex

    return to_hex(rcParams["text.color"])


def muted() -> tuple[float, float, float]:
    """Return the colour of secondary texts and thin lines."""
    return mix(ink(), 0.68)


def faint() -> tuple[float, float, float]:
    """Return the colour of grids and of marks that recede."""
    return mix(ink(), 0.16)


def on_page(color: str) -> Any:
    """Return a colour that stands out from the page: lightened on a dark one."""
    return mix(color, 0.5, "#ffffff") if _luminance(ground()) < _DARK else color


def hue(position: int) -> Any:
    """Return the colour at a position of ours, or of the cycle that the user has set; colours repeat."""
    from matplotlib import rcParams, rcParamsDefault

    own = rcParams["axes.prop_cycle"]
    if own != rcParamsDefault["axes.prop_cycle"] and (colors := own.by_key().get("color")):
        return colors[position % len(colors)]
    return on_page(cluster_color(position))


def n_hues() -> int:
    """Return how many colours `hue` has before they repeat."""
    return len({str(hue(i)) for i in range(len(CLUSTER_COLORS))})


def mix(color: Any, share: float, behind: str | None = None) -> tuple[float, float, float]:
    """Mix a share of a colour with the page, or with another colour behind it."""
    from matplotlib.colors import to_rgb

    front, back = np.array(to_rgb(color)), np.array(to_rgb(ground() if behind is None else behind))
    r, g, b = (share * front + (1 - share) * back).tolist()
    return (r, g, b)


def text_on(color: Any) -> str:
    """Return ink or white, whichever stands out more from a colour."""
    luminance, dark = _luminance(color), _luminance(INK)
    return INK if (luminance + 0.05) / (dark + 0.05) >= 1.05 / (luminance + 0.05) else "#ffffff"


def _luminance(color: Any) -> float:
    from matplotlib.colors import to_rgb

    rgb: Floats = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))
