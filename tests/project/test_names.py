"""Public names and options: one name, meaning and default everywhere, and what a public function returns is public."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import adjudge
from adjudge.cli.flags import COMMANDS, function_of
from adjudge.exported import public_names, public_object
from adjudge.given.point_options import PointOptions
from adjudge.kinds.request import options_of_points

ROOT = Path(__file__).parents[2]
TRUTH, MODEL = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]


def test_intervals_say_what_is_missing() -> None:
    with pytest.raises(
        adjudge.InputError, match="nothing to judge: give labels_true= and labels_pred=, or X= and"
    ):
        adjudge.inference.confidence_intervals(["rand"])
    with pytest.raises(adjudge.InputError, match="labels= is missing: X= needs the labels to judge"):
        adjudge.inference.confidence_intervals(["silhouette"], X=[[0.0], [1.0]])
    with pytest.raises(adjudge.InputError, match="rand compares with the truth: leave X= out"):
        adjudge.inference.confidence_intervals(["rand"], X=[[0.0], [1.0]], labels=[0, 1])
    with pytest.raises(adjudge.InputError, match="method='bca' is an option for clusterings: leave it out"):
        adjudge.inference.comparison_intervals(TRUTH, MODEL, TRUTH, kind="classification", method="bca")


def test_progress_is_told_the_stage() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    given = {"X": X, "labels": (X[:, 0] > 0).astype(int), "indices": "silhouette"}
    stages: list[tuple[Any, ...]] = []
    adjudge.evaluate(**given, progress=lambda *step: stages.append(step))
    assert {what for what, _, _ in stages} == {"distances"}
    assert stages[-1][1] == stages[-1][2] > 0
    chance = {"n_tables": 50, "method": "simulate", "n_jobs": -1}
    adjudge.inference.null_distribution(
        "rand", TRUTH, MODEL, **chance, progress=lambda what, done, total: stages.append((what,))
    )
    assert ("random tables",) in stages
    for wrong in (lambda done, total: None, lambda: None, lambda *, what: None, 3):
        with pytest.raises(
            adjudge.AdjudgeError, match=r": True, False or a function of \(what, done, total\) is"
        ):
            adjudge.evaluate(**given, progress=wrong)


def test_jobs_are_counted() -> None:
    given = {"X": [[0.0], [1.0], [5.0], [6.0]], "labels": [0, 0, 1, 1], "indices": "silhouette"}
    assert adjudge.evaluate(**given, n_jobs=1).values == adjudge.evaluate(**given, n_jobs=-1).values
    for wrong in (0, -2, 1.5, "two"):
        with pytest.raises(
            adjudge.InputError, match=f"n_jobs={wrong!r}: a whole number of threads or workers"
        ):
            adjudge.evaluate(**given, n_jobs=wrong)


@pytest.mark.full
def test_a_report_shows_indices_of_both_sorts(tmp_path: Path) -> None:
    models = {"one": MODEL, "two": [0, 0, 0, 1, 1, 2]}
    X = np.random.default_rng(0).normal(size=(6, 2))
    given = {"kind": "clustering", "X": X, "output": tmp_path / "page.html", "adjust": False}

    def shown(made: adjudge.Report) -> tuple[list[str], list[str] | None]:
        (section,) = made.page["sections"]
        scores = [record["name"] for record in section["scores"]["records"]]
        return scores, section["criteria"] and [row["name"] for row in section["criteria"]["rows"]]

    default = shown(adjudge.report(TRUTH, models, **given))
    assert shown(adjudge.report(TRUTH, models, **given, indices=["dunn", "rand"])) == (["rand"], ["dunn"])
    assert shown(adjudge.report(TRUTH, models, **given, indices="rand")) == (["rand"], default[1])
    assert shown(adjudge.report(TRUTH, models, **given, indices="dunn")) == (default[0], ["dunn"])
    assert shown(adjudge.report(TRUTH, models, **given, indices=None)) == (default[0], None)
    with pytest.raises(adjudge.InputError, match="rand compares with the truth: give labels_true"):
        adjudge.report(None, models, X=X, indices="rand", output=given["output"])


# --- the list of options ----------------------------------------------------------------------------------------

VERBS: dict[str, Callable[..., Any]] = {
    **{
        name: public_object(name)
        for name in (
            "inference.adjusted_for_chance",
            "choose",
            "choose_k",
            "compare",
            "inference.comparison_intervals",
            "inference.confidence_interval",
            "inference.confidence_intervals",
            "evaluate",
            "inference.expected_by_chance",
            "make_scorer",
            "inference.null_distribution",
            "inference.null_distributions",
            "plan",
            "report",
        )
    },
    "benchmark": type(adjudge.benchmark).__call__,
    "benchmark.run": adjudge.benchmark.run,
}
# What a verb may restrict: it takes fewer kinds of value than the widest.
NARROWER = {"indices", "kind", "missing", "noise", "metric", "probabilities", "scores", "best", "engine"}
# What a verb on tables names by its column.
COLUMNS = {"groups", "labels", "sample_weight", "units"}


def _options_of(verb: str) -> dict[str, inspect.Parameter]:
    """Options that are named in a signature, and those of points where it hands them on."""
    parameters = inspect.signature(VERBS[verb]).parameters
    found = {n: p for n, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
    if "points_options" in parameters:
        points = inspect.signature(PointOptions).parameters
        found = {**{n: p for n, p in points.items() if n != "progress"}, **found}
    return found


def _documented() -> dict[str, tuple[str, dict[str, str]]]:
    """The table of docs/conventions.md: the default of each option, and where it is another one."""
    rows = re.findall(
        r"^\| `(\w+)` \| `(.+?)` \| .+ \|(.*)\|$",
        (ROOT / "docs" / "conventions.md").read_text("utf-8"),
        re.MULTILINE,
    )
    found = {}
    for name, default, differs in rows:
        elsewhere = {}
        for part in filter(None, map(str.strip, differs.split(";"))):
            value, verbs = part.rsplit(":", 1)
            own = re.match(r"`(.+?)`", value)
            elsewhere |= dict.fromkeys(re.findall(r"`(.+?)`", verbs), own[1] if own else value)
        found[name] = (default, elsewhere)
    return found


def test_an_option_has_one_default_in_all_verbs() -> None:
    documented = _documented()
    met = set()
    for verb in VERBS:
        for name, parameter in _options_of(verb).items():
            if name in documented:
                default, elsewhere = documented[name]
                wanted = elsewhere.get(verb, default)
                found = (
                    "required" if parameter.default is inspect.Parameter.empty else repr(parameter.default)
                )
                assert found == wanted, (verb, name)
                met |= {(verb, name)}
    # Nothing is documented that is not so.
    for name, (_, elsewhere) in documented.items():
        assert name in {"sample_size"} | {n for _, n in met}
        assert all((verb, name) in met for verb in elsewhere), name


def test_options_of_several_verbs_are_listed() -> None:
    counted = Counter(name for verb in VERBS for name in _options_of(verb))
    of_points = set(inspect.signature(PointOptions).parameters)
    assert {name for name, n in counted.items() if n > 1} - _documented().keys() <= of_points
    assert "sample_size" in options_of_points()


def test_an_option_has_one_type_in_all_verbs() -> None:
    types: dict[str, dict[str, list[str]]] = {}
    for verb in VERBS:
        for name, parameter in _options_of(verb).items():
            # That a verb has a default of its own does not make another option of it.
            said = str(parameter.annotation).removesuffix(" | None")
            types.setdefault(name, {}).setdefault(said, []).append(verb)
    several = {name: said for name, said in types.items() if len(said) > 1}
    assert several.keys() <= NARROWER | COLUMNS | {"random_state"}, several


def _kind_of_value(hint: Any) -> str:
    """Name what an option takes: of a choice, what can be chosen."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(sorted(one.value for one in hint))
    return getattr(hint, "__name__", str(hint))


def test_options_of_commands_are_those_of_the_verbs() -> None:
    """A flag of the command line that has the name of an option means it, and takes the same kind of value."""
    types: dict[str, set[str]] = {}
    for command in chain(*COMMANDS.values()):
        for name, hint in get_type_hints(function_of(command), include_extras=True).items():
            # `adjudge indices` lists records by their kind.
            if name in _documented() and command != "indices":
                # "float | None" is the type of an option that may be left out: float.
                of_type = get_args(hint)[0]
                kinds = [kind for kind in get_args(of_type) or (of_type,) if kind is not type(None)]
                types.setdefault(name, set()).update(map(_kind_of_value, kinds))
    assert types["confidence"] == {"float"}
    assert types["n_resamples"] == {"int"}
    assert types["n_jobs"] == {"int"}
    several = {
        name: kinds - {"list"} for name, kinds in types.items() if len(kinds) > 1 and name not in NARROWER
    }
    # Some commands take one, others several.
    assert all(len(kinds) == 1 for kinds in several.values()), several


def _classes() -> dict[str, type]:
    """All classes of the package by name, but for the programs that use it."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        if not module.name.startswith(("adjudge.cli", "adjudge.__main__")):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, type) and value.__module__.startswith("adjudge"):
                    found[name] = value
    return found


def _functions(name: str) -> Iterator[tuple[str, FunctionType]]:
    """What can be called under a public name: a function, or methods and properties of a class."""
    value: Any = public_object(name)
    if inspect.isfunction(value):
        yield name, value
        return
    own = value if isinstance(value, type) else type(value)
    for key, member in vars(own).items():
        if key == "__call__" or not key.startswith("_"):
            for attribute in ("fget", "func", "__func__"):
                member = getattr(member, attribute, None) or member
            if inspect.isfunction(member):
                yield f"{name}.{key}", member


def test_what_public_functions_return_is_public() -> None:
    # Statistics are for those who write indices: only those that an index of one's own may read are public.
    classes = {n: c for n, c in _classes().items() if not c.__module__.startswith("adjudge.statistics")}
    public = {name.rpartition(".")[2] for name in public_names()}
    unknown = {
        f"{called} returns {word}"
        for name in public_names()
        for called, function in _functions(name)
        for word in re.findall(r"\w+", str(function.__annotations__.get("return", "")))
        if word in classes and word not in public
    }
    assert not unknown
    assert {"Report", "TestResult", "RankTest", "Index"} <= public
