"""`Blocks` -> `Measures`: counts of characters, tokens, sentences and links, a page at once.

All characters of a page are classified by one table look-up, and every count is one reduction
over the bounds of blocks, runs or tokens; nothing here loops over blocks.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property, wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import regex

from crfclean.types import Blocks, Bools, Floats, Ints

LOWER, UPPER, UNCASED, DIGIT, PUNCT, SPACE, OTHER, IDEOGRAPH = range(8)
"""Classes of characters. `IDEOGRAPH`: letters of scripts that do not part words by spaces."""

TERMINATORS = ".!?…。！？؟।"
CLOSERS = "\"'’”“»«)]】」』"
BULLETS = "•·‣▪▫●○◦■□►▸»›–—-*✓✔➤→"
COMMAS = ",;\uff0c\u3001\uff1b\u060c\u061b"
CHARS_PER_WORD = 2.0  # of ideographic text: Chinese words have 1.5 to 2 characters

_URL = regex.compile(r"://\S|www\.\S|(?<=\w)@\w[\w-]{0,63}\.\w")
_DATE = regex.compile(
    r"\b\d{1,2}(?P<s>[./-]) ?\d{1,2}(?P=s) ?(?:\d{4}|\d{2})\b|\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|"
    r"\b\d{1,2}(?:\.|st|nd|rd|th)? \p{L}{3,12}\.?,? (?:19|20)\d\d\b|"
    r"\b\p{Lu}\p{L}{2,12}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b|\d{4}年\d{1,2}月"
)
_TIME = regex.compile(r"\b[0-2]?\d[:.h][0-5]\d(?:[:.][0-5]\d)?\b")


@cache
def _classes() -> npt.NDArray[np.uint8]:
    """Class of every character of the basic plane, shape (65536,)."""
    cased = {"Ll": LOWER, "Lu": UPPER, "Lt": UPPER, "Zs": SPACE, "Zl": SPACE, "Zp": SPACE}
    groups = {"L": UNCASED, "M": UNCASED, "N": DIGIT, "P": PUNCT, "Z": SPACE}
    table = np.full(65536, OTHER, np.uint8)
    for code in range(65536):
        category = unicodedata.category(chr(code))
        table[code] = cased.get(category, groups.get(category[0], OTHER))
    table[[ord(char) for char in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85"]] = SPACE
    for start, end in [(0x0E00, 0x1000), (0x1780, 0x1800), (0x3040, 0x3100), (0x3400, 0xA000)]:
        part = table[start:end]
        part[part == UNCASED] = IDEOGRAPH
    return table


def classify(text: str) -> npt.NDArray[np.uint8]:
    """Class of each character, shape (len(text),); beyond the basic plane: ideograph or other."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    classes: npt.NDArray[np.uint8] = _classes()[np.minimum(codes, 0xFFFF)]
    astral = codes > 0xFFFF
    if astral.any():
        classes[astral] = np.where((codes[astral] >> 16) == 2, IDEOGRAPH, OTHER)
    return classes


def _is_one_of(text: str, chars: str) -> Bools:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    wanted = np.zeros(65536, np.bool_)
    wanted[[ord(char) for char in chars]] = True
    found: Bools = wanted[np.minimum(codes, 0xFFFF)]
    return found


def share(part: Floats | Ints, whole: Floats | Ints | float) -> Floats:
    """Part / whole, 0 where the whole is 0."""
    whole = np.broadcast_to(np.asarray(whole, np.float64), part.shape)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


@dataclass(frozen=True)
class Measures:
    """Counts of a page; every property has shape (n,) for n blocks unless it says otherwise."""

    page: Blocks
    memo: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.page)

    @cached_property
    def text(self) -> str:
        """The folded text of all blocks, a line each."""
        return "".join(text + "\n" for text in self.page.texts)

    @cached_property
    def sizes(self) -> Ints:
        """Characters of each block's line, the line break included."""
        return np.array([len(text) + 1 for text in self.page.texts], np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Offset of each block in `text`."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def classes(self) -> npt.NDArray[np.uint8]:
        """Class of each character of `text`, shape (characters,)."""
        return classify(self.text)

    @cached_property
    def by_class(self) -> Floats:
        """Characters of each class in each block, shape (n, 8)."""
        owner = np.repeat(np.arange(len(self)), self.sizes)
        counts = np.bincount(owner * 8 + self.classes, minlength=len(self) * 8)
        return counts.reshape(-1, 8).astype(np.float64)

    @cached_property
    def letters(self) -> Floats:
        """Characters that are letters."""
        letters: Floats = self.by_class[:, [LOWER, UPPER, UNCASED, IDEOGRAPH]].sum(1)
        return letters

    @cached_property
    def chars(self) -> Floats:
        """Characters that are no white space."""
        return (self.sizes - self.by_class[:, SPACE]).astype(np.float64)

    @cached_property
    def token_starts(self) -> Ints:
        """Offsets of the tokens (runs without white space) in `text`, shape (tokens,)."""
        space = self.classes == SPACE
        return np.flatnonzero(~space & np.concatenate([[True], space[:-1]]))

    @cached_property
    def token_owner(self) -> Ints:
        """Block of each token, shape (tokens,)."""
        return np.searchsorted(self.starts, self.token_starts, "right") - 1

    @cached_property
    def token_kinds(self) -> Floats:
        """Tokens of each block that are alphabetic, numeric, mixed, other; shape (n, 4)."""
        classes = self.classes
        letter = (classes <= UNCASED) | (classes == IDEOGRAPH)
        has_letter = self._any_in_token(letter)
        has_digit = self._any_in_token(classes == DIGIT)
        kind = np.where(has_letter, np.where(has_digit, 2, 0), np.where(has_digit, 1, 3))
        counts = np.bincount(self.token_owner * 4 + kind, minlength=len(self) * 4)
        return counts.reshape(-1, 4).astype(np.float64)

    def _any_in_token(self, mask: Bools) -> Bools:
        if not len(self.token_starts):
            return np.zeros(0, np.bool_)
        return np.logical_or.reduceat(mask, self.token_starts)

    @cached_property
    def words(self) -> Floats:
        """Tokens with a letter (no ideograph) or digit, and half a word for each ideograph."""
        tokens = self.count(self.token_owner[self._any_in_token(self.classes <= DIGIT)])
        return tokens + self.by_class[:, IDEOGRAPH] / CHARS_PER_WORD

    @cached_property
    def capitalised(self) -> Floats:
        """Tokens that begin with an upper-case letter."""
        upper = self.classes[self.token_starts] == UPPER
        return self.count(self.token_owner[upper])

    @cached_property
    def sentence_ends(self) -> Floats:
        """Terminators before white space or closing punctuation; ideographic ones anywhere."""
        ends = _is_one_of(self.text, TERMINATORS)
        rest = (self.classes == SPACE) | _is_one_of(self.text, CLOSERS)
        follows = np.concatenate([rest[1:], [True]]) | _is_one_of(self.text, "。！？")
        return self.count(np.searchsorted(self.starts, np.flatnonzero(ends & follows), "right") - 1)

    def marks(self, chars: str) -> Floats:
        """How many of the characters each block has."""
        owners = np.searchsorted(self.starts, np.flatnonzero(_is_one_of(self.text, chars)), "right")
        return self.count(owners - 1)

    @cached_property
    def commas(self) -> Floats:
        """Commas and semicolons of all scripts."""
        return self.marks(COMMAS)

    @cached_property
    def first_class(self) -> npt.NDArray[np.uint8]:
        """Class of each block's first character."""
        return self.classes[self.starts]

    def begins_with(self, chars: str) -> Bools:
        """Whether each block's first character is one of `chars`."""
        return np.array([text[0] in chars for text in self.page.texts], np.bool_)

    def ends_with(self, chars: str) -> Bools:
        """Whether each block's last character, closing punctuation aside, is one of `chars`."""
        ends = (text.rstrip(CLOSERS)[-1:] for text in self.page.texts)
        return np.array([end != "" and end in chars for end in ends], np.bool_)

    def count(self, owners: Ints) -> Floats:
        """How often each block occurs in `owners`."""
        return np.bincount(owners, minlength=len(self)).astype(np.float64)

    @cached_property
    def urls(self) -> Floats:
        """Web and e-mail addresses."""
        return self._matches(_URL)

    @cached_property
    def dates(self) -> Floats:
        """Dates with a year, in numbers or with the month's name."""
        return self._matches(_DATE)

    @cached_property
    def times(self) -> Floats:
        """Times of day."""
        return self._matches(_TIME)

    def _matches(self, pattern: regex.Pattern[str]) -> Floats:
        places = [match.start() for match in pattern.finditer(self.text)]
        return self.count(np.searchsorted(self.starts, np.array(places, np.int64), "right") - 1)

    @cached_property
    def duplicates(self) -> Floats:
        """How many other blocks of the page have the same text."""
        numbers = Counter(self.page.texts)
        return np.array([numbers[text] - 1 for text in self.page.texts], np.float64)

    @cached_property
    def repeats(self) -> Bools:
        """Whether an earlier block of the page has the same text."""
        first: dict[str, int] = {}
        texts = enumerate(self.page.texts)
        return np.array([first.setdefault(text, place) < place for place, text in texts], np.bool_)

    @cached_property
    def run_chars(self) -> Floats:
        """Characters of each text run that are no white space, shape (runs,)."""
        runs = self.page.runs.texts
        solid = np.concatenate([[0], np.cumsum(classify("".join(runs)) != SPACE)])
        ends = np.cumsum(np.array([len(run) for run in runs], np.int64))
        return np.diff(solid[ends], prepend=0).astype(np.float64)

    def chars_in(self, tags: Iterable[str]) -> Floats:
        """Characters of each block that stand inside (any ancestor of) the given elements."""
        runs = self.page.runs
        weights = self.run_chars * (self.inside(tags)[runs.node] > 0)
        return np.bincount(runs.block, weights, minlength=len(self)).astype(np.float64)

    def is_tag(self, tags: Iterable[str]) -> Bools:
        """Whether each element has one of the tags, shape (m,)."""
        wanted = frozenset(tags)
        return np.array([tag in wanted for tag in self.tag_names], np.bool_)[self.tag_codes]

    @cached_property
    def tag_names(self) -> tuple[str, ...]:
        """The different tags of the page's elements, in order of occurrence."""
        return tuple(dict.fromkeys(self.page.nodes.tags))

    @cached_property
    def tag_codes(self) -> Ints:
        """Place in `tag_names` of each element's tag, shape (m,)."""
        codes = {tag: code for code, tag in enumerate(self.tag_names)}
        return np.array([codes[tag] for tag in self.page.nodes.tags], np.int32)

    def inside(self, tags: Iterable[str]) -> Ints:
        """How many elements of the given tags are each element or around it, shape (m,)."""
        nodes = self.page.nodes
        wanted = np.flatnonzero(self.is_tag(tags))
        steps = np.bincount(wanted, minlength=len(nodes) + 1)
        steps -= np.bincount(nodes.end[wanted], minlength=len(nodes) + 1)
        return np.cumsum(steps)[:-1]

    def count_in_block(self, tags: Iterable[str]) -> Floats:
        """Elements of the given tags that begin in each block or just before it."""
        first = self.page.nodes.first_block[self.is_tag(tags)]
        return self.count(first[first < len(self)])

    def nearest(self, tags: Iterable[str]) -> Ints:
        """The nearest element around (or at) each element with one of the tags, else -1; (m,)."""
        nodes = self.page.nodes
        here = np.arange(len(nodes))
        up = np.append(np.where(self.is_tag(tags), here, nodes.parent), -1)
        for _ in range(len(nodes).bit_length()):  # pointer doubling: depth is halved
            jumped = up[up]
            if np.array_equal(jumped, up):
                break
            up = jumped
        return up[:-1]

    @cached_property
    def div_group(self) -> Ints:
        """The nearest element that parts the page as `div` does, -1 for none."""
        return self.nearest(["div", "article", "section", "main"])[self.page.node]

    @cached_property
    def td_group(self) -> Ints:
        """The nearest table cell, -1 for none."""
        return self.nearest(["td", "th"])[self.page.node]

    def group_sum(self, group: Ints, values: Floats) -> Floats:
        """Sum of `values` over the blocks of the same group, 0 for the blocks of none (-1)."""
        sums: Floats = np.bincount(group + 1, values, minlength=1).astype(np.float64)
        sums[0] = 0.0
        return sums[group + 1]


Value = TypeVar("Value")


def once(function: Callable[[Measures], Value]) -> Callable[[Measures], Value]:
    """Let a function of a page be computed once for each page."""

    @wraps(function)
    def remembered(page: Measures) -> Value:
        if function not in page.memo:
            page.memo[function] = function(page)
        value: Value = page.memo[function]
        return value

    return remembered
