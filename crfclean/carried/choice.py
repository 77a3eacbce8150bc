"""Choose between the visible and the hidden text of a page, and open closed panels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from crfclean.page.arrays import having
from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.elements import Look, is_hidden, look
from crfclean.page.measures import measured
from crfclean.types import Blocks, Bools, Document, Label, Page, Tagger

# weigh the text in hidden elements, and find closed panels among the text of a page

MIN_PANELS = 2  # panels that look alike
MIN_HEADED = 0.5  # share of panels that look alike with a heading of their own; captions have none
NEAR = 5  # blocks after the last kept block, or after the last heading of a panel
MIN_WORDS = 40  # kept words of all panels together
MIN_SHARE = 0.05  # share of the page's kept words; panels with fewer are an aside
MIN_KEPT = 0.9  # share of the words in panels that is kept; of hidden menus and forms less is
_CHARS_PER_WORD = 2  # the least, in all languages
_MAX_PLACEHOLDER_CHARS = 60
_ELLIPSES = ("…", "...")
_MAX_HEADING_CHARS = 150  # of the text above a panel


def hidden_blocks(blocks: Blocks, looks: AbstractSet[Look] | None = None) -> Bools:
    """Return a mask of the blocks in hidden elements, or in those of some looks, shape (n,)."""
    nodes, hidden = blocks.nodes, np.zeros(len(blocks), bool)
    places = [node for node, tag in enumerate(nodes.tags) if tag == "dialog"]
    for node in [*having(nodes.attributes, ("hidden", "style")), *places]:
        tag, attributes = nodes.tags[node], nodes.attributes[node]
        if is_hidden(tag, attributes) and (looks is None or look(tag, attributes) in looks):
            hidden[nodes.first_block[node] : nodes.end_block[node]] = True
    return hidden


def without_placeholders(document: Document) -> Document:
    """Return a document of hidden text without visible placeholders such as "Loading results…"."""
    labels, hidden = document.tags.labels.copy(), hidden_blocks(document.blocks)
    for block in np.flatnonzero(document.tags.kept & ~hidden).tolist():
        text = document.blocks.texts[block]
        if len(text) <= _MAX_PLACEHOLDER_CHARS and text.endswith(_ELLIPSES):
            labels[block] = Label.OTHER
    return replace(document, tags=replace(document.tags, labels=labels))


def closed_panels(document: Document) -> frozenset[Look]:
    """Return the looks of hidden elements that may be panels of a page's text.

    A panel stands below a short text in the same parent that the reader clicks, as an answer stands
    below its question. Several panels look alike and stand among the kept blocks; menus stand
    before these blocks.
    """
    kept = document.kept
    if not kept:
        return frozenset()
    first, last = kept[0], kept[-1] + NEAR
    least = _CHARS_PER_WORD * _least(float(measured(document.blocks).words[kept].sum()))
    panels: dict[Look, list[int]] = defaultdict(list)
    headings: dict[Look, set[str]] = defaultdict(set)  # distinct: "Show the caption" is no heading
    for panel, chars, heading in _closed(document.blocks):
        panels[panel].append(chars)
        if first <= heading <= last:
            headings[panel].add(document.blocks.texts[heading])
            last = max(last, heading + NEAR)
    return frozenset(
        panel
        for panel, above in headings.items()
        if len(above) >= max(MIN_PANELS, MIN_HEADED * len(panels[panel]))
        and sum(panels[panel]) >= least
    )


def _closed(blocks: Blocks) -> Iterator[tuple[Look, int, int]]:
    """Yield the look, the characters and the heading (a block, or -1) of each hidden element."""
    nodes = blocks.nodes
    for node, chars in blocks.hidden.items():
        if node >= 0:
            heading = int(nodes.first_block[node]) - 1
            headed = (
                heading >= 0
                and nodes.parent[node] <= blocks.node[heading] < node
                and len(blocks.texts[heading]) <= _MAX_HEADING_CHARS
            )
            yield look(nodes.tags[node], nodes.attributes[node]), chars, heading if headed else -1


def are_content(opened: Document, looks: AbstractSet[Look]) -> bool:
    """Return whether opened panels belong to the text of their page, by their kept words."""
    words, kept = measured(opened.blocks).words, opened.tags.kept
    inside = hidden_blocks(opened.blocks, looks)
    panel_words = float(words[inside & kept].sum())
    least = _least(float(words[kept].sum()))
    return panel_words >= max(least, MIN_KEPT * float(words[inside].sum()))


def _least(kept_words: float) -> float:
    """Return the fewest words with which panels are part of a page's text."""
    return max(MIN_WORDS, MIN_SHARE * kept_words)


# whether a page shows a text that it also carries

MAX_TOKENS = 50_000  # words of each text that are compared
MIN_COVER = 0.5  # share of a text's runs on the page from which the text counts as shown
_LENGTH = 4  # words in a run; any two texts share shorter runs

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def is_shown(carried: Iterable[str], shown: Iterable[str]) -> bool:
    """Return whether the page's visible texts contain most word runs of a carried text.

    >>> is_shown(["The rain came late in May."], ["News", "The rain came late in May. Then sun."])
    True
    """
    return shown_share(carried, shown) >= MIN_COVER


def shown_share(carried: Iterable[str], shown: Iterable[str]) -> float:
    """Return the share of the word runs of a carried text that the visible texts contain (0..1)."""
    runs = _runs(carried)
    return len(runs & _runs(shown)) / len(runs) if runs else 0.0


def _runs(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """Return the distinct runs of words of texts; an ideograph is a word."""
    found = (token[0] for text in texts for token in _TOKEN.finditer(text.lower()))
    tokens = list(islice(found, MAX_TOKENS))
    return set(zip(*(tokens[start:] for start in range(_LENGTH)), strict=False))


# choose between the text that a page shows and its hidden text


class Rule(NamedTuple):
    """The conditions under which hidden text replaces visible text.

    At most `most` words of the visible text are kept. Of the hidden text at least `least` are kept:
    at least `times` the kept words of the visible text, and `times_all` all words of the page.
    """

    most: int
    least: int
    times: float
    times_all: float


RULES = (
    Rule(most=60, least=100, times=3.0, times_all=0.5),
    Rule(most=300, least=200, times=2.5, times_all=2.0),
)
"""One of the rules must hold; eval/FINDINGS.md has the figures."""

MIN_HIDDEN_CHARS = 200  # scripts and styles included; less is no panel of a text


def count_words(document: Document) -> tuple[float, float]:
    """Return the numbers of kept words and of all words of a document."""
    if not len(document.blocks):
        return 0.0, 0.0
    page = measured(document.blocks)
    return float(page.words[document.tags.kept].sum()), page.all_words


def with_carried(
    document: Document, page: Page, tagger: Tagger, params: SplitParams, max_blocks: int | None
) -> Document:
    """Return the document, or that of the page's hidden text if the page shows far less.

    Hidden text does not count if the page also shows it, or if it has more than `max_blocks`
    blocks.
    """
    if page.status != "ok":
        return document
    words = count_words(document)
    if is_better(*words, document.blocks.hidden_chars / _CHARS_PER_WORD):
        read_page, blocks = bounded(page, replace(params, hidden=True), max_blocks)
        if read_page.status == "ok" and len(blocks):
            carried = _tagged(document, replace(blocks, source="hidden"), tagger)
            kept = measured(blocks).words[carried.tags.kept & hidden_blocks(blocks)]
            if is_better(*words, float(kept.sum())) and _is_new(carried):
                return without_placeholders(carried)
    return _with_panels(document, page, tagger, params, max_blocks)


def _with_panels(
    document: Document, page: Page, tagger: Tagger, params: SplitParams, max_blocks: int | None
) -> Document:
    """Return the document, with closed panels open if they belong to its text."""
    if document.blocks.source or document.blocks.hidden_chars < MIN_HIDDEN_CHARS:
        return document
    looks = closed_panels(document)
    if not looks:
        return document
    read_page, blocks = bounded(page, replace(params, opened=looks), max_blocks)
    if read_page.status != "ok":
        return document
    opened = _tagged(document, replace(blocks, source="panels"), tagger)
    return opened if are_content(opened, looks) and _is_new(opened, looks) else document


def _tagged(document: Document, blocks: Blocks, tagger: Tagger) -> Document:
    return replace(
        document,
        blocks=blocks,
        tags=tagger.tag(blocks),
        status="ok",
        truncated=blocks.truncated or document.truncated,
        shown=document.blocks,
    )


def _is_new(carried: Document, looks: AbstractSet[Look] | None = None) -> bool:
    """Return whether the page does not also show its hidden text."""
    texts = carried.blocks.texts
    new = (texts[index] for index in np.flatnonzero(hidden_blocks(carried.blocks, looks)).tolist())
    return not is_shown(new, carried.page_blocks.texts)


def is_better(kept: float, shown: float, hidden: float) -> bool:
    """Return whether `hidden` kept words replace a page with `kept` words of `shown` words."""
    return any(
        kept <= rule.most and hidden >= max(rule.least, rule.times * kept, rule.times_all * shown)
        for rule in RULES
    )
