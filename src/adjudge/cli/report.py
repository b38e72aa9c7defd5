"""The command `adjudge report`: all results about some models on one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

import adjudge
from adjudge.cli.classifier_flags import ClassifierFlags
from adjudge.cli.fit_warnings import warnings_counted
from adjudge.cli.groups import grouped
from adjudge.cli.label_sets import LabelSetFlags, SetTable
from adjudge.cli.options import (
    File,
    Kind,
    LabelFlags,
    WeightFlags,
    WhatScaling,
)
from adjudge.cli.output import share_done, show_work, tell, write_lines
from adjudge.cli.typed import numbers_in
from adjudge.errors import InputError
from adjudge.presentation.numbers import listed, named_few

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.label_table import LabelTable
    from adjudge.results import KChoice
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
    k: str | None = None
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
    if models.kind is Kind.multilabel:
        made = _of_label_sets(file, models, classifier, sets, page, labels, output)
        _say_verdict(made)
        if output.open_it:
            made.open()
        return
    sets.refuse()
    if classifier.named and models.kind is None:
        models = replace(models, kind=Kind.classification)
    with show_work(f"Reading {file}"):
        found = _Read.of(file, models, classifier, page, labels)
    context.obj["names"] = {"X": str(file), "images": f"column {page.images!r}", "features": "--features"}
    given = _given(found, page, labels) | _of_tests(models, classifier)
    with show_work("Judging and writing"), found.source.naming_what_drops_gaps():
        made = adjudge.report(
            output=output.output,
            confidence=page.confidence,
            standardize=page.standardize.value if page.standardize else False,
            against=models.against,
            **given,
        )
    _say(found, models, page, made)
    if output.open_it:
        made.open()


def _of_label_sets(
    file: Path,
    models: ReportModelFlags,
    classifier: ClassifierFlags,
    sets: LabelSetFlags,
    page: PageFlags,
    labels: LabelFlags,
    output: PageOutputFlags,
) -> Report:
    """Write the page on classifiers that give each row several labels."""
    from adjudge.cli.columns import Source

    flags = {"--features": page.features, "--images": page.images, "--text": page.text, "--k": page.k}
    refused = next((name for name, value in flags.items() if value), None)
    if refused is not None:
        raise InputError(f"{refused} is not an option for --kind multilabel: leave it out")
    with show_work(f"Reading {file}"):
        source = Source(file, decimal=page.decimal)
        truth = models.truth or source.own_list
        if truth is None:
            raise InputError("the truth is missing: name its column with --truth")
        names = source.names(models.models)
        if not names and not classifier.has_forecasts:
            raise InputError("the models are missing: name their columns with --models")
        table = SetTable.read(source, truth, names, classifier, sets, WeightFlags(units=page.units))
    with show_work("Judging and writing"):
        return adjudge.report(
            table.labels_true,
            table.models or None,
            kind="multilabel",
            missing=labels.missing.value,
            **labels.told_of_noise,
            confidence=page.confidence,
            title=page.title or f"{file.name}: {named_few(table.names)}",
            note=f"From {file.name}.",
            output=output.output,
            units=table.units,
            against=models.against,
            **table.options,
            **_of_tests(models, classifier),
        )


def _of_tests(models: ReportModelFlags, classifier: ClassifierFlags) -> dict[str, Any]:
    """Return the options of the tests that were given."""
    given = {"primary": models.primary} if models.primary is not None else {}
    correction = classifier.groups_correction.value
    return given if correction == "holm" else {**given, "groups_correction": correction}


@dataclass(frozen=True)
class _Read:
    """What was read from the file.

    Attributes
    ----------
    source : Source
    table : LabelTable or None
        The labels; None if the page is only about the number of clusters.
    names : list of str
        The models.
    kind : Kind or None
        Which kind they are; None if there is no truth to compare with.
    coordinates : list of str
        The columns that measure how similar instances are.
    columns : dict of str to array
        All columns that are shown with the labels.
    classifier : dict
        Probabilities, classes and groups, as options of `adjudge.report`.
    """

    source: Source
    table: LabelTable | None
    names: list[str]
    kind: Kind | None
    coordinates: list[str]
    columns: dict[str, Any]
    classifier: dict[str, Any]

    @property
    def truth(self) -> str | None:
        """The column with the truth."""
        return None if self.table is None else self.table.truth

    @classmethod
    def of(
        cls,
        file: Path,
        models: ReportModelFlags,
        classifier: ClassifierFlags,
        page: PageFlags,
        treatment: LabelFlags,
    ) -> _Read:
        from adjudge.cli.columns import Source

        source = Source(file, decimal=page.decimal)
        named = source.labelled(models.models, models.kind, (models.truth, page.units))
        truth = models.truth or source.own_list
        if classifier.named and models.kind is Kind.clustering:
            raise InputError(f"{classifier.named[0]} is for classifiers: pass --kind classification")
        if classifier.named and truth is None:
            raise InputError(f"{classifier.named[0]} needs the truth: name its column with --truth")
        table, names = None, named
        options: dict[str, Any] = {}
        if named or classifier.has_forecasts:
            table, options = classifier.read(
                source, truth, named, units=page.units, gaps=treatment.missing.value == "drop"
            )
            names = named or list(options["probabilities"])
        elif page.k is None or truth is not None:
            remedy = ", or ask for clusters with --k 2:10" if page.k is None else ""
            raise InputError(f"the models are missing: name their columns with --models{remedy}")
        shown = {source.column(name) for name in (page.images, page.text) if name is not None}
        labels = {*([truth] if truth else []), *named, *shown}
        beside = classifier.columns(source, labels)
        units = set() if page.units is None else {source.column(page.units)}
        kind = _kind_of(table, models.kind, treatment.told_of_noise)
        needed = kind is None or page.k is not None
        coordinates = _coordinates(source, page.features, labels | beside | units, needed=needed)
        forecasts = beside - set(options.get("groups", ()))
        columns = _columns(source, coordinates, labels | forecasts)
        if not page.features and kind is Kind.classification:  # only the map needs columns without gaps
            gaps = [name for name in coordinates if not _is_complete(columns[name])]
            coordinates = [name for name in coordinates if name not in gaps]
            if gaps:
                has = "has" if len(gaps) == 1 else "have"
                tell(f"the map leaves out {listed([*map(repr, gaps)])}, which {has} gaps")
        return cls(source, table, names, kind, coordinates, columns, options)


def _given(found: _Read, page: PageFlags, labels: LabelFlags) -> dict[str, Any]:
    """Make the arguments of `adjudge.report` from the inputs and options."""
    from adjudge.cli.label_table import noise_meant

    source, table, file = found.source, found.table, found.source.path
    given: dict[str, Any] = {"missing": labels.missing.value, **labels.told_of_noise}
    if table is not None:
        given["models"] = table.judged or None
        given |= table.weighting(None).beside
        given["noise_label"] = noise_meant([table], labels.noise_label)
    if found.truth is not None and table is not None:
        given["labels_true"] = table.column(found.truth)
    if found.kind is not None:
        given["kind"] = found.kind.value
    if page.k is not None:
        given["k_choice"] = _choose(source, found.coordinates, page.standardize, numbers_in(page.k))
    if page.images is not None:
        given["images"] = _pictures(source, page.images)
    if page.text is not None:
        given["text"] = _texts(source, page.text)
    shown = named_few(found.names) if found.names else "how many clusters?"
    return {
        **given,
        **found.classifier,
        "X": found.columns or None,
        "features": found.coordinates or None,
        "title": page.title or f"{file.name}: {shown}",
        "note": f"From {file.name}.",
    }


def _say(found: _Read, models: ReportModelFlags, page: PageFlags, made: Report) -> None:
    """Tell the user what was guessed, the verdict, and where the page is."""
    from adjudge.cli.coordinates import tell_coordinates

    if models.kind is None and found.kind is not None and found.truth is not None:
        _say_kind(found.kind, found.truth)
    tell_coordinates(found.coordinates, page.features, "features are", "--features")
    _say_verdict(made)


def _say_verdict(made: Report) -> None:
    for section in made.page["sections"]:
        for sentence in section["verdict"]:
            careful = "Careful: " if sentence["tone"] == "caveat" else ""
            write_lines(f"{careful}{sentence['text']}")
    typer.echo(f"The report is at {made.path.resolve()}")


def _kind_of(table: LabelTable | None, kind: Kind | None, options: Mapping[str, Any]) -> Kind | None:
    """Return the kind of the models; None if there is no truth to compare with."""
    if table is None or table.truth is None:
        if kind is Kind.classification:
            raise InputError("--kind classification needs the truth: name its column with --truth")
        return None
    return kind or _guess_kind(table, options)


def _coordinates(
    source: Source, features: list[str] | None, leave_out: set[str], *, needed: bool
) -> list[str]:
    """Find the feature columns; if there are none, a comparison has no map."""
    from adjudge.cli.coordinates import find_coordinates

    if features or needed:
        return source.feature_names(features, leave_out, "--features")
    left_out = {source.column(name) for name in leave_out if name in source.table.columns}
    return find_coordinates(source.table, left_out, needed=False, option="--features")


def _columns(source: Source, coordinates: list[str], leave_out: set[str]) -> dict[str, Any]:
    """Read the columns to show with the labels, as numbers (NaN if missing) or text."""
    from adjudge.tables.files import shown_columns

    columns = source.table.columns
    rest = [c for c in columns if c not in leave_out and c not in coordinates and columns.count(c) == 1]
    wanted = [*coordinates, *rest]
    if source.own_list is not None:
        return {}
    read = shown_columns(source.table, wanted)
    numeric = [name for name in coordinates if name in source.table.numeric_columns()]
    values = source.table.points(numeric, gaps=True).T if numeric else ()
    return read | dict(zip(numeric, values, strict=True))


def _is_complete(values: Any) -> bool:
    """Whether a column has a finite number for every instance."""
    import numpy as np

    return isinstance(values, np.ndarray) and bool(np.isfinite(values).all())


def _choose(source: Source, coordinates: list[str], how: WhatScaling | None, numbers: list[int]) -> KChoice:
    from adjudge.cli.coordinates import standardized

    points = source.points(coordinates, [])
    with warnings_counted("try other columns: --features"), show_work("Clustering") as update:
        return adjudge.choose_k(
            standardized(points, how),
            k=numbers,
            progress=share_done(update),
        )


def _texts(source: Source, name: str) -> list[str]:
    (column,) = source.table.label_columns([source.column(name)])
    return ["" if value is None else str(value) for value in column.labels()]


def _pictures(source: Source, name: str) -> list[Path | None]:
    return [source.path.parent / text if text else None for text in _texts(source, name)]


def _say_kind(found: Kind, truth: str) -> None:
    """Say that the models count as classifiers, and why."""
    if found is not Kind.classification:
        return
    tell(
        f"assuming --kind {found.value}, because the models' labels are those of {truth!r} "
        "(--kind clustering compares the groups whatever they are called)"
    )


def _guess_kind(table: LabelTable, options: Mapping[str, Any]) -> Kind:
    """Return the kind of the models from their labels and the other options; raise if it is not certain."""
    from adjudge.kinds.which_kind import kind_of_models

    return Kind(kind_of_models(table.column(str(table.truth)), table.judged, options))
