"""What `benchmark` returns: models over data sets, their ranks, and which differences hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice
from adjudge.given.score_table import ScoreTable, settled
from adjudge.inference.paired import PairedEffects, paired_effects
from adjudge.inference.posterior import (
    Posterior,
    check_rope,
    correlated_t_posterior,
    sign_posterior,
    signed_rank_posterior,
)
from adjudge.inference.rank_comparison import PairwiseTests, pairwise_tests
from adjudge.inference.rank_power import datasets_needed, detectable, rank_test_power, smallest_p_value
from adjudge.inference.ranks import OVERALL, kendall_w, nemenyi_difference
from adjudge.inference.significance import TestResult
from adjudge.presentation import notebook
from adjudge.presentation.latex import latex
from adjudge.presentation.numbers import count, percent_text, show_number
from adjudge.presentation.tables import Table
from adjudge.results.across import AcrossDatasets
from adjudge.results.bayesian import Posteriors
from adjudge.results.plain import finite, plain_json
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.rankings import Rankings

__all__ = ["Benchmark", "Folds"]

Float64s = NDArray[np.float64]

BAYESIAN = ("signed-rank", "sign", "hierarchical", "correlated-t")
# With more data sets than this, none decides a comparison alone, and searching takes long.
_MOST_LEFT_OUT = 200


@dataclass(frozen=True)
class Folds:
    """Scores by fold: of each data set and model, and the share of the instances that a fold tests."""

    scores: dict[str, dict[str, Float64s]]
    test_shares: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """Models over data sets.

    Attributes
    ----------
    table : ScoreTable
        Scores, data sets by models; nan if there is none.
    score : str
        The name of the score.
    kind : {"clustering", "classification"}, or None
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
        "seconds" and "megabytes" by data set and model, if :meth:`benchmark.run` fitted the models.
    notes : tuple of str
        What was left out, and why.
    settings : dict
    """

    table: ScoreTable
    score: str
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

    # What was measured

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return self.table.models

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, in the order given."""
        return self.table.datasets

    @property
    def better(self) -> str:
        """Which scores are better, "higher" or "lower"."""
        return self.table.better

    @property
    def n_complete(self) -> int:
        """Data sets that every model has a score on: those that ranks are taken on."""
        return int(self.table.complete.sum())

    @cached_property
    def scores(self) -> dict[str, dict[str, float]]:
        """Scores by data set and model: ``scores["iris"]["k-means"]``."""
        return self._by_dataset(self.table.values)

    @cached_property
    def ranks(self) -> dict[str, dict[str, float]]:
        """Ranks by data set and model, 1 is best; nan on data sets that some model has no score on."""
        ranks = np.full(self.table.values.shape, math.nan)
        ranks[self.table.complete] = self.rankings.ranks
        return self._by_dataset(ranks)

    def _by_dataset(self, values: Float64s) -> dict[str, dict[str, float]]:
        return {
            name: dict(zip(self.models, map(float, row), strict=True))
            for name, row in zip(self.datasets, values, strict=True)
        }

    @cached_property
    def rankings(self) -> Rankings:
        """What the rank tests read."""
        return Rankings.of(self.table)

    @property
    def average_ranks(self) -> dict[str, float]:
        """Average rank by model, 1 is best."""
        return dict(zip(self.models, map(float, self.rankings.average), strict=True))

    @property
    def mean_scores(self) -> dict[str, float]:
        """Mean score by model over the data sets that every model has a score on."""
        kept = self.table.values[self.table.complete]
        means = kept.mean(axis=0) if len(kept) else np.full(len(self.models), math.nan)
        return dict(zip(self.models, map(float, means), strict=True))

    @property
    def best_on(self) -> dict[str, int]:
        """On how many data sets each model ranks first, ties included."""
        ranks = self.rankings.ranks
        found = (ranks == ranks.min(axis=1, keepdims=True, initial=math.inf)).sum(axis=0)
        return dict(zip(self.models, map(int, found), strict=True))

    @property
    def order(self) -> list[str]:
        """Models from the best average rank to the worst."""
        ranks = self.average_ranks
        return sorted(self.models, key=lambda model: (math.isnan(ranks[model]), ranks[model]))

    # Tests

    @cached_property
    def friedman(self) -> TestResult:
        """Friedman's test that all models rank alike, ties corrected."""
        return OVERALL["friedman"](self.rankings)

    @property
    def iman_davenport(self) -> TestResult:
        """Iman and Davenport's version, closer to its level for few data sets."""
        return self.overall("iman-davenport")

    def overall(self, test: str = "friedman") -> TestResult:
        """Test that all models are alike: "friedman", "iman-davenport", "quade" or "aligned-ranks"."""
        check_choice("test", test, tuple(OVERALL))
        return OVERALL[test](self.rankings)

    @property
    def concordance(self) -> float:
        """Kendall's W, the effect size of Friedman's test: 0 to 1."""
        return kendall_w(self.rankings)

    @cached_property
    def critical_difference(self) -> float:
        """By how much average ranks have to differ at 5 % (Nemenyi)."""
        return self.nemenyi_difference(0.05)

    def nemenyi_difference(self, alpha: float) -> float:
        """By how much average ranks have to differ at a level."""
        if not self.n_complete:
            return math.nan
        return nemenyi_difference(self.n_complete, len(self.models), alpha)

    def pairwise(
        self,
        test: str = "ranks",
        *,
        correction: str = "holm",
        control: str | None = None,
        zeros: str = "pratt",
    ) -> PairwiseTests:
        """Test pairs of models.

        Parameters
        ----------
        test : {"ranks", "wilcoxon", "sign", "quade", "aligned-ranks"}
            "ranks" compares average ranks, and so depends on which other models take part; "wilcoxon" and "sign"
            read the two models' scores alone.
        correction : str
            "holm", "shaffer", "bergmann-hommel" (up to nine models), "nemenyi" (of ranks), "hochberg", "hommel",
            "finner", "li", "holm-sidak", "bonferroni" or "none".
        control : str, optional
            Compare every other model with this one, which must be chosen before seeing the scores.
        zeros : {"pratt", "drop", "split"}
            Of the signed-rank test; see :func:`adjudge.inference.paired.signed_rank_test`.

        Returns
        -------
        PairwiseTests
            ``found["p", "q"]`` is the adjusted p-value.
        """
        return pairwise_tests(self.table, test=test, correction=correction, control=control, zeros=zeros)

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
        """Say how probable it is that a model is better, equivalent or worse.

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
            Of "correlated-t".
        n_draws : int, optional
            Default 50,000; for "hierarchical" 20,000.
        random_state : default 0

        Returns
        -------
        Posteriors
            ``found["p", "q"].first`` is the probability that p is better.
        """
        check_choice("test", test, BAYESIAN)
        check_rope(rope)
        chosen = list(combinations(self.order, 2)) if pairs is None else [(a, b) for a, b in pairs]
        options = {"rope": rope, "random_state": random_state}
        if n_draws is not None:
            options["n_draws"] = n_draws
        found = {}
        for pair in chosen:
            if test == "correlated-t":
                found[pair] = self._correlated(pair, dataset, rope)
            elif test == "hierarchical":
                found[pair] = self._hierarchical(pair, options)
            else:
                posterior = signed_rank_posterior if test == "signed-rank" else sign_posterior
                found[pair] = posterior(self.table.differences(*pair), **options)
        return Posteriors(test, float(rope), found)

    def _fold_differences(self, pair: tuple[str, str]) -> dict[str, Float64s]:
        """Differences by fold on the data sets that both models have all folds on."""
        for model in pair:
            self.table.column(model)
        if self.folds is None:
            raise InputError(
                "there are no folds: give scores by fold, or use ",
                Option("test", "signed-rank"),
                ", which reads the data sets' scores",
            )
        first, second = pair
        found = {}
        for name, by_model in self.folds.scores.items():
            if first in by_model and second in by_model and len(by_model[first]) == len(by_model[second]):
                differences = self.table.sign * (by_model[first] - by_model[second])
                if not np.isnan(differences).any():
                    found[name] = settled(differences)
        return found

    def _hierarchical(self, pair: tuple[str, str], options: dict[str, Any]) -> Posterior:
        from adjudge.inference.hierarchical import hierarchical_posterior

        differences = self._fold_differences(pair)
        shares = [self.folds.test_shares[name] for name in differences] if self.folds else []
        return hierarchical_posterior(list(differences.values()), test_shares=shares, **options)

    def _correlated(self, pair: tuple[str, str], dataset: str | None, rope: float) -> Posterior:
        differences = self._fold_differences(pair)
        if dataset is None and len(differences) == 1:
            dataset = next(iter(differences))
        if dataset not in differences or self.folds is None:
            known = ", ".join(map(repr, differences))
            raise InputError(
                Option("dataset", dataset), f": name the data set whose folds are compared, one of {known}"
            )
        share = self.folds.test_shares[dataset]
        return correlated_t_posterior(differences[dataset], rope=rope, test_share=share)

    def effects(self, confidence: float = 0.95) -> dict[tuple[str, str], PairedEffects]:
        """How much better the first of two models is, in the order of their average ranks."""
        return {
            pair: paired_effects(self.table.differences(*pair), confidence)
            for pair in combinations(self.order, 2)
        }

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
        n, k = self.n_complete, len(self.models)
        pairs = math.comb(k, 2)
        options: dict[str, Any] = {"power": power, "alpha": alpha, "test": test}
        rows: list[tuple[str, Any]] = [
            ("data sets", n),
            ("comparisons of two models", pairs),
            ("smallest p-value that can be", smallest_p_value(n, pairs)),
            ("wins that are found, all pairs", detectable(n, n_comparisons=pairs, **options)),
            ("wins that are found, one comparison", detectable(n, **options)),
        ]
        for share in (0.9, 0.8, 0.7, 0.6):
            needed = datasets_needed(share, n_comparisons=pairs, **options)
            rows.append((f"data sets needed for a model that wins {percent_text(share)}", needed))
        for concordance in (0.1, 0.3):
            found = rank_test_power(n, k, concordance, alpha) if n > 1 else math.nan
            rows.append((f"power of Friedman's test at a concordance of {concordance}", found))
        return Table(
            ("quantity", "value"),
            tuple(rows),
            f"What {n} data sets can show ({test}, power {percent_text(power)})",
        )

    def decisive(self, alpha: float = 0.05, **options: Any) -> dict[tuple[str, str], list[str]]:
        """Pairs whose significance rests on one data set: those without which the decision is another.

        Parameters
        ----------
        alpha : float
        **options
            As for :meth:`pairwise`.
        """
        if len(self.datasets) > _MOST_LEFT_OUT:
            return {}
        whole = {pair for pair, p in self.pairwise(**options).items() if p <= alpha}
        found: dict[tuple[str, str], list[str]] = {}
        for i, name in enumerate(self.datasets):
            rest = self.table.rows(np.delete(np.arange(len(self.datasets)), i))
            for pair, p in pairwise_tests(rest, **options).items():
                if (pair in whole) and not p <= alpha:
                    found.setdefault(pair, []).append(name)
        return found

    # Prayatul over data sets

    def across(self, primary: str, alternative: str) -> AcrossDatasets:
        """Put the Prayatul matrices of two models on all data sets together."""
        for model in (primary, alternative):
            self.table.column(model)
        if primary == alternative:
            raise InputError(f"{primary!r} is not compared with itself: name two models")
        if self.kind is None or not self.agreements:
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
        ranks, means, best = self.average_ranks, self.mean_scores, self.best_on
        rows = []
        for model in self.order:
            i = self.table.column(model)
            missing = int(np.isnan(self.table.values[:, i]).sum())
            rows.append((model, ranks[model], means[model], best[model], missing))
        columns = ("model", "average rank", f"mean {self.score}", "best on", "no score on")
        kept = columns if any(row[-1] for row in rows) else columns[:-1]
        title = f"Models over {count(self.n_complete, 'data set')}"
        return Table(kept, tuple(row[: len(kept)] for row in rows), title)

    def table_of_scores(self, *, ranks: bool = False) -> Table:
        """One row per data set, then average ranks; ranks in brackets if requested."""
        rows: list[tuple[Any, ...]] = []
        for name in self.datasets:
            cells: list[Any] = [name]
            for model in self.models:
                value: Any = self.scores[name][model]
                if ranks and not math.isnan(self.ranks[name][model]):
                    value = f"{show_number(value, 3)} ({self.ranks[name][model]:g})"
                cells.append(None if isinstance(value, float) and math.isnan(value) else value)
            rows.append(tuple(cells))
        rows.append(("average rank", *(self.average_ranks[model] for model in self.models)))
        return Table(("data set", *self.models), tuple(rows), f"{self.score} ({self.better} is better)")

    def table_of_effects(self, confidence: float = 0.95) -> Table:
        """One row per pair: wins, and how large the difference is."""
        rows = tuple(
            (*pair, e.wins, e.ties, e.losses, e.mean, e.median, e.low, e.high, e.rank_biserial)
            for pair, e in self.effects(confidence).items()
        )
        columns = (
            "first",
            "second",
            "wins",
            "ties",
            "losses",
            "mean difference",
            "median",
            "low",
            "high",
            "rank-biserial",
        )
        return Table(
            columns,
            rows,
            f"How much better the first is (interval of the median: {percent_text(confidence)})",
        )

    def table_of_tests(self) -> Table:
        """One row per test that all models are alike."""
        rows = []
        for name in OVERALL:
            found = self.overall(name)
            rows.append((name, found.statistic, found.p_value, found.reason or ""))
        columns = ("test", "statistic", "p", "note")
        if not any(row[-1] for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]  # type: ignore[assignment, misc]
        return Table(columns, tuple(rows), "All models alike?")

    def table_of_costs(self) -> Table:
        """One row per model: time and memory over all data sets, if the models were fitted here."""
        rows = []
        for model in self.models:
            found = [
                [value for (_, m), value in self.costs.get(what, {}).items() if m == model]
                for what in ("seconds", "megabytes")
            ]
            seconds, memory = found
            rows.append(
                (model, math.fsum(seconds), max(seconds, default=math.nan), max(memory, default=math.nan))
            )
        return Table(("model", "seconds in all", "slowest", "most MB"), tuple(rows), "Cost")

    def tables(self) -> list[Table]:
        """Models, tests, pairs."""
        return [self.table_of_models(), self.table_of_tests(), self.pairwise().table()]

    def sentences(self, alpha: float = 0.05) -> tuple[list[str], list[str]]:
        """Sentences that may be written about the result, and sentences that may not, each with the reason."""
        from adjudge.results.benchmark_words import sentences

        # Leaving out each data set takes longest, and tables, pages and files all ask for them.
        if alpha not in self._sentences:
            self._sentences[alpha] = sentences(self, alpha)
        may, may_not = self._sentences[alpha]
        return list(may), list(may_not)

    @cached_property
    def _sentences(self) -> dict[float, tuple[list[str], list[str]]]:
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
        may, _ = self.sentences()
        caption = f"{table.title}. {may[0]}"
        return latex(
            table, digits=digits, bold=bold, rules={len(self.datasets)}, caption=caption, label=label
        )

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
        """Return names and finite numbers, as trackers of experiments take them: ``kmeans/average_rank``."""
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

    def _headline(self) -> str:
        models, datasets = count(len(self.models), "model"), count(len(self.datasets), "data set")
        return f"Benchmark of {models} on {datasets}: {self.score}, {self.better} is better"

    def __repr__(self) -> str:
        may, _ = self.sentences()
        parts = [self._headline(), *(table.text() for table in self.tables()), "\n".join(may)]
        parts += [f"Note: {note}" for note in self.notes]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        may, may_not = self.sentences()
        parts = [notebook.sentence(self._headline()), *(notebook.table(table) for table in self.tables())]
        parts += [notebook.sentence(text, "May be written:") for text in may]
        parts += [notebook.sentence(text, "May not be written:") for text in may_not]
        parts += [notebook.sentence(note, "Note:") for note in self.notes]
        return notebook.fragment(*parts)
