"""Read the pages of finished runs, and report the sites that changed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crfclean.cli.paths import MISSING
from crfclean.decision.places import TextPlace
from crfclean.io import json_report
from crfclean.page.chars import plural
from crfclean.page.head import host
from crfclean.products.corpus.rows import row_lines, shard_ending
from crfclean.products.tools.falls import (
    FALSE_ALARMS,
    DriftReport,
    Fall,
    SitePage,
    falls_of_sites,
    sites_in_time,
)
from crfclean.types import CrfcleanError

__all__ = ["falls_of_sites", "read_run", "report_json", "report_text", "sites_in_time"]

_READ = frozenset(["ok", "nothing-kept", "no-blocks", "below-precision", "low-score"])
"""Statuses of pages that were read: a page without text has the score 0."""
_FITTED = frozenset(["ok", "nothing-kept"])
"""Statuses of pages that show text. If none of it is kept, the fit is 0."""
NO_SITE = "no site"
"""Why a row without a URL or a directory is left out."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?")
_DAY = 10  # characters of a date


def read_run(path: Path, left_out: Counter[str] | None = None) -> Iterator[SitePage]:
    """Yield the pages of a run of `clean` (JSONL, CSV, Parquet); raises `CrfcleanError`.

    Rows without a site or score are counted in `left_out`, by their status or as `NO_SITE`.
    """
    counts = Counter[str]() if left_out is None else left_out
    if not path.exists():
        raise CrfcleanError(f"{path}: {MISSING}")
    try:
        for number, line in enumerate(row_lines(path, shard_ending(path) or "jsonl"), 1):
            row = json.loads(line)
            if not isinstance(row, dict) or "score" not in row:
                raise CrfcleanError(f"{path}:{number}: no row of clean: it has no score")
            page = _page(row)
            if isinstance(page, SitePage):
                yield page
            else:
                counts[page] += 1
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CrfcleanError(f"{path}: no rows of clean: {error}") from error


def _page(row: Mapping[str, Any]) -> SitePage | str:
    """Return the page if it was read and its site is known, else the reason."""
    name, score = str(row.get("id") or ""), row.get("score")
    date = row.get("crawled", row.get("date"))  # older runs say `date`, and are compared with new
    noted = row.get("site_places")
    noted = noted if isinstance(noted, dict) else {}
    site, directory, stated = host(row.get("url")).removeprefix("www."), "", ""
    if not site:
        directory, stated = Path(name).parent.name, str(noted.get("site") or "")
        site = stated or directory
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
        _places(noted) if row["status"] in _FITTED else None,
        directory,
        stated,
        str(row.get("model") or ""),
    )


def _places(noted: Mapping[str, Any]) -> tuple[TextPlace, ...] | None:
    """Return the places of a page's text, None for a row without them."""
    rows = noted.get("places")
    if not isinstance(rows, list):
        return None
    return tuple(
        TextPlace(str(row["path"]), int(row["words"]), int(row["kept"]))
        for row in rows
        if isinstance(row, dict)
    )


def report_text(report: DriftReport) -> str:
    """Return a table of the falls, and the number of false alarms to expect."""
    lines = [_line(fall) for fall in report.falls]
    head = f"{'site':32} {'what':5} {'since':10} {'before':>15} {'after':>15}  by chance"
    about = [drift_summary(report), *notes(report)]
    return "\n".join([*([head] if lines else []), *lines, *about, ""])


def drift_summary(report: DriftReport) -> str:
    """Say in a line how many sites got worse, and how many are expected by chance."""
    sites = len({fall.site for fall in report.falls})
    worse = f"{plural(sites, 'site')} got worse." if sites else "No site got worse."
    return (
        f"{plural(report.pages, 'page')}; {plural(report.sites, 'site')} with enough pages. "
        f"{worse} (False-alarm rate {100 * FALSE_ALARMS:g} %: "
        f"{report.expected_false:.1f} expected by chance.)"
    )


def notes(report: DriftReport) -> list[str]:
    """Say in a line each which hosts are new, and what was not examined, if anything."""
    lines = [
        f"new in {new.site}: {plural(new.pages, 'page')} since {day_of(new.since)} state the host "
        f"{new.host}"
        for new in report.new_hosts
    ]
    if report.mixed:
        lines.append(
            f"{plural(report.mixed, 'site')} cleaned by several models or with several options: "
            "the scores may differ for that alone"
        )
    parts = [f"{plural(report.few, 'site')} with too few pages"] if report.few else []
    parts += [f"{plural(count, 'row')}: {why}" for why, count in sorted(report.left_out.items())]
    return [*lines, *([f"not looked at: {', '.join(parts)}"] if parts else [])]


def _line(fall: Fall) -> str:
    before = f"{fall.before:.3f} ({plural(fall.pages_before, 'page')})"
    after = f"{fall.after:.3f} ({plural(fall.pages_after, 'page')})"
    since = day_of(fall.since)
    return (
        f"{fall.site:32} {fall.measure:5} {since:10} {before:>15} {after:>15}  "
        f"{fall.probability:.4f}"
    )


def day_of(since: str) -> str:
    """Return a date without its time, or the name of a page as it is.

    >>> day_of("2026-03-01T10:00:00Z"), day_of("pages/1.html")
    ('2026-03-01', 'pages/1.html')
    """
    return since[:_DAY] if _DATE.fullmatch(since) else since


def report_json(report: DriftReport) -> str:
    """Return the falls as one JSON object, with the version of crfclean."""
    figures = {
        "pages": report.pages,
        "sites": report.sites,
        "few": report.few,
        "left_out": dict(report.left_out),
        "false_alarms": FALSE_ALARMS,
        "expected_false": round(report.expected_false, 4),
        "falls": [asdict(fall) for fall in report.falls],
        "new_hosts": [asdict(new) for new in report.new_hosts],
        "mixed": report.mixed,
    }
    return json_report(figures)
