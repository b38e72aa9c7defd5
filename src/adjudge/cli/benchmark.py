"""The command `adjudge benchmark`: which model is better over many data sets, and how certain that is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.atomic import write_atomically
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.messages import one_line
from adjudge.cli.output import show_work, tell
from adjudge.cli.saving import check_saved, save_result
from adjudge.errors import InputError
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.results.benchmark import Benchmark

__all__ = ["benchmark"]

_File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="A table (CSV, TSV, Parquet ...), or a folder with NAME.labels0.gz and NAME.MODEL.labels.gz.",
    ),
]
_TESTS = ("test", "correction", "control")


@command(
    {
        "The table": ("dataset", "truth", "models", "model", "fold", "units", "missing", "decimal", *FILES),
        "Scores": ("score", "kind", "better", "missing_score", "truth_noise", "confidence"),
        "Tests": (*_TESTS, "rope"),
        "Output": (*OUTPUT, "latex", "figure", "report", "save"),
    },
    verb="benchmark",
    beside=(*_TESTS, "rope"),
    file=_File,
)
def benchmark(call: Call) -> None:
    """Compare models over many data sets: ranks, corrected tests, and the conclusions that you may publish.

    Without --truth, the file is a table of scores: one row per data set and one column per model or, with --model,
    one row per score.

    For example:

    - `adjudge benchmark scores.csv`
    - `adjudge benchmark folds.csv --dataset data --model model --fold fold --score accuracy --rope 0.01`
    - `adjudge benchmark predictions.parquet --dataset data --truth label --score accuracy --latex table.tex`
    - `adjudge benchmark results/ --score nca --correction shaffer --figure cd.pdf --report page.html`
    """
    check_saved(call.beside["save"])
    with show_work(f"Reading {call.file}"):
        result = adjudge.benchmark(call.file, **call.options)
    compared: dict[str, Any] = {name: call.beside[name] for name in _TESTS}
    given = {name: value for name, value in compared.items() if value is not None}
    result = replace(result, settings={**result.settings, **given})
    pairs = result.pairwise(**compared).table()
    rope = call.beside["rope"]
    bayesian = None if rope is None else result.bayesian(rope=rope)
    may, may_not = result.sentences(**compared)

    def tables() -> list[Table]:
        found = [result.table_of_models(), result.table_of_tests(), pairs]
        found += [result.table_of_intervals()] if result.intervals else []
        return [*found, *([] if bayesian is None else [bayesian.table()]), *_sentences(may, may_not)]

    def data() -> dict[str, Any]:
        found = {
            **result.to_dict(),
            "file": call.shown,
            "pairs": _records(pairs),
            "may_be_written": may,
            "may_not_be_written": may_not,
        }
        return found if bayesian is None else {**found, "bayesian": bayesian.to_dict()}

    _write(result, call)
    call.output.write(
        data=data, tables=tables, rows=result.table_of_scores, said=lambda: [f"{result.headline}."]
    )
    for note in result.notes:
        tell(one_line(note))


def _write(result: Benchmark, call: Call) -> None:
    """Write the table, the diagram, the page and the result, as requested."""
    latex, figure, page, saved = (call.beside[name] for name in ("latex", "figure", "report", "save"))
    if latex is not None:
        write_atomically(latex, result.latex() + "\n")
    if figure is not None:
        _draw(result, figure)
    if page is not None:
        adjudge.report(benchmark=result, note=f"Read from {call.file.name}.", output=page)
    if saved is not None:
        save_result(result, saved)


def _records(table: Table) -> Any:
    from adjudge.presentation.plain import plain_json

    return plain_json(table.records())


def _sentences(may: list[str], may_not: list[str]) -> list[Table]:
    found = [Table(("it may be written",), tuple((text,) for text in may))]
    if may_not:
        found.append(Table(("it may not be written",), tuple((text,) for text in may_not)))
    return found


def _draw(result: Benchmark, figure: Path) -> None:
    from adjudge.displays import CriticalDifferenceDisplay

    try:
        CriticalDifferenceDisplay.from_result(result).plot().figure_.savefig(figure)
    except ValueError as error:
        raise InputError(f"--figure {str(figure)!r}: {error}") from None
