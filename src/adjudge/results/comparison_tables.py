"""The tables of a comparison, and which of their rows fit one screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

from adjudge.errors import UnknownIndexError
from adjudge.given.options import check_choice
from adjudge.indices.catalog import list_indices
from adjudge.presentation.numbers import shown_p, with_interval
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.differences import (
    GroupDifference,
    differences_table,
    group_differences_table,
    recalls_table,
    words_of_group,
)
from adjudge.results.drawn_units import OfSample
from adjudge.results.head_to_head import HeadToHead, cells_of, pairs_table
from adjudge.results.model_differences import ModelsCompared, difference_of_scores
from adjudge.results.score import OfScores
from adjudge.results.verdict import Verdict, verdict_of
from adjudge.statistics.agreement import CELL_SYMBOLS, CELLS

_CELL_TITLES = {
    "both_right": "both right",
    "right_wrong": "only primary right",
    "wrong_right": "only alternative right",
    "both_wrong": "both wrong",
}
_SHORT_NAMES = {
    **CELL_SYMBOLS,
    "comparative_deviation": "sigma_c",
    "polarization": "alpha",
    "comparative_rightness": "xi_c",
    "effective_rightness": "xi_e",
    "effective_superiority": "phi_e",
}

# More rows of recalls are printed only on request. More rows in all do not fit one screen; then there are at most so
# many of groups or classes.
_MOST_RECALLS, _SCREEN, _MOST_LARGE = 24, 30, 8
_TABLES = {
    "pairs": "_pairs_table",
    "scores": "scores_table",
    "differences": "differences_table",
    "recall": "recalls_table",
    "tests": "tests_table",
    "groups": "group_differences_table",
    "pairs_by_group": "group_table",
}
# Without this, a value outside its interval looks like an error.
_AROUND_ESTIMATES = (
    "an interval beside an estimate is around the estimate: with so few instances the value itself is biased"
)


class ComparedTables(OfSample, ModelsCompared, Result):
    """Models with their scores, and each pair of them, as tables; and a verdict, which says what to show."""

    by_group: Mapping[Any, Any]

    def __iter__(self) -> Iterator[HeadToHead]:
        return iter(self.pairs.values())

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def verdict(self) -> Verdict:
        """What the comparison says in words: which scores differ, the recall of each class, the groups, cautions.

        Examples
        --------
        >>> from adjudge import compare
        >>> truth = ["stay"] * 60 + ["churn"] * 40
        >>> models = {"old": ["stay"] * 80 + ["churn"] * 20, "new": ["stay"] * 65 + ["churn"] * 35}
        >>> both = compare(truth, models, kind="classification", indices=["accuracy"], confidence=0.95)
        >>> print(both.verdict.sentences[0])
        new is better than old by Accuracy (+0.150: 0.950 against 0.800, p < 0.0001).
        >>> print(both.verdict.sentences[1])
        Of churn new finds 87.5 % and old 50 %, of stay: 100 % and 100 %; no difference is seen for stay.
        """
        return verdict_of(self)

    score_intervals = OfScores[dict[str, dict[str, tuple[float, float]]]](
        "interval",
        "Confidence intervals (low, high) of the scores, if `confidence` was given.",
        "judged",
        if_any=True,
    )
    score_estimates = OfScores[dict[str, dict[str, float]]](
        "estimate",
        "Estimates for the population that intervals of scores lie around, if they differ from the scores.",
        "judged",
        if_any=True,
    )
    adjusted_scores = OfScores[dict[str, dict[str, float]]](
        "adjusted", "Scores corrected for chance, if `adjust` was given.", "judged", if_any=True
    )

    def scores_table(self) -> Table:
        """One row per model."""
        names = list(next(iter(self.scores.values())))
        estimates = self.score_estimates
        estimated = {name for found in estimates.values() for name in found}
        columns = ["model"]
        for name in names:
            columns.append(self.heading_of(name))
            columns += [f"{name} (estimate)"] if name in estimated else []
            columns += [f"{name} (adjusted)"] if self.is_corrected(name) else []
        rows = []
        for model, scores in self.scores.items():
            cells: list[Any] = [model]
            for name in names:
                cells.append(with_interval(scores[name], self.score_intervals.get(model, {}).get(name)))
                if name in estimated:
                    cells.append(estimates[model].get(name))
                if self.is_corrected(name):
                    cells.append(self.adjusted_scores[model][name])
            rows.append(tuple(cells))
        foot = _AROUND_ESTIMATES if estimated else ""
        of_units = "" if self.units is None else f" ({self.units.words})"
        title = f"Each model{self.against}{of_units}"
        return Table(tuple(columns), tuple(rows), title=title, foot=foot)

    def is_corrected(self, score: str) -> bool:
        """Return whether a score was corrected for chance, and is not already corrected by definition."""
        return any(
            score in corrected and not math.isclose(corrected[score], self.scores[model][score], abs_tol=1e-9)
            for model, corrected in self.adjusted_scores.items()
        )

    def tests_table(self) -> Table:
        """One row per pair of models: the test that they are equally good, if `confidence` was given."""
        rows = []
        seen = set()
        for pair in self:
            key = frozenset((pair.primary, pair.alternative))
            if pair.test and key not in seen:
                seen.add(key)
                test = pair.test
                rows.append(
                    (
                        f"{pair.primary} = {pair.alternative}",
                        test["name"],
                        shown_p(test["p_value"]),
                        shown_p(test["adjusted_p_value"]),
                        test["reason"] or "",
                    )
                )
        return Table(("hypothesis", "test", "p", "p (Holm)", "note"), tuple(rows), "Equally good?")

    def differences_table(self) -> Table:
        """One row per pair of classifiers and score: the difference, with its interval and test if there are any."""
        rows = [
            (p, q, difference)
            for p, q in combinations(self.models, 2)
            for difference in self.pairs[p, q].differences.values()
        ]
        return differences_table(rows, "Differences of the scores")

    def recalls_table(self) -> Table:
        """One row per pair of classifiers and class: the share of the class that each of them finds."""
        rows = [
            (p, q, recall) for p, q in combinations(self.models, 2) for recall in self.pairs[p, q].recalls
        ]
        return recalls_table(rows, "Recall of each class")

    def group_table(self) -> Table:
        """One row per group and pair of models: the Prayatul matrix within the group."""
        counted = cells_of(self.kind)
        rows = [
            (words_of_group(group), own.n, p, q, *(getattr(own[p, q], cell) for cell in counted))
            for group, own in self.by_group.items()
            for p, q in combinations(self.models, 2)
        ]
        columns = ("group", "n", "primary", "alternative", *counted.values())
        return Table(columns, tuple(rows), "Head to head, by group").weighing("n", *counted.values())

    def group_differences_table(self, index: str | None = None) -> Table:
        """One row per group and pair of models: the difference of a score, noted if reversed overall.

        Of all scores, the accuracy is shown by default, or the one of the verdict if there is none. The correction,
        Holm's unless `groups_correction` named another, covers all rows.
        """
        named, rows = self._of_groups(index)
        return group_differences_table(
            rows,
            f"Differences of {self.heading_of(named)}, by group",
            self._class_in_groups(rows),
            self.settings.get("groups_correction", "holm"),
        )

    def _of_groups(self, index: str | None) -> tuple[str, list[GroupDifference]]:
        """Return the name of a score, or of the default one, and its differences within groups."""
        known = dict.fromkeys(difference.score.index.name for difference in self.group_differences)
        named = index or ("accuracy" if "accuracy" in known or not known else self.verdict.score)
        if known and named not in known:
            raise UnknownIndexError(f"{named!r} was not computed: choose one of {', '.join(known)}")
        return named, [
            difference for difference in self.group_differences if difference.score.index.name == named
        ]

    def _class_in_groups(self, rows: Sequence[GroupDifference]) -> tuple[Any, list[Any]] | None:
        """For a score of one class, the class, and how many instances of each row's group are of it."""
        if not rows:
            return None
        score, first = rows[0].score, rows[0]
        label = score.of_class
        if (
            label is None
            and not score.average
            and score.index.parameters.get("average", "macro") in (None, "binary")
        ):
            labels = [recall.label for recall in self[first.primary, first.alternative].recalls]
            label = labels[1] if len(labels) == 2 else None
        if label is None:
            return None
        recalls = [self.by_group[row.group][row.primary, row.alternative].recalls for row in rows]
        return label, [next((own.n for own in known if str(own.label) == str(label)), 0) for known in recalls]

    def reversals(self, index: str | None = None) -> list[GroupDifference]:
        """Return the groups in which another model is better than over all instances, by one score.

        Of all scores, the accuracy is read by default, or the one of the verdict if there is none.

        Examples
        --------
        >>> from adjudge import compare
        >>> truth = [1, 1, 1, 1, 0, 0]
        >>> models = {"old": [1, 0, 0, 0, 0, 0], "new": [1, 1, 1, 1, 0, 1]}
        >>> both = compare(truth, models, kind="classification", groups=["a"] * 4 + ["b"] * 2)
        >>> [(own.group, round(own.score.value, 2)) for own in both.reversals()]
        [('b', 0.5)]
        """
        return [own for own in self._of_groups(index)[1] if own.is_reversed]

    def table(self, what: str = "pairs") -> Table:
        """Return a table of the comparison.

        Parameters
        ----------
        what : {"pairs", "scores", "differences", "recall", "tests", "groups", "pairs_by_group"}, default "pairs"
            One row per ordered pair, with the four counts and the five measures (and intervals if requested); or one of
            :meth:`tables`, of which a print shows the rows of the leading model if they do not fit one screen.

        Examples
        --------
        >>> from adjudge import compare
        >>> models = {"old": [0, 0, 1, 0], "new": [0, 1, 1, 1]}
        >>> both = compare([0, 0, 1, 1], models, kind="classification")
        >>> both.table("recall").rows[0]
        ('old - new', 0, 2, 1.0, 0.5, 0.5, '')
        """
        check_choice("what", what, tuple(_TABLES))
        made: Table = getattr(self, _TABLES[what])()
        return made

    def _pairs_table(self) -> Table:
        return pairs_table(list(self), f"Head to head, over {self.unit}")

    def full_table(self) -> Table:
        """Add to :meth:`table` both models' scores and their differences, with intervals and tests if requested."""
        table = self.table()
        tested = self._are_tested
        scores = list(next(iter(self.judged.values()))) if self.pairs else []
        ends = ("difference_low", "difference_high", "p_value", "adjusted_p_value") if tested else ()
        columns = [
            f"{name}_{end}" for name in scores for end in ("primary", "alternative", "difference", *ends)
        ]
        rows = []
        for pair, row in zip(self, table.rows, strict=True):
            cells: list[Any] = list(row)
            for name in scores:
                own = difference_of_scores(self, pair.primary, pair.alternative, name)
                cells += [own.first, own.second, own.value]
                cells += [own.low, own.high, own.p_value, own.adjusted_p_value] if tested else []
            rows.append(tuple(cells))
        return Table((*table.columns, *columns), tuple(rows), table.title)

    def short_table(self) -> Table:
        """Return :meth:`table` with the papers' symbols as headings, so that the row of a pair fits a terminal."""
        counted, rows = cells_of(self.kind), []
        for pair in self:
            cells: list[Any] = [pair.primary, pair.alternative, *(getattr(pair, c) for c in counted)]
            cells += [with_interval(value, pair.intervals.get(name)) for name, value in pair.measures.items()]
            rows.append(tuple(cells))
        measures = list(next(iter(self.pairs.values())).measures) if self.pairs else []
        symbols = [_SHORT_NAMES.get(name, name) for name in (*counted.values(), *measures)]
        columns = ["primary", "alternative", *symbols]
        known = [cell for cell in CELLS if cell in counted.values()]
        foot = ", ".join(f"{_SHORT_NAMES[cell]} {_CELL_TITLES[cell]}" for cell in known)
        found = Table(tuple(columns), tuple(rows), f"Head to head, over {self.unit}", foot=foot)
        return found.weighing(*symbols[: len(counted)])

    def legend_table(self) -> Table:
        """Explain the symbols of :meth:`short_table`."""
        what = f"{'weight' if isinstance(self.n, float) else 'number'} of {self.unit}"
        cells = [(_SHORT_NAMES[cell], cell, f"{_CELL_TITLES[cell]}: {what}") for cell in CELLS]
        measures = [
            (_SHORT_NAMES[r.name], r.name, r.summary)
            for r in list_indices("comparative")
            if r.name in _SHORT_NAMES
        ]
        return Table(("symbol", "name", "meaning"), (*cells, *measures), title="Symbols")

    def tables(self) -> list[Table]:
        """Return scores and, if requested, their differences, recalls and groups; then the models head to head."""
        tables = self._named_tables()
        many = len(tables["recall"].rows) > _MOST_RECALLS if "recall" in tables else False
        return [table for name, table in tables.items() if name != "recall" or not many]

    @property
    def _are_tested(self) -> bool:
        """Whether differences have intervals, or tests alone, as with few units."""
        every = (difference for pair in self for difference in pair.differences.values())
        return any(own.interval or own.p_value is not None for own in every)

    def _named_tables(self) -> dict[str, Table]:
        tables = {"scores": self.scores_table()}
        if self._are_tested:
            tables["differences"] = self.differences_table()
            tables |= {"recall": found} if (found := self.recalls_table()).rows else {}
        # The row of the accuracy already has the test of the shares that are right.
        if any(pair.test and "accuracy" not in pair.differences for pair in self):
            tables["tests"] = self.tests_table()
        if self.by_group and len(self):
            tables["groups"] = self.group_differences_table(self.verdict.score)
            tables["pairs_by_group"] = self.group_table()
        if len(self):
            tables["pairs"] = self.short_table()
        return tables

    def shown_tables(self) -> list[Table]:
        """Return what fits one screen of :meth:`tables`: if not all, the rows of the leading model that matter most."""
        return [table for table in self._shown.values() if table.rows]

    @property
    def left_out(self) -> dict[str, int]:
        """The numbers of rows, by the name that :meth:`table` takes, of tables that are not shown or not in full."""
        every, shown = self._named_tables(), self._shown
        return {name: len(own.rows) for name, own in every.items() if len(own.rows) > len(shown[name].rows)}

    @cached_property
    def _shown(self) -> dict[str, Table]:
        tables = self._named_tables()
        if sum(len(table.rows) for table in tables.values()) <= _SCREEN:
            return tables
        found = self.verdict
        pairs = [pair for pair in combinations(self.models, 2) if found.leader in pair]
        of_leader = {f"{p} {sign} {q}" for p, q in pairs for sign in "-="}
        of_both = {f"{p} - {q}" for p, q in pairs if found.rival in (p, q)}
        heading = self.heading_of(found.score)
        kept: dict[str, Callable[[tuple[Any, ...]], bool]] = {
            "scores": lambda row: True,
            "differences": lambda row: row[0] in of_leader and (len(pairs) == 1 or row[1] == heading),
            "recall": lambda row: row[0] in of_both,
            "tests": lambda row: row[0] in of_leader,
            "groups": lambda row: row[0] in of_both,
            "pairs_by_group": lambda row: False,
            "pairs": lambda row: row[0] == found.leader,
        }
        return {name: _with_largest(table, kept[name]) for name, table in tables.items()}


def _with_largest(table: Table, kept: Callable[[tuple[Any, ...]], bool]) -> Table:
    """Keep some of the rows; of many, those with the largest differences."""
    rows = list(filter(kept, table.rows))
    if len(rows) > _MOST_LARGE and "difference" in table.columns:
        place = table.columns.index("difference")
        order = sorted(range(len(rows)), key=lambda i: (math.isnan(rows[i][place]), -abs(rows[i][place])))
        rows = [rows[i] for i in sorted(order[:_MOST_LARGE])]
    return replace(table, rows=tuple(rows))
