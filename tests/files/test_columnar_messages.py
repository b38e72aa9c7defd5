"""What a reader says of a file is passed on whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.files.columnar import ArrowTable


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("reading it needs the package 'pyarrow'", "package 'pyarrow'"), ("'no such column'", "no such column")],
)
def test_quotes_at_the_end_of_a_message_stay(tmp_path: Path, said: str, wanted: str) -> None:
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "a.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.schema([("x", pa.int64())])):
        pass
    table = ArrowTable(path, "arrow")

    def fail() -> None:
        raise OSError(said)

    with pytest.raises(InputError) as caught:
        table._guarded(fail)
    assert str(caught.value).endswith(f"{wanted}")
