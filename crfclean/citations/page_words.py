"""The words of a page in order, with their places in lines."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import regex

from crfclean.page.chars import WITHOUT_WIDTH

# a word with its accents and soft hyphens; one character in scripts without spaces
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|"
    rf"[[\w\p{{M}}{WITHOUT_WIDTH}]--"
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]+",
    regex.V1,
)
_UNSEEN = str.maketrans("", "", WITHOUT_WIDTH)


@dataclass(frozen=True, slots=True)
class Word:
    """A word: its form in comparisons, its line, and its characters in the line (half-open)."""

    key: str
    line: int
    start: int
    end: int


def key_of(word: str) -> str:
    """Return the form of a word in comparisons.

    >>> key_of("Čeština"), key_of("STRASSE") == key_of("straße")
    ('cestina', True)
    """
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.translate(_UNSEEN)).casefold()
    kept = (char for char in plain if not (unicodedata.combining(char) or char.isspace()))
    return "".join(kept)


def words_of(text: str, line: int = 0) -> list[Word]:
    """Return the words of the text of a line."""
    words = (
        Word(key_of(match[0]), line, match.start(), match.end()) for match in _WORD.finditer(text)
    )
    return [word for word in words if word.key]


@dataclass(frozen=True)
class PageWords:
    """All words of a page's lines; those of line i are `first[i]` to `first[i + 1]` - 1."""

    texts: Sequence[str]
    words: Sequence[Word]
    first: Sequence[int]

    @cached_property
    def keys(self) -> list[str]:
        """The form of each word in comparisons (see `key_of`)."""
        return [word.key for word in self.words]

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """Key of a word -> its positions among the words, in page order."""
        positions: defaultdict[str, list[int]] = defaultdict(list)
        for index, key in enumerate(self.keys):
            positions[key].append(index)
        return dict(positions)

    def others(self, start: int, end: int, limit: int) -> list[int]:
        """Return the other places of the words `start` to `end` - 1 by their first words.

        If more than `limit` places would have to be compared, the first `limit` are returned.
        """
        keys = self.keys
        rarest = min(range(start, end), key=lambda index: len(self.positions[keys[index]]))
        before, wanted = rarest - start, keys[start:end]
        alike = self.positions[keys[rarest]]
        others = (place - before for place in alike if place != rarest)
        if len(alike) > limit + 1:
            return list(islice(others, limit))
        return [
            place for place in others if place >= 0 and keys[place : place + len(wanted)] == wanted
        ]


def page_words(texts: Sequence[str]) -> PageWords:
    """Return the words of a page's lines, in linear time."""
    words: list[Word] = []
    first = [0]
    for line, text in enumerate(texts):
        words += words_of(text, line)
        first.append(len(words))
    return PageWords(texts, words, first)
