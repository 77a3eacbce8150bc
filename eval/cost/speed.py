"""Measure CPU time, memory and import time beside the peers, and growth with the page.

Run `python -m eval.cost.speed --set wcxb-dev --data DIR`.

Without `--set` the pages are the bundled ones, so that anyone can run it (`make bench`). The
systems take turns page by page, so that a machine that slows down slows all of them: ratios count.
Every page is new to every system, once; what was kept from other pages helps as it would in a
crawl.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from lxml import etree

import crfclean
from crfclean.products.teach.peers import EXTRACTIONS
from eval.lib.corpora import ROOT, data_parser
from eval.lib.record import environment, record
from eval.lib.timing import cpu_ms, demo_pages, drawn, long_page, slope

SIZES = (1_000, 10_000, 100_000, 1_000_000, 5_000_000, 20_000_000)
"""Characters of the pages that growth is measured on."""
BLOCKS = (1_000, 3_000, 10_000, 30_000, 100_000)
FROM = 10_000  # characters: below, the costs that every page has hide the growth
MIN_SECONDS = 0.5  # of CPU time: shorter calls are repeated

System = Callable[[str], object]
MODULES = {
    "crfclean": "crfclean",
    "trafilatura": "trafilatura",
    "trafilatura, no comments": "trafilatura",
    "resiliparse": "resiliparse.extract.html2text",
    "justext": "justext",
    "readability-lxml": "readability",
    "lxml parse": "lxml.etree",
    "lxml parse and walk": "lxml.etree",
}
"""Name of a system -> the module that a user imports."""


def tree_of(html: str) -> etree._Element | None:
    """Lxml's tree of a page."""
    return etree.HTML(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))


def walk(html: str) -> int:
    """Read every element's tag, class, id and text from lxml's tree."""
    tree = tree_of(html)
    elements = () if tree is None else tree.iter(etree.Element)
    return sum(
        len(element.text or "")
        + len(element.tail or "")
        + len(element.get("class", "") + element.get("id", ""))
        for element in elements
    )


def without_comments(html: str) -> str:
    """Trafilatura without its search for comments."""
    import trafilatura

    return trafilatura.extract(html, include_comments=False) or ""


def _called(extract: Callable[[str, str], str], html: str) -> str:
    """A peer's text of a page whose language is unknown."""
    return extract(html, "")


def systems() -> dict[str, System]:
    """What there is to measure: ourselves, the peers that are installed, lxml alone."""
    measured: dict[str, System] = {"crfclean": crfclean.extract}
    for name, extract in EXTRACTIONS.items():
        try:
            version(name)
        except PackageNotFoundError:
            print(f"{name} is not installed: pip install 'crfclean[peers]'")
            continue
        measured[name] = partial(_called, extract)
        if name == "trafilatura":
            measured["trafilatura, no comments"] = without_comments
    return measured | {"lxml parse": tree_of, "lxml parse and walk": walk}


def interleaved(pages: Sequence[str], measured: dict[str, System]) -> dict[str, float]:
    """Mean CPU milliseconds a page of each system, who goes first changing from page to page."""
    totals = dict.fromkeys(measured, 0.0)
    names = list(measured)
    for number, html in enumerate(pages):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            totals[name] += cpu_ms(measured[name], html)
    return {name: total / len(pages) for name, total in totals.items()}


_CHILD = """
import sys, time
started = time.process_time()
import {module}
print((time.process_time() - started) * 1e3)
from eval.cost.speed import systems
from eval.lib.timing import cpu_ms, demo_pages, peak_mb
system = systems()[{name!r}]
for html in demo_pages():
    cpu_ms(system, html)
print(peak_mb())
"""


def alone(name: str) -> dict[str, float]:
    """CPU ms to import a system in a process of its own, and its peak memory on bundled pages."""
    code = _CHILD.format(module=MODULES[name], name=name)
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    imported, *_, peak = [line for line in run.stdout.splitlines() if line[:1].isdigit()]
    return {"import_ms": float(imported), "peak_mb": float(peak)}


def short_paragraphs(count: int) -> str:
    """A page of so many blocks."""
    return "<html><body>" + "".join(f"<p>Paragraph {n} is short.</p>" for n in range(count))


def steady_ms(html: str) -> float:
    """CPU milliseconds to clean a page, the best of as many calls as are worth it."""
    best, spent = math.inf, 0.0
    while spent < MIN_SECONDS * 1e3:
        taken = cpu_ms(partial(crfclean.extract, max_blocks=None), html)
        best, spent = min(best, taken), spent + taken
    return best


def growth(make: Callable[[int], str], sizes: Sequence[int]) -> dict[str, float]:
    """CPU milliseconds for a page of each size."""
    return {f"{size:,}": steady_ms(make(size)) for size in sizes}


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="", help="a set of --data instead of the bundled pages")
    parser.add_argument("--pages", type=int, default=300)
    args = parser.parse_args()
    pages = drawn(args.set, args.data, args.pages)
    measured = systems()
    for system in measured.values():
        cpu_ms(system, demo_pages()[0])
    times = interleaved(pages, measured)
    table = {name: {"cpu_ms": ms, "ratio": times["crfclean"] / ms} for name, ms in times.items()}
    print(f"{'':26}  CPU ms a page  crfclean / it  pages a second  import ms  peak MB")
    for name, row in table.items():
        row |= {"pages_a_second": 1e3 / row["cpu_ms"], **alone(name)}
        print(
            f"{name:26}  {row['cpu_ms']:13.2f}  {row['ratio']:13.3f}  {row['pages_a_second']:14.0f}"
            f"  {row['import_ms']:9.0f}  {row['peak_mb']:7.0f}"
        )
    by_size, by_blocks = growth(long_page, SIZES), growth(short_paragraphs, BLOCKS)
    slopes = {"size": slope(by_size, FROM), "blocks": slope(by_blocks)}
    print("characters of a page, CPU ms:", {size: round(ms, 1) for size, ms in by_size.items()})
    print("blocks of a page, CPU ms:", {size: round(ms, 1) for size, ms in by_blocks.items()})
    print("log-log slopes:", {name: round(value, 3) for name, value in slopes.items()})
    result = {"set": args.set or "demo", "pages": len(pages), "systems": table}
    result |= {"size_ms": by_size, "blocks_ms": by_blocks, "slopes": slopes}
    record("cost/speed", {**result, **environment()})


if __name__ == "__main__":
    main()
