"""The command `adjudge compare`: which model is right where the other is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.judged_models import OF_FORECASTS, Models, of_classifiers
from adjudge.cli.output import Output, say, show_work, tell, verdict_lines, write_rows
from adjudge.cli.saving import check_saved, engine_of_saved, save_result
from adjudge.errors import InputError
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.results import Comparison
    from adjudge.tables.files import FileTable

__all__ = ["compare"]

_OF_ROWS = ("rows", "pair", "legend", "everything")


@command(
    {
        "What is compared": ("truth", "models", "values", "better", "kind", "indices", "primary", "decimal", *FILES),
        "Classifiers": (
            *OF_FORECASTS, "classes", "positive", "judge", "costs", "groups", "groups_correction", "delimiter",
        ),
        "Certainty": ("confidence", "adjust", "random_state"),
        "Output": (*_OF_ROWS, "save", *OUTPUT),
        "Missing labels, noise, weights": (
            "missing", "noise", "noise_label", "sample_weight", "weights", "units", "runs",
        ),
        "Memory and speed": ("engine",),
    },
    verb="compare",
    beside=(*OF_FORECASTS, "engine"),
    destination=lambda path, chosen: None,
)  # fmt: skip
def compare(call: Call) -> None:
    """Compare models with each other: which is right where another is wrong (the Prayatul matrix of each pair).

    As CSV, the result has one row per ordered pair of models; as JSON, it also has the models' own scores.

    If DuckDB is installed, it counts large files (Parquet, CSV) in bounded memory.

    For example:

    - `adjudge compare predictions.csv --truth label --models forest,knn --kind classification`
    - `adjudge compare iris.parquet --truth species --models kmeans --models dbscan --noise singletons`
    - `adjudge compare truth.txt --models kmeans.txt,ward.txt --kind clustering -o pairs.csv`
    - `adjudge compare big.parquet --truth label --models old,new --rows right_wrong -o lost.parquet`
    - `adjudge compare scores.csv --truth label --probabilities 'old_*,new_*' --by country --confidence 0.95`
    - `adjudge compare queries.csv --values ms_old,ms_new --better lower --units user --confidence 0.95`
    - `adjudge compare films.csv --truth 'true_*' --models 'old_*,new_*' --kind multilabel`
    """
    from adjudge.results.label_notices import ROWS_LEFT_OUT

    saved, cell = call.beside["save"], call.beside["rows"]
    check_saved(saved)
    _check(call)
    # Rows are written by the ending of the file, and in no format of results.
    how = Output.to(None if cell else call.beside["output"], call.beside["output_format"])
    with show_work(f"Reading {call.file}"):
        models = Models.of(_table(call), call, "values" if "values" in call.options else "models")
        truth, options = _options(call, models)
        asked = None if cell is None else _Rows.of(call, models)
        found = adjudge.compare(models.table, **options)
    codes = set() if asked is None else {ROWS_LEFT_OUT}
    say({"": found}, but={*codes, *(() if "noise" not in options else ("noise-is-a-cluster",))})
    if asked is not None:
        tell(f"{asked.write(found, models.table):,} rows written to {asked.output}")
        return
    if saved is not None:
        save_result(found, saved)
    whole = call.beside["everything"] or not how.is_shown
    if not whole and found.left_out:
        tell("the tables have more rows: --all prints them")
    legend = [found.legend_table()] if call.beside["legend"] and len(found) else []
    how.write(
        data=lambda: {"file": call.shown, "truth": truth, **found.to_dict()},
        tables=lambda: [*(found.tables() if whole else found.shown_tables()), *legend],
        rows=lambda: _rows_of(found),
        said=lambda: verdict_lines(found.verdict),
    )


def _check(call: Call) -> None:
    """Raise for flags that do not go together."""
    beside, options = call.beside, call.options
    if beside["rows"] is None:
        if beside["pair"]:
            raise InputError("--pair needs --rows: name the cell")
        return
    if beside["save"] is not None:
        raise InputError("--rows writes rows, not the result: leave out --save")
    if options.get("kind") == "multilabel":
        raise InputError("--rows writes whole rows, not pairs of a row and a label: leave it out")


def _options(call: Call, models: Models) -> tuple[str | None, dict[str, Any]]:
    """Return the truth, and the arguments of `adjudge.compare`."""
    options = call.options
    if "values" in options:
        return None, {**options, "values": list(models.columns.values())}
    if models.truth is None:
        raise InputError("the truth is missing: name its column with --truth")
    if not models.columns and not models.probabilities:
        raise InputError("the models are missing: name their columns with --models")
    found: dict[str, Any] = {"truth": models.truth, "models": list(models.columns.values()) or None}
    patterns = list((models.probabilities or {}).values())
    # The star of a single pattern stands for a model.
    found["probabilities"] = (
        patterns[0] if len(patterns) == 1 and not models.columns else models.probabilities
    )
    found["indices"] = None if options.get("indices") == ["default"] else options.get("indices")
    return models.truth, {name: own for name, own in (options | found).items() if own is not None}


def _table(call: Call) -> FileTable:
    """Open the file for the engine that is asked for; rows of a cell are streamed, where nothing hinders it."""
    from adjudge.tables.files import FileTable

    engine = engine_of_saved(call) or call.beside["engine"] or "auto"
    return FileTable(call.file, engine=engine, even_small=call.beside["rows"] is not None)


def _rows_of(result: Comparison) -> Table:
    """Return one row per ordered pair of models, overall and within each group."""
    from adjudge.results.differences import words_of_group

    table = result.full_table()
    if not result.by_group:
        return table
    rows = [("", *row) for row in table.rows]
    for group, own in result.by_group.items():
        rows += [(words_of_group(group), *row) for row in own.full_table().rows]
    return Table(("group", *table.columns), tuple(rows), table.title)


@dataclass(frozen=True)
class _Rows:
    """The rows to write: those in one cell of two models."""

    cell: str
    pair: tuple[str, str]
    output: Path

    @classmethod
    def of(cls, call: Call, models: Models) -> _Rows:
        """Check which rows are asked for, and whether they can be written."""
        from adjudge.statistics.agreement import CELLS
        from adjudge.tables.written_rows import WRITERS

        if classifiers := of_classifiers(call):
            raise InputError(f"--rows writes the rows of all instances: leave out {classifiers[0]}")
        pair, cell = models.table.matching(call.beside["pair"] or ()), str(call.beside["rows"])
        if cell not in CELLS:
            raise InputError(f"--rows {cell!r} is not known: choose one of {', '.join(CELLS)}")
        if call.beside["output_format"] is not None:
            raise InputError(
                "--format is for results, not rows: the ending of --output sets the format of rows"
            )
        if not pair and len(models.columns) == 2:
            pair = list(models.columns.values())
        if len(pair) != 2:
            raise InputError("--rows needs two models: name the primary and the alternative with --pair P,Q")
        targets, endings = call.beside["output"] or (), ", ".join(WRITERS)
        if not targets:
            raise InputError(f"--rows needs a file to write to: name it with --output ({endings})")
        target, *others = targets
        if others:
            raise InputError(f"--rows writes one file, and --output names {len(targets)}: name one")
        if target.suffix.lower() not in WRITERS:
            raise InputError(
                f"--output {str(target)!r} must end in one of {endings}, in which rows are written"
            )
        return cls(cell, (pair[0], pair[1]), target)

    def write(self, result: Comparison, table: FileTable) -> int:
        """Write the rows of the cell, or each row with its number of pairs in the cell."""
        from adjudge.kinds.registry import KINDS
        from adjudge.tables.written_rows import RowsOfModels, not_twice, write_cell

        pair = result[self.pair]
        if isinstance(pair._instances, RowsOfModels):
            return write_cell(pair, self.cell, self.output)
        found, columns = pair.instances(self.cell), {}
        if KINDS[result.kind].names_are_arbitrary:
            called, counts = f"{self.cell}_pairs", found
            not_twice(called, table.table)
            found = result.known_instances().positions
            columns[called] = counts[found].tolist()
        columns = table.rows(found, as_written=True) | columns
        write_rows(Table(tuple(columns), tuple(zip(*columns.values(), strict=True))), self.output)
        return len(found)
