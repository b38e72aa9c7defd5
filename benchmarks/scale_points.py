"""Distances between many points in a memory map: time, memory, progress, and resuming after being killed.

Usage: python benchmarks/scale_points.py [--n 1000000] [--p 8] [--interval 60] [--kill-at 0.4] [--write]
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np

import adjudge
from harness import markdown, show_seconds, write_page

INDICES = ["silhouette", "dunn", "mcclain_rao"]
CLUSTERS = 10

CHILD = """
    import json, sys, time
    import numpy as np
    import adjudge
    from adjudge.engines.running import checkpoint
    folder, interval, indices = sys.argv[1], float(sys.argv[2]), sys.argv[3].split(",")
    checkpoint.INTERVAL = interval
    X = np.load(folder + "/X.npy", mmap_mode="r")
    labels = np.load(folder + "/labels.npy")
    def memory(name):
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))
    own, shown = 0, 0.0
    def progress(what, done, total):
        global own, shown
        if time.monotonic() - shown > 1:
            own, shown = max(own, memory("RssAnon")), time.monotonic()
            print(json.dumps({"done": done, "total": total}), flush=True)
    start = time.perf_counter()
    result = adjudge.evaluate(X=X, labels=labels, indices=indices, checkpoint=folder + "/pass.npz", progress=progress)
    print(json.dumps({"seconds": time.perf_counter() - start, "peak": memory("VmHWM"), "own": own,
                      "values": {name: value.hex() for name, value in result.values.items()}}))
"""


def run(folder: Path, interval: float, kill_at: float | None) -> dict[str, object]:
    """Run a process on the points; kill it after a share of the work, if requested."""
    command = [sys.executable, "-c", textwrap.dedent(CHILD), str(folder), str(interval), ",".join(INDICES)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    start = time.perf_counter()
    first_share, last = None, {}
    for line in process.stdout:
        last = json.loads(line)
        if "done" not in last:
            break
        share = last["done"] / last["total"]
        if first_share is None and share > 0:
            first_share = share
        print(f"  {share:6.1%} after {time.perf_counter() - start:.0f} s", flush=True)
        if kill_at is not None and share >= kill_at:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return {"killed at": share, "seconds": time.perf_counter() - start}
    if process.wait() != 0:
        raise SystemExit("the run failed")
    return {**last, "began at": first_share}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--p", type=int, default=8)
    parser.add_argument("--interval", type=float, default=60.0)
    parser.add_argument("--kill-at", type=float, default=0.4)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/scale_points.md")
    given = parser.parse_args()
    planned = adjudge.plan(given.n, given.p, CLUSTERS, indices=INDICES)
    print(planned)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rng = np.random.default_rng(0)
        labels = rng.integers(0, CLUSTERS, given.n)
        X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float64, (given.n, given.p))
        centres = rng.normal(size=(CLUSTERS, given.p)) * 4
        for first in range(0, given.n, 1 << 16):
            some = labels[first : first + (1 << 16)]
            X[first : first + some.size] = centres[some] + rng.normal(size=(some.size, given.p))
        X.flush()
        del X
        np.save(folder / "labels.npy", labels)
        killed = run(folder, given.interval, given.kill_at)
        resumed = run(folder, given.interval, None)
        whole = run(folder, given.interval, None)
    if resumed["values"] != whole["values"]:
        raise SystemExit("the resumed run gives other digits")
    rows = [
        ["points, variables, clusters", f"{given.n:,}, {given.p}, {CLUSTERS}"],
        ["foretold by `plan`", show_seconds(planned.seconds)],
        ["in one go", show_seconds(float(str(whole["seconds"])))],
        [
            "killed (SIGKILL)",
            f"at {killed['killed at']:.0%}, after {show_seconds(float(str(killed['seconds'])))}",
        ],
        [
            "resumed",
            f"at {resumed['began at'] or 0:.0%}, took {show_seconds(float(str(resumed['seconds'])))}",
        ],
        ["memory of its own, at most", f"{int(str(whole['own'])) / 1e6:,.0f} MB"],
        ["memory with mapped files, at most", f"{int(str(whole['peak'])) / 1e6:,.0f} MB"],
        ["digits", "the same for both"],
    ]
    body = f"{', '.join(INDICES)}, from a memory map.\n\n" + markdown(["what", "measured"], rows)
    if given.write:
        write_page("scale_points", "Distances between a million points", body)
    else:
        print(body)


if __name__ == "__main__":
    main()
