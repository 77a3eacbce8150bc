"""Build the tree of a document's content from its kept blocks, in one pass without recursion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.document.budget import shown_parts
from crfclean.document.callouts import Callouts, as_title, find_callouts
from crfclean.document.code import code_parts, without_dirt
from crfclean.document.emphasis import styled_elements
from crfclean.document.footnotes import Notes, find_notes
from crfclean.document.inline import (
    InlineParts,
    Line,
    Mark,
    formula_part,
    formula_pieces,
    loads_typesetter,
)
from crfclean.document.kinds import (
    FLOW_KINDS,
    HEADING_LEVEL,
    LINE_KINDS,
    MARK_KINDS,
    ROLE_KINDS,
    TABLE_KINDS,
    Facts,
    OpenPart,
)
from crfclean.document.lines import continued
from crfclean.document.numbered import find_numbered
from crfclean.document.parts import Content, Part, Show, iter_parts
from crfclean.document.selection import (
    Selection,
    complete_lists,
    complete_tables,
    with_captions,
    with_code,
)
from crfclean.document.shown import filter_parts
from crfclean.page.elements import HEADINGS
from crfclean.page.head import MEDIA, Addresses
from crfclean.types import Bools, Document, Ints, Label, Rule

MAX_NESTING = 40  # parts inside each other (lists of 20 levels); deeper elements are dissolved
_MAX_HEADING_CHARS = 200  # of a heading that is one by its role alone
_MAX_LINES = 8  # of a heading, caption or term; with more, its element was never closed


@dataclass(slots=True, eq=False)
class _OpenElement:
    """An open element: where it ends, whether it opened a part, and how many marks it opened."""

    node: int
    end: int
    has_part: bool = False
    marks: int = 0


@dataclass(eq=False)
class Builder:
    """The content of one page under construction, for one call.

    Without `has_texts` the parts have their kinds, facts and blocks, but no texts and marks.
    """

    selection: Selection
    addresses: Addresses
    notes: Notes
    callouts: Callouts
    labels: Ints
    has_texts: bool = True
    open_parts: list[OpenPart] = field(default_factory=lambda: [OpenPart("", -1, -1)])
    open_elements: list[_OpenElement] = field(default_factory=list)
    open_marks: list[Mark] = field(default_factory=list)
    line: Line = field(default_factory=Line)
    skipped: range = range(0)
    sources: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        blocks = self.selection.page
        self.table, self.containers = blocks.table, blocks.node.tolist()
        self.ends, self.inlines = blocks.table.end.tolist(), blocks.table.is_inline.tolist()
        self.headers = {*np.flatnonzero(self.labels == Label.HEADER).tolist()}
        self.continued = continued(blocks, np.flatnonzero(self.selection.kept).tolist())
        self.numbered = find_numbered(blocks, self.selection.kept)
        self.facts = Facts(self.selection, self.notes, self.callouts, self.numbered)
        self.repeated, self.code = {**self.notes.marks, **self.numbered.runs}, blocks.code
        self.inline = InlineParts(self.selection, self.addresses, self.notes)
        self.styled = styled_elements(blocks) if self.has_texts else {}

    @cached_property
    def typeset(self) -> bool:
        """True if the page loads a program that shows formulas."""
        return loads_typesetter(self.table)

    def build(self) -> tuple[Part, ...]:
        """Return the parts of the page."""
        start = self.selection.root
        end = self.ends[start]
        kept = np.flatnonzero(self.selection.kept[self.table.run_block])
        nodes, afters = self.table.run_node[kept].tolist(), self.table.run_after[kept]
        elements = (np.flatnonzero(self._with_effect(afters)[start:end]) + start).tolist()
        blocks, places, at = self.table.run_block[kept].tolist(), afters.tolist(), 0
        for run, node, after, block in zip(kept.tolist(), nodes, places, blocks, strict=True):
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

    def _with_effect(self, afters: Ints) -> Bools:
        """Mark the elements on a mark-list that open a part or a mark, or end a line, (m,).

        A block-level element that opens no part ends lines only if a picture is in it or next to
        it: the texts before and after it are in two blocks anyway. `afters` are those of the kept
        runs.
        """
        page, ends = self.selection.page, self.table.end
        which, roles = page.table.attribute("role")
        by_role = np.array([role in ROLE_KINDS for role in roles], np.bool_)[which]
        opens = page.table.is_tag(*FLOW_KINDS, *TABLE_KINDS, "br", "hr") | by_role
        for nodes in (self.facts.kinds, self.code):
            opens[list(nodes)] = True
        runs_before = afters.searchsorted(np.arange(len(ends) + 1), "right")
        has_picture = np.zeros(len(afters) + 1, np.bool_)  # between two runs
        has_picture[runs_before[list(self.selection.pictures)]] = True
        near = has_picture[runs_before]
        opens |= (self.selection.picture_counts > 0) | near[:-1] | near[ends] | near[ends - 1]
        marks = page.table.is_tag(*(_WITH_EFFECT if self.has_texts else _IN_LINES)).copy()
        marks[[*self.styled, *self.selection.pictures]] = True
        marked: Bools = self.selection.marked & (opens & ~self.table.is_inline | marks)
        marked[list(self.table.readings)] = True
        return marked

    def _enter(self, node: int) -> None:
        self._leave(node)
        if node in self.skipped:
            return
        tag = self.table.tags[node]
        is_inline = self.inlines[node] or tag in ("br", "rt")
        if not is_inline:
            self._end_line()
        if is_inline or tag in _WITH_EFFECT:  # a link may stand on lines of its own by its style
            self._enter_inline(node, tag)
            return
        if tag == "hr":
            self.open_parts[-1].inside.append(Part("rule", node=node))
            return
        if node in self.code and not self._only_lines:
            self.open_parts[-1].inside += code_parts(self.selection, node)
            self.skipped = range(node, self.ends[node])
            return
        if tag in _DEFINING and self.open_parts[-1].kind in ("term", "definition"):
            self._close_part_early()
        kind = self._kind(node, tag)
        if kind:
            facts = self.facts.of(kind, node)
            self.open_parts.append(OpenPart(kind, node, self.ends[node], facts))
        self.open_elements.append(_OpenElement(node, self.ends[node], has_part=bool(kind)))

    def _leave(self, node: int) -> None:
        """End the open elements that are not around element `node`."""
        elements = self.open_elements
        while elements:
            element = elements[-1]
            if element.node <= node < element.end:
                return
            elements.pop()
            if not (element.marks and self.inlines[element.node]):
                self._end_line()
            if element.marks:
                del self.open_marks[-element.marks :]
            elif element.has_part:
                self._close_part()

    def _close_part_early(self) -> None:
        """Close a part before its element ends: libxml2 keeps a `dd` open if another one begins."""
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
        """True if only lines of text may stand here."""
        return self.open_parts[-1].kind in LINE_KINDS

    # blocks

    def _kind(self, node: int, tag: str) -> str:
        """The kind of part that a block-level element opens, "" for none."""
        around = self.open_parts[-1].kind
        if self._only_lines or len(self.open_parts) > MAX_NESTING:
            return ""
        if node in self.facts.kinds:
            return self.facts.kinds[node]
        if tag in TABLE_KINDS:
            return self._table_kind(node, tag)
        kind = FLOW_KINDS.get(tag) or self._role_kind(node)
        if kind in LINE_KINDS and len(self.table.blocks_in(node)) > _MAX_LINES:
            return "definition" if kind == "term" else ""
        return "footnote" if kind == "item" and around == "footnotes" else kind

    def _role_kind(self, node: int) -> str:
        """The kind of an element by its role, "" for none or for a heading that is too long."""
        kind = ROLE_KINDS.get(self.table.attributes[node].get("role") or "", "")
        is_long = kind == "heading" and self.selection.chars[node] > _MAX_HEADING_CHARS
        return "" if is_long else kind

    def _table_kind(self, node: int, tag: str) -> str:
        """The kind of an element of a table, "" in a table for layout."""
        if not self.selection.in_data_table[node]:
            return ""
        kind = TABLE_KINDS[tag]
        if kind == "caption" and len(self.table.blocks_in(node)) > _MAX_LINES:
            return ""
        in_table = kind == "table" or any(part.kind == "table" for part in self.open_parts[-3:])
        return kind if in_table else ""

    # lines

    def _enter_inline(self, node: int, tag: str) -> None:
        """Begin an element in a line."""
        in_heading = self.open_parts[-1].kind == "heading"
        if tag == "br":
            self.line.end_line()
        elif tag == "rt" or tag in MEDIA or node in self.selection.pictures:
            is_image, marks = tag != "rt", self.open_marks
            shows = self.inline.image(node) if is_image else self.inline.reading(node, marks)
            if shows is not None:
                self.line.add_part(shows, self._marks())
        elif tag == "a" and self.inline.is_left_out(node, in_heading=in_heading):
            self.skipped = range(node, self.ends[node])
        elif tag == "a" and self._is_own(node, in_heading=in_heading):
            return
        elif self.has_texts:
            style = {} if in_heading or self._is_labelled(node) else self.styled.get(node, {})
            if marks := self.inline.marks(node, tag, self.open_marks, style):
                self.open_marks += marks
                self.open_elements.append(_OpenElement(node, self.ends[node], marks=len(marks)))

    def _is_labelled(self, node: int) -> bool:
        """Return whether the text of an element is in a block that the model calls a heading."""
        return int(self.table.first_block[node]) in self.headers

    def _is_own(self, node: int, *, in_heading: bool) -> bool:
        """Return whether a link is a heading's anchor, or a title's link to the page itself.

        In old books of mdBook the link is around the heading.
        """
        around = node + 1 < self.ends[node] and self.table.tags[node + 1] in HEADINGS
        if not (in_heading or around) or node in self.notes.references:
            return False
        address, is_title = self.table.attributes[node].get("href"), not self.line.content
        return bool(self.addresses.fragment(address)) or (
            is_title and self.addresses.is_page(address)
        )

    def _marks(self) -> list[Mark]:
        """The marks around a text, from the outermost.

        A reference to a footnote has no other marks. In code only links count, and they go around
        it: `<code><b>a</b></code>` becomes code, `<code><a>a</a></code>` a link of code.
        """
        marks = self.open_marks
        if not marks or _AROUND_OTHERS.isdisjoint([mark.kind for mark in marks]):
            return marks
        codes = [mark for mark in marks if mark.kind == "code"]
        notes = [mark for mark in marks if mark.kind == "note"]
        if notes:
            return notes
        at = marks.index(codes[0])
        links = [mark for mark in marks[at + 1 :] if mark.kind == "link"]
        return [*marks[:at], *links, *codes]

    def _text(self, run: int, block: int) -> None:
        if self.line.blocks[-1:] != [block]:
            self._begin_block(block)
        if block in self.numbered.blocks:
            return
        line, text = self.line, self.table.run_texts[run][self.repeated.get(run, 0) :]
        if not self.has_texts:
            line.content = line.content or ([] if not text or text.isspace() else [text])
            return
        marks = self._marks()
        formula = self.table.formulas.get(run)
        if formula is not None and (formula.tex or formula.mathml):
            line.add_part(formula_part(formula), marks)
        elif "$" in text or "\\" in text:
            self._add_pieces(text, marks)
        else:
            line.add_text(text, marks)

    def _begin_block(self, block: int) -> None:
        """Begin a line with a block, or go on with the line of an amount."""
        if self.line.blocks and block in self.continued:
            self.line.add_text(" ", ())
        elif self.line.blocks:
            self._end_line()
        self.line.blocks.append(block)

    def _add_pieces(self, text: str, marks: Sequence[Mark]) -> None:
        """Add a text that may have formulas."""
        in_code = any(mark.kind == "code" for mark in marks)
        for piece in [text] if in_code else formula_pieces(text, typeset=self.typeset):
            if isinstance(piece, str):
                self.line.add_text(piece, marks)
            else:
                self.line.add_part(piece, marks)

    def _end_line(self) -> None:
        """Turn the current line into a paragraph, or into a heading if it is labelled so."""
        line = self.line
        if not (line.blocks or line.between or line.content):
            return
        self.line = Line()
        if not line.content:
            self.line.blocks += filter(self.numbered.blocks.__contains__, line.blocks)
            return
        children, blocks, inside = line.freeze(), line.blocks, self.open_parts[-1].inside
        if not blocks:
            node = self.open_elements[-1].node if self.open_elements else self.selection.root
            if self._is_needed(children):
                inside.append(Part("paragraph", children, {}, node))
            return
        kind, facts = "paragraph", dict[str, Any]()
        if blocks[0] in self.callouts.titles and not self._only_lines:
            children = as_title(children)
        elif not self.headers.isdisjoint(blocks) and all(
            of.kind in _WITH_HEADINGS for of in self.open_parts
        ):
            kind, facts = "heading", {"level": HEADING_LEVEL}
        elif blocks[0] in self.notes.lines and not self._only_lines:
            kind, facts = "footnote", {"id": self.notes.lines[blocks[0]]}
        inside.append(Part(kind, children, facts, self.containers[blocks[0]], tuple(blocks)))

    def _is_needed(self, pictures: tuple[Content, ...]) -> bool:
        """Return whether a line of pictures has a new picture, or is in a cell or figure.

        Galleries show the same pictures large and small.
        """
        line = Part("paragraph", pictures)
        media = [part for part in iter_parts(line) if part.node in self.selection.pictures]
        sources = {part.facts.get("source") or part.facts["address"] for part in media}
        is_new = not sources <= self.sources
        self.sources |= sources
        return is_new or any(part.kind in _WITH_PICTURES for part in self.open_parts)


_AROUND_OTHERS = frozenset(["code", "note"])  # marks that change the marks around or in them
_WITH_PICTURES = frozenset(["cell", "figure"])
_IN_LINES = ("a", *MEDIA)
_WITH_EFFECT = (*MARK_KINDS, *_IN_LINES)
"""Elements that put a mark around their text, or show a picture."""

_DEFINING = frozenset(["dt", "dd"])
_WITH_HEADINGS = frozenset(["", "quote", "figure"])
"""Kinds of parts in which a block with the label HEADER becomes a heading."""


# build the tree of a document's content from its kept blocks


def content(document: Document, *, has_texts: bool = True) -> tuple[Part, ...]:
    """Return the parts of the page's main content in page order; () if no block is kept.

    They have the text of every kept block once. Tables and lists of which half is kept are whole,
    references have footnotes, callouts titles, and pictures captions. Left out are line numbers of
    code, links from a footnote back to its reference, the mark that a footnote repeats, signs of
    anchors, and buttons and labels (see `without_dirt`).
    """
    return _parts(document, document.tags.kept, document.tags.pictures, has_texts=has_texts)


def comments_content(document: Document) -> tuple[Part, ...]:
    """Return the parts of readers' comments that are kept apart from the text, without pictures."""
    comments = document.tags.comments
    return () if comments is None else _parts(document, comments, ())


def shown_content(document: Document, show: Show) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return the parts of the text, cut to the budget, and of separate comments, as switched on."""
    comments = filter_parts(comments_content(document), show)
    return shown_parts(content(document), show), comments


def _parts(
    document: Document, kept: Bools, pictures: tuple[int, ...] | None, *, has_texts: bool = True
) -> tuple[Part, ...]:
    if not kept.any():
        return ()
    page, tags = document.blocks, document.tags
    rules = np.full(len(kept), Rule.NONE) if tags.rules is None else tags.rules
    free, asides = ((rules == rule) & ~tags.kept for rule in (Rule.NONE, Rule.ASIDE))
    clean = without_dirt(page, complete_lists(page, kept, free | asides, tags.probabilities))
    completed = complete_tables(page, with_code(page, clean, free))
    callouts = find_callouts(page, completed)
    completed[list(callouts.blocks)] = True
    if tags.chosen is not None and tags.rules is not None:
        completed &= tags.rules != Rule.SELECTOR
    selection = Selection(page, completed, pictures, tags.chosen)
    if "figcaption" in page.table.tag_names:
        completed = with_captions(selection, free | asides)
    addresses = Addresses.of(page, document.url)
    notes = find_notes(page, completed, free)
    whole = completed.copy()
    whole[list(notes.blocks)] = True
    if not np.array_equal(whole, selection.kept):
        selection = Selection(page, whole, tuple(selection.pictures))
    return Builder(selection, addresses, notes, callouts, tags.labels, has_texts).build()
