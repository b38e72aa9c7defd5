"""Moments and scatter in PyTorch, on a GPU or on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.centroid_pass import CentroidPass

__all__ = ["TorchCentroidPass"]

Floats = NDArray[np.float64]

# Points that are sent at a time.

_CHUNK = 1 << 18


@dataclass
class TorchCentroidPass(CentroidPass):
    """Moments and scatter in PyTorch; what else is wanted of the points is computed from them as always."""

    device: Any = None

    def _on_device(self) -> Iterator[tuple[Any, Any]]:
        import torch

        for first in range(0, self.X.shape[0], _CHUNK):
            rows = np.array(self.X[first : first + _CHUNK], dtype=np.float64)
            codes = torch.from_numpy(self.codes[first : first + _CHUNK])
            yield torch.from_numpy(rows).to(self.device), codes.to(self.device)
            self.crew.advance(rows.shape[0])

    def _sent(self, table: Floats) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(table)).to(self.device)

    @cached_property
    def _means(self) -> Floats:
        """See `CentroidPass`."""
        k, p = self.sizes.size, self.X.shape[1]
        bases = self._bases
        sent, steps = self._sent(bases), self._sent(np.zeros((k + 1, p)))
        for rows, codes in self._on_device():
            for base, clusters in ((sent[codes], codes), (sent[k], codes * 0 + k)):
                steps.index_add_(0, clusters, rows - base)
        counts = np.append(self.sizes, self.codes.size)[:, None]
        return np.asarray((bases - self.origin) + steps.cpu().numpy() / counts)

    @cached_property
    def _deviations(self) -> tuple[Floats, Floats, float]:
        """See `CentroidPass`."""
        means = self._means
        k = self.sizes.size
        origin, sent = self._sent(self.origin), self._sent(means)
        squares, distances = self._sent(np.zeros(means.shape)), self._sent(np.zeros(k + 1))
        largest = 0.0
        for rows, codes in self._on_device():
            relative = rows - origin
            for clusters in (codes, codes * 0 + k):
                some = (relative - sent[clusters]) ** 2
                squares.index_add_(0, clusters, some)
                lengths = some.sum(dim=1).sqrt()
                distances.index_add_(0, clusters, lengths)
            largest = max(largest, float(lengths.max()))
        return squares.cpu().numpy(), distances.cpu().numpy(), largest

    @cached_property
    def _within(self) -> Floats:
        """WG."""
        m = self.moments
        origin, centroids, total = (
            self._sent(m.origin),
            self._sent(m.centroids),
            self._sent(np.zeros((m.p, m.p))),
        )
        for rows, codes in self._on_device():
            deviations = rows - origin - centroids[codes]
            total += deviations.T @ deviations
        within = total.cpu().numpy()
        return np.asarray((within + within.T) / 2)
