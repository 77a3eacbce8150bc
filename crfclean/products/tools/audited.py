"""Read the blocks in the rows of a run, both kept and left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crfclean.document.block_types import count_words
from crfclean.page.head import host
from crfclean.products.corpus.params import ROW_ENDINGS
from crfclean.products.corpus.rows import parquet_module
from crfclean.products.corpus.unpacked import packed_lines
from crfclean.types import CrfcleanError

AUDITED_ENDINGS = tuple(f".{ending}" for ending in (*ROW_ENDINGS, "parquet", "json"))
"""Endings of the files that an audit reads: tables, and JSON files of one page."""

SAMPLE_ENDING = ".audit.json"
"""Ending of the files that audits write beside outputs, and do not read as outputs."""

GROUPINGS = ("site", "language", "type", "kind")
"""Groupings of blocks: by host, language and type of the page, and by kind of the block."""

FACTS = ("status", "model")
"""Fields of rows that describe the run."""

UNKNOWN, OTHERS = "?", "(others)"
MAX_JUDGED_TEXT = 2_000  # characters of a block that are shown to a judge
MAX_CONTEXT = 160  # characters of the block before and after it
_MAX_NAME = 80  # characters of a group's name
_MAX_FACTS = 60  # values that are counted by themselves: there are fewer statuses
_WRITE_AGAIN = "write the run with crfclean clean --include left-out (JSONL, Parquet or JSON)"
_BROKEN = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class AuditedBlock:
    """A block of a run, with its probability (0..1) and its number of words.

    `groups` are the names of its groups, in the order of `GROUPINGS`. `before` and `after` are the
    nearest text around it.
    """

    page: str
    url: str
    title: str
    index: int
    kept: bool
    probability: float
    words: float
    groups: tuple[str, ...]
    text: str
    before: str = ""
    after: str = ""


def output_files(out: Path) -> list[Path]:
    """Return the files of a run's output, sorted by name; raises `CrfcleanError`."""
    if out.is_dir():
        paths = (path for path in out.rglob("*") if _has(path, AUDITED_ENDINGS) and path.is_file())
        files = sorted(  # without samples, and what the run notes of itself
            path
            for path in paths
            if not (path.name.startswith((".", "_")) or _has(path, (SAMPLE_ENDING,)))
        )
        if not files:
            raise CrfcleanError(f"{out}: no JSONL, Parquet or JSON there: {_WRITE_AGAIN}")
        return files
    if not out.is_file():
        raise CrfcleanError(f"{out}: no such file or directory")
    if not _has(out, AUDITED_ENDINGS):
        raise CrfcleanError(f"{out}: has no blocks: {_WRITE_AGAIN}")
    return [out]


def _has(path: Path, endings: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(endings)


def audited_blocks(
    files: Sequence[Path], facts: Counter[tuple[str, str]] | None = None
) -> Iterator[list[AuditedBlock]]:
    """Yield the blocks with words of each page, in page order.

    `facts` counts the values of `FACTS` in the rows, by name and value.
    Raises `CrfcleanError` for a file that cannot be read, for a line that is no row, and for rows
    without blocks, probabilities or the blocks that were left out.
    """
    counts = Counter[tuple[str, str]]() if facts is None else facts
    for file in files:
        try:
            name = file.as_posix() if _has(file, (".json",)) else ""
            for number, line in enumerate(_lines(file), 1):
                yield _page(line, f"{file}: row {number}", name, counts)
        except OSError as error:
            raise CrfcleanError(f"{file}: cannot be read: {error.strerror or error}") from error


def _lines(file: Path) -> Iterator[bytes]:
    if _has(file, (".parquet",)):
        yield from parquet_module().parquet_lines(file)
    elif _has(file, (".json",)):
        yield file.read_bytes()
    else:
        yield from (line for line in packed_lines(file) if line.strip())


def _page(
    line: bytes, place: str, name: str, facts: Counter[tuple[str, str]]
) -> list[AuditedBlock]:
    """Return the blocks of a row; errors name the `place`, `name` replaces a missing id."""
    try:
        row = json.loads(line)
        if not isinstance(row, dict):
            raise CrfcleanError(f"{place}: no JSON object")
        if "metadata" in row:
            raise CrfcleanError(f"{place}: of an older version, with other columns: {_WRITE_AGAIN}")
        if not isinstance(row.get("blocks"), list):
            raise CrfcleanError(f"{place}: no blocks with probabilities: {_WRITE_AGAIN}")
        if not isinstance(row.get("left_out"), list):
            raise CrfcleanError(
                f"{place}: the blocks that were left out are missing, without "
                f"which there is no recall: {_WRITE_AGAIN}"
            )
        for fact in FACTS:
            key = fact, _name(row.get(fact))
            facts[key if key in facts or len(facts) < _MAX_FACTS else (fact, OTHERS)] += 1
        return _blocks(row if row.get("id") or not name else row | {"id": name})
    except _BROKEN as error:
        raise CrfcleanError(f"{place}: no row of crfclean clean: {error!r}"[:300]) from error


def _blocks(row: Mapping[str, Any]) -> list[AuditedBlock]:
    parts = [(block, True) for block in row["blocks"]]
    parts += [(block, False) for block in row["left_out"]]
    parts.sort(key=lambda part: int(part[0]["index"]))
    texts = [str(block["text"]) for block, _ in parts]
    url, title = str(row.get("url") or ""), str(row.get("title") or "")
    page = str(row.get("id") or url)
    of_page = page_groups(row)
    blocks = []
    for place, (block, kept) in enumerate(parts):
        words, probability = count_words(texts[place]), float(block["probability"])
        if not 0 <= probability <= 1:
            raise ValueError(f"a probability of {probability}")
        if words:
            groups = (*of_page, _name(block.get("kind")))
            before = texts[place - 1][-MAX_CONTEXT:] if place else ""
            after = "".join(texts[place + 1 : place + 2])[:MAX_CONTEXT]
            facts = page, url, title, int(block["index"]), kept, probability, words, groups
            text = texts[place]
            shown = text if len(text) <= MAX_JUDGED_TEXT else text[:MAX_JUDGED_TEXT] + "…"
            blocks.append(AuditedBlock(*facts, shown, before, after))
    return blocks


def page_groups(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the site, language and type of a row's page; `UNKNOWN` for missing values.

    The site of a page without an address is its folder.
    """
    site = host(row.get("url")) or str(row.get("id") or "").rpartition("/")[0]
    return _name(site), _name(row.get("language")), _name(row.get("page_type"))


def _name(value: object) -> str:
    """Return the name of a group, cut to a sane length: pages may say anything."""
    return str(value or UNKNOWN)[:_MAX_NAME]
