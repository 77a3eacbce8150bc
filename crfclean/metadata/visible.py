"""What a reader sees -> candidates: bylines and dates beside the heading, the address, the footer.

Bylines and dates are told by the words before them, in the languages of the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote, urlsplit

from crfclean.lexicon import lexicon
from crfclean.metadata import dates
from crfclean.metadata.candidates import Candidate
from crfclean.metadata.names import by, unspaced_by
from crfclean.metadata.survey import NEAR_AFTER, NEAR_BEFORE, Survey

MAX_LINE = 160  # characters of a block that may be a byline or a date
MAX_LABEL = 40  # of a block that may say what the next one is, or be a name or a date alone
MAX_FAR = 12  # such blocks far from the heading
MAX_FOOTER = 60  # last blocks in which the year of the copyright is looked for

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAME = re.compile(r"(?:[^\W\d_][\w'’.-]{0,20} ){1,3}[^\W\d_][\w'’.-]{0,20}")
_PATH = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/_.+ -]|$)")
_PATH_DIGITS = re.compile(r"(?<!\d)((?:19|20)\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright)\D{0,30}(?:(?:19|20)\d\d\s*[-–—]\s*)?((?:19|20)\d\d)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Bylines: one alone, one with names, one far from the heading, inside a line, at its begin."""

    label: re.Pattern[str]
    byline: re.Pattern[str]
    sure: re.Pattern[str]
    inside: re.Pattern[str]
    paragraph: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    words = lexicon()
    nouns = words.pattern(lambda language: language.bylines.nouns)
    sure = words.pattern(lambda language: language.bylines.sure)
    author = words.pattern(lambda language: language.bylines.author)
    inside = words.pattern(lambda language: language.bylines.inside)
    paragraph = words.pattern(lambda language: language.bylines.paragraph)
    return _Patterns(
        re.compile(rf"(?:{by()})(?:\(s\))?\s*[:：]?", re.IGNORECASE),
        re.compile(
            rf"(?!(?:{nouns})\s(?!by\b))(?P<by>(?:{by()})(?:\(s\))?\s*(?:[:：]|(?=\s))|"
            rf"(?:{unspaced_by()})\s*[:：/｜])\s*(?P<who>\S.*)",
            re.IGNORECASE,
        ),
        re.compile(rf"{sure}|(?:{author})\s*(?:[:：]|$)", re.IGNORECASE),
        re.compile(rf"(?:(?<=\s)|(?<=[|•·]))(?:{inside})\s+(?=[^\W\d_])"),
        re.compile(rf"(?:{paragraph})\s+(?P<who>[A-Z][^.:|–—]{{3,60}})"),
    )


def said_to_readers(survey: Survey) -> Iterator[Candidate]:
    """Bylines and dates in short blocks: all near the main heading, elsewhere those that say so."""
    blocks = survey.blocks
    main = int(blocks.nodes.first_block[survey.main]) if survey.main >= 0 else -1
    first = max(0, main - NEAR_BEFORE)
    label, before, says, left = "", "", False, MAX_FAR
    for block, text in enumerate(blocks.texts):
        node, is_short = int(blocks.node[block]), len(text) <= MAX_LINE
        has_year = is_short and ("20" in text or "19" in text) and bool(_YEAR.search(text))
        was_said, says = says, is_short and _patterns().sure.match(text) is not None
        if block == main:
            pass
        elif first <= block <= main + NEAR_AFTER:
            where = "after" if block > main else "before"
            yield from _near(text, (label, before), where, node)
        elif left and (has_year or says or (was_said and is_short)):
            left -= 1
            yield from _line(text, label, "far first" if left == MAX_FAR - 1 else "far", node)
        before = text
        label = text if len(text) <= MAX_LABEL and not has_year else ""


def _near(text: str, before: tuple[str, str], where: str, node: int) -> Iterator[Candidate]:
    """What a block close to the heading says; `before`: the label and the block before it."""
    if len(text) <= MAX_LINE:
        yield from _line(text, before[0], where, node)
        yield from _beside_date(text, before[1], where, node)
    elif where == "after":
        yield from _first_words(text, node)


def _beside_date(text: str, before: str, where: str, node: int) -> Iterator[Candidate]:
    """A name that stands before or after a date, each in a block of its own."""
    for name, other in ((text, before), (before, text)):
        if len(other) <= MAX_LABEL and _NAME.fullmatch(name) and dates.find(other):
            yield Candidate("author", (name,), "name", f"{where} date", node)


def _line(text: str, label: str, where: str, node: int) -> Iterator[Candidate]:
    """Byline and dates of a short block; `label` is the short block before it."""
    byline = _patterns().byline.match(text)
    if byline and (":" in byline["by"] or not byline["who"][0].islower()):  # "by day" names nobody
        yield Candidate("author", (byline["who"],), "byline", where, node)
    elif label and _patterns().label.fullmatch(label):
        yield Candidate("author", (text,), "byline", f"{where} label", node)
    else:
        inner = _patterns().inside.search(text)
        if inner:
            yield Candidate("author", (text[inner.end() :],), "byline", f"{where} inside", node)
    yield from _dates(text, label, where, node)


def _dates(text: str, label: str, where: str, node: int) -> Iterator[Candidate]:
    """The dates of a short block, told apart by the words before each."""
    start = 0
    for found in dates.find_all(text):
        words = text[start : found.start]
        if not start and len(words.strip()) < 3:
            words = f"{label} {words}"
        told = dates.kind_of(words)
        kind, named = told or "published", "named" if told else "bare"
        alone = "alone" if len(text) - (found.end - found.start) <= 30 else "in text"
        stated = text[found.start : found.end]
        yield Candidate(kind, (stated,), "date", f"{where} {named} {alone}", node)
        start = found.end


def _first_words(text: str, node: int) -> Iterator[Candidate]:
    """A byline or a date with which a paragraph begins."""
    byline = _patterns().paragraph.match(text)
    if byline:
        yield Candidate("author", (byline["who"],), "byline", "paragraph", node)


def said_by_address(address: str) -> Iterator[Candidate]:
    """The date in a page's address.

    >>> [one.texts for one in said_by_address("https://x.org/2024/05/07/tea")]
    [('2024-05-07',)]
    """
    try:
        path = unquote(urlsplit(address[:2_000]).path)
    except ValueError:
        return
    match = _PATH.search(path) or _PATH_DIGITS.search(path)
    if match:
        day = int(match[3]) if match[3] else None
        iso = dates.written(int(match[1]), int(match[2]), day)
        if iso:
            yield Candidate("published", (iso,), "url", "day" if day else "month")


def said_by_footer(survey: Survey) -> Iterator[Candidate]:
    """The year of the copyright in the last blocks."""
    blocks = survey.blocks
    for block in range(max(0, len(blocks) - MAX_FOOTER), len(blocks)):
        found = _COPYRIGHT.search(blocks.texts[block][:300])
        if found:
            yield Candidate("published", (found[1],), "copyright", node=int(blocks.node[block]))
            return
