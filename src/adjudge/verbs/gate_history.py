"""A gate that is run again and again: its verdict from all looks together, kept in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.label_sets import LabelSets
from adjudge.given.label_vectors import Labels
from adjudge.given.number_vectors import NumberVector
from adjudge.inference.differences.repeated_looks import Estimate, RepeatedChange, pooled
from adjudge.presentation.numbers import count
from adjudge.results.gate import Check, Gate
from adjudge.results.gate_history import GateHistory, Look
from adjudge.results.notice import Notice
from adjudge.saved.archive import load
from adjudge.verbs.gate_checks import decided_gate

__all__ = ["checked_history", "with_history"]

_SAME, _MORE, _NEW = "same", "more", "new"


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
    if not Path(path).exists():
        return GateHistory()
    found = load(path)
    if not isinstance(found, GateHistory):
        raise InputError(
            Option("history", str(path)), " is a saved result, not the history of a gate: name another file"
        )
    return found


def with_history(gate: Gate, history: GateHistory, path: str | Path) -> Gate:
    """Return the verdict that holds at all looks together, and write this look to the file.

    Parameters
    ----------
    gate : Gate
        What this look says by itself.
    history : GateHistory
        The looks before.
    path : str or Path
    """
    rows = _Rows.of(gate)
    which, before, extends = rows.among(history.looks)
    if which is None:
        # The same rows and the same models: it is no other look.
        looks = history.looks
    else:
        n = gate.comparison.n
        changes = {_key(own): Estimate.of(own.change, n) for own in gate.tested if own.change is not None}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        looks = (
            *history.looks,
            Look(now, n, which, rows.truth, rows.model, gate.verdict, gate.verdict, changes, extends),
        )
    used = {i: own for i, own in enumerate(looks) if own.rows != _SAME}
    if which == _SAME:
        used = {len(looks) - 1: looks[-1]}
    tested = [_with_looks(own, used, gate.confidence) for own in gate.tested]
    decided = decided_gate(gate, tested)
    said = _said(decided, gate, looks, which, before)
    if which is not None:
        looks = (*looks[:-1], replace(looks[-1], verdict=decided.verdict))
        GateHistory(looks).save(path)
    return replace(decided, warnings=(*decided.warnings, *said), history=GateHistory(looks))


def _key(check: Check) -> str:
    return f"{check.claim}: {check.title}"


def _with_looks(check: Check, looks: Mapping[int, Look], confidence: float) -> Check:
    """Return a check with the change in all rows, and limits that hold at all looks."""
    key = _key(check)
    seen = {i: own.changes[key] for i, own in looks.items() if key in own.changes}
    if check.change is None or not seen:
        return check
    # More of the same rows stand for the look that had some of them.
    extended = {looks[i].extends for i in seen}
    whole = pooled([own for i, own in seen.items() if i not in extended])
    first = seen[min(seen)]
    if not max(first.below, first.above) > 0:
        return check
    change = RepeatedChange.at(whole, confidence, first)
    needed = change.n_needed(0.0 if check.claim == "superior" else -check.margin, whole.n)
    return replace(check, change=change, units_needed=needed, p_value=None, p_fail=None)


class _Rows:
    """The rows of a look, which are compared with those of earlier looks by digests."""

    def __init__(self, truth: NDArray[Any], old: NDArray[Any], new: NDArray[Any]) -> None:
        self._both = [truth, old]
        self.n = old.size
        self.truth, self.model = self.of_first(self.n), _digest([new])

    @classmethod
    def of(cls, gate: Gate) -> _Rows:
        """Read the labels, or numbers, of both models.

        Raises
        ------
        InputError
            If only counts are known.
        """
        known = gate.comparison._instances
        if known is None:
            raise InputError(
                Option("history"),
                " needs the rows, to know which were judged before: pass a table in memory, not one that is counted",
            )
        instances = gate.comparison.known_instances()
        old, new = map(_column, instances.labels.values())
        return cls(old[:0] if instances.truth is None else _column(instances.truth), old, new)

    def of_first(self, n: int) -> str:
        """Return the number of rows and the digest of the first of them, without the new model."""
        return f"{n}:{_digest([own[:n] for own in self._both])}"

    def among(self, looks: Sequence[Look]) -> tuple[str | None, int, int | None]:
        """Say whether the rows are new.

        Returns
        -------
        str or None
            None if this look was made before.
        int
            How often these rows were judged before.
        int or None
            The place of the look whose rows are the first of these.
        """
        n_before = sum(own.truth == self.truth for own in looks)
        if any(own.truth == self.truth and own.model == self.model for own in looks):
            return None, n_before, None
        if n_before:
            return _SAME, n_before, None
        for i, own in reversed(list(enumerate(looks))):
            n = int(own.truth.partition(":")[0])
            if own.rows != _SAME and n < self.n and own.truth == self.of_first(n):
                return _MORE, 0, i
        return _NEW, 0, None


def _column(own: Labels | LabelSets | NumberVector) -> NDArray[Any]:
    """Return an entry for each row, or for each of its labels."""
    return own.keys if isinstance(own, LabelSets) else np.asarray(own.given())


def _digest(columns: Sequence[NDArray[Any]]) -> str:
    found = hashlib.sha256()
    for own in columns:
        if own.dtype.kind == "O":
            found.update("\0".join(map(str, own.tolist())).encode())
        else:
            found.update(np.ascontiguousarray(own).tobytes())
        found.update(str(own.dtype.kind).encode())
    return found.hexdigest()[:32]


def _said(
    decided: Gate, alone: Gate, looks: Sequence[Look], which: str | None, n_before: int
) -> tuple[Notice, ...]:
    """Say how many looks there were, and what a single one would have said."""
    if which == _SAME:
        why = f"these rows have judged {count(n_before, 'other model', 'other models')} before"
        remedy = (
            "judge new rows now and then: a model that is chosen by the same rows looks better than it is"
        )
        return (Notice("rows-judged-before", why, remedy),)
    if which is None:
        head = "no new rows: this look was made before"
    else:
        extended = {own.extends for own in looks}
        total = sum(own.n for i, own in enumerate(looks) if own.rows != _SAME and i not in extended)
        head = f"look {len(looks)}, {total:,.0f} rows in all"
    told = f"{head}; limits hold however often one looks"
    other = (
        "" if alone.verdict == decided.verdict else f", where this look by itself would say {alone.verdict}"
    )
    return (Notice("looks", f"{told}{other}", severity="info"),)
