"""Build the tree of parts from marked elements and kept runs, in one pass without recursion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crfclean.page.urls import Addresses, picture_source
from crfclean.structure.code import code_part, find_code
from crfclean.structure.facts import HEADING_LEVEL, Facts
from crfclean.structure.footnotes import Notes
from crfclean.structure.formulas import RawFormulas, formula_part
from crfclean.structure.kinds import FLOW_KINDS, LINE_KINDS, MARK_KINDS, ROLE_KINDS, TABLE_KINDS
from crfclean.structure.line import Line, Mark
from crfclean.structure.open_parts import OpenPart
from crfclean.structure.parts import Content, Part, iter_parts
from crfclean.structure.selection import Selection
from crfclean.types import Ints, Label

MAX_NESTING = 40  # parts inside each other (lists of 20 levels); deeper elements are dissolved
_MAX_HEADING_CHARS = 200  # of a heading that is one by its role alone
_MAX_LINES = 8  # of a heading, caption or term; with more, its element was never closed


@dataclass(slots=True)
class _OpenElement:
    """An element that has begun: where it ends, and whether it opened a part or a mark."""

    node: int
    end: int
    has_part: bool = False
    has_mark: bool = False


@dataclass
class Builder:
    """The content of one page under construction, for one call."""

    selection: Selection
    addresses: Addresses
    notes: Notes
    labels: Ints
    open_parts: list[OpenPart] = field(default_factory=lambda: [OpenPart("", -1, -1)])
    open_elements: list[_OpenElement] = field(default_factory=list)
    open_marks: list[Mark] = field(default_factory=list)
    line: Line = field(default_factory=Line)
    skipped: range = range(0)
    sources: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        blocks = self.selection.elements.blocks
        self.nodes, self.runs, self.containers = blocks.nodes, blocks.runs, blocks.node
        self.ends = blocks.nodes.end.tolist()
        self.facts, self.code = Facts(self.selection, self.notes), find_code(self.selection)
        self.raw_formulas = RawFormulas.of(self.nodes)

    def build(self) -> tuple[Part, ...]:
        """Return the parts of the page."""
        start = self.selection.root
        end = self.ends[start]
        without_effect = self.nodes.inline & ~self.selection.elements.page.is_tag(_WITH_EFFECT)
        marked = self.selection.marked & ~without_effect
        marked[list(self.runs.readings)] = True
        elements = (np.flatnonzero(marked[start:end]) + start).tolist()
        kept = np.flatnonzero(self.selection.kept[self.runs.block])
        nodes, afters = self.runs.node[kept].tolist(), self.runs.after[kept].tolist()
        blocks, at = self.runs.block[kept].tolist(), 0
        for run, node, after, block in zip(kept.tolist(), nodes, afters, blocks, strict=True):
            while at < len(elements) and elements[at] < after:
                self._enter(elements[at])
                at += 1
            self._leave(node)
            if node not in self.skipped:
                self._text(run, block)
        for node in elements[at:]:
            self._enter(node)
        self._leave(-1)
        self._end_line()
        return tuple(self.open_parts[0].parts())

    # elements

    def _enter(self, node: int) -> None:
        """Begin an element."""
        self._leave(node)
        if node in self.skipped:
            return
        tag = self.nodes.tags[node]
        is_inline = self.nodes.inline[node] or tag in ("br", "rt")
        if not is_inline:
            self._end_line()
        if is_inline or tag in _WITH_EFFECT:  # a link may stand on lines of its own by its style
            self._enter_inline(node, tag)
            return
        if tag == "hr":
            self.open_parts[-1].inside.append(Part("rule", node=node))
            return
        if node in self.code and not self._only_lines:
            self._add_code(node)
            return
        if tag in _DEFINING and self.open_parts[-1].kind in ("term", "definition"):
            self._close_part_early()
        kind = self._kind(node, tag)
        if kind:
            facts = self.facts.of(kind, node)
            self.open_parts.append(OpenPart(kind, node, self.ends[node], facts))
        self.open_elements.append(_OpenElement(node, self.ends[node], has_part=bool(kind)))

    def _leave(self, node: int) -> None:
        """End the open elements that are not around another element."""
        elements = self.open_elements
        while elements and not elements[-1].node <= node < elements[-1].end:
            element = elements.pop()
            if not (element.has_mark and self.nodes.inline[element.node]):
                self._end_line()
            if element.has_mark:
                self.open_marks.pop()
                continue
            if element.has_part:
                self._close_part()

    def _close_part_early(self) -> None:
        """Close a part before its element ends: libxml2 keeps a `dd` open where another begins."""
        for element in reversed(self.open_elements):
            if element.has_part:
                element.has_part = False
                break
        self._close_part()

    def _close_part(self) -> None:
        part = self.open_parts.pop()
        self.open_parts[-1].inside += part.parts()

    @property
    def _only_lines(self) -> bool:
        """Whether only lines of text may stand here."""
        return self.open_parts[-1].kind in LINE_KINDS

    def _add_code(self, node: int) -> None:
        part = code_part(self.selection, node)
        if part is not None:
            self.open_parts[-1].inside.append(part)
        self.skipped = range(node, self.ends[node])

    # blocks

    def _kind(self, node: int, tag: str) -> str:
        """The kind of part that a block-level element opens, "" for none."""
        around = self.open_parts[-1].kind
        if self._only_lines or len(self.open_parts) > MAX_NESTING:
            return ""
        if node in self.notes.bodies:
            return "footnote"
        if node in self.notes.lists:
            return "footnotes"
        if tag in TABLE_KINDS:
            return self._table_kind(node, tag)
        kind = FLOW_KINDS.get(tag) or self._role_kind(node)
        if kind in LINE_KINDS and self._blocks_in(node) > _MAX_LINES:
            return "definition" if kind == "term" else ""
        return "footnote" if kind == "item" and around == "footnotes" else kind

    def _role_kind(self, node: int) -> str:
        """The kind that an element has by its role, "" for none and for too long a heading."""
        kind = ROLE_KINDS.get(self.nodes.attributes[node].get("role") or "", "")
        is_long = kind == "heading" and self.selection.elements.all_held[node] > _MAX_HEADING_CHARS
        return "" if is_long else kind

    def _table_kind(self, node: int, tag: str) -> str:
        """The kind of an element of a table, "" in tables that arrange the page."""
        if not self.selection.in_data_table[node]:
            return ""
        kind = TABLE_KINDS[tag]
        if kind == "caption" and self._blocks_in(node) > _MAX_LINES:
            return ""
        in_table = kind == "table" or any(part.kind == "table" for part in self.open_parts[-3:])
        return kind if in_table else ""

    def _blocks_in(self, node: int) -> int:
        return int(self.nodes.end_block[node] - self.nodes.first_block[node])

    # lines

    def _enter_inline(self, node: int, tag: str) -> None:
        """Begin an element in a line."""
        if tag == "br":
            self.line.end_line()
        elif tag == "rt":
            self._add_reading(node)
        elif tag == "img":
            image = self._image(node) if node in self.selection.pictures else None
            if image is not None:
                self.line.add_part(image, self._marks())
        elif mark := self._mark(node, tag):
            self.open_marks.append(mark)
            self.open_elements.append(_OpenElement(node, self.ends[node], has_mark=True))

    def _add_reading(self, node: int) -> None:
        """Add the reading of the text before it, inside the ruby around both."""
        text = " ".join(self.runs.readings.get(node, "").split())
        if text and self.open_marks and self.open_marks[-1].kind == "ruby":
            self.line.add_part(Part("reading", (), {"text": text}, node), self._marks())

    def _image(self, node: int) -> Part | None:
        """A picture; None if it has no address or is a `data:` URL."""
        attributes = self.nodes.attributes[node]
        source = self.addresses.absolute(picture_source(attributes))
        if not source:
            return None
        alt, title = (" ".join((attributes.get(name) or "").split()) for name in ("alt", "title"))
        facts = {"source": source, "description": alt, "title": title}
        return Part("image", (), {name: text for name, text in facts.items() if text}, node)

    def _mark(self, node: int, tag: str) -> Mark | None:
        """The mark that an inline element puts around its text, None for none."""
        if tag == "a":
            return self._link(node)
        kind = MARK_KINDS.get(tag)
        if kind is None or node in self.notes.superscripts:
            return None
        return None if any(mark.kind == kind for mark in self.open_marks) else Mark(kind, node)

    def _link(self, node: int) -> Mark | None:
        attributes = self.nodes.attributes[node]
        if node in self.notes.references:
            return Mark("note", node, {"id": self.notes.references[node]})
        if node in self.notes.back_links:
            self.skipped = range(node, self.ends[node])
            return None
        address = self.addresses.absolute(attributes.get("href"))
        in_heading = self.open_parts[-1].kind == "heading"
        if in_heading and self.addresses.fragment(attributes.get("href")):
            if self._is_anchor_sign(node):
                self.skipped = range(node, self.ends[node])
            return None  # an anchor: it leads to the heading itself
        if not address or any(mark.kind in ("link", "note") for mark in self.open_marks):
            return None
        title = " ".join((attributes.get("title") or "").split())
        return Mark("link", node, {"address": address} | ({"title": title} if title else {}))

    def _is_anchor_sign(self, node: int) -> bool:
        """Whether an element shows one of the signs of anchors and nothing else."""
        first, last = np.searchsorted(self.runs.after, [node + 1, self.ends[node] + 1]).tolist()
        if last - first > 3:
            return False
        texts = (self.runs.texts[at] for at in range(first, last) if self._is_in(at, node))
        return "".join(texts).strip() in _ANCHOR_SIGNS

    def _is_in(self, run: int, node: int) -> bool:
        return bool(node <= self.runs.node[run] < self.ends[node])

    def _marks(self) -> list[Mark]:
        """The marks around a text, from the outermost.

        A reference to a footnote has no other marks. Code has only links inside it, which go
        around it: `<code><b>a</b></code>` becomes code, `<code><a>a</a></code>` a link of code.
        """
        marks = self.open_marks
        codes = [mark for mark in marks if mark.kind == "code"]
        notes = [mark for mark in marks if mark.kind == "note"]
        if notes:
            return notes
        if not codes:
            return marks
        at = marks.index(codes[0])
        links = [mark for mark in marks[at + 1 :] if mark.kind == "link"]
        return [*marks[:at], *links, *codes]

    def _text(self, run: int, block: int) -> None:
        if self.line.block not in (-1, block):
            self._end_line()
        self.line.block = block
        if run in self.runs.formulas:
            self.line.add_part(formula_part(self.runs.formulas[run]), self._marks())
            return
        marks = self._marks()
        in_code = any(mark.kind == "code" for mark in marks)
        text = self.runs.texts[run]
        for piece in [text] if in_code else self.raw_formulas.pieces(text):
            if isinstance(piece, str):
                self.line.add_text(piece, marks)
            else:
                self.line.add_part(piece, marks)

    def _end_line(self) -> None:
        """Turn the current line into a paragraph, or into a heading if it is labelled so."""
        line, self.line = self.line, Line()
        if not line.content:
            return
        children, block = line.freeze(), line.block
        if block < 0:
            node = self.open_elements[-1].node if self.open_elements else self.selection.root
            if self._is_needed(children):
                self.open_parts[-1].inside.append(Part("paragraph", children, {}, node))
            return
        node = int(self.containers[block])
        may_be_heading = all(part.kind in _WITH_HEADINGS for part in self.open_parts)
        if may_be_heading and self.labels[block] == Label.HEADER:
            part = Part("heading", children, {"level": HEADING_LEVEL}, node, (block,))
        else:
            part = Part("paragraph", children, {}, node, (block,))
        self.open_parts[-1].inside.append(part)

    def _is_needed(self, pictures: tuple[Content, ...]) -> bool:
        """Whether a line of pictures alone shows a new one, or stands in a cell or figure.

        Galleries show the same pictures large and small; cells and captions need theirs.
        """
        line = Part("paragraph", pictures)
        sources = {part.facts["source"] for part in iter_parts(line) if part.kind == "image"}
        is_new = not sources <= self.sources
        self.sources |= sources
        return is_new or any(part.kind in _WITH_PICTURES for part in self.open_parts)


_WITH_PICTURES = frozenset(["cell", "figure"])
_ANCHOR_SIGNS = frozenset(["#", "¶", "§", "🔗", "⚓", "⚓︎", "∞"])
_WITH_EFFECT = (*MARK_KINDS, "a", "img")
"""Elements that put a mark around their text, or show a picture."""

_DEFINING = frozenset(["dt", "dd"])
_WITH_HEADINGS = frozenset(["", "quote", "figure"])
"""Kinds of parts in which a line may be a heading by its label."""
