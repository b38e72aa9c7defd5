"""A notebook that is run: what it shows of results, the bar while work goes on, and a cell that is cancelled."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

START = """
import threading, time
import numpy as np
import adjudge

rng = np.random.default_rng(0)
threads = set(threading.enumerate())
"""
# What is at work a moment after a cell has ended: threads beyond those of the kernel, and the share of a core in use.
LEFT = """
begun = time.process_time()
time.sleep(0.5)
busy = (time.process_time() - begun) / 0.5
ours = ("adjudge", "ThreadPool")
print(sorted(t.name for t in threading.enumerate() if t not in threads and t.name.startswith(ours)))
print("at rest" if busy < 0.3 else f"busy: {busy:.0%} of a core")
"""
LONG = {
    "distances": "adjudge.evaluate(X=rng.normal(size=(400_000, 4)), labels=rng.integers(0, 9, 400_000), "
    "indices='silhouette')",
    "random tables": "adjudge.inference.null_distribution('purity', *rng.integers(0, 40, (2, 200_000)), "
    "n_tables=10**7, method='simulate', random_state=0, progress=True)",
    "choose_k": "adjudge.choose_k(rng.normal(size=(60_000, 3)), random_state=0)",
    "choose_k of repeats": "adjudge.choose_k(rng.normal(size=(1000, 3)), k=[2, 3], indices='ch', stability=10**5)",
}


class Notebook:
    """A kernel, and the cells that it has run."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._interrupt = client.km.interrupt_kernel

    def run(self, source: str, meanwhile: Callable[[Any], None] | None = None) -> list[Any]:
        """Run a cell, and do something else meanwhile; return its outputs."""
        cell = nbformat.v4.new_code_cell(source)
        self._client.nb.cells.append(cell)
        helper = threading.Thread(target=meanwhile or (lambda _: None), args=(cell,))
        helper.start()
        self._client.execute_cell(cell, len(self._client.nb.cells) - 1)
        helper.join()
        return list(cell.outputs)

    def interrupt(self) -> None:
        """As the button does."""
        import asyncio

        asyncio.run(self._interrupt())


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    folder = tmp_path_factory.mktemp("notebook")
    places = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    with pytest.MonkeyPatch.context() as patch:
        for place in places:
            patch.setenv(place, str(folder / place.lower()))
        patch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        client = nbclient.NotebookClient(
            nbformat.v4.new_notebook(),
            timeout=120,
            allow_errors=True,
            resources={"metadata": {"path": folder}},
        )
        with client.setup_kernel():
            found = Notebook(client)
            assert found.run(START) == []
            yield found


def bars(cell: Any) -> list[str]:
    """The text of what is displayed below a cell now."""
    return [o.data["text/plain"] for o in list(cell.outputs) if o.output_type == "display_data"]


def cancel(notebook: Notebook, seen: list[str]) -> Callable[[Any], None]:
    """Return what interrupts a cell once it shows a bar, whose text is noted."""

    def watch(cell: Any) -> None:
        late = time.monotonic() + 60
        while not any(bars(cell)) and time.monotonic() < late:
            time.sleep(0.02)
        seen.extend(bars(cell))
        notebook.interrupt()

    return watch


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="kernels are interrupted in another way here")
@pytest.mark.parametrize("work", LONG)
def test_a_bar_appears_and_a_cancelled_cell_leaves_nothing_running(notebook: Notebook, work: str) -> None:
    seen: list[str] = []
    outputs = notebook.run(LONG[work], cancel(notebook, seen))
    assert len(seen) == 1, outputs
    assert seen[0].endswith(("%", " s", "left")), seen
    assert outputs[-1].output_type == "error"
    assert outputs[-1].ename == "KeyboardInterrupt"
    # The bar is gone.
    assert {text for o in outputs if o.output_type == "display_data" for text in o.data.values()} == {""}
    (said,) = notebook.run(LEFT)
    assert said.text == "[]\nat rest\n"


@pytest.mark.full
def test_the_bar_moves(notebook: Notebook) -> None:
    found: list[str] = []

    def watch(cell: Any) -> None:
        late = time.monotonic() + 60
        while len(found) < 3 and time.monotonic() < late:
            found.extend(text for text in bars(cell) if text and text not in found)
            time.sleep(0.02)

    (output,) = notebook.run(
        """
from adjudge.progress import progress_bar
with progress_bar("Distances & more") as told:
    for i in range(8):
        time.sleep(0.3)
        told(i, 10)
""",
        watch,
    )
    assert len(found) == 3
    assert all(text.startswith("Distances & more: ") for text in found)
    assert output.data == {"text/html": "", "text/plain": ""}


@pytest.mark.full
def test_short_work_shows_no_bar(notebook: Notebook) -> None:
    (output,) = notebook.run("adjudge.evaluate(X=rng.normal(size=(50, 2)), labels=rng.integers(0, 3, 50))")
    assert output.output_type == "execute_result"
    assert notebook.run(
        "adjudge.choose_k(rng.normal(size=(60, 2)), progress=False, random_state=0).k is None"
    )[0].data["text/plain"] in ("True", "False")


@pytest.mark.full
def test_results_are_shown_as_tables(notebook: Notebook, tmp_path: Path) -> None:
    notebook.run(
        "truth = np.repeat([0, 1, 2], 20)\n"
        "models = {'forest & co.': np.where(rng.random(60) < .8, truth, 1), 'halves': truth // 2}\n"
        "X = rng.normal(size=(60, 2)) + 9 * truth[:, None]\n"
        "compared = adjudge.compare(truth, models, kind='classification')"
    )
    for source, words in {
        "adjudge.evaluate(truth, models['halves'], indices='rand')": "rand",
        "compared": "forest &amp; co.",
        "compared['forest & co.', 'halves']": "comparative_deviation",
        "adjudge.choose_k(X, k=range(2, 5), random_state=0, indices=['silhouette', 'ch'])": "silhouette",
        "adjudge.find_index('silhouette')": "[-1, 1]",
    }.items():
        (output,) = notebook.run(source)
        assert set(output.data) == {"text/plain", "text/html"}, source
        assert words in output.data["text/html"], source
        assert output.data["text/html"].startswith('<div class="adjudge">')
    target = tmp_path / "report.html"
    (output,) = notebook.run(
        f"adjudge.report(truth, models, kind='classification', X=X, output={str(target)!r})"
    )
    assert target.is_file()
    assert output.data["text/html"].startswith("<iframe srcdoc=")
