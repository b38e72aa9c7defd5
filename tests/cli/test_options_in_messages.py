"""Errors and notices name only options that the command, or the function, has; and models by one name at all doors."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import adjudge
from adjudge.cli import app
from adjudge.errors import AdjudgeError
from gates import CLASSES, gate_probabilities, gate_rows

ROWS = gate_rows(120)
PROBABILITIES = {name: gate_probabilities(ROWS, name) for name in ("v1", "v2")}

#: By the name of a command: what a call of it begins with, and how it names models.
COMMANDS = {
    "gate": ("--truth {truth}", "--old {one} --new {other}"),
    "compare": ("--truth {truth}", "--models {one},{other}"),
    "report": ("--truth {truth} --output page.html", "--models {one},{other}"),
    "evaluate": ("--truth {truth}", "--pred {one},{other}"),
    "raters": ("", "--raters {one},{other}"),
    "benchmark": ("--truth {truth} --dataset country", "--models {one},{other}"),
}
USUAL = {"truth": "truth", "one": "v1", "other": "v2"}
#: Columns in the place of the usual ones, and further options.
MISTAKES: list[tuple[Mapping[str, str], str]] = [
    ({"other": "unknown_names"}, ""),
    ({"other": "gap"}, ""),
    ({"other": "empty"}, ""),
    ({"other": "unsure"}, ""),
    ({"other": "share"}, ""),
    ({"other": "nothing"}, ""),
    ({"other": "v1"}, ""),
    ({"truth": "empty"}, ""),
    ({"truth": "share"}, ""),
    ({"truth": "constant"}, ""),
    ({"truth": "number"}, ""),
    ({"one": "", "other": ""}, ""),
    ({}, "--classes a,b"),
    ({}, "--positive gone"),
    ({}, "--probabilities bad_*,v2_*"),
    ({}, "--probabilities v1_churn,v2_churn"),
    ({}, "--probabilities nothing_*"),
    ({}, "--kind multilabel"),
    ({}, "--kind clustering --positive churn"),
    ({}, "--kind clustering --probabilities v1_*,v2_*"),
    ({}, "--kind clustering --by country"),
    *(
        ({}, f"--indices {name}")
        for name in ("roc_auc", "brier_score", "dunn", "modularity", "gone", "fleiss_kappa")
    ),
    *(({}, f"--by {name}") for name in ("nothing", "share", "gap")),
    *(({}, f"--units {name}") for name in ("nothing", "gap")),
    ({}, "--weight negative"),
    ({}, "--confidence 2"),
    ({}, "--level interval"),
    ({}, "--score gone"),
    ({}, "--max-broken gone=2"),
    ({}, "--margin gone=2"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows")
    frame = ROWS.assign(
        unknown_names=ROWS.truth.map({"stay": "x", "churn": "y", "move": "z"}),
        gap=ROWS.v1.where(ROWS.index > 3),
        unsure=ROWS.v1.where(ROWS.index > 3, "unsure"),
        empty=None,
        share=np.linspace(0, 1, len(ROWS)),
        number=np.arange(len(ROWS)) % 3,
        constant="stay",
        negative=-1.0,
        **{
            f"{model}_{label}": matrix[:, i] * factor
            for model, matrix, factor in (
                *((name, own, 1) for name, own in PROBABILITIES.items()),
                ("bad", PROBABILITIES["v1"], 3),
            )
            for i, label in enumerate(sorted(CLASSES))
        },
    )
    frame.to_csv(path / "rows.csv", index=False)
    frame.to_parquet(path / "rows.parquet")
    return path


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_only_its_own_options(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, shell: Any
) -> None:
    monkeypatch.chdir(folder)
    program = typer.main.get_command(app)
    flags = {flag for own in program.commands[command].params for flag in own.opts}  # type: ignore[attr-defined]
    begins, models = COMMANDS[command]
    for file in ("rows.csv", *(["rows.parquet"] if command in ("gate", "compare") else [])):
        for columns, more in MISTAKES:
            if {own for own in shlex.split(more) if own.startswith("--")} - flags:
                continue
            words = f"{begins} {models if columns.get('one', 'v1') else ''} {more}".format(
                **(USUAL | columns)
            )
            said = shell(command, file, *shlex.split(words), code=None).err
            assert "unexpected" not in said, words
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said))
            assert named <= flags | {"--debug", "--help"}, said
            assert not re.search(r"(?<![\w.])[a-z_]+=(?![A-Z=])", said), said


def _called(verb: str, truth: Any, one: Any, other: Any, options: dict[str, Any]) -> Any:
    if verb == "gate":
        return adjudge.gate(truth, one, other, **options)
    options = {
        name: own["old"] if verb == "evaluate" and isinstance(own, dict) else own
        for name, own in options.items()
    }
    if verb == "evaluate":
        return adjudge.evaluate(truth, one, **options)
    if verb == "benchmark":
        return adjudge.benchmark({"rows": (truth, {"old": one, "new": other})}, **options)
    own: Callable[..., Any] = getattr(adjudge, verb)
    return own(truth, {"old": one, "new": other}, **options)


def _sentences(verb: str, *given: Any) -> list[str]:
    try:
        return [str(notice.text) for notice in getattr(_called(verb, *given), "warnings", ())]
    except AdjudgeError as error:
        return [str(error)]


@pytest.mark.parametrize("verb", ["gate", "compare", "report", "evaluate", "benchmark"])
def test_a_function_names_only_its_own_options(verb: str) -> None:
    truth, one, other = (list(ROWS[name]) for name in ("truth", "v1", "v2"))
    shares = {"old": PROBABILITIES["v1"], "new": PROBABILITIES["v2"]}
    mistakes: list[tuple[list[Any], dict[str, Any]]] = [
        ([truth, ["x", *"yz" * 30, "x"][: len(one)] + one[61:], ["x"] * len(one)], {}),
        ([truth, one[:50], other], {}),
        ([truth[:50], one, other], {}),
        ([truth, [None, *one[1:]], other], {}),
        ([[None, *truth[1:]], one, other], {}),
        ([[None] * len(one), one, other], {}),
        ([truth, ["unsure", *one[1:]], other], {}),
        ([np.arange(len(one)) % 3, one, other], {}),
        ([truth, "v1", other], {}),
        ([truth, [0.25] * len(one), other], {}),
        *(
            ([truth, one, other], options)
            for options in (
                {"classes": ["a", "b"]},
                {"positive": "gone"},
                {"kind": "multilabel"},
                {"kind": "clustering", "positive": "churn"},
                {"kind": "clustering", "groups": one},
                {"indices": "roc_auc"},
                {"indices": "brier_score"},
                {"indices": "dunn"},
                {"indices": "modularity"},
                {"indices": "gone"},
                {"probabilities": {name: own * 3 for name, own in shares.items()}},
                {"probabilities": {name: own[:, 0] for name, own in shares.items()}},
                {"probabilities": {name: own[:9] for name, own in shares.items()}},
                {"groups": one[:9]},
                {"units": one[:9]},
                {"sample_weight": [-1.0] * len(one)},
                {"missing": "gone"},
                {"confidence": 2},
            )
        ),
    ]
    function = getattr(adjudge, verb)
    own = {*inspect.signature(function).parameters}
    if verb == "report":  # passes the others on
        own |= {*inspect.signature(adjudge.compare).parameters}
    text = inspect.getdoc(function) or ""
    for vectors, options in mistakes:
        for said in _sentences(verb, *vectors, options):
            if "has no option" in said:
                continue
            for name in re.findall(r"(?<![\w.(\"'])([A-Za-z_]+)=(?!=)", said):
                assert name in own or f"`{name}`" in text, said


@pytest.mark.parametrize("file", ["rows.csv", "rows.parquet"])
def test_a_gate_names_columns_in_its_errors(folder: Path, file: str) -> None:
    with pytest.raises(AdjudgeError, match=r"column 'gap' has .*missing"):
        adjudge.gate(folder / file, truth="truth", old="v1", new="v2", groups="gap")
    with pytest.raises(AdjudgeError, match="no column 'v9'"):
        adjudge.gate(folder / file, truth="truth", old="v9", new="v2")
    with pytest.raises(AdjudgeError, match="every label of the truth is missing"):
        adjudge.gate(folder / file, truth="empty", old="v1", new="v2")
