"""What a user asks for as `indices` becomes records: names of the kinds that can be computed come first."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import adjudge.indices
from adjudge import InputError, InputTypeError, UnknownIndexError, find_index, list_indices
from adjudge.indices.catalog import is_all, select_indices
from conftest import raises_line


def test_exact_names_win_over_aliases_and_abbreviations_of_earlier_kinds() -> None:
    # "hartigan" is an alias of an internal index; "hubert" is one of an external index, and begins an internal name.
    assert select_indices("hartigan", ("internal", "selection")) == [find_index("hartigan", "selection")]
    assert select_indices("hartigan", ("internal",)) == [find_index("log_ss_ratio")]
    assert select_indices("Hubert", ("internal", "external")) == [find_index("pair_phi", "external")]
    assert select_indices("hubert", ("internal",)) == [find_index("hubert_statistic")]


def test_kinds_are_looked_up_in_turn() -> None:
    assert select_indices("balanced", ("external", "classification")) == [find_index("balanced_accuracy")]
    assert select_indices("jac", ("classification", "external")) == [find_index("class_jaccard")]
    # What cannot be computed is found all the same, for who asks to tell why.
    assert select_indices("silhouette", ("external",)) == [find_index("silhouette")]


def test_an_ambiguous_name_of_a_kind_is_not_looked_up_in_the_next() -> None:
    with pytest.raises(
        UnknownIndexError, match=r"^'ma' is ambiguous: it may be .*macro_f1, .*macro_precision, macro_recall"
    ):
        select_indices("ma", ("classification", "internal"))


def test_records_and_all_among_names() -> None:
    rand, silhouette = find_index("rand"), find_index("silhouette")
    assert select_indices(rand, ("external",)) == [rand]
    assert select_indices((name for name in ["nmi", "rand", "NMI"]), ("external",)) == [
        find_index("nmi"),
        rand,
    ]
    assert select_indices([rand, "silhouette"], ("external", "internal")) == [rand, silhouette]
    external = list_indices("external")
    assert select_indices(" All ", ("external",)) == external
    # "all" comes first, and a name adds what is not among it.
    chosen = select_indices([external[-1].name, "all", "silhouette"], ("external",))
    assert chosen == [*external, silhouette]


def test_blanks_dots_and_hyphens_are_underscores() -> None:
    for name in ("trace_w", "trace w", "trace-w", "trace.w", " Trace.W "):
        assert find_index(name) is find_index("trace_w")


def test_all_is_a_word() -> None:
    assert is_all("ALL")
    assert not is_all(["all"])
    assert not is_all("al")
    assert not is_all(None)


def test_errors() -> None:
    with raises_line(InputTypeError, "indices is an int: give names, records, 'default' or 'all'"):
        select_indices(7, ("external",))  # type: ignore[arg-type]
    with raises_line(InputError, "indices is empty: give names, 'default' or 'all'"):
        select_indices([], ("external",))
    with raises_line(UnknownIndexError, "name an index by a str, not by 7"):
        select_indices([7], ("external",))  # type: ignore[list-item]
    with raises_line(UnknownIndexError, "no index is called 'zzzz': list_indices() lists them all"):
        find_index("zzzz")
    with raises_line(
        UnknownIndexError, "no external index is called 'silhouette': silhouette is of kind 'internal'"
    ):
        find_index("silhouette", "external")
    close = r"^no internal index is called 'gdi9': did you mean gdi\d\d, gdi\d\d, gdi\d\d\?$"
    with pytest.raises(UnknownIndexError, match=close):
        find_index("gdi9", "internal")
    with pytest.raises(
        InputError, match=r"^kind='external_' is not known: choose one of 'external', 'internal', "
    ):
        list_indices("external_")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^kind=\['external'\] is not known"):
        list_indices(["external"])  # type: ignore[arg-type]


def test_public_names_of_the_modules_are_there() -> None:
    for found in pkgutil.iter_modules(adjudge.indices.__path__):
        module = importlib.import_module(f"adjudge.indices.{found.name}")
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{found.name}.{name}"
