"""Damaged, strange and hostile files and arguments: exit code 0 or 2, one line, and no traceback."""

from __future__ import annotations

import csv
import functools
import gzip
import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer.main
from hypothesis import given
from hypothesis import strategies as st

from adjudge.cli import main
from profiles import examples

few = examples(25)
some = examples(40)

GOOD = "x,y,label,a,b\n0,0,cat,0,1\n1,0,cat,0,0\n9,8,dog,1,1\n8,9,dog,1,1\n7,9,dog,1,0\n"


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("hostile")
        patch.chdir(place)
        # To build the commands takes longer than most that are tried here.
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        patch.setattr("adjudge.files.text._WORTH_POLARS", 0)  # small files stand for large ones
        Path("good.csv").write_text(GOOD)
        yield place


def run(*arguments: str) -> tuple[int, str]:
    """Run a command; whatever happens, it ends well or by one line about the user's input."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(arguments))
    said = err.getvalue()
    assert code in (0, 2), (code, said)
    assert "Traceback" not in said
    if code == 2 and said:
        assert said.startswith("adjudge: ")
        assert said.endswith("\n")
        # What was noticed while the file was read may stand before the error.
        assert all(line.startswith("adjudge: ") and line.isprintable() for line in said.splitlines()), said
    return code, out.getvalue() if code == 0 else said


def judge(path: str, *columns: str) -> None:
    """Read a file by every command that reads one; names of columns are guesses."""
    first, second = (*columns, "label", "a")[:2]
    run("evaluate", path, f"--truth={first}", f"--pred={second}", "--indices=rand")
    run("evaluate", path, f"--labels={second}", "--indices=calinski_harabasz")
    run("compare", path, f"--truth={first}", f"--models={second}", "--kind=clustering")
    run("choose-k", path, "--k=2:3", "--indices=trace_w", "--seed=0")
    run("plan", path, f"--labels={second}", "--indices=trace_w")


def judge_by_engines(path: str, *columns: str) -> None:
    """Read a table by DuckDB and in memory: what both can read is the same to both."""
    truth, pred = (*columns, "label", "a")[:2]
    command = ("evaluate", path, f"--truth={truth}", f"--pred={pred}", "--indices=rand", "--format=json")
    streamed, read = (run(*command, f"--engine={engine}") for engine in ("duckdb", "memory"))
    if streamed[0] == read[0] == 0:
        assert streamed == read
    rows = ("--rows=both_right", f"--pair={truth},{pred}", "--output=rows.csv")
    run("compare", path, f"--truth={truth}", f"--models={truth},{pred}", "--kind=classification", *rows)


files = st.one_of(
    st.binary(max_size=120),
    st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.text(alphabet='ab,;\t"\n\r\0 0123.-é=', max_size=80).map(str.encode),
    st.sampled_from(["utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "utf-7", "utf-8-sig"]).map(
        lambda encoding: GOOD.replace("cat", "chât").encode(encoding)
    ),
    st.integers(0, len(GOOD)).map(lambda n: GOOD[:n].encode()),
    st.tuples(st.integers(0, len(GOOD)), st.binary(max_size=6)).map(
        lambda change: GOOD[: change[0]].encode() + change[1] + GOOD[change[0] :].encode()
    ),
)
names = st.sampled_from(
    ["file.csv", "file.tsv", "file.txt", "file", "file.csv.gz", "file.parquet", "file.arrow", "file.feather"]
)


@pytest.mark.full
@some
@given(content=files, name=names)
def test_any_bytes(content: bytes, name: str) -> None:
    Path(name).write_bytes(content)
    judge(name)
    header = content.split(b"\n")[0].decode("utf-8", "replace").split(",")
    judge(name, header[0], header[-1])


@examples(15)
@given(content=files, name=st.sampled_from(["file.csv", "file.tsv"]))
def test_any_bytes_by_both_engines(content: bytes, name: str) -> None:
    Path(name).write_bytes(content)
    header = content.split(b"\n")[0].decode("utf-8", "replace").split(",")
    judge_by_engines(name, header[0], header[-1])


@pytest.mark.full
@few
@given(
    cut=st.floats(0, 1),
    flip=st.none() | st.floats(0, 1),
    kind=st.sampled_from(["parquet", "ipc", "gz", "arrows"]),
)
def test_damaged_binary_files(cut: float, flip: float | None, kind: str) -> None:
    frame = pl.read_csv(GOOD.encode())
    stream = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(stream)
    elif kind == "ipc":
        frame.write_ipc(stream)
    elif kind == "arrows":
        frame.write_ipc_stream(stream)
    else:
        stream.write(gzip.compress(GOOD.encode(), mtime=0))
    content = bytearray(stream.getvalue())
    if flip is not None:
        content[int(flip * (len(content) - 1))] ^= 0xFF
    else:
        content = content[: int(cut * len(content))]
    name = {"parquet": "d.parquet", "ipc": "d.arrow", "arrows": "d.arrows", "gz": "d.csv.gz"}[kind]
    Path(name).write_bytes(content)
    judge(name)


HEADERS = {
    "duplicate": "label,label,a\n0,1,1\n1,1,0\n",
    "empty names": ",,\n1,2,3\n2,1,2\n",
    "blanks": " label , a\n0,1\n1,1\n",
    "header only": "label,a\n",
    "ragged": "label,a\n1\n1,2,3\n",
    "unclosed quote": 'label,a\n"1,2\n3,4\n',
    "quote inside": 'label,a\n1"2,3\n1,3\n',
    "line ends in fields": 'label,a\n"x\ny",1\n"x\r\ny",2\n',
    "escapes": "label,a\n\x1b[31mred,1\nblue,2\n",
    "right to left": "label,a\n\u202e1,1\n2,2\n",
    "old Mac": "label,a\r1,2\r2,2\r",
    "huge field": f"label,a\n{'x' * 300_000},1\ny,2\n",
    "huge integer": f"label,a\n{'9' * 5000},1\n1,2\n",
    "huge coordinates": "x,label,a\n1e200,0,0\n-1e200,1,1\n0,0,0\n5,1,1\n",
    "tiny coordinates": "x,label,a\n1e-200,0,0\n-1e-200,1,1\n0,0,0\n2e-200,1,1\n",
    "infinite": "x,label,a\ninf,0,0\n1,1,1\n0,0,0\n",
    "hexadecimal": "x,label,a\n0x10,0,0\n1,1,1\n0,0,0\n",
    "NUL": "label,a\n\0,1\n1,2\n",
    "only NULs": "\0" * 50,
    "only line ends": "\n\n\n",
    "only a comma": ",",
}


@pytest.mark.full(keep=4)
@pytest.mark.parametrize("kind", HEADERS)
def test_strange_tables(kind: str) -> None:
    Path("strange.csv").write_bytes(HEADERS[kind].encode())
    judge("strange.csv")
    judge("strange.csv", "", " ")
    run("report", "strange.csv", "--truth=label", "--models=a", "--kind=clustering", "-o", "strange.html")


@pytest.mark.full
def test_ten_thousand_columns() -> None:
    width = 10_000
    rows = [[f"c{i}" for i in range(width)], *([str((i * r) % 3) for i in range(width)] for r in range(4))]
    Path("wide.csv").write_text("\n".join(",".join(row) for row in rows))
    code, said = run("evaluate", "wide.csv", "--truth=c1", "--pred=c2", "--indices=rand", "--format=csv")
    assert code == 0
    code, said = run("evaluate", "wide.csv", "--truth=missing", "--pred=c2")
    assert code == 2
    assert len(said) < 1000
    code, said = run("compare", "wide.csv", "--truth=c1", "--models=c2,c3", "--kind=clustering")
    assert code == 0
    # Whole numbers under the name of the labels, but for a number, are taken for labels of others, unless all are.
    code, said = run("evaluate", "wide.csv", "--labels=c1", "--indices=trace_w")
    assert code == 0
    assert len(said) < 1000
    code, said = run("evaluate", "wide.csv", "--labels=c1", "--columns=c?*", "--indices=trace_w")
    assert code == 0
    assert len(said) < 1000


@few
@given(name=st.text(alphabet="=+-@\t\r\"',;|1A()!'\n", min_size=1, max_size=6))
def test_no_formula_in_exported_tables(name: str) -> None:
    stream = io.StringIO()
    csv.writer(stream).writerows([["truth", name, "q"], [1, 1, 2], [1, 2, 2], [2, 2, 1]])
    Path("formula.csv").write_bytes(stream.getvalue().encode())
    quoted = name.replace('"', '""')
    commands = (
        ("compare", "formula.csv", "--truth=truth", f'--models="{quoted}",q', "--kind=classification"),
        ("evaluate", "formula.csv", "--truth=truth", f'--pred="{quoted}"', "--indices=rand"),
    )
    for command in commands:
        code, out = run(*command, "--format=csv")
        if code:
            continue
        for row in csv.reader(io.StringIO(out, newline="")):
            for cell in row:
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or _is_number(cell), cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


OPTIONS = (
    "--truth", "--pred", "--labels", "--columns", "--metric", "--kind", "--indices", "--confidence", "--seed",
    "--compat", "--missing", "--noise", "--noise-label", "--engine", "--format", "--models", "--rows",
    "--pair", "--k", "--estimator", "--stability", "--title", "--features", "--text", "--images", "--sample-size",
    "--checkpoint", "--n-jobs", "--plot", "--output", "-o",
)  # fmt: skip
FLAGS = ("--adjust", "--exact", "--standardize", "--help", "--version", "--list")
values = st.sampled_from(
    [
        "label",
        "a",
        "b",
        "x,y",
        "",
        ",",
        '"',
        "rand",
        "all",
        "-1",
        "0",
        "1e999",
        "nan",
        "0.95",
        "clustering",
        "\x1b[0m",
        "2:3",
        "9:2",
        "kmeans",
        "duckdb",
        "json",
        "=1",
    ]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@some
@given(
    command=st.sampled_from(
        [
            "evaluate",
            "compare",
            "choose-k",
            "report",
            "plan",
            "indices",
            "demo",
            "reproduce",
            "nonsense",
            "-h",
        ]
    ),
    options=st.lists(st.tuples(st.sampled_from(OPTIONS), values), max_size=4),
    flags=st.lists(st.sampled_from(FLAGS), max_size=1),
    file=st.sampled_from(
        ["good.csv", "no such file", ".", "", "*.parquet", "\0", "C:\\data\\file.csv", "x" * 300]
    ),
)
def test_any_arguments(command: str, options: list[tuple[str, str]], flags: list[str], file: str) -> None:
    run(command, file, *flags, *(f"{name}={value}" for name, value in options))
    # Whatever was written beside it: the table itself stays as it is.
    assert Path("good.csv").read_text() == GOOD


@pytest.mark.parametrize(
    "path", ["C:\\data\\file.csv", "..\\file.csv", "\\\\server\\share\\file.csv", "con", "a:b.csv"]
)
def test_paths_of_other_systems(path: str) -> None:
    code, said = run("evaluate", path, "--truth=label", "--pred=a")
    assert code == 2
    assert "there is no file" in said
    code, said = run("evaluate", "good.csv", "--truth=label", "--pred=a", "--output", path)
    assert code == 0  # a backslash is a letter of a name here
    assert Path(path).is_file()
    Path(path).unlink()


@few
@given(
    name=st.sampled_from(
        ["", "nonsense", "biswas", "biswas-clusterin", "--list", "-1", "all", "\0", "x" * 300]
    ),
    options=st.lists(
        st.tuples(
            st.sampled_from(
                [
                    *(
                        "--output",
                        "--labels",
                        "--data",
                        "--folder",
                        "--work",
                        "--device",
                        "--epochs",
                        "--datasets",
                    ),
                    *("--n-tables", "--repetitions", "--random-state", "--nonsense"),
                ]
            ),
            values,
        ),
        max_size=3,
    ),
)
def test_experiments_that_there_are_not(name: str, options: list[tuple[str, str]]) -> None:
    run("reproduce", name, *(f"{option}={value}" for option, value in options))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("biswas-clustering", ["--labels=nonsense"]),
        ("biswas-clustering", ["--epochs=3"]),
        ("biswas-deep", ["--data=nonsense"]),
        ("biswas-deep", ["--data=fashion-mnist"]),
        ("biswas-deep", ["--data=birds", "--folder=nowhere"]),
        ("biswas-deep", ["--trained", "--work=nowhere"]),
        ("biswas-deep", ["--epochs=0"]),
        ("biswas-deep", ["--device=nonsense"]),
        ("amorim-cardoso", ["--datasets=0"]),
        ("amorim-cardoso", ["--n-tables=-1"]),
        ("amorim-cardoso", ["--random-state=-1"]),
        ("desgraupes", ["--repetitions=0"]),
        ("desgraupes", ["--output=good.csv"]),
    ],
)
def test_experiments_with_options_that_there_are_not(name: str, options: list[str]) -> None:
    code, said = run("reproduce", name, *options)
    assert code == 2, said
    assert sorted(path.name for path in Path(".").glob("good*")) == ["good.csv"]


@pytest.mark.parametrize("output", ["", ".", "nowhere/report.html", "good.csv/report.html", "x" * 300, "\0"])
def test_demo_says_first_that_its_report_has_no_place(output: str) -> None:
    assert run("demo", f"--output={output}")[0] == 2
