"""Names of indices with parameters in brackets."""

from __future__ import annotations

import pickle

import pytest

import adjudge
from adjudge import find_index, make_scorer
from adjudge.cli.typed import indices_in
from adjudge.errors import InputError, UnknownIndexError

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
