"""`Document` -> HTML: its content as plain elements, safe to show, and no more.

Every kind of part has one element; `lang` and `dir` stay where they change. What a sanitiser would
not let through never gets as far as a reader: all of it goes through one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib import import_module

import numpy as np

from crfclean.page.measures import measured
from crfclean.page.tree import nearest
from crfclean.structure.content import comments_content, content
from crfclean.structure.filter import shown
from crfclean.structure.parts import USUAL, Content, Part, Show
from crfclean.types import Blocks, CrfcleanError, Document, Ints

ELEMENTS: Mapping[str, str] = {
    "paragraph": "p",
    "item": "li",
    "definitions": "dl",
    "term": "dt",
    "definition": "dd",
    "table": "table",
    "row": "tr",
    "quote": "blockquote",
    "figure": "figure",
    "footnotes": "ul",
    "footnote": "li",
    "emphasis": "em",
    "strong": "strong",
    "code": "code",
    "deleted": "del",
    "inserted": "ins",
    "marked": "mark",
    "subscript": "sub",
    "superscript": "sup",
    "link": "a",
}
"""Kind of part -> its element, where that depends on nothing else."""

_INLINE = frozenset("em strong code del ins mark sub sup a".split())
_ATTRIBUTED = {
    "*": "lang dir",
    "a": "href title",
    "code": "class",
    "img": "src alt title width height",
    "li": "value id",
    "ol": "start",
    "td": "colspan rowspan",
    "th": "colspan rowspan",
}
_BARE = "br caption figcaption h1 h2 h3 h4 h5 h6 hr pre section"
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys([*ELEMENTS.values(), *_BARE.split()], frozenset[str]()),
    **{tag: frozenset(names.split()) for tag, names in _ATTRIBUTED.items()},
}
"""Element that may be written -> its attributes that may; "*" are those of all."""

INHERITED = ("dir", "lang")


def to_html(document: Document, show: Show = USUAL) -> str:
    """The content as an HTML page of charset, title and body; safe to show.

    Comments beside the text follow in a section of their own. Raises `CrfcleanError` where nh3
    is not installed.
    """
    clean, writer = _sanitiser(), _Writer(document.blocks)
    body = writer.written(shown(content(document), show))
    if document.comments:
        comments = shown(comments_content(document), show)
        body += f"<hr><section>{writer.written(comments)}</section>"
    title = escape(document.blocks.title, quote=False)
    return (
        f'<!DOCTYPE html>\n<html{writer.root}>\n<head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n<body>\n{clean(body, ATTRIBUTES)}\n</body>\n</html>\n"
    )


def _sanitiser() -> Callable[[str, Mapping[str, frozenset[str]]], str]:
    try:
        found: Callable[[str, Mapping[str, frozenset[str]]], str] = import_module(
            "crfclean.writers.sanitise"
        ).sanitise
    except ModuleNotFoundError as error:
        raise CrfcleanError(f"{error.name} is missing: pip install 'crfclean[html]'") from error
    return found


@dataclass
class _Writer:
    """Parts of a page -> markup; parts are never deeper than `content` makes them.

    `inherited` are direction and language of each part that is open, `numbers` the next number of
    each ordered list.
    """

    blocks: Blocks
    out: list[str] = field(default_factory=list)
    inherited: list[tuple[str, str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    def written(self, parts: Iterable[Part]) -> str:
        """The markup of some parts."""
        self.out, self.inherited = [], [(self._told("dir", 0), self._told("lang", 0))]
        self._all(parts)
        return "".join(self.out)

    @property
    def root(self) -> str:
        """The attributes of the page itself."""
        told = {name: self._told(name, 0) for name in INHERITED}
        return "".join(f' {name}="{escape(text)}"' for name, text in told.items() if text)

    def _all(self, children: Iterable[Content]) -> None:
        for child in children:
            if isinstance(child, str):
                self.out.append(escape(child, quote=False))
            else:
                _WRITE.get(child.kind, _Writer.write_plain)(self, child)

    def write_plain(self, part: Part) -> None:
        self._element(ELEMENTS[part.kind], part)

    def _element(self, tag: str, part: Part, **attributes: object) -> None:
        """An element with what is in the part; attributes that are None are left out."""
        mine = self._language(part)
        told = {name: str(one) for name, one in attributes.items() if one is not None} | mine
        self.out.append(f"<{tag}{_attributes(told)}>")
        self._all(part.children)
        self.out.append(f"</{tag}>" if tag in _INLINE else f"</{tag}>\n")
        self.inherited.pop()

    def _language(self, part: Part) -> dict[str, str]:
        """The direction and language of a part, where they are not those around it."""
        around = self.inherited[-1]
        mine = around
        if part.node >= 0:
            mine = (self._told("dir", part.node), self._told("lang", part.node))
        self.inherited.append(mine)
        pairs = zip(INHERITED, mine, around, strict=True)
        return {name: here for name, here, there in pairs if here and here != there}

    def _told(self, name: str, node: int) -> str:
        """An attribute of the nearest element at or around one that has it."""
        at = self._near[name]
        if at is None or int(at[node]) < 0:
            return ""
        return (self.blocks.nodes.attributes[int(at[node])].get(name) or "").strip()

    @cached_property
    def _near(self) -> dict[str, Ints | None]:
        """Attribute -> the nearest element at or around each that has it; None where none has."""
        known, found = self.blocks.nodes.attributes, {}
        for name in INHERITED:
            has = np.array([name in attributes for attributes in known], np.bool_)
            found[name] = nearest(measured(self.blocks), has) if has.any() else None
        return found

    def write_heading(self, part: Part) -> None:
        self._element(f"h{part.facts['level']}", part)

    def write_list(self, part: Part) -> None:
        """A list; items whose number does not follow from the one before have it told."""
        if not part.facts.get("ordered"):
            self._element("ul", part)
            return
        start = int(part.facts.get("start", 1))
        self.numbers.append(start)
        self._element("ol", part, start=start if start != 1 else None)
        self.numbers.pop()

    def write_item(self, part: Part) -> None:
        number = part.facts.get("number")
        follows = number is None or not self.numbers or number == self.numbers[-1]
        if number is not None and self.numbers:
            self.numbers[-1] = number + 1
        self._element("li", part, value=None if follows else number)

    def write_cell(self, part: Part) -> None:
        spans = {name: part.facts.get(name, 1) for name in ("colspan", "rowspan")}
        told = {name: span for name, span in spans.items() if span > 1}
        self._element("th" if part.facts.get("header") else "td", part, **told)

    def write_caption(self, part: Part) -> None:
        self._element("caption" if self.out[-1].startswith("<table") else "figcaption", part)

    def write_code(self, part: Part) -> None:
        language = part.facts.get("language")
        told = f' class="language-{escape(language)}"' if language else ""
        text = "".join(one for one in part.children if isinstance(one, str))
        self.out.append(f"<pre><code{told}>{escape(text, quote=False)}</code></pre>\n")

    def write_image(self, part: Part) -> None:
        """A picture with its address; nothing where it has none."""
        facts = part.facts
        if not facts.get("source"):
            return
        known = self.blocks.nodes.attributes[part.node] if part.node >= 0 else {}
        sizes = {name: known[name] for name in ("width", "height") if known.get(name)}
        told = {"alt": facts.get("description", ""), "src": facts["source"], **sizes}
        title = {"title": facts["title"]} if facts.get("title") else {}
        self.out.append(f"<img{_attributes(told | title)}>")

    def write_link(self, part: Part) -> None:
        self._element("a", part, href=part.facts["address"], title=part.facts.get("title"))

    def write_note(self, part: Part) -> None:
        self.out.append(f'<sup><a href="#note-{escape(part.facts["id"])}">')
        self._all(part.children)
        self.out.append("</a></sup>")

    def write_footnote(self, part: Part) -> None:
        name = part.facts.get("id")
        self._element("li", part, id=f"note-{name}" if name else None)


def _attributes(told: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(text)}"' for name, text in told.items())


_WRITE: Mapping[str, Callable[[_Writer, Part], None]] = {
    "heading": _Writer.write_heading,
    "list": _Writer.write_list,
    "item": _Writer.write_item,
    "cell": _Writer.write_cell,
    "caption": _Writer.write_caption,
    "codeblock": _Writer.write_code,
    "image": _Writer.write_image,
    "link": _Writer.write_link,
    "note": _Writer.write_note,
    "footnote": _Writer.write_footnote,
    "rule": lambda writer, _: writer.out.append("<hr>\n"),
    "break": lambda writer, _: writer.out.append("<br>"),
}
"""Kind of part -> how it is written, where it is more than an element."""
