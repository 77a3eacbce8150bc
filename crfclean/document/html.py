"""Write a document's content as plain HTML that is safe to show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import islice

import numpy as np

from crfclean.document.content import shown_content
from crfclean.document.kinds import ELEMENTS
from crfclean.document.parts import DEFAULT_SHOW, Content, Part, Show, iter_parts
from crfclean.document.text import line_text
from crfclean.types import Blocks, Document, Ints

# Every kind of part has one element. `lang` and `dir` are written where they change. The markup has
# only elements and attributes that are named in this module and its table, and escaped text.

_HTML: Mapping[str, str] = ELEMENTS["html"]
"""Kind of part -> its element, for kinds that always have the same element."""

_INLINE = frozenset("em strong code del ins mark sub sup a ruby".split())
_MATHML = frozenset(ELEMENTS["written"]["mathml"].split())
_TAG = re.compile(r"(<[^<>]*>)")
_PARTS_OF_TAG = re.compile(r"<(/?)([a-z]+)((?:\s.*)?)>", re.DOTALL)
_ATTRIBUTE = re.compile(r'\s(?:display|dir|lang)="[^"]*"')
_NUMBER = re.compile(r"[0-9]{1,4}")  # of a footnote
_INHERITED = ("dir", "lang")
_OF_LINKS = {"rel": "noopener noreferrer nofollow"}


def to_html(document: Document, show: Show = DEFAULT_SHOW) -> str:
    """Return the content as an HTML page with charset, title and body that is safe to show.

    Separate comments follow in a section.
    """
    writer, (parts, comments) = _Writer(document.blocks), shown_content(document, show)
    body = writer.write(parts)
    if document.comments:
        body += f"<hr><section>{writer.write(comments)}</section>"
    title = escape(document.blocks.title, quote=False)
    return (
        f'<!DOCTYPE html>\n<html{writer.root}>\n<head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _text(text: str) -> str:
    return escape(text, quote=False).replace("\xa0", "&nbsp;")


def _markup(attributes: Mapping[str, str]) -> str:
    texts = {name: _text(text).replace('"', "&quot;") for name, text in attributes.items()}
    return "".join(f' {name}="{text}"' for name, text in texts.items())


def _mathml(markup: str) -> str:
    """Return the MathML of a formula with nothing but the known elements and attributes.

    >>> _mathml('<math><mi onclick="a()">x</mi><img src="x" b<c="d"></math>')
    '<math><mi>x</mi>&lt;img src="x" b</math>'
    """
    return "".join(
        _math_tag(piece) if at % 2 else piece.replace("<", "&lt;").replace(">", "&gt;")
        for at, piece in enumerate(_TAG.split(markup.replace("\xa0", "&nbsp;")))
    )


def _math_tag(tag: str) -> str:
    parts = _PARTS_OF_TAG.fullmatch(tag)
    if parts is None or parts[2] not in _MATHML:
        return ""
    return f"<{parts[1]}{parts[2]}{''.join(_ATTRIBUTE.findall(parts[3]))}>"


@dataclass
class _Writer:
    """Writes parts of a page as markup, by recursion: `content` bounds the depth of parts.

    `inherited` has the direction and language of each open part. `numbers` has the next number of
    each open ordered list.
    """

    blocks: Blocks
    out: list[str] = field(default_factory=list)
    inherited: list[tuple[str, str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    def write(self, parts: Iterable[Part]) -> str:
        """Return the markup of parts."""
        self.out, self.inherited = [], [(self._attribute("dir", 0), self._attribute("lang", 0))]
        self._write_all(parts)
        return "".join(self.out)

    @property
    def root(self) -> str:
        """The attributes of the `html` element."""
        attributes = {name: self._attribute(name, 0) for name in _INHERITED}
        return "".join(f' {name}="{escape(text)}"' for name, text in attributes.items() if text)

    def _write_all(self, children: Iterable[Content]) -> None:
        for child in children:
            if isinstance(child, str):
                self.out.append(_text(child))
            else:
                _WRITE.get(child.kind, _Writer.write_plain)(self, child)

    def write_plain(self, part: Part) -> None:
        self._element(_HTML[part.kind], part)

    def _element(self, tag: str, part: Part, **attributes: object) -> None:
        """Write an element with the content of the part; attributes that are None are left out."""
        language = self._enter_language(part)
        texts = {name: str(value) for name, value in attributes.items() if value is not None}
        rel = _OF_LINKS if tag == "a" else {}
        self.out.append(f"<{tag}{_markup(texts | language | rel)}>")
        self._write_all(part.children)
        self.out.append(f"</{tag}>" if tag in _INLINE else f"</{tag}>\n")
        self.inherited.pop()

    def _enter_language(self, part: Part) -> dict[str, str]:
        """Push the direction and language of a part; return the attributes that have changed."""
        around = current = self.inherited[-1]
        if part.node >= 0:
            current = (self._attribute("dir", part.node), self._attribute("lang", part.node))
        self.inherited.append(current)
        pairs = zip(_INHERITED, current, around, strict=True)
        return {name: value for name, value, outer in pairs if value and value != outer}

    def _attribute(self, name: str, node: int) -> str:
        """Return the inherited value of an element's attribute, "" for none."""
        owners = self._owners[name]
        if owners is None or int(owners[node]) < 0:
            return ""
        return (self.blocks.table.attributes[int(owners[node])].get(name) or "").strip()

    @cached_property
    def _owners(self) -> dict[str, Ints | None]:
        """Attribute -> for each element the nearest element at or around it that has the attribute.

        None for an attribute that no element has.
        """
        owners = {}
        for name in _INHERITED:
            has = np.array([name in named for named in self.blocks.table.attributes], np.bool_)
            owners[name] = self.blocks.table.nearest(has) if has.any() else None
        return owners

    def write_heading(self, part: Part) -> None:
        self._element(f"h{part.facts['level']}", part)

    def write_list(self, part: Part) -> None:
        """Write a list; `write_item` writes the numbers that do not follow from the item before."""
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
        wide = {name: span for name, span in spans.items() if span > 1}
        self._element("th" if part.facts.get("header") else "td", part, **wide)

    def write_caption(self, part: Part) -> None:
        self._element("caption" if self.out[-1].startswith("<table") else "figcaption", part)

    def write_code(self, part: Part) -> None:
        language = part.facts.get("language")
        attribute = _markup({"class": f"language-{language}"} if language else {})
        text = "".join(child for child in part.children if isinstance(child, str))
        self.out.append(f"<pre><code{attribute}>{_text(text)}</code></pre>\n")

    def write_image(self, part: Part) -> None:
        """Write a picture if it has an address."""
        facts = part.facts
        if not facts.get("source"):
            return
        original = self.blocks.table.attributes[part.node] if part.node >= 0 else {}
        sizes = {name: original[name] for name in ("width", "height") if original.get(name)}
        attributes = {"alt": facts.get("description", ""), "src": facts["source"], **sizes}
        title = {"title": facts["title"]} if facts.get("title") else {}
        self.out.append(f"<img{_markup(attributes | title)}>")

    def write_link(self, part: Part) -> None:
        if _holds_link(part):  # as a video in a link: no link stands in another
            self._write_all(part.children)
        else:
            self._element("a", part, href=part.facts["address"], title=part.facts.get("title"))

    def write_formula(self, part: Part) -> None:
        """Write a formula as MathJax and KaTeX read it, or as MathML if it has no TeX."""
        tex, mathml = part.facts.get("tex"), part.facts.get("mathml")
        if not tex:
            self.out.append(_mathml(mathml) if mathml else _text(line_text(part.children)))
            return
        display = part.facts.get("display")
        kind, begin, end = ("display", "\\[", "\\]") if display else ("inline", "\\(", "\\)")
        self.out.append(f'<span class="math {kind}">{begin}{_text(tex)}{end}</span>')

    def write_note(self, part: Part) -> None:
        if _holds_link(part):
            self._write_all(part.children)
            return
        address = _markup({"href": f"#note-{part.facts['id']}"} | _OF_LINKS)
        self.out.append(f"<sup><a{address}>")
        self._write_all(part.children)
        self.out.append("</a></sup>")

    def write_footnotes(self, part: Part) -> None:
        """Write a list of footnotes, numbered if all their ids are numbers."""
        notes = [child for child in part.children if isinstance(child, Part)]
        is_numbered = all(_NUMBER.fullmatch(note.facts.get("id", "")) for note in notes)
        self._element("ol" if is_numbered else "ul", part)

    def write_footnote(self, part: Part) -> None:
        name = part.facts.get("id", "")
        number = name if _NUMBER.fullmatch(name) else None
        self._element("li", part, id=f"note-{name}" if name else None, value=number)


def _holds_link(part: Part) -> bool:
    return any(inner.kind in ("link", "note") for inner in islice(iter_parts(part), 1, None))


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
    "footnotes": _Writer.write_footnotes,
    "footnote": _Writer.write_footnote,
    "rule": lambda writer, _: writer.out.append("<hr>\n"),
    "formula": _Writer.write_formula,
    "reading": lambda writer, part: writer.out.append(
        f"<rt>{escape(part.facts['text'], quote=False)}</rt>"
    ),
    "break": lambda writer, _: writer.out.append("<br>"),
}
"""Kind of part -> its writer, for kinds that need more than an element of `_HTML`."""
