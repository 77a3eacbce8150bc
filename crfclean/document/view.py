"""Write a page as an HTML document for viewing, marked by block, with reasons in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from pathlib import Path

import numpy as np

from crfclean.io import read_toml
from crfclean.page.elements import DROPPED, INLINE
from crfclean.shell import html_document
from crfclean.types import Blocks, Page, Reason

# the words for a feature of a block, such as "many links", from `phrases.toml`
#
# Features are correlated, so a weight may contradict the words of its feature: a neighbour that
# looks like content may count against a block that does not. Such a reason gets no words, and
# remains only in the figures.

FOR, AGAINST, EITHER = 1, -1, 0
"""What a phrase is a reason for: keeping a block, dropping it, or either."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words for a feature: `high` for values over `above`, else `low`; "" for none.

    `speaks` says what `high` is a reason for; `low` is a reason for the opposite.
    """

    high: str = ""
    low: str = ""
    above: float = 0.0
    speaks: int = EITHER

    def of(self, value: float, weight: float) -> str:
        """Return the words for a value, "" if the weight contradicts them."""
        is_high = value > self.above
        speaks = self.speaks if is_high else -self.speaks
        words = self.high if is_high else self.low
        return words if speaks * weight >= 0 else ""


def _phrases() -> Iterator[tuple[str, Phrase]]:
    tables = read_toml(Path(__file__).with_name("phrases.toml"))
    for name, speaks in (("kept", FOR), ("dropped", AGAINST), ("either", EITHER)):
        for feature, words in tables[name].items():
            yield feature, Phrase(**words, speaks=speaks)


PHRASES: Mapping[str, Phrase] = dict(_phrases())
"""Feature -> its words."""


def phrase_of(feature: str, value: float, weight: float) -> str:
    """Return the words for a feature with this value and weight, "" if there are none.

    >>> phrase_of("link_density", 0.9, -1.2), phrase_of("link_density", 0.9, 0.3)
    ('many links', '')
    """
    phrase = PHRASES.get(feature)
    return "" if phrase is None else phrase.of(value, weight)


ASKED_REASONS = 12
"""Number of reasons to ask a tagger for, so that enough of them have words."""

MAX_BECAUSE, MAX_BUT, MAX_FIGURES = 4, 2, 10
_LEAST_SHARE = 0.1  # of the largest weight: words with less are left out


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a block was kept or dropped: `because` speaks for it, `but` against it.

    `figures` are the reasons behind these words, then the weightiest others.
    """

    because: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    figures: tuple[Reason, ...] = ()


def in_words(reasons: Sequence[Reason], *, kept: bool) -> Explanation:
    """Put the reasons of a block into words; features with the same words count together."""
    weights: dict[str, float] = {}
    for reason in reasons:
        words = phrase_of(reason.feature, reason.value, reason.weight)
        if words:
            weights[words] = weights.get(words, 0.0) + reason.weight
    heaviest = max(map(abs, weights.values()), default=0.0)
    ordered = sorted(weights, key=lambda words: (-abs(weights[words]), words))
    heavy = [words for words in ordered if abs(weights[words]) >= _LEAST_SHARE * heaviest > 0]
    because = tuple(words for words in heavy if (weights[words] > 0) == kept)[:MAX_BECAUSE]
    but = tuple(words for words in heavy if (weights[words] > 0) != kept)[:MAX_BUT]
    said = {*because, *but}
    return Explanation(because, but, tuple(_figures(reasons, said)))


def _figures(reasons: Sequence[Reason], said: set[str]) -> list[Reason]:
    """Return the reasons behind the words, then the others, each by weight."""
    behind = [
        reason
        for reason in reasons
        if phrase_of(reason.feature, reason.value, reason.weight) in said
    ]
    others = [reason for reason in reasons if reason not in behind]
    by_weight = [sorted(part, key=lambda reason: -abs(reason.weight)) for part in (behind, others)]
    return [*by_weight[0], *by_weight[1]][:MAX_FIGURES]


def words_and_links(words: float, link_share: float) -> str:
    """Return the length of a block and its share of links: "3 words, all inside links"."""
    count = round(words)
    length = "less than a word" if not count else "1 word" if count == 1 else f"{count:,} words"
    if link_share <= 0:
        return f"{length}, no links"
    if link_share > 0.99:
        return f"{length}, all inside links"
    return f"{length}, {max(1, round(100 * link_share))} % of the characters inside links"


# write a page as an HTML document for viewing that runs no script of it and loads nothing
#
# The blocks are marked in the page's elements; the id of block 12 is `crf-12`.
#
# A block that fills an element is marked by the element's id. A block that shares its element, or
# whose element already has an id, gets a `span` around its text. A block in pieces has several.

PREFIX = "crf-"
"""Prefix of the ids of blocks; ids of the page with this prefix are dropped."""

_MOVED = "html head body wbr table caption colgroup thead tbody tfoot tr td th".split()
_FOCUSED = ["button", "summary"]
_UNNAMED = DROPPED.union(_MOVED, _FOCUSED)
"""Elements that get no id. Browsers move or drop misplaced ones (a `td` outside a table) with their
ids; others take the keyboard focus when a fragment names them."""


@dataclass(frozen=True, slots=True)
class Span:
    """A mark inside the element `level`, up to the run `last`, with its attributes."""

    level: int
    last: int
    attribute: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Attributes by element, spans by their first run, and numbers of pieces by block.

    `paints` are further attributes for the marks of each block; empty: none.
    """

    elements: dict[int, str] = field(default_factory=dict)
    spans: dict[int, Span] = field(default_factory=dict)
    pieces: dict[int, int] = field(default_factory=dict)
    paints: Sequence[str] = ()


def place_marks(blocks: Blocks, paints: Sequence[str] = ()) -> Marks:
    """Place the marks of a page's blocks, of as many as there are `paints`, if there are any."""
    marks = Marks(paints=paints)
    ends = np.searchsorted(blocks.table.run_block, np.arange(len(blocks)), "right").tolist()
    first = 0
    for block, last in enumerate(ends[: len(paints) or None]):
        _mark(blocks, marks, block, range(first, last))
        first = last
    return marks


def _mark(blocks: Blocks, marks: Marks, block: int, runs: range) -> None:
    top = _around(blocks, runs)
    tag, attributes = blocks.table.tags[top], blocks.table.attributes[top]
    if _fills(blocks, top, block) and tag not in _UNNAMED and "id" not in attributes:
        marks.elements[top] = _attribute(marks, block)
        return
    for level, piece in _pieces(blocks, top, block, runs):
        marks.spans[piece[0]] = Span(level, piece[-1], _attribute(marks, block))


def _attribute(marks: Marks, block: int) -> str:
    """Return the attribute of a block's next piece: an id for the first, else `data-crf`."""
    marks.pieces[block] = marks.pieces.get(block, 0) + 1
    paint = marks.paints[block] if marks.paints else ""
    name = f' id="{PREFIX}{block}"' if marks.pieces[block] == 1 else f' data-crf="{block}"'
    return name + paint


def _around(blocks: Blocks, runs: range) -> int:
    nodes = blocks.table.run_node[runs.start : runs.stop]
    first, last = int(nodes.min()), int(nodes.max())
    ancestor = int(nodes[0])
    while not first >= ancestor <= last < blocks.table.end[ancestor]:
        ancestor = int(blocks.table.parent[ancestor])
    return ancestor


def _fills(blocks: Blocks, node: int, block: int) -> bool:
    return blocks.table.blocks_in(node) == range(block, block + 1)


def _pieces(blocks: Blocks, top: int, block: int, runs: range) -> Iterator[tuple[int, list[int]]]:
    """Group a block's runs by the highest element below `top` that the block fills."""

    def level(run: int) -> int:
        node = int(blocks.table.run_node[run])
        while node != top and _fills(blocks, node, block):
            node = int(blocks.table.parent[node])
        return node

    return ((node, list(piece)) for node, piece in groupby(runs, level))


# write the document
#
# It is built from the table of elements, not from the page's markup: it has only known elements,
# known attributes and escaped text, no links and no addresses. Only the style sheets of the page
# are not escaped. They cannot end their element, and the policy of the document (`PREVIEW_POLICY`)
# blocks whatever they would load. A painted document contains its policy and one script of ours,
# which the policy names by its digest.

PREVIEW_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""The Content-Security-Policy that the document must be served with."""

MAX_STYLE_CHARS = 1_000_000  # further sheets are left out; real pages stay below 300,000
_MAX_TITLE_CHARS = 1_000
_MAX_SPLIT_BLOCKS = 500  # blocks in pieces with a style rule for all; of others one piece is marked

_BLOCK = frozenset(
    "address article aside blockquote caption center col colgroup dd details div dl dt fieldset "
    "figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre "
    "search section summary table tbody td tfoot th thead tr ul".split()
)
_TEXT = frozenset(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img ins kbd label "
    "nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split()
)
_VOID = frozenset("br col hr img wbr".split())
_ATTRIBUTES = frozenset(
    "align alt bgcolor border cellpadding cellspacing class color colspan dir face height hspace "
    "id lang nowrap reversed rowspan size span start style title type valign value vspace "
    "width".split()
)
_STYLE = re.compile(r"<style\b([^<>]{0,500})>", re.IGNORECASE)
_STYLE_END = re.compile(r"</style", re.IGNORECASE)
_MEDIA = re.compile(r"""\bmedia\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'>]+))""", re.IGNORECASE)
_OTHER_TYPE = re.compile(r"\btype\s*=\s*[\"']?(?!text/css\b)[^\s\"'>]", re.IGNORECASE)

_MARKED = (
    "outline:2px solid #c2185b!important;outline-offset:1px!important;"
    "background:#fff2a8!important;color:#111!important;opacity:1!important;"
    "visibility:visible!important;scroll-margin-block:35vh!important;"
)
_OWN_STYLE = (
    f":target{{{_MARKED}}}:target *{{background:none!important;color:#111!important}}"
    "a{cursor:text}img:not([src]){outline:1px dashed #999}"
)
_PAINTED = "<style>:root{color-scheme:light;background:#fff}</style>"
_PLAIN = (
    "<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;"
    "max-width:46rem;margin:1rem auto;padding:0 1rem;overflow-wrap:anywhere}</style>"
)


@dataclass(frozen=True, slots=True)
class Paint:
    """The additions to a document that show which blocks were kept, and report clicks.

    `attributes` are those of the marks of each block that is shown; later blocks are left out, and
    so is all markup after `max_chars` characters. `head` has a policy, a style sheet and a script.
    """

    attributes: Sequence[str]
    head: str
    max_chars: int


def safe_document(
    page: Page, blocks: Blocks, *, styled: bool = True, paint: Paint | None = None
) -> str:
    """Write a page so that the fragment `#crf-12` scrolls to block 12 and marks it.

    `styled` includes the style sheets in the page. Of blocks that are restricted to some elements,
    the document has only the text in these.
    """
    marks = place_marks(blocks, paint.attributes if paint else ())
    styles = "".join(_styles(page.html)) if styled else ""
    split_names = [name for name, count in marks.pieces.items() if count > 1][:_MAX_SPLIT_BLOCKS]
    max_chars = paint.max_chars if paint else None
    rules = "".join(
        f':root:has(#crf-{name}:target) [data-crf="{name}"]{{{_MARKED}}}' for name in split_names
    )
    head = (
        (paint.head if paint else "")
        + (_PAINTED + styles if styles else _PLAIN)
        + f"<style>{_OWN_STYLE}{rules}</style>"
    )
    writer = _Writer(blocks, marks, styled=styled)
    end = len(paint.attributes) if paint else len(blocks)
    body = "".join(writer.document(end, max_chars))
    table = blocks.table
    is_html = table.tags[:1] == ("html",)
    root = _attributes("html", table.attributes[0], styled=False) if is_html else ""
    return html_document(blocks.title[:_MAX_TITLE_CHARS], head, body, root)


def _styles(html: str) -> Iterator[str]:
    """Yield the style sheets of a page, each as an element that its text cannot end."""
    place, chars_left = 0, MAX_STYLE_CHARS
    while (begin := _STYLE.search(html, place)) is not None:
        end = _STYLE_END.search(html, begin.end())
        if end is None:
            return
        place = end.end()
        text = html[begin.end() : end.start()]
        chars_left -= len(text)
        if chars_left >= 0 and not _OTHER_TYPE.search(begin[1]):
            media_match = _MEDIA.search(begin[1])
            media = (
                f' media="{escape(media_match[1] or media_match[2] or media_match[3])}"'
                if media_match
                else ""
            )
            yield f"<style{media}>" + text.replace("</", "<\\/") + "</style>"


def _attributes(tag: str, attributes: Mapping[str, str], *, styled: bool) -> str:
    """Return the attributes that affect the looks of an element, as markup."""
    kept = {name: text for name, text in attributes.items() if name in _ATTRIBUTES}
    if not styled:
        kept.pop("style", None)
    if kept.get("id", "").startswith("crf-"):
        del kept["id"]
    if tag == "img" and attributes.get("src", "").startswith("data:image/"):
        kept["src"] = attributes["src"]
    if tag == "details":
        kept["open"] = ""
    return "".join(f' {name}="{escape(text or "")}"' for name, text in kept.items())


def _written_as(tag: str) -> str:
    """Return the element to write for an element of the page, "" for none."""
    if tag in _BLOCK or tag in _TEXT or tag == "body":
        return tag
    if tag in DROPPED or tag in ("html", "head"):
        return ""
    return "span" if tag in INLINE else "div"


@dataclass(slots=True)
class _Writer:
    """Writes elements and runs as markup; `stack` has (node, is a mark, end tag) of open ones."""

    blocks: Blocks
    marks: Marks
    styled: bool
    out: list[str] = field(default_factory=list)
    stack: list[tuple[int, bool, str]] = field(default_factory=list)
    opened: int = 0
    span_end: int = -1
    size: int = 0

    def document(self, end: int, max_chars: int | None = None) -> list[str]:
        """The markup of the page up to the block `end`, and to about `max_chars`."""
        table = self.blocks.table
        last = (
            len(table.run_block) if end == len(self.blocks) else int((table.run_block < end).sum())
        )
        places = zip(
            table.run_node.tolist(), table.run_texts, table.run_after.tolist(), strict=True
        )
        for run, (node, text, after) in enumerate(places):
            if run == last or (max_chars is not None and self.size > max_chars):
                self._leave(-1, marked=False)
                return self.out
            if run in self.marks.spans:
                self._begin(self.marks.spans[run], node, after)
            self._open(after, marked=run <= self.span_end)
            self._leave(node, marked=run <= self.span_end)
            self._write(escape(text, quote=False))
        self._open(len(self.blocks.table.parent), marked=False)
        self._leave(-1, marked=False)
        return self.out

    def _write(self, markup: str) -> None:
        self.out.append(markup)
        self.size += len(markup)

    def _begin(self, span: Span, node: int, after: int) -> None:
        """Open a mark in its element, before the elements that it surrounds."""
        inner = after
        while node != span.level:
            inner, node = node, int(self.blocks.table.parent[node])
        self._open(inner, marked=False)
        self._leave(span.level, marked=False)
        self.out.append(f"<span{span.attribute}>")
        self.stack.append((span.level, True, "</span>"))
        self.span_end = span.last

    def _open(self, before: int, *, marked: bool) -> None:
        """Open the elements up to this one."""
        table = self.blocks.table
        for node in range(self.opened, before):
            self._leave(int(table.parent[node]), marked=marked)
            self._start(node)
        self.opened = max(self.opened, before)

    def _start(self, node: int) -> None:
        tag = _written_as(self.blocks.table.tags[node])
        if tag:
            page_attributes = self.blocks.table.attributes[node]
            attributes = _attributes(tag, page_attributes, styled=self.styled)
            self._write(f"<{tag}{attributes}{self.marks.elements.get(node, '')}>")
        self.stack.append((node, False, f"</{tag}>" if tag and tag not in _VOID else ""))

    def _leave(self, node: int, *, marked: bool) -> None:
        """Close what is open inside an element, except its current mark."""
        while self.stack and (self.stack[-1][0] != node or (self.stack[-1][1] and not marked)):
            self.out.append(self.stack.pop()[2])
