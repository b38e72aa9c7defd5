"""Every option of the command line, once: its name in Python, its flags, what it takes, and its text in the help.

Flags and files of settings are made from this table, and from what commands say otherwise (`command_parameters`). It
imports nothing of the library, so that help appears at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from adjudge.usual_seed import USUAL_SEED

__all__ = [
    "KINDS_COMPARED",
    "KINDS_OF_LABELS",
    "PARAMETERS",
    "RESOURCES",
    "WHAT_MISSING",
    "Parameter",
    "Role",
    "listed",
]

#: The heading of the options that control memory and speed.
RESOURCES = "Memory and speed"


class Role(Enum):
    """What the value of an option stands for, which says how it is read."""

    # Columns of the table.
    label = auto()
    labels = auto()
    numbers = auto()
    weight = auto()
    unit = auto()
    groups = auto()
    probabilities = auto()
    key = auto()
    # What is said about them.
    text = auto()
    names = auto()
    treatment = auto()  # drop, or COL=drop for one column
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
    files = auto()
    folder = auto()


_LISTS = (Role.labels, Role.numbers, Role.groups, Role.probabilities, Role.names, Role.treatment, Role.indices,
          Role.grid, Role.amounts, Role.limits, Role.files)  # fmt: skip
_COLUMNS = (
    Role.label,
    Role.labels,
    Role.numbers,
    Role.weight,
    Role.unit,
    Role.groups,
    Role.probabilities,
    Role.key,
)


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
    Role.files: "FILE",
    Role.folder: "FOLDER",
}
KINDS_OF_LABELS = ("clustering", "classification", "multilabel")
KINDS_COMPARED = (*KINDS_OF_LABELS, "regression")
WHAT_MISSING = "raise is an error, drop leaves them out"


def listed(*given: Parameter) -> dict[str, Parameter]:
    """Return options by their names."""
    return {own.name: own for own in given}


PARAMETERS = listed(
    # Columns.
    Parameter("truth", Role.label, "Column with the true labels."),
    Parameter("labels", Role.label, "The column with the labels to judge."),
    Parameter("features", Role.numbers, "Columns of coordinates, or a pattern: 'x*'; default: all numeric ones.",
              ("--columns", "--features")),
    Parameter("units", Role.unit, "Column of units, such as patients.", panel="Certainty"),
    Parameter("runs", Role.unit, "Column of runs, such as seeds.", panel="Certainty"),
    Parameter("costs", Role.weight, "Column of what a mistake on each row costs."),
    Parameter("judge", Role.label, "A judge's labels, where people left gaps."),
    Parameter("sample_weight", Role.weight, "Column with the weight of each row.", ("--weight",)),
    Parameter("groups", Role.groups, "Also judge groups of rows; columns are crossed.",
              ("--by", "--groups")),
    Parameter("probabilities", Role.probabilities, "Columns of probabilities: a pattern for each model ('a_*' reads "
              "a_CLASS), or one column, of the class that its name ends in (p_CLASS), or of --positive. MODEL=COL if "
              "some have none."),
    Parameter("proba_prefix", Role.names, "The same by prefix: a_ means 'a_*'.", takes="TEXT"),
    Parameter("delimiter", Role.text, "With --kind multilabel or overlapping: the sign between the labels of a cell "
              "(default ;). A pattern names columns of 0 and 1: 'true_*' reads true_LABEL.", takes="SIGN"),
    Parameter("graph", Role.file, "Judge --labels as communities of a graph. A table of its edges: two columns of "
              "vertices, and perhaps one of weights."),
    Parameter("directed", Role.flag, "Edges lead from the first vertex to the second."),
    Parameter("key", Role.key, "Column with the names of the vertices (default: row numbers, from 0).", ("--id",)),
    Parameter("pairs", Role.file, "Judge the clusters that linked pairs form. A table of the pairs: two columns of "
              "records (--id names theirs in the first file), and perhaps one of scores."),
    Parameter("threshold", Role.number, "Pairs with at least this score are linked.", takes="SCORE"),
    Parameter("values", Role.numbers, "Columns of numbers, judged without a truth."),
    # What is judged, and by what.
    Parameter("better", Role.choice, "The better end of --values: higher or lower.", takes="WHICH",
              choices=("higher", "lower")),
    Parameter("kind", Role.choice, "clustering, classification, or multilabel (rows have several labels or none). "
              "Default: classification, if the models' labels are those of the truth.", takes="KIND",
              choices=KINDS_OF_LABELS),
    Parameter("indices", Role.indices, "Indices, by name or abbreviation, or 'all'."),
    Parameter("classes", Role.names, "All classes in order (default: sorted)."),
    Parameter("confidence", Role.level, "Level of the intervals, such as 0.95."),
    Parameter("positive", Role.text, "Positive class (default: 1, True, the second)."),
    Parameter("groups_correction", Role.choice, "For groups: holm (default) or fdr.", takes="NAME",
              choices=("holm", "fdr"), default="holm", silent=True, panel="Certainty"),
    Parameter("adjust", Role.flag, "Correct scores of clusterings for chance."),
    Parameter("primary", Role.text, "The one score that decides, chosen beforehand: it is tested alone, and named "
              "first."),
    Parameter("random_state", Role.count, "Seed for reproducible results.", ("--seed",), default=USUAL_SEED, least=0),
    Parameter("sample_size", Role.count, "Estimate the criteria from this many of the points.", shows="5000",
              least=10),
    Parameter("stability", Role.count, "Measure the stability with this many resamples.", default=0, least=0),
    Parameter("work", Role.folder, "Keep finished fits here, and go on with them."),
    Parameter("metric", Role.text, "Distance of points as SciPy names it, or gower", default="euclidean"),
    Parameter("estimator", Role.estimator, "Fit this clusterer instead: hdbscan, kmeans ..., or module:Class."),
    Parameter("grid", Role.grid, "Settings to try, such as eps=0.3,0.5. Repeat it for several parameters."),
    # Rows, and how files are read.
    Parameter("missing", Role.choice, f"Rows with a missing label: {WHAT_MISSING}", choices=("raise", "drop"),
              default="raise"),
    Parameter("noise", Role.choice, "Noise counts as one cluster (cluster) or as one each (singletons), or is left out "
              "(drop)", choices=("cluster", "singletons", "drop"), shows="cluster"),
    Parameter("weights", Role.choice, "frequency: a row is that many instances; importance: sampling weights.",
              choices=("frequency", "importance")),
    Parameter("noise_label", Role.text, "The label of noise (default -1).", takes="LABEL"),
    Parameter("standardize", Role.choice, "Scale coordinates: standard (to mean 0, deviation 1), robust (by "
              "quartiles), log (logarithms first).", takes="[HOW]", choices=("standard", "robust", "log")),
    Parameter("decimal", Role.text, "The decimal sign in text files: . (default) or a comma.", takes="SIGN"),
    Parameter("sheet", Role.text, "The sheet of a workbook."),
    Parameter("encoding", Role.text, "Of text (default utf-8)."),
    # Memory and speed.
    Parameter("engine", Role.choice, "memory: read all rows; duckdb: only counts; auto (default): duckdb for large "
              "files.", takes="NAME", choices=("auto", "memory", "duckdb"), default="auto", silent=True),
    Parameter("exact", Role.flag, "Ranks of distances exactly, or an error.", panel=RESOURCES),
    Parameter("memory_limit", Role.size, "Memory for ranks of distances (default 1GiB).",
              panel=RESOURCES),
    Parameter("n_jobs", Role.count, "Also plan the time on N workers.", least=1),
    # Where results go.
    Parameter("output_format", Role.choice, "table, json, csv, markdown or latex; default: by the ending of --output, "
              "else table.", ("--format", "-f"), "NAME", ("table", "json", "csv", "markdown", "latex")),
    Parameter("output", Role.files, "Write to this file; may be repeated.", ("--output", "-o")),
    Parameter("debug", Role.flag, "Show the traceback of an error."),
    Parameter("report", Role.file, "Also write a page for a browser (.html)."),
    Parameter("save", Role.file, "Save the result with its rows (.adjudge), for adjudge.load and the --against of "
              "gate and report."),
    Parameter("plot", Role.file, "Draw the criteria and their votes: .png, .svg or .pdf."),
)  # fmt: skip
