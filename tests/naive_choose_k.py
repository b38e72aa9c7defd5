"""The criteria of a sweep by their definitions, slow and readable, and NbClust's variants of them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def scatter(X, labels):
    """Return the within-cluster scatter matrix, WG."""
    within = np.zeros((X.shape[1], X.shape[1]))
    for c in np.unique(labels):
        points = X[labels == c] - X[labels == c].mean(axis=0)
        within += points.T @ points
    return within


def total(X):
    centred = X - X.mean(axis=0)
    return centred.T @ centred


def distances(X, labels, joined):
    """Return the distances within clusters (joined) or between them."""
    return [
        math.dist(X[i], X[j]) for i, j in combinations(range(len(X)), 2) if (labels[i] == labels[j]) == joined
    ]


def krzanowski_lai(X, labels, k):
    p = X.shape[1]

    def difference(q):
        before, here = np.trace(scatter(X, labels[q - 1])), np.trace(scatter(X, labels[q]))
        return (q - 1) ** (2 / p) * before - q ** (2 / p) * here

    return abs(difference(k) / difference(k + 1))


def hartigan(X, labels, k, lost=1):
    here, there = (np.trace(scatter(X, labels[q])) for q in (k, k + 1))
    return (here / there - 1) * (len(X) - k - lost)


def trcovw(X, labels, k):
    return float(np.trace(np.cov(scatter(X, labels[k]))))


def friedman(X, labels, k):
    within = scatter(X, labels[k])
    return float(np.trace(np.linalg.solve(within, total(X) - within)))


def scott(X, labels, k):
    return len(X) * math.log(np.linalg.det(total(X)) / np.linalg.det(scatter(X, labels[k])))


def ccc(X, labels, k, about_mean=True):
    """Compute as in SAS report A-108; NbClust takes axes about the origin, and compares all sides with one cube."""
    n, p = X.shape
    T = total(X) if about_mean else X.T @ X
    s = np.sqrt(np.linalg.eigvalsh(T)[::-1] / (n - 1))
    if about_mean:
        for dims in range(min(k - 1, p), 0, -1):
            u = s / (np.prod(s[:dims]) / k) ** (1 / dims)
            if u[dims - 1] >= 1:
                break
    else:
        cube = (np.prod(s) / k) ** (1 / p)
        dims = max(1, min(k - 1, int((s >= cube).sum())))
        u = s / (np.prod(s[:dims]) / k) ** (1 / dims)
    r2 = 1 - np.trace(scatter(X, labels[k])) / np.trace(T)
    unexplained = sum(1 / (n + u[j]) if j < dims else u[j] ** 2 / (n + u[j]) for j in range(p))
    expected = 1 - unexplained / sum(u**2) * (n - k) ** 2 / n * (1 + 4 / n)
    return math.log((1 - expected) / (1 - r2)) * math.sqrt(n * dims / 2) / (0.001 + expected) ** 1.2


def split(X, labels, k):
    """Return the size of the cluster that splits, its dispersion, and that of its parts."""
    for c in np.unique(labels[k]):
        member = labels[k] == c
        parts = np.unique(labels[k + 1][member])
        if parts.size == 2:
            whole = np.trace(scatter(X[member], np.zeros(member.sum())))
            return int(member.sum()), whole, np.trace(scatter(X[member], labels[k + 1][member]))
    raise AssertionError("no cluster splits")


def critical_ratio(n, p, z=3.20):
    return 1 - 2 / (math.pi * p) - z * math.sqrt(2 * (1 - 8 / (math.pi**2 * p)) / (n * p))


def beale(X, labels, k, nbclust=False):
    n, whole, parts = split(X, labels, k)
    power = 2 ** (2 / X.shape[1])
    expected = (n - 1) / (n - 2) * (power - 1) if nbclust else (n - 1) / (n - 2) * power - 1
    return (whole - parts) / parts / expected


def frey(X, labels, k):
    between = [np.mean(distances(X, labels[q], False)) for q in (k, k + 1)]
    within = [np.mean(distances(X, labels[q], True)) for q in (k, k + 1)]
    return (between[1] - between[0]) / (within[1] - within[0])


def hubert_statistic(X, labels):
    centroid = {c: X[labels == c].mean(axis=0) for c in np.unique(labels)}
    products = [
        math.dist(X[i], X[j]) * math.dist(centroid[labels[i]], centroid[labels[j]])
        for i, j in combinations(range(len(X)), 2)
    ]
    return float(np.mean(products))


def d_index(X, labels, over_points=False):
    means = [[math.dist(x, X[labels == c].mean(axis=0)) for x in X[labels == c]] for c in np.unique(labels)]
    return float(np.mean(np.concatenate(means)) if over_points else np.mean([np.mean(m) for m in means]))


def nbclust_friedman(X, labels, k):
    """Multiply element by element, with T about the origin."""
    within = scatter(X, labels[k])
    return float((np.diag(np.linalg.inv(within)) * np.diag(X.T @ X - within)).sum())


def nbclust_rubin(X, labels, k):
    """Use traces instead of determinants, with T about the origin."""
    return float(np.trace(X.T @ X) / np.trace(scatter(X, labels[k])))


def nbclust_scott(X, labels, k):
    """Use T about the origin."""
    return len(X) * math.log(np.linalg.det(X.T @ X) / np.linalg.det(scatter(X, labels[k])))


def nbclust_mcclain(X, labels, k):
    """Multiply the ratio of sums by the squared ratio of the numbers of pairs."""
    within, between = distances(X, labels[k], True), distances(X, labels[k], False)
    return sum(within) / sum(between) * (len(between) / len(within)) ** 2


def nbclust_davies_bouldin(X, labels, k):
    """Use the root mean square distance to the centroid instead of the mean distance."""
    groups = [X[labels[k] == c] for c in np.unique(labels[k])]
    centroids = [g.mean(axis=0) for g in groups]
    radii = [math.sqrt(np.mean(((g - c) ** 2).sum(axis=1))) for g, c in zip(groups, centroids, strict=True)]
    worst = [
        max((radii[i] + radii[j]) / math.dist(centroids[i], centroids[j]) for j in range(k) if j != i)
        for i in range(k)
    ]
    return float(np.mean(worst))


def nbclust_ratkowsky(X, labels, k):
    """Use the mean of the columns' square roots instead of the square root of their mean."""
    share = 1 - np.diag(scatter(X, labels[k])) / np.diag(total(X))
    return float(np.mean(np.sqrt(share)) / math.sqrt(k))


def nbclust_silhouette(X, labels, k):
    """Use 1 instead of 0 for the only point of a cluster."""
    widths = []
    for i in range(len(X)):
        d = np.linalg.norm(X - X[i], axis=1)
        same = labels[k] == labels[k][i]
        nearest = min(d[labels[k] == c].mean() for c in np.unique(labels[k]) if c != labels[k][i])
        own = d[same].sum() / (same.sum() - 1) if same.sum() > 1 else 0.0
        widths.append((nearest - own) / max(nearest, own))
    return float(np.mean(widths))
