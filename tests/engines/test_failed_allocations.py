"""A failed allocation in compiled code is Python's MemoryError, whatever other compiled modules are loaded."""

import subprocess
import sys

import pytest

SCRIPT = """
import duckdb
import numpy as np
import resource
from adjudge.kernels.counting import count_sparse

duckdb.sql("select 1").fetchall()
codes, ones = np.arange(3_000_000, dtype=np.int32), np.ones(3_000_000, np.int64)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**20, used + 2**20))
try:
    count_sparse(codes, codes, 0, 0, codes.size, codes.size, ones)
except MemoryError as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold processes to such a limit")
def test_no_other_module_words_a_failed_allocation() -> None:
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("MemoryError\n", "")
