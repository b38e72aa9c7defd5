"""Options that belong together: `Classifier`, `Points` and `Compute` say what their keywords say."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import Classifier, Compute, InputError, InputTypeError, Points, choose, compare, evaluate
from adjudge.given.option_groups import OF_TABLES, ShortForms
from adjudge.given.point_options import PointOptions
from adjudge.given.structures import STRUCTURES, StructureKeywords
from conftest import raises_line

RNG = np.random.default_rng(4)
TRUTH = np.where(RNG.random(80) < 0.5, "yes", "no")
LIKELY = np.clip(np.where(TRUTH == "yes", 0.6, 0.4) + RNG.normal(0, 0.2, 80), 0.01, 0.99)
OTHER = RNG.random(80)
X, LABELS = RNG.normal(size=(80, 3)), RNG.integers(0, 4, 80)


def same(one: Any, other: Any) -> None:
    assert repr(one.to_dict()) == repr(other.to_dict())


def test_a_classifier_says_what_its_keywords_say() -> None:
    whole = evaluate(TRUTH, Classifier(probabilities=LIKELY, positive="no", classes=["no", "yes"]))
    same(whole, evaluate(TRUTH, probabilities=LIKELY, positive="no", classes=["no", "yes"]))
    labels = np.where(OTHER > 0.3, "yes", "no")
    same(evaluate(TRUTH, Classifier(labels, scores=OTHER)), evaluate(TRUTH, labels, scores=OTHER))


def test_points_say_what_their_keywords_say() -> None:
    grouped = evaluate(
        X=Points(X, metric="cosine", n_neighbors=9), labels=LABELS, indices=["silhouette", "lisi"]
    )
    plain = evaluate(X=X, labels=LABELS, metric="cosine", n_neighbors=9, indices=["silhouette", "lisi"])
    same(grouped, plain)
    candidates = {"a": LABELS, "b": LABELS % 2}
    same(
        choose(Points(X, metric="cosine"), candidates, random_state=0),
        choose(X, candidates, metric="cosine", random_state=0),
    )


def test_compute_says_what_its_keywords_say(tmp_path: Path) -> None:
    compute = Compute(n_jobs=1, memory_limit=1 << 20, checkpoint=tmp_path / "pass", progress=False)
    grouped = evaluate(X=X, labels=LABELS, indices=["gamma", "silhouette"], compute=compute)
    assert grouped.values == evaluate(X=X, labels=LABELS, indices=["gamma", "silhouette"]).values
    assert grouped.settings["memory_limit"] == 1 << 20
    candidates = {"a": LABELS, "b": LABELS % 2}
    same(
        choose(X, candidates, compute=Compute(n_jobs=1), random_state=0),
        choose(X, candidates, n_jobs=1, random_state=0),
    )


def test_models_are_compared_as_classifiers() -> None:
    models = {"a": Classifier(probabilities=LIKELY, positive="yes"), "b": Classifier(probabilities=OTHER)}
    flat = compare(TRUTH, probabilities={"a": LIKELY, "b": OTHER}, positive="yes")
    same(compare(TRUTH, models), flat)
    labels = {"a": np.where(LIKELY > 0.4, "yes", "no"), "b": np.where(OTHER > 0.4, "yes", "no")}
    scored = {"a": Classifier(labels["a"], scores=LIKELY), "b": Classifier(labels["b"], scores=OTHER)}
    same(compare(TRUTH, scored), compare(TRUTH, labels, scores={"a": LIKELY, "b": OTHER}))


def test_several_classifiers_are_judged_in_one_call() -> None:
    found = evaluate(
        TRUTH, {"a": Classifier(probabilities=LIKELY), "b": Classifier(probabilities=OTHER)}, positive="no"
    )
    for name, own in (("a", LIKELY), ("b", OTHER)):
        assert found[name].values == evaluate(TRUTH, probabilities=own, positive="no").values


def test_an_option_is_given_once() -> None:
    with raises_line(InputError, "metric= was given twice: in Points, and as a keyword"):
        evaluate(X=Points(X, metric="cosine"), labels=LABELS, metric="cityblock")
    with raises_line(InputError, "n_jobs= was given twice: in Compute, and as a keyword"):
        evaluate(X=X, labels=LABELS, n_jobs=2, compute=Compute(n_jobs=1))
    with raises_line(InputError, "probabilities= was given twice: in Classifier, and as a keyword"):
        evaluate(TRUTH, Classifier(probabilities=LIKELY), probabilities=OTHER)
    with raises_line(InputError, "probabilities= was given twice: in Classifier, and as a keyword"):
        compare(TRUTH, {"a": Classifier(probabilities=LIKELY)}, probabilities={"a": OTHER})


def test_what_does_not_fit_is_named() -> None:
    with raises_line(InputTypeError, "compute= is an int: give a Compute"):
        evaluate(X=X, labels=LABELS, compute=4)  # type: ignore[call-overload]
    with raises_line(InputError, "model 'b' has neither labels nor probabilities: give one of them"):
        compare(TRUTH, {"a": Classifier(labels=TRUTH), "b": Classifier(scores=OTHER)})
    with raises_line(InputError, "probabilities= and scores= were given: give one of them"):
        compare(TRUTH, {"a": Classifier(probabilities=LIKELY), "b": Classifier(scores=OTHER)})
    with raises_line(InputError, "positive= differs between the models: give the same for all"):
        compare(
            TRUTH,
            {
                "a": Classifier(probabilities=LIKELY, positive="no"),
                "b": Classifier(probabilities=OTHER, positive="yes"),
            },
        )


def test_groups_and_short_forms_are_the_options_that_there_are() -> None:
    """One list of options: that of what checks them."""
    fields = {own: {f.name for f in dataclasses.fields(own)} for own in (Classifier, Points, Compute)}
    of_points = set(inspect.signature(PointOptions).parameters) | {"sample_size"}
    assert (fields[Points] - {"X"}) | fields[Compute] == of_points
    keywords = set(StructureKeywords.__annotations__)
    assert keywords == STRUCTURES.keys()
    keywords |= {*OF_TABLES}
    assert set(ShortForms.__annotations__) - keywords == of_points | (fields[Classifier] - {"labels"})


def test_groups_of_instances_have_two_names() -> None:
    groups = RNG.integers(0, 2, 80)
    said = np.where(LIKELY > 0.5, "yes", "no")
    same(adjudge.evaluate(TRUTH, said, by=groups), adjudge.evaluate(TRUTH, said, groups=groups))
    with pytest.raises(InputTypeError, match="groups= was given twice: it is the same as by="):
        adjudge.evaluate(TRUTH, said, by=groups, groups=groups)
