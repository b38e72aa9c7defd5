"""The command `adjudge evaluate`: how good labels are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from adjudge.atomic import check_writable
from adjudge.cli.classifier_flags import ClassifierFlags
from adjudge.cli.evaluation_columns import Asked
from adjudge.cli.evaluation_flags import JudgedFlags, JudgedKind, PointFlags
from adjudge.cli.evaluation_tables import (
    cluster_tables,
    evaluation_tables,
    joined_tables,
    score_rows,
    shortened,
)
from adjudge.cli.graph_flags import GraphFlags
from adjudge.cli.groups import grouped
from adjudge.cli.label_sets import LabelSetFlags, SetTable
from adjudge.cli.options import (
    CertaintyFlags,
    Engine,
    File,
    PageOutputFlags,
    WeightFlags,
    about_scaling,
    is_default,
    split_list,
)
from adjudge.cli.output import Output, say, share_done, show_work, tell, tell_left_out
from adjudge.cli.saving import SaveFlags, check_saved, engine_of_saved, save_result
from adjudge.cli.standard_input import shown
from adjudge.cli.treatment import TreatmentFlags
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.label_table import LabelTable
    from adjudge.given.label_options import LabelOptions
    from adjudge.given.points import Points
    from adjudge.given.weights import Weighting
    from adjudge.results import Evaluation
    from adjudge.results.notice import Notice
    from adjudge.verbs.classifiers import ClassifierOptions
    from adjudge.verbs.request import EvaluationRequest


__all__ = [
    "evaluate",
]


@grouped
def evaluate(
    context: typer.Context,
    file: File,
    judged: JudgedFlags,
    classifier: ClassifierFlags,
    sets: LabelSetFlags,
    points: PointFlags,
    graph: GraphFlags,
    labels: TreatmentFlags,
    weights: WeightFlags,
    certainty: CertaintyFlags,
    saving: SaveFlags,
    output: PageOutputFlags,
) -> None:
    """Judge labels against the truth (--truth, --pred), from the points alone (--labels), or in both ways.

    With --graph, labels are communities that the edges of a graph judge.

    For example:

    - `adjudge evaluate iris.csv --truth species --pred kmeans,ward`
    - `adjudge evaluate iris.csv --truth species --pred kmeans --indices ari,ami,v_measure --by-cluster`
    - `adjudge evaluate iris.csv --labels kmeans --columns sepal_length,petal_length --standardize`
    - `adjudge evaluate iris.csv --truth species --pred kmeans --indices rand,jaccard --adjust --confidence 0.95`
    - `adjudge evaluate members.csv --labels community --graph edges.csv --id name`
    - `adjudge evaluate points.csv --labels kmeans --engine torch --device cuda`
    - `adjudge evaluate truth.txt --pred kmeans.txt --format json --output scores.json`
    - `adjudge evaluate scores.csv --truth label --probabilities 'forest_*' --by country --confidence 0.95`
    - `adjudge evaluate films.csv --truth genres --pred guessed --kind multilabel --delimiter ';'`
    """
    from adjudge.cli.columns import Source
    from adjudge.results.evaluations import Evaluations
    from adjudge.verbs.report import report as write_page

    destination = Output.to(output.output, output.output_format, [file])
    check_saved(saving.save, [file], output.output)
    if output.report is not None:
        check_writable(output.report)
    _check_flags(judged, points, classifier)
    graph.check(judged, points, weights)
    several = judged.kind is not None and judged.kind.of_sets
    if not several:
        sets.refuse()
    if classifier.named and not several:
        if judged.kind is JudgedKind.clustering:
            raise InputError(
                f"{classifier.named[0]} is an option for classifiers: leave out --kind clustering"
            )
        judged = replace(judged, kind=JudgedKind.classification)
    request = _request(judged, points, labels, certainty)
    names = context.obj["names"] = {"X": str(file)}
    context.obj["checkpoint"] = points.checkpoint
    with show_work(f"Reading {file}"):
        engine = Engine.memory if points.in_torch else Engine(points.engine.value)
        source = Source(file, engine_of_saved(engine, saving.save), decimal=points.decimal)
        in_graph = graph.graph is not None
        asked = Asked.of(source, judged, points, weights, classifier, vertices=graph.id, in_graph=in_graph)
    if graph.graph is not None:
        results, truth = graph.judged(source, asked, labels, request, names), asked.truth
    elif judged.path_separator is not None:
        from adjudge.cli.paths_of_classes import evaluate_paths

        refused = {
            "--labels": bool(judged.labels or points.columns),
            "--by-cluster": judged.by_cluster,
            "--weight": weights.weight is not None,
            "--units": weights.units is not None,
            **dict.fromkeys(classifier.named, True),
        }
        results, truth = evaluate_paths(source, asked, judged.path_separator, request, refused, names)
    elif asked.is_streamed(source, points, request) and not several and not classifier.named:
        results, truth = _in_engine(source, asked, request, names)
    else:
        if several:
            rows = _label_sets(source, asked, classifier, sets, request, judged.kind)
        elif classifier.named:
            rows = _classifiers(source, asked, classifier, labels, request)
        else:
            rows = _partitions(source, asked, points, labels, request)
        results, truth = _judged(rows, weights, names)
    if request.confidence is not None:
        said = source.repeating_identifier(weights, asked.used(source, classifier, several=several))
        results = {name: replace(own, warnings=own.warnings + said) for name, own in results.items()}
    say(results, but=_said_already(context, results))
    if asked.features is not None and not points.columns:
        tell(f"points from {shortened(asked.features, 12)} (--columns chooses others)")
    about = {
        "file": shown(str(file)),
        "truth": truth,
        "columns": asked.features,
        **about_scaling(points.standardize),
        **({} if graph.graph is None else {"graph": str(graph.graph)}),
    }
    whole = next(iter(results.values())) if len(results) == 1 else Evaluations(results)
    if saving.save is not None:
        save_result(whole, saving.save)
    if output.report is not None:
        write_page(evaluation=whole, note=f"Read from {file.name}.", output=output.report)
    _write(destination, results, about, by_cluster=judged.by_cluster)


def _write(
    destination: Output, results: dict[str, Evaluation], about: dict[str, Any], *, by_cluster: bool
) -> None:
    destination.write(
        data=lambda: {
            "kind": "evaluations",
            **about,
            "evaluations": {
                name: result.to_dict() | ({"by_cluster": result.by_cluster().to_dict()} if by_cluster else {})
                for name, result in results.items()
            },
        },
        tables=lambda: [
            *evaluation_tables(results, about["truth"], about["columns"]),
            *(cluster_tables(results) if by_cluster else ()),
        ],
        rows=lambda: (
            joined_tables(cluster_tables(results), list(results)) if by_cluster else score_rows(results)
        ),
    )


def _said_already(context: typer.Context, results: Mapping[str, Evaluation]) -> set[str]:
    """Return the codes of notices to skip: the user has typed the option that they are about."""
    if is_default(context, "noise"):
        return set()
    return {"noise-is-a-cluster"} | ({"no-noise-found"} if len(results) > 1 else set())


def _check_flags(judged: JudgedFlags, points: PointFlags, classifier: ClassifierFlags) -> None:
    if classifier.named and (judged.labels or points.columns):
        raise InputError(f"{classifier.named[0]} is an option for classifiers: name their labels with --pred")
    if judged.kind is not None and judged.kind.of_sets and (judged.labels or points.columns):
        raise InputError(f"--kind {judged.kind} judges labels against the truth: name them with --pred")
    if judged.kind is JudgedKind.overlapping and classifier.named:
        raise InputError(f"{classifier.named[0]} is an option for classifiers: leave out --kind overlapping")
    if judged.by_cluster and (classifier.named or judged.kind not in (None, JudgedKind.clustering)):
        raise InputError(
            "--by-cluster matches clusters: leave it out for classifiers, which have scores by class"
        )
    if judged.by_cluster and not judged.truth:
        raise InputError("--by-cluster scores true clusters: name the column of the truth with --truth")
    if judged.pred and judged.labels:
        raise InputError("give --pred (against the truth) or --labels (from the points), not both")
    if points.device is not None and not points.in_torch:
        raise InputError("--device needs --engine torch: give both")
    given = next((name for name, is_given in points.demands.items() if is_given), None)
    if given is not None and not (judged.labels or points.columns):
        raise InputError(f"{given} is an option for points: name the labels with --labels, not --pred")
    if points.checkpoint is not None and len(split_list(judged.labels)) > 1:
        raise InputError("--checkpoint saves the work for one column of labels: judge the columns one by one")


def _request(
    judged: JudgedFlags, points: PointFlags, labels: TreatmentFlags, certainty: CertaintyFlags
) -> EvaluationRequest:
    """Make the request that `adjudge.evaluate` would make from its arguments."""
    from adjudge.verbs.request import EvaluationRequest

    return EvaluationRequest(
        indices=split_list(judged.indices) or "default",
        # Only clusterings can be judged by cluster.
        kind="clustering" if judged.by_cluster else _kind(judged.kind),
        labels=labels.options,
        confidence=certainty.confidence,
        adjust=certainty.adjust,
        random_state=certainty.seed,
        compat=points.compat,
        points=points.options(),
        sample_size=points.sample_size,
    )


def _kind(kind: JudgedKind | None) -> str | None:
    """Return the kind of the request, which overlapping clusters have none of: they are no labels."""
    return None if kind is None or kind is JudgedKind.overlapping else kind.value


def _in_engine(
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
        with show_work(f"Judging {name}"), source.frame(wanted) as frame:
            results[name] = evaluate_lazily(FrameTable.of(frame), of_truth, label, asked.features, request)
    if len({result.settings["of"] for result in results.values()}) > 1:
        # Judge all columns as the same kind, so that their scores are comparable.
        return _in_engine(source, asked, replace(request, kind="clustering"), names)
    return results, asked.truth


@dataclass(frozen=True)
class _Rows:
    """The judged columns as read from the file, in the form that `evaluate` takes.

    Attributes
    ----------
    truth : str or None
        The column with the truth.
    called : str
        The name of the truth in error messages.
    models : dict of str to _Model
    n_given : int or None
        The number of rows, if some may be left out.
    said : tuple of Notice
    """

    truth: str | None
    called: str
    models: dict[str, _Model]
    n_given: int | None = None
    said: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class _Model:
    """One column, or the probabilities of one classifier, with the request for it."""

    request: EvaluationRequest
    labels_true: Any
    labels_pred: Any
    weighting: Weighting
    points: Points | None = None
    options: ClassifierOptions | None = None
    called: str = ""

    @property
    def vectors(self) -> dict[str, Any]:
        """The arguments of `evaluate` that hold a vector for each row, or points."""
        # Labels without a truth are judged from a structure or points.
        of_pred = "labels" if self.labels_true is None else "labels_pred"
        empty = {"labels_pred": None, "labels": None}
        return {"labels_true": self.labels_true, **empty, of_pred: self.labels_pred, "X": self.points}


def _judged(
    rows: _Rows, weights: WeightFlags, names: dict[str, str]
) -> tuple[dict[str, Evaluation], str | None]:
    """Judge what was read; put the names of the columns into `names`, for error messages."""
    from adjudge.verbs.evaluate_arrays import NO_CLASSIFIER_OPTIONS, evaluate_arrays
    from adjudge.verbs.structures import evaluate_structure, has_structures

    names |= {"labels_true": rows.called, "sample_weight": f"column {weights.weight!r}"}
    results = {}
    for name, own in rows.models.items():
        names["labels_pred"] = own.called
        with show_work(f"Judging {name}") as update:
            request = replace(own.request, progress=share_done(update, f"Judging {name}"))
            options = own.options or NO_CLASSIFIER_OPTIONS
            if has_structures(own.vectors, {}):
                found = evaluate_structure(request, own.vectors, {}, own.weighting)
            else:
                found = evaluate_arrays(
                    request, own.labels_true, own.labels_pred, own.points, None, own.weighting, options
                )
        results[name] = replace(found, warnings=rows.said + found.warnings)
    if rows.n_given is not None:
        tell_left_out(int(next(iter(results.values())).n), rows.n_given)
    return results, rows.truth


def _partitions(
    source: Source, asked: Asked, points: PointFlags, labels: TreatmentFlags, request: EvaluationRequest
) -> _Rows:
    """Read columns of labels, or their distinct combinations, and points."""
    from adjudge.cli.coordinates import standardized
    from adjudge.cli.label_table import noise_meant
    from adjudge.verbs.kind_of_labels import with_kind

    with show_work(f"Reading {source.path}"):
        tables = source.read_apart(
            asked.truth,
            asked.judged,
            treatment=labels,
            weight=asked.weights.weight,
            in_memory=asked.features is not None,
            units=asked.weights.units,
        )
        read = source.points(asked.features, []) if asked.features else None
        if read is not None:
            read = standardized(read, points.standardize)
    truth = next(iter(tables.values())).truth
    labels.check(truth, list(tables))
    treatment = labels.of_columns(truth, tables)
    if treatment.treats_noise:
        treatment = replace(treatment, noise_label=noise_meant(tables.values(), labels.noise_label))
    n_given = next(iter(tables.values())).n_given
    if len(tables) > 1 and treatment.drops:
        tables, read = _in_common(tables, read, treatment)
    # Judge all columns as the same kind, so that their scores are comparable.
    request, said = with_kind(request, () if truth is None else map(_occurring, tables.items()))
    models = {
        name: _Model(
            replace(request, labels=_of_arguments(treatment, name, truth)),
            None if truth is None else table.column(truth),
            table.column(name),
            # Without the truth, each entry is one row.
            replace(table.weighting(None), counts=None)
            if truth is None and table.weights is None
            else table.weighting(asked.weights.meaning),
            points=read,
            called=f"column {name!r}",
        )
        for name, table in tables.items()
    }
    return _Rows(truth, f"column {truth!r}", models, n_given, said)


def _of_arguments(treatment: LabelOptions, name: str, truth: str | None) -> LabelOptions:
    """Return the treatment of two columns under the names of the arguments that hold them."""
    vectors = {name: "labels_pred"} | ({} if truth is None else {truth: "labels_true"})
    return treatment.only(vectors).renamed(vectors)


def _occurring(named: tuple[str, LabelTable]) -> tuple[list[Any], list[list[Any]]]:
    """Return the labels that occur in the truth and in the judged column."""
    from adjudge.given.kinds import names_of_labels

    name, table = named
    names = {column: names_of_labels(labels) for column, labels in table.occurring.items()}
    return names[str(table.truth)], [names[name]]


def _classifiers(
    source: Source, asked: Asked, flags: ClassifierFlags, labels: TreatmentFlags, request: EvaluationRequest
) -> _Rows:
    """Read the labels, probabilities and groups of classifiers."""
    from adjudge.verbs.classifiers import ClassifierOptions

    with show_work(f"Reading {source.path}"):
        weight, units = asked.weights.weight, asked.weights.units
        table, options = flags.read(source, asked.truth, asked.judged, labels, weight, units)
    truth, probabilities = str(table.truth), options.pop("probabilities", {})
    labels.check(truth, list(table.judged))
    treatment = labels.of_columns(truth, table.judged)
    n_given = table.n_given
    if treatment.drops and len(table.judged) > 1:
        table, kept = table.common(treatment)
        if kept is not None:
            probabilities = {name: own.take(kept) for name, own in probabilities.items()}
            options |= {"groups": table.groups} if table.groups else {}
    models = {
        name: _Model(
            replace(request, labels=_of_arguments(treatment, name, truth)),
            table.column(truth),
            table.judged.get(name),
            table.weighting(asked.weights.meaning),
            options=ClassifierOptions(probabilities=probabilities.get(name), **options),
            called=f"column {name!r}",
        )
        for name in list(table.judged) or list(probabilities)
    }
    return _Rows(truth, f"column {truth!r}", models, n_given)


def _label_sets(
    source: Source,
    asked: Asked,
    classifier: ClassifierFlags,
    flags: LabelSetFlags,
    request: EvaluationRequest,
    kind: JudgedKind | None,
) -> _Rows:
    """Read the labels of classifiers that give each row several labels, or the clusters that each row is in."""
    from adjudge.given.cover import Cover
    from adjudge.verbs.classifiers import ClassifierOptions

    read = Cover.from_instances if kind is JudgedKind.overlapping else _as_read

    with show_work(f"Reading {source.path}"):
        table = SetTable.read(source, str(asked.truth), asked.judged, classifier, flags, asked.weights)
    models = {
        name: _Model(
            request,
            read(table.labels_true),
            read(table.models.get(name)),
            table.weighting(asked.weights.meaning),
            options=ClassifierOptions(probabilities=table.probabilities.get(name), classes=table.classes),
            called=repr(name),
        )
        for name in table.names
    }
    return _Rows(table.truth, repr(table.truth), models)


def _as_read(labels: Any) -> Any:
    return labels


def _in_common(
    tables: dict[str, LabelTable], points: Points | None, treatment: LabelOptions
) -> tuple[dict[str, LabelTable], Points | None]:
    """Leave out an instance for all columns if any leaves it out, so that all are judged on the same instances."""
    table, kept = next(iter(tables.values())).common(treatment)
    if points is not None and kept is not None:
        points = replace(points, values=points.values[kept])
    return dict.fromkeys(tables, table), points
