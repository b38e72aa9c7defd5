"""Reproductions of published experiments; each is imported only when it is used."""

from __future__ import annotations

from adjudge_papers.catalog import EXPERIMENTS, Experiment, reproduce

__all__ = ["EXPERIMENTS", "Experiment", "reproduce"]
