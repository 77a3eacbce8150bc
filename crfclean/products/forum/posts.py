"""Read the threads of forum pages: every post with author, date, own words and quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import compress
from pathlib import Path

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.metadata.address import stated_address
from crfclean.metadata.dates import looks_like_date
from crfclean.model.folder import opened
from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.elements import MAX_BLOCKS
from crfclean.page.sources import Source, as_sources, read_page
from crfclean.products.forum.choose import (
    LabelledGroup,
    at_usual_address,
    author,
    choose,
    corrected_by_template,
    date_text,
    identity,
    in_most_records,
    machine_date,
    pick,
    signatures,
    stated_dates,
    stated_posts,
    with_opener,
)
from crfclean.products.forum.dates import DAY, EXACT, NEVER, DateReader, core_of, date_order
from crfclean.products.forum.joining import page_key
from crfclean.products.forum.model import ForumModel, load_forum_model
from crfclean.products.forum.outline import Outline, folded_words, letters, outline
from crfclean.products.forum.records import (
    COMM,
    DATES,
    INSIDE,
    LABELS,
    NICK,
    Records,
    topic,
    unsigned,
)
from crfclean.products.forum.structured import with_json_ld, with_microdata, with_replies
from crfclean.products.forum.thread import Post, Thread, quoted_runs
from crfclean.types import Blocks, Bools, Floats, Ints, Page

_MAX_HEAD = 120  # characters of a line that may name author and date
_MAX_NAME = 40  # characters
_MAX_NAME_WORDS = 4
_FEWEST = 3  # posts
_MOST = 0.8  # share of the posts that have such a line
_DATE = "\0"  # stands for the date in a line


@dataclass(frozen=True, slots=True)
class Byline:
    """Author and date in a line, the whole line, and the post's words after them in that line."""

    author: str
    date: str
    text: str
    rest: str = ""


def with_bylines(
    page_posts: Sequence[Post], lines: Sequence[Sequence[str]], read: Sequence[Byline | None]
) -> list[Post]:
    """Give posts the author and date of their bylines, and remove these lines from the words.

    `lines` are what `bylines` was given, and `read` is what it returned. A first line that names
    another author than the page shows is a quote. Others count if they agree with most authors.
    """
    names = {line.author for line in read if line}
    fits = [
        line is not None
        and (post.author in line.text or (line.text != ends[0] and post.author in names))
        for post, line, ends in zip(page_posts, read, lines, strict=True)
    ]
    most = 2 * sum(fits) > sum(map(bool, read))
    return [
        _signed(post, line) if line and (fit or (most and line.text != ends[0])) else post
        for post, line, ends, fit in zip(page_posts, read, lines, fits, strict=True)
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
    return best if is_common else [None] * len(posts_lines)


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


# find text at the ends of posts' bodies that is not part of the post, such as edit notes

_NO_WORDS = 0.15  # probability of COMM below which a field is left out of the post's words
_MOST_CLOSE = 0.8  # share of the posts with the same text, which is none of their words
_MOST_OF_BODY = 0.5  # share of a body's words that an element beside them may have


def no_words(group: LabelledGroup, corrected: Floats) -> Bools:
    """Mark the runs at the ends of bodies that are not the post's words, shape (runs,).

    At both ends these are runs that are unlikely to be words. At the end these are also texts of
    nearly all posts (`Reply`), and elements named for something else
    (`div.reactions`). Runs between a post's words stay, such as a heading or the lines of a list.
    A body that would lose all its runs keeps them: deleted posts may all have the same text.
    """
    page_fields, records = group.fields, group.fields.records
    runs, owner = page_fields.runs, records.record[page_fields.runs]
    inside = records.side[runs] == INSIDE
    weak = corrected[:, COMM] < _NO_WORDS
    closing = in_most_records(page_fields, np.full(len(page_fields), _MOST_CLOSE))
    beside = _beside(records) & ~records.page.quoted
    closing |= weak | beside[runs]
    first, last = _bounds(np.flatnonzero(inside & ~weak), owner, len(records))
    _, words_end = _bounds(np.flatnonzero(inside & ~closing), owner, len(records))
    at, drop = np.arange(len(page_fields)), np.zeros(len(records.record), np.bool_)
    ends = inside & (words_end[owner] >= 0) & (at > words_end[owner])
    drop[runs[weak & ((at < first[owner]) | (at > last[owner])) | ends]] = True
    return drop


def _bounds(places: Ints, owner: Ints, count: int) -> tuple[Ints, Ints]:
    """The first and the last of the fields `places` in every record; -1 for no last one."""
    first, last = np.full(count, len(owner)), np.full(count, -1)
    np.minimum.at(first, owner[places], places)
    np.maximum.at(last, owner[places], places)
    return first, last


def _beside(records: Records) -> Bools:
    """Mark each run in an element of a body whose name says that it is not post text."""
    page, table = records.page, records.page.page.table
    words = page.words[page.last] - page.words[page.first]
    marks = np.zeros(len(table.parent), np.bool_)
    for body in records.bodies.tolist():
        inner = slice(body + 1, int(table.end[body]))
        marks[inner] |= page.beside_words[inner] & (words[inner] < _MOST_OF_BODY * words[body])
    return page.inside(page.first[marks], page.last[marks])


# threads of forum pages: every post with author, date, own words and quotes
#
# A record has the fields of a post. Author and date have the same address in most records, so a
# name in a single post's signature is no author.

__all__ = ["ForumOptions"]

NO_POSTS = "no-posts"
_MOST_SIGNED = 0.8  # share of the posts with author or date; with more, others are no posts
_NEAR = 12  # runs before and behind a body that are read as lines
_SHORT = 40  # most characters of a line that is a date
_SIGNED = 0.3  # least probability of the likeliest author or date on a page with posts


@dataclass(frozen=True, slots=True)
class ForumOptions:
    """Facts about the pages: their language, and when they were fetched."""

    language: str = ""
    fetched: datetime | None = None


@dataclass(frozen=True)
class Reading:
    """Pages of a site, the chosen group of each (None without text), and its corrected labels."""

    pages: tuple[Page, ...]
    outlines: tuple[Outline, ...]
    chosen: tuple[LabelledGroup | None, ...]
    corrected: tuple[Floats, ...]


def read_site(
    pages: Iterable[Page], model: ForumModel, max_blocks: int | None = MAX_BLOCKS
) -> Reading:
    """Find and label the fields of the pages of one site; no page raises.

    A page with more than `max_blocks` blocks is not read: its status is "over-blocks".
    """
    return read_blocks([bounded(page, SplitParams(), max_blocks) for page in pages], model)


def read_blocks(cut: Sequence[tuple[Page, Blocks]], model: ForumModel) -> Reading:
    """Find and label the fields of the pages of one site, given with their blocks."""
    site_pages = tuple(page for page, _ in cut)
    outlines = tuple(outline(blocks) for _, blocks in cut)
    chosen = tuple(
        group and with_opener(page, group, model)
        for page, group in zip(outlines, choose(outlines, model), strict=True)
    )
    labels = iter(corrected_by_template([group for group in chosen if group is not None]))
    none = np.zeros((0, len(LABELS)))
    return Reading(
        site_pages,
        outlines,
        chosen,
        tuple(none if group is None else next(labels) for group in chosen),
    )


def threads(reading: Reading, options: ForumOptions = ForumOptions()) -> list[Thread]:
    """Join the fields of every page into posts."""
    site_threads = list[Thread]()
    for number, (page, group) in enumerate(zip(reading.pages, reading.chosen, strict=True)):
        if group is None:
            status = page.status if page.status != "ok" else NO_POSTS
            site_threads.append(Thread(page.url or "", "", (), status))
        else:
            site_threads.append(_thread(page, group, reading.corrected[number], options, number))
    return _with_openers(site_threads)


def _with_openers(site_threads: Sequence[Thread]) -> list[Thread]:
    """Mark the post that opens each thread: the first post on the thread's first page.

    No post opens a thread on a page with a higher number, such as `page-2`.
    """
    keys, marked = set[str](), []
    for thread in site_threads:
        key = page_key(thread.url, thread.topic)
        opens = key.maybe not in keys and not (key.number > 1 and key.maybe == key.thread)
        keys |= {key.maybe} if thread.posts and key.maybe else set()
        posts = (replace(post, first=opens and not at) for at, post in enumerate(thread.posts))
        marked.append(replace(thread, posts=tuple(posts)))
    return marked


def posts(
    pages: Iterable[Source],
    model: ForumModel | str | Path = "forum",
    options: ForumOptions = ForumOptions(),
    max_blocks: int | None = MAX_BLOCKS,
) -> list[Thread]:
    """Find the posts of the pages of one site: one `Thread` per page, in their order.

    Each page is any source that `extract` takes. A bad page, or one with more than `max_blocks`
    blocks (None: no limit), gives a thread without posts whose status says why. Raises
    `ModelError` for a bad model.
    """
    model = model if isinstance(model, ForumModel) else opened(model, load_forum_model)
    return threads(read_site(map(read_page, as_sources(pages)), model, max_blocks), options)


def _thread(
    page: Page, group: LabelledGroup, corrected: Floats, options: ForumOptions, number: int
) -> Thread:
    """Join the fields of a page; it has no posts if none has an author or a date."""
    maker = _Maker(page.url or "", group, no_words(group, corrected), number)
    records, stated = maker.records, stated_posts(maker.page)
    ends = [maker.ends(place) for place in range(len(records))]
    lines = bylines(ends)
    has_posts, no_thread = stated or any(lines), Thread(page.url or "", "", (), NO_POSTS)
    if not has_posts and signatures(group)[0].max(initial=0) <= _SIGNED:
        return no_thread
    named = pick(group, corrected, NICK)
    dated = maker.runs(pick(group, corrected, DATES, maker.names(named)))
    page_posts = with_bylines(maker.posts(named, dated), ends, lines)
    if not has_posts and not any(post.author or post.date for post in page_posts):
        return no_thread
    reader = _date_reader(page_posts, options, maker.page)
    page_posts = [
        replace(post, published=reader.read(post.date, machine_date(maker.page, run)))
        for post, run in zip(page_posts, dated, strict=True)
    ]
    kept = [place for place, post in enumerate(page_posts) if post.full]
    data_posts = with_json_ld(maker.page.page, [page_posts[at] for at in kept], maker.url)
    data_posts = with_microdata(stated, data_posts, maker.page, maker.url)
    dates, usual = stated_dates(records), at_usual_address(group.fields, named)
    data_posts = _dated(data_posts, [dates[place] for place in kept], reader)
    title = topic(maker.page, records.start)
    signed = _kept(data_posts, [usual[place] for place in kept], title)
    final = with_replies(
        list(compress(data_posts, signed)), list(compress(kept, signed)), records, maker.quoted
    )
    address = page.url or stated_address(maker.page.page)
    return Thread(address, title, final, "ok" if final else NO_POSTS, group.score)


def _date_reader(page_posts: Sequence[Post], options: ForumOptions, outline: Outline) -> DateReader:
    """The reader of a thread's dates, by its language and the order of day, month and year."""
    language = options.language or _language(outline)
    order = date_order([post.date for post in page_posts], language)
    return DateReader(order, options.fetched)


def _kept(page_posts: Sequence[Post], usual: Sequence[bool], title: str) -> list[bool]:
    """Mark the posts to keep: without the thread's title and boxes behind the posts.

    A post is signed by a date, or by an author at the usual address (`usual`). If most posts are
    signed, unsigned ones after a signed one are boxes.
    """
    signed = [
        is_usual or bool(post.date or post.published.iso or post.from_data)
        for post, is_usual in zip(page_posts, usual, strict=True)
    ]
    most = any(signed) and sum(signed) >= _MOST_SIGNED * len(signed)
    end, title = signed.index(True) if most else len(signed), letters(title)
    return [
        is_signed or (place < end and letters(post.full) != title)
        for place, (post, is_signed) in enumerate(zip(page_posts, signed, strict=True))
    ]


def _dated(
    page_posts: Sequence[Post], dates: Sequence[str], reader: DateReader
) -> tuple[Post, ...]:
    """Give posts without a known day the date of an attribute, "" for none."""
    return tuple(
        post
        if post.published.certainty in {EXACT, DAY} or not date
        else replace(post, published=reader.read(date, date))
        for post, date in zip(page_posts, dates, strict=True)
    )


class _Maker:
    """Makes the posts of one page from its fields; `drop` marks runs that are no post's words."""

    def __init__(self, url: str, group: LabelledGroup, drop: Bools, number: int) -> None:
        self.url, self.group, self.drop, self.number = url, group, drop, number
        self.records = group.fields.records
        self.page = self.records.page
        self.quoted = quoted_runs(self.records, drop)

    def runs(self, picked: Sequence[int]) -> list[int]:
        """The run of each picked field, -1 for none."""
        runs = self.group.fields.runs
        return [int(runs[field]) if field >= 0 else -1 for field in picked]

    def names(self, named: Sequence[int]) -> list[str]:
        """The text of each picked field, "" for none."""
        texts = self.page.page.table.run_texts
        return [texts[run] if run >= 0 else "" for run in self.runs(named)]

    def posts(self, named: Sequence[int], dated: Sequence[int]) -> list[Post]:
        """Make all posts; `named` are the authors' fields and `dated` the dates' runs."""
        runs = zip(self.runs(named), dated, strict=True)
        return [self._post(place, *pair) for place, pair in enumerate(runs)]

    def _post(self, place: int, name: int, dated: int) -> Post:
        """Make a post from its place and the runs of author and date, -1 for none."""
        node = int(self.records.bodies[place])
        span = int(self.page.first[node]), int(self.page.last[node])
        author_name, link = author(self.page, name, self.url) if name >= 0 else ("", "")
        post_id, url = identity(self.records, place, self.url)
        return Post(
            text="\n".join(unsigned(self.page.lines(*span, self.drop | self.quoted))),
            quotes=self._quotes(*span),
            full="\n".join(unsigned(self.page.lines(*span, self.drop))),
            author=author_name,
            author_url=link,
            date=date_text(self.page, dated),
            published=NEVER,
            post_id=post_id,
            url=url,
            page=self.number,
            first=False,
            node=node,
        )

    def ends(self, place: int) -> tuple[str, ...]:
        """The first and the last line of a post, the line before it and the line behind it.

        A date in the second line is added to the first one.
        """
        node = int(self.records.bodies[place])
        first, last = int(self.page.first[node]), int(self.page.last[node])
        before = self.page.lines(max(0, first - _NEAR), first)[-1:]
        own, behind = self.page.lines(first, last), self.page.lines(last, last + _NEAR)[:1]
        head = own[: 1 + (len(own) > 1 and looks_like_date(own[1]) and len(own[1]) <= _SHORT)]
        return tuple(" ".join(lines) for lines in (head, own[-1:], before, behind))

    def _quotes(self, start: int, end: int) -> tuple[str, ...]:
        """Texts of the quotes between two runs."""
        quoted = self.quoted[start:end].astype(np.int8)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], quoted, [0]])))
        spans = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
        texts = ["\n".join(self.page.lines(start + first, start + last)) for first, last in spans]
        return tuple(text for text in texts if text)


def _language(outline: Outline) -> str:
    """Language code of the `html` element, "" if it has none."""
    table = outline.page.table
    roots = zip(table.tags[:3], table.attributes[:3], strict=True)
    declared = (attributes.get("lang", "") for tag, attributes in roots if tag == "html")
    return next(declared, "")[:2].lower()
