"""Pictures against baselines, without their text, whose rendering differs between versions of matplotlib.

``ADJUDGE_WRITE_BASELINES=1 pytest tests/displays/test_displays_images.py`` writes the baselines anew: look at them.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text

from every_display import displays

BASELINES = Path(__file__).parent / "baseline"
# Root mean square of the difference over all that is not white in either picture; black and white differ by 1.
TOLERANCE = 0.09


def picture(display) -> Figure:
    """Draw in a fixed place, where no layout depends on the size of text, and hide all text."""
    figure = Figure(figsize=(3.4, 2.6), dpi=70)
    display.plot(figure.add_axes((0.14, 0.12, 0.8, 0.7)))
    for text in figure.findobj(Text):
        text.set_visible(False)
    return figure


def pixels(figure: Figure, path: Path) -> np.ndarray:
    figure.savefig(path, format="png", dpi=70, pil_kwargs={"optimize": True})
    return imread(path)[..., :3]


def difference(a: np.ndarray, b: np.ndarray) -> float:
    drawn = (np.minimum(a, b) < 1).any(axis=-1)
    return float(np.sqrt(np.mean((a - b)[drawn] ** 2)))


@pytest.mark.full(keep=8)
@pytest.mark.parametrize("name", displays())
def test_looks_like_its_baseline(name, tmp_path):
    baseline = BASELINES / f"{name}.png"
    drawn = pixels(picture(displays()[name]), tmp_path / "drawn.png")
    if os.environ.get("ADJUDGE_WRITE_BASELINES"):
        baseline.write_bytes((tmp_path / "drawn.png").read_bytes())
    assert difference(drawn, imread(baseline)[..., :3]) < TOLERANCE


@pytest.mark.full(keep=7)
@pytest.mark.parametrize("name", displays())
def test_other_data_look_different(name, tmp_path):
    drawn = pixels(picture(displays(change=0.5)[name]), tmp_path / "drawn.png")
    assert difference(drawn, imread(BASELINES / f"{name}.png")[..., :3]) > TOLERANCE
