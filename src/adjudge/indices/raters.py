"""How well several raters agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from adjudge.callers import warn_caller
from adjudge.errors import InputError, Option
from adjudge.given.ratings import IF_COUNTS, read_ratings
from adjudge.indices.record import Index, Noted, maker_of, quotient
from adjudge.statistics.ratings import Level, RatingCounts, disagreement

__all__ = [
    "RaterIndex",
    "fleiss_kappa",
    "krippendorff_alpha",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal",
    "raters_ac1",
    "raters_agreement",
]

_inf = math.inf


class RaterIndex(Index):
    """An index of how well several raters agree."""

    kind = "raters"

    def __call__(
        self,
        ratings: Any,
        *,
        classes: Sequence[Any] | None = None,
        categories: Sequence[Any] | None = None,
        **parameters: Any,
    ) -> float:
        """Compute the index from the labels of several raters."""
        if classes is not None and categories is not None:
            raise InputError(
                Option("classes"), " and ", Option("categories"), " are the same: give one of them"
            )
        known, option = (categories, "categories") if classes is None else (classes, "classes")
        rated = read_ratings(ratings, known, option)
        if (total := rated.sum_if_counts) is not None:
            warn_caller(f"each row of ratings has the sum {total}, as numbers of raters have: {IF_COUNTS}")
        return self.assess(RatingCounts.make(rated), **parameters)[0]

    def _input_lines(self) -> list[str]:
        return [
            "ratings : array-like of shape (n, R), data frame, or mapping of names to labels",
            "    Rows are units, columns raters; None and nan stand for missing ratings.",
            "classes : sequence, optional",
            "    All categories, in the order for ordinal scores; default: those that occur, sorted.",
            "categories : sequence, optional",
            "    The same.",
        ]


def _of_raters(
    *, title: str, range: tuple[float, float], reference: str, **facts: Any
) -> Callable[[Callable[..., float | Noted]], RaterIndex]:
    return maker_of(
        RaterIndex,
        title=title,
        better="higher",
        range=range,
        reference=reference,
        best=1.0,
        identical_is_best=False,
        **facts,
    )


_ONE_CATEGORY = "all ratings are of one category"
_ALPHA = r"1 - (N - 1) \frac{D_o}{D_e}"


@_of_raters(
    title="Agreement of raters",
    range=(0, 1),
    reference="fleiss1971",
    formula=r"\frac{1}{n'} \sum_i \frac{\sum_c r_{ic} (r_{ic} - 1)}{r_i (r_i - 1)}",
    undefined="if no unit has two ratings.",
    aliases=("observed_agreement",),
    default="What can be seen, without any correction.",
    note="Not corrected for chance.",
)
def raters_agreement(ratings: RatingCounts) -> float | Noted:
    """Mean share of the pairs of ratings of a unit that agree.

    >>> raters_agreement([["a", "a", "b"], ["b", "b", "b"]])
    0.6666666666666666
    """
    return ratings.agreement


@_of_raters(
    title="Fleiss' kappa",
    range=(-_inf, 1),
    reference="fleiss1971",
    formula=r"\frac{P - \sum_c \pi_c^2}{1 - \sum_c \pi_c^2}",
    undefined="if all ratings are of one category, and if no unit has two ratings.",
    peers={"statsmodels": "fleiss_kappa", "irrCAC": "fleiss"},
    aliases=("kappa",),
    default="What is reported most often for several raters.",
    note="Units may have different numbers of ratings; those with one rating only count for the "
    "shares of the categories.",
)
def fleiss_kappa(ratings: RatingCounts) -> float | Noted:
    """Agreement of several raters, corrected for that of random ratings with the same category frequencies.

    >>> round(fleiss_kappa([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]]), 4)
    0.55
    """
    by_chance = float(ratings.shares @ ratings.shares)
    observed = ratings.agreement
    rest = 0.0 if (ratings.shares > 0).sum() == 1 else 1 - by_chance
    return quotient(observed - by_chance if rest else 0.0, rest, _ONE_CATEGORY)


@_of_raters(
    title="Gwet's AC1 of several raters",
    range=(-1, 1),
    reference="gwet2008",
    formula=r"\frac{P - e}{1 - e}",
    symbols={"e": r"agreement by chance: the sum over the categories of \pi_c (1 - \pi_c), divided by K - 1"},
    undefined="if there is one category, and if no unit has two ratings.",
    peers={"irrCAC": "gwet"},
    aliases=("ac1", "gwet_ac1"),
    default="It keeps its meaning if one category prevails, if kappa does not.",
    note="Unlike kappa it stays high if raters agree and one category prevails. K counts the categories that are "
    "listed, so one that is never used changes it.",
)
def raters_ac1(ratings: RatingCounts) -> float | Noted:
    """Agreement of several raters, corrected for raters who guess on some units.

    >>> round(raters_ac1([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]]), 4)
    0.561
    """
    if ratings.k < 2:
        return Noted(math.nan, "0/0: there is one category")
    by_chance = float(ratings.shares @ (1 - ratings.shares)) / (ratings.k - 1)
    return (ratings.agreement - by_chance) / (1 - by_chance)


@_of_raters(
    title="Krippendorff's alpha",
    range=(-1, 1),
    reference="krippendorff2011",
    formula=_ALPHA,
    symbols={
        "N": "ratings in units that have several",
        "D_o": "sum of the differences of ratings within units, with weight 1 / (r_i - 1) for a unit",
        "D_e": "sum of the differences over all pairs of ratings",
    },
    undefined="if all ratings are of one category, and if no unit has two ratings.",
    peers={"krippendorff": "alpha(level_of_measurement='nominal')", "irrCAC": "krippendorff"},
    aliases=("alpha_nominal",),
    default="It allows for ratings that are missing.",
    note="Units with one rating are left out. Categories that differ at all differ by 1.",
)
def krippendorff_alpha(ratings: RatingCounts, *, level: Level = "nominal") -> float | Noted:
    """1 minus the disagreement within units, relative to that of randomly combined ratings.

    >>> round(krippendorff_alpha([[1, 1, None], [2, 3, 2], [3, 3, 3]]), 4)
    0.65
    """
    return disagreement(ratings, level).alpha


krippendorff_alpha_ordinal = krippendorff_alpha.variant(
    "krippendorff_alpha_ordinal",
    title="Krippendorff's alpha (ordinal)",
    fixed={"level": "ordinal"},
    peers={"krippendorff": "alpha(level_of_measurement='ordinal')"},
    aliases=("alpha_ordinal",),
    default="For categories that have an order: near misses count less.",
    undefined="if all ratings are of one category, if no unit has two ratings, and if the order of three categories or "
    "more is not known.",
    note="Units with one rating are left out. The difference of two categories is the squared "
    "number of ratings between them. Their order is that of `classes`, or of the type of the columns (an ordered "
    "categorical, an Enum); numbers, also as text, are sorted.",
    reads_order=True,
)
krippendorff_alpha_interval = krippendorff_alpha.variant(
    "krippendorff_alpha_interval",
    title="Krippendorff's alpha (interval)",
    fixed={"level": "interval"},
    peers={"krippendorff": "alpha(level_of_measurement='interval')"},
    aliases=("alpha_interval",),
    default="For categories that are numbers: near misses count less.",
    undefined="if all ratings are of one category, if no unit has two ratings, and if categories are no "
    "numbers.",
    note="Units with one rating are left out. Categories are numbers, and differ by the square of their difference.",
)
