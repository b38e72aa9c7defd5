"""The table of options: what a command passes is what its verb takes, and the help stays as it is."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer

import adjudge
from adjudge.cli import app
from adjudge.cli.command_parameters import flags_of
from adjudge.cli.flags import COMMANDS, function_of
from adjudge.cli.messages import FLAGS_HERE, flag
from adjudge.cli.parameters import KINDS_COMPARED
from adjudge.given.option_groups import OF_CLASSIFIERS, OF_TABLES
from adjudge.given.point_options import PointOptions
from adjudge.given.structures import STRUCTURES
from adjudge.statistics.agreement import UNITS, WITHOUT_TRUTH

FUNCTIONS = {name: function_of(name) for names in COMMANDS.values() for name in names}
MADE = {name: own for name, own in FUNCTIONS.items() if hasattr(own, "passed")}
#: What is shown of each option: the stored text says what changed.
HELP = Path(__file__).with_name("help.txt")
#: What a verb takes through its further options.
FURTHER = {*PointOptions.names(), *OF_CLASSIFIERS, *OF_TABLES, *STRUCTURES, "sample_size"}
FURTHER |= inspect.signature(adjudge.compare).parameters.keys()


def verb_of(name: str) -> Any:
    found: Any = adjudge
    for part in MADE[name].verb.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", MADE)
def test_a_command_passes_what_its_verb_takes(name: str) -> None:
    takes = inspect.signature(verb_of(name)).parameters
    more = FURTHER if any(own.kind is own.VAR_KEYWORD for own in takes.values()) else set()
    for own in MADE[name].passed:
        assert own.name in {*takes} | more, own.name
        if own.default is not None and own.name in takes:
            assert (own.default or None) == (takes[own.name].default or None), own.name


@pytest.mark.parametrize("name", MADE)
def test_messages_name_the_flags_of_the_command(name: str) -> None:
    flags = {one for option in typer.main.get_command(app).commands[name].params for one in option.opts}  # type: ignore[attr-defined]
    FLAGS_HERE.set(flags_of(name))
    for own in MADE[name].passed:
        assert flag(own.name) in flags
    FLAGS_HERE.set({})


def described(option: Any) -> str:
    value = "" if option.is_flag or not option.metavar else f" {option.metavar}"
    some = " ..." if option.multiple else ""
    needed = " (required)" if option.required else ""
    heading = option.rich_help_panel or "Options"
    return f"{heading} | {', '.join(option.opts)}{value}{some}{needed} | {option.help}"


def help_of(name: str, command: Any) -> str:
    context = typer.Context(command)
    options = [
        one for one in command.get_params(context) if one.param_type_name == "option" and not one.hidden
    ]
    text = re.sub(r"[ \t]+\n", "\n", inspect.cleandoc(command.help or ""))
    return "\n".join([f"## adjudge {name}", "", text, "", *map(described, options)])


def test_the_help_says_what_is_stored() -> None:
    """Flags, texts and defaults: a change is made in the stored file, too, and seen there."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    found = "\n\n".join(help_of(name, commands[name]) for name in sorted(FUNCTIONS)) + "\n"
    assert found == HELP.read_text("utf-8")


def test_what_is_compared_may_be_of_every_kind() -> None:
    """A new kind is among the choices that Python's types and the command line have; `values` has a flag of its own."""
    for verb in (adjudge.compare, adjudge.gate):
        stated = get_type_hints(inspect.unwrap(verb))["kind"]
        kinds = {kind for part in get_args(stated) for kind in get_args(part)}
        assert kinds == UNITS.keys(), (
            f"the type of kind= of {verb.__name__} is not that of statistics/agreement.py"
        )
    assert set(KINDS_COMPARED) == UNITS.keys() - {*WITHOUT_TRUTH}
