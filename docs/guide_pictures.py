"""Draw the pictures of the guides from their own examples: ``python docs/guide_pictures.py`` writes docs/images.

Before a picture, a guide has the call in a comment: ``<!-- picture: adjudge.displays.X.from_result(y).plot() -->``.
The call reads what the examples above it have made, and the page shows it under the picture.
"""

from __future__ import annotations

import doctest
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS / "_extensions")]

from gallery import save  # noqa: E402
from pictures import GUIDE_PICTURE  # noqa: E402

import adjudge  # noqa: E402

_EXAMPLES = re.compile(r"^```python\n(>>>.*?)^```$", re.DOTALL | re.MULTILINE)


def after_examples(text: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run the examples of a piece of a page, and return the names that they leave."""
    for block in _EXAMPLES.findall(text):
        for example in doctest.DocTestParser().get_examples(block):
            if example.exc_msg is None:
                exec(compile(example.source, "a guide", "exec"), names)
    return names


def pictures(page: Path) -> Iterator[tuple[str, Any]]:
    """Yield each picture of a guide: the name of its file, and the display that was drawn."""
    text, names, start = page.read_text("utf-8"), {"adjudge": adjudge}, 0
    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # examples write files
        for found in GUIDE_PICTURE.finditer(text):
            after_examples(text[start : found.start()], names)
            start = found.end()
            yield found[3], eval(found[1], names)


def main() -> None:
    """Write the pictures of all guides, or of those that are named."""
    for page in sorted((DOCS / "guide").glob("*.md")):
        if not sys.argv[1:] or page.stem in sys.argv[1:]:
            for name, display in pictures(page):
                save(display.figure_, DOCS / "images" / name)


if __name__ == "__main__":
    main()
