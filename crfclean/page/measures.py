"""Count characters, tokens, words, sentences, links and dates of all blocks of a page at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from crfclean.core import read
from crfclean.core.table import Table
from crfclean.page.chars import (
    around,
    characters,
    numbered,
    numbered_values,
    spelled_out,
)
from crfclean.types import Blocks, Bools, Floats, Ints

Values = tuple[Ints, list[str]]
"""A number for each element's value of an attribute, "" for none, and the distinct values."""

_Value = TypeVar("_Value")
_Params = ParamSpec("_Params")


def count_texts(texts: tuple[str, ...], runs: tuple[str, ...] = ()) -> Table:
    """Return a table of texts and runs alone, counted."""
    table = Table(texts=texts, runs=runs)
    read.count(table, characters())
    return table


def counted(table: Table) -> Table:
    """Count the texts of a page's table as `spelled_out` ones, and return it."""
    read.count(table, characters())
    if table.has_marks:
        plain = Table(texts=spelled_out(table.texts), runs=spelled_out(tuple(table.run_texts)))
        read.count(table, characters(), plain)
    return table


def once(
    function: Callable[Concatenate[Measures, _Params], _Value],
) -> Callable[Concatenate[Measures, _Params], _Value]:
    """Compute a function of a page once for each page, and for each choice of its arguments."""

    @wraps(function)
    def cached(page: Measures, /, *args: _Params.args, **kwargs: _Params.kwargs) -> _Value:
        key, memo = (cached, *args) if args else cached, page.memo
        if key not in memo:
            memo[key] = function(page, *args, **kwargs)
        value: _Value = memo[key]
        return value

    return cached


@dataclass(frozen=True, repr=False, eq=False)
class Measures(Blocks):
    """The blocks of a page with their counts, each computed on first use.

    Every property has shape (n,) for n blocks unless it says otherwise. Taggers, writers and
    metadata read the same page in turn, and share the counts. Copies (`replace`) and pickles have
    only the blocks.
    """

    memo: dict[object, Any] = field(default_factory=dict, init=False)

    def __reduce__(self) -> tuple[type[Measures], tuple[Any, ...]]:
        return Measures, tuple(getattr(self, name) for name in _FIELDS)

    @property
    def plain_texts(self) -> tuple[str, ...]:
        """The texts of the blocks without invisible characters, such as soft hyphens."""
        return self.table.plain_texts

    @cached_property
    def table(self) -> Table:
        """The table of the page, which its walk has filled; a copy makes its own.

        Raises `ValueError` for arrays that do not belong together.
        """
        nodes, runs, (tags, tag_names) = self.nodes, self.runs, numbered(self.nodes.tags)
        made = Table(
            texts=self.texts,
            runs=tuple(runs.texts),
            tag_names=tuple(tag_names),
            classes=tuple(nodes.classes),
            attributes=nodes.attributes,
            tag=tags.astype(np.int32),
            node=self.node,
            split=self.split,
            parent=nodes.parent,
            end=nodes.end,
            first_block=nodes.first_block,
            end_block=nodes.end_block,
            is_inline=nodes.inline,
            class_number=nodes.which_class,
            run_node=runs.node,
            run_block=runs.block,
        )
        return counted(made)

    @property
    def chars(self) -> Floats:
        """Characters other than white space."""
        return self.table.chars

    @property
    def words(self) -> Floats:
        """Tokens with a letter (no ideograph) or digit, and half a word for each ideograph."""
        return self.table.words

    @cached_property
    def all_words(self) -> float:
        """The words of the page."""
        return float(self.words.sum())

    @property
    def run_chars(self) -> Floats:
        """Characters of each text run other than white space, as in `plain_texts`; (runs,)."""
        return self.table.run_chars

    @once
    def attribute(self, name: str) -> Values:
        """Number each element's value of an attribute, (m,); also return the distinct values.

        An element without the attribute has the value "".
        """
        if name == "class":
            return self.nodes.which_class, self.nodes.classes
        return numbered_values(self.nodes.attributes, name)

    def named(self, pattern: re.Pattern[str], *names: str) -> Bools:
        """Mark each element that has an attribute of some name which matches, shape (m,)."""
        marked = np.zeros(len(self.nodes), np.bool_)
        for name in names:
            which, values = self.attribute(name)
            marked |= np.array([bool(pattern.search(value)) for value in values], np.bool_)[which]
        return marked

    @once
    def is_tag(self, *tags: str) -> Bools:
        """Mark each element that has one of the tags, shape (m,)."""
        mask: Bools = np.array([tag in tags for tag in self.tag_names], np.bool_)[self.tag_codes]
        mask.setflags(write=False)
        return mask

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The different tags of the page's elements, in order of occurrence."""
        return self.table.tag_names

    @property
    def tag_codes(self) -> Ints:
        """Index in `tag_names` of each element's tag, shape (m,)."""
        return self.table.tag

    @once
    def inside(self, *tags: str) -> Ints:
        """Count the elements with the given tags at or around each element, shape (m,)."""
        return around(self.is_tag(*tags), self.nodes.end)


_FIELDS = tuple(each.name for each in fields(Blocks))


def measured(blocks: Blocks) -> Measures:
    """Return blocks with their measures; blocks from `split` have them already."""
    if isinstance(blocks, Measures):
        return blocks
    return Measures(**{name: getattr(blocks, name) for name in _FIELDS})
