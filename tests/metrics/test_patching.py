"""Programs run on our functions within a context, and on scikit-learn's before and after it."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pydoc
import sys
import threading
import types
from collections.abc import Iterator
from copy import deepcopy
from functools import wraps
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import metrics as ours
from adjudge.errors import InputError
from adjudge.metrics import patching
from adjudge.metrics.checks import HOMES, installed_before
from conftest import raises_line

sklearn = pytest.importorskip("sklearn", minversion="1.5")

from sklearn import metrics  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402

# As a name of this module, it would be replaced as well.
ORIGINALS = (metrics.adjusted_rand_score,)
A, B = [0, 0, 1, 1, 2], [0, 0, 1, 2, 2]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Calls of our function."""
    called: list[str] = []
    function = ours.adjusted_rand_score

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        called.append("adjusted_rand_score")
        return function(*args, **kwargs)

    monkeypatch.setattr(ours, "adjusted_rand_score", call)
    return called


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module that has imported a function of scikit-learn's under a name of its own."""
    module = types.ModuleType("a_program")
    module.agreement = ORIGINALS[0]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "a_program", module)
    return module


@pytest.fixture(autouse=True)
def _everything_is_taken_back() -> Iterator[None]:
    yield
    adjudge.metrics.unpatch_sklearn()
    assert metrics.adjusted_rand_score is ORIGINALS[0]


def test_within_the_context_alone(calls: list[str], program: Any) -> None:
    with adjudge.metrics.patched_sklearn():
        assert metrics.adjusted_rand_score is not ORIGINALS[0]
        value = metrics.adjusted_rand_score(A, B)
        assert metrics.cluster.adjusted_rand_score(A, B) == program.agreement(A, B) == value
        kept = metrics.adjusted_rand_score
    assert calls == ["adjusted_rand_score"] * 3
    assert value == pytest.approx(ORIGINALS[0](A, B))
    assert (
        metrics.adjusted_rand_score
        is program.agreement
        is metrics.cluster.adjusted_rand_score
        is ORIGINALS[0]
    )
    # What a program has kept is scikit-learn's again.
    kept(A, B)
    assert len(calls) == 3


def test_every_function_is_replaced_and_taken_back() -> None:
    names = {name: home for name, home in HOMES.items() if hasattr(importlib.import_module(home), name)}
    assert len(names) >= (40 if installed_before("1.9") else 45)
    homes = {name: getattr(sys.modules[home], name) for name, home in names.items()}
    kept = {name for name, version in patching._SINCE.items() if installed_before(version)}
    with adjudge.metrics.patched_sklearn():
        for name, home in names.items():
            assert (getattr(sys.modules[home], name) is homes[name]) == (name in kept)
    for name, home in names.items():
        assert getattr(sys.modules[home], name) is homes[name]


def test_stand_ins_look_like_the_functions() -> None:
    original = ORIGINALS[0]
    with adjudge.metrics.patched_sklearn():
        stand_in = metrics.adjusted_rand_score
    assert stand_in is not original
    assert repr(stand_in) == repr(original)
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__", "__defaults__", "__code__"):
        assert getattr(stand_in, attribute) == getattr(original, attribute)
    assert inspect.signature(stand_in) == inspect.signature(original)
    assert inspect.isroutine(stand_in)
    shown, wanted = (pydoc.render_doc(one).partition("\n")[2] for one in (stand_in, original))
    assert shown == wanted
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = stand_in.nothing_of_the_kind

    class Program:
        agreement = stand_in

    assert Program.agreement is stand_in
    assert Program().agreement.__self__.__class__ is Program


def test_arguments_are_those_of_the_installed_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def f1_score(y_true: Any, y_pred: Any, *, average: Any = "binary", shade: Any = None) -> Any:
        return shade

    stand_in = patching._StandIn("f1_score", f1_score)
    monkeypatch.setattr(patching, "_for_good", True)
    assert stand_in(A, B, average="macro") == ours.f1_score(A, B, average="macro")
    # What later versions lack, the installed one computes.
    assert stand_in(A, B, shade="green") == "green"
    for arguments in ((A,), (A, B, "macro")):
        with pytest.raises(TypeError, match="argument"):
            stand_in(*arguments)
    with pytest.raises(TypeError, match="zero_division"):
        stand_in(A, B, zero_division=0)


def test_exceptions_take_it_back(program: Any) -> None:
    with pytest.raises(ZeroDivisionError), adjudge.metrics.patched_sklearn():
        _ = 1 / 0
    assert metrics.adjusted_rand_score is program.agreement is ORIGINALS[0]


def test_contexts_within_contexts(calls: list[str]) -> None:
    with adjudge.metrics.patched_sklearn():
        with adjudge.metrics.patched_sklearn():
            pass
        metrics.adjusted_rand_score(A, B)
    adjudge.metrics.patch_sklearn()
    adjudge.metrics.patch_sklearn()
    with adjudge.metrics.patched_sklearn():
        adjudge.metrics.unpatch_sklearn()
        metrics.adjusted_rand_score(A, B)
    metrics.adjusted_rand_score(A, B)
    assert len(calls) == 2


@pytest.mark.full
def test_threads_that_come_and_go(calls: list[str]) -> None:
    both_in, first_out = threading.Barrier(2), threading.Event()

    def leave_first() -> None:
        with adjudge.metrics.patched_sklearn():
            both_in.wait(10)
        first_out.set()

    thread = threading.Thread(target=leave_first)
    thread.start()
    with adjudge.metrics.patched_sklearn():
        both_in.wait(10)
        assert first_out.wait(10)
        metrics.adjusted_rand_score(A, B)
    thread.join()
    assert calls == ["adjusted_rand_score"]

    def come_and_go() -> None:
        for _ in range(5):
            with adjudge.metrics.patched_sklearn():
                assert metrics.adjusted_rand_score(A, A) == 1.0

    threads = [threading.Thread(target=come_and_go) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(calls) == 41


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_searches_by_the_name_of_a_score(n_jobs: int | None, calls: list[str]) -> None:
    from joblib import parallel_config

    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(i, 0.2, (20, 2)) for i in range(3)])
    search = GridSearchCV(
        KMeans(n_init=2, random_state=0),
        {"n_clusters": [2, 3]},
        scoring="adjusted_rand_score",
        cv=3,
        n_jobs=n_jobs,
    )
    with parallel_config("threading"), adjudge.metrics.patched_sklearn():
        search.fit(X, np.repeat([0, 1, 2], 20)[np.argsort(rng.random(60))])
    assert calls == ["adjusted_rand_score"] * 6
    search.score(X, np.repeat([0, 1, 2], 20))
    assert len(calls) == 6


def test_worker_processes_do_as_they_are_sent() -> None:
    with adjudge.metrics.patched_sklearn():
        scorer = metrics.get_scorer("adjusted_rand_score")
        within = pickle.dumps(scorer)
        assert deepcopy(scorer)._score_func is scorer._score_func
    assert pickle.loads(within)._score_func is ours.adjusted_rand_score
    assert pickle.loads(pickle.dumps(scorer))._score_func is ORIGINALS[0]


def test_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sklearn, "__version__", "1.4.2")
    message = (
        "scikit-learn 1.4.2 is installed, and adjudge was tested with 1.5, 1.6, 1.7, 1.8, 1.9: install one of these, "
        "or import adjudge.metrics instead"
    )
    with raises_line(InputError, message):
        adjudge.metrics.patch_sklearn()
    with raises_line(InputError, message), adjudge.metrics.patched_sklearn():
        pass
