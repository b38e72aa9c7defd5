"""Time callables fairly, and write the tables of docs/benchmarks."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"


@dataclass(frozen=True)
class Timing:
    """Seconds of one callable over several runs."""

    median: float
    smallest: float

    def __str__(self) -> str:
        return show_seconds(self.median)


def show_seconds(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def timed(function: Callable[[], Any], *, budget: float = 3.0, most: int = 50) -> Timing:
    """Run until `budget` seconds or `most` runs are used up (at least once), after a warm-up run if that is cheap."""
    start = time.perf_counter()
    function()
    first = time.perf_counter() - start
    runs = [first] if first > budget / 3 else []
    while not runs or (len(runs) < most and sum(runs) + runs[-1] < budget):
        start = time.perf_counter()
        function()
        runs.append(time.perf_counter() - start)
    return Timing(statistics.median(runs), min(runs))


def memory(field: str) -> float:
    """Return this process's memory in MB: "VmHWM" (peak since the last reset) or "VmRSS" (now)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def measured(call: Callable[[], Any]) -> tuple[float, str, float]:
    """Return the least time of up to three runs in 20 s, the memory beyond what was in use, and the value."""
    found = [0.0]
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    time = timed(lambda: found.append(float(call())), budget=20.0, most=3).smallest
    return time, f"{max(0.0, memory('VmHWM') - before):.0f} MB", found[-1]


def fresh_process(code: str, *, env: dict[str, str] | None = None) -> dict[str, Any]:
    """Run code in a new interpreter, and return the JSON object that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **(env or {})},
    )
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        cpu = names[0] if names else cpu
        flags = {
            flag
            for line in info.read_text().splitlines()
            if line.startswith("flags")
            for flag in line.split()
        }
        cpu += " (AVX-512)" if "avx512f" in flags else " (AVX2)" if "avx2" in flags else ""
    packages = ", ".join(f"{p} {version(p)}" for p in ("numpy", "scikit-learn"))
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}"


def markdown(columns: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


class Ratios:
    """How many times as fast adjudge is as other programs, and who is ahead."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str, float]] = []

    def add(self, case: str, peer: str, ratio: float) -> str:
        """Keep a ratio of times, and return it as text."""
        self._found.append((case, peer, ratio))
        return f"{ratio:.3g}x"

    def __str__(self) -> str:
        behind = sorted((ratio, case, peer) for case, peer, ratio in self._found if ratio < 1)
        if not behind:
            return f"adjudge is the fastest in all {len(self._found)} comparisons."
        named = [f"{peer} in {case} ({ratio:.2g}x)" for ratio, case, peer in behind[:8]]
        more = f" and in {len(behind) - 8} more" if len(behind) > 8 else ""
        ahead = len(self._found) - len(behind)
        return (
            f"Ahead of adjudge: {', '.join(named)}{more}; adjudge is ahead in {ahead} of {len(self._found)}."
        )


def write_page(name: str, title: str, body: str) -> None:
    DOCS.mkdir(parents=True, exist_ok=True)
    path = DOCS / f"{name}.md"
    path.write_text(f"# {title}\n\nMeasured on: {machine()}.\n\n{body}\n", encoding="utf-8")
    print(f"{body}\n\nwritten to {path}")
