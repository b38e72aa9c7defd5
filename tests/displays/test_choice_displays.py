"""Displays of `choose`: what is drawn where."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.displays import AgreementMapDisplay, ChoiceDisplay, DbcvDisplay, SilhouetteDisplay


@pytest.fixture(scope="module")
def choice() -> adjudge.Choice:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    X = np.array([(0, 0), (4, 0), (0, 4)])[truth] + rng.normal(0, 0.4, (90, 2))
    noisy = np.where(np.arange(90) % 3 == 0, -1, truth)
    candidates = {
        "truth": truth,
        "again": truth,
        "noisy": noisy,
        "merged": np.minimum(truth, 1),
        "one": truth * 0,
    }
    return adjudge.choose(X, candidates, indices="silhouette", by="silhouette")


def test_the_front(choice: adjudge.Choice) -> None:
    display = ChoiceDisplay.from_result(choice).plot()
    dots = display.ax_.collections[0].get_offsets()
    known = [n for n, q in choice.quality.items() if math.isfinite(q)]
    np.testing.assert_allclose(dots[:, 0], [100 * choice.coverage[n] for n in known])
    np.testing.assert_allclose(dots[:, 1], [choice.quality[n] for n in known])
    (line,) = display.ax_.lines
    assert line.get_xdata().tolist() == [100 * choice.coverage[n] for n in choice.front]
    texts = [t.get_text() for t in display.ax_.texts]
    assert "1 undefined" in texts
    assert display.ax_.get_ylabel() == "Silhouette"


def test_the_map(choice: adjudge.Choice) -> None:
    display = AgreementMapDisplay.from_result(choice).plot()
    mesh = display.ax_.collections[0].get_array()
    places = [choice.names.index(n) for n in choice.order]
    np.testing.assert_allclose(np.ravel(mesh), np.ravel(choice.agreement[np.ix_(places, places)]))
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == list(choice.order)
    frames = [p for p in display.ax_.patches if p.get_width() > 1 and not p.get_fill()]
    assert len(frames) == sum(len(group) > 1 for group in choice.groups)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ChoiceDisplay({"a": 1}, {"b": 1}), "coverage and quality must have the same candidates"),
        (lambda: ChoiceDisplay({}, {}), "coverage and quality must have"),
        (lambda: ChoiceDisplay({"a": "x"}, {"a": 1}), "coverage contains something other than numbers"),
        (lambda: ChoiceDisplay.from_result(3), r"result is an int: give what choose\(\) returns"),
        (lambda: AgreementMapDisplay([[1]], ["a", "b"]), r"matrix has shape \(1, 1\)"),
        (lambda: AgreementMapDisplay([[1]], ["a"], ["b"]), "order must contain each name once"),
        (lambda: AgreementMapDisplay([["x"]], ["a"]), "matrix contains something other than numbers"),
    ],
)
def test_what_cannot_be_drawn(make: Any, words: str) -> None:
    with pytest.raises(adjudge.AdjudgeError, match=words):
        make()


NOISY = np.where(np.arange(60) % 5 == 0, "noise", np.repeat(["left", "right"], 30))


def of_one(**options: Any) -> tuple[np.ndarray, adjudge.Choice]:
    rng = np.random.default_rng(1)
    X = np.r_[rng.normal(0, 1, (30, 2)), rng.normal(4, 1, (30, 2))]
    given = {"noisy": NOISY, "bad": np.arange(60) % 2}
    return X, adjudge.choose(X, given, by="silhouette", noise_label="noise", **options)


@pytest.mark.parametrize("noise", ["drop", "cluster"])
@pytest.mark.parametrize(("display", "values"), [(SilhouetteDisplay, "widths"), (DbcvDisplay, "values")])
def test_points_of_the_recommended_candidate(display: Any, values: str, noise: str) -> None:
    X, choice = of_one(noise=noise)
    assert choice.best == "noisy"
    read = display.from_result(choice)
    computed = display.from_predictions(X, NOISY, noise=noise, noise_label="noise")
    np.testing.assert_allclose(getattr(read, values), getattr(computed, values))
    assert list(read.names) == list(computed.names)
    own = choice.values["silhouette" if display is SilhouetteDisplay else "dbcv"]["noisy"]
    assert read._over_all()[1] == pytest.approx(own)
    read.plot()


def test_values_of_points_stand_at_their_points() -> None:
    _, choice = of_one()
    for found in choice.point_values.values():
        assert found.shape == (60,)
        np.testing.assert_array_equal(np.isnan(found), NOISY == "noise")
    assert set(choice.point_values) == {"silhouette", "dbcv"}
    assert of_one(noise="singletons")[1].point_values == {}
    assert of_one(indices="silhouette")[1].point_values.keys() == {"silhouette"}


def test_points_that_were_not_judged_cannot_be_drawn() -> None:
    _, choice = of_one(indices="silhouette")
    with pytest.raises(adjudge.InputError, match="result has no values of points for dbcv"):
        DbcvDisplay.from_result(choice)
    with pytest.raises(adjudge.AdjudgeError, match=r"give what choose\(\) returns"):
        SilhouetteDisplay.from_result(3)
