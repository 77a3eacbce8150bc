"""Count characters, tokens, words, sentences, links and dates of all blocks of a page at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache, cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import regex

from crfclean.core import read, words
from crfclean.core.table import Table
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import CLOCK, DAY_AND_MONTH, YEAR, YEAR_FIRST
from crfclean.page.chars import (
    IDEOGRAPH,
    LOWER,
    SPACE,
    UNCASED,
    UPPER,
    around,
    char_table,
    characters,
    classify,
    code_points,
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
    def plain_text(self) -> str:
        """The `plain_texts`, a line each."""
        return "\n".join((*self.plain_texts, ""))

    @cached_property
    def codes(self) -> npt.NDArray[np.uint16]:
        """Code point of each character of `plain_text`, at most 0xFFFF, shape (characters,)."""
        return np.minimum(code_points(self.plain_text), 0xFFFF).astype(np.uint16)

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
    def sizes(self) -> Ints:
        """Characters of each block's line, the line break included."""
        return self.table.sizes

    @cached_property
    def starts(self) -> Ints:
        """Offset of each block in `plain_text`."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def classes(self) -> npt.NDArray[np.uint8]:
        """Class of each character of `plain_text`, shape (characters,)."""
        return classify(self.plain_text)

    @cached_property
    def owner(self) -> Ints:
        """Block of each character of `plain_text`, shape (characters,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)

    @property
    def by_class(self) -> Ints:
        """Characters of each class in each block, shape (n, 8)."""
        return self.table.by_class.reshape(-1, 8)

    @cached_property
    def letters(self) -> Floats:
        """Characters that are letters."""
        letters: Ints = self.by_class[:, [LOWER, UPPER, UNCASED, IDEOGRAPH]].sum(1)
        return letters.astype(np.float64)

    @property
    def chars(self) -> Floats:
        """Characters other than white space."""
        return self.table.chars

    @cached_property
    def token_starts(self) -> Ints:
        """Offsets of the tokens (runs without white space) in `plain_text`, shape (tokens,)."""
        space = self.classes == SPACE
        return np.flatnonzero(~space & np.concatenate([[True], space[:-1]]))

    @cached_property
    def token_owner(self) -> Ints:
        """Block of each token, shape (tokens,)."""
        return self.owner[self.token_starts]

    @property
    def words(self) -> Floats:
        """Tokens with a letter (no ideograph) or digit, and half a word for each ideograph."""
        return self.table.words

    @cached_property
    def all_words(self) -> float:
        """The words of the page."""
        return float(self.words.sum())

    @property
    def capitalised(self) -> Floats:
        """Tokens that begin with an upper-case letter."""
        return self.table.capitalised

    @property
    def sentence_ends(self) -> Floats:
        """Terminators before white space or closing punctuation; ideographic ones anywhere."""
        return self.table.sentence_ends

    def having(self, chars: str) -> Floats:
        """Count the given characters in each block."""
        return self.count(self.owner[char_table(chars)[self.codes]])

    def count(self, owners: Ints) -> Floats:
        """Count how often each block occurs in `owners`."""
        return np.bincount(owners, minlength=len(self)).astype(np.float64)

    @cached_property
    def text_numbers(self) -> Ints:
        """A number for each block's text in order of occurrence."""
        return words.number_texts(self.table)

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

    @once
    def count_in_block(self, *tags: str) -> Floats:
        """Elements of the given tags that begin in each block or just before it."""
        first = self.nodes.first_block[self.is_tag(*tags)]
        return self.count(first[first < len(self)])


_FIELDS = tuple(each.name for each in fields(Blocks))


def measured(blocks: Blocks) -> Measures:
    """Return blocks with their measures; blocks from `split` have them already."""
    if isinstance(blocks, Measures):
        return blocks
    return Measures(**{name: getattr(blocks, name) for name in _FIELDS})


# count the addresses, dates and times of day in each block
#
# Only blocks whose characters may form one are searched.

# "see www.example.org", "write to anna@probe.example"; not "@anna" or "5 @ 3 EUR"
_URL = regex.compile(r"://\S|www\.\S|(?<=\w)@\w[\w-]{0,63}\.\w")
_TIME = regex.compile(rf"{CLOCK}\b")
_URL_BIT, _DATE_BIT, _TIME_BIT = 1, 2, 4  # bits of the core for what a text may have


@cache
def _date() -> regex.Pattern[str]:
    """Return the pattern of dates with a year; shipped models were trained with its suffixes."""
    suffix = lexicon().month_first.pattern(lambda language: language.dates.ordinals)
    return regex.compile(
        rf"\b{DAY_AND_MONTH}(?:\d{{4}}|\d{{2}})\b|{YEAR_FIRST}|"
        rf"\b\d{{1,2}}(?:\.|{suffix})? \p{{L}}{{3,12}}\.?,? {YEAR}\b|"
        rf"\b\p{{Lu}}\p{{L}}{{2,12}}\.? \d{{1,2}}(?:{suffix})?,? {YEAR}\b|\d{{4}}年\d{{1,2}}月"
    )


@once
def urls(page: Measures) -> Floats:
    """Count the web and e-mail addresses in each block, shape (n,)."""
    return _matches(page, _URL, _URL_BIT)


@once
def dates(page: Measures) -> Floats:
    """Count the dates with a year in each block, in numbers or with a month's name; (n,)."""
    return _matches(page, _date(), _DATE_BIT)


@once
def times(page: Measures) -> Floats:
    """Count the times of day in each block, shape (n,)."""
    return _matches(page, _TIME, _TIME_BIT)


@once
def _likely(page: Measures) -> list[tuple[int, int]]:
    """Return the blocks that may have addresses, dates or times, with the core's bits."""
    bits = page.table.likely
    blocks = bits.nonzero()[0]
    return list(zip(blocks.tolist(), bits[blocks].tolist(), strict=True))


def _matches(page: Measures, pattern: regex.Pattern[str], bit: int) -> Floats:
    """Count the matches of a pattern in each block, (n,), if the core says that it may have any."""
    counts = np.zeros(len(page))
    for index, bits in _likely(page):
        if bits & bit:
            counts[index] = len(pattern.findall(page.plain_texts[index]))
    return counts
