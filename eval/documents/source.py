"""Compare systems' Markdown with the Markdown that pages were made from, element by element.

Run `python -m eval.documents.source --data DIR`; `--show KIND` lists what differs on each page.

Right is a heading with its level, an item with the kinds of the lists around it, code in every
byte (but for white space at the ends of lines), code with its language, a cell, the last part of an
address of a link or picture, the first words of a note, and a formula's TeX. Texts match by their
letters and digits. A page equals its
source if its headings, items, code and cells do. A language counts if the page's HTML names it; a
title counts only if the source has one. html2text and markdownify read crfclean's HTML. Needs the
extras `peers` and `html`, and html2text.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.document.html import to_html
from crfclean.pipeline import open_model, run
from crfclean.products.teach.gold import GoldPage
from eval.lib.corpora import SKIPPED, corpus, data_parser
from eval.lib.record import environment, record

try:
    import html2text
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markdownify import markdownify

    from eval.documents.constructs import formulas, notes
    from eval.documents.structure import attempt, by_crfclean, by_trafilatura
except ImportError as error:
    sys.stderr.write(f'skipped: {error.name} is missing: pip install -e ".[peers]" html2text\n')
    sys.exit(SKIPPED)

SETS = ("mdsites-dev", "ota-dev")
KINDS = tuple("headings items code language cells links pictures notes formulas".split())
WHOLE = ("headings", "items", "code", "cells")
PACKAGES = ("html2text", "markdown-it-py", "markdownify", "trafilatura")
_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING_ID = re.compile(r"\s*\{#[^}]*\}\s*$")  # of Docusaurus: `## Title {#title}`
_HASH = re.compile(r"-[0-9a-f]{32}(?=\.)")  # in names of pictures that Docusaurus copies
_ITEM_CHARS = 60

Found = dict[str, list[Any]]


def elements(markdown: str, html: str) -> Found:
    """Kind of element -> the elements of a Markdown text; `html` says which languages count."""
    tokens, around = _READER.parse(_FRONT_MATTER.sub("", markdown)), list[str]()
    found: Found = {"notes": notes(markdown), "formulas": formulas(markdown)}
    for at, token in enumerate(tokens):
        if token.type.endswith("_list_open"):
            around.append(token.type[0])
        elif token.type.endswith("_list_close"):
            around.pop()
        elif token.type in ("fence", "code_block"):
            found.setdefault("code", []).append(_code(token))
            found.setdefault("language", []).append((_code(token), _language(token, html)))
        elif token.type == "inline":
            for kind, element in _in_line(tokens, at, tuple(around)):
                found.setdefault(kind, []).append(element)
    return found


def _code(token: Token) -> str:
    return "\n".join(line.rstrip() for line in token.content.strip("\n").split("\n"))


def _language(token: Token, html: str) -> str:
    name = (token.info.split() or [""])[0].split(",")[0].lower().strip("{}.")
    return name if re.search(rf"[-\"'\s:]{re.escape(name)}[\"'\s]", html) else ""


def _in_line(
    tokens: Sequence[Token], at: int, around: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    """Yield the elements of a line: what holds it, and its links and pictures."""
    children, holder = tokens[at].children or [], tokens[at - 1]
    shown = (child.content or " " for child in children if child.type != "html_inline")
    text = re.sub(r"\W+", "", _HEADING_ID.sub("", "".join(shown)).casefold())
    if holder.type == "heading_open":
        yield "headings", (holder.tag, text)
    elif holder.type in ("td_open", "th_open"):
        yield from [("cells", text)] if text else []
    elif at > 1 and tokens[at - 2].type == "list_item_open":
        yield "items", (around, text[:_ITEM_CHARS])
    for child in children:
        if child.type in _ADDRESSES:
            kind, name = _ADDRESSES[child.type]
            yield kind, _last_part(str(child.attrGet(name) or ""))


_ADDRESSES = {"link_open": ("links", "href"), "image": ("pictures", "src")}


def _last_part(address: str) -> str:
    """Return the last part of an address, as a source and a page both have it.

    >>> _last_part("../guide/first.md#start"), _last_part("https://x.example/guide/first/")
    ('first', 'first')
    """
    part = re.split(r"[?#]", address)[0].rstrip("/").rpartition("/")[2]
    return _HASH.sub("", part).removesuffix(".md").removesuffix(".html")


def by_converter(convert: Callable[[str], str]) -> Callable[[GoldPage], str]:
    """A system that turns crfclean's HTML into Markdown."""
    return lambda gold: convert(to_html(run(gold.page, open_model("default"))))


SYSTEMS: Mapping[str, Callable[[GoldPage], str]] = {
    "crfclean": by_crfclean,
    "trafilatura": by_trafilatura,
    "markdownify": by_converter(lambda html: str(markdownify(html, heading_style="ATX"))),
    "html2text": by_converter(lambda html: html2text.HTML2Text(bodywidth=0).handle(html)),
}


def counts(source: Found, output: Found) -> dict[str, tuple[int, int, int]]:
    """Kind -> how many elements are right, how many the output has, and how many the source."""
    if not any(tag == "h1" for tag, _ in source.get("headings", ())):  # the site writes the title
        output = output | {
            "headings": [one for one in output.get("headings", ()) if one[0] != "h1"]
        }
    pairs = {kind: (Counter(source.get(kind, ())), Counter(output.get(kind, ()))) for kind in KINDS}
    return {
        kind: ((wanted & got).total(), got.total(), wanted.total())
        for kind, (wanted, got) in pairs.items()
    }


def measured(name: str, data: str, system: str, show: str) -> dict[str, Any]:
    """Kind -> how many elements are right, said, there in a set; and how many pages are equal."""
    sums, equal = {kind: np.zeros(3, np.int64) for kind in KINDS}, 0
    pages = read_markdown(name, data)
    for gold, source in pages:
        html = gold.page.html
        wanted, got = elements(source, html), elements(attempt(SYSTEMS[system], gold), html)
        found = counts(wanted, got)
        equal += all(len(set(found[kind])) == 1 for kind in WHOLE)
        for kind, numbers in found.items():
            sums[kind] += numbers
        if show:
            missing, more = (Counter(one.get(show, ())) for one in (wanted, got))
            for sign, which in (("-", missing - more), ("+", more - missing)):
                print(*(f"{gold.id} {sign} {one}" for one in which), sep="\n")
    return {"pages": len(pages), "equal": equal} | {kind: sums[kind].tolist() for kind in KINDS}


def read_markdown(name: str, data: str) -> list[tuple[GoldPage, str]]:
    """The pages of a set with their sources."""
    pages = {gold.id: gold for gold in corpus(name, data)}
    with lzma.open(Path(data) / f"{name}.jsonl.xz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [(pages[row["id"]], row["extra"]["markdown"]) for row in rows]


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    parser.add_argument("--show", default="", choices=["", *KINDS])
    args = parser.parse_args()
    results = {
        name: {system: measured(name, args.data, system, args.show) for system in args.systems}
        for name in SETS
    }
    for name, by_system in results.items():
        print(f"| {name} | {' | '.join(KINDS)} | equal |")
        for system, result in by_system.items():
            shares = (
                f"{right / max(said, 1):.3f} / {right / there:.3f}" if there else "-"
                for right, said, there in (result[kind] for kind in KINDS)
            )
            print(f"| {system} | {' | '.join(shares)} | {result['equal']} of {result['pages']} |")
    if args.systems == list(SYSTEMS):
        versions = {package: version(package) for package in PACKAGES}
        record("documents/source", {"results": results, "readers": versions, **environment()})


if __name__ == "__main__":
    main()
