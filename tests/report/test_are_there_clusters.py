"""The report on tests of clusters: what it says is what `clusters_test` found."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans

from adjudge import InputError, report
from adjudge._report.are_there_clusters import are_there_clusters
from adjudge.errors import InputTypeError
from adjudge.inference import clusters_test
from adjudge.inference.clusters.cluster_tests import ClustersTest


@pytest.fixture(scope="module")
def found() -> ClustersTest:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.5, size=(30, 2)) for m in (0, 4)])
    models = {f"k={k}": KMeans(k, n_init=1, random_state=0) for k in (2, 3)}
    return clusters_test(X, models, n_samples=19, random_state=0)


@pytest.mark.full
def test_it_says_what_the_test_says(found: ClustersTest) -> None:
    section = are_there_clusters(found)
    assert [said["text"] for said in section["verdict"]] == [
        found.verdict,
        "k=2 finds 2 clusters in 60 points.",
    ]
    assert [row["p_value"] for row in section["nulls"]] == list(found.p_values.values())
    assert found.valleys is not None
    assert section["valleys"] == [
        {"cluster": 0, "neighbour": 1, "p_value": found.valleys[0][2], "seen": True}
    ]
    shallow = are_there_clusters(replace(found, valley_p_value=0.4))
    assert [row["seen"] for row in shallow["valleys"]] == [False]


def test_values_are_drawn_on_one_line(found: ClustersTest) -> None:
    rows = are_there_clusters(found)["nulls"]
    low = min(values.min() for values in found.null_values.values())
    for row, values in zip(rows, found.null_values.values(), strict=True):
        assert row["value_at"] == 600.0
        expected = 600 * (np.sort(values) - low) / (found.value - low)
        np.testing.assert_allclose(row["places"], expected, atol=0.06)


def test_the_page(found: ClustersTest, tmp_path: Path) -> None:
    text = report(clusters_test=found, output=tmp_path / "page.html").path.read_text()
    assert html.escape(found.verdict) in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "Is there a valley between clusters?" in text
    assert text.count('class="tick"') == 3 * 19


def test_without_valleys_and_with_undefined_values(tmp_path: Path) -> None:
    def clusterer(X: np.ndarray) -> np.ndarray:
        """Two clusters in the points themselves, one in data without clusters."""
        return (X[:, 0] > 2).astype(int) if np.ptp(X[:, 0]) == 5 else np.zeros(len(X))

    X = np.column_stack([[0.0, 0.1, 0.2, 4.0, 4.9, 5.0], np.arange(6.0)])
    found = clusters_test(X, clusterer, nulls=["gaussian"], valley=False, n_samples=5, random_state=0)
    page = report(clusters_test=found, output=tmp_path / "page.html")
    section = page.page["sections"][0]
    assert section["nulls"][0]["without_clusters"] == 5
    assert section["valley"] is None
    assert "Is there a valley" not in page.path.read_text()


def test_it_stands_alone(found: ClustersTest, tmp_path: Path) -> None:
    with pytest.raises(InputTypeError, match=r"clusters_test is an int: give what clusters_test\(\) returns"):
        report(clusters_test=3, output=tmp_path / "page.html")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="clusters_test= makes a separate page: leave out X="):
        report(X=np.eye(3), clusters_test=found, output=tmp_path / "page.html")
