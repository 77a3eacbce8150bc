"""Turn packed JSON lines into a CSV file and back: a row a page, for spreadsheets."""

from __future__ import annotations

import csv
import errno
import gzip
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crfclean.writers.spreadsheet import cell, text_of

COLUMNS = (
    "id url title authors published language site type score text date status message truncated "
    "source model duplicate_of duplicate_paragraphs".split()
)
"""The columns; `date` is the day of the crawl, `duplicate_paragraphs` the number of them."""

SEPARATOR = "|"
"""What parts several authors."""

_OWN = (
    *("id", "url", "text", "date", "status", "message", "truncated", "source", "model"),
    "duplicate_of",
)
"""Columns that a row has by the same name."""
_VALUES = ("title", "published", "language", "site")
"""Columns that are values of the metadata."""


def write_csv(lines: Path, target: Path) -> None:
    """Turn gzipped JSON lines into CSV, a row at a time; raises `OSError`."""
    with gzip.open(lines) as rows, target.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for line in rows:
            writer.writerow(_cells(json.loads(line)))
        stream.flush()
        os.fsync(stream.fileno())  # before the part is removed that it was made of


def csv_lines(path: Path) -> Iterator[bytes]:
    """The rows of a CSV file as lines of JSON, from which it can be made again.

    Raises `OSError` for what is no such file.
    """
    csv.field_size_limit(sys.maxsize)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream, restkey="", restval="", strict=True)
            if tuple(reader.fieldnames or ()) != tuple(COLUMNS):
                raise OSError(errno.EINVAL, "damaged CSV data: other columns")
            for row in reader:
                if "" in row:
                    raise OSError(errno.EINVAL, "damaged CSV data: more cells than columns")
                yield json.dumps(_row(row), ensure_ascii=False).encode() + b"\n"
    except (csv.Error, UnicodeDecodeError, ValueError, TypeError) as error:
        raise OSError(errno.EINVAL, f"damaged CSV data: {error}") from error


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    """The cells of a row."""
    metadata = row.get("metadata") or {}
    texts = {name: str(row.get(name) or "") for name in _OWN}
    texts |= {name: (metadata.get(name) or {}).get("text") or "" for name in _VALUES}
    texts["title"] = texts["title"] or row.get("title") or ""
    texts["authors"] = SEPARATOR.join(each["text"] for each in metadata.get("authors") or ())
    texts["type"] = (metadata.get("page_type") or {}).get("name") or ""
    cells = {name: cell(text) for name, text in texts.items()}
    repeated = len(row.get("duplicate_paragraphs") or ())
    return cells | {
        "score": f"{row.get('score') or 0.0:.4f}",
        "duplicate_paragraphs": str(repeated),
    }


def _row(cells: Mapping[str, str]) -> dict[str, Any]:
    """A row of which the same cells are made."""
    texts = {name: text_of(value) for name, value in cells.items()}
    authors = texts["authors"].split(SEPARATOR) if texts["authors"] else []
    metadata: dict[str, Any] = {name: {"text": texts[name]} for name in _VALUES if texts[name]}
    metadata |= {"authors": [{"text": author} for author in authors]}
    metadata |= {"page_type": {"name": texts["type"]}}
    repeated: list[dict[str, Any]] = [{}] * int(texts["duplicate_paragraphs"])
    own = {name: texts[name] for name in _OWN}
    score = float(texts["score"])
    return own | {"score": score, "metadata": metadata, "duplicate_paragraphs": repeated}
