"""Indices are found by name, alias, other programs' names and abbreviations, in any case."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError, InputTypeError, UnknownIndexError, evaluate, find_index, list_indices
from adjudge.exported import public_names, public_object
from adjudge.indices import catalog
from adjudge.indices.index_list import IndexList
from adjudge.indices.kinds import KINDS
from adjudge.indices.label_record import external
from adjudge.statistics.pair_counts import PairCounts
from cases import each
from conftest import raises_line

# Names that mean something else here, or to several programs.
OTHERWISE = {
    ("NbClust", "Hartigan"): "hartigan",
    ("NbClust", "Hubert"): "pair_phi",
    ("aricode", "AMI"): "ami",
    ("aricode", "NMI"): "nmi",
    ("clue", "NMI"): "nmi",
    ("clusterCrit", "Phi"): "pair_phi",
    ("clusterCrit", "Precision"): "precision",
    ("clusterCrit", "Recall"): "recall",
    ("clusterCrit", "Silhouette"): "silhouette",
    ("permetrics", "jaccard_score"): None,
    ("permetrics", "precision_score"): None,
    ("permetrics", "recall_score"): None,
}


@each("record", list_indices())
def test_names_in_other_programs_find_their_index(record: Any) -> None:
    for program, name in record.names_elsewhere:
        expected = OTHERWISE.get((program, name), record.name)
        if expected is None:
            with pytest.raises(UnknownIndexError, match="is ambiguous"):
                find_index(name)
        else:
            for written in (name, name.lower(), name.upper()):
                assert find_index(written).name == expected


@each("record", list_indices())
def test_every_name_and_alias_finds_its_record(record: Any) -> None:
    assert find_index(record.name) is record
    assert find_index(record.name.upper().replace("_", "-")) is record
    assert find_index(f" {record.name.replace('_', ' ').title()} ") is record
    for alias in record.aliases:
        assert find_index(alias, record.kind) is record
    assert find_index(record.name, record.kind) is record


REMOTE_SENSING = {
    "overall accuracy": "accuracy",
    "Overall_Accuracy": "accuracy",
    "OA": "accuracy",
    "user's accuracy": "precision",
    "users accuracy": "precision",
    "UA": "precision",
    "commission error": "precision",
    "producer\u2019s accuracy": "recall",
    "omission error": "recall",
    "mIoU": "macro_jaccard",
    "mean IoU": "macro_jaccard",
}


@pytest.mark.parametrize("name", REMOTE_SENSING)
def test_words_of_remote_sensing_lead_to_an_index(name: str) -> None:
    with pytest.raises(UnknownIndexError, match=f"did you mean {REMOTE_SENSING[name]}\\?$"):
        find_index(name)
    assert catalog.mentions(find_index(REMOTE_SENSING[name]), name.replace("_", " "))


def test_words_that_many_notes_have_lead_to_none() -> None:
    with pytest.raises(UnknownIndexError, match="lists them all"):
        find_index("mean over the classes")


def test_an_index_of_one_class_is_a_score_by_class() -> None:
    with pytest.raises(UnknownIndexError) as caught:
        find_index("recall[6]")
    assert str(caught.value) == (
        "no index is called 'recall[6]': a result has the scores of each class in by_class; only a gate takes that of "
        "one"
    )


def test_names_occur_once() -> None:
    names = [record.name for record in list_indices()]
    assert len(names) == len(set(names))
    for kind in catalog.KINDS:
        taken = [n for r in list_indices(kind) for n in {r.name, *r.aliases}]
        assert len(taken) == len(set(taken))


@pytest.mark.parametrize(
    ("prefix", "kind", "expected"),
    [
        ("jac", None, "jaccard"),
        ("JACC", None, "jaccard"),
        ("prec", "external", "pair_precision"),
        ("Hom", None, "homogeneity"),
        ("variation of", None, "variation_of_information"),
        ("goodman-k", None, "goodman_kruskal"),
        # An exact name wins over longer ones, and so does an exact alias.
        ("rand", None, "rand"),
        ("nmi", None, "nmi"),
        ("ami", None, "ami"),
        # A key of genieclust's compare_partitions ("r" alone is ambiguous).
        ("ar", None, "adjusted_rand"),
        ("purity", None, "purity"),
        ("precision", None, "precision"),
        ("phi", None, "pair_phi"),
        ("dice", None, "pair_f"),
        ("trace_w", None, "trace_w"),
        ("calin", None, "calinski_harabasz"),
        ("dav", None, "davies_bouldin"),
        # An abbreviation of an alias.
        ("czek", None, "pair_f"),
        # Names of ours are looked at before those of other programs (fpc's dunn2), and a name that begins all others
        # is meant itself.
        ("dun", None, "dunn"),
        ("och", None, "fowlkes_mallows"),
        # Two names of one record are not ambiguous.
        ("adjusted_asym", None, "adjusted_asymmetric_accuracy"),
        ("pair_sets", None, "pair_sets_index"),
        ("accur", "classification", "accuracy"),
        ("hub", "external", "pair_phi"),
        ("comparative_d", None, "comparative_deviation"),
    ],
)
def test_abbreviations(prefix: str, kind: Any, expected: str) -> None:
    assert find_index(prefix, kind).name == expected


def test_errors_of_names() -> None:
    with raises_line(
        UnknownIndexError, "'sokal' is ambiguous: it may be gower_legendre, sokal_sneath1, sokal_sneath3"
    ):
        find_index("sokal")
    with raises_line(
        UnknownIndexError,
        "'comparative' is ambiguous: it may be comparative_deviation, comparative_rightness",
    ):
        find_index("comparative")
    with raises_line(
        UnknownIndexError, "no index is called 'jacard': did you mean jaccard, micro_jaccard, macro_jaccard?"
    ):
        find_index("jacard")
    with raises_line(UnknownIndexError, "no index is called 'zzz': list_indices() lists them all"):
        find_index("zzz")
    with raises_line(
        UnknownIndexError, "no external index is called 'accuracy': accuracy is of kind 'classification'"
    ):
        find_index("accuracy", "external")
    with raises_line(UnknownIndexError, "no index is called '': list_indices() lists them all"):
        find_index("")
    with raises_line(UnknownIndexError, "name an index by a str, not by 3"):
        find_index(3)  # type: ignore[arg-type]


def test_unknown_names_are_input_errors_and_key_errors() -> None:
    with pytest.raises(KeyError) as caught:
        find_index("zzz")
    assert isinstance(caught.value, InputError)
    assert str(caught.value).startswith("no index")  # not the repr that KeyError shows


def test_list_indices() -> None:
    everything = list_indices()
    assert [r for kind in catalog.KINDS for r in list_indices(kind)] == sorted(
        everything, key=lambda r: catalog.KINDS.index(r.kind)
    )
    assert {r.kind for r in everything} == set(catalog.KINDS)
    assert {r.name for r in list_indices("comparative")} == {
        "comparative_deviation",
        "polarization",
        "comparative_rightness",
        "effective_rightness",
        "effective_superiority",
    }
    kinds = ", ".join(map(repr, catalog.KINDS))
    with raises_line(InputError, f"kind='extern' is not known: choose one of {kinds}"):
        list_indices("extern")  # type: ignore[arg-type]


def test_all_is_a_keyword() -> None:
    assert list(evaluate([0, 0, 1], [0, 1, 1], indices="all")) == [r.name for r in list_indices("external")]
    for asked in ("all", "ALL", ["all"], ["rand", "all"]):
        assert len(evaluate([0, 0, 1], [0, 1, 1], indices=asked)) == len(list_indices("external"))


def test_a_choice_keeps_its_order_and_counts_names_once() -> None:
    asked = ["Rand", "jac", find_index("rand"), "ARI", "jaccard"]
    assert list(evaluate([0, 0, 1], [0, 1, 1], indices=asked)) == ["rand", "jaccard", "adjusted_rand"]
    assert list(evaluate([0, 0, 1], [0, 1, 1], indices="jac")) == ["jaccard"]
    assert list(evaluate([0, 0, 1], [0, 1, 1], indices=adjudge.jaccard)) == ["jaccard"]
    with raises_line(
        UnknownIndexError, "'sokal' is ambiguous: it may be gower_legendre, sokal_sneath1, sokal_sneath3"
    ):
        evaluate([0, 0, 1], [0, 1, 1], indices=["rand", "sokal"])
    with raises_line(InputTypeError, "indices is a NoneType: give names, records, 'default' or 'all'"):
        evaluate([0, 0, 1], [0, 1, 1], indices=None)  # type: ignore[arg-type]
    with raises_line(UnknownIndexError, "name an index by a str, not by 3"):
        evaluate([0, 0, 1], [0, 1, 1], indices=["rand", 3])  # type: ignore[list-item]
    with raises_line(InputError, "indices is empty: give names, 'default' or 'all'"):
        evaluate([0, 0, 1], [0, 1, 1], indices=[])


def test_indices_are_attributes_of_the_package() -> None:
    assert adjudge.jaccard is find_index("jaccard")
    assert {r.name for r in list_indices()} <= set(dir(adjudge.indices))
    assert {"evaluate", "compare", "indices", "__version__"} <= set(dir(adjudge))
    assert len(dir(adjudge)) <= 46
    with pytest.raises(
        AttributeError,
        match=r"^module 'adjudge' has no attribute 'jacard': did you mean jaccard, ",
    ):
        _ = adjudge.jacard
    with pytest.raises(AttributeError, match=r"^module 'adjudge' has no attribute '_nothing'$"):
        _ = adjudge._nothing


def test_all_public_names_are_imported_by_a_star() -> None:
    found: dict[str, object] = {}
    exec("from adjudge import *", found)
    assert found.keys() - {"__builtins__"} == set(dir(adjudge)) - {"__version__"}


def test_public_names_resolve() -> None:
    for name in public_names():
        assert public_object(name) is not None
    for package in ("", ".indices", ".results", ".inference", ".statistics", ".displays"):
        module = importlib.import_module(f"adjudge{package}")
        for name in dir(module):
            assert getattr(module, name) is not None


def test_a_name_of_another_package_is_found() -> None:
    with pytest.raises(
        AttributeError, match=r"has no attribute 'SilhouetteDisplay': it is adjudge\.displays\.SilhouetteDis"
    ):
        _ = getattr(adjudge, "SilhouetteDisplay")  # noqa: B009 - not that of the displays
    with pytest.raises(
        ImportError, match=r"cannot import name 'evaluate' from 'adjudge\.results': it is adjudge\.evaluate"
    ):
        exec("from adjudge.results import evaluate")
    assert adjudge.indices.purity is find_index("purity")


@pytest.fixture
def a_catalog_with(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rebuild the catalog with one more module."""

    def forget() -> None:
        catalog._records.cache_clear()
        catalog._forget()

    def make(**members: Any) -> None:
        module = type(catalog)("more")
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, "adjudge.indices.more", module)
        monkeypatch.setattr(catalog, "_MODULES", {**catalog._MODULES, "more": ("external",)})
        forget()

    yield make
    monkeypatch.undo()
    forget()


def an_index(name: str, **facts: Any) -> Any:
    def formula(pairs: PairCounts) -> float:
        """Count the pairs joined in both."""
        return pairs.yy

    return external(title="More", better="higher", range=(0, 1), reference="rand1971", name=name, **facts)(
        formula
    )


def test_an_index_that_is_added_is_found(a_catalog_with: Any) -> None:
    a_catalog_with(more=an_index("one_more_index", aliases=("extra",)))
    assert find_index("one_more")([0, 0, 1], [0, 0, 1]) == 1
    assert find_index("EXTRA").title == "More"
    assert evaluate([0, 0], [0, 0], indices="one_more")["extra"] == 1


def test_a_name_that_occurs_twice_is_an_error(a_catalog_with: Any) -> None:
    a_catalog_with(more=an_index("rand"))
    with raises_line(InputError, "two indices are named 'rand'"):
        list_indices()


def test_an_alias_that_occurs_twice_is_an_error(a_catalog_with: Any) -> None:
    a_catalog_with(more=an_index("one_more_index", aliases=("ari",)))
    with raises_line(InputError, "'ari' is an alias of both adjusted_rand and one_more_index"):
        find_index("ari")


def test_a_name_that_programs_use_differently_finds_nothing_of_theirs(a_catalog_with: Any) -> None:
    a_catalog_with(
        one=an_index("first_of_two", peers={"one program": "contested"}),
        two=an_index("second_of_two", peers={"another": "Contested"}),
        three=an_index("third", peers={"another": "uncontested"}),
    )
    assert find_index("uncontested").name == "third"
    with raises_line(UnknownIndexError, "'contested' is ambiguous: it may be first_of_two, second_of_two"):
        find_index("contested")


def test_a_name_that_needs_options_elsewhere_finds_nothing_without_them(a_catalog_with: Any) -> None:
    a_catalog_with(
        one=an_index("of_a_call", peers={"one program": ("a_call(mode='x')", "one_mode(mode=1)")}),
        two=an_index("of_another", peers={"one program": "a_call(mode='y')"}),
    )
    assert find_index("a_call(mode='x')").name == "of_a_call"
    with raises_line(UnknownIndexError, "'a_call' is ambiguous: it may be of_a_call, of_another"):
        find_index("a_call")
    with raises_line(UnknownIndexError, "no index is called 'one_mode': did you mean of_a_call?"):
        find_index("one_mode")


def test_one_index_does_not_wait_for_the_import_of_all() -> None:
    code = (
        "import pickle, sys, adjudge; assert adjudge.adjusted_rand([0, 0, 1], [1, 1, 0]) == 1.0; "
        "assert pickle.loads(pickle.dumps(adjudge.adjusted_rand)) is adjudge.adjusted_rand; "
        "print([m for m in ('scatter', 'selection', 'probabilities') if f'adjudge.indices.{m}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_an_index_of_ones_own_is_unpickled_only_where_it_is_registered() -> None:
    @external(title="Mine", better="higher", range=(0, 1), reference="my own")
    def mine_alone(pairs: PairCounts) -> float:
        "Pairs joined in both partitions."
        return float(pairs.yy)

    catalog.register(mine_alone)
    kept = pickle.dumps(mine_alone)
    assert pickle.loads(kept) is mine_alone
    catalog.unregister("mine_alone")
    with raises_line(
        InputError, "no index 'mine_alone' is registered in this process: register it before unpickling"
    ):
        pickle.loads(kept)


def test_the_name_of_an_index_of_points_abbreviates_no_other() -> None:
    points, labels = [[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]
    with raises_line(InputError, "scott reads partitions into several numbers of clusters: use choose_k()"):
        evaluate(X=points, labels=labels, indices="scott")
    with raises_line(InputError, "gamma needs points: give X="):
        evaluate(labels, labels, indices="gamma")
    assert [*evaluate(labels, labels, indices=["precision", "f1"]).values] == ["pair_precision", "pair_f"]


def test_the_brier_score_is_meant_by_its_own_name() -> None:
    for kind in (None, "classification"):
        assert find_index("brier", kind).name == "brier_score"  # type: ignore[arg-type]
    for probabilities in ([0.2, 0.8], [[0.2, 0.7, 0.1], [0.1, 0.8, 0.1]]):
        classes = ["a", "b", "c"][: np.ndim(probabilities) + 1]
        judged = evaluate(
            ["a", "b"], probabilities=probabilities, classes=classes, kind="classification", indices="brier"
        )
        assert list(judged) == ["brier_score"]
        assert judged["brier"] == judged["brier_score"]


def test_names_of_scikit_learn_say_what_they_are_called_here() -> None:
    for name, here in {
        "adjusted_rand_score": "it is adjudge.adjusted_rand",
        "silhouette_samples": 'it is adjudge.evaluate(X=X, labels=labels).details["silhouette_widths"]',
        "f1_score": "it is adjudge.",
        "contingency_matrix": "it is adjudge.statistics.Contingency.from_labels(labels_true, labels_pred).to_array()",
        "normalized_mutual_info_score": "it is adjudge.nmi,",
    }.items():
        with pytest.raises(AttributeError) as caught:
            getattr(adjudge, name)
        message = str(caught.value)
        assert message.startswith(f"module 'adjudge' has no attribute {name!r}: {here}")
        assert message.endswith(f", and adjudge.metrics.{name} is as in scikit-learn")
    with pytest.raises(AttributeError, match=r"lists the indices$"):
        _ = adjudge.nothing_of_the_kind
    with pytest.raises(
        AttributeError, match=r"'jacard': did you mean jaccard, micro_jaccard, macro_jaccard\?$"
    ):
        _ = adjudge.jacard


def test_kinds_are_those_that_indices_have() -> None:
    assert {record.kind for record in list_indices()} == {*KINDS}


@pytest.mark.parametrize("module", catalog._MODULES)
def test_modules_hold_the_kinds_that_the_catalog_says(module: str) -> None:
    assert set(catalog._MODULES[module]) == {record.kind for record in catalog._records(module)}


def test_lists_print_as_tables_with_the_kind_where_it_varies() -> None:
    both = catalog.select_indices(["rand", "polarization"], ("external", "comparative"))
    found = IndexList(both).table()
    assert found.columns == ("name", "kind", "better", "range", "meaning")
    assert [row[:4] for row in found.rows] == [
        ("rand", "external", "higher", "[0, 1]"),
        ("polarization", "comparative", "higher", "[-1, 1]"),
    ]
    assert found.rows[0][4] == both[0].summary
    one = IndexList([both[0], replace(both[0], better=None)]).table()
    assert one.columns == ("name", "better", "range", "meaning")
    assert [row[1] for row in one.rows] == ["higher", ""]
    assert repr(IndexList(both)) == repr(found)
    assert IndexList(both)._repr_html_() == found._repr_html_()
