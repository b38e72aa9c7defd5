"""A classifier's scores by class and by group, and its confusion matrix: what `evaluate` adds for classifiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option, UnknownIndexError
from adjudge.given.options import check_choice
from adjudge.presentation import notebook
from adjudge.presentation.numbers import count
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.tables import Table
from adjudge.results.class_scores import ByClass
from adjudge.results.cross_fitted_threshold import cross_fitted_threshold
from adjudge.results.curves import CURVES, ThresholdCurve
from adjudge.results.differences import GroupContrast, contrasts_table, words_of_group
from adjudge.results.disparities import Disparity, disparities_table
from adjudge.results.evaluation import Evaluation, flat_scores
from adjudge.results.instances import drawn_in
from adjudge.results.reliability import ReliabilityCurve
from adjudge.results.score import Score, each, score_columns
from adjudge.results.score_curve import ScoreCurve
from adjudge.results.thresholds import BestThreshold, best_threshold
from adjudge.saved.omitted import LeftOut, OfRows
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.curve_steps import MOST_CLASSES, CurveSteps
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.reliability import Bins


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(Mapping[str, float]):
    """The scores of the instances of one group: ``scores["accuracy"]`` is a float.

    Attributes
    ----------
    group : object
        The group's value; a tuple if several columns define the groups.
    n : int or float
        Its instances, or their weight.
    scores : dict of str to Score
    """

    group: Any
    n: Any
    scores: dict[str, Score]

    def score(self, name: str) -> Score:
        """Return everything that is known about one index."""
        return Evaluation(self.scores, 0, {}).score(name)

    def __getitem__(self, name: str) -> float:
        return self.score(name).value

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        known = ", ".join(f"{name}={score.value:.4g}" for name, score in list(self.scores.items())[:6])
        return f"<group {self.group!r}: n={self.n}, {known}>"


def saved_forecasts(known: Forecasts | CurveSteps | LeftOut | None) -> Any:
    """Return what is saved of forecasts: with the rows all of them, else the thresholds of their curves."""
    if not isinstance(known, Forecasts):
        return known
    return OfRows(known, CurveSteps.of(known) if known.k <= MOST_CLASSES else LeftOut())


@dataclass(frozen=True, eq=False, repr=False)
class ClassifierEvaluation(Evaluation):
    """How good a classifier is: as a whole, by class, by group.

    ``evaluation["accuracy"]`` is a value, as in any :class:`~adjudge.Evaluation`.

    Attributes
    ----------
    confusion : Confusion or None
        Counts in the order of the classes; None if only scores that rank were given.
    by_class : ByClass
        ``by_class[label]["recall"]``, or with ``.score("recall")`` its interval and reason, too.
    by_group : dict of object to GroupScores
        If `groups` were given.
    differences : tuple of GroupContrast
        Each group against all others: the difference in accuracy (with `confidence`: in every score) with interval,
        p-value, and Holm's correction, or that of `groups_correction`.
    pair_differences : tuple of GroupContrast
        The same for each pair of groups, if there are at most 20.
    disparities : tuple of Disparity
        How far the groups lie apart in how often they are predicted as the positive class: the difference and the ratio
        of demographic parity (of all instances) and of equalized odds (of those of the class, and of all others).
    """

    confusion: Confusion | None = None
    by_class: ByClass = field(default_factory=lambda: ByClass(()))
    by_group: dict[Any, GroupScores] = field(default_factory=dict)
    differences: tuple[GroupContrast, ...] = ()
    pair_differences: tuple[GroupContrast, ...] = ()
    disparities: tuple[Disparity, ...] = ()
    _forecasts: Forecasts | CurveSteps | LeftOut | None = None
    _in_units: bool = False

    @property
    def forecasts(self) -> Forecasts | CurveSteps | None:
        """The probabilities, or scores, that were judged; None if neither was given.

        For a result that was saved without instances, the thresholds of its curves.
        """
        return None if self._forecasts is None else self.known_forecasts()

    def known_forecasts(self) -> Forecasts | CurveSteps:
        """Return the probabilities, or scores, that were judged."""
        if self._forecasts is None:
            raise InputError("curves are of probabilities or scores, which were not given")
        return self._forecasts.read() if isinstance(self._forecasts, LeftOut) else self._forecasts

    def _saved_fields(self) -> dict[str, Any]:
        return super()._saved_fields() | {"_forecasts": saved_forecasts(self._forecasts)}

    def curve(self, kind: str, *, positive: Any = None) -> ScoreCurve:
        """Return a curve over all thresholds of the scores of one class.

        Parameters
        ----------
        kind : {"roc", "precision_recall", "det", "gains", "thresholds", "decision"}
        positive : optional
            The class; default: the positive one.

        Examples
        --------
        >>> from adjudge import evaluate
        >>> judged = evaluate([0, 0, 1, 1], probabilities=[0.1, 0.4, 0.35, 0.8], kind="classification")
        >>> judged.curve("roc").area
        0.75
        """
        check_choice("kind", kind, tuple(CURVES))
        return CURVES[kind].of(self.known_forecasts(), positive, in_units=self._in_units)

    def best_threshold(
        self, by: str = "f1", *, costs: tuple[float, float] | None = None, positive: Any = None
    ) -> BestThreshold:
        """Find the threshold of the scores of one class at which a measure is best, or mistakes cost least.

        Parameters
        ----------
        by : str, default "f1"
            A measure by class; "youden" is recall plus specificity minus 1.
        costs : (float, float), optional
            Costs of a false positive and of a false negative, in place of a measure.
        positive : optional
            The class; default: the positive one.

        Returns
        -------
        BestThreshold
            All best thresholds, and the counts at the highest of them. Judge it on other instances: it looks better
            than it is on those that chose it.

        Examples
        --------
        >>> from adjudge import evaluate
        >>> judged = evaluate([0, 0, 1, 1], probabilities=[0.1, 0.4, 0.35, 0.8], kind="classification")
        >>> best = judged.best_threshold("f1")
        >>> best.threshold, round(best.value, 3), best.counts
        (0.35, 0.8, {'tp': 2, 'fp': 1, 'fn': 0, 'tn': 1})
        """
        return best_threshold(ThresholdCurve.of(self.known_forecasts(), positive), by, costs=costs)

    cross_fitted_threshold = cross_fitted_threshold

    def reliability(
        self, *, positive: Any = None, n_bins: int = 10, bins: Bins = "width"
    ) -> ReliabilityCurve:
        """Return the forecast probabilities in bins, and how often they came true.

        Parameters
        ----------
        positive : optional
            The class; default: the positive one, or else the likeliest of each instance.
        n_bins : int, default 10
        bins : {"width", "mass"}, default "width"
        """
        return ReliabilityCurve.of(
            self.known_forecasts(),
            positive,
            n_bins=n_bins,
            bins=bins,
            in_units=self._in_units,
            drawn=drawn_in(self),
        )

    def class_table(self, *measures: str) -> Table:
        """One row per class: its instances, predictions, and measures (all, or those named)."""
        return self.by_class.table(measures or None)

    def confusion_table(self, normalize: str | None = None) -> Table:
        """Return the confusion matrix as a table.

        Parameters
        ----------
        normalize : {"true", "predicted", "all"}, optional
            Shares of rows, of columns, or of all instances, instead of counts.
        """
        confusion = self.known_confusion()
        labels, classes = (list(map(str, own)) for own in (confusion.labels, confusion.classes))
        # Answers that name no class have columns alone.
        matrix = normalized(confusion.matrix[: len(classes)], normalize)
        rows = [(label, *row) for label, row in zip(classes, matrix.tolist(), strict=True)]
        found = Table(("true / predicted", *labels), tuple(rows), title="Confusion matrix")
        return found.weighing(*labels)

    def confused_table(self, most: int = 10) -> Table:
        """List the most common mistakes by the names of the classes.

        Parameters
        ----------
        most : int, default 10
            Maximum number of pairs of classes.
        """
        confusion = self.known_confusion()
        sizes = dict(zip(confusion.labels, confusion.true_counts.tolist(), strict=True))
        rows = [
            (str(true), str(said), count, count / sizes[true])
            for true, said, count in confusion.most_confused(most)
        ]
        found = Table(("true", "predicted", "instances", "share of the class"), tuple(rows), "Most confused")
        return found.weighing("instances")

    def known_confusion(self) -> Confusion:
        """Return the confusion matrix, if labels or probabilities were judged."""
        if self.confusion is None:
            raise InputError("there is no confusion matrix: labels or probabilities were not given")
        return self.confusion

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers for experiment trackers; scores of a group after its name.

        Examples
        --------
        >>> from adjudge import evaluate
        >>> found = evaluate([0, 1, 1], [0, 1, 0], groups=["x", "x", "y"], indices="accuracy")
        >>> found.flat()
        {'accuracy': 0.6666666666666666, 'x/accuracy': 1.0, 'y/accuracy': 0.0}
        """
        groups = (flat_scores(own.scores, words_of_group(own.group)) for own in self.by_group.values())
        return finite(
            flat_scores(self.scores) | {name: value for own in groups for name, value in own.items()}
        )

    def group_table(self, *indices: str) -> Table:
        """One row per group, one column per index (all, or those named), with intervals if requested."""
        groups = list(self.by_group.values())
        known = groups[0].scores if groups else {}
        columns: dict[str, Callable[[GroupScores], Any]] = {
            "group": lambda own: words_of_group(own.group),
            "n": lambda own: own.n,
        }
        optional = []
        for name in (name for name in indices or known if name in known):
            head = known[name].heading
            own, ends = score_columns(head, partial(_score_of, name), f"{head}_low", f"{head}_high")
            columns |= own
            optional.append(ends)
        return Table.of(groups, columns, "By group", optional=optional).weighing("n")

    def table_with_groups(self) -> Table:
        """Return the table for programs, of all instances and of each group, which its rows then begin with."""
        if not self.by_group:
            return super().table_with_groups()
        by_words = {words_of_group(group): own.scores for group, own in self.by_group.items()}
        rows = [
            (group, name, score)
            for group, own in [("", self.scores), *by_words.items()]
            for name, score in own.items()
        ]
        groups, names, scores = (list(own) for own in zip(*rows, strict=True))
        found = self._rows(names, scores, with_classes=True)
        stacked = [(group, *row) for group, row in zip(groups, found.rows, strict=True)]
        return Table(("group", *found.columns), tuple(stacked))

    def differences_table(self, index: str = "accuracy") -> Table:
        """One row per group: a score, next to that of all others."""
        rows = self._contrasts(self.differences, index)
        title = f"Each group against the rest: {self._heading_of(rows, index)}"
        return contrasts_table(rows, title, self._correction)

    def pair_differences_table(self, index: str = "accuracy") -> Table:
        """One row per pair of groups: the difference of a score."""
        rows = self._contrasts(self.pair_differences, index)
        title = f"Pairs of groups: {self._heading_of(rows, index)}"
        return contrasts_table(rows, title, self._correction)

    @property
    def _correction(self) -> str:
        """The correction of the tests of groups."""
        return str(self.settings.get("groups_correction", "holm"))

    def disparities_table(self) -> Table:
        """One row per disparity between groups: demographic parity and equalized odds."""
        if self.by_group and not self.disparities:
            raise InputError(
                "disparities compare two groups or more by predictions of one class: name it as ",
                Option("positive"),
            )
        return disparities_table(self.disparities)

    def _heading_of(self, rows: list[GroupContrast], index: str) -> str:
        """Name the score of contrasts, which need not be among the overall scores."""
        return (
            rows[0].score.heading if rows else self.scores[index].heading if index in self.scores else index
        )

    def _contrasts(self, rows: tuple[GroupContrast, ...], index: str) -> list[GroupContrast]:
        found = [row for row in rows if row.score.index.name == index]
        if rows and not found:
            known = dict.fromkeys(row.score.index.name for row in rows)
            raise UnknownIndexError(
                f"groups were not compared by {index!r}: choose one of {', '.join(known)}"
            )
        return found

    def worst_groups(self, index: str = "accuracy") -> list[Any]:
        """Return the groups with the worst value of an index; several if they tie.

        The worst of several groups looks worse than it is, especially if groups are small: see its interval.
        """
        values = {group: own[index] for group, own in self.by_group.items() if not math.isnan(own[index])}
        if not values:
            return []
        better = next(iter(self.by_group.values())).score(index).index.better
        worst = max(values.values()) if better == "lower" else min(values.values())
        return [group for group, value in values.items() if value == worst]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: that of an :class:`~adjudge.Evaluation`, the confusion matrix, and scores by class and group."""
        found = super().to_dict()
        if self.confusion is not None:
            classes = plain_json(list(self.confusion.labels))
            found["confusion"] = {"classes": classes, **self.confusion.listed()}
            if self.confusion.n_outside:
                found["confusion"]["n_outside"] = self.confusion.n_outside
        found["by_class"] = self.by_class.to_dict()
        if self.by_group:
            found["by_group"] = [
                {
                    "group": plain_json(own.group),
                    "n": plain_json(own.n),
                    "values": plain_json(dict(own)),
                    "intervals": plain_json(each(own.scores, "interval")),
                    "reasons": each(own.scores, "reason"),
                }
                for own in self.by_group.values()
            ]
            found["group_differences"] = [row.to_dict() for row in self.differences]
            found["group_pair_differences"] = [row.to_dict() for row in self.pair_differences]
            found["group_disparities"] = [row.to_dict() for row in self.disparities]
        return found

    def tables(self) -> list[Table]:
        """Return all tables: overall, by class, confusion matrix (above 12 classes, its largest mistakes), by group."""
        return [
            self.table(),
            *self._tables_of_classes(),
            *self._tables_of_mistakes(),
            *self.group_tables(),
        ]

    def _tables_of_classes(self) -> list[Table]:
        if not len(self.by_class):
            return []
        measured = next(iter(self.by_class.values()))
        return [self.class_table(*(name for name in _SHOWN if name in measured))]

    def _tables_of_mistakes(self) -> list[Table]:
        if self.confusion is None:
            return []
        few = len(self.confusion.labels) <= _MOST_SHOWN
        return [self.confusion_table() if few else self.confused_table()]

    def group_tables(self) -> list[Table]:
        """Return a table of the groups, one of each against the rest, and one of how far they lie apart."""
        if not self.by_group:
            return []
        some = list(self.scores)
        if len(some) > len(_SHOWN_BY_GROUP):
            some = [name for name in _SHOWN_BY_GROUP if name in self.scores] or some[: len(_SHOWN_BY_GROUP)]
        tables = [self.group_table(*some)]
        if self.differences:
            compared = {row.score.index.name for row in self.differences}
            asked = next(
                (name for name in self.scores if name in compared), self.differences[0].score.index.name
            )
            tables.append(self.differences_table(asked))
        if self.disparities:
            tables.append(self.disparities_table())
        return tables

    def shown_tables(self) -> list[Table]:
        """Return all tables, except rows for very many classes."""
        listed = [] if self.n_unlisted else self._tables_of_classes()
        tables = [self.table(), *listed, *self._tables_of_mistakes(), *self.group_tables()]
        return [table.with_joined_ends() for table in tables]

    @property
    def n_unlisted(self) -> str:
        """How many classes there are, if these are too many to show; else empty."""
        classes = self.by_class if self.confusion is None else self.confusion.classes
        return count(len(classes), "class") if len(classes) > _MOST_LISTED else ""

    def _where_more(self) -> list[str]:
        return [f"{self.n_unlisted}: class_table() has a row for each"] if self.n_unlisted else []

    def __repr__(self) -> str:
        tables = [table.text() for table in self.shown_tables()]
        first = "\n".join([tables[0], *self.notes()])
        return "\n\n".join([*self.said(), first, *tables[1:], *self._where_more()])

    def _repr_html_(self) -> str:
        notes = [*self.notes(), *self._where_more()]
        return notebook.fragment(
            *map(notebook.sentence, self.said()),
            *map(notebook.table, self.shown_tables()),
            *map(notebook.sentence, notes),
        )


# A confusion matrix of more classes does not fit a terminal.
_MOST_SHOWN = 12
# Nobody reads the scores of more classes on a screen, and computing very many takes long.
_MOST_LISTED = 50
_SHOWN = ("precision", "recall", "f1", "roc_auc")
_SHOWN_BY_GROUP = ("accuracy", "balanced_accuracy", "macro_f1", "log_loss", "roc_auc", "selection_rate")


def _score_of(name: str, group: GroupScores) -> Score:
    return group.scores[name]


def normalized(matrix: NDArray[Any], how: str | None) -> NDArray[Any]:
    """Divide a confusion matrix by the sums of its rows or columns, or by its total; empty ones become nan."""
    if how is None:
        return matrix
    totals: Any = {
        "true": matrix.sum(axis=1, keepdims=True),
        "predicted": matrix.sum(axis=0, keepdims=True),
        "all": matrix.sum(),
    }.get(how)
    if totals is None:
        remedy = (
            "it is called 'predicted' here" if how == "pred" else "choose one of 'true', 'predicted', 'all'"
        )
        raise InputError(Option("normalize", how), f" is not known: {remedy}")
    with np.errstate(invalid="ignore"):
        return np.asarray(matrix / totals)
