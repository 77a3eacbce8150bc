"""Find a quote on a page again, also after small changes of the page or the quote."""

from __future__ import annotations

from collections.abc import Sequence

from crfclean.citations.citer import Citer
from crfclean.citations.matching import MAX_QUOTE, Match, best_match
from crfclean.citations.page_words import Word, words_of
from crfclean.citations.values import Citation
from crfclean.types import CrfcleanError, Document

MIN_SIMILARITY = 0.7
_LEAD = 0.1  # by which words outside the text must be more similar than those of the text


def find(document: Document, quote: str, min_similarity: float = MIN_SIMILARITY) -> Citation | None:
    """The citation of the words that are most similar to a quote; None if there are none.

    Words of the document's text are preferred to those elsewhere on the page that are not clearly
    more similar, as a teaser may be to a sentence that has changed. A similarity (0..1) is twice
    the characters of words in common by those of both. Raises `CrfcleanError` for a quote without
    words, or of more than `MAX_QUOTE`.
    """
    return find_by(Citer(document), quote, min_similarity)


def find_by(citer: Citer, quote: str, min_similarity: float = MIN_SIMILARITY) -> Citation | None:
    """`find` for several quotes of one document."""
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
    """Characters of blocks (index, start, end) from the first word to the last."""
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
    """Spans with the marks around the quote, as `It rained.`, where the page has them, too."""
    texts = citer.document.blocks.texts
    opening, closing = quote[: quoted[0].start].lstrip(), quote[quoted[-1].end :].rstrip()
    index, start, end = spans[0]
    if texts[index].endswith(opening, 0, start):
        spans[0] = (index, start - len(opening), end)
    index, start, end = spans[-1]
    if texts[index].startswith(closing, end):
        spans[-1] = (index, start, end + len(closing))
    return spans
