"""The headline of a number of clusters says what is believed, and clusters are described in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adjudge import InputError, choose, choose_k, report
from adjudge.choosing.profiles import profiles_of
from adjudge.given.labels import code_labels
from adjudge.results.k_statement import NumberWords, likeliest

NOISE = np.random.default_rng(0).normal(size=(150, 3))


NONE = "No clusters on which two halves of the points agree"


@pytest.mark.parametrize(
    ("k", "probability", "there_are", "headline", "convincing"),
    [
        (None, {3: 0.02, 4: 0.04}, False, f"{NONE}; if you must split, 4.", False),
        (None, None, False, f"{NONE}.", False),
        (3, {3: 0.9, 4: 0.05}, True, "There are clusters: 3, with a probability of 95 %.", True),
        (4, {3: 0.02, 4: 0.04}, True, "There are clusters: 4, with a probability of 67 %.", True),
        (
            4,
            {3: 0.3, 4: 0.32, 5: 0.1},
            True,
            "There are clusters, but it is unclear how many: 4 is the most probable number (44 %).",
            False,
        ),
        (
            None,
            {3: 0.01, 4: 0.02},
            True,
            "There are clusters, but these partitions hardly show them; if you must split, 4.",
            False,
        ),
        (3, None, True, "There are clusters; the criteria recommend 3 clusters.", True),
        # Not tested: few points, or a result of version 1.0.
        (4, {3: 0.02, 4: 0.04}, None, "No convincing clusters; if you must split, 4.", False),
        (
            4,
            {3: 0.3, 4: 0.45},
            None,
            "Clusters, but it is unclear how many: 4 is the most probable number.",
            False,
        ),
        (3, {3: 0.9, 4: 0.05}, None, "The criteria recommend 3 clusters.", True),
        (3, None, None, "The criteria recommend 3 clusters.", True),
        (None, None, None, "No number of clusters can be recommended.", False),
    ],
)
def test_the_headline_says_whether_there_are_clusters_and_how_many(
    k: int | None,
    probability: dict[int, float] | None,
    there_are: bool | None,
    headline: str,
    convincing: bool,
) -> None:
    words = NumberWords.of(k, probability, "no criterion votes", there_are)
    assert (words.headline, words.convincing) == (headline, convincing)
    assert words.because.endswith(".")
    assert likeliest(k, probability) == (k or (4 if probability else None))


def test_every_front_end_says_that_there_are_none(tmp_path: Path) -> None:
    choice = choose_k(NOISE, k=range(2, 6), random_state=0)
    assert choice.k is None
    words = choice.words
    assert words.headline.startswith(f"{NONE}; if you must split, ")
    assert words.because.startswith("Two halves of the points agree on no clusters: ")
    assert repr(choice).startswith(f"kmeans on 150 points: {words.headline}\n{words.because}\n")
    assert words.headline in choice._repr_html_()
    assert choice.to_dict()["headline"] == words.headline
    made = report(k_choice=choice, output=tmp_path / "r.html")
    (section,) = made.page["sections"]
    assert [own["text"] for own in section["verdict"]] == [words.headline, words.because]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert words.headline in page
    # The picture of the criteria.
    assert page.count("by K; it votes") == 5
    with_points = report(X=NOISE, k_choice=choice, output=tmp_path / "x.html")
    assert with_points.page["sections"][0]["verdict"] == section["verdict"]
    with pytest.raises(InputError, match="models is missing"):
        report(X=NOISE, output=tmp_path / "y.html")


def test_clusters_are_described_by_what_sets_them_apart() -> None:
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1], 200)
    # Of a skewed column the mean would be drawn by the few large values.
    spend = np.exp(rng.normal(size=400)) * np.where(codes == 1, 8.0, 1.0)
    visits = rng.normal(size=400) - 3 * codes
    same = rng.normal(size=400)
    values = np.column_stack([spend, visits, same])
    first, second = profiles_of(values, ["spend", "visits", "same"], codes, ["a", "b"])
    assert (first.label, first.n, second.label) == ("a", 200, "b")
    assert first.words == "visits high"
    assert -0.5 < first.offsets["spend"] < -0.3
    assert second.words == "spend high, visits low"
    low, median, high = np.percentile(spend, (25, 50, 75))
    assert second.offsets["spend"] == pytest.approx((np.median(spend[200:]) - median) / (high - low) * 1.349)
    assert second.offsets["visits"] == pytest.approx((visits[200:].mean() - visits.mean()) / visits.std())
    assert abs(second.offsets["same"]) < 0.5
    assert codes[first.typical] == 0
    assert codes[second.typical] == 1


def test_a_column_without_spread_and_gaps_says_nothing() -> None:
    values = np.array([[1.0, 0.0], [1.0, np.nan], [1.0, 9.0], [1.0, 10.0]])
    first, second = profiles_of(values, ["same", "x"], np.array([0, 0, 1, 1]), [0, 1])
    assert (first.words, second.words) == ("x low", "x high")
    assert first.offsets["same"] == 0


@pytest.mark.parametrize("kind", [np.asarray, lambda X: pd.DataFrame(X, columns=["u", "v"])])
def test_the_profiles_of_a_choice(kind: Any) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, size=(40, 2)) for m in (0, 3, 6)])
    choice = choose_k(kind(X), k=range(2, 6), random_state=0)
    names = ["u", "v"] if kind is not np.asarray else ["x0", "x1"]
    assert sorted(own.words for own in choice.profiles)[0] == "average in every column"
    assert all(name in choice.profiles[-1].offsets for name in names)
    assert sum(own.n for own in choice.profiles) == 120
    for own in choice.profiles:
        assert choice.labels[3][own.typical] == own.label
    assert "The partition into 3 clusters" in repr(choice)
    assert [row[3] for row in choice.profiles_table(first=1).rows] == [
        own.typical + 1 for own in choice.profiles
    ]


def test_choices_are_shown_as_other_results_are() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, size=(30, 2)) for m in (0, 3, 6)])
    labels = {f"{k} parts": np.arange(90) * k // 90 for k in range(1, 17)}
    for found, columns in (
        (choose_k(X, k=range(2, 5)), "| criterion | vote | 2 | 3 | 4 |"),
        (choose(X, labels), "| candidate | clusters | coverage | consensus | votes | recommended |"),
    ):
        assert repr(found).startswith(found.said()[0])
        assert columns in found.to_markdown()
        assert "toprule" in found.to_latex()
        assert list(found.to_frame("polars").columns) == list(found.table().columns)
    assert "\n... and 4 more" in repr(found)


@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_clusters_are_described_by_the_values_that_were_given(missing: Any) -> None:
    """Logarithms described them on one half of a page, and the values themselves on the other."""
    rng = np.random.default_rng(1)
    of = np.arange(300) % 3
    spend = np.exp(np.array([2, 4, 6.5])[of] + 0.3 * rng.normal(size=300))
    frame = pd.DataFrame({"spend": spend, "visits": rng.poisson(np.array([2, 9, 4])[of]).astype(float)})
    if missing == "drop":
        frame.loc[7, "visits"] = np.nan
    choice = choose_k(frame, k=[3], standardize="log", missing=missing, n_init=1)
    kept = frame.dropna().to_numpy()
    codes, labels = code_labels(choice.labels[3], "labels").dense()
    own = profiles_of(kept, ["spend", "visits"], codes, labels)
    assert [(one.words, one.typical) for one in choice.profiles] == [(one.words, one.typical) for one in own]
    logs = profiles_of(np.log1p(kept), ["spend", "visits"], codes, labels)
    assert [one.words for one in logs] != [one.words for one in own]
