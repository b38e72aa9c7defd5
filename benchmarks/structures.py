"""Graphs, entities, overlapping clusters, trees and memberships: adjudge beside other programs, in one run.

python benchmarks/structures.py [--quick]

Of the other programs, those that are installed are measured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist

import adjudge
from adjudge import Cover, Graph, Linkage, Memberships, Taxonomy
from harness import installed, markdown, measured, show_seconds, write_page

COLUMNS = ["task", "size", "adjudge", "memory", "beside", "its time", "its memory", "ratio", "same value"]
PEERS = "networkx igraph cdlib er-evaluation coreference-eval scorch omega-index-py3 bcubed scipy hiclass"
# Where another program computes something else.
DIFFERS = {
    ("cdlib", "conductance"): "divides by the community's volume even if it is the larger side",
    ("networkx", "conductance, directed"): "divides by the volume of one direction",
    ("er-evaluation", "bcubed_f"): "takes the mean over true clusters, not over records",
}

# Task, program and call; those of adjudge come first.
Calls = list[tuple[str, str, Callable[[], Any]]]


def peer(module: str, wanted: bool = True) -> Any:
    """Import another program, if it is wanted at this size and installed."""
    try:
        return import_module(module) if wanted else None
    except ImportError:
        return None


def ours(names: str, *given: Any, **options: Any) -> Calls:
    return [(name, "adjudge", partial(getattr(adjudge, name), *given, **options)) for name in names.split()]


def clusters_of(labels: Any, kind: Any = list) -> list[Any]:
    order = np.argsort(labels, kind="stable")
    return [kind(own.tolist()) for own in np.split(order, np.cumsum(np.bincount(labels))[:-1]) if own.size]


def graphs(m: int) -> tuple[str, Calls]:
    """Make a graph of 100 communities, one of which has half of the vertices; seven of ten edges are inside."""
    rng, n, k = np.random.default_rng(m), m // 10, 100
    labels, ends = np.sort(rng.integers(0, k, n) * rng.integers(0, 2, n)), rng.integers(0, n, (m, 2))
    inside, starts = rng.random(m) < 0.7, np.searchsorted(labels, np.arange(k + 1))
    own = labels[ends[inside, 0]]
    ends[inside, 1] = rng.integers(starts[own], starts[own + 1])
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    weights, vertices = rng.random(len(ends)), labels.tolist()
    plain, one_way, weighted = Graph(ends, n), Graph(ends, n, directed=True), Graph(ends, n, weights=weights)
    tasks = (
        "building the graph",
        "modularity",
        "modularity, float weights",
        "conductance",
        "conductance, directed",
    )
    found: Calls = [
        (tasks[0], "adjudge", lambda: Graph(ends, n).n),
        (tasks[1], "adjudge", lambda: adjudge.modularity(graph=plain, labels=labels)),
        (tasks[2], "adjudge", lambda: adjudge.modularity(graph=weighted, labels=labels)),
        (tasks[3], "adjudge", lambda: adjudge.conductance(graph=plain, labels=labels)),
        (tasks[4], "adjudge", lambda: adjudge.conductance(graph=one_way, labels=labels)),
    ]
    if ig := peer("igraph"):
        theirs = ig.Graph(n, ends)
        theirs.es["weight"] = weights.tolist()
        found += [
            (tasks[0], "igraph", lambda: ig.Graph(n, ends).vcount()),
            (tasks[1], "igraph", lambda: theirs.modularity(vertices)),
            (tasks[2], "igraph", lambda: theirs.modularity(vertices, weights="weight")),
        ]
    if nx := peer("networkx", m <= 10**6):
        sets, edges = clusters_of(labels, set), ends.tolist()
        net, arrows = nx.Graph(edges), nx.DiGraph(edges)
        net.add_weighted_edges_from((*pair, w) for pair, w in zip(edges, weights.tolist(), strict=True))
        for graph in (net, arrows):
            graph.add_nodes_from(range(n))
        found += [
            (tasks[0], "networkx", lambda: nx.Graph(edges).number_of_nodes() and n),
            (tasks[1], "networkx", lambda: nx.community.modularity(net, sets, weight=None)),
            (tasks[2], "networkx", lambda: nx.community.modularity(net, sets)),
            (tasks[3], "networkx", lambda: np.mean([nx.conductance(net, own) for own in sets])),
            (tasks[4], "networkx", lambda: np.mean([nx.conductance(arrows, own) for own in sets])),
        ]
    if nx and (fitness := peer("cdlib.evaluation.fitness", m <= 10**5)):
        communities = SimpleNamespace(communities=clusters_of(labels))
        found += [(tasks[3], "cdlib", lambda: fitness.conductance(net, communities).score)]
    return f"{m:,} edges", found


def entities(n: int) -> tuple[str, Calls]:
    """Make entities of 2 to 6 records; one of ten records is misplaced, and one of ten entities is merged."""
    rng = np.random.default_rng(n)
    a = np.repeat(np.arange(n), rng.integers(2, 7, n))[:n]
    b = 1 + a - (rng.random(n) < 0.1)[a]
    moved = rng.random(n) < 0.1
    b[moved] = rng.permutation(b[moved])
    found = ours("pair_f exact_cluster_f bcubed_f muc_f lea_f ceaf_e blanc", a, b)
    if er := peer("er_evaluation"):
        both = [import_module("pandas").Series(labels) for labels in (b, a)]
        calls = {"pair_f": er.pairwise_f, "exact_cluster_f": er.cluster_f, "bcubed_f": er.b_cubed_f}
        found += [(name, "er-evaluation", partial(call, *both)) for name, call in calls.items()]
    if metrics := peer("corefeval.metrics"):
        lists = [clusters_of(labels, tuple) for labels in (a, b)]
        places = [{record: own for own in clusters for record in own} for clusters in lists]

        def f(one: Any) -> float:
            (top, bottom), (other, below) = one(lists[1], places[0]), one(lists[0], places[1])
            return float(2 / (bottom / top + below / other))

        found += [
            (f"{one.__name__}_f", "coreference-eval", partial(f, one)) for one in (metrics.muc, metrics.lea)
        ]
    if scorch := peer("scorch.scores", n <= 10**4):
        sets = [clusters_of(labels, set) for labels in (a, b)]
        found += [
            ("ceaf_e", "scorch", lambda: scorch.ceaf_e(*sets)[2]),
            ("blanc", "scorch", lambda: scorch.blanc(*sets)[2]),
        ]
    return f"{n:,} records", found


def covers(n: int) -> tuple[str, Calls]:
    """Put instances into three clusters each; the second clustering differs in a fifth of the places."""
    rng, k = np.random.default_rng(n), max(30, 3 * n // 1000)
    one = rng.integers(0, k, (n, 3))
    other = np.where(rng.random(one.shape) < 0.2, rng.integers(0, k, one.shape), one)
    given = [Cover.from_pairs(np.repeat(np.arange(n), 3), own.ravel(), n) for own in (one, other)]
    found = ours("omega onmi onmi_max extended_bcubed_f", *given)
    sets = [
        [set(np.flatnonzero((own == i).any(axis=1)).tolist()) for i in range(min(k, 30))]
        for own in (one, other)
    ]
    if module := peer("omega_index_py3", n <= 10**3):
        found += [
            (
                "omega",
                "omega-index-py3",
                lambda: module.Omega(*(dict(enumerate(own)) for own in sets)).omega_score,
            )
        ]
    if onmi := peer("cdlib.evaluation.internal.onmi", k == 30):
        for name, variant in (("onmi", "LFK"), ("onmi_max", "MGH")):
            found += [(name, "cdlib", partial(onmi.onmi, *sets, variant=variant))]
    if b3 := peer("bcubed", n <= 3000):
        items = [dict(enumerate(map(set, own.tolist()))) for own in (other, one)]
        found += [("extended_bcubed_f", "bcubed", lambda: b3.fscore(b3.precision(*items), b3.recall(*items)))]
    return f"{n:,} instances, 3 of {k:,} clusters each", found


def purity(Z: Any, classes: Any) -> float:
    """Compute dendrogram purity by definition: a merge joins pairs of a class, each worth its share of the cluster."""
    members = list(np.eye(int(classes.max()) + 1)[classes])
    sums = np.zeros(2)
    for first, second in Z[:, :2].astype(int).tolist():
        joined, whole = members[first] * members[second], members[first] + members[second]
        sums += (joined * whole).sum() / whole.sum(), joined.sum()
        members.append(whole)
    return float(sums[0] / sums[1])


def trees(n: int) -> tuple[str, Calls]:
    """Make a tree of average linkage; a large one joins neighbours by twos instead."""
    rng = np.random.default_rng(n)
    classes = np.sort(rng.integers(0, 10, n))
    X = rng.normal(size=(n, 5)) + 2 * rng.normal(size=(10, 5))[classes]
    twos = np.column_stack([np.arange(2 * n - 2).reshape(-1, 2), np.arange(n - 1.0)])
    Z = twos if n > 10**5 else linkage(X, "average")
    tree, found = Linkage(Z), []
    if n <= 10**5:
        found = ours("cophenetic_correlation", linkage=tree, X=X)
        found += [("cophenetic_correlation", "scipy", lambda: cophenet(Z, pdist(X))[0])]
        found += [("dendrogram_purity", "a loop in NumPy", partial(purity, Z, classes))]
    return f"{n:,} points", ours("dendrogram_purity", classes, linkage=tree) + found


def taxonomies(n: int) -> tuple[str, Calls]:
    """Make classes on three levels, of ten subclasses each; four of ten predictions are drawn anew."""
    rng = np.random.default_rng(n)
    a, other = rng.integers(0, 1000, (2, n))
    b = np.where(rng.random(n) < 0.4, other, a)
    paths = np.array([f"{i // 100}/{i // 10}/{i}" for i in range(1000)])
    found = ours("hierarchical_f1", paths[a], paths[b], taxonomy=Taxonomy.from_paths(paths.tolist()))
    if hiclass := peer("hiclass.metrics"):
        levels = [np.stack([own // 100, 10 + own // 10, 110 + own], axis=1) for own in (a, b)]
        found += [("hierarchical_f1", "hiclass", partial(hiclass.f1, *levels))]
    return f"{n:,} instances, 1,110 classes", found


def memberships(n: int) -> tuple[str, Calls]:
    """Draw memberships in five clusters, and others near them."""
    U, V = np.random.default_rng(n).dirichlet(np.full(5, 0.5), (2, n))
    V = 0.7 * U + 0.3 * V
    found = ours("fuzzy_rand", Memberships(U), Memberships(V))
    theirs = lambda: 1 - np.abs(pdist(U, "cityblock") - pdist(V, "cityblock")).mean() / 2  # noqa: E731
    return f"{n:,} instances", [*found, ("fuzzy_rand", "scipy", theirs)]


def table(size: str, calls: Calls) -> list[list[str]]:
    """Measure the programs, and check that their values agree."""
    rows = []
    for task in dict.fromkeys(name for name, _, _ in calls):
        (_, time, used, value), *others = [
            (who, *measured(call)) for name, who, call in calls if name == task
        ]
        start = [task, size, show_seconds(time), used]
        for who, theirs, needed, found in others:
            same, differs = abs(value - found) <= 1e-6 * abs(found), DIFFERS.get((who, task), "")
            assert same != bool(differs), (task, size, who, value, found)
            said = f"no, {value:.4f} and {found:.4f}: {who} {differs}" if differs else "yes"
            rows.append([*start, who, show_seconds(theirs), needed, f"{theirs / time:.3g}x", said])
        rows += [] if others else [[*start, *["-"] * 5]]
        print(*("  ".join(row) for row in rows[-max(1, len(others)) :]), sep="\n", flush=True)
    return rows


def main() -> None:
    sizes = {
        graphs: (10**5, 10**6, 10**7),
        entities: (10**4, 10**6),
        covers: (10**3, 3 * 10**3, 10**6),
        trees: (10**3, 10**4, 10**6),
        taxonomies: (10**5, 10**6),
        memberships: (10**3, 10**4),
    }
    body = """Least time of up to three runs, and memory beyond what was in use; a ratio is the other program's time over
adjudge's. Each program has its own kind of input ready, but for labels, which adjudge reads in each call. Values agree
to 1e-6 unless the last column shows both."""
    for make, ns in sizes.items():
        rows = [row for n in ns[: 1 if "--quick" in sys.argv else None] for row in table(*make(n))]
        body += f"\n\n## {make.__name__.capitalize()}\n\n{markdown(COLUMNS, rows)}"
    body += f"\n\nMeasured beside other work, with a load of {os.getloadavg()[2]:.1f}: ratios within a factor of 1.5. "
    body += "Programs: " + ", ".join(
        f"{name} {installed(name) or '(not installed)'}" for name in PEERS.split()
    )
    write_page("structures", "Graphs, entities, covers, trees and memberships", f"{body}.")


if __name__ == "__main__":
    main()
