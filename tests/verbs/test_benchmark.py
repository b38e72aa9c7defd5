"""The verb `benchmark`: every kind of input gives the same result, gaps are accounted for, sentences hold."""

from __future__ import annotations

import gzip
import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import benchmark
from adjudge.benchmarking.directions import direction_of
from adjudge.cli import main
from adjudge.errors import InputError, InputTypeError
from adjudge.inference.data_sets.posterior import correlated_t_posterior
from cases import each
from conftest import read_reference
from table_engines import in_engine

MODELS = ("good", "fair", "poor")


def noisy(rng, truth, share):
    return np.where(rng.random(truth.size) < share, rng.integers(0, 3, truth.size), truth)


@pytest.fixture
def labels(rng):
    """Ten data sets of 80 instances with the labels of three models."""
    found = {}
    for i in range(10):
        truth = rng.integers(0, 3, 80)
        found[f"d{i}"] = (
            truth,
            {m: noisy(rng, truth, s) for m, s in zip(MODELS, (0.1, 0.3, 0.7), strict=True)},
        )
    return found


def as_rows(labels):
    rows = {"data": [], "truth": [], **{m: [] for m in MODELS}}
    for name, (truth, predictions) in labels.items():
        rows["data"] += [name] * truth.size
        rows["truth"] += truth.tolist()
        for model, values in predictions.items():
            rows[model] += values.tolist()
    return rows


def test_labels_are_scored_as_evaluate_does(labels):
    result = benchmark(labels, score="accuracy", confidence=0.9)
    for name, (truth, predictions) in labels.items():
        for model, values in predictions.items():
            assert result.scores[name][model] == pytest.approx(np.mean(truth == values))
            low, high = result.intervals[name][model]
            assert low < result.scores[name][model] < high
    assert result.kind == "classification"
    assert result.order == list(MODELS)
    assert result.sizes == dict.fromkeys(labels, 80)
    by_pairs = benchmark(labels, kind="clustering")
    truth, predictions = labels["d3"]
    assert by_pairs.scores["d3"]["fair"] == adjudge.adjusted_rand(truth, predictions["fair"])
    assert by_pairs.kind == "clustering"


@pytest.mark.parametrize("as_table", [False, True])
def test_the_score_follows_the_kind_of_the_labels(labels, as_table):
    def judged(**options):
        if not as_table:
            return benchmark(given, **options)
        return benchmark(table_in("polars", as_rows(given)), dataset="data", truth="truth", **options)

    given = {
        name: (truth, {m: (truth + 1) % 3 if m == "good" else own for m, own in models.items()})
        for name, (truth, models) in labels.items()
    }
    for kind, score, best in (
        ("classification", "accuracy", "fair"),
        ("clustering", "adjusted_rand", "good"),
    ):
        found = judged(kind=kind)
        assert (found.score, found.kind, found.order[0]) == (score, kind, best)
    with pytest.raises(
        InputError, match=r"such as 0, 1, 2 may be classes or numbers of clusters: pass kind='cl"
    ):
        judged()
    names = np.array(["ill", "well", "dead"])
    given = {
        name: (names[truth], {m: names[own] for m, own in models.items()})
        for name, (truth, models) in given.items()
    }
    # A model that is always wrong does not win: labels with the names of the truth are classes.
    assert judged().average_ranks["good"] == 3
    assert judged().score == "accuracy"
    assert judged(noise="drop").score == "adjusted_rand"
    given = {
        name: (truth, {m: np.char.upper(own) for m, own in models.items()})
        for name, (truth, models) in given.items()
    }
    with pytest.raises(
        InputError, match=r"such as 'DEAD', but none of the truth, such as 'dead', from which"
    ):
        judged()
    given = {
        name: (truth, {m: np.char.add("c", own) for m, own in models.items()})
        for name, (truth, models) in given.items()
    }
    with pytest.raises(InputError, match=r"if they are classes, or pass kind='clustering'"):
        judged()
    assert judged(kind="clustering").score == "adjusted_rand"


def test_a_function_can_score(labels):
    def share(truth, found):
        return float(np.mean(truth == found))

    with pytest.raises(InputError, match="the name 'share' does not tell which values are better"):
        benchmark(labels, score=share, kind="classification")
    found = benchmark(labels, score=share, kind="classification", better="higher")
    assert found.score == "share"
    assert found.scores == benchmark(labels, score="accuracy").scores


class TestProbabilities:
    """Models with probabilities stand beside models that have labels alone."""

    @pytest.fixture
    def models(self, rng):
        found = {}
        for i in range(6):
            truth = rng.integers(0, 2, 60)
            sure = np.clip(truth * 0.4 + rng.uniform(0, 0.6, 60), 0, 1)
            wrong = rng.random(60) < 0.2
            found[f"d{i}"] = (
                np.where(truth == 1, "yes", "no"),
                {
                    "bayes": adjudge.Classifier(probabilities=sure, positive="yes"),
                    "logit": adjudge.Classifier(probabilities=sure * 0.8, positive="yes"),
                    "llm": np.where((truth == 1) ^ wrong, "yes", "no"),
                },
            )
        return found

    @pytest.mark.parametrize(
        "score", [None, "accuracy", "f1_macro", lambda t, p: float(np.mean(np.asarray(t) == p))]
    )
    def test_scores_of_labels_are_of_all_models(self, models, score):
        found = benchmark(models, score=score)
        truth, own = models["d0"]
        likeliest = np.where(own["logit"].probabilities > 0.5, "yes", "no")
        known = {"logit": likeliest, "llm": own["llm"]}
        for name, labels in known.items():
            wanted = (
                np.mean(labels == truth)
                if score != "f1_macro"
                else adjudge.evaluate(truth, labels, kind="classification")["f1_macro"]
            )
            assert found.scores["d0"][name] == pytest.approx(wanted)
        assert found.notes == ()
        assert ("bayes", "llm") in found.agreements["d0"]

    @pytest.mark.parametrize("score", ["log_loss", "roc_auc", "brier_score"])
    def test_scores_of_probabilities_are_of_those_that_have_them(self, models, score):
        found = benchmark(models, score=score)
        truth, own = models["d1"]
        assert set(found.scores["d1"]) == {"bayes", "logit"}
        assert found.scores["d1"]["logit"] == pytest.approx(adjudge.evaluate(truth, own["logit"])[score])
        assert len(found.notes) == 1
        assert re.search(
            "only labels were given of llm, so there is no .*: the model is left out", *found.notes
        )
        assert list(found.agreements["d1"]) == [("bayes", "logit")]

    def test_a_model_may_lack_them_on_some_data_sets(self, models):
        models["d2"][1]["llm"] = models["d2"][1]["logit"]
        found = benchmark(models, score="log_loss")
        assert found.scores["d2"]["llm"] == found.scores["d2"]["logit"]
        assert math.isnan(found.scores["d0"]["llm"])
        assert found.reasons["d0", "llm"] == "the model has labels alone"

    def test_noise_of_the_truth_is_left_out_of_them(self, models):
        truth, own = models["d0"]
        odd = np.where(np.arange(60) < 20, "none", truth)
        kept = {
            name: adjudge.Classifier(probabilities=given.probabilities[20:], positive="yes")
            for name, given in own.items()
            if name != "llm"
        }
        data, wanted = {**models, "d0": (odd, own)}, {**models, "d0": (truth[20:], {**own, **kept})}
        wanted["d0"][1]["llm"] = own["llm"][20:]
        for score in ("log_loss", "accuracy"):
            found = benchmark(data, score=score, truth_noise="none")
            assert found.scores == benchmark(wanted, score=score).scores

    def test_a_row_without_one_is_an_error_or_left_out(self, models):
        models["d0"][1]["bayes"].probabilities[3] = np.nan
        with pytest.raises(
            InputError, match="data set 'd0': probabilities of bayes has a missing entry in row 3"
        ):
            benchmark(models, score="log_loss")
        assert benchmark(models, score="log_loss", missing="drop").n_complete == 6
        assert benchmark(models, missing="drop").n_complete == 6

    def test_too_few_of_them_are_refused(self, models, tmp_path, run):
        few = {name: (truth, {m: own[m] for m in ("bayes", "llm")}) for name, (truth, own) in models.items()}
        with pytest.raises(InputError, match="log_loss reads probabilities, which one model has: choose"):
            benchmark(few, score="log_loss")
        rows = ["data,truth,a,b", *(f"d{i % 3},yes,{'yes' if i % 2 else 'no'},no" for i in range(12))]
        path = tmp_path / "labels.csv"
        path.write_text("\n".join(rows))
        asked = ["benchmark", str(path), "--dataset", "data", "--truth", "truth", "--score", "roc_auc"]
        assert "roc_auc reads probabilities, and the models have labels: choose" in run(*asked, code=2)


WRITERS = {
    "t.csv": lambda frame, path: frame.write_csv(path),
    "t.parquet": lambda frame, path: frame.write_parquet(path),
    "t.jsonl": lambda frame, path: frame.write_ndjson(path),
    "t.xlsx": lambda frame, path: frame.to_pandas().to_excel(path, index=False),
}


@each("name", WRITERS)
def test_a_path_stands_for_the_table_in_the_file(labels, tmp_path, name):
    path, rows = tmp_path / name, pl.DataFrame(as_rows(labels))
    WRITERS[name](rows, path)
    for options in (
        {"score": "accuracy"},
        {"score": "nmi", "models": ["good", "poor"]},
        {"kind": "clustering"},
    ):
        options = {"dataset": "data", "truth": "truth", **options}
        assert benchmark(path, **options).scores == benchmark(rows, **options).scores
    scores = pl.DataFrame({"data": ["a", "b", "c"], "good": [0.5, 0.25, 0.75], "poor": [0.125, 0.5, 0.25]})
    WRITERS[name](scores, path)
    for given in (str(path), path):
        assert benchmark(given, score="accuracy").scores == benchmark(scores, score="accuracy").scores
    long = scores.unpivot(index="data", variable_name="model", value_name="accuracy")
    WRITERS[name](long, path)
    named = {"dataset": "data", "model": "model", "score": "accuracy"}
    assert benchmark(path, **named).scores == benchmark(long, **named).scores


def test_paths_that_are_no_tables(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        benchmark(tmp_path / "none.csv")
    for i, name in enumerate("ab"):
        pl.DataFrame({name: [1.0, 2.0]}).write_parquet(tmp_path / f"{i}.parquet")
    with pytest.raises(InputError, match="have no column in common"):
        benchmark(tmp_path)
    table = pl.DataFrame({"data": ["x", "x"], "truth": [0, 1], "m": [0, 1], "n": [1, 1]})
    table.write_csv(tmp_path / "t.csv")
    for given in (tmp_path / "t.csv", table, table.lazy()):
        with pytest.raises(InputError, match="column 'm' is named twice"):
            benchmark(given, dataset="data", truth="truth", models=["m", "m"], score="accuracy")


def test_head_to_head_over_data_sets(labels):
    result = benchmark(labels, score="accuracy")
    across = result.across("good", "poor")
    for name, (truth, predictions) in labels.items():
        good, poor = predictions["good"] == truth, predictions["poor"] == truth
        assert across.by_dataset[name].right_wrong == (good & ~poor).sum()
        wrong_right = (~good & poor).sum()
        wanted = ((good & ~poor).sum() - wrong_right) / ((good & ~poor).sum() + wrong_right)
        assert across.deviations[name] == pytest.approx(wanted)
    assert across.pooled.total == 800
    assert across.pooled_deviation == -result.across("poor", "good").pooled_deviation
    assert across.without("d0").pooled.total == 720
    assert across.decisive == []


def test_one_data_set_can_decide():
    truth = np.zeros(100, int)
    right, wrong = truth, np.ones(100, int)
    half = np.repeat([0, 1], 50)
    few = np.r_[np.zeros(45, int), np.ones(55, int)]
    sets = {
        "large": (truth, {"p": right, "q": wrong}),
        "one": (truth, {"p": few, "q": half}),
        "two": (truth, {"p": few, "q": half}),
    }
    sets = {name: (truth, models) for name, (truth, models) in sets.items()}
    result = benchmark({**sets, "other": (np.r_[truth, 1], {m: np.r_[v, 1] for m, v in sets["one"][1].items()})},
                       score="accuracy")  # fmt: skip
    assert result.across("p", "q").decisive == ["large"]
    assert "only because of large" in repr(result.across("p", "q"))


def table_in(library, rows):
    return in_engine(pl.DataFrame(rows), library, None)


LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb-own", "polars-lazy", "dask")


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("noise", [None, 2])
@pytest.mark.parametrize("score", ["accuracy", "adjusted_rand"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_matrices_of_a_table_are_those_of_labels_in_memory(labels, library, score, noise):
    table = table_in(library, as_rows(labels))
    wanted = benchmark(labels, score=score, truth_noise=noise)
    given = {"dataset": "data", "truth": "truth", "score": score, "truth_noise": noise}
    found = benchmark(table, **given, head_to_head=True)
    assert found.agreements == wanted.agreements
    assert found.scores == {name: pytest.approx(row) for name, row in wanted.scores.items()}
    assert (found.sizes, found.models) == (wanted.sizes, MODELS)
    assert found.across("good", "poor").pooled_deviation == wanted.across("good", "poor").pooled_deviation
    assert not benchmark(table, **given).agreements
    assert benchmark(table, **given, models=["poor", "good"]).models == ("poor", "good")
    with pytest.raises(InputError, match="no column 'nothing'"):
        benchmark(table, **{**given, "dataset": "nothing"})


def test_matrices_of_a_table_refuse_noise_that_is_left_out(labels):
    table = table_in("polars", as_rows(labels))
    with pytest.raises(InputError, match="counts noise as a cluster"):
        benchmark(table, dataset="data", truth="truth", noise="drop", head_to_head=True)


@pytest.mark.parametrize("library", LIBRARIES)
def test_gaps_among_labels_are_not_passed_over(labels, library):
    rows = as_rows(labels)
    rows["fair"] = [str(value) for value in rows["fair"]]
    for model in ("good", "poor"):
        rows[model] = [None if i == 7 else str(value) for i, value in enumerate(rows[model])]
    with pytest.raises(InputError, match=r"column 'good' has 1 missing label: .* pass missing='drop'"):
        benchmark(table_in(library, rows), dataset="data", truth="truth")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_leaves_out_gaps_as_labels_in_memory_do(labels, library):
    """Each model is scored on the rows that it answers, where `compare` takes those that all answer."""
    rows = as_rows(labels)
    gaps = {name: [None if i % 9 == at else int(value) for i, value in enumerate(rows[name])]
            for at, name in enumerate(("good", "poor"))}  # fmt: skip
    table = table_in(library, {**rows, **gaps})
    frame = pd.DataFrame({**rows, **gaps})
    in_memory = {
        name: (own["truth"].to_numpy(), {model: own[model].astype("Int64").array for model in MODELS})
        for name, own in frame.groupby("data")
    }
    asked = {"score": "accuracy", "missing": "drop"}
    wanted = benchmark(in_memory, **asked)
    found = benchmark(table, dataset="data", truth="truth", **asked)
    assert found.scores == {name: pytest.approx(row) for name, row in wanted.scores.items()}
    with pytest.raises(InputError, match="head_to_head=True of a table needs all labels"):
        benchmark(table, dataset="data", truth="truth", head_to_head=True, **asked)
    together = adjudge.compare(frame[frame.data == "d0"], [*MODELS], truth="truth", kind="classification",
                               missing="drop")  # fmt: skip
    assert together.scores["good"]["accuracy"] != found.scores["d0"]["good"]
    with pytest.raises(InputError, match="column 'data' has 1 missing label"):
        benchmark(
            table_in(library, {**rows, "data": [None, *rows["data"][1:]]}),
            dataset="data",
            truth="truth",
            **asked,
        )


def test_noise_of_the_truth_is_left_out_of_the_truth_alone(labels):
    truth, predictions = labels["d0"]
    kept = truth != 2
    found = benchmark(labels, kind="clustering", truth_noise=2).scores["d0"]["poor"]
    assert found == adjudge.adjusted_rand(truth[kept], predictions["poor"][kept])
    counted = benchmark(
        pd.DataFrame(as_rows(labels)), dataset="data", truth="truth", kind="clustering", truth_noise=2
    )
    assert counted.scores["d0"]["poor"] == pytest.approx(found)


def test_each_model_meets_the_truth_that_it_agrees_with(labels):
    truth, predictions = labels["d0"]
    other = predictions["poor"]
    result = benchmark(
        {"d": ({"one": truth, "two": other}, predictions), "e": labels["d1"]}, score="adjusted_rand"
    )
    assert result.scores["d"]["poor"] == 1.0
    assert result.scores["d"]["good"] == adjudge.adjusted_rand(truth, predictions["good"])
    assert "several accepted truths" in result.notes[0]


SCORES = {
    "w": {"p": 0.9, "q": 0.8, "r": 0.7},
    "x": {"p": 0.8, "q": 0.7, "r": 0.6},
    "y": {"p": 0.5, "q": 0.6, "r": 0.4},
    "z": {"p": 0.7, "q": 0.7, "r": 0.3},
}
MATRIX = [list(row.values()) for row in SCORES.values()]


def same(found):
    assert [list(row.values()) for row in found.scores.values()] == MATRIX
    assert found.average_ranks == {"p": 1.375, "q": 1.625, "r": 3.0}


def test_scores_in_any_shape():
    same(benchmark(SCORES))
    same(benchmark({m: [row[m] for row in SCORES.values()] for m in "pqr"}))
    same(benchmark(np.array(MATRIX), models=list("pqr")))
    wide = pd.DataFrame(MATRIX, columns=list("pqr"), index=list(SCORES))
    same(benchmark(wide))
    assert benchmark(wide).datasets == tuple(SCORES)
    same(
        benchmark(pl.DataFrame({"name": list(SCORES), **{m: [r[m] for r in SCORES.values()] for m in "pqr"}}))
    )
    long = [(d, m, v) for d, row in SCORES.items() for m, v in row.items()]
    frame = pd.DataFrame(long, columns=["data", "model", "score"])
    same(benchmark(frame, dataset="data", model="model", score="score"))


def test_folds(rng):
    folds = {d: {m: rng.normal(0.8 - i / 20, 0.03, (2, 5)) for i, m in enumerate("pq")} for d in "wxyz"}
    result = benchmark(folds)
    assert result.scores["w"]["p"] == pytest.approx(folds["w"]["p"].mean())
    exact = correlated_t_posterior(folds["x"]["p"] - folds["x"]["q"], rope=0.01, test_share=0.2)
    found = result.bayesian(test="correlated-t", dataset="x", rope=0.01)["p", "q"]
    assert found.first == pytest.approx(exact.first)
    assert result.bayesian(test="correlated-t", dataset="x", rope=0.01)["q", "p"].second == found.first
    hierarchical = result.bayesian(test="hierarchical", rope=0.01, n_draws=2000)["p", "q"]
    assert hierarchical.first > 0.9
    long = [
        (d, m, i, v)
        for d, row in folds.items()
        for m, values in row.items()
        for i, v in enumerate(values.ravel())
    ]
    frame = pd.DataFrame(long, columns=["d", "m", "f", "s"])
    again = benchmark(frame, dataset="d", model="m", fold="f", score="s", better="higher", test_share=0.2)
    assert again.bayesian(test="correlated-t", dataset="x", rope=0.01)["p", "q"].first == pytest.approx(
        exact.first
    )
    with pytest.raises(InputError, match="two scores on 'w': name the column of the folds"):
        benchmark(frame, dataset="d", model="m", score="s", better="higher")
    with pytest.raises(InputError, match="there are no folds"):
        benchmark(SCORES).bayesian(test="hierarchical")


def test_gaps_are_told():
    gaps = {**SCORES, "y": {"p": 0.5, "q": None, "r": 0.4}, "v": {"p": 0.2, "r": 0.1}}
    result = benchmark(gaps)
    assert result.n_complete == 3
    assert math.isnan(result.ranks["y"]["p"])
    assert "2 scores missing on 2 of 5 data sets, most of them of 'q'" in result.notes[0]
    assert result.reasons["v", "q"] == "no score was given"
    assert result.pairwise("wilcoxon").n_datasets["p", "r"] == 5
    filled = benchmark(gaps, missing_score=0.0)
    assert filled.n_complete == 5
    assert filled.ranks["v"] == {"p": 1.0, "q": 3.0, "r": 2.0}
    nowhere = benchmark({d: {**row, "s": math.nan} for d, row in SCORES.items()})
    assert math.isnan(nowhere.friedman.p_value)
    assert "No statement" in nowhere.sentences()[0][0]
    assert repr(nowhere)


def test_lower_can_be_better():
    losses = {d: {m: 1 - v for m, v in row.items()} for d, row in SCORES.items()}
    result = benchmark(losses, better="lower")
    assert result.average_ranks == benchmark(SCORES).average_ranks
    assert result.bayesian()["p", "r"].first == benchmark(SCORES).bayesian()["p", "r"].first
    assert result.effects()["p", "r"].mean == pytest.approx(benchmark(SCORES).effects()["p", "r"].mean)
    assert benchmark(losses, score="mirkin").better == "lower"


@each(
    "names, better",
    [
        (
            "error, Error %, error rate, test_error_mean, mean absolute error, loss, val_loss, valLoss, loss2",
            "lower",
        ),
        (
            "rmse, RMSE(log), mse, MAE, perplexity, deviance, cost, latency_ms, time (s), WER, nll, LogLoss",
            "lower",
        ),
        (
            "log_loss, brier_score, hamming_loss, davies_bouldin, Davies–Bouldin, test_davies_bouldin, BIC",
            "lower",
        ),
        ("false positive rate, false_discovery_rate, negative log-likelihood, negative_flip_rate", "lower"),
        ("neg_log_loss, neg_brier_score, neg_mean_squared_error, NegMeanSquaredError", "higher"),
        ("accuracy, acc@1, top5_accuracy, valAccuracy, F1 (macro), f-score, ROC AUC, R², r2_score", "higher"),
        ("adjusted_rand, ari, NMI, silhouette, bleu, score, test_score, log_likelihood", "higher"),
        ("true negative rate, negative predictive value, average precision", "higher"),
        ("net_benefit(at=0.1), net_benefit, sensitivity_at_specificity(at=0.9)", "higher"),
        ("x, value, fitness, anomaly_score, accuracy loss, error reduction, accuracy_std, rank", None),
    ],
)
def test_the_name_of_a_score_tells_which_values_are_better(names, better):
    other = {"lower": "higher", "higher": "lower"}
    for name in map(str.strip, names.split(",")):
        assert direction_of(name) == better, name
        if better is None:
            message = f"the name {name!r} does not tell which values are better: pass better='higher' or better='low"
            with pytest.raises(InputError, match=re.escape(message)):
                benchmark(SCORES, score=name)
            assert benchmark(SCORES, score=name, better="lower").better == "lower"
            continue
        found = benchmark(SCORES, score=name)
        assert found.better == better
        assert found.order == benchmark(SCORES, better=better).order
        assert benchmark(SCORES, score=name, better=other[better]).better == other[better]
        # It stands in the first line, in the table, and in the sentence for a paper.
        for text in (repr(found).split("\n", 1)[0], found.table_of_models().title, found.sentences()[0][0]):
            assert name in text
            assert f"{better} is better" in text


def test_the_direction_of_every_form_of_scores():
    wide = pd.DataFrame(SCORES).T.rename_axis("d")
    long = wide.reset_index().melt("d", var_name="m", value_name="rmse")
    by_model = {m: wide[m].tolist() for m in wide}
    forms = [SCORES, wide, by_model, wide.to_numpy()]
    found = [benchmark(own, score="rmse") for own in forms]
    found.append(benchmark(long, dataset="d", model="m", score="rmse"))
    assert {own.better for own in found} == {"lower"}
    assert len({own.average_ranks[own.order[0]] for own in found}) == 1
    record = adjudge.indices.find_index("davies_bouldin")
    named = benchmark(SCORES, score=record)
    assert (named.score, named.better) == ("davies_bouldin", "lower")


def test_a_function_is_better_as_its_name_says(labels):
    def share_of_errors(truth, found):
        return float(np.mean(truth != found))

    found = benchmark(labels, score=share_of_errors, kind="classification")
    assert found.better == "lower"
    assert found.order == benchmark(labels, score="accuracy").order
    unnamed = benchmark(labels, score=lambda t, p: float(np.mean(t == p)), kind="classification")
    assert unnamed.better == "higher"


def test_demsars_example():
    case = read_reference("many_data_sets/01_demsar_c45.json")
    result = benchmark(np.array(case["scores"]), models=case["algorithms"])
    exact = case["exact"]
    assert list(result.average_ranks.values()) == pytest.approx(exact["average_ranks"])
    assert result.friedman.statistic == pytest.approx(exact["friedman_chi2_tie_corrected"])
    assert result.critical_difference == pytest.approx(exact["nemenyi_cd"]["0.05"])
    pair = exact["all_pairs"]["pairs"][0]
    for correction in ("holm", "shaffer_static", "bergmann_hommel"):
        name = correction.removesuffix("_static").replace("_", "-")
        assert result.pairwise(correction=name)[tuple(pair)] == pytest.approx(
            exact["all_pairs"][correction][0]
        )


def test_sentences_follow_the_tests(rng):
    clear = benchmark({f"d{i}": {"p": 0.9 + i / 1000, "q": 0.8, "r": 0.7} for i in range(20)})
    may, may_not = clear.sentences()
    assert "differ in rank at the 5 % level" in may[0]
    assert "p (1.00) better than q (2.00)" in may[1]
    assert any("on any data set" in text for text in may_not)
    unclear = benchmark(rng.normal(size=(20, 3)))
    may, may_not = unclear.sentences(alpha=1e-6)
    assert "no significant difference" in may[0]
    assert any("equally good" in text for text in may_not)
    few = benchmark({f"d{i}": {"p": 0.9, "q": 0.8} for i in range(5)})
    assert any("the smallest possible p-value" in text for text in few.sentences()[1])


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "By average rank (Shaffer's static procedure): "),
        ({"correction": "hommel"}, "By average rank (Hommel's procedure): "),
        ({"correction": "none"}, "By average rank (without correction for the number of comparisons): "),
        ({"test": "wilcoxon", "correction": "holm"}, "By Wilcoxon's signed-rank test, Holm's procedure: "),
        ({"correction": "finner", "control": "q"}, "By average rank (Finner's procedure, against q): "),
    ],
)
def test_sentences_name_what_was_asked_for(options, name):
    found = benchmark({f"d{i}": {"p": 0.9 + i / 1000, "q": 0.8, "r": 0.7} for i in range(20)})
    may, may_not = found.sentences(**options)
    assert may[1].startswith(name)
    different = found.pairwise(**{"correction": "shaffer", **options}).different(0.05)
    assert may[1].count(" better than ") == len(different)
    if "control" in options:
        assert '"p is the best model" - every model was compared with q alone.' in may_not


def test_a_difference_that_rests_on_one_data_set():
    rows = {f"d{i}": {"p": 0.9, "q": 0.8} for i in range(5)} | {"e": {"p": 0.7, "q": 0.8}}
    rows |= {f"f{i}": {"p": 0.9, "q": 0.8} for i in range(4)}
    result = benchmark(rows)
    pair = result.pairwise()["p", "q"]
    decisive = result.decisive(alpha=pair + 1e-9)
    assert sorted(decisive["p", "q"]) == sorted([f"d{i}" for i in range(5)] + [f"f{i}" for i in range(4)])


def test_tables_for_a_paper():
    result = benchmark(SCORES, score="adjusted_rand")
    text = result.latex()
    assert r"\toprule" in text
    assert text.count(r"\textbf{0.700}") == 2  # a tie: both are best
    assert r"w & \textbf{0.900} & 0.800 & 0.700 \\" in text
    assert (
        "\\caption{Adjusted Rand of 3 models on 4 data sets (higher is better), and average ranks. " in text
    )
    assert "### It may be written" in result.markdown()
    assert result.table_of_scores().csv().splitlines()[0] == "data set,p,q,r"
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["average_ranks"]["p"] == 1.375
    assert result.flat()["p/average_rank"] == 1.375
    assert "adjudge" in result._repr_html_()
    assert len(result.to_frame()) == 12


def test_parts_of_a_benchmark(labels):
    result = benchmark(labels, score="accuracy")
    part = result.subset(datasets=["d1", "d2"], models=["poor", "good"])
    assert part.models == ("poor", "good")
    assert part.scores["d2"]["poor"] == result.scores["d2"]["poor"]
    assert list(part.across("poor", "good").by_dataset) == ["d1", "d2"]


def test_power_is_of_the_design_not_of_the_scores():
    one, other = benchmark(SCORES), benchmark({d: dict.fromkeys("pqr", 0.5) for d in SCORES})
    assert one.power().rows == other.power().rows


def test_a_folder_of_files(labels, tmp_path):
    suite = tmp_path / "suite"
    for name, (truth, predictions) in labels.items():
        battery = suite / "wut"
        battery.mkdir(parents=True, exist_ok=True)
        marked = truth.copy() + 1
        marked[:5] = 0  # noise in the truth
        with gzip.open(battery / f"{name}.labels0.gz", "wt") as file:
            file.write("\n".join(map(str, marked)))
        (battery / f"{name}.labels1").write_text("\n".join(map(str, predictions["fair"] + 1)))
        for model in ("good", "poor"):
            with gzip.open(battery / f"{name}.{model}.labels.gz", "wt") as file:
                file.write("\n".join(map(str, predictions[model])))
    result = benchmark(suite)
    assert result.models == ("good", "poor")
    truth, predictions = labels["d4"]
    kept = slice(5, None)
    wanted = max(
        adjudge.adjusted_rand(truth[kept], predictions["poor"][kept]),
        adjudge.adjusted_rand(predictions["fair"], predictions["poor"]),
    )
    assert result.scores["wut/d4"]["poor"] == pytest.approx(wanted)


def test_results_in_the_layout_of_the_suite(labels, tmp_path):
    for name, (truth, predictions) in labels.items():
        (tmp_path / "data" / "wut").mkdir(parents=True, exist_ok=True)
        (tmp_path / "results" / "Method" / "wut").mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / "wut" / f"{name}.labels0").write_text("\n".join(map(str, truth + 1)))
        rows = zip(predictions["good"] + 1, predictions["poor"] + 1, strict=True)
        text = "Good_1,Poor_2\n" + "".join(f"{a},{b}\n" for a, b in rows)
        with gzip.open(tmp_path / "results" / "Method" / "wut" / f"{name}.result3.gz", "wt") as file:
            file.write(text)
        with gzip.open(tmp_path / "results" / "Method" / "wut" / f"{name}.result4.gz", "wt") as file:
            file.write(text.replace("3", "1"))
    result = benchmark(tmp_path)
    truth, predictions = labels["d4"]
    assert result.scores["data/wut/d4"]["Poor_2"] == adjudge.adjusted_rand(truth, predictions["poor"])


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({}, {}, "data is empty"),
        ({"a": {"p": 0.5}}, {}, "there is 1 model"),
        ({"a": {"p": "x", "q": 0.5}}, {}, "a number is needed"),
        ({"a": {"p": math.inf, "q": 0.5}}, {}, "is infinite"),
        (np.zeros(3), {}, "data sets by models are needed"),
        (SCORES, {"better": "best"}, "better"),
        (SCORES, {"missing_score": math.nan}, "missing_score=nan"),
        (SCORES, {"noize": 1}, "has no option noize="),
        ({"a": ([0, 1], {"p": [0, 1], "q": [0]})}, {"kind": "clustering"}, "data set 'a': .*q has 1 entries"),
        ({"a": ([0, 1], {"p": [0, 1], "q": [0, 1]})}, {"score": "silhouette"}, "of kind 'internal'"),
        ("/nowhere/at/all", {}, "there is no file"),
    ],
)
def test_what_cannot_be_used_is_refused(data, options, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        benchmark(data, **options)


def test_what_a_result_does_not_have_is_refused():
    result = benchmark(SCORES)
    with pytest.raises(InputError, match="there are no predictions"):
        result.across("p", "q")
    with pytest.raises(InputError, match="there is no model 's'"):
        result.bayesian(pairs=[("p", "s")])
    with pytest.raises(InputError, match="no data set 'u'"):
        result.subset(datasets=["u"])
    with pytest.raises(InputError, match="test='t'"):
        result.pairwise("t")


def test_on_the_command_line(tmp_path, capsys, run, shell, labels):
    path = tmp_path / "scores.csv"
    lines = ["data,p,q,r", *(f"{d},{','.join(map(str, row.values()))}" for d, row in SCORES.items())]
    path.write_text("\n".join(lines) + "\n")
    shown = run("benchmark", path, "--latex", tmp_path / "t.tex", "--rope", "0.01")
    assert "it may be written" in shown
    assert "P(equivalent)" in shown
    assert r"\toprule" in (tmp_path / "t.tex").read_text()
    for given, first in (
        ([], "score, higher is better"),
        (["--score", "rmse"], "rmse, lower is better"),
        (["--score", "rmse", "--better", "higher"], "rmse, higher is better"),
        (["--better", "lower"], "score, lower is better"),
    ):
        capsys.readouterr()
        assert first in run("benchmark", path, *given).split("\n", 1)[0]
    assert "pass --better higher or --better lower" in run("benchmark", path, "--score", "x", code=2)
    data = json.loads(run("benchmark", path, "-f", "json", "--correction", "shaffer", "--test", "wilcoxon"))
    assert data["average_ranks"] == {"p": 1.375, "q": 1.625, "r": 3.0}
    rows = as_rows(labels)
    many = tmp_path / "labels.csv"
    many.write_text(
        "\n".join([",".join(rows), *(",".join(map(str, r)) for r in zip(*rows.values(), strict=True))])
    )
    asked = ["benchmark", str(many), *shlex.split("--dataset data --truth truth --score accuracy -f json")]
    found = json.loads(run(*asked))
    assert found["scores"]["d0"] == pytest.approx(benchmark(labels, score="accuracy").scores["d0"])
    assert "has no column 'date'" in run("benchmark", path, "--dataset", "date", code=2)
    path.write_text("data,p,q\nw,0.5,\nx,0.4,0.3\ny,0.6,0.5\n")
    captured = shell("benchmark", path, "-f", "csv")
    assert "w,0.5," in captured.out
    assert "1 score missing" in captured.err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("smallest", [1 << 40, 0])
def test_python_and_the_shell_read_a_file_alike(
    ending: str,
    smallest: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shell: Any,
) -> None:
    for size in ("SMALL_TEXT", "SMALL_PARQUET"):
        monkeypatch.setattr(f"adjudge.tables.streaming.{size}", smallest)
    rng = np.random.default_rng(3)
    truth = rng.choice(["a", "b", "NA"], 240)
    frame = pd.DataFrame({"data": np.repeat(["one", "two", "three", "four"], 60), "truth": truth})
    for i, share in enumerate((0.6, 0.7, 0.8), start=1):
        frame[f"m{i}"] = np.where(rng.random(240) < share, truth, rng.permutation(truth))
    path = str(tmp_path / f"rows.{ending}")
    getattr(frame, f"to_{ending}")(path, index=False)
    named = {"dataset": "data", "truth": "truth", "score": "accuracy"}
    python = benchmark(path, models=["m?"], **named)
    assert list(python.models) == ["m1", "m2", "m3"]
    assert python.scores == benchmark(frame, **named).scores
    words = [f"--{name} {value}" for name, value in named.items()]
    found = str(tmp_path / "found.json")
    assert main(["benchmark", path, *" ".join(words).split(), "--models", "m?", "-o", found]) == 0
    shell = json.loads(Path(found).read_text())
    assert shell["scores"] == python.scores
    word = "'NA' is a label of column 'truth'"
    assert any(word in note for note in python.notes)
    said = capsys.readouterr().err
    assert f"adjudge: {word}" in said
    assert "empty the cells and pass --missing drop" in said
    with pytest.raises(InputError, match="missing= is for labels: name the column of the truth with truth="):
        benchmark(path, dataset="data", missing="drop")


@pytest.fixture
def numbers(rng):
    """Six data sets of 60 rows with true numbers, and the predictions of three models."""
    found = {}
    for i in range(6):
        truth = rng.gamma(2, 1, 60)
        found[f"d{i}"] = (
            truth,
            {m: truth + rng.normal(0, s, 60) for m, s in zip(MODELS, (0.1, 0.4, 1), strict=True)},
        )
    return found


def rows_of(numbers):
    frames = [
        pd.DataFrame({"truth": truth, **models, "data": name}) for name, (truth, models) in numbers.items()
    ]
    return pd.concat(frames, ignore_index=True)


def test_predicted_numbers_are_scored_as_compare_does(numbers, tmp_path):
    result = benchmark(numbers, score="rmse", confidence=0.9)
    assert (result.kind, result.better, result.order) == ("regression", "lower", list(MODELS))
    truth, models = numbers["d2"]
    both = adjudge.compare(truth, models, kind="regression", indices=["rmse"], confidence=0.9)
    for model in MODELS:
        score = both.judged[model]["root_mean_squared_error"]
        assert result.scores["d2"][model] == score.value
        assert result.intervals["d2"][model] == score.interval
    assert result.across("good", "poor").by_dataset["d2"] == both["good", "poor"].agreement
    assert "good is better more often" in result.across("good", "poor").headline
    frame = rows_of(numbers)
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format="%.17g")
    for table in (frame, tmp_path / "rows.csv"):
        again = benchmark(table, dataset="data", truth="truth", score="rmse")
        assert again.scores == result.scores
    assert benchmark(numbers, kind="regression").score == "mean_absolute_error"


def test_values_are_ranked_by_the_end_that_is_better(numbers):
    values = {name: models for name, (_, models) in numbers.items()}
    found = {better: benchmark(values, kind="values", better=better) for better in ("higher", "lower")}
    assert found["higher"].score == "mean"
    assert found["higher"].scores["d1"]["fair"] == pytest.approx(np.mean(values["d1"]["fair"]))
    for model in MODELS:
        assert found["higher"].average_ranks[model] + found["lower"].average_ranks[model] == 4
    one, other = (found[end].across("good", "fair").pooled for end in ("higher", "lower"))
    assert (one.right_wrong, one.wrong_right) == (other.wrong_right, other.right_wrong)
    table = rows_of(numbers)[["data", *MODELS]]
    assert benchmark(table, dataset="data", kind="values", better="lower").scores == found["lower"].scores


def test_rows_without_a_number_are_left_out_of_all_models(numbers):
    holes = {
        name: (truth, {m: own.copy() for m, own in models.items()})
        for name, (truth, models) in numbers.items()
    }
    holes["d0"][1]["fair"][[3, 8]] = np.nan
    with pytest.raises(InputError, match=r"data set 'd0': fair has no number at position 3 \(2 in all\)"):
        benchmark(holes, kind="regression")
    found = benchmark(holes, kind="regression", missing="drop")
    assert found.sizes["d0"] == 58
    assert "2 rows without a number of some model left out of all models" in found.notes
    truth, models = numbers["d0"]
    kept = np.delete(np.arange(60), [3, 8])
    assert found.scores["d0"]["good"] == pytest.approx(np.abs(truth - models["good"])[kept].mean())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "values"}, "pass better='higher' or better='lower'"),
        ({"kind": "regression", "noise": "drop"}, "noise= is for labels"),
        ({"kind": "regression", "truth_noise": 0}, "truth_noise= is for labels"),
        ({"kind": "values", "better": "lower"}, "data set 'd0': a mapping of two or more models"),
        ({"kind": "regression", "score": "accuracy"}, "accuracy"),
    ],
)
def test_what_numbers_cannot_have_is_refused(numbers, options, said):
    with pytest.raises((InputError, InputTypeError), match=said):
        benchmark(numbers, **options)


def test_numbers_in_the_shell_and_on_the_page(numbers, tmp_path, run):
    rows_of(numbers).to_csv(tmp_path / "rows.csv", index=False)
    given = [str(tmp_path / "rows.csv"), "--dataset", "data", "--truth", "truth", "--kind", "regression"]
    assert "mean_absolute_error, lower is better" in run(
        "benchmark", *given, "--report", tmp_path / "page.html"
    )
    page = (tmp_path / "page.html").read_text()
    assert "Which model is better, data set by data set" in page
    assert "rows on which the first model is worse" in page


def test_fitted_models_have_no_numbers():
    with pytest.raises(InputError, match="mean_absolute_error scores numbers, and fitted models give labels"):
        benchmark.run({"a": lambda X: X, "b": lambda X: X}, score="mae")


def in_table(labels, **more):
    rows = pd.DataFrame(as_rows(labels))
    return rows.assign(**{name: make(len(rows)) for name, make in more.items()})


def test_units_are_a_column_of_a_table(tmp_path, labels, capsys):
    frame = in_table(labels, customer=lambda n: [f"c{i // 4:04}" for i in range(n)])
    units = {name: np.arange(80) // 4 for name in labels}
    wanted = benchmark(labels, score="accuracy", confidence=0.9, units=units)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    named = {"dataset": "data", "truth": "truth", "confidence": 0.9, "units": "customer"}
    for given in (frame, tmp_path / "t.csv", tmp_path / "t.parquet"):
        found = benchmark(given, score="accuracy", **named)
        assert (found.scores, found.intervals) == (wanted.scores, wanted.intervals)
        numbers = benchmark(given, kind="regression", **named)
        assert numbers.intervals != benchmark(given, kind="regression", **named | {"units": None}).intervals
    shown = [
        "benchmark",
        str(tmp_path / "t.csv"),
        "--dataset",
        "data",
        "--truth",
        "truth",
        "--units",
        "customer",
    ]
    assert main([*shown, "--score", "accuracy", "--confidence", "0.9"]) == 0
    low, high = wanted.intervals["d0"]["good"]
    table = wanted.table_of_intervals()
    assert table.rows[0] == ("d0", "good", wanted.scores["d0"]["good"], low, high)
    # They are not in JSON alone.
    for text in (capsys.readouterr().out, repr(wanted), wanted.markdown(), wanted._repr_html_()):
        assert "accuracy with intervals (90 %)" in text
        assert f"{low:.4f}" in text
    assert "with intervals" not in repr(benchmark(labels, score="accuracy"))
    with pytest.raises(InputError, match="units= are of rows, but the engine returns only counts"):
        benchmark(pl.from_pandas(frame).lazy(), **named)
    for given, beside in ((tmp_path / "t.csv", {}), (labels, {"kind": "clustering"})):
        with pytest.raises(InputError, match="units= are those of instances"):
            benchmark(given, units="customer", **beside)


def test_rows_in_messages_are_those_of_the_table(tmp_path, labels, run):
    frame = in_table(labels).sample(frac=1, random_state=0).reset_index(drop=True).astype(object)
    place = int(np.flatnonzero(frame["data"] == "d3")[5])
    frame.loc[place, "fair"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    named = {"dataset": "data", "truth": "truth"}
    said = f"data set 'd3': fair has a missing label at position {place} "
    with pytest.raises(InputError, match=re.escape(said)):
        benchmark(tmp_path / "t.csv", score="accuracy", **named)
    # Rows of noise that are left out before are counted, too.
    with pytest.raises(InputError, match=re.escape(said)):
        benchmark(
            tmp_path / "t.csv", score="accuracy", truth_noise=1 - int(frame["truth"][place] > 0), **named
        )
    for given in (frame, tmp_path / "t.csv"):
        with pytest.raises(InputError, match=f"data set 'd3': fair has no number at position {place} "):
            benchmark(given, kind="regression", **named)
    shown = ["benchmark", str(tmp_path / "t.csv"), "--dataset", "data", "--truth", "truth"]
    assert f"data set 'd3': fair has a missing label in row {place + 1} of the data" in run(
        *shown, "--score", "accuracy", code=2
    )


def test_columns_of_identifiers_are_no_models(tmp_path, labels):
    frame = in_table(
        labels,
        row_id=lambda n: range(7000, 7000 + n),
        key=lambda n: [f"k{i}" for i in range(n)],
        user=lambda n: [f"u{i // 20}" for i in range(n)],
        cluster_id=lambda n: [i % 3 for i in range(n)],
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    polars = pl.from_pandas(frame)
    for given in (frame, polars, polars.lazy(), tmp_path / "t.csv"):
        found = benchmark(given, dataset="data", truth="truth", score="rand")
        assert found.models == (*MODELS, "cluster_id")
        assert [str(note) for note in found.notes] == [
            "'row_id', 'key' and 'user' look like identifiers, so they are no models: models= can name what is meant"
        ]
        named = benchmark(given, dataset="data", truth="truth", score="rand", models=["good", "user"])
        assert named.models == ("good", "user")


def test_a_model_without_labels_is_named(tmp_path, labels):
    frame = in_table(labels).astype(object)
    some = frame.copy()
    some.loc[some["data"] == "d3", "fair"] = None
    frame["fair"] = None
    named = {"dataset": "data", "truth": "truth", "missing": "drop", "models": list(MODELS)}
    for name, table in (("all", frame), ("some", some)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    for given in (frame, tmp_path / "all.csv"):
        with pytest.raises(
            InputError, match="column 'fair' has no label in any row: give its labels, or leave it"
        ):
            benchmark(given, score="accuracy", **named)
    for given in (some, tmp_path / "some.csv"):
        found = benchmark(given, score="accuracy", **named)
        assert found.reasons == {("d3", "fair"): "there are no labels"}
        assert found.n_complete == 9
        with pytest.raises(
            InputError, match="data set 'd3': fair has no number in any row: give its numbers"
        ):
            benchmark(given, kind="regression", **named)


def test_the_better_end_of_a_score_that_is_computed_is_its_own(labels):
    for kind, score, better in (
        ("regression", None, "higher"),
        ("classification", "accuracy", "lower"),
        ("clustering", "variation_of_information", "higher"),
    ):
        with pytest.raises(InputError, match=f"leave out better='{better}'"):
            benchmark(labels, score=score, kind=kind, better=better)
    assert benchmark(labels, score="accuracy", better="higher").better == "higher"


def test_numbers_are_refused_as_labels_with_the_remedy(tmp_path, labels, run):
    frame = in_table(labels)
    frame[["truth", *MODELS]] += 0.5
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = "labels name groups; round scores or probabilities to classes first, or pass kind='regression' if models"
    mapping = {
        name: (truth + 0.5, {m: own + 0.5 for m, own in of.items()}) for name, (truth, of) in labels.items()
    }
    for given, named in (
        (frame, {"dataset": "data", "truth": "truth"}),
        (tmp_path / "t.csv", {"dataset": "data", "truth": "truth"}),
        (mapping, {}),
    ):
        with pytest.raises(InputError, match=said):
            benchmark(given, **named)
        assert benchmark(given, kind="regression", **named).score == "mean_absolute_error"
    with pytest.raises(InputError, match=said):
        adjudge.compare(frame, truth="truth", models=list(MODELS))
    with pytest.raises(InputError, match=r"to classes first$"):
        adjudge.accuracy([0.5, 1.5], [0.5, 1.5])
    assert "or pass --kind regression if models give numbers" in run(
        "benchmark", tmp_path / "t.csv", "--dataset", "data", "--truth", "truth", code=2
    )


def test_pairs_that_were_not_counted_are_asked_for_by_their_option():
    """A table with labels was told that it has none."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({name: rng.integers(0, 2, 90) for name in ("truth", "p", "q")})
    frame = frame.with_columns(data=pl.Series(["a", "b", "c"] * 30))
    asked = {"dataset": "data", "truth": "truth", "score": "accuracy"}
    with pytest.raises(InputError, match="make it with head_to_head=True"):
        benchmark(frame.lazy(), **asked).across("p", "q")
    assert set(benchmark(frame.lazy(), **asked, head_to_head=True).across("p", "q").by_dataset) == {
        "a",
        "b",
        "c",
    }


def test_a_folder_with_a_file_for_each_data_set_needs_a_column(tmp_path):
    for name in ("may", "june"):
        pl.DataFrame({"truth": [0, 1], "p": [0, 1]}).write_parquet(tmp_path / f"{name}.parquet")
    for path in (tmp_path, tmp_path / "*.parquet"):
        with pytest.raises(InputError, match="one table, so write into each a column with its data set"):
            benchmark(path, truth="truth", score="accuracy")
