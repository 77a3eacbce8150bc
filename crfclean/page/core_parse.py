"""Give a page to a walk of the compiled core by lxml, or by the core's own calls of its libxml2.

The core calls libxml2 itself where it finds a version that is known, and if it then says what lxml
says of a page full of traps; elsewhere, and after an upgrade of lxml to another version, lxml gives
the events, one Python call each.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lxml import etree

from crfclean.core import native
from crfclean.page.core_walk import core_walk
from crfclean.page.limits import FullError
from crfclean.page.walk import Walk
from crfclean.page.walk_params import WalkParams

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


def feed(source: bytes, target: Any) -> bool:
    """Give a page to a parser's target by lxml; whether it has more elements than are read."""
    parser = etree.HTMLParser(
        target=target,
        encoding="utf-8",
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        parser.feed(source)
        parser.close()
    except FullError:
        return True
    return False


def feed_core(source: bytes, walked: Any) -> bool:
    """`feed` for a walk of the core, without lxml if its parser may be called directly."""
    if len(source) > MAX_BYTES or not parses_alone():
        return feed(source, walked)
    try:
        native.CORE.parse(source, walked)
    except FullError:
        return True
    walked.close()  # as lxml does
    return False


@cache
def parses_alone() -> bool:
    """Whether the core has found lxml's libxml2, and it says what lxml says of `SELF_TEST`."""
    if etree.LIBXML_VERSION[:2] not in VERSIONS or not native.CORE.open_parser(etree.__file__):
        return False
    by_core, by_lxml = (core_walk(Walk(WalkParams())) for _ in range(2))
    native.CORE.parse(SELF_TEST, by_core)
    by_core.close()
    feed(SELF_TEST, by_lxml)
    return bool(by_core.table() == by_lxml.table())
