"""Measures on labels: adjudge compared with scikit-learn and genieclust, in one run.

python benchmarks/labels.py [--quick]
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import adjudge
from adjudge.parallel import in_threads, spans
from harness import Ratios, fresh_process, installed, markdown, show_seconds, timed, write_page

ROUNDS = 9


def labels(n: int, k_true: int, k_pred: int, seed: int = 1) -> tuple[Any, Any]:
    """Draw two int64 label vectors that agree on about six of ten instances."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k_true, n)
    pred = np.where(rng.random(n) < 0.4, rng.integers(0, k_pred, n), truth % k_pred)
    return truth, pred


def pairs_loop(g: Any, p: Any, q: Any) -> tuple[int, int, int, int]:
    """Count the clustering Prayatul matrix by its definition: loop over instances, with vectorized pairs."""
    counts = [0, 0, 0, 0]
    for i in range(len(g) - 1):
        truth = g[i + 1 :] == g[i]
        right_p = (p[i + 1 :] == p[i]) == truth
        right_q = (q[i + 1 :] == q[i]) == truth
        both = int((right_p & right_q).sum())
        only_p, only_q = int(right_p.sum()) - both, int(right_q.sum()) - both
        counts[0] += both
        counts[1] += only_p
        counts[2] += only_q
        counts[3] += truth.size - both - only_p - only_q
    return counts[0], counts[1], counts[2], counts[3]


def cases(quick: bool) -> list[tuple[str, str, Callable[[], Any], dict[str, Callable[[], Any]]]]:
    from sklearn import metrics

    peers: dict[str, Any] = {}
    if installed("genieclust"):
        import genieclust.compare_partitions as genie

        peers["genieclust"] = genie
    found = []
    sizes = [(10**3, 10, 12), (10**5, 10, 12), (10**7, 10, 12), (10**7, 1000, 1000)]
    for n, k_true, k_pred in sizes[:2] if quick else sizes:
        a, b = labels(n, k_true, k_pred)
        others = {"scikit-learn": lambda a=a, b=b: metrics.adjusted_rand_score(a, b)}
        if "genieclust" in peers:
            others["genieclust"] = lambda a=a, b=b: peers["genieclust"].adjusted_rand_score(a, b)
        found.append(
            ("ARI", f"n = {n:,}, {k_true} x {k_pred}", lambda a=a, b=b: adjudge.adjusted_rand(a, b), others)
        )
    a, b = labels(10**4 if quick else 10**6, 10, 12)
    for name, dtype in (("fixed-width text", str), ("Python strings", object)):
        u, v = (np.char.add("cluster ", x.astype(str)).astype(dtype) for x in (a, b))
        found.append(
            (
                f"ARI, {name}",
                f"n = {len(a):,}",
                lambda u=u, v=v: adjudge.adjusted_rand(u, v),
                {"scikit-learn": lambda u=u, v=v: metrics.adjusted_rand_score(u, v)},
            )
        )
    for n, k in [(10**4, 100)] if quick else [(10**6, 1000), (10**5, 20000)]:
        a, b = labels(n, k, k)
        found.append(
            (
                "AMI",
                f"n = {n:,}, {k:,} x {k:,}",
                lambda a=a, b=b: adjudge.ami(a, b),
                {"scikit-learn": lambda a=a, b=b: metrics.adjusted_mutual_info_score(a, b)},
            )
        )
    for n in (5000,) if quick else (5000, 10**7):
        g, p = labels(n, 10, 12)
        q = labels(n, 10, 9, seed=1)[1]
        twin = {"definition (NumPy, O(n²))": lambda g=g, p=p, q=q: pairs_loop(g, p, q)} if n <= 5000 else {}
        found.append(
            (
                "Prayatul matrix, clustering",
                f"n = {n:,}",
                lambda g=g, p=p, q=q: adjudge.comparative_deviation(g, p, q, kind="clustering"),
                twin,
            )
        )
    return found


def kinds_of_labels(n: int) -> dict[str, tuple[Any, Any]]:
    """Return the same two partitions as labels of many types, int32 first."""
    import pandas as pd
    import polars as pl

    pair = labels(n, 10, 12)
    types = ("int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "float64", "float32")
    found = {name: tuple(x.astype(name) for x in pair) for name in types}
    names = np.array([f"class {i:02}" for i in range(12)])
    found["text of 8 characters"] = tuple(names[x] for x in pair)
    found["bytes, 8 a label"] = tuple(names.astype("S")[x] for x in pair)
    found["Categorical of pandas"] = tuple(pd.Categorical.from_codes(x, names) for x in pair)
    found["Enum of Polars"] = tuple(pl.Series(names[x], dtype=pl.Enum(names.tolist())) for x in pair)
    found["Categorical of Polars"] = tuple(pl.Series(names[::-1][x], dtype=pl.Categorical) for x in pair)
    found["String of Polars"] = tuple(pl.Series(names[x]) for x in pair)
    found["string of Arrow"] = tuple(series.to_arrow() for series in found["String of Polars"])
    found["str of pandas"] = tuple(pd.Series(array, dtype="str") for array in found["string of Arrow"])
    longer = np.array([f"a class of number {i:02}" for i in range(12)])
    found["text of 20 characters"] = tuple(longer[x] for x in pair)
    found["String of Polars, 20 bytes"] = tuple(pl.Series(longer[x]) for x in pair)
    found["string of Arrow, 20 bytes"] = tuple(s.to_arrow() for s in found["String of Polars, 20 bytes"])
    mixed = np.array(
        [
            "a",
            "bc",
            "no",
            "yes",
            "class",
            "seven",
            "twelve",
            "maybe",
            "other",
            "unknown",
            "last one",
            "yes please",
        ]
    )
    found["string of Arrow, 1 to 10 bytes"] = tuple(pl.Series(mixed[x]).to_arrow() for x in pair)
    return {name: (x, y) for name, (x, y) in found.items()}


def bytes_of(labels: Any) -> list[Any]:
    """Return the memory that labels are read from, as arrays of bytes."""
    import pandas as pd
    import polars as pl

    if isinstance(labels, pl.Series) and labels.dtype == pl.String:
        labels = labels.to_arrow(compat_level=pl.CompatLevel.newest())
    elif isinstance(labels, pl.Series):
        labels = labels.to_physical().to_numpy()
    elif isinstance(labels, pd.Series):
        [labels] = labels.array.__arrow_array__().chunks
    elif isinstance(labels, pd.Categorical):
        labels = labels.codes
    if isinstance(labels, np.ndarray):
        return [labels.view(np.uint8)]
    return [np.frombuffer(buffer, np.uint8) for buffer in labels.buffers() if buffer is not None]


def read(labels: Any) -> None:
    """Read the memory of labels, and discard it."""
    for part in bytes_of(labels):
        words = part[: part.size // 8 * 8].view(np.uint64)
        in_threads(lambda span, words=words: np.bitwise_or.reduce(words[span]), spans(words.size))


def rows_of_kinds(quick: bool) -> list[list[str]]:
    """Measure the processor time of ARI for labels of each type: the least of several rounds over all types."""
    kinds = kinds_of_labels(10**5 if quick else 10**7)
    seconds, reading = (dict.fromkeys(kinds, math.inf) for _ in range(2))
    for _ in range(ROUNDS):
        for name, (x, y) in kinds.items():
            start = time.process_time()
            adjudge.adjusted_rand(x, y)
            between = time.process_time()
            read(x)
            read(y)
            seconds[name] = min(seconds[name], between - start)
            reading[name] = min(reading[name], time.process_time() - between)
    base = seconds["int32"]
    return [
        [name, show_seconds(own), f"{own / base:.3g}x", show_seconds(reading[name])]
        for name, own in seconds.items()
    ]


MEMORY = """
import json, resource, numpy as np, adjudge
rng = np.random.default_rng(0)
adjudge.adjusted_rand(np.arange(9), np.arange(9))
n = 10**7
a = rng.integers(0, 10, n)
b = rng.integers(0, 12, n)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
adjudge.adjusted_rand(a, b)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"input": (a.nbytes + b.nbytes) / 2**20, "extra": (after - before) / 1024}))
"""

FIRST_CALL = """
import json, time
start = time.perf_counter()
import adjudge
imported = time.perf_counter()
import numpy as np
rng = np.random.default_rng(0)
a, b = rng.integers(0, 10, {n}), rng.integers(0, 12, {n})
begin = time.perf_counter()
adjudge.adjusted_rand(a, b)
print(json.dumps({{"import": imported - start, "call": time.perf_counter() - begin}}))
"""


def main() -> None:
    quick = "--quick" in sys.argv
    rows, ratios = [], Ratios()
    for measure, case, ours, peers in cases(quick):
        ours()
        own = timed(ours)
        for peer, function in peers.items() or [("-", None)]:
            theirs = timed(function) if function else None
            rows.append(
                [
                    measure,
                    case,
                    str(own),
                    peer,
                    str(theirs) if theirs else "-",
                    ratios.add(f"{measure}, {case}", peer, theirs.median / own.median) if theirs else "-",
                ]
            )
            print("  ".join(rows[-1]), flush=True)
    memory = fresh_process(MEMORY)
    codes = {n: FIRST_CALL.format(n=n) for n in (10**3, 10**4, 10**6, 10**8)}
    first = {n: min((fresh_process(c) for _ in range(3)), key=lambda r: r["call"]) for n, c in codes.items()}
    body = f"{ratios}\n\n" + markdown(["measure", "case", "adjudge", "peer", "peer's time", "ratio"], rows)
    body += "\n\n## Types of labels\n\nARI of two vectors of 10^7 labels, 10 x 12 clusters: processor time of all "
    body += f"threads, the least of {ROUNDS} rounds. Reading alone is one trip to\n"
    body += "the memory of the labels in as many threads, of whose bytes nothing is kept.\n\n"
    body += markdown(
        ["labels", "processor time", "times that of int32", "reading alone"], rows_of_kinds(quick)
    )
    body += f"""

## Memory and first calls

Peers: scikit-learn {installed("scikit-learn")}, genieclust {installed("genieclust") or "not installed"}.

- Memory of ARI at n = 10^7 above the {memory["input"]:.0f} MB of input: {memory["extra"]:.0f} MB.
- `import adjudge`: {show_seconds(first[10**3]["import"])}.
- First call in a fresh process, NumPy being imported: {show_seconds(first[10**3]["call"])} for n = 1,000 and
  {show_seconds(first[10**4]["call"])} for n = 10^4, {show_seconds(first[10**6]["call"])} for n = 10^6 and
  {show_seconds(first[10**8]["call"])} for n = 10^8."""
    write_page("labels", "Measures on labels", body)


if __name__ == "__main__":
    main()
