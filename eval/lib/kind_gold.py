"""Pages whose blocks were labelled by kind, kept as ranges and digests without any text.

A line of `data/kinds/*.tsv` has the set of a page, its id, the ranges of its blocks with their
kinds, and four characters of digest a block, by which labels find their blocks where pages are cut
in another way.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from crfclean.page.blocks import split
from crfclean.products.teach.gold import NONE, GoldPage
from crfclean.types import Blocks, Ints, Kind
from eval.lib.corpora import ROOT, corpus

FOLDER = ROOT / "data" / "kinds"
FIRST, SECOND = FOLDER / "labels.tsv", FOLDER / "second.tsv"
OTHER = len(Kind)
"""The label of a block that is no content and of no kind: in the files `OTHER`."""

NAMES = (*(kind.name for kind in Kind), "OTHER")
_DIGEST_CHARS = 4


@dataclass(frozen=True)
class LabelledPage:
    """A page, its blocks, and their kinds (n,): a `Kind`, `OTHER`, or `NONE` for none."""

    set: str
    gold: GoldPage
    blocks: Blocks
    kinds: Ints

    @property
    def is_dev(self) -> bool:
        """Whether rules may be made from its mistakes: half of the sites."""
        return hashlib.sha256(f"half {self.gold.site}".encode()).digest()[0] % 2 == 0


def digest(text: str) -> str:
    """The digest of a block's text, four characters."""
    first = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=3).digest()
    return base64.urlsafe_b64encode(first).decode()


def read_lines(path: Path) -> Iterator[tuple[str, str, list[int], list[str]]]:
    """Set, id, kinds and digests of each page in a file of labels."""
    for line in path.read_text("utf-8").splitlines():
        name, page_id, runs, digests = line.split("\t")
        kinds: list[int] = []
        for run in runs.split("; "):
            places, _, kind = run.partition(" ")
            last = int(places.rpartition("-")[2])
            kinds += [NAMES.index(kind)] * (last + 1 - len(kinds))
        parts = range(0, len(digests), _DIGEST_CHARS)
        yield name, page_id, kinds, [digests[i : i + _DIGEST_CHARS] for i in parts]


def labelled_pages(data: str, path: Path = FIRST) -> Iterator[LabelledPage]:
    """The labelled pages whose sets are in a folder, in the order of the file."""
    lines = list(read_lines(path))
    pages = {
        (name, gold.id): gold
        for name in sorted({line[0] for line in lines})
        for gold in corpus(name, data)
    }
    for name, page_id, kinds, digests in lines:
        blocks = split(pages[name, page_id].page)
        kinds_of_blocks = aligned(kinds, digests, list(map(digest, blocks.texts)))
        yield LabelledPage(name, pages[name, page_id], blocks, kinds_of_blocks)


def aligned(kinds: Sequence[int], digests: Sequence[str], page: Sequence[str]) -> Ints:
    """The kinds of blocks with the digests `page`; `NONE` for those that were not labelled."""
    if list(digests) == list(page):
        return np.array(kinds, np.int64)
    kinds_of_blocks = np.full(len(page), NONE, np.int64)
    matcher = SequenceMatcher(None, digests, page, autojunk=False)
    for match in matcher.get_matching_blocks():
        kinds_of_blocks[match.b : match.b + match.size] = kinds[match.a : match.a + match.size]
    return kinds_of_blocks
