"""Graphs, entities, covers, trees and memberships: adjudge beside other programs that are installed, in one run.

python benchmarks/structures.py [--quick]
"""

from __future__ import annotations

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
from harness import Ratios, installed, markdown, measured, show_seconds, write_page

COLUMNS = ["task", "size", "adjudge", "memory", "beside", "its time", "its memory", "ratio", "same value"]
PEERS = "networkx igraph cdlib er-evaluation coreference-eval scorch omega-index-py3 bcubed scipy hiclass"
# Where another program computes something else.
CUTS = "conductance", "conductance, directed"
DIFFERS = {
    ("cdlib", CUTS[0]): "divides by the community's volume even if it is the larger side",
    ("networkx", CUTS[1]): "divides by the volume of one direction",
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
    keys = np.unique(ends.min(axis=1) * n + ends.max(axis=1))
    ends = np.stack([keys // n, keys % n], axis=1)[keys // n != keys % n]
    weights, vertices = rng.random(len(ends)), labels.tolist()
    plain, one_way, weighted = Graph(ends, n), Graph(ends, n, directed=True), Graph(ends, n, weights=weights)
    build, one, floats, cut, arcs = "building a graph", "modularity", "modularity, float weights", *CUTS
    found = ours(f"{one} {cut}", graph=plain, labels=labels)
    found += [(build, "adjudge", lambda: Graph(ends, n).n)]
    found += [(floats, "adjudge", partial(adjudge.modularity, graph=weighted, labels=labels))]
    found += [(arcs, "adjudge", partial(adjudge.conductance, graph=one_way, labels=labels))]
    if ig := peer("igraph"):
        theirs = ig.Graph(n, ends)
        found += [(build, "igraph", lambda: ig.Graph(n, ends).vcount())]
        for name, values in ((one, None), (floats, weights.tolist())):
            found += [(name, "igraph", partial(theirs.modularity, vertices, weights=values))]
    if nx := peer("networkx", m <= 10**6):
        edges, sets = ends.tolist(), clusters_of(labels, set)
        net, arrows = nx.Graph(edges), nx.DiGraph(edges)
        net.add_weighted_edges_from(np.column_stack([ends, weights]).tolist())
        found += [(build, "networkx", lambda: n + 0 * len(nx.Graph(edges)))]
        for name, key in ((one, None), (floats, "weight")):
            found += [(name, "networkx", partial(nx.community.modularity, net, sets, weight=key))]
        for name, graph in ((cut, net), (arcs, arrows))[: 2 if m <= 10**5 else 1]:
            graph.add_nodes_from(range(n))
            found += [(name, "networkx", lambda g=graph: np.mean([nx.conductance(g, own) for own in sets]))]
        if fitness := peer("cdlib.evaluation.fitness", m <= 10**5):
            given = SimpleNamespace(communities=clusters_of(labels))
            found += [(cut, "cdlib", lambda: fitness.conductance(net, given).score)]
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

        for name in ("muc", "lea"):
            found += [(f"{name}_f", "coreference-eval", partial(f, getattr(metrics, name)))]
    if scorch := peer("scorch.scores", n <= 10**4):
        sets = [clusters_of(labels, set) for labels in (a, b)]
        for name in ("ceaf_e", "blanc"):
            found += [(name, "scorch", lambda name=name: getattr(scorch, name)(*sets)[2])]
    return f"{n:,} records", found


def covers(n: int) -> tuple[str, Calls]:
    """Put instances into three clusters each; the second clustering differs in a fifth of the places."""
    rng, k = np.random.default_rng(n), max(30, 3 * n // 1000)
    one = rng.integers(0, k, (n, 3))
    other = np.where(rng.random(one.shape) < 0.2, rng.integers(0, k, one.shape), one)
    given = [Cover.from_pairs(np.repeat(np.arange(n), 3), own.ravel(), n) for own in (one, other)]
    found = ours("omega onmi onmi_max extended_bcubed_f", *given)
    ids = range(k if n < 10**4 else 0)
    sets = [[set(np.flatnonzero((own == i).any(axis=1)).tolist()) for i in ids] for own in (one, other)]
    if module := peer("omega_index_py3", n <= 10**3):
        named = [dict(enumerate(own)) for own in sets]
        found += [("omega", "omega-index-py3", lambda: module.Omega(*named).omega_score)]
    if onmi := peer("cdlib.evaluation.internal.onmi", n < 10**4):
        for name, variant in (("onmi", "LFK"), ("onmi_max", "MGH")):
            found += [(name, "cdlib", partial(onmi.onmi, *sets, variant=variant))]
    if b3 := peer("bcubed", n <= 3000):
        items = [dict(enumerate(map(set, own.tolist()))) for own in (other, one)]
        found += [("extended_bcubed_f", "bcubed", lambda: b3.fscore(b3.precision(*items), b3.recall(*items)))]
    return f"{n:,} instances, 3 of {k:,} clusters each", found


def purity(Z: Any, classes: Any) -> float:
    """Compute dendrogram purity by definition: a merge joins pairs of a class, each worth its share of the cluster."""
    members = list(np.eye(int(classes.max()) + 1)[classes])
    shares, pairs = np.zeros((2, len(Z)))
    for i, (first, second) in enumerate(Z[:, :2].astype(int).tolist()):
        joined, whole = members[first] * members[second], members[first] + members[second]
        shares[i], pairs[i] = joined @ whole / whole.sum(), joined.sum()
        members.append(whole)
    return float(shares.sum() / pairs.sum())


def trees(n: int) -> tuple[str, Calls]:
    """Make a tree of average linkage; a large one joins neighbours by twos instead."""
    rng = np.random.default_rng(n)
    classes = np.sort(rng.integers(0, 10, n))
    X = rng.normal(size=(n, 5)) + 2 * rng.normal(size=(10, 5))[classes]
    if n > 10**5:
        twos = Linkage(np.column_stack([np.arange(2 * n - 2).reshape(-1, 2), np.arange(n - 1.0)]))
        return f"{n:,} points", ours("dendrogram_purity", classes, linkage=twos)
    Z = linkage(X, "average")
    found = ours("cophenetic_correlation", linkage=Z, X=X) + ours("dendrogram_purity", classes, linkage=Z)
    found += [("cophenetic_correlation", "scipy", lambda: cophenet(Z, pdist(X))[0])]
    return f"{n:,} points", [*found, ("dendrogram_purity", "a loop in NumPy", partial(purity, Z, classes))]


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
    L1, (U, V) = "cityblock", np.random.default_rng(n).dirichlet(np.full(5, 0.5), (2, n))
    V = 0.7 * U + 0.3 * V
    found = [("fuzzy_rand", "scipy", lambda: 1 - np.abs(pdist(U, L1) - pdist(V, L1)).mean() / 2)]
    return f"{n:,} instances", ours("fuzzy_rand", Memberships(U), Memberships(V)) + found


def table(size: str, calls: Calls, ratios: Ratios) -> list[list[str]]:
    """Measure the programs, and check that their values agree."""
    rows = []
    for task in dict.fromkeys(name for name, _, _ in calls):
        others = [(who, *measured(call)) for name, who, call in calls if name == task]
        _, time, used, value = others.pop(0)
        start = [task, size, show_seconds(time), used]
        for who, theirs, needed, found in others:
            same, differs = abs(value - found) <= 1e-6 * abs(found), DIFFERS.get((who, task), "")
            assert same != bool(differs), (task, size, who, value, found)
            said = f"no, {value:.4f} and {found:.4f}: {who} {differs}" if differs else "yes"
            ratio = ratios.add(f"{task}, {size}", who, theirs / time)
            rows.append([*start, who, show_seconds(theirs), needed, ratio, said])
        rows += [] if others else [[*start, *["-"] * 5]]
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    cases = {graphs: (10**5, 10**6, 10**7), entities: (10**4, 10**6), covers: (10**3, 3 * 10**3, 10**6)}
    cases |= {trees: (10**3, 10**4, 10**6), taxonomies: (10**5, 10**6), memberships: (10**3, 10**4)}
    ratios = Ratios()
    body = """Least time of up to three runs, and memory beyond what was in use (0 MB also where memory that was freed
before is enough). A ratio is the other program's time over adjudge's. Each program has its input ready, but for
labels, which adjudge reads in each call. Values agree to 1e-6, unless the last column shows both."""
    for make, sizes in cases.items():
        rows = [row for n in sizes[: 1 if "--quick" in sys.argv else None] for row in table(*make(n), ratios)]
        body += f"\n\n## {make.__name__.capitalize()}\n\n{markdown(COLUMNS, rows)}"
    versions = ", ".join(f"{name} {installed(name) or '(not installed)'}" for name in PEERS.split())
    body += f"\n\nPrograms: {versions}."
    write_page("structures", "Graphs, entities, covers, trees and memberships", f"{ratios}\n\n{body}")


if __name__ == "__main__":
    main()
