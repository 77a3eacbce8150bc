"""What the pages of one thread have in common, and those of others have not."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from crfclean.forum.pairing import letters

_LEAST_TOPIC = 8  # letters of a title that may name a thread where the page has no address
_QUERY_PAGE = re.compile(r"(?:^|[&;])(?:page|p|pg|start|st|offset|seite|from)=\d+(?=$|[&;])")
_PATH_PAGE = re.compile(
    r"(?:[/-](?:page|seite|strana|pagina|p)[-/]?\d+|/\d{1,3}|[-/]index\d+)?(?:\.html?|/)?$",
    re.IGNORECASE,
)
_TOPIC_PAGE = re.compile(r"((?:^|[&;])topic=\d+)\.(?:\d+|msg\d+|new)")
"""What tells the pages of a thread apart in their addresses; the last is that of SMF."""


def thread_key(url: str, topic: str) -> str:
    """What the pages of a thread have in common: their address without the page; "" for nothing.

    >>> thread_key("https://a.example/t/5/title/page-2#p9", "Tea")
    'https://a.example/t/5/title'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if not parts.netloc:
        title = letters(topic)
        return title if len(title) >= _LEAST_TOPIC else ""
    query = _TOPIC_PAGE.sub(r"\1", _QUERY_PAGE.sub("", parts.query)).lstrip("&;")
    path = _PATH_PAGE.sub("", parts.path) or parts.path
    return f"{parts.scheme}://{parts.netloc}{path}" + (f"?{query}" if query else "")
