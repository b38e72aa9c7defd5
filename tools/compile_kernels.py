"""Call what most tests call, so that Numba's cache has its kernels before several processes want them."""

import numpy as np

import adjudge


def main() -> None:
    """Compile what is not in the cache yet."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 400)
    labels = np.where(rng.random(400) < 0.7, truth, rng.integers(0, 6, 400))
    X = rng.normal(size=(400, 3)) + labels[:, None]
    adjudge.evaluate(truth, labels, X=X)
    adjudge.evaluate(truth, labels, adjust=True, confidence=0.9)
    adjudge.evaluate(np.tile(truth, 500), np.tile(labels, 500), indices="rand")
    adjudge.choose_k(X, "kmeans", k=(2, 3))


if __name__ == "__main__":
    main()
