"""What is computed where no indices are named: a few for each kind of question, with the reason in the record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.choosing.stacking import stack_of
from adjudge.indices import external
from adjudge.indices.catalog import select_indices
from adjudge.statistics import PairCounts

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.5, size=(30, 2)) for m in (0, 4, 8)])
TRUTH = np.repeat([0, 1, 2], 30)
FOUND = np.where(RNG.random(90) < 0.1, 0, TRUTH)
RECORDS = adjudge.list_indices()


def default_names(kind: str) -> list[str]:
    return [r.name for r in RECORDS if r.kind == kind and r.default]


@pytest.mark.parametrize("kind", ["external", "internal", "classification"])
def test_there_are_some_eight_for_each_kind_of_question(kind: str) -> None:
    assert 5 <= len(default_names(kind)) <= 10
    assert len({r.question for r in RECORDS if r.kind == kind and r.default}) >= 3


def test_the_reason_is_a_sentence_and_no_variant_takes_it_over() -> None:
    for record in RECORDS:
        for reason in filter(None, (record.default, record.default_k)):
            assert reason[0].isupper()
            assert reason.endswith(".")
            assert len(reason) <= 200
    assert not adjudge.find_index("nmi_min").default
    assert all(record.question for record in RECORDS)


def test_verbs_compute_them_unless_others_are_named() -> None:
    labels = adjudge.evaluate(TRUTH, FOUND)
    assert list(labels) == default_names("external")
    assert labels.settings["indices"] == "default"
    assert list(adjudge.evaluate(X=X, labels=FOUND)) == default_names("internal")
    classes = adjudge.evaluate(TRUTH, FOUND, kind="classification")
    assert set(classes) == {
        r.name for r in RECORDS if r.default and type(r) is type(adjudge.find_index("accuracy"))
    }
    probabilities = np.eye(3)[FOUND] * 0.8 + 0.2 / 3
    judged = adjudge.evaluate(TRUTH, probabilities=probabilities, kind="classification")
    assert list(judged) == default_names("classification")
    compared = adjudge.compare(TRUTH, {"a": FOUND, "b": TRUTH}, kind="clustering")
    assert list(compared.scores["a"]) == default_names("external")
    planned = adjudge.plan(1000, 2, 3)
    assert {name for group in planned.groups for name in group.indices} == set(default_names("internal"))


def test_all_and_more_are_asked_for() -> None:
    assert len(adjudge.evaluate(TRUTH, FOUND, indices="all")) == len(adjudge.list_indices("external"))
    more = adjudge.evaluate(TRUTH, FOUND, indices=["default", "rand"])
    assert list(more) == [*default_names("external"), "rand"]
    assert [r.name for r in select_indices(["all", "rand"], ("external",))] == [
        r.name for r in adjudge.list_indices("external")
    ]


def test_default_leaves_out_what_the_inputs_do_not_allow() -> None:
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    found = adjudge.evaluate(X=distances, labels=FOUND, metric="precomputed")
    assert {"silhouette", "dunn"} <= set(found)
    assert "calinski_harabasz" not in found
    with pytest.raises(adjudge.InputError, match="calinski_harabasz"):
        adjudge.evaluate(
            X=distances, labels=FOUND, metric="precomputed", indices=["default", "calinski_harabasz"]
        )


def test_choose_k_compares_its_verdict_and_what_is_cited() -> None:
    of_k = {r.name for r in RECORDS if r.default_k}
    deciding = {term.criterion for term in stack_of("numbers").terms}
    assert deciding < of_k
    plain = adjudge.choose_k(X, k=range(2, 6), random_state=0)
    cited = {"calinski_harabasz", "ccc", "davies_bouldin", "silhouette"}
    assert set(plain.values) == deciding | cited
    assert "duda" in adjudge.choose_k(X, "ward", range(2, 6)).values
    assert "bic" in adjudge.choose_k(X, "gaussian_mixture", range(2, 4), random_state=0).values
    stable = adjudge.choose_k(X, k=range(2, 4), stability=2, random_state=0)
    assert "prediction_strength" in stable.values
    everything = adjudge.choose_k(X, k=range(2, 6), random_state=0, indices="all")
    assert len(everything.values) > 60
    assert (everything.k, everything.supporters) == (plain.k, plain.supporters)


def test_an_index_of_your_own_is_a_default() -> None:
    @external(title="Mine", better="higher", range=(0, 1), reference="my own")
    def my_very_own(pairs: PairCounts) -> float:
        """Pairs joined in both."""
        return pairs.yy / pairs.total

    adjudge.register(my_very_own)
    try:
        assert "my_very_own" in adjudge.evaluate(TRUTH, FOUND)
    finally:
        adjudge.unregister("my_very_own")


def lines_of(table: Any) -> list[str]:
    return [line.split()[0] if line else "" for line in table.text().splitlines()]


def test_tables_of_many_indices_stand_under_their_questions() -> None:
    table = adjudge.evaluate(TRUTH, FOUND, X=X).table()
    lines = table.text().splitlines()
    for heading in ("Agreement", "Purity", "Distance", "Compactness and separation", "Separation", "Density"):
        assert heading in lines
        assert f"| **{heading}** |" in table.markdown()
    place = {name: i for i, name in enumerate(lines_of(table)) if name}
    assert place["Purity"] < place["homogeneity"] < place["Distance"] < place["variation_of_information"]
    assert "Purity" in adjudge.evaluate(TRUTH, FOUND)._repr_html_()
    assert [row[0] for row in table.rows] == [line.split(",")[0] for line in table.csv().splitlines()[1:]]
    few = adjudge.evaluate(TRUTH, FOUND, indices=["ari", "homogeneity"])
    assert "Purity" not in repr(few)
