"""What other programs call an index, and where they differ: read from the records and from what the tests compare."""

from __future__ import annotations

import dataclasses
import math
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import adjudge
from adjudge.indices.record import Index

DIFFERENCES = Path(__file__).parents[1] / "differences.toml"
LABEL_TEST = "tests/indices/test_external_golden.py::test_values_are_those_of_the_program"
SCIKIT_LEARN_TEST = "tests/verbs/test_scikit_learn.py::test_values_are_those_of_scikit_learn"


@dataclasses.dataclass(frozen=True)
class Difference:
    """One value that a program gives and adjudge does not, on one and the same data."""

    program: str
    measure: str
    index: str
    case: str
    theirs: str
    ours: str
    reason: str
    test: str

    @property
    def peer(self) -> str:
        """The program without its version."""
        return self.program.partition(" ")[0]

    @property
    def name(self) -> str:
        """The measure in Markdown: ``score__option``, as the tests write a call with options, is read."""
        function, _, options = self.measure.partition("__")
        return f"`{function}`" + (f", {options.replace('__', ', ')}" if options else "")

    @property
    def data(self) -> str:
        """The data in Markdown: the name of a reference file, or words."""
        if not self.case.endswith((".json", ".json.gz")):
            return self.case
        return f"`{self.case.partition('/')[2].partition('.json')[0]}`"


@dataclasses.dataclass(frozen=True)
class Compared:
    """A measure of a program that the tests compare with an index, and what it is of it."""

    program: str
    measure: str
    parameters: str


def program_name(key: str) -> str:
    """Write ``sklearn_1.9.1`` as people do."""
    name, version = key.split("_", 1)
    version = version.partition("_")[0]
    return f"{'scikit-learn' if name == 'sklearn' else name} {version}"


@cache
def _label_tests() -> Any:
    from indices import test_external_golden

    return test_external_golden


@cache
def compared_with(name: str) -> tuple[Compared, ...]:
    """Measures of other programs that the tests hold an external index against."""
    tests = _label_tests()
    found: dict[tuple[str, str], Compared] = {}
    for key, measures in tests.PEERS.items():
        if key == "exact_reference":
            continue
        for measure, target in measures.items():
            target = tests.as_record(target)
            if target.record == name and "__" not in measure:
                program = program_name(key).partition(" ")[0]
                found[program, measure] = Compared(program, measure, _as_text(target))
    return tuple(found.values())


def found_by(name: str) -> Index | None:
    """Return the index that a name finds, if it finds one."""
    try:
        return adjudge.find_index(name)
    except adjudge.UnknownIndexError:
        return None


def _as_text(target: Any) -> str:
    parts = [f"{k}={v!r}" for k, v in target.parameters.items()]
    if target.unit != 1:
        parts.append("in bits")
    return ", ".join(parts)


@cache
def differences() -> tuple[Difference, ...]:
    """Every difference: those of programs on labels and of scikit-learn from the tests, others from the list."""
    return (*_of_labels(), *_of_scikit_learn(), *_of_the_list())


def _of_scikit_learn() -> Iterator[Difference]:
    """Differences of internal and classification indices from the scikit-learn that is installed."""
    import sklearn

    from verbs import test_scikit_learn as tests

    for measure, case, reason in tests.EXCEPTIONS:
        theirs, ours = tests.theirs(measure, case), tests.ours(measure, case)
        # As many digits as it takes to see the difference.
        digits = next(
            (d for d in (6, 9, 12) if isinstance(theirs, str) or shown(theirs, d) != shown(ours, d)), 15
        )
        yield Difference(
            program=f"scikit-learn {sklearn.__version__}",
            measure=measure,
            index=tests.MEASURES[measure][0],
            case=case,
            theirs=theirs if isinstance(theirs, str) else shown(theirs, digits),
            ours=shown(ours, digits),
            reason=reason,
            test=SCIKIT_LEARN_TEST,
        )


def _of_labels() -> Iterator[Difference]:
    tests = _label_tests()
    for key, names, cases, reason in tests.EXCEPTIONS:
        if key == "exact_reference":
            continue
        measures = [m for m in tests.PEERS[key] if re.fullmatch(names, m)]
        case = sorted(tests.CASES)[0] if cases == "*" else _case(cases.split()[0])
        data, table = tests.loaded(case)
        for measure in measures:
            target = tests.as_record(tests.PEERS[key][measure])
            theirs = data.get(key, {}).get(measure)
            if target.function is not None or isinstance(theirs, list) or theirs is None:
                continue
            yield Difference(
                program=program_name(key),
                measure=measure,
                index=target.record,
                case=f"external/{tests.CASES[case].name}",
                theirs="refused" if tests.refused(theirs) else shown(tests.as_number(theirs)),
                ours=shown(target.value(table)),
                reason=reason,
                test=LABEL_TEST,
            )


def _case(number: str) -> str:
    (case,) = [case for case in _label_tests().CASES if case.startswith(f"{number}_")]
    return case


def _of_the_list() -> Iterator[Difference]:
    with DIFFERENCES.open("rb") as file:
        entries = tomllib.load(file)["difference"]
    for entry in entries:
        theirs, ours = _values(entry)
        yield Difference(
            program=entry["program"],
            measure=entry.get("measure", entry["index"]),
            index=entry["index"],
            case=entry.get("case", ""),
            theirs=theirs,
            ours=ours,
            reason=entry["reason"],
            test=entry["test"],
        )


def _values(entry: dict[str, Any]) -> tuple[str, str]:
    """Their value as it stands in the reference file, and ours for the same data."""
    from conftest import as_number, read_reference

    if "case" not in entry:
        return entry["theirs"], entry["ours"]
    data = read_reference(entry["case"])
    record = adjudge.find_index(entry["index"])
    if entry["case"].startswith("classifiers/"):
        theirs = data[entry["block"]]
        for key in entry["key"].split("/"):
            theirs = theirs[key]
        # What another program raises stands in the file as text.
        failed = isinstance(theirs, str) and theirs.startswith("error")
        ours = shown(_of_a_classifier(record, data, entry.get("parameters", {})))
        return "an error" if failed else shown(as_number(theirs)), ours
    if "cases" in data:
        data = next(case for case in data["cases"] if case["name"] == entry["name"])
        return shown(as_number(data[entry["key"]])), shown(record(data["data"], data["part"]))
    if "values" in data and isinstance(data["values"], list):  # a sweep over K
        k = entry["k"]
        row = data["values"][data["k"].index(k)]
        theirs = as_number(row[data["indices"].index(entry["measure"])])
        return shown(theirs), shown(_in_sweep(record, data, k))
    block = data[entry.get("block", "values")]
    theirs_shown = shown(as_number(block[entry["key"]])) if entry["key"] else "missing"
    if record.kind == "external":
        return theirs_shown, shown(record(data["part1"], data["part2"]))
    X = np.array(data["data"], dtype=float).reshape(data["n"], data["p"])
    return theirs_shown, shown(record(X, data["part"]))


def _of_a_classifier(record: Index, data: dict[str, Any], parameters: dict[str, Any]) -> float:
    if "ratings" in data:
        return record(data["ratings"], categories=data["categories"], **parameters)
    if "Y_true" in data:
        name, key = ("scores", "score") if record.question == "ranking" else ("labels_pred", "Y_pred")
        given = {name: np.array(data[key])}
        return record(np.array(data["Y_true"]), sample_weight=data["sample_weight"], **given, **parameters)
    if "labels_pred" in data:
        return record(
            data["labels_true"], data["labels_pred"], sample_weight=data["sample_weight"], **parameters
        )
    given = {"probabilities" if data["score_is_probability"] else "scores": data["score"]}
    return record(
        data["labels_true"],
        **given,
        classes=[data["neg_label"], data["pos_label"]],
        sample_weight=data["sample_weight"],
        **parameters,
    )


def _in_sweep(record: Index, data: dict[str, Any], k: int) -> float:
    X = np.array(data["data"], dtype=float)
    labels = {i + 1: np.array(level) for i, level in enumerate(data["partitions_k1_to_k10"])}
    if record.kind == "selection":
        return float(record(X, labels)[k])  # type: ignore[index]
    return float(record(X, labels[k]))


def shown(value: float, digits: int = 6) -> str:
    """Write a value with the digits that tell it from another."""
    return "undefined" if math.isnan(value) else f"{value:.{digits}g}".replace("inf", "∞").replace("-", "−")


def differences_of(name: str) -> list[Difference]:
    """Differences of one index."""
    return [d for d in differences() if d.index == name]
