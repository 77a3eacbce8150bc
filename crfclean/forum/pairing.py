"""Pairing of annotated posts with the texts and fields of a page.

A field is paired with an annotation if it has the same letters once a few are removed (Sido 2017,
section 6.3): `Posted: 5 May` with `5 May`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from crfclean.forum.fields import COMM, DATES, NICK, NORM, ForumFields
from crfclean.types import Ints

SIMILAR = 0.9  # least similarity of two texts of one post
ALIKE = 0.75  # least similarity of a body and the post that labels its fields
MAX_REMOVED = 0.3  # share of a field's letters that may be removed, by the paper's experiment
UNKNOWN = -1
MAX_PAIRS = 250_000  # of texts compared on a page

_WORD = re.compile(r"\w+")
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class GoldPost:
    """An annotated post; missing values are ""."""

    text: str
    author: str = ""
    date: str = ""


def folded_words(text: str) -> str:
    """Lower-case the words of a text and join them by blanks, without punctuation.

    >>> folded_words("Hello, World!")
    'hello world'
    """
    return " ".join(_WORD.findall(text.lower()))


def letters(text: str) -> str:
    """Reduce a text to its letters and digits, in lower case.

    >>> letters("5. May 2020")
    '5may2020'
    """
    return _NO_LETTER.sub("", text.lower())


def matches(texts: Sequence[str], targets: Sequence[str], least: float = SIMILAR) -> dict[int, int]:
    """Match folded texts to folded targets, one to one, the most similar first; return places."""
    exact: dict[str, list[int]] = {}
    for place, text in enumerate(targets):
        exact.setdefault(text, []).append(place)
    pairs, open_targets = dict[int, int](), set(range(len(targets)))
    for place, text in enumerate(texts):
        if exact.get(text):
            pairs[place] = exact[text].pop(0)
            open_targets.discard(pairs[place])
    open_texts = [place for place in range(len(texts)) if place not in pairs]
    if len(open_texts) * len(open_targets) > MAX_PAIRS:
        return pairs
    cut = 100 * least
    sizes = sorted((len(targets[target]), target) for target in open_targets)
    lengths = [size for size, _ in sizes]
    scored = [
        (fuzz.ratio(texts[index], targets[target], score_cutoff=cut) / 100, index, target)
        for index in open_texts
        for _, target in sizes[_alike_in_length(lengths, len(texts[index]), least)]
    ]
    for score, index, target in sorted(scored, key=lambda row: (-row[0], row[1], row[2])):
        if score >= least and index not in pairs and target in open_targets:
            pairs[index] = target
            open_targets.discard(target)
    return pairs


def _alike_in_length(lengths: Sequence[int], length: int, least: float) -> slice:
    """The texts, by ascending length, that may be as similar as `least` to one of a length.

    Two texts of a and b characters are alike by 2 min(a, b) / (a + b) at most.
    """
    ratio = least / (2 - least)
    return slice(
        bisect_left(lengths, int(length * ratio)), bisect_right(lengths, length / ratio + 1)
    )


def fit_of(texts: Sequence[str], posts: Sequence[GoldPost]) -> float:
    """F1 of texts against the page's posts; empty texts are ignored."""
    found_texts = [text for text in map(folded_words, texts) if text]
    gold_texts = [text for text in (folded_words(post.text) for post in posts) if text]
    if not found_texts or not gold_texts:
        return 0.0
    return 2 * len(matches(found_texts, gold_texts)) / (len(found_texts) + len(gold_texts))


def is_paired(text: str, annotated: str, most_removed: float = MAX_REMOVED) -> bool:
    """Whether a field's text is an annotated text with few letters added.

    >>> is_paired("Posted: 5 May 2020", "5 May 2020", 0.5)
    True
    """
    field_letters, gold_letters = letters(text), letters(annotated)
    return (
        bool(gold_letters)
        and gold_letters in field_letters
        and len(gold_letters) >= (1 - most_removed) * len(field_letters)
    )


def is_part_of_date(text: str, annotated: str) -> bool:
    """Whether a field is a large part of an annotated date: its day, or its time."""
    field_letters, gold_letters = letters(text), letters(annotated)
    digits = sum(char.isdigit() for char in field_letters)
    return (
        digits >= 2
        and len(field_letters) >= max(4, 0.3 * len(gold_letters))
        and field_letters in gold_letters
    )


def field_labels(
    page_fields: ForumFields, posts: Sequence[GoldPost], most_removed: float = MAX_REMOVED
) -> Ints:
    """Label every field, shape (n,); `UNKNOWN` in records that match no annotated post."""
    records = page_fields.records
    page = records.page
    texts = [folded_words(page.text(int(node))) for node in records.bodies]
    pairs = matches(texts, [folded_words(post.text) for post in posts], ALIKE)
    inside = np.zeros(len(records.record), np.bool_)
    for node in records.bodies.tolist():
        inside[page.first[node] : page.last[node]] = True
    labels = np.full(len(page_fields), NORM)
    positions = dict[int, int]()
    for field, run in enumerate(page_fields.runs.tolist()):
        record = int(records.record[run])
        if record not in pairs:
            labels[field] = UNKNOWN
            continue
        post, text = posts[pairs[record]], page.page.runs.texts[run]
        place = -1
        if inside[run]:
            place = letters(post.text).find(letters(text), positions.get(record, 0))
        if place >= 0:
            positions[record] = place + len(letters(text))
            labels[field] = COMM
        elif is_paired(text, post.author, most_removed):
            labels[field] = NICK
        elif is_paired(text, post.date, most_removed) or is_part_of_date(text, post.date):
            labels[field] = DATES
    return labels
