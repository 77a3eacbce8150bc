"""Measure CPU time of the taggers without a model and of coherent texts, and its growth.

Run `python -m eval.segments.trees_speed --data DIR`.

The systems take turns page by page, the best of three passes each; cutting the page into blocks has
a row of its own, for all of them need it. Pages of 12,500 to 100,000 nodes and of depth 500 to
2,000 show that the growth is linear (elements below 512 levels are dissolved into the one around
them).
"""

from __future__ import annotations

from collections.abc import Callable

from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.segmentation.coherent import segments_of
from crfclean.segmentation.params import SegmentParams
from crfclean.taggers.load import load, named
from crfclean.types import Blocks
from crfclean.writers.formats import WRITERS
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record
from eval.lib.timing import best_cpu_ms, drawn

NODES = (12_500, 25_000, 50_000, 100_000)
DEPTHS = (500, 1_000, 2_000)


def systems() -> dict[str, Callable[[Blocks], object]]:
    """Name -> what is timed, from a page's blocks on."""
    crf = load("default")
    calls: dict[str, Callable[[Blocks], object]] = {"CRF": crf.tag}
    for name in ("energy", "links", "expert"):
        calls[f"tagger {name}"] = named(name).tag
    for method in ("energy", "links"):
        params = SegmentParams(method)
        calls[f"segments, {method}"] = lambda blocks, params=params: segments_of(blocks, params)  # type: ignore[misc]
    return calls


def wide(nodes: int) -> str:
    """A page of so many nodes: paragraphs with links, half of the nodes text."""
    part = "<div><p>Some words of the text and <a href=x>a link</a></p></div>"  # 5 nodes
    return "<html><body>" + part * (nodes // 5) + "</body></html>"


def deep(depth: int) -> str:
    """A page of so many levels with a word on each."""
    return "<div>word " * depth + "</div>" * depth


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=60)
    args = parser.parse_args()
    pages = drawn("wcxb-dev", args.data, args.pages)
    timed = systems()
    for call in timed.values():
        call(split(decode(pages[0])))
    mean = dict.fromkeys(["decode and split", *timed, "HTML of the expert's text"], 0.0)
    for html in pages:
        page = decode(html)
        blocks = split(page)
        mean["decode and split"] += best_cpu_ms(lambda text: split(decode(text)), html) / len(pages)
        for name, call in timed.items():
            mean[name] += best_cpu_ms(call, blocks) / len(pages)
        document = run(page, named("expert"))
        mean["HTML of the expert's text"] += best_cpu_ms(WRITERS["html"], document) / len(pages)
    for name, value in mean.items():
        print(f"{name:28} {value:8.2f} ms a page")
    growth: dict[str, dict[str, float]] = {}
    for label, sizes, make in (("nodes", NODES, wide), ("depth", DEPTHS, deep)):
        for size in sizes:
            blocks = split(decode(make(size)))
            times = {name: round(best_cpu_ms(call, blocks), 1) for name, call in timed.items()}
            growth[f"{label} {size}"] = times
            print(f"{label} {size:7}", times, flush=True)
    record(
        "segments/trees_speed",
        {"pages": args.pages, "cpu_ms": mean, "growth_ms": growth} | environment(),
    )


if __name__ == "__main__":
    main()
