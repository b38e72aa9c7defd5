"""The command `adjudge report`: all results about some models on one page."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import typer

import adjudge
from adjudge.cli.command import FILES, Call, command
from adjudge.cli.fit_warnings import warnings_counted
from adjudge.cli.judged_models import OF_FORECASTS, Models, of_classifiers
from adjudge.cli.messages import flag
from adjudge.cli.output import show_work, write_lines
from adjudge.cli.saving import is_result
from adjudge.errors import InputError
from adjudge.presentation.numbers import named_few

if TYPE_CHECKING:
    from adjudge.verbs.report import Report

__all__ = ["report"]


@command(
    {
        "Models": ("truth", "models", "kind", "primary", "against"),
        "Classifiers": (*OF_FORECASTS, "classes", "positive", "groups", "groups_correction", "delimiter"),
        "What the page shows": (
            "decimal", *FILES, "features", "standardize", "images", "text", "k_choice", "units", "confidence", "title",
        ),
        "Missing labels, noise, weights": ("missing", "noise", "noise_label", "sample_weight", "weights"),
        "Output": ("output", "open_it", "debug"),
    },
    verb="report",
    beside=OF_FORECASTS,
    destination=lambda path, chosen: None,
)  # fmt: skip
def report(call: Call) -> None:
    """Write an HTML page on models: which is right where, the instances, the clusters, and how certain that is.

    Without --truth, clusterings are judged from the features alone.

    For example:

    - `adjudge report predictions.csv --truth label --models forest,knn --kind classification --open`
    - `adjudge report photos.csv --truth animal --models net,svm --images file --output photos.html`
    - `adjudge report iris.csv --labels kmeans,dbscan --noise singletons --standardize`
    - `adjudge report points.csv --k 2:10`
    - `adjudge report scores.csv --truth label --probabilities 'old_*,new_*' --by country`
    - `adjudge report films.csv --truth genres --models old,new --kind multilabel --delimiter ';'`
    - `adjudge report gate.adjudge --output gate.html`
    """
    from adjudge.tables.files import FileTable

    if is_result(call.file):
        _report_of_saved(call)
        return
    models = Models.of(FileTable(call.file, engine="memory"), call, "models")
    options = _options(call, models)
    # Clusterings show their own progress.
    showing: AbstractContextManager[Any] = show_work("Judging and writing")
    if "k_choice" in options:
        showing = warnings_counted("try other columns: --features")
    with showing:
        made = adjudge.report(models.table, **options, output=call.beside["output"])
    call.say(made)
    _say_verdict(made)
    if call.beside["open_it"]:
        made.open()


def _report_of_saved(call: Call) -> None:
    """Write the page of a gate that was saved, in which all is known."""
    from adjudge.results.gate import Gate

    found = adjudge.load(call.file)
    if not isinstance(found, Gate):
        raise InputError(
            f"{str(call.file)!r} is no result of a gate: give the table, and the result as --against"
        )
    if call.options:
        raise InputError(
            f"{flag(next(iter(call.options)))} is of a table, and {str(call.file)!r} is a result: leave it out"
        )
    with show_work("Writing"):
        made = adjudge.report(gate=found, output=call.beside["output"])
    for sentence in found.sentences():
        write_lines(sentence)
    typer.echo(f"The report is at {made.path.resolve()}")
    if call.beside["open_it"]:
        made.open()


def _options(call: Call, models: Models) -> dict[str, Any]:
    """Return the arguments of `adjudge.report`."""
    classifiers = of_classifiers(call)
    if classifiers and call.options.get("kind") == "clustering":
        raise InputError(f"{classifiers[0]} is for classifiers: pass --kind classification")
    options = call.options
    if classifiers and models.truth is None:
        raise InputError(f"{classifiers[0]} needs the truth: name its column with --truth")
    asks_k = "k_choice" in options
    if not models.columns and not models.probabilities and (not asks_k or models.truth is not None):
        remedy = "" if asks_k else ", or ask for clusters with --k 2:10"
        raise InputError(f"the models are missing: name their columns with --models{remedy}")
    shown = named_few([*models.columns] or [*(models.probabilities or ())]) or "how many clusters?"
    usual = {"title": f"{call.file.name}: {shown}", "note": f"From {call.file.name}.", "missing": "raise"}
    found = {
        "truth": models.truth,
        "models": list(models.columns.values()) or None,
        "probabilities": models.probabilities,
        "kind": options.get("kind") or ("classification" if classifiers else None),
    }
    return usual | options | {name: own for name, own in found.items() if own is not None}


def _say_verdict(made: Report) -> None:
    for section in made.page["sections"]:
        for sentence in section["verdict"]:
            careful = "Careful: " if sentence["tone"] == "caveat" else ""
            write_lines(f"{careful}{sentence['text']}")
    typer.echo(f"The report is at {made.path.resolve()}")
