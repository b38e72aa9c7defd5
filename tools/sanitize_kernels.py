"""Run tests on kernels with sanitizers for memory, arithmetic and threads."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNELS = [f"tests/project/test_{name}_kernels.py" for name in ("compiled", "hostile")]
ENGINES = [f"tests/engines/test_{name}.py" for name in ("internal_engine", "density_engines")]
LABELS = [f"tests/given/test_{name}.py" for name in ("labels", "strings")]
INFERENCE = [f"tests/inference/test_{name}.py" for name in ("chance_tables", "dip", "posterior")]
TESTS = {"asan": [*KERNELS, *ENGINES, *LABELS, *INFERENCE], "tsan": ENGINES}
# The memory allocators of Polars and ThreadSanitizer are incompatible.
PYTEST = """
import sys
import pytest

class WithoutPolars:
    @staticmethod
    def find_spec(name, *_):
        if name == "polars":
            raise ModuleNotFoundError(name=name)

if sys.argv.pop(1) == "tsan":
    sys.meta_path.insert(0, WithoutPolars)
sys.exit(pytest.main(sys.argv[1:]))
"""


def main() -> int:
    """Build and test with each sanitizer; stop at the first failure."""
    for level in sys.argv[1:] or TESTS:
        build = [sys.executable, str(ROOT / "tools" / "build_kernels.py"), f"-DADJUDGE_SANITIZE={level}"]
        environment = {
            **os.environ,
            "ADJUDGE_KERNELS": level,
            "LD_PRELOAD": " ".join(library(name) for name in (f"lib{level}.so", "libstdc++.so")),
            # Python itself keeps memory until it exits.
            "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
            # Only the kernels are instrumented: it sees no locks in Python, NumPy and BLAS.
            "TSAN_OPTIONS": "ignore_noninstrumented_modules=1",
        }
        tests = [sys.executable, "-c", PYTEST, level, "-q", "-p", "no:cacheprovider", *TESTS[level]]
        try:
            for command, own in ((build, None), (tests, environment)):
                if code := subprocess.run(command, cwd=ROOT, env=own).returncode:
                    return code
        finally:
            # Imported without its library, the module would end any other process.
            for left in (ROOT / "src" / "adjudge" / "kernels").glob(f"_{level}.*"):
                left.unlink()
    return 0


def library(name: str) -> str:
    """Return the path of one of the compiler's libraries."""
    found = subprocess.run(["c++", f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
