"""What results say about noise: one count and one warning, everywhere."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import adjudge

TRUTH, NOISY = [0, 0, 1, 1, 1], [0, -1, 1, -1, 1]


def codes(result: Any) -> list[str]:
    return [notice.code for notice in result.warnings]


def test_noise_that_counts_as_a_cluster_is_said() -> None:
    result = adjudge.evaluate(TRUTH, NOISY, indices="ari")
    (notice,) = result.warnings
    assert notice.code == "noise-is-a-cluster"
    assert notice.severity == "warning"
    assert str(notice) == (
        "warning: the label -1 counts as a cluster (2 in labels_pred): noise='drop' leaves such instances out, "
        "noise='singletons' makes each a separate cluster"
    )
    assert repr(result).splitlines()[-1] == str(notice)
    assert "counts as a cluster" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["warnings"][0]["remedy"].startswith("noise='drop'")


@pytest.mark.parametrize("noise", ["drop", "singletons"])
def test_noise_that_is_treated_is_not(noise: str) -> None:
    assert codes(adjudge.evaluate(TRUTH, NOISY, indices="ari", noise=noise)) == []


def test_a_drop_that_drops_nothing_is_said() -> None:
    result = adjudge.evaluate(TRUTH, [0, 0, 1, 1, 2], indices="ari", noise="drop")
    assert codes(result) == ["no-noise-found"]
    assert "noise_label= names the label that means noise" in str(result.warnings[0])
    compared = adjudge.compare(TRUTH, {"p": [0, 0, 1, 1, 2]}, kind="clustering", noise="drop")
    assert codes(compared) == ["no-noise-found"]


def test_all_models_are_counted_in_one_notice() -> None:
    models = {"p": NOISY, "q": ["a", "-1", "b", "b", "b"], "r": [0, 0, 1, 1, 1]}
    result = adjudge.compare(TRUTH, models, kind="clustering")
    (notice,) = result.warnings
    assert notice.message == "the label -1 counts as a cluster (2 in p, 1 in q)"
    assert str(notice) in repr(result)


def test_points_alone_say_it_too() -> None:
    X = np.arange(5.0)[:, None]
    result = adjudge.evaluate(X=X, labels=NOISY, indices="calinski_harabasz")
    assert result.warnings[0].message == "the label -1 counts as a cluster (2 in labels)"


def test_classes_are_no_noise() -> None:
    assert codes(adjudge.evaluate([1, -1, 1], [1, -1, -1], kind="classification", indices="all")) == []
