"""Measure how soon and how surely `drift` tells that a site changed.

Run `python -m eval.accuracy.drift --data DIR`.

Generated sites (`eval.lib.site_pages`: texts of the demo) have two pages on each of 30 days, and on
half of the sites the template is another one from day 21 on. The false alarms are also counted on
6,000 sites of 40 pages drawn from the pages of the unchanged sites, and on 500 of 200 pages.

With irdata-big9 in DIR: nine news sites with ten pages each of 2005, 2009, 2013 and 2017; the pages
of each two years that follow each other are a site that changes. Their model has seen silver labels
of these pages.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.evaluate.drift import (
    DriftParams,
    Fall,
    SitePage,
    fall_of,
    falls_of_sites,
    find_falls,
    sites_in_time,
)
from crfclean.gold.pages import GoldPage
from crfclean.page.decode import decode
from crfclean.pipeline import as_tagger, run
from crfclean.site_places import text_places
from crfclean.types import Page, Tagger
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.record import environment, record
from eval.lib.site_pages import paragraphs, site_page, template

DAYS, PAGES_A_DAY, CHANGE = 30, 2, 20
FIRST = date(2026, 3, 1)
SET = "irdata-big9"
LEVELS = (0.01, 0.05)


def rows_of(pages: Sequence[tuple[str, Page]], tagger: Tagger) -> list[SitePage]:
    """What a run with `--include site-places` says of pages (day, page) of a site."""
    rows = []
    for day, page in pages:
        document = run(page, tagger)
        measures, places = {"score": document.score}, text_places(document)
        rows.append(SitePage("site", day, day, measures, places=places))
    return rows


def generated(number: int, tagger: Tagger, *, changes: bool) -> list[SitePage]:
    """The pages of a generated site."""
    random_ = random.Random(number)  # noqa: S311 - no secret
    names = sorted(path.name for path in DEMO.iterdir() if path.is_dir())
    pool = paragraphs(names[number % len(names)])
    looks = [template(random_), template(random_)]
    pages = []
    for day in range(DAYS):
        look = looks[changes and day >= CHANGE]
        name = (FIRST + timedelta(day)).isoformat()
        pages += [
            (name, decode(site_page(look, pool, random_).encode())) for _ in range(PAGES_A_DAY)
        ]
    return rows_of(pages, tagger)


def told(falls: Sequence[Sequence[Fall]], since: str) -> dict[str, Any]:
    """How many of some sites are named, by which measure, and since the right day."""
    firsts = [rows[0] for rows in falls if rows]
    return {
        "sites": len(falls),
        "named": len(firsts),
        "by score": sum(any(fall.measure == "score" for fall in rows) for rows in falls),
        "by fit": sum(any(fall.measure == "fit" for fall in rows) for rows in falls),
        "on the right day": sum(fall.since == since for fall in firsts),
    }


def falls_of(rows: Sequence[SitePage], level: float) -> tuple[Fall, ...]:
    """The falls of a site."""
    return find_falls(rows, DriftParams(level)).falls


def false_alarms(rows: Sequence[SitePage], size: int, level: float, sites: int) -> list[float]:
    """Of sites of so many pages, drawn from unchanged ones: the share that are named.

    Before it the share of those whose scores the statistic alone finds falling, however little.
    """
    random_ = np.random.default_rng(1)
    fell, named = 0, 0
    for _ in range(sites):
        drawn = [rows[place] for place in random_.integers(0, len(rows), size)]
        fell += fall_of(np.array([row.measures["score"] for row in drawn]), level)[0] > 0
        named += bool(falls_of_sites({"site": drawn}, DriftParams(level)).falls)
    return [fell / sites, named / sites]


def real_changes(golds: Sequence[GoldPage], tagger: Tagger) -> dict[str, Any]:
    """The changes between years of the nine sites."""
    by_year: dict[str, dict[str, list[Page]]] = defaultdict(lambda: defaultdict(list))
    for gold in golds:
        by_year[gold.site][gold.id.partition("/")[0]].append(gold.page)
    same, changed = [], []
    for years in by_year.values():
        ordered = [years[year] for year in sorted(years)]
        for old, new in pairwise(ordered):
            dated = [("old", page) for page in old] + [("young", page) for page in new]
            changed.append(falls_of(rows_of(dated, tagger), LEVELS[1]))
        same += [
            falls_of(rows_of([("old", page) for page in year], tagger), LEVELS[1])
            for year in ordered
        ]
    return {"changed": told(changed, "young"), "same year": told(same, "")}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sites", type=int, default=48)
    args = parser.parse_args()
    tagger = as_tagger("default")
    sites = {
        changes: [
            generated(number + args.sites * changes, tagger, changes=changes)
            for number in range(args.sites // 2)
        ]
        for changes in (False, True)
    }
    since = (FIRST + timedelta(CHANGE)).isoformat()
    fitted = sites_in_time(
        replace(row, site=str(number)) for number, rows in enumerate(sites[False]) for row in rows
    )
    unchanged = [row for rows in fitted.values() for row in rows if "fit" in row.measures]
    results: dict[str, Any] = {}
    for level in LEVELS:
        results[f"false alarms {level}"] = {
            "changed": told([falls_of(rows, level) for rows in sites[True]], since),
            "unchanged": told([falls_of(rows, level) for rows in sites[False]], ""),
            "drawn, 40 pages": false_alarms(unchanged, 40, level, 6_000),
            "drawn, 200 pages": false_alarms(unchanged, 200, level, 500),
        }
    if any(Path(args.data).glob(f"{SET}.jsonl*")):
        results["real"] = real_changes(corpus(SET, args.data), tagger)
    for name, values in results.items():
        print(name, values)
    record("accuracy/drift", {**results, **environment()})


if __name__ == "__main__":
    main()
