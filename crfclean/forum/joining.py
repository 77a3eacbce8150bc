"""Threads that span several pages, joined into one."""

from __future__ import annotations

import json
import re
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any
from urllib.parse import SplitResult, urlsplit

import numpy as np

from crfclean.corpus.operation import JOINED, OK
from crfclean.corpus.resume import Lock
from crfclean.corpus.rows import PACKERS, read_rows
from crfclean.corpus.shards import work_paths
from crfclean.corpus.slices import SLICE_RECORDS
from crfclean.forum.gold import letters
from crfclean.forum.replies import moved
from crfclean.forum.thread import Post, Thread, thread_from_dict, thread_to_dict
from crfclean.metadata.candidates import absolute
from crfclean.metadata.head import meta_candidates
from crfclean.types import Blocks

# recognise the pages of one thread by their addresses and titles

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
"""The page of a thread in an address; `_TOPIC_PAGE` is that of SMF, as in `topic=12.20`."""

_BARE_PAGE = re.compile(r"(?<=[^/])/(\d{1,5})/?$")
"""A number alone at the end: of a page (`/t/title/1205/20`) or of a thread (`/t/12`)."""

_END = re.compile(r"(?:\.html?|/)$", re.IGNORECASE)
_THREAD_NAME = re.compile(r"\d|[^/]-[^/]|_|%[0-9a-f]{2}|^/[^?]+/[^/?.]+/?\?$", re.IGNORECASE)
"""Signs that an address names a thread, not a list or a script, once its page is removed."""

_TOPIC_MARK = re.compile(
    r"[\s|,:(\[–—-]+(?:page|seite|strona|strana|stránka|pagina|página|sivu|sida|side|oldal|sayfa|"
    r"стр|страница|ページ|页|第)\W{0,2}\d{1,5}(?:\D{1,8}\d{1,5})?\W*$",
    re.IGNORECASE,
)
"""The number of a page at the end of a title."""


_STATED = ("link canonical", "meta og:url")
"""The elements in which a page names its own address, the surest first."""


@dataclass(frozen=True, slots=True)
class PageKey:
    """Key that tells which thread a page belongs to.

    Pages with one `thread` are of one thread; "" where the page has no address, or one without
    anything that names a thread. `maybe` is what all pages of a thread share, and other threads
    may have as well; "" for a page that shares nothing. `number` of the page is 0 if unknown.
    """

    thread: str
    maybe: str
    number: int = 0


def page_key(url: str, topic: str) -> PageKey:
    """The key of the page at an address, whose thread has this title.

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
    """Path and query of an address without the number of its page, and this number.

    Where nothing that names a thread would be left, as of `/?page=2`, the number stays.
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


def stated_address(page: Blocks) -> str:
    """The absolute address that a page gives as its own, "" if it gives none."""
    values = (value for value in meta_candidates(page) if value.source in _STATED)
    stated = {value.source: value.texts[0] for value in values}
    addresses = (absolute(stated[source], "") for source in _STATED if source in stated)
    return next(filter(None, addresses), "")


_LEAST_SHARED = 20  # letters of a post that tells by itself that two pages are of one thread
_LEAST_ID = 4  # digits of a number that a forum gives no two posts; smaller ones count on a page


def joined(threads: Sequence[Thread]) -> list[Thread]:
    """Join the threads of pages that are one thread, in the order of the pages.

    A post that a later page shows again, as many do with the first, counts once; the first post
    alone is `first`. Pages without posts stay as they are.
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
    """The places of the pages of each thread, by the number of the page; first places ascend.

    Pages are of one thread if their addresses are the same without the number of a page, and their
    titles are. Without addresses, or where a bare number may be a thread's, titles do not suffice:
    the pages must show a post in common, or the address without the number be that of a page.
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
        """Make one group of the groups of two places; the smaller one is moved."""
        small, large = sorted((self._group[first], self._group[second]), key=len)
        if small is not large:
            large += small
            for place in small:
                self._group[place] = large

    def sorted(self, keys: Sequence[PageKey]) -> list[list[int]]:
        """The groups, in the order of their least places, each by the numbers of its pages."""
        members = {min(group): group for group in self._group}
        return [
            sorted(members[least], key=lambda place: (keys[place].number, place))
            for least in sorted(members)
        ]


def _unite_by_posts(groups: _Groups, threads: Sequence[Thread], places: Iterable[int]) -> None:
    """Unite pages that show a post in common: its author, its date or number, and long words."""
    first_with = dict[tuple[str, str, str], int]()
    for place in places:
        for post in threads[place].posts:
            words, mark = letters(post.text), post.date or post.post_id
            if len(words) >= _LEAST_SHARED and post.author and mark:
                groups.unite(first_with.setdefault((post.author, mark, words), place), place)


def join(pages: Sequence[Thread], names: Sequence[str] = ()) -> Thread:
    """The thread of some pages, in their order.

    A page may be a thread that was joined before. `names` are those of pages without an address.
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
    """The posts of pages without those that an earlier page has, each with its page's indices."""

    pages: list[str] = field(default_factory=list)
    _rows: list[tuple[Post, dict[int, int]]] = field(default_factory=list)
    _seen: dict[tuple[str, ...], int] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def add(self, page: Thread, names: Sequence[str]) -> None:
        """Add the posts of a page, or of a thread whose pages have these names."""
        start, indices, new = len(self.pages), dict[int, int](), list[tuple[Post, int]]()
        self.pages += names
        for place, post in enumerate(page.posts):
            earlier = next((self._seen[key] for key in _shown(post) if key in self._seen), -1)
            indices[place] = len(self._rows) if earlier < 0 else earlier
            if earlier < 0:
                own_page = start + (post.page if page.pages else 0)
                new.append((post, len(self._rows)))
                self._rows.append((replace(post, page=own_page), indices))
        for post, row in new:  # after all of the page: equal posts of one page are two
            for key in _keys(post):
                self._seen.setdefault(key, row)
            self._numbers.setdefault(post.post_id, row)

    def posts(self) -> list[Post]:
        """The posts by their pages' numbers, and what they answer."""
        numbers = [page_key(name, "").number for name in self.pages]
        order = sorted(
            range(len(self._rows)), key=lambda row: (numbers[self._rows[row][0].page], row)
        )
        places = {row: place for place, row in enumerate(order)}
        return [_answering(*self._rows[row], self._numbers, places) for row in order]


def _keys(post: Post) -> list[tuple[str, ...]]:
    """Return the keys under which a post is kept, so that a later page may repeat it.

    The key "bare" is that of a post without a number.
    """
    words = (post.author, letters(post.text), *post.quotes)
    dated = [("date", post.date, *words), *([] if post.post_id else [("bare", post.date, *words)])]
    return [*dated, ("id", post.post_id, *words), ("number", post.post_id, post.author)]


def _shown(post: Post) -> list[tuple[str, ...]]:
    """Return the keys to look a post up by among the posts of earlier pages (`_keys`).

    Two posts are the same if author, words and number agree. If one of them has no number, author,
    words and date must agree. Author and number suffice if the number has `_LEAST_ID` digits: no
    page counts its posts so far.
    """
    words = (post.author, letters(post.text), *post.quotes)
    if not post.post_id:
        return [("date", post.date, *words)]
    keys = [("id", post.post_id, *words), ("bare", post.date, *words)]
    return [*keys, *([("number", post.post_id, post.author)] * (len(post.post_id) >= _LEAST_ID))]


def _answering(
    post: Post, indices: Mapping[int, int], numbers: Mapping[str, int], places: Mapping[int, int]
) -> Post:
    """A post whose reply has the place that the answered post has in the thread.

    `indices` lead from its page to rows, `numbers` from posts' numbers, `places` to the thread.
    """
    reply = post.reply
    if reply is None:
        return post
    if reply.place < 0:
        return replace(
            post, reply=replace(reply, place=places.get(numbers.get(reply.post_id, -1), -1))
        )
    reply = moved(reply, indices)
    return replace(post, reply=reply and moved(reply, places))


# join the threads in the rows of a finished shard, wherever its rows stand
#
# The rows are read three times: once for the keys of their threads, once more for those rows
# whose key others have, and once to write the shard. Memory is some 40 bytes a row, and the rows
# of one key (at most `MAX_ROWS`); a copy of the unpacked rows lies beside the shard meanwhile.

MAX_ROWS = 2_000  # of one key that are in memory together; further ones are joined by themselves
_NO_KEY = 0


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows whose posts went to another row, and those that share a title alone and stay apart."""

    joined: int = 0
    apart: int = 0


def join_rows(target: Path, ending: str) -> RowCounts:
    """Join the threads of a shard of rows in place; it stays as it is if there are none to join.

    Raises `CrfcleanError` where another run writes it, or its rows cannot be read.
    """
    lock = Lock(work_paths(target).lock, target)
    try:
        with tempfile.TemporaryFile(dir=target.parent) as lines:
            rows = _Rows(lines)
            rows.read(target, ending)
            counts = rows.join()
            if counts.joined:
                _write(target, ending, rows.lines())
    finally:
        lock.release()
    return counts


class _Rows:
    """The rows of a shard in a temporary file; those that change are written anew at its end."""

    def __init__(self, lines: IO[bytes]) -> None:
        self._lines = lines
        self._starts, self._keys = array("q"), array("Q")
        self._moved = dict[str, str]()  # ids of rows with other pages' posts -> where these are now

    def read(self, target: Path, ending: str) -> None:
        """Keep the lines of a shard, and the key of each."""
        for row in read_rows(target, ending):
            self._starts.append(self._lines.tell())
            self._keys.append(_digest(json.loads(row.line)) if row.status == OK else _NO_KEY)
            self._lines.write(row.line)

    def join(self) -> RowCounts:
        """Join the rows of each key that several rows have."""
        keys = np.asarray(self._keys, np.uint64)
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=_NO_KEY)) if len(order) else order
        ends = np.append(starts[1:], len(order))
        joined = apart = 0
        for run in np.flatnonzero(ends - starts > 1).tolist():
            for start in range(int(starts[run]), int(ends[run]), MAX_ROWS):
                counts = self._join(order[start : min(start + MAX_ROWS, ends[run])].tolist())
                joined, apart = joined + counts.joined, apart + counts.apart
        return RowCounts(joined, apart)

    def _join(self, places: Sequence[int]) -> RowCounts:
        """Join some rows as far as they are of one thread."""
        rows = [json.loads(self._line(place)) for place in places]
        threads = [thread_from_dict(row) for row in rows]
        groups = thread_groups(threads)
        if len(groups) < len(rows):
            made = joined_in_place(threads, [row["id"] for row in rows])
            for group in groups:
                for at in group if len(group) > 1 else ():
                    self._change(places[at], rows[at], made[at])
        return RowCounts(len(rows) - len(groups), len(groups) - 1)

    def _change(self, place: int, row: dict[str, Any], thread: Thread) -> None:
        """Replace a row by that of a thread."""
        had_pages = bool(row["pages"])
        row |= thread_to_dict(thread)
        if thread.status == JOINED:
            row["message"] = f"joined with {thread.joined_to}"
            if had_pages:
                self._moved[row["id"]] = thread.joined_to
        self._starts[place] = self._lines.seek(0, 2)
        self._lines.write(_line_of(row))

    def _line(self, place: int) -> bytes:
        self._lines.seek(self._starts[place])
        return self._lines.readline()

    def lines(self) -> Iterator[bytes]:
        """All lines, in their order."""
        return (self._followed(self._line(place)) for place in range(len(self._starts)))

    def _followed(self, line: bytes) -> bytes:
        """A line that names the row which has its page's posts now."""
        row = json.loads(line) if self._moved else {}
        if row.get("joinedTo") not in self._moved:
            return line
        row["joinedTo"] = self._moved[row["joinedTo"]]
        return _line_of(row | {"message": f"joined with {row['joinedTo']}"})


def _line_of(row: dict[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _digest(row: dict[str, Any]) -> int:
    """A number for what the pages of a thread share, `_NO_KEY` where a row shares nothing."""
    key = page_key(row.get("url") or "", (row.get("topic") or {}).get("name", "")).maybe
    data = blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(data, "big") if key else _NO_KEY


def _write(target: Path, ending: str, lines: Iterator[bytes]) -> None:
    """Write a shard, member by member, and give it its name when it is complete."""
    made = work_paths(target).made
    try:
        with made.open("wb") as stream:
            while member := list(islice(lines, SLICE_RECORDS)):
                stream.write(PACKERS[ending](b"".join(member)))
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)
