"""What `adjudge evaluate` refuses before it reads anything: flags that do not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjudge.cli.judged_models import of_classifiers
from adjudge.cli.messages import flag
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.command import Call

__all__ = ["check_evaluation", "options_of_indices"]

_OF_SETS = ("multilabel", "overlapping")
# Options that matter only for points, and those of them that batches have, too.
_OF_POINTS = ("engine", "standardize", "batch", "exact", "metric", "bins", "memory_limit", "precision", "sample_size",
              "checkpoint", "compat", "index_option")  # fmt: skip
_OF_BATCHES = ("batch", "standardize")
# Options of points that say how indices are defined.
_OF_INDICES = ("n_neighbors", "dimension", "tree", "min_points")


def check_evaluation(call: Call) -> None:
    """Raise for flags that do not go together."""
    options = call.options
    kind, classifiers, by_cluster = options.get("kind"), of_classifiers(call), call.beside["by_cluster"]
    alone, in_pairs = "labels" in options or "features" in options, "pairs" in options
    in_torch = options.get("engine") == "torch"
    points = [_worded(name, options) for name in _OF_POINTS if _is_given(name, call)]
    others = [name for name in points if name not in map(flag, _OF_BATCHES)]
    tree = next((flag(name) for name in ("levels", "path_separator") if name in options), None)
    refusals: dict[str, bool] = {
        "--graph judges communities: name their columns with --labels": "graph" in options
        and "labels" not in options
        and not in_pairs,
        "--labels does not work with --pairs: leave it out": in_pairs and "labels" in options,
        f"{_first(classifiers)} is an option for classifiers: name their labels with --pred": bool(
            classifiers
        )
        and alone,
        f"--kind {kind} judges labels against the truth: name them with --pred": kind in _OF_SETS and alone,
        f"{_first(classifiers)} is an option for classifiers: leave out --kind overlapping": bool(classifiers)
        and kind == "overlapping",
        "--by-cluster matches clusters: leave it out for classifiers, which have scores by class": by_cluster
        and (bool(classifiers) or kind not in (None, "clustering")),
        f"--by-cluster does not work with {tree}: leave it out": by_cluster and tree is not None,
        "--by-cluster does not work with --graph: leave it out": by_cluster and "graph" in options,
        "--by-cluster scores true clusters: name the column of the truth with --truth": by_cluster
        and "truth" not in options,
        "give --pred (against the truth) or --labels (from the points), not both: --labels beside --truth is judged in "
        "both ways": "pred" in options and "labels" in options,
        "--device needs --engine torch: give both": "device" in options and not in_torch,
        f"{_first(points)} is an option for points: name the labels with --labels, not --pred": bool(points)
        and not alone,
        f"{_first(others)} does not work with --batch: leave it out": "batch" in options and bool(others),
        "--checkpoint saves the work for one column of labels: judge the columns one by one": "checkpoint"
        in options
        and len(options.get("labels", ())) > 1,
    }
    for message, is_refused in refusals.items():
        if is_refused:
            raise InputError(message)
    if classifiers and kind == "clustering" and not in_pairs:
        by_group = classifiers[0] == "--by"
        remedy = (
            "judge clusterings by group with 'adjudge compare'" if by_group else "leave out --kind clustering"
        )
        raise InputError(f"{classifiers[0]} is an option for classifiers: {remedy}")


def options_of_indices(call: Call) -> dict[str, Any]:
    """Read what --index-option sets."""
    from adjudge.cli.estimators import plain_value

    given = {}
    for text in call.beside["index_option"] or ():
        name, sign, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if name not in _OF_INDICES or not sign:
            known = ", ".join(_OF_INDICES)
            raise InputError(f"--index-option {text!r} is not known: write NAME=VALUE with {known}")
        given[name] = plain_value(value)
    return given


def _is_given(name: str, call: Call) -> bool:
    if name == "engine":  # others say what reads the file
        return call.options.get("engine") == "torch"
    return name in call.options or call.beside.get(name) is not None


def _worded(name: str, options: dict[str, Any]) -> str:
    return "--engine torch" if name == "engine" else flag(name)


def _first(names: list[str]) -> str:
    return next(iter(names), "")
