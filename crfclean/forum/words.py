"""The words of each post without the lines that frame them, and the thread's title."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from crfclean.forum.outline import Outline, masked
from crfclean.forum.records import Records
from crfclean.types import Bools, Ints

_FRAME = 0.6  # share of the posts that end with a line, above which it frames them, as `Reply` does
_MAX_HEADINGS = 20  # of a page, searched for the title
_MAX_SIGN = 2  # characters of a sign at the start of a page's title, with the space after it
_SIGNED = 8  # most lines of a signature, its rule included

_SIGNATURE = re.compile(r"^(?:_{5,}|--(?: |$))")
_PARTED = re.compile(r" [|»·–—-] |\s::\s")


def repeated(records: Records, drop: Bools) -> frozenset[str]:
    """Return the masked lines that most posts, of three or more, end with."""
    page, counts = records.page, Counter[str]()
    for node in records.bodies.tolist():
        lines = page.lines(int(page.first[node]), int(page.last[node]), drop)
        counts.update({masked(line) for line in lines[-3:]})
    least = max(2.5, _FRAME * len(records))
    return frozenset(line for line, count in counts.items() if count > least)


def trimmed(lines: Sequence[str], frame: frozenset[str]) -> list[str]:
    """Remove a post's signature, and the lines that most posts end with.

    >>> trimmed(["Yes.", "_______", "Ann, Leeds", "Reply"], frozenset(["reply"]))
    ['Yes.']
    """
    kept = _unsigned(lines)
    while len(kept) > 1 and masked(kept[-1]) in frame:
        kept.pop()
    return kept


def _unsigned(lines: Sequence[str]) -> list[str]:
    """Lines before the rule of a signature, if there is one after the first line."""
    for place, line in enumerate(lines):
        if place and _SIGNATURE.match(line) and len(lines) - place <= _SIGNED:
            return list(lines[:place])
    return list(lines)


def topic(page: Outline, start: Ints) -> str:
    """Return the thread's title: a heading up to the first post, else the page's title.

    Of the headings that agree with the page's title, the one that stands first in it: the title
    ends with the name of the site, which is often a heading of its own.
    """
    limit = int(start[0]) if len(start) else len(page.page.runs.texts)
    nodes = page.page.nodes
    places = dict[str, int]()
    for tag in ("h1", "h2"):
        headings = [node for node, name in enumerate(nodes.tags) if name == tag]
        for node in headings[:_MAX_HEADINGS]:
            text = " ".join(page.text(node).split()) if page.first[node] <= limit else ""
            if text and (place := _place_in_title(text, page.page.title)) >= 0:
                places.setdefault(text, place)
    if places:
        return min(places, key=lambda text: places[text])
    return _PARTED.split(page.page.title)[0].strip()


def _place_in_title(text: str, title: str) -> int:
    """Where a heading stands in the page's title, 0 on a page without one; -1: it disagrees.

    A sign before it, as a tick or a bracket, does not count.
    """
    text, title = text.lower(), title.lower()
    place = 0 if title[:20] in text else title.find(text[:40])
    return 0 if 0 < place <= _MAX_SIGN else place
