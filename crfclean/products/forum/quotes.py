"""The words of posts that are quotes of other posts."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.products.forum.outline import Outline
from crfclean.products.forum.records import Records
from crfclean.types import Bools, Ints

_WHOLE = 0.9  # least share of a post's words in an element that holds the post
_MOST = 0.5  # share of the posts in elements of a name; with more, these hold the posts
_MAX_RUNS = 12  # in the line above a quote
_QUOTES_MAX_LINE = (
    120  # characters of the line above a quote, as in `Quote from: Ann on 5 May 2020`
)


@cache
def _attribution() -> re.Pattern[str]:
    """Match a line above a quote: `Quote from: Ann`, `Ann wrote:`."""
    labels, said = _label_words(), lexicon().pattern(lambda language: language.forum.said)
    return re.compile(rf"(?:{labels})(?!\w).*|.*\b(?:{said})(?!\w)\W{{0,4}}", re.IGNORECASE)


@cache
def _label() -> re.Pattern[str]:
    return re.compile(rf"(?:{_label_words()})\W{{0,4}}", re.IGNORECASE)


def _label_words() -> str:
    return lexicon().pattern(lambda language: language.forum.quote_labels)


def quoted_runs(page_records: Records, drop: Bools) -> Bools:
    """Mark each run of a quote inside a post, shape (runs,).

    Quotes are elements for quotes inside a body, except those that hold the post itself, and tables
    behind `Quote:`. The line above that names the quote's author belongs to the quote. `drop` marks
    runs that are not a post's words.
    """
    page = page_records.page
    inside = [_quotes_inside(page, body) for body in page_records.bodies.tolist()]
    own = _holders(page_records, inside, drop)
    spans = list[tuple[int, int]]()
    for body, quotes in zip(page_records.bodies.tolist(), inside, strict=True):
        start = int(page.first[body])
        kept = [node for node in quotes.tolist() if node not in own]
        for node in [*kept, *_labelled_tables(page, body)]:
            first = int(page.first[node])
            spans.append((_attribution_start(page, first, start), int(page.last[node])))
    bounds = np.array(spans, np.int64).reshape(-1, 2)
    return page.inside(bounds[:, 0], bounds[:, 1])


def _quotes_inside(outline: Outline, body: int) -> Ints:
    """Elements for quotes with text inside a body, in page order."""
    bounds = np.searchsorted(outline.quotes, [body + 1, int(outline.page.table.end[body])])
    quotes: Ints = outline.quotes[bounds[0] : bounds[1]]
    return quotes[outline.last[quotes] > outline.first[quotes]]


def _holders(page_records: Records, inside: list[Ints], drop: Bools) -> set[int]:
    """Elements that look like quotes and hold the post itself.

    Elements of one name hold the posts if they have nearly all words of more than half of the
    posts. In fewer posts such an element is a quote without a comment. Quotes inside an element
    that holds a post remain quotes.
    """
    page = page_records.page
    words = np.concatenate([[0], np.cumsum(np.diff(page.words) * ~drop)])
    holders, names, posts = list[int](), Counter[str](), 0
    for body, quotes in zip(page_records.bodies.tolist(), inside, strict=True):
        count = int(words[page.last[body]] - words[page.first[body]])
        posts += count > 0
        whole = words[page.last[quotes]] - words[page.first[quotes]] >= max(1, _WHOLE * count)
        nodes = quotes[whole].tolist()
        holders += nodes
        names.update({page.names[node] for node in nodes})
    return {node for node in holders if names[page.names[node]] > _MOST * posts}


def _attribution_start(outline: Outline, first: int, start: int) -> int:
    """The first run of a quote, or of the line above it if that line names the quote's author."""
    block = outline.page.table.run_block
    if first <= start or block[first - 1] == block[first]:
        return first
    above = first - 1
    while above > max(start, first - _MAX_RUNS) and block[above - 1] == block[first - 1]:
        above -= 1
    line = " ".join("".join(outline.page.table.run_texts[above:first]).split())
    return above if len(line) <= _QUOTES_MAX_LINE and _attribution().fullmatch(line) else first


def _labelled_tables(outline: Outline, body: int) -> list[int]:
    """Tables inside a body right after an element with `Quote:`, as vBulletin 3 writes quotes."""
    table = outline.page.table
    tables = []
    for run in range(int(outline.first[body]), int(outline.last[body])):
        if not _label().fullmatch(outline.masks[run]):
            continue
        node = int(table.run_node[run])
        after = int(table.end[node])
        if node > body and after < table.end[body] and table.tags[after] == "table":
            tables.append(after)
    return tables
