"""Indices of users' own take part in everything."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import AdjudgeError, InputError, InputTypeError
from adjudge.cli import main
from adjudge.indices import external, quotient
from adjudge.statistics import PairCounts
from conftest import raises_line

CODE = """
from adjudge.indices import external, quotient
from adjudge.statistics import PairCounts

@external(title="Share joined twice", better="higher", range=(0, 1), reference="my own", aliases=("twice",))
def joined_twice(pairs: PairCounts) -> float:
    "Pairs joined in both partitions, among all pairs."
    return quotient(pairs.yy, pairs.total, "there is one instance")
"""


def make(name: str, **facts: Any) -> Any:
    @external(title="Mine", better="higher", range=(0, 1), reference="my own", name=name, **facts)
    def formula(pairs: PairCounts) -> Any:
        """Pairs joined in both partitions, among all pairs."""
        return quotient(pairs.yy, pairs.total, "there is one instance")

    return formula


@pytest.fixture
def mine() -> Iterator[Any]:
    record = adjudge.register(make("mine", aliases=("my_very_own",)))
    yield record
    adjudge.unregister("mine")
    vars(adjudge).pop("mine", None)


def test_it_is_found_and_computed_everywhere(mine: Any) -> None:
    assert adjudge.find_index("my_very_own") is mine
    assert adjudge.mine([0, 0, 1], [0, 0, 1]) == pytest.approx(1 / 3)
    assert mine in adjudge.list_indices("external")
    result = adjudge.evaluate(
        [0, 0, 1, 1], [0, 0, 1, 2], indices=["mine", "rand"], confidence=0.9, adjust=True
    )
    assert result["mine"] == pytest.approx(1 / 6)
    assert "mine" in adjudge.evaluate([0, 0, 1, 1], [0, 0, 1, 2], indices="all")
    compared = adjudge.compare([0, 0, 1], {"p": [0, 0, 1]}, kind="clustering", indices="mine")
    assert compared.scores["p"]["mine"] == pytest.approx(1 / 3)
    assert adjudge.make_scorer("mine").index is mine
    assert pickle.loads(pickle.dumps(mine)) is mine
    assert mine.citation == "my own"


def test_names_belong_to_one_index(mine: Any) -> None:
    with raises_line(InputError, "an index 'rand' exists already: choose another name"):
        adjudge.register(make("rand"))
    with raises_line(InputError, "'my_very_own' is an alias of both mine and other"):
        adjudge.register(make("other", aliases=("my_very_own",)))
    with pytest.raises(adjudge.UnknownIndexError):
        adjudge.find_index("other", "external")
    with pytest.raises(InputTypeError, match="index is a function: give a record"):
        adjudge.register(lambda: 0)
    with pytest.raises(adjudge.UnknownIndexError, match="no registered index is called 'rand'"):
        adjudge.unregister("rand")


def test_the_command_line_loads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.py").write_text(CODE)
    (tmp_path / "t.csv").write_text("a,b\n0,0\n0,0\n1,1\n")
    table, own = str(tmp_path / "t.csv"), str(tmp_path / "own.py")
    try:
        asked = ["evaluate", table, "--truth", "a", "--pred", "b", "--indices", "twice"]
        assert main(["--load", own, *asked]) == 0
        assert "joined_twice  0.3333" in capsys.readouterr().out
    finally:
        adjudge.unregister("joined_twice")
    assert main(["--load", str(tmp_path / "none.py"), "indices"]) == 2
    assert "there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "said"),
    [("def (:\n", "SyntaxError: invalid syntax (own.py, line 1)"), ("1 / 0", "ZeroDivisionError: ")],
)
def test_a_file_that_does_not_run_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str, said: str
) -> None:
    (tmp_path / "own.py").write_text(code)
    assert main(["--load", str(tmp_path / "own.py"), "indices"]) == 2
    assert f"own.py': {said}" in capsys.readouterr().err


def _described(**facts: Any) -> Any:
    return external(**{"title": "Mine", "better": "higher", "range": (0, 1), "reference": "my own", **facts})


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"better": "up"}, "better='up' is not known: choose 'higher', 'lower' or None"),
        ({"range": (1, 0)}, "range=(1, 0): give the smallest and the largest value, such as (0, 1)"),
        ({"aliasses": ("b",)}, "external() has no option aliasses=: did you mean aliases=?"),
    ],
)
def test_wrong_facts_are_named(facts: dict[str, Any], message: str) -> None:
    def formula(pairs: PairCounts) -> float:
        return 0.0

    with raises_line(AdjudgeError, message):
        _described(**facts)(formula)


def test_what_a_formula_reads_is_checked_before_it_can_disturb_others() -> None:
    def bare(pairs):  # type: ignore[no-untyped-def]
        return 0.0

    def of_a_number(pairs: float) -> float:
        return 0.0

    with raises_line(
        InputTypeError,
        "bare(): annotate 'pairs' with the statistic that the index is computed from, such as pairs: PairCounts",
    ):
        _described()(bare)
    with pytest.raises(
        InputTypeError, match=r"of_a_number\(\) is annotated with float, not with a statistic"
    ):
        adjudge.register(_described()(of_a_number))
    assert "rand" in adjudge.evaluate([0, 0, 1], [0, 0, 1], indices="all")


def test_an_error_in_a_formula_says_in_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(pairs: PairCounts) -> float:
        return pairs.yy / 0

    with pytest.raises(ZeroDivisionError) as raised:
        _described()(broken)([0, 0, 1], [0, 0, 1])
    assert raised.value.__notes__ == ["in the formula of the index 'broken'"]
    (tmp_path / "own.py").write_text(
        CODE.replace("joined_twice", "broken").replace("quotient(", "None and (")
    )
    (tmp_path / "t.csv").write_text("a,b\n0,0\n0,0\n1,1\n")
    asked = ["evaluate", str(tmp_path / "t.csv"), "--truth", "a", "--pred", "b", "--indices", "broken"]
    try:
        assert main(["--load", str(tmp_path / "own.py"), *asked]) == 1
    finally:
        adjudge.unregister("broken")
    assert "unexpected TypeError in the formula of the index 'broken': " in capsys.readouterr().err
