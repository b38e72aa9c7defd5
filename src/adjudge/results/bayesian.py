"""Posterior probabilities by pair of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.inference.posterior import Posterior
from adjudge.presentation import notebook
from adjudge.presentation.tables import Table
from adjudge.results.plain import plain_json

__all__ = ["Posteriors"]


@dataclass(frozen=True, repr=False)
class Posteriors(Mapping[tuple[str, str], Posterior]):
    """What is probable of each pair of models; ``posteriors["p", "q"].first`` is that p is better.

    Attributes
    ----------
    test : str
    rope : float
        Differences up to this size are practically zero.
    by_pair : dict
    """

    test: str
    rope: float
    by_pair: dict[tuple[str, str], Posterior]

    def __getitem__(self, pair: tuple[str, str]) -> Posterior:
        first, second = pair
        if (first, second) in self.by_pair:
            return self.by_pair[first, second]
        if (second, first) in self.by_pair:
            return self.by_pair[second, first].swap()
        raise KeyError(pair)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.by_pair)

    def __len__(self) -> int:
        return len(self.by_pair)

    def table(self) -> Table:
        """One row per pair."""
        with_rope = self.rope > 0
        columns = ("first", "second", "P(first better)", "P(equivalent)", "P(second better)", "warning")
        rows = []
        for (first, second), found in self.by_pair.items():
            row: list[Any] = [first, second, found.first, found.rope, found.second, found.warning or ""]
            rows.append(tuple(row))
        kept = [i for i in range(6) if (with_rope or i != 3) and (i != 5 or any(row[5] for row in rows))]
        title = f"Bayesian {self.test} test" + (
            f", differences of {self.rope:g} count as none" if with_rope else ""
        )
        return Table(
            tuple(columns[i] for i in kept), tuple(tuple(row[i] for i in kept) for row in rows), title
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "test": self.test,
            "rope": self.rope,
            "pairs": [
                {
                    "first": first,
                    "second": second,
                    "p_first_better": plain_json(found.first),
                    "p_equivalent": plain_json(found.rope),
                    "p_second_better": plain_json(found.second),
                    "mean_probabilities": list(found.mean),
                    "warning": found.warning,
                }
                for (first, second), found in self.by_pair.items()
            ],
        }

    def __repr__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return notebook.fragment(notebook.table(self.table()))
