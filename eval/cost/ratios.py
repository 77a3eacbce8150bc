"""Measure by set what `extract`, a row and Markdown cost, beside the peers, and the bytes of rows.

Run `python -m eval.cost.ratios --data DIR`.

The systems take turns page by page, and every page is read five times: its best time counts, so
that what else the machine does hardly shows. The median page is that by the ratio itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import crfclean
from crfclean.products.teach.gold import JSONL_SUFFIXES
from crfclean.products.teach.peers import EXTRACTIONS
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record
from eval.lib.timing import cpu_ms, drawn

SETS = ("wcxb-dev", "immortal-zh", "daniel-dev", "fundus-dev", "recipes-dev", "sphinxdocs-dev", "")
"""Sets that are measured if they are there; "" stands for the bundled pages."""

RUNS = 5
ONE_BLOCK = "<html><body><p>A page of one block has hardly anything to read.</p></body></html>"
PEERS = ("trafilatura", "resiliparse")
RATIOS = {
    **{f"extract / {peer}": ("extract", peer) for peer in PEERS},
    "row / extract": ("row", "extract"),
    "row / trafilatura JSON": ("row", "trafilatura JSON"),
    "Markdown / text": ("Markdown", "extract"),
}

System = Callable[[str], object]


def systems() -> dict[str, System]:
    """What is measured: text, Markdown and a row of crfclean, and the peers that are installed.

    A row is a line of JSON, as `clean --format jsonl` writes it; beside it stands trafilatura's
    JSON with metadata.
    """
    measured: dict[str, System] = {
        "extract": crfclean.extract,
        "Markdown": lambda html: crfclean.extract(html, format="md"),
        "row": lambda html: crfclean.extract(html, format="jsonl"),
    }
    for peer in filter(find_spec, PEERS):
        import_module(peer)  # one that cannot be imported failed on each page, in no time
        measured[peer] = lambda html, peer=peer: EXTRACTIONS[peer](html, "")  # type: ignore[misc]
    if find_spec("trafilatura"):
        from trafilatura import extract

        measured["trafilatura JSON"] = lambda html: extract(
            html, output_format="json", with_metadata=True
        )
    return measured


def bytes_by_text(pages: Sequence[str]) -> dict[str, float]:
    """Bytes of a row, without and with its blocks, as a share of those of its text."""
    forms: Mapping[str, System] = {
        "row": lambda html: crfclean.extract(html, format="jsonl"),
        "row with blocks": lambda html: crfclean.extract(html, format="jsonl", blocks=True),
    }
    text = sum(len(crfclean.extract(html).encode()) for html in pages)
    sizes = {
        name: sum(len(str(form(html)).encode()) for html in pages) for name, form in forms.items()
    }
    return {name: round(size / text, 2) for name, size in sizes.items()}


def best_ms(pages: Sequence[str], measured: Mapping[str, System]) -> dict[str, list[float]]:
    """CPU milliseconds of each system for each page, the best of `RUNS`; who is first changes."""
    best = {name: [math.inf] * len(pages) for name in measured}
    names = list(measured)
    for run in range(RUNS):
        for at, html in enumerate(pages):
            start = (run + at) % len(names)
            for name in names[start:] + names[:start]:
                best[name][at] = min(best[name][at], cpu_ms(measured[name], html))
    return best


def ratios(best: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Ratio -> that of all pages together, and that of the median page."""
    table = {}
    for name, (ours, other) in RATIOS.items():
        if other in best:
            by_page = [a / b for a, b in zip(best[ours], best[other], strict=True)]
            whole = sum(best[ours]) / sum(best[other])
            table[name] = {"all": round(whole, 3), "median page": round(median(by_page), 3)}
    return table


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--pages", type=int, default=40, help="random pages of each set")
    args = parser.parse_args()
    measured, by_set = systems(), {}
    for name in SETS:
        if name and not any(Path(args.data, name + suffix).is_file() for suffix in JSONL_SUFFIXES):
            continue
        pages = drawn(name, args.data, args.pages)
        best = best_ms(pages, measured)
        ms = {system: round(sum(times) / len(times), 2) for system, times in best.items()}
        by_set[name or "demo"] = {
            "ms a page": ms,
            "ratios": ratios(best),
            "bytes / text": bytes_by_text(pages),
        }
        print(name or "demo", by_set[name or "demo"], flush=True)
    one = {
        name: round(min(times), 3) for name, times in best_ms([ONE_BLOCK] * 20, measured).items()
    }
    print("a page of one block, ms:", one)
    record("cost/ratios", {"sets": by_set, "one block, ms": one, "runs": RUNS, **environment()})


if __name__ == "__main__":
    main()
