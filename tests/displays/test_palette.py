"""The colours stay apart for everybody, and stand out from the page."""

from itertools import combinations

import numpy as np
import pytest

from adjudge.presentation.palette import CLUSTER_COLORS, OUTCOME_COLORS, OUTCOME_MARKERS, cluster_color
from adjudge.statistics.agreement import CELLS

# Machado, Oliveira and Fernandes (2009), full deficiency, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(color):
    c = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distances(colors, vision):
    seen = [lab(VISION[vision] @ linear(color)) for color in colors]
    return [float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)]


def contrast(a, b):
    light, dark = sorted((linear(x) @ [0.2126, 0.7152, 0.0722] for x in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("vision", VISION)
def test_outcomes_differ_for_every_vision(vision):
    assert min(distances(OUTCOME_COLORS.values(), vision)) >= 27


@pytest.mark.parametrize("vision", VISION)
def test_clusters_differ_for_every_vision(vision):
    assert min(distances(CLUSTER_COLORS, vision)) >= 8


def test_red_and_green_would_fail():
    assert min(distances(["#e05050", "#70a050"], "deuteranopia")) < 27


@pytest.mark.parametrize("page", ["#ffffff", "#14171d"])
def test_outcomes_stand_out_from_the_page(page):
    assert min(contrast(color, page) for color in OUTCOME_COLORS.values()) >= 2.5


def test_one_colour_and_one_shape_an_outcome():
    assert tuple(OUTCOME_COLORS) == tuple(OUTCOME_MARKERS) == CELLS
    assert len(set(OUTCOME_COLORS.values())) == len(set(OUTCOME_MARKERS.values())) == 4


def test_cluster_colours_repeat():
    assert cluster_color(0) == cluster_color(len(CLUSTER_COLORS)) != cluster_color(1)
