"""Two models over data sets: the signed-rank test, the sign test, and the size of the difference."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from adjudge.array_types import Floats
from adjudge.given.options import check_choice
from adjudge.given.score_table import settled
from adjudge.inference.common.significance import TestResult
from adjudge.saved.savable import Savable

#: Treatments of data sets on which both models score the same.
ZEROS = ("pratt", "drop", "split")
SIGN_ZEROS = ("drop", "split")

_NO_DIFFERENCE = "the models score the same on every data set"
_NO_DATASET = "no data set has a score of both models"
# Up to this many data sets, the distribution of signed ranks is counted; beyond, the normal one is exact to four
# digits.
_MOST_COUNTED = 200
# Up to this many data sets, all averages of two differences are used.
_MOST_AVERAGED = 4000


def signed_ranks(differences: Floats, zeros: str = "pratt") -> tuple[Floats, Floats]:
    """Return the ranks of the absolute differences, and the signs of the differences, with zeros treated by a rule.

    Returns
    -------
    ranks, signs : ndarray of shape (n,)
        Only of the differences that count: with "pratt", zeros are ranked and then left out.
    """
    from scipy.stats import rankdata

    values = settled(np.asarray(differences, np.float64))
    if zeros == "drop":
        values = values[values != 0]
    ranks = np.asarray(rankdata(np.abs(values)), np.float64)
    return ranks[values != 0], np.sign(values[values != 0])


def signed_rank_test(differences: Floats, *, zeros: str = "pratt") -> TestResult:
    """Test the hypothesis that differences are symmetric about 0, by Wilcoxon's signed ranks.

    Parameters
    ----------
    differences : array-like of shape (n,)
        First model minus second, one per data set.
    zeros : {"pratt", "drop", "split"}
        Data sets on which both score the same are ranked and then left out (Pratt), left out first (Wilcoxon), or their
        ranks are split between the two models, with one ignored if their number is odd (Demšar).

    Returns
    -------
    TestResult
        The statistic is the smaller of the two sums of ranks. Of up to 200 data sets, its distribution over all signs
        is counted (with ties); of more, or with zeros that are split, it is the normal one.

    References
    ----------
    Wilcoxon (1945); Pratt (1959); Demšar (2006).

    Examples
    --------
    >>> from adjudge.inference.data_sets.two_models import signed_rank_test
    >>> result = signed_rank_test([0.3, 0.1, 0.2, -0.05, 0.4, 0.25])
    >>> result.statistic, result.p_value
    (1.0, 0.0625)
    """
    check_choice("zeros", zeros, ZEROS)
    values = settled(np.asarray(differences, np.float64))
    if zeros == "split":
        return _split_zeros(values)
    ranks, signs = signed_ranks(values, zeros)
    hypothesis, name = "the differences are symmetric about 0", f"signed-rank ({zeros})"
    if not ranks.size:
        return TestResult(0.0, 1.0, name, hypothesis, _NO_DIFFERENCE if values.size else _NO_DATASET)
    positive, total = float(ranks[signs > 0].sum()), float(ranks.sum())
    smaller = min(positive, total - positive)
    tail = _counted_tail if ranks.size <= _MOST_COUNTED else _normal_tail
    return TestResult(smaller, tail(ranks, smaller), name, hypothesis)


def _counted_tail(ranks: Floats, smaller: float) -> float:
    """Return twice the probability of a sum of ranks this small, over all signs; ranks may be half-integers."""
    chances = _chances_of_sums(np.rint(2 * ranks).astype(np.int64), round(2 * smaller))
    return min(1.0, 2 * float(chances.sum()))


def _chances_of_sums(ranks: Iterable[int], most: int) -> Floats:
    """Return the probability of each sum of ranks up to `most`, if each is as likely to count as not."""
    chances = np.zeros(most + 1)
    chances[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(chances)
        if rank <= most:
            moved[rank:] = chances[: most + 1 - rank]
        chances = (chances + moved) / 2
    return chances


def _normal_tail(ranks: Floats, smaller: float) -> float:
    from scipy.special import ndtr

    centre, spread = float(ranks.sum()) / 2, math.sqrt(float((ranks**2).sum()) / 4)
    return min(1.0, 2 * float(ndtr((smaller - centre) / spread)))


def _split_zeros(values: Floats) -> TestResult:
    """Apply Demšar's version: each model gets half of the zeros' ranks; a zero is ignored if their number is odd."""
    from scipy.special import ndtr
    from scipy.stats import rankdata

    hypothesis, name, given = "the differences are symmetric about 0", "signed-rank (split)", values.size
    if int((values == 0).sum()) % 2:
        values = np.delete(values, int(np.flatnonzero(values == 0)[0]))
    if not values.size:
        return TestResult(0.0, 1.0, name, hypothesis, _NO_DIFFERENCE if given else _NO_DATASET)
    ranks = rankdata(np.abs(values))
    halves = float(ranks[values == 0].sum()) / 2
    smaller = min(float(ranks[values > 0].sum()), float(ranks[values < 0].sum())) + halves
    n = values.size
    z = (smaller - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    reason = None if (values != 0).any() else _NO_DIFFERENCE
    return TestResult(smaller, min(1.0, 2 * float(ndtr(z))), name, hypothesis, reason)


def sign_test(differences: Floats, *, zeros: str = "drop") -> TestResult:
    """Test whether either model is as likely as the other to win a data set.

    Parameters
    ----------
    differences : array-like of shape (n,)
    zeros : {"drop", "split"}
        Data sets on which both score the same are left out, or split between both (with one ignored if their number is
        odd), as in Demšar (2006).

    Returns
    -------
    TestResult
        The statistic is the number of wins of the first model; the p-value is exact (binomial).

    Examples
    --------
    >>> from adjudge.inference.data_sets.two_models import sign_test
    >>> round(sign_test([1, 1, 1, 1, 1, 1, 1, 1, -1, 0]).p_value, 4)
    0.0391
    """
    from scipy.stats import binom

    check_choice("zeros", zeros, SIGN_ZEROS)
    values = settled(np.asarray(differences, np.float64))
    halves = int((values == 0).sum()) // 2 if zeros == "split" else 0
    wins, losses = int((values > 0).sum()) + halves, int((values < 0).sum()) + halves
    hypothesis, name = "either model is as likely to win a data set", f"sign ({zeros})"
    if not (values != 0).any():
        return TestResult(0.0, 1.0, name, hypothesis, _NO_DIFFERENCE if values.size else _NO_DATASET)
    p_value = min(1.0, 2 * float(binom.cdf(min(wins, losses), wins + losses, 0.5)))
    return TestResult(float(wins), p_value, name, hypothesis)


@dataclass(frozen=True)
class PairedEffects(Savable):
    """How much better the first of two models is, and how often.

    Attributes
    ----------
    wins, ties, losses : int
        Numbers of data sets.
    mean : float
        Mean difference of the scores.
    median : float
        Hodges and Lehmann's estimate: the median of all averages of two differences.
    low, high : float
        Confidence interval of the median, by the signed-rank test.
    rank_biserial : float
        Sum of the ranks in favour of the first model minus those against it, divided by their total: -1 to 1.
    wins_share : float
        Share of the data sets that the first model wins, with ties counting half.
    """

    wins: int
    ties: int
    losses: int
    mean: float
    median: float
    low: float
    high: float
    rank_biserial: float
    wins_share: float


def paired_effects(differences: Floats, confidence: float = 0.95) -> PairedEffects:
    """Return measures of the size of the differences.

    Examples
    --------
    >>> from adjudge.inference.data_sets.two_models import paired_effects
    >>> effects = paired_effects([0.3, 0.1, 0.2, -0.05, 0.4, 0.25])
    >>> effects.wins, effects.losses, round(effects.median, 4), round(effects.rank_biserial, 4)
    (5, 1, 0.2, 0.9048)
    """
    values = settled(np.asarray(differences, np.float64))
    n = values.size
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    ranks, signs = signed_ranks(values)
    balance = float((ranks * signs).sum() / ranks.sum()) if ranks.size else 0.0 if n else math.nan
    median, low, high = _location(values, confidence)
    return PairedEffects(
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        mean=float(values.mean()) if n else math.nan,
        median=median,
        low=low,
        high=high,
        rank_biserial=balance,
        wins_share=(wins + (n - wins - losses) / 2) / n if n else math.nan,
    )


def _location(values: Floats, confidence: float) -> tuple[float, float, float]:
    """Return the median of averages of two, and the interval of those that the signed-rank test does not reject."""
    n = values.size
    if not 0 < n <= _MOST_AVERAGED:
        return math.nan, math.nan, math.nan
    first, second = np.triu_indices(n)
    averages = np.sort((values[first] + values[second]) / 2)
    outside = _sums_outside(n, (1 - confidence) / 2)
    if outside < 0:  # too few data sets for a finite interval at this level
        return float(np.median(averages)), -math.inf, math.inf
    return float(np.median(averages)), float(averages[outside]), float(averages[-1 - outside])


def _sums_outside(n: int, tail: float) -> int:
    """Return the largest sum of signed ranks whose lower tail is at most `tail`; -1 if there is none."""
    from scipy.special import ndtri

    total = n * (n + 1) // 2
    if n > _MOST_COUNTED:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return math.floor(total / 2 + float(ndtri(tail)) * spread - 0.5)
    chances = _chances_of_sums(range(1, n + 1), total)
    return int(np.searchsorted(np.cumsum(chances), tail, side="right")) - 1
