"""What `compare` returns: all models against the truth and against each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from adjudge.errors import InputError
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import count
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.tables import Table
from adjudge.results.by_class import saved_forecasts
from adjudge.results.comparison_tables import ComparedTables
from adjudge.results.differences import GroupDifference, words_of_group
from adjudge.results.drawn_units import DrawnUnits, units_as_dict
from adjudge.results.evaluation import Evaluation, flat_scores
from adjudge.results.evaluations import Evaluations
from adjudge.results.head_to_head import HeadToHead
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.patterns import Patterns
from adjudge.results.score import Score, each
from adjudge.saved.omitted import LeftOut, OfRows, fields_of
from adjudge.statistics.agreement import CELLS
from adjudge.statistics.curve_steps import CurveSteps
from adjudge.statistics.forecasts import Forecasts

# Stands for patterns that can be computed again.
_FOUND_AGAIN = LeftOut()


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparedTables, ByValue):
    """Several models against the truth and against each other.

    Attributes
    ----------
    kind : {"clustering", "classification", "multilabel", "regression", "values"}
    models : tuple of str
        Names of the models, in the order given.
    n : int or float
        Number of instances compared; with sampling weights the sum of the weights.
    judged : dict of str to dict of str to Score
        The scores of each model against the truth, by model and index.
    pairs : dict of (str, str) to HeadToHead
        Every ordered pair of models.
    settings : dict
        The options of the call.
    warnings : tuple of Notice
        What a reader should know.
    by_group : dict of object to Comparison
        If `groups` were given: the same models within each group.
    group_differences : tuple of GroupDifference
        The differences of their scores in each group, and over all instances.
    units : DrawnUnits or None
        How many units the rows belong to, if `units` was given.
    effective : float or None
        Effective number of instances with sampling weights: that many equal ones vary as much (Kish).

    ``comparison["kmeans", "dbscan"]`` is the :class:`~adjudge.results.HeadToHead` of k-means (primary) against DBSCAN.
    """

    kind: str
    models: tuple[str, ...]
    n: float
    judged: dict[str, dict[str, Score]]
    pairs: dict[tuple[str, str], HeadToHead]
    settings: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    backend: str | None = None
    by_group: dict[Any, Comparison] = field(default_factory=dict)
    group_differences: tuple[GroupDifference, ...] = ()
    units: DrawnUnits | None = None
    effective: float | None = None
    _patterns: Callable[[], Patterns] | Patterns | LeftOut | None = None
    _instances: Instances | LeftOut | None = None
    _forecasts: dict[str, Forecasts | CurveSteps | LeftOut] = field(default_factory=dict)
    _evaluations: Callable[[], Evaluations] | Evaluations | None = None

    @property
    def n_effective(self) -> float:
        """Number of instances; with sampling weights the effective one, whatever their scale."""
        return self.n if self.effective is None else self.effective

    @cached_property
    def evaluations(self) -> Evaluations:
        """What `evaluate` says of each model: its scores and, of classifiers, the confusion matrix and each class.

        Of a result that was loaded, or computed where the rows are, the scores alone are known.

        Examples
        --------
        >>> from adjudge import compare
        >>> models = {"old": [0, 0, 1, 0], "new": [0, 1, 1, 1]}
        >>> both = compare([0, 0, 1, 1], models, kind="classification")
        >>> both.evaluations["new"].by_class[1]["recall"]
        1.0
        """
        known = self._evaluations
        if known is None:
            settings = {"of": self.kind, "confidence": self.settings.get("confidence")}
            scores = self.judged.items()
            return Evaluations(
                {m: Evaluation(own, self.n, {}, settings, units=self.units) for m, own in scores}
            )
        return known if isinstance(known, Evaluations) else known()

    def known_forecasts(self) -> dict[str, Forecasts | CurveSteps]:
        """Return the probabilities, or scores, of the models that gave any."""
        if not self._forecasts:
            raise InputError("curves are of probabilities or scores, which were not given")
        return {
            n: forecast.read() if isinstance(forecast, LeftOut) else forecast
            for n, forecast in self._forecasts.items()
        }

    @cached_property
    def patterns(self) -> Patterns:
        """Which classifiers are right together: how often each of the 2^m patterns occurs, and where."""
        if self.kind != "classification":
            raise InputError("patterns are of classifiers, which are right or wrong about each instance")
        known = self._patterns
        if isinstance(known, LeftOut) and isinstance(self._instances, Instances):
            return self._instances.patterns()
        if known is None:
            raise InputError("patterns are not known: the comparison was made from counts alone")
        return known if isinstance(known, Patterns) else known()

    def known_instances(self) -> Instances:
        """Return what is known about each instance: the truth, and what each model says.

        Raises
        ------
        InputError
            If the comparison was made from counts, or saved without instances.
        """
        if self._instances is None:
            raise InputError("the instances are not known: the comparison was made from counts alone")
        return self._instances if isinstance(self._instances, Instances) else self._instances.read()

    def _saved_fields(self) -> dict[str, Any]:
        has_rows = isinstance(self._instances, Instances)
        left_out = None if self._instances is None else LeftOut(n=self._instances.n)
        try:
            patterns = self.patterns
        except InputError:  # there are none
            patterns = None
        # What evaluations add to the scores can be computed again.
        return {name: own for name, own in fields_of(self).items() if name != "_evaluations"} | {
            "_forecasts": {name: saved_forecasts(forecast) for name, forecast in self._forecasts.items()},
            "_instances": OfRows(self._instances if has_rows else None, left_out),
            # They can be computed again from the instances.
            "_patterns": OfRows(None if patterns is None else _FOUND_AGAIN, patterns)
            if has_rows
            else patterns,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "kind": "comparison",
            "of": self.kind,
            "n": self.n,
            **units_as_dict(self.units),
            "models": list(self.models),
            "verdict": self.verdict.to_dict(),
            "scores": plain_json(self.scores),
            "score_reasons": plain_json(self.score_reasons),
            "score_intervals": plain_json(self.score_intervals),
            "score_estimates": plain_json(self.score_estimates),
            "adjusted_scores": plain_json(self.adjusted_scores),
            "score_averages": each(next(iter(self.judged.values()), {}), "average"),
            "score_of_class": plain_json(each(next(iter(self.judged.values()), {}), "of_class")),
            "pairs": [pair.to_dict() for pair in self],
            **self._groups_as_dict(),
            "settings": plain_json(self.settings),
            "warnings": [notice.to_dict() for notice in self.warnings],
        }

    def _groups_as_dict(self) -> dict[str, Any]:
        if not self.by_group:
            return {}
        return {
            "by_group": [
                {
                    "group": plain_json(group),
                    "n": own.n,
                    "scores": plain_json(own.scores),
                    "score_intervals": plain_json(own.score_intervals),
                    "pairs": [pair.to_dict() for pair in own],
                }
                for group, own in self.by_group.items()
            ],
            "group_differences": [difference.to_dict() for difference in self.group_differences],
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers for experiment trackers.

        ``kmeans/rand`` is a model's score; ``kmeans/dbscan/right_wrong`` and ``kmeans/dbscan/polarization`` compare the
        first model with the second. With intervals there are ``kmeans/rand/low``, ``kmeans/rand/high`` and, of the
        difference of two models, ``kmeans/dbscan/rand/difference``, ``.../low``, ``.../high`` and ``.../p_value``. What
        is of a group stands after its name.
        """
        return finite(self._flat())

    def _flat(self) -> dict[str, float]:
        metrics: dict[str, float] = {}
        for model, scores in self.judged.items():
            metrics |= flat_scores(scores, model)
        for pair in self:
            head = f"{pair.primary}/{pair.alternative}"
            metrics |= {f"{head}/{cell}": getattr(pair, cell) for cell in CELLS}
            metrics |= {f"{head}/{name}": value for name, value in pair.measures.items()}
            inferred = {name: own for name, own in pair.differences.items() if own.method is not None}
            for name, own in inferred.items():
                numbers = {"difference": own.value, "low": own.low, "high": own.high, "p_value": own.p_value}
                metrics |= {f"{head}/{name}/{what}": v for what, v in numbers.items() if v is not None}
        for group, found in self.by_group.items():
            metrics |= {f"{words_of_group(group)}/{name}": value for name, value in found._flat().items()}
        return metrics

    def said(self) -> list[str]:
        """Return the number of models and what they were compared on; then the verdict."""
        models = count(len(self.models), "model")
        return [f"Comparison of {models} ({self.kind}) on {self.sample}", str(self.verdict)]

    def notes(self) -> list[str]:
        """Return where the rows are that are not shown, and the warnings."""
        return [*self._rest(), *(["\n".join(map(str, self.warnings))] if self.warnings else [])]

    def _framed(self) -> Table:
        return self.table()

    def _rest(self) -> list[str]:
        """Say which tables have more rows than are shown."""
        some = [f'table("{name}") has {count(n, "row")}' for name, n in self.left_out.items()]
        return [f"Not all is shown: {', '.join(some)}."] if some else []
