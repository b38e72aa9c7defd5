"""Compile the kernels next to the Python sources, with the system's C++ compiler or, if there is none, with Zig's."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / f"kernels-{sysconfig.get_config_var('SOABI')}"


def main() -> int:
    """Configure and build; print the output of the build tools only if they fail."""
    environment = {**os.environ, **compilers()}
    tools = Path(sysconfig.get_path("scripts"))
    cmake = str(tools / "cmake") if (tools / "cmake").exists() else "cmake"
    environment["PATH"] = f"{tools}{os.pathsep}{environment['PATH']}"
    options = [option for option in sys.argv[1:] if option.startswith("-D")]
    build = BUILD.with_name("-".join([BUILD.name, *(option.partition("=")[2] for option in options)]))
    configure = [
        cmake,
        "-S",
        ROOT,
        "-B",
        build,
        "-G",
        "Ninja",
        f"-DPython_EXECUTABLE={sys.executable}",
        *options,
    ]
    for command in (configure, [cmake, "--build", build]):
        done = subprocess.run(command, env=environment, text=True, capture_output=True)
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)
            return done.returncode
    return 0


def compilers() -> dict[str, str]:
    """Return the compilers to set: none if the system has one or the caller has set CXX."""
    if "CXX" in os.environ or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++"):
        return {}
    zig = ROOT / "tools" / "zig"
    return {"CC": str(zig / "cc"), "CXX": str(zig / "c++"), "ZIG_PYTHON": sys.executable}


if __name__ == "__main__":
    sys.exit(main())
