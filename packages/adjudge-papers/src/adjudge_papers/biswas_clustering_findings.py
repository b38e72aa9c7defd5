"""Biswas, Prayatul matrix for clustering: the paper's statements, checked against its tables and the partitions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.results import Comparison
from adjudge_papers.prayatul import SYMBOLS, class_scores, rightness_from_alpha_phi, xi_gap
from adjudge_papers.verdicts import Finding

__all__ = ["conclusions", "contradictions"]

ROUNDING = 0.00005  # half a unit of the printed fourth decimal

Labels = dict[str, NDArray[np.int64]]


def conclusions(compared: Mapping[str, Comparison], kmeans: str) -> list[Finding]:
    """Check the paper's conclusions on given partitions."""
    ns = compared["NS"]

    def sigma(comparison: Comparison, primary: str, alternative: str) -> float:
        return comparison[primary, alternative].measures["comparative_deviation"]

    perfect = {
        f"{data} {a}": compared[data].scores[a]["rand"]
        for data in ("NC", "NM")
        for a in ("DBSCAN", "Spectral")
    }
    worse = {
        f"{data} {a}/{b}": sigma(compared[data], a, b)
        for data in compared
        for a in ("BIRCH", kmeans)
        for b in ("DBSCAN", "Spectral")
    }
    duel = {data: sigma(found, "BIRCH", kmeans) for data, found in compared.items()}
    return [
        Finding(
            "DBSCAN and Spectral find the true clusters of Noisy Circles and Noisy Moons",
            set(perfect.values()) == {1.0},
            f"Rand: {_list(perfect)}",
        ),
        Finding(
            f"Where they disagree with DBSCAN or Spectral, BIRCH and {kmeans} are wrong more often",
            all(value < 0 for value in worse.values()),
            f"sigma_c: {_list(worse)}",
        ),
        Finding(
            f"BIRCH is ahead of {kmeans} on Noisy Circles and Noisy Moons",
            duel["NC"] > 0 and duel["NM"] > 0,
            f"sigma_c: {_list({d: duel[d] for d in ('NC', 'NM')})}",
        ),
        Finding(
            f"{kmeans} is ahead of BIRCH on Aniso (comparative deviation)",
            duel["NS"] < 0,
            f"sigma_c(BIRCH, {kmeans}) = {duel['NS']:.4f}",
        ),
        Finding(
            "DBSCAN is ahead of Spectral on Aniso",
            sigma(ns, "DBSCAN", "Spectral") > 0,
            f"sigma_c(DBSCAN, Spectral) = {sigma(ns, 'DBSCAN', 'Spectral'):.4f}",
        ),
    ]


def contradictions(
    printed: Mapping[str, Any], compared: Mapping[str, Comparison], partitions: Mapping[str, Labels]
) -> list[Finding]:
    """Check the paper's tables against the identities that they must satisfy, and its text against its tables."""
    return [
        *_identities(printed),
        *_kmeans_against_birch(printed, compared),
        *_readings(printed, compared, partitions),
        *_theorems(),
        _averages(partitions["NS"]),
    ]


def _identities(printed: Mapping[str, Any]) -> list[Finding]:
    opposite = [
        f"{data} {p}/{q} {row['sigma_c']} and {printed[data][q][p]['sigma_c']}"
        for data, primaries in printed.items()
        for p, alternatives in primaries.items()
        for q, row in alternatives.items()
        if p < q and abs(float(row["sigma_c"]) + float(printed[data][q][p]["sigma_c"])) > 2 * ROUNDING
    ]
    gaps = [
        abs(xi_gap(row))
        for primaries in printed.values()
        for rows in primaries.values()
        for row in rows.values()
    ]
    spreads = {}
    for data, primaries in printed.items():
        for p, rows in primaries.items():
            shares = [rightness_from_alpha_phi(float(r["alpha"]), float(r["phi_e"])) for r in rows.values()]
            spreads[f"{data} {p}"] = max(shares) - min(shares)
    widest = max(spreads, key=lambda key: spreads[key])
    return [
        Finding(
            "sigma_c(P, Q) = -sigma_c(Q, P) in every pair of printed cells",
            not opposite,
            "; ".join(opposite) or "all 18 pairs",
        ),
        Finding(
            "xi_e = 2 xi_c - 1 in every printed row, within rounding",
            max(gaps) <= 3 * ROUNDING + 1e-12,
            f"largest gap {max(gaps):.4f} in {len(gaps)} rows",
        ),
        Finding(
            "alpha + phi = 3 A - 1 gives each algorithm one share A of right pairs, whatever it is compared with",
            max(spreads.values()) < 2 * ROUNDING,
            f"widest spread {spreads[widest]:.5f} ({widest})",
        ),
    ]


def _kmeans_against_birch(printed: Mapping[str, Any], compared: Mapping[str, Comparison]) -> list[Finding]:
    ahead = {
        f"{data} {symbol}": (
            printed[data]["KMeans"]["BIRCH"][symbol],
            printed[data]["BIRCH"]["KMeans"][symbol],
        )
        for data in ("NC", "NM")
        for symbol in SYMBOLS
    }
    ari, nmi, ami = (
        {data: tuple(found.scores[a][index] for a in ("KMeans", "BIRCH")) for data, found in compared.items()}
        for index in ("adjusted_rand", "nmi", "ami")
    )
    duels = {data: found["BIRCH", "KMeans"] for data, found in compared.items()}
    return [
        Finding(
            "Text: KMeans is better than BIRCH on NC and NM by xi_c, xi_e, NMI, ARI and AMI",
            all(float(k) > float(b) for key, (k, b) in ahead.items() if "xi" in key),
            "printed KMeans/BIRCH: "
            + ", ".join(f"{key} {k}/{b}" for key, (k, b) in ahead.items() if "xi" in key)
            + "; ARI "
            + ", ".join(f"{d} {ari[d][0]:.4f}/{ari[d][1]:.4f}" for d in ("NC", "NM")),
        ),
        Finding(
            "Text: KMeans is better than BIRCH on Aniso, by every score",
            all(scores["NS"][0] > scores["NS"][1] for scores in (ari, nmi, ami)),
            f"KMeans/BIRCH: ARI {ari['NS'][0]:.4f}/{ari['NS'][1]:.4f}, NMI {nmi['NS'][0]:.4f}/{nmi['NS'][1]:.4f}, "
            f"AMI {ami['NS'][0]:.4f}/{ami['NS'][1]:.4f}",
        ),
        Finding(
            "Text: RW is slightly above WR for BIRCH against KMeans",
            all(0 < d.right_wrong - d.wrong_right < 0.1 * d.right_wrong for d in duels.values()),
            ", ".join(f"{data} {d.right_wrong:,}/{d.wrong_right:,}" for data, d in duels.items()),
        ),
    ]


def _readings(
    printed: Mapping[str, Any], compared: Mapping[str, Comparison], partitions: Mapping[str, Labels]
) -> list[Finding]:
    """Check how the text interprets printed values."""
    disagreements = {data: compared[data]["DBSCAN", "Spectral"] for data in ("NC", "NM")}
    never = [f"{data}: RW + WR = {d.agreement.disagreements}" for data, d in disagreements.items()]
    half = {a: _matched_share(partitions["NC"]["G"], partitions["NC"][a]) for a in ("BIRCH", "KMeans")}
    return [
        Finding(
            "sigma_c = 0 for DBSCAN against Spectral on NC and NM means that neither is ahead",
            all(d.agreement.disagreements > 0 for d in disagreements.values()),
            f"{', '.join(never)}: 0/0, undefined; the program adds 0.0001 to the denominator",
        ),
        Finding(
            "Text: the polarization of about 0.5 on NC is the share of instances that are clustered correctly",
            all(
                abs(float(printed["NC"][a]["DBSCAN"]["alpha"]) - share) < ROUNDING
                for a, share in half.items()
            ),
            "alpha counts pairs of instances; share of instances after the best matching and alpha against DBSCAN: "
            + ", ".join(f"{a} {s:.4f} and {printed['NC'][a]['DBSCAN']['alpha']}" for a, s in half.items()),
        ),
    ]


def _theorems() -> list[Finding]:
    return [
        Finding(
            "Theorem 5: BW enters xi_c and xi_e; no measure of P rises when only Q improves",
            _alpha(5, 2, 2, 1) <= _alpha(5, 2, 1, 2),
            "neither xi_c nor xi_e contains BW; moving pairs from BW to WR (only Q improves) raises "
            f"alpha from {_alpha(5, 2, 1, 2):.2f} to {_alpha(5, 2, 2, 1):.2f} at (BR, RW, WR, BW) = (5, 2, 1, 2)",
        ),
        Finding(
            "Theorem 6: sigma_c changes little when one pair is added",
            abs(_sigma(1, 0) - _sigma(0, 1)) < 0.1,
            f"the first pair on which two models disagree makes it {_sigma(1, 0):g} or {_sigma(0, 1):g}",
        ),
    ]


def _averages(partitions: Labels) -> Finding:
    dbscan = class_scores(partitions["G"], partitions["DBSCAN"])
    return Finding(
        "Table II, Aniso, DBSCAN: precision and recall are means over the same labels",
        math.isclose(dbscan["Pre"], 0.2, abs_tol=5e-5) and math.isclose(dbscan["Rec"], dbscan["Pre"]),
        f"precision {dbscan['Pre']:.4f} is a mean over 5 labels (including noise), recall {dbscan['Rec']:.4f} "
        "over the 3 true classes",
    )


def _matched_share(truth: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    from adjudge.indices.catalog import find_index

    return find_index("pivoted_accuracy")(truth, found)


def _alpha(br: int, rw: int, wr: int, bw: int) -> float:
    return (br + rw - bw) / (br + rw + wr + bw)


def _sigma(rw: int, wr: int) -> float:
    return (rw - wr) / (rw + wr)


def _list(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in values.items())
