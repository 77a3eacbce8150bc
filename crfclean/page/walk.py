"""Walk a page's events: the table of its elements, runs and blocks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from lxml import etree

from crfclean.core import read
from crfclean.core.table import Table
from crfclean.page.effects import DROPPED, Look, hides, is_dialog, rules
from crfclean.page.libxml2 import COMPARED, slow_parser, warn_of_old_parser
from crfclean.page.limits import MAX_DEPTH, MAX_NODES, OverBlocksError
from crfclean.page.measures import counted
from crfclean.types import Blocks

# walk a page's events by the compiled core: the table of its elements, runs and blocks


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


NO_CODE = Code()


class WalkParams(NamedTuple):
    """Settings of a walk: what it keeps, and its limits.

    Blocks are restricted to `elements`, if there are any; `dropped` elements never give text.
    An earlier walk found that the elements `block_level` are block-level from their start, that the
    buttons `in_text` stand inside a line, and found the `code`. With `hidden`, hidden elements are
    read as well, except dialogs; `opened` are the looks of hidden elements to read. `drop` are CSS
    selectors: elements with a part of a block's text lose it.
    """

    elements: tuple[str, ...] = ()
    dropped: frozenset[str] = DROPPED
    max_blocks: int | None = None
    block_level: frozenset[int] = frozenset()
    in_text: frozenset[int] = frozenset()
    code: Code = NO_CODE
    hidden: bool = False
    opened: frozenset[Look] = frozenset()
    drop: str = ""


def core_walk(params: WalkParams) -> read.Walk:
    """Make a walk of the core, a target of a parser's events."""
    code = params.code if params.code.is_cut else NO_CODE
    return read.Walk(
        rules=rules(params.elements, params.dropped),
        hides=is_dialog if params.hidden else hides(params.opened) if params.opened else None,
        formulas=_formula_walk,
        max_blocks=-1 if params.max_blocks is None else params.max_blocks,
        max_depth=MAX_DEPTH,
        max_nodes=MAX_NODES,
        block_level=params.block_level,
        in_text=params.in_text,
        units=code.units,
        apart=code.apart,
        numbers=code.numbers,
    )


def _formula_walk() -> Any:
    """Return the type of formula walks, imported for the first formula."""
    from crfclean.page.formulas import FormulaWalk

    return FormulaWalk


def blocks_of(
    table: Table,
    params: WalkParams,
    truncated: str,
    source: str,
    repeated: frozenset[int] = frozenset(),
) -> Blocks:
    """Return the blocks of a table, counted; `truncated` is a cut before the walk."""
    code = params.code.units
    truncated = truncated or table.truncated
    return Blocks(counted(table), truncated, params.elements, code, source, repeated)


# pass a page's events to a walk, from libxml2 directly or from lxml
#
# The core calls libxml2 itself if its version is known, and if the result for a page full of traps
# equals lxml's. Otherwise, as after an upgrade of lxml to another version, lxml passes the events,
# with a Python call for each.

_MAX_FRAMES = 3  # with `srcdoc` in each other
_PAGE_TAGS = frozenset(["html", "body"])

MAX_PARSED_BYTES = 2**31 - 1  # one call of libxml2 takes no more

SELF_TEST = (
    '\ufeff<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN"> <html lang=en><meta charset=latin1>\n'
    "<title>&eacute; &lt; &#x110000; &nosuch;</title><script>a<b && '</p>'</script><body CLASS=a "
    "class=b id>\n <p title='&amp;' data-ä=ö>a<b>b</p>c<![CDATA[d]]>\x00<!-- e --><?f g?></b>\r\n"
    "<table><td>h<tr>i</table></body></html>j<svg:x y:z=1><p>k &amp l&#0;<textarea><p>m</textarea>"
    f"<pre>  <b> </b></pre>{'<i>n😀</i> ' * 300}{'o ' * 5_000}</body><p>p</html><br/></br>\ufffe<q"
).encode()
"""A page on which parsers differ."""


def parse(source: bytes, params: WalkParams) -> Table:
    """Parse a page, given in UTF-8, to its table; raises `OverBlocksError`."""
    walked = core_walk(params)
    give = feed if len(source) > MAX_PARSED_BYTES or not parses_alone() else feed_alone
    if "iframe" not in params.dropped:
        give = feed_frames
    with suppress(read.WalkEndedError):  # a limit cuts the page
        give(source, walked)
    table = walked.table()
    if table.is_over:
        raise OverBlocksError
    return table


def feed(source: bytes, target: Any) -> None:
    """Pass a page to a walk by lxml; raises `MemoryError`, which lxml only logs."""
    parser = etree.HTMLParser(
        target=target,
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


def feed_frames(source: bytes, walked: read.Walk) -> None:
    """Pass a page to a walk, with the pages in `srcdoc` of its frames."""
    feed(source, _FrameWalk(walked))


def feed_alone(source: bytes, walked: read.Walk) -> None:
    """Pass a page to a walk without lxml."""
    read.parse(source, walked)


@cache
def parses_alone() -> bool:
    """Return whether the core found lxml's libxml2 and parses `SELF_TEST` as lxml does."""
    warn_of_old_parser()
    if etree.LIBXML_VERSION[:2] not in COMPARED or not read.open_parser(etree.__file__):
        return False
    by_core, by_lxml = core_walk(WalkParams()), core_walk(WalkParams())
    feed_alone(SELF_TEST, by_core)
    feed(SELF_TEST, by_lxml)
    return bool(by_core.table() == by_lxml.table())


def lxml_note() -> str:
    """Say why pages are read through lxml, and what this costs; "" if they are not."""
    return slow_parser(called_directly=parses_alone())
