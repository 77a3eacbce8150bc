"""How Sphinx builds the documentation site; run from the root: `make docs`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "site")]

from notebooks import as_markdown  # noqa: E402
from pygments.lexers import TextLexer  # noqa: E402
from reference import with_reference  # noqa: E402

from crfclean._version import __version__  # noqa: E402

project = "crfclean"
author = "crfclean developers"
copyright = author  # noqa: A001
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
include_patterns = ["docs/**", "CHANGELOG.md", "eval/FINDINGS.md", "packaging/upstream/README.md"]
include_patterns += [
    f"{room}{way}README.md" for room in ("eval", "models", "data") for way in ("/", "/*/")
]
exclude_patterns = ["build", "crfclean", "native", "tests", ".*", "**/__pycache__"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_member_order = "bysource"
highlight_language = "none"
smartquotes = False
default_role = "code"  # as docstrings mark code

man_pages = [("docs/cli", "crfclean", "web pages to clean text", [author], 1)]
man_show_urls = False

html_theme = "furo"
html_title = "crfclean"
html_logo = "pictures/logo.svg"
html_favicon = "../crfclean/static/icon.svg"
html_theme_options = {"sidebar_hide_name": True}  # the logo has it
urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
if "Source" in urls:  # the links "View this page" and "Edit this page"
    html_theme_options |= {"source_repository": urls["Source"], "source_branch": "main"}
html_extra_path = ["site/index.html"]
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

ACCESSIBLE = {
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Site">',
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    "<pre>": '<pre tabindex="0">',  # for the keyboard to scroll it
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}
"""What is written -> what the keyboard and screen readers need; site.css has more."""


def make_accessible(app: Sphinx, _error: Exception | None) -> None:
    """Mend the written pages: the templates and captions of others have no options for it."""
    for page in Path(app.outdir).rglob("*.html"):
        html = page.read_text("utf-8")
        for written, needed in ACCESSIBLE.items():
            html = html.replace(written, needed)
        page.write_text(html, "utf-8")


def setup(app: Sphinx) -> None:
    """Fill in the reference, which is made from the commands and the schemas."""

    def fill_in(_app: Sphinx, name: str, source: list[str]) -> None:
        if name.startswith("docs/notebooks/"):
            source[0] = as_markdown(source[0])
        source[0] = with_reference(source[0])

    app.connect("source-read", fill_in)
    app.connect("build-finished", make_accessible)
    app.add_lexer("screen", TextLexer)
