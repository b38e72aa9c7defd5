"""A user's program: the verbs and what they return. Checked by `mypy --strict`, never run."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import adjudge

truth = ["a", "a", "b"]
X = np.zeros((3, 2))

evaluation = adjudge.evaluate(
    truth, [0, 0, 1], indices=["rand", adjudge.jaccard], confidence=0.95, adjust=True
)
assert_type(evaluation, adjudge.Evaluation)
assert_type(evaluation["rand"], float)
assert_type(evaluation.values, dict[str, float])
assert_type(evaluation.reasons, dict[str, str])
assert_type(evaluation.intervals, dict[str, tuple[float, float]])
assert_type(evaluation.flat(), dict[str, float])
assert_type(evaluation.to_dict(), dict[str, Any])
assert_type(list(evaluation), list[str])
assert_type("rand" in evaluation, bool)

comparison = adjudge.compare(truth, {"p": [0, 0, 1], "q": [0, 1, 1]}, kind="clustering")
assert_type(comparison, adjudge.Comparison)
pair = comparison["p", "q"]
assert_type(pair, adjudge.results.HeadToHead)
assert_type(pair.right_wrong, int)
assert_type(pair.measures, dict[str, float])
assert_type(pair.instances("right_wrong"), NDArray[np.int64])
assert_type([head.primary for head in comparison], list[str])

choice = adjudge.choose_k(X, "kmeans", k=range(2, 4), indices=["silhouette"], random_state=0)
assert_type(choice, adjudge.KChoice)
assert_type(choice.k, int | None)
assert_type(choice.votes, dict[str, int | None])
assert_type(choice["kmeans"], adjudge.KChoice)
assert_type(adjudge.best_partition([0.1, 0.2], "silhouette"), int | None)
