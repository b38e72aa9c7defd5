"""The Prayatul matrix against its definition, over all pairs and instances, and against the published tables."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import adjudge
import naive
from adjudge import InputError, compare
from adjudge.statistics import Agreement
from adjudge.statistics.agreement import CELLS, JoinedPairs, Outcomes
from conftest import as_number, raises_line, read_reference

MEASURES = {
    "sigma_c": "comparative_deviation",
    "alpha": "polarization",
    "xi_c": "comparative_rightness",
    "xi_e": "effective_rightness",
    "phi_e": "effective_superiority",
}


# --- random cases against the definition ------------------------------------------------------------------------


def random_vectors(draw: random.Random) -> list[list[Any]]:
    """Truth and two models: few or many clusters, singletons, text, noise, missing labels."""
    n = draw.randint(1, 40)
    vectors: list[list[Any]] = []
    for _ in range(3):
        kind = draw.choice(["few", "many", "singletons", "one", "text", "noise", "copy", "gaps"])
        if kind == "copy" and vectors:
            labels = [x if draw.random() < 0.8 else draw.choice(vectors[0]) for x in vectors[0]]
        elif kind == "singletons":
            labels = draw.sample(range(n), n)
        elif kind == "one":
            labels = [5] * n
        elif kind == "text":
            labels = [draw.choice(["a", "bb", "c c", ""]) for _ in range(n)]
        elif kind == "noise":
            labels = [draw.choice([-1, -1, 0, 1, 2]) for _ in range(n)]
        elif kind == "gaps":
            labels = [draw.choice([-(10**12), 7, 10**12]) for _ in range(n)]
        else:
            labels = [draw.randint(0, 3 if kind == "few" else 25) for _ in range(n)]
        if draw.random() < 0.2:
            labels = [None if draw.random() < 0.15 else x for x in labels]
        vectors.append(labels)
    return vectors


@pytest.mark.full
@pytest.mark.parametrize("noise", ["cluster", "singletons", "drop"])
def test_clustering_is_the_count_of_all_pairs(noise: str) -> None:
    draw = random.Random(f"clustering {noise}")
    compared = 0
    for _ in range(1000):
        vectors = random_vectors(draw)
        (g, p, q), kept = naive.prepare(vectors, noise=noise)
        if not kept:
            with pytest.raises(InputError, match=r"instances is left|has no label in any row"):
                adjudge.polarization(*vectors, kind="clustering", missing="drop", noise=noise)
            continue
        totals, per_instance = naive.prayatul_clustering(g, p, q)
        result = compare(
            vectors[0],
            {"p": vectors[1], "q": vectors[2]},
            kind="clustering",
            missing="drop",
            noise=noise,
            indices="rand",
        )
        pair, back = result["p", "q"], result["q", "p"]
        assert result.n == len(kept)
        for cell in CELLS:
            assert getattr(pair, cell) == totals[cell]
            counts = pair.instances(cell)
            assert counts.dtype == np.int64
            expected = [0] * len(vectors[0])
            for position, count in zip(kept, per_instance[cell], strict=True):
                expected[position] = count
            assert counts.tolist() == expected
        assert (back.both_right, back.right_wrong, back.wrong_right, back.both_wrong) == (
            totals["both_right"],
            totals["wrong_right"],
            totals["right_wrong"],
            totals["both_wrong"],
        )
        check_measures(pair, totals)
        compared += 1
    assert compared > 900


@pytest.mark.full
def test_classification_is_the_count_of_all_instances() -> None:
    draw = random.Random("classification")
    for _ in range(2000):
        n = draw.randint(1, 30)
        labels = draw.choice([[0, 1], [0, 1, 2, -1], ["a", "b", "c"], [10**12, -(10**12), 3], [True, False]])
        vectors = [[draw.choice(labels) for _ in range(n)] for _ in range(3)]
        if draw.random() < 0.3:
            vectors = [[None if draw.random() < 0.1 else x for x in v] for v in vectors]
        (g, p, q), kept = naive.prepare(vectors)
        if not kept:
            continue
        models = {"p": vectors[1], "q": vectors[2]}
        if any(len(set(g)) > 1 and len(set(x)) > 1 and not set(g) & set(x) for x in (p, q)):
            with pytest.raises(InputError, match="none of the labels of labels_true"):
                compare(vectors[0], models, kind="classification", missing="drop")
            continue
        expected = naive.prayatul_classification(g, p, q)
        pair = compare(vectors[0], models, kind="classification", missing="drop")["p", "q"]
        totals = {cell: len(positions) for cell, positions in expected.items()}
        for cell in CELLS:
            assert getattr(pair, cell) == totals[cell]
            assert pair.instances(cell).tolist() == [kept[i] for i in expected[cell]]
            assert pair.instances(cell).dtype == np.int64
        check_measures(pair, totals)


def check_measures(pair: adjudge.results.HeadToHead, totals: dict[str, int]) -> None:
    expected = naive.prayatul_measures(*(totals[cell] for cell in CELLS))
    assert pair.measures.keys() == expected.keys()
    for name, value in expected.items():
        ours = pair.measures[name]
        assert type(ours) is float
        assert (name in pair.reasons) == math.isnan(value)
        assert ours == pytest.approx(value, rel=1e-15, nan_ok=True)
    xi_c, xi_e = pair.measures["comparative_rightness"], pair.measures["effective_rightness"]
    assert math.isnan(xi_c) == math.isnan(xi_e)
    assert math.isnan(xi_c) or xi_e == pytest.approx(2 * xi_c - 1, abs=1e-15)


def test_many_clusters_take_the_sparse_path(rng: np.random.Generator) -> None:
    n = 250
    g, p, q = rng.integers(0, 150, (3, n))
    p[::2], q[::3] = g[::2], g[::3]
    totals, per_instance = naive.prayatul_clustering(g.tolist(), p.tolist(), q.tolist())
    pair = compare(g, {"p": p, "q": q}, kind="clustering")["p", "q"]
    for cell in CELLS:
        assert getattr(pair, cell) == totals[cell]
        assert pair.instances(cell).tolist() == per_instance[cell]


def test_measures_from_rand_indices(rng: np.random.Generator) -> None:
    """The closed forms in A = Rand(G, P), B = Rand(G, Q), C = Rand(P, Q)."""
    g, p, q = rng.integers(0, 4, (3, 500))
    a, b, c = adjudge.rand(g, p), adjudge.rand(g, q), adjudge.rand(p, q)
    closed = {
        "comparative_deviation": (a - b) / (1 - c),
        "polarization": (3 * a + b - c - 1) / 2,
        "comparative_rightness": 2 * a / (1 + a + b - c),
        "effective_rightness": (3 * a - b + c - 1) / (1 + a + b - c),
        "effective_superiority": (3 * a - b + c - 1) / 2,
    }
    measures = compare(g, {"p": p, "q": q}, kind="clustering")["p", "q"].measures
    assert measures == pytest.approx(closed, rel=1e-11)
    for name, value in closed.items():
        assert adjudge.find_index(name)(g, p, q, kind="clustering") == pytest.approx(value, rel=1e-11)


def test_hand_arithmetic() -> None:
    """Four counts and the five measures, by hand: BR = 5, RW = 3, WR = 1, BW = 1."""
    agreement = Agreement(5, 3, 1, 1)
    assert agreement.total == 10
    assert agreement.disagreements == 4
    assert agreement.swap() == Agreement(5, 1, 3, 1)
    assert adjudge.comparative_deviation.of(agreement) == 2 / 4
    assert adjudge.polarization.of(agreement) == 7 / 10
    assert adjudge.comparative_rightness.of(agreement) == 8 / 9
    assert adjudge.effective_rightness.of(agreement) == 7 / 9
    assert adjudge.effective_superiority.of(agreement) == 7 / 10


# --- the statistic ----------------------------------------------------------------------------------------------


def test_pair_sums_are_exact_beyond_64_bits() -> None:
    n = 10**11
    half = n // 2
    joined, all_pairs = 2 * (half * (half - 1) // 2), n * (n - 1) // 2
    sums = JoinedPairs(total=all_pairs, g=joined, p=joined, q=all_pairs, gp=joined, gq=joined, pq=joined)
    assert sums.agreement == Agreement(joined, all_pairs - joined, 0, 0)


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("value", [-1, 0.5, None])
def test_errors_of_counts(name: str, value: Any) -> None:
    with raises_line(InputError, f"Agreement.{name} is {value!r}: it is a count, a whole number >= 0"):
        Agreement(**{**dict.fromkeys(CELLS, 1), name: value})


def test_from_outcomes() -> None:
    p, q = [True, True, False, True, False], [True, False, False, True, True]
    assert Agreement.from_outcomes(p, q) == Agreement(2, 1, 1, 1)
    assert Agreement.from_outcomes(np.array(p), np.array(q)).both_wrong == 1
    outcomes = Outcomes(np.array(p), np.array(q))
    assert [outcomes.positions(cell).tolist() for cell in CELLS] == [[0, 3], [1], [4], [2]]
    with raises_line(
        InputError,
        "cell='right' is not known: choose one of 'both_right', 'right_wrong', 'wrong_right', 'both_wrong'",
    ):
        outcomes.positions("right")


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        (
            [True],
            [True, False],
            "alternative_right has 2 entries, primary_right has 1: they must have the same length",
        ),
        ([], [], "primary_right has shape (0,): a non-empty vector of booleans is needed"),
        ([True], [[True]], "alternative_right has shape (1, 1): a non-empty vector of booleans is needed"),
        (
            [1, 0],
            [True, False],
            "primary_right has dtype int64: it says true or false for each instance, as labels_pred == labels_true",
        ),
    ],
)
def test_errors_of_outcomes(p: Any, q: Any, message: str) -> None:
    with raises_line(InputError, message):
        Agreement.from_outcomes(p, q)


# --- labels of classifiers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "prediction", "right"),
    [
        ([0, 1, 2], [0, 1, 1], [0, 1]),
        ([0, 1, 2], [0.0, 1.0, 5.0], [0, 1]),
        ([True, False], [1, 1], [0]),
        (["a", "b", "c"], np.array(["a", "c", "c"]), [0, 2]),
        (["a", "b"], [np.str_("a"), np.str_("z")], [0]),
        # Nothing is right, but of one class that may be.
        (["a", "b"], [np.str_("z"), np.str_("z")], []),
        ([5, 5], [10**15, -(10**15)], []),
        ([1, "a"], ["a", "a"], [1]),
        ([2**63, 0], [2**63, 1], [0]),
    ],
)
def test_labels_are_compared_as_given(truth: Any, prediction: Any, right: list[int]) -> None:
    result = compare(truth, {"p": prediction, "q": truth}, kind="classification")["p", "q"]
    assert result.instances("both_right").tolist() == right


def test_labels_that_can_never_be_right_are_refused() -> None:
    hint = "pass kind='clustering', or use the same labels in both"
    message = f"p has labels such as '0', but none of the labels of labels_true, such as 0: {hint}"
    with raises_line(InputError, message):
        compare([0, 1], {"p": ["0", "1"]}, kind="classification")
    message = f"primary has labels such as 0, but none of the labels of labels_true, such as 'a': {hint}"
    with raises_line(InputError, message):
        adjudge.polarization(["a", "b"], [0, 1], ["a", "b"], kind="classification")
    message = (
        f"labels_pred has labels such as 'x', but none of the labels of labels_true, such as 'a': {hint}"
    )
    with raises_line(InputError, message):
        adjudge.accuracy(["a", "b"], ["x", "y"])
    with raises_line(InputError, message):
        adjudge.evaluate(["a", "b"], ["x", "y"], kind="classification")
    # One class alone may be got wrong throughout; of another type it is still an error.
    assert adjudge.accuracy(["a"], ["b"]) == adjudge.accuracy([0, 1], [2, 2]) == 0
    with raises_line(
        InputError,
        f"labels_pred has labels such as '0', but none of the labels of labels_true, such as 0: {hint}",
    ):
        adjudge.accuracy([0], ["0"])


def test_clusters_may_be_called_anything() -> None:
    pair = compare([0, 0, 1], {"p": ["x", "x", "y"], "q": [7, 8, 8]}, kind="clustering")["p", "q"]
    assert (pair.both_right, pair.right_wrong, pair.wrong_right, pair.both_wrong) == (1, 2, 0, 0)


# --- published tables -------------------------------------------------------------------------------------------

CLUSTERING = read_reference("biswas_clustering.json.gz")
CLASSIFICATION = read_reference("biswas_classification.json")


def is_rounded(printed: str, value: float) -> bool:
    digits = len(printed.partition(".")[2])
    return abs(value - float(printed)) <= 0.5 * 10.0**-digits + 1e-12


@pytest.mark.parametrize("data", ["NC", "NM", "NS"])
def test_table_1_of_the_clustering_paper(data: str) -> None:
    labels = {name: list(text) for name, text in CLUSTERING["labels"][data].items()}
    truth = labels.pop("G")
    comparison = compare(truth, labels, kind="clustering", indices=["rand", "ari", "nmi", "ami"])
    assert comparison.n == 1500
    assert len(CLUSTERING["counts"][data]) == 12
    for pair, counts in CLUSTERING["counts"][data].items():
        found = comparison[tuple(pair.split(" vs "))]
        assert [found.both_right, found.right_wrong, found.wrong_right, found.both_wrong] == [
            counts[cell] for cell in ("BR", "RW", "WR", "BW")
        ]
    matches = {"exact": 0, "round": 0, "trunc": 0, "NO": 0}
    cells = [cell for cell in CLUSTERING["table1_cells"] if cell["data"] == data]
    assert len(cells) == 60
    for cell in cells:
        ours = comparison[cell["primary"], cell["alternative"]].measures[MEASURES[cell["measure"]]]
        recomputed = as_number(cell["reproduced"])
        matches[cell["match"]] += 1
        if math.isnan(ours):  # RW = WR = 0, where the program prints 0
            assert (cell["measure"], float(cell["paper"])) == ("sigma_c", 0)
            continue
        assert ours == pytest.approx(recomputed, rel=1e-12)
        if cell["match"] in ("exact", "round"):
            assert is_rounded(cell["paper"], ours)
        elif cell["match"] == "trunc":
            assert abs(float(cell["paper"])) <= abs(ours) < abs(float(cell["paper"])) + 1e-4
        else:  # the misprint, .9479 for .9474
            assert (cell["paper"], round(ours, 4)) == ("0.9479", 0.9474)
    assert matches["trunc"] == (7 if data == "NS" else 0)
    assert matches["NO"] == (1 if data == "NS" else 0)
    # Table III.
    for model, expected in CLUSTERING["table3_computed"][data].items():
        scores = comparison.scores[model]
        ours = {
            "Rand": scores["rand"],
            "ARI": scores["adjusted_rand"],
            "NMI": scores["nmi"],
            "AMI": scores["ami"],
        }
        assert ours == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_table_2_of_the_clustering_paper() -> None:
    """Scores of cluster numbers against class numbers as they are; the letters a, b, ... are 0, 1, ...

    Precision and recall are means over classes on NS alone; on NC and NM they are those of class 1.
    """
    scores = {"Acc": adjudge.accuracy, "Pre": adjudge.macro_precision, "Rec": adjudge.balanced_accuracy}
    checked = 0
    for cell in CLUSTERING["table2_cells"]:
        if cell["measure"] != "Acc" and cell["data"] != "NS":
            continue
        labels = CLUSTERING["labels"][cell["data"]]
        truth, found = list(labels["G"]), list(labels[cell["algo"]])
        # The paper's means are over all labels, also those of clusters alone.
        score = scores[cell["measure"]](truth, found, classes=sorted({*truth, *found}))
        assert score == pytest.approx(as_number(cell["reproduced"]), rel=1e-12)
        checked += 1
    assert checked == 12 + 4 + 4


def classification_data() -> dict[str, tuple[Any, Any, Any, Any]]:
    """The three data sets, scaled and split as scikit-learn's example has it, which the paper ran."""
    from sklearn.datasets import make_circles, make_classification, make_moons
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    X, y = make_classification(
        n_features=2, n_redundant=0, n_informative=2, random_state=1, n_clusters_per_class=1
    )
    X += 2 * np.random.RandomState(2).uniform(size=X.shape)
    sets = {
        "MM": make_moons(noise=0.3, random_state=0),
        "MC": make_circles(noise=0.2, factor=0.5, random_state=1),
        "LS": (X, y),
    }
    return {
        name: tuple(train_test_split(StandardScaler().fit_transform(X), y, test_size=0.4, random_state=42))
        for name, (X, y) in sets.items()
    }


def test_table_1_of_the_classification_paper() -> None:
    """Nearest neighbours and naive Bayes are deterministic; tree and forest need the seeds that were searched for."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    data = classification_data()
    predictions: dict[tuple[Any, ...], Any] = {}

    def predict(name: str, model: str, seed: int | None) -> Any:
        makers = {
            "Nearest Neighbor": lambda: KNeighborsClassifier(3),
            "Decision Tree": lambda: DecisionTreeClassifier(max_depth=5, random_state=seed),
            "Random Forest": lambda: RandomForestClassifier(
                max_depth=5, n_estimators=10, max_features=1, random_state=seed
            ),
            "Naive Bayes": GaussianNB,
        }
        if (name, model, seed) not in predictions:
            train, test, y_train, _ = data[name]
            predictions[name, model, seed] = makers[model]().fit(train, y_train).predict(test)
        return predictions[name, model, seed]

    cells = CLASSIFICATION["table1_cells"]
    assert len(cells) == 45
    for cell in cells:
        name, alternative = cell["data"], cell["alternative"]
        models = {
            "knn": predict(name, "Nearest Neighbor", None),
            "other": predict(name, alternative, cell["random_state"]),
        }
        pair = compare(data[name][3], models, kind="classification")["knn", "other"]
        found = [pair.both_right, pair.right_wrong, pair.wrong_right, pair.both_wrong]
        assert found == cell["counts"], (name, alternative)
        ours = pair.measures[MEASURES[cell["measure"].replace("phi_c", "phi_e")]]
        assert ours == pytest.approx(as_number(cell["reproduced"]), rel=1e-12)
        if cell["match"] in ("exact", "round"):
            assert is_rounded(cell["paper"], ours)
