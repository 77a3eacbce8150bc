"""Walk a page's events: the table of its elements, runs and blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from crfclean.core.native import CORE
from crfclean.page.chars import has_controls, shows, visible, visible_formula, visible_json
from crfclean.page.elements import (
    ADD_SPACE,
    BREAK,
    CODE_LINE,
    DROP,
    DROPPED,
    FLEXIBLE,
    LINK,
    MAX_DEPTH,
    MAX_JSON_LD_CHARS,
    MAX_NODES,
    READINGS,
    ROOT,
    SPLIT,
    TEXT,
    FullError,
    Look,
    OverBlocksError,
    actions,
    displayed,
    hides,
    is_inline,
    is_json_ld,
    sets_apart,
)
from crfclean.page.measures import VALUES, Measures, values_together
from crfclean.types import Formula, Ints, Nodes, Runs

# walk a page's events by the compiled core: the table of its elements, runs and blocks

NO_ATTRIBUTES: Mapping[str, str] = {}  # shared by all elements without attributes


class Code(NamedTuple):
    """The code of a page, by the indices of elements.

    Each of `units` is one block, without the bars `apart` at its ends. `numbers` hold only line
    numbers or hidden lines, which are no text, or are elements that the user drops. `is_cut` is
    true if the code changes the blocks.
    """

    units: frozenset[int] = frozenset()
    apart: frozenset[int] = frozenset()
    numbers: frozenset[int] = frozenset()
    is_cut: bool = False

    def roles(self) -> bytes:
        """Return the role of each element up to the last with a role; `units` come first."""
        roles = bytearray(1 + max((0, *self.units, *self.apart, *self.numbers)))
        for role, nodes in ((3, self.numbers), (2, self.apart), (1, self.units)):  # as in walk.c
            for node in nodes:
                roles[node] = role
        return bytes(roles)


NO_CODE = Code()


@dataclass(frozen=True, slots=True)
class WalkParams:
    """Settings of a walk: what it keeps, and its limits.

    Blocks are restricted to `elements`, if there are any; `dropped` elements never give text.
    `controls` and `formulas` say that the page may have control characters, which are dropped, or
    formulas. An earlier walk found that the elements `block_level` are block-level from their
    start, and found the `code`. With `hidden`, hidden elements are read as well, except dialogs;
    `opened` are the looks of hidden elements to read. `drop` are CSS selectors: elements with a
    part of a block's text lose it.
    """

    elements: tuple[str, ...] = ()
    dropped: frozenset[str] = DROPPED
    controls: bool = False
    max_blocks: int | None = None
    formulas: bool = False
    block_level: frozenset[int] = frozenset()
    code: Code = NO_CODE
    hidden: bool = False
    opened: frozenset[Look] = frozenset()
    drop: str = ""


# keep some of the text of elements that are not part of the page's text

_JSON_LD = "json-ld"
"""The word for the tag of a script with structured data."""

_HIDDEN = "hidden"
"""The word for the tag of a hidden element."""

_RUBY = READINGS | {"rb", "ruby"}


@dataclass(slots=True, eq=False)
class SkippedTexts:
    """Texts skipped so far; `tag` and `node` are the element being skipped, and its index.

    `readings` are the texts of the `rt` elements of rubies, by index. Of several titles, the first
    counts. `noscript_chars` counts the characters of `noscript`, `hidden` those of hidden elements,
    by index.
    """

    tag: str = ""
    titles: int = 0
    title: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    json_ld_chars: int = 0
    noscript_chars: int = 0
    hidden: dict[int, int] = field(default_factory=dict)
    node: int = -1
    readings: dict[int, str] = field(default_factory=dict)

    def begin(self, tag: str, node: int) -> None:
        """Begin to skip an element; its index is -1 if it is in no table."""
        self.tag, self.node = tag, node
        self.titles += tag == "title"
        if tag == _JSON_LD:
            self.json_ld.append("")
        elif tag == "rt":
            self.readings[node] = ""

    def add(self, text: str) -> None:
        """Take a text inside the element."""
        if self.tag == "title" and self.titles == 1:
            self.title.append(text)
        elif self.tag == _HIDDEN:
            if chars := len(text.strip()):
                self.hidden[self.node] = self.hidden.get(self.node, 0) + chars
        elif self.tag == "noscript":
            self.noscript_chars += len(text.strip())
        elif self.tag == "rt":
            self.readings[next(reversed(self.readings))] += text
        elif self.tag == _JSON_LD:
            self.json_ld_chars += len(text)
            if self.json_ld_chars <= MAX_JSON_LD_CHARS:
                self.json_ld[-1] += text

    def ends_before(self, tag: str) -> bool:
        """Return whether the skipped element is a reading that this tag ends implicitly."""
        return self.tag in READINGS and tag in _RUBY


# the functions that the core calls


def _may_stand_for_formula(tag: str, attributes: Mapping[str, str]) -> bool:
    """Call `formulas.stands_for_formula`, imported on first use."""
    from crfclean.page.formulas import stands_for_formula

    return stands_for_formula(tag, attributes)


def _formula_walk(walk: Any) -> Any:
    """Make a `FormulaWalk`, imported for the first formula."""
    from crfclean.page.formulas import FormulaWalk

    return FormulaWalk(walk)


_ACTIONS = (
    *(TEXT, DROP, ROOT, BREAK, ADD_SPACE, LINK, FLEXIBLE, CODE_LINE),
    *(SPLIT["br"], SPLIT["block"]),
)
_QUESTIONS = (sets_apart, is_json_ld, shows, _may_stand_for_formula)
_CALLS = (*_QUESTIONS, FullError, OverBlocksError, _formula_walk, visible, visible_formula)


def core_walk(params: WalkParams, aside: SkippedTexts) -> Any:
    """Make a walk of the core, a target of a parser's events; `aside` gets the skipped texts."""
    most = -1 if params.max_blocks is None else params.max_blocks
    return CORE.Walk(
        actions(params.elements, params.dropped),
        frozenset(params.elements),
        params.block_level,
        params.code.roles() if params.code.is_cut else b"",
        aside,
        NO_ATTRIBUTES,
        (True, params.formulas, params.controls),
        (most, MAX_DEPTH, MAX_NODES),
        _ACTIONS,
        (displayed, hides(params.hidden, params.opened), *_CALLS),
    )


class PageTable(NamedTuple):
    """Result of a walk over a page: columns of its elements, runs and blocks.

    An element that may stand in a line becomes block-level if a boundary begins inside it:
    `holders` has these elements. `torn` is true if text before one was joined with its own. `chars`
    are the characters of the page's texts; `truncated` names the limit that cut the page.
    """

    params: WalkParams
    aside: SkippedTexts
    truncated: str
    tags: tuple[str, ...]
    attributes: tuple[Mapping[str, str], ...]
    values: Mapping[str, tuple[Ints, list[str]]]
    actions: Ints
    parent: Ints
    node_end: Ints
    first_block: Ints
    end_block: Ints
    texts: tuple[str, ...]
    block_node: Ints
    block_split: Ints
    run_texts: tuple[str, ...]
    run_node: Ints
    run_after: Ints
    run_count: Ints
    blanks: tuple[tuple[int, int, int, str], ...]
    discarded: tuple[tuple[int, int, int], ...]
    formulas: Mapping[int, Formula]
    holders: Ints
    chars: int
    torn: bool

    @classmethod
    def of(cls, walked: Any, params: WalkParams, aside: SkippedTexts, truncated: str) -> PageTable:
        """Take the table of a walk of the core, which is empty afterwards."""
        columns = walked.table()
        count = len(columns["texts"])
        for name, column in columns.items():
            if isinstance(column, bytes):
                columns[name] = np.frombuffer(column, np.int32)
        for name in ("first_block", "end_block"):
            columns[name] = np.minimum(columns[name], count)
        columns["values"] = values_together(columns["attributes"])
        truncated = "depth" if columns.pop("too_deep") and not truncated else truncated
        return cls(params, aside, truncated, **columns)

    def blocks(self, truncated: str = "") -> Measures:
        """Make the blocks, with the skipped texts; `truncated` is a cut before the walk."""
        blocks = Measures(
            self.texts,
            self.block_node,
            self.block_split,
            self._nodes(),
            self._runs(),
            " ".join("".join(self.aside.title).split()),
            truncated or self.truncated,
            self.params.elements,
            tuple(map(visible_json, self.aside.json_ld)),
            self.params.code.units,
            hidden=self.aside.hidden,
        )
        blocks.memo[VALUES] = self.values
        return blocks

    def _nodes(self) -> Nodes:
        return Nodes(
            self.tags,
            self.attributes,
            self.parent,
            self.node_end,
            self.first_block,
            self.end_block,
            is_inline(self.actions),
            *self.values["class"],
        )

    def _runs(self) -> Runs:
        return Runs(
            self.run_texts,
            self.run_node,
            np.arange(len(self.texts), dtype=np.int32).repeat(self.run_count),
            self.run_after,
            self.blanks,
            tuple(sorted(self.discarded, key=itemgetter(0))),
            self.formulas,
            {node: text for node, text in self.aside.readings.items() if node >= 0},
        )


# pass a page's events to a walk, from libxml2 directly or from lxml
#
# The core calls libxml2 itself if its version is known, and if the result for a page full of traps
# equals lxml's. Otherwise, as after an upgrade of lxml to another version, lxml passes the events,
# with a Python call for each.

VERSIONS = ((2, 14),)
"""Versions of libxml2 that were compared, so that the core may call them without lxml."""

_MAX_FRAMES = 3  # with `srcdoc` in each other
_PAGE_TAGS = frozenset(["html", "body"])

MAX_BYTES = 2**31 - 1  # one call of libxml2 takes no more

SELF_TEST = (
    '\ufeff<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN"> <html lang=en><meta charset=latin1>\n'
    "<title>&eacute; &lt; &#x110000; &nosuch;</title><script>a<b && '</p>'</script><body CLASS=a "
    "class=b id>\n <p title='&amp;' data-ä=ö>a<b>b</p>c<![CDATA[d]]>\x00<!-- e --><?f g?></b>\r\n"
    "<table><td>h<tr>i</table></body></html>j<svg:x y:z=1><p>k &amp l&#0;<textarea><p>m</textarea>"
    f"<pre>  <b> </b></pre>{'<i>n😀</i> ' * 300}{'o ' * 5_000}</body><p>p</html><br/></br>\ufffe<q"
).encode()
"""A page on which parsers differ."""


def parse(source: bytes, params: WalkParams) -> PageTable:
    """Parse a page, given in UTF-8, to its table; raises `OverBlocksError`."""
    aside = SkippedTexts()
    walked = core_walk(params, aside)
    give = feed if len(source) > MAX_BYTES or not parses_alone() else feed_alone
    if "iframe" not in params.dropped:
        give = feed_frames
    try:
        give(source, walked)
    except FullError:
        walked.close()
        return PageTable.of(walked, params, aside, "nodes")
    return PageTable.of(walked, params, aside, "")


def feed(source: bytes, walked: Any) -> None:
    """Pass a page to a walk by lxml; raises `MemoryError`, which lxml only logs."""
    parser = etree.HTMLParser(
        target=walked,
        encoding="utf-8",
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    parser.feed(source)
    parser.close()
    if any(error.type == etree.ErrorTypes.ERR_NO_MEMORY for error in parser.feed_error_log):
        raise MemoryError


@dataclass(slots=True)
class _FrameWalk:
    """A target that reads the page in a frame's `srcdoc` as the content of the frame.

    `open_frame` counts the open elements from a frame on: a frame's own content is for browsers
    without frames. `depth` counts the frames around the page.
    """

    walk: Any
    depth: int = 0
    open_frame: int = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self.open_frame or tag == "iframe":
            self.open_frame += 1
        if self.open_frame <= 1 and not (self.depth and tag in _PAGE_TAGS):
            self.walk.start(tag, attributes)
        if self.open_frame == 1 and attributes.get("srcdoc") and self.depth < _MAX_FRAMES:
            page = attributes["srcdoc"].encode("utf-8", "replace")
            feed(page, _FrameWalk(self.walk, self.depth + 1))

    def end(self, tag: str) -> None:
        if self.open_frame <= 1 and not (self.depth and tag in _PAGE_TAGS):
            self.walk.end(tag)
        self.open_frame = max(0, self.open_frame - 1)

    def data(self, text: str) -> None:
        if not self.open_frame:
            self.walk.data(text)

    def close(self) -> None:
        if not self.depth:
            self.walk.close()


def feed_frames(source: bytes, walked: Any) -> None:
    """Pass a page to a walk, with the pages in `srcdoc` of its frames."""
    feed(source, _FrameWalk(walked))


def feed_alone(source: bytes, walked: Any) -> None:
    """Pass a page to a walk without lxml."""
    CORE.parse(source, walked)
    walked.close()  # as lxml does


@cache
def parses_alone() -> bool:
    """Return whether the core found lxml's libxml2 and parses `SELF_TEST` as lxml does."""
    if etree.LIBXML_VERSION[:2] not in VERSIONS or not CORE.open_parser(etree.__file__):
        return False
    by_core, by_lxml = (core_walk(WalkParams(), SkippedTexts()) for _ in range(2))
    feed_alone(SELF_TEST, by_core)
    feed(SELF_TEST, by_lxml)
    return bool(by_core.table() == by_lxml.table())


def lxml_note() -> str:
    """Say why pages are read through lxml, and what this costs; "" if they are not."""
    if parses_alone():
        return ""
    number = ".".join(map(str, etree.LIBXML_VERSION))
    return (
        f"the parser inside lxml (libxml2 {number}) cannot be called directly here: the results "
        "are the same, a page takes about a tenth longer"
    )


class Traces(NamedTuple):
    """Flags of a page: control characters, end tags of `br`, and possible formulas.

    `formulas` may be true for a page without formulas. The class `math` of a picture is missed if
    it stands between two other classes.
    """

    controls: bool
    formulas: bool
    break_ends: bool


def traces(html: str, source: bytes) -> Traces:
    """Look for rare features that change the blocks; `source` is the page in UTF-8."""
    bits = CORE.traces(source)
    return Traces(bool(bits & 1) and has_controls(html), bool(bits & 2), bool(bits & 4))
