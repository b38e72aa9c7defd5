"""Ratings that are numbers need not be whole, in any container and at both doors."""

from __future__ import annotations

import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import adjudge
from adjudge.cli import main
from adjudge.errors import InputError, InputTypeError

POINTS = np.array(
    [
        [3.5, 4.0, 3.5],
        [1.0, 1.5, 1.0],
        [5.0, 4.5, 5.0],
        [2.5, 2.0, np.nan],
        [0.75, 1.0, 1.25],
        [4.0, 4.0, 4.5],
    ]
)
ROWS = [[None if value != value else value for value in row] for row in POINTS.tolist()]
# Alpha does not depend on the unit.
WHOLE = adjudge.evaluate(
    [[None if value is None else int(4 * value) for value in row] for row in ROWS],
    kind="raters",
    indices="all",
)


def _containers() -> dict[str, Any]:
    frame = pd.DataFrame(POINTS, columns=list("abc"))
    return {
        "array": POINTS,
        "float32": POINTS.astype(np.float32),
        "objects": np.array(ROWS, object),
        "masked": np.ma.masked_invalid(POINTS),
        "lists": ROWS,
        "decimals": [[None if value is None else Decimal(str(value)) for value in row] for row in ROWS],
        "text": [[None if value is None else str(value) for value in row] for row in ROWS],
        "mapping": {name: frame[name].tolist() for name in frame},
        "pandas": frame,
        "nullable": frame.convert_dtypes(),
        "polars": pl.from_pandas(frame),
        "lazy": pl.from_pandas(frame).lazy(),
        "arrow": pa.Table.from_pandas(frame),
    }


def test_points_between_whole_numbers_are_ratings(tmp_path: Path, capsys: Any) -> None:
    containers = _containers()
    frame: pd.DataFrame = containers["pandas"]
    for name, write in {
        "r.csv": frame.to_csv,
        "r.parquet": frame.to_parquet,
        "r.arrow": frame.to_feather,
        "r.xlsx": frame.to_excel,
    }.items():
        write(tmp_path / name, **({"index": False} if name in ("r.csv", "r.xlsx") else {}))
        containers[name] = str(tmp_path / name)
        assert main(["raters", containers[name], "--format", "csv"]) == 0
        wanted = f"krippendorff_alpha_interval,{WHOLE['krippendorff_alpha_interval']!r}"[:38]
        assert wanted in capsys.readouterr().out
    for name, ratings in containers.items():
        found = adjudge.evaluate(ratings, kind="raters", indices="all")
        assert found.values == pytest.approx(WHOLE.values), name


def test_interval_alpha_is_what_variances_say() -> None:
    ratings = POINTS[~np.isnan(POINTS).any(axis=1)]
    n, m = ratings.size, 3
    within = 2 * ((ratings - ratings.mean(axis=1, keepdims=True)) ** 2).sum() * m / (m - 1) / n
    wanted = 1 - within / (2 * ratings.var() * n / (n - 1))
    assert adjudge.krippendorff_alpha_interval(ratings) == pytest.approx(wanted)


def test_categories_may_be_points(tmp_path: Path, run: Any) -> None:
    scale = sorted({value for row in ROWS for value in row if value is not None})
    assert adjudge.krippendorff_alpha_ordinal(ROWS, classes=scale) == pytest.approx(
        WHOLE["krippendorff_alpha_ordinal"]
    )
    pd.DataFrame(POINTS).to_csv(tmp_path / "r.csv", index=False)
    assert main(["raters", str(tmp_path / "r.csv"), "--classes", ",".join(map(str, scale))]) == 0
    assert "the ratings are numbers, and --classes names something else" in run(
        "raters", tmp_path / "r.csv", "--classes", "low,high", code=2
    )


def test_an_infinite_rating_is_named() -> None:
    with pytest.raises(InputError, match=r"ratings\[1\] has inf at position 0, which is infinite"):
        adjudge.evaluate([[3.5, np.inf], [1.5, 2.5]], kind="raters")


def test_columns_that_share_no_category_are_named(tmp_path: Path, shell: Any) -> None:
    frame = pd.DataFrame({"text": list("pqrs"), "ann": list("aabb"), "ben": ["a", "b", "b", None]})
    told = "column 'text' shares no category with another rater: leave out columns that hold no ratings"
    found = adjudge.evaluate(frame, kind="raters", indices="fleiss_kappa")
    assert [notice.text for notice in found.warnings] == [told]
    frame.to_csv(tmp_path / "rated.csv", index=False)
    assert f"adjudge: {told}\n" in shell("raters", tmp_path / "rated.csv").err
    # Numbers of a scale may well differ everywhere.
    for rated in (frame[["ann", "ben"]], [[1.5, 1.25], [2.5, 3.5]], [[1, 3], [2, 4]]):
        assert not adjudge.evaluate(rated, kind="raters", indices="fleiss_kappa").warnings


@pytest.mark.parametrize("given", [[1, 2, 3], ["ab", "cd"], pd.Series([1, 2]).tolist(), 5, {1, 2}])
def test_labels_of_one_rater_are_refused_with_what_is_right(given: Any) -> None:
    with pytest.raises(InputTypeError, match=r"ratings are .*: give a row for each unit, .* as in {'ann': "):
        adjudge.evaluate(given, kind="raters")


def test_options_of_a_truth_are_refused_with_what_is_right() -> None:
    table = pd.DataFrame({"ann": [1, 0], "bob": [1, 1]})
    for options, said in (
        ({"labels_pred": [1, 1]}, "labels_pred= is for a prediction: give all raters at once by name"),
        ({"truth": "ann"}, "truth= names a truth, and raters have none: name the raters' columns with pred="),
        ({"missing": "drop"}, "missing= is not needed for raters, whose ratings may be missing"),
    ):
        with pytest.raises(InputError, match=said):
            adjudge.evaluate(table, kind="raters", **options)
    with pytest.raises(InputError, match="kind='raters' has no page of models: evaluation= makes a page"):
        adjudge.report(table, kind="raters")
    with pytest.raises(InputError, match=r"kind='raters' is not compared: evaluate\(\) judges it"):
        adjudge.compare(table, truth="ann", models=["bob"], kind="raters")


@pytest.mark.parametrize(
    "container", [dict, pd.DataFrame, lambda own: pa.table({"a": own["a"], "b": own["b"]})]
)
def test_a_number_is_not_its_text(container: Any) -> None:
    with pytest.raises(
        InputError, match="ratings has the number 1 in 'a', and the text '1' in 'b': make all"
    ):
        adjudge.evaluate(container({"a": [1.0, 2, 3, 1], "b": ["1", "2", "3", "2"]}), kind="raters")


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("ac1", "raters_ac1"),
        ("gwet_ac1", "raters_ac1"),
        ("kappa", "fleiss_kappa"),
        ("Fleiss", "fleiss_kappa"),
    ],
)
def test_short_names_are_those_of_raters(short: str, name: str) -> None:
    found = adjudge.evaluate([[1, 0], [1, 1]], kind="raters", indices=short)
    assert list(found.values) == [name]


def test_short_names_of_two_labellings_stay() -> None:
    assert [adjudge.find_index(name).name for name in ("ac1", "kappa")] == ["gwet_ac1", "cohen_kappa"]


def test_the_shell_names_the_command_for_raters(shell: Any) -> None:
    said = shell("evaluate some.csv --kind raters", code=2).err
    assert "'raters' is not one of" in said
    assert "'adjudge raters' does this" in said


COUNTS = np.array([[0, 0, 14], [2, 8, 4], [3, 5, 6], [9, 5, 0], [4, 9, 1], [14, 0, 0]])


@pytest.mark.parametrize("counts", [COUNTS, COUNTS.astype(float), COUNTS.tolist(), pd.DataFrame(COUNTS)])
def test_counts_in_the_place_of_ratings_are_doubted(counts: Any) -> None:
    said = "each row of ratings has the sum 14, as numbers of raters have: if each column is a category, repeat its"
    with pytest.warns(UserWarning, match=said):
        adjudge.fleiss_kappa(counts)
    found = adjudge.evaluate(counts, kind="raters")
    assert next(own.text for own in found.warnings if own.code == "counts-of-ratings").startswith(said)
    expanded = [np.repeat(["a", "b", "c"], row) for row in COUNTS]
    # statsmodels.stats.inter_rater.fleiss_kappa(COUNTS)
    assert adjudge.fleiss_kappa(expanded) == pytest.approx(0.41158285921005044)


@pytest.mark.parametrize(
    "ratings",
    [
        [[0, 1], [1, 0], [0, 1], [1, 0], [0, 1]],  # two raters who never agree
        [[0, 2, 1]] * 6,
        [[1, 2, 3], [3, 2, 1], [2, 1, 3], [2, 3, 1], [3, 1, 2], [1, 3, 2]],  # ranks
        [[0, 2], [2, 0], [1, 1]],
        [[0, 2], [2, 0], [1, 1], [0, 2], [2, 1]],
    ],
)
def test_ratings_of_one_sum_are_no_counts(ratings: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adjudge.fleiss_kappa(ratings)
