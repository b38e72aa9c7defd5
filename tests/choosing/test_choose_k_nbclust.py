"""The criteria of a sweep against R's NbClust, and rules against cluster::maxSE."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import f as f_distribution

import naive_choose_k as naive
from adjudge import find_index
from adjudge.choosing.votes import vote
from adjudge.engines.labellings import sweep_of_labels
from adjudge.indices.rules import GAP_RULES, vote_of_gap
from adjudge.indices.selection_record import SelectionIndex
from conftest import REFERENCE, as_number, case_name, read_reference, reference_cases

CASES = reference_cases("nbclust")


class Case:
    def __init__(self, path):
        read = read_reference(path)
        self.X = np.array(read["data"], dtype=float)
        levels = np.array(read["partitions_k1_to_k10"])
        self.labels = {k: levels[k - 1] for k in range(1, 11)}
        self.ks = read["k"]
        self.gold = {
            name: {k: as_number(row[i]) for k, row in zip(read["k"], read["values"], strict=True)}
            for i, name in enumerate(read["indices"])
        }
        self.best = {name: choice[0] for name, choice in read["best_nc"].items()}
        self.critical = {
            name: {
                k: as_number(row[i])
                for k, row in zip(read["k"], read["critical_values"]["values"], strict=True)
            }
            for i, name in enumerate(read["critical_values"]["columns"])
        }

    def values(self, name):
        record = find_index(name)
        if isinstance(record, SelectionIndex):
            found = record(self.X, {k: v for k, v in self.labels.items() if k > 1 or -1 in record.neighbours})
            return {k: found[k] for k in self.ks if k in found}
        return {k: record(self.X, self.labels[k]) for k in self.ks}


@pytest.fixture(params=CASES, ids=case_name)
def case(request):
    return Case(request.param)


# Names here, names there.
SAME = {
    "krzanowski_lai": "KL",
    "calinski_harabasz": "CH",
    "ksq_detw": "Marriot",
    "trcovw": "TrCovW",
    "trace_w": "TraceW",
    "frey": "Frey",
    "dunn": "Dunn",
}


@pytest.mark.parametrize("name", SAME)
def test_values_are_nbclusts(case, name):
    for k, value in case.values(name).items():
        gold = case.gold[SAME[name]][k]
        assert value == pytest.approx(gold, rel=1e-4, abs=1e-4), (k, value, gold)


@pytest.mark.parametrize(
    "case", [p for p in CASES if "ward" in p.name or "complete" in p.name], ids=case_name, indirect=True
)
def test_tests_of_splits_are_nbclusts(case):
    """Values and critical values."""
    p = case.X.shape[1]
    sweep = sweep_of_labels(case.X, case.labels, (find_index("duda").reads), (1,))
    for k in case.ks:
        n, whole, parts = naive.split(case.X, case.labels, k)
        if n <= 2 or not math.isclose(parts / whole, case.gold["Duda"][k], abs_tol=1e-4):
            continue
        duda, pt2, beale = (find_index(name).over(sweep)[k] for name in ("duda", "pseudo_t2", "beale"))
        assert duda.value == pytest.approx(case.gold["Duda"][k], abs=1e-4)
        assert duda.critical == pytest.approx(case.critical["CritValue_Duda"][k], abs=1e-4)
        assert pt2.value == pytest.approx(case.gold["Pseudot2"][k], rel=1e-4, abs=1e-4)
        if duda.critical > 0:
            assert pt2.critical == pytest.approx(case.critical["CritValue_PseudoT2"][k], rel=1e-4)
        quirk = naive.beale(case.X, case.labels, k, nbclust=True)
        assert quirk == pytest.approx(case.gold["Beale"][k], rel=1e-3, abs=1e-4)
        assert f_distribution.sf(quirk, p, (n - 2) * p) == pytest.approx(
            case.critical["Fvalue_Beale"][k], abs=2e-4
        )
        assert beale.value == pytest.approx(naive.beale(case.X, case.labels, k), rel=1e-9)
        assert f_distribution.sf(beale.critical, p, (n - 2) * p) == pytest.approx(0.1)


QUIRKS = {
    "Hartigan": lambda c, k: naive.hartigan(c.X, c.labels, k, lost=0),
    "Friedman": lambda c, k: naive.nbclust_friedman(c.X, c.labels, k),
    "Rubin": lambda c, k: naive.nbclust_rubin(c.X, c.labels, k),
    "Scott": lambda c, k: naive.nbclust_scott(c.X, c.labels, k),
    "CCC": lambda c, k: naive.ccc(c.X, c.labels, k, about_mean=False),
    "Dindex": lambda c, k: naive.d_index(c.X, c.labels[k], over_points=True),
    "DB": lambda c, k: naive.nbclust_davies_bouldin(c.X, c.labels, k),
    "Ratkowsky": lambda c, k: naive.nbclust_ratkowsky(c.X, c.labels, k),
    "Silhouette": lambda c, k: naive.nbclust_silhouette(c.X, c.labels, k),
    "McClain": lambda c, k: naive.nbclust_mcclain(c.X, c.labels, k),
    "Ball": lambda c, k: np.trace(naive.scatter(c.X, c.labels[k])) / k,
}


@pytest.mark.full(keep=11)
@pytest.mark.parametrize("name", QUIRKS)
def test_quirks_of_nbclust_are_as_the_records_say(case, name):
    for k in case.ks:
        assert QUIRKS[name](case, k) == pytest.approx(case.gold[name][k], rel=1e-3, abs=2e-4), k


CHOICES = {
    "krzanowski_lai": "KL",
    "calinski_harabasz": "CH",
    "scott": "Scott",
    "ksq_detw": "Marriot",
    "trcovw": "TrCovW",
    "trace_w": "TraceW",
    "ratkowsky_lance": "Ratkowsky",
    "dunn": "Dunn",
}


@pytest.mark.parametrize("name", CHOICES)
def test_votes_are_nbclusts(case, name):
    assert vote(find_index(name), case.values(name), {}) == case.best[CHOICES[name]]


def test_nbclust_chooses_by_the_largest_change_of_hartigan_up_or_down(case):
    values = [naive.hartigan(case.X, case.labels, k, lost=0) for k in case.ks]
    assert case.ks[int(np.abs(np.diff(values)).argmax()) + 1] == case.best["Hartigan"]


MAX_SE = read_reference(REFERENCE / "cluster" / "max_se.json")["cases"]


@pytest.mark.parametrize("rule", GAP_RULES)
def test_rules_choose_as_cluster_does(rule: str) -> None:
    for case in MAX_SE:
        gaps = dict(enumerate(case["gap"], start=1))
        errors = dict(enumerate(case["se"], start=1))
        assert vote_of_gap(gaps, errors, rule) == case["k"][rule], case


def test_cases_tell_the_rules_apart() -> None:
    chosen = {rule: [case["k"][rule] for case in MAX_SE] for rule in GAP_RULES}
    assert len({tuple(k) for k in chosen.values()}) == len(GAP_RULES)
