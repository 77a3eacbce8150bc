"""Tests of labelling what blocks are: sheet, session, keys, views, agreement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crfclean.annotate.agreement import agreement, agreement_json, agreement_text
from crfclean.annotate.keyboard import Keyboard
from crfclean.annotate.session import AnnotateParams, Session, open_session
from crfclean.annotate.web import KindRequest, Views
from crfclean.gold.pages import NONE, read_names
from crfclean.types import CrfcleanError, Kind

HTML = (
    "<h1>The river rose</h1><p>The river rose this morning.</p><ul><li>Sand.<li>Pumps.</ul>"
    "<div class=newsletter-box><p>Our letter.</p></div>"
)
GUESSES = ["TITLE", "PARAGRAPH", "LIST", "LIST", "PROMO"]
KINDS = AnnotateParams("name", kinds=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "ab":
        (tmp_path / f"{name}.html").write_text(HTML, "utf-8")
    return tmp_path


def saved(folder: Path, name: str = "a") -> list[str]:
    """The kinds on disk."""
    lines = read_names(folder / f"{name}.kinds.tsv", Kind)
    return ["?" if kind is None else kind.name for kind, _ in lines]


def open_kinds(folder: Path) -> Session:
    return open_session(folder, params=KINDS)


def test_kinds_are_guessed_and_saved(folder: Path) -> None:
    session = open_kinds(folder)
    sheet = session.sheet(0)
    assert sheet.kind_guesses is not None
    assert sheet.kinds is not None
    assert [Kind(kind).name for kind in sheet.kind_guesses] == GUESSES
    assert (sheet.kinds == NONE).all()
    assert list(sheet.kind_run(2)) == [2, 3]
    session.set_kinds(0, {1: Kind.LEAD, 4: Kind.NOTICE})
    assert saved(folder) == ["?", "LEAD", "?", "?", "NOTICE"]
    again = open_kinds(folder).sheet(0)
    assert again.kinds is not None
    assert again.kinds.tolist() == [-1, 2, -1, -1, 15]
    assert (again.labels == NONE).all()  # the answers do not depend on each other


def test_undo_takes_kinds_back_among_labels(folder: Path) -> None:
    session = open_kinds(folder)
    session.set_kinds(0, {0: Kind.TITLE})
    session.label(0, {0: 1})
    session.set_kinds(0, {0: Kind.HEADING})
    assert session.undo() == (0, 0)
    assert saved(folder)[0] == "TITLE"
    session.undo()
    assert session.sheet(0).labels[0] == NONE
    session.undo()
    assert saved(folder)[0] == "?"
    assert [session.redo() for _ in range(4)] == [(0, 0)] * 3 + [None]
    assert saved(folder)[0] == "HEADING"


def test_kinds_that_cannot_be_written_change_nothing(folder: Path) -> None:
    session = open_kinds(folder)
    session.sheet(0)
    (folder / "a.kinds.tsv").mkdir()
    with pytest.raises(CrfcleanError, match="cannot be written"):
        session.set_kinds(0, {0: Kind.TITLE})
    kinds = session.sheet(0).kinds
    assert kinds is not None
    assert (kinds == NONE).all()
    assert session.undo() is None


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("w l", ["LEAD", "?", "?", "?", "?"]),
        ("w enter", ["TITLE", "?", "?", "?", "?"]),
        ("w l w x", ["?"] * 5),
        ("w ? w up", None),  # any other key leaves all as it is
        ("down down W enter", ["?", "?", "LIST", "LIST", "?"]),
        ("down down W r", ["?", "?", "TEASER", "TEASER", "?"]),
        ("w l u", ["?"] * 5),
    ],
)
def test_keys(folder: Path, keys: str, expected: list[str] | None) -> None:
    keyboard = Keyboard(open_kinds(folder))
    for key in keys.split():
        keyboard.press(key)
    assert not keyboard.view.choosing
    if expected is None:
        assert not (folder / "a.kinds.tsv").exists()
    else:
        assert saved(folder) == expected


def test_views(folder: Path) -> None:
    views = Views(open_kinds(folder))
    page = views.page(0)
    assert page["kind_guesses"] == GUESSES
    assert page["kinds"] == [""] * 5
    assert views.set_kinds(0, KindRequest(2, 3, "TABLE"))["kinds"] == ["", "", "TABLE", "TABLE", ""]
    assert views.set_kinds(0, KindRequest(2, 4, "guess"))["kinds"] == [
        "",
        "",
        "LIST",
        "LIST",
        "PROMO",
    ]
    assert views.set_kinds(0, KindRequest(2, 2, "none"))["kinds"] == ["", "", "", "LIST", "PROMO"]
    assert views.undo()["kinds"] == ["", "", "LIST", "LIST", "PROMO"]
    for first, last, kind in ((0, 5, "LIST"), (-1, 0, "LIST"), (0, 0, "GIRAFFE")):
        with pytest.raises(CrfcleanError):
            views.set_kinds(0, KindRequest(first, last, kind))
    assert views.overview()["kind_names"] == [kind.name for kind in Kind]


def annotators(tmp_path: Path, *kinds: str) -> list[Path]:
    """Folders of annotators with equal labels and these kinds, "" for no file."""
    folders = []
    for number, names in enumerate(kinds):
        folder = tmp_path / str(number)
        folder.mkdir()
        lines = "abcd"
        labels = "".join(f"TEXT\t{text}\n" for text in lines[:3]) + "OTHER\td\n"
        (folder / "x.labels.tsv").write_text(labels, "utf-8")
        pairs = zip(names.split(), lines, strict=False)
        if names:
            tsv = "".join(f"{name}\t{text}\n" for name, text in pairs)
            (folder / "x.kinds.tsv").write_text(tsv, "utf-8")
        folders.append(folder)
    return folders


def test_agreement_on_kinds(tmp_path: Path) -> None:
    folders = annotators(tmp_path, "LIST LIST LEAD PROMO", "LIST LEAD LEAD ?", "")
    report = agreement(folders)
    assert report.observed == 1.0
    assert report.kinds is not None
    assert (report.kinds.blocks, report.kinds.pages) == (3, 1)
    assert report.kinds.observed == pytest.approx(2 / 3)
    assert report.kinds.kappa["all"] == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    assert set(report.kinds.kappa) == {"all", "LIST", "LEAD"}
    text = agreement_text(report)
    assert "kinds: 3 blocks of 1 pages, 0.667" in text
    assert "x.labels.tsv:2\tLIST LEAD ?" in text
    assert json.loads(agreement_json(report))["kinds"]["blocks"] == 3
