"""Gibbs sampler of the hierarchical model of differences over folds and data sets."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["draw_chain"]

Float64s = NDArray[np.float64]


@njit(nogil=True, cache=True)
def _log_prior(g: float, grid: Float64s, values: Float64s) -> float:
    """Log density of ``log(nu - 1)`` from its table, -inf outside."""
    place = (math.log(g) - grid[0]) / (grid[1] - grid[0])
    low = int(place)
    if place < 0 or low + 1 >= grid.size:
        return -math.inf
    share = place - low
    return float(values[low] * (1 - share) + values[low + 1] * share)


@njit(nogil=True, cache=True)
def _log_student(z2: Float64s, nu: float) -> float:
    """Log density of standardised Student numbers, given their squares, without what does not depend on nu."""
    constant = math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2) - 0.5 * math.log(nu)
    total = z2.size * constant
    for i in range(z2.size):
        total -= (nu + 1) / 2 * math.log1p(z2[i] / nu)
    return total


@njit(nogil=True, cache=True)
def _truncated_normal(rng: np.random.Generator, mean: float, sd: float, low: float, high: float) -> float:
    """Draw a normal number between two ends, by rejection."""
    for _ in range(50):
        x = mean + sd * rng.standard_normal()
        if low <= x <= high:
            return x
    if low <= mean <= high:  # the ends are close to each other
        while True:
            x = low + (high - low) * rng.random()
            if math.log(rng.random()) <= -((x - mean) ** 2) / (2 * sd * sd):
                return x
    # Beyond an end the density falls about as an exponential one does.
    away = low - mean if mean < low else mean - high
    slope = max(away, sd) / (sd * sd)
    bound = max(0.0, sd - away) ** 2 / (2 * sd * sd)
    within = -math.expm1(-slope * (high - low))
    while True:
        step = -math.log1p(-within * rng.random()) / slope
        excess = slope * step - (2 * away * step + step * step) / (2 * sd * sd)
        if math.log(rng.random()) <= excess - bound:
            return low + step if mean < low else high - step


@njit(nogil=True, cache=True)
def draw_chain(
    rng: np.random.Generator,
    means: Float64s,
    squares: Float64s,
    sizes: Float64s,
    rhos: Float64s,
    limits: Float64s,
    grid: Float64s,
    log_prior: Float64s,
    n_warm_up: int,
    n_draws: int,
) -> Float64s:
    """Draw ``(delta_0, s_0, nu)``; `limits` are the largest delta_0, s_0 and sigma.

    Each step draws sigma, delta, lambda (of the Student distribution as a scale mixture), nu, then delta_0 and s_0
    twice: given the data sets' delta, and given their standardised ones, without which s_0 would stick near 0.
    """
    q = means.size
    most_0, most_s, most_sigma = limits
    of_mean = (1 + (sizes - 1) * rhos) / sizes  # variance of a data set's mean, in sigma^2
    delta, lam, error = means.copy(), np.ones(q), np.empty(q)
    d0, nu = means.mean(), 5.0
    s0 = min(max(means.std(), 1e-3), most_s)
    draws = np.empty((n_draws, 3))
    step, accepted = 1.0, 0
    for round_ in range(n_warm_up + n_draws):
        for i in range(q):
            rate = squares[i] / (2 * (1 - rhos[i])) + (means[i] - delta[i]) ** 2 / (2 * of_mean[i])
            for _ in range(100):
                sigma2 = rate / rng.standard_gamma((sizes[i] - 1) / 2)
                if sigma2 <= most_sigma * most_sigma:
                    break
            error[i] = sigma2 * of_mean[i]
            precision = 1 / error[i] + lam[i] / (s0 * s0)
            centre = (means[i] / error[i] + d0 * lam[i] / (s0 * s0)) / precision
            delta[i] = centre + rng.standard_normal() / math.sqrt(precision)
        # nu with lambda integrated out, then lambda anew.
        z2 = ((delta - d0) / s0) ** 2
        proposed = 1 + (nu - 1) * math.exp(step * rng.standard_normal())
        ratio = _log_prior(proposed - 1, grid, log_prior) - _log_prior(nu - 1, grid, log_prior)
        if ratio > -math.inf:
            ratio += _log_student(z2, proposed) - _log_student(z2, nu)
            if math.log(rng.random()) < ratio:
                nu = proposed
                accepted += 1
        if round_ < n_warm_up and round_ % 50 == 49:
            step = min(max(step * (1.3 if accepted > 20 else 0.75), 0.05), 8.0)
            accepted = 0
        for i in range(q):
            lam[i] = rng.standard_gamma((nu + 1) / 2) / ((nu + z2[i]) / 2)
        # delta_0 and s_0 given delta.
        weight = lam.sum()
        d0 = _truncated_normal(rng, (lam * delta).sum() / weight, s0 / math.sqrt(weight), -most_0, most_0)
        rate = (lam * (delta - d0) ** 2).sum() / 2
        if q > 1:
            for _ in range(100):
                s2 = rate / rng.standard_gamma((q - 1) / 2)
                if s2 <= most_s * most_s:
                    s0 = math.sqrt(s2)
                    break
        # The same given the standardised delta.
        eta = (delta - d0) / s0
        rest = means - d0
        precision = (eta * eta / error).sum()
        s0 = _truncated_normal(
            rng, (eta * rest / error).sum() / precision, 1 / math.sqrt(precision), 0.0, most_s
        )
        rest = means - s0 * eta
        precision = (1 / error).sum()
        d0 = _truncated_normal(
            rng, (rest / error).sum() / precision, 1 / math.sqrt(precision), -most_0, most_0
        )
        delta = d0 + s0 * eta
        if round_ >= n_warm_up:
            draws[round_ - n_warm_up] = d0, s0, nu
    return draws
