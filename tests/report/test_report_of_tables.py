"""`report` on the columns of a table: the same page as on arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from adjudge import InputError, InputTypeError, report
from conftest import raises_line
from gates import gate_rows

ROWS = gate_rows(120, planted=True).assign(
    age=np.arange(120) * 7 % 83 / 2, p1=np.linspace(0.1, 0.9, 120).round(3), p2=0.5, said="a note"
)
TRUTH = ROWS["truth"].where(ROWS["truth"] == "churn", "stay")
ROWS["truth"] = TRUTH
ROWS["v1"], ROWS["v2"] = (ROWS[name].where(ROWS[name] == "churn", "stay").to_numpy() for name in ("v1", "v2"))


@pytest.fixture(params=["frame", "csv", "parquet"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "frame":
        return ROWS
    path = tmp_path / f"rows.{request.param}"
    if request.param == "csv":
        ROWS.to_csv(path, index=False)
    else:
        ROWS.to_parquet(path)
    return path


def section(*given: Any, output: Path, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = report(*given, output=output / "page.html", **options).page["sections"][0]
    return found


def test_the_page_of_a_table_is_that_of_its_columns(table: Any, tmp_path: Path) -> None:
    shared: dict[str, Any] = {"kind": "classification", "positive": "churn", "output": tmp_path}
    found = section(
        table, truth="truth", models={"a": "v1", "b": "v2"}, groups="country", units="ward", text="said",
        probabilities={"a": "p1", "b": "p2"}, **shared,
    )  # fmt: skip
    # Of a file, columns of groups and units are shown, too, and the features are found, named, and shown first.
    columns, features = ["id", "device", "age"], None
    if isinstance(table, Path):
        columns, features = (
            ["age", *(name for name in ROWS if name in ("id", "country", "device", "ward"))],
            ["age"],
        )
    expected = section(
        ROWS["truth"], {"a": ROWS["v1"], "b": ROWS["v2"]}, groups={"country": ROWS["country"]},
        units=ROWS["ward"], X=ROWS[columns], features=features, text=ROWS["said"].tolist(),
        probabilities={"a": ROWS["p1"].to_numpy(), "b": ROWS["p2"].to_numpy()}, **shared,
    )  # fmt: skip
    assert found["verdict"] == expected["verdict"]
    assert found["scores"] == expected["scores"]
    assert found["instances"] == expected["instances"]
    assert {own["name"] for own in found["instances"]["columns"]} == {"text", *columns}
    assert found["groups"] == expected["groups"]


def test_what_is_missing_is_named(table: Any, tmp_path: Path) -> None:
    output = tmp_path / "p.html"
    with raises_line(InputError, "the models are missing: name their columns with models="):
        report(table, truth="truth", output=output)
    with raises_line(InputError, "X= are points beside a table: leave it out, its other columns are shown"):
        report(table, truth="truth", models=["v1"], X=[[1.0]], output=output)
    with raises_line(
        InputTypeError,
        "report() was given labels_true twice, without a name and by name: the column of a table is truth=",
    ):
        report(table, labels_true="truth", models=["v1"], output=output)
    with pytest.raises(InputError, match="has no column 'v9'"):
        report(table, truth="truth", models=["v9"], output=output)
    assert not output.exists()


def test_what_a_mistake_costs_is_no_feature(tmp_path: Path) -> None:
    ROWS.assign(fee=np.arange(120) * 11 % 71 / 4).to_csv(tmp_path / "rows.csv", index=False)
    shared: dict[str, Any] = {"truth": "truth", "models": ["v1", "v2"], "kind": "classification"}
    shared |= {"units": "ward", "output": tmp_path / "page.html"}
    (plain, priced) = (
        next(
            own.text for own in report(tmp_path / "rows.csv", **shared, **more).warnings if "age" in own.text
        )
        for more in ({}, {"costs": "fee"})
    )
    assert "fee" in plain
    assert "fee" not in priced


def test_lazy_tables_and_lists_of_labels(tmp_path: Path) -> None:
    lazy = duckdb.sql("select 'a' as t, 'b' as m")
    with raises_line(InputError, "a report shows the instances: collect the table first"):
        report(lazy, truth="t", models=["m"], output=tmp_path / "p.html")
    sets = pd.DataFrame({"t": [["a"], ["a", "b"], []] * 9, "m": [["a"], ["a"], ["b"]] * 9, "x": range(27)})
    found = section(sets, truth="t", models=["m"], output=tmp_path)
    assert found["scores"] == section(
        sets["t"].tolist(), {"m": sets["m"].tolist()}, kind="multilabel", output=tmp_path
    )["scores"]  # fmt: skip


def test_clusterings_of_a_file_are_judged_from_its_features(tmp_path: Path) -> None:
    path, output = tmp_path / "rows.csv", tmp_path / "p.html"
    ROWS.to_csv(path, index=False)
    own = ROWS[["age", "p1"]]
    named = report(path, models=["v?"], features=["age", "p1"], standardize=True, output=output)
    expected = report(None, {"v1": ROWS["v1"], "v2": ROWS["v2"]}, X=own, standardize=True, output=output)
    (found,), (wanted,) = named.page["sections"], expected.page["sections"]
    assert (found["criteria"], found["models"]) == (wanted["criteria"], ["v1", "v2"])
    assert named.warnings == ()
    several = report(path, k_choice=[2, 3], features=["age", "p1"], output=output)
    assert several.page["sections"][0]["k_choices"][0]["k"] in (None, 2, 3)
    told = report(path, models=["v1"], text="said", output=output)
    assert any(notice.text.startswith("features are ") for notice in told.warnings)
    ROWS.assign(age=ROWS["age"].where(ROWS.index > 3)).to_csv(path, index=False)
    with pytest.raises(InputError, match=r"column 'age': fill it in, .*, or pass missing='drop'"):
        report(path, models=["v1"], features=["age", "p1"], output=output)
    assert report(path, models=["v1"], features=["age", "p1"], missing="drop", output=output).path == output
    with raises_line(InputError, "kind='classification' needs the truth: name its column with truth="):
        report(path, models=["v1"], kind="classification", output=output)
    with raises_line(InputError, "positive= needs the truth: name its column with truth="):
        report(path, models=["v1"], positive="churn", output=output)
