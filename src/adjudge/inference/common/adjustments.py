"""P-values adjusted for multiple tests.

There are two kinds of families of hypotheses. Those that compare models with one control are unrestricted: any set of
them may be true. Those that compare all pairs are related (A = B and B = C imply A = C), which the procedures of
Shaffer and of Bergmann and Hommel exploit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import InputError, Option
from adjudge.given.options import as_numbers
from adjudge.kernels.elementary import exponentials_less_one, logarithms_of_one_plus

#: Bergmann and Hommel's procedure examines every partition of the models: 21,147 for nine.
MOST_MODELS_OF_BERGMANN = 9


def adjust_p_values(p_values: Sequence[float] | Floats, correction: str = "holm") -> list[float]:
    """Adjust p-values for multiple tests, where any set of the hypotheses may be true.

    Tests against one control are such a family. The ranks of all pairs of models are not: see
    :meth:`~adjudge.Benchmark.pairwise`.

    Parameters
    ----------
    p_values : sequence of float
        An undefined p-value (nan) stays nan, but counts as a test.
    correction : {"none", "bonferroni", "holm", "holm-sidak", "hochberg", "hommel", "finner", "li", "fdr"}
        Default: "holm". Hochberg's, Hommel's, Finner's, and Holm and Šidák's procedures need tests that are independent
        or positively dependent. Two do not hold their level for every family. Finner's may reject a true hypothesis if
        others are false: at 5 %, it does so in 13 % of the families of 20 independent tests of which 2 are surely
        rejected, and in 55 % of those of 60 of which 30 are. Instead, it limits the share of true hypotheses among the
        rejected. Li's may do so if tests are alike, or if none is far from its hypothesis. "fdr" is Benjamini and
        Hochberg's: the expected share of true hypotheses among the rejected is at most the level, for tests that are
        independent or positively dependent. It rejects more than most, and more true ones.

    Returns
    -------
    list of float
        A hypothesis is rejected at level alpha if its adjusted p-value is at most alpha.

    References
    ----------
    Holm (1979); Hochberg (1988); Hommel (1988); Finner (1993); Benjamini & Hochberg (1995); Li (2008).

    Examples
    --------
    >>> from adjudge.inference import adjust_p_values
    >>> adjust_p_values([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    >>> adjust_p_values([0.01, 0.04, 0.03], "hochberg")
    [0.03, 0.04, 0.04]
    """
    if correction not in CORRECTIONS:
        raise InputError(
            Option("correction", correction), f" is not known: choose one of {', '.join(CORRECTIONS)}"
        )
    return _in_order(p_values, CORRECTIONS[correction])


def default_correction(n_models: int, control: str | None = None) -> str:
    """Return the correction for all pairs of models, or for those with a control, if none is named."""
    return "shaffer" if control is None and n_models <= _MOST_FOR_SHAFFER else "holm"


def adjust_pairs(p_values: Sequence[float] | Floats, n_models: int, correction: str) -> list[float]:
    """Adjust p-values of the comparisons of all pairs of models.

    Parameters
    ----------
    p_values : sequence of float of length n_models (n_models - 1) / 2
        In the order of ``itertools.combinations``.
    n_models : int
    correction : str
        One of those of :func:`~adjudge.inference.adjust_p_values`, or "shaffer" (static), or "bergmann-hommel" (up to
        nine models).

    References
    ----------
    Shaffer (1986); Bergmann & Hommel (1988); García & Herrera (2008).

    Examples
    --------
    >>> from adjudge.inference.common.adjustments import adjust_pairs
    >>> adjust_pairs([0.01, 0.04, 0.03], 3, "shaffer")
    [0.03, 0.04, 0.03]
    """
    if correction == "shaffer":
        return _in_order(p_values, lambda p: _shaffer(p, n_models))
    if correction == "bergmann-hommel":
        if n_models > MOST_MODELS_OF_BERGMANN:
            raise InputError(
                Option("correction", "bergmann-hommel"),
                f" is too slow for {n_models} models: take "
                f"'shaffer', or at most {MOST_MODELS_OF_BERGMANN} models",
            )
        return _bergmann_hommel(_checked(p_values), n_models)
    if correction not in CORRECTIONS:
        known = ", ".join((*CORRECTIONS, *ALL_PAIRS))
        raise InputError(Option("correction", correction), f" is not known: choose one of {known}")
    return adjust_p_values(p_values, correction)


def _checked(p_values: Any) -> Floats:
    values = as_numbers("p_values", p_values)
    if ((values < 0) | (values > 1)).any():
        raise InputError("p_values holds a number outside of [0, 1]")
    return values


def _in_order(p_values: Any, procedure: Callable[[Floats], Floats]) -> list[float]:
    """Apply a procedure to sorted p-values; an undefined one counts as 1."""
    values = _checked(p_values)
    known = np.where(np.isnan(values), 1.0, values)
    order = np.argsort(known, kind="stable")
    adjusted = np.empty_like(known)
    if known.size:
        adjusted[order] = np.clip(procedure(known[order]), known[order], 1.0)
    adjusted[np.isnan(values)] = math.nan
    return [float(v) for v in adjusted]


def _left(p: Floats) -> Ints:
    """Return the number of hypotheses left at each step, including the current one."""
    return np.arange(p.size, 0, -1)


def _bonferroni(p: Floats) -> Floats:
    return p * p.size


def _holm(p: Floats) -> Floats:
    return np.asarray(np.maximum.accumulate(p * _left(p)))


def _power(p: Floats, exponents: Floats | Ints) -> Floats:
    """Return ``1 - (1 - p) ** exponents``, even if p is tiny."""
    return -exponentials_less_one(exponents * logarithms_of_one_plus(-p))


def _holm_sidak(p: Floats) -> Floats:
    return np.maximum.accumulate(_power(p, _left(p)))


def _finner(p: Floats) -> Floats:
    return np.maximum.accumulate(_power(p, p.size / np.arange(1.0, p.size + 1)))


def _hochberg(p: Floats) -> Floats:
    return np.asarray(np.minimum.accumulate((p * _left(p))[::-1])[::-1])


def _benjamini_hochberg(p: Floats) -> Floats:
    return np.asarray(np.minimum.accumulate((p * p.size / np.arange(1.0, p.size + 1))[::-1])[::-1])


def _hommel(p: Floats) -> Floats:
    """Close Simes' test: of all sets of j hypotheses with this one, that with the largest other p-values decides."""
    m = p.size
    adjusted = p.copy()
    for j in range(2, m + 1):
        largest = p[m - j :]
        others = float((j * largest[1:] / np.arange(2, j + 1)).min())
        np.maximum(adjusted, np.minimum(others, j * np.minimum(p, largest[0])), out=adjusted)
    return adjusted


def _li(p: Floats) -> Floats:
    whole = p + 1 - p[-1]
    return np.asarray(np.divide(p, whole, out=np.zeros_like(p), where=whole > 0))


def _shaffer(p: Floats, n_models: int) -> Floats:
    possible = np.array(_numbers_of_true_pairs(n_models))
    left = possible[np.searchsorted(possible, _left(p), side="right") - 1]
    return np.asarray(np.maximum.accumulate(p * left))


@lru_cache(maxsize=64)
def _numbers_of_true_pairs(n_models: int) -> tuple[int, ...]:
    """Return the possible numbers of equal pairs, as models fall into groups of equals."""
    sums: list[set[int]] = [{0}]
    for n in range(1, n_models + 1):
        sums.append({math.comb(size, 2) + rest for size in range(1, n + 1) for rest in sums[n - size]})
    return tuple(sorted(sums[n_models]))


def _bergmann_hommel(p: Floats, n_models: int) -> list[float]:
    """Take the largest Bonferroni bound over the exhaustive sets that contain each hypothesis."""
    known = np.where(np.isnan(p), 1.0, p)
    sets = _exhaustive_sets(n_models)
    bounds = sets.sum(axis=1) * np.where(sets, known, np.inf).min(axis=1)
    adjusted = np.minimum(1.0, np.where(sets, bounds[:, None], 0.0).max(axis=0))
    adjusted[np.isnan(p)] = math.nan
    return [float(v) for v in adjusted]


@lru_cache(maxsize=8)
def _exhaustive_sets(n_models: int) -> Bools:
    """Return which pairs (columns) are equal for every way (rows) of grouping equal models."""
    groupings = np.zeros(
        (1, 1), np.int8
    )  # the group of each model; groups are numbered in order of appearance
    for _ in range(1, n_models):
        choices = groupings.max(axis=1).astype(np.int64) + 2
        rows = np.repeat(groupings, choices, axis=0)
        new = np.concatenate([np.arange(c, dtype=np.int8) for c in choices])
        groupings = np.column_stack([rows, new])
    first, second = np.triu_indices(n_models, 1)
    equal = groupings[:, first] == groupings[:, second]
    return np.asarray(equal[equal.any(axis=1)])


#: Corrections for families in which any set of hypotheses may be true.
CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda p: p,
    "bonferroni": _bonferroni,
    "holm": _holm,
    "holm-sidak": _holm_sidak,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "finner": _finner,
    "li": _li,
    "fdr": _benjamini_hochberg,
}
#: Warnings about corrections that do not limit the probability of any false claim.
CAUTIONS = {
    "finner": "Finner's correction does not limit the probability of any false claim if some models differ: "
    "'holm' does.",
    "fdr": "Benjamini and Hochberg's correction limits the share of false claims among all claims, not the probability "
    "of any: 'holm' does.",
    "li": "Li's correction does not limit the probability of any false claim if tests are alike: 'holm' does.",
}
# Shaffer's procedure claims all that Holm's does, and more; with more models Holm's is faster.
_MOST_FOR_SHAFFER = 30
#: Corrections only for all pairs.
ALL_PAIRS = ("shaffer", "bergmann-hommel")
