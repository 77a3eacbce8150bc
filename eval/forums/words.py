"""Measure F1 on words of forum pages with the posts' model, beside the peers.

Run `python -m eval.forums.words --data DIR`.

The pages are the forums of wcxb-dev and magic-html-forum, which the model has not learned from;
pages of sites that it has learned from are left out. Peers' scores are those of results/peers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import numpy as np

from crfclean.model.folder import find_model
from crfclean.page.blocks import split
from crfclean.products.forum.tagger import ForumTagger
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import word_scores
from eval.lib.corpora import corpus, data_parser
from eval.lib.intervals import mean
from eval.lib.peer_scores import read, scores_path
from eval.lib.record import environment, record

SETS = {"wcxb-dev": "forum", "magic-html-forum": ""}
LEARNED = "web-forum-52-dev"


def text_of(gold: GoldPage, tagger: ForumTagger) -> str:
    """The posts' words and the title."""
    blocks = split(gold.page)
    return "\n".join(blocks.texts[at] for at in np.flatnonzero(tagger.tag(blocks).kept))


def unseen(name: str, data: str, learned: set[str]) -> list[GoldPage]:
    kind = SETS[name]
    pages = [page for page in corpus(name, data) if not kind or page.kind == kind]
    return [page for page in pages if page.site not in learned]


def scores_of(name: str, pages: Sequence[GoldPage], tagger: ForumTagger) -> dict[str, object]:
    """Mean F1 with intervals over sites: ours, and the peers."""
    start = time.process_time()
    texts = [text_of(page, tagger) for page in pages]
    spent = 1000 * (time.process_time() - start) / len(pages)
    f1 = [word_scores(text, page.text).f1 for text, page in zip(texts, pages, strict=True)]
    sites = [page.site for page in pages]
    peers: dict[str, dict[str, float]] = {}
    for score in read(scores_path(name)).values():
        peers.setdefault(score.peer, {})[score.page] = score.f1
    result: dict[str, object] = {"pages": len(pages), "ms_a_page": round(spent, 1)}
    result["forum"] = mean(f1, sites)
    for peer, by_page in sorted(peers.items()):
        result[peer] = mean([by_page.get(page.id, 0.0) for page in pages], sites)
    return result


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--model", default="forum")
    args = parser.parse_args()
    tagger = ForumTagger(find_model(args.model))
    hosts = (urlsplit(page.page.url or "").hostname or "" for page in corpus(LEARNED, args.data))
    learned = {host.removeprefix("www.") for host in hosts}
    results = {}
    for name in SETS:
        results[name] = scores_of(name, unseen(name, args.data, learned), tagger)
        for key, value in results[name].items():
            print(f"{name:18} {key:28} {value}")
    record("forums/words", {"sets": results, **environment()})


if __name__ == "__main__":
    main()
