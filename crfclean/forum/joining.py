"""Threads that span several pages, joined into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from crfclean.corpus.operation import JOINED
from crfclean.forum.pairing import letters
from crfclean.forum.replies import moved
from crfclean.forum.thread import Post, Thread
from crfclean.forum.thread_keys import PageKey, page_key

_LEAST_SHARED = 20  # letters of a post that tells by itself that two pages are of one thread
_LEAST_ID = 4  # digits of a number that a forum gives no two posts; smaller ones count on a page


def joined(threads: Sequence[Thread]) -> list[Thread]:
    """Join the threads of pages that are one thread, in the order of the pages.

    A post that a later page shows again, as many do with the first, counts once; the first post
    alone is `first`. Pages without posts stay as they are.
    """
    return [join([threads[place] for place in group]) for group in thread_groups(threads)]


def joined_in_place(threads: Sequence[Thread], names: Sequence[str]) -> list[Thread]:
    """A thread for each page: the joined one in place of its first page, whose name others have.

    `names` are those of the pages.
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
    """Places, united into groups."""

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
    """What a post may be known by on a later page."""
    words = (post.author, letters(post.text), *post.quotes)
    dated = [("date", post.date, *words), *([] if post.post_id else [("bare", post.date, *words)])]
    return [*dated, ("id", post.post_id, *words), ("number", post.post_id, post.author)]


def _shown(post: Post) -> list[tuple[str, ...]]:
    """What an earlier page must have of a post to show it: of one author, as all of `_keys` are.

    The same number and words; the same date and words where one of the two has no number; or a
    number so high that no page counts up to it.
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
