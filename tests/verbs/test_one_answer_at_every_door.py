"""Every verb gives one answer for one table: in memory, lazy, in a file of any format or a folder, and in the shell."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import adjudge
from adjudge.cli import main
from adjudge.errors import AdjudgeError
from table_engines import in_engine

N = 360
FILES = ("csv", "csv.gz", "tsv", "parquet", "feather", "jsonl", "xlsx")
EAGER = ("polars", "pyarrow", *FILES, "folder")
LAZY = ("polars-lazy", "duckdb", "dask", "ibis")


def _table() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, N)

    def right(share: float) -> Any:
        return np.where(rng.random(N) < share, truth, rng.integers(0, 3, N))

    names = np.array(["cat", "dog", "owl"])
    old, new = right(0.6), right(0.8)
    shares = 0.5 * np.eye(3)[new] + 0.5 * rng.dirichlet([1, 1, 1], N)
    p, q = (np.clip(0.3 + up * (truth == 1) + 0.2 * rng.normal(size=N), 0.01, 0.99) for up in (0.4, 0.3))
    return pd.DataFrame(
        {
            "truth": names[truth],
            "old": names[old],
            "new": names[new],
            "gaps": pd.Series(np.where(np.arange(N) % 37 == 5, None, names[new]), dtype=object),
            "p_cat": shares[:, 0],
            "p_dog": shares[:, 1],
            "p_owl": shares[:, 2],
            "is_dog": np.where(truth == 1, "yes", "no"),
            "dog_yes": p,
            "pup_yes": q,
            "cluster": truth,
            "one": np.where(rng.random(N) < 0.05, -1, new),
            "two": old,
            "unit": rng.integers(0, 40, N),
            "place": np.array(["north", "south"])[rng.integers(0, 2, N)],
            "times": rng.integers(1, 4, N),
            "weight": rng.random(N) + 0.2,
            "x": rng.normal(size=N) + 2 * truth,
            "y": rng.normal(size=N) - truth,
            "told": truth == 1,
            "seen": (truth == 1) ^ (rng.random(N) < 0.1),
            "set": np.array(["b", "f", "a", "d", "c", "e"])[np.arange(N) % 6],
        }
    )


TABLE = _table()
OF_THREE = {"cat": "p_cat", "dog": "p_dog", "owl": "p_owl"}
TURNED = {"cat": "p_dog", "dog": "p_cat", "owl": "p_owl"}
BOTH = {"p": "dog_yes", "q": "pup_yes"}
OLD_AND_NEW = {"old": "dog_yes", "new": "pup_yes"}
LOSSES = ["accuracy", "log_loss", "brier_score", "d2_log_loss", "brier_skill_score"]
MOMENTS = ["trace_w", "calinski_harabasz"]
CLASSES: dict[str, Any] = {"kind": "classification", "confidence": 0.95}
CLUSTERS: dict[str, Any] = {"kind": "clustering"}

Call = Callable[[Any], Any]
CALLS: dict[str, Call] = {
    "classes": lambda t: adjudge.evaluate(t, truth="truth", pred="new", **CLASSES),
    "kind unsaid": lambda t: adjudge.evaluate(t, truth="truth", pred="new", confidence=0.95),
    "groups": lambda t: adjudge.evaluate(t, truth="truth", pred="new", groups="place", **CLASSES),
    "units": lambda t: adjudge.evaluate(t, truth="truth", pred="new", units="unit", **CLASSES),
    "frequency": lambda t: adjudge.evaluate(
        t, truth="truth", pred="new", sample_weight="times", weights="frequency", **CLASSES
    ),
    "importance": lambda t: adjudge.evaluate(
        t, truth="truth", pred="new", sample_weight="weight", weights="importance", kind="classification"
    ),
    "gaps": lambda t: adjudge.evaluate(t, truth="truth", pred="gaps", missing="drop", **CLASSES),
    "positive": lambda t: adjudge.evaluate(
        t, truth="is_dog", pred="is_dog", positive="no", kind="classification"
    ),
    "clusters": lambda t: adjudge.evaluate(
        t, truth="cluster", pred="two", indices="all", confidence=0.95, **CLUSTERS
    ),
    "noise": lambda t: adjudge.evaluate(t, truth="cluster", pred="one", noise="drop", **CLUSTERS),
    "chance": lambda t: adjudge.evaluate(t, truth="cluster", pred="two", adjust=True, **CLUSTERS),
    "clusters in units": lambda t: adjudge.evaluate(
        t, truth="cluster", pred="two", units="unit", confidence=0.95, **CLUSTERS
    ),
    "probabilities": lambda t: adjudge.evaluate(
        t, truth="truth", probabilities=OF_THREE, kind="classification"
    ),
    "probabilities with gaps": lambda t: adjudge.evaluate(
        t, truth="gaps", probabilities=OF_THREE, missing="drop", indices=LOSSES, **CLASSES
    ),
    "one column": lambda t: adjudge.evaluate(
        t, truth="is_dog", probabilities="dog_yes", groups="place", kind="classification"
    ),
    "scores": lambda t: adjudge.evaluate(t, truth="is_dog", scores="dog_yes", kind="classification"),
    "points": lambda t: adjudge.evaluate(t, labels="two", features=["x", "y"], indices=MOMENTS),
    "points without noise": lambda t: adjudge.evaluate(
        t, labels="one", features=["x", "y"], noise="drop", indices=MOMENTS
    ),
    "compare": lambda t: adjudge.compare(t, ["old", "new"], truth="truth", **CLASSES),
    "compare by name": lambda t: adjudge.compare(t, {"A": "old", "B": "new"}, truth="truth", **CLASSES),
    "compare in groups": lambda t: adjudge.compare(
        t, ["old", "new"], truth="truth", groups="place", **CLASSES
    ),
    "compare in units": lambda t: adjudge.compare(t, ["old", "new"], truth="truth", units="unit", **CLASSES),
    "compare with gaps": lambda t: adjudge.compare(
        t, ["old", "gaps"], truth="truth", missing="drop", **CLASSES
    ),
    "compare clusters": lambda t: adjudge.compare(
        t, {"A": "one", "B": "two"}, truth="cluster", noise={"A": "drop"}, confidence=0.95, **CLUSTERS
    ),
    "clusters in groups": lambda t: adjudge.compare(
        t, ["one", "two"], truth="cluster", groups="place", **CLUSTERS
    ),
    "compare probabilities": lambda t: adjudge.compare(
        t, truth="is_dog", probabilities=BOTH, kind="classification"
    ),
    "classes in another order": lambda t: adjudge.compare(
        t,
        truth="truth",
        probabilities={"one": dict(reversed(OF_THREE.items())), "two": dict(reversed(TURNED.items()))},
        indices=["accuracy", "log_loss"],
        **CLASSES,
    ),
    "losses": lambda t: adjudge.evaluate(t, truth="truth", probabilities=OF_THREE, indices=LOSSES, **CLASSES),
    "losses in groups": lambda t: adjudge.evaluate(
        t, truth="is_dog", probabilities="dog_yes", groups="place", indices=LOSSES, **CLASSES
    ),
    "losses in units": lambda t: adjudge.evaluate(
        t, truth="is_dog", probabilities="dog_yes", groups="place", units="unit", indices=LOSSES, **CLASSES
    ),
    "compare losses": lambda t: adjudge.compare(
        t, truth="is_dog", probabilities=BOTH, groups="place", indices=LOSSES, **CLASSES
    ),
    "compare losses in units": lambda t: adjudge.compare(
        t, truth="is_dog", probabilities=BOTH, units="unit", groups="place", indices=LOSSES, **CLASSES
    ),
    "gate": lambda t: adjudge.gate(t, "old", "new", truth="truth", margin=0.02),
    "gate in groups": lambda t: adjudge.gate(t, "old", "new", truth="truth", margin=0.02, groups="place"),
    "gate in units": lambda t: adjudge.gate(t, "old", "new", truth="truth", margin=0.02, units="unit"),
    "gate of probabilities": lambda t: adjudge.gate(
        t, truth="is_dog", probabilities=OLD_AND_NEW, margin=0.02, units="unit", groups="place"
    ),
    "gate of labels and probabilities": lambda t: adjudge.gate(
        t,
        "old",
        "new",
        truth="truth",
        probabilities={"new": OF_THREE},
        indices=["accuracy", "log_loss", "recall[cat]"],
        margin=0.05,
        equivalent="macro_f1",
        max_broken=30,
        groups="place",
    ),
    "gate of clusters": lambda t: adjudge.gate(t, "two", "one", truth="cluster", margin=0.02, **CLUSTERS),
    "benchmark": lambda t: adjudge.benchmark(
        t, dataset="set", truth="truth", models=["old", "new"], score="accuracy"
    ),
    "choose": lambda t: adjudge.choose(t, ["cluster", "two"], features=["x", "y"]),
    "raters": lambda t: adjudge.evaluate(
        t, kind="raters", pred=["truth", "old", "new"], indices="all", confidence=0.95
    ),
    "raters of true and false": lambda t: adjudge.evaluate(
        t, kind="raters", pred=["told", "seen"], indices="all"
    ),
}
#: What differs if an engine returns sums: areas have bounds.
UNLIKE = {"error_bounds", "roc_auc", "average_precision"}
OF_SUMS = (
    "probabilities",
    "one column",
    "scores",
    "compare probabilities",
    "losses in groups",
    "losses in units",
)


def said(found: Any) -> Any:
    """Return what a result says, without the name of a file."""
    said = json.loads(json.dumps(found.to_dict(), default=str))
    said.get("settings", {}).pop("table", None)
    return said


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield where two results differ by more than rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            if name not in one or name not in other:
                yield f"{place}/{name}: only one has it"
            else:
                yield from differences(one[name], other[name], f"{place}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{place}[{i}]")
    elif isinstance(one, float) and isinstance(other, (int, float)):
        if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{place}: {one} and {other}"
    elif one != other:
        yield f"{place}: {one!r} and {other!r}"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Write the table in every format."""
    folder, rows = tmp_path_factory.mktemp("doors"), pa.Table.from_pandas(TABLE, preserve_index=False)
    TABLE.to_csv(folder / "table.csv", index=False)
    TABLE.to_csv(folder / "table.csv.gz", index=False)
    TABLE.to_csv(folder / "table.tsv", index=False, sep="\t")
    TABLE.to_json(folder / "table.jsonl", orient="records", lines=True, double_precision=15)
    TABLE.to_excel(folder / "table.xlsx", index=False)
    feather.write_feather(rows, str(folder / "table.feather"))
    parquet.write_table(rows, folder / "table.parquet")
    (folder / "parts").mkdir()
    for i, part in enumerate((rows.slice(0, 100), rows.slice(100))):
        parquet.write_table(part, folder / "parts" / f"{i}.parquet")
    return {kind: folder / f"table.{kind}" for kind in FILES} | {"folder": folder / "parts"}


@pytest.fixture(scope="module")
def wanted() -> Mapping[str, Any]:
    """Return what the calls say of the table in memory."""
    return {name: said(call(TABLE)) for name, call in CALLS.items()}


@pytest.mark.full(keep=4)
@pytest.mark.parametrize("door", EAGER)
def test_tables_in_memory_and_files(
    door: str, files: Mapping[str, Any], wanted: Mapping[str, Any], request: pytest.FixtureRequest
) -> None:
    given = files[door] if door in files else in_engine(pl.from_pandas(TABLE), door, request)
    for name, call in CALLS.items():
        assert not list(differences(wanted[name], said(call(given)))), name


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("door", LAZY)
def test_lazy_tables(door: str, wanted: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
    given = in_engine(pl.from_pandas(TABLE), door, request)
    for name, call in CALLS.items():
        found = list(differences(wanted[name], said(call(given))))
        if name in OF_SUMS:
            found = [own for own in found if UNLIKE.isdisjoint(own.partition(":")[0].split("/"))]
            found = [own for own in found if "/verdict/" not in own]
        assert not found, name


#: The same questions in the shell.
COMMANDS = {
    "classes": "evaluate {} --truth truth --pred new --kind classification --confidence .95",
    "kind unsaid": "evaluate {} --truth truth --pred new --confidence .95",
    "groups": "evaluate {} --truth truth --pred new --by place --confidence .95 --kind classification",
    "units": "evaluate {} --truth truth --pred new --units unit --confidence .95 --kind classification",
    "clusters": "evaluate {} --truth cluster --pred two --kind clustering --indices all --confidence .95",
    "noise": "evaluate {} --truth cluster --pred one --kind clustering --noise drop",
    "chance": "evaluate {} --truth cluster --pred two --kind clustering --adjust",
    "probabilities": "evaluate {} --truth truth --probabilities p_* --kind classification",
    "points": "evaluate {} --labels two --columns x,y --indices trace_w,calinski_harabasz",
    "compare": "compare {} --truth truth --models old,new --kind classification --confidence .95",
    "compare in groups": "compare {} --truth truth --models old,new --by place --confidence .95",
    "compare in units": "compare {} --truth truth --models old,new --units unit --confidence .95"
    " --kind classification",
    "clusters in groups": "compare {} --truth cluster --models one,two --kind clustering --by place",
    "gate": "gate {} --truth truth --old old --new new --margin .02",
    "gate in groups": "gate {} --truth truth --old old --new new --margin .02 --by place",
    "gate in units": "gate {} --truth truth --old old --new new --margin .02 --units unit",
    "gate of clusters": "gate {} --truth cluster --old two --new one --kind clustering --margin .02",
    "benchmark": "benchmark {} --dataset set --truth truth --models old,new --score accuracy",
    "raters": "raters {} --raters truth,old,new --indices all --confidence .95",
    "raters of true and false": "raters {} --raters told,seen --indices all",
}


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("door", ["csv", "parquet", "folder"])
def test_the_shell(
    door: str,
    files: Mapping[str, Any],
    wanted: Mapping[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, command in COMMANDS.items():
        output = tmp_path / "found.json"
        words = [word.format(files[door]) for word in command.split()]
        assert main([*words, "--output", str(output)]) in (0, 1), (name, capsys.readouterr().err)
        found = json.loads(output.read_text())
        if found["kind"] == "evaluations":
            (found,) = found["evaluations"].values()
        own = [
            own
            for own in differences(wanted[name], found)
            # The shell says on the error channel what it read, and how labels were judged.
            if own.partition(":")[0].split("/")[1] not in ("truth", "file", "raters", "settings", "warnings")
        ]
        assert not own, name


WEIGHTED: dict[str, Any] = {"sample_weight": "weight", "weights": "importance", "confidence": 0.95}


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_intervals_with_sampling_weights_need_the_rows(
    verb: str, files: Mapping[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine returns sums of weights; a file is read, so that it has the intervals of the table."""
    asked = {"pred": "new"} if verb == "evaluate" else {"models": ["old", "new"]}
    options = {"truth": "truth", "kind": "classification", **asked, **WEIGHTED}
    judge = getattr(adjudge, verb)
    wanted = said(judge(TABLE, **options))
    with pytest.raises(AdjudgeError, match="needs the weight of each row, but the engine returns only sums"):
        judge(pl.from_pandas(TABLE).lazy(), **options)
    columns = "--pred new" if verb == "evaluate" else "--models old,new"
    command = f"{verb} {files['parquet']} --truth truth {columns} --kind classification --weight weight"
    words = [*command.split(), "--weights", "importance", "--confidence", ".95"]
    assert main([*words, "--output", str(tmp_path / "found.json")]) == 0
    found = json.loads((tmp_path / "found.json").read_text())
    if verb == "evaluate":
        (found,) = found["evaluations"].values()
    assert found.keys() - {"truth", "file"} == wanted.keys()
    assert found.get("intervals", found.get("pairs")) == wanted.get("intervals", wanted.get("pairs"))
    assert main([*words, "--engine", "duckdb"]) == 2
    assert "needs all rows in memory: leave out --engine duckdb" in capsys.readouterr().err
