"""A user's program: indices, their records, chance, intervals and scorers. Checked by `mypy --strict`, never run."""

from typing import assert_type

import numpy as np

import adjudge

truth, labels = [0, 0, 1], [0, 1, 1]
X = np.zeros((3, 2))

# Every index is a function of its own.
assert_type(adjudge.rand(truth, labels), float)
assert_type(adjudge.adjusted_rand(truth, labels, noise="drop"), float)
assert_type(adjudge.silhouette(X, labels, metric="cosine"), float)
assert_type(adjudge.accuracy(truth, labels), float)
assert_type(adjudge.polarization(truth, labels, truth, kind="classification"), float)

# ... with a record.
record = adjudge.find_index("ari")
assert_type(record.name, str)
assert_type(record.range, tuple[float, float])
assert_type([index.title for index in adjudge.list_indices("internal")], list[str])

# Statistics are counted once, for many indices.
table = adjudge.statistics.Contingency.from_labels(truth, labels)
assert_type(table, adjudge.statistics.Contingency)
assert_type(adjudge.rand.of(table.statistic(adjudge.statistics.PairCounts)), float)

assert_type(adjudge.inference.adjusted_for_chance("rand", truth, labels), float)
assert_type(adjudge.inference.expected_by_chance("rand", truth, labels), float)
null = adjudge.inference.null_distribution("rand", truth, labels)
assert_type(null, adjudge.inference.NullDistribution)
assert_type(null.p_value(), float)
assert_type(null.mean, float)

scorer = adjudge.make_scorer("davies_bouldin", noise="drop")
assert_type(scorer, adjudge.metrics.IndexScorer)
assert_type(scorer(object(), X), float)
assert_type(scorer(object(), X, truth), float)

try:
    adjudge.rand(truth, [0])
except adjudge.InputError as error:
    assert_type(error, adjudge.InputError)
    caught: ValueError = error
