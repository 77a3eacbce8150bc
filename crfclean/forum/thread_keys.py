"""What the pages of one thread have in common, and those of others have not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from crfclean.forum.pairing import letters
from crfclean.metadata.candidates import absolute
from crfclean.metadata.meta import meta_candidates
from crfclean.types import Blocks

_LEAST_TOPIC = 8  # letters of a title that may name a thread where the page has no address
_QUERY_PAGE = re.compile(
    r"(?:^|[&;])(?:page|pg|start|st|offset|seite|pagina|strana)=(\d{1,6})(?=$|[&;])", re.IGNORECASE
)
_SESSION = re.compile(r"(?:^|[&;])(?:sid|s|phpsessid)=[0-9a-f]{16,}(?=$|[&;])", re.IGNORECASE)
_PATH_PAGE = re.compile(
    r"(?:[/-](?:page|seite|strana|pagina|p)[-/]?|[-/]index)(\d{1,6})(?=(?:\.html?|/)?$)",
    re.IGNORECASE,
)
_TOPIC_PAGE = re.compile(r"((?:^|[&;])topic=\d+)\.(\d+|msg\d+|new)")
"""What tells the pages of a thread apart in their addresses; the last is that of SMF."""

_BARE_PAGE = re.compile(r"(?<=[^/])/(\d{1,5})/?$")
"""A number alone at the end: a page (`/t/title/1205/20`), but as well a thread (`/t/12`)."""

_END = re.compile(r"(?:\.html?|/)$", re.IGNORECASE)
_THREAD_NAME = re.compile(r"\d|[^/]-[^/]|_|%[0-9a-f]{2}|^/[^?]+/[^/?.]+/?\?$", re.IGNORECASE)
"""Signs that what is left of an address without its page names a thread, not a list or a script."""

_TOPIC_MARK = re.compile(
    r"[\s|,:(\[–—-]+(?:page|seite|strona|strana|stránka|pagina|página|sivu|sida|side|oldal|sayfa|"
    r"стр|страница|ページ|页|第)\W{0,2}\d{1,5}(?:\D{1,8}\d{1,5})?\W*$",
    re.IGNORECASE,
)
"""The number of a page at the end of a title."""


_STATED = ("link canonical", "meta og:url")
"""Where a page names its own address, the surest first."""


@dataclass(frozen=True, slots=True)
class PageKey:
    """How a page is known to belong to a thread.

    Pages with one `thread` are of one thread; "" where the page has no address, or one without
    anything that names a thread. `maybe` is what all pages of a thread share, and other threads
    may have as well; "" for a page that shares nothing. `number` of the page is 0 if unknown.
    """

    thread: str
    maybe: str
    number: int = 0


def page_key(url: str, topic: str) -> PageKey:
    """The key of the page at an address, whose thread has this title.

    >>> page_key("https://a.example/t/tea.5/page-2#p9", "Tea or coffee")
    PageKey(thread='https://a.example/t/tea.5 teaorcoffee', maybe=..., number=2)
    >>> page_key("https://a.example/t/tea/1205/20", "Tea").maybe
    'https://a.example/t/tea/1205 tea'
    """
    title = letters(_TOPIC_MARK.sub("", topic))
    try:
        parts = urlsplit(url)
    except ValueError:
        return PageKey("", "")
    if not parts.netloc:
        return PageKey("", f" {title}" if len(title) >= _LEAST_TOPIC else "")
    site = f"{parts.scheme}://{parts.netloc.lower()}"
    path, query, number = _without_page(parts)
    thread = f"{site}{_END.sub('', path)}{query and '?'}{query} {title}"
    bare = _BARE_PAGE.search(path)
    if bare and not query and re.search(r"\d", path[: bare.start()]):
        return PageKey(thread, f"{site}{path[: bare.start()]} {title}", int(bare[1]))
    return PageKey(thread, thread, number)


def _without_page(parts: SplitResult) -> tuple[str, str, int]:
    """Path and query of an address without the number of its page, and this number.

    Where nothing that names a thread would be left, as of `/?page=2`, the number stays.
    """
    query = _SESSION.sub("", parts.query)
    marks = [_QUERY_PAGE.search(query), _PATH_PAGE.search(parts.path)]
    number = next((int(mark[1]) for mark in marks if mark), 0)
    smf = _TOPIC_PAGE.search(query)
    if smf:
        number = int(smf[2]) if smf[2].isdigit() else 0
    bare_query = _TOPIC_PAGE.sub(r"\1", _QUERY_PAGE.sub("", query)).lstrip("&;")
    bare_path = _PATH_PAGE.sub("", parts.path) or parts.path
    if number and not _THREAD_NAME.search(f"{bare_path}?{bare_query}"):
        return parts.path, query, 0
    return bare_path, bare_query, number


def stated_address(page: Blocks) -> str:
    """The absolute address that a page gives as its own, "" if it gives none."""
    stated = {value.source: value.texts[0] for value in meta_candidates(page)}
    addresses = (absolute(stated[source], "") for source in _STATED if source in stated)
    return next(filter(None, addresses), "")
