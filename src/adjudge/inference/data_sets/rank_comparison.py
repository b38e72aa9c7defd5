"""Which models differ over data sets, and which do not: all pairs, or each against a control, with a correction."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, InputTypeError, Option, a_type
from adjudge.given.options import as_numbers, check_choice
from adjudge.given.score_frame import ScoreFrame
from adjudge.given.score_table import BETTER, ScoreTable, is_data_frame
from adjudge.inference.common.adjustments import CAUTIONS, adjust_p_values, adjust_pairs, default_correction
from adjudge.inference.common.significance import TestResult
from adjudge.inference.data_sets.ranks import (
    ESTIMATED_ERRORS,
    RANK_SCORES,
    complete_concordance,
    friedman,
    nemenyi_p_values,
)
from adjudge.inference.data_sets.two_models import sign_test, signed_rank_test
from adjudge.presentation import notebook
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable
from adjudge.statistics.rankings import Rankings

#: Tests of two models over data sets. Those of `RANK_SCORES` compare ranks among all models.
PAIR_TESTS = (*RANK_SCORES, "wilcoxon", "sign")
POSTHOC = ("nemenyi", "wilcoxon-holm")

_NEMENYI = "nemenyi"
#: What a reader has to know of a test.
_CAUTIONS = {
    "conover": "Conover's test keeps its level only if all models are alike: among ten models of which two are alike, "
    "it tells these two apart in 40 % of the samples at the level 5 %. 'wilcoxon' keeps its level."
}


@dataclass(frozen=True, repr=False)
class PairwiseTests(Savable, Mapping[tuple[str, str], float]):
    """Adjusted p-values by pair of models, in either order.

    Attributes
    ----------
    models : tuple of str
    test, correction : str
    control : str or None
        The model with which all others are compared.
    statistics : dict
        The test's statistic for each pair; for rank tests z ("conover": t), negative if the first model ranks better.
    raw : dict
        Unadjusted p-values.
    adjusted : dict
        P-values adjusted for all these tests.
    n_datasets : dict
        Number of data sets that each test uses.
    reasons : dict
        Why a test is uninformative.

    Examples
    --------
    >>> from adjudge.given.score_table import ScoreTable
    >>> from adjudge.inference.data_sets.rank_comparison import pairwise_tests
    >>> rows = [[0.91, 0.90, 0.7], [0.84, 0.80, 0.6], [0.88, 0.85, 0.71], [0.95, 0.91, 0.69]]
    >>> table = ScoreTable.of(["one", "two", "three", "four"], ["a", "b", "c"], rows, "higher")
    >>> pairs = pairwise_tests(table, correction="shaffer")
    >>> round(pairs["a", "c"], 4), round(pairs["c", "a"], 4)
    (0.014, 0.014)
    """

    models: tuple[str, ...]
    test: str
    correction: str
    control: str | None
    statistics: dict[tuple[str, str], float]
    raw: dict[tuple[str, str], float]
    adjusted: dict[tuple[str, str], float]
    n_datasets: dict[tuple[str, str], int]
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        first, second = pair
        found = self.adjusted.get((first, second), self.adjusted.get((second, first)))
        if found is None:
            raise KeyError(pair)
        return found

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.adjusted)

    def __len__(self) -> int:
        return len(self.adjusted)

    def different(self, alpha: float = 0.05) -> list[tuple[str, str]]:
        """Return the pairs that differ significantly."""
        return [pair for pair, p in self.adjusted.items() if p <= alpha]

    def table(self) -> Table:
        """Return one row per pair, with the smallest p-value first."""
        ordered = sorted(self.adjusted.items(), key=lambda item: (math.isnan(item[1]), item[1]))
        rows: list[tuple[Any, ...]] = [
            (
                *pair,
                self.n_datasets[pair],
                self.statistics[pair],
                self.raw[pair],
                p,
                self.reasons.get(pair, ""),
            )
            for pair, p in ordered
        ]
        against = f", each against {self.control}" if self.control is not None else ""
        title = f"Pairs of models: {self.test}, {self.correction}{against}"
        columns = ("first", "second", "data sets", "statistic", "p", "p (adjusted)", "note")
        cautions = (_CAUTIONS.get(self.test), CAUTIONS.get(self.correction))
        caution = " ".join(words for words in cautions if words)
        if not self.reasons:
            return Table(columns[:-1], tuple(row[:-1] for row in rows), title, foot=caution)
        return Table(columns, tuple(rows), title, foot=caution)

    def __repr__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return notebook.fragment(notebook.table(self.table()))


def pairwise_tests(
    table: ScoreTable,
    test: str = "ranks",
    *,
    correction: str | None = None,
    control: str | None = None,
    zeros: str = "pratt",
) -> PairwiseTests:
    """Test pairs of models.

    Parameters
    ----------
    table : ScoreTable
        As a method of a result, its own table.
    test : {"ranks", "aligned-ranks", "quade", "conover", "wilcoxon", "sign"}
        A rank test uses the data sets on which every model has a score, and depends on the other models; "wilcoxon" and
        "sign" use only the scores of the two models, on the data sets on which both have one. "conover" is Conover and
        Iman's test (1979) after Friedman's. It keeps its level only if all models are alike: clear differences among
        the other models make its error too small, and no correction repairs that. The table says so.
    correction : str, optional
        "holm", "hochberg", "hommel", "finner", "li", "fdr", "holm-sidak", "bonferroni" or "none"; for all pairs also
        "shaffer" and "bergmann-hommel" (up to nine models); for all pairs by ranks also "nemenyi". Finner's, Li's and
        "fdr" may make false claims too often, see :func:`~adjudge.inference.adjust_p_values`; the table says so.
        Default: "shaffer", or with a control or more than 30 models "holm".
    control : str, optional
        Compare every other model with this one. It must be chosen before seeing the scores.
    zeros : {"pratt", "drop", "split"}
        How "wilcoxon" treats data sets on which both score the same; see
        :func:`adjudge.inference.data_sets.two_models.signed_rank_test`.

    Returns
    -------
    PairwiseTests
        ``found["p", "q"]`` is the adjusted p-value.
    """
    check_choice("test", test, PAIR_TESTS)
    if control is None:
        pairs = list(combinations(table.models, 2))
    else:
        table.column(control)
        pairs = [(control, other) for other in table.models if other != control]
    correction = correction or default_correction(len(table.models), control)
    if correction == _NEMENYI and (test != "ranks" or control is not None):
        raise InputError(
            Option("correction", "nemenyi"),
            " compares all pairs with ",
            Option("test", "ranks"),
            ": leave out the control, or use 'holm'",
        )
    by_ranks = test in RANK_SCORES
    results = _by_ranks(table, pairs, test) if by_ranks else _by_differences(table, pairs, test, zeros)
    raw = [result.p_value for result in results]
    k = len(table.models)
    if correction == _NEMENYI:
        z = np.array([result.statistic for result in results])
        adjusted = (
            [float(p) for p in nemenyi_p_values(z, k)] if not np.isnan(z).any() else [math.nan] * len(z)
        )
    elif control is None:
        adjusted = adjust_pairs(raw, k, correction)
    else:
        adjusted = adjust_p_values(raw, correction)
    complete = int(table.complete.sum())
    return PairwiseTests(
        models=table.models,
        test=test,
        correction=correction,
        control=control,
        statistics={pair: r.statistic for pair, r in zip(pairs, results, strict=True)},
        raw=dict(zip(pairs, raw, strict=True)),
        adjusted=dict(zip(pairs, adjusted, strict=True)),
        n_datasets={pair: complete if by_ranks else table.differences(*pair).size for pair in pairs},
        reasons={pair: r.reason for pair, r in zip(pairs, results, strict=True) if r.reason is not None},
    )


def _by_ranks(table: ScoreTable, pairs: Sequence[tuple[str, str]], test: str) -> list[TestResult]:
    from scipy.special import ndtr, stdtr

    hypothesis = "both models rank alike"
    rankings = Rankings.of(table)
    if not rankings.n_datasets:
        reason = "no data set has a score of every model"
        return [TestResult(math.nan, math.nan, test, hypothesis, reason) for _ in pairs]
    means, error = RANK_SCORES[test](rankings)
    position = {model: i for i, model in enumerate(table.models)}
    differences = [float(means[position[first]] - means[position[second]]) for first, second in pairs]
    n, k = rankings.ranks.shape
    if test in ESTIMATED_ERRORS and n < 2:
        reason = "one data set does not tell the error"
        return [TestResult(math.nan, math.nan, test, hypothesis, reason) for _ in pairs]
    if not error and any(differences):
        exact = complete_concordance(rankings, test)
        return [
            TestResult(math.copysign(math.inf, d), exact.p_value, test, hypothesis, exact.reason)
            if d
            else TestResult(0.0, 1.0, test, hypothesis)
            for d in differences
        ]
    # If all scores are tied, there is no error either.
    z = [difference / error if difference else 0.0 for difference in differences]
    below = partial(stdtr, (n - 1) * (k - 1)) if test in ESTIMATED_ERRORS else ndtr
    return [TestResult(value, 2 * float(below(-abs(value))), test, hypothesis) for value in z]


def _by_differences(
    table: ScoreTable, pairs: Sequence[tuple[str, str]], test: str, zeros: str
) -> list[TestResult]:
    if test == "sign":
        rule = "split" if zeros == "split" else "drop"
        return [sign_test(table.differences(*pair), zeros=rule) for pair in pairs]
    return [signed_rank_test(table.differences(*pair), zeros=zeros) for pair in pairs]


@dataclass(frozen=True)
class RankTest(Savable):
    """A comparison of models over several data sets.

    Attributes
    ----------
    models : tuple of str
    mean_ranks : tuple of float
        1 is best.
    friedman : TestResult
        Test of the hypothesis that all models rank alike.
    posthoc : str
    p_values : dict
        P-value of each pair of models, adjusted for all pairs.
    n_datasets : int
    """

    models: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    friedman: TestResult
    posthoc: str
    p_values: dict[tuple[str, str], float]
    n_datasets: int

    def table(self) -> Table:
        """Return one row per model with its mean rank, the best first."""
        order = sorted(zip(self.mean_ranks, self.models, strict=True), key=lambda item: item[0])
        title = f"Mean ranks over {self.n_datasets:,} data sets"
        return Table(("model", "mean rank"), tuple((model, rank) for rank, model in order), title)

    def pairs_table(self) -> Table:
        """Return one row per pair of models with the p-value, adjusted for all pairs."""
        rows = tuple((f"{one} = {other}", p) for (one, other), p in self.p_values.items())
        return Table(("hypothesis", "p (adjusted)"), rows, f"Pairs of models: {self.posthoc}")

    def _repr_html_(self) -> str:
        tables = (self.table(), self.friedman.table(), self.pairs_table())
        return notebook.fragment(*map(notebook.table, tables))


def friedman_test(
    scores: Mapping[str, Sequence[float]] | Any, *, better: str = "higher", posthoc: str = "wilcoxon-holm"
) -> RankTest:
    """Test whether models perform equally well over several data sets, and which pairs of them do not.

    :func:`~adjudge.benchmark` does this and more.

    Parameters
    ----------
    scores : mapping of str to sequence of float, or data frame
        The scores of each model on all data sets, in the same order: one column per model, and one row per data set.
        A column of text names the data sets.
    better : {"higher", "lower"}
    posthoc : {"wilcoxon-holm", "nemenyi"}
        Signed-rank tests of all pairs with Holm's correction, or Nemenyi's test.

    Returns
    -------
    RankTest

    Examples
    --------
    >>> from adjudge.inference import friedman_test
    >>> scores = {"a": [0.91, 0.84, 0.88, 0.95], "b": [0.90, 0.80, 0.85, 0.91], "c": [0.7, 0.6, 0.71, 0.69]}
    >>> result = friedman_test(scores)
    >>> result.mean_ranks, round(result.friedman.p_value, 4)
    ((1.0, 2.0, 3.0), 0.0183)
    """
    check_choice("better", better, BETTER)
    check_choice("posthoc", posthoc, POSTHOC)
    if is_data_frame(scores):
        _, models, matrix = ScoreFrame.of(scores).wide()
        scores = dict(zip(models, matrix.T, strict=True))
    if not isinstance(scores, Mapping):
        raise InputTypeError(
            Argument("scores"),
            f" is {a_type(scores)}: give a mapping of models to their scores, or a "
            "data frame with one column per model",
        )
    columns = [as_numbers(f"scores[{model!r}]", values) for model, values in scores.items()]
    lengths = {values.size for values in columns}
    if len(columns) < 2 or len(lengths) != 1 or min(lengths) < 2:
        raise InputError(
            f"scores of {len(columns)} models on {sorted(lengths)} data sets: Friedman's test needs 2 models or more, "
            "each on the same 2 data sets or more"
        )
    values = np.array(columns).T
    if not np.isfinite(values).all():
        raise InputError("scores hold a value that is not finite: leave that data set out for all models")
    table = ScoreTable.of(range(len(values)), tuple(scores), values, better)
    rankings = Rankings.of(table)
    if posthoc == _NEMENYI:
        found = pairwise_tests(table, correction=_NEMENYI)
    else:
        found = pairwise_tests(table, test="wilcoxon", correction="holm")
    return RankTest(
        models=table.models,
        mean_ranks=tuple(float(r) for r in rankings.average),
        friedman=friedman(rankings),
        posthoc=posthoc,
        p_values=dict(found.adjusted),
        n_datasets=rankings.n_datasets,
    )


def alike_groups(names: Sequence[str], alike: Collection[frozenset[str]]) -> list[list[str]]:
    """List the maximal groups of two or more models in which no pair differs.

    They are the maximal cliques of a graph (Bron & Kerbosch 1973). A model may belong to several.

    Parameters
    ----------
    names : sequence of str
        All models, from the best to the worst.
    alike : collection of frozenset of str
        Pairs that do not differ.

    Returns
    -------
    list of list of str
        Ordered by the positions of their members in `names`.

    Examples
    --------
    >>> from adjudge.inference.data_sets.rank_comparison import alike_groups
    >>> alike_groups(["a", "b", "c"], {frozenset("ab"), frozenset("bc")})
    [['a', 'b'], ['b', 'c']]
    """
    near = {a: {b for b in names if frozenset((a, b)) in alike and a != b} for a in names}
    found: list[list[str]] = []

    def grow(group: set[str], able: set[str], done: set[str]) -> None:
        if not able and not done:
            found.append([name for name in names if name in group])
            return
        pivot = max(able | done, key=lambda name: len(near[name] & able))
        for name in sorted(able - near[pivot]):
            grow(group | {name}, able & near[name], done & near[name])
            able = able - {name}
            done = done | {name}

    grow(set(), set(names), set())
    position = {name: i for i, name in enumerate(names)}
    return sorted((g for g in found if len(g) > 1), key=lambda g: [position[name] for name in g])
