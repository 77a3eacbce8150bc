"""HTML -> text by the systems that we are measured beside (extra `peers`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trafilatura
from resiliparse.extract.html2text import extract_plain_text


def by_trafilatura(html: str) -> str:
    """The text of `trafilatura.extract` with its defaults."""
    return trafilatura.extract(html) or ""


def by_resiliparse(html: str) -> str:
    """The text of resiliparse's main content extraction."""
    return str(extract_plain_text(html, main_content=True) or "")


PEERS: Mapping[str, Callable[[str], str]] = {
    "trafilatura": by_trafilatura,
    "resiliparse": by_resiliparse,
}
