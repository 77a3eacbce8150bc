"""Divide the text of a page into passages for retrieval, and rank passages by a question.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Unpack

from crfclean.citations.cite import Citer
from crfclean.document.block_types import Count, count_words
from crfclean.document.budget import shown_parts
from crfclean.document.content import content
from crfclean.document.formats import shown_by
from crfclean.document.markdown import markdown
from crfclean.document.parts import DEFAULT_SHOW, Part, Show, iter_parts
from crfclean.document.sentences import sentences_of
from crfclean.document.text import line_text
from crfclean.page.align import tokens
from crfclean.types import CrfcleanError, Document, Passage, Switches

_K1 = 1.2  # how much a further occurrence of a word counts
_B = 0.75  # how much the length of a passage counts, 0..1


def rank(query: str, passages: Sequence[Passage], others: Iterable[Passage] = ()) -> list[Passage]:
    """Return the passages that share words with a question, the best first, with `relevance`.

    A passage has the words of its text and of its headings. Words that are rare in the passages
    and in `others`, such as those of other pages, count more.

    >>> rain = Passage("It rained.", ("Weather",), "paragraph", 2, None, None, "", 1.0)
    >>> [passage.text for passage in rank("Which weather?", [rain])]
    ['It rained.']
    """
    counts = [_words(passage) for passage in passages]
    all_counts = [*counts, *map(_words, others)]
    size = sum(each.total() for each in all_counts) / max(1, len(all_counts)) or 1.0
    weights = {
        word: _rarity(sum(word in each for each in all_counts), len(all_counts))
        for word in set(tokens(query))
    }
    sums = [
        sum(_gain(words, word, size) * weight for word, weight in weights.items())
        for words in counts
    ]
    order = sorted(range(len(passages)), key=lambda at: -sums[at])
    return [passages[at]._replace(relevance=round(sums[at], 4)) for at in order if sums[at] > 0]


def _words(passage: Passage) -> Counter[str]:
    return Counter(tokens("\n".join((*passage.headings, passage.text))))


def _rarity(holding: int, count: int) -> float:
    """Return the weight of a word that `holding` of `count` passages have; it is above 0."""
    return math.log(1.0 + (count - holding + 0.5) / (holding + 0.5))


def _gain(words: Counter[str], word: str, size: float) -> float:
    """Return what a word adds to a passage; `size` is the mean number of words of passages."""
    often = words[word]
    return often * (_K1 + 1.0) / (often + _K1 * (1.0 - _B + _B * words.total() / size))


# divide the text of a page into passages for retrieval, by its structure

_DIVIDED = frozenset(["list", "definitions", "footnotes", "table", "quote"])
"""Kinds of parts that are divided between their children: items, rows, paragraphs."""


def passages(
    document: Document,
    most: int = DEFAULT_SHOW.passage_words,
    count: Count = count_words,
    show: Show = DEFAULT_SHOW,
    page_id: str = "",
) -> list[Passage]:
    """Divide the text of a document into passages of at most `most` words, in page order.

    `count` measures a text in something else, such as the tokens of a model. A passage ends before
    each heading with a text. A longer section is divided between its parts, between the items of a
    list, the rows of a table (each piece has the head), the paragraphs of a quotation, and the
    sentences of a paragraph. What cannot be divided, such as code, may be longer than `most`.
    Raises `CrfcleanError` for a size below 1.
    """
    if most < 1:
        raise CrfcleanError(f"most must be at least 1, not {most}")
    parts, citer = shown_parts(content(document), show), Citer(document)
    passed: dict[int, int] = {}
    groups = _groups(parts, _Sizes(most, count))
    return [_passage(group, citer, passed, page_id) for group in groups]


def of_document(
    document: Document, most: int, count: Count | None, **switches: Unpack[Switches]
) -> list[Passage]:
    """Return passages with switches of `write`; raises `CrfcleanError`."""
    return passages(document, most, count or count_words, shown_by(switches))


def to_passages(document: Document, show: Show = DEFAULT_SHOW, *, page_id: str = "") -> str:
    """Return the passages as lines of JSON."""
    rows = passages(document, show.passage_words, show=show, page_id=page_id)
    return "".join(json.dumps(row.to_dict(), ensure_ascii=False) + "\n" for row in rows)


# group the parts of a page


class _Unit(NamedTuple):
    """A part, or a piece of one, that a passage has whole; `own` are its parts that are no copy."""

    part: Part
    size: int
    own: tuple[Part, ...]
    is_sentence: bool = False


class _Sizes(NamedTuple):
    """The largest size of a passage, and the measure."""

    most: int
    count: Count

    def of(self, part: Part) -> int:
        return self.count(markdown([part]))


@dataclass(slots=True)
class _Group:
    """The units of a passage while it grows, below headings."""

    headings: tuple[str, ...] = ()
    units: list[_Unit] = field(default_factory=list)
    size: int = 0

    def add(self, unit: _Unit) -> None:
        """Add a unit; successive sentences of a paragraph are one paragraph."""
        self.size += unit.size
        last = self.units[-1] if self.units else unit
        if last is not unit and unit.is_sentence and last.part[2:] == unit.part[2:]:
            children = (*self.units.pop().part.children, *unit.part.children)
            part = unit.part._replace(children=children)
            unit = _Unit(part, last.size + unit.size, (part,), is_sentence=True)
        self.units.append(unit)

    @property
    def has_text(self) -> bool:
        return any(unit.part.kind != "heading" for unit in self.units)


def _groups(parts: Sequence[Part], sizes: _Sizes) -> Iterator[_Group]:
    """Yield the units of each passage; a heading goes with the text below it."""
    group, path = _Group(), list[tuple[int, str]]()
    for part in parts:
        if part.kind == "heading":
            level, unit = part.facts["level"], _Unit(part, sizes.of(part), (part,))
            if group.has_text or group.size + unit.size > sizes.most:
                yield from [group] * bool(group.units)
                group = _Group()
            path = [above for above in path if above[0] < level]
            path.append((level, line_text(part.children)))
            group.headings = tuple(text for _, text in path)
            group.add(unit)
        elif part.kind != "rule":
            headings = 0 if group.has_text else group.size  # above the first text of a passage
            for unit in _units(part, sizes._replace(most=max(1, sizes.most - headings))):
                if group.has_text and group.size + unit.size > sizes.most:
                    yield group
                    group = _Group(group.headings)
                group.add(unit)
    yield from [group] * bool(group.units)


def _units(part: Part, sizes: _Sizes) -> Iterator[_Unit]:
    """Yield a part, or its pieces if it is too large."""
    size = sizes.of(part)
    if size > sizes.most and part.kind in _DIVIDED:
        yield from _pieces(part, sizes)
    elif size > sizes.most and part.kind == "paragraph":
        for children in sentences_of(part.children):
            sentence = part._replace(children=children)
            yield _Unit(sentence, sizes.of(sentence), (sentence,), is_sentence=True)
    else:
        yield _Unit(part, size, (part,))


def _pieces(part: Part, sizes: _Sizes) -> Iterator[_Unit]:
    """Yield pieces of a part with as many of its children as fit; each table has the head."""
    children = [child for child in part.children if isinstance(child, Part)]
    head = children[: _head(part, children)]
    first: list[Part] = head
    own, size = list[Part](), sizes.of(part._replace(children=tuple(head))) if head else 0
    least = size
    for child in children[len(head) :]:
        added = max(0, sizes.of(part._replace(children=(*head, child))) - least)
        if own and size + added > sizes.most:
            yield _Unit(part._replace(children=(*head, *own)), size, (*first, *own))
            first, own, size = [], [], least
        own.append(child)
        size += added
    yield _Unit(part._replace(children=(*head, *own)), size, (*first, *own))


def _head(part: Part, children: Sequence[Part]) -> int:
    """Count the captions and the row of headers that each piece of a table begins with."""
    if part.kind != "table":
        return 0
    captions = sum(child.kind == "caption" for child in children)
    rows = children[captions : captions + 1]
    cells = [cell for row in rows for cell in row.children if isinstance(cell, Part)]
    return captions + bool(cells and all(cell.facts.get("header") for cell in cells))


# describe a passage


def _passage(group: _Group, citer: Citer, passed: dict[int, int], page_id: str) -> Passage:
    """Describe a passage; `passed` are the characters of blocks that earlier sentences have."""
    document, parts = citer.document, [unit.part for unit in group.units]
    text = markdown(parts).rstrip() + "\n"
    sizes: dict[str, int] = {}
    for unit in group.units:
        is_below = unit.part.kind != "heading" or not group.has_text
        sizes[unit.part.kind] = sizes.get(unit.part.kind, 0) + unit.size * is_below
    spans = [span for unit in group.units for span in _spans(unit, citer, passed)]
    citation = citer.citation(spans) if spans else None
    return Passage(
        text,
        group.headings,
        max(sizes, key=sizes.__getitem__),
        count_words(text),
        citation.start if citation else None,
        citation.end if citation else None,
        citation.url if citation else document.url or "",
        document.score,
        page_id,
    )


def _spans(unit: _Unit, citer: Citer, passed: dict[int, int]) -> Iterator[tuple[int, int, int]]:
    """Yield the characters of kept blocks (index, start, end) that a unit has."""
    texts: Mapping[int, str] | Sequence[str] = citer.document.blocks.texts
    words = line_text(unit.part.children).strip() if unit.is_sentence else ""
    blocks = {block for own in unit.own for part in iter_parts(own) for block in part.blocks}
    for block in sorted(blocks & citer.shown.keys()):
        start = texts[block].find(words, passed.get(block, 0)) if words else -1
        start, end = (start, start + len(words)) if start >= 0 else (0, len(texts[block]))
        passed[block] = end if words else 0
        yield block, start, end
