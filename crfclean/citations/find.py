"""Find a quote on a page again, also after small changes of the page or the quote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq

from crfclean.citations.cite import Citation, Citer
from crfclean.citations.page_words import Word, words_of
from crfclean.types import CrfcleanError, Document, Ints

# find a sequence of words in a longer sequence, also if some words differ
#
# A place with exactly the words of the quote wins. Otherwise windows as long as the quote are
# ranked by the words that they share with it, in any order, and only the best are aligned: so the
# time is linear in the page. Words count by their characters, because long words say more.

MAX_QUOTE = 2_000  # words; the time of an alignment is quadratic in them
_MAX_WINDOWS = 8  # windows that are aligned
_MIN_COMMON = 3  # words in common, unless all are equal: any page has two of them


@dataclass(frozen=True, slots=True)
class Match:
    """Words `start` to `end` (half-open) of a page, and their similarity to the quote (0..1).

    The similarity is twice the characters of common words, divided by the characters of both.
    """

    start: int
    end: int
    similarity: float


def best_match(words: Sequence[str], quote: Sequence[str], least: float) -> Match | None:
    """Return the first of the most similar words; None if their similarity is below `least`.

    >>> page = "the ferry sails again from monday on".split()
    >>> best_match(page, "the ferry runs again from monday".split(), 0.7)
    Match(start=0, end=6, similarity=0.8363636363636363)
    """
    if not quote or not words:
        return None
    exact = _exact(words, quote)
    if exact is not None:
        return exact
    best = None
    for start in _windows(words, quote, least):
        match = _aligned(words, quote, start)
        if match.similarity >= least and (best is None or match.similarity > best.similarity):
            best = match
    return best


def _exact(words: Sequence[str], quote: Sequence[str]) -> Match | None:
    """Return the first place with all words of the quote in a row; words have no spaces."""
    joined, wanted = f" {' '.join(words)} ", f" {' '.join(quote)} "
    at = joined.find(wanted)
    if at < 0:
        return None
    start = joined.count(" ", 0, at)
    return Match(start, start + len(quote), 1.0)


def _windows(words: Sequence[str], quote: Sequence[str], least: float) -> Iterator[int]:
    """Yield the starts of the windows that share the most characters with the quote, best first."""
    shared = _shared(words, quote)
    for _ in range(_MAX_WINDOWS):
        best = int(shared.argmax())
        if shared[best] < least * _chars(quote) / 2:  # a match of similarity `least` has more
            return
        yield best
        shared[max(0, best - len(quote) // 2) : best + len(quote) // 2 + 1] = -1


def _shared(words: Sequence[str], quote: Sequence[str]) -> Ints:
    """Return the characters that each window as long as the quote shares with it, shape (n,).

    Value i belongs to the window that begins at word i; value 0 also counts shorter windows.
    """
    free = Counter(quote)
    shared, count, size = np.zeros(len(words), np.int64), 0, len(quote)
    for index, word in enumerate(words):
        if word in free:
            count += len(word) * (free[word] > 0)
            free[word] -= 1
        if index >= size and (left := words[index - size]) in free:
            free[left] += 1
            count -= len(left) * (free[left] > 0)
        begin = max(0, index - size + 1)
        shared[begin] = max(int(shared[begin]), count)
    return shared


def _chars(words: Sequence[str]) -> int:
    return sum(map(len, words))


def _aligned(words: Sequence[str], quote: Sequence[str], window: int) -> Match:
    """Return the words in and around a window that are most similar to the quote."""
    reach = len(quote) // 2 + 1
    start = max(0, window - reach)
    part = words[start : window + len(quote) + reach]
    runs = [
        (code.src_start, code.src_end)
        for code in LCSseq.opcodes(part, quote)
        if code.tag == "equal"
    ]
    if sum(end - begin for begin, end in runs) < _MIN_COMMON:
        return Match(start, start, 0.0)
    before = np.concatenate([[0], np.cumsum([len(word) for word in part])])
    first, last, similarity = _densest(runs, before.tolist(), _chars(quote))
    return Match(start + runs[first][0], start + runs[last][1], similarity)


def _densest(
    runs: Sequence[tuple[int, int]], before: Sequence[int], size: int
) -> tuple[int, int, float]:
    """Return the first and last run of the most similar words, without stray runs at both ends.

    `before` counts the characters before each word, `size` the characters of the quote.
    """
    first, last = 0, len(runs) - 1
    sizes = [before[end] - before[start] for start, end in runs]
    common = sum(sizes)

    def similarity(first: int, last: int, common: int) -> float:
        return 2 * common / (size + before[runs[last][1]] - before[runs[first][0]])

    best = similarity(first, last, common)
    while first < last:
        without_first = similarity(first + 1, last, common - sizes[first])
        without_last = similarity(first, last - 1, common - sizes[last])
        if max(without_first, without_last) <= best:
            break
        best = max(without_first, without_last)
        at_start = without_first > without_last
        common -= sizes[first if at_start else last]
        first, last = first + at_start, last - (not at_start)
    return first, last, best


MIN_SIMILARITY = 0.7
_LEAD = 0.1  # similarity by which words outside the text must be better than words of the text


def find(document: Document, quote: str, min_similarity: float = MIN_SIMILARITY) -> Citation | None:
    """Find the words of a page that are most similar to a quote; None if none are similar enough.

    `find` prefers words of the text to words elsewhere on the page, unless the latter are clearly
    more similar: a teaser may still quote a sentence that has changed. For the similarity (0..1)
    see `Match`. Raises `CrfcleanError` for a quote without words, or with more than `MAX_QUOTE`.

    >>> from crfclean import clean
    >>> citation = find(clean("<p>It rained in the north of it.</p>"), "rained in the North")
    >>> citation.text, citation.start, citation.url
    ('rained in the north', 3, '#:~:text=rained%20in%20the%20north')
    """
    return find_by(Citer(document), quote, min_similarity)


def find_by(citer: Citer, quote: str, min_similarity: float = MIN_SIMILARITY) -> Citation | None:
    """Find a quote as `find` does; for several quotes of one document."""
    quoted = words_of(quote)
    if not 0 < len(quoted) <= MAX_QUOTE:
        raise CrfcleanError(f"a quote of {len(quoted)} words: it needs 1 to {MAX_QUOTE:,}")
    keys = [word.key for word in quoted]
    everywhere = citer.words.words
    kept = [word for word in everywhere if citer.lines.blocks[word.line] in citer.starts]
    best: tuple[Match, Sequence[Word]] | None = None
    for words in (kept, everywhere):
        match = best_match([word.key for word in words], keys, min_similarity)
        if match is not None and (best is None or match.similarity > best[0].similarity + _LEAD):
            best = match, words
        if match is not None and match.similarity == 1.0:
            break
    if best is None:
        return None
    match, words = best
    spans = _spans(citer, words[match.start : match.end])
    return citer.citation(_with_marks(citer, spans, quote, quoted), match.similarity)


def _spans(citer: Citer, words: Sequence[Word]) -> list[tuple[int, int, int]]:
    """Return the characters of blocks (index, start, end) from the first word to the last."""
    texts, lines = citer.document.blocks.texts, citer.lines
    indices = list(dict.fromkeys(lines.blocks[word.line] for word in words))
    spans = [(index, 0, len(texts[index])) for index in indices]
    first, last = words[0], words[-1]
    spans[0] = (indices[0], lines.starts[first.line] + first.start, spans[0][2])
    spans[-1] = (indices[-1], spans[-1][1], lines.starts[last.line] + last.end)
    return spans


def _with_marks(
    citer: Citer, spans: list[tuple[int, int, int]], quote: str, quoted: Sequence[Word]
) -> list[tuple[int, int, int]]:
    """Return spans with the marks around the quote, such as its full stop, if the page has them."""
    texts = citer.document.blocks.texts
    opening, closing = quote[: quoted[0].start].lstrip(), quote[quoted[-1].end :].rstrip()
    index, start, end = spans[0]
    if texts[index].endswith(opening, 0, start):
        spans[0] = (index, start - len(opening), end)
    index, start, end = spans[-1]
    if texts[index].startswith(closing, end):
        spans[-1] = (index, start, end + len(closing))
    return spans
