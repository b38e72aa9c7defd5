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

_OF_CLASSES = [
    "indices/test_classes_golden.py",
    "indices/test_classes_differential.py",
    *_OF_LABELS[:3],
]
_OF_PROBABILITIES = ["indices/test_probabilities_golden.py", "verbs/test_scoring.py", *_OF_LABELS[:2]]
_OF_DENSITY = [
    "indices/test_density_reference.py",
    "engines/test_density_engines.py",
    "indices/test_record_facts.py",
]
_OF_INTERVALS = ["inference/test_intervals.py", "inference/test_certainty.py"]
_OF_CHANCE = [
    "inference/test_chance.py",
    "inference/test_chance_tables.py",
    "inference/test_chance_at_its_ends.py",
]
_OF_RANKS = ["inference/test_rank_tests.py", "inference/test_significance.py"]
_OF_CLASSIFIERS = [
    "inference/test_classifier_inference.py",
    "verbs/test_compare_classifiers.py",
    "verbs/test_evaluate_classifiers.py",
]

#: Test files by module of the indices, in the order in which they are run; the first failure ends a trial.
_INDICES: dict[str, list[str]] = {
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
        "choosing/test_choose_k_nbclust.py",
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
        "choosing/test_choose_k_nbclust.py",
        "indices/test_lookup.py",
        "choosing/test_choose_k_resampling.py",
        "choosing/test_choose_k.py",
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
        "choosing/test_choose_k_nbclust.py",
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
    "calibration": _OF_PROBABILITIES,
    "probabilities": _OF_PROBABILITIES,
    "score_ranking": _OF_PROBABILITIES,
    "forecast_record": _OF_PROBABILITIES,
    "classes": _OF_CLASSES,
    "class_measures": _OF_CLASSES,
    "characteristics": ["indices/test_fpc.py", *_OF_POINTS[:3]],
    "density": _OF_DENSITY,
    "neighbours": _OF_DENSITY,
    "diversity": ["verbs/test_diversity.py", *_OF_LABELS[:2]],
    "label_sets": ["verbs/test_multilabel.py", *_OF_LABELS[:2]],
    "label_rankings": ["verbs/test_multilabel.py", *_OF_LABELS[:2]],
    "raters": ["indices/test_raters.py", *_OF_LABELS[:2]],
    "rules": [
        "indices/test_selection_records.py",
        "choosing/test_choose_k.py",
        "choosing/test_choose_k_max_se.py",
    ],
}

#: The same of inference.
_INFERENCE: dict[str, list[str]] = {
    "adjustments": _OF_RANKS,
    "alike": [*_OF_RANKS, "displays/test_displays.py"],
    "auc": _OF_CLASSIFIERS,
    "chance": [*_OF_CHANCE, "verbs/test_inference_in_verbs.py"],
    "class_intervals": _OF_CLASSIFIERS,
    "cluster_tests": ["inference/test_cluster_tests.py"],
    "difference_test": ["inference/test_difference_test.py"],
    "valley": ["inference/test_valley.py"],
    "confidence": [*_OF_INTERVALS, "verbs/test_inference_in_verbs.py"],
    "cross_validation": _OF_CLASSIFIERS,
    "diversity_intervals": ["verbs/test_diversity.py"],
    "entropy_influence": _OF_INTERVALS[::-1],
    "groups": _OF_CLASSIFIERS[::-1],
    "head_to_head": _OF_RANKS,
    "hierarchical": ["inference/test_posterior.py"],
    "internal_intervals": [*_OF_INTERVALS[::-1], "verbs/test_inference_in_verbs.py"],
    "interval_methods": [*_OF_INTERVALS, "verbs/test_inference_in_verbs.py"],
    "intervals": _OF_INTERVALS,
    "label_set_intervals": ["verbs/test_multilabel.py"],
    "null_distribution": _OF_CHANCE,
    "null_models": _OF_CHANCE,
    "null_moments": [*_OF_CHANCE, "inference/test_null_seconds.py"],
    "null_tables": [*_OF_CHANCE, "inference/test_null_seconds.py"],
    "overlap_influence": _OF_INTERVALS[::-1],
    "pair_influence": _OF_INTERVALS[::-1],
    "paired": _OF_RANKS,
    "paired_differences": _OF_CLASSIFIERS,
    "paired_losses": _OF_CLASSIFIERS,
    "posterior": ["inference/test_posterior.py"],
    "quick_look": [*_OF_CHANCE, *_OF_INTERVALS],
    "random_partitions": _OF_CHANCE,
    "rank_comparison": _OF_RANKS,
    "rank_power": _OF_RANKS,
    "ranks": _OF_RANKS,
    "rater_intervals": ["indices/test_raters.py"],
    "roc_band": ["inference/test_roc_band.py"],
    "samples": _OF_INTERVALS,
    "score": [*_OF_INTERVALS, "verbs/test_evaluate_classifiers.py"],
    "significance": ["inference/test_significance.py", *_OF_INTERVALS],
    "silhouette_influence": _OF_INTERVALS[::-1],
    "targets": [*_OF_CHANCE, *_OF_INTERVALS],
}

#: Test files by module, as "indices.pairs".
SUITES: dict[str, list[str]] = {
    f"{room}.{module}": [f"tests/{name}" for name in names]
    for room, suites in (("indices", _INDICES), ("inference", _INFERENCE))
    for module, names in suites.items()
}

#: Modules without anything that is computed.
NOT_MUTATED = {
    "indices.__init__": "empty",
    "indices.notation": "words for the symbols of the formulas in the documentation",
    "indices.references": "the bibliography",
    "indices.references_classes": "the bibliography",
    "indices.references_internal": "the bibliography",
    "indices.references_selection": "the bibliography",
    "inference.__init__": "empty",
}
