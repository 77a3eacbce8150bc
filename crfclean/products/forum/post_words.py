"""The words of each post without its signature, and the thread's title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crfclean.products.forum.outline import Outline
from crfclean.types import Ints

_MAX_HEADINGS = 20  # of a page, searched for the title
_MAX_SIGN = 2  # characters of a sign at the start of a page's title, such as a tick, with a space
_SIGNED = 8  # most lines of a signature, its rule included

_SIGNATURE = re.compile(r"^(?:_{5,}|--(?: |$))")
_PARTED = re.compile(r" [|»·–—-] |\s::\s")


def unsigned(lines: Sequence[str]) -> list[str]:
    """Return a post's lines without its signature, which begins with a line of signs.

    `-- Ann` begins a signature only in the last line, since items of lists look like it.

    >>> unsigned(["Yes.", "_______", "Ann, Leeds"])
    ['Yes.']
    """
    for place, line in enumerate(lines):
        most = 1 if line.startswith("-- ") else _SIGNED
        if place and _SIGNATURE.match(line) and len(lines) - place <= most:
            return list(lines[:place])
    return list(lines)


def topic(outline: Outline, start: Ints) -> str:
    """Return the thread's title: a heading up to the first post, else the page's title.

    The heading must agree with the page's title. Of several such headings, the one that comes
    first in the title counts: the title ends with the site's name, which may be a heading, too.
    """
    limit = int(start[0]) if len(start) else len(outline.page.table.run_texts)
    table = outline.page.table
    places = dict[str, int]()
    for tag in ("h1", "h2"):
        headings = [node for node, name in enumerate(table.tags) if name == tag]
        for node in headings[:_MAX_HEADINGS]:
            text = " ".join(outline.text(node).split()) if outline.first[node] <= limit else ""
            if text and (place := _place_in_title(text, outline.page.title)) >= 0:
                places.setdefault(text, place)
    if places:
        return min(places, key=lambda text: places[text])
    return _PARTED.split(outline.page.title)[0].strip()


def _place_in_title(text: str, title: str) -> int:
    """Find a heading in the page's title: its place, 0 without a title, -1 if they disagree.

    A sign before it, such as a tick or a bracket, is ignored.
    """
    text, title = text.lower(), title.lower()
    place = 0 if title[:20] in text else title.find(text[:40])
    return 0 if 0 < place <= _MAX_SIGN else place
