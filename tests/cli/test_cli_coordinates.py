"""Columns of a file that are no coordinates, and how coordinates are scaled."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.cli import main


@pytest.fixture
def customers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Four clusters of customers, two rows each, whose ids have a wider range than anything else."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = ["customer_id,spend,visits,old_churn,pred_old,old"]
    for i in range(120):
        g = i % 4
        spend, visits = (100, 900)[g % 2] + rng.normal(0, 20), (2, 9)[g // 2] + rng.normal(0, 0.4)
        lines.append(f"{7000 + 31 * (i // 2)},{spend:.3f},{visits:.3f},{rng.random():.3f},{g % 2},{g}")
    Path("customers.csv").write_text("\n".join(lines))
    return "customers.csv"


def coordinates_of(arguments: list[str], shell: Any) -> tuple[dict[str, Any], str]:
    shown = shell(*arguments, "-f", "json")
    return json.loads(shown.out), shown.err


@pytest.mark.parametrize(
    ("command", "left_out"),
    [
        (["choose-k", "--k", "2:5"], {"customer_id", "pred_old"}),
        (
            ["evaluate", "--labels", "old", "--indices", "dunn"],
            {"customer_id", "pred_old", "old_churn", "old"},
        ),
    ],
)
def test_ids_and_what_models_say_are_no_coordinates(
    command: list[str], left_out: set[str], customers: str, shell: Any
) -> None:
    name, *options = command
    found, said = coordinates_of([name, customers, *options], shell)
    assert left_out.isdisjoint(found["columns"])
    assert {"spend", "visits"} <= set(found["columns"])
    assert "'customer_id' looks like an identifier, so it is " in said
    assert "model's output" in said or "models' output" in said
    named, _ = coordinates_of([name, customers, *options, "--columns", "customer_id,spend"], shell)
    assert named["columns"] == ["customer_id", "spend"]


def test_an_id_does_not_hide_the_clusters(customers: str, shell: Any) -> None:
    found, said = coordinates_of(
        ["choose-k", customers, "--columns", "spend,visits", "--standardize", "--k", "2:6"], shell
    )
    assert found["k"] == 4
    assert "scale" not in said
    assert found["standardized"] is True
    assert found["scaling"] == "standard"


@pytest.mark.parametrize(
    ("flags", "scaling"),
    [
        (["--standardize"], "standard"),
        (["--standardize", "robust"], "robust"),
        (["--standardize=log"], "log"),
        ([], None),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_how_coordinates_are_scaled(
    flags: list[str], scaling: str | None, first: bool, customers: str, shell: Any
) -> None:
    asked = ["--labels", "old", "--columns", "spend,visits", "--indices", "dunn"]
    words = [*flags, customers, *asked] if first else [customers, *asked, *flags]
    found, said = coordinates_of(["evaluate", *words], shell)
    assert (found["standardized"], found["scaling"]) == (scaling is not None, scaling)
    assert ("bring them to one scale with --standardize" in said) is (scaling is None)


def test_a_scaling_that_is_not_known(customers: str, run: Any) -> None:
    assert "'minmax' is not one of 'standard', 'robust', 'log'" in run(
        "evaluate", customers, "--labels", "old", "--standardize=minmax", code=2
    )


def test_the_page_takes_a_scaling(customers: str) -> None:
    page = ["report", customers, "--labels", "old", "--features", "spend,visits", "-o", "page.html"]
    assert main([*page, "--standardize", "robust"]) == 0
    assert Path("page.html").exists()


@pytest.fixture
def sweep(tmp_path: Path) -> str:
    """Two clusters of two measurements, with the truth and six clusterings beside them."""
    rng = np.random.default_rng(0)
    lines = ["x,y,moon,eps_0.1,eps_0.2,eps_0.3"]
    for i in range(80):
        g = i % 2
        x, y = rng.normal(4 * g, 1, 2)
        noisy = -1 if i % 10 == 0 else g
        lines.append(f"{x:.4f},{y:.4f},{noisy},{i % 4},{g},{min(i % 5, 2)}")
    path = tmp_path / "sweep.csv"
    path.write_text("\n".join(lines))
    return str(path)


@pytest.mark.parametrize(
    ("command", "left_out"),
    [
        (["evaluate", "--labels", "eps_0.2", "--indices", "dunn"], "'moon', 'eps_0.1' and 'eps_0.3' look"),
        (["choose", "--labels", "eps_0.2,eps_0.1"], "'moon' and 'eps_0.3' look"),
        (["choose", "--labels", "eps_*", "--indices", "silhouette"], "'moon' looks"),
        (["choose-k", "--k", "2:3"], "'moon', 'eps_0.1', 'eps_0.2' and 'eps_0.3' look"),
    ],
)
def test_columns_that_look_like_labels_are_left_out_and_named(
    command: list[str], left_out: str, sweep: str, shell: Any
) -> None:
    name, *options = command
    found, said = coordinates_of([name, sweep, *options], shell)
    wanted = ["x", "y"]
    assert found["columns"] == wanted
    assert f"adjudge: {left_out} like labels, so " in said
    assert f"adjudge: points from {', '.join(wanted)}" in said
    assert "--columns chooses others" in said
    named, said = coordinates_of([name, sweep, *options, "--columns", "x,moon"], shell)
    assert named["columns"] == ["x", "moon"]
    assert "points from" not in said


def test_a_page_names_its_own_option(sweep: str, shell: Any) -> None:
    page = str(Path(sweep).with_suffix(".html"))
    said = shell("report", sweep, "--labels", "eps_0.2", "-o", page).err
    assert "look like labels, so they are left out of the coordinates: --features can include them" in said
    assert "features are x, y: --features chooses others" in said


def test_the_choice_is_headed_by_its_coordinates(sweep: str, run: Any) -> None:
    assert run("choose", sweep, "--labels", "eps_*", "--indices", "silhouette").startswith(
        "80 points: x, y\n"
    )


def test_many_columns_are_counted(tmp_path: Path, shell: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(30, 14)).round(3)
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(f"v{j}" for j in range(14)), *(",".join(map(str, r)) for r in rows)]))
    assert "v10, v11 and 2 more: --columns chooses others" in shell("choose-k", path, "--k", "2:3").err


def test_options_of_indices_that_read_points(sweep: str, shell: Any, run: Any) -> None:
    frame = pd.read_csv(sweep)
    command = ["evaluate", sweep, "--labels", "eps_0.2", "--columns", "x,y", "--indices", "dbcv,disco"]
    given = shlex.split("--index-option dimension=3 --index-option tree=index --index-option min-points=3")
    found, _ = coordinates_of([*command, *given], shell)
    options = {"dimension": 3, "tree": "index", "min_points": 3}
    wanted = adjudge.evaluate(
        X=frame[["x", "y"]], labels=frame["eps_0.2"], indices=["dbcv", "disco"], **options
    )
    assert found["evaluations"]["eps_0.2"]["values"] == wanted.values
    plain, _ = coordinates_of(command, shell)
    for name, value in plain["evaluations"]["eps_0.2"]["values"].items():
        assert value != wanted[name]
    for flags, words in [
        ("--index-option tree", "--index-option 'tree' is not known: write NAME=VALUE with n_neighbors, "),
        ("--index-option beta=2", "--index-option 'beta=2' is not known"),
        ("--index-option min_points=2.5", "a whole number of at least 1 is needed"),
        ("--tree index", "No such option: --tree: --index-option tree=index does this"),
    ]:
        assert words in run(*command, *shlex.split(flags), code=2)
