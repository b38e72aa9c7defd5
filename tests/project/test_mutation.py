"""The mutation run starts, and finds the tests for what it changes; `make mutation` itself takes hours."""

from __future__ import annotations

import ast
import os
import re
import signal
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "mutation"

SOURCE = '''\
LEAST = 5


def enough(n):
    """Whether n is enough."""
    if n < 0:
        return False
    return n >= LEAST


class Answer:
    def text(self):
        return "yes"


TIMES = {"two": lambda n: 2 * n}


def slow(n):
    return (
        n
        + 1
    )
'''
MODULE = "inference.example"
#: How many there are, how many have a property, how many are drawn.
GROUPS = [(500, 400, 30), (100, 95, 40), (300, 150, 30)]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(TOOL))
    import processes
    import reach
    import shares
    import suites
    import swaps
    import table

    modules = (processes, reach, shares, suites, swaps, table)
    yield SimpleNamespace(**{module.__name__: module for module in modules})
    for module in modules:
        assert isinstance(module, ModuleType)
        sys.modules.pop(module.__name__)


def test_every_module_is_mutated_or_left_out_with_a_reason(tool: Any) -> None:
    mutated = tool.suites.mutated_modules(ROOT)
    package = ROOT / "src" / "adjudge"
    paths = {
        ".".join(path.relative_to(package).with_suffix("").parts): path
        for room in ("indices", "inference")
        for path in (package / room).rglob("*.py")
    }
    names_of_packages = {name for name in paths if name.endswith(".__init__")}
    assert paths.keys() == set(mutated) | tool.suites.NOT_MUTATED.keys() | names_of_packages
    # A package holds nothing but what it says of itself, and its public names.
    held = {name: ast.parse(paths[name].read_text()).body[1:] for name in names_of_packages}
    assert all("exports_of" in ast.unparse(part) for body in held.values() for part in body)
    assert not set(mutated) & tool.suites.NOT_MUTATED.keys()
    assert all(tool.suites.NOT_MUTATED.values())


def test_tests_that_try_mutants_and_what_they_need_are_there(tool: Any) -> None:
    assert [name for name in tool.suites.COPIED if not (ROOT / name).exists()] == []
    files = tool.suites.test_files(ROOT)
    assert len(files) == len(set(files)) > 40
    assert set(tool.suites.READ_RECORDS) <= set(files)


def test_mutants_called_equivalent_are_of_lines_that_are_there(tool: Any) -> None:
    stated = tomllib.loads((TOOL / "equivalent.toml").read_text())["mutant"]
    for entry in stated:
        assert entry["module"] in tool.suites.mutated_modules(ROOT)
        path = ROOT / "src" / "adjudge" / Path(*entry["module"].split(".")).with_suffix(".py")
        text = path.read_text()
        lines = " ".join(line.strip() for line in text.splitlines())
        assert entry["before"] in lines, entry
        assert re.search(rf"^(def |class )?{entry['scope']}\b", text, re.MULTILINE), entry
        assert entry["before"] != entry["after"]
        assert entry["why"]


def chosen(
    tool: Any, line: int, scope: str, first: tuple[str, ...] = (), seconds: float = 10.0, kills: Any = None
) -> list[str]:
    reach = tool.reach.Reach(
        seconds={
            "t.py::slow": 8.0,
            "t.py::other": 0.1,
            "t.py::quick": 1.0,
            "t.py::text": 0.5,
            "t.py::below": 2.0,
        },
        tests={
            MODULE: {
                6: {"t.py::quick", "t.py::slow", "t.py::below"},
                7: {"t.py::below"},
                8: {"t.py::quick", "t.py::slow"},
                13: {"t.py::text"},
                20: {"t.py::slow"},
            },
            "inference.another": {6: {"t.py::other"}},
        },
        at_import={MODULE: {1, 16}},
    )
    mutant = SimpleNamespace(module=MODULE, line=line, scope=scope)
    found = tool.reach.tests_of(mutant, SOURCE, {"t.py": reach}, first, kills or {}, seconds)
    return [test.name for test in found]


def test_a_test_is_for_the_record_that_it_is_named_after(tool: Any) -> None:
    assert tool.reach.is_for("frey", "t.py::test_range_is_reached[frey]")
    assert tool.reach.is_for("frey", "t.py::test_rules[max-frey]")
    assert not tool.reach.is_for("frey", "t.py::test_range_is_reached[frey_2]")
    assert not tool.reach.is_for("frey", "t.py::frey[gap]")


def test_tests_that_run_a_line_try_its_mutants_cheap_ones_first(tool: Any) -> None:
    assert chosen(tool, 8, "enough") == ["t.py::quick", "t.py::slow"]
    assert chosen(tool, 7, "enough") == ["t.py::below"]
    assert chosen(tool, 13, "Answer") == ["t.py::text"]


def test_a_line_of_a_statement_runs_if_any_of_them_does(tool: Any) -> None:
    assert chosen(tool, 22, "slow") == ["t.py::slow"]
    assert list(tool.reach.lines_of(22, SOURCE)) == [20, 21, 22, 23]
    assert list(tool.reach.lines_of(6, SOURCE)) == [6]


def test_tests_that_run_a_function_which_reads_a_constant_try_its_mutants(tool: Any) -> None:
    functions_that_do = ["t.py::quick", "t.py::below", "t.py::slow"]
    # Then those that run anything else of the module: another module may read the constant, or the test itself.
    assert chosen(tool, 1, "LEAST", seconds=20.0) == [*functions_that_do, "t.py::text"]


def test_tests_that_killed_others_come_first_and_no_more_time_is_spent_than_allowed(tool: Any) -> None:
    assert chosen(tool, 8, "enough", ("t.py::slow",)) == ["t.py::slow", "t.py::quick"]
    assert chosen(tool, 8, "enough", kills={"t.py::slow": 10}) == ["t.py::slow", "t.py::quick"]
    assert chosen(tool, 8, "enough", seconds=5.0) == ["t.py::quick"]


def test_what_runs_when_tests_are_collected_is_run_by_all_of_them(tool: Any) -> None:
    reach = tool.reach.Reach(seconds={"a": 1.0, "b": 2.0}, at_import={MODULE: {20}})
    assert reach.reaching(MODULE, [20, 21]) == {"a", "b"}
    assert reach.reaching(MODULE, [6]) == set()


def changed(tool: Any, before: str, after: str) -> list[str] | None:
    assert before in SOURCE
    found = tool.swaps.changes(SOURCE, SOURCE.replace(before, after))
    return None if found is None else [change.old.co_qualname for change in found]


def test_only_changes_within_functions_are_swapped(tool: Any) -> None:
    assert changed(tool, "n < 0", "n <= 0") == ["enough"]
    assert changed(tool, '"yes"', '"no"') == ["Answer.text"]
    assert changed(tool, "2 * n", "2 + n") == ["<lambda>"]
    assert changed(tool, "n >= LEAST", "n >= 5.0") == ["enough"]
    assert changed(tool, "LEAST = 5", "LEAST = 5.0") is None
    assert changed(tool, "lambda n: 2 * n", "None") is None
    assert changed(tool, "slow(n)", "slow(n=1)") is None
    assert changed(tool, "def text(self)", "def test(self)") is None


def test_functions_get_other_code_where_they_are(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    example: Any = ModuleType("a_package.example")
    monkeypatch.setitem(sys.modules, "a_package.example", example)
    source = f"from __future__ import annotations\nimport math\n{SOURCE}\n\ndef root(n):\n    return math.sqrt(n)\n"
    exec(compile(source, "example.py", "exec"), vars(example))
    held, twice, text = example.enough, example.TIMES["two"], example.Answer().text
    functions = tool.swaps.Functions("a_package")
    for before, after in (
        ("n >= LEAST", "n > LEAST"),
        ("2 * n", "3 * n"),
        ('"yes"', '"no"'),
        ("sqrt", "exp"),
    ):
        found = tool.swaps.changes(source, source.replace(before, after))
        assert functions.change("a_package.example", found)
    assert (held(5), held(6), twice(2), text(), example.root(0)) == (False, True, 6, "no", 1.0)
    assert not functions.change("a_package.another", found)


@pytest.mark.full
@pytest.mark.parametrize("after", ["n * 2", "n", "(lambda: n * factor)()"])
def test_functions_that_others_have_made_are_imported_anew(
    tool: Any, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    """Without the name that it took from around it, the code of one that is there was left as it was."""
    example: Any = ModuleType("a_package.made")
    monkeypatch.setitem(sys.modules, "a_package.made", example)
    before = (
        "def made(factor):\n    def times(n):\n        return n * factor\n    return times\ntwice = made(2)\n"
    )
    exec(compile(before, "example.py", "exec"), vars(example))
    found = tool.swaps.changes(before, before.replace("n * factor", after))
    swapped = tool.swaps.Functions("a_package").change("a_package.made", found)
    assert not swapped or example.twice(3) == eval(f"(lambda n, factor: {after})(3, 2)")
    assert swapped == ("factor" in after)


def test_a_process_answers_or_is_ended(tool: Any) -> None:
    def forever() -> None:
        tool.processes.limit_time(0.05)
        while True:
            pass

    def early() -> None:
        tool.processes.answer_now({"said": "early"})

    works = {
        "large": lambda: {"said": "x" * 1_000_000},
        "early": early,
        "forever": forever,
        "died": lambda: os.kill(os.getpid(), signal.SIGTERM),
    }
    ended = {
        found.key: found
        for found in tool.processes.each((tool.processes.Work(*item) for item in works.items()), 2)
    }
    assert len(ended["large"].answer["said"]) == 1_000_000
    assert ended["early"].answer == {"said": "early"}
    assert (ended["forever"].answer, ended["forever"].late) == ({}, True)
    assert (ended["died"].answer, ended["died"].late) == ({}, False)
    assert 0.04 < ended["forever"].cpu < 5


def test_what_goes_wrong_in_a_process_is_told(tool: Any) -> None:
    works = [tool.processes.Work("divides", lambda: {"share": 1 / 0})]
    with pytest.raises(RuntimeError, match="divides: ZeroDivisionError: division by zero"):
        list(tool.processes.each(works, 1))


def test_samples_of_groups_tell_of_all(tool: Any) -> None:
    """Whatever part of each group is drawn, the share is right on average, and as uncertain as it says."""
    rng = np.random.default_rng(0)
    groups = [(rng.permutation(np.arange(size) < having), drawn) for size, having, drawn in GROUPS]
    found = []
    for _ in range(400):
        samples = [(own.size, n, int(rng.choice(own, n, replace=False).sum())) for own, n in groups]
        found.append(tool.shares.stratified_share(samples))
    shares, errors = np.array(found).T
    truth = sum(having for _, having, _ in GROUPS) / sum(size for size, _, _ in GROUPS)
    assert shares.mean() == pytest.approx(truth, abs=4 * shares.std() / 20)
    assert errors.mean() == pytest.approx(shares.std(), rel=0.15)
    whole = [(size, size, having) for size, having, _ in GROUPS]
    assert tool.shares.stratified_share(whole) == (pytest.approx(truth), 0.0)


def row(tool: Any, module: str, tried: int, on: str, left: int = 0) -> Any:
    """One of a module with this many tried mutants, a tenth of which survive, and some that wait."""
    survived = tried // 10
    return tool.table.Row(module, tried + left + 10, 4, 3, 2, 1, tried, tried - survived, survived, on)


def test_modules_that_are_not_tried_keep_their_rows(tool: Any) -> None:
    known = [row(tool, name, 100, "2026-11-01") for name in ("a.whole", "a.part", "a.more", "a.left")]
    before = tool.table.read(tool.table.written(known))
    assert list(before.values()) == known
    now = [
        row(tool, "a.whole", 90, "2026-11-02"),  # all that there are now
        row(tool, "a.part", 99, "2026-11-02", left=1),
        row(tool, "a.more", 100, "2026-11-02", left=20),
        row(tool, "a.left", 0, "", left=100),
        row(tool, "a.new", 5, "2026-11-02", left=30),
    ]
    assert tool.table.renewed(before, now) == {now[i].module: now[i] for i in (0, 2, 4)}


def test_the_total_of_the_table_is_that_of_its_rows(tool: Any) -> None:
    rows = [row(tool, "a.one", 100, "2026-11-01"), row(tool, "a.other", 20, "2026-11-02", left=7)]
    every = tool.table.total(rows)
    assert every == ("all", 147, 8, 6, 4, 2, 120, 108, 12, "")
    assert every.wanted == 127
    last = tool.table.written(rows).splitlines()[-1]
    assert last == "all,147,8,6,4,2,120,108,12,90.0 %,"


def test_the_page_says_what_the_table_says(tool: Any) -> None:
    text = (ROOT / "tools" / "mutation" / "results.csv").read_text()
    rows = tool.table.read(text)
    assert tool.table.written(rows.values()) == text
    every = tool.table.total(rows.values())
    share = f"**{100 * every.killed / every.tried:.1f} % of the mutants that were tried are killed**"
    page = (ROOT / "docs" / "testing.md").read_text()
    assert f"{share} ({every.killed:,} of {every.tried:,})" in " ".join(page.split())
    sources = ROOT / "src" / "adjudge"
    assert all((sources / f"{name.replace('.', '/')}.py").is_file() for name in rows)
