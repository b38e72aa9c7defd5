"""Random partitions into a given or any number of clusters: the null models of Gates & Ahn (2017).

Either all partitions of n instances into k clusters are equally likely, or all partitions. Both are mixtures of
independent cluster sizes: n balls fall into k numbered boxes, none of which stays empty (k given), or into any number
of boxes, weighted by Dobinson's series, of which empty ones are dropped (k free).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError, Option
from adjudge.given.options import random_generator
from adjudge.kernels import hypergeometric
from adjudge.kernels.elementary import exponentials, logarithms
from adjudge.kernels.random_tables import draw_tables, shuffle_cells
from adjudge.statistics.contingency import Contingency
from adjudge.usual_seed import USUAL_SEED

# Terms below this share of the whole are left out of an expectation.
_NEGLIGIBLE = 1e-18
# If fewer boxes than this are expected to stay empty, throwing all balls again until none does is fastest.
_RARELY_EMPTY = 3.0
_SHUFFLED_INSTANCE = 0.5


@dataclass(frozen=True, eq=False)
class FixedSizes:
    """A given partition, of which only the cluster sizes matter."""

    given: Ints

    @property
    def n(self) -> int:
        """Number of instances."""
        return int(self.given.sum())

    def draw(self, generator: np.random.Generator) -> Ints:
        """Return the sizes."""
        return self.given

    def expected_counts(self) -> tuple[Floats, Floats]:
        """Return cluster sizes, and the expected number of clusters of each."""
        sizes, counts = np.unique(self.given, return_counts=True)
        return sizes.astype(np.float64), counts.astype(np.float64)


@dataclass(frozen=True)
class KClusters:
    """All partitions of `n` instances into `k` clusters, equally likely."""

    n: int
    k: int

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.n:
            raise InputError(
                Option("k", self.k), f": {self.n} instances form between 1 and {self.n} clusters"
            )

    def draw(self, generator: np.random.Generator) -> Ints:
        """Return the cluster sizes of one random partition."""
        n, k = self.n, self.k
        if k in (1, n):
            return np.full(k, n // k, np.int64)
        if k * math.exp(-n / k) < _RARELY_EMPTY:
            while True:
                sizes = generator.multinomial(n, np.full(k, 1.0 / k))
                if sizes.all():
                    return np.asarray(sizes, np.int64)
        # Independent sizes from a zero-truncated Poisson distribution, kept if they sum to n.
        cumulated = np.cumsum(self._size_law)
        while True:
            sizes = np.searchsorted(cumulated, generator.random((64, k)), side="right").clip(max=n)
            hits = np.flatnonzero(sizes.sum(axis=1) == n)
            if hits.size:
                return np.asarray(sizes[hits[0]], np.int64)

    @cached_property
    def _size_law(self) -> Floats:
        """Zero-truncated Poisson distribution with mean n / k, which exceeds 1; positions are sizes."""
        from scipy.optimize import brentq
        from scipy.special import gammaln

        ratio = self.n / self.k
        rate = brentq(lambda x: x - ratio * -math.expm1(-x), 1e-12, ratio)
        sizes = np.arange(1.0, self.n + 1.0)
        logs = sizes * math.log(rate) - gammaln(sizes + 1.0)
        law = exponentials(logs - logs.max())
        return np.concatenate([[0.0], law / law.sum()])

    def expected_counts(self) -> tuple[Floats, Floats]:
        """Return cluster sizes, and the expected number of clusters of each."""
        if self.k in (1, self.n):
            return np.array([self.n / self.k]), np.array([float(self.k)])
        law = self._size_law
        others = _power(law, self.k - 1, self.n)
        counts = self.k * law * others[::-1]
        # Normalise by the probability that all k sizes sum to n: there are k clusters.
        counts *= self.k / counts.sum()
        return _worth_counting(counts)


@dataclass(frozen=True)
class AnyPartition:
    """All partitions of `n` instances, equally likely."""

    n: int

    @cached_property
    def _boxes(self) -> Floats:
        """Dobinson's distribution of the number of boxes: k^n / k!, normalised; positions are k - 1."""
        from scipy.special import gammaln

        boxes = np.arange(1.0, 2.0 * self.n + 50.0)
        logs = self.n * logarithms(boxes) - gammaln(boxes + 1.0)
        law = exponentials(logs - logs.max())
        return np.asarray(law / law.sum())

    def draw(self, generator: np.random.Generator) -> Ints:
        """Return the cluster sizes of one random partition."""
        boxes = 1 + int(np.searchsorted(self._cumulated, generator.random(), side="right"))
        sizes = generator.multinomial(self.n, np.full(boxes, 1.0 / boxes))
        return np.asarray(sizes[sizes > 0], np.int64)

    @cached_property
    def _cumulated(self) -> Floats:
        return np.cumsum(self._boxes)

    def expected_counts(self) -> tuple[Floats, Floats]:
        """Return cluster sizes, and the expected number of clusters of each.

        A cluster of size s leaves any partition of the other instances: C(n, s) B(n - s) / B(n), with Bell numbers
        whose ratio is the mean of k^-s over the number of boxes.
        """
        n = self.n
        boxes = np.arange(1.0, self._boxes.size + 1.0)
        kept = self._boxes > _NEGLIGIBLE
        law, log_boxes = self._boxes[kept], logarithms(boxes[kept])
        counts = np.zeros(n + 1)
        for s in range(1, n + 1):
            log_choices = math.lgamma(n + 1.0) - math.lgamma(s + 1.0) - math.lgamma(n - s + 1.0)
            counts[s] = float((law * exponentials(log_choices - s * log_boxes)).sum())
            if counts[s] < _NEGLIGIBLE:
                break
        if n <= 30:
            # B(0) = 1 includes a term without boxes, which matters for a cluster of all instances.
            counts[n] = 1.0 / _bell(n)
        # Except for rounding, the clusters hold n instances.
        counts *= n / float((counts * np.arange(n + 1.0)).sum())
        return _worth_counting(counts)


PartitionModel = FixedSizes | KClusters | AnyPartition


def _bell(n: int) -> int:
    row = [1]
    for _ in range(n - 1):
        following = [row[-1]]
        for value in row:
            following.append(following[-1] + value)
        row = following
    return row[-1]


def _power(law: Floats, exponent: int, n: int) -> Floats:
    """Return the distribution of the sum of `exponent` independent sizes, up to `n`."""
    from scipy.signal import fftconvolve

    convolve = np.convolve if n <= 4000 else fftconvolve
    result = np.zeros(n + 1)
    result[0] = 1.0
    while exponent:
        if exponent & 1:
            result = convolve(result, law)[: n + 1]
        exponent >>= 1
        if exponent:
            law = convolve(law, law)[: n + 1]
    return np.maximum(result, 0.0)


def _worth_counting(counts: Floats) -> tuple[Floats, Floats]:
    sizes = np.flatnonzero(counts > _NEGLIGIBLE)
    return sizes.astype(np.float64), counts[sizes]


def joined_share(model: PartitionModel) -> float:
    """Return the probability that two instances share a cluster."""
    sizes, counts = model.expected_counts()
    return float((counts * sizes * (sizes - 1.0)).sum() / (model.n * (model.n - 1.0)))


def expected_mutual_information(rows: PartitionModel, cols: PartitionModel) -> float:
    """Return the mean mutual information, in nats, of two independent partitions."""
    return hypergeometric.expected_mutual_information(
        *rows.expected_counts(), *cols.expected_counts(), rows.n
    )


def random_tables(
    rows: PartitionModel,
    cols: PartitionModel,
    n_tables: int,
    random_state: Any = USUAL_SEED,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> Iterator[Contingency]:
    """Yield contingency tables of two independent random partitions."""
    generator = random_generator(random_state)
    n = rows.n
    stream = generator.integers(0, 1 << 64, size=(1, 4), dtype=np.uint64)
    for done in range(1, n_tables + 1):
        row_sums, col_sums = rows.draw(generator), cols.draw(generator)
        dense: Any = None
        sparse: Any = None
        if n * _SHUFFLED_INSTANCE < row_sums.size * col_sums.size:
            labels = np.repeat(np.arange(col_sums.size, dtype=np.int32), col_sums)
            sparse = shuffle_cells(row_sums, labels, col_sums.size, stream[0])
        else:
            drawn = np.empty((1, row_sums.size, col_sums.size), np.int64)
            draw_tables(row_sums, col_sums, stream, 1, drawn)
            dense = drawn[0]
        yield Contingency(row_sums, col_sums, range(row_sums.size), range(col_sums.size), n, dense, sparse)
        if progress is not None:
            progress(done, n_tables)
