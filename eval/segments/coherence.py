"""Measure purity and completeness of coherent texts beside known texts, and choose p.

Run `python -m eval.segments.coherence --data DIR`.

The known texts are the posts of web-forum-52-dev, one each, and the gold of wcxb-dev's listings,
collections and forums, one a page. Both measures are B-cubed (Bagga and Baldwin 1998), over the
characters of known texts: purity is the mean share of a character's segment that is of its text,
completeness the mean share of its text that is in its segment. What is not gold belongs to no
text and makes a segment impure. Purity alone is 1 for a segment a text node.

p is chosen in five folds by site for the F of the other folds' pages; the plot has its effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.evaluate.statistics import interval
from crfclean.gold.align import align, tokens
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.segmentation.coherent import coherent_nodes
from crfclean.segmentation.params import LAWS, EnergyParams, LinkParams, SegmentParams
from crfclean.segmentation.text_tree import TextTree, text_tree
from crfclean.train.examples import fold_of
from crfclean.types import Blocks, Floats, Ints, Label
from eval.lib.corpora import corpus, data_parser
from eval.lib.plots import shrink
from eval.lib.record import RESULTS, environment, record

KINDS = ("listing", "collection", "forum")
GRID = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 25.0)
MEASURES = ("purity", "completeness", "F")
TITLES = {"ratio": "q = p / k, as in the formula", "loss": "q = 1 - p / k, as in the prose"}
FOLDS, NGRAM = 5, 3


@dataclass(frozen=True)
class KnownPage:
    """A page's tree, the known text of each text node (-1: none), its size, its group and site."""

    tree: TextTree
    text: Ints
    group: str
    site: str


def owners(blocks: Blocks, gold: GoldPage, *, posts: bool) -> Ints:
    """The known text that each block is of, -1 for none, shape (n,)."""
    kept = align(blocks, gold.text) != Label.OTHER
    if not posts:
        return np.where(kept, 0, -1)
    pieces: dict[tuple[str, ...], int] = {}
    for number, post in enumerate(gold.text.split("\n")):
        words = tokens(post)
        for size in range(1, NGRAM + 1):
            for place in range(len(words) - size + 1):
                pieces.setdefault(tuple(words[place : place + size]), number)
    numbers = np.full(len(blocks), -1, np.int64)
    for block in np.flatnonzero(kept).tolist():
        words = tokens(blocks.texts[block])
        size = min(NGRAM, len(words))
        places = range(len(words) - size + 1)
        votes = Counter(pieces.get(tuple(words[at : at + size]), -1) for at in places)
        numbers[block] = votes.most_common(1)[0][0] if votes else -1
    return numbers


def known_page(gold: GoldPage, group: str) -> KnownPage:
    """A page with its known texts."""
    blocks = split(gold.page)
    tree = text_tree(blocks)
    of_block = owners(blocks, gold, posts=group == "posts")
    return KnownPage(tree, of_block[tree.block], group, gold.site)


def scores(page: KnownPage, params: SegmentParams) -> tuple[float, float, float]:
    """Purity, completeness and their harmonic mean on a page with known text."""
    tree, nodes = page.tree, coherent_nodes(page.tree, params)
    bounds = tree.first_leaf[nodes]
    segment = np.searchsorted(bounds, np.arange(len(tree.texts)), "right") - 1
    chars, labelled = tree.chars[tree.leaves], page.text >= 0
    size = np.bincount(segment, chars)
    cells = np.stack([segment, page.text])[:, labelled]
    pairs, place = np.unique(cells, axis=1, return_inverse=True)
    both = np.bincount(place.ravel(), chars[labelled])
    text_size = np.bincount(page.text[labelled], chars[labelled])
    total = both.sum()
    purity = float((both * both / np.maximum(size[pairs[0]], 1)).sum() / total)
    complete = float((both * both / np.maximum(text_size[pairs[1]], 1)).sum() / total)
    return purity, complete, 2 * purity * complete / (purity + complete)


def load(data: str, step: int) -> list[KnownPage]:
    """The pages with known texts, every `step`-th of each set."""
    posts = [known_page(gold, "posts") for gold in corpus("web-forum-52-dev", data)[::step]]
    pages = [gold for gold in corpus("wcxb-dev", data) if gold.kind in KINDS][::step]
    loaded = [*posts, *(known_page(gold, gold.kind) for gold in pages)]
    return [page for page in loaded if page.tree.chars[page.tree.leaves][page.text >= 0].sum() > 0]


def energy_params(law: str, dissipation: float) -> SegmentParams:
    """Parameters of the energy of nodes."""
    return SegmentParams("energy", EnergyParams(law=law, dissipation=dissipation))


FIXED = {
    "links": SegmentParams("links"),
    "links, no stray ones": SegmentParams("links", links=LinkParams(stray_share=0.0)),
    "block containers": SegmentParams("blocks"),
    "the whole page": energy_params("ratio", 1e6),
}


def balanced(scored: Floats, groups: Sequence[str]) -> float:
    """Mean over the groups of the mean F of their pages."""
    names, place = np.unique(np.array(groups), return_inverse=True)
    return float((np.bincount(place, scored) / np.bincount(place)).mean()) if len(names) else 0.0


def chosen(pages: Sequence[KnownPage], table: Mapping[float, Floats], law: str) -> dict[str, Any]:
    """Out-of-fold scores (n, 3) with the p that is best on the other folds' pages."""
    folds = np.array([fold_of(page.site, FOLDS) for page in pages])
    groups = np.array([page.group for page in pages])
    scored, picked = np.zeros((len(pages), 3)), []
    for fold in range(FOLDS):
        rest = folds != fold
        best = max(table, key=lambda p: balanced(table[p][rest, 2], groups[rest].tolist()))
        scored[~rest] = table[best][~rest]
        picked.append(best)
    return {"law": law, "p of the folds": picked, "scores": scored}


def rows(pages: Sequence[KnownPage], scored: Floats) -> dict[str, Any]:
    """Means and 95 % intervals over sites, by group."""
    by_group = {}
    for group in dict.fromkeys(page.group for page in pages):
        at = [place for place, page in enumerate(pages) if page.group == group]
        sites = [pages[place].site for place in at]
        by_group[group] = {
            name: [round(float(x), 4) for x in (part.mean(), *interval(part, sites))]
            for name, part in zip(MEASURES, scored[at].T, strict=True)
        }
        by_group[group]["pages"] = [float(len(at))]
    return by_group


def draw(
    pages: Sequence[KnownPage], tables: Mapping[str, Mapping[float, Floats]], path: Path
) -> None:
    """Purity, completeness and F by p, a panel a law, means over posts and over the others."""
    from matplotlib.figure import Figure

    posts = np.array([page.group == "posts" for page in pages])
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    panels = figure.subplots(1, len(tables), sharey=True)
    for axes, (law, table) in zip(panels, tables.items(), strict=True):
        for colour, (name, at) in zip(("#0072b2", "#d55e00"), enumerate(MEASURES[:2]), strict=True):
            for group, style, part in (("posts", "-", posts), ("wcxb-dev", "--", ~posts)):
                values = [table[p][part, name].mean() for p in table]
                axes.plot(list(table), values, style, color=colour, label=f"{at}, {group}")
        for group, style, part in (("posts", "-", posts), ("wcxb-dev", "--", ~posts)):
            values = [table[p][part, 2].mean() for p in table]
            axes.plot(list(table), values, style, color="0.3", label=f"F, {group}", linewidth=2.2)
        axes.set(xscale="log", xlabel="p", title=TITLES[law], ylim=(0, 1.02))
        axes.grid(color="0.5", alpha=0.2)
    panels[-1].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=160, format="png", metadata={"Software": None})
    shrink(path)


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--step", type=int, default=1, help="every so many pages")
    args = parser.parse_args()
    pages = load(args.data, args.step)
    tables = {
        law: {p: np.array([scores(page, energy_params(law, p)) for page in pages]) for p in GRID}
        for law in LAWS
    }
    results: dict[str, Any] = {}
    for law, table in tables.items():
        choice = chosen(pages, table, law)
        results[f"energy, {law}"] = {
            "p of the folds": choice["p of the folds"],
            "groups": rows(pages, choice["scores"]),
            "balanced F by p": {
                p: round(balanced(part[:, 2], [page.group for page in pages]), 4)
                for p, part in table.items()
            },
        }
    for name, params in FIXED.items():
        scored = np.array([scores(page, params) for page in pages])
        results[name] = {"groups": rows(pages, scored)}
    for name, result in results.items():
        print(name, result.get("p of the folds", ""))
        for group, row in result["groups"].items():
            print(f"  {group:12} {row['pages'][0]:4.0f}", *(f"{x} {row[x]}" for x in MEASURES))
    if args.step == 1:
        draw(pages, tables, RESULTS / "segments" / "dissipation.png")
    record("segments/coherence", {"step": args.step, "results": results, **environment()})


if __name__ == "__main__":
    main()
