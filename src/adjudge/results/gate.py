"""What `gate` returns: whether the new model may replace the old one, by which checks, and which rows broke."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudge.given.label_sets import LabelSets
from adjudge.given.label_vectors import Labels
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table, markdown_text
from adjudge.results.comparison import Comparison
from adjudge.results.differences import words_of_group
from adjudge.results.gate_check import Check, Status
from adjudge.results.gate_history import GateHistory
from adjudge.results.gate_words import GateWords, broken_by_class, old_and_new
from adjudge.results.head_to_head import HeadToHead
from adjudge.results.notice import Notice
from adjudge.results.weak_slices import WeakSlices
from adjudge.saved.omitted import fields_of
from adjudge.statistics.agreement import OF_NUMBERS

#: Names of the two models in the comparison behind a gate.
OLD, NEW = "old", "new"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result, ByValue):
    """Whether the new model may replace the old one, by which checks, and what broke.

    Attributes
    ----------
    verdict : {"pass", "fail", "undecided"}
        "fail" if a check fails, "pass" if all pass.
    tested : tuple of Check
    comparison : Comparison
        Of the old model and the new one; each end of its intervals holds by itself with the confidence of the gate.
    confidence : float
        Confidence of one side of an interval.
    settings : dict
    warnings : tuple of Notice
    history : GateHistory or None
        All looks so far, if a history was given.
    weak_slices : WeakSlices or None
        Where the new model is worse than the old one by more than elsewhere, if that was asked.
    """

    verdict: Status
    tested: tuple[Check, ...]
    comparison: Comparison
    confidence: float
    settings: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    _rows: Callable[[str], Table] | None = None
    history: GateHistory | None = None
    weak_slices: WeakSlices | None = None

    @property
    def passed(self) -> bool:
        """Whether the verdict is "pass"."""
        return self.verdict == "pass"

    @property
    def matrix(self) -> HeadToHead:
        """The Prayatul matrix of the old model against the new one, with its five measures."""
        return old_and_new(self.comparison)

    @property
    def n_broken(self) -> Any:
        """Number of instances (for clusterings: of pairs) that were right and are now wrong."""
        return self.matrix.right_wrong

    @property
    def n_fixed(self) -> Any:
        """Number of instances (for clusterings: of pairs) that were wrong and are now right."""
        return self.matrix.wrong_right

    @property
    def broken(self) -> Any:
        """The rows that were right and are now wrong: a data frame with their columns.

        It is of the library of the table that was judged (pandas for Dask and Spark, PyArrow for DuckDB and Ibis); for
        a file, and for arrays of no such library, of the first of pandas, Polars and PyArrow that is installed.
        """
        return self.rows_of("right_wrong").frame(self.comparison.backend)

    @property
    def fixed(self) -> Any:
        """The rows that were wrong and are now right: a data frame like that of :attr:`broken`."""
        return self.rows_of("wrong_right").frame(self.comparison.backend)

    def rows_of(self, cell: str) -> Table:
        """Return the rows in a cell of :attr:`matrix`, with their columns: "right_wrong" are those that broke."""
        if self._rows is not None:
            return self._rows(cell)
        known = self.comparison.known_instances()
        if isinstance(known.truth, LabelSets):
            names, found = known.truth.labels, self.matrix.instances(cell)
            return Table(("row", "label"), tuple((row, names[label]) for row, label in found.tolist()))
        places, pairs = places_of(self.comparison, cell)
        # Nothing is known about rows that were left out.
        own = places if known.kept is None else np.searchsorted(known.kept, places)
        labels = [known.truth, *(known.labels[name] for name in self.comparison.models)]
        columns = [
            np.asarray(each.given(), object)[own].tolist() for each in labels if isinstance(each, Labels)
        ]
        heads = ("row", *pairs, "truth", OLD, NEW)
        return Table(heads, tuple(zip(places.tolist(), *pairs.values(), *columns, strict=True)))

    def _saved_fields(self) -> dict[str, Any]:
        return fields_of(self) | {"_rows": None}

    @property
    def units_needed(self) -> int | None:
        """How many units (or rows) would decide every undecided check, of a group in that group; None if unknown."""
        needed = [check.units_needed for check in self.tested if check.status == "undecided"]
        known = [number for number in needed if number is not None]
        return max(known) if known and len(known) == len(needed) else None

    @property
    def unit_word(self) -> str:
        """What :attr:`units_needed` counts."""
        return self._words.unit_word

    @property
    def checks(self) -> Table:
        """One row per check."""
        # With a history, the end "at worst" is of all looks, and the scores of both models are of this one.
        changes = ("change",) if self.history is None else ("this look", "all looks")
        heads = ("check", "claim", "old", "new", *changes, "at worst", "margin", "result", "note")
        rows = tuple(check.row(of_looks=self.history is not None) for check in self.tested)
        foot = f"at worst: the end of an interval that holds with {100 * self.confidence:g} % confidence"
        foot += "" if self.history is None else ", at all looks together"
        title = f"Checks ({self.comparison.sample})"
        return Table(heads, rows, title, foot=foot).without_empty_columns()

    def broken_table(self, most: int = 10) -> Table:
        """One row per class, or per class of each group: how many instances broke, the clearest losses first.

        A loss is the clearer, the larger it is beside what broke and was put right (McNemar's statistic): of a rare
        class, few rows are many.

        Parameters
        ----------
        most : int, default 10
            Maximum number of rows.
        """
        return broken_by_class(self.comparison, most)

    def sentences(self) -> list[str]:
        """State the verdict, the reason, and what broke."""
        return self._words.sentences()

    @property
    def _words(self) -> GateWords:
        found = self.verdict, self.tested, self.comparison, self.confidence
        return GateWords(*found, self.history, self.weak_slices)

    def said(self) -> list[str]:
        """Return the sentences as one paragraph."""
        return ["\n".join(self.sentences())]

    def notes(self) -> list[str]:
        """Return the warnings as one paragraph."""
        return ["\n".join(map(str, self.warnings))] if self.warnings else []

    def lines(self) -> list[str]:
        """Return what a terminal shows above the tables."""
        return self.sentences()

    def tables(self) -> list[Table]:
        """Return the checks, then where rows broke, by class and by slice."""
        beside = [self.broken_table()]
        if self.weak_slices is not None:
            seen = replace(self.weak_slices, tested=self.weak_slices.slices).table()
            beside.append(replace(seen, title="Slices in which it is worse by more than elsewhere"))
        return [self.checks, *(own for own in beside if len(own.rows))]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "kind": "gate",
            "verdict": self.verdict,
            "sentences": self.sentences(),
            "checks": [check.to_dict() for check in self.tested],
            "broken": plain_json(self.n_broken),
            "fixed": plain_json(self.n_fixed),
            "where_broken": self.broken_table(1_000_000).records(),
            "units_needed": self.units_needed,
            "confidence": self.confidence,
            "settings": plain_json(self.settings),
            "warnings": [notice.to_dict() for notice in self.warnings],
            **({} if self.history is None else {"history": self.history.to_dict()}),
            **({} if self.weak_slices is None else {"weak_slices": self.weak_slices.to_dict()}),
            "comparison": self.comparison.to_dict(),
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers for experiment trackers.

        ``pass`` and ``undecided`` are 1 for these verdicts, else 0; ``accuracy/old``, ``accuracy/new`` and, of the
        gain, ``accuracy/gain``, ``accuracy/low``, ``accuracy/high`` and ``accuracy/p_value`` are of a check, in a group
        after its name.
        """
        counted = {"broken": self.n_broken, "fixed": self.n_fixed}
        verdicts = {name: float(self.verdict == name) for name in ("pass", "undecided")}
        metrics: dict[str, float] = verdicts | counted
        for check in (own for own in self.tested if own.claim != "broken"):
            name = check.name if check.group is None else f"{words_of_group(check.group)}/{check.name}"
            metrics |= {f"{name}/old": check.old, f"{name}/new": check.new, f"{name}/margin": check.margin}
            if check.change is not None:
                own = {"gain": check.change.value, "low": check.change.low, "high": check.change.high}
                metrics |= {f"{name}/{what}": value for what, value in own.items()}
            if check.p_value is not None:
                metrics[f"{name}/p_value"] = check.p_value
        return finite(metrics)

    @property
    def backend(self) -> str | None:
        """The data-frame library that the inputs came from."""
        return self.comparison.backend

    def to_markdown(self) -> str:
        """Return the verdict and the tables as Markdown, for instance for a job summary in continuous integration.

        Examples
        --------
        >>> from adjudge import gate
        >>> found = gate([0, 1] * 50, old=[0, 1] * 50, new=[1, 1] * 50)
        >>> print(found.to_markdown().splitlines()[0])
        ## Gate: FAIL
        """
        head, *rest = self.sentences()
        parts = [f"## Gate: {self.verdict.upper()}", markdown_text(head), *map(markdown_text, rest)]
        parts += [table.markdown() for table in self.tables()]
        parts += [f"> {markdown_text(str(notice))}" for notice in self.warnings]
        return "\n\n".join(parts) + "\n"

    def to_junit(self) -> str:
        """Return the checks as JUnit XML: failed checks are failures, undecided ones are skipped.

        Examples
        --------
        >>> from adjudge import gate
        >>> found = gate([0, 1] * 50, old=[0, 1] * 50, new=[1, 1] * 50)
        >>> print(found.to_junit().splitlines()[1])
        <testsuite name="adjudge gate" tests="2" failures="2" errors="0" skipped="0">
        """
        from xml.etree import ElementTree as Xml

        statuses = [own.status for own in self.tested]
        suite = Xml.Element(
            "testsuite",
            name="adjudge gate",
            tests=str(len(self.tested)),
            failures=str(statuses.count("fail")),
            errors="0",
            skipped=str(statuses.count("undecided")),
        )
        for check in self.tested:
            case = Xml.SubElement(
                suite, "testcase", classname=f"gate.{check.claim}", name=_plain(check.title)
            )
            if check.status == "fail":
                Xml.SubElement(case, "failure", message=_plain(check.failed))
            elif check.status == "undecided":
                Xml.SubElement(case, "skipped", message=_plain(check.undecided))
        out = Xml.SubElement(suite, "system-out")
        out.text = _plain("\n".join([*self.sentences(), *map(str, self.warnings)]))
        Xml.indent(suite)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(suite, encoding="unicode") + "\n"


def places_of(comparison: Comparison, cell: str) -> tuple[Any, dict[str, list[int]]]:
    """Return the positions of the rows in a cell; for clusterings, with their numbers of pairs, in descending order."""
    found = old_and_new(comparison).instances(cell)
    if comparison.kind in OF_NUMBERS:
        # The rows that lost, or gained, most come first.
        losses = comparison.known_instances().losses
        change = np.abs(losses[NEW] - losses[OLD])
        kept = comparison.known_instances().positions
        return found[np.argsort(-change[np.searchsorted(kept, found)], kind="stable")], {}
    if comparison.kind != "clustering":
        return found, {}
    places = np.flatnonzero(found)
    places = places[np.argsort(-found[places], kind="stable")]
    return places, {"pairs": found[places].tolist()}


def _plain(text: str) -> str:
    """Leave out what XML cannot hold."""
    return _NO_XML.sub("", text)
