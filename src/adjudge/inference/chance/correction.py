"""Correction for chance: the distribution of an index over unrelated partitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice, check_count
from adjudge.indices.record import Index
from adjudge.inference.chance.null_distribution import NullDistribution, adjusted
from adjudge.inference.chance.null_fixed_margins import FixedMargins
from adjudge.inference.chance.null_random_partitions import RandomPartitions
from adjudge.inference.chance.targets import Target
from adjudge.progress import Progress, StagedProgress, reporting
from adjudge.statistics.contingency import Contingency, reduce_labels
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.unknown_names import checked_call
from adjudge.usual_seed import USUAL_SEED

NULLS = ("fixed_margins", "num", "num1", "all", "all1")
METHODS = ("auto", "exact", "simulate", "pearson3")


@checked_call
def null_distribution(
    index: str | Index | Callable[..., Any],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    null: str = "fixed_margins",
    n_tables: int | None = None,
    random_state: Any = USUAL_SEED,
    method: str = "auto",
    n_jobs: int | None = None,
    progress: StagedProgress | bool | None = None,
    best: float | str | None = None,
    **parameters: Any,
) -> NullDistribution:
    """Compute the distribution of an index over unrelated partitions.

    Parameters
    ----------
    index : str, Index or callable
        Name or record of an external index, or a function of a :class:`~adjudge.statistics.PairCounts` or of a
        :class:`~adjudge.statistics.Contingency` (told by the annotation of its parameter, else tried in this order). It
        is undefined if it divides by zero.
    labels_true, labels_pred : array-like of shape (n,)
        The partitions; or, without `labels_pred`, a contingency table.
    null : {"fixed_margins", "num", "num1", "all", "all1"}
        "fixed_margins": both partitions keep their cluster sizes. "num": they keep only their numbers of clusters.
        "all": they are arbitrary. "num1" and "all1": the same for the prediction only; the truth keeps its sizes.
    n_tables : int, optional
        Number of tables to simulate. Default: 17,000, but at most as many as one core draws and reads in about eight
        seconds, and at least 200.
    random_state : int, Generator, SeedSequence or None, default 0
        Results do not depend on the number of threads.
    method : {"auto", "exact", "simulate", "pearson3"}
        Fixed margins only. "auto" is exact for small tables, simulates larger ones, and approximates those that are
        too large by a Pearson III distribution with the exact mean, variance and skewness (if the index counts pairs).
    n_jobs : int, optional
        Threads; -1 and the default mean one per core.
    progress : callable or bool, optional
        Called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or in a notebook.
    best : float or {"arithmetic", "geometric", "min", "max"}, optional
        Value for perfect agreement, if the index has none or you want another; or, for mutual information, the average
        of the entropies that serves as one.
    **parameters
        Keyword parameters of the index.

    Returns
    -------
    NullDistribution

    Examples
    --------
    >>> from adjudge.inference.chance.correction import null_distribution
    >>> null = null_distribution("rand", [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    >>> round(null.mean, 6), round(null.adjusted, 6), round(null.p_value(), 6), null.method
    (0.56, 0.242424, 0.6, 'exact')
    """
    (result,) = null_distributions(
        [index],
        labels_true,
        labels_pred,
        null=null,
        n_tables=n_tables,
        random_state=random_state,
        method=method,
        n_jobs=n_jobs,
        progress=progress,
        best=best,
        **parameters,
    ).values()
    return result


@checked_call
def null_distributions(
    indices: Sequence[str | Index | Callable[..., Any]],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    null: str = "fixed_margins",
    n_tables: int | None = None,
    random_state: Any = USUAL_SEED,
    method: str = "auto",
    n_jobs: int | None = None,
    progress: StagedProgress | bool | None = None,
    best: float | str | None = None,
    **parameters: Any,
) -> dict[str, NullDistribution]:
    """Compute the null distributions of several indices from one simulation.

    Parameters
    ----------
    indices : sequence of str, Index or callable
        As for :func:`~adjudge.inference.null_distribution`.
    labels_true, labels_pred : array-like of shape (n,)
        The partitions; or, without `labels_pred`, a contingency table.
    null, n_tables, random_state, method, n_jobs, progress, best
        As for :func:`~adjudge.inference.null_distribution`.
    **parameters
        Keyword parameters of the indices.

    Returns
    -------
    dict of str to NullDistribution
        By name of the index.

    Examples
    --------
    >>> from adjudge.inference import null_distributions
    >>> found = null_distributions(["rand", "jaccard"], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    >>> {name: round(null.mean, 4) for name, null in found.items()}
    {'rand': 0.56, 'jaccard': 0.1714}
    """
    table = reduce_labels(labels_true, labels_pred)
    targets = [_checked(target) for target in Target.of_several(indices, table, parameters)]
    with reporting(progress, "random tables") as report:
        model = _model(table, null, n_tables, random_state, method, n_jobs, report)
        found = model.distributions(targets)
    return {
        target.name: replace(one, null=null, best=_best(target, table, null, best, required=False))
        for target, one in zip(targets, found, strict=True)
    }


@checked_call
def expected_by_chance(
    index: str | Index | Callable[..., Any],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    null: str = "fixed_margins",
    n_tables: int | None = None,
    random_state: Any = USUAL_SEED,
    method: str = "auto",
    n_jobs: int | None = None,
    progress: StagedProgress | bool | None = None,
    **parameters: Any,
) -> float:
    """Compute the mean of an index over unrelated partitions.

    The mean is exact and fast if the index is linear or quadratic in the number of joined pairs, or linear in the
    mutual information; otherwise it comes from the null distribution.

    Parameters
    ----------
    index : str, Index or callable
        As for :func:`~adjudge.inference.null_distribution`.
    labels_true, labels_pred : array-like of shape (n,)
        The partitions; or, without `labels_pred`, a contingency table.
    null, n_tables, random_state, method, n_jobs, progress
        As for :func:`~adjudge.inference.null_distribution`.
    **parameters
        Keyword parameters of the index.

    Returns
    -------
    float

    Examples
    --------
    >>> from adjudge.inference.chance.correction import expected_by_chance
    >>> round(expected_by_chance("rand", [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.56
    """
    table = reduce_labels(labels_true, labels_pred)
    target = _checked(Target.of(index, table, parameters))
    with reporting(progress, "random tables") as report:
        return _model(table, null, n_tables, random_state, method, n_jobs, report).mean(target)


@checked_call
def adjusted_for_chance(
    index: str | Index | Callable[..., Any],
    labels_true: Any,
    labels_pred: Any = None,
    *,
    null: str = "fixed_margins",
    n_tables: int | None = None,
    random_state: Any = USUAL_SEED,
    method: str = "auto",
    n_jobs: int | None = None,
    progress: StagedProgress | bool | None = None,
    best: float | str | None = None,
    **parameters: Any,
) -> float:
    """Correct an index for chance: (observed - expected) / (best - expected).

    Parameters
    ----------
    index : str, Index or callable
        As for :func:`~adjudge.inference.null_distribution`.
    labels_true, labels_pred : array-like of shape (n,)
        The partitions; or, without `labels_pred`, a contingency table.
    null, n_tables, random_state, method, n_jobs, progress, best
        As for :func:`~adjudge.inference.null_distribution`.
    **parameters
        Keyword parameters of the index.

    Returns
    -------
    float
        0 on average for unrelated partitions, 1 for perfect agreement.

    Examples
    --------
    >>> from adjudge import adjusted_rand
    >>> from adjudge.inference.chance.correction import adjusted_for_chance
    >>> truth, prediction = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> round(adjusted_for_chance("rand", truth, prediction), 12) == round(adjusted_rand(truth, prediction), 12)
    True
    """
    table = reduce_labels(labels_true, labels_pred)
    target = _checked(Target.of(index, table, parameters))
    top = _best(target, table, null, best, required=True)
    with reporting(progress, "random tables") as report:
        mean = _model(table, null, n_tables, random_state, method, n_jobs, report).mean(target)
    return adjusted(target.name, target.observed, mean, top)


def _checked(target: Target) -> Target:
    """Raise if the index cannot be corrected for chance."""
    if target.record is not None and target.record.kind != "external":
        raise InputError(
            f"{target.name} is of kind {target.record.kind!r}: only external indices can be corrected for chance"
        )
    return target


def _best(
    target: Target, table: Contingency, null: str, best: float | str | None, *, required: bool
) -> float | None:
    """Return the value for perfect agreement, given or from the record; for mutual information, by the null."""
    check_choice("null", null, NULLS)
    if isinstance(best, str):
        return _average_entropy(table.information, best)
    if best is not None:
        if not math.isfinite(best):
            raise InputError(Option("best", best), ": a finite number is needed")
        return float(best)
    if target.best is not None:
        return target.best
    if target.record is not None and target.record.name == "mutual_information":
        if null.startswith("num"):
            return sum(math.log(k) for k in table.shape) / 2
        if null.startswith("all"):
            return math.log(table.n)
        return _average_entropy(table.information, "arithmetic")
    if required:
        raise InputError(
            f"{target.name} has no finite best value, which the adjustment needs: give ", Option("best")
        )
    return None


def _average_entropy(information: PartitionEntropies, average: str) -> float:
    a, b = information.entropy_true, information.entropy_pred
    averages = {"arithmetic": (a + b) / 2, "geometric": math.sqrt(a * b), "min": min(a, b), "max": max(a, b)}
    check_choice("best", average, tuple(averages))
    return averages[average]


def _model(
    table: Contingency,
    null: str,
    n_tables: int | None,
    random_state: Any,
    method: str,
    n_jobs: int | None,
    progress: Progress | None,
) -> FixedMargins | RandomPartitions:
    check_choice("null", null, NULLS)
    check_choice("method", method, METHODS)
    if n_tables is not None:
        check_count("n_tables", n_tables)
    if null == "fixed_margins":
        return FixedMargins(table, n_tables, random_state, method, n_jobs, progress)
    if method not in ("auto", "simulate"):
        raise InputError(
            Option("method", method),
            " needs ",
            Option("null", "fixed_margins"),
            ": ",
            Option("null", null),
            " is simulated",
        )
    return RandomPartitions(table, null, n_tables, random_state, progress)
