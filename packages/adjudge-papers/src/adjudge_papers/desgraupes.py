"""Desgraupes, the vignette of clusterCrit: its worked example and its benchmark."""

from __future__ import annotations

import csv
import io
import math
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import AdjudgeError, InputError, Option
from adjudge.indices.catalog import find_index
from adjudge.indices.compat import as_clustercrit
from adjudge.indices.record import Index
from adjudge.presentation.tables import Table
from adjudge.statistics.pair_counts import PairCounts
from adjudge_papers.facts import load_facts
from adjudge_papers.reproduction import Reproduction
from adjudge_papers.verdicts import NOT_REPRODUCIBLE, Cell, Finding, judge

__all__ = ["reproduce", "time_clustercrit"]

N_EXTERNAL = 150  # number of items in the vignette's two random partitions
RELATIVE = 1e-9  # relative difference up to which our value and clusterCrit's count as equal
SINGLE = 1e-6  # the same where clusterCrit computes in single precision

# Times each internal index, then all of them together, on the points and labels it is given.
R_PROGRAM = """
suppressMessages(library(clusterCrit))
data <- as.matrix(read.csv(file("stdin"), header = FALSE))
x <- data[, -ncol(data)]
part <- as.integer(data[, ncol(data)])
repetitions <- {repetitions}
timed <- function(criteria) system.time(for (i in seq_len(repetitions)) intCriteria(x, part, criteria))[["elapsed"]]
for (name in c(getCriteriaNames(TRUE), "all")) cat(name, timed(name), sep = ",", fill = TRUE)
"""


def reproduce(repetitions: int = 100, random_state: int = 0) -> Reproduction:
    """Check the printed values, compare our values with recorded ones of clusterCrit, and time the indices.

    Parameters
    ----------
    repetitions : int, default 100
        How often each index is computed.
    random_state : int, default 0
        Seed of the benchmark's 400 points.
    """
    if repetitions < 1:
        raise InputError(Option("repetitions", repetitions), ": give at least 1")
    facts = load_facts("desgraupes")
    points, labels = benchmark_data(random_state)
    names = list(facts["draw"]["clusterCrit"])
    in_r = time_clustercrit(points, labels, repetitions)
    ours = _time_ours(names, points, labels, repetitions)
    rows = tuple((name, seconds, in_r.get(name)) for name, seconds in ours.items())
    recorded = _recorded_draw(facts["draw"])
    differing = [row[0] for row in recorded.rows if row[-1] == "differs"]
    printed_seconds = facts["printed"]["all_at_once_seconds"]
    missing = "" if in_r else " R's package clusterCrit is not installed here, so its times are missing."
    return Reproduction(
        name="desgraupes",
        title="The clusterCrit vignette: worked example and benchmark",
        source=facts["source"],
        cells=(*_internal_cells(facts), *_external_cells(facts["printed"]["external"])),
        findings=(
            Finding(
                "On data drawn by the vignette's recipe, our values in clusterCrit's conventions equal those of "
                "clusterCrit 1.3.0",
                not differing,
                f"{len(recorded.rows) - len(differing)} of {len(recorded.rows)} agree; the others are "
                f"{', '.join(differing) or 'none'}: clusterCrit counts concordant pairs in 8 bits, and overflows",
            ),
        ),
        tables={
            "recorded_draw": recorded,
            "benchmark": Table(
                ("index", f"adjudge, s for {repetitions}", f"clusterCrit in R, s for {repetitions}"),
                rows,
                f"Time of {repetitions} repetitions: 400 points, four groups",
            ),
        },
        notes=(
            f"The vignette prints {printed_seconds} s for 100 repetitions of all indices at once, on an "
            f"unnamed machine; here {repetitions} repetitions of the same 42 take {ours['all']:.3f} s.{missing}",
            "The vignette shows its times index by index in an image, and we have only its text.",
        ),
        settings={"repetitions": repetitions, "random_state": random_state, "points": 400, "groups": 4},
    )


def benchmark_data(random_state: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw 400 points in four groups by the recipe of the vignette's example."""
    rng = np.random.default_rng(random_state)
    labels = np.repeat(np.arange(1, 5), 100)
    return rng.normal(labels[:, None] - 1.0, 0.5, (400, 2)), labels


def time_clustercrit(
    points: NDArray[np.float64], labels: NDArray[np.int64], repetitions: int
) -> dict[str, float]:
    """Time R's clusterCrit, in seconds, for each index and for all; return nothing if it is not installed."""
    program = shutil.which("Rscript")
    if program is None:
        return {}
    given = io.StringIO()
    csv.writer(given).writerows(
        [*map(repr, row), int(label)] for row, label in zip(points.tolist(), labels, strict=True)
    )
    run = subprocess.run(
        [program, "-e", R_PROGRAM.format(repetitions=repetitions)],
        input=given.getvalue(),
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0:
        if "clusterCrit" in run.stderr:  # R without the package
            return {}
        lines = run.stderr.strip().splitlines() or ["no message"]
        raise AdjudgeError(f"Rscript failed: {lines[-1]}")
    return {name.strip().lower(): float(seconds) for name, seconds in csv.reader(io.StringIO(run.stdout))}


def _record(name: str) -> Index:
    # Unless a cluster has only one point, clusterCrit's silhouette is the mean of the clusters' means.
    return find_index("silhouette_macro" if name == "silhouette" else name)


def _time_ours(
    names: list[str], points: NDArray[np.float64], labels: NDArray[np.int64], repetitions: int
) -> dict[str, float]:
    from adjudge.verbs.evaluate import evaluate

    records = {name: _record(name) for name in names}

    def everything() -> Any:
        return evaluate(X=points, labels=labels, indices=list(records.values()))

    calls: dict[str, Callable[[], Any]] = {
        name: partial(record, points, labels) for name, record in records.items()
    }
    return {name: _seconds(call, repetitions) for name, call in (*calls.items(), ("all", everything))}


def _seconds(call: Callable[[], Any], repetitions: int) -> float:
    call()  # warm up, so that compilation is not timed
    started = time.perf_counter()
    for _ in range(repetitions):
        call()
    return time.perf_counter() - started


def _recorded_draw(draw: Mapping[str, Any]) -> Table:
    points, labels = np.array(draw["points"]), np.array(draw["labels"])
    rows = []
    for name, theirs in draw["clusterCrit"].items():
        record = _record(name)
        ours, same_convention = record(points, labels), as_clustercrit(record)(points, labels)
        rows.append((name, theirs, same_convention, ours, _agreement(theirs, same_convention)))
    columns = ("index", "clusterCrit 1.3.0", "adjudge, clusterCrit's conventions", "adjudge", "verdict")
    return Table(columns, tuple(rows), "150 points, three clusters, by the vignette's recipe")


def _agreement(theirs: float, ours: float) -> str:
    if math.isclose(ours, theirs, rel_tol=RELATIVE):
        return "equal"
    return "equal in single precision" if math.isclose(ours, theirs, rel_tol=SINGLE) else "differs"


def _internal_cells(facts: Mapping[str, Any]) -> list[Cell]:
    points, labels = np.array(facts["draw"]["points"]), np.array(facts["draw"]["labels"])
    note = (
        "the vignette draws its points without a seed and does not print them; ours is from the recorded draw"
    )
    return [
        Cell("Internal indices", "example", name, text, _record(name)(points, labels), NOT_REPRODUCIBLE, note)
        for name, text in facts["printed"]["internal"].items()
    ]


def _external_cells(printed: Mapping[str, str]) -> list[Cell]:
    """Put the printed external indices beside those from the only pair counts that fit."""
    counts = pair_counts_behind(printed)
    note = (
        f"the partitions are not printed; the three values fit whole numbers of pairs: yy = {counts.yy}, "
        f"yn = {counts.yn}, ny = {counts.ny}, nn = {counts.nn}"
    )
    cells = []
    for name, text in printed.items():
        ours = find_index(name).of(counts)
        cells.append(Cell("External indices", "example", name, text, ours, judge(text, ours, 7), note))
    return cells


def pair_counts_behind(printed: Mapping[str, str]) -> PairCounts:
    """Solve for the pair counts that give the printed Rand, Jaccard and Fowlkes-Mallows indices.

    The indices are symmetric in the two discordant counts, so these are told apart by assuming that the partition into
    three groups joins more pairs than the one into five.
    """
    pairs = N_EXTERNAL * (N_EXTERNAL - 1) // 2
    discordant = pairs - round(float(printed["rand"]) * pairs)
    jaccard = float(printed["jaccard"])
    yy = round(jaccard * discordant / (1 - jaccard))
    # FM^2 = yy^2 / ((yy + yn) (yy + ny)), where yn + ny is known.
    product = (yy / float(printed["folkes_mallows"])) ** 2
    half = yy + discordant / 2
    apart = math.sqrt(half * half - product)
    larger = round(half + apart) - yy
    return PairCounts(yy=yy, yn=larger, ny=discordant - larger, nn=pairs - yy - discordant)
