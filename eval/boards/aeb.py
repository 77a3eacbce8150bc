r"""Run systems by the protocol of the article-extraction-benchmark (Zyte, formerly Scrapinghub).

Run `python -m eval.boards.aeb DIR`, where DIR is its repository: it has `ground-truth.json` and
`html/ID.html.gz`. Without DIR the pages of `fundus-dev` in `--data` are used.

Measured as its `evaluate.py` does: shingles of four words (`\w+`, case counts) as multisets, their
hits and misses divided by their sum on each page; precision is the mean over pages with output,
recall over pages with a body, and F1 that of these two means. `accuracy`: pages whose words are
all right. `--out` writes `NAME.json`, for its directory `output`:
{"version": VERSION, "output": {ID: {"articleBody": TEXT}}}.

Its gold has the body alone, and its script switches trafilatura's comments off: crfclean runs as
`--as body` does.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import mean

from crfclean.page.decode import decode
from crfclean.products.teach.gold import GoldPage
from eval.boards import board
from eval.boards.board import Board, Figures, Setting, Texts, trafilatura_with

SIZE = 4  # words of a shingle; a shorter text is one shingle
_words = re.compile(r"\w+").findall


def read(directory: Path) -> Iterator[GoldPage]:
    """The pages of its repository."""
    truth = json.loads((directory / "ground-truth.json").read_text("utf-8"))
    for name, gold in truth.items():
        data = gzip.decompress((directory / "html" / f"{name}.html.gz").read_bytes())
        page = decode(data.decode("utf-8", "replace"), gold.get("url"))
        yield GoldPage(name, page, gold.get("articleBody") or "", "aeb", name)


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """The shingles of a text; none of an empty one.

    >>> shingles("one two three")
    Counter({('one', 'two', 'three'): 1})
    """
    words = _words(text)
    if not words:
        return Counter()
    return Counter(tuple(words[at : at + SIZE]) for at in range(max(1, len(words) - SIZE + 1)))


def counts(text: str, gold: str) -> tuple[int, int, int]:
    """Shingles in both, in the text alone, in the gold alone."""
    extracted, expected = shingles(text), shingles(gold)
    return (
        (extracted & expected).total(),
        (extracted - expected).total(),
        (expected - extracted).total(),
    )


def score(pages: Sequence[GoldPage], texts: Texts) -> Figures:
    """F1, precision, recall and accuracy of all pages."""
    rows = [counts(texts[gold.id], gold.text) for gold in pages]
    precisions = [both / (both + extra) for both, extra, _ in rows if both + extra]
    recalls = [both / (both + missing) for both, _, missing in rows if both + missing]
    precision, recall = mean(precisions or [0.0]), mean(recalls or [0.0])
    total = precision + recall
    return {
        "f1": 2 * precision * recall / total if total else 0.0,
        "precision": precision,
        "recall": recall,
        "accuracy": mean(_words(texts[gold.id]) == _words(gold.text) for gold in pages),
    }


def write(out: Path, name: str, _: Sequence[GoldPage], texts: Texts) -> None:
    """`NAME.json`, as its extractors write it."""
    bodies = {page: {"articleBody": text} for page, text in texts.items()}
    output = {"version": version(name), "output": bodies}
    written = json.dumps(output, sort_keys=True, ensure_ascii=False, indent=4)
    (out / f"{name}.json").write_text(written, "utf-8")


AEB = Board(
    "aeb",
    read,
    score,
    "fundus-dev",
    Setting(convention="body", peers={"trafilatura": trafilatura_with(include_comments=False)}),
    write,
)


def main() -> None:
    board.main(AEB, __doc__)


if __name__ == "__main__":
    main()
