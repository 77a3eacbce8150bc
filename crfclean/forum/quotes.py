"""Which words of a page's posts are quotes of other posts."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import numpy as np

from crfclean.forum.outline import Outline
from crfclean.forum.records import Records
from crfclean.lexicon import lexicon
from crfclean.types import Bools, Ints

_WHOLE = 0.9  # share of a post's words from which an element holds the post
_MOST = 0.5  # share of the posts above which elements of a name hold the posts themselves
_MAX_RUNS = 12  # in the line above a quote
_MAX_LINE = 120  # characters of the line above a quote, as in `Quote from: Ann on 5 May 2020`


@cache
def _attribution() -> re.Pattern[str]:
    """Match a line above a quote: `Quote from: Ann`, `Ann wrote:`."""
    labels, said = _label_words(), lexicon().pattern(lambda language: language.forum.said)
    return re.compile(rf"(?:{labels})(?!\w).*|.*\b(?:{said})(?!\w)\W{{0,4}}", re.IGNORECASE)


@cache
def _label() -> re.Pattern[str]:
    """Match a line that says no more than that a quote follows: `Quote:`."""
    return re.compile(rf"(?:{_label_words()})\W{{0,4}}", re.IGNORECASE)


def _label_words() -> str:
    return lexicon().pattern(lambda language: language.forum.quote_labels)


def quoted_runs(page_records: Records, drop: Bools) -> Bools:
    """Whether each run is of a quote inside a post, shape (runs,).

    Quotes are the elements made for them inside the posts' bodies, without those that hold the
    post itself; tables below a line `Quote:`; and the lines above that name the quote's author.
    `drop` marks runs that are no words of a post.
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


def _quotes_inside(page: Outline, body: int) -> Ints:
    """Elements with text that are made for quotes, below a body, in page order."""
    bounds = np.searchsorted(page.quotes, [body + 1, int(page.page.nodes.end[body])])
    quotes: Ints = page.quotes[bounds[0] : bounds[1]]
    return quotes[page.last[quotes] > page.first[quotes]]


def _holders(page_records: Records, inside: list[Ints], drop: Bools) -> set[int]:
    """Elements that look like quotes and hold the post itself.

    A quote leaves the post words of its own beside it. Elements of one name that hold nearly all
    words of most posts on the page are the template's; one that does so in a few is a quote
    without comment. Quotes within an element that holds the post remain quotes.
    """
    page = page_records.page
    words = np.concatenate([[0], np.cumsum(np.diff(page.words) * ~drop)])
    holders, names, posts = list[int](), Counter[str](), 0
    for body, quotes in zip(page_records.bodies.tolist(), inside, strict=True):
        count = int(words[page.last[body]] - words[page.first[body]])
        posts += count > 0
        whole = words[page.last[quotes]] - words[page.first[quotes]] >= max(1, _WHOLE * count)
        nodes = [node for node in quotes[whole].tolist() if not _is_cited(page, node, quotes, body)]
        holders += nodes
        names.update({page.names[node] for node in nodes})
    return {node for node in holders if names[page.names[node]] > _MOST * posts}


def _is_cited(page: Outline, node: int, quotes: Ints, body: int) -> bool:
    """Whether a line above a quote, or a `cite` that begins it, names its author."""
    first = int(page.first[node])
    if _attribution_start(page, first, int(page.first[body])) < first:
        return True
    inner = quotes[(quotes > node) & (page.first[quotes] == first)]
    around = int(page.page.runs.node[first])
    while around > node and page.page.nodes.tags[around] != "cite":
        around = int(page.page.nodes.parent[around])
    return around > node and not len(inner)


def _attribution_start(page: Outline, first: int, start: int) -> int:
    """The first run of a quote together with the line above it, if that names its author."""
    block = page.page.runs.block
    if first <= start or block[first - 1] == block[first]:
        return first
    above = first - 1
    while above > max(start, first - _MAX_RUNS) and block[above - 1] == block[first - 1]:
        above -= 1
    line = " ".join("".join(page.page.runs.texts[above:first]).split())
    return above if len(line) <= _MAX_LINE and _attribution().fullmatch(line) else first


def _labelled_tables(page: Outline, body: int) -> list[int]:
    """Tables inside a body beside an element that says `Quote:`, as vBulletin 3 writes quotes."""
    nodes, runs = page.page.nodes, page.page.runs
    tables = []
    for run in range(int(page.first[body]), int(page.last[body])):
        if not _label().fullmatch(page.masks[run]):
            continue
        node = int(runs.node[run])
        after = int(nodes.end[node])
        if node > body and after < nodes.end[body] and nodes.tags[after] == "table":
            tables.append(after)
    return tables
