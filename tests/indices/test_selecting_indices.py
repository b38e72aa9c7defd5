"""What a user asks for as indices: names of kinds, parameters in brackets, and defaults."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from typing import Any

import numpy as np
import pytest

import adjudge
import adjudge.indices
from adjudge import InputError, InputTypeError, UnknownIndexError, find_index, list_indices, make_scorer
from adjudge.choosing.stacking import stack_of
from adjudge.cli.typed import indices_in
from adjudge.indices import external
from adjudge.indices.catalog import is_all, select_indices
from adjudge.statistics import PairCounts
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


TRUTH, P = [0, 1, 1, 0, 1, 0, 1, 0], [0.1, 0.8, 0.4, 0.3, 0.9, 0.6, 0.7, 0.2]


@pytest.mark.parametrize(
    ("name", "canonical", "value"),
    [
        ("net_benefit(at=.2)", "net_benefit(at=0.2)", adjudge.net_benefit(TRUTH, P, at=0.2)),
        ("Specificity at sens( at = 0.8 )", "specificity_at_sensitivity(at=0.8)", 0.75),
        ("F1 (beta=2)", "f1(beta=2)", adjudge.f1(TRUTH, [0, 1, 0, 0, 1, 1, 1, 0], beta=2)),
        ("expected_cost(costs=[[0, 1],[20, 0]])", "expected_cost(costs=[[0, 1], [20, 0]])", 21 / 8),
    ],
)
def test_they_are_judged_as_if_called(name: str, canonical: str, value: float, tmp_path) -> None:
    found = adjudge.find_index(name)
    assert found.name == canonical
    assert adjudge.find_index(canonical) is found
    assert pickle.loads(pickle.dumps(found)) is found
    result = adjudge.evaluate(TRUTH, probabilities=P, indices=[name, "accuracy"], kind="classification")
    assert list(result) == [canonical, "accuracy"]
    assert result[canonical] == result[name] == pytest.approx(value)
    result.save(tmp_path / "r.adjudge")
    again = adjudge.load(tmp_path / "r.adjudge")
    assert again.score(canonical).index is found
    compared = adjudge.compare(
        TRUTH, probabilities={"one": P, "two": P[::-1]}, indices=[name], primary=name, confidence=0.95
    )
    assert canonical in compared["one", "two"].differences


def test_names_in_other_programs_are_found_first() -> None:
    assert adjudge.find_index("recall_score(average='macro')").name == "macro_recall"
    assert adjudge.find_index("macro_f1(beta=0.5)").fixed == {"average": "macro", "beta": 0.5}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rand(a=1)", "rand has no parameters"),
        ("f1(b=2)", "f1 has no parameter 'b': it has average, undefined, beta"),
        ("macro_f1(average='micro')", "has no parameter 'average'"),
        ("f1(2)", "give each parameter once, by its name, of which there are average, undefined, beta"),
        ("f1()", "give each parameter once, by its name, of which there are average, undefined, beta"),
        ("f1(beta=x)", "give each parameter once, by its name, of which there are average, undefined, beta"),
        ("f1(beta=2, beta=3)", "give each parameter once"),
        ("f1(beta=2)(beta=3)", "give each parameter once"),
        ("f1(beta=2", "no index is called"),
        ("nonsense(a=1)", "no index is called 'nonsense'"),
    ],
)
def test_what_is_not_understood_is_said(name: str, said: str) -> None:
    with pytest.raises((InputError, UnknownIndexError), match=said):
        adjudge.find_index(name)
    with pytest.raises((InputError, UnknownIndexError), match=said):
        adjudge.evaluate(TRUTH, [1] * 8, indices=[name], kind="classification")


def test_the_command_line_does_not_split_them() -> None:
    typed = ["f1(beta=2, undefined=0),expected_cost(costs=[[0,1],[20,0]])", "recall[a,b]"]
    assert indices_in(typed) == [
        "f1(beta=2, undefined=0)",
        "expected_cost(costs=[[0,1],[20,0]])",
        "recall[a,b]",
    ]


@pytest.mark.parametrize(
    ("name", "parameter", "value", "known"),
    [
        ("expected_calibration_error", "bins", "quantile", "'width', 'mass'"),
        ("expected_calibration_error", "norm", "l3", "'l1', 'l2', 'max'"),
        ("conductance", "over", "median", "'mean', 'worst'"),
    ],
)
def test_a_text_that_a_parameter_does_not_take_is_refused_at_once(
    name: str, parameter: str, value: str, known: str
) -> None:
    """It was refused when the index was computed: a scorer, by the first fit of a search."""
    said = f"{parameter}={value!r} is not known: choose one of {known}"
    with pytest.raises(InputError) as found:
        find_index(f"{name}({parameter}={value!r})")
    assert str(found.value) == said
    if name == "expected_calibration_error":
        with pytest.raises(InputError) as found:
            make_scorer(name, **{parameter: value})
        assert str(found.value) == said


RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.5, size=(30, 2)) for m in (0, 4, 8)])
ONE_TRUTH = np.repeat([0, 1, 2], 30)
FOUND = np.where(RNG.random(90) < 0.1, 0, ONE_TRUTH)
RECORDS = adjudge.list_indices()


def default_names(kind: str) -> list[str]:
    return [r.name for r in RECORDS if r.kind == kind and r.default]


@pytest.mark.parametrize("kind", ["external", "internal", "classification"])
def test_there_are_some_eight_for_each_kind_of_question(kind: str) -> None:
    assert 5 <= len(default_names(kind)) <= 10
    assert len({r.question for r in RECORDS if r.kind == kind and r.default}) >= 3


def test_the_reason_is_a_sentence_and_no_variant_takes_it_over() -> None:
    for record in RECORDS:
        for reason in filter(None, (record.default, record.default_k)):
            assert reason[0].isupper()
            assert reason.endswith(".")
            assert len(reason) <= 200
    assert not adjudge.find_index("nmi_min").default
    assert all(record.question for record in RECORDS)


def test_verbs_compute_them_unless_others_are_named() -> None:
    labels = adjudge.evaluate(ONE_TRUTH, FOUND)
    assert list(labels) == default_names("external")
    assert labels.settings["indices"] == "default"
    assert list(adjudge.evaluate(X=X, labels=FOUND)) == default_names("internal")
    classes = adjudge.evaluate(ONE_TRUTH, FOUND, kind="classification")
    assert set(classes) == {
        r.name for r in RECORDS if r.default and type(r) is type(adjudge.find_index("accuracy"))
    }
    probabilities = np.eye(3)[FOUND] * 0.8 + 0.2 / 3
    judged = adjudge.evaluate(ONE_TRUTH, probabilities=probabilities, kind="classification")
    assert list(judged) == default_names("classification")
    compared = adjudge.compare(ONE_TRUTH, {"a": FOUND, "b": ONE_TRUTH}, kind="clustering")
    assert list(compared.scores["a"]) == default_names("external")
    planned = adjudge.plan(1000, 2, 3)
    assert {name for group in planned.groups for name in group.indices} == set(default_names("internal"))


def test_all_and_more_are_asked_for() -> None:
    assert len(adjudge.evaluate(ONE_TRUTH, FOUND, indices="all")) == len(adjudge.list_indices("external"))
    more = adjudge.evaluate(ONE_TRUTH, FOUND, indices=["default", "rand"])
    assert list(more) == [*default_names("external"), "rand"]
    assert [r.name for r in select_indices(["all", "rand"], ("external",))] == [
        r.name for r in adjudge.list_indices("external")
    ]


def test_default_leaves_out_what_the_inputs_do_not_allow() -> None:
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    found = adjudge.evaluate(X=distances, labels=FOUND, metric="precomputed")
    assert {"silhouette", "dunn"} <= set(found)
    assert "calinski_harabasz" not in found
    with pytest.raises(adjudge.InputError, match="calinski_harabasz"):
        adjudge.evaluate(
            X=distances, labels=FOUND, metric="precomputed", indices=["default", "calinski_harabasz"]
        )


def test_choose_k_compares_its_verdict_and_what_is_cited() -> None:
    of_k = {r.name for r in RECORDS if r.default_k}
    deciding = {term.criterion for term in stack_of("numbers").terms}
    assert deciding < of_k
    plain = adjudge.choose_k(X, k=range(2, 6), random_state=0)
    cited = {"calinski_harabasz", "ccc", "davies_bouldin", "silhouette"}
    assert set(plain.values) == deciding | cited
    assert "duda" in adjudge.choose_k(X, "ward", range(2, 6)).values
    assert "bic" in adjudge.choose_k(X, "gaussian_mixture", range(2, 4), random_state=0).values
    stable = adjudge.choose_k(X, k=range(2, 4), stability=2, random_state=0)
    assert "prediction_strength" in stable.values
    everything = adjudge.choose_k(X, k=range(2, 6), random_state=0, indices="all")
    assert len(everything.values) > 60
    assert (everything.k, everything.supporters) == (plain.k, plain.supporters)


def test_an_index_of_your_own_is_a_default() -> None:
    @external(title="Mine", better="higher", range=(0, 1), reference="my own")
    def my_very_own(pairs: PairCounts) -> float:
        """Pairs joined in both."""
        return pairs.yy / pairs.total

    adjudge.register(my_very_own)
    try:
        assert "my_very_own" in adjudge.evaluate(ONE_TRUTH, FOUND)
    finally:
        adjudge.unregister("my_very_own")


def lines_of(table: Any) -> list[str]:
    return [line.split()[0] if line else "" for line in table.text().splitlines()]


def test_tables_of_many_indices_stand_under_their_questions() -> None:
    table = adjudge.evaluate(ONE_TRUTH, FOUND, X=X).table()
    lines = table.text().splitlines()
    for heading in ("Agreement", "Purity", "Distance", "Compactness and separation", "Separation", "Density"):
        assert heading in lines
        assert f"| **{heading}** |" in table.markdown()
    place = {name: i for i, name in enumerate(lines_of(table)) if name}
    assert place["Purity"] < place["homogeneity"] < place["Distance"] < place["variation_of_information"]
    assert "Purity" in adjudge.evaluate(ONE_TRUTH, FOUND)._repr_html_()
    assert [row[0] for row in table.rows] == [line.split(",")[0] for line in table.csv().splitlines()[1:]]
    few = adjudge.evaluate(ONE_TRUTH, FOUND, indices=["ari", "homogeneity"])
    assert "Purity" not in repr(few)
