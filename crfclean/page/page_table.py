"""The table of a page's elements, runs and blocks while it grows."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter

import numpy as np

from crfclean.page.controls import visible_json
from crfclean.page.elements import SPLIT, is_inline
from crfclean.page.limits import MAX_NODES, FullError, OverBlocksError
from crfclean.page.skipped_texts import SkippedTexts
from crfclean.types import Blocks, Formula, Ints, Nodes, Runs

_numbers = partial(array, "i")  # 4 bytes a number; a list takes ten times as much


def _frozen(numbers: array[int]) -> Ints:
    """Numbers as an array on the same memory: the table no longer grows."""
    return np.frombuffer(numbers, np.int32)


@dataclass(slots=True, eq=False)
class PageTable:
    """The rows so far; at the first block beyond `max_blocks` it raises `OverBlocksError`."""

    max_blocks: int | None = None
    tags: list[str] = field(default_factory=list)
    attributes: list[Mapping[str, str]] = field(default_factory=list)
    actions: array[int] = field(default_factory=_numbers)
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
    formulas: dict[int, Formula] = field(default_factory=dict)
    frozen_attributes: tuple[Mapping[str, str], ...] = ()

    def add_node(self, tag: str, action: int, attributes: Mapping[str, str], parent: int) -> int:
        """Add an element; returns its index. Raises `FullError`."""
        node = len(self.tags)
        if node >= MAX_NODES:
            raise FullError
        self.tags.append(sys.intern(tag))  # the parser makes a new text for every element
        self.attributes.append(attributes)
        self.actions.append(action)
        self.parent.append(parent)
        self.node_end.append(node + 1)
        self.first_block.append(len(self.texts))
        self.end_block.append(len(self.texts))
        return node

    def add_blank(self, text: str, node: int) -> None:
        """Add white space that is in no run, as it stands in an element."""
        self.blanks.append((len(self.run_texts), node, len(self.tags), text))

    def add_run(self, text: str, node: int) -> None:
        """Add a run of text inside an element."""
        self.run_texts.append(text)
        self.run_node.append(node)
        self.run_after.append(len(self.tags))

    def add_block(self, text: str, node: int, split: int, runs: int) -> None:
        """Add a block that is made of the last `runs` runs."""
        if len(self.texts) == self.max_blocks:
            raise OverBlocksError
        self.texts.append(text)
        self.block_node.append(node)
        self.block_split.append(split)
        self.run_count.append(runs)

    def discard_runs(self, count: int) -> None:
        """Discard the last runs, which are in no block."""
        first = len(self.run_texts) - count
        for text, node in zip(self.run_texts[first:], self.run_node[first:], strict=True):
            self.discard(text, node, first)
        del self.run_texts[first:], self.run_node[first:], self.run_after[first:]
        while self.formulas and next(reversed(self.formulas)) >= first:
            self.formulas.popitem()

    def discard(self, text: str, node: int, run: int | None = None) -> None:
        """Note a text in no block, before a run: the next one, if it is not named."""
        if chars := len("".join(text.split())):
            place = len(self.run_texts) if run is None else run
            self.discarded.append((place, node, chars))

    def make_block_level(self, node: int) -> None:
        """Note that an element which may have stood in a line does not."""
        self.actions[node] = SPLIT["block"]

    def all_attributes(self) -> tuple[Mapping[str, str], ...]:
        """The attributes of all elements so far, the same object as long as there are no more."""
        if len(self.frozen_attributes) != len(self.attributes):
            self.frozen_attributes = tuple(self.attributes)
        return self.frozen_attributes

    def blocks(
        self,
        aside: SkippedTexts,
        elements: tuple[str, ...] = (),
        truncated: str = "",
        code: frozenset[int] = frozenset(),
    ) -> Blocks:
        """The table, frozen, with the texts that stand aside."""
        return Blocks(
            tuple(self.texts),
            _frozen(self.block_node),
            _frozen(self.block_split),
            self._nodes(),
            self._runs(aside.readings),
            " ".join("".join(aside.title).split()),
            truncated,
            elements,
            tuple(map(visible_json, aside.json_ld)),
            code,
            hidden=dict(aside.hidden),
        )

    def _nodes(self) -> Nodes:
        count = len(self.texts)
        return Nodes(
            tuple(self.tags),
            self.all_attributes(),
            _frozen(self.parent),
            _frozen(self.node_end),
            np.minimum(_frozen(self.first_block), count),
            np.minimum(_frozen(self.end_block), count),
            is_inline(_frozen(self.actions)),
        )

    def _runs(self, readings: Mapping[int, str]) -> Runs:
        return Runs(
            tuple(self.run_texts),
            _frozen(self.run_node),
            np.arange(len(self.texts), dtype=np.int32).repeat(_frozen(self.run_count)),
            _frozen(self.run_after),
            tuple(self.blanks),
            tuple(sorted(self.discarded, key=itemgetter(0))),
            dict(self.formulas),
            {node: text for node, text in readings.items() if node >= 0},
        )
