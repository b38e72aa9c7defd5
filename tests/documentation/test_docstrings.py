"""Every public docstring is in the form that the documentation needs, and its examples run.

doctest finds functions and classes by itself, but not the records of indices, which are instances.
"""

from __future__ import annotations

import doctest
import inspect
import re
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import adjudge
from adjudge.exported import public_names, public_object
from cases import each

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
RECORDS = adjudge.list_indices()
PUBLIC = [
    *(name for name in public_names() if not name.endswith("Display")),
    *(f"indices.{record.name}" for record in RECORDS),
]
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(public_object(name))]


def run_examples(text: str, name: str) -> int:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    return runner.tries


@pytest.mark.full(keep=78)
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_examples_of_records(record: Any) -> None:
    tries = run_examples(record.__doc__, record.name)
    # A member of a family shows none of its own; indices of a sweep are examples of choose_k.
    if not record.fixed and record.kind != "selection":
        assert tries >= 2, f"{record.name} has no example"


SECTIONS = ("Parameters", "Returns", "Notes", "References", "Examples")


@each("record", RECORDS)
def test_docstrings_of_records(record: Any) -> None:
    text = record.__doc__
    assert text.splitlines()[0] == record.summary
    sections = re.findall(r"^(\w+)\n-+$", text, re.MULTILINE)
    assert sections == [section for section in SECTIONS if section in sections]
    assert {"Parameters", "Returns", "Notes", "References"} <= set(sections)
    assert f".. math:: {record.formula}" in text
    assert record.citation in text
    for fact in (record.note, record.undefined):
        assert fact in text
    # The Parameters section names exactly what a call takes.
    listed = re.search(r"Parameters\n-+\n(.*?)\n\nReturns", text, re.DOTALL)
    assert listed is not None
    names = [
        name
        for line in listed[1].splitlines()
        if not line.startswith(" ")
        for name in line.split(" : ")[0].split(", ")
    ]
    assert names == list(inspect.signature(record).parameters)


def choices(annotation: Any) -> set[str]:
    """All strings that a parameter may be."""
    if get_origin(annotation) is Literal:
        return {value for value in get_args(annotation) if isinstance(value, str)}
    return set().union(*map(choices, get_args(annotation)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_name_all_the_choices(name: str) -> None:
    function = public_object(name)
    text = inspect.getdoc(function) or ""
    for parameter, annotation in get_type_hints(function).items():
        listed = re.search(rf"^{parameter} : (.*{{.*}}.*)$", text, re.MULTILINE)
        if listed and choices(annotation):
            said = set(re.findall(r'"([^"]*)"', listed[1]))
            apart = sorted(said ^ choices(annotation))
            assert not apart, f"only the docstring or the type of {parameter} in {name} has {apart}"


@each("name", PUBLIC)
def test_public_names_have_docstrings(name: str) -> None:
    text = inspect.getdoc(public_object(name))
    assert text
    assert text.splitlines()[0].endswith((".", "?", ":"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_show_an_example(name: str) -> None:
    text = inspect.getdoc(public_object(name)) or ""
    assert "Parameters\n----------" in text
    assert "Returns\n-------" in text or "Raises\n------" in text
    if name not in ("find_index", "report"):  # report writes a file
        assert ">>> " in text, f"{name} has no example"
    parameters = inspect.signature(public_object(name)).parameters.values()
    for parameter in parameters:
        stars = {inspect.Parameter.VAR_KEYWORD: r"\*\*", inspect.Parameter.VAR_POSITIONAL: r"\*"}
        written = stars.get(parameter.kind, "") + parameter.name
        section = text.partition("Parameters\n----------")[2]
        assert re.search(rf"(^|, ){written}\b", section, re.MULTILINE), f"{name} does not explain {written}"
