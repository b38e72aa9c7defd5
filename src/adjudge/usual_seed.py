"""The seed of whatever is drawn at random; the command line shows it without loading anything else."""

from __future__ import annotations

from typing import Final

__all__ = ["USUAL_SEED"]

#: Unless another seed is given, Python and the command line draw the same: one table has one answer.
USUAL_SEED: Final = 0
