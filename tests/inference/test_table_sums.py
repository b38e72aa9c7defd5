"""Pairs and entropies of partitions: what one more instance adds, with weights and units too."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import digamma

import adjudge
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.interval import intervals_of
from adjudge.inference.linear import Steps, scored
from adjudge.inference.partitions.entropy_sums import EntropySums
from adjudge.inference.partitions.intervals import external_intervals, weighted_intervals
from adjudge.inference.partitions.pair_sums import PairSums
from adjudge.inference.partitions.share_influence import weighted_shares
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.pair_counts import PairCounts
from adjudge.statistics.weighted import WeightedContingency

TABLE = np.array([[60, 5, 0], [4, 81, 3], [0, 6, 40]])
PAIRS = [record.name for record in adjudge.list_indices("external") if record.requires == (PairCounts,)]
ENTROPIES = ["nmi", "ami", "homogeneity", "completeness", "v_measure", "variation_of_information"]


def more(table: np.ndarray, cell: np.ndarray) -> np.ndarray:
    found = table.copy()
    found[tuple(cell)] += 1
    return found


@pytest.mark.parametrize("name", PAIRS)
def test_an_instance_of_an_empty_cell_is_tried(name: str) -> None:
    record = adjudge.find_index(name, "external")
    value = record(Contingency.from_matrix(TABLE))
    if not math.isfinite(value):
        pytest.skip("undefined here")
    sums = PairSums(CrossTabulation.of_table(Contingency.from_matrix(TABLE)))
    own = scored(record, Steps(sums))
    found = own.influence(sums.cells, TABLE[TABLE > 0].astype(float))
    gains = [record(Contingency.from_matrix(more(TABLE, cell))) - value for cell in np.argwhere(TABLE == 0)]
    assert found.rise == pytest.approx(max(0.0, *gains), rel=1e-6, abs=1e-12)
    assert found.fall == pytest.approx(-min(0.0, *gains), rel=1e-6, abs=1e-12)


def rows_of(table: np.ndarray) -> np.ndarray:
    return np.repeat(np.argwhere(table > 0), table[table > 0], axis=0)


def drawn_rows(seed: int, weights: bool, units: bool) -> tuple[WeightedContingency, Drawn, np.ndarray]:
    """A weighted table, how its rows were drawn over its cells, and the rows with their weight and unit."""
    rng, rows = np.random.default_rng(seed), rows_of(TABLE)
    mass = rng.uniform(0.3, 3, len(rows)) if weights else np.ones(len(rows))
    unit = rng.integers(0, 40, len(rows)) if units else np.arange(len(rows))
    unit = np.unique(unit, return_inverse=True)[1]
    table = WeightedContingency.from_labels(rows[:, 0], rows[:, 1], mass)
    entry = np.searchsorted(table.rows * 3 + table.cols, rows[:, 0] * 3 + rows[:, 1])
    return table, Drawn(unit, int(unit.max()) + 1, entry, mass), np.column_stack([rows, mass, unit])


def miller(code: np.ndarray, mass: np.ndarray, unit: np.ndarray) -> float:
    """An entropy of weights or units to first order: each class adds the part of its effective number."""
    total, found = mass.sum(), 0.0
    per_unit = np.bincount(unit, mass)
    found = math.log(total) - (
        math.log(total**2 / (per_unit @ per_unit)) - digamma(total**2 / (per_unit @ per_unit))
    )
    for own in np.unique(code):
        held = np.bincount(unit[code == own], mass[code == own])
        size, effective = held.sum(), held.sum() ** 2 / (held @ held)
        found += size / total * (math.log(effective) - digamma(effective) - math.log(size))
    return float(found)


@pytest.mark.parametrize(("weights", "units"), [(True, False), (False, True), (True, True)])
def test_entropies_at_effective_counts(weights: bool, units: bool) -> None:
    """No class is held by one or two units, so that nothing is added for what was not drawn."""
    table, drawn, rows = drawn_rows(1, weights, units)
    sums = EntropySums(table, drawn)
    code, mass, unit = 3 * rows[:, 0] + rows[:, 1], rows[:, 2], rows[:, 3].astype(int)
    numbers = [miller(own, mass, unit) for own in (rows[:, 0], rows[:, 1], code)]
    assert sums.numbers() == pytest.approx(numbers, rel=1e-9)
    # The influence of a unit on the entropy of the truth, beside leaving all it has of each class out.
    psi = sums.per_cell(np.array([1.0, 0.0, 0.0]), sums.cells) * mass.sum()
    without, held = [], []
    for own in np.unique(unit):
        for label in np.unique(rows[unit == own, 0]):
            out = (unit == own) & (rows[:, 0] == label)
            without.append(miller(rows[~out, 0], mass[~out], unit[~out]))
            held.append(mass[out].sum())
    held, without = np.array(held), np.array(without)
    left = (numbers[0] - without) * (mass.sum() - held) / held
    left -= held @ left / held.sum()
    found = [psi[(unit == own) & (rows[:, 0] == label)][0]
             for own in np.unique(unit) for label in np.unique(rows[unit == own, 0])]  # fmt: skip
    assert np.corrcoef(found, left)[0, 1] > 0.99
    assert np.std(found) == pytest.approx(np.std(left), rel=0.05)


@pytest.mark.parametrize("name", ENTROPIES)
def test_weights_of_one_are_rows(name: str) -> None:
    rows = rows_of(TABLE)
    table = WeightedContingency.from_labels(rows[:, 0], rows[:, 1], np.ones(len(rows)))
    entry = np.searchsorted(table.rows * 3 + table.cols, rows[:, 0] * 3 + rows[:, 1])
    drawn = Drawn(np.arange(len(rows)), len(rows), entry, np.ones(len(rows)))
    record = adjudge.find_index(name, "external")
    if name == "ami":
        pytest.skip("not defined for weights")
    own = weighted_intervals([record], table, 0.95, drawn)[name]
    plain = external_intervals([record], Contingency.from_matrix(TABLE))[name]
    assert tuple(own) == pytest.approx(tuple(plain), rel=0.02)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e5])
def test_the_scale_of_weights_changes_no_interval(scale: float) -> None:
    table, drawn, rows = drawn_rows(2, True, False)
    scaled = WeightedContingency.from_labels(rows[:, 0], rows[:, 1], scale * rows[:, 2])
    records = [adjudge.find_index(name, "external") for name in
               ("nmi", "adjusted_rand", "bcubed_f", "purity", "variation_of_information", "lea_f")]  # fmt: skip
    one = weighted_intervals(records, table, 0.95, drawn)
    counts = scale * np.asarray(drawn.counts)
    other = weighted_intervals(records, scaled, 0.95, Drawn(drawn.unit, drawn.n_units, drawn.entry, counts))
    for name, own in one.items():
        assert tuple(own) == pytest.approx(tuple(other[name]), rel=1e-5, nan_ok=True), name


def test_shares_of_weighted_rows_are_of_the_others() -> None:
    """The mean over rows, by their weights, of the share of the others in a cluster that are of the row's class."""
    table, drawn, rows = drawn_rows(3, True, False)
    mass, value = rows[:, 2], 0.0
    for i, (true, said) in enumerate(rows[:, :2]):
        others = np.arange(len(rows)) != i
        cluster = others & (rows[:, 1] == said)
        value += mass[i] * mass[cluster & (rows[:, 0] == true)].sum() / mass[cluster].sum()
    own = weighted_shares("bcubed_precision", table, drawn, 0.9, (0.0, 1.0))
    assert own is not None
    assert own.influence.value == pytest.approx(value / mass.sum(), rel=1e-3)
    found = intervals_of([own], 0.95)[0]
    assert found.low < own.influence.value < found.high


def test_entropies_that_hang_on_what_was_not_drawn_are_refused() -> None:
    rng = np.random.default_rng(0)
    truth, said = rng.geometric(0.06, 300) % 40, rng.integers(0, 30, 300)
    said = np.where(rng.random(300) < 0.7, truth % 30, said)
    found = external_intervals(["nmi", "entropy_true"], truth, said)
    assert "most combinations occur at most once" in str(found["nmi"].reason)
    assert found["entropy_true"].low < found["entropy_true"].high
    made = EntropySums(Contingency.from_labels(truth, said))
    assert made.at(made.numbers())[PartitionEntropies].mutual > 0
