"""Find the lines of posts that name author and date."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.products.forum.dates import core_of
from crfclean.products.forum.outline import folded_words
from crfclean.products.forum.post_dates import looks_like_date
from crfclean.products.forum.thread import Post

_MAX_HEAD = 120  # characters of a line that may name author and date
_MAX_NAME = 40  # characters
_MAX_NAME_WORDS = 4
_FEWEST = 3  # posts
_MOST = 0.8  # share of the posts that have such a line
_DATE = "\0"  # stands for the date in a line


@dataclass(frozen=True, slots=True)
class Byline:
    """Author and date in a line, the whole line, and the post's words after them in that line.

    `is_first` marks the first line of a post.
    """

    author: str
    date: str
    text: str
    rest: str = ""
    is_first: bool = False


def with_bylines(page_posts: Sequence[Post], read: Sequence[Byline | None]) -> list[Post]:
    """Give posts the author and date of their bylines, and remove these lines from the words.

    `read` is what `bylines` returned. A first line that names another author than the page shows
    is a quote. Others count if they agree with most authors.
    """
    names = {line.author for line in read if line}
    fits = [
        line is not None
        and (post.author in line.text or (not line.is_first and post.author in names))
        for post, line in zip(page_posts, read, strict=True)
    ]
    most = 2 * sum(fits) > sum(map(bool, read))
    return [
        _signed(post, line) if line and (fit or (most and not line.is_first)) else post
        for post, line, fit in zip(page_posts, read, fits, strict=True)
    ]


def _signed(post: Post, line: Byline) -> Post:
    is_part = bool(post.author) and post.author in line.author
    return replace(
        post,
        author=post.author if is_part else line.author,
        date=line.date or post.date,
        text=_without(line, post.text),
        full=_without(line, post.full),
    )


def _without(line: Byline, text: str) -> str:
    """A text without the first lines and the last line that have only words of a byline."""
    lines, words = text.split("\n"), set(folded_words(line.text).split())
    while lines and words >= set(folded_words(lines[0]).split()):
        del lines[0]
    if lines and words >= set(folded_words(lines[-1]).split()):
        del lines[-1]
    return "\n".join([line.rest, *lines] if line.rest else lines)


def bylines(posts_lines: Sequence[Sequence[str]]) -> list[Byline | None]:
    """Find the byline of each post; bylines stand at one place, such as the first line.

    `posts_lines` has four lines for each post: its first and last, the line before it and the line
    behind it. The place with most bylines counts; None for all posts if too few have one.

    >>> lines = [[f"{name} says: Tea."] for name in ("lee", "ann", "bo")]
    >>> [line and (line.author, line.rest) for line in bylines(lines)]
    [('lee', 'Tea.'), ('ann', 'Tea.'), ('bo', 'Tea.')]
    """
    first, *others = zip(*posts_lines, strict=True) if posts_lines else [()]
    read = [_read(first, _byline), *(_read(column, _whole) for column in others)]
    best = max(read, key=lambda column: sum(map(bool, column)))
    is_common = len({line.author for line in best if line}) > 1
    return [
        replace(line, is_first=line.text == own) if line and is_common else None
        for line, own in zip(best or [None] * len(first), first, strict=True)
    ]


def _read(column: Sequence[str], byline: Callable[[str], Byline | None]) -> list[Byline | None]:
    """Read a line of each post; [] as soon as too many are not bylines."""
    most, read = len(column) - max(_FEWEST, _MOST * len(column)), list[Byline | None]()
    for line in column:
        read.append(byline(line))
        most -= read[-1] is None
        if most < 0:
            return []
    return read


def _whole(line: str) -> Byline | None:
    """A byline with a date that fills its line, as in `Posted by: lee at May 3, 2008`."""
    byline = _byline(line)
    return byline if byline and byline.date and not byline.rest else None


def _byline(line: str) -> Byline | None:
    """The name and date at the start of a line, and the words behind them; None without a name."""
    shown = core_of(line[:_MAX_HEAD])
    date = shown if looks_like_date(shown) else ""
    match = _pattern().match(line.replace(date, _DATE, 1) if date else line)
    if not match or len(match["name"].split()) > _MAX_NAME_WORDS:
        return None
    is_dated = _DATE in match[0][: match.start("rest")]
    if not (match["said"] or is_dated):
        return None
    rest = match["rest"].replace(_DATE, date)
    return Byline(match["name"].strip(), date if is_dated else "", line, rest)


@cache
def _pattern() -> re.Pattern[str]:
    words = lexicon()
    by = words.pattern(lambda language: language.forum.byline)
    said = words.pattern(lambda language: language.forum.said)
    on = words.pattern(lambda language: language.dates.before_date)
    # possessive: "Ann ,,,,,,,," took the cube of its length
    gap = rf"(?:[\s,|()·»—–-]|\b(?:{on}|at)\b)*+"
    return re.compile(
        rf"(?:#?\d{{1,4}}[.)]?\s++)?(?:(?:{by})\b:?\s*)?(?P<name>\w[^\0:?!/]{{0,{_MAX_NAME}}}?)[\s,]*+"
        rf"(?P<said>\b(?:{said})\b)?(?:{gap}{_DATE}?[)\s]*+(?::(?!{gap}{_DATE})\s*|$)|:{gap}{_DATE}[)\s:]*)"
        r"(?P<rest>.*)",
        re.IGNORECASE | re.DOTALL,
    )
