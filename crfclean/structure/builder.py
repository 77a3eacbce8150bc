"""Marked elements and kept runs, in page order -> the tree of parts; one pass, no recursion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crfclean.page.elements import INLINE
from crfclean.page.urls import Addresses, picture_source
from crfclean.structure.code import code_part, find_code
from crfclean.structure.facts import HEADING_LEVEL, Facts
from crfclean.structure.footnotes import Notes
from crfclean.structure.kinds import FLOW, MARKS, OF_LINES, ROLES, TABLES
from crfclean.structure.line import NOTHING, Line, Mark
from crfclean.structure.open_parts import Frame
from crfclean.structure.parts import Content, Part, inside
from crfclean.structure.selection import Marked
from crfclean.types import Ints, Label

MAX_NESTING = 40  # parts inside each other: lists of 20 levels; deeper ones are dissolved
MAX_HEADING = 200  # characters of one that only its role tells
MAX_LINES = 8  # of a heading, caption or term: with more it is an element that was never closed


@dataclass(slots=True)
class _Open:
    """An element that is entered: where it ends, what it opened."""

    node: int
    end: int
    frame: bool = False
    mark: bool = False


@dataclass
class Builder:
    """One page's content while it is made; for one call."""

    marks: Marked
    addresses: Addresses
    notes: Notes
    labels: Ints
    frames: list[Frame] = field(default_factory=lambda: [Frame("", -1, -1)])
    open: list[_Open] = field(default_factory=list)
    inline: list[Mark] = field(default_factory=list)
    line: Line = field(default_factory=Line)
    skipped: range = range(0)
    shown: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        blocks = self.marks.page.blocks
        self.nodes, self.runs, self.texts_at = blocks.nodes, blocks.runs, blocks.node
        self.ends = blocks.nodes.end.tolist()
        self.facts, self.code = Facts(self.marks, self.notes), find_code(self.marks)

    def built(self) -> tuple[Part, ...]:
        """The parts of the page."""
        start = self.marks.whole
        end = self.ends[start]
        telling = self.marks.wanted & ~self.marks.page.page.is_tag(_SILENT)
        wanted = (np.flatnonzero(telling[start:end]) + start).tolist()
        kept = np.flatnonzero(self.marks.kept[self.runs.block])
        nodes, afters = self.runs.node[kept].tolist(), self.runs.after[kept].tolist()
        blocks, at = self.runs.block[kept].tolist(), 0
        for run, node, after, block in zip(kept.tolist(), nodes, afters, blocks, strict=True):
            while at < len(wanted) and wanted[at] < after:
                self._enter(wanted[at])
                at += 1
            self._leave(node)
            if node not in self.skipped:
                self._text(self.runs.texts[run], block)
        for node in wanted[at:]:
            self._enter(node)
        self._leave(-1)
        self._end_line()
        return tuple(self.frames[0].parts())

    # what is open

    def _enter(self, node: int) -> None:
        """Begin an element."""
        self._leave(node)
        if node in self.skipped:
            return
        tag = self.nodes.tags[node]
        if tag in INLINE or tag == "br":
            self._enter_inline(node, tag)
            return
        self._end_line()
        if tag == "hr":
            self.frames[-1].inside.append(Part("rule", node=node))
            return
        if node in self.code and not self._of_lines:
            self._code(node)
            return
        if tag in _DEFINING and self.frames[-1].kind in ("term", "definition"):
            self._close_frame()
        kind = self._kind(node, tag)
        if kind:
            facts = self.facts.of(kind, node)
            self.frames.append(Frame(kind, node, self.ends[node], facts))
        self.open.append(_Open(node, self.ends[node], frame=bool(kind)))

    def _leave(self, node: int) -> None:
        """End the elements that are not around another."""
        while self.open and not self.open[-1].node <= node < self.open[-1].end:
            left = self.open.pop()
            if left.mark:
                self.inline.pop()
                continue
            self._end_line()
            if left.frame:
                self._end_frame()

    def _close_frame(self) -> None:
        """End a frame whose element goes on: libxml2 leaves a `dd` open where another begins."""
        for one in reversed(self.open):
            if one.frame:
                one.frame = False
                break
        self._end_frame()

    def _end_frame(self) -> None:
        frame = self.frames.pop()
        self.frames[-1].inside += frame.parts()

    @property
    def _of_lines(self) -> bool:
        """Whether only lines of text may stand here."""
        return self.frames[-1].kind in OF_LINES

    def _code(self, node: int) -> None:
        part = code_part(self.marks, node)
        if part is not None:
            self.frames[-1].inside.append(part)
        self.skipped = range(node, self.ends[node])

    # blocks

    def _kind(self, node: int, tag: str) -> str:
        """The kind of part that a block-level element opens, "" for none."""
        around = self.frames[-1].kind
        if self._of_lines or len(self.frames) > MAX_NESTING:
            return ""
        if node in self.notes.bodies:
            return "footnote"
        if node in self.notes.lists:
            return "footnotes"
        if tag in TABLES:
            return self._table_kind(node, tag)
        kind = FLOW.get(tag) or self._role(node)
        if kind in OF_LINES and self._blocks_in(node) > MAX_LINES:
            return "definition" if kind == "term" else ""
        return "footnote" if kind == "item" and around == "footnotes" else kind

    def _role(self, node: int) -> str:
        """The kind that an element's role gives it: none of a heading as long as a text."""
        kind = ROLES.get(self.nodes.attributes[node].get("role") or "", "")
        long = kind == "heading" and self.marks.page.all_held[node] > MAX_HEADING
        return "" if long else kind

    def _table_kind(self, node: int, tag: str) -> str:
        """The kind of an element of a table: none in tables that arrange the page."""
        if not self.marks.data[node]:
            return ""
        kind = TABLES[tag]
        if kind == "caption" and self._blocks_in(node) > MAX_LINES:
            return ""
        inside = kind == "table" or any(one.kind == "table" for one in self.frames[-3:])
        return kind if inside else ""

    def _blocks_in(self, node: int) -> int:
        return int(self.nodes.end_block[node] - self.nodes.first_block[node])

    # lines

    def _enter_inline(self, node: int, tag: str) -> None:
        """Begin an element in a line."""
        if tag == "br":
            self.line.end_line()
        elif tag == "img":
            image = self._image(node) if node in self.marks.pictures else None
            if image is not None:
                self.line.add_part(image, self._marks())
        elif mark := self._mark(node, tag):
            self.inline.append(mark)
            self.open.append(_Open(node, self.ends[node], mark=True))

    def _image(self, node: int) -> Part | None:
        """A picture; None for one whose address is none or its own data."""
        attributes = self.nodes.attributes[node]
        told = {name: " ".join((attributes.get(name) or "").split()) for name in ("alt", "title")}
        source = self.addresses.absolute(picture_source(attributes))
        if not source:
            return None
        facts = {"source": source, "description": told["alt"], "title": told["title"]}
        return Part("image", (), {name: text for name, text in facts.items() if text}, node)

    def _mark(self, node: int, tag: str) -> Mark | None:
        """What an inline element does to its text; None for nothing."""
        if tag == "a":
            return self._link(node)
        kind = MARKS.get(tag)
        known = kind is None or any(mark.kind == kind for mark in self.inline)
        return None if known or kind is None or node in self.notes.bare else Mark(kind, node)

    def _link(self, node: int) -> Mark | None:
        attributes = self.nodes.attributes[node]
        if node in self.notes.references:
            return Mark("note", node, {"id": self.notes.references[node]})
        if node in self.notes.backs:
            self.skipped = range(node, self.ends[node])
            return None
        address = self.addresses.absolute(attributes.get("href"))
        in_heading = self.frames[-1].kind == "heading"
        if in_heading and self.addresses.fragment(attributes.get("href")):
            if self._is_sign(node):
                self.skipped = range(node, self.ends[node])
            return None  # an anchor: it leads to the heading itself
        if not address or any(mark.kind in ("link", "note") for mark in self.inline):
            return None
        title = " ".join((attributes.get("title") or "").split())
        return Mark("link", node, {"address": address} | ({"title": title} if title else {}))

    def _is_sign(self, node: int) -> bool:
        """Whether an element shows one of the signs of anchors, and nothing else."""
        first, last = np.searchsorted(self.runs.after, [node + 1, self.ends[node] + 1]).tolist()
        if last - first > 3:
            return False
        texts = (self.runs.texts[at] for at in range(first, last) if self._inside(at, node))
        return "".join(texts).strip() in _SIGNS

    def _inside(self, run: int, node: int) -> bool:
        return bool(node <= self.runs.node[run] < self.ends[node])

    def _marks(self) -> list[Mark]:
        """The marks around a text, from the outermost; code goes inside, and is all but links."""
        inner = [mark for mark in self.inline if mark.kind == "code"]
        note = [mark for mark in self.inline if mark.kind == "note"]
        if note:
            return note
        if not inner:
            return self.inline
        at = self.inline.index(inner[0])
        after = [mark for mark in self.inline[at + 1 :] if mark.kind == "link"]
        return [*self.inline[:at], *after, *inner]

    def _text(self, text: str, block: int) -> None:
        if self.line.block not in (-1, block):
            self._end_line()
        self.line.block = block
        self.line.add_text(text, self._marks())

    def _end_line(self) -> None:
        """The line under way becomes a paragraph, or a heading if it is labelled so."""
        line = self.line
        if not line.inside:
            line.between, line.block = NOTHING, -1
            return
        self.line, children = Line(), line.content()
        block, node = line.block, self.open[-1].node if self.open else self.marks.whole
        if block < 0:
            if self._is_new(children):
                self.frames[-1].inside.append(Part("paragraph", children, {}, node))
            return
        node = int(self.texts_at[block])
        free = all(frame.kind in _FREE for frame in self.frames)
        if free and self.labels[block] == Label.HEADER:
            made = Part("heading", children, {"level": HEADING_LEVEL}, node, (block,))
        else:
            made = Part("paragraph", children, {}, node, (block,))
        self.frames[-1].inside.append(made)

    def _is_new(self, pictures: tuple[Content, ...]) -> bool:
        """Whether a line of pictures alone shows one for the first time, or stands in its place.

        Galleries show the same ones large and small; cells and captions need theirs.
        """
        line = Part("paragraph", pictures)
        sources = {one.facts["source"] for one in inside(line) if one.kind == "image"}
        new = not sources <= self.shown
        self.shown |= sources
        return new or any(frame.kind in _NEEDING for frame in self.frames)


_NEEDING = frozenset(["cell", "figure"])
_SIGNS = frozenset(["#", "¶", "§", "🔗", "⚓", "⚓︎", "∞"])
_SILENT = INLINE - MARKS.keys() - {"a", "img"}
"""Elements that do nothing to a line."""

_DEFINING = frozenset(["dt", "dd"])
_FREE = frozenset(["", "quote", "figure"])
"""Kinds of parts in which a paragraph may be a heading by its label."""
