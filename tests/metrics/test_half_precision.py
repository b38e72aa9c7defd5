"""Numbers of half precision: the warnings are scikit-learn's, and so are the values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as theirs

from adjudge import metrics

Y, P = np.array([1, 0, 1, 1, 0], np.float16), np.array([1, 0, 0, 1, 0], np.float16)
S = np.array([0.9, 0.2, 0.4, 0.8, 0.1], np.float16)
X = np.arange(10, dtype=np.float16).reshape(5, 2) ** 2
OF_LABELS = (
    "accuracy_score balanced_accuracy_score confusion_matrix f1_score matthews_corrcoef cohen_kappa_score "
    "classification_report adjusted_rand_score rand_score v_measure_score adjusted_mutual_info_score "
    "fowlkes_mallows_score"
)
GIVEN: list[tuple[str, tuple[Any, ...]]] = [
    *((name, (Y, P)) for name in OF_LABELS.split()),
    *((name, (Y, S)) for name in ("log_loss", "d2_log_loss_score", "roc_auc_score", "brier_score_loss")),
    *((name, (X, Y)) for name in ("silhouette_score", "calinski_harabasz_score", "davies_bouldin_score")),
]


@pytest.mark.parametrize(("name", "given"), GIVEN, ids=lambda own: own if isinstance(own, str) else "")
def test_warnings_are_scikit_learns(name: str, given: tuple[Any, ...]) -> None:
    if not hasattr(theirs, name):
        pytest.skip("scikit-learn is too old")
    values, said = [], []
    for module in (theirs, metrics):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            values.append(getattr(module, name)(*given))
        said.append({str(each.message) for each in caught})
    assert said[0] == said[1]
    if isinstance(values[0], str):
        assert values[0] == values[1]
    else:
        np.testing.assert_allclose(values[1], values[0], rtol=1e-3)
