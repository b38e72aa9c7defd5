"""The verb `evaluate` judges partitions, classifiers and raters, from arrays or from the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack, overload

from adjudge.errors import Argument, InputError, Option
from adjudge.given.annotated import is_annotated
from adjudge.given.arrays import taking_arrays
from adjudge.given.gower import GOWER
from adjudge.given.label_options import LabelOptions
from adjudge.given.option_groups import (
    OF_CLASSIFIERS,
    OF_TABLES,
    Compute,
    ShortForms,
    with_classifier,
    with_points,
)
from adjudge.given.scaling import as_scaling
from adjudge.given.structures import STRUCTURES
from adjudge.given.weights import Weighting
from adjudge.indices.record import Index
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.request import (
    EvaluationRequest,
    KindOfData,
    changed_options,
    named_options,
    options_of_points,
    point_options,
)
from adjudge.kinds.which_kind import are_names, as_values
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.notice import Notice
from adjudge.tables.annotated import judged_from
from adjudge.tables.edges import Links
from adjudge.tables.files import ENGINES
from adjudge.tables.forecasts import ClassifierColumns
from adjudge.tables.judged_columns import JudgedColumns
from adjudge.tables.trees import TreeColumns
from adjudge.unknown_names import check_known, checked_call, naming_what_judges_numbers
from adjudge.usual_seed import USUAL_SEED
from adjudge.verbs.columns_alike import of_rows_left
from adjudge.verbs.evaluate_columns import evaluate_columns, names_columns
from adjudge.verbs.evaluated import evaluated_given
from adjudge.verbs.raters import evaluate_raters

__all__ = ["evaluate"]


@overload
def evaluate(labels_true: Any, labels_pred: Mapping[str, Any], **options: Any) -> Evaluations: ...
@overload
def evaluate(labels_true: Any, *, pred: list[str] | tuple[str, ...], **options: Any) -> Evaluations: ...
@overload
def evaluate(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    X: Any = None,
    labels: Any = None,
    values: Any = None,
    better: Literal["higher", "lower"] | None = None,
    truth: str | None = None,
    pred: str | None = None,
    features: Sequence[str] | None = None,
    indices: str | Index | Iterable[str | Index] = "default",
    kind: KindOfData | None = None,
    counts: Any = None,
    sample_weight: Any = None,
    weights: Literal["frequency", "importance"] | None = None,
    units: Any = None,
    runs: Any = None,
    groups: Any = None,
    sampled: Any = None,
    sampling_weights: Any = None,
    judge: Any = None,
    costs: Any = None,
    prevalence: float | Mapping[Any, float] | None = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] | None = None,
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int | None = None,
    random_state: Any = USUAL_SEED,
    compat: Literal["clusterCrit"] | None = None,
    groups_correction: Literal["holm", "fdr"] = "holm",
    standardize: bool | Literal["standard", "robust", "log"] = False,
    compute: Compute | None = None,
    **options: Unpack[ShortForms],
) -> Evaluation: ...
@checked_call
@naming_what_judges_numbers("kind", "probabilities")
@taking_arrays
def evaluate(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    X: Any = None,
    labels: Any = None,
    values: Any = None,
    better: Literal["higher", "lower"] | None = None,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    indices: str | Index | Iterable[str | Index] = "default",
    kind: KindOfData | None = None,
    counts: Any = None,
    sample_weight: Any = None,
    weights: Literal["frequency", "importance"] | None = None,
    units: Any = None,
    runs: Any = None,
    groups: Any = None,
    sampled: Any = None,
    sampling_weights: Any = None,
    judge: Any = None,
    costs: Any = None,
    prevalence: float | Mapping[Any, float] | None = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] | None = None,
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int | None = None,
    random_state: Any = USUAL_SEED,
    compat: Literal["clusterCrit"] | None = None,
    groups_correction: Literal["holm", "fdr"] = "holm",
    standardize: bool | Literal["standard", "robust", "log"] = False,
    compute: Compute | None = None,
    **options: Any,
) -> Evaluation | Evaluations:
    """Judge a partition or a classifier against the truth, a partition from the data alone, or the agreement of raters.

    Parameters
    ----------
    labels_true : array-like of shape (n,), mapping, contingency table, data frame, AnnData or path, optional
        Reference labels: integers, text, categories ... A :class:`~adjudge.statistics.Contingency`, a
        :class:`~adjudge.statistics.Confusion`, sums of losses (:class:`~adjudge.statistics.ProbabilityLosses`) or a
        matrix of counts can replace both label vectors; classes in a data frame of counts are matched by their names.
        From a mapping of several accepted truths, each index uses the one with the best score. Or a table whose columns
        the other arguments name: a data frame of any library, eager or lazy, or the path of a file. With kind "raters",
        the ratings: a row for each unit, a column for each rater.
    labels_pred : array-like of shape (n,), Classifier, or mapping of str to these, optional
        Labels to judge. Each entry of a mapping is judged separately; `labels_true` may then be a mapping with the same
        names.
    X : array-like of shape (n, p), path or Points, optional
        Points, for internal indices; or the path of a .npy or Parquet file with the points. Columns of a data frame
        that look like identifiers or labels, or equal the labels, are left out, and a note says so.
    labels : array-like of shape (n,), optional
        Labels to judge from the points; default `labels_pred`. With a table: a column, several, or a pattern.
    values : array-like of shape (n,), or mapping of str to such, optional
        One number for each row, judged without a truth: a reward, a latency, an error, the nDCG of a query.
    better : {"higher", "lower"}, optional
        Which end of `values` is better.
    truth : str, optional
        With a table: the column with the true labels. `sample_weight`, `counts`, `units`, `groups`, `probabilities` and
        `scores` then name columns, too; of several classes a pattern: ``"p_*"`` reads ``p_CLASS``.
    pred : str or sequence of str, optional
        With a table: the column with the labels to judge, or several such columns, or patterns such as ``"model_*"``.
        They are judged as the same kind, each on the rows that it does not leave out; `compare` leaves out the same.
        Beside a file, a name may be that of another file with one label per line.
    features : sequence of str or "all", optional
        With a table: numeric columns with the points, or patterns such as ``"x*"``; "all" stands for all that look like
        coordinates, and is the default beside `labels`, which names the column to judge from them. Of an AnnData, an
        entry of `obsm`; beside `labels` alone, the default is ``obsp["connectivities"]``, or else ``obsm["X_pca"]``.
    indices : "default", "all", a name or record, or several, default "default"
        "default" means about eight for each kind of question, "all" every index that the inputs allow. The record of a
        default index says why it is a default. Names may be abbreviated.
    kind : {"clustering", "classification", "multilabel", "regression", "overlapping", "raters", "values"}, optional
        With "clustering", the names of clusters are arbitrary. With "classification", a label is right if it equals the
        true one; predicting only classes that `labels_true` lacks is an error. With "multilabel", an instance may have
        several labels or none: labels are indicator matrices of shape (n, L), dense, sparse or data frames, or
        sequences with the labels of each instance. With "overlapping", these are the clusters that an instance is in.
        "regression" judges predicted numbers against true ones. "raters" measures how well several raters agree,
        without a truth. "values" is meant if `values` is given.
        Default: "classification" if an option of classifiers is given, or if labels are text and both vectors have the
        same names; else "clustering".
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    sample_weight : array-like of float of shape (n,), optional
        Weights of the instances.
    weights : {"frequency", "importance"}, optional
        What `sample_weight` means; required for clusterings. Scores of classifiers are the same for both.
        With "frequency", a row stands for a whole number of instances, as if it were repeated. With
        "importance", the weights are sampling weights on any scale: a pair of instances has the product of their
        weights. Indices that are not defined for sampling weights are nan, with a reason.
    units : array-like of shape (n,), optional
        The sampling unit of each row, if rows were not drawn independently: rows with the same value (visits of a
        patient, sentences of a document) belong together. Intervals and tests then treat the units as the sample; the
        values do not change.
    runs : array-like of shape (n,), optional
        Where every unit was judged in several runs (seeds, epochs, repeated answers): the run of each row. Intervals
        are then for new units in new runs, and ``details["runs"]`` says what scores vary with. Not for clusterings.
    groups : array-like of shape (n,), mapping of names to such, or data frame, optional
        Scores of a classifier for each group of instances; several columns are crossed.
    sampled : sequence, optional
        True clusters that were drawn, by label: pair, BCubed and exact-cluster indices of all records are then
        estimated from them. `labels_true` may be missing for records of other clusters; predictions are needed for
        all. Standard errors are in ``details["standard_errors"]``. Not for lazy tables.
    sampling_weights : array-like of shape (m,), optional
        1 over the chance of each sampled cluster to be drawn, on any scale; default: equal. A cluster that was found
        through one of its records has the weight 1 / size.
    judge : array-like of shape (n,), optional
        Labels of all rows by a judge, such as a language model, where `labels_true` by people is missing for most.
        Scores of classifiers are then those by people, corrected by the judge's labels of the other rows as far as both
        go together; ``details["judge"]`` says how good the judge is. With a table: a column; not with a lazy one.
    costs : array-like of shape (n,), optional
        What a mistake on each row costs, such as an amount of money; ``expected_cost`` is then the mean cost of a row.
        With a table: a column. Costs by class stand in the name: ``"expected_cost(costs=[[0, 1], [5, 0]])"``.
    prevalence : float or mapping, optional
        How frequent the positive class of two, or each class, is where a classifier will be used, if the sample has
        other shares, as in a case-control study. Rows count accordingly: predictive values, accuracy and losses change.
    missing : {"raise", "drop"} or mapping, default "raise"
        What to do with instances that have no label or batch, and with points that lack a coordinate; a graph loses
        them, too.
    noise : {"cluster", "singletons", "drop"} or mapping, optional
        Whether instances labelled `noise_label` form an ordinary cluster, form one cluster each, or are left out. A
        mapping sets this for each label vector: ``{"labels_true": "drop"}`` leaves out noise in the truth and keeps
        predicted noise as a cluster. Default: an ordinary cluster; only DBCV and DISCO, which are defined with noise,
        treat it as noise.
    noise_label : default -1
        The label of noise; in text labels it is "-1".
    confidence : float, optional
        Add confidence intervals of this level, treating the instances as a sample. If no interval would keep its
        level, as with internal indices that depend on nearest neighbours, `interval_reasons` says why and, if possible,
        how many instances would be enough.
    adjust : bool, default False
        Correct external indices for chance: the mean over pairs of partitions with these cluster sizes becomes 0. The
        p-value is the share of such pairs that agree at least as well; with simulated tables, it is at least
        1 / (`n_tables` + 1) and printed as an upper bound.
    n_tables : int, optional
        Number of tables to draw for indices whose null distribution is simulated; see
        :func:`~adjudge.inference.null_distribution`.
    random_state : int, Generator, SeedSequence or None, default 0
        Seed for random tables, and for points that are left out or sampled: the same call gives the same answer. With
        None it varies.
    compat : {"clusterCrit"}, optional
        Compute internal indices as that program does where it departs from the published formulas.
    groups_correction : {"holm", "fdr"}, default "holm"
        Correction of the tests of groups; see :func:`adjudge.compare`.
    standardize : bool or {"standard", "robust", "log"}, default False
        Scale the points: to mean 0 and deviation 1 (True), by quartiles, or after logarithms.
    compute : Compute, optional
        Threads, memory, engine and checkpoint for the passes over points.
    **options
        Fields of the option groups, given directly: `probabilities`, `scores`, `classes` and `positive` of
        :class:`Classifier`; `metric`, `sample_size`, `exact`, `bins`, `n_neighbors`, `dimension`, `tree` and
        `min_points` of :class:`Points`; `n_jobs`, `memory_limit`, `engine`, `device`, `checkpoint`, `precision` and
        `progress` of :class:`Compute`. Inputs that are no label vector of clusters have keywords of their own: `graph`,
        `linkage`, `taxonomy` and `batch`. With a table, `delimiter` is the sign between the labels of a cell if rows
        have several (default ``";"``; cells may also be lists, and a pattern such as ``"true_*"`` names a column of 0
        and 1 for each label). `path_separator` says that labels are paths of classes in a tree, such as ``"a/b"``;
        `levels` names a column of true classes for each level, the highest first, and `pred` then columns of paths, of
        last names, or ``"a/b"`` for two columns. `graph` may be an entry of the `obsp` of an AnnData, or a table of
        edges, a path or a data frame with two columns of vertices and perhaps one of weights; `directed` says whether
        they have a direction, and `key` names the column with the vertices (default: row numbers, from 0). `pairs` is
        such a table of linked records, which `key` names: the clusters that they form are judged, with a `threshold`
        those of pairs with at least this score.

    Returns
    -------
    Evaluation or Evaluations
        ``evaluation["rand"]`` is a value; ``evaluation.reasons`` says why values are undefined. Classifiers have
        more: ``evaluation.by_class[label]["recall"]``, ``evaluation.class_table()``, ``evaluation.confusion`` and
        ``evaluation.by_group[value]["accuracy"]``.
        For several label vectors, ``evaluations["a"]`` is the evaluation of one, ``evaluations["a", "rand"]`` a value.

    Raises
    ------
    InputError
        If an input cannot be used, or if an index needs an input that was not given.

    Notes
    -----
    A file is read into memory if it is small (Parquet up to 8 MiB, text up to 64 MiB). A large one is counted by
    DuckDB, if it is installed and nothing needs the rows, and its results know no instances; ``engine="memory"`` reads
    it, ``engine="duckdb"`` counts a small one. For a lazy table, only counts and moments come into memory: the engine
    runs one GROUP BY for the labels and two for the points, and indices of distances between points need a table in
    memory. For a classifier's scores, sums and histograms of 50,400 bins come back: log loss, the Brier score and
    calibration errors by bins of equal width are exact; ranking measures have an error bound
    (``score("roc_auc").error_bound``), by which their intervals are wider. Intervals take one more pass, and one for
    each group and for all others.

    Examples
    --------
    >>> from adjudge import evaluate
    >>> result = evaluate(["a", "a", "b", "b"], [0, 0, 1, 2], indices=["rand", "jac", "precision"])
    >>> result["rand"]
    0.8333333333333334
    >>> result.values["jaccard"], result["prec"]
    (0.5, 1.0)
    >>> judged = evaluate(["no", "yes", "yes"], probabilities=[0.2, 0.9, 0.4], kind="classification")
    >>> judged["roc_auc"], judged.by_class["yes"]["recall"]
    (1.0, 0.5)
    >>> judged = evaluate([{"a", "b"}, {"b"}], [{"a"}, {"b"}], kind="multilabel")
    >>> judged["subset_accuracy"], judged["hamming_loss"], judged.by_class["b"]["recall"]
    (0.5, 0.25, 0.5)
    >>> evaluate(["a", "a", "b", "b"], [0, 0, 1, 2], indices="rand", units=["p", "p", "q", "r"]).n_units
    3

    Several label vectors, the columns of a table, and raters:

    >>> models = {"a": [0, 0, 1, 1, 2, 2], "b": [5, 5, 5, 5, 7, 7]}
    >>> found = evaluate([0, 0, 0, 1, 1, 1], models, indices=["ari", "purity"])
    >>> print(found.table().text())
    labels_pred  adjusted_rand  purity
    a                   0.2424  0.8333
    b                   0.3243  0.8333
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"label": [0, 0, 1, 1], "cluster": [5, 5, 7, 9], "x": [0.0, 1.0, 4.0, 5.0]})
    >>> evaluate(frame, truth="label", pred="cluster", indices="rand")["rand"]
    0.8333333333333334
    >>> evaluate(frame, labels="label", features=["x"], indices="trace_w")["trace_w"]
    1.0
    >>> films = pd.DataFrame({"genres": ["drama|war", "drama", ""], "found": ["drama", "drama", "war"]})
    >>> evaluate(films, truth="genres", pred="found", kind="multilabel", delimiter="|")["hamming_loss"]
    0.3333333333333333
    >>> goods = pd.DataFrame({"group": ["food", "toys"], "kind": ["bread", "ball"], "guess": ["bread", "bread"]})
    >>> evaluate(goods, levels=["group", "kind"], pred="guess")["tree_distance"]
    2.0
    >>> people = pd.DataFrame({"name": ["ann", "bob", "cid"], "team": ["a", "a", "b"]})
    >>> links = pd.DataFrame({"one": ["ann", "bob"], "other": ["bob", "cid"], "score": [0.9, 0.4]})
    >>> evaluate(people, truth="team", key="name", pairs=links, threshold=0.5, indices="rand")["rand"]
    1.0
    >>> round(evaluate(people, labels="team", key="name", graph=links, indices="modularity")["modularity"], 4)
    -0.0473
    >>> judged = evaluate([["a", "a", "b"], ["b", "b", "b"], ["a", "a", None]], kind="raters")
    >>> round(judged["fleiss_kappa"], 4), round(judged["krippendorff_alpha"], 4)
    (0.55, 0.5625)
    """
    if isinstance(kind, str) and kind == "raters":
        changed = changed_options(evaluate, locals())
        check_known(options, (*_named_options(), *options_of_points()), "evaluate()")
        del changed["kind"]
        return evaluate_raters(**changed, **options)
    beside = truth, pred, features, options.get("levels"), values if are_names(values) else None
    of_table = names_columns(labels_true, labels_pred, beside, labels)
    if values is not None or kind is not None:
        others = {"labels_true": truth if of_table else labels_true, "labels_pred": labels_pred, "pred": pred}
        labels_pred, kind = as_values(values, kind, others, labels_pred)
    X, flat = with_points(X, compute, options)
    if labels_pred is not None and pred is not None:
        raise InputError(Argument("labels_pred"), " and ", Option("pred"), " were given: give one of them")
    labels_pred, flat = with_classifier(labels_pred if pred is None else pred, flat)
    reads = flat.pop("engine") if of_table and flat.get("engine") in ENGINES else None
    of_classifiers = {name: flat.pop(name, None) for name in OF_CLASSIFIERS}
    structures = {name: flat.pop(name, None) for name in STRUCTURES}
    of_columns = {name: flat.pop(name, None) for name in OF_TABLES}
    of_cells = of_table and is_annotated(labels_true)
    said: tuple[Notice, ...] = ()
    if of_cells:
        beside_batches = structures["batch"] is not None
        features, structures["graph"], said = judged_from(
            labels_true, labels, features, structures["graph"], beside_batches=beside_batches
        )
    points, others = point_options(flat, _named_options())
    request = EvaluationRequest(
        indices=indices,
        kind=kind,
        labels=LabelOptions(missing, noise, noise_label),
        confidence=confidence,
        adjust=adjust,
        n_tables=n_tables,
        random_state=random_state,
        compat=compat,
        better=better,
        groups_correction=groups_correction,
        points=points,
        scaling=as_scaling(standardize),
        **others,
    )
    request.check_groups(groups)
    # Whoever is told of the progress changes nothing.
    of_points = [name for name in options if name in flat and name != "progress"]
    of_points += ["compat"] if compat else []
    has_points = X is not None or features is not None
    has_points |= of_table and labels is not None and labels_pred is None
    if request.scaling is not None and not has_points:
        remedy: Any = (
            ("name columns with ", Option("features")) if of_table else ("give them as ", Option("X"))
        )
        raise InputError(Option("standardize"), " scales points: ", *remedy)
    if of_table:
        if X is not None:
            raise InputError(
                Option("X"),
                " are points beside a table: name ",
                "an entry of obsm" if of_cells else "the columns of coordinates",
                " with ",
                Option("features"),
            )
        named_columns = JudgedColumns(
            truth=truth,
            pred=labels_pred,
            labels=labels,
            features=features,
            kind=kind,
            beside={
                "sample_weight": sample_weight,
                "counts": counts,
                "units": units,
                "runs": runs,
                "judge": judge,
                "costs": costs,
            },
            weights=weights,
            classifier=ClassifierColumns.of(**of_classifiers, groups=groups, kind=kind),
            structures=structures,
            sampled=sampled,
            sampling_weights=sampling_weights,
            prevalence=prevalence,
            of_points=of_points,
            are_mixed=points.metric == GOWER,
            said=said,
            delimiter=of_columns["delimiter"],
            tree=TreeColumns.of(of_columns["path_separator"], of_columns["levels"], truth),
            links=Links(
                structures["graph"],
                **{name: of_columns[name] for name in ("directed", "pairs", "threshold", "key")},
            ),
        )
        return evaluate_columns(labels_true, named_columns, request, reads)
    if (name := next((name for name, own in of_columns.items() if own is not None), None)) is not None:
        raise InputError(Option(name), " is an option for tables: leave it out of arrays")
    given = Given(
        labels_true,
        {MODEL: labels_pred},
        ClassifierOptions(**of_classifiers, groups=groups, prevalence=prevalence, costs=costs),
        Weighting(counts, sample_weight, weights, units, runs),
        request.labels,
        X=X,
        labels=labels,
        structures=structures,
        sampled=sampled,
        sampling_weights=sampling_weights,
        better=better,
        judge=judge,
    )
    return of_rows_left(evaluated_given(request, given, of_points), given, request.labels)


def _named_options() -> list[str]:
    return [*named_options(evaluate), *OF_CLASSIFIERS, *STRUCTURES, *OF_TABLES]
