"""Silhouettes and Dunn's index of embeddings: adjudge, scikit-learn, hand-written BLAS and PyTorch, a matrix product.

A further table compares adjudge with scikit-learn on points on a sphere (haversine) and sparse rows (cosine and
correlation).

``python benchmarks/embeddings.py`` takes some minutes and writes docs/benchmarks/embeddings.md and its picture;
``--points 500`` takes fewer points and writes nothing; ``--before FOLDER`` also measures another version of adjudge,
whose package is in that folder. All programs run in turn on one core, and the best of several runs counts, in seconds
of that core, so that other load on the machine matters little.
"""

from __future__ import annotations

import argparse
import inspect
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.metrics import silhouette_samples
from threadpoolctl import threadpool_limits

from adjudge.engines.pairs import euclidean_embeddings
from adjudge.engines.points import reduce_points
from adjudge.statistics.pair_distances import Diameters, Hausdorff, PairRanks, Silhouettes, SingleLinkage
from harness import DOCS, Ratios, fresh_process, markdown, show_seconds, write_page

POINTS = 3000
CLUSTERS = 10
DIMENSIONS = (64, 128, 768, 1536)
MEASURED_MEMORY = 768
REPEATS = 4
CASES = (("silhouette", "euclidean"), ("silhouette", "cosine"), ("dunn", "euclidean"))
NEEDED = {"silhouette": (Silhouettes,), "dunn": (SingleLinkage, Diameters), "gamma": (PairRanks,)}
# Points per matrix in the measured product, which is scaled to half of all pairs.
PRODUCT = 1024

Widths = np.ndarray[Any, Any]
Call = Callable[[], Any]


def embeddings(n: int, p: int) -> tuple[Widths, Widths]:
    rng = np.random.default_rng(0)
    codes = np.arange(n) % CLUSTERS
    points = rng.normal(size=(CLUSTERS, p))[codes] + rng.normal(size=(n, p))
    return points.astype(np.float32), codes


def ours(X: Widths, codes: Widths, index: str, metric: str, **options: Any) -> Any:
    return reduce_points(X, codes, NEEDED[index], metric=metric, n_jobs=1, **options)


def plain_blas(X: Widths, codes: Widths, metric: str, dtype: type = np.float64) -> Widths:
    """Compute silhouettes as one would write it by hand: one matrix product per block of rows."""
    X = X.astype(dtype)
    if metric == "cosine":
        X = X / np.sqrt((X**2).sum(axis=1, keepdims=True))
    squares = (X**2).sum(axis=1)
    member = np.eye(CLUSTERS, dtype=dtype)[codes]
    sizes = np.bincount(codes)
    widths = np.empty(codes.size)
    for first in range(0, codes.size, 1024):
        rows = slice(first, first + 1024)
        products = X[rows] @ X.T
        if metric == "cosine":
            distances = 1 - products
        else:
            distances = np.sqrt(np.maximum(squares[rows, None] + squares - 2 * products, 0))
        widths[rows] = widths_of(distances @ member, codes[rows], sizes)
    return widths


def plain_torch(X: Widths, codes: Widths, metric: str) -> Widths:
    """Compute the same in PyTorch, in the precision of the points."""
    import torch

    points = torch.from_numpy(X)
    if metric == "cosine":
        points = torch.nn.functional.normalize(points)
    member = torch.nn.functional.one_hot(torch.from_numpy(codes), CLUSTERS).to(points.dtype)
    sizes = np.bincount(codes)
    widths = np.empty(codes.size)
    for first in range(0, codes.size, 1024):
        rows = slice(first, first + 1024)
        cosine = metric == "cosine"
        distances = 1 - points[rows] @ points.T if cosine else torch.cdist(points[rows], points)
        widths[rows] = widths_of((distances @ member).numpy(), codes[rows], sizes)
    return widths


def widths_of(sums: Widths, own: Widths, sizes: Widths) -> Widths:
    line = np.arange(sums.shape[0])
    a = sums[line, own] / (sizes[own] - 1)
    means = sums / sizes
    means[line, own] = np.inf
    b = means.min(axis=1)
    return np.asarray((b - a) / np.maximum(a, b))


def has_torch() -> bool:
    try:
        import torch
    except ModuleNotFoundError:
        return False
    torch.set_num_threads(1)
    return True


def programs_for(X: Widths, codes: Widths, index: str, metric: str) -> dict[str, Call]:
    programs: dict[str, Call] = {
        "adjudge": partial(ours, X, codes, index, metric),
        "adjudge float32": partial(ours, X, codes, index, metric, precision="float32"),
    }
    if index == "silhouette":
        programs["scikit-learn"] = partial(silhouette_samples, X, codes, metric=metric)
        programs["BLAS"] = partial(plain_blas, X, codes, metric)
        programs["BLAS float32"] = partial(plain_blas, X, codes, metric, np.float32)
        if has_torch():
            programs["PyTorch float32"] = partial(plain_torch, X, codes, metric)
    return programs


def core_seconds(programs: dict[str, Call]) -> dict[str, float]:
    """Run all programs in turn, several times, and return the best time of each."""
    best = dict.fromkeys(programs, np.inf)
    for _ in range(REPEATS):
        for name, call in programs.items():
            begun = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - begun)
    return best


def product_seconds(n: int, p: int) -> float:
    """Return core seconds of a matrix product for half of all pairs; two matrices, since BLAS halves X times X."""
    left, right = np.random.default_rng(1).normal(size=(2, PRODUCT, p))
    seconds = core_seconds({"product": partial(np.matmul, left, right.T)})["product"]
    return seconds * n * (n - 1) / 2 / PRODUCT**2


def seconds_before(folder: str, n: int, p: int, index: str, metric: str) -> float:
    """Return the core seconds of another version of adjudge, in a separate process."""
    code = f"""
import json, os, time
from typing import Any
import numpy as np
import adjudge
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
CLUSTERS, Widths = {CLUSTERS}, Any
{inspect.getsource(embeddings)}
X, codes = embeddings({n}, {p})
times = []
for _ in range({REPEATS} + 1):
    begun = time.process_time()
    adjudge.evaluate(X=X, labels=codes, indices={index!r}, metric={metric!r})
    times.append(time.process_time() - begun)
print(json.dumps({{"seconds": min(times)}}))
"""
    return float(fresh_process(code, env={"PYTHONPATH": folder})["seconds"])


def peak(call: Call) -> float:
    tracemalloc.start()
    call()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 1e6


def lost_digits(found: Any, explicit: Any, index: str) -> str:
    if index == "silhouette":
        values = found[Silhouettes].values if hasattr(found, "keys") else found
        return f"{np.abs(values - explicit[Silhouettes].values).max():.0e}"
    same = found[SingleLinkage].smallest == explicit[SingleLinkage].smallest
    same &= np.array_equal(found[Diameters].values, explicit[Diameters].values)
    return "0" if same else "differs"


def explicit_values(X: Widths, codes: Widths, index: str, metric: str) -> Any:
    """Return values from explicit differences, which Hausdorff distances require."""
    return reduce_points(X, codes, (*NEEDED[index], Hausdorff), metric=metric, n_jobs=1)


def positions(n: int) -> Widths:
    """Draw latitudes and longitudes, in radians, uniformly on the sphere."""
    rng = np.random.default_rng(0)
    return np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])


def sparse_rows(n: int, p: int, entries: int) -> Any:
    return scipy.sparse.random(n, p, entries / p, "csr", random_state=np.random.default_rng(0))


#: What each program is compared with; scikit-learn computes products of float32 points in single precision.
LIKE_WITH_LIKE = {
    "scikit-learn": "adjudge float32",
    "BLAS": "adjudge",
    "BLAS float32": "adjudge float32",
    "PyTorch float32": "adjudge float32",
}


def rows_of_other_points(n: int, ratios: Ratios) -> list[list[str]]:
    """Compare haversine distances, and cosine and correlation distances of sparse rows, with scikit-learn."""
    codes = np.arange(n) % CLUSTERS
    given = [("positions", "haversine", positions(n))]
    for p, entries in ((20_000, 60), (2_000, 100), (300, 100)):
        X, name = sparse_rows(n, p, entries), f"sparse rows, {entries} of {p:,} entries"
        given += [(name, "cosine", X), (name, "correlation", X)]
    rows = []
    for name, metric, X in given:
        programs = {i: partial(ours, X, codes, i, metric) for i in ("silhouette", "dunn", "gamma")}
        # scikit-learn computes correlation distances only for dense rows.
        theirs = X.toarray() if metric == "correlation" else X
        programs["scikit-learn"] = partial(silhouette_samples, theirs, codes, metric=metric)
        seconds = core_seconds(programs)
        difference = np.abs(programs["silhouette"]()[Silhouettes].values - programs["scikit-learn"]()).max()
        ratio = seconds["scikit-learn"] / seconds["silhouette"]
        rows.append(
            [
                *(name, metric, *map(show_seconds, seconds.values())),
                *(ratios.add(f"{name}, {metric}", "scikit-learn", ratio), f"{difference:.0e}"),
            ]
        )
        print(" | ".join(rows[-1]), flush=True)
    return rows


def text_of_other_points(n: int, ratios: Ratios) -> str:
    head = ["points", "metric", "silhouettes", "Dunn's index", "gamma", "silhouettes, scikit-learn"]
    about = (
        f"{n:,} points in {CLUSTERS} clusters, seconds of one core. Gamma ranks all distances. The last columns are "
        "how many times as long scikit-learn takes, and the largest difference of a silhouette. Of sparse rows it "
        "has cosine distances; its correlation distances are of dense copies, made before the clock starts. Our "
        "sums of both come from centroids, which are sparse rows too."
    )
    table = markdown([*head, "ratio", "differs"], rows_of_other_points(n, ratios))
    return f"## Points on a sphere, and sparse rows\n\n{about}\n\n{table}"


def draw(rows: list[tuple[str, str, int, dict[str, float]]], products: dict[int, float]) -> None:
    """Draw the seconds of each program for each case, with the plain matrix product as a line."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    FigureCanvasAgg(figure)
    names = list(dict.fromkeys(name for *_, seconds in rows for name in seconds))
    panels = figure.subplots(1, len(CASES), sharey=True)
    for panel, (index, metric) in zip(panels, CASES, strict=True):
        for number, name in enumerate(names):
            some = [(p, s[name]) for i, m, p, s in rows if (i, m) == (index, metric) and name in s]
            if some:
                panel.plot(*zip(*some, strict=True), marker="o", color=f"C{number}", label=name)
        panel.plot(
            *zip(*products.items(), strict=True), color="black", linestyle=":", label="the machine's product"
        )
        panel.set(xscale="log", yscale="log", xlabel="variables", title=f"{index}, {metric}")
        panel.set_xticks(DIMENSIONS, [str(p) for p in DIMENSIONS])
        panel.minorticks_off()
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("seconds of one core")
    handles = {
        label: handle
        for panel in panels
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside right center")
    figure.savefig(DOCS / "embeddings.png", dpi=110)


def shown(name: str, seconds: dict[str, float]) -> str:
    return show_seconds(seconds[name]) if name in seconds else ""


def text_of(
    n: int, head: list[str], rows: list[list[str]], memory: list[list[str]], before: str | None
) -> str:
    about = [
        '"float32" is `precision="float32"`; BLAS and PyTorch are what one would write by hand, a product a block of',
        "rows. The product is the machine's own, of half of all pairs: the least that a pass over pairs by products",
        "can take.",
        "Sums of cosine distances come from centroids, without a pass over pairs.",
    ]
    if euclidean_embeddings.many_dimensions("float64") > max(DIMENSIONS):
        about += [
            "On this machine OpenBLAS uses half of the registers' width, so that Euclidean distances in double",
            "precision are explicit differences, whatever the number of variables.",
        ]
    if before:
        about += ['"Before" is the state in which all distances were explicit differences, or SciPy\'s.']
    about += [
        "Differences are the largest from silhouettes by explicit differences in double precision; 0 for Dunn's index",
        "means that all digits are those of explicit differences. scikit-learn computes products of float32 points in",
        "single precision: like with like is its time beside that of float32.",
    ]
    return "\n\n".join(
        (
            f"Silhouettes and Dunn's index of {n:,} points (float32) in {CLUSTERS} clusters, on one core: its seconds, "
            f"the best of {REPEATS} runs that alternate.",
            "![Seconds of one core against the number of variables](embeddings.png)",
            " ".join(about),
            markdown(head, rows),
            f"Memory at its peak, beyond the points ({MEASURED_MEMORY} variables):",
            markdown(["index", "metric", "program", "memory"], memory),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int)
    parser.add_argument("--before", metavar="FOLDER")
    given = parser.parse_args()
    n, before = given.points or POINTS, given.before
    threadpool_limits(1)
    measured: list[tuple[str, str, int, dict[str, float]]] = []
    rows: list[list[str]] = []
    memory: list[list[str]] = []
    products: dict[int, float] = {}
    ratios = Ratios()
    for p in DIMENSIONS:
        X, codes = embeddings(n, p)
        products[p] = product_seconds(n, p)
        for index, metric in CASES:
            programs = programs_for(X, codes, index, metric)
            seconds = core_seconds(programs)
            if before is not None:
                seconds["before"] = seconds_before(before, n, p, index, metric)
            explicit = explicit_values(X, codes, index, metric)
            found = {name: lost_digits(call(), explicit, index) for name, call in programs.items()}
            measured.append((index, metric, p, seconds))
            for peer, own in LIKE_WITH_LIKE.items():
                if peer in seconds:
                    ratios.add(f"{index}, {metric}, p = {p:,}", peer, seconds[peer] / seconds[own])
            rows.append(
                [
                    index,
                    metric,
                    f"{p:,}",
                    *(
                        shown(name, seconds)
                        for name in (
                            *("adjudge", "adjudge float32", "before", "scikit-learn"),
                            *("BLAS", "BLAS float32", "PyTorch float32"),
                        )
                    ),
                    show_seconds(products[p]),
                    *(found.get(name, "") for name in ("adjudge", "adjudge float32", "BLAS float32")),
                ]
            )
            print(" | ".join(rows[-1]), flush=True)
            if p == MEASURED_MEMORY:
                memory += [
                    [index, metric, name, f"{peak(call):,.0f} MB"]
                    for name, call in programs.items()
                    if name != "PyTorch float32"
                ]
    head = ["index", "metric", "p", "adjudge", "float32", "before", "scikit-learn", "BLAS", "BLAS float32"]
    head += ["PyTorch float32", "product", "adjudge differs", "float32 differs", "BLAS float32 differs"]
    text = f"{text_of(n, head, rows, memory, before)}\n\n{text_of_other_points(n, ratios)}"
    text = f"{ratios}\n\n{text}"
    if n != POINTS:
        print(text)
    else:
        draw(measured, products)
        write_page("embeddings", "Embeddings", text)


if __name__ == "__main__":
    main()
