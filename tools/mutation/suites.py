"""Which tests try the mutants of which module: fast ones, in stages, those that kill most at the least cost first."""

from __future__ import annotations

__all__ = ["NOT_MUTATED", "SUITES"]

_OF_LABELS = [
    "documentation/test_docstrings.py",
    "indices/test_record_facts.py",
    "indices/test_record_calls.py",
    "indices/test_lookup.py",
    "indices/test_catalog_generated.py",
    "indices/test_external_golden.py",
    "indices/test_overflow.py",
]
_OF_POINTS = [
    "documentation/test_docstrings.py",
    "indices/test_record_facts.py",
    "indices/test_internal_reference.py",
    "engines/test_internal_twins.py",
    "indices/test_lookup.py",
    "indices/test_metamorphic.py",
    "indices/test_fpc.py",
]

#: Test files by module, in the order in which they are run; the first failure ends a trial.
SUITES: dict[str, list[str]] = {
    "pairs": ["statistics/test_pair_counts.py", *_OF_LABELS],
    "matching": ["indices/test_matching.py", "indices/test_matching_exactly.py", *_OF_LABELS],
    "information": [*_OF_LABELS, "indices/test_information_exactly.py", "indices/test_information.py"],
    "classification": [*_OF_LABELS, "verbs/test_scoring.py"],
    "comparative": [*_OF_LABELS[:3], "verbs/test_prayatul.py", *_OF_LABELS[3:]],
    "scatter": [_OF_POINTS[0], "indices/test_determinants_by_hand.py", *_OF_POINTS[1:]],
    "separation": _OF_POINTS,
    "ranked": [
        _OF_POINTS[0],
        "indices/test_ranks_by_hand.py",
        *_OF_POINTS[1:],
        "engines/test_internal_engine.py",
    ],
    "dispersion": [
        _OF_POINTS[0],
        "indices/test_dispersion_by_definition.py",
        *_OF_POINTS[1:],
        "choose/test_choose_k_nbclust.py",
    ],
    "compat": [
        "indices/test_clustercrit_conventions.py",
        "indices/test_ranks_by_hand.py",
        "indices/test_internal_reference.py",
    ],
    "selection": [
        "documentation/test_docstrings.py",
        "indices/test_selection_records.py",
        "indices/test_record_facts.py",
        "choose/test_choose_k_nbclust.py",
        "indices/test_lookup.py",
        "choose/test_choose_k_resampling.py",
        "choose/test_choose_k.py",
    ],
    "record": [
        "indices/test_record_documents.py",
        "results/test_notebook.py",
        "indices/test_selecting_indices.py",
        "indices/test_record_calls.py",
        "indices/test_record_facts.py",
        "indices/test_lookup.py",
        "documentation/test_docstrings.py",
        "statistics/test_pair_counts.py",
        "indices/test_catalog_generated.py",
        "verbs/test_prayatul.py",
        "engines/test_internal_twins.py",
        "choose/test_choose_k_nbclust.py",
        "verbs/test_scoring.py",
    ],
    "catalog": [
        "indices/test_selecting_indices.py",
        "indices/test_lookup.py",
        "indices/test_catalog_generated.py",
        "results/test_results.py",
        "verbs/test_evaluate.py",
    ],
    "kinds": [
        "indices/test_selecting_indices.py",
        "indices/test_lookup.py",
        "indices/test_catalog_generated.py",
    ],
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
