"""No option that writes may name a file that is read, or that another option writes: by whatever name."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

import adjudge
from adjudge.atomic import write_together
from adjudge.cli import app, main
from adjudge.cli.written_files import READ, WRITTEN
from adjudge.errors import InputError
from cases import each

TABLE = "id,t,p,q,x,y\n" + "".join(
    f"{i},{i % 2},{i * 7 % 3 % 2},{i % 2},{i % 2 + i / 90},{i / 7}\n" for i in range(24)
)
SCORES = "dataset,a,b\n" + "".join(f"d{i},{i / 10},{i / 10 + 0.01}\n" for i in range(5))
EDGES = "from,to\n" + "".join(f"{i},{(i + 2) % 24}\n" for i in range(24))
LIST = "\n".join("ab"[i % 2] for i in range(24)) + "\n"
FILES = {"f.csv": TABLE, "s.csv": SCORES, "edges.csv": EDGES, "truth.txt": LIST, "pred.txt": LIST}

LABELS, MODELS, XY = (
    ["--truth", "t", "--pred", "p"],
    ["--truth", "t", "--models", "p,q"],
    ["--columns", "x,y"],
)
GATE = ["gate", "f.csv", "--truth", "t", "--old", "q", "--new", "p", "--kind", "classification"]
GRAPH = ["f.csv", "--labels", "p,q", "--graph", "edges.csv", "--id", "id"]
RUNS = [
    *(["evaluate", "f.csv", *LABELS, option, "f.csv"] for option in ("-o", "--report")),
    ["evaluate", "f.csv", "--labels", "p", *XY, "--checkpoint", "f.csv"],
    ["evaluate", *GRAPH, "--report", "edges.csv"],
    ["evaluate", "truth.txt", "--pred", "pred.txt", "-o", "pred.txt"],
    ["evaluate", "truth.txt", "--pred", "pred.txt", "--report", "pred.txt"],
    ["compare", "f.csv", *MODELS, "-o", "f.csv"],
    ["compare", "f.csv", *MODELS, "--rows", "right_wrong", "-o", "f.csv"],
    ["compare", "truth.txt", "--models", "pred.txt", "-o", "pred.txt"],
    *([*GATE, option, "f.csv"] for option in ("-o", "--report", "--broken", "--fixed", "--history")),
    [*GATE, "--settings", "s.toml", "--report", "s.toml"],
    [*GATE, "--report", "pyproject.toml"],
    *(["choose", "f.csv", "--labels", "p,q", *XY, option, "f.csv"] for option in ("-o", "--report")),
    ["choose", *GRAPH, "--report", "edges.csv"],
    *(["choose-k", "f.csv", *XY, "--k", "2:3", option, "f.csv"] for option in ("-o", "--report")),
    ["cluster-tests", "f.csv", *XY, "--report", "f.csv"],
    ["report", "f.csv", *MODELS, "-o", "f.csv"],
    ["raters", "f.csv", "--raters", "p,q", "-o", "f.csv"],
    ["plan", "f.csv", "--labels", "p", "-o", "f.csv"],
    *(["benchmark", "s.csv", option, "s.csv"] for option in ("-o", "--latex", "--report", "--figure")),
    ["--load", "own.py", "benchmark", "s.csv", "--report", "own.py"],
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("s.toml").write_text("margin = 0.1\n")
    Path("pyproject.toml").write_text("[tool.adjudge.gate]\nmargin = 0.1\n")
    Path("own.py").write_text("A = 1\n")


def names_of(path: str) -> list[str]:
    """Other names of a file: the absolute one, one by way of a folder, a symbolic link, and a second name."""
    Path("in").mkdir(exist_ok=True)
    for name in ("link", "chain", "second"):
        Path(name).unlink(missing_ok=True)
    Path("link").symlink_to(path)
    Path("chain").symlink_to("link")
    os.link(path, "second")
    return [path, str(Path(path).absolute()), f"in/../{path}", "link", "chain", "second"]


@each("arguments", RUNS)
def test_an_input_is_never_written_over(arguments: list[str], run: Callable[..., str]) -> None:
    *given, option, path = arguments
    before = Path(path).read_bytes()
    for name in names_of(path):
        said = run(*given, option, name, code=2)
        long = {"-o": "--output"}.get(option, option)
        assert said == f"{long} {name} is a file that is read: name another one"
        assert Path(path).read_bytes() == before
        assert Path("second").samefile(path)


def test_what_is_read_in_other_ways(run: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    table = adjudge.compare([0, 1] * 9, {"a": [0, 1] * 9, "b": [1, 1] * 9}, kind="classification")
    table.save("earlier.adjudge", instances=True)
    assert "--output earlier.adjudge is a file that is read" in run(
        "report f.csv", *MODELS, "--against", "earlier.adjudge", "-o", "earlier.adjudge", code=2
    )
    Path("s.toml").write_text('against = "old.csv"\nkey = "id"\n')
    Path("old.csv").write_text(TABLE)
    given = shlex.split("gate f.csv --truth t --prediction p --settings s.toml --report old.csv")
    assert "old.csv is a file that is read" in run(*given, code=2)
    assert Path("old.csv").read_text() == TABLE
    # Standard input, redirected from the file.
    with Path("f.csv").open("rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        run("evaluate", "-", *LABELS, "--report", "f.csv", code=2)
    assert Path("f.csv").read_text() == TABLE


def test_parts_of_a_folder_and_of_a_pattern(run: Callable[..., str]) -> None:
    pl = pytest.importorskip("polars")
    Path("parts").mkdir()
    for part in ("1", "2"):
        pl.read_csv("f.csv").write_parquet(f"parts/{part}.parquet")
    for where in ("parts", "parts/*.parquet"):
        given = ["compare", where, *MODELS, "--rows", "right_wrong", "-o", "parts/2.parquet"]
        assert "is a file that is read" in run(*given, code=2)
        given = ["compare", where, *MODELS, "--rows", "right_wrong", "-o", "parts/new.parquet"]
        said = run(*given, code=2)
        assert said == (
            f"--output parts/new.parquet would be one of the files that are read from {where!r}: name another one"
        )
        assert sorted(p.name for p in Path("parts").glob("*.parquet")) == ["1.parquet", "2.parquet"]
        # What is no part may lie there, and is written anew.
        for _ in range(2):
            assert main(["evaluate", where, *LABELS, "-o", "parts/found.json"]) == 0


@each(
    "arguments",
    [
        ["evaluate", "f.csv", *LABELS, "-o", "{0}", "--report", "{1}"],
        ["evaluate", "f.csv", "--labels", "p", *XY, "--checkpoint", "{0}", "--report", "{1}"],
        ["choose-k", "f.csv", *XY, "--k", "2:3", "--report", "{0}", "-o", "{1}"],
        ["benchmark", "s.csv", "--latex", "{0}", "--report", "{1}"],
        [*GATE, "--report", "{0}", "-o", "{1}"],
    ],
)
def test_two_outputs_are_two_files(arguments: list[str], run: Callable[..., str]) -> None:
    Path("old.txt").write_text("old")
    for names in (("new.txt", "new.txt"), ("new.txt", f"{Path('new.txt').absolute()}"), *(
        ("old.txt", name) for name in names_of("old.txt")
    ),):  # fmt: skip
        said = run(*(word.format(*names) for word in arguments), code=2)
        assert said.endswith("too: name another one"), said
        assert not Path("new.txt").exists()
        assert Path("old.txt").read_text() == "old"


def test_a_column_and_a_device_are_no_files_to_lose() -> None:
    # A file that is called like a column is not read.
    for _ in range(2):
        assert main(["evaluate", "f.csv", *LABELS, "-o", "p"]) == 0
    assert "accuracy" in Path("p").read_text() or "rand" in Path("p").read_text()
    assert main(["evaluate", "f.csv", *LABELS, "-o", os.devnull, "--report", os.devnull, "-f", "json"]) == 0


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs streams with names")
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "link"])
def test_a_result_goes_into_a_pipe_and_behind_what_a_file_has(name: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "f.csv").write_text(TABLE)
    typed = shlex.join([sys.executable, "-m", "adjudge", "evaluate", "f.csv", *LABELS, "-f", "csv"])
    how: dict[str, Any] = {"cwd": tmp_path, "check": True, "capture_output": True, "text": True}
    (plain, piped, _) = (
        subprocess.run(["bash", "-c", own], **how).stdout
        for own in (
            f"{typed} | cat",
            f"{typed} -o {name} -o beside.csv | cat",
            f"(echo above; {typed} -o {name}; echo below) > whole.txt",
        )
    )
    assert piped == plain == (tmp_path / "beside.csv").read_text()
    assert (tmp_path / "whole.txt").read_text() == f"above\n{plain}below\n"
    assert (tmp_path / "link").is_symlink()
    assert not (tmp_path / "-").exists()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs streams with names")
def test_files_are_there_though_a_reader_leaves(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    files: list[tuple[str | Path, str]] = [(f"/dev/fd/{writing}", "lost"), (tmp_path / "kept", "kept")]
    with pytest.raises(BrokenPipeError):
        write_together(files)
    os.close(writing)
    assert (tmp_path / "kept").read_text() == "kept"
    with pytest.raises(InputError, match=rf"cannot write '/dev/fd/{writing}': Bad file descriptor"):
        write_together(files)


def test_every_option_that_names_a_file_reads_or_writes_it() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    named = {
        parameter.name
        for command in commands.values()
        for parameter in command.params
        if (parameter.metavar or "").upper() in ("FILE", "DIR", "FOLDER", "PATH")
    }
    assert named <= {*READ, *WRITTEN}, f"say of {named - {*READ, *WRITTEN}} whether it reads or writes"


def test_the_same_holds_in_python() -> None:
    given = {"truth": "t", "kind": "classification"}
    for name in names_of("f.csv"):
        with pytest.raises(InputError) as caught:
            adjudge.report("f.csv", ["p", "q"], output=name, **given)  # type: ignore[arg-type]
        assert str(caught.value) == f"output={name!r} is a file that is read: name another one"
    found = adjudge.evaluate("f.csv", truth="t", pred="p", kind="classification")
    with pytest.raises(InputError, match=r"'f.csv' is there, and is no saved result"):
        found.save("f.csv")
    assert Path("f.csv").read_text() == TABLE
    Path("empty").touch()
    for path in ("run.adjudge", "run.adjudge", "empty"):
        found.save(path)
    assert adjudge.load("run.adjudge") == found


def test_a_page_replaces_no_other_kind_of_file(run: Callable[..., str]) -> None:
    Path("notes.txt").write_text("mine\n")
    for arguments in (
        ["evaluate", "f.csv", *LABELS, "--report"],
        ["report", "f.csv", *MODELS, "--features", "x,y", "-o"],
        [*GATE, "--report"],
    ):
        said = run(*arguments, "notes.txt", "--kind", "classification", code=2)
        assert said == "'notes.txt' is there, and is no HTML page: name another file, or remove it first"
        assert Path("notes.txt").read_text() == "mine\n"
