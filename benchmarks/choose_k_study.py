"""Which criteria find the number of clusters, and on what: the study behind the verdict of `choose_k`.

    python benchmarks/choose_k_study.py run OUT.jsonl [--sets FOLDER]     values and votes on every data set, resumable
    python benchmarks/choose_k_study.py report OUT.jsonl                   the tables of docs/choose_k.md

FOLDER holds benchmark sets as BATTERY/NAME.data.gz with
BATTERY/NAME.labels0.gz, labels1.gz ... beside them
(M. Gagolewski et al., doi:10.5281/zenodo.7088171); it may also be given as CLUSTERING_SETS. Without it
the generated sets and those of scikit-learn are used.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402 (threads are set before)

MOST_POINTS = 1500
SHAPES = (("equal", "round"), ("unbalanced", "round"), ("equal", "elongated"), ("equal", "varied"))
KS = range(2, 11)
PAGE = Path(__file__).resolve().parent.parent / "docs" / "choose_k.md"
BEGIN, END = "<!-- study begins -->", "<!-- study ends -->"
# A pair of set and estimator is fair where its partition into an accepted K agrees this well with the reference.
FAIR = 0.8
KINDS_OF_SETS = {
    "round, apart": lambda r: r["group"] == "gaussian, apart" and "_round_" in r["set"],
    "round, close": lambda r: r["group"] == "gaussian, close" and "_round_" in r["set"],
    "unbalanced": lambda r: "_unbalanced_" in r["set"],
    "elongated": lambda r: "_elongated_" in r["set"],
    "varied spread": lambda r: "_varied_" in r["set"],
    "two clusters": lambda r: r["right"] == [2],
    "six or more": lambda r: min(r["right"]) >= 6,
    "benchmark sets": lambda r: r["group"] in ("fcps", "graves", "wut", "real"),
}
WARNINGS = {
    "no more compact than a Gaussian or even points": "hardly better",
    "the gap statistic prefers one": "gap statistic prefers",
    "prediction strength under 0.8": "prediction strength is under",
    "spread evenly (Hopkins)": "spread evenly",
}
ESTIMATORS = ("kmeans", "ward", "average", "gaussian_mixture")


@dataclass(frozen=True)
class Set:
    """Points and what counts as right.

    Attributes
    ----------
    name, group : str
    X : ndarray
    references : list of ndarray
        Accepted labellings, 0 for noise; empty where there is no structure.
    """

    name: str
    group: str
    X: np.ndarray
    references: list[np.ndarray]

    @property
    def right(self) -> list[int]:
        """Accepted numbers of clusters; noise is none."""
        return sorted({int(np.unique(r[r > 0]).size) for r in self.references})


def _standardized(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _known() -> Iterator[Set]:
    from sklearn import datasets

    for name, scaled in (("iris", False), ("wine", True), ("breast_cancer", True), ("digits", False)):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield Set(name, "real", _standardized(X) if scaled else X, [y + 1])


def _gaussian(
    rng: np.random.Generator, k: int, p: int, apart: float, sizes: str, shape: str
) -> tuple[Any, Any]:
    """Gaussian clusters whose centres are at least `apart` standard deviations from each other."""
    box = apart * max(1.5, k ** (1 / p)) * 1.2
    while True:
        centres = rng.uniform(0, box, size=(k, p))
        gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)[np.triu_indices(k, 1)]
        if gaps.min() >= apart:
            break
        box *= 1.02
    counts = np.full(k, 600 // k)
    if sizes == "unbalanced":
        counts = np.maximum((600 * 2.0 ** -np.arange(k) / (2 - 2.0 ** (1 - k))).astype(int), 25)
    parts = []
    for centre, count in zip(centres, counts, strict=True):
        spread = np.eye(p)
        if shape == "elongated":
            turn = np.linalg.qr(rng.normal(size=(p, p)))[0]
            spread = turn * np.geomspace(0.4, 1.6, p)
        elif shape == "varied":
            spread = np.eye(p) * rng.uniform(0.4, 1.4)
        parts.append(centre + rng.normal(size=(count, p)) @ spread.T)
    return np.concatenate(parts), np.repeat(np.arange(1, k + 1), counts)


def _generated() -> Iterator[Set]:
    from sklearn import datasets

    seed = 0
    for apart, words in ((4.0, "close"), (7.0, "apart")):
        for k in (2, 3, 4, 6, 8):
            for p in (2, 6):
                for sizes, shape in SHAPES:
                    seed += 1
                    X, y = _gaussian(np.random.default_rng(seed), k, p, apart, sizes, shape)
                    kind = sizes if sizes == "unbalanced" else shape
                    yield Set(f"gaussian_{words}_{kind}_k{k}_p{p}", f"gaussian, {words}", X, [y])
    for noise in (0.05, 0.1):
        X, y = datasets.make_moons(600, noise=noise, random_state=1)
        yield Set(f"moons_{noise}", "not convex", X, [y + 1])
        X, y = datasets.make_circles(600, noise=noise / 2, factor=0.4, random_state=2)
        yield Set(f"circles_{noise}", "not convex", X, [y + 1])
    for number in range(3):
        rng = np.random.default_rng(100 + number)
        yield Set(f"uniform_square_{number}", "no structure", rng.uniform(size=(500, 2)), [])
        yield Set(f"uniform_cube_{number}", "no structure", rng.uniform(size=(500, 6)), [])
        yield Set(f"one_gaussian_{number}", "no structure", rng.normal(size=(500, 2)), [])
        yield Set(f"one_gaussian_p6_{number}", "no structure", rng.normal(size=(500, 6)), [])
        yield Set(f"one_elongated_{number}", "no structure", rng.normal(size=(500, 3)) * [4.0, 2.0, 1.0], [])
        yield Set(f"one_heavy_tailed_{number}", "no structure", rng.standard_t(5, size=(500, 2)), [])


def _given(folder: Path) -> Iterator[Set]:
    for path in sorted(folder.glob("*/*.data.gz")):
        stem = path.name.removesuffix(".data.gz")
        labels = sorted(path.parent.glob(f"{stem}.labels*.gz"))
        yield Set(
            f"{path.parent.name}/{stem}",
            path.parent.name,
            np.loadtxt(path, ndmin=2),
            [np.loadtxt(file, dtype=int) for file in labels],
        )


def sets(folder: Path | None) -> Iterator[Set]:
    """All sets, large ones sampled."""
    for data in (*_known(), *_generated(), *(_given(folder) if folder else ())):
        n = data.X.shape[0]
        if n > MOST_POINTS:
            keep = np.sort(np.random.default_rng(n).choice(n, MOST_POINTS, replace=False))
            data = Set(data.name, data.group, data.X[keep], [r[keep] for r in data.references])
        yield data


def run(out: Path, folder: Path | None) -> None:
    """Append a line for each set and estimator that has none yet."""
    from adjudge import adjusted_rand, choose_k

    done = set()
    if out.exists():
        done = {(r["set"], r["estimator"]) for r in map(json.loads, out.read_text().splitlines())}
    for data in sets(folder):
        for estimator in ESTIMATORS:
            if (data.name, estimator) in done:
                continue
            costly = estimator == "kmeans"
            start = time.perf_counter()
            choice = choose_k(
                data.X,
                estimator,
                KS,
                indices=["all", "gap"] if costly else "all",
                n_references=30,
                stability=20 if costly else False,
                random_state=0,
            )
            agreement = {}
            for reference in data.references:
                k = int(np.unique(reference[reference > 0]).size)
                if k in choice.labels:
                    clear = reference > 0
                    agreement[str(k)] = adjusted_rand(reference[clear], choice.labels[k][clear])
            row = choice.to_dict()
            row.pop("settings")
            row |= {"set": data.name, "group": data.group, "right": data.right, "agreement": agreement}
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            seconds = time.perf_counter() - start
            print(f"{data.name} {estimator} right={data.right} k={choice.k} {seconds:.1f}s", flush=True)


# The report


def chosen_by(name: str) -> bool:
    """Whether a set was used to choose the verdict; the others test it."""
    return zlib.crc32(name.encode()) % 2 == 1


def _recovered(rows: list[dict[str, Any]], criterion: str) -> float | None:
    """Share of the sets whose K a criterion finds; the verdict is the criterion "verdict"."""
    votes = [r["k"] if criterion == "verdict" else r["votes"].get(criterion, "absent") for r in rows]
    counted = [v in r["right"] for v, r in zip(votes, rows, strict=True) if v != "absent"]
    return sum(counted) / len(counted) if counted else None


def _plurality(row: dict[str, Any], by_family: bool) -> int | None:
    tally = row["tally"] if by_family else Counter(v for v in row["votes"].values() if v is not None)
    within = {int(k): v for k, v in tally.items() if int(k) in KS}
    return max(within, key=lambda k: (round(within[k], 9), -k)) if within else None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f}"


def _table(columns: list[str], rows: list[list[str]]) -> str:
    marks = ["---", *["---:"] * (len(columns) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (columns, marks, *rows))


def report(path: Path) -> str:
    """Return the tables as Markdown."""
    everything = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [r for r in everything if any(k in KS for k in r["right"])]
    for r in rows:
        r["votes"] |= {
            "plurality of families": _plurality(r, True),
            "plurality of criteria": _plurality(r, False),
        }
    fair = [r for r in rows if max(r["agreement"].values(), default=0) >= FAIR]
    held_out = [r for r in fair if not chosen_by(r["set"])]
    names = list(dict.fromkeys(name for r in rows for name in r["votes"]))
    overall = {name: _recovered(held_out, name) or 0.0 for name in names}
    ranked = ["verdict", *sorted(names, key=lambda name: -overall[name])]

    by_estimator = [
        [
            f"**{name}**" if name == "verdict" else name,
            _percent(_recovered(held_out, name)),
            *(_percent(_recovered([r for r in held_out if r["estimator"] == e], name)) for e in ESTIMATORS),
            _percent(_recovered([r for r in fair if chosen_by(r["set"])], name)),
            _percent(_recovered([r for r in rows if not chosen_by(r["set"])], name)),
        ]
        for name in ranked
    ]
    kinds = {kind: [r for r in fair if wanted(r)] for kind, wanted in KINDS_OF_SETS.items()}
    by_kind = [
        [
            f"**{name}**" if name == "verdict" else name,
            *(_percent(_recovered(some, name)) for some in kinds.values()),
        ]
        for name in ranked
        if name == "verdict" or overall[name] >= 0.5
    ]
    empty = [r for r in everything if not r["right"] and r["estimator"] == "kmeans"]
    real = [r for r in fair if r["estimator"] == "kmeans"]
    warned = [
        [
            words,
            *(
                f"{sum(any(mark in w for w in r['warnings']) for r in some)} of {len(some)}"
                for some in (empty, real)
            ),
        ]
        for words, mark in WARNINGS.items()
    ]
    with_clusters = len({r["set"] for r in rows})
    without = len({r["set"] for r in everything if not r["right"]})
    counts = f"{with_clusters} sets with clusters, {without} without"
    return "\n\n".join(
        [
            f"{counts}; {len(fair)} pairs of set and estimator are fair, {len(held_out)} of them held out.",
            "### Held-out sets, by estimator",
            _table(
                [
                    "criterion",
                    "all estimators",
                    *ESTIMATORS,
                    "sets that the verdict was chosen on",
                    "unfair pairs too",
                ],
                by_estimator,
            ),
            "### By kind of set",
            _table(["criterion", *(f"{kind} ({len(some)})" for kind, some in kinds.items())], by_kind),
            "### No clusters",
            _table(["warning", "raised without clusters", "raised with clusters (fair)"], warned),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", type=Path, default=os.environ.get("CLUSTERING_SETS"))
    given = parser.parse_args()
    if given.what == "run":
        run(given.file, Path(given.sets) if given.sets else None)
    else:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        _, _, tail = rest.partition(END)
        PAGE.write_text(f"{head}{BEGIN}\n\n{report(given.file)}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
