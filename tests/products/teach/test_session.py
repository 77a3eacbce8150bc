"""Tests of `teach/session.py`: sessions over directories of pages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from crfclean.products.teach.gold import NONE, gold_paths
from crfclean.products.teach.session import Session, open_session
from crfclean.systems.crf import CrfTagger
from crfclean.types import CrfcleanError, GoldError, Label

H, T, O = Label.HEADER, Label.TEXT, Label.OTHER  # noqa: E741
MENU = "<ul><li>Home</li><li>News</li></ul>"
PAGES = {
    "a.html": f"{MENU}<h1>First</h1><p>One.</p>",
    "b.html": f"{MENU}<h1>Second</h1><p>Two.</p><p>Three.</p>",
    "sub/c.html": "<h1>Third</h1><div>Home</div>",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, html in PAGES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(html, "utf-8")
    return tmp_path


@pytest.fixture
def session(folder: Path) -> Session:
    return open_session(folder)


def saved(folder: Path, name: str) -> str:
    """First letters of a page's label file."""
    path = gold_paths(folder / name)[0]
    return "".join(line[0] for line in path.read_text("utf-8").splitlines())


def test_a_new_session(session: Session, folder: Path) -> None:
    assert [card.name for card in session.pages] == list(PAGES)
    assert [card.blocks for card in session.pages] == [4, 5, 2]
    assert session.labelled == (0, 11)
    assert not any(card.finished for card in session.pages)
    assert session.next_page(0) == 0
    session.sheet(0)
    assert not list(folder.rglob("*.tsv"))  # looking writes nothing


def test_a_block_known_from_elsewhere_is_not_asked_again(session: Session, folder: Path) -> None:
    session.label(0, {0: O, 1: O})
    sheet = session.sheet(1)
    assert sheet.known_labels.tolist() == [O, O, NONE, NONE, NONE]
    assert sheet.labels.tolist() == [NONE] * 5
    assert sheet.next_unsettled(0) == 2
    assert session.sheet(2).known_labels.tolist() == [NONE, NONE]  # same text, another place
    session.label(1, {2: H})
    assert saved(folder, "b.html") == "OOH??"


def test_a_page_whose_blocks_are_all_known_is_saved_when_looked_at(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(MENU, "utf-8")
    session = open_session(tmp_path)
    session.label(0, {0: O, 1: O})
    assert session.next_page(0) == 1
    session.sheet(1)
    assert saved(tmp_path, "b.html") == "OO"
    assert session.next_page(0) is None


def test_a_label_file_that_does_not_fit_is_left_alone(folder: Path) -> None:
    path = gold_paths(folder / "a.html")[0]
    path.write_text("TEXT\tsomething else\n", "utf-8")
    session = open_session(folder, order="name")
    assert "a.labels.tsv: line 1" in session.pages[0].problem
    assert session.pages[0].finished
    with pytest.raises(GoldError, match="something else"):
        session.sheet(0)
    with pytest.raises(GoldError, match="something else"):
        session.label(0, {0: T})
    assert path.read_text("utf-8") == "TEXT\tsomething else\n"


def test_a_label_that_cannot_be_saved_is_not_given(session: Session, folder: Path) -> None:
    session.label(0, {0: O})
    moved = folder.rename(folder.with_name("moved"))
    with pytest.raises(CrfcleanError, match="cannot be written"):
        session.label(0, {1: O})
    with pytest.raises(CrfcleanError, match="cannot be written"):
        session.undo()
    moved.rename(folder)
    assert session.sheet(0).labels.tolist() == [O, NONE, NONE, NONE]
    assert session.undo() == (0, 0)
    assert session.undo() is None


CHANGES = {  # by other programs, while the session has OOH and one block without a label
    "a.html": f"{MENU}<h1>Another</h1><p>Page.</p>",
    "a.labels.tsv": "TEXT\tHome\nTEXT\tNews\nTEXT\tFirst\nTEXT\tOne.\n",
    "a.txt": "First",
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("is_open", [True, False])
def test_labels_are_not_saved_over_what_has_changed(
    folder: Path, name: str, *, is_open: bool
) -> None:
    session = open_session(folder, order="name")
    session.label(1, {4: T})
    session.label(0, {0: O, 1: O, 2: H})
    (folder / name).write_text(CHANGES[name], "utf-8")
    before = (folder / "a.labels.tsv").read_text("utf-8")
    if not is_open:
        session._sheets.clear()  # as pages are that other pages have followed
    with pytest.raises(GoldError, match=f"{name} was changed .* are in a.labels.kept.tsv: rename"):
        session.label(0, {3: T})
    assert (folder / "a.labels.tsv").read_text("utf-8") == before
    kept = (folder / "a.labels.kept.tsv").read_text("utf-8")
    last = "TEXT" if is_open else "?"
    assert kept == f"OTHER\tHome\nOTHER\tNews\nHEADER\tFirst\n{last}\tOne.\n"
    with pytest.raises(GoldError, match=r"a\.labels\.kept\.tsv"):  # the page has left the session
        session.label(0, {3: T})
    assert session.undo() == (1, 4)
    assert saved(folder, "b.html") == "OO???"


def test_a_page_that_changes_before_it_is_labelled(folder: Path) -> None:
    session = open_session(folder, order="name")
    (folder / "a.html").write_text(CHANGES["a.html"], "utf-8")
    with pytest.raises(GoldError, match=r"a\.html was changed meanwhile: start again"):
        session.sheet(0)
    assert not list(folder.rglob("*.tsv"))


def test_a_reader_sees_no_labels_of_others(session: Session, folder: Path) -> None:
    session.label(0, {0: O, 1: O, 2: H, 3: T})
    (folder / "b.txt").write_text("Second\nTwo.", "utf-8")
    first = saved(folder, "a.html")
    second = open_session(folder, order="name", reader="bert")
    assert [page.labelled for page in second.pages] == [0, 0, 0]
    sheets = [second.sheet(number) for number in range(3)]
    assert all((sheet.settled == NONE).all() for sheet in sheets)
    second.label(0, {0: T})
    (folder / "b.txt").write_text("Second", "utf-8")  # the gold of others may change
    second.label(1, {0: O})
    assert (folder / "a.labels.bert.tsv").read_text("utf-8").startswith("TEXT\tHome\n?\tNews\n")
    assert saved(folder, "a.html") == first
    again = open_session(folder, order="name", reader="bert")
    assert [page.labelled for page in again.pages] == [1, 1, 0]
    assert open_session(folder, order="name").pages[0].labelled == 4
    (folder / "a.labels.bert.tsv").write_text("TEXT\tHome\n", "utf-8")
    with pytest.raises(GoldError, match=r"are in a\.labels\.bert\.kept\.tsv: rename"):
        second.label(0, {1: T})


@pytest.mark.parametrize("name", ["a/b", "..", "labels", "kept", "kept2", "a.b", "a b", "x" * 61])
def test_names_of_readers_that_would_name_other_files(folder: Path, name: str) -> None:
    with pytest.raises(CrfcleanError, match=r"--reader: .*: use letters, digits"):
        open_session(folder, reader=name)


def test_pages_in_order_of_certainty(demo: Path, tmp_path: Path, tagger: CrfTagger) -> None:
    for file in (demo / "severnik").glob("*.html"):
        shutil.copy(file, tmp_path)
    session = open_session(tmp_path, tagger)
    sure = [card.certainty for card in session.pages]
    assert sure == sorted(sure)
    assert 0.3 < sure[0] < sure[-1] <= 1
    by_name = open_session(tmp_path, tagger, "name", workers=2)
    assert [card.name for card in by_name.pages] == sorted(card.name for card in session.pages)
    assert sorted(card.certainty for card in by_name.pages) == sure
    assert session.sheet(0).guesses.tolist() != [NONE] * len(session.sheet(0))
