"""The record of an index that judges a partition from the data alone."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from adjudge.callers import warn_caller
from adjudge.errors import NoCentroidsError
from adjudge.given.point_options import PointOptions
from adjudge.given.points import LIKE_DISTANCES, look_like_distances
from adjudge.given.weights import Weighting
from adjudge.indices.record import Better, Index, Noted, maker_of
from adjudge.indices.rules import PartitionRule
from adjudge.indices.with_parameters import variant_with
from adjudge.statistics.neighbours import NeighbourLabels


def neighbours_read(records: Iterable[Index]) -> int | None:
    """Return the largest number of nearest neighbours that any index reads; None if one does not say how many."""
    readers = [r for r in records if NeighbourLabels in r.reads_of_partition]
    if not all("n_neighbors" in r.parameters for r in readers):
        return None
    return max((r.parameters["n_neighbors"] for r in readers), default=None)


def with_neighbours(records: Iterable[Index], n_neighbors: int | None) -> list[Index]:
    """Return the indices, with another number of neighbours for those that read some and do not say how many."""
    return [
        variant_with(record, f"(n_neighbors={n_neighbors})")
        if n_neighbors is not None and "n_neighbors" in {*record.parameters} - {*record.fixed}
        else record
        for record in records
    ]


class InternalIndex(Index):
    """An index that judges a partition from the data alone."""

    kind = "internal"

    @property
    def options_of_points(self) -> tuple[str, ...]:
        """Options of its statistics, as fields of `PointOptions`."""
        return tuple(name for one in self.requires for name in getattr(one, "options", ()))

    def _signature(self) -> inspect.Signature:
        found = super()._signature()
        of_points = [
            inspect.Parameter(own.name, inspect.Parameter.KEYWORD_ONLY, default=own.default)
            for own in dataclasses.fields(PointOptions)
            if own.name in self.options_of_points
        ]
        return found.replace(parameters=[*found.parameters.values(), *of_points])

    def _asked(self) -> str:
        return "compactness and separation"

    def __call__(
        self,
        X: Any,
        labels: Any,
        *,
        metric: Any = "euclidean",
        sample_weight: Any = None,
        weights: str | None = None,
        missing: str = "raise",
        noise: str | None = None,
        noise_label: Any = -1,
        **parameters: Any,
    ) -> float:
        """Compute the index from points (or distances) and labels."""
        # The only place where an index calls an engine, which makes dunn(X, labels) work.
        from adjudge.engines.centroid_fast_path import reduce_plain_points

        if metric != "precomputed" and look_like_distances(X):
            warn_caller(f"{LIKE_DISTANCES}: if they are distances, pass metric='precomputed'")
        as_given = (
            sample_weight is None and weights is None and missing == "raise" and noise in (None, "cluster")
        )
        if as_given and not parameters and type(metric) is str and metric == "euclidean":
            plain = reduce_plain_points(X, labels, self.requires)
            if plain is not None:
                return self.assess(*plain)[0]
        from adjudge.engines.points import reduce_points

        # Options of its statistics, as in evaluate().
        asked: dict[str, Any] = {
            name: parameters.pop(name) for name in self.options_of_points if name in parameters
        }
        if "n_neighbors" in self.parameters:
            asked["n_neighbors"] = parameters.get("n_neighbors", self.parameters["n_neighbors"])
        try:
            statistics = reduce_points(
                X,
                labels,
                self.requires,
                weighting=Weighting(None, sample_weight, weights),
                metric=metric,
                missing=missing,
                noise=noise,
                noise_label=noise_label,
                **asked,
            )
        except NoCentroidsError as error:
            raise error.worded(f"{self.name}: ", *error.parts) from None
        return self.assess(*(statistics[t] for t in self.requires), **parameters)[0]

    def _input_lines(self) -> list[str]:
        usual = "drop" if self.leaves_noise_out else "cluster"
        judged = self.knows_noise and not self.leaves_noise_out
        return [
            "X : array-like of shape (n, p)",
            '    Points, one per row; with ``metric="precomputed"`` their distances, of shape (n, n).',
            "labels : array-like of shape (n,)",
            "    Cluster of each point.",
            'metric : str or callable, default "euclidean"',
            '    A name from SciPy or scikit-learn, "precomputed", or a function of two points.',
            "sample_weight : array-like of float of shape (n,), optional",
            "    Weights of the points.",
            'weights : {"frequency", "importance"}, optional',
            "    What `sample_weight` means.",
            'missing : {"raise", "drop"}, default "raise"',
            "    Raise for points without a label, or leave them out.",
            'noise : {"cluster", "singletons", "drop"}, '
            + ("optional; by default it is judged as noise" if judged else f'default "{usual}"'),
            "    Judge noise as one cluster, each noise point as a cluster, or leave noise out.",
            "noise_label : default -1",
            "    The label of noise.",
            *(line for name in self.options_of_points for line in _described(name)),
        ]


def _described(option: str) -> list[str]:
    """Return what the documentation of `PointOptions` says of an option; nothing without docstrings."""
    documented = inspect.getdoc(PointOptions) or ""
    found = re.search(rf"^{option} : .*(?:\n    .*)+", documented, re.MULTILINE)
    return found[0].splitlines() if found else []


def internal(
    *,
    title: str,
    better: Better | None,
    range: tuple[float, float],
    reference: str,
    best_k: PartitionRule | None,
    **facts: Any,
) -> Callable[[Callable[..., float | Noted]], InternalIndex]:
    """Make the record of an internal index from its formula.

    Parameters
    ----------
    title : str
        Name as written in the literature.
    better : {"higher", "lower"} or None
        Direction of a better value.
    range : tuple of float
        Smallest and largest possible value.
    reference : str
        Key into the package's references, or the reference itself.
    best_k : {"max", "min", "max_diff", "min_diff"} or None
        Rule for choosing among partitions.
    **facts
        Other facts of the record; see :class:`adjudge.indices.Index`.

    Returns
    -------
    callable
        A decorator of the formula: a pure function of statistics, which the annotations of its parameters name.

    Examples
    --------
    >>> from adjudge.indices import internal
    >>> from adjudge.statistics.moments import Moments
    >>> @internal(title="Within", better="lower", range=(0, 1e300), reference="my own", best_k=None)
    ... def within(moments: Moments) -> float:
    ...     "Sum of squared distances to the centroids."
    ...     return moments.within
    >>> within([[0.0], [2.0], [5.0]], [0, 0, 1])
    2.0
    """
    return maker_of(
        InternalIndex,
        title=title,
        better=better,
        range=range,
        reference=reference,
        best_k=best_k,
        identical_is_best=False,
        **facts,
    )
