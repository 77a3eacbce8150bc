"""Find the duplicates of a corpus: pages, or paragraphs, that an earlier page has."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import eq
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import DUPLICATE, OK, Operation, PageInput, Result, write_text
from crfclean.corpus.outputs import ResumeParams
from crfclean.corpus.parts import Part, Report, RowFile, reported, write_report
from crfclean.corpus.records import Record
from crfclean.corpus.rows import read_rows
from crfclean.corpus.signatures import (
    BANDS,
    KEY_BYTES,
    MIN_LINE_WORDS,
    PARAGRAPH,
    PARAGRAPHS,
    Signer,
    paragraphs,
    without_paragraphs,
    words_of,
    written_text,
)
from crfclean.types import CrfcleanError

_NO_RECORD = Record("")  # the rows of a part have no page any more
_MIN_SORTED = 2**16  # new entries before they are sorted


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
        exact, *bands = _keys(signature, 1 + BANDS)
        if (number := self._table.get(exact)) is not None:
            return number, 1.0
        numbers = {number for key in bands if (number := self._table.get(key)) is not None}
        sketch = signature[(1 + BANDS) * KEY_BYTES :]
        similar = [(self._similarity(number, sketch), -number) for number in numbers]
        share, number = max(similar, default=(0.0, 0))
        return (-number, share) if share >= SIMILARITY else None

    def add(self, signature: bytes) -> None:
        """Remember a page that is written."""
        for key in _keys(signature, 1 + BANDS):
            self._table.add(key, self._count)
        self._sketches += signature[(1 + BANDS) * KEY_BYTES :]
        self._count += 1

    def _similarity(self, number: int, sketch: bytes) -> float:
        """Estimate the Jaccard index of a page and a sketch, without equal bytes by chance."""
        size = len(sketch)
        other = self._sketches[number * size : (number + 1) * size]
        share: float = sum(map(eq, other, sketch)) / size
        return (share * _BYTES - 1) / (_BYTES - 1)


def _keys(signature: bytes, most: int | None = None) -> array[int]:
    """Return the keys at the beginning of a signature: at most `1 + BANDS`, or one per line."""
    keys = array("Q")
    keys.frombytes(signature[: most and most * KEY_BYTES])
    return keys


class Duplicates:
    """Remembers the texts of a run, and leaves duplicates out of its results."""

    def __init__(self, signer: Signer) -> None:
        self._signer, self._limit = signer, signer.params.limit
        self._by_line = signer.params.unit == PARAGRAPHS
        self._pages, self._lines = PageIndex(), HashTable()
        self._jobs: list[str] = []
        self._ids: list[str] = []

    def settled(self, page_input: PageInput, result: Result, operation: Operation) -> Result:
        """Return the result of a text without duplicates; write it unless it is one."""
        result = self._judged(page_input, result, operation)
        return write_text(result) if page_input.record is None and result.status == OK else result

    def compared(
        self, part: Part, results: Sequence[Result], report: Report, operation: Operation
    ) -> tuple[list[Result], Report]:
        """Return the results and the report of a part without duplicates; write it again so.

        Raises `CrfcleanError` if it cannot be read or written.
        """
        made, old, new = list[Result](), list[bytes](), dict[int, bytes]()
        signatures = list(report.signatures) or [["", ""]] * report.rows
        number = 0
        for result in results:
            if result.rows and signatures[number][1]:
                old = old or list(read_rows(part.path, part.ending))
                judged = replace(
                    result, line=old[number], signature=bytes.fromhex(signatures[number][1])
                )
                judged = self._judged(PageInput(result.job, _NO_RECORD), judged, operation)
                if judged.line != old[number]:
                    new[number] = judged.line
                if judged.status == DUPLICATE:
                    signatures[number] = ["", ""]
                made.append(replace(judged, line=b""))
            else:
                made.append(result)
            number += result.rows
        if new:
            with RowFile(part.path, part.ending) as file:
                for number, line in enumerate(old):
                    file.add(new.get(number, line))
        report = replace(
            reported(part, made, signatures), start=report.start, end=report.end, is_compared=True
        )
        write_report(part, report)
        return made, report

    def remember_text(self, job: Job) -> None:
        """Remember the text that an earlier run has written."""
        if job.target is not None:
            text = Path(job.target).read_text("utf-8", errors="replace")
            self._remember(job.name, "", self._signer.of_text(text))

    def remember_part(self, job: Job, report: Report) -> None:
        """Remember the rows that an earlier run has written."""
        for name, signature in report.signatures:
            self._remember(job.name, name, bytes.fromhex(signature))

    def _judged(self, page_input: PageInput, result: Result, operation: Operation) -> Result:
        if not result.signature:
            return result
        judge = self._without_lines if self._by_line else self._unless_seen
        return judge(page_input, replace(result, signature=b""), result.signature, operation)

    def _unless_seen(
        self, page_input: PageInput, result: Result, signature: bytes, operation: Operation
    ) -> Result:
        original = self._pages.original(signature)
        if original is None:
            remembered = self._remember(result.job.name, result.record, signature)
            return replace(result, remembered=remembered)
        number, similarity = original
        name = self._name(number, result.job)
        share = f" ({similarity:.2f})" if similarity < 1 else ""
        kind = "nearly the same" if share else "the same"
        message = f"{kind} text{share} as {name}"
        return _duplicate(page_input, result, message, name, operation)

    def _without_lines(
        self, page_input: PageInput, result: Result, signature: bytes, operation: Operation
    ) -> Result:
        """Return the result without the paragraphs that earlier pages have."""
        numbers = [self._lines.get(key) if key else None for key in _keys(signature)]
        left_out = {
            line: self._name(number, result.job)
            for line, number in enumerate(numbers)
            if number is not None
        }
        shorter, rest = result, ""
        if left_out and page_input.record is None:
            text = without_paragraphs(result.text or "", left_out, self._signer.format)
            shorter, rest = replace(result, text=text), written_text(text, self._signer.format)
        elif left_out:
            line = without_lines(result.line, left_out, result.job.shard)
            shorter, rest = replace(result, line=line), json.loads(line)["text"]
        if left_out and len(words_of(rest)) < MIN_LINE_WORDS:
            message = "earlier pages have all of its paragraphs"
            return _duplicate(page_input, result, message, min(left_out.items())[1], operation)
        remembered = self._remember(result.job.name, result.record, signature)
        return replace(shorter, cut=len(left_out), remembered=remembered)

    def _remember(self, job: str, record: str, signature: bytes) -> bool:
        if not signature:
            return True
        if len(self._lines if self._by_line else self._pages) >= self._limit:
            return False
        number = len(self._ids)
        self._jobs.append(job)
        self._ids.append(record)
        if not self._by_line:
            self._pages.add(signature)
            return True
        for key in _keys(signature):
            if key and len(self._lines) < self._limit:
                self._lines.add(key, number)
        return True

    def _name(self, number: int, job: Job) -> str:
        """Return the name of a page in a job's rows: its id, after the file if it is another."""
        name, record = self._jobs[number], self._ids[number]
        if not record:
            return name
        return record if name == job.name else f"{name}: {record}"


def open_duplicates(
    operation: Operation, jobs: Iterable[Job], params: ResumeParams
) -> Duplicates | None:
    """Return what leaves out duplicates, None if all are kept; raises `CrfcleanError`."""
    signer = operation.signer
    if signer is None:
        return None
    if params.is_shared:
        raise CrfcleanError("--deduplicate compares all pages: leave out --part")
    if params.retry_failed:
        raise CrfcleanError(
            "--retry-failed keeps all rows, also those that a page tried again would make "
            "duplicates: --deduplicate goes with --resume alone"
        )
    texts = any(not (job.shard or job.refused) for job in jobs)
    if signer.params.unit == PARAGRAPHS and texts and signer.format not in PARAGRAPH:
        raise CrfcleanError(
            f"--deduplicate paragraphs cannot cut {signer.format}: write txt, vert, jsonl, csv or "
            "parquet"
        )
    return Duplicates(signer)


def without_lines(row: bytes, left_out: Mapping[int, str], ending: str = "jsonl") -> bytes:
    """Return a row of a shard without some of its `paragraphs`; the row says where they stood.

    `left_out` maps the number of a paragraph, from 0, to the page that has the same paragraph.
    """
    fields = json.loads(row)
    texts = paragraphs(fields, ending)
    kept = [number for number in range(len(texts)) if number not in left_out]
    fields["text"] = "\n".join(texts[number] for number in kept)
    if fields.get("blocks"):
        fields["blocks"] = None if ending == "csv" else _moved(fields["blocks"], kept)
    fields["duplicate_paragraphs"] = [
        {"line": number, "page": page} for number, page in left_out.items()
    ]
    return _line(fields)


def _moved(blocks: Sequence[Mapping[str, Any]], kept: Sequence[int]) -> list[dict[str, Any]]:
    """Return the kept blocks with their spans in a text that has no other blocks."""
    sizes = [len(blocks[number]["text"]) for number in kept]
    ends = accumulate(size + 1 for size in sizes)
    return [
        {**blocks[number], "span": [end - size - 1, end - 1]}
        for number, size, end in zip(kept, sizes, ends, strict=True)
    ]


def _duplicate(
    page_input: PageInput, result: Result, message: str, original: str, operation: Operation
) -> Result:
    """Return the result of a duplicate: its row names the page that is in the corpus."""
    line = b""
    if page_input.record is not None:
        row = json.loads(result.line)
        record = Record(result.record, url=row["url"], date=row["date"])
        lost = json.loads(operation.lost_row(record, DUPLICATE, message))
        line = _line(lost | {"truncated": row["truncated"], "duplicate_of": original})
    return replace(result, status=DUPLICATE, message=message, text=None, line=line, page=None)


def _line(fields: dict[str, Any]) -> bytes:
    return (json.dumps(fields, ensure_ascii=False) + "\n").encode("utf-8", "replace")
