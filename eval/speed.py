"""CPU time a page beside trafilatura and lxml's parser alone, and growth with the page.

The systems take turns page by page (the best of three passes each), so that a machine that
slows down slows all of them. Ratios of mean CPU time a page are what counts.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, cast

import pycrfsuite
import trafilatura
from corpora import corpus, parser
from lxml import etree
from record import environment, record

import crfclean
from crfclean.blocks import split
from crfclean.decode import decode
from crfclean.extras.systems import by_resiliparse, by_trafilatura
from crfclean.features import matrix
from crfclean.measures import Measures
from crfclean.taggers import load
from crfclean.taggers.crf import CrfTagger
from crfclean.types import Blocks, Floats

PASSES = 3


def by_crfclean(html: str) -> str:
    """The text of `crfclean.extract`."""
    return crfclean.extract(html)


def parse_only(html: str) -> object:
    """Lxml's tree of a page."""
    return etree.HTML(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))


def without_comments(html: str) -> str:
    """Trafilatura without its search for comments."""
    return trafilatura.extract(html, include_comments=False) or ""


SYSTEMS: dict[str, Callable[[str], object]] = {
    "crfclean": by_crfclean,
    "trafilatura": by_trafilatura,
    "trafilatura, no comments": without_comments,
    "resiliparse": by_resiliparse,
    "lxml parse": parse_only,
}


def cpu_ms(function: Callable[[Any], object], value: object) -> float:
    """CPU milliseconds of one call."""
    started = time.process_time()
    function(value)
    return (time.process_time() - started) * 1e3


def interleaved(pages: list[str]) -> dict[str, float]:
    """Mean over the pages of each system's best pass, in CPU milliseconds."""
    totals = dict.fromkeys(SYSTEMS, 0.0)
    for html in pages:
        best = dict.fromkeys(SYSTEMS, float("inf"))
        for _ in range(PASSES):
            for name, system in SYSTEMS.items():
                best[name] = min(best[name], cpu_ms(system, html))
        for name in SYSTEMS:
            totals[name] += best[name]
    return {name: total / len(pages) for name, total in totals.items()}


def scoring(pages: list[str]) -> dict[str, float]:
    """CPU milliseconds a page from feature columns to marginals: by arrays, by python-crfsuite."""
    tagger = cast("CrfTagger", load("default"))
    encoder = tagger.bundle.encoder
    engine = pycrfsuite.Tagger()
    engine.open_inmemory(tagger.bundle.weights)

    def by_crfsuite(columns: Floats) -> list[float]:
        engine.set(pycrfsuite.ItemSequence(encoder.encode(columns)))
        names = engine.labels()
        return [engine.marginal(name, place) for place in range(len(columns)) for name in names]

    systems = {"arrays": tagger.predict, "python-crfsuite": by_crfsuite}
    totals = dict.fromkeys(systems, 0.0)
    for html in pages:
        columns = tagger.columns(Measures(split(decode(html))))
        for name, system in systems.items():
            best = min(cpu_ms(system, columns) for _ in range(PASSES)) if len(columns) else 0.0
            totals[name] += best / len(pages)
    return totals


def cut_page(html: str) -> Blocks:
    """A page's blocks."""
    return split(decode(html))


def table(blocks: Blocks) -> Floats:
    """All features of a page."""
    return matrix(Measures(blocks))


def steps(pages: list[str]) -> dict[str, float]:
    """CPU milliseconds a page of each step of the path, the best of the passes."""
    tagger = cast("CrfTagger", load("default"))
    found = {"decode and split": 0.0, "table of features": 0.0, "tag": 0.0, "all": 0.0}
    for html in pages:
        blocks = cut_page(html)
        calls: tuple[tuple[Callable[[Any], object], object], ...] = (
            (cut_page, html),
            (table, blocks),
            (tagger.tag, blocks),
            (by_crfclean, html),
        )
        for name, (call, value) in zip(found, calls, strict=True):
            found[name] += min(cpu_ms(call, value) for _ in range(PASSES)) / len(pages)
    return found


def load_ms() -> float:
    """CPU milliseconds to open the shipped model and tag a first page."""
    first = split(decode("<p>One paragraph.</p>"))
    return min(cpu_ms(lambda _: load("default").tag(first), None) for _ in range(PASSES))


def growth() -> dict[int, float]:
    """CPU milliseconds for pages of many short paragraphs."""
    times = {}
    for count in (2_000, 8_000, 32_000):
        html = "<html><body>" + "".join(f"<p>Paragraph {n} is short.</p>" for n in range(count))
        times[count] = min(cpu_ms(by_crfclean, html) for _ in range(PASSES))
    return times


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--set", default="wcxb-dev")
    args.add_argument("--pages", type=int, default=60)
    given = args.parse_args()
    gold = corpus(given.set, given.data)
    pages = [one.page.html for one in random.Random(1).sample(gold, given.pages)]  # noqa: S311
    for system in SYSTEMS.values():
        system(pages[0])
    times = interleaved(pages)
    ratios = {name: times["crfclean"] / value for name, value in times.items()}
    for name, value in times.items():
        print(f"{name:26} {value:7.2f} ms a page   crfclean / it: {ratios[name]:.3f}")
    scored = scoring(pages)
    print("columns to marginals, ms a page:", {name: round(v, 2) for name, v in scored.items()})
    parts, opened = steps(pages), load_ms()
    print("steps, ms a page:", {name: round(value, 2) for name, value in parts.items()})
    print(f"load the model and tag a first page: {opened:.0f} ms")
    paragraphs = growth()
    ratio = paragraphs[32_000] / paragraphs[8_000]
    print("short paragraphs, ms:", {count: round(value) for count, value in paragraphs.items()})
    print(f"32,000 over 8,000 paragraphs: {ratio:.2f}")
    result: dict[str, Any] = {"set": given.set, "pages": given.pages, "cpu_ms": times}
    result |= {
        "scoring_ms": scored,
        "steps_ms": parts,
        "load_ms": opened,
        "ratios": ratios,
        "paragraphs_ms": paragraphs,
        "growth_32000_over_8000": ratio,
    }
    record("speed", {**result, **environment()})


if __name__ == "__main__":
    main()
