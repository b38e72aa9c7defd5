"""What is shipped: metadata; the wheel and the sdist, built and used, by `make test-release` (needs the network)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import adjudge

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

asked_for = pytest.mark.skipif(
    "ADJUDGE_TEST_RELEASE" not in os.environ,
    reason="builds and installs, which needs the network: make test-release",
)


# --- metadata -----------------------------------------------------------------------------------------------------


def test_the_lowest_versions_are_those_that_are_tested() -> None:
    """Every bound of a dependency is pinned at that version for `make test-lowest`."""
    text = (ROOT / "requirements" / "lowest.txt").read_text("utf-8")
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)$", text, re.MULTILINE))
    extras = PROJECT["optional-dependencies"]
    bounds = [
        *PROJECT["dependencies"],
        *(extras[name][0] for name in ("pandas", "polars", "arrow", "duckdb")),
    ]
    for bound in bounds:
        name, _, lowest = bound.partition(">=")
        assert re.fullmatch(rf"{re.escape(lowest)}(\.0)*", pinned[name]), bound


def test_the_changelog_has_this_version_or_what_comes_next() -> None:
    newest = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")[1]
    heading = newest.partition("\n")[0]
    words = len(newest.split())  # which take two minutes to read
    assert words <= 450, f"the newest section has {words} words, and 450 are allowed: shorten other lines"
    if heading != "Unreleased":
        version, _, released = heading.partition(" - ")
        assert version == adjudge.__version__
        cited = (ROOT / "CITATION.cff").read_text("utf-8")
        assert f"version: {version}\ndate-released: {released}\n" in cited
        promised = json.loads((ROOT / "tests" / "reference" / "names.json").read_text("utf-8"))
        here = [(record.kind, record.name) for record in adjudge.list_indices()]
        missing = [name for kind, name in here if name not in promised.get(kind, {})]
        assert missing == [], "a release promises its names: add them to tests/reference/names.json"


def test_wheels_are_tested_with_files_that_are_here() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    named = [*tool["test-sources"], *(word for word in tool["test-command"].split() if word.endswith(".py"))]
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.skipif(not (ROOT / "paper").is_dir(), reason="the sdist has no paper")
def test_the_paper_names_files_and_references_that_exist() -> None:
    paper = (ROOT / "paper" / "paper.md").read_text("utf-8").partition("# Summary")[2]
    named = re.findall(r"`((?:docs|tests)/[^`]+)`", paper)
    assert len(named) >= 10
    assert [name for name in named if not (ROOT / name).exists()] == []
    entries = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"@(\w+)", paper)) == set(entries)
    assert 750 <= len(paper.split()) <= 1750  # what the journal asks for


def test_the_conda_recipe_is_of_this_version_and_has_the_dependencies() -> None:
    recipe = (ROOT / "packages" / "conda" / "recipe.yaml").read_text("utf-8")
    assert f'version: "{PROJECT["version"]}"' in recipe
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    stated = [line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()]
    assert stated == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert all(licence in recipe for licence in PROJECT["license-files"])


# The whole way from labels to a page, as a user's first program, with every warning an error.
PROGRAM = """
import sys
import adjudge

truth = ["cat", "cat", "dog", "dog", "dog"]
models = {"one": ["cat", "cat", "dog", "dog", "cat"], "two": ["cat", "dog", "dog", "dog", "dog"]}
X = [[0.0, 1.0], [0.5, 1.5], [9.0, 8.0], [9.5, 8.0], [9.0, 9.0]]
print(adjudge.evaluate(truth, models["one"], X=X, confidence=0.9, adjust=True)["ari"])
print(adjudge.compare(truth, models, kind="classification", confidence=0.9)["one", "two"].right_wrong)
print(adjudge.choose_k(X, "ward", k=(2, 3)).k)
print(len(adjudge.list_indices()) > 100)
print(adjudge.make_scorer("silhouette"))
"""
SAID = ["0.16666666666666666", "1", "2", "True", "make_scorer('silhouette')"]


def run(*command: str | Path, cwd: Path) -> str:
    """Run without this checkout in sight; say what was printed."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, cwd=cwd, env=kept
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.full
def test_no_warning(tmp_path: Path) -> None:
    assert run(sys.executable, "-W", "error", "-c", PROGRAM, cwd=tmp_path).splitlines() == SAID


# --- the wheel and the sdist --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and the wheel out of the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def tracked(folder: str) -> set[str]:
    """Files below a folder of the repository that are under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", folder], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


@asked_for
def test_the_wheel_has_kernels_for_every_processor(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    compiled = {
        Path(name).name.partition(".")[0] for name in names if name.endswith((".so", ".pyd", ".dylib"))
    }
    assert compiled in ({"_processor", "_v2", "_v3"}, {"_processor", "_any"})
    assert [name for name in names if name.endswith((".pyc", ".cpp", ".h"))] == []
    sources = {Path(name).stem for name in tracked("src/kernels") if name.endswith(".cpp")} - {"module"}
    assert {Path(n).stem for n in names if n.endswith(".pyi") and "/kernels/" in n} == sources
    stubs = {name for name in tracked("src/adjudge") if name.endswith(".pyi")}
    assert stubs <= {f"src/{name}" for name in names}


@asked_for
def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if not name.startswith("adjudge-")}
    package = {name.removeprefix("src/") for name in tracked("src/adjudge")}
    assert package <= inside
    assert {name.partition("/")[0] for name in inside} == {"adjudge"}
    for kind in ("adjudge/py.typed", ".html.j2", ".js", ".css", ".json", "uPlot.LICENSE.txt"):
        assert any(name.endswith(kind) for name in inside), kind


@asked_for
def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        says = message_from_string(archive.read(metadata).decode())
        licences = {Path(name).name for name in archive.namelist() if "/licenses/" in name}
    assert says["Name"] == "adjudge"
    assert says["License-Expression"] == PROJECT["license"]
    assert says["Requires-Python"] == PROJECT["requires-python"]
    assert {"LICENSE", "uPlot.LICENSE.txt"} <= licences
    assert len(says.get_all("Requires-Dist") or []) > len(PROJECT["dependencies"])


@asked_for
def test_the_sdist_can_be_built_and_tested(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    single = (
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE",
        "CITATION.cff",
        "pyproject.toml",
        "Makefile",
        "CMakeLists.txt",
    )
    for needed in (*single, *tracked("tests"), *tracked("src")):
        assert needed in names, needed
    assert [name for name in names if "_build" in name or "__pycache__" in name] == []


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel in an environment of its own, and say where its programs are."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    return programs


@asked_for
def test_the_installed_wheel_works(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "python", "-W", "error", "-c", PROGRAM, cwd=tmp_path).splitlines() == SAID
    home = run(installed / "python", "-c", "import adjudge; print(adjudge.__file__)", cwd=tmp_path)
    assert Path(home.strip()).is_relative_to(installed.parent)


@asked_for
def test_the_installed_demo_writes_a_report(installed: Path, tmp_path: Path) -> None:
    assert adjudge.__version__ in run(installed / "adjudge", "--version", cwd=tmp_path)
    run(installed / "adjudge", "demo", "--output", "report.html", cwd=tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert len(page) > 100_000
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


# --- the README, where nothing is installed but what adjudge needs --------------------------------------------------

EXAMPLES = """
import doctest, re, sys
from pathlib import Path

blocks = re.findall(r"^```python\\n(.*?)^```$", Path(sys.argv[1]).read_text("utf-8"), re.DOTALL | re.MULTILINE)
test = doctest.DocTestParser().get_doctest("\\n".join(blocks), {}, "README.md", None, 0)
runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
runner.run(test)
print(runner.tries, runner.failures)
"""


@asked_for
def test_nothing_is_installed_but_what_is_needed(installed: Path, tmp_path: Path) -> None:
    listed = run(installed / "python", "-m", "pip", "list", "--format=freeze", cwd=tmp_path).lower()
    names = {line.partition("==")[0].partition(" @ ")[0] for line in listed.splitlines()}
    assert {"adjudge", "jinja2", "latex2mathml", "scikit-learn"} <= names
    assert names.isdisjoint({"polars", "pandas", "pyarrow", "duckdb", "matplotlib", "ipython", "pytest"})


@asked_for
def test_the_examples_of_the_readme(installed: Path, tmp_path: Path) -> None:
    said = run(installed / "python", "-W", "error", "-c", EXAMPLES, ROOT / "README.md", cwd=tmp_path)
    tries, failures = map(int, said.splitlines()[-1].split())
    assert tries >= 10
    assert failures == 0, said
    assert (tmp_path / "tumours.html").stat().st_size > 50_000


@asked_for
def test_the_commands_of_the_readme(installed: Path, tmp_path: Path) -> None:
    """As a shell runs them, one after the other, in the folder that has the table."""
    text = (ROOT / "README.md").read_text("utf-8")
    (table,) = re.findall(r"^```csv\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (console,) = re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "predictions.csv").write_text(table, "utf-8")
    examples = re.findall(r"^\$ (.*)\n((?:(?!\$).*\n)*)", console, re.MULTILINE)
    assert len(examples) >= 4
    path = os.pathsep.join([str(installed), os.environ["PATH"]])
    for command, shown in examples:
        done = subprocess.run(
            ["sh", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"PATH": path, "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        )
        assert done.stdout.strip() == shown.strip(), command
        assert done.returncode == (2 if shown.startswith("adjudge: ") else 0), command
    assert (tmp_path / "pairs.csv").is_file()
