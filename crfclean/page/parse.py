"""Give a page's events to a walk: the core's own calls of libxml2, or lxml.

The core calls libxml2 itself where it finds a version that is known, and if it then says what lxml
says of a page full of traps; elsewhere, and after an upgrade of lxml to another version, lxml gives
the events, one Python call each.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from lxml import etree

from crfclean.core.native import CORE
from crfclean.page.controls import has_controls
from crfclean.page.limits import FullError
from crfclean.page.walk import PageTable, SkippedTexts, WalkParams, core_walk

VERSIONS = ((2, 14),)
"""Versions of libxml2 whose events the core may read without lxml: those that were compared."""

MAX_BYTES = 2**31 - 1  # one call of libxml2 takes no more

SELF_TEST = (
    '\ufeff<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN"> <html lang=en><meta charset=latin1>\n'
    "<title>&eacute; &lt; &#x110000; &nosuch;</title><script>a<b && '</p>'</script><body CLASS=a "
    "class=b id>\n <p title='&amp;' data-ä=ö>a<b>b</p>c<![CDATA[d]]>\x00<!-- e --><?f g?></b>\r\n"
    "<table><td>h<tr>i</table></body></html>j<svg:x y:z=1><p>k &amp l&#0;<textarea><p>m</textarea>"
    f"<pre>  <b> </b></pre>{'<i>n😀</i> ' * 300}{'o ' * 5_000}</body><p>p</html><br/></br>\ufffe<q"
).encode()
"""A page with what parsers see differently."""


def parse(source: bytes, params: WalkParams) -> PageTable:
    """The table of a page, given in UTF-8; raises `OverBlocksError`."""
    aside = SkippedTexts()
    walked = core_walk(params, aside)
    give = feed if len(source) > MAX_BYTES or not parses_alone() else feed_alone
    try:
        give(source, walked)
    except FullError:
        walked.close()
        return PageTable.of(walked, params, aside, "nodes")
    return PageTable.of(walked, params, aside, "")


def feed(source: bytes, walked: Any) -> None:
    """Give a page to a walk by lxml."""
    parser = etree.HTMLParser(
        target=walked,
        encoding="utf-8",
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    parser.feed(source)
    parser.close()


def feed_alone(source: bytes, walked: Any) -> None:
    """Give a page to a walk without lxml."""
    CORE.parse(source, walked)
    walked.close()  # as lxml does


@cache
def parses_alone() -> bool:
    """Whether the core has found lxml's libxml2, and it says what lxml says of `SELF_TEST`."""
    if etree.LIBXML_VERSION[:2] not in VERSIONS or not CORE.open_parser(etree.__file__):
        return False
    by_core, by_lxml = (core_walk(WalkParams(), SkippedTexts()) for _ in range(2))
    feed_alone(SELF_TEST, by_core)
    feed(SELF_TEST, by_lxml)
    return bool(by_core.table() == by_lxml.table())


def lxml_note() -> str:
    """Why pages are read through lxml's events here, and what that costs; "" where they are not."""
    if parses_alone():
        return ""
    number = ".".join(map(str, etree.LIBXML_VERSION))
    return (
        f"the parser inside lxml (libxml2 {number}) cannot be called directly here: the results "
        "are the same, a page takes about a tenth longer"
    )


class Traces(NamedTuple):
    """Whether a page has control characters, end tags of `br`, and may have formulas.

    A trace of a formula may be seen where there is none; the class `math` between two others of a
    picture is not seen.
    """

    controls: bool
    formulas: bool
    break_ends: bool


def traces(html: str, source: bytes) -> Traces:
    """What few pages have and the cut must know; `source` is the page's UTF-8."""
    bits = CORE.traces(source)
    return Traces(bool(bits & 1) and has_controls(html), bool(bits & 2), bool(bits & 4))
