"""The command `adjudge evaluate`: how good labels are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.evaluation_checks import check_evaluation, options_of_indices
from adjudge.cli.judged_models import OF_FORECASTS, Models, of_classifiers
from adjudge.cli.messages import one_line
from adjudge.cli.output import say, share_done, show_work
from adjudge.cli.saving import check_saved, engine_of_saved, save_result
from adjudge.errors import InputError, Worded
from adjudge.presentation.numbers import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adjudge.presentation.tables import Table
    from adjudge.results import Evaluation, Evaluations
    from adjudge.tables.files import FileTable

__all__ = ["evaluate"]

#: The measures that are shown for each true cluster.
_OF_CLUSTERS = ("precision", "recall", "f1", "jaccard")


@command(
    {
        "What is judged": (
            "truth", "pred", "labels", "values", "kind", "indices", "path_separator", "levels", "by_cluster",
        ),
        "Classifiers": (
            *OF_FORECASTS, "scores", "classes", "positive", "prevalence", "judge", "costs", "groups",
            "groups_correction", "delimiter",
        ),
        "Points": (
            "features", "batch", "decimal", *FILES, "standardize", "metric", "compat", "index_option", "exact", "bins",
            "memory_limit", "precision", "sample_size", "checkpoint", "engine", "device",
        ),
        "Graph": ("graph", "directed", "key"),
        "Linked pairs": ("pairs", "threshold"),
        "Missing labels, noise, weights": (
            "missing", "noise", "noise_label", "sample_weight", "weights", "units", "runs",
        ),
        "Certainty": ("confidence", "adjust", "random_state"),
        "Output": ("save", *OUTPUT, "report"),
    },
    verb="evaluate",
    beside=(*OF_FORECASTS, "scores", "by_cluster", "index_option"),
)  # fmt: skip
def evaluate(call: Call) -> None:
    """Judge labels against the truth (--truth, --pred), from the points alone (--labels), or both (--truth, --labels).

    With --graph, labels are communities that the edges of a graph judge.

    For example:

    - `adjudge evaluate iris.csv --truth species --pred kmeans,ward`
    - `adjudge evaluate iris.csv --truth species --pred kmeans --by-cluster`
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

    saved, page = call.beside["save"], call.beside["report"]
    check_saved(saved)
    check_evaluation(call)
    with show_work(f"Judging {call.file}") as update:
        given = next((name for name in ("values", "labels") if name in call.options), "pred")
        models = Models.of(_table(call), call, given)
        truth, options = _options(call, models)
        found = adjudge.evaluate(models.table, **options, progress=share_done(update))
    pairs = options.get("pairs")
    if isinstance(found, Evaluations):
        results: Mapping[str, Any] = found.evaluations
    else:
        results = {pairs.name if pairs is not None else next(iter(models.scores or ())): found}
    say(results, but=_said_already(options, results))
    how, graph = options.get("standardize"), options.get("graph")
    about = {
        "file": call.shown,
        "truth": truth,
        "columns": next(iter(results.values())).settings.get("features"),
        "standardized": how is not None,
        "scaling": how,
        **({} if graph is None else {"graph": str(graph)}),
    }
    several = Evaluations(results)
    whole = next(iter(results.values())) if len(results) == 1 else several
    if saved is not None:
        save_result(whole, saved)
    if page is not None:
        adjudge.report(evaluation=whole, note=f"Read from {call.file.name}.", output=page)
    _write(call, several, about)


def _write(call: Call, found: Evaluations, about: dict[str, Any]) -> None:
    """Write the scores of all columns, and on request those of each true cluster."""
    by_cluster = bool(call.beside["by_cluster"])

    def said_of(one: Evaluation) -> dict[str, Any]:
        return one.to_dict() | ({"by_cluster": one.by_cluster().to_dict()} if by_cluster else {})

    def of_clusters() -> list[Table]:
        return found.cluster_tables(*_OF_CLUSTERS) if by_cluster else []

    each = found.evaluations.values()
    call.output.write(
        data=lambda: {
            "kind": "evaluations",
            **about,
            "evaluations": {name: said_of(one) for name, one in found.evaluations.items()},
        },
        tables=lambda: [
            *found.by_index(_title(found, about), "--format json has the scores of each"),
            *of_clusters(),
        ],
        rows=lambda: found.stacked(of_clusters() or [one.table_with_groups() for one in each]),
    )


def _title(found: Evaluations, about: Mapping[str, Any]) -> str:
    """Say what was judged: the sample, the truth and the points."""
    # The first that says that labels count as clusters.
    samples = [one.sample_parts() for one in found.evaluations.values()]
    title = one_line(Worded(*max(samples, key=len)))
    if about["truth"] is not None:
        title += f"; truth: {about['truth']}"
    if about["columns"] is not None:
        title += f"; points: {shortened(about['columns'], 6)}"
    return title


def _table(call: Call) -> FileTable:
    """Open the file; --engine torch computes, and reads it into memory."""
    from adjudge.tables.files import FileTable

    engine = engine_of_saved(call) or call.options.get("engine", "auto")
    return FileTable(call.file, engine="memory" if engine == "torch" else engine)


def _options(call: Call, models: Models) -> tuple[str | None, dict[str, Any]]:
    """Return the truth, and the arguments of `adjudge.evaluate`."""
    options = call.options | options_of_indices(call)
    if "values" in options:
        return None, {**options, "values": list(models.columns.values())}
    if options.get("engine") != "torch":
        options.pop("engine", None)
    alone, in_pairs = "labels" in options or "features" in options, "pairs" in options
    options.pop("labels", None)
    truth = options.get("truth") if alone else models.truth
    if "levels" in options:
        truth = "/".join(options["levels"])
    elif truth is not None:
        options["truth"] = truth
    if not (models.columns or models.probabilities or models.scores or "levels" in options or in_pairs):
        raise InputError(
            "nothing to judge: name columns with --pred (against --truth) or --labels (from points)"
        )
    if truth is None and not alone and not in_pairs:
        raise InputError("--pred is judged against the truth: name its column with --truth, or use --labels")
    pred: Any = list(models.columns.values())
    forecasts = {"probabilities": models.probabilities, "scores": models.scores}
    if models.scores is not None and models.probabilities is None and not pred:
        if len(models.scores) > 1:
            raise InputError("--scores only rank the instances: name the models' labels with --pred, too")
        (options["scores"],) = models.scores.values()
    elif given := {option: own for option, own in forecasts.items() if own is not None}:
        names = models.columns or dict.fromkeys(name for own in given.values() for name in own)
        pred = {
            name: adjudge.Classifier(
                models.columns.get(name), **{option: own.get(name) for option, own in given.items()}
            )
            for name in names
        }
    options |= {"pred": pred} if pred else {}
    if alone and "graph" not in options:
        options.setdefault("features", "all")
    if call.beside["by_cluster"]:
        options["kind"] = "clustering"  # no others can be judged by cluster
    elif of_classifiers(call) and not in_pairs:
        options.setdefault("kind", "classification")
    return truth, options


def _said_already(options: Mapping[str, Any], results: Mapping[str, Evaluation]) -> set[str]:
    """Return the codes of notices to skip: the title says them, or the user typed the option that they are about."""
    from adjudge.results.label_notices import NAMES_ARE_ARBITRARY, NO_NOISE_FOUND

    if "noise" not in options:
        return {NAMES_ARE_ARBITRARY}
    found = {NAMES_ARE_ARBITRARY, "noise-is-a-cluster"}
    # Some columns may have none, but hardly all.
    lacking = [NO_NOISE_FOUND in {notice.code for notice in one.warnings} for one in results.values()]
    return found if all(lacking) else found | {NO_NOISE_FOUND}
