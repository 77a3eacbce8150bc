"""Posts in a page's JSON-LD, and their matching to the posts of the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from html import unescape
from itertools import islice
from typing import Any

from crfclean.products.forum.dates import DAY, EXACT, NEVER, When, read_machine_date
from crfclean.products.forum.outline import folded_words, letters
from crfclean.products.forum.picking import MAX_AUTHOR

_REPLIES = frozenset(["Answer", "Comment"])
_TYPES = _REPLIES | {"DiscussionForumPosting", "SocialMediaPosting", "Question"}
_TEXT_KEYS = ("text", "articleBody", "description")
_ANSWER_KEYS = ("comment", "suggestedAnswer", "acceptedAnswer")
_DATE_KEYS = ("datePublished", "dateCreated")
MAX_DATA_ITEMS = 1_000  # read from a page
_MAX_COMPARED_CHARS = 20_000  # compared, of an item's or a post's text
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
    items = (replace(data_item(value), answers=texts.get(id(value), "")) for value in values)
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
    texts = (_plain(value.get(key), _MAX_COMPARED_CHARS) for key in _TEXT_KEYS)
    return folded_words(next(filter(None, texts), ""))


def _types(value: Mapping[str, Any]) -> set[str]:
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.rpartition("/")[2] for name in names if isinstance(name, str)}


def data_item(value: Mapping[str, Any]) -> DataItem:
    """Return the post of an object of JSON-LD."""
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
    keys = [letters(text[:_MAX_COMPARED_CHARS])[:_BEGINNING] for text in texts]
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
