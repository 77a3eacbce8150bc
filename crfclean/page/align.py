"""Align a gold text with a page's blocks to label them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import regex
from rapidfuzz.distance import LCSseq

from crfclean.page.chars import spelled_out
from crfclean.types import Blocks, Bools, Ints, Label

MAX_CELLS = 8 * 10**9  # of the alignment's bit matrix: 1 GB; larger pages are matched by n-grams
MIN_RUN = 3  # tokens: a shorter match counts only if it covers a whole block
MIN_MATCHED = 0.5  # share of a block's tokens that makes it gold
MIN_NGRAMS, MIN_UNCLAIMED = 0.75, 0.8  # for blocks that the gold has in another place
NGRAM = 4

_TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|"
    r"[\w--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]+",
    regex.V1,
)


def spelled(text: str) -> list[str]:
    """Return words as they are spelled; single characters in scripts without spaces.

    Characters that show nothing, such as soft hyphens, do not divide words.
    """
    return _TOKEN.findall(spelled_out((text,))[0])


def tokens(text: str) -> list[str]:
    """Return words in lower case, as in `spelled`."""
    return spelled(text.lower())


def align(blocks: Blocks, text: str) -> Ints:
    """Return the labels of n blocks by the gold text, shape (n,).

    The longest common subsequence of the page's and the gold's tokens respects order and ignores
    line breaks, list marks and quotes. Matched runs count from `MIN_RUN` tokens, or if they cover
    a block; a block is gold if `MIN_MATCHED` of its tokens are matched, or if the gold has its
    n-grams and its tokens are still unclaimed there (moved text).
    Gold blocks in heading elements are HEADER, the others TEXT.
    """
    words = [tokens(block) for block in blocks.texts]
    gold = tokens(text)
    chosen = _matched_blocks(words, gold)
    _claim_moved(words, gold, chosen)
    headings = blocks.table.in_heading
    labels = np.full(len(blocks), Label.OTHER, np.int32)
    labels[chosen] = np.where(headings[chosen], Label.HEADER, Label.TEXT)
    return labels


def _matched_blocks(words: list[list[str]], gold: list[str]) -> Bools:
    """Return which blocks the common subsequence of page and gold covers, shape (n,)."""
    sizes = np.array([len(block) for block in words], np.int64)
    ends = np.cumsum(sizes)
    flat = [word for block in words for word in block]
    matched = np.zeros(len(flat) + 1, np.int64)
    if len(flat) * len(gold) <= MAX_CELLS:
        for start, end in _runs(flat, gold):
            first, last = np.searchsorted(ends - sizes, start), np.searchsorted(ends, end, "right")
            if end - start >= MIN_RUN or first < last:
                matched[start:end] = 1
    total = np.concatenate([[0], np.cumsum(matched)])
    count = total[ends] - total[ends - sizes]
    chosen: Bools = (sizes > 0) & (count >= MIN_MATCHED * sizes)
    return chosen


def _runs(flat: list[str], gold: list[str]) -> Iterator[tuple[int, int]]:
    """Yield half-open runs of page tokens that the common subsequence matches without a gap."""
    for code in LCSseq.opcodes(flat, gold):
        if code.tag == "equal":
            yield code.src_start, code.src_end


def _claim_moved(words: list[list[str]], gold: list[str], chosen: Bools) -> None:
    """Add to `chosen` the blocks whose text the gold has in another place."""
    unclaimed = Counter(gold)
    for index in np.flatnonzero(chosen):
        unclaimed.subtract(words[index])
    gold_grams = set(zip(*(gold[shift:] for shift in range(NGRAM)), strict=False))
    for index in np.flatnonzero(~chosen):
        block = words[index]
        grams = list(zip(*(block[shift:] for shift in range(NGRAM)), strict=False))
        if not grams or sum(gram in gold_grams for gram in grams) < MIN_NGRAMS * len(grams):
            continue
        counts = Counter(block)
        free = sum(min(number, max(0, unclaimed[word])) for word, number in counts.items())
        if free >= MIN_UNCLAIMED * len(block):
            chosen[index] = True
            unclaimed.subtract(block)
