"""Tests of `teach/session.py`: sheets from pages and label files, and back."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.products.teach.gold import NONE, gold_paths, read_gold
from crfclean.products.teach.sheets import find_pages, read_sheet
from crfclean.systems.crf import CrfTagger
from crfclean.types import CrfcleanError, GoldError, Label, NoGoldError

HTML = "<body><div><a>Home</a></div><h1>Title</h1><p>One text.</p><p>Two texts.</p></body>"
TEXTS = ("Home", "Title", "One text.", "Two texts.")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "x.html"
    file.write_text(HTML, "utf-8")
    return file


def label_file(page: Path, *names: str, texts: tuple[str, ...] = TEXTS) -> Path:
    path = gold_paths(page)[0]
    lines = zip(names, texts, strict=False)
    path.write_text("".join(f"{name}\t{text}\n" for name, text in lines), "utf-8")
    return path


def test_a_page_nobody_has_labelled(page: Path) -> None:
    sheet = read_sheet(page, None)
    assert sheet.blocks.texts == TEXTS
    assert (
        sheet.labels.tolist() == sheet.guesses.tolist() == sheet.known_labels.tolist() == [NONE] * 4
    )
    assert sheet.labelled == 0
    assert sheet.next_unsettled(0) == 0
    assert sheet.certainty == 0


def test_hand_cleaned_text_gives_labels(page: Path) -> None:
    gold_paths(page)[1].write_text("Title\nOne text.\nTwo texts.", "utf-8")
    sheet = read_sheet(page, None)
    assert sheet.labels.tolist() == [Label.OTHER, Label.HEADER, Label.TEXT, Label.TEXT]
    assert sheet.next_unsettled(0) is None


def test_menus_and_the_block_to_begin_with(page: Path) -> None:
    page.write_text("<ul>" + "<li>Sport" * 6 + "</ul><h1>Title</h1><p>One text.", "utf-8")
    none = read_sheet(page, None)
    guesses = np.array([Label.OTHER] * 7 + [Label.TEXT])
    sheet = replace(none, guesses=guesses, sure=np.full(8, 0.99))
    assert (sheet.menus, sheet.start) == ([(0, 6)], 7)
    assert (none.menus, none.start) == ([], 0)
    labels = np.array([NONE, NONE, Label.TEXT] + [NONE] * 4 + [Label.TEXT])
    labelled = replace(sheet, labels=labels, sure=np.array([0.99] * 6 + [0.7, 0.99]))
    assert (labelled.menus, labelled.start) == ([], 6)


@pytest.mark.parametrize("html", ["", "<body></body>", "<p></p>", "\0\1\2"])
def test_pages_without_blocks(tmp_path: Path, tagger: CrfTagger, html: str) -> None:
    file = tmp_path / "x.html"
    file.write_text(html, "utf-8")
    sheet = read_sheet(file, tagger)
    assert len(sheet) == sheet.labelled == 0
    assert sheet.next_unsettled(0) is None
    assert sheet.certainty == 1


@pytest.mark.parametrize(
    ("names", "texts", "told"),
    [
        (("TEXT",) * 3, TEXTS, "x.labels.tsv: 3 lines, but the page has 4 blocks"),
        (("TEXT",) * 5, (*TEXTS, "more"), "x.labels.tsv: 5 lines, but the page has 4 blocks"),
        (
            ("TEXT",) * 4,
            ("Home", "other", *TEXTS[2:]),
            "x.labels.tsv: line 2 is 'other', but",
        ),
        (("TEXT", "text"), TEXTS, "x.labels.tsv:2: expected LABEL<TAB>text"),
    ],
)
def test_label_files_that_do_not_fit(
    page: Path, names: tuple[str, ...], texts: tuple[str, ...], told: str
) -> None:
    label_file(page, *names, texts=texts)
    with pytest.raises(GoldError, match=told):
        read_sheet(page, None)


def test_gold_of_unfinished_pages(page: Path) -> None:
    label_file(page, "?", "DOUBT", "?", "?")
    with pytest.raises(NoGoldError):
        list(read_gold(page.parent))
    label_file(page, "OTHER", "HEADER", "TEXT", "?")
    [gold] = read_gold(page.parent)
    assert (gold.is_partial, gold.text) == (True, "Title\nOne text.")
    gold_paths(page)[1].write_text("Two texts.", "utf-8")  # a text is complete
    [gold] = read_gold(page.parent)
    assert (gold.is_partial, gold.text, gold.labels) == (False, "Two texts.", None)
    label_file(page, "OTHER", "HEADER", "TEXT", "OTHER")
    [gold] = read_gold(page.parent)
    assert gold.labels is not None


CELLS = "<tr class=row><td>Title {0}<td>Author {0}</tr>"
ALIKE = {
    "cards": ("<div class=card><h2>A</h2><p>1</p></div>" * 2 + "<h2>Other</h2>", [0, 2]),
    "numbered names": ("<div><p class='card card-7'>A<p class='card card-8'>B<p>C</div>", [0, 1]),
    "a column": (f"<table>{CELLS.format(1)}{CELLS.format(2)}</table>", [0, 2]),
}


@pytest.mark.parametrize(("html", "expected"), ALIKE.values(), ids=ALIKE)
def test_blocks_alike(page: Path, html: str, expected: list[int]) -> None:
    page.write_text(html, "utf-8")
    sheet = read_sheet(page, None)
    assert sheet.alike(0) == expected
    labels = np.full(len(sheet), NONE)
    labels[expected[1]] = Label.TEXT
    assert replace(sheet, labels=labels).alike(0) == [0], "what has another label is not alike"


def test_places_are_tags_and_text(page: Path) -> None:
    assert list(read_sheet(page, None).places()) == [
        ("html/body/div", "Home"),
        ("html/body/h1", "Title"),
        ("html/body/p", "One text."),
        ("html/body/p", "Two texts."),
    ]


def test_find_pages(tmp_path: Path) -> None:
    for name in ("b.html", "a/c.HTM", "a/d.xhtml.gz", "e.txt", "f.labels.tsv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "g.html").mkdir()
    found = [file.relative_to(tmp_path).as_posix() for file in find_pages(tmp_path)]
    assert found == ["a/c.HTM", "a/d.xhtml.gz", "b.html"]
    with pytest.raises(CrfcleanError, match="no such directory"):
        find_pages(tmp_path / "none")
    with pytest.raises(CrfcleanError, match="no pages to label"):
        find_pages(tmp_path / "g.html")


def test_a_folder_that_may_not_be_entered_hides_no_other_page(
    gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, pages, stat = [page.id for page in read_gold(gold)], find_pages(gold), os.stat

    def closed(path: Any, **options: Any) -> os.stat_result:
        if Path(str(path)).parent.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    (gold / "closed").mkdir()
    (gold / "closed" / "a.html").write_text("<p>a")
    monkeypatch.setattr(os, "stat", closed)
    assert [page.id for page in read_gold(gold)] == ids
    assert find_pages(gold) == pages
