"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from adjudge.cli import main

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_python_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(blocks("python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, "README.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert runner.tries >= 10
    assert not runner.failures, "".join(said)


def shell_examples() -> list[tuple[str, str]]:
    (console,) = blocks("console")
    found = re.findall(r"^\$ adjudge (.*)\n((?:(?!\$).*\n)*)", console, re.MULTILINE)
    assert len(found) == console.count("$ adjudge")
    return found


@pytest.mark.parametrize(("command", "shown"), shell_examples())
def test_shell_examples(tmp_path, monkeypatch, capsys, command, shown):
    monkeypatch.chdir(tmp_path)
    (table,) = blocks("csv")
    Path("predictions.csv").write_text(table, encoding="utf-8")
    code = main(shlex.split(command))
    captured = capsys.readouterr()
    assert (captured.out + captured.err).strip() == shown.strip()
    assert code == (2 if shown.startswith("adjudge: ") else 0)


def test_commands_of_a_checkout_are_those_of_the_machine_that_tests():
    (said,) = [block for block in blocks("sh") if "make" in block]
    commands = re.findall(r"^(make \w+)", said, re.MULTILINE)
    assert commands == ["make demo", "make test"]
    assert TEXT.index(said) < len(TEXT) / 4
    targets = re.findall(r"^(\w+):", (README.parent / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert {command.split()[1] for command in commands} <= set(targets)
    for runs in (".ci/run", ".github/workflows/test.yml"):
        assert "make test\n" in (README.parent / runs).read_text("utf-8"), runs


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)", TEXT):
        assert target.startswith("https://") or (README.parent / target).exists(), target
