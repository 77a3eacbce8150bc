"""Tell HTML from other files by its first bytes."""

from __future__ import annotations

import re

from crfclean.page.decode import is_binary, without_mark
from crfclean.page.mhtml import is_mhtml

SNIFF_BYTES = 65_536  # read from a file: templates may begin with thousands of empty lines

_SKIPPED = re.compile(r"[\s\0\ufeff]+|<!--.*?-->|<\?xml[^<>]*>", re.DOTALL | re.IGNORECASE)
"""White space, comments and declarations before the first tag of a page."""

_SURE = re.compile(r"<!doctype(?:\s+html\b|\s*>)|<(?:html|head|body|frameset)[\s>]", re.IGNORECASE)
"""Beginnings that only pages have."""

_TAGS = (
    "a abbr address article aside b base basefont blockquote br button center dd details dialog "
    "dir div dl dt em fieldset figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i iframe "
    "img input label legend li link main menu meta nav noscript ol p pre script section select "
    "small span strong style table tbody td template textarea th thead title tr tt u ul video"
)
_LIKELY = re.compile(rf"<(?:{_TAGS.replace(' ', '|')})(?:\s[^<>]*)?/?>", re.IGNORECASE)
"""Beginnings of a piece of a page, but also of a README or a component of a program."""

_LATE = re.compile(r"^[ \t]*<(?:!doctype\s+html\b|html[\s>])", re.IGNORECASE | re.MULTILINE)
"""Beginnings of a page below a server's warning or header."""

_CODE = re.compile(r"[{}\[\]\"'#;@(*%]|//|/\*|<[?%!]|<svg\b|(?:import|from|package|var|const)\s")
"""Beginnings of files that quote a line of HTML."""

OTHER_SUFFIXES = frozenset(
    ".adoc .atom .bib .c .cfg .conf .cpp .cs .css .csv .ejs .eml .erb .go .h .hbs .ini .j2 .java "
    ".js .json .jsonl .jsx .less .lock .log .lua .map .md .mdx .mjs .mustache .njk .opml .php3src "
    ".pl .po .py .r .rb .rdf .rs .rss .rst .sass .scss .sh .sql .svelte .svg .tex .toml .ts .tsv "
    ".tsx .txt .vtt .vue .wsdl .xml .xsd .xsl .xslt .yaml .yml".split()
)
"""Suffixes of files that count as pages only if `_SURE` matches."""


def is_html(head: bytes, suffix: str = "") -> bool:
    r"""Return whether the first bytes of a file belong to a page or a web archive (MHTML).

    >>> is_html(b"<?xml version='1.0'?>\n<!-- x --><HTML>"), is_html(b"<?xml version='1.0'?><rss>")
    (True, False)
    >>> is_html(b"<h1>Ferry"), is_html(b"<h1>Ferry", ".md"), is_html(b"var page = '<html>'")
    (True, False, False)
    """
    if is_mhtml(head):
        return True
    text, start, other = _text(head), 0, suffix.lower() in OTHER_SUFFIXES
    while skipped := _SKIPPED.match(text, start):
        other = other or text.startswith("<?", start)  # XML has articles and tables, too
        start = skipped.end()
    if _SURE.match(text, start):
        return True
    if other or is_binary(text) or text.count("\0") > len(text) // 100:
        return False
    if _LIKELY.match(text, start):
        return True
    return not _CODE.match(text, start) and _LATE.search(text, start) is not None


def _text(head: bytes) -> str:
    body, codec = without_mark(head)
    return body.decode(codec or "latin-1", "replace")
