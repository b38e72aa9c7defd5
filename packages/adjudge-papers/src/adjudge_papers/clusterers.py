"""Our own study: ten clusterers on the data sets bundled with adjudge, and which differences hold up."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge_papers.reproduction import Reproduction
from adjudge_papers.verdicts import Finding

if TYPE_CHECKING:
    from adjudge.results.benchmark import Benchmark

__all__ = ["clusterers", "reproduce"]

# Differences of the adjusted Rand index that count as zero.
_ROPE = 0.02


def clusterers() -> dict[str, Any]:
    """Return the ten clusterers, with scikit-learn's defaults where these work well; all but HDBSCAN are given K."""
    from sklearn.cluster import (
        HDBSCAN,
        AgglomerativeClustering,
        Birch,
        BisectingKMeans,
        KMeans,
        MiniBatchKMeans,
        SpectralClustering,
    )
    from sklearn.mixture import GaussianMixture

    return {
        "k-means": KMeans(n_init=10),
        "mini-batch k-means": MiniBatchKMeans(n_init=10),
        "bisecting k-means": BisectingKMeans(),
        "Gaussian mixture": GaussianMixture(n_init=5),
        "BIRCH": Birch(threshold=0.1),
        "Ward": AgglomerativeClustering(linkage="ward"),
        "average linkage": AgglomerativeClustering(linkage="average"),
        "single linkage": AgglomerativeClustering(linkage="single"),
        "spectral": SpectralClustering(affinity="nearest_neighbors", assign_labels="cluster_qr"),
        "HDBSCAN": HDBSCAN(min_cluster_size=15, copy=True),
    }


def reproduce(*, random_state: int = 0, work: str | Path | None = None) -> Reproduction:
    """Run the study.

    Parameters
    ----------
    random_state : int, default 0
    work : path-like, optional
        Folder for finished fits; an interrupted run resumes from them.
    """
    from adjudge.displays import (
        CriticalDifferenceDisplay,
        DatasetMapDisplay,
        RankDistributionDisplay,
        WinTieLossDisplay,
    )
    from adjudge.verbs.benchmark import benchmark

    result = benchmark.run(
        clusterers(), "bundled", work=work, random_state=random_state, missing_score=0.0, head_to_head=False
    )
    shown = {
        "critical-difference": CriticalDifferenceDisplay,
        "scores": DatasetMapDisplay,
        "ranks": RankDistributionDisplay,
        "wins": WinTieLossDisplay,
    }
    tables = {
        "models": result.table_of_models(),
        "tests": result.table_of_tests(),
        "pairs": result.pairwise(correction="shaffer").table(),
        "signed-ranks": result.pairwise("wilcoxon", correction="holm").table(),
        "bayesian": result.bayesian(rope=_ROPE, random_state=random_state).table(),
        "power": result.power(),
        "scores": result.table_of_scores(),
        "cost": result.table_of_costs(),
    }
    return Reproduction(
        name="clusterers",
        title="Ten clusterers on twenty-six data sets",
        source="adjudge's own study, on data from scikit-learn, generated data, and thirteen sets of the battery wut.",
        findings=tuple(_findings(result)),
        tables=tables,
        figures={name: partial(_drawn, display, result) for name, display in shown.items()},
        notes=(*result.notes, *_words(result)),
        settings={**result.settings, "rope": _ROPE},
    )


def _drawn(display: Any, result: Benchmark) -> Any:
    return display.from_result(result).plot().figure_


def _words(result: Benchmark) -> list[str]:
    may, may_not = result.sentences()
    return [f"May be written: {text}" for text in may] + [f"May not be written: {text}" for text in may_not]


def _findings(result: Benchmark) -> list[Finding]:
    """Check whether these data support common claims."""
    by_ranks = result.pairwise(correction="shaffer")
    by_signs = result.pairwise("wilcoxon", correction="holm")
    posteriors = result.bayesian(rope=_ROPE)
    ranks = result.average_ranks
    claims = (
        ("k-means", "single linkage"),
        ("Ward", "average linkage"),
        ("k-means", "Ward"),
        ("Gaussian mixture", "k-means"),
        ("spectral", "k-means"),
        ("HDBSCAN", "k-means"),
    )
    found = []
    for first, second in claims:
        holds = ranks[first] < ranks[second] and max(by_ranks[first, second], by_signs[first, second]) <= 0.05
        evidence = (
            f"average ranks {ranks[first]:.2f} and {ranks[second]:.2f}; p = {by_ranks[first, second]:.3f} by ranks "
            f"(Shaffer), {by_signs[first, second]:.3f} by signed ranks (Holm); {_three(posteriors[first, second])}"
        )
        found.append(Finding(f"{first} does better than {second}", holds, evidence))
    same = posteriors["k-means", "mini-batch k-means"]
    statement = "k-means and mini-batch k-means are practically equivalent"
    found.append(Finding(statement, same.rope > 0.95, _three(same)))
    return found


def _three(posterior: Any) -> str:
    shares = f"{posterior.first:.2f}, {posterior.rope:.2f}, {posterior.second:.2f}"
    return f"probability of better, equivalent, worse: {shares}"
