"""Annotated pages of public sets, read from a folder of JSONL files.

The folder is given by `--data` or the variable CRFCLEAN_DATA; eval/README.md says where to get each
set and how a line looks. A script whose set is missing says so and ends with code 77.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfclean.products.teach.gold import DOUBT, JSONL_SUFFIXES, GoldPage, numbered_lines, read_gold
from crfclean.types import Blocks, Label

SKIPPED = 77
ROOT = Path(__file__).parents[2]
DEMO = ROOT / "data" / "demo"

BIG9 = {
    "forbes": ("forbes",),
    "bbc": ("bbc",),
    "latimes": ("latimes",),
    "nypost": ("nypost",),
    "foxnews": ("foxnews",),
    "arstechnica": ("arstechnica", "condenast"),
    "yahoo": ("yahoo", "yimg"),
    "nymag": ("nymag", "grubstreet", "vulture", "newyorkmetro"),
    "cnn": ("cnn",),
}
"""The news sites of irdata-big9, and the words that their pages name most (40 pages each)."""


def data_parser(text: str | None) -> argparse.ArgumentParser:
    """An argument parser with the option that all scripts share."""
    made_parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    made_parser.add_argument("--data", default=os.environ.get("CRFCLEAN_DATA", "datasets"))
    return made_parser


def corpus(name: str, data: str) -> list[GoldPage]:
    """The pages of a set; ends the script where the set is missing."""
    for suffix in JSONL_SUFFIXES:
        path = Path(data, name + suffix)
        if path.is_file():
            pages = list(read_gold(path))
            pages = by_news_site(pages) if name == "irdata-big9" else pages
            return with_doubts(pages, path) if name == "various-dev" else pages
    sys.stderr.write(f"skipped: no {name}.jsonl(.gz, .xz) in {data}; see eval/README.md\n")
    sys.exit(SKIPPED)


MISLABELLED = ("formasaurus/www.jpc.de-5.html", "formasaurus/cafephim.vn-0.html")
"""Pages of various-dev that are left out: the terms below an empty cart, and text that was decoded
wrongly. Forty of its first 507 pages were read again; on the others no sure label was wrong by ten
words. Of thirty of the 318 later ones, two had such labels: 61 of 20,414 words, all of them text
that should be doubtful."""


@dataclass(frozen=True)
class RunsPage(GoldPage):
    """A page whose blocks were labelled by number, `blocks` in all.

    `runs` of its text are (first, last, first words of each); `doubtful` ones (first, last).
    """

    blocks: int = 0
    runs: Sequence[tuple[int, int, str, str]] = ()
    doubtful: Sequence[tuple[int, int]] = ()

    def by_number(self, page: Blocks) -> GoldPage:
        """The page with a label for each block, as it is if it is cut in another way today.

        Alignment gave the words of main headings to copies in menus, on 10 of 30 pages.
        """
        words = {at: of for run in self.runs for at, of in zip(run[:2], run[2:], strict=True)}
        texts = page.texts
        if len(page) != self.blocks or any(
            not texts[at].startswith(of) for at, of in words.items()
        ):
            return self
        labels = np.full(len(page), int(Label.OTHER))
        for first, last in self.doubtful:
            labels[first : last + 1] = DOUBT
        for first, last, *_ in self.runs:
            headings = page.table.in_heading[first : last + 1]
            labels[first : last + 1] = np.where(headings, Label.HEADER, Label.TEXT)
        pairs = zip(labels.tolist(), page.texts, strict=True)
        return replace(self, labels=tuple(pairs), optional="")


def with_doubts(pages: Sequence[GoldPage], path: Path) -> list[GoldPage]:
    """The same pages with their runs of blocks; doubtful blocks count neither way."""
    extras = [json.loads(line)["extra"] for _, line in numbered_lines(path)]
    return [
        RunsPage(
            **{**gold.__dict__, "optional": extra["doubtful_text"] or ""},
            blocks=extra["blocks"],
            runs=extra["text"] or (),
            doubtful=extra["doubtful"] or (),
        )
        for gold, extra in zip(pages, extras, strict=True)
        if gold.id not in MISLABELLED
    ]


def drawn(pages: Sequence[GoldPage], count: int) -> list[GoldPage]:
    """So many pages that have a gold (0: all), by a digest of their names: always the same."""
    with_gold = [page for page in pages if page.text.strip() or page.expected_snippets]
    with_gold.sort(key=lambda page: hashlib.sha256(page.id.encode()).digest())
    return with_gold[: count or None]


def by_news_site(pages: Sequence[GoldPage]) -> list[GoldPage]:
    """The same pages with their news site as source and site."""
    named = []
    for gold in pages:
        html = gold.page.html.lower()
        counts = {site: sum(html.count(word) for word in words) for site, words in BIG9.items()}
        site = max(counts, key=lambda name: counts[name])
        named.append(replace(gold, source=site, site=site))
    return named
