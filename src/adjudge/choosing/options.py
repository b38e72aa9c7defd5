"""The options that `choose` and `choose_k` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.choosing.resampling import Repeats
from adjudge.progress import StagedProgress

__all__ = ["ChoosingOptions"]


@dataclass(frozen=True, kw_only=True)
class ChoosingOptions:
    """What is computed, from how many points, and how; see :func:`adjudge.choose`."""

    indices: Any
    sample_size: int | None
    stability: int
    seed: np.random.SeedSequence
    n_jobs: int | None
    progress: StagedProgress | bool | None
    backend: str | None
    work: str | Path | None = None

    @property
    def repeats(self) -> Repeats:
        """How repeated fits are run."""
        return Repeats(self.n_jobs, self.progress)

    def streams(self, *names: str) -> dict[str, np.random.SeedSequence]:
        """Return seeds for steps that draw random numbers, the same ones at each call.

        A step that is added at the end does not change the others.
        """
        fresh = np.random.SeedSequence(self.seed.entropy, spawn_key=self.seed.spawn_key)
        return dict(zip(names, fresh.spawn(len(names)), strict=True))
