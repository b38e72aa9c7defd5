"""The report on many data sets: what it says is what the benchmark found."""

import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from adjudge import InputError, benchmark, report
from adjudge._report.over_datasets import over_datasets
from adjudge.cli import main
from adjudge.errors import InputTypeError


def scores(n=12, shifts=(0.3, 0.2, 0.0), noise=0.05):
    drawn = 0.5 + np.array(shifts) + noise * np.random.default_rng(7).normal(size=(n, len(shifts)))
    return {f"set {i}": dict(zip("abcdefg", map(float, row), strict=False)) for i, row in enumerate(drawn)}


def labels(n_datasets=3, n=40):
    found, rng = {}, np.random.default_rng(7)
    for i in range(n_datasets):
        truth = rng.integers(0, 3, n)
        models = {m: np.where(rng.random(n) < p, truth, 0) for m, p in (("good", 0.9), ("bad", 0.4))}
        found[f"set {i}"] = (truth, models)
    return found


def headline(section):
    return next(said["text"] for said in section["verdict"] if said["tone"] == "main")


def test_it_says_who_is_better_and_than_whom():
    section = over_datasets(benchmark(scores(shifts=(0.3, 0.15, 0.0), noise=0.01)))
    assert headline(section) == "a ranks best over 12 data sets, significantly better than every other model."
    assert [row["letters"] for row in section["models"]] == [["a"], ["b"], ["c"]]
    # Each of the first two wins every other time.
    by_turns = {str(i): {"a": 0.6 + 0.1 * (i % 2), "b": 0.65, "c": 0.1} for i in range(12)}
    alike = over_datasets(benchmark(by_turns))
    first, second = (row["model"] for row in alike["models"][:2])
    assert (
        headline(alike)
        == f"{first} ranks best over 12 data sets, but not significantly better than {second}."
    )
    assert [row["letters"] for row in alike["models"]] == [["a"], ["a"], ["b"]]


def test_without_a_difference_it_names_no_best():
    section = over_datasets(benchmark(scores(shifts=(0, 0, 0, 0), n=6)))
    assert headline(section).startswith("No model is shown to be better")
    assert {tuple(row["letters"]) for row in section["models"]} == {("a",)}


def test_one_complete_data_set_tells_nothing():
    given = {"one": {"a": 0.5, "b": 0.4}, "two": {"a": 0.5}}
    section = over_datasets(benchmark(given))
    assert headline(section) == "These data do not show a difference between the models."
    assert section["pairs_of_models"] == []
    assert section["overall"] == []
    assert [row["model"] for row in section["missing"]] == ["b"]


def test_its_numbers_are_those_of_the_benchmark():
    found = benchmark(scores(shifts=(0.2, 0.15, 0.1, 0.0)))
    section = over_datasets(found)
    assert [row["model"] for row in section["models"]] == found.order
    for row in section["models"]:
        assert row["rank"] == found.average_ranks[row["model"]]
        assert sum(spot["n"] for spot in row["spread"]) == found.n_complete
    pairs = found.pairwise()
    for row in section["pairs_of_models"]:
        assert row["p_ranks"] == pairs[row["first"], row["second"]]
        assert row["wins"] + row["ties"] + row["losses"] == found.n_complete
    for row in section["by_dataset"]:
        values = {m: cell["value"] for m, cell in zip(found.order, row["cells"], strict=True)}
        assert values == {m: found.scores[row["dataset"]][m] for m in found.order}
        assert [cell["best"] for cell in row["cells"]] == [v == max(values.values()) for v in values.values()]


def test_the_better_the_darker_whichever_end_is_better():
    for better in ("higher", "lower"):
        section = over_datasets(benchmark(scores(), score="error", better=better))
        cells = [cell for row in section["by_dataset"] for cell in row["cells"]]
        ordered = sorted(cells, key=lambda cell: cell["value"], reverse=better == "lower")
        heat = [cell["heat"] for cell in ordered]
        assert heat == sorted(heat)
        assert (heat[0], heat[-1]) == (0, 1)


def test_labels_add_the_matrix_of_each_data_set():
    found = benchmark(labels(), score="accuracy")
    duel = over_datasets(found)["deviations"][0]
    across = found.across("good", "bad")
    assert [row["dataset"] for row in duel["rows"]] == [*found.datasets, "all data sets"]
    assert duel["rows"][-1]["counts"]["right_wrong"] == across.pooled.right_wrong
    assert duel["headline"] == across.headline


def test_the_page_holds_everything(tmp_path):
    found = benchmark(labels(), score="accuracy", confidence=0.9)
    made = report(benchmark=found, note="A trial.", output=tmp_path / "page.html")
    text = made.path.read_text()
    for word in ("Models by average rank", "good", "A trial.", "set 2", "Friedman"):
        assert word in text
    embedded = re.search(r'id="adjudge-results">(.*?)</script>', text, re.S).group(1)
    assert json.loads(embedded)[0]["benchmark"]["models"] == ["good", "bad"]


def test_names_are_text_on_the_page(tmp_path):
    given = {"<b>set</b>": {"<i>x</i>": 0.1, "y": 0.2}, "two": {"<i>x</i>": 0.3, "y": 0.2}}
    text = report(benchmark=benchmark(given), output=tmp_path / "page.html").path.read_text()
    assert "<b>set</b>" not in text
    assert "&lt;b&gt;set&lt;/b&gt;" in text


def test_what_does_not_belong_is_refused(tmp_path):
    with pytest.raises(InputTypeError, match="give what benchmark"):
        report(benchmark={"a": 1}, output=tmp_path / "page.html")
    with pytest.raises(InputError, match="leave out X="):
        report(benchmark=benchmark(scores()), X=np.eye(3), output=tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_on_the_command_line(tmp_path):
    table = "data,a,b\n" + "".join(f"{name},{row['a']},{row['b']}\n" for name, row in scores().items())
    (tmp_path / "scores.csv").write_text(table)
    page = tmp_path / "page.html"
    assert main(["benchmark", str(tmp_path / "scores.csv"), "--report", str(page)]) == 0
    assert "Read from scores.csv." in page.read_text()


@pytest.mark.parametrize(("asked", "words"), [([], "Shaffer's static"), (["--correction", "holm"], "Holm's")])
def test_the_page_corrects_as_the_shell_does(tmp_path, run, asked, words):
    given = scores(shifts=(0.2, 0.15, 0.1, 0.05))
    lines = [f"{name},{','.join(map(str, row.values()))}" for name, row in given.items()]
    (tmp_path / "scores.csv").write_text("\n".join(["data,a,b,c,d", *lines]) + "\n")
    page = tmp_path / "page.html"
    command = ["benchmark", str(tmp_path / "scores.csv"), "--report", str(page), "-f", "json"]
    said = json.loads(run(*command, *asked))
    text = html.unescape(page.read_text()).replace("\xa0", " ")
    for sentence in said["may_be_written"]:
        assert sentence in text
    assert f"({words} procedure)" in " ".join(said["may_be_written"])
    correction = asked[1] if asked else "shaffer"
    assert f"by average ranks ({correction.capitalize()})" in text
    found = benchmark(given)
    pairs = found.pairwise(correction=correction)
    assert asked or found.pairwise() == pairs
    found = replace(found, settings={"correction": correction})
    shown = {(row["first"], row["second"]): row["p_ranks"] for row in over_datasets(found)["pairs_of_models"]}
    in_shell = {(row["first"], row["second"]): row["p (adjusted)"] for row in said["pairs"]}
    for own in (shown, in_shell):
        assert own == pytest.approx({pair: pairs[pair] for pair in own})
