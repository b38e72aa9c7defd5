"""The pages that are made from a single result: what each is called, and its section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adjudge._report.among_candidates import among_candidates
from adjudge._report.are_there_clusters import are_there_clusters
from adjudge._report.evaluated import evaluated
from adjudge._report.gate_section import gate_section
from adjudge._report.k_choice import number_of_clusters
from adjudge._report.over_datasets import over_datasets
from adjudge.inference.clusters.cluster_tests import ClustersTest
from adjudge.results import Choice, Evaluation, Evaluations, KChoice
from adjudge.results.benchmark import Benchmark
from adjudge.results.gate import Gate


@dataclass(frozen=True)
class PageOfResult:
    """A page that is made from a single result.

    Attributes
    ----------
    of : type, or tuple of types
    made_by : str
        What returns it.
    title, section : str
        Titles of the page and of its section.
    build : callable
        Reduces the result to what the section shows, as plain JSON.
    """

    of: type[Any] | tuple[type[Any], ...]
    made_by: str
    title: str
    section: str
    build: Callable[[Any], dict[str, Any]]


#: By the option of `report` that takes the result.
PAGES = {
    "benchmark": PageOfResult(
        Benchmark,
        "benchmark()",
        "Which model is better over many data sets?",
        "Models over data sets",
        over_datasets,
    ),
    "choice": PageOfResult(Choice, "choose()", "Which of these clusterings?", "Candidates", among_candidates),
    "clusters_test": PageOfResult(
        ClustersTest, "clusters_test()", "Are there clusters?", "Tests of clusters", are_there_clusters
    ),
    "gate": PageOfResult(Gate, "gate()", "May the new model replace the old one?", "Gate", gate_section),
    "evaluation": PageOfResult(
        (Evaluation, Evaluations), "evaluate()", "How good is it?", "Scores", evaluated
    ),
    "k_choice": PageOfResult(KChoice, "choose_k()", "How many clusters?", "Clusters", number_of_clusters),
}


def section_of(result: Any) -> dict[str, Any]:
    """Reduce a result to what its section shows."""
    return next(page for page in PAGES.values() if isinstance(result, page.of)).build(result)
