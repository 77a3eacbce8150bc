r"""Build the content of a line: runs of text, formulas, links, pictures and other marks.

A single dollar sign marks a formula only on a page that loads MathJax or KaTeX; elsewhere it means
money.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.document.footnotes import Notes
from crfclean.document.kinds import MARK_KINDS
from crfclean.document.parts import Content, Part
from crfclean.document.selection import Selection
from crfclean.page.chars import WITHOUT_WIDTH
from crfclean.page.head import Addresses, is_played, media_source
from crfclean.types import Formula

_LOADER = re.compile(r"mathjax|katex", re.IGNORECASE)
_MARKS = re.compile(r"\\\\|\\\$|\$\$|\$|\\[()\[\]]|\\(begin|end)\{([A-Za-z]{1,20}\*?)\}")
_CLOSE = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_DISPLAY = frozenset(["$$", "\\["])
# TeX rather than words: `\alpha`, `x^2`, `a_i`, `a = b`; or a name alone: `\(x\)`
_TEX = re.compile(r"\\[A-Za-z]|[\^_={}+<>|]|\A\s*[A-Za-z]\d?\s*\Z")
_ENVIRONMENTS = frozenset(
    "equation align aligned gather gathered multline eqnarray alignat split cases matrix pmatrix "
    "bmatrix vmatrix array math displaymath".split()
)


def loads_typesetter(table: Table) -> bool:
    """Return whether a page loads MathJax or KaTeX, by its scripts and style sheets."""
    loaders = [node for node, tag in enumerate(table.tags) if tag in ("script", "link")]
    attributes = (table.attributes[node] for node in loaders)
    return any(_LOADER.search(f"{of.get('src')} {of.get('href')}") for of in attributes)


def formula_pieces(text: str, *, typeset: bool = False) -> Iterator[str | Part]:
    """Cut a text at its formulas, in linear time.

    `typeset` says that the page loads a program that shows formulas.
    """
    marks = [mark for mark in _MARKS.finditer(text) if mark[0] not in ("\\\\", "\\$")]
    closing, at, begin = _next_closing(marks), 0, 0
    while at < len(marks):
        mark, close = marks[at], marks[closing[at]]
        formula = _formula(text, mark, close, typeset=typeset) if closing[at] >= 0 else None
        if formula is None:
            at += 1
            continue
        if begin < mark.start():
            yield text[begin : mark.start()]
        yield formula_part(formula, text[mark.start() : close.end()])
        begin, at = close.end(), closing[at] + 1
    if begin < len(text):
        yield text[begin:]


def _formula(
    text: str, begin: re.Match[str], end: re.Match[str], *, typeset: bool
) -> Formula | None:
    """The formula between two marks, None for other text."""
    from crfclean.page.formulas import clean_tex  # few texts have such marks

    inner = text[begin.end() : end.start()]
    if begin[1]:
        return Formula(clean_tex(text[begin.start() : end.end()]), display=True)
    if begin[0] == "$" and not (typeset and _hugs(inner, text[end.end() :][:1])):
        return None
    tex = clean_tex(inner)
    if not tex or "$" in tex or not (typeset or _TEX.search(inner)):
        return None
    return Formula(tex, display=begin[0] in _DISPLAY)


def _hugs(inner: str, following: str) -> bool:
    """Return whether dollar signs enclose a formula: no blank inside, no digit after them."""
    return not (inner[:1].isspace() or inner[-1:].isspace() or following.isdigit())


def _next_closing(marks: list[re.Match[str]]) -> list[int]:
    """Find for each mark the next mark that may close it, -1 for none."""
    following: dict[str, int] = {}
    closing = [-1] * len(marks)
    for at in range(len(marks) - 1, -1, -1):
        mark = marks[at]
        if mark[1] == "begin":
            if mark[2].rstrip("*") in _ENVIRONMENTS:
                closing[at] = following.get(f"\\end{{{mark[2]}}}", -1)
        elif mark[0] in _CLOSE:
            closing[at] = following.get(_CLOSE[mark[0]], -1)
        following[mark[0]] = at
    return closing


def formula_part(formula: Formula, shown: str = "") -> Part:
    """The part of a formula; `shown` is its text on the page."""
    facts: dict[str, Any] = {"tex": formula.tex, "display": formula.display}
    if formula.mathml:
        facts["mathml"] = formula.mathml
    return Part("formula", (shown or formula.shown,), facts)


# build the content of one line from runs of text and the marks around them
#
# White space is folded as in `Block.text` and moved out of the edges of marks, so that `<b>a
# </b>b` and `<b>a</b> b` give the same content.

_NOTHING, _SPACE, _BREAK = 0, 1, 2
"""Separators between two runs; the greater one wins."""

_NEVER_JOINED = frozenset(["link", "note", "ruby"])
"""Kinds of marks that are not joined if they touch: two links may have two addresses."""


@dataclass(slots=True, eq=False)
class Mark:
    """An inline element: the part that it becomes and its content so far."""

    kind: str
    node: int
    facts: dict[str, Any] = field(default_factory=dict)
    content: list[Mark | Part | str] = field(default_factory=list)

    def joins(self, other: Mark) -> bool:
        """Return whether two marks that touch become one: `<b>a</b><b>b</b>`."""
        return self is other or (self.kind == other.kind and self.kind not in _NEVER_JOINED)


@dataclass(slots=True, eq=False)
class Line:
    """A line under construction; `blocks` are the indices of its blocks, usually of one.

    `open` has the open marks, outermost first, each as it came and as it is in the content.
    """

    blocks: list[int] = field(default_factory=list)
    content: list[Mark | Part | str] = field(default_factory=list)
    open: list[tuple[Mark, Mark]] = field(default_factory=list)
    between: int = _NOTHING

    def add_text(self, text: str, marks: Sequence[Mark]) -> None:
        """Add a run of text; `marks` are those around it from the outermost."""
        words = " ".join(text.split())
        if not words:
            self.between = max(self.between, _SPACE if text else _NOTHING)
            return
        if text[0].isspace():
            self.between = max(self.between, _SPACE)
        self._put(words, marks)
        self.between = _SPACE if text[-1].isspace() else _NOTHING

    def add_part(self, part: Part, marks: Sequence[Mark]) -> None:
        """Add an inline part, such as a picture or a formula."""
        self._put(part, marks)
        self.between = _NOTHING

    def end_line(self) -> None:
        """Add a line break, which shows only if text follows."""
        self.between = _BREAK

    def _put(self, item: Part | str, marks: Sequence[Mark]) -> None:
        if not self.content:
            self.between = _NOTHING
        still_open = self._count_still_open(marks) if self.open else 0
        del self.open[still_open:]
        if self.between == _BREAK:
            self._innermost.append(Part("break"))
        elif self.between == _SPACE:
            self._innermost.append(" ")
        for mark in marks[still_open:]:
            self._open(mark)
        self._innermost.append(item)

    @property
    def _innermost(self) -> list[Mark | Part | str]:
        return self.open[-1][1].content if self.open else self.content

    def _count_still_open(self, marks: Sequence[Mark]) -> int:
        """Return how many of the open marks stay open."""
        count = 0
        for (opened, shown), mark in zip(tuple(self.open), marks, strict=False):
            if not (opened is mark if self.between else opened.joins(mark)):
                break
            self.open[count] = (mark, shown)
            count += 1
        return count

    def _open(self, mark: Mark) -> None:
        """Open a mark, or reopen the one just closed if the two touch and join."""
        siblings = self._innermost
        last = siblings[-1] if siblings else None
        if not (isinstance(last, Mark) and last.joins(mark)):
            last = Mark(mark.kind, mark.node, mark.facts)
            siblings.append(last)
        self.open.append((mark, last))

    def freeze(self) -> tuple[Content, ...]:
        """Return the line's text and inline parts."""
        return _freeze(self.content)


def _freeze(content: Sequence[Mark | Part | str]) -> tuple[Content, ...]:
    """Turn marks into parts and join texts that touch; as deep as there are kinds of marks."""
    frozen: list[Content] = []
    texts: list[str] = []
    for item in content:
        if isinstance(item, str):
            texts.append(item)
            continue
        if texts:
            frozen.append("".join(texts))
            texts = []
        frozen.append(item if isinstance(item, Part) else _part(item))
    return (*frozen, "".join(texts)) if texts else tuple(frozen)


def _part(mark: Mark) -> Part:
    return Part(mark.kind, _freeze(mark.content), mark.facts, mark.node)


# read inline elements: pictures, readings, links and other marks

_ANCHOR_SIGNS = frozenset(["#", "¶", "§", "🔗", "⚓", "⚓︎", "∞"])
# `headerlink` (Sphinx: also beside terms and captions), `hash-link` (Docusaurus: U+200B)
_PERMALINK = re.compile(r"permalink|header-?link|hash-?link|heading-?link|anchor-?link")


class InlineParts(NamedTuple):
    """The inline elements of a page, as parts and marks."""

    selection: Selection
    addresses: Addresses
    notes: Notes

    @property
    def _table(self) -> Table:
        return self.selection.page.table

    def image(self, node: int) -> Part | None:
        """A picture, or a link to a video or audio; None if not selected or without address."""
        if node not in self.selection.pictures:
            return None
        attributes = self._table.attributes[node]
        source = self.addresses.absolute(media_source(self._table, node))
        if not source:
            return None
        names = ("alt", "title", "aria-label")
        alt, title, label = (" ".join((attributes.get(name) or "").split()) for name in names)
        if is_played(self._table, node):
            return Part("link", (title or label or source,), {"address": source}, node)
        facts = {"source": source, "description": alt, "title": title}
        return Part("image", (), {name: text for name, text in facts.items() if text}, node)

    def reading(self, node: int, marks: Sequence[Mark]) -> Part | None:
        """The reading of the text before it; None outside a ruby."""
        text = " ".join(self._table.readings.get(node, "").split())
        if not text or not marks or marks[-1].kind != "ruby":
            return None
        return Part("reading", (), {"text": text}, node)

    def marks(
        self, node: int, tag: str, marks: Sequence[Mark], style: Mapping[str, bool]
    ) -> list[Mark]:
        """The marks of an element inside other marks; `style` sets or ends kinds of marks."""
        if node in self.notes.references:
            return [Mark("note", node, {"id": self.notes.references[node]})]
        kinds = {MARK_KINDS[tag]: True} if tag in MARK_KINDS else {}
        if "superscript" in kinds and node + 1 in self.notes.references:
            return []
        link = self._link(node, marks) if tag == "a" else None
        around = {mark.kind for mark in marks}
        on = [kind for kind, is_on in (kinds | dict(style)).items() if is_on and kind not in around]
        return [Mark(kind, node) for kind in on] + ([link] if link else [])

    def is_left_out(self, node: int, *, in_heading: bool) -> bool:
        """Return whether a link only leads back from a footnote, or to its own place."""
        if node in self.notes.references:
            return False
        is_named = _PERMALINK.search(self._table.attributes[node].get("class") or "")
        leads = is_named or (in_heading and self._leads_here(node))
        return node in self.notes.back_links or bool(leads and self._is_anchor_sign(node))

    def _leads_here(self, node: int) -> bool:
        return bool(self.addresses.fragment(self._table.attributes[node].get("href")))

    def _link(self, node: int, marks: Sequence[Mark]) -> Mark | None:
        attributes = self._table.attributes[node]
        address = self.addresses.absolute(attributes.get("href"))
        if not address or any(mark.kind in ("link", "note") for mark in marks):
            return None
        title = " ".join((attributes.get("title") or "").split())
        return Mark("link", node, {"address": address} | ({"title": title} if title else {}))

    def _is_anchor_sign(self, node: int) -> bool:
        """Return whether an element shows just a sign of an anchor."""
        table = self._table
        end = int(table.end[node])
        first, last = np.searchsorted(table.run_after, [node + 1, end + 1]).tolist()
        if last - first > 3:
            return False
        texts = (
            table.run_texts[at] for at in range(first, last) if node <= table.run_node[at] < end
        )
        text = "".join(texts)
        return text.strip() in _ANCHOR_SIGNS or (text != "" and not text.strip(WITHOUT_WIDTH))
