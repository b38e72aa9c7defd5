"""Gower's distance between rows of mixed columns, beside its definition, and in every verb that takes points."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError
from adjudge.cli import main
from adjudge.given.gower import gower_between, gower_points, over_ranges

RNG = np.random.default_rng(21)
N = 40
LABELS = RNG.integers(0, 3, N)
SIZES = ["S", "M", "L", "XL"]
MIXED = pd.DataFrame(
    {
        "age": 20 + 9 * LABELS + RNG.normal(0, 5, N).round(1),
        "visits": RNG.integers(0, 6, N),
        "plan": np.array(["basic", "plus", "max"])[np.where(RNG.random(N) < 0.7, LABELS, 0)],
        "size": pd.Categorical(np.array(SIZES)[RNG.integers(0, 3, N)], categories=SIZES, ordered=True),
        "member": RNG.random(N) < 0.4,
    }
)
MIXED.loc[2, "age"] = np.nan
MIXED.loc[[5, 9], "plan"] = None
MIXED.loc[7, "size"] = None


def distance(frame: pd.DataFrame, i: int, j: int) -> Fraction:
    """Mean over the columns that both rows have, of what each says of both, exactly."""
    parts = []
    for name in frame:
        column = frame[name]
        one, other = column.iloc[i], column.iloc[j]
        if pd.isna(one) or pd.isna(other):
            continue
        if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
            places = {label: Fraction(place) for place, label in enumerate(column.dtype.categories)}
            known = [places[own] for own in column.dropna()]
            parts.append(abs(places[one] - places[other]) / (max(known) - min(known) or 1))
        elif pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            known = [Fraction(own) for own in column.dropna().tolist()]
            parts.append(abs(Fraction(one) - Fraction(other)) / (max(known) - min(known) or 1))
        else:
            parts.append(Fraction(int(one != other)))
    return sum(parts, Fraction(0)) / len(parts)


def between(X: Any) -> np.ndarray:
    coded = over_ranges(gower_points(X).values)
    return gower_between(coded, coded)


def test_distances_are_those_of_the_definition() -> None:
    exact = [[float(distance(MIXED, i, j)) for j in range(N)] for i in range(N)]
    np.testing.assert_allclose(between(MIXED), exact, atol=1e-14)


def test_a_table_by_hand() -> None:
    """Ages have a range of 40, grades one of 2 places; the last row has no plan."""
    grade = pd.Categorical(["low", "high", "mid"], categories=["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"age": [20, 30, 60], "plan": ["a", "b", None], "grade": grade})
    one, two, three = (
        (Fraction(10, 40) + 1 + 1) / 3,
        (1 + Fraction(1, 2)) / 2,
        (Fraction(30, 40) + Fraction(1, 2)) / 2,
    )
    expected = [[0, one, two], [one, 0, three], [two, three, 0]]
    np.testing.assert_allclose(between(frame), np.array(expected, float), atol=1e-15)


def test_columns_of_numbers_alone_are_scaled_city_blocks() -> None:
    """As daisy of R's package cluster with metric = "gower": the mean of absolute differences over ranges."""
    X = RNG.normal(size=(30, 4)) * [1, 10, 1e6, 1e-3]
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    expected = np.abs(scaled[:, None] - scaled).mean(axis=2)
    np.testing.assert_allclose(between(X), expected, rtol=1e-12)


def test_constants_huge_numbers_objects_and_other_containers() -> None:
    frame = pd.DataFrame({"same": [3.0, 3.0, 3.0], "huge": [-1.7e308, 0.0, 1.7e308]})
    np.testing.assert_allclose(between(frame), np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]) / 4)
    cells = np.array([[1, "a"], [3, "b"], [2, "a"]], object)
    np.testing.assert_allclose(between(cells), [[0, 1, 0.25], [1, 0, 0.75], [0.25, 0.75, 0]])
    polars = pl.from_pandas(MIXED.astype({"size": object})).with_columns(pl.col("size").cast(pl.Enum(SIZES)))
    np.testing.assert_allclose(between(polars), between(MIXED))
    np.testing.assert_allclose(between(polars.to_arrow()), between(MIXED))


def test_neither_the_order_of_rows_nor_names_of_categories_matter() -> None:
    order = RNG.permutation(N)
    whole = between(MIXED)
    np.testing.assert_allclose(between(MIXED.iloc[order]), whole[np.ix_(order, order)], atol=1e-15)
    renamed = MIXED.assign(plan=MIXED["plan"].map({"basic": "z", "plus": "y", "max": "x"}))
    np.testing.assert_array_equal(between(renamed), whole)


def test_indices_are_those_of_the_matrix_of_distances() -> None:
    D = between(MIXED)
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    names = [
        "silhouette",
        "dunn",
        "gdi22",
        "tau",
        "c_index",
        "connectivity",
        "dbcv",
        "widest_gap",
        "medoid_silhouette",
    ]
    more: dict[str, Any] = {"labels": LABELS, "indices": names, "dimension": 5}
    found, given = (
        adjudge.evaluate(X=X, metric=how, **more) for X, how in ((MIXED, "gower"), (D, "precomputed"))
    )
    for name in names:
        assert found[name] == pytest.approx(given[name], rel=1e-9), name
    assert adjudge.silhouette(MIXED, LABELS, metric="gower") == pytest.approx(given["silhouette"])
    assert found.settings["metric"] == "gower"
    with pytest.raises(InputError, match="metric='gower' gives only distances"):
        adjudge.evaluate(X=MIXED, labels=LABELS, metric="gower", indices="calinski_harabasz")


@pytest.mark.parametrize("door", ["pandas", "polars", "csv", "parquet"])
def test_columns_of_tables(door: str, tmp_path: Path) -> None:
    table = MIXED.assign(plan=MIXED["plan"].astype(object), group=LABELS, customer_id=np.arange(N) + 7001)
    given: Any = table
    if door in ("polars", "csv"):
        table = table.assign(size=table["size"].astype(object))
    if door == "polars":
        given = pl.from_pandas(table)
    elif door != "pandas":
        given = tmp_path / f"t.{door}"
        table.to_csv(given, index=False) if door == "csv" else table.to_parquet(given)
    X = table[[*MIXED]]
    wanted = adjudge.silhouette(X, LABELS, metric="gower")
    for features in ([*MIXED], "all"):
        found = adjudge.evaluate(
            given, labels="group", features=features, metric="gower", indices="silhouette"
        )
        assert found["silhouette"] == pytest.approx(wanted), features
        assert found.settings["features"] == [*MIXED]
    other = np.roll(LABELS, 1)
    points = given if door in ("csv", "parquet") else X
    chosen = adjudge.choose(points, {"true": LABELS, "other": other}, metric="gower", features=[*MIXED])
    assert f"{wanted:.4f}" in chosen.table().text()


def test_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], run: Any) -> None:
    path = tmp_path / "t.csv"
    MIXED.assign(group=LABELS, other=np.roll(LABELS, 1)).to_csv(path, index=False)
    asked = [str(path), "--metric", "gower", "--columns", ",".join(MIXED)]
    assert main(["evaluate", *asked, "--labels", "group", "--indices", "silhouette"]) == 0
    wanted = adjudge.silhouette(MIXED.assign(size=MIXED["size"].astype(object)), LABELS, metric="gower")
    assert f"{wanted:.4f}" in capsys.readouterr().out
    assert "group has the best consensus" in run("choose", *asked, "--labels", "group,other")


def test_what_cannot_be_measured_is_said() -> None:
    apart = pd.DataFrame({"a": [1.0, None, 2.0], "b": [None, "x", "y"]})
    for frame, said in (
        (
            apart,
            "X has no column that is filled both in row 0 and in row 1, so that their distance is not known",
        ),
        (apart.assign(b=None), "X has nothing in row 1: fill in or leave out such points"),
        (pd.DataFrame({"a": [1.0, np.inf, 2.0]}), "X has an infinite value in row 1, column 'a'"),
        (pd.DataFrame({"a": []}), "X has no columns, or no rows"),
    ):
        with pytest.raises(InputError, match=said):
            between(frame)
    with pytest.raises(InputError, match="standardize= is not for Gower's distance"):
        adjudge.choose(MIXED, {"a": LABELS}, metric="gower", standardize=True)
    with pytest.raises(InputError, match="standardize= is not for Gower's distance"):
        adjudge.evaluate(MIXED.assign(g=LABELS), labels="g", features="all", metric="gower", standardize=True)
    from sklearn.cluster import KMeans

    with pytest.raises(InputError, match="is of columns that no clusterer reads: give labels"):
        adjudge.choose(MIXED, {"a": LABELS, "b": KMeans(2)}, metric="gower")


def test_identifiers_are_left_out_of_frames_and_said() -> None:
    frame = MIXED.assign(customer_id=np.arange(N) + 7001)
    found = adjudge.evaluate(X=frame, labels=LABELS, metric="gower", indices="silhouette")
    assert found["silhouette"] == pytest.approx(adjudge.silhouette(MIXED, LABELS, metric="gower"))
    assert "'customer_id' looks like an identifier" in repr(found)


def test_labels_and_identifiers_are_no_coordinates(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 10, 90), "plan": rng.choice(["a", "b"], 90)})
    labels = rng.choice(["x", "y"], 90)
    wanted = {"metric": "gower", "indices": "silhouette"}
    expected = adjudge.evaluate(X=frame, labels=labels, **wanted).values
    whole = frame.assign(segment=labels, before=labels, customer=[f"c{i}" for i in range(90)])
    beside = adjudge.evaluate(X=whole, labels=labels, **wanted)
    assert beside.values == expected
    said = "".join(map(str, beside.warnings))
    assert "'segment' equals the labels" in said
    assert "'customer' looks like an identifier" in said
    assert "differ in scale" not in said
    for ending in ("csv", "parquet", "feather"):
        getattr(whole, f"to_{ending}")(
            tmp_path / f"t.{ending}", **({"index": False} if ending == "csv" else {})
        )
        found = adjudge.evaluate(str(tmp_path / f"t.{ending}"), labels="segment", **wanted)
        assert found.values == pytest.approx(expected)
    assert adjudge.evaluate(whole, labels="segment", **wanted).values == expected


def test_dates_are_refused() -> None:
    days = pd.date_range("2026-01-01", periods=40)
    for given in (
        pd.DataFrame({"when": days}),
        pl.DataFrame({"when": days}),
        pd.DataFrame({"when": days - days[0]}),
    ):
        with pytest.raises(
            InputError, match="X has the dates 'when': give their distance in days as a number"
        ):
            gower_points(given)


@pytest.mark.parametrize("far", [900.0, -1e300])
def test_rows_of_noise_that_are_left_out_stretch_no_range(far: float) -> None:
    """Ranges are those of the rows that are judged: a cluster of noise belongs to them, noise left out does not."""
    frame = MIXED[["visits", "plan", "member"]]
    last = pd.DataFrame({"visits": [far], "plan": ["max"], "member": [True]})
    beyond = pd.concat([frame, last], ignore_index=True)
    marked, other = np.append(LABELS, -1), np.append(np.roll(LABELS, 1), -1)
    asked: dict[str, Any] = {"metric": "gower", "indices": ["silhouette", "c_index", "dunn"]}
    alone = adjudge.evaluate(X=frame, labels=LABELS, **asked).values
    assert adjudge.evaluate(X=beyond, labels=marked, noise="drop", **asked).values == alone
    kept = adjudge.evaluate(X=beyond, labels=np.append(LABELS, 3), **asked).values
    assert adjudge.evaluate(X=beyond, labels=marked, **asked).values == pytest.approx(kept)
    assert kept != alone
    # The density-based index leaves noise out by itself, and counts it.
    dbcv = adjudge.evaluate(X=frame, labels=LABELS, metric="gower", indices="dbcv")["dbcv"]
    found = adjudge.evaluate(X=beyond, labels=marked, metric="gower", indices="dbcv")["dbcv"]
    assert found == pytest.approx(dbcv * N / (N + 1))
    asked["indices"], weights = "silhouette", [1] * N + [0]
    weighed = adjudge.evaluate(
        X=beyond, labels=np.append(LABELS, 0), sample_weight=weights, weights="frequency", **asked
    )
    assert weighed["silhouette"] == pytest.approx(alone["silhouette"])
    chosen = adjudge.choose(beyond, {"a": marked, "b": other}, metric="gower").values["silhouette"]
    assert chosen["a"] == alone["silhouette"]


def test_a_sample_is_divided_by_the_ranges_of_all_rows_that_are_judged() -> None:
    """As distances between all rows that are known before are; the sample seldom holds the farthest row."""
    rng = np.random.default_rng(8)
    n = 1500
    frame = pd.DataFrame({"visits": rng.normal(size=n), "plan": rng.choice(["a", "b"], n)})
    frame.loc[[7, 8], "visits"] = [400.0, -300.0]
    first = (frame.visits > 0).to_numpy().astype(int)
    candidates = {"sign": first, "plan": (frame.plan == "a").to_numpy().astype(int)}
    far = {name: np.where(np.arange(n) == 7, -1, own) for name, own in candidates.items()}
    asked: dict[str, Any] = {"sample_size": 200, "random_state": 3, "indices": ["silhouette", "dunn"]}
    for labels, kept in ((candidates, np.ones(n, np.bool_)), (far, np.arange(n) != 7)):
        coded = gower_points(frame).values
        between = gower_between(*[over_ranges(coded, among=coded[kept])] * 2)
        found = adjudge.choose(frame, labels, metric="gower", **asked)
        wanted = adjudge.choose(between, labels, metric="precomputed", **asked)
        for index in asked["indices"]:
            assert found.values[index] == pytest.approx(wanted.values[index]), index


def test_empty_rows_are_left_out_on_request(tmp_path: Path) -> None:
    table = MIXED.astype({"member": object, "visits": float}).assign(group=LABELS)
    table.loc[4, [*MIXED]] = None
    asked: dict[str, Any] = {"metric": "gower", "indices": "silhouette"}
    rest = table.drop(index=4)
    wanted = adjudge.evaluate(X=rest[[*MIXED]], labels=rest["group"], **asked)["silhouette"]
    table.to_parquet(tmp_path / "t.parquet")
    calls: list[dict[str, Any]] = [{"X": table[[*MIXED]], "labels": LABELS}]
    calls += [{"labels_true": own, "labels": "group"} for own in (table, str(tmp_path / "t.parquet"))]
    for given in calls:
        with pytest.raises(InputError, match=r"X has nothing in row 4: fill in .*, or pass missing='drop'"):
            adjudge.evaluate(**given, **asked)
        found = adjudge.evaluate(**given, **asked, missing="drop")
        assert found["silhouette"] == pytest.approx(wanted)
        assert "1 of the 40 points is left out" in repr(found)
    models = {"a": LABELS, "b": np.roll(LABELS, 1)}
    chosen = adjudge.choose(table[[*MIXED]], models, metric="gower", missing="drop")
    assert chosen.n == N - 1


def test_numbers_as_text_are_refused_unless_they_are_categories(tmp_path: Path) -> None:
    frame = MIXED[["visits", "plan"]].assign(age=MIXED["age"].fillna(30).astype(str))
    said = (
        r"X has numbers as text, such as '[\d.,]+', in column 'age': convert them to numbers, or put a letter"
    )
    for given in (frame, pl.from_pandas(frame), frame.assign(age=frame["age"].str.replace(".", ","))):
        with pytest.raises(InputError, match=said):
            adjudge.evaluate(X=given, labels=LABELS, metric="gower", indices="silhouette")
    known = frame.assign(age=np.where(LABELS == 0, "10115", np.where(LABELS == 1, "10117", "10119")))
    for own in (known.astype({"age": "category"}), known.assign(age="D" + known["age"])):
        np.testing.assert_array_equal(between(own), between(known.assign(age=LABELS.astype("U1") + "x")))
    frame.assign(age=frame["age"].str.replace(".", ","), group=LABELS).to_csv(
        tmp_path / "t.csv", sep=";", index=False
    )
    with pytest.raises(InputError, match="'age' has decimal commas: "):
        adjudge.evaluate(tmp_path / "t.csv", labels="group", metric="gower", indices="silhouette")


def test_a_path_is_read_as_other_points_are(tmp_path: Path) -> None:
    MIXED.to_parquet(tmp_path / "t.parquet")
    MIXED.to_csv(tmp_path / "t.csv")
    np.save(tmp_path / "t.npy", MIXED[["visits"]])
    wanted = {"t.parquet": MIXED, "t.npy": MIXED[["visits"]]}
    for name, frame in wanted.items():
        found = adjudge.evaluate(X=tmp_path / name, labels=LABELS, metric="gower", indices="silhouette")
        assert found["silhouette"] == pytest.approx(adjudge.silhouette(frame, LABELS, metric="gower"))
    with pytest.raises(InputError, match="files, so pass a data frame"):
        adjudge.evaluate(X=tmp_path / "t.csv", labels=LABELS, metric="gower")


def test_choices_say_nothing_of_scales() -> None:
    models = {"a": LABELS, "b": np.roll(LABELS, 1)}
    frame = MIXED[["age"]].assign(city=[f"c{i % 11}" for i in range(N)])
    assert "differ in scale" not in repr(adjudge.choose(frame, models, metric="gower"))
