"""Read the pages of finished runs, and write which of their sites changed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crfclean.corpus.retry import row_lines
from crfclean.corpus.targets import MISSING, shard_ending
from crfclean.evaluate.drift import DriftReport, Fall, SitePage
from crfclean.evaluate.plurals import plural
from crfclean.page.urls import host
from crfclean.site_places import TextPlace
from crfclean.types import CrfcleanError

_READ = frozenset(["ok", "nothing-kept", "no-blocks", "below-precision", "low-score"])
"""Statuses of pages that were read: a page without text has the score 0."""
_FITTED = frozenset(["ok", "nothing-kept"])
"""Statuses of pages that show text: one that keeps none of it fits its site least."""
NO_SITE = "no site"
"""Why a row is left out that has neither a URL nor a directory."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?")
_DAY = 10  # characters of a date


def read_run(
    path: Path, left_out: Counter[str] | None = None, excerpt_chars: int = 0
) -> Iterator[SitePage]:
    """The pages of a run of `clean` (JSONL, CSV, Parquet); raises `CrfcleanError`.

    Rows that say nothing of a site are counted in `left_out`, by their status or as `NO_SITE`.
    Pages have the first `excerpt_chars` of their texts.
    """
    counts = Counter[str]() if left_out is None else left_out
    if not path.exists():
        raise CrfcleanError(f"{path}: {MISSING}")
    try:
        for number, line in enumerate(row_lines(path, shard_ending(path) or "jsonl"), 1):
            row = json.loads(line)
            if not isinstance(row, dict) or "score" not in row:
                raise CrfcleanError(f"{path}:{number}: no row of clean: it has no score")
            page = _page(row, excerpt_chars)
            if isinstance(page, SitePage):
                yield page
            else:
                counts[page] += 1
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CrfcleanError(f"{path}: no rows of clean: {error}") from error


def _page(row: Mapping[str, Any], excerpt_chars: int) -> SitePage | str:
    """A page of a known site that was read; for others the reason."""
    name, date, score = str(row.get("id") or ""), row.get("date"), row.get("score")
    noted = row.get("site_places")
    noted = noted if isinstance(noted, dict) else {}
    site = host(row.get("url")).removeprefix("www.") or str(noted.get("site") or "")
    site = site or Path(name).parent.name
    if row.get("status") not in _READ:
        return str(row.get("status") or "no status")
    if not isinstance(score, int | float):
        return "no score"
    if not site:
        return NO_SITE
    is_dated = isinstance(date, str) and _DATE.fullmatch(date)
    return SitePage(
        site,
        str(date) if is_dated else "",
        name,
        {"score": float(score)},
        str(row.get("url") or ""),
        str(row.get("text") or "")[:excerpt_chars],
        _places(noted) if row["status"] in _FITTED else None,
    )


def _places(noted: Mapping[str, Any]) -> tuple[TextPlace, ...] | None:
    """The places where a page has its text, None for a row that does not say."""
    rows = noted.get("places")
    if not isinstance(rows, list):
        return None
    return tuple(
        TextPlace(str(row["path"]), int(row["words"]), int(row["kept"]))
        for row in rows
        if isinstance(row, dict)
    )


def report_text(report: DriftReport) -> str:
    """A table of the falls, and how many false ones to expect."""
    lines = [_line(fall) for fall in report.falls]
    head = f"{'site':32} {'what':5} {'since':10} {'before':>15} {'after':>15}  by chance"
    about = [summary(report), *not_looked_at(report)]
    return "\n".join([*([head] if lines else []), *lines, *about, ""])


def summary(report: DriftReport) -> str:
    """How many sites fell, and how many would without any change, in a line."""
    sites = len({fall.site for fall in report.falls})
    rate = report.params.false_alarms
    return (
        f"{plural(report.pages, 'page')}, {plural(report.sites, 'site')} with enough of them: "
        f"{sites} fell; without any change {rate:.2%} of the sites would be named, "
        f"{report.expected_false:.1f} of these"
    )


def not_looked_at(report: DriftReport) -> list[str]:
    """What was not looked at, in a line, if there is any."""
    parts = [f"{plural(report.few, 'site')} with too few pages"] if report.few else []
    parts += [f"{plural(count, 'row')}: {why}" for why, count in sorted(report.left_out.items())]
    return [f"not looked at: {', '.join(parts)}"] if parts else []


def _line(fall: Fall) -> str:
    before = f"{fall.before:.3f} ({plural(fall.pages_before, 'page')})"
    after = f"{fall.after:.3f} ({plural(fall.pages_after, 'page')})"
    since = day_of(fall.since)
    return (
        f"{fall.site:32} {fall.measure:5} {since:10} {before:>15} {after:>15}  "
        f"{fall.probability:.4f}"
    )


def day_of(since: str) -> str:
    """A date without its time, and the name of a page as it is.

    >>> day_of("2026-03-01T10:00:00Z"), day_of("pages/1.html")
    ('2026-03-01', 'pages/1.html')
    """
    return since[:_DAY] if _DATE.fullmatch(since) else since


def report_json(report: DriftReport) -> str:
    """The falls as one JSON object."""
    values = {
        "pages": report.pages,
        "sites": report.sites,
        "few": report.few,
        "left_out": dict(report.left_out),
        **asdict(report.params),
        "expected_false": round(report.expected_false, 4),
        "falls": [asdict(fall) for fall in report.falls],
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"
