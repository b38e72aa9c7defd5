"""The command `adjudge report`."""

import base64
import csv
import shlex
import webbrowser

import numpy as np
import pytest

from adjudge import compare, report
from adjudge._report.images import png_uri
from adjudge.cli import main


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat(["cat", "dog", "owl"], 20)
    rows = []
    (tmp_path / "img").mkdir()
    for i, name in enumerate(truth):
        picture = png_uri(np.full((2, 2, 1), 4 * i, np.uint8))
        (tmp_path / "img" / f"{i}.png").write_bytes(base64.b64decode(picture.partition(",")[2]))
        rows.append(
            {
                "animal": name,
                "net": name if rng.random() < 0.9 else "cat",
                "svm": name if rng.random() < 0.6 else "owl",
                "groups": ["a", "b", "-1"][i // 20],
                "weight": round(5 * (i // 20) + rng.normal(), 3),
                "height": round(5 * (i // 20) + rng.normal(), 3),
                "file": f"img/{i}.png" if i else "",
                "said": f"word {i}, <b>",
            }
        )
    with (tmp_path / "zoo.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return tmp_path, rows


@pytest.fixture
def run(folder, capsys, monkeypatch):
    """Run the command on the file; gives the page's one section, the output, and what was said beside it."""
    import adjudge

    made = []
    monkeypatch.setattr(adjudge, "report", lambda *a, **k: made.append(report(*a, **k)) or made[-1])

    def command(*arguments, code=0):
        path = folder[0] / "page.html"
        found = main(["report", str(folder[0] / "zoo.csv"), *arguments, "-o", str(path)])
        said = capsys.readouterr()
        assert found == code, said.err
        return (made[-1].page["sections"][0] if code == 0 else None), said.out, said.err

    return command


def test_classifiers_with_pictures_and_text(run, folder):
    section, out, err = run("--truth", "animal", "--models", "net,svm", "--images", "file", "--text", "said")
    rows = folder[1]
    wanted = compare(
        [r["animal"] for r in rows],
        {m: [r[m] for r in rows] for m in ("net", "svm")},
        kind="classification",
        confidence=0.95,
    )
    pair = next(p for p in section["pairs"] if (p["primary"], p["alternative"]) == ("net", "svm"))
    assert {name: pair[name] for name in wanted["net", "svm"].to_dict()} == wanted["net", "svm"].to_dict()
    instances = section["instances"]
    assert [column["name"] for column in instances["columns"]] == ["text", "weight", "height", "groups"]
    assert instances["columns"][0]["text"] == [r["said"] for r in rows]
    assert instances["pictures"]["files"][0] is None
    assert instances["pictures"]["files"][7] == png_uri(np.full((2, 2, 1), 28, np.uint8))
    assert instances["map"] is not None
    lines = out.splitlines()
    assert lines[0].startswith(
        "net is better than svm by Accuracy (+0.217: 0.883 against 0.667, p = 0.028), "
    )
    assert lines[-1] == f"The report is at {folder[0] / 'page.html'}"
    assert err == (
        "adjudge: features are weight, height: --features chooses others\n"
        "adjudge: the models' labels are those of 'animal': assuming --kind classification; --kind clustering "
        "compares the groups whatever they are called\n"
    )


@pytest.mark.full
def test_clusterings_with_noise_and_the_number_of_clusters(run):
    command = "--truth animal --models groups --kind clustering --noise singletons --k 2:5"
    section, out, err = run(*command.split())
    assert "Instances labelled as noise each count as a cluster: 20 by groups." in out
    assert section["k_choices"][0]["k"] == 3
    assert section["space"] == "the columns as given"
    assert [r["name"] for r in section["criteria"]["rows"]][:2] == ["silhouette", "calinski_harabasz"]
    assert "features are weight, height: --features chooses others" in err


@pytest.mark.full
def test_labels_alone_and_points_alone(run):
    section, out, _ = run("--labels", "groups", "--features", "weight,height", "--standardize")
    assert section["scores"] is None
    assert section["space"] == "the columns, standardised"
    assert "groups has a Silhouette of" in out
    assert [c["name"] for c in section["instances"]["columns"]][:2] == ["weight", "height"]
    section, out, _ = run("-k", "2,3,4", "--features", "weight,height", "--title", "Mine")
    assert section["models"] == ["kmeans, K = 3"]
    assert out.startswith("There are clusters: 3, with a probability of ")


def test_without_clusters_the_page_says_why(run, folder):
    rng = np.random.default_rng(0)
    lines = ["animal,net,svm,groups,u,v", *(f"cat,cat,cat,a,{u},{v}" for u, v in rng.normal(size=(90, 2)))]
    (folder[0] / "zoo.csv").write_text("\n".join(lines) + "\n")
    section, out, _ = run("-k", "2:5", "--features", "u,v")
    assert out.startswith("No clusters on which two halves of the points agree; if you must split, ")
    assert "Two halves of the points agree on no clusters: " in out
    assert section["k_choices"][0]["criteria"]


@pytest.mark.full
def test_the_title_names_three_of_many_models(run, folder):
    rows = folder[1]
    many = [f"a_model_with_a_long_name_{i}" for i in range(12)]
    with (folder[0] / "zoo.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["animal", *many])
        writer.writerows([row["animal"]] + [row["net"]] * 12 for row in rows)
    run("--truth", "animal", "--models", "a_model*", "--kind", "classification")
    page = (folder[0] / "page.html").read_text(encoding="utf-8")
    assert f"<title>zoo.csv: {many[0]}, {many[1]}, {many[2]} and 9 others</title>" in page


@pytest.fixture
def forecasts(folder):
    """Add columns with probabilities of two models, and of groups, to the file."""
    rng = np.random.default_rng(5)
    names = ["cat", "dog", "owl"]
    for row in folder[1]:
        for model, share in (("old", 0.2), ("new", 0.6)):
            p = share * np.eye(3)[names.index(row["animal"])] + (1 - share) * rng.dirichlet([1, 1, 1])
            row |= {f"{model}_{name}": float(value) for name, value in zip(names, p, strict=True)}
        row["year"] = 2020 + int(rng.integers(2))
    with (folder[0] / "zoo.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, folder[1][0])
        writer.writeheader()
        writer.writerows(folder[1])
    return folder[1]


@pytest.mark.full
def test_probabilities_and_groups(run, forecasts, tmp_path):
    section, out, err = run("--truth", "animal", "--probabilities", "old_*,new_*", "--by", "year")
    P = {
        m: [[row[f"{m}_{name}"] for name in ("cat", "dog", "owl")] for row in forecasts]
        for m in ("old", "new")
    }
    made = report(
        [row["animal"] for row in forecasts],
        kind="classification",
        probabilities=P,
        classes=["cat", "dog", "owl"],
        groups={"year": [row["year"] for row in forecasts]},
        output=tmp_path / "wanted.html",
    )
    (wanted,) = made.page["sections"]
    for part in ("scores", "differences", "classifiers", "groups"):
        assert section[part] == wanted[part], part
    assert section["groups"]["rows"]
    assert section["classifiers"][0]["reliability"]
    assert out.startswith("new is better than old by Accuracy (+0.450: ")
    # Probabilities are not features, and groups are shown but do not place the instances.
    assert err == "adjudge: features are weight, height: --features chooses others\n"
    shown = [column["name"] for column in section["instances"]["columns"]]
    assert "year" in shown
    assert not [name for name in shown if name.startswith(("old_", "new_"))]
    section, _, _ = run(*shlex.split("--truth animal --models net --kind classification --by year,said"))
    assert section["models"] == ["net"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--probabilities old_*", "--probabilities needs the truth: name its column with --truth"),
        (
            "--truth animal --kind clustering --probabilities old_*",
            "--probabilities is for classifiers: pass --kind classification",
        ),
        ("--truth animal --by year", "the models are missing: name their columns with --models"),
        ("--truth animal --probabilities older_*", "--probabilities 'older_*' matches no column"),
    ],
)
def test_forecasts_that_cannot_be_shown(run, forecasts, arguments, message):
    _, _, err = run(*shlex.split(arguments), code=2)
    assert message in err
    assert err.count("\n") == 1


def test_open_shows_the_page(run, monkeypatch):
    shown = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    run("--truth", "animal", "--models", "net,svm", "--open")
    assert len(shown) == 1
    assert shown[0].startswith("file:///")
    assert shown[0].endswith("/page.html")


@pytest.mark.full(keep=3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the models are missing: name their columns with --models, or ask for clusters with --k 2:10"),
        ("--truth animal --k 2:4", "the models are missing: name their columns with --models"),
        ("--truth animul --models net", "no column 'animul': did you mean 'animal'?"),
        ("--models net --kind classification", "needs the truth: name its column with --truth"),
        ("--truth animal --models net --images said", "column 'said' in row 1 of the data: cannot read"),
        ("--labels groups --features said", "--features names 'said', which holds text"),
        ("--labels groups --k many", "--k 'many' is not a list of numbers"),
        ("--truth animal --models net,svm --confidence 2", "confidence"),
    ],
)
def test_mistakes_get_one_line_and_leave_the_page(run, folder, arguments, message):
    page = folder[0] / "page.html"
    page.write_text("before")
    _, out, err = run(*shlex.split(arguments), code=2)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert page.read_text() == "before"


def test_the_page_is_not_written_over_the_table(folder, capsys):
    table = str(folder[0] / "zoo.csv")
    assert main(["report", table, "--truth", "animal", "--models", "net", "-o", table]) == 2
    assert "zoo.csv is a file that is read: name another one" in capsys.readouterr().err


def test_features_with_decimal_commas(folder, run):
    path = folder[0] / "zoo.csv"
    given = ["--truth", "animal", "--models", "net,svm", "--kind", "classification", "--text", "said"]
    expected = run(*given)[0]
    rows = [
        {n: str(v).replace(".", ",") if n in ("weight", "height") else v for n, v in own.items()}
        for own in folder[1]
    ]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0], delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    for features in ([], ["--features", "weight,height"]):
        section, _, told = run(*given, "--decimal", ",", *features)
        assert section["instances"] == expected["instances"]
        assert ("features are weight, height" in told) == (not features)
