"""What looks like an array by its length and entries, but is a container of its own kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputTypeError


class Annotated:
    """Observations with a matrix, each entry of which is such an object again, as in anndata."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, place: Any) -> Annotated:
        return Annotated(np.atleast_2d(self.X[place]))


class Entries(Annotated):
    """One whose matrix has another name."""

    def __init__(self, X: Any) -> None:
        self._own = X

    def __len__(self) -> int:
        return len(self._own)


@pytest.mark.parametrize(
    "call",
    [
        lambda a, y: adjudge.choose(a, {"y": y}),
        lambda a, y: adjudge.choose_k(a),
        lambda a, y: adjudge.evaluate(X=a, labels=y),
        lambda a, y: adjudge.silhouette(a, y),
        lambda a, y: adjudge.dunn(a, y),
    ],
)
def test_they_are_refused_at_once(call: Any) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    labels = [0, 1, 2] * 10
    for given, remedy in ((Annotated(X), ", X.X"), (Entries(X), "")):
        with pytest.raises(InputTypeError) as caught:
            call(given, labels)
        name = type(given).__name__
        assert str(caught.value) == f"X is an {name}, not an array: pass its matrix of numbers{remedy}"
