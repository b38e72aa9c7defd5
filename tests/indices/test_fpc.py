"""What R's fpc computes without drawing at random."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from conftest import REFERENCE, read_reference

CASES = read_reference(REFERENCE / "fpc" / "cluster_stats.json")["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_criteria_of_one_partition(case: dict) -> None:
    X, labels = np.array(case["data"]), np.array(case["part"], dtype=int)
    found = adjudge.evaluate(X=X, labels=labels, indices=["calinski_harabasz", "silhouette", "dunn", "gdi32"])
    for index, name in {
        "calinski_harabasz": "calinhara",
        "silhouette": "silhouette",
        "dunn": "dunn",
        "gdi32": "dunn2",
    }.items():
        if index == "gdi32" and 1 in np.bincount(labels):
            # fpc leaves the diameter of a single point out; here the mean over no pair is undefined.
            assert np.isnan(found[index])
            assert np.isfinite(case[name])
            continue
        assert found[index] == pytest.approx(case[name], rel=1e-12), index
    assert case["ch"] == pytest.approx(case["calinhara"], rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_two_partitions(case: dict) -> None:
    labels, other = (np.array(case[name], dtype=int) for name in ("part", "other"))
    assert adjudge.adjusted_rand(labels, other) == pytest.approx(case["corrected_rand"], rel=1e-12)
    assert adjudge.variation_of_information(labels, other) == pytest.approx(case["vi"], rel=1e-12)
