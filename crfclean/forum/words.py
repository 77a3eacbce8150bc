"""`Records` -> the words of each post without what frames them, and the title of their thread."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from crfclean.forum.outline import Outline, masked
from crfclean.forum.records import Records
from crfclean.types import Bools, Ints

_FRAME = 0.6  # share of the posts that end with a line, from which it is none of theirs
_MAX_HEADINGS = 20  # of a page that may be the title
_SIGNED = 8  # lines that a signature has at most, its rule included

_SIGNATURE = re.compile(r"^(?:_{5,}|--(?: |$))")
_PARTED = re.compile(r" [|»·–—-] |\s::\s")


def repeated(records: Records, drop: Bools) -> frozenset[str]:
    """The masked lines that most posts, of three or more, end with."""
    page, counts = records.page, Counter[str]()
    for node in records.bodies.tolist():
        lines = page.lines(int(page.first[node]), int(page.last[node]), drop)
        counts.update({masked(line) for line in lines[-3:]})
    least = max(2.5, _FRAME * len(records))
    return frozenset(line for line, count in counts.items() if count > least)


def trimmed(lines: Sequence[str], frame: frozenset[str]) -> list[str]:
    """The lines of a post without its signature, and without what ends all posts.

    >>> trimmed(["Yes.", "_______", "Ann, Leeds", "Reply"], frozenset(["reply"]))
    ['Yes.']
    """
    kept = _unsigned(lines)
    while len(kept) > 1 and masked(kept[-1]) in frame:
        kept.pop()
    return kept


def _unsigned(lines: Sequence[str]) -> list[str]:
    """The lines before a signature's rule, if any stand there."""
    for place, line in enumerate(lines):
        if place and _SIGNATURE.match(line) and len(lines) - place <= _SIGNED:
            return list(lines[:place])
    return list(lines)


def topic(page: Outline, start: Ints) -> str:
    """The thread's title: the `h1` before or around the first post, else the page's own title."""
    limit = int(start[0]) if len(start) else len(page.page.runs.texts)
    nodes = page.page.nodes
    for tag in ("h1", "h2"):
        headings = [node for node, name in enumerate(nodes.tags) if name == tag]
        for node in headings[:_MAX_HEADINGS]:
            text = " ".join(page.text(node).split()) if page.first[node] <= limit else ""
            if text and _is_of_title(text, page.page.title):
                return text
    return _PARTED.split(page.page.title)[0].strip()


def _is_of_title(text: str, title: str) -> bool:
    """Whether a heading is in the page's title, or there is none to compare it with."""
    return not title or text.lower()[:40] in title.lower() or title.lower()[:20] in text.lower()
