"""Count formulas, code, footnotes and callouts that systems keep in Markdown, on small pages.

Run `python -m eval.documents.constructs --data DIR`; `--show` prints the texts side by side.

The pages are those of the set defuddle, a check list: its Markdown is another tool's output, not a
gold. A fence is right if its lines are equal but for white space at their ends, a formula if its
TeX stands between dollar signs (white space aside), a footnote if a definition has its first words,
a callout if its first line stands in a quotation. Needs the extra `peers`.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from crfclean.document.markdown import to_md
from crfclean.pipeline import open_model, run
from crfclean.products.teach.gold import GoldPage
from crfclean.types import Page
from eval.lib.corpora import SKIPPED, data_parser
from eval.lib.record import environment, record

try:
    import trafilatura
except ImportError as error:
    sys.stderr.write(f'skipped: {error.name} is missing: pip install -e ".[peers]"\n')
    sys.exit(SKIPPED)

_FENCE = re.compile(r"^```[^\n]*\n(.*?)\n```", re.DOTALL | re.MULTILINE)
_PREAMBLE = re.compile(r"\A```json.*?```\n", re.DOTALL)  # the metadata in the expected Markdown
_TEX = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
_NOTE = re.compile(r"^\[\^[^\]]+\]:[ ]*(.+)$", re.MULTILINE)
_CALLOUT = re.compile(r"^> \[![^\]]+\][^\n]*\n>\s*(\S[^\n]*)", re.MULTILINE)
_QUOTED = re.compile(r"^>[ ]?(.*)$", re.MULTILINE)
_NOTE_WORDS = 4


def fences(markdown: str) -> list[str]:
    """The code between fences, without white space at the ends of lines."""
    codes = _FENCE.findall(markdown)
    return ["\n".join(line.rstrip() for line in code.strip("\n").split("\n")) for code in codes]


def formulas(markdown: str) -> list[str]:
    """The TeX between dollar signs outside code, without white space."""
    outside = _FENCE.sub("", markdown)
    return ["".join((display or inline).split()) for display, inline in _TEX.findall(outside)]


def notes(markdown: str) -> list[str]:
    """The first words of the definitions of footnotes, letters and digits alone."""
    return [" ".join(_words(text)[:_NOTE_WORDS]) for text in _NOTE.findall(markdown)]


def callouts(markdown: str) -> list[str]:
    """The first words of callouts, behind their titles."""
    return [" ".join(_words(text)[:_NOTE_WORDS]) for text in _CALLOUT.findall(markdown)]


def quoted(markdown: str) -> list[str]:
    """The first words of all lines of quotations."""
    return [" ".join(_words(text)[:_NOTE_WORDS]) for text in _QUOTED.findall(markdown)]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


Reader = Callable[[str], list[str]]
CONSTRUCTS: Mapping[str, tuple[Reader, Reader]] = {
    "code": (fences, fences),
    "formulas": (formulas, formulas),
    "footnotes": (notes, notes),
    "callouts": (callouts, quoted),
}
"""Construct -> how it is read in the expected Markdown, and in a system's."""


def by_crfclean(gold: GoldPage) -> str:
    """The Markdown of the shipped model."""
    return to_md(run(gold.page, open_model("default")))


def by_trafilatura(gold: GoldPage) -> str:
    """Its Markdown, with tables, formatting and links."""
    options: Any = {"include_tables": True, "include_formatting": True, "include_links": True}
    return trafilatura.extract(gold.page.html, output_format="markdown", **options) or ""


def expectations(data: str) -> Iterator[tuple[GoldPage, str]]:
    """The pages with the Markdown that is expected of them."""
    with lzma.open(Path(data) / "defuddle.jsonl.xz", "rt") as lines:
        for row in map(json.loads, lines):
            page = Page(row["html"], row["url"])
            gold = GoldPage(row["id"], page, "", "defuddle", row["id"])
            yield gold, _PREAMBLE.sub("", row["extra"]["markdown"] or "")


SYSTEMS = {"crfclean": by_crfclean, "trafilatura": by_trafilatura}


def right(expected: str, markdown: str, name: str) -> tuple[int, int]:
    """How many of a construct are right, and how many are expected."""
    read_expected, read = CONSTRUCTS[name]
    needed, texts = Counter(read_expected(expected)), Counter(read(markdown))
    return sum((needed & texts).values()), sum(needed.values())


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--show", action="store_true", help="print the texts")
    args = parser.parse_args()
    counts: dict[str, dict[str, list[int]]] = {name: {} for name in CONSTRUCTS}
    for gold, expected in expectations(args.data):
        for system, write in SYSTEMS.items():
            markdown = write(gold)
            if args.show:
                print(f"===== {gold.id}: {system}\n{markdown}")
            for name in CONSTRUCTS:
                numbers = counts[name].setdefault(system, [0, 0])
                for place, number in enumerate(right(expected, markdown, name)):
                    numbers[place] += number
        if args.show:
            print(f"===== {gold.id}: expected\n{expected}")
    for name, by_system in counts.items():
        print(name, by_system)
    versions = {"trafilatura": version("trafilatura")}
    record("documents/constructs", {"right_of": counts, **versions, **environment()})


if __name__ == "__main__":
    main()
