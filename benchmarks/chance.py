"""Speed of the correction for chance and of confidence intervals. Writes docs/benchmarks/chance.md.

python benchmarks/chance.py [--quick]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import random_table
from sklearn.metrics.cluster import expected_mutual_information as sklearn_emi

from adjudge.inference.chance.correction import null_distributions
from adjudge.inference.chance.null_tables import RandomTables
from adjudge.inference.confidence import confidence_interval
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import expected_mutual_information
from harness import Ratios, installed, markdown, show_seconds, timed, write_page

TABLES = 17_000
NINE = [
    "rand",
    "russell_rao",
    "gower_legendre",
    "jaccard",
    "czekanowski",
    "goodman_kruskal",
    "sokal_sneath3",
    "sokal_sneath1",
    "fowlkes_mallows",
]
R_SCRIPT = """
a <- commandArgs(TRUE)
rows <- scan(a[1], quiet = TRUE); cols <- scan(a[2], quiet = TRUE); m <- as.integer(a[3])
cat(min(sapply(1:3, function(i) system.time(r2dtable(m, rows, cols))["elapsed"])))
"""


def margins(k: int, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    rows, cols = (np.bincount(generator.integers(0, k, n), minlength=k) for _ in range(2))
    return rows[rows > 0], cols[cols > 0]


def table_with(rows: np.ndarray, cols: np.ndarray) -> Contingency:
    generator = np.random.default_rng(1)
    x, y = (np.repeat(np.arange(sizes.size), sizes) for sizes in (rows, cols))
    return Contingency.from_labels(x, generator.permutation(y))


def in_r(rows: np.ndarray, cols: np.ndarray, n_tables: int) -> float | None:
    """Return the seconds that R takes, or None if it is not installed."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("rows", "cols")]
        for path, sums in zip(paths, (rows, cols), strict=True):
            path.write_text(" ".join(map(str, sums.tolist())))
        command = ["Rscript", "-e", R_SCRIPT, *map(str, paths), str(n_tables)]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def random_tables(quick: bool, ratios: Ratios) -> Iterator[list[str]]:
    for k, n in ((3, 800), (10, 10_000), (50, 1_000_000)):
        rows, cols = margins(k, n)
        table = table_with(rows, cols)
        # SciPy and R hold all tables in memory; 50 x 50 is timed with fewer tables.
        peers = TABLES // (50 if quick else 10) if k == 50 else TABLES
        ours = timed(lambda table=table: RandomTables(table, 0).pair_sums(TABLES))
        scipy = timed(
            lambda rows=rows, cols=cols, m=peers: random_table.rvs(rows, cols, size=m, random_state=0)
        )
        scaled = scipy.smallest * TABLES / peers
        r = in_r(rows, cols, peers)
        best = min(scaled, r * TABLES / peers) if r else scaled
        yield [
            f"{TABLES} tables {k} x {k}, n = {n}",
            show_seconds(ours.smallest),
            show_seconds(scaled),
            show_seconds(r * TABLES / peers) if r else "not installed",
            ratios.add(f"{k} x {k} tables", "R or SciPy", best / ours.smallest),
        ]


def expectations(quick: bool, ratios: Ratios) -> Iterator[list[str]]:
    for k, n in ((1000, 1_000_000), (20_000, 100_000)):
        rows, cols = margins(k, n)
        ours = timed(lambda rows=rows, cols=cols, n=n: expected_mutual_information(rows, cols, n))
        # scikit-learn reads only the margins of its table, and takes most of a minute.
        sparse = table_with(rows, cols).to_sparse()
        theirs = None if quick else timed(lambda sparse=sparse, n=n: sklearn_emi(sparse, n), budget=1, most=1)
        yield [
            f"{rows.size} x {cols.size} clusters, n = {n}",
            show_seconds(ours.smallest),
            show_seconds(theirs.smallest) if theirs else "-",
            ratios.add("expected information", "scikit-learn", theirs.smallest / ours.smallest)
            if theirs
            else "-",
        ]


def corrections() -> Iterator[list[str]]:
    for k, n in ((3, 800), (10, 10_000)):
        table = table_with(*margins(k, n))
        found = timed(lambda table=table: null_distributions(NINE, table, random_state=0))
        yield [f"nine corrected indices, {k} x {k}, n = {n}, {TABLES} tables", str(found)]


def intervals() -> Iterator[list[str]]:
    generator = np.random.default_rng(0)
    for k in (3, 10):
        law = np.full((k, k), 0.3 / k**2) + np.eye(k) * 0.7 / k
        table = Contingency.from_matrix(generator.multinomial(10**7, law.ravel()).reshape(k, k))
        for method in ("score", "percentile", "bca"):
            found = timed(
                lambda table=table, method=method: confidence_interval(
                    "adjusted_rand", table, method=method, n_resamples=2000, random_state=0
                )
            )
            yield [f"interval of ARI, {k} x {k}, N = 10^7, {method}", str(found)]


def main() -> None:
    quick = "--quick" in sys.argv
    ours, ratios = "adjudge", Ratios()
    parts = [
        "## Random tables with fixed margins\n",
        markdown(
            ["tables", ours, "scipy.stats.random_table", "R r2dtable", "ratio"],
            list(random_tables(quick, ratios)),
        ),
        "\nThe smallest of several runs, all cores; adjudge reduces each table to its number of joined pairs.",
        "\n## Expected mutual information\n",
        markdown(["case", ours, "scikit-learn", "ratio"], list(expectations(quick, ratios))),
        f"\nscikit-learn {installed('scikit-learn')}.",
        "\n## Corrected indices and intervals\n",
        markdown(["case", "time"], [*corrections(), *intervals()]),
        "\nPercentile and BCa intervals use 2000 resamples of the table's cells.",
    ]
    write_page("chance", "Correction for chance and intervals", "\n".join([f"{ratios}\n", *parts]))


if __name__ == "__main__":
    main()
