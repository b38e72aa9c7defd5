"""adjudge judges clusterings and classifiers.

Seven verbs: :func:`evaluate`, :func:`compare`, :func:`gate`, :func:`choose` (and :func:`choose_k`), :func:`benchmark`,
:func:`report` and :func:`plan`.
Every index is a function (``adjudge.jaccard(labels_true, labels_pred)``), and ``adjudge.list_indices()``
lists them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "1.0.0rc1"

# Public names by the module that holds them; nothing is imported before it is used.
_HOMES = {
    "AdjudgeError": "errors",
    "InputError": "errors",
    "InputTypeError": "errors",
    "MissingExtraError": "errors",
    "UnknownIndexError": "errors",
    "Option": "errors",
    "Agreement": "statistics.agreement",
    "Contingency": "statistics.contingency",
    "Forecasts": "statistics.forecasts",
    "ScoreCurve": "results.score_curve",
    "Confusion": "statistics.confusion",
    "Rankings": "statistics.rankings",
    "PartitionEntropies": "statistics.entropies",
    "PairCounts": "statistics.pair_counts",
    "ProbabilityLosses": "statistics.losses",
    "Posteriors": "results.bayesian",
    "AcrossDatasets": "results.across",
    "Score": "results.score",
    "ClassDifference": "results.differences",
    "ClusterProfile": "results.profiles",
    "NumberWords": "results.number_words",
    "GroupDifference": "results.differences",
    "Verdict": "results.verdict",
    "BestThreshold": "results.thresholds",
    "ClassifierEvaluation": "results.by_class",
    "ByClass": "results.class_scores",
    "ClassScores": "results.class_scores",
    "GroupScores": "results.by_class",
    "OneClass": "results.class_scores",
    "Report": "verbs.report",
    "Comparison": "results",
    "Notice": "results.notice",
    "Choice": "results",
    "KChoice": "results",
    "choose": "verbs.choose",
    "Benchmark": "results.benchmark",
    "benchmark": "verbs.benchmark",
    "choose_k": "verbs.choose_k",
    "Evaluation": "results",
    "Evaluations": "results.evaluations",
    "HeadToHead": "results",
    "Instances": "results.instances",
    "Patterns": "results.patterns",
    "ThresholdCurve": "results.curves",
    "RocBand": "results.curves",
    "RocCurve": "results.curves",
    "ReliabilityCurve": "results.reliability",
    "PrecisionRecallCurve": "results.curves",
    "GainsCurve": "results.curves",
    "DetCurve": "results.curves",
    "best_partition": "choosing.votes",
    "compare": "verbs.compare",
    "compare_table": "verbs.compare_table",
    "evaluate_table": "verbs.evaluate_table",
    "evaluate": "verbs.evaluate",
    "evaluate_many": "verbs.evaluate_many",
    "gate": "verbs.gate",
    "plan_gate": "verbs.plan_gate",
    "Gate": "results.gate",
    "GatePlan": "verbs.plan_gate",
    "Check": "results.gate",
    "evaluate_raters": "verbs.raters",
    "Plan": "verbs.plan",
    "plan": "verbs.plan",
    "concordance": "indices.pairs",
    "element_centric_scores": "indices.instance_overlap",
    "matched_clusters": "indices.matching",
    "normalized_confusion_matrix": "indices.matching",
    "normalizing_permutation": "indices.matching",
    "NullDistribution": "inference.chance.null_distribution",
    "adjusted_for_chance": "inference.chance.correction",
    "expected_by_chance": "inference.chance.correction",
    "null_distribution": "inference.chance.correction",
    "null_distributions": "inference.chance.correction",
    "ClustersTest": "inference.clusters.cluster_tests",
    "ClustersDipTest": "inference.clusters.dip",
    "DipTest": "inference.clusters.dip",
    "clusters_dip_test": "inference.clusters.dip",
    "dip_test": "inference.clusters.dip",
    "SplitTest": "inference.clusters.tree_test",
    "TreeTest": "inference.clusters.tree_test",
    "tree_test": "inference.clusters.tree_test",
    "DifferenceTest": "inference.clusters.difference_test",
    "cluster_difference_test": "inference.clusters.difference_test",
    "clusters_test": "inference.clusters.cluster_tests",
    "Interval": "inference.interval",
    "comparison_intervals": "inference.confidence",
    "confidence_interval": "inference.confidence",
    "confidence_intervals": "inference.confidence",
    "PairedEffects": "inference.data_sets.paired",
    "PairwiseTests": "inference.data_sets.rank_comparison",
    "RankTest": "inference.data_sets.rank_comparison",
    "TestResult": "inference.common.test_results",
    "cochran_q_test": "inference.classes.right_or_wrong",
    "equal_goodness_test": "inference.partitions.equal_goodness",
    "friedman_test": "inference.data_sets.rank_comparison",
    "adjust_p_values": "inference.common.adjustments",
    "mcnemar_test": "inference.classes.right_or_wrong",
    "report": "verbs.report",
    "load": "saved.archive",
    "read_forecasts": "statistics.forecasts",
    "IndexScorer": "verbs.scoring",
    "make_scorer": "verbs.scoring",
    "AgreementMapDisplay": "displays",
    "ChoiceDisplay": "displays",
    "ClusterTreeDisplay": "displays",
    "ComparisonDisplay": "displays",
    "ContingencyDisplay": "displays",
    "ThresholdDisplay": "displays",
    "RocCurveDisplay": "displays",
    "ReachabilityDisplay": "displays",
    "ReliabilityDisplay": "displays",
    "PrecisionRecallDisplay": "displays",
    "GainsDisplay": "displays",
    "DbcvDisplay": "displays",
    "DetCurveDisplay": "displays",
    "ConfusionMatrixDisplay": "displays",
    "CriticalDifferenceDisplay": "displays",
    "DatasetMapDisplay": "displays",
    "IndicesDisplay": "displays",
    "KChoiceDisplay": "displays",
    "NullDistributionDisplay": "displays",
    "OutcomeMapDisplay": "displays",
    "PatternsDisplay": "displays",
    "PosteriorDisplay": "displays",
    "PrayatulMatrixDisplay": "displays",
    "RankDistributionDisplay": "displays",
    "SilhouetteDisplay": "displays",
    "StabilityDisplay": "displays",
    "WinTieLossDisplay": "displays",
    "find_index": "indices.catalog",
    "register": "indices.catalog",
    "unregister": "indices.catalog",
    "ExternalIndex": "indices.label_record",
    "Index": "indices.record",
    "InternalIndex": "indices.internal_record",
    "Noted": "indices.record",
    "external": "indices.label_record",
    "internal": "indices.internal_record",
    "quotient": "indices.record",
    "list_indices": "indices.catalog",
    "Table": "presentation.tables",
    "patch_sklearn": "metrics.patching",
    "patched_sklearn": "metrics.patching",
    "unpatch_sklearn": "metrics.patching",
}

if TYPE_CHECKING:
    from adjudge import metrics as metrics
    from adjudge.choosing.votes import best_partition as best_partition
    from adjudge.displays import AgreementMapDisplay as AgreementMapDisplay
    from adjudge.displays import ChoiceDisplay as ChoiceDisplay
    from adjudge.displays import ClusterTreeDisplay as ClusterTreeDisplay
    from adjudge.displays import ComparisonDisplay as ComparisonDisplay
    from adjudge.displays import ConfusionMatrixDisplay as ConfusionMatrixDisplay
    from adjudge.displays import ContingencyDisplay as ContingencyDisplay
    from adjudge.displays import CriticalDifferenceDisplay as CriticalDifferenceDisplay
    from adjudge.displays import DatasetMapDisplay as DatasetMapDisplay
    from adjudge.displays import DbcvDisplay as DbcvDisplay
    from adjudge.displays import DetCurveDisplay as DetCurveDisplay
    from adjudge.displays import GainsDisplay as GainsDisplay
    from adjudge.displays import IndicesDisplay as IndicesDisplay
    from adjudge.displays import KChoiceDisplay as KChoiceDisplay
    from adjudge.displays import NullDistributionDisplay as NullDistributionDisplay
    from adjudge.displays import OutcomeMapDisplay as OutcomeMapDisplay
    from adjudge.displays import PatternsDisplay as PatternsDisplay
    from adjudge.displays import PosteriorDisplay as PosteriorDisplay
    from adjudge.displays import PrayatulMatrixDisplay as PrayatulMatrixDisplay
    from adjudge.displays import PrecisionRecallDisplay as PrecisionRecallDisplay
    from adjudge.displays import RankDistributionDisplay as RankDistributionDisplay
    from adjudge.displays import ReachabilityDisplay as ReachabilityDisplay
    from adjudge.displays import ReliabilityDisplay as ReliabilityDisplay
    from adjudge.displays import RocCurveDisplay as RocCurveDisplay
    from adjudge.displays import SilhouetteDisplay as SilhouetteDisplay
    from adjudge.displays import StabilityDisplay as StabilityDisplay
    from adjudge.displays import ThresholdDisplay as ThresholdDisplay
    from adjudge.displays import WinTieLossDisplay as WinTieLossDisplay
    from adjudge.errors import (
        AdjudgeError as AdjudgeError,
    )
    from adjudge.errors import (
        InputError as InputError,
    )
    from adjudge.errors import (
        InputTypeError as InputTypeError,
    )
    from adjudge.errors import (
        MissingExtraError as MissingExtraError,
    )
    from adjudge.errors import Option as Option
    from adjudge.errors import (
        UnknownIndexError as UnknownIndexError,
    )
    from adjudge.indices.calibration import *  # noqa: F403
    from adjudge.indices.catalog import find_index as find_index
    from adjudge.indices.catalog import list_indices as list_indices
    from adjudge.indices.catalog import register as register
    from adjudge.indices.catalog import unregister as unregister
    from adjudge.indices.characteristics import *  # noqa: F403
    from adjudge.indices.classes import *  # noqa: F403
    from adjudge.indices.classification import *  # noqa: F403
    from adjudge.indices.comparative import *  # noqa: F403
    from adjudge.indices.cvnn import *  # noqa: F403
    from adjudge.indices.density import *  # noqa: F403
    from adjudge.indices.dispersion import *  # noqa: F403
    from adjudge.indices.diversity import *  # noqa: F403
    from adjudge.indices.gap import *  # noqa: F403
    from adjudge.indices.hierarchy_splits import *  # noqa: F403
    from adjudge.indices.information import *  # noqa: F403
    from adjudge.indices.information_criteria import *  # noqa: F403
    from adjudge.indices.instance_overlap import *  # noqa: F403
    from adjudge.indices.internal_record import InternalIndex as InternalIndex
    from adjudge.indices.internal_record import internal as internal
    from adjudge.indices.label_rankings import *  # noqa: F403
    from adjudge.indices.label_record import ExternalIndex as ExternalIndex
    from adjudge.indices.label_record import external as external
    from adjudge.indices.label_sets import *  # noqa: F403
    from adjudge.indices.level_differences import *  # noqa: F403
    from adjudge.indices.matching import *  # noqa: F403
    from adjudge.indices.nci import *  # noqa: F403
    from adjudge.indices.neighbours import *  # noqa: F403
    from adjudge.indices.pairs import *  # noqa: F403
    from adjudge.indices.probabilities import *  # noqa: F403
    from adjudge.indices.purity import *  # noqa: F403
    from adjudge.indices.ranked import *  # noqa: F403
    from adjudge.indices.raters import *  # noqa: F403
    from adjudge.indices.record import Index as Index
    from adjudge.indices.record import Noted as Noted
    from adjudge.indices.record import quotient as quotient
    from adjudge.indices.scatter import *  # noqa: F403
    from adjudge.indices.score_ranking import *  # noqa: F403
    from adjudge.indices.separation import *  # noqa: F403
    from adjudge.indices.stability import *  # noqa: F403
    from adjudge.inference.chance.correction import adjusted_for_chance as adjusted_for_chance
    from adjudge.inference.chance.correction import expected_by_chance as expected_by_chance
    from adjudge.inference.chance.correction import null_distribution as null_distribution
    from adjudge.inference.chance.correction import null_distributions as null_distributions
    from adjudge.inference.chance.null_distribution import NullDistribution as NullDistribution
    from adjudge.inference.classes.right_or_wrong import cochran_q_test as cochran_q_test
    from adjudge.inference.classes.right_or_wrong import mcnemar_test as mcnemar_test
    from adjudge.inference.clusters.cluster_tests import ClustersTest as ClustersTest
    from adjudge.inference.clusters.cluster_tests import clusters_test as clusters_test
    from adjudge.inference.clusters.difference_test import DifferenceTest as DifferenceTest
    from adjudge.inference.clusters.difference_test import cluster_difference_test as cluster_difference_test
    from adjudge.inference.clusters.dip import ClustersDipTest as ClustersDipTest
    from adjudge.inference.clusters.dip import DipTest as DipTest
    from adjudge.inference.clusters.dip import clusters_dip_test as clusters_dip_test
    from adjudge.inference.clusters.dip import dip_test as dip_test
    from adjudge.inference.clusters.tree_test import SplitTest as SplitTest
    from adjudge.inference.clusters.tree_test import TreeTest as TreeTest
    from adjudge.inference.clusters.tree_test import tree_test as tree_test
    from adjudge.inference.common.adjustments import adjust_p_values as adjust_p_values
    from adjudge.inference.common.test_results import TestResult as TestResult
    from adjudge.inference.confidence import comparison_intervals as comparison_intervals
    from adjudge.inference.confidence import confidence_interval as confidence_interval
    from adjudge.inference.confidence import confidence_intervals as confidence_intervals
    from adjudge.inference.data_sets.paired import PairedEffects as PairedEffects
    from adjudge.inference.data_sets.rank_comparison import PairwiseTests as PairwiseTests
    from adjudge.inference.data_sets.rank_comparison import RankTest as RankTest
    from adjudge.inference.data_sets.rank_comparison import friedman_test as friedman_test
    from adjudge.inference.interval import Interval as Interval
    from adjudge.inference.partitions.equal_goodness import equal_goodness_test as equal_goodness_test
    from adjudge.metrics.patching import patch_sklearn as patch_sklearn
    from adjudge.metrics.patching import patched_sklearn as patched_sklearn
    from adjudge.metrics.patching import unpatch_sklearn as unpatch_sklearn
    from adjudge.presentation.tables import Table as Table
    from adjudge.results import (
        Choice as Choice,
    )
    from adjudge.results import (
        Comparison as Comparison,
    )
    from adjudge.results import (
        Evaluation as Evaluation,
    )
    from adjudge.results import (
        HeadToHead as HeadToHead,
    )
    from adjudge.results import (
        KChoice as KChoice,
    )
    from adjudge.results.across import AcrossDatasets as AcrossDatasets
    from adjudge.results.bayesian import Posteriors as Posteriors
    from adjudge.results.benchmark import Benchmark as Benchmark
    from adjudge.results.by_class import ClassifierEvaluation as ClassifierEvaluation
    from adjudge.results.by_class import GroupScores as GroupScores
    from adjudge.results.class_scores import ByClass as ByClass
    from adjudge.results.class_scores import ClassScores as ClassScores
    from adjudge.results.class_scores import OneClass as OneClass
    from adjudge.results.curves import DetCurve as DetCurve
    from adjudge.results.curves import GainsCurve as GainsCurve
    from adjudge.results.curves import PrecisionRecallCurve as PrecisionRecallCurve
    from adjudge.results.curves import RocBand as RocBand
    from adjudge.results.curves import RocCurve as RocCurve
    from adjudge.results.curves import ThresholdCurve as ThresholdCurve
    from adjudge.results.differences import ClassDifference as ClassDifference
    from adjudge.results.differences import GroupDifference as GroupDifference
    from adjudge.results.evaluations import Evaluations as Evaluations
    from adjudge.results.gate import Check as Check
    from adjudge.results.gate import Gate as Gate
    from adjudge.results.instances import Instances as Instances
    from adjudge.results.notice import Notice as Notice
    from adjudge.results.number_words import NumberWords as NumberWords
    from adjudge.results.patterns import Patterns as Patterns
    from adjudge.results.profiles import ClusterProfile as ClusterProfile
    from adjudge.results.reliability import ReliabilityCurve as ReliabilityCurve
    from adjudge.results.score import Score as Score
    from adjudge.results.score_curve import ScoreCurve as ScoreCurve
    from adjudge.results.thresholds import BestThreshold as BestThreshold
    from adjudge.results.verdict import Verdict as Verdict
    from adjudge.saved.archive import load as load
    from adjudge.statistics.agreement import Agreement as Agreement
    from adjudge.statistics.confusion import Confusion as Confusion
    from adjudge.statistics.contingency import Contingency as Contingency
    from adjudge.statistics.entropies import PartitionEntropies as PartitionEntropies
    from adjudge.statistics.forecasts import Forecasts as Forecasts
    from adjudge.statistics.forecasts import read_forecasts as read_forecasts
    from adjudge.statistics.losses import ProbabilityLosses as ProbabilityLosses
    from adjudge.statistics.pair_counts import PairCounts as PairCounts
    from adjudge.statistics.rankings import Rankings as Rankings
    from adjudge.verbs.benchmark import benchmark as benchmark
    from adjudge.verbs.choose import choose as choose
    from adjudge.verbs.choose_k import choose_k as choose_k
    from adjudge.verbs.compare import compare as compare
    from adjudge.verbs.compare_table import compare_table as compare_table
    from adjudge.verbs.evaluate import evaluate as evaluate
    from adjudge.verbs.evaluate_many import evaluate_many as evaluate_many
    from adjudge.verbs.evaluate_table import evaluate_table as evaluate_table
    from adjudge.verbs.gate import gate as gate
    from adjudge.verbs.plan import Plan as Plan
    from adjudge.verbs.plan import plan as plan
    from adjudge.verbs.plan_gate import GatePlan as GatePlan
    from adjudge.verbs.plan_gate import plan_gate as plan_gate
    from adjudge.verbs.raters import evaluate_raters as evaluate_raters
    from adjudge.verbs.report import Report as Report
    from adjudge.verbs.report import report as report
    from adjudge.verbs.scoring import IndexScorer as IndexScorer
    from adjudge.verbs.scoring import make_scorer as make_scorer

    # Members of a family, which a loop makes.
    gdi12: InternalIndex
    gdi13: InternalIndex
    gdi21: InternalIndex
    gdi22: InternalIndex
    gdi23: InternalIndex
    gdi31: InternalIndex
    gdi32: InternalIndex
    gdi33: InternalIndex
    gdi41: InternalIndex
    gdi42: InternalIndex
    gdi43: InternalIndex
    gdi51: InternalIndex
    gdi52: InternalIndex
    gdi53: InternalIndex
    gdi61: InternalIndex
    gdi62: InternalIndex
    gdi63: InternalIndex


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"adjudge.{_HOMES[name]}"), name)
    elif name == "__all__":
        return __dir__()
    elif name == "metrics":
        value = import_module("adjudge.metrics")
    elif name.startswith("_"):
        raise import_module("adjudge.unknown_names").no_such_name("adjudge", name)
    else:
        value = import_module("adjudge.indices.catalog").index_named(name)
        if value is None:
            here = import_module("adjudge.indices.catalog").name_here(name)
            names = () if here else __dir__()
            otherwise = here or "adjudge.list_indices() lists the indices"
            raise import_module("adjudge.unknown_names").no_such_name("adjudge", name, names, otherwise)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    indices = import_module("adjudge.indices.catalog").all_indices()
    return sorted({"__version__", "metrics", *_HOMES, *indices})
