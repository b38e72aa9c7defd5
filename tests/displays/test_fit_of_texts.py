"""Texts of the displays fit, stand apart and can be read, with awkward data and under the user's own settings."""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
import matplotlib.style
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from adjudge import benchmark, compare
from adjudge.displays import (
    AgreementMapDisplay,
    ChoiceDisplay,
    ClusterTreeDisplay,
    ComparisonDisplay,
    ConfusionMatrixDisplay,
    ContingencyDisplay,
    CriticalDifferenceDisplay,
    DatasetMapDisplay,
    DetCurveDisplay,
    GainsDisplay,
    IndicesDisplay,
    KChoiceDisplay,
    NullDistributionDisplay,
    OutcomeMapDisplay,
    PatternsDisplay,
    PosteriorDisplay,
    PrayatulMatrixDisplay,
    PrecisionRecallDisplay,
    RankDistributionDisplay,
    ReachabilityDisplay,
    ReliabilityDisplay,
    RocCurveDisplay,
    SilhouetteDisplay,
    StabilityDisplay,
    ThresholdDisplay,
    WinTieLossDisplay,
)
from adjudge.errors import InputError
from adjudge.statistics.agreement import CELLS, Agreement

CLASSES = [f"{branch} of {goods}" for branch in ("manufacturing", "wholesale trade") for goods in range(15)]
MODELS = [f"gradient boosting, {n} trees of depth {d}" for n in (50, 100, 200, 400) for d in (1, 3)]
NAMES = (MODELS[0], MODELS[3])


def awkward() -> dict[str, Any]:
    """Displays of data with long names, many classes, many models, or few rows."""
    rng = np.random.default_rng(0)
    happened = np.where(rng.random(200) < 0.4, "malignant", "benign")
    scores = {
        name: 1 / (1 + np.exp((happened == "benign") * i / 2 - rng.normal(size=200)))
        for i, name in enumerate(MODELS)
    }
    known = {"positive": "malignant"}
    truth = np.array(CLASSES)[rng.integers(0, 30, 900)]
    said = np.where(rng.random(900) < 0.7, truth, rng.permutation(truth))
    accuracies = {name: rng.normal(0.7 + 0.02 * i, 0.05, 12).tolist() for i, name in enumerate(MODELS)}
    found = benchmark(accuracies, score="accuracy")
    answers = {name: np.where(rng.random(900) < 0.5 + 0.05 * i, truth, "?") for i, name in enumerate(MODELS)}
    compared = compare(truth, answers, kind="classification")
    outcome = rng.integers(0, 4, 300)
    shares = rng.dirichlet([6, 2, 2], 400)
    k = list(range(2, 12))
    shape = {i: float(np.exp(-((i - 4) ** 2) / 4)) for i in k}
    correlated = np.corrcoef(rng.normal(size=(8, 40)) + rng.normal(size=40))
    return {
        "roc": RocCurveDisplay.from_predictions(happened, scores, **known),
        "few rows": RocCurveDisplay.from_predictions(happened[:20], scores[MODELS[2]][:20], **known),
        "precision-recall": PrecisionRecallDisplay.from_predictions(happened, scores, **known),
        "det": DetCurveDisplay.from_predictions(happened, scores, **known),
        "gains": GainsDisplay.from_predictions(happened, scores, **known),
        "thresholds": ThresholdDisplay.from_predictions(happened, scores[MODELS[4]], **known),
        "thresholds of models": ThresholdDisplay.from_predictions(happened, scores, **known),
        "reliability": ReliabilityDisplay.from_predictions(happened, scores, **known),
        "confusion": ConfusionMatrixDisplay.from_predictions(truth, said, name=MODELS[0]),
        "ten classes": ConfusionMatrixDisplay.from_predictions(outcome % 10, outcome[::-1] % 10),
        "contingency": ContingencyDisplay.from_predictions(truth, said, names=["industry", MODELS[0]]),
        "silhouette": SilhouetteDisplay(rng.uniform(-0.3, 1, 900), truth),
        "k choice": KChoiceDisplay(
            dict.fromkeys(("silhouette", "dunn", "calinski_harabasz", "davies_bouldin", "c_index"), shape),
            {"silhouette": 4, "dunn": 5, "calinski_harabasz": None, "davies_bouldin": 4, "c_index": 4},
            4,
        ),
        "stability": StabilityDisplay({i: [0.5, shape[i]] for i in k}, strength=shape, k=4),
        "null": NullDistributionDisplay(4.2, rng.normal(size=500), title="Adjusted Rand", p_value=0.01),
        "ranks": CriticalDifferenceDisplay.from_result(found),
        "twenty ranks": CriticalDifferenceDisplay(
            {f"linear model with {i} features": 1 + 0.95 * i for i in range(20)}, critical_difference=4.7
        ),
        "data sets": DatasetMapDisplay.from_result(found),
        "rank distribution": RankDistributionDisplay.from_result(found),
        "wins": WinTieLossDisplay.from_result(found),
        "posterior": PosteriorDisplay(shares, *NAMES),
        "comparison": ComparisonDisplay.from_result(compared),
        "indices": IndicesDisplay.from_result(compared),
        "patterns": PatternsDisplay.from_result(compared),
        "prayatul": PrayatulMatrixDisplay(
            Agreement(1234567, 120, 5, 3), primary=NAMES[0], alternative=NAMES[1]
        ),
        "outcomes": OutcomeMapDisplay(
            rng.normal(size=(300, 2)),
            {cell: outcome == i for i, cell in enumerate(CELLS)},
            kind="classification",
            primary=NAMES[0],
            alternative=NAMES[1],
        ),
        "balance": OutcomeMapDisplay(
            rng.normal(size=(300, 2)),
            {cell: rng.integers(0, 90, 300) for cell in CELLS},
            kind="clustering",
            primary=NAMES[0],
            alternative=NAMES[1],
            axis_names=("component 1", "component 2"),
        ),
        "reachability": ReachabilityDisplay(rng.random(300), outcome - 1, CLASSES[:3]),
        "tree": ClusterTreeDisplay({name: (outcome > i).astype(int) for i, name in enumerate(MODELS[:3])}),
        "choice": ChoiceDisplay(
            dict.fromkeys(MODELS, 0.8), {m: i / 8 for i, m in enumerate(MODELS)}, MODELS[-2:], MODELS[-1]
        ),
        "agreement": AgreementMapDisplay(correlated, MODELS),
    }


AWKWARD = awkward()


def shown_texts(figure: Figure) -> list[Text]:
    """Return the texts that are seen: those with letters, of axes that are drawn, at ticks within the axes."""
    figure.draw_without_rendering()
    found = []
    for ax in figure.axes:
        outside = set()
        for axis, side in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            low, high = min(side), max(side)
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            outside |= {
                label
                for tick in ticks
                for label in (tick.label1, tick.label2)
                if not (ax.axison and label.get_visible() and low <= tick.get_loc() <= high)
            }
        found += [text for text in ax.findobj(Text) if text not in outside]
    seen = [t for t in dict.fromkeys(found) if t.get_text().strip() and t.get_visible()]
    return [t for t in seen if t.get_window_extent().width > 0]


def stand_apart(a: Text, b: Text, first: Bbox, second: Bbox) -> bool:
    """Say whether two texts in these boxes overlap; those that are turned alike are compared across their lines."""
    if a.get_rotation() == b.get_rotation() == 45:
        scale = a.figure.dpi / 72
        (x0, y0), (x1, y1) = (text.get_transform().transform(text.get_position()) for text in (a, b))
        across = abs((x1 - x0) - (y1 - y0)) / np.sqrt(2)
        return across >= 0.95 * min(a.get_fontsize(), b.get_fontsize()) * scale
    return not first.overlaps(second)


def inner(part: Any) -> Bbox:
    """Return where a part of a figure is, without a pixel at each side."""
    box = part.get_window_extent()
    return Bbox.from_extents(box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1)


def luminance(color: Any) -> float:
    c = np.array(to_rgb(color))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: Any, b: Any) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.full(keep=6)
@pytest.mark.parametrize("name", AWKWARD)
class TestFit:
    def test_texts_are_within_the_figure_and_apart_and_legends_hide_no_data(self, name):
        figure = AWKWARD[name].plot().figure_
        texts = [(text, inner(text)) for text in shown_texts(figure)]
        width, height = figure.get_size_inches() * figure.dpi
        for text, box in texts:
            assert min(box.x0, box.y0) >= 0, text
            assert box.x1 <= width, text
            assert box.y1 <= height, text
        for (a, of_a), (b, of_b) in combinations(texts, 2):
            assert stand_apart(a, b, of_a, of_b), (a, b)
        for legend in figure.findobj(Legend):
            assert not any(inner(ax).overlaps(inner(legend)) for ax in figure.axes if ax.axison)

    def test_follows_the_settings_of_matplotlib(self, name):
        """Texts can be read in a dark style, and the title, too, which is there."""
        settings = {"figure.figsize": (7.5, 5), "figure.dpi": 90, "font.size": 8}
        with mpl.style.context(["dark_background", settings]):
            display = AWKWARD[name].plot()
        figure = display.figure_
        assert figure.get_size_inches().tolist() == [7.5, 5]
        assert figure.dpi == 90
        assert max(text.get_fontsize() for text in shown_texts(figure)) <= 8 * 1.5
        title = next(ax.title for ax in figure.axes if ax.get_title())
        parts = [*display.ax_.get_xticklabels(), *display.ax_.get_yticklabels()]
        parts += [title, display.ax_.xaxis.label, display.ax_.yaxis.label]
        parts += [t for legend in figure.findobj(Legend) for t in legend.get_texts()]
        assert min(contrast(part.get_color(), figure.get_facecolor()) for part in parts) >= 4.5


@pytest.mark.parametrize("cmap", [None, "viridis", "Greys"])
def test_numbers_can_be_read_on_their_cells(cmap):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 8, 2000)
    said = np.where(rng.random(2000) < truth / 10, truth, rng.integers(0, 8, 2000))
    display = ConfusionMatrixDisplay.from_predictions(truth, said).plot(cmap=cmap)
    display.figure_.draw_without_rendering()
    fills = display.ax_.collections[0].get_facecolors().reshape(8, 8, 4)
    assert len(display.ax_.texts) > 40
    for text in display.ax_.texts:
        x, y = text.get_position()
        assert contrast(text.get_color(), fills[int(y), int(x)]) > 4


class TestTitles:
    truth = np.array(["ham", "spam"] * 20)
    scores: ClassVar = {name: np.linspace(0, 1, 40) for name in ("A", "B")}

    @pytest.mark.parametrize(
        ("kind", "words"),
        [
            (RocCurveDisplay, "ROC curve"),
            (PrecisionRecallDisplay, "Precision-recall curve"),
            (DetCurveDisplay, "DET curve"),
            (GainsDisplay, "Cumulative gains curve"),
            (ThresholdDisplay, "Threshold curve"),
            (ReliabilityDisplay, "Reliability diagram"),
        ],
    )
    def test_name_the_class_and_the_models(self, kind, words):
        def title(*args, **options):
            display = kind.from_predictions(self.truth, *args, positive="spam", **options).plot()
            return (display.axes_[0] if kind is ReliabilityDisplay else display.ax_).get_title()

        assert title(self.scores) == f"{words}s of A, B, class spam"
        assert title(self.scores["A"], name="A") == f"{words} of A, class spam"
        assert title(self.scores["A"]) == f"{words}, class spam"
        assert title(dict.fromkeys(MODELS, self.scores["A"])) == f"{words}s of 8 models, class spam"
        with pytest.raises(InputError, match=r"name='A' is for a single model: the mapping names its models"):
            title(self.scores, name="A")

    def test_of_classes(self):
        shares = np.full((40, 3), 1 / 3)
        options = {"classes": ["ham", "spam", "egg"], "name": "A"}
        display = RocCurveDisplay.from_predictions([*self.truth[:39], "egg"], shares, **options)
        assert display.plot().ax_.get_title() == "ROC curves of A by class"
        display = ConfusionMatrixDisplay.from_predictions(self.truth, self.truth, name="A").plot()
        assert display.ax_.get_title() == "Confusion matrix of A"
        assert display.ax_.get_xlabel() == "predicted class"

    def test_long_ones_are_shortened(self):
        pair = PrayatulMatrixDisplay(Agreement(1, 2, 3, 4), primary="x" * 90, alternative="y" * 90).plot()
        pair.figure_.draw_without_rendering()
        box = pair.ax_.title.get_window_extent()
        assert 0 < box.x0 < box.x1 < pair.figure_.get_size_inches()[0] * pair.figure_.dpi


class TestStyles:
    truth = (0, 1, 0, 1, 1)
    scores: ClassVar = {"A": [0.1, 0.4, 0.35, 0.3, 0.9], "B": [0.6, 0.4, 0.2, 0.3, 0.7]}

    @pytest.mark.parametrize(
        "kind", [RocCurveDisplay, PrecisionRecallDisplay, DetCurveDisplay, GainsDisplay, ThresholdDisplay]
    )
    def test_curves_take_the_options_of_lines(self, kind):
        display = kind.from_predictions(self.truth, self.scores)
        drawn = display.plot(curve_kwargs={"lw": 4}).ax_.lines
        assert sum(line.get_linewidth() == 4 for line in drawn) == 2
        drawn = display.plot(curve_kwargs=[{"c": "red"}, {"c": "blue"}]).ax_.lines
        assert {"red", "blue"} <= {line.get_color() for line in drawn}
        with pytest.raises(InputError, match="curve_kwargs has 1 entries: there are 2 curves"):
            display.plot(curve_kwargs=[{}])

    def test_bins_and_bars_have_the_colour_of_their_curve(self):
        display = ReliabilityDisplay.from_predictions(self.truth, self.scores)
        upper, lower = display.plot(curve_kwargs=[{"color": "red"}, {"color": "blue"}]).axes_
        assert {"red", "blue"} <= {line.get_color() for line in upper.lines}
        assert [to_hex(steps.get_edgecolor()) for steps in lower.patches] == ["#ff0000", "#0000ff"]

    def test_colours_of_the_user_s_own_cycle(self):
        with mpl.rc_context({"axes.prop_cycle": mpl.cycler(color=["#112233", "#445566"])}):
            drawn = RocCurveDisplay.from_predictions(self.truth, self.scores).plot().ax_.lines
        assert {"#112233", "#445566"} <= {to_hex(line.get_color()) for line in drawn}

    def test_colours_of_cells(self):
        display = ConfusionMatrixDisplay.from_predictions([0, 1], [0, 1])
        assert display.plot(cmap="viridis").ax_.collections[0].get_cmap().name == "viridis"
        assert len(display.plot(colorbar=False).figure_.axes) == 1
        with pytest.raises(InputError, match="cmap='nonsense': a colormap of matplotlib is needed"):
            display.plot(cmap="nonsense")

    def test_the_threshold_of_the_highest_f1_is_marked(self):
        display = ThresholdDisplay.from_predictions(self.truth, self.scores["A"]).plot()
        (line,) = [line for line in display.ax_.lines if line.get_gid() == "best"]
        f1 = display.curves[""].f1
        assert line.get_xdata()[0] == display.curves[""].thresholds[np.nanargmax(f1)]
        several = ThresholdDisplay.from_predictions(self.truth, self.scores).plot()
        assert not any(line.get_gid() == "best" for line in several.ax_.lines)


def test_colours_on_a_page_without_a_colour():
    with mpl.rc_context({"axes.facecolor": "none", "figure.facecolor": "none"}):
        AWKWARD["roc"].plot().figure_.draw_without_rendering()
