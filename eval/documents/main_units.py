"""Units of a page that stand in its main part, as the gold has it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from eval.documents.page_units import TOKEN, Outline, Unit

MIN_RUN = 4  # tokens in a row in page and gold: shorter matches may be chance
MIN_SHARE = 0.8  # of an element's tokens in the gold: the element is in the main part


def in_text(outline: Outline, gold: str) -> list[Unit]:
    """The units whose text stands in a text, in its order: the main part, where it is the gold."""
    tokens = TOKEN.findall(gold.lower())
    held = [0] * (len(outline.tokens) + 1)
    for code in LCSseq.opcodes(outline.tokens, tokens):
        if code.tag == "equal" and code.src_end - code.src_start >= MIN_RUN:
            held[code.src_start : code.src_end] = [1] * (code.src_end - code.src_start)
    total = [0]
    for place in held[:-1]:
        total.append(total[-1] + place)
    return [unit for unit in outline.units if _share(outline, total, unit) >= MIN_SHARE]


def _share(outline: Outline, total: Sequence[int], unit: Unit) -> float:
    first, last = bisect_left(outline.starts, unit.start), bisect_left(outline.starts, unit.end)
    return (total[last] - total[first]) / (last - first) if last > first else 0.0
