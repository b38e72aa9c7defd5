r"""The meanings of the symbols in formulas.

`SYMBOLS` holds those that all indices of a kind share; a record explains those specific to its formula. Keys are
LaTeX; meanings are plain text, in which symbols are written as by :func:`plain` (``n_ij``, ``sigma``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from adjudge.indices.kinds import Kind

#: The meaning of an unexplained symbol.
UNEXPLAINED = ""

_OF_LABELS: dict[str, str] = {
    "yy": "pairs of instances that are joined in both partitions",
    "yn": "pairs joined in the truth only",
    "ny": "pairs joined in the prediction only",
    "nn": "pairs joined in neither partition",
    "M": "all pairs: yy + yn + ny + nn",
    "n": "number of instances",
    "n_{ij}": "instances of true cluster i that are in predicted cluster j",
    "a_i": "size of true cluster i",
    "b_j": "size of predicted cluster j",
    "a_{(i)}": "size of the i-th largest true cluster",
    "b_{(i)}": "size of the i-th largest predicted cluster",
    "k": "the larger of the two numbers of clusters; the smaller partition is padded with empty clusters",
    r"\sigma": "a matching of true with predicted clusters, one to one",
    "H(T)": "entropy of the truth",
    "H(P)": "entropy of the prediction",
    "H(T, P)": "joint entropy",
    r"H(T \mid P)": "entropy of the truth given the prediction",
    r"H(P \mid T)": "entropy of the prediction given the truth",
    "I": "mutual information",
    "E[I]": "mean of I over all tables with the same cluster sizes",
    r"\beta": "weight of recall over precision",
}
_OF_POINTS: dict[str, str] = {
    "N": "number of points",
    "K": "number of clusters",
    "p": "number of variables",
    "I_k": "the points of cluster k",
    "n_k": "number of points of cluster k",
    "x_i": "point i",
    "G_k": "centroid of cluster k",
    "r_k": "mean distance of the points of cluster k to its centroid",
    "d_{ij}": "distance of points i and j",
    "WG": "within-cluster scatter matrix: the sum of all WG_k",
    "WG_k": "scatter matrix of cluster k: the sum over its points of (x_i - G_k)(x_i - G_k)'",
    "BG": "between-cluster scatter matrix",
    "T": "total scatter matrix: WG + BG",
    "WGSS": "dispersion within clusters: the trace of WG",
    "BGSS": "dispersion between clusters: the trace of BG",
    "WGSS_K": "dispersion within the clusters of the partition into K",
    "W_k": "dispersion within cluster k: the sum of the squared distances of its points to its centroid",
    "N_W": "number of distances within clusters",
    "N_B": "number of distances between clusters",
    "N_T": "number of all distances: N_W + N_B",
    "S_W": "sum of the distances within clusters",
    "S_B": "sum of the distances between clusters",
    "s^+": "comparisons of a distance within with a distance between clusters that find the former smaller",
    "s^-": "comparisons that find it larger; ties count for neither",
    "a_i": "mean distance of point i to the others of its own cluster",
    "b_i": "mean distance of point i to the points of the nearest other cluster",
}
_OF_CLASSES: dict[str, str] = {
    "n": "number of instances",
    "n_{cc}": "instances of class c that are predicted as c",
    r"n_{c\cdot}": "instances of class c",
    r"n_{\cdot c}": "instances predicted as c",
    "C": "the labels that occur",
}
_OF_MODELS: dict[str, str] = {
    "BR": "instances (of clusterings: pairs of instances) on which both models are right",
    "RW": "instances (of clusterings: pairs of instances) on which only the primary model is right",
    "WR": "instances (of clusterings: pairs of instances) on which only the alternative is right",
    "BW": "instances (of clusterings: pairs of instances) on which both models are wrong",
}
_OF_RATERS: dict[str, str] = {
    "n": "number of units with a rating",
    "n'": "number of units with at least two ratings",
    "r_i": "ratings of unit i",
    "r_{ic}": "ratings of unit i as category c",
    r"\\pi_c": "mean share of category c among the ratings of a unit",
    "P": "mean share of the pairs of ratings of a unit that agree",
    "K": "number of categories",
}
_OF_SETS: dict[str, str] = {
    "n": "number of instances",
    "L": "number of labels",
    "T_i": "true labels of instance i",
    "P_i": "predicted labels of instance i",
}
_OF_COVERS: dict[str, str] = {
    "n": "number of instances",
    "M": "number of pairs of instances",
}
_OF_MEMBERSHIPS: dict[str, str] = {
    "n": "number of instances",
    "K": "number of clusters",
    "u_{ik}": "membership of instance i in cluster k",
}
_OF_GRAPHS: dict[str, str] = {
    "n": "number of vertices",
    "m": "total weight of the edges",
    "K": "number of communities",
    "n_k": "vertices of community k",
    "m_k": "weight of the edges inside community k",
    "v_k": "volume of community k: the weighted degrees of its vertices, in which a loop counts twice",
    "c_k": "weight of the edges that leave or enter community k",
    "e": "number of edges, without loops",
    "e_k": "edges inside community k, without loops",
    "M": "number of pairs of vertices",
    "M_k": "pairs of vertices in community k",
}
_OF_BATCHES: dict[str, str] = {
    "K": "number of labels with several batches",
    "n_k": "points with label k",
    "a_i": "mean distance from point i to the other points of its label and batch",
}
_OF_TREES: dict[str, str] = {
    "n": "number of instances, the leaves of the tree",
}
_OF_TAXONOMIES: dict[str, str] = {
    "n": "number of instances",
    "T_i": "true class of instance i and its ancestors, without the root",
    "P_i": "predicted class of instance i and its ancestors, without the root",
    "t_i": "steps from the root to the true class of instance i",
    "p_i": "steps from the root to the predicted class of instance i",
    "s_i": "steps from the root to the lowest class that has both",
}
_OF_NUMBERS: dict[str, str] = {
    "n": "number of rows",
    "x_i": "number of row i",
}
_OF_ERRORS: dict[str, str] = {
    "n": "number of rows",
    "y_i": "true number of row i",
    "x_i": "predicted number of row i",
}
SYMBOLS: dict[Kind, dict[str, str]] = {
    "external": _OF_LABELS,
    "internal": _OF_POINTS,
    "selection": _OF_POINTS,
    "classification": _OF_CLASSES,
    "comparative": _OF_MODELS,
    "diversity": _OF_MODELS,
    "raters": _OF_RATERS,
    "multilabel": _OF_SETS,
    "overlapping": _OF_COVERS,
    "soft": _OF_MEMBERSHIPS,
    "graph": _OF_GRAPHS,
    "batches": _OF_BATCHES,
    "hierarchy": _OF_TREES,
    "taxonomy": _OF_TAXONOMIES,
    "values": _OF_NUMBERS,
    "regression": _OF_ERRORS,
}
# Letters that run over instances or clusters, depending on the symbol, where i is not the only one.
_RUNNING: dict[Kind, str] = {
    "external": "ij",
    "internal": "ijklm",
    "selection": "ijklm",
    "classification": "ci",
    "comparative": "",
    "diversity": "",
    "raters": "ic",
    "overlapping": "ijklv",
    "soft": "ijkl",
    "graph": "ijk",
    "batches": "ik",
    "hierarchy": "ijk",
}

_MATHEMATICS = re.compile(
    r"\\(?:frac|sqrt|left|right|Bigl|Bigr|bigl|bigr|lfloor|rfloor|sum|max|min|log|ln|prod|det|quad|cdot|neq|in|notin|ge|setminus|mid|pi|propto|ldots|cap|cup|triangle)(?![a-zA-Z])"
    r"|\\(?:operatorname|text)\{[^}]*\}|\\[^a-zA-Z]|[^a-zA-Z\\]"
)
_SYMBOL = re.compile(r"(\\[a-zA-Z]+|[a-zA-Z]+)(?:_(\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-zA-Z]+|[a-zA-Z0-9]))?")
_APPLIED = re.compile(r"\\?[a-zA-Z]+\([a-zA-Z]\)")


def explained(formula: str, kind: Kind, own: Mapping[str, str]) -> dict[str, str]:
    """Return the symbols of a formula with their meanings, in order of occurrence, then symbols of the meanings.

    A symbol explained by neither the record nor its kind has the meaning `UNEXPLAINED`, unless the formula defines it.
    """
    known = {**SYMBOLS.get(kind, {}), **own}
    running = _RUNNING.get(kind, "i")
    by_pattern = {_pattern(key, running): key for key in known}
    defined = formula.partition("=")[0].strip()
    found: dict[str, str] = {}
    for symbol in _symbols(formula, tuple(known)):
        key = by_pattern.get(_pattern(symbol, running))
        if key is not None:
            found[key] = known[key]
        elif symbol != defined and not set(symbol) <= set(running):
            found[symbol] = UNEXPLAINED
    waiting = list(found.values())
    while waiting:
        meaning = waiting.pop(0)
        for key in known:
            if key not in found and _mentions(meaning, plain(key)):
                found[key] = known[key]
                waiting.append(known[key])
    return found


def _mentions(text: str, symbol: str) -> bool:
    return symbol in text and re.search(rf"(?<!\w){re.escape(symbol)}(?![\w(])", text) is not None


def _symbols(formula: str, keys: tuple[str, ...]) -> Iterator[str]:
    """Split a formula into symbols; composite keys such as H(T) stay whole."""
    wholes = sorted((key for key in keys if not _SYMBOL.fullmatch(key)), key=len, reverse=True)
    place = 0
    while place < len(formula):
        whole = next((key for key in wholes if formula.startswith(key, place)), None)
        if whole is not None:
            yield whole
            place += len(whole)
        elif skipped := _MATHEMATICS.match(formula, place):
            place = skipped.end()
        elif found := _SYMBOL.match(formula, place):
            yield found[0]
            if found[2] and "(" in found[2]:
                yield from _symbols(found[2], keys)
            place = found.end()
        else:
            place += 1


@cache
def _pattern(symbol: str, running: str) -> str:
    """Replace running indices by the same mark, so that n_k and n_l are one symbol, but S_W and S_B are two."""
    whole = _SYMBOL.fullmatch(symbol)
    if whole is None or whole[2] is None:
        return symbol
    index = whole[2].strip("{}").replace(r"\,", "").replace(" ", "")
    index = re.sub(r"^K[+-]1$", "K", _APPLIED.sub("*", index))
    return f"{whole[1]}_" + re.sub(rf"[{running}]" if running else "(?!)", "*", re.sub("^K$", "*", index))


@cache
def plain(latex: str) -> str:
    """Write a symbol as text: ``n_{ij}`` becomes n_ij."""
    text = latex.replace(r" \mid ", " | ").replace("^2", "²").replace("^", "").replace(r"\bar ", "mean ")
    text = text.replace(r"\mathcal", "script ")
    text = text.replace(r"\cdot", ".")
    return re.sub(
        r"\\(?:mathrm|operatorname)\{(\w+)\}|\\(?=[a-zA-Z])|[{}]|\\,", lambda found: found[1] or "", text
    )
