"""Threads of forum pages: every post with author, date, own words and quotes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import compress
from pathlib import Path

import numpy as np

from crfclean.metadata.address import stated_address
from crfclean.model.open_once import opened
from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.sources import Source, as_sources, read_page
from crfclean.products.forum.bylines import bylines, with_bylines
from crfclean.products.forum.choose import LabelledGroup, choose, corrected_by_template
from crfclean.products.forum.dates import DAY, EXACT, NEVER, DateReader, date_order
from crfclean.products.forum.fields import DATES, LABELS, NICK
from crfclean.products.forum.joining import page_key
from crfclean.products.forum.model import ForumModel, load_forum_model
from crfclean.products.forum.openers import signatures, with_opener
from crfclean.products.forum.outline import Outline, letters, outline
from crfclean.products.forum.picking import at_usual_address, pick
from crfclean.products.forum.post_dates import looks_like_date
from crfclean.products.forum.post_ends import no_words
from crfclean.products.forum.post_words import topic, unsigned
from crfclean.products.forum.quotes import quoted_runs
from crfclean.products.forum.stated import stated_posts
from crfclean.products.forum.structured import with_json_ld, with_microdata, with_replies
from crfclean.products.forum.thread import Post, Thread
from crfclean.products.forum.values import author, date_text, identity, machine_date, stated_dates
from crfclean.types import Blocks, Bools, Floats, Page

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
