"""The verb `benchmark`: many models on many data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from adjudge.benchmarking.inputs import GivenResults
from adjudge.benchmarking.label_scores import Scoring
from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.options import check_choice, check_count, check_flag
from adjudge.given.score_table import BETTER
from adjudge.presentation.tables import backend_of
from adjudge.progress import StagedProgress, reporting
from adjudge.results.benchmark import Benchmark
from adjudge.unknown_names import naming_what_judges_numbers

__all__ = ["benchmark"]

_LABEL_OPTIONS = ("missing", "noise", "noise_label", "positive")


class _Benchmark:
    """Compares models over many data sets: ``benchmark(...)`` reads their results, :meth:`run` fits them."""

    # Type checkers and the documentation should see a function.
    __name__ = "benchmark"

    @naming_what_judges_numbers("kind")
    def __call__(
        self,
        data: Any,
        *,
        score: Any = None,
        kind: Literal["clustering", "classification", "regression", "values"] | None = None,
        better: Literal["higher", "lower"] | None = None,
        truth: str | None = None,
        models: Sequence[str] | None = None,
        dataset: str | None = None,
        model: str | None = None,
        fold: str | None = None,
        test_share: float | None = None,
        truth_noise: Any = None,
        missing_score: float | None = None,
        confidence: float | None = None,
        units: str | Mapping[str, Any] | None = None,
        head_to_head: bool | None = None,
        **options: Any,
    ) -> Benchmark:
        """Compare models over many data sets: ranks, corrected tests, and sentences the results support.

        Parameters
        ----------
        data : mapping, data frame, matrix, or path of a table or folder
            - ``{"iris": (truth, {"kmeans": labels, ...}), ...}``: labels, which are scored here. A mapping
              of names to arrays in place of the truth gives several accepted truths. A model may be a
              :class:`adjudge.Classifier`: a score of probabilities leaves out models that have labels alone.
            - ``{"iris": {"kmeans": 0.73, ...}, ...}``: scores; an array holds one score per fold (runs by folds).
            - ``{"kmeans": [0.73, 0.62, ...], ...}``: scores by model, on the same data sets.
            - A data frame or matrix of scores, data sets by models.
            - A long data frame: name its columns with `dataset`, `model`, `score` and, if there is one, `fold`.
            - A data frame of any library, eager or lazy, with one row per instance: name the columns `dataset` and
              `truth`; all other columns are models, unless `models` names them. One GROUP BY a model counts its labels.
            - The path of a file with one of these tables: CSV, Parquet and the other formats of the command line.
              The labels of a large one are counted, as those of a lazy frame.
            - A folder laid out like Gagolewski's benchmark suite, or one with files ``NAME.labels0.gz`` (truth; 0 is
              noise) and ``NAME.MODEL.labels.gz``.
        score : str, Index or callable, optional
            How to score labels: an external index, a classification score, or a function of the truth and the labels.
            Default: "adjusted_rand" of clusterings, "accuracy" of classifiers, "mean_absolute_error" of predicted
            numbers, "mean" of values. If scores are given, their name; for a long data frame, their column.
        kind : {"clustering", "classification", "regression", "values"}, optional
            Models give labels, numbers that are predicted of true ones ("regression"), or numbers of which either
            end is better ("values", without a truth: ``{"qa": {"old": x, "new": y}, ...}``, or columns of a table with
            one row per instance). Default: the kind of the score. Without a score, text labels that truth and models
            share are classes, and labels that may be classes or numbers of clusters, such as 0 and 1, are an error;
            those in a folder are clusters.
        better : {"higher", "lower"}, optional
            Default: by the name of the score: what the index's record says, or words such as "error", "loss" and
            "accuracy". A name that does not tell is an error; scores without a name are better if higher.
        truth, models, dataset, model, fold : str
            Columns of a table; `models` may also be patterns such as ``v_*``. Default: all others but identifiers.
        test_share : float, optional
            Share of the instances in a test fold; default 1 / (number of folds). Give 1 / k for several runs of k folds
            in a long data frame.
        truth_noise : object, optional
            Label of instances that belong to no class. They are dropped, whatever the models predict for them.
        missing_score : float, optional
            The score to use where a model has none, such as 0 for a clusterer that failed. Default: leave such data
            sets out of the ranks.
        confidence : float, optional
            Add an interval for each score, treating the instances of a data set as a sample.
        units : str, or mapping of str to array-like, optional
            The unit that each instance belongs to, as for :func:`adjudge.evaluate`: its column in a table, or arrays by
            data set. Only the intervals use it: tests over data sets treat the data sets as the sample.
        head_to_head : bool, optional
            Whether to count the Prayatul matrix of each pair of models. Default: only for labels in memory.
            For a table, this takes one more GROUP BY for classifiers, or one for each pair of clusterings.
        **options
            Options for labels, as for :func:`adjudge.evaluate`: `missing`, `noise`, `noise_label` and `positive`.

        Returns
        -------
        Benchmark
            ``.scores .ranks .average_ranks .friedman .critical_difference .pairwise() .bayesian() .sentences()``

        Raises
        ------
        InputError
            If the data cannot be read as the scores or labels of two or more models.

        References
        ----------
        Demšar (2006), Statistical comparisons of classifiers over multiple data sets; García & Herrera (2008);
        Benavoli, Corani, Demšar & Zaffalon (2017), Time for a change.

        Examples
        --------
        >>> from adjudge import benchmark
        >>> result = benchmark(
        ...     {
        ...         "one": {"kmeans": 0.61, "ward": 0.68, "single": 0.20},
        ...         "two": {"kmeans": 0.55, "ward": 0.57, "single": 0.51},
        ...         "three": {"kmeans": 0.70, "ward": 0.71, "single": 0.30},
        ...         "four": {"kmeans": 0.81, "ward": 0.80, "single": 0.77},
        ...     },
        ...     score="adjusted_rand",
        ... )
        >>> result.average_ranks
        {'kmeans': 1.75, 'ward': 1.25, 'single': 3.0}
        >>> round(result.friedman.p_value, 4), round(result.critical_difference, 3)
        (0.0388, 1.657)
        """
        if better is not None:
            check_choice("better", better, BETTER)
        if head_to_head is not None:
            check_flag("head_to_head", head_to_head)
        for name in options:
            if name not in _LABEL_OPTIONS:
                raise InputTypeError(
                    "benchmark() has no option ",
                    Option(name),
                    f": of labels there are {', '.join(_LABEL_OPTIONS)}",
                )
        if missing_score is not None and not (
            isinstance(missing_score, (int, float)) and math.isfinite(missing_score)
        ):
            raise InputError(Option("missing_score", missing_score), ": a finite number is needed")
        judging = {"truth_noise": truth_noise, "confidence": confidence, **options}
        given = GivenResults(
            data=data,
            score=score,
            kind=kind,
            better=better,
            truth=truth,
            models=models,
            dataset=dataset,
            model=model,
            fold=fold,
            test_share=test_share,
            head_to_head=head_to_head,
            judging=judging,
            units=units,
        )
        gathered = given.gathered()
        settings = {
            "score": gathered.score,
            "better": gathered.better,
            "missing_score": missing_score,
            **judging,
        }
        return gathered.benchmark(missing_score=missing_score, settings=settings, backend=backend_of(data))

    def run(
        self,
        estimators: Mapping[str, Any],
        datasets: Any = "bundled",
        *,
        score: Any = None,
        cv: Any = None,
        n_repeats: int = 1,
        tell_n_clusters: bool = True,
        work: str | Path | None = None,
        n_jobs: int | None = None,
        missing_score: float | None = None,
        confidence: float | None = None,
        head_to_head: bool | None = None,
        random_state: int = 0,
        progress: StagedProgress | bool | None = None,
        **options: Any,
    ) -> Benchmark:
        """Fit models to data sets in parallel, keep their predictions, and compare them.

        Parameters
        ----------
        estimators : mapping of str to estimator, function or str
            Scikit-learn estimators and pipelines; functions ``f(X)`` that cluster, or
            ``f(X_train, y_train, X_test)`` that classify, which receive `n_clusters` and `random_state` if
            they have such parameters; or templates of shell commands. A clustering command reads ``{data}`` (CSV
            without a header) and writes ``{labels}``, one per line; it may use ``{n_clusters}`` and ``{seed}``. A
            classification command reads ``{train}`` (the label in the last column) and ``{test}``.
        datasets : mapping of str to (X, y), or name of a suite, or folder
            See :meth:`suite`.
        score : str, Index or callable
            Default: "adjusted_rand", or "accuracy" with `cv`. A score of probabilities, such as "log_loss" or
            "roc_auc", uses ``predict_proba``; functions then return one column per class, in sorted order.
        cv : int or splitter, optional
            Classify by cross-validation, with the same folds for all models; an integer means shuffled, stratified
            folds. Default: cluster.
        n_repeats : int, default 1
            Repetitions, each with another seed and other folds.
        tell_n_clusters : bool, default True
            Set the `n_clusters` or `n_components` of clusterers to the true number of clusters, where they have it.
        work : path-like, optional
            Folder for finished fits: predictions as Parquet, with times, memory and errors. Fits with the
            same model, data and seed are not repeated.
        n_jobs : int, optional
            As for joblib, which may use the Dask or Ray backend.
        missing_score : float, optional
            The score to use where a model failed. Default: leave such data sets out of the ranks.
        confidence, head_to_head, **options
            As for :func:`adjudge.benchmark`.
        random_state : int, default 0
        progress : callable or bool, optional
            Called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or in a
            notebook.

        Returns
        -------
        Benchmark
            ``.costs`` has seconds and megabytes, ``.reasons`` the error of each failed fit.

        Examples
        --------
        >>> from sklearn.cluster import AgglomerativeClustering, KMeans
        >>> from adjudge import benchmark
        >>> models = {
        ...     "k-means": KMeans(n_init=3),
        ...     "Ward": AgglomerativeClustering(),
        ...     "single": AgglomerativeClustering(linkage="single"),
        ... }
        >>> names = ["sklearn/iris", "sklearn/wine", "generated/moons", "generated/blobs"]
        >>> result = benchmark.run(models, names)
        >>> result.scores["generated/moons"]["single"] > result.scores["generated/moons"]["k-means"]
        True
        """
        from adjudge.benchmarking.runner import Plan, as_datasets, fit_all, gather_fits

        if not isinstance(estimators, Mapping) or len(estimators) < 2:
            raise InputError("give a mapping of names to two or more estimators")
        check_count("n_repeats", n_repeats)
        check_count("random_state", random_state, least=0)
        check_flag("tell_n_clusters", tell_n_clusters)
        if isinstance(cv, int):
            check_count("cv", cv, least=2)
        of_classes = cv is not None
        scoring = _scoring_of_fits(score, of_classes)
        models = {str(name): model for name, model in estimators.items()}
        read = scoring.name if scoring.reads_probabilities else None
        plan = Plan(models, as_datasets(datasets), cv, n_repeats, tell_n_clusters, random_state, read)
        with reporting(progress, "fits") as report:
            fits = fit_all(plan, work=work, n_jobs=n_jobs, progress=report)
        gathered = gather_fits(
            plan, fits, scoring, head_to_head is not False, confidence=confidence, **options
        )
        settings = {
            "score": scoring.name,
            "cv": repr(cv) if of_classes else None,
            "n_repeats": n_repeats,
            "tell_n_clusters": tell_n_clusters,
            "missing_score": missing_score,
            "confidence": confidence,
            "random_state": random_state,
            **options,
        }
        return gathered.benchmark(missing_score=missing_score, models=models, settings=settings)

    @staticmethod
    def suite(source: Any = "bundled") -> dict[str, Any]:
        """Load data sets with their truths, without a network; see :func:`adjudge.benchmarking.suite.load_suite`.

        Parameters
        ----------
        source : str, path or sequence of str, default "bundled"
            "bundled", "sklearn", "generated", "wut", names of data sets such as "wut/mk1", or a folder laid out like
            Gagolewski's benchmark suite.

        Returns
        -------
        dict of str to Dataset
            Each with ``.X``, ``.y``, ``.truths``, ``.n_clusters``.
        """
        from adjudge.benchmarking.suite import load_suite

        return dict(load_suite(source))


def _scoring_of_fits(score: Any, of_classes: bool) -> Scoring:
    """Return the score for models that are fitted here."""
    try:
        return Scoring.of(score, "classification" if of_classes else "clustering", None)
    except InputError:
        other = Scoring.of(score, None, None)
    if other.reads_numbers:
        raise InputError(
            f"{other.name} scores numbers, and fitted models give labels: choose a score of labels"
        )
    if of_classes:
        raise InputError(
            f"{other.name} scores clusterings: leave out ", Option("cv"), ", or choose a score of classifiers"
        )
    raise InputError(
        f"{other.name} scores classifiers: give the folds with ", Option("cv"), ", as ", Option("cv", 10)
    )


benchmark = _Benchmark()
# help() and notebooks show how to call it.
benchmark.__doc__ = _Benchmark.__call__.__doc__
