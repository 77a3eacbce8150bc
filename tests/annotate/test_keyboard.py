"""Tests of `desk.py`: what every key does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.annotate.keyboard import ACTIONS, DONE, HELP, Desk
from crfclean.annotate.params import AnnotateParams
from crfclean.annotate.session import open_session
from crfclean.gold.pages import NONE, gold_paths
from crfclean.taggers.crf import CrfTagger
from crfclean.types import Label

H, T, O = Label.HEADER, Label.TEXT, Label.OTHER  # noqa: E741
ARTICLE = "<h1>{0} head</h1>" + "".join(
    f"<p>{{0}} {number} is a paragraph with a good many words, and it ends here.</p>"
    for number in range(4)
)
MENU = "<ul><li><a href=#>{0} a</a></li><li><a href=#>{0} b</a></li></ul>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        html = f"<title>{name} head</title>{(MENU + ARTICLE).format(name)}"
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
    return tmp_path


@pytest.fixture
def desk(folder: Path, default_model: Path) -> Desk:
    from crfclean.taggers.load import load

    return Desk(open_session(folder, load(default_model), AnnotateParams("name")))


def press(desk: Desk, keys: str) -> Desk:
    for key in keys.split():
        desk.press(key)
    return desk


def labels(desk: Desk, page: int = 0) -> str:
    names = ["?" if x == NONE else Label(x).name[0] for x in desk.session.sheet(page).labels]
    return "".join(names)


def saved(folder: Path, name: str) -> str:
    path = gold_paths(folder / f"{name}.html")[0]
    return "".join(line[0] for line in path.read_text("utf-8").splitlines())


def test_guesses_are_as_the_tests_below_want_them(desk: Desk) -> None:
    sheet = desk.session.sheet(0)
    assert "".join(Label(label).name[0] for label in sheet.guesses) == "OOHTTTT"


CASES = {
    "one label each": ("o o h t t", "OOHTT??", 0, 5),
    "the run": ("O H T", "OOHTTTT", 1, 0),
    "Enter takes the guess": ("enter enter enter enter", "OOHT???", 0, 4),
    "r takes the guesses of the run": ("r r", "OOH????", 0, 3),
    "e takes all that are left": ("t e", "TOHTTTT", 1, 0),
    "E: the rest is OTHER": ("t E", "TOOOOOO", 1, 0),
    "moving labels nothing": ("down down up j k pagedown pageup end home g", "???????", 0, 1),
    "the end": ("end", "???????", 0, 6),
    "labels out of order": ("end t", "??????T", 0, 0),
    "on to the next gap": ("down o", "?O?????", 0, 2),
    "past the next gap": ("down o up up g", "?O?????", 0, 2),
    "take a label away": ("o o up x", "O??????", 0, 1),
    "undo": ("o o u", "O??????", 0, 1),
    "undo, undo, redo": ("o o u u y", "O??????", 0, 0),
    "Ctrl-R is redo": ("o u c-r", "O??????", 0, 0),
    "a label anew": ("o up t", "T??????", 0, 1),
    "next page": ("o n", "O??????", 1, 0),
    "previous page": ("n o p", "???????", 0, 0),
    "unknown keys": ("o z F5", "O??????", 0, 1),
}


@pytest.mark.parametrize(("keys", "expected", "page", "block"), CASES.values(), ids=CASES)
def test_keys(desk: Desk, keys: str, expected: str, page: int, block: int) -> None:
    press(desk, keys)
    assert labels(desk) == expected
    assert (desk.view.page, desk.view.block) == (page, block)


def test_all_keys_have_a_test() -> None:
    pressed = {key for keys, *_ in CASES.values() for key in keys.split()} | {"?", "q", "c-c"}
    assert set(ACTIONS) <= pressed


def test_help_names_every_letter() -> None:
    told = set(" ".join(line[:10] for line in HELP))
    assert {key for key in ACTIONS if len(key) == 1} - {"?", "j", "k", "r", "e", "g"} <= told
    assert max(map(len, HELP)) <= 80


def test_the_end_of_the_last_page(desk: Desk) -> None:
    press(desk, "e e e")
    assert desk.view.message == DONE
    assert all(card.finished for card in desk.session.cards)
    assert labels(desk, 2) == "OOHTTTT"
    press(desk, "u")
    assert (desk.view.page, labels(desk, 2)) == (2, "???????")
    press(desk, "e n")
    assert desk.view.message == DONE


def test_a_finished_page_is_told(desk: Desk) -> None:
    assert press(desk, "e").view.message == "finished: a.html"
    assert press(desk, "down").view.message == ""


def test_corrections_on_a_finished_page_stay_there(desk: Desk) -> None:
    press(desk, "e p t")
    assert (desk.view.page, desk.view.block, labels(desk)) == (0, 1, "TOHTTTT")
    press(desk, "end t")
    assert (desk.view.page, desk.view.block) == (0, 6)
    assert press(desk, "g").view.message == "every block of this page has a label"


def test_nothing_to_undo(desk: Desk) -> None:
    assert press(desk, "u").view.message == "nothing to undo"
    assert press(desk, "y").view.message == "nothing to redo"


def test_help_goes_with_any_key(desk: Desk) -> None:
    press(desk, "?")
    assert desk.view.helping
    press(desk, "o")
    assert not desk.view.helping
    assert labels(desk) == "???????"


@pytest.mark.parametrize("key", ["q", "c-c"])
def test_leaving(desk: Desk, key: str) -> None:
    assert not desk.leaving
    assert press(desk, key).leaving


def test_without_a_model(folder: Path) -> None:
    desk = press(Desk(open_session(folder)), "enter")
    assert desk.view.message == "no guess to accept: there is no model"
    press(desk, "O")  # without guesses all open blocks are alike
    assert labels(desk) == "OOOOOOO"


def test_a_label_that_cannot_be_saved_is_told(desk: Desk, folder: Path) -> None:
    press(desk, "o")
    shutil.rmtree(folder)
    press(desk, "o")
    assert "cannot be written" in desk.view.message
    assert labels(desk) == "O??????"


def test_pages_with_a_problem_or_without_text(tmp_path: Path, tagger: CrfTagger) -> None:
    (tmp_path / "a.html").write_text("", "utf-8")
    (tmp_path / "b.html").write_text("<p>text</p>", "utf-8")
    gold_paths(tmp_path / "b.html")[0].write_text("TEXT\tother\n", "utf-8")
    desk = Desk(open_session(tmp_path, tagger, AnnotateParams("name")))
    assert desk.view.message == DONE
    for key in ACTIONS:
        if key not in {"q", "c-c"}:
            press(desk, key)
    desk.turn(1 - desk.view.page)
    assert "b.labels.tsv:1" in desk.view.message
    assert desk.sheet is None
    press(desk, "h H enter r e x end g u")
    assert gold_paths(tmp_path / "b.html")[0].read_text("utf-8") == "TEXT\tother\n"
    assert not gold_paths(tmp_path / "a.html")[0].exists()


@settings(max_examples=25, deadline=None)
@given(keys=st.lists(st.sampled_from([*ACTIONS]), max_size=40))
def test_any_keys(tmp_path_factory: pytest.TempPathFactory, keys: list[str]) -> None:
    folder = tmp_path_factory.mktemp("pages")
    for name in ("a", "b"):
        (folder / f"{name}.html").write_text((MENU + ARTICLE).format(name), "utf-8")
    desk = Desk(open_session(folder))
    for key in keys:
        desk.press(key)
        sheet = desk.sheet
        assert sheet is not None
        assert 0 <= desk.view.block < len(sheet)
    again = open_session(folder)
    for page in range(2):
        assert again.sheet(page).settled.tolist() == desk.session.sheet(page).settled.tolist()
