"""What results say about labels: one count of noise and one warning, everywhere; and words that look like classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.cli import main

TRUTH, NOISY = [0, 0, 1, 1, 1], [0, -1, 1, -1, 1]


def codes(result: Any) -> list[str]:
    return [notice.code for notice in result.warnings]


def test_noise_that_counts_as_a_cluster_is_said() -> None:
    result = adjudge.evaluate(TRUTH, NOISY, indices="ari")
    (notice,) = result.warnings
    assert notice.code == "noise-is-a-cluster"
    assert notice.severity == "warning"
    assert str(notice) == (
        "warning: the label -1 counts as a cluster (2 in labels_pred): noise='drop' leaves such instances out, "
        "noise='singletons' makes each a separate cluster"
    )
    assert repr(result).splitlines()[-1] == str(notice)
    assert "counts as a cluster" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["warnings"][0]["remedy"].startswith("noise='drop'")


@pytest.mark.parametrize("noise", ["drop", "singletons"])
def test_noise_that_is_treated_is_not(noise: str) -> None:
    left_out = ["rows-left-out"] if noise == "drop" else []
    assert codes(adjudge.evaluate(TRUTH, NOISY, indices="ari", noise=noise)) == left_out


def test_a_drop_that_drops_nothing_is_said() -> None:
    result = adjudge.evaluate(TRUTH, [0, 0, 1, 1, 2], indices="ari", noise="drop")
    assert codes(result) == ["no-noise-found"]
    assert "noise_label= names the label that means noise" in str(result.warnings[0])
    compared = adjudge.compare(TRUTH, {"p": [0, 0, 1, 1, 2]}, kind="clustering", noise="drop")
    assert codes(compared) == ["no-noise-found"]


def test_all_models_are_counted_in_one_notice() -> None:
    models = {"p": NOISY, "q": ["a", "-1", "b", "b", "b"], "r": [0, 0, 1, 1, 1]}
    result = adjudge.compare(TRUTH, models, kind="clustering")
    (notice,) = result.warnings
    assert notice.message == "the label -1 counts as a cluster (2 in p, 1 in q)"
    assert str(notice) in repr(result)


def test_points_alone_say_it_too() -> None:
    X = np.arange(5.0)[:, None]
    result = adjudge.evaluate(X=X, labels=NOISY, indices="calinski_harabasz")
    assert result.warnings[0].message == "the label -1 counts as a cluster (2 in labels)"


def test_classes_are_no_noise() -> None:
    assert codes(adjudge.evaluate([1, -1, 1], [1, -1, -1], kind="classification", indices="all")) == []


ANIMALS = ["cat", "cat", "dog", "dog", "dog"]


def test_words_in_common_are_classes() -> None:
    result = adjudge.evaluate(ANIMALS, ["dog", "dog", "cat", "dog", "cat"], indices=["accuracy"])
    assert result["accuracy"] == 0.2
    assert [str(notice) for notice in result.warnings] == [
        "note: judged as classes, because truth and prediction have the same names: kind='clustering' compares the "
        "groups whatever they are called"
    ]
    result = adjudge.evaluate(ANIMALS, ["dog", "dog", "cat", "dog", "cat"], indices=["rand"])
    assert [str(notice) for notice in result.warnings] == [
        "note: truth and prediction have the same names, which clusterings do not compare: kind='classification' "
        "counts an instance as right if its names are equal"
    ]


@pytest.mark.parametrize(
    ("predicted", "kind"),
    [
        (["cat", "cat", "dog", "dog", "cat"], "classification"),
        (["a", "a", "b", "b", "dog"], "clustering"),
        (["dog"] * 5, "clustering"),
        ([0, 0, 1, 1, 1], "clustering"),
    ],
)
def test_other_names_do_not(predicted: list[Any], kind: Any) -> None:
    assert codes(adjudge.evaluate(ANIMALS, predicted, kind=kind)) == []


def test_of_numbers_with_the_same_names_the_first_line_says_that_they_are_taken_for_clusters() -> None:
    said = "as clusters, whose names are arbitrary; kind='classification' if these are classes"
    for truth, found in (([0, 1, 0], [0, 1, 1]), (["1", "-2", "1"], ["1", "-2", "-2"])):
        judged = adjudge.evaluate(truth, found)
        assert [(own.code, own.severity) for own in judged.warnings] == [("names-are-arbitrary", "info")]
        first = f"Evaluation of 3 instances {said} (labels_true: 2 clusters, labels_pred: 2 clusters)"
        assert repr(judged).splitlines()[0] == first
        assert repr(judged).count("arbitrary") == judged._repr_html_().count("arbitrary") == 1
        both = adjudge.evaluate(truth, {"a": found, "b": truth})
        assert repr(both).splitlines()[0] == f"Evaluations of 2 label vectors {said}"
    for options in ({"kind": "clustering"}, {"noise": "drop"}, {"indices": "rand"}):
        assert "names-are-arbitrary" not in codes(adjudge.evaluate([0, 1, 0], [0, 1, 1], **options))
    assert codes(adjudge.evaluate([0, 1, 0], [0, 1, 2])) == []


def test_the_shell_and_the_page_say_it_in_their_first_line(tmp_path: Path, shell: Any) -> None:
    file = tmp_path / "numbers.csv"
    file.write_text("t,p,q\n0,0,5\n1,1,6\n1,0,6\n")
    given = ["evaluate", str(file), "--truth", "t", "--report", str(tmp_path / "page.html")]
    said = "3 instances as clusters, whose names are arbitrary; --kind classification if these are classes; truth: t"
    for judged in ("p", "q,p"):
        told = shell(*given, "--pred", judged)
        assert told.out.splitlines()[0] == said
        assert "arbitrary" not in told.err
    page = adjudge.report(
        evaluation=adjudge.evaluate([0, 1, 1], [0, 1, 0]), output=tmp_path / "page.html"
    ).page
    first, *others = page["sections"][0]["verdict"]
    assert first["text"].startswith("3 instances as clusters, whose names are arbitrary; kind=")
    assert not any("arbitrary" in own["text"] for own in others)


def test_the_command_line_says_it_unless_the_kind_was_chosen(tmp_path: Any, shell: Any) -> None:
    file = tmp_path / "animals.csv"
    file.write_text("t,p\ncat,dog\ncat,dog\ndog,cat\n")
    given = ["evaluate", str(file), "--truth", "t", "--pred", "p"]
    assert "--kind clustering compares the groups whatever they are called" in shell(*given).err
    assert shell(*given, "--kind", "clustering").err == ""


def test_several_labels_that_are_all_unknown_to_the_truth_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth, other, half = [{"a"}, {"a", "b"}, set()], [{"X"}, {"Y"}, {"X"}], [{"a"}, {"Y"}, set()]
    expected = (
        "warning: no label of the prediction, such as 'X', is in the truth, which has labels such as 'a': "
        "use the same labels in both"
    )
    result = adjudge.evaluate(truth, other, kind="multilabel")
    assert [str(notice) for notice in result.warnings] == [expected]
    assert expected in repr(result)
    for fine in (half, [set(), set(), set()]):
        assert codes(adjudge.evaluate(truth, fine, kind="multilabel")) == []
    compared = adjudge.compare(truth, {"x": other, "y": half, "z": [{"C"}, set(), set()]}, kind="multilabel")
    assert [notice.message.partition(",")[0] for notice in compared.warnings] == [
        "no label of model 'x'",
        "no label of model 'z'",
    ]
    (tmp_path / "t.csv").write_text("truth,p\na;b,X\nb,Y\n")
    assert (
        main(["evaluate", str(tmp_path / "t.csv"), "--truth", "truth", "--pred", "p", "--kind", "multilabel"])
        == 0
    )
    assert "no label of the prediction, such as 'X', is in the truth" in "".join(capsys.readouterr())


def test_the_page_of_raters_and_classifiers_speaks_of_classes(tmp_path: Path) -> None:
    ratings = {"a": ["x", "y", "x"], "b": ["x", "y", "y"]}
    for found, what in (
        (adjudge.evaluate(ratings, kind="raters"), "classes: 2 that 2 raters gave"),
        (adjudge.evaluate(*ratings.values(), kind="classification"), "classes: 2 in labels_true"),
        (adjudge.evaluate(*ratings.values(), kind="clustering"), "clusters: 2 in labels_true"),
    ):
        page = adjudge.report(evaluation=found, output=tmp_path / "page.html").page
        assert what in page["sections"][0]["verdict"][0]["text"]


_UNTREATED = {"drop": "none was left out as noise", "singletons": "none is a cluster of its own"}


@pytest.mark.parametrize("door", ["arrays", "pandas", "lazy", "csv", "parquet", "beside a truth", "weights"])
@pytest.mark.parametrize("noise", ["drop", "singletons", None, "cluster"])
@pytest.mark.parametrize("labels", [["a", "noise", "a", "b", "b"], [0, -2, 0, 1, 1]])
def test_noise_of_points_that_is_not_there_is_said(
    door: str, noise: str | None, labels: list[Any], tmp_path: Path
) -> None:
    table = pl.DataFrame({"l": labels, "x": [0.0, 9.0, 1.0, 4.0, 5.0], "w": [1, 2, 1, 1, 3]})
    asked: dict[str, Any] = {"indices": "calinski_harabasz", "noise": noise}
    if noise in (None, "cluster"):
        asked["noise_label"] = "outlier" if isinstance(labels[0], str) else -99
    if door in ("arrays", "beside a truth", "weights"):
        given = {"X": table[["x"]].to_numpy(), "labels": labels}
        if door == "beside a truth":
            given = {"X": given["X"], "labels_true": [0, 0, 0, 1, 1], "labels_pred": labels}
        if door == "weights":
            given |= {"sample_weight": table["w"], "weights": "frequency"}
        found = adjudge.evaluate(**given, **asked)
    else:
        if door == "lazy" and noise == "singletons":
            pytest.skip("lazy tables do not scatter noise")
        table.write_csv(tmp_path / "t.csv")
        table.write_parquet(tmp_path / "t.parquet")
        tables = {"pandas": table.to_pandas(), "lazy": table.lazy()}
        found = adjudge.evaluate(
            tables.get(door, tmp_path / f"t.{door}"), labels="l", features=["x"], **asked
        )
    (notice,) = [own for own in found.warnings if own.code == "no-noise-found"]
    assert notice.message.endswith(f", so {_UNTREATED.get(str(noise), 'nothing is noise')}")


def test_noise_that_is_there_is_not_said_to_be_missing(tmp_path: Path) -> None:
    table = pl.DataFrame({"l": [0, -1, 0, 1, 1], "g": [0, None, 0, 1, 1], "x": [0.0, 9.0, 1.0, 4.0, 5.0]})
    for given in (table, table.lazy()):
        for labels, missing in (("l", "raise"), ("l", "drop"), ("g", "drop")):
            asked: dict[str, Any] = {"features": ["x"], "indices": "trace_w", "noise": "drop"}
            found = adjudge.evaluate(given, labels=labels, missing=missing, **asked)
            assert ("no-noise-found" in codes(found)) == (labels == "g")
            assert found.n == 4
    table.write_csv(tmp_path / "t.csv")
    # Only the truth is to be without noise.
    truth = adjudge.evaluate(
        [0, 0, 0, 1, 1], [0, 0, 1, 1, 1], X=table[["x"]].to_numpy(), noise={"labels_true": "drop"}
    )
    assert codes(truth).count("no-noise-found") == 1


def test_candidates_without_the_noise_that_was_named() -> None:
    X = np.concatenate([np.arange(9.0), np.arange(40.0, 49.0)])[:, None]
    labels = {"a": np.repeat([0, 1], 9), "b": np.repeat([-1, 0, 1], 6)}
    assert "no-noise-found" not in codes(adjudge.choose(X, labels))
    assert "no-noise-found" not in codes(adjudge.choose(X, {"a": labels["a"], "c": labels["b"] + 1}))
    assert "no-noise-found" in codes(adjudge.choose(X, labels, noise_label=-99))
    assert "no-noise-found" not in codes(adjudge.choose(X, labels, noise_label=-99, noise="cluster"))
