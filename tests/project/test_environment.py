"""Surroundings that a program meets: nothing writable, no terminal, no home, another locale."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge

SOURCE = Path(adjudge.__file__).parent
CALL = (
    "import adjudge as j\n"
    "print(j.adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2]), j.calinski_harabasz([[0.], [1], [5]], [0, 0, 1]))"
)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    base = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**base, "PYTHONPATH": str(SOURCE.parent), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.full
@pytest.mark.parametrize(("locale", "utf8"), [("C", "0"), ("C", "1"), ("de_DE.ISO8859-1", "0")])
def test_other_locales(tmp_path: Path, locale: str, utf8: str) -> None:
    # Without UTF-8 such a locale has no name for a file outside of ASCII.
    table = tmp_path / ("größe.csv" if utf8 == "1" else "size.csv")
    table.write_text("Größe,naïve\nγ,1\nγ,1\nδ,2\n", encoding="utf-8")
    output = table.with_suffix(".json")
    arguments = ["evaluate", str(table), "--truth=Größe", "--pred=naïve", "--indices=rand"]
    code = f"import sys; from adjudge.cli import main; sys.exit(main({arguments!a}))"
    done = run(code, LC_ALL=locale, PYTHONUTF8=utf8, PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0, done.stderr
    assert b"1.0000" in done.stdout
    code = f"import sys; from adjudge.cli import main; sys.exit(main({[*arguments, '-o', str(output)]!a}))"
    assert run(code, LC_ALL=locale, PYTHONUTF8=utf8, PYTHONCOERCECLOCALE="0").returncode == 0
    assert "naïve" in output.read_text(encoding="utf-8")


@pytest.mark.full
def test_no_terminal_and_no_home(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,1\n2,2\n")
    arguments = ["evaluate", str(table), "--truth=a", "--pred=b", "--indices=rand"]
    code = f"import sys; from adjudge.cli import main; sys.exit(main({arguments!r}))"
    done = run(code, HOME="/nonexistent", TERM="dumb", COLUMNS="1")
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
    closed = run("import sys; sys.stderr = None\n" + CALL)
    assert closed.returncode == 0


@pytest.mark.full
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_full_disk(tmp_path: Path, form: str) -> None:
    """Output that has no room: one line, and no traceback."""
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,1\n2,2\n")
    arguments = ["evaluate", str(table), "--truth=a", "--pred=b", "--indices=rand", f"--format={form}"]
    for more, where in (([], "/dev/full"), (["--output=/dev/full"], os.devnull)):
        code = f"import sys; from adjudge.cli import main; sys.exit(main({[*arguments, *more]!r}))"
        with open(where, "w") as out:
            done = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                timeout=120,
                check=False,
            )
        assert done.returncode in (1, 2), done.stderr
        assert done.stderr.startswith("adjudge: ")
        assert "cannot write" in done.stderr
        assert "No space left" in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.full
def test_closed_streams(tmp_path: Path) -> None:
    """Without a standard input, output or error, as in a service."""
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,1\n2,2\n")
    output = tmp_path / "out.json"
    arguments = ["evaluate", str(table), "--truth=a", "--pred=b", "--indices=rand", "-o", str(output)]
    code = f"import sys; from adjudge.cli import main; sys.exit(main({arguments!r}))"
    shell = f"{sys.executable} -c {shlex.quote(code)} <&- >&- 2>&-"
    done = subprocess.run(
        shell, shell=True, env={**os.environ, "PYTHONPATH": str(SOURCE.parent)}, check=False
    )
    assert done.returncode == 0
    assert output.is_file()
