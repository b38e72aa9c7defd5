"""What `choose_k` returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from adjudge.errors import InputError
from adjudge.presentation.numbers import Share, Votes, show_number
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.tables import Table
from adjudge.results.chosen import MARK, Chosen
from adjudge.results.k_statement import NumberWords, likeliest
from adjudge.results.notice import Notice
from adjudge.results.profiles import ClusterProfile, profiles_table
from adjudge.statistics.sweep import Stability


@dataclass(frozen=True, eq=False, repr=False)
class KChoice(Chosen):
    """How many clusters there are: every criterion's values and vote, and a recommendation.

    Attributes
    ----------
    k : int or None
        Recommended number of clusters; None if no criterion could vote, two halves of the points agree on no clusters,
        or probably no partition shows them.
    reason : str
        Why, in a sentence.
    warnings : tuple of Notice
        What speaks against it, or against clusters at all.
    estimator : str
        Name of the estimator.
    n : int
        Number of points.
    ks : tuple of int
        Numbers of clusters compared.
    values : dict of str to dict of int to float
        Value of each criterion by K.
    votes : dict of str to (int or None)
        K that each criterion votes for; None if it abstains.
    tally : dict of int to float
        Votes by K. With ``tally="families"`` near-duplicates share one vote.
    critical : dict of str to dict of int to float
        Critical values of the criteria that are tests.
    reasons : dict of str to dict of int to str
        Why values are undefined or infinite.
    families : dict of str to str
        Family of near-duplicates of each criterion.
    supporters, voters : tuple of str
        The criteria of the verdict that vote for the most probable K, and all criteria of the verdict that vote.
    labels : dict of int to ndarray
        The partition into K clusters.
    estimators : dict of int to object
        The fitted estimators, if there are any.
    structure : dict of str to float
        Evidence for clusters at all: the Hopkins statistic with its p-value; by how many standard deviations the
        recommended partition beats that of a Gaussian and of a uniform distribution; and `halves_agree`, how much
        better two halves of the points agree on clusters than halves of points without clusters: clusters do at 0.32.
    probability : dict of int to float or None
        Probability that the partition into K clusters is the right one, by K from 2 on; the rest up to 1 is the
        probability that none is. None if the criteria of the verdict were not all requested, or there is only one K.
    answers : tuple of int
        Every K that the data support, the recommended one first: several if clusters consist of clusters.
    stability : Stability or None
        Stability under resampling, if requested.
    confidence : dict of int to float or None
        Share of the bootstrap samples in which each K wins, if requested.
    calibrated : dict of str to dict of int to float, or None
        By criterion and K, how many standard deviations better than random partitions it is, if requested.
    choices : dict of str to KChoice
        The results of several estimators; this result is that of the recommended one.
    settings : dict
        The options of the call.
    profiles : tuple of ClusterProfile
        What sets apart the clusters of the recommended partition, or else of the most probable one.
    columns : tuple of str or None
        The columns of the points, if they have names.
    scaling : {"standard", "robust", "log"} or None
        How the columns were brought to one scale.

    ``choice["ward"]`` is the result for one estimator.
    """

    k: int | None
    reason: str
    warnings: tuple[Notice, ...]
    estimator: str
    n: int
    ks: tuple[int, ...]
    values: dict[str, dict[int, float]]
    votes: dict[str, int | None]
    tally: dict[int, float]
    critical: dict[str, dict[int, float]]
    reasons: dict[str, dict[int, str]]
    families: dict[str, str]
    supporters: tuple[str, ...]
    voters: tuple[str, ...]
    labels: dict[int, Any]
    estimators: dict[int, Any]
    structure: dict[str, float]
    probability: dict[int, float] | None = None
    answers: tuple[int, ...] = ()
    stability: Stability | None = None
    confidence: dict[int, float] | None = None
    calibrated: dict[str, dict[int, float]] | None = None
    choices: dict[str, KChoice] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    backend: str | None = None
    profiles: tuple[ClusterProfile, ...] = ()
    columns: tuple[str, ...] | None = None
    scaling: Literal["standard", "robust", "log"] | None = None

    _kinds: ClassVar[tuple[Any, ...]] = ("internal", "selection")

    @property
    def likeliest(self) -> int | None:
        """The recommended number of clusters, or else the most probable one."""
        return likeliest(self.k, self.probability)

    @property
    def _halves(self) -> float | None:
        return self.structure.get("halves_agree")

    @property
    def words(self) -> NumberWords:
        """The conclusion, and the reason: are there clusters, how many, and which other numbers stand out.

        Examples
        --------
        >>> import numpy as np
        >>> from adjudge import choose_k
        >>> even = np.random.default_rng(0).uniform(size=(60, 2))
        >>> print(choose_k(even, k=range(2, 5), random_state=0).words.headline)
        No clusters on which two halves of the points agree; if you must split, 2.
        """
        return NumberWords.of(self.k, self.probability, self.reason, self.there_are)

    def __getitem__(self, name: str) -> KChoice:
        if isinstance(name, str) and name in self.choices:
            return self.choices[name]
        if isinstance(name, str) and not self.choices and name == self.estimator:
            return self
        names = ", ".join(map(repr, self.choices or [self.estimator]))
        raise InputError(f"no estimator is called {name!r}: choose one of {names}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.choices or [self.estimator])

    def __len__(self) -> int:
        return max(len(self.choices), 1)

    def values_of(self, name: str) -> dict[int, float]:
        """Return the values of a criterion by its name, alias or unambiguous abbreviation."""
        return self._of_criterion(name)

    def _columns(self) -> list[int]:
        return sorted({k for values in self.values.values() for k in values})

    def table(self) -> Table:
        """One row per criterion: its family, its vote, and its value at each K."""
        columns = self._columns()
        several = bool(self.choices)
        rows: list[tuple[Any, ...]] = []
        for name, choice in (self.choices or {self.estimator: self}).items():
            for index, values in choice.values.items():
                lead = (name,) if several else ()
                cells = [values.get(k) for k in columns]
                rows.append((*lead, index, choice.families[index], choice.votes[index], *cells))
        lead_columns = ("estimator",) if several else ()
        return Table((*lead_columns, "criterion", "family", "vote", *map(str, columns)), tuple(rows))

    def tally_table(self) -> Table:
        """One row per K: its votes, its probability, and how often it wins in bootstrap samples."""
        several = bool(self.choices)
        results = self.choices or {self.estimator: self}
        stated = any(c.probability is not None for c in results.values())
        resampled = any(c.confidence is not None for c in results.values())
        rows: list[tuple[Any, ...]] = []
        for name, choice in results.items():
            for k in sorted({*choice.ks, *choice.tally}):
                lead = (name,) if several else ()
                mark = MARK if k == choice.k else "also" if k in choice.answers else ""
                known = (choice.probability or {}).get(k)
                probable = (None if known is None else Share(known),) if stated else ()
                shares = (Share((choice.confidence or {}).get(k, 0.0)),) if resampled else ()
                rows.append((*lead, k, Votes(choice.tally.get(k, 0.0)), *probable, *shares, mark))
        columns = [*(["estimator"] if several else []), "K", "votes"]
        columns += [*(["probability"] if stated else []), *(["wins"] if resampled else [])]
        return Table((*columns, "recommended"), tuple(rows), title="Tally")

    def profiles_table(self, first: int = 0) -> Table:
        """One row per cluster: what sets it apart, and its typical point, counted from `first`."""
        which = "" if self.k is not None else ", which is not recommended"
        return profiles_table(self.profiles, f"The partition into {self.likeliest} clusters{which}", first)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; labels and fitted estimators are left out."""
        stable = self.stability
        return {
            "kind": "k_choice",
            "k": self.k,
            "headline": self.words.headline,
            "reason": self.reason,
            "warnings": [notice.to_dict() for notice in self.warnings],
            "estimator": self.estimator,
            "n": self.n,
            "ks": list(self.ks),
            "values": plain_json(self.values),
            "votes": dict(self.votes),
            "tally": plain_json(self.tally),
            "critical": plain_json(self.critical),
            "reasons": plain_json(self.reasons),
            "families": dict(self.families),
            "supporters": list(self.supporters),
            "voters": list(self.voters),
            "structure": plain_json(self.structure),
            "probability": plain_json(self.probability),
            "answers": list(self.answers),
            "stability": None if stable is None else stable.to_dict(),
            "confidence": plain_json(self.confidence),
            "calibrated": plain_json(self.calibrated),
            "choices": {name: choice.to_dict() for name, choice in self.choices.items()},
            "profiles": [profile.to_dict() for profile in self.profiles],
            "settings": plain_json(self.settings),
            **self._of_columns(),
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers for experiment trackers.

        ``k`` is the recommendation, ``silhouette/vote`` a criterion's vote and ``silhouette/3`` its value at K = 3;
        with several estimators, those of the recommended one.
        """
        metrics: dict[str, float] = {} if self.k is None else {"k": self.k}
        metrics |= {f"{name}/vote": vote for name, vote in self.votes.items() if vote is not None}
        metrics |= {f"{name}/{k}": v for name, values in self.values.items() for k, v in values.items()}
        return finite(metrics)

    def _marked(self) -> Table:
        """Return the table for people, with each vote marked."""
        columns = self._columns()
        rows: list[tuple[Any, ...]] = []
        for index, values in self.values.items():
            cells = []
            for k in columns:
                shown = show_number(values[k], 3) if k in values else ""
                cells.append(shown + (MARK if k == self.votes[index] else " "))
            vote = self.votes[index]
            rows.append((index, "-" if vote is None else str(vote), *cells))
        return Table(("criterion", "vote", *map(str, columns)), tuple(rows))

    def _headline(self) -> list[str]:
        return [f"{self.estimator} on {self.n:,} points: {self.words.headline}", self.words.because]

    def said(self) -> list[str]:
        """Return the conclusion, what speaks against it, and those of several estimators."""
        several = self.choices if len(self.choices) > 1 else {}
        each = [f"  {name}: {c.words.headline} {c.words.because}" for name, c in several.items()]
        return ["\n".join([*super().said(), *each])]

    def tables(self) -> list[Table]:
        """Return the criteria with their votes, the tally, and the clusters."""
        return [self.table(), self.tally_table(), *([self.profiles_table()] if self.profiles else [])]

    def shown_tables(self) -> list[Table]:
        """Return the clusters, the tally, and the criteria with each vote marked."""
        clusters = [self.profiles_table()] if self.profiles else []
        return [*clusters, self.tally_table(), self._marked()]
