"""Classes keep their order in a contingency display; clusterings are matched, and the title says so."""

from __future__ import annotations

from itertools import chain
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import adjudge

mpl.use("Agg")

TRUTH = ["cat"] * 5 + ["dog"] * 5 + ["eel"] * 3
SWAPPED = ["dog"] * 5 + ["cat"] * 5 + ["eel"] * 3


def shown(display: Any) -> np.ndarray[Any, Any]:
    mesh = display.plot().ax_.collections[0]
    return np.asarray(mesh.get_array()).reshape(3, 3)


def ticks(axis: Any) -> list[str]:
    return [tick.get_text() for tick in axis.get_ticklabels()]


def test_a_classifier_that_swaps_two_classes_is_seen() -> None:
    display = adjudge.displays.ContingencyDisplay.from_predictions(TRUTH, SWAPPED, kind="classification")
    assert shown(display).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert ticks(display.ax_.xaxis) == ticks(display.ax_.yaxis) == ["cat", "dog", "eel"]
    assert display.ax_.get_xlabel() == "predicted"
    assert display.describe() == "3 of 13 instances (23.1 %) have the right class"


def test_clusterings_are_matched_and_their_label_says_so() -> None:
    display = adjudge.displays.ContingencyDisplay.from_predictions(TRUTH, SWAPPED)
    assert shown(display).tolist() == np.eye(3).tolist()
    assert ticks(display.ax_.xaxis) == ["dog", "cat", "eel"]
    assert display.ax_.get_title() == "Contingency table of true and predicted"
    assert display.ax_.get_xlabel() == "predicted (in the order of the best matching)"


def test_classes_that_are_never_predicted_or_never_true_have_their_place() -> None:
    display = adjudge.displays.ContingencyDisplay.from_predictions(
        ["b", "b", "c"], ["a", "b", "b"], kind="classification"
    )
    assert shown(display).tolist() == [[0.5, 0, 0.5], [1, 0, 0], [0, 0, 0]]
    assert ticks(display.ax_.yaxis) == ["b", "c", "a"]
    for colors in ("pred", "all"):
        display.plot(colors=colors)


def test_classes_have_one_colour_and_one_order_in_an_alluvial_diagram() -> None:
    display = adjudge.displays.ContingencyDisplay.from_predictions(
        TRUTH, {"one": SWAPPED, "two": TRUTH}, kind="classification"
    )
    orders, hues = display._orders_and_hues()
    assert all(own.tolist() == [0, 1, 2] for own in (*orders, *hues))
    display.plot()


def test_the_kind_is_checked_and_read_from_an_estimator() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(adjudge.InputError, match="kind='classes' is not known"):
        adjudge.displays.ContingencyDisplay.from_predictions(TRUTH, SWAPPED, kind="classes")  # type: ignore[arg-type]
    X = np.arange(13.0)[:, None]
    fitted = KNeighborsClassifier(1).fit(X, TRUTH)
    assert adjudge.displays.ContingencyDisplay.from_estimator(fitted, X, TRUTH).kind == "classification"


def colours(display: Any) -> list[list[str]]:
    """Return the colours of the boxes by partition."""
    from matplotlib.colors import to_hex
    from matplotlib.patches import Rectangle

    boxes = [own for own in display.plot(style="alluvial").ax_.patches if isinstance(own, Rectangle)]
    places = sorted({own.get_x() for own in boxes})
    return [[to_hex(own.get_facecolor()) for own in boxes if own.get_x() == x] for x in places]


@pytest.mark.parametrize("noise", [-1, "-1"])
def test_noise_and_clusters_without_a_match_wear_no_cluster_s_colour(noise: Any) -> None:
    """Noise had the colour of the segment with which it shared most, and the tenth colour was the first again."""
    true = np.repeat([0, 1], 600)
    found = np.concatenate([np.repeat(np.arange(12), 50), np.repeat(-1, 600)])
    found = found if noise == -1 else found.astype(str)
    display = adjudge.displays.ContingencyDisplay.from_predictions(true, found)
    left, right = colours(display)
    own = dict(zip(map(str, display.tables[0].col_labels), right, strict=True))
    assert own.pop("-1") == "#ffffff"
    # One of twelve is matched with the first; nothing with the second.
    assert [name for name, color in own.items() if color in left] == ["0"]
    assert own["0"] == left[0]
    grey = [name for name, color in own.items() if list(own.values()).count(color) > 1]
    assert len(grey) >= 2
    assert len({own[name] for name in grey}) == 1
    assert display.describe() == "50 of 1,200 instances (4.2 %) lie in matched clusters"
    other = adjudge.displays.ContingencyDisplay.from_predictions(true, np.where(true, -9, 0), noise_label=-9)
    assert colours(other)[1][0] == "#ffffff"
    # A class is never noise.
    classes = adjudge.displays.ContingencyDisplay.from_predictions([-1, 1], [-1, 1], kind="classification")
    assert "#ffffff" not in colours(classes)[0]


def test_clusters_that_share_nothing_are_not_matched() -> None:
    display = adjudge.displays.ContingencyDisplay.from_predictions([0, 0, 1], [0, 1, 0])
    assert len({*chain.from_iterable(colours(display))}) == 2
    display = adjudge.displays.ContingencyDisplay.from_predictions([0, 0, 0, 0, 1], [0, 0, 0, 1, 0])
    assert len({*chain.from_iterable(colours(display))}) == 3


def test_a_name_that_is_wider_than_its_circle_stands_beside_it() -> None:
    rows = np.arange(300)
    names = np.array(["Standard", "Member of the club", "VIP"])
    labels = {"one": rows % 2, "two": names[rows % 3]}
    shown = [own.get_text() for own in adjudge.displays.ClusterTreeDisplay(labels).plot().ax_.texts]
    assert {"0", "1", "Standard", "VIP"} <= {*shown}
    assert any(own.startswith("Mem") for own in shown)
