"""What `choose` returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.presentation.numbers import Votes, count, percent_text, show_number
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.tables import Table
from adjudge.results.chosen import MARK, Chosen
from adjudge.results.notice import Notice
from adjudge.saved.omitted import OfRows

_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Chosen):
    """Which of several clusterings to take: every criterion's values and vote, agreement, and a recommendation.

    Attributes
    ----------
    best : str or None
        Name of the recommended candidate; None if there is no reason to recommend one, see `probability`.
    reason : str
        Why, in a sentence.
    warnings : tuple of Notice
        What speaks against it.
    probability : float or None
        Probability that the candidate with the best consensus shows the groups; None if no study covers such a
        choice: another `by` or treatment of noise, fewer than five candidates, or not all default criteria. On
        real data with known classes (species, diagnoses) it is too high, because classes need not be clusters.
    ranking : tuple of str
        All candidates, best first.
    quality : dict of str to float
        The value they are ranked by; nan if undefined.
    quality_name : str
        The name of that value.
    front : tuple of str
        Candidates that no other exceeds in both coverage and quality, by decreasing coverage.
    n : int
        Number of points.
    n_clusters : dict of str to int
        Number of clusters of each candidate, without noise.
    coverage : dict of str to float
        Share of the points that are not noise.
    values : dict of str to dict of str to float
        Value of each criterion for each candidate; `noise` in `settings` says for which points.
    reasons : dict of str to dict of str to str
        Why values are undefined or infinite.
    votes : dict of str to (str or None)
        Candidate that each criterion votes for; None if it abstains, or has no vote.
    tally : dict of str to float
        Votes for each candidate; near-duplicate criteria share one.
    families : dict of str to str
    agreement : ndarray of shape (m, m)
        Agreement of all candidates with each other, in the order of `names`.
    order : tuple of str
        The candidates in an order that puts similar ones next to each other.
    groups : tuple of tuple of str
        Groups of equivalent candidates, the largest first.
    central : str
        The candidate that agrees most with all others.
    stability : dict of str to dict of str to float
        Stability under resampling for each candidate that can be refitted, if requested.
    stability_of_clusters : dict of str to ndarray of shape (K,)
        For each such candidate, the mean Jaccard similarity of each cluster to the most similar one of a resample.
    labels : dict of str to ndarray
    estimators : dict of str to object
        The fitted estimators, if there are any.
    parameters : dict of str to dict
        The settings of each candidate of a grid.
    point_values : dict of str to ndarray of shape (n,)
        Values of each point under the recommended candidate by criterion, "silhouette" and "dbcv" if these were
        computed; nan for noise that was left out.
    settings : dict
        The options of the call.
    halves_agree : float or None
        How much better two halves of the points agree on clusters than halves of points without clusters, as in
        :func:`adjudge.choose_k`; None if the instances are no points with Euclidean distances, or too few.
    columns : tuple of str or None
        The columns of the points, if they have names.
    scaling : {"standard", "robust", "log"} or None
        How the columns were brought to one scale.
    """

    best: str | None
    reason: str
    warnings: tuple[Notice, ...]
    ranking: tuple[str, ...]
    quality: dict[str, float]
    quality_name: str
    front: tuple[str, ...]
    n: int
    n_clusters: dict[str, int]
    coverage: dict[str, float]
    values: dict[str, dict[str, float]]
    reasons: dict[str, dict[str, str]]
    votes: dict[str, str | None]
    tally: dict[str, float]
    families: dict[str, str]
    agreement: NDArray[np.float64]
    order: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    central: str
    stability: dict[str, dict[str, float]]
    stability_of_clusters: dict[str, NDArray[np.float64]]
    labels: dict[str, NDArray[Any]]
    estimators: dict[str, Any]
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    probability: float | None = None
    point_values: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    backend: str | None = None
    halves_agree: float | None = None
    columns: tuple[str, ...] | None = None
    scaling: Literal["standard", "robust", "log"] | None = None

    _kinds: ClassVar[tuple[Any, ...]] = ("internal", "graph", "soft")

    def _saved_fields(self) -> dict[str, Any]:
        return super()._saved_fields() | {
            "point_values": OfRows(self.point_values) if self.point_values else {}
        }

    @property
    def _halves(self) -> float | None:
        return self.halves_agree

    @property
    def instances(self) -> str:
        """What the instances are called: "points", or "vertices" of a graph."""
        return str(self.settings.get("instances", "points"))

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates, in the order in which they were given."""
        return tuple(self.labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, name: str) -> dict[str, float]:
        """Values of all criteria for one candidate."""
        if name not in self.labels:
            raise InputError(
                f"no candidate is called {name!r}: choose one of {', '.join(map(repr, self.labels))}"
            )
        return {index: values[name] for index, values in self.values.items()}

    def values_of(self, index: str) -> dict[str, float]:
        """Return the values of a criterion by its name, alias or unambiguous abbreviation."""
        return self._of_criterion(index)

    def distinct(self, most: int = 10) -> dict[str, NDArray[Any]]:
        """Return the labels of the best candidate of each group of equivalent ones, from few to many clusters.

        Parameters
        ----------
        most : int, default 10
            If there are more groups, those of the best candidates are kept.
        """
        group_of = {name: i for i, group in enumerate(self.groups) for name in group}
        first: dict[int, str] = {}
        for name in self.ranking:
            if self.n_clusters[name] > 0:
                first.setdefault(group_of[name], name)
        kept = sorted(list(first.values())[:most], key=lambda name: self.n_clusters[name])
        return {name: self.labels[name] for name in kept}

    def shown_quality(self, name: str) -> float | None:
        """Return the quality of a candidate; None if it is a rank and there is only one candidate."""
        is_ranked = self.quality_name not in self.values
        return None if is_ranked and len(self) == 1 else self.quality[name]

    def table(self) -> Table:
        """One row per candidate, the best first: clusters, coverage, quality, votes, and every criterion.

        `front` and `recommended` are true or false.
        """
        on_front = set(self.front)
        rows = [
            (
                name,
                self.n_clusters[name],
                self.coverage[name],
                self.quality[name],
                self.tally.get(name, 0.0),
                name in on_front,
                name == self.best,
                *(values[name] for values in self.values.values()),
            )
            for name in self.ranking
        ]
        lead = ("candidate", "clusters", "coverage", self.quality_name, "votes", "front", "recommended")
        return Table((*lead, *(v for v in self.values)), tuple(rows))

    def summary_table(self) -> Table:
        """One row per candidate, the best first, without the criteria."""
        columns = ["candidate", "clusters", "coverage", self.quality_name, "votes"]
        rows = []
        for name in self.ranking[:_SHOWN]:
            mark = MARK if name == self.best else "front" if name in self.front else ""
            row: tuple[Any, ...] = (
                name,
                self.n_clusters[name],
                percent_text(self.coverage[name]),
                show_number(self.shown_quality(name), 3),
                Votes(self.tally.get(name, 0.0)),
            )
            if self.stability:
                held = self.stability.get(name, {}).get("jaccard")
                row = (*row, show_number(held, 3))
            rows.append((*row, mark))
        if self.stability:
            columns.append("stability")
        return Table((*columns, "recommended"), tuple(rows))

    def agreement_table(self) -> Table:
        """Agreement of all pairs, with the candidates in `order`."""
        place = {name: i for i, name in enumerate(self.names)}
        rows = tuple(
            (a, *(float(self.agreement[place[a], place[b]]) for b in self.order)) for a in self.order
        )
        return Table(("candidate", *self.order), rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; labels, point values and fitted estimators are left out."""
        return {
            "kind": "choice",
            "best": self.best,
            "reason": self.reason,
            "warnings": [notice.to_dict() for notice in self.warnings],
            "probability": self.probability,
            "ranking": list(self.ranking),
            "quality": {"name": self.quality_name, "values": plain_json(self.quality)},
            "front": list(self.front),
            "n": self.n,
            "n_clusters": dict(self.n_clusters),
            "coverage": plain_json(self.coverage),
            "values": plain_json(self.values),
            "reasons": plain_json(self.reasons),
            "votes": dict(self.votes),
            "tally": plain_json(self.tally),
            "families": dict(self.families),
            "names": list(self.names),
            "agreement": plain_json(self.agreement),
            "order": list(self.order),
            "groups": [list(group) for group in self.groups],
            "central": self.central,
            "stability": plain_json(self.stability),
            "stability_of_clusters": plain_json(self.stability_of_clusters),
            "parameters": plain_json(self.parameters),
            "settings": plain_json(self.settings),
            **({} if self.halves_agree is None else {"halves_agree": self.halves_agree}),
            **self._of_columns(),
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers of the recommended candidate, for experiment trackers."""
        if self.best is None:
            return {}
        own = {
            "n_clusters": float(self.n_clusters[self.best]),
            "coverage": self.coverage[self.best],
            "quality": self.quality[self.best],
        }
        return finite({**own, **self[self.best]})

    def _headline(self) -> list[str]:
        return [f"{count(len(self), 'candidate')} on {self.n:,} {self.instances}: {self.reason}"]

    def tables(self) -> list[Table]:
        """Return the candidates with all criteria, and their agreement."""
        return [self.table(), self.agreement_table()]

    def shown_tables(self) -> list[Table]:
        """Return the first candidates, without the criteria."""
        more = f"... and {len(self) - _SHOWN} more" if len(self) > _SHOWN else ""
        return [replace(self.summary_table(), foot=more)]

    def notes(self) -> list[str]:
        """Return the candidates that say the same."""
        return [own] if (own := self._same()) else []

    def _same(self) -> str:
        several = [group for group in self.groups if len(group) > 1]
        if not several:
            return ""
        return "Say the same:\n" + "\n".join(
            "  " + "; ".join(group[:4]) + (f"; and {len(group) - 4} more" if len(group) > 4 else "")
            for group in several[:4]
        )
