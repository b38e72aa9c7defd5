"""The command `adjudge benchmark`: which model is better over many data sets, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli.options import Confidence, Debug, Engine, Kind, OutputFile, OutputFormat, split_list
from adjudge.cli.output import Output, show_work
from adjudge.errors import InputError
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.files.table_file import TableFile
    from adjudge.results.benchmark import Benchmark

__all__ = ["benchmark"]


class Better(StrEnum):
    """Which scores are better."""

    high = "higher"
    low = "lower"


def benchmark(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="A table (CSV, TSV, Parquet ...), or a folder with files NAME.labels0.gz and NAME.MODEL.labels.gz.",
        ),
    ],
    dataset: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="Column with the names of the data sets."),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="COL", show_default=False, help="Column with the true labels: all rows are instances."
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns of the models (labels, or scores); default: all others.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="COL", show_default=False, help="Long table of scores: column with the models' names."
        ),
    ] = None,
    fold: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="Long table of scores: column with the folds."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Index that scores labels (default adjusted_rand); of a long table, the column with the scores.",
        ),
    ] = None,
    kind: Annotated[Kind | None, typer.Option(show_default=False, help="What the labels are.")] = None,
    better: Annotated[
        Better | None, typer.Option(show_default=False, help="Which scores are better.")
    ] = None,
    test: Annotated[
        str,
        typer.Option(metavar="NAME", help="Test of pairs: ranks, wilcoxon, sign, quade or aligned-ranks."),
    ] = "ranks",
    correction: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="holm, shaffer, bergmann-hommel, nemenyi, hochberg, hommel, finner, li, bonferroni or none.",
        ),
    ] = "holm",
    control: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", show_default=False, help="Compare every model with this one, chosen beforehand."
        ),
    ] = None,
    rope: Annotated[
        float | None,
        typer.Option(
            metavar="DIFFERENCE",
            show_default=False,
            help="Add Bayesian signed-rank tests: differences of at most so much count as none.",
        ),
    ] = None,
    missing_score: Annotated[
        float | None,
        typer.Option(
            metavar="SCORE", show_default=False, help="Score of a model where it has none; default: left out."
        ),
    ] = None,
    truth_noise: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL", show_default=False, help="True label of instances that belong nowhere."
        ),
    ] = None,
    confidence: Confidence = None,
    latex: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False, help="Also write the table of scores for a paper (booktabs)."
        ),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Also draw the critical-difference diagram (.pdf, .svg, .png).",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Also write a page for a browser (.html)."),
    ] = None,
    output_format: OutputFormat = None,
    output: OutputFile = None,
    debug: Debug = False,
) -> None:
    """Compare models over many data sets: ranks, tests with corrections, and what may be written about them.

    Without --truth the file is a table of scores: a row a data set and a column a model, or with --model a row a score.

    For example:

        adjudge benchmark scores.csv

        adjudge benchmark folds.csv --dataset data --model model --fold fold --score accuracy --rope 0.01

        adjudge benchmark predictions.parquet --dataset data --truth label --score accuracy --latex table.tex

        adjudge benchmark results/ --score nca --correction shaffer --figure cd.pdf --report page.html
    """
    from adjudge.atomic import check_writable

    destination = Output.to(output, output_format, [] if source.is_dir() else [source])
    for path in (latex, figure, report):
        if path is not None:
            check_writable(path)
    options: dict[str, Any] = {
        "score": score,
        "kind": None if kind is None else kind.value,
        "better": None if better is None else better.value,
        "missing_score": missing_score,
        "truth_noise": _as_label(truth_noise),
        "confidence": confidence,
    }
    with show_work(f"Reading {source}"):
        if source.is_dir():
            result = adjudge.benchmark(str(source), **options)
        elif truth is not None:
            result = _judged(source, dataset, truth, split_list(models), options)
        else:
            result = _of_scores(source, dataset, split_list(models), model, fold, options)
    pairs = result.pairwise(test, correction=correction, control=control)
    bayesian = None if rope is None else result.bayesian(rope=rope)

    def tables() -> list[Table]:
        found = [result.table_of_models(), result.table_of_tests(), pairs.table()]
        if bayesian is not None:
            found.append(bayesian.table())
        return [*found, *_sentences(result)]

    def data() -> dict[str, Any]:
        found = {**result.to_dict(), "file": str(source), "pairs": _records(pairs.table())}
        return found if bayesian is None else {**found, "bayesian": bayesian.to_dict()}

    if latex is not None:
        from adjudge.atomic import write_atomically

        write_atomically(latex, result.latex() + "\n")
    if figure is not None:
        _draw(result, figure)
    if report is not None:
        adjudge.report(benchmark=result, note=f"Read from {source.name}.", output=report)
    destination.write(data=data, tables=tables, rows=result.table_of_scores)
    for note in result.notes:
        typer.echo(f"adjudge: {note}", err=True)


def _records(table: Table) -> Any:
    from adjudge.results.plain import plain_json

    return plain_json(table.records())


def _as_label(text: str | None) -> Any:
    """Read a whole number as one."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def _sentences(result: Benchmark) -> list[Table]:
    may, may_not = result.sentences()
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


def _judged(
    source: Path, dataset: str | None, truth: str, models: list[str] | None, options: dict[str, Any]
) -> Benchmark:
    """Judge the labels of a file, counted by DuckDB where the file is large or Parquet."""
    from adjudge.cli.streaming import is_streamed, opened_frame
    from adjudge.files.kinds import open_table

    if dataset is None:
        raise InputError("the data sets are missing: name their column with --dataset")
    table = open_table(source)
    names = _known(table, [dataset, truth], models)
    if is_streamed(table, Engine.auto, remedy="save it as Parquet"):
        with opened_frame(table, [dataset, truth, *names]) as frame:
            return adjudge.benchmark(frame, dataset=dataset, truth=truth, models=names, **options)
    columns = {
        column.name: _listed(column.labels()) for column in table.label_columns([dataset, truth, *names])
    }
    rows: dict[str, list[int]] = {}
    for i, name in enumerate(columns[dataset]):
        rows.setdefault(str(name), []).append(i)
    given = {
        name: ([columns[truth][i] for i in own], {m: [columns[m][i] for i in own] for m in names})
        for name, own in rows.items()
    }
    return adjudge.benchmark(given, **options)


def _known(table: TableFile, named: Sequence[str], models: list[str] | None) -> list[str]:
    """Return the models' columns, all others by default."""
    for name in [*named, *(models or [])]:
        if name not in table.columns:
            raise InputError(
                f"{table.path} has no column {name!r}: there are {', '.join(map(repr, table.columns))}"
            )
    return models or [name for name in table.columns if name not in named]


def _listed(values: Any) -> list[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _of_scores(
    source: Path,
    dataset: str | None,
    models: list[str] | None,
    model: str | None,
    fold: str | None,
    options: dict[str, Any],
) -> Benchmark:
    """Read a table of scores, long where the models' names are a column."""
    from adjudge.files.kinds import open_table

    table = open_table(source)
    judging = {key: options[key] for key in ("better", "missing_score")}
    if model is not None:
        if dataset is None or options["score"] is None:
            raise InputError("a long table of scores needs --dataset, --model and --score")
        return _of_long(table, dataset, model, fold, options["score"], judging)
    numeric = table.numeric_columns()
    if dataset is None:
        texts = [name for name in table.columns if name not in numeric]
        dataset = texts[0] if texts else None
    chosen = _known(table, [] if dataset is None else [dataset], models)
    columns = [_floats(table, name) for name in chosen]
    names = range(1, len(columns[0]) + 1) if dataset is None else _texts(table, dataset)
    scores: dict[str, dict[str, float]] = {}
    for name, row in zip(names, zip(*columns, strict=True), strict=True):
        if str(name) in scores:
            raise InputError(
                f"{source} has two rows of the data set {str(name)!r}: --model and --score read long tables"
            )
        scores[str(name)] = dict(zip(chosen, row, strict=True))
    return adjudge.benchmark(scores, score=options["score"] or "score", **judging)


def _of_long(
    table: TableFile, dataset: str, model: str, fold: str | None, score: str, judging: dict[str, Any]
) -> Benchmark:
    named = [dataset, model, score, *([fold] if fold is not None else [])]
    _known(table, named, None)
    datasets, models, values = _texts(table, dataset), _texts(table, model), _floats(table, score)
    folds = _texts(table, fold) if fold is not None else [""] * len(values)
    cells: dict[str, dict[str, dict[str, float]]] = {}
    for d, m, value, f in zip(datasets, models, values, folds, strict=True):
        own = cells.setdefault(d, {}).setdefault(m, {})
        if f in own:
            remedy = "" if fold is not None else ": name the column of the folds with --fold"
            raise InputError(f"{m!r} has two scores on {d!r}{remedy}")
        own[f] = value
    scores: dict[str, dict[str, Any]] = {}
    for d, by_model in cells.items():
        known = list(dict.fromkeys(f for own in by_model.values() for f in own))
        for m, own in by_model.items():
            row = [own.get(f, math.nan) for f in known]
            scores.setdefault(d, {})[m] = row if fold is not None else row[0]
    return adjudge.benchmark(scores, score=score, **judging)


def _texts(table: TableFile, name: str) -> list[str]:
    return [str(value) for value in _listed(table.label_columns([name])[0].as_text())]


def _floats(table: TableFile, name: str) -> list[float]:
    """Read a column of numbers with gaps."""
    from adjudge.errors import UnusableColumnError

    try:
        return [float(value) for value in table.points([name])[:, 0]]
    except UnusableColumnError:
        raise
    except InputError:
        values = _listed(table.label_columns([name])[0].labels())
    found = []
    for row, value in enumerate(values):
        try:
            found.append(math.nan if value in (None, "") else float(value))
        except (TypeError, ValueError):
            raise InputError(
                f"column {name!r} holds {value!r} in row {row + 1}: scores are numbers"
            ) from None
    return found
