"""Moments and scatter in PyTorch, on a GPU or on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.centroid_pass import CentroidPass
from adjudge.statistics.moments import Moments

__all__ = ["TorchCentroidPass"]

Floats = NDArray[np.float64]

# Points sent at a time.
_CHUNK = 1 << 18


@dataclass
class TorchCentroidPass(CentroidPass):
    """Moments and scatter in PyTorch; everything else is computed from the points as usual."""

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
    def means(self) -> Floats:
        """See `CentroidPass`."""
        bases = self._bases
        sent, steps = self._sent(bases), self._sent(np.zeros(bases.shape))
        for rows, codes in self._on_device():
            steps.index_add_(0, codes, rows - sent[codes])
        return np.asarray((bases - self.origin) + steps.cpu().numpy() / self.sizes[:, None])

    @cached_property
    def moments(self) -> Moments:
        """See `CentroidPass`."""
        squares = self._sent(np.zeros(self.means.shape))
        for codes, deviations in self._deviations():
            squares.index_add_(0, codes, deviations**2)
        return Moments(self.sizes, self.origin, self.means, squares.cpu().numpy())

    @cached_property
    def _to_own(self) -> Floats:
        """See `CentroidPass`."""
        distances = self._sent(np.zeros(self.sizes.size))
        for codes, deviations in self._deviations():
            distances.index_add_(0, codes, (deviations**2).sum(dim=1).sqrt())
        return np.asarray(distances.cpu().numpy())

    def _deviations(self) -> Iterator[tuple[Any, Any]]:
        """Yield the codes of some points and their steps from their centroids."""
        origin, means = self._sent(self.origin), self._sent(self.means)
        for rows, codes in self._on_device():
            yield codes, rows - origin - means[codes]

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
