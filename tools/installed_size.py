"""Print how many packages an installation has and how large they are: without extras, with each, and with all of them.

Packages are counted as they are installed beside this Python, so it needs the extras.
"""

import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import adjudge


def main(extras: list[str]) -> None:
    """Write one row of a table for each extra."""
    bare = needed("adjudge")
    print("| installed | packages | MB |\n| --- | --- | --- |")
    print(f"| `adjudge` | {len(bare)} | {megabytes(bare):.0f} |")
    for extra in extras:
        more = needed("adjudge", extra) - bare
        print(f"| `adjudge[{extra}]` | +{len(more)} | +{megabytes(more):.0f} |")


def needed(name: str, extra: str = "", found: set[str] | None = None) -> set[str]:
    """Return the distributions that one needs, and itself."""
    found = set() if found is None else found
    found.add(canonicalize_name(name) + (f"[{extra}]" if extra else ""))
    for line in metadata.requires(name) or []:
        required = Requirement(line)
        if required.marker and not required.marker.evaluate({"extra": extra}):
            continue
        for more in ("", *required.extras):
            if canonicalize_name(required.name) + (f"[{more}]" if more else "") not in found:
                needed(required.name, more, found)
    return {one.partition("[")[0] for one in found}


def megabytes(names: set[str]) -> float:
    """Return the size of what distributions have installed, bytecode included."""
    package = Path(adjudge.__file__).parent  # in a checkout, the distribution lists none of its files
    listed = {path.locate() for name in names - {"adjudge"} for path in metadata.files(name) or []}
    own = set(package.rglob("*")) if "adjudge" in names else set()
    return sum(Path(path).stat().st_size for path in listed | own if Path(path).is_file()) / 1e6


if __name__ == "__main__":
    main(sys.argv[1:] or ["plot", "files", "excel", "pandas", "polars", "arrow", "duckdb", "dask", "all"])
