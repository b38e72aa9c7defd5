"""A program prints the same, character for character, whether it imports scikit-learn's metrics or ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge

pytest.importorskip("sklearn", minversion="1.9")

PROGRAM = Path(__file__).parent / "a_users_program.py"
SAYS = "from sklearn import metrics\n"


# All in one process, because importing scikit-learn takes longer than the program; the patch, which stays, comes last.
RUN = """
import io, json, sys
from contextlib import redirect_stdout

printed = []
for program in json.load(sys.stdin):
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


def printed(*programs: str) -> list[str]:
    source = str(Path(adjudge.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN],
        input=json.dumps(programs).encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert done.returncode == 0, done.stderr.decode()
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.full
def test_either_import_prints_the_same() -> None:
    program = PROGRAM.read_text("utf-8")
    assert program.count(SAYS) == 1
    assert 50 <= len(program.splitlines()) <= 70
    with_ours = program.replace(SAYS, "from adjudge import metrics\n")
    patched = program.replace(SAYS, f"import adjudge\n{SAYS}adjudge.metrics.patch_sklearn()\n")
    theirs, ours, ours_by_their_name = printed(program, with_ours, patched)
    assert theirs.count("\n") > 30
    assert ours == theirs
    assert ours_by_their_name == theirs
