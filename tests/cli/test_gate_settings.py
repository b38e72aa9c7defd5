"""Settings of gates in gate.toml and pyproject.toml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import main
from adjudge.cli.gate import gate
from adjudge.errors import InputError
from conftest import raises_line
from gates import gate_rows

EVERYTHING = """\
truth = "truth"
old = "v1"
new = "v2"
key = "id"
prediction = "said"
positive = 1
units = "ward"
indices = ["accuracy", "recall[a,b]"]
superior = "f1"
equivalent = []
by = ["country", "device"]
probabilities = ["a_*", "b_*"]
against = "../old.csv"
kind = "classification"
missing = "drop"
confidence = 0.9
smallest-group = 20
undecided = "fail"
margin = {accuracy = 0.01, "recall[a,b]" = "2%"}
max_broken = 5
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gate_rows(300, planted=True).to_csv("t.csv", index=False)


def read_settings(path: Path | None) -> Any:
    return gate.settings.read(path)  # type: ignore[attr-defined]


def write(text: str, name: str = "gate.toml") -> Path:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


def test_every_setting() -> None:
    found = read_settings(write(EVERYTHING, "in/g.toml"))
    assert found.source == str(Path("in/g.toml"))
    assert found.values == {
        "truth": "truth",
        "old": "v1",
        "new": "v2",
        "key": "id",
        "prediction": "said",
        "positive": "1",
        "units": "ward",
        "indices": ["accuracy", "recall[a,b]"],
        "superior": ["f1"],
        "equivalent": [],
        "groups": ["country", "device"],
        "probabilities": ["a_*", "b_*"],
        "against": Path("in/../old.csv"),
        "kind": "classification",
        "missing": "drop",
        "confidence": 0.9,
        "smallest_group": 20,
        "undecided": "fail",
        "margin": ["accuracy=0.01", "recall[a,b]=2%"],
        "max_broken": ["5"],
    }
    assert 'by = ["country", "device"]' in found.words
    assert 'margin = {accuracy = 0.01, recall[a,b] = "2%"}' in found.words


def test_where_settings_are_looked_for() -> None:
    assert not read_settings(None).values
    write("[tool.other]\nx = 1\n[tool.adjudge.gate]\nmargin = 0.02\n", "pyproject.toml")
    assert read_settings(None).values == {"margin": ["0.02"]}
    assert read_settings(None).source == "pyproject.toml"
    write("margin = 0.03")
    assert (read_settings(None).source, read_settings(None).values) == ("gate.toml", {"margin": ["0.03"]})
    write("")
    assert read_settings(None).source == "pyproject.toml"
    write("[tool.adjudge.gate]\nmargin = 0.04\n", "other.toml")
    assert read_settings(Path("other.toml")).values == {"margin": ["0.04"]}


@pytest.mark.parametrize("text", ["", "[tool.other]\nx = 1\n", "not toml ["])
def test_another_tools_file_is_left_alone(text: str) -> None:
    write(text, "pyproject.toml")
    assert not read_settings(None).values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("margins = 0.1", "'gate.toml' has a setting 'margins', which is not known: did you mean 'margin'?"),
        ("zzz = 0.1", "'gate.toml' has a setting 'zzz', which is not known"),
        ("truth = 1.5", "'gate.toml': truth = 1.5 is of the wrong type"),
        ("truth = true", "'gate.toml': truth = true is of the wrong type"),
        ('truth = ["a"]', "'gate.toml': truth = [\"a\"] is of the wrong type"),
        ("indices = 5", "'gate.toml': indices = 5 is of the wrong type"),
        ("by = [1]", "'gate.toml': by = [1] is of the wrong type"),
        ("margin = true", "'gate.toml': margin = true is of the wrong type"),
        ("margin = [0.1]", "'gate.toml': margin = [0.1] is of the wrong type"),
        ("margin = {accuracy = [1]}", "'gate.toml': margin = {accuracy = [1]} is of the wrong type"),
        ("max_broken = 2020-01-01", "'gate.toml': max_broken = 2020-01-01 is of the wrong type"),
        (
            'kind = "ranking"',
            "'gate.toml': kind = \"ranking\" is not known: choose one of clustering, "
            "classification, multilabel, regression",
        ),
        ("missing = 1", "'gate.toml': missing = 1 is not known: choose one of raise, drop"),
        (
            'undecided = "maybe"',
            "'gate.toml': undecided = \"maybe\" is not known: choose one of undecided, pass, fail",
        ),
        ('confidence = "x"', "'gate.toml': confidence = \"x\" is of the wrong type"),
        ("smallest_group = 1.5", "'gate.toml': smallest_group = 1.5 is of the wrong type"),
        ("smallest_group = true", "'gate.toml': smallest_group = true is of the wrong type"),
        ("against = 5", "'gate.toml': against = 5 is of the wrong type"),
        (
            "[gate]\nmargin = 0.1",
            "'gate.toml' has a table [gate]: write the settings without a table, or in [tool.adjudge.gate]",
        ),
        (
            "margin = 0.1\n[tool.adjudge.gate]\nmax_broken = 5",
            "'gate.toml' has 'margin' outside of [tool.adjudge.gate], where it is not read: move it there",
        ),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    write(text)
    with raises_line(InputError, message):
        read_settings(None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[tool.adjudge.gates]\nmargin = 0.1",
            "a table [tool.adjudge.gates], which is not known: did you mean 'gate'?",
        ),
        (
            "[tool.adjudge.Gate]\nmargin = 0.1",
            "a table [tool.adjudge.Gate], which is not known: did you mean 'gate'?",
        ),
        (
            "[tool.Adjudge.gate]\nmargin = 0.1",
            "a table [tool.Adjudge], which is not known: did you mean 'adjudge'?",
        ),
        ("[tool.adjudge.zzz]\nmargin = 0.1", "a table [tool.adjudge.zzz], which is not known: only gate is"),
        (
            "[tool.adjudge]\nmax-broken = 5\n[tool.adjudge.gate]\nmargin = 0.1",
            "'max-broken' in [tool.adjudge], where nothing is read: move it to [tool.adjudge.gate]",
        ),
        (
            "[tool.adjudge]\nmax_brokn = 5",
            "a setting 'max_brokn' in [tool.adjudge], which is not known: did you mean 'max_broken'?",
        ),
        (
            "[tool.adjudge.margin]\naccuracy = 0.1",
            "'margin' in [tool.adjudge], where nothing is read: move it to [tool.adjudge.gate]",
        ),
        (
            "[adjudge.gate]\nmargin = 0.1",
            "[adjudge] outside of [tool.adjudge.gate], where it is not read: move it there",
        ),
    ],
)
def test_a_check_one_level_off_is_not_dropped(text: str, message: str) -> None:
    write(text, "pyproject.toml")
    with raises_line(InputError, f"'pyproject.toml' has {message}"):
        read_settings(None)


def test_a_damaged_pyproject_with_our_table_is_not_passed_over() -> None:
    for own in (b"[tool.adjudge.gate]\nmargin = ", "[tool.adjudge.gate]\nmargin = 1".encode("utf-16")):
        Path("pyproject.toml").write_bytes(own)
        with pytest.raises(InputError, match=r"'pyproject.toml' is no TOML file"):
            read_settings(None)


def test_a_byte_order_mark_is_read() -> None:
    for name, text in (
        ("gate.toml", "margin = 0.1"),
        ("pyproject.toml", "[tool.adjudge.gate]\nmargin = 0.1"),
    ):
        Path("gate.toml").unlink(missing_ok=True)
        Path(name).write_text(text, encoding="utf-8-sig")
        assert read_settings(None).values == {"margin": ["0.1"]}


def test_a_file_that_was_named_has_settings() -> None:
    with raises_line(InputError, "--settings 'none.toml': there is no such file"):
        read_settings(Path("none.toml"))
    for text in ("", "[tool.other]\nx = 1\n"):
        with pytest.raises(InputError, match=r"'e.toml' has no settings: write them as in margin = 0.01"):
            read_settings(write(text, "e.toml"))
    for text in ("margin = ", "\x00", "a = 1\na = 2"):
        with pytest.raises(InputError, match=r"'e.toml' is no TOML file"):
            read_settings(write(text, "e.toml"))
    Path("e.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"'e.toml' is no TOML file"):
        read_settings(Path("e.toml"))
    with pytest.raises(InputError, match="is no TOML file"):
        read_settings(Path())
    for text in ("[tool.adjudge]\ngate = 5\n", "tool = 5\n", "[tool]\nadjudge = 5\n"):
        with pytest.raises(InputError):
            read_settings(write(text, "e.toml"))


def checks(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = main(["gate", "t.csv", *arguments, "--format", "json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else {}, captured.err


@pytest.mark.parametrize("name", ["gate.toml", "pyproject.toml"])
def test_the_command_takes_its_settings_and_says_so(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    head = "[tool.adjudge.gate]\n" if name == "pyproject.toml" else ""
    write(f'{head}truth = "truth"\nold = "v1"\nnew = "v2"\nmargin = "2%"\nby = "country"\n', name)
    _, stored, err = checks(capsys)
    assert stored["settings"]["margin"] == "2%"
    assert {own["group"] for own in stored["checks"]} == {None, "DE", "FR", "IT"}
    assert err.startswith(
        f'adjudge: settings from {name}: truth = "truth", old = "v1", new = "v2", margin = "2%", by = "country"\n'
    )


def test_the_command_line_wins(capsys: pytest.CaptureFixture[str]) -> None:
    write('truth = "truth"\nold = "v1"\nnew = "v1"\nmargin = 0.2\nconfidence = 0.8\nundecided = "pass"\n')
    given = ["--new", "v2", "--margin", "0.015", "--confidence", "0.95", "--indices", "accuracy"]
    code, stored, _ = checks(capsys, *given, "--undecided", "undecided")
    assert stored["settings"]["margin"] == 0.015
    assert stored["confidence"] == 0.95
    assert stored["checks"][0]["new"] != stored["checks"][0]["old"]
    assert [own["name"] for own in stored["checks"]] == ["accuracy"]
    assert code == {"undecided": 3, "fail": 1, "pass": 0}[stored["verdict"]]
    # What was typed wins also if it is the default.
    assert checks(capsys, "--new", "v2", "--confidence", "0.95")[1]["confidence"] == 0.95
    assert checks(capsys, "--new", "v2")[1]["confidence"] == 0.8


BY_INDEX = """\
truth = "truth"
old = "v1"
new = "v2"
by = "country"
[margin]
accuracy = 0.3
"recall[churn]" = 0.001
"""


def test_a_typed_margin_does_not_remove_the_other_checks(capsys: pytest.CaptureFixture[str]) -> None:
    write(BY_INDEX)
    assert checks(capsys)[0] == 1
    code, stored, err = checks(capsys, "--margin", "accuracy=0.4,f1=0.2", "--by", "device")
    assert code == 1
    assert stored["settings"]["margin"] == {"accuracy": 0.4, "f1": 0.2, "recall[churn]": 0.001}
    assert err.splitlines()[0] == (
        'adjudge: settings from gate.toml: truth = "truth", old = "v1", new = "v2", margin = {recall[churn] = 0.001}; '
        'overridden by the command line: by = "country", margin = {accuracy = 0.3}'
    )
    # One number is the margin of all that the file names; if the indices are typed as well, of these.
    _, stored, err = checks(capsys, "--margin", "2%")
    assert stored["settings"]["margin"] == {"accuracy": "2%", "recall[churn]": "2%"}
    assert "overridden by the command line: margin = {accuracy = 0.3, recall[churn] = 0.001}\n" in err
    _, stored, _ = checks(capsys, "--margin", "0.02", "--indices", "f1")
    assert (stored["settings"]["margin"], stored["checks"][0]["name"]) == (0.02, "f1")


def test_settings_that_the_command_line_replaces_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    write('truth = "truth"\nsmallest-group = 20\nmax-broken = {churn = 5, stay = 9}\nmargin = 0.1\n')
    typed = ["--truth", "truth", "--old", "v1", "--new", "v2", "--smallest-group", "30"]
    _, stored, err = checks(capsys, *typed, "--max-broken", "churn=6", "--margin", "accuracy=0.2")
    assert (stored["settings"]["max_broken"], stored["settings"]["margin"]) == (
        {"churn": 6, "stay": 9},
        {"accuracy": 0.2},
    )
    assert err == (
        "adjudge: settings from gate.toml: max-broken = {stay = 9}; overridden by the command line: "
        'truth = "truth", smallest-group = 20, max-broken = {churn = 5}, margin = 0.1\n'
    )
    write('truth = "truth"\n')
    assert checks(capsys, *typed)[2].startswith("adjudge: settings from gate.toml: none; overridden by")


def test_a_table_that_settings_name_lies_beside_them(capsys: pytest.CaptureFixture[str]) -> None:
    frame = gate_rows(300)
    Path("in").mkdir()
    frame[["id", "truth", "v1"]].rename(columns={"v1": "said"}).to_csv("in/old.csv", index=False)
    frame[["id", "v2"]].rename(columns={"v2": "said"}).to_csv("t.csv", index=False)
    write('against = "old.csv"\nkey = "id"\ntruth = "truth"\nmargin = 0.05\n', "in/g.toml")
    code, stored, _ = checks(capsys, "--settings", "in/g.toml")
    assert (code, stored["verdict"]) == (0, "pass")


def test_wrong_settings_are_one_line_and_exit_code_2(run: Any) -> None:
    write("margins = 0.1")
    found = run("gate", "t.csv", "--truth", "truth", "--old", "v1", "--new", "v2", code=2)
    assert found == "'gate.toml' has a setting 'margins', which is not known: did you mean 'margin'?"
    other = write('margin = "x"', "o.toml")
    Path("gate.toml").unlink()
    assert (
        main(["gate", "t.csv", "--settings", str(other), "--truth", "truth", "--old", "v1", "--new", "v2"])
        == 2
    )


def test_a_key_of_the_settings_is_for_gates_that_need_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of settings for two tables was refused with one."""
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("id,label,v1,v2\n" + "".join(f"{i},a,a,a\n{i + 50},b,b,b\n" for i in range(50)))
    Path("gate.toml").write_text('truth = "label"\nkey = "id"\nmax_broken = 3\n')
    asked = ["gate", "p.csv", "--old", "v1", "--new", "v2"]
    assert main(asked) in (0, 3)
    assert "key of the settings is of two tables or of --history, and is not used" in capsys.readouterr().err
    assert main([*asked, "--key", "id"]) == 2
    said = "--key is of two tables: name the old model's with --against, or remember looks with --history"
    assert said in capsys.readouterr().err
    assert main([*asked, "--history", "h.adjudge"]) in (0, 3)
    assert "is not used" not in capsys.readouterr().err
