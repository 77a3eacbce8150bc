"""Which libxml2 is inside lxml, and what that means for the texts of pages."""

from __future__ import annotations

import warnings
from functools import cache

from lxml import etree

from crfclean.types import OldParserWarning

LEAST = (2, 14)
"""The least version that reads broken pages as browsers do.

Earlier ones lose "b" of `<p>a<!--><p>b` and of `a</body></html><html><body>b`: of 2,414 pages, 32
texts differed, and four were empty. lxml's wheels for Windows have libxml2 2.11.
"""

COMPARED = ((2, 14), (2, 15))
"""Versions that give equal tables, so that the core may call them without lxml.

2.15 was compared on 1,279 pages of 22 sets, and its parser was run under sanitizers.
"""


def _number() -> str:
    return ".".join(map(str, etree.LIBXML_VERSION))


def old_parser() -> str:
    """Say what a libxml2 older than `LEAST` does, and how to get a newer one; "" for others."""
    if etree.LIBXML_VERSION >= LEAST:
        return ""
    return (
        f"the parser inside lxml here (libxml2 {_number()}) loses text of broken pages, sometimes "
        "all of it: crfclean needs libxml2 2.14 or newer. On Linux and macOS, lxml's wheels have "
        "it: pip install --force-reinstall --only-binary lxml lxml; on Windows, use WSL"
    )


@cache
def warn_of_old_parser() -> None:
    """Warn once a process if the parser loses text."""
    if text := old_parser():
        warnings.warn(text, OldParserWarning, stacklevel=2)


def slow_parser(*, called_directly: bool) -> str:
    """Say what it costs that pages are read through lxml; "" if they are not, or lose text."""
    if called_directly or old_parser():
        return ""
    is_known = etree.LIBXML_VERSION[:2] in COMPARED
    texts = "the results are the same" if is_known else "texts of broken pages may differ"
    why = "cannot be called directly here" if is_known else "was not compared with known versions"
    return (
        f"the parser inside lxml (libxml2 {_number()}) {why}: {texts}, a page takes about a third "
        "longer"
    )
