"""Compiled code that was cut off, or whose source has changed, is compiled anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge.kernels

PROGRAM = """
import sys
import numpy as np
from adjudge.kernels import coding
print(*coding.value_range(np.arange(5, 9, dtype=sys.argv[1])))
"""


def run(folder: Path, dtype: str = "int64") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-W", "error", "-c", PROGRAM, dtype]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_what_was_cut_off_is_compiled_anew(tmp_path: Path, suffix: str) -> None:
    assert run(tmp_path).stdout == "5 8\n"
    (file,) = tmp_path.rglob(f"*value_range*.{suffix}")
    whole = file.stat().st_size
    file.write_bytes(file.read_bytes()[: whole // 2])
    again = run(tmp_path)
    assert (again.returncode, again.stdout) == (0, "5 8\n"), again.stderr
    assert run(tmp_path).stdout == "5 8\n"
    assert max(path.stat().st_size for path in tmp_path.rglob(f"*value_range*.{suffix}")) >= whole


def test_processes_that_compile_at_the_same_time_keep_their_code_apart(tmp_path: Path) -> None:
    """Each finds no index, takes the same number for its file, and the last to write the index wins."""
    assert run(tmp_path, "int64").stdout == "5 8\n"
    (index,) = tmp_path.rglob("*value_range*.nbi")
    of_first = index.read_bytes()
    index.unlink()
    assert run(tmp_path, "int16").stdout == "5 8\n"
    index.write_bytes(of_first)
    for dtype in ("int64", "int16"):
        again = run(tmp_path, dtype)
        assert (again.returncode, again.stdout) == (0, "5 8\n"), again.stderr


CALLED = """
from few_kernels import subroutine

@subroutine()
def number():
    return {}
"""
CALLER = """
from few_kernels import kernel
from few_kernels.called import number

@kernel()
def twice():
    return 2 * number()
"""


def written(folder: Path, value: int) -> Path:
    """A package with a kernel that returns twice the value."""
    package = folder / "few_kernels"
    package.mkdir(exist_ok=True)
    shutil.copy(str(adjudge.kernels.__file__), package / "__init__.py")
    (package / "caller.py").write_text(CALLER)
    (package / "called.py").write_text(CALLED.format(value))
    return folder


def call_kernel(folder: Path) -> str:
    command = [sys.executable, "-W", "error", "-c", "from few_kernels.caller import twice; print(twice())"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_kernel_is_compiled_anew_if_what_it_calls_has_changed(tmp_path: Path) -> None:
    for value in (3, 45):
        assert call_kernel(written(tmp_path, value)) == f"{2 * value}\n"


def test_code_of_an_older_source_that_is_written_last_is_not_read(tmp_path: Path) -> None:
    """A process that imported the older source may still be running, and compiling."""
    assert call_kernel(written(tmp_path, 3)) == "6\n"
    (older,) = tmp_path.rglob("*twice*.nbc")
    its_code = older.read_bytes()
    assert call_kernel(written(tmp_path, 45)) == "90\n"
    assert len(list(tmp_path.rglob("*twice*.nbc"))) == 1
    older.write_bytes(its_code)
    assert call_kernel(tmp_path) == "90\n"
