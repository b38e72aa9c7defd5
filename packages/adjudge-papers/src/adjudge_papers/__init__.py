"""The published experiments, regenerated; nothing is imported before it is used."""

from __future__ import annotations

from adjudge_papers.catalog import EXPERIMENTS, Experiment, reproduce

__all__ = ["EXPERIMENTS", "Experiment", "reproduce"]
