"""Probabilities that one model is better than another, equivalent or worse, by pair of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice
from adjudge.given.score_table import ScoreTable, settled
from adjudge.inference.data_sets.posterior import (
    Posterior,
    check_rope,
    correlated_t_posterior,
    sign_posterior,
    signed_rank_posterior,
)
from adjudge.presentation import notebook
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable

TESTS = ("signed-rank", "sign", "hierarchical", "correlated-t")


@dataclass(frozen=True, repr=False)
class Posteriors(Savable, Mapping[tuple[str, str], Posterior]):
    """Posterior probabilities by pair of models; ``posteriors["p", "q"].first`` is the one that p is better.

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


@dataclass(frozen=True)
class Folds:
    """Scores by fold for each data set and model, and the share of the instances that a fold tests."""

    scores: dict[str, dict[str, Floats]]
    test_shares: dict[str, float]


@dataclass(frozen=True)
class Differences:
    """How much better one model is than another: on each data set, and on each fold of it if there are folds."""

    table: ScoreTable
    folds: Folds | None

    def by_dataset(self, pair: tuple[str, str]) -> Floats:
        """Return the differences on the data sets where both models have a score."""
        return self.table.differences(*pair)

    def by_fold(self, pair: tuple[str, str]) -> dict[str, Floats]:
        """Return the differences by fold on the data sets where both models have all folds."""
        for model in pair:
            self.table.column(model)
        if self.folds is None:
            raise InputError(
                "there are no folds: give scores by fold, or use ",
                Option("test", "signed-rank"),
                ", which reads the data sets' scores",
            )
        first, second = pair
        found = {}
        for name, by_model in self.folds.scores.items():
            if first in by_model and second in by_model and len(by_model[first]) == len(by_model[second]):
                differences = self.table.sign * (by_model[first] - by_model[second])
                if not np.isnan(differences).any():
                    found[name] = settled(differences)
        return found

    def test_shares(self, datasets: Sequence[str]) -> list[float]:
        """Return the shares of the instances that a fold tests."""
        return [self.folds.test_shares[name] for name in datasets] if self.folds else []


def posteriors(
    known: Differences,
    test: str,
    pairs: Sequence[tuple[str, str]],
    *,
    rope: float,
    dataset: str | None,
    drawn: dict[str, Any],
) -> Posteriors:
    """Return the posterior of each pair; `drawn` says how many draws to make, and from which random state."""
    check_choice("test", test, TESTS)
    check_rope(rope)
    found = {}
    for pair in pairs:
        if test == "correlated-t":
            found[pair] = _correlated(known, pair, dataset, rope)
        elif test == "hierarchical":
            found[pair] = _hierarchical(known, pair, rope, drawn)
        else:
            posterior = signed_rank_posterior if test == "signed-rank" else sign_posterior
            found[pair] = posterior(known.by_dataset(pair), rope=rope, **drawn)
    return Posteriors(test, float(rope), found)


def _hierarchical(known: Differences, pair: tuple[str, str], rope: float, drawn: dict[str, Any]) -> Posterior:
    from adjudge.inference.data_sets.hierarchical import hierarchical_posterior

    differences = known.by_fold(pair)
    shares = known.test_shares(list(differences))
    return hierarchical_posterior(list(differences.values()), test_shares=shares, rope=rope, **drawn)


def _correlated(known: Differences, pair: tuple[str, str], dataset: str | None, rope: float) -> Posterior:
    differences = known.by_fold(pair)
    if dataset is None and len(differences) == 1:
        dataset = next(iter(differences))
    if dataset not in differences:
        names = ", ".join(map(repr, differences))
        raise InputError(
            Option("dataset", dataset), f": name the data set whose folds are compared, one of {names}"
        )
    (share,) = known.test_shares([dataset])
    return correlated_t_posterior(differences[dataset], rope=rope, test_share=share)
