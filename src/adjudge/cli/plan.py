"""The command `adjudge plan`: what judging points would cost."""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli.options import (
    Columns,
    Debug,
    File,
    MemoryLimit,
    OutputFile,
    OutputFormat,
    as_bytes,
    split_list,
)
from adjudge.cli.output import Output, say, show_work

__all__ = ["plan"]


def plan(
    file: File,
    labels: Annotated[
        str, typer.Option(metavar="COL", show_default=False, help="The column with the labels to judge.")
    ],
    columns: Columns = None,
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", show_default=False, help="Indices, by name or abbreviation; default: all."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", show_default=False, help="Also predict the time on this many workers."
        ),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Count ranks of distances exactly.")] = False,
    memory_limit: MemoryLimit = None,
    output_format: OutputFormat = None,
    output: OutputFile = None,
    debug: Debug = False,
) -> None:
    """Foretell time, memory and passes of judging points, before anything runs.

    For example:

        adjudge plan points.csv --labels kmeans

        adjudge plan points.parquet --labels kmeans --indices silhouette,gamma --exact --workers 64
    """
    from adjudge.cli.columns import Source

    destination = Output.to(output, output_format, [file])
    limit = {} if memory_limit is None else {"memory_limit": as_bytes(memory_limit)}
    with show_work(f"Reading {file}"):
        source = Source(file)
        table = source.read(None, source.names([labels]))
        points = source.points(columns, [labels])
    (coded,) = table.occurring.values()
    with show_work("Measuring this machine"):
        planned = adjudge.plan(
            *points.shape,
            len(coded.dense()[1]),
            indices=split_list(indices) or "all",
            workers=workers,
            exact=exact,
            **limit,
        )
    say({"plan": planned})
    destination.write(data=planned.to_dict, tables=lambda: [planned.table()], rows=planned.table)
