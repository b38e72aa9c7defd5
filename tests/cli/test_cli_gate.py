"""The command `adjudge gate`: exit codes, what is written and where, and that it says what the library says."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.cli import main
from gates import CLASSES, gate_probabilities, gate_rows

PLAIN, PLANTED = gate_rows(600), gate_rows(600, planted=True)
SHARED = ["--truth", "truth", "--old", "v1", "--new", "v2"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, frame in (("plain", PLAIN), ("planted", PLANTED)):
        frame.to_csv(f"{name}.csv", index=False)
        frame.to_parquet(f"{name}.parquet")


@pytest.fixture
def gate(shell: Any) -> Any:
    """Run the command, whatever its verdict; return its exit code, and what it wrote."""

    def call(command: str, *arguments: str) -> Any:
        return shell(f"gate {command}", *arguments, code=None)

    return call


def broken(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[(frame.v1 == frame.truth) & (frame.v2 != frame.truth)]


# Exit codes


def test_exit_codes_are_those_of_the_verdict(gate: Any) -> None:
    for given, code, word in (
        (["plain.csv", "--margin", "0.05"], 0, "PASS"),
        (["planted.csv", "--margin", "0.01", "--by", "country"], 1, "FAIL"),
        (["plain.csv", "--margin", "0.008"], 3, "UNDECIDED"),
    ):
        found, out, err = gate(*given, *SHARED)
        assert found == code
        assert out.startswith(f"{word}: ")
        assert not err


@pytest.mark.parametrize(("how", "code"), [("undecided", 3), ("pass", 0), ("fail", 1)])
def test_the_exit_code_of_undecided_may_be_another(gate: Any, how: str, code: int) -> None:
    found, out, _ = gate("plain.csv", *SHARED, "--margin", "0.008", "--undecided", how)
    assert found == code
    assert out.startswith("UNDECIDED: ")
    assert gate("plain.csv", *SHARED, "--margin", "0.05", "--undecided", how)[0] == 0
    assert gate("planted.csv", *SHARED, "--margin", "0", "--undecided", how)[0] == 1


@pytest.mark.full(keep=6)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("--old v9", "'plain.csv' has no column 'v9'"),
        ("--margin x", "--margin 'x' is neither a number nor a percentage such as 2%"),
        ("--margin 0.1,0.2", "--margin has 2 values: give one, or one for each index as NAME=VALUE"),
        ("--margin accuracy=0.1,0.2", "--margin '0.2': write NAME=VALUE for each"),
        ("--margin =0.1", "--margin '=0.1': write NAME=VALUE for each"),
        ("--margin nan", "--margin nan is not a number from 0 up"),
        ("--margin -0.1", "--margin -0.1 is not a number from 0 up"),
        ("--max-broken x", "--max-broken 'x' is neither a number nor a percentage such as 2%"),
        ("--max-broken -1", "--max-broken -1 is neither a whole number of instances nor a share"),
        ("--max-broken gone=1", "--max-broken has 'gone', which is not among the classes: churn, move, stay"),
        ("--confidence 95", "--confidence 95.0 is not between 0.5 and 1"),
        ("--confidence nan", "--confidence nan is not between 0.5 and 1"),
        ("--smallest-group -1", "--smallest-group -1: a whole number of at least 0 is needed"),
        ("--indices nosuch", "nosuch"),
        ("--key id", "--key is of two tables: name the old model's with --against"),
        ("--prediction v1", "--prediction is of two tables: name the old model's with --against"),
        ("--against planted.csv", "--old is a column of one table"),
        ("--against planted.csv --key id", "--old is a column of one table: with --against"),
        (
            "--probabilities v1",
            "--probabilities has 1 pattern for 2 models: give one for each, in their order, or name the models that "
            "have them, as in 'old=COL'",
        ),
        ("--settings none.toml", "--settings 'none.toml': there is no such file"),
        ("--broken b.xlsx", "'b.xlsx' must end in one of .csv, .parquet"),
        ("--broken plain.csv", "--broken plain.csv is a file that is read: name another one"),
        ("--output plain.csv", "--output plain.csv is a file that is read"),
        ("--output no/such/o.json", "no/such"),
        (
            "--output o.xyz",
            "--output 'o.xyz' must end in one of .txt, .json, .csv, .md, .markdown, .tex, .xml: give",
        ),
        ("--output o.html", "--output 'o.html' is a page: --report writes it"),
        ("--broken b.csv --fixed b.csv", "--fixed b.csv is the file of --broken, too: name another one"),
        ("--nosuch x", "No such option: --nosuch"),
        ("--undecided maybe", "Invalid value for '--undecided'"),
        ("--format xml", "Invalid value for '--format'"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(run: Any, given: str, words: str) -> None:
    # What comes last wins.
    assert words in run("gate plain.csv", *SHARED, *shlex.split(given), code=2)
    assert not [path for path in Path().iterdir() if path.name.partition(".")[0] not in ("plain", "planted")]


def test_a_file_that_is_not_there_or_not_named(run: Any) -> None:
    assert "there is no file 'none.csv'" in run("gate none.csv", *SHARED, code=2)
    assert "Missing argument 'FILE'" in run("gate", *SHARED, code=2)


def test_an_error_of_the_program_is_70(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise RuntimeError("of the program")

    monkeypatch.setattr(adjudge, "gate", fail)
    found = run("gate", "plain.csv", *SHARED, code=70)
    assert found == "unexpected RuntimeError: of the program (--debug shows where)"

    def run_out(*args: Any, **options: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(adjudge, "gate", run_out)
    assert run("gate", "plain.csv", *SHARED, code=70).startswith("out of memory")
    # Of other commands it is what it was.
    monkeypatch.setattr(adjudge, "compare", fail)
    assert "unexpected RuntimeError" in run(
        "compare plain.csv --truth truth --models v1,v2 --kind classification --engine memory", code=1
    )


@pytest.mark.full
def test_the_program_itself_returns_the_code() -> None:
    command = [sys.executable, "-m", "adjudge", "gate", "planted.csv", *SHARED, "--margin", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL: ")


def test_a_job_whose_result_goes_to_a_file_logs_the_verdict(gate: Any) -> None:
    given = ["planted.csv", *SHARED, "--margin", "0"]
    lines = adjudge.gate(PLANTED, "v1", "v2", truth="truth", margin=0).sentences()
    said = "".join(f"adjudge: {line}\n" for line in lines)
    for name in ("o.xml", "o.json", "o.txt"):
        assert gate(*given, "-o", name) == (1, "", said)
    assert gate(*given, "-f", "markdown")[2] == ""


@pytest.mark.full
def test_a_redirected_result_leaves_the_verdict_in_the_log() -> None:
    command = [sys.executable, "-m", "adjudge", "gate", "planted.csv", *SHARED]
    command += shlex.split("--margin 0 -f markdown")
    with Path("summary.md").open("a", encoding="utf-8") as summary:
        done = subprocess.run(command, stdout=summary, stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr.startswith("adjudge: FAIL: the new model may not replace the old one.\n")
    assert Path("summary.md").read_text(encoding="utf-8").startswith("## Gate: FAIL")
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""
    with Path("log.txt").open("w", encoding="utf-8") as log:
        subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, text=True, check=False)
    assert (
        Path("log.txt").read_text(encoding="utf-8").count("the new model may not replace the old one.") == 1
    )


# What the library says


def of_library(frame: pd.DataFrame, **options: Any) -> list[dict[str, Any]]:
    options.setdefault("margin", 0.03)
    stored: list[dict[str, Any]] = adjudge.gate(frame, "v1", "v2", truth="truth", **options).to_dict()[
        "checks"
    ]
    return stored


CASES: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--by", "country"], {"groups": "country"}),
    (["--by", "country,device"], {"groups": ["country", "device"]}),
    (["--by", "country", "--by", "device"], {"groups": ["country", "device"]}),
    (["--units", "ward"], {"units": "ward"}),
    (["--margin", "2%"], {"margin": "2%"}),
    (["--margin", "accuracy=0.02,recall[churn]=3%"], {"margin": {"accuracy": 0.02, "recall[churn]": "3%"}}),
    (["--margin", "accuracy=0.02", "--margin", "f1=1%"], {"margin": {"accuracy": 0.02, "f1": "1%"}}),
    (["--indices", "accuracy,recall[churn]"], {"indices": ["accuracy", "recall[churn]"]}),
    (["--indices", "f1", "--superior", "accuracy"], {"indices": ["f1"], "superior": ["accuracy"]}),
    (["--equivalent", "accuracy,f1"], {"equivalent": ["accuracy", "f1"]}),
    (["--max-broken", "5"], {"max_broken": 5}),
    (["--max-broken", "0.02"], {"max_broken": 0.02}),
    (["--max-broken", "2%"], {"max_broken": 0.02}),
    (["--max-broken", "churn=5,stay=0.03"], {"max_broken": {"churn": 5, "stay": 0.03}}),
    (["--confidence", "0.9"], {"confidence": 0.9}),
    (["--by", "country", "--smallest-group", "200"], {"groups": "country", "smallest_group": 200}),
    (["--kind", "classification"], {"kind": "classification"}),
]


@pytest.mark.full(keep=3)
@pytest.mark.parametrize(("flags", "options"), CASES)
def test_the_command_line_says_what_the_library_says(
    gate: Any, flags: list[str], options: dict[str, Any]
) -> None:
    margin = [] if "--margin" in flags else ["--margin", "0.03"]
    _, out, _ = gate("planted.parquet", *SHARED, *margin, *flags, "--format", "json")
    stored = json.loads(out)
    assert stored["file"] == "planted.parquet"
    assert stored["checks"] == of_library(PLANTED, **options)


@pytest.mark.full
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_two_tables_in_any_order(gate: Any, ending: str) -> None:
    old = PLANTED[["id", "truth", "country", "v1"]].rename(columns={"v1": "said"})
    new = PLANTED[["v2", "id"]].rename(columns={"v2": "said"}).sample(frac=1, random_state=0)
    for frame, name in ((old, "old"), (new, "new")):
        if ending == "csv":
            frame.to_csv(f"{name}.csv", index=False)
        else:
            frame.to_parquet(f"{name}.parquet")
    given = [
        f"new.{ending}",
        "--against",
        f"old.{ending}",
        *shlex.split("--key id --truth truth --margin 0.03"),
    ]
    _, out, _ = gate(*given, "--by", "country", "--format", "json")
    assert json.loads(out)["checks"] == of_library(PLANTED, groups="country")
    assert json.loads(gate(*given, "--prediction", "said", "--format", "json")[1])["checks"] == of_library(
        PLANTED
    )
    new[1:].to_csv("fewer.csv", index=False)
    code, _, err = gate("fewer.csv", *given[1:])
    assert code == 2
    assert "1 key of " in err
    assert err.endswith("leave such rows out with --missing drop\n")
    code, _, err = gate("fewer.csv", *given[1:], "--missing", "drop")
    assert code in (0, 1, 3)
    assert (
        err == "adjudge: warning: 1 row without a partner in the other table is left out\n" or "1 row" in err
    )


def test_probabilities_are_patterns_or_columns(gate: Any) -> None:
    frame = PLANTED.copy()
    for model, column in (("a", "v1"), ("b", "v2")):
        p = gate_probabilities(frame, column)
        for i, name in enumerate(sorted(CLASSES)):
            frame[f"{model}_{name}"] = p[:, i]
    frame.to_parquet("p.parquet")
    columns = {m: {name: f"{p}_{name}" for name in sorted(CLASSES)} for m, p in (("old", "a"), ("new", "b"))}
    expected = adjudge.gate(frame, truth="truth", probabilities=columns, margin=0.03).to_dict()["checks"]
    _, out, _ = gate("p.parquet --truth truth --probabilities a_*,b_* --margin 0.03 -f json")
    assert json.loads(out)["checks"] == expected
    for table in ("p.parquet", frame):
        patterns = {"old": "a_*", "new": "b_*"}
        found = adjudge.gate(table, truth="truth", probabilities=patterns, margin=0.03)
        assert found.to_dict()["checks"] == expected
    with pytest.raises(adjudge.InputError, match=r"probabilities='c_\*' matches no column, such as 'id'"):
        adjudge.gate(frame, truth="truth", probabilities={"old": "a_*", "new": "c_*"})
    assert [own["name"] for own in expected] == ["accuracy", "balanced_accuracy", "log_loss"]
    frame["churned"] = np.where(frame["truth"] == "churn", "yes", "no")
    frame.to_parquet("q.parquet")
    given = ["q.parquet", "--truth", "churned", "--probabilities", "a_churn,b_churn", "--positive", "yes"]
    _, out, _ = gate(*given, "--indices", "roc_auc", "--format", "json")
    alone = adjudge.gate(
        frame,
        truth="churned",
        probabilities={"old": "a_churn", "new": "b_churn"},
        positive="yes",
        indices=["roc_auc"],
    )
    assert json.loads(out)["checks"] == alone.to_dict()["checks"]
    old = frame[["id", "truth", "a_churn", "a_move", "a_stay"]].rename(
        columns=lambda name: name.replace("a_", "p_")
    )
    new = frame[["id", "b_churn", "b_move", "b_stay"]].rename(columns=lambda name: name.replace("b_", "p_"))
    old.to_parquet("old.parquet")
    new[::-1].to_parquet("new.parquet")
    _, out, _ = gate(
        "new.parquet --against old.parquet --key id --truth truth --probabilities p_* --margin 0.03 --format json"
    )
    assert [own["status"] for own in json.loads(out)["checks"]] == [own["status"] for own in expected]


def test_one_model_may_have_labels_alone(gate: Any) -> None:
    frame, classes = gate_rows(900, planted=True), sorted(CLASSES)
    p = gate_probabilities(frame, "v2")
    frame = frame.assign(**{f"p_{name}": p[:, i] for i, name in enumerate(classes)})
    frame.to_csv("one.csv", index=False)
    said = "only labels were given of {}, so there is no Log loss"
    assert said.format("old") in gate("one.csv", *SHARED, "--probabilities", "new=p_*")[2]
    frame[["id", "truth", "v1"]].rename(columns={"v1": "said"}).to_csv("first.csv", index=False)
    frame.drop(columns=["truth", "v1"]).rename(columns={"v2": "said"}).to_csv("second.csv", index=False)
    joined = ["--truth", "truth", "--key", "id", "--prediction", "said", "--probabilities", "p_*"]
    assert said.format("old") in gate("second.csv", "--against", "first.csv", *joined)[2]
    assert said.format("new") in gate("first.csv", "--against", "second.csv", *joined)[2]


def test_decimal_commas(gate: Any) -> None:
    frame = PLANTED.copy()
    frame["churned"] = np.where(frame["truth"] == "churn", "yes", "no")
    for i, column in enumerate(("v1", "v2")):
        frame[f"p{i}"] = gate_probabilities(frame, column)[:, 0].round(4)
    frame.to_csv("point.csv", index=False)
    frame.to_csv("comma.csv", index=False, sep=";", decimal=",")
    given = ["--truth", "churned", "--probabilities", "p0,p1", "--positive", "yes", "--format", "json"]
    expected = json.loads(gate("point.csv", *given)[1])["checks"]
    assert (
        json.loads(gate("comma.csv", *given, "--decimal", ",", "--broken", "b.csv")[1])["checks"] == expected
    )
    assert pd.read_csv("b.csv")["p0"].isin(frame["p0"]).all()
    Path("gate.toml").write_text('decimal = ","', encoding="utf-8")
    assert json.loads(gate("comma.csv", *given)[1])["checks"] == expected
    Path("gate.toml").unlink()
    code, _, err = gate("comma.csv", *given)
    assert code == 2
    assert err.endswith("a decimal comma? --decimal , reads it\n")
    with pytest.raises(adjudge.InputError, match=r"comma\? pandas.read_csv\(..., decimal=','\) reads it"):
        adjudge.gate("comma.csv", truth="churned", probabilities={"old": "p0", "new": "p1"}, positive="yes")
    for name, key in (("old", "p0"), ("new", "p1")):
        part = frame[["id", "churned", key]].rename(columns={key: "p"})
        part.to_csv(f"{name}.csv", index=False, sep=";", decimal=",")
    given[3:4] = ["p", "--against", "old.csv", "--key", "id", "--decimal", ","]
    assert json.loads(gate("new.csv", *given)[1])["checks"] == expected


def test_clusterings(gate: Any) -> None:
    frame = PLANTED.replace({"stay": 1, "churn": 2, "move": 3})
    frame.to_csv("c.csv", index=False)
    code, out, _ = gate("c.csv", *SHARED, "--kind", "clustering", "--margin", "0.02", "--format", "json")
    assert json.loads(out)["checks"] == of_library(frame, kind="clustering", margin=0.02)
    assert code == 1
    code, _, err = gate("c.csv", *SHARED, "--kind", "clustering", "--max-broken", "5")
    assert code == 2
    assert err.startswith("adjudge: --max-broken counts instances")


# What is written


def test_rows_that_broke_are_written(gate: Any) -> None:
    given = ["planted.csv", *SHARED, "--margin", "0.03"]
    code, _, err = gate(*given, "--broken", "b.csv", "--fixed", "f.parquet")
    assert code in (0, 1, 3)
    expected = broken(PLANTED).reset_index(drop=True)
    found = pd.read_csv("b.csv")
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    fixed = PLANTED[(PLANTED.v1 != PLANTED.truth) & (PLANTED.v2 == PLANTED.truth)]
    assert pd.read_parquet("f.parquet")["id"].tolist() == fixed["id"].tolist()
    assert (
        err
        == f"adjudge: {len(expected)} rows written to b.csv\nadjudge: {len(fixed)} rows written to f.parquet\n"
    )
    # Whatever the verdict, and also if none broke.
    PLAIN.assign(v2=PLAIN["v1"]).to_csv("same.csv", index=False)
    gate("same.csv", *SHARED, "--broken", "none.csv", "--fixed", "none.parquet")
    assert Path("none.csv").read_text() == ",".join(PLAIN.columns) + "\n"
    assert list(pd.read_parquet("none.parquet").columns) == list(PLAIN.columns)


@pytest.mark.full
def test_formats_and_their_endings(gate: Any) -> None:
    given = ["planted.csv", *SHARED, "--by", "country"]
    expected = adjudge.gate(PLANTED, "v1", "v2", truth="truth", groups="country")
    forms = {
        "o.json": ("json", lambda text: json.loads(text)["verdict"] == expected.verdict),
        "o.csv": ("csv", lambda text: text == expected.checks.csv()),
        "o.md": ("markdown", lambda text: text == expected.to_markdown()),
        "o.xml": ("junit", lambda text: text == expected.to_junit()),
        "o.txt": ("table", lambda text: text.startswith("\n".join(expected.sentences()))),
        "o.tex": ("latex", lambda text: text.startswith(f"% {expected.sentences()[0]}")),
    }
    for name, (form, is_it) in forms.items():
        code, out, _ = gate(*given, "--output", name)
        assert (code, out) == (1, "")
        stored = Path(name).read_text()
        assert is_it(stored)
        _, out, _ = gate(*given, "--format", form)
        assert out == stored
        _, _, _ = gate(*given, "--format", form, "--output", "any.dat")
        assert Path("any.dat").read_text() == stored


def test_junit_is_xml(gate: Any) -> None:
    code, out, _ = gate("planted.csv", *SHARED, "--by", "country", "--format", "junit")
    suite = Xml.fromstring(out.encode())
    assert (code, suite.attrib["tests"]) == (1, "8")
    failed = [case.attrib["name"] for case in suite.findall("testcase") if case.find("failure") is not None]
    assert "Accuracy in FR" in failed
    assert len(failed) == int(suite.attrib["failures"])


def test_notices_are_on_the_other_stream(gate: Any) -> None:
    PLAIN[:20].to_csv("few.csv", index=False)
    code, out, err = gate("few.csv", *SHARED, "--format", "json")
    assert code == 3
    assert json.loads(out)["warnings"][0]["code"] == "few-units-for-a-margin"
    assert err.startswith("adjudge: with 10 to 30 units")
    assert err.count("\n") == 1


def test_missing_labels(gate: Any) -> None:
    holes = PLAIN.astype(object)
    holes.loc[3, "v2"] = None
    holes.to_csv("holes.csv", index=False)
    code, out, err = gate("holes.csv", *SHARED)
    assert (code, out) == (2, "")
    assert "pass --missing drop to leave such instances out" in err
    code, out, _ = gate("holes.csv", *SHARED, "--missing", "drop", "--margin", "0.03", "--format", "json")
    assert json.loads(out)["checks"] == of_library(PLAIN.drop(index=3))


@pytest.mark.full
def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "adjudge", "gate", "-", *SHARED, "--margin", "0.05"]
    done = subprocess.run(
        command, input=PLAIN.to_csv(index=False), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_rows_that_were_left_out_are_counted_wherever_the_result_is_shown(gate: Any) -> None:
    gaps = PLANTED.copy()
    gaps.loc[[3, 8], "truth"] = None
    gaps.loc[[8, 9, 20], "v2"] = None
    gaps.loc[[30, 31], "country"] = None
    said = "6 of the 600 rows are left out, without a label or a group"
    for name in ("gaps.csv", "gaps.parquet"):
        gaps.to_csv(name, index=False) if name.endswith("csv") else gaps.to_parquet(name)
        given = [name, *SHARED, "--missing", "drop", "--by", "country", "--report", "p.html"]
        assert f"adjudge: {said}\n" in gate(*given)[2]
        page = Path("p.html").read_text(encoding="utf-8")
        assert said in page
        assert f"From {name}." in page
        for form in ("markdown", "junit", "json"):
            assert said in gate(*given, "-f", form)[1]
    found = adjudge.gate(gaps, "v1", "v2", truth="truth", groups="country", missing="drop")
    assert found.warnings[0].text == said
    labels = gaps["truth"], gaps["v1"], gaps["v2"]
    weights = {"sample_weight": np.full(600, 7.5), "weights": "importance"}
    weighted = adjudge.gate(*labels, missing="drop", kind="classification", **weights)
    assert "4 of the 600 rows are left out, without" in str(weighted)
    noisy = adjudge.gate(*labels, missing="drop", noise="drop", noise_label="move", kind="clustering")
    n = int(pd.DataFrame(labels).isin([None, "move"]).any().sum())
    assert f"{n} of the 600 rows are left out, without a label, or as noise" in str(noisy)
    whole = adjudge.gate(PLANTED, "v1", "v2", truth="truth", missing="drop")
    assert "rows-left-out" not in [own.code for own in whole.warnings]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("-f markdown -o gate.json", "--format markdown does not fit --output 'gate.json': leave out"),
        ("-f junit -o gate.json", "--format junit does not fit --output 'gate.json': leave out"),
        ("-f json -o gate.xml", "--format json does not fit --output 'gate.xml': leave out"),
        ("-f json -o gate.json --output=gate.md", "--format json does not fit --output 'gate.md': leave out"),
        ("-o gate.md --output=./gate.md", "--output gate.md is the file of --output, too"),
        ("-o gate.md --output=no/gate.json", "cannot write 'no/gate.json': there is no folder"),
        ("-o gate.json -o gate.html", "--output 'gate.html' is a page: --report writes it"),
    ],
)
def test_a_file_holds_what_its_ending_says(
    given: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    """JSON files held Markdown, and of two outputs only the last one was written."""
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("label,v1,v2\n" + "a,a,a\nb,b,b\n" * 20)
    asked = ["gate", "p.csv", "--truth", "label", "--old", "v1", "--new", "v2"]
    assert said in run(*asked, *shlex.split(given), code=2)
    assert not [*tmp_path.glob("gate.*")]
    assert main([*asked, "-f", "markdown", "-o", "summary.txt"]) == 3


def test_one_run_writes_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Any) -> None:
    """A job that needed a summary and an artifact ran the gate twice."""
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("label,v1,v2\n" + "a,a,a\nb,b,b\n" * 20)
    asked = ["gate", "p.csv", "--truth", "label", "--old", "v1", "--new", "v2"]
    names = ["g.json", "g.md", "g.xml", "g.csv", "g.tex", "g.txt"]
    assert shell(*asked, *(word for name in names for word in ("-o", name)), code=3).out == ""
    for name, form in zip(names, ["json", "markdown", "junit", "csv", "latex", "table"], strict=True):
        assert Path(name).read_text() == shell(*asked, "-f", form, code=3).out
    Path("g.json").write_text("old")
    Path("g.md").write_text("old")
    monkeypatch.setattr(adjudge.Gate, "to_markdown", lambda own: 1 / 0)
    assert main([*asked, "-o", "g.json", "-o", "g.md"]) == 70
    assert Path("g.json").read_text() == "old"
    compared = ["compare", "p.csv", "--truth", "label", "--models", "v1,v2", "-o", "c.json", "-o", "c.csv"]
    assert main(compared) == 0
    assert json.loads(Path("c.json").read_text())["truth"] == "label"
    judged = ["evaluate", "p.csv", "--truth", "label", "--pred", "v1", "-o", "e.md", "-o", "e.json"]
    assert main(judged) == 0
    assert json.loads(Path("e.json").read_text())["kind"] == "evaluations"
    assert Path("e.md").read_text().startswith("###")


def test_rows_of_a_gate_have_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Any) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"label": ["a", "b"] * 50, "v1": ["a", "b"] * 50, "v2": ["a", "a"] + ["a", "b"] * 49}
    )
    frame["amount"] = rng.gamma(2, 1, 100)
    frame.to_csv("weighed.csv", index=False)
    asked = ["gate", "weighed.csv", "--truth", "label", "--old", "v1", "--new", "v2", "-f", "json"]
    told = json.loads(shell(*asked, "--weight", "amount", "--weights", "importance", code=None).out)
    wanted = adjudge.gate(
        frame, "v1", "v2", truth="label", sample_weight="amount", weights="importance", kind="classification"
    )
    assert told["checks"] == json.loads(json.dumps(wanted.to_dict()["checks"]))
