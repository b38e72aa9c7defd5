"""Tables in files: formats, the meaning of labels, and every error about a file."""

from __future__ import annotations

import gzip
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import adjudge
from adjudge.errors import InputError, MissingExtraError
from adjudge.files import columnar as columnar_files
from adjudge.files import text as text_files
from adjudge.files.kinds import common_labels, find_column, open_table


@pytest.fixture
def reader(request, monkeypatch):
    """Read text of any size with Polars, or as if it were not installed."""
    monkeypatch.setattr(text_files, "_WORTH_POLARS", 0)
    if request.param == "csv":
        monkeypatch.setattr(text_files, "find_spec", lambda name: None)
    return request.param


both_readers = pytest.mark.parametrize("reader", ["polars", "csv"], indirect=True)
COLUMNAR = ["polars", "pyarrow"]


@pytest.fixture
def columnar(request, monkeypatch):
    """Read Parquet and Arrow with one library, as if the others were not installed."""
    monkeypatch.setattr(columnar_files, "find_spec", lambda name: True if name == request.param else None)
    return request.param


def put(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read_table(path: Path, columns=None) -> dict:
    table = open_table(path)
    names = [find_column(table, name) for name in (table.columns if columns is None else columns)]
    return common_labels(table.label_columns(names))[0]


def values(labels) -> list:
    return labels.to_list() if hasattr(labels, "to_list") else list(labels)


def read(folder: Path, content: str | bytes, name: str = "t.csv", columns=None) -> dict[str, list]:
    return {k: values(v) for k, v in read_table(put(folder, content, name), columns).items()}


# Meaning of labels


@both_readers
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
        ("a,b\nx,y\nz,y\n", {"a": ["x", "z"], "b": ["y", "y"]}),
        # Codes with leading zeros are text; the numbers that they are compared with become text too.
        ("a,b\n07,1\n7,2\n", {"a": ["07", "7"], "b": ["1", "2"]}),
        # Whole numbers are the same label in any spelling.
        ("a,b\n1.0,1\n2.,2\n", {"a": [1, 2], "b": [1, 2]}),
        ("a,b\n1.0,x\n2,y\n", {"a": ["1", "2"], "b": ["x", "y"]}),
        # An empty field is missing; what stands for a missing number is so among numbers alone.
        ("a,b\n1,x\n,\n", {"a": ["1", None], "b": ["x", None]}),
        ("a,b\nNA,1\n3,nan\n", {"a": [None, 3], "b": [1, None]}),
        ("a,b\nNA,NA\nnull,x\n", {"a": ["NA", "null"], "b": ["NA", "x"]}),
        # Blanks around labels are no part of them.
        ("a,b\n 1 , x\n2,x \n", {"a": ["1", "2"], "b": ["x", "x"]}),
        ("a,b\n-1,0\n+2,1\n", {"a": [-1, 2], "b": [0, 1]}),
        # Too large for int64: text.
        ("a,b\n12345678901234567890,1\n12345678901234567891,2\n",
         {"a": ["12345678901234567890", "12345678901234567891"], "b": ["1", "2"]}),
        ("a,b\nTrue,1\nFalse,2\n", {"a": ["True", "False"], "b": ["1", "2"]}),
        ("a,b\né,日本\nß,x\n", {"a": ["é", "ß"], "b": ["日本", "x"]}),
    ],
)  # fmt: skip
def test_meaning_of_labels(tmp_path, reader, content, expected):
    assert read(tmp_path, content) == expected


@both_readers
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('a,b\n"x, y","p\nq"\n"say ""hi""",z\n', {"a": ["x, y", 'say "hi"'], "b": ["p\nq", "z"]}),
        ("a,b\r\n1,2\r\n3,4\r\n", {"a": [1, 3], "b": [2, 4]}),
        ("a,b\r1,2\r3,4", {"a": [1, 3], "b": [2, 4]}),
        ("a,b\n1,2\n\n3,4\n\n", {"a": [1, 3], "b": [2, 4]}),
        ("\n\na,b\n1,2\n", {"a": [1], "b": [2]}),
        ("\ufeffa,b\n1,2\n", {"a": [1], "b": [2]}),
        ("a;b\n1;2\n", {"a": [1], "b": [2]}),
        ("a\tb\n1\t2\n", {"a": [1], "b": [2]}),
        ('"a,b",c\n1,2\n', {"a,b": [1], "c": [2]}),
        # A column of one field a line: an empty line is an empty field.
        ("label\nx\n\ny\n", {"label": ["x", None, "y"]}),
    ],
)
def test_layout_of_text(tmp_path, reader, content, expected):
    assert read(tmp_path, content) == expected


def test_polars_reads_what_has_no_gaps(tmp_path, monkeypatch):
    """The fast reader is really used: it would be easy to lose it without noticing."""
    assert isinstance(read_table(put(tmp_path, "a,b\nx,1\n"))["a"], list)
    monkeypatch.setattr(text_files, "_WORTH_POLARS", 8)
    column = open_table(put(tmp_path, "a,b\n1,2\n3,4\n")).label_columns(["a"])[0]
    assert isinstance(column.values, pl.Series)
    assert isinstance(column.labels(), pl.Series)


def test_only_needed_columns_are_looked_at(tmp_path):
    assert read(tmp_path, "a,b,b\n1,x,y\n2,x,y\n", columns=["a"]) == {"a": [1, 2]}


@both_readers
def test_both_readers_agree_on_a_large_file(tmp_path, reader):
    rng = np.random.default_rng(0)
    n = 20_000
    frame = pl.DataFrame(
        {"i": rng.integers(-1, 9, n), "s": rng.choice(["a", "b, c", 'd"'], n), "x": rng.random(n)}
    )
    path = tmp_path / "t.csv"
    frame.write_csv(path)
    table = open_table(path)
    labels, are_text = common_labels(table.label_columns(["i", "s"]))
    assert are_text
    assert values(labels["i"]) == [str(i) for i in frame["i"]]
    assert values(labels["s"]) == frame["s"].to_list()
    assert table.numeric_columns() == ["i", "x"]
    np.testing.assert_array_equal(table.points(["x", "i"]), frame.select("x", "i").to_numpy())


# One label per line


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("truth.txt", "1\n2\n2\n", {"truth": [1, 2, 2]}),
        ("truth.labels", "a\n b\n\nc", {"truth": ["a", "b", None, "c"]}),
        ("labels0.gz", gzip.compress(b"1\n1\n\n\n", mtime=0), {"labels0": [1, 1]}),
        ("kmeans.csv", "0\n1\n1\n", {"kmeans": [0, 1, 1]}),
        ("noext", "x\ny\n", {"noext": ["x", "y"]}),
        ("crlf.txt", "1\r\n2\r\n", {"crlf": [1, 2]}),
    ],
)
def test_list_of_labels(tmp_path, name, content, expected):
    assert read(tmp_path, content, name) == expected
    assert open_table(tmp_path / name).is_list


def test_list_of_coordinates(tmp_path):
    table = open_table(put(tmp_path, "1.5\n2\n", "x.txt"))
    assert table.numeric_columns() == ["x"]
    np.testing.assert_array_equal(table.points(["x"]), [[1.5], [2.0]])


# Formats


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv.gz", "t.tsv", "t.tab", "t.txt"])
def test_delimited_formats(tmp_path, name):
    text = "label\tmodel\n1\tx\n2\ty\n" if ".t" in name else "label,model\n1,x\n2,y\n"
    content = gzip.compress(text.encode()) if name.endswith("gz") else text
    assert read(tmp_path, content, name) == {"label": ["1", "2"], "model": ["x", "y"]}


FRAME = pl.DataFrame(
    {
        "i": [1, 2, None],
        "s": ["x", None, "y"],
        "c": ["p", "q", "p"],
        "f": [1.0, 2.0, 3.0],
        "b": [True, False, True],
    },
    schema_overrides={"c": pl.Categorical},
)


@pytest.mark.parametrize("columnar", COLUMNAR, indirect=True)
@pytest.mark.parametrize("name", ["t.parquet", "t.pq", "t.arrow", "t.feather", "t.arrows", "no_ending"])
def test_columnar_formats(tmp_path, columnar, name):
    path = tmp_path / name
    if name == "t.feather":
        pa.feather.write_feather(FRAME.to_arrow(compat_level=pl.CompatLevel.oldest()), path)
    elif name == "t.arrow":
        FRAME.write_ipc(path, compat_level=pl.CompatLevel.oldest())
    elif name == "t.arrows":
        FRAME.write_ipc_stream(path, compat_level=pl.CompatLevel.oldest())
    else:
        FRAME.write_parquet(path)
    table = open_table(path)
    assert table.columns == FRAME.columns
    assert table.numeric_columns() == ["i", "f"]
    numbers, are_text = common_labels(table.label_columns(["i", "f"]))
    assert not are_text
    assert [as_python(v) for v in numbers["i"]] == [1, 2, None]
    text, are_text = common_labels(table.label_columns(["i", "s", "c", "f"]))
    assert are_text
    assert {k: [as_python(x) for x in v] for k, v in text.items()} == {
        "i": ["1", "2", None],
        "s": ["x", None, "y"],
        "c": ["p", "q", "p"],
        "f": ["1", "2", "3"],
    }
    np.testing.assert_array_equal(table.points(["f"]), [[1.0], [2.0], [3.0]])
    with pytest.raises(InputError, match=r"column 'i' is missing in row 3"):
        table.points(["i", "f"])
    with pytest.raises(InputError, match="column 's' does not hold numbers"):
        table.points(["f", "s"])


def as_python(value):
    return value.as_py() if hasattr(value, "as_py") else value


@pytest.mark.parametrize("columnar", COLUMNAR, indirect=True)
@pytest.mark.parametrize(
    "content", [b"PAR1" + b"x" * 100, b"PAR1" + b"x" * 100 + b"PAR1", b"ARROW1\0\0" + b"x" * 99]
)
def test_damaged_columnar_file(tmp_path, columnar, content):
    path = put(tmp_path, content, "t.dat")
    with pytest.raises(InputError, match=r"'.*t\.dat' is not a readable (Parquet|Arrow) file: ") as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("columnar", COLUMNAR, indirect=True)
def test_parquet_damaged_inside_or_cut_off(tmp_path, columnar):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": np.arange(10_000) * 7919 % 10_007}).write_parquet(path)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], whole[:100] + b"\xff" * 500 + whole[600:]):
        with pytest.raises(InputError, match="is not a readable Parquet file"):
            read_table(put(tmp_path, content, "t.parquet"))


@pytest.mark.parametrize("columnar", COLUMNAR, indirect=True)
def test_columnar_file_without_rows(tmp_path, columnar):
    path = tmp_path / "t.parquet"
    FRAME.head(0).write_parquet(path)
    with pytest.raises(InputError, match="has no rows"):
        read_table(path, ["i"])


@pytest.mark.parametrize("columnar", ["nothing"], indirect=True)
def test_parquet_without_a_reader(tmp_path, columnar):
    path = tmp_path / "t.parquet"
    FRAME.write_parquet(path)
    with pytest.raises(
        MissingExtraError, match=r"reading the Parquet file .* pip install 'adjudge\[files\]'"
    ):
        read_table(path)


def test_infinite_coordinate_in_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"x": [0.0, float("inf")]}).write_parquet(path)
    with pytest.raises(InputError, match="column 'x' is infinite in row 2"):
        open_table(path).points(["x"])


# Errors


@both_readers
@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "t.csv", "is empty$"),
        ("\n \n", "t.csv", "is empty: it has only blank lines"),
        ("a,b\n", "t.csv", "has a header and no rows"),
        ("a,b\n1,2\n3\n4,5\n", "t.csv", r"line 3: 1 field where the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "t.csv", r"line 3: 3 fields where the header has 2"),
        ('a,b\n1,"x\n', "t.csv", r"line 2: the file ends within quotation marks: close them"),
        ('a,b\n1,"x"y\n', "t.csv", r"line 2: ',' expected after '\"': double quotation marks"),
        ('a,"b\n', "t.csv", r"line 1: the file ends within quotation marks: close them"),
        (b"a,b\n1,2\n\xe9,4\n", "t.csv", "line 3: not UTF-8 text: save it as UTF-8"),
        (b"a\n\xe9\n", "t.txt", "line 2: not UTF-8 text: save it as UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "t.csv", "is UTF-16 text: save it as UTF-8"),
        (b"a,b\n1,\0\n", "t.csv", "is not a text file"),
        (b"a,b\n" + b"1,x\n" * 20_000 + b"1,y\0\n", "t.csv", r"has a NUL byte in column 'b': 'y\\x00'"),
        (gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-9], "t.csv.gz", "is damaged: Compressed file ended"),
        (b"\x1f\x8bnot really", "t.csv.gz", "is damaged: "),
        ("a,a\n1,2\n", "t.csv", "has 2 columns named 'a': rename all but one"),
        ("x,y\n1,2\n", "t.parquet", "is text, not a Parquet file: let its name end in .csv$"),
        (
            "x,\u00e9\n" + "\u00e9,2\n" * 2000,
            "t.pq",
            "is text, not a Parquet file: let its name end in .csv$",
        ),
        ('{"x": 1}\n', "t.feather", "is text, not an Arrow file: let its name end in .jsonl$"),
        (
            gzip.compress(b"x,y\n1,2\n", mtime=0),
            "t.parquet",
            "is compressed by gzip, not a Parquet file: decompress it, ",
        ),
        (b"x\0y" * 9, "t.parquet", "is not a readable Parquet file: "),
        (b"\xe9\xe9" * 99, "t.parquet", "is not a readable Parquet file: "),
        ("x,y\n1,2\n", "t.json", "is not JSON: let its name end in .csv, or in .txt for one label per line"),
        ("{'x': 1}\n", "t.jsonl", "line 1: not JSON: Expecting property name enclosed in double quotes$"),
    ],
)
def test_error(tmp_path, reader, content, name, message):
    path = put(tmp_path, content, name)
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_columnar_file_is_known_by_its_first_bytes_whatever_its_name(tmp_path):
    FRAME.write_ipc(tmp_path / "t.parquet")
    FRAME.write_parquet(tmp_path / "t.arrow")
    for name in ("t.parquet", "t.arrow"):
        assert open_table(tmp_path / name).columns == FRAME.columns


def test_text_in_a_folder_of_parquet_is_told_what_it_is(tmp_path):
    FRAME.write_parquet(tmp_path / "a.parquet")
    put(tmp_path, "i\n1\n", "b.parquet")
    with pytest.raises(
        InputError, match=r"b\.parquet' is text, not a Parquet file: let its name end in \.csv$"
    ):
        open_table(tmp_path).label_columns(["i"])


def test_json_lines_compressed_and_wider_than_any_buffer(tmp_path):
    lines = "\n" + "".join(json.dumps({"x": i, "long": "z" * 100_000}) + "\n" for i in range(2))
    for path in (put(tmp_path, gzip.compress(lines.encode()), "t.json.gz"), put(tmp_path, lines, "t.json")):
        assert open_table(path).points(["x"]).tolist() == [[0.0], [1.0]]


def test_file_that_is_not_there(tmp_path):
    put(tmp_path, "a\n1\n", "predictions.csv")
    with pytest.raises(
        InputError, match=r"there is no file '.*predictons.csv': did you mean '.*predictions.csv'\?"
    ):
        open_table(tmp_path / "predictons.csv")
    with pytest.raises(InputError, match=r"there is no file 'no/such/file.csv' \(nor a folder 'no/such'\)"):
        open_table("no/such/file.csv")
    with pytest.raises(InputError, match="is a folder: name a file in it"):
        open_table(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe' is a pipe or a device, which can be read only once"):
        open_table(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"cannot read .*: File name too long"):
        open_table(tmp_path / ("x" * 300))


def test_column_that_is_not_there(tmp_path):
    table = open_table(put(tmp_path, "species, kmeans ,ward\n1,2,3\n"))
    assert find_column(table, "kmeans") == " kmeans "
    with pytest.raises(
        InputError,
        match=r"has no column 'specie': did you mean 'species'\? It has 'species', ' kmeans ', 'ward'$",
    ):
        find_column(table, "specie")
    wide = open_table(put(tmp_path, ",".join(f"c{i}" for i in range(30)) + "\n" + ",".join("1" * 30) + "\n"))
    with pytest.raises(InputError, match=r"has no column 'zzz': it has 'c0', .*, 'c11' and 18 more$"):
        find_column(wide, "zzz")


@both_readers
@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("", "column 'y' is empty in row 2 after the header"),
        ("abc", "column 'y' has 'abc', which is not a finite number, in row 2 after the header"),
        ("inf", "has 'inf', which is not a finite number"),
        ("nan", "has 'nan', which is not a finite number"),
        ("1_0", "has '1_0', which is not a finite number"),
    ],
)
def test_coordinates_that_are_no_numbers(tmp_path, reader, field, message):
    table = open_table(put(tmp_path, f"x,y\n1,2\n3,{field}\n"))
    with pytest.raises(InputError, match=message):
        table.points(["x", "y"])


@both_readers
def test_coordinates(tmp_path, reader):
    table = open_table(put(tmp_path, "id,x,y,z\n07,1e3, 2 ,a\n08,-.5,+3,b\n"))
    assert table.numeric_columns() == ["x", "y"]
    np.testing.assert_array_equal(table.points(["y", "x"]), [[2, 1000], [3, -0.5]])
    with pytest.raises(InputError, match="has a header and no rows"):
        open_table(put(tmp_path, "x,y\n")).points(["x"])


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_scores_are_no_labels_beside_text(tmp_path, name):
    frame = pl.DataFrame({"p": [0.5], "s": ["x"]})
    path = tmp_path / name
    frame.write_csv(path) if name == "t.csv" else frame.write_parquet(path)
    with pytest.raises(
        InputError, match=r"column 'p' has 0\.5, which is not a whole number: labels name groups"
    ):
        read_table(path)


def test_what_is_no_text_and_an_unknown_separator_are_said(tmp_path: Path) -> None:
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04junk")
    with pytest.raises(
        InputError, match=r"book.xlsx' is a spreadsheet or another zip archive: save the table as CSV"
    ):
        open_table(tmp_path / "book.xlsx")
    for name, remedy in [
        (
            "cells.h5ad",
            r"pass anndata\.read_h5ad\('.*cells\.h5ad'\) in Python, or save its obs as Parquet or CSV",
        ),
        ("points.h5", "save the table as Parquet or CSV"),
    ]:
        (tmp_path / name).write_bytes(b"\x89HDF\r\n\x1a\n\0\0")
        with pytest.raises(InputError, match=rf"{name}' is an HDF5 file: {remedy}$"):
            open_table(tmp_path / name)
    (tmp_path / "bars.csv").write_text("label|model\na|b\n")
    with pytest.raises(InputError, match=r"separate columns by a comma, a semicolon or a tab, not by '\|'"):
        find_column(open_table(tmp_path / "bars.csv"), "label")


def test_columns_that_blanks_separate_are_said(tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("label model\na b\n")
    not_by = "separate columns by a comma, a semicolon or a tab, not by blanks"
    with pytest.raises(InputError, match=not_by):
        find_column(open_table(path), "label")
    with pytest.raises(InputError, match=r"has no column 'lab': it has 'label model'"):
        find_column(open_table(path), "lab")
    path.write_text('"label" "model"\n"1" "a" "b"\n')  # as R's write.table
    with pytest.raises(InputError, match=not_by):
        open_table(path)
    (tmp_path / "bare.txt").write_text("label model\na b\n")
    with pytest.raises(
        InputError, match="each line is a label, because the first has no comma, semicolon or tab"
    ):
        find_column(open_table(tmp_path / "bare.txt"), "label")


def test_signs_in_quotation_marks_separate_nothing(tmp_path: Path) -> None:
    path = tmp_path / "weights.csv"
    path.write_text('"weight, kg";"the ""true"", class"\n1;a\n')
    assert open_table(path).columns == ["weight, kg", 'the "true", class']
    path.write_text('"one column"\na\n')
    assert open_table(path).columns == ["one column"]


def test_blanks_are_part_of_labels_where_text_is_delimited(tmp_path: Path) -> None:
    labels = ["cat", " cat", "dog ", " ", "", None]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"t": own}) + "\n" for own in labels))
    (tmp_path / "t.csv").write_text("t,n\n" + "".join(f"{own or ''},1\n" for own in labels))
    found = {kind: open_table(tmp_path / f"t.{kind}").label_columns(["t"])[0] for kind in ("jsonl", "csv")}
    assert list(found["jsonl"].labels()) == labels
    assert list(found["csv"].labels()) == ["cat", "cat", "dog", None, None, None]


@pytest.mark.parametrize("reader", ["polars", "pyarrow"])
def test_truth_values_are_coordinates_if_they_are_named(reader: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"flag": [True, False, None], "x": [1.5, 2.5, 3.5]})
    frame.write_parquet(tmp_path / "t.parquet")
    table = (
        open_table(tmp_path / "t.parquet")
        if reader == "polars"
        else columnar_files.ArrowTable(tmp_path / "t.parquet", "parquet")
    )
    assert table.numeric_columns() == ["x"]
    found = table.points(["flag", "x"], gaps=True)
    assert np.array_equal(found, [[1.0, 1.5], [0.0, 2.5], [np.nan, 3.5]], equal_nan=True)
    with pytest.raises(InputError, match=r"column 'flag'"):
        table.points(["flag"])


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("cell", ["0,0246", "<0.01"])
@pytest.mark.parametrize(
    "roles",
    [
        {"truth": "t", "probabilities": "x", "indices": "roc_auc"},
        {"truth": "t", "scores": "x", "indices": "roc_auc"},
        {"labels": "t", "features": ["x", "y"], "indices": "silhouette"},
    ],
)
def test_a_cell_that_is_no_number_is_no_gap(
    tmp_path: Path, ending: str, cell: str, roles: dict[str, Any]
) -> None:
    """missing="drop" leaves out empty cells, and not numbers that it cannot read."""
    rng = np.random.default_rng(0)
    columns = {"t": rng.integers(0, 2, 40), **{name: rng.random(40).round(3) for name in "xy"}}
    frame = pd.DataFrame(columns).astype({"x": str})
    path = tmp_path / f"t.{ending}"

    def judged(text: str, **options: Any) -> Any:
        frame.loc[3, "x"] = text
        if ending == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_json(path, orient="records", lines=True)
        return adjudge.evaluate(path, **roles, **options)

    for options in ({}, {"missing": "drop"}):
        with pytest.raises(InputError, match=f"column 'x' has '{cell}', which is not a") as found:
            judged(cell, **options)
        assert "missing=" not in str(found.value)
    assert judged("", missing="drop").n == judged("NA", missing="drop").n == 39


def test_a_sign_of_a_missing_number_is_a_gap_and_what_cannot_be_read_is_not(tmp_path):
    """A detection limit, such as <0.01, is no missing value."""
    rng = np.random.default_rng(0)
    for cell, is_gap in (
        ("?", True),
        ("n.a.", True),
        ("-", True),
        ("<0.01", False),
        ("0,02", False),
        ("1.2.3", False),
        ("high", False),
    ):
        path = tmp_path / "t.csv"
        rows = [f'{i % 2},"{cell if i == 7 else round(rng.random(), 3)}"' for i in range(40)]
        path.write_text("truth,p\n" + "\n".join(rows) + "\n")
        for options in ({"probabilities": "p"}, {"scores": "p"}):
            call = partial(
                adjudge.evaluate, path, truth="truth", kind="classification", missing="drop", **options
            )
            if is_gap:
                assert call().n == 39, cell
            else:
                with pytest.raises(adjudge.InputError, match=r"row 8|decimal comma"):
                    call()


def test_duckdb_reads_no_thousands_as_decimals(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "t.csv").write_text("x;y\n1,5;a\n")
    number = open_table(tmp_path / "t.csv", ",").number_in_sql("x")  # type: ignore[attr-defined]
    read = [
        duckdb.execute(f"SELECT {number} FROM (SELECT '{text}' AS x)").fetchone()[0]
        for text in ("1,5", " 7\t", "NA")
    ]
    assert read == [1.5, 7.0, None]
    with pytest.raises(duckdb.ConversionException, match="21x000"):
        duckdb.execute(f"SELECT {number} FROM (SELECT '21.000' AS x)").fetchone()
