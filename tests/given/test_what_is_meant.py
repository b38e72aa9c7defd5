"""What users of other programs bring, and what is plainly meant, is taken; or an error says what it is called here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import adjudge
from adjudge import InputError, InputTypeError
from adjudge.cli import main
from adjudge.statistics import Agreement
from conftest import raises_line

TRUTH = np.repeat([0, 1, 2], 20)
PRED = np.where(np.arange(60) % 7 == 0, 0, TRUTH)
X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * TRUTH[:, None]
SCORES = {"a": [0.9, 0.8, 0.85, 0.7], "b": [0.8, 0.7, 0.8, 0.75], "c": [0.1, 0.2, 0.3, 0.4]}


# --- labels in one column -----------------------------------------------------------------------------------------

COLUMNS: dict[str, Callable[[np.ndarray], Any]] = {
    "array": lambda v: v[:, None],
    "text": lambda v: v.astype(str)[:, None],
    "objects": lambda v: v.astype(object)[:, None],
    "list of lists": lambda v: [[i] for i in v.tolist()],
    "list of arrays": lambda v: list(v[:, None]),
    "masked": lambda v: np.ma.masked_array(v)[:, None],
    "pandas": lambda v: pd.DataFrame({"label": v}),
    "polars": lambda v: pl.DataFrame({"label": v}),
    "arrow": lambda v: pa.table({"label": v}),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_a_column_is_a_vector(column: Callable[[np.ndarray], Any]) -> None:
    wanted = adjudge.adjusted_rand(TRUTH, PRED)
    assert adjudge.adjusted_rand(column(TRUTH), column(PRED)) == wanted
    assert adjudge.evaluate(column(TRUTH), column(PRED), indices="ari")["ari"] == wanted
    assert adjudge.silhouette(X, column(TRUTH)) == adjudge.silhouette(X, TRUTH)
    said = {"one": column(PRED), "two": TRUTH}
    pair = adjudge.compare(column(TRUTH), said, kind="clustering")["one", "two"]
    assert pair.agreement == Agreement.from_labels(TRUTH, PRED, TRUTH, kind="clustering")


# --- numbers that are Python objects ------------------------------------------------------------------------------


def test_objects_that_are_numbers() -> None:
    wanted = adjudge.silhouette(X, TRUTH)
    assert adjudge.silhouette(X.astype(object), TRUTH) == wanted
    weights = np.linspace(1, 2, 60)
    options: dict[str, Any] = {"indices": "rand", "weights": "importance"}
    plain = adjudge.evaluate(TRUTH, PRED, sample_weight=weights, **options)["rand"]
    assert adjudge.evaluate(TRUTH, PRED, sample_weight=weights.astype(object), **options)["rand"] == plain
    P = np.eye(3)[PRED] * 0.7 + 0.1
    by_objects = adjudge.evaluate(TRUTH, probabilities=P.astype(object), kind="classification", indices="all")
    assert (
        by_objects["log_loss"]
        == adjudge.evaluate(TRUTH, probabilities=P, kind="classification", indices="all")["log_loss"]
    )


# --- arrays on a device -------------------------------------------------------------------------------------------


class OnDevice:
    """An array in the memory of a GPU, as CuPy and numba have them."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)
        self.shape, self.ndim, self.dtype = self._values.shape, self._values.ndim, self._values.dtype

    def __len__(self) -> int:
        return len(self._values)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __array__(self, *_: Any, **__: Any) -> None:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


class Cupy(OnDevice):
    def get(self) -> np.ndarray:
        return self._values


class Numba(OnDevice):
    __array__ = None  # type: ignore[assignment]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (1 << 20, False), "version": 3}

    def copy_to_host(self) -> np.ndarray:
        return self._values


class Tensor(OnDevice):
    """PyTorch's."""

    def __array__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("can't convert cuda:0 device type tensor to numpy.")

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> np.ndarray:
        return self._values


CALLS: dict[str, Callable[[Any], Any]] = {
    "X": lambda on: adjudge.silhouette(on(X), TRUTH),
    "labels_true": lambda on: adjudge.adjusted_rand(on(TRUTH), PRED),
    "labels": lambda on: adjudge.evaluate(X=X, labels=on(TRUTH), indices="dunn")["dunn"],
    "one": lambda on: adjudge.compare(TRUTH, {"one": on(PRED), "two": TRUTH}, kind="clustering").to_dict(),
    "probabilities": lambda on: (
        adjudge.evaluate(
            TRUTH, probabilities=on(np.eye(3)[PRED]), kind="classification", indices="brier_score"
        ).values
    ),
    "scores": lambda on: (
        adjudge.evaluate(TRUTH > 1, scores=on(X[:, 0]), kind="classification", indices="roc_auc").values
    ),
    "sample_weight": lambda on: (
        adjudge.evaluate(
            TRUTH, PRED, sample_weight=on(np.linspace(1, 2, 60)), weights="importance", indices="rand"
        ).values
    ),
    "counts": lambda on: adjudge.evaluate(TRUTH, PRED, counts=on(np.arange(60)), indices="rand").values,
    "matrix": lambda on: adjudge.evaluate(on(np.array([[5, 1], [0, 4]])), indices="rand").values,
    "primary_right": lambda on: adjudge.inference.mcnemar_test(on(PRED == TRUTH), PRED == 0).p_value,
}


@pytest.mark.parametrize("name", CALLS)
def test_arrays_on_a_device(name: str) -> None:
    call = CALLS[name]
    for kind, copying in ((Cupy, "get"), (Numba, "copy_to_host"), (Tensor, "cpu")):
        with raises_line(
            InputTypeError,
            f"{name} is a {kind.__name__} in the memory of a device: pass a copy in the computer's memory, "
            f"as {name}.{copying}() is",
        ):
            call(kind)


# --- tables of scores ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(SCORES, index=["w", "x", "y", "z"]),
        pd.DataFrame({"data set": ["w", "x", "y", "z"], **SCORES}),
        pl.DataFrame(SCORES),
        pa.table(SCORES),
    ],
    ids=["pandas", "names in a column", "polars", "arrow"],
)
def test_friedman_of_a_data_frame(frame: Any) -> None:
    assert adjudge.inference.friedman_test(frame) == adjudge.inference.friedman_test(SCORES)
    display = pytest.importorskip("adjudge.displays").CriticalDifferenceDisplay
    assert display.from_scores(frame).average_ranks == display.from_scores(SCORES).average_ranks


# --- McNemar's test of two vectors --------------------------------------------------------------------------------


def test_mcnemar_of_two_vectors() -> None:
    one, two = PRED == TRUTH, np.arange(60) % 3 > 0
    wanted = adjudge.inference.mcnemar_test(Agreement.from_outcomes(one, two))
    assert adjudge.inference.mcnemar_test(one, two) == wanted
    assert adjudge.inference.mcnemar_test(one.tolist(), pd.Series(two)) == wanted
    assert adjudge.inference.mcnemar_test(one, two, method="exact") != wanted


def test_mcnemar_of_labels() -> None:
    with raises_line(
        InputError,
        "primary_right has dtype int64: it says true or false for each instance, as labels_pred == labels_true",
    ):
        adjudge.inference.mcnemar_test(PRED, TRUTH)


# --- pipelines ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [KMeans(n_init=2), GaussianMixture()], ids=["n_clusters", "n_components"])
def test_choose_k_of_a_pipeline(last: Any) -> None:
    given = make_pipeline(StandardScaler(), PCA(1), last)
    choice = adjudge.choose_k(X, given, k=range(2, 5), random_state=0, indices="silhouette")
    assert choice.k == 3
    fitted = choice.estimators[3]
    assert fitted.steps[1][1].n_components == 1
    again = adjudge.choose_k(X, given, k=range(2, 5), random_state=0, indices="silhouette")
    assert all((choice.labels[k] == again.labels[k]).all() for k in (2, 3, 4))
    # The seed reaches the last step.
    assert fitted.steps[-1][1].random_state is not None
    assert last.random_state is None


def test_a_pipeline_that_cannot_be_asked_for_k() -> None:
    from sklearn.cluster import DBSCAN

    with raises_line(
        InputError,
        "Pipeline has neither n_clusters nor n_components, so choose_k cannot set the number of clusters",
    ):
        adjudge.choose_k(X, make_pipeline(PCA(1), DBSCAN()), k=[2, 3])


# --- names from elsewhere -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("y_true", "labels_true"),
        ("ground_truth", "labels_true"),
        ("y_pred", "labels_pred"),
        ("predictions", "labels_pred"),
        ("models", "labels_pred"),
        ("conf_level", "confidence"),
        ("y_score", "scores"),
        ("y_proba", "probabilities"),
        ("y_prob", "probabilities"),
        ("metrics", "indices"),
        ("scoring", "indices"),
        ("seed", "random_state"),
        ("n_threads", "n_jobs"),
        ("workers", "n_jobs"),
        ("criteria", "indices"),
    ],
)
def test_keywords_of_scikit_learn_are_told_apart(theirs: str, ours: str) -> None:
    with raises_line(InputTypeError, f"evaluate() has no option {theirs}=: it is called {ours}= here"):
        adjudge.evaluate(**{theirs: TRUTH})


def test_one_name_elsewhere_has_the_name_that_each_function_gives_it() -> None:
    frame = pd.DataFrame({"y": TRUTH, "one": PRED})
    with raises_line(InputTypeError, "compare() has no option predictions=: it is called models= here"):
        adjudge.compare(TRUTH, predictions={"one": PRED}, kind="clustering")
    with raises_line(InputTypeError, "evaluate() has no option data=: it is called labels_true= here"):
        adjudge.evaluate(data=frame, truth="y", pred="one")
    with raises_line(InputTypeError, "evaluate() has no option target=: it is called truth= here"):
        adjudge.evaluate(frame, target="y", pred="one")
    with raises_line(InputTypeError, "evaluate() has no option columns=: it is called features= here"):
        adjudge.evaluate(frame, columns=["x"], truth="y")
    euclidean = (
        "choose_k() has no option metric=: its criteria, and what they say of K, are for Euclidean distances; choose() "
        "compares labels of yours by others, and rows scaled to length 1 stand for cosine"
    )
    with raises_line(InputTypeError, euclidean):
        adjudge.choose_k(np.eye(5), metric="cosine")
    with raises_line(InputTypeError, "plan() needs n="):
        adjudge.plan(n_clusters=3)


def test_an_option_of_the_functions_of_chance_has_its_name_here() -> None:
    for call in (
        adjudge.inference.null_distribution,
        adjudge.inference.expected_by_chance,
        adjudge.inference.adjusted_for_chance,
    ):
        with raises_line(
            InputTypeError, f"{call.__name__}() has no option n_threads=: it is called n_jobs= here"
        ):
            call("rand", TRUTH, PRED, n_threads=1)
    expected = "null_distributions() has no option n_threads=: it is called n_jobs= here"
    with raises_line(InputTypeError, expected):
        adjudge.inference.null_distributions(["rand"], TRUTH, PRED, n_threads=1)


def test_a_level_of_significance_is_told_apart_from_a_level_of_confidence() -> None:
    expected = "evaluate() has no option alpha=: confidence=0.95 does what alpha=0.05 does elsewhere"
    with raises_line(InputTypeError, expected):
        adjudge.evaluate(TRUTH, PRED, alpha=0.05)
    with pytest.raises(
        InputTypeError, match=r"choose_k\(\) has no option alpha=: there are X, estimator, k, features"
    ):
        adjudge.choose_k(X, alpha=0.05)


def test_capitals_make_no_difference_to_a_name_that_is_close() -> None:
    with raises_line(InputTypeError, "evaluate() has no option Indices=: did you mean indices=?"):
        adjudge.evaluate(TRUTH, PRED, Indices="rand")


def test_slices_show_the_whole_call() -> None:
    """Whoever gave the table first learned only that one of three names is another."""
    with raises_line(
        InputTypeError,
        "weak_slices() has no option truth=: it is called labels_true= here, as in weak_slices(labels_true, "
        "labels_pred, table), where labels may be columns of the table",
    ):
        adjudge.weak_slices(X, truth="truth", pred="model")  # type: ignore[call-arg]


def test_a_report_says_which_option_it_does_not_have() -> None:
    with raises_line(InputTypeError, "compare() has no option y_true=: it is called labels_true= here"):
        adjudge.compare(y_true=TRUTH, models={"one": PRED})
    with raises_line(InputTypeError, "choose_k() has no option n_restarts=: did you mean n_resamples=?"):
        adjudge.choose_k(X, n_restarts=3)
    with raises_line(InputTypeError, "report() has no option y_true=: it is called labels_true= here"):
        adjudge.report(y_true=TRUTH, models={"one": PRED})
    with raises_line(InputTypeError, "report() has no option standardise=: did you mean standardize=?"):
        adjudge.report(TRUTH, {"one": PRED}, kind="clustering", standardise=True)


def test_a_call_says_what_it_lacks_and_what_is_too_much() -> None:
    with raises_line(
        InputError,
        "labels such as 0, 1, 2 may be classes or numbers of clusters: pass kind='classification' or kind='clustering'",
    ):
        adjudge.compare(TRUTH, {"one": PRED})
    with raises_line(InputTypeError, "plan() needs n_clusters="):
        adjudge.plan(100, 2)
    with raises_line(InputTypeError, "choose_k() needs X="):
        adjudge.choose_k()
    with raises_line(
        InputTypeError,
        "evaluate() takes labels_true and labels_pred without names, and 3 values were given: "
        "name the others, as in X=, and columns of a table as truth= and pred=",
    ):
        adjudge.evaluate(TRUTH, PRED, X)
    with raises_line(
        InputTypeError,
        "compare() takes labels_true and models without names, and 3 values were given: name the others, as in kind=",
    ):
        adjudge.compare(TRUTH, PRED, PRED)


# --- nothing ------------------------------------------------------------------------------------------------------


def test_no_labels_are_an_error_where_scikit_learn_has_a_convention() -> None:
    from sklearn import metrics as theirs

    with raises_line(InputError, "labels_true is empty: at least one label is needed"):
        adjudge.adjusted_rand([], [])
    for name in ("adjusted_rand_score", "rand_score", "v_measure_score", "normalized_mutual_info_score"):
        assert getattr(adjudge.metrics, name)([], []) == getattr(theirs, name)([], []) == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "x.csv", "--json"], "No such option: --json: --format json does this"),
        (["evaluate", "x.csv", "--y-true", "t"], "No such option: --y-true: --truth does this"),
        (["choose", "x.csv", "--random_state", "1"], "No such option: --random_state: --seed does this"),
        (["choose", "x.csv", "--y-true", "t"], "No such option: --y-true"),
        (["compare", "x.csv", "--pred", "p"], "No such option: --pred: --models does this"),
        (["compare", "x.csv", "--y-pred", "p"], "No such option: --y-pred: --models does this"),
        (["evaluate", "x.csv", "--models", "p"], "No such option: --models: --pred does this"),
    ],
)
def test_an_option_of_other_programs_is_answered_with_that_of_the_command(
    arguments: list[str], said: str, shell: Any
) -> None:
    assert shell(*arguments, code=2).err == f"adjudge: {said} ('adjudge {arguments[0]} --help' shows how)\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x.csv", "--models", "p", "q"], "--models p q: separate the names with commas: --models p,q"),
        (["x.csv", "--models=p", "q"], "--models p q: separate the names with commas: --models p,q"),
        (["--models", "p", "q", "x.csv"], "--models p q: separate the names with commas: --models p,q"),
        (["--models", "p", "x.csv"], "there is no file 'x.csv'"),
        (["--models", "p", "q", "x.csv", "--truth", "t"], "--models p q: separate the names with commas"),
    ],
)
def test_lists_are_separated_by_commas(arguments: list[str], said: str, run: Any) -> None:
    assert said in run("compare", *arguments, code=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["evaluate", "x.csv", "y"],
            "'y' is left over: name columns with --truth, --pred, --labels, --values or --level",
        ),
        (
            ["evaluate", "x", "--truth", "t", "y"],
            "'y' is left over: name columns with --truth, --pred, --labels, --values or --level",
        ),
        (
            ["evaluate", "x", "a", "b", "--seed", "1"],
            "'a' and 'b' are left over: name columns with --truth, --pred, --labels, --values",
        ),
        (
            ["compare", "x.csv", "y", "--models", "p"],
            "'y' is left over: name columns with --truth, --models or --values",
        ),
        (
            ["raters", "x.csv", "--raters", "p", "y"],
            "--raters p y: separate the names with commas: --raters p,y",
        ),
        (["indices", "external", "y"], "'y' is left over: 'adjudge indices' takes KIND"),
        (["demo", "y"], "'y' is left over: 'adjudge demo' takes no argument"),
        (["compare", "x.csv", "--model", "p", "y"], "No such option: --model"),
    ],
)
def test_words_that_are_left_over_are_told_which_flags_name_columns(
    arguments: list[str], said: str, run: Any
) -> None:
    assert run(*arguments, code=2).startswith(said)


@pytest.mark.full
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("95", "--confidence 95: write 95 % as 0.95"),
        ("99.9%", "--confidence 99.9%: write 99.9 % as 0.999"),
        ("0,95", "--confidence 0,95: a number between 0 and 1 is needed, such as 0.95"),
        ("2", "--confidence 2: a number between 0 and 1 is needed, such as 0.95"),
    ],
)
def test_percentages_are_written_as_shares(given: str, said: str, tmp_path: Path, shell: Any) -> None:
    (tmp_path / "x.csv").write_text("t,p,q\na,a,b\nb,b,b\n")
    for command in (["evaluate", "--pred", "p"], ["compare", "--models", "p,q"], ["report", "--models", "p"]):
        name, *flags = command
        assert (
            shell(name, tmp_path / "x.csv", "--truth", "t", *flags, "--confidence", given, code=2).err
            == f"adjudge: {said}\n"
        )


@pytest.mark.parametrize(("flag", "needed"), [("--seed", "a whole number"), ("--bins", "a whole number")])
def test_text_in_the_place_of_a_number(flag: str, needed: str, run: Any) -> None:
    told = f"Invalid value for '{flag}': {needed} is needed ('adjudge evaluate --help' shows how)"
    assert run("evaluate x.csv", flag, "many", code=2) == told


def test_a_choice_that_there_is_not_is_told_in_one_sentence(run: Any) -> None:
    assert run("evaluate x.csv --weights many", code=2).endswith(
        "'frequency', 'importance' ('adjudge evaluate --help' shows how)"
    )


def test_a_column_named_twice(tmp_path: Path, shell: Any) -> None:
    (tmp_path / "x.csv").write_text("t,p,q\na,a,a\nb,b,b\n")
    given = ["evaluate", str(tmp_path / "x.csv"), "--truth", "t", "--kind", "classification", "--pred"]
    assert shell(*given, "p,q,p", code=2).err == "adjudge: 'p' is named twice in 'p,q,p': name it once\n"
    assert main([*given, "p,[pq]"]) == 0


def test_distances_of_pairs_one_after_another() -> None:
    from scipy.spatial.distance import pdist, squareform

    X, labels = np.random.default_rng(0).normal(size=(9, 2)), np.arange(9) % 3
    with raises_line(
        InputError,
        "X has the distances of the 36 pairs of 9 points, one after another: pass scipy.spatial.distance.squareform(X)",
    ):
        adjudge.dunn(pdist(X), labels, metric="precomputed")
    assert adjudge.dunn(squareform(pdist(X)), labels, metric="precomputed") == pytest.approx(
        adjudge.dunn(X, labels)
    )


def test_an_average_that_is_no_option() -> None:
    with raises_line(
        InputTypeError,
        "balanced_accuracy() has no option average=: indices have their average in their names, as macro_f1 and "
        "weighted_recall",
    ):
        adjudge.balanced_accuracy([0, 1], [0, 1], average="macro")
    with raises_line(
        InputTypeError,
        "evaluate() has no option average=: indices have their average in their names, as macro_f1 and weighted_recall",
    ):
        adjudge.evaluate([0, 1], [0, 1], average="macro")
    with raises_line(InputTypeError, "f1() has no option averages=: did you mean average=?"):
        adjudge.f1([0, 1], [0, 1], averages="macro")
    assert adjudge.f1([0, 1], [0, 1], average="macro") == 1


def test_candidates_in_the_place_of_points() -> None:
    with raises_line(InputTypeError, "X is a dict: the points come first, as in choose(X, candidates)"):
        adjudge.choose({"a": [0, 0, 1, 1]}, np.zeros((4, 2)))


@pytest.mark.parametrize(
    ("estimator", "thing"),
    [
        ({"a": [0, 0, 1, 1]}, "a list"),
        ([[0, 0, 1, 1]], "a list"),
        (np.array([0, 0, 1, 1]), "an ndarray"),
        ([0, 0, 1, 1], "an int"),
    ],
)
def test_labels_without_a_number_of_clusters(estimator: Any, thing: str) -> None:
    X = np.arange(8.0).reshape(4, 2)
    with raises_line(
        InputTypeError,
        f"estimator has {thing} where a clusterer is needed: give labels with their numbers of clusters, "
        "{K: labels}, or by name to choose()",
    ):
        adjudge.choose_k(X, estimator, k=2)


def test_more_raters_than_units_are_said() -> None:
    ratings = np.tile(["a", "b"], (3, 45))
    (said,) = adjudge.evaluate(ratings, kind="raters").warnings
    assert str(said) == (
        "note: the rows are 3 units, and the columns 90 raters: transpose the ratings if each row is a rater's"
    )
    assert adjudge.evaluate(ratings.T, kind="raters").warnings == ()
