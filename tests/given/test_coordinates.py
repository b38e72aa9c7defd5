"""Which columns are coordinates, and what a gap in one does: the same rule in every container, verb and front end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
from sklearn.cluster import KMeans

import adjudge
from adjudge import InputError
from adjudge.cli import main
from cases import each

GAP = 7


def points() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    places = rng.normal(size=(60, 2)) + 5 * (np.arange(60) % 2)[:, None]
    return pd.DataFrame({"x": places[:, 0], "y": places[:, 1]})


LABELS, OTHER = np.arange(60) % 2 + 1, np.arange(60) % 3 + 1


def with_gap(cell: Any) -> pd.DataFrame:
    found = points()
    if isinstance(cell, str):
        found["y"] = found["y"].astype(object)
    found.loc[GAP, "y"] = cell
    return found


FILES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "t.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "t.parquet": lambda frame, path: typed(frame).to_parquet(path),
    "t.arrow": lambda frame, path: pyarrow.feather.write_feather(typed(frame), str(path)),
}


def typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of numbers and words are text where columns have a type."""
    return frame.assign(**{n: frame[n].map(str) for n in frame if frame[n].dtype == object})


def said(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int) -> str:
    assert main(arguments) == code
    found = capsys.readouterr()
    return found.err + found.out


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("cell", [np.nan, "?", "n.a."])
def test_a_gap_in_a_file_is_an_error_in_every_command(
    name: str, cell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / name)
    FILES[name](with_gap(cell).assign(a=LABELS, b=OTHER), tmp_path / name)
    page = ["-o", str(tmp_path / "page.html")]
    for command in (
        ["evaluate", path, "--labels", "a", "--indices", "ch"],
        ["choose", path, "--labels", "a,b"],
        ["choose-k", path, "--k", "2:3"],
        ["cluster-tests", path],
        ["plan", path, "--labels", "a"],
        ["report", path, "--models", "a,b", *page],
    ):
        error = said(command, capsys, 2)
        assert f"row {GAP + 1}" in error, command
        assert "'y'" in error, command
        # Only a command that has the option is told of it.
        assert error.count(", or pass --missing drop") == (command[0] != "plan"), command


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("cell", [np.nan, "?"])
def test_rows_with_a_gap_can_be_left_out_of_a_file(name: str, cell: Any, tmp_path: Path, shell: Any) -> None:
    path = str(tmp_path / name)
    FILES[name](with_gap(cell).assign(a=LABELS, b=OTHER), tmp_path / name)
    kept = np.arange(60) != GAP
    wanted = adjudge.calinski_harabasz(points()[kept], LABELS[kept])
    drop = ["--labels", "a", "--columns", "x,y", "--indices", "ch", "--missing", "drop", "-f", "json"]
    found = shell("evaluate", path, *drop)
    assert json.loads(found.out)["evaluations"]["a"]["values"]["calinski_harabasz"] == pytest.approx(wanted)
    assert found.err.count("left out") == 1
    assert "1 of the 60 points is left out, with a gap among the coordinates" in found.err
    frame = adjudge.evaluate(path, labels="a", features=["x", "y"], indices="ch", missing="drop")
    assert frame["calinski_harabasz"] == pytest.approx(wanted)
    shared = ["--columns", "x,y", "--missing", "drop", "-f", "json"]
    for command in (
        ["choose-k", path, "--k", "2:3", "--report", str(tmp_path / "page.html")],
        ["cluster-tests", path, "--grid", "n_clusters=2", "--n-samples", "2"],
    ):
        found = shell(*command, *shared)
        assert json.loads(found.out)["n"] == 59
        assert found.err.count("1 of the 60 points is left out, with a gap among the coordinates") == 1


TABLES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "Polars": pl.from_pandas,
    "Arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "DuckDB": lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)),
    "Polars, lazy": lambda frame: pl.from_pandas(frame).lazy(),
}


@pytest.mark.parametrize("container", TABLES)
def test_a_gap_in_a_table(container: str) -> None:
    table = TABLES[container](with_gap(np.nan).assign(a=LABELS))
    asked: dict[str, Any] = {"labels": "a", "features": ["x", "y"], "indices": "ch"}
    with pytest.raises(InputError, match="'y'"):
        adjudge.evaluate(table, **asked)
    kept = np.arange(60) != GAP
    found = adjudge.evaluate(table, **asked, missing="drop")
    assert found["calinski_harabasz"] == pytest.approx(
        adjudge.calinski_harabasz(points()[kept], LABELS[kept])
    )
    assert [own.message for own in found.warnings] == [
        "1 of the 60 points is left out, with a gap among the coordinates"
    ]


def kept_of(X: Any) -> np.ndarray[Any, Any]:
    return np.delete(np.asarray(X, np.float64), GAP, 0)


def test_partitions_that_exist_leave_out_the_same_points() -> None:
    X, labels = with_gap(np.nan).to_numpy(), {2: LABELS, 3: np.arange(60) % 3}
    without = LABELS.astype(object)
    without[3] = None
    found = adjudge.choose_k(X, {2: without, 3: labels[3]}, missing="drop")
    kept = ~np.isin(np.arange(60), [3, GAP])
    wanted = adjudge.choose_k(X[kept], {k: own[kept] for k, own in labels.items()})
    assert found.values == wanted.values
    message = "2 points with a gap among the coordinates, or without a label in some candidate left out"
    assert found.warnings[0].message == message
    for call in (
        lambda: adjudge.choose_k(X, {2: LABELS, 3: np.arange(61) % 3}, missing="drop"),
        lambda: adjudge.choose(X, {"a": LABELS, "b": np.arange(61) % 3}, missing="drop"),
    ):
        with pytest.raises(InputError, match="has 61 entries, X has 60 rows"):
            call()


@pytest.mark.parametrize(
    "convert", [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f), np.asarray]
)
def test_a_gap_in_points(convert: Callable[[pd.DataFrame], Any], tmp_path: Path) -> None:
    X = convert(with_gap(np.nan))
    models = {"a": LABELS, "b": OTHER}
    calls: dict[str, Callable[..., Any]] = {
        "evaluate": lambda **o: adjudge.evaluate(X=X, labels=LABELS, indices="ch", **o),
        "choose": lambda **o: adjudge.choose(X, models, **o),
        "report": lambda **o: adjudge.report(models=models, X=X, output=tmp_path / "r.html", **o),
    }
    for name, call in calls.items():
        with pytest.raises(InputError, match=f"row {GAP}"):
            call()
        found = call(missing="drop")
        if name != "report":
            assert any("gap among the coordinates" in str(own) for own in found.warnings)
    words = " ".join(s["text"] for s in calls["report"](missing="drop").page["sections"][0]["verdict"])
    assert "1 of the 60 points is left out, with a gap among the coordinates." in words
    found = adjudge.choose_k(X, k=range(2, 4), random_state=0, missing="drop")
    assert found.values == adjudge.choose_k(kept_of(X), k=range(2, 4), random_state=0).values
    assert "1 of the 60 points is left out, with a gap among the coordinates" in str(found.warnings[0])
    test = {"clusterers": KMeans(2, n_init=1, random_state=0), "n_samples": 2, "random_state": 0}
    tested = adjudge.inference.clusters_test(X, **test, missing="drop")
    assert tested.p_values == adjudge.inference.clusters_test(kept_of(X), **test).p_values
    assert tested.n == 59
    for call in (
        lambda: adjudge.choose_k(X, k=range(2, 4)),
        lambda: adjudge.inference.clusters_test(X, KMeans(2), n_samples=19, random_state=0),
    ):
        with pytest.raises(InputError, match=f"row {GAP}"):
            call()


def test_dropped_gaps_are_as_absent_rows() -> None:
    """Also beside gaps of labels, weights, units and noise."""
    X, labels = with_gap(np.nan).to_numpy(), LABELS.astype(object)
    labels[3] = None
    weights, kept = np.arange(60) % 4 + 1.0, np.flatnonzero(~np.isin(np.arange(60), [3, GAP]))
    asked: dict[str, Any] = {"indices": ["silhouette", "ch", "dbcv"]}
    found = adjudge.evaluate(X=X, labels=LABELS, missing="drop", **asked)
    wanted = adjudge.evaluate(X=np.delete(X, GAP, 0), labels=np.delete(LABELS, GAP), **asked)
    assert found.values == pytest.approx(wanted.values)
    asked = {"indices": ["silhouette", "ch"]}
    found = adjudge.evaluate(X=X, labels=labels, missing="drop", **asked)
    wanted = adjudge.evaluate(X=X[kept], labels=LABELS[kept], **asked)
    assert found.values == pytest.approx(wanted.values)
    weighed: dict[str, Any] = {"weights": "frequency", "indices": ["ch"]}
    found = adjudge.evaluate(X=X, labels=labels, missing="drop", sample_weight=weights, **weighed)
    wanted = adjudge.evaluate(X=X[kept], labels=LABELS[kept], sample_weight=weights[kept], **weighed)
    assert found.values == pytest.approx(wanted.values)
    with pytest.raises(InputError, match="gap in every row"):
        adjudge.evaluate(X=np.full((60, 1), np.nan), labels=LABELS, missing="drop", **asked)


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas])
@pytest.mark.parametrize("names", [range(30), [f"p{i}" for i in range(30)]])
def test_units_are_no_coordinates(convert: Callable[[Any], Any], names: Any, tmp_path: Path) -> None:
    units = np.repeat(np.array(list(names)), 2)[np.random.default_rng(1).permutation(60)]
    frame = pd.DataFrame(points(), columns=["x", "y"]).assign(visit_of=units)
    X, asked = convert(frame), {"indices": ["silhouette"], "units": units}
    found = adjudge.evaluate(X=X, labels=LABELS, **asked)
    wanted = adjudge.evaluate(X=points(), labels=LABELS, **asked)
    assert found.values == pytest.approx(wanted.values)
    assert any("'visit_of' equals the units" in str(own) for own in found.warnings)
    page = adjudge.report(models={"a": LABELS, "b": OTHER}, X=X, units=units, output=tmp_path / "r.html")
    # On a page, columns of text are shown and never coordinates.
    assert ("'visit_of' equals the units" in str(page.page["sections"][0])) == isinstance(names, range)


def test_the_name_of_one_unit_is_that_of_identifiers_if_they_repeat() -> None:
    """Under the name of several they may be counts, and without repeats anything."""
    repeating = np.repeat(np.arange(30) * 7 + 3, 2)
    for name, values, is_left_out in (
        ("patient", repeating, True),
        ("Patient", repeating.astype(float), True),
        ("user code", repeating, True),
        ("patient_id", repeating, True),
        ("customer_id", np.arange(60)[::-1] * 3, True),
        ("patients", repeating, False),
        ("patient", np.arange(60) * 3 % 59, False),
        ("patient", np.arange(60) % 3, False),
        ("patient", repeating + 0.5, False),
        ("patient_age", repeating, False),
    ):
        frame = pd.DataFrame(points(), columns=["x", "y"]).assign(**{name: values})
        found = adjudge.evaluate(X=frame, labels=LABELS, indices="ch")
        wanted = adjudge.calinski_harabasz(points() if is_left_out else frame.to_numpy(), LABELS)
        assert found["calinski_harabasz"] == pytest.approx(wanted), name
        assert any("looks like an identifier" in str(own) for own in found.warnings) == is_left_out


def test_a_word_among_numbers_is_named() -> None:
    for convert in (lambda frame: frame, lambda frame: pl.from_pandas(typed(frame))):
        with pytest.raises(InputError, match=r"X has '\?', not a number, in row 7, column 'y'"):
            adjudge.evaluate(X=convert(with_gap("?")), labels=LABELS)
    with pytest.raises(InputError, match="non-numeric column 'y'"):
        adjudge.evaluate(X=pd.DataFrame({"y": [f"street {i}" for i in range(60)]}), labels=LABELS)


def test_columns_of_text_are_left_out_of_frames_as_of_files(tmp_path: Path) -> None:
    words = points().assign(
        city=[f"street {i % 7}" for i in range(60)], when=pd.date_range("2026", periods=60)
    )
    words.to_csv(tmp_path / "points.csv", index=False)
    expected = adjudge.evaluate(X=points(), labels=LABELS, indices="ch").values
    for given in (words, pl.from_pandas(words)):
        found = adjudge.evaluate(X=given, labels=LABELS, indices="ch")
        assert found.values == expected
        assert "'city' and 'when' hold no numbers, so they are left out" in "".join(map(str, found.warnings))
    chosen = [adjudge.choose_k(own, k=[2, 3]) for own in (words, tmp_path / "points.csv")]
    assert chosen[0].values == chosen[1].values
    assert chosen[0].columns == chosen[1].columns == ("x", "y")
    some = [adjudge.choose_k(own, k=[2, 3], features=["x*"]) for own in (words, tmp_path / "points.csv")]
    assert some[0].values == some[1].values
    with pytest.raises(InputError, match=r"features= names 'q\*', but X has no such column"):
        adjudge.choose_k(words, k=[2, 3], features=["q*"])


def test_labels_of_a_table_are_judged_from_all_its_coordinates(tmp_path: Path) -> None:
    whole = points().assign(km=LABELS, customer_id=range(1000, 1060))
    whole.to_csv(tmp_path / "points.csv", index=False)
    expected = adjudge.evaluate(X=points(), labels=LABELS, indices="ch").values
    for table in (whole, pl.from_pandas(whole), tmp_path / "points.csv"):
        found = adjudge.evaluate(table, labels="km", indices="ch")
        assert found.values == pytest.approx(expected)
        assert "looks like an identifier" in "".join(map(str, found.warnings))
    with pytest.raises(InputError, match="collect the table first, or name them with features="):
        adjudge.evaluate(pl.from_pandas(whole).lazy(), labels="km", indices="ch")


def test_what_happens_does_not_depend_on_the_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for row in (0, 5, 199, 200, 1000):
        for gap in ("", "?"):
            lines = [
                f"{i % 7}.5,{gap if i == row else i % 5}.25"[: None if i != row else 4] for i in range(1100)
            ]
            lines = [
                f"{i % 7 + i / 2000},{gap if i == row else i % 5 + i / 3000},{i % 2}" for i in range(1100)
            ]
            path = tmp_path / "t.csv"
            path.write_text("\n".join(["x,y,a", *lines]))
            error = said(["evaluate", str(path), "--labels", "a", "--indices", "ch"], capsys, 2)
            assert f"column 'y' {'is empty' if not gap else 'has'}" in error
            assert f"row {row + 1} " in error


def test_a_column_that_is_filled_late_is_a_coordinate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{i / 7},{'' if i < 400 else i / 9},{i % 2}" for i in range(500)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,a", *lines]))
    error = said(["evaluate", str(tmp_path / "t.csv"), "--labels", "a", "--indices", "ch"], capsys, 2)
    assert "column 'y' is empty in row 1" in error


@pytest.fixture(name="full")
def table_with_other_columns() -> pd.DataFrame:
    """Coordinates beside an identifier with a gap, the labels, the truth as text, and a constant."""
    frame = points()
    frame["customer_id"] = np.arange(9000, 9060).astype(float)
    frame.loc[2, "customer_id"] = np.nan
    frame["a"], frame["truth"], frame["batch"] = LABELS, np.array(["u", "v", "w"])[OTHER - 1], 4
    return frame


LEFT_OUT = {"customer_id", "a", "truth", "batch"}


def test_frames_leave_out_what_files_leave_out(full: pd.DataFrame, tmp_path: Path, shell: Any) -> None:
    wanted = adjudge.evaluate(X=points(), labels=LABELS, indices="ch").values
    for X in (full, pl.from_pandas(full), pa.Table.from_pandas(full)):
        found = adjudge.evaluate(full["truth"], X=X, labels_pred=full["a"], indices=["ch", "ari"])
        assert found["calinski_harabasz"] == wanted["calinski_harabasz"]
        words = " ".join(map(str, found.warnings))
        assert all(f"'{name}'" in words for name in LEFT_OUT), words
    full.to_csv(tmp_path / "t.csv", index=False)
    command = ["evaluate", str(tmp_path / "t.csv"), "--truth", "truth", "--labels", "a"]
    shown = shell(*command, "--indices", "ch,ari", "-f", "json")
    made = json.loads(shown.out)
    assert made["columns"] == ["x", "y"]
    assert made["evaluations"]["a"]["values"]["calinski_harabasz"] == wanted["calinski_harabasz"]
    assert all(f"'{name}'" in shown.err for name in ("customer_id", "batch"))


def test_every_verb_leaves_out_the_same(full: pd.DataFrame, tmp_path: Path) -> None:
    numbers = full.drop(columns=["truth", "a"])
    models = {"a": LABELS, "b": OTHER}
    chosen = adjudge.choose(numbers, models, random_state=0)
    assert chosen.values == adjudge.choose(points(), models, random_state=0).values
    found = adjudge.choose_k(numbers, k=range(2, 4), random_state=0)
    assert found.probability == adjudge.choose_k(points(), k=range(2, 4), random_state=0).probability
    for own in (chosen, found):
        assert any("'customer_id' looks like an identifier" in str(notice) for notice in own.warnings)
    tests = [
        adjudge.inference.clusters_test(X, KMeans(2, n_init=1, random_state=0), n_samples=19, random_state=0)
        for X in (numbers, points())
    ]
    assert tests[0].table().records() == tests[1].table().records()
    made = adjudge.report(models=models, X=full, output=tmp_path / "r.html").page["sections"][0]
    words = " ".join(sentence["text"] for sentence in made["verdict"])
    assert "'customer_id' looks like an identifier: not a coordinate, only shown." in words
    assert "'a' equals the labels 'a': not a coordinate, only shown." in words


def test_what_is_chosen_is_a_coordinate(full: pd.DataFrame) -> None:
    filled = full.fillna({"customer_id": 9002.0})
    asked: dict[str, Any] = {"labels": "a", "features": ["customer_id", "x"], "indices": "ch"}
    named = adjudge.evaluate(filled, **asked)
    array = adjudge.evaluate(X=filled[["customer_id", "x"]].to_numpy(), labels=LABELS, indices="ch")
    function = adjudge.calinski_harabasz(filled[["customer_id", "x"]], LABELS)
    assert named["calinski_harabasz"] == array["calinski_harabasz"] == function


@each(
    "columns",
    [
        {"id": np.arange(60.0)},
        {"cluster": OTHER.astype(float)},
        {"k": np.full(60, 3.0), "m": np.full(60, 4.0)},
    ],
)
def test_what_there_is_counts(columns: dict[str, Any]) -> None:
    """If no column would be left, all are coordinates."""
    frame = pd.DataFrame(columns)
    found = adjudge.evaluate(X=frame, labels=LABELS, indices="trace_w")
    assert found.values == adjudge.evaluate(X=frame.to_numpy(), labels=LABELS, indices="trace_w").values


def clusterings(rng: np.random.Generator) -> dict[str, Any]:
    """Columns of clusters under settings, one of last month that hardly differs, and counts that are like none."""
    last = np.where(rng.random(60) < 0.05, 2, np.arange(60) % 3)
    return {
        "pca_0.2": np.arange(60) % 2,
        "pca_0.5": np.arange(60) % 3,
        "last_month": last,
        "visits": rng.permutation(np.arange(60) % 3),
    }


@each("convert", [pd.DataFrame, pl.DataFrame])
def test_clusterings_beside_coordinates_are_no_coordinates(
    convert: Callable[[Any], Any], tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=60), **clusterings(rng), "batch": np.arange(60) % 4}
    table = convert(columns)
    found = adjudge.evaluate(table, labels="batch", indices="trace_w")
    assert found["trace_w"] == adjudge.trace_w(table[["x", "visits"]], columns["batch"])
    path = tmp_path / "points.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    assert adjudge.evaluate(path, labels="batch", indices="trace_w").values == found.values


def test_a_page_has_no_points_if_no_column_is_one(tmp_path: Path) -> None:
    """Clusterings beside models are no coordinates, although there are no others."""
    rng = np.random.default_rng(0)
    columns = clusterings(rng)
    del columns["visits"]
    table = pd.DataFrame({"truth": np.arange(60) % 3, "km": np.arange(60) % 2, **columns})
    page = tmp_path / "page.html"
    asked: dict[str, Any] = {"truth": "truth", "models": ["km"], "kind": "clustering", "output": page}
    adjudge.report(table, **asked)
    assert "ilhouette" not in page.read_text("utf-8")
    adjudge.report(table.assign(x=rng.normal(size=60)), **asked)
    assert "ilhouette" in page.read_text("utf-8")


def test_dummies_of_one_category_that_outweigh_the_rest_are_named() -> None:
    rng = np.random.default_rng(0)
    amounts = pd.DataFrame({"amount": rng.lognormal(0, 0.4, 300), "age": rng.normal(40, 9, 300)})
    dummies = pd.get_dummies(pd.Series(rng.choice(list("ABCDEFGH"), 300)), prefix="city").astype(float)
    both = pd.concat([amounts, dummies], axis=1)
    scaled = (both - both.mean()) / both.std()

    def named(X: pd.DataFrame) -> list[str]:
        found = adjudge.evaluate(X=X, labels=rng.integers(0, 2, 300), indices="ch").warnings
        return [notice.message for notice in found if notice.code == "dummies-outweigh"]

    assert "the 8 columns of 'city', of which one is 1 in each row, make 80 %" in named(scaled)[0]
    assert not named(both)  # the amounts decide
    assert not named(scaled.drop(columns="city_A"))  # other columns of zeros and ones
    assert not named(scaled[[*dummies]])  # there is nothing else


def test_the_map_shows_the_scaling_that_the_criteria_see(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.lognormal(0, 2, (80, 3)) * [1, 30, 1], columns=list("abc"))
    models = {"m": (X.a > 1).astype(int), "n": (X.b > 30).astype(int)}

    def shown(truth: Any = None, **options: Any) -> dict[str, Any]:
        made = adjudge.report(truth, models=models, X=X, output=tmp_path / "r.html", **options)
        return made.page["sections"][0]["instances"]["map"]

    maps = {how: shown(standardize=how) for how in (False, True, "robust", "log")}
    assert len({json.dumps(own["x"]) for own in maps.values()}) == 4
    assert "the columns a, b and c" in maps[False]["caption"]
    assert "the logarithmic, standardised columns a, b and c" in maps["log"]["caption"]
    # Classifiers have no criteria, so columns of any unit share the map.
    assert shown(models["m"], kind="classification")["x"] == maps[True]["x"]


def test_columns_beside_classifiers_may_have_gaps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = with_gap(np.nan).assign(z=points()["x"] ** 2, truth=LABELS, model=LABELS)
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = ["report", str(tmp_path / "t.csv"), "--truth", "truth", "--models", "model"]
    shown = said([*command, "--kind", "classification", "-o", str(tmp_path / "r.html")], capsys, 0)
    assert "the map leaves out 'y', which has gaps" in shown
    assert "features are x, z" in shown
    made = adjudge.report(
        LABELS, {"m": LABELS}, kind="classification", X=frame[["x", "y", "z"]], output=tmp_path / "p.html"
    )
    assert (
        "1 without numbers or with gaps are left out"
        in made.page["sections"][0]["instances"]["map"]["caption"]
    )


def test_columns_of_a_map_alone_may_have_gaps_beside_clusterings(tmp_path: Path) -> None:
    """A gap stopped a page without criteria, for which the column was only shown."""
    frame = with_gap(np.nan).assign(z=points()["x"] ** 2, truth=LABELS, model=LABELS)
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked: dict[str, Any] = {"truth": "truth", "models": ["model"], "kind": "clustering"}
    found = adjudge.report(tmp_path / "t.csv", **asked, indices=None, output=tmp_path / "r.html")
    assert "the map leaves out 'y', which has gaps" in "".join(map(str, found.warnings))
    # Criteria are of all coordinates.
    with pytest.raises(InputError, match="has a gap"):
        adjudge.report(tmp_path / "t.csv", **asked, output=tmp_path / "r.html")
