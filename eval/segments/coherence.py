"""Measure purity and completeness of coherent texts beside known texts, and choose p.

Run `python -m eval.segments.coherence --data DIR`.

Pages with many texts: the posts of web-forum-52-dev, and the portals of data/portals. Pages with
one: every seventh article of wcxb-dev, and the demo pages. Beside them listings, collections and
forums of wcxb-dev, whose gold does not part their texts and counts as one.

Both measures are B-cubed (Bagga and Baldwin 1998), over the characters of known texts: purity is
the mean share of a character's segment that is of its text, completeness the mean share of its text
that is in its segment. What is not gold belongs to no text and makes a segment impure. Purity alone
is 1 for a segment a text node.

p is chosen in five folds by site, for the mean of F on pages with many texts and on pages with one,
of the other folds; the plot has its effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.products.papers.coherent import coherent_nodes, owners
from crfclean.products.papers.segment_params import LAWS, EnergyParams, LinkParams, SegmentParams
from crfclean.products.teach.means import interval
from crfclean.products.teach.train import fold_of
from crfclean.types import Floats
from eval.lib.corpora import data_parser
from eval.lib.plots import shrink
from eval.lib.record import RESULTS, environment, record
from eval.segments.known_texts import MANY, ONE, KnownPage, load

GRID = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 25.0)
MEASURES = ("purity", "completeness", "F")
TITLES = {"ratio": "q = p / k, as in the formula", "loss": "q = 1 - p / k, as in the prose"}
FOLDS = 5
PAPER = LinkParams(stray_share=0.0, frame_texts=0)


def scores(page: KnownPage, params: SegmentParams) -> tuple[float, float, float]:
    """Purity, completeness and their harmonic mean on a page with known text."""
    tree = page.tree
    segment = owners(tree, coherent_nodes(tree, params))
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


def energy_params(law: str, dissipation: float) -> SegmentParams:
    """Parameters of the energy of nodes."""
    return SegmentParams("energy", EnergyParams(law=law, dissipation=dissipation))


FIXED = {
    "links": SegmentParams("links"),
    "links, stray share 0.05": SegmentParams("links", links=LinkParams(stray_share=0.05)),
    "links, no frames": SegmentParams("links", links=LinkParams(frame_texts=0)),
    "links, no frames, 0.05": SegmentParams(
        "links", links=LinkParams(stray_share=0.05, frame_texts=0)
    ),
    "links, the paper's rules": SegmentParams("links", links=PAPER),
    "block containers": SegmentParams("blocks"),
    "the whole page": energy_params("ratio", 1e6),
}


def balanced(scored: Floats, groups: Sequence[str]) -> float:
    """Mean F on pages with many texts and on pages with one, each the mean of its groups' means."""
    names = np.array(groups)
    both = [[scored[names == group] for group in part if group in groups] for part in (MANY, ONE)]
    means = [np.mean([part.mean() for part in parts]) for parts in both if parts]
    return float(np.mean(means)) if means else 0.0


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
    """Purity, completeness and F by p, a panel a law, for pages with many texts and with one."""
    from matplotlib.figure import Figure

    parts = [
        (name, style, np.array([page.group in part for page in pages]))
        for name, style, part in (("many texts", "-", MANY), ("one text", "--", ONE))
    ]
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    panels = figure.subplots(1, len(tables), sharey=True)
    for axes, (law, table) in zip(panels, tables.items(), strict=True):
        for colour, (name, at) in zip(("#0072b2", "#d55e00"), enumerate(MEASURES[:2]), strict=True):
            for group, style, part in parts:
                values = [table[p][part, name].mean() for p in table]
                axes.plot(list(table), values, style, color=colour, label=f"{at}, {group}")
        for group, style, part in parts:
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
        groups = [page.group for page in pages]
        results[name] = {
            "balanced F": round(balanced(scored[:, 2], groups), 4),
            "groups": rows(pages, scored),
        }
    for name, result in results.items():
        print(name, result.get("p of the folds", ""), result.get("balanced F", ""))
        for group, row in result["groups"].items():
            print(f"  {group:12} {row['pages'][0]:4.0f}", *(f"{x} {row[x]}" for x in MEASURES))
    if args.step == 1:
        draw(pages, tables, RESULTS / "segments" / "dissipation.png")
    record("segments/coherence", {"step": args.step, "results": results, **environment()})


if __name__ == "__main__":
    main()
