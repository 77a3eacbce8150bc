"""Run systems by the protocol of trafilatura's own evaluation.

Run `python -m eval.boards.trafilatura DIR`, where DIR is the directory `tests` of its repository,
which has `evaldata.json`, and the pages in `cache` and `eval`. Without DIR the development half of
`--data` is used.

Measured as its `eval_common.py` does: a passage of a page's `with` or `without` counts as present
where it stands in the text, white space folded. Over all pages together: precision, recall and F1
of the wanted passages, accuracy of both. `--out` writes the texts as `NAME.json`. Its script
switches comments and formatting off; so does this one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from crfclean.page.decode import decode
from crfclean.products.teach.gold import GoldPage
from eval.boards import board
from eval.boards.board import Board, Figures, Setting, Texts, trafilatura_with

OPTIONS = {"include_comments": False, "include_tables": True, "include_formatting": False}


def read(directory: Path) -> Iterator[GoldPage]:
    """The pages of its repository; those whose file is missing are left out."""
    for url, item in json.loads((directory / "evaldata.json").read_text("utf-8")).items():
        paths = (directory / folder / item["file"] for folder in ("cache", "eval"))
        path = next((path for path in paths if path.is_file()), None)
        if path is not None:
            page = decode(path.read_bytes(), url)
            wanted, unwanted = tuple(item["with"]), tuple(item["without"])
            yield GoldPage(
                url,
                page,
                "",
                "trafilatura",
                url,
                expected_snippets=wanted,
                forbidden_snippets=unwanted,
            )


def folded(text: str) -> str:
    """A text with one space for each run of white space."""
    return " ".join(text.split())


def score(pages: Sequence[GoldPage], texts: Texts) -> Figures:
    """The figures over the passages of all pages, and their numbers."""
    hits = leaked = needed = barred = 0
    for gold in pages:
        text = folded(texts[gold.id])
        hits += sum(folded(passage) in text for passage in gold.expected_snippets)
        leaked += sum(folded(passage) in text for passage in gold.forbidden_snippets)
        needed, barred = needed + len(gold.expected_snippets), barred + len(gold.forbidden_snippets)
    return {
        "precision": hits / max(1, hits + leaked),
        "recall": hits / max(1, needed),
        "accuracy": (hits + barred - leaked) / max(1, needed + barred),
        "f1": 2 * hits / max(1, hits + leaked + needed),
        "wanted": needed,
        "unwanted": barred,
        "empty": sum(not text for text in texts.values()),
    }


TRAFILATURA = Board(
    "trafilatura",
    read,
    score,
    "trafilatura-dev",
    Setting(comments="drop", peers={"trafilatura": trafilatura_with(**OPTIONS)}),
)


def main() -> None:
    board.main(TRAFILATURA, __doc__)


if __name__ == "__main__":
    main()
