"""What `benchmark` returns: models over data sets, their ranks, and which differences hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option, UnknownIndexError
from adjudge.given.score_table import ScoreTable
from adjudge.indices.catalog import find_index
from adjudge.inference.common.adjustments import default_correction
from adjudge.presentation import notebook
from adjudge.presentation.latex import latex
from adjudge.presentation.numbers import capitalised, count, p_text
from adjudge.presentation.plain import finite, plain_json
from adjudge.presentation.tables import Table
from adjudge.results import benchmark_tables
from adjudge.results.bayesian import Differences, Folds, Posteriors, posteriors
from adjudge.results.pooled_prayatul import AcrossDatasets
from adjudge.results.scored_models import ScoredModels
from adjudge.statistics.agreement import Agreement


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark(ScoredModels):
    """Models over data sets.

    Attributes
    ----------
    table : ScoreTable
        Scores, data sets by models; nan if there is none.
    score : str
        The name of the score.
    kind : {"clustering", "classification", "regression", "values"}, or None
        None if scores were given.
    reasons : dict of (str, str) to str
        Why a data set (first) and model (second) have no score.
    intervals : dict of str to dict of str to tuple
        (low, high) of each score by data set and model, if `confidence` was given.
    folds : Folds or None
    agreements : dict of str to dict of (str, str) to Agreement
        Prayatul matrices by data set and pair of models, if labels were given.
    sizes : dict of str to int
        Instances of each data set, if labels were given.
    costs : dict of str to dict of (str, str) to float
        "seconds" and "megabytes" by data set and model, if :meth:`~adjudge.benchmark.run` fitted the models.
    notes : tuple of str
        What was left out, and why.
    settings : dict
    """

    kind: str | None = None
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    intervals: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    folds: Folds | None = None
    agreements: dict[str, dict[tuple[str, str], Agreement]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    costs: dict[str, dict[tuple[str, str], float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    backend: str | None = None

    def bayesian(
        self,
        *,
        rope: float = 0.0,
        test: str = "signed-rank",
        pairs: Sequence[tuple[str, str]] | None = None,
        dataset: str | None = None,
        n_draws: int | None = None,
        random_state: Any = 0,
    ) -> Posteriors:
        """Compute how probable it is that a model is better than another, equivalent or worse.

        Parameters
        ----------
        rope : float, default 0
            Half the width of the region of practical equivalence: the largest difference that does not matter.
        test : {"signed-rank", "sign", "hierarchical", "correlated-t"}
            The first two read the data sets' scores, "hierarchical" the scores of all folds, "correlated-t" the folds
            of one data set.
        pairs : sequence of (str, str), optional
            Default: all, in the order of their average ranks.
        dataset : str, optional
            For "correlated-t".
        n_draws : int, optional
            Default 50,000; for "hierarchical" 20,000.
        random_state : default 0

        Returns
        -------
        Posteriors
            ``found["p", "q"].first`` is the probability that p is better.
        """
        chosen = list(combinations(self.order, 2)) if pairs is None else [(a, b) for a, b in pairs]
        known = Differences(self.table, self.folds)
        drawn = {"random_state": random_state} | ({} if n_draws is None else {"n_draws": n_draws})
        return posteriors(known, test, chosen, rope=rope, dataset=dataset, drawn=drawn)

    def power(self, *, power: float = 0.8, alpha: float = 0.05, test: str = "wilcoxon") -> Table:
        """Say what this number of data sets can show, with `alpha` divided among all pairs of models (Bonferroni).

        Parameters
        ----------
        power : float, default 0.8
        alpha : float, default 0.05
        test : {"wilcoxon", "sign"}

        Returns
        -------
        Table
            How often a model has to win for the difference to be found, and how many data sets would be needed for
            smaller differences. It does not depend on the scores: power computed from a difference that was found
            says no more than its p-value.
        """
        return benchmark_tables.power(self, power, alpha, test)

    # Prayatul over data sets

    def across(self, primary: str, alternative: str) -> AcrossDatasets:
        """Combine the Prayatul matrices of two models over all data sets."""
        for model in (primary, alternative):
            self.table.column(model)
        if primary == alternative:
            raise InputError(f"{primary!r} is not compared with itself: name two models")
        if self.kind is not None and not self.agreements:
            raise InputError(
                "the benchmark has not counted where both models are right: make it with ",
                Option("head_to_head", True),
            )
        if self.kind is None:
            raise InputError(
                "there are no predictions: give labels, not scores, to count where models are right"
            )
        by_dataset = {}
        for name, pairs in self.agreements.items():
            if (primary, alternative) in pairs:
                by_dataset[name] = pairs[primary, alternative]
            elif (alternative, primary) in pairs:
                by_dataset[name] = pairs[alternative, primary].swap()
        return AcrossDatasets(primary, alternative, self.kind, by_dataset)

    # Parts

    def subset(
        self, *, datasets: Sequence[str] | None = None, models: Sequence[str] | None = None
    ) -> Benchmark:
        """Return the benchmark of some of the data sets, or some of the models."""
        table = self.table
        if datasets is not None:
            for name in datasets:
                if name not in table.datasets:
                    raise InputError(
                        f"there is no data set {name!r}: choose one of {', '.join(map(repr, table.datasets))}"
                    )
            table = table.rows(np.array([table.datasets.index(name) for name in datasets], np.int64))
        if models is not None:
            columns = [table.column(name) for name in models]
            table = ScoreTable.of(table.datasets, models, table.values[:, columns], table.better)
        kept, chosen = set(table.datasets), set(table.models)
        return replace(
            self,
            table=table,
            agreements={
                name: {pair: a for pair, a in pairs.items() if chosen.issuperset(pair)}
                for name, pairs in self.agreements.items()
                if name in kept
            },
        )

    # Tables

    def table_of_models(self) -> Table:
        """One row per model, the best average rank first."""
        return benchmark_tables.models(self)

    def table_of_scores(self, *, ranks: bool = False) -> Table:
        """One row per data set, then average ranks; ranks in brackets if requested."""
        return benchmark_tables.scores(self, ranks)

    def table_of_effects(self, confidence: float = 0.95) -> Table:
        """One row per pair: wins, and how large the difference is."""
        return benchmark_tables.effects(self, confidence)

    def table_of_tests(self) -> Table:
        """One row per test of the hypothesis that all models are alike."""
        return benchmark_tables.tests(self)

    def table_of_intervals(self) -> Table:
        """One row per data set and model: the score and its interval, if `confidence` was given."""
        return benchmark_tables.intervals(self, self.intervals, self.settings.get("confidence"))

    def table_of_costs(self) -> Table:
        """One row per model: time and memory over all data sets, if the models were fitted here."""
        return benchmark_tables.costs(self.models, self.costs)

    def tables(self) -> list[Table]:
        """Return the tables of models, tests and pairs, and of intervals if there are some."""
        beside = [self.table_of_intervals()] if self.intervals else []
        return [self.table_of_models(), self.table_of_tests(), self.pairwise().table(), *beside]

    def sentences(
        self,
        alpha: float = 0.05,
        *,
        test: str = "ranks",
        correction: str | None = None,
        control: str | None = None,
    ) -> tuple[list[str], list[str]]:
        """Return sentences that may be written about the result, and sentences that may not, each with its reason.

        Parameters
        ----------
        alpha : float
        test, correction, control
            How pairs are tested, as for :meth:`pairwise`; the sentences name it.
        """
        from adjudge.results.benchmark_words import Procedure, sentences

        fitting = default_correction(len(self.models), control)
        procedure = Procedure(test, correction or fitting, control)
        # Leaving out each data set takes the longest, and tables, pages and files all request the sentences.
        if (alpha, procedure) not in self._sentences:
            self._sentences[alpha, procedure] = sentences(self, alpha, procedure)
        may, may_not = self._sentences[alpha, procedure]
        return list(may), list(may_not)

    @cached_property
    def _sentences(self) -> dict[Any, tuple[list[str], list[str]]]:
        return {}

    def markdown(self) -> str:
        """Return tables and sentences as Markdown, for a README or an issue."""
        may, may_not = self.sentences()
        parts = [self.table_of_scores().markdown(3), *(table.markdown() for table in self.tables())]
        parts += ["### It may be written", "\n".join(f"- {s}" for s in may)]
        parts += ["### It may not be written", "\n".join(f"- {s}" for s in may_not)]
        return "\n\n".join(parts)

    def latex(self, *, digits: int = 3, label: str = "tab:benchmark") -> str:
        """Return the table of scores for a paper (booktabs), the best of each data set in bold, ranks below."""
        table = self.table_of_scores()
        bold = set()
        for i, name in enumerate(self.datasets):
            row = np.array([self.table.sign * self.scores[name][model] for model in self.models])
            if not np.isnan(row).all():
                bold |= {(i, j + 1) for j in np.flatnonzero(row == np.nanmax(row)).tolist()}
        ranks = self.average_ranks
        best = min(ranks.values())
        bold |= {(len(self.datasets), j + 1) for j, model in enumerate(self.models) if ranks[model] == best}
        caption = self._caption()
        return latex(
            table, digits=digits, bold=bold, rules={len(self.datasets)}, caption=caption, label=label
        )

    def _caption(self) -> str:
        """Say what the table shows, and the outcome of the overall test."""
        try:
            title = find_index(self.score).title
        except UnknownIndexError:
            title = capitalised(self.score)
        models, datasets = count(len(self.models), "model"), count(len(self.datasets), "data set")
        text = (
            f"{title} of {models} on {datasets} ({self.better} is better), and average ranks. Bold: the best."
        )
        found = self.friedman
        if found.reason or self.n_complete < 2:
            return text
        return f"{text} Friedman's test of equal ranks: {p_text(found.p_value)}."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        may, may_not = self.sentences()
        return {
            "kind": "benchmark",
            "of": self.kind,
            "score": self.score,
            "better": self.better,
            "models": list(self.models),
            "datasets": list(self.datasets),
            "scores": plain_json(self.scores),
            "ranks": plain_json(self.ranks),
            "average_ranks": plain_json(self.average_ranks),
            "n_complete": self.n_complete,
            "intervals": plain_json(self.intervals),
            "tests": plain_json(self.table_of_tests().records()),
            "concordance": plain_json(self.concordance),
            "critical_difference": plain_json(self.critical_difference),
            "pairs": plain_json(self.pairwise().table().records()),
            "effects": plain_json(self.table_of_effects().records()),
            "reasons": [{"dataset": d, "model": m, "reason": why} for (d, m), why in self.reasons.items()],
            "costs": plain_json(self.table_of_costs().records()) if self.costs else [],
            "may_be_written": may,
            "may_not_be_written": may_not,
            "notes": list(self.notes),
            "settings": plain_json(self.settings),
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers for experiment trackers: ``kmeans/average_rank``."""
        metrics = {f"{model}/average_rank": rank for model, rank in self.average_ranks.items()}
        metrics |= {f"{model}/mean_{self.score}": value for model, value in self.mean_scores.items()}
        metrics |= {"friedman": self.friedman.statistic, "friedman_p": self.friedman.p_value}
        return finite(metrics)

    def to_frame(self) -> Any:
        """Return a data frame of scores and ranks, one row per data set and model."""
        rows = tuple(
            (name, model, self.scores[name][model], self.ranks[name][model])
            for name in self.datasets
            for model in self.models
        )
        return Table(("dataset", "model", self.score, "rank"), rows).frame(self.backend)

    @property
    def headline(self) -> str:
        """How many models and data sets, by which score, and which way is better."""
        models, datasets = count(len(self.models), "model"), count(len(self.datasets), "data set")
        return f"Benchmark of {models} on {datasets}: {self.score}, {self.better} is better"

    def __repr__(self) -> str:
        may, _ = self.sentences()
        parts = [self.headline, *(table.text() for table in self.tables()), "\n".join(may)]
        parts += [f"Note: {note}" for note in self.notes]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        may, may_not = self.sentences()
        parts = [notebook.sentence(self.headline), *(notebook.table(table) for table in self.tables())]
        parts += [notebook.sentence(text, "May be written:") for text in may]
        parts += [notebook.sentence(text, "May not be written:") for text in may_not]
        parts += [notebook.sentence(note, "Note:") for note in self.notes]
        return notebook.fragment(*parts)
