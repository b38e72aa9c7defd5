"""A confusion matrix holds the cells of very many classes, and says the same as a dense one."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from adjudge import InputError, evaluate, metrics
from adjudge.statistics import Confusion
from adjudge.statistics import confusion as module
from adjudge.statistics.classes import rounded_once

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 30, 400)
SAID = np.where(RNG.random(400) < 0.6, TRUTH, RNG.integers(0, 33, 400))


def test_a_matrix_is_shown_with_its_labels() -> None:
    shown = str(Confusion.from_labels(list("aab"), list("abx"))).splitlines()
    assert [line.split() for line in shown] == [
        ["true", "/", "predicted", "a", "b", "x"],
        ["a", "1", "1", "0"],
        ["b", "0", "0", "1"],
    ]
    assert str(Confusion.from_labels(range(21), range(21))) == "Confusion(21 labels, n=21)"


@pytest.mark.full
@pytest.mark.parametrize("weights", [None, RNG.integers(1, 9, 400) / 8])
def test_cells_say_what_a_dense_matrix_says(monkeypatch: pytest.MonkeyPatch, weights: Any) -> None:
    def judged() -> Any:
        return evaluate(
            TRUTH,
            SAID,
            kind="classification",
            indices="all",
            sample_weight=weights,
            weights=None if weights is None else "importance",
            confidence=None if weights is not None else 0.9,
        )

    dense = judged()
    monkeypatch.setattr(module, "_MOST_HELD", 5)
    sparse = judged()
    assert sparse.confusion._matrix is None
    assert (sparse.confusion.matrix == dense.confusion.matrix).all()
    for name, score in dense.scores.items():
        other = sparse.scores[name]
        for one, two in ((score.value, other.value), (score.low, other.low), (score.high, other.high)):
            assert one is two is None or two == pytest.approx(one, rel=1e-12, nan_ok=True), name
    for attribute in ("right", "true_counts", "predicted_counts"):
        assert (getattr(sparse.confusion, attribute) == getattr(dense.confusion, attribute)).all()
    assert sparse.confusion.n == dense.confusion.n
    assert sparse.confusion.most_confused(7) == dense.confusion.most_confused(7)
    some = [3, 20, 5, 7, 1, 9, 0]
    assert (sparse.confusion.take(some).matrix == dense.confusion.take(some).matrix).all()
    listed, lists = sparse.to_dict()["confusion"], dense.to_dict()["confusion"]
    rebuilt = np.zeros((33, 33))
    rebuilt[listed["cells"]["true"], listed["cells"]["predicted"]] = listed["cells"]["counts"]
    assert (rebuilt == lists["matrix"]).all()


def test_the_commonest_mistakes_come_first() -> None:
    found = Confusion(["a", "b", "c"], np.array([[9, 2, 1], [2, 9, 0], [5, 0, 9]]))
    assert found.most_confused(3) == [("c", "a", 5), ("a", "b", 2), ("b", "a", 2)]


@pytest.mark.full
def test_very_many_classes_take_no_matrix() -> None:
    k = 20_000
    truth = np.arange(2 * k) % k
    said = np.where(np.arange(2 * k) % 7 == 0, (truth + 1) % k, truth)
    tracemalloc.start()
    judged = evaluate(truth, said, kind="classification", indices="all", confidence=0.95)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6  # a dense matrix has 3.2 GB
    assert judged["accuracy"] == (truth == said).mean()
    with pytest.raises(InputError, match=r"of 20000 classes .* cells\(\), or take\(\)"):
        _ = judged.confusion.matrix
    assert judged.confusion.cells()[2].sum() == 2 * k


def test_scikit_learns_function_makes_the_matrix_whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, said = np.arange(20), np.arange(20)[::-1]
    wanted = metrics.confusion_matrix(truth, said)
    monkeypatch.setattr(module, "_MOST_HELD", 5)
    monkeypatch.setattr(module, "_MOST_SHOWN", 10)
    assert (metrics.confusion_matrix(truth, said) == wanted).all()


@pytest.mark.parametrize("seed", range(20))
def test_sums_are_rounded_once(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(200, 3000))
    values = rng.integers(-3 if seed % 2 else 0, 10**9, size).astype(float)
    moved = rng.random(size) < (0.01, 0.2, 0.9)[seed % 3]
    values[moved] += rng.normal(size=int(moved.sum())) * 10.0 ** rng.integers(-12, 3, int(moved.sum()))
    assert rounded_once(values) == math.fsum(values.tolist())
    huge = np.append(values, [2.0**60, -(2.0**60), 0.1])
    assert rounded_once(huge) == math.fsum(huge.tolist())
    assert math.isinf(rounded_once(np.append(values, math.inf)))
