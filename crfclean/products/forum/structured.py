"""Complete posts with the facts that JSON-LD and markup state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from html import unescape
from itertools import islice
from typing import Any

import numpy as np

from crfclean.page.head import Addresses, json_objects
from crfclean.products.forum.dates import DAY, EXACT, NEVER, When, read_machine_date
from crfclean.products.forum.outline import Outline, folded_words, letters
from crfclean.products.forum.picking import MAX_AUTHOR
from crfclean.products.forum.records import Records
from crfclean.products.forum.replies import DATA, Reply, moved, stated_replies
from crfclean.products.forum.stated import overlapping
from crfclean.products.forum.thread import Post
from crfclean.types import Blocks, Bools

# posts in a page's JSON-LD, and their matching to the posts of the page
#
# Items have types of schema.org (DiscussionForumPosting, Question, Answer, Comment). An item is
# matched to the post that begins with the same letters.

_REPLIES = frozenset(["Answer", "Comment"])
_TYPES = _REPLIES | {"DiscussionForumPosting", "SocialMediaPosting", "Question"}
_TEXT_KEYS = ("text", "articleBody", "description")
_ANSWER_KEYS = ("comment", "suggestedAnswer", "acceptedAnswer")
_DATE_KEYS = ("datePublished", "dateCreated")
MAX_DATA_ITEMS = 1_000  # read from a page
_MAX_CHARS = 20_000  # compared, of an item's or a post's text
_MAX_ADDRESS = 2_000  # characters of an address
_MAX_NUMBER = 40  # characters of an identifier
_BEGINNING = 60  # letters that a post and its item have in common
_SAME_DAY = 1  # days by which time zones may shift a date
_NO_DAY = "1970-01-01"  # written by programs for missing dates

_TAG = re.compile(r"<[^<>]*>")
_IN_ADDRESS = re.compile(r"[#=/](?:[a-z]+[-_]?)?(\d{1,20})/?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DataItem:
    """A post as stated in JSON-LD; missing values are "" or `NEVER`.

    `number` is its identifier, else the number at the end of its address. `answers` is the text of
    the post that it answers; items that differ only in it are equal.
    """

    text: str
    author: str = ""
    author_url: str = ""
    when: When = NEVER
    url: str = ""
    number: str = ""
    answers: str = field(default="", compare=False)


def data_items(objects: Iterable[dict[str, Any]]) -> list[DataItem]:
    """Read the posts with text among objects of JSON-LD; malformed data are skipped."""
    values = [value for value in objects if _types(value) & _TYPES]
    texts = _answered_texts(values)
    items = (replace(_data_item(value), answers=texts.get(id(value), "")) for value in values)
    read = dict[DataItem, str]()
    for item in islice((item for item in items if item.text), MAX_DATA_ITEMS):
        read[item] = read.get(item) or item.answers
    uses, numbers = Counter(item.url for item in read), Counter(item.number for item in read)
    return [
        replace(
            item,
            url=item.url if uses[item.url] == 1 else "",
            number=item.number if numbers[item.number] == 1 else "",
            answers=answers,
        )
        for item, answers in read.items()
    ]


def _answered_texts(values: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Map the identity of each object to the text of the object that it answers.

    An answer is inside the answered object, or names it as its `parentItem`.
    """
    texts = [_text(value) for value in values]
    named = {_reference(value): text for value, text in zip(values, texts, strict=True) if text}
    answered = dict[int, str]()
    for value, text in zip(values, texts, strict=True):
        for key in _ANSWER_KEYS:
            inner = value.get(key)
            for answer in inner if isinstance(inner, list) else [inner]:
                answered[id(answer)] = text
        parent = value.get("parentItem")
        parent = parent if isinstance(parent, dict) else {"@id": parent}
        name = _reference(parent)
        if name and name in named:
            answered[id(value)] = named[name]
    return answered


def _reference(value: Mapping[str, Any], *names: str) -> str:
    """Return the name by which other objects refer to an object: its first such property, or ""."""
    return _plain(next(filter(None, map(value.get, names or ("@id", "url"))), ""), _MAX_ADDRESS)


def _text(value: Mapping[str, Any]) -> str:
    texts = (_plain(value.get(key), _MAX_CHARS) for key in _TEXT_KEYS)
    return folded_words(next(filter(None, texts), ""))


def _types(value: Mapping[str, Any]) -> set[str]:
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.rpartition("/")[2] for name in names if isinstance(name, str)}


def _data_item(value: Mapping[str, Any]) -> DataItem:
    dates = (read_machine_date(_plain(value.get(key), _MAX_ADDRESS)) for key in _DATE_KEYS)
    when = next(filter(None, dates), NEVER)
    author = value.get("author")
    if isinstance(author, list):
        author = author[0] if author else None
    if not isinstance(author, dict):
        author = {"name": author}
    name, link = _plain(author.get("name"), _MAX_ADDRESS), _plain(author.get("url"), _MAX_ADDRESS)
    url = _reference(value, "url", "@id") if _types(value) & _REPLIES else ""
    name = name if len(name) <= MAX_AUTHOR else ""
    return DataItem(_text(value), name, link, when, url, _number(value, url))


def _number(value: Mapping[str, Any], url: str) -> str:
    """An item's identifier, which may be a PropertyValue; else the number in its address."""
    stated = value.get("identifier")
    if isinstance(stated, dict):
        stated = stated.get("value")
    number = str(stated) if isinstance(stated, int) and not isinstance(stated, bool) else stated
    text = _plain(number, _MAX_NUMBER + 1)
    if text and len(text) <= _MAX_NUMBER and not re.search(r"[\s/:]", text):
        return text
    last = _IN_ADDRESS.search(url)
    return last[1] if last else ""


def _plain(value: Any, limit: int) -> str:
    """A text without tags and lone surrogates, white space folded; "" for other values."""
    if not isinstance(value, str):
        return ""
    text = unescape(value[:limit])
    bare = _TAG.sub(" ", text) if "<" in text else text
    return " ".join(bare.encode("utf-8", "ignore").decode().split())


def match_items(texts: Sequence[str], items: Sequence[DataItem]) -> dict[int, DataItem]:
    """Match texts to items that begin with the same letters; return the item by the text's place.

    Beginnings that two texts or two items share are not matched.

    >>> match_items(["Tea, please!"], [DataItem("tea please", "ann")])[0].author
    'ann'
    """
    begun = _by_beginning([item.text for item in items])
    return {place: items[begun[key]] for key, place in _by_beginning(texts).items() if key in begun}


def _by_beginning(texts: Sequence[str]) -> dict[str, int]:
    """Map the first letters of each text to its place, if no other text begins with them."""
    keys = [letters(text[:_MAX_CHARS])[:_BEGINNING] for text in texts]
    counts = Counter(keys)
    return {key: place for place, key in enumerate(keys) if key and counts[key] == 1}


def surer_date(shown: When, stated: When) -> When:
    """Choose between a date as shown on the page and as stated in its data.

    The stated date is better if the page shows no day, or the same day without the time. Otherwise
    the shown date is better: data often have a wrong date, such as 1970 for a missing one.
    """
    if stated.certainty not in {EXACT, DAY} or stated.iso.startswith(_NO_DAY):
        return shown
    if shown.certainty not in {EXACT, DAY} or not shown.iso:
        return stated
    days = [date.fromisoformat(when.iso[:10]) for when in (shown, stated)]
    near = abs((days[0] - days[1]).days) <= _SAME_DAY
    return stated if near and stated.certainty == EXACT and shown.certainty == DAY else shown


# complete posts with the page's JSON-LD, microdata and markup


def with_json_ld(page: Blocks, page_posts: Sequence[Post], base: str) -> tuple[Post, ...]:
    """Complete and correct posts by the page's JSON-LD; no post is added or lost."""
    items = data_items(json_objects(page)) if page_posts else []
    if not items:
        return tuple(page_posts)
    matches = match_items([post.text for post in page_posts], items)  # data may leave quotes out
    matches |= match_items([post.full for post in page_posts], items)
    texts = {item.text: at for at, item in matches.items()}
    data_posts = [
        _with_data(post, matches[at], base) if at in matches else post
        for at, post in enumerate(page_posts)
    ]
    for at, item in matches.items():
        answered = texts.get(item.answers, at)
        if answered != at:
            reply = Reply(answered, data_posts[answered].post_id, DATA)
            data_posts[at] = replace(data_posts[at], reply=reply)
    return tuple(data_posts)


def with_microdata(
    stated: Mapping[int, Mapping[str, Any]], page_posts: Sequence[Post], outline: Outline, base: str
) -> tuple[Post, ...]:
    """Complete and correct posts by a page's `stated_posts`; no post is added or lost."""
    if not stated or not page_posts:
        return tuple(page_posts)
    nodes = np.array([post.node for post in page_posts])
    own = overlapping(outline, nodes, np.array(list(stated))).tolist()
    items = [_data_item(value) for value in stated.values()]
    return tuple(
        _with_data(post, items[at], base) if at >= 0 else post
        for post, at in zip(page_posts, own, strict=True)
    )


def _with_data(post: Post, item: DataItem, base: str) -> Post:
    """Take from a post's item the facts that the page lacks or states otherwise."""
    other = bool(item.author) and letters(item.author) != letters(post.author)
    link = Addresses("", base).absolute(item.author_url) if other or not post.author_url else ""
    changes: dict[str, Any] = {
        "author": item.author if other else post.author,
        "author_url": link if other else post.author_url or link,
        "published": surer_date(post.published, item.when),
        "url": Addresses("", base).absolute(item.url) or post.url,
        "post_id": item.number or post.post_id,
    }
    return replace(
        post,
        **changes,
        from_data=tuple(key for key in changes if changes[key] != getattr(post, key)),
    )


def with_replies(
    page_posts: Sequence[Post], kept: Sequence[int], records: Records, quoted: Bools
) -> tuple[Post, ...]:
    """Add the links from posts to answered posts; `kept` are the posts' places in the records.

    `quoted` marks the runs of quotes, (runs,). The markup has precedence over JSON-LD, in which
    answers that quote another post are often listed below the first one.
    """
    ids = [""] * len(records)
    for post, place in zip(page_posts, kept, strict=True):
        ids[place] = post.post_id
    stated = stated_replies(records, quoted, ids)
    indices = {place: at for at, place in enumerate(kept)}
    replies = [moved(stated[place], indices) for place in kept]
    return tuple(
        replace(post, reply=reply or post.reply)
        for post, reply in zip(page_posts, replies, strict=True)
    )
