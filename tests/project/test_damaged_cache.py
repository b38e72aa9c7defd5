"""A file of compiled code that was cut off is compiled anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
from adjudge.kernels import coding
print(*coding.value_range(np.arange(5, 9)))
"""


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
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
