"""Text labels of the same names are classes; numbers may be either."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.given.class_names import kind_of_labels


@pytest.mark.parametrize(
    ("true", "predicted", "kind"),
    [
        (["churn", "stay"], [["churn", "stay"]], "classification"),
        (["churn", "stay"], [["stay"]], "classification"),  # a model that always says the same
        (["churn", "stay"], [["churn", "stay", "unsure"]], "classification"),
        (["churn", "stay"], [["churn", "stay"], ["a", "b"]], None),
        (["churn", "stay"], [["a", "b"], [0, 1]], "clustering"),
        (["a", "b", "c"], [["b", "c", "d"]], None),
        ([0, 1], [[0, 1]], None),
        ([0, 1], [[2, 3]], "clustering"),
        (["0", "1"], [["0", "1"]], None),
        ([False, True], [[False, True]], "classification"),
        ([False, True], [[0, 1], ["false", "true", "unsure"]], "classification"),
        (["0", "1"], [["TRUE"]], "classification"),
        ([False, True], [["no", "yes"]], "clustering"),
    ],
)
def test_names_tell_classes_from_clusters(true: list[Any], predicted: list[list[Any]], kind: Any) -> None:
    assert kind_of_labels(true, predicted) == kind
