"""Run scikit-learn's own tests, from the installed package, with its names bound to adjudge's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import adjudge

HERE = Path(__file__).parent


def run_modules(modules: Sequence[str], folder: Path, *options: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Run modules of scikit-learn's tests: by module and test, its outcome, its message, and calls of adjudge."""
    folder.joinpath("pytest.ini").write_text("[pytest]\n", "utf-8")
    outcomes = folder / "outcomes.json"
    source = Path(adjudge.__file__).parents[1]
    environment = {
        **os.environ,
        "ADJUDGE_OUTCOMES": str(outcomes),
        "PYTHONPATH": os.pathsep.join(map(str, (HERE / "peer", source, os.environ.get("PYTHONPATH", "")))),
    }
    plugins = ["-p", "no:cacheprovider", "-p", "adjudge_for_scikit_learn"]
    settings = ["-q", "-c", str(folder / "pytest.ini"), "--rootdir", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *settings, *options, "--pyargs"]
        + [f"sklearn.{module}" for module in modules],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(outcomes.read_text("utf-8"))
    assert set(found) == set(modules)
    return found
