"""Tests of `cli/batch.py`: the summary of a run, with the files left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from crfclean.cli.batch import MAX_SUFFIXES, LeftOut, batch_summary
from crfclean.corpus.jobs import left_out_result
from crfclean.corpus.listing import EMPTY, GOLD, NO_HTML, ListedFile

WORDS = {
    "nothing": ([], ""),
    "one": ([("x.css", NO_HTML)], "; 1 file left out: no HTML (.css)"),
    "no suffix": ([("x", NO_HTML)], "; 1 file left out: no HTML"),
    "kinds, the commonest first": (
        [("a", EMPTY), ("x.txt", GOLD), ("y.txt", GOLD)],
        f"; 3 files left out: 2 {GOLD}, 1 empty",
    ),
    "suffixes, the commonest first": (
        [("a.js", NO_HTML), ("a.CSS", NO_HTML), ("b.css", NO_HTML), ("c", NO_HTML)],
        "; 4 files left out: no HTML (.css .js)",
    ),
    "many suffixes": (
        [(f"x.{number}", NO_HTML) for number in range(MAX_SUFFIXES + 1)],
        "; 7 files left out: no HTML (.0 .1 .2 .3 .4 .5 ...)",
    ),
}


@pytest.mark.parametrize(("files", "words"), WORDS.values(), ids=WORDS)
def test_words(files: list[tuple[str, str]], words: str) -> None:
    left_out = LeftOut()
    for name, reason in files:
        left_out.add(left_out_result(ListedFile(Path(name), left_out=reason)))
    assert left_out.words == words


def test_summary_tells_what_there_is() -> None:
    counts = Counter({"ok": 2, "without": 1, "low-score": 3, "pages-before": 4})
    told = "6 pages: 2 cleaned, 1 without text, 0 failed, 3 below the score, "
    told += "4 of the pages done before, 1 output file done before"
    counts["done-before"] = 1
    assert batch_summary(counts) == told
