"""The library's messages, worded for the command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Mapping
from contextvars import ContextVar
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from adjudge.errors import Argument, Call, Option, Position, Row, Scaler, Worded

__all__ = ["FLAGS", "FLAGS_HERE", "flag", "one_line", "option_meant", "plain_usage", "printable", "reworded"]

#: Flags of what the table of options has under no name of its own.
FLAGS = {
    "labels_true": "--truth",
    "labels_pred": "--pred",
    "labels": "--labels",
    "X": "--labels and --columns",
    "scores": "--probabilities",
    "vertices": "--id",
    "taxonomy": "--path-separator",
}
#: The flags of the command that runs, by the parameters that they set.
FLAGS_HERE: ContextVar[Mapping[str, str]] = ContextVar("flags", default=MappingProxyType({}))
# Options that people know from other programs or from Python, and the options to use instead.
_MEANT = {
    "--json": "--format json",
    "--csv": "--format csv",
    "--markdown": "--format markdown",
    "--out": "--output",
    "--true": "--truth",
    "--labels-true": "--truth",
    "--y-true": "--truth",
    "--labels-pred": "--pred",
    "--y-pred": "--pred",
    "--prediction": "--pred",
    "--predictions": "--pred",
    "--pred": "--models",
    "--models": "--pred",
    "--proba": "--probabilities",
    "--index": "--indices",
    "--method": "--estimator",
    "--metrics": "--indices",
    "--scoring": "--indices",
    "--group": "--by",
    "--group-by": "--by",
    "--counts": "--weight COL --weights frequency",
    "--sample-weight": "--weight",
    "--random-state": "--seed",
    "--threads": "--n-jobs",
    "--n-threads": "--n-jobs",
    "--workers": "--n-jobs",
    "--ci": "--confidence 0.95",
    "--normalize": "--standardize",
    "--scale": "--standardize",
    "--tree": "--index-option tree=index",
    "--dimension": "--index-option dimension=2",
    "--min-points": "--index-option min_points=5",
    "--n-neighbors": "--index-option n_neighbors=15",
}
# Options of the library that the shell lacks, with a flag that shows where they are missed, and what to do.
_OF_STRATA = (
    "--weights",
    "strata are not known; let --weight name the inverse of each row's chance to be drawn, with --weights importance "
    "(--by judges groups apart)",
)
_OF_NO_DATA = (
    "--missing",
    "empty the cells of a label that stands for none; --missing drop leaves them out",
)
_ELSEWHERE = {
    **dict.fromkeys(("--strata", "--stratum"), _OF_STRATA),
    **dict.fromkeys(("--nodata", "--no-data", "--ignore-index", "--ignore-label"), _OF_NO_DATA),
    "--pred": (
        "--old",
        "--old and --new name the columns of the models, --prediction that of both with --against",
    ),
    "--scores": (
        "--probabilities",
        "decision values are judged in Python, as scores=; --probabilities reads probabilities",
    ),
    "--metric": (
        "--n-resamples",
        "the criteria are for Euclidean distances; 'adjudge choose' compares columns of labels by others",
    ),
}
# What arguments are called where a command has no flag for them.
_WITHOUT_FLAG = {"labels_true": "the truth", "labels_pred": "the prediction", "X": "the points"}
_COMMANDS = {"list_indices": "indices"}


def flag(name: str) -> str:
    """Return the flag that sets a parameter of the library."""
    return FLAGS_HERE.get().get(name) or FLAGS.get(name, f"--{name.replace('_', '-')}")


def option_meant(typed: str, flags: Container[str]) -> str:
    """Suggest an existing option for an unknown one; return nothing if the command has no such option."""
    beside, hint = _ELSEWHERE.get(typed, ("", ""))
    if beside in flags:
        return hint
    meant = _MEANT.get(typed.replace("_", "-"), "")
    if meant not in flags:  # --pred and --models stand in for each other
        meant = _MEANT.get(meant, meant)
    return f"{meant} does this" if meant.partition(" ")[0] in flags else ""


def printable(text: str) -> str:
    """Escape control characters, which could control the terminal; keep line ends."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def one_line(
    message: object,
    names: Mapping[str, str] = MappingProxyType({}),
    flags: Container[str] | None = None,
) -> str:
    """Word a message in one line, in terms of columns and flags.

    Parameters
    ----------
    message : object
        An exception or a notice, or its text.
    names : mapping of str to str
        What the library's parameters stand for, such as ``labels_true`` for ``column 'species'``.
    flags : container of str, optional
        The flags of the command; a parameter without a flag keeps its Python name. Default: all flags.
    """
    parts = getattr(message, "parts", None) or (str(message),)
    return printable(" ".join("".join(_worded(part, names, flags) for part in parts).split()))


def plain_usage(message: str) -> str:
    """Word a usage error without the terms of the parser."""
    not_a_number = re.fullmatch(r"(Invalid value for .*?): .*\bvalid (integer|number|float)\b.*", message)
    if not_a_number is not None:
        whole = "whole " if not_a_number[2] == "integer" else ""
        return f"{not_a_number[1]}: a {whole}number is needed"
    return message.replace("Value error, ", "").removesuffix(".")


def reworded(value: Any) -> Any:
    """Word the sentences in results for the command line."""
    if isinstance(value, Worded):
        return one_line(value)
    if isinstance(value, Mapping):
        return {key: reworded(own) for key, own in value.items()}
    if isinstance(value, list):
        return [reworded(own) for own in value]
    return tuple(map(reworded, value)) if isinstance(value, tuple) else value


def _argument(name: str, flags: Container[str] | None) -> str:
    """Return the flag that stands for an argument, or what it is called where the command has no such flag."""
    if flags is None:
        return FLAGS_HERE.get().get(name) or FLAGS.get(name, name)
    own = flag(name)
    return own if own.split()[0] in flags else _WITHOUT_FLAG.get(name, name)


def _worded(part: object, names: Mapping[str, str], flags: Container[str] | None) -> str:
    """Word a piece of a message for the command line."""
    match part:
        case Call(name):
            return f"'adjudge {_COMMANDS.get(name, name.replace('_', '-'))}'"
        case Position(index):
            return f"in row {index + 1} of the data"
        case Row(index, column):
            counted = replace(part, column=column + 1) if isinstance(column, int) else part
            return f"in row {index + 1} of the data{counted.entry}"
        case Scaler(name):
            return "--standardize" if name == "standard" else f"--standardize {name}"
        case Argument(name):
            return names.get(name) or _argument(name, flags)
        case Option(name) if flags is not None and flag(name).split()[0] not in flags:
            return str(part)
        case Option(name, value) if part.has_value and value is not True:
            return f"{flag(name)} {shlex.quote(str(value))}"
        case Option(name):
            return flag(name)
    return str(part)
