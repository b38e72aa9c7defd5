"""What the displays draw, read back from the artists."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import silhouette_samples
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from adjudge import compare, evaluate
from adjudge.displays import (
    ComparisonDisplay,
    ContingencyDisplay,
    CriticalDifferenceDisplay,
    IndicesDisplay,
    KChoiceDisplay,
    NullDistributionDisplay,
    OutcomeMapDisplay,
    PrayatulMatrixDisplay,
    SilhouetteDisplay,
    StabilityDisplay,
)
from adjudge.displays._text import shorten, shorten_all
from adjudge.errors import InputError, InputTypeError, MissingExtraError, UnknownIndexError
from adjudge.presentation.numbers import count_text, p_text, share_text, value_text
from adjudge.presentation.palette import EMPHASIS, OUTCOME_COLORS, QUANTITY, WARNING
from adjudge.presentation.spacing import spread_apart
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.statistics.contingency import Contingency
from every_display import displays

WINE, CULTIVAR = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(WINE)
HOSTILE = ("$\\frac{1}{0}$", "_hidden <b>&amp;")


def texts(display) -> list[str]:
    return [t.get_text() for t in display.figure_.findobj(Text) if t.get_text()]


def clusterings():
    return {
        "k-means": KMeans(3, n_init=1, random_state=0).fit_predict(WINE),
        "DBSCAN": DBSCAN(2.2, min_samples=4).fit_predict(WINE),
    }


SAMPLES = displays(names=HOSTILE)


class TestContract:
    @pytest.mark.full(keep=4)
    @pytest.mark.parametrize("name", SAMPLES)
    def test_is_drawn_where_it_is_told(self, name):
        display = SAMPLES[name]
        assert display.plot() is display
        assert display.ax_.figure is display.figure_
        assert display.figure_.get_size_inches().tolist() == [6.4, 4.8]
        assert display._repr_png_().startswith(b"\x89PNG")
        figure = Figure(figsize=(8, 5))
        part, other = figure.subfigures(1, 2)
        left, right = part.subplots(1, 2)
        assert display.plot(left) is display
        assert display.ax_ is left
        assert display._repr_png_() is None
        assert not right.has_data()
        for ax in (left, other.subplots(), figure.add_axes((0.6, 0.1, 0.3, 0.8))):
            assert display.plot(ax).figure_ is figure
        figure.draw_without_rendering()
        # With a constrained layout matplotlib warns where axes collapse.
        figure = Figure(figsize=(5.5, 6), layout="constrained")
        grid = figure.subplots(2, 2)
        display.plot(grid[1, 1])
        figure.draw_without_rendering()
        assert grid[0, 0].get_position().width > 0.05

    def test_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        for display in SAMPLES.values():
            with pytest.raises(MissingExtraError, match=r"pip install 'adjudge\[plot\]'"):
                display.plot()

    @pytest.mark.full(keep=2)
    @pytest.mark.parametrize("name", SAMPLES)
    def test_shows_names_as_they_are(self, name):
        display = SAMPLES[name].plot(figsize=(9, 5))
        for text in display.figure_.findobj(Text):
            if "frac" in text.get_text():
                assert not text.get_parse_math()
        display.figure_.savefig("/dev/null", format="png")

    @pytest.mark.full
    @pytest.mark.parametrize(
        "name", ["prayatul", "comparison", "outcome_map", "alluvial", "indices", "ranks"]
    )
    def test_shows_every_name(self, name):
        shown = " | ".join(texts(SAMPLES[name].plot(figsize=(12, 6))))
        for hostile in HOSTILE:
            assert hostile in shown

    @pytest.mark.full(keep=3)
    @pytest.mark.parametrize("name", SAMPLES)
    def test_writes_vectors(self, name, tmp_path):
        SAMPLES[name].plot().figure_.savefig(tmp_path / "x.svg")
        # Matplotlib makes the ramp of a colour bar an image, and so are thousands of shades in a triangle.
        with_one = ("comparison", "balance_map", "contingency", "confusion", "dataset_map", "posterior")
        assert (tmp_path / "x.svg").read_text().count("<image") == (name in with_one)

    def test_axes_of_another_kind(self):
        with pytest.raises(InputTypeError, match="ax is a str"):
            SAMPLES["prayatul"].plot("left")

    def test_notebook_draws_by_itself(self):
        display = PrayatulMatrixDisplay(Agreement(1, 2, 3, 4))
        assert display._repr_png_().startswith(b"\x89PNG")

    @pytest.mark.full
    def test_never_touches_pyplot(self):
        code = (
            "import sys, adjudge\n"
            "assert not any(m.startswith('matplotlib') for m in sys.modules)\n"
            "d = adjudge.displays.PrayatulMatrixDisplay(adjudge.statistics.Agreement(1, 2, 3, 4))\n"
            "assert not any(m.startswith('matplotlib') for m in sys.modules)\n"
            "d._repr_png_()\n"
            "assert 'matplotlib.figure' in sys.modules and 'matplotlib.pyplot' not in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True)


class TestText:
    @given(st.integers(0, 10**30), st.integers(5, 12))
    def test_counts_are_exact_or_cut(self, count, room):
        text = count_text(count, room)
        number = text.lstrip("≈").replace(",", "")
        scale = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}.get(number[-1], 1)
        shown = float(number.rstrip("kMGTP")) * scale
        if text.startswith("≈"):
            assert len(f"{count:,}") > room
            assert shown <= count * (1 + 1e-12)
            assert shown >= count * 0.99
        else:
            assert shown == pytest.approx(count, rel=1e-12)

    @given(st.integers(0, 10**6), st.integers(1, 10**6))
    def test_shares_are_0_or_100_only_where_they_are(self, part, rest):
        assert (share_text(part, part + rest) == "0 %") == (part == 0)
        assert share_text(part, part + rest) != "100 %"
        assert share_text(rest, rest) == "100 %"

    @given(st.lists(st.text("ab 1_", min_size=1, max_size=30), unique=True, max_size=8), st.integers(3, 12))
    def test_different_names_stay_different(self, names, room):
        clean = [" ".join(name.split()) for name in names]
        short = shorten_all(names, room)
        for i, j in itertools.combinations(range(len(names)), 2):
            assert (short[i] == short[j]) == (clean[i] == clean[j])

    @given(st.text(max_size=40), st.integers(1, 12))
    def test_short_names_fit(self, name, room):
        assert len(shorten(name, room)) <= room
        assert "\n" not in shorten(name, room)

    def test_values(self):
        assert value_text(float("inf")) == "∞"
        assert value_text(-float("inf")) == "−∞"
        assert p_text(0.5) == "p = 0.5"
        assert share_text(0, 0) == "undefined"


class TestPrayatulMatrix:
    def test_counts_shares_and_margins(self):
        shown = texts(PrayatulMatrixDisplay(Agreement(40, 12, 5, 3)).plot())
        for count in ("40", "12", "5", "3", "52", "8", "45", "15", "60"):
            assert count in shown
        for share in ("66.7 %", "20 %", "8.3 %", "5 %", "86.7 %", "13.3 %", "75 %", "25 %", "100 %"):
            assert share in shown

    def test_cells_lie_as_in_the_papers(self):
        display = PrayatulMatrixDisplay(Agreement(10, 10, 10, 10)).plot()
        place = {
            t.get_text()[:2]: t.get_position()
            for t in display.ax_.texts
            if t.get_text()[:2] in ("BR", "RW", "WR")
        }
        assert place["RW"][0] > place["BR"][0]
        assert place["WR"][1] > place["BR"][1]  # y runs down
        assert display.ax_.yaxis_inverted()

    @pytest.mark.full
    def test_a_whole_cell_has_the_outcome_s_own_colour(self):
        for cell in CELLS:
            agreement = Agreement(**{c: 7 * (c == cell) for c in CELLS})
            display = PrayatulMatrixDisplay(agreement).plot()
            assert OUTCOME_COLORS[cell] in {to_hex(p.get_facecolor()) for p in display.ax_.patches}

    def test_large_counts_fit(self):
        shown = texts(PrayatulMatrixDisplay(Agreement(8765432109876, 1, 0, 123456789012)).plot())
        assert "≈8.76T" in shown
        assert "<0.1 %" in shown

    def test_every_way_in_gives_the_same(self):
        p, q = GaussianNB().fit(WINE, CULTIVAR), DecisionTreeClassifier(max_depth=1).fit(WINE, CULTIVAR)
        models = {"GaussianNB": p.predict(WINE), "DecisionTreeClassifier": q.predict(WINE)}
        ways = [
            PrayatulMatrixDisplay.from_estimator(p, q, WINE, CULTIVAR, kind="classification"),
            PrayatulMatrixDisplay.from_predictions(
                CULTIVAR, *models.values(), kind="classification", names=tuple(models)
            ),
            PrayatulMatrixDisplay.from_result(compare(CULTIVAR, models, kind="classification")),
        ]
        assert len({(w.agreement, w.primary, w.alternative, w.unit) for w in ways}) == 1

    def test_which_models(self):
        models = {**clusterings(), "truth": CULTIVAR}
        result = compare(CULTIVAR, models, kind="clustering")
        with pytest.raises(InputError, match="name primary= and alternative="):
            PrayatulMatrixDisplay.from_result(result)
        display = PrayatulMatrixDisplay.from_result(result, primary="truth", alternative="DBSCAN")
        assert display.agreement.wrong_right == 0
        assert display.unit == "pairs of instances"
        with pytest.raises(InputError, match="result is a dict"):
            PrayatulMatrixDisplay.from_result({})

    def test_estimators_must_be_fitted_to_the_data(self):
        fitted = DBSCAN(2.2).fit(WINE)
        with pytest.raises(InputError, match="not fitted"):
            PrayatulMatrixDisplay.from_estimator(fitted, DBSCAN(), WINE, CULTIVAR, kind="clustering")
        with pytest.raises(InputError, match="was fitted to 178 instances, X has 100"):
            PrayatulMatrixDisplay.from_estimator(
                fitted, fitted, WINE[:100], CULTIVAR[:100], kind="clustering"
            )
        with pytest.raises(InputTypeError, match="is not an estimator"):
            PrayatulMatrixDisplay.from_estimator(3, fitted, WINE, CULTIVAR, kind="clustering")
        with pytest.raises(InputTypeError, match="gives no labels"):
            PrayatulMatrixDisplay.from_estimator(
                StandardScaler().fit(WINE), fitted, WINE, CULTIVAR, kind="clustering"
            )


class TestComparison:
    def test_values_and_undefined(self):
        models = {**clusterings(), "same": clusterings()["DBSCAN"]}
        result = compare(CULTIVAR, models, kind="clustering")
        display = ComparisonDisplay.from_result(result, measure="sigma_c").plot()
        drawn = display.ax_.collections[0].get_array().filled(np.nan).reshape(3, 3)
        for i, p in enumerate(models):
            for j, q in enumerate(models):
                if i != j:
                    expected = result[p, q].measures["comparative_deviation"]
                    assert drawn[i, j] == expected or np.isnan(expected) == np.isnan(drawn[i, j])
        assert texts(display).count("undef.") == 2
        assert len(display.ax_.patches) == 2  # hatched, the diagonal is not

    def test_intervals_are_written_where_they_fit(self):
        intervals = np.array([[[np.nan] * 2, [0.1, 0.7]], [[-0.7, -0.1], [np.nan] * 2]])
        display = ComparisonDisplay(["a", "b"], [[0, 0.4], [-0.4, 0]], intervals=intervals)
        assert "0.40\n[0.10, 0.70]" in texts(display.plot())
        small = display.plot(Figure(figsize=(0.75, 0.75)).subplots())
        assert not any("[" in text for text in texts(small))

    @pytest.mark.parametrize(("low", "weight"), [(0.01, "bold"), (-0.01, "normal")])
    def test_bold_where_decided(self, low, weight):
        intervals = np.full((2, 2, 2), np.nan)
        intervals[0, 1] = low, 0.7
        display = ComparisonDisplay(["a", "b"], [[0, 0.4], [0, 0]], intervals=intervals).plot()
        (text,) = (t for t in display.ax_.texts if t.get_text().startswith("0.40"))
        assert text.get_weight() == weight

    def test_from_estimator(self):
        models = {
            "nb": GaussianNB().fit(WINE, CULTIVAR),
            "tree": DecisionTreeClassifier(max_depth=1).fit(WINE, CULTIVAR),
        }
        display = ComparisonDisplay.from_estimator(
            models, WINE, CULTIVAR, kind="classification", measure="alpha"
        )
        assert display.measure == "polarization"
        assert display.values[0, 1] > display.values[1, 0]

    def test_shapes(self):
        with pytest.raises(InputError, match=r"values has shape \(1, 2\)"):
            ComparisonDisplay(["a", "b"], [[1, 2]])
        with pytest.raises(InputError, match="intervals has shape"):
            ComparisonDisplay(["a", "b"], np.eye(2), intervals=[1, 2])
        with pytest.raises(UnknownIndexError):
            ComparisonDisplay(["a", "b"], np.eye(2), measure="rand")

    def test_many_models_have_colours_alone_and_some_names(self):
        m = 40
        display = ComparisonDisplay([f"m{i}" for i in range(m)], np.zeros((m, m))).plot()
        assert not display.ax_.texts
        assert 5 < sum(label.get_visible() for label in display.ax_.get_yticklabels()) <= m


class TestOutcomeMap:
    @pytest.mark.parametrize("n", [50, 5_000])
    def test_marks_are_seen(self, n):
        truth = np.arange(n) % 2
        models = [np.where(np.arange(n) % k == 0, 1 - truth, truth) for k in (5, 7)]
        X = np.random.default_rng(0).normal(size=(n, 2))
        display = OutcomeMapDisplay.from_predictions(truth, *models, X, kind="classification").plot()
        alone = [own for own in display.ax_.collections if own.get_alpha() == 0.9]
        assert all(own.get_sizes().min() >= 2 for own in alone)
        legend = display.ax_.get_legend()
        assert min(text.get_fontsize() for text in legend.get_texts()) >= 8
        assert min(handle.get_sizes()[0] for handle in legend.legend_handles) >= 30

    def test_points_of_each_outcome(self):
        p, q = GaussianNB().fit(WINE, CULTIVAR), DecisionTreeClassifier(max_depth=2).fit(WINE, CULTIVAR)
        display = OutcomeMapDisplay.from_predictions(
            CULTIVAR,
            p.predict(WINE),
            q.predict(WINE),
            WINE[:, :2],
            kind="classification",
            names=("nb", "tree"),
        )
        display.plot()
        right_p, right_q = p.predict(WINE) == CULTIVAR, q.predict(WINE) == CULTIVAR
        expected = {
            "both_right": right_p & right_q,
            "right_wrong": right_p & ~right_q,
            "wrong_right": ~right_p & right_q,
            "both_wrong": ~right_p & ~right_q,
        }
        drawn = {
            to_hex(c.get_facecolor()[0]): c.get_offsets()
            for c in display.ax_.collections
            if len(c.get_offsets())
        }
        for cell, mask in expected.items():
            if mask.any():
                np.testing.assert_array_equal(drawn[OUTCOME_COLORS[cell]], WINE[mask, :2])
        assert f"only nb ({expected['right_wrong'].sum()})" in texts(display)

    def test_balance_is_the_net_share_of_an_instance_s_pairs(self):
        p, q = clusterings().values()
        display = OutcomeMapDisplay.from_predictions(CULTIVAR, p, q, WINE[:, :2], kind="clustering").plot()
        n = len(CULTIVAR)
        same = [labels[:, None] == labels for labels in (CULTIVAR, p, q)]
        right_p, right_q = same[1] == same[0], same[2] == same[0]
        balance = (right_p.sum(axis=1) - right_q.sum(axis=1)) / (n - 1)
        marks = display.ax_.collections[0]
        by_place = {tuple(xy): value for xy, value in zip(WINE[:, :2], balance, strict=True)}
        drawn = marks.get_array()
        np.testing.assert_allclose(drawn, [by_place[tuple(xy)] for xy in marks.get_offsets()], atol=1e-12)
        assert (np.diff(np.abs(drawn)) >= -1e-12).all()
        low, high = marks.get_clim()
        assert low == -high == -np.abs(balance).max()

    def test_one_outcome(self):
        display = SAMPLES["balance_map"].plot(show="both_wrong")
        drawn = np.sort(display.ax_.collections[0].get_array())
        total = sum(display.cells.values())
        np.testing.assert_allclose(drawn, np.sort(display.cells["both_wrong"] / total))

    def test_instances_left_out_are_not_drawn(self):
        truth = [0, 0, 1, None, 1]
        models = {"p": [0, 0, 1, 1, 0], "q": [0, 1, 1, 1, 1]}
        points = np.arange(10.0).reshape(5, 2)
        for kind in ("classification", "clustering"):
            result = compare(truth, models, kind=kind, missing="drop")
            display = OutcomeMapDisplay.from_result(result, points).plot()
            drawn = np.concatenate([c.get_offsets() for c in display.ax_.collections])
            assert sorted(drawn[:, 0]) == [0, 2, 4, 8]

    def test_pca_explains_most(self):
        result = compare(CULTIVAR, clusterings(), kind="clustering")
        display = OutcomeMapDisplay.from_result(result, WINE)
        singular = np.linalg.svd(WINE - WINE.mean(axis=0), compute_uv=False)
        np.testing.assert_allclose(np.linalg.norm(display.points, axis=0), singular[:2], rtol=1e-6)
        assert "36%" in display.axis_names[0]

    def test_embeddings(self):
        result = compare(CULTIVAR, clusterings(), kind="clustering")

        def first_two(X):
            return X[:, :2]

        for embedding in (first_two, WINE[:, :2], SimpleNamespace(fit_transform=first_two)):
            display = OutcomeMapDisplay.from_result(result, WINE, embedding=embedding)
            np.testing.assert_array_equal(display.points, WINE[:, :2])
        with pytest.raises(InputError, match="the embedding has shape"):
            OutcomeMapDisplay.from_result(result, WINE, embedding=WINE)
        with pytest.raises(InputError, match="embedding='tsne' is not known"):
            OutcomeMapDisplay.from_result(result, WINE, embedding="tsne")

    def test_one_variable_and_sparse_points(self):
        from scipy.sparse import csr_array

        result = compare(CULTIVAR, clusterings(), kind="clustering")
        assert OutcomeMapDisplay.from_result(result, WINE[:, :1]).points.shape == (178, 2)
        dense = OutcomeMapDisplay.from_result(result, WINE).points
        sparse = OutcomeMapDisplay.from_result(result, csr_array(WINE)).points
        np.testing.assert_allclose(np.abs(sparse), np.abs(dense), atol=1e-8)

    @pytest.mark.parametrize("kind", ["classification", "clustering"])
    def test_rows_must_match(self, kind):
        result = compare(CULTIVAR, clusterings(), kind=kind)
        with pytest.raises(InputError, match="X has 100 rows"):
            OutcomeMapDisplay.from_result(result, WINE[:100])

    def test_shapes(self):
        cells = {cell: [1, 0] for cell in CELLS}
        with pytest.raises(InputError, match="two coordinates"):
            OutcomeMapDisplay(np.zeros((2, 3)), cells, kind="clustering")
        with pytest.raises(InputError, match="there are 3 points"):
            OutcomeMapDisplay(np.zeros((3, 2)), cells, kind="clustering")
        with pytest.raises(InputError, match="show='outcome' is not known"):
            SAMPLES["balance_map"].plot(show="outcome")

    def test_many_points_become_pixels(self):
        n = 6000
        cells = {cell: np.arange(n) % 4 == i for i, cell in enumerate(CELLS)}
        display = OutcomeMapDisplay(np.zeros((n, 2)), cells, kind="classification").plot()
        assert all(c.get_rasterized() for c in display.ax_.collections)


class TestContingency:
    @pytest.mark.full
    def test_matched_clusters_stand_on_the_diagonal(self, rng):
        for shape in [(3, 3), (4, 4), (3, 5), (5, 3)]:
            matrix = rng.integers(0, 9, shape) + 1
            display = ContingencyDisplay(Contingency.from_matrix(matrix)).plot()
            order = [int(t.get_text()) for t in display.ax_.get_xticklabels()]
            wide = matrix if shape[0] <= shape[1] else matrix.T
            best = max(
                sum(wide[i, j] for i, j in enumerate(columns))
                for columns in itertools.permutations(range(wide.shape[1]), wide.shape[0])
            )
            assert sorted(order) == list(range(shape[1]))
            if shape[0] <= shape[1]:
                assert np.trace(matrix[:, order]) == best

    @pytest.mark.parametrize(
        ("colors", "expected"), [("true", [0.75, 1.0]), ("pred", [1.0, 0.8]), ("all", [0.375, 0.5])]
    )
    def test_colours_are_shares(self, colors, expected):
        display = ContingencyDisplay(Contingency.from_matrix([[3, 1], [0, 4]])).plot(colors=colors)
        drawn = display.ax_.collections[0].get_array().reshape(2, 2)
        np.testing.assert_allclose(np.diag(drawn), expected)

    def test_empty_cells_are_blank(self):
        display = ContingencyDisplay(Contingency.from_matrix([[3, 1], [0, 4]])).plot()
        assert sorted(t.get_text() for t in display.ax_.texts) == ["1", "3", "4"]

    def test_bands_hold_the_instances(self, rng):
        a, b, c = (rng.integers(0, k, 300) for k in (3, 4, 2))
        display = ContingencyDisplay.from_predictions(a, {"b": b, "c": c}).plot()
        from matplotlib.patches import PathPatch, Rectangle

        bands = [p for p in display.ax_.patches if isinstance(p, PathPatch)]
        boxes = [p for p in display.ax_.patches if isinstance(p, Rectangle)]
        heights = sorted(p.get_path().vertices[7, 1] - p.get_path().vertices[0, 1] for p in bands)
        tables = [np.histogram2d(x, y, (x.max() + 1, y.max() + 1))[0] for x, y in [(a, b), (b, c)]]
        np.testing.assert_allclose(heights, sorted(v for t in tables for v in t.ravel() if v))
        sizes = [*np.bincount(a), *np.bincount(b), *np.bincount(c)]
        np.testing.assert_allclose(sorted(p.get_height() for p in boxes), sorted(sizes))

    def test_matched_clusters_share_a_colour(self):
        a = np.repeat([0, 1, 2], 10)
        display = ContingencyDisplay.from_predictions(
            a, {"renamed": (a + 1) % 3, "split": a * 2 + np.arange(30) % 10 // 7}
        )
        hues = display._orders_and_hues()[1]
        assert list(hues[1]) == [2, 0, 1]
        assert hues[2][0] == hues[1][1]
        assert len(set(hues[2])) == 6

    def test_partitions_must_follow(self):
        with pytest.raises(InputError, match="the tables do not match"):
            ContingencyDisplay([Contingency.from_matrix([[3, 1]]), Contingency.from_matrix([[1, 1]])])
        with pytest.raises(InputError, match="names has 1 entries, but there are 2"):
            ContingencyDisplay(Contingency.from_matrix([[3, 1]]), names=["a"])
        with pytest.raises(InputError, match="use style='alluvial'"):
            SAMPLES["alluvial"].plot(style="heatmap")
        with pytest.raises(InputError, match="tables is empty"):
            ContingencyDisplay([])

    def test_describes(self):
        display = ContingencyDisplay(Contingency.from_matrix([[3, 1], [0, 4]]))
        assert display.describe() == "7 of 8 instances (87.5 %) lie in matched clusters"

    def test_from_estimator(self):
        display = ContingencyDisplay.from_estimator(
            KMeans(3, n_init=1, random_state=0).fit(WINE), WINE, CULTIVAR
        )
        assert display.tables[0].n == 178
        assert display.names == ("true", "KMeans")


class TestSilhouette:
    def area(self, display, color):
        """Area between 0 and the outlines of one colour, by the shoelace formula."""
        total = 0.0
        for collection in display.ax_.collections:
            if to_hex(collection.get_facecolor()[0]) == color:
                for path in collection.get_paths():
                    x, y = path.vertices.T
                    total += abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
        return total

    def test_areas_are_sums_of_widths(self):
        labels = clusterings()["DBSCAN"]
        display = SilhouetteDisplay.from_predictions(WINE, labels).plot()
        widths = silhouette_samples(WINE, labels)
        np.testing.assert_allclose(display.widths, widths, atol=1e-10)
        assert self.area(display, QUANTITY) == pytest.approx(widths[widths > 0].sum())
        assert self.area(display, WARNING) == pytest.approx(-widths[widths < 0].sum())
        shown = texts(display)
        assert f"mean {widths.mean():.2f}" in shown
        assert f"below 0: {(widths < 0).sum()} of 178" in shown
        assert {str(label) for label in np.unique(labels)} <= set(shown)

    def test_many_points_are_thinned_out(self, rng):
        widths = rng.uniform(-0.5, 1, 40_000)
        display = SilhouetteDisplay(widths, np.arange(40_000) % 2).plot()
        vertices = sum(len(p.vertices) for c in display.ax_.collections for p in c.get_paths())
        assert vertices < 40_000
        assert self.area(display, QUANTITY) == pytest.approx(widths[widths > 0].sum(), rel=1e-3)

    def test_undefined_widths_are_counted(self):
        shown = texts(SilhouetteDisplay([0.5, np.nan, np.nan, 0.2], [0, 0, 1, 2]).plot())
        assert "undefined: 2" in shown
        assert "undef.  (1)" in shown
        assert not any(text.startswith("mean 0") for text in shown)

    def test_noise_dropped(self):
        labels = clusterings()["DBSCAN"]
        display = SilhouetteDisplay.from_predictions(WINE, labels, noise="drop")
        assert display.widths.size == (labels != -1).sum()
        assert -1 not in display.names

    def test_from_estimator(self):
        model = KMeans(3, n_init=1, random_state=0).fit(WINE)
        np.testing.assert_allclose(
            SilhouetteDisplay.from_estimator(model, WINE).widths, silhouette_samples(WINE, model.labels_)
        )

    def test_lengths(self):
        with pytest.raises(InputError, match="labels has 2 entries"):
            SilhouetteDisplay([0.1], [0, 1])


class TestIndices:
    def marks(self, display):
        """Positions of the marks by row."""
        rows: dict[int, list[float]] = {}
        for line in display.ax_.lines:
            if line.get_linestyle() in ("None", "") and len(line.get_xdata()) == 1:
                rows.setdefault(round(float(line.get_ydata()[0])), []).append(float(line.get_xdata()[0]))
        return rows

    def test_positions_from_worst_to_best(self):
        values = {"jaccard": 0.25, "adjusted_rand": 0.4, "c_index": 0.1}
        display = IndicesDisplay({"x": values}).plot()
        assert self.marks(display) == {0: [0.25], 1: [pytest.approx(0.9 / 1.5)], 2: [pytest.approx(0.9)]}
        ends = [t.get_text() for t in display.ax_.texts if t.get_gid() == "end"]
        assert ends == ["0", "1", "−0.5", "1", "1", "0"]

    def test_unbounded_values_are_printed(self):
        display = IndicesDisplay({"x": {"calinski_harabasz": 70.9}}).plot()
        assert not self.marks(display)
        assert "70.900" in texts(display)

    def test_unbounded_scales_of_several_models_end_at_what_is_shown(self):
        display = IndicesDisplay({"x": {"davies_bouldin": 2.0}, "y": {"davies_bouldin": 0.5}}).plot()
        assert self.marks(display) == {0: [0.0, 0.75]}
        assert [t.get_text() for t in display.ax_.texts if t.get_gid() == "end"] == ["2.00*", "0"]
        assert any("* end of the values shown" in text for text in texts(display))

    def test_undefined_and_infinite(self):
        display = IndicesDisplay(
            {"x": {"jaccard": np.nan, "dunn": np.inf}, "y": {"jaccard": 0.5, "dunn": 1.0}}
        )
        assert "undefined for x" in texts(display.plot())
        assert any(line.get_marker() == r"$\infty$" for line in display.ax_.lines)
        alone = IndicesDisplay({"x": {"jaccard": np.nan}}).plot()
        assert "undefined" in texts(alone)
        assert not self.marks(alone)

    def test_ways_in(self):
        labels = clusterings()["k-means"]
        result = evaluate(CULTIVAR, labels, indices=["rand", "jaccard"])
        assert IndicesDisplay.from_result(result).values == {"partition": result.values}
        several = evaluate(CULTIVAR, {"found": labels, "truth": CULTIVAR}, indices=["rand"])
        assert IndicesDisplay.from_result(several).values == several.values
        assert IndicesDisplay.from_predictions(CULTIVAR, labels, indices=["rand"]).indices == ["rand"]
        chosen = IndicesDisplay.from_result({"a": result, "b": result}, indices=["jac"])
        assert chosen.values == {"a": {"jaccard": result["jaccard"]}, "b": {"jaccard": result["jaccard"]}}
        compared = compare(CULTIVAR, clusterings(), kind="clustering")
        assert IndicesDisplay.from_result(compared).values == compared.scores
        model = KMeans(3, n_init=1, random_state=0).fit(WINE)
        both = IndicesDisplay.from_estimator(model, WINE, CULTIVAR, indices=["rand", "silhouette"])
        assert both.indices == ["rand", "silhouette"]
        with pytest.raises(UnknownIndexError, match="'dunn' was not computed"):
            IndicesDisplay.from_result(result, indices=["dunn"])
        with pytest.raises(InputError, match="values is empty"):
            IndicesDisplay({})


class TestKChoice:
    def test_votes_gaps_and_tally(self):
        values = {
            "silhouette": {2: 0.3, 3: 0.5, 4: 0.2},
            "dunn": {2: 0.1, 3: float("nan"), 4: float("inf")},
        }
        display = KChoiceDisplay(values, {"silhouette": 3, "dunn": None}, 3).plot()
        first, second, tally = display.axes_
        (vote,) = (line for line in first.lines if line.get_gid() == "vote")
        assert (vote.get_xdata()[0], vote.get_ydata()[0]) == (3, 0.5)
        curve = next(line for line in second.lines if len(line.get_xdata()) == 3)
        np.testing.assert_array_equal(np.isnan(curve.get_ydata()), [False, True, True])
        assert any(line.get_marker() == "^" for line in second.lines)
        assert "no vote" in [t.get_text() for t in second.texts]
        assert [bar.get_height() for bar in tally.patches] == [0, 1, 0, 1]
        assert tally.get_xticklabels()[-1].get_text() == "none"
        assert to_hex(tally.patches[1].get_facecolor()) == EMPHASIS

    def test_tally_given(self):
        values = {name: {2: 1.0, 3: 2.0} for name in ("silhouette", "dunn", "pbm")}
        votes = {"silhouette": 3, "dunn": 3, "pbm": 2}
        display = KChoiceDisplay(values, votes, 3, tally={2: 1.0, 3: 1.0}).plot()
        assert [bar.get_height() for bar in display.axes_[-1].patches] == [1, 1]
        assert display.axes_[-1].get_title() == "votes by family; K = 3"

    @pytest.mark.full(keep=2)
    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9])
    @pytest.mark.parametrize("columns", [None, 1, 2, 4])
    def test_every_panel_has_a_place(self, n, columns):
        names = [
            "silhouette",
            "dunn",
            "c_index",
            "ball_hall",
            "pbm",
            "xie_beni",
            "davies_bouldin",
            "gamma",
            "tau",
        ][:n]
        values = {name: {2: 0.1, 3: 0.3} for name in names}
        display = KChoiceDisplay(values, dict.fromkeys(names, 3), 3).plot(columns=columns)
        assert len(display.axes_) == n + 1
        places = [ax.get_subplotspec() for ax in display.axes_]
        cells = [cell for p in places for cell in itertools.product(p.rowspan, p.colspan)]
        assert len(cells) == len(set(cells))
        assert set(display.figure_.axes) == {display.ax_, *display.axes_}

    def test_from_result(self):
        from adjudge import choose_k

        choice = choose_k(
            WINE, k=range(2, 5), indices=["silhouette", "calinski_harabasz", "dunn"], random_state=0
        )
        display = KChoiceDisplay.from_result(choice, indices=["Silhouette"])
        assert list(display.values) == ["silhouette"]
        assert display.votes == choice.votes
        assert display.k == choice.k
        assert display.tally == choice.tally
        assert KChoiceDisplay.from_estimator("ward", WINE, k=range(2, 5), indices=["silhouette"]).ks == [
            2,
            3,
            4,
        ]
        with pytest.raises(UnknownIndexError, match="was not computed"):
            KChoiceDisplay.from_result(choice, indices=["pbm"])
        with pytest.raises(InputError, match="values is empty"):
            KChoiceDisplay({}, {}, None)


class TestNullDistribution:
    def test_few_values_are_drawn_one_by_one(self):
        display = NullDistributionDisplay(0.3, [0.1, 0.0, 0.1], [0.3, 0.5, 0.2]).plot()
        segments = display.ax_.collections[0].get_segments()
        assert [(s[1][0], s[1][1]) for s in segments] == [(0.0, 0.5), (0.1, 0.5)]
        assert display.mean == pytest.approx(0.05)

    def test_many_values_are_binned_and_nothing_is_lost(self, rng):
        display = NullDistributionDisplay(4.0, rng.normal(size=5000)).plot()
        (stairs,) = display.ax_.patches
        assert stairs.get_data().values.sum() == pytest.approx(1)
        assert any(line.get_color() == EMPHASIS and line.get_xdata()[0] == 4.0 for line in display.ax_.lines)
        low, high = display.ax_.get_xlim()
        assert low < -3 < 4.0 < high

    def test_undefined(self):
        shown = texts(NullDistributionDisplay(np.nan, [0.1, np.nan, 0.2, 0.3]).plot())
        assert "observed value: undef.; p undefined; 25.0% not finite" in shown
        assert "undefined by chance" in texts(NullDistributionDisplay(0.5, [np.nan]).plot())

    def test_from_predictions(self):
        labels = clusterings()["DBSCAN"]
        display = NullDistributionDisplay.from_predictions(
            "rand", CULTIVAR, labels, n_tables=200, random_state=0, method="simulate"
        )
        assert display.observed == pytest.approx(evaluate(CULTIVAR, labels, indices="rand")["rand"])
        assert display.title == "Rand"
        shown = texts(display.plot())
        assert "p < 0.005; 200 random tables" in shown
        exact = NullDistributionDisplay.from_predictions("adjusted_rand", [0, 0, 1, 1], [0, 0, 1, 1])
        assert exact.source == "exact"
        assert exact.mean == pytest.approx(0)

    def test_shapes(self):
        with pytest.raises(InputError, match="non-empty vector"):
            NullDistributionDisplay(1.0, [])
        with pytest.raises(InputError, match="probabilities has shape"):
            NullDistributionDisplay(1.0, [1.0], [0.5, 0.5])


class TestStability:
    def test_from_result(self):
        from adjudge import choose_k

        choice = choose_k(
            WINE, k=range(2, 5), indices=["silhouette"], random_state=0, stability=3, n_resamples=3
        )
        display = StabilityDisplay.from_result(choice).plot()
        assert display.ks == [2, 3, 4]
        dots = display.ax_.collections[-1].get_offsets()
        expected = [(k, v) for k in (2, 3, 4) for v in choice.stability.jaccard[k]]
        np.testing.assert_allclose(dots, expected)
        curves = [line.get_ydata() for line in display.ax_.lines if len(line.get_xdata()) == 3]
        np.testing.assert_allclose(curves[0], [choice.stability.strength[k] for k in (2, 3, 4)])
        with pytest.raises(InputError, match="stability=True"):
            StabilityDisplay.from_result(choose_k(WINE, k=range(2, 4), indices=["silhouette"]))

    def test_undefined_are_counted(self):
        resampled = {2: [0.9, 0.8], 3: [0.7, np.nan, 0.5]}
        assert "1 undef." in texts(StabilityDisplay(resampled, strength={2: 0.9, 3: 0.4}, k=2).plot())


class TestCriticalDifference:
    def bars(self, display):
        return [tuple(line.get_xdata()) for line in display.ax_.lines if line.get_gid() == "group"]

    def test_groups_within_the_critical_difference(self):
        ranks = {"c": 3.0, "a": 1.0, "b": 2.0, "d": 5.5}
        assert CriticalDifferenceDisplay(ranks, critical_difference=1.5).groups == [["a", "b"], ["b", "c"]]
        assert CriticalDifferenceDisplay(ranks, critical_difference=1.0).groups == []
        assert CriticalDifferenceDisplay(ranks, critical_difference=9).groups == [["a", "b", "c", "d"]]
        display = CriticalDifferenceDisplay(ranks, critical_difference=1.5).plot()
        (cd,) = (line for line in display.ax_.lines if line.get_gid() == "cd")
        assert np.ptp(cd.get_xdata()) == 1.5
        assert len(self.bars(display)) == 2

    def test_groups_of_a_test_are_its_cliques(self, rng):
        from adjudge.inference.data_sets.rank_comparison import alike_groups

        names = list("abcdefg")
        for _ in range(20):
            alike = {frozenset(p) for p in itertools.combinations(names, 2) if rng.random() < 0.6}
            complete = [
                set(g)
                for r in range(2, 8)
                for g in itertools.combinations(names, r)
                if all(frozenset(p) in alike for p in itertools.combinations(g, 2))
            ]
            largest = {frozenset(g) for g in complete if not any(g < other for other in complete)}
            assert {frozenset(g) for g in alike_groups(names, alike)} == largest

    def test_ranks_of_two_digits_stay_beside_their_names(self):
        ranks = {f"model_{i}": 10.5 + i for i in range(60)}
        display = CriticalDifferenceDisplay(ranks, critical_difference=18.0).plot()
        display.figure_.draw_without_rendering()
        boxes = {text.get_text(): text.get_window_extent() for text in display.ax_.texts}
        assert not any(boxes[name].overlaps(boxes[f"{rank:.2f}"]) for name, rank in ranks.items())

    def test_a_bar_over_others_has_dots(self):
        ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
        whole = CriticalDifferenceDisplay(ranks, groups=[["a", "b", "c"]]).plot()
        gappy = CriticalDifferenceDisplay(ranks, groups=[["a", "c"]]).plot()
        dots = [line for line in gappy.ax_.lines if line.get_marker() == "o" and line.get_color() == EMPHASIS]
        assert [list(line.get_xdata()) for line in dots] == [[1.0, 3.0]]
        assert not [
            line for line in whole.ax_.lines if line.get_marker() == "o" and line.get_color() == EMPHASIS
        ]

    def test_bars_do_not_meet(self):
        ranks = {str(i): i / 2 for i in range(2, 30)}
        display = CriticalDifferenceDisplay(ranks, critical_difference=2.2).plot()
        bars = [line for line in display.ax_.lines if line.get_gid() == "group"]
        for a, b in itertools.combinations(bars, 2):
            if a.get_ydata()[0] == b.get_ydata()[0]:
                (_, end), (start, _) = sorted([tuple(a.get_xdata()), tuple(b.get_xdata())])
                assert end < start

    def test_from_scores(self, rng):
        quality = {"good": 0.9, "fair": 0.7, "like fair": 0.7, "poor": 0.3}
        scores = {name: q + rng.normal(0, 0.02, 25) for name, q in quality.items()}
        display = CriticalDifferenceDisplay.from_scores(scores)
        assert next(iter(display.average_ranks)) == "good"
        assert [set(g) for g in display.groups] == [{"fair", "like fair"}]
        noise = {name: rng.normal(size=25) for name in quality}
        assert len(CriticalDifferenceDisplay.from_scores(noise, alpha=1e-6).groups[0]) == 4

    def test_inputs(self):
        with pytest.raises(InputError, match="at least two"):
            CriticalDifferenceDisplay({"a": 1.0})
        with pytest.raises(InputError, match="average rank of 'b' is nan"):
            CriticalDifferenceDisplay({"a": 1.0, "b": np.nan})
        with pytest.raises(InputError, match="groups names 'z'"):
            CriticalDifferenceDisplay({"a": 1.0, "b": 2.0}, groups=[["a", "z"]])
        with pytest.raises(InputError, match="alpha=2"):
            CriticalDifferenceDisplay.from_scores({"a": [1, 2], "b": [3, 1], "c": [2, 3]}, alpha=2)


def boxes_of(display, texts):
    display.figure_.draw_without_rendering()
    return [text.get_window_extent() for text in texts]


def test_long_names_leave_the_legend_of_a_map_within_the_figure() -> None:
    truth = np.arange(300) % 3
    names = ("gradient boosting with early stopping", "random forest of five hundred deep trees")
    shown = OutcomeMapDisplay.from_predictions(
        truth, truth, truth // 2, X=np.eye(300)[:, :2], kind="classification", names=names
    ).plot()
    width = shown.figure_.get_size_inches()[0] * shown.figure_.dpi
    shown.figure_.draw_without_rendering()
    assert shown.ax_.get_legend().get_window_extent().x1 <= width


def test_texts_of_small_clusters_do_not_overlap() -> None:
    labels = np.repeat(range(6), [280, 290, 8, 7, 6, 9])
    X = np.random.default_rng(0).normal(size=(600, 2)) + 4 * labels[:, None]
    for clusters in (labels, np.arange(600) % 40):
        shown = SilhouetteDisplay.from_predictions(X, clusters).plot()
        names = [t for t in shown.ax_.texts if t.get_text() in set(map(str, range(40)))]
        assert len(names) == len(set(clusters.tolist()))
        boxes = sorted(boxes_of(shown, names), key=lambda box: -box.y0)
        assert all(lower.y1 <= upper.y0 for upper, lower in pairwise(boxes))


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([0.0, 5.0, 10.0], [0, 5, 10]),
        ([5.0, 5.0], [4.5, 5.5]),
        ([0.0, 0.0, 9.0], [0, 1, 9]),
        ([9.0, 10.0, 10.0], [8, 9, 10]),
        ([1.0, 5.0, 5.2, 5.4], [1, 4.2, 5.2, 6.2]),
    ],
)
def test_places_are_spread_apart_as_little_as_possible(places: list[float], found: list[float]) -> None:
    assert spread_apart(places, 1.0, 0.0, 10.0) == pytest.approx(found)


def test_the_number_on_the_tallest_bar_is_below_the_title() -> None:
    values = {"silhouette": {2: 0.5, 3: 0.6, 4: 0.4}}
    shown = KChoiceDisplay(values, {"silhouette": 3}, k=3, tally={2: 1.2, 3: 9.6, 4: 0.4}).plot()
    tally = shown.axes_[-1]
    (number,) = [text for text in tally.texts if text.get_text() == "9.6"]
    text, title = boxes_of(shown, [number, tally.title])
    assert text.y1 <= title.y0


def test_a_comparison_says_what_bold_means_and_that_intervals_do_not_fit() -> None:
    truth = np.arange(300) % 3
    rng = np.random.default_rng(0)
    models = {
        f"model {i}": np.where(rng.random(300) < p, 0, truth) for i, p in enumerate((0.1, 0.3, 0.5, 0.9))
    }
    result = compare(truth, models, kind="classification", confidence=0.95)
    small, large = (ComparisonDisplay.from_result(result).plot(figsize=size) for size in ((3.4, 2.9), (9, 8)))
    assert "bold: the interval excludes 0" in small.ax_.get_xlabel()
    assert "intervals show in a larger figure" in small.ax_.get_xlabel()
    assert "larger" not in large.ax_.get_xlabel()
    assert any("[" in text.get_text() for text in large.ax_.texts)
    plain = ComparisonDisplay.from_result(compare(truth, models, kind="classification")).plot()
    assert plain.ax_.get_xlabel() == "alternative"


def test_intervals_of_indices_are_lines() -> None:
    truth, found = [0, 0, 0, 1, 1, 1, 2, 2, 2] * 9, [0, 0, 1, 1, 1, 1, 2, 2, 0] * 9
    evaluation = evaluate(truth, found, indices=["rand", "jaccard"], confidence=0.9)
    shown = IndicesDisplay.from_result(evaluation).plot()
    lines = [line for line in shown.ax_.lines if line.get_gid() == "interval"]
    drawn = [tuple(line.get_xdata()) for line in lines]
    assert drawn == [pytest.approx(evaluation.intervals[name]) for name in ("rand", "jaccard")]
    assert "lines: confidence intervals" in shown.ax_.get_xlabel()
    comparison = compare(
        truth, {"a": found, "b": truth[::-1]}, kind="clustering", indices="rand", confidence=0.9
    )
    shown = IndicesDisplay.from_result(comparison).plot()
    assert sum(line.get_gid() == "interval" for line in shown.ax_.lines) == 2


def test_the_critical_difference_of_nemenyi_is_drawn() -> None:
    rng = np.random.default_rng(0)
    scores = {f"m{i}": list(rng.normal(size=12) + 0.8 * i) for i in range(5)}
    shown = CriticalDifferenceDisplay.from_scores(scores, posthoc="nemenyi")
    # Demsar (2006), table 5: q = 2.728 for five classifiers at 0.05.
    assert shown.critical_difference == pytest.approx(2.728 * math.sqrt(5 * 6 / (6 * 12)), abs=1e-3)
    assert CriticalDifferenceDisplay.from_scores(scores).critical_difference is None


@pytest.mark.parametrize("name", ["figure_", "ax_"])
def test_what_plot_makes_is_not_there_before(name: str) -> None:
    display = ContingencyDisplay.from_predictions([0, 0, 1], [0, 1, 1])
    assert not hasattr(display, name)
    with pytest.raises(AttributeError, match=rf"^ContingencyDisplay has no {name} until plot\(\) draws it$"):
        getattr(display, name)
    with pytest.raises(AttributeError, match="'ContingencyDisplay' object has no attribute 'other'"):
        display.other  # noqa: B018
    assert getattr(display.plot(), name) is not None


def test_names_in_the_prayatul_matrix_stay_different_if_they_are_shortened() -> None:
    """Cut in the middle, names that differ there would be the same."""
    names = [f"model number {i} of those with a long name" for i in (1, 2)]
    display = PrayatulMatrixDisplay(Agreement(60, 10, 20, 5), primary=names[0], alternative=names[1]).plot()
    shown = [text.get_text() for text in display.ax_.texts]
    only = [text.split("only ")[1] for text in shown if "only " in text]
    assert len(only) == 2
    assert "1" in only[0]
    assert "2" in only[1]
    assert "1" in display.ax_.yaxis.label.get_text()
    assert "2" in display.ax_.xaxis.label.get_text()


@pytest.mark.parametrize(("observed", "to"), [(9.0, [1.0]), (-9.0, [0.0]), (0.5, [])])
def test_a_far_observed_value_is_an_arrow_to_its_side(observed: float, to: list[float]) -> None:
    ax = NullDistributionDisplay(observed, [0.0, 0.5, 1.0]).plot().ax_
    assert [text.xy[0] for text in ax.texts if hasattr(text, "arrow_patch")] == to
