"""Count the tables and pictures that the expert system keeps on 30 pages.

Run `python -m eval.segments.kept_parts --out DIR --data DIR`.

Fifteen articles of wcxb-dev that have text tables, and fifteen with three pictures or more. `--out`
gets each page as it was and as it is written (`--format html`), to be opened side by side in a
browser. Counted are text tables of the page and those written, pictures written, and those amid the
kept text that are not, by the rule that removed them. README.md has what was seen on the pages.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.data_tables import find_text_tables
from crfclean.page.paragraphs import elements
from crfclean.pipeline import run
from crfclean.taggers.expert import Roles, find_roles
from crfclean.taggers.load import named
from crfclean.writers.formats import WRITERS
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

WITH_TABLES, WITH_PICTURES, LEAST_PICTURES = 15, 15, 3


def chosen(pages: list[GoldPage]) -> list[GoldPage]:
    """The pages that are looked at, in a random order that is always the same."""
    random.Random(7).shuffle(pages)  # noqa: S311
    tables: list[GoldPage] = []
    pictures: list[GoldPage] = []
    for gold in pages:
        blocks = split(gold.page)
        if len(tables) < WITH_TABLES and find_text_tables(elements(blocks)).candidates:
            tables.append(gold)
        elif blocks.nodes.tags.count("img") >= LEAST_PICTURES:
            pictures.append(gold)
        if len(tables) == WITH_TABLES and len(pictures) >= WITH_PICTURES:
            break
    return tables + pictures[:WITH_PICTURES]


def lost(roles: Roles) -> Counter[str]:
    """Pictures amid the kept text that are not kept, by rule; "outside" of the article."""
    why = {
        removed: step.rule
        for step in roles.steps
        if step.system == "pictures"
        for removed in step.removed
    }
    kept = np.flatnonzero(roles.kept)
    nodes = roles.page.blocks.nodes
    amid = [
        node
        for node, tag in enumerate(nodes.tags)
        if tag == "img" and len(kept) and kept[0] <= nodes.first_block[node] <= kept[-1]
    ]
    return Counter(why.get(node, "outside") for node in amid if node not in set(roles.pictures))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--out", type=Path, default=None, help="write the pages here")
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    articles = [gold for gold in corpus("wcxb-dev", args.data) if gold.kind == "article"]
    for place, gold in enumerate(chosen(articles)):
        document = run(gold.page, named("expert"))
        html = WRITERS["html"](document)
        roles = find_roles(document.blocks)
        tables = len(find_text_tables(roles.page).candidates)
        row = {"id": gold.id, "text tables": tables, "tables written": html.count("<table")}
        row |= {"pictures written": html.count("<img"), "pictures lost": dict(lost(roles))}
        rows.append(row)
        print(row)
        if args.out is not None:
            args.out.mkdir(parents=True, exist_ok=True)
            (args.out / f"{place:02}-before.html").write_text(gold.page.html, "utf-8", "replace")
            (args.out / f"{place:02}-after.html").write_text(html, "utf-8")
    record("segments/kept_parts", {"pages": rows, **environment()})


if __name__ == "__main__":
    main()
