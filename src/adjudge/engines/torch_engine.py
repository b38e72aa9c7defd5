"""The PyTorch engine, on a GPU or on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from adjudge.engines.centroid_pass import CentroidPass
from adjudge.engines.pairs.distances import DistanceSource, TiledPoints
from adjudge.engines.protocols import Work
from adjudge.engines.torch_centroids import TorchCentroidPass
from adjudge.engines.torch_distances import TorchPoints, TorchProducts
from adjudge.errors import InputError, MissingExtraError, Option

__all__ = [
    "TorchEngine",
    "usable_device",
]

# Points of a strip on a GPU: a pair of them keeps it busy.
_GPU_POINTS = 1 << 14


def usable_device(device: str) -> Any:
    """Return the PyTorch device of that name; raise unless it exists and computes in double precision."""
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtraError("torch", "torch", Option("engine", "torch")) from None
    try:
        found = torch.device(device)
        torch.zeros(1, dtype=torch.float64, device=found)
    except (RuntimeError, TypeError, AssertionError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            Option("device", device),
            f" cannot be used ({reason}): choose 'cpu', or 'cuda' with an NVIDIA GPU",
        ) from None
    return found


@dataclass(frozen=True)
class TorchEngine:
    """Moments and sweeps by PyTorch; see `PointEngine`.

    Attributes
    ----------
    device : torch.device
    """

    device: Any
    counts_apart: bool = True
    multiplies: bool = True
    prunes: bool = False

    @property
    def most_points(self) -> int | None:
        """See `PointEngine`: a GPU has many cores to keep busy."""
        return None if self.device.type == "cpu" else _GPU_POINTS

    def central(self, work: Work) -> CentroidPass:
        """See `PointEngine`; weighted points are summed by the compiled loops."""
        if work.weights is not None:
            return CentroidPass(work.X, work.codes, work.masses, work.crew, work.weights)
        return TorchCentroidPass(work.X, work.codes, work.sizes, work.crew, device=self.device)

    def sweeping(self, work: Work) -> DistanceSource:
        """See `PointEngine`."""
        tiled = work.distances
        assert isinstance(tiled, TiledPoints)
        return TorchPoints.on(self.device, tiled)

    def multiplying(self, work: Work) -> TorchProducts:
        """See `PointEngine`."""
        return TorchProducts.on(self.device, work.products)

    def at_work(self) -> AbstractContextManager[None]:
        """See `PointEngine`."""
        return _one_thread_each()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Divide work on a CPU among our own threads: PyTorch's wait for each other after every operation."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
