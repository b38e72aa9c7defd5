"""What the displays of classifiers draw, read back from the artists."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.text import Text
from scipy.special import ndtri
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import adjudge
from adjudge import compare, displays, evaluate
from adjudge.displays import (
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    GainsDisplay,
    PatternsDisplay,
    PrecisionRecallDisplay,
    ReliabilityDisplay,
    RocCurveDisplay,
    ThresholdDisplay,
)
from adjudge.errors import InputError, InputTypeError
from adjudge.results.curves import RocCurve

CURVES = (
    RocCurveDisplay,
    PrecisionRecallDisplay,
    DetCurveDisplay,
    GainsDisplay,
    ThresholdDisplay,
    ReliabilityDisplay,
)
X, Y = load_breast_cancer(return_X_y=True)
MODELS = {
    "naive Bayes": GaussianNB().fit(X[::2], Y[::2]),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[::2], Y[::2]),
}


def texts(display) -> list[str]:
    return [t.get_text() for t in display.figure_.findobj(Text) if t.get_text()]


def solid(ax) -> list[np.ndarray]:
    """Return the points of the curves, without broken lines and scales."""
    return [
        line.get_xydata() for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) > 3
    ]


@pytest.mark.parametrize("kind", CURVES)
class TestEveryCurve:
    @pytest.mark.full(keep=1)
    def test_ways_in_lead_to_one_picture(self, kind):
        probabilities = {name: model.predict_proba(X) for name, model in MODELS.items()}
        results = {
            name: evaluate(Y, probabilities=p, kind="classification", indices="all")
            for name, p in probabilities.items()
        }
        shown = [
            texts(display.plot())
            for display in (
                kind.from_predictions(Y, probabilities),
                kind.from_result(results),
                kind.from_estimator(MODELS, X, Y),
            )
        ]
        assert shown[0] == shown[1] == shown[2]
        assert any("naive Bayes" in text for text in shown[0])

    def test_says_what_is_seen(self, kind):
        said = kind.from_estimator(MODELS, X, Y).describe()
        assert "naive Bayes" in said or "tree" in said

    def test_refuses_what_it_cannot_draw(self, kind):
        with pytest.raises(InputTypeError, match="give what"):
            kind({"a": 3})
        with pytest.raises(InputError, match="curves is empty"):
            kind({})
        with pytest.raises(InputTypeError, match="evaluate"):
            kind.from_result({"a": 3})


def test_roc_lines_are_the_points():
    display = RocCurveDisplay.from_estimator(MODELS, X, Y).plot()
    for drawn, curve in zip(solid(display.ax_), display.curves.values(), strict=True):
        np.testing.assert_array_equal(
            drawn, np.column_stack([curve.false_positive_rate, curve.true_positive_rate])
        )
    assert any(f"AUC = {display.curves['tree'].area:.3f}" in text for text in texts(display))


def test_a_million_scores_are_drawn_with_some_thousand_points():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400_000)
    curve = RocCurve.from_predictions(truth, scores=truth + rng.normal(size=400_000))
    (drawn,) = solid(RocCurveDisplay(curve).plot().ax_)
    assert len(drawn) < 10_000
    height = np.interp(np.linspace(0, 1, 500), curve.false_positive_rate, curve.true_positive_rate)
    assert np.abs(np.interp(np.linspace(0, 1, 500), *drawn.T) - height).max() < 0.002


def test_one_model_of_several_classes_has_a_curve_a_class():
    pixels, digit = load_digits(return_X_y=True)
    model = GaussianNB().fit(pixels[::2], digit[::2])
    display = RocCurveDisplay.from_estimator(model, pixels, digit).plot()
    assert list(display.curves) == [str(i) for i in range(10)]
    assert len(solid(display.ax_)) == 9  # the tenth has the colour of the first, and is broken
    with pytest.raises(InputError, match="name the class with positive="):
        RocCurveDisplay.from_estimator({"a": model, "b": model}, pixels, digit)
    assert (
        len(RocCurveDisplay.from_estimator({"a": model, "b": model}, pixels, digit, positive=3).curves) == 2
    )


def test_decision_values_rank_and_are_no_probabilities():
    model = RidgeClassifier().fit(X[::2], Y[::2])
    assert RocCurveDisplay.from_estimator(model, X, Y).curves["RidgeClassifier"].area > 0.9
    with pytest.raises(InputError, match="has no predict_proba"):
        ReliabilityDisplay.from_estimator(model, X, Y)


def test_precision_is_drawn_as_the_steps_that_average_precision_adds_up():
    display = PrecisionRecallDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.3]).plot()
    (line,) = [line for line in display.ax_.lines if line.get_linestyle() == "-"]
    assert line.get_drawstyle() == "steps-pre"
    x, y = line.get_xdata(), line.get_ydata()
    assert float(np.diff(x) @ y[1:]) == pytest.approx(display.curves[""].average_precision)


def test_det_leaves_out_what_lies_outside_its_scales():
    display = DetCurveDisplay.from_predictions([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.6, 0.35, 0.7, 0.8]).plot()
    drawn = display.ax_.lines[0].get_xydata()
    assert np.isfinite(drawn).all()
    curve = display.curves[""]
    inside = (curve.false_positive_rate % 1 > 0) & (curve.false_negative_rate % 1 > 0)
    np.testing.assert_allclose(drawn[:, 0], ndtri(curve.false_positive_rate[inside]))
    DetCurveDisplay.from_predictions([0, 1], [0.1, 0.9]).plot().figure_.draw_without_rendering()


def test_lift_of_a_random_order_is_one():
    display = GainsDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]).plot(style="lift")
    assert display.ax_.lines[0].get_ydata().tolist() == [2, 2, 4 / 3, 1]
    assert display.ax_.lines[1].get_ydata().tolist() == [1, 1]


def test_thresholds_draw_the_measures_asked_for():
    one = ThresholdDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.3])
    one.plot(measures=["specificity", "matthews_correlation"])
    assert "specificity" in texts(one)
    assert one.ax_.lines[0].get_xdata().tolist() == [0.1, 0.3, 0.35, 0.4]
    assert one.ax_.lines[0].get_ydata().tolist() == [0, 0.5, 0.5, 1]
    two = ThresholdDisplay.from_estimator(MODELS, X, Y)
    with pytest.raises(InputError, match="name one of the measures"):
        two.plot(measures=["recall", "f1"])
    with pytest.raises(InputError, match="choose one of 'precision'"):
        one.plot(measures="f7")


def test_reliability_has_two_panels():
    display = ReliabilityDisplay.from_predictions(Y, MODELS["naive Bayes"].predict_proba(X)).plot()
    upper, lower = display.axes_
    found = display.curves[""].binned
    assert upper.lines[0].get_xydata().tolist() == np.column_stack([found.forecast, found.observed]).tolist()
    assert lower.patches[0].get_data().values.sum() == len(Y)
    assert "above what happened" in ReliabilityDisplay.from_predictions([0, 1], [0.9, 0.9]).describe()


class TestConfusion:
    def test_counts_and_shares(self):
        truth, said = list("aaabbc"), list("aabbbb")
        display = ConfusionMatrixDisplay.from_predictions(truth, said)
        assert [t.get_text() for t in display.plot().ax_.texts] == ["2", "1", "2", "1"]
        shown = [t.get_text() for t in display.plot(normalize="predicted").ax_.texts]
        assert shown == ["100 %", "25 %", "50 %", "25 %"]
        assert [t.get_text() for t in display.plot(mistakes=True).ax_.texts] == ["1", "1"]
        assert (
            display.describe()
            == "33.3 % of the instances are misclassified, most often a as b (1), c as b (1)"
        )

    def test_classes_stand_in_the_order_asked_for(self):
        display = ConfusionMatrixDisplay.from_predictions(
            ["lo", "hi"], ["lo", "lo"], classes=["lo", "mid", "hi"]
        )
        ticks = [t.get_text() for t in display.plot().ax_.get_yticklabels()]
        assert ticks == ["lo", "mid", "hi"]
        # No instance is truly "mid": its row has no shares.
        assert len([p for p in display.ax_.patches if p.get_hatch()]) == 3

    def test_weights_and_estimators(self):
        display = ConfusionMatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0], sample_weight=[0.5, 1, 2])
        assert [t.get_text() for t in display.plot().ax_.texts] == ["0.50", "2", "1"]
        own = ConfusionMatrixDisplay.from_estimator(MODELS["tree"], X, Y)
        assert own.name == "DecisionTreeClassifier"
        assert ConfusionMatrixDisplay.from_predictions([0, 1], [0, 1]).describe().startswith("no instance")
        with pytest.raises(InputTypeError, match="give what"):
            ConfusionMatrixDisplay([[1, 2], [3, 4]])


RIGHT_AND_WRONG = {"a": [0, 0, 0, 0, 0, 0, 1, 1, 1, 1], "b": [0, 0, 0, 0, 1, 1, 0, 1, 1, 1]}


class TestPatterns:
    truth = np.zeros(10, int)

    def test_bars_count_the_patterns(self):
        display = PatternsDisplay.from_predictions(self.truth, RIGHT_AND_WRONG).plot()
        assert [bar.get_height() for bar in display.axes_[0].patches] == [4, 3, 2, 1]
        assert [t.get_text() for t in display.axes_[0].texts] == ["4", "3", "2", "1"]
        assert [t.get_text() for t in display.axes_[1].get_yticklabels()] == ["a  60 %", "b  50 %"]
        assert display.describe() == "everybody is right about 4 of 10 instances, nobody about 3"

    def test_thousands_are_separated_at_the_axis_as_beside_the_bars(self):
        display = PatternsDisplay.from_predictions([0] * 1500, {"a": [0] * 1400 + [1] * 100}).plot()
        display.figure_.canvas.draw()
        assert "1,000" in [t.get_text() for t in display.axes_[0].get_yticklabels()]
        assert display.axes_[0].texts[0].get_text() == "1,400"

    def test_the_rest_is_summed_up(self):
        display = PatternsDisplay.from_result(compare(self.truth, RIGHT_AND_WRONG, kind="classification"))
        display.plot(most=2, everybody=False)
        assert [bar.get_height() for bar in display.axes_[0].patches] == [3, 2]
        assert "1 more patterns with 1 instances" in [t.get_text() for t in display.axes_[0].texts]

    def test_estimators(self):
        display = PatternsDisplay.from_estimator(MODELS, X, Y)
        assert display.patterns.models == ("naive Bayes", "tree")
        with pytest.raises(InputTypeError, match="give what"):
            PatternsDisplay({"a": 3})
        with pytest.raises(InputError, match="patterns are of classifiers"):
            PatternsDisplay.from_result(compare(self.truth, RIGHT_AND_WRONG, kind="clustering"))


def test_each_estimator_is_read_with_its_own_classes():
    points, kinds = np.arange(12.0)[:, None] % 5, np.repeat(["a", "b", "c"], 4)
    of_two = GaussianNB().fit(points[:8], kinds[:8])
    of_three = GaussianNB().fit(points, kinds)
    options = {"positive": "b", "n_bins": 4}
    both = ReliabilityDisplay.from_estimator(
        {"two": of_two, "three": of_three}, points[:8], kinds[:8], **options
    )
    alone = ReliabilityDisplay.from_estimator({"three": of_three}, points[:8], kinds[:8], **options)
    np.testing.assert_array_equal(both.curves["three"].binned.forecast, alone.curves["three"].binned.forecast)


def test_a_band_around_a_roc_curve_is_drawn():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    scores = {"one": truth + rng.normal(size=300), "two": truth + 2 * rng.normal(size=300)}
    display = RocCurveDisplay.from_predictions(truth, scores=scores)
    assert not display.plot().ax_.collections
    shades = display.plot(confidence=0.9).ax_.collections
    assert len(shades) == 2
    for shade, curve in zip(shades, display.curves.values(), strict=True):
        band = curve.band(0.9, at=np.linspace(0, 1, 1001))
        points = shade.get_paths()[0].vertices
        for x, end in ((0.25, band.low[250]), (0.25, band.high[250]), (0.6, band.high[600])):
            assert np.isclose(points, (x, end)).all(axis=1).any()
    weighted = RocCurve.from_predictions(truth, scores=scores["one"], sample_weight=rng.random(300))
    assert not RocCurveDisplay(weighted).plot(confidence=0.9).ax_.collections
    with pytest.raises(InputError, match="confidence"):
        display.plot(confidence=95)


def bars(display) -> np.ndarray:
    """Return the ends of the bars of the first curve."""
    return np.array([segment[:, 1] for segment in display.plot().axes_[0].collections[0].get_segments()])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_the_bars_of_reliability_are_those_of_the_units(verb, weighted, tmp_path):
    """Each row copied twenty times in its unit says no more than the row did."""
    rng = np.random.default_rng(0)
    shares = rng.random(700)
    truth = (rng.random(700) < shares).astype(int)
    units, weights = np.arange(700) // 2, rng.uniform(0.5, 2, 700)

    def judged(times, **options):
        y, p, w, u = (np.repeat(own, times) for own in (truth, shares, weights, units))
        if weighted:
            options |= {"sample_weight": w, "weights": "importance"}
        if options.pop("by_unit", False):
            options["units"] = u
        models = {"a": p, "b": 1 - p} if verb == "compare" else p
        return getattr(adjudge, verb)(y, probabilities=models, positive=1, kind="classification", **options)

    once, often = judged(1, by_unit=True), judged(20, by_unit=True)
    wanted = bars(ReliabilityDisplay.from_result(once))
    np.testing.assert_allclose(bars(ReliabilityDisplay.from_result(often)), wanted, rtol=1e-6)
    alone = bars(ReliabilityDisplay.from_result(judged(1)))
    assert alone.shape == wanted.shape
    np.testing.assert_allclose(np.ptp(wanted, axis=1), np.ptp(alone, axis=1), rtol=0.5)
    often.save(tmp_path / "rows.adjudge", instances=True)
    again = ReliabilityDisplay.from_result(adjudge.load(tmp_path / "rows.adjudge"))
    np.testing.assert_allclose(bars(again), wanted, rtol=1e-6)
    often.save(tmp_path / "short.adjudge")
    short = ReliabilityDisplay.from_result(adjudge.load(tmp_path / "short.adjudge")).plot()
    assert not short.axes_[0].collections
    assert "no bars: rows of one unit vary together" in short.axes_[1].get_xlabel()


def test_the_bars_of_independent_rows_are_the_same_if_each_is_a_unit():
    rng = np.random.default_rng(0)
    truth, shares = rng.integers(0, 2, 200), rng.random(200)
    options = {"positive": 1, "kind": "classification"}
    wanted = adjudge.evaluate(truth, probabilities=shares, **options).reliability().intervals()
    found = adjudge.evaluate(truth, probabilities=shares, units=np.arange(200), **options).reliability()
    np.testing.assert_array_equal(found.intervals(), wanted)
    weights = {"sample_weight": np.ones(200), "weights": "importance"}
    found = adjudge.evaluate(truth, probabilities=shares, **weights, **options).reliability()
    wider = np.ptp(found.intervals(), axis=1) / np.ptp(wanted, axis=1)  # those of the general rule
    assert ((wider > 0.9) & (wider < 1.6)).all()
    with pytest.raises(InputError, match="weights do not say how many instances a bin has"):
        adjudge.evaluate(
            truth, probabilities=shares, sample_weight=np.full(200, 2.0), **options
        ).reliability().intervals()


@pytest.mark.parametrize("display", [RocCurveDisplay, displays.DecisionCurveDisplay])
def test_a_curve_without_a_band_says_why(display):
    rng = np.random.default_rng(0)
    truth, shares = rng.integers(0, 2, 200), rng.random(200)
    options = {"positive": 1, "kind": "classification"}
    for own, why in (
        ({"units": np.arange(200) // 4}, "no band: rows of one unit vary together"),
        ({"sample_weight": rng.random(200)}, "no band: weights do not say how many instances there are"),
    ):
        made = display.from_result(adjudge.evaluate(truth, probabilities=shares, **options, **own))
        assert why in made.plot(confidence=0.95).ax_.get_xlabel()
        assert why not in made.plot().ax_.get_xlabel()


def test_curves_of_a_comparison_are_those_of_its_models(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    shares = {
        name: np.clip(truth * s + rng.random(200) * (1 - s), 0, 1) for name, s in (("a", 0.3), ("b", 0.5))
    }
    options = {"kind": "classification", "positive": 1}
    compared = adjudge.compare(truth, probabilities=shares, **options)
    each = {n: adjudge.evaluate(truth, probabilities=own, **options) for n, own in shares.items()}
    several = adjudge.evaluate(
        truth, {n: adjudge.Classifier(probabilities=p) for n, p in shares.items()}, **options
    )
    compared.save(tmp_path / "c.adjudge", instances=True)
    compared.save(tmp_path / "short.adjudge")
    for display in (
        displays.RocCurveDisplay,
        displays.PrecisionRecallDisplay,
        displays.DetCurveDisplay,
        displays.GainsDisplay,
        displays.ThresholdDisplay,
    ):
        wanted = display.from_result(each)
        for found in (
            compared,
            several,
            adjudge.load(tmp_path / "c.adjudge"),
            adjudge.load(tmp_path / "short.adjudge"),
        ):
            drawn = display.from_result(found)
            assert list(drawn.curves) == ["a", "b"]
            for name, curve in drawn.curves.items():
                assert np.array_equal(curve.thresholds, wanted.curves[name].thresholds)
            drawn.plot()
    wanted = displays.ReliabilityDisplay.from_result(each)
    for found in (compared, several):
        assert list(displays.ReliabilityDisplay.from_result(found).curves) == list(wanted.curves)
    gate = adjudge.gate(
        truth, *(adjudge.Classifier(probabilities=own, positive=1) for own in shares.values())
    )
    for display in (displays.RocCurveDisplay, displays.ReliabilityDisplay):
        assert list(display.from_result(gate).curves) == ["old", "new"]
    for display in (
        displays.ComparisonDisplay,
        displays.PatternsDisplay,
        displays.PrayatulMatrixDisplay,
        displays.IndicesDisplay,
    ):
        display.from_result(gate).plot()
    without = adjudge.compare(truth, {"a": truth, "b": 1 - truth}, kind="classification")
    for display in (displays.RocCurveDisplay, displays.ReliabilityDisplay):
        with pytest.raises(InputError, match="curves are of probabilities or scores, which were not given"):
            display.from_result(without)
        with pytest.raises(InputError, match="curves are of probabilities or scores, which were not given"):
            display.from_result(adjudge.gate(truth, truth, 1 - truth, kind="classification"))
    with pytest.raises(InputTypeError, match=r"result holds several evaluations: give one, as result\['a'\]"):
        displays.ConfusionMatrixDisplay.from_result(several)


def test_options_that_need_the_rows_of_a_result_are_refused_by_their_name():
    for own in ({"units": [1, 1, 2]}, {"prevalence": 0.03}, {"weights": "importance"}):
        (name,) = own
        with pytest.raises(
            InputTypeError, match=rf"DecisionCurveDisplay.from_predictions\(\) has no option {name}="
        ):
            displays.DecisionCurveDisplay.from_predictions([0, 1, 1], [0.1, 0.8, 0.6], **own)
    with pytest.raises(InputTypeError, match="no option bins="):
        RocCurveDisplay.from_predictions([0, 1, 1], [0.1, 0.8, 0.6], bins="mass")
