"""Every verb gives one answer: for arrays, a table in memory or lazy, a file of any format, a folder, in the shell."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
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
            "id": np.arange(N) + 1000,
            "known": pd.Series(np.where(np.arange(N) < 120, names[truth], None), dtype=object),
            "by_judge": names[truth],
            "unsure": np.where(np.arange(N) % 40 == 7, "unsure", names[new]),
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


class Call:
    """A verb, and what names its columns."""

    def __init__(self, verb: str, **named: Any) -> None:
        self.verb, self.named = verb, named

    def of_table(self, table: Any) -> Any:
        return getattr(adjudge, self.verb)(table, **self.named)

    def of_arrays(self) -> Any:
        """Return what the verb says of the columns themselves."""
        given = dict(self.named)
        for option in ("units", "sample_weight", "judge", "costs"):
            if option in given:
                given[option] = TABLE[given[option]]
        if "groups" in given:
            groups = given["groups"]
            given["groups"] = TABLE[[groups] if isinstance(groups, str) else groups]
        for option in ("probabilities", "scores"):
            if option in given:
                named = given[option]
                of_models = self.verb != "evaluate"
                given[option] = {m: shares(own) for m, own in named.items()} if of_models else shares(named)
        if self.verb == "benchmark":
            names, truth, models = given.pop("dataset"), given.pop("truth"), given.pop("models")
            sets = TABLE.groupby(names)
            return adjudge.benchmark({n: (own[truth], dict(own[models])) for n, own in sets}, **given)
        if self.verb == "choose":
            return adjudge.choose(TABLE[given.pop("features")], dict(TABLE[given.pop("candidates")]), **given)
        if given.get("kind") == "raters":
            return adjudge.evaluate(TABLE[given.pop("pred")], **given)
        if "features" in given:
            return adjudge.evaluate(
                X=TABLE[given.pop("features")], labels=TABLE[given.pop("labels")], **given
            )
        truth = TABLE[given.pop("truth")]
        if self.verb == "compare":
            models = given.pop("models", ())
            models = models if isinstance(models, dict) else {name: name for name in models}
            return adjudge.compare(truth, {n: TABLE[own] for n, own in models.items()} or None, **given)
        for option in ("old", "new", "pred"):
            if option in given:
                given["labels_pred" if option == "pred" else option] = TABLE[given.pop(option)]
        return getattr(adjudge, self.verb)(truth, **given)


def shares(named: Any) -> Any:
    """Return a column of probabilities, or one for each class."""
    return TABLE[named] if isinstance(named, str) else TABLE[[*named.values()]].set_axis([*named], axis=1)


def evaluate(**named: Any) -> Call:
    return Call("evaluate", **named)


def compare(**named: Any) -> Call:
    return Call("compare", **named)


def gate(**named: Any) -> Call:
    return Call("gate", **named)


NEW: dict[str, Any] = {"truth": "truth", "pred": "new", **CLASSES}
BOTH_NEW: dict[str, Any] = {"truth": "truth", "models": ["old", "new"], **CLASSES}
FOUND: dict[str, Any] = {"truth": "cluster", "pred": "two", "kind": "clustering"}
OF_ONE: dict[str, Any] = {"truth": "is_dog", "probabilities": "dog_yes", "groups": "place"}
OF_TWO: dict[str, Any] = {"truth": "is_dog", "probabilities": BOTH}
GATED: dict[str, Any] = {"truth": "truth", "old": "old", "new": "new", "margin": 0.02}
XY = ["x", "y"]
CALLS: dict[str, Call] = {
    "classes": evaluate(**NEW),
    "kind unsaid": evaluate(truth="truth", pred="new", confidence=0.95),
    "groups": evaluate(**NEW, groups="place"),
    "units": evaluate(**NEW, units="unit"),
    "frequency": evaluate(**NEW, sample_weight="times", weights="frequency"),
    "importance": evaluate(
        truth="truth", pred="new", sample_weight="weight", weights="importance", kind="classification"
    ),
    "gaps": evaluate(**{**NEW, "pred": "gaps"}, missing="drop"),
    "positive": evaluate(truth="is_dog", pred="is_dog", positive="no", kind="classification"),
    "answers of no class": evaluate(**{**NEW, "pred": "unsure"}),
    "clusters": evaluate(**FOUND, indices="all", confidence=0.95),
    "noise": evaluate(**{**FOUND, "pred": "one"}, noise="drop"),
    "chance": evaluate(**FOUND, adjust=True),
    "clusters in units": evaluate(**FOUND, units="unit", confidence=0.95),
    "probabilities": evaluate(truth="truth", probabilities=OF_THREE, kind="classification"),
    "probabilities with gaps": evaluate(
        truth="gaps", probabilities=OF_THREE, missing="drop", indices=LOSSES, **CLASSES
    ),
    "one column": evaluate(**OF_ONE, kind="classification"),
    "scores": evaluate(truth="is_dog", scores="dog_yes", kind="classification"),
    "points": evaluate(labels="two", features=XY, indices=MOMENTS),
    "points without noise": evaluate(labels="one", features=XY, noise="drop", indices=MOMENTS),
    "compare": compare(**BOTH_NEW),
    "compare by name": compare(**{**BOTH_NEW, "models": {"A": "old", "B": "new"}}),
    "compare in groups": compare(**BOTH_NEW, groups="place"),
    "compare in crossed groups": compare(**BOTH_NEW, groups=["place", "set"]),
    "compare in units": compare(**BOTH_NEW, units="unit"),
    "compare with gaps": compare(**{**BOTH_NEW, "models": ["old", "gaps"]}, missing="drop"),
    "compare answers of no class": compare(**{**BOTH_NEW, "models": ["old", "unsure"]}, groups="place"),
    "compare by a primary score": compare(**BOTH_NEW, primary="macro_f1"),
    "compare clusters": compare(
        truth="cluster", models={"A": "one", "B": "two"}, noise={"A": "drop"}, confidence=0.95, **CLUSTERS
    ),
    "compare clusters in units": compare(
        truth="cluster", models=["one", "two"], units="unit", confidence=0.95, **CLUSTERS
    ),
    "clusters in groups": compare(truth="cluster", models=["one", "two"], groups="place", **CLUSTERS),
    "compare probabilities": compare(**OF_TWO, kind="classification"),
    "classes in another order": compare(
        truth="truth",
        probabilities={"one": dict(reversed(OF_THREE.items())), "two": dict(reversed(TURNED.items()))},
        indices=["accuracy", "log_loss"],
        **CLASSES,
    ),
    "losses": evaluate(truth="truth", probabilities=OF_THREE, indices=LOSSES, **CLASSES),
    "losses in groups": evaluate(**OF_ONE, indices=LOSSES, **CLASSES),
    "losses in units": evaluate(**OF_ONE, units="unit", indices=LOSSES, **CLASSES),
    "compare losses": compare(**OF_TWO, groups="place", indices=LOSSES, **CLASSES),
    "compare losses in units": compare(**OF_TWO, units="unit", groups="place", indices=LOSSES, **CLASSES),
    "gate": gate(**GATED),
    "gate in groups": gate(**GATED, groups="place"),
    "gate in units": gate(**GATED, units="unit", max_broken=0.1),
    "gate of weighed rows": gate(**GATED, sample_weight="times", weights="frequency"),
    "gate of probabilities": gate(
        truth="is_dog", probabilities=OLD_AND_NEW, margin=0.02, units="unit", groups="place"
    ),
    "gate of labels and probabilities": gate(
        **{**GATED, "margin": 0.05},
        probabilities={"new": OF_THREE},
        indices=["accuracy", "log_loss", "recall[cat]"],
        equivalent="macro_f1",
        max_broken=30,
        groups="place",
    ),
    "gate of clusters": gate(truth="cluster", old="two", new="one", margin=0.02, **CLUSTERS),
    "benchmark": Call("benchmark", dataset="set", truth="truth", models=["old", "new"], score="accuracy"),
    "choose": Call("choose", candidates=["cluster", "two"], features=XY),
    "raters": evaluate(kind="raters", pred=["truth", "old", "new"], indices="all", confidence=0.95),
    "raters of true and false": evaluate(kind="raters", pred=["told", "seen"], indices="all"),
}
#: What needs the rows, so that a lazy table refuses it.
OF_ROWS: dict[str, Call] = {
    "prevalence": evaluate(truth="is_dog", pred="is_dog", positive="yes", prevalence=0.02),
    "judge": evaluate(**{**NEW, "truth": "known"}, judge="old"),
    "costs": evaluate(**NEW, costs="weight"),
    "compare judge": compare(**{**BOTH_NEW, "truth": "known"}, judge="by_judge"),
    "compare costs": compare(**BOTH_NEW, costs="weight"),
    "gate of a judge": gate(**{**GATED, "truth": "known"}, judge="by_judge", indices="accuracy"),
    "gate of costs": gate(**{**GATED, "margin": {"expected_cost": 5}}, costs="weight"),
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


def said(found: Any, *, with_rows: bool = True) -> Any:
    """Return what a result says, without the name of a file; of a gate also which rows broke or were put right."""
    said = json.loads(json.dumps(found.to_dict(), default=str))
    said.get("settings", {}).pop("table", None)
    if with_rows and isinstance(found, adjudge.Gate):
        for cell in ("right_wrong", "wrong_right"):
            said[cell] = sorted(int(row["id"]) for row in found.rows_of(cell).records())
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
    return {name: said(call.of_table(TABLE)) for name, call in (CALLS | OF_ROWS).items()}


def test_arrays(wanted: Mapping[str, Any]) -> None:
    for name, call in (CALLS | OF_ROWS).items():
        found = list(differences(wanted[name], said(call.of_arrays(), with_rows=False)))
        # Of a table, it says which columns it was given, and which rows were left out of these.
        own = (
            "/settings/",
            "/right_wrong: only",
            "/wrong_right: only",
            "/warnings: [{'code': 'rows-left-out'",
        )
        assert not [one for one in found if not one.startswith(own)], name


@pytest.mark.full(keep=4)
@pytest.mark.parametrize("door", EAGER)
def test_tables_in_memory_and_files(
    door: str, files: Mapping[str, Any], wanted: Mapping[str, Any], request: pytest.FixtureRequest
) -> None:
    given = files[door] if door in files else in_engine(pl.from_pandas(TABLE), door, request)
    for name, call in (CALLS | OF_ROWS).items():
        assert not list(differences(wanted[name], said(call.of_table(given)))), name


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("door", LAZY)
def test_lazy_tables(door: str, wanted: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
    given = in_engine(pl.from_pandas(TABLE), door, request)
    for name, call in CALLS.items():
        found = list(differences(wanted[name], said(call.of_table(given))))
        if name in OF_SUMS:
            found = [own for own in found if UNLIKE.isdisjoint(own.partition(":")[0].split("/"))]
            found = [own for own in found if "/verdict/" not in own]
        assert not found, name
    for option, call in OF_ROWS.items():
        if call.verb == "gate":
            continue
        with pytest.raises(
            AdjudgeError, match=f"^{option.split()[-1]}= needs the instances: collect the table first"
        ):
            call.of_table(given)


#: The shell says on the error channel what it read, and how labels were judged; rows go into files.
UNSAID = ("truth", "file", "raters", "settings", "warnings", "right_wrong", "wrong_right")
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
    "gate in units": "gate {} --truth truth --old old --new new --margin .02 --units unit --max-broken .1",
    "gate of clusters": "gate {} --truth cluster --old two --new one --kind clustering --margin .02",
    "benchmark": "benchmark {} --dataset set --truth truth --models old,new --score accuracy",
    "raters": "raters {} --raters truth,old,new --indices all --confidence .95",
    "raters of true and false": "raters {} --raters told,seen --indices all",
}


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("door", ["csv", "parquet", "folder"])
def test_the_shell(
    door: str, files: Mapping[str, Any], wanted: Mapping[str, Any], tmp_path: Path, shell: Any
) -> None:
    for name, command in COMMANDS.items():
        output = tmp_path / "found.json"
        shell(command.format(files[door]), "--output", output, code=None)  # of a gate, that of its verdict
        found = json.loads(output.read_text())
        if found["kind"] == "evaluations":
            (found,) = found["evaluations"].values()
        own = [
            own
            for own in differences(wanted[name], found)
            if own.partition(":")[0].split("/")[1] not in UNSAID
        ]
        assert not own, name


WEIGHTED: dict[str, Any] = {"sample_weight": "weight", "weights": "importance", "confidence": 0.95}


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_intervals_with_sampling_weights_need_the_rows(
    verb: str, files: Mapping[str, Any], tmp_path: Path, run: Any
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
    assert "needs all rows in memory: leave out --engine duckdb" in run(*words, "--engine", "duckdb", code=2)
