"""What `evaluate` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from adjudge.errors import Argument, InputError, Option, UnknownIndexError, in_words, joined
from adjudge.given.options import check_choice
from adjudge.indices.catalog import find_index
from adjudge.indices.matching import Criterion
from adjudge.indices.record import Index
from adjudge.presentation import notebook
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import bounded, count, range_text
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.tables import Table
from adjudge.results.class_scores import ByClass
from adjudge.results.drawn_units import DrawnUnits, sample_words, units_as_dict
from adjudge.results.instances import Instances
from adjudge.results.label_notices import NAMES_ARE_ARBITRARY
from adjudge.results.notice import Notice
from adjudge.results.score import Score, each, interval_words, qualified
from adjudge.saved.omitted import LeftOut, OfRows, fields_of

__all__ = ["Evaluation"]


# Most rows that a reader takes in without headings.
_FEW = 5
# Means under chance that are smaller than this are 0, up to rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(ByValue):
    """How good a partition is: the scores of the requested indices.

    ``evaluation["rand"]`` is a value, by name, alias or unambiguous abbreviation among those computed, and
    ``evaluation.score("rand")`` has everything that is known about it.

    Attributes
    ----------
    scores : dict of str to Score
        Scores by the canonical name of the index.
    n : int or float
        Number of instances judged; with sampling weights the sum of the weights.
    n_clusters : dict of str to int
        Number of clusters of each label vector.
    settings : dict
        The options of the call.
    details : dict
        Values per point, per cluster and per pair of clusters (internal indices).
    warnings : tuple of Notice
        What a reader of the scores should know; each notice has a code, a message, a remedy and a severity.
    units : DrawnUnits or None
        How many units the rows belong to, if `units` was given.
    """

    scores: dict[str, Score]
    n: float
    n_clusters: dict[str, int]
    settings: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    backend: str | None = None
    units: DrawnUnits | None = None
    _by_cluster: Callable[[str], ByClass] | dict[str, ByClass | str] | None = None
    _instances: Instances | LeftOut | None = None

    def by_cluster(self, criterion: str = "pivoted_accuracy") -> ByClass:
        """Return the scores of each true cluster, with its best partner among the predicted clusters as its prediction.

        Parameters
        ----------
        criterion : {"pivoted_accuracy", "adjusted_asymmetric_accuracy", "pair_sets_index"}
            The index that the matching maximises.

        Examples
        --------
        >>> from adjudge import evaluate
        >>> judged = evaluate(["a", "a", "b", "b", "b"], [7, 7, 7, 3, 3])
        >>> judged.by_cluster()["b"]["recall"], judged.by_cluster()["b"].partner
        (0.6666666666666666, 3)
        """
        if self._by_cluster is None:
            raise InputError(
                "scores by cluster are of two partitions: give ",
                Argument("labels_true"),
                " and ",
                Argument("labels_pred"),
            )
        if callable(self._by_cluster):
            return self._by_cluster(criterion)
        check_choice("criterion", criterion, tuple(self._by_cluster))
        found = self._by_cluster[criterion]
        if isinstance(found, str):
            raise InputError(found)
        return found

    def known_instances(self) -> Instances:
        """Return what is known about each instance: the truth, and what was predicted.

        Raises
        ------
        InputError
            If the evaluation was made from counts or points, or saved without instances.
        """
        if self._instances is None:
            raise InputError(
                "the instances are not known: the evaluation was made from counts or points alone"
            )
        return self._instances if isinstance(self._instances, Instances) else self._instances.read()

    def _saved_fields(self) -> dict[str, Any]:
        rows = self._instances if isinstance(self._instances, Instances) else None
        n = self.settings.get("n_given", self.n)
        return fields_of(self) | {
            "details": {
                name: OfRows(own) if isinstance(own, np.ndarray) and n in own.shape else own
                for name, own in self.details.items()
            },
            "_by_cluster": self._by_each_criterion() if callable(self._by_cluster) else self._by_cluster,
            "_instances": OfRows(rows, None if self._instances is None else LeftOut()),
        }

    def _by_each_criterion(self) -> dict[str, ByClass | str]:
        """Return the scores by cluster under each matching, or why there are none."""
        found: dict[str, ByClass | str] = {}
        for criterion in get_args(Criterion):
            try:
                found[criterion] = self.by_cluster(criterion)
            except InputError as error:
                found[criterion] = str(error)
        return found

    def cluster_table(self, *measures: str, criterion: str = "pivoted_accuracy") -> Table:
        """One row per true cluster: its partner, its instances, predictions, and measures (all, or those named)."""
        return self.by_cluster(criterion).table(measures or None)

    @property
    def n_units(self) -> int | None:
        """Number of units that the rows belong to; None if `units` was not given."""
        return None if self.units is None else self.units.n_units

    @property
    def sample(self) -> str:
        """What was judged: "150 instances", or "150 rows of 30 units"."""
        return sample_words(self.n, self.units)

    @property
    def values(self) -> dict[str, float]:
        """Value of each index; nan if it is undefined."""
        return {name: score.value for name, score in self.scores.items()}

    @property
    def reasons(self) -> dict[str, str]:
        """Why values are nan or infinite."""
        return each(self.scores, "reason")

    @property
    def error_bounds(self) -> dict[str, float]:
        """Bounds on the error of values that were not computed exactly."""
        return each(self.scores, "error_bound")

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Confidence intervals (low, high)."""
        return each(self.scores, "interval")

    @property
    def interval_methods(self) -> dict[str, str]:
        """How intervals are computed."""
        return each(self.scores, "interval_method")

    @property
    def interval_words(self) -> str:
        """How the ends of intervals are computed, in words; empty if there are none."""
        level = self.settings.get("confidence")
        return "" if level is None else interval_words(self.scores.values(), level)

    @property
    def interval_reasons(self) -> dict[str, str]:
        """Why intervals are one-sided or missing."""
        return each(self.scores, "interval_reason")

    @property
    def estimates(self) -> dict[str, float]:
        """Estimates for the population that intervals lie around, if they differ from the values."""
        return each(self.scores, "estimate")

    @property
    def expected(self) -> dict[str, float]:
        """Means under chance."""
        return each(self.scores, "expected")

    @property
    def adjusted(self) -> dict[str, float]:
        """Values corrected for chance."""
        return each(self.scores, "adjusted")

    @property
    def p_values(self) -> dict[str, float]:
        """Probabilities of values at least as good under chance."""
        return each(self.scores, "p_value")

    @property
    def p_floors(self) -> dict[str, float]:
        """Smallest p-values that the simulated tables could give."""
        return each(self.scores, "p_floor")

    @property
    def chance_methods(self) -> dict[str, str]:
        """Whether null distributions are exact, simulated or approximated."""
        return each(self.scores, "chance_method")

    @property
    def averages(self) -> dict[str, str]:
        """Which average over the classes a value is ("macro"), if its index is for one class and none is positive."""
        return each(self.scores, "average")

    @property
    def of_classes(self) -> dict[str, Any]:
        """The class that a value is for, if a reader needs to be told: labels 0 and 1 need no explanation."""
        return each(self.scores, "of_class")

    @property
    def records(self) -> dict[str, Index]:
        """The records of the indices that were computed."""
        return {name: score.index for name, score in self.scores.items()}

    def score(self, name: str) -> Score:
        """Return everything that is known about one index.

        Parameters
        ----------
        name : str
            Name, alias or unambiguous abbreviation of an index that was computed.

        Returns
        -------
        Score
            With `value`, `reason`, `low`, `high`, `expected`, `adjusted`, `p_value`, `error_bound`.

        Examples
        --------
        >>> from adjudge import evaluate
        >>> evaluate([0, 0, 1], [0, 0, 1], indices=["rand", "ari"]).score("ari").value
        1.0
        """
        return self.scores[self._name(name)]

    def __getitem__(self, name: str) -> float:
        return self.scores[self._name(name)].value

    def keys(self) -> KeysView[str]:
        """Canonical names of the indices that were computed, so that ``dict(evaluation)`` has their values."""
        return self.scores.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __contains__(self, name: str) -> bool:
        try:
            self._name(name)
        except UnknownIndexError:
            return False
        return True

    def _name(self, name: str) -> str:
        """Find the canonical name among the values that were computed."""
        if not isinstance(name, str):
            raise UnknownIndexError(f"name an index by a str, not by {in_words(name)}")
        if name in self.scores:
            return name
        wanted = name.strip().lower()
        short = [own for own in self.scores if own.startswith(wanted)]
        if len(short) == 1:
            return short[0]
        for kind in dict.fromkeys(score.index.kind for score in self.scores.values()):
            try:
                found = find_index(name, kind).name
            except UnknownIndexError:
                continue
            if found in self.scores:
                return found
        if short:
            raise UnknownIndexError(f"{name!r} is ambiguous: it may be {', '.join(short)}")
        raise UnknownIndexError(
            f"{name!r} was not computed: this evaluation has {', '.join(list(self.scores)[:8])}"
            + (" ..." if len(self.scores) > 8 else ""),
            *self._remedy(),
        )

    def _remedy(self) -> tuple[object, ...]:
        """Say how to get more, if no indices were named."""
        return (
            ("; ", Option("indices", "all"), " computes all")
            if self.settings.get("indices") == "default"
            else ()
        )

    def table(self) -> Table:
        """One row per index: value, interval and correction if requested, direction, range, and a note.

        For people, the rows of more than a few indices are grouped by what they measure: agreement, purity ...
        """
        return self._rows([qualified(own.name, None, own.of_class) for own in self.scores.values()])

    def plain_table(self) -> Table:
        """Return the table for programs: the index by its name alone, with its class in the note."""
        return self._rows(list(self.scores), with_classes=True)

    def _rows(self, names: Sequence[str], *, with_classes: bool = False) -> Table:
        scores = self.scores.values()
        with_intervals = any(score.interval or score.interval_reason for score in scores)
        with_estimates = any(score.estimate is not None for score in scores)
        with_chance = any(score.adjusted is not None for score in scores)
        columns = ["index", "value"]
        columns += ["estimate"] if with_estimates else []
        columns += ["low", "high"] if with_intervals else []
        columns += ["by chance", "adjusted", "p"] if with_chance else []
        rows = []
        for name, score in zip(names, scores, strict=True):
            cells: list[Any] = [name, score.value]
            cells += [score.estimate] if with_estimates else []
            if with_intervals:
                cells += score.interval or (None, None)
            if with_chance:
                cells += [_shown_mean(score.expected), score.adjusted, _shown_p(score)]
            note = score.note
            if with_classes and score.of_class is not None:
                note = joined([f"of {score.of_class}", *([note] if note else [])])
            rows.append((*cells, score.index.better or "", range_text(*score.range), note))
        groups = tuple(score.index.question for score in scores) if len(scores) > _FEW else ()
        return Table((*columns, "better", "range", "note"), tuple(rows), groups=groups)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: values with their reasons, and the options."""
        return {
            "kind": "evaluation",
            "n": self.n,
            **units_as_dict(self.units),
            "n_clusters": plain_json(self.n_clusters),
            "values": plain_json(self.values),
            "reasons": dict(self.reasons),
            "error_bounds": plain_json(self.error_bounds),
            "intervals": plain_json(self.intervals),
            "interval_methods": dict(self.interval_methods),
            "interval_reasons": dict(self.interval_reasons),
            "estimates": plain_json(self.estimates),
            "expected": plain_json(self.expected),
            "adjusted": plain_json(self.adjusted),
            "p_values": plain_json(self.p_values),
            "p_floors": plain_json(self.p_floors),
            "chance_methods": dict(self.chance_methods),
            "averages": dict(self.averages),
            "of_class": plain_json(self.of_classes),
            "settings": plain_json(self.settings),
            "warnings": [notice.to_dict() for notice in self.warnings],
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers for experiment trackers: ``mlflow.log_metrics(result.flat())``.

        The names are ``rand`` and, if requested, ``rand/low``, ``rand/high``, ``rand/expected``, ``rand/adjusted``
        and ``rand/p_value``; MLflow's old store of files cannot keep the first beside the others.
        ``mlflow.log_dict(result.to_dict(), "result.json")`` keeps everything, including reasons.
        """
        metrics = self.values
        for name, score in self.scores.items():
            for what in ("low", "high", "estimate", "expected", "adjusted", "p_value"):
                if (value := getattr(score, what)) is not None:
                    metrics[f"{name}/{what}"] = value
        return finite(metrics)

    def to_frame(self) -> Any:
        """Return a data frame of the library that the inputs came from, one row per index."""
        return self.plain_table().frame(self.backend)

    def __repr__(self) -> str:
        return "\n".join([self._head(), self.table().text(), *self.notes()])

    def notes(self) -> list[str]:
        """Return the lines below the table of scores: how intervals are computed, and the warnings."""
        return [*filter(None, [self.interval_words]), *map(str, self.notices())]

    def notices(self) -> list[Notice]:
        """Return the warnings, except the one that the first line says."""
        return [own for own in self.warnings if own.code != NAMES_ARE_ARBITRARY]

    def sample_parts(self) -> tuple[Any, ...]:
        """Return what was judged, in pieces; and that labels count as clusters, if they may be classes."""
        said = next((own for own in self.warnings if own.code == NAMES_ARE_ARBITRARY), None)
        return (self.sample,) if said is None else (self.sample, f" {said.message}; ", *said.remedy)

    def _head(self) -> str:
        group = (
            ("cluster",) if self.settings.get("of", "clustering") == "clustering" else ("class", "classes")
        )
        found = ", ".join(f"{name}: {count(k, *group)}" for name, k in self.n_clusters.items())
        sample = "".join(map(str, self.sample_parts()))
        return f"Evaluation of {sample} ({found})" if found else f"Evaluation of {sample}"

    def _repr_html_(self) -> str:
        notes = map(notebook.sentence, self.notes())
        return notebook.fragment(notebook.sentence(self._head()), notebook.table(self.table()), *notes)


def _shown_mean(expected: float | None) -> float | None:
    """Return a mean under chance; those of indices of differences are 0, up to rounding."""
    return 0.0 if expected is not None and abs(expected) < _ROUNDING else expected


def _shown_p(score: Score) -> float | None:
    return None if score.p_value is None else bounded(score.p_value, score.p_floor or 0.0)
