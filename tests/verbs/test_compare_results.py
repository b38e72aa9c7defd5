"""Two results compared: what changed from the first to the second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import adjudge
from adjudge import InputError, compare, evaluate, load

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(300) < 0.4, "a", "b")
ONE = np.where(RNG.random(300) < 0.8, TRUTH, "a")
TWO = np.where(RNG.random(300) < 0.9, TRUTH, "b")


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_results_compare_as_their_labels_do(kind: Any, tmp_path: Path) -> None:
    results = [evaluate(TRUTH, said, kind=kind) for said in (ONE, TWO)]
    wanted = compare(TRUTH, {"first": ONE, "second": TWO}, kind=kind, confidence=0.95)
    assert compare(*results, confidence=0.95) == wanted
    stored = [own.save(tmp_path / f"{i}.adjudge", instances=True) for i, own in enumerate(results)]
    assert compare(*map(load, stored), confidence=0.95) == wanted


def test_units_go_with_the_results() -> None:
    units = np.arange(300) // 10
    results = [evaluate(TRUTH, said, kind="classification", units=units) for said in (ONE, TWO)]
    wanted = compare(
        TRUTH, {"first": ONE, "second": TWO}, kind="classification", units=units, confidence=0.95
    )
    found = compare(*results, confidence=0.95)
    assert found.n_units == 30
    assert found["first", "second"].differences == wanted["first", "second"].differences


def test_probabilities_go_with_the_results(tmp_path: Path) -> None:
    """They were kept, and not used."""
    chances = {"first": np.where(ONE == "a", 0.3, 0.8), "second": np.where(TWO == "a", 0.1, 0.7)}
    models = {"first": ONE, "second": TWO}
    asked: dict[str, Any] = {"kind": "classification", "positive": "a"}
    results = [evaluate(TRUTH, own, probabilities=1 - chances[name], **asked) for name, own in models.items()]
    wanted = compare(
        TRUTH, models, probabilities={m: 1 - own for m, own in chances.items()}, confidence=0.95, **asked
    )
    stored = [load(own.save(tmp_path / f"{i}.adjudge", instances=True)) for i, own in enumerate(results)]
    for found in (compare(*results, confidence=0.95), compare(*stored, confidence=0.95)):
        assert found.judged == wanted.judged
        assert found["first", "second"].differences == wanted["first", "second"].differences
    scored = [
        evaluate(TRUTH, own, scores=chances[name], kind="classification") for name, own in models.items()
    ]
    assert compare(*scored, indices="roc_auc").judged["second"]["roc_auc"].value == scored[1]["roc_auc"]
    mixed = compare(results[0], scored[1])
    assert [own.code for own in mixed.warnings] == ["labels-alone"]


def test_weights_of_either_result_count() -> None:
    weight = np.random.default_rng(2).gamma(2, 1, 300)
    plain = evaluate(TRUTH, ONE, kind="classification")
    asked: dict[str, Any] = {"kind": "classification", "weights": "importance"}
    weighted = evaluate(TRUTH, TWO, sample_weight=weight, **asked)
    for found in (compare(plain, weighted).judged["second"], compare(weighted, plain).judged["first"]):
        assert found["accuracy"].value == weighted["accuracy"]
    other = evaluate(TRUTH, TWO, sample_weight=weight[::-1], **asked)
    with pytest.raises(InputError, match="the weights of the results differ: evaluate both with the same"):
        compare(weighted, other)


def test_settings_that_differ_are_named() -> None:
    first = evaluate(TRUTH, ONE, kind="classification", confidence=0.9)
    second = evaluate(TRUTH, TWO, kind="classification", confidence=0.95)
    (notice,) = [own for own in compare(first, second).warnings if own.code == "settings-differ"]
    assert "confidence was 0.9 and is 0.95" in notice.message


def test_versions_are_saved_and_named_if_they_differ(tmp_path: Path) -> None:
    first, second = (evaluate(TRUTH, said, kind="classification") for said in (ONE, TWO))
    assert first.versions["adjudge"] == adjudge.__version__
    assert first.versions["numpy"] == np.__version__
    assert not [own for own in compare(first, second).warnings if own.code == "versions-differ"]
    path = first.save(tmp_path / "run.adjudge", instances=True)
    assert load(path).versions == first.versions
    older = tmp_path / "older.adjudge"
    with ZipFile(path) as read, ZipFile(older, "w") as written:
        for name in read.namelist():
            content = read.read(name)
            if name == "manifest.json":
                manifest = json.loads(content)
                manifest["made_with"] |= {"adjudge": "0.0.9", "numpy": "1" * 41, "torch": "2"}
                content = json.dumps(manifest).encode()
            written.writestr(name, content)
    loaded = load(older)
    assert loaded == first
    known = {name: own for name, own in first.versions.items() if name != "numpy"}
    assert loaded.versions == {**known, "adjudge": "0.0.9"}
    (notice,) = [own for own in compare(loaded, second).warnings if own.code == "versions-differ"]
    assert notice.message == (
        f"the results were made with other versions: adjudge was 0.0.9 and is {adjudge.__version__}"
    )
    # Saved again, it still says what made its digits.
    assert load(loaded.save(tmp_path / "again.adjudge")).versions["adjudge"] == "0.0.9"


def test_other_instances_are_refused(tmp_path: Path) -> None:
    first = evaluate(TRUTH, ONE, kind="classification")
    with pytest.raises(InputError, match="the first result has 300 instances, the second 299"):
        compare(first, evaluate(TRUTH[:-1], TWO[:-1], kind="classification"))
    with pytest.raises(InputError, match=r"the truth of \d+ instances differs between the results"):
        compare(first, evaluate(TRUTH[::-1], TWO[::-1], kind="classification"))
    with pytest.raises(InputError, match="is of classification, the second of clustering"):
        compare(first, evaluate(TRUTH, TWO, kind="clustering"))
    bare = load(first.save(tmp_path / "bare.adjudge"))
    with pytest.raises(InputError, match="saved without instances"):
        compare(bare, first)
