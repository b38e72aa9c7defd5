"""A program prints the same, byte for byte, whether it imports scikit-learn's metrics or ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge

pytest.importorskip("sklearn", minversion="1.9")

PROGRAM = Path(__file__).parent / "a_users_program.py"
SAYS = "from sklearn import metrics\n"


def printed(program: str) -> bytes:
    source = str(Path(adjudge.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-"],
        input=program.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_either_import_prints_the_same() -> None:
    program = PROGRAM.read_text("utf-8")
    assert program.count(SAYS) == 1
    assert 50 <= len(program.splitlines()) <= 70
    theirs = printed(program)
    assert theirs.count(b"\n") > 30
    assert printed(program.replace(SAYS, "from adjudge import metrics\n")) == theirs
    patched = program.replace(SAYS, f"import adjudge\n{SAYS}adjudge.patch_sklearn()\n")
    assert printed(patched) == theirs
