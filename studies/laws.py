"""Joint distributions of true and predicted labels that several studies draw from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import adjudge

Floats = np.ndarray[Any, np.dtype[np.float64]]
#: Size of a population that stands for an infinite one.
POPULATION = 4_000_000_000


def shares_of(k: int, kind: str) -> Floats:
    """Return the shares of k clusters, equal or geometric."""
    shares = np.ones(k) if kind == "equal" else 0.8 ** np.arange(k)
    return np.asarray(shares / shares.sum())


def spread(k: int, right: float) -> Floats:
    """Return where the instances of each cluster go if all errors are equally likely."""
    law = np.full((k, k), (1 - right) / (k - 1))
    np.fill_diagonal(law, right)
    return law


def hub(k: int, right: float) -> Floats:
    """Send all errors to the first cluster."""
    law = right * np.eye(k)
    law[:, 0] += 1 - right
    return law


def neighbours(k: int, right: float) -> Floats:
    """Send errors to the two neighbouring clusters."""
    beside = np.roll(np.eye(k), 1, axis=1) + np.roll(np.eye(k), -1, axis=1)
    return np.asarray(right * np.eye(k) + (1 - right) / 2 * beside)


def merged(law: Floats) -> Floats:
    """Merge neighbouring predicted clusters in pairs."""
    into = np.arange(law.shape[-1]) // 2
    found = np.zeros((*law.shape[:-1], into.max() + 1))
    np.add.at(found, (..., into), law)
    return found


def split(law: Floats) -> Floats:
    """Split each predicted cluster into two halves."""
    return np.repeat(law / 2, 2, axis=-1)


def one_never(law: Floats) -> Floats:
    """Send the instances of the last predicted cluster to the first: one class is never predicted."""
    found = law.copy()
    found[..., 0] += found[..., -1]
    return found[..., :-1]


def by_rows(sizes: Any, rows: Any) -> Floats:
    """Make a law from the sizes of the true clusters and where the instances of each go."""
    shares, where = np.asarray(sizes, float), np.asarray(rows, float)
    law = (shares / shares.sum())[:, None] * (where / where.sum(axis=1, keepdims=True))
    return np.asarray(law / law.sum())


def of_models(shares: Floats, first: Floats, second: Floats, copied: float = 0.0) -> Floats:
    """Make a law of truth and two models that err independently, except for a share that the second copies."""
    joint = (1 - copied) * np.einsum("g,gp,gq->gpq", shares, first, second)
    return joint + (
        copied * np.einsum("g,gp,pq->gpq", shares, first, np.eye(first.shape[1])) if copied else 0.0
    )


def equally_good() -> Iterator[tuple[str, Floats]]:
    """Yield laws of truth and two exchangeable models."""
    for k, right in itertools.product((2, 4, 8), (0.4, 0.65, 0.85, 0.97)):
        yield f"K = {k}, {right} right", of_models(shares_of(k, "geometric"), *2 * (spread(k, right),))
    four, random = spread(4, 0.85), np.random.default_rng(17).dirichlet(np.full(7, 0.3), 5)
    for name, shares, said in (
        ("errors to one cluster", shares_of(5, "geometric"), hub(5, 0.75)),
        ("errors to neighbours", shares_of(6, "equal"), neighbours(6, 0.8)),
        ("one cluster of 85 %", np.array([0.85, 0.05, 0.05, 0.05]), spread(4, 0.9)),
        ("any table, 5 x 7", shares_of(5, "geometric"), random),
        ("half as many clusters", shares_of(4, "geometric"), merged(four)),
        ("twice as many clusters", shares_of(4, "geometric"), split(four)),
        ("60 clusters", shares_of(60, "equal"), spread(60, 0.9)),
    ):
        yield name, of_models(shares, said, said)


def labels_of(law: Floats, n: int, rng: np.random.Generator) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Draw n instances from a joint law: one vector of labels per axis."""
    counts = rng.multinomial(n, law.ravel())
    return [np.repeat(codes, counts) for codes in np.indices(law.shape).reshape(law.ndim, -1)]


def measures_of(law: Floats, right: list[Any]) -> dict[str, float]:
    """Return the Prayatul measures of a population; `right` says in which of its cells each model is right."""
    first, second = right
    shares = (first & second, first & ~second, ~first & second, ~(first | second))
    agreement = adjudge.statistics.Agreement(*(round(float(law[own].sum()) * POPULATION) for own in shares))
    records = adjudge.list_indices("comparative")
    return {record.name: float(record.of(agreement)) for record in records}


def measures_of_clusterings(law: Floats) -> dict[str, float]:
    """Return the Prayatul measures of a population of pairs, from the law of truth and two clusterings."""
    cells = np.indices(law.shape).reshape(3, -1)
    truth, *said = (own[:, None] == own for own in cells)
    return measures_of(np.outer(law, law), [truth == own for own in said])
