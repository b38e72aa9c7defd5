"""Results print, turn into JSON and into data frames, and stay as they are."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans

import adjudge
from adjudge import InputError, UnknownIndexError, compare, evaluate
from adjudge.inference import confidence_interval
from adjudge.presentation.numbers import UpperBound, show_number
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from conftest import raises_line

TRUTH = [0, 0, 1, 1]
EVALUATION = evaluate(
    TRUTH, [0, 0, 1, 2], indices=["rand", "jaccard", "precision", "pair_mcnemar", "van_dongen"]
)
COMPARISON = compare(
    TRUTH,
    {"one": [0, 0, 1, 0], "two, <b>": [0, 1, 0, 1]},
    kind="classification",
    indices=["accuracy", "cohen_kappa"],
)


# --- Evaluation -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "rand",
        "Rand",
        "RAND ",
        "ran",
        "rand_score",
        "smc",
        "Rand Index",
        "jaccard",
        "jac",
        "vdm",
        "van",
    ],
)
def test_values_are_read_by_any_name(name: str) -> None:
    value = EVALUATION[name]
    assert type(value) is float
    assert value == EVALUATION.values[adjudge.find_index(name, "external").name]
    assert name in EVALUATION


def test_abbreviations_are_of_what_was_computed() -> None:
    """Among all indices "r" is ambiguous; here it is not."""
    with pytest.raises(UnknownIndexError, match=r"^'r' is ambiguous"):
        adjudge.find_index("r")
    assert EVALUATION["r"] == EVALUATION["rand"]
    both = evaluate(TRUTH, TRUTH, indices=["rand", "russell_rao", "rogers_tanimoto"])
    with raises_line(UnknownIndexError, "'r' is ambiguous: it may be rand, russell_rao, rogers_tanimoto"):
        both["r"]
    assert both["russ"] == both["russell_rao"]


def test_values_that_were_not_computed() -> None:
    computed = "this evaluation has rand, jaccard, pair_precision, pair_mcnemar, van_dongen"
    with raises_line(UnknownIndexError, f"'recall' was not computed: {computed}"):
        EVALUATION["recall"]
    with raises_line(UnknownIndexError, f"'nonsense' was not computed: {computed}"):
        EVALUATION["nonsense"]
    assert "recall" not in EVALUATION
    with raises_line(UnknownIndexError, "name an index by a str, not by 3"):
        EVALUATION[3]  # type: ignore[index]
    assert 3 not in EVALUATION  # type: ignore[operator]
    names = ", ".join(r.name for r in adjudge.list_indices("external")[:8])
    with raises_line(UnknownIndexError, f"'accuracy' was not computed: this evaluation has {names} ..."):
        evaluate(TRUTH, TRUTH, indices="all")["accuracy"]
    with pytest.raises(UnknownIndexError, match=r"'rand' was not computed: .*; indices='all' computes all$"):
        evaluate(TRUTH, TRUTH)["rand"]


def test_evaluation_is_a_mapping_of_names() -> None:
    assert list(EVALUATION) == ["rand", "jaccard", "pair_precision", "pair_mcnemar", "van_dongen"]
    assert len(EVALUATION) == 5


def test_evaluation_as_text() -> None:
    assert repr(EVALUATION) == (
        "Evaluation of 4 instances (labels_true: 2 clusters, labels_pred: 3 clusters)\n"
        "index            value  better  range        note\n"
        "rand            0.8333  higher  [0, 1]\n"
        "jaccard         0.5000  higher  [0, 1]\n"
        "pair_precision  1.0000  higher  [0, 1]\n"
        "pair_mcnemar    1.0000          (-inf, inf)\n"
        "van_dongen      1.0000  lower   [0, inf)"
    )


def test_undefined_values_say_why() -> None:
    result = evaluate([0, 1], [0, 1], indices=["jaccard", "rand"])
    assert "jaccard  undefined  higher  [0, 1]  0/0: neither partition joins any pair" in repr(result)
    assert result.to_dict()["values"] == {"jaccard": "nan", "rand": 1.0}
    assert result.to_dict()["reasons"] == {"jaccard": "0/0: neither partition joins any pair"}


def test_evaluation_as_json() -> None:
    data = EVALUATION.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["kind"] == "evaluation"
    assert data["n"] == 4
    assert data["n_clusters"] == {"labels_true": 2, "labels_pred": 3}
    assert data["values"] == EVALUATION.values
    assert data["reasons"] == {}
    assert (
        data["settings"].items()
        >= {"of": "clustering", "missing": "raise", "noise": "cluster", "noise_label": -1}.items()
    )
    assert data["settings"]["indices"] == list(EVALUATION)


def test_evaluation_as_html() -> None:
    html = EVALUATION._repr_html_()
    assert "<p>Evaluation of 4 instances" in html
    assert html.count("<tr>") == 6
    assert '<td class="num">0.8333</td>' in html


def test_results_are_frozen() -> None:
    for result, name in ((EVALUATION, "n"), (COMPARISON, "n"), (COMPARISON["one", "two, <b>"], "primary")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, name, 3)


# --- Comparison -------------------------------------------------------------------------------------------------


def test_comparison_as_json() -> None:
    data = COMPARISON.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert (data["kind"], data["of"], data["n"]) == ("comparison", "classification", 4)
    assert data["models"] == ["one", "two, <b>"]
    assert data["scores"]["one"] == {"accuracy": 0.75, "cohen_kappa": 0.5}
    first = data["pairs"][0]
    assert (first["primary"], first["alternative"]) == ("one", "two, <b>")
    assert first["counts"] == {"both_right": 1, "right_wrong": 2, "wrong_right": 1, "both_wrong": 0}
    assert first["measures"]["comparative_deviation"] == pytest.approx(1 / 3)
    assert data["pairs"][1]["counts"]["right_wrong"] == 1


def test_undefined_measures_as_json() -> None:
    data = compare(TRUTH, {"p": TRUTH, "q": TRUTH}, kind="clustering").to_dict()["pairs"][0]
    assert data["measures"]["comparative_deviation"] == "nan"
    assert data["reasons"] == {
        "comparative_deviation": "0/0: the models are right on the same instances or pairs (RW + WR = 0)"
    }


def test_comparison_as_text() -> None:
    lines = repr(COMPARISON).splitlines()
    assert lines[0] == "Comparison of 2 models (classification) on 4 instances"
    assert (
        lines[2]
        == "By values that are not tested, one is ahead by Accuracy (+0.250: 0.750 against 0.500) and "
        "Cohen's kappa (+0.500)."
    )
    lines = lines[:1] + lines[lines.index("Each model against the truth") - 1 :]
    assert lines[2:6] == [
        "Each model against the truth",
        "model     accuracy  cohen_kappa",
        "one         0.7500       0.5000",
        "two, <b>    0.5000       0.0000",
    ]
    assert lines[7] == "Head to head, over instances"
    assert lines[8].split()[2:] == ["BR", "RW", "WR", "BW", "sigma_c", "alpha", "xi_c", "xi_e", "phi_e"]
    assert " ".join(lines[9].split()) == "one two, <b> 1 2 1 0 0.3333 0.7500 0.7500 0.5000 0.5000"
    assert max(map(len, lines[1:])) <= 100


def test_symbols_are_explained() -> None:
    headings = COMPARISON.short_table().columns
    assert headings[2:] == ("BR", "RW", "WR", "BW", "sigma_c", "alpha", "xi_c", "xi_e", "phi_e")
    assert COMPARISON.short_table().rows == COMPARISON.table().rows
    legend = COMPARISON.legend_table()
    assert tuple(symbol for symbol, _, _ in legend.rows) == headings[2:]
    assert tuple(name for _, name, _ in legend.rows) == COMPARISON.table().columns[2:]
    assert legend.rows[1][2] == "only primary right: number of instances"


def test_pair_as_text() -> None:
    assert repr(COMPARISON["one", "two, <b>"]).splitlines() == [
        "one (primary) against two, <b>: 4 instances",
        "           two, <b> right  two, <b> wrong  sum",
        "one right               1               2    3",
        "one wrong               1               0    1",
        "sum                     2               2    4",
        "",
        "measure                 value  note",
        "comparative_deviation  0.3333",
        "polarization           0.7500",
        "comparative_rightness  0.7500",
        "effective_rightness    0.5000",
        "effective_superiority  0.5000",
    ]


def test_pairs_of_clusterings_are_counted_in_pairs_of_instances() -> None:
    result = compare(TRUTH, {"p": TRUTH, "q": [0, 0, 0, 0]}, kind="clustering")
    assert result.unit == "pairs of instances"
    assert repr(result["p", "q"]).startswith("p (primary) against q: 6 pairs of instances\n")
    undefined = compare(TRUTH, {"p": TRUTH, "q": TRUTH}, kind="clustering")["p", "q"]
    assert "comparative_deviation  undefined  0/0: the models are right on the same" in repr(undefined)


def test_html_escapes_names() -> None:
    for html in (COMPARISON._repr_html_(), COMPARISON["one", "two, <b>"]._repr_html_()):
        assert "two, &lt;b&gt;" in html
        assert "<b>" not in html


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_comparison_as_a_frame(library: str) -> None:
    result = dataclasses.replace(COMPARISON, backend=library)
    frame = result.to_frame()
    assert type(frame).__module__.startswith(library)
    columns = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert columns == [
        "primary", "alternative", "both_right", "right_wrong", "wrong_right", "both_wrong",
        "comparative_deviation", "polarization", "comparative_rightness", "effective_rightness",
        "effective_superiority",
    ]  # fmt: skip
    records = (
        frame.to_pylist()
        if library == "pyarrow"
        else (frame.to_dict("records") if library == "pandas" else frame.to_dicts())
    )
    assert records == COMPARISON.table().records()


def test_frames_come_in_the_kind_of_the_models() -> None:
    models = pa.table({"p": [0, 1], "q": [1, 0]})
    assert isinstance(compare([0, 1], models, kind="classification").to_frame(), pa.Table)
    assert isinstance(
        compare(pd.Series([0, 1]), {"p": [0, 1], "q": [1, 0]}, kind="clustering").to_frame(), pd.DataFrame
    )


def test_intervals_are_shown_where_there_are_any() -> None:
    pair = COMPARISON["one", "two, <b>"]
    with_interval = dataclasses.replace(pair.measured["polarization"], low=-0.5, high=1.0)
    pair = dataclasses.replace(pair, measured={**pair.measured, "polarization": with_interval})
    assert pair.measures_table().columns == ("measure", "value", "low", "high", "note")
    assert pair.to_dict()["intervals"] == {"polarization": [-0.5, 1.0]}
    result = dataclasses.replace(COMPARISON, pairs={("one", "two, <b>"): pair})
    record = result.table().records()[0]
    assert (record["polarization_low"], record["polarization_high"]) == (-0.5, 1.0)
    assert math.isnan(record["effective_rightness_low"])


# --- plain JSON, tables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-float("inf"), "-inf"),
        (np.float64(0.5), 0.5),
        (np.float64("nan"), "nan"),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([1.0, np.nan]), [1.0, "nan"]),
        ((1, [2.5, None]), [1, [2.5, None]]),
        ({("a", 1): {2: "x"}}, {"('a', 1)": {"2": "x"}}),
        (2**80, 2**80),
        (complex(1, 2), "(1+2j)"),
    ],
)
def test_plain_json(value: Any, expected: Any) -> None:
    plain = plain_json(value)
    assert plain == expected
    assert type(plain) is type(expected)
    json.dumps(plain, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (True, "True"),
        ("text", "text"),
        (1234567, "1,234,567"),
        (0.0, "0.0000"),
        (0.12345, "0.1235"),
        (-0.5, "-0.5000"),
        (0.00001234, "1.234e-05"),
        (1234567.8, "1.235e+06"),
        (999999.4, "999,999.4000"),
        (-1234.5, "-1,234.5000"),
        (999.5, "999.5000"),
        (float("nan"), "undefined"),
        (float("inf"), "inf"),
        (-float("inf"), "-inf"),
    ],
)
def test_numbers_for_people(value: Any, shown: str) -> None:
    assert show_number(value) == shown


TABLE = Table(
    ("name", "=value", "n"),
    (("a|b\nc", 0.5, 1000), ("=SUM(A1)", math.nan, None), ("-x", 1e-9, 0), ('say "hi"', -2.0, 7)),
    title="Things",
)


def test_table_as_text() -> None:
    plain = Table(("name", "value"), (("a", 0.5), ("long", 12.0)), title="T")
    assert plain.text() == "T\nname    value\na      0.5000\nlong  12.0000"
    assert plain.text(digits=1) == "T\nname  value\na       0.5\nlong   12.0"
    assert Table(("a", "b"), ()).text() == "a  b"


def test_table_as_markdown() -> None:
    assert TABLE.markdown() == (
        "### Things\n\n"
        "| name | =value | n |\n| --- | ---: | ---: |\n"
        "| a\\|b c | 0.5000 | 1,000 |\n| =SUM(A1) | undefined | - |\n| -x | 1e-09 | 0 |\n"
        '| say "hi" | -2.0000 | 7 |'
    )


def test_table_as_csv() -> None:
    """Numbers in full; what a spreadsheet would take for a formula gets an apostrophe."""
    assert TABLE.csv() == (
        'name,\'=value,n\n"a|b\nc",0.5,1000\n\'=SUM(A1),nan,\n\'-x,1e-09,0\n"say ""hi""",-2.0,7\n'
    )


def test_table_as_records() -> None:
    assert Table(("a", "b"), ((1, 2), (3, 4))).records() == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_an_evaluation_and_a_choice_as_frames(library: str) -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    choice = adjudge.choose_k(X, "single", k=(2, 3, 4), indices=["silhouette", "dunn"])
    for result, length in ((EVALUATION, 5), (choice, 2)):
        frame = dataclasses.replace(result, backend=library).to_frame()
        assert type(frame).__module__.startswith(library)
        table = result.table()
        columns = frame.column_names if library == "pyarrow" else list(frame.columns)
        assert tuple(columns) == table.columns
        assert len(frame) == len(table.rows) == length


# --- for trackers of experiments --------------------------------------------------------------------------------

# What MLflow allows in the name of a metric.
METRIC = re.compile(r"[/\w.\- :]+")


def check_flat(flat: dict[str, float]) -> None:
    assert all(METRIC.fullmatch(name) for name in flat)
    assert all(type(value) is float and math.isfinite(value) for value in flat.values())
    assert json.loads(json.dumps(flat, allow_nan=False)) == flat


def test_an_evaluation_is_flat() -> None:
    result = evaluate(
        4 * TRUTH, 4 * [0, 0, 1, 2], indices=["rand", "pair_mcnemar"], confidence=0.9, adjust=True
    )
    flat = result.flat()
    check_flat(flat)
    assert flat["rand"] == result["rand"]
    assert (flat["rand/low"], flat["rand/high"]) == result.intervals["rand"]
    assert flat["rand/expected"] == result.expected["rand"]
    assert flat["rand/adjusted"] == result.adjusted["rand"]
    assert flat["rand/p_value"] == result.p_values["rand"]
    assert EVALUATION.flat().keys() == {k for k, v in EVALUATION.values.items() if math.isfinite(v)}


def test_what_is_undefined_is_left_out_of_flat_results() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    result = evaluate(X=X, labels=[0] * 6, indices=["silhouette", "ball_hall"])
    assert math.isnan(result["silhouette"])
    assert result.flat() == {"ball_hall": result["ball_hall"]}


def test_a_comparison_is_flat() -> None:
    result = compare(TRUTH, {"a": [0, 0, 1, 0], "b": [0, 1, 0, 1]}, kind="classification", indices="accuracy")
    flat = result.flat()
    check_flat(flat)
    assert flat["a/accuracy"] == result.scores["a"]["accuracy"]
    assert flat["a/b/right_wrong"] == result["a", "b"].right_wrong
    assert flat["b/a/polarization"] == result["b", "a"].measures["polarization"]
    assert len(flat) == 2 + 2 * (4 + 5)


def test_what_is_tracked_of_groups_and_of_differences() -> None:
    """A comparison gave trackers neither intervals nor differences nor groups."""
    truth, groups = [0, 1] * 50, ["x", "x", "y", "y"] * 25
    models = {"a": [0, 1] * 40 + [1, 1] * 10, "b": [0, 1] * 45 + [0, 0] * 5}
    asked: dict[str, Any] = {"kind": "classification", "indices": "accuracy", "confidence": 0.95}
    result = compare(truth, models, groups=groups, **asked)
    flat = result.flat()
    check_flat(flat)
    own = result["a", "b"].differences["accuracy"]
    assert flat["a/b/accuracy/difference"] == own.value
    assert (flat["a/b/accuracy/low"], flat["a/b/accuracy/p_value"]) == (own.low, own.p_value)
    assert flat["a/accuracy/high"] == result.judged["a"]["accuracy"].high
    of_x = result.by_group["x"].judged["b"]["accuracy"]
    assert (flat["x/b/accuracy"], flat["x/b/accuracy/low"]) == (of_x.value, of_x.low)
    one = evaluate(truth, models["a"], groups=groups, **asked)
    assert one.flat()["y/accuracy/high"] == one.by_group["y"].score("accuracy").high
    cost = "expected_cost(costs=[[0, 1], [20, 0]])"
    (key,) = evaluate(truth, models["a"], indices=cost, kind="classification").flat()
    assert key == "expected_cost_costs_0_1_20_0"


def test_a_choice_is_flat() -> None:
    X = np.concatenate([np.random.default_rng(0).normal(size=(20, 2)) + 9 * c for c in range(3)])
    choice = adjudge.choose_k(X, "ward", k=(2, 3, 4), indices=["silhouette"])
    flat = choice.flat()
    check_flat(flat)
    assert flat == {
        "k": 3.0,
        "silhouette/vote": 3.0,
        **{f"silhouette/{k}": v for k, v in choice.values["silhouette"].items()},
    }


# --- Pickles ----------------------------------------------------------------------------------------------------


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_a_comparison_is_pickled_with_its_instances(kind: Any) -> None:
    comparison = compare(TRUTH, {"one": [0, 0, 1, 0], "two": [0, 1, 0, 1]}, kind=kind, confidence=0.9)
    expected = comparison["one", "two"].instances("right_wrong")
    again = pickled(comparison)
    assert repr(again) == repr(comparison)
    assert again.to_dict() == comparison.to_dict()
    assert np.array_equal(again["one", "two"].instances("right_wrong"), expected)


def test_an_index_is_pickled_by_its_name() -> None:
    for record in adjudge.list_indices():
        assert pickled(record) is record


# --- p-values from simulation -----------------------------------------------------------------------------------


def test_the_smallest_p_value_that_simulation_can_give_is_shown_as_a_bound() -> None:
    labels = [0, 1, 2, 3] * 30
    result = evaluate(
        labels, labels, indices=["jaccard", "purity"], adjust=True, n_tables=1700, random_state=0
    )
    floor = 1 / 1701
    assert result.chance_methods["purity"] == "simulate"
    assert result.p_values["purity"] == result.p_floors["purity"] == floor
    assert type(result.p_values["purity"]) is float
    assert result.to_dict()["p_values"]["purity"] == result.to_dict()["p_floors"]["purity"] == floor
    assert result.flat()["purity/p_value"] == floor
    (shown,) = [line for line in repr(result).splitlines() if line.startswith("purity")]
    assert "< 0.00059" in shown
    assert "&lt; 0.00059" in result._repr_html_()
    assert f",{floor!r}," in result.table().csv()
    for backend in ("pandas", "polars", "pyarrow"):
        column = result.table().frame(backend)["p"]
        assert floor in (column.to_pylist() if backend == "pyarrow" else column.to_list())


def test_p_values_above_the_smallest_and_exact_ones_are_no_bounds() -> None:
    drawn = adjudge.inference.null_distribution(
        "purity", TRUTH * 8, [0, 1, 1, 0] * 8, method="simulate", n_tables=99
    )
    assert drawn.p_value() > drawn.p_floor == 0.01
    assert "<" not in repr(drawn)
    exact = adjudge.inference.null_distribution("rand", TRUTH, TRUTH)
    assert exact.method == "exact"
    assert exact.p_floor == 0
    assert "<" not in repr(exact)
    at_floor = adjudge.inference.null_distribution(
        "rand", TRUTH * 8, TRUTH * 8, method="simulate", n_tables=99
    )
    assert "p < 0.01;" in repr(at_floor)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 17001, "< 5.9e-05"),
        (1 / 1700, "< 0.00059"),
        (0.001, "< 0.001"),
        (1 / 1001, "< 0.001"),
        (0.5, "< 0.5"),
    ],
)
def test_an_upper_bound_is_rounded_up(value: float, text: str) -> None:
    assert show_number(UpperBound(value)) == text
    assert float(text.removeprefix("< ")) >= value


# --- wording ----------------------------------------------------------------------------------------------------


def test_classes_are_not_called_clusters() -> None:
    result = evaluate([0, 0, 1], [0, 1, 1], kind="classification", indices="accuracy")
    assert repr(result).startswith(
        "Evaluation of 3 instances (labels_true: 2 classes, labels_pred: 2 classes)\n"
    )
    alone = evaluate([0], [0], kind="classification", indices="accuracy")
    assert repr(alone).startswith("Evaluation of 1 instance (labels_true: 1 class, labels_pred: 1 class)\n")


def test_one_model_is_compared_with_none() -> None:
    alone = compare(TRUTH, {"one": TRUTH}, kind="clustering", confidence=0.95)
    assert repr(alone).startswith("Comparison of 1 model (clustering) on 4 instances\n")
    assert "Head to head" not in repr(alone) + alone._repr_html_()
    assert [table.title for table in alone.tables()] == ["Each model against the truth"]


def test_an_evaluation_turns_into_a_dictionary() -> None:
    assert dict(EVALUATION) == EVALUATION.values
    assert EVALUATION.values == {**EVALUATION}


def test_the_estimate_for_the_population_is_shown_where_it_is_not_the_value() -> None:
    law = np.full((10, 10), 0.002) + 0.08 * np.eye(10)
    few = np.random.default_rng(1).multinomial(300, law.ravel()).reshape(10, 10)
    truth, found = np.repeat(np.argwhere(few >= 0), few.ravel(), axis=0).T
    interval = confidence_interval("nmi", few)
    assert interval.estimate is not None

    result = evaluate(truth, found, indices=["rand", "nmi"], confidence=0.95)
    assert result.score("nmi").estimate == interval.estimate != result["nmi"]
    assert result.score("rand").estimate is None
    assert result.estimates == result.to_dict()["estimates"] == {"nmi": interval.estimate}
    assert result.flat()["nmi/estimate"] == interval.estimate
    rows = dict(zip(("rand", "nmi"), result.table().rows, strict=True))
    column = result.table().columns.index("estimate")
    assert (rows["rand"][column], rows["nmi"][column]) == (None, interval.estimate)
    assert "estimate" not in evaluate(truth, found, indices=["rand"], confidence=0.95).table().columns

    models = {"found": found, "true": truth}
    comparison = compare(truth, models, kind="clustering", indices=["nmi"], confidence=0.95)
    table = comparison.scores_table()
    assert table.columns == ("model", "nmi", "nmi (estimate)")
    assert [row[2] for row in table.rows] == [interval.estimate, None]
    assert comparison.to_dict()["score_estimates"]["found"] == {"nmi": interval.estimate}


def test_a_mean_under_chance_of_0_is_shown_as_0_whatever_rounding_left() -> None:
    truth, found = [0, 1, 2, 3] * 50 + [0, 0, 3], [0, 1, 2, 2] * 50 + [1, 0, 2]
    result = evaluate(truth, found, indices=["ari", "rand"], adjust=True, random_state=0)
    assert abs(result.expected["adjusted_rand"]) < 1e-12
    assert "  0.0000  " in result.table().text().splitlines()[1]
    assert result.table().records()[1]["by chance"] == result.expected["rand"]


# --- Equality ---------------------------------------------------------------------------------------------------


def results_of(noise: float) -> dict[str, Any]:
    """One result of every class with a dictionary, with one input that varies."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, (15, 2)) for m in (0, 4)]) + noise * rng.normal(size=(30, 2))
    groups, y = np.repeat([0, 1], 15), np.arange(30) % 2
    p = np.clip(y * 0.5 + rng.random(30) / 2 + noise / 9, 0.01, 0.99)
    models = {"one": np.where(X[:, 0] > 4 - noise, 1 - y, y), "two": y[::-1]}
    judged = evaluate(y, probabilities=p, kind="classification", positive=1)
    comparison = compare(y, models, kind="classification")
    scores = {"a": [0.5, 0.6, 0.7 + noise], "b": [0.4, 0.5, 0.8], "c": [0.3, 0.1, 0.2]}
    return {
        "evaluation": evaluate(groups, models["one"], X=X, indices=["rand", "silhouette", "dunn"]),
        "undefined": evaluate([0] * 30, groups if noise else range(30), indices=["jaccard"]),
        "classifier": judged,
        "evaluations": adjudge.evaluate(y, models, kind="classification"),
        "comparison": comparison,
        "pair": comparison["one", "two"],
        "choose_k": adjudge.choose_k(X, k=[2, 3], random_state=0),
        "clusters_test": adjudge.inference.clusters_test(
            X, KMeans(2, n_init=1, random_state=0), n_samples=3, random_state=0
        ),
        "tree_test": adjudge.inference.tree_test(X, n_samples=3, random_state=0),
        "null": adjudge.inference.null_distribution("jaccard", groups, models["one"]),
        "null of undefined values": adjudge.inference.null_distribution(
            "hubert_gamma", groups, models["one"]
        ),
        "stability": adjudge.choose_k(X, k=[2, 3], stability=4, random_state=0).stability,
        "choose": adjudge.choose(X, {"g": groups, "m": models["one"]}, random_state=0),
        "benchmark": adjudge.benchmark(scores, score="accuracy"),
        "roc": judged.curve("roc"),
        "reliability": judged.reliability(),
    }


def test_results_are_equal_by_value() -> None:
    """Also after pickling, and if values are undefined; another input gives another result."""
    first, second, other = results_of(0.0), results_of(0.0), results_of(1.0)
    for name, result in first.items():
        assert result == second[name], name
        assert hash(result) == hash(second[name]), name
        assert result == pickle.loads(pickle.dumps(result)), name
        assert result != other[name], name
        assert result != result.to_dict(), name
    assert first["evaluation"] != first["classifier"]


@pytest.mark.full
def test_reports_are_equal_if_page_and_place_are(tmp_path: Path) -> None:
    def page(name: str, one: list[int]) -> adjudge.Report:
        return adjudge.report([0, 1, 1], {"one": one}, kind="classification", output=tmp_path / name)

    first = page("a.html", [0, 1, 0])
    assert first == page("a.html", [0, 1, 0])
    assert hash(first) == hash(page("a.html", [0, 1, 0]))
    assert first != page("b.html", [0, 1, 0])
    assert first != page("a.html", [0, 0, 0])


def test_stability_is_shown_by_k() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    found = adjudge.choose_k(X, k=[2, 3], stability=4, random_state=0).stability
    assert found is not None
    lines = str(found).splitlines()
    assert lines[0].split() == ["K", "lowest_jaccard", "prediction_strength", "instability", "pac"]
    assert lines[2].split()[:2] == ["3", f"{found.jaccard[3].min():.4f}"]


def test_a_mean_over_classes_says_so() -> None:
    """Of three classes none is positive; of two, or with one named, the value is that of a class."""
    truth, found = ["a", "b", "c", "a"], ["a", "b", "c", "b"]
    judged = evaluate(truth, found, kind="classification", indices=["f1", "macro_f1", "accuracy"])
    assert judged.averages == judged.to_dict()["averages"] == {"f1": "macro"}
    assert "macro: the mean over the classes" in str(judged)
    named = evaluate(truth, found, kind="classification", indices="f1", positive="a")
    assert named.averages == {}
    assert "macro" not in str(named)
    compared = compare(truth, {"one": found, "two": truth}, kind="classification", indices="f1")
    assert compared.scores_table().columns == ("model", "f1 (macro)")
    assert compared.to_dict()["score_averages"] == {"f1": "macro"}
    many = adjudge.evaluate(truth, {"one": found}, kind="classification", indices=["f1"])
    assert many.table().columns == ("labels_pred", "f1 (macro)")
    assert list(many.to_frame().columns) == ["labels_pred", "f1"]


def test_latex_with_remarks() -> None:
    table = Table(("a",), ((1,),), title="What", foot="Why")
    assert table.latex(remarks=True) == f"% What\n{table.latex()}\n% Why"


def test_evaluations_of_a_comparison_are_what_evaluate_says(tmp_path) -> None:
    rng = np.random.default_rng(4)
    truth = rng.choice(["a", "b", "c"], 90)
    models = {name: np.where(rng.random(90) < 0.7, truth, "a") for name in ("p", "q")}
    options = {"kind": "classification", "confidence": 0.9, "units": np.arange(90) // 3}
    both = adjudge.compare(truth, models, **options)
    for name, labels in models.items():
        alone = adjudge.evaluate(truth, labels, indices=list(both.judged[name]), **options)
        known = both.evaluations[name]
        assert known.to_dict() | {"settings": {}} == alone.to_dict() | {"settings": {}}
    loaded = adjudge.load(both.save(tmp_path / "both.adjudge"))
    assert loaded.evaluations.values == both.evaluations.values
    assert pickle.loads(pickle.dumps(both)).evaluations == both.evaluations
    clusterings = adjudge.compare(truth, models, kind="clustering", confidence=0.9)
    assert clusterings.evaluations["p"].intervals == clusterings.score_intervals["p"]
    assert clusterings.evaluations["p"].n_clusters == {"labels_true": 3, "labels_pred": 3}


def three_models_in_groups() -> adjudge.Comparison:
    rng = np.random.default_rng(1)
    truth, groups = rng.choice(["cat", "dog", "eel"], 120), rng.choice(list("ABCD"), 120)
    shares = {"a": 0.9, "b": 0.7, "c": 0.1}
    models = {name: np.where(rng.random(120) < share, truth, "cat") for name, share in shares.items()}
    return compare(truth, models, kind="classification", confidence=0.95, groups=groups)


def test_a_comparison_of_three_models_in_four_groups_is_one_screen() -> None:
    both = three_models_in_groups()
    printed = repr(both)
    assert len(printed.splitlines()) <= 40
    assert printed.splitlines()[2] == both.verdict.sentences[0]
    assert both.left_out == {"differences": 15, "recall": 9, "groups": 12, "pairs_by_group": 12, "pairs": 6}
    for name, n in both.left_out.items():
        assert f'table("{name}") has {n} rows' in printed
        assert len(both.table(name).rows) == n
        assert f"table(&quot;{name}&quot;) has {n} rows" in both._repr_html_()
    # What is shown is of the leader, and its numbers are those of the whole tables.
    for table in both.shown_tables()[1:]:
        assert all("a" in (row[0], row[0][0], row[0][-1]) for row in table.rows)
    whole = {row for table in both.tables() for row in table.rows}
    assert all(row in whole for table in both.shown_tables() for row in table.rows)


def test_a_comparison_that_fits_one_screen_is_shown_whole() -> None:
    small = compare([0, 0, 1, 1], {"p": [0, 1, 1, 1], "q": [0, 0, 0, 1]}, kind="classification")
    assert not small.left_out
    assert small.shown_tables() == small.tables()
    assert small.table() == small.table("pairs")
    with pytest.raises(
        adjudge.InputError, match="what='nonsense' is not known: choose one of 'pairs', 'scores'"
    ):
        small.table("nonsense")


def test_a_pair_is_its_row_of_the_comparison() -> None:
    both = three_models_in_groups()
    pair = both["a", "b"]
    assert pair.table().columns == both.table().columns
    assert pair.table().rows == both.table().rows[:1]
    assert pair.to_frame("pandas").to_dict("records") == both.to_frame().to_dict("records")[:1]


def test_clusters_of_points_have_a_table() -> None:
    """Mean silhouettes by cluster were in `details` alone."""
    X = [[0.0], [1.0], [5.0], [9.0], [8.0]]
    labels = ["a", "a", "b", "b", "b"]
    judged = adjudge.evaluate(X=X, labels=labels, indices=["silhouette", "dunn"])
    widths = judged.details["silhouette_widths"]
    table = judged.cluster_table()
    assert table.columns == ("cluster", "points", "silhouette", "diameter")
    assert [row[:2] for row in table.rows] == [("a", 2), ("b", 3)]
    assert [row[2] for row in table.rows] == pytest.approx([widths[:2].mean(), widths[2:].mean()])
    assert [row[3] for row in table.rows] == [1.0, 4.0]
    assert judged.cluster_table("silhouette").columns == ("cluster", "points", "silhouette")
    with pytest.raises(InputError, match="measures='recall' is not known: choose one of 'silhouette', 'diam"):
        judged.cluster_table("recall")
    of_classes = adjudge.evaluate(labels, labels, kind="classification")
    with pytest.raises(InputError, match="scores by cluster are of two partitions"):
        of_classes.cluster_table()
