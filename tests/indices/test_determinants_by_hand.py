"""Criteria of scatter matrices from matrices written by hand: degrees of freedom, values, infinities."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from adjudge import find_index
from adjudge.statistics.moments import ClusterDeterminants, Scatter
from scatter_matrices import scatter_of

WITHIN = np.array([[4.0, 1.0], [1.0, 9.0]])  # determinant 35
BETWEEN = np.array([[2.0, -1.0], [-1.0, 6.0]])


def scatter(n: int, k: int) -> Scatter:
    return scatter_of(n=n, k=k, within=WITHIN, between=BETWEEN)


def test_values() -> None:
    # det T = det [[6, 0], [0, 15]] = 90.
    det_ratio, log_det_ratio, ksq_detw, trace_wib = map(
        find_index, ("det_ratio", "log_det_ratio", "ksq_detw", "trace_wib")
    )
    of = scatter(10, 3)
    assert det_ratio.of(of) == pytest.approx(90 / 35, rel=1e-14)
    assert log_det_ratio.of(of) == pytest.approx(10 * math.log(90 / 35), rel=1e-14)
    assert ksq_detw.of(of) == pytest.approx(9 * 35, rel=1e-14)
    assert trace_wib.of(of) == pytest.approx((9 * 2 + 1 + 1 + 4 * 6) / 35, rel=1e-14)


@pytest.mark.parametrize(
    ("n", "k", "within"),
    [
        (5, 3, "full"),  # 2 degrees of freedom within
        (4, 3, "lacking"),
        (3, 2, "lacking"),
    ],
)
def test_as_many_degrees_of_freedom_as_variables_are_needed(n: int, k: int, within: str) -> None:
    of = scatter(n, k)
    expected = {"full": 90 / 35, "lacking": math.inf}[within]
    assert find_index("det_ratio").of(of) == pytest.approx(expected, rel=1e-13)
    assert find_index("log_det_ratio").of(of) == pytest.approx(n * math.log(expected), rel=1e-13)
    assert find_index("ksq_detw").of(of) == pytest.approx(k * k * 35 if within == "full" else 0.0, rel=1e-13)
    assert math.isfinite(find_index("trace_wib").of(of)) == (within == "full")


def test_the_largest_double_is_a_value() -> None:
    largest = scatter_of(n=5, k=1, within=np.array([[sys.float_info.max]]), between=np.array([[0.0]]))
    assert find_index("ksq_detw").of(largest) == pytest.approx(sys.float_info.max, rel=1e-12)


def test_one_singular_cluster_is_enough() -> None:
    scott_symons = find_index("scott_symons")
    sizes = np.array([3, 5])
    value, reason = scott_symons.assess(ClusterDeterminants(sizes, np.array([-math.inf, 2.0])))
    assert (value, reason) == (-math.inf, "log 0: the scatter matrix of a cluster is singular")
    assert scott_symons.assess(ClusterDeterminants(sizes, np.array([0.5, 2.0]))) == (11.5, None)


def test_units_of_variables_do_not_matter_to_the_trace() -> None:
    scale = np.diag([1e-120, 1e130])
    scaled = scatter_of(n=10, k=3, within=scale @ WITHIN @ scale, between=scale @ BETWEEN @ scale)
    trace_wib = find_index("trace_wib")
    assert trace_wib.of(scaled) == pytest.approx(trace_wib.of(scatter(10, 3)), rel=1e-13)
