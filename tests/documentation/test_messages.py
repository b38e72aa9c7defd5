"""What the package says to its users: all of it is listed, and it reads well in Python and on the command line."""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import main
from adjudge.cli.messages import one_line
from adjudge.errors import Argument, Call, InputError, MissingExtraError, Option, Position, Row
from adjudge.results.notice import Notice

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "adjudge"

# Drop-in functions speak with scikit-learn's words; the command line calls none of them.
OF_OTHERS = "metrics"
KEYWORD = re.compile(r"(?<![\w.'/&?-])[a-z]\w*=(?!=)")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


@cache
def tool() -> Any:
    """The script that lists messages."""
    path = ROOT / "tools" / "list_messages.py"
    spec = importlib.util.spec_from_file_location("list_messages", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def listed() -> tuple[Any, ...]:
    """All messages."""
    return tuple(tool().messages())


@pytest.mark.full
def test_every_error_that_is_raised_is_listed() -> None:
    raising = re.compile(r"\braise (?:\w+\.)*(\w+Error)\(")
    found = {(message.path, message.line) for message in listed()}
    missing = [
        f"{path}:{number}"
        for path in sorted(SOURCE.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if raising.search(line) and (path.relative_to(SOURCE), number) not in found
    ]
    assert not missing
    assert len(found) > 800


@pytest.mark.full
def test_notices_and_help_texts_are_listed() -> None:
    sorts = {message.sort for message in listed()}
    assert sorts == {"error", "notice", "warning", "note", "help"}
    texts = {message.text for message in listed()}
    assert "Show the traceback of an error." in texts
    assert any("counts as a cluster" in text and "‹'noise', 'drop'›" in text for text in texts)
    assert any(text.startswith("Judge clusterings and classifiers") for text in texts)


def test_a_listed_message_has_its_place_and_pieces(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "HINT = 'give one'\n"
        "def f(name):\n"
        "    raise InputError(Argument(name), f' has {n} rows, ', Option('noise', 'drop'), ': ' + HINT)\n",
        encoding="utf-8",
    )
    (message,) = tool().messages(tmp_path)
    assert str(message) == "module.py:3: error: ‹name› has {n} rows, ‹'noise', 'drop'›: give one"
    assert message.plain == " has  rows, : give one"


@pytest.mark.full
def test_no_message_names_a_keyword_or_a_flag_as_plain_text() -> None:
    """What Python and the command line write differently is a piece, which each words in its own way."""
    wrong = []
    for message in listed():
        text, room = message.plain, message.path.parts[0]
        if room == OF_OTHERS:
            continue
        if room == "cli":  # values of options may be of the form NAME=VALUE
            text = re.sub(
                r"\b(truth|COL|min_cluster_size|n_clusters|eps|min_samples|accuracy|f1|churn|CLASS|tree|min_points)=",
                "",
                text,
            )
        elif FLAG.search(text):
            wrong.append(str(message))
        if KEYWORD.search(text):
            wrong.append(str(message))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("parts", "in_python", "on_the_command_line"),
    [
        ((Option("noise", "drop"),), "noise='drop'", "--noise drop"),
        ((Option("memory_limit", 5),), "memory_limit=5", "--memory-limit 5"),
        ((Option("exact", True),), "exact=True", "--exact"),
        ((Option("kind", "a b"),), "kind='a b'", "--kind 'a b'"),
        ((Option("sample"), " is short"), "sample= is short", "--sample is short"),
        ((Argument("labels_true"), " is empty"), "labels_true is empty", "column 'a' is empty"),
        ((Argument("labels_pred"), " is missing"), "labels_pred is missing", "--pred is missing"),
        (("a gap ", Position(3)), "a gap at position 3", "a gap in row 4 of the data"),
        (("a gap ", Row(3)), "a gap in row 3", "a gap in row 4 of the data"),
        (("a gap ", Row(3, 0)), "a gap in row 3, column 0", "a gap in row 4 of the data, column 1"),
        (("a gap ", Row(3, "x")), "a gap in row 3, column 'x'", "a gap in row 4 of the data, column 'x'"),
        (("use ", Call("choose_k")), "use choose_k()", "use 'adjudge choose-k'"),
        (("names are data: noise='drop'",), "names are data: noise='drop'", "names are data: noise='drop'"),
    ],
)
def test_pieces_are_worded_for_each(parts: tuple[Any, ...], in_python: str, on_the_command_line: str) -> None:
    error = InputError(*parts)
    assert str(error) == in_python
    assert one_line(error, {"labels_true": "column 'a'"}) == on_the_command_line
    notice = Notice("code", "found", parts)
    assert str(notice) == f"warning: found: {in_python}"


def test_an_option_without_a_flag_keeps_its_name_in_python() -> None:
    error = InputError(Option("n_clusters", 3), " is more than the 2 points")
    assert one_line(error, flags={"--k"}) == "n_clusters=3 is more than the 2 points"
    assert one_line(error, flags={"--n-clusters"}) == "--n-clusters 3 is more than the 2 points"


def test_a_command_names_only_flags_that_it_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("a,b\n1,1\n2,2\n", encoding="utf-8")
    judged = [str(path), "--truth", "a", "--pred", "b"]
    assert main(["evaluate", *judged, "--kind", "classification", "--adjust"]) == 2
    assert "pass --kind clustering" in capsys.readouterr().err
    assert main(["evaluate", *judged, "--indices", "silhouette"]) == 2
    assert "--labels and --columns" in capsys.readouterr().err


def test_errors_keep_their_pieces_when_pickled() -> None:
    import pickle

    function = Option("metric", lambda a, b: 0.0)
    for error in (InputError(function, " is wrong"), MissingExtraError("p", "e", Option("engine", "torch"))):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert one_line(again) == one_line(error)


# Words that made readers read a sentence twice, with what to write instead.
HABITS = {
    r"\bso many\b": "this many",
    r"\bgo(es)? with\b": "needs, belongs to",
    r"\btaken for\b": "treated as, assumed to be",
    r"\b(to be|is|are) had\b": "exists, can be computed",
    r"\bsuch a one\b": "such an index",
    r"\bwhat is no\b|\bwhich is no\b|\bare none of\b|\bis none of\b": "is not a, is not among",
    r"\b(Raise|Warn|None|nan) where\b": "if",
    r", for (it|they|there) (is|are|has|have)\b": "because",
    r"\b(row|column|line|label) an? (instance|model|label|line|point|class|data set|index|score|pair)\b": "per",
    r"\b[Nn]othing but\b": "only",
    r"\bof so (few|many|much)\b|\bby so much\b": "of this many",
    r"\bforet(ell|old)\b by\b": "predicted by",
}
NOT_OURS = {"kernels", "metrics"}  # measured code, and scikit-learn's words


def prose() -> dict[str, str]:
    """Everything that a reader of the package sees, by the path of its file."""
    pages = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    pages += [
        p for p in (ROOT / "docs").rglob("*.md") if not {"_build", "benchmarks", "papers.md"} & set(p.parts)
    ]
    source = [p for ending in ("*.py", "*.j2") for p in SOURCE.rglob(ending)]
    source = [p for p in source if p.relative_to(SOURCE).parts[0] not in NOT_OURS]
    return {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in (*pages, *source)}


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("habit", HABITS)
def test_nobody_has_to_read_a_sentence_twice(habit: str) -> None:
    found = [
        f"{path}:{number}: {line.strip()}  ({HABITS[habit]})"
        for path, text in prose().items()
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(habit, line)
    ]
    assert not found, "\n".join(found)


def test_the_habits_would_be_seen() -> None:
    seen = (
        "Up to so many rows.",
        "--pair goes with --rows",
        "a label that is taken for noise",
        "indices are not to be had so",
        "such a one is an error",
        "For what is no number.",
        "Raise where it is empty.",
        "refused, for it is empty",
        "one row an instance",
        "it holds nothing but noise",
        "a difference of so much",
        "201 s foretold by plan",
    )
    assert len(seen) == len(HABITS)
    for sentence, habit in zip(seen, HABITS, strict=True):
        assert re.search(habit, sentence), habit
