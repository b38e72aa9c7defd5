"""The command `adjudge gate`: whether a new model may replace the old one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.output import Output, goes_to_a_file, show_work, tell, write_rows
from adjudge.cli.saving import check_saved, is_result, save_result
from adjudge.cli.standard_input import shown
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.results.gate import Gate

__all__ = ["FAILED", "UNDECIDED", "gate"]

#: Exit codes of a gate that fails, and of one that is undecided.
FAILED, UNDECIDED = 1, 3
_CODES = {"pass": 0, "fail": FAILED, "undecided": UNDECIDED}
_ROWS_IN = (".csv", ".parquet")
_MODELS = ("old", "new")


def _destination(paths: Sequence[Path] | None, chosen: str | None) -> Output:
    for path in paths or () if chosen is None else ():
        if path.suffix.lower() in (".html", ".htm"):
            raise InputError(f"--output {str(path)!r} is a page: --report writes it")
    return Output.to(paths, chosen, {".xml": "junit"})


@command(
    {
        "What is compared": (
            "truth", *_MODELS, "values", "better", "against", "key", "prediction", "probabilities", "classes",
            "positive", "judge", "costs", "kind", "sample_weight", "weights", "units", "runs", "groups", "missing",
            "decimal", *FILES,
        ),
        "Checks": (
            "margin", "indices", "superior", "equivalent", "max_broken", "confidence", "smallest_group", "undecided",
            "slices", "history", "settings",
        ),
        "Output": ("broken", "fixed", "report", "save", *OUTPUT),
    },
    verb="gate",
    beside=("against", "undecided"),
    settings=("What is compared", "Checks"),
    destination=_destination,
)  # fmt: skip
def gate(call: Call) -> None:
    """Decide whether a new model may replace the old one: pass, fail or undecided.

    Exit codes: 0 pass, 1 fail, 3 undecided, 2 wrong input, 70 internal error.

    For example:

    - `adjudge gate predictions.csv --truth label --old v1 --new v2`
    - `adjudge gate predictions.parquet --truth label --old v1 --new v2 --margin 0.02 --units patient --by country`
    - `adjudge gate new.csv --against old.csv --key id --truth label --margin accuracy=0.01,'recall[churn]=2%'`
    - `adjudge gate queries.csv --values ms_old,ms_new --better lower --margin 2% --history gate.adjudge`
    - `adjudge gate predictions.csv --truth label --old v1 --new v2 --max-broken 0.01 --broken broken.csv`
    - `adjudge gate p.csv --truth label --old v1 --new v2 --format markdown >> "$GITHUB_STEP_SUMMARY"`
    """
    saved, files = (
        call.beside["save"],
        {"right_wrong": call.beside["broken"], "wrong_right": call.beside["fixed"]},
    )
    for path in files.values():
        if path is not None and path.suffix.lower() not in _ROWS_IN:
            raise InputError(
                f"{str(path)!r} must end in one of {', '.join(_ROWS_IN)}, in which rows are written"
            )
    check_saved(saved)
    with show_work(f"Reading {call.file}"):
        # Rows that are saved, or found again at a later look, are read, and not only counted.
        keep = saved is not None or "history" in call.options
        found = adjudge.gate(*_tables(call, keep=keep), **call.options)
    found = replace(found, settings={n: _shown(own) for n, own in found.settings.items()})
    call.say(found)
    for cell, path in files.items():
        if path is not None:
            rows = found.rows_of(cell)
            write_rows(rows, path)
            tell(f"{len(rows.rows):,} rows written to {path}")
    if (page := call.beside["report"]) is not None:
        adjudge.report(gate=found, output=page, note=f"From {shown(call.file.name)}.")
        tell(f"report written to {page}")
    if saved is not None:
        save_result(found, saved)
    _write(found, call)
    verdict = found.verdict if found.verdict != "undecided" else call.beside["undecided"]
    if code := _CODES[verdict]:
        raise typer.Exit(code)


def _tables(call: Call, *, keep: bool) -> list[Any]:
    """Return the tables of the verb, the old model's first; say which options the other form takes."""
    from adjudge.tables.files import FileTable

    options, against = call.options, call.beside["against"]
    stored = against is not None and is_result(against)
    if against is None:
        for name, also in (("key", ", or remember looks with --history"), ("prediction", "")):
            if name not in options or (name == "key" and "history" in options):
                continue
            if name not in call.of_settings:
                raise InputError(f"--{name} is of two tables: name the old model's with --against{also}")
            # One file of settings may be for gates of one table, and of two.
            tell(f"{name} of the settings is of two tables{also and ' or of --history'}, and is not used")
            del options[name]
    elif "old" in options:
        raise InputError("--old is a column of one table: with --against name the column with --prediction")
    elif not stored and "key" not in options:
        raise InputError("--against needs --key: name the column that says which rows belong together")
    else:
        options.setdefault("prediction", options.pop("new", None))
        if options["prediction"] is None:
            del options["prediction"]
    table = FileTable(call.file, engine="memory") if keep else call.file
    if "probabilities" in options:
        of_both = against is not None and not stored
        models = (_MODELS[1],) if stored else _MODELS
        options["probabilities"] = _by_model(call, options["probabilities"], models, of_both=of_both)
    if against is None:
        return [table]
    if stored:
        return [table, against]
    return [FileTable(against, engine="memory") if keep else against, table]


def _by_model(call: Call, given: list[str], models: Sequence[str], *, of_both: bool) -> Any:
    """Return the columns or patterns of each model; of two tables, one for both."""
    from adjudge.cli.judged_models import by_model, model_and_pattern
    from adjudge.files.kinds import open_table

    if not of_both:
        known = open_table(call.file).columns
        if (
            len(given) == 1 < len(models)
            and "=" not in given[0]
            and "*" in given[0]
            and given[0] not in known
        ):
            return given[0]  # the star of a single pattern stands for a model
        return by_model([model_and_pattern(own, models, known) for own in given], models)
    if len(given) != 1:
        raise InputError(f"--probabilities has {len(given)} of 1 columns or patterns that are needed")
    return given[0]


def _shown(own: Any) -> Any:
    return shown(own) if isinstance(own, str) else own


def _write(found: Gate, call: Call) -> None:
    """Write the result in its formats, and the sentences to standard error if it is not on the terminal."""
    call.output.write(
        data=lambda: {"file": call.shown, **found.to_dict()},
        tables=found.tables,
        rows=lambda: found.checks,
        said=found.sentences,
        own={"junit": found.to_junit, "markdown": found.to_markdown},
    )
    if call.beside["output"] is not None or goes_to_a_file():
        for line in found.sentences():
            tell(line)
