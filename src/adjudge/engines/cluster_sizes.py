"""Maker of the sizes of clusters, which need no pass: they are counted, or weighted, beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.engines.passes import Job, Pass
from adjudge.engines.protocols import Work

__all__ = ["declare", "make"]


def declare(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make the statistics: none; see `Maker`."""
    yield from ()


def make(types: set[type], work: Work) -> dict[type, Any]:
    """Make the statistics; see `Maker`."""
    return {type_: type_(work.masses) for type_ in types}
