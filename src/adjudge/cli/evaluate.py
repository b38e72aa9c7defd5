"""The command `adjudge evaluate`: how good labels are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

import adjudge
from adjudge.cli.classifier_flags import ClassifierFlags, check_apart, models_in
from adjudge.cli.evaluation_flags import JudgedFlags, JudgedKind, PointFlags
from adjudge.cli.evaluation_tables import (
    cluster_tables,
    evaluation_tables,
    joined_tables,
    score_rows,
)
from adjudge.cli.graph_flags import GraphFlags
from adjudge.cli.groups import grouped
from adjudge.cli.label_sets import LabelSetFlags
from adjudge.cli.options import (
    CertaintyFlags,
    Engine,
    File,
    WeightFlags,
    about_scaling,
    is_default,
    split_list,
    split_names,
)
from adjudge.cli.output import Output, say, share_done, show_work
from adjudge.cli.pair_flags import PairFlags
from adjudge.cli.saving import PageOutputFlags, SaveFlags, check_saved, engine_of_saved, save_result
from adjudge.cli.standard_input import shown
from adjudge.cli.treatment import TreatmentFlags
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.results import Evaluation
    from adjudge.tables.files import FileTable


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
    linked: PairFlags,
    labels: TreatmentFlags,
    weights: WeightFlags,
    certainty: CertaintyFlags,
    saving: SaveFlags,
    output: PageOutputFlags,
) -> None:
    """Judge labels against the truth (--truth, --pred), from the points alone (--labels), or both (--truth, --labels).

    With --graph, labels are communities that the edges of a graph judge.

    For example:

    - `adjudge evaluate iris.csv --truth species --pred kmeans,ward`
    - `adjudge evaluate iris.csv --truth species --pred kmeans --indices ari,ami,v_measure --by-cluster`
    - `adjudge evaluate iris.csv --labels kmeans --columns sepal_length,petal_length --standardize`
    - `adjudge evaluate iris.csv --truth species --pred kmeans --indices rand,jaccard --adjust --confidence 0.95`
    - `adjudge evaluate members.csv --labels community --graph edges.csv --id name`
    - `adjudge evaluate cells.csv --labels cell_type --batch sample --columns 'pc*'`
    - `adjudge evaluate records.csv --truth person --id record --pairs links.csv --threshold 0.8`
    - `adjudge evaluate points.csv --labels kmeans --engine torch --device cuda`
    - `adjudge evaluate truth.txt --pred kmeans.txt --format json --output scores.json`
    - `adjudge evaluate scores.csv --truth label --probabilities 'forest_*' --by country --confidence 0.95`
    - `adjudge evaluate products.csv --level group,kind,item --pred guess`
    - `adjudge evaluate films.csv --truth genres --pred guessed --kind multilabel --delimiter ';'`
    """
    from adjudge.results.evaluations import Evaluations
    from adjudge.tables.files import FileTable

    destination = Output.to(output.output, output.output_format)
    check_saved(saving.save)
    _check_flags(judged, points, classifier, graph, linked)
    several = judged.kind is not None and judged.kind.of_sets
    if classifier.named and not several and linked.pairs is None:
        if judged.kind is JudgedKind.clustering:
            by_group = ", or compare clusterings by group with 'adjudge compare'"
            raise InputError(
                f"{classifier.named[0]} is an option for classifiers: leave out --kind clustering"
                f"{by_group if classifier.named[0] == '--by' else ''}"
            )
        judged = replace(judged, kind=JudgedKind.classification)
    context.obj["names"] = {"X": str(file)}
    context.obj["checkpoint"] = points.checkpoint
    engine = Engine.memory if points.in_torch else Engine(points.engine.value)
    engine = weights.engine(engine_of_saved(engine, saving.save), certainty.confidence)
    with show_work(f"Judging {file}") as update:
        table = FileTable(file, points.decimal or ".", engine)
        truth, options = _columns(table, judged, points, classifier, sets, graph, linked, weights)
        options |= _options(judged, points, labels, certainty, classifier, weights)
        found = adjudge.evaluate(table, **options, progress=share_done(update))
    results = {linked.pairs.name: found} if linked.pairs else found.evaluations
    say(results, but=_said_already(context, results))
    about = {
        "file": shown(str(file)),
        "truth": truth,
        "columns": next(iter(results.values())).settings.get("features"),
        **about_scaling(points.standardize),
        **({} if graph.graph is None else {"graph": str(graph.graph)}),
    }
    whole = next(iter(results.values())) if len(results) == 1 else Evaluations(results)
    if saving.save is not None:
        save_result(whole, saving.save)
    if output.report is not None:
        from adjudge.verbs.report import report as write_page

        write_page(evaluation=whole, note=f"Read from {file.name}.", output=output.report)
    _write(destination, results, about, by_cluster=judged.by_cluster)


def _columns(
    table: FileTable,
    judged: JudgedFlags,
    points: PointFlags,
    classifier: ClassifierFlags,
    sets: LabelSetFlags,
    graph: GraphFlags,
    linked: PairFlags,
    weights: WeightFlags,
) -> tuple[str | None, dict[str, Any]]:
    """Return the truth, and the columns as arguments of `adjudge.evaluate`."""
    by = split_names(classifier.by, table)
    others = (judged.truth, weights.weight, weights.units, points.batch, graph.key, *by)
    beside = [name for name in others if name is not None]
    given = split_names(judged.pred or judged.labels, table)
    levels = split_names(judged.levels, table)
    names = {own: own for own in given} if levels else models_in(table, given, beside, judged.kind)
    forecasts = classifier.of_models(table, list(names))
    alone = bool(judged.labels or points.columns)
    truth = judged.truth if alone else judged.truth or table.own_list
    if not names and not forecasts and not levels and linked.pairs is None:
        raise InputError(
            "nothing to judge: name columns with --pred (against --truth) or --labels (from points)"
        )
    if truth is None and not alone and not levels and linked.pairs is None:
        raise InputError("--pred is judged against the truth: name its column with --truth, or use --labels")
    check_apart(truth, names.values(), by, weights.units)
    options = {
        "truth": truth,
        "pred": (list(names.values()) if forecasts is None else _of_classifiers(names, forecasts)) or None,
        "features": split_names(points.columns, table) or (None if graph.graph or not alone else "all"),
        "batch": points.batch,
        "groups": by or None,
        "sample_weight": weights.weight,
        "units": weights.units,
        "delimiter": sets.delimiter,
        "path_separator": judged.path_separator,
        "levels": levels or None,
        "graph": graph.graph,
        "directed": graph.directed or None,
        "key": graph.key,
        "pairs": linked.pairs,
        "threshold": linked.threshold,
    }
    return "/".join(levels) or truth, {name: own for name, own in options.items() if own is not None}


def _of_classifiers(names: Mapping[str, str], forecasts: Mapping[str, str]) -> dict[str, adjudge.Classifier]:
    """Return each model with its column of labels, if it has one, and the pattern of its probabilities."""
    return {
        name: adjudge.Classifier(labels=names.get(name), probabilities=forecasts.get(name))
        for name in names or forecasts
    }


def _options(
    judged: JudgedFlags,
    points: PointFlags,
    labels: TreatmentFlags,
    certainty: CertaintyFlags,
    classifier: ClassifierFlags,
    weights: WeightFlags,
) -> dict[str, Any]:
    """Return what was typed beside the columns, as arguments of `adjudge.evaluate`."""
    options = {
        "indices": split_list(judged.indices) or None,
        # Only clusterings can be judged by cluster.
        "kind": "clustering" if judged.by_cluster else judged.kind and judged.kind.value,
        "weights": weights.meaning,
        "classes": split_list(classifier.classes) or None,
        "positive": classifier.positive,
        "missing": labels.options.missing,
        "noise": labels.options.noise,
        "noise_label": labels.noise_label,
        "confidence": certainty.confidence,
        "adjust": certainty.adjust,
        "random_state": certainty.seed,
        "compat": points.compat,
        "groups_correction": classifier.groups_correction.value,
        "standardize": points.standardize and points.standardize.value,
        **points.keywords,
    }
    return {name: own for name, own in options.items() if own is not None}


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
    """Return the codes of notices to skip: the title says them, or the user typed the option that they are about."""
    from adjudge.results.label_notices import NAMES_ARE_ARBITRARY

    if is_default(context, "noise"):
        return {NAMES_ARE_ARBITRARY}
    return {NAMES_ARE_ARBITRARY, "noise-is-a-cluster"} | ({"no-noise-found"} if len(results) > 1 else set())


def _check_flags(
    judged: JudgedFlags,
    points: PointFlags,
    classifier: ClassifierFlags,
    graph: GraphFlags,
    linked: PairFlags,
) -> None:
    if graph.graph is not None and not judged.labels and linked.pairs is None:
        raise InputError("--graph judges communities: name their columns with --labels")
    if judged.labels and linked.pairs is not None:
        raise InputError("--labels does not work with --pairs: leave it out")
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
    if judged.by_cluster and (judged.levels or judged.path_separator is not None):
        option = "--level" if judged.levels else "--path-separator"
        raise InputError(f"--by-cluster does not work with {option}: leave it out")
    if judged.by_cluster and not judged.truth:
        raise InputError("--by-cluster scores true clusters: name the column of the truth with --truth")
    if judged.pred and judged.labels:
        raise InputError(
            "give --pred (against the truth) or --labels (from the points), not both: --labels beside --truth is "
            "judged in both ways"
        )
    if points.device is not None and not points.in_torch:
        raise InputError("--device needs --engine torch: give both")
    given = [name for name, is_given in points.demands.items() if is_given]
    if given and not (judged.labels or points.columns):
        raise InputError(f"{given[0]} is an option for points: name the labels with --labels, not --pred")
    others = [name for name in given if name not in ("--batch", "--standardize")]
    if points.batch is not None and others:
        raise InputError(f"{others[0]} does not work with --batch: leave it out")
    if points.checkpoint is not None and len(split_list(judged.labels)) > 1:
        raise InputError("--checkpoint saves the work for one column of labels: judge the columns one by one")
