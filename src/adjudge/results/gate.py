"""What `gate` returns: whether the new model may replace the old one, by which checks, and which rows broke."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudge.given.label_sets import LabelSets
from adjudge.given.label_vectors import Labels
from adjudge.presentation.columns import shown_line
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import count, listed, percent_text
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table, markdown_text
from adjudge.results.comparison import Comparison
from adjudge.results.differences import words_of_group
from adjudge.results.gate_check import Check, Status, with_sign
from adjudge.results.gate_history import GateHistory
from adjudge.results.head_to_head import HeadToHead
from adjudge.results.notice import Notice
from adjudge.results.weak_slices import WeakSlices
from adjudge.saved.omitted import fields_of
from adjudge.statistics.agreement import OF_NUMBERS, WeightedAgreement

#: Names of the two models in the comparison behind a gate.
OLD, NEW = "old", "new"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Most checks that a sentence names.
_NAMED = 3
# What can be right or wrong.
_UNITS = {
    "classification": "row",
    "clustering": "pair of instances",
    "multilabel": "pair of a row and a label",
    "regression": "row",
    "values": "row",
}
_ANSWER = {
    "pass": "may replace the old one",
    "fail": "may not replace the old one",
    "undecided": "may or may not replace the old one: these data do not tell",
}


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
        return _pair(self.comparison)

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
        return "row" if self.comparison.units is None else "unit"

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
        found = [
            (words_of_group(group) if group is not None else "", str(row.label), row.n, row.broken, row.fixed)
            for group, own in self._parts()
            for row in _pair(own).recalls
            if row.broken
        ]
        found.sort(key=lambda row: ((row[4] - row[3]) / math.sqrt(row[3] + row[4]), -row[3]))
        grouped = bool(self.comparison.by_group)
        heads = ("group", "class", "n", "broken", "fixed")
        rows = found[:most] if grouped else [row[1:] for row in found[:most]]
        return Table(heads if grouped else heads[1:], tuple(rows), "Where rows broke")

    def _parts(self) -> list[tuple[Any, Comparison]]:
        """Return the comparison within each group; without groups, that of all instances."""
        return list(self.comparison.by_group.items()) or [(None, self.comparison)]

    def sentences(self) -> list[str]:
        """State the verdict, the reason, and what broke."""
        said = [f"{self.verdict.upper()}: the new model {_ANSWER[self.verdict]}."]
        whys = self._why(), self._unlike_all_looks(), self._flips(), self._in_slices()
        said += [text for text in whys if text]
        return [shown_line(text) for text in said]

    def _why(self) -> str:
        level = f"{100 * self.confidence:g} % confidence"
        level += "" if self.history is None else ", at all looks together"
        if self.verdict == "pass":
            many = len(self.tested)
            return (
                f"All {many} checks pass, each at {level}." if many > 1 else f"The check passes at {level}."
            )
        chosen = [check for check in self.tested if check.status == self.verdict]
        if self.verdict == "fail":
            chosen.sort(key=lambda check: -check.excess)
            return f"{listed([check.failed for check in chosen], _NAMED)}."
        text = f"{listed([check.undecided for check in chosen], _NAMED)}."
        return text + self._enough(chosen)

    def _unlike_all_looks(self) -> str:
        """Say which checks went beyond the margin in this look, although they do not fail at all looks together."""
        if self.history is None or len(self.history.looks) < 2:
            return ""
        worse = []
        for check in self.tested:
            if check.pooled is None or check.status == "fail":
                continue
            if check.gain < check.beyond:
                n = self.history.n_last_beyond(check.words, check.beyond)
                last = f", beyond it in each of the last {n} looks" if n > 1 else ""
                text = f"{check.title} changed by {with_sign(check.difference)} ({check.bound_words}{last})"
                worse.append(text)
        return f"But in this look alone {listed(worse, _NAMED)}." if worse else ""

    def _enough(self, undecided: Sequence[Check]) -> str:
        """Say how many units would decide the check that lacks the most, for its number of units."""
        text = ""
        if known := [check for check in undecided if check.units_needed is not None]:
            most = max(known, key=lambda check: (check.units_needed or 0) / self._n_drawn(check.group))
            group = None if self.history is not None else most.group
            unit = "row" if self.history is not None else self.unit_word
            if unit == "row" and self.comparison.effective is not None:
                unit = "effective row"
            have = count(round(self._n_drawn(most.group)), unit)
            have += "" if group is None else f" in {words_of_group(group)}"
            have += "" if self.history is None else " in all looks"
            beside = ""
            if "judge" in self.comparison.settings:
                have += " that people labelled"
                beside = " by people, and the judge's in proportion,"
            enough = f"about {_rounded(most.units_needed or 0)}{beside} would be enough"
            enough += " there" if group is not None else ""
            enough += f" for {most.title}" if group is None and len(known) < len(undecided) else ""
            text = f" There are {have}; {enough} if the models are equally good."
            if not beside and (most.units_needed or 0) <= self._n_drawn(most.group):
                text = f" There are {have}, which would be enough if the models were equally good."
        if any(own.claim == "superior" and own.units_needed is None and own.change for own in undecided):
            equal = "If they are" if text else "If the models are equally good"
            text += f" {equal}, no number of {self.unit_word}s shows that the new one is better."
        return text

    def _n_drawn(self, group: Any) -> Any:
        """Return the number of units, or rows, in a group, or of all; with a history, of rows in all looks."""
        if self.history is not None:
            return sum(own.n for own in self.history.counted.values())
        own = self.comparison if group is None else self.comparison.by_group[group]
        return own.n_effective if own.units is None else own.units.n_units

    def _flips(self) -> str:
        unit = _UNITS[self.comparison.kind]
        if self.comparison.kind in OF_NUMBERS:
            worse, improved = (self._counted(n, unit) for n in (self.n_broken, self.n_fixed))
            return f"{worse} {_are(self.n_broken)} worse now, {improved} better."
        broken, fixed = (self._counted(n, unit) for n in (self.n_broken, self.n_fixed))
        if self._is_weighted:
            text = f"By weight, {broken} were right and are wrong now, {fixed} were wrong and are right"
        else:
            text = f"{broken} that {_were(self.n_broken)} right {_are(self.n_broken)} wrong now, "
            text += f"{fixed} that {_were(self.n_fixed)} wrong {_are(self.n_fixed)} right"
        table = self.broken_table(1)
        if table.rows and (len(self._parts()) > 1 or len(self.matrix.recalls) > 1):
            *where, n, lost, won = table.rows[0]
            if lost > won:
                place = f"class {where[-1]}" + (f" in {where[0]}" if len(where) > 1 else "")
                if self._is_weighted:
                    text += f"; {place} lost most: {percent_text(lost / n)} of it broke, "
                    text += f"{percent_text(won / n)} was put right"
                else:
                    text += f"; {place} lost most: {_amount(lost)} of its {_amount(n)} broke, "
                    text += f"{_amount(won)} {_were(won)} put right"
        return f"{text}."

    @property
    def _is_weighted(self) -> bool:
        """Whether rows count by sampling weights, of which the sums depend on their scale."""
        return isinstance(self.matrix.agreement, WeightedAgreement)

    def _counted(self, n: Any, what: str) -> str:
        """Count rows or pairs; say the share of those with sampling weights."""
        plural = what.replace("pair", "pairs", 1) if what.startswith("pair") else f"{what}s"
        if self._is_weighted:
            return f"{percent_text(n / self.matrix.agreement.total)} of the {plural}"
        return f"{_amount(n)} {what if n == 1 else plural}"

    def _in_slices(self) -> str:
        """Name the slices in which the new model is worse by more than elsewhere, if they were looked for."""
        if self.weak_slices is None:
            return ""
        if not self.weak_slices.n_looked_at:
            return "The columns give no slices of enough rows to look at."
        if not self.weak_slices.slices:
            return "In no slice of the rows is it seen to be worse by more than elsewhere."
        named = [one_slice.words for one_slice in self.weak_slices.slices]
        more = f"; and in {len(named) - _NAMED} more slices" if len(named) > _NAMED else ""
        return f"It is worse by more than elsewhere where {'; where '.join(named[:_NAMED])}{more}."

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

        numbers = {status: sum(own.status == status for own in self.tested) for status in _ANSWER}
        suite = Xml.Element(
            "testsuite",
            name="adjudge gate",
            tests=str(len(self.tested)),
            failures=str(numbers["fail"]),
            errors="0",
            skipped=str(numbers["undecided"]),
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
    found = _pair(comparison).instances(cell)
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


def _pair(comparison: Comparison) -> HeadToHead:
    """Return the old model against the new one."""
    old, new = comparison.models
    return comparison[old, new]


def _amount(n: Any) -> str:
    return f"{n:,.0f}"


def _were(n: Any) -> str:
    return "was" if n == 1 else "were"


def _are(n: Any) -> str:
    return "is" if n == 1 else "are"


def _rounded(n: int) -> str:
    """Round a number up to two significant digits."""
    scale = 10 ** max(0, len(str(n)) - 2)
    return f"{math.ceil(n / scale) * scale:,}"


def _plain(text: str) -> str:
    """Leave out what XML cannot hold."""
    return _NO_XML.sub("", text)
