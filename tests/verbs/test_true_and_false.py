"""True and False are the same classes at every door, and options may name them as words."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge

TRUE = np.arange(60) % 3 == 0
SAID = np.where(np.arange(60) % 7 == 0, ~TRUE, TRUE)
TABLE = pl.DataFrame({"t": TRUE, "p": SAID, "s": np.where(SAID, 0.8, 0.3) + np.arange(60) / 600})
WRITERS = {"csv": "write_csv", "jsonl": "write_ndjson", "parquet": "write_parquet"}


@pytest.mark.parametrize("positive", [True, "True", "true", "TRUE", False, "false", 1])
@pytest.mark.parametrize("ending", WRITERS)
def test_files_and_arrays_agree(ending: str, positive: Any, tmp_path: Path) -> None:
    path = tmp_path / f"t.{ending}"
    getattr(TABLE, WRITERS[ending])(path)
    options: dict[str, Any] = {
        "kind": "classification", "positive": positive, "indices": ["f1", "roc_auc", "log_loss"],
    }  # fmt: skip
    wanted = adjudge.evaluate(TRUE, SAID, probabilities=TABLE["s"].to_numpy(), **options).values
    columns = {"truth": "t", "pred": "p", "probabilities": "s"}
    assert adjudge.evaluate(path, **columns, **options).values == pytest.approx(wanted)
    assert adjudge.evaluate(TABLE, **columns, **options).values == pytest.approx(wanted)


def test_classes_and_shares_are_named_as_words_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    TABLE.write_parquet(path)
    asked: dict[str, Any] = {"truth": "t", "pred": "p", "kind": "classification", "indices": "accuracy"}
    named = adjudge.evaluate(path, **asked, classes=["true", "false"], prevalence={"true": 0.1, "false": 0.9})
    assert named.values == adjudge.evaluate(TABLE, **asked, prevalence=0.1, positive=True).values
    with pytest.raises(adjudge.InputError, match="'yes' is not a class: the true labels are True and False"):
        adjudge.evaluate(path, **asked, positive="yes")
