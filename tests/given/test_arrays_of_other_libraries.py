"""Arrays of PyTorch, JAX and whatever speaks DLPack: every verb reads them, and copies none that NumPy can read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputTypeError
from adjudge.given.arrays import to_numpy
from adjudge.given.points import as_points
from adjudge.given.probabilities import score_array
from conftest import raises_line

RNG = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 30)
GOOD, POOR = (np.where(RNG.random(90) < share, (TRUTH + 1) % 3, TRUTH) for share in (0.1, 0.4))
X = RNG.normal(size=(90, 3)) + 2.0 * TRUTH[:, None]
LIKELY, UNLIKELY = (np.eye(3)[labels] * 0.7 + 0.1 for labels in (GOOD, POOR))
WEIGHT = RNG.integers(1, 4, 90).astype(np.float64)
CLUSTERS: dict[str, Any] = {"kind": "clustering", "indices": ["ari", "nmi"]}
CLASSES: dict[str, Any] = {"kind": "classification", "indices": ["accuracy"]}


class Exchanged:
    """An array of which nothing is known but how to exchange it."""

    def __init__(self, values: Any, device: tuple[int, int] | None = None) -> None:
        self.values, self.device = np.ascontiguousarray(values), device

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device or self.values.__dlpack_device__()


def made_by(library: str) -> Callable[[Any], Any]:
    if library == "DLPack":
        return Exchanged
    module = pytest.importorskip(library.partition(" ")[0])
    if library == "jax":
        module.config.update("jax_enable_x64", True)
        return module.numpy.asarray  # type: ignore[no-any-return]
    if library == "torch":
        return lambda values: module.from_numpy(np.ascontiguousarray(values))
    return lambda values: module.from_numpy(values.copy()).requires_grad_(values.dtype.kind == "f")


LIBRARIES = ["DLPack", "torch", "torch with gradients", "jax"]

CALLS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda own: adjudge.evaluate(own(TRUTH), own(GOOD), X=own(X)).values,
    "evaluate points": lambda own: adjudge.evaluate(X=own(X), labels=own(GOOD)).values,
    "evaluate a table": lambda own: adjudge.evaluate(own(np.array([[5, 1], [0, 4]])), **CLUSTERS).values,
    "evaluate forecasts": lambda own: (
        adjudge.evaluate(own(TRUTH), probabilities=own(LIKELY), kind="classification").values
    ),
    "evaluate weights": lambda own: (
        adjudge.evaluate(
            own(TRUTH), own(GOOD), sample_weight=own(WEIGHT), weights="frequency", **CLUSTERS
        ).values
    ),
    "evaluate groups": lambda own: adjudge.evaluate(
        own(TRUTH), own(GOOD), groups=own(POOR), **CLASSES
    ).to_dict(),
    "evaluate raters": lambda own: adjudge.evaluate(own(np.c_[TRUTH, GOOD, POOR]), kind="raters").values,
    "evaluate label sets": lambda own: (
        adjudge.evaluate(
            own(np.eye(3, dtype=int)[TRUTH]), own(np.eye(3, dtype=int)[GOOD]), kind="multilabel"
        ).values
    ),
    "compare": lambda own: adjudge.compare(own(TRUTH), {"a": own(GOOD), "b": own(POOR)}, **CLASSES).to_dict(),
    "compare forecasts": lambda own: adjudge.compare(
        own(TRUTH), probabilities={"a": own(LIKELY), "b": own(UNLIKELY)}, kind="classification"
    ).to_dict(),
    "choose": lambda own: adjudge.choose(own(X), {"a": own(GOOD), "b": own(POOR)}).best,
    "choose_k": lambda own: adjudge.choose_k(
        own(X), k=[2, 3], estimator={2: own(TRUTH % 2), 3: own(GOOD)}, random_state=0
    ).to_dict(),
    "gate": lambda own: adjudge.gate(
        own(TRUTH), own(POOR), own(GOOD), groups=own(GOOD), kind="classification"
    ).to_dict(),
    "an index": lambda own: (adjudge.dunn(own(X), own(GOOD)), adjudge.adjusted_rand(own(TRUTH), own(GOOD))),
    "an index of raters": lambda own: adjudge.fleiss_kappa(own(np.c_[TRUTH, GOOD, POOR])),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("call", CALLS)
def test_every_verb_takes_them(call: str, library: str) -> None:
    assert repr(CALLS[call](made_by(library))) == repr(CALLS[call](np.asarray))


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_report_takes_them(library: str, tmp_path: Path) -> None:
    def page(own: Callable[[Any], Any]) -> dict[str, Any]:
        options: dict[str, Any] = {"kind": "clustering", "output": tmp_path / "report.html"}
        return adjudge.report(own(TRUTH), {"a": own(GOOD), "b": own(POOR)}, X=own(X), **options).page[
            "sections"
        ]

    assert repr(page(made_by(library))) == repr(page(np.asarray))


@pytest.mark.parametrize("library", LIBRARIES)
def test_nothing_is_copied_that_numpy_can_read(library: str) -> None:
    for values in (X, X.astype(np.float32)):
        given = made_by(library)(values)
        if library == "jax":
            memory = np.from_dlpack(given)
        else:
            memory = given.values if library == "DLPack" else given.detach().numpy()
        for read in (to_numpy(given, "X"), as_points(given).values, score_array(given, "scores")[0]):
            assert read.dtype == values.dtype
            assert np.shares_memory(read, memory)
            assert np.array_equal(read, values)


class Tensor(Exchanged):
    def detach(self) -> Tensor:
        return self

    def cpu(self) -> np.ndarray[Any, Any]:
        return self.values


VERBS: dict[str, Callable[[Any], Any]] = {
    "X": lambda given: adjudge.evaluate(X=given, labels=TRUTH),
    "labels_true": lambda given: adjudge.evaluate(given, TRUTH),
    "a": lambda given: adjudge.compare(TRUTH, {"a": given, "b": TRUTH}, kind="clustering"),
    "estimator[2]": lambda given: adjudge.choose_k(X, k=[2], estimator={2: given}),
    "new": lambda given: adjudge.gate(TRUTH, TRUTH, given, kind="clustering"),
}


@pytest.mark.parametrize("name", VERBS)
def test_memory_of_a_device(name: str) -> None:
    with raises_line(
        InputTypeError,
        f"{name} is a Tensor in the memory of a device: pass a copy in the computer's memory, as {name}.cpu() is",
    ):
        VERBS[name](Tensor(TRUTH, device=(2, 0)))
    # What a device and the computer share is read where it is.
    assert adjudge.rand(Exchanged(GOOD, device=(1, 0)), TRUTH) == adjudge.rand(GOOD, TRUTH)


def test_what_numpy_cannot_read() -> None:
    class Brain(Exchanged):
        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("Unsupported dtype in DLTensor.")

    with raises_line(
        InputTypeError,
        "X is a Brain that NumPy cannot read (Unsupported dtype in DLTensor.): pass a NumPy array",
    ):
        adjudge.dunn(Brain(X), GOOD)

    class Table:  # as a data set of xarray does
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise TypeError("a table is no array")

    for name in ("X", "labels_true", "a", "new"):
        with raises_line(
            InputTypeError,
            f"{name} is a Table that NumPy cannot read (a table is no array): pass a NumPy array",
        ):
            VERBS[name](Table())
