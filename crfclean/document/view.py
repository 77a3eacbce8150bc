"""Write a page as an HTML document for viewing that runs no script of it and loads nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from crfclean.document.marks import Marks, MarkSpan, place_marks
from crfclean.page.effects import DROPPED, INLINE
from crfclean.shell import html_document
from crfclean.types import Blocks, Page

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

    def _begin(self, span: MarkSpan, node: int, after: int) -> None:
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
