"""Are there clusters? The clusterer is also fitted to data without clusters, and clusters need a valley between them.

An index is compared with its distribution over data without clusters, to which the same clusterer is fitted, with the
same choice among candidates: choosing is part of the null hypothesis. Points on a curve or on a shell split better than
any of these data, but they have no density valley between clusters, which the second test requires.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import InputError, Option, Worded
from adjudge.given.options import check_count, random_generator
from adjudge.indices.catalog import find_index
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.inference.clusters.clusterers import Fit, coded_without_noise, dense_points, fits_of
from adjudge.inference.clusters.density_valley import Valley, ValleysOfNull, valleys_between
from adjudge.inference.clusters.halves import ENOUGH, agreement_in_words, agreement_of_halves
from adjudge.inference.clusters.null_points import (
    USUAL_NULLS,
    chosen_nulls,
    data_without_clusters,
    without_reflections,
)
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import UpperBound, bounded, capitalised, listed, p_text
from adjudge.presentation.tables import Table
from adjudge.progress import StagedProgress, reporting
from adjudge.usual_seed import USUAL_SEED

# Names of the kinds of data in sentences.
_CALLED = {
    "gaussian": "Gaussian data",
    "copula": "data with one peak in each variable",
    "elliptical": "elliptical data",
    "uniform": "evenly spread data",
}


@dataclass(frozen=True, eq=False, repr=False)
class ClustersTest(ByValue):
    """Whether a clustering is better than those of data without clusters, with density valleys between its clusters.

    Attributes
    ----------
    value : float
        Value of the index for the best candidate.
    best : str
        Name of the best candidate.
    p_values : dict of str to float
        By null distribution, the share of data sets at least as good, counting the data themselves.
    null_values : dict of str to ndarray
        Value of the index for the best candidate in each data set without clusters.
    valleys : list of (int, int, float), or None
        Neighbouring clusters of the best candidate, with the p-value of each single density valley between them; None
        if valleys are not tested.
    valley_p_value : float or None
        For at least one valley, also compared with those of data without clusters; None if valleys are not tested.
    index : str
    n : int
        Number of points.
    n_clusters : int
        Number of clusters of the best candidate.
    n_samples : int
    level : float
        Level at which `verdict` calls something significant.
    halves_agree : float or None
        How much better two halves of the points agree on clusters than halves of points without clusters, as in
        :func:`adjudge.choose_k`; None if that was not tested.
    """

    value: float
    best: str
    p_values: dict[str, float]
    null_values: dict[str, Floats]
    valleys: list[Valley] | None
    valley_p_value: float | None
    index: str
    n: int
    n_clusters: int
    n_samples: int
    level: float = field(default=0.05)
    halves_agree: float | None = None

    @property
    def p_value(self) -> float:
        """The largest p-value: that of the explanation without clusters that fits the data best."""
        valley = self.valley_p_value
        return max([*self.p_values.values(), *([] if valley is None else [valley])])

    @property
    def there_are(self) -> bool | None:
        """Whether two halves of the points agree on clusters; None if that was not tested."""
        return None if self.halves_agree is None else self.halves_agree >= ENOUGH

    @property
    def verdict(self) -> str:
        """Whether there are clusters, as :func:`adjudge.choose_k` says it, and whether the tested ones show them."""
        alike = [null for null, p in self.p_values.items() if p > self.level]
        if alike:
            return Worded(*self._not_better(alike), self._yet_a_valley(), self._halves())
        better = f"the points split better than data without clusters ({self._largest(self.p_values)})"
        return f"{self._of_valley(better)}{self._halves()}"

    def _of_valley(self, better: str) -> str:
        """Say whether there is a valley, if the points split better than data without clusters."""
        valley = self.valley_p_value
        if valley is None:
            found = f"There are clusters: {better}" if self.there_are else capitalised(better)
            return f"{found}; valleys were not tested."
        if valley <= self.level:
            lead = "There may be clusters" if self.there_are is False else "There are clusters"
            return f"{lead}: {better}, and there is a valley of density between clusters ({p_text(valley)})."
        if self.there_are:
            return f"There are clusters, which may touch: {better}, yet {self._no_valley(valley)}."
        return (
            f"There is structure, but perhaps no clusters: {better}, yet {self._no_valley(valley)}. Curves, shells "
            "and clusters that touch look like this."
        )

    @staticmethod
    def _no_valley(p: float) -> str:
        return f"no valley of density is seen between them ({p_text(p)})"

    def _halves(self) -> str:
        return "" if self.halves_agree is None else f" {capitalised(agreement_in_words(self.halves_agree))}."

    def _not_better(self, alike: Sequence[str]) -> tuple[Any, ...]:
        """Say which data without clusters split as well, or that too few were drawn to tell."""
        found = f" ({self._largest(alike)})"
        as_good = [
            _CALLED[null] for null in alike if not isinstance(self._shown(self.p_values[null]), UpperBound)
        ]
        if as_good:
            none = (
                "There are clusters, but perhaps not these" if self.there_are else "No evidence for clusters"
            )
            return (f"{none}: {listed(as_good)} split as well{found}.",)
        return (
            f"Too few data sets to tell: none of {self.n_samples} without clusters splits as well{found}; pass ",
            Option("n_samples", math.ceil(1 / self.level) - 1),
            " or more.",
        )

    def _yet_a_valley(self) -> str:
        valley = self.valley_p_value
        if valley is None or valley > self.level:
            return ""
        return f" Yet there is a valley of density between clusters ({p_text(valley)})."

    def _largest(self, nulls: Iterable[str]) -> str:
        return p_text(self._shown(max(self.p_values[null] for null in nulls)))

    def table(self) -> Table:
        """Return one row per explanation without clusters, and one for the valleys."""
        rows: list[tuple[Any, ...]] = []
        for null, p in self.p_values.items():
            values = self.null_values[null]
            known = values[~np.isnan(values)]
            middle = float(np.median(known)) if known.size else math.nan
            rows.append((null, self.value, middle, self._shown(p)))
        if self.valley_p_value is not None:
            rows.append(("no valley", None, None, self.valley_p_value))
        return Table(("null", self.index, "median_of_null", "p_value"), tuple(rows))

    def valleys_table(self) -> Table:
        """Return one row per pair of neighbouring clusters."""
        return Table(("cluster", "neighbour", "p_value"), tuple(self.valleys or ()))

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain JSON."""
        return {
            "kind": "clusters_test",
            "verdict": self.verdict,
            "p_value": self.p_value,
            "index": self.index,
            "value": self.value,
            "best": self.best,
            "n": self.n,
            "n_clusters": self.n_clusters,
            "n_samples": self.n_samples,
            "p_values": dict(self.p_values),
            "null_values": {
                null: [None if math.isnan(v) else v for v in values.tolist()]
                for null, values in self.null_values.items()
            },
            "valley_p_value": self.valley_p_value,
            "valleys": None if self.valleys is None else [list(valley) for valley in self.valleys],
            **({} if self.halves_agree is None else {"halves_agree": self.halves_agree}),
        }

    def _shown(self, p: float) -> float | UpperBound:
        return bounded(p, 1 / (self.n_samples + 1))

    def __repr__(self) -> str:
        return f"{self.verdict}\n{self.table().text()}"


def clusters_test(
    X: Any,
    clusterers: Any,
    *,
    index: str = "silhouette",
    nulls: Sequence[str] = USUAL_NULLS,
    valley: bool = True,
    n_samples: int = 99,
    sample_size: int | None = None,
    missing: Literal["raise", "drop"] = "raise",
    random_state: Any = USUAL_SEED,
    progress: StagedProgress | bool | None = None,
) -> ClustersTest:
    """Test whether points form clusters at all, with the user's clusterer and choice of candidates.

    The test requires a better index than in data without clusters, to which the same clusterer is fitted, and a density
    valley between at least two neighbouring clusters. The largest p-value counts.

    Parameters
    ----------
    X : array-like of shape (n, p), data frame, or path of a table
    clusterers : callable, clusterer, or mapping of these by name
        ``X -> labels`` or with `fit_predict`. Of several, the best by the index counts, in the data and in each data
        set without clusters.
    index : str, default "silhouette"
        Internal criterion; points labelled -1 are left out, and a positive value is multiplied by the coverage. "dbcv"
        is as good for clusterers by density, and worse for k-means; bent clusters are found by neither.
    nulls : sequence of {"gaussian", "copula", "elliptical", "uniform"}, default all but the last
        A Gaussian with the data's mean and covariance, which makes the test exact for Gaussian data; a Gaussian copula
        with margins close to the data's, but with one mode each; an elliptical distribution with the data's covariance
        and Mahalanobis distances from the mean, such as a ball, a shell or heavy tails; uniform in the box along the
        data's principal components. Along a line, such as in one column, elliptical data keep the clusters, and are
        left out by default.
    valley : bool, default True
        Whether a density valley is required, too. Without it, points on a curve or on a shell count as clusters.
    n_samples : int, default 99
        Number of data sets from each null distribution.
    sample_size : int, optional
        If there are more points, test this many, drawn at random: faster, but small clusters may be missed.
    missing : {"raise", "drop"}, default "raise"
        What to do with points that lack a coordinate; "drop" leaves them out, and `ClustersTest.n` counts the others.
    random_state : int, Generator, SeedSequence or None, default 0
        The same call gives the same answer; with None it varies.
    progress : callable or bool, optional
        Called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or in a notebook.

    Returns
    -------
    ClustersTest

    Raises
    ------
    InputError
        If an input cannot be used.

    Notes
    -----
    The valley: points of two neighbouring clusters, and those of other clusters between them, are placed along a path
    from one centre to the other. Paths lead from neighbour to neighbour, so bending a shape does not change them. Ten
    times the p-value of Hartigan's dip test of these places is reported, because the clusterer chose the border, and
    paths cut corners. From the larger cluster, only the points nearest to the border count, as many as the smaller one
    has; from large clusters, 1,000 in all. The p-values of all borders are combined by Simes' method. A small p-value
    is compared with those of the clusters found in data from the first null distribution, because in many variables a
    clusterer finds a direction in which even Gaussian points seem to have a valley. Clusters that touch have no valley:
    two Gaussians that are three standard deviations apart are seldom found in 100 points. If `p_values` are small and
    the p-value of the valley is not, the points have structure, but it may be a curve. Of all shapes tried, those with
    a wide rim and sharp bends may seem to have valleys where there are none: four clusters in a square frame of 300
    points did so in two of three samples (see the page of benchmarks).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from adjudge.inference import clusters_test
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 0.3, size=(20, 2)) for m in (0, 3)])
    >>> clusters_test(X, KMeans(2, n_init=2, random_state=0), n_samples=19, random_state=0).p_value
    0.05
    """
    record = find_index(index, "internal")
    check_count("n_samples", n_samples)
    chosen = chosen_nulls(nulls)
    points = dense_points(X, missing)
    generator = random_generator(random_state)
    all_points = points
    if sample_size is not None:
        check_count("sample_size", sample_size, 2)
        if sample_size < points.shape[0]:
            points = points[np.sort(generator.choice(points.shape[0], sample_size, replace=False))]
    chosen = without_reflections(chosen, points)
    fits = fits_of(clusterers)
    best = _best_of(points, fits, record)
    if math.isnan(best.value):
        raise InputError(f"{record.name} is undefined for these clusters: another index may have a value")
    valleys = best.valleys(points) if valley else None
    among_null = ValleysOfNull(valleys or [])
    found: dict[str, list[float]] = {null: [] for null in chosen}
    with reporting(progress, "data without clusters") as report:
        for null, drawn in data_without_clusters(points, chosen, n_samples, generator, report):
            like = _best_of(drawn, fits, record)
            found[null].append(like.value)
            if null == chosen[0] and among_null.open:
                among_null.add(like.valleys(drawn))
    null_values = {null: np.array(values) for null, values in found.items()}
    return ClustersTest(
        value=best.value,
        best=best.name,
        p_values={null: _p_value(best.value, values, record) for null, values in null_values.items()},
        null_values=null_values,
        valleys=valleys,
        valley_p_value=among_null.p_value if valley else None,
        index=record.name,
        n=points.shape[0],
        n_clusters=int(best.codes.max()) + 1,
        n_samples=n_samples,
        halves_agree=agreement_of_halves(all_points, [int(best.codes.max()) + 1], progress),
    )


@dataclass(frozen=True, eq=False)
class _Candidate:
    """The value of a candidate, and the clusters that it found."""

    value: float
    name: str
    kept: Bools
    codes: Ints

    def valleys(self, X: Floats) -> list[Valley]:
        return valleys_between(X[self.kept], self.codes) if self.codes.size else []


def _best_of(X: Floats, fits: Mapping[str, Fit], record: Any) -> _Candidate:
    """Return the best candidate; its value is nan if no candidate has a value."""
    found = [_candidate(X, name, fit, record) for name, fit in fits.items()]
    return max(found, key=lambda own: -math.inf if math.isnan(own.value) else _goodness(own.value, record))


def _p_value(value: float, null: Floats, record: Index) -> float:
    # Data sets in which only one cluster or noise is found (nan) do not count as better.
    as_good = np.count_nonzero(_goodness(null, record) >= _goodness(value, record))
    return float((1 + as_good) / (null.size + 1))


def _goodness(values: Any, record: Index) -> Any:
    """Return values of an index with the sign that makes higher better."""
    return values if record.better == "higher" else -values


def _candidate(X: Floats, name: str, fit: Fit, record: InternalIndex) -> _Candidate:
    kept, codes = coded_without_noise(fit(X))
    value = _value(X[kept], codes, record)
    if record.better == "higher" and value > 0:
        value *= float(kept.mean())
    return _Candidate(value, name, kept, codes)


def _value(X: Floats, codes: Ints, record: InternalIndex) -> float:
    return record(X, codes) if codes.size and codes.max() > 0 else math.nan
