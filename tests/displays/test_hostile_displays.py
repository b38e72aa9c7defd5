"""Pictures of hostile results and names: a picture that can be drawn and saved, or an error of ours."""

from __future__ import annotations

import inspect
import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.errors import AdjudgeError
from hostile import (
    any_arrays,
    extreme_points,
    label_vectors,
    odd_lists,
    odd_points,
    odd_things,
    outcome,
    scalars,
)
from profiles import examples

pytest.importorskip("matplotlib")

# What matplotlib says of letters that its font lacks, and of pictures too small for their text.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Glyph"),
    pytest.mark.filterwarnings("ignore:constrained_layout not applied"),
]
few = examples(6, slow=True)
# Names that mean something to matplotlib's text, to SVG, to a spreadsheet, or are hard to place.
names = st.sampled_from(
    [
        "$x_1",
        "$\\frac{",
        "_hidden",
        "a\nb",
        "\\alpha",
        "%s{}",
        "</svg>",
        "",
        " ",
        "x" * 200,
        "\0",
        "\x1b[1m",
        "漢字",
        "=1",
    ]
)
sizes = st.sampled_from([None, (3, 2), (0.3, 0.2), (20, 0.5), (0, 1), (-1, 2), (math.nan, 1), "x", 5])


def draw(make: Any, *args: Any, plot: dict[str, Any] | None = None, **options: Any) -> None:
    """Make a display, draw it and save it as SVG."""
    display = outcome(make, *args, **options)
    if isinstance(display, AdjudgeError):
        return
    drawn = outcome(display.plot, **(plot or {}))
    if isinstance(drawn, AdjudgeError):
        return
    assert drawn is display
    stream = io.BytesIO()
    display.figure_.savefig(stream, format="svg")
    assert stream.getvalue().rstrip().endswith(b"</svg>")


@pytest.mark.full
@few
@given(
    vectors=label_vectors(3),
    p=names,
    q=names,
    kind=st.sampled_from(["clustering", "classification"]),
    measure=st.sampled_from(["sigma_c", "polarization", "rand", None]),
)
def test_comparisons(vectors: list[Any], p: str, q: str, kind: Any, measure: Any) -> None:
    truth, one, other = vectors
    found = outcome(adjudge.compare, truth, {p: one, q: other}, kind=kind, confidence=0.9)
    if isinstance(found, AdjudgeError):
        return
    draw(adjudge.displays.ComparisonDisplay.from_result, found, measure=measure)
    if len(found):
        draw(adjudge.displays.PrayatulMatrixDisplay.from_result, found, primary=p, alternative=q)
    draw(adjudge.displays.IndicesDisplay.from_result, found)


@pytest.mark.full
@few
@given(
    vectors=label_vectors(), size=sizes, name=names, style=st.sampled_from([None, "heatmap", "alluvial", "x"])
)
def test_contingency_tables(vectors: list[Any], size: Any, name: str, style: Any) -> None:
    truth, pred = (np.array([f"{name}{v}" for v in vector]) for vector in vectors)
    plot = {"figsize": size, "style": style}
    draw(adjudge.displays.ContingencyDisplay.from_predictions, truth, pred, names=[name, name], plot=plot)
    draw(adjudge.displays.ContingencyDisplay.from_predictions, truth, {name: pred, "b": truth}, plot=plot)


@pytest.mark.full
@few
@given(vectors=label_vectors(), data=extreme_points(), size=sizes)
def test_indices(vectors: list[Any], data: tuple[np.ndarray, list[int]], size: Any) -> None:
    draw(adjudge.displays.IndicesDisplay.from_predictions, *vectors, plot={"figsize": size})
    draw(adjudge.displays.IndicesDisplay.from_predictions, X=data[0], labels=data[1])


@pytest.mark.full
@few
@given(data=extreme_points(), size=sizes)
def test_silhouettes(data: tuple[np.ndarray, list[int]], size: Any) -> None:
    draw(adjudge.displays.SilhouetteDisplay.from_predictions, *data, plot={"figsize": size})
    draw(adjudge.displays.DbcvDisplay.from_predictions, *data, plot={"figsize": size})
    draw(adjudge.displays.ReachabilityDisplay.from_predictions, *data, min_samples=2, plot={"figsize": size})


@few
@given(vectors=label_vectors(3), size=sizes, name=names)
def test_trees_of_clusters(vectors: list[Any], size: Any, name: str) -> None:
    labels = {f"{name}{i}": vector for i, vector in enumerate(vectors)}
    draw(adjudge.displays.ClusterTreeDisplay.from_predictions, labels, plot={"figsize": size})


@few
@given(
    vectors=label_vectors(3),
    X=odd_points() | st.none(),
    embedding=st.sampled_from(["pca", "nonsense", None, lambda X: X[:, :2], lambda X: None]) | odd_points(),
    show=st.sampled_from([None, "outcome", "balance", "both_right", "nonsense"]),
)
def test_maps_of_outcomes(vectors: list[Any], X: Any, embedding: Any, show: Any) -> None:
    vectors = [list(vector) for vector in vectors]
    n = len(vectors[0])
    if X is None:
        X = np.random.default_rng(0).normal(size=(n, 3))
    for kind in ("clustering", "classification"):
        draw(
            adjudge.displays.OutcomeMapDisplay.from_predictions,
            *vectors,
            X,
            kind=kind,
            embedding=embedding,
            plot={"show": show},
        )


@few
@given(
    vectors=label_vectors(),
    index=st.sampled_from(["rand", "purity", "ami", "pair_mcnemar", "entropy_true"]),
    options=st.fixed_dictionaries(
        {},
        optional={
            "null": st.sampled_from(["fixed_margins", "num", "all", "all1"]),
            "method": st.sampled_from(["auto", "simulate", "pearson3"]),
            "alternative": st.sampled_from([None, "less", "nonsense"]),
        },
    ),
)
def test_null_distributions(vectors: list[Any], index: str, options: dict[str, Any]) -> None:
    draw(
        adjudge.displays.NullDistributionDisplay.from_predictions,
        index,
        *vectors,
        n_tables=20,
        random_state=0,
        **options,
    )


@pytest.mark.full
@few
@given(seed=st.integers(0, 9), round_to=st.sampled_from([0, 8]), stability=st.sampled_from([False, 2]))
def test_numbers_of_clusters(seed: int, round_to: int, stability: Any) -> None:
    X = np.round(np.random.default_rng(seed).normal(size=(8, 2)), round_to)
    chosen = outcome(
        adjudge.choose_k, X, k=range(2, 5), n_init=1, random_state=0, stability=stability, indices=["ch"]
    )
    if not isinstance(chosen, AdjudgeError):
        draw(adjudge.displays.KChoiceDisplay.from_result, chosen)
        draw(adjudge.displays.KChoiceDisplay.from_result, chosen, estimator="nonsense")
        draw(adjudge.displays.StabilityDisplay.from_result, chosen)


@few
@given(
    ranks=st.dictionaries(names, st.sampled_from([1.0, 1.5, 2.0, 1e300, math.nan, -1.0]), max_size=5),
    difference=st.sampled_from([None, 0.0, 0.7, 1e9, math.nan, -1, "x"]),
)
def test_ranks(ranks: dict[str, float], difference: Any) -> None:
    draw(adjudge.displays.CriticalDifferenceDisplay, ranks, critical_difference=difference)


DISPLAYS = [getattr(adjudge.displays, name) for name in dir(adjudge.displays)]
junk = (
    odd_things | odd_lists | any_arrays | scalars | st.dictionaries(st.text(max_size=1), scalars, max_size=2)
)


@pytest.mark.full
@examples(40, slow=True)
@given(
    display=st.sampled_from(DISPLAYS),
    maker=st.sampled_from(["__call__", "from_result", "from_predictions", "from_estimator", "from_scores"]),
    given_=st.lists(junk, min_size=4, max_size=4),
)
def test_displays_of_anything(display: Any, maker: str, given_: list[Any]) -> None:
    """Whatever is given to a display: it may be drawn, or it is refused in words."""
    make = display if maker == "__call__" else getattr(display, maker, None)
    if make is None:
        return
    options = {} if maker in ("from_result", "from_scores") else {"kind": "clustering"}
    parameters = inspect.signature(make).parameters
    needed = [p for p in parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    draw(make, *given_[: len(needed)], **{k: v for k, v in options.items() if k in parameters})
    outcome(
        lambda: adjudge.displays.PrayatulMatrixDisplay(adjudge.statistics.Agreement(1, 2, 3, 4)).plot(
            ax=given_[0]
        )
    )
