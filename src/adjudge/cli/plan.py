"""The command `adjudge plan`: how much time and memory it would take to judge points."""

from __future__ import annotations

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.output import show_work

__all__ = ["plan"]


@command(
    {
        "What is planned": (
            "labels", "features", "indices", "candidates", "stability", "estimator", "n_jobs", "exact", "memory_limit",
            "decimal", *FILES, "metric",
        ),
        "Output": OUTPUT,
    },
    verb="plan",
)  # fmt: skip
def plan(call: Call) -> None:
    """Predict how much time and memory it takes to judge points, before anything runs.

    For example:

    - `adjudge plan points.csv --labels kmeans`
    - `adjudge plan points.csv --labels leiden --candidates 12 --stability 20`
    - `adjudge plan points.parquet --labels kmeans --indices silhouette,gamma --n-jobs 64`
    """
    with show_work(f"Reading {call.file}, and measuring this machine"):
        found = adjudge.plan(call.file, **call.options)
    call.say(found)
    call.output.write(data=found.to_dict, tables=lambda: [found.table()], rows=found.table)
