"""What may be written about a benchmark, and what may not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.inference.data_sets.rank_power import smallest_p_value
from adjudge.presentation.numbers import count, listed, percent_text, show_number
from adjudge.results.scored_models import ScoredModels

_CORRECTIONS = {
    "none": "without correction for the number of comparisons",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's procedure",
    "holm-sidak": "Holm and Šidák's procedure",
    "hochberg": "Hochberg's procedure",
    "hommel": "Hommel's procedure",
    "finner": "Finner's procedure",
    "li": "Li's procedure",
    "fdr": "Benjamini and Hochberg's procedure",
    "shaffer": "Shaffer's static procedure",
    "bergmann-hommel": "Bergmann and Hommel's procedure",
    "nemenyi": "Nemenyi's test",
}
_TESTS = {
    "ranks": "ranks",
    "aligned-ranks": "aligned ranks",
    "quade": "Quade's ranks",
    "conover": "Conover's test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
}
# Longer lists of pairs are only counted.
_MOST_NAMED = 6


@dataclass(frozen=True)
class Procedure:
    """How pairs of models are compared.

    Attributes
    ----------
    test, correction : str
        As for :meth:`~adjudge.Benchmark.pairwise`.
    control : str or None
    """

    test: str = "ranks"
    correction: str = "holm"
    control: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of :meth:`~adjudge.Benchmark.pairwise`."""
        return {"test": self.test, "correction": self.correction, "control": self.control}

    @property
    def name(self) -> str:
        """How a paper names it."""
        corrected = _CORRECTIONS[self.correction]
        against = f", against {self.control}" if self.control is not None else ""
        return (
            f"{corrected}{against}" if self.test == "ranks" else f"{_TESTS[self.test]}, {corrected}{against}"
        )


def sentences(result: ScoredModels, alpha: float, procedure: Procedure) -> tuple[list[str], list[str]]:
    """Return sentences that may be written, and sentences that may not, each with its reason."""
    n, k = result.n_complete, len(result.models)
    if n < 2:
        some = "no data set has" if n == 0 else "only one data set has"
        reason = f"{some} a score of every model: a comparison needs two or more"
        return [f"No statement about the models is possible: {reason}."], []
    found = result.friedman
    if found.reason:
        return [f"No difference between the models can be stated: {found.reason}."], []
    pairs = result.pairwise(**procedure.options)
    significant = found.p_value <= alpha
    ranks = result.average_ranks
    different = [_ordered(pair, ranks) for pair in pairs.different(alpha)] if significant else []
    may = [_overall(result, alpha, significant)]
    may += _about_pairs(result, different, significant, procedure)
    may_not = _overclaims(result, different, significant, procedure)
    least = smallest_p_value(n, math.comb(k, 2))
    if least > alpha:
        may_not.append(
            f'"Wilcoxon\'s test finds no difference" - {n} data sets cannot show one: the smallest possible '
            f"p-value after Bonferroni's correction for {count(math.comb(k, 2), 'comparison')} is "
            f"{show_number(least, 3)}."
        )
    may_not += _resting_on_one(result, different, procedure, alpha)
    return may, may_not


def _ordered(pair: tuple[str, str], ranks: dict[str, float]) -> tuple[str, str]:
    """Put the model with the better rank first."""
    first, second = pair
    return (first, second) if ranks[first] <= ranks[second] else (second, first)


def _p(value: float) -> str:
    return "p < 0.0001" if value < 1e-4 else f"p = {show_number(value, 4)}"


def _overall(result: ScoredModels, alpha: float, significant: bool) -> str:
    f = result.iman_davenport
    chi2 = result.friedman
    k, n = len(result.models), result.n_complete
    verdict = "differ in rank" if significant else "show no significant difference in rank"
    text = (
        f"Over {n} data sets the {k} models {verdict} at the {percent_text(alpha)} level (by {result.score}, "
        f"{result.better} is better; Friedman's "
        "test, corrected for ties: "
        f"chi-square = {show_number(chi2.statistic, 2)}, {k - 1} df, {_p(chi2.p_value)}; Kendall's W = "
        f"{show_number(result.concordance, 2)}"
    )
    if not f.reason:
        df = f"{k - 1} and {(k - 1) * (n - 1)} df"
        text += f"; Iman and Davenport's F = {show_number(f.statistic, 2)}, {df}, {_p(f.p_value)}"
    return f"{text})."


def _about_pairs(
    result: ScoredModels, different: Sequence[tuple[str, str]], significant: bool, procedure: Procedure
) -> list[str]:
    if not significant:
        return []
    name = procedure.name
    if not different:
        which = "No pair of models" if procedure.control is None else "No model"
        how = " in average rank" if procedure.test == "ranks" else ""
        return [f"{which} differs significantly{how} ({name})."]
    ranks = result.average_ranks
    if len(different) > _MOST_NAMED:
        k = len(result.models)
        total = math.comb(k, 2) if procedure.control is None else k - 1
        text = f"{len(different)} of {total} pairs of models differ significantly in average rank ({name})"
        best = result.order[0]
        beaten = [second for first, second in different if first == best]
        if beaten:
            text += f"; {best} (average rank {ranks[best]:.2f}) ranks better than {listed(beaten, None)}"
        return [f"{text}."]
    named = [
        f"{first} ({ranks[first]:.2f}) better than {second} ({ranks[second]:.2f})"
        for first, second in different
    ]
    by = f"By average rank ({name})" if procedure.test == "ranks" else f"By {name}"
    return [f"{by}: {listed(named, None)}."]


def _overclaims(
    result: ScoredModels, different: Sequence[tuple[str, str]], significant: bool, procedure: Procedure
) -> list[str]:
    best, *others = result.order
    beaten = {second for first, second in different if first == best}
    unbeaten = [model for model in others if model not in beaten]
    found = []
    if procedure.control not in (None, best):
        found.append(f'"{best} is the best model" - every model was compared with {procedure.control} alone.')
    elif unbeaten:
        shown = listed(unbeaten[:4], None) + (f" and {len(unbeaten) - 4} more" if len(unbeaten) > 4 else "")
        found.append(
            f'"{best} is the best model" - its rank does not differ significantly from that of {shown}.'
        )
    elif len(lost := _lost(result, best)):
        found.append(f'"{best} is better on every data set" - it is not the best on {listed(lost, None)}.')
    else:
        found.append(
            f'"{best} is better on any data set" - the result holds for these {result.n_complete}, and for others only '
            "if these are a representative sample of them."
        )
    if not significant or unbeaten:
        found.append(
            '"The models are equally good" - a test that finds no difference does not show that there is none; '
            "bayesian() can."
        )
    incomplete = len(result.datasets) - result.n_complete
    if incomplete:
        found.append(
            f'"On all {len(result.datasets)} data sets" - ranks leave out {count(incomplete, "data set")} without a '
            "score of every model."
        )
    return found


def _resting_on_one(
    result: ScoredModels, different: Sequence[tuple[str, str]], procedure: Procedure, alpha: float
) -> list[str]:
    if not different:
        return []
    decisive = result.decisive(alpha, **procedure.options)
    ranks = result.average_ranks
    found = []
    for pair, names in decisive.items():
        first, second = _ordered(pair, ranks)
        if (first, second) in different:
            shown = " or ".join(names[:3]) + (f" (or {len(names) - 3} others)" if len(names) > 3 else "")
            found.append(
                f'"{first} is better than {second}", without saying that it is not significant without {shown}.'
            )
    if len(found) > _MOST_NAMED:
        rest = len(found) - _MOST_NAMED
        found = [*found[:_MOST_NAMED], f"(decisive() has {rest} more pairs that rest on one data set.)"]
    return found


def _lost(result: ScoredModels, best: str) -> list[str]:
    """List the data sets on which this model is not the best, among those with a score of every model."""
    lost = [name for name, row in result.ranks.items() if row[best] > min(row.values())]
    return lost if len(lost) <= _MOST_NAMED else [*lost[:_MOST_NAMED], f"{len(lost) - _MOST_NAMED} more"]
