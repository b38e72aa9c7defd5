"""The compiled modules: one for each level of processors, strict about what they are given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjudge import kernels
from adjudge.kernels import counting, pair_tiles, reachability

FOLDER = Path(kernels.__file__).parent
PROGRAM = """
import numpy as np, adjudge
rng = np.random.default_rng(3)
labels, other = rng.integers(0, 5, (2, 400))
X = rng.normal(size=(400, {p})) + labels[:, None]
both = adjudge.evaluate(labels, other, indices="all"), adjudge.evaluate(X=X, labels=labels, indices="all")
print([float(found[name]).hex() for found in both for name in found])
"""


def values_of(level: str, p: int = 4) -> list[float]:
    environment = {**os.environ, "ADJUDGE_KERNELS": level}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(p=p)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return [float.fromhex(value) for value in eval(done.stdout)]


def levels() -> list[str]:
    return sorted(path.name.partition(".")[0].lstrip("_") for path in FOLDER.glob("_v[0-9].*"))


@pytest.mark.skipif(len(levels()) < 2, reason="there is one level on this machine")
def test_levels_agree() -> None:
    oldest, newest = (values_of(level) for level in levels()[:2])
    assert len(oldest) > 100
    np.testing.assert_allclose(oldest, newest, rtol=1e-9, atol=1e-12)


def test_an_unknown_level_is_refused() -> None:
    environment = {**os.environ, "ADJUDGE_KERNELS": "v9"}
    done = subprocess.run(
        [sys.executable, "-c", "import adjudge.kernels"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "ADJUDGE_KERNELS is 'v9'" in done.stderr


def functions() -> list[tuple[str, Any]]:
    return [
        (f"{subject}.{name}", function)
        for subject, module in vars(kernels).items()
        if isinstance(module, ModuleType) and module.__name__.startswith("adjudge.kernels._")
        for name, function in vars(module).items()
        if hasattr(function, "__nb_signature__")
    ]


def test_every_kernel_refuses_arrays_that_it_would_have_to_copy() -> None:
    """Nothing is converted: what a kernel wrote to a copy would be lost."""
    strict = dict(functions())
    assert len(strict) > 80
    for function in strict.values():
        signature = function.__nb_signature__[0][0]
        if "ndarray[" in signature:
            n_arguments = signature.partition("->")[0].count(": ")
            with pytest.raises(TypeError):
                function(*[[1.0, 2.0]] * n_arguments)
            with pytest.raises(TypeError):
                function(*[np.zeros(8, np.complex64)[::2]] * n_arguments)


def test_shapes_that_do_not_fit_are_refused() -> None:
    labels, few = np.zeros(5, np.int64), np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="one row and one column"):
        counting.joined_at_once(labels, few, 100)
    with pytest.raises(ValueError, match="rows of other points"):
        pair_tiles.distances_to_tiles(
            np.zeros((4, 2)), np.zeros((1, 4, 8)), np.zeros((4, 8)), np.zeros((4, 8))
        )
    with pytest.raises(ValueError, match="none of them"):
        reachability.reach_row(np.zeros(3), 0.0, 7, np.zeros(3, bool), np.zeros(3))
    with pytest.raises(TypeError):
        counting.joined_at_once(labels[::2], few, 100)
    with pytest.raises(TypeError):
        counting.joined_at_once(labels.astype(np.int32), labels, 100)
