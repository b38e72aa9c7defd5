"""Scores that read an order take it from what states one; the alphabet is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import adjudge
from adjudge.errors import AdjudgeError, InputError, UndefinedStatisticError
from adjudge.given.class_order import places_in_order, stated_orders
from adjudge.indices import list_indices
from adjudge.statistics import Confusion
from cases import each

GRADES = ["low", "medium", "high"]
NAMES = np.array(GRADES)
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, 300)
SAID, OTHER = (np.clip(TRUTH + RNG.integers(-1, step, 300), 0, 2) for step in (2, 1))
KAPPAS = ["linear_weighted_kappa", "quadratic_weighted_kappa"]
ALPHA = "krippendorff_alpha_ordinal"
WANTED = {name: getattr(adjudge, name)(TRUTH, SAID) for name in KAPPAS}
OF_RATERS = adjudge.krippendorff_alpha_ordinal(np.c_[SAID, OTHER])
CODES = {"t": TRUTH, "p": SAID, "q": OTHER}


def _ordered(codes: Any) -> pd.Categorical:
    return pd.Categorical(NAMES[codes], categories=GRADES, ordered=True)


def _tables() -> dict[str, Any]:
    in_pandas = pd.DataFrame({name: _ordered(codes) for name, codes in CODES.items()})
    in_polars = pl.DataFrame({n: pl.Series(NAMES[c], dtype=pl.Enum(GRADES)) for n, c in CODES.items()})
    return {
        "pandas": in_pandas,
        "polars": in_polars,
        "lazy": in_polars.lazy(),
        "arrow": pa.Table.from_pandas(in_pandas),
        "chunks": pa.concat_tables([pa.Table.from_pandas(in_pandas[i : i + 100]) for i in (0, 100, 200)]),
    }


def _files(folder: Path) -> dict[str, Path]:
    tables, found = _tables(), {}
    for name, write in {
        "pandas.parquet": tables["pandas"].to_parquet,
        "pandas.arrow": tables["pandas"].to_feather,
        "polars.parquet": tables["polars"].write_parquet,
        "polars.arrow": tables["polars"].write_ipc,
    }.items():
        found[name] = folder / name
        write(found[name])
    parts = folder / "parts"
    parts.mkdir()
    for i in range(3):
        tables["pandas"][100 * i : 100 * (i + 1)].to_parquet(parts / f"{i}.parquet")
    return found | {"parts": parts}


def test_the_order_of_a_type_is_read_in_every_container(tmp_path: Path) -> None:
    for name, table in (_tables() | _files(tmp_path)).items():
        given = str(table) if isinstance(table, Path) else table
        judged = adjudge.evaluate(given, truth="t", pred="p", kind="classification", indices=KAPPAS)
        assert judged.values == pytest.approx(WANTED), name
        compared = adjudge.compare(
            given, truth="t", models=["p", "q"], kind="classification", indices=KAPPAS, confidence=0.95
        )
        assert {k: compared.judged["p"][k].value for k in KAPPAS} == pytest.approx(WANTED), name
        rated = adjudge.evaluate(given, pred=["p", "q"], kind="raters")
        assert rated[ALPHA] == pytest.approx(OF_RATERS), name
        assert not rated.reasons.get(ALPHA)


def test_the_shell_reads_the_order_of_a_file(tmp_path: Path, run: Any, shell: Any) -> None:
    for path in _files(tmp_path).values():
        assert (
            f'"{ALPHA}": {OF_RATERS!r}'[:40]
            in shell("raters", path, "--raters", "p,q", "--format", "json", code=None).out
        )
        for engine in ("memory", "duckdb"):
            if engine == "duckdb" and path.suffix == ".arrow":
                continue
            asked = [
                "--kind",
                "classification",
                "--indices",
                KAPPAS[1],
                "--engine",
                engine,
                "--format",
                "csv",
            ]
            assert f"{WANTED[KAPPAS[1]]!r}"[:12] in run(
                "evaluate", path, "--truth", "t", "--pred", "p", *asked
            )


@each("option", ["--classes", "--categories"])
def test_the_shell_has_one_name_for_the_order(option: str, tmp_path: Path, run: Any, shell: Any) -> None:
    path = tmp_path / "r.csv"
    pd.DataFrame({name: NAMES[codes] for name, codes in CODES.items()}).to_csv(path, index=False)
    assert f'"{ALPHA}": {OF_RATERS!r}'[:40] in run(
        "raters", path, "--raters", "p,q", option, ",".join(GRADES), "--format", "json"
    )
    assert (
        "order of the categories is not known, and the alphabet is no order"
        in shell("raters", path, "--raters", "p,q").err
    )


def test_a_gate_in_the_shell_takes_the_order(tmp_path: Path, shell: Any) -> None:
    path = tmp_path / "g.csv"
    pd.DataFrame({name: NAMES[codes] for name, codes in CODES.items()}).to_csv(path, index=False)
    asked = ["--truth", "t", "--old", "p", "--new", "q", "--indices", KAPPAS[1], "--margin", "0.1"]
    shell("gate", path, *asked, "--classes", ",".join(GRADES))
    assert "the order of the classes is not known" in shell("gate", path, *asked, code=3).out


def test_text_without_an_order_has_no_ordinal_score() -> None:
    text = NAMES[TRUTH], NAMES[SAID]
    judged = adjudge.evaluate(*text, kind="classification", indices=[*KAPPAS, "accuracy"], confidence=0.95)
    assert all(np.isnan(judged[name]) for name in KAPPAS)
    assert judged.reasons[KAPPAS[0]] == "the order of the classes is not known"
    assert [notice.code for notice in judged.warnings] == ["order-not-known"]
    assert judged["accuracy"] == adjudge.accuracy(TRUTH, SAID)
    assert np.isnan(adjudge.quadratic_weighted_kappa(*text))
    assert adjudge.quadratic_weighted_kappa(*text, classes=GRADES) == pytest.approx(WANTED[KAPPAS[1]])
    stated = adjudge.evaluate(*text, kind="classification", indices=KAPPAS, classes=GRADES)
    assert stated.values == pytest.approx(WANTED)
    rated = adjudge.evaluate(np.c_[NAMES[SAID], NAMES[OTHER]], kind="raters")
    assert np.isnan(rated[ALPHA])
    assert [notice.code for notice in rated.warnings] == ["order-not-known"]
    for option in ("classes", "categories"):
        found = adjudge.krippendorff_alpha_ordinal(np.c_[NAMES[SAID], NAMES[OTHER]], **{option: GRADES})
        assert found == pytest.approx(OF_RATERS)
    with pytest.raises(InputError, match="classes= and categories= are the same"):
        adjudge.krippendorff_alpha_ordinal(np.c_[SAID, OTHER], classes=[0, 1, 2], categories=[0, 1, 2])


def test_probabilities_with_named_columns_state_no_order() -> None:
    p = pd.DataFrame(RNG.dirichlet([1, 1, 1], 300), columns=["high", "low", "medium"])
    own = adjudge.evaluate(NAMES[TRUTH], probabilities=p, kind="classification", indices=KAPPAS)
    assert np.isnan(own[KAPPAS[0]])
    ordered = adjudge.evaluate(_ordered(TRUTH), probabilities=p, kind="classification", indices=KAPPAS)
    codes = {"high": 2, "low": 0, "medium": 1}
    likeliest = np.array([codes[name] for name in p.columns])[p.to_numpy().argmax(axis=1)]
    assert ordered[KAPPAS[1]] == pytest.approx(adjudge.quadratic_weighted_kappa(TRUTH, likeliest))


def test_the_order_of_columns_is_said_if_it_is_the_alphabets() -> None:
    p = RNG.dirichlet([1, 1, 1], 300)
    for classes, said in ((["high", "low", "medium"], True), (GRADES, False)):
        asked = {"probabilities": p, "classes": classes, "kind": "classification", "indices": KAPPAS}
        judged = adjudge.evaluate(NAMES[TRUTH], **asked)
        assert ("order-of-columns" in {own.code for own in judged.warnings}) == said
        likeliest = np.array([GRADES.index(name) for name in classes])[p.argmax(axis=1)]
        own = adjudge.evaluate(_ordered(TRUTH), **asked)
        assert own[KAPPAS[1]] == pytest.approx(adjudge.quadratic_weighted_kappa(TRUTH, likeliest))
        assert "order-of-columns" not in {own.code for own in own.warnings}


def test_numerals_sort_as_numbers() -> None:
    numbers = np.array([2, 10, 1])
    text = numbers.astype(str)
    for name in KAPPAS:
        index = getattr(adjudge, name)
        assert index(text[TRUTH], text[SAID]) == pytest.approx(index(numbers[TRUTH], numbers[SAID]))
    found = adjudge.krippendorff_alpha_ordinal(np.c_[text[SAID], text[OTHER]])
    assert found == pytest.approx(adjudge.krippendorff_alpha_ordinal(np.c_[numbers[SAID], numbers[OTHER]]))


@each(
    "labels, places",
    [
        (["1", "10", "2"], [0, 2, 1]),
        ([b"1", b"10", b"2"], [0, 2, 1]),
        (["-1", "-2", "0.5"], [1, 0, 2]),
        (["01", "02", "10"], [0, 1, 2]),
        ([1, 2, 10], [0, 1, 2]),
        (range(3), [0, 1, 2]),
        ([pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")], [0, 1]),
        (["a", "b", "c"], None),
        (["1", "1.0", "2"], None),
        (["1", "2", "unsure"], None),
        ([1, 2, "unsure"], None),
        (["1", "2", "nan"], None),
        ([("a", 1), ("b", 2)], None),
    ],
)
def test_what_has_an_order_of_its_own(labels: Any, places: list[int] | None) -> None:
    if places is None:
        with pytest.raises(UndefinedStatisticError, match="the order of the classes is not known"):
            places_in_order(labels, ())
    else:
        assert places_in_order(labels, ()).tolist() == places


@each("k", range(2))
def test_two_classes_need_no_order(k: int) -> None:
    names = np.array(["yes", "no"])[[k, 1 - k]]
    truth, said = TRUTH % 2, SAID % 2
    for name in KAPPAS:
        index = getattr(adjudge, name)
        assert index(names[truth], names[said]) == pytest.approx(index(truth, said))
    found = adjudge.krippendorff_alpha_ordinal(np.c_[names[truth], names[said]])
    assert found == pytest.approx(adjudge.krippendorff_alpha(np.c_[truth, said]))


def test_orders_that_fit_into_one_are_one() -> None:
    orders = stated_orders([("a", ["low", "high"]), ("b", GRADES), ("c", None), ("d", GRADES)])
    assert [own.name for own in orders] == ["a", "b"]
    assert places_in_order(["high", "low"], orders).tolist() == [2, 0]
    chain = stated_orders([("a", ["x", "y"]), ("b", ["y", "z"])])
    assert places_in_order(["z", "y", "x"], chain).tolist() == [2, 1, 0]
    with pytest.raises(UndefinedStatisticError, match="'w' has no place in the order"):
        places_in_order(["w"], chain)


@each("other", [GRADES[::-1], ["low", "none", "high"]])
def test_orders_that_contradict_each_other_are_refused(other: list[str]) -> None:
    said = pd.Categorical(np.array(other)[SAID], categories=other, ordered=True)
    for call in (
        lambda: adjudge.quadratic_weighted_kappa(_ordered(TRUTH), said),
        lambda: adjudge.evaluate(_ordered(TRUTH), said, kind="classification", indices=KAPPAS),
        lambda: adjudge.evaluate(pd.DataFrame({"a": _ordered(TRUTH), "b": said}), kind="raters"),
    ):
        with pytest.raises(InputError, match="name all classes in one order with classes=") as error:
            call()
        assert "\n" not in str(error.value)
    # What reads no order does not mind.
    assert adjudge.evaluate(_ordered(TRUTH), said, kind="classification")["accuracy"] > 0


def test_an_unused_category_has_its_place() -> None:
    levels = ["low", "unused", "medium", "high"]
    names = np.array(["low", "medium", "high"])
    ordered = [pd.Categorical(names[codes], categories=levels, ordered=True) for codes in (TRUTH, SAID)]
    stated = adjudge.quadratic_weighted_kappa(names[TRUTH], names[SAID], classes=levels)
    assert adjudge.quadratic_weighted_kappa(*ordered) == pytest.approx(stated)


def test_the_positive_class_stays_the_second_in_sorted_order() -> None:
    truth, said = ([("no", "yes")[code % 2] for code in codes] for codes in (TRUTH, SAID))
    turned = [pd.Categorical(own, categories=["yes", "no"], ordered=True) for own in (truth, said)]
    assert adjudge.precision(*turned) == adjudge.precision(truth, said)


def test_a_confusion_matrix_keeps_the_order(tmp_path: Path) -> None:
    kept = adjudge.evaluate(_ordered(TRUTH), _ordered(SAID), kind="classification", indices=KAPPAS)
    for confusion in (kept.confusion, kept.confusion + Confusion.from_labels(["low"], ["low"])):
        assert not np.isnan(adjudge.evaluate(confusion, indices=KAPPAS)[KAPPAS[0]])
    kept.save(tmp_path / "kept.adjudge")
    again = adjudge.load(tmp_path / "kept.adjudge").confusion
    assert adjudge.evaluate(again, indices=KAPPAS).values == pytest.approx(WANTED)
    plain = Confusion.from_labels(NAMES[TRUTH], NAMES[SAID])
    assert np.isnan(adjudge.evaluate(plain, indices=KAPPAS)[KAPPAS[0]])
    assert adjudge.evaluate(plain, classes=GRADES, indices=KAPPAS).values == pytest.approx(WANTED)


def test_ordinal_scores_say_so_in_their_records() -> None:
    ordinal = {record.name for record in list_indices() if record.reads_order}
    assert ordinal == {*KAPPAS, ALPHA, "within_one", "macro_mae", "ranked_probability_score"}


@each("kind", ["text", "bytes"])
def test_columns_without_names_for_numerals_are_refused(kind: str) -> None:
    p = RNG.dirichlet(np.ones(12), 300)
    truth = p.argmax(axis=1).astype(str if kind == "text" else "S2")
    for call in (
        lambda: adjudge.log_loss(truth, p),
        lambda: adjudge.evaluate(truth, probabilities=p, kind="classification"),
        lambda: adjudge.evaluate(truth, truth, scores=p, kind="classification"),
        lambda: adjudge.compare(truth, probabilities={"a": p, "b": p}, kind="classification"),
    ):
        with pytest.raises(
            AdjudgeError, match="columns without names, and the classes are text, which sorts"
        ):
            call()
    classes = sorted({*truth.tolist()}, key=int)
    assert adjudge.accuracy(truth, truth) == 1
    assert adjudge.evaluate(truth, probabilities=p, classes=classes, kind="classification")["accuracy"] == 1


def test_labels_of_several_without_names_are_refused_too() -> None:
    sets = [{"10"}, {"2"}, {"10", "2"}]
    p = np.full((3, 2), 0.25)
    with pytest.raises(InputError, match="columns without names"):
        adjudge.evaluate(sets, probabilities=p, kind="multilabel")
    adjudge.evaluate(sets, probabilities=p, kind="multilabel", classes=["2", "10"])


def test_an_enum_of_duckdb_may_be_that_of_unordered_categories() -> None:
    in_pandas = pd.DataFrame({n: pd.Categorical(NAMES[c], categories=GRADES) for n, c in CODES.items()})  # noqa: F841
    table = duckdb.sql("select * from in_pandas")
    judged = adjudge.evaluate(table, truth="t", pred="p", kind="classification", indices=KAPPAS)
    assert np.isnan(judged[KAPPAS[0]])
