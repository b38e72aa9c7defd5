"""Every interval, test and posterior that a test of inference makes is checked: anybody might be shown it."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

INTERVALS = {
    *("score", "jackknife", "percentile", "bca", "t", "wilson", "mid-p", "newcombe"),
    *("mover", "delong", "consistency", "mid-p gamma", "woodruff", "linearised", "none"),
}
TESTS = {
    *("friedman", "iman-davenport", "quade", "aligned-ranks", "ranks", "conover", "cochran-q", "kendall-w"),
    *(
        "exact",
        "mid-p",
        "asymptotic",
        "corrected",
        "delong",
        "paired-t",
        "sign-flip",
        "t",
        "mid-p gamma",
        "sign-flip, exact",
    ),
    *(
        "jackknife",
        "bootstrap",
        "score",
        "from the interval",
        "pooled z",
    ),
    *("sign (drop)", "sign (split)", "signed-rank (drop)", "signed-rank (pratt)", "signed-rank (split)"),
    *("signed-rank (drop), exact", "signed-rank (pratt), exact"),
}
POSTERIORS = {"signed-rank", "sign", "correlated-t", "hierarchical"}
HYPOTHESES = re.compile(
    r"all models rank alike|both models rank alike|all models have the same accuracy"
    r"|RW and WR are equally likely: both classifiers have the same accuracy"
    r"|either model is as likely to win a data set|the differences are symmetric about 0"
    r"|the areas under both ROC curves are the same|the expected losses of both models are the same"
    r"|the expected scores of both (models|groups|clusterings) are the same"
    r"|the expected [a-z_0-9]+ of both clusterings is the same"
    r"|both classifiers find the same share of the class"
    r"|each model is better on as many rows as the other"
    r"|h|both are the same"  # made up by tests
)


def check_interval(interval: Any) -> None:
    assert isinstance(interval.low, float), interval
    assert isinstance(interval.high, float), interval
    assert interval.low <= interval.high or (math.isnan(interval.low) and math.isnan(interval.high)), interval
    # Raters whose index is undefined have the reason there.
    assert not math.isnan(interval.low) or interval.reason or interval.method == "linearised", interval
    assert 0 < interval.confidence < 1, interval
    assert interval.method in INTERVALS, interval
    check_reason(interval.reason)


def check_test(result: Any) -> None:
    assert isinstance(result.statistic, float), result
    assert 0 <= result.p_value <= 1 or (math.isnan(result.p_value) and result.reason), result
    assert 0 <= result.p_floor <= 1, result
    assert result.method in TESTS, result
    assert HYPOTHESES.fullmatch(result.hypothesis), result
    check_reason(result.reason)


def check_posterior(found: Any) -> None:
    assert found.test in POSTERIORS, found
    assert found.first + found.rope + found.second == pytest.approx(1.0), found
    assert sum(found.mean) == pytest.approx(1.0), found
    assert found.width >= 0, found
    check_reason(found.warning)


def check_reason(reason: Any) -> None:
    assert reason is None or (isinstance(reason, str) and " " in reason and "\n" not in reason), reason


def checked(made: Callable[..., None], check: Callable[[Any], None], kept: list[Any]) -> Callable[..., None]:
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        # Verbs leave the reason of an undefined score to the score.
        if not sys._getframe(1).f_globals["__name__"].startswith("adjudge.verbs"):
            check(self)
            kept.append(self)

    return make


@pytest.fixture(autouse=True)
def results_may_be_shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What has been made, as it is made."""
    from adjudge.inference.common.significance import TestResult
    from adjudge.inference.data_sets.posterior import Posterior
    from adjudge.inference.interval import Interval

    kept: list[Any] = []
    for kind, check in ((Interval, check_interval), (TestResult, check_test), (Posterior, check_posterior)):
        monkeypatch.setattr(kind, "__init__", checked(kind.__init__, check, kept))
    return kept
