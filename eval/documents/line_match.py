"""Compare the text of a page's blocks with a browser's: every word, and what stands before it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import Indel

from crfclean.page.controls import visible
from crfclean.page.elements import BLOCK_LEVEL
from eval.documents.browser_text import BrowserText, Part

_SINGLE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"  # scripts without blanks
_ZERO_WIDTH = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_UNIT = re.compile(rf"[{_SINGLE}]|[^\W{_SINGLE}]+|[^\w\s{_ZERO_WIDTH}]")
MAX_UNITS = 40_000  # of a text: the matrix of an alignment then has 200 MB
MAX_EXAMPLE = 40  # characters of each side

NOTHING, SPACE, TAB, LINE = "nothing", "a space", "a tab", "a line's end"
"""What may stand before a unit."""


class Units(NamedTuple):
    """Words and single signs of a text, casefolded, and what stands before each."""

    texts: list[str]
    before: list[str]


def units(text: str) -> Units:
    r"""The units of a text with lines; controls and characters without width are none.

    >>> units("One, two\nthree").before
    ["a line's end", 'nothing', 'a space', "a line's end"]
    """
    texts: list[str] = []
    before, end, text = [], 0, visible(text)
    for match in _UNIT.finditer(text):
        gap = text[end : match.start()]
        texts.append(match[0].casefold())
        before.append(_kind(gap) if end else LINE)
        end = match.end()
        if len(texts) == MAX_UNITS:
            break
    return Units(texts, before)


def _kind(gap: str) -> str:
    if "\n" in gap:
        return LINE
    return TAB if "\t" in gap else SPACE if gap.strip("\u00ad\u200b") else NOTHING


@dataclass
class Comparison:
    """Counts over one or more pages, and examples of each difference."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, count: int, left: str, right: str = "") -> None:
        """Count a difference."""
        self.counts[name] += count
        self.examples[name].append(f"{left[-MAX_EXAMPLE:]} | {right[:MAX_EXAMPLE]}")


@dataclass
class _Match:
    """Both texts, the browser's text nodes, and the result so far."""

    block_units: Units
    browser: Units
    nodes: Sequence[Part]
    result: Comparison
    causes: dict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.causes = defaultdict(set)
        for part in self.nodes:
            self.causes[part.cause].update(units(part.text).texts)

    def gap(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Count the units between two matches, by cause."""
        left, right = (
            self.block_units.texts[start[0] : end[0]],
            self.browser.texts[start[1] : end[1]],
        )
        if left and "".join(left) == "".join(right):
            name = "words glued" if len(left) < len(right) else "words torn"
            self.result.add(name, 1, " ".join(left), " ".join(right))
            return
        for name, words in (("only in blocks", left), ("only in browser", right)):
            for cause, count in self._causes_of(words):
                self.result.add(f"{name}: {cause}", count, " ".join(left), " ".join(right))

    def _causes_of(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """How many of the words stand in which elements: those that explain most of them first."""
        shares = {
            cause: sum(word in texts for word in words) - 0.5 * (cause == "shown")
            for cause, texts in self.causes.items()
        }
        order = sorted(shares, key=lambda cause: (cause == "shown", -shares[cause]))
        counts = Counter(
            next((cause for cause in order if word in self.causes[cause]), "nowhere")
            for word in words
        )
        return counts.most_common()

    def boundaries(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Count what stands between two neighbours in both texts, where that differs."""
        boxes = _boxes(self.nodes)
        for (left, right), (next_left, next_right) in pairwise(pairs):
            if (next_left, next_right) != (left + 1, right + 1):
                continue
            self.result.counts["boundaries"] += 1
            kinds = self.block_units.before[next_left], self.browser.before[next_right]
            if kinds[0] != kinds[1]:
                texts = self.block_units.texts
                where = boxes.get(tuple(texts[max(left - 1, 0) : left + 3]), "in a text")
                before = " ".join(texts[max(left - 4, 0) : left + 1])
                after = " ".join(texts[next_left : next_left + 5])
                self.result.add(f"{kinds[0]} for {kinds[1]}: {where}", 1, before, after)


def _boxes(nodes: Sequence[Part]) -> dict[tuple[str, ...], str]:
    """Two units on each side of a boundary -> what is there: a `br`, a line of code, boxes."""
    texts: list[str] = []
    kinds: list[str] = []
    last_box, after_br = "", False
    for part in nodes:
        after_br |= part.cause == "br"
        part_texts, before = units(part.text)
        if not part_texts:
            continue
        texts += part_texts
        kinds.append("br" if after_br else _box(last_box, part.box))
        in_pre = part.box == "pre"
        kinds += ["preformatted" if in_pre and kind == LINE else "" for kind in before[1:]]
        last_box, after_br = part.box, False
    return {tuple(texts[max(at - 2, 0) : at + 2]): kind for at, kind in enumerate(kinds) if kind}


def _box(left: str, right: str) -> str:
    """What kind of boxes two texts stand in: those that a style has changed say so."""
    kinds = {_box_kind(left), _box_kind(right)}
    order = ("preformatted", "styled", "cell", "inline-block", "button")
    return next((kind for kind in order if kind in kinds), "other")


def _box_kind(box: str) -> str:
    tag, _, display = box.partition(" ")
    if tag in ("pre", "button"):
        return "preformatted" if tag == "pre" else tag
    if tag in ("td", "th"):
        return "cell"
    if display.startswith("inline"):
        return "inline-block"
    return "ordinary" if tag in BLOCK_LEVEL else "styled"


def compare(lines: Sequence[str], browser: BrowserText) -> Comparison:
    """Compare the texts of blocks with what the browser shows."""
    result = Comparison()
    match = _Match(units("\n".join(lines)), units(browser.text), browser.parts, result)
    block_texts, shown = match.block_units.texts, match.browser.texts
    result.counts["units of blocks"], result.counts["units of browser"] = (
        len(block_texts),
        len(shown),
    )
    result.counts["in both"] = sum((Counter(block_texts) & Counter(shown)).values())
    pairs, start = [], (0, 0)
    for source, target, length in _matches(block_texts, shown):
        match.gap(start, (source, target))
        pairs += [(source + step, target + step) for step in range(length)]
        start = (source + length, target + length)
    match.gap(start, (len(block_texts), len(shown)))
    result.counts["in both, in order"] = len(pairs)
    match.boundaries(pairs)
    return result


def _matches(block_texts: Sequence[str], shown: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Runs of equal units: start in each text, and length."""
    for step in Indel.opcodes(block_texts, shown):
        if step.tag == "equal":
            yield step.src_start, step.dest_start, step.src_end - step.src_start


def shares(counts: Mapping[str, int]) -> dict[str, float]:
    """F1 of the units, in any order and in order, and the share of boundaries that are equal."""
    total = max(counts["units of blocks"] + counts["units of browser"], 1)
    different = sum(count for name, count in counts.items() if " for " in name)
    return {
        "words": round(2 * counts["in both"] / total, 4),
        "words in order": round(2 * counts["in both, in order"] / total, 4),
        "boundaries": round(1 - different / max(counts["boundaries"], 1), 4),
    }
