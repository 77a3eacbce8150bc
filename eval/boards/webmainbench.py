"""Run systems by the protocol of WebMainBench: ROUGE-5 of Markdown that html2text makes of HTML.

Run `python -m eval.boards.webmainbench FILE` (`pip install jieba html2text`), where FILE is its
`WebMainBench_7809.jsonl` or `WebMainBench_545.jsonl`, or a directory with such files. Without FILE
the pages of `sphinxdocs-dev` in `--data` are used, whose gold is made of the element that a
template has for the document.

Measured as its `TextRougeNgramMetric` does, and MinerU-HTML's `eval_baselines.py`: the words are
those of `jieba.lcut`, white space included; precision, recall and F1 of runs of five words as
multisets; two empty texts score 1; mean over pages, and over those of each level. The gold is
`convert_main_content`, or `groundtruth_content` where there is no other. The pages carry their
annotation as attributes (`cc-select`), which are taken out before any system sees them. crfclean,
trafilatura and readability-lxml give main HTML, which becomes Markdown as the gold did; the others
give text. `--out` writes `NAME.jsonl`: `track_id`, `url`, and the text as `content`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import lxml.html

from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import word_scores
from crfclean.products.teach.peers import block_text
from crfclean.types import Page
from eval.boards import board
from eval.boards.board import Board, Figures, Setting, Texts, means, trafilatura_with

SIZE = 5  # words of a run
FOUND = 0.99  # F1 of words; a table of contents inside the element gives less
_DOCUMENT = '//*[@itemprop="articleBody" or @role="main" or contains(@class, "bd-article")]'
_ANNOTATION = re.compile(r"\s(?:cc-select|_item_id|data-anno-uid)=(?:\"[^\"]*\"|'[^']*')")


def gold_page(row: Mapping[str, Any]) -> GoldPage:
    """A line of the board's file, without the annotation in its HTML."""
    meta = row.get("meta") or {}
    text = row.get("convert_main_content") or row.get("groundtruth_content") or ""
    page = Page(_ANNOTATION.sub("", row["html"]), row.get("url") or None)
    level, lang = str(meta.get("level") or ""), str(meta.get("language") or "")
    name = str(row["track_id"])
    return GoldPage(name, page, text, "webmainbench", name, level, lang)


def read(path: Path) -> Iterator[GoldPage]:
    """The pages of a file, or of all files of a directory."""
    for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
        with file.open(encoding="utf-8") as lines:
            yield from (gold_page(json.loads(line)) for line in lines if line.strip())


def markdown(html: str) -> str:
    """The Markdown of main HTML, as the board converts it."""
    import html2text

    converter = html2text.HTML2Text(bodywidth=0)
    converter.ignore_links = converter.ignore_images = True
    return str(converter.handle(html))


def summary(html: str, _lang: str) -> str:
    """The main HTML of readability-lxml."""
    import readability

    return str(readability.Document(html).summary())


def with_markdown(pages: Iterable[GoldPage]) -> Iterator[GoldPage]:
    """Pages of documentation with Markdown as gold: of the element whose words are the gold's."""
    for gold in pages:
        tree: Any = lxml.html.document_fromstring(gold.page.html)
        for element in tree.xpath(_DOCUMENT)[-1:]:
            html = lxml.html.tostring(element, encoding="unicode")
            if word_scores(block_text(html), gold.text).f1 > FOUND:
                yield replace(gold, text=markdown(html))


def words(text: str) -> list[str]:
    """The words of a text as the board cuts them."""
    import jieba

    jieba.setLogLevel("ERROR")
    return list(jieba.lcut(text))


def runs(text: str) -> Counter[tuple[str, ...]]:
    """The runs of five words of a text."""
    cut = words(text)
    return Counter(tuple(cut[at : at + SIZE]) for at in range(len(cut) - SIZE + 1))


def page_figures(text: str, gold: str) -> dict[str, float]:
    """ROUGE-5 of a page."""
    if not text.strip() and not gold.strip():
        return {"f1": 1.0, "precision": 1.0, "recall": 1.0}
    extracted, expected = runs(text), runs(gold)
    both = (extracted & expected).total()
    precision, recall = both / max(1, extracted.total()), both / max(1, expected.total())
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    return {"f1": f1, "precision": precision, "recall": recall}


def score(pages: Sequence[GoldPage], texts: Texts) -> Figures:
    """Means over pages, then the mean F1 of each level."""
    return means((gold.kind, page_figures(texts[gold.id], gold.text)) for gold in pages)


def write(out: Path, name: str, pages: Sequence[GoldPage], texts: Texts) -> None:
    """`NAME.jsonl`, a page a line."""
    with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        for gold in pages:
            row = {"track_id": gold.id, "url": gold.page.url, "content": texts[gold.id]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


PEERS = {"trafilatura": trafilatura_with(output_format="html"), "readability-lxml": summary}

WEBMAINBENCH = Board(
    "webmainbench",
    read,
    score,
    "sphinxdocs-dev",
    Setting(peers=PEERS, markdown=markdown),
    write,
    with_markdown,
)


def main() -> None:
    board.main(WEBMAINBENCH, __doc__)


if __name__ == "__main__":
    main()
