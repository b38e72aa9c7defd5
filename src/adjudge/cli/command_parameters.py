"""What commands say otherwise of an option, and the options that only one of them has."""

from __future__ import annotations

from dataclasses import replace

from adjudge.cli.parameters import (
    KINDS_COMPARED,
    PARAMETERS,
    RESOURCES,
    WHAT_MISSING,
    Parameter,
    Role,
    listed,
)
from adjudge.usual_seed import USUAL_SEED

__all__ = ["flags_of", "parameter"]


def _with(name: str, text: str) -> Parameter:
    return replace(PARAMETERS[name], help=text)


_RATERS = listed(
    Parameter("pred", Role.labels, "Columns of ratings, one a rater, or a pattern: 'r_*'; default: all but "
              "identifiers.",
              ("--raters",)),
    _with("units", "Column of what rows belong to, such as patients."),
    replace(PARAMETERS["classes"], flags=("--classes", "--categories"),
            help="All categories in order; default: those that occur, sorted."),
)  # fmt: skip
_PLAN = listed(
    replace(PARAMETERS["labels"], is_needed=True),
    Parameter(
        "candidates", Role.count, "Plan 'adjudge choose' among N such clusterings.", takes="N", least=1
    ),
    _with("stability", "Resamples to which each candidate is refitted."),
    replace(PARAMETERS["estimator"], help="Time fits of this clusterer of 'adjudge choose' or 'choose-k'."),
    _with("metric", "Distance of points: euclidean, cosine, gower (any columns) ..."),
)

_CHOOSE_K = listed(
    Parameter("k", Role.range, "Numbers of clusters to compare: 2:10, or 2,3,5.", ("--k", "-k"),
              shows="2:10, or fewer of few points"),
    Parameter("estimator", Role.names, "kmeans (default), gaussian_mixture, ward, average, complete, single; or "
              "several."),
    _with("indices", "Criteria, by name or abbreviation, or 'all'; 'default,gap' adds the gap."),
    Parameter("n_resamples", Role.count, "Repeat the recommendation on this many bootstrap samples.", default=0,
              least=0),
    _with("work", "Keep finished work here, and go on with it."),
    _with("missing", f"Points with a gap: {WHAT_MISSING}"),
    _with("report", "Write a page with the clusters: .html."),
)  # fmt: skip
_CHOOSE = listed(
    Parameter("candidates", Role.labels, "Columns with the candidates' labels, or a pattern: 'res_*'.", ("--labels",)),
    Parameter("by", Role.text, "What ranks candidates: a criterion, mean_rank or consensus (default; with a graph: "
              "modularity)."),
    _with("indices", "Criteria, by name or abbreviation, or 'all'; default some seven."),
    Parameter("noise", Role.choice, "Noise: drop leaves it out, singletons counts it as one cluster each, cluster as "
              "one", choices=("cluster", "singletons", "drop"), default="drop"),
    _with("stability", "Refit each candidate to this many resamples."),
    _with("plot", "Draw the front of coverage and quality: .png, .svg or .pdf."),
)  # fmt: skip

_CLUSTER_TESTS = listed(
    Parameter("estimator", Role.text, "A scikit-learn clusterer: kmeans, hdbscan, agglomerative ...",
              shows="kmeans with 2 to 8 clusters"),
    _with("missing", f"Points with a gap: {WHAT_MISSING}"),
    Parameter("index", Role.text, "The criterion by which clusterings are compared.", default="silhouette"),
    Parameter("thorough", Role.flag, "Look at all points, beside 99 data sets of each kind without clusters."),
    Parameter("n_samples", Role.count, "Data sets without clusters that candidates are fitted to",
              shows="19; 99 with --thorough", least=1),
    Parameter("linkage", Role.choice, "Also test the splits of this tree: ward, average, complete or single.",
              takes="NAME", choices=("ward", "average", "complete", "single")),
    Parameter("differences", Role.flag, "Also test whether means of neighbouring clusters differ."),
)  # fmt: skip

_BENCHMARK = listed(
    Parameter("dataset", Role.label, "Column with the names of the data sets."),
    _with("truth", "Column with the true labels: each row is an instance."),
    Parameter("models", Role.labels, "Columns of the models (labels, or scores); default: all others."),
    Parameter("model", Role.label, "In a long table: column with the models' names."),
    Parameter("fold", Role.label, "In a long table: column with the folds."),
    Parameter("score", Role.text, "Index that scores labels (default: adjusted_rand of clusterings, accuracy of "
              "classifiers), or the long table's column with the scores."),
    replace(PARAMETERS["kind"], choices=("clustering", "classification", "regression", "values"),
            help="Labels are of clustering or classification; numbers of regression, or values without a truth "
            "(default: as the score or the labels tell)."),
    Parameter("better", Role.choice, "Better scores are higher or lower.", takes="WHICH",
              choices=("higher", "lower")),
    Parameter("missing_score", Role.number, "Score of a model that has none; default: leave the data set out.",
              takes="SCORE"),
    Parameter("truth_noise", Role.value, "True label of instances that belong to no class."),
    Parameter("test", Role.text, "Test of pairs: ranks, wilcoxon, sign, quade, aligned-ranks or conover.",
              default="ranks"),
    Parameter("correction", Role.text, "Default: shaffer, or holm with a control or more than 30 models. Others: "
              "bergmann-hommel, nemenyi, hochberg, hommel, finner, li, fdr, bonferroni or none."),
    Parameter("control", Role.text, "Compare every model with this one, chosen beforehand.", takes="MODEL"),
    Parameter("rope", Role.number, "Add Bayesian signed-rank tests; differences up to this count as none.",
              takes="DIFFERENCE"),
    Parameter("latex", Role.file, "Also write the table of scores for a paper (booktabs)."),
    Parameter("figure", Role.file, "Also draw the critical-difference diagram (.pdf, .svg, .png)."),
)  # fmt: skip

_GATE = listed(
    Parameter("old", Role.label, "Column with the old model's labels."),
    Parameter("new", Role.label, "Column with the new model's labels."),
    Parameter("against", Role.file, "The old model's table; FILE is then the new one's, and --key joins them. Or a "
              "result that was saved with its instances (.adjudge)."),
    Parameter("key", Role.key, "With --against or --history: column that names each row."),
    Parameter("prediction", Role.label, "With --against: column with the labels, in both tables."),
    Parameter("probabilities", Role.probabilities, "Columns of probabilities: a pattern such as 'v1_*' or a column for "
              "each model, the old one first, or MODEL=COL of one of them; with --against one for both."),
    Parameter("positive", Role.text, "The positive class of two."),
    replace(PARAMETERS["kind"], choices=KINDS_COMPARED,
            help="classification (default), clustering, multilabel (cells are lists), or regression (numbers)."),
    _with("values", "Columns with a number for each row by both models, the old one first, or a pattern."),
    Parameter("history", Role.file, "Remember each look here (.adjudge): limits then hold however often it runs."),
    Parameter("groups", Role.groups, "Also check each group of rows.", ("--by", "--groups")),
    Parameter("slices", Role.labels, "Columns by which to look for rows where the new model is worse by more than "
              "elsewhere, or 'all'."),
    Parameter("margin", Role.amounts, "How much worse is good enough (default 0.01, none of numbers): 0.02, 2%, or "
              "by index: accuracy=0.01,f1=2%."),
    Parameter("indices", Role.indices, "What must not become worse, also 'recall[CLASS]'."),
    Parameter("superior", Role.indices, "Indices by which the new model must be better."),
    Parameter("equivalent", Role.indices, "Indices that must stay within the margin."),
    Parameter("max_broken", Role.limits, "Rows that may be right before and wrong now: 5, a share 0.02, or by class: "
              "churn=5."),
    Parameter("confidence", Role.number, "Confidence of the end that faces the margin", takes="LEVEL", default=0.95),
    Parameter("smallest_group", Role.count, "Groups with fewer rows (or --units) are not checked apart", default=0),
    Parameter("undecided", Role.choice, "What the exit code says then: undecided (3), pass, or fail", takes="HOW",
              choices=("undecided", "pass", "fail"), default="undecided"),
    Parameter("settings", Role.file, "Options from a TOML file; default: gate.toml, or [tool.adjudge.gate] of "
              "pyproject.toml."),
    Parameter("broken", Role.file, "Write the rows that broke (.csv, .parquet)."),
    Parameter("fixed", Role.file, "Write the rows that were put right."),
    _with("report", "Write a page (.html) with checks and rows."),
    replace(PARAMETERS["output_format"], choices=(*PARAMETERS["output_format"].choices, "junit"),
            help="table, markdown, json, csv, latex or junit; default: by the ending of --output, else table."),
)  # fmt: skip

_REPORT = listed(
    Parameter("models", Role.labels, "Columns with the models' labels, or a pattern: 'model_*'.",
              ("--models", "--labels")),
    Parameter("against", Role.file, "An earlier result (.adjudge): say what has changed. With its instances: which of "
              "them."),
    Parameter("features", Role.numbers, "Columns for the map and the clusters, or a pattern: 'x*'; default: all other "
              "numeric ones.", ("--features", "--columns")),
    Parameter("images", Role.text, "Column with picture files, as seen from the folder of FILE.", takes="COL"),
    Parameter("text", Role.text, "Column with the text of each instance.", takes="COL"),
    Parameter("k_choice", Role.range, "Ask how many clusters there are: 2:10, or 2,3,5.", ("--k", "-k")),
    Parameter("confidence", Role.level, "Confidence level of the intervals.", default=0.95),
    Parameter("title", Role.text, "Title of the page.", takes="TEXT"),
    Parameter("output", Role.file, "Where to write the page", ("--output", "-o"), default="adjudge-report.html"),
    Parameter("open_it", Role.flag, "Show the page in the web browser.", ("--open",)),
)  # fmt: skip
_OF_COLUMNS = listed(
    Parameter("random_state", Role.count, "Seed of random draws (default 0).", ("--seed",), "NUMBER",
              default=USUAL_SEED, silent=True),
    Parameter("missing", Role.treatment, f"Rows with a missing label: {WHAT_MISSING}; COL=drop is for one column",
              takes="WHAT", shows="raise"),
    Parameter("noise", Role.treatment, "Noise counts as one cluster (cluster) or as one each (singletons), or is left "
              "out (drop); truth=drop or COL=drop is for one column", takes="WHAT", shows="cluster"),
)  # fmt: skip
_COMPARE = _OF_COLUMNS | listed(
    replace(PARAMETERS["kind"], choices=KINDS_COMPARED,
            help="clustering, classification, multilabel (rows have several labels or none), or regression (numbers). "
            "Default: classification, if the models' labels are those of the truth."),
    Parameter("models", Role.labels, "Columns with the models' labels, or a pattern: 'model_*'."),
    _with("indices", "What each model is scored by: names, 'default' or 'all'."),
    Parameter("rows", Role.text, "Write the rows of one cell: both_right, right_wrong, wrong_right, both_wrong; of "
              "clusterings all rows, with their pairs in it.", takes="CELL"),
    Parameter("pair", Role.names, "With --rows: the primary model and the alternative.", takes="P,Q"),
    Parameter("legend", Role.flag, "Explain the symbols of the models head to head."),
    Parameter("everything", Role.flag, "Print all rows of all tables, also if they need several screens.", ("--all",)),
)  # fmt: skip
_EVALUATE = _OF_COLUMNS | listed(
    Parameter("pred", Role.labels, "Columns to judge against the truth, or a pattern: 'model_*'."),
    Parameter("labels", Role.labels, "Columns to judge from points, and by --truth."),
    Parameter("kind", Role.choice, "clustering: names are arbitrary; classification: equal names are right; "
              "multilabel, overlapping: several labels or clusters in a row; regression: numbers. Default: "
              "classification of equal texts.", takes="KIND", choices=(*KINDS_COMPARED, "overlapping")),
    _with("indices", "Indices, by name or abbreviation, or 'all'; 'adjudge indices' lists them."),
    Parameter("scores", Role.probabilities, "Decision values instead, which only rank."),
    _with("output_format", "table, json (all), csv (scores), markdown or latex; default: by the ending of "
          "--output, else table."),
    Parameter("prevalence", Role.limits, "Share of the positive class where the model is used: 0.01, 1%, or of each: "
              "CLASS=0.3.", takes="RATE"),
    Parameter("path_separator", Role.text, "Labels are paths of classes, such as a/b/c.", takes="SIGN"),
    Parameter("levels", Role.labels, "Columns of true classes in a tree, the highest first; --pred: classes, paths, or "
              "a/b/c for columns.", ("--level",)),
    Parameter("by_cluster", Role.flag, "Also score each true cluster by its partner."),
    Parameter("features", Role.numbers, "Columns of coordinates, or a pattern: 'x*'; default: all other numeric ones.",
              ("--columns", "--features")),
    Parameter("batch", Role.label, "Judge how well the batches in this column mix within each of --labels."),
    Parameter("compat", Role.text, "Internal indices as in 'clusterCrit'.", takes="PROGRAM"),
    Parameter("index_option", Role.names, "Options of indices, as in tree=index.", takes="SET"),
    _with("exact", "Exact ranks, or an error if memory is short."),
    Parameter("bins", Role.count, "Bins for estimating ranks of distances: 65536 (default) to 1048576.",
              takes="NUMBER", panel=RESOURCES),
    Parameter("precision", Role.choice, "Precision of matrix products: float64 (default), or float32 for six digits in "
              "half the time.", takes="TYPE", choices=("float64", "float32"), default="float64", silent=True,
              panel=RESOURCES),
    Parameter("sample_size", Role.count, "Estimate indices that read distances from samples of this many points.",
              takes="POINTS", panel=RESOURCES),
    Parameter("checkpoint", Role.file, "Save a long run here, and resume from it.", panel=RESOURCES),
    Parameter("engine", Role.choice, "memory: read all rows; duckdb: only counts and moments; auto (default): duckdb "
              "for large files; torch: compute in PyTorch.", takes="NAME",
              choices=("auto", "memory", "duckdb", "torch"), default="auto", silent=True, panel=RESOURCES),
    Parameter("device", Role.text, "For torch: 'cpu' (default) or 'cuda'.", panel=RESOURCES),
    _with("key", "Column with the names of the vertices (default: row numbers, from 0), or of the records in --pairs."),
)  # fmt: skip

#: What a command says otherwise.
_OF_COMMANDS: dict[str, dict[str, Parameter]] = {
    "raters": _RATERS,
    "plan": _PLAN,
    "choose-k": _CHOOSE_K,
    "choose": _CHOOSE,
    "cluster-tests": _CLUSTER_TESTS,
    "benchmark": _BENCHMARK,
    "gate": _GATE,
    "report": _REPORT,
    "compare": _COMPARE,
    "evaluate": _EVALUATE,
}


def parameter(name: str, command: str = "") -> Parameter:
    """Return an option, as the command has it."""
    own = _OF_COMMANDS.get(command, {})
    return own[name] if name in own else PARAMETERS[name]


def flags_of(command: str) -> dict[str, str]:
    """Return the usual flag of every option, as the command has it."""
    return {name: own.own_flags[0] for name, own in {**PARAMETERS, **_OF_COMMANDS.get(command, {})}.items()}
