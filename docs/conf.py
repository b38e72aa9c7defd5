"""How the documentation is built: ``make docs`` writes docs/_build/html, and a warning is an error."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent / "tests")]

import adjudge  # noqa: E402

project = "adjudge"
author = "The adjudge developers"
copyright = "the adjudge developers"  # noqa: A001
version = release = adjudge.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "mathml",
    "notebooks",
    "placeholders",
    "index_pages",
]
exclude_patterns = ["_build", "_extensions", "indices/README.md"]
# Pages may be added without an entry in a table of contents, and with tables whose headings are of the third level.
suppress_warnings = ["toc.not_included", "myst.header"]

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "substitution"]
myst_heading_anchors = 3
math_number_all = False
html_math_renderer = "mathml"

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
numpydoc_show_class_members = False

# What is copied is what was typed: neither prompts nor output.
copybutton_exclude = ".linenos, .gp, .go, .gt"

html_theme = "furo"
html_title = f"adjudge {release}"
html_static_path = ["_static"]
html_css_files = ["adjudge.css"]
html_js_files = ["accessible.js"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#225ddc", "color-brand-content": "#225ddc"},
    "dark_css_variables": {"color-brand-primary": "#8fb0ff", "color-brand-content": "#8fb0ff"},
}
# Python first; console sessions say that they are.
highlight_language = "python"
pygments_style = "a11y-light"
pygments_dark_style = "github-dark"
