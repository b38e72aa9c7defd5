"""Classifiers whose classes form a tree: the definitions on sets of ancestors, and what a taxonomy is read from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, InputTypeError, Taxonomy, evaluate
from adjudge.inference.influence import Influence
from cases import each
from conftest import raises_line, read_reference

KINDS = Taxonomy.from_paths(["animal/mammal/cat", "animal/mammal/dog", "animal/bird", "plant"])


def drawn(seed: int) -> tuple[dict[int, Any], list[int], list[int]]:
    """Draw a taxonomy with one root or several, and true and predicted classes, leaves or not."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 12)), int(rng.integers(1, 30))
    tops = 1 + seed % 3
    parents: dict[int, Any] = {i: None if i < tops else int(rng.integers(i)) for i in range(k + tops)}
    truth = rng.integers(0, len(parents), n)
    guessed = np.where(rng.random(n) < 0.4, truth, rng.integers(0, len(parents), n))
    return parents, truth.tolist(), guessed.tolist()


class Naive:
    """Scores from the sets of ancestors of each class."""

    def __init__(self, parents: dict[Any, Any], truth: list[Any], guessed: list[Any]) -> None:
        self.parents = parents
        tops = [name for name, above in parents.items() if above is None]
        self.root = tops if len(tops) == 1 else []
        self.pairs = list(zip(truth, guessed, strict=True))

    def path(self, name: Any) -> list[Any]:
        """The class, and those above it up to the root."""
        path = [name]
        while self.parents[path[-1]] is not None:
            path.append(self.parents[path[-1]])
        return path if self.root else [*path, "the root"]

    def above(self, name: Any) -> set[Any]:
        return set(self.path(name)[:-1])

    def values(self) -> dict[str, float]:
        sets = [(self.above(t), self.above(p)) for t, p in self.pairs]
        both, true, guessed = (
            sum(map(len, own))
            for own in ([t & p for t, p in sets], [t for t, _ in sets], [p for _, p in sets])
        )
        f1, steps, of_paths = [], [], []
        for one, other in ((self.path(t), self.path(p)) for t, p in self.pairs):
            lowest = next(name for name in one if name in other)
            down = set(one[: one.index(lowest) + 1]), set(other[: other.index(lowest) + 1])
            shares = [len(down[0] & down[1]) / len(own) for own in down]
            of_paths.append(shares)
            f1.append(2 * shares[0] * shares[1] / sum(shares))
            steps.append(len(down[0]) + len(down[1]) - 2)
        first = [(self.path(t)[-2], self.path(p)[-2:-1]) for t, p in self.pairs if len(self.path(t)) > 1]
        return {
            "hierarchical_precision": both / guessed if guessed else math.nan,
            "hierarchical_recall": both / true if true else math.nan,
            "hierarchical_f1": 2 * both / (true + guessed) if true + guessed else math.nan,
            "lca_precision": float(np.mean([own[1] for own in of_paths])),
            "lca_recall": float(np.mean([own[0] for own in of_paths])),
            "lca_f1": float(np.mean(f1)),
            "tree_distance": float(np.mean(steps)),
            "accuracy_at_depth": float(np.mean([[t] == p for t, p in first])) if first else math.nan,
        }

    def at_depth(self, depth: int) -> tuple[float, float, float]:
        """Recall, precision and F1 of the classes at a depth."""
        pairs = [[self.path(name)[::-1][depth : depth + 1] for name in pair] for pair in self.pairs]
        right = sum(bool(t) and t == p for t, p in pairs)
        true, guessed = (sum(bool(pair[side]) for pair in pairs) for side in (0, 1))
        return right / true, right / guessed if guessed else math.nan, 2 * right / (true + guessed)


@each("seed", range(90), keep=30)
def test_definitions_on_sets_of_ancestors(seed: int) -> None:
    parents, truth, guessed = drawn(seed)
    found = evaluate(truth, guessed, taxonomy=parents, indices="all")
    expected = Naive(parents, truth, guessed).values()
    assert found.values == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert found.reasons.keys() == {name for name, value in expected.items() if math.isnan(value)}
    by_depth = zip(
        *(found.details[f"{name}_by_depth"] for name in ("accuracy", "precision", "f1")), strict=True
    )
    for depth, own in enumerate(by_depth, 1):
        assert own == pytest.approx(Naive(parents, truth, guessed).at_depth(depth), nan_ok=True)
    # Names, and the order of instances and of the taxonomy, change nothing.
    order = np.random.default_rng(seed).permutation(len(truth))
    renamed = {
        f"class {name}": None if above is None else f"class {above}" for name, above in parents.items()
    }
    names = [[f"class {own[i]}" for i in order] for own in (truth, guessed)]
    again = evaluate(*names, taxonomy=dict(reversed(renamed.items())), indices="all")
    assert again.values == pytest.approx(found.values, rel=1e-14, nan_ok=True)


@each("seed", range(4), keep=2)
def test_influence_is_what_leaving_one_out_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = ["cat", "dog", "bird", "plant"]
    truth = rng.choice(names, 100)
    guessed = np.where(rng.random(100) < 0.6, truth, rng.choice(names, 100))
    for record in adjudge.list_indices("taxonomy"):
        without = [record(np.delete(truth, i), np.delete(guessed, i), taxonomy=KINDS) for i in range(100)]
        value = record(truth, guessed, taxonomy=KINDS)
        left_out = Influence.of_left_out(value, np.array(without), np.ones(100))
        statistic = adjudge.statistics.making.Made(
            adjudge.given.structures.read_structures(truth, guessed, keywords={"taxonomy": KINDS}).things
        )[record.requires[0]]
        assert Influence.centred(value, record.influence(statistic)).psi == pytest.approx(
            left_out.psi, abs=0.03
        )


def test_depths_and_details() -> None:
    truth, guessed = ["cat", "dog", "bird", "plant", "animal"], ["dog", "dog", "cat", "cat", "bird"]
    found = evaluate(truth, guessed, taxonomy=KINDS, confidence=0.9, adjust=True, random_state=1)
    assert found.details["accuracy_by_depth"].tolist() == [0.8, 2 / 3, 0.5]
    assert found.details["precision_by_depth"].tolist() == [0.8, 0.4, 0.25]
    assert found.details["f1_by_depth"].tolist() == pytest.approx([0.8, 0.5, 1 / 3])
    for depth, value in ((1, 0.8), (2, 2 / 3), (3, 0.5)):
        assert adjudge.accuracy_at_depth(truth, guessed, taxonomy=KINDS, depth=depth) == value
    assert math.isnan(adjudge.accuracy_at_depth(truth, guessed, taxonomy=KINDS, depth=4))
    assert found.settings["of"] == "classification"
    assert str(found).startswith(
        "Evaluation of 5 instances (labels_true: 5 classes, labels_pred: 3 classes)\n"
    )
    # With predictions in random order, the expectation is that over all pairs of a true and a predicted class.
    crossed = [
        [own[i] for own in (truth, guessed) for i in [k // 5 if own is truth else k % 5]] for k in range(25)
    ]
    by_chance = adjudge.hierarchical_f1(*zip(*crossed, strict=True), taxonomy=KINDS)
    assert found.score("hierarchical_f1").expected == pytest.approx(by_chance, abs=0.03)
    # The truth stays where it is, even if it is the prediction.
    coded = adjudge.given.labels.code_labels(["cat", "dog", "bird", "plant"], "labels")
    same = evaluate(coded, coded, taxonomy=KINDS, adjust=True, random_state=1).score("hierarchical_f1")
    assert same.expected < same.value == 1
    several = evaluate(truth, {"a": guessed, "b": truth}, taxonomy=KINDS)
    assert several["b", "tree_distance"] == 0.0
    assert several["a", "tree_distance"] == found["tree_distance"]


def test_what_a_taxonomy_is_read_from() -> None:
    parents = {
        "cat": "mammal",
        "dog": "mammal",
        "mammal": "animal",
        "bird": "animal",
        "animal": None,
        "plant": None,
    }
    pairs = list(parents.items())
    levels = [
        ("animal", "mammal", "cat"),
        ("animal", "mammal", "dog"),
        ("animal", "bird", None),
        ("plant", "", math.nan),
    ]
    truth, guessed = ["cat", "dog", "bird", "plant"], ["dog", "dog", "cat", "cat"]
    whole = evaluate(truth, guessed, taxonomy=KINDS).values
    for given in (
        parents,
        pairs,
        pd.DataFrame(pairs),
        pl.DataFrame(pairs, orient="row", schema=["class", "above"]),
        Taxonomy.from_levels(levels),
        Taxonomy.from_levels(pd.DataFrame(levels)),
        Taxonomy.from_paths([">".join(filter(lambda x: x == x and x, row)) for row in levels], separator=">"),
    ):
        assert evaluate(truth, guessed, taxonomy=given).values == whole
    full = ["animal/mammal/cat", "animal/mammal/dog", "animal/bird", "plant"]
    assert evaluate(full, guessed, taxonomy=KINDS).values == whole
    # A single class at the top is the root of a parent table; paths have a root of their own.
    assert math.isnan(adjudge.hierarchical_f1(["a"], ["a"], taxonomy={"b": "a"}))
    assert adjudge.hierarchical_f1(["a"], ["a/b"], taxonomy=Taxonomy.from_paths(["a/b"])) == 2 / 3
    assert (
        adjudge.tree_distance(
            ["x/end", "y/end"], ["y/end", "y/end"], taxonomy=Taxonomy.from_paths(["x/end", "y/end"])
        )
        == 2
    )
    # A class may be called "nan"; numbers in the labels find their text.
    assert (
        adjudge.tree_distance(["nan", 1], ["nan", 2], taxonomy={"nan": None, "1": "nan", "2": "nan"}) == 1.0
    )
    # A missing label may be dropped: a taxonomy has no instances that would miss it.
    assert evaluate(["cat", None], ["dog", "cat"], taxonomy=KINDS, missing="drop").n == 1


def test_hostile_taxonomies() -> None:
    for call, message in [
        (
            lambda: evaluate(["cat"], ["dgo"], taxonomy=KINDS),
            "labels_pred has the label 'dgo', which the taxonomy lacks: did you mean 'dog'?",
        ),
        (
            lambda: evaluate(["x/end"], ["end"], taxonomy=Taxonomy.from_paths(["x/end", "y/end"])),
            "labels_pred has the label 'end', which the taxonomy lacks: did you mean 'y/end', 'x/end'?",
        ),
        (
            lambda: evaluate(["cat"], ["8"], taxonomy=KINDS),
            "labels_pred has the label '8', which the taxonomy lacks: add it, with the class above it",
        ),
        (
            lambda: Taxonomy({"a": "b", "b": "c", "c": "b"}),
            "a class is below itself: b < c < b: remove one step",
        ),
        (lambda: Taxonomy({"a": "a"}), "a class is below itself: a < a: remove one step"),
        (
            lambda: Taxonomy({"t": None, "a": "b", "b": "a"}),
            "a class is below itself: a < b < a: remove one step",
        ),
        (
            lambda: Taxonomy([("a", "b"), ("a", "c")]),
            "'a' is below 'b' and below 'c': give each class one parent",
        ),
        (
            lambda: Taxonomy([("a",)]),
            "parents has a row of 1 entries: give pairs of a class and the one above it",
        ),
        (lambda: Taxonomy([("", "b")]), "parents has no name for a class below 'b': give each class a name"),
        (lambda: Taxonomy({}), "the taxonomy has no classes: give the class above each class"),
        (lambda: Taxonomy.from_paths([]), "there are no paths: give the full path of each class"),
        (lambda: Taxonomy.from_paths(["a//b"]), "the path 'a//b' has an empty name: give each level a name"),
        (
            lambda: Taxonomy.from_paths(["a/b"], ">"),
            "no path has the separator '>', such as 'a/b': give the one that they have",
        ),
        (
            lambda: Taxonomy.from_levels([("a/b", "c"), ("a", "b/c")]),
            "two classes have the path 'a/b/c': pass a separator that no name has",
        ),
        (
            lambda: Taxonomy({"animal": ["cat", "dog"]}),
            "'animal' is below ['cat', 'dog']: map each class to the one class above it",
        ),
        (
            lambda: adjudge.accuracy_at_depth(["cat"], ["dog"], taxonomy=KINDS, depth=0),
            "depth=0: a whole number of at least 1 is needed",
        ),
        (lambda: Taxonomy.from_paths(["a"], ""), "separator='': give the text between the names in a path"),
        (
            lambda: Taxonomy.from_levels([(None, "b")]),
            "levels has (None, 'b'): a level is empty above a filled one",
        ),
        (
            lambda: evaluate(["cat"], ["dog"], taxonomy=KINDS, kind="clustering"),
            "labels beside a taxonomy are classes: leave out kind='clustering'",
        ),
        (
            lambda: evaluate(["cat"], ["dog"], taxonomy=KINDS, indices="rand"),
            "rand does not read a taxonomy: leave out taxonomy=",
        ),
        (
            lambda: evaluate(["cat"], ["dog"], taxonomy=KINDS, groups=["g"]),
            "groups= does not work with a graph, a tree, batches, overlapping or soft clusters: leave it out",
        ),
        (lambda: evaluate(["cat"], KINDS), "labels_pred is a Taxonomy: give it as taxonomy="),
        (
            lambda: evaluate(taxonomy=KINDS),
            "nothing to judge from a taxonomy alone: give labels_true= and labels_pred= as well",
        ),
        (
            lambda: evaluate(["cat"], ["dog", "cat"], taxonomy=KINDS),
            "labels_pred has 2 entries, labels_true has 1: they must have the same length",
        ),
    ]:
        with raises_line(InputError, message):
            call()
    for wrong, message in [
        ("a/b", "paths has a str: give a sequence of texts"),
        ([None], "paths has a NoneType: give a sequence of texts"),
        ([0], "paths has an int: give a sequence of texts"),
    ]:
        with raises_line(InputTypeError, message):
            Taxonomy.from_paths(wrong)
    with raises_line(InputTypeError, "parents is an int: give a data frame or a sequence of tuples"):
        Taxonomy(3)
    for given, message in [
        (["ab", "cd"], "levels has 'ab': give a data frame or a sequence of tuples"),
        ({"high": ["a"], "low": ["b"]}, "levels is a dict: give a data frame or a sequence of tuples"),
    ]:
        with raises_line(InputTypeError, message):
            Taxonomy.from_levels(given)


def test_numbers_and_their_text_are_the_same_class() -> None:
    for labels in ([1, 2], ["1", "2"]):
        for parents in ({1: 0, 2: 0}, {"1": "0", "2": "0"}):
            assert adjudge.tree_distance(labels, labels[::-1], taxonomy=parents) == 2


def test_the_interval_of_a_variant_is_about_its_own_depth() -> None:
    truth, guess = ["cat", "dog"] * 20, ["cat", "cat"] * 20
    deep = adjudge.accuracy_at_depth.variant("accuracy_at_depth_3", title="", fixed={"depth": 3})
    others = ["plant"] * 20
    found = evaluate(
        [*truth, *others], [*guess, *truth[:20]], taxonomy=KINDS, indices=[deep], confidence=0.95
    )
    right = evaluate(truth, guess, kind="classification", indices="accuracy", confidence=0.95)
    assert found[deep.name] == right["accuracy"]
    assert found.intervals[deep.name] == pytest.approx(right.intervals["accuracy"], abs=0.02)


# --- several classes per instance -------------------------------------------------------------------------------


def drawn_sets(seed: int) -> tuple[dict[int, Any], list[set[int]], list[set[int]]]:
    parents, truth, _ = drawn(seed)
    rng = np.random.default_rng(seed + 1000)
    sets = [
        [set(rng.integers(0, len(parents), rng.integers(0, 4)).tolist()) for _ in truth] for _ in range(2)
    ]
    return parents, sets[0], sets[1]


@each("seed", range(60), keep=20)
def test_the_ancestors_of_several_classes(seed: int) -> None:
    parents, truth, guessed = drawn_sets(seed)
    if not any(truth) or not any(guessed):
        return
    found = evaluate(truth, guessed, taxonomy=parents, kind="multilabel", indices="all")
    twin = Naive(parents, [], [])
    pairs = [
        [{above for name in own for above in twin.above(name)} for own in pair]
        for pair in zip(truth, guessed, strict=True)
    ]
    both, true, predicted = (
        sum(own) for own in zip(*((len(t & p), len(t), len(p)) for t, p in pairs), strict=True)
    )
    expected = {
        "hierarchical_precision": both / predicted if predicted else math.nan,
        "hierarchical_recall": both / true if true else math.nan,
        "hierarchical_f1": 2 * both / (true + predicted) if true + predicted else math.nan,
    }
    assert found.values == pytest.approx(expected, rel=1e-12, nan_ok=True)
    order = np.random.default_rng(seed).permutation(len(truth))
    again = evaluate(
        [truth[i] for i in order],
        [guessed[i] for i in order],
        taxonomy=parents,
        kind="multilabel",
        indices="all",
    )
    assert again.values == pytest.approx(found.values, rel=1e-14, nan_ok=True)


def test_several_classes_in_hiclass() -> None:
    stored = read_reference("several_classes.json")
    assert stored["program"] == "hiclass 5.0.8"
    for case in stored["cases"]:
        kinds = Taxonomy.from_paths([path for own in (*case["true"], *case["predicted"]) for path in own])
        found = evaluate(case["true"], case["predicted"], taxonomy=kinds, kind="multilabel")
        for name, value in found.values.items():
            assert value == pytest.approx(case[name], rel=1e-12), name
    assert len(stored["cases"]) == 12


def test_one_class_is_a_set_of_one() -> None:
    truth, guessed = ["cat", "dog", "bird", "plant", "animal"] * 9, ["dog", "dog", "cat", "cat", "bird"] * 9
    one = evaluate(truth, guessed, taxonomy=KINDS, confidence=0.9)
    sets = [[{label} for label in own] for own in (truth, guessed)]
    several = evaluate(*sets, taxonomy=KINDS, kind="multilabel", confidence=0.9, adjust=True, random_state=0)
    for name in several:
        assert several[name] == one[name]
        assert several.intervals[name] == one.intervals[name]
    assert several.score("hierarchical_f1").expected < several["hierarchical_f1"]
    frame = pd.DataFrame({name: [int(label == name) for label in truth] for name in sorted(set(truth))})
    assert evaluate(frame, sets[1], taxonomy=KINDS, kind="multilabel").values == several.values
    models = evaluate(sets[0], {"a": sets[1], "b": sets[0]}, taxonomy=KINDS, kind="multilabel")
    assert models["a", "hierarchical_f1"] == several["hierarchical_f1"]
    assert models["b", "hierarchical_f1"] == 1.0


def test_sets_that_cannot_be_judged() -> None:
    sets = [{"cat"}, {"dog", "plant"}]
    for message, call in [
        ("labels_true has the label 'cow', which the taxonomy lacks: add it, with the class above it",
         {"labels_true": [{"cow"}, {"dog"}]}),
        ("labels_pred has 3 instances, labels_true has 2: they must be the same instances",
         {"labels_pred": [{"cat"}] * 3}),
        ("lca_f1 needs true labels and predicted labels: give labels_true= and labels_pred=",
         {"indices": "lca_f1"}),
        ("noise= does not work with a graph, a tree, batches, overlapping or soft clusters: leave it out",
         {"noise": "drop"}),
    ]:  # fmt: skip
        given = {"labels_true": sets, "labels_pred": sets, **call}
        with raises_line(InputError, message):
            evaluate(**given, taxonomy=KINDS, kind="multilabel")
    empty = evaluate([set(), {"cat"}], [set(), set()], taxonomy=KINDS, kind="multilabel")
    assert empty.reasons == {"hierarchical_precision": "0/0: no class below the root is predicted"}
    assert empty["hierarchical_recall"] == 0.0
