"""BLAS keeps to the thread that calls it while our own threads work, and has its threads back afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.blas import one_blas_thread
from adjudge.engines.points import reduce_coded_points
from adjudge.given.point_options import PointOptions
from adjudge.statistics.moments import ClusterDeterminants, Scatter
from adjudge.statistics.prototypes import MedoidProfile

threadpoolctl = pytest.importorskip("threadpoolctl")


# Loaded before: SciPy may bring a library of its own later.
BLAS = {one["filepath"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"}


def threads() -> set[int]:
    return {one["num_threads"] for one in threadpoolctl.threadpool_info() if one["filepath"] in BLAS}


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    # As a call and not as a context, so that no thread is the only one that may set a limit.
    def set_threads(n: int) -> None:
        limits = threadpoolctl.threadpool_limits(n, user_api="blas")
        limits.restore_original_limits = lambda: None
        limits.__exit__(None, None, None)

    before = max(threads(), default=1)
    set_threads(2)
    if threads() != {2}:
        pytest.skip("BLAS has one thread at most")
    yield
    set_threads(before)


def test_it_may_be_entered_again() -> None:
    with one_blas_thread():
        assert threads() == {1}
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == {2}


def test_several_threads_that_overlap_leave_it_as_it_was() -> None:
    meet = Barrier(3)

    def enter(i: int) -> set[int]:
        if i:
            meet.wait(20)
        with one_blas_thread():
            if not i:
                meet.wait(20)
            found = threads()
            meet.wait(20)
            # The first leaves before the others.
            if i:
                left.wait(20)
        if not i:
            left.set()
        return found

    left = Event()
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(enter, range(3))) == [{1}] * 3
    assert threads() == {2}


def test_an_error_gives_the_threads_back() -> None:
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert threads() == {2}


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """Threads that BLAS had in each factorization."""
    found: list[set[int]] = []

    def watch(name: str) -> None:
        function = getattr(np.linalg, name)

        def watched(*given: Any, **options: Any) -> Any:
            found.append(threads())
            return function(*given, **options)

        monkeypatch.setattr(np.linalg, name, watched)

    for name in ("qr", "eigh", "svd", "solve", "eigvalsh"):
        watch(name)
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "wanted", [{Scatter}, {ClusterDeterminants}, {MedoidProfile}], ids=lambda w: next(iter(w)).__name__
)
def test_matrices_are_factorized_in_one_thread(wanted: set[type], seen: list[set[int]]) -> None:
    rng = np.random.default_rng(0)
    # Medoids of clusters with fewer than 2,000 points are found without products.
    X, codes = rng.normal(size=(7500, 40)), np.arange(7500) % 3
    X[:, 39] = X[:, 38] + 1e-4 * X[:, 39]
    made = reduce_coded_points(X, codes, wanted, PointOptions(n_jobs=2))
    if Scatter in wanted:
        assert np.isfinite(made[Scatter].log_det_total - made[Scatter].log_det_within)
        assert made[Scatter].discriminants.size == 3
    assert len(seen) >= 2
    assert all(each == {1} for each in seen)
    assert threads() == {2}


FACTORIZATIONS = {"cholesky", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "qr", "solve", "svd"}
# Functions whose callers keep BLAS in one thread, and one whose matrix has few columns.
ELSEWHERE = {"_is_singular", "_middle_and_width", "_with_known_moments"}


def unguarded(source: str) -> list[str]:
    """Functions that factorize a matrix outside of `with factorizing(...)` and `with one_blas_thread()`."""
    found: list[str] = []

    def visit(node: ast.AST, function: str, inside: bool) -> None:
        if isinstance(node, ast.FunctionDef):
            # What is defined in the block may be called after it.
            function, inside = node.name, False
        elif isinstance(node, ast.With):
            names = {ast.unparse(item.context_expr).partition("(")[0] for item in node.items}
            inside |= bool(names & {"factorizing", "one_blas_thread"})
        elif isinstance(node, ast.Attribute) and node.attr in FACTORIZATIONS and not inside:
            found.extend([function] * ast.unparse(node.value).endswith("linalg"))
        for child in ast.iter_child_nodes(node):
            visit(child, function, inside)

    visit(ast.parse(source), "", False)
    return found


@pytest.mark.full
def test_every_factorization_keeps_blas_in_one_thread() -> None:
    root = Path(adjudge.__file__).parent
    found = [
        (path.name, function)
        for path in root.rglob("*.py")
        for function in unguarded(path.read_text("utf-8"))
    ]
    assert {function for _, function in found} == ELSEWHERE, found
