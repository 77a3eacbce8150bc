"""Count characters, tokens, sentences and links of all blocks of a page at once.

One table look-up classifies all characters of a page, and every count is one reduction over the
bounds of blocks, runs or tokens, without a loop over blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.page.arrays import around, numbered
from crfclean.page.chars import (
    CLOSERS,
    COMMAS,
    DIGIT,
    IDEOGRAPH,
    IDEOGRAPHIC_ENDS,
    LOWER,
    SPACE,
    TERMINATORS,
    UNCASED,
    UPPER,
    char_table,
    classify,
    code_points,
    spelled_out,
)
from crfclean.page.counts import count_marks, count_solid, count_texts, counted, values_with
from crfclean.page.memo import Memo, once_for_tags
from crfclean.types import Blocks, Bools, Floats, Ints

CHARS_PER_WORD = 2.0  # of ideographic text: Chinese words have 1.5 to 2 characters

_Value = TypeVar("_Value")


def once(function: Callable[[Measures], _Value]) -> Callable[[Measures], _Value]:
    """Compute a function of a page once for each page; see `Memo` for wide arrays."""

    @wraps(function)
    def cached(page: Measures) -> _Value:
        value: _Value | None = page.memo.get(function)  # most are there, and are no wide arrays
        return page.memo.once(function, page) if value is None else value

    return cached


def once_a_group(function: Callable[[Measures], _Value]) -> Callable[[Measures], _Value]:
    """Compute a function of a page once for each group of features, which forgets it at its end."""

    @wraps(function)
    def cached(page: Measures) -> _Value:
        value: _Value = page.memo.once_a_group(function, page)
        return value

    return cached


@dataclass(frozen=True, repr=False, eq=False)
class Measures:
    """Counts of a page; every property has shape (n,) for n blocks unless it says otherwise."""

    blocks: Blocks
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.blocks)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of the blocks without characters that show nothing, such as soft hyphens."""
        return spelled_out(self.blocks.texts)

    @cached_property
    def text(self) -> str:
        """These texts, a line each."""
        return "\n".join((*self.texts, ""))

    @cached_property
    def codes(self) -> npt.NDArray[np.uint16]:
        """Code point of each character of `text`, at most 0xFFFF, shape (characters,)."""
        return np.minimum(code_points(self.text), 0xFFFF).astype(np.uint16)

    @counted
    def sizes(self) -> Ints:
        """Characters of each block's line, the line break included."""
        return np.array([len(text) + 1 for text in self.texts], np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Offset of each block in `text`."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def classes(self) -> npt.NDArray[np.uint8]:
        """Class of each character of `text`, shape (characters,)."""
        return classify(self.text)

    @cached_property
    def owner(self) -> Ints:
        """Block of each character of `text`, shape (characters,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)

    @cached_property
    def core_counts(self) -> Mapping[str, npt.NDArray[Any]]:
        """The counts that the compiled core makes, empty without it."""
        counts = count_texts(self.texts)
        vars(self).update(counts)  # from now on these are read without a call
        return counts

    @counted
    def by_class(self) -> Ints:
        """Characters of each class in each block, shape (n, 8)."""
        counts = np.bincount(self.owner * 8 + self.classes, minlength=len(self) * 8)
        return counts.reshape(-1, 8).astype(np.int32)

    @cached_property
    def letters(self) -> Floats:
        """Characters that are letters."""
        letters: Ints = self.by_class[:, [LOWER, UPPER, UNCASED, IDEOGRAPH]].sum(1)
        return letters.astype(np.float64)

    @cached_property
    def chars(self) -> Floats:
        """Characters other than white space."""
        return (self.sizes - self.by_class[:, SPACE]).astype(np.float64)

    @cached_property
    def token_starts(self) -> Ints:
        """Offsets of the tokens (runs without white space) in `text`, shape (tokens,)."""
        space = self.classes == SPACE
        return np.flatnonzero(~space & np.concatenate([[True], space[:-1]]))

    @cached_property
    def token_owner(self) -> Ints:
        """Block of each token, shape (tokens,)."""
        return self.owner[self.token_starts]

    @counted
    def token_kinds(self) -> Ints:
        """Tokens of each block that are alphabetic, numeric, mixed, other; shape (n, 4)."""
        classes = self.classes
        letter = (classes <= UNCASED) | (classes == IDEOGRAPH)
        has_letter = self._any_in_token(letter)
        has_digit = self._any_in_token(classes == DIGIT)
        kind = np.where(has_letter, np.where(has_digit, 2, 0), np.where(has_digit, 1, 3))
        counts = np.bincount(self.token_owner * 4 + kind, minlength=len(self) * 4)
        return counts.reshape(-1, 4).astype(np.int32)

    def _any_in_token(self, mask: Bools) -> Bools:
        if not len(self.token_starts):
            return np.zeros(0, np.bool_)
        return np.logical_or.reduceat(mask, self.token_starts)

    @counted
    def words(self) -> Floats:
        """Tokens with a letter (no ideograph) or digit, and half a word for each ideograph."""
        tokens = self.count(self.token_owner[self._any_in_token(self.classes <= DIGIT)])
        return tokens + self.by_class[:, IDEOGRAPH] / CHARS_PER_WORD

    @cached_property
    def all_words(self) -> float:
        """The words of the page."""
        return float(self.words.sum())

    @counted
    def capitalised(self) -> Floats:
        """Tokens that begin with an upper-case letter."""
        upper = self.classes[self.token_starts] == UPPER
        return self.count(self.token_owner[upper])

    @counted
    def sentence_ends(self) -> Floats:
        """Terminators before white space or closing punctuation; ideographic ones anywhere."""
        ends = char_table(TERMINATORS)[self.codes]
        closing = (self.classes == SPACE) | char_table(CLOSERS)[self.codes]
        follows = np.concatenate([closing[1:], [True]]) | char_table(IDEOGRAPHIC_ENDS)[self.codes]
        return self.count(self.owner[ends & follows])

    def marks(self, chars: str) -> Floats:
        """How many of the characters each block has."""
        marks = count_marks(self.texts, chars)
        return self.count(self.owner[char_table(chars)[self.codes]]) if marks is None else marks

    @cached_property
    def commas(self) -> Floats:
        """Commas and semicolons of all scripts."""
        return self.marks(COMMAS)

    @counted
    def first_codes(self) -> npt.NDArray[np.uint16]:
        """Code point of each block's first character, at most 0xFFFF."""
        return self.codes[self.starts]

    @counted
    def first_classes(self) -> npt.NDArray[np.uint8]:
        """Class of each block's first character."""
        return self.classes[self.starts]

    def begins_with(self, chars: str) -> Bools:
        """Whether each block's first character is one of `chars`."""
        return char_table(chars)[self.first_codes]

    @counted
    def last_codes(self) -> npt.NDArray[np.uint16]:
        """Code point of each block's last character, closing punctuation aside; 0xFFFF for none."""
        ends = [ord(text.rstrip(CLOSERS)[-1:] or "\uffff") for text in self.texts]
        return np.minimum(np.array(ends, np.int64), 0xFFFF).astype(np.uint16)

    @counted
    def end_codes(self) -> npt.NDArray[np.uint16]:
        """Code point of each block's last character, at most 0xFFFF."""
        codes: npt.NDArray[np.uint16] = self.codes[self.starts + self.sizes - 2]
        return codes

    @counted
    def before_codes(self) -> npt.NDArray[np.uint16]:
        """The same of the character before it, a line break for none."""
        codes: npt.NDArray[np.uint16] = self.codes[self.starts + self.sizes - 3]
        return codes

    def ends_with(self, chars: str) -> Bools:
        """Whether each block's last character, closing punctuation aside, is one of `chars`."""
        return char_table(chars)[self.last_codes]

    def count(self, owners: Ints) -> Floats:
        """How often each block occurs in `owners`."""
        return np.bincount(owners, minlength=len(self)).astype(np.float64)

    @cached_property
    def text_numbers(self) -> Ints:
        """A number for each block's text in order of occurrence."""
        return numbered(self.texts)[0]

    @cached_property
    def run_chars(self) -> Floats:
        """Characters of each text run other than white space, as in `texts`; shape (runs,)."""
        plain, runs = self.texts is self.blocks.texts, self.blocks.runs.texts
        runs = runs if plain else spelled_out(runs)
        return count_solid(runs)

    @once_for_tags
    def chars_in(self, tags: Iterable[str]) -> Floats:
        """Characters of each block that stand inside (any ancestor of) the given elements."""
        runs = self.blocks.runs
        weights = self.run_chars * (self.inside(tags)[runs.node] > 0)
        return np.bincount(runs.block, weights, minlength=len(self)).astype(np.float64)

    def attribute(self, name: str) -> tuple[Ints, list[str]]:
        """A number for each element's value of an attribute, (m,), and the distinct values.

        An element without the attribute has the value "".
        """
        if ("attribute", name) not in self.memo:
            for each, values in values_with(name, self.blocks.nodes.attributes).items():
                self.memo["attribute", each] = values
        numbers: tuple[Ints, list[str]] = self.memo["attribute", name]
        return numbers

    @once_for_tags
    def is_tag(self, tags: Iterable[str]) -> Bools:
        """Whether each element has one of the tags, shape (m,)."""
        chosen = frozenset(tags)
        return np.array([tag in chosen for tag in self.tag_names], np.bool_)[self.tag_codes]

    @cached_property
    def _tags(self) -> tuple[Ints, tuple[str, ...]]:
        """The number of each element's tag, (m,), and the tags, in order of occurrence."""
        numbers, tags = numbered(self.blocks.nodes.tags)
        return numbers.astype(np.int32), tuple(tags)

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The different tags of the page's elements, in order of occurrence."""
        return self._tags[1]

    @property
    def tag_codes(self) -> Ints:
        """Index in `tag_names` of each element's tag, shape (m,)."""
        return self._tags[0]

    @once_for_tags
    def inside(self, tags: Iterable[str]) -> Ints:
        """How many elements of the given tags are at or around each element, shape (m,)."""
        return around(self.is_tag(tags), self.blocks.nodes.end)

    @once_for_tags
    def count_in_block(self, tags: Iterable[str]) -> Floats:
        """Elements of the given tags that begin in each block or just before it."""
        first = self.blocks.nodes.first_block[self.is_tag(tags)]
        return self.count(first[first < len(self)])
