"""Imports go down one list, nothing heavy is imported early, and the package works without its extras."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path

import pytest

import adjudge
from adjudge import exported
from adjudge.exported import PACKAGES
from adjudge.kinds.registry import KINDS

ROOT = Path(adjudge.__file__).parent

# From the bottom to the top: a module imports from its own layer and from those above it in this list.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("version",),
    ("errors",),
    ("callers",),
    ("unknown_names",),
    ("exported",),
    ("usual_seed",),
    ("array_types",),
    ("progress",),
    ("parallel", "blas", "atomic"),
    ("saved",),
    ("presentation",),
    ("kernels",),
    ("given",),
    ("files",),
    ("statistics",),
    ("engines",),
    ("indices",),
    (
        "inference.influence",
        "inference.sampling_design",
        "inference.refusals",
        "inference.common",
        "inference.interval",
        "inference.linear",
    ),
    ("inference.chance",),
    (
        "inference.partitions",
        "inference.points",
        "inference.classes",
        "inference.clusters",
        "inference.data_sets",
    ),
    ("inference.forecasts",),
    ("inference.differences",),
    ("inference",),
    ("results",),
    ("choosing",),
    ("kinds",),
    ("tables",),
    ("verbs",),
    ("benchmarking",),
    ("displays", "_report", "metrics"),
    (
        "verbs.benchmark",
        "verbs.report",
        "verbs.report_sections",
        "verbs.report_against",
        "demo",
    ),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}

# What breaks the rule, with the reason.
EXCEPTIONS = {
    (
        "indices.internal_record",
        "engines.points",
    ): "dunn(X, labels) is a call: the one place where an index reaches an engine",
    ("indices.internal_record", "engines.centroid_fast_path"): "the same call of plain arrays",
    ("indices.selection_record", "engines.labellings"): "krzanowski_lai(X, {K: labels}) is a call",
}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name below adjudge."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        found["" if name == "__init__" else name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def imports() -> dict[str, set[str]]:
    """What each module imports from the package, at its top or inside a function."""
    edges: dict[str, set[str]] = {}
    for name, tree in modules().items():
        targets: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name} imports relatively"
                if node.module == "adjudge" or node.module in {f"adjudge.{own}" for own in PACKAGES}:
                    # A public name stands for the module that holds it.
                    homes = exported.homes(node.module)
                    targets |= {
                        homes.get(alias.name, f"{node.module}.{alias.name}").removeprefix("adjudge.")
                        for alias in node.names
                        if alias.name != "__version__"
                    }
                elif node.module and node.module.startswith("adjudge."):
                    home = node.module.removeprefix("adjudge.")
                    within = {f"{home}.{alias.name}" for alias in node.names}
                    targets |= {home, *(within & modules().keys())}
            elif isinstance(node, ast.Import):
                targets |= {
                    alias.name.removeprefix("adjudge.")
                    for alias in node.names
                    if alias.name.startswith("adjudge.")
                }
        edges[name] = targets
    return edges


def circles() -> list[list[str]]:
    """Modules that import each other over however many others, at their top or inside a function."""
    known = modules().keys()
    edges = {
        name: sorted(target for target in targets if target in known and target != name)
        for name, targets in imports().items()
        if name  # the package itself names its public parts, and imports them when they are asked for
    }
    order: dict[str, int] = {}
    reach: dict[str, int] = {}
    pending: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:  # Tarjan's strongly connected components
        order[name] = reach[name] = len(order)
        pending.append(name)
        for target in edges[name]:
            if target not in order:
                visit(target)
                reach[name] = min(reach[name], reach[target])
            elif target in pending:
                reach[name] = min(reach[name], order[target])
        if reach[name] == order[name]:
            start = pending.index(name)
            found.append(sorted(pending[start:]))
            del pending[start:]

    for name in edges:
        if name not in order:
            visit(name)
    return [circle for circle in found if len(circle) > 1]


@pytest.mark.full
def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles() == []


def layer_of(module: str) -> str:
    """The layer of a module: its own where it has one, else that of the package around it."""
    while module not in RANK and "." in module:
        module = module.rpartition(".")[0]
    return module


@pytest.mark.full
def test_every_module_has_a_layer() -> None:
    assert {layer_of(name) for name in imports() if name} - RANK.keys() == set()


@pytest.mark.full
def test_imports_go_down() -> None:
    for name, targets in imports().items():
        if not name:  # the package itself names its public parts, and imports them when they are asked for
            continue
        for target in targets:
            if (name, target) not in EXCEPTIONS:
                assert RANK[layer_of(target)] <= RANK[layer_of(name)], f"{name} imports {target}"


def test_an_engine_knows_no_index_and_an_index_no_engine() -> None:
    for name, targets in imports().items():
        for target in targets:
            pair = {layer_of(name), layer_of(target)}
            if pair == {"indices", "engines"}:
                assert (name, target) in EXCEPTIONS, f"{name} imports {target}"


def test_names_that_begin_with_an_underscore_stay_in_their_module() -> None:
    """All others may be used by any module: no list says again which ones."""
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "adjudge":
                taken = [alias.name for alias in node.names if alias.name.startswith("_")]
                assert set(taken) <= {"__version__", "__all__", "_report"}, f"{name} imports {taken}"


@pytest.mark.full
def test_kernels_know_nothing_else() -> None:
    for name, targets in imports().items():
        if layer_of(name) == "kernels":
            assert {layer_of(target) for target in targets} <= {"kernels"}, name


def test_exceptions_are_still_needed() -> None:
    edges = {(name, target) for name, targets in imports().items() for target in targets}
    assert EXCEPTIONS.keys() <= edges


def imported_at_the_top(tree: ast.Module) -> set[str]:
    """Packages that are imported when the module is (not inside functions, not for type checkers alone)."""
    found: set[str] = set()
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        pending.extend(ast.iter_child_nodes(node))
    return found


EXTRAS = (
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "matplotlib",
    "torch",
    "dask",
    "pyspark",
    "ibis",
    "anywidget",
)


def test_extras_are_imported_on_use() -> None:
    for name, tree in modules().items():
        packages = {module.partition(".")[0] for module in imported_at_the_top(tree)}
        assert packages.isdisjoint(EXTRAS), f"{name} imports {packages & set(EXTRAS)} at its top"


def test_no_module_hides_a_public_name() -> None:
    """Once imported, a module called like a public function would take its place in the package."""
    top = {name for name in imports() if name and "." not in name}
    indices = {record.name for record in adjudge.list_indices()}
    assert top.isdisjoint(({*exported.homes("adjudge")} - {*PACKAGES, "errors", "metrics"}) | indices)
    for package in PACKAGES:
        own = {name.removeprefix(f"{package}.") for name in imports() if name.startswith(f"{package}.")}
        assert own.isdisjoint(
            {*exported.homes(f"adjudge.{package}")} | (indices if package == "indices" else set())
        )


def in_a_fresh_process(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT.parent), "PATH": "", "HOME": str(Path.home())},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


HEAVY = (
    "sklearn", "joblib", "matplotlib", "pandas", "polars", "pyarrow", "narwhals", "duckdb",
    "jinja2", "typer", "rich", "torch", "scipy", "scipy.optimize", "numpy",
)  # fmt: skip


def test_importing_the_package_imports_nothing_heavy() -> None:
    output = in_a_fresh_process(f"import sys, adjudge; print([m for m in {HEAVY!r} if m in sys.modules])")
    assert output.strip() == "[]"


@pytest.mark.full
def test_looking_indices_up_imports_nothing_heavy() -> None:
    light = [m for m in HEAVY if m != "numpy"]
    output = in_a_fresh_process(
        f"""
        import sys, adjudge
        adjudge.list_indices()
        adjudge.jaccard, adjudge.evaluate, adjudge.compare, adjudge.Comparison, adjudge.statistics.Contingency
        print([m for m in {light!r} if m in sys.modules])
        """
    )
    assert output.strip() == "[]"


@pytest.mark.full
def test_scikit_learn_is_imported_at_the_first_call_of_its_functions() -> None:
    output = in_a_fresh_process(
        """
        import sys
        from adjudge import metrics
        before = "sklearn" in sys.modules
        metrics.accuracy_score([0, 1], [0, 1])
        print(before, "sklearn" in sys.modules)
        """
    )
    assert output.split() == ["False", "True"]


def test_a_first_call_on_few_labels_imports_nothing_of_points_files_or_threads() -> None:
    unneeded = [*(m for m in HEAVY if m != "numpy"), "concurrent.futures", "tempfile", "adjudge.given.points"]
    output = in_a_fresh_process(
        f"""
        import sys, numpy as np, adjudge
        before = set(sys.modules)
        adjudge.adjusted_rand(np.array([0, 0, 1]), np.array([0, 1, 1]))
        print([m for m in {unneeded!r} if m in sys.modules and m not in before])
        """
    )
    assert output.strip() == "[]"


BLOCKER = f"""
import sys

class Without:
    def __init__(self, finder):
        self._finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            return None
        return self._finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self._finder, name)

sys.meta_path[:] = map(Without, sys.meta_path)
"""


@pytest.mark.full
def test_without_extras_all_modules_are_imported() -> None:
    names = [f"adjudge.{name}" for name in imports() if name not in ("", "__main__")]
    output = in_a_fresh_process(
        BLOCKER
        + f"""
import importlib
for name in {names!r}:
    importlib.import_module(name)
print(len({names!r}), "imported")
"""
    )
    assert output.strip() == f"{len(names)} imported"


@pytest.mark.full
def test_without_extras_labels_are_judged() -> None:
    output = in_a_fresh_process(
        BLOCKER
        + """
import adjudge
print(adjudge.evaluate(["a", "a", "b"], [0, 0, 1])["ari"])
result = adjudge.compare([0, 0, 1], {"p": [0, 0, 1], "q": [0, 1, 1]}, kind="clustering")
print(result["p", "q"].right_wrong, bool(repr(result)), bool(result.to_dict()), bool(result._repr_html_()))
try:
    result.to_frame()
except adjudge.errors.MissingExtraError as error:
    print(error)
print(issubclass(adjudge.errors.MissingExtraError, (adjudge.AdjudgeError, ImportError)))
"""
    )
    assert output.splitlines() == [
        "1.0",
        "2 True True True",
        "to_frame() needs the package 'pandas', which is not installed: pip install 'adjudge[pandas]'",
        "True",
    ]


@pytest.mark.full
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_are_of_a_library_that_is_installed(library: str) -> None:
    others = tuple(e for e in ("pandas", "polars", "pyarrow") if e != library)
    output = in_a_fresh_process(
        BLOCKER.replace(repr(EXTRAS), repr(others))
        + """
import adjudge
print(type(adjudge.evaluate([0, 0, 1], [0, 1, 1], indices="rand").to_frame()).__module__.partition(".")[0])
"""
    )
    assert output.strip() == library


#: Modules of the verbs and the command line that still name a kind; no other may, and one that no longer does goes.
STILL_NAMING = {
    "verbs.benchmark",
    "verbs.compare_counts",
    "verbs.evaluate",
    "verbs.evaluate_columns",
    "verbs.evaluate_counts",
    "verbs.gate_models",
    "verbs.raters",
    "verbs.report",
    "verbs.report_against",
    "verbs.report_sections",
    "verbs.scoring",
    "cli.estimators",
    "cli.evaluate",
    "cli.evaluation_checks",
    "cli.compare",
    "cli.report",
    "cli.command_parameters",
    "cli.flags",  # of the command `raters`
    "cli.parameters",
    "cli.raters",
}


def kinds_of_cases() -> set[str]:
    """The modules that hold a kind of what is judged."""
    known, found = {"Case"}, set[str]()
    for _ in range(3):  # a kind may be a form of another one
        for name, tree in modules().items():
            for node in tree.body if name.startswith("kinds.") else ():
                if isinstance(node, ast.ClassDef) and known & {
                    getattr(base, "id", "") for base in node.bases
                }:
                    known.add(node.name)
                    found.add(name)
    return found


def says_a_kind(tree: ast.Module) -> bool:
    """Whether code, beside annotations, has the name of a kind as text."""
    annotations = [node.annotation for node in ast.walk(tree) if isinstance(node, (ast.arg, ast.AnnAssign))]
    annotations += [node.returns for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    aside = {id(part) for one in annotations if one is not None for part in ast.walk(one)}
    # `values` is the name of an option and of the scores of a result, too.
    names = {*KINDS, "overlapping", "raters"} - {"values"}
    return any(
        isinstance(node, ast.Constant) and node.value in names and id(node) not in aside
        for node in ast.walk(tree)
    )


def test_what_serves_every_kind_names_none() -> None:
    kinds = kinds_of_cases()
    assert len(kinds) >= 11
    naming = {
        name
        for name, tree in modules().items()
        if name.startswith(("verbs.", "cli.")) and (imports()[name] & kinds or says_a_kind(tree))
    }
    assert naming == STILL_NAMING
