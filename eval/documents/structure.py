"""Measure how many tables, list items, code blocks and headings systems keep right on 60 pages.

Run `python -m eval.documents.structure --data DIR`.

The pages are chosen by kind, 20 each with a table of data, a code block and a nested list in their
main part, the first that have one in the order of hashed names; the main part is the gold text.
The truth is the page's own tree, built by html5lib and read by `page_units`, which also reads the
HTML that markdown-it-py (CommonMark, GFM tables) makes of the systems' Markdown.
readability-lxml gives HTML, which markdownify writes as Markdown. "gold's blocks" keeps what the
gold has, so that structure is judged apart from selection.

crfclean's model has been trained on wcxb-dev and magic-html, whose pages are among these: its
recall over all elements is flattered by that, precision and recall over what it kept are not.
Needs the extra `peers`.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.document.markdown import to_md
from crfclean.page.align import align
from crfclean.pipeline import open_model, run
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.means import interval
from crfclean.products.teach.peers import guarded
from crfclean.types import Document, Ints, Label, Tags
from eval.lib.corpora import SKIPPED, corpus, data_parser
from eval.lib.record import environment, record

try:
    from markdown_it import MarkdownIt

    from eval.documents.main_units import in_text
    from eval.documents.page_units import KINDS, Outline, outline
    from eval.documents.structure_match import Kept, compared
except ImportError as error:
    sys.stderr.write(f'skipped: {error.name} is missing: pip install -e ".[peers]"\n')
    sys.exit(SKIPPED)

SETS = tuple(
    "wcxb-dev magic-html-article magic-html-forum daniel-dev cleaneval-dev irdata-big9".split()
)
PAGES = 20  # of each kind
CHOSEN = ("code block", "table", "nested list")
GAP, SHORT = 8, 3  # blocks between two of the gold's, and their words, that count as gold
MIN_GOLD = 200  # characters: shorter texts say nothing of structure
PACKAGES = ("markdown-it-py", "markdownify", "html5lib")
_MARKS = {"code block": "<pre", "table": "<table", "nested list": "<li"}

System = Callable[[GoldPage], str]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A page with the kind it was chosen for and its units."""

    gold: GoldPage
    kind: str
    page: Outline


def by_crfclean(gold: GoldPage) -> str:
    """The Markdown of the shipped model."""
    return to_md(run(gold.page, open_model("default")))


def by_gold(gold: GoldPage) -> str:
    """The same with the blocks kept that the gold has."""
    document = run(gold.page, open_model("default"))
    labels = _filled(align(document.blocks, gold.text), document.blocks.texts)
    tags = Tags(labels, np.eye(len(Label))[labels], 1.0)
    status = "ok" if (labels != Label.OTHER).any() else "nothing-kept"
    return to_md(Document(document.url, document.blocks, tags, status, document.truncated))


def _filled(labels: Ints, texts: Sequence[str]) -> Ints:
    """The same with up to `GAP` short blocks between gold ones: cells that no alignment places."""
    kept = np.flatnonzero(labels != Label.OTHER).tolist()
    filled = labels.copy()
    for first, last in pairwise(kept):
        gap = range(first + 1, last)
        if len(gap) <= GAP and all(len(texts[at].split()) <= SHORT for at in gap):
            filled[first + 1 : last] = Label.TEXT
    return filled


def by_trafilatura(gold: GoldPage) -> str:
    """Its Markdown, with all that structure needs switched on."""
    import trafilatura

    markdown = trafilatura.extract(
        gold.page.html,
        url=gold.page.url,
        output_format="markdown",
        include_tables=True,
        include_formatting=True,
        include_links=True,
    )
    return markdown or ""


def by_readability(gold: GoldPage) -> str:
    """Its summary, written as Markdown by markdownify."""
    import readability
    from markdownify import markdownify

    return str(markdownify(readability.Document(gold.page.html).summary(), heading_style="ATX"))


SYSTEMS: Mapping[str, System] = {
    "crfclean": by_crfclean,
    "crfclean, gold's blocks": by_gold,
    "trafilatura": by_trafilatura,
    "readability-lxml": by_readability,
}


def attempt(system: System, gold: GoldPage) -> str:
    """A system's Markdown of a page, "" where it raises or takes too long."""
    return guarded(lambda: system(gold))[0]


def has(kind: str, outline: Outline, gold: str) -> bool:
    """Whether the main part of a page has what pages are chosen for."""
    units = [unit for unit in in_text(outline, gold) if not unit.doubtful]
    if kind == "nested list":
        return any(unit.kind == "list item" and unit.facts[1] > 1 for unit in units)
    if kind == "code block":
        return any(unit.kind == kind and "\n" in unit.key for unit in units)
    return any(unit.kind == kind for unit in units)


def choose(pages: Sequence[GoldPage], count: int, skip: int = 0) -> list[Chosen]:
    """The first `count` pages of each kind in the order of their hashed names, each page once.

    With `skip` those that follow so many chosen ones of each kind.
    """
    order = sorted(pages, key=lambda gold: hashlib.sha256(gold.id.encode()).hexdigest())
    taken: set[str] = set()
    chosen: list[Chosen] = []
    for kind in CHOSEN:
        rest = (gold for gold in order if gold.id not in taken and len(gold.text) >= MIN_GOLD)
        matching = list(islice(_with(kind, rest), skip + count))
        taken |= {page.gold.id for page in matching}
        chosen += matching[skip:]
    return chosen


def _with(kind: str, pages: Iterator[GoldPage]) -> Iterator[Chosen]:
    for gold in pages:
        if _MARKS[kind] in gold.page.html:
            page = outline(gold.page.html)
            if has(kind, page, gold.text):
                yield Chosen(gold, kind, page)


def judged(system: System, page: Chosen, out: Path | None) -> dict[str, Kept]:
    """What a system keeps of a page."""
    markdown = attempt(system, page.gold)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        name = "".join(c if c.isalnum() else "-" for c in page.gold.id)
        (out / f"{name}.md").write_text(markdown, "utf-8")
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return compared(page.page, page.gold.text, outline(reader.render(markdown)))


def shares(pages: Sequence[Chosen], kept: Sequence[Kept]) -> dict[str, Any]:
    """Means over pages with their 95 % intervals over sites, and the counts.

    Recall is over pages that have such elements, precision over pages where the system says some.
    """
    figures: dict[str, Any] = {"counts": np.array([[*asdict(units).values()] for units in kept])}
    figures["counts"] = figures["counts"].sum(axis=0).tolist()
    ratios = {
        "recall": ("right", "there"),
        "recall of what is kept": ("right", "present"),
        "precision": ("true", "said"),
        "near recall": ("near", "there"),
    }
    for name, (part, size) in ratios.items():
        sizes = np.array([getattr(units, size) for units in kept])
        at = np.flatnonzero(sizes).tolist()
        if not at:
            continue
        values = np.array([min(1.0, getattr(kept[i], part) / sizes[i]) for i in at])
        bounds = interval(values, [pages[i].gold.site for i in at])
        figures[name] = [round(float(x), 4) for x in (values.mean(), *bounds)] + [len(at)]
    return figures


def show(results: Mapping[str, Mapping[str, Any]]) -> None:
    for kind in KINDS:
        print(f"\n{kind:24} recall               of what is kept      precision            near")
        for name, rows in results.items():
            row = rows[kind]
            cells = [
                "{:.3f} [{:.3f}, {:.3f}]".format(*row[key][:3]) if key in row else "-".ljust(20)
                for key in ("recall", "recall of what is kept", "precision", "near recall")
            ]
            print(f"{name:24}", *cells, row["counts"])


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=PAGES, help="of each kind")
    parser.add_argument("--skip", type=int, default=0, help="so many pages of each kind before")
    parser.add_argument("--out", type=Path, help="folder for the systems' Markdown, to look at")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    args = parser.parse_args()
    pages = [
        replace(gold, id=f"{name}/{gold.id}") for name in SETS for gold in corpus(name, args.data)
    ]
    chosen = choose(pages, args.pages, args.skip)
    results = {}
    for name in args.systems:
        out = args.out / name.replace(" ", "-") if args.out else None
        kept = [judged(SYSTEMS[name], page, out) for page in chosen]
        results[name] = {
            kind: shares(chosen, [by_kind[kind] for by_kind in kept]) for kind in KINDS
        }
        if out is not None:
            _list(out / "pages.tsv", chosen, kept)
    show(results)
    if args.pages == PAGES and list(results) == list(SYSTEMS):
        names = {kind: [page.gold.id for page in chosen if page.kind == kind] for kind in CHOSEN}
        versions = {package: version(package) for package in PACKAGES}
        result = {"skip": args.skip, "pages": names, "results": results, "readers": versions}
        record(
            "documents/structure_fresh" if args.skip else "documents/structure",
            result | environment(),
        )


def _list(path: Path, pages: Sequence[Chosen], kept_by_page: Sequence[Mapping[str, Kept]]) -> None:
    """What was kept of each page, a line each, to find the bad ones."""
    lines = []
    for page, kept in zip(pages, kept_by_page, strict=True):
        parts = (f"{kind}={'/'.join(map(str, asdict(kept[kind]).values()))}" for kind in KINDS)
        lines.append("\t".join([page.gold.id, page.kind, page.gold.page.url or "", *parts]))
    path.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
