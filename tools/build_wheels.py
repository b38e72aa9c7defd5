"""Build the wheels for Linux on x86-64 and ARM with Zig's compiler: for glibc 2.28 or later, whatever this machine has.

This Python stands in for the other machine's: CPython's headers are the same, and its pyconfig.h differs in nothing
that they read.
"""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
GLIBC = "2.28"


def build(machine: str) -> None:
    """Build the wheel for a machine into dist."""
    (ROOT / "dist").mkdir(exist_ok=True)
    zig = ROOT / "tools" / "zig"
    environment = {
        **os.environ,
        "CC": str(zig / "cc"),
        "CXX": str(zig / "c++"),
        "ZIG_PYTHON": sys.executable,
        "ZIG_TARGET": f"{machine}-linux-gnu.{GLIBC}",
        "_PYTHON_HOST_PLATFORM": f"linux-{machine}",
    }
    with tempfile.TemporaryDirectory() as folder:
        if machine != platform.machine():
            environment |= as_if_on(machine, Path(folder))
        python("build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, env=environment)
        (wheel,) = Path(folder).glob("*.whl")
        tag = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
        python("wheel", "tags", "--remove", "--platform-tag", tag, wheel)
        (wheel,) = Path(folder).glob("*.whl")
        shutil.copy(wheel, ROOT / "dist")


def python(*command: str | Path, env: dict[str, str] | None = None) -> None:
    """Run a module, and stop if it fails."""
    subprocess.run([sys.executable, "-m", *command], env=env, check=True)


def as_if_on(machine: str, folder: Path) -> dict[str, str]:
    """Return settings by which CMake compiles for a machine, and Python names modules as that machine's does."""
    here = import_module(sysconfig._get_sysconfigdata_name()).build_time_vars
    there = {
        name: value.replace(platform.machine(), machine) if isinstance(value, str) else value
        for name, value in here.items()
    }
    (folder / "_sysconfigdata_there.py").write_text(f"build_time_vars = {there!r}\n")
    options = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": machine,
        "CMAKE_CROSSCOMPILING_EMULATOR": "/usr/bin/env",  # this Python answers for the other
    }
    return {
        "PYTHONPATH": str(folder),
        "_PYTHON_SYSCONFIGDATA_NAME": "_sysconfigdata_there",
        "CMAKE_ARGS": " ".join(f"-D{name}={value}" for name, value in options.items()),
    }


if __name__ == "__main__":
    for asked in sys.argv[1:] or ["x86_64", "aarch64"]:
        build(asked)
