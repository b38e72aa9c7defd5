"""Label indices against exact arithmetic and a dozen other programs.

`PEERS` says which of our records a program's measure is. Where a program gives something else in some cases,
`EXCEPTIONS` says why; a listed exception that no longer differs is an error, so that the list stays true.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import find_index
from adjudge.statistics import Contingency
from cases import each
from conftest import as_number, case_name, raises_line, read_reference, reference_cases

CASES = {case_name(path): path for path in reference_cases("external")}
EMPTY = "17_empty"


@dataclass(frozen=True)
class As:
    """One of our records, with parameters, in another unit, or a function of the table."""

    record: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    unit: float = 1.0
    function: Callable[[Contingency], float] | None = None

    def value(self, table: Contingency) -> float:
        if self.function is not None:
            return self.function(table)
        record = find_index(self.record)
        return record.of(*record.read(table), **self.parameters) * self.unit


def as_record(target: str | As) -> As:
    return target if isinstance(target, As) else As(target)


BITS = 1 / math.log(2)


def greedy_accuracy(table: Contingency) -> float:
    """Several clusters may share a class, on the side where that is worse."""
    return min(adjudge.purity(table), adjudge.inverse_purity(table))


def greedy_error(table: Contingency) -> float:
    return 1 - greedy_accuracy(table)


EXACT = {
    "rand": "rand",
    "ari": "adjusted_rand",
    "jaccard": "jaccard",
    "wallace10_N11/(N11+N10)": "pair_recall",
    "wallace01_N11/(N11+N01)": "pair_precision",
    "dice": "pair_f",
    "russell_rao": "russell_rao",
    "rogers_tanimoto": "rogers_tanimoto",
    "gower_legendre": "gower_legendre",
    "hamann": "hamann",
    "mirkin_unordered": As("mirkin", {"scale": "unordered"}),
    "sokal_sneath_a/(a+2b+2c)": "sokal_sneath1",
    "goodman_kruskal": "goodman_kruskal",
    "mcconnaughey": "mcconnaughey",
    "peirce_(ad-bc)/((a+b)(c+d))": "peirce",
    "kulczynski": "kulczynski",
    "sos_ad/sqrt": "sokal_sneath3",
    "hubert_gamma_phi": "pair_phi",
    "fm": "fowlkes_mallows",
    "purity_pred_(sum_j max_i)/n": "purity",
    "purity_true_(sum_i max_j)/n": "inverse_purity",
    "van_dongen_metric_2n-sum-sum": "van_dongen",
    "bcubed_precision": "bcubed_precision",
    "bcubed_recall": "bcubed_recall",
    "ecs_closed_form_sum_c2/max(a,b)/n": "element_centric",
    "H1": "entropy_true",
    "H2": "entropy_pred",
    "H12": "joint_entropy",
    "MI": "mutual_information",
    "VI": "variation_of_information",
    "EMI": As(function=lambda table: table.information.expected_mutual),
    "NMI_arithmetic": "nmi",
    "AMI_arithmetic": "ami",
    **{f"NMI_{a}": f"nmi_{a}" for a in ("geometric", "min", "max", "joint")},
    **{f"AMI_{a}": f"ami_{a}" for a in ("geometric", "min", "max", "joint")},
    "max_matching_accuracy": "pivoted_accuracy",
}

GENIECLUST = {
    "adjusted_rand_score": "adjusted_rand",
    "rand_score": "rand",
    "adjusted_fm_score": "adjusted_fowlkes_mallows",
    "fm_score": "fowlkes_mallows",
    "mi_score": "mutual_information",
    "normalized_mi_score": "nmi",
    "adjusted_mi_score": "ami",
    "normalized_pivoted_accuracy": "normalized_accuracy",
    "normalized_clustering_accuracy": "adjusted_asymmetric_accuracy",
    **{
        f"pair_sets_index__simplified={s}__clipped={c}": As(
            "pair_sets_index", {"simplified": s, "clipped": c}
        )
        for s in (True, False)
        for c in (True, False)
    },
}

PEERS: dict[str, dict[str, str | As]] = {
    "exact_reference": EXACT,
    "sklearn_1.9.1": {
        "adjusted_rand_score": "adjusted_rand",
        "rand_score": "rand",
        "fowlkes_mallows_score": "fowlkes_mallows",
        "homogeneity_score": "homogeneity",
        "completeness_score": "completeness",
        "v_measure_score": "v_measure",
        "v_measure_beta0.5": As("v_measure", {"beta": 0.5}),
        "v_measure_beta2": As("v_measure", {"beta": 2}),
        "mutual_info_score": "mutual_information",
        "expected_mutual_information": As(function=lambda table: table.information.expected_mutual),
        "normalized_mutual_info_score__arithmetic": "nmi",
        "adjusted_mutual_info_score__arithmetic": "ami",
        **{f"normalized_mutual_info_score__{a}": f"nmi_{a}" for a in ("geometric", "min", "max")},
        **{f"adjusted_mutual_info_score__{a}": f"ami_{a}" for a in ("geometric", "min", "max")},
    },
    "genieclust_1.3.0_codes": GENIECLUST,
    "genieclust_1.3.0_raw_labels": GENIECLUST,
    "clusim_0.4": {
        "jaccard_index": "jaccard",
        "rand_index": "rand",
        "adjrand_index": "adjusted_rand",
        "fowlkes_mallows_index": "fowlkes_mallows",
        "fmeasure": "pair_f",
        "czekanowski_index": "pair_f",
        "dice_index": "pair_f",
        "sorensen_index": "pair_f",
        "rogers_tanimoto_index": "rogers_tanimoto",
        # Called Pearson's correlation, but without the root.
        "pearson_correlation": "phi_crit",
        "mi": As("mutual_information", unit=BITS),
        "vi": As("variation_of_information", unit=BITS),
        "nmi": "nmi",
        "nmi__sum": "nmi",
        "nmi__max": "nmi_max",
        "nmi__min": "nmi_min",
        "nmi__sqrt": "nmi_geometric",
        "purity_index": As(function=greedy_accuracy),
        "classification_error": As(function=greedy_error),
        "element_sim": "element_centric",
        "element_sim__alpha0.5": "element_centric",
    },
    "permetrics_2.1.0": {
        "mutual_info_score": "mutual_information",
        "normalized_mutual_info_score": "nmi",
        "rand_score": "rand",
        "adjusted_rand_score": "adjusted_rand",
        "fowlkes_mallows_score": "fowlkes_mallows",
        "homogeneity_score": "homogeneity",
        "completeness_score": "completeness",
        "v_measure_score": "v_measure",
        "precision_score": "pair_precision",
        "recall_score": "pair_recall",
        "f_measure_score": "pair_f",
        "czekanowski_dice_score": "pair_f",
        "hubert_gamma_score": "pair_phi",
        "phi_score": "pair_phi",
        "jaccard_score": "jaccard",
        "kulczynski_score": "kulczynski",
        "mc_nemar_score": "pair_mcnemar",
        "rogers_tanimoto_score": "rogers_tanimoto",
        "russel_rao_score": "russell_rao",
        "sokal_sneath1_score": "sokal_sneath1",
        "sokal_sneath2_score": "gower_legendre",
        "purity_score": "purity",
    },
    "aricode_1.1.0": {
        "RI": "rand",
        "ARI": "adjusted_rand",
        "MI": "mutual_information",
        "VI": "variation_of_information",
        "NVI": "normalized_variation_of_information",
        "NID": "normalized_information_distance",
        "NMI": "nmi_max",
        "NMI_max": "nmi_max",
        "NMI_min": "nmi_min",
        "NMI_sqrt": "nmi_geometric",
        "NMI_sum": "nmi",
        "NMI_joint": "nmi_joint",
        "AMI": "ami_max",
        "expected_MI": As(function=lambda table: table.information.expected_mutual),
        "H_UV": "joint_entropy",
        "H_U": "entropy_true",
        "H_V": "entropy_pred",
    },
    "mclustcomp_0.3.3": {
        "adjrand": "adjusted_rand",
        "fmi": "fowlkes_mallows",
        "jaccard": "jaccard",
        "tanimoto": "jaccard",
        "jent": As("joint_entropy", unit=BITS),
        "mi": As("mutual_information", unit=BITS),
        "vi": As("variation_of_information", unit=BITS),
        "nmi1": "nmi_geometric",
        "nmi2": "nmi",
        "mirkin": "mirkin",
        "rand": "rand",
        "smc": "rand",
        "sdc": "pair_f",
        "vdm": "van_dongen",
        "wallace1": "pair_recall",
        "wallace2": "pair_precision",
        # It judges the partition that it is given first, which here is the truth.
        "mhm": "inverse_purity",
        "mmm": As(function=greedy_accuracy),
    },
    "mclust_6.0.0": {"adjustedRandIndex": "adjusted_rand", "classError": As(function=greedy_error)},
    "clusterCrit_1.3.0": {
        "czekanowski_dice": "pair_f",
        "folkes_mallows": "fowlkes_mallows",
        "hubert": "pair_phi",
        "jaccard": "jaccard",
        "kulczynski": "kulczynski",
        "mcnemar": "pair_mcnemar",
        "phi": "phi_crit",
        "precision": "pair_precision",
        "rand": "rand",
        "recall": "pair_recall",
        "rogers_tanimoto": "rogers_tanimoto",
        "russel_rao": "russell_rao",
        "sokal_sneath1": "sokal_sneath1",
        "sokal_sneath2": "gower_legendre",
    },
    "partitionComparison_0.2.6": {
        "adjustedRandIndex": "adjusted_rand",
        "classificationErrorDistance": "classification_error",
        "czekanowski": "pair_f",
        "dongensMetric": "van_dongen",
        "folwkesMallowsIndex": "fowlkes_mallows",
        "gammaStatistics": "pair_phi",
        "goodmanKruskal": "goodman_kruskal",
        "gowerLegendre": "gower_legendre",
        "hamann": "hamann",
        "jaccardCoefficient": "jaccard",
        "kulczynski": "kulczynski",
        "larsenAone": "larsen_aone",
        "mcconnaughey": "mcconnaughey",
        "mirkinMetric": "mirkin",
        "mutualInformation": "mutual_information",
        "normalizedMutualInformation": "nmi_min",
        "pearson": "phi_crit",
        "peirce": "peirce",
        "randIndex": "rand",
        "rogersTanimoto": "rogers_tanimoto",
        "russelRao": "russell_rao",
        "sokalSneath2": "sokal_sneath1",
        "sokalSneath3": "sokal_sneath3",
        "variationOfInformation": "variation_of_information",
        "wallaceI": "pair_recall",
        "wallaceII": "pair_precision",
    },
    "dendextend_1.16.0": {"FM": "fowlkes_mallows"},
    "clue_0.3.64": {
        "Rand": "rand",
        "cRand": "adjusted_rand",
        "NMI": "nmi_geometric",
        "diag": "pivoted_accuracy",
        "FM": "fowlkes_mallows",
        "Jaccard": "jaccard",
        # As mclustcomp's mhm: of the partition given first.
        "purity": "inverse_purity",
    },
    "igraph_1.3.5": {
        "vi": "variation_of_information",
        "nmi": "nmi",
        "split.join": "split_join",
        "rand": "rand",
        "adjusted.rand": "adjusted_rand",
    },
}

IDENTICAL = "identical partitions agree perfectly by convention; it divides 0 by 0"
ZERO = "0/0 is undefined here; it gives 0 or 1"
NOISE = "0/0 is undefined here; it divides rounding errors"
GAPS = "it counts the labels that are skipped as empty clusters"
WRONG = "its formula is wrong where the numbers of clusters differ, or entropies are not"
OTHER = "it computes another statistic under this name"
UNEQUAL = "it refuses partitions of different numbers of clusters; here the smaller one is padded with empty clusters"
MORE_ROWS = (
    "it refuses more clusters in the first partition than in the second, and two partitions into one cluster"
)
SINGLETONS = "it refuses labels that are not below the number of instances, as of singletons counted from 1"
BITS32 = "its products overflow 32 bits"

# program, measure (regular expression), cases by number, why the values differ there
EXCEPTIONS: list[tuple[str, str, str, str]] = [
    ("exact_reference", "ari|AMI_.*", "09 10 13", IDENTICAL),
    ("exact_reference", "NMI_.*", "09 13", IDENTICAL),
    (
        "exact_reference",
        "mirkin_unordered",
        "13",
        "there is no pair at n = 1, so every count of pairs is undefined",
    ),
    ("sklearn_1.9.1", "fowlkes_mallows_score", "08 10 12 13 16", ZERO),
    ("sklearn_1.9.1", "rand_score", "13", ZERO),
    ("sklearn_1.9.1", "completeness_score", "08", ZERO),
    ("sklearn_1.9.1", "homogeneity_score", "16", ZERO),
    ("sklearn_1.9.1", "(normalized|adjusted)_mutual_info_score__(geometric|min)", "08 16", ZERO),
    ("sklearn_1.9.1", "adjusted_mutual_info_score__min", "12", NOISE),
    ("genieclust_1.3.0_codes", "adjusted_(rand|fm)_score", "09 10 13", IDENTICAL),
    ("genieclust_1.3.0_codes", "(normalized|adjusted)_mi_score", "09 13", IDENTICAL),
    ("genieclust_1.3.0_codes", "normalized_.*_accuracy|pair_sets_index.*", "09 13", IDENTICAL),
    ("genieclust_1.3.0_codes", "normalized_.*_accuracy", "08 12 16 20 28 31 37 39 40", UNEQUAL),
    ("genieclust_1.3.0_raw_labels", "normalized_.*_accuracy", "20 24", UNEQUAL),
    ("genieclust_1.3.0_raw_labels", "pair_sets_index.*", "24", GAPS),
    ("clusim_0.4", "adjrand_index", "09 10 13", IDENTICAL),
    ("clusim_0.4", "nmi.*", "09 13", IDENTICAL),
    ("clusim_0.4", "(czekanowski|dice|sorensen|jaccard)_index|fmeasure", "10 13", ZERO),
    ("clusim_0.4", "fowlkes_mallows_index", "08 10 12 13 16", ZERO),
    ("clusim_0.4", "pearson_correlation", "08 09 10 12 13 16", ZERO),
    (
        "permetrics_2.1.0",
        "(homogeneity|completeness|v_measure|normalized_mutual_info)_score",
        "09 13",
        IDENTICAL,
    ),
    ("permetrics_2.1.0", "completeness_score", "08", ZERO),
    ("permetrics_2.1.0", "homogeneity_score", "16", ZERO),
    ("permetrics_2.1.0", "homogeneity_score|v_measure_score", "28 31 37", WRONG),
    ("permetrics_2.1.0", "completeness_score", "39", WRONG),
    ("permetrics_2.1.0", "(czekanowski_dice|f_measure|jaccard|sokal_sneath1)_score", "10", ZERO),
    ("permetrics_2.1.0", "fowlkes_mallows_score", "08 10 12 13 16", ZERO),
    ("permetrics_2.1.0", "hubert_gamma_score|phi_score", "08 09 10 12 16", ZERO),
    ("permetrics_2.1.0", "kulczynski_score", "08 10 12 16", ZERO),
    ("permetrics_2.1.0", "precision_score", "10 16", ZERO),
    ("permetrics_2.1.0", "recall_score", "08 10 12", ZERO),
    ("permetrics_2.1.0", "rand_score", "13", ZERO),
    ("permetrics_2.1.0", "mc_nemar_score", "*", OTHER),
    ("aricode_1.1.0", "ARI", "10 13", IDENTICAL),
    ("aricode_1.1.0", "AMI|NMI.*|NID|NVI", "09 13", IDENTICAL),
    ("mclustcomp_0.3.3", "adjrand", "09 10", IDENTICAL),
    ("mclustcomp_0.3.3", "nmi[12]", "09", IDENTICAL),
    ("mclustcomp_0.3.3", "nmi1", "08 16", ZERO),
    ("mclust_6.0.0", "adjustedRandIndex", "10", IDENTICAL),
    ("clusterCrit_1.3.0", "hubert|phi", "26 31 36 37 40", BITS32),
    ("clusterCrit_1.3.0", "phi", "39", BITS32),
    ("partitionComparison_0.2.6", "adjustedRandIndex", "09 10", IDENTICAL),
    ("partitionComparison_0.2.6", "classificationErrorDistance", "08 09 12", MORE_ROWS),
    ("partitionComparison_0.2.6", "normalizedMutualInformation", "09", IDENTICAL),
    ("clue_0.3.64", "cRand", "09 10", IDENTICAL),
    ("clue_0.3.64", "NMI", "09", IDENTICAL),
    ("igraph_1.3.5", "adjusted.rand", "09", IDENTICAL),
    ("igraph_1.3.5", ".*", "08 10 12 16", SINGLETONS),
]


def exception(program: str, measure: str, case: str) -> str | None:
    for its, names, cases, reason in EXCEPTIONS:
        if its == program and re.fullmatch(names, measure) and (cases == "*" or case[:2] in cases.split()):
            return reason
    return None


def refused(value: Any) -> bool:
    """Whether the program gave an error in place of a value."""
    return isinstance(value, dict) and "error" in value


def tolerance(program: str, measure: str) -> dict[str, float]:
    if program == "exact_reference":
        # Its zeros are sums of 40-digit numbers.
        return {"rel_tol": 1e-12, "abs_tol": 1e-30}
    if program.startswith("clusterCrit"):  # computes in single precision
        return {"rel_tol": 3e-7, "abs_tol": 1e-14}
    if re.search("adjusted_m|AMI|expected", measure):  # sums log-gammas, and subtracts
        return {"rel_tol": 1e-10, "abs_tol": 1e-12}
    return {"rel_tol": 1e-12, "abs_tol": 1e-13}


@cache
def loaded(case: str) -> tuple[dict[str, Any], Contingency]:
    data = read_reference(CASES[case])
    return data, Contingency.from_labels(data["labels_true"], data["labels_pred"])


@each("case", [case for case in CASES if case != EMPTY])
@each("program", PEERS)
def test_values_are_those_of_the_program(program: str, case: str) -> None:
    data, table = loaded(case)
    given = data.get(program, {})
    compared = 0
    for measure, target in PEERS[program].items():
        value = given.get(measure)
        if measure not in given or isinstance(value, list):  # the program does not have it
            continue
        ours, theirs = as_record(target).value(table), math.nan if refused(value) else as_number(value)
        same = not refused(value) and (
            (math.isnan(ours) and math.isnan(theirs))
            or math.isclose(ours, theirs, **tolerance(program, measure))
        )
        reason = exception(program, measure, case)
        if reason is None:
            assert same, f"{measure}: {ours!r}, {program} has {value!r}"
        elif measure != "mc_nemar_score":  # which may coincide
            assert not same, f"{measure}: no exception any more, both have {ours!r} ({reason})"
        compared += 1
    if program == "exact_reference":
        assert compared == len(EXACT)


def test_measures_that_are_an_index_are_names_of_its_record() -> None:
    """The pages and the look-up know what other programs call an index from its record alone."""
    of_the_partition_given_first = {"mhm", "purity"}
    for key, targets in PEERS.items():
        program = "scikit-learn" if key.startswith("sklearn") else key.split("_")[0]
        for measure, target in targets.items():
            record = as_record(target)
            is_plain = isinstance(target, str) and "__" not in measure
            if key == "exact_reference" or not is_plain or measure in of_the_partition_given_first:
                continue
            names = {
                name.lower() for peer, name in find_index(record.record).names_elsewhere if peer == program
            }
            if program == "dendextend":
                names = {name.removesuffix("_index") for name in names}
            assert measure.lower() in names, (program, measure, record.record)


def test_values_of_each_program_are_found() -> None:
    """Guard against a renamed key that would leave nothing to compare."""
    known = [loaded(case)[0] for case in CASES if case != EMPTY]
    for program, targets in PEERS.items():
        for measure in targets:
            assert any(isinstance(data.get(program, {}).get(measure), (int, float, str)) for data in known), (
                f"{program} has no value of {measure}"
            )


@pytest.mark.parametrize("case", [case for case in CASES if case != EMPTY])
def test_exact_counts(case: str) -> None:
    data, table = loaded(case)
    exact, pairs = data["exact_reference"], table.pairs
    assert (pairs.yy, pairs.yn, pairs.ny, pairs.nn) == tuple(exact[k] for k in ("N11", "N10", "N01", "N00"))
    assert pairs.total == exact["n_pairs"]
    assert (table.n, *table.shape) == (exact["n"], exact["K1"], exact["K2"])
    # scikit-learn counts ordered pairs, and lists the separate ones first.
    assert data["sklearn_1.9.1"]["pair_confusion_matrix"] == [
        [2 * pairs.nn, 2 * pairs.ny],
        [2 * pairs.yn, 2 * pairs.yy],
    ]
    contingency = data["sklearn_1.9.1"].get("contingency_matrix")
    if contingency is not None:
        assert table.to_array().tolist() == contingency


@pytest.mark.parametrize("case", [case for case in CASES if case != EMPTY])
def test_genieclust_normalises_confusion_matrices_alike(case: str) -> None:
    data, table = loaded(case)
    theirs = data["genieclust_1.3.0_codes"]
    if isinstance(theirs.get("normalizing_permutation"), list):
        assert adjudge.indices.normalizing_permutation(table).tolist() == theirs["normalizing_permutation"]
        by_shares = adjudge.indices.normalizing_permutation(table, criterion="adjusted_asymmetric_accuracy")
        assert by_shares.tolist() == theirs["normalizing_permutation_of_row_normalised"]
        assert (
            adjudge.indices.normalized_confusion_matrix(table).tolist()
            == theirs["normalized_confusion_matrix"]
        )
    else:  # it refuses tables with one row or with more rows than columns
        rows, columns = table.shape
        assert rows > columns or rows == 1 or "normalizing_permutation" not in theirs
        matrix = adjudge.indices.normalized_confusion_matrix(table)
        assert matrix.shape == (rows, max(rows, columns))
        assert np.trace(matrix) == round(adjudge.pivoted_accuracy(table) * table.n)


@pytest.mark.parametrize("case", [case for case in CASES if case != EMPTY])
def test_element_centric_scores_are_clusims(case: str) -> None:
    data, table = loaded(case)
    scores = adjudge.indices.element_centric_scores(data["labels_true"], data["labels_pred"])
    assert scores.shape == (table.n,)
    assert math.isclose(scores.mean(), adjudge.element_centric(table), rel_tol=1e-14)
    theirs = data.get("clusim_0.4", {}).get("element_sim_elscore")
    if isinstance(theirs, list):
        np.testing.assert_allclose(scores, theirs, rtol=1e-12)


def test_element_centric_scores_were_compared() -> None:
    have = [
        case
        for case in CASES
        if case != EMPTY and "element_sim_elscore" in loaded(case)[0].get("clusim_0.4", {})
    ]
    assert len(have) >= 15


def test_empty_input_is_refused_by_every_external_index() -> None:
    data = read_reference(CASES[EMPTY])
    for record in adjudge.list_indices("external"):
        with raises_line(adjudge.InputError, "labels_true is empty: at least one label is needed"):
            record(data["labels_true"], data["labels_pred"])
