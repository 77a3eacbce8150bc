"""Recognise pages by the names of their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz", ".xhtml.gz")


def is_page(name: str) -> bool:
    """Return whether a file's name has a suffix of HTML, ignoring case."""
    return name.lower().endswith(HTML_SUFFIXES)


def stem(file: Path) -> str:
    """`x.html` or `x.html.gz` -> `x`; other names lose their last suffix."""
    for suffix in sorted(HTML_SUFFIXES, key=len, reverse=True):
        if file.name.lower().endswith(suffix):
            return file.name[: -len(suffix)]
    return file.stem
