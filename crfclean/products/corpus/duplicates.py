"""Find the pages of a corpus whose text an earlier page has, by signatures of their texts.

A signature depends only on the written text, so a resumed run computes the same signatures from the
output of the earlier run.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from operator import eq
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.document.page_text import OK
from crfclean.io import needing_extra
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import DUPLICATE, Operation, Result, write_result
from crfclean.products.corpus.params import ResumeParams
from crfclean.products.corpus.parts import (
    CorpusPart,
    PartReport,
    as_write_error,
    open_spool,
    pairs,
    part_file,
    reported,
    write_part_report,
)
from crfclean.products.corpus.records import Record
from crfclean.products.corpus.texts import text_form
from crfclean.types import CrfcleanError, Ints, check_bounds
from crfclean.types.choices import DUPLICATE_UNITS

_MIN_SORTED = 2**16  # new entries before they are sorted

EXACT_DUPLICATES, NEAR_DUPLICATES = DUPLICATE_UNITS

BANDS = 16
"""Groups of 8 hashes: pages that share a group are compared."""
KEY_BYTES = 8
HASHES = 128
WORDS = 5
"""Words of a shingle, as in the usual pipelines for training data."""
_STEP = 10_000  # shingles that are in memory at once
_TAG = re.compile(r"<[^<>]*>")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ENDS_OF_HEADS: Mapping[str, str] = {
    "html": "</head>",
    "tei": "</teiHeader>",
    "vert": "",
    "vertical": "",
}
"""Format with markup -> what ends the metadata before the text, "" if no element does."""
_JSON = frozenset(["json", "jsonl"])


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
    """Makes the signatures of texts, by which duplicates are left out of a run.

    `EXACT_DUPLICATES`: pages with the same words; `NEAR_DUPLICATES`: also pages with nearly the
    same words. At most `limit` pages are remembered. Pages with their own files are written in a
    `format`. Raises `CrfcleanError` for another unit or limit, and where `NEAR_DUPLICATES` lacks
    its extra.
    """

    unit: str
    limit: int = 1_000_000
    format: str = "txt"

    def __post_init__(self) -> None:
        if self.unit not in DUPLICATE_UNITS:
            units = ", ".join(DUPLICATE_UNITS)
            raise CrfcleanError(f"no duplicates {self.unit!r}; there are {units}")
        check_bounds(self, {"limit": (1, 2**31)})
        if self.unit == NEAR_DUPLICATES:
            _rensa()

    @property
    def options(self) -> dict[str, Any]:
        """The options that rows depend on."""
        return {"deduplicate": self.unit, "deduplicate_limit": self.limit}

    def of_text(self, text: str) -> bytes:
        """Return the signature of a page's own file; empty for a text without words."""
        return signature(written_text(text, self.format), self.unit)

    def of_row(self, line: bytes) -> bytes:
        """Return the signature of a row of a corpus; empty for a text without words."""
        return signature(json.loads(line).get("text") or "", self.unit)


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

    `EXACT_DUPLICATES`: the key of its words. `NEAR_DUPLICATES`: the same, then a key for each of
    `BANDS` and the lowest byte of each MinHash.
    """
    words = lower_words(text)
    if not words:
        return b""
    joined = "\n".join(words).encode("utf-8", "replace")
    key = blake2b(joined, digest_size=KEY_BYTES).digest()
    return key + (bands(words) if unit == NEAR_DUPLICATES else b"")


def lower_words(text: str) -> list[str]:
    """Return the words in lower case; in scripts without spaces each character is a word."""
    from crfclean.page.align import tokens

    return tokens(text)


class HashTable:
    """Maps keys below 2**64 to numbers below 2**32; the first number of a key counts.

    New entries are in a dictionary; older entries are in sorted arrays, 12 bytes each. At most an
    eighth of the entries is new, so each entry is sorted about nine times, whatever their number.

    >>> table = HashTable()
    >>> table.add(7, 3), table.add(7, 4), table.get(7), table.get(8), len(table)
    (True, False, 3, None, 1)
    """

    def __init__(self) -> None:
        self._new: dict[int, int] = {}
        self._keys, self._numbers = np.zeros(0, np.uint64), np.zeros(0, np.uint32)

    def __len__(self) -> int:
        return len(self._new) + len(self._keys)

    def get(self, key: int) -> int | None:
        """Return the number of a key; None for an unknown key."""
        place = int(self._keys.searchsorted(np.uint64(key)))
        if place < len(self._keys) and int(self._keys[place]) == key:
            return int(self._numbers[place])
        return self._new.get(key)

    def add(self, key: int, number: int) -> bool:
        """Add a key unless it is known; return whether it was added."""
        if self.get(key) is not None:
            return False
        self._new[key] = number
        if len(self._new) >= max(_MIN_SORTED, len(self._keys) // 8):
            keys = np.concatenate([self._keys, np.fromiter(self._new, np.uint64)])
            numbers = np.concatenate([self._numbers, np.fromiter(self._new.values(), np.uint32)])
            order = keys.argsort()
            self._keys, self._numbers, self._new = keys[order], numbers[order], {}
        return True


# duplicates
#
# The parent compares results in the order of the input, so the number of workers does not change
# which pages are left out. Only written pages are remembered: a page is always left out for a page
# that the corpus has. The work for a page is bounded, however many pages are alike.

SIMILARITY = 0.8
"""Estimated share of common shingles (Jaccard) from which pages are near duplicates."""

_BYTES = 256
"""Values of a byte: the lowest bytes of different hashes are equal once in 256 times."""


class PageIndex:
    """The written pages by the signatures of their texts."""

    def __init__(self) -> None:
        self._table = HashTable()
        self._sketches = bytearray()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def original(self, signature: bytes) -> tuple[int, float] | None:
        """Return the page with the same text, or the most similar page, and the similarity.

        Pages are numbered in the order of `add`. Of equally similar pages the earliest is returned.
        """
        exact, *bands = _keys(signature)
        if (number := self._table.get(exact)) is not None:
            return number, 1.0
        numbers = {number for key in bands if (number := self._table.get(key)) is not None}
        sketch = signature[(1 + BANDS) * KEY_BYTES :]
        similar = [(self._similarity(number, sketch), -number) for number in numbers]
        share, number = max(similar, default=(0.0, 0))
        return (-number, share) if share >= SIMILARITY else None

    def add(self, signature: bytes) -> None:
        """Remember a page that is written."""
        for key in _keys(signature):
            self._table.add(key, self._count)
        self._sketches += signature[(1 + BANDS) * KEY_BYTES :]
        self._count += 1

    def _similarity(self, number: int, sketch: bytes) -> float:
        """Estimate the Jaccard index of a page and a sketch, without equal bytes by chance."""
        size = len(sketch)
        other = self._sketches[number * size : (number + 1) * size]
        share: float = sum(map(eq, other, sketch)) / size
        return (share * _BYTES - 1) / (_BYTES - 1)


def _keys(signature: bytes) -> array[int]:
    """Return the keys at the beginning of a signature: of its words, and of its bands if any."""
    keys = array("Q")
    keys.frombytes(signature[: (1 + BANDS) * KEY_BYTES])
    return keys


class Duplicates:
    """Remembers the texts of a run, and leaves duplicates out of its results."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer
        self._pages = PageIndex()
        self._jobs: list[str] = []
        self._ids: list[str] = []

    def settled(self, result: Result) -> Result:
        """Return the result of a text without duplicates; write it unless it is one."""
        judged, _ = self._judged(result)
        return write_result(judged) if judged.status == OK else judged

    def compared(
        self, part: CorpusPart, results: Sequence[Result], report: PartReport, operation: Operation
    ) -> tuple[list[Result], PartReport]:
        """Return the results and the report of a part without duplicates; write it again so.

        The rows are those of its spool. Raises `WriteError`, and `OSError` for reading them.
        """
        judged = [self._judged(result) for result in results]
        is_text = bool(text_form(part.ending))
        made = [
            replace(result, rows=0) if is_text and original else result
            for result, original in judged
        ]
        if any(original for _, original in judged):
            with (
                open_spool(part) as spool,
                part_file(part.path, part.ending, columns=operation.columns) as file,
            ):
                for (result, original), (_, row) in zip(judged, pairs(spool), strict=True):
                    line = row if result.rows else b""
                    if original:
                        line = b"" if is_text else _row(line, result, original, operation)
                    file.add(line)
        report = replace(reported(part, made), start=report.start, end=report.end, is_compared=True)
        write_part_report(part, report)
        with as_write_error(part.spool):
            part.spool.unlink()
        return made, report

    def remember_text(self, job: Job) -> None:
        """Remember the text that an earlier run has written."""
        if job.target is not None:
            text = Path(job.target).read_text("utf-8", errors="replace")
            self._remember(job.name, "", self._signer.of_text(text))

    def remember_part(self, job: Job, report: PartReport) -> None:
        """Remember the rows that an earlier run has written."""
        for name, signature in report.signatures:
            self._remember(job.name, name, bytes.fromhex(signature))

    def _judged(self, result: Result) -> tuple[Result, str]:
        """Return a result, and the name of the page that has its text already, "" for none."""
        if not result.signature:
            return result, ""
        original = self._pages.original(result.signature)
        if original is None:
            remembered = self._remember(result.job.name, result.record, result.signature)
            return replace(result, remembered=remembered), ""
        number, similarity = original
        name = self._name(number, result.job)
        share = f" ({similarity:.2f})" if similarity < 1 else ""
        message = f"{'nearly the same' if share else 'the same'} text{share} as {name}"
        judged = replace(result, status=DUPLICATE, message=message, text=None, signature=b"")
        return judged, name

    def _remember(self, job: str, record: str, signature: bytes) -> bool:
        if not signature:
            return True
        if len(self._pages) >= self._signer.limit:
            return False
        self._jobs.append(job)
        self._ids.append(record)
        self._pages.add(signature)
        return True

    def _name(self, number: int, job: Job) -> str:
        """Return the name of a page in a job's rows: its id, after the file if it is another."""
        name, record = self._jobs[number], self._ids[number]
        if not record:
            return name
        return record if name == job.name else f"{name}: {record}"


def open_duplicates(operation: Operation, params: ResumeParams) -> Duplicates | None:
    """Return what leaves out duplicates, None if all are kept; raises `CrfcleanError`."""
    signer = operation.signer
    if not isinstance(signer, Signer):
        return None
    if params.is_shared:
        raise CrfcleanError("--deduplicate compares all pages: leave out --part")
    if params.retry_failed:
        raise CrfcleanError(
            "--retry-failed keeps all rows, also those that a page tried again would make "
            "duplicates: --deduplicate goes with --resume alone"
        )
    return Duplicates(signer)


def _row(line: bytes, result: Result, original: str, operation: Operation) -> bytes:
    """Return the row of a duplicate, which names the page that is in the corpus."""
    row = json.loads(line)
    url, crawled, file = row["url"], row["crawled"] or "", row["input"] or ""
    record = Record(result.record, url=url, crawled=crawled, file=file, extra=row)
    lost = json.loads(operation.lost_row(record, DUPLICATE, result.message))
    made = lost | {"truncated": row["truncated"], "duplicate_of": original}
    return (json.dumps(made, ensure_ascii=False) + "\n").encode("utf-8", "replace")
