"""Published experiments: what agrees, what is a misprint, and that the contradictions are found."""

from __future__ import annotations

import csv
import json
import os
import stat
from collections import Counter

import numpy as np
import pytest

import adjudge
from adjudge.errors import AdjudgeError, InputError
from adjudge_papers import (
    EXPERIMENTS,
    amorim_cardoso,
    biswas_classification,
    biswas_clustering,
    desgraupes,
    gagolewski,
    reproduce,
)
from adjudge_papers.facts import load_facts
from adjudge_papers.prayatul import class_scores, rightness_from_alpha_phi, xi_gap
from adjudge_papers.verdicts import judge, tally
from conftest import raises_line


@pytest.mark.parametrize(
    ("printed", "ours", "decimals", "verdict"),
    [
        ("1", 1.0, 4, "exact"),
        ("0.5", 0.5, 4, "exact"),
        ("0.98", 0.975, 2, "rounded"),
        ("0.9", 0.8974, 2, "rounded"),
        ("0.89", 0.8974, 2, "cut"),
        ("-0.2639", -0.26397, 4, "cut"),
        ("0.2640", 0.26397, 4, "rounded"),
        ("0.9479", 0.94738, 4, "differs"),
        ("0.5", 0.4951, 4, "differs"),
        ("0", float("nan"), 4, "differs"),
    ],
)
def test_judge(printed, ours, decimals, verdict):
    assert judge(printed, ours, decimals) == verdict


@pytest.fixture(scope="module")
def clustering():
    return biswas_clustering.reproduce()


def test_biswas_clustering_recorded(clustering):
    counts = tally(clustering.cells)
    assert counts["Table I"] == Counter(exact=68, rounded=104, cut=7, misprint=1)
    assert counts["Table II"] == Counter(exact=18, rounded=18)
    (misprint,) = [cell for cell in clustering.cells if cell.verdict == "misprint"]
    assert (misprint.row, misprint.column, misprint.printed) == (
        "NS: Spectral vs KMeans",
        "sigma_c",
        "0.9479",
    )
    assert "this one must be 0.9474" in misprint.note
    assert round(misprint.ours, 4) == 0.9474


def test_biswas_clustering_counts_are_the_definition(clustering):
    """A loop over all pairs of a sample of the instances gives the matrix that the product gives."""
    facts = load_facts("biswas_clustering")
    labels = {name: np.array(list(row))[::15] for name, row in facts["labels"]["NS"].items()}
    same = {name: row[:, None] == row[None, :] for name, row in labels.items()}
    upper = np.triu_indices(len(labels["G"]), 1)
    right = {name: (matrix == same["G"])[upper] for name, matrix in same.items()}
    pair = adjudge.compare(labels["G"], {k: labels[k] for k in ("BIRCH", "KMeans")}, kind="clustering")[
        "BIRCH", "KMeans"
    ]
    assert pair.both_right == np.sum(right["BIRCH"] & right["KMeans"])
    assert pair.right_wrong == np.sum(right["BIRCH"] & ~right["KMeans"])
    assert pair.wrong_right == np.sum(~right["BIRCH"] & right["KMeans"])
    assert pair.both_wrong == np.sum(~right["BIRCH"] & ~right["KMeans"])


def test_biswas_clustering_data_are_those_of_the_labels():
    """The data drawn today have the classes behind the recorded partitions."""
    _, truth = biswas_clustering.make_data()
    recorded = load_facts("biswas_clustering")["labels"]
    for data, row in recorded.items():
        assert np.array_equal(truth[data], [ord(c) - ord("a") for c in row["G"]])


def test_biswas_clustering_contradictions(clustering):
    found = {finding.statement: finding for finding in clustering.findings}
    failing = [statement for statement, finding in found.items() if not finding.holds]
    assert len(failing) == 9
    assert (
        "NS KMeans/Spectral -0.9474 and 0.9479"
        in found["sigma_c(P, Q) = -sigma_c(Q, P) in every pair of printed cells"].evidence
    )
    assert any("KMeans is better than BIRCH on NC and NM" in s for s in failing)
    assert any("RW is slightly above WR for BIRCH against KMeans" in s for s in failing)
    assert found["xi_e = 2 xi_c - 1 in every printed row, within rounding"].holds


def test_a_changed_digit_is_noticed():
    """Each identity fails where one printed digit is changed."""
    facts = load_facts("biswas_clustering")
    row = facts["table1"]["NS"]["BIRCH"]["KMeans"]
    assert abs(xi_gap(row)) < 0.00016
    assert abs(xi_gap({**row, "xi_e": "0.7839"})) > 0.0005
    share = rightness_from_alpha_phi(float(row["alpha"]), float(row["phi_e"]))
    assert share == pytest.approx(0.79943, abs=1e-4)


def test_biswas_clustering_fresh():
    result = biswas_clustering.reproduce("fresh", random_state=3)
    counts = tally(result.cells)
    assert set(counts) == {
        "Table I with MiniBatchKMeans",
        "Table II with MiniBatchKMeans",
        "Table I with KMeans",
        "Table II with KMeans",
        "Table III",
    }
    # Pairs without k-means do not depend on the seed or the version.
    steady = [c for c in result.cells if c.table == "Table I with KMeans" and "KMeans" not in c.row]
    assert len(steady) == 90
    assert all(cell.verdict in {"exact", "rounded", "cut"} for cell in steady)
    assert all(finding.holds for finding in result.findings if finding.statement.startswith("DBSCAN"))


def test_biswas_clustering_unknown_labels():
    with raises_line(InputError, "labels='old' is not known: choose 'recorded' or 'fresh'"):
        biswas_clustering.reproduce("old")


def test_class_scores():
    truth, found = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    assert class_scores(truth, found) == pytest.approx({"Acc": 0.6, "Pre": 2 / 3, "Rec": 2 / 3})
    # Label 9 never occurs in the truth: it counts for precision alone.
    found = np.array([0, 9, 1, 1, 9])
    assert class_scores(truth, found) == pytest.approx({"Acc": 0.6, "Pre": 2 / 3, "Rec": (1 / 2 + 2 / 3) / 2})


@pytest.mark.full
def test_biswas_classification():
    result = biswas_classification.reproduce()
    counts = tally(result.cells)
    assert counts == {
        "Table 1": Counter(exact=25, rounded=19, cut=1),
        "Table 2": Counter(rounded=22, exact=14),
    }
    assert "SEARCHED" in result.notes[0]
    assert not any(finding.holds for finding in result.findings)
    (cut,) = [cell for cell in result.cells if cell.verdict == "cut"]
    assert (cut.row, cut.column, cut.printed) == ("MC: Nearest Neighbor vs Naive Bayes", "xi_e", "0.89")


def test_desgraupes():
    result = desgraupes.reproduce(repetitions=1)
    counts = tally(result.cells)
    assert counts["External indices"] == Counter(rounded=3)
    assert counts["Internal indices"] == Counter({"not reproducible": 6})
    verdicts = {row[0]: row[-1] for row in result.tables["recorded_draw"].rows}
    assert [name for name, verdict in verdicts.items() if verdict == "differs"] == ["gamma", "g_plus", "tau"]
    assert len(verdicts) == 42
    assert len(result.tables["benchmark"].rows) == 43


def test_desgraupes_pair_counts():
    printed = load_facts("desgraupes")["printed"]["external"]
    counts = desgraupes.pair_counts_behind(printed)
    assert (counts.yy, counts.yn, counts.ny, counts.nn) == (715, 3053, 1483, 5924)
    assert counts.yy + counts.yn + counts.ny + counts.nn == 150 * 149 // 2


def _fake_rscript(folder, monkeypatch, script):
    program = folder / "Rscript"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Rscript is a shell script")
def test_desgraupes_reads_the_times_of_r(tmp_path, monkeypatch):
    points, labels = desgraupes.benchmark_data(0)
    _fake_rscript(tmp_path, monkeypatch, f"cat > {tmp_path}/given.csv\necho 'C_index,1.5'\necho 'all,3'")
    assert desgraupes.time_clustercrit(points, labels, 7) == {"c_index": 1.5, "all": 3.0}
    with (tmp_path / "given.csv").open() as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == 400
    assert [float(v) for v in rows[0][:2]] == points[0].tolist()
    assert rows[399][2] == "4"


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Rscript is a shell script")
def test_desgraupes_r_fails(tmp_path, monkeypatch):
    points, labels = desgraupes.benchmark_data(0)
    _fake_rscript(
        tmp_path, monkeypatch, "cat > /dev/null; echo 'there is no package called clusterCrit' >&2; exit 1"
    )
    assert desgraupes.time_clustercrit(points, labels, 1) == {}
    _fake_rscript(tmp_path, monkeypatch, "cat > /dev/null; echo 'Error: no memory' >&2; exit 1")
    with raises_line(AdjudgeError, "Rscript failed: Error: no memory"):
        desgraupes.time_clustercrit(points, labels, 1)


def test_gagolewski():
    result = gagolewski.reproduce()
    assert {verdict for counts in tally(result.cells).values() for verdict in counts} == {"exact"}
    assert len(result.cells) == 21
    for _, _, ours, theirs in result.tables["worked_example_measures"].rows:
        assert theirs is None or ours == pytest.approx(theirs, abs=1e-12)
    exchanged, expected = result.findings
    assert not exchanged.holds
    assert expected.holds


def test_quick_cluster_follows_its_rule():
    # The far pair replaces the two close first points; Lloyd's steps then settle at once.
    X = np.array([[0.0, 0], [0.1, 0], [10, 0], [10, 1], [0, 1]])
    assert amorim_cardoso.quick_cluster(X, 2).tolist() in ([0, 0, 1, 1, 0], [1, 1, 0, 0, 1])


def test_mixtures_have_the_printed_parameters():
    rng = np.random.default_rng(0)
    weights, means, variances = [0.5, 0.5], [[0.0, 5.0], [1.0, -5.0]], [[1.0, 4.0], [9.0, 0.25]]
    X, labels = amorim_cardoso.draw_mixture(weights, means, variances, n=40_000, rng=rng)
    for group in (0, 1):
        assert X[labels == group].mean(0) == pytest.approx(means[group], abs=0.1)
        assert X[labels == group].var(0) == pytest.approx(variances[group], rel=0.05)


def test_overlap_of_two_normals():
    # Equal weights and variance 1, two apart: each side errs with probability Phi(-1) = 0.158655.
    rng = np.random.default_rng(0)
    (overlap,) = amorim_cardoso.pair_overlaps([0.5, 0.5], [[0.0], [2.0]], [[1.0], [1.0]], rng=rng)
    assert overlap == pytest.approx(2 * 0.158655, abs=0.004)


@pytest.mark.full
def test_amorim_cardoso_reduced():
    result = amorim_cardoso.reproduce(datasets=3, n_tables=50, starts=1, random_state=1)
    counts = tally(result.cells)
    assert {table: c.total() for table, c in counts.items()} == {
        "Table 4": 72,
        "Table 5": 72,
        "Table 6": 216,
        "Table 7": 216,
    }
    (misprint,) = [cell for cell in result.cells if cell.verdict == "misprint"]
    assert (misprint.row, misprint.column) == ("unbalanced, well separated: FM", "adj cv")
    overlaps = {
        f.statement.partition(":")[0]: f.holds for f in result.findings if f.statement.startswith("Table")
    }
    assert [name for name, holds in overlaps.items() if not holds] == [
        "Table 2, moderately separated",
        "Table 3, well separated",
    ]
    # Exact identities of the method, whatever the data.
    assert next(f for f in result.findings if f.statement == "Adjusted R and adjusted C are equal").holds
    assert (
        result.to_dict()
        == amorim_cardoso.reproduce(datasets=3, n_tables=50, starts=1, random_state=1).to_dict()
    )


def test_amorim_cardoso_needs_data_sets():
    with raises_line(InputError, "datasets=2: give at least 3, since means and their errors are compared"):
        amorim_cardoso.reproduce(datasets=2)


@pytest.mark.full
def test_reproduce_writes_everything(tmp_path):
    pytest.importorskip("matplotlib")
    first = reproduce("gagolewski", output=tmp_path / "a")
    reproduce("gagolewski", output=tmp_path / "b")
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == [
        "benchmark_measures.csv",
        "cells.csv",
        "figure_10_partitions.svg",
        "findings.csv",
        "gagolewski.html",
        "worked_example_measures.csv",
    ]
    for name in names:  # the same run gives the same files
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    page = (tmp_path / "a" / "gagolewski.html").read_text("utf-8")
    assert "http-equiv" in page
    assert "<svg" in page
    assert page.count("<td>exact") + page.count('class="exact"') == 21
    assert json.loads(json.dumps(first.to_dict()))["name"] == "gagolewski"
    with (tmp_path / "a" / "cells.csv").open() as stream:
        assert len(list(csv.reader(stream))) == 22


def test_reproduce_refuses(tmp_path):
    with raises_line(
        InputError, "no experiment is called 'x': choose one of " + ", ".join(map(repr, EXPERIMENTS))
    ):
        reproduce("x")
    with raises_line(InputError, "gagolewski has no option 'full': it takes random_state"):
        reproduce("gagolewski", full=True)
    taken = tmp_path / "file"
    taken.write_text("")
    with raises_line(InputError, f"output={str(taken)!r} is a file: name a folder"):
        reproduce("gagolewski", output=taken)


def test_every_experiment_can_be_found():
    for experiment in EXPERIMENTS.values():
        assert callable(experiment.function)
