"""Build the table of a page's elements, runs and blocks from the parser's events."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from crfclean.page.controls import visible, visible_json
from crfclean.page.elements import (
    ADD_SPACE,
    BREAK,
    DROP,
    LINK,
    ROOT,
    SPLIT,
    actions,
    is_hidden,
    is_json_ld,
)
from crfclean.page.limits import MAX_DEPTH, MAX_JSON_LD_CHARS, MAX_NODES, FullError, OverBlocksError
from crfclean.types import Blocks, Nodes, Page, Runs

_INVISIBLE = " \u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_NO_ATTRIBUTES: Mapping[str, str] = {}
_numbers = partial(array, "i")  # 4 bytes a number; a list takes ten times as much


@dataclass(slots=True)
class Walk:
    """The state of one parse: the table so far, and what is still open.

    `controls`: the page may have control characters, which are dropped. At the first block beyond
    `max_blocks` the walk ends by `OverBlocksError`.
    """

    elements: tuple[str, ...]
    dropped: frozenset[str]
    controls: bool = False
    max_blocks: int | None = None
    actions: dict[str, int] = field(init=False)
    other: int = field(init=False)
    truncated: str = ""
    title: list[str] = field(default_factory=list)
    titles: int = 0
    json_ld: list[str] = field(default_factory=list)
    json_ld_chars: int = 0
    chars: int = 0
    noscript_chars: int = 0
    tags: list[str] = field(default_factory=list)
    attributes: list[Mapping[str, str]] = field(default_factory=list)
    parent: array[int] = field(default_factory=_numbers)
    node_end: array[int] = field(default_factory=_numbers)
    first_block: array[int] = field(default_factory=_numbers)
    end_block: array[int] = field(default_factory=_numbers)
    texts: list[str] = field(default_factory=list)
    block_node: array[int] = field(default_factory=_numbers)
    block_split: array[int] = field(default_factory=_numbers)
    run_texts: list[str] = field(default_factory=list)
    run_node: array[int] = field(default_factory=_numbers)
    run_after: array[int] = field(default_factory=_numbers)
    run_count: array[int] = field(default_factory=_numbers)
    blanks: list[tuple[int, int, int, str]] = field(default_factory=list)
    discarded: list[tuple[int, int, int]] = field(default_factory=list)
    roots: dict[str, int] = field(default_factory=dict)
    closed: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    boundaries: list[int] = field(default_factory=list)
    pre: int = 0
    skipped: int = 0
    skipped_tag: str = ""
    too_deep: int = 0
    pending: int = 0
    has_text: bool = False
    after_br: bool = False
    after_link: bool = False
    split_bits: int = 0

    def __post_init__(self) -> None:
        self.actions = actions(self.elements, self.dropped)
        self.other = ADD_SPACE if self.elements else SPLIT["block"]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Enter an element."""
        if self.skipped:
            self.skipped += 1
            return
        if self.controls:
            tag = visible(tag)
            attributes = {visible(name): visible(text) for name, text in attributes.items()}
        action = self.actions.get(tag, self.other)
        if action == ROOT and tag in self.roots:  # a second one: its content belongs to the first
            return
        if len(self.path) >= MAX_DEPTH:
            self.truncated = "depth"
            self.too_deep += 1
        if action > 0 or action <= BREAK:
            self._separate(action)
        if not self.too_deep:
            self._add(tag, action, attributes or _NO_ATTRIBUTES)
        if action == DROP or ((attributes or tag == "dialog") and is_hidden(tag, attributes)):
            self._skip("json-ld" if is_json_ld(tag, attributes) else tag)

    def _separate(self, action: int) -> None:
        """Close the open block, or add white space where only a line or word ends."""
        if action == BREAK:
            self._line_break()
        elif action == ADD_SPACE:
            self.data(" ")
        elif action == LINK:
            if self.after_link:
                self.data(" ")
        else:
            self._flush(action)

    def _add(self, tag: str, action: int, attributes: Mapping[str, str]) -> None:
        node = len(self.tags)
        if node >= MAX_NODES:
            raise FullError
        self.tags.append(sys.intern(tag))  # the parser makes a new text for every element
        self.attributes.append(attributes)
        self.parent.append(self.path[-1] if self.path else -1)
        self.node_end.append(node + 1)
        self.first_block.append(len(self.texts))
        self.end_block.append(len(self.texts))
        self.path.append(node)
        if action > 0 or action == ROOT:
            self.boundaries.append(node)
        if action == ROOT:
            self.roots[tag] = node
        elif tag == "pre" and not self.pre:
            self.pre = len(self.path)

    def _skip(self, tag: str) -> None:
        """Skip the element just entered, with its content."""
        self.skipped, self.skipped_tag = 1, tag
        self.titles += tag == "title"
        if tag == "json-ld":
            self.json_ld.append("")
        if self.too_deep:
            self.too_deep -= 1
            return
        node = self.path.pop()
        if len(self.path) < self.pre:
            self.pre = 0
        if self.boundaries and self.boundaries[-1] == node:
            self.boundaries.pop()

    def _line_break(self) -> None:
        """Close the block at a second line break in a row; a single one is white space."""
        if self.after_br and not self.elements:
            self._flush(SPLIT["br"])
        if not self.has_text:
            self.split_bits |= SPLIT["br"]
        self.after_br = True
        self.data(" ")

    def end(self, tag: str) -> None:
        """Leave an element."""
        if self.skipped:
            self.skipped -= 1
            return
        if self.controls:
            tag = visible(tag)
        action = self.actions.get(tag, self.other)
        if action == ROOT:  # what follows `</body>` belongs to `body`
            self._flush(0)
        elif self.too_deep:
            self.too_deep -= 1
            if action > 0 or action == ADD_SPACE:
                self._separate(action)
        elif self.path:
            self._end_node(action)
        self.after_link = action == LINK  # styles separate a link right after it

    def _end_node(self, action: int) -> None:
        node = self.path.pop()
        if len(self.path) < self.pre:
            self.pre = 0
        if action > 0:
            self._flush(action)
            self.boundaries.pop()
        elif action == ADD_SPACE:
            self.data(" ")
        self._close_node(node)

    def _close_node(self, node: int) -> None:
        self.node_end[node] = len(self.tags)
        self.end_block[node] = len(self.texts) + self.has_text
        if self.has_text:
            self.closed.append(node)

    def data(self, text: str) -> None:
        """Take a run of text."""
        if self.controls and not (text := visible(text)):
            return
        if self.skipped:
            self._skip_text(text)
            return
        blank = text.isspace()
        if blank and not self.pending:
            if self.pre:
                self.blanks.append((len(self.run_texts), self.path[-1], len(self.tags), text))
            return
        self.after_link = False
        if not blank:
            self.has_text, self.after_br = True, False
            self.chars += len(text)
        self.run_texts.append(text)
        self.run_node.append(self.path[-1] if self.path else self.roots.get("body", 0))
        self.run_after.append(len(self.tags))
        self.pending += 1

    def _skip_text(self, text: str) -> None:
        if self.skipped_tag == "title" and self.titles == 1:
            self.title.append(text)
        elif self.skipped_tag == "noscript":
            self.noscript_chars += len(text.strip())
        elif self.skipped_tag == "json-ld":
            self.json_ld_chars += len(text)
            if self.json_ld_chars <= MAX_JSON_LD_CHARS:
                self.json_ld[-1] += text

    def _flush(self, bits: int) -> None:
        """Close the open block, if it shows any text; note what separates it from the next."""
        if self.pending:
            text = " ".join("".join(self.run_texts[-self.pending :]).split())
            if text == self.run_texts[-1]:
                text = self.run_texts[-1]  # one text in memory
            keep = self.has_text and self._in_elements()
            if keep and text.strip(_INVISIBLE):
                self._close_block(text)
            else:
                self._discard()
            self.pending, self.has_text, self.after_br = 0, False, False
            self.closed.clear()
        self.split_bits |= bits

    def _discard(self) -> None:
        """Discard the open text; the elements that it was in have no block."""
        first = len(self.run_texts) - self.pending
        for text, node in zip(self.run_texts[first:], self.run_node[first:], strict=True):
            if not text.isspace():
                self.discarded.append((first, node, len("".join(text.split()))))
        del self.run_texts[first:], self.run_node[first:], self.run_after[first:]
        for node in self.closed:
            self.end_block[node] = len(self.texts)

    def _in_elements(self) -> bool:
        """Whether the open text is inside one of the `elements`, if there are any."""
        if not self.elements:
            return True
        return bool(self.boundaries) and self.tags[self.boundaries[-1]] in self.elements

    def _close_block(self, text: str) -> None:
        if len(self.texts) == self.max_blocks:
            raise OverBlocksError
        self.texts.append(text)
        self.block_node.append(self.boundaries[-1] if self.boundaries else 0)
        self.block_split.append(self.split_bits)
        self.run_count.append(self.pending)
        self.split_bits = 0

    def close(self) -> Walk:
        """End the page."""
        self._flush(0)
        for node in self.path:
            self._close_node(node)
        return self

    def blocks(self, page: Page) -> Blocks:
        """The result, frozen."""
        count = len(self.texts)
        nodes = Nodes(
            tuple(self.tags),
            tuple(self.attributes),
            np.array(self.parent, np.int32),
            np.array(self.node_end, np.int32),
            np.minimum(np.array(self.first_block, np.int32), count),
            np.minimum(np.array(self.end_block, np.int32), count),
        )
        run_block = np.repeat(np.arange(count, dtype=np.int32), self.run_count)
        run_node, run_after = np.array(self.run_node, np.int32), np.array(self.run_after, np.int32)
        blanks, discarded = tuple(self.blanks), tuple(self.discarded)
        runs = Runs(tuple(self.run_texts), run_node, run_block, run_after, blanks, discarded)
        return Blocks(
            tuple(self.texts),
            np.array(self.block_node, np.int32),
            np.array(self.block_split, np.int32),
            nodes,
            runs,
            " ".join("".join(self.title).split()),
            page.truncated or self.truncated,
            self.elements,
            tuple(map(visible_json, self.json_ld)),
        )
