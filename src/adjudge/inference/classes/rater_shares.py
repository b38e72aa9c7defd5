"""How often one rater agrees with the others, and whether a rater may stand in for a person: by unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import Argument, InputError, Option, in_words
from adjudge.given.options import check_confidence
from adjudge.given.ratings import RatedUnits, read_ratings
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.sampling_design import Drawn
from adjudge.presentation.numbers import count, listed, percent_text
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable

# Least number of units for Student's t of the differences of one person (Calderon, Reichart & Dror 2025).
_FEWEST = 30


def shares_alike(codes: Ints, rater: int, others: Sequence[int]) -> Floats:
    """Return, for each unit, the share of the other raters' ratings that are the same; nan without any."""
    own, them = codes[:, [rater]], codes[:, list(others)]
    rated = (them >= 0) & (own >= 0)
    n = rated.sum(axis=1)
    same = (rated & (them == own)).sum(axis=1)
    return np.asarray(np.divide(same, n, out=np.full(len(codes), math.nan), where=n > 0))


def share_of_others(
    codes: Ints, rater: int, confidence: float | None, drawn: Callable[[Bools], Drawn | None]
) -> tuple[int, float, Interval | None]:
    """Return on how many units a rater has company, the mean share that agrees there, and its interval.

    `drawn` says how the units under a mask were sampled.
    """
    others = [j for j in range(codes.shape[1]) if j != rater]
    shares = shares_alike(codes, rater, others)
    has_company = ~np.isnan(shares)
    shares = shares[has_company]
    if not shares.size:
        return 0, math.nan, None
    value = float(shares.mean())
    if confidence is None:
        return shares.size, value, None
    influence = Influence.centred(value, shares - value)
    return shares.size, value, interval_of(influence, (0.0, 1.0), confidence, drawn(has_company))


@dataclass(frozen=True)
class Replacement:
    """A person beside the candidate, compared by how well each agrees with all others.

    Attributes
    ----------
    person : object
    n : int
        Units that both rated, and somebody else, too.
    candidate_share, person_share : float
        Share of the units on which the candidate, and the person, agrees at least as well with the others.
    p_value : float
        That the candidate is worse than the person by the margin or more, one-sided.
    rejected : bool
        Whether this is rejected, with Benjamini and Yekutieli's correction for all persons.
    reason : str or None
        Why there is no test.
    """

    person: Any
    n: int
    candidate_share: float
    person_share: float
    p_value: float
    rejected: bool
    reason: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ReplacementTest(Result, Savable):
    """Whether a candidate, such as a model, may replace the persons beside whom it rated.

    Attributes
    ----------
    candidate : object
    rows : tuple of Replacement
        One for each person.
    margin : float
        How much worse a rater that costs less may be.
    confidence : float
        1 less the share of false claims that is allowed.
    """

    candidate: Any
    rows: tuple[Replacement, ...]
    margin: float
    confidence: float

    @property
    def winning_rate(self) -> float:
        """Share of the persons that the candidate may replace."""
        return sum(row.rejected for row in self.rows) / len(self.rows)

    @property
    def advantage(self) -> float:
        """Mean share of the units on which the candidate agrees with the others at least as well as the person."""
        return float(np.nanmean([row.candidate_share for row in self.rows]))

    @property
    def may_replace(self) -> bool:
        """Whether it may replace at least half of the persons."""
        return self.winning_rate >= 0.5

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        found: dict[str, Any] = plain_json(asdict(self))
        return {"kind": "replacement_test", **found}

    def said(self) -> list[str]:
        """Say who may be replaced."""
        won = sum(row.rejected for row in self.rows)
        may = "may" if self.may_replace else "may not"
        return [
            f"{in_words(self.candidate)} {may} replace a person: it is not worse by {self.margin:g} than {won} of "
            f"{len(self.rows)} persons, and agrees with the others at least as well in {percent_text(self.advantage)} "
            "of the units"
        ]

    def table(self) -> Table:
        """One row per person."""
        rows = tuple(
            (
                str(row.person),
                row.n,
                row.candidate_share,
                row.person_share,
                row.p_value,
                "yes" if row.rejected else "no",
                row.reason or "",
            )
            for row in self.rows
        )
        columns = ("person", "units", "candidate as good", "person as good", "p", "replaces", "note")
        return Table(columns, rows)


def alternative_annotator_test(
    ratings: Any, candidate: Any, *, margin: float = 0.1, confidence: float = 0.95
) -> ReplacementTest:
    """Test whether a rater, such as a language model, may replace the persons who rated the same units.

    Each person is left out in turn. On each unit, the candidate and the person are compared by the share of the
    remaining persons who agree with them. Student's t tests whether the person is ahead by less than the margin.

    Parameters
    ----------
    ratings : array-like of shape (n, R), data frame with a column for each rater, or mapping of names to labels
        Rows are units. None and nan stand for missing ratings.
    candidate : object
        The name, or the position, of the rater that would replace the others.
    margin : float, default 0.1
        0.2 if persons are experts, 0.15 if they are trained, 0.1 for crowds are usual.
    confidence : float, default 0.95

    Returns
    -------
    ReplacementTest

    Raises
    ------
    InputError
        If there are fewer than three persons, or the candidate is not among the raters.

    References
    ----------
    Calderon, Reichart & Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL, 16051-16081.
    Benjamini & Yekutieli (2001), The control of the false discovery rate in multiple testing under dependency,
    Annals of Statistics 29, 1165-1188.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference import alternative_annotator_test
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 3, 200)
    >>> right = {"ann": 0.8, "bob": 0.8, "eve": 0.8, "model": 0.85}
    >>> said = {
    ...     name: np.where(rng.random(200) < share, truth, rng.integers(0, 3, 200))
    ...     for name, share in right.items()
    ... }
    >>> found = alternative_annotator_test(said, "model")
    >>> found.may_replace, found.winning_rate
    (True, 1.0)
    """
    check_confidence(confidence)
    if not 0 <= margin < 1:
        raise InputError(Option("margin", margin), ": a number from 0 to below 1 is needed")
    rated = read_ratings(ratings)
    names = list(rated.raters)
    if candidate not in names:
        known = ", ".join(in_words(name) for name in names[:8])
        raise InputError(Argument("candidate"), f" is {in_words(candidate)}: choose one of {known}")
    own = names.index(candidate)
    persons = [j for j in range(len(names)) if j != own]
    if len(persons) < 3:
        raise InputError(
            Argument("ratings"),
            f" has {count(len(persons), 'person')} beside {in_words(candidate)}: 3 are needed",
        )
    if strangers := [in_words(name) for name in rated.strangers() if name != candidate]:
        column = "column" if len(strangers) == 1 else "columns"
        why = f" has the {column} {listed(strangers)} without a category of another rater: "
        raise InputError(Argument("ratings"), why, "leave out columns that hold no ratings")
    found = [_beside(rated, own, j, [k for k in persons if k != j], margin) for j in persons]
    rejected = _rejected([row.p_value for row in found], 1 - confidence)
    rows = tuple(
        Replacement(
            row.person, row.n, row.candidate_share, row.person_share, row.p_value, bool(won), row.reason
        )
        for row, won in zip(found, rejected, strict=True)
    )
    return ReplacementTest(candidate, rows, margin, confidence)


def _beside(
    rated: RatedUnits, candidate: int, person: int, others: Sequence[int], margin: float
) -> Replacement:
    """Compare the candidate with one person by the ratings of the others."""
    from scipy.stats import t

    name = rated.raters[person]
    theirs, his = (shares_alike(rated.codes, who, others) for who in (candidate, person))
    both = ~np.isnan(theirs) & ~np.isnan(his)
    n = int(both.sum())
    if n == 0:
        return Replacement(
            name, 0, math.nan, math.nan, math.nan, False, "no unit was rated by both, and others"
        )
    theirs, his = theirs[both], his[both]
    behind: Floats = (his >= theirs).astype(float) - (theirs >= his)
    shares = float((theirs >= his).mean()), float((his >= theirs).mean())
    if n < _FEWEST:
        reason = f"{n} units: {_FEWEST} are needed"
        return Replacement(name, n, *shares, math.nan, False, reason)
    error = float(behind.std(ddof=1)) / math.sqrt(n)
    off = float(behind.mean()) - margin
    p_value = float(t.cdf(off / error, n - 1)) if error > 0 else float(off >= 0)
    return Replacement(name, n, *shares, p_value, False)


def _rejected(p_values: Sequence[float], level: float) -> Bools:
    """Return which hypotheses are rejected with Benjamini and Yekutieli's correction; those without a test are not."""
    adjusted = np.nan_to_num(adjust_p_values(p_values, "fdr"), nan=1.0)
    return np.asarray(adjusted * sum(1 / i for i in range(1, len(p_values) + 1)) <= level)
