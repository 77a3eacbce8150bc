"""Measure what a budget keeps of a page, beside its text cut at the same length.

Run `python -m eval.documents.budget --data DIR`; result: `results/documents/budget.json`.

The budget is a quarter of the words of our Markdown. The figures are means over pages of the share
of the gold's headings, of the first sentences of its sections (in a gold without headings: of its
paragraphs), and of its names and numbers, that are in the text.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import crfclean
from crfclean.document.block_types import count_words
from crfclean.document.sentences import sentence_spans
from crfclean.page.align import tokens
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record

SETS = ("mdsites-dev", "ota-dev", "fundus-dev")
SHARE = 4  # the budget is this part of the words
LEAST = 200  # words of a page
_HEADING = re.compile(r"#{1,6} +(.+)")
_NAME = re.compile(r"(?<=[^.!?…:\s] )[^\W\d_a-z]\w+|\d[\d.,:%]*")


def facts(gold: str) -> dict[str, list[str]]:
    """The headings, first sentences, and names and numbers of a gold text or its Markdown."""
    headings, firsts, is_lead = list[str](), list[str](), True
    has_headings = any(map(_HEADING.match, gold.splitlines()))
    for line in _lines(gold):
        heading = _HEADING.match(line)
        if heading:
            headings.append(heading[1])
        elif is_lead or not has_headings:
            start, end = sentence_spans(line)[0]
            firsts.append(line[start:end])
        is_lead = bool(heading)
    names = {match[0].rstrip(".,:") for match in _NAME.finditer(gold)}
    return {"headings": headings, "first sentences": firsts, "names and numbers": sorted(names)}


def _lines(gold: str) -> Iterator[str]:
    """The lines with words, without code."""
    is_code = False
    for line in gold.splitlines():
        is_code ^= line.lstrip().startswith("```")
        if not is_code and tokens(line) and not line.lstrip().startswith(("```", "|")):
            yield line.strip()


def share(wanted: list[str], text: str) -> float | None:
    """The share of some texts whose words are in a text in a row; None without any."""
    words = f" {' '.join(tokens(text))} "
    keys = [key for each in wanted if (key := " ".join(tokens(each)))]
    return sum(f" {key} " in words for key in keys) / len(keys) if keys else None


def cut_at(text: str, budget: int) -> str:
    """The beginning of a text with so many words."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_words(text[:middle]) <= budget else (low, middle - 1)
    return text[:low]


def measure(row: Mapping[str, Any]) -> dict[str, dict[str, float]] | None:
    """Kind of fact -> system -> share; None for a short page."""
    options: Any = {"format": "md", "links": False, "images": False}
    whole = crfclean.extract(row["html"], row["url"], **options)
    budget = count_words(whole) // SHARE
    if budget * SHARE < LEAST:
        return None
    cut = crfclean.extract(row["html"], row["url"], budget=budget, **options)
    texts = {"budget": cut, "cut at the length": cut_at(whole, budget), "whole": whole}
    shares: dict[str, dict[str, float]] = {}
    for kind, wanted in facts(row["extra"].get("markdown") or row["gold"]).items():
        by_system = {name: share(wanted, text) for name, text in texts.items()}
        shares[kind] = {name: value for name, value in by_system.items() if value is not None}
    return shares


def main() -> None:
    """Measure all sets."""
    data = Path(data_parser(__doc__).parse_args().data)
    results: dict[str, Any] = {}
    for name in SETS:
        with lzma.open(data / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            pages = [page for line in lines if (page := measure(json.loads(line)))]
        kinds: dict[str, Any] = {}
        for kind in pages[0]:
            rows = [page[kind] for page in pages if page[kind]]
            kinds[kind] = {"pages": len(rows)} | {
                system: round(sum(row[system] for row in rows) / len(rows), 3)
                for system in (rows[0] if rows else ())
            }
        results[name] = kinds
        print(name, json.dumps(kinds, indent=1))
    record("documents/budget", {"environment": environment(), "sets": results})


if __name__ == "__main__":
    main()
