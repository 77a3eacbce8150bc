"""Tests of `teach/runner.py`: pages scored by several systems, on texts and on blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.products.teach.cleaning import (
    Cleaned,
    PageScore,
    by_tagger,
    by_texts,
    gold_digest,
    score_page,
)
from crfclean.products.teach.gold import DOUBT, GoldPage
from crfclean.products.teach.metrics import WordScores
from crfclean.products.teach.runner import evaluate_systems
from crfclean.types import Blocks, Document, Label, Page, Tags

HTML = "<h1>Ferry returns</h1><p>It sails again.</p><p>Advertisement</p><p>Home page</p>"
TEXT = "Ferry returns\nIt sails again."
GOLD = GoldPage("a/p.html", Page(HTML), TEXT, "a", "x.example", "article")


@dataclass(frozen=True)
class Always:
    """A tagger that gives the first labels of a list."""

    labels: tuple[int, ...]

    def tag(self, blocks: Blocks) -> Tags:
        labels = np.array(self.labels[: len(blocks)], np.int32)
        return Tags(labels, np.eye(3)[labels], 1.0)


H, T, O = Label.HEADER, Label.TEXT, Label.OTHER  # noqa: E741


def score_text(gold: GoldPage, text: str, status: str = "ok") -> PageScore:
    (score,) = score_page(gold, [Cleaned(text, status)])
    return score


def score_document(gold: GoldPage, document: Document) -> PageScore:
    (score,) = score_page(gold, [Cleaned(document.text, document.status, document)])
    return score


def evaluate_texts(pages: list[GoldPage], folder: Path) -> Iterator[PageScore]:
    return (scored.scores[0] for scored in evaluate_systems(pages, {"": by_texts(folder)}))


# pages


def test_score_text() -> None:
    score = score_text(GOLD, "Ferry returns", "missing")
    assert score == PageScore(
        id="a/p.html",
        source="a",
        site="x.example",
        kind="article",
        distance=len(" It sails again."),
        distance_share=16 / 29,
        words=WordScores(1.0, 2 / 5, 4 / 7),
        status="missing",
        digest=gold_digest(GOLD),
        alignment=WordScores(1.0, 2 / 5, 4 / 7),
    )
    assert score.blocks is not None
    assert score.blocks.labels.tolist() == [H, O, O, O]


def test_score_document() -> None:
    tags = Always((H, O, T, O)).tag(split(GOLD.page))
    score = score_document(GOLD, Document(None, split(GOLD.page), tags, "ok"))
    assert score.words == WordScores(2 / 3, 2 / 5, 1 / 2)
    assert score.blocks is not None
    assert score.blocks.matrix.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    assert (score.id, score.source, score.site, score.kind, score.status) == (
        "a/p.html",
        "a",
        "x.example",
        "article",
        "ok",
    )


# cleaned texts

NAMES = {
    "page of a site": ("a/p.html", "a/p.txt"),
    "page of the top": ("p.html", "p.txt"),
    "gzipped page": ("a/b/p.xhtml.gz", "a/b/p.txt"),
    "row of a corpus": ("a/p", "a/p.txt"),
    "row with a full stop": ("a/v1.2", "a/v1.2.txt"),
    "address": ("x.example/a.b", "x.example/a.b.txt"),
}


@pytest.mark.parametrize(("name", "path"), NAMES.values(), ids=NAMES)
def test_texts_stand_where_the_pages_do(tmp_path: Path, name: str, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(TEXT, "utf-8")
    gold = replace(GOLD, id=name)
    assert list(evaluate_texts([gold], tmp_path)) == [score_text(gold, TEXT)]


# optional text

MORE = replace(GOLD, optional="Advertisement")


def test_optional_text_is_left_out_of_every_count() -> None:
    text = "Ferry returns\nIt sails again.\nAdvertisement"
    without, score = score_text(GOLD, text), score_text(MORE, text)
    assert (without.words.precision, without.alignment.precision) == (5 / 6, 5 / 6)
    assert score.words == score.alignment == WordScores(1.0, 1.0, 1.0)
    assert without.blocks is not None
    assert score.blocks is not None
    assert (len(without.blocks), len(score.blocks)) == (4, 3)
    assert without.blocks.ends == (0, -1)
    assert score.blocks.ends == (0, 0)
    assert score.distance == without.distance  # characters know nothing of it


def test_blocks_in_doubt_are_left_out_of_every_count() -> None:
    texts = split(GOLD.page).texts
    doubtful = replace(GOLD, labels=tuple(zip((H, T, DOUBT, O), texts, strict=True)))
    for kept in (O, T):
        system = by_tagger(Always((H, T, kept, O)))
        (score,) = score_page(doubtful, [system(doubtful)])
        assert score.words == score.alignment == WordScores(1.0, 1.0, 1.0)
        assert score.blocks is not None
        assert score.blocks.matrix.trace() == len(score.blocks) == 3


def test_digest_stands_for_page_and_gold() -> None:
    changed = [
        replace(GOLD, page=Page(HTML + " ")),
        replace(GOLD, text="x"),
        replace(GOLD, lang="cs"),
        replace(GOLD, optional="x"),
        replace(GOLD, labels=((DOUBT, "y"),)),
        replace(GOLD, expected_snippets=("x",)),
        replace(GOLD, forbidden_snippets=("x",)),
    ]
    assert len({gold_digest(gold) for gold in [GOLD, *changed]}) == 8
    assert gold_digest(replace(GOLD, id="other", source="b", labels=())) == gold_digest(GOLD)


# several systems


def test_systems_are_scored_side_by_side() -> None:
    systems = {
        "ours": by_tagger(Always((H, T, O, O))),
        "all": lambda gold: Cleaned("\n".join(split(gold.page).texts)),
        "none": lambda gold: Cleaned("", "crash"),
    }
    (scored,) = evaluate_systems([GOLD], systems)
    assert scored.gold == TEXT
    assert [text.count("\n") for text in scored.texts] == [1, 3, 0]
    assert [score.words.recall for score in scored.scores] == [1, 1, 0]
    assert [score.status for score in scored.scores] == ["ok", "ok", "crash"]
    matrices = [score.blocks.matrix.tolist() for score in scored.scores if score.blocks]
    assert matrices == [
        [[1, 0, 0], [0, 1, 0], [0, 0, 2]],
        [[1, 0, 0], [0, 1, 0], [0, 2, 0]],
        [[0, 0, 1], [0, 0, 1], [0, 0, 2]],
    ]


def test_texts_outside_the_directory_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(TEXT, "utf-8")
    (tmp_path / "inner").mkdir()
    for name in (f"{tmp_path}/p.html", "../p.html", "a/../../p.html", "", ".", "/"):
        (score,) = evaluate_texts([replace(GOLD, id=name)], tmp_path / "inner")
        assert score.status == "missing"
