"""Which columns are numbers that measure nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjudge.given.identifiers import (
    is_name_of_identifiers,
    looks_like_identifiers,
    looks_like_models_output,
    no_coordinates,
    unit_named,
)

NAMES = "id,ID,customer_id,customerId,customerID,customer id,user-key,order.nr,UUID,row_uuid,index,Unnamed: 0"


@pytest.mark.parametrize(
    "name", [*NAMES.split(","), "__index_level_0__", "", "  ", "rowid", "patient_ids", "sessionKey"]
)
def test_names_of_identifiers(name: str) -> None:
    assert is_name_of_identifiers(name)


@pytest.mark.parametrize(
    "name",
    [
        "paid",
        "grid",
        "humid",
        "monkey",
        "x",
        "spend",
        "visits",
        "idle",
        "key_rate",
        "id_card_age",
        3,
        "indexed",
    ],
)
def test_names_of_measurements(name: Any) -> None:
    assert not is_name_of_identifiers(name)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32])
def test_whole_numbers_that_count_the_rows_in_any_order(start: int, dtype: Any) -> None:
    numbers = np.random.default_rng(0).permutation(np.arange(start, start + 40)).astype(dtype)
    assert looks_like_identifiers("measured", numbers)
    assert not looks_like_identifiers("measured", np.where(numbers == 7, 8, numbers))
    assert not looks_like_identifiers("measured", numbers + dtype(5))
    assert not looks_like_identifiers("measured", numbers[:4] * 0 + np.arange(4))


def test_identifiers_are_whole_and_may_repeat() -> None:
    assert looks_like_identifiers("customer_id", [7001, 7001, 7002, 7002])
    assert not looks_like_identifiers("customer_id", [0.5, 7001.0])
    assert not looks_like_identifiers("customer_id", [np.nan, 7001.0])
    assert not looks_like_identifiers("customer_id", ["a", "b"])
    assert not looks_like_identifiers("customer_id", [])


@pytest.mark.parametrize(
    ("name", "values", "models", "found"),
    [
        ("p_churn", [0.1, 0.9], (), True),
        ("probability of churn", [0.1, 0.9], (), True),
        ("p_churn", [0.1, 1.9], (), False),
        ("share", [0.1, 0.9], (), False),
        ("old_churn", [0.1, 0.9], ("old", "new"), True),
        ("model_old_churn", [0.1, 0.9], ("model_old",), True),
        ("older", [0.1, 0.9], ("old",), False),
        ("pred_b", [0, 1], (), True),
        ("kmeansLabels", [0, 1], (), True),
        ("hc", [1, 2], (), True),
        ("classroom", [0, 1], (), False),
        ("target", [0.5, 1.5], (), False),
        ("class", range(101), (), False),
        ("label", [np.nan, 1.0], (), False),
    ],
)
def test_what_models_say(name: str, values: Any, models: Any, found: bool) -> None:
    assert looks_like_models_output(name, list(values), models) is found


NOISY = [-1, 0, 1, 1, 0, 2]
LABELS = [2, 0, 1, 1, 0, 2]


@pytest.mark.parametrize(
    ("name", "values", "labels", "found"),
    [
        ("eps_0.1", LABELS, ["eps_0.15"], True),
        ("res 2", LABELS, ["res 1"], True),
        ("km3", LABELS, ["km4"], True),
        ("Leiden-0.5", LABELS, ["leiden-1"], True),
        ("eps_0.1", [0.5, 0, 1, 1, 0, 2], ["eps_0.15"], False),
        ("eps_0.1", LABELS, ["res_1"], False),
        ("kmeans_3", LABELS, [], True),
        ("my_km4", LABELS, [], True),
        ("kmeans_3", [0.5, 0, 1, 1, 0, 2], [], False),
        ("visits_3", LABELS, [], False),
        ("3", LABELS, ["4"], False),
        ("visits", LABELS, ["eps_0.15"], False),
        ("moon", NOISY, [], True),
        ("moon", np.array(NOISY, float), [], True),
        ("moon", [-1, 0, 0, 2, 0, 2], [], False),
        ("moon", [-2, -1, 0, 1, 0, 2], [], False),
        ("moon", [-1, -1, -1, -1, -1, -1], [], False),
    ],
)
def test_labels_beside_measurements(name: str, values: Any, labels: list[str], found: bool) -> None:
    columns = {"x": [0.5, 1.2, 7.1, 3.0, 3.1, 4.4], name: values}
    assert no_coordinates(columns.items(), labels)["labels"] == ([name] if found else [])


@pytest.mark.parametrize(
    ("names", "found"), [(("row", "col"), True), (("Row", "Column"), True), (("y", "col"), False)]
)
def test_places_of_pixels_are_no_coordinates(names: Any, found: bool) -> None:
    columns = {names[0]: [0, 0, 1, 1], names[1]: [7, 8, 7, 8], "red": [0.5, 0.1, 0.2, 0.4]}
    assert no_coordinates(columns.items())["identifiers"] == (list(names) if found else [])


def test_minus_one_to_one_may_be_any_variable() -> None:
    """Answers coded -1, 0 and 1 are no labels beside other whole numbers, with or without gaps."""
    columns = {"answer": [-1, 0, 1, 1, 0, 1], "children": [3, 0, 0, 1, 2, 1], "gap": None}
    assert no_coordinates(columns.items()) == {"identifiers": [], "output": [], "labels": []}


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *(
            (own, own)
            for own in ("author", "patient", "customer", "user", "subject", "document", "person", "client")
        ),
        ("Author name", "author"),
        ("clientKey", "client"),
        ("persons", "person"),
        ("tile", "tile"),
        ("plot_id", "plot"),
        ("grid_cell", "grid cell"),
        ("GridCell", "gridcell"),
        ("PSU", "psu"),
        ("sites", "site"),
        ("transect no", "transect"),
        ("plot_area", None),
        ("website", None),
        ("cluster", None),
        ("user_agent", None),
        ("subjective", None),
        ("n_users", None),
        (7, None),
    ],
)
def test_names_of_units(name: Any, unit: str | None) -> None:
    assert unit_named(name) == unit
