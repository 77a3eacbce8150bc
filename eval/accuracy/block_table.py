"""Count blocks found, wrong and missed, and exact begins and ends, as in the perceptron paper.

Run `python -m eval.accuracy.block_table --sets data/demo`.

Tables 5.3 to 5.6: found and wrong blocks as shares of the gold's, and pages whose begin and end are
exact, beside jusText and readability-lxml; the record also counts blocks by kind and source (of
`--least` pages). Models of the other sites score the demo pages. Models of a description
(`experiments/quick.json` has no silver labels) that have seen neither the site nor the set score a
public set. Texts of others are aligned to the page's blocks.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from crfclean.decision.rules import CutParams
from crfclean.page.blocks import split
from crfclean.parallel import map_in_order
from crfclean.products.teach.cleaning import Cleaned, PageScore, score_page
from crfclean.products.teach.cross_validation import Plan, cross_validate, prepare
from crfclean.products.teach.gold import GoldPage, read_gold
from crfclean.types import Document, Tags
from eval.lib.block_figures import PEERS, Scores, result, show
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.descriptions import QUICK, Description
from eval.lib.peers import attempt
from eval.lib.predictions import load_data, predict
from eval.lib.record import environment, record


def score(job: tuple[GoldPage, Tags | None], _shared: None) -> list[PageScore]:
    """Scores of our labels, where there are some, and of the peers' texts."""
    gold, tags = job
    cleaned = [Cleaned(*attempt(name, gold.page.html, gold.lang)) for name in PEERS]
    if tags is not None:
        document = Document(None, split(gold.page), tags)
        cleaned.insert(0, Cleaned(document.text, "ok", document))
    return score_page(gold, cleaned)


def of_demo(folder: Path, workers: int) -> Scores:
    """Every page by a model of the other sites."""
    gold, plan = list(read_gold(folder)), Plan()
    crossed = cross_validate(prepare(gold, plan, workers), plan, workers)
    peers = list(map_in_order(score, ((page, None) for page in gold), None, workers))
    scores = {"crfclean": [page.scores[0] for page in crossed]}
    return scores | {name: [page[at] for page in peers] for at, name in enumerate(PEERS)}


def of_set(name: str, description: Description, data: str, workers: int) -> Scores:
    """Every page of a public set by a model that has not seen its site."""
    cut = CutParams(**description.cut)
    predicted = predict(description, load_data(description, data, workers), workers)
    tags = {page.page.gold.id: page.tags(cut) for page in predicted if page.page.set == name}
    jobs = [(gold, tags[gold.id]) for gold in corpus(name, data) if gold.id in tags]
    pages = list(map_in_order(score, jobs, None, workers))
    return {system: [page[at] for page in pages] for at, system in enumerate(("crfclean", *PEERS))}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=[str(DEMO), "irdata-big9", "daniel-dev"])
    parser.add_argument("--description", type=Path, default=QUICK)
    parser.add_argument("--least", type=int, default=4, help="pages of a source that has a row")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    values = json.loads(args.description.read_text("utf-8"))
    for name in args.sets:
        description = replace(Description(**values), test=(name,), only=())
        if Path(name).is_dir():
            scores = of_demo(Path(name), args.workers)
        else:
            scores = of_set(name, description, args.data, args.workers)
        show(scores, Path(name).name)
        record(
            f"accuracy/block_table_{Path(name).name}",
            {"set": Path(name).name, "rows": result(scores, args.least), **environment()},
        )


if __name__ == "__main__":
    main()
