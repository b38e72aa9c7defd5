"""Classes keep their order in a contingency display; clusterings are matched, and the title says so."""

from __future__ import annotations

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
