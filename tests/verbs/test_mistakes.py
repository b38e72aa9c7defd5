"""What users of other programs type first: each call is told what is wrong, and what to type instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import adjudge
from adjudge.errors import InputError, InputTypeError, UnknownIndexError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
A, B = RNG.integers(0, 3, 30), RNG.integers(0, 3, 30)
SHARES = RNG.dirichlet([1, 1, 1], 30)
ONE_HOT = np.eye(3)[A]

POINTS = "has shape (30, 4), as points have: pass points as X= and their labels as labels="
ROWS = "take the largest of each row with .argmax(axis=1)"
MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "labels, then points": (lambda: adjudge.silhouette(A, X), InputError, f"labels {POINTS}"),
    "truth, then points": (lambda: adjudge.evaluate(A, X), InputError, f"labels_pred {POINTS}"),
    "X and labels swapped": (lambda: adjudge.evaluate(X=A, labels=X), InputError, f"labels {POINTS}"),
    "one column per class": (
        lambda: adjudge.evaluate(ONE_HOT, B, kind="classification"),
        InputError,
        f"labels_true has shape (30, 3), one column per class: {ROWS}",
    ),
    "probabilities as labels": (
        lambda: adjudge.evaluate(A, SHARES, kind="classification"),
        InputError,
        f"labels_pred has shape (30, 3), as probabilities have: {ROWS}, or pass them as probabilities=",
    ),
    "a frame of points": (
        lambda: adjudge.evaluate(pd.DataFrame(X), A),
        InputError,
        "labels_true is a DataFrame of shape (30, 4): pass one column of it, or points as X= and their labels as "
        "labels=",
    ),
    "the name of a file": (
        lambda: adjudge.evaluate("truth.csv", A),
        InputTypeError,
        "labels_true is the text 'truth.csv': give a sequence of labels, one for each instance",
    ),
    "names in one text": (
        lambda: adjudge.evaluate(A, B, indices="ari,ami"),
        UnknownIndexError,
        "no index is called 'ari,ami': these are 2 names: give indices= a list of them",
    ),
    "initials": (
        lambda: adjudge.evaluate(X=X, labels=A, indices="xb"),
        UnknownIndexError,
        "no index is called 'xb': did you mean xie_beni, ray_turi?",
    ),
    "hclust's name": (
        lambda: adjudge.choose_k(X, "ward.D2"),
        InputError,
        "estimator='ward.D2' is not known: did you mean 'ward'? There are 'kmeans', 'ward', 'average', 'complete', "
        "'single', 'gaussian_mixture'",
    ),
    "a name like none": (
        lambda: adjudge.choose_k(X, "median"),
        InputError,
        "estimator='median' is not known: choose one of 'kmeans', 'ward', 'average', 'complete', 'single', "
        "'gaussian_mixture'",
    ),
    "NbClust's option": (
        lambda: adjudge.choose_k(X, "ward", min_nc=2),
        InputTypeError,
        "choose_k() has no option min_nc=: it is called k= here",
    ),
    "scikit-learn's word for predictions": (
        lambda: adjudge.evaluate(A, B, kind="classification").confusion_table("pred"),  # type: ignore[attr-defined]
        InputError,
        "normalize='pred' is not known: it is called 'predicted' here",
    ),
    "strata": (
        lambda: adjudge.evaluate(A, B, kind="classification", strata=A),
        InputTypeError,
        "evaluate() has no option strata=: strata are not known; give the inverse of each instance's chance to be "
        "drawn as sample_weight=, with weights='importance' (groups= judges groups apart)",
    ),
    "a code of no data": (
        lambda: adjudge.evaluate(A, B, kind="classification", nodata=255),
        InputTypeError,
        "evaluate() has no option nodata=: write a label that stands for none as missing (None); missing='drop' "
        "leaves it out",
    ),
    "a slip beside the options of points": (
        lambda: adjudge.choose(X, {"a": A, "b": B}, indcies="all"),
        InputTypeError,
        "choose() has no option indcies=: did you mean indices=?",
    ),
    "the shell's command": (
        lambda: adjudge.raters,
        AttributeError,
        "module 'adjudge' has no attribute 'raters': adjudge.evaluate(ratings, kind='raters') does what the command "
        "does",
    ),
    "scikit-learn's option": (
        lambda: adjudge.nmi(A, B, average_method="max"),
        InputTypeError,
        "nmi() has no option average_method=: it is called average= here",
    ),
    "a slice of numbers": (
        lambda: adjudge.choose_k(X, "ward", k=slice(2, 6)),
        InputTypeError,
        "k is a slice: give the numbers of clusters to compare, as range(2, 11)",
    ),
    "numbers as text": (
        lambda: adjudge.choose_k(X, "ward", k="2:6"),
        InputTypeError,
        "k is a str: give the numbers of clusters to compare, as range(2, 11)",
    ),
    "a generator of points": (
        lambda: adjudge.evaluate(X=(row for row in X), labels=A),
        InputTypeError,
        "X is a generator: points are a matrix with one row per point",
    ),
    "the clusterer first": (
        lambda: adjudge.choose_k(KMeans(), X),
        InputTypeError,
        "X is a KMeans: points are a matrix with one row per point",
    ),
    "points as distances": (
        lambda: adjudge.evaluate(X=X, labels=A, metric="precomputed"),
        InputError,
        "X has shape (30, 4): precomputed distances are a square matrix; of points, leave out metric=",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_remedy(mistake: str) -> None:
    call, kind, said = MISTAKES[mistake]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == said


def test_the_ends_of_a_range_are_not_the_range() -> None:
    notices = {notice.code: notice.text for notice in adjudge.choose_k(X, "ward", k=(2, 6)).warnings}
    assert notices["two-candidates"] == (
        "only K = 2 and K = 6 were compared, and none between: give all that may be right to k="
    )
    assert not {"two-candidates"} & {n.code for n in adjudge.choose_k(X, "ward", k=(2, 3)).warnings}


def test_g2_is_gamma() -> None:
    assert adjudge.find_index("g2") is adjudge.find_index("gamma")


def test_a_text_is_no_sequence_of_classes() -> None:
    """Its letters would be classes."""
    labels, other = ["none", "mild", "none"], ["none", "none", "mild"]
    said = "classes='none,mild': a sequence of names is needed"
    table = {"t": labels, "p": other}
    for call in (
        lambda **own: adjudge.evaluate(labels, other, kind="classification", **own),
        lambda **own: adjudge.evaluate(
            pd.DataFrame(table), truth="t", pred="p", kind="classification", **own
        ),
        lambda **own: adjudge.evaluate(
            [[one] for one in labels], [[one] for one in other], kind="multilabel", **own
        ),
        lambda **own: adjudge.compare(labels, {"a": labels, "b": other}, kind="classification", **own),
        lambda **own: adjudge.evaluate(table, kind="raters", **own),
        lambda **own: adjudge.fleiss_kappa(table, **own),
    ):
        with pytest.raises(InputTypeError, match=said):
            call(classes="none,mild")
        call(classes=["none", "mild"])


def test_evaluations_have_the_warnings_of_all_once() -> None:
    truth = ["a", "b", None, "a"]
    models = {"p": ["a", None, "b", "a"], "q": ["a", "b", None, "b"], "r": ["b", None, "a", "b"]}
    found = adjudge.evaluate(truth, models, kind="classification", missing="drop")
    texts = [own.text for own in found.warnings]
    assert len({*texts}) == len(texts)
    assert {own.text for one in found.evaluations.values() for own in one.warnings} == {*texts}
    lost = [f"of {name!r}, 2 of the 4 rows are left out, without a label" for name in "pr"]
    assert {*lost, "of 'q', 1 of the 4 rows is left out, without a label"} < {*texts}
    assert [str(own) for own in found.warnings] == found.notes()
