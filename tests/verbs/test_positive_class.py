"""One column of scores is that of the positive class, in every verb; results say which class a score is of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import adjudge
from adjudge import InputError
from adjudge.displays import ReliabilityDisplay, RocCurveDisplay
from conftest import raises_line
from table_engines import in_engine, in_engines

RNG = np.random.default_rng(7)
N = 300
IS_CHURN = RNG.random(N) < 0.3
TRUTH = np.where(IS_CHURN, "churn", "stay")
CHURN = np.clip(0.3 + 0.25 * IS_CHURN + 0.15 * RNG.standard_normal(N), 0.01, 0.99)
OTHER = np.clip(CHURN + 0.2 * RNG.standard_normal(N), 0.01, 0.99)
SAID = np.where(CHURN >= 0.5, "churn", "stay")
FRAME = pl.DataFrame(
    {"churned": TRUTH, "said": SAID, "old_p_churn": CHURN, "p_stay": 1 - CHURN, "old": CHURN, "new": OTHER}
)
INDICES = ["accuracy", "f1", "log_loss", "brier_score", "roc_auc", "average_precision"]
WANTED = {
    "accuracy": float(np.mean(SAID == TRUTH)),
    "log_loss": log_loss(IS_CHURN, CHURN),
    "brier_score": brier_score_loss(IS_CHURN, CHURN),
    "roc_auc": roc_auc_score(IS_CHURN, CHURN),
    "average_precision": average_precision_score(IS_CHURN, CHURN),
}
LOGITS = np.log(CHURN / (1 - CHURN))


def codes(result: Any) -> list[str]:
    return [notice.code for notice in result.warnings]


def check(found: Any) -> None:
    for name, value in WANTED.items():
        bound = found.score(name).error_bound or 0
        assert found[name] == pytest.approx(value, abs=bound + 1e-12), name


def test_one_column_is_that_of_the_positive_class() -> None:
    found = adjudge.evaluate(TRUTH, probabilities=CHURN, positive="churn", indices=INDICES)
    check(found)
    assert codes(found) == ["labels-from-probabilities"]
    both = pd.DataFrame({"stay": 1 - CHURN, "churn": CHURN})
    assert found.values == pytest.approx(
        adjudge.evaluate(TRUTH, probabilities=both, positive="churn", indices=INDICES).values
    )
    ranked = adjudge.evaluate(TRUTH, SAID, scores=LOGITS, positive="churn", indices=["roc_auc", "gini"])
    assert ranked["roc_auc"] == pytest.approx(WANTED["roc_auc"])
    assert found.curve("roc").area == pytest.approx(WANTED["roc_auc"])
    assert found.curve("roc").label == "churn"


@pytest.mark.parametrize("name", ["positive", "pos_label"])
def test_every_function_takes_it(name: str) -> None:
    churn = {name: "churn"}
    for index in ("log_loss", "brier_score", "roc_auc", "average_precision"):
        assert getattr(adjudge, index)(TRUTH, CHURN, **churn) == pytest.approx(WANTED[index]), index
    assert adjudge.roc_auc(TRUTH, scores=LOGITS, **churn) == pytest.approx(WANTED["roc_auc"])
    is_said = SAID == "churn"
    for index in ("f1", "precision", "recall", "specificity", "class_jaccard", "false_discovery_rate"):
        function = getattr(adjudge, index)
        assert function(TRUTH, SAID, **churn) == function(IS_CHURN, is_said), index
        assert function(adjudge.statistics.Contingency.from_labels(TRUTH, SAID), **churn) == function(
            IS_CHURN, is_said
        )
    weighted = {"sample_weight": np.arange(1.0, N + 1), "weights": "importance"}
    assert adjudge.f1(TRUTH, SAID, **churn, **weighted) == pytest.approx(
        adjudge.f1(IS_CHURN, is_said, **weighted)
    )


def test_where_no_class_is_positive_it_is_refused() -> None:
    for index in ("macro_f1", "accuracy", "pair_precision"):
        with raises_line(InputError, f"{index} is of no single class: leave positive='churn' out"):
            getattr(adjudge, index)(TRUTH, SAID, positive="churn")
    with raises_line(InputError, "f1 is of no single class: leave positive='churn' out"):
        adjudge.f1(TRUTH, SAID, positive="churn", average="macro")
    with raises_line(InputError, "positive='Churn' is not a class: choose one of 'churn', 'stay'"):
        adjudge.f1(TRUTH, SAID, positive="Churn")


def test_very_small_probabilities_keep_their_order_and_their_loss() -> None:
    truth, p = ["churn", "stay", "churn", "stay"], np.array([3e-20, 1e-20, 4e-20, 2e-20])
    assert adjudge.roc_auc(truth, p, positive="churn") == 1.0
    assert adjudge.log_loss(truth, p, positive="churn") == pytest.approx(-np.log(12e-40) / 4)


def test_the_name_of_a_series_says_its_class() -> None:
    for column in (FRAME["old_p_churn"], FRAME["p_stay"], FRAME["p_stay"].to_pandas(), FRAME[["p_stay"]]):
        check(adjudge.evaluate(TRUTH, probabilities=column, positive="churn", indices=INDICES))
    models = adjudge.compare(
        TRUTH, probabilities=FRAME[["old_p_churn", "p_stay"]].to_pandas(), indices=INDICES, positive="churn"
    )
    assert models.scores["old_p_churn"] == pytest.approx(models.scores["p_stay"])
    said = [notice for notice in models.warnings if notice.code == "class-of-column"]
    assert [notice.message for notice in said] == [
        "column 'p_stay' is taken as that of 'stay', by its name, and 'churn' has the rest"
    ]


@pytest.mark.full
@in_engines(["pandas", "polars-lazy", "duckdb"])
def test_columns_of_tables(engine: str, request: pytest.FixtureRequest) -> None:
    table = in_engine(FRAME, engine, request)
    for column in ("old_p_churn", "p_stay", "old", {"churn": "old"}):
        check(
            adjudge.evaluate(
                table, truth="churned", probabilities=column, positive="churn", indices=list(WANTED)
            )
        )
    by_name = adjudge.evaluate(table, truth="churned", probabilities="old_p_churn", indices=["log_loss"])
    assert by_name["log_loss"] == pytest.approx(WANTED["log_loss"])
    for option in ("probabilities", "scores"):
        with pytest.raises(InputError, match="column 'old' does not say which class it is of"):
            adjudge.evaluate(table, truth="churned", **{option: "old"}, indices=["roc_auc"])
    both = adjudge.compare(
        table,
        truth="churned",
        probabilities={"name": "p_stay", "option": "old"},
        positive="churn",
        indices=["accuracy", "roc_auc"],
    )
    assert both.scores["name"] == pytest.approx(both.scores["option"])
    assert both.scores["name"]["accuracy"] == WANTED["accuracy"]


def test_the_report_does_not_name_the_wrong_model_best(tmp_path: Any) -> None:
    page = adjudge.report(
        TRUTH,
        probabilities={"old": CHURN, "new": OTHER},
        positive="churn",
        indices=["roc_auc"],
        output=tmp_path / "page.html",
    ).page["sections"][0]
    said = [sentence["text"] for sentence in page["verdict"]]
    assert any(text.startswith("old is better than new by ROC AUC of churn") for text in said), said
    assert page["classifiers"][0]["roc"][0]["name"] == "churn"


def test_the_class_of_a_score_stands_beside_it() -> None:
    found = adjudge.evaluate(TRUTH, SAID, probabilities=CHURN, positive="churn", indices=[*INDICES, "ece"])
    of_one = ["f1", "roc_auc", "average_precision", "expected_calibration_error"]
    assert found.to_dict()["of_class"] == dict.fromkeys(of_one, "churn")
    assert found.score("f1").title == "F1 of churn"
    rows = [row[0] for row in found.table().rows]
    assert rows == [f"{name} of churn" if name in of_one else name for name in found.values]
    # Programs find the index by its name.
    frame = found.to_frame()
    assert frame["index"].to_list() == list(found.values)
    assert frame["note"].to_list()[1] == "of churn"
    both = adjudge.compare(TRUTH, {"a": SAID, "b": TRUTH}, indices=["f1"], positive="churn", confidence=0.9)
    assert both.scores_table().columns == ("model", "f1 of churn")
    assert both.differences_table().rows[0][1] == "f1 of churn"
    assert both.to_dict()["score_of_class"] == {"f1": "churn"}
    assert both.to_dict()["pairs"][0]["differences"]["f1"]["of_class"] == "churn"
    assert adjudge.evaluate(TRUTH, {"a": SAID}, indices=["f1"]).table().columns[1] == "f1 of stay"


def test_a_class_chosen_by_order_is_told() -> None:
    found = adjudge.evaluate(TRUTH, SAID, kind="classification", indices=["f1", "accuracy"])
    assert [str(notice) for notice in found.warnings] == [
        "note: 'stay' is the positive class by order, as the second of 'churn' and 'stay': positive='churn' chooses "
        "the other"
    ]
    assert found.to_dict()["of_class"] == {"f1": "stay"}
    column = adjudge.evaluate(TRUTH, probabilities=1 - CHURN, indices=["log_loss"])
    assert column.warnings[-1].message.endswith("and the one column of scores is taken as its own")
    # No score is of one class.
    assert not codes(adjudge.evaluate(TRUTH, SAID, kind="classification", indices=["accuracy"]))
    both = adjudge.compare(TRUTH, {"a": SAID, "b": TRUTH}, kind="classification", indices=["f1"])
    assert codes(both) == ["positive-by-order"]


@pytest.mark.parametrize("labels", [(0, 1), (False, True), ("0", "1"), ("False", "True")])
def test_labels_0_and_1_need_no_word(labels: tuple[Any, Any]) -> None:
    truth, said = (np.array(labels)[own.astype(int)] for own in (IS_CHURN, SAID == "churn"))
    found = adjudge.evaluate(truth, said, probabilities=CHURN, indices=["f1", "roc_auc"])
    assert found["roc_auc"] == pytest.approx(WANTED["roc_auc"])
    assert found["f1"] == adjudge.f1(IS_CHURN, SAID == "churn")
    assert found.to_dict()["of_class"] == {}
    assert not codes(found)


@in_engines(["pandas", "duckdb"])
def test_a_column_of_the_other_class_is_noticed(engine: str, request: pytest.FixtureRequest) -> None:
    frame = FRAME.select("churned", "said", p=1 - pl.col("old_p_churn"))
    found = adjudge.evaluate(
        in_engine(frame, engine, request), truth="churned", pred="said", probabilities="p", positive="churn"
    )
    serious = [notice for notice in found.warnings if notice.severity == "serious"]
    assert [str(notice) for notice in serious] == [
        f"warning: the area under the ROC curve is {1 - WANTED['roc_auc']:.3f}, so the column seems to be that of the "
        "other class: positive='stay' takes it as that of 'stay'",
        "warning: 100 % of the labels are not the likeliest class, so the column seems to be that of the other class: "
        "positive='stay' takes it as that of 'stay'",
    ]
    assert list(found.warnings[:2]) == serious


def test_every_model_is_looked_at_even_if_its_area_was_not_asked_for() -> None:
    found = adjudge.compare(
        TRUTH, probabilities={"old": CHURN, "new": 1 - OTHER}, positive="churn", indices=["log_loss"]
    )
    derived, notice = found.warnings
    assert (derived.code, notice.code) == ("labels-from-probabilities", "scores-turned-round")
    assert "the area under the ROC curve of 'new' is 0.2" in notice.message
    columns = adjudge.evaluate(
        [0, 1, 2] * 5, [0, 1, 2] * 5, probabilities=np.roll(np.eye(3), 1, axis=1)[[0, 1, 2] * 5]
    )
    assert {notice.code for notice in columns.warnings} == {"labels-contradict-scores", "scores-turned-round"}
    assert str(columns.warnings[0]).endswith(
        "so the columns seem to be mixed up: classes= names the classes in the order of the columns"
    )


def test_benchmarks_say_it_and_take_it() -> None:
    data = {name: (TRUTH, {"a": SAID, "b": TRUTH}) for name in ("one", "two", "three")}
    by_order = adjudge.benchmark(data, score="f1", kind="classification")
    (note,) = by_order.notes
    assert note.startswith(
        "in data set 'one', and in 2 other data sets as well, 'stay' is the positive class by order"
    )
    named = adjudge.benchmark(data, score="f1", kind="classification", positive="churn")
    assert named.notes == ()
    assert named.scores["one"]["a"] == adjudge.f1(TRUTH, SAID, positive="churn")


def test_groups_keep_the_class() -> None:
    region = RNG.choice(["north", "south"], N)
    options: dict[str, Any] = {"positive": "churn", "indices": ["f1"], "confidence": 0.9}
    judged = adjudge.evaluate(TRUTH, SAID, groups=region, **options)
    assert judged.group_table().columns == (
        "group",
        "n",
        "f1 of churn",
        "f1 of churn_low",
        "f1 of churn_high",
    )
    contrasts = [own.score for own in (*judged.differences, *judged.pair_differences)]
    assert {own.of_class for own in contrasts if own.index.name == "f1"} == {"churn"}
    both = adjudge.compare(TRUTH, {"a": SAID, "b": TRUTH}, groups=region, **options)
    assert {own.score.of_class for own in both.group_differences} == {"churn"}


def test_pictures_name_the_class() -> None:
    pytest.importorskip("matplotlib")
    models = {"old": CHURN, "new": OTHER}
    roc = RocCurveDisplay.from_predictions(TRUTH, models, pos_label="churn")
    assert roc.curves["old"].area == pytest.approx(WANTED["roc_auc"])
    assert roc.plot().ax_.get_ylabel() == "true positive rate of churn"
    assert roc.describe().startswith("old has the highest area under the curve of churn, ")
    plain = RocCurveDisplay.from_predictions(IS_CHURN, models)
    assert plain.plot().ax_.get_ylabel() == "true positive rate"
    result = adjudge.evaluate(TRUTH, probabilities=CHURN, positive="churn")
    reliability = ReliabilityDisplay.from_result(result, pos_label="churn").plot()
    assert reliability.axes_[1].get_xlabel() == "forecast probability of churn"
    assert reliability.describe().startswith("forecasts of churn are ")


def test_options_of_classifiers_make_classifiers() -> None:
    assert adjudge.evaluate(TRUTH, probabilities=CHURN, positive="churn").settings["of"] == "classification"
    assert adjudge.compare([0, 1], {"a": [0, 1]}, classes=[0, 1]).kind == "classification"


def test_the_same_names_are_classes_in_every_verb() -> None:
    assert adjudge.evaluate(TRUTH, SAID)["accuracy"] == WANTED["accuracy"]
    assert (
        adjudge.evaluate(adjudge.statistics.Contingency.from_labels(TRUTH, SAID))["accuracy"]
        == WANTED["accuracy"]
    )
    assert codes(adjudge.compare(TRUTH, {"a": SAID}, indices=["accuracy"])) == ["judged-as-classes"]
    assert adjudge.evaluate(TRUTH, {"0": SAID, "1": TRUTH})["0", "accuracy"] == WANTED["accuracy"]
    for table in (FRAME, FRAME.lazy()):
        found = adjudge.evaluate(table, truth="churned", pred="said")
        assert found["accuracy"] == WANTED["accuracy"]
        assert codes(found) == ["judged-as-classes"]
        assert adjudge.compare(table, truth="churned", models=["said"]).kind == "classification"
    assert adjudge.evaluate({"one": TRUTH, "two": TRUTH[::-1]}, SAID).settings["of"] == "classification"


def test_labels_that_are_not_classes_are_said_to_be_clusters() -> None:
    upper = [f"{label.upper()} " for label in SAID]
    for found in (
        adjudge.evaluate(TRUTH, upper),
        adjudge.evaluate(pd.DataFrame({"t": TRUTH, "p": upper}), truth="t", pred="p"),
    ):
        (own,) = (own for own in found.warnings if own.code == "judged-as-clusters")
        assert own.message.startswith("judged as clusters, because the labels of the prediction (")
        assert own.message.endswith(
            ") are not classes of the truth; they differ only by case, blanks or signs that look alike"
        )
        assert own.severity == "warning"
    with pytest.raises(
        InputError, match="from which they differ only by case, blanks or signs that look alike"
    ):
        adjudge.compare(TRUTH, {"a": upper, "b": upper[::-1]})
    other = adjudge.evaluate(TRUTH, [f"c{label}" for label in SAID])
    (own,) = other.warnings
    assert (own.code, own.severity) == ("judged-as-clusters", "info")
    assert own.text.endswith("are not classes of the truth: kind='classification' judges classes")
    numbers = [len(label) for label in SAID]
    for told in (adjudge.evaluate(TRUTH, upper, kind="clustering"), adjudge.evaluate(TRUTH, numbers)):
        assert "judged-as-clusters" not in codes(told)


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "clustering"},
        {"adjust": True},
        {"noise": "drop"},
        {"indices": "rand"},
    ],
)
def test_what_only_clusterings_have_keeps_them(options: dict[str, Any]) -> None:
    assert adjudge.evaluate(TRUTH, SAID, **options).settings["of"] == "clustering"


def test_numbers_stay_clusterings_in_evaluate_and_have_to_be_named_in_compare() -> None:
    assert "rand" in adjudge.evaluate([0, 0, 1], [0, 1, 1], indices=["rand"])
    assert adjudge.evaluate([0, 0, 1], [0, 1, 1]).settings["of"] == "clustering"
    with raises_line(
        InputError,
        "labels such as 0, 1 may be classes or numbers of clusters: pass kind='classification' or kind='clustering'",
    ):
        adjudge.compare([0, 0, 1], {"a": [0, 1, 1]})
    for options in ({"kind": "clustering"}, {"indices": "rand"}, {"adjust": True}, {"noise": "drop"}):
        assert adjudge.compare(["x", "x", "y"], {"a": [0, 1, 1]}, **options).kind == "clustering"
    with raises_line(
        InputError,
        "the models have labels such as 0, but none of the truth, such as 'x': give them the names of the truth if "
        "they are classes, or pass kind='clustering'",
    ):
        adjudge.compare(["x", "x", "y"], {"a": [0, 1, 1]})
