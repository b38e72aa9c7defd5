"""What NumPy counts of few instances is what the kernels count."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import adjudge


@pytest.mark.parametrize("seed", range(40))
def test_few_instances_are_counted_as_by_the_kernels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    dtype = rng.choice(["int8", "int32", "int64", "uint16", "uint64"])
    low = int(rng.integers(0, 50)) - (25 if dtype.startswith("i") else 0)
    truth, pred = (np.array(low + rng.integers(0, 9, n), dtype) for _ in range(2))
    small = adjudge.Contingency.from_labels(truth, pred)
    monkeypatch.setattr("adjudge.inputs.labels.WORTH_A_KERNEL", 0)
    monkeypatch.setattr("adjudge.statistics.counting.WORTH_A_KERNEL", 0)
    counted = adjudge.Contingency.from_labels(truth, pred)
    np.testing.assert_array_equal(small.to_array(), counted.to_array())
    np.testing.assert_array_equal(small.row_sums, counted.row_sums)
    np.testing.assert_array_equal(small.col_sums, counted.col_sums)
    assert small.to_array().dtype == counted.to_array().dtype == np.int64
    assert list(small.row_labels) == list(counted.row_labels)
    assert small.pairs == counted.pairs


def test_few_instances_do_not_wait_for_numba() -> None:
    code = (
        "import adjudge, sys; adjudge.adjusted_rand([0, 0, 1], [1, 2, 2]); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
