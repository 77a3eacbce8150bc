"""Read the blocks of a run's rows, kept and left out, with what an audit must know of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crfclean.corpus.endings import ROW_ENDINGS, parquet_module
from crfclean.corpus.streams import packed_lines
from crfclean.page.urls import host
from crfclean.types import CrfcleanError

ENDINGS = (*ROW_ENDINGS, "parquet", "json")
"""Endings of the files that an audit reads: shards, and files of one page."""

SAMPLE_ENDING = ".audit.json"
"""Ending of the files that audits write beside outputs, which are none themselves."""

GROUPINGS = ("site", "language", "type", "kind")
"""What blocks are grouped by: host, language and type of their page, and their own kind."""

UNKNOWN = "?"
MAX_TEXT = 2_000  # characters of a block that are shown to a judge
MAX_CONTEXT = 160  # characters of the block before and after it
_MAX_NAME = 80  # characters of a group's name
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[^\W{_IDEOGRAPHS}]+")
_IDEOGRAPH = re.compile(rf"[{_IDEOGRAPHS}]")
_WRITE_AGAIN = "write the run with crfclean clean --include left-out (JSONL, Parquet or JSON)"
_BROKEN = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class AuditedBlock:
    """A block of a run: whether the run kept it, with which probability (0..1), and its words.

    `groups` are the names of its groups, in the order of `GROUPINGS`.
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


def count_words(text: str) -> float:
    r"""The words of a text: tokens, and half a word for each ideograph.

    >>> count_words("The ferry, at 7:30"), count_words("渡轮开船"), count_words("- * -")
    (5.0, 2.0, 0.0)
    """
    return len(_TOKEN.findall(text)) + len(_IDEOGRAPH.findall(text)) / 2


def output_files(out: Path) -> list[Path]:
    """The files of a run's output, a file or a folder, sorted by name; raises `CrfcleanError`."""
    if out.is_dir():
        names = tuple(f".{ending}" for ending in ENDINGS)
        paths = (path for path in out.rglob("*") if _has(path, names) and path.is_file())
        files = sorted(path for path in paths if not _is_beside(path))
        if not files:
            raise CrfcleanError(f"{out}: no JSONL, Parquet or JSON there: {_WRITE_AGAIN}")
        return files
    if not out.is_file():
        raise CrfcleanError(f"{out}: no such file or directory")
    if not _has(out, tuple(f".{ending}" for ending in ENDINGS)):
        raise CrfcleanError(f"{out}: has no blocks: {_WRITE_AGAIN}")
    return [out]


def _is_beside(path: Path) -> bool:
    """Whether a file is no output: a sample, or the record of the run in its folder."""
    return path.name.startswith(".") or _has(path, (SAMPLE_ENDING,))


def _has(path: Path, endings: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(endings)


def read_pages(files: Sequence[Path]) -> Iterator[list[AuditedBlock]]:
    """The blocks of each page of a run's files that have words, in page order.

    Raises `CrfcleanError` for a file that cannot be read, for what is no row, and for rows without
    blocks, probabilities or the blocks that were left out.
    """
    for file in files:
        try:
            name = file.as_posix() if _has(file, (".json",)) else ""
            for number, line in enumerate(_lines(file), 1):
                yield _page(line, f"{file}: row {number}", name)
        except OSError as error:
            raise CrfcleanError(f"{file}: cannot be read: {error.strerror or error}") from error


def _lines(file: Path) -> Iterator[bytes]:
    """The rows of a file, each as JSON."""
    if _has(file, (".parquet",)):
        yield from parquet_module().parquet_lines(file)
    elif _has(file, (".json",)):
        yield file.read_bytes()
    else:
        yield from (line for line in packed_lines(file) if line.strip())


def _page(line: bytes, place: str, name: str) -> list[AuditedBlock]:
    """The blocks of a row; `place` is named in errors, `name` is the id of a row without one."""
    try:
        row = json.loads(line)
        if not isinstance(row, dict):
            raise CrfcleanError(f"{place}: no JSON object")
        if not isinstance(row.get("blocks"), list):
            raise CrfcleanError(f"{place}: no blocks with probabilities: {_WRITE_AGAIN}")
        if not isinstance(row.get("left_out"), list):
            raise CrfcleanError(
                f"{place}: the blocks that were left out are missing, without "
                f"which there is no recall: {_WRITE_AGAIN}"
            )
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
            blocks.append(AuditedBlock(*facts, _cut(texts[place]), before, after))
    return blocks


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def page_groups(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """The site, language and type of a row's page; `UNKNOWN` for what it does not say.

    A page without an address is of the site of its folder.
    """
    metadata = row.get("metadata") or {}
    language = (metadata.get("language") or {}).get("text")
    page_type = (metadata.get("page_type") or {}).get("name")
    site = host(row.get("url")) or str(row.get("id") or "").rpartition("/")[0]
    return _name(site), _name(language), _name(page_type)


def _name(value: object) -> str:
    """The name of a group; pages may say anything."""
    return str(value or UNKNOWN)[:_MAX_NAME]
