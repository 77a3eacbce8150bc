"""Threads of forum pages: every post with author, date, own words and quotes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfclean.metadata.address import stated_address
from crfclean.model.open_once import opened
from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.sources import Source, as_sources, read_page
from crfclean.products.forum.bylines import Byline, bylines, with_bylines
from crfclean.products.forum.choose import LabelledGroup, choose_groups, corrected_by_template
from crfclean.products.forum.dates import DAY, EXACT, NEVER, DateReader, date_order
from crfclean.products.forum.fields import DATES, FIELD_LABELS, NICK
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
from crfclean.types import Blocks, Floats, Page

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
class SiteReading:
    """Pages of a site, the chosen group of each (None without text), and its corrected labels."""

    pages: tuple[Page, ...]
    outlines: tuple[Outline, ...]
    chosen: tuple[LabelledGroup | None, ...]
    corrected: tuple[Floats, ...]


def read_site(
    pages: Iterable[Page], model: ForumModel, max_blocks: int | None = MAX_BLOCKS
) -> SiteReading:
    """Find and label the fields of the pages of one site; no page raises.

    A page with more than `max_blocks` blocks is not read: its status is "over-blocks".
    """
    return read_blocks([bounded(page, SplitParams(), max_blocks) for page in pages], model)


def read_blocks(cut: Sequence[tuple[Page, Blocks]], model: ForumModel) -> SiteReading:
    """Find and label the fields of the pages of one site, given with their blocks."""
    site_pages = tuple(page for page, _ in cut)
    outlines = tuple(outline(blocks) for _, blocks in cut)
    chosen = tuple(
        group and with_opener(page, group, model)
        for page, group in zip(outlines, choose_groups(outlines, model), strict=True)
    )
    labels = iter(corrected_by_template([group for group in chosen if group is not None]))
    none = np.zeros((0, len(FIELD_LABELS)))
    return SiteReading(
        site_pages,
        outlines,
        chosen,
        tuple(none if group is None else next(labels) for group in chosen),
    )


def threads(reading: SiteReading, options: ForumOptions = ForumOptions()) -> list[Thread]:
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


class _Draft(NamedTuple):
    """A post in the making, with facts of its record that later steps need; "" where missing.

    `place` is that of its record. `machine_date` is stated around the date, `stated_date` anywhere
    in the record. `is_usual` marks an author at the usual address.
    """

    post: Post
    place: int
    machine_date: str
    stated_date: str
    is_usual: bool

    @property
    def is_signed(self) -> bool:
        """Whether it has a date, facts from the page's data, or an author at the usual address."""
        post = self.post
        return self.is_usual or bool(post.date or post.published.iso or post.from_data)


def _thread(
    page: Page, group: LabelledGroup, corrected: Floats, options: ForumOptions, number: int
) -> Thread:
    """Join the fields of a page; it has no posts if none has an author or a date."""
    maker = _Maker(page.url or "", group, corrected, number)
    drafts = maker.drafts()
    if not drafts:
        return Thread(maker.url, "", (), NO_POSTS)
    reader = _date_reader(drafts, options, maker.page)
    drafts = [_with_date(draft, reader) for draft in drafts if draft.post.full]
    drafts = [_with_stated_date(draft, reader) for draft in maker.with_data(drafts)]
    title = topic(maker.page, maker.records.start)
    kept = {draft.place: draft.post for draft in _without_boxes(drafts, title)}
    final = with_replies(kept, maker.records, maker.quoted)
    address = page.url or stated_address(maker.page.page)
    return Thread(address, title, final, "ok" if final else NO_POSTS, group.score)


def _date_reader(drafts: Sequence[_Draft], options: ForumOptions, outline: Outline) -> DateReader:
    """The reader of a thread's dates, by its language and the order of day, month and year."""
    language = options.language or _language(outline)
    order = date_order([draft.post.date for draft in drafts], language)
    return DateReader(order, options.fetched)


def _with_date(draft: _Draft, reader: DateReader) -> _Draft:
    """Read the date of a post as shown."""
    published = reader.read(draft.post.date, draft.machine_date)
    return draft._replace(post=replace(draft.post, published=published))


def _with_stated_date(draft: _Draft, reader: DateReader) -> _Draft:
    """Give a post without a known day the date that an attribute in its record states."""
    date, post = draft.stated_date, draft.post
    if post.published.certainty in {EXACT, DAY} or not date:
        return draft
    return draft._replace(post=replace(post, published=reader.read(date, date)))


def _without_boxes(drafts: Sequence[_Draft], title: str) -> list[_Draft]:
    """Leave out the thread's title and boxes behind the posts.

    If most posts are signed, unsigned ones after a signed one are boxes.
    """
    signed = [draft.is_signed for draft in drafts]
    most = any(signed) and sum(signed) >= _MOST_SIGNED * len(signed)
    end, title = signed.index(True) if most else len(signed), letters(title)
    return [
        draft
        for at, draft in enumerate(drafts)
        if signed[at] or (at < end and letters(draft.post.full) != title)
    ]


class _Maker:
    """Makes the posts of one page from its fields; `drop` marks runs that are no post's words."""

    def __init__(self, url: str, group: LabelledGroup, corrected: Floats, number: int) -> None:
        self.url, self.group, self.corrected, self.number = url, group, corrected, number
        self.records = group.fields.records
        self.page = self.records.page
        self.drop = no_words(group, corrected)
        self.quoted = quoted_runs(self.records, self.drop)
        self.stated = stated_posts(self.page)

    def drafts(self) -> list[_Draft]:
        """Draft a post for every record; [] if nothing names an author or a date."""
        lines = bylines([self._ends(body) for body in self.records.bodies.tolist()])
        has_posts = bool(self.stated) or any(lines)
        if not has_posts and signatures(self.group)[0].max(initial=0) <= _SIGNED:
            return []
        drafts = self._picked(lines)
        has_posts = has_posts or any(draft.post.author or draft.post.date for draft in drafts)
        return drafts if has_posts else []

    def with_data(self, drafts: Sequence[_Draft]) -> list[_Draft]:
        """Complete and correct posts by the page's JSON-LD and microdata."""
        data_posts = with_json_ld(self.page.page, [draft.post for draft in drafts], self.url)
        data_posts = with_microdata(self.stated, data_posts, self.page, self.url)
        return [draft._replace(post=post) for draft, post in zip(drafts, data_posts, strict=True)]

    def _picked(self, lines: Sequence[Byline | None]) -> list[_Draft]:
        """Draft a post for every record from its fields for author and date, and its byline."""
        page_fields, texts = self.group.fields, self.page.page.table.run_texts
        named = pick(self.group, self.corrected, NICK)
        authors = self._runs(named)
        names = [texts[run] if run >= 0 else "" for run in authors]
        dates = self._runs(pick(self.group, self.corrected, DATES, names))
        made = map(self._post, range(len(self.records)), authors, dates)
        stated, usual = stated_dates(self.records), at_usual_address(page_fields, named)
        columns = zip(with_bylines(list(made), lines), dates, stated, usual, strict=True)
        return [
            _Draft(post, place, machine_date(self.page, run), date, is_usual)
            for place, (post, run, date, is_usual) in enumerate(columns)
        ]

    def _runs(self, picked: Sequence[int]) -> list[int]:
        """The run of each picked field, -1 for none."""
        runs = self.group.fields.runs
        return [int(runs[field]) if field >= 0 else -1 for field in picked]

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

    def _ends(self, body: int) -> tuple[str, ...]:
        """The first and the last line of a post, the line before it and the line behind it.

        A date in the second line is added to the first one.
        """
        first, last = int(self.page.first[body]), int(self.page.last[body])
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
