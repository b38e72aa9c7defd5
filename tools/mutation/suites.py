"""The tests that may try mutants, and the modules that are not mutated."""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "COPIED",
    "LISTS_OF_RECORDS",
    "NOT_MUTATED",
    "READS_DEFINITIONS",
    "READ_RECORDS",
    "ROOMS",
    "mutated_modules",
    "test_files",
]

PACKAGE = Path("src/adjudge")
#: What the tests need: code, tests, and files that some of them read.
COPIED = ("src", "tests", "pyproject.toml", "README.md")
#: The packages that are mutated.
ROOMS = ("indices", "inference")

#: Folders of tests that call the mutated code in the same process, and finish quickly.
_FOLDERS = ("indices", "inference", "statistics", "verbs")
_FILES = (
    "documentation/test_docstrings.py",
    "results/test_results.py",
    "results/test_saved.py",
    "results/test_notebook.py",
    "engines/test_internal_twins.py",
    "engines/test_internal_engine.py",
    "engines/test_density_engines.py",
    "engines/test_scale_sample.py",
    "project/test_definitions.py",
    "project/test_names.py",
    "choosing/test_choose_k_nbclust.py",
)
#: Tests in these folders that check no formula, or take long.
_LEFT_OUT = ("indices/test_internal_peers.py", "verbs/test_hostile_api.py")

#: A test that reads how classes are defined, and so need not call them.
READS_DEFINITIONS = "tests/project/test_definitions.py"
#: Tests that read the records of indices, and so need not call what a record describes.
READ_RECORDS = tuple(
    f"tests/{name}"
    for name in (
        "indices/test_record_facts.py",
        "indices/test_lookup.py",
        "indices/test_selecting_indices.py",
        "indices/test_selection_records.py",
        "indices/test_record_documents.py",
        "documentation/test_docstrings.py",
    )
)
#: Tests that compare the facts in all records with lists: the first to try mutants of these facts.
LISTS_OF_RECORDS = tuple(
    f"tests/indices/test_record_facts.py::{name}"
    for name in ("test_records_state_what_the_list_states", "test_published_names_keep_their_meaning")
)

#: Modules that compute nothing.
NOT_MUTATED = {
    "indices.notation": "words for the symbols of the formulas in the documentation",
    "indices.references": "the bibliography",
    "indices.references_classes": "the bibliography",
    "indices.references_internal": "the bibliography",
    "indices.references_selection": "the bibliography",
}


def mutated_modules(root: Path) -> list[str]:
    """Return the mutated modules by names such as "indices.pairs"."""
    package = root / PACKAGE
    paths = [path for room in ROOMS for path in sorted((package / room).rglob("*.py"))]
    names = [".".join(path.relative_to(package).with_suffix("").parts) for path in paths]
    gone = NOT_MUTATED.keys() - set(names)
    if gone:
        raise SystemExit(f"suites.py leaves out modules that there are not: {sorted(gone)}")
    return [name for name in names if name not in NOT_MUTATED and not name.endswith(".__init__")]


def test_files(root: Path) -> list[str]:
    """Return the files whose tests may try mutants."""
    found = [f"tests/{name}" for name in _FILES]
    for folder in _FOLDERS:
        found += [str(path.relative_to(root)) for path in sorted((root / "tests" / folder).glob("test_*.py"))]
    left_out = {f"tests/{name}" for name in _LEFT_OUT}
    missing = [name for name in (*found, *READ_RECORDS, *left_out) if not (root / name).exists()]
    if missing:
        raise SystemExit(f"suites.py names files that there are not: {missing}")
    return [name for name in found if name not in left_out]
