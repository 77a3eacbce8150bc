"""Tests of `teach/coverage.py`: pages of which only some blocks have a label."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.page.align import align
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.products.teach.cleaning import Cleaned
from crfclean.products.teach.corrected import tuned_pages
from crfclean.products.teach.gold import GoldPage, gold_labels, labels_file, read_gold
from crfclean.products.teach.runner import score_systems
from crfclean.products.teach.session import open_session
from crfclean.products.teach.train import TrainParams, train
from crfclean.systems.load import load
from crfclean.types import Label, Page

Command = Callable[..., Any]
N, T, O = -1, Label.TEXT, Label.OTHER  # noqa: E741
FAST = ("--iterations", 15)
TEXTS = ("Menu of the day", "The ferry is late.", "The ferry is old.", "Share the ferry")
HTML = "".join(f"<p>{text}</p>" for text in TEXTS)


def gold_page(*labels: int) -> GoldPage:
    lines = tuple(zip(labels, TEXTS, strict=True))
    return GoldPage("p", Page(HTML), TEXTS[1] if T in labels else "", "s", "s", labels=lines)


def write_labels(page: Path, every: int = 1) -> None:
    """Write the labels of every so many blocks of a page that has a text, and remove the text."""
    text = page.with_suffix(".txt")
    blocks = split(decode(page.read_bytes()))
    labels = align(blocks, text.read_text("utf-8"))
    labels[np.arange(len(labels)) % every > 0] = N
    text.unlink()
    file = page.with_suffix(".labels.tsv")
    file.write_text(labels_file(labels.tolist(), blocks.texts), "utf-8")


@pytest.fixture
def pages(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four pages of a site: one whole, two with a label on every other block, one without any."""
    monkeypatch.chdir(tmp_path)
    folder = Path(shutil.copytree(demo / "hafenblick", tmp_path / "pages"))
    files = sorted(folder.glob("*.html"))
    files[0].with_suffix(".txt").unlink()
    write_labels(files[1], 2)
    write_labels(files[2], 2)
    return folder


# gold


def test_blocks_without_a_label_do_not_count() -> None:
    gold = gold_page(O, T, N, N)
    labels, counts = gold_labels(gold, split(gold.page))
    assert (labels.tolist(), counts.tolist()) == ([O, T, O, O], [True, True, False, False])


TEXTS_OF_SYSTEMS = {
    "all right": (TEXTS[1], 1.0),
    "more, which is not labelled": ("\n".join(TEXTS[1:]), 1.0),
    "the words of unlabelled blocks do not stand for missing ones": ("\n".join(TEXTS[2:]), 0.0),
    "what is OTHER": ("\n".join(TEXTS[:2]), 8 / 12),
}


@pytest.mark.parametrize(("text", "f1"), TEXTS_OF_SYSTEMS.values(), ids=TEXTS_OF_SYSTEMS)
def test_only_labelled_blocks_are_scored(text: str, f1: float) -> None:
    scored = score_systems(gold_page(O, T, N, N), [lambda _: Cleaned(text)], ("order",))
    [score] = scored.scores
    assert score.words.f1 == score.alignment.f1 == score.metrics["order"] == pytest.approx(f1)


def test_a_page_without_text_among_its_labels_is_scored() -> None:
    for text, f1 in (("\n".join(TEXTS[1:]), 1.0), (TEXTS[0], 0.0)):
        cleaned = Cleaned(text)
        scored = score_systems(gold_page(O, N, N, N), [partial(lambda made, _: made, cleaned)])
        assert scored.scores[0].words.f1 == f1


def test_blocks_without_a_label_train_as_much_as_doubt(pages: Path) -> None:
    golds = list(read_gold(pages))
    assert [gold.is_partial for gold in golds] == [True, True, False]
    params = TrainParams(iterations=15)
    bundle = train(golds, params)
    for file in pages.glob("*.labels.tsv"):
        file.write_text(file.read_text("utf-8").replace("?\t", "DOUBT\t"), "utf-8")
    doubtful = train(read_gold(pages), params)
    assert bundle.weights == doubtful.weights
    assert bundle.weights != train(golds[2:], params).weights


# commands

TOLD = "2 of 3 pages are partly labelled: 148 of 296 blocks have a label, the others count for "
COMMANDS = {
    "train": ("train", "-o", "m", *FAST),
    "train --from": ("train", "-o", "m", "--from", "default", *FAST),
    "tune": ("tune", "-o", "t.json"),
    "eval": ("eval",),
    "eval --cv": ("eval", "--cv", 3, *FAST),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_commands_use_partly_labelled_pages(
    crfclean: Command, pages: Path, arguments: tuple[object, ...]
) -> None:
    name, *options = arguments
    done = crfclean(name, pages, *options)
    assert done.code == 0, done.err
    assert TOLD in done.err
    assert "left out: 1 page without a label or text: elektrofaehre-wattlerche.html\n" in done.err


def test_a_page_whose_blocks_all_lack_a_label_is_left_out(crfclean: Command, pages: Path) -> None:
    for file in pages.glob("*.labels.tsv"):
        lines = file.read_text("utf-8").splitlines()
        texts = [line.partition("\t")[2] for line in lines]
        file.write_text(labels_file([N] * len(lines), texts), "utf-8")
    done = crfclean("eval", pages)
    assert done.code == 0
    assert "left out: 3 pages without a label or text: " in done.err
    assert "partly labelled" not in done.err


def test_one_label_a_page_is_enough_for_tune(crfclean: Command, pages: Path) -> None:
    for file in [*pages.glob("*.tsv"), *pages.glob("*.txt")]:
        file.unlink()
    session = open_session(pages)
    for number, label in enumerate((T, O, O)):  # a page without text among its labels, too
        session.label(number, {20: label})
    done = crfclean("tune", pages, "-o", "t.json")
    assert done.code == 0, done.err
    assert "settings learned from 3 pages" in done.err
    assert "3 of 3 pages are partly labelled: 3 of " in done.err
    trained = crfclean("train", pages, "-o", "m", "--held-out", 0)
    assert trained.code == 0, trained.err


def test_labels_that_only_held_out_pages_have(crfclean: Command, pages: Path) -> None:
    for file in [*pages.glob("*.tsv"), *pages.glob("*.txt"), *sorted(pages.glob("*.html"))[2:]]:
        file.unlink()
    session = open_session(pages)
    for number, label in enumerate((T, O)):
        session.label(number, dict.fromkeys(range(20, 30), label))
    done = crfclean("train", pages, "-o", "m", *FAST)
    assert (done.code, done.out) == (0, ""), done.err
    assert "no scores: on the pages that are not held out, every labelled block is " in done.err
    assert Path("m/manifest.json").exists()


HIDDEN = "".join(
    f"<p>Line {number} of the text tells of the ferry and its town.</p>" for number in range(12)
)


def test_labels_of_a_page_that_hides_its_text(tmp_path: Path) -> None:
    """The label file has the blocks that the page shows; tune reads those that it carries."""
    for name in ("a", "b"):
        html = f"<h1>Title {name}</h1><p>Loading</p><div style='display:none'>{HIDDEN}</div>"
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
        labels = labels_file([T, O], [f"Title {name}", "Loading"])
        (tmp_path / f"{name}.labels.tsv").write_text(labels, "utf-8")
    [whole, _] = tuned_pages(read_gold(tmp_path), load())
    assert len(whole.lesson.names) > 10
    for name in ("a", "b"):
        labels = labels_file([T, N], [f"Title {name}", "Loading"])
        (tmp_path / f"{name}.labels.tsv").write_text(labels, "utf-8")
    [partial_page, _] = tuned_pages(read_gold(tmp_path), load())
    assert not (~partial_page.lesson.is_text).any(), "what has no label is not OTHER"


def test_ten_pages_are_not_few(crfclean: Command, demo: Path, tmp_path: Path) -> None:
    few = "fewer than 10 pages"
    made = tmp_path / "gold"
    for number, site in enumerate(("hafenblick", "moorland-gazette", "severnik")):
        shutil.copytree(demo / site, made / site)
        done = crfclean("train", made, "-o", tmp_path / str(number), "--held-out", 0, *FAST)
        assert (few in done.err) == (number < 2)
