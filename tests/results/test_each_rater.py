"""Each rater beside the others, pairs of raters, and who may be replaced: by definition."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

import adjudge
from adjudge import InputError
from adjudge.cli import main
from adjudge.inference import alternative_annotator_test
from cases import each

NAMES = ("ann", "bob", "eve", "model")


def drawn(seed: int, n: int = 60, gaps: float = 0.2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    words = np.array(["high", "low", "mid"], object)
    found = {}
    for name, right in zip(NAMES, (0.9, 0.7, 0.6, 0.8), strict=True):
        said = words[np.where(rng.random(n) < right, truth, rng.integers(0, 3, n))]
        said[rng.random(n) < gaps] = None
        found[name] = said
    return found


@each("gaps", [0.0, 0.3])
@each("seed", range(4), keep=2)
def test_values_by_definition(seed: int, gaps: float) -> None:
    said = drawn(seed, gaps=gaps)
    found = adjudge.evaluate(said, kind="raters", confidence=0.95)
    for own in found.by_rater:
        shares = []
        for i, mine in enumerate(said[own.rater]):
            others = [said[name][i] for name in NAMES if name != own.rater and said[name][i] is not None]
            if mine is not None and others:
                shares.append(np.mean([mine == their for their in others]))
        assert own.n == len(shares)
        assert own.agreement == pytest.approx(np.mean(shares))
        assert own.low < own.agreement < own.high
        rest = {name: said[name] for name in NAMES if name != own.rater}
        without = adjudge.evaluate(rest, kind="raters", indices="krippendorff_alpha")
        assert own.alpha_without == pytest.approx(without["krippendorff_alpha"])
    assert {frozenset((own.one, own.other)) for own in found.pairs} == {
        *map(frozenset, combinations(NAMES, 2))
    }
    for pair in found.pairs:
        both = [
            (a, b)
            for a, b in zip(said[pair.one], said[pair.other], strict=True)
            if a is not None and b is not None
        ]
        first, second = zip(*both, strict=True)
        judged = adjudge.evaluate(
            first, second, kind="classification", indices=["cohen_kappa", "accuracy"], confidence=0.95
        )
        assert (pair.n, pair.kappa) == (len(both), pytest.approx(judged["cohen_kappa"]))
        assert pair.agreement == pytest.approx(judged["accuracy"])
        assert (pair.low, pair.high) == pytest.approx(judged.intervals["cohen_kappa"])
    agreements = [pair.agreement for pair in found.pairs]
    assert agreements == sorted(agreements, reverse=True)


def test_raters_who_never_meet_and_two_raters() -> None:
    found = adjudge.evaluate(
        [["a", "a", None], ["b", "a", None], [None, None, "a"]], kind="raters", indices="raters_agreement"
    )
    alone = next(own for own in found.by_rater if own.rater == 2)
    assert alone.n == 0
    assert alone.reason == "no unit with others"
    apart = [own for own in found.pairs if 2 in (own.one, own.other)]
    assert [own.reason for own in apart] == ["no unit was rated by both"] * 2
    two = adjudge.evaluate([["a", "a"], ["b", "a"]], kind="raters", indices="raters_agreement")
    assert two.by_rater == ()
    assert [own.agreement for own in two.pairs] == [0.5]


def test_they_are_printed_saved_and_in_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = drawn(1)
    found = adjudge.evaluate(said, kind="raters", confidence=0.95)
    assert "Each rater and the others" in repr(found)
    assert "Pairs of raters" in found.to_markdown()
    path = tmp_path / "r.adjudge"
    found.save(path)
    assert adjudge.load(path) == found
    pd.DataFrame(said).to_csv(tmp_path / "r.csv", index=False)
    assert main(["raters", str(tmp_path / "r.csv"), "--confidence", "0.95"]) == 0
    assert "Pairs of raters" in capsys.readouterr().out
    assert main(["raters", str(tmp_path / "r.csv"), "--format", "json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert [own["rater"] for own in read["by_rater"]] == list(NAMES)
    assert len(read["pairs"]) == 6


def test_the_alternative_annotator_test_by_definition() -> None:
    said = drawn(2, 200, 0.1)
    found = alternative_annotator_test(said, "model", margin=0.15)
    persons = NAMES[:3]
    p_values = []
    for row in found.rows:
        others = [name for name in persons if name != row.person]
        behind = []
        for i in range(200):
            theirs = [said[name][i] for name in others if said[name][i] is not None]
            if said["model"][i] is None or said[row.person][i] is None or not theirs:
                continue
            of_model, of_person = (
                np.mean([said[who][i] == own for own in theirs]) for who in ("model", row.person)
            )
            behind.append(int(of_person >= of_model) - int(of_model >= of_person))
        assert row.n == len(behind)
        wanted = ttest_1samp(behind, 0.15, alternative="less").pvalue
        assert row.p_value == pytest.approx(wanted)
        p_values.append(wanted)
    # Benjamini & Yekutieli: the largest k with p_(k) <= k q / (m (1 + 1/2 + 1/3)).
    passed = [k for k, p in enumerate(sorted(p_values), 1) if p <= k * 0.05 / (3 * (1 + 1 / 2 + 1 / 3))]
    assert sum(row.rejected for row in found.rows) == max(passed, default=0)
    assert found.winning_rate == max(passed, default=0) / 3
    assert found.may_replace == (found.winning_rate >= 0.5)


def test_a_model_that_guesses_may_not_replace_anybody() -> None:
    said = drawn(3, 300, 0.0)
    said["model"] = np.random.default_rng(0).permutation(said["model"])
    found = alternative_annotator_test(said, "model")
    assert (found.may_replace, found.winning_rate) == (False, 0.0)
    assert "'model' may not replace a person" in repr(found)


def test_what_the_test_refuses() -> None:
    said = drawn(4)
    with pytest.raises(InputError, match="candidate is 'gpt': choose one of 'ann', 'bob', 'eve', 'model'"):
        alternative_annotator_test(said, "gpt")
    with pytest.raises(InputError, match="ratings has 2 persons beside 'model': 3 are needed"):
        alternative_annotator_test({name: said[name] for name in NAMES[1:]}, "model")
    named = {**said, "question": [f"q{i}" for i in range(len(said["model"]))]}
    with pytest.raises(InputError, match="column 'question' without a category of another rater: leave out"):
        alternative_annotator_test(named, "model")
    with pytest.raises(InputError, match="margin=1"):
        alternative_annotator_test(said, "model", margin=1)
    few = alternative_annotator_test({name: own[:20] for name, own in said.items()}, "model")
    assert all(row.reason is not None and "30 are needed" in row.reason for row in few.rows)
    assert not few.may_replace


@pytest.mark.parametrize(
    ("indices", "name"),
    [
        ("alpha_ordinal", "krippendorff_alpha_ordinal"),
        (["fleiss_kappa", "alpha_interval"], "krippendorff_alpha_interval"),
        ("krippendorff_alpha", "krippendorff_alpha"),
        ("default", "krippendorff_alpha"),
        ("fleiss_kappa", "krippendorff_alpha"),
    ],
)
def test_alpha_without_a_rater_is_the_alpha_that_was_asked_for(
    indices: Any, name: str, tmp_path: Path, shell: Any
) -> None:
    rng = np.random.default_rng(3)
    rated = np.clip(rng.integers(1, 6, (60, 1)) + rng.integers(-1, 2, (60, 4)), 1, 5)
    table = pd.DataFrame(rated, columns=NAMES)
    found = adjudge.evaluate(table, kind="raters", indices=indices)
    for own in found.by_rater:
        rest = table.drop(columns=str(own.rater))
        assert own.alpha_without == adjudge.evaluate(rest, kind="raters", indices=name)[name]
    level = name.removeprefix("krippendorff_alpha").strip("_") or "nominal"
    assert f"{level} alpha without" in found.rater_table().columns
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = indices if isinstance(indices, str) else ",".join(indices)
    assert f"{level} alpha without" in shell(f"raters {tmp_path / 't.csv'} --indices {asked}").out
    found.save(tmp_path / "kept.adjudge")
    assert adjudge.load(tmp_path / "kept.adjudge").by_rater == found.by_rater
