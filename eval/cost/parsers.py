"""Compare HTML parsers: CPU time, words that one has and another lacks, deep pages.

Run `python -m eval.cost.parsers --data DIR`.

lxml's target interface is what `blocks.py` reads; selectolax (lexbor) and turbohtml build the tree
of the HTML standard. Words are those of all texts outside `script` and the like.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from eval.lib.corpora import data_parser
from eval.lib.record import environment, record
from eval.lib.timing import drawn

OUTSIDE = frozenset("script style noscript template svg math textarea select iframe".split())
DEPTHS = (200, 1_000, 5_000)
Events = list[tuple[str, Any]]
"""("start", (tag, attributes)), ("end", tag), ("text", text)."""


class Target:
    """What lxml calls; keeps every event."""

    def __init__(self) -> None:
        self.events: Events = []

    def start(self, tag: str, attributes: Any) -> None:
        """Keep a start."""
        self.events.append(("start", (tag, attributes)))

    def end(self, tag: str) -> None:
        """Keep an end."""
        self.events.append(("end", tag))

    def data(self, text: str) -> None:
        """Keep a text."""
        self.events.append(("text", text))

    def close(self) -> None:
        """End the page."""


def by_lxml(html: str) -> Events:
    """The events of lxml's target interface."""
    target: Any = Target()
    reader = etree.HTMLParser(
        target=target, encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True
    )
    reader.feed(html.encode("utf-8", "replace"))
    reader.close()
    events: Events = target.events
    return events


def by_lxml_tree(html: str) -> Events:
    """The events of a walk through lxml's tree."""
    tree = etree.HTML(
        html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True)
    )
    events: Events = []
    walk: Iterator[Any] = iter(()) if tree is None else etree.iterwalk(tree, ("start", "end"))
    for kind, element in walk:
        if kind == "start":
            events.append(("start", (element.tag, element.attrib)))
            events.append(("text", element.text or ""))
        else:
            events.append(("end", element.tag))
            events.append(("text", element.tail or ""))
    return events


def by_selectolax(html: str) -> Events:
    """The events of a walk through lexbor's tree, without ends: selectolax gives none."""
    from selectolax.lexbor import LexborHTMLParser

    events: Events = []
    root = LexborHTMLParser(html).root
    for node in root.traverse(include_text=True) if root is not None else ():
        if node.tag == "-text":
            events.append(("text", node.text_content))
        else:
            events.append(("start", (node.tag, node.attributes)))
    return events


def by_turbohtml(html: str) -> Events:
    """The events of turbohtml's callbacks."""
    from turbohtml.saxparse import sax_parse

    events: Events = []

    class Handler:
        def start_element(self, tag: str, attrs: Any) -> None:
            events.append(("start", (tag, dict(attrs))))

        def end_element(self, tag: str) -> None:
            events.append(("end", tag))

        def characters(self, data: str) -> None:
            events.append(("text", data))

        def comment(self, data: str) -> None:
            pass

        def doctype(self, *names: str | None) -> None:
            pass

        def processing_instruction(self, target: str, data: str) -> None:
            pass

    handler: Any = Handler()
    sax_parse(html, handler)
    return events


PARSERS: dict[str, Callable[[str], Events]] = {
    "lxml, target": by_lxml,
    "lxml, tree": by_lxml_tree,
    "selectolax": by_selectolax,
    "turbohtml": by_turbohtml,
}


def words(events: Events) -> Counter[str]:
    """The words outside of `OUTSIDE`; needs ends."""
    texts, skipped = list[str](), 0
    for kind, what in events:
        if kind == "start":
            skipped += what[0] in OUTSIDE
        elif kind == "end":
            skipped -= what in OUTSIDE
        elif not skipped:
            texts.append(what)
    return Counter(re.findall(r"\w+", " ".join(texts)))


def missing(pages: list[str], name: str, other: str) -> dict[str, float]:
    """Pages where a parser lacks over 20 words that another has, and the share of all words."""
    lost = total = affected = 0
    for html in pages:
        reference = words(PARSERS[other](html))
        gone = (reference - words(PARSERS[name](html))).total()
        lost, total = lost + gone, total + reference.total()
        affected += gone > 20
    return {"pages": affected, "share": lost / max(1, total)}


def keeps(name: str, depth: int) -> bool:
    """Whether a parser has the text of elements nested so deep, and the text behind them."""
    html = "<div>" * depth + "inside" + "</div>" * depth + "<p>behind</p>"
    text = " ".join(str(what) for kind, what in PARSERS[name](html) if kind == "text")
    return "inside" in text and "behind" in text


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="wcxb-dev")
    parser.add_argument("--pages", type=int, default=300)
    args = parser.parse_args()
    pages = drawn(args.set, args.data, args.pages)
    times = dict.fromkeys(PARSERS, 0.0)
    for html in pages:
        for name, parse in PARSERS.items():
            started = time.process_time()
            parse(html)
            times[name] += (time.process_time() - started) * 1e3 / len(pages)
    deep = {name: [depth for depth in DEPTHS if keeps(name, depth)] for name in PARSERS}
    for name, ms in times.items():
        print(f"{name:14} {ms:6.2f} ms a page; keeps text at depths {deep[name]}")
    pairs = (("lxml, target", "turbohtml"), ("turbohtml", "lxml, target"))
    lost = {f"{name} lacks of {other}": missing(pages, name, other) for name, other in pairs}
    for name, figures in lost.items():
        print(
            f"{name}: {figures['share']:.4%} of the words; {figures['pages']} pages over 20 words"
        )
    result = {"set": args.set, "pages": len(pages), "cpu_ms": times, "depths": deep, "lost": lost}
    record("cost/parsers", {**result, **environment()})


if __name__ == "__main__":
    main()
