"""The command `adjudge report`: all results about some models on one page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

import adjudge
from adjudge.cli.classifier_flags import ClassifierFlags, models_in
from adjudge.cli.fit_warnings import warnings_counted
from adjudge.cli.groups import grouped
from adjudge.cli.label_sets import LabelSetFlags
from adjudge.cli.options import (
    File,
    Kind,
    LabelFlags,
    WhatScaling,
    split_list,
    split_names,
)
from adjudge.cli.output import say, show_work, write_lines
from adjudge.cli.typed import numbers_in
from adjudge.errors import InputError
from adjudge.presentation.numbers import named_few

if TYPE_CHECKING:
    from adjudge.tables.files import FileTable
    from adjudge.verbs.report import Report

__all__ = ["report"]


@dataclass(frozen=True)
class PageFlags:
    """What the page shows besides the models' labels."""

    heading: ClassVar[str] = "What the page shows"

    decimal: str | None = None
    features: list[str] | None = None
    standardize: WhatScaling | None = None
    images: str | None = None
    text: str | None = None
    k_choice: str | None = None
    units: str | None = None
    confidence: float = 0.95
    title: str | None = None


@dataclass(frozen=True)
class ReportModelFlags:
    """Which models the page is about."""

    heading: ClassVar[str] = "Models"

    truth: str | None = None
    models: list[str] | None = None
    kind: Kind | None = None
    primary: str | None = None
    against: Path | None = None


@dataclass(frozen=True)
class PageOutputFlags:
    """Where the page goes."""

    heading: ClassVar[str] = "Output"

    output: Path = Path("adjudge-report.html")
    open_it: bool = False
    debug: bool = False


@grouped
def report(
    context: typer.Context,
    file: File,
    models: ReportModelFlags,
    classifier: ClassifierFlags,
    sets: LabelSetFlags,
    page: PageFlags,
    labels: LabelFlags,
    output: PageOutputFlags,
) -> None:
    """Write an HTML page on models: which is right where, the instances, the clusters, and how certain that is.

    Without --truth, clusterings are judged from the features alone.

    For example:

    - `adjudge report predictions.csv --truth label --models forest,knn --kind classification --open`
    - `adjudge report photos.csv --truth animal --models net,svm --images file --output photos.html`
    - `adjudge report iris.csv --labels kmeans,dbscan --noise singletons --standardize`
    - `adjudge report points.csv --k 2:10`
    - `adjudge report scores.csv --truth label --probabilities 'old_*,new_*' --by country`
    - `adjudge report films.csv --truth genres --models old,new --kind multilabel --delimiter ';'`
    """
    if classifier.named and models.kind is None:
        models = replace(models, kind=Kind.classification)
    if classifier.named and models.kind is Kind.clustering:
        raise InputError(f"{classifier.named[0]} is for classifiers: pass --kind classification")
    context.obj["names"] = {"X": str(file), "images": f"column {page.images!r}"}
    table, columns = _columns(file, models, classifier, sets, page)
    # Clusterings show their own progress.
    with (
        show_work("Judging and writing")
        if page.k_choice is None
        else warnings_counted("try other columns: --features")
    ):
        made = adjudge.report(
            table,
            **columns,
            **_of_labels(labels),
            **_of_tests(models, classifier),
            output=output.output,
            confidence=page.confidence,
            standardize=page.standardize.value if page.standardize else False,
            against=models.against,
        )
    say({"": made})
    _say_verdict(made)
    if output.open_it:
        made.open()


def _columns(
    file: Path,
    models: ReportModelFlags,
    classifier: ClassifierFlags,
    sets: LabelSetFlags,
    page: PageFlags,
) -> tuple[FileTable, dict[str, Any]]:
    """Return the table, and its columns as arguments of `adjudge.report`."""
    from adjudge.tables.files import FileTable

    table = FileTable(file, page.decimal, "memory")
    truth = models.truth or table.own_list
    beside = [name for name in (truth, page.units) if name is not None]
    names = models_in(table, split_names(models.models, table), beside, models.kind)
    if classifier.named and truth is None:
        raise InputError(f"{classifier.named[0]} needs the truth: name its column with --truth")
    if not names and not classifier.has_forecasts and (page.k_choice is None or truth is not None):
        remedy = ", or ask for clusters with --k 2:10" if page.k_choice is None else ""
        raise InputError(f"the models are missing: name their columns with --models{remedy}")
    forecasts = classifier.of_models(table, list(names))
    shown = named_few([*names] or [*(forecasts or ())]) or "how many clusters?"
    options = {
        "truth": truth,
        "models": list(names.values()) or None,
        "kind": models.kind and models.kind.value,
        "probabilities": forecasts,
        "classes": split_list(classifier.classes) or None,
        "positive": classifier.positive,
        "groups": split_names(classifier.by, table) or None,
        "units": page.units,
        "delimiter": sets.delimiter,
        "features": split_names(page.features, table) or None,
        "images": page.images,
        "text": page.text,
        "k_choice": None if page.k_choice is None else numbers_in(page.k_choice),
        "title": page.title or f"{file.name}: {shown}",
        "note": f"From {file.name}.",
    }
    return table, {name: own for name, own in options.items() if own is not None}


def _of_labels(labels: LabelFlags) -> dict[str, Any]:
    """Return how missing labels and noise are treated."""
    noise = {} if labels.noise_label is None else {"noise_label": labels.noise_label}
    return {"missing": labels.missing.value, **labels.told_of_noise, **noise}


def _of_tests(models: ReportModelFlags, classifier: ClassifierFlags) -> dict[str, Any]:
    """Return the options of the tests that were given."""
    given = {"primary": models.primary} if models.primary is not None else {}
    correction = classifier.groups_correction.value
    return given if correction == "holm" else {**given, "groups_correction": correction}


def _say_verdict(made: Report) -> None:
    for section in made.page["sections"]:
        for sentence in section["verdict"]:
            careful = "Careful: " if sentence["tone"] == "caveat" else ""
            write_lines(f"{careful}{sentence['text']}")
    typer.echo(f"The report is at {made.path.resolve()}")
