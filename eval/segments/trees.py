"""Measure energy, links and the expert system beside the CRF and the peers.

Run `python -m eval.segments.trees --data DIR`.

Word F1 and Levenshtein distance of the three taggers without a model on every page of the sets, by
kind or language, with 95 % intervals over sites; of the peers as results/peers has them, and of the
CRF out of fold as results/accuracy/experiment_default.json has it. Our blocks follow a set's
convention (`predictions.CONVENTIONS`) as the CRF's do: the main heading stays out where the gold
has none.

Then readings of the expert system's paper, whose pages experts judged: pages where the main heading
is the gold's headline and F1 is 0.95 or above, apart for pages whose text stands in a table and
others, and milder readings (`of_the_paper`). And the shares of
words in kept and other blocks that are gold: what the taggers' tags give as their probability.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.model.coarse_kinds import coarse_kinds
from crfclean.page.align import align
from crfclean.page.blocks import split
from crfclean.parallel import map_in_order
from crfclean.products.papers.expert import find_roles
from crfclean.products.teach.gold import GoldPage, read_gold
from crfclean.products.teach.means import interval
from crfclean.products.teach.metrics import levenshtein, word_scores
from crfclean.systems.load import named
from crfclean.types import Blocks, Bools, Floats, Label
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.peer_scores import read, scores_path
from eval.lib.predictions import CONVENTIONS, within
from eval.lib.record import environment, record

SETS = ("wcxb-dev", "daniel-dev", "irdata-big9")
TAGGERS = ("energy", "links", "expert")
RIGHT = 0.95  # F1 of a page that is processed rightly
SAME = 0.9  # likeness of a heading that is the headline


@dataclass(frozen=True)
class Scored:
    """A page's scores by tagger, (F1, distance share), and what the other tables count.

    `words` are, by tagger, words of kept blocks, those that are gold, words of the others, those
    that are gold; `heading` whether the expert's main heading is the headline, None: none known;
    `complete` whether the gold's blocks, as far as the page has them, reach an F1 of 0.95.
    """

    set: str
    id: str
    site: str
    kind: str
    scores: Mapping[str, tuple[float, float]]
    words: Mapping[str, tuple[float, float, float, float]]
    heading: bool | None
    table: bool
    complete: bool


def score(job: tuple[str, GoldPage, str], _: None) -> Scored:
    """Score a page."""
    name, gold, headline = job
    blocks = split(gold.page)
    truth = align(blocks, gold.text) != Label.OTHER
    convention = tuple(CONVENTIONS.get(name, "").split(",")) if CONVENTIONS.get(name) else ()
    by_tagger, words = {}, {}
    for tagger in TAGGERS:
        labels = named(tagger).tag(blocks).labels
        if len(blocks):
            words[tagger] = counted(blocks.words, labels != Label.OTHER, truth)
            labels = within(labels, coarse_kinds(blocks), convention)
        kept = np.flatnonzero(labels != Label.OTHER)
        text = "\n".join(blocks.texts[at] for at in kept)
        by_tagger[tagger] = word_scores(text, gold.text).f1, levenshtein(text, gold.text)[1]
    kind = gold.lang if name == "daniel-dev" else gold.kind
    in_table = in_a_table(blocks, truth)
    heading = heading_is_right(blocks, headline)
    best = "\n".join(blocks.texts[at] for at in np.flatnonzero(truth))
    complete = word_scores(best, gold.text).f1 >= RIGHT
    return Scored(name, gold.id, gold.site, kind, by_tagger, words, heading, in_table, complete)


def counted(words: Floats, kept: Bools, truth: Bools) -> tuple[float, float, float, float]:
    """Words of kept blocks, those that are gold, of other blocks, those that are gold."""
    parts = (kept, kept & truth, ~kept, ~kept & truth)
    kept_all, kept_gold, left_all, left_gold = (float(words[part].sum()) for part in parts)
    return kept_all, kept_gold, left_all, left_gold


def in_a_table(page: Blocks, truth: Bools) -> bool:
    """Whether most of the gold's words stand in tables."""
    if not truth.any():
        return False
    inside = page.table.within("table")[page.node] > 0
    return bool(page.words[truth & inside].sum() > 0.5 * page.words[truth].sum())


def heading_is_right(blocks: Blocks, headline: str) -> bool | None:
    """Whether the expert's main heading is the headline, nearly at least."""
    if not headline:
        return None
    roles = find_roles(blocks)
    chosen = " ".join(blocks.texts[block] for block in roles.heading.blocks)
    return 1.0 - levenshtein(chosen.lower(), headline.lower())[1] >= SAME


def headlines(name: str, data: str, pages: Sequence[GoldPage]) -> list[str]:
    """The headline of each page: wcxb-dev has titles, the golds of the news sets begin with it."""
    if name != "wcxb-dev":
        return [(gold.text.splitlines() or [""])[0] for gold in pages]
    with lzma.open(Path(data, f"{name}.jsonl.xz"), "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        titles = {row["id"]: row.get("title") or "" for row in rows}
    return [titles.get(gold.id, "") if gold.kind == "article" else "" for gold in pages]


def means(values: Floats, sites: Sequence[str]) -> list[float]:
    """A mean and its 95 % interval over sites."""
    return [round(float(x), 4) for x in (values.mean(), *interval(values, sites))]


def groups(pages: Sequence[Scored]) -> dict[str, list[int]]:
    """Places of all pages, then by kind or language."""
    places_by_group: dict[str, list[int]] = {"all": list(range(len(pages)))}
    for place, page in enumerate(pages):
        if page.kind:
            places_by_group.setdefault(page.kind, []).append(place)
    return places_by_group if len(places_by_group) > 2 else {"all": places_by_group["all"]}


def peers(name: str, pages: Sequence[Scored]) -> dict[str, list[tuple[float, float]]]:
    """The peers' recorded scores of the pages."""
    by_peer: dict[str, dict[str, tuple[float, float]]] = {}
    for score in read(scores_path(name)).values():
        by_peer.setdefault(score.peer, {})[score.page] = score.f1, score.distance_share
    return {
        peer: [scores[page.id] for page in pages]
        for peer, scores in by_peer.items()
        if all(page.id in scores for page in pages)
    }


def table(name: str, pages: Sequence[Scored]) -> dict[str, Any]:
    """F1 and distance by group and system, with intervals."""
    systems = {system: [page.scores[system] for page in pages] for system in TAGGERS} | peers(
        name, pages
    )
    by_group: dict[str, Any] = {}
    for group, places in groups(pages).items():
        sites = [pages[at].site for at in places]
        by_group[group] = {"pages": len(places)}
        for system, scores in systems.items():
            part = np.array(scores)[places]
            by_group[group][system] = {
                "F1": means(part[:, 0], sites),
                "distance": means(part[:, 1], sites),
            }
    return by_group


def of_the_paper(name: str, pages: Sequence[Scored]) -> dict[str, Any]:
    """Shares of pages by layout: with the right heading, with F1 of 0.95, with both, milder.

    The milder readings of both: F1 of 0.9; pages whose gold the HTML has; sites where most pages
    are right, as if the rules had been made for them. And the peers' pages with F1 of 0.95.
    """
    by_layout: dict[str, Any] = {}
    of_peers = peers(name, pages)
    for layout, is_table in (("tables", True), ("blocks", False)):
        known = [page.heading is not None and page.table == is_table for page in pages]
        part = [page for page, is_known in zip(pages, known, strict=True) if is_known]
        if not part:
            continue
        sites = [page.site for page in part]
        heading = np.array([bool(page.heading) for page in part], np.float64)
        f1, distance = np.array([page.scores["expert"] for page in part]).T
        both = heading * (f1 >= RIGHT)
        made_for = np.array(
            [both[[other == site for other in sites]].mean() > 0.5 for site in sites]
        )
        milder = {
            "distance": heading * (distance <= 1 - RIGHT),
            "F1 of 0.9": heading * (f1 >= 0.9),
            "gold complete": both[[page.complete for page in part]],
            "sites made for": both[made_for],
        }
        milder |= {
            peer: np.array(scores)[np.array(known), 0] >= RIGHT for peer, scores in of_peers.items()
        }
        readings = {"heading": heading, "F1": f1 >= RIGHT, "both": both}
        by_layout[layout] = {"pages": len(part)}
        by_layout[layout] |= {name: means(values, sites) for name, values in readings.items()}
        for reading, values in milder.items():
            by_layout[layout][reading] = [
                round(float(values.sum() / max(1, len(values))), 4),
                len(values),
            ]
    return by_layout


def probabilities(pages: Sequence[Scored]) -> dict[str, tuple[float, float]]:
    """Shares of words in kept and in other blocks that are gold, by tagger."""
    shares = {}
    for tagger in TAGGERS:
        sums = np.sum([page.words[tagger] for page in pages if tagger in page.words], axis=0)
        shares[tagger] = round(float(sums[1] / sums[0]), 3), round(float(sums[3] / sums[2]), 3)
    return shares


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    results: dict[str, Any] = {}
    for name in (*args.sets, "demo"):
        gold = list(read_gold(DEMO)) if name == "demo" else corpus(name, args.data)
        heads = [""] * len(gold) if name == "demo" else headlines(name, args.data, gold)
        jobs = [(name, page, head) for page, head in zip(gold, heads, strict=True)]
        pages = list(map_in_order(score, jobs, None, args.workers))
        result = {"table": table(name, pages), "paper": of_the_paper(name, pages)}
        results[name] = result | {"probabilities": probabilities(pages)}
        for group, row in result["table"].items():
            print(f"{name} {group} ({row['pages']})")
            for system, figures in list(row.items())[1:]:
                print(f"    {system:17} F1 {figures['F1']}  distance {figures['distance']}")
        print("paper's measure:", result["paper"])
        print("probabilities:", results[name]["probabilities"], flush=True)
    record("segments/trees", {"results": results, **environment()})


if __name__ == "__main__":
    main()
