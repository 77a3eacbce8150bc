"""Recognise the pages of one thread by their addresses and titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, urlsplit

from crfclean.products.corpus.jobs import JOINED
from crfclean.products.forum.outline import letters
from crfclean.products.forum.replies import moved_reply
from crfclean.products.forum.thread import Post, Thread

_LEAST_TOPIC = 8  # letters of a title that may name a thread where the page has no address
_QUERY_PAGE = re.compile(
    r"(?:^|[&;])(?:page|pg|start|st|offset|seite|pagina|strana)=(\d{1,6})(?=$|[&;])", re.IGNORECASE
)
_SESSION = re.compile(r"(?:^|[&;])(?:sid|s|phpsessid)=[0-9a-f]{16,}(?=$|[&;])", re.IGNORECASE)
_PATH_PAGE = re.compile(
    r"(?:[/-](?:page|seite|strana|pagina|p)[-/]?|[-/]index)(\d{1,6})(?=(?:\.html?|/)?$)",
    re.IGNORECASE,
)
_TOPIC_PAGE = re.compile(r"((?:^|[&;])topic=\d+)\.(\d+|msg\d+|new)")
"""The number of a thread's page in an address; `_TOPIC_PAGE` is for SMF: `topic=12.20`."""

_BARE_PAGE = re.compile(r"(?<=[^/])/(\d{1,5})/?$")
"""A bare number at the end of an address: a page (`/t/title/1205/20`) or a thread (`/t/12`)."""

_END = re.compile(r"(?:\.html?|/)$", re.IGNORECASE)
_THREAD_NAME = re.compile(r"\d|[^/]-[^/]|_|%[0-9a-f]{2}|^/[^?]+/[^/?.]+/?\?$", re.IGNORECASE)
"""Signs that an address, without its page number, still names a thread, not a list or a script."""

_TOPIC_MARK = re.compile(
    r"(?<![\s|,:(\[–—-])[\s|,:(\[–—-]++"
    r"(?:page|seite|strona|strana|stránka|pagina|página|sivu|sida|side|oldal|sayfa|"
    r"стр|страница|ページ|页|第)\W{0,2}\d{1,5}(?:\D{1,8}\d{1,5})?\W*$",
    re.IGNORECASE,
)
"""The number of a page at the end of a title."""


@dataclass(frozen=True, slots=True)
class PageKey:
    """The thread that a page belongs to, according to its address and title.

    Pages with an equal `thread` belong to one thread. It is "" if the page has no address, or an
    address that names no thread. All pages of a thread have an equal `maybe`, but other threads may
    have it too; it is "" if the page cannot be joined. `number` of the page is 0 if unknown.
    """

    thread: str
    maybe: str
    number: int = 0


def page_key(url: str, topic: str) -> PageKey:
    """The key of the page at an address; `topic` is the title of its thread.

    >>> page_key("https://a.example/t/tea.5/page-2#p9", "Tea or coffee")
    PageKey(thread='https://a.example/t/tea.5 teaorcoffee', maybe=..., number=2)
    >>> page_key("https://a.example/t/tea/1205/20", "Tea").maybe
    'https://a.example/t/tea/1205 tea'
    """
    title = letters(_TOPIC_MARK.sub("", topic))
    try:
        parts = urlsplit(url)
    except ValueError:
        return PageKey("", "")
    if not parts.netloc:
        return PageKey("", f" {title}" if len(title) >= _LEAST_TOPIC else "")
    site = f"{parts.scheme}://{parts.netloc.lower()}"
    path, query, number = _without_page(parts)
    thread = f"{site}{_END.sub('', path)}{query and '?'}{query} {title}"
    bare = _BARE_PAGE.search(path)
    if bare and not query and re.search(r"\d", path[: bare.start()]):
        return PageKey(thread, f"{site}{path[: bare.start()]} {title}", int(bare[1]))
    return PageKey(thread, thread, number)


def _without_page(parts: SplitResult) -> tuple[str, str, int]:
    """Split an address into path and query without the page's number, and this number.

    The number stays if the rest would name no thread, as in `/?page=2`.
    """
    query = _SESSION.sub("", parts.query)
    marks = [_QUERY_PAGE.search(query), _PATH_PAGE.search(parts.path)]
    number = next((int(mark[1]) for mark in marks if mark), 0)
    smf = _TOPIC_PAGE.search(query)
    if smf:
        number = int(smf[2]) if smf[2].isdigit() else 0
    bare_query = _TOPIC_PAGE.sub(r"\1", _QUERY_PAGE.sub("", query)).lstrip("&;")
    bare_path = _PATH_PAGE.sub("", parts.path) or parts.path
    if number and not _THREAD_NAME.search(f"{bare_path}?{bare_query}"):
        return parts.path, query, 0
    return bare_path, bare_query, number


_LEAST_SHARED = 20  # letters of a post that shows that two pages are of one thread
_LEAST_ID = 4  # digits of a number that a forum gives only once; smaller ones count on a page


def joined(threads: Sequence[Thread]) -> list[Thread]:
    """Join the threads of pages that are one thread, in the order of the pages.

    A post that a later page repeats counts once: many pages repeat the first post. Only the first
    post of a thread is `first`. Pages without posts stay as they are.
    """
    return [join([threads[place] for place in group]) for group in thread_groups(threads)]


def joined_in_place(threads: Sequence[Thread], names: Sequence[str]) -> list[Thread]:
    """Return a thread for each page; the first page of a joined thread has all its posts.

    Its other pages have none, and `joined_to` is the name of the first one. `names` are the names
    of the pages.
    """
    made = [
        replace(page, posts=tuple(replace(post, page=0) for post in page.posts))
        if not page.pages
        else page
        for page in threads
    ]
    for group in thread_groups(threads):
        if len(group) == 1:
            continue
        made[group[0]] = join([threads[place] for place in group], [names[at] for at in group])
        for place in group[1:]:
            made[place] = replace(
                threads[place], posts=(), status=JOINED, joined_to=names[group[0]], pages=()
            )
    return made


def thread_groups(threads: Sequence[Thread]) -> list[list[int]]:
    """Group the places of pages by thread; each group is in the order of page numbers.

    Pages belong to one thread if title and address, without the number of a page, are equal. If a
    page has no address, or its address ends in a bare number that may be a thread's, equal titles
    are not enough. Then the pages must share a post, or the address without the number must be the
    address of another page.
    """
    keys = [page_key(page.url, page.topic) for page in threads]
    groups = _Groups(len(threads))
    by_thread, by_maybe = dict[str, int](), dict[str, list[int]]()
    for place, (page, key) in enumerate(zip(threads, keys, strict=True)):
        if page.posts and key.thread:
            groups.unite(by_thread.setdefault(key.thread, place), place)
        if page.posts and key.maybe and key.maybe != key.thread:
            by_maybe.setdefault(key.maybe, []).append(place)
    for maybe, places in by_maybe.items():
        base = by_thread.get(maybe)
        for place in places if base is not None else ():
            groups.unite(base or 0, place)
        _unite_by_posts(groups, threads, places if base is None else [])
    return groups.sorted(keys)


class _Groups:
    def __init__(self, count: int) -> None:
        self._group = [[place] for place in range(count)]

    def unite(self, first: int, second: int) -> None:
        """Merge the groups of two places; members of the smaller group move."""
        small, large = sorted((self._group[first], self._group[second]), key=len)
        if small is not large:
            large += small
            for place in small:
                self._group[place] = large

    def sorted(self, keys: Sequence[PageKey]) -> list[list[int]]:
        """The groups in the order of their first places, each in the order of page numbers."""
        members = {min(group): group for group in self._group}
        return [
            sorted(members[least], key=lambda place: (keys[place].number, place))
            for least in sorted(members)
        ]


def _unite_by_posts(groups: _Groups, threads: Sequence[Thread], places: Iterable[int]) -> None:
    """Unite pages that share a post with author, date or number, and enough letters."""
    first_with = dict[tuple[str, str, str], int]()
    for place in places:
        for post in threads[place].posts:
            words, mark = letters(post.text), post.date or post.post_id
            if len(words) >= _LEAST_SHARED and post.author and mark:
                groups.unite(first_with.setdefault((post.author, mark, words), place), place)


def join(pages: Sequence[Thread], names: Sequence[str] = ()) -> Thread:
    """Join pages into one thread, in their order; a page may itself be a joined thread.

    `names` stand for the addresses of pages that have none.
    """
    names = names or [""] * len(pages)
    listed = [page.pages or (page.url or name,) for page, name in zip(pages, names, strict=True)]
    merged = _Merged()
    for page, page_names in zip(pages, listed, strict=True):
        merged.add(page, page_names)
    posts = tuple(replace(post, first=place == 0) for place, post in enumerate(merged.posts()))
    score = min(page.score for page in pages)
    named = tuple(merged.pages) if len(merged.pages) > 1 else ()
    return replace(pages[0], posts=posts, score=score, pages=named)


@dataclass
class _Merged:
    """Collects the posts of pages; a post that an earlier page has is not added again."""

    pages: list[str] = field(default_factory=list)
    _rows: list[tuple[Post, dict[int, int]]] = field(default_factory=list)
    _seen: dict[tuple[str, ...], int] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def add(self, thread: Thread, names: Sequence[str]) -> None:
        """Add the posts of a page, or of a thread whose pages have these names."""
        start, indices, new = len(self.pages), dict[int, int](), list[tuple[Post, int]]()
        self.pages += names
        for place, post in enumerate(thread.posts):
            earlier = next((self._seen[key] for key in _shown(post) if key in self._seen), -1)
            indices[place] = len(self._rows) if earlier < 0 else earlier
            if earlier < 0:
                own_page = start + (post.page if thread.pages else 0)
                new.append((post, len(self._rows)))
                self._rows.append((replace(post, page=own_page), indices))
        for post, row in new:  # only now, since equal posts of one page are two posts
            for key in _keys(post):
                self._seen.setdefault(key, row)
            self._numbers.setdefault(post.post_id, row)

    def posts(self) -> list[Post]:
        """The posts in the order of their pages' numbers, with their replies."""
        numbers = [page_key(name, "").number for name in self.pages]
        order = sorted(
            range(len(self._rows)), key=lambda row: (numbers[self._rows[row][0].page], row)
        )
        places = {row: place for place, row in enumerate(order)}
        return [_answering(*self._rows[row], self._numbers, places) for row in order]


def _keys(post: Post) -> list[tuple[str, ...]]:
    """Return the keys under which a post is kept; a later page finds it by one of `_shown`.

    The key "bare" is for posts without a number.
    """
    words = (post.author, letters(post.text), *post.quotes)
    dated = [("date", post.date, *words), *([] if post.post_id else [("bare", post.date, *words)])]
    return [*dated, ("id", post.post_id, *words), ("number", post.post_id, post.author)]


def _shown(post: Post) -> list[tuple[str, ...]]:
    """Return the keys to look a post up by among the posts of earlier pages (`_keys`).

    Two posts are the same if author, words and number agree. If one of them has no number, author,
    words and date must agree. Author and number are enough if the number has `_LEAST_ID` digits: no
    page has so many posts that it could be the post's place on the page.
    """
    words = (post.author, letters(post.text), *post.quotes)
    if not post.post_id:
        return [("date", post.date, *words)]
    keys = [("id", post.post_id, *words), ("bare", post.date, *words)]
    return [*keys, *([("number", post.post_id, post.author)] * (len(post.post_id) >= _LEAST_ID))]


def _answering(
    post: Post, indices: Mapping[int, int], numbers: Mapping[str, int], places: Mapping[int, int]
) -> Post:
    """Point a post's reply at the answered post's place in the joined thread.

    `indices` map places on its page to rows, `numbers` map posts' numbers to rows, and `places` map
    rows to places in the thread.
    """
    reply = post.reply
    if reply is None:
        return post
    if reply.place < 0:
        return replace(
            post, reply=replace(reply, place=places.get(numbers.get(reply.post_id, -1), -1))
        )
    reply = moved_reply(reply, indices)
    return replace(post, reply=reply and moved_reply(reply, places))
