"""Results that adjudge 1.0.0 has saved load, and say what they said then."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from cases import each

SAVED = Path(__file__).parents[1] / "reference" / "saved"
SAID: dict[str, Any] = json.loads(gzip.decompress((SAVED / "said.json.gz").read_bytes()))
VIEWS = ("_repr_html_", "flat", "tables", "table", "to_frame")


def plain(found: Any) -> Any:
    """Return what a result says in numbers and words; digits that a processor may change are left out."""
    return rounded(json.loads(json.dumps(found.to_dict() if hasattr(found, "to_dict") else repr(found))))


def rounded(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: rounded(own) for name, own in found.items()}
    if isinstance(found, list):
        return [rounded(own) for own in found]
    return float(f"{found:.10g}") if isinstance(found, float) else found


def test_every_kind_of_result_is_there() -> None:
    assert {path.stem for path in SAVED.glob("*.adjudge")} == SAID.keys()
    kinds = {type(adjudge.load(SAVED / f"{name}.adjudge")).__name__ for name in SAID}
    verbs = (
        "Evaluation ClassifierEvaluation Evaluations Comparison HeadToHead Gate Choice KChoice Benchmark Plan"
    )
    assert kinds >= {*verbs.split()}


@each("name", sorted(SAID))
def test_it_says_the_same(name: str) -> None:
    found = adjudge.load(SAVED / f"{name}.adjudge")
    assert found.versions["adjudge"] == "1.0.0"
    assert plain(found) == SAID[name]
    assert repr(found)
    for view in VIEWS:
        if callable(getattr(found, view, None)):
            getattr(found, view)()


@each("name", ["compared", "compared_classifiers", "compared_units", "compared_sets", "gate"])
def test_its_instances_are_there(name: str) -> None:
    found = adjudge.load(SAVED / f"{name}.adjudge")
    comparison = getattr(found, "comparison", found)
    rows = comparison.known_instances()
    assert rows.n == 48
    for pair in comparison:
        counted = pair.instances("right_wrong")
        if comparison.kind != "clustering":
            assert len(counted) == pair.right_wrong
        else:
            assert int(np.sum(counted)) == 2 * pair.right_wrong


def test_a_gate_takes_a_saved_classifier() -> None:
    path = SAVED / "classifier.adjudge"
    truth = np.asarray(adjudge.load(path).known_instances().truth.given())
    assert adjudge.gate(truth, path, truth).n_broken == 0


def test_the_words_are_compared() -> None:
    assert SAID["classifier"] != SAID["units"]
    with pytest.raises(AssertionError):
        assert rounded({"a": [1.0]}) == rounded({"a": [1.0 + 1e-6]})
