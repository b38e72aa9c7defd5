"""How long `choose_k` takes, compared with R's NbClust; writes docs/benchmarks/choose_k.md.

NbClust's times (3.0.1 on R 4.2.2, index = "all", p = 10) were measured once on a similar machine: they are constants
here, because R is not available everywhere.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans

import adjudge
from adjudge.choosing.estimators import KMeans
from adjudge.engines.labellings import reduce_labellings
from adjudge.engines.points import reduce_coded_points
from adjudge.indices.catalog import list_indices
from harness import Ratios, fresh_process, markdown, show_seconds, timed, write_page

NBCLUST = {500: 3.0, 1000: 12.6}
KS = range(2, 11)


def blobs(n: int, p: int = 10, spread: float = 3.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.uniform(-10, 10, size=(5, p))
    return centres[rng.integers(5, size=n)] + rng.normal(scale=spread, size=(n, p))


def whole_calls() -> str:
    rows, ratios = [], Ratios()
    for n in (500, 1_000, 5_000, 20_000):
        X = blobs(n)
        timing = timed(lambda X=X: adjudge.choose_k(X, k=KS, indices="all", random_state=0), budget=6.0)
        theirs = NBCLUST.get(n)
        rows.append(
            [
                f"{n:,}",
                show_seconds(timing.smallest),
                show_seconds(theirs) if theirs else "",
                ratios.add(f"{n:,} points", "NbClust", theirs / timing.smallest) if theirs else "",
            ]
        )
    about = "Smallest of several runs. k-means with ten starts for each K, all criteria that need no further fits."
    table = markdown(["N (p = 10)", "choose_k", 'NbClust "all"', "times as fast"], rows)
    return f"{ratios}\n\n{about}\n\n{table}"


def sweeps() -> str:
    wanted = {t for record in list_indices("internal") for t in record.requires}
    rows = []
    for n, spread in ((1_000, 3.0), (1_000, 100.0), (4_000, 3.0), (20_000, 3.0)):
        X = blobs(n, spread=spread)
        fits = KMeans(3).fit(X, KS, np.random.SeedSequence(0))
        codes = {k: fit.codes for k, fit in fits.items()}
        alone = timed(lambda X=X, codes=codes: reduce_coded_points(X, codes[6], wanted), budget=2.0)
        together = timed(lambda X=X, codes=codes: reduce_labellings(X, codes, wanted), budget=6.0)
        rows.append(
            [
                f"{n:,}",
                "clusters" if spread < 10 else "none",
                show_seconds(alone.smallest),
                show_seconds(together.smallest),
                f"{together.smallest / alone.smallest:.1f}",
            ]
        )
    return markdown(["N (p = 10)", "structure", "one partition", "K = 2 ... 10", "ratio"], rows)


def many_points() -> str:
    rows = []
    for n in (50_000, 200_000, 1_000_000):
        X, fits = blobs(n), []
        labels = {}
        for k in KS:
            start = time.perf_counter()
            labels[f"k={k}"] = MiniBatchKMeans(k, n_init=3, random_state=0).fit_predict(X)
            fits.append(time.perf_counter() - start)
        start = time.perf_counter()
        # Criteria read the numbers next to those asked for, so that as many are fitted.
        adjudge.choose_k(X, MiniBatchKMeans(n_init=3, random_state=0), k=KS[1:-1])
        whole = time.perf_counter() - start
        start = time.perf_counter()
        adjudge.choose(X, labels)
        judged = time.perf_counter() - start
        adds = show_seconds(max(whole - sum(fits), 0.0))
        rows.append([f"{n:,}", show_seconds(sum(fits)), adds, show_seconds(judged)])
    return markdown(
        ["N (p = 10)", "nine fits of MiniBatchKMeans", "choose_k adds", "choose of the nine"], rows
    )


def extras() -> str:
    X = blobs(1_000)
    options = {
        "all criteria": {"indices": "all"},
        "and the gap statistic, B = 100": {"indices": ["all", "gap"]},
        "and resamples, 50 of them": {"indices": "all", "n_resamples": 50},
        "and stability, 50 samples of each of four kinds": {"indices": "all", "stability": 50},
    }
    rows = [
        [
            what,
            show_seconds(
                timed(lambda o=o: adjudge.choose_k(X, k=KS, random_state=0, **o), budget=4.0).smallest
            ),
        ]
        for what, o in options.items()
    ]
    return markdown(["choose_k, N = 1,000, p = 10", "time"], rows)


def first_call() -> str:
    code = (
        "import time, json; import numpy as np; X = np.random.default_rng(0).normal(size=(200, 2));"
        "start = time.perf_counter(); import adjudge; adjudge.choose_k(X, indices='all', random_state=0);"
        "print(json.dumps({'s': time.perf_counter() - start}))"
    )
    first = min(fresh_process(code)["s"] for _ in range(3))
    return f"First call in a new process, imports included: {show_seconds(first)}."


def main() -> None:
    body = "\n\n".join(
        [
            whole_calls(),
            "## Many points",
            "Beyond 5,000 points, criteria read a sample, which a note says; `sample_size` sets it. Both run once.",
            many_points(),
            "## Several partitions at once",
            "All internal criteria, from points to statistics. Ranks are exact up to 5 million distances.",
            sweeps(),
            "## What more costs",
            extras(),
            first_call(),
        ]
    )
    write_page("choose_k", "Choosing the number of clusters", body)


if __name__ == "__main__":
    main()
