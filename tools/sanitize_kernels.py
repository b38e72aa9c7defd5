"""Run tests on kernels that watch their memory, their arithmetic and their threads."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
INFERENCE = [f"tests/inference/test_{name}.py" for name in ("chance_tables", "dip", "posterior")]
ENGINES = [f"tests/engines/test_{name}.py" for name in ("internal_engine", "density_engines")]
TESTS = {
    "asan": [
        "tests/project/test_compiled_kernels.py",
        "tests/engines",
        "tests/given",
        "tests/statistics",
        *INFERENCE,
    ],
    "tsan": [*ENGINES, "tests/given/test_labels.py"],
}


def main() -> int:
    """Build and test with each sanitizer; an error of either ends the tests."""
    for level in sys.argv[1:] or TESTS:
        build = [sys.executable, str(ROOT / "tools" / "build_kernels.py"), f"-DADJUDGE_SANITIZE={level}"]
        environment = {
            **os.environ,
            "ADJUDGE_KERNELS": level,
            "LD_PRELOAD": " ".join(library(name) for name in (f"lib{level}.so", "libstdc++.so")),
            # Python itself holds memory until it ends.
            "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
            "TSAN_OPTIONS": f"suppressions={ROOT / 'tools' / 'tsan.txt'}",
        }
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS[level]]
        for command, own in ((build, None), (tests, environment)):
            if code := subprocess.run(command, cwd=ROOT, env=own).returncode:
                return code
    return 0


def library(name: str) -> str:
    """Return where the compiler has a library."""
    found = subprocess.run(["c++", f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
