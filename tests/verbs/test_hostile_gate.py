"""Random malformed gates, by calls and by files: a result, or an error of ours in one line; never anything else."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import math
import os
import warnings
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import typer.main

from adjudge import gate, plan_gate
from adjudge.cli import main
from adjudge.errors import AdjudgeError
from gates import CLASSES, gate_rows
from hostile import outcome

# Many more on demand: ADJUDGE_HOSTILE_GATES=2000.
CALLS = int(os.environ.get("ADJUDGE_HOSTILE_GATES", "150"))
BLOCKS = 15

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 5, 0.5, 1.0, 1.5, -0.0, math.nan, math.inf, 1e308, 10**400, "", " ", "x", "1", "2%",
    "%", "-3%", "nan%", "recall[", "recall[]", "recall[churn]", "recall[gone]", "accuracy", "v1", "truth", "id", "\0",
    "\ud800", "a\nb", b"v1", (), [], {}, [[]], ["accuracy"], ["accuracy", "accuracy"], [None], [1.5], {"accuracy": 0.1},
    {"accuracy": "x"}, {5: 0.1}, {None: None}, {"churn": 5}, {"churn": 0.1, "gone": 3}, {"recall[churn]": "5%"},
    {"old": [1]}, {"old": [0.1], "new": [0.2]}, {1}, frozenset({"a"}), object(), print, int, ..., Decimal("0.1"),
    Decimal("NaN"), Decimal("sNaN"), Fraction(1, 50), 1 + 1j, date(2020, 1, 1), np.float32(0.02), np.int8(3),
    np.datetime64("NaT"), pd.NA, pd.NaT, np.array(3), np.array([0.1, 0.2]), np.zeros((2, 2)), np.zeros(0), "log_loss",
    "roc_auc", "ami", "rand", "f1", "silhouette", "cohen_kappa", "classification", "clustering", "multilabel", "drop",
)  # fmt: skip
OPTIONS = (
    "indices", "margin", "superior", "equivalent", "max_broken", "units", "groups", "confidence", "kind",
    "probabilities", "scores", "truth", "prediction", "key", "smallest_group", "assumed_gain", "counts",
    "sample_weight", "weights", "classes", "positive", "missing", "noise", "noise_label",
)  # fmt: skip
PLAN = (
    "margin", "n_units", "rows_per_unit", "accuracy", "disagreement", "icc", "gain", "confidence", "power",
)  # fmt: skip

FRAME = gate_rows(60, planted=True)


def pick(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def some_labels(rng: np.random.Generator, n: int) -> Any:
    """A label vector of some kind, mostly of the right length."""
    n = n if rng.random() < 0.9 else int(rng.integers(0, 4))
    values: list[Any] = pick(rng, (
        CLASSES[rng.integers(0, 3, n)].tolist(),
        rng.integers(-1, 3, n).tolist(),
        rng.random(n).tolist(),
        [pick(rng, ODD) for _ in range(n)],
        [0] * n,
        [None if rng.random() < 0.2 else "churn" for _ in range(n)],
        [bool(b) for b in rng.integers(0, 2, n)],
    ))  # fmt: skip
    make: Callable[[Any], Any] = pick(
        rng, (list, tuple, iter, np.array, pd.Series, pl.Series, pa.array, object_array)
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(values)
    except BaseException:  # the container's own business: Polars panics by no Exception
        return values


def object_array(values: list[Any]) -> Any:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def some_table(rng: np.random.Generator) -> Any:
    """A table with both models, damaged in some way."""
    frame = FRAME.copy()
    for _ in range(int(rng.integers(0, 3))):
        name = pick(rng, list(FRAME.columns))
        how = int(rng.integers(0, 7))
        if how == 0:
            frame = frame.drop(columns=name, errors="ignore")
        elif how == 1:
            frame[name] = object_array([pick(rng, ODD) for _ in range(len(frame))])
        elif how == 2:
            frame[name] = None
        elif how == 3:
            frame = frame.rename(columns={name: pick(rng, list(FRAME.columns))})
        elif how == 4:
            frame = frame.iloc[: int(rng.integers(0, 15))]
        elif how == 5 and name in frame and not isinstance(frame[name], pd.DataFrame):
            frame[name] = frame[name].astype(str)
        else:
            frame = pd.concat([frame, frame.iloc[:1]])
    makes: tuple[Callable[[Any], Any], ...] = (
        lambda f: f,
        pl.DataFrame,
        lambda f: pl.DataFrame(f).lazy(),
        pa.Table.from_pandas,
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pick(rng, makes)(frame)
    except BaseException:
        return frame


def some_options(rng: np.random.Generator, n: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(int(rng.integers(0, 4))):
        name = pick(rng, OPTIONS)
        vectors = ("units", "groups", "counts", "sample_weight")
        if name in vectors and rng.random() < 0.5:
            found[name] = some_labels(rng, n)
        elif name in ("probabilities", "scores") and rng.random() < 0.6:
            shape = pick(rng, ((n,), (n, 3), (n, 2), (n, 1), (3, n)))
            found[name] = {model: rng.random(shape) for model in ("old", "new")}
        else:
            found[name] = pick(rng, ODD)
    return found


def call(rng: np.random.Generator) -> Any:
    """Judge something odd."""
    how = rng.random()
    if how < 0.1:
        given = {name: pick(rng, ODD) for name in PLAN if rng.random() < 0.3}
        return outcome(plan_gate, **{"disagreement": 0.1, **given})
    if how < 0.55:
        n = int(pick(rng, (0, 1, 2, 9, 12, 40)))
        labels = [some_labels(rng, n) if rng.random() < 0.9 else pick(rng, ODD) for _ in range(3)]
        return outcome(gate, *labels, **some_options(rng, n))
    options = some_options(rng, len(FRAME))
    options.setdefault("truth", "truth")
    if how < 0.75:
        columns = [name if rng.random() < 0.9 else pick(rng, ODD) for name in ("v1", "v2")]
        return outcome(gate, some_table(rng), *columns, **options)
    options.setdefault("key", "id")
    if rng.random() < 0.7:
        options.setdefault("prediction", pick(rng, ("v1", "v2")))
    return outcome(gate, some_table(rng), some_table(rng), **options)


def check_shown(found: Any) -> None:
    """Whatever comes out can be shown and written."""
    if isinstance(found, AdjudgeError):
        return
    assert str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    if hasattr(found, "to_junit"):
        assert found.tested
        assert all(check.reason for check in found.tested if check.status == "undecided" and not check.change)
        found.to_junit().encode()
        assert found.to_markdown()
        with contextlib.suppress(AdjudgeError):
            assert len(found.rows_of("right_wrong").rows) >= 0


@pytest.mark.full(keep=8)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_calls(block: int) -> None:
    for seed in range(block * CALLS // BLOCKS, (block + 1) * CALLS // BLOCKS):
        try:
            check_shown(call(np.random.default_rng([seed, 1])))
        except Exception as error:
            raise AssertionError(f"call {seed}") from error


# Files


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("gates"))
        # To build the commands takes longer than most that are tried here.
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield


FLAGS: dict[str, tuple[str, ...]] = {
    "--truth": ("truth", "v1", "none", ""),
    "--old": ("v1", "truth", "none", "id"),
    "--new": ("v2", "v1", "none", "country"),
    "--margin": (
        "0.02",
        "2%",
        "x",
        "",
        "accuracy=0.1",
        "=",
        "accuracy=",
        "recall[churn]=2%",
        "recall[=1",
        "-1",
        "1e999",
    ),
    "--indices": (
        "accuracy",
        "f1,ami",
        "recall[churn]",
        "recall[a,b]",
        "recall[",
        ",",
        "none",
        "log_loss",
        "",
    ),
    "--superior": ("accuracy", "none", "recall[stay]"),
    "--equivalent": ("f1", "none", ","),
    "--max-broken": ("5", "0.1", "3%", "churn=2", "churn=x", "x", "=", "-1", "1" * 400, "nan"),
    "--units": ("ward", "id", "none", "truth"),
    "--by": ("country", "country,device", "none", "v1", ","),
    "--confidence": ("0.9", "95", "x", "nan", "0.5"),
    "--smallest-group": ("0", "20", "-1", "x", "1" * 400),
    "--kind": ("classification", "clustering", "multilabel", "x"),
    "--missing": ("drop", "raise", "x"),
    "--probabilities": ("v1,v2", "v*", "id,ward", "none", "*,*"),
    "--positive": ("churn", "gone", "1"),
    "--key": ("id", "none", "ward"),
    "--prediction": ("v1", "v2", "none", "truth", "id"),
    "--against": ("f.csv", "other.csv", "none.csv", "."),
    "--format": ("table", "json", "csv", "markdown", "junit", "latex"),
    "--output": ("o.json", "o.xml", "o.md", "o.bin", "f.csv", "no/o.csv", "."),
    "--broken": ("b.csv", "b.parquet", "b.txt", "f.csv", "no/b.csv"),
    "--fixed": ("b.csv", "x.parquet"),
    "--undecided": ("pass", "fail", "x"),
    "--settings": ("s.toml", "none.toml", "f.csv"),
    "--debugg": ("",),
}
SETTINGS = (
    "margin = 0.02", "margin = {f1 = 1}", "margin = 'x'", "by = ['country']", "by = 5", "x = 1", "[tool]", "tool = 1",
    "tool.adjudge = 5", "[tool.adjudge.gate]\nunits = 'ward'", "max_broken = {churn = '2%'}", "max_broken = nan",
    "confidence = inf", "against = ''", "\0", "truth = ''", "indices = ['recall[x']", "undecided = 'pass'", "=",
)  # fmt: skip


def some_file(rng: np.random.Generator, name: str) -> None:
    """Write a table, damaged in some way."""
    text = FRAME.to_csv(index=False)
    how = int(rng.integers(0, 9))
    if how == 0:
        text = text[: int(rng.integers(0, len(text)))]
    elif how == 1:
        text = text.replace(
            pick(rng, (",", "\n", "churn", "FR", "1", "id")), pick(rng, ("", '"', ";", "\n", "\0", "é,"))
        )
    elif how == 2:
        lines = text.splitlines()
        text = "\n".join([lines[0], *(pick(rng, lines) for _ in range(int(rng.integers(0, 50))))])
    elif how == 3:
        at = int(rng.integers(0, len(text)))
        text = text[:at] + str(rng.bytes(5)) + text[at:]
    elif how == 4:
        text = text.replace("stay", "").replace("DE", "NA")
    stored = text.encode()
    if how == 5:
        stored = rng.bytes(int(rng.integers(0, 300)))
    elif how == 6:
        stored = text.encode(pick(rng, ("utf-16", "utf-8-sig", "latin-1", "utf-32")))
    Path(name).write_bytes(stored)


def run(rng: np.random.Generator) -> tuple[int, str, str, list[str]]:
    """Run the command on files with flags that are mostly right."""
    some_file(rng, "f.csv")
    some_file(rng, "other.csv")
    Path("s.toml").write_text("\n".join(pick(rng, SETTINGS) for _ in range(int(rng.integers(0, 3)))))
    Path("gate.toml").write_text(pick(rng, SETTINGS) if rng.random() < 0.2 else "")
    given = {"--truth": "truth"}
    if rng.random() < 0.3:
        given |= {"--against": "other.csv", "--key": "id", "--prediction": "v2"}
    else:
        given |= {"--old": "v1", "--new": "v2"}
    for _ in range(int(rng.integers(0, 5))):
        flag = pick(rng, list(FLAGS))
        given[flag] = pick(rng, FLAGS[flag])
    arguments = ["gate", "f.csv", *(f"{flag}={value}" for flag, value in given.items())]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue(), arguments


@pytest.mark.full(keep=6)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_files(block: int) -> None:
    for seed in range(block * CALLS // BLOCKS, (block + 1) * CALLS // BLOCKS):
        code, out, err, arguments = run(np.random.default_rng([seed, 2]))
        assert code in (0, 1, 2, 3), (seed, code, err, arguments)
        assert "Traceback" not in err, (seed, err)
        lines = err.splitlines()
        assert all(line.startswith("adjudge: ") and line.isprintable() for line in lines), (
            seed,
            err,
            arguments,
        )
        if code == 2:
            assert out == "", (seed, out)
            assert err.endswith("\n"), (seed, err)
            # What was noticed while the file was read may stand before the error.
            assert lines, seed
