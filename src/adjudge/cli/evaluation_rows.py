"""What `adjudge evaluate` reads from the columns of a file, in the form that the library judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from adjudge.cli.classifier_flags import ClassifierFlags
from adjudge.cli.evaluation_columns import Asked
from adjudge.cli.evaluation_flags import JudgedKind, PointFlags
from adjudge.cli.label_sets import LabelSetFlags, SetTable
from adjudge.cli.options import WeightFlags
from adjudge.cli.output import share_done, show_work, tell_left_out
from adjudge.cli.treatment import TreatmentFlags

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.label_table import LabelTable
    from adjudge.given.label_options import LabelOptions
    from adjudge.given.points import Points
    from adjudge.given.weights import Weighting
    from adjudge.kinds.classifier_options import ClassifierOptions
    from adjudge.kinds.given import Given
    from adjudge.kinds.request import EvaluationRequest
    from adjudge.results import Evaluation
    from adjudge.results.notice import Notice

__all__ = ["Rows", "classifier_rows", "in_engine", "judged_rows", "label_set_rows", "partition_rows"]


def in_engine(
    source: Source, asked: Asked, request: EvaluationRequest, names: dict[str, str]
) -> tuple[dict[str, Evaluation], str | None]:
    """Judge columns by the counts and moments that the engine returns."""
    from adjudge.engines.frames.counting import FrameTable
    from adjudge.verbs.evaluate_lazily import evaluate_lazily

    assert asked.features is not None
    of_truth = None if asked.truth is None else source.column(asked.truth)
    results = {}
    for name in asked.judged:
        label = source.column(name)
        names |= {"labels_true": f"column {asked.truth!r}", "labels_pred": f"column {name!r}"}
        wanted = [*([of_truth] if of_truth else []), label, *asked.features]
        with show_work(f"Judging {name}"), source.naming_what_drops_gaps(), source.frame(wanted) as frame:
            results[name] = evaluate_lazily(FrameTable.of(frame), of_truth, label, asked.features, request)
    if len({result.settings["of"] for result in results.values()}) > 1:
        # Judge all columns as the same kind, so that their scores are comparable.
        return in_engine(source, asked, replace(request, kind="clustering"), names)
    return results, asked.truth


@dataclass(frozen=True)
class Rows:
    """The judged columns as read from the file, in the form that `evaluate` takes.

    Attributes
    ----------
    truth : str or None
        The column with the truth.
    called : str
        The name of the truth in error messages.
    models : dict of str to Model
    n_given : int or None
        The number of rows, if some may be left out.
    said : tuple of Notice
    """

    truth: str | None
    called: str
    models: dict[str, Model]
    n_given: int | None = None
    said: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Model:
    """One column, or the probabilities of one classifier, with the request for it."""

    request: EvaluationRequest
    labels_true: Any
    labels_pred: Any
    weighting: Weighting
    points: Points | None = None
    options: ClassifierOptions | None = None
    called: str = ""
    structures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def given(self) -> Given:
        """What is judged, as a kind reads it."""
        from adjudge.kinds.given import MODEL, Given

        return Given(
            self.labels_true,
            {MODEL: self.labels_pred},
            **({} if self.options is None else {"options": self.options}),
            weighting=self.weighting,
            treatment=self.request.labels,
            X=self.points,
            structures=self.structures,
        )


def judged_rows(
    rows: Rows, weights: WeightFlags, names: dict[str, str]
) -> tuple[dict[str, Evaluation], str | None]:
    """Judge what was read; put the names of the columns into `names`, for error messages."""
    from adjudge.kinds.registry import kind_at_sight
    from adjudge.verbs import evaluated

    names |= {"labels_true": rows.called, "sample_weight": f"column {weights.weight!r}"}
    results = {}
    for name, own in rows.models.items():
        names["labels_pred"] = own.called
        with show_work(f"Judging {name}") as update:
            request = replace(own.request, progress=share_done(update, f"Judging {name}"))
            given = own.given
            kind = kind_at_sight(request, given)
            if kind is not None and given.truth is None:  # a structure judges the labels
                given = replace(given, models={}, labels=given.pred)
            found = evaluated.evaluated(request, given, kind)
        results[name] = replace(found, warnings=rows.said + found.warnings)
    if rows.n_given is not None:
        with_forecasts = any(
            own.options is not None and own.options.has_forecasts for own in rows.models.values()
        )
        tell_left_out(int(next(iter(results.values())).n), rows.n_given, with_forecasts=with_forecasts)
    return results, rows.truth


def partition_rows(
    source: Source, asked: Asked, points: PointFlags, labels: TreatmentFlags, request: EvaluationRequest
) -> Rows:
    """Read columns of labels, or their distinct combinations, and points."""
    from adjudge.cli.coordinates import standardized
    from adjudge.cli.label_table import noise_meant
    from adjudge.kinds.which_kind import with_kind

    with show_work(f"Reading {source.path}"):
        tables = source.read_apart(
            asked.truth,
            asked.judged,
            treatment=labels,
            weight=asked.weights.weight,
            in_memory=asked.features is not None,
            units=asked.weights.units,
        )
        read = None
        if asked.features:
            drops, absent = labels.options.drops_missing, next(iter(tables.values())).weighting(None).absent
            missing = "raise" if absent is None and not drops else "drop"
            read = source.points(asked.features, [], missing=missing)
            if not drops:  # rows of weight 0 may have gaps
                with source.naming_what_drops_gaps():
                    read.check_gaps(absent)
        if read is not None:
            read = standardized(read, points.standardize)
        structures = {}
        if points.batch is not None:
            structures["batch"] = source.table.label_columns([source.column(points.batch)])[0].labels()
    truth = next(iter(tables.values())).truth
    labels.check(truth, list(tables))
    treatment = labels.of_columns(truth, tables)
    if treatment.treats_noise:
        treatment = replace(treatment, noise_label=noise_meant(tables.values(), labels.noise_label))
    n_given = next(iter(tables.values())).n_given
    if n_given is not None and read is not None and read.gaps is not None:  # a notice counts these
        n_given -= int(read.gaps.sum())
    if len(tables) > 1 and treatment.drops:
        tables, read = _in_common(tables, read, treatment)
    # Judge all columns as the same kind, so that their scores are comparable.
    request, said = with_kind(request, () if truth is None else map(_occurring, tables.items()))
    models = {
        name: Model(
            replace(request, labels=_of_arguments(treatment, name, truth)),
            None if truth is None else table.column(truth),
            table.column(name),
            # Without the truth, each entry is one row.
            replace(table.weighting(None), counts=None)
            if truth is None and table.weights is None
            else table.weighting(asked.weights.meaning),
            points=read,
            called=f"column {name!r}",
            structures=structures,
        )
        for name, table in tables.items()
    }
    return Rows(truth, f"column {truth!r}", models, n_given, said)


def _of_arguments(treatment: LabelOptions, name: str, truth: str | None) -> LabelOptions:
    """Return the treatment of two columns under the names of the arguments that hold them."""
    vectors = {name: "labels_pred"} | ({} if truth is None else {truth: "labels_true"})
    return treatment.only(vectors).renamed(vectors)


def _occurring(named: tuple[str, LabelTable]) -> tuple[list[Any], list[list[Any]]]:
    """Return the labels that occur in the truth and in the judged column."""
    name, table = named
    names = {column: labels.occurring() for column, labels in table.occurring.items()}
    return names[str(table.truth)], [names[name]]


def classifier_rows(
    source: Source, asked: Asked, flags: ClassifierFlags, labels: TreatmentFlags, request: EvaluationRequest
) -> Rows:
    """Read the labels, probabilities and groups of classifiers."""
    import numpy as np

    from adjudge.kinds.classifier_options import ClassifierOptions

    with show_work(f"Reading {source.path}"):
        weight, units = asked.weights.weight, asked.weights.units
        table, options = flags.read(source, asked.truth, asked.judged, labels, weight, units)
    truth, probabilities = str(table.truth), options.pop("probabilities", {})
    labels.check(truth, list(table.judged))
    treatment = labels.of_columns(truth, table.judged)
    n_given = table.n_given
    if treatment.drops and len(table.judged) > 1:
        lacking = [own.missing for own in probabilities.values() if own.missing is not None]
        table, kept = table.common(treatment, np.logical_or.reduce(lacking) if lacking else None)
        if kept is not None:
            probabilities = {name: own.take(kept) for name, own in probabilities.items()}
            options |= {"groups": table.groups} if table.groups else {}
    models = {
        name: Model(
            replace(request, labels=_of_arguments(treatment, name, truth)),
            table.column(truth),
            table.judged.get(name),
            table.weighting(asked.weights.meaning),
            options=ClassifierOptions(probabilities=probabilities.get(name), **options),
            called=f"column {name!r}",
        )
        for name in list(table.judged) or list(probabilities)
    }
    return Rows(truth, f"column {truth!r}", models, n_given)


def label_set_rows(
    source: Source,
    asked: Asked,
    classifier: ClassifierFlags,
    flags: LabelSetFlags,
    request: EvaluationRequest,
    kind: JudgedKind | None,
) -> Rows:
    """Read the labels of classifiers that give each row several labels, or the clusters that each row is in."""
    from adjudge.given.cover import Cover
    from adjudge.kinds.classifier_options import ClassifierOptions

    read = Cover.from_instances if kind is JudgedKind.overlapping else _as_read

    with show_work(f"Reading {source.path}"):
        table = SetTable.read(source, str(asked.truth), asked.judged, classifier, flags, asked.weights)
    models = {
        name: Model(
            request,
            read(table.labels_true),
            read(table.models.get(name)),
            table.weighting(asked.weights.meaning),
            options=ClassifierOptions(probabilities=table.probabilities.get(name), classes=table.classes),
            called=repr(name),
        )
        for name in table.names
    }
    return Rows(table.truth, repr(table.truth), models)


def _as_read(labels: Any) -> Any:
    return labels


def _in_common(
    tables: dict[str, LabelTable], points: Points | None, treatment: LabelOptions
) -> tuple[dict[str, LabelTable], Points | None]:
    """Leave out an instance for all columns if any leaves it out, so that all are judged on the same instances."""
    table, kept = next(iter(tables.values())).common(treatment)
    if points is not None and kept is not None:
        points = points.take(kept)
    return dict.fromkeys(tables, table), points
