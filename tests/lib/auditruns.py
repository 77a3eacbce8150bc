"""Rows of runs that can be audited, and blocks of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crfclean.products.tools.audited import AuditedBlock


def row(number: int = 0, **changes: Any) -> dict[str, Any]:
    """The row of a page with two blocks of its text, and two that were left out."""
    return {
        "id": f"p{number}",
        "url": f"https://site{number % 3}.example/p{number}",
        "title": f"Page {number}",
        "blocks": [
            {
                "index": 1,
                "probability": 0.99,
                "kind": "paragraph",
                "text": "The ferry sails again.",
            },
            {"index": 2, "probability": 0.6, "kind": "list", "text": "from Monday on"},
        ],
        "left_out": [
            {"index": 0, "probability": 0.001, "kind": "navigation", "text": "Home News Sport"},
            {"index": 3, "probability": 0.3, "kind": "teaser", "text": "Read more here"},
        ],
        "language": "en" if number % 2 else "cs",
        "page_type": "article",
        **changes,
    }


def write_run(path: Path, rows: Sequence[dict[str, Any]] | None = None) -> Path:
    """Write a run as JSON lines."""
    lines = [json.dumps(fields) + "\n" for fields in rows or [row(number) for number in range(9)]]
    path.write_text("".join(lines), "utf-8")
    return path


def block(number: int, *, kept: bool, probability: float, words: float = 5.0) -> AuditedBlock:
    """A block of a page of its own."""
    groups = (f"site{number % 3}.example", "en", "article", "paragraph")
    return AuditedBlock(f"p{number}", "", "", 0, kept, probability, words, groups, f"Text {number}")
