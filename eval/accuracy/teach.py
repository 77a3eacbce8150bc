"""Measure what ten labelled pages of a site teach `tune`, by models that have not seen the site.

Run `python -m eval.accuracy.teach --data DIR --predictions FOLDER`.

Of every host with twelve pages or more ten are drawn, three times; the others are scored by default
and tuned. The base is the shipped recipe trained without the collection.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from crfclean.decision.places import site_of
from crfclean.model.folder import find_model, load_bundle
from crfclean.page.blocks import split
from crfclean.pipeline import run
from crfclean.products.teach.corrected import f1_of
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.tune import tune_tagger
from crfclean.systems.crf import CrfTagger
from crfclean.types import Blocks, Floats, Tagger
from eval.lib.descriptions import describe
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.models.train_default import AUTO

SETS = ("irdata-big9", "daniel-dev", "dragnet-dev", "srcgold-dev")
TAUGHT, LEAST, DRAWS = 10, 12, 3


@dataclass(frozen=True)
class Remembered(CrfTagger):
    """The shipped model, with other marginals for pages whose blocks have these texts."""

    known: Mapping[tuple[str, ...], Floats] = field(default_factory=dict, repr=False, hash=False)

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginals of a page's blocks, (n, 3)."""
        return self.known[blocks.texts] if blocks.texts in self.known else super().marginals(blocks)


def hosts_of(name: str, predicted: Sequence[Predicted]) -> dict[str, list[GoldPage]]:
    """The pages of each host that has enough; those of dragnet-dev state theirs."""
    hosts = defaultdict(list)
    for each in predicted:
        gold, html = each.page.gold, zlib.decompress(each.page.packed)
        page = replace(gold.page, html=html.decode("utf-8", "surrogatepass"))
        host = site_of(None, split(page)) if name == "dragnet-dev" else gold.site
        if host and gold.text.strip():
            hosts[host].append(replace(gold, page=page, site=host))
    return {host: pages for host, pages in hosts.items() if len(pages) >= LEAST}


def taught(pages: Sequence[GoldPage], base: Tagger) -> Iterator[list[float]]:
    """F1 of the other pages by default and tuned, for each draw."""
    for draw in range(DRAWS):
        marks = {gold.id: hashlib.sha256(f"{draw} {gold.id}".encode()).digest() for gold in pages}
        order = sorted(pages, key=lambda gold: marks[gold.id])
        taggers, held = (base, tune_tagger(order[:TAUGHT], base).tagger), order[TAUGHT:]
        f1 = [[f1_of(run(gold.page, tagger).text, gold) for gold in held] for tagger in taggers]
        yield np.mean(f1, 1).round(4).tolist()


def main() -> None:
    args = left_out_parser(__doc__).parse_args()
    recipe, results, folder = replace(describe(args), note=""), {}, find_model("default")
    for name in args.sets or SETS:
        predicted = LeftOut(recipe, args).predicted(name)
        known = {page.page.texts: page.marginals for page in predicted}
        base = Remembered(folder, AUTO, load_bundle(folder), known)
        for host, pages in hosts_of(name, predicted).items():
            results[f"{name} {host}"] = draws = list(taught(pages, base))
            print(name, host, len(pages), *np.mean(draws, 0).round(4), flush=True)
    means = np.array([np.mean(draws, 0) for draws in results.values()])
    print(len(means), "hosts", *means.mean(0).round(4), "worst", (means @ [-1, 1]).min().round(4))
    record("accuracy/teach", {"recipe": asdict(recipe), "hosts": results, **environment()})


if __name__ == "__main__":
    main()
