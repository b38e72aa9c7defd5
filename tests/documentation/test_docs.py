"""What the documentation shows is what happens, and what it lists is complete."""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import shlex
import sys
import tomllib
import types
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import adjudge
import naive
from adjudge.cli import main
from adjudge.exported import PACKAGES, public_names
from adjudge.indices import catalog
from adjudge.indices.kinds import KINDS
from adjudge.indices.references import REFERENCES
from conftest import as_number, read_reference, reference_cases

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
sys.path.append(str(DOCS / "_extensions"))

# The pages that people write: others are generated, from records and from measurements.
PAGES = sorted(p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] in ("guide", p.name))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def run_examples(page: Path) -> int:
    examples = [block for block in blocks(page, "python") if block.startswith(">>>")]
    test = doctest.DocTestParser().get_doctest("\n".join(examples), {}, page.name, None, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    return runner.tries


def page_name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.full(keep=1)
@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.stem not in ("add_an_index", "architecture")], ids=page_name
)
def test_examples_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run_examples(page)
    assert (ran > 0) == (">>>" in page.read_text("utf-8"))
    if page.stem == "which_settings":
        (console,) = blocks(page, "console")
        run_commands(console, capsys)


def run_commands(console: str, capsys: pytest.CaptureFixture[str]) -> None:
    sessions = re.findall(r"^\$ adjudge (.*)\n((?:(?!\$).*\n)*)", console, re.MULTILINE)
    assert len(sessions) == console.count("$ adjudge") > 0
    for command, shown in sessions:
        capsys.readouterr()
        main(shlex.split(command))
        captured = capsys.readouterr()
        said = f"{(captured.out + captured.err).strip()}\n"
        checked = doctest.OutputChecker().check_output(f"{shown.strip()}\n", said, doctest.ELLIPSIS)
        assert checked, said


def test_shell_examples_of_the_first_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / "getting_started.md"
    (table,), (console,) = blocks(page, "text"), blocks(page, "console")
    Path("pets.csv").write_text(table, "utf-8")
    run_commands(console, capsys)


@pytest.fixture
def with_the_index_of_the_page(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Do what the page says: put its code into a module of indices, and its definition into the naive twins."""
    code, twin = (
        block
        for block in blocks(DOCS / "add_an_index.md", "python")
        if not block.startswith((">>>", "# my_indices"))
    )
    module = types.ModuleType("the_page")
    exec(compile(code, "add_an_index.md", "exec"), vars(module))
    assert "yule_y" not in catalog.all_indices(), "the page shows an index that is there already"
    monkeypatch.setitem(sys.modules, "adjudge.indices.the_page", module)
    monkeypatch.setattr(catalog, "_MODULES", {**catalog._MODULES, "the_page": ()})
    monkeypatch.setattr(naive, "PAIR_INDICES", dict(naive.PAIR_INDICES))
    exec(compile(twin, "add_an_index.md", "exec"), dict(vars(naive)))
    catalog._forget()
    yield module.yule_y
    monkeypatch.undo()
    vars(adjudge).pop("yule_y", None)
    REFERENCES.pop("yule1912", None)
    catalog._forget()


def test_an_index_is_added_as_the_page_says(
    with_the_index_of_the_page: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    from indices import test_catalog_generated

    record = with_the_index_of_the_page
    page = DOCS / "add_an_index.md"
    assert run_examples(page) >= 4
    assert adjudge.find_index("yule_y") is record
    assert record.citation.startswith("G. U. Yule")
    test_catalog_generated.test_facts(record)
    from index_pages import page as page_of

    from adjudge.indices.notation import UNEXPLAINED

    assert "# Yule's Y" in page_of(record)
    assert UNEXPLAINED not in record.notation.values()
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 20, 20):
        a, b = rng.integers(0, 3, (2, n)).tolist()
        twin = naive.external_indices(a, b)[record.name]
        assert test_catalog_generated.same(record(a, b), twin)
    commands = re.findall("`adjudge (indices [^`]+)`", page.read_text("utf-8"))
    assert commands
    for command in commands:
        main(command.split())
        assert "Yule's Y" in capsys.readouterr().out


def test_code_of_pages_fits_its_box() -> None:
    """The style sheet makes room for 100 columns; beyond them a reader has to scroll."""
    from placeholders import fill

    for page in PAGES:
        for code in re.findall(
            r"^```\w+\n(.*?)^```$", fill(page.read_text("utf-8")), re.DOTALL | re.MULTILINE
        ):
            for line in code.splitlines():
                assert len(line) <= 100, (page_name(page), line)


@pytest.mark.full
def test_every_index_has_a_page_that_says_what_its_record_says() -> None:
    """Examples that need a whole sweep are run by ``make docs``; those of the docstrings by their own test."""
    from index_pages import facts
    from inline_math import with_math

    for record in adjudge.list_indices():
        said = dict(facts(record))
        assert said["Kind"] == f"[{record.kind}](index.md)"
        assert f"{record.range[0]:g}".lstrip("-") in said["Range"].replace("∞", "inf")
        assert said.get("Undefined or infinite", "") == with_math(record.undefined, record)
        assert all(f"`{alias}`" in said["Also found as"] for alias in record.aliases)


def test_the_page_of_all_indices_has_a_line_on_each() -> None:
    from index_pages import MEANINGS, TITLES, overview

    untold = [kind for kind in KINDS if kind not in TITLES or kind not in MEANINGS]
    assert not untold, f"docs/_extensions/index_pages.py has no title or no meaning of {untold}"
    page = overview()
    for record in adjudge.list_indices():
        assert re.search(rf"^\| \[{record.name}\]\({record.name}\.md\) \| \S.+ \|$", page, re.MULTILINE), (
            record.name
        )
        assert record.summary in page.replace("\\|", "|"), record.name


def test_calls_of_this_package_on_the_page_for_users_of_others_exist() -> None:
    """Its examples run; in its tables, what is said to be here is here."""
    rows = re.findall(r"^\| .+? \| (.+) \|$", (DOCS / "coming_from.md").read_text("utf-8"), re.MULTILINE)
    called = {
        name for row in rows for name in re.findall(r"(?<![.\w])(?:adjudge\.)?([A-Za-z]\w+)(?=[(.])", row)
    }
    assert len(called) > 15
    from adjudge.results import KChoice

    fields = set(KChoice.__dataclass_fields__)
    assert {name for name in called if name not in {*dir(adjudge), *dir(adjudge.indices)}} <= {
        "adjudge",
        "range",
        "choice",
        "names",
    }
    parts = {name for row in rows for name in re.findall(r"(?:^|[\s`])`?\.(\w+)", row)}
    assert parts & fields >= {"votes", "values", "critical", "labels"}


def test_every_formula_can_be_drawn() -> None:
    from mathml import to_mathml

    for record in adjudge.list_indices():
        assert record.formula, record.name
        for formula in (record.formula, *record.notation):
            drawn = to_mathml(formula, block=True)
            assert "\\" not in drawn, (record.name, formula)
            assert "merror" not in drawn, (record.name, formula)


def test_names_of_several_letters_are_identifiers() -> None:
    from mathml import to_mathml

    assert "<mi>RW</mi><mo>&#x02212;</mo><mi>WR</mi>" in to_mathml("RW - WR")
    assert "<mtext>" in to_mathml(r"i \text{ and } j")


def test_every_symbol_of_a_formula_is_explained() -> None:
    from adjudge.indices.notation import UNEXPLAINED

    for record in adjudge.list_indices():
        assert record.notation or "=" in record.formula, record.name
        unexplained = [symbol for symbol, said in record.notation.items() if said == UNEXPLAINED]
        assert not unexplained, f"{record.name} does not explain {unexplained}: add them to its symbols="
        assert set(record.symbols) <= set(record.notation), f"{record.name} explains what it does not use"


def test_a_symbol_that_is_not_explained_is_found() -> None:
    from adjudge.indices.notation import UNEXPLAINED, explained

    def unexplained(formula: str, kind: Any = "internal", **own: str) -> list[str]:
        return [s for s, meaning in explained(formula, kind, own).items() if meaning == UNEXPLAINED]

    assert unexplained(r"\frac{n_k Q_k}{N}") == ["Q_k"]
    assert unexplained(r"\frac{n_k Q_k}{N}", Q_k="something") == []
    assert unexplained(r"S_{max} - S_W") == ["S_{max}"]  # another S than the one that is explained
    assert unexplained(r"\max_\sigma n_{i\,\sigma(i)}") == [r"\sigma", r"n_{i\,\sigma(i)}"]
    assert unexplained(r"\max_\sigma n_{i\,\sigma(i)}", "external") == []
    assert unexplained(r"\sigma_c = \frac{RW}{BR}", "comparative") == []  # what the formula defines


def test_sentences_of_records_are_set_as_mathematics_where_they_are() -> None:
    from inline_math import with_math

    assert with_math(adjudge.c_index.notation["S_{min}"], adjudge.c_index).startswith(
        "sum of the $N_W$ smallest"
    )
    said = with_math(adjudge.beale.note, adjudge.beale)
    assert "$(n_m - 1)/(n_m - 2) (2^{2/p} - 1)$" in said
    assert "F($p$, $(n_m - 2) p$)" in said
    assert "[sd_dis](sd_dis.md)" in with_math(adjudge.sd_validity.note, adjudge.sd_validity)
    assert (
        with_math("Wallace I of Wallace (1983), K-means", adjudge.trace_w)
        == "Wallace I of Wallace (1983), K-means"
    )


def test_pages_say_what_perfect_agreement_is() -> None:
    from index_pages import facts

    def perfect(name: str) -> str:
        return dict(facts(adjudge.find_index(name)))["Perfect agreement"]

    assert perfect("jaccard") == "1 (undefined if neither partition joins any pair)"
    assert perfect("adjusted_rand") == "1"
    assert perfect("russell_rao") == "1, which identical partitions need not reach"
    assert perfect("mutual_information") == "nothing fixed"


def test_pages_have_a_row_for_each_difference_with_its_data() -> None:
    from index_pages import page

    text = page(adjudge.pair_sets_index)
    for option in ("simplified=True, clipped=True", "simplified=False, clipped=False"):
        assert f"| genieclust 1.3.0: `pair_sets_index`, {option} | `09_both_allone` | undefined | 1 |" in text
    rows = [line for line in text.splitlines() if "it counts the labels that are skipped" in line]
    assert rows
    assert all(
        "| `24_gap_0_5` |" in row and row.split(" | ")[3] == "0.5" for row in rows if "False, clipped" in row
    )


def test_lists_of_names_mark_those_that_find_something_else() -> None:
    from placeholders import fill

    page = fill((DOCS / "names.md").read_text("utf-8"))
    assert "| `Hubert` * | [hubert_statistic](indices/hubert_statistic.md) |" in page
    assert "| `DB` | [davies_bouldin](indices/davies_bouldin.md) |" in page
    headings = set(re.findall("^## (\\S+)", page, re.MULTILINE))
    assert {program for record in adjudge.list_indices() for program in record.peers} <= headings


def test_formulas_of_pages_can_be_drawn() -> None:
    from mathml import to_mathml

    for page in PAGES:
        for formula in re.findall(
            r"\$\$\n(.*?)\n\$\$|(?<![\w$\\`])\$([^$\n]+)\$", page.read_text("utf-8"), re.DOTALL
        ):
            drawn = to_mathml(formula[0] or formula[1])
            assert "\\" not in drawn, (page.name, formula)


def differences() -> list[Any]:
    from peers import differences

    return list(differences())


def test_differences_are_differences() -> None:
    found = differences()
    assert {d.program.partition(" ")[0] for d in found} >= {
        "clusterCrit",
        "scikit-learn",
        "genieclust",
        "clusim",
        "NbClust",
    }
    for difference in found:
        assert difference.theirs != difference.ours, difference
        assert difference.reason


def test_each_difference_names_a_test_that_exists() -> None:
    named = {d.test for d in differences()}
    assert len(named) > 3
    for test in named:
        path, _, name = test.partition("::")
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, test


class Sweep:
    """A case of NbClust: its values, and what ours need."""

    def __init__(self, path: Path) -> None:
        read = read_reference(path)
        self.X = np.array(read["data"], dtype=float)
        self.labels = {k: np.array(level) for k, level in enumerate(read["partitions_k1_to_k10"], start=1)}
        self.ks: list[int] = read["k"]
        self.names: list[str] = read["indices"]
        self._values = read["values"]

    def theirs(self, name: str) -> list[float]:
        return [as_number(row[self.names.index(name)]) for row in self._values]

    def ours(self, record: Any) -> list[float | None]:
        if record.kind == "selection":
            found = record(self.X, self.labels)
            return [found.get(k) for k in self.ks]
        more = (
            {"alpha": adjudge.sd_dis(self.X, self.labels[self.ks[-1]])}
            if record.name == "sd_validity"
            else {}
        )
        return [record(self.X, self.labels[k], **more) for k in self.ks]


SWEEPS = reference_cases("nbclust")
NBCLUST = {
    name.lower(): record
    for record in adjudge.list_indices()
    for program, name in record.names_elsewhere
    if program == "NbClust" and name != "Gap"  # whose references are drawn at random
}


@pytest.mark.full
def test_differences_from_nbclust_are_complete() -> None:
    """What is not on the page agrees, and what is there differs somewhere."""
    listed = {d.measure for d in differences() if d.program.startswith("NbClust")}
    differing = set()
    for path in SWEEPS:
        sweep = Sweep(path)
        assert {name.lower() for name in sweep.names} - {"gap"} <= set(NBCLUST)
        for name in set(sweep.names) - {"Gap"}:
            pairs = zip(sweep.theirs(name), sweep.ours(NBCLUST[name.lower()]), strict=True)
            if any(
                ours is not None and ours == pytest.approx(ours) and theirs != pytest.approx(ours, 2e-4, 2e-4)
                for theirs, ours in pairs
            ):
                differing.add(name)
    assert differing == listed


def test_differences_from_clustercrit_are_complete() -> None:
    """Whatever criterion differs in some case is on the page."""
    listed = {d.index for d in differences() if d.program.startswith("clusterCrit")}
    differing: dict[str, list[str]] = {}
    for path in reference_cases("clustercrit_internal"):
        case = read_reference(path)
        X = np.array(case["data"], dtype=float).reshape(case["n"], case["p"])
        chosen = [name for name in case["values"] if name not in case["rounding_dependent"]]
        ours = adjudge.evaluate(X=X, labels=case["part"], indices=chosen).values
        for name in chosen:
            theirs, value = as_number(case["values"][name]), ours[adjudge.find_index(name, "internal").name]
            if theirs != pytest.approx(value, rel=1e-6, abs=1e-9, nan_ok=True):
                differing.setdefault(adjudge.find_index(name, "internal").name, []).append(path.stem)
    assert not {name: cases for name, cases in differing.items() if name not in listed}


@pytest.mark.parametrize("path", SWEEPS, ids=lambda p: p.stem)
def test_quirks_of_nbclust_that_no_other_test_shows(path: Path) -> None:
    sweep = Sweep(path)
    distances = pdist(sweep.X)
    first, second = np.triu_indices(len(sweep.X), 1)
    for position, k in enumerate(sweep.ks):
        labels = sweep.labels[k]
        joined = labels[first] == labels[second]
        within, between = np.sort(distances[joined]), distances[~joined]
        # It takes 0 for the smallest distance of a cluster that has equal points.
        low, high = within.size * within.min(), within.size * within.max()
        share = joined.mean()
        minus = int((within.size - np.searchsorted(within, between, "right")).sum())
        plus = int(np.searchsorted(within, between, "left").sum())
        ours = {
            "Cindex": (within.sum() - low) / (high - low),
            "Ptbiserial": (between.mean() - within.mean())
            * np.sqrt(share * (1 - share))
            / distances.std(ddof=1),
            "SDbw": s_dbw_without_infinities(sweep.X, labels),
            "Gplus": minus / distances.size,
            "Tau": (plus - minus) / distances.size,
        }
        for name in set(sweep.names) & set(ours):
            assert sweep.theirs(name)[position] == pytest.approx(ours[name], rel=1e-4, abs=1e-4), name


def s_dbw_without_infinities(X: Any, labels: Any) -> float:
    clusters = [X[labels == label] for label in np.unique(labels)]
    lengths = [np.linalg.norm(cluster.var(axis=0)) for cluster in clusters]
    radius = np.sqrt(sum(lengths)) / len(clusters)
    ratios = []
    for one, other in combinations(clusters, 2):
        centres = [one.mean(axis=0), other.mean(axis=0)]
        both = np.vstack([one, other])
        near = [
            int((np.linalg.norm(both - place, axis=1) < radius).sum())
            for place in (*centres, sum(centres) / 2)
        ]
        ratios.append(near[2] / max(near[:2]) if max(near[:2]) else 0.0)
    return float(np.mean(lengths) / np.linalg.norm(X.var(axis=0)) + np.mean(ratios))


def test_calls_of_the_gallery_need_nothing_but_the_code_above_them() -> None:
    """Undefined names are found without drawing: that is what ``python docs/gallery.py`` does, with this very code."""
    from pictures import data_code, drawing_calls, sections

    def names(code: str, context: type) -> set[str]:
        found = (n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name))
        return {n.id for n in found if isinstance(n.ctx, context)}

    code = data_code()
    imported = {a.name for n in ast.walk(ast.parse(code)) if isinstance(n, ast.ImportFrom) for a in n.names}
    known = imported | names(code, ast.Store) | set(dir(builtins))
    assert names(code, ast.Load) <= known
    calls = drawing_calls()
    drawn = {p.stem for p in (DOCS / "images").glob("*.png") if not p.stem.startswith("guide-")}
    assert drawn == set(calls)
    for call in calls.values():
        assert names(call, ast.Load) <= known | names(call, ast.Store), call
    assert sections().count("\n## ") == len(calls) - 1


def test_every_public_name_is_in_the_reference() -> None:
    from placeholders import API_SECTIONS, fill, section_of

    page = (DOCS / "api.md").read_text("utf-8")
    shown = re.findall(r"<!-- fill api: (.+?) -->", page)
    assert set(shown) == {*API_SECTIONS, *(f"adjudge.{own}" for own in (*PACKAGES, "errors", "metrics"))}
    assert {section_of(name) for name in public_names()} <= set(shown)
    assert shown[0] == "Verbs"
    verbs = re.findall(r"^\| \{any\}`adjudge\.(\w+)`", fill("<!-- fill api: Verbs -->"), re.MULTILINE)
    assert verbs == ["evaluate", "compare", "gate", "choose", "choose_k", "benchmark", "report", "plan"]


def test_tests_that_pages_name_are_there() -> None:
    for page in PAGES:
        for name in re.findall(r"`(?:tests/)?((?:test|naive)_\w+)(?:\.py)?`", page.read_text("utf-8")):
            assert list((ROOT / "tests").rglob(f"{name}.py")), (page.name, name)


def test_the_page_on_tests_names_each_once_a_row() -> None:
    rows = [line for line in (DOCS / "testing.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    named = [re.findall(r"`((?:test|naive)_\w+)", row) for row in rows]
    assert sum(map(bool, named)) > 15
    for names in named:
        assert len(names) == len(set(names)), names
        for name in names:  # no name stands for files of two folders
            assert len(list((ROOT / "tests").rglob(f"{name}.py"))) == 1, name


def test_placeholders_are_known() -> None:
    from placeholders import FILLERS, PLACEHOLDER

    for page in PAGES:
        for name, _ in PLACEHOLDER.findall(page.read_text("utf-8")):
            assert name in FILLERS, (page.name, name)


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
            relative = (page.parent / target).resolve().relative_to(DOCS.resolve())
            is_generated = relative.parts[0] == "indices"
            name = relative.stem
            assert (DOCS / relative).exists() or (
                is_generated and (name == "index" or name in dir(adjudge.indices))
            ), target
        for name in re.findall(r"</indices/(\w+)>", text):
            assert name == "index" or name in dir(adjudge.indices), (page.name, name)


def test_bundled_files_and_their_licences_are_listed() -> None:
    listed = (DOCS / "licences.md").read_text("utf-8")
    folders = [p for p in (ROOT / "src").rglob("vendor") if p.is_dir()] + [DOCS / "_static" / "fonts"]
    assert len(folders) >= 2
    for folder in folders:
        names = [p.name for p in folder.iterdir()]
        assert any("LICENSE" in name for name in names), folder
        for name in names:
            assert name in listed, name


def test_every_dependency_has_its_licence_listed() -> None:
    listed = (DOCS / "licences.md").read_text("utf-8").lower()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    for_users = [
        r
        for name, needs in extras.items()
        if name not in ("test", "bench", "docs", "mutation")
        for r in needs
    ]
    for requirement in [*project["dependencies"], *for_users]:
        name = re.split(r"[\[<>=~! ]", requirement)[0].lower()
        assert name == "adjudge" or name in listed, name


def test_citation_file() -> None:
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["version"] == project["version"] == adjudge.__version__
    assert cited["license"] == project["license"]
    assert [work["authors"][0]["family-names"] for work in cited["references"]] == [
        "Biswas",
        "Biswas",
        "Desgraupes",
        "Gagolewski",
        "Amorim",
    ]
    for work in cited["references"]:
        assert {"type", "title", "authors", "year"} <= set(work)
