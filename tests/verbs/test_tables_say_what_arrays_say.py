"""What a call says is taken in the same way from arrays, from tables and from lazy tables, or refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import Classifier, InputError, InputTypeError, compare, evaluate
from conftest import raises_line

RNG = np.random.default_rng(3)
N = 240
FRAME = pd.DataFrame(
    {
        "t": RNG.integers(0, 4, N),
        "p": RNG.integers(0, 4, N),
        "q": RNG.integers(0, 4, N),
        "u": RNG.integers(0, 30, N),
        "g": RNG.choice(["a", "b"], N),
        "w": RNG.integers(1, 4, N),
        "pr": RNG.random(N),
        "yes": RNG.choice(["no", "yes"], N),
        "x": RNG.normal(size=N),
        "y": RNG.normal(size=N),
    }
)
_SEVERAL = "{} holds several label vectors: leave out {}"
_POINTS_AS_X = "labels are judged from points: pass these as X=, or labels beside a truth as labels_pred="
POINTS = FRAME[["x", "y"]].to_numpy()


@pytest.fixture(params=["eager", "lazy", "file"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "eager":
        return FRAME
    if request.param == "lazy":
        return pl.from_pandas(FRAME).lazy()
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.mark.parametrize("named", ["labels", "labels_pred"])
def test_noise_is_left_out_of_the_points_by_its_name(table: Any, named: str) -> None:
    options: dict[str, Any] = {"noise": {named: "drop"}, "noise_label": 0, "indices": "trace_w"}
    columns = {"labels": "p"} if named == "labels" else {"pred": "p"}
    found = evaluate(table, features=["x", "y"], **columns, **options)
    labels = {"labels": FRAME.p} if named == "labels" else {"labels_pred": FRAME.p}
    wanted = evaluate(X=POINTS, **labels, **options)
    assert found["trace_w"] == pytest.approx(wanted["trace_w"], rel=1e-9)
    assert found["trace_w"] < evaluate(X=POINTS, labels=FRAME.p, indices="trace_w")["trace_w"]
    with pytest.raises(InputError, match="names 'nonsense': the columns of labels are"):
        evaluate(table, features=["x", "y"], **columns, noise={"nonsense": "drop"}, noise_label=0)


def test_noise_that_is_scattered_needs_the_rows() -> None:
    lazy = pl.from_pandas(FRAME).lazy()
    given: dict[str, Any] = {"truth": "t", "kind": "clustering", "noise_label": 0}
    for call in (
        lambda: evaluate(lazy, pred="p", noise={"labels_pred": "singletons"}, **given),
        lambda: compare(lazy, ["p", "q"], noise={"p": "singletons"}, **given),
    ):
        with pytest.raises(InputError, match="noise='singletons' needs the instances"):
            call()


def test_instances_of_a_lazy_comparison_leave_noise_out() -> None:
    given: dict[str, Any] = {"kind": "clustering", "noise": {"labels_true": "drop"}, "noise_label": 0}
    lazy = compare(pl.from_pandas(FRAME).lazy(), ["p", "q"], truth="t", **given)
    rows = lazy["p", "q"].instances("right_wrong").collect()
    assert len(rows) == lazy.n == int((FRAME.t != 0).sum())


def test_names_are_names_of_columns(table: Any) -> None:
    options: dict[str, Any] = {"truth": "t", "pred": "p"}
    for option in ("units", "sample_weight", "counts"):
        with pytest.raises(InputTypeError, match=rf"{option}= is a Series.*: it names a column of the table"):
            evaluate(table, **options, **{option: FRAME.w})
    with pytest.raises(
        InputTypeError, match=r"groups= is a Series.*: it names columns of the table, in a list"
    ):
        evaluate(table, **options, groups=FRAME.g)
    with pytest.raises(InputTypeError, match=r"pred= is a .*: it names columns of the table, in a list"):
        evaluate(table, truth="t", pred=FRAME.q)
    with pytest.raises(InputTypeError, match=r"pred= is a Series.*: it names a column of the table"):
        evaluate(table, truth="t", pred={"p": FRAME.q})
    by_name = evaluate(table, truth="t", pred={"one": "q", "two": "p"}, kind="clustering")
    assert by_name["one"].values == evaluate(table, truth="t", pred="q", kind="clustering").values
    with pytest.raises(
        InputTypeError, match=r"models= is a dict.*: it names columns of the table, in a list"
    ):
        compare(table, {"p": FRAME.q}, truth="t", kind="clustering")
    named = compare(table, {"one": "q", "two": "p"}, truth="t", kind="clustering")["one", "two"]
    assert named.right_wrong == compare(table, ["q", "p"], truth="t", kind="clustering")["q", "p"].right_wrong
    assert list(evaluate(table, truth="t", pred=FRAME.columns[1:3], kind="clustering")) == ["p", "q"]
    with raises_line(InputError, "column 'p' is named twice"):
        evaluate(table, truth="t", pred=["p", "p"])


def test_a_list_of_one_column_has_a_list_of_results(table: Any) -> None:
    found = evaluate(table, truth="t", pred=["p"], kind="clustering", indices=iter(["ari", "rand"]))
    assert list(found) == ["p"]
    assert found["p"].values == evaluate(FRAME.t, FRAME.p, kind="clustering", indices=["ari", "rand"]).values


def test_classifiers_are_columns(table: Any) -> None:
    given: dict[str, Any] = {"truth": "yes", "indices": ["log_loss", "brier_score"]}
    found = evaluate(table, pred=Classifier(probabilities="pr", positive="yes"), **given)
    wanted = evaluate(FRAME.yes, probabilities=FRAME.pr, positive="yes", indices=given["indices"])
    assert found.values == pytest.approx(wanted.values)
    models = {"a": Classifier(probabilities="pr", positive="yes")}
    assert compare(table, models, **given).scores["a"] == pytest.approx(wanted.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pred": "p", "labels_pred": "q"}, "labels_pred and pred= were given: give one of them"),
        (
            {"pred": "p", "labels": "q"},
            "labels are judged from points: name these with features=, or leave them out",
        ),
        ({"pred": "p", "metric": "cosine"}, " is an option for points: "),
        ({"pred": "p", "compat": "clusterCrit"}, " is an option for points: "),
        ({"pred": "p", "sample_size": 20}, " is an option for points: "),
        ({"pred": "p", "weights": "frequency"}, "weights= says what weights mean: give sample_weight="),
        (
            {"pred": ["p", "q"], "probabilities": "pr"},
            "probabilities= are of one classifier: name one column as pred=",
        ),
        ({"pred": "p", "features": []}, "features is empty: name at least one column of coordinates"),
    ],
)
def test_nothing_is_ignored(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(table, truth="t", **options)
    assert message in str(caught.value)


def test_options_of_classifiers_need_the_truth(table: Any) -> None:
    with pytest.raises(
        InputError, match="classifiers are judged against the truth: name its column with truth="
    ):
        evaluate(table, pred="p", features=["x", "y"], groups="g")
    with raises_line(InputError, "groups= is an option for classifiers: labels_true is missing"):
        evaluate(X=POINTS, labels=FRAME.p, groups=FRAME.g)


def test_arrays_beside_each_other_are_not_ignored() -> None:
    truth, p, q = FRAME.t, FRAME.p, FRAME.q
    for call, message in (
        (lambda: evaluate(truth, p, labels=q), "labels are judged from points: X is missing"),
        (
            lambda: evaluate(truth, p, X=POINTS, labels={"a": q}),
            _SEVERAL.format("labels", "labels_pred"),
        ),
        (
            lambda: evaluate(truth, {"a": p}, X=POINTS, labels=q),
            _SEVERAL.format("labels_pred", "labels"),
        ),
        (lambda: evaluate(truth, labels={"a": q}), _POINTS_AS_X),
        (lambda: evaluate(truth, labels=q), _POINTS_AS_X),
        (lambda: evaluate(POINTS, labels=q), _POINTS_AS_X),
        (lambda: evaluate(FRAME[["x", "y"]], labels=q), _POINTS_AS_X),
        # As counts, these could be a table.
        (lambda: evaluate(FRAME[["t", "u"]], labels=q), _POINTS_AS_X),
        (
            lambda: evaluate(FRAME.yes, {"a": FRAME.yes}, probabilities=FRAME.pr),
            "probabilities= are of one classifier: give each a Classifier, with its own",
        ),
        (
            lambda: evaluate(
                FRAME.yes, {"a": Classifier(probabilities=FRAME.pr, positive="no")}, positive="yes"
            ),
            "positive= was given twice: in Classifier, and as a keyword",
        ),
        (
            lambda: evaluate(FRAME.yes, {"a": Classifier()}),
            "a is a Classifier without labels, probabilities or scores: give some of them",
        ),
        (
            lambda: evaluate(truth="t", pred="p"),
            "other arguments name columns, but there is no table: pass it as labels_true",
        ),
    ):
        with raises_line(InputError, message):
            call()


def test_results_are_compared_as_they_were_made() -> None:
    options: dict[str, Any] = {
        "kind": "classification",
        "weights": "importance",
        "sample_weight": FRAME.w + 0.5,
    }
    one, other = evaluate(FRAME.t, FRAME.p, **options), evaluate(FRAME.t, FRAME.q, **options)
    found = compare(one, other, indices="accuracy")
    assert found.scores["first"]["accuracy"] == pytest.approx(one["accuracy"])
    with raises_line(InputError, "units= is that of the two results: leave it out"):
        compare(one, other, units=FRAME.u)


def test_columns_with_numbers_as_names(tmp_path: Path) -> None:
    frame = pd.DataFrame({10: FRAME.t, 11: FRAME.p, 12: FRAME.q})
    found = evaluate(frame, truth=10, pred=[11, np.int64(12)], kind="clustering", indices=["rand"])  # type: ignore[call-overload]
    assert (
        found[11].values
        == found["11"].values
        == evaluate(FRAME.t, FRAME.p, kind="clustering", indices="rand").values
    )
    assert found.save(tmp_path / "r").exists()
    frame.to_csv(tmp_path / "f.csv", index=False)
    assert (
        evaluate(tmp_path / "f.csv", truth=10, pred=11, kind="clustering", indices="rand").values
        == found["11"].values
    )  # type: ignore[call-overload]


def test_raters_are_chosen_among_columns(tmp_path: Path) -> None:
    FRAME[["u", "t", "p"]].to_csv(tmp_path / "f.csv", index=False)
    wanted = evaluate(FRAME[["t", "p"]], kind="raters").values
    for table in (FRAME, pl.from_pandas(FRAME), pl.from_pandas(FRAME).lazy(), tmp_path / "f.csv"):
        assert evaluate(table, kind="raters", pred=["t", "p"]).values == wanted
    judged = evaluate(tmp_path / "f.csv", kind="raters")
    assert [own.code for own in judged.warnings] == ["raters"]
    assert "raters are u, t and p: pred= chooses others" in str(judged.warnings[0])


def test_each_of_several_is_judged_on_the_rows_that_it_does_not_leave_out(tmp_path: Path) -> None:
    """Columns left out the rows that any of them did, where label vectors had always been judged by themselves."""
    frame = pl.DataFrame(
        {"t": list("abaabb"), "p": ["a", "b", None, "a", "-1", "b"], "q": list("abbaab"), "r": list("aabbab")}
    )
    frame.write_csv(tmp_path / "f.csv")
    frame.write_parquet(tmp_path / "f.parquet")
    vectors = {name: frame[name] for name in "pqr"}
    ways: list[tuple[dict[str, Any], list[int]]] = [
        ({"missing": "drop"}, [5, 6, 6]),
        ({"missing": "drop", "noise": "drop", "noise_label": "-1"}, [4, 6, 6]),
        ({"missing": {"p": "drop"}, "noise": {"p": "drop", "q": "cluster"}, "noise_label": "-1"}, [4, 6, 6]),
    ]
    for way, n in ways:
        options: dict[str, Any] = {**way, "kind": "clustering", "indices": ["ari", "purity"]}
        apart = evaluate(frame["t"], vectors, **options)
        assert [own.n for own in apart.evaluations.values()] == n
        assert "different-instances" in [own.code for own in apart["p"].warnings]
        tables: list[Any] = [
            frame,
            frame.to_pandas(),
            frame.lazy(),
            tmp_path / "f.csv",
            tmp_path / "f.parquet",
        ]
        for table in tables:
            if isinstance(table, pl.LazyFrame) and not isinstance(way["missing"], str):
                continue  # has one answer for all columns
            found = evaluate(table, truth="t", pred=["p", "q", "r"], **options)
            assert {name: own.values for name, own in found.evaluations.items()} == {
                name: own.values for name, own in apart.evaluations.items()
            }
            assert "different-instances" in [own.code for own in found["p"].warnings]
            assert ("rows-left-out" in [own.code for own in found["q"].warnings]) is False
    with raises_line(InputError, "noise= names 's': the columns of labels are 'labels_true', 'p', 'q', 'r'"):
        evaluate(frame["t"], vectors, kind="clustering", missing="drop", noise={"s": "drop"})


def test_true_and_false_are_no_coordinates_in_a_frame_either(tmp_path: Path) -> None:
    """A column of them was a coordinate in frames, and left out of files."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60), "member": rng.random(60) < 0.5})
    frame.write_csv(tmp_path / "f.csv")
    frame.write_parquet(tmp_path / "f.parquet")
    pandas = frame.to_pandas()
    kinds = [frame, frame.lazy(), frame.to_arrow(), pandas, pandas.astype({"member": object})]
    tables: list[Any] = [*kinds, tmp_path / "f.csv", tmp_path / "f.parquet"]
    for table in tables:
        found = adjudge.choose_k(table, k=range(2, 4), n_init=1)
        assert found.columns == ("x", "y")
        said = [str(own) for own in found.warnings if own.code == "text-as-coordinates"]
        assert said == [
            "note: 'member' holds no numbers, so it is left out of the coordinates: encode it as numbers to include it"
        ]
    labels = np.arange(60) % 2
    alone = evaluate(X=frame.drop("member"), labels=labels, indices="silhouette")
    assert evaluate(X=frame, labels=labels, indices="silhouette").values == alone.values


def test_mixed_columns_are_chosen_alike_everywhere(tmp_path: Path) -> None:
    """Other labels were coordinates of Gower's distance, and dates of a CSV file categories."""
    rng = np.random.default_rng(1)
    n = 60
    seg = np.arange(n) % 2
    frame = pl.DataFrame(
        {
            "seg": np.array(["a", "b"])[seg],
            "spend": rng.normal(size=n) + seg,
            "visits": rng.poisson(3, n),
            "member": rng.random(n) < 0.5,
            "region": rng.choice(["north", "south"], n),
            "old_seg": np.where(rng.random(n) < 0.05, 1 - seg, seg),
            "hdb": np.where(np.arange(n) % 7 == 0, -1, seg),
            "kmeans": rng.integers(0, 3, n),
            "one": np.ones(n),
            "since": [date(2026, 1, 1 + i % 28) for i in range(n)],
        }
    )
    wanted: Any = ["spend", "visits", "member", "region"]
    options: dict[str, Any] = {"labels": "seg", "metric": "gower", "indices": "silhouette"}
    expected = evaluate(frame, features=wanted, **options).values
    dateless = frame.drop("since")
    for some in (frame, dateless):
        some.write_csv(tmp_path / f"{some.width}.csv")
        some.write_parquet(tmp_path / f"{some.width}.parquet")
        files = [tmp_path / f"{some.width}.csv", tmp_path / f"{some.width}.parquet"]
        tables: list[Any] = [some, some.to_pandas(), some.to_arrow(), *files]
        for table in tables:
            if some is dateless:
                assert evaluate(table, **options).values == expected
                continue
            with pytest.raises(InputError, match="has the dates 'since': give their distance in days"):
                evaluate(table, **options)
    with raises_line(InputError, "only the rows tell which columns are coordinates: collect the table first"):
        evaluate(dateless.lazy(), **options)


def test_columns_left_out_are_included_by_name() -> None:
    """`choose_k` said to pass X.to_numpy(), which an object frame does not survive."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.normal(size=40), "y": rng.normal(size=40), "customer_id": range(40)})
    found = adjudge.choose_k(frame, k=range(2, 4), n_init=1)
    said = next(own for own in found.warnings if own.code == "identifiers-as-coordinates")
    assert str(said).endswith("so it is left out of the coordinates: features= can include it")
    alone = evaluate(X=frame, labels=np.arange(40) % 2, indices="silhouette")
    said = next(own for own in alone.warnings if own.code == "identifiers-as-coordinates")
    assert str(said).endswith("pass X.to_numpy() as X to include it")


def test_groups_that_sums_of_weights_do_not_compare_are_spoken_of() -> None:
    """Their differences were left out in silence."""
    rng = np.random.default_rng(4)
    truth, groups = rng.integers(0, 2, 90), ["u", "v", "w"] * 30
    said = np.where(rng.random(90) < 0.8, truth, 1 - truth)
    table = pl.DataFrame({"y": truth, "a": said, "g": groups, "w": rng.random(90)})
    asked: dict[str, Any] = {"groups": "g", "sample_weight": "w", "weights": "importance"}
    for given, of_rows in ((table, True), (table.lazy(), False)):
        found = adjudge.evaluate(given, truth="y", pred="a", kind="classification", **asked)
        codes = [notice.code for notice in found.warnings]
        assert bool(found.differences) == of_rows == ("groups-not-compared" not in codes)
