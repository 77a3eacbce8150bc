"""Author and date in the first or the last line of posts, as in `lee says: ...`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from crfclean.forum.dates import core_of
from crfclean.forum.gold import letters
from crfclean.forum.outline import looks_like_date
from crfclean.forum.thread import Post
from crfclean.lexicon import lexicon

_MAX_HEAD = 120  # characters of a line that may name author and date
_MAX_NAME = 40  # characters
_MAX_NAME_WORDS = 4
_FEWEST = 3  # posts
_MOST = 0.8  # share of the posts that have such a line
_DATE = "\0"  # stands for the date in a line


@dataclass(frozen=True, slots=True)
class Byline:
    """What a line says of a post, its text, and the post's words behind that."""

    author: str
    date: str
    text: str
    rest: str = ""


def with_bylines(page_posts: Sequence[Post], lines: Sequence[Sequence[str]]) -> list[Post]:
    """Posts with the author and the date that a line names, without that line.

    `lines` are the four of each post that may name them: its first, that before it, its last, and
    that behind it. A line of another author than the page has beside the post is a quote.
    """
    return [
        post
        if line is None or letters(post.author) not in {"", letters(line.author)}
        else replace(
            post,
            author=post.author or line.author,
            date=post.date or line.date,
            text=_without(line, post.text),
            full=_without(line, post.full),
        )
        for post, line in zip(page_posts, bylines(lines), strict=True)
    ]


def _without(line: Byline, text: str) -> str:
    """A text without what is left of a byline in its first or last line."""
    lines = text.split("\n")
    for at in (0, -1):
        lines[at] = line.rest if lines[at] in line.text else lines[at]
    return "\n".join(filter(None, lines))


def bylines(posts_lines: Sequence[Sequence[str]]) -> list[Byline | None]:
    """The line of each post that names author and date, at a place where nearly all have one.

    >>> lines = [[f"{name} says: Tea."] for name in ("lee", "ann", "bo")]
    >>> [line and (line.author, line.rest) for line in bylines(lines)]
    [('lee', 'Tea.'), ('ann', 'Tea.'), ('bo', 'Tea.')]
    """
    for at, column in enumerate(zip(*posts_lines, strict=True)):
        read = [_head(line) if at == 0 else _whole(line) for line in column]
        named = [line for line in read if line]
        is_common = len(named) >= max(_FEWEST, _MOST * sum(map(bool, column)))
        if is_common and len({line.author for line in named}) > 1:
            return read
    return [None] * len(posts_lines)


def _whole(line: str) -> Byline | None:
    """A line that has nothing else, as in `Posted by: lee at May 3, 2008`."""
    head = _head(line)
    return head if head and head.date and not head.rest else None


def _head(line: str) -> Byline | None:
    """The name and the date that a line begins with, and the words behind them."""
    shown = core_of(line[:_MAX_HEAD])
    date = shown if looks_like_date(shown) else ""
    match = _pattern().match(line.replace(date, _DATE, 1) if date else line)
    if not match or len(match["name"].split()) > _MAX_NAME_WORDS:
        return None
    is_dated = _DATE in match[0][: match.start("rest") - match.start()]
    if not (match["said"] or is_dated):
        return None
    name, rest = match["name"].strip(), match["rest"].replace(_DATE, date)
    return Byline(name, date if is_dated else "", line, rest)


@cache
def _pattern() -> re.Pattern[str]:
    words = lexicon()
    by = words.pattern(lambda language: language.forum.byline)
    said = words.pattern(lambda language: language.forum.said)
    on = words.pattern(lambda language: language.dates.before_date)
    at = words.pattern(lambda language: language.dates.before_clock)
    gap = rf"(?:[\s,|()·»–-]|(?:{on}|{at}|at)\b)*"
    return re.compile(
        rf"(?:(?P<by>(?:{by})\b:?)\s*)?(?P<name>\w[^\0:?!]{{0,{_MAX_NAME}}}?)[\s,]*"
        rf"(?P<said>\b(?:{said})\b)?{gap}{_DATE}?[)\s]*(?:(?P<colon>:)\s*|$)(?P<rest>.*)",
        re.IGNORECASE | re.DOTALL,
    )
