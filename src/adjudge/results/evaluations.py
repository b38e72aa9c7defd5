"""What `evaluate` returns for several labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, overload

from adjudge.errors import InputError
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import count
from adjudge.presentation.plain import finite
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.evaluation import Evaluation
from adjudge.results.score import Score, score_columns


@dataclass(frozen=True, eq=False, repr=False)
class Evaluations(Result, ByValue):
    """Many evaluations by name, each of one label vector against a truth.

    ``evaluations["a"]`` is one :class:`~adjudge.Evaluation`, and ``evaluations["a", "rand"]`` one value.

    Attributes
    ----------
    evaluations : mapping of str to Evaluation
    """

    evaluations: Mapping[str, Evaluation]
    backend: str | None = None

    _gap: ClassVar[str] = "\n"

    @overload
    def __getitem__(self, name: str) -> Evaluation: ...
    @overload
    def __getitem__(self, name: tuple[str, str]) -> float: ...
    def __getitem__(self, name: str | tuple[str, str]) -> Evaluation | float:
        if isinstance(name, tuple):
            own, index = name
            return self[own][index]
        # Columns may have numbers as names.
        name = str(name)
        if name not in self.evaluations:
            some = ", ".join(map(repr, list(self.evaluations)[:8]))
            raise InputError(f"no labels are called {name!r}: choose from {some}")
        return self.evaluations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def values(self) -> dict[str, dict[str, float]]:
        """Value of each index, by name of the labels; nan if it is undefined."""
        return {name: evaluation.values for name, evaluation in self.evaluations.items()}

    @property
    def reasons(self) -> dict[str, dict[str, str]]:
        """Why values are nan or infinite, by name of the labels that have such values."""
        return {
            name: evaluation.reasons for name, evaluation in self.evaluations.items() if evaluation.reasons
        }

    def table(self) -> Table:
        """One row per label vector, one column per index, and the ends of intervals if requested."""
        return self._table(
            {
                name: score.heading
                for evaluation in self.evaluations.values()
                for name, score in evaluation.scores.items()
            }
        )

    def _table(self, headings: Mapping[str, str]) -> Table:
        # A classifier with labels alone has no scores of probabilities.
        names = max((list(evaluation.scores) for evaluation in self.evaluations.values()), key=len)
        columns: dict[str, Callable[[tuple[str, Evaluation]], Any]] = {"labels_pred": lambda row: row[0]}
        optional = []
        for index in names:
            find = partial(_score_of, index)
            own, ends = score_columns(headings.get(index, index), find, f"{index} low", f"{index} high")
            columns |= own
            optional.append(ends)
        return Table.of(self.evaluations.items(), columns, optional=optional)

    def _framed(self) -> Table:
        return self._table({})

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: each evaluation by name."""
        return {
            "kind": "evaluations",
            "evaluations": {name: evaluation.to_dict() for name, evaluation in self.evaluations.items()},
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers, such as ``a/rand``, for experiment trackers."""
        return finite(
            {
                f"{name}/{what}": value
                for name, evaluation in self.evaluations.items()
                for what, value in evaluation.flat().items()
            }
        )

    def said(self) -> list[str]:
        """Return how many label vectors were judged, and that labels count as clusters, if they may be classes."""
        found = (evaluation.sample_parts()[1:] for evaluation in self.evaluations.values())
        said = next(("".join(map(str, parts)) for parts in found if parts), "")
        return [f"Evaluations of {count(len(self), 'label vector')}" + said]

    def notes(self) -> list[str]:
        """Return the warnings, each once."""
        return list(
            dict.fromkeys(str(notice) for one in self.evaluations.values() for notice in one.notices())
        )


def _score_of(index: str, row: tuple[str, Evaluation]) -> Score | None:
    return row[1].scores.get(index)
