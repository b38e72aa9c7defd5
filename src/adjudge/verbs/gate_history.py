"""A gate that is run again and again: its verdict from all looks together, kept in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adjudge.atomic import check_writable
from adjudge.errors import InputError, Option
from adjudge.given.label_vectors import Labels
from adjudge.given.labels import code_labels
from adjudge.inference.differences.betting import BetChange
from adjudge.inference.differences.repeated_looks import Estimate, repeated_change
from adjudge.results.gate import Gate
from adjudge.results.gate_check import Check
from adjudge.results.gate_history import GateHistory, Look
from adjudge.results.notice import Notice
from adjudge.saved.archive import loaded
from adjudge.statistics.agreement import WITHOUT_TRUTH
from adjudge.tables.columns import column_beside
from adjudge.tables.frames import Engine
from adjudge.tables.joined import Joined
from adjudge.verbs.gate_checks import decided_gate, flips_of
from adjudge.verbs.gate_columns import Opened
from adjudge.verbs.gate_conditions import CLAIMS, Wanted
from adjudge.verbs.history_rows import LookRows, rows_needed

__all__ = ["AskedGate", "checked_history", "with_history"]

# Columns that may be the same if one has no name; all else that is not given is an option left out.
_MAY_LACK_A_NAME = ("truth", "old", "new")
_UNNAMED = "(no name)"


def checked_history(path: Any) -> GateHistory:
    """Read the history of a gate; of a file that does not exist yet, one without looks.

    Raises
    ------
    InputError
        If the file is something else.
    """
    if not isinstance(path, (str, Path)):
        raise InputError(Option("history"), " is the path of a file: name one that ends in .adjudge")
    if Path(path).suffix != ".adjudge":
        raise InputError(Option("history", str(path)), " must end in .adjudge")
    if not check_writable(path).exists():
        return GateHistory()
    found = loaded(path, remedy="name another file, or remove this one to begin anew")
    if not isinstance(found, GateHistory):
        raise InputError(
            Option("history", str(path)), " is a saved result, not the history of a gate: name another file"
        )
    return found


def _shown_name(given: Any, *, of_table: bool) -> str | None:
    """Return the name of a column, or of columns; of an array without one, say so; None if nothing is given."""
    if given is None or isinstance(given, str):
        return given
    if of_table and isinstance(given, (list, tuple)):
        return ", ".join(map(str, given))
    if isinstance(given, Mapping):
        return ", ".join(map(str, given))
    name = getattr(given, "name", None)
    return name if isinstance(name, str) else _UNNAMED


@dataclass(frozen=True)
class AskedGate:
    """What a gate was asked for, which is the same at all looks of a history.

    Attributes
    ----------
    wanted : sequence of Wanted
        What it checks.
    given : mapping of str to object
        The truth, the key, units and other options: columns of a table, or arrays.
    models : mapping of "old" and "new" to object
        The models' labels, or the columns that hold them.
    table : FileTable, Frame, Joined, Engine or None
    """

    wanted: Sequence[Wanted]
    given: Mapping[str, Any]
    models: Mapping[str, Any]
    table: Opened | Joined | None

    def described(self, gate: Gate) -> dict[str, Any]:
        """Return the names of columns, and the options, by option; None for what is not given."""
        of_table, kind = self.table is not None, gate.comparison.kind
        names = {model: _shown_name(own, of_table=of_table) for model, own in self.models.items()}
        found: dict[str, Any] = {"kind": kind}
        found |= {option: _shown_name(own, of_table=of_table) for option, own in self.given.items()}
        if kind in WITHOUT_TRUTH:
            has_names = not {None, _UNNAMED} & {*names.values()}
            found["values"] = ", ".join(map(str, names.values())) if has_names else _UNNAMED
        else:
            found |= names
        for option, claim in CLAIMS.items():
            found[option] = ", ".join(own.name for own in self.wanted if own.claim == claim) or None
        return {**found, "confidence": gate.confidence}

    def column(self, name: str) -> Labels | None:
        """Return the key or the units of all rows, from the table if there is one; None if there are none."""
        own = self.given[name]
        if own is None:
            return None
        if isinstance(self.table, Engine):
            raise rows_needed()
        return code_labels(own if self.table is None else column_beside(self.table, own), name)


def _check_same_gate(known: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raise unless a gate is of the columns, models and options that its history is of.

    Parameters
    ----------
    known, asked : mapping of str to object
        By option; None for those that are not given.
    """
    for option, now in asked.items():
        then = known.get(option)
        nameless = _UNNAMED in (then, now) and None not in (then, now)
        if option in _MAY_LACK_A_NAME:
            nameless |= not {None, _UNNAMED}.isdisjoint((then, now))
        if then == now or nameless:
            continue
        was = "without " if then is None else "with "
        how: tuple[Any, ...] = (" is without it",) if now is None else (" has ", Option(option, now))
        same = ": ask for the same, or name another file, one for each pair of models and set of options"
        begun = f" was begun {was}", Option(option) if then is None else Option(option, then)
        raise InputError("the file in ", Option("history"), *begun, ", and this gate", *how, same)


def with_history(gate: Gate, history: GateHistory, path: str | Path, asked: AskedGate) -> Gate:
    """Return the verdict that holds at all looks together, and write this look to the file.

    Parameters
    ----------
    gate : Gate
        What this look says by itself.
    history : GateHistory
        The looks before.
    path : str or Path
    asked : AskedGate
    """
    of = asked.described(gate)
    if history.looks:
        _check_same_gate(history.of, of)
    rows = LookRows.of(gate.comparison, asked.column("key"), asked.column("units"))
    which, inside = rows.among(history)
    if which is not None:
        history = GateHistory((*_without_rows(history.looks, inside), _look(gate, rows, which, inside)), of)
    tested = [_with_looks(own, history, gate.confidence) for own in gate.tested]
    decided = decided_gate(gate, tested)
    if which is not None:
        *before, last = history.looks
        history = replace(history, looks=(*before, replace(last, verdict=decided.verdict)))
        history.save(path)
    said = _said(decided, gate, history, which)
    return replace(decided, warnings=(*decided.warnings, said), history=history)


def _look(gate: Gate, rows: LookRows, which: str, inside: tuple[int, ...]) -> Look:
    n, when = gate.comparison.n, datetime.now(UTC).isoformat(timespec="seconds")
    changes = {
        own.words: Estimate.of(own.change, n, flips_of(own, gate.comparison))
        for own in gate.tested
        if own.change is not None
    }
    prints = rows.ids, rows.contents, rows.units
    margins = {own.words: own.margin for own in gate.tested if own.claim != "superior"}
    return Look(when, n, which, gate.verdict, gate.verdict, changes, inside, *prints, margins)


def _without_rows(looks: Iterable[Look], inside: tuple[int, ...]) -> list[Look]:
    """Leave out the fingerprints of looks whose rows are among those of a later one."""
    empty = Look("", 0, "new", "", "")
    return [
        replace(own, ids=empty.ids, contents=empty.contents, units=empty.units) if i in inside else own
        for i, own in enumerate(looks)
    ]


def _with_looks(check: Check, history: GateHistory, confidence: float) -> Check:
    """Return a check with the change in all rows, and limits that hold at all looks."""
    whole = [own.changes[check.words] for own in history.counted.values() if check.words in own.changes]
    first = next((own.changes[check.words] for own in history.looks if check.words in own.changes), None)
    if check.change is None or first is None or not whole:
        return check
    if (change := repeated_change(whole, confidence, first)) is None:
        return check
    needed = change.n_needed(check.bounds[0], sum(own.n for own in whole))
    # What few rows suppose is of an interval of this look.
    reason = None if isinstance(change, BetChange) else check.reason
    return replace(check, change=change, units_needed=needed, p_value=None, p_fail=None, reason=reason)


def _said(decided: Gate, alone: Gate, history: GateHistory, which: str | None) -> Notice:
    """Say how many looks there were, and what a single one would have said."""
    if which is None:
        head = "no new rows: all of them were judged before"
    else:
        total = sum(own.n for own in history.counted.values())
        head = f"look {len(history.looks)}, {total:,.0f} rows in all"
    other = (
        "" if alone.verdict == decided.verdict else f", where this look by itself would say {alone.verdict}"
    )
    return Notice("looks", f"{head}; limits hold however often one looks{other}", severity="info")
