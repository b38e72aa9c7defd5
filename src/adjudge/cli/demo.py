"""The command `adjudge demo`: a complete example on data that scikit-learn ships."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.options import Debug
from adjudge.cli.output import write_lines

__all__ = ["demo"]


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the report.")
    ] = Path("adjudge-report.html"),
    debug: Debug = False,
) -> None:
    """Cluster and classify wines and handwritten digits, compare the models, and write a report.

    For example:

    - `adjudge demo --output adjudge-report.html`
    """
    from adjudge.demo import run_demo

    run_demo(output, write_lines)
