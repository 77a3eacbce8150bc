"""Compute the signatures that tell texts apart: digests of pages and of their lines.

A signature depends only on the written text, so a resumed run computes the same signatures from the
output of the earlier run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from typing import Any

import numpy as np

from crfclean.io import needing_extra
from crfclean.types import CrfcleanError, Ints, check_bounds
from crfclean.types.choices import DUPLICATE_UNITS

EXACT, NEAR, PARAGRAPHS = DUPLICATE_UNITS

BANDS = 16
"""Groups of 8 hashes: pages that share a group are compared."""
KEY_BYTES = 8
HASHES = 128
WORDS = 5
"""Words of a shingle, as in the usual pipelines for training data."""
_STEP = 10_000  # shingles that are in memory at once
MIN_LINE_WORDS = 5
"""Shorter paragraphs are never duplicates: "Yes." and "See also" stand on many pages by chance."""

_TAG = re.compile(r"<[^<>]*>")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ENDS_OF_HEADS: Mapping[str, str] = {"html": "</head>", "tei": "</teiHeader>", "vert": ""}
"""Format with markup -> what ends the metadata before the text, "" if no element does."""
_JSON = frozenset(["json", "jsonl"])
PARAGRAPH: Mapping[str, re.Pattern[str]] = {
    "txt": re.compile(r"([^\n]+)\n"),
    "vert": re.compile(r"<p[^<>\n]*>\n([^\n]*)\n</p>\n"),
}
"""Format from which paragraphs can be cut -> a paragraph, with its text."""


@dataclass(frozen=True, slots=True)
class DuplicateParams:
    """The parameters of duplicates that are left out of a corpus; a `unit` of "" keeps all.

    `EXACT`: pages with the same words; `NEAR`: also pages with nearly the same words; `PARAGRAPHS`:
    paragraphs of earlier pages. At most `limit` pages (or paragraphs) are remembered. Raises
    `CrfcleanError` for another unit or limit, and where `NEAR` lacks its extra.
    """

    unit: str = ""
    limit: int = 1_000_000

    def __post_init__(self) -> None:
        if self.unit and self.unit not in DUPLICATE_UNITS:
            units = ", ".join(DUPLICATE_UNITS)
            raise CrfcleanError(f"no duplicates {self.unit!r}; there are {units}")
        check_bounds(self, {"limit": (1, 2**31)})
        if self.unit == NEAR:
            _rensa()

    @property
    def options(self) -> dict[str, Any]:
        """The parameters as JSON values; empty if all pages are written."""
        if not self.unit:
            return {}
        return {"deduplicate": self.unit, "deduplicate_limit": self.limit}


def _rensa() -> Any:
    with needing_extra("deduplicate", "near duplicates need their extra"):
        import rensa
    return rensa


def minhash(words: Sequence[str]) -> Ints:
    """Return the MinHash of the shingles of a text, shape (`HASHES`,), as 32-bit numbers.

    The share of equal numbers of two texts estimates the Jaccard index of their shingles. A text
    with fewer than `WORDS` words is one shingle.
    """
    sketch = _rensa().RMinHash(num_perm=HASHES, seed=1)
    last = max(len(words) - WORDS, 0)
    for begin in range(0, last + 1, _STEP):
        end = min(begin + _STEP, last + 1)
        sketch.update([" ".join(words[place : place + WORDS]) for place in range(begin, end)])
    return np.array(sketch.digest(), np.uint32)


def bands(words: Sequence[str]) -> bytes:
    """Return the keys of the bands of a text, and the lowest byte of each hash."""
    hashes = minhash(words)
    keys = (
        blake2b(band.tobytes(), digest_size=KEY_BYTES, salt=bytes([number])).digest()
        for number, band in enumerate(hashes.astype("<u4").reshape(BANDS, -1))
    )
    return b"".join(keys) + hashes.astype(np.uint8).tobytes()


@dataclass(frozen=True, slots=True)
class Signer:
    """Makes the signatures of pages whose texts are written in a format."""

    params: DuplicateParams
    format: str = "txt"

    def of_text(self, text: str) -> bytes:
        """Return the signature of a page's own file; empty for a text without words."""
        if self.params.unit == PARAGRAPHS:
            from html import unescape  # a table of all entities, which few runs need

            texts = PARAGRAPH[self.format].findall(text)
            return signature("\n".join(map(unescape, texts)), PARAGRAPHS)
        return signature(written_text(text, self.format), self.params.unit)

    def of_row(self, line: bytes, ending: str = "jsonl") -> bytes:
        """Return the signature of a row of a shard; empty for a text without words."""
        folded = (" ".join(text.split()) for text in paragraphs(json.loads(line), ending))
        return signature("\n".join(folded), self.params.unit)


def paragraphs(row: Mapping[str, Any], ending: str) -> list[str]:
    r"""Return the paragraphs of a row: its blocks, or the lines of its text if it has no blocks.

    Rows of CSV files lose their blocks, so their lines count: a resumed run finds the same
    paragraphs as the first run.

    >>> row = {"text": "def f():\n    pass", "blocks": [{"text": "def f():\n    pass"}]}
    >>> len(paragraphs(row, "jsonl")), len(paragraphs(row, "csv"))
    (1, 2)
    """
    if row.get("blocks") and ending != "csv":
        return [block["text"] for block in row["blocks"]]
    text = row.get("text") or ""
    return text.split("\n") if text else []


def without_paragraphs(text: str, left_out: Container[int], form: str) -> str:
    r"""Return the text of a page's own file without the paragraphs with these numbers, from 0.

    >>> without_paragraphs("Rain\nWind\n\nSnow\n", {1}, "txt")
    'Rain\n\nSnow\n'
    """
    numbers = count()
    return PARAGRAPH[form].sub(lambda found: "" if next(numbers) in left_out else found[0], text)


def written_text(text: str, form: str) -> str:
    """Return the text of a file in a format, without metadata and markup, in linear time.

    >>> written_text('<head><title>A</title></head><p class="b">Ice &amp; snow</p>', "html").split()
    ['Ice', '&amp;', 'snow']
    """
    if form in _JSON:
        return str(json.loads(text)["text"]) if text else ""
    if form == "passages":
        return "\n".join(json.loads(line)["text"] for line in text.split("\n") if line)
    if form in _ENDS_OF_HEADS:
        end = _ENDS_OF_HEADS[form]
        return _TAG.sub(" ", text.split(end, 1)[-1] if end else text)
    return _FRONT_MATTER.sub("", text) if form == "md" else text


def signature(text: str, unit: str) -> bytes:
    """Return the signature of a text, which is compared with earlier signatures.

    `EXACT`: the key of its words. `NEAR`: the same, then a key for each of `BANDS` and the lowest
    byte of each MinHash. `PARAGRAPHS`: a key for each line, zeros for short lines.
    """
    if unit == PARAGRAPHS:
        lines = text.split("\n") if text else []
        keys = {line: _line_key(line) for line in dict.fromkeys(lines)}
        return b"".join(keys[line] for line in lines)
    words = words_of(text)
    if not words:
        return b""
    return _key(words) + (bands(words) if unit == NEAR else b"")


def _line_key(line: str) -> bytes:
    words = words_of(line)
    return _key(words) if len(words) >= MIN_LINE_WORDS else bytes(KEY_BYTES)


def words_of(text: str) -> list[str]:
    """Return the words in lower case; in scripts without spaces each character is a word."""
    from crfclean.page.align import tokens

    return tokens(text)


def _key(words: Sequence[str]) -> bytes:
    return blake2b("\n".join(words).encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()
