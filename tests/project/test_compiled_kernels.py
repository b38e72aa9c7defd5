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
from adjudge.kernels import (
    assignment,
    centroids,
    coding,
    counting,
    hierarchical,
    hypergeometric,
    information,
    linkage,
    pair_ranks,
    pair_tiles,
    perplexity,
    random_tables,
    reachability,
)

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


@pytest.mark.full
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


NONE, X, ORIGIN = np.empty(0, np.int64), np.ones((2, 3)), np.zeros(3)


def zeros(*shape: int) -> Any:
    return np.zeros(shape)


WITH_CODES = {
    "first_members": lambda codes: centroids.first_members(codes, np.zeros(2, np.int64)),
    "add_steps": lambda codes: centroids.add_steps(X, codes, np.empty(0), 0, 2, zeros(2, 3), zeros(2, 3)),
    "add_squares": lambda codes: centroids.add_squares(
        X, codes, np.empty(0), 0, 2, ORIGIN, zeros(2, 3), zeros(2, 3)
    ),
    "add_distances": lambda codes: centroids.add_distances(
        X, codes, np.empty(0), 0, 2, ORIGIN, zeros(2, 3), zeros(2)
    ),
    "add_scatter": lambda codes: centroids.add_scatter(
        X, codes, np.empty(0), 0, 2, ORIGIN, zeros(2, 3), zeros(3, 3)
    ),
    "add_ratios": lambda codes: centroids.add_ratios(
        X, codes, np.empty(0), 0, 2, ORIGIN, zeros(2, 3), zeros(2)
    ),
    "count_codes": lambda codes: counting.count_codes(codes, np.zeros(2, np.int64)),
    "look_up": lambda codes: coding.look_up(codes, np.ones(2, np.int32), np.ones(2, np.int32)),
    "count_dense": lambda codes: counting.count_dense(codes, codes, 0, 0, 2, np.zeros((1, 4), np.uint32)),
    "count_narrow": lambda codes: counting.count_narrow(
        codes, codes, 0, 0, 2, np.zeros(4, np.uint16), np.zeros(4, np.uint32)
    ),
    "count_weighted": lambda codes: counting.count_weighted(codes, codes, 0, 0, 2, 2, codes),
    "count_sparse": lambda codes: counting.count_sparse(codes, codes, 0, 0, 2, 2, NONE),
    "gather_dense": lambda codes: counting.gather_dense(codes, codes, 0, 0, np.zeros((2, 2), np.int64)),
    "gather_sparse": lambda codes: counting.gather_sparse(
        codes, codes, 0, 0, np.arange(3), np.arange(2, dtype=np.int32), np.arange(2)
    ),
    "effective_numbers": lambda codes: perplexity.effective_numbers(
        zeros(1, 2), np.ones(1), codes[None], 2, zeros(1)
    ),
    "information_sums": lambda codes: information.information_sums(
        codes, codes, np.ones(2, np.int64), np.ones(2, np.int64), np.ones(2, np.int64), 2
    ),
    "assign_sparse": lambda codes: assignment.assign_sparse(np.arange(3), codes, np.ones(2), 2, np.arange(2)),
}


@pytest.mark.parametrize("name", WITH_CODES)
def test_codes_of_no_cluster_are_refused(name: str) -> None:
    """They would be read, or written to, outside of the memory that the clusters have."""
    call: Any = WITH_CODES[name]
    for codes in ([0, 1], [1, 0], [0, 0] if name != "gather_sparse" else [0, 1]):
        call(np.array(codes))
    for bad in (-1, 2, 1 << 40, -(1 << 63), (1 << 63) - 1):
        with pytest.raises(ValueError, match=r"^[a-z ]+$"):
            call(np.array([0, bad]))


def test_strings_outside_of_the_text_are_refused() -> None:
    text, none, codes = np.full(16, 97, np.uint8), np.zeros(0, np.uint8), np.zeros(1, np.int8)
    for start, end in ((-1, 2), (17, 17), (15, 17), (9, 8), (1 << 62, 1 << 62)):
        with pytest.raises(ValueError, match="ends beyond the text"):
            coding.number_strings(np.array([start, end]), text, none, 0, codes)
    for size, buffer, start in ((-1, 0, 0), (17, 0, 0), (13, 0, 4), (13, 1, 0), (13, 0, (1 << 32) - 1)):
        view = np.array([size & (1 << 32) - 1, 0, buffer, start], np.uint32).view(np.uint8)
        with pytest.raises(ValueError, match="ends beyond its buffer"):
            coding.number_views(view, [text], none, 0, codes)
    with pytest.raises(TypeError, match="arrays of bytes"):
        coding.number_views(np.zeros(16, np.uint8), ["text"], none, 0, codes)
    for bits, first in ((1, 8), (1, -1), (1, 1 << 62)):
        with pytest.raises(ValueError, match="a bit for each value"):
            coding.number_strings(np.array([0, 1]), text, np.zeros(bits, np.uint8), first, codes)


def test_nothing_takes_for_ever_because_it_is_not_a_number() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="no normal number"):
        hierarchical.truncated_normals(rng, np.nan, 1.0, 0.0, 1.0, 1)
    with pytest.raises(ValueError, match="no numbers"):
        assignment.assign(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="a stream of zeros"):
        random_tables.draw_sums(
            np.array([50, 50]),
            np.array([50, 50]),
            np.zeros((1, 4), np.uint64),
            1,
            np.zeros(1, np.int64),
            np.zeros(0),
        )
    assert np.isnan(hypergeometric.expected_deviance(1e16, 1e16, np.inf))
    assert linkage.join_within(np.zeros((1, 2)), np.full(2, np.nan), 2, 0, 0.0, 100)[0] == 0


def test_bins_hold_all_distances() -> None:
    """A distance of the user's own may be anything."""
    counts, buckets = np.zeros(3, np.int64), np.zeros(7, np.int32)
    values = np.array([-1.0, -np.inf, 0.0, 1.0, np.nan, np.inf, 1e300])
    pair_ranks.find_buckets(values, 1.0, np.arange(3, dtype=np.int32), buckets, counts)
    assert counts.tolist() == [3, 1, 3]
