"""A record of little and one of much: what they say of themselves, word for word."""

from __future__ import annotations

import dataclasses
import inspect
import math
from typing import Any

import pytest

import adjudge
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import all_indices, index_named
from adjudge.indices.comparative_record import comparative
from adjudge.indices.internal_record import internal
from adjudge.indices.label_record import classification, external
from adjudge.indices.parameter_meanings import MEANINGS, meaning_of
from adjudge.indices.record import inf
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.moments import Moments
from adjudge.statistics.pair_counts import PairCounts


@external(
    title="Mine",
    better="lower",
    range=(0, 2.5),
    reference="rand1971",
    formula=r"\frac{yy}{M}",
    undefined="sometimes.",
    note="A note.",
    peers={"prog": "theirs", "other": ("one", "two")},
    aliases=("own",),
    symbols={"M": "all of them"},
    family="mine",
)
def much(pairs: PairCounts, *, weight: float = 2.0, word: str = "a") -> float:
    """First line.

    More of it.

    Examples
    --------
    >>> 1 + 1
    2
    """
    return weight * pairs.yy


PARAMETERS = """\
Parameters
----------
labels_true : array-like of shape (n,), or Contingency, or matrix of shape (R, C)
    Reference labels; or, without `labels_pred`, a contingency table of counts.
labels_pred : array-like of shape (n,), optional
    Labels to judge.
counts : array-like of int of shape (n,), optional
    How many instances each row stands for.
sample_weight : array-like of float of shape (n,), optional
    Weights of the instances.
weights : {"frequency", "importance"}, optional
    Their meaning: the number of instances that a row stands for, or sampling weights of any scale.
missing : {"raise", "drop"}, default "raise"
    What to do with instances that have no label.
noise : {"cluster", "singletons", "drop"}, default "cluster"
    Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out.
noise_label : default -1
    The label of noise.
"""
HEAD = """\
First line.

Range [0, 2.5]; lower is better.

More of it.

Undefined (nan, with a reason): sometimes.

A note.
"""
RETURNS = """\
Returns
-------
float
    The value.
"""
NOTES = r"""Notes
-----
.. math:: \frac{yy}{M}

- ``yy``: pairs of instances that are joined in both partitions
- ``M``: all of them
"""
RAND = """\
References
----------
W. M. Rand (1971). Objective criteria for the evaluation of clustering methods. Journal of the American Statistical \
Association 66, 846-850.
"""


def test_the_documentation_of_much() -> None:
    parts = [
        HEAD,
        f"{PARAMETERS}weight : default 2.0\nword : default 'a'\n",
        RETURNS,
        NOTES,
        "Elsewhere: prog: ``theirs``, other: ``one``, other: ``two``.\n",
        RAND,
        "Examples\n--------\n>>> 1 + 1\n2\n",
    ]
    assert much.__doc__ == "\n".join(parts)
    assert much.summary == "First line."
    assert much.names_elsewhere == [("prog", "theirs"), ("other", "one"), ("other", "two")]


def test_the_documentation_of_a_variant_has_its_defaults_and_no_examples() -> None:
    variant = much.variant("mine", title="V", fixed={"weight": 3.0})
    parts = [HEAD, f"{PARAMETERS}weight : default 3.0\nword : default 'a'\n", RETURNS, NOTES, RAND]
    assert variant.__doc__ == "\n".join(parts)
    assert dict(variant.symbols) == {"M": "all of them"}
    assert variant.of(PairCounts(2, 0, 0, 0)) == 6.0
    assert dict(much.variant("mine", title="V", fixed={}, formula="yy").symbols) == {}


@internal(
    title="T", better=None, range=(-inf, inf), reference="nobody", best_k="max_diff", name="named", note="N."
)
def little(m: Moments) -> float:
    """Only this."""
    return 1.0


def test_the_documentation_of_little() -> None:
    assert (
        little.__doc__
        == f"""\
Only this.

Range (-inf, inf); best K by max diff.

N.

Parameters
----------
X : array-like of shape (n, p)
    Points, one per row; with ``metric="precomputed"`` their distances, of shape (n, n).
labels : array-like of shape (n,)
    Cluster of each point.
metric : str or callable, default "euclidean"
    A name from SciPy or scikit-learn, "precomputed", or a function of two points.
sample_weight : array-like of float of shape (n,), optional
    Weights of the points.
weights : {{"frequency", "importance"}}, optional
    What `sample_weight` means.
missing : {{"raise", "drop"}}, default "raise"
    Raise for points without a label, or leave them out.
noise : {{"cluster", "singletons", "drop"}}, default "cluster"
    Judge noise as one cluster, each noise point as a cluster, or leave noise out.
noise_label : default -1
    The label of noise.

{RETURNS}
References
----------
nobody
"""
    )
    assert little.name == little.__name__ == "named"  # type: ignore[attr-defined]


@comparative(title="C", range=(-1, 1), reference="biswas2022", name="mine")
def contrast(agreement: Agreement) -> float:
    """Contrast."""
    return 0.0


def test_the_documentation_of_a_comparative_measure() -> None:
    start, _, _ = contrast.__doc__.partition("\n\nReturns")
    assert (
        start
        == """\
Contrast.

Range [-1, 1]; higher is better.

Parameters
----------
labels_true : array-like of shape (n,)
    The truth G.
primary, alternative : array-like of shape (n,)
    Labels by the two models P and Q.
kind : {"clustering", "classification"}
    Whether pairs of instances or instances are counted.
missing : {"raise", "drop"}, default "raise"
noise : {"cluster", "singletons", "drop"}, default "cluster"
noise_label : default -1
    The label of noise."""
    )


@classification(title="S", range=(0, 1), reference="manning2008", name="mine")
def score(confusion: Confusion) -> float:
    """Score."""
    return 1.0


@external(title="E", better="higher", range=(0, 4), reference="nobody")
def plain(pairs: PairCounts) -> float:
    """Plain."""
    return 1.0


def test_facts_that_are_left_out() -> None:
    for record in (plain, little, contrast, score):
        assert (record.formula, record.undefined, record.family) == ("", "", "")
        assert (record.aliases, dict(record.peers), dict(record.fixed), dict(record.symbols)) == (
            (),
            {},
            {},
            {},
        )
        assert record.variant_of is None
        assert record.symmetric is False
    assert (plain.note, plain.best_k, plain.best) == ("", None, 4)
    assert (plain.identical_is_best, plain.identical_is_defined) == (True, True)
    assert (little.best_k, little.best, little.identical_is_best) == ("max_diff", None, False)
    assert (score.name, score.better, score.best) == ("mine", "higher", 1)
    assert (contrast.name, contrast.better, contrast.best) == ("mine", "higher", None)
    assert (plain.name, much.best) == ("plain", 0)
    assert (plain.requires, little.requires) == ((PairCounts,), (Moments,))
    assert (score.requires, contrast.requires) == ((Confusion,), (Agreement,))
    assert (contrast.identical_is_best, score.identical_is_best) == (False, True)
    kinds = [record.kind for record in (plain, little, contrast, score)]
    assert kinds == ["external", "internal", "comparative", "classification"]


def test_a_formula_that_says_nothing_of_itself() -> None:
    def silent(pairs: PairCounts) -> float:
        return 1.0

    record = external(title="S", better=None, range=(0, 1), reference="nobody")(silent)
    assert record.summary == ""
    assert (record.best, record.identical_is_best) == (None, False)
    assert record.__doc__.startswith("\n\nRange [0, 1].\n\nParameters\n")


def test_statistics_may_be_named_where_annotations_cannot_tell() -> None:
    def any_of(*statistics: Any) -> float:
        return float(len(statistics))

    record = internal(
        title="A",
        better="lower",
        range=(0, 2),
        reference="nobody",
        best_k=None,
        name="any_of",
        requires=(Moments,),
    )(any_of)
    assert record.requires == (Moments,)


def test_records_and_notes_do_not_change() -> None:
    from adjudge.indices.record import Noted

    note = Noted(math.nan, "why")
    for thing, name in ((note, "reason"), (much, "range")):
        with pytest.raises(AttributeError):
            setattr(thing, name, "other")
    assert not hasattr(note, "__dict__")
    assert len({much, much.variant("much", title="Mine", fixed={})}) == 2


def test_every_option_of_a_call_is_documented() -> None:
    for name in all_indices():
        record = index_named(name)
        documented = (record.__doc__ or "").partition("Parameters\n")[2].partition("Returns\n")[0]
        listed = [
            one
            for line in documented.splitlines()
            if " : " in line
            for one in line.split(" : ")[0].split(", ")
        ]
        called = [
            own.name
            for own in inspect.signature(record).parameters.values()
            if own.kind is not own.VAR_KEYWORD
        ]
        assert [own for own in called if own not in listed] == [], name


def test_options_of_points_have_their_meaning_and_default() -> None:
    for index, options in ((adjudge.dbcv, ("dimension", "tree")), (adjudge.disco, ("min_points",))):
        assert index.options_of_points == options
        for own in dataclasses.fields(PointOptions):
            assert (f"\n{own.name} : " in index.__doc__) == (own.name in (*options, "metric"))
    assert (
        '\ntree : {"densest_first", "ordered", "prim", "index"}, default "densest_first"\n    The minimum spanning tree'
        in adjudge.dbcv.__doc__
    )
    assert inspect.signature(adjudge.disco).parameters["min_points"].default == 5
    with pytest.raises(TypeError, match="has no option tree="):
        adjudge.dunn([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1], tree="index")


def test_every_parameter_of_a_formula_has_a_meaning_and_every_meaning_a_parameter() -> None:
    records = adjudge.list_indices()
    taken = {(name, record.function.__name__) for record in records for name in record.parameters}
    assert [of for of in taken if not meaning_of(*of)] == []
    written = {(name, own) for name, of in MEANINGS.items() for own in ([""] if isinstance(of, str) else of)}
    read = {(name, own if own in of else "") for name, own in taken if (of := MEANINGS[name])}
    assert (
        written - {(name, own if not isinstance(MEANINGS[name], str) else "") for name, own in read} == set()
    )


def test_precision_and_recall_are_not_explained_as_their_f() -> None:
    said = {record.name: record.summary for record in adjudge.list_indices("external")}
    for stem in ("muc", "ceaf_e", "blanc", "lea", "exact_cluster"):
        own = {
            text
            for name, text in said.items()
            if name.removeprefix(f"{stem}_") in ("precision", "recall", "f")
        }
        assert len(own) >= 2
        assert {said[f"{stem}_precision"], said[f"{stem}_recall"]}.isdisjoint(
            {said.get(f"{stem}_f"), said.get(stem)}
        )
    assert (
        said["muc_recall"]
        == "Share of the links that hold true clusters together that the prediction has, too."
    )
    assert said["exact_cluster_precision"].endswith("as a share of the predicted clusters.")
