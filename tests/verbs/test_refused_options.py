"""A kind of what is judged refuses each option that it does not read, and reads all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError, InputTypeError, evaluate
from adjudge.kinds.case import Case
from adjudge.kinds.class_statistics import ConfusionCase, LossesCase
from adjudge.kinds.clusters import Clustering
from adjudge.kinds.label_sets import LabelSetCase
from adjudge.kinds.sampled_clusters import SampledClustering
from adjudge.kinds.structures import StructureCase
from adjudge.kinds.sums import GivenClassifier
from cases import each
from conftest import raises_line

RNG = np.random.default_rng(3)
N = 60
TRUTH, LABELS = RNG.integers(0, 3, N), RNG.integers(0, 3, N)
SETS = [{"a", "b"} if one else {"b"} for one in TRUTH], [{"a"} if one else {"b"} for one in LABELS]
SHARES = RNG.dirichlet(np.ones(3), N)
OF_CLASSES: dict[str, Any] = {"kind": "classification"}
JUDGED = evaluate(TRUTH, LABELS, **OF_CLASSES)
LOSSES = adjudge.statistics.ProbabilityLosses.make(evaluate(TRUTH, probabilities=SHARES)._forecasts)

KINDS: dict[type[Case], tuple[tuple[Any, ...], dict[str, Any]]] = {
    Clustering: ((TRUTH, LABELS), {"kind": "clustering"}),
    GivenClassifier: ((TRUTH, LABELS), OF_CLASSES),
    LabelSetCase: (SETS, {"kind": "multilabel"}),
    SampledClustering: ((TRUTH, LABELS), {"sampled": [0, 1]}),
    StructureCase: ((), {"labels": LABELS, "graph": [(i, (i + 1) % N) for i in range(N)]}),
    ConfusionCase: ((JUDGED.confusion,), {}),
    LossesCase: ((LOSSES,), {}),
}
OPTIONS: dict[str, Any] = {
    "noise": "drop",
    "missing": "drop",
    "adjust": True,
    "groups": RNG.integers(0, 2, N),
    "units": np.arange(N) // 2,
    "counts": np.ones(N, int),
    "sample_weight": np.ones(N),
    "probabilities": SHARES,
    "classes": [0, 1, 2],
    "positive": 1,
    "n_tables": 50,
    "random_state": 7,
    "batch": LABELS,
}


@each("kind, option", [(kind, option) for kind in KINDS for option in OPTIONS])
def test_an_option_is_read_or_refused(kind: type[Case], option: str) -> None:
    given, beside = KINDS[kind]
    if option == "batch" and kind is not SampledClustering:
        return  # with it, what is judged is of another kind
    asked = {**beside, option: OPTIONS[option]}
    if option in kind.reads:
        said = ""
        try:
            evaluate(*given, **asked)
        except InputError as error:  # it is read, and may not fit
            said = str(error)
        assert said != str(kind.refusal(option))
    else:
        with raises_line(InputError, str(kind.refusal(option))):
            evaluate(*given, **asked)


def test_counts_beside_sums_are_refused() -> None:
    message = "a classifier is judged from a confusion matrix alone: leave out counts="
    with raises_line(InputError, message):
        evaluate(JUDGED.confusion, counts=np.ones(N, int))


def test_points_beside_several_truths_are_judged_as_beside_one() -> None:
    X = RNG.normal(size=(N, 2))
    one = evaluate(TRUTH, LABELS, X=X, indices=["silhouette", "rand"])
    several = evaluate({"one": TRUTH, "two": LABELS}, LABELS, X=X, indices=["silhouette", "rand"])
    assert several["silhouette"] == one["silhouette"]
    assert several["rand"] == pytest.approx(1.0)
    assert (several.n_clusters, list(several.scores)) == (one.n_clusters, list(one.scores))
    assert several.score("rand").truth == "two"


def test_options_of_other_verbs_lead_there() -> None:
    X, labels = [[0.0], [1.0], [5.0]], [0, 0, 1]
    with raises_line(
        InputTypeError, "silhouette() has no option sample_size=: evaluate() estimates indices from samples"
    ):
        adjudge.silhouette(X, labels, sample_size=2)
    with raises_line(InputTypeError, "choose() has no option labels=: it is called candidates= here"):
        adjudge.choose(X, labels={"a": labels})
    with pytest.raises(InputTypeError, match=r"^choose\(\) has no option zzz=: there are X, ") as found:
        adjudge.choose(X, {"a": labels}, zzz=1)
    named = str(found.value).partition("there are ")[2].split(", ")
    assert len(set(named)) == len(named)
    assert "points_options" not in named
