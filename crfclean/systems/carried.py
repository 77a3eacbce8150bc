"""Take text that a page carries but does not show: hidden articles, closed panels, frames."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.elements import Look, is_hidden, look
from crfclean.page.head import Addresses, json_objects
from crfclean.types import Blocks, Bools, Document, Page, Tagger

# weigh the text in hidden elements, and find closed panels among the text of a page

MIN_PANELS = 2  # panels that look alike
MIN_HEADED = 0.5  # share of panels that look alike with a heading of their own; captions have none
NEAR = 5  # blocks after the last kept block, or after the last heading of a panel
MIN_WORDS = 40  # kept words of all panels together
MIN_SHARE = 0.05  # share of the page's kept words; panels with fewer are an aside
MIN_KEPT = 0.9  # share of the words in panels that is kept; of hidden menus and forms less is
_CHARS_PER_WORD = 2  # the least, in all languages
_MAX_HEADING_CHARS = 150  # of the text above a panel
_ROW_OF_TABS = re.compile(r"^tablist$|(?:^|\s)(?:nav-)?tabs(?=\s|$)|tab-(?:list|nav|bar)")


def hidden_blocks(blocks: Blocks, looks: AbstractSet[Look] | None = None) -> Bools:
    """Return a mask of the blocks in hidden elements, or in those of some looks, shape (n,)."""
    table, hidden = blocks.table, np.zeros(len(blocks), bool)
    places = [node for node, tag in enumerate(table.tags) if tag == "dialog"]
    for node in [*table.attributes.having(("hidden", "style")), *places]:
        tag, attributes = table.tags[node], table.attributes[node]
        if is_hidden(tag, attributes) and (looks is None or look(tag, attributes) in looks):
            hidden[table.blocks_in(node)] = True
    return hidden


def closed_panels(document: Document) -> frozenset[Look]:
    """Return the looks of hidden elements that may be panels of a page's text.

    A panel stands below a short text in the same parent that the reader clicks, as an answer stands
    below its question, or behind a row of tabs. Several panels look alike and stand among the kept
    blocks; menus stand before these blocks.
    """
    kept = document.kept
    if not kept:
        return frozenset()
    first, last = kept[0], kept[-1] + NEAR
    least = _CHARS_PER_WORD * _least(float(document.blocks.words[kept].sum()))
    panels: dict[Look, list[int]] = defaultdict(list)
    headings: dict[Look, set[str]] = defaultdict(set)  # distinct: "Show the caption" is no heading
    for panel, chars, heading, names in _closed(document.blocks):
        panels[panel].append(chars)
        if first <= heading <= last:
            headings[panel] |= names
            last = max(last, heading + NEAR)
    return frozenset(
        panel
        for panel, above in headings.items()
        if len(above) >= max(MIN_PANELS, MIN_HEADED * len(panels[panel]))
        and sum(panels[panel]) >= least
    )


def _closed(blocks: Blocks) -> Iterator[tuple[Look, int, int, set[str]]]:
    """Yield the look, the characters, the heading and its texts of each hidden element.

    The heading is a block, or -1. A panel of tabs has two texts, since one of its row is open.
    """
    table = blocks.table
    if not any(node >= 0 for node in blocks.table.hidden):
        return
    of_parent = _rows_of_tabs(table, [node for node in blocks.table.hidden if node >= 0])
    for node, chars in blocks.table.hidden.items():
        if node >= 0:
            row = of_parent.get(int(table.parent[node]), node)
            heading = int(table.first_block[row]) - (row == node)
            headed = row < node or (
                heading >= 0
                and table.parent[node] <= blocks.node[heading] < node
                and len(blocks.texts[heading]) <= _MAX_HEADING_CHARS
            )
            names = {"", str(node)} if row < node else {blocks.texts[heading]} if headed else set()
            panel = look(table.tags[node], table.attributes[node])
            yield panel, chars, heading if headed else -1, names


def _rows_of_tabs(table: Table, panels: list[int]) -> dict[int, int]:
    """Return the first row of tabs beside each of some elements, by their parent."""
    is_parent = np.zeros(len(table.parent), np.bool_)
    is_parent[table.parent[panels]] = True
    beside = np.flatnonzero(is_parent[table.parent]).tolist()
    rows = dict[int, int]()
    for node in beside:
        attributes = table.attributes[node]
        names = (attributes.get("role", ""), attributes.get("class", ""))
        if table.tags[node] != "a" and any(map(_ROW_OF_TABS.search, names)):
            rows.setdefault(int(table.parent[node]), node)
    return rows


def are_content(opened: Document, looks: AbstractSet[Look]) -> bool:
    """Return whether opened panels belong to the text of their page, by their kept words."""
    words, kept = opened.blocks.words, opened.tags.kept
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

_WORD = r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+"


def shown_share(carried: Iterable[str], shown: Iterable[str]) -> float:
    """Return the share of the word runs of a carried text that the visible texts contain (0..1).

    >>> shown_share(["Rain came late in May."], ["News", "Rain came late in May. Then sun."])
    1.0
    """
    runs = _runs(carried)
    return len(runs & _runs(shown)) / len(runs) if runs else 0.0


def _runs(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """Return the distinct runs of words of texts; an ideograph is a word."""
    found = (token[0] for text in texts for token in re.finditer(_WORD, text.lower()))
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
    page = document.blocks
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
        read_page, blocks = bounded(page, params._replace(hidden=True), max_blocks)
        if read_page.status == "ok" and len(blocks):
            carried = _tagged(document, replace(blocks, source="hidden"), tagger)
            kept = blocks.words[carried.tags.kept & hidden_blocks(blocks)]
            if is_better(*words, float(kept.sum())) and _is_new(carried):
                return carried
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
    read_page, blocks = bounded(page, params._replace(opened=looks), max_blocks)
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
    return shown_share(new, carried.page_blocks.texts) < MIN_COVER


def is_better(kept: float, shown: float, hidden: float) -> bool:
    """Return whether `hidden` kept words replace a page with `kept` words of `shown` words."""
    return any(
        kept <= rule.most and hidden >= max(rule.least, rule.times * kept, rule.times_all * shown)
        for rule in RULES
    )


# read the bodies of articles in a page's structured data (JSON-LD)

MAX_TEXT_CHARS = 1_000_000  # of a text are read; articles have fewer than 200,000

_MARKUP = r"(?i)<(?:p|br|div|li|ul|ol|h[1-6]|span|a|b|i|strong|em|table|img)[\s/>]"
_ESCAPED_MARKUP = r"(?i)&lt;(?:p|br|div|li|ul|ol|h[1-6]|span|strong|b)(?:\s|/|&gt;)"
_LINE_ENDS = re.compile(r"[\r\n]+")


def markup(text: str) -> str:
    r"""Return a text as HTML: markup as it stands, plain text with a paragraph for each line.

    >>> markup("Rain & wind\n\nSnow"), markup("&lt;p&gt;Rain&lt;/p&gt;")
    ('<p>Rain &amp; wind</p><p>Snow</p>', '<p>Rain</p>')
    """
    import html  # with its table of names, which pages without such a body need not

    text = text[:MAX_TEXT_CHARS]
    if re.search(_MARKUP, text):
        return text
    if re.search(_ESCAPED_MARKUP, text):
        return html.unescape(text)
    lines = filter(str.strip, _LINE_ENDS.split(html.unescape(text)))
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


_NO_CONTENT = frozenset(["comment", "answer", "review", "imageobject", "videoobject", "rating"])
_TEXT_KEYS = ("articleBody", "text", "recipeInstructions")


def longest_text(page: Blocks) -> tuple[str, ...]:
    """Return the paragraphs of the longest text in JSON-LD that may be the content, () for none.

    Comments, answers and reviews are not.
    """
    values = [value for value in json_objects(page) if not _types(value) & _NO_CONTENT]
    texts = (value.get(key) for value in values for key in _TEXT_KEYS)
    text = max((text for text in texts if isinstance(text, str)), key=len, default="")
    return bounded(Page(markup(text), None, "utf-8"))[1].texts if text else ()


def _types(value: dict[str, Any]) -> set[str]:
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return {name.lower() for name in names if isinstance(name, str)}


# find the frame that shows the content of a page: a part of a frame set, or an inner frame

_MAX_FRAMES = 100  # of a page, and of a frame set, are read
_MAX_DEPTH = 5  # of frame sets in each other
_MAX_CHARS = 1_000  # of a style or a list of sizes
_MAX_SIZE_CHARS = 20
_WINDOW = 1_000.0  # pixels of a window's width and height, of which a size may be a share
_LEAST = 400.0, 300.0  # pixels of an inner frame's width and height; most ads have less

# players, maps and buttons show no text of the page
_WIDGET = (
    r"(?i)youtu|vimeo|dailymotion|video|player|soundcloud|spotify|/maps\b|//maps\.|plugins/|captcha"
    r"|doubleclick|googletagmanager|\bads?\b"
)
_SIZE = re.compile(r"\s*(\d{1,6}(?:\.\d+)?)?\s*(\*|%)?")
_STYLED = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*(\d{1,6}(?:\.\d+)?\s*%?)", re.IGNORECASE)


def largest_frame(blocks: Blocks, url: str | None, *, is_empty: bool) -> str:
    """Return the address of the largest frame of a page, "" if it has none that shows a page.

    Of a page with frame sets, inner frames do not count, of other pages neither hidden nor small
    ones. A frame of unknown size counts only if the page `is_empty`.
    """
    addresses, areas = Addresses.of(blocks, url), dict[str, float]()
    for node, area in _areas(blocks.table, _WINDOW if is_empty else 0.0):
        address = addresses.absolute(blocks.table.attributes[node].get("src"))
        if address and not re.search(_WIDGET, address):
            areas[address] = max(areas.get(address, 0.0), area)
    return max(areas, key=lambda address: areas[address], default="")


def _areas(table: Table, unknown: float) -> Iterator[tuple[int, float]]:
    """Yield the frames of a page that may show a page, each with its area in pixels."""
    name = "frame" if "frame" in table.tags else "iframe"
    frames = (node for node, tag in enumerate(table.tags) if tag == name)
    for node in islice(frames, _MAX_FRAMES):
        if name == "frame":
            yield node, _area_in_set(table, node)
        elif not is_hidden(name, table.attributes[node]):
            width, height = _sizes(table.attributes[node], unknown)
            if width >= _LEAST[0] and height >= _LEAST[1]:
                yield node, width * height


def _sizes(attributes: Mapping[str, str], unknown: float) -> tuple[float, float]:
    """Return the width and height of an inner frame in pixels."""
    sizes = dict(attributes)
    sizes.update(
        (name.lower(), size) for name, size in _STYLED.findall(sizes.get("style", "")[:_MAX_CHARS])
    )
    return _pixels(sizes.get("width"), unknown), _pixels(sizes.get("height"), unknown)


def _pixels(size: str | None, unknown: float = _WINDOW) -> float:
    """Return a size in pixels: of "80", "20%", "2*" or "*".

    >>> _pixels("80"), _pixels("20%"), _pixels("2*"), _pixels(None, 0.0)
    (80.0, 200.0, 2000.0, 0.0)
    """
    number, unit = _SIZE.findall((size or "")[:_MAX_SIZE_CHARS])[0]
    if unit == "*" or not number:
        return _WINDOW * float(number or 1) if unit else unknown
    return float(number) * (_WINDOW / 100 if unit else 1.0)


def _area_in_set(table: Table, node: int) -> float:
    """Return the area of a frame by the rows and columns of the frame sets around it."""
    area = _WINDOW * _WINDOW
    for _ in range(_MAX_DEPTH):
        parent = int(table.parent[node])
        if parent < 0 or table.tags[parent] != "frameset":
            break
        before = np.flatnonzero(table.parent[:node] == parent)[:_MAX_FRAMES].tolist()
        place = sum(table.tags[other] in ("frame", "frameset") for other in before)
        rows, columns = (
            [
                _pixels(size)
                for size in (table.attributes[parent].get(name) or "*")[:_MAX_CHARS].split(",")
            ]
            for name in ("rows", "cols")
        )
        row = rows[place // len(columns) % len(rows)]
        area *= row / _WINDOW * columns[place % len(columns)] / _WINDOW
        node = parent
    return area
