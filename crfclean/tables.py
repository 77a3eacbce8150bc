"""Page scores -> text, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from crfclean.blockscores import label_scores
from crfclean.compare import Row, f1_interval, table, total_confusion
from crfclean.evaluate import PageScore
from crfclean.types import Label


def to_text(pages: Sequence[PageScore]) -> str:
    """The table of the paper (L, P, R, F by source and All), the labels' scores, the interval."""
    parts = [paper_table(table(pages)), _interval_line(pages)]
    if any(page.blocks is not None for page in pages):
        parts.append(_label_table(pages))
    return "\n".join(parts)


def paper_table(rows: Sequence[Row]) -> str:
    """Rows as the columns of the paper's table 1: L, P, R, F by source and All."""
    lines = {
        "pages": [str(row.pages) for row in rows],
        "L": [f"{row.distance:.1f}" for row in rows],
        "L norm.": [f"{row.distance_share:.3f}" for row in rows],
        "P": [f"{row.precision:.3f}" for row in rows],
        "R": [f"{row.recall:.3f}" for row in rows],
        "F": [f"{row.f1:.3f}" for row in rows],
    }
    return _aligned([["", *(row.source for row in rows)], *([k, *v] for k, v in lines.items())])


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]) + "\n")
    return "".join(lines)


def _interval_line(pages: Sequence[PageScore]) -> str:
    low, high = f1_interval(pages)
    sites = plural(len({page.site for page in pages}), "site")
    return f"F over all pages, 95 % interval over {sites}: {low:.3f} to {high:.3f}\n"


def plural(count: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _label_table(pages: Sequence[PageScore]) -> str:
    matrix = total_confusion(pages)
    rows = [["blocks", "P", "R", "F", *(f"as {name}" for name in Label.__members__)]]
    for name, scores in label_scores(matrix).items():
        values = [f"{value:.3f}" for value in (scores.precision, scores.recall, scores.f1)]
        rows.append([name, *values, *(str(count) for count in matrix[Label[name]])])
    return _aligned(rows)


def to_dict(pages: Sequence[PageScore]) -> dict[str, Any]:
    """All figures: the table, every page, the labels' scores and confusion matrix."""
    matrix = total_confusion(pages)
    return {
        "table": [asdict(row) for row in table(pages)],
        "f1_interval": list(f1_interval(pages)),
        "labels": {name: asdict(scores) for name, scores in label_scores(matrix).items()},
        "confusion": matrix.tolist(),
        "pages": [_page_dict(page) for page in pages],
    }


def _page_dict(page: PageScore) -> dict[str, Any]:
    return {
        "id": page.id,
        "source": page.source,
        "site": page.site,
        "kind": page.kind,
        "status": page.status,
        "distance": page.distance,
        "distance_share": page.distance_share,
        **asdict(page.words),
    }


def to_json(pages: Sequence[PageScore]) -> str:
    """`to_dict` as indented JSON."""
    return json.dumps(to_dict(pages), ensure_ascii=False, indent=1) + "\n"


def to_csv(pages: Sequence[PageScore]) -> str:
    """A line a page, then the means by source and over all (`id` empty)."""
    rows = [_page_dict(page) for page in pages]
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(rows[0]), lineterminator="\n", restval="", extrasaction="ignore"
    )
    writer.writeheader()
    writer.writerows(rows)
    writer.writerows(asdict(row) for row in table(pages))
    return out.getvalue()


FORMATS = {"text": to_text, "json": to_json, "csv": to_csv}
