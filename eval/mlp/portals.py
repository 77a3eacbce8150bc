"""Count blocks found, wrong and missed by two protocols: as the thesis did, and on unseen sites.

Run `python -m eval.mlp.portals --data DIR`.

Mrózek (2014) trained on 34 pages, most of them of the portals whose other pages tables 5.3 to 5.6
count. "Same portals": one perceptron learns from a few pages of every site (`--pages`) and is
scored on their other pages. "Unseen sites": the perceptron that scores a site's other pages has
learned from as many pages a site of all the others. Both score the same pages, by each preset,
without and with post-analysis, beside jusText and readability-lxml.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from crfclean.decision.evidence import Evidence
from crfclean.decision.verdict import decide
from crfclean.model.inputs import with_neighbours
from crfclean.page.blocks import split
from crfclean.products.papers.perceptron import marginals_from_scores
from crfclean.products.papers.post_analysis import PostParams, corrected
from crfclean.products.teach.cleaning import Cleaned, PageScore, score_page
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.network_params import RECIPES
from crfclean.products.teach.train import CUT
from crfclean.types import Document, Floats
from eval.lib.block_figures import PEERS, row, show
from eval.lib.corpora import corpus, data_parser, drawn
from eval.lib.mlp_predictions import learn, load_sets
from eval.lib.peers import attempt
from eval.lib.predictions import convention_of
from eval.lib.prepared import Prepared
from eval.lib.record import environment, record

PROTOCOLS = ("same portals", "unseen sites")


@dataclass(frozen=True)
class Parted:
    """The pages of a set by site: a few to learn from, the others to score."""

    few: Mapping[str, Sequence[Prepared]]
    others: Mapping[str, Sequence[Prepared]]


def part(pages: Sequence[Prepared], count: int) -> Parted:
    """So many pages of every site to learn from, by a digest of their names."""
    few: dict[str, list[Prepared]] = {}
    others: dict[str, list[Prepared]] = {}
    by_id = {page.gold.id: page for page in pages if len(page.example)}
    for gold in drawn([page.gold for page in by_id.values()], 0):
        enough = len(few.setdefault(gold.site, [])) >= count
        (others.setdefault(gold.site, []) if enough else few[gold.site]).append(by_id[gold.id])
    return Parted(few, others)


def scores(parted: Parted, recipe_name: str, protocol: str) -> dict[str, Floats]:
    """Name of a page -> the perceptron's scores (n,) of its blocks."""
    recipe, scored = RECIPES[recipe_name], {}
    same = protocol == PROTOCOLS[0]
    training = [page for pages in parted.few.values() for page in pages]
    network = learn(training, recipe) if same else None
    for site, pages in parted.others.items():
        seen = [page for page in training if page.gold.site != site]
        site_network = learn(seen, recipe) if network is None else network
        for page in pages:
            inputs = with_neighbours(page.example.columns)
            scored[page.gold.id] = site_network(inputs)[:, 0]
    return scored


def score(
    gold: GoldPage, name_of_set: str, by_run: Mapping[str, Mapping[str, Floats]], post: PostParams
) -> dict[str, PageScore]:
    """Scores of a page by every run, without and with post-analysis, then by the peers."""
    blocks = split(gold.page)
    measures, cut = blocks, replace(CUT, keep=convention_of(name_of_set))
    cleaned = {}
    for name, scored in by_run.items():
        marginals = marginals_from_scores(scored[gold.id], measures.table.in_heading)
        tags = decide(Evidence(measures), marginals, cut)
        mended = corrected(measures, tags, post).tags
        for label, labels in ((name, tags), (f"{name}, post", mended)):
            document = Document(None, blocks, labels)
            cleaned[label] = Cleaned(document.text, "ok", document)
    for name in PEERS:
        cleaned[name] = Cleaned(*attempt(name, gold.page.html, gold.lang))
    return dict(zip(cleaned, score_page(gold, list(cleaned.values())), strict=True))


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=["irdata-big9"])
    parser.add_argument("--pages", type=int, default=4, help="pages a site to learn from")
    parser.add_argument("--recipes", nargs="+", default=["paper", "tuned"])
    args = parser.parse_args()
    post, results = PostParams(), {}
    for name, prepared in load_sets(args.sets, args.data, 1).items():
        parted = part(prepared, args.pages)
        by_run = {
            f"{recipe}, {protocol}": scores(parted, recipe, protocol)
            for recipe in args.recipes
            for protocol in PROTOCOLS
        }
        tested = {page.gold.id for pages in parted.others.values() for page in pages}
        golds = [gold for gold in corpus(name, args.data) if gold.id in tested]
        page_scores = [score(gold, name, by_run, post) for gold in golds]
        by_system = {run: [page[run] for page in page_scores] for run in page_scores[0]}
        learned = sum(map(len, parted.few.values()))
        print(f"{name}: {learned} pages to learn from, {len(tested)} scored")
        show(by_system)
        figures: dict[str, Any] = {run: row(pages) for run, pages in by_system.items()}
        results[name] = {"learned": learned, "scored": len(tested), "systems": figures}
    about = {"pages a site": args.pages, "post": asdict(post), "cut": asdict(CUT)}
    record("mlp/portals", {**about, "sets": results, **environment()})


if __name__ == "__main__":
    main()
