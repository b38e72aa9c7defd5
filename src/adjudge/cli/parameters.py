"""Every option of the command line, once: its name in Python, its flags, what it takes, and its text in the help.

Flags and files of settings are made from this table. It imports nothing of the library, so that help appears at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from adjudge.usual_seed import USUAL_SEED

__all__ = ["RESOURCES", "Parameter", "Role", "flags_of", "parameter"]

#: The heading of the options that control memory and speed.
RESOURCES = "Memory and speed"


class Role(Enum):
    """What the value of an option stands for, which says how it is read."""

    # Columns of the table.
    label = auto()
    labels = auto()
    numbers = auto()
    unit = auto()
    groups = auto()
    probabilities = auto()
    key = auto()
    # What is said about them.
    text = auto()
    names = auto()
    indices = auto()  # of which one may be of a class: recall[a,b]
    count = auto()
    number = auto()
    level = auto()
    size = auto()
    flag = auto()
    choice = auto()
    range = auto()  # 2:10, or 2,3,5
    grid = auto()  # NAME=VALUES
    amounts = auto()  # 0.01, 2%, or NAME=VALUE
    limits = auto()  # 5, 0.02, or NAME=VALUE
    value = auto()  # a whole number, or text
    estimator = auto()  # of scikit-learn, or module:Class
    clusterer = auto()  # also those of choose-k
    # Files.
    file = auto()
    folder = auto()


_LISTS = (Role.labels, Role.numbers, Role.groups, Role.probabilities, Role.names, Role.indices, Role.grid,
          Role.amounts, Role.limits)  # fmt: skip
_COLUMNS = (Role.label, Role.labels, Role.numbers, Role.unit, Role.groups, Role.probabilities, Role.key)


@dataclass(frozen=True)
class Parameter:
    """An option.

    Attributes
    ----------
    name : str
        The parameter of the verb.
    role : Role
    help : str
    flags : tuple of str
        If they are not made from the name.
    takes : str
        What the help shows for a value, if the role does not say it.
    choices : tuple of str
    default : object
        Shown in the help, unless it is None, False, or `silent`.
    shows : str
        What the help shows in place of the default.
    silent : bool
    least : int or None
        The smallest number.
    panel : str
        A heading of its own, whatever the options around it.
    is_needed : bool
    """

    name: str
    role: Role
    help: str
    flags: tuple[str, ...] = ()
    takes: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None
    shows: str = ""
    silent: bool = False
    least: int | None = None
    panel: str = ""
    is_needed: bool = False

    @property
    def is_list(self) -> bool:
        """Whether it may be repeated, and holds a list."""
        return self.role in _LISTS

    @property
    def setting(self) -> str:
        """Its name in files of settings: that of the flag."""
        return self.own_flags[0].removeprefix("--").replace("-", "_")

    @property
    def metavar(self) -> str:
        """What the help shows for a value."""
        return self.takes or ("COL" if self.role in _COLUMNS else _TAKES.get(self.role, "NAME"))

    @property
    def own_flags(self) -> tuple[str, ...]:
        """Its flags, the usual one first."""
        return self.flags or (f"--{self.name.replace('_', '-')}",)


_TAKES = {
    Role.count: "N",
    Role.level: "LEVEL",
    Role.size: "SIZE",
    Role.choice: "WHAT",
    Role.range: "K",
    Role.grid: "NAME=VALUES",
    Role.amounts: "VALUE",
    Role.limits: "N",
    Role.number: "NUMBER",
    Role.value: "LABEL",
    Role.file: "FILE",
    Role.folder: "FOLDER",
}
_KINDS = ("clustering", "classification", "multilabel")
_ROWS = "raise is an error, drop leaves them out"


def _listed(*given: Parameter) -> dict[str, Parameter]:
    return {own.name: own for own in given}


_PARAMETERS = _listed(
    # Columns.
    Parameter("truth", Role.label, "Column with the true labels."),
    Parameter("labels", Role.label, "The column with the labels to judge."),
    Parameter("features", Role.numbers, "Columns of coordinates, or a pattern: 'x*'; default: all numeric ones.",
              ("--columns", "--features")),
    Parameter("units", Role.unit, "Column of units, such as patients.", panel="Certainty"),
    # What is judged, and by what.
    Parameter("kind", Role.choice, "clustering, classification, or multilabel (rows have several labels or none). "
              "Default: classification, if the models' labels are those of the truth.", takes="KIND", choices=_KINDS),
    Parameter("indices", Role.names, "Indices, by name or abbreviation, or 'all'."),
    Parameter("classes", Role.names, "All classes in order (default: sorted)."),
    Parameter("confidence", Role.level, "Level of the intervals, such as 0.95."),
    Parameter("primary", Role.text, "The one score that decides, chosen beforehand: it is tested alone, and named "
              "first."),
    Parameter("random_state", Role.count, "Seed for reproducible results.", ("--seed",), default=USUAL_SEED, least=0),
    Parameter("sample_size", Role.count, "Estimate the criteria from this many of the points.", shows="5000",
              least=10),
    Parameter("stability", Role.count, "Measure the stability with this many resamples.", default=0, least=0),
    Parameter("work", Role.folder, "Keep finished fits here, and go on with them."),
    Parameter("metric", Role.text, "Distance of points.", default="euclidean"),
    Parameter("estimator", Role.estimator, "Fit this clusterer instead: hdbscan, kmeans ..., or module:Class."),
    Parameter("grid", Role.grid, "Settings to try, such as eps=0.3,0.5. Repeat it for several parameters."),
    # Rows, and how files are read.
    Parameter("missing", Role.choice, f"Rows with a missing label: {_ROWS}", choices=("raise", "drop"),
              default="raise"),
    Parameter("noise_label", Role.text, "The label of noise (default -1).", takes="LABEL"),
    Parameter("standardize", Role.choice, "Scale coordinates: standard (to mean 0, deviation 1), robust (by "
              "quartiles), log (logarithms first).", takes="[HOW]", choices=("standard", "robust", "log")),
    Parameter("decimal", Role.text, "The decimal sign in text files: . (default) or a comma.", takes="SIGN"),
    Parameter("sheet", Role.text, "The sheet of a workbook."),
    Parameter("encoding", Role.text, "Of text (default utf-8)."),
    # Memory and speed.
    Parameter("exact", Role.flag, "Count ranks of distances exactly.", panel=RESOURCES),
    Parameter("memory_limit", Role.size, "Memory for ranks of distances, such as 500MB (default 1GiB).",
              panel=RESOURCES),
    Parameter("n_jobs", Role.count, "Also plan the time on N workers.", least=1),
    # Where results go.
    Parameter("output_format", Role.choice, "table, json, csv, markdown or latex; default: by the ending of --output, "
              "else table.", ("--format", "-f"), "NAME", ("table", "json", "csv", "markdown", "latex")),
    Parameter("output", Role.file, "Write to this file.", ("--output", "-o")),
    Parameter("debug", Role.flag, "Show the traceback of an error."),
    Parameter("report", Role.file, "Also write a page for a browser (.html)."),
    Parameter("save", Role.file, "Save the result with its rows (.adjudge), for adjudge.load and the --against of "
              "gate and report."),
    Parameter("plot", Role.file, "Draw the criteria and their votes: .png, .svg or .pdf."),
)  # fmt: skip


def _with(name: str, text: str) -> Parameter:
    return replace(_PARAMETERS[name], help=text)


_RATERS = _listed(
    Parameter("pred", Role.labels, "Columns of ratings, one a rater, or a pattern: 'r_*'; default: all.",
              ("--raters",)),
    replace(_PARAMETERS["classes"], flags=("--classes", "--categories"),
            help="All categories in order; default: those that occur, sorted."),
)  # fmt: skip
_PLAN = _listed(
    replace(_PARAMETERS["labels"], is_needed=True),
    Parameter(
        "candidates", Role.count, "Plan 'adjudge choose' among N such clusterings.", takes="N", least=1
    ),
    _with("stability", "Resamples to which each candidate is refitted."),
    replace(_PARAMETERS["estimator"], help="Time fits of this clusterer of 'adjudge choose' or 'choose-k'."),
    _with("metric", "Distance of points: euclidean, cosine ..."),
)

_CHOOSE_K = _listed(
    Parameter("k", Role.range, "Numbers of clusters to compare: 2:10, or 2,3,5.", ("--k", "-k"),
              shows="2:10, or fewer of few points"),
    Parameter("estimator", Role.names, "kmeans (default), gaussian_mixture, ward, average, complete, single; or "
              "several."),
    _with("indices", "Criteria, by name or abbreviation, or 'all'; 'default,gap' adds the gap."),
    Parameter("n_resamples", Role.count, "Repeat the recommendation on this many bootstrap samples.", default=0,
              least=0),
    _with("work", "Keep finished work here, and go on with it."),
    _with("missing", f"Points with a gap: {_ROWS}"),
    _with("report", "Write a page with the clusters: .html."),
)  # fmt: skip
_CHOOSE = _listed(
    Parameter("candidates", Role.labels, "Columns with the candidates' labels, or a pattern: 'res_*'.", ("--labels",)),
    Parameter("graph", Role.file, "Judge --labels as communities of a graph. A table of its edges: two columns of "
              "vertices, and perhaps one of weights."),
    Parameter("directed", Role.flag, "Edges lead from the first vertex to the second."),
    Parameter("id", Role.key, "Column with the names of the vertices (default: row numbers, from 0)."),
    Parameter("by", Role.text, "What ranks candidates: a criterion, mean_rank or consensus (default; with a graph: "
              "modularity)."),
    _with("indices", "Criteria, by name or abbreviation, or 'all'; default some seven."),
    Parameter("noise", Role.choice, "Noise: drop leaves it out, singletons counts it as one cluster each, cluster as "
              "one", choices=("cluster", "singletons", "drop"), default="drop"),
    _with("stability", "Refit each candidate to this many resamples."),
    _with("plot", "Draw the front of coverage and quality: .png, .svg or .pdf."),
)  # fmt: skip

_CLUSTER_TESTS = _listed(
    Parameter("estimator", Role.text, "A scikit-learn clusterer: kmeans, hdbscan, agglomerative ...",
              shows="kmeans with 2 to 8 clusters"),
    _with("missing", f"Points with a gap: {_ROWS}"),
    Parameter("index", Role.text, "The criterion by which clusterings are compared.", default="silhouette"),
    Parameter("thorough", Role.flag, "Look at all points, beside 99 data sets of each kind without clusters."),
    Parameter("n_samples", Role.count, "Data sets without clusters that candidates are fitted to",
              shows="19; 99 with --thorough", least=1),
    Parameter("linkage", Role.choice, "Also test the splits of this tree: ward, average, complete or single.",
              takes="NAME", choices=("ward", "average", "complete", "single")),
    Parameter("differences", Role.flag, "Also test whether means of neighbouring clusters differ."),
)  # fmt: skip

_BENCHMARK = _listed(
    Parameter("dataset", Role.label, "Column with the names of the data sets."),
    _with("truth", "Column with the true labels: each row is an instance."),
    Parameter("models", Role.labels, "Columns of the models (labels, or scores); default: all others."),
    Parameter("model", Role.label, "In a long table: column with the models' names."),
    Parameter("fold", Role.label, "In a long table: column with the folds."),
    Parameter("score", Role.text, "Index that scores labels (default: adjusted_rand of clusterings, accuracy of "
              "classifiers), or the long table's column with the scores."),
    _with("kind", "Labels are of clustering, classification or multilabel (default: as the score or the labels tell)."),
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

_GATE = _listed(
    Parameter("old", Role.label, "Column with the old model's labels."),
    Parameter("new", Role.label, "Column with the new model's labels."),
    Parameter("against", Role.file, "The old model's table; FILE is then the new one's, and --key joins them. Or a "
              "result that was saved with its instances (.adjudge)."),
    Parameter("key", Role.key, "With --against: column that names each row."),
    Parameter("prediction", Role.label, "With --against: column with the labels, in both tables."),
    Parameter("probabilities", Role.probabilities, "Columns of probabilities: a pattern such as 'v1_*' or a column for "
              "each model, the old one first, or MODEL=COL of one of them; with --against one for both."),
    Parameter("positive", Role.text, "The positive class of two."),
    _with("kind", "classification (default), clustering, or multilabel (cells are lists)."),
    Parameter("groups", Role.groups, "Also check each group of rows.", ("--by", "--groups")),
    Parameter("margin", Role.amounts, "How much worse is good enough (default 0.01): 0.02, 2%, or by index: "
              "accuracy=0.01,f1=2%."),
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
    replace(_PARAMETERS["output_format"], choices=(*_PARAMETERS["output_format"].choices, "junit"),
            help="table, markdown, json, csv, latex or junit; default: by the ending of --output, else table."),
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
}


def parameter(name: str, command: str = "") -> Parameter:
    """Return an option, as the command has it."""
    own = _OF_COMMANDS.get(command, {})
    return own[name] if name in own else _PARAMETERS[name]


def flags_of(command: str) -> dict[str, str]:
    """Return the usual flag of every option, as the command has it."""
    return {name: own.own_flags[0] for name, own in {**_PARAMETERS, **_OF_COMMANDS.get(command, {})}.items()}
