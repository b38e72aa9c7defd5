"""Which tests try the mutants of which module: fast ones, in stages, those that kill most at the least cost first."""

from __future__ import annotations

__all__ = ["NOT_MUTATED", "SUITES"]

_OF_LABELS = [
    "test_docstrings.py",
    "test_record_facts.py",
    "test_record_calls.py",
    "test_lookup.py",
    "test_catalog_generated.py",
    "test_external_golden.py",
    "test_overflow.py",
]
_OF_POINTS = [
    "test_docstrings.py",
    "test_record_facts.py",
    "test_internal_reference.py",
    "test_internal_twins.py",
    "test_lookup.py",
    "test_metamorphic.py",
    "test_fpc.py",
]

#: Test files by module, in the order in which they are run; the first failure ends a trial.
SUITES: dict[str, list[str]] = {
    "pairs": ["test_pair_counts.py", *_OF_LABELS],
    "matching": ["test_matching.py", "test_matching_exactly.py", *_OF_LABELS],
    "information": [*_OF_LABELS, "test_information_exactly.py", "test_information.py"],
    "classification": [*_OF_LABELS, "test_scoring.py"],
    "comparative": [*_OF_LABELS[:3], "test_prayatul.py", *_OF_LABELS[3:]],
    "scatter": [_OF_POINTS[0], "test_determinants_by_hand.py", *_OF_POINTS[1:]],
    "separation": _OF_POINTS,
    "ranked": [_OF_POINTS[0], "test_ranks_by_hand.py", *_OF_POINTS[1:], "test_internal_engine.py"],
    "dispersion": [
        _OF_POINTS[0],
        "test_dispersion_by_definition.py",
        *_OF_POINTS[1:],
        "test_choose_k_nbclust.py",
    ],
    "compat": ["test_clustercrit_conventions.py", "test_ranks_by_hand.py", "test_internal_reference.py"],
    "selection": [
        "test_docstrings.py",
        "test_selection_records.py",
        "test_record_facts.py",
        "test_choose_k_nbclust.py",
        "test_lookup.py",
        "test_choose_k_resampling.py",
        "test_choose_k.py",
    ],
    "record": [
        "test_record_documents.py",
        "test_notebook.py",
        "test_selecting_indices.py",
        "test_record_calls.py",
        "test_record_facts.py",
        "test_lookup.py",
        "test_docstrings.py",
        "test_pair_counts.py",
        "test_catalog_generated.py",
        "test_prayatul.py",
        "test_internal_twins.py",
        "test_choose_k_nbclust.py",
        "test_scoring.py",
    ],
    "catalog": [
        "test_selecting_indices.py",
        "test_lookup.py",
        "test_catalog_generated.py",
        "test_results.py",
        "test_evaluate.py",
    ],
    "kinds": ["test_selecting_indices.py", "test_lookup.py", "test_catalog_generated.py"],
}
SUITES = {module: [f"tests/{name}" for name in names] for module, names in SUITES.items()}

#: Modules without anything that is computed.
NOT_MUTATED = {
    "__init__": "empty",
    "notation": "words for the symbols of the formulas in the documentation",
    "references": "the bibliography",
    "references_internal": "the bibliography",
    "references_selection": "the bibliography",
}
