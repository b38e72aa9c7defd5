"""Every class that a file may hold, by name: reading a file never creates any other."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_BY_MODULE: dict[str, str] = {
    "errors": "Argument Call IndexName Option Position Row Scaler",
    "given.label_sets": "LabelSets",
    "given.label_vectors": "Labels",
    "given.number_vectors": "NumberVector",
    "given.positive": "OneColumn ScoredClass",
    "given.class_order": "StatedOrder",
    "given.score_table": "ScoreTable",
    "given.units": "Units",
    "indices.restored": "restored_index",
    "inference.chance.null_distribution": "NullDistribution",
    "inference.classes.rater_shares": "Replacement ReplacementTest",
    "inference.clusters.cluster_tests": "ClustersTest",
    "inference.clusters.cluster_differences": "DifferenceTest",
    "inference.clusters.dip": "ClustersDipTest DipTest",
    "inference.clusters.tree_splits": "SplitTest TreeTest",
    "inference.common.significance": "TestResult",
    "inference.data_sets.two_models": "PairedEffects",
    "inference.data_sets.posterior": "Posterior",
    "inference.data_sets.rank_comparison": "PairwiseTests RankTest",
    "inference.differences.betting": "BetChange FlipCounts",
    "inference.differences.margins": "Change",
    "inference.differences.repeated_looks": "Estimate RepeatedChange",
    "inference.forecasts.risk_control": "CoverageWithRisk",
    "inference.interval": "Interval",
    "inference.sampling_design": "Drawn",
    "results.pooled_prayatul": "AcrossDatasets",
    "results.bayesian": "Folds Posteriors",
    "results.benchmark": "Benchmark",
    "results.by_class": "ClassifierEvaluation GroupScores",
    "results.candidates": "Choice",
    "results.choice": "KChoice",
    "results.class_scores": "ByClass ClassScores OneClass",
    "results.comparison": "Comparison",
    "results.cross_fitted_threshold": "CrossFittedThreshold",
    "results.curves": "DecisionCurve DetCurve GainsCurve NetBenefitBand PrecisionRecallCurve RocBand RocCurve "
    "ThresholdCurve",
    "results.differences": "ClassDifference GroupContrast GroupDifference ScoreDifference",
    "results.disparities": "Disparity",
    "results.drawn_units": "DrawnUnits",
    "results.evaluation": "Evaluation",
    "results.evaluations": "Evaluations",
    "results.gate": "Gate",
    "results.gate_check": "Check",
    "results.gate_history": "GateHistory Look",
    "results.head_to_head": "HeadToHead",
    "results.instances": "Instances",
    "results.notice": "Notice",
    "results.k_statement": "NumberWords",
    "results.patterns": "Patterns",
    "results.profiles": "ClusterProfile",
    "results.raters": "OneRater RaterEvaluation RaterPair",
    "results.reliability": "ReliabilityCurve",
    "results.score": "Score",
    "results.score_curve": "ScoreCurve",
    "results.thresholds": "BestThreshold",
    "results.verdict": "Verdict",
    "results.weak_slices": "WeakSlice WeakSlices",
    "saved.omitted": "LeftOut",
    "statistics.agreement": "Agreement WeightedAgreement",
    "statistics.confusion": "Confusion",
    "statistics.curve_steps": "CurveSteps",
    "statistics.forecasts": "DecisionForecasts ProbabilityForecasts",
    "statistics.patterns": "OutcomePatterns",
    "statistics.ranked_scores": "RankedScores",
    "statistics.sweep": "Stability",
    "verbs.plan": "Plan PlannedGroup",
    "verbs.plan_gate": "GatePlan",
}

#: The module of each class, below adjudge. Indices have no classes of their own: they are looked up by name.
CLASSES = {name: module for module, names in _BY_MODULE.items() for name in names.split()}

#: Shapes of fields that belong together: each letter is the length of an axis, the same throughout a class.
SHAPES: dict[str, dict[str, str]] = {
    "Choice": {"labels": "m", "agreement": "mm", "order": "m"},
    "Confusion": {"labels": "k", "_matrix": "kk"},
    "CurveSteps": {"classes": "k", "sizes": "k", "ranked": "k", "means": "k"},
    "DecisionForecasts": {"codes": "n", "values": "n*", "weights": "n", "kept": "n"},
    "Drawn": {"unit": "n", "entry": "n", "counts": "n", "strata": "n", "run": "n"},
    "Instances": {"truth": "n", "weights": "n", "kept": "n", "units": "n", "runs": "n", "groups": "n"},
    "Labels": {"codes": "n", "missing": "n", "categories": "k"},
    "NullDistribution": {"values": "m", "probabilities": "m"},
    "OutcomePatterns": {"codes": "p", "counts": "p"},
    "ProbabilityForecasts": {"codes": "n", "values": "n*", "weights": "n", "kept": "n"},
    "RankedScores": {"scores": "m", "positives": "m", "negatives": "m"},
    "RocBand": {"false_positive_rate": "m", "low": "m", "high": "m"},
    "ScoreTable": {"datasets": "d", "models": "m", "values": "dm"},
}

#: The field of codes, and the field that limits them: their number, or the sequence that they index.
CODES: dict[str, tuple[str, str]] = {
    "DecisionForecasts": ("codes", "classes"),
    "Drawn": ("unit", "n_units"),
    "Labels": ("codes", "n_codes"),
    "ProbabilityForecasts": ("codes", "classes"),
    "Units": ("codes", "n_units"),
}


def saved_name(value: Any) -> str | None:
    """Return the name under which a value of a class in the list is saved; None for other classes."""
    kind = type(value)
    name = getattr(kind, "_saved_as", kind.__name__)
    own = CLASSES.get(name)
    return name if own and (kind.__module__ == f"adjudge.{own}" or hasattr(kind, "_saved_as")) else None


def maker(name: str) -> Any:
    """Return the class or function that creates the values of a class in the list."""
    return getattr(import_module(f"adjudge.{CLASSES[name]}"), name)
