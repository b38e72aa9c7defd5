"""What `evaluate` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, get_args

import numpy as np

from adjudge.errors import Argument, InputError, Option, UnknownIndexError, in_words, joined
from adjudge.given.options import check_choice
from adjudge.indices.catalog import find_index
from adjudge.indices.matching import Criterion
from adjudge.indices.record import Index
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import bounded, count, range_text
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.class_scores import ByClass
from adjudge.results.drawn_units import DrawnUnits, OfSample, units_as_dict
from adjudge.results.instances import Instances
from adjudge.results.label_notices import NAMES_ARE_ARBITRARY
from adjudge.results.notice import Notice
from adjudge.results.score import OfScores, Score, interval_words, qualified
from adjudge.saved.omitted import LeftOut, OfRows, fields_of

# Most rows that a reader takes in without headings.
_FEW = 5
# Means under chance that are smaller than this are 0, up to rounding.
_ROUNDING = 1e-12
# What trackers take of a score beside its value.
_FLAT = ("low", "high", "estimate", "expected", "adjusted", "p_value")
# What statistics of points hold of each cluster, among the details.
_OF_POINTS = {
    "silhouette": "silhouette_of_clusters",
    "diameter": "diameters",
    "dispersion": "dispersions",
}
# What is by index in the dictionary of a result.
_IN_DICT = (
    *("n_clusters", "values", "reasons", "error_bounds", "intervals", "interval_methods", "interval_reasons"),
    *("estimates", "expected", "adjusted", "p_values", "p_floors", "chance_methods", "averages"),
)


def flat_scores(scores: Mapping[str, Score], *before: str) -> dict[str, float]:
    """Return the numbers of scores by names with slashes, which begin with the given words."""
    named = {"/".join((*before, name)): score for name, score in scores.items()}
    found = {name: score.value for name, score in named.items()}
    for name, score in named.items():
        numbers = {what: getattr(score, what) for what in _FLAT}
        found |= {f"{name}/{what}": value for what, value in numbers.items() if value is not None}
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(OfSample, Result, ByValue):
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

    _gap: ClassVar[str] = "\n"

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
        left_out = None if self._instances is None else LeftOut(n=self._instances.n)
        n = self.settings.get("n_given", self.n)
        return fields_of(self) | {
            "details": {
                name: OfRows(detail) if isinstance(detail, np.ndarray) and n in detail.shape else detail
                for name, detail in self.details.items()
            },
            "_by_cluster": self._by_each_criterion() if callable(self._by_cluster) else self._by_cluster,
            "_instances": OfRows(rows, left_out),
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
        """One row per true cluster: its partner, its instances, predictions, and measures (all, or those named).

        Of points alone, one row per cluster: its points, and what the indices hold of it ("silhouette", "diameter",
        "dispersion").

        Examples
        --------
        >>> from adjudge import evaluate
        >>> judged = evaluate(X=[[0.0], [1.0], [5.0], [9.0]], labels=["a", "a", "b", "b"], indices="silhouette")
        >>> print(judged.cluster_table().text())
        Clusters
        cluster  points  silhouette
        a             2      0.8452
        b             2      0.3203
        """
        if self._by_cluster is not None or "clusters" not in self.details:
            return self.by_cluster(criterion).table(measures or None)
        known = {shown: self.details[name] for shown, name in _OF_POINTS.items() if name in self.details}
        for measure in measures:
            check_choice("measures", measure, tuple(known))
        columns: dict[str, Callable[[int], Any]] = {
            "cluster": [str(own) for own in self.details["clusters"]].__getitem__,
            "points": self.details["sizes"].tolist().__getitem__,
        }
        columns |= {name: known[name].tolist().__getitem__ for name in measures or known}
        return Table.of(range(len(self.details["clusters"])), columns, "Clusters")

    values = OfScores[dict[str, float]]("value", "Value of each index; nan if it is undefined.")
    reasons = OfScores[dict[str, str]]("reason", "Why values are nan or infinite.")
    error_bounds = OfScores[dict[str, float]](
        "error_bound", "Bounds on the error of values that were not computed exactly."
    )
    intervals = OfScores[dict[str, tuple[float, float]]]("interval", "Confidence intervals (low, high).")
    interval_methods = OfScores[dict[str, str]]("interval_method", "How intervals are computed.")
    interval_reasons = OfScores[dict[str, str]]("interval_reason", "Why intervals are one-sided or missing.")
    estimates = OfScores[dict[str, float]](
        "estimate", "Estimates for the population that intervals lie around, if they differ from the values."
    )
    expected = OfScores[dict[str, float]]("expected", "Means under chance.")
    adjusted = OfScores[dict[str, float]]("adjusted", "Values corrected for chance.")
    p_values = OfScores[dict[str, float]]("p_value", "Probabilities of values at least as good under chance.")
    p_floors = OfScores[dict[str, float]](
        "p_floor", "Smallest p-values that the simulated tables could give."
    )
    chance_methods = OfScores[dict[str, str]](
        "chance_method", "Whether null distributions are exact, simulated or approximated."
    )
    averages = OfScores[dict[str, str]](
        "average",
        'Which average over the classes a value is ("macro"), if its index is for one class and none is positive.',
    )
    of_classes = OfScores[dict[str, Any]](
        "of_class",
        "The class that a value is for, if a reader needs to be told: labels 0 and 1 need no explanation.",
    )

    @property
    def interval_words(self) -> str:
        """How the ends of intervals are computed, in words; empty if there are none."""
        level = self.settings.get("confidence")
        return "" if level is None else interval_words(self.scores.values(), level)

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
        short = [score for score in self.scores if score.startswith(wanted)]
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
        return self._rows([qualified(score.name, None, score.of_class) for score in self.scores.values()])

    def plain_table(self) -> Table:
        """Return the table for programs: the index by its name alone, with its class in the note."""
        return self._rows(list(self.scores), with_classes=True)

    def table_with_groups(self) -> Table:
        """Return the table for programs, also of each group, which its rows then begin with."""
        return self.plain_table()

    def _rows(
        self, names: Sequence[str], scores: Sequence[Score] | None = None, *, with_classes: bool = False
    ) -> Table:
        scores = list(self.scores.values()) if scores is None else scores

        def note(own: tuple[str, Score]) -> str:
            of_class = own[1].of_class if with_classes else None
            return joined(
                part for part in ("" if of_class is None else f"of {of_class}", own[1].note) if part
            )

        columns: dict[str, Callable[[tuple[str, Score]], Any]] = {
            "index": lambda own: own[0],
            "value": lambda own: own[1].value,
            "estimate": lambda own: own[1].estimate,
            "low": lambda own: own[1].low,
            "high": lambda own: own[1].high,
            "by chance": lambda own: _shown_mean(own[1].expected),
            "adjusted": lambda own: own[1].adjusted,
            "p": lambda own: _shown_p(own[1]),
            "better": lambda own: own[1].index.better or "",
            "range": lambda own: range_text(*own[1].range),
            "note": note,
        }
        refused = any(score.interval_reason for score in scores)
        together = [("estimate",), ("by chance", "adjusted", "p"), *([] if refused else [("low", "high")])]
        groups = tuple(score.index.question for score in scores) if len(scores) > _FEW else ()
        return Table.of(zip(names, scores, strict=True), columns, groups=groups, optional=together)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: values with their reasons, and the options."""
        return {
            "kind": "evaluation",
            "n": self.n,
            **units_as_dict(self.units),
            **{name: plain_json(getattr(self, name)) for name in _IN_DICT},
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
        return finite(flat_scores(self.scores))

    def _framed(self) -> Table:
        return self.plain_table()

    def said(self) -> list[str]:
        """Return what was judged, and the numbers of clusters or classes."""
        group = "cluster" if self.settings.get("of", "clustering") == "clustering" else "class"
        found = ", ".join(f"{name}: {count(k, group)}" for name, k in self.n_clusters.items())
        sample = "".join(map(str, self.sample_parts()))
        return [f"Evaluation of {sample} ({found})" if found else f"Evaluation of {sample}"]

    def notes(self) -> list[str]:
        """Return the lines below the table of scores: how intervals are computed, and the warnings."""
        return [*filter(None, [self.interval_words]), *map(str, self.notices())]

    def notices(self) -> list[Notice]:
        """Return the warnings, except the one that the first line says."""
        return [notice for notice in self.warnings if notice.code != NAMES_ARE_ARBITRARY]

    def sample_parts(self) -> tuple[Any, ...]:
        """Return what was judged, in pieces; and that labels count as clusters, if they may be classes."""
        said = next((notice for notice in self.warnings if notice.code == NAMES_ARE_ARBITRARY), None)
        return (self.sample,) if said is None else (self.sample, f" {said.message}; ", *said.remedy)


def _shown_mean(expected: float | None) -> float | None:
    """Return a mean under chance; those of indices of differences are 0, up to rounding."""
    return 0.0 if expected is not None and abs(expected) < _ROUNDING else expected


def _shown_p(score: Score) -> float | None:
    return None if score.p_value is None else bounded(score.p_value, score.p_floor or 0.0)
