"""Heat maps of many cells keep their colours in a small picture."""

from __future__ import annotations

import inspect
import io
import re

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.image import imread

from adjudge import displays
from adjudge.displays import ConfusionMatrixDisplay, ContingencyDisplay
from adjudge.displays._display import Display


@pytest.mark.full
@pytest.mark.parametrize("kind", [ConfusionMatrixDisplay, ContingencyDisplay])
@pytest.mark.parametrize("dpi", [60, 100])
def test_sixty_classes_are_seen_in_a_small_picture(kind: type, dpi: int) -> None:
    labels = [f"class {i:02d}" for i in np.repeat(np.arange(60), 2)]
    display = kind.from_predictions(labels, labels)
    display.plot()
    stream = io.BytesIO()
    display.figure_.savefig(stream, dpi=dpi)
    stream.seek(0)
    picture = imread(stream)[..., :3]
    box = display.ax_.get_window_extent()
    height = picture.shape[0]
    scale = dpi / display.figure_.dpi
    left, right = int(box.x0 * scale), int(box.x1 * scale)
    top, bottom = height - int(box.y1 * scale), height - int(box.y0 * scale)
    dark = (picture[top:bottom, left:right].mean(axis=2) < 0.4).mean()
    # All cells of the diagonal, one of 60 in each row, are as dark as the scale goes.
    assert dark == pytest.approx(1 / 60, rel=0.25)


def test_few_cells_are_parted_by_white_lines() -> None:
    labels = [0, 1, 2, 3] * 5
    display = ConfusionMatrixDisplay.from_predictions(labels, labels).plot()
    (mesh,) = display.ax_.collections
    assert mesh.get_linewidth() == pytest.approx(0.8)


@pytest.mark.parametrize("name", displays.__all__)
def test_every_display_plots_like_those_of_scikit_learn(name: str) -> None:
    """`plot` sets `figure_` and `ax_` through the one base class, so that all displays do."""
    kind = getattr(displays, name)
    assert issubclass(kind, Display)
    assert {"figure_", "ax_"} <= Display.__annotations__.keys()
    assert "plot" in vars(kind) or any(
        "plot" in vars(base) for base in kind.__mro__[1:-1] if base is not Display
    )
    assert "figure_ : matplotlib Figure" in kind.__doc__
    assert "ax_ : matplotlib Axes" in kind.__doc__


@pytest.mark.parametrize("name", displays.__all__)
def test_plot_shows_its_own_options(name: str) -> None:
    plot = getattr(displays, name).plot
    options = list(inspect.signature(plot).parameters)
    assert options[:2] == ["self", "ax"]
    assert options[-1] == "figsize"
    described = re.findall(r"^(\w+) :", plot.__doc__, re.MULTILINE)
    assert described == options[1:]
    with pytest.raises(TypeError, match=rf"{name}.plot\(\) got an unexpected keyword argument 'nonsense'"):
        plot(object.__new__(getattr(displays, name)), nonsense=1)


def test_constructors_have_the_signature_of_their_verb() -> None:
    made = inspect.signature(displays.ComparisonDisplay.from_estimator).parameters
    assert [name for name in made if made[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD] == [
        *("estimators", "X", "y")
    ]
    assert {"kind", "confidence", "measure"} <= made.keys()
    stability = inspect.signature(displays.StabilityDisplay.from_estimator).parameters
    assert stability["stability"].default is True
    mapped = inspect.signature(displays.OutcomeMapDisplay.from_predictions).parameters
    assert list(mapped)[:4] == ["labels_true", "primary", "alternative", "X"]
    assert mapped["embedding"].default == "pca"
    with pytest.raises(TypeError, match=r"PrayatulMatrixDisplay.from_estimator\(\): missing .* 'y'"):
        displays.PrayatulMatrixDisplay.from_estimator(object(), object(), X=[[0]])
