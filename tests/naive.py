"""Naive twins: each quantity computed from its definition, with loops over instances, pairs and permutations.

Slow and readable on purpose; exact where the definition allows (fractions, mpmath).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from naive_classes import scores_as_a_whole, scores_by_class
from naive_coreference import BLANC, coreference_indices, table_measures

CELLS = ("both_right", "right_wrong", "wrong_right", "both_wrong")


def pair_counts(a: Sequence[Any], b: Sequence[Any]) -> tuple[int, int, int, int]:
    """Count all pairs: (yy, yn, ny, nn)."""
    found = Counter((a[i] == a[j], b[i] == b[j]) for i, j in itertools.combinations(range(len(a)), 2))
    return found[True, True], found[True, False], found[False, True], found[False, False]


def contingency(a: Sequence[Any], b: Sequence[Any]) -> list[list[int]]:
    """Return the table, with rows and columns in order of first occurrence."""
    cells = Counter(zip(a, b, strict=True))
    return [[cells[x, y] for y in dict.fromkeys(b)] for x in dict.fromkeys(a)]


# --- the Prayatul matrix ----------------------------------------------------------------------------------------


def _cell(primary_right: bool, alternative_right: bool) -> str:
    if primary_right:
        return "both_right" if alternative_right else "right_wrong"
    return "wrong_right" if alternative_right else "both_wrong"


def prayatul_clustering(
    g: Sequence[Any], p: Sequence[Any], q: Sequence[Any]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Return the totals over all pairs, and the number of pairs in each cell for each instance."""
    totals = dict.fromkeys(CELLS, 0)
    per_instance = {cell: [0] * len(g) for cell in CELLS}
    for i, j in itertools.combinations(range(len(g)), 2):
        joined = g[i] == g[j]
        cell = _cell((p[i] == p[j]) == joined, (q[i] == q[j]) == joined)
        totals[cell] += 1
        per_instance[cell][i] += 1
        per_instance[cell][j] += 1
    return totals, per_instance


def prayatul_classification(g: Sequence[Any], p: Sequence[Any], q: Sequence[Any]) -> dict[str, list[int]]:
    """Return the positions of the instances in each cell."""
    positions: dict[str, list[int]] = {cell: [] for cell in CELLS}
    for i, truth in enumerate(g):
        positions[_cell(p[i] == truth, q[i] == truth)].append(i)
    return positions


def ratio(numerator: Any, denominator: Any) -> float:
    """Divide by our conventions: 0/0 is nan, and c/0 is infinite."""
    if denominator == 0:
        return math.nan if numerator == 0 else math.copysign(math.inf, numerator)
    return float(Fraction(numerator) / Fraction(denominator))


def prayatul_measures(br: int, rw: int, wr: int, bw: int) -> dict[str, float]:
    total = br + rw + wr + bw
    return {
        "comparative_deviation": ratio(rw - wr, rw + wr),
        "polarization": ratio(br + rw - bw, total),
        "comparative_rightness": ratio(br + rw, br + rw + wr),
        "effective_rightness": ratio(br + rw - wr, br + rw + wr),
        "effective_superiority": ratio(br + rw - wr, total),
    }


# --- noise and missing labels -----------------------------------------------------------------------------------


def prepare(
    vectors: Sequence[Sequence[Any]], *, noise: str = "cluster", noise_label: Any = -1
) -> tuple[list[list[Any]], list[int]]:
    """Leave out instances with a missing label (None), and treat noise; also return the positions that are kept."""
    kept = [
        i
        for i in range(len(vectors[0]))
        if all(v[i] is not None for v in vectors)
        and not (noise == "drop" and any(v[i] == noise_label for v in vectors))
    ]
    ready = [[v[i] for i in kept] for v in vectors]
    if noise == "singletons":
        ready = [[("own", i) if x == noise_label else x for i, x in enumerate(v)] for v in ready]
    return ready, kept


# --- external indices -------------------------------------------------------------------------------------------


def _root(x: int) -> mpmath.mpf:
    return mpmath.sqrt(mpmath.mpf(x))


def _over_root(numerator: int, square: int) -> float:
    if square == 0:
        return ratio(numerator, 0)
    return float(mpmath.mpf(numerator) / _root(square))


def _ari(yy: int, yn: int, ny: int, nn: int) -> float:
    if yn == ny == 0:
        return 1.0
    total = yy + yn + ny + nn
    expected = Fraction((yy + yn) * (yy + ny), total)
    return ratio(yy - expected, Fraction((yy + yn) + (yy + ny), 2) - expected)


def _adjusted_fm(yy: int, yn: int, ny: int, nn: int) -> float:
    if yn == ny == 0:
        return 1.0
    product = (yy + yn) * (yy + ny)
    if product == 0:
        return math.nan
    with mpmath.workdps(120):
        fm = mpmath.mpf(yy) / _root(product)
        expected = _root(product) / (yy + yn + ny + nn)
        return float((fm - expected) / (1 - expected))


def _kulczynski(yy: int, yn: int, ny: int, nn: int) -> float:
    if 0 in (yy + yn, yy + ny):
        return math.nan
    return float((Fraction(yy, yy + ny) + Fraction(yy, yy + yn)) / 2)


def _margins(yy: int, yn: int, ny: int, nn: int) -> int:
    return (yy + yn) * (yy + ny) * (nn + yn) * (nn + ny)


# Formulas in (yy, yn, ny, nn), as printed in the papers.
PAIR_INDICES: dict[str, Callable[[int, int, int, int], float]] = {
    "pair_precision": lambda yy, yn, ny, nn: ratio(yy, yy + ny),
    "pair_recall": lambda yy, yn, ny, nn: ratio(yy, yy + yn),
    "pair_f": lambda yy, yn, ny, nn: ratio(2 * yy, 2 * yy + yn + ny),
    "f_alpha": lambda yy, yn, ny, nn: ratio(2 * yy, 2 * yy + yn + ny),
    "fowlkes_mallows": lambda yy, yn, ny, nn: _over_root(yy, (yy + yn) * (yy + ny)),
    "adjusted_fowlkes_mallows": _adjusted_fm,
    "pair_phi": lambda yy, yn, ny, nn: _over_root(yy * nn - yn * ny, _margins(yy, yn, ny, nn)),
    "phi_crit": lambda yy, yn, ny, nn: ratio(yy * nn - yn * ny, _margins(yy, yn, ny, nn)),
    "jaccard": lambda yy, yn, ny, nn: ratio(yy, yy + yn + ny),
    "kulczynski": _kulczynski,
    "pair_mcnemar": lambda yy, yn, ny, nn: _over_root(yn - ny, yn + ny),
    "rand": lambda yy, yn, ny, nn: ratio(yy + nn, yy + yn + ny + nn),
    "adjusted_rand": _ari,
    "rogers_tanimoto": lambda yy, yn, ny, nn: ratio(yy + nn, yy + nn + 2 * (yn + ny)),
    "russell_rao": lambda yy, yn, ny, nn: ratio(yy, yy + yn + ny + nn),
    "sokal_sneath1": lambda yy, yn, ny, nn: ratio(yy, yy + 2 * (yn + ny)),
    "gower_legendre": lambda yy, yn, ny, nn: ratio(yy + nn, yy + nn + Fraction(yn + ny, 2)),
    "goodman_kruskal": lambda yy, yn, ny, nn: ratio(yy * nn - yn * ny, yy * nn + yn * ny),
    "sokal_sneath3": lambda yy, yn, ny, nn: _over_root(yy * nn, _margins(yy, yn, ny, nn)),
    "hamann": lambda yy, yn, ny, nn: ratio(yy + nn - yn - ny, yy + yn + ny + nn),
    "mcconnaughey": lambda yy, yn, ny, nn: ratio(yy**2 - yn * ny, (yy + yn) * (yy + ny)),
    "peirce": lambda yy, yn, ny, nn: ratio(yy * nn - yn * ny, (yy + yn) * (ny + nn)),
    "mirkin": lambda yy, yn, ny, nn: 2 * (yn + ny) if yy + yn + ny + nn else math.nan,
    **BLANC,
}


def best_matching(weights: list[list[Any]]) -> Any:
    """Return the largest sum over one-to-one matchings by trying them all; padding clusters weigh 0."""
    k = max(len(weights), len(weights[0]))
    padded = [[*row, *[0] * (k - len(row))] for row in weights] + [[0] * k] * (k - len(weights))
    return max(sum(padded[i][j] for i, j in enumerate(order)) for order in itertools.permutations(range(k)))


def matching_indices(a: Sequence[Any], b: Sequence[Any]) -> dict[str, float]:
    """Return the indices from optimal matching, computed as exact fractions."""
    table = contingency(a, b)
    n, rows, cols = len(a), len(table), len(table[0])
    k = max(rows, cols)
    sizes_a = [sum(row) for row in table]
    sizes_b = [sum(row[j] for row in table) for j in range(cols)]
    accuracy = Fraction(best_matching(table), n)
    shares = best_matching([[Fraction(x, sizes_a[i]) for x in row] for i, row in enumerate(table)])
    overlap = best_matching(
        [[Fraction(x, max(sizes_a[i], sizes_b[j])) for j, x in enumerate(row)] for i, row in enumerate(table)]
    )
    by_size = zip(sorted(sizes_a, reverse=True), sorted(sizes_b, reverse=True), strict=False)
    expected = sum((Fraction(x * y, n * max(x, y)) for x, y in by_size), Fraction(0))
    same = pair_counts(a, b)[1:3] == (0, 0)
    psi = Fraction(1) if same else (overlap - expected) / (k - expected)
    simplified = Fraction(1) if same else (overlap - 1) / (k - 1)
    return {
        "pivoted_accuracy": float(accuracy),
        "normalized_accuracy": 1.0 if same else float((accuracy * k - 1) / (k - 1)),
        "adjusted_asymmetric_accuracy": 1.0 if same else float((shares - 1) / (k - 1)),
        "pair_sets_index": float(max(psi, 0)),
        "pair_sets_index_unclipped": float(psi),
        "simplified_pair_sets_index": float(max(simplified, 0)),
        "simplified_pair_sets_index_unclipped": float(simplified),
        "classification_error": float(1 - accuracy),
    }


def _members(labels: Sequence[Any], label: Any) -> set[int]:
    return {i for i, x in enumerate(labels) if x == label}


def set_indices(a: Sequence[Any], b: Sequence[Any]) -> dict[str, float]:
    """Return the indices defined by clusters as sets, and by the two clusters of each instance."""
    n = len(a)
    of_a = [_members(a, x) for x in dict.fromkeys(a)]
    of_b = [_members(b, x) for x in dict.fromkeys(b)]
    own_a = [_members(a, x) for x in a]
    own_b = [_members(b, x) for x in b]
    purity = Fraction(sum(max(len(x & y) for x in of_a) for y in of_b), n)
    inverse = Fraction(sum(max(len(x & y) for y in of_b) for x in of_a), n)
    precision = sum(Fraction(len(x & y), len(y)) for x, y in zip(own_a, own_b, strict=True)) / n
    recall = sum(Fraction(len(x & y), len(x)) for x, y in zip(own_a, own_b, strict=True)) / n
    return {
        "purity": float(purity),
        "inverse_purity": float(inverse),
        "van_dongen": float(2 * n - n * purity - n * inverse),
        "larsen_aone": float(
            sum(max(Fraction(2 * len(x & y), len(x) + len(y)) for y in of_b) for x in of_a) / len(of_a)
        ),
        "bcubed_precision": float(precision),
        "bcubed_recall": float(recall),
        "bcubed_f": float(2 * precision * recall / (precision + recall)),
        "element_centric": math.fsum(element_centric_scores(a, b)) / n,
    }


def element_centric_scores(
    a: Sequence[Any], b: Sequence[Any], alpha: Fraction = Fraction(9, 10)
) -> list[float]:
    """Compare, for each instance, the two personalised PageRank vectors of its cluster (Gates et al.)."""
    n = len(a)

    def affinities(labels: Sequence[Any], i: int) -> list[Fraction]:
        own = _members(labels, labels[i])
        return [alpha * (j in own) / len(own) + (1 - alpha) * (i == j) for j in range(n)]

    return [
        float(
            1 - sum(abs(x - y) for x, y in zip(affinities(a, i), affinities(b, i), strict=True)) / (2 * alpha)
        )
        for i in range(n)
    ]


# --- information ------------------------------------------------------------------------------------------------


def _entropy(labels: Sequence[Any]) -> mpmath.mpf:
    n = len(labels)
    return -mpmath.fsum(mpmath.mpf(c) / n * mpmath.log(mpmath.mpf(c) / n) for c in Counter(labels).values())


def expected_mutual_information(row_sums: Sequence[int], col_sums: Sequence[int]) -> mpmath.mpf:
    """Sum over all cells and their possible counts, with exact hypergeometric weights (Vinh, Epps & Bailey)."""
    n = sum(row_sums)
    total = mpmath.mpf(0)
    for (a, times_a), (b, times_b) in itertools.product(Counter(row_sums).items(), Counter(col_sums).items()):
        ways = mpmath.mpf(math.comb(n, b))
        for k in range(max(1, a + b - n), min(a, b) + 1):
            weight = math.comb(a, k) * math.comb(n - a, b - k) / ways
            total += times_a * times_b * weight * mpmath.mpf(k) / n * mpmath.log(mpmath.mpf(n) * k / (a * b))
    return total


def _share(numerator: mpmath.mpf, denominator: mpmath.mpf) -> float:
    tiny = mpmath.mpf(10) ** (5 - mpmath.mp.dps)
    if abs(denominator) < tiny:
        return math.nan if abs(numerator) < tiny else math.inf
    return float(numerator / denominator)


def information_indices(a: Sequence[Any], b: Sequence[Any]) -> dict[str, float]:
    """Return the information indices, computed to 40 digits and rounded once."""
    with mpmath.workdps(40):
        h_a, h_b = _entropy(a), _entropy(b)
        joint = _entropy(list(zip(a, b, strict=True)))
        mutual = h_a + h_b - joint
        expected = expected_mutual_information(list(Counter(a).values()), list(Counter(b).values()))
        same = pair_counts(a, b)[1:3] == (0, 0)
        averages = {
            "": (h_a + h_b) / 2,
            "_geometric": mpmath.sqrt(abs(h_a * h_b)),
            "_min": min(h_a, h_b),
            "_max": max(h_a, h_b),
            "_joint": joint,
        }
        found = {
            "entropy_true": float(h_a),
            "entropy_pred": float(h_b),
            "joint_entropy": float(joint),
            "mutual_information": float(mutual),
            "expected_mutual_information": float(expected),
            "variation_of_information": float(2 * joint - h_a - h_b),
            "normalized_variation_of_information": 0.0 if same else _share(joint - mutual, joint),
            "normalized_information_distance": 0.0 if same else _share(max(h_a, h_b) - mutual, max(h_a, h_b)),
            "homogeneity": 1.0 if same else _share(mutual, h_a),
            "completeness": 1.0 if same else _share(mutual, h_b),
            "v_measure": 1.0 if same else _share(2 * mutual, h_a + h_b),
        }
        for name, average in averages.items():
            found[f"nmi{name}"] = 1.0 if same else _share(mutual, average)
            found[f"ami{name}"] = 1.0 if same else _share(mutual - expected, average - expected)
        return found


def external_indices(a: Sequence[Any], b: Sequence[Any]) -> dict[str, float]:
    """Return all external indices of two label vectors."""
    pairs = pair_counts(a, b)
    return {
        **{name: formula(*pairs) for name, formula in PAIR_INDICES.items()},
        **matching_indices(a, b),
        **set_indices(a, b),
        **information_indices(a, b),
        **coreference_indices(a, b),
        **table_measures(a, b),
    }


# --- scores of classifiers --------------------------------------------------------------------------------------


def classification_scores(g: Sequence[Any], p: Sequence[Any]) -> dict[str, float]:
    """Return the scores of a classifier from the instances with each label."""
    n = len(g)
    labels = sorted({*g, *p}, key=str)
    right = {c: sum(x == y == c for x, y in zip(g, p, strict=True)) for c in labels}
    true = {c: sum(x == c for x in g) for c in labels}
    said = {c: sum(x == c for x in p) for c in labels}
    correct = sum(right.values())
    chance = sum(true[c] * said[c] for c in labels)
    return {
        **scores_as_a_whole(g, p),
        **scores_by_class(g, p),
        "matthews_correlation": _over_root(
            n * correct - chance,
            (n * n - sum(x * x for x in true.values())) * (n * n - sum(x * x for x in said.values())),
        ),
    }
