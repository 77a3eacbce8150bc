"""Measure CPU time a page of the perceptron and the CRF, and the sizes of the models.

Run `python -m eval.mlp.speed --data DIR`.

The taggers, without and with post-analysis, take turns page by page, the best of three passes each;
growth with short paragraphs.
"""

from __future__ import annotations

from pathlib import Path

import crfclean
from crfclean.modelfiles.folder import find_model
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.taggers.load import SHIPPED, load
from crfclean.taggers.post import with_post
from crfclean.types import Blocks, Document, Tagger
from eval.lib.corpora import data_parser
from eval.lib.record import environment, record
from eval.lib.timing import PASSES, cpu_ms, drawn

TAGGERS: dict[str, Tagger] = {
    f"{kind}{' + post' if post else ''}": with_post(load(kind=kind), post)
    for kind in SHIPPED
    for post in (False, True)
}


def cut_page(html: str) -> Blocks:
    """A page's blocks."""
    return split(decode(html))


def cleaned(job: tuple[str, str]) -> Document:
    """A page (the second) cleaned by a tagger (the first)."""
    name, html = job
    return run(decode(html), TAGGERS[name])


def interleaved(pages: list[str]) -> dict[str, float]:
    """Mean over the pages of each tagger's best pass, and of cutting alone, in CPU milliseconds."""
    totals = dict.fromkeys([*TAGGERS, "split"], 0.0)
    for html in pages:
        best = dict.fromkeys(totals, float("inf"))
        for _ in range(PASSES):
            for name in TAGGERS:
                best[name] = min(best[name], cpu_ms(cleaned, (name, html)))
            best["split"] = min(best["split"], cpu_ms(cut_page, html))
        for name, value in best.items():
            totals[name] += value / len(pages)
    return totals


def growth(name: str) -> dict[int, float]:
    """CPU milliseconds for pages of many short paragraphs."""
    times = {}
    for count in (2_000, 8_000, 32_000):
        html = "<html><body>" + "".join(f"<p>Paragraph {n} is short.</p>" for n in range(count))
        times[count] = min(cpu_ms(cleaned, (name, html)) for _ in range(PASSES))
    return times


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="wcxb-dev")
    parser.add_argument("--pages", type=int, default=60)
    args = parser.parse_args()
    pages = drawn(args.set, args.data, args.pages)
    crfclean.extract(pages[0])
    times, longer = interleaved(pages), growth("mlp + post")
    sizes = {
        kind: {path.name: path.stat().st_size for path in sorted(Path(find_model(name)).iterdir())}
        for kind, name in SHIPPED.items()
    }
    for tagger, value in times.items():
        print(f"{tagger:12} {value:7.2f} ms a page")
    print("short paragraphs, mlp + post, ms:", {count: round(v) for count, v in longer.items()})
    print(f"32,000 over 8,000 paragraphs: {longer[32_000] / longer[8_000]:.2f}")
    print("bytes:", sizes)
    result = {"set": args.set, "pages": args.pages, "cpu_ms": times, "paragraphs_ms": longer}
    record("mlp/speed", {**result, "bytes": sizes, **environment()})


if __name__ == "__main__":
    main()
