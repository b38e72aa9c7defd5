"""Compiled kernels are called with whatever their signatures let through: none crashes, hangs or writes to a copy.

A kernel that is added is called, too. If the search does not find what it takes, tests/kernel_calls.py needs shapes.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from adjudge import kernels

PROGRAM = Path(__file__).parents[1] / "kernel_calls.py"
SUBJECTS = sorted(
    name
    for name, module in vars(kernels).items()
    if isinstance(module, ModuleType) and f"adjudge.kernels.{name}" in sys.modules and name[0] != "_"
)


@pytest.mark.full
@pytest.mark.parametrize("subject", SUBJECTS)
def test_kernels_refuse_in_one_line_or_return(subject: str) -> None:
    profile = settings()
    seed = 1 if profile.derandomize else random.randrange(1 << 30)
    done = subprocess.run(
        [sys.executable, str(PROGRAM), subject, str(seed), str(50 * profile.max_examples)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr[-4000:]}"
    found = json.loads(done.stdout)
    assert found["faults"] == [], f"seed {seed}"
    assert found["unreached"] == [], f"seed {seed}"
    assert found["kernels"] > 0


def test_all_subjects_are_called() -> None:
    assert len(SUBJECTS) >= 30
