"""The report on a choice among clusterings: what it says is what `choose` found."""

import pickle
import re

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from adjudge import InputError, benchmark, choose, report
from adjudge._report.among_candidates import among_candidates
from adjudge.cli import main
from adjudge.errors import InputTypeError


@pytest.fixture(scope="module")
def found():
    X, truth = make_blobs(120, centers=4, cluster_std=0.6, random_state=4)
    noisy = np.where(np.arange(120) % 3 == 0, -1, truth)
    halves = truth // 2
    return choose(
        X, {"right": truth, "again": (truth + 1) % 4, "noisy": noisy, "halves": halves}, random_state=0
    )


def test_it_recommends_what_choose_recommends(found):
    section = among_candidates(found)
    main = next(said["text"] for said in section["verdict"] if said["tone"] == "main")
    assert main == f"{found.best} is recommended: 4 clusters, which cover 100 % of the points."
    assert [row["name"] for row in section["candidates"]] == list(found.ranking)
    assert [row["name"] for row in section["candidates"] if row["best"]] == [found.best]
    for row in section["candidates"]:
        assert row["coverage"] == found.coverage[row["name"]]
        assert row["quality"] == found.quality[row["name"]]
        assert row["front"] == (row["name"] in found.front)


def test_every_warning_is_on_the_page(found, tmp_path):
    text = report(choice=found, output=tmp_path / "page.html").path.read_text()
    assert found.warnings
    for notice in found.warnings:
        assert notice.message[1:20] in text


def test_candidates_that_say_the_same_share_a_letter(found):
    letters = {row["name"]: row["same"] for row in among_candidates(found)["candidates"]}
    assert letters["right"] == letters["again"] != ""
    assert letters["halves"] == ""


def test_the_front_is_drawn_where_its_points_are(found):
    plot = among_candidates(found)["plot"]
    places = {point["name"]: (point["x"], point["y"]) for point in plot["points"]}
    assert places["noisy"][0] < places["right"][0] == 600.0
    best = max(found.quality, key=found.quality.get)
    assert places[best][1] == 0.0
    corners = {tuple(map(float, pair.split(","))) for pair in plot["line"].split()}
    assert corners == {places[name] for name in found.front}


def test_agreement_stands_in_the_order_of_likeness(found):
    agreement = among_candidates(found)["agreement"]
    assert agreement["order"] == list(found.order)
    assert [row["values"][i] for i, row in enumerate(agreement["rows"])] == [1.0] * 4


def test_stability_of_each_cluster_is_shown():
    X, _ = make_blobs(80, centers=3, random_state=2)
    from sklearn.cluster import KMeans

    chosen = choose(X, KMeans(n_init=2), grid={"n_clusters": [2, 3]}, stability=3, random_state=0)
    section = among_candidates(chosen)
    assert section["has_stability"]
    assert [row["jaccard"] for row in section["stability_of_best"]] == pytest.approx(
        chosen.stability_of_clusters[chosen.best].tolist()
    )


def test_names_are_text_on_the_page(tmp_path):
    X, truth = make_blobs(60, centers=3, random_state=1)
    chosen = choose(X, {"<b>one</b>": truth, "two": truth // 2})
    text = report(choice=chosen, output=tmp_path / "page.html").path.read_text()
    assert "<b>one</b>" not in text
    assert "&lt;b&gt;one&lt;/b&gt;" in text


def test_what_does_not_belong_is_refused(found, tmp_path):
    path = tmp_path / "page.html"
    with pytest.raises(InputTypeError, match="give what choose"):
        report(choice=3, output=path)
    with pytest.raises(InputError, match="leave out choice="):
        report(
            benchmark=benchmark({"one": {"a": 1, "b": 2}, "two": {"a": 1, "b": 2}}), choice=found, output=path
        )
    assert not path.exists()
    assert pickle.loads(pickle.dumps(found)).best == found.best


def test_on_the_command_line(tmp_path):
    X, truth = make_blobs(60, centers=3, random_state=1)
    rows = [f"{x},{y},c{a},c{a // 2}" for (x, y), a in zip(X.tolist(), truth.tolist(), strict=True)]
    (tmp_path / "points.csv").write_text("x,y,res_1,res_2\n" + "\n".join(rows) + "\n")
    page = tmp_path / "page.html"
    command = ["choose", str(tmp_path / "points.csv"), "--labels", "res_*", "--report", str(page)]
    assert main(command) == 0
    assert re.search(r"res_1 is recommended: 3 clusters", page.read_text())


def test_the_tree_of_clusters_is_laid_out(found, tmp_path):
    tree = among_candidates(found)["tree"]
    assert [row["name"] for row in tree["rows"]] == list(found.distinct())
    assert [row["name"] for row in tree["rows"] if row["best"]] == [found.best]
    for row in tree["rows"]:
        assert sum(circle["size"] for circle in row["circles"]) == found.n
        assert [circle["noise"] for circle in row["circles"]].count(True) == (found.coverage[row["name"]] < 1)
    text = report(choice=found, output=tmp_path / "page.html").path.read_text()
    drawn = text[text.index('<figure class="tree">') :]
    drawn = drawn[: drawn.index("</figure>")]
    assert drawn.count("<circle") == sum(len(row["circles"]) for row in tree["rows"])
    assert drawn.count("<line") == len(tree["lines"])
    assert "less than 10\N{NO-BREAK SPACE}%" in drawn


def test_points_of_each_cluster_are_outlined():
    X, truth = make_blobs(90, centers=3, cluster_std=1.0, random_state=1)
    noisy = np.where(np.arange(90) < 6, -1, truth)
    choice = choose(X, {"noisy": noisy, "bad": np.arange(90) % 2}, by="silhouette")
    shown = among_candidates(choice)["by_point"]
    assert shown["criteria"] == ["silhouette", "dbcv"]
    sizes = {row["cluster"]: row["size"] for row in shown["rows"]}
    assert sizes == {str(c): int((noisy == c).sum()) for c in range(3)}
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    for row in shown["rows"]:
        inside = noisy == int(row["cluster"])
        widths = choice.point_values["silhouette"][inside]
        assert row["values"]["silhouette"]["value"] == pytest.approx(widths.mean())
        assert row["values"]["dbcv"]["value"] == pytest.approx(choice.point_values["dbcv"][inside].min())
        heights = [float(corner.split(",")[1]) for corner in row["values"]["silhouette"]["outline"].split()]
        assert min(heights) == pytest.approx(-20 * widths.max(), abs=0.06)


def test_without_values_of_points_there_is_no_such_table(tmp_path):
    X, truth = make_blobs(60, centers=3, random_state=1)
    choice = choose(X, {"right": truth, "halves": truth // 2}, indices="gdi22", by="gdi22")
    assert among_candidates(choice)["by_point"] is None
    text = report(choice=choice, output=tmp_path / "page.html").path.read_text()
    assert "point by point" not in text
