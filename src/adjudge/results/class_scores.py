"""The scores of each class against the rest, or of each true cluster against its partner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import methodcaller
from typing import Any

from adjudge.errors import UnknownIndexError, in_words, joined
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.score import score_columns
from adjudge.saved.savable import Savable

#: So many instances make what is inferred by class take longer than a reader should wait.
MANY_INSTANCES = 10_000
#: Other names of the measures by class.
_ALIASES = {
    "sensitivity": "recall",
    "tpr": "recall",
    "ppv": "precision",
    "npv": "negative_predictive_value",
    "tnr": "specificity",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "fdr": "false_discovery_rate",
    "for": "false_omission_rate",
    "mcc": "matthews_correlation",
    "auc": "roc_auc",
}


@dataclass(frozen=True, slots=True)
class OneClass:
    """A measure of one class.

    Attributes
    ----------
    value : float
        nan if it is undefined.
    reason : str or None
        Why, if it is undefined; or how far off it may be, if it was not computed exactly.
    low, high : float or None
        Confidence interval, if requested and possible.
    interval_reason : str or None
        Why the interval is one-sided or missing.
    """

    value: float
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    interval_reason: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores(Mapping[str, float]):
    """The scores of one class: ``scores["recall"]`` is a float.

    Attributes
    ----------
    label : object
    support, predicted : int or float
        Instances of the class, and instances predicted as it (or their weight).
    measures : dict of str to OneClass
    partner : object
        For clusterings: the matched predicted cluster; None if there is none.
    """

    label: Any
    support: Any
    predicted: Any
    measures: dict[str, OneClass]
    partner: Any = None

    def score(self, name: str) -> OneClass:
        """Return everything that is known about one measure."""
        wanted = str(name).strip().lower().replace(" ", "_")
        found = self.measures.get(_ALIASES.get(wanted, wanted))
        if found is None:
            raise UnknownIndexError(
                f"{name!r} is not a measure by class: choose one of {', '.join(self.measures)}"
            )
        return found

    def __getitem__(self, name: str) -> float:
        return self.score(name).value

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __repr__(self) -> str:
        known = ", ".join(f"{name}={score.value:.4g}" for name, score in self.measures.items())
        return f"<class {self.label!r}: support={self.support}, predicted={self.predicted}, {known}>"


class ByClass(Result, Savable, Mapping[Any, ClassScores]):
    """The scores of each class, or true cluster, by its label, in the order of the classes.

    Parameters
    ----------
    rows : sequence of ClassScores, or function that returns one
        A function is called only when the scores are read, because overall scores should not wait for them.

    Attributes
    ----------
    left_over : tuple or None
        For clusterings: the predicted clusters without a matched true one.
    """

    def __init__(
        self,
        rows: Sequence[ClassScores] | Callable[[], Sequence[ClassScores]],
        left_over: Sequence[Any] | None = None,
    ) -> None:
        self._made = rows
        self.left_over = None if left_over is None else tuple(left_over)

    def made(self, n: int) -> ByClass:
        """Return it with all scores made, if there are many instances: a reader would wait for them."""
        if n >= MANY_INSTANCES:
            self._rows  # noqa: B018 - a cached property
        return self

    @cached_property
    def _rows(self) -> dict[Any, ClassScores]:
        rows = self._made() if callable(self._made) else self._made
        return {row.label: row for row in rows}

    def __reduce__(self) -> tuple[type[ByClass], tuple[list[ClassScores], tuple[Any, ...] | None]]:
        return ByClass, (list(self._rows.values()), self.left_over)

    def _saved_fields(self) -> dict[str, Any]:
        return {"rows": list(self._rows.values()), "left_over": self.left_over}

    def __getitem__(self, label: Any) -> ClassScores:
        try:
            return self._rows[label]
        except KeyError:
            known = ", ".join(map(repr, list(self._rows)[:8])) + (" ..." if len(self._rows) > 8 else "")
            what = "class" if self.left_over is None else "true cluster"
            raise UnknownIndexError(f"{in_words(label)} is not a {what}: choose one of {known}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def table(self, measures: Sequence[str] | None = None) -> Table:
        """One row per class, with intervals if requested."""
        rows = list(self._rows.values())
        names = list(measures or (rows[0].measures if rows else ()))
        columns: dict[str, Callable[[ClassScores], Any]] = {
            ("class" if self.left_over is None else "cluster"): lambda own: own.label,
            **({} if self.left_over is None else {"matched with": lambda own: own.partner}),
            "support": lambda own: own.support,
            "predicted": lambda own: own.predicted,
        }
        optional = []
        for name in names:
            own, ends = score_columns(name, methodcaller("score", name), f"{name}_low", f"{name}_high")
            columns |= own
            optional.append(ends)

        def note(of_class: ClassScores) -> str:
            return joined(dict.fromkeys(filter(None, (of_class.score(name).reason for name in names))))

        found = Table.of(rows, {**columns, "note": note}, self._title(), optional=optional)
        return found.weighing("support", "predicted")

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain JSON: one entry per class, or per true cluster with its partner."""
        of_clusters = self.left_over is not None
        return [
            {
                ("cluster" if of_clusters else "class"): plain_json(row.label),
                **({"matched_with": plain_json(row.partner)} if of_clusters else {}),
                "support": plain_json(row.support),
                "predicted": plain_json(row.predicted),
                "values": plain_json(dict(row)),
                "intervals": plain_json(
                    {n: (s.low, s.high) for n, s in row.measures.items() if s.low is not None}
                ),
                "reasons": {n: s.reason for n, s in row.measures.items() if s.reason},
            }
            for row in self._rows.values()
        ]

    def _title(self) -> str:
        if self.left_over is None:
            return "By class"
        rest = ", ".join(map(str, self.left_over[:8])) + (" ..." if len(self.left_over) > 8 else "")
        return "By true cluster" + (f" (unmatched predicted clusters: {rest})" if rest else "")
