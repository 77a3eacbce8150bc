"""Find candidates in bylines, names and dates near the heading, and in the address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from urllib.parse import unquote, urlsplit

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.metadata import dates
from crfclean.metadata.candidates import Candidate
from crfclean.metadata.marked import NEAR_AFTER, NEAR_BEFORE, Survey
from crfclean.metadata.names import UNSPACED_NAME, by, is_label, is_of_others, names_of, unspaced_by
from crfclean.page.measures import measured
from crfclean.types import Bools

# candidates for authors without a word such as "by": names alone or beside a date

_MAX_CHARS = 80  # of a line of names
_MAX_ALONE = 6  # blocks from the heading to a line of names
NEXT = 3  # most blocks from the heading to a block right below it

# "Ann Lee", "Ludwig van der Berg", "E. J. Roe"
_CAPITALISED = r"[^\W\d_a-z][\w'’.-]{0,20}"
_PARTICLE = "(?:v[ao]n|de[rnl]?|d[aiu]|la|le|ter|dos|das|zu|bin|al|el)"
_FULL_NAME = re.compile(rf"{_CAPITALISED} (?:(?:{_CAPITALISED}|{_PARTICLE}) ){{0,2}}{_CAPITALISED}")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_EDGES = " |•·–—-/,;:.()"


def bare_names(text: str, distance: int, node: int) -> Iterator[Candidate]:
    """The names of a short line near the heading that has only names, or names and a date.

    `distance` counts the blocks from the heading to the line.
    """
    day = dates.find_date(text) if len(text) <= _MAX_CHARS else None
    if len(text) > _MAX_CHARS or (day is None and not 0 < distance <= _MAX_ALONE):
        return
    where = "next" if 0 < distance <= NEXT else "after" if distance > 0 else "before"
    parts = [text] if day is None else [text[: day.start], text[day.end :]]
    place = f"{where} alone" if day is None else f"{where} date line"
    for part in parts:
        if is_list_of_names(part.strip(_EDGES)):
            yield Candidate("author", (part.strip(_EDGES),), "name", place, node)


def is_list_of_names(text: str) -> bool:
    """Return whether a text consists of full names only.

    >>> texts = ("Ann Lee, Bob Roe", "Ann Lee on tea", "Tea")
    >>> [is_list_of_names(text) for text in texts]
    [True, False, False]
    """
    if len(_CAPITAL.findall(text)) < 2:  # every name has two
        return False
    names = names_of(text)
    joints = 6 * len(names)  # characters between two names
    is_all = len(text) <= sum(map(len, names)) + joints - 6
    return bool(names) and is_all and all(map(_FULL_NAME.fullmatch, names))


# candidates in bylines, dates and the address
#
# The words before bylines and dates tell what they are, in the languages of the lexicon.

_MAX_LINE_CHARS = 160  # of a block that may be a byline or a date
_MAX_LABEL_CHARS = 40  # of a block that may label the next one, or be just a name or a date
_MAX_DATELINE_CHARS = 70  # of a paragraph that may begin with a date
_MAX_PLAIN_CHARS = 60  # of a line in which a name may begin in lower case
_MAX_FAR = 12  # bylines and dates far from the heading

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAME = re.compile(r"(?:[^\W\d_][\w'’.-]{0,20} ){1,3}[^\W\d_][\w'’.-]{0,20}")
# "/2024/05/07/tea", "/2024-05/tea"
_PATH = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/_.+ -]|$)")
# "/tea-20240507.html"; "/1234567890" is no date
_PATH_DIGITS = re.compile(r"(?<!\d)((?:19|20)\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """Patterns of bylines: with names, far from the heading, inside a line."""
    words = lexicon()
    nouns = words.pattern(lambda language: language.bylines.nouns)
    sure = words.pattern(lambda language: language.bylines.sure)
    author = words.pattern(lambda language: language.bylines.author)
    inside = words.pattern(lambda language: language.bylines.inside)
    return {
        "byline": re.compile(
            rf"(?!(?:{nouns})\s(?!by\b))(?P<by>(?:{by()})(?:\(s\))?\s*(?:[:：]|(?=\s))|"
            rf"(?:{unspaced_by()})(?:\s*[:：/｜]|\s(?={UNSPACED_NAME}(?:\s|$))))\s*(?P<who>\S.*)",
            re.IGNORECASE,
        ),
        "sure": re.compile(rf"{sure}|(?:{author})\s*(?:[:：]|$)", re.IGNORECASE),
        "inside": re.compile(rf"(?:(?<=\s)|(?<=[|•·]))(?:{inside})(?:\s+|(?<=[:：]))(?=[^\W\d_])"),
    }


def visible_candidates(survey: Survey) -> Iterator[Candidate]:
    """Bylines and dates in short blocks; far from the main heading only clear ones count."""
    blocks = survey.blocks
    main = int(blocks.nodes.first_block[survey.main]) if survey.main >= 0 else -1
    first, last = max(0, main - NEAR_BEFORE), min(main + NEAR_AFTER, len(blocks) - 1)
    near = survey.parted_blocks(range(first, last + 1), _MAX_LINE_CHARS)
    label, is_byline, left = "", False, _MAX_FAR
    is_sure, in_form = _patterns()["sure"].match, _in_form(survey)
    for block, (text, node) in enumerate(zip(blocks.texts, blocks.node.tolist(), strict=True)):
        if block > last and not left:
            return
        is_short = len(text) <= _MAX_LINE_CHARS
        has_year = is_short and ("20" in text or "19" in text) and bool(_YEAR.search(text))
        was_byline = is_byline
        # far from the heading, where the last line near it counts as well
        is_byline = not first <= block < main + NEAR_AFTER and is_short and bool(is_sure(text))
        if block == main:
            yield from _dates(text, "", "heading", node)
        elif first <= block <= main + NEAR_AFTER:
            shown = near[block - first]
            before = (label, blocks.texts[block - 1] if block else "")
            yield from _near(shown, before, block - main, node)
        elif left and (has_year or is_byline or (was_byline and is_short)):
            left -= 1
            where = "far first" if left == _MAX_FAR - 1 else "far"
            yield from _byline(text, label, where, node)
            yield from _dates(text, label, where, node)
        is_label = len(text) <= _MAX_LABEL_CHARS and not has_year and not in_form[node]
        label = text if is_label else ""


def _in_form(survey: Survey) -> Bools:
    """Mark each element of a form, (m,): "Author:" in a form asks readers for their names.

    Elements of a form that holds the main heading are not marked: some sites put whole pages in it.
    """
    inside: Bools = measured(survey.blocks).inside("form") > 0
    holds_page = survey.main >= 0 and inside[survey.main]
    return np.zeros_like(inside) if holds_page else inside


def _dateline(text: str, node: int) -> Iterator[Candidate]:
    """The date at the start of a paragraph: "Berlin, 7 May 2024. The city ..."."""
    day = dates.find_date(text[:_MAX_DATELINE_CHARS])
    if day and day.start <= _MAX_LABEL_CHARS:
        kind = dates.kind_of(text[: day.start]) or "published"
        place = "dateline" if day.start < 3 else "dateline inside"
        yield Candidate(kind, (text[day.start : day.end],), "date", place, node)


def _near(text: str, before: tuple[str, str], distance: int, node: int) -> Iterator[Candidate]:
    """Candidates of a block near the heading; `before` is the label and the block before it."""
    where = "after" if distance > 0 else "before"
    if len(text) <= _MAX_LINE_CHARS:
        yield from _byline(text, before[0], where, node)
        right_below = "next" if 0 < distance <= NEXT else where
        yield from _dates(text, before[0], right_below, node)
        for name, other in ((text, before[1]), (before[1], text)):  # each in its own block
            is_dated = len(other) <= _MAX_LABEL_CHARS and dates.find_date(other)
            if is_dated and _NAME.fullmatch(name):
                yield Candidate("author", (name,), "name", f"{right_below} date", node)
        yield from bare_names(text, distance, node)
    elif distance > 0:
        yield from _dateline(text, node)


def _byline(text: str, label: str, where: str, node: int) -> Iterator[Candidate]:
    """The byline of a short block; `label` is the text of a short block before it, or ""."""
    byline = _patterns()["byline"].match(text)
    if byline and (":" in byline["by"] or not byline["who"][0].islower()):  # "by day" names nobody
        yield Candidate("author", (byline["who"],), "byline", where, node)
    elif label and is_label(label):
        yield Candidate("author", (text,), "byline", f"{where} label", node)
    else:
        inner = None if is_of_others(text) else _patterns()["inside"].search(text)
        if inner and not _is_prose(text, inner.end()):
            yield Candidate("author", (text[inner.end() :],), "byline", f"{where} inside", node)


def _is_prose(text: str, start: int) -> bool:
    """Return whether what begins here is no name but prose: "improved by the late Ann Lee."."""
    if not text[start].islower():
        return False
    is_long = len(text) > _MAX_PLAIN_CHARS or text.endswith(".")
    return is_long or any(" " in name for name in names_of(text[start:]))


def _dates(text: str, label: str, where: str, node: int) -> Iterator[Candidate]:
    """The dates of a short block; the words before a date tell its kind."""
    start, days = 0, dates.find_dates(text)
    short = None if days else dates.find_short_date(text)
    for span in [short] if short else days:
        words = text[start : span.start]
        if not start and len(words.strip()) < 3:
            words = f"{label} {words}"
        start = span.end
        if dates.is_of_member(words):
            continue
        kind = dates.kind_of(words)
        named = "named" if kind else "bare"
        alone = "alone" if len(text) - (span.end - span.start) <= 30 else "in text"
        date = text[span.start : span.end]
        yield Candidate(kind or "published", (date,), "date", f"{where} {named} {alone}", node)


def address_candidates(address: str) -> Iterator[Candidate]:
    """The date in a page's address.

    >>> [date.texts for date in address_candidates("https://x.org/2024/05/07/tea")]
    [('2024-05-07',)]
    """
    try:
        path = unquote(urlsplit(address[:2_000]).path)
    except ValueError:
        return
    match = _PATH.search(path) or _PATH_DIGITS.search(path)
    if match:
        day = int(match[3]) if match[3] else None
        iso = dates.iso_date(int(match[1]), int(match[2]), day)
        if iso:
            yield Candidate("published", (iso,), "url", "day" if day else "month")
