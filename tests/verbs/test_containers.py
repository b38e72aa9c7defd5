"""What people put labels, scores and points in: frames with any names, columns of lists, labels of rare types."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import adjudge
from adjudge.errors import InputError, InputTypeError
from conftest import raises_line

RNG = np.random.default_rng(0)
X = np.r_[RNG.normal(0, 0.1, (6, 2)), RNG.normal(3, 0.1, (6, 2))]
GOOD, POOR = [0] * 6 + [1] * 6, [0, 1] * 6
NUMBERED = pd.DataFrame({"d": ["x"] * 6 + ["y"] * 6, "t": GOOD, 1: GOOD, 2: POOR, 5: RNG.random(12)})
CLASSES: dict[str, Any] = {"kind": "classification", "indices": ["accuracy"]}


@pytest.mark.full
@pytest.mark.parametrize(
    "make", [lambda f: f, lambda f: dd.from_pandas(f, npartitions=2)], ids=["pandas", "dask"]
)
def test_columns_may_be_named_by_numbers(make: Any) -> None:
    table = make(NUMBERED)
    assert adjudge.evaluate(table, truth="t", pred=1, **CLASSES)["accuracy"] == 1.0
    assert adjudge.evaluate(table, truth="t", pred=2, groups="d", **CLASSES).by_group["x"]["accuracy"] == 0.5
    assert adjudge.evaluate(table, labels="t", features=[5], indices=["trace_w"])["trace_w"] > 0
    area = adjudge.evaluate(table, truth="t", probabilities=5, kind="classification", indices=["brier_score"])
    wanted = adjudge.evaluate(GOOD, probabilities=NUMBERED[5].to_numpy(), kind="classification")[
        "brier_score"
    ]
    assert area["brier_score"] == pytest.approx(wanted)
    compared = adjudge.compare(table, truth="t", models=[1, 2], **CLASSES)
    assert {name: own["accuracy"] for name, own in compared.scores.items()} == {"1": 1.0, "2": 0.5}
    found = adjudge.benchmark(make(NUMBERED.drop(columns=5)), dataset="d", truth="t", score="accuracy")
    assert found.average_ranks == {"1": 1.0, "2": 2.0}
    rows = compared["1", "2"].instances("right_wrong")
    if isinstance(rows, np.ndarray):
        assert rows.tolist() == [1, 3, 5, 6, 8, 10]
    else:
        assert rows.compute().columns.tolist() == NUMBERED.columns.tolist()


def test_weights_and_groups_named_by_numbers() -> None:
    found = adjudge.evaluate(
        NUMBERED, truth="t", pred=1, groups=2, sample_weight=5, weights="importance", **CLASSES
    )
    assert found.by_group[1]["accuracy"] == 1.0
    assert adjudge.choose(X, NUMBERED[[1, 2]]).best == "1"
    assert adjudge.evaluate(NUMBERED[[1, 2]], kind="raters")["raters_agreement"] == 0.5
    assert adjudge.evaluate(X=pd.DataFrame(X, columns=["a", 1]), labels=GOOD, indices=["dunn"])["dunn"] > 1


TWICE = pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"])
ALIKE = pd.DataFrame([[0, 1], [1, 0]], columns=[1, "1"])


@pytest.mark.parametrize("frame", [TWICE, ALIKE], ids=["twice", "alike"])
@pytest.mark.parametrize(
    "call",
    [
        lambda f: adjudge.compare([0, 1], f, kind="classification"),
        lambda f: adjudge.compare(f.assign(t=[0, 1]), truth="t", kind="classification"),
        lambda f: adjudge.benchmark(f),
        lambda f: adjudge.choose(X[:2], f),
        lambda f: adjudge.inference.friedman_test(f),
        lambda f: adjudge.evaluate([0, 1], f),
        lambda f: adjudge.compare([0, 1], probabilities=f / 2, kind="classification"),
    ],
)
def test_names_that_are_the_same(call: Callable[[Any], Any], frame: pd.DataFrame) -> None:
    with pytest.raises(InputError, match=r"same name|2 columns named '1'"):
        call(frame)


def test_one_column_is_a_vector() -> None:
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make({"a": GOOD})
        assert adjudge.evaluate(frame, frame, indices=["rand"])["rand"] == 1.0


def test_frames_whose_rows_are_elsewhere() -> None:
    for given, kind in ((pl.DataFrame({"a": GOOD}).lazy(), "a LazyFrame"), (pl.col("a"), "an Expr")):
        with raises_line(
            InputTypeError,
            f"labels_pred is {kind}, whose rows are not in memory: collect it, and pass one column",
        ):
            adjudge.evaluate(GOOD, given)


IDS = [uuid.UUID(int=i) for i in (1, 1, 2, 2**70)]
LARGE = [2**100, 2**100, 2**100 + 1, 5]
TENTHS = [Decimal("1.5"), Decimal("1.50"), Decimal("2"), Decimal("2.5")]
RARE: dict[str, tuple[Any, Any]] = {
    "uuid": (IDS, pd.Series(IDS)),
    "uuid in Arrow": (IDS, pa.array([own.bytes for own in IDS], pa.uuid())),
    "uuid in pandas' Arrow": (
        IDS,
        pd.Series(
            pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array([u.bytes for u in IDS], pa.uuid())]))
        ),
    ),
    "uuid in Polars": (IDS, pl.Series(IDS, dtype=pl.Object)),
    "integers": (LARGE, np.array(LARGE, object)),
    "Int128": (LARGE, pl.Series(LARGE, dtype=pl.Int128)),
    "UInt128": (LARGE, pl.Series(LARGE, dtype=pl.UInt128)),
    "decimal": (TENTHS, pd.Series(TENTHS)),
    "decimal in Arrow": (TENTHS, pa.array(TENTHS, pa.decimal128(10, 2))),
    "decimal in Polars": (TENTHS, pl.Series(TENTHS, dtype=pl.Decimal(10, 2))),
}


@pytest.mark.parametrize("name", RARE)
def test_labels_of_rare_types(name: str) -> None:
    plain, given = RARE[name]
    codes = [0, 0, 1, 2]
    assert adjudge.evaluate(given, codes, indices=["rand"])["rand"] == 1.0
    assert adjudge.evaluate(given, plain, **CLASSES)["accuracy"] == 1.0
    with_gap = pl.Series([*LARGE, None], dtype=pl.Int128)
    assert adjudge.evaluate(with_gap, [*codes, 0], missing="drop", indices=["rand"])["rand"] == 1.0


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_rare_types_in_a_file(engine: str, tmp_path: Path, run: Any) -> None:
    path = tmp_path / "s.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT * FROM (VALUES ('00000000-0000-0000-0000-000000000001'::uuid, 1.50::decimal(10, 2), '1'), "
            "('00000000-0000-0000-0000-000000000002'::uuid, 2.00::decimal(10, 2), '2')) AS t(u, d, s)) "
            f"TO '{path}' (FORMAT parquet)"
        )
        connection.execute(
            f"COPY (SELECT *, u AS v, d::decimal(12, 3) AS e FROM '{path}') TO '{path}2' (FORMAT parquet)"
        )
    for truth, judged, right in (("u", "v", 1.0), ("d", "e", 1.0), ("s", "d", 0.5)):
        command = ["evaluate", f"{path}2", "--truth", truth, "--pred", judged, "--kind", "classification"]
        assert f"{judged},accuracy,{right}," in run(
            *command, "--indices", "accuracy", "-f", "csv", "--engine", engine
        )


TRUTH = [["a", "b"], [], ["a"], ["c"]]
PREDICTED = [["a"], ["a"], ["a"], ["c"]]
LISTS: dict[str, Callable[[Any], Any]] = {
    "pandas": pd.Series,
    "pandas with Arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "Polars": pl.Series,
    "Arrow": pa.array,
    "Arrow in chunks": lambda v: pa.chunked_array([v[:1], v[1:]]),
    "a column of pandas": lambda v: pd.DataFrame({"v": v}),
    "a column of Polars": lambda v: pl.DataFrame({"v": v}),
    "a column of Arrow": lambda v: pa.table({"v": v}),
}


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_lists_of_labels(make: Callable[[Any], Any]) -> None:
    """Of 4 x 3 cells two are wrong."""
    found = adjudge.evaluate(make(TRUTH), make(PREDICTED), kind="multilabel")
    assert found["hamming_loss"] == pytest.approx(2 / 12)
    for kind in ("clustering", "classification"):
        with pytest.raises(InputError, match="labels must be one-dimensional"):
            adjudge.evaluate(make(TRUTH), make(PREDICTED), kind=kind)


FRAME = pl.DataFrame({"t": TRUTH, "p": PREDICTED, "s": [{"x": 1}] * 4})
TABLES: dict[str, Callable[[], Any]] = {
    "polars": lambda: FRAME,
    "pandas": FRAME.to_pandas,
    "arrow": FRAME.to_arrow,
    "lazy": FRAME.lazy,
    "duckdb": lambda: duckdb.from_arrow(FRAME.to_arrow()),
}


@pytest.mark.parametrize("name", TABLES)
def test_lists_and_records_in_tables(name: str) -> None:
    table = TABLES[name]()
    if name in ("lazy", "duckdb"):
        said = "kind='multilabel' needs the instances: collect the table first"
        with raises_line(InputError, said):
            adjudge.evaluate(table, truth="t", pred="p", kind="multilabel")
        with raises_line(InputError, said):
            adjudge.compare(table, truth="t", models=["p"], kind="multilabel")
    else:
        found = adjudge.evaluate(table, truth="t", pred="p", kind="multilabel")
        assert found["hamming_loss"] == pytest.approx(2 / 12)
        compared = adjudge.compare(table, truth="t", models=["p"], kind="multilabel")
        assert compared.scores["p"]["hamming_loss"] == pytest.approx(2 / 12)
    for column in ("p", "s"):
        with pytest.raises(
            InputError,
            match=r"must be one-dimensional|holds lists of labels|kind='multilabel' needs the instances",
        ):
            adjudge.evaluate(table, truth="t", pred=column, kind="clustering")
        with pytest.raises(
            InputError,
            match=r"must be one-dimensional|holds lists of labels|kind='multilabel' needs the instances",
        ):
            adjudge.compare(table, truth="t", models=[column], kind="classification")


def test_columns_beside_lists_are_named() -> None:
    frame = pl.DataFrame({"a": [0, 1], "b": [["x"], []]})
    with pytest.raises(InputError, match=r"has a column 'b' of List.*: give one column with lists of labels"):
        adjudge.evaluate(frame, frame, kind="multilabel")


def test_scores_that_come_one_by_one() -> None:
    p = [0.1, 0.2, 0.3]
    ask: dict[str, Any] = {"kind": "classification", "indices": ["roc_auc"]}
    assert adjudge.evaluate([0, 1, 1], scores=(own for own in p), **ask)["roc_auc"] == 1.0
    assert adjudge.evaluate([0, 1, 1], probabilities=map(float, p), **ask)["roc_auc"] == 1.0
    with raises_line(InputTypeError, "scores is a set: give a number for each instance, in their order"):
        adjudge.evaluate([0, 1, 1], scores=set(p), **ask)


def test_probabilities_of_dtype_object() -> None:
    frame = pd.DataFrame({0: [0.9, 0.2, 0.3], 1: [0.1, 0.8, 0.7]}).astype(object)
    found = adjudge.evaluate([0, 1, 1], probabilities=frame, kind="classification")
    assert found["brier_score"] == pytest.approx((0.01 + 0.04 + 0.09) / 3)
    points = pd.DataFrame(X).astype(object)
    assert adjudge.dunn(points, GOOD) == adjudge.dunn(X, GOOD)
    with pytest.raises(InputError, match="non-numeric column 'b'"):
        adjudge.dunn(pd.DataFrame({"a": X[:, 0], "b": ["x"] * 12}), GOOD)


class BrainFloats:
    """A tensor as PyTorch has it: NumPy cannot take it before it is made wider."""

    dtype = "torch.bfloat16"

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> BrainFloats:
        return self

    def cpu(self) -> BrainFloats:
        return self

    def float(self) -> np.ndarray[Any, Any]:
        return np.asarray(self.values, np.float32)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Got unsupported ScalarType BFloat16")


def test_tensors_of_bfloat16() -> None:
    p = [0.25, 0.5, 0.75]
    found = adjudge.evaluate([0, 1, 1], probabilities=BrainFloats(p), kind="classification")
    assert found["brier_score"] == pytest.approx(np.mean([0.0625, 0.25, 0.0625]))
    assert adjudge.dunn(BrainFloats(X), GOOD) == pytest.approx(adjudge.dunn(X.astype(np.float32), GOOD))
    assert adjudge.evaluate(BrainFloats(GOOD), GOOD, indices=["rand"])["rand"] == 1.0


ROWS = pd.Index([*"abcdefghijkl"])
TURNED = ROWS[::-1]


@pytest.mark.parametrize(
    "call",
    [
        lambda y, X: adjudge.evaluate(X=X, labels=y),
        lambda y, X: adjudge.evaluate(y.loc[ROWS], y.loc[ROWS], X=X.loc[TURNED]),
        lambda y, X: adjudge.dunn(X, y),
        lambda y, X: adjudge.choose(X, pd.DataFrame({"p": y, "q": y})),
        lambda y, X: adjudge.choose(X, {"p": y}),
        lambda y, X: adjudge.choose_k(X, k=[2], estimator={2: y}),
        lambda y, X: adjudge.report(X=X, models={"p": y}),
        lambda y, X: adjudge.evaluate(y, scores=X["a"], kind="classification"),
        lambda y, X: adjudge.roc_auc(y, X["a"] / 9),
        lambda y, X: adjudge.compare(y, {"p": y.to_numpy()}, scores={"p": X["a"]}, kind="classification"),
        lambda y, X: adjudge.evaluate(y, y, sample_weight=X["a"].abs(), weights="importance"),
        lambda y, X: adjudge.evaluate(y, y, groups=X["a"].round(), kind="classification"),
    ],
)
def test_rows_in_another_order_are_refused(call: Callable[[Any, Any], Any]) -> None:
    labels = pd.Series(GOOD, index=ROWS)
    points = pd.DataFrame(X, columns=["a", "b"], index=ROWS)
    with pytest.raises(InputError, match="have the same index in different orders: sort them alike"):
        call(labels.loc[TURNED], points)


LATER = pd.Index([*"ghijklmnopqr"])


@pytest.mark.parametrize(
    "call",
    [
        lambda y, own: adjudge.evaluate(y, own(y)),
        lambda y, own: adjudge.evaluate(y, {"p": own(y)}),
        lambda y, own: adjudge.evaluate(y, pd.DataFrame({"p": own(y)}, index=own(y).index)),
        lambda y, own: adjudge.evaluate(y, y, groups=own(y), kind="classification"),
        lambda y, own: adjudge.evaluate(y, {"p": y}, groups=own(y), kind="classification"),
        lambda y, own: adjudge.evaluate(GOOD, {"p": y}, units=own(y), kind="classification"),
        lambda y, own: adjudge.evaluate(y, y, costs=own(y), kind="classification"),
        lambda y, own: adjudge.evaluate(values=y, units=own(y)),
        lambda y, own: adjudge.evaluate(values={"p": y}, units=own(y)),
        lambda y, own: adjudge.evaluate(y, own(y), kind="regression"),
        lambda y, own: adjudge.evaluate({"p": y, "q": own(y)}, kind="raters"),
        lambda y, own: adjudge.evaluate(y, probabilities=own(y) * 0.5, kind="classification"),
        lambda y, own: adjudge.compare(GOOD, {"p": y, "q": own(y)}, kind="classification"),
        lambda y, own: adjudge.compare(values={"p": y, "q": own(y)}, better="lower"),
        lambda y, own: adjudge.gate(y, POOR, own(y)),
        lambda y, own: adjudge.gate(y, POOR, POOR, sample_weight=own(y), weights="importance"),
        lambda y, own: adjudge.gate(y, POOR, POOR, units=y, runs=own(y)),
        lambda y, own: adjudge.weak_slices(y, POOR, pd.DataFrame({"c": own(y)})),
        lambda y, own: adjudge.choose_k(pd.DataFrame(X, index=y.index), k=[2], estimator={2: own(y)}),
        lambda y, own: adjudge.report(y, {"p": y}, kind="classification", groups=own(y)),
        lambda y, own: adjudge.report(y, {"p": y}, kind="classification", units=own(y)),
        lambda y, own: adjudge.accuracy(y, own(y)),
    ],
)
def test_rows_of_which_only_some_are_the_same_are_refused(call: Callable[[Any, Any], Any]) -> None:
    labels = pd.Series(GOOD, index=ROWS)
    with pytest.raises(
        InputError, match=r"share only 6 of 12 entries of their indexes: choose the same rows"
    ):
        call(labels, lambda given: given.set_axis(LATER))
    with pytest.raises(InputError, match="have the same index in different orders"):
        call(labels, lambda given: given.set_axis(TURNED))


def test_rows_in_the_same_order_are_taken() -> None:
    labels, points = pd.Series(GOOD, index=ROWS), pd.DataFrame(X, columns=["a", "b"], index=ROWS)
    assert adjudge.dunn(points, labels) == adjudge.dunn(X, GOOD)
    assert adjudge.dunn(points, labels.loc[TURNED].to_numpy()) == adjudge.dunn(X, GOOD[::-1])
