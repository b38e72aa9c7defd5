"""Bayesian comparisons: against baycomp, by integration, and whether the sampler draws from what it should."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from adjudge.inference.data_sets.hierarchical import hierarchical_posterior
from adjudge.inference.data_sets.posterior import (
    correlated_t_posterior,
    sign_posterior,
    signed_rank_posterior,
)
from adjudge.kernels.hierarchical import gammas, truncated_normals
from conftest import case_name, read_reference, reference_cases

CASES = {path: read_reference(path) for path in reference_cases("bayes")}
HIERARCHICAL = [path for path, case in CASES.items() if "runs" in case]
MANY = [path for path, case in CASES.items() if "first_scores" in case and "runs" not in case]
FOLDS = [path for path in CASES if path.name.startswith("cv_")]


def differences_of(case, first="first_scores", second="second_scores"):
    return np.array(case[first]) - np.array(case[second])


@pytest.mark.parametrize("path", MANY, ids=case_name)
@pytest.mark.parametrize(
    ("key", "posterior"), [("signed_rank", signed_rank_posterior), ("sign", sign_posterior)]
)
def test_over_data_sets_as_baycomp(path, key, posterior):
    case = read_reference(path)
    found = posterior(differences_of(case), rope=case["rope"], random_state=0)
    wanted = [block for name, block in case["baycomp 1.0.3"].items() if name.startswith(f"{key}_seed")]
    regions = (found.first, found.rope, found.second) if case["rope"] else (found.first, found.second)
    assert regions == pytest.approx(np.mean(wanted, axis=0), abs=0.01)
    assert found.first + found.rope + found.second == pytest.approx(1.0)
    assert sum(found.mean) == pytest.approx(1.0)


@pytest.mark.parametrize("path", FOLDS, ids=case_name)
def test_folds_of_one_data_set(path):
    case = read_reference(path)
    differences = differences_of(case, "first", "second")
    share = 1 / differences.shape[1]
    exact = case["exact"]
    for name, wanted in exact["bayesian_correlated_t"].items():
        found = correlated_t_posterior(differences, rope=float(name.removeprefix("rope_")), test_share=share)
        regions = [wanted[f"p_{region}"] for region in ("first_better", "rope", "second_better")]
        assert [found.first, found.rope, found.second] == pytest.approx(regions, abs=1e-9)


@pytest.mark.parametrize("path", HIERARCHICAL, ids=case_name)
def test_folds_and_data_sets_as_baycomp(path):
    case = read_reference(path)
    found = hierarchical_posterior(differences_of(case), rope=case["rope"], random_state=0, n_draws=40_000)
    runs = next(block for name, block in case.items() if name.startswith("baycomp"))["repetitions"]
    shares = np.mean([run["share_of_draws_largest"] for run in runs], axis=0)
    means = np.mean([run["mean_probability"] for run in runs], axis=0)
    assert found.warning is None
    assert (found.first, found.rope, found.second) == pytest.approx(shares, abs=case["tolerance_share"])
    assert found.mean == pytest.approx(means, abs=case["tolerance_mean"])


def test_results_can_be_repeated():
    values = np.linspace(-0.02, 0.05, 12)
    folds = values[:, None] + np.linspace(-0.01, 0.01, 5)
    for posterior in (signed_rank_posterior, sign_posterior):
        one, other = (posterior(values, rope=0.01, random_state=3, n_draws=500) for _ in range(2))
        assert (one.draws == other.draws).all()
    one, other = (hierarchical_posterior(folds, rope=0.01, random_state=3, n_draws=400) for _ in range(2))
    assert (one.draws == other.draws).all()


def test_signed_rank_regions_by_their_definition(rng):
    values = np.array([0.3, -0.1, 0.02, 0.2, -0.25])
    found = signed_rank_posterior(values, rope=0.1, random_state=5, n_draws=40)
    ordered = np.sort(np.append(values, 0.0))
    weights = np.random.default_rng(5).dirichlet(np.where(ordered == 0, 0.5, 1.0), 40)
    sums = ordered[:, None] + ordered
    for draw, w in zip(found.draws, weights, strict=True):
        products = np.outer(w, w)
        assert draw[0] == pytest.approx(products[sums > 0.2 + 1e-12].sum())
        assert draw[2] == pytest.approx(products[sums < -0.2 - 1e-12].sum())


def test_models_change_places():
    values = np.array([0.3, -0.1, 0.02, 0.2, -0.25, 0.4])
    found, swapped = (signed_rank_posterior(s * values, rope=0.05, random_state=0) for s in (1, -1))
    assert swapped.first == pytest.approx(found.swap().first, abs=0.02)
    assert found.swap().swap().mean == found.mean


def test_equal_models_are_equivalent():
    assert signed_rank_posterior(np.zeros(10), rope=0.01, random_state=0).rope == 1.0
    without = signed_rank_posterior(np.zeros(10), random_state=0)
    assert (without.first, without.second) == (0.5, 0.5)
    assert sign_posterior(np.zeros(10), random_state=0).first == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("mean", "sd", "low", "high"),
    [
        (0.0, 1.0, -1.0, 2.0),
        (-5.0, 1.0, 0.0, 9.0),
        (7.0, 1.0, 0.0, 1.0),
        (0.5, 20.0, 0.0, 1.0),
        (-0.3, 1.0, 3.0, 3.2),
    ],
)
def test_truncated_normal_numbers(mean, sd, low, high):
    rng = np.random.default_rng(1)
    drawn = truncated_normals(rng, mean, sd, low, high, 4000)
    wanted = stats.truncnorm((low - mean) / sd, (high - mean) / sd, mean, sd)
    assert stats.kstest(drawn, wanted.cdf).pvalue > 1e-3


def test_normal_numbers_without_ends():
    drawn = truncated_normals(np.random.default_rng(2), 0.0, 1.0, -40.0, 40.0, 100_000)
    assert stats.kstest(drawn, stats.norm.cdf).pvalue > 1e-3
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.015


@pytest.mark.parametrize("shape", [0.2, 0.5, 1.0, 1.5, 4.5, 200.0])
def test_gamma_numbers(shape):
    drawn = gammas(np.random.default_rng(3), shape, 100_000)
    assert stats.kstest(drawn, stats.gamma(shape).cdf).pvalue > 1e-3


def test_the_sampler_draws_from_the_posterior():
    """With the data sets' own spread known to be tiny and nu large, delta_0 and s_0 have a posterior in closed form."""
    rng = np.random.default_rng(7)
    deltas = np.array([0.4, -0.3, 1.1, 0.6, -0.2, 0.9, 0.1, 0.7])
    folds = deltas[:, None] + 1e-3 * rng.normal(size=(8, 10))
    found = hierarchical_posterior(folds, rope=0.2, test_shares=0.1, n_draws=40_000, random_state=0)
    # Integrate over a grid of delta_0, s_0 and nu with the same priors.
    d0 = np.linspace(-1.2, 1.2, 61)[:, None, None]
    s0 = np.exp(np.linspace(math.log(0.05), math.log(20), 90))[None, :, None]
    g = np.exp(np.linspace(math.log(0.05), math.log(500), 40))[None, None, :]
    shapes, rates = np.linspace(1, 2, 21), np.linspace(0.01, 0.1, 21)
    prior = np.mean([stats.gamma.pdf(g, a, scale=1 / b) for a in shapes for b in rates], axis=0)
    log = sum(stats.t.logpdf((d - d0) / s0, g + 1) for d in folds.mean(axis=1)) - 8 * np.log(s0)
    weight = np.exp(log - log.max()) * prior * s0 * g  # the grid is even in log s_0 and log g
    first = stats.t.cdf((d0 - 0.2) / s0, g + 1)
    second = stats.t.cdf((-0.2 - d0) / s0, g + 1)
    wanted = [(weight * p).sum() / weight.sum() for p in (first, second)]
    assert [found.mean[0], found.mean[2]] == pytest.approx(wanted, abs=0.01)


def test_folds_that_do_not_vary():
    same = hierarchical_posterior(np.zeros((3, 5)), rope=0.01)
    assert (same.first, same.rope, same.second) == (0.0, 1.0, 0.0)
    assert hierarchical_posterior(np.zeros((3, 5))).first == 0.5
    constant = hierarchical_posterior(np.full((8, 5), 0.1), rope=0.01, n_draws=2000, random_state=0)
    assert constant.first > 0.95


@pytest.mark.parametrize("difference", [0.1, 0.7, 0.05])
@pytest.mark.parametrize("n", [2, 3, 6, 7, 10])
def test_folds_that_differ_by_the_regions_half_width_are_alike(difference: float, n: int) -> None:
    """The mean of equal differences is rounded: 0.1 three times had a mean of more than 0.1."""
    for sign in (1, -1):
        found = correlated_t_posterior([sign * difference] * n, rope=difference)
        assert (found.first, found.rope, found.second) == (0.0, 1.0, 0.0)
        beyond = correlated_t_posterior([sign * difference] * n, rope=difference * 0.99)
        assert (beyond.first, beyond.second) == ((1.0, 0.0) if sign > 0 else (0.0, 1.0))
        without = correlated_t_posterior([sign * difference] * n)
        assert (without.first, without.rope, without.second) == (beyond.first, 0.0, beyond.second)


@pytest.mark.parametrize("rope", [0.0, 0.1])
@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_a_sign_posterior_is_dirichlets(rope: float, prior: float) -> None:
    """Means of the regions are shares of the counts; without a region half of what is in it speaks for each."""
    differences = [0.3, 0.2, 0.1, -0.1, 0.0, -0.5, 0.4, 0.25]
    counts = np.array([4, 3 + prior, 1]) if rope else np.array([5 + (1 + prior) / 2, 0, 2 + (1 + prior) / 2])
    found = sign_posterior(differences, rope=rope, prior=prior, n_draws=20_000, random_state=0)
    assert found.mean == pytest.approx(counts / counts.sum(), abs=0.005)
    assert found.draws is not None
    assert found.draws.shape == (20_000, 3)
    assert found.draws.sum(axis=1) == pytest.approx(np.ones(20_000))
    share = counts[0] / counts.sum()
    deviation = np.sqrt(share * (1 - share) / (counts.sum() + 1))
    assert found.draws[:, 0].std() == pytest.approx(deviation, rel=0.03)
    best = np.argmax(found.draws, axis=1)
    assert (found.first, found.rope, found.second) == pytest.approx([np.mean(best == i) for i in range(3)])


def test_a_region_that_nothing_lies_in_has_no_probability() -> None:
    found = sign_posterior([0.3, 0.2, 0.4], rope=0.1, prior=0.0, n_draws=100, random_state=0)
    assert (found.first, found.rope, found.second, found.mean) == (1.0, 0.0, 0.0, (1.0, 0.0, 0.0))
    signed = signed_rank_posterior([0.3, 0.2, 0.4], n_draws=100, random_state=0)
    assert signed.rope == signed.mean[1] == 0.0
    assert signed.first + signed.second == pytest.approx(1.0)


def test_draws_in_blocks_and_draws_that_change_places(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = [0.3, -0.2, 0.1, 0.25, 0.0]
    whole = signed_rank_posterior(differences, rope=0.05, n_draws=50, random_state=0)
    assert whole.draws is not None
    for block in (1, 6 * 7, 6 * 50):
        monkeypatch.setattr("adjudge.array_types.BLOCK", block)
        found = signed_rank_posterior(differences, rope=0.05, n_draws=50, random_state=0)
        assert found.draws == pytest.approx(whole.draws)
    told = replace(whole, warning="they have not met")
    swapped = told.swap()
    assert swapped.draws is not None
    assert (swapped.draws[:, ::-1] == whole.draws).all()
    assert (swapped.first, swapped.rope, swapped.second) == (whole.second, whole.rope, whole.first)
    assert (swapped.warning, swapped.width, swapped.test) == ("they have not met", 0.05, "signed-rank")


def test_a_correlated_t_that_is_too_sure_says_so() -> None:
    """The folds of learners that find next to nothing have more in common than the correction allows for."""
    differences = np.array([0.02, 0.03, 0.01, 0.04, 0.02, 0.03, 0.0, 0.05, 0.02, 0.01])
    found = correlated_t_posterior(differences, test_share=0.1)
    cautious = stats.t.cdf(differences.mean() / math.sqrt(differences.var(ddof=1) * (1 / 10 + 2.5 / 9)), 9)
    assert found.first > 0.95
    assert found.warning is None
    assert cautious > 0.95
    weaker = differences - 0.009
    found = correlated_t_posterior(weaker, test_share=0.1)
    cautious = stats.t.cdf(weaker.mean() / math.sqrt(weaker.var(ddof=1) * (1 / 10 + 2.5 / 9)), 9)
    assert found.first > 0.95 > cautious
    assert found.warning == (
        f"folds have more in common if a learner finds next to nothing: {found.first:.3f} is {cautious:.3f} with 2.5 "
        "times the correction and the degrees of freedom of one run"
    )
    turned = correlated_t_posterior(-weaker, test_share=0.1)
    assert turned.second == pytest.approx(found.first)
    assert turned.warning == found.warning == found.swap().warning
    # Folds as large as that have no more in common than they should.
    assert correlated_t_posterior(weaker - 0.002, test_share=0.3).warning is None
    assert correlated_t_posterior(weaker - 0.01, test_share=0.1).warning is None
