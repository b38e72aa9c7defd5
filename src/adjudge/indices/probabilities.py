"""Losses of a classifier's probabilities."""

from __future__ import annotations

import math

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import Row, Worded
from adjudge.indices.forecast_record import ONE_CLASS, forecast_index
from adjudge.indices.record import Noted
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.losses import ProbabilityLosses

_inf = math.inf


@forecast_index(
    title="Log loss",
    better="lower",
    range=(0, _inf),
    reference="good1952",
    formula=r"-\frac1n \sum_i \log p_{iy_i}",
    symbols={"p_{iy_i}": "probability forecast for the class that instance i has"},
    undefined="infinite if the true class had the probability 0.",
    aliases=("cross_entropy", "logarithmic_score"),
    peers={"scikit-learn": ("log_loss", "neg_log_loss")},
    note="The natural logarithm, without clipping: scikit-learn replaces a probability of 0 with 2.2e-16, in single "
    "precision with 1.2e-7.",
    default="Proper: the true probabilities have the lowest mean. It punishes certainty that is wrong "
    "without limit.",
)
def log_loss(losses: ProbabilityLosses) -> float | Noted:
    """Mean of -log of the probability of the true class.

    >>> round(log_loss([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.34055
    """
    value = float(losses.log_loss / losses.total)
    if losses.impossible:
        return Noted(value, _impossible(losses))
    return value


def _impossible(losses: ProbabilityLosses) -> str:
    if losses.first_impossible is None:
        of = "an instance" if losses.impossible == 1 else f"{losses.impossible:,} instances"
        return f"the true class of {of} had the probability 0"
    others = losses.impossible - 1
    more = "" if not others else ", and of another" if others == 1 else f", and of {others:,} others"
    return Worded(
        "the true class of the instance ", Row(losses.first_impossible), f" had the probability 0{more}"
    )


@forecast_index(
    title="Brier score",
    better="lower",
    range=(0, 2),
    range_of_two=(0, 1),
    reference="brier1950",
    formula=r"\frac1n \sum_i \sum_c (p_{ic} - y_{ic})^2",
    symbols={
        "p_{ic}": "probability forecast for class c of instance i",
        "y_{ic}": "1 if instance i is of class c, else 0",
    },
    aliases=("brier",),
    peers={"scikit-learn": ("brier_score_loss", "neg_brier_score")},
    note="With two classes only the second is summed, and the score is at most 1.",
    default="Proper, too, and bounded: the squared error of the probabilities.",
)
def brier_score(losses: ProbabilityLosses) -> float | Noted:
    """Mean squared difference between forecast and outcome.

    >>> round(brier_score([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.1
    """
    return float(losses.brier / losses.total)


def _shares(losses: ProbabilityLosses) -> Floats:
    return np.asarray(losses.sizes / losses.total, np.float64)


@forecast_index(
    title="D2 of log loss",
    better="higher",
    range=(-_inf, 1),
    reference="good1952",
    formula=r"1 - \frac{L}{H}",
    symbols={"L": "log loss", "H": "entropy of the classes' shares: the log loss of forecasting them"},
    undefined=ONE_CLASS,
    peers={"scikit-learn": "d2_log_loss_score"},
)
def d2_log_loss(losses: ProbabilityLosses) -> float | Noted:
    """Share by which the log loss is lower than that of forecasting the classes' frequencies.

    >>> round(d2_log_loss([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.464976
    """
    shares = _shares(losses)
    shares = shares[shares > 0]
    if shares.size == 1:
        return Noted(math.nan, "0/0: the truth has one class")
    if losses.impossible:
        return Noted(-_inf, _impossible(losses))
    return 1 - float(losses.log_loss / losses.total) / -math.fsum((shares * logarithms(shares)).tolist())


@forecast_index(
    title="Brier skill score",
    better="higher",
    range=(-_inf, 1),
    reference="murphy1973",
    formula=r"1 - \frac{B}{U}",
    symbols={"B": "Brier score", "U": "Brier score of forecasting the classes' shares"},
    undefined=ONE_CLASS,
    aliases=("d2_brier",),
    peers={"scikit-learn": "d2_brier_score"},
)
def brier_skill_score(losses: ProbabilityLosses) -> float | Noted:
    """Share by which the Brier score is lower than that of forecasting the classes' frequencies.

    >>> round(brier_skill_score([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.55
    """
    shares = _shares(losses)
    if np.count_nonzero(shares) < 2:
        return Noted(math.nan, "0/0: the truth has one class")
    spread = float((shares * (1 - shares)).sum())
    return 1 - float(losses.brier / losses.total) / (spread / 2 if shares.size == 2 else spread)
